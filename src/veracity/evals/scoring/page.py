"""An answer's text as a judge reads it: its figures in every sensible reading, their units, and where things stand.

A figure is read as the language of the question writes numbers first, and then as the other languages do: 152'400.00,
152,400.00, 152.400,00 and 152400.0 are one figure. Digits inside of other digits are never a figure.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property

from veracity.language.currencies import CURRENCIES
from veracity.language.numbers import LOCALES, MONTHS, Figure, find_figures, locale_of

MOST_TEXT = 40_000
"""Characters of an answer that are read; nobody reads on."""
_SHORT = 3_000
"""Up to here, numbers in words are looked for in every language."""
Span = tuple[int, int]

_WORDS = CURRENCIES | {"法郎": "CHF", "元": "CNY", "人民币": "CNY"}
_ALL = "|".join(re.escape(word.lower()) for word in sorted(_WORDS, key=len, reverse=True))
_CURRENCY = re.compile(rf"(?<![a-zäöü])(?:{_ALL})(?![a-zäöü])")
_SPACE = r"[ \t\u00a0\u202f*_`]{0,4}"
_LOOSE = r"[ \t\u00a0\u202f*_`()（）\[\]:：~=\"'|.–-]{0,6}"
_AFTER = re.compile(rf"\.?[–-]{{0,2}}{_SPACE}({_ALL})(?![a-zäöü])(?P<next>{_SPACE}[0-9])?")
_BEFORE = re.compile(rf"(?<![a-zäöü])({_ALL})\.?{_SPACE}$")
_LOOSELY_AFTER = re.compile(rf"{_LOOSE}({_ALL})(?![a-zäöü]|\.?{_SPACE}[0-9])")
_LOOSELY_BEFORE = re.compile(rf"(?<![a-zäöü])({_ALL}){_LOOSE}$")
_OWNED = re.compile(r"[0-9][.–-]{0,2}[ \u00a0*_]{0,2}$")
_REACH = 30

_MONTH_NAMES = "|".join(sorted(MONTHS, key=len, reverse=True))
_MONTH = re.compile(
    rf"(?<![a-zäöü])(?P<name>{_MONTH_NAMES})(?![a-zäöü])"
    r"|(?<![\d.,'/-])(?P<iso>\d{4})[-/](?P<after>\d{1,2})(?![\d/-]|[.,']\d)"
    r"|(?<![\d.,'/-])(?P<before>\d{1,2})[./](?P<year>(?:19|20)\d{2})(?![\d/]|[.,']\d)"
    r"|(?<!\d)(?P<cn>\d{1,2})\s?月"
    r"|\bperiodmonth\W{1,4}(?P<field>\d{1,2})(?!\d)"
)
_DAY = re.compile(
    rf"(?<![\d.,'])(?P<d1>\d{{1,2}})\.\s?(?P<m1>\d{{1,2}})\.(?!\s?\d)|(?P<m2>\d{{1,2}})月(?P<d2>\d{{1,2}})[日号]"
    rf"|(?<!\d)(?P<d3>\d{{1,2}})\.?\s(?P<m3>{_MONTH_NAMES})(?![a-zäöü])|(?<![a-zäöü])(?P<m4>{_MONTH_NAMES})\s(?P<d4>\d{{1,2}})(?!\d)"
)
_SENTENCE = re.compile(r"[\n!?;。！？；]|\.(?=\s|$)")
_CLAUSE = re.compile(
    r"[\n!?;。！？；，、|]|[.,](?=\s|$)|(?<![a-zäöü])(?:und|and|sowie|vs|versus|bzw|gegenüber|während|while|but|aber)(?![a-zäöü])|而|但|→|和"
)
_MAY_BE_DAY = re.compile(r"[\w.,/:年月日 +-]{8,30}")
_NUMBER = re.compile(r"[+-]?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,2})?")

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


@dataclass(frozen=True, slots=True)
class JudgedFigure:
    """A figure of the text."""

    start: int
    end: int
    text: str
    kind: str
    readings: tuple[FigureReading, ...]
    dates: tuple[date, ...]
    percent: bool
    currency: str | None
    """The currency that stands beside it."""


class JudgedPage:
    """A text, with what stands in it and where."""

    def __init__(self, text: str, locale: str) -> None:
        self.text = text[:MOST_TEXT]
        self.locale = locale_of(locale, "de-CH")
        self.low = "".join(map(_small, self.text))
        self._places: dict[tuple[type, str], list[Span]] = {}

    @cached_property
    def figures(self) -> tuple[JudgedFigure, ...]:
        """Every figure, read as each language writes numbers, the text's own first."""
        own = find_figures(self.text, self.locale)
        others = [locale for locale in LOCALES if locale != self.locale]
        if len(self.text) > _SHORT:
            return tuple(self._said([figure, *_read_again(figure, others)]) for figure in own)
        found = {figure.start: [figure] for figure in own}
        for locale in others:
            taken = sorted((same[0].start, same[0].end) for same in found.values())
            for figure in find_figures(self.text, locale):
                if figure.start in found:
                    found[figure.start].append(figure)
                elif not _overlaps(figure, taken):
                    found[figure.start] = [figure]
        return tuple(self._said(found[start]) for start in sorted(found))

    def _said(self, same: list[Figure]) -> JudgedFigure:
        first = same[0]
        readings = dict.fromkeys(_readings(first))
        for other in same[1:]:
            # What the own language writes as thousands is not a fraction in another: 783,000.
            readings |= dict.fromkeys(one for one in _readings(other) if not (0 in first.decimals and one.shown == 3))
        return JudgedFigure(
            first.start,
            first.end,
            first.text,
            first.kind,
            tuple(readings),
            first.dates,
            any(figure.percent for figure in same),
            self._currency(first.start, first.end),
        )

    def _currency(self, start: int, end: int) -> str | None:
        """The currency that stands beside a figure, the nearest one first: of "EUR: 5 CHF" the francs."""
        head = self.low[max(0, start - _REACH) : start]
        before, after = _own(_BEFORE.search(head)), _AFTER.match(self.low, end)
        # Of "CHF 5 EUR 3" each figure has the currency before it.
        if after and not (before and after["next"]):
            return _WORDS[after[1]]
        found = before or _LOOSELY_AFTER.match(self.low, end) or _own(_LOOSELY_BEFORE.search(head))
        return _WORDS[found[1]] if found else None

    def between(self, first: int, last: int) -> tuple[JudgedFigure, ...]:
        """The figures that begin in a stretch of the text."""
        return self.figures[bisect_left(self._starts, first) : bisect_left(self._starts, last)]

    @cached_property
    def _starts(self) -> list[int]:
        return [figure.start for figure in self.figures]

    @cached_property
    def currencies(self) -> frozenset[str]:
        """Every currency that is named anywhere."""
        return frozenset(_WORDS[match.group()] for match in _CURRENCY.finditer(self.low))

    @cached_property
    def months(self) -> tuple[tuple[int, Span], ...]:
        """Months that are named, by name or number, and where."""
        named = []
        for match in _MONTH.finditer(self.low):
            digits = match["after"] or match["before"] or match["cn"] or match["field"]
            named.append((MONTHS[match["name"]] if match["name"] else int(digits), match.span()))
        return tuple(named)

    @cached_property
    def days(self) -> tuple[tuple[int, int, Span], ...]:
        """Days without a year, as month, day and place."""
        found = []
        for match in _DAY.finditer(self.low):
            month, day = (next(match[f"{part}{n}"] for n in "1234" if match[f"{part}{n}"]) for part in "md")
            found.append((MONTHS.get(month) or int(month), int(day), match.span()))
        return tuple(found)

    @cached_property
    def _clause_edges(self) -> list[Span]:
        inside = [(figure.start, figure.end) for figure in self.figures]
        return [edge.span() for edge in _CLAUSE.finditer(self.low) if not _within(edge.start(), inside)]

    @cached_property
    def sentence_edges(self) -> list[int]:
        """Where sentences and lines end; a point inside of a figure or a day ends none."""
        inside = _merged({*((one.start, one.end) for one in self.figures), *(span for _, _, span in self.days)})
        return [edge.start() for edge in _SENTENCE.finditer(self.low) if not _within(edge.start(), inside)]

    def clause(self, start: int, end: int) -> Span:
        """Where the clause around a place begins and ends; commas inside of figures end none."""
        edges = self._clause_edges
        after = bisect_left(edges, (end, 0))
        before = bisect_left(edges, (start, 0)) - 1
        return (edges[before][1] if before >= 0 else 0), (edges[after][0] if after < len(edges) else len(self.text))

    # --- what a figure says

    def is_dated(self, place: int) -> bool:
        """Whether a place is inside of a named month or day."""
        return _within(place, self._calendar)

    @cached_property
    def _calendar(self) -> list[Span]:
        return _merged({*(span for _, span in self.months), *(span for _, _, span in self.days)})

    def says(self, figure: JudgedFigure, value: Decimal) -> bool:
        """Whether a figure says a value: within its own displayed precision, with its sign in digits or words."""
        exact = any(_is(reading, value) for reading in figure.readings)
        if exact and value <= 0:
            return True
        if not exact and not (value < 0 and any(_is(reading, -value) for reading in figure.readings)):
            return False
        around = self._around(figure)
        if _MORE.search(around):
            return exact
        return not _LOSS.search(around) if exact else bool(_LOSS.search(around) or _LESS.search(around))

    def _around(self, figure: JudgedFigure) -> str:
        first, last = self.clause(figure.start, figure.end)
        return self.low[max(first, figure.start - 120) : min(last, figure.end + 60)]

    # --- where a value stands

    def places(self, value: object) -> list[Span]:
        """Where the text says a value: a number by value, a date in any form, a text as whole words."""
        key = (type(value), str(value))
        if key not in self._places:
            self._places[key] = self._find(value)
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
        if value == value.to_integral_value():
            if 1 <= value <= 12:
                found += [span for month, span in self.months if month == value]
                found += [
                    (figure.start, figure.end)
                    for figure in self.figures
                    if any(day.month == value for day in figure.dates)
                ]
            if 1900 <= value <= 2100:
                found += self._year_places(int(value))
            if moment := _moment(value):
                found += self._date_places(moment)
        return sorted(set(found))

    def _year_places(self, year: int) -> list[Span]:
        dated = [(one.start, one.end) for one in self.figures if any(day.year == year for day in one.dates)]
        return dated + [match.span() for match in re.finditer(rf"(?<!\d){year}(?=[-/]\d|\s?年|q)", self.low)]

    def _date_places(self, day: date) -> list[Span]:
        found = [(figure.start, figure.end) for figure in self.figures if day in figure.dates]
        found += [span for month, number, span in self.days if (month, number) == (day.month, day.day)]
        return sorted(set(found))

    def tokens(self, text: str) -> list[Span]:
        """Where a text stands as whole words; digits at its ends are not glued to other digits."""
        wanted = " ".join(_small_text(text).split())
        if not wanted or len(wanted) > 400:
            return []
        found = [
            (at, at + len(wanted)) for at in _occurrences(self.spaced, wanted) if self._whole(at, at + len(wanted))
        ]
        if re.fullmatch(r"(?:19|20)\d\d", wanted):
            found += self._year_places(int(wanted))
        return sorted(set(found))

    @cached_property
    def spaced(self) -> str:
        """The text in small letters, with every kind of space and quote as the plain one."""
        return self.low.translate(_PLAIN)

    def _whole(self, start: int, end: int) -> bool:
        low = self.spaced
        return not (
            _glued(low[max(0, start - 1) : start], low[start])
            or _glued(low[end : end + 1], low[end - 1])
            or (
                low[start].isdigit()
                and re.search(r"\d[.,']$", low[max(0, start - 2) : start])
                and not _listed(low, start, end)
            )
            or (low[end - 1].isdigit() and re.match(r"[.,']\d", low[end : end + 2]) and not _listed(low, start, end))
        )


