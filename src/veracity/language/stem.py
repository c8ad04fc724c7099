"""Forms of words: the stem of a word (Snowball), and whether one word is another one in another case or number.

A stem is for comparing texts: `Miete` and `Mieter` have the same. Where a word has to mean the same thing, as in a question, only
the endings of cases and plurals may differ: that is what `noun_stem` and `is_inflected` are for.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from Stemmer import Stemmer

_SHORTEST_STEM = 4
_NOUN_ENDINGS = ("ens", "es", "en", "e", "n", "s")
_ADJECTIVE_ENDINGS = ("es", "en", "er", "em", "e", "s", "n")
_ENGLISH_ENDINGS = ("", "s", "es")
_SURE_STEM = 5


@lru_cache(maxsize=50_000)
def stem_of(word: str, lang: str) -> str:
    """The stem of a word in small letters; a word of a language without stems is its own."""
    if lang not in _SNOWBALL:
        return word
    found = str(_stemmer(lang).stemWord(word[:64].removesuffix("'s")))
    # The stemmer leaves the plural of Video as it is.
    return found[:-1] if lang == "de" and len(found) > 4 and found.endswith(("os", "as", "is")) else found


_SNOWBALL = {"de": "german", "en": "english"}


@cache
def _stemmer(lang: str) -> Stemmer:
    from Stemmer import Stemmer

    return Stemmer(_SNOWBALL[lang])


# --- the same word in another case or number


@lru_cache(maxsize=8192)
def noun_stem(word: str, *, last: bool) -> str:
    """A folded word without its ending: of a noun for the last word of a phrase, of an adjective for the others."""
    if len(word) <= _SHORTEST_STEM or not word.isalpha() or word.endswith("ss"):
        return word
    if word.endswith("ies") and len(word) > _SHORTEST_STEM + 2:
        return word[:-3] + "y"
    for ending in _NOUN_ENDINGS if last else _ADJECTIVE_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


_ROOT_ENDINGS = ("es", "en", "e", "n", "s")
_NO_ENDINGS = ("ss", "us", "is")
_SHORT_PLURALS = {"ids": "id", "ups": "up"}
_FOLDED_UMLAUTS = (("ae", "a"), ("oe", "o"), ("ue", "u"))
_PLURALS_IN_ER = ("mitglieder", "felder", "bilder", "gelder", "schilder")


@lru_cache(maxsize=16384)
def noun_root(word: str) -> str:
    """A folded word without the endings of German and English nouns, where its language is not known.

    All forms have one root: region, regions and Regionen; Auftrag and Aufträge. Miete and Mieter have not.
    """
    if len(word) < _SHORTEST_STEM or not word.isascii() or not word.isalpha():
        return _SHORT_PLURALS.get(word, word)
    if word.endswith("ies") and len(word) > _SHORTEST_STEM:
        return word[:-3] + "y"
    word = word.removesuffix("ten") if word.endswith("bauten") else word  # Neubauten: Neubau
    if word.removesuffix("n").endswith(_PLURALS_IN_ER):
        return word.removesuffix("n").removesuffix("er")  # Ehrenmitglieder: Ehrenmitglied
    going, whole = True, word
    while going:
        going = False
        for ending in _ROOT_ENDINGS:
            left = len(word) - len(ending)
            shortest = _SHORTEST_STEM if ending != "s" else _SHORTEST_STEM - 1
            kept = left if word is whole else len(_without_umlauts(word[:left]))  # Löhne: Lohn, not Loh
            if word.endswith(ending) and not word.endswith(_NO_ENDINGS) and kept >= shortest:
                word, going = word[:left], True
                break
    return _without_umlauts(word)


def _without_umlauts(word: str) -> str:
    for umlaut, vowel in _FOLDED_UMLAUTS:
        word = word.replace(umlaut, vowel)
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
    return len(noun_stem(one, last=True)) >= _SURE_STEM or one.removesuffix("s") == other.removesuffix("s")
