"""Differences: by how much one row is more than another, and which part of a total it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.changes import is_said_period
from veracity.grounding.statements.scene import (
    CheckedStatement,
    Scene,
    fits,
    is_dated,
    judged,
    value_at,
    values_of,
)
from veracity.grounding.statements.superlatives import end_of
from veracity.language.folding import listed

_EARLIER = (["before"], ["vor"], ["earlier"], ["after"], ["nach"], ["later"])
_HUNDRED, _YEAR = Decimal(100), Decimal(12)
_ABOUT = Decimal("0.04")
"""A third is between 29 % and 37 %."""


def differences_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`6 points ahead of`, `6,450 less than in 2021`: the difference of two rows that are named."""
    table = scene.table
    others = scene.compared(table) if table is not None else []
    if table is None:
        return
    own = [row for _mention, row in scene.subjects(table) if row not in others]
    if (
        not others
        and (found := scene.says("behind") or scene.says("ahead")) is not None
        and found.group().split()[0] in ("ahead", "behind", "clear", "hinter")
    ):
        rows = [row for _mention, row in scene.subjects(table)]
        own, others = rows[:1], rows[1:2]
    between = not others and scene.has("gap")
    if between:
        rows = list(dict.fromkeys(row for _mention, row in scene.subjects(table)))
        own, others = (rows[:1], rows[1:]) if len(rows) == 2 else ([], [])
    later = not others and not between and scene.has("later", "earlier")
    beats = not others and not between and scene.has("beats")
    if later or beats:
        rows = list(dict.fromkeys(row for _mention, row in scene.subjects(table)))
        own, others = (rows[:1], rows[1:]) if len(rows) == 2 else ([], [])
    if len(own) == 1 and len(set(others)) > 1:
        yield from _differ_each(scene, table, own[0])
        return
    if len(own) != 1 or len(set(others)) != 1 or not (between or later or beats or scene.has("ahead", "behind")):
        return
    columns = scene.measured(table) or scene.of_units(table) or scene.ordered(table)
    for one in scene.every_figure:
        bound = scene.bound.get(one.figure.start)
        settled = bound is not None and bound.provenance.status == "bound"
        if (
            settled
            or not one.figure.readings
            or is_said_period(one, scene)
            or (bound is None and not is_gap(scene, one))
        ):
            continue
        # Older is a lower year: which of the two is older is compared elsewhere.
        ways = {
            column: None
            if between or (is_dated(table, column) and not later)
            else _is_more(scene, table, column, later=later, beats=beats)
            for column in columns
        }
        held = [c for c in columns if _differs(table, c, own[0], others[0], one, higher=ways[c])]
        settles = frozenset({one.figure.start})
        if held:
            yield CheckedStatement("supported", scene.span, "difference", settles=settles)
        elif bound is None:
            yield CheckedStatement("contradicted", (one.figure.start, one.figure.end), "comparison")
    if later:
        yield from _times_apart(scene, table, own[0], others[0])


def _differ_each(scene: Scene, table: Table, own: int) -> Iterator[CheckedStatement]:
    """`50 more than A and 110 more than B`: each figure against the row that is compared behind it."""
    compared = [one for one in scene.names if one.compared and len(scene.rows(one, table)) == 1]
    columns = scene.measured(table) or scene.ordered(table)
    for one in scene.every_figure:
        other = next((name for name in compared if name.start > one.figure.start), None)
        if other is None or scene.is_bound(one) or not one.figure.readings or is_said_period(one, scene):
            continue
        row = next(iter(scene.rows(other, table)))
        part = scene.part(one.figure.start, other.end)
        more = part.has("ahead") and not part.has("behind")
        if any(_differs(table, column, own, row, one, higher=more) for column in columns):
            yield CheckedStatement("supported", scene.span, "difference", settles=frozenset({one.figure.start}))


def is_gap(scene: Scene, one: SaidFigure) -> bool:
    """Whether a number word says by how much one is more: acht mehr als, three goals fewer than."""
    if not one.figure.readings or any(column.start <= one.figure.start < column.end for column in scene.columns):
        return False
    behind = range(one.last + 1, min(one.last + 3, scene.line.last))
    near = [at for at in behind if scene.page.segments[at] == scene.page.segments[one.last]]
    return not _MORE.isdisjoint(scene.page.words[at] for at in near) and one.figure.readings[0] > 1


_MORE = listed(
    "ahead behind more fewer less mehr weniger higher lower hoeher tiefer longer shorter laenger kuerzer older younger 多 少"
)


