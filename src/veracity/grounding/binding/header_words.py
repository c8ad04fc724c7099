"""What the name of a column tells where nothing is declared: its unit, and the words that people use for such a column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path

from veracity.language.currencies import CURRENCIES
from veracity.language.dictionary import words_of_kind
from veracity.language.folding import listed, words_in
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.language.units import Unit, unit_called
from veracity.semantic.reading.same_words import same_nouns
from veracity.yaml_file import packaged

_IN_BRACKETS = re.compile(r"[(（\[]\s*(?:in\s+)?(?P<unit>[^()（）\[\]]{1,20}?)\s*[)）\]]\s*$")
_BEHIND = re.compile(
    r"(?:[\s_.,/-]|(?<=[a-z])(?=[A-Z]))(?:in[\s_])?"
    r"(?P<unit>[A-Za-z°€$£%²³µ/]{1,12}|[A-Za-z]{1,3}[23]|小时|分钟|天|公里|公斤|千克|吨|米|升|平方米)$"
)
_PER_BEHIND = re.compile(r"[\s_.(](?P<many>[A-Za-zµμ]{1,4})(?:_per_|[_/])(?P<one>[A-Za-z]{1,3}[23³]?)\)?$")
"""no3_mg_l, speed_km_per_h."""
_SCALED_MONEY = re.compile(r"_(?P<money>chf|eur|usd|gbp|cny)_(?:k|m|mn|mio|bn|mrd|tsd)$", re.IGNORECASE)
"""limit_usd_m."""
_COMPOUND = re.compile(r"(?<=[a-zäöüß]{3})(?P<unit>stunden|minuten|sekunden|kilometer|tage)$")
"""Betriebsstunden are hours."""
_UNSPACED = re.compile(r"(?<=[\u4e00-\u9fff])(?P<unit>小时|分钟|公里|公斤|千克|平方米|吨)$")
_OWN_UNITS: Mapping[str, str] = {"c": "°C", "celsius": "°C", "pct": "%", "percent": "%", "prozent": "%"}
"""What names of columns write in place of the unit."""
_NO_UNITS = frozenset({"a", "b", "d", "h", "l", "m", "s", "v", "to", "us", "fr", "in", "min"})
"""Too short behind a name to be its unit: column_a, group_b, temp_min."""


_LASTING = (
    "duration time runtime delay travel wait downtime uptime outage labor labour work prep preparation ride trip cooking processing setup response lead stay break latency mttr "
    "dauer zeit verspätung stillstand ausfall arbeit fahrt bearbeitung aufenthalt pause unterbruch reaktion betrieb rüst"
)
_MEASURED_IN: Mapping[str, frozenset[str]] = {
    "m": frozenset(
        map(noun_root, listed("length height width depth distance altitude elevation länge höhe breite tiefe distanz"))
    ),
    "h": frozenset(map(noun_root, listed(_LASTING))),
    "s": frozenset(map(noun_root, listed(_LASTING))),
    "min": frozenset(map(noun_root, listed(_LASTING))),
    "l": frozenset(map(noun_root, listed("volume tank fuel content volumen inhalt"))),
}
"""What such a short unit is one of, all the same: length_m."""


_WHOLE_NAMES = listed("seconds minutes hours days sekunden minuten stunden tage 分钟 小时")
"""Columns that are called by their unit alone."""
_TIME_BEHIND = re.compile(
    r"[\s_]+(?:last|previous|prior|this|current|next)[\s_](?:day|week|month|quarter|year)$", re.IGNORECASE
)
"""Joined last month is not what is monthly."""
_PER = (["per"], ["pro"], ["je"], ["last"], ["previous"], ["prior"], ["this"], ["current"], ["next"])


def unit_of_header(name: str) -> tuple[str, Unit, str] | None:
    """The unit that the name of a column ends with, as a word and as a unit, and the name without it.

    A year or a quarter may stand behind it: `output_mwh.Q1`, `revenue_eur_2023`.
    """
    told = _unit_at_end(name)
    if told is None and (dated := _DATED.search(name)) is not None:
        found = _unit_at_end(name[: dated.start()])
        told = (*found[:2], found[2] + dated.group()) if found is not None else None
    return told


_DATED = re.compile(r"[._ /-](?:(?:19|20)\d\d|[qQ][1-4](?:[ _-]?(?:19|20)\d\d)?|(?:19|20)\d\d[ _-]?[qQ][1-4])$")
"""A year or a quarter at the end of a name."""


def _unit_at_end(name: str) -> tuple[str, Unit, str] | None:
    whole = name.rpartition(".")[2].lower()
    if whole in _WHOLE_NAMES and (unit := unit_called(whole)) is not None:
        return whole, unit, name
    if (each := _PER_BEHIND.search(name)) is not None and name[: each.start()]:
        spelt = f"{each['many']}/{each['one']}"
        if (unit := unit_called(spelt)) is not None:
            return spelt, unit, name[: each.start()]
    if (scaled := _SCALED_MONEY.search(name)) is not None and name[: scaled.start()]:
        name = f"{name[: scaled.start()]}_{scaled['money']}"
    found = _IN_BRACKETS.search(name) or _BEHIND.search(name) or _COMPOUND.search(name) or _UNSPACED.search(name)
    if found is None or not name[: found.start()].strip(" _.,"):
        return None
    if words_in(words_of(name[: found.start()]))[-1:] in _PER:
        return None  # Hours per week are no weeks, members last year no years.
    word = found["unit"].strip("_")
    currency = CURRENCIES.get(next(iter(words_in(words_of(name[: found.start()]))[-1:]), ""))
    if currency is not None and (money := unit_called(currency)) is not None:
        return currency, money, name[: found.start()].rpartition("_")[0] or name  # price_eur_t: euros a tonne
    bracketed = name.rstrip().endswith((")", "）", "]"))
    if not bracketed and (word.lower() in _NO_UNITS or (len(word) == 1 and word.isupper())):
        before = noun_root(words_in(words_of(name[: found.start()]))[-1]) if words_in(name[: found.start()]) else ""
        if not before.endswith(tuple(_MEASURED_IN.get(word.lower(), ("\0",)))):
            return None  # Arbeitszeit h are hours.
    spelt = _OWN_UNITS.get(word.lower(), word)
    unit = unit_called(spelt)
    if unit is not None and unit.is_currency:
        # In how many it is counted is no part of the unit.
        spelt, unit = unit.dimension, replace(unit, factor=Decimal(1))
    return (spelt, unit, name[: found.start()].rstrip(" _.,/-")) if unit is not None else None


@lru_cache(maxsize=4096)
def header_words(name: str) -> tuple[str, ...]:
    """Other words for a column of this name, by the whole of it or by its last word."""
    short = re.split(r"[-.: ]", name)[-1]
    if (line := _abbreviations().get(short)) is not None:
        return line
    told = unit_of_header(name)
    bare = _TIME_BEHIND.sub("", told[2] if told is not None else name)
    words = [noun_root(word) for word in words_in(words_of(bare))]
    if not words:
        return ()
    known = _lines()
    found: dict[str, None] = {}
    own = [noun_root(word) for word in words_in(words_of(bare.rpartition(".")[2]))]
    forms = dict.fromkeys((tuple(words), tuple(words[-2:]), tuple(words[-1:]), tuple(own[:1])))
    lines = next(filter(None, (known.get(form, ()) for form in forms)), ())
    for line in lines:
        found.update(dict.fromkeys(line))
    # The dictionary of all languages knows more nouns, but not what people say of them.
    found.update(dict.fromkeys(next(filter(None, map(_same_in_all_languages, forms)), ())))
    if _OF_PEOPLE.search(name):
        found["人"] = None
    return tuple(found)


_OF_PEOPLE = re.compile(r"[员人生客户者]数$")
"""Columns that count people: 会员数, 学生数."""


def _same_in_all_languages(form: tuple[str, ...]) -> list[str]:
    said = (*same_nouns(" ".join(form)), *words_of_kind().get(form, ()))
    return [one for one in said if tuple(map(noun_root, words_in(one))) != form]


def _read() -> Iterator[tuple[list[str], tuple[str, ...]]]:
    """The lines: abbreviations in capitals, and the other words."""
    for line in packaged(Path(__file__).with_name("header_words.yaml")):
        words = [str(word) for word in line]
        capitals = [word for word in words if word.isupper() and word.isascii() and len(word) > 1]
        yield capitals, tuple(word for word in words if word not in capitals or word in _SAID)


_SAID = frozenset({"FG", "FT"})
"""Abbreviations that are also said."""


@cache
def _abbreviations() -> Mapping[str, tuple[str, ...]]:
    return {name: words for capitals, words in _read() for name in capitals if name not in _SAID}


@cache
def _lines() -> Mapping[tuple[str, ...], list[tuple[str, ...]]]:
    """A word or several, without endings -> the lines that hold it."""
    made: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for _capitals, line in _read():
        for word in line:
            made.setdefault(tuple(noun_root(part) for part in words_in(word)), []).append(line)
    return made
