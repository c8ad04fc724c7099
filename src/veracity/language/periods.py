"""Periods: date expressions with the words around them, joined to ranges, and resolved to days."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from veracity.language.dates import FIRST_YEAR, Atom, Moment, atoms_of, is_day

Part = Literal["year", "quarter", "month", "day", "range"]
"""How long a period is."""
_SPAN = 48
"""How far back the words before a date are looked at."""


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of days, both ends included."""

    first: date
    last: date
    part: Part
    moment: Moment = ""
    """Whether its start or its end is meant ("Ende 2024"), not the whole of it."""


@dataclass(frozen=True, slots=True)
class FoundPeriod:
    """A period in a folded text; without meanings nothing may be read in its place."""

    start: int
    end: int
    meanings: tuple[Period, ...]
    sure: bool
    bare: bool = False
    """Only a number that may be a year."""
    ends: tuple[Period, Period] | None = None
    """Of a range from one period to another: both."""
    open_at: Literal["", "start", "end"] = ""
    """Where only one end is said (since, until): the other one, which is a guess in `meanings`."""


@lru_cache(maxsize=256)
def periods_of(text: str, today: date) -> tuple[FoundPeriod, ...]:
    """The periods of a folded text, in order; kept, because every step of an answer asks for those of the question."""
    atoms = atoms_of(text, today)
    _add_moments(text, atoms)
    joins = _joins(text, atoms)
    _share_years(text, atoms, joins)
    _set_years(atoms, today)
    found: list[FoundPeriod] = []
    place = 0
    while place < len(atoms):
        joined = joins.get(place)
        period = _range(atoms[place], atoms[place + 1], joined) if joined else None
        found.append(period or _single(text, atoms, place, today))
        place += 2 if period else 1
    return tuple(found)


# --- the words before and after


_JUST = r"(?:^|(?<![a-z0-9]))"
_ARTICLES = r"(?:(?:the|of|in|im|am|von|vom|des|der|dem|den|das|year|years|month|quarter|jahres?|monats?|quartals?) )*"
_PER = r"per(?! (?:year|month|quarter|jahr|monat|quartal) (?!end))"
"""Per 2024 is a day; per month in 2024 divides."""
_AS_OF = rf"(?:as (?:of|at|per|on)|{_PER}|mit stand(?: vom)?|stand(?: vom| am| per)?|(?:zum |per |am )?stichtag|valuta)"
_END = re.compile(
    rf"{_JUST}(?:(?:{_AS_OF}|zum|am|at|by|on|auf|gegen|to) )*(?:the )?(?:very )?"
    rf"(?:(?:(?:jahres|monats|quartals|geschaeftsjahres)?ende|(?:jahres|monats)schluss|ultimo|"
    rf"(?:year|month|quarter)[ -]?end|end(?! in)|close)[ -]{_ARTICLES}|{_AS_OF}:? {_ARTICLES})$|(?:截至|截止)(?:到|至|于)?$"
)
_AT_DAY = re.compile(rf"{_JUST}zum $")
_START = re.compile(
    rf"{_JUST}(?:(?:per|zu|am|at|on|by|zum|as (?:of|at)) )*(?:the )?(?:very )?"
    rf"(?:(?:(?:jahres|monats|quartals)?(?:anfang|beginn)|(?:start|beginning|opening) of) {_ARTICLES})$|"
    rf"{_JUST}(?:(?:start(?:ed)?|open(?:ed)?|beg[ai]n|begun) the (?:(?:year|month|quarter) )?)$"
)
# A part of it that is not read closer.
_MIDDLE = re.compile(
    rf"{_JUST}(?:mitte|mid|middle of|ungefaehr|circa|ca\.|etwa|around|about|early(?! in)|late(?! in)|spring|summer|autumn|fall|"
    rf"winter|fruehling|fruehjahr|sommer|herbst|(?:kw|woche|week)[ .]?\d{{1,2}}|"
    rf"(?:first|last|ersten?|letzten?|final)(?: \w+)? "
    rf"(?:months?|weeks?|days?|quarters?|monaten?|wochen?|tagen?|quartalen?|half))"
    rf"[ /-]{_ARTICLES}$"
)
_ENDED = re.compile(
    r"年?[底末]|期末| (?:closed|ended)(?![a-z])| (?:fiscal |financial )?year[ -]end(?![a-z])| zu ende ging(?:en)?"
)
_STARTED = re.compile(r"年?初|期初| (?:began|opened|started|eroeffnete?|begonnen|begann)(?![a-z])")
_SAID_OF_OTHERS = re.compile(r" (?:opened|started|closed|ended|eroeffnete?|begonnen)(?![a-z])")
_YEAR_ITSELF = re.compile(r"(?:jahr|year|(?<![a-z])(?:when|as|als|wenn)) (?:\S+ )?$")
"""Shops that were opened after 2010: only a year that is called so is what began."""
_MIDST = re.compile(r"年?中(?=[旬时,的]|$)|左右|的?[春夏秋冬]季?|的?第\d{1,2}周|[上中下]旬")


