"""Files and folders of CSV, Parquet and Excel, read through a DuckDB index of their own, locked like any other."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from veracity.errors import SourceError
from veracity.settings import Settings
from veracity.sources.csv_file import csv_select, not_utf8
from veracity.sources.duck import engine_config, lock, locked_source
from veracity.sources.engine import SqlSource
from veracity.sources.excel_file import add_excel
from veracity.sources.quoting import free_name, identifier, literal

if TYPE_CHECKING:
    import duckdb

CSV_SUFFIXES = frozenset({".csv", ".tsv"})
EXCEL_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xls", ".ods"})
SUFFIXES = CSV_SUFFIXES | EXCEL_SUFFIXES | {".parquet"}

_MAX_EXCEL = 200_000_000
_GLOB = re.compile(r"[*?\[\]{}]")


def open_files(path: Path, settings: Settings) -> SqlSource:
    """One file, or every CSV, Parquet and Excel file of a folder, each as a table."""
    files = _files_of(path)
    for file in files:
        _check_file(file, settings)
    with ExitStack() as undo:
        folder = undo.enter_context(TemporaryDirectory(prefix="veracity-", ignore_cleanup_errors=True))
        index = Path(folder) / "files.duckdb"
        _build_index(index, files, settings, alone=path.is_file())
        connection = undo.enter_context(_open_index(index, files, settings))
        kept = ExitStack()
        source = locked_source(connection, path.name, settings, dispose=kept.close)
        kept.push(undo.pop_all())  # all is well: closing the source tidies up
    return source


def _build_index(index: Path, files: list[Path], settings: Settings, *, alone: bool) -> None:
    """A database of views over CSV and Parquet files, and of tables with the rows of workbooks."""
    import duckdb

    taken: set[str] = set()
    with duckdb.connect(str(index), config=engine_config(settings)) as connection:
        for file in files:
            try:
                _add(connection, file, taken, alone=alone)
            except duckdb.Error as error:
                raise SourceError(_file_failure(file, str(error))) from None


def _open_index(index: Path, files: list[Path], settings: Settings) -> duckdb.DuckDBPyConnection:
    """The index, read-only; from here on the engine can reach these files and no others."""
    import duckdb

    connection = duckdb.connect(str(index), read_only=True, config=engine_config(settings))
    connection.execute("SET allowed_paths = ?", [[str(file) for file in files]])
    lock(connection)
    return connection


def _files_of(path: Path) -> list[Path]:
    if path.is_file():
        return [path.absolute()]
    files = sorted(
        f.absolute()
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
        return not_utf8(file)
    return f"{file} cannot be read as {file.suffix[1:].upper()}; check that it is complete and really of that kind."


def _add(connection: duckdb.DuckDBPyConnection, file: Path, taken: set[str], *, alone: bool) -> None:
    suffix = file.suffix.lower()
    if suffix in EXCEL_SUFFIXES:
        add_excel(connection, file, taken, alone=alone)
        return
    parquet = f"SELECT * FROM read_parquet({literal(str(file))}, hive_partitioning = false)"
    select = csv_select(connection, file) if suffix in CSV_SUFFIXES else parquet
    connection.execute(f"CREATE VIEW {identifier(free_name(file.stem, taken))} AS {select}")
