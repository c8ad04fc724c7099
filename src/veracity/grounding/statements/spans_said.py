"""Spans of time in words (nach einem Tag, an hour, drei Stunden), weekdays, and what happens on the same day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from veracity.grounding.binding.cue_words import ROUGHLY
from veracity.grounding.binding.period_names import WEEKDAYS
from veracity.grounding.binding.tables import Table
from veracity.grounding.contracts import Support
from veracity.grounding.statements.cell_values import column_roots, value_at
from veracity.grounding.statements.cues import cue
from veracity.grounding.statements.described_rows import described_row
from veracity.grounding.statements.differences import is_gap
from veracity.grounding.statements.reckonings import spans_of_time
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.language.folding import folded_text, listed, words_in
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.language.units import Unit, quantities, unit_called

_ONE_UNIT = re.compile(
    r"(?<![a-z])(?P<one>an?|one|ein|eine[rnm]?) (?:full |whole |good |volle[nr]? |ganze[nr]? |gute[nr]? )?(?P<unit>minute|hour|day|week|month|year|stunde|tag|woche|monat|jahr)(?![a-z])|"
    r"(?P<sign>一)(?P<of>个?小时|天|周|个?星期|个月|分钟)"
)
_LEADS = listed(
    "after within in for under take takes took last lasts lasted need needs needed require required requires only just about around "
    "exactly almost nearly roughly than is was be spend spent wait waits waited by over"
)
"""Before `an hour` that is a span of time; 412 trips a day are a rate."""
_NO_SPAN = listed("an pro je jeden jede jedes mal am diesem dieser")
_USED_UP = ("用了", "历时", "耗时", "需", "需要", "花了", "等了", "仅", "只", "约", "不到", "超过", "用时")
_NEAR = 12
_MONTH, _DAY = Decimal(43830), Decimal(1440)
_CLOSE = Decimal("0.1")
_THEN = listed(
    "later earlier after before spaeter frueher ago nach vor danach ahead behind mehr weniger more less longer shorter laenger kuerzer old alt"
)


class SpanSaid(NamedTuple):
    """A span of time, and where it is said."""

    start: int
    end: int
    minutes: Decimal
    exact: bool


def spans_said_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Done after a day`, `took three hours`: as long as the row says, from one time to another or in a cell."""
    table = scene.table
    if table is None or not (table.days or "time" in table.of_dimension or "months" in table.of_dimension):
        return
    for clause in scene.clauses:
        rows = {row for _one, row in clause.subjects(table)} or ({0} if len(table.rows) == 1 else set())
        described = _described(clause, table) if not rows else None
        rows = {described} if described is not None else rows
        if len(rows) != 1 or clause.compared(table) or clause.has("negated"):
            continue
        for said in _spans(clause):
            known = list(_minutes(clause, table, next(iter(rows))))
            before = clause.page.tokens.before(clause.page.tokens.at(said.start), _NEAR)
            held = any(_is_so_long(before, said, minutes) for minutes in known)
            span, settles = (said.start, said.end), frozenset({said.start})
            key = "comparison" if described is None else "superlative"
            if held:
                yield CheckedStatement("supported", span, key, settles=settles)
            elif known:
                yield CheckedStatement("contradicted", span, key)


# --- late and early


