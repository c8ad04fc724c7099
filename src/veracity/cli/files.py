"""`veracity inspect`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from veracity.cli.options import Json
from veracity.errors import SourceError, UsageError
from veracity.locale import printable

if TYPE_CHECKING:
    from veracity.tools.files import FileTools
    from veracity.trace import FileProblem, FileReport, FileTable

_DELIMITERS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}


def inspect(
    file: Annotated[str, typer.Argument(help="A CSV, JSON lines, Parquet or Excel file, or a folder of them.")],
    as_json: Json = False,
) -> None:
    """Show what a file holds: its tables, columns and types, and the problems found in it."""
    from veracity.sources.files import FileSource
    from veracity.sources.open import open_source
    from veracity.tools.files import FileTools
    from veracity.tools.tables import TableTools

    source = open_source(file)
    try:
        if not isinstance(source, FileSource):
            raise UsageError(f"{source.name} is a database; 'veracity tables --source ...' shows its tables.")
        reports = asyncio.run(_reports(FileTools(TableTools(source)), [facts.name for facts in source.files]))
    finally:
        source.close()
    for report in reports:
        if as_json:
            sys.stdout.buffer.write(report.model_dump_json().encode() + b"\n")
        else:
            show_report(report)


async def _reports(tools: FileTools, names: list[str]) -> list[FileReport]:
    """A report on each file."""
    from veracity.trace import FileReport

    reports = []
    for name in names:
        result = await tools.call("inspect_file", {"file": name})
        if not isinstance(result.data, FileReport):
            raise SourceError(f"{Path(name).name} cannot be inspected: {result.error}")
        reports.append(result.data)
    return reports


def show_report(report: FileReport) -> None:
    """The report for people."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    apart = f"fields apart by {_DELIMITERS[report.delimiter]}" if report.delimiter else None
    about = ", ".join(part for part in (report.format, report.encoding, apart) if part)
    console.print(Text.assemble((printable(report.file), "bold"), f"  {about}"), soft_wrap=True)
    if len(report.sheets) > 1:
        sheets = ", ".join(
            f"{s.name}{' (hidden)' if s.hidden else '' if s.used else ' (empty)'}" for s in report.sheets
        )
        console.print(Text(f"sheets: {printable(sheets)}"), soft_wrap=True)
    for table in report.tables:
        _show_table(table)
    if report.problems:
        console.print(Text("problems found", style="bold"))
    for problem in report.problems:
        console.print(Text(printable(f"  {_where(problem, len(report.tables))}{problem.what}")), soft_wrap=True)


def _show_table(table: FileTable) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    part = f"; counted in the first {table.examined:,}" if table.examined < table.row_count else ""
    rows = f"{table.row_count:,} row{'' if table.row_count == 1 else 's'}{part}"
    console.print(Text.assemble((printable(table.name), "bold"), f"  {rows}"), soft_wrap=True)
    shown = Table(box=None, padding=(0, 2, 0, 2), header_style="dim")
    for heading in ("column", "type", "missing", "different", "examples"):
        shown.add_column(heading, justify="right" if heading in ("missing", "different") else "left")
    for column in table.columns:
        different = f"about {column.distinct:,}" if table.approximate else f"{column.distinct:,}"
        examples = Text(" | ".join(column.sample))
        shown.add_row(Text(printable(column.name)), column.type, f"{column.nulls:,}", different, examples)
    console.print(shown)


def _where(problem: FileProblem, tables: int) -> str:
    """The place of a problem, as the beginning of a line."""
    table = problem.table if tables > 1 else None
    row = f"row {problem.row}" if problem.row is not None else None
    place = ", ".join(part for part in (table, problem.column, row) if part)
    return f"{place}: " if place else ""
