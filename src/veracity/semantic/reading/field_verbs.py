"""Verbs for what a field says: buildings heated with gas, 用燃气供暖的建筑; and for who was counted at a place: bikes that crossed a bridge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate, SemanticQuery, Shown
from veracity.semantic.reading.asked_forms import Read, called
from veracity.semantic.reading.word_lists import key_of, names_for
from veracity.sources.source import ColumnType
from veracity.yaml_file import packaged

_VALUE = r"(?P<value>[\w-]+(?: [\w-]+)?)"


def said_by_verb(question: str, model: SemanticModel, lang: str, read: Read) -> tuple[SemanticQuery, ...]:
    """What a question means that says the value of a field by its verb; nothing where no such field has it."""
    found = dict[SemanticQuery, None]()
    for entry in _lists()["verbs"]:
        told = entry.get(lang)
        for pattern, plain in _patterns(lang, told) if told else ():
            if (said := pattern.search(question)) is None:
                continue
            for field in _fields(model, entry, lang):
                text = question[: said.start()] + plain(said, field) + question[said.end() :]
                found.update(dict.fromkeys(read(re.sub(r"\s+", " ", text).strip())))
            if found:
                return tuple(found)
    return ()


def passed_by(question: str, model: SemanticModel, lang: str, read: Read) -> tuple[SemanticQuery, ...]:
    """How many crossed a bridge: those who were counted there, where rows are such counts; nothing where none are."""
    counts = {thing.name for thing in model.things.values() if _counts_passing(names_for(thing.name, thing.declared))}
    plain = question
    for pattern, told in _lists()["passing"][lang]:
        plain = _compiled(pattern).sub(told, plain)
    if plain == question or not counts:
        return ()
    return tuple(query for query in read(plain) if query.of in counts and all(map(_adds_up, query.show)) and query.show)


def _counts_passing(names: Iterable[str]) -> bool:
    rows = {"".join(key_of(str(word))) for word in _lists()["passing"]["rows"]}
    return any("".join(key_of(name)).endswith(tuple(rows)) for name in names)


def _adds_up(shown: Shown) -> bool:
    return shown.aggregate is Aggregate.SUM or (shown.rows is not None and all(map(_adds_up, shown.rows.show)))


def _fields(model: SemanticModel, entry: Mapping[str, Any], lang: str) -> Iterator[str]:
    """What the data calls the fields that the verb may be about: texts that are stored so."""
    wanted = {key_of(str(name)) for name in entry["fields"]}
    names = dict[str, None]()
    for thing in model.things.values():
        for name, facts in thing.fields.items():
            if facts.column.type is ColumnType.TEXT and any(
                key_of(one) in wanted for one in names_for(name, facts.declared)
            ):
                names[called(facts.declared.label if facts.declared else {}, name, lang)] = None
    yield from names


Plain = Callable[[re.Match[str], str], str]


def _patterns(lang: str, told: Mapping[str, str]) -> Iterator[tuple[re.Pattern[str], Plain]]:
    """How the verb is said in one language, and how the same is said with the field."""
    verbs, ties, active = told["verbs"], told.get("ties", ""), told.get("active")
    if lang == "en":
        doing = rf"|{active}" if active else ""
        be = r"(?:(?:that|which|who) )?(?:(?:is|are|was|were) )?"
        yield _compiled(rf"\b{be}(?:{verbs}{doing}) (?:{ties}) "), lambda _said, field: f"with {field} "
    elif lang == "de":
        clause = (
            rf",? (?:die|der|das|welche[rs]?) (?:{ties}) {_VALUE} (?:{verbs}) (?:wird|werden|wurden?|ist|sind|waren?)"
        )
        yield _compiled(clause), lambda said, field: f" mit {field} {said['value']}"
        main = rf"\b(?:wird|werden|wurden?|ist|sind|waren?) (?:{ties}) {_VALUE} (?:{verbs})\b"
        yield _compiled(main), lambda said, field: f"mit {field} {said['value']}"
        before = rf"\b(?:{ties}) {_VALUE} (?:{verbs})e[nrs]? (?P<noun>\w+)"
        yield _compiled(before), lambda said, field: f"{said['noun']} mit {field} {said['value']}"
        if active:
            yield (
                _compiled(rf",? (?:(?:die|welche) )?(?:{active}) (?:{ties}) {_VALUE}"),
                (lambda said, field: f" mit {field} {said['value']}"),
            )
    else:
        yield (
            _compiled(rf"[用以由靠](?P<value>[^，,。？?的]{{1,12}}?)(?:{verbs})的"),
            (lambda said, field: f"{field}为{said['value']}的"),
        )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@cache
def _lists() -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return found
