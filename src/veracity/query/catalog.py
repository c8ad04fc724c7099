"""The catalog: what the tools may see of a source. Schema, ontology and scope meet here, once, before any call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from veracity.errors import OntologyError, QueryFailed, UsageError
from veracity.language.nearest import nearest, words_of
from veracity.language.stem import noun_root
from veracity.ontology.descriptor import Constraint, ConstraintRule, OntologyDescriptor
from veracity.ontology.draft.names import ends_in, says, split
from veracity.ontology.entities import Entity, Measure, SemanticType
from veracity.ontology.fields import Additivity, Encoding, EntityField, FieldRole
from veracity.ontology.schema import EntityShape
from veracity.query.views import View, base_tables, parse_view
from veracity.sources.engine_words import engine_words
from veracity.sources.source import NUMERIC, Column, ColumnType, ForeignKey, Scope, Source, TableSchema

_IDENTIFIER_WORDS = frozenset({"id", "uuid", "number", "no", "nr"})
_NAME_WORDS = frozenset({"name", "title", "label", "bezeichnung", "titel"})
_PERSON_NAMES = (["first", "name"], ["last", "name"])
_SUMMED_WORDS = frozenset({"balance", "total"})

PeriodPart = Literal["year", "quarter", "month"]
_PART_WORDS: Mapping[str, PeriodPart] = {
    "year": "year", "jahr": "year", "quarter": "quarter", "quartal": "quarter", "month": "month", "monat": "month",
}  # fmt: skip
_PART_SIGNS: Mapping[str, PeriodPart] = {
    "年": "year", "年度": "year", "年份": "year", "季度": "quarter", "月": "month", "月份": "month",
}  # fmt: skip
_DATE_WORDS = (["date"], ["datum"], ["day"], ["tag"], ["日期"])


@dataclass(frozen=True)
class FieldFacts:
    """All that is known of one field."""

    column: Column
    declared: EntityField | None = None
    additivity: Additivity = Additivity.NON_ADDITIVE
    over: tuple[str, ...] = ()
    never_aggregate: Constraint | None = None
    convention: str | None = None
    """Why the conventions refuse to add it up, where no ontology speaks."""
    identifier: bool = False
    unit_rule: Constraint | None = None
    unit_fixed_by: tuple[str, ...] = ()
    """Pinning or grouping by one of these makes all values of one unit; empty when the unit is always the same."""
    guard: Encoding | None = None
    wrong_table: tuple[Constraint, ...] = ()
    sides: tuple[Constraint, ...] = ()
    """What must say which accounts are meant before it is added up."""

    @cached_property
    def role(self) -> FieldRole | None:
        """The role that the ontology gives it."""
        return self.declared.role if self.declared else None

    @cached_property
    def unit_field(self) -> str | None:
        """The field that says its unit: as the ontology has it, or by the names where no ontology speaks."""
        if self.declared is not None or self.unit_rule is not None:
            return self.declared.unit_field if self.declared else None
        return next(iter(self.unit_fixed_by), None)

    @cached_property
    def can_be_added(self) -> bool:
        """Whether SUM and AVG can be valid on it at all."""
        refused = self.never_aggregate is not None or self.convention is not None or self.identifier
        return self.column.type in NUMERIC and self.additivity is not Additivity.NON_ADDITIVE and not refused

    @cached_property
    def categorical(self) -> bool | None:
        """True: literals must exist. False: never looked up. None: the number of stored values decides."""
        if self.declared is None:
            return None
        free = self.role is FieldRole.FREE_TEXT
        return False if free and self.declared.categorical is None else self.declared.categorical

    @cached_property
    def part(self) -> PeriodPart | None:
        """Whether it holds years, quarters or months: it says so in its name or label."""
        if self.role not in (FieldRole.PERIOD, None) or self.column.type not in (ColumnType.INTEGER, ColumnType.TEXT):
            return None
        labels = tuple(self.declared.label.values()) if self.declared else ()
        for word in (word for text in (self.column.name, *labels) for word in words_of(text).split()):
            if part := _PART_WORDS.get(word) or next((p for s, p in _PART_SIGNS.items() if word.endswith(s)), None):
                return part
        return None

    @cached_property
    def is_date(self) -> bool:
        """Whether it holds days or moments: by its type, by how it is stored, or, of texts, by its name."""
        if self.guard is not None or self.column.type in (ColumnType.DATE, ColumnType.TIMESTAMP):
            return True
        if self.column.type is not ColumnType.TEXT:
            return False
        named = words_of(self.column.name).split()[-1:] in _DATE_WORDS
        return self.role is FieldRole.DATE or (self.role is None and named)

    @cached_property
    def tells_time(self) -> bool:
        """Whether it says when."""
        return self.part is not None or self.is_date


@dataclass(frozen=True, eq=False)
class CatalogEntity:
    """A table or view that the tools can read, without its scope columns."""

    name: str
    fields: Mapping[str, FieldFacts]
    table: TableSchema | None = None
    view: View | None = None
    declared: Entity | None = None
    grain: tuple[str, ...] = ()
    required_filters: tuple[Constraint, ...] = ()
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Labels and synonyms of its fields, case-folded -> the field they stand for."""

    @cached_property
    def keys(self) -> tuple[tuple[str, ...], ...]:
        """Fields that no two rows in scope share, as the database declares them: its primary key first."""
        if self.table is None:
            return ()
        filled = (key for key in self.table.unique if not any(self.table.columns[name].nullable for name in key))
        found = (self._in_scope(key) for key in (self.table.primary_key, *filled))
        return tuple(key for key in found if key and set(key) <= set(self.fields))

    @cached_property
    def references(self) -> tuple[ForeignKey, ...]:
        """The declared foreign keys whose fields can be seen."""
        if self.table is None:
            return ()
        pairs = ((key, self._in_scope(key.columns)) for key in self.table.foreign_keys)
        return tuple(key for key, seen in pairs if seen and set(seen) <= set(self.fields))

    def _in_scope(self, key: tuple[str, ...]) -> tuple[str, ...]:
        """A key without the scope's columns, which are the same in every row that can be seen."""
        hidden = set(self.table.columns) - set(self.fields) if self.table else set()
        return tuple(name for name in key if name not in hidden)

    @cached_property
    def is_snapshot(self) -> bool:
        """Whether a row says how things stood at the end of a period."""
        return self.declared is not None and self.declared.semantic_type is SemanticType.BALANCE_SNAPSHOT

    @cached_property
    def display(self) -> tuple[str, ...]:
        """The fields that people know a row by: as the ontology says, or by their names."""
        if self.declared is not None and self.declared.display:
            return self.declared.display
        named = [name for name, facts in self.fields.items() if facts.role is FieldRole.NAME]
        return tuple(named[:1]) or self._named_like_a_name()

    def _named_like_a_name(self) -> tuple[str, ...]:
        """The text that is called name or title, alone or with the word of the table; first and last name together."""
        texts = {name: words_of(name).split() for name, f in self.fields.items() if f.column.type is ColumnType.TEXT}
        person = [name for words in _PERSON_NAMES for name, own in texts.items() if own == words]
        if len(person) == len(_PERSON_NAMES):
            return tuple(person)
        table = {noun_root(word) for word in words_of(self.name).split()}
        for name, words in texts.items():
            if words and words[-1] in _NAME_WORDS and {noun_root(word) for word in words[:-1]} <= table:
                return (name,)
        return ()

    def repeats(self, facts: FieldFacts) -> bool:
        """Whether a field's value may stand in several rows: said by its own grain, or shown by the view it comes from."""
        grain = facts.declared.grain if facts.declared else ()
        if grain:
            return not (self.grain and set(self.grain) <= set(grain))
        return self.view is not None and self.view.may_repeat(facts.column.name, self.grain)


