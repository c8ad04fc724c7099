"""Figures taken apart: which aggregate of which value over the rows of which entity, and on which date a period is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from veracity.contracts import ValidationErrorCode, clip
from veracity.ontology.fields import Additivity
from veracity.query.catalog import FieldFacts
from veracity.semantic.checking.expressions import DaysValue, FieldValue, RowValue, fields_in, measure_facts
from veracity.semantic.checking.names import Refused, split_field, way_between
from veracity.semantic.graph import SemanticModel, Thing, Way, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    FigureComparison,
    Negation,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
)
from veracity.semantic.query_values import Grain, QueryPeriod
from veracity.sources.source import ColumnType

DAYS = "d"
"""The unit of the time between two dates."""


@dataclass(frozen=True)
class PlainFigure:
    """An aggregate over the rows of one entity."""

    thing: Thing
    way: Way
    """From the query's entity to the figure's own."""
    aggregate: Aggregate
    value: RowValue | None
    """None: the rows themselves are counted."""
    where: Condition | None
    """What holds of the rows that count; its ways start at the figure's own entity."""
    date: str | None
    unit: str | None
    trusted: bool
    """Whether the ontology declares the figure as a measure."""

    @property
    def field(self) -> FieldFacts | None:
        """The field that is aggregated, where it is one."""
        return self.thing.fields[self.value.name] if isinstance(self.value, FieldValue) else None

    @property
    def fields(self) -> tuple[FieldFacts, ...]:
        """The fields that go into it."""
        return tuple(self.thing.fields[name] for name in fields_in(self.value)) if self.value else ()

    @property
    def snapshot(self) -> tuple[str, ...]:
        """The fields that tell snapshots apart in time, of which only the last one counts."""
        return tuple(name for name in self.adds_up_within if self.thing.fields[name].tells_time)

    @property
    def adds_up_within(self) -> tuple[str, ...]:
        """The fields that must be the same in all rows that are added up."""
        if self.aggregate not in (Aggregate.SUM, Aggregate.AVG, Aggregate.MEDIAN):
            return ()
        found = (f.over for f in self.fields if f.additivity is Additivity.SEMI_ADDITIVE)
        return next(found, ())

    @property
    def is_count(self) -> bool:
        """Whether nothing counts as zero."""
        return self.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)

    @property
    def divides(self) -> bool:
        """Whether it is a quotient of a sum and a number of values."""
        return self.aggregate in (Aggregate.AVG, Aggregate.MEDIAN)


@dataclass(frozen=True)
class RatioFigure:
    """One figure divided by another."""

    first: Figure
    second: Figure


@dataclass(frozen=True)
class RowsFigure:
    """An aggregate over the figures of another query."""

    aggregate: Aggregate
    rows: SemanticQuery

    @property
    def counts(self) -> bool:
        """Whether it is a number of rows."""
        return self.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)


Figure = PlainFigure | RatioFigure | RowsFigure


def figure_of(shown: Shown, of: str, model: SemanticModel) -> Figure:
    """The figure that a checked column shows."""
    if shown.ratio:
        return RatioFigure(figure_of(shown.ratio[0], of, model), figure_of(shown.ratio[1], of, model))
    if shown.rows:
        assert shown.aggregate
        return RowsFigure(shown.aggregate, shown.rows)
    way = model.way(of, shown.via) or ()
    if shown.measure:
        return _measure(shown.measure, shown, way, model)
    if shown.of:
        thing = model.things[shown.of]
        return PlainFigure(thing, way, Aggregate.COUNT, None, shown.where, None, None, trusted=False)
    thing, field = split_field(model, shown.field or "")
    assert shown.aggregate
    declared = thing.fields[field].declared
    unit = declared.unit if declared else None
    if (days := days_of(shown, model)) is not None:
        return PlainFigure(thing, way, shown.aggregate, days, shown.where, None, DAYS, trusted=False)
    counts = shown.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
    return PlainFigure(
        thing, way, shown.aggregate, FieldValue(field), shown.where, None, None if counts else unit, trusted=False
    )


def days_of(dated: Shown | Comparison, model: SemanticModel) -> DaysValue | None:
    """The days from one date to another, where that is what is shown or compared."""
    if dated.since is None:
        return None
    (thing, field), (other, since) = split_field(model, dated.field or ""), split_field(model, dated.since.field)
    way = model.way(thing.name, dated.since.via) or ()
    if dated.since.until is not None:
        return DaysValue(field, since, other, way, until=dated.since.until)
    types = {one.column.type for one in (thing.fields[field], other.fields[since])}
    # Texts may hold the time of day, too: what they come to on average is not counted in whole days.
    averaged = isinstance(dated, Shown) and dated.aggregate in (Aggregate.AVG, Aggregate.MEDIAN)
    moments = types == {ColumnType.TIMESTAMP} or (averaged and types == {ColumnType.TEXT})
    return DaysValue(field, since, other, way, whole=not moments)


