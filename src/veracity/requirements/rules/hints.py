"""Rules that only inform: right too seldom to move a score."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.question.folding import listed
from veracity.requirements.rules.reading import Reading
from veracity.requirements.rules.rule import Hit, Rule, weigh

_HUNDRED = re.compile(r"(?<![\d.,])100\s?%")
_DEMONSTRATIVE = listed("this these those")
_VERBS = listed("is are was were shall must should will can may has have does do")
_ARTICLES = listed("the a an")
_FEWEST_CANDIDATES = 2


def absolute(reading: Reading) -> Iterator[Hit]:
    """An absolute: all, always, never."""
    words = reading.words
    for match in reading.find("absolute"):
        after = words[match.last + 1].text if match.last + 1 < len(words) else ""
        before = words[match.first - 1].text if match.first else ""
        # "alle 5 Minuten" is an interval, "vor allem" is none.
        if reading.is_demand(match.start) and not after[:1].isdigit() and before != "vor":
            yield Hit(match.start, match.end)
    for found in _HUNDRED.finditer(reading.shadow):
        if reading.is_demand(found.start()):
            yield Hit(found.start(), found.end())


def pronoun(reading: Reading) -> Iterator[Hit]:
    """A pronoun that may stand for two things or more."""
    words = reading.words
    for match in reading.find("pronoun"):
        after = words[match.last + 1].text if match.last + 1 < len(words) else ""
        if words[match.first].text in _DEMONSTRATIVE and after not in _VERBS:
            continue
        if _candidates(reading, match.first) >= _FEWEST_CANDIDATES:
            yield Hit(match.start, match.end)


def _candidates(reading: Reading, at: int) -> int:
    """How many things were named before a pronoun: nouns in German, what has an article in English."""
    before = reading.words[max(0, at - 30) : at]
    if reading.lang == "de":
        return len({word.text for word in before[1:] if word.capital})
    return sum(word.text in _ARTICLES for word in before)


def weak_verb(reading: Reading) -> Iterator[Hit]:
    """A verb that names no action that one could watch."""
    for match in reading.find("weak_verb"):
        if reading.is_demand(match.start):
            yield Hit(match.start, match.end)


ABS = Rule(
    "ABS",
    absolute,
    weigh(),
    "info",
    {
        "de": "Absolutheit: '{word}' lässt sich kaum vollständig prüfen",
        "en": "Absolute: '{word}' can hardly be checked in full",
    },
    {"de": "Prüfen, ob es Ausnahmen gibt, und sie nennen.", "en": "See whether there are exceptions, and name them."},
)
PRON = Rule(
    "PRON",
    pronoun,
    weigh(),
    "info",
    {"de": "Unklarer Bezug: wofür steht '{word}'?", "en": "Unclear reference: what does '{word}' stand for?"},
    {"de": "Das Gemeinte beim Namen nennen.", "en": "Name what is meant."},
)
WEAKVERB = Rule(
    "WEAKVERB",
    weak_verb,
    weigh(),
    "info",
    {"de": "Blasses Verb: '{word}' sagt nicht, was geschieht", "en": "Weak verb: '{word}' does not say what happens"},
    {"de": "Sagen, was das System tut.", "en": "Say what the system does."},
)
