"""Whether an output says anything: which of its sentences are courtesies, apologies, placeholders or bare labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from veracity.language.sentences import sentences
from veracity.quality.phrases import IDEOGRAPH, folded, pattern_of
from veracity.yaml_file import packaged

_SAMPLED = 20_000
"""So much of a text is looked at: what says nothing for so long is no output."""
_LABEL = re.compile(r"[^\W\d_][\w \-/&]{0,40}:\s*")
_MARKER = re.compile(r"(?:[-*•·#>–—]{1,6}|\d{1,2}[.)、])\s*")
_SLOT = re.compile(r"[\[<{【(]{1,3}[^\[\]<>{}【】()\n:：\"]{0,80}[\]>}】)]{1,3}")
_ANGLED = re.compile(r"(?<!\w)<[a-zäöü][a-zäöü _-]{2,30}>")
_SIGNS = re.compile(r"[\W_]+")
_NAMED = re.compile(r"[\W\d_]+")
_WORDS = re.compile(rf"{IDEOGRAPH.pattern}|[^\W_]+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_REPEATED = 4
"""Words; a shorter output may well be a word of its input."""
_MOST_OF_THE_INPUT = 0.6


@dataclass(frozen=True, slots=True)
class _Phrases:
    nothing: frozenset[str]
    greetings: frozenset[str]
    courtesy: tuple[str, ...]
    refused: tuple[str, ...]
    asks: tuple[str, ...]
    negates: tuple[str, ...]
    languages: Mapping[str, tuple[str, ...]]
    announced: tuple[str, ...]
    behind_labels: frozenset[str]


@lru_cache(maxsize=1)
def _phrases() -> _Phrases:
    table = packaged(Path(__file__).with_name("empty_phrases.yaml"))
    words = (word for line in table["nothing"] for word in line.split())

    def phrases(name: str) -> tuple[str, ...]:
        return tuple(folded(one) for one in table[name])

    return _Phrases(
        nothing=frozenset(_bare(folded(one)) for one in (*words, *table["whole"])),
        greetings=frozenset(_bare(one) for one in phrases("greetings")),
        courtesy=phrases("courtesy"),
        announced=phrases("announced"),
        refused=phrases("refused"),
        asks=phrases("asks"),
        negates=phrases("negates"),
        behind_labels=frozenset(folded(one) for one in table["behind_labels"].split()),
        languages={lang: tuple(names.split()) for lang, names in table["languages"].items()},
    )


def is_greeting(text: str) -> bool:
    """Whether a text is a greeting and nothing else."""
    return _bare(folded(text.strip())) in _phrases().greetings


def statements(text: str, given: str = "") -> list[str]:
    """The sentences of a text that say something. What its input says, too, is no courtesy: it may be quoted or translated."""
    excused = {kind for unit in _units(given) if (kind := _emptiness(unit)) in ("courtesy", "refused")}
    return [unit for unit in _units(text) if (kind := _emptiness(unit)) is None or kind in excused]


def _units(text: str) -> Iterator[str]:
    """Sentences and lines, folded, without the marks of lists."""
    text = text[:_SAMPLED]
    for start, end in sentences(text):
        unit = folded(text[start:end]).strip()
        while marked := _MARKER.match(unit):
            unit = unit[marked.end() :]
        yield unit


def _emptiness(unit: str) -> str | None:
    """Why a folded sentence says nothing; None where it says something."""
    phrases = _phrases()
    if any(_occurs(phrase, unit) for phrase in phrases.refused):
        return "refused"
    label = _LABEL.match(unit)
    if label and _bare(label.group()) in phrases.nothing:
        return "nothing"
    for said in dict.fromkeys((unit, unit[label.end() :] if label else unit)):
        bare = _SIGNS.sub(" ", _SLOT.sub(" ", said)).strip()
        if not bare or said.endswith(":") or bare in phrases.nothing:
            return "nothing"
        if said is not unit and bare in phrases.behind_labels:
            return "nothing"
        pieces = [_bare(piece) for piece in re.split(r"[,;!.。，！]", said)]
        if all(piece in phrases.nothing for piece in pieces if piece):
            return "nothing"
        # What comes behind "Sure," is looked at by itself.
        behind = said
        for piece in pieces[:-1]:
            if piece and piece not in phrases.nothing:
                break
            behind = re.split(r"[,;!.。，！]", behind, maxsplit=1)[1].strip()
        if not any(sign.isdigit() for sign in said) and _is_courtesy(behind):
            return "courtesy"
    return None


def _is_courtesy(said: str) -> bool:
    phrases = _phrases()
    return any(_begins(said, phrase) for phrase in phrases.courtesy) or any(
        _occurs(phrase, said) for phrase in phrases.announced
    )


def _begins(text: str, phrase: str) -> bool:
    rest = text[len(phrase) :] if text.startswith(phrase) else None
    return rest is not None and (not rest or not rest[0].isalnum() or IDEOGRAPH.match(phrase[-1]) is not None)


def _occurs(phrase: str, text: str) -> bool:
    return phrase.split(" ", 1)[0] in text and pattern_of(phrase).search(text) is not None


def _bare(text: str) -> str:
    return _SIGNS.sub(" ", text).strip()


def unfilled_slot(text: str, given: str) -> str | None:
    """A slot in angle brackets, `<amount>`, that is neither markup nor of the input."""
    if "</" in text:
        return None
    return next((found for found in _ANGLED.findall(text[:_SAMPLED]) if found not in given), None)


# --- fields


def hollow_fields(fields: Mapping[str, Any], given: str) -> list[tuple[str, str]]:
    """Fields whose text says nothing, or is only the field's own name, each with its text."""
    return [
        (path, text)
        for path, name, text in _leaves(fields)
        if text.strip() and (_is_own_name(text, name) or not statements(text, given))
    ]


