"""Excel workbooks: every sheet becomes a typed table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from veracity.errors import SourceError
from veracity.sources.csv_file import MAX_SCALE, read_csv
from veracity.sources.quoting import free_name, identifier

if TYPE_CHECKING:
    import duckdb


_LARGEST = 10.0**20


@dataclass(frozen=True, slots=True)
class _SheetColumn:
    name: str
    kind: str


def add_excel(connection: duckdb.DuckDBPyConnection, file: Path, taken: set[str], *, alone: bool) -> None:
    """Every sheet with data as a table."""
    import python_calamine

    try:
        workbook = python_calamine.CalamineWorkbook.from_path(str(file))
        sheets = {name: workbook.get_sheet_by_name(name).to_python() for name in workbook.sheet_names}
    except (python_calamine.CalamineError, OSError):
        raise SourceError(
            f"{file} cannot be read as an Excel file; check that it is complete and not protected by a password."
        ) from None
    filled = {name: rows for name, rows in sheets.items() if rows}
    if not filled:
        raise SourceError(f"{file} holds no sheet with data; a table needs at least a row with column names.")
    for sheet, rows in filled.items():
        name = file.stem if len(filled) == 1 else sheet if alone else f"{file.stem}_{sheet}"
        _create_sheet(connection, free_name(name, taken), rows)


def _create_sheet(connection: duckdb.DuckDBPyConnection, table: str, rows: list[list[Any]]) -> None:
    names = _headers(rows[0])
    body = [row for row in rows[1:] if any(cell != "" for cell in row)]
    columns = [_SheetColumn(name, _kind_of(row[i] for row in body)) for i, name in enumerate(names)]
    definition = ", ".join(f"{identifier(column.name)} {column.kind}" for column in columns)
    connection.execute(f"CREATE TABLE {identifier(table)} ({definition})")
    if not body:
        return
    # DuckDB inserts rows one by one from Python slowly; through a temporary CSV it takes them all at once.
    with TemporaryDirectory(prefix="veracity-") as folder:
        file = Path(folder) / "sheet.csv"
        with file.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(
                ",".join(_quoted(row[i], column.kind) for i, column in enumerate(columns)) + "\n" for row in body
            )
        options = {
            "delim": ",",
            "quote": '"',
            "escape": '"',
            "header": False,
            "nullstr": "",
            "max_line_size": 64_000_000,
        }
        call = read_csv(file, options, {column.name: column.kind for column in columns})
        connection.execute(f"INSERT INTO {identifier(table)} SELECT * FROM {call}")


def _headers(row: Sequence[Any]) -> list[str]:
    taken: set[str] = set()
    return [free_name(_plain(cell).strip() or f"column_{i}", taken) for i, cell in enumerate(row, 1)]


def _plain(cell: Any) -> str:
    """A cell as it looks: Excel keeps every number as a float."""
    return str(int(cell)) if isinstance(cell, float) and cell == int(cell) else str(cell)


def _kind_of(cells: Iterable[Any]) -> str:
    present = [cell for cell in cells if cell != ""]
    types = {type(cell) for cell in present}
    if types and types <= {bool}:
        return "BOOLEAN"
    if types and types <= {int, float}:
        return _number_kind(present)
    if types and types <= {date, datetime}:
        midnight = all(not isinstance(cell, datetime) or cell.time() == datetime.min.time() for cell in present)
        return "DATE" if midnight else "TIMESTAMP"
    return "VARCHAR"


def _number_kind(cells: Sequence[float]) -> str:
    if any(abs(cell) >= _LARGEST for cell in cells):
        return "DOUBLE"
    if all(cell == int(cell) and abs(cell) < 2**53 for cell in cells):
        return "BIGINT"
    scale = 0
    for cell in cells:
        exponent = Decimal(repr(cell)).as_tuple().exponent
        scale = max(scale, -exponent if isinstance(exponent, int) else 0)
    # Excel stores floats; up to ten decimals they were typed by a person, beyond that they were computed.
    return f"DECIMAL(38,{scale})" if scale <= MAX_SCALE else "DOUBLE"


def _quoted(cell: Any, kind: str) -> str:
    if cell == "":
        return ""
    if kind == "BIGINT":
        cell = int(cell)
    elif kind.startswith("DECIMAL"):
        cell = format(Decimal(repr(cell)), "f")
    elif kind == "DATE":
        cell = cell.date() if isinstance(cell, datetime) else cell
    elif kind == "VARCHAR":
        cell = _plain(cell)
    return '"' + str(cell).replace('"', '""') + '"'
