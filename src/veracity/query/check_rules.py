"""An ontology held against a source: its relations' fields, its rules and its patterns. One check is one function."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from veracity.contracts import HINT_LENGTH
from veracity.errors import QueryFailed
from veracity.language.locale import DEFAULT_LANGUAGE, pick
from veracity.ontology.descriptor import ConstraintRule
from veracity.ontology.questions import CanonicalQueryPattern
from veracity.query.catalog import Catalog
from veracity.query.check import no_field
from veracity.query.compile import compile_call, compile_distinct
from veracity.query.findings import CheckedOntology, OntologyFinding
from veracity.query.model import Call, Filter, read_call
from veracity.query.validator import first_problem, values_exist
from veracity.query.values import MANY_VALUES, ValueProfile
from veracity.sources.source import Source, fetch


async def relations_name_fields(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """The field that holds a key is there."""
    for number, relation in enumerate(checked.ontology.relations):
        entity = checked.catalog.entities.get(relation.from_entity)
        if entity and relation.via and relation.via not in entity.fields:
            where = f"relation {relation.from_entity} -> {relation.to_entity}"
            yield OntologyFinding(where=where, message=no_field(relation.via, entity), place=("relations", number))


async def rules_are_about_fields(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Every constraint is about fields that there are, and its message fits a refusal."""
    for number, constraint in enumerate(checked.ontology.constraints):
        where = f"constraint {constraint.rule} on {', '.join(constraint.applies_to)}"
        place = ("constraints", number)
        if len(pick(constraint.message, DEFAULT_LANGUAGE)) > HINT_LENGTH:
            message = f"Its message has more than {HINT_LENGTH} characters and would be cut in a refusal."
            yield OntologyFinding(where=where, message=message, place=place)
        covered = [
            entity
            for entity in checked.catalog.entities.values()
            if any(constraint.covers(entity.name, name) for name in entity.fields)
        ]
        if not covered:
            yield OntologyFinding(where=where, message="It is about no field that the source has.", place=place)
        elsewhere = _names_elsewhere(checked.catalog) if constraint.rule is ConstraintRule.ONE_SIDE else frozenset()
        for entity in covered:
            for name in (*constraint.fields, *constraint.when, *constraint.unless):
                if name not in entity.fields and name not in elsewhere:
                    message = f"{entity.name}: {no_field(name, entity)}"
                    yield OntologyFinding(where=where, message=message, place=place)


def _names_elsewhere(catalog: Catalog) -> frozenset[str]:
    """Entities and their fields: a rule on sides may name what is joined to its rows."""
    fields = (name for entity in catalog.entities.values() for name in entity.fields)
    return frozenset((*catalog.entities, *fields))


async def patterns_are_valid(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """The calls of a pattern are valid; literals that no slot fills exist in the data."""
    catalog, source = checked.catalog, checked.source
    for place, pattern in enumerate(checked.ontology.canonical_patterns):
        for number, filled in enumerate(pattern.fill({})):
            call = read_call(filled.tool, filled.args)
            if problem := first_problem(call, catalog, ValueProfile()):
                why = f"The validator refuses it: {problem.code} {problem.field or ''}: {problem.hint}"
                yield _of_pattern(pattern, place, why)
                continue
            fixed = _fixed_filters(call, pattern.pattern[number].args)
            profile = await _stored(call, fixed, catalog, source)
            for one in fixed:
                if values_exist(Call(call.tool, call.table, filters=(one,)), catalog, profile):
                    yield _of_pattern(pattern, place, f"The data does not hold it: {one.field} {one.op} {one.value!r}.")
                    break


def _of_pattern(pattern: CanonicalQueryPattern, place: int, why: str) -> OntologyFinding:
    return OntologyFinding(where=f"pattern {pattern.intent}", message=why, place=("canonicalPatterns", place))


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


async def entities_are_reached(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Something leads to every entity: a relation, a parent or child, a rule or a pattern."""
    ontology = checked.ontology
    linked = {name for relation in ontology.relations for name in (relation.from_entity, relation.to_entity)}
    linked |= {
        name for entity in ontology.entities if entity.parent_entity for name in (entity.name, entity.parent_entity)
    }
    linked |= {str(call.args.get("tableName")) for pattern in ontology.canonical_patterns for call in pattern.pattern}
    for number, entity in enumerate(ontology.entities):
        ruled = any(
            place.split(".")[0] == entity.name for constraint in ontology.constraints for place in constraint.applies_to
        )
        alone = len(ontology.entities) == 1 or entity.number_range or entity.invariants
        if entity.name not in linked and not ruled and not alone:
            message = "Nothing leads to it: give it a relation, a parent or a pattern."
            yield OntologyFinding(where=entity.name, message=message, place=("entities", number), level="warning")


async def something_is_in_scope(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Where no table has a row, everything fits, and nothing was checked."""
    catalog, source = checked.catalog, checked.source
    for name in catalog.entities:
        one = compile_call(Call("queryTable", name), catalog, source, row_limit=1).statement
        try:
            if await fetch(source, one):
                return
        except QueryFailed:
            return  # it may well have rows; what is wrong with it is told elsewhere
    if catalog.entities:
        scope = ", ".join(f"{key}={value}" for key, value in catalog.scope.values.items())
        yield OntologyFinding(
            where=source.name,
            message=f"No table holds a row{f' in the scope {scope}' if scope else ''}: nothing could be checked.",
        )


RULE_CHECKS = (
    relations_name_fields,
    rules_are_about_fields,
    patterns_are_valid,
    entities_are_reached,
    something_is_in_scope,
)