@dataclass(frozen=True, slots=True)
class Catalog:
    """Every entity the tools can read."""

    entities: Mapping[str, CatalogEntity]
    scope: Scope
    ontology: OntologyDescriptor | None = None
    missing: tuple[str, ...] = ()
    """What the ontology declares and the source does not have."""
    synonyms: Mapping[str, str] = field(default_factory=dict)
    """Labels and synonyms of entities and concepts, case-folded -> the entity they stand for."""
    notes: tuple[str, ...] = ()
    """What people are told before they ask: that a draft is used, what changed in the database."""
    unconfirmed_measures: tuple[Measure, ...] = ()
    """Measures that nobody has confirmed: they are not used, but a question may ask for them."""


def build_catalog(
    source: Source,
    *,
    ontology: OntologyDescriptor | None = None,
    scope: Scope | None = None,
    tables: Iterable[str] | None = None,
) -> Catalog:
    """The catalog of a source: with an ontology its entities, otherwise the tables (all, or those named)."""
    scope = scope or Scope()
    _check_scope(source, scope)
    if ontology is not None:
        # What no person has confirmed goes no further than this.
        guessed = (one for entity in ontology.entities for one in entity.measures if not one.confirmed)
        return replace(_with_ontology(source, ontology.usable, scope), unconfirmed_measures=tuple(guessed))
    names = list(source.tables) if tables is None else [name for name in tables if name in source.tables]
    entities = {
        name: CatalogEntity(
            name,
            _facts_by_convention(_visible(source.tables[name], scope)),
            source.tables[name],
        )
        for name in names
        if _in_scope(source.tables[name], scope)
    }
    missing = tuple(name for name in tables or () if name not in entities)
    return Catalog(entities, scope, missing=missing)


