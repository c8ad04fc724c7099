"""Units of measurement: one table (`units.yaml`), and the quantities of a text turned into base units.

`5 Gigabyte` and `5 GB` are 5,000,000,000 bytes; of `2 bis 5 Sekunden` both figures are seconds. A currency is a unit of its own:
nothing converts into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

from veracity.language.currencies import CURRENCIES
from veracity.language.numbers import Figure, find_figures, ranges
from veracity.yaml_file import packaged

_BLANKS = (" ", "\u00a0", "\u202f")
_SPACES = (*_BLANKS, "-")
_GLUED = re.compile(r"(?P<number>[0-9][0-9.,'’]{0,14})-?(?P<unit>[^\W\d_]{1,24}[²³23]?|[%‰€$£¥°]c?)")
_CODES = frozenset(CURRENCIES.values())


@dataclass(frozen=True, slots=True)
class Unit:
    """What is measured, and how many base units one of it is."""

    dimension: str
    """`time`, `length`, `data`, ...; a currency is its own dimension, by its code."""
    factor: Decimal

    @property
    def is_currency(self) -> bool:
        """Whether it is money."""
        return self.dimension in _CODES


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure of a text with its unit; `text[start:end]` holds both."""

    start: int
    end: int
    figure: Figure
    unit: Unit | None
    """None where no unit stands beside the figure."""

    @property
    def values(self) -> tuple[Decimal, ...]:
        """What the figure may say, in base units; likeliest first."""
        factor = self.unit.factor if self.unit else Decimal(1)
        return tuple(reading * factor for reading in self.figure.readings)


@cache
def units() -> Mapping[str, Unit]:
    """Every unit by each of its words, in small letters."""
    table = packaged(Path(__file__).with_name("units.yaml"))
    money = {word: Unit(code, Decimal(1)) for word, code in (CURRENCIES | {"元": "CNY"}).items()}
    money |= {
        f"{many}{word}": Unit(CURRENCIES[word], Decimal(factor))
        for many, factor in _SO_MANY.items()
        for word in _OFTEN_SCALED
    }
    return money | {
        word: Unit(dimension, Decimal(factor))
        for dimension, sizes in table.items()
        for factor, words in sizes.items()
        for word in words
    }


_SO_MANY: Mapping[str, int] = {"k": 10**3, "t": 10**3, "m": 10**6}
_OFTEN_SCALED = ("chf", "eur", "usd", "gbp", "€", "$", "£")
"""Currencies that are written together with how many of them are counted: 6,975 kCHF, TEUR 120, 3 M€."""

_IN_CAPITALS = {"SEK": Unit("SEK", Decimal(1))}
"""Currencies whose code in small letters is short for something else: 5 sek are seconds."""


def unit_called(word: str) -> Unit | None:
    """The unit of this name or sign, in any case."""
    return _IN_CAPITALS.get(word) or units().get(word.casefold().removesuffix("."))


@cache
def _after(first: str) -> re.Pattern[str]:
    """The units with this first letter, which few words behind a figure have; compiled when one does."""
    # Ideographs have no capitals; to look for those of so many takes longer than all the rest.
    end = rf"(?-i:(?![^\W_](?<![{_IDEOGRAPHS}])|[²³]|/\w))"
    return re.compile(rf"(?P<unit>{_first_letters()[first]}){end}", re.IGNORECASE)


@cache
def _first_letters() -> Mapping[str, str]:
    return _by(0, units())


@cache
def _before() -> Mapping[str, re.Pattern[str]]:
    """The currencies by their last letter."""
    money = [word for word, unit in units().items() if unit.is_currency]
    capitals = {code[-1].casefold(): f"(?-i:{code})|" for code in _IN_CAPITALS}
    return {
        last: re.compile(rf"(?<![^\W_])(?P<unit>{capitals.get(last, '')}{words})$", re.IGNORECASE)
        for last, words in _by(-1, money).items()
    }


