"""Aggregates and windows: over which rows, of what, and what one of their values stands for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from veracity.contracts import ValidationErrorCode, clip
from veracity.query.sqlcheck import kinds
from veracity.query.sqlcheck.arithmetic import computed
from veracity.query.sqlcheck.conditions import held
from veracity.query.sqlcheck.model import (
    NOTHING,
    ROW,
    Aggregation,
    Fixes,
    Held,
    Leaf,
    Rank,
    SqlRelation,
    SqlScope,
    SqlValue,
    Term,
    Thing,
    Things,
    closed,
    is_in,
)
from veracity.query.sqlcheck.refusal import SqlRefused, place, problem, unsafe
from veracity.sources.source import ColumnType, Dialect

if TYPE_CHECKING:
    from sqlglot import exp

TAKEN = "taken"
"""Where an aggregate of the tree keeps the type of what it is taken of."""
ADDING = frozenset(["Sum", "Avg", "Stddev", "StddevPop", "StddevSamp", "Variance", "VariancePop", "Median"])
PICKING = frozenset(["Min", "Max", "AnyValue", "ArgMax", "ArgMin"])
_NAMES = {"Sum": "SUM", "Avg": "AVG", "Min": "MIN", "Max": "MAX", "Count": "COUNT", "CountIf": "COUNT"}
_RANKS = frozenset(["RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile"])
_MOVING = frozenset(["Lag", "Lead", "FirstValue", "LastValue", "NthValue"])
_USUAL_LIST = 100
"""How many texts STRING_AGG is taken to join."""


# --- aggregates


def aggregate(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return _aggregated(node, scope, Held())


def filtered(node: exp.Expr, scope: SqlScope) -> SqlValue:
    condition = node.expression.this
    with scope.within_aggregate():
        scope.value(condition)
        given = held(condition, scope)
    return _aggregated(node.this, scope, given)


def ignore_nulls(node: exp.Expr, scope: SqlScope) -> SqlValue:
    return scope.value(node.this)


def _aggregated(node: exp.Expr, scope: SqlScope, given: Held) -> SqlValue:
    """An aggregate over the rows of each group."""
    if scope.inside:
        raise unsafe("An aggregate cannot stand inside another; use a subquery in FROM.")
    if scope.keys is None or scope.rows is None:
        hint = "WHERE and ON see single rows; test an aggregate with HAVING."
        raise SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, clip(node.sql(), 40), hint))
    with scope.within_aggregate():
        taken, distinct = _taken(node, scope)
    found = _noted(node, scope, taken, given, (scope.rows, scope.group), distinct=distinct, window=False)
    return _result(node, found, (scope.number, node.sql()), scope)


def _taken(node: exp.Expr, scope: SqlScope) -> tuple[SqlValue | None, bool]:
    """What an aggregate is taken of, and whether only different values count."""
    from sqlglot import exp

    inner = node.this
    if isinstance(inner, exp.Star) or inner is None:
        return None, False
    if isinstance(inner, exp.Distinct):
        parts = [scope.value(part) for part in inner.expressions]
        return (parts[0] if len(parts) == 1 else computed(kinds.OTHER, parts)), True
    for other in node.iter_expressions():
        if other is not inner:
            scope.value(other)
    return scope.value(inner), False


def _noted(
    node: exp.Expr,
    scope: SqlScope,
    taken: SqlValue | None,
    given: Held,
    over: tuple[SqlRelation, Things],
    *,
    distinct: bool,
    window: bool,
) -> Aggregation:
    relation, group = over
    name = type(node).__name__
    if taken is not None:
        node.meta[TAKEN] = taken.column
    function = _NAMES.get(name, "AVG" if name in ADDING else "MAX" if name in PICKING else name.upper())
    if distinct and function == "COUNT":
        function = "COUNT_DISTINCT"
    elif distinct and function in ("SUM", "AVG"):
        function += "_DISTINCT"
    if taken is not None and taken.field_of is not None and function in ("MIN", "MAX", "COUNT_DISTINCT"):
        taken.field_of[0].said.add(taken.field_of[1])
    found = Aggregation(
        function,
        place(node),
        scope.select,
        taken,
        group,
        relation.rows,
        tuple(relation.fixes),
        dict(relation.constants),
        relation.readings,
        given + scope.given,
        window,
        relation.cut,
    )
    scope.facts.aggregations.append(found)
    return found


def _result(node: exp.Expr, found: Aggregation, thing: Thing, scope: SqlScope) -> SqlValue:
    """The value of an aggregate, and what is left of its origins."""
    taken, name, row, dialect = found.value, type(node).__name__, (thing[0], ROW), scope.world.dialect
    if found.function == "COUNT" or taken is None:
        return _counted(found, row, thing, "COUNT")
    if found.function == "COUNT_DISTINCT":
        # A value that belongs to one group only is counted once in all; with a single group there is nothing to add up.
        known = closed(taken.determined_by, found.fixes)
        apart = all(is_in(key, known) for key in found.group)
        return _counted(found, row, thing, "COUNT" if apart else "COUNT_DISTINCT")
    if name in ADDING:
        return _summed(node, found, taken, thing, dialect)
    if name in PICKING:
        with scope.within_aggregate():
            return _picked(node, found, taken, thing, scope)
    column = kinds.function(name, taken.column)
    size = taken.size * (_USUAL_LIST if name == "GroupConcat" else 1)
    scope.facts.longest = max(scope.facts.longest, size)
    return SqlValue(column, thing=thing, by=frozenset({row}), aggregate="EXPRESSION", origin=taken.origin, size=size)


def _counted(found: Aggregation, row: Thing, thing: Thing, function: str) -> SqlValue:
    exact = _is_whole(found) and (found.value is None or found.value.field_of is not None)
    return SqlValue(
        kinds.INTEGER,
        thing=thing,
        by=frozenset({row}),
        terms=(Term((Leaf(row, aggregated=function),)),),
        aggregate=found.function if exact else "EXPRESSION",
        origin=found.value.origin if found.value else frozenset(),
        counted=found if found.value is None or found.value.constant else None,
    )


def _is_whole(found: Aggregation) -> bool:
    """Whether it takes in every row of its group."""
    return not found.given.filters and not found.given.fixes


def _summed(node: exp.Expr, found: Aggregation, taken: SqlValue, thing: Thing, dialect: Dialect) -> SqlValue:
    name, row = type(node).__name__, (thing[0], ROW)
    through = "SUM" if name == "Sum" else "AVG"
    terms = tuple(_through(term, row, through, found.given) for term in taken.terms)
    plain = taken.field_of is not None or (name == "Sum" and taken.aggregate == "SUM")
    exact = name in ("Sum", "Avg") and _is_whole(found) and plain and not found.function.endswith("DISTINCT")
    mean = kinds.mean(taken.column, dialect) if name == "Avg" else kinds.FLOAT
    made = kinds.summed(taken.column) if name == "Sum" else mean
    if taken.column.type is ColumnType.OTHER and dialect != "sqlite":
        made = kinds.OTHER  # the mean of spans of time is one
    return SqlValue(
        made,
        thing=thing,
        by=frozenset({row}),
        terms=terms or (Term((Leaf(row, aggregated="COUNT"),)),),
        aggregate=through if exact else "EXPRESSION",
        origin=taken.origin,
    )


def _through(term: Term, row: Thing, aggregate: str, given: Held) -> Term:
    """A term that has been through an aggregate: it belongs to the group's row now."""
    factors = tuple(replace(leaf, row=row, aggregated=aggregate, given=leaf.given + given) for leaf in term.factors)
    return replace(term, factors=factors)


