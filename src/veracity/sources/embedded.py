"""The embedded engines alone: how a file is opened for reading only, how one query runs, what a failure means.

Used in this process and in the one that raw SQL runs in, so that it imports little.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from veracity.errors import QueryFailed

if TYPE_CHECKING:
    import duckdb

OUT_OF_MEMORY = "The query needs more memory than it may use; narrow it with filters."
_FAILED = "The source could not run the query."
_MOST_QUERIES = 10_000
_LONGEST_VALUE = 100_000_000
"""No text in SQLite's memory grows beyond so many bytes, whatever a query puts together."""
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """A file of an embedded engine, as another process can open it."""

    engine: Literal["duckdb", "sqlite"]
    path: str
    memory: str
    """How much memory the engine may use, such as `2GB`."""
    config: tuple[tuple[str, str], ...] = ()
    """What DuckDB is started with."""
    reads: tuple[str, ...] = ()
    """The other files that DuckDB may read: those behind its views."""


def in_utc(moment: datetime) -> datetime:
    """A time without a zone, which stands for UTC."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


# --- DuckDB


def connect_duckdb(file: EmbeddedFile) -> duckdb.DuckDBPyConnection:
    """A DuckDB file, read-only and locked: no other file than those named, no setting, no extension can be reached from it."""
    import duckdb

    connection = duckdb.connect(file.path, read_only=True, config=dict(file.config))
    if file.reads:
        connection.execute("SET allowed_paths = ?", [list(file.reads)])
    lock(connection)
    return connection


def lock(connection: duckdb.DuckDBPyConnection) -> None:
    """From here on the engine reaches no file but its own, and nobody can change that."""
    import duckdb

    # Connections of one process to one file share an engine, so another one may have locked it already,
    if _is_locked(connection):
        return
    try:
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error:
        # or does so right now.
        if not _is_locked(connection):
            raise


def _is_locked(connection: duckdb.DuckDBPyConnection) -> bool:
    (locked,) = connection.execute("SELECT current_setting('lock_configuration')").fetchone() or (False,)
    return bool(locked)


def run_duckdb(
    cursor: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[Any], max_rows: int, *, queries: set[str]
) -> list[tuple[Any, ...]]:
    """Run one query; `queries` are the texts already found to be one query each."""
    import duckdb

    query: str | duckdb.Statement = sql
    if sql not in queries:
        parsed = cursor.extract_statements(sql)
        if [statement.type for statement in parsed] != [duckdb.StatementType.SELECT]:
            raise QueryFailed("Only one query at a time is run, and nothing that is not a query.")
        query = parsed[0]  # so that it is not parsed twice
        if len(queries) < _MOST_QUERIES:
            queries.add(sql)
    return cursor.execute(query, list(parameters)).fetchmany(max_rows)


def duckdb_failure(error: Exception) -> str | None:
    """A plain sentence for an error of DuckDB; None when it is not the engine's."""
    import duckdb

    if not isinstance(error, duckdb.Error):
        return None
    known: tuple[tuple[type[Exception], str], ...] = (
        (duckdb.OutOfMemoryException, OUT_OF_MEMORY),
        (duckdb.ConversionException, "A value in the source does not fit its column's type; check the source's data."),
        (duckdb.OutOfRangeException, "A figure grew out of the range the source can hold; narrow the query."),
        (duckdb.InvalidInputException, "The source holds data that cannot be read; check the file."),
        (duckdb.IOException, "The source could not be read; check that its file is still there and unchanged."),
    )
    if "bad_alloc" in str(error) or "allocate" in str(error):
        return OUT_OF_MEMORY
    return next((sentence for kind, sentence in known if isinstance(error, kind)), _FAILED)


# --- SQLite


