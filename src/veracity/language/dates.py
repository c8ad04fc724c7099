"""Single dates, months, quarters and years in a folded question, each as far as it is written.

A rule is a regular expression with named groups; rules that say more come first and take their place in the text.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Literal

from veracity.language.folding import folded_text
from veracity.language.number_words import CARDINALS, cardinals, chinese_value

Moment = Literal["", "start", "end"]
"""Whether the start or the end of a period is meant, or the whole of it."""
FIRST_YEAR, LAST_YEAR = 1900, 2100

Unit = Literal["year", "half", "quarter", "month", "day", "range"]


@dataclass(slots=True)
class Atom:
    """One date expression; what it leaves out is None."""

    start: int
    end: int
    unit: Unit
    year: int | None = None
    number: int = 0
    """Which half, quarter or month."""
    day: int = 0
    swapped: tuple[int, int] | None = None
    """The other reading of an ambiguous date: its month and day."""
    days: tuple[date, date] | None = None
    """The days themselves, where they follow from today."""
    whole: tuple[date, date] | None = None
    """Of the last three months: the three whole months before this one, which others mean by it."""
    before: bool = False
    """The year before the one that the question is about ("Vorjahr")."""
    bare: bool = False
    """A year without any word that makes it one."""
    moment: Moment = ""
    sure: bool = True
    possible: bool = True
    """False for 31.02.2025: no date, and nothing else is read in its place."""


_MONTH_NAMES = (
    "januar january jaenner jan",
    "februar february feber feb",
    "maerz march mrz maer marz mar",
    "april apr",
    "mai may",
    "juni june jun",
    "juli july jul",
    "august aug",
    "september sept sep",
    "oktober october okt oct",
    "november nov",
    "dezember december dez dec",
)
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
"""The months by their folded names, German and English, in full and in short."""
# Words that are nothing else even without a year; the others need a preposition.
_CLEAR_MONTHS = [name for name in MONTHS if len(name) > 3 and name not in {"march", "sept", "maer", "marz"}]
_ORDINALS = (
    "erste 1st first eins",
    "zweite 2nd second zwei",
    "dritte 3rd third drei",
    "vierte 4th fourth vier",
)


def _any_of(words: Iterator[str] | list[str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_L, _R = r"(?<![a-z0-9])", r"(?![a-z0-9])"
_Y4 = r"(?:19\d\d|20\d\d|2100)"
# Not inside a longer number, code or amount: 12.2025, RE-2019-0001, 2019.50.
_YL = r"(?<![a-z0-9_])(?<!\d[.,'/-])(?<![a-z]-)(?<![a-z0-9]_)"
_YR = r"(?![a-z0-9_]|[.,'/-]\d|-[a-z]\d|%)"
_OF_YEAR = r"(?:geschaefts|rechnungs|kalender)?jahr(?:e?s|en?)?|(?:fiscal |financial |calendar |business )?years?"
_THIS = "(?:geschaefts|kalender|rechnungs)?jahr(?:e?s)?"
_RELATIVE_YEARS = (
    (-2, rf"vorletzte[nsmr]? {_THIS}|vorvorjahr(?:e?s)?|(?:the )?year before last", "前年"),
    (
        -1,
        rf"(?:letzte|vergangene|vorige)[nsmr]? {_THIS}|last (?:fiscal |financial |calendar )?year|past year",
        "去年度?",
    ),
    (
        0,
        rf"(?:diese[snm]?|laufende[nsmr]?|aktuelle[nsmr]?) {_THIS}|heuer|"
        rf"(?:this|the current|current) (?:fiscal |financial |calendar )?year",
        "今年度?|本年度?",
    ),
    (1, rf"(?:naechste|kommende)[nsmr]? {_THIS}|(?:next|coming) (?:fiscal |financial )?year", "明年度?"),
)
_YEAR_BEFORE = (r"vorjahr(?:e?s)?|(?:previous|prior|preceding) (?:fiscal |financial )?year", "上一?年度?")
_RELATIVE = "{}(?:{}){}|{}".format(
    _L,
    "|".join([words for _, words, _ in _RELATIVE_YEARS] + [_YEAR_BEFORE[0]]),
    _R,
    "|".join([words for _, _, words in _RELATIVE_YEARS] + [_YEAR_BEFORE[1]]),
)
_RELATIVE_RULES = tuple((offset, f"{latin}|{chinese}") for offset, latin, chinese in _RELATIVE_YEARS)
_CHINESE_YEAR = r"(?:一九|二[〇零])[〇零一二三四五六七八九]{2}年度?"
_NAMED_YEAR = (
    rf"{_L}(?:{_OF_YEAR}),? ?'?{_Y4}{_YR}|{_L}(?:fy|gj|gj\.|fye)[ -]?(?:{_Y4}|'?\d\d){_R}|"
    rf"(?<!\d){_Y4} ?(?:会计|财政)?年度?|(?<!\d){_Y4} ?财年|{_CHINESE_YEAR}|(?<![a-z0-9])'\d\d(?![\d'])|{_RELATIVE}"
)
_YEAR = rf"(?P<y>{_NAMED_YEAR}|{_YL}{_Y4}{_YR})"
_MONTH = rf"(?P<m>{_any_of(list(MONTHS))})"
_CLOSE = r"(?:\.? ?(?:,|/|-)? ?|\.? (?:of the |of |des |im |in |von |vom |in the |the )*)"
_OF = rf"{_CLOSE}(?:the |des |of |im |in )*"
_CHINESE_MONTH = r"(?P<m>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?"
_CHINESE_DAY = r"(?P<d>3[01]|[12]\d|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_ORDINAL = "(?:{})".format("|".join(rf"{word}[nsrm]?" for words in _ORDINALS for word in words.split()))

_DECADES = {
    90: "ninet neunzig 九十",
    80: "eight achtzig 八十",
    70: "sevent siebzig 七十",
    60: "sixt sechzig 六十",
    50: "fift fuenfzig 五十",
    40: "fort vierzig 四十",
    30: "thirt dreissig 三十",
}
_DECADE = (
    rf"{_L}(?:the |den |der |die )?(?:(?P<y>(?:19|20)\d0)(?:'?s{_R}|er(?:[ -]?jahren?)?{_R}| ?年代)|"
    rf"(?P<t>[3-9]0)(?:er[ -]?jahren?{_R}| ?年代)|(?:'|(?<=the )|(?<=the '))(?P<u>[3-9]0)'?s{_R}|"
    r"(?P<w>(?:ninet|eight|sevent|sixt|fift|fort|thirt)ies(?![a-z])|(?:neun|acht|sieb|sech|fuenf|vier)ziger[ -]?jahren?|dreissiger[ -]?jahren?|"
    r"[三四五六七八九]十年代))"
)
_COUNT = rf"\d{{1,3}}|{cardinals(folded_text)}"
_Read = Callable[[re.Match[str], date], Atom]


def atoms_of(text: str, today: date) -> list[Atom]:
    """The date expressions of a folded text, in order."""
    taken = bytearray(len(text))
    found: list[Atom] = []
    for rule in _RULES:
        if not any(sign in text for sign in rule.needed):
            continue
        for match in rule.pattern.finditer(text):
            atom = rule.read(match, today)
            if any(taken[atom.start : atom.end]):
                continue
            taken[atom.start : atom.end] = b"\1" * (atom.end - atom.start)
            found.append(atom)
    return sorted(found, key=lambda atom: atom.start)


# --- reading the groups


def _year(match: re.Match[str], today: date) -> tuple[int | None, bool]:
    """The year of a match, and whether it is the one before the year in question."""
    written = match["y"] if "y" in match.re.groupindex else None
    if not written:
        return None, False
    if digits := re.search(r"\d{4}", written):
        return int(digits[0]), False
    if digits := re.search(r"\d\d", written):
        return _full_year(int(digits[0])), False
    if written[0] in "一二":
        return chinese_value(written[:4]), False
    for offset, words in _RELATIVE_RULES:
        if re.fullmatch(words, written):
            return today.year + offset, False
    return today.year - 1, True


def _full_year(two_digits: int) -> int:
    return two_digits + (2000 if two_digits < 70 else 1900)


def _number(written: str) -> int:
    """A month, quarter or day in digits, words or Chinese numerals."""
    if written.isdecimal():
        return int(written)
    if written in MONTHS:
        return MONTHS[written]
    cardinal = CARDINALS.get(written) or chinese_value(written)
    if cardinal is not None:
        return cardinal
    starts = (number for number, words in enumerate(_ORDINALS, 1) if written.startswith(tuple(words.split())))
    return next(starts, 0)


def _day(match: re.Match[str], today: date) -> Atom:
    year, before = _year(match, today)
    month, day = _number(match["m"]), _number(match["d"])
    atom = Atom(*match.span(), "day", year, month, day, before=before)
    # Without a year, 29 February is possible in some.
    atom.possible = is_day(year or 2000, month, day)
    return atom


def _slashed(match: re.Match[str], _today: date) -> Atom:
    """Day first; where only the month can come first, or both can, that is told."""
    year, first, second = _full(match["y"]), int(match["d"]), int(match["m"])
    day_first, month_first = is_day(year, second, first), is_day(year, first, second)
    atom = Atom(*match.span(), "day", year, second, first, possible=day_first or month_first)
    if not day_first:
        atom.number, atom.day = first, second
    elif month_first and first != second:
        atom.swapped, atom.sure = (first, second), False
    return atom


def _full(year: str) -> int:
    return int(year) if len(year) == 4 else _full_year(int(year))


def _dotted(match: re.Match[str], _today: date) -> Atom:
    year, month, day = _full(match["y"]), int(match["m"]), int(match["d"])
    return Atom(*match.span(), "day", year, month, day, possible=is_day(year, month, day))


def _month(match: re.Match[str], today: date) -> Atom:
    year, before = _year(match, today)
    number = _number(match["m"])
    return Atom(match.start(), match.end(), "month", year, number, before=before, possible=1 <= number <= 12)


def _lone_month(match: re.Match[str], _today: date) -> Atom:
    # A preposition before it is not part of it, 月 after it is.
    return Atom(match.start("m"), match.end(), "month", None, _number(match["m"]))


def _quarter(match: re.Match[str], today: date) -> Atom:
    year, before = _year(match, today)
    return Atom(*match.span(), "quarter", year, _number(match["q"]), before=before)


def _half(match: re.Match[str], today: date) -> Atom:
    year, before = _year(match, today)
    written = match["h"]
    number = 1 if written[0] in "1上ef" else 2
    return Atom(*match.span(), "half", year, number, before=before)


def _lone_year(match: re.Match[str], today: date) -> Atom:
    year, before = _year(match, today)
    written = match["y"]
    bare = written.isdigit() and not re.search(r"(?:\bin|\bduring|\bim laufe von) $", match.string[: match.start()])
    return Atom(*match.span(), "year", year, before=before, bare=bare)


def _two_years(match: re.Match[str], _today: date) -> Atom:
    first = int(match["y"])
    last = _full(match["z"])
    days = (date(first, 1, 1), date(last, 12, 31)) if FIRST_YEAR <= first < last <= LAST_YEAR else None
    return Atom(*match.span(), "range", first, days=days, sure=False, possible=days is not None)


def _decade(match: re.Match[str], _today: date) -> Atom:
    """The 1990s, the nineties, die 90er-Jahre, 90年代; two digits are of the last century where they can be."""
    tens = next(
        (number for number, words in _DECADES.items() if (match["w"] or "").startswith(tuple(words.split()))), 0
    )
    first = int(match["y"] or 0) or 1900 + (tens or int(match["t"] or match["u"]))
    return Atom(*match.span(), "range", first, days=(date(first, 1, 1), date(first + 9, 12, 31)))


def _days_of_month(match: re.Match[str], today: date) -> Atom:
    """1. bis 15. März 2025, March 1-15, 2025年3月1日至15日."""
    year, before = _year(match, today)
    month, first, last = _number(match["m"]), _number(match["d"]), _number(match["e"])
    sure, known = year is not None and not before, year or today.year
    possible = is_day(known, month, first) and is_day(known, month, last) and first < last
    days = (date(known, month, first), date(known, month, last)) if possible else None
    return Atom(*match.span(), "range", known, days=days, sure=sure, possible=possible)


def is_day(year: int, month: int, day: int) -> bool:
    """Whether there is such a day, in the years that are read."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return False
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


