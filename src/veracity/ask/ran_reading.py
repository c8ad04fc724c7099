"""A reading with its rows: whether two come to the same, and what traces, pages and receipts show of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from veracity.answer.render import FigureProvenance
from veracity.answer.results import ColumnFacts, Result
from veracity.answer.values import Arg
from veracity.contracts import (
    Cell,
    ResultColumn,
    TableData,
    ToolCallLog,
)
from veracity.language.numbers import written
from veracity.query.model import Call
from veracity.semantic.query import SemanticQuery, to_json
from veracity.semantic.result import ColumnPart, SemanticResult
from veracity.semantic.wording.answer_text import WordedAnswer
from veracity.sources.source import NUMERIC
from veracity.tools.semantic import SEMANTIC_TOOL

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class RanReading:
    """A reading with its rows."""

    query: SemanticQuery
    result: SemanticResult
    milliseconds: float

    def log(self, result_id: str) -> ToolCallLog:
        """The call as traces keep it."""
        return ToolCallLog(
            round=0,
            tool=SEMANTIC_TOOL,
            arguments=to_json(self.query),
            result_id=result_id,
            row_count=len(self.result.rows),
            milliseconds=round(self.milliseconds, 3),
        )


def differ(one: SemanticResult, other: SemanticResult) -> bool:
    """Whether two readings come to different rows."""
    return _comparable(one) != _comparable(other)


def different(ran: Sequence[RanReading]) -> list[RanReading]:
    """Of readings that come to the same rows the first one."""
    kept: list[RanReading] = []
    for one in ran:
        if all(differ(one.result, other.result) for other in kept):
            kept.append(one)
    return kept


def in_turn(queries: Sequence[SemanticQuery]) -> list[SemanticQuery]:
    """Queries about several things, one of each in turn, so that the first few are about all of them."""
    of_each = [[query for query in queries if query.of == name] for name in dict.fromkeys(one.of for one in queries)]
    return [query for some in zip_longest(*of_each) for query in some if query is not None]


def with_rows(ran: Sequence[RanReading]) -> list[RanReading]:
    """The readings that come to something, where several do: nobody means the income of expense accounts."""
    found = [one for one in ran if any(cell is not None for row in one.result.rows for cell in row.values())]
    return found if len(found) > 1 else list(ran)


def _comparable(result: SemanticResult) -> list[tuple[str, ...]]:
    names = [column.column.name for column in result.columns]
    return sorted(tuple(str(row[name]) for name in names) for row in result.rows)


def each_of(result: SemanticResult) -> Iterator[tuple[str, SemanticQuery]]:
    """The rows of a result one by one: what each is called, and the query that finds it alone."""
    entity = result.query.of or ""
    keys = [c for c in result.columns if c.part is ColumnPart.KEY and c.field]
    for row in result.rows:
        where = [{"field": f"{entity}.{c.field}", "value": row[c.column.name]} for c in keys]
        if where and all(part["value"] is not None for part in where):
            alone = SemanticQuery.model_validate({"of": entity, "where": where})
            names = [c for c in result.columns if c.part is ColumnPart.NAME] or keys
            yield " ".join(_plain(row[c.column.name]) for c in names), alone


def as_result(found: SemanticResult, result_id: str) -> Result:
    """The rows as every other result of a run, so that traces, pages and receipts can show them."""
    data = TableData(
        result_id=result_id,
        table_name=found.query.of or "",
        columns=tuple(ResultColumn(name=c.column.name, type=c.column.type) for c in found.columns),
        rows=tuple(dict(row) for row in found.rows),
        row_count=len(found.rows),
        truncated=found.truncated,
    )
    facts = {
        c.column.name: ColumnFacts(unit=c.unit, scale=c.column.scale, numeric=c.column.type in NUMERIC)
        for c in found.columns
    }
    keyed = (ColumnPart.KEY, ColumnPart.PERIOD) if not found.query.lists else (ColumnPart.KEY,)
    key = tuple(c.column.name for c in found.columns if c.part in keyed or c.dimension is not None)
    call = Call(tool=SEMANTIC_TOOL, table=found.query.of or "")
    lacking = tuple((one.rows, one.of) for one in found.missing)
    return Result(data, call, key, facts, {}, given=to_json(found.query), lacking=lacking)


def provenance_of(worded: WordedAnswer, result: Result, start: int) -> Iterator[FigureProvenance]:
    for place in worded.cells:
        row = result.data.rows[place.row]
        raw = row[place.column]
        key: dict[str, Any] = {name: _plain(row[name]) for name in result.key if name in row} or {"row": place.row}
        arg = Arg(result=result.data.result_id, row_key=key, column=place.column, raw=_raw(raw))
        yield FigureProvenance(
            span=(start + place.start, start + place.end),
            text=worded.text[place.start : place.end],
            value=None if raw is None else _plain(raw),
            kind="cell",
            args=(arg,),
        )


def _plain(cell: Cell) -> str:
    if isinstance(cell, Decimal):
        return written(cell)
    return cell.isoformat() if isinstance(cell, date | datetime) else str(cell)


def _raw(cell: Cell) -> Any:
    return cell if isinstance(cell, str | int | float | bool | None) else _plain(cell)
