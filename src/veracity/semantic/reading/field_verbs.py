"""Verbs for what a field says: buildings heated with gas, Fahrzeuge, die mit Diesel betrieben werden, 用燃气供暖的建筑."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.word_lists import key_of, names_for
from veracity.sources.source import ColumnType
from veracity.yaml_file import packaged

Read = Callable[[str], Sequence[SemanticQuery]]
"""Reads a question."""
_VALUE = r"(?P<value>[\w-]+(?: [\w-]+)?)"


def said_by_verb(question: str, model: SemanticModel, lang: str, read: Read) -> tuple[SemanticQuery, ...]:
    """What a question means that says the value of a field by its verb; nothing where no such field has it."""
    found = dict[SemanticQuery, None]()
    for entry in _verbs():
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


def _fields(model: SemanticModel, entry: Mapping[str, Any], lang: str) -> Iterator[str]:
    """What the data calls the fields that the verb may be about: texts that are stored so."""
    wanted = {key_of(str(name)) for name in entry["fields"]}
    called = dict[str, None]()
    for thing in model.things.values():
        for name, facts in thing.fields.items():
            if facts.column.type is ColumnType.TEXT and any(
                key_of(one) in wanted for one in names_for(name, facts.declared)
            ):
                called[(pick(facts.declared.label, lang) if facts.declared else "") or words_of(name)] = None
    yield from called


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
def _verbs() -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = packaged(Path(__file__).with_name("field_verbs.yaml"))
    return found
