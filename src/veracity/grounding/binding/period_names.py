"""What people call periods that name rows or columns: 2025-03 is March, 3月; Q1 2024 the first quarter; 2025-07-02 the 2nd of July."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from veracity.language.folding import listed, words_in
from veracity.language.nearest import words_of
from veracity.language.numbers import MONTHS, format_month

_MONTH = re.compile(
    r"(?P<year>[12][0-9]{3})[-/.](?P<month>0[1-9]|1[0-2])|(?P<year2>[12][0-9]{3})年(?P<month2>0?[1-9]|1[0-2])月|"
    r"(?P<name>[^\W\d_]{3,10})\.?[- ](?P<year3>[12][0-9]{3})"
)
_DAY = re.compile(r"(?P<year>[12][0-9]{3})-(?P<month>0[1-9]|1[0-2])-(?P<day>[0-3][0-9])(?:[T ].*)?")
_QUARTER = re.compile(
    r"(?P<year>[12][0-9]{3})[-/ ]?q(?P<q>[1-4])|q(?P<q2>[1-4])[-/ ]?(?P<year2>[12][0-9]{3})|"
    r"(?P<q3>[1-4])\. quartal (?P<year3>[12][0-9]{3})|(?P<year4>[12][0-9]{3})年第?(?P<q4>[1-4一二三四])季度?"
)
_HALF = re.compile(r"(?P<year>[12][0-9]{3})[-/ ]?h(?P<half>[12])|h(?P<half2>[12])[-/ ]?(?P<year2>[12][0-9]{3})")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_ORDER = (("first", "erste"), ("second", "zweite"), ("third", "dritte"), ("fourth", "vierte"))
_SIGNS = "一二三四"
_ENDS = ("", "n", "s", "r", "m")
WORD_LIKE = frozenset({"march", "may", "mai"})
"""Months that are words, too: alone they name one only in capitals, and behind another word."""


@lru_cache(maxsize=8192)
def period_forms(value: str) -> tuple[tuple[str, ...], ...]:
    """The words by which people call a month, a day or a quarter; nothing for other values."""
    if not 6 <= len(value) <= 25 or not any(sign.isdigit() for sign in value):
        return ()
    if (month := _month_of(value)) is not None:
        return tuple(_of_month(*month))
    if (found := _DAY.fullmatch(value)) is not None:
        return tuple(_of_day(int(found["month"]), int(found["day"])))
    if (found := _QUARTER.fullmatch(value.lower())) is not None:
        year = next(part for part in (found["year"], found["year2"], found["year3"], found["year4"]) if part)
        number = next(part for part in (found["q"], found["q2"], found["q3"], found["q4"]) if part)
        return tuple(_of_quarter(year, _SIGNS.index(number) + 1 if number in _SIGNS else int(number)))
    if (found := _HALF.fullmatch(value.lower())) is not None:
        return tuple(_of_half(found["year"] or found["year2"], int(found["half"] or found["half2"])))
    return ()


def _month_of(value: str) -> tuple[int, int] | None:
    """The year and the month that a text is: 2025-04, 2025年4月, April 2025."""
    found = _MONTH.fullmatch(value)
    if found is None:
        return None
    if found["name"]:
        month = MONTHS.get("".join(words_in(found["name"])))
        return (int(found["year3"]), month) if month is not None else None
    return int(found["year"] or found["year2"]), int(found["month"] or found["month2"])


def _month_names(month: int) -> tuple[str, str]:
    first = date(2000, month, 1)
    english, german = (words_in(format_month(first, locale))[0] for locale in ("en", "de"))
    return english, german


def _of_month(year: int, month: int) -> Iterator[tuple[str, ...]]:
    yield (str(year),)
    for name in dict.fromkeys(_month_names(month)):
        yield from ((name, str(year)), (name[:3], str(year)), (name, "of", str(year)))
        yield (name,)
    for written in dict.fromkeys((str(month), f"{month:02}")):
        yield from ((str(year), "年", written, "月"), (written, "月"), (written, str(year)))


def _of_day(month: int, day: int) -> Iterator[tuple[str, ...]]:
    for name in dict.fromkeys(_month_names(month)):
        for number in dict.fromkeys((str(day), f"{day:02}")):
            yield from ((number, name), (name, number), (number, name[:3]), (name[:3], number))
        ending = {1: "st", 2: "nd", 3: "rd"}.get(day % 10 if day not in (11, 12, 13) else 0, "th")
        yield from ((f"{day}{ending}", name), (name, f"{day}{ending}"), (f"{day}{ending}", "of", name))
    yield from ((str(month), "月", str(day), "日"), (str(month), "月", str(day), "号"))


def _of_quarter(year: str, number: int) -> Iterator[tuple[str, ...]]:
    yield (year,)
    english, german = _ORDER[number - 1]
    names = [
        (f"q{number}",),
        (english, "quarter"),
        (str(number), "quartal"),
        *((f"{german}{end}", "quartal") for end in _ENDS),
    ]
    for name in names:
        yield from (name, (*name, year), (*name, "of", year), (*name, "des", "jahres", year))
    for sign in (str(number), _SIGNS[number - 1]):
        yield from (("第", sign, "季", "度"), (year, "年", "第", sign, "季", "度"), (year, "年", sign, "季", "度"))


def _of_half(year: str, number: int) -> Iterator[tuple[str, ...]]:
    yield (year,)
    english, german = _ORDER[number - 1]
    halves = [(english, "half"), (english, "half", "year"), *((f"{german}{end}", "halbjahr") for end in _ENDS)]
    for name in ((f"h{number}",), *halves):
        yield from (name, (*name, year), (*name, "of", year), (*name, "des", "jahres", year))
    sign = "上" if number == 1 else "下"
    yield from ((sign, "半", "年"), (year, "年", sign, "半", "年"))


WEEKDAYS = (
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"],
    ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    ["周一", "周二", "周三", "周四", "周五", "周六", "周日"],
)
_WEEKDAY_NAMES = {name: day for names in WEEKDAYS[:2] for day, name in enumerate(names)}


class PeriodInName(NamedTuple):
    """The year, month, quarter or stage that the name of a column says, and the rest of it."""

    order: str
    """What the columns of one measure are sorted by."""
    rest: str
    forms: tuple[tuple[str, ...], ...]
    """The words by which people call the period."""


_STAGES = dict.fromkeys(listed("baseline before pre vorher 之前"), "0") | dict.fromkeys(
    listed("after post nachher afterwards 之后"), "z"
)
_NUMBERED = listed("week day visit month year round woche tag monat jahr runde")


_BEFORE_NOW = re.compile(
    r"(?:last|previous|prior)[\s_]?(?:week|month|year|quarter)?[\s_]|vor(?:wochen|monats|jahres)|上(?:周|月|年|季度?)(?:同期)?|去年(?:同期)?|前(?:一周|一月|一年)",
    re.IGNORECASE,
)


_NOW = re.compile(
    r"(?:this|current)[\s_]?(?:week|month|year|quarter)[\s_]|本(?:周|月|年|季度?|期)|今年|当前|目前", re.IGNORECASE
)


_BEFORE_BEHIND = re.compile(
    r"[\s_(]+(?:(?:last|previous|prior)[\s_](?:week|month|year|quarter)|previous|old|alt|vor(?:jahr|monat|woche|quartal))\)?\s*$",
    re.IGNORECASE,
)
_NOW_BEHIND = re.compile(
    r"[\s_(]+(?:(?:this|current)[\s_](?:week|month|year|quarter)|current|new|neu|aktuell)\)?\s*$", re.IGNORECASE
)
_UNIT_BEHIND = re.compile(r"\s*[(（\[][^()（）\[\]]{1,12}[)）\]]\s*$")


def time_before(column: str) -> tuple[str, ...]:
    """The words of such a column for its time: 上月, last week; also for the time that is now: 本月."""
    bare = _UNIT_BEHIND.sub("", column)
    found = _BEFORE_NOW.match(column) or _NOW.match(column) or _BEFORE_BEHIND.search(bare) or _NOW_BEHIND.search(bare)
    words = tuple(words_in(words_of(found.group()))) if found is not None else ()
    return words if words not in _NO_TIMES else ()


_NO_TIMES = (("old",), ("new",), ("alt",), ("neu",))
"""What tells two columns apart and is any word."""


def _previous_behind(column: str, columns: Sequence[str]) -> str | None:
    """The column that says now what one says of the time before by its last word: members, of members_last_year; Stand neu, of Stand alt."""
    bare = _UNIT_BEHIND.sub("", column)
    found = _BEFORE_BEHIND.search(bare)
    rest = bare[: found.start()].lower().strip() if found is not None else ""
    now = {other: _NOW_BEHIND.sub("", _UNIT_BEHIND.sub("", other)).lower().strip() for other in columns}
    same = [other for other, name in now.items() if rest and other != column and name == rest]
    return same[0] if len(same) == 1 else None


def previous_of(column: str, columns: Sequence[str]) -> str | None:
    """The column that says now what this one says of the time before: price, of last_week_price; 批发价, of 上周价."""
    found = _BEFORE_NOW.match(column)
    if found is None:
        return _previous_behind(column, columns)
    rest = column[found.end() :].lower() if found is not None else ""
    now = (other[found.end() :] if (found := _NOW.match(other)) is not None else other for other in columns)
    same = [
        other
        for other, bare in zip(columns, now, strict=True)
        if rest and other != column and bare.lower().endswith(rest)
    ]
    return same[0] if len(same) == 1 and not _BEFORE_NOW.match(same[0]) else None


@lru_cache(maxsize=4096)
def period_in_name(column: str) -> PeriodInName | None:
    """`Einwohner 2010`, `cost.july`, `q3_sales`, `Q3 2024`, `systolic week 12`, `12.01.2024`: one measure at several times."""
    if (day := _DATED_COLUMN.fullmatch(column.strip())) is not None:
        return _of_dated_column(day)
    found = list(_YEAR.finditer(column))
    if len(found) == 1:
        rest = f"{column[: found[0].start()]} {column[found[0].end() :]}".strip(" _-.,()[]:/")
        year = found[0].group()
        if (part := period_in_name(rest) if rest else None) is not None and part.order[0] in "mq":
            dated = tuple((*form, year) for form in part.forms)
            return PeriodInName(f"{year}-{part.order}", part.rest, (*dated, *part.forms))
        return PeriodInName(year, rest, ((year,),)) if not _has_number(rest) else None
    if (behind := _BRACKETED_MONTH.fullmatch(column)) is not None:
        return _chinese_month(behind["month"], behind["rest"])
    if (chinese := _CHINESE_MONTH.fullmatch(column)) is not None:
        return _chinese_month(chinese["month"], chinese["rest"])
    if (quarter := _CHINESE_QUARTER.fullmatch(column)) is not None:
        return _chinese_quarter(quarter["quarter"], quarter["rest"])
    if (weekday := _CHINESE_WEEKDAY.fullmatch(column)) is not None:
        sign = "日" if weekday["day"] == "天" else weekday["day"]
        forms = tuple((*led, sign) for led in (("周",), ("星", "期")))
        return PeriodInName(f"d{'一二三四五六日'.index(sign)}", weekday["rest"].strip(" _-.,"), forms)
    words = words_in(words_of(column))
    for at in range(len(words)):
        told, size = _period_at(words, at)
        rest = " ".join((*words[:at], *words[at + size :])).strip()
        if told is not None and not rest and len(words) == size and told[0][0] in "mqd":
            return PeriodInName(told[0], "", told[1])  # q1, July: a table of one measure by time
        if told is not None and rest and not _has_number(rest):
            return PeriodInName(told[0], rest, told[1])
    return None


@lru_cache(maxsize=4096)
def numbers_in_name(column: str) -> frozenset[Decimal]:
    """The numbers that a column is called by, without years: over52Weeks, preis_kat1."""
    bare = _UNITS_WITH_DIGITS.sub(" ", _YEAR.sub(" ", column).replace("_", " "))
    return frozenset(Decimal(found) for found in re.findall(r"(?<![0-9])[0-9]{1,3}(?![0-9])", bare))


_UNITS_WITH_DIGITS = re.compile(r"(?<![a-z0-9])(?:[cdk]?m[23]|co2|no2|o3|pm10|pm2)(?![a-z0-9])", re.IGNORECASE)


def _has_number(rest: str) -> bool:
    """Whether the rest of a name holds digits beside those of units: consumption_m3 has none."""
    return any(sign.isdigit() for sign in _UNITS_WITH_DIGITS.sub("", rest.replace("_", " ")))


_DATED_COLUMN = re.compile(
    r"(?P<y>[12][0-9]{3})-(?P<m>[01][0-9])-(?P<d>[0-3][0-9])|(?P<d2>[0-3]?[0-9])\.(?P<m2>[01]?[0-9])\.(?P<y2>[12][0-9]{3})"
)


def _of_dated_column(day: re.Match[str]) -> PeriodInName | None:
    """A column of one day, which is called by its month as well: 12.01.2024, in January 2024."""
    year, month, number = (int(day[name] or day[f"{name}2"]) for name in "ymd")
    if not 1 <= month <= 12:
        return None
    forms = [
        *_of_day(month, number),
        *((*form, str(year)) for form in _of_day(month, number) if form[-1] not in "日号"),
    ]
    forms += [form for form in _of_month(year, month) if form != (str(year),)]
    return PeriodInName(f"{year}-{month:02}-{number:02}", "", tuple(dict.fromkeys(forms)))


_CHINESE_MONTH = re.compile(r"(?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?(?P<rest>[^0-9日号]{0,20})")
_BRACKETED_MONTH = re.compile(
    r"(?P<rest>[^0-9日号()（）]{1,20})[(（](?P<month>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?[)）]"
)
_CHINESE_NUMBERS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")


def _chinese_month(month: str, rest: str) -> PeriodInName:
    """一月销售额, 3月收入: a measure of one month."""
    number = int(month) if month.isdecimal() and month.isascii() else _CHINESE_NUMBERS.index(month) + 1
    spelt = (*_CHINESE_NUMBERS[number - 1], "月")
    return PeriodInName(f"m{number:02}", rest.strip(" _-.,"), (spelt, (str(number), "月")))


_CHINESE_WEEKDAY = re.compile(r"(?:周|星期)(?P<day>[一二三四五六日天])(?P<rest>[^0-9]{0,20})")
_CHINESE_QUARTER = re.compile(r"第?(?P<quarter>[1-4一二三四])季度?(?P<rest>[^0-9]{0,20})")


def _chinese_quarter(quarter: str, rest: str) -> PeriodInName:
    """一季度销量, 第2季度收入: a measure of one quarter."""
    number = int(quarter) if quarter.isascii() else _CHINESE_NUMBERS.index(quarter) + 1
    signs = (str(number), _CHINESE_NUMBERS[number - 1])
    forms = [(*led, sign, "季", "度") for sign in signs for led in ((), ("第",))]
    return PeriodInName(f"q{number}", rest.strip(" _-.,"), (*forms, (f"q{number}",)))


def _period_at(words: Sequence[str], at: int) -> tuple[tuple[str, tuple[tuple[str, ...], ...]] | None, int]:
    """The month, quarter or stage that begins with a word: its order and its forms, and how many words it has."""
    word, following = words[at], words[at + 1] if at + 1 < len(words) else ""
    if word in MONTHS:
        names = _month_names(MONTHS[word])
        number = str(MONTHS[word])
        forms = ((word,), *((name,) for name in names), *((name[:3],) for name in names), (number, "月"))
        return (f"m{MONTHS[word]:02}", tuple(dict.fromkeys(forms))), 1
    if len(word) == 2 and word[0] == "q" and word[1] in "1234":
        forms = tuple(form for form in _of_quarter("", int(word[1])) if "" not in form)
        return (word, forms), 1
    if word in _WEEKDAY_NAMES:
        day = _WEEKDAY_NAMES[word]
        return (
            f"d{day}",
            tuple(forms for name in (0, 1) for forms in ((WEEKDAYS[name][day],), (f"{WEEKDAYS[name][day]}s",))),
        ), 1
    if word in _NUMBERED and following.isdecimal():
        return (f"n{int(following):06}", ((word, following), (following, word), (following, f"{word}s"))), 2
    return ((_STAGES[word], ((word,),)), 1) if word in _STAGES else (None, 1)


_PERIOD = re.compile(r"[12][0-9]{3}(?:[-/](?:0[1-9]|1[0-2]|q[1-4]|h[12]))?|[qh][1-4][-/ ]?[12][0-9]{3}", re.IGNORECASE)
_NUMBERED_PERIOD = re.compile(
    r"(?P<kind>q|cw|kw|w|wk|week|woche|day|tag)[ -]?(?P<number>[0-9]{1,2})|第?(?P<sign>[0-9]{1,2}|[一二三四])(?P<of>月|季度|周)",
    re.IGNORECASE,
)


def is_period(text: str) -> bool:
    """Whether a text is a year, a month or a quarter of one; or one of no year that is said: March, Q2, W38, Monday."""
    written = text.strip()
    return (
        _PERIOD.fullmatch(written) is not None or _month_of(written) is not None or part_of_cycle(written) is not None
    )


@lru_cache(maxsize=4096)
def part_of_cycle(text: str) -> str | None:
    """What a month, quarter, week or weekday without its year is sorted by."""
    written = text.strip().lower()
    word = "".join(words_in(written)) if 3 <= len(written) <= 10 else ""
    if word in MONTHS:
        return f"m{MONTHS[word]:02}"
    for days in WEEKDAYS:
        if word in days:
            return f"d{days.index(word)}"
    found = _NUMBERED_PERIOD.fullmatch(written) if len(written) <= 10 else None
    if found is None:
        return None
    number = found["number"] or found["sign"]
    return f"n{_SIGNS.index(number) + 1 if number in _SIGNS else int(number):02}"


def order_in_time(text: str) -> str:
    """What periods are sorted by."""
    if (month := _month_of(text)) is not None:
        return f"{month[0]:04}-{month[1]:02}"
    found = _QUARTER.fullmatch(text.lower())
    return f"{found['year2']}-{found['q2']}" if found and found["year2"] else part_of_cycle(text) or text
