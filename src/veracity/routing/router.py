"""The router: which requests need the data and its tools, and which a plain answer serves.

    prefix       /sql ...            the skill of that name
    chat         chat.py             greetings, small talk, who are you: closed phrases, nothing else in the request
    arithmetic   arithmetic.py       figures and signs, nothing else in the request
    translation  translation.py      the text is in the request; its words are not read as a request
    words        words.py            a word that points at live state, at data or back: REACT
    facts        facts.py            a form of asking about a plain notion
    default                          REACT

A needless REACT costs tokens; a tool that is needed and not offered is a wrong answer. So only what a rule takes in as
a whole goes to DIRECT_CHAT.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from veracity.language.folding import folded_text
from veracity.routing.arithmetic import read_arithmetic
from veracity.routing.chat import read_chat, without_ending
from veracity.routing.translation_signs import MOST, may_be_translation
from veracity.routing.words import (
    DATA,
    DATA_ZH,
    LIVE,
    LIVE_ZH,
    POINTING,
    POINTING_ZH,
    DataVocabulary,
    RuleMatch,
    folded,
    shown,
)

_MOST_PLAIN = 300
"""A longer request is no small talk, no sum and no plain question."""
_MOST_READ = 2_000
"""So much of a long request is searched for words that decide."""
_POINTS = ("live", "data", "reference")
"""What words point at; the first of these rules is the one that is told."""
_IDENTIFIER = re.compile(r"\b[a-z]+[A-Z]\w*")
"""A name as programs write it, such as accountNumber."""
_PREFIX = re.compile(r"/(?P<name>[^\W\d_][\w-]{0,63})(?:\s+|$)")


class Route(StrEnum):
    """Who answers a request."""

    DIRECT_CHAT = "DIRECT_CHAT"
    REACT = "REACT"
    SKILL = "SKILL"


class Decision(BaseModel):
    """Where a request goes, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    route: Route
    rule: str
    words: tuple[str, ...] = ()
    """The words that decided, as they stand in the request."""
    skill: str | None = None
    """With the rule `prefix`: the skill."""
    text: str
    """The request without its prefix."""
    expression: str | None = None
    """With the rule `arithmetic`: the sum in the language of expressions."""


class Router:
    """Decides by words and forms alone: no model, no state, the same decision every time."""

    def __init__(self, *, data_words: Iterable[str] = (), prefixes: Mapping[str, str] = {}) -> None:
        own = [word for word in data_words if word.strip()]
        self._words = DataVocabulary(
            (
                (_POINTS[0], (*LIVE, *LIVE_ZH)),
                (_POINTS[1], (*own, *DATA, *DATA_ZH)),
                (_POINTS[2], (*POINTING, *POINTING_ZH)),
            )
        )
        self._own = DataVocabulary([("data", own)])
        self._prefixes = {folded_text(prefix).removeprefix("/"): skill for prefix, skill in prefixes.items()}

    def decide(self, request: str) -> Decision:
        """Where a request goes. Never raises, whatever the text."""
        text = request.strip()
        plain = folded(text[: MOST + 1])
        if plain.startswith("/") and (prefixed := self._prefixed(text, plain)):
            return prefixed
        start, chat = read_chat(plain) if len(plain) <= _MOST_PLAIN else (0, None)
        if chat is not None:
            return _direct(text, chat, 0)
        core = plain[start : without_ending(plain, start)] if len(plain) <= _MOST_PLAIN else plain
        found = read_arithmetic(core) or (_translation(core) if len(plain) <= MOST else None)
        if found is not None:
            return _direct(text, found, start)
        return self._by_words(text, plain) or self._fact(text, core, start)

    def _prefixed(self, text: str, plain: str) -> Decision | None:
        match = _PREFIX.match(plain)
        if match is None:
            return None
        skill, rest = self._prefixes.get(folded_text(match["name"])), text[match.end() :].strip()
        words = (text[: match.end("name")],)
        if skill is None:
            return Decision(route=Route.REACT, rule="unknown_prefix", words=words, text=rest)
        return Decision(route=Route.SKILL, rule="prefix", words=words, skill=skill, text=rest)

    def _by_words(self, text: str, plain: str) -> Decision | None:
        found = self._words.find(plain[:_MOST_READ])
        if not found:
            return None
        rule = min((one for one, _, _ in found), key=_POINTS.index)
        words = shown(text, ((start, end) for one, start, end in found if one == rule))
        return Decision(route=Route.REACT, rule=rule, words=words, text=text)

    def _fact(self, text: str, core: str, start: int) -> Decision:
        from veracity.routing.facts import read_fact

        fact, back = read_fact(core, text[start : start + len(core)]) if len(core) <= _MOST_PLAIN else (None, None)
        if back is not None:
            return Decision(route=Route.REACT, rule="reference", words=_words(text, (back,), start), text=text)
        if fact is None:
            return Decision(route=Route.REACT, rule="default", text=text)
        name = _IDENTIFIER.search(text)
        if name is not None:
            return Decision(route=Route.REACT, rule="data", words=(name.group(),), text=text)
        if part := self._own.in_compound(_blanked(core, fact.spans)):
            return Decision(route=Route.REACT, rule="data", words=_words(text, (part,), start), text=text)
        return _direct(text, fact, start)


def _translation(core: str) -> RuleMatch | None:
    if not may_be_translation(core):
        return None
    from veracity.routing.translation import read_translation

    return read_translation(core)


def _blanked(core: str, spans: Iterable[tuple[int, int]]) -> str:
    """A question without the words that ask, every other word in its place."""
    for start, end in spans:
        core = f"{core[:start]}{' ' * (end - start)}{core[end:]}"
    return core


def _direct(text: str, match: RuleMatch, start: int) -> Decision:
    words = _words(text, match.spans, start)
    return Decision(route=Route.DIRECT_CHAT, rule=match.rule, words=words, text=text, expression=match.expression)


def _words(text: str, spans: Iterable[tuple[int, int]], start: int) -> tuple[str, ...]:
    return shown(text, ((first + start, last + start) for first, last in spans))
