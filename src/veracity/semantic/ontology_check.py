"""An ontology held against a source, its meaning included: measures, segments and relations, beside what `query.check` finds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from veracity.contracts import QueryValidationError
from veracity.errors import OntologyError, QueryFailed
from veracity.language.locale import DEFAULT_LANGUAGE
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.catalog import Catalog, build_catalog
from veracity.query.check import OntologyFinding, check_declared
from veracity.semantic.checking.expressions import measure_facts, segment_condition
from veracity.semantic.checking.names import Refused
from veracity.semantic.checking.plan import figure_of
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Shown
from veracity.semantic.sql.unique_keys import first_repeated
from veracity.sources.source import Scope, Source

Place = tuple[str | int, ...]
"""A part of an ontology: `("entities", 2, "measures", 0)`."""


async def check_ontology(
    ontology: OntologyDescriptor, source: Source, scope: Scope | None = None, *, lang: str = DEFAULT_LANGUAGE
) -> list[OntologyFinding]:
    """Every finding: what is declared, then what it means."""
    findings = await check_declared(ontology, source, scope, lang=lang)
    catalog = build_catalog(source, ontology=ontology, scope=scope)
    try:
        model = SemanticModel(catalog)
    except OntologyError as error:
        if not findings:
            findings.append(OntologyFinding(where=ontology.feature_code, message=_sentence(str(error))))
        return findings
    findings += [OntologyFinding(where=where, message=_sentence(why)) for where, _, why in _meanings(model)]
    findings += [finding async for finding in _relations(model, source, {one.where for one in findings})]
    return findings


def first_wrong_meaning(catalog: Catalog) -> tuple[Place, str] | None:
    """The first relation, measure or segment that cannot work, where it stands, and why."""
    try:
        model = SemanticModel(catalog)
    except OntologyError as error:
        relations = catalog.ontology.relations if catalog.ontology else ()
        names = [f"the relation {one.name or f'{one.from_entity} -> {one.to_entity}'} " for one in relations]
        number = next((number for number, name in enumerate(names) if str(error).startswith(name)), None)
        return (() if number is None else ("relations", number)), str(error)
    return next(((place, why) for _, place, why in _meanings(model)), None)


def _meanings(model: SemanticModel) -> Iterator[tuple[str, Place, str]]:
    """The measures and segments that cannot be computed."""
    ontology = model.catalog.ontology
    for number, entity in enumerate(ontology.entities if ontology else ()):
        thing = model.things.get(entity.name)
        if thing is None:
            continue
        for order, measure in enumerate(entity.measures):
            try:
                if measure.ratio:
                    home = model.measures[measure.ratio[0]][0]
                    figure_of(Shown(measure=measure.name), home, model)
                else:
                    measure_facts(thing, measure.name)
            except (OntologyError, Refused) as error:
                why = error.problem.hint if isinstance(error, Refused) else str(error)
                yield f"{entity.name}, measure {measure.name}", ("entities", number, "measures", order), why
        for order, segment in enumerate(entity.segments):
            try:
                segment_condition(thing, segment.name)
            except OntologyError as error:
                yield f"{entity.name}, segment {segment.name}", ("entities", number, "segments", order), str(error)


async def _relations(model: SemanticModel, source: Source, told: set[str]) -> AsyncIterator[OntologyFinding]:
    """Relations to one row whose key several rows share."""
    for steps in model.steps.values():
        for step in steps:
            keys = [(hop.entity, tuple(sorted(other for _, other in hop.keys))) for hop in step.hops]
            if not step.to_one or step.relation is None or f"{step.end} (grain)" in told:
                continue
            where = f"relation {step.relation.from_entity} -> {step.relation.to_entity}"
            try:
                problem = await first_repeated(keys, model, source)
            except QueryFailed as failure:
                problem = QueryValidationError(code="AMBIGUOUS_GRAIN", hint=f"It could not be checked: {failure}")
            if problem is not None:
                yield OntologyFinding(where=where, message=f"{step.start} has one {step.end} each: {problem.hint}")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + ("" if text.endswith("?") else ".")


def place_of(where: str, ontology: OntologyDescriptor) -> Place:
    """The part of an ontology that a finding is about."""
    relations = [f"relation {one.from_entity} -> {one.to_entity}" for one in ontology.relations]
    if where in relations:
        return ("relations", relations.index(where))
    for number, entity in enumerate(ontology.entities):
        if where == entity.name or where.startswith((f"{entity.name} ", f"{entity.name}.", f"{entity.name},")):
            rest = where[len(entity.name) :].lstrip(" .,").partition(" (")[0]
            if rest.startswith(("measure ", "segment ")):
                kind, _, name = rest.partition(" ")
                parts = entity.measures if kind == "measure" else entity.segments
                names = [one.name for one in parts]
                return ("entities", number, f"{kind}s", names.index(name)) if name in names else ("entities", number)
            fields = [one.name for one in entity.fields]
            return ("entities", number, "fields", fields.index(rest)) if rest in fields else ("entities", number)
    return ()
