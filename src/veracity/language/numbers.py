"""Figures in text, both ways: numbers and dates as a locale writes them, and every reading of what someone wrote.

Reading goes over a shadow of the text that has the same length: digits of any script as ASCII digits, letters of any
alphabet but the Chinese as ASCII letters. So spans are exact, and every pattern is of ASCII classes and linear.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal
from itertools import pairwise
from typing import Literal

from veracity.language.locale import language
from veracity.language.number_words import (
    chinese_value,
    find_chinese,
    find_fractions,
    find_ordinals,
    find_words,
    number_said,
    words_in,
)

LOCALES = ("de-CH", "de-DE", "en", "zh")
_SEPARATORS = {"de-CH": ("'", "."), "de-DE": (".", ","), "en": (",", "."), "zh": (",", ".")}
_MAX_DIGITS = 60
_CJK = 0x2E80
"""From here on, letters do not glue to digits: 共152400元."""


def locale_of(code: str | None, default_de: str = "de-DE") -> str:
    """The locale of a code such as `de`, `de_CH.UTF-8` or `zh-CN`; English when it is none of ours."""
    plain = (code or "").replace("_", "-").split(".")[0]
    lang = language(plain)
    if lang != "de":
        return lang
    country = plain.partition("-")[2].upper()
    if not country:
        return default_de
    return "de-CH" if country in ("CH", "LI") else "de-DE"


# --- writing


def written(number: Decimal) -> str:
    """A decimal with all its digits and without an exponent."""
    return format(number, "f")


def format_number(value: Decimal, locale: str, *, decimals: int | None, grouping: bool = True) -> str:
    """A number as the locale writes it; with `decimals` rounded to so many, halves away from zero."""
    if decimals is not None:
        context = Context(prec=max(50, value.adjusted() + decimals + 5), rounding=ROUND_HALF_UP)
        value = value.quantize(Decimal(1).scaleb(-decimals), context=context)
    thousands, point = _SEPARATORS[locale]
    sign = "-" if value < 0 else ""
    whole, _, rest = written(value.copy_abs()).partition(".")
    if grouping:
        first = len(whole) % 3 or 3
        whole = thousands.join([whole[:first], *(whole[at : at + 3] for at in range(first, len(whole), 3))])
    return f"{sign}{whole}{point}{rest}" if rest else f"{sign}{whole}"


_MONTHS_EN = words_in("January February March April May June July August September October November December")
_MONTHS_DE = words_in("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")


def format_date(day: date, locale: str) -> str:
    """A date as the locale writes it."""
    match locale:
        case "en":
            return f"{day.day} {_MONTHS_EN[day.month - 1]} {day.year}"
        case "zh":
            return f"{day.year}年{day.month}月{day.day}日"
        case _:
            return f"{day.day:02}.{day.month:02}.{day.year:04}"


# --- reading


def format_month(day: date, locale: str) -> str:
    """The month of a day in words: März 2025, March 2025, 2025年3月."""
    if locale == "zh":
        return f"{day.year}年{day.month}月"
    names = _MONTHS_DE if locale.startswith("de") else _MONTHS_EN
    return f"{names[day.month - 1]} {day.year}"


FigureKind = Literal["number", "date", "time", "word", "label", "ordinal", "fraction"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that stands in a text."""

    start: int
    end: int
    text: str
    kind: FigureKind
    readings: tuple[Decimal, ...] = ()
    """What it may mean as a number, likeliest first: `1.234` is 1234 or 1.234, as the locale says."""
    dates: tuple[date, ...] = ()
    decimals: tuple[int, ...] = ()
    """The decimals shown, per reading."""
    scale: Decimal = Decimal(1)
    """10000 for 15.2万."""
    percent: bool = False

    @property
    def tolerances(self) -> tuple[Decimal, ...]:
        """Per reading, half of the last displayed unit times the scale: 15.2万 is exact to 500."""
        return tuple(Decimal(5).scaleb(-shown - 1) * self.scale for shown in self.decimals)

    @property
    def tolerance(self) -> Decimal:
        """The tolerance of the first reading; 0 where there is none."""
        return self.tolerances[0] if self.decimals else Decimal(0)


