"""Answers as files: the rows with labels and real dates as CSV, Excel or Markdown, beside them what proves them; charts as SVG.

The query is run again, in the visitor's own scope. The file says whether its rows are those that the answer was made from.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from io import BytesIO, StringIO
from math import isfinite
from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.answer.results import Result, digest
from veracity.contracts import Cell
from veracity.server.problems import NotThere
from veracity.server.web.drawing import svg_of
from veracity.server.web.figures import query_text
from veracity.server.web.traces import column_label, dated, read_trace, run_again, shown_again, source_of
from veracity.server.web.visit import PageRoute, Visit, Visitor
from veracity.tools.semantic import SEMANTIC_TOOL

if TYPE_CHECKING:
    from openpyxl.cell import Cell as SheetCell
    from openpyxl.cell import MergedCell
    from openpyxl.worksheet.worksheet import Worksheet

    from veracity.agent.recorder import KeptTrace
    from veracity.answer.answer import Answer, SourceQuery
    from veracity.ask.data_agent import DataAgent

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_FORMULA, _BLANK = tuple("=+-@＝＋－＠"), ("\t", "\r", "\n")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|!~$&])")
_EXACT_DIGITS = 15
"""A spreadsheet rounds numbers that have more; they go out as texts."""
_LONGEST_CELL, _WIDEST = 32_767, 60


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """The rows of a result: labels, and cells with moments as dates."""

    result: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, result: Result, name: str, agent: DataAgent, lang: str) -> ExportedTable:
        """A result with its columns as people call them; of two with the same label, each is told by its name, too."""
        names = [column.name for column in result.data.columns]
        labels = [column_label(agent, result, one, lang) or one for one in names]
        seen = Counter(labels)
        headings = tuple(
            f"{label} ({one})" if seen[label] > 1 else label for label, one in zip(labels, names, strict=True)
        )
        rows = tuple(tuple(dated(row.get(one), agent, result, one) for one in names) for row in result.data.rows)
        return cls(name, headings, rows)


ProofLines = tuple[tuple[str, str], ...]
"""What is told beside the rows, line by line: what it is, and its text."""


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """An answer with its rows and what proves them."""

    trace_id: str
    question: str
    text: str
    tables: tuple[ExportedTable, ...]
    proof: ProofLines


async def exported(visit: Visit, trace_id: str, only: str | None = None) -> ExportedAnswer:
    """The answer of a trace, with all its results or with one."""
    read = await run_in_threadpool(read_trace, visit, trace_id)
    if read.answer is None:
        raise NotThere(visit.say("trace.unfinished"))
    agent = await run_in_threadpool(visit.agent)
    sources = read.answer.sources if only is None else (source_of(read.answer, only),)
    came = [(source, await run_again(agent, source)) for source in sources]
    tables = tuple(ExportedTable.of(result, source.result, agent, visit.lang) for source, result in came)
    dialect = agent.tools.source.dialect
    proof = [*_about(visit, read, read.answer)]
    for source, result in came:
        proof += _about_rows(visit, source, result, query_text(source.tool, source.arguments, dialect))
    return ExportedAnswer(read.record.trace_id, read.answer.question, read.answer.text, tables, tuple(proof))


def _about(visit: Visit, read: KeptTrace, answer: Answer) -> Iterator[tuple[str, str]]:
    yield visit.say("export.question"), answer.question
    understood = answer.read_back or str(read.record.body.get("understoodAs") or "")
    if understood:
        yield visit.say("trace.understood"), understood
    yield visit.say("trace.answer"), answer.text
    yield visit.say("trace.asked"), f"{read.record.started_at:%Y-%m-%dT%H:%M:%SZ}"
    yield visit.say("answer.trace"), read.record.trace_id


def _about_rows(visit: Visit, source: SourceQuery, result: Result, query: str) -> Iterator[tuple[str, str]]:
    now = digest(result.data)
    yield f"{visit.say('proof.query')} {source.result}", query
    yield visit.say("answer.rows"), visit.say("rows", count=result.data.row_count)
    if result.data.truncated:
        yield "", visit.say("result.truncated")
    yield "SHA-256", source.digest
    if now == source.digest:
        yield "", visit.say("export.same")
    else:
        yield "", visit.say("result.changed")
        yield visit.say("export.now"), now


# --- CSV


def as_csv(table: ExportedTable, proof: ProofLines = ()) -> str:
    """The rows, then an empty line and the proof; a text that a spreadsheet would take for a formula is marked as a text."""
    stream = StringIO()
    writer = csv.writer(stream)
    writer.writerow([harmless(one) for one in table.headings])
    for row in table.rows:
        writer.writerow([harmless(cell) if isinstance(cell, str) else plain(cell) for cell in row])
    if proof:
        writer.writerow([])
        writer.writerows((harmless(name), harmless(said)) for name, said in proof)
    return stream.getvalue()


def plain(cell: Cell) -> str:
    """A cell without decoration: no grouping, no rounding, dates in ISO form; nothing for no value."""
    if cell is None:
        return ""
    if isinstance(cell, Decimal):
        return format(cell, "f")
    return cell.isoformat() if isinstance(cell, date) else str(cell)


def harmless(text: str) -> str:
    """A text that no spreadsheet runs: an apostrophe before what begins like a formula."""
    return f"'{text}" if text.startswith(_BLANK) or text.lstrip().startswith(_FORMULA) else text


# --- Markdown


def as_markdown(answer: ExportedAnswer, heading: str) -> str:
    """Question, answer, each table, and the proof; what the data holds is shown and neither a link nor HTML."""
    lines = [f"# {_one_line(answer.question)}", "", *(_escaped(line) for line in answer.text.splitlines())]
    for table in answer.tables:
        lines += ["", f"## {table.result}", "", *_markdown_table(table)]
    lines += ["", f"## {heading}", ""]
    for name, said in answer.proof:
        before = f"{_one_line(name)}: " if name else ""
        lines += ["- " + before.rstrip(), "", *_fenced(said), ""] if "\n" in said else [f"- {before}{_one_line(said)}"]
    return "\n".join(lines) + "\n"


def _markdown_table(table: ExportedTable) -> Iterator[str]:
    yield "| " + " | ".join(_one_line(one) for one in table.headings) + " |"
    yield "|" + " --- |" * len(table.headings)
    for row in table.rows:
        yield "| " + " | ".join(_one_line(plain(cell)) for cell in row) + " |"


def _fenced(text: str) -> Iterator[str]:
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`+", text))])
    yield f"  {fence}"
    yield from (f"  {line}" for line in text.splitlines())
    yield f"  {fence}"


def _one_line(text: str) -> str:
    return " ".join(_escaped(text).split())


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)


# --- Excel


def as_workbook(answer: ExportedAnswer, heading: str) -> bytes:
    """A sheet for each result and one for the proof: numbers as numbers, dates as dates, texts as texts and never as formulas."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.worksheets[0])
    for table in answer.tables:
        _fill_sheet(book.create_sheet(table.result[:31]), table.headings, table.rows)
    _fill_sheet(book.create_sheet(heading[:31]), (), answer.proof)
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