def _check_scope(source: Source, scope: Scope) -> None:
    for key in scope.values:
        if not any(key in table.columns for table in source.tables.values()):
            columns = sorted({name for table in source.tables.values() for name in table.columns})
            near = nearest(key, columns)
            meant = f"; did you mean {near!r}?" if near else "."
            raise UsageError(f"No table of {source.name} has the scope column {key!r}{meant}")


def _in_scope(table: TableSchema, scope: Scope) -> bool:
    # A table that cannot be scoped would show every tenant's rows, so it is not shown at all.
    return all(key in table.columns for key in scope.values)


def _visible(table: TableSchema, scope: Scope) -> list[Column]:
    return [column for column in table.columns.values() if column.name not in scope]


def _facts_by_convention(columns: Sequence[Column]) -> dict[str, FieldFacts]:
    """What names and types say of the columns of a table: amounts beside a currency are in that currency."""
    currencies = [c.name for c in columns if c.type is ColumnType.TEXT and ends_in(split(c.name), "currency_columns")]
    unit = (currencies[0],) if len(currencies) == 1 else ()
    found = {column.name: _by_convention(column) for column in columns}
    return {
        name: replace(facts, unit_fixed_by=unit) if facts.can_be_added and says(split(name), "money") else facts
        for name, facts in found.items()
    }


def _by_convention(column: Column) -> FieldFacts:
    identifier, words = _is_identifier(column.name), words_of(column.name).split()
    reason = None
    if identifier:
        reason = f"{column.name} identifies rows; count it instead."
    elif words[-1:] == ["balance"] or (len(words) > 1 and words[-1] in _SUMMED_WORDS):
        reason = f"{column.name} looks already summed up; query its rows instead."
    adds = column.type in NUMERIC and reason is None
    return FieldFacts(
        column,
        additivity=Additivity.ADDITIVE if adds else Additivity.NON_ADDITIVE,
        convention=reason,
        identifier=identifier,
    )


def _is_identifier(name: str) -> bool:
    words = words_of(name).split()
    return words in (["id"], ["uuid"]) or (len(words) > 1 and words[-1] in _IDENTIFIER_WORDS)


# --- with an ontology


def _with_ontology(source: Source, ontology: OntologyDescriptor, scope: Scope) -> Catalog:
    entities: dict[str, CatalogEntity] = {}
    missing: list[str] = []
    for entity in ontology.entities:
        if not entity.queryable:
            continue
        try:
            entities[entity.name] = _entity(source, ontology, entity, scope)
        except (OntologyError, QueryFailed) as error:
            missing.append(f"{entity.name}: {engine_words(error)}")
    return Catalog(entities, scope, ontology, tuple(missing), _names_by_synonym(ontology.entities))


def with_base_tables(catalog: Catalog, source: Source) -> Catalog:
    """The catalog as raw SQL may read it: also the tables under declared views, unless the ontology hides them.

    Nobody said what their numbers mean, so that none of them is added up; what scope and patterns of constraints say holds.
    """
    if catalog.ontology is None:
        return catalog
    declared = catalog.ontology.entities
    kept = {entity.table for entity in declared if entity.hidden}
    taken = {entity.table.path for entity in catalog.entities.values() if entity.table is not None}
    names = {name.casefold() for name in (*catalog.entities, *(entity.name for entity in declared))}
    found: dict[str, CatalogEntity] = {}
    for view in (entity.view for entity in catalog.entities.values() if entity.view is not None):
        for _, table in base_tables(view.select, source):
            open_ = table.name not in kept and table.path not in taken and table.name.casefold() not in names
            if open_ and _in_scope(table, catalog.scope):
                found[table.name] = _base_table(catalog.ontology, table, catalog.scope)
    return replace(catalog, entities={**catalog.entities, **found}) if found else catalog


