"""Canonical patterns met with a question: which slots it fills, what stays open, what the calls would not take up."""

from __future__ import annotations

import json
import re
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

from veracity.answer.coverage import Stored, Used, cover
from veracity.answer.results import Result
from veracity.language.currencies import CURRENCY_WORDS
from veracity.language.locale import pick
from veracity.language.numbers import format_date, format_month
from veracity.ontology.descriptor import CanonicalQueryPattern, Encoding, Entity, FieldRole, Slot, SlotKind, ToolCall
from veracity.query.catalog import Catalog
from veracity.query.model import Call, read_call
from veracity.question import Meaning, Mention, MentionKind, Period, QuestionReading

_COUNT = re.compile(r"[1-9][0-9]{0,2}")
"""How many rows there are to be: the top 5, not 5000 or 12.50."""
PERIOD_SLOTS = (SlotKind.YEAR, SlotKind.MONTH, SlotKind.DATE)
_WITHOUT_BRACES = str.maketrans("{}", "()")
_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
# A quoted text is met first and left alone; behind a dot stands a column.
_RESULT = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|(?<![.\w])r(\d{1,9})(?=\s*[\[.,)])")
_SLOT_IN_TEXT = re.compile(r"(?<!\{)\{(\w+)\}(?!\})")


@dataclass(frozen=True, slots=True)
class Filled:
    """A pattern with what a question gives it."""

    pattern: CanonicalQueryPattern
    values: Mapping[str, Any]
    """Slot -> value, as a call writes it; slots with a default are in it."""
    dates: Mapping[str, date]
    """Slots that are said in answers only."""
    calls: tuple[ToolCall, ...]
    groups: Mapping[str, Entity] = field(default_factory=dict)
    """Slots that stand for a group of the chart."""
    period: Period | None = None
    """The one period of the question."""
    missing: tuple[Slot, ...] = ()
    """Slots that the question leaves open."""
    uncovered: tuple[str, ...] = ()
    """Mentions that no call takes up."""
    misfit: str | None = None
    """Why the question's period cannot fill the slots at all."""

    @property
    def complete(self) -> bool:
        """Whether these calls answer everything the question names."""
        return not (self.missing or self.uncovered or self.misfit)


def fill(pattern: CanonicalQueryPattern, reading: QuestionReading, catalog: Catalog, stored: Stored) -> Filled:
    """The pattern's calls with the question's values."""
    values: dict[str, Any] = {}
    dates: dict[str, date] = {}
    misfit = _fill_periods(pattern, reading, catalog, values, dates)
    misfit = misfit or _unused_number(pattern, reading, catalog) or _two_units(reading, catalog)
    for slot in pattern.slots:
        if slot.kind not in PERIOD_SLOTS:
            found = _fillers(slot, reading, catalog)
            if len(found) == 1:
                values[slot.name] = found[0]
            elif len(found) > 1:
                misfit = misfit or slot.name
    for slot in pattern.slots:
        if slot.default is not None:
            values.setdefault(slot.name, slot.default)
    missing = tuple(s for s in pattern.slots if s.name not in values and s.name not in dates)
    if misfit:
        return Filled(pattern, values, dates, (), missing=missing, misfit=misfit)
    calls = pattern.fill(values)
    used = [Used(f"r{n}", read_call(call.tool, call.args)) for n, call in enumerate(calls, 1)]
    if any(one.call.table not in catalog.entities for one in used):
        return Filled(pattern, values, dates, calls, misfit="table")
    lines = cover(_without_units(reading, catalog), used, catalog, stored)
    uncovered = tuple(line.mention for line in lines if line.status == "missing")
    periods = periods_of(reading)
    return Filled(
        pattern,
        values,
        dates,
        calls,
        groups=_groups(pattern, values, catalog),
        period=periods[0] if len(periods) == 1 else None,
        missing=missing,
        uncovered=uncovered,
        misfit=misfit,
    )


