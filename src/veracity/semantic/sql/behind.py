"""What stands behind a result: the rows that went into a group, and the rows that lack the value a figure needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from veracity.contracts import Cell, QueryValidationError
from veracity.query.compile import quotient
from veracity.semantic.checking.check import check
from veracity.semantic.checking.expressions import DaysValue, FieldValue, RowValue
from veracity.semantic.checking.names import Refused
from veracity.semantic.checking.plan import PlainFigure, figure_of
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate, SemanticQuery
from veracity.semantic.result import MissingValues
from veracity.semantic.sql.compile import QueryCompiler, new_compiler
from veracity.semantic.sql.figures import DIGITS, leaves, value_type
from veracity.sources.source import Column, ColumnType, Row, Source, Statement, fetch

if TYPE_CHECKING:
    from sqlglot import exp

SHOWN_ROWS = 100
"""So many of the rows behind a figure are shown."""
MOST_ROWS = 100_000
"""Up to so many rows, a figure is computed a second time, apart."""


@dataclass(frozen=True, slots=True)
class RowsBehind:
    """The rows that went into one figure of one group."""

    entity: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Cell], ...]
    """The first hundred."""
    number: int
    figure: Cell
    """The figure, computed apart from these rows in decimals; None where there are too many of them."""
    sql: str


async def rows_behind(
    query: SemanticQuery, model: SemanticModel, source: Source, group: Mapping[str, Cell]
) -> tuple[RowsBehind, ...] | QueryValidationError:
    """The rows behind the figures of one row of a result; a ratio has two, and figures over figures have none."""
    checked = check(query, model)
    if isinstance(checked, QueryValidationError):
        return checked
    found: list[RowsBehind] = []
    try:
        for shown in checked.show:
            if not shown.is_field:
                for leaf in leaves(figure_of(shown, checked.of or "", model)):
                    if isinstance(leaf, PlainFigure):
                        found.append(await _behind(checked, leaf, model, source, group))
    except Refused as refused:
        return refused.problem
    return tuple(found)


async def _behind(
    query: SemanticQuery, figure: PlainFigure, model: SemanticModel, source: Source, group: Mapping[str, Cell]
) -> RowsBehind:
    compiler = new_compiler(model, source)
    select, columns = compiler.rows_behind(query, figure, group)
    limit = MOST_ROWS + 1
    sql = compiler.writer.statement(select.limit(limit, copy=False))
    fetched = await fetch(source, Statement(sql, compiler.writer.parameters.values, columns, limit))
    number = len(fetched)
    figure_apart: Cell = None
    if number <= MOST_ROWS:
        figure_apart = _apart(figure, [row[-1] for row in fetched] if figure.value else [1] * number)
    else:
        number = await _number(query, figure, model, source, group)
    shown = columns if figure.value is not None else columns[:-1]
    names = [column.name for column in shown]
    rows = tuple(dict(zip(names, row, strict=False)) for row in fetched[:SHOWN_ROWS])
    return RowsBehind(figure.thing.name, shown, rows, number, figure_apart, sql)


async def _number(
    query: SemanticQuery, figure: PlainFigure, model: SemanticModel, source: Source, group: Mapping[str, Cell]
) -> int:
    from sqlglot import exp

    compiler = new_compiler(model, source)
    select, _ = compiler.rows_behind(query, figure, group)
    select.set("order", None)
    alias = exp.TableAlias(this=exp.to_identifier("v", quoted=True))
    counted = exp.select(exp.Count(this=exp.Star())).from_(exp.Subquery(this=select, alias=alias))
    column = Column("n", ColumnType.INTEGER)
    statement = Statement(compiler.writer.statement(counted), compiler.writer.parameters.values, (column,), 1)
    rows = await fetch(source, statement)
    return int(str(rows[0][0]))


def _apart(figure: PlainFigure, cells: Sequence[Cell]) -> Cell:
    """The figure from its values, without the engine."""
    present = [cell for cell in cells if cell is not None]
    if figure.is_count:
        return len(set(present)) if figure.aggregate is Aggregate.COUNT_DISTINCT else len(present)
    if not present:
        return None
    if figure.aggregate in (Aggregate.MIN, Aggregate.MAX):
        return (min if figure.aggregate is Aggregate.MIN else max)(present)
    numbers = sorted(Decimal(str(cell)) for cell in present)
    if figure.aggregate is Aggregate.MEDIAN:
        numbers = numbers[(len(numbers) - 1) // 2 : len(numbers) // 2 + 1]
    total = sum(numbers, Decimal(0))
    if figure.aggregate is Aggregate.SUM:
        return total
    assert figure.value is not None
    scale = value_type(figure.value, figure.thing)[1]
    return quotient(total, len(numbers), None if scale is None else scale + DIGITS)


# --- missing values


def compile_missing(
    query: SemanticQuery, model: SemanticModel, source: Source
) -> tuple[Statement, tuple[str, ...]] | None:
    """How many rows met the conditions, and how many of them have each value that is aggregated or sorted by."""
    compiler = new_compiler(model, source)
    counted = _ordered_fields(compiler, query) if query.lists else _aggregated_fields(compiler, query)
    if counted is None:
        return None
    select, names = counted
    columns = tuple(Column(f"n{n}", ColumnType.INTEGER) for n in range(2 * len(names)))
    sql = compiler.writer.statement(select)
    return Statement(sql, compiler.writer.parameters.values, columns, 1), names


def read_missing(names: Sequence[str], row: Row) -> tuple[MissingValues, ...]:
    """The fields that some rows lack."""
    numbers = [int(str(cell)) for cell in row]
    pairs = zip(names, numbers[::2], numbers[1::2], strict=True)
    return tuple(MissingValues(name, rows - present, rows) for name, rows, present in pairs if present < rows)


def _ordered_fields(compiler: QueryCompiler, query: SemanticQuery) -> tuple[exp.Select, tuple[str, ...]] | None:
    from sqlglot import exp

    names = tuple(one.by.field or "" for one in query.order if one.by.is_field)
    if not names:
        return None
    body = compiler.list_body(query.model_copy(update={"limit": None, "skip": 0, "per": ()}))
    values = [value for (value, _), one in zip(body.order, query.order, strict=True) if one.by.is_field]
    counts: list[exp.Expr] = []
    for number, value in enumerate(values):
        counts.append(exp.alias_(exp.Count(this=exp.Star()), f"n{2 * number}", quoted=True))
        counts.append(exp.alias_(exp.Count(this=value), f"n{2 * number + 1}", quoted=True))
    return body.select(counts), names


def _aggregated_fields(compiler: QueryCompiler, query: SemanticQuery) -> tuple[exp.Select, tuple[str, ...]] | None:
    figures: dict[str, PlainFigure] = {}
    shown = [*query.show, *(one.by for one in query.order)]
    for one in shown:
        if one.is_field:
            continue
        for leaf in leaves(figure_of(one, query.of or "", compiler.writer.model)):
            if not isinstance(leaf, PlainFigure) or leaf.is_count:
                continue
            for name in _taken_fields(leaf.value):
                counted = replace(leaf, aggregate=Aggregate.COUNT, value=FieldValue(name))
                figures.setdefault(f"{leaf.thing.name}.{name}", counted)
    if not figures:
        return None
    pairs = [one for figure in figures.values() for one in (replace(figure, value=None), figure)]
    return compiler.counts(query, pairs), tuple(figures)


def _taken_fields(value: RowValue | None) -> tuple[str, ...]:
    """The fields of a row without which it does not count."""
    match value:
        case FieldValue():
            return (value.name,)
        case DaysValue():
            return (value.name,) if value.way else (value.since, value.name)
        case _:
            return ()
