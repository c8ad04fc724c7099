"""Inflection: German cases and plurals, English plurals, as far as endings show them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

_SHORTEST_STEM = 4
_NOUN_ENDINGS = ("ens", "es", "en", "e", "n", "s")
_ADJECTIVE_ENDINGS = ("es", "en", "er", "em", "e", "s", "n")
_ENGLISH_ENDINGS = ("", "s", "es")
_SURE_STEM = 5


@lru_cache(maxsize=8192)
def stem(word: str, *, last: bool) -> str:
    """A folded word without its ending: of a noun for the last word of a phrase, of an adjective for the others."""
    if len(word) <= _SHORTEST_STEM or not word.isalpha() or word.endswith("ss"):
        return word
    if word.endswith("ies") and len(word) > _SHORTEST_STEM + 2:
        return word[:-3] + "y"
    for ending in _NOUN_ENDINGS if last else _ADJECTIVE_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def is_inflected(said: Sequence[str], known: Sequence[str], langs: Collection[str]) -> bool:
    """Whether what is said can be a form of the known words, which have the same stems, in one of its languages."""
    if not langs or "de" in langs:
        return True
    # English bends only its nouns, and only to plurals.
    return list(said[:-1]) == list(known[:-1]) and _is_plural(said[-1], known[-1])


def _is_plural(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if long.endswith("ies"):
        return short == long[:-3] + "y"
    return any(long == short + ending for ending in _ENGLISH_ENDINGS)


def is_close(said: Sequence[str], known: Sequence[str]) -> bool:
    """Whether an inflected form is near enough to be sure of: more than an ending is the same."""
    one, other = said[-1], known[-1]
    return len(stem(one, last=True)) >= _SURE_STEM or one.removesuffix("s") == other.removesuffix("s")