def _unused_number(pattern: CanonicalQueryPattern, reading: QuestionReading, catalog: Catalog) -> str | None:
    """A number that a question says and a pattern has no place for is not left out: six months are not one."""
    slots = [slot for slot in pattern.slots if slot.kind not in PERIOD_SLOTS]
    for mention in reading.mentions:
        number = any(meaning.kind is MentionKind.NUMBER for meaning in mention.meanings)
        used = any(True for slot in slots for _value in _from_mention(slot, mention, catalog))
        if number and not mention.sure and (not used or _is_money(mention, reading)):
            return mention.text
    return None


def _is_money(mention: Mention, reading: QuestionReading) -> bool:
    """Whether a currency stands beside a number: 500 Franken are no number of rows."""
    beside = (
        m for m in reading.mentions if mention.end <= m.start <= mention.end + 1 or m.end <= mention.start <= m.end + 1
    )
    return any(meaning.value in CURRENCY_WORDS for other in beside for meaning in other.meanings)


def _groups(pattern: CanonicalQueryPattern, values: Mapping[str, Any], catalog: Catalog) -> dict[str, Entity]:
    slots = [slot for slot in pattern.slots if slot.kind is SlotKind.GROUP and slot.name in values]
    if not slots:
        return {}
    concepts = catalog.ontology.entities if catalog.ontology else ()
    by_like = {concept.number_range.like: concept for concept in concepts if concept.number_range}
    return {slot.name: by_like[(values[slot.name],)] for slot in slots if (values[slot.name],) in by_like}


def _without_units(reading: QuestionReading, catalog: Catalog) -> QuestionReading:
    """The reading without currencies: which one a result is in shows only in its rows."""
    others = (m for m in reading.mentions if not any(_is_unit(meaning, catalog) for meaning in m.meanings))
    return replace(reading, mentions=tuple(others))


def _two_units(reading: QuestionReading, catalog: Catalog) -> str | None:
    """Two currencies in one question: no pattern answers in each of them, and none converts."""
    named = {m.value for mention in reading.mentions for m in mention.meanings if _is_unit(m, catalog)}
    return "currency" if len(named) > 1 else None


def _is_unit(meaning: Meaning, catalog: Catalog) -> bool:
    homes = (catalog.entities[table].fields[name].declared for table, name in meaning.fields)
    return any(declared is not None and declared.role is FieldRole.CURRENCY for declared in homes)


# --- periods


def periods_of(reading: QuestionReading) -> list[Period]:
    """The periods a question is sure to name; the same one said twice counts once."""
    found = [m.meanings[0].period for m in reading.mentions if m.sure and m.meanings[0].kind is MentionKind.PERIOD]
    return list(dict.fromkeys(period for period in found if period is not None))


def _fill_periods(
    pattern: CanonicalQueryPattern,
    reading: QuestionReading,
    catalog: Catalog,
    values: dict[str, Any],
    dates: dict[str, date],
) -> str | None:
    """Fill years, months and dates; why it cannot be done, if it cannot."""
    slots = [slot for slot in pattern.slots if slot.kind in PERIOD_SLOTS]
    periods = periods_of(reading)
    doubtful = any(not m.sure and m.meanings[0].kind is MentionKind.PERIOD for m in reading.mentions)
    if doubtful and (periods or not slots):
        return "period"  # a period that may be meant is not left out
    if not slots or not periods:
        return "period" if periods else None
    years = [slot for slot in slots if slot.kind is SlotKind.YEAR]
    if len(years) == 2:
        return _fill_two_years(years, periods, values)
    if len(periods) != 1:
        return "periods"
    period = periods[0]
    stored_dates = [slot for slot in slots if slot.kind is SlotKind.DATE and slot.field]
    if stored_dates:
        return _fill_range(stored_dates, period, catalog, values)
    return _fill_period(slots, period, values, dates)


