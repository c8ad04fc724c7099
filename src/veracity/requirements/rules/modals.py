"""The modal verbs of a requirement: those that bind (muss, shall) and those that leave it open (sollte, should)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from veracity.question.folding import listed
from veracity.requirements.contracts import Lang
from veracity.requirements.rules.lexicon import Lexicon
from veracity.requirements.rules.phrases import Match, Word
from veracity.requirements.rules.verbs import is_infinitive, is_participle

_SOLL = ("soll", "sollen")
_MAY = ("darf", "duerfen")
_FORBIDS = listed("nicht nur nie niemals keinesfalls kein keine keinen keinem keiner keines")
_HAVE_TO = listed("ist sind hat haben")
_WILL = ("wird", "werden")
_REACH = 20
_PAUSE = re.compile(r"[.,;:!?]|\n\s*\n")


def binding_modals(
    shadow: str, words: Sequence[Word], lang: Lang, lexicon: Lexicon, *, soll: bool
) -> tuple[Match, ...]:
    """The modal verbs that bind; German "soll" binds unless the project says otherwise."""
    found = lexicon["binding_modal"].find(shadow, words)
    if lang == "de":
        found.extend(_german_binding(shadow, words, soll))
        found.sort(key=lambda match: match.start)
    return tuple(found)


def weak_modals(shadow: str, words: Sequence[Word], lang: Lang, lexicon: Lexicon, *, soll: bool) -> tuple[Match, ...]:
    """The modal verbs that do not bind; with `soll` that is one of them."""
    found = lexicon["weak_modal"].find(shadow, words)
    if lang == "de":
        for at, word in enumerate(words):
            if (soll and word.text in _SOLL) or (word.text in _WILL and _is_future(shadow, words, at)):
                found.append(_at(words, at))
        found.sort(key=lambda match: match.start)
    return tuple(found)


def _german_binding(shadow: str, words: Sequence[Word], soll: bool) -> Iterator[Match]:
    for at, word in enumerate(words):
        if word.text in _SOLL:
            if soll:
                yield _at(words, at)
        elif word.text in _MAY:
            if any(other.text in _FORBIDS for other in clause_after(shadow, words, at)):
                yield _at(words, at)
        elif word.text in _HAVE_TO and _has_to(clause_after(shadow, words, at)):
            yield _at(words, at)


def clause_after(shadow: str, words: Sequence[Word], at: int) -> list[Word]:
    """The words after one, up to the next pause."""
    found: list[Word] = []
    end = words[at].end
    for word in words[at + 1 : at + 1 + _REACH]:
        if _PAUSE.search(shadow, end, word.start):
            break
        found.append(word)
        end = word.end
    return found


def _has_to(following: Sequence[Word]) -> bool:
    """Whether "ist" or "hat" goes on with "zu prüfen" or "auszugeben"."""
    pairs = pairwise(following)
    apart = any(one.text == "zu" and not other.capital and is_infinitive(other.text) for one, other in pairs)
    return apart or any(not word.capital and "zu" in word.text[2:-3] and is_infinitive(word.text) for word in following)


def _is_future(shadow: str, words: Sequence[Word], at: int) -> bool:
    """Whether "wird" goes on with an infinitive; with a participle it is a passive."""
    if at and is_participle(words[at - 1].text):
        return False
    following = [word for word in clause_after(shadow, words, at) if not word.capital]
    return (
        bool(following)
        and is_infinitive(following[-1].text)
        and not any(is_participle(word.text) for word in following)
    )


def _at(words: Sequence[Word], at: int) -> Match:
    return Match(words[at].text, words[at].start, words[at].end, at, at)