def find_figures(text: str, locale: str, *, parts: bool = False) -> list[Figure]:
    """Every figure in a text, in its order: dates and times first, then numbers and labels, then number words.

    With `parts`, ordinals (third, 3rd, dritte) and fractions (3/4, two thirds, ein Viertel) are figures, too.
    """
    shadow = _Shadow(text, locale)
    found = [*_dates(shadow)]
    shadow.blank(found)
    if parts:
        found += _parts_said(shadow)
    numbers = sorted((*_percents(shadow), *_numbers(shadow)), key=lambda figure: figure.start)
    shadow.blank(numbers)
    return sorted([*found, *numbers, *_words(shadow)], key=lambda figure: figure.start)


def number_in(text: str, locale: str) -> Decimal | None:
    """The number that a text is and nothing else, in digits or words; None where it is none or may be read in two ways."""
    text = text.strip()
    said = number_said(text.translate(_SHADES), language(locale)) if text and not text.isdecimal() else None
    if said is not None:
        return said
    found = find_figures(text, locale)
    if len(found) == 1 and text in (found[0].text, f"{found[0].text}.") and len(set(found[0].readings)) == 1:
        return found[0].readings[0]
    return None


_TO = re.compile(
    r"[ \u00a0]?(?:-|–|—|~|\.\.\.?|…|/)[ \u00a0]?|[ \u00a0](?:bis|to|through|and|und|or|oder)[ \u00a0]|[ \u00a0]?[到至和或][ \u00a0]?"
)


def ranges(text: str, figures: Sequence[Figure]) -> list[tuple[Figure, Figure]]:
    """Neighbouring numbers that one unit belongs to: 2 bis 5 Sekunden, 3-4 days, between 3 and 7."""
    return [
        (one, two)
        for one, two in pairwise(figures)
        if one.readings and two.readings and _TO.fullmatch(text, one.end, two.start)
    ]


_SPECIAL = "\x01"
"""A digit that is none: superscripts, fractions, Roman numerals, circled numbers."""
_COVERED = "\x00"
_SPACES = " \u00a0\u2007\u2009\u202f"
_JOINS = ".,'"
_SAME = {
    "−": "-", "﹣": "-", "－": "-", "‐": "-", "‑": "-", "＋": "+", "’": "'", "ʼ": "'", "＇": "'", "‘": "'",
    "．": ".", "％": "%", "﹪": "%", "٫": ".", "٬": "'", "：": ":", "／": "/",
}  # fmt: skip


class _Shades(dict[int, str]):
    """Code point -> its one shadow character, made when it is first met."""

    def __missing__(self, point: int) -> str:
        made = self[point] = _shade(chr(point))
        return made


def _shade(char: str) -> str:
    category = unicodedata.category(char)
    if category == "Nd":
        return str(unicodedata.digit(char))
    if category in ("No", "Nl") and char != "〇":
        return _SPECIAL
    if char in (_SPECIAL, _COVERED):
        return "\N{REPLACEMENT CHARACTER}"
    if char in _SAME:
        return _SAME[char]
    plain = unicodedata.normalize("NFKC", char)
    if len(plain) == 1 and plain.isascii() and plain.isalpha():
        return plain.lower()
    small = plain.lower() if len(plain) == 1 else char
    if small.isalpha() and ord(char) < _CJK:
        return small if small in "äöüß" else "x"
    return char


_SHADES = _Shades()


class _Shadow:
    """A text, and its shadow of the same length."""

    def __init__(self, text: str, locale: str) -> None:
        self.text, self.locale = text, locale
        self.plain = _WIDE_COMMA.sub(r"\1,", text).translate(_SHADES)

    def blank(self, figures: list[Figure]) -> None:
        """Take out what was already read."""
        parts, place = list[str](), 0
        for figure in figures:
            parts += [self.plain[place : figure.start], _COVERED * (figure.end - figure.start)]
            place = figure.end
        self.plain = "".join((*parts, self.plain[place:]))


# A full-width comma groups digits only among full-width digits; elsewhere it ends a clause.
_WIDE_COMMA = re.compile("([０-９])，(?=[０-９])")

# --- dates and times

