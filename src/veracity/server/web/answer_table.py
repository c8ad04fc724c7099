"""The rows of a semantic query on a page: a table to sort, and the charts that it can be shown as."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from veracity.answer.results import digest
from veracity.ask.ran_reading import as_result
from veracity.semantic.checking.plan import PlainFigure, figure_of
from veracity.semantic.editing import as_asked
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate
from veracity.semantic.result import SemanticResult
from veracity.semantic.wording.read_back import read_back, sentence
from veracity.semantic.wording.table import WordedRow, WordedTable, worded_table
from veracity.server.web.charts import Bars, bars_between
from veracity.server.web.drawing import COLOURS, ChartKind, ChartSeries, DrawnChart, svg_of
from veracity.server.web.edits import key_of

if TYPE_CHECKING:
    from veracity.answer.answer import SourceQuery

MOST_ROWS = 100
"""Rows that a page shows; the file has all of them."""
_FEWEST, _MOST_BARS, _MOST_POINTS, _MOST_ON_A_LINE = 2, 24, 120, 3
TABLE = "table"


@dataclass(frozen=True, slots=True)
class TableHeading:
    """A column of the table, and how it is sorted now."""

    label: str
    unit: str
    number: bool
    place: int
    order: str = "none"
    """none, ascending or descending."""

    @property
    def next_order(self) -> str:
        """What a click does."""
        first, second = ("desc", "asc") if self.number else ("asc", "desc")
        return second if self.order == {"desc": "descending", "asc": "ascending"}[first] else first


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of the table."""

    cells: tuple[str, ...]
    key: str = ""
    """What tells its group apart, where something can be done with it."""


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """The rows of an answer, for a page."""

    result: str
    headings: tuple[TableHeading, ...]
    rows: tuple[TableRow, ...]
    groups: tuple[TableRow, ...]
    """The rows in the order of the chart."""
    count: int
    truncated: bool
    changed: bool
    kinds: tuple[str, ...]
    """How it can be shown."""
    kind: str
    chart: DrawnChart | None
    caption: str
    sort: str

    @property
    def bars(self) -> Bars | None:
        """A ranking, which stands on the page as rows of text with a bar each."""
        if self.chart is None or self.kind != "bars" or len(self.chart.series) != 1:
            return None
        one = self.chart.series[0]
        return bars_between(self.chart.title, self.chart.categories, one.texts, one.values)

    @property
    def svg(self) -> str:
        """Any other chart."""
        return svg_of(self.chart) if self.chart is not None else ""


def answer_table(
    found: SemanticResult, source: SourceQuery, model: SemanticModel, *, lang: str, locale: str, kind: str, sort: str
) -> AnswerTable:
    """A result as a page shows it: `kind` and `sort` as somebody chose them, or nothing."""
    table = worded_table(found, model, lang, locale)
    title = sentence(read_back(as_asked(found.query), model, lang))
    charts = charts_of(table, found, model, title=title, locale=locale)
    place, _, way = sort.partition(".")
    sorted_by = int(place) if place.isdigit() and int(place) < len(table.columns) and way in ("asc", "desc") else None
    rows = table.rows if sorted_by is None else _sorted(table.rows, sorted_by, descending=way == "desc")
    kinds = (*charts, TABLE) if charts else ()
    chosen = kind if kind in kinds else next(iter(kinds), TABLE)
    order = {sorted_by: "descending" if way == "desc" else "ascending"}
    headings = tuple(
        TableHeading(one.label, one.unit, one.figures, place, order.get(place, "none"))
        for place, one in enumerate(table.columns)
    )
    chart = charts.get(chosen)  # type: ignore[call-overload]
    return AnswerTable(
        result=source.result,
        headings=headings,
        rows=tuple(_row(row, table, found) for row in rows[:MOST_ROWS]),
        groups=tuple(_row(row, table, found) for row in table.rows) if chart else (),
        count=len(found.rows),
        truncated=found.truncated,
        changed=digest(as_result(found, source.result).data) != source.digest,
        kinds=kinds,
        kind=chosen,
        chart=chart,
        caption=chart.caption if chart else "",
        sort=sort if sorted_by is not None else "",
    )


def _row(row: WordedRow, table: WordedTable, found: SemanticResult) -> TableRow:
    cells = tuple(
        cell.text if column.unit or not column.figures else cell.text_with_unit
        for cell, column in zip(row.cells, table.columns, strict=True)
    )
    grouped = any(not one.apart for one in found.query.by)
    key = json.dumps(key_of(found, found.rows[row.place]), ensure_ascii=False) if grouped else ""
    return TableRow(cells, key)


def _sorted(rows: tuple[WordedRow, ...], place: int, *, descending: bool) -> tuple[WordedRow, ...]:
    """By the values of a column; what has none stands last either way."""

    def value(row: WordedRow) -> tuple[Decimal, str]:
        cell = row.cells[place]
        number = cell.number
        return (number, "") if number is not None else (Decimal(0), cell.text.casefold())

    known = [row for row in rows if row.cells[place].value is not None]
    unknown = [row for row in rows if row.cells[place].value is None]
    return (*sorted(known, key=value, reverse=descending), *unknown)


