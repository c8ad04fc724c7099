"""An ontology held against a source, its meaning included: `CHECKS` are all checks, in the order in which they run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import date

from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.errors import OntologyError, QueryFailed
from veracity.language.locale import DEFAULT_LANGUAGE
from veracity.ontology.descriptor import Cardinality, OntologyDescriptor
from veracity.ontology.entities import Measure
from veracity.query.catalog import Catalog, build_catalog
from veracity.query.check import DATA_CHECKS, count_unless
from veracity.query.check_rules import RULE_CHECKS
from veracity.query.compile import check_scope_values
from veracity.query.findings import Check, CheckedOntology, OntologyFinding, Place, run_checks, sentence
from veracity.query.views import parse_condition
from veracity.semantic.checking.apart import kept_apart
from veracity.semantic.checking.expressions import FieldValue, measure_facts, segment_condition
from veracity.semantic.checking.names import Refused
from veracity.semantic.checking.plan import figure_of
from veracity.semantic.graph import SemanticModel, Step, Thing
from veracity.semantic.partners import missing_partners
from veracity.semantic.query import Aggregate, InSegment, SemanticQuery, Shown
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.run import DryRun, compile_only
from veracity.semantic.sql.columns import read_rows
from veracity.semantic.sql.unique_keys import first_repeated
from veracity.sources.engine_words import engine_words
from veracity.sources.source import Scope, Source, fetch

_ALL_TIME = QueryPeriod(first=date(1, 1, 1), last=date(9999, 12, 31))
_MOST_GROUPS = 100
_SAID_ELSEWHERE = frozenset({ValidationErrorCode.AMBIGUOUS_GRAIN, ValidationErrorCode.MISSING_REQUIRED_FILTER})
"""Why a measure is refused over all rows though it works for a question."""


@dataclass(frozen=True, eq=False)
class CheckedMeaning(CheckedOntology):
    """An ontology whose relations, measures and segments could be tied together."""

    model: SemanticModel | None = None


async def check_ontology(
    ontology: OntologyDescriptor,
    source: Source,
    scope: Scope | None = None,
    *,
    lang: str = DEFAULT_LANGUAGE,
    catalog: Catalog | None = None,
) -> list[OntologyFinding]:
    """Every finding: what is declared, then what it means. A catalog that was built already is not built again."""
    catalog = catalog or build_catalog(source, ontology=ontology, scope=scope)
    check_scope_values(source, catalog.scope)
    try:
        model = SemanticModel(catalog)
    except OntologyError as error:
        found = await run_checks(DECLARED_CHECKS, CheckedOntology(ontology, catalog, source, lang))
        if not found:
            place, why = _wrong_relation(catalog, error)
            found.append(OntologyFinding(where=ontology.feature_code, message=sentence(why), place=place))
        return found
    return await run_checks(CHECKS, CheckedMeaning(ontology, catalog, source, lang, model=model))


def first_wrong_meaning(catalog: Catalog) -> tuple[Place, str] | None:
    """The first relation, measure or segment that cannot work, where it stands, and why."""
    try:
        model = SemanticModel(catalog)
    except OntologyError as error:
        return _wrong_relation(catalog, error)
    return next(((place, why) for _, place, why in _meanings(model)), None)


def _wrong_relation(catalog: Catalog, error: OntologyError) -> tuple[Place, str]:
    relations = catalog.ontology.relations if catalog.ontology else ()
    names = [f"the relation {one.name or f'{one.from_entity} -> {one.to_entity}'} " for one in relations]
    number = next((number for number, name in enumerate(names) if str(error).startswith(name)), None)
    return (() if number is None else ("relations", number)), str(error)


# --- measures and segments


def _meanings(model: SemanticModel) -> Iterator[tuple[str, Place, str]]:
    """The measures and segments that cannot be computed."""
    for where, place, thing, measure in _measures(model):
        try:
            if measure.ratio:
                figure_of(Shown(measure=measure.name), model.measures[measure.ratio[0]][0], model)
            else:
                measure_facts(thing, measure.name)
        except (OntologyError, Refused) as error:
            why = error.problem.hint if isinstance(error, Refused) else str(error)
            yield where, place, why
    for where, place, thing, name in _segments(model):
        try:
            segment_condition(thing, name)
        except OntologyError as error:
            yield where, place, str(error)


def _measures(model: SemanticModel) -> Iterator[tuple[str, Place, Thing, Measure]]:
    ontology = model.catalog.ontology
    for number, entity in enumerate(ontology.entities if ontology else ()):
        if (thing := model.things.get(entity.name)) is not None:
            for at, measure in enumerate(entity.measures):
                where = f"{entity.name}, measure {measure.name}"
                yield where, ("entities", number, "measures", at), thing, measure


def _segments(model: SemanticModel) -> Iterator[tuple[str, Place, Thing, str]]:
    ontology = model.catalog.ontology
    for number, entity in enumerate(ontology.entities if ontology else ()):
        if (thing := model.things.get(entity.name)) is not None:
            for at, segment in enumerate(entity.segments):
                where = f"{entity.name}, segment {segment.name}"
                yield where, ("entities", number, "segments", at), thing, segment.name


def _model(checked: CheckedOntology) -> SemanticModel:
    assert isinstance(checked, CheckedMeaning)
    assert checked.model is not None
    return checked.model


async def meanings_are_clear(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Every measure and segment can be tied to fields."""
    for where, place, why in _meanings(_model(checked)):
        yield OntologyFinding(where=where, message=sentence(why), place=place)


