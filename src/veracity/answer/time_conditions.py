"""The days that a call's conditions let through, whatever the table calls and stores its dates."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from veracity.ontology.fields import Encoding
from veracity.query.catalog import CatalogEntity, FieldFacts, PeriodPart
from veracity.query.model import Call, Filter
from veracity.question import Period
from veracity.sources.source import ColumnType

DayRange = tuple[date, date]
"""The first and the last day."""

_ONE = timedelta(days=1)
_ALWAYS: DayRange = (date.min, date.max)
_NEVER: DayRange = (date.max, date.min)
_AMONG: Mapping[PeriodPart, range] = {"year": range(1900, 2101), "quarter": range(1, 5), "month": range(13)}
_ISO = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?)?)?", re.ASCII)
_MOST_YEARS = 60


@dataclass(slots=True)
class _TimeParts:
    """The years and months that are let through; None for all of them."""

    years: set[int] | None = None
    months: set[int] | None = None
    days: DayRange = _ALWAYS

    def take(self, condition: Filter, facts: FieldFacts) -> None:
        part = facts.part
        numbers = _numbers(condition, _AMONG[part]) if part else None
        if numbers is None:
            first, last = _days(condition, facts)
            self.days = max(self.days[0], first), min(self.days[1], last)
        elif part == "year":
            self.years = numbers if self.years is None else self.years & numbers
        else:
            if part == "quarter":
                numbers = {3 * quarter - back for quarter in numbers for back in range(3)}
            self.months = numbers if self.months is None else self.months & numbers

    def ranges(self) -> list[DayRange]:
        """The years or months as days, or else the days themselves."""
        if self.years is None:
            return [self.days] if self.days != _ALWAYS else []
        if len(self.years) > _MOST_YEARS:
            first, last = min(self.years), max(self.years)
            open_end = self.months is None and self.years == set(range(first, last + 1))
            since = date.min if first == _AMONG["year"][0] else date(first, 1, 1)
            until = date.max if last == _AMONG["year"][-1] else date(last, 12, 31)
            return [(since, until)] if open_end and (since, until) != _ALWAYS else []
        if self.months is None or self.months == {0}:
            return [(date(year, 1, 1), date(year, 12, 31)) for year in sorted(self.years)]
        months = sorted(self.months - {0})
        return [(date(y, m, 1), date(y, m, monthrange(y, m)[1])) for y in sorted(self.years) for m in months]


def day_ranges(entity: CatalogEntity, conditions: Iterable[Filter]) -> list[DayRange]:
    """The years, months or days that conditions let through, in order; empty when they say nothing of time."""
    parts = _TimeParts()
    for condition in conditions:
        facts = entity.fields.get(condition.field)
        if facts is not None and facts.tells_time:
            parts.take(condition, facts)
    cut = [(max(parts.days[0], first), min(parts.days[1], last)) for first, last in parts.ranges()]
    return [(first, last) for first, last in cut if first <= last]


def keeps_apart(entity: CatalogEntity, call: Call) -> bool:
    """Whether the periods of a result stay apart: in rows of their own, never summed up."""
    return entity.is_snapshot or any(entity.fields[name].tells_time for name in call.group_by)


def joined(ranges: Iterable[DayRange]) -> list[DayRange]:
    """Ranges that follow each other as one."""
    found: list[DayRange] = []
    for one in sorted(set(ranges)):
        if found and found[-1][1] != date.max and one[0] <= found[-1][1] + _ONE:
            found[-1] = (found[-1][0], max(found[-1][1], one[1]))
        else:
            found.append(one)
    return found


def fits(period: Period, days: DayRange, *, snapshot: bool) -> bool:
    """Whether a range of days is the period that is asked for."""
    first, last = days
    if period.moment == "start":
        return first == period.first or (snapshot and last == period.first - _ONE)
    if snapshot and (period.moment == "end" or period.part == "day"):
        return last == period.last
    if period.moment == "end" and days == (date.min, period.last):
        return True  # all that happened until then
    return days == (period.first, period.last)


def names_year(period: Period, names: Iterable[str]) -> bool:
    """Whether one of the names is that of the year: the column revenue_2024 needs no filter."""
    year = rf"(?<!\d){period.first.year}(?!\d)"
    return period.part == "year" and any(re.search(year, name) for name in names)


# --- conditions


def _numbers(condition: Filter, among: range) -> set[int] | None:
    """The years or months that a condition lets through; None when its values are none (2024-03 in a text)."""
    values = condition.value if isinstance(condition.value, list | tuple) else [condition.value]
    if condition.op == "IS_NOT_NULL":
        return set(among)
    if condition.op == "IS_NULL":
        return set()
    given = [_whole(value) for value in values]
    numbers = [number for number in given if number is not None]
    if not numbers or len(numbers) < len(given) or condition.op == "LIKE":
        return None
    low, high = numbers[0], numbers[-1]
    if condition.op in ("=", "IN"):
        return {number for number in numbers if number in among}
    kept = _KEPT.get(condition.op)
    return {n for n in among if kept(n, low, high)} if kept else set()


_KEPT: Mapping[str, Callable[[int, int, int], bool]] = {
    "BETWEEN": lambda n, low, high: low <= n <= high,
    ">=": lambda n, low, _high: n >= low,
    ">": lambda n, low, _high: n > low,
    "<=": lambda n, low, _high: n <= low,
    "<": lambda n, low, _high: n < low,
    "!=": lambda n, low, _high: n != low,
}


def _whole(value: Any) -> int | None:
    """The whole number that a value is: 2025 of 2025, '2025' and 2025.0, and 1 of 'Q1'; None of anything else."""
    text = str(value).strip().removeprefix("Q").removeprefix("q") if not isinstance(value, bool) else ""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    small = number.is_finite() and number.adjusted() < 18
    return int(number) if small and number == int(number) else None


def _days(condition: Filter, facts: FieldFacts) -> DayRange:
    values = condition.value if isinstance(condition.value, list | tuple) else [condition.value]
    if condition.op in ("IS_NULL", "IS_NOT_NULL"):
        return _NEVER if condition.op == "IS_NULL" else _ALWAYS
    moments = [_moment(value, facts.guard, prefix=condition.op == "LIKE") for value in values]
    known = [moment for moment in moments if moment is not None]
    if not known or len(known) < len(moments):
        return _NEVER
    low, high = known[0], known[-1]
    timed = facts.guard is None and facts.column.type is ColumnType.TIMESTAMP
    match condition.op:
        case "=" | "LIKE":
            return low.first, low.last
        case "BETWEEN":
            return low.start, high.end(timed=timed)
        case ">=":
            return low.start, date.max
        case ">":
            return low.first if timed and low.midnight else day_after(low.last), date.max
        case "<=":
            return date.min, low.end(timed=timed)
        case "<":
            # Before midnight of a day is up to the day before; before a later moment takes that day in.
            return date.min, _before(low.first) if low.midnight else low.last
        case "IN":
            runs = joined((moment.first, moment.last) for moment in known)
            return runs[0] if len(runs) == 1 else _NEVER
        case _:
            return _NEVER


@dataclass(frozen=True, slots=True)
class _Moment:
    """The days that a written date stands for."""

    first: date
    last: date
    midnight: bool = True

    @property
    def start(self) -> date:
        """The first whole day from here on."""
        return self.first if self.midnight else day_after(self.first)

    def end(self, *, timed: bool) -> date:
        """The last day until here; where moments are stored, midnight is still the day before."""
        return _before(self.first) if timed and self.midnight and self.first == self.last else self.last


def _moment(value: Any, encoding: Encoding | None, *, prefix: bool = False) -> _Moment | None:
    if isinstance(value, datetime):
        return _Moment(value.date(), value.date(), value.time().isoformat() == "00:00:00")
    if isinstance(value, date):
        return _Moment(value, value)
    if encoding is not None:
        return _encoded(value, encoding)
    text = str(value).strip()
    found = _ISO.fullmatch(text.rstrip("%").rstrip("-") if prefix else text)
    if found is None or (prefix and not text.endswith("%")):
        return None
    year, month, day = (int(part) if part else None for part in found.groups()[:3])
    try:
        first = date(year or 0, month or 1, day or 1)
    except ValueError:
        return None
    if day:
        return _Moment(first, first, (found[4] or "00:00").strip("0:.") == "")
    last = date(first.year, month or 12, monthrange(first.year, month or 12)[1])
    return _Moment(first, last)


def _encoded(value: Any, encoding: Encoding) -> _Moment | None:
    number = _whole(value)
    if number is None:
        return None
    seconds, rest = divmod(number, 1000) if encoding is Encoding.UNIX_MILLISECONDS else (number, 0)
    try:
        day = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).date()
    except OverflowError:
        return None
    return _Moment(day, day, seconds % 86_400 == 0 and rest == 0)


def day_after(day: date) -> date:
    """The next day; there is none after the last that can be written."""
    return day + _ONE if day < date.max else day


def _before(day: date) -> date:
    return day - _ONE if day > date.min else day


def conditions_of(entity: CatalogEntity, row: Mapping[str, Any]) -> Sequence[Filter]:
    """What a row says of its own time, as conditions."""
    return [
        Filter(name, "=", row[name])
        for name, facts in entity.fields.items()
        if row.get(name) is not None and facts.tells_time
    ]