def _picked(node: exp.Expr, found: Aggregation, taken: SqlValue, thing: Thing, scope: SqlScope) -> SqlValue:
    """MIN, MAX and the like: one of the values; where it is the same in the whole group, that value itself."""
    told, row = _NAMES.get(type(node).__name__) if _is_whole(found) and taken.field_of else None, (thing[0], ROW)
    if taken.thing is not None and is_in(taken.thing, found.fixed()):
        return replace(taken, aggregate=told or "EXPRESSION")
    at = scope.value(node.expression).thing if type(node).__name__ in ("ArgMax", "ArgMin") else None
    return SqlValue(
        taken.column,
        thing=thing,
        by=frozenset({row}),
        terms=tuple(_picked_term(term, found, row, at) for term in taken.terms),
        aggregate=told or "EXPRESSION",
        origin=taken.origin,
        size=taken.size,
    )


def _picked_term(term: Term, found: Aggregation, row: Thing, at: Thing | None) -> Term:
    """What was picked belongs to its group, unless other groups may have picked the same; ARG_MAX picks at one period."""
    factors = []
    for leaf in term.factors:
        known = closed({leaf.row}, found.fixes, present=leaf.row[0])
        alone = all(is_in(key, known) for key in found.group)
        over = tuple((row[0], "picked") if at is not None and one == at else one for one in leaf.over)
        factors.append(replace(leaf, row=row if alone else (row[0], "shared"), over=over, aggregated="MAX"))
    return replace(term, factors=tuple(factors))


