"""SQLite files, opened read-only."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from veracity.settings import Settings
from veracity.sources.apart import process_pool
from veracity.sources.embedded import EmbeddedFile, connect_sqlite, only_queries, run_sqlite, sqlite_failure
from veracity.sources.engine import Session, SqlSource
from veracity.sources.sentences import Unreadable
from veracity.sources.source import Column, ColumnType, TableKeys, TableSchema, identifier, with_keys

_SCALE = re.compile(r"\(\s*\d+\s*,\s*(\d+)\s*\)")
_SAMPLE = 1000
_LOOK_SECONDS = 1.0
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
            apart=process_pool(EmbeddedFile("sqlite", str(path.resolve()), settings.memory_limit)),
        )
    except sqlite3.Error as error:
        raise Unreadable("sqlite_locked" if "locked" in str(error) else "sqlite", file=path) from None


class _SqliteSession:
    """One connection; decimals are summed exactly by functions of our own, since SQLite only knows floats."""

    def __init__(self, path: Path) -> None:
        self._connection = connect_sqlite(str(path))

    def execute(self, sql: str, parameters: Sequence[Any], max_rows: int) -> list[tuple[Any, ...]]:
        return run_sqlite(self._connection, sql, parameters, max_rows)

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
        self._connection.set_authorizer(only_queries)
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
        return sqlite_failure(error)

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
