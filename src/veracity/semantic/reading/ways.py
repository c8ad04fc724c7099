"""Where several shortest ways lead to something that a query names: one query for each way, with the way filled in."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TypeVar

from veracity.ontology.entities import MeasureAggregate
from veracity.query.catalog import FieldFacts
from veracity.semantic.checking.names import facts_of
from veracity.semantic.graph import SemanticModel, Thing, Way, is_to_one, names_of
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
    all_of,
    parts_of,
)
from veracity.semantic.reading.phrases import JoiningWord
from veracity.semantic.reading.word_lists import is_person
from veracity.semantic.reading.word_senses import Tagged
from veracity.sources.source import ColumnType

TIMES = frozenset({"h", "min", "s", "d"})
MOST_WAYS = 5
"""So many ways are told apart."""
_Pair = tuple[str, str]
Part = TypeVar("Part", Shown, Dimension, Comparison, Related, InSegment)


def each_way(query: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query, or one for each way that it leaves open; what is named twice is reached in the same way."""
    looking = WayFiller(model, {})
    looking.query(query)
    pairs = sorted(looking.open)
    if not pairs:
        yield query
        return
    for chosen in islice(product(*(model.ways(*pair) for pair in pairs)), MOST_WAYS):
        yield WayFiller(model, dict(zip(pairs, chosen, strict=True))).query(query).normalized()