_LATE = re.compile(
    r"\s*(?:late|overdue|too late|behind (?:schedule|plan|time)|after (?:it|they|he|she|the|its|their)(?: [a-z]+){0,2} (?:due|deadline|planned|scheduled|expected|promised)|"
    r"zu spaet|verspaetet|im verzug|im rueckstand|nach (?:dem |der |ablauf )?[a-z]*(?:faellig|frist|termin)[a-z]*)(?![a-z])"
)
_EARLY = re.compile(
    r"\s*(?:early|too early|ahead of (?:schedule|time|plan|the deadline)|before (?:it|they|he|she|the|its|their)(?: [a-z]+){0,2} (?:due|deadline|planned|scheduled|expected|promised)|"
    r"zu frueh|vor (?:dem |der |ablauf )?[a-z]*(?:faellig|frist|termin)[a-z]*)(?![a-z])"
)
_LATE_SIGNS = re.compile(r"(?:晚了?|逾期|迟了?|延误了?|超期)(?:了|约|整整)?$")
_EARLY_SIGNS = re.compile(r"(?:提前了?|早了?)(?:了|约|整整)?$")
_SIGN = re.compile(rf"(?:{_LATE_SIGNS.pattern})|(?:{_EARLY_SIGNS.pattern})")
_DUE = frozenset(
    map(
        noun_root,
        listed(
            "due deadline planned scheduled expected promised target eta frist termin soll plan 到期 应还 截止 计划 预计"
        ),
    )
)
_DONE = frozenset(
    map(
        noun_root,
        listed(
            "returned return delivered delivery done paid completed finished arrived actual closed submitted zurück geliefert bezahlt erledigt abgeschlossen ist 归还 实际 完成 送达"
        ),
    )
)
_LATENESS = frozenset(
    map(noun_root, listed("late lateness delay delayed overdue verspätung verzug verspätet 逾期 延误 延迟"))
)


def lateness_holds(scene: Scene) -> Iterator[CheckedStatement]:
    """`Brought back a week after it was due`, `seven days late`: from the day something was due to the day it was done."""
    table = scene.table
    rows = {row for _one, row in scene.subjects(table)} if table is not None else set()
    if table is None or len(rows) != 1:
        return
    for said, late in _lateness_said(scene):
        known = list(_lateness(table, next(iter(rows)), late=late))
        if not known and not table.days:
            continue
        before = _SIGN.sub("", folded_text(scene.page.text[max(scene.line.start, said.start - _NEAR) : said.start]))
        held = any((apart > 0) == late and apart and _is_so_long(before, said, abs(apart)) for apart in known)
        truth: Support = "supported" if held else "contradicted" if known else "not_checkable"
        settles = frozenset({said.start}) if known else frozenset[int]()
        yield CheckedStatement(truth, (said.start, said.end), "comparison", settles=settles)


def _lateness_said(scene: Scene) -> Iterator[tuple[SpanSaid, bool]]:
    """The spans of time by which something is said to be late, or else early."""
    spans = []
    for found in _ONE_UNIT.finditer(scene.folded):
        spans.append((*scene.original(*found.span()), unit_called(found["unit"] or found["of"] or ""), Decimal(1)))
    for one in scene.every_figure:
        unit = one.meaning.unit
        if unit is not None and unit.dimension in ("time", "months") and one.figure.readings:
            named = _UNIT_BEHIND.match(scene.page.text, one.figure.end)
            spans.append((one.figure.start, named.end() if named else one.figure.end, unit, one.figure.readings[0]))
    for start, end, unit, number in spans:
        before = folded_text(scene.page.text[max(scene.line.start, start - _NEAR) : start])
        behind = folded_text(scene.page.text[end : min(scene.line.end, end + _FAR)])
        late = _LATE.match(behind) or _LATE_SIGNS.search(before)
        early = _EARLY.match(behind) or _EARLY_SIGNS.search(before)
        if unit is not None and (late or early):
            hedged = not ROUGHLY.isdisjoint(before.split()[-1:])
            yield SpanSaid(start, end, number * _in_minutes(unit), exact=not hedged), bool(late)


_UNIT_BEHIND = re.compile(r"\s*(?:full |whole |ganze |volle )?[^\W\d_]+(?<!late)(?<!early)")
_FAR = 48