MONTHS = {name.lower(): n for names in (_MONTHS_EN, _MONTHS_DE) for n, name in enumerate(names, 1)}
MONTHS |= {name[:3]: n for name, n in MONTHS.items() if len(name) > 3}
MONTHS |= {"sept": 9, "jänner": 1, "maerz": 3, "mär": 3, "maer": 3, "mrz": 3, "okt": 10, "dez": 12}
"""Names of months and what they are shortened to, in English and German -> the month."""
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_BEFORE, _AFTER = r"(?<![0-9a-zäöüß])(?<![0-9][.,'])", r"(?![0-9a-zäöüß])"
_DATE = re.compile(
    rf"""{_BEFORE}(?:
      (?P<iso>([0-9]{{4}})([-/])([0-9]{{1,2}})\3([0-9]{{1,2}})(?:[tT\ ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,6}})?)?z?)?)
    | (?P<swiss>([0-9]{{1,2}})\.[ \u00a0]?([0-9]{{1,2}})\.[ \u00a0]?([0-9]{{4}}|[0-9]{{2}}))
    | (?P<slash>([0-9]{{1,2}})/([0-9]{{1,2}})/([0-9]{{4}}))
    | (?P<named>([0-9]{{1,2}})(?:\.|st|nd|rd|th)?[ \u00a0]{{0,2}}(?:of\ )?({_MONTH})\.?,?[ \u00a0]{{0,2}}([0-9]{{4}}))
    | (?P<english>({_MONTH})\.?[ \u00a0]{{1,2}}([0-9]{{1,2}})(?:st|nd|rd|th)?,?[ \u00a0]{{1,2}}([0-9]{{4}}))
    | (?P<chinese>([0-9]{{4}})[ ]?年[ ]?([0-9]{{1,2}})[ ]?月(?:[ ]?([0-9]{{1,2}})[ ]?[日号]|(底|末|初)))
    | (?P<yearend>([0-9]{{4}})[ ]?年(底|末|终|初))
    | (?P<time>(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?)
    ){_AFTER}""",
    re.VERBOSE,
)


def _dates(shadow: _Shadow) -> Iterator[Figure]:
    for match in _DATE.finditer(shadow.plain):
        start, end = match.span()
        if match["time"]:
            yield Figure(start, end, shadow.text[start:end], "time")
            continue
        days = tuple(dict.fromkeys(day for parts in _parts(match) if (day := _day(*parts))))
        if days:
            yield Figure(start, end, shadow.text[start:end], "date", dates=days)


def _parts(match: re.Match[str]) -> list[tuple[int, int, int]]:
    """Year, month and day of a written date, in every reading."""
    groups = match.groups()
    kind = next(name for name in match.re.groupindex if match[name])
    at = match.re.groupindex[kind]
    first, second, third, *_ = (*groups[at:], None, None, None)
    match kind:
        case "iso":
            return [(int(groups[at]), int(groups[at + 2]), int(groups[at + 3]))]
        case "swiss":
            return [(_year(str(third)), int(str(second)), int(str(first)))]
        case "slash":
            day_first, month_first = (int(str(second)), int(str(first))), (int(str(first)), int(str(second)))
            return [(int(str(third)), *day_first), (int(str(third)), *month_first)]
        case "named":
            return [(int(str(third)), MONTHS[str(second)], int(str(first)))]
        case "english":
            return [(int(str(third)), MONTHS[str(first)], int(str(second)))]
        case "chinese":
            year, month = int(str(first)), int(str(second))
            last = monthrange(year, month)[1] if 1 <= month <= 12 and year else 0
            return [(year, month, int(third) if third else 1 if groups[at + 3] == "初" else last)]
        case _:
            return [(int(str(first)), 1, 1) if second == "初" else (int(str(first)), 12, 31)]


def _year(digits: str) -> int:
    return int(digits) if len(digits) == 4 else 2000 + int(digits)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# --- ordinals, fractions and Chinese percentages


def _parts_said(shadow: _Shadow) -> list[Figure]:
    """Ordinals and fractions; they are taken out of the text, so that none of their digits is read again."""
    made = list(_mixed(shadow))
    shadow.blank(made)
    for kind, find in _PART_FINDERS:
        found = [
            Figure(start, end, shadow.text[start:end], kind, readings=(value,), decimals=(_shown(value),))
            for start, end, value in find(shadow.plain, language(shadow.locale))
        ]
        shadow.blank(found)
        made += found
    return made


_MIXED = re.compile(rf"(?<![0-9a-zäöüß_.,'-])([0-9]{{1,6}})[ ]?{_SPECIAL}(?![0-9a-zäöüß_{_SPECIAL}])")


def _mixed(shadow: _Shadow) -> Iterator[Figure]:
    """A whole number with a fraction behind it: 1½."""
    for match in _MIXED.finditer(shadow.plain):
        part = Decimal(repr(unicodedata.numeric(shadow.text[match.end() - 1])))
        if part < 1:
            value = int(match[1]) + part
            said = shadow.text[match.start() : match.end()]
            yield Figure(*match.span(), said, "fraction", readings=(value,), decimals=(_shown(value.normalize()),))


