"""Countries, cities and languages by their names in the languages there are: Deutschland is Germany and 德国; states and cantons by their codes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from veracity.language.folding import folded_text, words_in
from veracity.language.locale import LANGUAGES
from veracity.yaml_file import packaged

_FEWEST_CITIES = 2
"""A column is one of cities where so many of its values are; a single Paris may be a person."""
_WITHOUT_DOTS = str.maketrans("äöüÄÖÜ", "aouAOU")
_MOST_OTHERS = 3
"""A column is one of countries where at most one of so many of its values is none."""


def other_names(stored: Collection[str], lang: str) -> Iterator[tuple[str, str]]:
    """For a column of countries or of languages: each name in a language, and the stored value that it means there."""
    for kind in ("territories", "languages"):
        found = _known(stored, _codes(kind))
        if not found:
            continue
        named, present = _names(kind, lang), {folded_text(value) for value in stored}
        once = list(found.values())
        for value, code in found.items():
            if once.count(code) == 1:
                yield from ((name, value) for name in named[code] if folded_text(name) not in present)


def city_names(stored: Collection[str]) -> Iterator[tuple[str, str]]:
    """What cities are called elsewhere, where a column holds several: Geneva is Genf. And names written without their dots: Zurich."""
    present = {folded_text(value) for value in stored}
    known = [(value, city) for value in stored if (city := _cities().get(folded_text(value))) is not None]
    for value, city in known if len(known) >= _FEWEST_CITIES else ():
        yield from ((name, value) for name in city if folded_text(name) not in present)
    for value in stored:
        plain = value.translate(_WITHOUT_DOTS)
        if plain != value and folded_text(plain) not in present:
            yield plain, value


@cache
def _cities() -> Mapping[str, tuple[str, ...]]:
    cities: Iterable[Sequence[str]] = packaged(Path(__file__).with_name("regions.yaml"))["cities"]
    return {folded_text(name): tuple(city) for city in cities for name in city}


def region_names(stored: Collection[str], columns: Collection[str], lang: str) -> Iterator[tuple[str, str]]:
    """For a column of codes of states, provinces or cantons, by what it is called: each name in a language, and the code stored for it.

    Nothing where the codes may be those of two countries: BE, NW and SH are cantons, and they are German states.
    """
    folded = {word for name in columns for word in words_in(name)}
    kinds: Mapping[str, Any] = packaged(Path(__file__).with_name("regions.yaml"))["regions"]
    fitting = [
        kind["names"]
        for kind in kinds.values()
        if stored and not folded.isdisjoint(kind["columns"]) and all(code in kind["names"] for code in stored)
    ]
    for names in fitting if len(fitting) == 1 else ():
        for code in stored:
            yield from ((name, code) for name in names[code].get(lang, ()))


def coded_names(stored: Collection[str], columns: Collection[str], lang: str) -> Iterator[tuple[str, str]]:
    """For a column of countries by their codes of two letters: Deutschland is DE. Only where the column is called so, and holds no others."""
    folded = {word for name in columns for word in words_in(name)}
    called: Collection[str] = packaged(Path(__file__).with_name("regions.yaml"))["country_columns"]
    named = _names("territories", lang)
    if stored and not folded.isdisjoint(called) and all(code in named for code in stored):
        for code in stored:
            yield from ((name, code) for name in named[code])


def country_adjectives(stored: Collection[str], columns: Collection[str], lang: str) -> Iterator[tuple[str, str]]:
    """For a column of countries, by names or codes: German, and the stored value that it means there."""
    known = _adjectives(lang)
    names = {name: code for code, said in _names("territories", lang).items() for name in said}
    told = (*other_names(stored, lang), *coded_names(stored, columns, lang), *((value, value) for value in stored))
    for value, code in {(value, names[name]) for name, value in told if name in names}:
        yield from ((adjective, value) for adjective in known.get(code, ()))


_ENDINGS = ("", "e", "en", "er", "es", "em")


@lru_cache(maxsize=512)
def names_of_places(stored: tuple[str, ...], column: str) -> tuple[tuple[str, str], ...]:
    """For a column of countries, cantons, states or cities, what its values are called in any language, and the adjectives: brasilianische."""
    found: dict[tuple[str, str], None] = {}
    for lang in LANGUAGES:
        told = (
            *other_names(stored, lang),
            *coded_names(stored, (column,), lang),
            *region_names(stored, (column,), lang),
        )
        found.update(dict.fromkeys(told))
        of_country = any(folded_text(value) in _codes("territories") for value in stored) or bool(told)
        for adjective, value in country_adjectives(stored, (column,), lang) if of_country else ():
            ends = _ENDINGS if lang == "de" else ("",)
            found.update({(f"{adjective}{end}", value): None for end in ends})
    found.update(dict.fromkeys(city_names(stored)))
    return tuple(found)


def _known(stored: Collection[str], codes: Mapping[str, str]) -> Mapping[str, str]:
    """What each value means; nothing where too many mean nothing, which is mostly seen after a few of them."""
    found, others = dict[str, str](), 0
    for value in stored:
        code = codes.get(folded_text(value))
        if code is not None:
            found[value] = code
            continue
        others += 1
        if _MOST_OTHERS * others > len(stored):
            return {}
    return found


@cache
def _names(kind: str, lang: str) -> Mapping[str, tuple[str, ...]]:
    """The names of each country, or of each language, in one language."""
    known: Mapping[str, Mapping[str, list[str]]] = packaged(Path(__file__).with_name("territories.yaml"))[kind]
    return {code: tuple(names.get(lang, ())) for code, names in known.items()}


@cache
def _adjectives(lang: str) -> Mapping[str, tuple[str, ...]]:
    """What is said of things of a country in one language: German."""
    known: Mapping[str, Mapping[str, list[str]]] = packaged(Path(__file__).with_name("territories.yaml"))["adjectives"]
    return {code: tuple(names.get(lang, ())) for code, names in known.items()}


@cache
def _codes(kind: str) -> Mapping[str, str]:
    """What each name means, in any language; no name that means several."""
    found: dict[str, set[str]] = {}
    for lang in LANGUAGES:
        for code, names in _names(kind, lang).items():
            for name in names:
                found.setdefault(folded_text(name), set()).add(code)
    return {name: next(iter(codes)) for name, codes in found.items() if len(codes) == 1}