def _times_apart(scene: Scene, table: Table, own: int, other: int) -> Iterator[CheckedStatement]:
    """`two years before`, `two days after`: so much lies between two rows, in a column of years or of days."""
    years = [column for column in table.columns if table.holds_years(column)]
    for one in scene.every_figure if years or table.days else ():
        unit, behind = one.meaning.unit, scene.page.words[one.last + 2 : one.last + 3]
        if unit is None or unit.dimension not in ("months", "time") or behind not in _EARLIER:
            continue
        yearly = unit.dimension == "months" and unit.factor == _YEAR
        columns = years if yearly else list(table.days) if unit.dimension == "time" else []
        size = Decimal(1) if yearly else unit.factor / 60
        sign = -1 if behind in _EARLIER[:3] else 1
        both = ((value_at(table, own, column), value_at(table, other, column)) for column in columns)
        held = [
            fits(one.figure, sign * (first - second) / size) for first, second in both if first is not None and second
        ]
        settles = frozenset({one.figure.start})
        yield from judged((one.figure.start, one.figure.end), held, sure=True, key="comparison", settles=settles)


def _is_more(scene: Scene, table: Table, column: str, *, later: bool, beats: bool) -> bool:
    """Whether the row that the sentence is about is said to be the higher one."""
    if later:
        return scene.has("later")
    if said := scene.compared_so():
        return end_of(said[-1].adjective, table, column) == "high"
    return beats or (scene.has("ahead") and not scene.has("behind"))


def _differs(table: Table, column: str, row: int, other: int, said: SaidFigure, *, higher: bool | None) -> bool:
    """Whether two rows differ by so much; `higher` says which of them is more, where that is said."""
    one, two = value_at(table, row, column), value_at(table, other, column)
    if one is None or two is None or (higher is not None and (one > two) != higher):
        return False
    if said.figure.percent:
        return bool(two) and fits(said.figure, abs(one - two) / abs(two) * _HUNDRED)
    return fits(said.figure, abs(one - two))


_OF_ALL = re.compile(
    r"(?:%|percent|prozent) (?:of (?:all|the total|total|the whole)|aller|der gesamt\w*|des gesamt\w*|von allen)(?![a-z])"
)


def shares_of_total_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """`Geneva accounts for 31 % of total revenue`: the value of a row over the sum of its column."""
    table = scene.table
    of_column = table is not None and any(
        of_column_said(scene, table, one) for one in scene.figures if one.figure.percent
    )
    share = (
        of_column or scene.has("share") or _OF_ALL.search(scene.folded) or (scene.has("total") and "%" in scene.text)
    )
    if table is None or not table.whole or not share:
        return
    rows = {row for _mention, row in scene.subjects(table)}
    columns = [column for column in (scene.measured(table) or scene.ordered(table)) if table.columns[column].numeric]
    for one in scene.figures:
        bound = scene.bound.get(one.figure.start)
        if not one.figure.percent or len(rows) != 1 or bound is None:
            continue
        clause = next((one_ for one_ in scene.clauses if one_.line.start <= one.figure.start < one_.line.end), scene)
        meant = [c for c in (clause.measured(table) or scene.ordered(table)) if table.columns[c].numeric]
        meant = of_column_said(scene, table, one) or (meant if clause is not scene else columns)
        held = [_share(table, column, next(iter(rows)), one) for column in meant]
        if any(held):
            yield CheckedStatement("supported", scene.span, "share", settles=frozenset({one.figure.start}))
        elif held and not of_column:
            yield CheckedStatement("contradicted", (one.figure.start, one.figure.end), "share")
    part = scene.fraction[1] if scene.fraction is not None else None
    if part is not None and len(rows) == 1 and scene.has("share"):
        row = next(iter(rows))
        parts = [_part_of_total(table, column, row) for column in columns]
        held = [known is not None and abs(known - part) <= _ABOUT for known in parts]
        yield from judged(scene.span, held, sure=bool(scene.measured(table)), key="share")


_OF_A_COLUMN = re.compile(r"\s*%?\s*(?:(?:of the|of|der|des|vom)\s(?:[a-zäöü]+\s){0,2}|的)", re.IGNORECASE)


def of_column_said(scene: Scene, table: Table, one: SaidFigure) -> list[str]:
    """The columns that a share is said of: 59 % of the June output."""
    text, end = scene.page.text, one.figure.end
    behind = (column for column in scene.columns if column.start >= end)
    said = next((column for column in behind if _OF_A_COLUMN.fullmatch(text, end, column.start)), None)
    refs = said.columns if said is not None else ()
    told = [ref.column for ref in refs if ref.table == table.number and ref.column in table.figures]
    return scene.of_year([column for column in told if table.columns[column].numeric], table)


def _share(table: Table, column: str, row: int, one: SaidFigure) -> bool:
    part = _part_of_total(table, column, row)
    return part is not None and fits(one.figure, part * _HUNDRED)


def _part_of_total(table: Table, column: str, row: int) -> Decimal | None:
    """The value of a row over the sum of its column."""
    values = values_of(table, column)
    whole = sum(values.values(), Decimal(0))
    return values[row] / whole if row in values and whole != 0 else None
