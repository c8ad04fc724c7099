"""The things of an ontology and how they hang together: entities with their keys, relations in both directions, shortest ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from veracity.errors import OntologyError
from veracity.language.nearest import did_you_mean
from veracity.ontology.descriptor import Cardinality, OntologyDescriptor, Relation
from veracity.ontology.entities import DateParts, Entity, Measure, Segment
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts
from veracity.sources.source import Row

MOST_STEPS = 6
"""Ways longer than this are not looked for."""
_INVERSE = {
    Cardinality.ONE_TO_MANY: Cardinality.MANY_TO_ONE,
    Cardinality.MANY_TO_ONE: Cardinality.ONE_TO_MANY,
    Cardinality.ONE_TO_ONE: Cardinality.ONE_TO_ONE,
    Cardinality.MANY_TO_MANY: Cardinality.MANY_TO_MANY,
}


@dataclass(frozen=True, slots=True)
class Hop:
    """One join: the pairs of fields that must be equal, from the row at hand to rows of `entity`."""

    entity: str
    keys: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Step:
    """A relation followed in one direction."""

    name: str
    start: str
    end: str
    to_one: bool
    """Whether each row of `start` has at most one row of `end`."""
    hops: tuple[Hop, ...]
    """One join, or two where a link table stands between."""
    relation: Relation | None = field(default=None, compare=False)
    inverse: bool = False
    """Whether the relation is followed from its `toEntity` back."""

    @property
    def has_role(self) -> bool:
        """Whether people have a word for what one is to the other, such as capital."""
        return self.relation is not None and bool(self.relation.label or self.relation.synonyms)


Way = tuple[Step, ...]
"""Relations followed one after the other."""


@dataclass(frozen=True, eq=False)
class Thing:
    """An entity of a semantic model: what identifies its rows, what people know them by, what can be said of them."""

    name: str
    catalog: CatalogEntity
    key: tuple[str, ...]
    """The fields that identify a row; empty where nobody says."""
    display: tuple[str, ...]
    measures: Mapping[str, Measure]
    segments: Mapping[str, Segment]
    default_date: str | None = None
    date_parts: DateParts | None = None

    @property
    def declared(self) -> Entity | None:
        """What the ontology says of it."""
        return self.catalog.declared

    @property
    def fields(self) -> Mapping[str, FieldFacts]:
        """Its fields."""
        return self.catalog.fields

    def has_measure_called_as(self, field: str) -> bool:
        """Whether a measure of the same name is the sum of a field, so that the word means the measure: of the rows that count."""
        declared = self.fields[field].declared
        called = {name.casefold() for name in declared.label.values()} if declared else set()
        return any(
            str(one.aggregate).upper() == "SUM"
            and one.expression in (field, f'"{field}"')
            and called & {name.casefold() for name in one.label.values()}
            for one in self.measures.values()
        )


class SemanticModel:
    """Entities, relations, measures and segments of a catalog, ready to compose and compile queries with."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        ontology = catalog.ontology
        concepts = _concepts(ontology)
        self.things: dict[str, Thing] = {
            name: _thing(entity, concepts)
            for name, entity in catalog.entities.items()
            if not (entity.declared and entity.declared.tools_only)
        }
        self.steps: dict[str, list[Step]] = {name: [] for name in self.things}
        for relation in (*(ontology.relations if ontology else ()), *self._declared_keys()):
            for step in self._told_apart(relation):
                self.steps[step.start].append(step)
        self.measures: dict[str, tuple[str, Measure]] = {
            name: (thing.name, measure) for thing in self.things.values() for name, measure in thing.measures.items()
        }
        self._ways: dict[tuple[str, str], tuple[Way, ...]] = {}
        self.seen_keys: dict[tuple[str, tuple[str, ...]], tuple[float, Row | None]] = {}
        """Fields that were looked at in the data: when, and values that several rows share."""
        self.compiled: dict[Hashable, Any] = {}
        """The latest statements that were written for it."""
        self.labels: dict[tuple[str, str | None], Any] = {}
        """What things are called, by language and locale."""

    def _declared_keys(self) -> Iterator[Relation]:
        """The relations that the database itself declares and the ontology does not."""
        ontology = self.catalog.ontology
        said = {(r.from_entity, r.via or tuple(r.keys)) for r in ontology.relations} if ontology else set()
        by_table = {thing.catalog.table.name: thing for thing in self.things.values() if thing.catalog.table}
        for table, thing in by_table.items():
            keys = thing.catalog.table.foreign_keys if thing.catalog.table else ()
            several = Counter(key.table for key in keys)
            for key in keys:
                other = by_table.get(key.table)
                columns = key.columns[0] if len(key.columns) == 1 else key.columns
                if other is None or (thing.name, columns) in said or (thing.name, key.columns) in said:
                    continue
                # Two keys into one table are told apart by their columns; so is one into the table itself.
                role = "_".join(key.columns) if several[key.table] > 1 or key.table == table else None
                yield Relation(
                    name=role,
                    from_entity=thing.name,
                    to_entity=other.name,
                    cardinality=Cardinality.MANY_TO_ONE,
                    keys=dict(zip(key.columns, key.referred, strict=True)),
                )

    def _told_apart(self, relation: Relation) -> list[Step]:
        """The steps of a relation. Where a city belongs to a state and the state has a capital, the second is called by its column."""
        steps = list(self._steps(relation))
        taken = any(step.name == known.name for step in steps for known in self.steps[step.start])
        if relation.name or not taken:
            return steps
        named = relation.via or "_".join(relation.keys) or (relation.through.entity if relation.through else "")
        return list(self._steps(relation.model_copy(update={"name": named})))

    def _steps(self, relation: Relation) -> Iterator[Step]:
        """A relation in both directions; none where the source lacks one of its tables."""
        start, end = self.things.get(relation.from_entity), self.things.get(relation.to_entity)
        if start is None or end is None:
            return
        name = relation.name or relation.to_entity
        back = f"{relation.name}^" if relation.name else relation.from_entity
        if start is end and not relation.name:
            back = f"{name}^"
        many = relation.cardinality
        forth, home = self._hops(relation, start, end)
        if not forth:
            return
        yield Step(name, start.name, end.name, _to_one(many), forth, relation)
        yield Step(back, end.name, start.name, _to_one(_INVERSE[many]), home, relation, inverse=True)

    def _hops(self, relation: Relation, start: Thing, end: Thing) -> tuple[tuple[Hop, ...], tuple[Hop, ...]]:
        place = f"the relation {relation.name or f'{start.name} -> {end.name}'}"
        if (link := relation.through) is not None:
            between = self.things.get(link.entity)
            if between is None:
                return (), ()
            _check_fields(place, between, link.from_keys, start)
            _check_fields(place, between, link.to_keys, end)
            into = tuple((own, key) for key, own in link.from_keys.items())
            out = tuple(link.to_keys.items())
            forth = (Hop(between.name, into), Hop(end.name, out))
            home = (Hop(between.name, tuple((b, a) for a, b in out)), Hop(start.name, tuple((b, a) for a, b in into)))
            return forth, home
        keys = dict(relation.keys)
        if relation.via:
            if len(end.key) != 1:
                raise OntologyError(
                    f"{place} says `via`, but the grain of {end.name} is not one field; write `keys` with both sides"
                )
            keys = {relation.via: end.key[0]}
        _check_fields(place, start, keys, end)
        pairs = tuple(keys.items())
        return (Hop(end.name, pairs),) if pairs else (), (Hop(start.name, tuple((b, a) for a, b in pairs)),)

    # --- ways

    def ways(self, start: str, end: str) -> tuple[Way, ...]:
        """The shortest ways from one entity to another; several where the words do not say which. Nothing: no way."""
        if start == end:
            return ((),)
        if (start, end) not in self._ways:
            self._ways[start, end] = self._shortest(start, end)
        return self._ways[start, end]

    def _shortest(self, start: str, end: str) -> tuple[Way, ...]:
        """Breadth first. A relation with a role is followed by itself only where no plain one is as short."""
        frontier: list[Way] = [()]
        for _ in range(MOST_STEPS):
            frontier = [
                (*way, step)
                for way in frontier
                for step in self.steps.get(way[-1].end if way else start, ())
                if step.end != start and all(step.end != before.end for before in way)
            ]
            if found := [way for way in frontier if way[-1].end == end]:
                if len(found[0]) == 1:  # who leads a project is not all who work on it
                    found += self._over_link_tables(start, end)
                plain = [way for way in found if not any(step.has_role for step in way)]
                return tuple(plain or found)
        return ()

    def _over_link_tables(self, start: str, end: str) -> Iterator[Way]:
        """The ways over a table whose rows are only pairs of the two: as short as one relation."""
        for into in self.steps.get(start, ()):
            between = self.things[into.end]
            for out in self.steps.get(into.end, ()):
                pair = out.end == end and out.to_one and not into.to_one and into.end not in (start, end)
                if pair and len(into.hops) == len(out.hops) == 1 and between.key:
                    own = {other for _, other in into.hops[0].keys} | {own for own, _ in out.hops[0].keys}
                    if own == set(between.key):
                        yield (into, out)

    def way(self, start: str, names: tuple[str, ...]) -> Way | None:
        """The way that these relation names spell."""
        way: list[Step] = []
        for name in names:
            here = way[-1].end if way else start
            step = next((step for step in self.steps.get(here, ()) if step.name == name), None)
            if step is None:
                return None
            way.append(step)
        return tuple(way)

    def back(self, way: Way) -> Way:
        """The same way from its end to its start."""
        return tuple(
            next(s for s in self.steps[step.end] if s.relation is step.relation and s.inverse is not step.inverse)
            for step in reversed(way)
        )

    def place(self, home: Way, way: Way) -> Way:
        """A way seen from the end of another one that starts at the same entity: back as far as they differ, then on."""
        shared = 0
        while shared < min(len(home), len(way)) and home[shared] == way[shared]:
            shared += 1
        return (*self.back(home[shared:]), *way[shared:])

    @cached_property
    def segments(self) -> Mapping[str, tuple[str, Segment]]:
        """The segments of all entities by name."""
        return {
            name: (thing.name, segment) for thing in self.things.values() for name, segment in thing.segments.items()
        }