def _fill_two_years(slots: Sequence[Slot], periods: Sequence[Period], values: dict[str, Any]) -> str | None:
    if len(periods) != 2 or any(period.part != "year" for period in periods):
        return "periods"
    for slot, period in zip(slots, sorted(periods, key=lambda p: p.first), strict=True):
        values[slot.name] = period.first.year
    return None


def _fill_range(slots: Sequence[Slot], period: Period, catalog: Catalog, values: dict[str, Any]) -> str | None:
    days = (period.first,) if period.first == period.last and len(slots) == 1 else (period.first, period.last)
    if len(slots) != len(days) or period.moment:
        return "period"
    for slot, day in zip(slots, days, strict=True):
        values[slot.name] = encoded_day(slot, day, catalog)
    return None


def encoded_day(slot: Slot, day: date, catalog: Catalog) -> int | str:
    """A day as the field of a slot stores it."""
    entity, _, name = (slot.field or "").rpartition(".")
    facts = catalog.entities[entity].fields.get(name) if entity in catalog.entities else None
    if facts is None or facts.guard is None:
        return day.isoformat()
    seconds = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())
    return seconds * 1000 if facts.guard is Encoding.UNIX_MILLISECONDS else seconds


def _fill_period(
    slots: Sequence[Slot],
    period: Period,
    values: dict[str, Any],
    dates: dict[str, date],
) -> str | None:
    by_kind = {slot.kind: slot for slot in slots}
    month, at_date = by_kind.get(SlotKind.MONTH), SlotKind.DATE in by_kind
    if (period.moment == "end" and not at_date) or (period.moment == "start" and at_date):
        return "period"
    if period.first.year != period.last.year or period.part == "range":
        return "period"
    number = _month_number(period, at_date=at_date)
    if number is None or (number and month is None) or (not number and month is not None and month.default is None):
        return "period"
    if year := by_kind.get(SlotKind.YEAR):
        values[year.name] = period.first.year
    if month is not None:
        values[month.name] = number if number else month.default
    for slot in slots:
        if slot.kind is SlotKind.DATE:
            last = monthrange(period.last.year, number)[1] if number else 31
            dates[slot.name] = date(period.last.year, number or 12, last)
    return None


def _month_number(period: Period, *, at_date: bool) -> int | None:
    """The month a period means, 0 for the whole year, None when it is neither."""
    if period.part == "year":
        return 0
    if period.part == "month":
        return period.first.month
    if not at_date:
        return None
    # At a date only the end of a month is known; the end of December is the end of the year.
    ends = period.last.day == monthrange(period.last.year, period.last.month)[1]
    if not ends or (period.part == "quarter" and period.moment != "end") or period.moment == "start":
        return None
    return 0 if period.last.month == 12 else period.last.month


# --- everything else


def _fillers(slot: Slot, reading: QuestionReading, catalog: Catalog) -> list[Any]:
    """What the question offers for a slot; what the reader is sure of goes before what it only supposes."""
    for sure in (True, False):
        mentions = [mention for mention in reading.mentions if mention.sure is sure]
        if found := [value for mention in mentions for value in _from_mention(slot, mention, catalog)]:
            return list(dict.fromkeys(found))
    return []


def _from_mention(slot: Slot, mention: Mention, catalog: Catalog) -> Iterator[Any]:
    wanted = {
        SlotKind.CODE: MentionKind.CODE,
        SlotKind.GROUP: MentionKind.GROUP,
        SlotKind.VALUE: MentionKind.VALUE,
        SlotKind.NUMBER: MentionKind.NUMBER,
    }[slot.kind]
    for meaning in mention.meanings:
        if meaning.kind is not wanted:
            continue
        if slot.kind is SlotKind.NUMBER:
            if _COUNT.fullmatch(meaning.value or ""):
                yield int(meaning.value or 0)
        elif slot.kind is SlotKind.GROUP:
            yield from _like_of(meaning, catalog)
        elif _is_home(slot, meaning):
            yield meaning.value


