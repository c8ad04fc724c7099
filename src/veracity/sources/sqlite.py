"""SQLite files, opened read-only."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote

from veracity.errors import SourceError
from veracity.settings import Settings
from veracity.sources.cells import in_utc
from veracity.sources.engine import Session, SqlSource
from veracity.sources.source import Column, ColumnType, TableKeys, TableSchema, identifier, with_keys

_SCALE = re.compile(r"\(\s*\d+\s*,\s*(\d+)\s*\)")
_SAMPLE = 1000
_LOOK_SECONDS = 1.0
_LONGEST_VALUE = 100_000_000
"""No text in the engine's memory grows beyond so many bytes, whatever a query puts together."""
_READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
_PRIMARY_KEYS = """
    SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c
    WHERE m.type = 'table' AND c.pk > 0 ORDER BY m.name, c.pk
"""
_FOREIGN_KEYS = """
    SELECT m.name, f.id, f."from", f."table", f."to" FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS f
    WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq
"""
_UNIQUE = """
    SELECT m.name, i.name, c.name FROM sqlite_master AS m, pragma_index_list(m.name) AS i, pragma_index_info(i.name) AS c
    WHERE m.type = 'table' AND i."unique" = 1 AND i.origin <> 'pk' AND i.partial = 0 ORDER BY m.name, i.seq, c.seqno
"""
_TABLE_COLUMNS = 'SELECT name, type, "notnull" FROM pragma_table_xinfo(?) WHERE hidden <> 1'


def open_sqlite(path: Path, settings: Settings) -> SqlSource:
    """A SQLite file; the first look at its tables shows whether it can be read at all."""
    try:
        return SqlSource(
            path.name,
            "sqlite",
            connect=lambda: _SqliteSession(path),
            timeout=settings.statement_timeout,
        )
    except sqlite3.Error as error:
        raise SourceError(_open_failure(path, str(error))) from None


def _open_failure(path: Path, message: str) -> str:
    if "locked" in message:
        return f"{path} is locked by another program that writes to it; try again when it has finished."
    return f"{path} cannot be read as a SQLite file; check that it is one, complete and not encrypted."


class _SqliteSession:
    """One connection; decimals are summed exactly by functions of our own, since SQLite only knows floats."""

    def __init__(self, path: Path) -> None:
        uri = f"file:{quote(str(path))}?mode=ro"
        self._connection = sqlite3.connect(uri, uri=True, timeout=2.0, check_same_thread=False, isolation_level=None)
        self._connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        self._connection.execute("PRAGMA query_only = ON")
        self._connection.execute("PRAGMA trusted_schema = OFF")
        # LIKE tells upper from lower case, as on the other engines.
        self._connection.execute("PRAGMA case_sensitive_like = ON")
        self._connection.create_window_function("EXACT_SUM", 1, _ExactSum)
        for name, exact in _EXACT.items():
            self._connection.create_function(name, 2, _exactly(exact), deterministic=True)
        for name, function in _FUNCTIONS.items():
            self._connection.create_function(name, 1, function, deterministic=True)
        self._connection.set_authorizer(_only_queries)

    def execute(self, sql: str, parameters: Sequence[Any], max_rows: int) -> list[tuple[Any, ...]]:
        named = {f"p{number}": _bind(value) for number, value in enumerate(parameters, 1)}
        return self._connection.execute(sql, named).fetchmany(max_rows)

    def tables(self) -> Mapping[str, TableSchema]:
        found = {}
        self._connection.set_authorizer(None)  # only for our own look at the columns
        for (name,) in self._connection.execute(_TABLES).fetchall():
            self._connection.set_progress_handler(_deadline(_LOOK_SECONDS), 10_000)
            # A view that is broken or too slow to look at is left out.
            with suppress(sqlite3.OperationalError):
                found[name] = TableSchema(name, {c.name: c for c in self._columns(name)}, ("main", name))
        self._connection.set_progress_handler(None, 0)
        keys = self._keys(found)
        self._connection.set_authorizer(_only_queries)
        return with_keys(found, keys)

    def _keys(self, tables: Mapping[str, TableSchema]) -> dict[tuple[str, ...], TableKeys]:
        """What the tables declare; SQLite tells neither tables nor columns apart by case."""
        named = {name.casefold(): name for name in tables}
        primary: dict[str, list[str]] = {}
        for table, column in self._connection.execute(_PRIMARY_KEYS).fetchall():
            primary.setdefault(table, []).append(column)
        foreign: dict[str, dict[int, list[tuple[str, str, str | None]]]] = {}
        for table, number, column, other, referred in self._connection.execute(_FOREIGN_KEYS).fetchall():
            target = named.get(other.casefold(), other)
            foreign.setdefault(table, {}).setdefault(number, []).append((column, target, referred))
        unique: dict[str, dict[str, list[str | None]]] = {}
        for table, index, column in self._connection.execute(_UNIQUE).fetchall():
            unique.setdefault(table, {}).setdefault(index, []).append(column)
        return {
            ("main", name): TableKeys(
                tuple(primary.get(name, ())),
                tuple(_reference(tables, name, parts) for parts in foreign.get(name, {}).values()),
                # An index over an expression has columns without a name.
                tuple(tuple(map(str, c)) for c in unique.get(name, {}).values() if None not in c),
            )
            for name in tables
        }

    def _columns(self, table: str) -> list[Column]:
        rows = self._connection.execute(_TABLE_COLUMNS, [table]).fetchall()
        return [
            _column(self, table, name, (native or "").upper(), nullable=not notnull) for name, native, notnull in rows
        ]

    def describe(self, select: str) -> tuple[Column, ...]:
        # A SELECT has no declared types in SQLite, and a temporary view would be a write: what is stored decides.
        cursor = self._connection.execute(f"SELECT * FROM ({select}) LIMIT {_SAMPLE}")
        names, rows = [entry[0] for entry in cursor.description], cursor.fetchall()
        return tuple(Column(name, _python_type(row[i] for row in rows)) for i, name in enumerate(names))

    def interrupt(self) -> None:
        self._connection.interrupt()

    def failure(self, error: Exception) -> str | None:
        if not isinstance(error, sqlite3.Error | OverflowError):
            return None
        if "locked" in str(error):
            return "The source is locked by another program that writes to it; try again when it has finished."
        return "The source could not run the query."

    def close(self) -> None:
        self._connection.close()


