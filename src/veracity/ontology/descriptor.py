"""The ontology: what the tables mean, written once. Prompt, JSON schema and validator are made from these models."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Self

from pydantic import Field, field_validator, model_validator

from veracity.language.locale import Text, pick
from veracity.ontology.entities import Entity, Measure, first_repeated
from veracity.ontology.fields import Additivity, Encoding, Names, Upper
from veracity.ontology.questions import CanonicalQueryPattern, Questions
from veracity.wire import Wire


class Misplaced(ValueError):
    """What is wrong with one part of an ontology, and which part that is."""

    def __init__(self, message: str, *place: str | int) -> None:
        super().__init__(message)
        self.place = place


class Cardinality(Upper):
    """How many rows stand on each side of a relation."""

    ONE_TO_ONE = "ONE_TO_ONE"
    ONE_TO_MANY = "ONE_TO_MANY"
    MANY_TO_ONE = "MANY_TO_ONE"
    MANY_TO_MANY = "MANY_TO_MANY"


class ConstraintRule(Upper):
    """The kinds of rule the validator knows."""

    NEVER_AGGREGATE = "NEVER_AGGREGATE"
    SEMI_ADDITIVE = "SEMI_ADDITIVE"
    REQUIRES_FILTER_ON = "REQUIRES_FILTER_ON"
    TYPE_MISMATCH_GUARD = "TYPE_MISMATCH_GUARD"
    WRONG_TABLE_FOR = "WRONG_TABLE_FOR"
    SAME_UNIT = "SAME_UNIT"
    ONE_SIDE = "ONE_SIDE"


class Link(Wire):
    """A table between two entities, each row of which ties a row of one to a row of the other."""

    entity: str
    """The entity whose rows tie the two together."""
    from_keys: dict[str, str] = Field(min_length=1)
    """Fields of the link -> fields of `fromEntity`."""
    to_keys: dict[str, str] = Field(min_length=1)
    """Fields of the link -> fields of `toEntity`."""


class Relation(Wire):
    """A link between two entities."""

    name: str | None = None
    """Tells two relations between the same entities apart; without a word the name of `toEntity`."""
    from_entity: str
    """The entity that it starts from."""
    to_entity: str
    """The entity that it leads to."""
    cardinality: Cardinality
    """How many rows of one belong to how many of the other."""
    via: str | None = None
    """The field of `fromEntity` that holds the key of `toEntity`."""
    keys: dict[str, str] = {}
    """Fields of `fromEntity` -> fields of `toEntity`, where the key has several or is not the grain."""
    through: Link | None = None
    """The table between the two, where the rows of neither hold the key of the other."""
    label: Text = {}
    """What `toEntity` is to `fromEntity`, such as support rep."""
    synonyms: dict[str, tuple[str, ...]] = {}
    """What else people call it, per language."""
    verbs: dict[str, tuple[str, ...]] = {}
    """What `fromEntity` does to `toEntity`: a customer *placed* an order, a river *runs through* a state."""
    inverse_verbs: dict[str, tuple[str, ...]] = {}
    """What `toEntity` does to `fromEntity`: an order *comes from* a customer."""
    place: bool = False
    """Whether it says where something is: `where is Boston` asks for it."""
    symmetric: bool = False
    """Whether it is the same seen from both sides, as bordering is."""
    confirmed: bool = True
    """False: a guess, which is not used until a person says so."""
    question: Text = {}
    """What a person is asked about it."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(map(bool, (self.via, self.keys, self.through))) > 1:
            raise ValueError(f"the relation {self.from_entity} -> {self.to_entity} takes one of via, keys and through")
        return self

    @property
    def joins(self) -> str:
        """What it is joined by: a field, pairs of fields, or the table between."""
        if self.through is not None:
            return self.through.entity
        return self.via or ", ".join(f"{own} = {other}" for own, other in self.keys.items())

    def words(self, lang: str) -> tuple[str, ...]:
        """What people call it in this language."""
        label = pick(self.label, lang)
        return (*((label,) if label else ()), *self.verbs.get(lang, ()), *self.inverse_verbs.get(lang, ()))

    @property
    def is_plain(self) -> bool:
        """Whether it says no more than which field holds a key."""
        return not (self.name or self.keys or self.through or self.label or self.verbs or self.inverse_verbs)


