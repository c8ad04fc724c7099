"""Verbs that say no more than that one row belongs to another: dogs that received treatments are those that have some."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from veracity.language.folding import folded_text
from veracity.language.stem import noun_root
from veracity.semantic.graph import SemanticModel, Thing, Way
from veracity.semantic.query import SemanticQuery, to_json
from veracity.semantic.reading.asked_forms import Knows, Read, is_called_one_of, without_end_sign
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.yaml_file import packaged

_PAIR = 2


def tied_by_verb(question: str, model: SemanticModel, lang: str, read: Read, knows: Knows) -> tuple[SemanticQuery, ...]:
    """What a question means without such a verb; nothing where it has none, or where the verb may be true of some of the rows only."""
    plain = without_end_sign(question)
    for which in ("far", "verbs", "doing", "getting", "came"):
        for verb, text in _without_verb(plain, lang, which, knows):
            if found := tuple(query for query in read(text) if _ties(query, model, which, verb)):
                return found
    return ()


def _without_verb(question: str, lang: str, which: str, knows: Knows) -> Iterator[tuple[str, str]]:
    """The verb, and the question without it, in the ways it may then be asked."""
    for pattern, templates in _patterns(lang, which):
        said = pattern.search(question)
        if said is None or (which != "came" and any(knows(word) for word in said["verb"].split() if len(word) > 2)):
            continue
        before, behind = question[: said.start()].strip(), question[said.end() :].strip()
        for template in templates:
            text = template.format(before, behind)
            yield said["verb"], re.sub(r"\s+", "" if lang == "zh" else " ", text).strip()


@cache
def _patterns(lang: str, which: str) -> tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]:
    told: Mapping[str, Any] = _lists()[lang]
    verbs, denied = f"(?P<verb>{told.get(which, '(?!)')})", told["denied"]
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


def _ties(query: SemanticQuery, model: SemanticModel, which: str, verb: str) -> bool:
    """Whether a query is about rows with others, all of which count.

    The others are tied to them directly, unless the verb says that they met somewhere, or is the noun of what lies between: visitors visit museums.
    """
    named = {name for name in _names_in(to_json(query)) if name in model.things}
    subject = query.of or next(iter(named), "")
    ways = [way for name in named - {subject} for way in model.ways(subject, name)]
    others = {step.end for way in ways for step in way}
    if which == "doing" and not _does(model.things.get(subject), verb):
        return False
    if which == "getting" and not any(_is_gift(model.things[name]) for name in others):
        return False
    if which == "came" and not any(_came_by(model.things[name], verb) for name in named - {subject}):
        return False
    done = noun_root(folded_text(verb).split()[0])
    near = all(
        _is_near(way, model) or any(_is_called(model.things[step.end], done) for step in way[:-1]) for way in ways
    )
    stays = which == "came" and _is_one_of(verb, _lists()["stays"])
    return bool(others) and (near or which == "far") and (stays or all(_all_count(model.things[one]) for one in others))


def _is_one_of(verb: str, groups: Sequence[Sequence[str]]) -> bool:
    return any(verb.casefold() in alike for alike in groups)


def _is_near(way: Way, model: SemanticModel) -> bool:
    """Whether one relation leads there, or two over rows whose key is just the two of them."""
    if len(way) != _PAIR:
        return len(way) == 1
    keys = {*(other for _, other in way[0].hops[-1].keys), *(own for own, _ in way[1].hops[0].keys)}
    return keys <= set(model.things[way[0].end].key)


def _is_called(thing: Thing, root: str) -> bool:
    return any(noun_root(word) == root for name in names_for(thing.name, thing.declared) for word in key_of(name)[-1:])


def _does(thing: Thing | None, verb: str) -> bool:
    """Whether rows are called who does this: teachers teach."""
    begun = "teach" if verb.casefold() == "taught" else verb.casefold()
    doers = (noun for noun, does in _lists()["doers"].items() if begun.startswith(str(does)))
    return thing is not None and is_called_one_of(thing, doers)


def _came_by(thing: Thing, verb: str) -> bool:
    """Whether the verb is how each row came about, by a date of theirs: tickets that were purchased on a day were bought by whom they belong to."""
    said = next((alike for alike in _lists()["came_alike"] if verb.casefold() in alike), [verb.casefold()])
    keys = {key_of(str(word)) for word in said}
    plain = in_all_languages("date_words")  # opened at says no more than opened
    dates = ((field, facts.declared) for field, facts in thing.fields.items() if facts.is_date)
    called = (key_of(name) for field, declared in dates for name in names_for(field, declared))
    return any(tuple(word for word in key if (word,) not in plain) in keys for key in called)


def _is_gift(thing: Thing) -> bool:
    return is_called_one_of(thing, _lists()["gifts"])


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