# --- which charts


def charts_of(
    table: WordedTable, found: SemanticResult, model: SemanticModel, *, title: str, locale: str
) -> dict[ChartKind, DrawnChart]:
    """The charts that say more than the table alone, the fittest first."""
    rows, divided = table.rows, table.divisions
    figures = [n for n in table.figures if table.columns[n].unit == table.columns[table.figures[0]].unit]
    if not _FEWEST <= len(rows) <= _MOST_POINTS or found.truncated or found.query.lists or not figures:
        return {}
    if any(cell.unit and not table.columns[n].unit for row in rows for n in figures for cell in (row.cells[n],)):
        return {}  # amounts in several units are not compared by length
    made: dict[ChartKind, DrawnChart] = {}
    for kind in _kinds(table, found, model):
        made[kind] = _of_two(table, kind, locale) if len(divided) == 2 else _of_one(table, kind, found, locale)
    return {kind: replace(chart, title=title) for kind, chart in made.items() if _says_something(chart)}


def _kinds(table: WordedTable, found: SemanticResult, model: SemanticModel) -> tuple[ChartKind, ...]:
    names, count = table.divisions, len(table.rows)
    timed = [n for n in names if table.columns[n].over_time]
    if len(names) == 1 and found.query.compare is not None:
        return ("grouped",) if count <= _MOST_BARS else ()
    if len(names) == 1 and timed:
        return ("line", "grouped") if count >= _MOST_ON_A_LINE else ("grouped",)
    if len(names) == 1:
        return ("bars",) if count <= _MOST_BARS else ()
    if len(names) != 2 or len({row.cells[_series_place(table)].name for row in table.rows}) > len(COLOURS):
        return ()
    stacks: tuple[ChartKind, ...] = ("stacked",) if _stacks(table, found, model) else ()
    return (*stacks, "grouped", *(("line",) if timed else ()))


def _stacks(table: WordedTable, found: SemanticResult, model: SemanticModel) -> bool:
    """Whether the parts of a bar add up: sums or counts of rows that are in one group each, none below 0."""
    figure = figure_of(found.query.show[0], found.query.of or "", model)
    if not isinstance(figure, PlainFigure) or figure.aggregate not in (Aggregate.SUM, Aggregate.COUNT):
        return False
    if figure.snapshot or found.overlapping or found.query.show[0].transform:
        return False
    return all((row.cells[table.figures[0]].number or 0) >= 0 for row in table.rows)


def _series_place(table: WordedTable) -> int:
    """Of two things that rows are divided by, the one that becomes colours: never the time, else the one with fewer values."""
    first, second = table.divisions
    if table.columns[first].over_time != table.columns[second].over_time:
        return second if table.columns[first].over_time else first
    sizes = {place: len({row.cells[place].name for row in table.rows}) for place in (first, second)}
    return second if sizes[second] <= sizes[first] else first


def _of_one(table: WordedTable, kind: ChartKind, found: SemanticResult, locale: str) -> DrawnChart:
    first = table.figures[0]
    compared = table.figures[:2] if found.query.compare is not None else (first,)
    series = tuple(
        ChartSeries(
            table.columns[n].label,
            tuple(row.cells[n].number for row in table.rows),
            tuple(row.cells[n].text for row in table.rows),
        )
        for n in compared
    )
    column = table.columns[first]
    return DrawnChart(kind, column.label, column.unit, tuple(row.name for row in table.rows), series, locale)


def _of_two(table: WordedTable, kind: ChartKind, locale: str) -> DrawnChart:
    colours = _series_place(table)
    along = next(n for n in table.divisions if n != colours)
    rows = (
        sorted(table.rows, key=lambda row: row.place) if not table.columns[along].over_time else _in_time(table, along)
    )
    categories = tuple(dict.fromkeys(row.cells[along].name for row in rows))
    names = tuple(dict.fromkeys(row.cells[colours].name for row in table.rows))
    figure = table.figures[0]
    cells = {(row.cells[colours].name, row.cells[along].name): row.cells[figure] for row in table.rows}
    series = tuple(
        ChartSeries(
            name,
            tuple(cell.number if (cell := cells.get((name, one))) else None for one in categories),
            tuple(cell.text if (cell := cells.get((name, one))) else "–" for one in categories),
        )
        for name in names
    )
    column = table.columns[figure]
    return DrawnChart(kind, column.label, column.unit, categories, series, locale)


def _in_time(table: WordedTable, along: int) -> list[WordedRow]:
    return sorted(table.rows, key=lambda row: str(row.cells[along].value))


def _says_something(chart: DrawnChart) -> bool:
    known = [value for one in chart.series for value in one.values if value is not None]
    return len(known) >= _FEWEST and len(set(known)) > 1 and len(set(chart.categories)) == len(chart.categories)