class Constraint(Wire):
    """A rule on fields: which one, where it applies, and what to tell the model."""

    applies_to: Names = Field(min_length=1)
    """`Entity.field`, `Entity` or patterns such as `*.*Balance`."""
    rule: ConstraintRule
    """Which rule it is."""
    message: Text
    """What a refusal says; in English at most 80 characters."""
    fields: Names = ()
    """SEMI_ADDITIVE: what must be pinned. REQUIRES_FILTER_ON: what must be filtered. SAME_UNIT: what fixes the unit.
    ONE_SIDE: what says which accounts are meant, so that an invoice and its payment are not added up."""
    expects: Encoding | None = None
    """TYPE_MISMATCH_GUARD: how the date is stored."""
    use: str | None = None
    """WRONG_TABLE_FOR: the entity to use instead."""
    when: Names = ()
    """WRONG_TABLE_FOR, ONE_SIDE: only calls that filter or group by one of these fields; of ONE_SIDE also entities that are joined."""
    unless: Names = ()
    """WRONG_TABLE_FOR: not for calls that filter or group by one of these fields."""
    apart: dict[str, int | str] = {}
    """REQUIRES_FILTER_ON: a value of a field that sums up the others, never aggregated together with them."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needs = {
            ConstraintRule.SEMI_ADDITIVE: ("fields", self.fields),
            ConstraintRule.REQUIRES_FILTER_ON: ("fields", self.fields),
            ConstraintRule.SAME_UNIT: ("fields", self.fields),
            ConstraintRule.ONE_SIDE: ("fields", self.fields),
            ConstraintRule.TYPE_MISMATCH_GUARD: ("expects", self.expects),
            ConstraintRule.WRONG_TABLE_FOR: ("use", self.use),
        }
        name, value = needs.get(self.rule, ("", True))
        if not value:
            raise ValueError(f"a {self.rule} constraint needs `{name}`")
        return self

    def covers(self, entity: str, field: str) -> bool:
        """Whether the rule is about this field, by its name or by its entity's."""
        return entity in self.applies_to or self.names(entity, field)

    def names(self, entity: str, field: str) -> bool:
        """Whether the rule names this field. A pattern without a dot is about fields of every entity."""
        return any(
            fnmatchcase(f"{entity}.{field}", pattern if "." in pattern else f"*.{pattern}")
            for pattern in self.applies_to
        )


