"""Rows counted by a date that a noun names, or that begins them: departures per year, how many new customers in 2024.

The rest of the question is read as one about how many rows there are; whatever time it says is then one of that date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from veracity.language.folding import folded_text, words_in
from veracity.language.stem import noun_root
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import Aggregate, Comparison, Condition, SemanticQuery, all_of, parts_of
from veracity.semantic.reading.asked_forms import Read
from veracity.semantic.reading.grounds import dated_within
from veracity.semantic.reading.word_lists import names_for, rows_called
from veracity.yaml_file import packaged

_SHORTEST_NOUN = 5
_DATE_WORD = re.compile(r" (?:date|datum|day)$")


def happened_counts(question: str, model: SemanticModel, lang: str, read: Read) -> tuple[SemanticQuery, ...]:
    """What a question may mean that counts what happened on a date, or what is new; nothing where it does neither."""
    if lang not in ("en", "de"):
        return ()
    plain = re.sub(r"[?!.\s]+$", "", question)
    found = [*_new(plain, model, lang, read), *_of_date(plain, model, lang, read)]
    return tuple(dict.fromkeys(found))


def _new(question: str, model: SemanticModel, lang: str, read: Read) -> Iterator[SemanticQuery]:
    """New customers per year: by the day with which they begin."""
    own = _lists()[lang]
    place = re.search(own["new"], question, re.IGNORECASE)
    if not place:
        return
    rest = _without_fillers(question[: place.start()] + question[place.end() :], own)
    for query in read(own["count"].format(rows="", rest=rest).replace("  ", " ")):
        entity = _counted(query)
        for date in _begins(model, model.things[entity]) if entity else ():
            if (told := _by_date(query, entity, date, model)) is not None and _says_when(told):
                listed = re.match(own["listed"], question, re.IGNORECASE) and not told.by
                yield told.model_copy(update={"show": ()}) if listed else told


def _of_date(question: str, model: SemanticModel, lang: str, read: Read) -> Iterator[SemanticQuery]:
    """Departures per year: the rows that have the date which is called so."""
    own = _lists()[lang]
    things = [name for thing in model.things.values() for name in names_for(thing.name, thing.declared)]
    rows = {noun_root(folded_text(name)) for name in things}
    for thing in model.things.values():
        for date in (name for name, facts in thing.fields.items() if facts.is_date):
            noun = _noun_in(question, thing, date, lang)
            if not noun or noun_root(folded_text(noun)) in rows:  # payments are the rows that are called so
                continue
            rest = _without_fillers(re.sub(rf"\b{re.escape(noun)}\b", " ", question, count=1), own)
            for query in read(own["count"].format(rows=rows_called(thing, lang), rest=rest).strip()):
                if _counted(query) == thing.name and (told := _by_date(query, thing.name, date, model)) is not None:
                    yield told


def _without_fillers(text: str, own: Mapping[str, Any]) -> str:
    text = re.sub(own["counting"], "", text.strip(), flags=re.IGNORECASE)
    for pattern in own["fillers"]:
        text = re.sub(pattern, " ", text, flags=re.IGNORECASE)
    return re.sub(r"\s+", " ", text).strip()


def _noun_in(question: str, thing: Thing, date: str, lang: str) -> str:
    """The noun of a question that a date is called by, in the plural: Austritte, departures."""
    roots = {
        noun_root(word)
        for name in names_for(date, thing.fields[date].declared)
        if len(word := _DATE_WORD.sub("", folded_text(name))) >= _SHORTEST_NOUN and " " not in word
    }
    for word in re.findall(r"\w+", question):
        folded = folded_text(word)
        several = folded.endswith(("e", "en", "s")) and (lang != "de" or word[:1].isupper())
        if several and len(folded) > _SHORTEST_NOUN and noun_root(folded) in roots:
            return str(word)
    return ""


def _begins(model: SemanticModel, thing: Thing) -> list[str]:
    dates = [name for name, facts in thing.fields.items() if facts.is_date]
    found = [name for name in dates if _says(thing, name, "begins")]
    happens = any(
        step.end != thing.name and not step.to_one and model.things[step.end].default_date
        for step in model.steps[thing.name]
    )
    return found or ([] if happens else [name for name in dates if _says(thing, name, "created")])


def _says(thing: Thing, name: str, which: str) -> bool:
    names = [" ".join(words_in(text)) for text in names_for(name, thing.fields[name].declared)]
    return any(re.search(rf"\b{re.escape(folded_text(word))}\b", text) for word in _lists()[which] for text in names)


def _counted(query: SemanticQuery) -> str:
    """The entity whose rows a query counts; empty where it does something else."""
    shown = query.show[0] if len(query.show) == 1 else None
    plain = shown is not None and shown.aggregate is Aggregate.COUNT and shown.of == query.of and not shown.where
    return query.of or "" if plain and not (query.order or query.compare or query.having) else ""


def _by_date(query: SemanticQuery, entity: str, date: str, model: SemanticModel) -> SemanticQuery | None:
    """A query with all that it says of time said of one date."""
    field = f"{entity}.{date}"
    dates = {f"{entity}.{name}" for name, facts in model.things[entity].fields.items() if facts.is_date}
    conditions: list[Condition] = []
    for one in parts_of(query.where):
        dated = isinstance(one, Comparison) and one.field in dates and not one.via and one.since is None
        conditions.append(one.model_copy(update={"field": field}) if dated else one)
    if query.period is not None:
        if query.period.field or query.period.via:
            return None
        conditions.append(dated_within(field, query.period))
    by = tuple(one.model_copy(update={"field": field}) if one.field in dates and one.grain else one for one in query.by)
    if not any(isinstance(one, Comparison) and one.field == field for one in conditions):
        conditions.append(Comparison(field=field, op="notMissing"))
    return query.model_copy(update={"where": all_of(conditions), "by": by, "period": None}).normalized()


def _says_when(query: SemanticQuery) -> bool:
    """Whether a time is said: without one, everything was new once."""
    dated = (one for one in parts_of(query.where) if isinstance(one, Comparison) and one.op != "notMissing")
    return any(one.grain for one in query.by) or any(True for _ in dated)


@cache
def _lists() -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return found