def _like_of(meaning: Meaning, catalog: Catalog) -> Iterator[str]:
    concept = catalog.ontology.entity(meaning.entity or "") if catalog.ontology else None
    if concept is not None and concept.number_range is not None and len(concept.number_range.like) == 1:
        yield concept.number_range.like[0]


def _is_home(slot: Slot, meaning: Meaning) -> bool:
    entity, _, name = (slot.field or "").rpartition(".")
    return (entity, name) in meaning.fields


# --- answers


def template(filled: Filled, lang: str, locale: str, results: Sequence[str]) -> str:
    """The pattern's answer with its slots said and its results renamed to the ids they got."""
    # A brace in a stored name would begin an expression.
    said = {name: str(value).translate(_WITHOUT_BRACES) for name, value in filled.values.items()}
    said |= {name: format_date(day, locale) for name, day in filled.dates.items()}
    said |= {name: pick(group.label, lang) or group.name for name, group in filled.groups.items()}
    if filled.period is not None:
        said["period"] = period_in_words(filled.period, locale)
    text = _SLOT_IN_TEXT.sub(lambda found: said.get(found[1], found[0]), pick(filled.pattern.answer, lang))
    return rename_results(text, results)


def next_step(
    filled: Filled, lang: str, locale: str, results: Mapping[str, Result], speak: Callable[[ToolCall], ToolCall]
) -> str | None:
    """What is left to do of a pattern: its first call that has no result yet, or its answer."""
    names: list[str] = []
    for call in filled.calls:
        meant = read_call(call.tool, call.args)
        left = {name: result for name, result in results.items() if name not in names}
        same = [name for name, result in left.items() if _is_the_same(result, meant, exactly=True)]
        # Of one call only: of several, the period may be all that tells them apart.
        near = [name for name, result in left.items() if len(filled.calls) == 1 and _is_the_same(result, meant)]
        if not (same or near):
            spoken = speak(call)
            return f"{spoken.tool} {json.dumps(spoken.args, ensure_ascii=False, separators=(',', ':'))}"
        names.append((same or near)[0])
    text = template(filled, lang, locale, names)
    return f"answer {json.dumps({'text': text}, ensure_ascii=False)}" if text else None


def _is_the_same(result: Result, meant: Call, *, exactly: bool = False) -> bool:
    """Whether a result has the rows that a pattern means, whatever columns it shows of them.

    Unless it has to be exactly so, the period is left to the review: a year and its December have the same closing balance.
    """
    made = result.call

    def conditions(call: Call) -> set[str]:
        open_values = [one.field for one in call.filters if not exactly and _is_period(result, one.field)]
        return {f"{one.field} {one.op} {'' if one.field in open_values else one.value}" for one in call.filters}

    return (made.table, conditions(made), made.aggregate, made.target, made.group_by, made.limit) == (
        meant.table,
        conditions(meant),
        meant.aggregate,
        meant.target,
        meant.group_by,
        meant.limit,
    )


def _is_period(result: Result, name: str) -> bool:
    facts = result.columns.get(name)
    return facts is not None and facts.role is FieldRole.PERIOD


def period_in_words(period: Period, locale: str) -> str:
    """A period as people say it."""
    if period.part == "year":
        return str(period.first.year)
    if period.part == "month":
        return format_month(period.first, locale)
    if period.first == period.last:
        return format_date(period.first, locale)
    return f"{format_date(period.first, locale)} – {format_date(period.last, locale)}"


def rename_results(text: str, results: Sequence[str]) -> str:
    """`r1` of a template is its first call, whatever id its result has in the conversation."""

    def renamed(found: re.Match[str]) -> str:
        number = int(found[1]) if found[1] else 0
        return results[number - 1] if 1 <= number <= len(results) else found[0]

    return _EXPRESSION.sub(lambda expression: _RESULT.sub(renamed, expression[0]), text)