def _fill_sheet(sheet: Worksheet, headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    lines: list[Sequence[Cell]] = [headings, *rows] if headings else list(rows)
    for at, line in enumerate(lines, 1):
        for place, cell in enumerate(line, 1):
            _fill_cell(sheet.cell(at, place), cell)
    for place in range(1, max((len(line) for line in lines), default=0) + 1):
        widest = max(len(plain(line[place - 1])) for line in lines)
        sheet.column_dimensions[get_column_letter(place)].width = min(_WIDEST, widest + 2)
        if headings:
            sheet.cell(1, place).font = Font(bold=True)
    if headings:
        sheet.freeze_panes = "A2"


def _fill_cell(cell: SheetCell | MergedCell, value: Cell) -> None:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if value is None or value == "":
        return
    if isinstance(value, datetime):
        # A sheet knows no time zones.
        cell.value, cell.number_format = value.replace(tzinfo=None), "yyyy-mm-dd hh:mm:ss"
    elif isinstance(value, date):
        cell.value, cell.number_format = value, "yyyy-mm-dd"
    elif isinstance(value, bool) or (isinstance(value, int | float | Decimal) and _is_exact(value)):
        cell.value = value
        decimals = -int(value.as_tuple().exponent) if isinstance(value, Decimal) else 0
        cell.number_format = f"0.{'0' * decimals}" if decimals > 0 else "General"
    else:
        cell.value = ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", plain(value))[:_LONGEST_CELL]
        # Without this, a text that begins with = would be a formula.
        cell.data_type, cell.quotePrefix = "s", str(value).lstrip().startswith(_FORMULA)


def _is_exact(value: float | Decimal) -> bool:
    """Whether a spreadsheet keeps every digit of a number."""
    if isinstance(value, Decimal):
        return (
            value.is_finite() and len(format(value, "f").replace("-", "").replace(".", "").lstrip("0")) <= _EXACT_DIGITS
        )
    return len(str(abs(value))) <= _EXACT_DIGITS if isinstance(value, int) else isfinite(value)


# --- the files


def _file(content: str | bytes, name: str, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


@router.get("/traces/{trace_id}/results/{result}.csv")
async def csv_file(visit: Visitor, trace_id: str, result: str) -> Response:
    """One result of an answer."""
    made = await exported(visit, trace_id, result)
    (table,) = made.tables
    written = await run_in_threadpool(as_csv, table, made.proof)
    return _file(written, f"{made.trace_id}-{table.result}.csv", "text/csv; charset=utf-8")


@router.get("/traces/{trace_id}/results/{result}.svg")
async def chart_file(visit: Visitor, trace_id: str, result: str, chart: str = "") -> Response:
    """The chart of a result as a drawing."""
    read = await run_in_threadpool(read_trace, visit, trace_id)
    agent = await run_in_threadpool(visit.agent)
    source = source_of(read.answer, result) if read.answer is not None else None
    if source is None or source.tool != SEMANTIC_TOOL or agent.semantic is None:
        raise NotThere(visit.say("chart.none"))
    shown = await shown_again(agent, source, read.record.lang or visit.lang, chart=chart)
    if shown.chart is None:
        raise NotThere(visit.say("chart.none"))
    drawn = svg_of(shown.chart, background=True)
    return _file(drawn, f"{read.record.trace_id}-{source.result}.svg", "image/svg+xml")


@router.get("/traces/{trace_id}/answer.md")
async def markdown_file(visit: Visitor, trace_id: str) -> Response:
    """An answer with all its results."""
    made = await exported(visit, trace_id)
    written = await run_in_threadpool(as_markdown, made, visit.say("export.proof"))
    return _file(written, f"{made.trace_id}.md", "text/markdown; charset=utf-8")


@router.get("/traces/{trace_id}/answer.xlsx")
async def excel_file(visit: Visitor, trace_id: str) -> Response:
    """An answer with all its results, and the proof on a sheet of its own."""
    made = await exported(visit, trace_id)
    written = await run_in_threadpool(as_workbook, made, visit.say("export.proof"))
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return _file(written, f"{made.trace_id}.xlsx", kind)
