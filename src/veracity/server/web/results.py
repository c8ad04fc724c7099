"""The rows behind an answer: its validated call is run again, in the visitor's own scope; nothing was kept of them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from io import StringIO
from typing import get_args

from veracity.answer.answer import Answer, SourceQuery
from veracity.answer.figures import format_number, locale_of
from veracity.answer.render import NO_VALUE
from veracity.answer.results import ColumnFacts, Result, digest
from veracity.ask import DataAgent
from veracity.errors import SourceError
from veracity.locale import language, pick
from veracity.ontology.descriptor import Encoding
from veracity.server.problems import NotThere
from veracity.server.web.charts import Bars, bars_of
from veracity.tools.toolset import Kind, Toolset
from veracity.trace import Cell, TableData

MOST_ROWS = 100
"""Rows that a page shows; the file has all of them."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Reader:
    """The languages of a page with an answer on it."""

    lang: str
    """That of the page, for labels."""
    written: str
    """That of the answer: a figure looks the same in its text and in its rows."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A column as a page shows it."""

    name: str
    label: str
    numeric: bool


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The rows of a result, for people."""

    result: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[str, ...], ...]
    count: int
    truncated: bool
    changed: bool
    """The data is not what it was when the question was answered."""
    bars: Bars | None

    @property
    def caption(self) -> str:
        """What the bars show."""
        shown = next(one for one in self.headings if self.bars and one.name == self.bars.column)
        return shown.label or shown.name


def source_of(answer: Answer, result: str) -> SourceQuery:
    """The query of a result; raises `NotThere`."""
    found = next((one for one in answer.sources if one.result == result), None)
    if found is None:
        raise NotThere(f"The answer has no result {result[:20]!r}.")
    return found


async def run_again(agent: DataAgent, source: SourceQuery) -> Result:
    """The rows of a query as they are now; what is no longer allowed is not run."""
    tools = _tools(agent, source.tool)
    came = await tools.call(source.tool, source.arguments)
    if came.table is None:
        raise SourceError(f"The query cannot be run again: {came.error}")
    return tools.result(came.table, source.tool, source.arguments)


def _tools(agent: DataAgent, tool: str) -> Toolset:
    """The tools that know this one: the agent's own, or those of a skill."""
    if tool in agent.tools.names or agent.sibling is None:
        return agent.tools
    kinds: tuple[Kind, ...] = get_args(Kind)
    siblings = (agent.sibling(kind).tools for kind in kinds)
    return next((tools for tools in siblings if tool in tools.names), agent.tools)


def table_of(result: Result, answer: Answer, source: SourceQuery, agent: DataAgent, reader: Reader) -> ResultTable:
    """A result as a page shows it: labels, figures as the answer writes them, a chart where that helps."""
    ontology = agent.tools.catalog.ontology
    locale = locale_of(reader.written, (ontology.locale if ontology else None) or "de-DE")
    data = result.data
    headings = tuple(
        Heading(column.name, _label(agent, result, column.name, reader.lang), _is_number(data, column.name))
        for column in data.columns
    )
    shown = tuple(
        tuple(written_cell(row.get(one.name), result.columns.get(one.name), locale) for one in headings)
        for row in data.rows[:MOST_ROWS]
    )
    cited = [arg.column for figure in answer.provenance for arg in figure.args if arg.result == source.result]
    return ResultTable(
        result=source.result,
        headings=headings,
        rows=shown,
        count=data.row_count,
        truncated=data.truncated,
        changed=digest(data) != source.digest,
        bars=bars_of(result, locale, cited),
    )


def written_cell(cell: Cell, facts: ColumnFacts | None, locale: str) -> str:
    """A cell for people: amounts grouped, moments as dates, nothing rounded."""
    if cell is None:
        return pick(NO_VALUE, language(locale))
    if facts is not None and facts.encoding is not None and isinstance(cell, int):
        return _moment(cell, facts.encoding)
    if isinstance(cell, Decimal) and cell.is_finite():
        return format_number(cell, locale, decimals=None)
    return str(cell)


def _moment(cell: int, encoding: Encoding) -> str:
    """The date of a stored moment, with its time unless that is midnight; a number that is no date stays one."""
    try:
        moment = _EPOCH + timedelta(seconds=cell / (1000 if encoding is Encoding.UNIX_MILLISECONDS else 1))
    except OverflowError:
        return str(cell)
    return f"{moment:%Y-%m-%d}" if moment.time() == time() else f"{moment:%Y-%m-%d %H:%M}"


def _label(agent: DataAgent, result: Result, name: str, lang: str) -> str:
    """What people call a column; of an aggregate, what was aggregated, and how."""
    entity = agent.tools.catalog.entities.get(result.call.table)
    if entity is None:
        return ""
    aggregate = result.call.aggregate if name not in entity.fields else None
    facts = entity.fields.get(result.call.target or "" if aggregate else name)
    said = pick(facts.declared.label, lang) if facts and facts.declared else ""
    return f"{said} ({aggregate})" if said and aggregate else said


def _is_number(data: TableData, name: str) -> bool:
    cells = [row.get(name) for row in data.rows]
    return any(isinstance(cell, int | float | Decimal) for cell in cells) and not any(
        isinstance(cell, str) for cell in cells
    )


def as_csv(data: TableData) -> str:
    """All rows, as they are stored; a text that a spreadsheet would take for a formula is marked as a text."""
    stream = StringIO()
    writer = csv.writer(stream)
    names = [column.name for column in data.columns]
    writer.writerow(names)
    for row in data.rows:
        writer.writerow([_field(row.get(name)) for name in names])
    return stream.getvalue()


def _field(cell: Cell) -> str:
    if cell is None:
        return ""
    text = format(cell, "f") if isinstance(cell, Decimal) else str(cell)
    return f"'{text}" if isinstance(cell, str) and text.startswith(_FORMULA) else text