async def measures_run(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Every measure has a value over all rows."""
    model = _model(checked)
    for where, place, thing, measure in _measures(model):
        if checked.is_broken(*place) or checked.is_broken(*place[:2], "view"):
            continue
        query = SemanticQuery(show=(Shown(measure=measure.name),), period=_ALL_TIME if measure.needs_period else None)
        try:
            rows = await _rows(query, model, checked.source)
            if isinstance(rows, QueryValidationError):
                if rows.code not in _SAID_ELSEWHERE:
                    yield OntologyFinding(where=where, message=sentence(rows.hint), place=place)
            elif not any(row.get(measure.name) for row in rows) and (await checked.counts(thing.catalog)).rows:
                met = "No row meets its condition" if measure.where else "No row has a value for it"
                yield OntologyFinding(where=where, message=f"{met}: it is nothing or 0.", place=place, level="warning")
        except QueryFailed as failure:
            yield OntologyFinding(where=where, message=f"It fails: {engine_words(failure)}", place=place)


async def segments_run(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """Every segment has rows."""
    model = _model(checked)
    for where, place, thing, name in _segments(model):
        if checked.is_broken(*place) or checked.is_broken(*place[:2], "view"):
            continue
        counted = Shown(aggregate=Aggregate.COUNT, of=thing.name)
        query = SemanticQuery(show=(counted,), of=thing.name, where=InSegment(segment=name))
        try:
            rows = await _rows(query, model, checked.source)
            if isinstance(rows, QueryValidationError):
                if rows.code not in _SAID_ELSEWHERE:
                    yield OntologyFinding(where=where, message=sentence(rows.hint), place=place)
            elif not any(next(iter(row.values())) for row in rows) and (await checked.counts(thing.catalog)).rows:
                yield OntologyFinding(where=where, message="No row meets it.", place=place, level="warning")
        except QueryFailed as failure:
            yield OntologyFinding(where=where, message=f"It fails: {engine_words(failure)}", place=place)


async def _rows(
    query: SemanticQuery, model: SemanticModel, source: Source
) -> list[dict[str, object]] | QueryValidationError:
    """The first rows of a query, kept apart where they do not add up, or why it is refused."""
    dry = compile_only(query, model, source, row_limit=_MOST_GROUPS)
    if not isinstance(dry, DryRun):
        divided = kept_apart(query, dry, model)
        return dry if divided is None else await _rows(divided, model, source)
    return [dict(row) for row in read_rows(dry.compiled.outputs, await fetch(source, dry.compiled.statement))]


async def divisors_are_not_zero(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """No row of a measure divides by zero: it would have no value, and be left out without a word."""
    for where, place, thing, measure in _measures(_model(checked)):
        if not measure.expression or "/" not in measure.expression or checked.is_broken(*place):
            continue
        for divisor in _divisors(measure.expression):
            holds = f"({divisor}) <> 0 OR ({divisor}) IS NULL"
            holds += f" OR NOT ({measure.where}) OR ({measure.where}) IS NULL" if measure.where else ""
            condition = parse_condition(where, holds, thing.fields)
            try:
                zero = await count_unless(thing.catalog, condition, checked)
            except QueryFailed as failure:
                yield OntologyFinding(where=where, message=f"It fails: {engine_words(failure)}", place=place)
                continue
            if zero:
                message = f"It divides by {divisor}, which is 0 in some rows: they have no value and are left out."
                yield OntologyFinding(where=where, message=message, count=zero, place=place, level="warning")


def _divisors(expression: str) -> list[str]:
    import sqlglot
    from sqlglot import exp

    tree = sqlglot.parse_one(expression, read="duckdb")
    found = (one.expression.unnest() for one in tree.find_all(exp.Div))
    return [one.sql("duckdb") for one in found if not (isinstance(one, exp.Literal) and float(one.this) != 0)]


async def measure_units_agree(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """A measure that takes a field as it is has the field's unit."""
    for where, place, thing, measure in _measures(_model(checked)):
        if measure.ratio or measure.unit is None or checked.is_broken(*place):
            continue
        value = measure_facts(thing, measure.name).value
        field = thing.fields[value.name].declared if isinstance(value, FieldValue) else None
        counts = measure.aggregate is not None and measure.aggregate.value.startswith("COUNT")
        if field is not None and field.unit and field.unit != measure.unit and not counts:
            message = (
                f"It is in {measure.unit}, its field {field.name} in {field.unit}; nothing converts one to the other."
            )
            yield OntologyFinding(where=where, message=message, place=place)


# --- relations


async def relations_lead_to_one(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """A relation to one row leads to one: no two rows share the key that it is joined by."""
    model = _model(checked)
    for where, place, step in _steps(model):
        end = next(n for n, one in enumerate(checked.ontology.entities) if one.name == step.end)
        if not step.to_one or checked.is_broken("entities", end, "grain"):
            continue
        for hop in step.hops:
            fields = tuple(sorted(other for _, other in hop.keys))
            try:
                problem = await first_repeated([(hop.entity, fields)], model, checked.source)
            except QueryFailed as failure:
                yield OntologyFinding(
                    where=where, message=f"It could not be checked: {engine_words(failure)}", place=place
                )
                break
            if problem is not None:
                shared = f"several rows of {hop.entity} share {', '.join(fields)}, and would count twice"
                yield OntologyFinding(
                    where=where, message=f"{step.start} has one {step.end} each, but {shared}.", place=place
                )
                break


async def partners_are_stored(checked: CheckedOntology) -> AsyncIterator[OntologyFinding]:
    """The row that a key points to is there."""
    model = _model(checked)
    for where, place, step in _steps(model):
        if not _points(step, model) or checked.is_broken(*place):
            continue
        fields = ", ".join(own for own, _ in step.hops[0].keys)
        try:
            rows = await _rows(missing_partners(step), model, checked.source)
        except QueryFailed as failure:
            yield OntologyFinding(where=where, message=f"It could not be checked: {engine_words(failure)}", place=place)
            continue
        count = int(str(next(iter(rows[0].values())))) if isinstance(rows, list) else 0
        if count:
            message = f"{fields} of some rows of {step.start} points to a {step.end} that is not there."
            yield OntologyFinding(where=where, message=message, count=count, place=place, level="warning")


def _steps(model: SemanticModel) -> Iterator[tuple[str, Place, Step]]:
    """The relations that the ontology declares, in both directions."""
    relations = model.catalog.ontology.relations if model.catalog.ontology else ()
    for number, relation in enumerate(relations):
        where = f"relation {relation.from_entity} -> {relation.to_entity}"
        for step in (one for steps in model.steps.values() for one in steps if one.relation is relation):
            yield where, ("relations", number), step


def _points(step: Step, model: SemanticModel) -> bool:
    """Whether the rows that a step starts from hold the key of a row that must be there."""
    relation = step.relation
    if not step.to_one or len(step.hops) != 1 or relation is None:
        return False
    if relation.cardinality is not Cardinality.ONE_TO_ONE:
        return True
    # Of two that share their key, either may be there alone.
    own = {own for own, _ in step.hops[0].keys}
    return not step.inverse and own != set(model.things[step.start].key)


DECLARED_CHECKS: tuple[Check, ...] = (*DATA_CHECKS, *RULE_CHECKS)
MEANING_CHECKS: tuple[Check, ...] = (
    meanings_are_clear,
    measures_run,
    segments_run,
    divisors_are_not_zero,
    measure_units_agree,
    relations_lead_to_one,
    partners_are_stored,
)
CHECKS: tuple[Check, ...] = (*DECLARED_CHECKS, *MEANING_CHECKS)
"""Every check; `evals/example_questions.py` asks the questions, which needs an agent."""