# --- what follows from today


def _from_today(match: re.Match[str], today: date) -> Atom:
    name = match.lastgroup or ""
    month = today.year * 12 + today.month - 1
    quarter = today.year * 4 + (today.month - 1) // 3
    monday = today - timedelta(days=today.weekday())
    span = match.span()
    if name.endswith("Before"):
        return _one_before(match, name.removesuffix("Before"), today)
    if name.startswith("month"):
        year, number = divmod(month - int(name[-1]), 12)
        return Atom(*span, "month", year, number + 1)
    if name.startswith("quarter"):
        year, number = divmod(quarter - int(name[-1]), 4)
        return Atom(*span, "quarter", year, number + 1)
    if name.startswith("day"):
        day = today - timedelta(days=int(name[-1]))
        return Atom(*span, "day", day.year, day.month, day.day)
    if name.startswith("week"):
        first = monday - timedelta(weeks=int(name[-1]))
        return Atom(*span, "range", days=(first, first + timedelta(days=6)))
    return Atom(*span, "range", days=(date(today.year, 1, 1), today))


def _one_before(match: re.Match[str], unit: str, today: date) -> Atom:
    """Last month compared to the month before: the one before what was said; nothing where that is not known."""
    said = re.findall(rf"(this|last) {unit}{_R}", match.string[: match.start()])
    if not said:
        return Atom(*match.span(), "range", possible=False)
    back = {"this": 1, "last": 2}[said[-1]]
    months = {
        "month": today.year * 12 + today.month - 1 - back,
        "quarter": today.year * 4 + (today.month - 1) // 3 - back,
    }
    year, number = divmod(months[unit], 12 if unit == "month" else 4)
    return Atom(*match.span(), "month" if unit == "month" else "quarter", year, number + 1)


