"""One project's rules in one YAML file: rules, weights, words, glossary, suppressions. Mistakes are told with file and line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.language.nearest import did_you_mean
from veracity.requirements.contracts import (
    CRITERIA,
    RULE_IDS,
    Lang,
    RuleChange,
    RuleSettings,
    Severity,
    Suppression,
    WordChange,
    WordListName,
)
from veracity.requirements.rules.phrases import is_entry, word_list
from veracity.yaml_file import YamlFile, read_document

_WHAT = "a file of rules"
_KEYS: dict[str, Collection[str]] = {
    "": RuleSettings.model_fields,
    "rules": RULE_IDS,
    "weights": CRITERIA,
    "words": get_args(WordListName),
    "suppressions": Suppression.model_fields,
    "severity": get_args(Severity),
    "lang": get_args(Lang),
}
"""The key above -> what may be written below it."""


def load_rule_settings(path: str | Path) -> RuleSettings:
    """The rules of a file; raises `UsageError` with file, line and reason."""
    document = read_document(path, UsageError, _WHAT)
    data = {} if document.data is None else document.data
    if not isinstance(data, dict):
        raise UsageError(f"{path} is not {_WHAT}: it needs names such as rules: or glossary: at the top.")
    try:
        settings = RuleSettings.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise _as_error(document, first) from None
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply for {_WHAT}.") from None
    for loc, message in _useless(settings):
        raise document.wrong(loc, message)
    return settings


def _as_error(document: YamlFile, error: Mapping[str, Any]) -> Exception:
    """A pydantic error as a sentence for people."""
    # A key that cannot be is marked with this; the key itself stands before it.
    place = tuple(part for part in error["loc"] if part != "[key]")
    names = [str(part) for part in place if isinstance(part, str)]
    last, above = names[-1:] or [""], names[-2:-1] or [""]
    written = clip(error["input"], 40) if isinstance(error["input"], str) else ""
    match error["type"]:
        case "extra_forbidden":
            return document.wrong(place, f"there is no such setting{_hint(last[0], _allowed_keys(place, above[0]))}")
        case "literal_error":
            return document.wrong(place, f"there is no {written!r}{_hint(written, _choices(names))}")
        case "missing":
            return document.wrong(place, "it is missing; add it")
        case "string_type":
            return document.wrong(place, "a text is needed; put it in quotes if it looks like something else")
        case "model_type" | "dict_type" | "model_attributes_type":
            return document.wrong(place, "names with values are needed")
        case "tuple_type":
            return document.wrong(place, "a list is needed")
    return document.wrong(place, str(error["msg"]).replace("Input should", "it should"))


def _choices(names: list[str]) -> Collection[str]:
    """What could stand where one of a few words is needed."""
    match names:
        case ["words", _, _]:
            return get_args(Lang)
        case ["rules" | "words" as above, _]:
            return _KEYS[above]
        case [*_, "rule"]:
            return RULE_IDS
        case [*_, last]:
            return _KEYS.get(last, ())
    return ()


def _allowed_keys(place: tuple[int | str, ...], above: str) -> Collection[str]:
    """What may be written where something else is."""
    if len(place) == 1:
        return _KEYS[""]
    if place[0] == "rules" and above != "weights":
        return RuleChange.model_fields
    if place[0] == "words":
        return WordChange.model_fields
    return _KEYS.get(above, ())


def _hint(written: str, known: Collection[str]) -> str:
    """The end of a sentence: the nearest, or else all that there are."""
    near = did_you_mean(written, known)
    return near if near != "." or not known else f"; there are {', '.join(known)}"


def _useless(settings: RuleSettings) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What can be read and does nothing, most likely because of a typing error."""
    for name, by_lang in settings.words.items():
        for lang, change in by_lang.items():
            for number, word in enumerate(change.remove):
                if not is_entry(word, name, lang):
                    known = [entry.rstrip("~") for entry in word_list(name, lang)]
                    near = did_you_mean(word.rstrip("~"), known)
                    place = ("words", name, lang, "remove", number)
                    yield place, f"{clip(word, 40)!r} is not in that list, so it cannot be removed{near}"
