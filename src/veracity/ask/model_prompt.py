"""What a language model is told to fill in a query: how, the names that there are, the question and what is understood of it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from veracity.answer.coverage import Stored
from veracity.contracts import clip
from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import Attribute, RowsPhrase, SegmentWord
from veracity.semantic.reading.phrases import Stored as StoredWord
from veracity.semantic.reading.said_phrases import Phrase, SaidPeriod
from veracity.semantic.reading.word_senses import Tagged
from veracity.semantic.short_form import NOT_HERE, SAYS_NOTHING, NamedPart

_RULES = f"""\
Say which of the names below a question is about: fill in semanticQuery. The program computes and answers.
show: what is asked for. A measure alone; a field alone, or with compute; an entity alone to list its rows, with compute count to count them.
where: conditions. {{name: field, op, values: as stored}}; {{name: entity, op: has or hasNo}} for rows with or without related rows;
  {{name: segment, op: is}}; {{name, compute, op, values: [number]}} for a condition on a figure of each row.
by: one answer for each value of a field, row of an entity, or period of a date (grain).
order: only for the highest or lowest, with limit; limitPer: so many for each of these.
period: the time asked about; compareWith: the time to compare it with.
Take up every word of the question and add nothing. Empty lists and null for what is not asked.
words: where words are listed as unknown, for each the name or stored value that it stands for; {SAYS_NOTHING} if it only ties others together,
  {NOT_HERE} if nothing here means that."""
_MOST_UNDERSTOOD = 14
_MOST_VALUES = 6
_LONGEST_VALUE = 24


def rules(model: SemanticModel, part: NamedPart, stored: Stored, lang: str) -> str:
    """The part of the prompt that is the same for all questions about these names."""
    return f"{_RULES}\n\n{names_told(model, part, stored, lang)}{_examples(model, part, lang)}"


def names_told(model: SemanticModel, part: NamedPart, stored: Stored, lang: str) -> str:
    """One line for each entity: its fields, measures and segments, what they are called and what is stored."""
    fields: dict[str, list[str]] = {entity: [] for entity in part.entities}
    for path in part.fields:
        entity, _, name = path.partition(".")
        fields[entity].append(name)
    lines = list[str]()
    for entity, names in fields.items():
        thing = model.things[entity]
        told = [_field(thing, name, stored.get((entity, name), frozenset()), lang) for name in names]
        lines.append(_line(model, thing, told, part, lang))
    return "\n".join(lines)


def values_told(part: NamedPart, stored: Stored) -> tuple[str, ...]:
    """The stored values that the lines tell, as `Entity.field = value`."""
    fields = ((path, path.partition(".")) for path in part.fields)
    return tuple(
        f"{path} = {value}"
        for path, (entity, _, name) in fields
        for value in _few(stored.get((entity, name), frozenset()))
    )


def _few(held: Collection[str]) -> tuple[str, ...]:
    """The values of a field, where they are few enough to be told."""
    return tuple(sorted(held)) if 0 < len(held) <= _MOST_VALUES else ()


def _line(model: SemanticModel, thing: Thing, told: Sequence[str], part: NamedPart, lang: str) -> str:
    measures = [
        _named(name, pick(thing.measures[name].label, lang)) for name in thing.measures if name in part.measures
    ]
    segments = [
        _named(name, pick(thing.segments[name].label, lang)) for name in thing.segments if name in part.segments
    ]
    known = _named(thing.name, pick(thing.declared.label, lang) if thing.declared else "")
    parts = [f"{known}: {', '.join(told)}"]
    parts += [f"measures {', '.join(measures)}"] if measures else []
    parts += [f"segments {', '.join(segments)}"] if segments else []
    to = [step.end for step in model.steps[thing.name] if step.to_one and step.end in part.entities]
    parts += [f"each has one {', '.join(dict.fromkeys(to))}"] if to else []
    return "; ".join(parts)


def _field(thing: Thing, name: str, held: Collection[str], lang: str) -> str:
    facts = thing.fields[name]
    label = pick(facts.declared.label, lang) if facts.declared else ""
    few = _few(held)
    told = f" = {' | '.join(clip(value, _LONGEST_VALUE) for value in few)}" if few else ""
    return _named(name, label) + told


def _named(name: str, label: str) -> str:
    """A name, and what people call it where that is not the name."""
    return name if not label or label.casefold() == words_of(name).casefold() else f"{name} ({label})"


def _examples(model: SemanticModel, part: NamedPart, lang: str) -> str:
    """Questions filled in, about names that there are: small models copy what they see."""
    entity = next((one for one in part.entities if len(model.things[one].display) == 1), None)
    if entity is None:
        return ""
    declared = model.things[entity].declared
    plain = (pick(declared.label, lang) if declared else "") or words_of(entity)
    shown: list[tuple[str, dict[str, Any]]] = [(f"how many {plain}", {"show": [_shown(entity, "count")]})]
    if part.measures:
        measure = part.measures[0]
        said = pick(model.measures[measure][1].label, lang) or words_of(measure)
        best = {"name": measure, "compute": None, "first": "highest"}
        shown.append((f"{said} per {plain}", {"show": [_shown(measure)], "by": [{"name": entity, "grain": None}]}))
        top = {"show": [_shown(measure)], "by": [{"name": entity, "grain": None}], "order": best, "limit": 1}
        shown.append((f"which {plain} has the highest {said}", top))
    lines = [f"{question}? {json.dumps({**_EMPTY, **filled}, separators=(',', ':'))}" for question, filled in shown]
    return "\nExamples:\n" + "\n".join(lines)


_EMPTY: dict[str, Any] = {
    "show": [], "where": [], "by": [], "period": None, "compareWith": None, "order": None, "limit": None, "limitPer": None,
}  # fmt: skip


def _shown(name: str, compute: str | None = None) -> dict[str, Any]:
    return {"name": name, "compute": compute, "as": None}


def question_told(
    question: str,
    tagged: Tagged,
    unknown: Mapping[str, Sequence[str]],
    today: date,
    *,
    named: str = "",
    before: str = "",
) -> str:
    """The question, what is understood of it, and the words that nobody knows, each with the names that are most like it."""
    lines = [named] if named else []
    lines += [f"Today is {today.isoformat()}."]
    lines += [f"Asked before: {before}"] if before else []
    lines += [f"Question: {question}"]
    understood = list(dict.fromkeys(_understood(tagged)))[:_MOST_UNDERSTOOD]
    lines += [f"Understood: {'; '.join(understood)}"] if understood else []
    told = [f"{word} (perhaps {', '.join(names)})" if names else word for word, names in unknown.items()]
    lines += [f"Unknown words: {'; '.join(told) or 'none'}"]
    return "\n".join(lines)


def _understood(tagged: Tagged) -> Iterator[str]:
    for sense in tagged.mentions:
        meant = _meaning(sense.phrase)
        if meant:
            yield f"{tagged.said(sense.start, sense.end)} = {meant}"


def _meaning(phrase: Phrase) -> str:
    match phrase:
        case RowsPhrase(where=()):
            return phrase.entity
        case Attribute(aggregate=None):
            return phrase.path
        case SegmentWord():
            return f"segment {phrase.name}"
        case FigurePhrase() if phrase.shown[0].measure is not None:
            return phrase.shown[0].measure
        case StoredWord():
            entity, field, value = phrase.homes[0]
            return f"{entity}.{field} '{clip(str(value), _LONGEST_VALUE)}'"
        case SaidPeriod(ends=None) if phrase.period.first and phrase.period.last:
            return f"period {phrase.period.short or f'{phrase.period.first} to {phrase.period.last}'}"
        case _:
            return ""
