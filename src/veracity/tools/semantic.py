"""`semanticQuery`: a query in the words of the ontology -> checked, run, read back and answered in words."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any

from pydantic import SkipValidation, field_serializer

from veracity.contracts import Cell, QueryValidationError
from veracity.errors import QueryFailed, UsageError
from veracity.language.numbers import written
from veracity.semantic.checking.apart import compared_in, figure_compared_with, kept_apart
from veracity.semantic.checking.check import check
from veracity.semantic.checking.read import read_query
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery, to_json
from veracity.semantic.result import ColumnPart, SemanticResult
from veracity.semantic.run import DryRun, compile_only, run_query
from veracity.semantic.sql.behind import rows_behind
from veracity.semantic.wording.answer_text import answer_text
from veracity.semantic.wording.read_back import read_back, sentence
from veracity.tools.tables import TableTools, in_event_loop
from veracity.wire import Wire


class WordedPiece(Wire):
    """A stretch of what was understood, and the parts of the canonical query that it words."""

    text: str
    before: str = ""
    parts: tuple[str, ...] = ()


class AnswerCell(Wire):
    """A stretch of the answer's text that shows a cell."""

    start: int
    end: int
    row: int
    column: str


class QueryColumn(Wire):
    """A column of the rows."""

    name: str
    type: str
    part: str
    """key, name, field, period, figure, compared, difference or change."""
    unit: str | None = None
    unit_column: str | None = None


class MissingCount(Wire):
    """Rows without the value that a figure, an order or a condition needs."""

    field: str
    rows: int
    of: int


class FigureRows(Wire):
    """The rows behind a figure: how many there are, the first of them, and the figure computed from them apart."""

    row: int
    """Of which row of the result the figure is."""
    entity: str
    number: int
    figure: str | None = None
    """None where there are too many rows to compute it again, or no value in them."""
    agrees: bool | None = None
    """Whether it is the figure of the answer; None where it is only a part of it, as of a ratio or a share."""
    rows: SkipValidation[tuple[dict[str, Cell], ...]] = ()

    @field_serializer("rows", when_used="json")
    def _plain_decimals(self, rows: tuple[dict[str, Cell], ...]) -> list[dict[str, Cell]]:
        return _with_plain_decimals(rows)


class QueryData(Wire):
    """What a semantic query came to."""

    read_back: str
    """One sentence of what was understood."""
    pieces: tuple[WordedPiece, ...] = ()
    query: dict[str, Any]
    """In canonical form, every relation named."""
    answer: str | None = None
    """None where it was only checked."""
    cells: tuple[AnswerCell, ...] = ()
    columns: tuple[QueryColumn, ...] = ()
    rows: SkipValidation[tuple[dict[str, Cell], ...]] = ()
    row_count: int = 0
    truncated: bool = False
    tied: bool = False
    overlapping: bool = False
    missing: tuple[MissingCount, ...] = ()
    sql: str | None = None
    """On request."""
    behind: tuple[FigureRows, ...] = ()
    """On request: the rows behind the figures of the first rows."""

    @field_serializer("rows", when_used="json")
    def _plain_decimals(self, rows: tuple[dict[str, Cell], ...]) -> list[dict[str, Cell]]:
        return _with_plain_decimals(rows)


def _with_plain_decimals(rows: tuple[dict[str, Cell], ...]) -> list[dict[str, Cell]]:
    return [{name: written(cell) if isinstance(cell, Decimal) else cell for name, cell in row.items()} for row in rows]


class QueryOutcome(Wire):
    """What `semanticQuery` gives back. A refused or failed query is a result, too, never an exception."""

    success: bool
    data: QueryData | None = None
    error: str | None = None
    error_details: QueryValidationError | None = None

    @classmethod
    def refused(cls, problem: QueryValidationError) -> QueryOutcome:
        """The query was not valid and never reached the source."""
        return cls(success=False, error=f"{problem.code}: {problem.hint}", error_details=problem)