def _by(letter: int, words: Iterable[str]) -> Mapping[str, str]:
    """The words as patterns, the longest first, by one of their letters."""
    found: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        found.setdefault(word.casefold()[letter], []).append(re.escape(word))
    return {sign: "|".join(spelt) for sign, spelt in found.items()}


_IDEOGRAPHS = "\u3400-\u9fff"
_LONGEST_BEFORE = 24
_NOT_SO_WRITTEN = frozenset("avwMGTLSHD")


def unit_after(text: str, place: int) -> tuple[Unit, int] | None:
    """The unit that begins at a place, after a space or a hyphen, and where it ends."""
    start = place
    while start < place + 2 and text[start : start + 1] in _SPACES:
        start += 1
    first = text[start : start + 1].casefold()
    pattern = _after(first) if first in _first_letters() else None
    match = pattern.match(text, start) if pattern is not None else None
    # A single letter is a unit only as it is written: 12 A, but not "2 a day".
    if match is None or (len(match["unit"]) == 1 and match["unit"] in _NOT_SO_WRITTEN):
        return None
    return _IN_CAPITALS.get(match["unit"]) or units()[match["unit"].casefold()], match.end()


def currency_before(text: str, place: int) -> tuple[Unit, int] | None:
    """The currency that ends at a place, and where it begins."""
    first = max(0, place - _LONGEST_BEFORE)
    before = text[first:place]
    before = (before[:-1] if before[-1:] in _BLANKS else before).removesuffix(".")
    pattern = _before().get(before[-1:].casefold())
    match = pattern.search(before) if pattern is not None else None
    if match is None:
        return None
    return _IN_CAPITALS.get(match["unit"]) or units()[match["unit"].casefold()], first + match.start()


def quantities(text: str, locale: str) -> list[Quantity]:
    """The figures of a text, each with the unit that it counts in, in the order of the text."""
    figures = [_number_of_label(text, figure, locale) for figure in find_figures(text, locale)]
    shared = {id(one): two for one, two in ranges(text, [figure for figure, _ in figures])}
    found: dict[int, Quantity] = {}
    for figure, glued in reversed(figures):
        quantity = _quantity(text, figure, glued)
        follower = shared.get(id(figure))
        if quantity.unit is None and follower is not None:
            quantity = Quantity(quantity.start, quantity.end, figure, found[id(follower)].unit)
        found[id(figure)] = quantity
    return [found[id(figure)] for figure, _ in figures]


def _quantity(text: str, figure: Figure, glued: Unit | None) -> Quantity:
    if figure.percent:
        sign = unit_after(text, figure.end)
        unit = sign[0] if sign and sign[0].dimension == "percent" else units()["%"]
        return Quantity(figure.start, sign[1] if sign else figure.end, figure, unit)
    if glued is not None or not figure.readings:
        return Quantity(figure.start, figure.end, figure, glued)
    if after := unit_after(text, figure.end):
        return Quantity(figure.start, after[1], figure, after[0])
    if before := currency_before(text, figure.start):
        return Quantity(before[1], figure.end, figure, before[0])
    return Quantity(figure.start, figure.end, figure, None)


def _number_of_label(text: str, figure: Figure, locale: str) -> tuple[Figure, Unit | None]:
    """A label such as 2s or 5GB is a number with its unit glued to it; behind a currency it is money: £1.1m."""
    glued = _GLUED.fullmatch(figure.text.casefold()) if figure.kind == "label" else None
    unit = units().get(glued["unit"]) if glued else None
    if glued is None or unit is None or currency_before(text, figure.start):
        return figure, None
    number = find_figures(glued["number"], locale)
    if len(number) != 1 or not number[0].readings:
        return figure, None
    read = number[0]
    made = Figure(figure.start, figure.end, figure.text, "number", readings=read.readings, decimals=read.decimals)
    return made, unit