def _add_moments(text: str, atoms: list[Atom]) -> None:
    """Take the words into each atom that say which end of it is meant."""
    free = 0
    for place, atom in enumerate(atoms):
        before = text[max(free, atom.start - _SPAN) : atom.start]
        for moment, words in (("end", _END), ("end", _AT_DAY), ("start", _START), ("", _MIDDLE)):
            if (match := words.search(before)) and (words is not _AT_DAY or atom.unit == "day"):
                _take(atom, moment, len(before) - match.start(), 0)
                atom.sure = atom.sure and moment != ""
                break
        until = atoms[place + 1].start if place + 1 < len(atoms) else len(text)
        for moment, words in (("end", _ENDED), ("start", _STARTED), ("", _MIDST)):
            match = words.match(text, atom.end, until)
            own = not (match and _SAID_OF_OTHERS.match(match[0])) or _YEAR_ITSELF.search(
                text[: atom.end].rstrip() + " "
            )
            if match and own and atom.unit != "day":
                _take(atom, moment, 0, len(match[0]))
                atom.sure = atom.sure and moment != ""
                break
        free = atom.end


def _take(atom: Atom, moment: str, before: int, after: int) -> None:
    atom.start, atom.end = atom.start - before, atom.end + after
    atom.bare = False
    atom.moment = "end" if moment == "end" else "start" if moment == "start" else atom.moment


# --- two dates together

_HYPHEN = re.compile(r" ?(?:-|~) ?")
_TO = re.compile(
    r" ?(?:bis(?: und mit| einschliesslich| inklusive)?(?: zum| zur)?|"
    r"to|through|thru|until|till|up to(?: and including)?|到|至|直到)"
    r" ?(?:dem |den |the |in )*"
)
_AND = re.compile(r" ?(?:und|and|&|和|与|及) ?(?:dem |den |the |im |in |am |on )*")
_LISTED = re.compile(
    r" ?(?:,|;|/|und|and|or|oder|sowie|&|\+|mit|with|vs\.?|versus|gegen(?:ueber)?|against|auf|to|bis|than|als|"
    r"compared (?:with|to)|verglichen mit|和|与|及|、|跟|比|对比?|同|相比|到|至) ?(?:dem |den |the |im |in |am |on |zum )*"
)
_BETWEEN = re.compile(r"(?:zwischen|between|介于|在)(?: dem| den| the| im)? ?$")
_FROM = re.compile(r"(?:(?<![a-z])(?:vom|von|from|ab|period|zeitraum|zeit)(?: dem| den| the| im| anfang)?|从|自) ?$")
_WITHIN = re.compile(r"(?:之间|期间|间|为止|止)")
_COMPARED = re.compile(
    r"\bchang|grow|grew|increas|decreas|\brise|\brose|\brisen|\bfell\b|\bfall|\bdrop|declin|compar|versus|\bvs\b|"
    r"differ|veraender|geaender|\baender|gestieg|steiger|stieg|gefall|gesunk|\bsank|gewachs|wachs|wuchs|zugenomm|"
    r"abgenomm|zunahme|abnahme|vergl[ei]|unterschied|differenz|gegenueber|比较|对比|相比|变化|变动|增长|增加|减少|下降|上升|差异|差额|增幅|涨"
)


@dataclass(frozen=True, slots=True)
class _Join:
    start: int
    end: int


