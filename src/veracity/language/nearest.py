"""Did you mean: the known names nearest to what was written."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_LONGEST = 200
_SPELT_ALIKE = 75.0
_SAME_WORDS = 65.0
_VALUE_CUTOFF = 50.0
_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+")


@lru_cache(maxsize=4096)
def words_of(name: str) -> str:
    """A name as its words in small letters, so that `amountTotal` is near `total_amount`."""
    return _WORD_STARTS.sub(" ", name).casefold()


def spaced(name: str) -> str:
    """A name as its words in the letters that it is stored with: `AnzahlKunden` is Anzahl Kunden."""
    return _WORD_STARTS.sub(" ", name).strip()


def _squeezed(name: str) -> str:
    return words_of(name).replace(" ", "")


def nearest(written: str, known: Iterable[str]) -> str | None:
    """The one known name that was probably meant: spelt alike, the same words in another order, or more words."""
    from rapidfuzz import fuzz, process

    if not written.strip():
        return None
    names, text = list(known), written[:_LONGEST]
    ways = ((fuzz.ratio, _squeezed, _SPELT_ALIKE), (fuzz.token_sort_ratio, words_of, _SAME_WORDS))
    for scorer, processor, cutoff in ways:
        found = process.extractOne(text, names, scorer=scorer, processor=processor, score_cutoff=cutoff)
        if found is not None:
            return str(found[0])
    asked = set(words_of(text).split())
    return next((name for name in names if asked <= set(words_of(name).split())), None)


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """The end of a sentence for people: the name that was probably meant, if there is one."""
    near = nearest(written, known)
    return f"; did you mean {near}?" if near else "."


def nearest_values(written: str, stored: Iterable[str], *, count: int = 3, cutoff: float = _VALUE_CUTOFF) -> list[str]:
    """The stored values most like what was written, best first."""
    from rapidfuzz import fuzz, process

    found = process.extract(
        written[:_LONGEST], list(stored), scorer=fuzz.WRatio, processor=str.casefold, limit=count, score_cutoff=cutoff
    )
    return [value for value, _score, _index in found]