def connect_sqlite(path: str) -> sqlite3.Connection:
    """A SQLite file, read-only; decimals are summed exactly by functions of our own, since SQLite only knows floats."""
    uri = f"file:{quote(path)}?mode=ro"
    connection = sqlite3.connect(uri, uri=True, timeout=2.0, check_same_thread=False, isolation_level=None)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    # LIKE tells upper from lower case, as on the other engines.
    connection.execute("PRAGMA case_sensitive_like = ON")
    connection.create_window_function("EXACT_SUM", 1, _ExactSum)
    for name, exact in _EXACT.items():
        connection.create_function(name, 2, _exactly(exact), deterministic=True)
    for name, function in _FUNCTIONS.items():
        connection.create_function(name, 1, function, deterministic=True)
    connection.set_authorizer(only_queries)
    return connection


def run_sqlite(
    connection: sqlite3.Connection, sql: str, parameters: Sequence[Any], max_rows: int
) -> list[tuple[Any, ...]]:
    """Run one query."""
    named = {f"p{number}": _bind(value) for number, value in enumerate(parameters, 1)}
    return connection.execute(sql, named).fetchmany(max_rows)


def sqlite_failure(error: Exception) -> str | None:
    """A plain sentence for an error of SQLite; None when it is not the engine's."""
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY
    if not isinstance(error, sqlite3.Error | OverflowError):
        return None
    if "locked" in str(error):
        return "The source is locked by another program that writes to it; try again when it has finished."
    if "string or blob too big" in str(error):
        return "A text grew longer than the source can hold; narrow the query."
    return _FAILED


def only_queries(action: int, *_details: str | None) -> int:
    """What a statement may do: read and call functions, and nothing else."""
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _exact(value: Any) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, int | float) else Decimal(str(value))


class _ExactSum:
    """SUM over decimals without a float in between; over a window, too."""

    def __init__(self) -> None:
        self._total, self._count = Decimal(0), 0

    def step(self, value: Any) -> None:
        if value is not None:
            self._total, self._count = self._total + _exact(value), self._count + 1

    def inverse(self, value: Any) -> None:
        if value is not None:
            self._total, self._count = self._total - _exact(value), self._count - 1

    def value(self) -> str | None:
        return str(self._total) if self._count else None

    def finalize(self) -> str | None:
        return self.value()


_EXACT: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "EXACT_ADD": Decimal.__add__,
    "EXACT_SUBTRACT": Decimal.__sub__,
    "EXACT_MULTIPLY": Decimal.__mul__,
}


def _exactly(operation: Callable[[Decimal, Decimal], Decimal]) -> Callable[[Any, Any], str | None]:
    """Arithmetic over decimals without a float in between; NULL and what is no number give NULL."""

    def compute(one: Any, other: Any) -> str | None:
        try:
            return None if one is None or other is None else str(operation(_exact(one), _exact(other)))
        except ArithmeticError:
            return None

    return compute


def _unix_to_time(seconds: Any) -> str | None:
    if not isinstance(seconds, int | float):
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _moment(stored: Any) -> datetime | None:
    try:
        return in_utc(datetime.fromisoformat(stored))
    except (TypeError, ValueError, OverflowError):
        return None


def _as_date(stored: Any) -> str | None:
    moment = _moment(stored)
    return moment.date().isoformat() if moment else None


def _as_time(stored: Any) -> str | None:
    moment = _moment(stored)
    return moment.isoformat(" ", timespec="microseconds") if moment else None


def _as_truth(stored: Any) -> int | None:
    if isinstance(stored, str):
        return {"true": 1, "false": 0}.get(stored.strip().lower())
    return stored if stored in (0, 1) else None


_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "UNIX_TO_TIME": _unix_to_time,
    "AS_DATE": _as_date,
    "AS_TIME": _as_time,
    "AS_TRUTH": _as_truth,
}


def _bind(value: Any) -> Any:
    if isinstance(value, Decimal):
        # SQLite compares numbers as floats; an integral decimal keeps all its digits as an integer.
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime):
        return value.isoformat(" ", timespec="microseconds")
    return value.isoformat() if isinstance(value, date) else value