def _base_table(ontology: OntologyDescriptor, table: TableSchema, scope: Scope) -> CatalogEntity:
    bare = Entity(name=table.name, table=table.name)
    fields = {column.name: _declared_facts(ontology, bare, column) for column in _visible(table, scope)}
    return CatalogEntity(table.name, fields, table)


def _entity(source: Source, ontology: OntologyDescriptor, entity: Entity, scope: Scope) -> CatalogEntity:
    table, view, columns = None, None, list[Column]()
    if entity.view:
        view = parse_view(entity.name, entity.view, source, scope)
        columns = [column for column in view.columns if column.name not in scope]
    else:
        table = source.tables.get(entity.table or "")
        if table is None:
            raise OntologyError(f"the source has no table {entity.table}")
        if not _in_scope(table, scope):
            raise OntologyError(f"the table {entity.table} lacks a scope column ({', '.join(scope.values)})")
        columns = _visible(table, scope)
    fields = {column.name: _declared_facts(ontology, entity, column) for column in columns}
    required = tuple(rule for rule in ontology.constraints if _is_required(rule, entity.name, fields))
    return CatalogEntity(
        entity.name, fields, table, view, entity, entity.grain, required, _names_by_synonym(entity.fields)
    )


def _is_required(rule: Constraint, entity: str, fields: Mapping[str, FieldFacts]) -> bool:
    if rule.rule is not ConstraintRule.REQUIRES_FILTER_ON or not any(rule.covers(entity, name) for name in fields):
        return False
    unknown = [name for name in (*rule.fields, *rule.apart) if name not in fields]
    if unknown and (entity in rule.applies_to or any(place.startswith(f"{entity}.") for place in rule.applies_to)):
        # A rule that silently stopped working would let through what it is there to refuse.
        raise OntologyError(f"its required filter {unknown[0]} is not a field of it")
    return not unknown


def _declared_facts(ontology: OntologyDescriptor, entity: Entity, column: Column) -> FieldFacts:
    declared = entity.field(column.name)

    def constraints(rule: ConstraintRule) -> tuple[Constraint, ...]:
        return ontology.constraints_on(entity.name, column.name, rule)

    never, units = constraints(ConstraintRule.NEVER_AGGREGATE), constraints(ConstraintRule.SAME_UNIT)
    guard = next((constraint.expects for constraint in constraints(ConstraintRule.TYPE_MISMATCH_GUARD)), None)
    additivity, over = ontology.additivity_of(entity.name, column.name)
    unit_field = (declared.unit_field,) if declared and declared.unit_field else ()
    role = declared.role if declared else None
    identifier = role in (FieldRole.IDENTIFIER, FieldRole.CODE) or (role is None and _is_identifier(column.name))
    return FieldFacts(
        column,
        declared,
        additivity=additivity,
        over=over,
        never_aggregate=next(iter(never), None),
        identifier=identifier,
        unit_rule=next(iter(units), None),
        unit_fixed_by=tuple(dict.fromkeys((*unit_field, *(name for c in units for name in c.fields)))),
        guard=guard,
        wrong_table=constraints(ConstraintRule.WRONG_TABLE_FOR),
        sides=constraints(ConstraintRule.ONE_SIDE),
    )


def _names_by_synonym(named: Sequence[Entity] | Sequence[EntityField]) -> dict[str, str]:
    """What people call these things; where two share a word, the first one has it."""
    names: dict[str, str] = {}
    for thing in named:
        for word in (*thing.label.values(), *(synonym for group in thing.synonyms.values() for synonym in group)):
            names.setdefault(word.casefold(), thing.name)
    return names


# --- what the compilers are told


def field_types(catalog: Catalog) -> dict[str, dict[str, str]]:
    """The visible fields of each entity and their types."""
    return {
        entity.name: {name: facts.column.type.value for name, facts in entity.fields.items()}
        for entity in catalog.entities.values()
    }


def entity_shapes(catalog: Catalog) -> list[EntityShape]:
    """What the JSON schema says of each entity."""
    return [
        EntityShape(
            entity.name,
            fields=tuple(entity.fields),
            additive=tuple(n for n, facts in entity.fields.items() if facts.can_be_added and not entity.repeats(facts)),
            required=tuple(dict.fromkeys(name for rule in entity.required_filters for name in rule.fields)),
        )
        for entity in catalog.entities.values()
    ]