_PART_FINDERS: tuple[tuple[FigureKind, Callable[[str, str], Iterator[tuple[int, int, Decimal]]]], ...] = (
    ("fraction", find_fractions),
    ("ordinal", find_ordinals),
)
_PERCENT_ZH = re.compile(
    r"百分之(?P<digits>[0-9]{1,6}(?:\.[0-9]{1,6})?)|百分之(?P<signs>[零〇一二两三四五六七八九十百]{1,5})"
)


def _percents(shadow: _Shadow) -> list[Figure]:
    """Percentages as Chinese says them: 百分之五."""
    found: list[Figure] = []
    for match in _PERCENT_ZH.finditer(shadow.plain) if "百分之" in shadow.plain else ():
        value = Decimal(match["digits"]) if match["digits"] else chinese_value(match["signs"])
        if value is not None:
            said = shadow.text[match.start() : match.end()]
            number = Decimal(value)
            kind: FigureKind = "number" if match["digits"] else "word"
            found.append(
                Figure(*match.span(), said, kind, readings=(number,), decimals=(_shown(number),), percent=True)
            )
    shadow.blank(found)
    return found


def _shown(value: Decimal) -> int:
    """How many decimals a value has."""
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


# --- numbers and labels

_CHUNK = re.compile(rf"[0-9a-zäöüß_{_SPECIAL}]+")
_DIGIT = re.compile(rf"[0-9{_SPECIAL}]")
_WITH_DIGIT = re.compile(rf"(?<!\S)\S*[0-9{_SPECIAL}]\S*")
_CURRENCY = "chf|eur|usd|gbp|cny|rmb|jpy|fr|sfr"
_NUMBER_CHUNK = re.compile(rf"(?:{_CURRENCY})?([0-9]+)(k|tsd|mio|mrd|mn|bn|{_CURRENCY})?")
_MONEY_BEFORE = re.compile(rf"(?:[$€£¥]|(?<![a-zäöü])(?:{_CURRENCY}))[{_SPACES}]?$")
_MONEY_BEHIND = re.compile(rf"[{_SPACES}]?(?:[$€£¥]|(?:{_CURRENCY})(?![a-zäöüß]))(?![{_SPACES}]?[0-9])")
"""Not where an amount of its own begins: 5 m $30."""
_MONEY_CHUNK = re.compile(r"([0-9]+)([mb])")
_OF_MONEY = re.compile(rf"[{_SPACES}]?[mb](?![a-zäöüß0-9²³_{_SPECIAL}])")
"""$1.2M, CHF 30 m: millions and billions; without money beside them they are metres and bytes."""
_LONGEST_CURRENCY = 5
_SIGNS = "+-–"
_SCALES: dict[str, int] = {
    "k": 10**3, "tsd": 10**3, "tausend": 10**3, "thousand": 10**3, "hundert": 100, "hundred": 100, "dozen": 12, "dutzend": 12,
    "mio": 10**6, "mn": 10**6, "million": 10**6, "millions": 10**6, "millionen": 10**6, "mrd": 10**9, "bn": 10**9,
    "milliarde": 10**9, "milliarden": 10**9, "thousands": 10**3, "mia": 10**9,
}  # fmt: skip
_CHINESE_SCALES = {"百": 100, "千": 10**3, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
# "3 Mia" may be the name of somebody; "3 Mia." and "3 Mia Franken" are milliards.
_SCALE_NAMES = "|".join(
    rf"mia(?=\.|[{_SPACES}](?:franken|chf|euro|eur|dollar|usd))" if name == "mia" else name
    for name in sorted(_SCALES, key=len, reverse=True)
)
SCALE_WORD = re.compile(
    rf"[{_SPACES}]?(?P<signs>[百千]?[万萬]?[亿億]|[百千]?[万萬]|百(?!分)|千(?![克米瓦]))"
    rf"|[{_SPACES}]{{0,2}}(?P<word>billionen|billions?|{_SCALE_NAMES})(?P<dot>\.)?(?![a-zäöüß0-9_])"
)
_PERCENT = re.compile(rf"[{_SPACES}]?(?:%|‰|prozent|percent|per\ cent|个百分点)")
_UNIT_LABELS = frozenset({"m²", "m³", "km²", "cm²", "cm³", "mm²", "mm³", "dm³", "co₂"})


@dataclass(slots=True)
class _Digits:
    """Groups of digits that belong together, and the separators between them."""

    start: int
    end: int
    groups: list[str]
    separators: list[str]
    suffix: str = ""


def scale_of(match: re.Match[str], locale: str) -> Decimal:
    """How much the scale word that `SCALE_WORD` found stands for."""
    if match["signs"]:
        scale = 1
        for sign in match["signs"]:
            scale *= _CHINESE_SCALES[sign]
        return Decimal(scale)
    word = match["word"]
    if word.startswith("billion"):
        return Decimal(10**12 if locale.startswith("de") else 10**9)
    return Decimal(_SCALES[word])


def _numbers(shadow: _Shadow) -> Iterator[Figure]:
    """Numbers and labels, left to right; a label takes in the words that hyphens tie to it."""
    digits: _Digits | None = None
    previous: tuple[int, int, bool] = (-2, -2, False)
    for match in _chunks(shadow.plain):
        start, end, chunk = match.start(), match.end(), match.group()
        from_, to, is_label = previous
        figure = _DIGIT.search(chunk) is not None
        joint = shadow.plain[to] if to == start - 1 else ""
        tied = (
            joint == "-"
            and (is_label or shadow.plain[to - 1] > "9")
            and shadow.plain[from_:to] != "top"  # the 5 of top-5 is a number
        ) or (joint == "." and is_label and chunk[0] <= "9")  # v2.1.0
        if is_label and not tied:
            yield from _label(shadow, from_, to)
        number = _NUMBER_CHUNK.fullmatch(chunk) if figure else None
        if figure and number is None and (money := _MONEY_CHUNK.fullmatch(chunk)):
            begins = digits.start if digits and _joins(shadow, digits, start) else start
            number = money if _is_of_money(shadow.plain, begins, end) else None
        previous = (from_ if tied else start, end, tied and is_label)
        if not figure:
            continue
        if number is None or tied:
            joined = digits is not None and chunk[0] <= "9" and _joins(shadow, digits, start)
            if digits and not joined:
                yield from _read(shadow, digits)
            previous = (digits.start if digits and joined else previous[0], end, True)
            digits = None
            continue
        first, last = start + number.start(1), start + number.end(1)
        if digits and _goes_on(shadow, digits, first, last):
            digits.separators.append(shadow.plain[first - 1])
            digits.groups.append(number[1])
        else:
            if digits:
                yield from _read(shadow, digits)
            digits = _Digits(first, last, [number[1]], [])
        digits.end, digits.suffix = last, number[2] or ""
    if previous[2]:
        yield from _label(shadow, previous[0], previous[1])
    if digits:
        yield from _read(shadow, digits)


def _chunks(plain: str) -> Iterator[re.Match[str]]:
    """Digits and letters that belong together, where a digit is near; most words have none."""
    for piece in _WITH_DIGIT.finditer(plain):
        yield from _CHUNK.finditer(plain, piece.start(), piece.end())


def _joins(shadow: _Shadow, digits: _Digits, start: int) -> bool:
    """Whether only a separator stands between digits and what starts here."""
    return not digits.suffix and digits.end == start - 1 and shadow.plain[start - 1] in _JOINS


def _goes_on(shadow: _Shadow, digits: _Digits, start: int, end: int) -> bool:
    """Whether the group of digits at this place belongs to the number before it."""
    if _joins(shadow, digits, start):
        return True
    if digits.suffix or digits.end != start - 1 or shadow.plain[start - 1] not in _SPACES:
        return False
    # A space groups thousands only where all before it is grouped by spaces, too, and nothing else groups after it.
    spaced = not digits.separators or digits.separators[-1] in _SPACES
    return spaced and end - start == 3 and _is_head(digits.groups[0]) and shadow.plain[end : end + 1] != "'"


def _is_head(group: str) -> bool:
    """Whether digits may stand before the first thousands separator."""
    return len(group) <= 3 and group[0] != "0"


def _is_of_money(plain: str, start: int, end: int) -> bool:
    """Whether a currency stands right before a number or right behind it."""
    before = plain[max(0, start - _LONGEST_CURRENCY) : start]
    return _MONEY_BEFORE.search(before) is not None or _MONEY_BEHIND.match(plain, end) is not None


def _label(shadow: _Shadow, start: int, end: int) -> Iterator[Figure]:
    text = shadow.text[start:end]
    if text.lower() in _UNIT_LABELS:
        return
    if len(text) == 1 and shadow.plain[start] == _SPECIAL:
        value = Decimal(repr(unicodedata.numeric(text))).normalize()
        yield Figure(start, end, text, "number", readings=(value,), decimals=(_shown(value),))
        return
    yield Figure(start, end, text, "label")


def _read(shadow: _Shadow, digits: _Digits) -> Iterator[Figure]:
    """What groups of digits say: a number, several that only commas keep together, or a label such as 1.2.3 or 007."""
    start, groups = digits.start, digits.groups
    code = len(groups) == 1 and len(groups[0]) > 1 and groups[0][0] == "0"
    short = sum(map(len, groups)) <= _MAX_DIGITS
    readings = _readings(groups, digits.separators, shadow.locale) if short and not code else []
    if readings:
        yield _scaled(shadow, digits, readings)
    elif len(groups) > 1 and set(digits.separators) == {","}:
        for number, group in enumerate(groups):
            suffix = digits.suffix if number == len(groups) - 1 else ""
            yield from _read(shadow, _Digits(start, start + len(group), [group], [], suffix))
            start += len(group) + 1
    else:
        yield Figure(start, digits.end, shadow.text[start : digits.end], "label")


def _readings(groups: list[str], separators: list[str], locale: str) -> list[tuple[Decimal, int]]:
    """Every value that groups of digits may stand for in a locale, with its decimals; likeliest first."""
    if not separators:
        return [(Decimal(groups[0]), 0)]
    last, others = separators[-1], set(separators[:-1])
    thousands = all(len(group) == 3 for group in groups[1:]) and _is_head(groups[0])
    inner = all(len(group) == 3 for group in groups[1:-1]) and _is_head(groups[0])
    as_whole = thousands and others <= {last}
    as_decimal = last in ".," and last not in others and len(others) <= 1 and (inner or len(separators) == 1)
    whole = (Decimal("".join(groups)), 0)
    decimal = (Decimal("".join(groups[:-1]) + "." + groups[-1]), len(groups[-1])) if as_decimal else whole
    if not (as_whole and as_decimal):
        return [whole] if as_whole else [decimal] if as_decimal else []
    group_sign, point = _SEPARATORS[locale]
    if last in (group_sign, point) and locale != "de-CH":
        return [whole] if last == group_sign else [decimal]
    # In Switzerland both neighbours' ways of writing are met.
    return [decimal, whole]


def _scaled(shadow: _Shadow, digits: _Digits, readings: list[tuple[Decimal, int]]) -> Figure:
    plain, start, end, scale = shadow.plain, digits.start, digits.end, Decimal(1)
    match = SCALE_WORD.match(plain, end)
    if match is not None and (digits.suffix == "" or match.end() >= end + len(digits.suffix)):
        scale, end = scale_of(match, shadow.locale), match.end()
    elif (letter := _OF_MONEY.match(plain, end)) is not None and _is_of_money(plain, start, letter.end()):
        scale, end = Decimal(10**9 if letter.group()[-1] == "b" else 10**6), letter.end()
    sign = plain[start - 1] if start else ""
    before = plain[start - 2] if start > 1 else ""
    signed = sign != "" and sign in _SIGNS and not _ends_something(before)
    if signed:
        start -= 1
    factor = -scale if signed and sign != "+" else scale
    return Figure(
        start,
        end,
        shadow.text[start:end],
        "number",
        readings=tuple(value * factor for value, _ in readings),
        decimals=tuple(shown for _, shown in readings),
        scale=scale,
        percent=_PERCENT.match(plain, end) is not None,
    )


def _ends_something(before: str) -> bool:
    """Whether a sign behind this character joins two things, and is no sign of a number."""
    if before >= "\u2e80":
        return before in "年月日号点分"
    return before.isalnum() or (before != "" and before in f")]{_SPECIAL}{_COVERED}")


def _words(shadow: _Shadow) -> Iterator[Figure]:
    for start, end, value in find_words(shadow.plain, language(shadow.locale)):
        # A quarter more is said of what is about that.
        decimals = min(1, _shown(value.normalize()))
        yield Figure(start, end, shadow.text[start:end], "word", readings=(value,), decimals=(decimals,))
    for start, end, value in find_chinese(shadow.plain):
        yield Figure(start, end, shadow.text[start:end], "word", readings=(value,), decimals=(0,))
