"""Semantic queries answered by nested loops over lists of dicts: slow, plain, and without any SQL.

The compiler is held against this. It shares the query, the model and the parsed measures with it, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cmp_to_key
from typing import Any

from veracity.semantic.checking.check import is_same_row, related_entity
from veracity.semantic.checking.expressions import (
    Calculation,
    DaysValue,
    FieldValue,
    NumberValue,
    RowValue,
    segment_condition,
)
from veracity.semantic.checking.plan import (
    Figure,
    PlainFigure,
    RatioFigure,
    RowsFigure,
    adds_up,
    date_of,
    days_of,
    figure_of,
    on_field,
    with_named_period,
)
from veracity.semantic.graph import SemanticModel, Step, Thing, Way
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    FigureComparison,
    InSegment,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
    conditions_in,
    parts_of,
)
from veracity.semantic.query_values import Grain, QueryPeriod
from veracity.sources.source import ColumnType

Record = Mapping[str, Any]
Data = Mapping[str, Sequence[Record]]
Truth = bool | None


def answer(query: SemanticQuery, model: SemanticModel, data: Data) -> list[tuple[Any, ...]]:
    """The rows of a checked query: keys and shown values, or dimensions and figures."""
    return [row for row, _ in Naive(model, data).rows(query)]


@dataclass(frozen=True)
class Env:
    """A row, and the rows that were picked beyond it, by the way to them."""

    picked: Mapping[Way, Record | None]

    def with_row(self, way: Way, row: Record | None) -> Env:
        return Env({**self.picked, way: row})


@dataclass(frozen=True)
class Where:
    """The entity that conditions are about, and where its ways lead from the row at the root."""

    of: str
    place: Callable[[Way], Way]
    period: QueryPeriod | None = None


def conjunction(truths: Sequence[Truth]) -> Truth:
    if any(one is False for one in truths):
        return False
    return None if any(one is None for one in truths) else True


class Naive:
    def __init__(self, model: SemanticModel, data: Data) -> None:
        self.model, self.data = model, data
        self._memo: dict[Any, Any] = {}

    # --- ways

    def follow(self, row: Record | None, steps: Sequence[Step]) -> list[Record]:
        """The rows at the end of relations, each once."""
        rows = [] if row is None else [row]
        for step in steps:
            for hop in step.hops:
                found: dict[int, Record] = {}
                for one in rows:
                    for other in self.data[hop.entity]:
                        if all(one[a] is not None and one[a] == other[b] for a, b in hop.keys):
                            found[id(other)] = other
                rows = list(found.values())
        return rows

    def known(self, env: Env, way: Way) -> int:
        return max(len(prefix) for prefix in env.picked if way[: len(prefix)] == prefix)

    def leaves_at(self, env: Env, way: Way) -> Way | None:
        for length in range(self.known(env, way), len(way)):
            if not way[length].to_one:
                return way[: length + 1]
        return None

    def row_at(self, env: Env, way: Way) -> Record | None:
        start = self.known(env, way)
        rows = self.follow(env.picked[way[:start]], way[start:])
        assert len(rows) <= 1, "a to-one way with several rows"
        return rows[0] if rows else None

    def way(self, where: Where, via: tuple[str, ...]) -> Way:
        found = self.model.way(where.of, via)
        assert found is not None
        return where.place(found)

    # --- conditions

    def holds(self, condition: Condition, env: Env, where: Where) -> Truth:
        match condition:
            case AllOf():
                return self.all_hold(condition.conditions, env, where)
            case AnyOf():
                truths = [self.holds(part, env, where) for part in condition.conditions]
                if any(one is True for one in truths):
                    return True
                return None if any(one is None for one in truths) else False
            case Negation():
                truth = self.holds(condition.condition, env, where)
                return None if truth is None else not truth
            case Comparison() | InSegment():
                return self.all_hold((condition,), env, where)
            case Related():
                return self.related(condition, env, where)
            case FigureComparison():
                row = self.row_at(env, where.place(()))
                shown = [one for one in (condition.show, condition.than) if one is not None]
                values = [self.figure_of_row(one, where.of, row, where.period) for one in shown]
                return self.figure_holds(values, condition)
        raise AssertionError(condition)

    def leaf(self, condition: Condition, env: Env, where: Where) -> Truth:
        if isinstance(condition, Comparison):
            return self.compared(condition, env, where)
        assert isinstance(condition, InSegment)
        way = self.way(where, condition.via)
        entity = self.model.segments[condition.segment][0]
        inner = segment_condition(self.model.things[entity], condition.segment)
        return self.holds(inner, env, Where(entity, lambda more: (*way, *more)))

    def looks_at(self, condition: Comparison | InSegment, where: Where) -> list[Way]:
        ways = [self.way(where, condition.via)]
        other = condition.value if isinstance(condition, Comparison) else None
        if isinstance(other, SemanticQuery) and is_same_row(other):
            ways.append(self.way(where, other.show[0].via))
        return ways

    def departure(self, condition: Condition, env: Env, where: Where) -> Way | None:
        match condition:
            case Comparison() | InSegment():
                departures = [self.leaves_at(env, way) for way in self.looks_at(condition, where)]
                return next((way for way in departures if way is not None), None)
            case AllOf() | AnyOf():
                ways = {self.departure(part, env, where) for part in condition.conditions}
                return ways.pop() if len(ways) == 1 else None
        return None

    def all_hold(self, conditions: Sequence[Condition], env: Env, where: Where) -> Truth:
        here: list[Truth] = []
        there: dict[Way, list[Condition]] = {}
        for condition in conditions:
            way = self.departure(condition, env, where)
            if way is not None:
                there.setdefault(way, []).append(condition)
            elif isinstance(condition, Comparison | InSegment):
                here.append(self.leaf(condition, env, where))
            else:
                here.append(self.holds(condition, env, where))
        for way, together in there.items():
            rows = self.follow(self.row_at(env, way[:-1]), way[-1:])
            here.append(any(self.all_hold(together, env.with_row(way, row), where) is True for row in rows))
        return conjunction(here)

    def related(self, condition: Related, env: Env, where: Where) -> Truth:
        start = self.row_at(env, where.place(()))
        steps = self.model.way(where.of, condition.via) or ()
        rows = self.follow(start, steps) if steps else ([start] if start is not None else [])
        number = sum(self.among(condition.related, row) for row in rows)
        if condition.count is None:
            if not steps and start is not None and not (condition.related.by or condition.related.limit):
                return self.meets(condition.related, start)
            return number > 0
        return OPERATORS[condition.count.op](number, condition.count.value)

    def among(self, query: SemanticQuery, row: Record) -> bool:
        if query.by or query.limit is not None:
            key = tuple(row[name] for name in self.model.things[related_entity(query)].key)
            return key in self.keys_of(query)
        return self.meets(query, row) is True

    def meets(self, query: SemanticQuery, row: Record) -> Truth:
        """Whether a row meets the conditions of a list."""
        env = Env({(): row})
        where = Where(query.of or "", lambda way: way, query.period)
        said = with_named_period(query.where, query.period, self.model)
        truths: list[Truth] = [self.holds(said, env, where)] if said else []
        if query.period is not None and not self.has_figures(query):
            truths.append(self.in_list_period(query, env))
        return conjunction(truths)

    def has_figures(self, query: SemanticQuery) -> bool:
        inside = any(isinstance(one, FigureComparison) for one in conditions_in(query.where))
        return inside or any(not one.by.is_field for one in query.order)

    def keys_of(self, query: SemanticQuery) -> set[tuple[Any, ...]]:
        return {key for _, key in self.rows(query)}

    def compared(self, condition: Comparison, env: Env, where: Where) -> Truth:
        name = condition.field.rpartition(".")[2]
        row = self.row_at(env, self.way(where, condition.via))
        value = None if row is None else row[name]
        if condition.op in ("missing", "notMissing"):
            blank = value is None or (isinstance(value, str) and not value.strip(" "))
            return blank == (condition.op == "missing")
        if condition.since is not None:
            days = days_of(condition, self.model)
            return compare(condition.op, self.days(days, row) if days and row else None, condition.value)
        if condition.grain is not None:
            value = start_of(value, condition.grain)
        other: Any = condition.value
        if isinstance(other, SemanticQuery) and is_same_row(other):
            beside = self.row_at(env, self.way(where, other.show[0].via))
            other = None if beside is None else beside[(other.show[0].field or "").rpartition(".")[2]]
        elif isinstance(other, SemanticQuery):
            other = self.one_value(other)
        return compare(condition.op, value, other)

    def figure_holds(self, values: Sequence[Any], condition: FigureComparison) -> Truth:
        other: Any = condition.value if condition.than is None else values[1]
        other = self.one_value(other) if isinstance(other, SemanticQuery) else other
        if condition.times != 1 and other is not None:
            other = int(condition.times) * other
        return compare(condition.op, values[0], other)

    def one_value(self, query: SemanticQuery) -> Any:
        if ("one", query) not in self._memo:
            values = {row[-1] for row, _ in self.rows(query)} - {None}
            self._memo["one", query] = values.pop() if len(values) == 1 else None
        return self._memo["one", query]

    # --- periods

    def in_list_period(self, query: SemanticQuery, env: Env) -> Truth:
        assert query.period
        thing = self.model.things[query.of or ""]
        if query.period.field is not None:
            return True
        place = date_of(thing, None, self.model)
        if place is None and thing.date_parts is not None:
            told = [query.where, *(Comparison(field=f, via=v, op="missing") for f, v in shown_fields(query))]
            return self.in_parts(thing, env.picked[()], query.period, by_month=says_month(thing, (), told))
        return True if place is None else self.dated(env, place.way, place.field, query.period)

    def in_parts(self, thing: Thing, row: Record | None, period: QueryPeriod, *, by_month: bool) -> Truth:
        """Whether a row whose year and month stand in columns of their own lies in a period."""
        parts = thing.date_parts
        assert parts is not None
        assert row is not None
        first = (period.first.year, period.first.month) if period.first else (0, 1)
        last = (period.last.year, period.last.month) if period.last else (9999, 12)
        year = None if row[parts.year] is None else int(row[parts.year])
        in_years = compare("between", year, (first[0], last[0]))
        if parts.month is None:
            return in_years
        month = month_of(row[parts.month])
        if (first[1], last[1]) == (1, 12) and parts.whole is not None and not by_month:
            return conjunction([in_years, compare("=", month, parts.whole)])
        place = None if year is None or month is None else (year, month)
        return conjunction([compare("between", place, (first, last)), compare("between", month, (1, 12))])

    def dated(self, env: Env, way: Way, name: str, period: QueryPeriod) -> Truth:
        row = self.row_at(env, way)
        value = None if row is None else row[name]
        if value is None:
            return None
        day = as_day(value)
        return (period.first is None or day >= period.first) and (period.last is None or day <= period.last)

    # --- whole queries: rows with their keys

    def rows(self, query: SemanticQuery) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        if ("rows", query) not in self._memo:
            self._memo["rows", query] = self.listed(query) if query.lists else self.grouped(query)
        found: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = self._memo["rows", query]
        return found

    def listed(self, query: SemanticQuery) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        thing = self.model.things[query.of or ""]
        found = []
        for row in self.data[thing.name]:
            if self.meets(query, row) is not True:
                continue
            env = Env({(): row})
            key = tuple(row[name] for name in thing.key)
            shown = tuple(self.field_of(one, thing, env) for one in query.show)
            order = [
                self.field_of(one.by, thing, env)
                if one.by.is_field
                else self.figure_of_row(one.by, thing.name, row, query.period)
                for one in query.order
            ]
            per = tuple(value for one in query.per for value in self.division(one, thing.name, env, lambda way: way))
            found.append(((*key, *shown), key, order, per))
        return arranged(query, found)

    def days(self, days: DaysValue, row: Record) -> int | None:
        """The days of the calendar from one date to another."""
        other = self.row_at(Env({(): row}), days.way)
        ends = (row[days.name], None if other is None else other[days.since])
        return None if None in ends else (as_day(ends[0]) - as_day(ends[1])).days

    def field_of(self, shown: Shown, thing: Thing, env: Env) -> Any:
        row = self.row_at(env, self.model.way(thing.name, shown.via) or ())
        if shown.since is not None:
            days = days_of(shown, self.model)
            return self.days(days, row) if days and row else None
        value = None if row is None else row[(shown.field or "").rpartition(".")[2]]
        return value if shown.grain is None else start_of(value, shown.grain)

    def division(self, one: Dimension, of: str, env: Env, place: Callable[[Way], Way]) -> tuple[Any, ...]:
        row = self.row_at(env, place(self.model.way(of, one.via) or ()))
        if one.entity is not None:
            return tuple(None if row is None else row[name] for name in self.model.things[one.entity].key)
        value = None if row is None else row[(one.field or "").rpartition(".")[2]]
        return (value if one.grain is None else start_of(value, one.grain),)

    def grouped(self, query: SemanticQuery) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
        of = query.of or ""
        figures = [figure_of(one, of, self.model) for one in query.show]
        own, other = self.variants(query)
        tables = [self.by_group(figure, own) for figure in figures]
        compared = [self.by_group(figure, other) for figure in figures] if query.compare else []
        groups: dict[tuple[Any, ...], None] = {}
        for table in (*tables, *compared):
            groups.update(dict.fromkeys(table))
        if not query.by:
            groups = {(): None}
        elif not query.show:
            groups.update(dict.fromkeys(self.values(query)))
        if any(one.complete for one in query.by):
            groups.update(dict.fromkeys(self.all_rows(query)))
        found = []
        kept = [g for g in groups if query.having is None or self.having(query.having, query, g) is True]
        if query.limit is not None or query.having is not None:
            kept = [group for group in kept if all(group[place] is not None for place in self.firsts(query))]
        for group in kept:
            cells = [self.cell(figure, table, group) for figure, table in zip(figures, tables, strict=True)]
            if query.compare:
                cells = self.beside(figures, cells, compared, group)
            else:
                cells = [
                    self.transformed(one, query, figure, kept, group)
                    for one, figure in zip(query.show, figures, strict=True)
                ]
            order = [self.group_value(one.by, query, group) for one in query.order]
            per = self.group_per(query, group)
            found.append(((*group, *cells), group, order, per))
        return arranged(query, found)

    def firsts(self, query: SemanticQuery) -> Iterator[int]:
        """Where in a group the value of each dimension begins that somebody asked for."""
        place = 0
        for one in query.by:
            if not one.apart:
                yield place
            place += len(self.model.things[one.entity].key) if one.entity is not None else 1

    def variants(self, query: SemanticQuery) -> tuple[SemanticQuery, SemanticQuery]:
        compare = query.compare
        if compare is None:
            return query, query
        if compare.period is not None:
            return query, query.model_copy(update={"period": compare.period})
        entity = (compare.field or "").rpartition(".")[0]
        via = tuple(step.name for step in self.model.ways(query.of or "", entity)[0])
        made = [
            query.model_copy(
                update={"where": all_of((query.where, Comparison(field=compare.field or "", value=one, via=via)))}
            )
            for one in compare.members
        ]
        return made[1], made[0]

    def beside(self, figures: list[Figure], cells: list[Any], compared: list[Any], group: Any) -> list[Any]:
        found: list[Any] = []
        for figure, cell, table in zip(figures, cells, compared, strict=True):
            other = self.cell(figure, table, group)
            gap = None if cell is None or other is None else cell - other
            change = None if gap is None or not other else percent(gap, abs(other))
            found += [cell, other, gap, change]
        return found

    def transformed(
        self, one: Shown, query: SemanticQuery, figure: Figure, kept: list[Any], group: tuple[Any, ...]
    ) -> Any:
        cell = self.cell(figure, self.by_group(figure, query), group)
        if one.transform is None:
            return in_unit(one, figure, cell)
        table = self.by_group(figure, query)
        if one.transform is Transform.SHARE:
            return self.share(one, query, cell)
        values = {key: self.cell(figure, table, key) for key in kept}
        if one.transform is not Transform.RANK:
            values = self.beside_group(query, values, group)
        if len({self.unit_in(figure, query, key) for key in values}) > 1:
            raise Mixed(f"{one.transform} of {figure} over several units")
        if one.transform is not Transform.RANK:
            return self.against_before(one.transform, query, values, group)
        if cell is None:
            return 1 + sum(value is not None for value in values.values())
        return 1 + sum(value is not None and value > cell for value in values.values())

    def against_before(
        self, transform: Transform, query: SemanticQuery, values: Mapping[Any, Any], group: tuple[Any, ...]
    ) -> Any:
        """Along the dates of the groups, or along all that they are divided by; apart for each of the rest."""
        along = self.along_dates(query)
        down = [False] * len(along)
        earlier = [one for one in values if by_keys([one[p] for p in along], [group[p] for p in along], down) < 0]
        if transform is Transform.RUNNING_TOTAL:
            present = [values[one] for one in (*earlier, group) if values[one] is not None]
            return sum(present) if present else None
        if not earlier:
            return None
        latest = sorted(earlier, key=cmp_to_key(lambda a, b: by_keys(places(a, along), places(b, along), down)))
        last = latest[-1]
        if not self.follows(query, last, group):
            return None
        now, before = values[group], values[last]
        if now is None or before is None:
            return None
        if transform is Transform.CHANGE:
            return now - before
        return percent(now - before, abs(before)) if before else None

    def follows(self, query: SemanticQuery, before: tuple[Any, ...], group: tuple[Any, ...]) -> bool:
        """Whether a period comes right after another; where several dates or none divide the groups, any is the next."""
        dated = [(place, grain) for place, grain in self.cells_of(query) if grain is not None and not grain.repeats]
        if len(dated) != 1:
            return True
        (place, grain), days = dated[0], {"day": 1, "week": 7}
        if before[place] is None or group[place] is None:
            return False
        one, other = date.fromisoformat(str(before[place])[:10]), date.fromisoformat(str(group[place])[:10])
        if grain.value in days:
            return (other - one).days == days[grain.value]
        months = {"month": 1, "quarter": 3, "year": 12}[grain.value]
        return (other.year - one.year) * 12 + other.month - one.month == months

    def beside_group(self, query: SemanticQuery, values: Mapping[Any, Any], group: tuple[Any, ...]) -> dict[Any, Any]:
        """The groups that a group stands in one line with."""
        along = self.along_dates(query)
        apart = [place for place, _ in self.cells_of(query) if place not in along]
        return {one: value for one, value in values.items() if all(one[place] == group[place] for place in apart)}

    def along_dates(self, query: SemanticQuery) -> list[int]:
        """The places of a group's cells along which groups follow each other: the dates, else all."""
        dated = [place for place, grain in self.cells_of(query) if grain is not None and not grain.repeats]
        return dated or [place for place, _ in self.cells_of(query)]

    def unit_in(self, figure: Figure, query: SemanticQuery, group: tuple[Any, ...]) -> Any:
        """The unit of a group's figure, where the groups tell it."""
        if not isinstance(figure, PlainFigure) or figure.is_count:
            return None
        units = {f"{figure.thing.name}.{f.declared.unit_field}" for f in figure.fields if f.declared}
        via = tuple(step.name for step in figure.way)
        place = 0
        for one in query.by:
            if one.field in units and one.via == via:
                return group[place]
            place += len(self.model.things[one.entity].key) if one.entity else 1
        return None

    def cells_of(self, query: SemanticQuery) -> list[tuple[int, Grain | None]]:
        """The places of a group's cells, and the grain of each."""
        grains: list[Grain | None] = []
        for one in query.by:
            grains += [one.grain] * (len(self.model.things[one.entity].key) if one.entity else 1)
        return list(enumerate(grains))

    def share(self, one: Shown, query: SemanticQuery, cell: Any) -> Any:
        whole = one if query.by else one.model_copy(update={"where": None})
        figure = figure_of(whole, query.of or "", self.model)
        total = self.cell(figure, self.by_group(figure, query, overall=True), ())
        return None if cell is None or not total else percent(cell, total)

    def group_per(self, query: SemanticQuery, group: tuple[Any, ...]) -> tuple[Any, ...]:
        found: list[Any] = []
        place = 0
        for one in query.by:
            size = len(self.model.things[one.entity].key) if one.entity else 1
            if one in query.per:
                found += group[place : place + size]
            place += size
        return tuple(found)

    def group_value(self, shown: Shown, query: SemanticQuery, group: tuple[Any, ...]) -> Any:
        if shown.is_field:
            place = 0
            for one in query.by:
                if (one.field, one.via, one.grain) == (shown.field, shown.via, shown.grain):
                    return group[place]
                place += len(self.model.things[one.entity].key) if one.entity else 1
        figure = figure_of(shown, query.of or "", self.model)
        own, other = self.variants(query)
        cell = self.cell(figure, self.by_group(figure, own), group)
        if query.compare is not None and shown.transform in (Transform.CHANGE, Transform.CHANGE_PERCENT):
            before = self.cell(figure, self.by_group(figure, other), group)
            return change_from(before, cell, shown.transform, zero=adds_up(figure))
        return self.share(shown, own, cell) if shown.transform is Transform.SHARE else cell

    def having(self, condition: Condition, query: SemanticQuery, group: tuple[Any, ...]) -> Truth:
        match condition:
            case AllOf():
                return conjunction([self.having(part, query, group) for part in condition.conditions])
            case AnyOf():
                truths = [self.having(part, query, group) for part in condition.conditions]
                if any(one is True for one in truths):
                    return True
                return None if any(one is None for one in truths) else False
            case Negation():
                truth = self.having(condition.condition, query, group)
                return None if truth is None else not truth
        assert isinstance(condition, FigureComparison)
        shown = [one for one in (condition.show, condition.than) if one is not None]
        return self.figure_holds([self.group_value(one, query, group) for one in shown], condition)

    def values(self, query: SemanticQuery) -> Iterator[tuple[Any, ...]]:
        of = query.of or ""
        for row in self.data[of]:
            for env in self.assignments(query, row, ()):
                where = Where(of, lambda way: way, query.period)
                said = with_named_period(query.where, query.period, self.model)
                truths: list[Truth] = [self.holds(said, env, where)] if said else []
                if query.period is not None:
                    truths.append(self.in_list_period(query, env))
                if conjunction(truths) is True:
                    yield tuple(v for one in query.by for v in self.division(one, of, env, lambda way: way))

    def all_rows(self, query: SemanticQuery) -> Iterator[tuple[Any, ...]]:
        one = query.by[0]
        thing = self.model.things[one.entity or ""]
        way = self.model.way(query.of or "", one.via) or ()
        for row in self.data[thing.name]:
            env = Env({(): row})
            where = Where(query.of or "", lambda more: more[len(way) :], query.period)
            on_way = [c for c in parts_of(query.where) if self.lies_on(c, query.of or "", way)]
            if all(self.holds(condition, env, where) is True for condition in on_way):
                beside = (row[(other.field or "").rpartition(".")[2]] for other in query.by[1:])
                yield (*(row[name] for name in thing.key), *beside)

    def lies_on(self, condition: Condition, of: str, way: Way) -> bool:
        for part in conditions_in(condition):
            if isinstance(part, Comparison | InSegment):
                looked = self.looks_at(part, Where(of, lambda more: more))
                if any(one[: len(way)] != way for one in looked):
                    return False
            elif not isinstance(part, AllOf | AnyOf | Negation) and way:
                return False
        return True

    # --- figures

    def figure_of_row(self, shown: Shown, of: str, row: Record | None, period: QueryPeriod | None) -> Any:
        figure = figure_of(shown, of, self.model)
        query = SemanticQuery(show=(shown,), of=of, by=(Dimension(entity=of),), period=period)
        key = tuple(None if row is None else row[name] for name in self.model.things[of].key)
        if any(one is None for one in key):
            return self.cell(figure, {}, key)
        return self.cell(figure, self.by_group(figure, query), key)

    def cell(self, figure: Figure, table: Mapping[Any, Any], group: Any) -> Any:
        """The figure of a group."""
        if isinstance(figure, RatioFigure):
            one, other = table.get(group, (None, None))
            one = 0 if one is None and counts(figure.first) else one
            other = 0 if other is None and counts(figure.second) else other
            if one is None or not other:
                return None
            return rounded(
                Decimal(str(one)) / Decimal(str(other)), max(self.scale(figure.first), self.scale(figure.second)) + 6
            )
        value = table.get(group)
        return 0 if value is None and counts(figure) else value

    def scale(self, figure: Figure) -> int:
        match figure:
            case RatioFigure():
                return max(self.scale(figure.first), self.scale(figure.second)) + 6
            case RowsFigure():
                return 6
        assert isinstance(figure, PlainFigure)
        if figure.is_count or figure.value is None:
            return 0
        scale = value_scale(figure.value, figure.thing)
        return scale + 6 if figure.divides else scale

    def by_group(self, figure: Figure, query: SemanticQuery, *, overall: bool = False) -> dict[tuple[Any, ...], Any]:
        """The figure of each group; `overall`: of all the rows together."""
        memo = ("groups", figure, query.of, query.where, query.period, query.by, overall)
        if memo not in self._memo:
            self._memo[memo] = self._by_group(figure, query, overall=overall)
        found: dict[tuple[Any, ...], Any] = self._memo[memo]
        return found

    def _by_group(self, figure: Figure, query: SemanticQuery, *, overall: bool) -> dict[tuple[Any, ...], Any]:
        if isinstance(figure, RatioFigure):
            first = self.by_group(figure.first, query, overall=overall)
            second = self.by_group(figure.second, query, overall=overall)
            return {
                group: (self.cell(figure.first, first, group), self.cell(figure.second, second, group))
                for group in {**first, **second}
            }
        if isinstance(figure, RowsFigure):
            return self.over_rows(figure, query.model_copy(update={"by": ()}) if overall else query)
        by = () if overall else query.by
        taken: dict[tuple[Any, ...], dict[int, Record]] = {} if by else {(): {}}
        of = query.of or ""
        place = lambda way: self.model.place(figure.way, way)  # noqa: E731
        for row in self.data[figure.thing.name]:
            for env in self.assignments(query.model_copy(update={"by": by}), row, figure.way):
                if self.counts_in(figure, query, env):
                    group = tuple(v for one in by for v in self.division(one, of, env, place))
                    taken.setdefault(group, {})[id(row)] = row
        return {group: self.aggregate(figure, list(rows.values())) for group, rows in taken.items()}

    def over_rows(self, figure: RowsFigure, query: SemanticQuery) -> dict[tuple[Any, ...], Any]:
        inner = figure.rows
        taken: dict[tuple[Any, ...], list[Any]] = {} if query.by else {(): []}
        width = sum(len(self.model.things[one.entity].key) if one.entity else 1 for one in query.by)
        outer = (one.model_copy(update={"complete": False}) for one in query.by)
        if not inner.lists:
            inner = inner.model_copy(update={"by": tuple(dict.fromkeys((*outer, *inner.by)))})
            for row, _ in self.rows(inner):
                taken.setdefault(row[:width], []).append(row[-1] if inner.show else 1)
        else:
            assert not query.by
            for row, _ in self.rows(inner):
                taken[()].append(row[-1] if inner.show else 1)
        scale = 6
        return {
            group: fold(figure.aggregate, values, scale + 6) if figure.aggregate is not Aggregate.COUNT else len(values)
            for group, values in taken.items()
        }

    def assignments(self, query: SemanticQuery, row: Record, home: Way) -> Iterator[Env]:
        """Every way to pick one row of each dimension beyond a row."""
        ways = [self.model.place(home, self.model.way(query.of or "", one.via) or ()) for one in query.by]
        nodes = sorted({way[:length] for way in ways for length in range(1, len(way) + 1)}, key=len)
        yield from self.pick(Env({(): row}), nodes)

    def pick(self, env: Env, nodes: Sequence[Way]) -> Iterator[Env]:
        if not nodes:
            yield env
            return
        way, *rest = nodes
        rows: list[Any] = self.follow(env.picked[way[:-1]], way[-1:])
        if way[-1].to_one:
            rows = rows or [None]
        for row in rows:
            yield from self.pick(env.with_row(way, row), rest)

    def counts_in(self, figure: PlainFigure, query: SemanticQuery, env: Env) -> bool:
        of = query.of or ""
        where = Where(of, lambda way: self.model.place(figure.way, way), query.period)
        back = where.place(())
        departure = self.leaves_at(env, back)
        near: list[Condition] = []
        far: list[Condition] = []
        for condition in parts_of(self.with_period(figure, query)):
            goes = departure is not None and self.goes_through(condition, where, departure)
            (far if goes else near).append(condition)
        if near and self.all_hold(near, env, where) is not True:
            return False
        if far and not any(self.all_hold(far, one, where) is True for one in self.along(env, back)):
            return False
        if figure.where is not None:
            own = Where(figure.thing.name, lambda way: way)
            if self.holds(figure.where, env, own) is not True:
                return False
        return query.period is None or self.in_period(figure, query, env) is True

    def along(self, env: Env, way: Way) -> Iterator[Env]:
        start = self.known(env, way)
        yield from self.pick(env, [way[:length] for length in range(start + 1, len(way) + 1)])

    def goes_through(self, condition: Condition, where: Where, departure: Way) -> bool:
        for part in conditions_in(condition):
            if isinstance(part, Comparison | InSegment):
                ways = self.looks_at(part, where)
            elif isinstance(part, AllOf | AnyOf | Negation):
                continue
            else:
                ways = [where.place(())]
            if any(way[: len(departure)] == departure for way in ways):
                return True
        return False

    def in_period(self, figure: PlainFigure, query: SemanticQuery, env: Env) -> Truth:
        place = date_of(figure.thing, figure.date, self.model)
        if query.period is None or query.period.field is not None:
            return True
        if place is None and figure.thing.date_parts is not None:
            via = tuple(step.name for step in figure.way)
            told = [Comparison(field=one.field, via=one.via, op="missing") for one in query.by if one.field]
            by_month = says_month(figure.thing, via, [query.where, *told]) or says_month(
                figure.thing, (), [figure.where]
            )
            return self.in_parts(figure.thing, env.picked[()], query.period, by_month=by_month)
        if place is None:
            return True
        return self.dated(env, place.way, place.field, query.period)

    def with_period(self, figure: PlainFigure, query: SemanticQuery) -> Condition | None:
        """The conditions of a query, with a period that is about its entity and not about the figure's own."""
        if query.period is None or query.period.field is not None:
            return with_named_period(query.where, query.period, self.model)
        thing = figure.thing
        if not figure.way or thing.date_parts is not None or date_of(thing, figure.date, self.model) is not None:
            return query.where
        place = date_of(self.model.things[query.of or ""], None, self.model)
        if place is None:
            return query.where
        via = tuple(step.name for step in place.way)
        return all_of((query.where, on_field(query.period, f"{place.thing.name}.{place.field}", via, self.model)))

    def aggregate(self, figure: PlainFigure, rows: list[Record]) -> Any:
        if figure.value is None:
            return len(rows)
        units = {f.declared.unit_field for f in figure.fields if f.declared and f.declared.unit_field}
        if not figure.is_count and any(len({row[unit] for row in rows}) > 1 for unit in units):
            raise Mixed(f"{figure.aggregate} of {figure.value} in several units")
        if figure.snapshot:
            month = figure.thing.date_parts.month if figure.thing.date_parts else None
            moments: list[Any] = [
                tuple(month_of(row[name]) if name == month else row[name] for name in figure.snapshot) for row in rows
            ]
            last = min(moments, key=cmp_to_key(later_first), default=())
            rows = [row for row, at in zip(rows, moments, strict=True) if at == last]
        parts = figure.thing.date_parts
        if parts and parts.whole is not None and figure.aggregate in (Aggregate.SUM, Aggregate.AVG, Aggregate.MEDIAN):
            whole = {month_of(row[parts.month or ""]) == parts.whole for row in rows}
            if len(whole) > 1:
                raise Mixed(f"{figure.aggregate} of {figure.value} over months and whole years")
        taken = figure.value
        values = [self.days(taken, row) if isinstance(taken, DaysValue) else row_value(taken, row) for row in rows]
        return fold(figure.aggregate, values, value_scale(figure.value, figure.thing) + 6)


