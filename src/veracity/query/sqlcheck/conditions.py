"""What a condition says of the rows that meet it: what is fixed, what is filtered. Only what is joined by AND counts."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from veracity.query.model import Filter
from veracity.query.sqlcheck.model import NOTHING, Fixes, Held, SqlScope, SqlValue, TableUse
from veracity.sources.source import ColumnType

if TYPE_CHECKING:
    from sqlglot import exp


class _Unknown:
    """Stands for a constant whose value only the engine can tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Any = _Unknown()
COMPARED = {"EQ": "=", "NEQ": "!=", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">=", "NullSafeEQ": "="}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<", "IS_NULL": "IS_NOT_NULL", "IS_NOT_NULL": "IS_NULL"}  # fmt: skip


def held(node: exp.Expr, scope: SqlScope) -> Held:
    """What holds in every row for which a condition is true."""
    total = Held()
    for part in conjuncts(node):
        total += _part(part, scope)
    return total


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that are joined by AND; `NOT (a OR b)` is not taken apart."""
    from sqlglot import exp

    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, exp.Paren | exp.Where | exp.Having | exp.Qualify):
            pending.append(current.this)
        elif isinstance(current, exp.And):
            pending += [current.expression, current.this]
        else:
            yield current


def _part(node: exp.Expr, scope: SqlScope) -> Held:
    from sqlglot import exp

    if isinstance(node, exp.EQ | exp.NullSafeEQ):
        return _equal(node, scope)
    if isinstance(node, exp.In) and node.args.get("query") is None:
        return _one_of(node, scope)
    if isinstance(node, exp.In | exp.Exists):
        return _matched(node, scope)
    if isinstance(node, exp.Or):
        return _either(node, scope)
    ranked = _first_rank(node, scope)
    return Held(fixes=ranked, filters=tuple(_filters(node, scope)))


def unparenthesised(node: exp.Expr) -> exp.Expr:
    """An expression without the brackets around it; a subquery keeps its own."""
    from sqlglot import exp

    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _pairs(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    from sqlglot import exp

    left, right = unparenthesised(node.this), unparenthesised(node.expression)
    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
        if len(left.expressions) == len(right.expressions):
            yield from zip(left.expressions, right.expressions, strict=True)
    else:
        yield left, right


def _equal(node: exp.Expr, scope: SqlScope) -> Held:
    total = Held(fixes=_first_rank(node, scope))
    for left, right in _pairs(node):
        total += equated(scope.value(left), scope.value(right), scope)
    return total


def equated(one: SqlValue, other: SqlValue, scope: SqlScope) -> Held:
    """Two values that are the same in every row: each is fixed by whatever fixes the other."""
    fixes: list[Fixes] = []
    constants: dict[tuple[int, str], Any] = {}
    filters: list[tuple[TableUse, Filter]] = []
    for this, that in ((one, other), (other, one)):
        for thing in (this.thing, this.shifted):
            if thing is not None:
                equal = thing is this.thing and that.thing is not None and not that.constant
                fixes.append(Fixes(that.determined_by if not that.constant else NOTHING, thing, equal=equal))
        if that.constant and this.thing is not None:
            constants[this.thing] = that.literal
        if that.constant and that.literal is not UNKNOWN and that.literal is not None:
            filters += _on_field(this, "=", that.literal, scope)
    return Held(tuple(fixes), constants, tuple(filters))


def _on_field(one: SqlValue, op: str, literal: Any, scope: SqlScope) -> Iterator[tuple[TableUse, Filter]]:
    """The condition on each field that a value is a copy of."""
    for part in one.parts or (one,):
        if part.field_of is not None and part.wrapped is None:
            boolean = scope.world.dialect == "sqlite" and part.column.type is ColumnType.BOOLEAN and literal in (0, 1)
            yield part.field_of[0], Filter(part.field_of[1], op, bool(literal) if boolean else literal)


def _one_of(node: exp.Expr, scope: SqlScope) -> Held:
    from sqlglot import exp

    left = unparenthesised(node.this)
    if isinstance(left, exp.Tuple):
        rows = [row for row in node.expressions if isinstance(row, exp.Tuple)]
        if len(rows) != 1 or len(rows[0].expressions) != len(left.expressions):
            return Held()
        total = Held()
        for part, literal in zip(left.expressions, rows[0].expressions, strict=True):
            total += equated(scope.value(part), scope.value(literal), scope)
        return total
    one, rest = scope.value(left), [scope.value(found) for found in node.expressions]
    if not all(found.constant and found.literal is not UNKNOWN for found in rest):
        return equated(one, rest[0], scope) if len(rest) == 1 else Held()
    literals = [found.literal for found in rest]
    filters = tuple(_on_field(one, "IN", literals, scope))
    if len({_key(literal) for literal in literals}) == 1:
        return Held(equated(one, rest[0], scope).fixes, equated(one, rest[0], scope).constants, filters)
    return Held(filters=filters)


def _key(literal: Any) -> str:
    return str(Decimal(literal).normalize()) if isinstance(literal, int | Decimal) else f"'{literal}"


def _matched(node: exp.Expr, scope: SqlScope) -> Held:
    """IN (SELECT ...) and EXISTS: the rows have a match there; where that is one row, it fixes the value."""
    from sqlglot import exp

    query = node.args.get("query") or node.this
    found = scope.query(query)
    scope.facts.narrowing.extend(found.readings)
    if not isinstance(node, exp.In) or not found.is_one_row:
        return Held()
    one = scope.value(node.this)
    return Held((Fixes(found.outer, one.thing),)) if one.thing is not None else Held()


def _either(node: exp.Expr, scope: SqlScope) -> Held:
    """`a = 1 OR a = 2` is `a IN (1, 2)`; other alternatives say nothing for sure."""
    fields: set[tuple[TableUse, str]] = set()
    literals: list[Any] = []
    for part in node.flatten():
        found = list(_filters(part, scope))
        if len(found) != 1 or found[0][1].op not in ("=", "IN"):
            return Held()
        reading, condition = found[0]
        fields.add((reading, condition.field))
        literals += condition.value if condition.op == "IN" else [condition.value]
    if len(fields) != 1:
        return Held()
    reading, name = fields.pop()
    return Held(filters=((reading, Filter(name, "IN", literals)),))


def _first_rank(node: exp.Expr, scope: SqlScope) -> tuple[Fixes, ...]:
    """`ROW_NUMBER() OVER (PARTITION BY p ...) = 1`: within p there is one row."""
    name = type(node).__name__
    if name not in ("EQ", "LTE", "LT"):
        return ()
    one, other = scope.value(node.this), scope.value(node.expression)
    if one.rank is None or other.literal != (2 if name == "LT" else 1) or isinstance(other.literal, bool):
        return ()
    return tuple(Fixes(one.rank.by, thing) for thing in one.rank.first)


def _filters(node: exp.Expr, scope: SqlScope) -> Iterator[tuple[TableUse, Filter]]:
    """The conditions `field op literal` that a simple condition is."""
    from sqlglot import exp

    if isinstance(node, exp.Paren):
        yield from _filters(node.this, scope)
    elif isinstance(node, exp.Not):
        yield from _negated(node.this, scope)
    elif isinstance(node, exp.Column):
        yield from _on_field(scope.value(node), "=", True, scope)
    elif isinstance(node, exp.Is):
        literal = scope.value(node.expression).literal
        op = "IS_NULL" if literal is None else "="
        if literal is None or isinstance(literal, bool):
            yield from _on_field(scope.value(node.this), op, literal, scope)
    elif isinstance(node, exp.Between):
        ends = [scope.value(node.args[end]).literal for end in ("low", "high")]
        if all(end is not None and end is not UNKNOWN for end in ends):
            yield from _on_field(scope.value(node.this), "BETWEEN", ends, scope)
    elif isinstance(node, exp.In) and node.args.get("query") is None and not isinstance(node.this, exp.Tuple):
        literals = [scope.value(found) for found in node.expressions]
        if all(found.constant and found.literal is not UNKNOWN for found in literals):
            yield from _on_field(scope.value(node.this), "IN", [found.literal for found in literals], scope)
    elif type(node).__name__ in COMPARED or (type(node) is exp.Like and not node.args.get("negate")):
        yield from _compared(node, scope)


def _compared(node: exp.Expr, scope: SqlScope) -> Iterator[tuple[TableUse, Filter]]:
    op = COMPARED.get(type(node).__name__, "LIKE")
    one, other = scope.value(node.this), scope.value(node.expression)
    if one.constant and op != "LIKE":
        one, other, op = other, one, TURNED.get(op, op)
    if other.constant and other.literal is not UNKNOWN and other.literal is not None:
        yield from _on_field(one, op, other.literal, scope)


def _negated(node: exp.Expr, scope: SqlScope) -> Iterator[tuple[TableUse, Filter]]:
    from sqlglot import exp

    if isinstance(node, exp.In | exp.Between | exp.Like):
        if isinstance(node, exp.In) and len(node.expressions) >= 1:
            for reading, condition in _filters(node, scope):
                yield from ((reading, Filter(condition.field, "!=", literal)) for literal in condition.value)
        return
    if isinstance(node, exp.Column):
        yield from _on_field(scope.value(node), "=", False, scope)
        return
    if isinstance(node, exp.Is | exp.NullSafeEQ) and scope.value(node.expression).literal is not None:
        return  # "is not true" is also met by nothing at all
    for reading, condition in _filters(node, scope):
        if condition.op in _OPPOSITE:
            yield reading, Filter(condition.field, _OPPOSITE[condition.op], condition.value)
