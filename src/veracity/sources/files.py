"""Files and folders of CSV, JSON, Parquet and Excel, read through a DuckDB index of their own, locked like any other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING

from veracity.errors import SourceError
from veracity.settings import Settings
from veracity.sources.csv_file import add_csv
from veracity.sources.duck import duckdb_file, engine_config, locked_source
from veracity.sources.embedded import connect_duckdb
from veracity.sources.engine import SqlSource
from veracity.sources.excel_file import add_excel
from veracity.sources.json_file import add_json, is_lines
from veracity.sources.sentences import SentencePart, Unreadable
from veracity.sources.source import (
    Column,
    Dialect,
    FileFacts,
    Running,
    Statement,
    TableSchema,
    free_name,
    identifier,
    literal,
)

if TYPE_CHECKING:
    import duckdb

CSV_SUFFIXES = frozenset({".csv", ".tsv"})
JSON_SUFFIXES = frozenset({".jsonl", ".ndjson", ".json"})
EXCEL_SUFFIXES = frozenset({".xlsx", ".xlsm", ".xls", ".ods"})
SUFFIXES = CSV_SUFFIXES | JSON_SUFFIXES | EXCEL_SUFFIXES | {".parquet"}

_MAX_EXCEL = 200_000_000
_GLOB = re.compile(r"[*?\[\]{}]")


class FileSource:
    """A source over files, which also knows what was learnt of each of them."""

    dialect: Dialect = "duckdb"

    def __init__(self, source: SqlSource, files: tuple[FileFacts, ...]) -> None:
        self.name, self.files, self._source = source.name, files, source

    @property
    def tables(self) -> Mapping[str, TableSchema]:
        return self._source.tables

    def describe(self, select: str) -> tuple[Column, ...]:
        return self._source.describe(select)

    def begin(self, statement: Statement) -> Running:
        return self._source.begin(statement)

    def close(self) -> None:
        self._source.close()


def open_files(path: Path, settings: Settings) -> FileSource:
    """One file, or every CSV, JSON, Parquet and Excel file of a folder, each as a table."""
    files = _files_of(path)
    for file in files:
        _check_file(file, settings)
    with ExitStack() as undo:
        folder = Path(undo.enter_context(TemporaryDirectory(prefix="veracity-", ignore_cleanup_errors=True)))
        index = folder / "files.duckdb"
        facts = _build_index(index, files, folder, settings, alone=path.is_file())
        opened = duckdb_file(index, settings, reads=[read for fact in facts for read in fact.reads])
        connection = undo.enter_context(connect_duckdb(opened))
        kept = ExitStack()
        source = FileSource(locked_source(connection, path.name, settings, dispose=kept.close, file=opened), facts)
        kept.push(undo.pop_all())  # all is well: closing the source tidies up
    return source


Share = Callable[[str, float], None]
"""Is told what is being done, `reading` or `copying`, and the share of it that is done, from 0 to 1."""
_LOOK_SECONDS = 0.5


def copy_file(file: Path, target: Path, settings: Settings, share: Share = lambda _doing, _done: None) -> FileFacts:
    """Copy the tables of one file into a new DuckDB file, so that a question does not read the text again."""
    import duckdb

    _check_file(file, settings)
    with TemporaryDirectory(prefix="veracity-", ignore_cleanup_errors=True) as folder:
        try:
            with duckdb.connect(str(target), config=engine_config(settings)) as connection:
                connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
                with _watched(connection, partial(share, "reading")):
                    facts = _add(connection, file.absolute(), set(), Path(folder), alone=True)
                views = [name for (name,) in connection.execute(_OWN_VIEWS).fetchall()]
                with _watched(connection, partial(share, "copying")):
                    for view in views:
                        _store_rows(connection, view)
        except duckdb.Error as error:
            raise _file_failure(file, str(error)) from None
    return facts


_OWN_VIEWS = "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY view_name"


def _store_rows(connection: duckdb.DuckDBPyConnection, view: str) -> None:
    """Put the rows of a view into a table of its name."""
    made = f"{view} (copy)"
    connection.execute(f"CREATE TABLE {identifier(made)} AS SELECT * FROM {identifier(view)}")
    connection.execute(f"DROP VIEW {identifier(view)}")
    connection.execute(f"ALTER TABLE {identifier(made)} RENAME TO {identifier(view)}")


@contextmanager
def _watched(connection: duckdb.DuckDBPyConnection, tell: Callable[[float], None]) -> Iterator[None]:
    """Tell how far the engine is, again and again, while it works."""
    over = Event()

    def look() -> None:
        while not over.wait(_LOOK_SECONDS):
            tell(min(1.0, max(0.0, connection.query_progress() / 100)))

    watching = Thread(target=look, daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


def _build_index(
    index: Path, files: list[Path], folder: Path, settings: Settings, *, alone: bool
) -> tuple[FileFacts, ...]:
    """A database of views over text and Parquet files, and of tables with the rows of workbooks."""
    import duckdb

    taken: set[str] = set()
    facts = []
    with duckdb.connect(str(index), config=engine_config(settings)) as connection:
        for number, file in enumerate(files):
            place = folder / str(number)
            place.mkdir()
            try:
                facts.append(_add(connection, file, taken, place, alone=alone))
            except duckdb.Error as error:
                raise _file_failure(file, str(error)) from None
    return tuple(facts)


def _files_of(path: Path) -> list[Path]:
    if path.is_file():
        return [path.absolute()]
    files = sorted(f.absolute() for f in path.iterdir() if f.is_file() and _is_data(f))
    if not files:
        raise SourceError(f"{path} holds no CSV, JSON, Parquet or Excel file; name a folder that does.")
    return files


def _is_data(file: Path) -> bool:
    """Whether a file of a folder is meant as data; a JSON file that is no list is rather somebody's settings."""
    if file.name.startswith((".", "~$")) or file.suffix.lower() not in SUFFIXES:
        return False
    return file.suffix.lower() != ".json" or not is_lines(file)


