"""Degrees of adjectives: longer and longest of long, länger and längste of lang, 最长 of 长."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from veracity.language.folding import folded_text
from veracity.yaml_file import packaged

_VOWELS = "aeiou"
_UMLAUTS = {"a": "ae", "o": "oe", "u": "ue"}
_DECLINED = ("e", "er", "en", "es", "em")


class Degrees(NamedTuple):
    """The folded forms of an adjective."""

    plain: tuple[str, ...]
    comparative: tuple[str, ...]
    superlative: tuple[str, ...]


@lru_cache(maxsize=4096)
def degrees(adjective: str, lang: str) -> Degrees:
    """All forms of an adjective in a language. A form that nobody says does no harm: it is only looked for."""
    word = folded_text(adjective)
    table = packaged(Path(__file__).with_name("degrees.yaml")).get(lang, {})
    irregular = table.get(word)
    if lang == "zh":
        return Degrees((word,), (f"更{word}", f"较{word}"), (f"最{word}",))
    if lang == "de":
        return _german(word, irregular, turned=word in table["umlaut"])
    return _english(word, irregular)


def _english(word: str, irregular: list[str] | None) -> Degrees:
    if irregular:
        return Degrees((word,), (irregular[0],), (irregular[1],))
    more, most = f"more {word}", f"most {word}"
    if " " in word:
        return Degrees((word,), (more,), (most,))
    stem = word
    if word.endswith("e"):
        stem = word[:-1]
    elif word.endswith("y") and len(word) > 2 and word[-2] not in _VOWELS:
        stem = f"{word[:-1]}i"
    elif len(word) > 2 and word[-1] not in f"{_VOWELS}wxy" and word[-2] in _VOWELS and word[-3] not in _VOWELS:
        stem = word + word[-1]
    return Degrees((word,), (f"{stem}er", more), (f"{stem}est", most))


def _german(word: str, irregular: list[str] | None, *, turned: bool) -> Degrees:
    stem = _with_umlaut(word) if turned else word
    more, most = irregular or (stem, "")
    comparatives = (f"{more}er", *(f"{more}er{end}" for end in _DECLINED))
    bases = (most,) if most else (f"{stem}st", f"{stem}est")
    superlatives = tuple(f"{base}{end}" for base in bases for end in _DECLINED)
    # teuer, but teure and teuren; hoch, but hohe
    short = "hoh" if word == "hoch" else f"{word[:-2]}{word[-1]}" if word.endswith(("er", "el")) else word
    plain = dict.fromkeys((word, *(f"{base}{end}" for base in (word, short) for end in _DECLINED)))
    return Degrees(tuple(form for form in plain if form not in comparatives), comparatives, superlatives)


def _with_umlaut(word: str) -> str:
    """The word with its last vowel turned: lang -> laeng."""
    place = max(word.rfind(vowel) for vowel in _UMLAUTS)
    return f"{word[:place]}{_UMLAUTS[word[place]]}{word[place + 1 :]}" if place >= 0 else word
