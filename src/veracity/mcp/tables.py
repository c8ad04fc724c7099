"""The tables of a source as another agent has to know them: fields, what adds up, groups and rules."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.locale import pick
from veracity.ontology.compiler import compile_prompt, schema_prompt
from veracity.ontology.descriptor import Additivity
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts, field_types
from veracity.wire import Wire

MOST_WITH_FIELDS = 40
"""Tables up to which a list shows their fields, too."""


class ListedField(Wire):
    """A field of a table."""

    name: str
    type: str
    label: str = ""
    description: str = ""
    sums: bool = False
    """Whether SUM and AVG may be valid on it."""
    within_one: tuple[str, ...] = ()
    """The fields that must be the same in all rows that are added up."""


class ListedTable(Wire):
    """A table or declared view."""

    table_name: str
    label: str = ""
    description: str = ""
    one_row_per: tuple[str, ...] = ()
    must_filter: tuple[str, ...] = ()
    """Fields that every call has to filter, group by or sort by."""
    fields: tuple[ListedField, ...] = ()


class ListedGroup(Wire):
    """A group that a code belongs to: a filter with LIKE, not a table."""

    label: str
    field: str
    like: tuple[str, ...]


class ListedRule(Wire):
    """A rule that calls are held to."""

    applies_to: tuple[str, ...]
    rule: str
    message: str


class TableList(Wire):
    """What `list_tables` returns."""

    tables: tuple[ListedTable, ...]
    groups: tuple[ListedGroup, ...] = ()
    rules: tuple[ListedRule, ...] = ()
    note: str = ""


def list_tables(catalog: Catalog, lang: str, names: Sequence[str] = ()) -> TableList:
    """The tables of these names with all that is known of them; without names all, and where they are many, without fields."""
    chosen = [catalog.entities[name] for name in names] or list(catalog.entities.values())
    whole = bool(names) or len(chosen) <= MOST_WITH_FIELDS
    return TableList(
        tables=tuple(_table(entity, lang, whole=whole) for entity in chosen),
        groups=_groups(catalog, lang),
        rules=_rules(catalog, lang),
        note="" if whole else f"There are {len(chosen)} tables; name some in `tables` to see their fields.",
    )


def guide(catalog: Catalog, lang: str) -> str:
    """The same for reading: the block that a model is given before a question."""
    types = field_types(catalog)
    if catalog.ontology is None:
        return schema_prompt(types, lang=lang)
    return compile_prompt(catalog.ontology, lang, types=types)


def _table(entity: CatalogEntity, lang: str, *, whole: bool) -> ListedTable:
    declared = entity.declared
    return ListedTable(
        table_name=entity.name,
        label=pick(declared.label, lang) if declared else "",
        description=pick(declared.description, lang) if declared else "",
        one_row_per=entity.grain,
        must_filter=tuple(dict.fromkeys(name for rule in entity.required_filters for name in rule.fields)),
        fields=tuple(_field(name, facts, lang) for name, facts in entity.fields.items()) if whole else (),
    )


def _field(name: str, facts: FieldFacts, lang: str) -> ListedField:
    declared = facts.declared
    sums = facts.can_be_added
    return ListedField(
        name=name,
        type=facts.column.type,
        label=pick(declared.label, lang) if declared else "",
        description=pick(declared.description, lang) if declared else "",
        sums=sums,
        within_one=facts.over if sums and facts.additivity is Additivity.SEMI_ADDITIVE else (),
    )


def _groups(catalog: Catalog, lang: str) -> tuple[ListedGroup, ...]:
    concepts = catalog.ontology.entities if catalog.ontology else ()
    return tuple(
        ListedGroup(label=pick(one.label, lang) or one.name, field=one.number_range.field, like=one.number_range.like)
        for one in concepts
        if one.number_range
    )


def _rules(catalog: Catalog, lang: str) -> tuple[ListedRule, ...]:
    constraints = catalog.ontology.constraints if catalog.ontology else ()
    return tuple(
        ListedRule(applies_to=one.applies_to, rule=one.rule, message=pick(one.message, lang)) for one in constraints
    )
