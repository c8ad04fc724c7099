"""Conditions -> SQL. A condition is about the row at the end of its way; beyond a to-many relation a row must exist.

Conditions that stand in one AND and leave over the same to-many relation are about the same related row. `related` is always
about a row of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from veracity.query.catalog import FieldFacts
from veracity.query.compile import compared
from veracity.semantic.checking.check import is_same_row, related_entity
from veracity.semantic.checking.expressions import segment_condition
from veracity.semantic.checking.literals import DaySpan, bound, bound_day, holds_moments, moment
from veracity.semantic.checking.names import split_field
from veracity.semantic.checking.plan import days_of, with_named_period
from veracity.semantic.graph import Hop, SemanticModel, Step, Way
from veracity.semantic.query import (
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    FigureComparison,
    InSegment,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    all_of,
)
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.sql.columns import RowFigure
from veracity.semantic.sql.dialects import first_ten, period_start
from veracity.semantic.sql.figures import days_between
from veracity.semantic.sql.rows import RowSelect, Writer, both, is_missing, present_value, with_table
from veracity.sources.source import Column, ColumnType

if TYPE_CHECKING:
    from sqlglot import exp

_OPERATORS = {"in": "IN", "between": "BETWEEN", "like": "LIKE"}
_LAST_DAY = date(9999, 12, 31)
_ANY_COLUMN = Column("figure", ColumnType.OTHER)


class Queries(Protocol):
    """Queries within conditions, compiled into the same statement."""

    def rows_of(self, query: SemanticQuery) -> tuple[str, tuple[str, ...]]:
        """The keys of the rows that a query lists: a name of the WITH and its columns."""

    def one_value(self, query: SemanticQuery) -> exp.Expr:
        """The one value of a query; NULL where there is none or several."""

    def figure_of_row(self, shown: Shown, of: str, rows: RowSelect, way: Way, period: QueryPeriod | None) -> RowFigure:
        """A figure over what is related to the row at the end of a way."""

    def in_period(self, query: SemanticQuery, rows: RowSelect, place: Callable[[Way], Way]) -> list[exp.Expr]:
        """What holds of the rows of a list that lie in its period."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Where conditions stand: the entity whose row they are about, and where its ways lead in the SELECT."""

    of: str
    place: Callable[[Way], Way]
    period: QueryPeriod | None = None


