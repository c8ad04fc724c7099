"""Why a query that was read from a question is refused: one plain sentence about what was asked, without a word of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.language.locale import pick
from veracity.ontology.descriptor import Constraint
from veracity.ontology.fields import Additivity
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel
from veracity.semantic.wording.labels import Context, Labels, capital, labels_of

_CODE = ValidationErrorCode
_SENTENCES = {
    _CODE.TYPE_MISMATCH: "refused_kind",
    _CODE.INVALID_AGGREGATE_TARGET: "refused_figure",
    _CODE.AMBIGUOUS_GRAIN: "refused_several",
    _CODE.MIXED_UNITS: "refused_units",
    _CODE.TABLE_NOT_FOUND: "refused_apart",
    _CODE.FIELD_NOT_FOUND: "refused_apart",
}


_SEVERAL = re.compile(r"\b\w+\.\w+[,、] ?\w+\.\w+")
"""Several fields, asked about at once."""


def refusal(problem: QueryValidationError, model: SemanticModel, lang: str) -> str:
    """The reason in the asker's language: the ontology's own words where it has some."""
    labels = labels_of(model, lang)
    for rule in _rules(problem, model):
        return pick(rule.message, lang)
    named = _named(problem.field, labels)
    if problem.code is _CODE.TYPE_MISMATCH and problem.field == "period":
        return labels.say("refused_days")
    if named is None:
        return labels.say("refused")
    facts = labels.facts(problem.field)
    if is_unconfirmed(problem, model) and facts and facts.declared and facts.declared.question:
        question = pick(facts.declared.question, lang)
        if _SEVERAL.search(question):
            return labels.say("refused_unconfirmed_sum", x=named)
        return labels.say("refused_unconfirmed", x=question)
    key = _sentence(problem, facts)
    return capital(labels.say(key, x=named, y=_named(problem.suggestion, labels) or named))


def says_nothing(reason: str, model: SemanticModel, lang: str) -> bool:
    """Whether a reason only says that the parts do not go together: then these are told, too."""
    return reason == labels_of(model, lang).say("refused")


def is_unconfirmed(problem: QueryValidationError, model: SemanticModel) -> bool:
    """Whether a figure is refused only because nobody has said yet what a field is."""
    entity, _, name = (problem.field or "").rpartition(".")
    facts = model.things[entity].fields.get(name) if entity in model.things else None
    asked = bool(facts and facts.declared and facts.declared.question)
    return problem.code is _CODE.INVALID_AGGREGATE_TARGET and asked


def _sentence(problem: QueryValidationError, facts: FieldFacts | None) -> str:
    if problem.suggestion == "period.field":
        return "refused_date"
    if problem.code is _CODE.INVALID_AGGREGATE_TARGET:
        if facts is not None and facts.additivity is Additivity.SEMI_ADDITIVE:
            return "refused_period"
        averages = facts is not None and facts.declared is not None and facts.declared.averages
        if problem.suggestion == "avg" or averages:
            return "refused_sum"
    return _SENTENCES.get(problem.code, "refused")


def _rules(problem: QueryValidationError, model: SemanticModel) -> Iterator[Constraint]:
    """The rules of the ontology that a problem comes from; their messages are in its words."""
    entity, _, name = (problem.field or "").rpartition(".")
    thing = model.things.get(entity)
    facts = thing.fields.get(name) if thing is not None else None
    if facts is not None:
        found = {
            _CODE.INVALID_AGGREGATE_TARGET: (facts.never_aggregate,),
            _CODE.WRONG_TABLE_FOR_PURPOSE: facts.wrong_table,
            _CODE.MIXED_UNITS: (facts.unit_rule,),
        }
        yield from (rule for rule in found.get(problem.code, ()) if rule is not None)
    if problem.code is _CODE.MISSING_REQUIRED_FILTER:
        rules = (rule for one in model.things.values() for rule in one.catalog.required_filters)
        yield from (rule for rule in rules if problem.field in {*rule.fields, *rule.apart})


def _named(name: str | None, labels: Labels) -> str | None:
    """What a field or an entity is called; nothing for what only a query has."""
    if name in labels.model.things:
        return labels.entity(name)
    return labels.field(name, Context(name.rpartition(".")[0])) if name and labels.resolve(name) else None