SEMANTIC_TOOL = "semanticQuery"
_MOST_APART = 4
"""So many fields may keep figures apart."""
_MOST_OPENED = 20
"""The rows behind the figures of so many rows are told."""


def _plain(cell: Cell) -> str:
    return written(cell) if isinstance(cell, Decimal) else str(cell)


def _agrees(found: SemanticResult, row: Mapping[str, Cell], apart: Cell) -> bool | None:
    """Whether the one figure of a row is what its rows come to; None where there are several, or it is computed further."""
    figures = [column for column in found.columns if column.part is ColumnPart.FIGURE]
    shown = figures[0].shown if len(figures) == 1 else None
    if (
        shown is None
        or apart is None
        or shown.ratio
        or shown.rows
        or shown.transform
        or shown.unit
        or found.query.compare
    ):
        return None
    cell = row[figures[0].column.name]
    if cell is None:
        return None
    if isinstance(cell, int | float | Decimal) and isinstance(apart, int | float | Decimal):
        one, other = Decimal(str(cell)), Decimal(str(apart))
        return abs(one - other) <= Decimal("1e-6") * max(Decimal(1), abs(one))
    return cell == apart


class SemanticTools:
    """Semantic queries over the source of table tools, through the same ontology and scope."""

    def __init__(self, tables: TableTools) -> None:
        self._tables = tables

    @cached_property
    def tables(self) -> TableTools:
        """The tables as questions see them."""
        return self._tables.for_questions

    @cached_property
    def model(self) -> SemanticModel:
        """Entities, relations, measures and segments; made when the first query comes."""
        return SemanticModel(self.tables.catalog)

    async def query(
        self,
        given: Any,
        *,
        lang: str = "en",
        with_sql: bool = False,
        with_rows: bool = False,
        dry_run: bool = False,
    ) -> QueryOutcome:
        """Answer a query. What is wrong with it is a refusal; nothing is raised for what somebody wrote."""
        query = read_query(given)
        if isinstance(query, QueryValidationError):
            return QueryOutcome.refused(query)
        await self._look_up_units(query)
        tables, limit = self.tables, self.tables.row_limit
        try:
            if dry_run:
                found: Any = compile_only(query, self.model, tables.source, row_limit=limit, values=tables.profile)
            else:
                found = await run_query(query, self.model, tables.source, row_limit=limit, values=tables.profile)
            if isinstance(found, QueryValidationError):
                return QueryOutcome.refused(found)
            behind = await self._behind(found) if with_rows and isinstance(found, SemanticResult) else ()
        except QueryFailed as failure:
            return QueryOutcome(success=False, error=str(failure))
        data = self._data(found, lang, with_sql=with_sql)
        return QueryOutcome(success=True, data=data.model_copy(update={"behind": behind}))

    async def _behind(self, found: SemanticResult) -> tuple[FigureRows, ...]:
        """The rows behind the figures of a result, each figure computed from them a second time."""
        told: list[FigureRows] = []
        for number, row in enumerate(found.rows[:_MOST_OPENED]):
            behind = await rows_behind(found.query, self.model, self.tables.source, row)
            for one in behind if isinstance(behind, tuple) else ():
                told.append(
                    FigureRows(
                        row=number,
                        entity=one.entity,
                        number=one.number,
                        figure=None if one.figure is None else _plain(one.figure),
                        agrees=_agrees(found, row, one.figure),
                        rows=tuple(dict(record) for record in one.rows),
                    )
                )
        return tuple(told)

    async def run(self, query: SemanticQuery) -> SemanticResult | QueryValidationError:
        """The rows of a query that was composed here; raises `QueryFailed` where the engine cannot answer."""
        await self._look_up_units(query)
        tables = self.tables
        for _ in range(_MOST_APART):
            found = await run_query(query, self.model, tables.source, row_limit=tables.row_limit, values=tables.profile)
            apart = kept_apart(query, found, self.model) if isinstance(found, QueryValidationError) else None
            if apart is None:
                break
            query = apart
        narrowed = await self._in_unit_of_other(query, found) if isinstance(found, QueryValidationError) else None
        if narrowed is not None:
            found = await run_query(
                narrowed, self.model, tables.source, row_limit=tables.row_limit, values=tables.profile
            )
        return found

    async def _in_unit_of_other(self, query: SemanticQuery, problem: QueryValidationError) -> SemanticQuery | None:
        """Rows whose figure is compared with that of another row, in the unit of this one; nothing where it has several."""
        other = figure_compared_with(query, problem)
        told = await self.run(other) if other is not None else None
        if not isinstance(told, SemanticResult) or len(told.rows) != 1:
            return None
        by = [one for one in told.columns if one.dimension and one.dimension.field == problem.suggestion]
        unit = told.rows[0].get(by[0].column.name) if len(by) == 1 else None
        return compared_in(query, problem, unit) if isinstance(unit, str) else None

    async def checked(self, query: SemanticQuery) -> SemanticQuery | QueryValidationError:
        """A query in canonical form, its figures kept apart where they do not add up; or the first problem of it."""
        await self._look_up_units(query)
        for _ in range(_MOST_APART):
            found = check(query, self.model, self.tables.profile)
            apart = kept_apart(query, found, self.model) if isinstance(found, QueryValidationError) else None
            if apart is None:
                break
            query = apart
        return found

    def query_sync(
        self,
        given: Any,
        *,
        lang: str = "en",
        with_sql: bool = False,
        with_rows: bool = False,
        dry_run: bool = False,
    ) -> QueryOutcome:
        """`query`, for code that is not async."""
        if in_event_loop():
            raise UsageError("query_sync cannot run inside an event loop; write `await ...query(...)` there.")
        return asyncio.run(self.query(given, lang=lang, with_sql=with_sql, with_rows=with_rows, dry_run=dry_run))

    def _data(self, found: SemanticResult | DryRun, lang: str, *, with_sql: bool) -> QueryData:
        pieces = read_back(found.query, self.model, lang)
        understood = QueryData(
            read_back=sentence(pieces),
            pieces=tuple(WordedPiece(text=one.text, before=one.before, parts=one.parts) for one in pieces),
            query=to_json(found.query),
            sql=found.sql if with_sql else None,
        )
        if isinstance(found, DryRun):
            return understood
        answer = answer_text(found, self.model, lang, lang)
        columns = (
            QueryColumn(name=c.column.name, type=c.column.type, part=c.part, unit=c.unit, unit_column=c.unit_column)
            for c in found.columns
        )
        return understood.model_copy(
            update={
                "answer": answer.text,
                "cells": tuple(AnswerCell(start=c.start, end=c.end, row=c.row, column=c.column) for c in answer.cells),
                "columns": tuple(columns),
                "rows": tuple(dict(row) for row in found.rows),
                "row_count": len(found.rows),
                "truncated": found.truncated,
                "tied": found.tied,
                "overlapping": found.overlapping,
                "missing": tuple(MissingCount(field=m.field, rows=m.rows, of=m.of) for m in found.missing),
            }
        )

    async def _look_up_units(self, query: SemanticQuery) -> None:
        """The stored units of every entity that the query may add up: where all rows have one, it need not be said."""
        text = query.canonical_json()
        for entity, unit in self._unit_fields():
            thing = self.model.things[entity]
            if entity in text or any(name in text for name in thing.measures):
                await self.tables.load_values(entity, unit, declared=True)

    def _unit_fields(self) -> Iterator[tuple[str, str]]:
        for name, thing in self.model.things.items():
            units = {f.declared.unit_field for f in thing.fields.values() if f.declared and f.declared.unit_field}
            yield from ((name, unit) for unit in sorted(units) if unit in thing.fields)
