"""An answer's text as a judge reads it: its figures in every sensible reading, their units, and where things stand.

Numbers, units, dates and sentences are read by `veracity.language`. A figure is read as the language of the question writes
numbers first, and then as the other languages do: 152'400.00, 152,400.00, 152.400,00 and 152400.0 are one figure. Digits
inside of other digits are never a figure.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from veracity.language.currencies import CURRENCIES
from veracity.language.dates import atoms_of
from veracity.language.folding import fold
from veracity.language.numbers import LOCALES, Figure, find_figures, locale_of
from veracity.language.sentences import sentence_ends
from veracity.language.units import Quantity, Unit, quantities

MOST_TEXT = 40_000
"""Characters of an answer that are read; nobody reads on."""
Span = tuple[int, int]

_MONEY = CURRENCIES | {"法郎": "CHF", "元": "CNY"}
_ALL = "|".join(re.escape(word) for word in sorted(_MONEY, key=len, reverse=True))
_CURRENCY = re.compile(rf"(?<![a-zäöü])(?:{_ALL})(?![a-zäöü])")
_SPACE = r"[ \t\u00a0\u202f*_`]{0,4}"
_LOOSE = r"[ \t\u00a0\u202f*_`()（）\[\]:：~=\"'|.–-]{0,6}"
_AFTER = re.compile(rf"\.?[–-]{{0,2}}{_SPACE}({_ALL})(?![a-zäöü])(?P<next>{_SPACE}[0-9])?")
_BEFORE = re.compile(rf"(?<![a-zäöü])({_ALL})\.?{_SPACE}$")
_LOOSELY_AFTER = re.compile(rf"{_LOOSE}({_ALL})(?![a-zäöü]|\.?{_SPACE}[0-9])")
_LOOSELY_BEFORE = re.compile(rf"(?<![a-zäöü])({_ALL}){_LOOSE}$")
_BEHIND_FIGURE = re.compile(r"[0-9][.–-]{0,2}[ \u00a0*_]{0,2}$")
_REACH = 30

_MONTH_FIELD = re.compile(r"\bperiodmonth\W{1,4}(\d{1,2})(?!\d)")
_ANY_DAY = date(2000, 1, 1)
"""What "last year" counts from; an answer that is judged names its years."""
_CLAUSE = re.compile(
    r"[\n!?;。！？；，、|]|[.,](?=\s|$)|(?<![a-zäöü])(?:und|and|sowie|vs|versus|bzw|gegenüber|während|while|but|aber)(?![a-zäöü])|而|但|→|和"
)
_MAY_BE_DAY = re.compile(r"[\w.,/:年月日 +-]{8,30}")
_NUMBER = re.compile(r"[+-]?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?")
_SAME_SIGN = str.maketrans(
    {"’": "'", "‘": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\t": " ", "–": "-", "‑": "-"}
)

_LOSS = re.compile(r"verlust(?:e|es)?(?![a-zäöü])|(?<![a-z])loss(?:es)?(?![a-z])|亏损|净亏")
_LESS = re.compile(
    r"rückgang|abnahme|gesunken|(?<![a-zäöü])sank(?:en)?(?![a-zäöü])|gefallen|reduzier|verringer|verminder|weniger|tiefer|"
    r"(?<![a-zäöü])minus(?![a-zäöü])|negativ|decreas|declin|(?<![a-z])(?:drop|dropped|fell|fallen|lower|less|down|reduced|reduction)(?![a-z])|"
    r"下降|减少|降低|下跌|下滑|(?<!至)少|负"
)
_MORE = re.compile(
    r"gewinn|überschuss|zunahme|gestiegen|(?<![a-zäöü])stieg|anstieg|(?<![a-z])profit|surplus|increas|(?<![a-z])(?:rose|grew|growth|gain)(?![a-z])|"
    r"利润|盈利|盈余|增加|增长|上升"
)


@dataclass(frozen=True, slots=True)
class FigureReading:
    """What a figure may mean: a value, how exact it is, and how many digits it shows."""

    value: Decimal
    tolerance: Decimal
    digits: int
    shown: int
    """The decimals."""

    def is_value(self, value: Decimal) -> bool:
        """Exact, or rounded to two digits at least; a value with two decimals may be said with more."""
        if self.value == value:
            return True
        exponent = value.as_tuple().exponent
        given = Decimal(5).scaleb(exponent - 1) if isinstance(exponent, int) and exponent <= -2 else Decimal(0)
        off = abs(self.value - value)
        return (off <= self.tolerance and self.digits >= 2) or off <= given


@dataclass(frozen=True, slots=True)
class JudgedFigure:
    """A figure of the text."""

    start: int
    end: int
    text: str
    kind: str
    readings: tuple[FigureReading, ...]
    """As it is written, likeliest first."""
    dates: tuple[date, ...]
    percent: bool
    currency: str | None
    """The currency that stands beside it."""
    unit: Unit | None
    """What it counts in: seconds, bytes, square metres."""

    @property
    def in_base_unit(self) -> tuple[FigureReading, ...]:
        """The readings in the base unit: of 5 GB, 5,000,000,000 bytes."""
        factor = self.unit.factor if self.unit else Decimal(1)
        return tuple(replace(one, value=one.value * factor, tolerance=one.tolerance * factor) for one in self.readings)

    @property
    def all_readings(self) -> tuple[FigureReading, ...]:
        """As it is written, and in the base unit."""
        return self.readings if self.unit is None or self.unit.factor == 1 else (*self.readings, *self.in_base_unit)


class CalendarPlace(NamedTuple):
    """A year, a month or a day that a text names, as far as it says."""

    span: Span
    year: int | None
    month: int | None = None
    day: int | None = None


class JudgedPage:
    """A text, with what stands in it and where."""

    def __init__(self, text: str, locale: str) -> None:
        self.text = text[:MOST_TEXT]
        self.locale = locale_of(locale, "de-CH")
        self.low = "".join(map(_lower, self.text))
        self._places: dict[tuple[type, str], list[Span]] = {}

    # --- figures

    @cached_property
    def figures(self) -> tuple[JudgedFigure, ...]:
        """Every figure, read as each language writes numbers, the text's own first."""
        found: dict[int, list[Quantity]] = {}
        for locale in (self.locale, *(locale for locale in LOCALES if locale != self.locale)):
            taken = sorted((same[0].figure.start, same[0].figure.end) for same in found.values())
            for quantity in quantities(self.text, locale):
                start, end = quantity.figure.start, quantity.figure.end
                before = bisect_left(taken, (end, 0)) - 1
                if start in found:
                    found[start].append(quantity)
                elif before < 0 or taken[before][1] <= start:
                    found[start] = [quantity]
        return tuple(self._figure(found[start]) for start in sorted(found))

    def _figure(self, same: list[Quantity]) -> JudgedFigure:
        """One figure of what the languages make of it."""
        first = same[0].figure
        readings = dict.fromkeys(_readings(first))
        for other in same[1:]:
            # What the own language writes as thousands is not a fraction in another: 783,000.
            readings |= dict.fromkeys(
                one for one in _readings(other.figure) if not (0 in first.decimals and one.shown == 3)
            )
        return JudgedFigure(
            first.start,
            first.end,
            first.text,
            first.kind,
            tuple(readings),
            first.dates,
            any(one.figure.percent for one in same),
            self._currency(first.start, first.end),
            same[0].unit,
        )

    def _currency(self, start: int, end: int) -> str | None:
        """The currency that stands beside a figure, the nearest one first: of "EUR: 5 CHF" the francs."""
        head = self.low[max(0, start - _REACH) : start]
        before, after = _unless_behind_figure(_BEFORE.search(head)), _AFTER.match(self.low, end)
        # Of "CHF 5 EUR 3" each figure has the currency before it.
        if after and not (before and after["next"]):
            return _MONEY[after[1]]
        found = before or _LOOSELY_AFTER.match(self.low, end) or _unless_behind_figure(_LOOSELY_BEFORE.search(head))
        return _MONEY[found[1]] if found else None

    def between(self, first: int, last: int) -> tuple[JudgedFigure, ...]:
        """The figures that begin in a stretch of the text."""
        return self.figures[bisect_left(self._starts, first) : bisect_left(self._starts, last)]

    @cached_property
    def _starts(self) -> list[int]:
        return [figure.start for figure in self.figures]

    @cached_property
    def currencies(self) -> frozenset[str]:
        """Every currency that is named anywhere."""
        return frozenset(_MONEY[match.group()] for match in _CURRENCY.finditer(self.low))

    def says(self, figure: JudgedFigure, value: Decimal) -> bool:
        """Whether a figure says a value: within its own displayed precision, with its sign in digits or words."""
        exact = any(reading.is_value(value) for reading in figure.all_readings)
        if exact and value <= 0:
            return True
        if not exact and not (value < 0 and any(reading.is_value(-value) for reading in figure.all_readings)):
            return False
        first, last = self.clause(figure.start, figure.end)
        around = self.low[max(first, figure.start - 120) : min(last, figure.end + 60)]
        if _MORE.search(around):
            return exact
        return not _LOSS.search(around) if exact else bool(_LOSS.search(around) or _LESS.search(around))

    # --- dates, sentences and clauses

    @cached_property
    def dates(self) -> tuple[CalendarPlace, ...]:
        """The years, months and days that are named, and where."""
        folded = fold(self.text)
        found = [CalendarPlace(match.span(), None, int(match[1])) for match in _MONTH_FIELD.finditer(self.low)]
        for atom in atoms_of(folded.text, _ANY_DAY):
            if atom.possible:
                month = atom.number if atom.unit in ("month", "day") else atom.days[0].month if atom.days else None
                span = folded.origin(atom.start, atom.end)
                found.append(CalendarPlace(span, atom.year, month, atom.day or None))
        return tuple(found)

    def is_dated(self, place: int) -> bool:
        """Whether a place is inside of a named month or day."""
        return _within(place, self._calendar)

    @cached_property
    def _calendar(self) -> list[Span]:
        return _merged({one.span for one in self.dates if one.month is not None})

    @cached_property
    def sentence_ends(self) -> list[int]:
        """Where sentences and lines end; a point inside of a figure or a day ends none."""
        inside = _merged(
            {*((one.start, one.end) for one in self.figures), *(one.span for one in self.dates if one.day)}
        )
        ends = {*sentence_ends(self.text), *(mark.end() for mark in re.finditer(";", self.text))}
        return [end for end in sorted(ends) if not _within(end - 1, inside)]

    @cached_property
    def _clause_edges(self) -> list[Span]:
        inside = [(figure.start, figure.end) for figure in self.figures]
        return [edge.span() for edge in _CLAUSE.finditer(self.low) if not _within(edge.start(), inside)]

    def clause(self, start: int, end: int) -> Span:
        """Where the clause around a place begins and ends; commas inside of figures end none."""
        edges = self._clause_edges
        after = bisect_left(edges, (end, 0))
        before = bisect_left(edges, (start, 0)) - 1
        return (edges[before][1] if before >= 0 else 0), (edges[after][0] if after < len(edges) else len(self.text))

    # --- where a value stands

    def places(self, value: object) -> list[Span]:
        """Where the text says a value: a number by value, a date in any form, a text as whole words."""
        key = (type(value), str(value))
        if key not in self._places:
            self._places[key] = sorted(set(self._find(value)))
        return self._places[key]

    def _find(self, value: object) -> list[Span]:
        if isinstance(value, bool) or value is None:
            return []
        if isinstance(value, date):
            return self._date_places(value.date() if isinstance(value, datetime) else value)
        if isinstance(value, int | float | Decimal):
            return self._number_places(Decimal(str(value)))
        text = str(value).strip()
        if day := _day(text, self.locale):
            return self._date_places(day) or self.tokens(text)
        found = self.tokens(text)
        return found or (self._number_places(Decimal(text)) if "." in text and _NUMBER.fullmatch(text) else [])

    def _number_places(self, value: Decimal) -> list[Span]:
        found = [(figure.start, figure.end) for figure in self.figures if self.says(figure, value)]
        if value != value.to_integral_value():
            return found
        if 1 <= value <= 12:
            found += [one.span for one in self.dates if one.month == value]
        if 1900 <= value <= 2100:
            found += self._year_places(int(value))
        if 10**8 <= value < 10**10:
            found += self._date_places(datetime.fromtimestamp(int(value), UTC).date())
        return found

    def _year_places(self, year: int) -> list[Span]:
        return [one.span for one in self.dates if one.year == year]

    def _date_places(self, day: date) -> list[Span]:
        found = [(figure.start, figure.end) for figure in self.figures if day in figure.dates]
        same = ((day.year, day.month, day.day), (None, day.month, day.day))
        return found + [one.span for one in self.dates if (one.year, one.month, one.day) in same]

    def tokens(self, text: str) -> list[Span]:
        """Where a text stands as whole words; digits at its ends are not glued to other digits."""
        wanted = " ".join("".join(map(_lower, text)).translate(_SAME_SIGN).split())
        if not wanted or len(wanted) > 400:
            return []
        found = [
            (at, at + len(wanted)) for at in _occurrences(self.spaced, wanted) if self._is_whole(at, at + len(wanted))
        ]
        return found + (self._year_places(int(wanted)) if re.fullmatch(r"(?:19|20)\d\d", wanted) else [])

    @cached_property
    def spaced(self) -> str:
        """The text in small letters, with every kind of space and quote as the plain one."""
        return self.low.translate(_SAME_SIGN)

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether no word or number goes on at either end of a place."""
        low = self.spaced
        if _goes_on(low[max(0, start - 1) : start], low[start]) or _goes_on(low[end : end + 1], low[end - 1]):
            return False
        cut = (low[start].isdecimal() and re.search(r"\d[.,']$", low[max(0, start - 2) : start])) or (
            low[end - 1].isdecimal() and re.match(r"[.,']\d", low[end : end + 2])
        )
        return not cut or _is_one_of_several_codes(low, start, end)


def _unless_behind_figure(found: re.Match[str] | None) -> re.Match[str] | None:
    """A currency before a figure, unless it belongs to the figure before: 180.00 CHF (2 accounts)."""
    return None if found is None or _BEHIND_FIGURE.search(found.string[: found.start()]) else found


def _lower(char: str) -> str:
    small = char.lower()
    return small if len(small) == 1 else char


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + len(wanted))


def _goes_on(neighbour: str, own: str) -> bool:
    """Whether a letter or digit goes on in its neighbour; Chinese signs are words of their own."""
    return bool(neighbour) and neighbour.isalnum() and ord(neighbour) < 0x2E80 and own.isalnum() and ord(own) < 0x2E80


def _is_one_of_several_codes(low: str, start: int, end: int) -> bool:
    """Whether only commas stand between codes of the same length: 1020,1021."""
    run = re.match(r"[\d,]*", low[end : end + 40])
    before = re.search(r"[\d,]*$", low[max(0, start - 40) : start])
    whole = (before.group() if before else "") + low[start:end] + (run.group() if run else "")
    parts = whole.strip(",").split(",")
    return len(parts) > 1 and all(len(part) == end - start and len(part) > 3 for part in parts)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in their order, those that overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _within(place: int, spans: list[Span]) -> bool:
    at = bisect_right(spans, (place, MOST_TEXT)) - 1
    return at >= 0 and spans[at][0] <= place < spans[at][1]


def _readings(figure: Figure) -> Iterator[FigureReading]:
    for value, tolerance, shown in zip(figure.readings, figure.tolerances, figure.decimals, strict=True):
        digits = abs(value / figure.scale).scaleb(shown).adjusted() + 1
        yield FigureReading(value, tolerance, max(1, digits), shown)


def _day(text: str, locale: str) -> date | None:
    """The day that a text is as a whole, in whatever form; a stored one may have a time."""
    if not _MAY_BE_DAY.fullmatch(text):
        return None
    found = find_figures(text, locale)
    return found[0].dates[0] if len(found) == 1 and found[0].dates and len(found[0].text) == len(text) else None


def number_of(cell: object) -> Decimal | None:
    """A cell as a number; a stored decimal comes back as a text."""
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal | str):
        return None
    text = str(cell).strip()
    return Decimal(text) if _NUMBER.fullmatch(text) else None