def _rolling(match: re.Match[str], today: date) -> Atom:
    """The last thirty days, up to today; of months and years, some people mean whole ones."""
    count, unit = min(_number(match["n"]), 1200), match["u"]
    if unit.startswith(("tag", "day", "天", "日", "woche", "week", "周", "星期")):
        days = count if unit.startswith(("tag", "day", "天", "日")) else 7 * count
        return Atom(*match.span(), "range", days=(today - timedelta(days=days), today))
    years = unit.startswith(("jahr", "year", "年"))
    months = count * (12 if years else 1)
    year, number = divmod(max(today.year * 12 + today.month - 1 - months, FIRST_YEAR * 12), 12)
    first = next(day for cut in range(4) if (day := _day_or_none(year, number + 1, today.day - cut)))
    whole = (date(year, 1 if years else number + 1, 1), date(today.year, 1 if years else today.month, 1) - timedelta(1))
    return Atom(*match.span(), "range", days=(first, today), whole=whole if count else None, sure=False)


def _end_of_year(match: re.Match[str], today: date) -> Atom:
    """The first three months, 前三季度: from the start of the year; the last three months of 2025: up to its end."""
    year, before = _year(match, today)
    written = match.groupdict().get("n") or "1"
    count = _number(written)
    months = count * (3 if match["u"].startswith(("quart", "季")) else 1)
    known = year or today.year
    possible = 1 <= months <= 12 and FIRST_YEAR <= known <= LAST_YEAR
    days = None
    if possible and "last" in match.re.groupindex:
        days = (date(known, 13 - months, 1), date(known, 12, 31))
    elif possible:
        days = (date(known, 1, 1), date(known, months, monthrange(known, months)[1]))
    return Atom(*match.span(), "range", year, days=days, sure=year is not None and not before, possible=possible)