class OntologyDescriptor(Wire):
    """Everything a feature knows about its data."""

    feature_code: str
    """What the ontology is called; two versions of it have the same."""
    description: Text = {}
    """What the data are about."""
    locale: str | None = None
    """How figures are written for readers of German, `de-CH` or `de-DE`; the latter without a word."""
    entities: tuple[Entity, ...] = Field(min_length=1)
    """The things of the business: tables, views and concepts."""
    relations: tuple[Relation, ...] = ()
    """How entities belong together."""
    constraints: tuple[Constraint, ...] = ()
    """Rules on what may be added up, filtered and compared."""
    canonical_patterns: tuple[CanonicalQueryPattern, ...] = ()
    """Calls that answer a kind of question; language models see the nearest ones."""
    questions: Questions = {}
    """Questions that surely have an answer, per language: the first thing that people see."""

    @field_validator("entities")
    @classmethod
    def _unique(cls, entities: tuple[Entity, ...]) -> tuple[Entity, ...]:
        if repeated := first_repeated(entity.name for entity in entities):
            raise ValueError(f"the entity {repeated} is declared twice")
        return entities

    @model_validator(mode="after")
    def _names_resolve(self) -> Self:
        names = {entity.name for entity in self.entities}
        references = [(f"parentEntity of {e.name}", e.parent_entity) for e in self.entities if e.parent_entity]
        references += [(f"constraint {c.rule}", c.use) for c in self.constraints if c.use]
        for where, name in references:
            if name not in names:
                raise ValueError(f"{where} names the entity {name}, which is not declared")
        self._check_relations(names)
        for entity in self.entities:
            self._check_ancestors(entity)
        if repeated := first_repeated(pattern.intent for pattern in self.canonical_patterns):
            raise ValueError(f"the intent {repeated} is declared twice")
        self._check_measures()
        for entity in self.entities:
            for field in entity.fields:
                if self.additivity_of(entity.name, field.name) == (Additivity.SEMI_ADDITIVE, ()):
                    raise ValueError(f"{entity.name}.{field.name} is semi-additive; say over which fields with `over`")
        return self

    def _check_relations(self, names: set[str]) -> None:
        for number, relation in enumerate(self.relations):
            ends = [("fromEntity", relation.from_entity), ("toEntity", relation.to_entity)]
            ends += [("through", relation.through.entity)] if relation.through else []
            for key, name in ends:
                if name not in names:
                    where = f"relation {relation.from_entity} -> {relation.to_entity}"
                    message = f"{where} names the entity {name}, which is not declared"
                    raise Misplaced(message, "relations", number, key)

    def _check_measures(self) -> None:
        found = [
            (m, ("entities", n, "measures", at)) for n, e in enumerate(self.entities) for at, m in enumerate(e.measures)
        ]
        measures: dict[str, Measure] = {}
        for measure, place in found:
            if measure.name in measures:
                raise Misplaced(f"the measure {measure.name} is declared twice", *place)
            measures[measure.name] = measure
        for measure, place in found:
            for part in measure.ratio or ():
                if part not in measures:
                    message = f"the measure {measure.name} names the measure {part}, which is not declared"
                    raise Misplaced(message, *place, "ratio")
                if measures[part].ratio:
                    raise Misplaced(
                        f"the measure {measure.name} divides by ratios; {part} is one itself", *place, "ratio"
                    )
            self._check_date(f"the measure {measure.name}", measure.date, *place, "date")
        segments: set[str] = set()
        for number, entity in enumerate(self.entities):
            named = [
                (entity.default_measure, ()),
                *((s.default_measure, ("segments", n)) for n, s in enumerate(entity.segments)),
            ]
            for measure_name, where in named:
                if measure_name is not None and measure_name not in measures:
                    message = f"defaultMeasure names the measure {measure_name}, which is not declared"
                    raise Misplaced(message, "entities", number, *where, "defaultMeasure")
            self._check_date(f"defaultDate of {entity.name}", entity.default_date, "entities", number, "defaultDate")
            for at, segment in enumerate(entity.segments):
                if segment.name in segments:
                    raise Misplaced(f"the segment {segment.name} is declared twice", "entities", number, "segments", at)
                segments.add(segment.name)

    def _check_date(self, where: str, date: str | None, *place: str | int) -> None:
        home, _, _ = (date or "").rpartition(".")
        if home and self.entity(home) is None:
            raise Misplaced(f"{where} names the entity {home}, which is not declared", *place)

    def _check_ancestors(self, entity: Entity) -> None:
        seen, current = {entity.name}, entity.parent_entity
        while current:
            if current in seen:
                raise ValueError(f"entity {entity.name} is its own ancestor")
            seen.add(current)
            current = next(e.parent_entity for e in self.entities if e.name == current)

    @property
    def unconfirmed(self) -> tuple[tuple[str, Text], ...]:
        """What is a guess, and the question to a person: `Entity.field`, `measure NAME`, `A -> B`, `Entity (display)`."""
        found: list[tuple[str, Text]] = []
        for entity in self.entities:
            found += [(f"{entity.name} ({part})", question) for part, question in entity.unconfirmed.items()]
            found += [(f"{entity.name}.{field.name}", field.question) for field in entity.fields if not field.confirmed]
            found += [(f"measure {one.name}", one.question) for one in entity.measures if not one.confirmed]
        found += [(f"{r.from_entity} -> {r.to_entity}", r.question) for r in self.relations if not r.confirmed]
        return tuple(found)

    @property
    def usable(self) -> Self:
        """The ontology without its guesses: what questions, tools and prompts are made from."""
        if not self.unconfirmed:
            return self
        entities = tuple(entity.without_guesses() for entity in self.entities)
        kept = {measure.name for entity in entities for measure in entity.measures}
        entities = tuple(_with_known_measures(entity, kept) for entity in entities)
        relations = tuple(relation for relation in self.relations if relation.confirmed)
        return self.model_copy(update={"entities": entities, "relations": relations})

    def entity(self, name: str) -> Entity | None:
        """The entity of that name."""
        return next((entity for entity in self.entities if entity.name == name), None)

    def constraints_on(self, entity: str, field: str, rule: ConstraintRule) -> tuple[Constraint, ...]:
        """The constraints of one rule that are about this field."""
        return tuple(c for c in self.constraints if c.rule is rule and c.covers(entity, field))

    def additivity_of(self, entity: str, field: str) -> tuple[Additivity, tuple[str, ...]]:
        """How a field adds up, and over which fields it does not: its own words and the constraints on it together.

        A SEMI_ADDITIVE constraint narrows what is declared additive. It allows adding up only where it names the field
        itself; one on a whole entity does not make numbers of it that nobody declared.
        """
        found = self.entity(entity)
        declared = found.field(field) if found else None
        said = declared.additivity if declared else None
        rules = self.constraints_on(entity, field, ConstraintRule.SEMI_ADDITIVE)
        if said is None and any(rule.names(entity, field) for rule in rules):
            said = Additivity.SEMI_ADDITIVE
        if said in (None, Additivity.NON_ADDITIVE):
            return Additivity.NON_ADDITIVE, ()
        over = (*(declared.over if declared else ()), *(name for rule in rules for name in rule.fields))
        return Additivity.SEMI_ADDITIVE if over else said, tuple(dict.fromkeys(over))


def _with_known_measures(entity: Entity, kept: set[str]) -> Entity:
    """An entity without ratios and segments' figures whose measures are not there."""
    measures = tuple(one for one in entity.measures if not one.ratio or set(one.ratio) <= kept)
    segments = tuple(
        one
        if one.default_measure is None or one.default_measure in kept
        else one.model_copy(update={"default_measure": None})
        for one in entity.segments
    )
    return entity.model_copy(update={"measures": measures, "segments": segments})