def _joins(text: str, atoms: list[Atom]) -> dict[int, _Join]:
    """The places of atoms that make a range with the next one."""
    joins: dict[int, _Join] = {}
    compared = _COMPARED.search(text) is not None
    for place in range(len(atoms) - 1):
        one, two = atoms[place], atoms[place + 1]
        if place - 1 in joins or not (one.possible and two.possible):
            continue
        between = text[one.end : two.start]
        free = atoms[place - 1].end if place else 0
        before = text[max(free, one.start - _SPAN) : one.start]
        opened = _BETWEEN.search(before)
        closed = _WITHIN.match(text, two.end)
        dashed = _HYPHEN.fullmatch(between)
        spanned = _TO.fullmatch(between) or (_AND.fullmatch(between) and (opened or closed))
        if dashed or (spanned and not compared):
            opened = opened or _FROM.search(before)
            start = one.start - (len(before) - opened.start() if opened else 0)
            joins[place] = _Join(start, closed.end() if closed else two.end)
    return joins


def _share_years(text: str, atoms: list[Atom], joins: dict[int, _Join]) -> None:
    """Januar bis März 2025, im März und April 2025, 2025年1月到3月: one year stands for both."""
    for place in reversed(range(len(atoms) - 1)):
        one, two = atoms[place], atoms[place + 1]
        if one.year is None and one.days is None and two.year is not None and _together(text, one, two):
            earlier = place in joins and _order(one) > _order(two)
            one.year, one.before = two.year - earlier, two.before
            one.bare = False
    for place in range(len(atoms) - 1):
        one, two = atoms[place], atoms[place + 1]
        if not _together(text, one, two):
            continue
        if two.year is None and two.days is None and one.year is not None:
            later = place in joins and _order(two) < _order(one)
            two.year, two.before = one.year + later, one.before
        if two.unit == "year" and two.bare:
            _follow(one, two)


def _follow(one: Atom, two: Atom) -> None:
    """A bare year after another date: Ende 2023 und 2024, im März 2024 und 2025."""
    if one.unit == "year":
        two.moment = two.moment or one.moment
        two.bare = one.bare = one.bare and two.bare
    elif one.unit != "range" and one.possible:
        two.unit, two.number, two.day, two.moment = one.unit, one.number, one.day, one.moment
        two.bare, two.sure = False, False


def _together(text: str, one: Atom, two: Atom) -> bool:
    between = text[one.end : two.start]
    return any(words.fullmatch(between) for words in (_LISTED, _TO, _HYPHEN))


def _order(atom: Atom) -> tuple[int, int]:
    months = {"half": 6, "quarter": 3}.get(atom.unit, 1)
    return (atom.number - 1) * months, atom.day


def _set_years(atoms: list[Atom], today: date) -> None:
    """Give every atom its year: the only other one in the question, else the latest that has begun."""
    said = {atom.year for atom in atoms if atom.possible and atom.year is not None and not atom.before}
    only = next(iter(said)) if len(said) == 1 else None
    for atom in atoms:
        if atom.before and only is not None and atom.year is not None:
            atom.year = only - 1
        if atom.year is not None or atom.days is not None:
            continue
        if only is not None:
            atom.year = only
        else:
            atom.year, atom.sure = _latest(atom, today), False
    for atom in atoms:
        if atom.unit == "day" and atom.year is not None:
            atom.possible = atom.possible and is_day(atom.year, atom.number, atom.day)


def _latest(atom: Atom, today: date) -> int:
    """The latest year in which the atom has begun by today."""
    for year in range(today.year, today.year - 9, -1):
        if atom.unit == "day" and not is_day(year, atom.number, atom.day):
            continue
        months, day = _order(atom)
        if (year, months + 1, day) <= (today.year, today.month, today.day if day else 0):
            return year
    return today.year


# --- days


def _days(atom: Atom) -> tuple[date, date]:
    if atom.days is not None:
        return atom.days
    year = atom.year or FIRST_YEAR
    if atom.unit == "day":
        day = date(year, atom.number, atom.day)
        return day, day
    months = {"year": 12, "half": 6, "quarter": 3}.get(atom.unit, 1)
    first = 1 if atom.unit == "year" else (atom.number - 1) * months + 1
    last = first + months - 1
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def _part(atom: Atom) -> Part:
    return "range" if atom.unit == "half" else atom.unit


