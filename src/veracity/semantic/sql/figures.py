"""Figures -> SQL: aggregates in the WITH, their values in comparisons, and how the fetched cells become the figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from veracity.contracts import Cell
from veracity.query.compile import quotient
from veracity.semantic.checking.expressions import Calculation, DaysValue, FieldValue, NumberValue, RowValue
from veracity.semantic.checking.plan import Figure, PlainFigure, RatioFigure, RowsFigure
from veracity.semantic.graph import Thing, Way
from veracity.semantic.query import Aggregate
from veracity.semantic.sql.dialects import day_literal, days_apart, moment_of
from veracity.semantic.sql.rows import RowSelect, column_of
from veracity.sources.source import Column, ColumnType, Dialect, Row

if TYPE_CHECKING:
    from sqlglot import exp

DIGITS = 6
"""A quotient is rounded to so many decimals more than what is divided has."""
_EXACT = {"+": "EXACT_ADD", "-": "EXACT_SUBTRACT", "*": "EXACT_MULTIPLY"}


# --- what is taken of each row


def value_type(value: RowValue, thing: Thing) -> tuple[ColumnType, int | None]:
    """The type and the decimals of what is computed from a row."""
    match value:
        case DaysValue():
            return (ColumnType.INTEGER, 0) if value.whole else (ColumnType.FLOAT, None)
        case FieldValue():
            column = thing.fields[value.name].column
            return column.type, column.scale if column.type is ColumnType.DECIMAL else 0
        case NumberValue():
            exponent = value.number.as_tuple().exponent
            scale = max(0, -exponent) if isinstance(exponent, int) else 0
            return (ColumnType.DECIMAL, scale) if scale else (ColumnType.INTEGER, 0)
        case Calculation():
            (left, one), (right, other) = value_type(value.left, thing), value_type(value.right, thing)
            if value.sign == "/" or ColumnType.FLOAT in (left, right):
                return ColumnType.FLOAT, None
            if one is None or other is None:
                return ColumnType.DECIMAL, None
            scale = one + other if value.sign == "*" else max(one, other)
            whole = left is right is ColumnType.INTEGER
            return (ColumnType.INTEGER, 0) if whole else (ColumnType.DECIMAL, scale)


def row_value(value: RowValue, thing: Thing, rows: RowSelect, dialect: Dialect) -> exp.Expr:
    """What is computed from a row, as SQL; exact wherever decimals are."""
    from sqlglot import exp

    match value:
        case DaysValue():
            return days_between(value, thing, rows, (), dialect)
        case FieldValue():
            return rows.column((), value.name)
        case NumberValue():
            return exp.Literal.number(format(value.number, "f"))
        case Calculation():
            left, right = (row_value(one, thing, rows, dialect) for one in (value.left, value.right))
            if value.sign == "/":
                return exp.Paren(this=divided(left, right, "DOUBLE"))
            if dialect == "sqlite" and value_type(value, thing)[0] is not ColumnType.FLOAT:
                return exp.Anonymous(this=_EXACT[value.sign], expressions=[left, right])
            kinds: dict[str, type[exp.Binary]] = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul}
            return exp.Paren(this=kinds[value.sign](this=left, expression=right))


def days_between(days: DaysValue, thing: Thing, rows: RowSelect, way: Way, dialect: Dialect) -> exp.Expr:
    """The days from one date to another, of the row at the end of a way."""
    if days.until is not None:
        later = day_literal(days.until, dialect)
    else:
        later = moment_of(rows.column(way, days.name), thing.fields[days.name], dialect, whole=days.whole)
    earlier = rows.column((*way, *days.way), days.since)
    return days_apart(
        later, moment_of(earlier, days.thing.fields[days.since], dialect, whole=days.whole), dialect, whole=days.whole
    )


def divided(one: exp.Expr, other: exp.Expr, kind: str) -> exp.Expr:
    """A quotient; nothing where the divisor is zero."""
    from sqlglot import exp

    nothing = exp.Nullif(this=other, expression=exp.Literal.number(0))
    return exp.Div(this=exp.cast(one, kind), expression=nothing, typed=True)


def change_between(now: exp.Expr, before: exp.Expr, *, percent: bool, from_zero: bool) -> exp.Expr:
    """How much a figure changed, to sort by; nothing where one of the two is missing.

    `from_zero`: a sum or a number that is missing is zero: what is new has grown by all of it. It has no percentage.
    """
    from sqlglot import exp

    zero = exp.Literal.number(0)
    if from_zero:
        now, before = (exp.Coalesce(this=one, expressions=[zero.copy()]) for one in (now, before))
    gap = exp.Paren(this=exp.Sub(this=now, expression=before))
    return divided(gap, exp.Abs(this=before.copy()), "DOUBLE") if percent else gap


# --- aggregates


def is_exact_text(figure: PlainFigure, dialect: Dialect) -> bool:
    """Whether the engine returns the figure as a text of digits."""
    if dialect != "sqlite" or figure.value is None:
        return False
    kind = value_type(figure.value, figure.thing)[0]
    return figure.aggregate in (Aggregate.SUM, Aggregate.AVG, Aggregate.MEDIAN) and kind is not ColumnType.FLOAT


def total(value: exp.Expr, kind: ColumnType, dialect: Dialect) -> exp.Expr:
    """A sum without a float in between."""
    from sqlglot import exp

    if dialect == "sqlite" and kind is not ColumnType.FLOAT:
        return exp.Anonymous(this="EXACT_SUM", expressions=[value])
    return exp.Sum(this=value)


def aggregated(figure: PlainFigure, value: exp.Expr | None, dialect: Dialect) -> list[exp.Expr]:
    """The aggregate over values of rows: one column, or a sum and a number where it is a quotient."""
    from sqlglot import exp

    if value is None or figure.value is None:
        return [exp.Count(this=exp.Star())]
    kind = value_type(figure.value, figure.thing)[0]
    match figure.aggregate:
        case Aggregate.SUM:
            return [total(value, kind, dialect)]
        case Aggregate.AVG | Aggregate.MEDIAN:
            return [total(value, kind, dialect), exp.Count(this=value.copy())]
        case Aggregate.MIN | Aggregate.MAX:
            calculated = dialect == "sqlite" and isinstance(figure.value, Calculation) and kind is not ColumnType.FLOAT
            value = exp.cast(value, "REAL") if calculated else value
            return [exp.Min(this=value) if figure.aggregate is Aggregate.MIN else exp.Max(this=value)]
        case Aggregate.COUNT_DISTINCT:
            return [exp.Count(this=exp.Distinct(expressions=[value]))]
    return [exp.Count(this=value)]


def raw_columns(figure: PlainFigure) -> tuple[Column, ...]:
    """The types of the columns that an aggregate takes."""
    if figure.is_count or figure.value is None:
        return (Column("n", ColumnType.INTEGER),)
    kind, scale = value_type(figure.value, figure.thing)
    one = Column("f", kind, scale=scale if kind is ColumnType.DECIMAL else None)
    return (one, Column("n", ColumnType.INTEGER)) if figure.divides else (one,)


# --- figures made of columns


@dataclass(frozen=True, slots=True)
class FigureTerm:
    """A figure in the columns of a SELECT: one column, or two terms of which the first is divided by the second."""

    column: Column
    """Its type as a reader sees it."""
    names: tuple[str, ...] = ()
    parts: tuple[FigureTerm, ...] = ()
    counts: bool = False
    exact_text: bool = False

    @property
    def columns(self) -> tuple[tuple[str, Column], ...]:
        """The columns that it is made of, in order."""
        if self.parts:
            return tuple(one for part in self.parts for one in part.columns)
        return ((self.names[0], self.column),)

    def renamed(self, names: Mapping[str, str]) -> FigureTerm:
        """The same term over columns of other names."""
        parts = tuple(part.renamed(names) for part in self.parts)
        return replace(self, names=tuple(names[name] for name in self.names), parts=parts)

    @property
    def counted(self) -> frozenset[str]:
        """Those of its columns in which nothing means zero."""
        if self.parts:
            return frozenset[str]().union(*(part.counted for part in self.parts))
        return frozenset(self.names) if self.counts else frozenset()

    def value(self, alias: str, dialect: Dialect) -> exp.Expr:
        """The figure to compare and sort with; quotients are rounded, so that equal ones are equal on every engine."""
        from sqlglot import exp

        if not self.parts:
            plain = column_of(alias, self.names[0])
            if self.counts:
                return exp.Coalesce(this=plain, expressions=[exp.Literal.number(0)])
            return exp.cast(plain, "REAL") if self.exact_text else plain
        one, other = (part.value(alias, dialect) for part in self.parts)
        if self.column.type is ColumnType.FLOAT:
            return divided(one, other, "DOUBLE")
        exact = divided(one, other, "DECIMAL" if dialect == "postgres" else "DOUBLE")
        digits = exp.Literal.number(self.column.scale if self.column.scale is not None else 12)
        return exp.Anonymous(this="ROUND", expressions=[exact, digits])

    def cell(self, row: Row) -> Cell:
        """The figure, from the cells of its columns in order."""
        return self._read(list(row))

    def _read(self, cells: list[Cell]) -> Cell:
        if not self.parts:
            cell = cells.pop(0)
            return 0 if self.counts and cell is None else cell
        first, second = self.parts[0]._read(cells), self.parts[1]._read(cells)
        if self.column.type is ColumnType.FLOAT:
            return None if first is None or not second else float(Decimal(str(first)) / Decimal(str(second)))
        return quotient(first, second, self.column.scale)


def quotient_column(first: Column, second: Column) -> Column:
    """The column of a quotient."""
    if ColumnType.FLOAT in (first.type, second.type):
        return Column("ratio", ColumnType.FLOAT)
    scales = [column.scale if column.type is ColumnType.DECIMAL else 0 for column in (first, second)]
    known = [scale for scale in scales if scale is not None]
    return Column("ratio", ColumnType.DECIMAL, scale=max(known) + DIGITS if len(known) == len(scales) else None)


def plain_term(figure: PlainFigure, names: tuple[str, ...], dialect: Dialect) -> FigureTerm:
    """The term of an aggregate whose columns have these names."""
    columns = raw_columns(figure)
    text = is_exact_text(figure, dialect)
    first = FigureTerm(columns[0], names[:1], counts=figure.is_count, exact_text=text)
    if not figure.divides:
        return first
    return FigureTerm(quotient_column(columns[0], columns[1]), parts=(first, FigureTerm(columns[1], names[1:])))


def ratio_term(first: FigureTerm, second: FigureTerm) -> FigureTerm:
    """The term of a ratio."""
    return FigureTerm(quotient_column(first.column, second.column), parts=(first, second))


def leaves(figure: Figure) -> list[PlainFigure | RowsFigure]:
    """The aggregates that a figure is made of."""
    if isinstance(figure, RatioFigure):
        return [*leaves(figure.first), *leaves(figure.second)]
    return [figure]
