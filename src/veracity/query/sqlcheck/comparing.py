"""Conditions: what they compare, noted so that the checks can hold it against stored values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from veracity.query.model import Filter
from veracity.query.sqlcheck import kinds
from veracity.query.sqlcheck.arithmetic import computed, equals
from veracity.query.sqlcheck.conditions import COMPARED, TURNED, UNKNOWN, unparenthesised
from veracity.query.sqlcheck.model import (
    Facts,
    Mismatch,
    Probe,
    SqlComparison,
    SqlScope,
    SqlValue,
    TableUse,
)
from veracity.query.sqlcheck.refusal import place, unsafe
from veracity.sources.source import NUMERIC, ColumnType

if TYPE_CHECKING:
    from sqlglot import exp

COMPARISONS = {**COMPARED, "NullSafeNEQ": "!="}


def condition(node: exp.Expr, scope: SqlScope) -> SqlValue:
    """AND, OR, NOT and whatever else is true or false."""
    return computed(kinds.BOOLEAN, [scope.value(child) for child in node.iter_expressions()])


def exists(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return replace(computed(kinds.BOOLEAN, []), by=scope.query(node.this).outer)


def comparison(node: exp.Expr, scope: SqlScope) -> SqlValue:
    from sqlglot import exp

    left, right = node.this, node.expression
    one, other = unparenthesised(left), unparenthesised(right)
    if isinstance(one, exp.Tuple) and isinstance(other, exp.Tuple):
        pairs = list(zip(one.expressions, other.expressions, strict=False))
    else:
        pairs = [(left, right)]
    for this, that in pairs:
        _compare(COMPARISONS[type(node).__name__], this, [that], node, scope)
    note_probe(node, scope)
    return computed(kinds.BOOLEAN, [scope.value(left), scope.value(right)])


def _compare(op: str, left: exp.Expr, others: Sequence[exp.Expr], node: exp.Expr, scope: SqlScope) -> None:
    """Note a field that is held against literals, or against another field."""
    one, rest = scope.value(left), [scope.value(other) for other in others]
    if one.field_of is None and len(rest) == 1 and rest[0].field_of is not None and op not in ("LIKE", "IN", "BETWEEN"):
        return _compare(TURNED.get(op, op), others[0], [left], node, scope)
    for found in (one, *rest):
        for part in found.parts or (found,):
            if part.field_of is not None:
                part.field_of[0].said.add(part.field_of[1])
    if all(found.constant and found.literal is not UNKNOWN for found in rest):
        for part in one.parts or (one,):
            literals = [_as_stored(found.literal, part, scope) for found in rest]
            _note(op, part, literals, others, node, facts=scope.facts)
    elif one.field_of and len(rest) == 1 and rest[0].field_of and one.field_of != rest[0].field_of:
        kinds_met = {one.column.type, rest[0].column.type}
        if ColumnType.TEXT in kinds_met and kinds_met & NUMERIC:
            scope.facts.mismatches.append(Mismatch(one.field_of, rest[0].field_of))
    return None


def _note(
    op: str, one: SqlValue, literals: list[Any], nodes: Sequence[exp.Expr], node: exp.Expr, *, facts: Facts
) -> None:
    if one.field_of is None:
        return
    reading, name = one.field_of
    condition = Filter(name, op, literals if op in ("IN", "BETWEEN") else literals[0])
    places = tuple(place(unparenthesised(other)) for other in nodes)
    facts.comparisons.append(SqlComparison(reading, condition, place(node), places, one.wrapped))


def _as_stored(literal: Any, one: SqlValue, scope: SqlScope) -> Any:
    """SQLite has no truth values of its own: 1 and 0 are what people write there."""
    if scope.world.dialect == "sqlite" and one.column.type is ColumnType.BOOLEAN and literal in (0, 1):
        return bool(literal)
    return literal


def like(node: exp.Expr, scope: SqlScope) -> SqlValue:
    _compare("LIKE", node.this, [node.expression], node, scope)
    note_probe(node.parent if type(node.parent).__name__ == "Escape" and node.parent else node, scope)
    return computed(kinds.BOOLEAN, [scope.value(node.this), scope.value(node.expression)])


def between(node: exp.Expr, scope: SqlScope) -> SqlValue:
    ends = [node.args["low"], node.args["high"]]
    _compare("BETWEEN", node.this, ends, node, scope)
    note_probe(node, scope)
    return computed(kinds.BOOLEAN, [scope.value(part) for part in (node.this, *ends)])


def in_list(node: exp.Expr, scope: SqlScope) -> SqlValue:
    from sqlglot import exp

    left = unparenthesised(node.this)
    if (query := node.args.get("query")) is not None:
        found = scope.query(query)
        parts = [scope.value(part) for part in (left.expressions if isinstance(left, exp.Tuple) else [left])]
        if len(parts) != len(found.columns):
            raise unsafe("IN compares with a subquery of as many columns as stand before it.")
        for part in parts:
            if part.field_of is not None:
                part.field_of[0].said.add(part.field_of[1])
        return replace(
            computed(kinds.BOOLEAN, parts), by=frozenset().union(*(p.determined_by for p in parts), found.outer)
        )
    if isinstance(left, exp.Tuple):
        for number, part in enumerate(left.expressions):
            rows = [row.expressions for row in node.expressions if isinstance(row, exp.Tuple)]
            if rows and all(len(row) == len(left.expressions) for row in rows):
                _compare("IN", part, [row[number] for row in rows], node, scope)
        return computed(kinds.BOOLEAN, [scope.value(node.this)])
    _compare("IN", node.this, node.expressions, node, scope)
    for literal in node.expressions:
        note_probe(equals(node.this, literal), scope)
    return computed(kinds.BOOLEAN, [scope.value(part) for part in (node.this, *node.expressions)])


def is_null(node: exp.Expr, scope: SqlScope) -> SqlValue:
    inner = scope.value(node.this)
    if inner.field_of is not None and isinstance(scope.value(node.expression).literal, bool):
        _compare("=", node.this, [node.expression], node, scope)
    return computed(kinds.BOOLEAN, [inner])


# --- conditions on what is made of stored texts


_FOUND_OUT = frozenset(["EQ", "NEQ", "NullSafeEQ", "NullSafeNEQ", "Like", "ILike", "Glob", "Escape", "Between"])


def in_fields(node: exp.Expr, scope: SqlScope) -> exp.Expr | None:
    """An expression in fields of table uses, by their numbers; None where it is made of anything else."""
    from sqlglot import exp

    if node.find(exp.AggFunc, exp.Window, exp.Query, exp.Star) is not None:
        return None
    holder = exp.Paren(this=node.copy())
    for column in list(holder.find_all(exp.Column)):
        alias = column.args["table"].name
        found = scope.owner(alias)[0].sources[alias][column.name]
        if found.field_of is not None and found.wrapped is None:
            reading, name = found.field_of
            column.replace(exp.column(name, table=str(reading.number), quoted=True))
        elif found.written is not None:
            column.replace(exp.Paren(this=found.written.copy()))
        else:
            return None
    return cast("exp.Expr", holder.this)


def note_probe(node: exp.Expr, scope: SqlScope) -> None:
    """Some row has to meet a condition on texts, unless a plain comparison is looked up by itself."""
    from sqlglot import exp

    compares = isinstance(node, exp.Binary | exp.Between | exp.Escape)
    plain = isinstance(node, exp.EQ | exp.NEQ) and any(
        scope.value(side).field_of is not None and scope.value(other).literal not in (None, UNKNOWN)
        for side, other in ((node.this, node.expression), (node.expression, node.this))
    )
    condition = None if plain else in_fields(node, scope)
    columns = list(condition.find_all(exp.Column)) if condition is not None else []
    if condition is None or len({column.table for column in columns}) != 1:
        return
    searched = any(literal.is_string for literal in condition.find_all(exp.Literal))
    if not searched or (compares and type(node).__name__ not in _FOUND_OUT and not _is_searched(condition)):
        return
    number = int(columns[0].table)
    reading = next((found for found in scope.facts.readings if found.number == number), None)
    names = tuple(dict.fromkeys(column.name for column in columns))
    if reading is None or not all(_is_plain_text(reading, name) for name in names):
        return
    if isinstance(condition, exp.NEQ | exp.NullSafeNEQ):
        condition = exp.EQ(this=condition.this.copy(), expression=condition.expression.copy())
    if condition.args.get("negate"):
        condition.set("negate", None)
    scope.facts.probes.append(Probe(reading, condition, names))


def _is_searched(condition: exp.Expr) -> bool:
    """`STRPOS(city, 'x') > 0` looks for a text; `city > 'M'` takes whatever comes after it."""
    from sqlglot import exp

    bare = (unparenthesised(side) for side in (condition.this, condition.args.get("expression")) if side is not None)
    return any(isinstance(side, exp.Func) and side.find(exp.Literal) is not None for side in bare) and not any(
        isinstance(side, exp.Literal) and side.is_string for side in (condition.this, condition.args.get("expression"))
    )


def _is_plain_text(reading: TableUse, name: str) -> bool:
    facts = reading.entity.fields[name]
    return facts.column.type is ColumnType.TEXT and not facts.is_date and facts.categorical is not False