def each_link(query: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query; and where a relation was followed because it is the shorter one, also over the table that pairs the two."""
    yield query
    parts = parts_of(query.where)
    for part in parts:
        inner = part.condition if isinstance(part, Negation) else part
        if not isinstance(inner, Related) or len(inner.via) != 1:
            continue
        taken = model.way(query.of or "", inner.via)
        ways = model.ways(query.of or "", taken[0].end) if taken and taken[0].end != query.of else ()
        for way in ways if taken in ways else ():
            if len(way) > 1:
                other: Condition = inner.model_copy(update={"via": names_of(way)})
                other = Negation(condition=other) if isinstance(part, Negation) else other
                where = all_of(other if one is part else one for one in parts)
                yield query.model_copy(update={"where": where}).normalized()


def happenings(query: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """How often something was done: courses with bookings are asked for their bookings; nothing where it is not clear what happened."""
    if any(one.entity for one in query.by):
        return  # taken by students: who did it, not how it is divided
    parts = parts_of(query.where)
    many = [one for one in parts if isinstance(one, Related) and not _leads_to_one(query, one, model)]
    if not many:
        yield query
        return
    done = many[0]
    way = model.way(query.of or "", done.via or ())
    plain = SemanticQuery(of=query.of, where=query.where, show=query.show) == query
    if len(many) > 1 or done.count or not (query.counts_rows and plain and way) or not is_to_one(model.back(way)):
        return
    rest = all_of(one for one in parts if one is not done)
    whose = Related(via=names_of(model.back(way)), related=SemanticQuery(of=query.of, where=rest)) if rest else None
    home = done.related
    if home == SemanticQuery(of=home.of, where=home.where):
        shown = (Shown(aggregate=Aggregate.COUNT, of=home.of),)
        yield SemanticQuery(show=shown, of=home.of, where=all_of((home.where, whose))).normalized()


def either_count(query: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query; and where it counts what was rented, or the products of orders, also how often that was, or how many of each."""
    yield query
    if query.by:
        yield from _units_divided(query, model)
        return
    done = [one for one in parts_of(query.where) if isinstance(one, Related) and not one.count]
    way = model.way(query.of or "", done[0].via or ()) if len(done) == 1 else None
    plain = SemanticQuery(of=query.of, where=query.where, show=query.show) == query
    people = query.of is not None and is_person(model.things[query.of])  # how many did it, not how often
    if not way or not plain or people or not query.counts_rows:
        return
    down = way if is_to_one(model.back(way)) else way[:1]  # rentals of copies; lines, each of one order
    lines, home, rest = down[-1].end, model.back(down), way[len(down) :]
    listed = len(way) == 2 and bool(rest) and is_to_one(rest)
    numbers = list(numbers_of_units(model.things[lines]))
    if not is_to_one(home) or (rest and not (listed and numbers)) or len(numbers) > 1:
        return
    if not rest and not numbers and _is_of_somebody(done[0].related, model):
        return  # the courses that Anna took
    others = all_of(one for one in parts_of(query.where) if one is not done[0])
    whose = Related(via=names_of(home), related=SemanticQuery(of=query.of, where=others)) if others else None
    there = Related(via=names_of(rest), related=done[0].related) if rest else done[0].related.where
    total = numbers[0] if numbers else Shown(aggregate=Aggregate.COUNT, of=lines)
    yield SemanticQuery(show=(total,), of=lines, where=all_of((there, whose))).normalized()


def _units_divided(query: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """How many products each customer ordered, where the lines of orders say how many of each: these numbers for each customer."""
    by = query.by[0]
    plain = SemanticQuery(of=query.of, show=query.show, by=(by,)) == query
    if not plain or not by.entity or not query.counts_rows:
        return
    ways = model.ways(query.of or "", by.entity)
    way = model.way(query.of or "", by.via) if by.via else ways[0] if len(ways) == 1 else None
    if not way or way[0].to_one or not is_to_one(model.back(way[:1])) or not is_to_one(way[1:]):
        return
    lines, over = way[0].end, Dimension(entity=by.entity, via=names_of(way[1:]))
    numbers = list(numbers_of_units(model.things[lines]))
    if len(way) > 1 and len(numbers) == 1:
        yield SemanticQuery(show=(numbers[0],), of=lines, by=(over,)).normalized()


def through_deeds(
    queries: Sequence[SemanticQuery], deeds: Collection[str], model: SemanticModel
) -> list[SemanticQuery]:
    """Of several ways to what it is divided by those through what was done: films rented by customers, by rentals, not by stores."""

    def passes(query: SemanticQuery) -> bool:
        ways = (model.way(query.of or "", one.via) for one in query.by if one.via)
        return any(step.end in deeds for way in ways if way for step in way[:-1])

    return [query for query in queries if passes(query)] or list(queries)


def numbers_of_units(thing: Thing) -> Iterator[Shown]:
    """The figures that say how many of each: measures that add up a whole number, else the fields that may be added up."""
    whole = {name: facts for name, facts in thing.fields.items() if facts.column.type is ColumnType.INTEGER}
    plain = [one for one in thing.measures.values() if one.aggregate is MeasureAggregate.SUM and one.where is None]
    measured = [one for one in plain if (one.expression or "") in whole]
    yield from (Shown(measure=one.name) for one in measured)
    added = {one.expression for one in measured}
    fields = (name for name, facts in whole.items() if facts.can_be_added and name not in added)
    yield from (Shown(aggregate=Aggregate.SUM, field=f"{thing.name}.{name}") for name in fields)


def _is_of_somebody(done: SemanticQuery, model: SemanticModel) -> bool:
    """Whether it is about what a certain person did."""
    people = (one.related.of for one in parts_of(done.where) if isinstance(one, Related))
    return any(one is not None and is_person(model.things[one]) for one in people)


def _leads_to_one(query: SemanticQuery, one: Related, model: SemanticModel) -> bool:
    way = model.way(query.of or "", one.via or ())
    return way is not None and is_to_one(way)


def either_average(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query; and where an amount is averaged per month, or hours per person, also the average of what each comes to.

    That alone where a number is asked for: the median number of cyclists per day is that of whole days.
    """
    over = [one for one in query.by if not one.apart]
    if len(query.show) != 1 or len(over) != 1 or query.order or query.compare or query.having or query.per:
        yield query
        return
    figure, time = query.show[0], over[0]
    plain = figure.aggregate in (Aggregate.AVG, Aggregate.MEDIAN) and not (figure.transform or figure.where)
    facts = facts_of(model, figure.field) if plain and figure.field else None
    is_open = facts is not None and facts.declared is not None and bool(facts.declared.question)
    dated = time.field is not None and facts_of(model, time.field).is_date
    spent = time.entity not in (None, query.of) and facts is not None and _is_time(facts)
    if facts is None or not (facts.can_be_added or is_open) or not (dated or spent):
        yield query
        return
    counted = dated and any(isinstance(m.phrase, JoiningWord) and m.phrase.kind == "how_many" for m in tagged.mentions)
    if not is_open and not counted:  # whether it may be added up must be known first, and is asked for
        yield query
    total = figure.model_copy(update={"aggregate": Aggregate.SUM})
    yield SemanticQuery(
        show=(Shown(aggregate=figure.aggregate, rows=query.model_copy(update={"show": (total,)})),), of=query.of
    )


class WayFiller:
    """Walks through a query, notes the ways that are not said, and fills in those that are given."""

    def __init__(self, model: SemanticModel, given: Mapping[_Pair, Way]) -> None:
        self.model, self.given = model, given
        self.open: set[_Pair] = set()

    def query(self, query: SemanticQuery) -> SemanticQuery:
        """A query and all within it."""
        of = query.of or ""
        changed = {
            "show": tuple(self._shown(shown, of) for shown in query.show),
            "where": self.condition(query.where, of),
            "by": tuple(self._dimension(one, of) for one in query.by),
            "having": self.condition(query.having, of),
            "order": tuple(o.model_copy(update={"by": self._shown(o.by, of)}) for o in query.order),
            "per": tuple(self._dimension(one, of) for one in query.per),
        }
        return query.model_copy(update=changed)

    def place(self, part: Part, start: str, end: str | None) -> Part:
        if part.via or not end or end == start or start not in self.model.things:
            return part
        if len(self.model.ways(start, end)) > 1:
            self.open.add((start, end))
        way = self.given.get((start, end))
        return part.model_copy(update={"via": names_of(way)}) if way else part

    def _shown(self, shown: Shown, of: str) -> Shown:
        if shown.ratio is not None:
            parts = tuple(self._shown(part, of) for part in shown.ratio)
            return shown.model_copy(update={"ratio": parts, "where": self.condition(shown.where, of)})
        if shown.rows is not None:
            return shown.model_copy(update={"rows": self.query(shown.rows)})
        home = shown.of or _entity_of(shown.field)
        if shown.measure is not None:
            home = self.model.measures[shown.measure][0]
        own = shown.model_copy(update={"where": self.condition(shown.where, home or of)})
        return self.place(own, of, home)

    def _dimension(self, dimension: Dimension, of: str) -> Dimension:
        return self.place(dimension, of, dimension.entity or _entity_of(dimension.field))

    def condition(self, condition: Condition | None, of: str) -> Condition | None:
        match condition:
            case AllOf() | AnyOf():
                parts = tuple(self.condition(part, of) for part in condition.conditions)
                return condition.model_copy(update={"conditions": parts})
            case Negation():
                return condition.model_copy(update={"condition": self.condition(condition.condition, of)})
            case Related():
                inner = self.query(condition.related)
                end = inner.by[0].entity if inner.by else inner.of
                return self.place(condition.model_copy(update={"related": inner}), of, end)
            case InSegment():
                return self.place(condition, of, self.model.segments[condition.segment][0])
            case FigureComparison():
                value = self.query(condition.value) if isinstance(condition.value, SemanticQuery) else condition.value
                than = self._shown(condition.than, of) if condition.than else None
                shown = self._shown(condition.show, of)
                return condition.model_copy(update={"show": shown, "value": value, "than": than})
            case Comparison():
                value = self.query(condition.value) if isinstance(condition.value, SemanticQuery) else condition.value
                return self.place(condition.model_copy(update={"value": value}), of, _entity_of(condition.field))
            case None:
                return None


def _entity_of(field: str | None) -> str | None:
    return field.rpartition(".")[0] or None if field else None


def added_up(queries: Sequence[SemanticQuery]) -> Iterator[SemanticQuery]:
    """Of what may be meant, that which compares a sum; all of it where nothing does."""
    sums = [query for query in queries if any(_compares_sum(one) for one in parts_of(query.where))]
    yield from sums or queries


def _compares_sum(condition: Condition) -> bool:
    return isinstance(condition, FigureComparison) and condition.show.aggregate is Aggregate.SUM


def _is_time(facts: FieldFacts) -> bool:
    """Whether values are hours or minutes that add up."""
    return facts.can_be_added and facts.declared is not None and facts.declared.unit in TIMES
