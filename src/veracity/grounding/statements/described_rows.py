"""Rows that a superlative describes instead of a name: the heaviest shipment weighs 2.31 t and has 8 pallets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.grounding.binding.answer_page import SaidFigure
from veracity.grounding.binding.figure_meaning import table_says
from veracity.grounding.binding.tables import Table
from veracity.grounding.statements.cell_values import sorted_values, values_of
from veracity.grounding.statements.cues import Degree
from veracity.grounding.statements.scene import CheckedStatement, Scene
from veracity.grounding.statements.superlatives import end_of

_LEADS = re.compile(r"(?:^|[,;:] ?)(?:the|der|die|das|our|unser\w*|with the|mit dem|mit der)? ?$")
_ENDS = 2


def described_rows_hold(scene: Scene) -> Iterator[CheckedStatement]:
    """The figures of a sentence, or of a part of it, without a name are those of the row that its superlative describes."""
    table = scene.table
    if table is None or len(table.rows) < _ENDS or not table.whole or not scene.degrees("superlative"):
        return
    for part in scene.clauses:
        named = any(part.rows(one, table) for one in part.names)
        if not named and not part.has("negated", "only", "total", "average"):
            yield from _described_hold(part, table)


def _described_hold(scene: Scene, table: Table) -> Iterator[CheckedStatement]:
    degrees = scene.degrees("superlative")
    column = described_by(scene, table, degrees[0]) if len(degrees) == 1 else None
    figures = [one for one in scene.figures if one.figure.readings and not one.meaning.compares]
    if column is None or not figures or len(figures) < len(scene.figures):
        return
    rows = rows_at_end(table, column, degrees[0])
    told = {one.figure.start: _columns(scene, table, one) or _own_column(one, table, column) for one in figures}
    if not all(told.values()) or (len(rows) != 1 and any(columns != {column} for columns in told.values())):
        return
    held = {one: any(table_says(table, rows[0], c, one.meaning) for c in told[one.figure.start]) for one in figures}
    right = frozenset(one.figure.start for one, holds in held.items() if holds)
    if right:
        yield CheckedStatement("supported", scene.span, "superlative", settles=right)
    for one in (one for one, holds in held.items() if not holds):
        start, end = one.figure.start, one.figure.end
        yield CheckedStatement("contradicted", (start, end), "superlative", settles=frozenset({start}) | right)


def described_by(scene: Scene, table: Table, degree: Degree) -> str | None:
    """The only column that a superlative is about, where it begins what is said."""
    if _LEADS.search(scene.folded, 0, degree.start) is None or degree.adjective.vague:
        return None
    columns, sure = scene.by_adjective(degree.adjective, table) if degree.adjective.of else ([], False)
    if not sure:
        behind = [one for one in scene.columns if one.start >= scene.original(degree.start, degree.stop)[1]]
        told = {ref.column for one in behind[:1] for ref in one.columns if ref.table == table.number}
        columns = [column for column in told if column in table.figures and scene.is_ordered(table, column)]
    return columns[0] if len(columns) == 1 and len(sorted_values(table, columns[0])) >= _ENDS else None


def rows_at_end(table: Table, column: str, degree: Degree) -> list[int]:
    """The rows that have the highest, or the lowest, value of a column."""
    values = sorted_values(table, column)
    wanted = values[-1] if end_of(degree.adjective, table, column) == "high" else values[0]
    return [row for row, value in values_of(table, column).items() if value == wanted]


def described_row(scene: Scene, table: Table, degree: Degree) -> int | None:
    """The one row at the end of the only column that the superlative is about, where it begins the sentence."""
    column = described_by(scene, table, degree)
    rows = rows_at_end(table, column, degree) if column is not None else []
    return rows[0] if len(rows) == 1 else None


def _own_column(one: SaidFigure, table: Table, column: str) -> set[str]:
    """The column of years that the superlative is about, where a year is said: the newest are of 1980."""
    year = table.holds_years(column) and len(one.figure.text) == len("1980") and one.figure.text.isdecimal()
    return {column} if year else set()


def _columns(scene: Scene, table: Table, one: SaidFigure) -> set[str]:
    """The columns that a noun, the unit, or a word right before says of a figure."""
    unit = one.meaning.unit
    told = {
        ref.column for ref in scene.page.nouns(one.figure) if ref.table == table.number and ref.column in table.figures
    }
    if not told and unit is not None and not unit.is_currency:
        told = {column for column in table.of_dimension.get(unit.dimension, ()) if column in table.measures}
    if not told:
        before = [mention for mention in scene.columns if mention.end <= one.figure.start]
        told = {ref.column for mention in before[-1:] for ref in mention.columns if ref.table == table.number}
    return {column for column in told if column in table.columns}
