"""`veracity query`: a question in the words of the ontology, as JSON; checked, run, and answered in words."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.options import DataOptions, Json, NoOntology, opened_tables, read_language, with_options
from veracity.cli.tables import read_arguments
from veracity.errors import UsageError
from veracity.language.locale import printable
from veracity.yaml_file import read_bytes

if TYPE_CHECKING:
    from veracity.tools.semantic import FigureRows, QueryOutcome

_SUCH_AS = '{"show": ["revenue"], "by": ["Customer.country"]}'
_MOST_BYTES = 1_000_000
_SHOWN_RECORDS = 10


@with_options()
def query(
    query: Annotated[
        str, typer.Argument(help="The query as one JSON object, a file with it, or - for standard input.")
    ],
    data: DataOptions,
    no_ontology: NoOntology = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check only.")] = False,
    sql: Annotated[bool, typer.Option("--sql", help="Show the SQL, too.")] = False,
    rows: Annotated[bool, typer.Option("--rows", help="Show the rows behind each figure, too.")] = False,
    as_json: Json = False,
    lang: Annotated[str, typer.Option("--lang", help="Language of the answer: de, de-CH, de-DE, en or zh.")] = "en",
) -> None:
    """Answer one semantic query. Exit code 0: done, 1: refused by the check, 2: wrong usage or unreachable source."""
    from veracity.tools.semantic import SemanticTools

    code = read_language(lang) or "en"
    given = _given(query)
    with opened_tables(data, use_ontology=not no_ontology) as tables:
        asked = SemanticTools(tables).query(given, lang=code, with_sql=sql, with_rows=rows, dry_run=dry_run)
        outcome = asyncio.run(asked)
    if as_json:
        sys.stdout.buffer.write(outcome.model_dump_json().encode() + b"\n")
    else:
        show_outcome(outcome)
    if not outcome.success:
        raise typer.Exit(1 if outcome.error_details else 2)


def _given(query: str) -> dict[str, Any]:
    """The query from where it was said to be."""
    if query == "-":
        return read_arguments(sys.stdin.buffer.read(), what="The query is", such_as=_SUCH_AS)
    if query.lstrip()[:1] in ("{", "["):
        return read_arguments(query, what="The query is", such_as=_SUCH_AS)
    otherwise = f"; a query is a JSON object such as {_SUCH_AS}"
    held = read_bytes(Path(query), UsageError, most=_MOST_BYTES, too_long="a query is a few lines", otherwise=otherwise)
    return read_arguments(held, what=f"{query} is", such_as=_SUCH_AS)


def show_outcome(outcome: QueryOutcome) -> None:
    """What was understood and the answer to standard output; a refusal or failure to standard error."""
    from rich.console import Console
    from rich.text import Text

    from veracity.cli.show import show_refusal

    if outcome.error_details is not None:
        show_refusal(outcome.error_details)
        return
    if outcome.data is None:
        Console(stderr=True).print(Text(f"The query failed: {outcome.error}", style="red"), soft_wrap=True)
        return
    console, data = Console(), outcome.data
    if data.read_back.casefold() not in (data.answer or "").casefold():
        console.print(Text(printable(data.read_back), style="dim"), soft_wrap=True)
    for line in (data.answer or "valid").splitlines():
        console.print(Text(printable(line), style="bold" if data.answer else ""), soft_wrap=True)
    for behind in data.behind:
        _show_behind(behind)
    if data.sql is not None:
        console.print()
        console.print(Text(data.sql), soft_wrap=True)


def _show_behind(behind: FigureRows) -> None:
    """How many rows stand behind a figure, what they come to, and the first of them."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    same = {True: ", as in the answer", False: ", NOT as in the answer", None: ""}[behind.agrees]
    apart = f"; computed from them apart: {behind.figure}{same}" if behind.figure is not None else ""
    rows = "1 row" if behind.number == 1 else f"{behind.number} rows"
    console.print(Text(f"\nline {behind.row + 1}: {rows} of {behind.entity}{apart}"), soft_wrap=True)
    for record in behind.rows[:_SHOWN_RECORDS]:
        line = ", ".join(f"{name} {cell}" for name, cell in record.items())
        console.print(Text(f"  {printable(line)}", style="dim"), soft_wrap=True)
    if behind.number > _SHOWN_RECORDS:
        console.print(Text(f"  First {_SHOWN_RECORDS} rows shown; more with --json.", style="dim"))