def _check_file(file: Path, settings: Settings) -> None:
    size = file.stat().st_size
    if size == 0:
        raise Unreadable("empty", file=file)
    if file.suffix.lower() in CSV_SUFFIXES | JSON_SUFFIXES and (kind := _other_kind(file)):
        raise Unreadable("holds", file=file, kind=SentencePart(f"holds.{kind}"))
    if _GLOB.search(str(file)):
        raise Unreadable("signs", file=file)
    if file.suffix.lower() in CSV_SUFFIXES | JSON_SUFFIXES and size > settings.max_text_file:
        raise Unreadable("text_size", file=file, size=f"{size / 1e9:.1f}", most=f"{settings.max_text_file / 1e9:.1f}")
    if file.suffix.lower() in EXCEL_SUFFIXES and size > _MAX_EXCEL:
        raise Unreadable("excel_size", file=file, size=f"{size / 1e6:.0f}", most=f"{_MAX_EXCEL / 1e6:.0f}")


def _other_kind(file: Path) -> str | None:
    """What a file really holds that is called CSV or JSON, where its first signs say so."""
    with file.open("rb") as stream:
        head = stream.read(1024).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    known = (
        (b"<!doctype html", "html"),
        (b"<html", "html"),
        (b"<?xml", "xml"),
        (b"pk\x03\x04", "archive"),
        (b"\xd0\xcf\x11\xe0", "old_workbook"),
        (b"%pdf-", "pdf"),
        (b"\x1f\x8b", "compressed"),
    )
    return next((kind for signs, kind in known if head.startswith(signs)), None)


def _file_failure(file: Path, message: str) -> Unreadable:
    if "max_line_size" in message or "Maximum line size" in message:
        return Unreadable("line_length", file=file)
    return Unreadable("kind", file=file, kind=file.suffix[1:].upper())


def _add(connection: duckdb.DuckDBPyConnection, file: Path, taken: set[str], folder: Path, *, alone: bool) -> FileFacts:
    suffix = file.suffix.lower()
    if suffix in EXCEL_SUFFIXES:
        return add_excel(connection, file, taken, folder, alone=alone)
    table = free_name(file.stem, taken)
    if suffix in CSV_SUFFIXES:
        return add_csv(connection, file, table, folder)
    if suffix in JSON_SUFFIXES:
        return add_json(connection, file, table, folder)
    select = f"SELECT * FROM read_parquet({literal(str(file))}, hive_partitioning = false)"
    connection.execute(f"CREATE VIEW {identifier(table)} AS {select}")
    return FileFacts(file, "parquet", {table: None}, reads=(file,))