def _lateness(table: Table, row: int, *, late: bool) -> Iterator[Decimal]:
    """How late a row was, in minutes: from the day it was due to the one it was done, or as a column says it."""
    due = [column for column in table.days if not _DUE.isdisjoint(column_roots(column))]
    others = [column for column in table.days if column not in due]
    done = [column for column in others if not _DONE.isdisjoint(column_roots(column))] or others
    expected = _day(table, row, due[0]) if len(due) == 1 else None
    actual = [_day(table, row, column) for column in done]
    apart = [(day - expected).days * _DAY for day in actual if day is not None and expected is not None]
    yield from apart
    for column in table.figures if late and not apart else ():
        if not _LATENESS.isdisjoint(column_roots(column)) and (value := value_at(table, row, column)) is not None:
            said = (part for part in words_in(words_of(column)) if unit_called(part))
            unit = unit_called(table.columns[column].unit or "") or unit_called(next(said, ""))
            if unit is not None:
                yield value * _in_minutes(unit)


def _described(clause: Scene, table: Table) -> int | None:
    """The row that a superlative describes: the longest one lasts an hour."""
    degrees = clause.degrees("superlative")
    return described_row(clause, table, degrees[0]) if len(degrees) == 1 and table.whole else None


def _spans(scene: Scene) -> Iterator[SpanSaid]:
    """One hour, ein Tag; and number words with a unit of time that are no figure of a cell."""
    for found in _ONE_UNIT.finditer(scene.folded):
        unit = unit_called(found["unit"] or found["of"] or "")
        start, end = scene.original(found.start(), found.end())
        named = any(one.start < end and start < one.end for one in (*scene.names, *scene.columns))
        if unit is not None and not named and _is_span(scene, found):
            yield SpanSaid(start, end, _in_minutes(unit), exact=False)
    for one in scene.every_figure:
        unit = one.meaning.unit
        timed = unit is not None and unit.dimension in ("time", "months")
        then = not _THEN.isdisjoint(scene.page.words[one.last + 1 : one.last + 3])
        if unit is None or not timed or then or one.figure.kind != "word" or one.figure.start in scene.bound:
            continue
        if not is_gap(scene, one) and one.figure.readings:
            yield SpanSaid(one.figure.start, one.figure.end, one.figure.readings[0] * _in_minutes(unit), exact=True)


def _is_span(scene: Scene, found: re.Match[str]) -> bool:
    """Whether `a day` is how long something takes; once a day is how often, and a day later is when."""
    before, behind = scene.folded[: found.start()].split()[-1:], scene.folded[found.end() :].split()[:1]
    if behind and behind[0].strip(".,;!") in _THEN:
        return False
    if found["sign"]:
        return scene.folded[: found.start()].endswith(_USED_UP)
    if found["one"] in ("a", "an"):
        return bool(before) and before[0] in _LEADS
    return not before or before[0] not in _NO_SPAN


def _in_minutes(unit: Unit) -> Decimal:
    return unit.factor / 60 if unit.dimension == "time" else unit.factor * _MONTH


def _minutes(scene: Scene, table: Table, row: int) -> Iterator[Decimal]:
    """How long something takes by a row: in a cell, or from one of its times to another; in the columns that are told, if any are."""
    told = {ref.column for one in scene.columns for ref in one.columns if ref.table == table.number}
    spans = list(spans_of_time(table, row, list(table.columns)))
    of_told = [one for one in spans if told & set(one.columns)]
    yield from (one.value for one in of_told or spans if not one.inclusive)
    if len(table.rows) == 1:
        quantity = (one for column in table.texts for one in quantities(str(table.rows[row][column] or ""), "en"))
        spoken = (one for one in quantity if one.unit is not None and one.unit.dimension in ("time", "months"))
        yield from (one.figure.readings[0] * _in_minutes(one.unit) for one in spoken if one.unit is not None)
    for dimension in ("time", "months"):
        columns = table.of_dimension.get(dimension, ())
        for column in [one for one in columns if one in told] or columns:
            unit = unit_called(table.columns[column].unit or "") or table.unit_of_texts(column)
            value = value_at(table, row, column)
            if unit is not None and value is not None:
                yield value * _in_minutes(unit)