def _range(one: Atom, two: Atom, join: _Join) -> FoundPeriod | None:
    if not (one.possible and two.possible):
        return None
    first, last = _edge(one, "start"), _edge(two, "end")
    if first > last:
        return None
    ends = (Period(*_days(one), _part(one)), Period(*_days(two), _part(two)))
    whole = (Period(first, last, "range"),)
    return FoundPeriod(join.start, join.end, whole, one.sure and two.sure, one.bare and two.bare, ends)


def _edge(atom: Atom, natural: Moment) -> date:
    first, last = _days(atom)
    # "von Ende 2023 bis Ende 2024" starts at that end; "as of" before a day says nothing more.
    moment = atom.moment or natural
    return first if moment == "start" else last


_SINCE = re.compile(
    rf"(?:{_JUST}(?:seit|ab|since|starting(?: in| from)?|as from)(?: dem| the| anfang| beginn| in)*|自从?) ?$"
)
_UNTIL = re.compile(
    rf"{_JUST}(?:bis(?: und mit)?(?: zum| zu)?|until|(?<!the )till|(?<!add )(?<!adds )(?<!added )(?<!came )(?<!come )up to|through|直到|到)(?: dem| the| ende| in)* ?$"
)
_BEFORE = re.compile(rf"{_JUST}(?:vor|before|prior to)(?: dem| the)? ?$")
_AFTER = re.compile(rf"{_JUST}(?:nach|after)(?: dem| the)? ?$")
_SINCE_THEN = re.compile(r"以来|至今|(?:之后|以后)?起|(?: and)? onwards?")
_AT_LAST = re.compile(r"(?<!直)到$")
_UNTIL_THEN = re.compile(r"为止")
_BEFORE_THEN = re.compile(r"以前|之前")
_AFTER_THEN = re.compile(r"以后|之后")
_DAY = timedelta(days=1)


def _single(text: str, atoms: list[Atom], place: int, today: date) -> FoundPeriod:
    atom = atoms[place]
    if not atom.possible:
        return FoundPeriod(atom.start, atom.end, (), sure=False)
    first, last = _days(atom)
    free = atoms[place - 1].end if place else 0
    before = text[max(free, atom.start - _SPAN) : atom.start]
    paired = place > 0 and _together(text, atoms[place - 1], atom)
    opened = None if paired else _open(text, atom, before, (first, last), today)
    if opened is not None:
        return opened
    meanings = [Period(first, last, _part(atom), atom.moment)]
    if atom.swapped:
        day = date(first.year, *atom.swapped)
        meanings.append(Period(day, day, "day", atom.moment))
    if atom.whole:
        meanings.append(Period(*atom.whole, _part(atom), atom.moment))
    return FoundPeriod(atom.start, atom.end, tuple(meanings), atom.sure, atom.bare)


def _open(text: str, atom: Atom, before: str, days: tuple[date, date], today: date) -> FoundPeriod | None:
    """A period with one end only: since, until, before and after; the other end is a guess, so it is never sure."""
    first, last = days
    ways: tuple[tuple[re.Pattern[str], re.Pattern[str], Literal["start", "end"], tuple[date, date]], ...] = (
        (_SINCE, _SINCE_THEN, "end", (first, today)),
        (_UNTIL, _UNTIL_THEN, "start", (date(FIRST_YEAR, 1, 1), last)),
        (_BEFORE, _BEFORE_THEN, "start", (date(FIRST_YEAR, 1, 1), first - _DAY)),
        (_AFTER, _AFTER_THEN, "end", (last + _DAY, today)),
    )
    for ahead, behind, side, (start, end) in ways:
        word, then = ahead.search(before), behind.match(text, atom.end)
        if ahead is _UNTIL and (atom.unit == "day" or atom.moment == "end") and _AT_LAST.search(before):
            # 到2024年12月31日 is a day in a balance sheet as much as the end of a stretch: what stood then.
            begin = atom.start - 1
            period = Period(first, last, _part(atom), "end")
            return FoundPeriod(begin, then.end() if then else atom.end, (period,), sure=True)
        if (word or then) and start <= end:
            begin = atom.start - (len(before) - word.start() if word else 0)
            stop = then.end() if then else atom.end
            return FoundPeriod(begin, stop, (Period(start, end, "range"),), sure=False, open_at=side)
    return None
