"""Sentences about groups of rows or a whole year, read over a result that has these as rows or columns: Leeds delivered the most parcels.

What a group comes to stands in no cell where a tool returned single rows, nor does a year where it returned quarters. Taken together, they are a
result like any other, and a sentence is held against it by the same checks. Nothing is added up of which the name says that it does not add up.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from veracity.answer.results import Result
from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.foreign_results import foreign_results
from veracity.grounding.binding.name_forms import is_average
from veracity.grounding.binding.period_names import order_in_time
from veracity.grounding.binding.tables import Table
from veracity.grounding.contracts import GroundedColumn, GroundedResult
from veracity.grounding.statements.cell_values import holds_months, is_dated, values_of
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.grounding.statements.whole_sentences import TextRead
from veracity.ontology.draft.names import says, split, words_for

_MOST_ROWS, _FEWEST_ROWS = 5_000, 3
_MOST_SENTENCES = 8
"""So many sentences of one text are read over groups."""
_BEFORE = 3
"""Lines that may say what a sentence is about."""
_NOT_ADDED = ("never_adds", "averages", "ratings", "years")

ReadOver = Callable[[str, Mapping[str, Result]], TextRead]
"""Reads a text over other results than those of the answer."""


def read_taken_together(read: TextRead, read_over: ReadOver) -> list[CheckedStatement]:
    """The statements of a text, with those of sentences replaced that were read as a whole over rows or times taken together."""
    if all(table.result.described for table in read.page.tables):
        return list(read.statements)
    bound = {one.figure.start: one for one in read.bound}
    starts = [line.start for line in read.page.lines]
    told: dict[int, list[CheckedStatement]] = {}
    for one in read.statements:
        told.setdefault(bisect_right(starts, one.span[0]) - 1, []).append(one)
    tried = 0
    for at, line in enumerate(read.page.lines):
        scene = Scene(read.page, line, bound)
        if tried == _MOST_SENTENCES or not (_is_open(scene, told.get(at, [])) or _is_ranked_over_year(scene)):
            continue
        coarser = list(_coarser_times(scene))  # What a month says of a quarter is no evidence against it.
        together = [*coarser, *_groups_named(scene), *_whole_times(scene)]
        tried += bool(together)
        again = (
            _again(read, at, read_over(_text(read, at), results), scene, apart=number < len(coarser))
            for number, results in enumerate(together)
        )
        if (found := next((one for one in again if one is not None), None)) is not None:
            told[at] = found
    return [one for inside in told.values() for one in inside]


def _is_ranked_over_year(scene: Scene) -> bool:
    """Whether something is the highest over a whole year, not in its best quarter."""
    return _WHOLE_YEAR.search(scene.folded) is not None and bool(scene.degrees("superlative"))


def _is_open(scene: Scene, told: list[CheckedStatement]) -> bool:
    """Whether something in a sentence was not borne out."""
    settled = {start for one in told if one.truth == "supported" for start in one.settles}
    figures = (one for one in scene.figures if not scene.is_bound(one) and one.figure.start not in settled)
    return any(one.truth != "supported" for one in told) or next(figures, None) is not None


def _groups_named(scene: Scene) -> Iterator[Mapping[str, Result]]:
    """The results by what some of their rows have in common, where the sentence names it."""
    for table in scene.page.tables:
        if table.result.described or not table.whole or not _FEWEST_ROWS <= len(table.rows) <= _MOST_ROWS:
            continue
        named = [scene.refs_meant(one, table) for one in scene.names]
        columns = dict.fromkeys(
            ref.column for refs in named for ref in refs if 1 < len(scene.page.index.rows(ref)) < len(table.rows)
        )
        # What the groups do not tell narrows them down: the power banks in the south.
        each = scene.has("all") and _OF_ALL.search(scene.folded) is None
        quantified = each or scene.has("none", "only", "negated")
        for column in columns if not quantified else ():
            grouped = _grouped(table, column)
            left = {one.name for one in grouped.columns}
            told = [{ref.column for ref in one.columns if ref.table == table.number} for one in scene.columns]
            measured = (refs & set(table.figures) for refs in told)
            if all(refs & left for refs in measured if refs) and all(
                any(ref.column == column for ref in refs) for refs in named if refs
            ):
                yield foreign_results([grouped])


_OF_ALL = re.compile(r"%|(?<![a-z])in all(?![a-z])|percent|prozent")
"""24 % of all parcels, 2,667 in all."""
_WHOLE_YEAR = re.compile(
    r"(?<![a-z])(?:(?:whole|full|entire|all) year|annual(?:ly)?|year-?round|(?:ganze[nrs]?|gesamte[ns]?) jahr|jaehrlich)(?![a-z])|全年|整年"
)
_WHOLE = re.compile(
    rf"{_WHOLE_YEAR.pattern}|(?<![a-z])(?:(?:over the|for the|of the|in the|a|per) year|(?:uebers|im|pro) jahr|altogether|overall|combined|in total|in all|total|"
    r"insgesamt|zusammen|gesamthaft)(?![a-z])|总|合计|累计"
)
"""The whole year, insgesamt."""


def _whole_times(scene: Scene) -> Iterator[Mapping[str, Result]]:
    """The results with the sum of all times of a measure in their place, where the sentence speaks of the whole."""
    for table in scene.page.tables if _WHOLE.search(scene.folded) else ():
        every = scene.page.index.families.get(table.number, {})
        families = {
            rest: family
            for rest, family in every.items()
            if len(family) > 2 and _adds_up(table, family[0]) and not says(split(rest), "levels")
        }
        if families and not table.result.described and len(table.rows) <= _MOST_ROWS:
            yield foreign_results([_summed(table, families)])


_QUARTER = re.compile(
    r"(?<![a-z0-9])q[1-4](?![a-z0-9])|(?<![a-z])(?:quarters?|quartal\w{0,2}|vorquartal\w{0,2})(?![a-z])|季度?"
)
_HALF = re.compile(
    r"(?<![a-z0-9])h[12](?![a-z0-9])|(?<![a-z])(?:first|second|1st|2nd) half|half[- ]year|halbjahr|[上下]半年"
)
_MONTHS_OF = ((_QUARTER, "quarter", "Q", 3), (_HALF, "half", "H", 6))


def _coarser_times(scene: Scene) -> Iterator[Mapping[str, Result]]:
    """The results by quarter or half year, where they have months or days and the sentence speaks of such a time."""
    for pattern, name, letter, months in _MONTHS_OF if any(one[0].search(scene.folded) for one in _MONTHS_OF) else ():
        for table in scene.page.tables if pattern.search(scene.folded) else ():
            if table.result.described or not table.whole or not _FEWEST_ROWS <= len(table.rows) <= _MOST_ROWS:
                continue
            timed = next((one for one in table.columns if one in table.days or holds_months(table, one)), None)
            told = _rows_told(scene, table, timed) if timed is not None else frozenset[int]()
            groups: dict[str, set[int]] = {}
            for row in sorted(told):
                if timed is not None and (month := _month_of(table.rows[row][timed])) is not None:
                    groups.setdefault(f"{month[0]}-{letter}{(month[1] - 1) // months + 1}", set()).add(row)
            if timed is not None and timed not in table.days:
                groups = {each: rows for each, rows in groups.items() if len(rows) % months == 0}
            if groups:
                yield foreign_results([_by_time(table, name, groups)])


def _rows_told(scene: Scene, table: Table, timed: str) -> frozenset[int]:
    """The rows that the names of a sentence tell, but for times."""
    rows = frozenset(range(len(table.rows)))
    for one in scene.names:
        if any(ref.column != timed for ref in scene.refs(one, table)):
            rows &= scene.rows(one, table) or rows
    return rows


def _month_of(cell: object) -> tuple[int, int] | None:
    """Year and month of a day or of a month as it is written."""
    if isinstance(cell, date):
        return cell.year, cell.month
    found = _YEAR_MONTH.fullmatch(order_in_time(str(cell).strip()))
    return (int(found[1]), int(found[2])) if found is not None else None


_YEAR_MONTH = re.compile(r"([12][0-9]{3})-(0[1-9]|1[0-2])")


def _by_time(table: Table, name: str, groups: Mapping[str, set[int]]) -> GroundedResult:
    """One row for each time: what the columns come to that add up."""
    added = {one: values_of(table, one) for one in table.figures if table.columns[one].numeric and _adds_up(table, one)}
    rows = [
        {name: each}
        | {one: sum((values[at] for at in members if at in values), Decimal(0)) for one, values in added.items()}
        for each, members in groups.items()
    ]
    columns = tuple(GroundedColumn(name=one) for one in (name, *added))
    return GroundedResult(id=table.result.data.result_id, columns=columns, rows=tuple(rows), key=(name,))


def _summed(table: Table, families: Mapping[str, Sequence[str]]) -> GroundedResult:
    """One column for all times of a measure, which is called by the measure."""
    values = {rest: [values_of(table, column) for column in family] for rest, family in families.items()}
    timed = {column for family in families.values() for column in family}
    rows = []
    for at, cells in enumerate(table.rows):
        row: dict[str, object] = {name: cell for name, cell in cells.items() if name not in timed}
        for rest, times in values.items():
            row[rest] = sum((one[at] for one in times), Decimal(0)) if all(at in one for one in times) else None
        rows.append(row)
    names = [name for name in table.columns if name not in timed] + list(families)
    columns = tuple(GroundedColumn(name=name) for name in dict.fromkeys(names))
    return GroundedResult(id=table.result.data.result_id, columns=columns, rows=tuple(rows), key=table.result.key)


def _grouped(table: Table, column: str) -> GroundedResult:
    """One row for each value of a column: how many rows have it, and what the columns come to that add up."""
    groups = table.values[column]
    added = {
        name: values
        for name in table.figures
        if name != column
        and all(table.adds_up(name, rows) for rows in groups.values())
        and table.columns[name].numeric
        and _adds_up(table, name)
        and (values := values_of(table, name))
    }
    counted = _counted(table, column)
    rows = []
    for value, members in groups.items():
        row: dict[str, object] = {column: value}
        row |= {counted: len(members)} if counted else {}
        row |= {name: sum((values[at] for at in members if at in values), Decimal(0)) for name, values in added.items()}
        rows.append(row)
    names = (column, *((counted,) if counted else ()), *added)
    return GroundedResult(
        id=table.result.data.result_id,
        columns=tuple(GroundedColumn(name=name) for name in names),
        rows=tuple(rows),
        key=(column,),
    )


def _adds_up(table: Table, column: str) -> bool:
    words = split(column)
    if column in table.rates or is_dated(table, column) or is_average(column) or table.holds_years(column):
        return False
    return not any(says(words, which) for which in _NOT_ADDED)


def _counted(table: Table, column: str) -> str:
    """What a column of the number of rows is called: by what the key of the rows identifies."""
    key = table.result.key[0] if len(table.result.key) == 1 else ""
    codes = words_for("codes") | words_for("identifiers")
    words = [word for word in split(key) if word not in codes] if key and key != column else []
    return f"number of {words[-1]}" if words and words[-1].isascii() else ""


def _text(read: TextRead, at: int) -> str:
    return read.page.text[read.page.lines[max(0, at - _BEFORE)].start : read.page.lines[at].end]


def _is_contradicted(read: TextRead, scene: Scene) -> bool:
    """Whether the rows one by one say otherwise; which share their number is of all rows is another question."""
    inside = [one for one in read.statements if scene.line.start <= one.span[0] < scene.line.end]
    wrong = {one.key for one in inside if one.truth == "contradicted"}
    settled = {start for one in inside for start in one.settles}
    figures = (one for one in scene.figures if not scene.is_bound(one) and one.figure.start not in settled)
    if "share" in wrong or "%" in scene.text:
        return bool(wrong - {"share", "all"})  # 24 % of all parcels says nothing of each of them.
    return bool(wrong) or next(figures, None) is not None


def _again(read: TextRead, at: int, again: TextRead, scene: Scene, *, apart: bool) -> list[CheckedStatement] | None:
    """The statements of a sentence as they are over groups, in the places of the whole text; nothing where something stays open."""
    first = read.page.lines[max(0, at - _BEFORE)].start
    begins = scene.line.start - first
    inside = [one for one in again.statements if one.span[1] > begins]
    figures = [one for one in again.bound if one.figure.start >= begins]
    several = not apart and len({ref.value for one in scene.names for ref in one.names}) > 1
    if any(one.truth == "not_checkable" for one in inside) or not (inside or (figures and not several)):
        return None
    settled = {start for one in inside if one.truth == "supported" for start in one.settles}
    wrong = any(one.provenance.status != "bound" and one.figure.start not in settled for one in figures)
    if any(one.figure.start - first not in settled for one in _numbers_said(scene, again)):
        return None  # A leads with five, B has four.
    every = frozenset(one.figure.start + first for one in figures)
    if not wrong and all(one.truth == "supported" for one in inside):
        return (
            None
            if not apart and _is_contradicted(read, scene)
            else [CheckedStatement("supported", scene.span, "reckoning", settles=every)]
        )
    told = {truth: {one.key for one in inside if one.truth == truth} for truth in ("supported", "contradicted")}
    if (wrong and several) or told["supported"] & told["contradicted"]:
        return None  # A figure may be that of the other group.
    known = {one.figure.start for one in read.bound if one.provenance.status in ("bound", "ambiguous")}
    if any(one.provenance.status != "bound" and one.figure.start + first in known for one in figures):
        return None  # A figure is that of a single row: the largest invoice is one, not what a customer was billed.
    right = (one.figure for one in figures if one.provenance.status == "bound")
    moved = [(one, (one.span[0] + first, one.span[1] + first)) for one in inside]
    return [
        *(replace(one, span=span, settles=frozenset(start + first for start in one.settles)) for one, span in moved),
        *(_borne_out((one.start + first, one.end + first)) for one in right),
    ]


def _numbers_said(scene: Scene, again: TextRead) -> Iterator[SaidFigure]:
    """The number words of a sentence that are neither how many groups there are nor how many are named."""
    known = {1, len(scene.names), *(len(table.rows) for table in again.page.tables)}
    for one in scene.every_figure:
        plain = one.figure.kind == "word" and one.meaning.unit is None and one.figure.start not in scene.bound
        if plain and one.figure.readings and one.figure.readings[0] not in known:
            yield one


def _borne_out(span: tuple[int, int]) -> CheckedStatement:
    return CheckedStatement("supported", span, "reckoning", settles=frozenset({span[0]}))
