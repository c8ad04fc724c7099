"""An ontology held against a source: what it declares, and what the data says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any

from veracity.contracts import HINT_LENGTH, Cell
from veracity.errors import OntologyError, QueryFailed, VeracityError
from veracity.language.locale import DEFAULT_LANGUAGE, pick
from veracity.language.nearest import did_you_mean
from veracity.ontology.descriptor import CanonicalQueryPattern, Constraint, Entity, Invariant, OntologyDescriptor
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts, build_catalog
from veracity.query.compile import check_scope_values, compile_call, compile_distinct, compile_duplicates
from veracity.query.model import Call, Filter, read_call
from veracity.query.validator import first_problem, values_exist
from veracity.query.values import MANY_VALUES, ValueProfile
from veracity.query.views import parse_condition, parse_view
from veracity.sources.source import Scope, Source, fetch
from veracity.wire import Wire


class OntologyFinding(Wire):
    """Something in the ontology that the source does not bear out."""

    where: str
    """`Entity`, `Entity.field`, `invariant name` or `pattern INTENT`."""
    message: str
    count: int | None = None
    """How many rows are affected."""
    example: dict[str, Cell] | None = None


async def check_declared(
    ontology: OntologyDescriptor, source: Source, scope: Scope | None = None, *, lang: str = DEFAULT_LANGUAGE
) -> list[OntologyFinding]:
    """What is declared and does not fit, in the order of the ontology: entities, grains, invariants, rules, patterns, reachability."""
    catalog = build_catalog(source, ontology=ontology, scope=scope)
    check_scope_values(source, catalog.scope)
    findings = [
        OntologyFinding(where=entry.partition(": ")[0], message=_sentence(entry.partition(": ")[2]))
        for entry in catalog.missing
    ]
    for entity in catalog.entities.values():
        findings += _fields(entity)
        findings += [finding async for finding in _grain(entity, catalog, source)]
    for declared in ontology.entities:
        for invariant in declared.invariants:
            findings += [finding async for finding in _invariant(declared, invariant, catalog, source, lang)]
    findings += _relations(ontology, catalog)
    findings += [finding for constraint in ontology.constraints for finding in _constraint(constraint, catalog)]
    for pattern in ontology.canonical_patterns:
        findings += [finding async for finding in _pattern(pattern, catalog, source)]
    findings += _unreachable(ontology)
    findings += [finding async for finding in _nothing_in_scope(catalog, source)]
    return findings


async def _nothing_in_scope(catalog: Catalog, source: Source) -> AsyncIterator[OntologyFinding]:
    """Where no table has a row, everything fits, and nothing was checked."""
    for name in catalog.entities:
        one = compile_call(Call("queryTable", name), catalog, source, row_limit=1).statement
        with suppress(QueryFailed):
            if await fetch(source, one):
                return
    if catalog.entities:
        scope = ", ".join(f"{key}={value}" for key, value in catalog.scope.values.items())
        yield OntologyFinding(
            where=source.name,
            message=f"No table holds a row{f' in the scope {scope}' if scope else ''}: nothing could be checked.",
        )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def _fields(entity: CatalogEntity) -> Iterator[OntologyFinding]:
    declared = entity.declared
    assert declared is not None
    for field in declared.fields:
        named = {
            "": (field.name,),
            " (unitField)": (field.unit_field or "",),
            " (over)": field.over,
            " (grain)": field.grain,
        }
        for role, names in named.items():
            for name in names:
                if name and name not in entity.fields:
                    yield OntologyFinding(where=f"{entity.name}.{field.name}{role}", message=_no_field(name, entity))
    for name in declared.grain:
        if name not in entity.fields:
            yield OntologyFinding(where=f"{entity.name} (grain)", message=_no_field(name, entity))


def _no_field(name: str, entity: CatalogEntity) -> str:
    return f"The source has no field {name} here{did_you_mean(name, entity.fields)}"


async def _grain(entity: CatalogEntity, catalog: Catalog, source: Source) -> AsyncIterator[OntologyFinding]:
    if entity.view is not None and not entity.grain:
        yield OntologyFinding(
            where=f"{entity.name} (grain)", message="A view needs a grain: without one nobody can tell double counting."
        )
    if not entity.grain or any(name not in entity.fields for name in entity.grain):
        return
    count, example = compile_duplicates(entity, catalog, source)
    try:
        (repeated,) = (await fetch(source, count))[0]
        if repeated:
            row = (await fetch(source, example))[0]
            names = [*entity.grain, "rows"]
            message = f"The grain ({', '.join(entity.grain)}) is not unique: several rows share it."
            yield OntologyFinding(
                where=f"{entity.name} (grain)",
                message=message,
                count=int(str(repeated)),
                example=dict(zip(names, row, strict=True)),
            )
    except QueryFailed as failure:
        yield OntologyFinding(where=f"{entity.name} (grain)", message=f"It could not be checked: {failure}")


async def _invariant(
    declared: Entity, invariant: Invariant, catalog: Catalog, source: Source, lang: str
) -> AsyncIterator[OntologyFinding]:
    where = f"{declared.name}, invariant {invariant.name}"
    try:
        broken = await _broken(declared, invariant, catalog, source)
    except VeracityError as error:
        yield OntologyFinding(where=where, message=f"It could not be checked: {error}")
        return
    if broken:
        count, example = broken
        message = f"Rows break it: {pick(invariant.description, lang)}"
        yield OntologyFinding(where=where, message=_sentence(message), count=count, example=example)


async def _broken(
    declared: Entity, invariant: Invariant, catalog: Catalog, source: Source
) -> tuple[int, dict[str, Cell]] | None:
    """How many rows break the invariant, and one of them."""
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


def _relations(ontology: OntologyDescriptor, catalog: Catalog) -> Iterator[OntologyFinding]:
    for relation in ontology.relations:
        entity = catalog.entities.get(relation.from_entity)
        if entity and relation.via and relation.via not in entity.fields:
            where = f"relation {relation.from_entity} -> {relation.to_entity}"
            yield OntologyFinding(where=where, message=_no_field(relation.via, entity))


def _constraint(constraint: Constraint, catalog: Catalog) -> Iterator[OntologyFinding]:
    where = f"constraint {constraint.rule} on {', '.join(constraint.applies_to)}"
    if len(pick(constraint.message, DEFAULT_LANGUAGE)) > HINT_LENGTH:
        yield OntologyFinding(
            where=where, message=f"Its message has more than {HINT_LENGTH} characters and would be cut in a refusal."
        )
    covered = [
        entity
        for entity in catalog.entities.values()
        if any(constraint.covers(entity.name, name) for name in entity.fields)
    ]
    if not covered:
        yield OntologyFinding(where=where, message="It is about no field that the source has.")
    for entity in covered:
        for name in (*constraint.fields, *constraint.when, *constraint.unless):
            if name not in entity.fields:
                yield OntologyFinding(where=where, message=f"{entity.name}: {_no_field(name, entity)}")


async def _pattern(pattern: CanonicalQueryPattern, catalog: Catalog, source: Source) -> AsyncIterator[OntologyFinding]:
    """The pattern's calls must be valid; literals that no slot fills must exist in the data."""
    where = f"pattern {pattern.intent}"
    for number, filled in enumerate(pattern.fill({})):
        call = read_call(filled.tool, filled.args)
        if problem := first_problem(call, catalog, ValueProfile()):
            yield OntologyFinding(
                where=where, message=f"The validator refuses it: {problem.code} {problem.field or ''}: {problem.hint}"
            )
            continue
        fixed = _fixed_filters(call, pattern.pattern[number].args)
        profile = await _stored(call, fixed, catalog, source)
        if problem := values_exist(Call(call.tool, call.table, filters=fixed), catalog, profile):
            yield OntologyFinding(where=where, message=f"The data does not hold it: {problem.hint}")