# --- windows


def window(node: exp.Expr, scope: SqlScope) -> SqlValue:
    from sqlglot import exp

    if scope.inside or scope.clause in ("where", "on", "group", "having"):
        hint = "Window functions stand in SELECT, QUALIFY or ORDER BY; elsewhere use a subquery."
        raise SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, clip(node.sql(), 40), hint))
    inner, given = node.this, Held()
    if isinstance(inner, exp.IgnoreNulls):
        inner = inner.this
    if isinstance(inner, exp.Filter):
        scope.value(inner.expression.this)
        given, inner = held(inner.expression.this, scope), inner.this
    parts = [scope.value(part) for part in node.args.get("partition_by") or ()]
    order = node.args.get("order")
    sorted_by = [scope.value(ordered.this) for ordered in order.expressions] if order else []
    for part in (*parts, *sorted_by):
        note_sorted(part, scope)
    by = frozenset(thing for part in parts for thing in part.determined_by)
    number = next(scope.world.numbers)
    thing, row = (number, "window"), (number, ROW)
    scope.relation.fixes.append(Fixes(scope.relation.rows if order else by, row))
    if type(inner).__name__ in _RANKS:
        return _ranked(inner, scope, by, sorted_by, thing)
    if not isinstance(inner, exp.AggFunc) or type(inner).__name__ in _MOVING:
        return _moved(inner, scope, thing, row)
    taken, distinct = _taken(inner, scope)
    found = _noted(inner, scope, taken, given, (scope.relation, by), distinct=distinct, window=True)
    made = _result(inner, found, thing, scope)
    # A total beside each row is no row's own figure.
    return replace(made, thing=thing, aggregate="EXPRESSION", field_of=None, parts=())


def note_sorted(part: SqlValue, scope: SqlScope) -> None:
    """A field that is sorted, grouped or parted by."""
    for found in part.parts or (part,):
        if found.field_of is not None and found.wrapped is None:
            reading, name = found.field_of
            reading.said.add(name)
            if found.column.type is ColumnType.OTHER:
                scope.facts.incomparable.append(found.field_of)


def _ranked(inner: exp.Expr, scope: SqlScope, by: Things, sorted_by: list[SqlValue], thing: Thing) -> SqlValue:
    for child in inner.iter_expressions():
        scope.value(child)
    first: Things = NOTHING
    if type(inner).__name__ == "RowNumber":
        first = scope.relation.rows
    elif type(inner).__name__ in ("Rank", "DenseRank"):
        first = frozenset(found.thing for found in sorted_by if found.thing is not None)
    column = kinds.function(type(inner).__name__, kinds.INTEGER)
    rank = Rank(by, first) if first else None
    return SqlValue(column, thing=thing, by=frozenset({(thing[0], ROW)}), rank=rank, aggregate="EXPRESSION")


def _moved(inner: exp.Expr, scope: SqlScope, thing: Thing, row: Thing) -> SqlValue:
    """LAG, LEAD and the like: the value of another row."""
    parts = [scope.value(child) for child in inner.iter_expressions()]
    first = parts[0] if parts else SqlValue(kinds.OTHER)
    # Whatever is pinned still holds of the other row; what is only grouped by does not.
    terms = tuple(
        replace(
            term,
            factors=tuple(
                replace(leaf, row=row, key=NOTHING, over=_pinned(leaf, scope), aggregated="MAX")
                for leaf in term.factors
            ),
        )
        for term in first.terms
    )
    return SqlValue(
        first.column,
        thing=thing,
        by=frozenset({row}),
        terms=terms,
        aggregate="EXPRESSION",
        origin=first.origin,
        size=first.size,
    )


def _pinned(leaf: Leaf, scope: SqlScope) -> tuple[Thing | None, ...]:
    known = scope.relation.closed(())
    return tuple(thing if thing is not None and is_in(thing, known) else None for thing in leaf.over)
