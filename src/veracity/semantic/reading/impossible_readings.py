"""Readings that cannot be meant: rows without a date in the time of that date, and amounts of two currencies taken together."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.ontology.descriptor import FieldRole
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, Condition, Related, SemanticQuery, parts_of
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Stored
from veracity.semantic.reading.word_lists import in_all_languages, is_person, key_of
from veracity.semantic.reading.words import Tagged


def lacks_its_date(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether rows are meant that have no date, and the time of that date is said: unpaid fees of 2026, by the day of payment."""
    thing = model.things.get(query.of or "")
    if query.period is None or thing is None:
        return False
    date = query.period.field or thing.default_date or ""
    path = date if "." in date else f"{thing.name}.{date}"
    return any(
        isinstance(one, Comparison) and one.op == "missing" and one.field == path for one in parts_of(query.where)
    )


def names_currencies(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether several currencies are named: their amounts are told apart, and cannot be had together."""
    return any(
        isinstance(one.value, tuple) and len(one.value) > 1 and _holds_currency(one.field, model)
        for one in _compared(query.where)
    )


def denies_too_little(query: SemanticQuery, tagged: Tagged) -> bool:
    """Whether what is denied goes on in the next word: not sold online is not unsold, and online."""
    missing = {one.field for one in parts_of(query.where) if isinstance(one, Comparison) and one.op == "missing"}
    values = {(one.field, one.value) for one in parts_of(query.where) if isinstance(one, Comparison) and one.op == "="}
    ends = {
        mention.end
        for mention in tagged.mentions
        if isinstance(mention.phrase, Attribute) and mention.phrase.path in missing
    }
    return any(
        mention.start in ends and any((f"{entity}.{field}", value) in values for entity, field, value in stored.homes)
        for mention in tagged.mentions
        if isinstance(stored := mention.phrase, Stored)
    )


def acts_on_its_own_date(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether the time of what people did is read as a date of theirs: who worked on 12 July did not join on that day."""
    thing = model.things.get(query.of or "")
    said = (one.phrase for one in tagged.mentions)
    acts = any(isinstance(one, JoiningWord) and key_of(one.text) in in_all_languages("activities") for one in said)
    if not acts or thing is None or not is_person(thing):
        return False
    named = {one.phrase.path for one in tagged.mentions if isinstance(one.phrase, Attribute)}
    dates = {f"{thing.name}.{name}" for name, facts in thing.fields.items() if facts.is_date} - named
    dated = any(isinstance(one, Comparison) and one.field in dates for one in parts_of(query.where))
    return dated or (query.period is not None and f"{thing.name}.{thing.default_date}" in dates)


def _compared(where: Condition | None) -> Iterator[Comparison]:
    for one in parts_of(where):
        if isinstance(one, Related):
            yield from _compared(one.related.where)
        elif isinstance(one, Comparison):
            yield one


def _holds_currency(path: str, model: SemanticModel) -> bool:
    entity, _, field = path.partition(".")
    return model.things[entity].fields[field].role is FieldRole.CURRENCY