_PLAIN = str.maketrans({"’": "'", "‘": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\t": " ", "–": "-", "‑": "-"})


def _own(found: re.Match[str] | None) -> re.Match[str] | None:
    """A currency before a figure, unless it belongs to the figure before: 180.00 CHF (2 accounts)."""
    return None if found is None or _OWNED.search(found.string[: found.start()]) else found


def _small(char: str) -> str:
    small = char.lower()
    return small if len(small) == 1 else char


def _small_text(text: str) -> str:
    return "".join(map(_small, text)).translate(_PLAIN)


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + len(wanted))


def _glued(neighbour: str, own: str) -> bool:
    """Whether a letter or digit goes on in its neighbour; Chinese signs are words of their own."""
    return bool(neighbour) and neighbour.isalnum() and ord(neighbour) < 0x2E80 and own.isalnum() and ord(own) < 0x2E80


def _listed(low: str, start: int, end: int) -> bool:
    """Whether it is one of several codes with only commas between: 1020,1021."""
    run = re.match(r"[\d,]*", low[end : end + 40])
    before = re.search(r"[\d,]*$", low[max(0, start - 40) : start])
    whole = (before.group() if before else "") + low[start:end] + (run.group() if run else "")
    parts = whole.strip(",").split(",")
    return len(parts) > 1 and all(len(part) == end - start and len(part) > 3 for part in parts)


def _read_again(figure: Figure, locales: Iterable[str]) -> Iterator[Figure]:
    """A figure of a long text as other languages write numbers; where nothing separates its digits, they all agree."""
    if figure.kind == "number" and re.search("[.,]", figure.text):
        for locale in locales:
            yield from (one for one in find_figures(figure.text, locale) if one.kind == "number")


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


def _overlaps(figure: Figure, spans: list[Span]) -> bool:
    at = bisect_left(spans, (figure.end, 0)) - 1
    return at >= 0 and spans[at][1] > figure.start


def _readings(figure: Figure) -> Iterable[FigureReading]:
    for value, tolerance, shown in zip(figure.readings, figure.tolerances, figure.decimals, strict=True):
        mantissa = abs(value / figure.scale).scaleb(shown)
        yield FigureReading(value, tolerance, max(1, mantissa.adjusted() + 1), shown)


def _is(reading: FigureReading, value: Decimal) -> bool:
    """Exact, or rounded to two digits at least; a value with two decimals may be said with more."""
    if reading.value == value:
        return True
    exponent = value.as_tuple().exponent
    given = Decimal(5).scaleb(exponent - 1) if isinstance(exponent, int) and exponent <= -2 else Decimal(0)
    off = abs(reading.value - value)
    return (off <= reading.tolerance and reading.digits >= 2) or off <= given


def _day(text: str, locale: str) -> date | None:
    """The day that a text is as a whole, in whatever form; a stored one may have a time."""
    if not _MAY_BE_DAY.fullmatch(text):
        return None
    found = find_figures(text, locale)
    return found[0].dates[0] if len(found) == 1 and found[0].dates and len(found[0].text) == len(text) else None


def _moment(value: Decimal) -> date | None:
    """The day of Unix seconds, where a number may be such."""
    return datetime.fromtimestamp(int(value), UTC).date() if 10**8 <= value < 10**10 else None


def number_of(cell: object) -> Decimal | None:
    """A cell as a number; a stored decimal comes back as a text."""
    if isinstance(cell, bool) or cell is None:
        return None
    text = str(cell).strip()
    return Decimal(text) if isinstance(cell, int | float | Decimal | str) and _NUMBER.fullmatch(text) else None