def _is_so_long(before: str, said: SpanSaid, minutes: Decimal) -> bool:
    if cue("less_than").search(before) or _WITHIN.search(before):
        return minutes <= said.minutes
    if cue("more_than").search(before) and not _AFTER.search(before):
        return minutes > said.minutes
    near = said.minutes * _CLOSE if not said.exact or said.minutes >= 7 * _DAY else Decimal(0)
    return abs(minutes - said.minutes) <= near


_WITHIN = re.compile(r"(?<![a-z])(?:within|innert|innerhalb(?: von)?|binnen|in less than)\s*$|不到$|之内$")
_AFTER = re.compile(r"(?<![a-z])(?:after|nach)\s*$")


# --- weekdays


_DAYS = {name: number for names in WEEKDAYS for number, name in enumerate(names) if len(name) != 3}
_WEEKDAY = re.compile(
    rf"(?<![a-z])(?P<latin>{'|'.join(name for name in _DAYS if name.isascii())})s?(?![a-z])|(?P<sign>(?:周|星期)[一二三四五六日天])"
)
_SAME_DAY = re.compile(
    r"(?<![a-z])(?:(?:on )?the (?:very )?same day|am (?:selben|gleichen) tag|same-day|taggleich)(?![a-z])|同一?天|当天|当日"
)
_BESIDE = 4
_APPOSED = re.compile(r",\s*(?:a|an|ein|einem|einen|am)\s*$", re.IGNORECASE)


def weekdays_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Came in on a Friday`, `on Saturday, 31 January 2026`, `done on the same day`: as the days of the row say."""
    table = scene.table
    if table is None or (_WEEKDAY.search(scene.folded) is None and _SAME_DAY.search(scene.folded) is None):
        return
    rows = {row for _one, row in scene.subjects(table)} or ({0} if len(table.rows) == 1 else set())
    for found in _WEEKDAY.finditer(scene.folded):
        start, end = scene.original(*found.span())
        if any(one.start < end and start < one.end for one in (*scene.names, *scene.columns)):
            continue
        number = _DAYS["周" + found["sign"][-1].replace("天", "日")] if found["sign"] else _DAYS[found["latin"]]
        days = list(_days_beside(scene, start, end)) or (
            list(_days_of(scene, table, next(iter(rows)), start)) if len(rows) == 1 else []
        )
        if days:
            right = any(day.weekday() == number for day in days)
            yield CheckedStatement("supported" if right else "contradicted", (start, end), "comparison")
    same = _SAME_DAY.search(scene.folded)
    if same is not None and len(rows) == 1 and len(table.days) == 2:
        both = [cell for column in table.days if (cell := _day(table, next(iter(rows)), column)) is not None]
        if len(both) == 2:
            span = scene.original(*same.span())
            yield CheckedStatement("supported" if both[0] == both[1] else "contradicted", span, "comparison")


def _days_beside(scene: Scene, start: int, end: int) -> Iterator[date]:
    """The day that stands right behind a weekday, or before it: read on 2 October, a Thursday."""
    line = scene.line
    for one in scene.page.text_figures.all:
        near = 0 <= one.start - end <= _BESIDE or 0 <= start - one.end <= _BESIDE
        apposed = 0 <= start - one.end <= 6 * _BESIDE and _APPOSED.search(scene.page.text, one.end, start) is not None
        if one.dates and line.start <= one.start < line.end and (near or apposed):
            yield from one.dates


def _days_of(scene: Scene, table: Table, row: int, start: int) -> Iterator[date]:
    """The days of a row: of the column that is said in the same part of the sentence, or of all."""
    page = scene.page
    segment = page.segments[page.tokens.at(start)]
    beside = [one for one in scene.columns if page.segment(one) == segment]
    told = [
        ref.column for one in beside for ref in one.columns if ref.table == table.number and ref.column in table.days
    ]
    days = (_day(table, row, column) for column in told or table.days)
    yield from (day for day in days if day is not None)


def _day(table: Table, row: int, column: str) -> date | None:
    return next((day for day, rows in table.days[column].items() if row in rows), None)