class Mixed(Exception):
    """A figure over values of several units, or over months and the years that they make up."""


def shown_fields(query: SemanticQuery) -> list[tuple[str, tuple[str, ...]]]:
    """The fields that a list shows, sorts by or is divided by."""
    shown = [*query.show, *(one.by for one in query.order)]
    found = [(one.field, one.via) for one in shown if one.is_field and one.field]
    return [*found, *((one.field, one.via) for one in (*query.by, *query.per) if one.field)]


def says_month(thing: Thing, via: tuple[str, ...], told: Sequence[Condition | None]) -> bool:
    """Whether something is said of the months of the rows at the end of a way."""
    name = f"{thing.name}.{thing.date_parts.month}" if thing.date_parts else ""
    parts = [part for one in told for part in conditions_in(one) if isinstance(part, Comparison)]
    return any(part.field == name and part.via == via for part in parts)


def month_of(value: Any) -> int | None:
    """A month as a number; names begin with the three letters of their English or German name."""
    if value is None or isinstance(value, int):
        return value
    if value.isdigit():
        return int(value)
    starts = ("jan", "feb", "mar", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez")
    return starts.index(value.lower()[:3]) + 1


def in_unit(shown: Shown, figure: Figure, cell: Any) -> Any:
    """A figure in kilograms, in the unit that it is wanted in."""
    if shown.unit is None or cell is None:
        return cell
    assert isinstance(figure, PlainFigure)
    assert figure.unit == "kg"
    return Decimal(cell) * {"g": Decimal(1000), "kg": Decimal(1), "t": Decimal("0.001")}[shown.unit]


def as_day(value: Any) -> date:
    """The day of a date, however it is stored: as a day, a moment, a text or seconds."""
    if isinstance(value, int):
        return datetime.fromtimestamp(value, UTC).date()
    if isinstance(value, str):
        return date.fromisoformat(value)
    return value.date() if isinstance(value, datetime) else value


def counts(figure: Figure) -> bool:
    kinds = (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
    return isinstance(figure, PlainFigure | RowsFigure) and figure.aggregate in kinds


def fold(aggregate: Aggregate, values: list[Any], scale: int) -> Any:
    present = [value for value in values if value is not None]
    match aggregate:
        case Aggregate.COUNT:
            return len(present)
        case Aggregate.COUNT_DISTINCT:
            return len(set(present))
    if not present:
        return None
    match aggregate:
        case Aggregate.SUM:
            return sum(present)
        case Aggregate.MIN:
            return min(present)
        case Aggregate.MAX:
            return max(present)
        case Aggregate.MEDIAN:
            present.sort()
            middle = present[(len(present) - 1) // 2 : len(present) // 2 + 1]
            return rounded(Decimal(sum(middle)) / len(middle), scale)
    return rounded(Decimal(sum(present)) / len(present), scale)


def value_scale(value: RowValue, thing: Thing) -> int:
    match value:
        case FieldValue():
            column = thing.fields[value.name].column
            return (column.scale or 0) if column.type is ColumnType.DECIMAL else 0
        case NumberValue():
            return max(0, -int(value.number.as_tuple().exponent))
        case DaysValue():
            return 0
    one, other = value_scale(value.left, thing), value_scale(value.right, thing)
    return one + other if value.sign == "*" else max(one, other)


def row_value(value: RowValue, row: Record) -> Any:
    match value:
        case FieldValue():
            return row[value.name]
        case NumberValue():
            return value.number
    assert isinstance(value, Calculation)
    one, other = row_value(value.left, row), row_value(value.right, row)
    if one is None or other is None:
        return None
    return {"+": lambda: one + other, "-": lambda: one - other, "*": lambda: one * other}[value.sign]()


def rounded(number: Decimal, scale: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_EVEN)


def percent(part: Any, whole: Any) -> Decimal:
    return rounded(Decimal(str(part)) * 100 / Decimal(str(whole)), 6)


def start_of(value: Any, grain: Grain) -> date | int | None:
    if value is None:
        return None
    day = as_day(value)
    match grain:
        case Grain.DAY:
            return day
        case Grain.WEEK:
            return day - timedelta(days=day.weekday())
        case Grain.MONTH:
            return day.replace(day=1)
        case Grain.WEEKDAY:
            return day.isoweekday()
        case Grain.QUARTER:
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    return day.replace(month=1, day=1)


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def compare(op: str, value: Any, other: Any) -> Truth:
    if value is None or other is None:
        return None
    if op == "in":
        return any(compare("=", value, one) is True for one in other)
    if op == "between":
        return conjunction([compare(">=", value, other[0]), compare("<=", value, other[1])])
    if op == "like":
        pattern = "".join(".*" if c == "%" else "." if c == "_" else re.escape(c) for c in other)
        return re.fullmatch(pattern.lower(), value.lower(), re.DOTALL) is not None
    if isinstance(other, str) and isinstance(value, date | int):
        value, other = as_day(value), date.fromisoformat(other)
    return OPERATORS[op](value, other)


def change_from(before: Any, now: Any, transform: Transform, *, zero: bool) -> Any:
    """What groups are sorted by that are compared: a sum that is not there is zero."""
    if zero:
        before, now = before or 0, now or 0
    if before is None or now is None:
        return None
    if transform is Transform.CHANGE:
        return now - before
    return float(now - before) / abs(float(before)) if before else None


# --- order and limit


def by_keys(one: Sequence[Any], other: Sequence[Any], down: Sequence[bool]) -> int:
    """What is missing comes last, whichever way the rest is sorted."""
    for a, b, descending in zip(one, other, down, strict=True):
        if a == b:
            continue
        if a is None or b is None:
            return 1 if a is None else -1
        smaller = -1 if a < b else 1
        return -smaller if descending else smaller
    return 0


def places(cells: Any, along: Sequence[int]) -> list[Any]:
    return [cells[place] for place in along]


def later_first(one: Any, other: Any) -> int:
    return by_keys(one, other, [True] * len(one))


def arranged(query: SemanticQuery, found: list[Any]) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    down = [one.descending for one in query.order]
    if query.limit is not None:
        found = [one for one in found if one[2][0] is not None]
        kept = []
        for one in found:
            rank = 1 + sum(other[3] == one[3] and by_keys(other[2], one[2], down) < 0 for other in found)
            if query.skip < rank <= query.skip + query.limit:
                kept.append(one)
        found = kept

    def order(one: Any, other: Any) -> int:
        return by_keys([*one[2], *one[1]], [*other[2], *other[1]], [*down, *([False] * len(one[1]))])

    return [(row, key) for row, key, _, _ in sorted(found, key=cmp_to_key(order))]
