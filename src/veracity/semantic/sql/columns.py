"""The columns of an answer: what each fetches of a statement, and how its cells become what a reader sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from typing import TYPE_CHECKING

from veracity.contracts import Cell, ValidationErrorCode
from veracity.language.units import Unit, unit_called
from veracity.semantic.checking.names import Refused
from veracity.semantic.query import YEARS, Shown, is_age
from veracity.semantic.query_values import Grain
from veracity.semantic.result import ColumnPart, SemanticColumn
from veracity.semantic.sql.figures import FigureTerm
from veracity.semantic.sql.rows import column_of
from veracity.sources.source import Column, ColumnType, Dialect, Row

if TYPE_CHECKING:
    from sqlglot import exp

PERCENT = "%"
_PERCENT_DIGITS = 6
_SIGNIFICANT = 40
_DAYS = {Grain.DAY: 1, Grain.WEEK: 7}
_YEAR = Unit("time", Decimal("31556952"))
"""A year of the calendar on average, in seconds: ages are counted in days."""
_MONTHS = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12}
Fetched = tuple[str, Column, "exp.Expr"]


@dataclass(slots=True)
class Naming:
    """Names of columns, each once."""

    _taken: set[str] = field(default_factory=set)

    def column(self, column: Column, name: str, owner: str) -> Column:
        """The column under the first free of its name, its name with its owner, and that with a number."""
        candidates = [name, f"{owner}.{name}"]
        number = 2
        while (chosen := candidates.pop(0)).casefold() in self._taken:
            if not candidates:
                candidates.append(f"{name}_{number}")
                number += 1
        self._taken.add(chosen.casefold())
        # What is selected is a value of its type already.
        return replace(column, name=chosen, cast=None, reader=None)


def figure_name(shown: Shown) -> str:
    """What a figure is called in the rows of a result."""
    if shown.measure:
        name = shown.measure
    elif shown.ratio:
        name = f"{figure_name(shown.ratio[0])}_per_{figure_name(shown.ratio[1])}"
    elif shown.rows:
        name = f"{shown.aggregate}_rows"
    else:
        days = "days_to_" if shown.since is not None else ""
        name = f"{shown.aggregate}_{days}{shown.of or (shown.field or '').rpartition('.')[2]}"
    return f"{name}_{shown.transform}" if shown.transform else name


@dataclass(frozen=True)
class AnswerColumn:
    """A column of the answer."""

    shown: SemanticColumn
    names: tuple[str, ...]
    """What it is called in the statement; empty where another column fetches it."""
    values: tuple[exp.Expr, ...]
    fetched: tuple[Column, ...]
    read: Callable[[Row], Cell]
    """From its own fetched cells, and those of the column that it belongs to."""
    term: FigureTerm | None = None
    borrowed: int = 0
    """It reads the cells of the column so many places before it."""

    @classmethod
    def plain(cls, shown: SemanticColumn, value: exp.Expr, *, wanted_unit: str | None = None) -> AnswerColumn:
        """A stored value."""
        name = shown.column.name
        column = cls(shown, (name,), (value,), (shown.column,), lambda cells: cells[0])
        return column.in_unit(wanted_unit)

    @classmethod
    def figure(
        cls, shown: SemanticColumn, term: FigureTerm, fetched: Sequence[Fetched], *, wanted_unit: str | None = None
    ) -> AnswerColumn:
        """A figure."""
        names, columns, values = _split(fetched)
        if len(names) == 1:
            names = (shown.column.name,)
        if wanted_unit == PERCENT and shown.shown is not None and shown.shown.ratio is not None:
            return cls(_percent_column(shown), names, values, columns, _percent_of_parts(term), term)
        return cls(shown, names, values, columns, term.cell, term).in_unit(wanted_unit)

    @classmethod
    def rank(cls, shown: SemanticColumn, name: str, value: exp.Expr) -> AnswerColumn:
        """The place of a figure among its groups."""
        column = Column(name, ColumnType.INTEGER)
        return cls(replace(shown, column=column, unit=None), (name,), (value,), (column,), lambda cells: cells[0])

    @classmethod
    def share(
        cls, shown: SemanticColumn, term: FigureTerm, whole: FigureTerm, fetched: Sequence[Fetched]
    ) -> AnswerColumn:
        """A figure in percent of the figure over all rows."""
        names, columns, values = _split(fetched)
        size = len(term.columns)
        percent = _percent_column(shown)
        return cls(
            percent, names, values, columns, lambda c: percent_of(term.cell(c[:size]), whole.cell(c[size:])), term
        )

    @classmethod
    def change(
        cls,
        shown: SemanticColumn,
        term: FigureTerm,
        fetched: Sequence[Fetched],
        *,
        percent: bool,
        grain: Grain | None = None,
    ) -> AnswerColumn:
        """The difference to the group before, or that in percent.

        With a grain the starts of both periods are fetched last: against another one than the period before there is no change.
        """
        names, columns, values = _split(fetched)
        size = len(term.columns)

        def read(cells: Row) -> Cell:
            if cells[size] is None or (grain is not None and not _is_next(cells[-2], cells[-1], grain)):
                return None
            now, before = term.cell(cells[:size]), term.cell(cells[size : 2 * size])
            return percent_change(before, now) if percent else difference(now, before)

        return cls(_percent_column(shown) if percent else shown, names, values, columns, read, term)

    def in_unit(self, unit: str | None) -> AnswerColumn:
        """The same column with its figures in another unit; refused where that does not convert."""
        if unit is None or unit == self.shown.unit:
            return self
        wanted, own = unit_called(unit), unit_called(self.shown.unit or "")
        if unit == YEARS and self.shown.shown is not None and is_age(self.shown.shown):
            wanted = _YEAR
        if wanted is None or own is None or wanted.dimension != own.dimension:
            hint = f"{self.shown.unit or 'A figure without a unit'} does not convert into {unit[:20]}."
            raise Refused(ValidationErrorCode.MIXED_UNITS, self.shown.column.name, hint, self.shown.unit)
        read = self.read
        column = replace(self.shown.column, type=ColumnType.DECIMAL, scale=None)

        def converted(cells: Row) -> Cell:
            cell = read(cells)
            return None if cell is None else Decimal(str(cell)) * own.factor / wanted.factor

        return replace(self, shown=replace(self.shown, column=column, unit=unit), read=converted)


@dataclass(frozen=True, slots=True)
class RowFigure:
    """A figure over what is related to a row, looked up beside this row."""

    shown: Shown
    term: FigureTerm
    alias: str
    unit: str | None
    dialect: Dialect

    @property
    def value(self) -> exp.Expr:
        """To compare and sort with."""
        return self.term.value(self.alias, self.dialect)

    def column(self, naming: Naming) -> AnswerColumn:
        """For people to read."""
        column = naming.column(self.term.column, figure_name(self.shown), "figure")
        shown = SemanticColumn(column, ColumnPart.FIGURE, shown=self.shown, unit=self.unit)
        fetched = [(name, kind, column_of(self.alias, name)) for name, kind in self.term.columns]
        return AnswerColumn.figure(shown, self.term, fetched, wanted_unit=self.shown.unit)


def _split(fetched: Sequence[Fetched]) -> tuple[tuple[str, ...], tuple[Column, ...], tuple[exp.Expr, ...]]:
    names, columns, values = zip(*fetched, strict=True)
    return names, columns, values


def _percent_of_parts(ratio: FigureTerm) -> Callable[[Row], Cell]:
    """A ratio as how many percent its first part is of its second one."""
    first, second = ratio.parts
    size = len(first.columns)
    return lambda cells: percent_of(first.cell(cells[:size]), second.cell(cells[size:]))


def _is_next(start: Cell, before: Cell, grain: Grain) -> bool:
    """Whether a period begins where the one before it ends."""
    if start is None or before is None:
        return False
    one, other = date.fromisoformat(str(before)[:10]), date.fromisoformat(str(start)[:10])
    if grain in _DAYS:
        return (other - one).days == _DAYS[grain]
    return (other.year - one.year) * 12 + other.month - one.month == _MONTHS[grain]


def _percent_column(shown: SemanticColumn) -> SemanticColumn:
    column = replace(shown.column, type=ColumnType.DECIMAL, scale=_PERCENT_DIGITS)
    return replace(shown, column=column, unit=PERCENT, unit_column=None)


def compared_columns(
    shown: SemanticColumn, term: FigureTerm, other: FigureTerm, fetched: Sequence[Fetched], naming: Naming
) -> list[AnswerColumn]:
    """The figure, the one that it is compared with, their difference and the change in percent."""
    names, columns, values = _split(fetched)
    size = len(term.columns)

    def both(cells: Row) -> tuple[Cell, Cell]:
        return term.cell(cells[:size]), other.cell(cells[size:])

    def beside(part: ColumnPart, place: int, read: Callable[[Row], Cell]) -> AnswerColumn:
        column = naming.column(shown.column, f"{shown.column.name}_{part}", "figure")
        one = replace(shown, column=column, part=part)
        one = _percent_column(one) if part is ColumnPart.CHANGE else one
        return AnswerColumn(one, (), (), (), read, borrowed=place)

    return [
        AnswerColumn(shown, names, values, columns, lambda cells: both(cells)[0], term),
        beside(ColumnPart.COMPARED, 1, lambda cells: both(cells)[1]),
        beside(ColumnPart.DIFFERENCE, 2, lambda cells: difference(*both(cells))),
        beside(ColumnPart.CHANGE, 3, lambda cells: percent_change(both(cells)[1], both(cells)[0])),
    ]


def read_rows(outputs: Sequence[AnswerColumn], rows: Sequence[Row]) -> list[dict[str, Cell]]:
    """The rows as a reader sees them."""
    places, start = [], 0
    for output in outputs:
        places.append((start, start + len(output.fetched)))
        start += len(output.fetched)
    taken = [places[n - output.borrowed] for n, output in enumerate(outputs)]
    return [{o.shown.column.name: o.read(row[a:b]) for o, (a, b) in zip(outputs, taken, strict=True)} for row in rows]


# --- arithmetic over cells


def _number(cell: Cell) -> Decimal | None:
    return None if cell is None or isinstance(cell, str) else Decimal(str(cell))


def difference(one: Cell, other: Cell) -> Cell:
    """One figure less the other; nothing where one is missing."""
    if isinstance(one, int) and isinstance(other, int):
        return one - other
    if isinstance(one, float) and isinstance(other, float):
        return one - other
    first, second = _number(one), _number(other)
    if first is None or second is None:
        return None
    with localcontext(prec=_SIGNIFICANT):
        return first - second


def percent_of(part: Cell, whole: Cell) -> Decimal | None:
    """A part in percent of the whole; nothing where that is zero or missing."""
    one, other = _number(part), _number(whole)
    if one is None or not other or not one.is_finite() or not other.is_finite():
        return None
    with localcontext(prec=_SIGNIFICANT):
        return (one * 100 / other).quantize(Decimal(1).scaleb(-_PERCENT_DIGITS), ROUND_HALF_EVEN)


def percent_change(before: Cell, now: Cell) -> Decimal | None:
    """The change in percent of what was before; nothing where that is zero or missing."""
    gap, base = difference(now, before), _number(before)
    return percent_of(gap, abs(base)) if base is not None else None