def _check_fields(place: str, one: Thing, names: Mapping[str, str], other: Thing) -> None:
    for thing, fields in ((one, names.keys()), (other, names.values())):
        for name in fields:
            if name not in thing.fields:
                near = did_you_mean(name, thing.fields)
                raise OntologyError(f"{place} names the field {name} of {thing.name}, which is not there{near}")


def is_to_one(way: Way) -> bool:
    """Whether each row has at most one row at the other end."""
    return all(step.to_one for step in way)


def names_of(way: Way) -> tuple[str, ...]:
    """The relation names of a way."""
    return tuple(step.name for step in way)


def _to_one(cardinality: Cardinality) -> bool:
    return cardinality in (Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_ONE)


def _concepts(ontology: OntologyDescriptor | None) -> dict[tuple[str, ...], list[Segment]]:
    """The groups of a numbered chart, as segments of the entity whose key the numbers are."""
    found: dict[tuple[str, ...], list[Segment]] = {}
    entities = {entity.name: entity for entity in ontology.entities} if ontology else {}
    for entity in entities.values():
        numbers, measure, parent = entity.number_range, entity.default_measure, entity.parent_entity
        if numbers is None:
            continue
        while measure is None and parent:
            measure, parent = entities[parent].default_measure, entities[parent].parent_entity
        where = " OR ".join(f"{numbers.field} LIKE '{pattern}'" for pattern in numbers.like)
        group = Segment(
            name=entity.name, label=entity.label, synonyms=entity.synonyms, where=where, default_measure=measure
        )
        found.setdefault((numbers.field,), []).append(group)
    return found