def _measure(name: str, shown: Shown, way: Way, model: SemanticModel) -> Figure:
    entity, measure = model.measures[name]
    thing = model.things[entity]
    if measure.ratio:
        return RatioFigure(_part(measure.ratio[0], shown, way, model), _part(measure.ratio[1], shown, way, model))
    assert measure.aggregate
    facts = measure_facts(thing, name)
    kind = {"COUNT_DISTINCT": "countDistinct"}.get(measure.aggregate.value, measure.aggregate.value.lower())
    where = all_of((facts.where, shown.where))
    date = measure.date if measure.date is None or "." in measure.date else f"{entity}.{measure.date}"
    field = thing.fields[facts.value.name].declared if isinstance(facts.value, FieldValue) else None
    counts = kind in ("count", "countDistinct")
    unit = measure.unit or (field.unit if field and not counts else None)
    return PlainFigure(thing, way, Aggregate(kind), facts.value, where, date, unit, trusted=True)


def _part(name: str, shown: Shown, way: Way, model: SemanticModel) -> Figure:
    """One measure of a ratio; the way leads to the entity of the first one."""
    first = model.measures[shown.measure or ""][1].ratio
    assert first
    here, home = model.measures[first[0]][0], model.measures[name][0]
    if home != here:
        if shown.where is not None:
            hint = f"{clip(shown.measure or '', 24)} is about two entities; put the condition into the query."
            raise Refused(ValidationErrorCode.OPERATOR_INCOMPATIBLE, shown.measure, hint)
        way = (*way, *way_between(model, here, (), home, shown.measure or ""))
    return _measure(name, shown, way, model)


def adds_up(figure: Figure) -> bool:
    """Whether nothing comes to zero: sums and numbers of rows, but not levels at a time."""
    sums = (Aggregate.SUM, Aggregate.COUNT)
    return isinstance(figure, PlainFigure) and figure.aggregate in sums and not figure.snapshot


def is_against_other(shown: Shown, query: SemanticQuery) -> bool:
    """Whether a change is one against the other period or member of the query, not against the group before."""
    return query.compare is not None and shown.transform in (Transform.CHANGE, Transform.CHANGE_PERCENT)


def plain_figures(figure: Figure) -> Iterator[PlainFigure]:
    """The figures over rows that a figure is made of."""
    match figure:
        case PlainFigure():
            yield figure
        case RatioFigure():
            yield from plain_figures(figure.first)
            yield from plain_figures(figure.second)


def figures_in(condition: Condition | None) -> Iterator[Shown]:
    """The figures that a condition compares."""
    match condition:
        case AllOf() | AnyOf():
            for part in condition.conditions:
                yield from figures_in(part)
        case Negation():
            yield from figures_in(condition.condition)
        case FigureComparison():
            yield condition.show
            if condition.than is not None:
                yield condition.than


@dataclass(frozen=True, slots=True)
class DatePlace:
    """A date that a period is about: a field at the end of a way over to-one relations."""

    way: Way
    thing: Thing
    field: str


def date_of(thing: Thing, named: str | None, model: SemanticModel) -> DatePlace | None:
    """The date of an entity's rows: the one that is named, else the declared default, else its only date."""
    name = named or thing.default_date
    if name is None:
        dates = [field for field, facts in thing.fields.items() if facts.column.type in _DATES]
        return DatePlace((), thing, dates[0]) if len(dates) == 1 and thing.date_parts is None else None
    if "." not in name:
        return DatePlace((), thing, name) if name in thing.fields else None
    other, field = split_field(model, name)
    ways = [way for way in model.ways(thing.name, other.name) if is_to_one(way)]
    return DatePlace(ways[0], other, field) if len(ways) == 1 else None


def on_field(period: QueryPeriod, place: str, via: tuple[str, ...], model: SemanticModel) -> Comparison:
    """A period as a condition on a date, so that it is about the same row as the conditions beside it."""
    thing, field = split_field(model, place)
    grain = Grain.DAY if thing.fields[field].column.type is ColumnType.TEXT else None
    first, last = period.first, period.last
    if first is not None and last is not None:
        return Comparison(field=place, via=via, op="between", value=(first.isoformat(), last.isoformat()), grain=grain)
    day = first or last
    assert day is not None
    return Comparison(field=place, via=via, op=">=" if first else "<=", value=day.isoformat(), grain=grain)


def with_named_period(where: Condition | None, period: QueryPeriod | None, model: SemanticModel) -> Condition | None:
    """The conditions of a query, with its period where that names a field."""
    if period is None or period.field is None:
        return where
    return all_of((where, on_field(period, period.field, period.via, model)))


def with_period(query_of: str, figure: PlainFigure, use_of: PeriodUse, model: SemanticModel) -> Condition | None:
    """The conditions on the rows of the query's entity, with a period that is about these and not about the figure's own."""
    period, where = use_of
    if period is None or period.field is not None:
        return with_named_period(where, period, model)
    if not figure.way or figure.thing.date_parts is not None or date_of(figure.thing, figure.date, model) is not None:
        return where
    place = date_of(model.things[query_of], None, model)
    if place is None:
        return where
    return all_of((where, on_field(period, f"{place.thing.name}.{place.field}", names_of(place.way), model)))


PeriodUse = tuple[QueryPeriod | None, Condition | None]
"""A period, and the conditions beside it."""
_DATES = (ColumnType.DATE, ColumnType.TIMESTAMP)
