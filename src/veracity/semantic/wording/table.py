"""The rows of a semantic query as a table that people read: names with their keys, months by name, figures with units."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from veracity.contracts import Cell
from veracity.semantic.graph import SemanticModel
from veracity.semantic.result import ColumnPart, SemanticColumn, SemanticResult
from veracity.semantic.wording.labels import capital, labels_of
from veracity.semantic.wording.shown_columns import AnswerColumns

_TOLD = {
    ColumnPart.COMPARED: "table_compared",
    ColumnPart.DIFFERENCE: "table_difference",
    ColumnPart.CHANGE: "table_change",
}


@dataclass(frozen=True, slots=True)
class WordedColumn:
    """A column of the table."""

    label: str
    names: tuple[str, ...]
    """The columns of the result that it shows."""
    figures: bool
    """Whether it holds figures, and not what a row is called."""
    unit: str = ""
    """The unit of all its values, where there is one."""
    over_time: bool = False
    """Whether it holds periods that follow each other."""
    tells_apart: bool = False
    """Whether it is a key that stands there only because several rows have the same name."""


@dataclass(frozen=True, slots=True)
class WordedCell:
    """A cell as it is read, and what it is sorted by."""

    text: str
    value: Cell
    unit: str = ""
    """The unit of this value, where the column has several."""
    key: str = ""
    """What tells a name from the same one of another row: `id 2`."""

    @property
    def name(self) -> str:
        """What something is called, so that nothing else is called so: Yoga, id 2."""
        return f"{self.text}, {self.key}" if self.key else self.text

    @property
    def text_with_unit(self) -> str:
        """As it stands alone."""
        return f"{self.text} {self.unit}" if self.unit else self.text

    @property
    def number(self) -> Decimal | None:
        """The value as a number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float | Decimal):
            return None
        number = Decimal(str(self.value))
        return number if number.is_finite() else None


@dataclass(frozen=True, slots=True)
class WordedRow:
    """A row of the table."""

    place: int
    """Its place in the result."""
    cells: tuple[WordedCell, ...]
    name: str
    """What it is called, in one text."""


@dataclass(frozen=True, slots=True)
class WordedTable:
    """The rows of a result for people."""

    columns: tuple[WordedColumn, ...]
    rows: tuple[WordedRow, ...]

    @property
    def names(self) -> tuple[int, ...]:
        """The places of the columns that say what a row is called."""
        return tuple(n for n, column in enumerate(self.columns) if not column.figures)

    @property
    def divisions(self) -> tuple[int, ...]:
        """Those of them that divide the rows: not a key that only tells namesakes apart."""
        return tuple(n for n in self.names if not self.columns[n].tells_apart)

    @property
    def figures(self) -> tuple[int, ...]:
        """The places of the columns that hold figures."""
        return tuple(n for n, column in enumerate(self.columns) if column.figures)


def worded_table(result: SemanticResult, model: SemanticModel, lang: str, locale: str | None = None) -> WordedTable:
    """All rows of a result, in the order in which an answer tells them; labels in one language, figures in a locale."""
    writer = _TableWriter(result, AnswerColumns(result, labels_of(model, lang, locale)))
    return writer.table()


class _TableWriter:
    def __init__(self, result: SemanticResult, columns: AnswerColumns) -> None:
        self._result, self._columns = result, columns

    def table(self) -> WordedTable:
        named = self._named()
        figures = [one for column in self._columns.values for one in self._beside(column)]
        columns = (*(self._name_column(one) for one in named), *(self._figure_column(one) for one in figures))
        rows = []
        for place in self._columns.order():
            names = tuple(self._name_cell(place, group) for group in named)
            values = tuple(self._figure_cell(place, one) for one in figures)
            told = (cell.name for cell, one in zip(names, columns, strict=False) if not one.tells_apart)
            name = self._columns.say("comma").join(told)
            rows.append(WordedRow(place, (*names, *values), name))
        return WordedTable(columns, tuple(rows))

    def _named(self) -> list[list[SemanticColumn]]:
        """The columns that say what a row is: a code with its name, a year with its month."""
        if parts := self._columns.parts():
            return [list(parts)]
        groups: list[list[SemanticColumn]] = []
        for column in self._columns.names:
            if groups and self._columns.is_code_of(groups[-1][-1], column):
                groups[-1].append(column)
            else:
                groups.append([column])
        return groups

    def _name_column(self, group: list[SemanticColumn]) -> WordedColumn:
        over_time = bool(self._columns.parts()) or group[0].part is ColumnPart.PERIOD
        label = self._columns.heading(group)
        apart = self._columns.tells_apart(group[0], self._columns.names)
        names = tuple(one.column.name for one in group)
        return WordedColumn(capital(label), names, False, over_time=over_time, tells_apart=apart)

    def _name_cell(self, place: int, group: list[SemanticColumn]) -> WordedCell:
        row = self._result.rows[place]
        if (month := self._columns.month_named(place)) is not None:
            return WordedCell(month[0], place)
        text = " ".join(self._columns.shown.shown(row.get(one.column.name), one) for one in group)
        key = self._columns.namesake_key(place, group[-1]) if group[-1].part is ColumnPart.NAME else ""
        return WordedCell(text, row.get(group[0].column.name), key=key)

    def _beside(self, column: SemanticColumn) -> list[SemanticColumn]:
        """A figure and what is compared with it."""
        others = self._columns.others(column)
        return [column, *(others[part] for part in _TOLD if part in others)]

    def _figure_column(self, column: SemanticColumn) -> WordedColumn:
        label = capital(self._columns.figure_heading(column))
        if column.part in _TOLD:
            label = self._columns.say(_TOLD[column.part], x=self._columns.sides()[1] or label)
        elif self._columns.others(column):
            label = f"{label} {self._columns.sides()[0]}"
        return WordedColumn(label, (column.column.name,), True, self._unit(column))

    def _unit(self, column: SemanticColumn) -> str:
        """The unit of a whole column."""
        if column.unit_column is None:
            rows = self._result.rows
            return next(
                (unit for row in rows if (unit := self._columns.shown.unit(row.get(column.column.name), column))), ""
            )
        units = {row.get(column.unit_column) for row in self._result.rows if row.get(column.column.name) is not None}
        return str(units.pop()) if len(units) == 1 and None not in units else ""

    def _figure_cell(self, place: int, column: SemanticColumn) -> WordedCell:
        row = self._result.rows[place]
        cell = row.get(column.column.name)
        text = self._columns.shown.shown(cell, column)
        unit = self._columns.shown.unit(cell, column) or ""
        if column.unit_column is not None and cell is not None and row.get(column.unit_column) is not None:
            unit = str(row[column.unit_column])
        return WordedCell(text, cell, unit)
