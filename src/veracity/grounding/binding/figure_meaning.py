"""What the figures of a text mean, whether a cell says the same, and what became of one figure."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Context, Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

from veracity.answer.render import list_items
from veracity.answer.results import ColumnFacts
from veracity.answer.values import Arg
from veracity.grounding.binding.cue_words import Relation
from veracity.grounding.binding.results_index import CellPlace
from veracity.grounding.binding.tables import LIMIT, Table
from veracity.language.folding import listed, words_in
from veracity.language.number_words import CARDINALS
from veracity.language.numbers import MONTHS, Figure
from veracity.language.units import Quantity, Unit, quantities, unit_called
from veracity.ontology.fields import FieldRole

Status = Literal["bound", "ambiguous", "unbound"]
Why = Literal[
    "", "no such value", "of the question", "other row or column", "several places", "negated", "excluded",
    "wrong unit", "expression", "reckoned",
]  # fmt: skip


class BindingOutcome(NamedTuple):
    """Whether a figure is bound, and to what."""

    status: Status
    why: Why = ""
    place: CellPlace | None = None
    kind: Literal["cell", "derived", "question", "constant"] = "cell"
    value: str | None = None
    expression: str | None = None
    args: tuple[Arg, ...] = ()
    nearest: CellPlace | str | None = None
    """What the data says there: a cell, or a figure that was worked out."""
    sure: bool = False
    """Whether the words of this very figure say the cell that says otherwise."""
    hint: str = ""
    """One sentence on what is wrong with it, where more is known."""
    own: bool = False
    """Whether the words of this very figure say the column, and its row is named or the only one."""


def bound_to(place: CellPlace) -> BindingOutcome:
    """Bound to a cell."""
    return BindingOutcome("bound", place=place)


def ambiguous(place: CellPlace) -> BindingOutcome:
    """It could be of several cells, of which this is one."""
    return BindingOutcome("ambiguous", "several places", nearest=place)


def unbound(nearest: CellPlace | str | None = None, *, sure: bool = False, own: bool = False) -> BindingOutcome:
    """The cell that is meant says something else."""
    why: Why = "other row or column" if nearest is not None else "no such value"
    return BindingOutcome("unbound", why, nearest=nearest, sure=sure, own=own)


# --- whether a cell is what a figure says: rounded as the figure is, in its scale, as a share, a day, a time, or inside a text


_EXACT = Context(prec=400)
_HUNDRED = Decimal(100)
_ABOUT = Decimal("0.05")
"""What is about 30 lies between 28.5 and 31.5."""
_ENDLESS = Decimal("Infinity")
_LONGEST = 4_000
_BESIDE = 24
_GLUED = re.compile(r"([0-9]{1,12})[A-Za-z]{1,5}")


class FigureMeaning(NamedTuple):
    """What a figure says, together with the words around it that change it."""

    figure: Figure
    spans: tuple[tuple[Decimal, Decimal], ...] = ()
    """From where to where a number may lie, for each reading of the figure."""
    compares: bool = False
    """Behind `more than` or `at most`: a span has no other end."""
    minute: int | None = None
    """Of the day, for a time."""
    unit: Unit | None = None
    """The unit that stands beside the figure."""

    def has(self, number: Decimal, unit: Unit | None = None) -> bool:
        """Whether a number lies where the figure may; in whichever of two units that convert into each other."""
        if unit is not None and self.unit is not None and unit != self.unit:
            if not units_fit(unit, self.unit):
                return False
            number = _EXACT.divide(_EXACT.multiply(number, unit.factor), self.unit.factor)
        return any(low <= number <= high for low, high in self.spans)

    def scales(self, multiple: Decimal) -> tuple[Decimal, ...]:
        """By what a cell of a column in thousands or millions is multiplied to be what the figure says.

        A figure without a currency may be written as the cell is; CHF 6,975 are no 6,975 thousand.
        """
        if self.unit is not None and self.unit.is_currency and (self.unit.factor != 1 or multiple >= _THOUSAND):
            return (_EXACT.divide(multiple, self.unit.factor),)
        return (_ONE,) if multiple == 1 else (_ONE, multiple)


_ONE, _THOUSAND = Decimal(1), Decimal(1000)
_LIKE_SCALES = tuple(filter(None, map(unit_called, ("m", "t", "b"))))


def units_fit(one: Unit, other: Unit) -> bool:
    """Whether figures of two units can be the same one. Beside money, `m`, `t` and `b` are as likely scales: CHF 5 m."""
    if one.is_currency == other.is_currency:
        return one.dimension == other.dimension
    return (other if one.is_currency else one) in _LIKE_SCALES


def meaning_of(
    figure: Figure,
    relation: Relation = "is",
    *,
    negative: bool = False,
    either_sign: bool = False,
    minute: int | None = None,
    unit: Unit | None = None,
) -> FigureMeaning:
    """What a figure says; `negative` behind `minus`, `either_sign` where a change of -5 may be said as `fell by 5`."""
    spans: list[tuple[Decimal, Decimal]] = []
    for reading, tolerance in zip(figure.readings, figure.tolerances, strict=True):
        near = _rounded_off(reading, tolerance) if relation in _NEARBY else tolerance
        if relation in _ONE_SIDED:
            near = max(near, 2 * tolerance)  # Just over 123 is less than 124.
        if not reading and figure.scale != 1:
            near = Decimal(0)  # "0 million" says nothing, not half a million
        for value in (-reading, *(() if negative else (reading,))) if negative or either_sign else (reading,):
            low, high = _EXACT.subtract(value, near), _EXACT.add(value, near)
            # Fell by more than 12 is -12 and less.
            turned = either_sign and not negative and value != reading
            below, above = ("at least", "at most") if turned else ("at most", "at least")
            if relation in _ONE_SIDED:
                low, high = (value, high) if (relation == "just above") != turned else (low, value)
            spans.append((-_ENDLESS if relation == below else low, _ENDLESS if relation == above else high))
    return FigureMeaning(figure, tuple(spans), relation in ("at least", "at most"), minute, unit)


_ONE_SIDED: tuple[Relation, ...] = ("just above", "just below")
_NEARBY: tuple[Relation, ...] = ("about", *_ONE_SIDED)


def _rounded_off(reading: Decimal, tolerance: Decimal) -> Decimal:
    """About 150,000 is exact to 5,000: the zeros at its end were not counted."""
    exponent = reading.normalize().as_tuple().exponent
    if not isinstance(exponent, int) or not reading:
        return tolerance
    return max(tolerance, min(Decimal(5).scaleb(exponent - 1), abs(reading) * _ABOUT))


def cell_says(cell: Decimal | str | date | bool | None, meaning: FigureMeaning, facts: ColumnFacts) -> bool:
    """Whether the cell is what the figure says. NULL supports nothing."""
    if cell is None or isinstance(cell, bool):
        return False
    if isinstance(cell, Decimal):
        return _number_says(cell, meaning, facts)
    if isinstance(cell, date):
        return _day_says(cell, meaning)
    return text_says(cell, meaning)


def table_says(table: Table, row: int, column: str, meaning: FigureMeaning) -> bool:
    """`cell_says` for a cell of a table."""
    return cell_says(table.cell(row, column), meaning, table.columns[column])


def _number_says(cell: Decimal, meaning: FigureMeaning, facts: ColumnFacts) -> bool:
    percent = meaning.figure.percent
    if percent and (facts.unit or facts.role not in (FieldRole.RATE, None)):
        return False
    if percent and meaning.compares and facts.role is not FieldRole.RATE:
        return False  # Any number is over 80.
    unit = unit_called(facts.unit) if facts.unit and meaning.unit else None
    if unit is not None and unit.is_currency:
        unit = None  # Another currency is told apart later, with what the data says.
    if any(meaning.has(cell if by == 1 else _EXACT.multiply(cell, by), unit) for by in meaning.scales(facts.multiple)):
        return True
    share = percent and abs(cell) <= 1 and (facts.role is FieldRole.RATE or cell != int(cell))
    return share and meaning.has(_EXACT.multiply(cell, _HUNDRED))


def _day_says(cell: date, meaning: FigureMeaning) -> bool:
    figure, day = meaning.figure, cell.date() if isinstance(cell, datetime) else cell
    if day in figure.dates:
        return True
    if meaning.minute is not None:
        return isinstance(cell, datetime) and cell.hour * 60 + cell.minute == meaning.minute
    year = figure.kind == "number" and len(figure.text) == 4 and figure.text.isdecimal()
    return year and day.year == int(figure.text)


def text_says(text: str, meaning: FigureMeaning, beside: Collection[str] = ()) -> bool:
    """Whether a text says the same figure; with `beside`, one of these words right before or right behind it."""
    figure = meaning.figure
    if len(text) > _LONGEST:
        return False
    if meaning.minute is not None:
        return meaning.minute in clock_times(text)
    if figure.kind == "label":
        return figure.text.casefold() in text.replace(" ", "").casefold()
    limit = LIMIT.match(text)
    if limit is not None:
        return _limit_says(text, meaning, below=limit["sign"] in "<≤")
    for found, unit in _figures_in(text):
        if any(day in figure.dates for day in found.dates):
            return True
        if found.percent == figure.percent and any(meaning.has(stored, unit) for stored in found.readings):
            same_unit = unit is not None and meaning.unit is not None and unit.dimension == meaning.unit.dimension
            if not beside or same_unit or _is_beside(text, found, beside):
                return True
    return False


def _limit_says(text: str, meaning: FigureMeaning, *, below: bool) -> bool:
    """Whether a figure is said as a bound, too, which the one that is stored keeps: below 0.2, of `<0.2`."""
    for found, unit in _figures_in(text):
        for low, high in meaning.spans:
            open_ = meaning._replace(spans=((-_ENDLESS, high) if below else (low, _ENDLESS),))
            bounded = low == -_ENDLESS if below else high == _ENDLESS
            if bounded and any(open_.has(stored, unit) for stored in found.readings):
                return True
    return False


def _is_beside(text: str, figure: Figure, words: Collection[str]) -> bool:
    before = words_in(text[max(0, figure.start - _BESIDE) : figure.start])[-1:]
    return any(word in words for word in (*before, *words_in(text[figure.end : figure.end + _BESIDE])[:1]))


@lru_cache(maxsize=4096)
def _figures_in(text: str) -> tuple[tuple[Figure, Unit | None], ...]:
    """The figures of a stored text with their units; 48MP is 48 of something."""
    said = quantities(text, "en")
    return (
        *(
            (_as_number(one.figure, one.figure.start, glued[1]), None)
            if one.figure.kind == "label" and (glued := _GLUED.fullmatch(one.figure.text))
            else (one.figure, one.unit)
            for one in said
        ),
        *_added(text, said),
    )


def _added(text: str, said: Sequence[Quantity]) -> Iterator[tuple[Figure, Unit | None]]:
    """What a text says in two units: 5 h 15 min are 5.25 h."""
    if len(said) != 2 or text[: said[0].start].strip() or text[said[1].end :].strip(" ."):
        return
    (one, large), (other, small) = ((each.figure, each.unit) for each in said)
    if large is None or small is None or large.dimension != small.dimension or large.factor <= small.factor:
        return
    if one.readings and other.readings and not text[said[0].end : said[1].start].strip():
        value = one.readings[0] + other.readings[0] * small.factor / large.factor
        yield replace(one, readings=(value,), decimals=(0,)), large


def units_in(text: str) -> list[Unit]:
    """The units that a stored text says."""
    return [unit for _figure, unit in _figures_in(text[:_LONGEST]) if unit is not None]


def _as_number(figure: Figure, start: int, digits: str) -> Figure:
    end = start + len(digits)
    return replace(figure, start=start, end=end, text=digits, kind="number", readings=(Decimal(digits),), decimals=(0,))


def significant_digits(figure: Figure) -> int:
    """How many digits of a figure tell it from others: 3 of 152,000, 4 of 28.50."""
    if not figure.readings:
        return 0
    digits = "".join(ch for ch in figure.text if ch.isdigit())
    return len(digits.strip("0")) + (1 if figure.decimals[0] else 0)


# --- the figures of a text: clock times, ratios such as 13-of-24, and numbers that say nothing of the data


_CLOCK = re.compile(
    r"(?<![0-9.,:])(?P<hour>[0-2]?[0-9])(?:[:.](?P<minute>[0-5][0-9]))?[ \u00a0\u202f]?(?:(?P<half>[ap])\.?[ ]?m(?:\.|(?![a-z]))|uhr(?![a-z])|o'clock|[点时](?P<past>半)?(?!间))",
    re.IGNORECASE,
)
_SPELT_CLOCK = re.compile(
    rf"(?<![\w-])({'|'.join(word for word, number in CARDINALS.items() if number <= 24)})[ \u00a0](?:o'clock|o’clock|uhr)(?!\w)",
    re.IGNORECASE,
)
_OPEN_CLOCK = re.compile(
    r"(?<![0-9.,:])(?P<hour>[0-2]?[0-9])(?:[:.](?P<minute>[0-5][0-9]))?\s?(?:-|–|—|to|until|till|bis|至|到)\s?$",
    re.IGNORECASE,
)
_PLAIN_CLOCK = re.compile(r"([0-2]?[0-9]):([0-5]?[0-9])(?::[0-5]?[0-9])?")
_CENTS = re.compile(r"[ \u00a0]?(?:cents?|rappen|pence)(?!\w)", re.IGNORECASE)
_RATIO = re.compile(r"(?:of|for|von|aus)-([0-9]{1,6})", re.IGNORECASE)
_ORDINAL = re.compile(r"[0-9]{1,4}(?:st|nd|rd|th|er|te|ter|tes|ten)", re.IGNORECASE)
THINGS_NUMBERED = listed(
    "top step figure fig table section option note page chapter rank ranked schritt abbildung tabelle abschnitt seite kapitel punkt rang platz"
)
_NUMBERED_SIGNS = ("第", "步骤", "图", "表", "方案", "选项", "附注")
_ARTICLES = listed("der die das dem den des im am zum vom beim ins")
_ORDINAL_AFTER = re.compile(r"\.\s?[A-Za-zÄÖÜäöü]")
_OUT_OF = re.compile(
    r"(?:out of(?: a possible)?|von(?: maximal)?|auf einer skala von 1 bis|on a scale of 1 to|满分|/|from 1 to)\s?$",
    re.IGNORECASE,
)
_SCALES = frozenset(map(Decimal, (5, 10, 100)))
_STARS = re.compile(r"\s?(?:stars?|sternen?|points? scale|分制|颗星|星)", re.IGNORECASE)
_IDIOMS = re.compile(
    r"24\s?/\s?7|24 hours a day|open 24 ?h(?:ours)?|24 stunden (?:offen|geöffnet)|7 days a week|365 days a year|365 tage im jahr|covid\s?-\s?19|(?:auf|per|pro|je)\s100\s?(?:km|kilometer|kilometres|m²|g|ml|einwohner|inhabitants|people)(?![a-z])|7天24小时|24小时(?=营业|开放|服务|不间断|在线|运营|值守|热线|待命)|(?<=全天)24小时|50\s?/\s?50|360\s?(?:°|degrees?|grad)[- ]?(?:view|feedback|camera|panorama|ansicht|blick|kamera|rundblick)|"
    r"(?<![a-z])(?:b2b|b2c|3d|2d|4k|5g|4g|mp3|mp4|h2o|co2|web\s?2\.0|g7|g8|g20)(?![a-z])|\[[0-9]{1,2}\]",
    re.IGNORECASE,
)
_FIRST_OF_IDIOMS = frozenset("bBcCgGhHmMwW")
"""How those of them begin that begin with a letter: B2B, CO2, G20, H2O, MP3, Web 2.0."""
_IN_IDIOMS = frozenset({"24", "7", "365", "19", "50", "360", "2.0", "100"})
_ADDRESS = re.compile(r"://\S{0,200}$")
_MIDDAY = 12
_LONE = frozenset(map(Decimal, (100, 1000, 10**4, 10**6, 10**8, 10**9, 10**12)))
"""`hundreds of`, `a million`: as often a manner of speaking."""


_PER = re.compile(
    r"\s*(?:per|pro|je)\s+(?:hours?|h|stunden?|seconds?|s|sekunden?|minutes?|min|lit(?:re|er)s?|l|hectares?|hektaren?|ha|cubic|kubikmeter|m[3³])(?![a-z])|\s?[·⋅]",
    re.IGNORECASE,
)
"""Behind a unit: kilometres per hour are no kilometres."""


class TextFigures:
    """The figures of a text, and which of them are no figures of data."""

    def __init__(
        self, text: str, locale: str, known_days: Callable[[int, int], tuple[date, ...]] | None = None
    ) -> None:
        self.text = text
        self.minutes: dict[int, int] = {}
        """Start of a time -> the minute of the day."""
        clocks = list(self._clocks(text))
        covered = {at for clock in clocks for at in range(clock.start, clock.end)}
        measured = quantities(text, locale)
        # 元 is said of any currency.
        named = [one for one in measured if text[one.figure.end : one.end].strip() != "元"]
        named = [one for one in named if one.unit is None or one.unit.is_currency or not _PER.match(text, one.end)]
        self.units = {one.figure.start: one.unit for one in named if one.unit is not None}
        """Start of a figure -> the unit that stands beside it."""
        self.unit_spans = [(one.figure.end, one.end) for one in named if one.unit is not None]
        """Where the units behind figures stand."""
        found = [*clocks, *(one.figure for one in measured if one.figure.start not in covered)]
        mended = [self._mended(figure) for figure in sorted(found, key=lambda one: one.start)]
        self.all: list[Figure] = list(_with_first_days(mended, text))
        self._with_days(text, known_days)
        self.items = list_items(text)
        """Where the numbers of list items stand."""
        self._has_address = "://" in text

    def _with_days(self, text: str, known_days: Callable[[int, int], tuple[date, ...]] | None) -> None:
        """Take a day without its year for one figure, where the data knows such a day."""
        if known_days is None or not self.all:
            return
        for start, end, month, day in days_without_year(text):
            dates = known_days(month, day) or _near_days(known_days, month, day)
            if dates and not any(one.dates and one.start < end and start < one.end for one in self.all):
                kept = [one for one in self.all if one.end <= start or one.start >= end]
                made = Figure(start, end, text[start:end], "date", dates=dates)
                self.all = sorted([*kept, made], key=lambda one: one.start)

    def _clocks(self, text: str) -> Iterator[Figure]:
        """Times with a mark: 5 pm, 17 Uhr, 下午5点; and the first one of 8-10 pm."""
        for match in _CLOCK.finditer(text):
            hour, minute = int(match["hour"]), int(match["minute"] or (30 if match["past"] else 0))
            half = (match["half"] or "").lower()
            if hour > 24 or (half and not 1 <= hour <= _MIDDAY):
                continue
            if first := _OPEN_CLOCK.search(text[max(0, match.start() - 12) : match.start()]):
                start = max(0, match.start() - 12) + first.start()
                end = start + len(first["hour"]) + (3 if first["minute"] else 0)
                yield self._clock(start, end, int(first["hour"]), int(first["minute"] or 0), half)
            yield self._clock(match.start(), match.end(), hour, minute, half)
        for match in _SPELT_CLOCK.finditer(text) if "clock" in text or "Uhr" in text else ():
            yield self._clock(match.start(), match.end(), CARDINALS[match[1].lower()], 0, "")

    def _clock(self, start: int, end: int, hour: int, minute: int, half: str) -> Figure:
        self.minutes[start] = _minute_of_day(hour, minute, half)
        return Figure(start, end, self.text[start:end], "time")

    def _mended(self, figure: Figure) -> Figure:
        """A time with its minute of the day; 24 of the label `of-24`."""
        if figure.kind == "time" and figure.start not in self.minutes:
            self.minutes.update((figure.start, minute) for minute in clock_times(figure.text)[:1])
        if figure.kind == "label" and (ratio := _RATIO.fullmatch(figure.text)):
            return _as_number(figure, figure.end - len(ratio[1]), ratio[1])
        if figure.kind in ("number", "word") and not figure.percent and _CENTS.match(self.text, figure.end):
            hundredths = tuple(reading / _HUNDRED for reading in figure.readings)
            decimals = (*figure.decimals, *(one + 2 for one in figure.decimals))
            return replace(figure, readings=(*figure.readings, *hundredths), decimals=decimals)
        return figure

    def is_idle(self, figure: Figure) -> bool:
        """Whether a figure says nothing of the data: 24/7, the 5 of `4 out of 5`, an ordinal, [1]."""
        if self._in_idiom(figure):
            return True
        if figure.kind == "label":
            return _ORDINAL.fullmatch(figure.text) is not None or figure.text.lower().startswith(("top-", "top "))
        if figure.kind != "number" or figure.percent:
            return False
        before, after = self.text[max(0, figure.start - 40) : figure.start], self.text[figure.end : figure.end + 20]
        if figure.readings[0] in _SCALES and _OUT_OF.search(before):
            told = _STARS.match(after) is not None or not re.match(r"[\s-]?\w", after)
            return told or before.rstrip().endswith(("/", "of"))
        led = before.rstrip(" \u00a0#-").rpartition(" ")[2].lower().rstrip(".")
        if led in THINGS_NUMBERED or before.endswith(_NUMBERED_SIGNS):
            return True
        return led in _ARTICLES and _ORDINAL_AFTER.match(after) is not None

    def _in_idiom(self, figure: Figure) -> bool:
        """Whether a figure is a part of a fixed expression, of a mark such as [1], or of an address in the web."""
        if self._has_address and _ADDRESS.search(self.text[max(0, figure.start - 200) : figure.start]):
            return True
        marked = self.text[figure.start - 1 : figure.start] == "["
        if figure.text.replace(".", "").isdigit() and figure.text not in _IN_IDIOMS and not marked:
            return False
        if figure.kind == "label" and figure.text[0].isalpha() and figure.text[0] not in _FIRST_OF_IDIOMS:
            return False
        first = max(0, figure.start - 12)
        found = (match.span() for match in _IDIOMS.finditer(self.text[first : figure.end + 16]))
        return any(first + start <= figure.start and figure.end <= first + end for start, end in found)


_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY_OF_MONTH = re.compile(
    rf"(?<![\w.])(?P<d>[0-3]?[0-9])(?:\.|st|nd|rd|th)?(?: of)?[ \u00a0](?P<m>{_MONTH})(?![a-zäöü])(?!\.?,?[ \u00a0][12][0-9]{{3}})|"
    rf"(?<![\w.])(?P<m2>{_MONTH})\.?[ \u00a0](?P<d2>[0-3]?[0-9])(?:st|nd|rd|th)?(?![0-9:])(?!,?[ \u00a0][12][0-9]{{3}})|"
    r"(?<![0-9年])(?P<m3>1?[0-9])月(?P<d3>[0-3]?[0-9])[日号]",
    re.IGNORECASE,
)


_UP_TO = re.compile(r"\.?\s?(?:to|and|until|through|bis|und|–|-|至|到)\s?(?:the |zum |dem )?", re.IGNORECASE)


def _with_first_days(figures: Sequence[Figure], text: str) -> Iterator[Figure]:
    """The figures, with the first day of a span read as a day of the month and year of the second: 6 to 12 October 2025."""
    for one, other in pairwise((*figures, None)):
        assert one is not None
        last = other.dates[-1] if other is not None and len(other.dates) == 1 else None
        number = int(one.text) if one.kind == "number" and one.text.isdecimal() and len(one.text) <= 2 else 0
        if (
            other is None
            or last is None
            or not 0 < number < last.day
            or not _UP_TO.fullmatch(text, one.end, other.start)
        ):
            yield one
        else:
            yield Figure(one.start, one.end, one.text, "date", dates=(last.replace(day=number),))


def _near_days(known_days: Callable[[int, int], tuple[date, ...]], month: int, day: int) -> tuple[date, ...]:
    """A day that no cell holds, in the years of those that cells hold, of the same month or else of any: it stands nowhere."""
    near = {one.year for other in range(1, 32) for one in known_days(month, other)}
    near = near or {one.year for m in range(1, 13) for other in range(1, 32) for one in known_days(m, other)}
    near = near if 1 <= month <= 12 and day else set()
    valid = [date(year, month, day) for year in sorted(near) if day <= monthrange(year, month)[1]]
    return tuple(valid)


_DAY_BEFORE = re.compile(
    r"(?<![\w.,])(?P<d>[0-3]?[0-9])(?:\.|st|nd|rd|th)?\s?(?:to|and|until|through|bis|und|–|-)\s?(?:the |zum |dem )?$",
    re.IGNORECASE,
)
"""The first day of `16 to 17 July`."""
_DAY_BEHIND = re.compile(r"[至到和、-](?P<d>[0-3]?[0-9])[日号]")


def days_without_year(text: str) -> Iterator[tuple[int, int, int, int]]:
    """Where a text says a day of a month without its year, the month and the day: am 18. Juli, 7月18日."""
    for found in _DAY_OF_MONTH.finditer(text):
        month = found["m"] or found["m2"]
        number = MONTHS[month.lower()] if month else int(found["m3"])
        yield found.start(), found.end(), number, int(found["d"] or found["d2"] or found["d3"])
        before = _DAY_BEFORE.search(text, max(0, found.start() - 16), found.start()) if found["d"] else None
        if before is not None:
            yield before.start("d"), before.end("d"), number, int(before["d"])
        behind = _DAY_BEHIND.match(text, found.end()) if found["d3"] else None
        if behind is not None:
            yield behind.start("d"), behind.end("d"), number, int(behind["d"])


@lru_cache(maxsize=4096)
def clock_times(text: str) -> tuple[int, ...]:
    """The times that a text says, as minutes of the day: 8:0-22:0, 9 am to 5 pm."""
    if marked := [match for match in _CLOCK.finditer(text) if match["half"]]:
        return tuple(_minute_of_day(int(m["hour"]), int(m["minute"] or 0), m["half"].lower()) for m in marked)
    return tuple(int(hour) * 60 + int(minute) for hour, minute in _PLAIN_CLOCK.findall(text) if int(hour) <= 24)


def _minute_of_day(hour: int, minute: int, half: str) -> int:
    """`half` is the a of am or the p of pm, if there is one."""
    return (hour % _MIDDAY + (_MIDDAY if half == "p" else 0) if half else hour) * 60 + minute


def is_surely_figure(figure: Figure) -> bool:
    """Whether a number word is a figure wherever it stands: ninety-five and two and a half are, two is not."""
    value = figure.readings[0]
    return (value > 12 and value not in _LONE) or value != int(value)
