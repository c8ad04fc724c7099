"""An answer as a table for programs: its rows, a data frame, HTML for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from html import escape
from typing import Any

from veracity.contracts import Cell, TableData
from veracity.errors import UsageError

_MOST_SHOWN = 50
"""So many rows a notebook shows; the frame has all of them."""


def rows_of(tables: Sequence[TableData]) -> list[dict[str, Cell]]:
    """The rows of the first result; an answer about one thing has one."""
    return [dict(row) for row in tables[0].rows] if tables else []


def frame_of(tables: Sequence[TableData]) -> Any:
    """The rows as a data frame of pandas, or of polars where only that is installed."""
    columns = [column.name for column in tables[0].columns] if tables else []
    rows = rows_of(tables)
    try:
        import pandas

        plain = [
            {name: float(cell) if isinstance(cell, Decimal) else cell for name, cell in row.items()} for row in rows
        ]
        return pandas.DataFrame(plain, columns=columns)
    except ImportError:
        pass
    try:
        import polars
    except ImportError:
        raise UsageError("to_frame needs pandas or polars; run: pip install pandas") from None
    return polars.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)


def html_of(text: str, tables: Sequence[TableData]) -> str:
    """The text, and the rows below it; nothing of either is markup."""
    lines = [escape(line) for line in text.splitlines()]
    if not tables or len(tables[0].rows) < 2:
        return f"<p>{'<br>'.join(lines)}</p>"
    said = lines[0] if lines else ""
    columns = [column.name for column in tables[0].columns]
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{'' if row.get(name) is None else escape(str(row.get(name)))}</td>" for name in columns)
        + "</tr>"
        for row in tables[0].rows[:_MOST_SHOWN]
    )
    more = (
        f"<p>First {_MOST_SHOWN} rows shown; there are {len(tables[0].rows)}.</p>"
        if len(tables[0].rows) > _MOST_SHOWN
        else ""
    )
    return f"<p>{said}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
