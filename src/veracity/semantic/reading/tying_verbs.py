"""Verbs that say no more than that one row belongs to another: dogs that received treatments are those that have some."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import SemanticQuery, to_json
from veracity.semantic.reading.asked_forms import Knows, Read
from veracity.semantic.reading.word_lists import key_of, names_for
from veracity.yaml_file import packaged


def tied_by_verb(question: str, model: SemanticModel, lang: str, read: Read, knows: Knows) -> tuple[SemanticQuery, ...]:
    """What a question means without such a verb; nothing where it has none, or where the verb may be true of some of the rows only."""
    plain = re.sub(r"[?？!！.。\s]+$", "", question.strip())
    for which in ("verbs", "getting"):
        for text in _without_verb(plain, lang, which, knows):
            if found := tuple(query for query in read(text) if _ties(query, model, gifts=which == "getting")):
                return found
    return ()


def _without_verb(question: str, lang: str, which: str, knows: Knows) -> Iterator[str]:
    """The question without the verb, in the ways it may then be asked."""
    for pattern, templates in _patterns(lang, which):
        said = pattern.search(question)
        if said is None or any(knows(word) for word in said["verb"].split() if len(word) > 2):
            continue
        before, behind = question[: said.start()].strip(), question[said.end() :].strip()
        for template in templates:
            text = template.format(before, behind)
            yield re.sub(r"\s+", "" if lang == "zh" else " ", text).strip()


@cache
def _patterns(lang: str, which: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    told: Mapping[str, Any] = _lists()[lang]
    verbs, denied = f"(?P<verb>{told[which]})", told["denied"]
    made: tuple[tuple[str, Any], ...]
    if lang == "zh":
        made = ((f"(?:{denied}){verbs}(?:任何)?", told["not"]), (verbs, told["plain"]))
    elif lang == "de":  # the participle stands last
        made = ((rf" {verbs}$", told["plain"]),)
    else:
        made = (
            (rf"\b(?:{denied}) {verbs} (?:{told['some']} )?", told["not"]),
            (rf"(?<=[\w\"'”’] )(?:{told['helped']})?{verbs}(?: |$)", told["plain"]),  # never the verb that asks: show
        )
    return tuple((re.compile(pattern, re.IGNORECASE), tuple(templates)) for pattern, templates in made)


def _ties(query: SemanticQuery, model: SemanticModel, *, gifts: bool) -> bool:
    """Whether a query is about rows with others, all of which count; of gifts, with others that one gets."""
    named = {name for name in _names_in(to_json(query)) if name in model.things}
    subject = query.of or next(iter(named), "")
    others = {step.end for name in named - {subject} for way in model.ways(subject, name) for step in way}
    if gifts and not any(_is_gift(model.things[name]) for name in others):
        return False
    return bool(others) and all(_all_count(model.things[name]) for name in others)


def _is_gift(thing: Thing) -> bool:
    nouns = {key_of(str(word)) for word in _lists()["gifts"]}
    return any(key_of(name)[-1:] in nouns for name in names_for(thing.name, thing.declared))


def _names_in(told: object) -> Iterator[str]:
    """The things that a query names, with those of its fields."""
    if isinstance(told, Mapping):
        yield from (name for part in told.values() for name in _names_in(part))
    elif isinstance(told, list | tuple):
        yield from (name for part in told for name in _names_in(part))
    elif isinstance(told, str):
        yield told.partition(".")[0]


def _all_count(thing: Thing) -> bool:
    """Whether nothing says of its rows how far they got."""
    marks = {key_of(str(word)) for word in _lists()["status"]}
    named = (key_of(name) for field, facts in thing.fields.items() for name in names_for(field, facts.declared))
    return not any(key[-1:] in marks or key in marks for key in named)


@cache
def _lists() -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return found
