"""Values made of others: sums, products, casts, and what CASE chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from veracity.query.sqlcheck import kinds
from veracity.query.sqlcheck.conditions import UNKNOWN, held, unparenthesised
from veracity.query.sqlcheck.model import (
    Reckoning,
    SqlScope,
    SqlValue,
    Term,
    Thing,
    WrittenChoice,
)
from veracity.query.sqlcheck.refusal import unsafe
from veracity.sources.source import NUMERIC, Column, ColumnType

if TYPE_CHECKING:
    from sqlglot import exp

MOVED = "moved"
"""Where a sum or difference of the tree keeps the types of its two sides."""
_MOST_TERMS = 60


def computed(
    column: Column, parts: Sequence[SqlValue], terms: tuple[Term, ...] = (), *, deciding: Sequence[SqlValue] = ()
) -> SqlValue:
    """A value made of others; those that only decide which one it is are named apart."""
    if len(terms) > _MOST_TERMS:
        raise unsafe("An expression has too many parts; work it out in steps, with WITH.")
    every = (*parts, *deciding)
    constant = bool(every) and all(part.constant for part in every)
    return SqlValue(
        column,
        by=frozenset(thing for part in every for thing in part.determined_by),
        terms=terms,
        constant=constant,
        literal=UNKNOWN if constant else None,
        aggregate="EXPRESSION",
        origin=frozenset(origin for part in parts for origin in part.origin),
        size=max((part.size for part in parts), default=kinds.USUAL_NUMBER),
    )


def negative(node: exp.Expr, scope: SqlScope) -> SqlValue:
    inner = scope.value(node.this)
    if inner.constant and isinstance(inner.literal, int | Decimal) and not isinstance(inner.literal, bool):
        return replace(inner, literal=-inner.literal)
    return computed(inner.column, [inner], _turned(inner.terms))


def _turned(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(
        replace(term, factors=tuple(replace(leaf, negative=not leaf.negative) for leaf in term.factors))
        for term in terms
    )


def arithmetic(node: exp.Expr, scope: SqlScope) -> SqlValue:
    left, right = scope.value(node.this), scope.value(node.expression)
    name = type(node).__name__
    scope.facts.computed += [
        side.field_of for side in (left, right) if side.field_of and side.column.type is ColumnType.TEXT
    ]
    _note_reckoning(node, left, right, scope)
    column = kinds.arithmetic(name, left.column, right.column, scope.world.dialect)
    node.meta[MOVED] = (left.column.type, right.column.type)
    if name == "Mul":
        terms = _product(left.terms, right.terms)
    elif name in ("Div", "IntDiv", "Mod"):
        terms = _quotient(left, right)
    else:
        terms = left.terms + (_turned(right.terms) if name == "Sub" else right.terms)
    if column.type not in NUMERIC or {left.column.type, right.column.type} & {ColumnType.DATE, ColumnType.TIMESTAMP}:
        terms = ()  # days between two dates are no field's own figure
    made = computed(kinds.INTEGER if name == "IntDiv" else column, [left, right], terms)
    return replace(made, shifted=_shifted(left, right)) if name in ("Add", "Sub") else made


def _note_reckoning(node: exp.Expr, left: SqlValue, right: SqlValue, scope: SqlScope) -> None:
    from sqlglot import exp

    outer = node.parent
    while isinstance(outer, exp.Paren):
        outer = outer.parent
    divided = isinstance(outer, exp.Div) and isinstance(unparenthesised(outer.expression), exp.Literal)
    rows = scope.rows if scope.rows is not None else scope.relation
    scope.facts.reckonings.append(
        Reckoning(
            type(node).__name__,
            left,
            right,
            same=not left.constant and node.this.sql() == node.expression.sql(),
            divided=divided,
            fixes=(*rows.fixes, *scope.relation.fixes),
            constants={**rows.constants, **scope.relation.constants},
        )
    )


def _note_choices(node: exp.Expr, results: Sequence[SqlValue], scope: SqlScope) -> None:
    """Numbers that were written and may come out as a figure."""
    for found in results:
        if found.constant and found.literal is not None and found.column.type in NUMERIC:
            scope.facts.choices.append(WrittenChoice(found.literal, type(node).__name__, scope.clause))


def _shifted(left: SqlValue, right: SqlValue) -> Thing | None:
    for this, that in ((left, right), (right, left)):
        if that.constant and not this.constant:
            return this.thing or this.shifted
    return None


def _product(left: tuple[Term, ...], right: tuple[Term, ...]) -> tuple[Term, ...]:
    if not left or not right:
        return left or right
    return tuple(
        Term(one.factors + other.factors, one.divisors + other.divisors, one.divided_by | other.divided_by)
        for one in left
        for other in right
    )


def _quotient(left: SqlValue, right: SqlValue) -> tuple[Term, ...]:
    divisors = tuple(leaf for term in right.terms for leaf in term.factors)
    return tuple(
        Term(term.factors, term.divisors + divisors, term.divided_by | right.determined_by) for term in left.terms
    )


def cast_value(node: exp.Expr, scope: SqlScope) -> SqlValue:
    inner, column = scope.value(node.this), kinds.cast_to(node.args["to"], scope.world.dialect)
    if scope.world.native and scope.world.dialect == "sqlite" and column.type is ColumnType.DECIMAL:
        column = kinds.decimal(None)  # its digits are only words there
    if inner.constant:
        keeps = column.type in (ColumnType.DATE, ColumnType.TIMESTAMP) or column.type is inner.column.type
        return replace(inner, column=column, literal=inner.literal if keeps else UNKNOWN)
    made = computed(column, [inner], inner.terms)
    return replace(made, rank=inner.rank)


def branches(node: exp.Expr, scope: SqlScope) -> SqlValue:
    """COALESCE, GREATEST and LEAST: one of their parts."""
    parts = [scope.value(part) for part in (node.this, *node.expressions)]
    _note_choices(node, parts, scope)
    return computed(
        kinds.common([p.column for p in parts]), parts, tuple(term for part in parts for term in part.terms)
    )


def nullif(node: exp.Expr, scope: SqlScope) -> SqlValue:
    inner, other = scope.value(node.this), scope.value(node.expression)
    return computed(inner.column, [inner], inner.terms, deciding=[other])


def case(node: exp.Expr, scope: SqlScope) -> SqlValue:
    tested = node.this
    results: list[SqlValue] = []
    deciding: list[SqlValue] = [scope.value(tested)] if tested is not None else []
    for branch in node.args["ifs"]:
        condition = equals(tested, branch.this) if tested is not None else branch.this
        deciding.append(scope.value(condition))
        with scope.under(held(condition, scope)):
            results.append(scope.value(branch.args["true"]))
    if (default := node.args.get("default")) is not None:
        results.append(scope.value(default))
    _note_choices(node, results, scope)
    return _chosen(results, deciding)


def equals(tested: exp.Expr, literal: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    made = exp.EQ(this=tested.copy(), expression=literal.copy())
    made.meta.update(literal.meta)
    return made


def if_then(node: exp.Expr, scope: SqlScope) -> SqlValue:
    deciding = [scope.value(node.this)]
    with scope.under(held(node.this, scope)):
        results = [scope.value(node.args["true"])]
    if (otherwise := node.args.get("false")) is not None:
        results.append(scope.value(otherwise))
    _note_choices(node, results, scope)
    return _chosen(results, deciding)


def _chosen(results: list[SqlValue], deciding: list[SqlValue]) -> SqlValue:
    column = kinds.common([found.column for found in results])
    return computed(column, results, tuple(term for found in results for term in found.terms), deciding=deciding)
