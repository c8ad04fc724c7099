"""Changes of a query that need no language: divided by something, compared with last year, only one group, without it, its average.

Every change is a query like any other; what may be wrong with it is found when it is checked and run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Any

from veracity.contracts import Cell
from veracity.ontology.fields import FieldRole
from veracity.query.catalog import FieldFacts
from veracity.semantic.checking.plan import PlainFigure, date_of, figure_of, plain_figures
from veracity.semantic.graph import SemanticModel, Thing, Way, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    InSegment,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    conditions_in,
    parts_of,
    to_json,
)
from veracity.semantic.query_values import Comparing, Grain, QueryPeriod, last_day
from veracity.semantic.result import ColumnPart, SemanticColumn
from veracity.semantic.wording.cells import as_day
from veracity.sources.source import ColumnType

_FARTHEST = 2
"""Things that are so many relations away are offered to divide by."""
_MOST_DIVISIONS = 2
_MONTHS = {Grain.YEAR: 12, Grain.QUARTER: 3, Grain.MONTH: 1}
_FINER: Mapping[Grain | None, tuple[Grain, ...]] = {
    None: (Grain.MONTH, Grain.QUARTER, Grain.YEAR),
    Grain.YEAR: (Grain.MONTH, Grain.QUARTER),
    Grain.QUARTER: (Grain.MONTH,),
    Grain.MONTH: (Grain.DAY,),
}
"""The grains that divide a period of some length."""


class EditKind(StrEnum):
    """What a change does."""

    PER = "per"
    TOTAL = "total"
    COMPARE = "compare"
    COUNT = "count"
    ONLY = "only"
    EXCLUDE = "exclude"
    DRILL = "drill"


@dataclass(frozen=True, slots=True)
class QueryEdit:
    """A changed query."""

    kind: EditKind
    query: SemanticQuery
    by: tuple[Dimension, ...] = ()
    """What it is divided by now, where that is the change."""


def as_asked(query: SemanticQuery) -> SemanticQuery:
    """A query without what only keeps its figures apart; that comes again where it is needed."""
    by, per = (tuple(one for one in dimensions if not one.apart) for dimensions in (query.by, query.per))
    return query.model_copy(update={"by": by, "per": per})


# --- changes of the whole


def edits_of(query: SemanticQuery, model: SemanticModel) -> Iterator[QueryEdit]:
    """What can be done with an answer, the likeliest first."""
    query = as_asked(query)
    if query.lists:
        if query.limit is None and query.of is not None:
            yield QueryEdit(EditKind.COUNT, _counted(query, query.of))
        return
    if not query.show or query.having is not None:
        return
    timed = _is_timed(query, model)
    for by in time_divisions(query, model):
        if by != query.by[-len(by) :]:
            yield _divided(query, by, model)
    earlier = year_before(query.period)
    if earlier is not None and query.compare is None and not timed and not any(one.transform for one in query.show):
        compared = query.model_copy(update={"compare": Comparing(period=earlier)})
        yield QueryEdit(EditKind.COMPARE, compared)
    if query.by:
        yield QueryEdit(EditKind.TOTAL, undivided(query))
    for dimension in divisions(query, model):
        yield _divided(query, (dimension,), model)


def undivided(query: SemanticQuery) -> SemanticQuery:
    """The same figures of everything together."""
    return query.model_copy(
        update={"by": (), "order": (), "limit": None, "skip": 0, "per": (), "having": None, "show": _whole(query)}
    )


def divided(query: SemanticQuery, by: tuple[Dimension, ...]) -> SemanticQuery:
    """The same figures divided by something else; an order of other groups goes."""
    return undivided(query).model_copy(update={"by": by})


def year_before(period: QueryPeriod | None) -> QueryPeriod | None:
    """The same period a year earlier; the last day of a month stays the last."""
    if period is None or period.first is None or period.last is None or period.first.year <= date.min.year:
        return None
    ends = [
        last_day(day.year - 1, day.month) if day == last_day(day.year, day.month) else day.replace(year=day.year - 1)
        for day in (period.first, period.last)
    ]
    return period.model_copy(update={"first": ends[0], "last": ends[1]})


def _whole(query: SemanticQuery) -> tuple[Shown, ...]:
    """The figures without what sets them against other groups."""
    return tuple(dict.fromkeys(one.model_copy(update={"transform": None}) for one in query.show))


def _counted(query: SemanticQuery, of: str) -> SemanticQuery:
    count = Shown(aggregate=Aggregate.COUNT, of=of)
    return query.model_copy(update={"show": (count,), "order": ()})


def _divided(query: SemanticQuery, by: tuple[Dimension, ...], model: SemanticModel) -> QueryEdit:
    """Divided by something more, or by something else where there is enough: periods take the place of periods."""
    timed = _time_places(query, model)
    told = [one for one in query.by if one not in by and not (_is_time(one, timed) and _is_time(by[0], timed))]
    enough = len({"" if _is_time(one, timed) else one.field or one.entity for one in told}) >= _MOST_DIVISIONS
    kept = () if query.limit is not None or enough else tuple(told)
    plain = query.model_copy(update={"compare": None}) if _is_time(by[0], timed) else query
    return QueryEdit(EditKind.PER, divided(plain, (*kept, *by)), by)


# --- what can be divided by


def time_divisions(query: SemanticQuery, model: SemanticModel) -> Iterator[tuple[Dimension, ...]]:
    """The divisions by periods that the dates of a query allow, and that divide its own period."""
    figure = _plain_figure(query, model)
    if figure is None or (query.period is not None and query.period.field is not None):
        return
    thing, length = figure.thing, query.period.length if query.period else None
    grains = _FINER.get(length, ())
    if thing.date_parts is not None:
        parts, via = thing.date_parts, names_of(figure.way)
        fields = {Grain.YEAR: (parts.year,), Grain.MONTH: (parts.year, parts.month)}
        for grain in grains:
            names = fields.get(grain, (None,))
            if all(names):
                yield tuple(Dimension(field=f"{thing.name}.{name}", via=via) for name in names)
        return
    place = date_of(thing, figure.date, model)
    if place is None:
        return
    via = names_of((*figure.way, *place.way))
    for grain in grains:
        yield (Dimension(field=f"{place.thing.name}.{place.field}", via=via, grain=grain),)


def divisions(query: SemanticQuery, model: SemanticModel) -> Iterator[Dimension]:
    """Named things and categories that the rows of a query belong to, the nearest first."""
    of = query.of or ""
    said = {(one.field or one.entity, one.via) for one in query.by} | set(_pinned(query))
    first = [Dimension(entity=model.segments[part.segment][0], via=part.via) for part in _segments(query) if part.via]
    seen: set[str] = set()
    for one in dict.fromkeys((*first, *_places(of, model))):
        name = (one.field or "").rpartition(".")[2]
        if (one.field or one.entity, one.via) not in said and one.entity != of and name not in seen:
            yield one
        seen |= {name} - {""}  # a category that two things share is that of the nearer one


def _places(of: str, model: SemanticModel) -> Iterator[Dimension]:
    """Categories of the rows themselves, then what they belong to and its categories, one relation after the other."""
    ways: list[Way] = [()]
    for _ in range(_FARTHEST + 1):
        for way in ways:
            thing = model.things[way[-1].end if way else of]
            if way and thing.display and thing.key:
                yield Dimension(entity=thing.name, via=names_of(way))
            for name, facts in thing.fields.items():
                if _is_category(facts, thing):
                    yield Dimension(field=f"{thing.name}.{name}", via=names_of(way))
        ways = [
            (*way, step)
            for way in ways
            for step in model.steps.get(way[-1].end if way else of, ())
            if step.to_one and step.end != of and all(step.end != before.end for before in way)
        ]


def _is_category(facts: FieldFacts, thing: Thing) -> bool:
    if facts.role is FieldRole.CATEGORY or facts.role is FieldRole.FLAG:
        return True
    return facts.role is None and facts.column.type is ColumnType.BOOLEAN and facts.column.name not in thing.key


def _segments(query: SemanticQuery) -> Iterator[InSegment]:
    yield from (part for part in parts_of(query.where) if isinstance(part, InSegment))


def _pinned(query: SemanticQuery) -> Iterator[tuple[str | None, tuple[str, ...]]]:
    """What is one value already."""
    for part in parts_of(query.where):
        if isinstance(part, Comparison) and part.op == "=" and part.grain is None:
            yield part.field, part.via


# --- dates


def _plain_figure(query: SemanticQuery, model: SemanticModel) -> PlainFigure | None:
    """The first figure over rows that a query shows."""
    for shown in query.show:
        if not shown.is_field:
            return next(plain_figures(figure_of(shown, query.of or "", model)), None)
    return None


def _time_places(query: SemanticQuery, model: SemanticModel) -> set[str]:
    """The fields that say when a figure is."""
    found = {one.field or "" for by in time_divisions(query.model_copy(update={"period": None}), model) for one in by}
    return found - {""}


def _is_time(one: Dimension, places: set[str]) -> bool:
    return one.is_dated or one.field in places


def _is_timed(query: SemanticQuery, model: SemanticModel) -> bool:
    places = _time_places(query, model)
    return any(_is_time(one, places) for one in query.by)


def whole_grain(first: date, grain: Grain) -> QueryPeriod:
    """The day, month, quarter or year that begins on a day; of a week its seven days."""
    if grain in _MONTHS:
        last = last_day(first.year, first.month + _MONTHS[grain] - 1)
    else:
        last = date.fromordinal(first.toordinal() + (6 if grain is Grain.WEEK else 0))
    return QueryPeriod(first=first, last=last)


# --- changes that are about one row of the result


@dataclass(frozen=True, slots=True)
class PickedGroup:
    """One group of a result, or one value of what it is divided by: what holds of its rows."""

    by: tuple[Dimension, ...]
    condition: Condition | None = None
    period: QueryPeriod | None = None
    named: SemanticQuery | None = None
    """Counts the things that are called as this one is; where it is the only one, its name says it as well as its key."""

    def by_name(self) -> PickedGroup:
        """The same said by its name."""
        assert self.named is not None
        told = [part.model_copy(update={"via": self.by[0].via}) for part in parts_of(self.named.where)]
        return replace(self, condition=all_of(told))

    def of(self, query: SemanticQuery) -> SemanticQuery:
        """The query about these rows only."""
        where = all_of((query.where, self.condition))
        return query.model_copy(update={"where": where, "period": self.period or query.period})


def groups_of(
    query: SemanticQuery, columns: tuple[SemanticColumn, ...], row: Mapping[str, Cell], model: SemanticModel
) -> tuple[PickedGroup, ...]:
    """What a row of a result is told apart by, one by one: the cost centre, the month."""
    query = as_asked(query)
    parts = _parts_group(query, columns, row, model)
    taken = parts.by if parts else ()
    found = [_group(query, one, columns, row) for one in query.by if one not in taken]
    return tuple(one for one in (*found, parts) if one is not None)


def _group(
    query: SemanticQuery, one: Dimension, columns: tuple[SemanticColumn, ...], row: Mapping[str, Cell]
) -> PickedGroup | None:
    own = [column for column in columns if column.dimension == one]
    if one.grain is not None and one.grain.repeats:
        cell = row.get(own[0].column.name) if own else None
        told_day = Comparison(field=one.field or "", via=one.via, grain=one.grain, value=cell) if cell else None
        return PickedGroup((one,), told_day) if told_day else None
    if one.grain is not None:
        day = as_day(row.get(own[0].column.name)) if own else None
        plain = query.period is None or query.period.field is None
        return PickedGroup((one,), period=whole_grain(day, one.grain)) if day is not None and plain else None
    if one.entity is None:
        told = [_equals(one.field or "", one.via, row.get(column.column.name)) for column in own]
        return PickedGroup((one,), all_of(told)) if told else None
    keys, names = (
        [
            _equals(f"{one.entity}.{column.field}", via, row.get(column.column.name))
            for column in own
            if column.part is part
        ]
        for part, via in ((ColumnPart.KEY, one.via), (ColumnPart.NAME, ()))
    )
    named = None
    if len(names) == 1 and names[0].op == "=":
        count = Shown(aggregate=Aggregate.COUNT, of=one.entity)
        named = SemanticQuery(show=(count,), of=one.entity, where=names[0])
    return PickedGroup((one,), all_of(keys), named=named) if keys else None


def _equals(field: str, via: tuple[str, ...], cell: Cell) -> Comparison:
    if cell is None:
        return Comparison(field=field, via=via, op="missing")
    return Comparison(field=field, via=via, op="=", value=cell)


def _parts_group(
    query: SemanticQuery, columns: tuple[SemanticColumn, ...], row: Mapping[str, Cell], model: SemanticModel
) -> PickedGroup | None:
    """The year or the month of a row, where these stand in columns of their own."""
    figure = _plain_figure(query, model)
    parts = figure.thing.date_parts if figure is not None else None
    if figure is None or parts is None:
        return None
    cells: dict[str, int] = {}
    by: list[Dimension] = []
    for column in columns:
        cell = row.get(column.column.name)
        if column.dimension in query.by and column.field in (parts.year, parts.month) and isinstance(cell, int):
            cells[column.field or ""] = cell
            by += [column.dimension] if column.dimension else []
    year, month = cells.get(parts.year), cells.get(parts.month or "")
    if year is None or not date.min.year <= year <= date.max.year:
        return None
    if month is None:
        return PickedGroup(tuple(by), period=whole_grain(date(year, 1, 1), Grain.YEAR))
    return PickedGroup(tuple(by), period=whole_grain(date(year, month, 1), Grain.MONTH)) if 1 <= month <= 12 else None


def edits_of_group(
    query: SemanticQuery, group: PickedGroup, model: SemanticModel, *, all_known: bool = False
) -> Iterator[QueryEdit]:
    """What can be done with one group: only it, everything but it, and it divided by something else.

    `all_known`: every row is in a group that has a value, so that leaving one out needs no word about those without.
    """
    query = as_asked(query)
    rest = tuple(one for one in query.by if one not in group.by)
    only = group.of(query)
    yield QueryEdit(EditKind.ONLY, divided(only, rest))
    if group.condition is not None and _has_one(query, group.by[0], model):
        yield QueryEdit(EditKind.EXCLUDE, _without(query, group.condition, all_known=all_known))
    if query.having is not None or any(one.transform for one in query.show):
        return
    for by in (*time_divisions(only, model), *((one,) for one in divisions(only, model))):
        if not set(by) & set(query.by):
            yield QueryEdit(EditKind.DRILL, divided(only, by), by)


def _has_one(query: SemanticQuery, one: Dimension, model: SemanticModel) -> bool:
    """Whether every row belongs to one group only: of several, leaving out one does not leave out the row."""
    figure, way = _plain_figure(query, model), model.way(query.of or "", one.via)
    return figure is not None and not figure.way and way is not None and is_to_one(way)


def _without(query: SemanticQuery, condition: Condition, *, all_known: bool) -> SemanticQuery:
    """The query without one group; rows of which nobody knows whether they belong to it stay."""
    parts = [part for part in parts_of(condition) if isinstance(part, Comparison)]
    if parts[0].op == "missing":
        other: Condition = parts[0].model_copy(update={"op": "notMissing"})
    else:
        alone = len(parts) == 1
        other = parts[0].model_copy(update={"op": "!="}) if alone else Negation.model_validate({"not": condition})
        unknown = tuple(part.model_copy(update={"op": "missing", "value": None}) for part in parts)
        other = other if all_known else AnyOf(conditions=(other, *unknown))
    return query.model_copy(update={"where": all_of((query.where, other))})


def averaged(query: SemanticQuery) -> SemanticQuery | None:
    """The query with averages in the place of its sums; nothing where it has none, or something else beside them."""

    def mean(shown: Shown) -> Shown:
        return shown.model_copy(update={"aggregate": Aggregate.AVG}) if shown.aggregate is Aggregate.SUM else shown

    sums = [one for one in query.show if one.aggregate is Aggregate.SUM and one.field and not one.transform]
    if not sums or len(sums) < len(query.show) or query.having or query.compare:
        return None
    order = tuple(one.model_copy(update={"by": mean(one.by)}) for one in query.order)
    return query.model_copy(update={"show": tuple(map(mean, query.show)), "order": order}).normalized()


def inner_bests(query: SemanticQuery) -> Iterator[SemanticQuery]:
    """The queries within a query that take the first rows of an order, the innermost first."""
    shown = [*query.show, *(order.by for order in query.order)]
    for condition in (query.where, query.having, *(one.where for one in shown)):
        for part in conditions_in(condition):
            inner = part.related if isinstance(part, Related) else getattr(part, "value", None)
            if isinstance(inner, SemanticQuery):
                yield from inner_bests(inner)
                if inner.limit is not None:
                    yield inner


def with_inner(query: SemanticQuery, inner: SemanticQuery, other: SemanticQuery) -> SemanticQuery:
    """The query with another one in the place of one within it."""
    return SemanticQuery.model_validate(_replaced(to_json(query), to_json(inner), to_json(other)))


def _replaced(value: Any, old: Any, new: Any) -> Any:
    if value == old:
        return new
    if isinstance(value, dict):
        return {key: _replaced(item, old, new) for key, item in value.items()}
    return [_replaced(item, old, new) for item in value] if isinstance(value, list) else value
