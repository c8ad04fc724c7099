"""An ontology held against a source: entities, fields, views, keys, units and invariants. One check is one function."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from veracity.contracts import Cell
from veracity.errors import OntologyError, QueryFailed, VeracityError
from veracity.language.locale import pick
from veracity.language.nearest import did_you_mean
from veracity.ontology.entities import Entity, Invariant
from veracity.ontology.fields import FieldRole
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts
from veracity.query.compile import compile_call, compile_distinct, compile_duplicates
from veracity.query.findings import CheckedOntology, OntologyFinding, Place, counted_fields, sentence
from veracity.query.model import Call
from veracity.query.views import parse_condition, parse_view
from veracity.sources.engine_words import engine_words
from veracity.sources.source import ColumnType, fetch

if TYPE_CHECKING:
    from sqlglot import exp


async def entities_exist(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """The source has the table of every entity, and can describe every view."""
    places = {declared.name: number for number, declared in enumerate(checked.ontology.entities)}
    for entry in checked.catalog.missing:
        name, _, why = entry.partition(": ")
        yield OntologyFinding(where=name, message=sentence(why), place=("entities", places[name]))


async def fields_exist(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Every field that an entity names is there."""
    for number, declared, entity in checked.entities():
        for at, field in enumerate(declared.fields):
            named = {
                "": (field.name,),
                " (unitField)": (field.unit_field or "",),
                " (over)": field.over,
                " (grain)": field.grain,
            }
            for role, names in named.items():
                for name in names:
                    if name and name not in entity.fields:
                        where = f"{entity.name}.{field.name}{role}"
                        yield OntologyFinding(
                            where=where, message=no_field(name, entity), place=("entities", number, "fields", at)
                        )
        for name in declared.grain:
            if name not in entity.fields:
                where = f"{entity.name} (grain)"
                yield OntologyFinding(where=where, message=no_field(name, entity), place=("entities", number, "grain"))


def no_field(name: str, entity: CatalogEntity) -> str:
    """That there is no such field, with the nearest one that there is."""
    return f"The source has no field {name} here{did_you_mean(name, entity.fields)}"


