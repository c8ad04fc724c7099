"""Results for people: rich tables that tell NULL from an empty text, and figures that line up."""

from __future__ import annotations

from decimal import Decimal

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from veracity.locale import pick, printable
from veracity.query.catalog import CatalogEntity
from veracity.trace import Cell, QueryValidationError, TableData, ToolResult, written

_WIDEST = 10_000
_FIGURES = ("integer", "decimal", "float")


def show_result(result: ToolResult) -> None:
    """Rows to standard output; a refusal or failure to standard error."""
    if result.table is not None:
        show_rows(result.table)
    elif result.error_details is not None:
        show_refusal(result.error_details)
    elif not result.success:
        Console(stderr=True).print(Text(f"The call failed: {result.error}", style="red"), soft_wrap=True)
    else:
        Console().print("valid")


def show_rows(data: TableData) -> None:
    """The rows as a table, or one below the other where a table would break figures; then how many there are."""
    console = Console()
    table = Table(header_style="bold")
    for column in data.columns:
        table.add_column(escape(column.name), justify="right" if column.type in _FIGURES else "left", no_wrap=True)
    for row in data.rows:
        table.add_row(*(_cell(row[column.name]) for column in data.columns))
    width = console.measure(table, options=console.options.update(max_width=_WIDEST)).maximum
    if width <= console.width:
        console.print(table)
    elif console.is_terminal:
        _show_records(console, data)
    else:
        # Nobody looks at the width of a file or a pipe.
        Console(width=width).print(table)
    more = "; more rows matched than are shown" if data.truncated else ""
    count = f"{data.row_count} row{'' if data.row_count == 1 else 's'}"
    console.print(Text(f"{data.result_id}: {count} of {data.table_name}{more}", style="dim"), soft_wrap=True)


def _show_records(console: Console, data: TableData) -> None:
    longest = max(len(column.name) for column in data.columns)
    for number, row in enumerate(data.rows, 1):
        console.print(Text(f"row {number}", style="dim"))
        for column in data.columns:
            console.print(Text(f"  {column.name:<{longest}}  ").append_text(_cell(row[column.name])), soft_wrap=True)


def _cell(value: Cell) -> Text:
    if value is None:
        return Text("NULL", style="dim italic")
    if isinstance(value, Decimal):
        return Text(written(value))
    text = str(value).lower() if isinstance(value, bool) else str(value)
    # A cell is data: what would move the cursor or colour the terminal is shown as a mark.
    return Text(printable(text))


def show_refusal(problem: QueryValidationError) -> None:
    """Why a call was refused, and what to write instead."""
    console = Console(stderr=True)
    console.print(Text.assemble(("refused  ", "bold red"), (problem.code, "bold"), f"  {problem.hint}"), soft_wrap=True)
    for name, value in (("field", problem.field), ("try", problem.suggestion)):
        if value:
            console.print(Text(f"{name:>7}  {value}"), soft_wrap=True)


def show_entity(entity: CatalogEntity, lang: str) -> None:
    """The fields of one table with types and labels."""
    console = Console()
    label = pick(entity.declared.label, lang) if entity.declared else ""
    kind = " (view)" if entity.view is not None else ""
    console.print(Text.assemble((entity.name, "bold"), kind, f"  {label}" if label else ""))
    table = Table(box=None, padding=(0, 2, 0, 2), header_style="dim")
    for heading in ("field", "type", "label"):
        table.add_column(heading)
    for facts in entity.fields.values():
        labels = facts.declared.label if facts.declared else {}
        table.add_row(Text(facts.column.name), facts.column.type, Text(pick(labels, lang)))
    console.print(table)
