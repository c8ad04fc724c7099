"""Expressions -> values: what each is made of, and what decides it. `_HANDLERS` says who works out which node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from veracity.query.sqlcheck import kinds
from veracity.query.sqlcheck.aggregates import ADDING, PICKING, aggregate, filtered, ignore_nulls, window
from veracity.query.sqlcheck.arithmetic import (
    arithmetic,
    branches,
    case,
    cast_value,
    computed,
    if_then,
    negative,
    nullif,
)
from veracity.query.sqlcheck.comparing import (
    COMPARISONS,
    between,
    comparison,
    condition,
    exists,
    in_list,
    is_null,
    like,
)
from veracity.query.sqlcheck.conditions import UNKNOWN
from veracity.query.sqlcheck.functions import function
from veracity.query.sqlcheck.model import (
    ROW,
    Fixes,
    Held,
    Loose,
    SqlScope,
    SqlValue,
    is_in,
    same_as,
)
from veracity.query.sqlcheck.refusal import place, unsafe

if TYPE_CHECKING:
    from sqlglot import exp


Handler = Callable[["exp.Expr", SqlScope], SqlValue]


def handler_of(node: exp.Expr) -> Handler:
    """Who says what an expression is made of."""
    return _HANDLERS.get(type(node).__name__, function)


# --- single values


def _column(node: exp.Expr, scope: SqlScope) -> SqlValue:
    alias = node.args["table"].name
    owner, passed = scope.owner(alias)
    found = owner.sources[alias][node.name]
    for inner in passed:
        inner.depend_on(found.determined_by)
    if owner is scope and scope.keys is not None and not scope.inside:
        scope.facts.loose.append(Loose(node.name, place(node), scope.select))
    return _under(found, scope.given)


def _under(found: SqlValue, given: Held) -> SqlValue:
    """The value as it counts under a condition."""
    if not given.fixes and not given.filters:
        return found
    terms = tuple(
        replace(term, factors=tuple(replace(leaf, given=leaf.given + given) for leaf in term.factors))
        for term in found.terms
    )
    return replace(found, terms=terms)


def _literal(node: exp.Expr, _scope: SqlScope) -> SqlValue:
    if node.args.get("is_string"):
        return SqlValue(kinds.TEXT, constant=True, literal=node.name, size=len(node.name))
    text = node.name
    try:
        literal: Any = int(text) if text.isdigit() and len(text) < 30 else Decimal(text)
    except ArithmeticError:
        literal = UNKNOWN
    return SqlValue(kinds.number(text), constant=True, literal=literal, size=len(text))


def _boolean(node: exp.Expr, _scope: SqlScope) -> SqlValue:
    return SqlValue(kinds.BOOLEAN, constant=True, literal=bool(node.this))


def _null(_node: exp.Expr, _scope: SqlScope) -> SqlValue:
    return SqlValue(kinds.OTHER, constant=True, literal=None)


def _interval(_node: exp.Expr, _scope: SqlScope) -> SqlValue:
    return SqlValue(kinds.OTHER, constant=True, literal=UNKNOWN)


def _paren(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return scope.value(node.this)


def _tuple(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return computed(kinds.OTHER, [scope.value(part) for part in node.expressions])


# --- subqueries


def _subquery(node: exp.Expr, scope: SqlScope) -> SqlValue:
    """A SELECT that stands for one value."""
    found = scope.query(node)
    if len(found.columns) != 1:
        raise unsafe("A subquery that stands for a value has one column.")
    if not found.is_one_row:
        scope.facts.several.append(place(node))
    if scope.clause == "select":
        scope.facts.shown.extend(found.readings)
    inner = next(iter(found.columns.values()))
    number = next(scope.world.numbers)
    scope.relation.fixes.append(Fixes(found.outer, (number, ROW)))
    known = found.closed(())
    scope.relation.constants |= {thing: told for thing, told in found.constants.items() if is_in(thing, known)}
    for leaf in inner.leaves:
        reached = [thing for thing in (*leaf.over, *leaf.units, *leaf.key) if thing is not None and is_in(thing, known)]
        scope.relation.fixes += [Fixes(found.outer, thing) for thing in reached]
        around = [(other, thing) for thing in reached for other in same_as(thing, found.fixes) & found.outer]
        scope.relation.fixes += [Fixes(frozenset({other}), thing, equal=True) for other, thing in around]
    terms = tuple(term.each(row=(number, ROW)) for term in inner.terms)
    constant = not found.outer
    return SqlValue(
        inner.column,
        by=found.outer,
        terms=terms,
        constant=constant,
        literal=UNKNOWN if constant else None,
        aggregate=inner.aggregate,
        origin=inner.origin,
        size=inner.size,
    )


_HANDLERS: dict[str, Handler] = {
    "Column": _column,
    "Literal": _literal,
    "Boolean": _boolean,
    "Null": _null,
    "Interval": _interval,
    "Paren": _paren,
    "Alias": _paren,
    "Tuple": _tuple,
    "Neg": negative,
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "IntDiv", "Mod"), arithmetic),
    "Cast": cast_value,
    "TryCast": cast_value,
    **dict.fromkeys(("Coalesce", "Greatest", "Least"), branches),
    "Nullif": nullif,
    "Case": case,
    "If": if_then,
    **dict.fromkeys(("And", "Or", "Not", "Escape", "Glob"), condition),
    "Exists": exists,
    **dict.fromkeys(COMPARISONS, comparison),
    "Like": like,
    "ILike": like,
    "Between": between,
    "In": in_list,
    "Is": is_null,
    "Subquery": _subquery,
    **dict.fromkeys((*ADDING, *PICKING, "Count", "CountIf", "GroupConcat", "LogicalAnd", "LogicalOr"), aggregate),
    "Filter": filtered,
    "IgnoreNulls": ignore_nulls,
    "Window": window,
}