async def views_run(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Every row and every column of a view can be read; a broken one says what the engine said, and at which column."""
    for number, _, entity in checked.entities():
        if entity.view is None:
            continue
        place: Place = ("entities", number, "view")
        try:
            await checked.counts(entity)
        except QueryFailed as failure:
            name = await _broken_column(entity, checked)
            where = f"{entity.name}.{name}" if name else entity.name
            yield OntologyFinding(where=where, message=f"The view fails: {engine_words(failure)}", place=place)


async def _broken_column(entity: CatalogEntity, checked: CheckedOntology) -> str | None:
    """The first column of a view that cannot be read, where it is one column that breaks it."""
    try:
        await checked.count_filled(entity, ())
    except QueryFailed:
        return None
    for name in counted_fields(entity):
        try:
            await checked.count_filled(entity, (name,))
        except QueryFailed:
            return name
    return None


async def keys_are_unique(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """No two rows of an entity share its grain, and a view has one."""
    for number, _, entity in checked.entities():
        where, place = f"{entity.name} (grain)", ("entities", number, "grain")
        if entity.view is not None and not entity.grain:
            message = "A view needs a grain: without one nobody can tell double counting."
            yield OntologyFinding(where=where, message=message, place=("entities", number))
        if not _has_key(entity) or checked.is_broken("entities", number, "view"):
            continue
        if any(set(key) <= set(entity.grain) for key in entity.keys):
            continue  # the database itself keeps it unique
        count, example = compile_duplicates(entity, checked.catalog, checked.source)
        try:
            (repeated,) = (await fetch(checked.source, count))[0]
            row = (await fetch(checked.source, example))[0] if repeated else ()
        except QueryFailed as failure:
            yield OntologyFinding(where=where, message=f"It could not be checked: {engine_words(failure)}", place=place)
            continue
        if repeated:
            yield OntologyFinding(
                where=where,
                message=f"The grain ({', '.join(entity.grain)}) is not unique: several rows share it.",
                count=int(str(repeated)),
                example=dict(zip([*entity.grain, "rows"], row, strict=True)),
                place=place,
            )


def _has_key(entity: CatalogEntity) -> bool:
    return bool(entity.grain) and all(name in entity.fields for name in entity.grain)


async def keys_are_filled(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Every row has a value in each field of its grain."""
    for number, _, entity in checked.entities():
        if not _has_key(entity) or not counted_fields(entity) or checked.is_broken("entities", number, "view"):
            continue
        where, place = f"{entity.name} (grain)", ("entities", number, "grain")
        try:
            counts = await checked.counts(entity)
        except QueryFailed as failure:
            yield OntologyFinding(where=where, message=f"It could not be checked: {engine_words(failure)}", place=place)
            continue
        for name in entity.grain:
            if empty := counts.rows - counts.filled.get(name, counts.rows):
                message = f"{name} identifies rows and is empty in some."
                yield OntologyFinding(where=where, message=message, count=empty, place=place)


async def units_are_said(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Amounts that are added up are in one unit, or each says its own."""
    for number, _, entity in checked.entities():
        if checked.is_broken("entities", number):
            continue
        for at, facts in _declared_fields(entity):
            where, place = f"{entity.name}.{facts.column.name}", ("entities", number, "fields", at)
            try:
                problem = await _unit_problem(facts, entity, checked)
            except QueryFailed as failure:
                problem = OntologyFinding(where="", message=f"Its unit could not be checked: {engine_words(failure)}")
            if problem is not None:
                yield problem.model_copy(update={"where": where, "place": place})


def _declared_fields(entity: CatalogEntity) -> Iterator[tuple[int, FieldFacts]]:
    for at, field in enumerate(entity.declared.fields if entity.declared else ()):
        if field.name in entity.fields:
            yield at, entity.fields[field.name]


async def _unit_problem(facts: FieldFacts, entity: CatalogEntity, checked: CheckedOntology) -> OntologyFinding | None:
    declared = facts.declared
    assert declared is not None
    if declared.unit and declared.unit_field:
        message = f"It has the unit {declared.unit}, and {declared.unit_field} says the unit of each row; keep one."
        return OntologyFinding(where="", message=message)
    if declared.unit_field:
        unsaid = await _rows_without_unit(facts, declared.unit_field, entity, checked)
        message = f"Rows have a value and no unit: {declared.unit_field} is empty there."
        return OntologyFinding(where="", message=message, count=unsaid, level="warning") if unsaid else None
    if declared.unit or facts.unit_fixed_by or declared.role is not FieldRole.AMOUNT or not facts.can_be_added:
        return None
    for other in entity.fields.values():
        if other.role is FieldRole.CURRENCY and other.column.type is ColumnType.TEXT:
            distinct = compile_distinct(entity, other.column.name, checked.catalog, checked.source, most=2)
            if len([row for row in await fetch(checked.source, distinct) if row[0]]) > 1:
                name = other.column.name
                message = f"{name} holds several currencies, and they would be added up: write `unitField: {name}`."
                return OntologyFinding(where="", message=message)
    return None


async def _rows_without_unit(facts: FieldFacts, unit: str, entity: CatalogEntity, checked: CheckedOntology) -> int:
    from sqlglot import exp

    value = exp.column(facts.column.name, quoted=True)
    said: exp.Expr = exp.column(unit, quoted=True)
    if entity.fields[unit].column.type is ColumnType.TEXT and not entity.fields[unit].column.cast:
        said = exp.Nullif(this=said, expression=exp.Literal.string(""))
    return await count_unless(entity, exp.or_(said.is_(exp.null()).not_(), value.is_(exp.null())), checked)


async def count_unless(entity: CatalogEntity, condition: exp.Expr, checked: CheckedOntology) -> int:
    """The rows of an entity for which a condition is not true; raises `QueryFailed`."""
    counting = Call("aggregateTable", entity.name, aggregate="COUNT")
    compiled = compile_call(counting, checked.catalog, checked.source, row_limit=1, unless=condition)
    (count,) = (await fetch(checked.source, compiled.statement))[0]
    return int(str(count))


async def invariants_hold(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """What is said to be true of every row is."""
    for number, declared in enumerate(checked.ontology.entities):
        for at, invariant in enumerate(declared.invariants):
            where = f"{declared.name}, invariant {invariant.name}"
            place = ("entities", number, "invariants", at)
            try:
                broken = await _broken(declared, invariant, checked)
            except VeracityError as error:
                why = f"It could not be checked: {engine_words(error)}"
                yield OntologyFinding(where=where, message=why, place=place)
                continue
            if broken:
                count, example = broken
                message = sentence(f"Rows break it: {pick(invariant.description, checked.lang)}")
                yield OntologyFinding(where=where, message=message, count=count, example=example, place=place)


async def _broken(
    declared: Entity, invariant: Invariant, checked: CheckedOntology
) -> tuple[int, dict[str, Cell]] | None:
    """How many rows break the invariant, and one of them."""
    catalog, source = checked.catalog, checked.source
    entity, where = catalog.entities.get(declared.name), None
    if invariant.violations:
        view = parse_view(f"the invariant {invariant.name}", invariant.violations, source, catalog.scope)
        entity = CatalogEntity(declared.name, {column.name: FieldFacts(column) for column in view.columns}, view=view)
    elif invariant.holds and entity is not None:
        where = parse_condition(f"the invariant {invariant.name}", invariant.holds, entity.fields)
    elif invariant.holds and declared.queryable:
        raise OntologyError(f"{declared.name} is not in the source.")
    if entity is None or not (invariant.holds or invariant.violations):
        return None
    inner = Catalog({declared.name: entity}, catalog.scope)
    counting = Call("aggregateTable", declared.name, aggregate="COUNT")
    (count,) = (await fetch(source, compile_call(counting, inner, source, row_limit=1, unless=where).statement))[0]
    if not count:
        return None
    showing = compile_call(Call("queryTable", declared.name), inner, source, row_limit=1, unless=where)
    row = (await fetch(source, showing.statement))[0]
    return int(str(count)), dict(zip((column.name for column in showing.columns), row, strict=True))


DATA_CHECKS = (
    entities_exist,
    fields_exist,
    views_run,
    keys_are_unique,
    keys_are_filled,
    units_are_said,
    invariants_hold,
)