def _thing(entity: CatalogEntity, concepts: Mapping[tuple[str, ...], list[Segment]]) -> Thing:
    declared = entity.declared
    if declared is not None:
        _check_own_fields(entity, declared)
    key = entity.grain or (entity.table.primary_key if entity.table else ())
    return Thing(
        entity.name,
        entity,
        key,
        entity.display or key,
        {measure.name: measure for measure in declared.measures} if declared else {},
        {segment.name: segment for segment in (*(declared.segments if declared else ()), *concepts.get(key, ()))},
        _default_date(entity, declared) if declared else None,
        declared.date_parts if declared else None,
    )


def _default_date(entity: CatalogEntity, declared: Entity) -> str | None:
    """The date of the rows that is declared; of rows without any date of their own the one that all of their measures are about."""
    dates = {measure.date or "" for measure in declared.measures}
    own = declared.date_parts is not None or any(facts.is_date for facts in entity.fields.values())
    return declared.default_date or (dates.pop() or None if len(dates) == 1 and not own else None)


def _check_own_fields(entity: CatalogEntity, declared: Entity) -> None:
    """What an entity says of its own fields must be there; other entities are looked at where they are used."""
    parts = declared.date_parts
    said = [("grain", name) for name in declared.grain] + [("display", name) for name in declared.display]
    said += [("defaultDate", declared.default_date or "")]
    said += [("dateParts.year", parts.year), ("dateParts.month", parts.month or "")] if parts else []
    for place, name in said:
        own = name.removeprefix(f"{entity.name}.")
        if own and "." not in own and own not in entity.fields:
            near = did_you_mean(own, entity.fields)
            raise OntologyError(f"{place} of {entity.name} names the field {own}, which is not there{near}")
