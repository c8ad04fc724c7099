"""Files and folders of CSV, Parquet and Excel, read through a locked in-memory DuckDB."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from veracity.errors import SourceError
from veracity.settings import Settings
from veracity.sources.duck import locked_source
from veracity.sources.engine import SqlSource

if TYPE_CHECKING:
    import duckdb

CSV_SUFFIXES = frozenset({".csv", ".tsv"})
EXCEL_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xls", ".ods"})
SUFFIXES = CSV_SUFFIXES | EXCEL_SUFFIXES | {".parquet"}

_READ_WHOLE = 256_000_000
"""Up to this size a CSV file is read once to the end when it is opened, so that types and encoding are sure."""
_MAX_EXCEL = 200_000_000
_MAX_SCALE = 10
_GLOB = re.compile(r"[*?\[\]{}]")


def open_files(path: Path, settings: Settings) -> SqlSource:
    """One file, or every CSV, Parquet and Excel file of a folder, each as a table."""
    import duckdb

    files = _files_of(path)
    connection = duckdb.connect(
        ":memory:", config={"memory_limit": settings.memory_limit, "autoinstall_known_extensions": "false"}
    )
    taken: set[str] = set()
    for file in files:
        _check_file(file, settings)
        try:
            _add(connection, file, taken, alone=path.is_file())
        except duckdb.Error as error:
            raise SourceError(_file_failure(file, str(error))) from None
    connection.execute("SET allowed_paths = ?", [[str(file) for file in files]])
    connection.execute("SET timezone = 'UTC'")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return locked_source(connection, path.name, settings)


def _files_of(path: Path) -> list[Path]:
    if path.is_file():
        return [path.resolve()]
    files = sorted(
        f.resolve()
        for f in path.iterdir()
        if f.is_file() and f.suffix.lower() in SUFFIXES and not f.name.startswith((".", "~$"))
    )
    if not files:
        raise SourceError(f"{path} holds no CSV, Parquet or Excel file; name a folder that does.")
    return files


def _check_file(file: Path, settings: Settings) -> None:
    size = file.stat().st_size
    if size == 0:
        raise SourceError(f"{file} is empty; a table needs at least a line with column names.")
    if _GLOB.search(str(file)):
        raise SourceError(f"{file} cannot be read: its path has one of * ? [ ] {{ }}; rename it.")
    if file.suffix.lower() in CSV_SUFFIXES and size > settings.max_text_file:
        raise SourceError(
            f"{file} has {size / 1e9:.1f} GB; CSV is read up to {settings.max_text_file / 1e9:.1f} GB: "
            "convert it to Parquet or a DuckDB file, or raise VERACITY_MAX_TEXT_FILE."
        )
    if file.suffix.lower() in EXCEL_SUFFIXES and size > _MAX_EXCEL:
        raise SourceError(
            f"{file} has {size / 1e6:.0f} MB; Excel is read up to {_MAX_EXCEL / 1e6:.0f} MB: save it as CSV or Parquet."
        )


def _file_failure(file: Path, message: str) -> str:
    if "utf-8" in message.lower() or "unicode" in message.lower():
        return _not_utf8(file)
    return f"{file} cannot be read as {file.suffix[1:].upper()}; check that it is complete and really of that kind."


def _not_utf8(file: Path) -> str:
    return f"{file} is not encoded in UTF-8; save it as UTF-8 (in Excel: CSV UTF-8) and try again."


def _add(connection: duckdb.DuckDBPyConnection, file: Path, taken: set[str], *, alone: bool) -> None:
    suffix = file.suffix.lower()
    if suffix in EXCEL_SUFFIXES:
        _add_excel(connection, file, taken, alone=alone)
    elif suffix in CSV_SUFFIXES:
        _check_utf8(file)
        connection.execute(
            f"CREATE VIEW {_identifier(_free_name(file.stem, taken))} AS SELECT * FROM {_read_csv(connection, file)}"
        )
    else:
        connection.execute(
            f"CREATE VIEW {_identifier(_free_name(file.stem, taken))} AS SELECT * FROM read_parquet({_literal(str(file))})"
        )


def _free_name(name: str, taken: set[str]) -> str:
    candidate, number = name, 2
    while candidate.casefold() in taken:
        candidate, number = f"{name}_{number}", number + 1
    taken.add(candidate.casefold())
    return candidate


def _check_utf8(file: Path) -> None:
    decoder, left = codecs.getincrementaldecoder("utf-8")(), _READ_WHOLE
    try:
        with file.open("rb") as stream:
            while left > 0 and (chunk := stream.read(4 * 1024 * 1024)):
                decoder.decode(chunk)
                left -= len(chunk)
            if left > 0:
                decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise SourceError(_not_utf8(file)) from None
    except OSError as error:
        raise SourceError(f"{file} cannot be read: {(error.strerror or 'unknown reason').lower()}.") from None


# --- CSV


def _read_csv(connection: duckdb.DuckDBPyConnection, file: Path) -> str:
    """The read_csv(...) call for a file: dialect and types are found once, here, not at every query."""
    sample = -1 if file.stat().st_size <= _READ_WHOLE else 200_000
    sniffed = connection.execute(
        "SELECT Delimiter, Quote, Escape, SkipRows, HasHeader, DateFormat, TimestampFormat, Columns FROM sniff_csv(?, sample_size = ?)",
        [str(file), sample],
    ).fetchone()
    assert sniffed is not None
    delimiter, quote, escape, skip, header, date_format, timestamp_format, columns = sniffed
    names = [column["name"] for column in columns]
    types = {column["name"]: column["type"] for column in columns}
    options = {
        "delim": delimiter,
        "quote": "" if quote == "(empty)" else quote,
        "escape": "" if escape == "(empty)" else escape,
        "skip": skip,
        "header": header,
        "dateformat": date_format,
        "timestampformat": timestamp_format,
        "auto_detect": False,
        "allow_quoted_nulls": False,
    }
    if sample == -1:
        as_text = _call("read_csv", file, options, dict.fromkeys(names, "VARCHAR"))
        types |= _exact_decimals(connection, as_text, [name for name in names if types[name] == "DOUBLE"])
    return _call("read_csv", file, options, types)


def _exact_decimals(connection: duckdb.DuckDBPyConnection, relation: str, names: Sequence[str]) -> dict[str, str]:
    """The columns of plain decimal numbers, which must not become floats, with a scale that fits every value."""
    if not names:
        return {}
    parts = []
    for name in names:
        text = f"trim({_identifier(name)})"
        parts += [
            rf"coalesce(bool_and({text} = '' OR regexp_full_match({text}, '[+-]?\d{{0,20}}(\.\d{{0,{_MAX_SCALE}}})?')), false)",
            rf"coalesce(max(length(regexp_extract({text}, '\.(\d*)$', 1))), 0)",
        ]
    found = connection.execute(f"SELECT {', '.join(parts)} FROM {relation}").fetchone()
    assert found is not None
    return {name: f"DECIMAL(38,{found[2 * i + 1]})" for i, name in enumerate(names) if found[2 * i]}


def _call(function: str, file: Path, options: dict[str, Any], types: dict[str, str]) -> str:
    columns = ", ".join(f"{_literal(name)}: {_literal(kind)}" for name, kind in types.items())
    given = ", ".join(f"{key} = {_literal(value)}" for key, value in options.items() if value is not None)
    return f"{function}({_literal(str(file))}, columns = {{{columns}}}, {given})"


def _literal(value: Any) -> str:
    if isinstance(value, bool | int):
        return str(value).lower()
    return "'" + str(value).replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# --- Excel


@dataclass(frozen=True, slots=True)
class _SheetColumn:
    name: str
    kind: str


def _add_excel(connection: duckdb.DuckDBPyConnection, file: Path, taken: set[str], *, alone: bool) -> None:
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
        _create_sheet(connection, _free_name(name, taken), rows)


def _create_sheet(connection: duckdb.DuckDBPyConnection, table: str, rows: list[list[Any]]) -> None:
    names = _headers(rows[0])
    body = [row for row in rows[1:] if any(cell != "" for cell in row)]
    columns = [_SheetColumn(name, _kind_of(row[i] for row in body)) for i, name in enumerate(names)]
    definition = ", ".join(f"{_identifier(column.name)} {column.kind}" for column in columns)
    connection.execute(f"CREATE TABLE {_identifier(table)} ({definition})")
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
            "auto_detect": False,
            "allow_quoted_nulls": False,
            "nullstr": "",
            "max_line_size": 64_000_000,
        }
        call = _call("read_csv", file, options, {column.name: column.kind for column in columns})
        connection.execute(f"INSERT INTO {_identifier(table)} SELECT * FROM {call}")


def _headers(row: Sequence[Any]) -> list[str]:
    taken: set[str] = set()
    return [_free_name(str(cell).strip() or f"column_{i}", taken) for i, cell in enumerate(row, 1)]


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
    if all(cell == int(cell) and abs(cell) < 2**53 for cell in cells):
        return "BIGINT"
    scale = 0
    for cell in cells:
        exponent = Decimal(repr(cell)).as_tuple().exponent
        scale = max(scale, -exponent if isinstance(exponent, int) else 0)
    # Excel stores floats; up to ten decimals they were typed by a person, beyond that they were computed.
    return f"DECIMAL(38,{scale})" if scale <= _MAX_SCALE else "DOUBLE"


def _quoted(cell: Any, kind: str) -> str:
    if cell == "":
        return ""
    if kind == "BIGINT":
        cell = int(cell)
    elif kind.startswith("DECIMAL"):
        cell = format(Decimal(repr(cell)), "f")
    elif kind == "DATE":
        cell = cell.date() if isinstance(cell, datetime) else cell
    elif kind == "VARCHAR" and isinstance(cell, float) and cell == int(cell):
        cell = int(cell)
    return '"' + str(cell).replace('"', '""') + '"'