class Predicates:
    """Turns conditions into SQL over the rows of a SELECT."""

    def __init__(self, writer: Writer, queries: Queries) -> None:
        self._writer, self._queries = writer, queries

    @property
    def _model(self) -> SemanticModel:
        return self._writer.model

    def told(self, condition: Condition, rows: RowSelect, seat: Seat) -> exp.Expr:
        """The condition as SQL; where it is about other rows, about rows that exist."""
        from sqlglot import exp

        match condition:
            case AllOf():
                return self._all(condition.conditions, rows, seat)
            case AnyOf():
                parts = [self.told(part, rows, seat) for part in condition.conditions]
                return exp.Paren(this=exp.or_(*parts, copy=False))
            case Negation():
                return exp.Not(this=exp.Paren(this=self.told(condition.condition, rows, seat)))
            case Comparison() | InSegment() if (root := self._break(condition, rows, seat)) is not None:
                return self._exists(root, (condition,), rows, seat)
            case Comparison():
                return self._comparison(condition, rows, seat)
            case InSegment():
                way = self._way(condition.via, seat)
                entity = self._model.segments[condition.segment][0]
                inner = segment_condition(self._model.things[entity], condition.segment)
                return exp.Paren(this=self.told(inner, rows, Seat(entity, lambda more: (*way, *more))))
            case Related():
                return self._related(condition, rows, seat)
            case FigureComparison():
                way = self._way((), seat)
                one, than = condition.show, condition.than
                figure = self._queries.figure_of_row(one, seat.of, rows, way, seat.period).value
                other = self._queries.figure_of_row(than, seat.of, rows, way, seat.period).value if than else None
                return self.figure_compared(figure, condition, other)

    def _way(self, via: tuple[str, ...], seat: Seat) -> Way:
        return seat.place(self._model.way(seat.of, via) or ())

    def ways_of(self, condition: Comparison | InSegment, of: str) -> list[Way]:
        """Where a condition looks: at its own field, and at the one that it is compared with."""
        vias = [condition.via]
        other = condition.value if isinstance(condition, Comparison) else None
        if isinstance(other, SemanticQuery) and is_same_row(other):
            vias.append(other.show[0].via)
        return [self._model.way(of, via) or () for via in vias]

    def _break(self, condition: Condition, rows: RowSelect, seat: Seat) -> Way | None:
        """Where all of a condition leaves the joined rows over one to-many relation."""
        match condition:
            case Comparison() | InSegment():
                breaks = (rows.breaks_at(seat.place(way)) for way in self.ways_of(condition, seat.of))
                return next((root for root in breaks if root is not None), None)
            case AllOf() | AnyOf():
                roots = {self._break(part, rows, seat) for part in condition.conditions}
                return roots.pop() if len(roots) == 1 else None
        return None

    def _all(self, conditions: tuple[Condition, ...], rows: RowSelect, seat: Seat) -> exp.Expr:
        apart: dict[Way, list[Condition]] = {}
        parts: list[exp.Expr] = []
        for condition in conditions:
            root = self._break(condition, rows, seat)
            if root is None:
                parts.append(self.told(condition, rows, seat))
            else:
                apart.setdefault(root, []).append(condition)
        parts += [self._exists(root, tuple(together), rows, seat) for root, together in apart.items()]
        return both(parts)

    def _exists(self, root: Way, conditions: tuple[Condition, ...], rows: RowSelect, seat: Seat) -> exp.Expr:
        inner = rows.beyond(root[:-1], root[-1:], apart=False)
        inner.where(self._all(conditions, inner, seat))
        return inner.exist()

    def beyond(self, way: Way, conditions: tuple[Condition, ...], rows: RowSelect, seat: Seat) -> exp.Expr:
        """Whether there are rows along the whole of a way that meet these conditions together."""
        root = rows.breaks_at(way)
        assert root is not None
        inner = rows.beyond(root[:-1], root[-1:], apart=False)
        inner.pin(way)
        inner.where(self._all(conditions, inner, seat))
        return inner.exist()

    # --- related rows

    def _related(self, condition: Related, rows: RowSelect, seat: Seat) -> exp.Expr:
        query, start = condition.related, self._way((), seat)
        steps = self._model.way(seat.of, condition.via) or ()
        if condition.count is not None:
            return self._count(condition, rows, start, steps)
        if not steps:
            return self._among_itself(query, start, rows)
        inner = rows.beyond(start, steps, apart=True)
        inner.where(self._among(query, inner, lambda more: more))
        return inner.exist()

    def _among_itself(self, query: SemanticQuery, start: Way, rows: RowSelect) -> exp.Expr:
        """Whether the row itself is there and among those of a query."""
        entity = related_entity(query)
        itself = self._itself(entity, start, rows)
        key = self._model.things[entity].key if start else ()
        present = [present_value(rows.column(start, field)) for field in key]
        return both([*present, self._among(query, rows, lambda more: (*itself, *more))])

    def _itself(self, entity: str, way: Way, rows: RowSelect) -> Way:
        """The same row, looked up once more where other rows stand beyond it that the conditions are not about."""
        key = self._model.things[entity].key
        if not rows.multiplied or not key:
            return way
        hop = Hop(entity, tuple((field, field) for field in key))
        return (*way, Step("", entity, entity, to_one=True, hops=(hop,)))

    def _among(self, query: SemanticQuery, rows: RowSelect, place: Callable[[Way], Way]) -> exp.Expr:
        """Whether a row is among those of a query."""
        from sqlglot import exp

        entity = related_entity(query)
        if query.by or query.limit is not None:
            name, columns = self._queries.rows_of(query)
            self._writer.rely_on(self._model.things[entity], self._model.things[entity].key)
            key = [rows.column(place(()), field) for field in self._model.things[entity].key]
            told = key[0] if len(key) == 1 else exp.Tuple(expressions=key)
            listed = exp.select(*(exp.column(one, quoted=True) for one in columns)).from_(with_table(name))
            # The group without a row is no row; among others it would make every "not among" unknown.
            listed = listed.where(both([present_value(exp.column(one, quoted=True)) for one in columns]), copy=False)
            present = [present_value(one) for one in key]
            return exp.Paren(this=both([*present, exp.In(this=told, query=exp.Subquery(this=listed))]))
        seat = Seat(entity, place, query.period)
        where = with_named_period(query.where, query.period, self._model)
        conditions = [self.told(where, rows, seat)] if where is not None else []
        return exp.Paren(this=both([*conditions, *self._queries.in_period(query, rows, place)]))

    def _count(self, condition: Related, rows: RowSelect, start: Way, steps: Way) -> exp.Expr:
        from sqlglot import exp

        assert condition.count
        if not steps:
            told = self._among_itself(condition.related, start, rows)
            number: exp.Expr = exp.Case(
                ifs=[exp.If(this=told, true=exp.Literal.number(1))], default=exp.Literal.number(0)
            )
        else:
            number = self._number(condition, rows, start, steps)
        value = exp.Literal.number(condition.count.value)
        return compared(number, _ANY_COLUMN, condition.count.op, [value], self._writer.dialect)

    def _number(self, condition: Related, rows: RowSelect, start: Way, steps: Way) -> exp.Expr:
        """How many related rows of a query a row has, looked up in a count by what links them."""
        from sqlglot import exp

        inner = rows.beyond(start, steps, apart=True)
        inner.where(self._among(condition.related, inner, lambda more: more))
        found = [exp.alias_(own.copy(), f"l{n}", quoted=True) for n, own in enumerate(inner.links)]
        number = exp.alias_(exp.Count(this=exp.Star()), "n", quoted=True)
        if len(steps) == len(steps[0].hops) == 1:
            counts = inner.select([*found, number]).group_by(*(own.copy() for own in inner.links), copy=False)
        else:
            # Over several relations a row may be reached several times, and counts once.
            end = self._model.things[steps[-1].end]
            self._writer.rely_on(end, end.key)
            key = [inner.column((), field) for field in end.key]
            found += [exp.alias_(field, f"k{n}", quoted=True) for n, field in enumerate(key)]
            pairs = self._writer.cte(inner.select(found).distinct(copy=False), "p")
            links = [exp.column(f"l{n}", quoted=True) for n in range(len(inner.links))]
            counts = exp.select(*links, number).from_(with_table(pairs)).group_by(*(link.copy() for link in links))
        name = self._writer.cte(counts, "n")
        first = steps[0].hops[0].keys
        alias = rows.attach(name, start, [(own, f"l{n}") for n, (own, _) in enumerate(first)])
        return exp.Coalesce(this=exp.column("n", table=alias, quoted=True), expressions=[exp.Literal.number(0)])

    # --- comparisons

    def figure_compared(self, figure: exp.Expr, condition: FigureComparison, other: exp.Expr | None = None) -> exp.Expr:
        """A figure compared with a number, with the figure of another query, or with another one beside it."""
        from sqlglot import exp

        value = condition.value
        if other is None:
            other = self._queries.one_value(value) if isinstance(value, SemanticQuery) else self._writer.bind(value)
        if condition.times != 1:
            other = exp.Paren(this=exp.Mul(this=self._writer.bind(condition.times), expression=other))
        return compared(figure, _ANY_COLUMN, condition.op, [other], self._writer.dialect)

    def _comparison(self, condition: Comparison, rows: RowSelect, seat: Seat) -> exp.Expr:
        from sqlglot import exp

        thing, field = split_field(self._model, condition.field)
        facts = thing.fields[field]
        value = rows.column(self._way(condition.via, seat), field)
        if condition.op in ("missing", "notMissing"):
            missing = is_missing(value)
            if facts.column.type is ColumnType.TEXT:  # a text of blanks says nothing
                blank = exp.EQ(this=exp.Trim(this=value), expression=exp.Literal.string(""))
                missing = exp.Paren(this=exp.or_(missing, blank, copy=False))
            return missing if condition.op == "missing" else exp.Not(this=missing)
        if (counted := days_of(condition, self._model)) is not None:
            value = days_between(counted, thing, rows, self._way(condition.via, seat), self._writer.dialect)
            return self._days(condition, value)
        if condition.grain is not None:
            value = period_start(value, facts, condition.grain, self._writer.dialect)
        if isinstance(condition.value, SemanticQuery):
            other = self._operand(condition.value, rows, seat)
            return compared(value, facts.column, condition.op, [other], self._writer.dialect)
        values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        if condition.grain is not None:
            if condition.grain.repeats:
                return self._days(condition, value)
            days = [self._writer.bind(bound_day(condition.field, one)) for one in values]
            plain = Column(field, ColumnType.DATE)
            return compared(value, plain, _OPERATORS.get(condition.op, condition.op), days, self._writer.dialect)
        return self._literal(condition.op, value, facts, values)

    def _days(self, condition: Comparison, days: exp.Expr) -> exp.Expr:
        """A number of days, or a day of the week, compared with numbers."""
        values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        marks = [self._writer.bind(one) for one in values]
        return compared(days, _ANY_COLUMN, _OPERATORS.get(condition.op, condition.op), marks, self._writer.dialect)

    def _operand(self, query: SemanticQuery, rows: RowSelect, seat: Seat) -> exp.Expr:
        """Another field of the same row, or the one value of a query."""
        if not is_same_row(query):
            return self._queries.one_value(query)
        other = query.show[0]
        return rows.column(self._way(other.via, seat), split_field(self._model, other.field or "")[1])

    def _literal(self, op: str, value: exp.Expr, facts: FieldFacts, values: tuple[Any, ...]) -> exp.Expr:
        from sqlglot import exp

        ops = (">=", "<=") if op == "between" else (op,) * len(values)
        bounds = [bound(facts, one, literal) for one, literal in zip(ops, values, strict=True)]
        if any(isinstance(one, DaySpan) for one in bounds):
            if op == "between":
                return both([self._span(one, value.copy(), facts, b) for one, b in zip(ops, bounds, strict=True)])
            parts = [self._span("=" if op == "in" else op, value.copy(), facts, one) for one in bounds]
            return parts[0] if len(parts) == 1 else exp.Paren(this=exp.or_(*parts, copy=False))
        if op == "like":  # the same on every engine: capitals do not count
            return compared(
                exp.Lower(this=value),
                facts.column,
                _OPERATORS[op],
                [self._writer.bind(str(one).lower()) for one in bounds],
                self._writer.dialect,
            )
        marks = [self._writer.bind(one) for one in bounds]
        return compared(value, facts.column, _OPERATORS.get(op, op), marks, self._writer.dialect)

    def _span(self, op: str, value: exp.Expr, facts: FieldFacts, day: Any) -> exp.Expr:
        """A moment compared with a whole day."""
        from sqlglot import exp

        def against(sign: str, bound_to: Any) -> exp.Expr:
            return compared(value.copy(), facts.column, sign, [self._writer.bind(bound_to)], self._writer.dialect)

        if not isinstance(day, DaySpan):
            return against(op, day)
        match op:
            case "=":
                return both([against(">=", day.start), against("<", day.after)])
            case "!=":
                return exp.Paren(this=exp.or_(against("<", day.start), against(">=", day.after), copy=False))
            case "<" | ">=":
                return against(op, day.start)
            case "<=":
                return against("<", day.after)
        return against(">=", day.after)

    def in_days(self, value: exp.Expr, facts: FieldFacts, first: date | None, last: date | None) -> exp.Expr:
        """Whether a date lies between two days, both included."""
        text = facts.column.type is ColumnType.TEXT
        value = first_ten(value) if text else value
        parts = []

        def against(sign: str, day: date, *, start: bool) -> exp.Expr:
            stored: Any = day.isoformat() if text else moment(facts, day) if holds_moments(facts) and start else day
            return compared(value.copy(), facts.column, sign, [self._writer.bind(stored)], self._writer.dialect)

        if first is not None:
            parts.append(against(">=", first, start=True))
        if last is not None and holds_moments(facts):
            if last < _LAST_DAY:
                parts.append(against("<", last + timedelta(days=1), start=True))
        elif last is not None:
            parts.append(against("<=", last, start=False))
        return both(parts)


def joined(conditions: tuple[Condition | None, ...]) -> tuple[Condition, ...]:
    """Conditions that must all hold, one by one."""
    together = all_of(conditions)
    return together.conditions if isinstance(together, AllOf) else (together,) if together else ()