def _day_or_none(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


_FROM_TODAY = (
    ("month2", "vorletzte[nmrs]? monat(?:e?s)?|(?:the )?month before last|上上个?月"),
    ("quarter2", "vorletzte[nmrs]? quartal(?:e?s)?|(?:the )?quarter before last|上上个?季度"),
    ("week2", "vorletzte[nr]? woche|(?:the )?week before last|上上个?(?:周|星期)"),
    ("monthBefore", "(?:the )?month before(?: that)?"),
    ("quarterBefore", "(?:the )?quarter before(?: that)?"),
    ("month1", "(?:letzte|vergangene|vorige)[nmrs]? monat(?:e?s)?|vormonat(?:e?s)?|(?:last|previous|prior) month|上个?月"),
    ("month0", "(?:diese[nmrs]?|laufende[nmrs]?|aktuelle[nmrs]?) monat(?:e?s)?|(?:this|the current|current) month|"
     "本月|这个月|当月"),
    ("quarter1", "(?:letzte|vergangene|vorige)[nmrs]? quartal(?:e?s)?|vorquartal(?:e?s)?|"
     "(?:last|previous|prior) quarter|上个?季度"),
    ("quarter0", "(?:diese[nmrs]?|laufende[nmrs]?) quartal(?:e?s)?|(?:this|the current|current) quarter|本季度|这个季度"),
    ("week1", "(?:letzte|vergangene|vorige)[nr]? woche|vorwoche|last week|上个?(?:周|星期)"),
    ("week0", "diese[rn]? woche|this week|本周|这个?(?:周|星期)"),
    ("day2", "vorgestern|the day before yesterday|day before yesterday|前天"),
    ("day1", "gestern|yesterday|昨天|昨日"),
    ("day0", "heute|today|今天|今日"),
    ("soFar", "year to date|year-to-date|ytd|今年以来|今年至今|(?:dieses jahr|this year) (?:bisher|so far)|bisher dieses jahr|seit (?:anfang|beginn) (?:(?:des|dieses|diesen|vom) )?jahre?s?|seit (?:dem )?jahres(?:anfang|beginn)|(?:im laufenden|im aktuellen) jahr bisher|since the (?:start|beginning) of (?:the|this) year|自?今年年?初以来"),
)  # fmt: skip


class _Rule:
    """An expression, what is made of a match, and signs of which a text must hold one for the rule to be tried at all."""

    def __init__(self, written: str, read: _Read, *needed: str) -> None:
        self.read, self.needed = read, needed or ("",)
        self._written = written

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when a text first needs it: all of them together would take a tenth of a second of every start."""
        return re.compile(self._written, re.ASCII)


_YEAR_SIGNS = (*"0123456789", "jahr", "year", "heuer", "年")
_TODAY_SIGNS = (
    "monat", "month", "quart", "woche", "week", "gestern", "yesterday", "heute", "today", "ytd", "year", "jahr",
    "月", "季", "周", "星期", "天", "日", "今年",
)  # fmt: skip


_TO = r"(?: ?- ?| bis(?: zum)? | to | through | until )"
_D = r"(?P<d>\d{1,2})"
_SUFFIX = r"(?:st|nd|rd|th)?"
_RULES: tuple[_Rule, ...] = (
    _Rule(rf"(?<![\w])(?<!\d[.,/-])(?P<y>\d{{4}})(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s){_D}(?![\d])", _dotted, *"-/."),
    _Rule(rf"{_L}{_D}\.?{_TO}(?P<e>\d{{1,2}})\.? {_MONTH}{_R}(?:{_OF}{_YEAR})?", _days_of_month, *MONTHS),
    _Rule(
        rf"{_L}{_MONTH}\.? {_D}{_SUFFIX}{_TO}(?P<e>\d{{1,2}}){_SUFFIX}{_R}(?:{_OF}{_YEAR})?", _days_of_month, *MONTHS
    ),
    _Rule(
        rf"(?:{_YEAR})?{_CHINESE_MONTH}{_CHINESE_DAY}[日号]?[到至~-]{_CHINESE_DAY.replace('<d>', '<e>')}[日号]",
        _days_of_month,
        "月",
    ),
    _Rule(rf"(?<![\d.,]){_D}\. ?(?P<m>\d{{1,2}})\. ?(?P<y>\d{{4}}){_R}", _dotted, "."),
    _Rule(rf"(?<![\d.,]){_D}\.(?P<m>\d{{1,2}})\.'?(?P<y>\d\d)(?![\d.]\d|\d)", _dotted, "."),
    _Rule(rf"(?<![\w./-]){_D}(?P<s>[/-])(?P<m>\d{{1,2}})(?P=s)(?P<y>\d{{4}}|\d\d)(?![\w/]|-\d)", _slashed, *"/-"),
    _Rule(rf"{_L}{_D}(?:\.|{_SUFFIX})? ?(?:of )?{_MONTH}{_R}(?:{_OF}{_YEAR})?", _day, *MONTHS),
    _Rule(rf"{_L}{_MONTH}\.? (?:the )?{_D}{_SUFFIX}(?![\w.:]\d|\w)(?:{_OF}{_YEAR})?", _day, *MONTHS),
    _Rule(
        rf"{_L}{_D}(?:\.|{_SUFFIX})(?=(?: ?, ?| (?:und|and|oder|or|&) )(?:(?:am|on|the|dem) )?"
        rf"\d{{1,2}}(?:\.|{_SUFFIX}) ?(?:of )?{_MONTH}{_R})",
        _day,
        *MONTHS,
    ),
    _Rule(rf"(?:{_YEAR}的?)?{_CHINESE_MONTH}{_CHINESE_DAY}[日号]", _day, "月"),
    _Rule(rf"{_YEAR} ?的?{_CHINESE_MONTH}", _month, "月"),
    _Rule(rf"{_L}{_MONTH}(?![a-z]){_OF}{_YEAR}", _month, *MONTHS),
    _Rule(rf"{_YEAR} {_MONTH}{_R}", _month, *MONTHS),
    _Rule(rf"(?<![\w./-])(?P<m>0?[1-9]|1[0-2])[/.](?P<y>{_Y4})(?![\w/]|\.\d)", _month, *"/."),
    _Rule(rf"(?<![\w.,/-])(?P<y>{_Y4})[-/](?P<m>0[1-9]|1[0-2])(?![\w]|[-/.]\d)", _month, *"-/"),
    _Rule(_DECADE, _decade, "0", "ties", "ziger", "ssiger", "年代"),
    _Rule(
        rf"{_L}(?:first|ersten?) (?P<n>{_COUNT}) "
        rf"(?P<u>months|quarters|monaten?|quartalen?){_R}{_OF}{_YEAR}",
        _end_of_year,
        "first",
        "erste",
    ),
    _Rule(
        rf"{_L}(?P<last>last|final|letzte[nsrm]?)(?: (?P<n>{_COUNT}))? "
        rf"(?P<u>months?|quarters?|monat(?:en?|s)?|quartal(?:en?|s)?){_R}(?: (?:of|in|von|vom|des|im)(?: the)?|(?= \d{{4}})) {_YEAR}",
        _end_of_year,
        "last",
        "final",
        "letzte",
    ),
    _Rule(
        rf"(?:{_YEAR}的?)?[前头](?P<n>\d{{1,2}}|十[一二]?|[一二三四五六七八九两])个?(?P<u>季度?|月)",
        _end_of_year,
        "前",
        "头",
    ),
    _Rule(rf"(?<![a-z0-9.,'/-])(?P<y>{_Y4})[ /-]?q(?P<q>[1-4]){_R}", _quarter, "q"),
    _Rule(rf"{_L}q ?(?P<q>[1-4]) ?[/-] ?(?P<y>{_Y4}){_R}", _quarter, "q"),
    _Rule(rf"{_L}h ?(?P<h>[12]) ?[/-] ?(?P<y>{_Y4}){_R}", _half, "h"),
    _Rule(rf"{_L}q ?(?P<q>[1-4])(?![a-z0-9])(?:{_OF}{_YEAR})?", _quarter, "q"),
    _Rule(
        rf"{_L}(?P<q>[1-4](?=\. ?(?:quartal|quarter|trimester))|{_ORDINAL})(?:\. ?| )"
        rf"(?:quartals?|quarter|trimester)(?:{_OF}{_YEAR})?",
        _quarter,
        "quart",
        "trimester",
    ),
    _Rule(rf"{_L}(?:quartal|quarter) (?P<q>[1-4]){_R}(?:{_OF}{_YEAR})?", _quarter, "quart", "trimester"),
    _Rule(rf"(?:{_YEAR}的?)?第?(?P<q>[一二三四1-4])季度?", _quarter, "季"),
    _Rule(rf"{_L}h ?(?P<h>[12])(?![a-z0-9])(?:{_OF}{_YEAR})?", _half, "h"),
    _Rule(
        rf"{_L}(?P<h>[12](?=\. ?halb|(?:st|nd) half)|erste|zweite|first|second)[snrm]?(?:\. ?|st |nd | )"
        rf"(?:halbjahr(?:e?s)?|half(?:[ -]year)?)"
        rf"(?:{_OF}{_YEAR})?",
        _half,
        "half",
        "halb",
    ),
    _Rule(rf"(?:{_YEAR}的?)?(?P<h>[上下])半年度?", _half, "半年"),
    _Rule(rf"(?<![\d.,]){_D}\. ?(?P<m>0?[1-9]|1[0-2])\.(?! ?\d)", _day, "."),
    _Rule(r"(?:\bper|\bam|\bvom|\bbis|\bzum|\bdem) (?=\d)" + rf"{_D}\.(?P<m>0[1-9]|1[0-2])(?![\d.])", _day, "."),
    _Rule(
        rf"{_L}(?:{'|'.join(f'(?P<{name}>{words})' for name, words in _FROM_TODAY)})(?!(?<=[a-z])[a-z0-9])",
        _from_today,
        *_TODAY_SIGNS,
    ),
    _Rule(
        rf"{_L}(?:(?:die |der |den |in den |the )?(?:letzten|vergangenen|last|past) (?P<n>{_COUNT}) "
        rf"(?P<u>monate?n?|months?|jahren?|years?|tagen?|days?|wochen?|weeks?)){_R}(?! (?:of|von|des|im|in|\d))",
        _rolling,
        "letzten",
        "vergangenen",
        "last",
        "past",
    ),
    _Rule(
        r"(?:最近|过去|近)的?(?P<n>\d{1,3}|[一二三四五六七八九十两]+)个?(?P<u>月|年|天|日|周|星期)",
        _rolling,
        "近",
        "过去",
    ),
    _Rule(rf"{_L}(?P<m>{_any_of(_CLEAR_MONTHS)}){_R}", _lone_month, *MONTHS),
    _Rule(
        rf"{_L}(?P<m>{_any_of(list(MONTHS))})\.?"
        rf"(?=(?: ?[-/,&] ?| (?:bis|to|und|and|or|oder|through|vs\.?) )(?:{_any_of(list(MONTHS))}){_R})",
        _lone_month,
        *MONTHS,
    ),
    _Rule(
        rf"{_L}(?:im|in|ende|anfang|seit|bis|of|the|during|since|until|by|und|and|monat|from|"
        rf"between|through|to|vs\.?|versus) (?P<m>{_any_of(list(MONTHS))}){_R}",
        _lone_month,
        *MONTHS,
    ),
    _Rule(rf"(?<![\d一二三四五六七八九十]){_CHINESE_MONTH}", _lone_month, "月"),
    _Rule(rf"{_YL}(?P<y>{_Y4}) ?/ ?(?P<z>\d\d|{_Y4}){_R}", _two_years, "/"),
    _Rule(rf"{_YL}(?P<y>{_Y4})-(?P<z>1[3-9]|[2-9]\d){_R}", _two_years, "-"),
    _Rule(rf"(?<![a-z0-9.,'/])(?P<y>{_Y4})(?= ?- ?{_Y4}{_YR})", _lone_year, "-"),
    _Rule(rf"(?:(?<=\d-)|(?<=mid-)|(?<=end-)|(?<=ende-))(?P<y>{_Y4}){_YR}", _lone_year, "-"),
    _Rule(_YEAR, _lone_year, *_YEAR_SIGNS),
)