def _reference(
    tables: Mapping[str, TableSchema], table: str, parts: Sequence[tuple[str, str, str | None]]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """A foreign key with its columns as they are declared in their tables; without referred columns the primary key is meant."""
    other = parts[0][1]
    own = tuple(_spelt(tables.get(table), column) for column, _, _ in parts)
    referred = tuple(_spelt(tables.get(other), to) for _, _, to in parts if to is not None)
    return own, ("main", other), referred


def _spelt(table: TableSchema | None, column: str) -> str:
    known = {name.casefold(): name for name in table.columns} if table else {}
    return known.get(column.casefold(), column)


def _deadline(seconds: float) -> Callable[[], bool]:
    until = monotonic() + seconds
    return lambda: monotonic() > until


def _only_queries(action: int, *_details: str | None) -> int:
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


def _column(session: Session, table: str, name: str, native: str, *, nullable: bool) -> Column:
    declared = _declared(native)
    if declared in (ColumnType.DATE, ColumnType.TIMESTAMP):
        return _date_column(session, table, name, declared, nullable=nullable)
    if declared in (ColumnType.OTHER, ColumnType.BOOLEAN):
        # SQLite knows neither: what is stored decides.
        stored = _stored_type(session, table, name)
        if declared is ColumnType.BOOLEAN and stored is not ColumnType.TEXT:
            return Column(name, declared, nullable, reader="AS_TRUTH")
        return Column(name, stored or declared, nullable)
    scale = _SCALE.search(native)
    return Column(name, declared, nullable, scale=int(scale[1]) if scale and declared is ColumnType.DECIMAL else None)


def _date_column(session: Session, table: str, name: str, declared: ColumnType, *, nullable: bool) -> Column:
    """SQLite has no dates: they are ISO texts, with or without a T, or numbers, or texts in some other writing."""
    stored = _stored_type(session, table, name)
    if stored not in (ColumnType.TEXT, None):
        return Column(name, stored, nullable)
    if stored is ColumnType.TEXT and not _all_iso(session, table, name):
        return Column(name, ColumnType.TEXT, nullable)
    return Column(name, declared, nullable, reader="AS_DATE" if declared is ColumnType.DATE else "AS_TIME")


def _all_iso(session: Session, table: str, column: str) -> bool:
    quoted, source = identifier(column), identifier(table)
    sample = f"SELECT {quoted} AS v FROM {source} WHERE {quoted} IS NOT NULL LIMIT {_SAMPLE}"
    return not session.execute(f"SELECT 1 FROM ({sample}) WHERE AS_TIME(v) IS NULL LIMIT 1", [], 1)


def _declared(native: str) -> ColumnType:
    rules = (
        (("BOOL",), ColumnType.BOOLEAN),
        (("DATETIME", "TIMESTAMP"), ColumnType.TIMESTAMP),
        (("DATE",), ColumnType.DATE),
        (("DECIMAL", "NUMERIC", "MONEY"), ColumnType.DECIMAL),
        (("INT",), ColumnType.INTEGER),
        (("CHAR", "TEXT", "CLOB", "STRING", "UUID"), ColumnType.TEXT),
        (("REAL", "FLOA", "DOUB"), ColumnType.FLOAT),
    )
    return next((kind for words, kind in rules if any(word in native for word in words)), ColumnType.OTHER)


def _stored_type(session: Session, table: str, column: str) -> ColumnType | None:
    quoted, source = identifier(column), identifier(table)
    sql = f"SELECT DISTINCT typeof(v) FROM (SELECT {quoted} AS v FROM {source} WHERE {quoted} IS NOT NULL LIMIT {_SAMPLE})"
    stored = {row[0] for row in session.execute(sql, [], 10)}
    for kinds, kind in (
        ({"integer"}, ColumnType.INTEGER),
        ({"integer", "real"}, ColumnType.FLOAT),
        ({"text"}, ColumnType.TEXT),
    ):
        if stored and stored <= kinds:
            return kind
    return ColumnType.OTHER if stored else None


def _python_type(values: Any) -> ColumnType:
    kinds = {type(value) for value in values if value is not None}
    for accepted, kind in (({int}, ColumnType.INTEGER), ({int, float}, ColumnType.FLOAT), ({str}, ColumnType.TEXT)):
        if kinds and kinds <= accepted:
            return kind
    return ColumnType.OTHER if kinds else ColumnType.TEXT