def _fixed_filters(call: Call, skeleton: dict[str, Any]) -> tuple[Filter, ...]:
    written = skeleton.get("filters") or []
    return tuple(c for c, entry in zip(call.filters, written, strict=False) if "{" not in str(entry.get("value")))


async def _stored(call: Call, filters: tuple[Filter, ...], catalog: Catalog, source: Source) -> ValueProfile:
    profile, entity = ValueProfile(), catalog.entities[call.table]
    for condition in filters:
        if entity.fields[condition.field].categorical and condition.op in ("=", "!=", "IN"):
            try:
                rows = await fetch(source, compile_distinct(entity, condition.field, catalog, source, most=MANY_VALUES))
            except QueryFailed:
                continue
            profile.keep((call.table, condition.field), (row[0] for row in rows), declared=True)
    return profile


def _unreachable(ontology: OntologyDescriptor) -> Iterator[OntologyFinding]:
    """Entities that nothing leads to: no relation, no parent or child, no rule and no pattern."""
    linked = {name for relation in ontology.relations for name in (relation.from_entity, relation.to_entity)}
    linked |= {
        name for entity in ontology.entities if entity.parent_entity for name in (entity.name, entity.parent_entity)
    }
    linked |= {str(call.args.get("tableName")) for pattern in ontology.canonical_patterns for call in pattern.pattern}
    for entity in ontology.entities:
        ruled = any(
            place.split(".")[0] == entity.name for constraint in ontology.constraints for place in constraint.applies_to
        )
        alone = len(ontology.entities) == 1 or entity.number_range or entity.invariants
        if entity.name not in linked and not ruled and not alone:
            yield OntologyFinding(
                where=entity.name, message="Nothing leads to it: give it a relation, a parent or a pattern."
            )