def _leaves(fields: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Every text in nested fields with its path and the name above it; each list or mapping once."""
    waiting: list[tuple[str, str, Any]] = [("", "", fields)]
    seen: set[int] = set()
    while waiting:
        path, name, value = waiting.pop(0)
        if isinstance(value, str):
            yield path, name, value
        elif isinstance(value, Mapping | list | tuple) and id(value) not in seen:
            seen.add(id(value))
            items: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, Mapping) else enumerate(value)
            named = isinstance(value, Mapping)
            waiting.extend((f"{path}.{key}".lstrip("."), str(key) if named else name, one) for key, one in items)


def _is_own_name(text: str, name: str) -> bool:
    """`Title`, `keyword1`, `Source 1`: what stands there until somebody fills it in."""
    said, called = _NAMED.sub("", folded(text)), _NAMED.sub("", folded(name))
    return bool(said) and said in (called, called.removesuffix("s"))


# --- what an output repeats, and what it was asked for


def is_repeated(text: str, given: str) -> bool:
    """Whether an output is the input over again, or most of it."""
    said, asked = _WORDS.findall(folded(text)[:_SAMPLED]), _WORDS.findall(folded(given)[: 2 * _SAMPLED])
    if len(said) < _LEAST_REPEATED or len(said) < _MOST_OF_THE_INPUT * len(asked):
        return False
    return f" {' '.join(said)} " in f" {' '.join(asked)} "


def asks_for_a_figure(question: str) -> bool:
    """Whether a question wants one figure: how many, wie hoch, 多少."""
    text = folded(question[:_SAMPLED])
    return any(_occurs(phrase, text) for phrase in _phrases().asks)


def gives_a_figure_or_none(text: str, question: str = "") -> bool:
    """Whether an answer has a figure beside the years and words of its question, or says that there is none."""
    from veracity.language.numbers import find_figures

    asked = {
        word for word in _WORDS.findall(folded(question[:_SAMPLED])) if not word.isdigit() or _YEAR.fullmatch(word)
    }
    own = _WORDS.sub(lambda found: "" if folded(found[0]) in asked else found[0], text[:_SAMPLED])
    if any(sign.isdigit() for sign in own) or find_figures(own, "en"):
        return True
    plain = folded(text[:_SAMPLED])
    return any(_occurs(phrase, plain) for phrase in _phrases().negates)


def language_named(request: str) -> str | None:
    """The language that the beginning of a request asks for: `to German:`, `ins Englische:`, `翻译成英文`."""
    head = folded(re.split(r"[:：\n\"“„«]", request, maxsplit=1)[0][:200])
    places = {
        lang: found.start()
        for lang, names in _phrases().languages.items()
        for name in names
        if (found := pattern_of(name).search(head))
    }
    return max(places, key=lambda lang: places[lang]) if places else None
