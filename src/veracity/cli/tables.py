"""`veracity tables`, `call`, `sql` and `inspect`: what a source holds, and one checked query."""

from __future__ import annotations

import asyncio
import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import DataOptions, Json, Language, NoOntology, opened_tables, with_options
from veracity.errors import SourceError, UsageError
from veracity.language.locale import printable

if TYPE_CHECKING:
    from veracity.contracts import FileProblem, FileReport, FileTable
    from veracity.tools.files import FileTools


@with_options()
def tables(
    data: DataOptions,
    no_ontology: NoOntology = False,
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Show the tables, fields, types and labels of a source."""
    from veracity.cli.show import show_entity
    from veracity.language.locale import language, pick

    lang = language(lang)
    with opened_tables(data, use_ontology=not no_ontology) as tools:
        entities = tools.catalog.entities.values()
        if not as_json:
            for entity in entities:
                show_entity(entity, lang)
            return
        listed = [
            {
                "tableName": entity.name,
                "label": pick(entity.declared.label, lang) if entity.declared else "",
                "fields": [
                    {
                        "name": f.column.name,
                        "type": f.column.type,
                        "nullable": f.column.nullable,
                        "label": pick(f.declared.label, lang) if f.declared else "",
                    }
                    for f in entity.fields.values()
                ],
            }
            for entity in entities
        ]
        typer.echo(json.dumps(listed, ensure_ascii=False))


@with_options()
def call(
    tool: Annotated[str, typer.Argument(help="browseTable, queryTable or aggregateTable.")],
    arguments: Annotated[
        str, typer.Argument(help="The arguments as one JSON object; - reads them from standard input.")
    ],
    data: DataOptions,
    no_ontology: NoOntology = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Validate only.")] = False,
    as_json: Json = False,
) -> None:
    """Run one tool call. Exit code 0: done, 1: refused by the validator, 2: wrong usage or unreachable source."""
    _check_tool(tool)
    parsed = read_arguments(sys.stdin.buffer.read() if arguments == "-" else arguments)
    with opened_tables(data, use_ontology=not no_ontology) as tools:
        result = asyncio.run((tools.dry_run if dry_run else tools.call)(tool, parsed))
    if as_json:
        sys.stdout.buffer.write(result.model_dump_json().encode() + b"\n")
    else:
        from veracity.cli.show import show_result

        show_result(result)
    if not result.success:
        raise typer.Exit(1 if result.error_details else 2)


def _check_tool(tool: str) -> None:
    from veracity.language.nearest import nearest
    from veracity.query.model import TOOLS

    if tool not in TOOLS:
        near = nearest(tool, TOOLS)
        raise UsageError(
            f"There is no tool {tool[:50]!r}; " + (f"did you mean {near}?" if near else f"use {', '.join(TOOLS)}.")
        )


def read_arguments(
    given: str | bytes, *, what: str = "The arguments are", such_as: str = '{"tableName": "..."}'
) -> dict[str, Any]:
    """One JSON object, such as the arguments of a call; numbers with decimals stay exact."""
    try:
        text = given.decode("utf-8") if isinstance(given, bytes) else given
        parsed = json.loads(text, parse_float=Decimal, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise UsageError(f"{what} not valid JSON: {error.msg} (line {error.lineno}, column {error.colno}).") from None
    except RecursionError:
        raise UsageError(f"{what} nested too deeply.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{what} not encoded in UTF-8.") from None
    except ArithmeticError:
        raise UsageError(f"{what} not valid JSON: a number in them is too large.") from None
    except ValueError as error:
        raise UsageError(f"{what} not valid JSON: {str(error).split(';', maxsplit=1)[0]}.") from None
    if not isinstance(parsed, dict):
        raise UsageError(f"{what} not one JSON object, such as {such_as}.")
    return parsed


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


# --- `veracity sql`


@with_options()
def sql(
    statement: Annotated[str, typer.Argument(help="One SELECT; - reads it from standard input.")],
    data: DataOptions,
    no_ontology: NoOntology = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check only.")] = False,
    as_json: Json = False,
) -> None:
    """Check one SELECT and run it. Exit code 0: done, 1: refused, 2: wrong usage or unreachable source."""
    from veracity.tools.sql import SqlTools

    text = _sql_from_standard_input() if statement == "-" else statement
    with opened_tables(data, use_ontology=not no_ontology) as tables:
        tools = SqlTools(tables)
        result = asyncio.run((tools.dry_run if dry_run else tools.call)("execute_sql_safe", {"sql": text}))
    if as_json:
        sys.stdout.buffer.write(result.model_dump_json().encode() + b"\n")
    else:
        from veracity.cli.show import show_result

        show_result(result)
    if not result.success:
        raise typer.Exit(1 if result.error_details else 2)


def _sql_from_standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("The SQL is not encoded in UTF-8.") from None


# --- `veracity inspect`


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
    from veracity.contracts import FileReport

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
        console.print(Text(printable(f"  {_problem_place(problem, len(report.tables))}{problem.what}")), soft_wrap=True)


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


def _problem_place(problem: FileProblem, tables: int) -> str:
    """The place of a problem, as the beginning of a line."""
    table = problem.table if tables > 1 else None
    row = f"row {problem.row}" if problem.row is not None else None
    place = ", ".join(part for part in (table, problem.column, row) if part)
    return f"{place}: " if place else ""
