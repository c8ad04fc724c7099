"""DuckDB: the embedded engine, for DuckDB files and for files that it reads."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

from veracity.settings import Settings
from veracity.sources.apart import process_pool
from veracity.sources.embedded import EmbeddedFile, connect_duckdb, duckdb_failure, run_duckdb
from veracity.sources.engine import SqlSource
from veracity.sources.sentences import Unreadable
from veracity.sources.source import Column, ColumnType, TableKeys, TableSchema, identifier, with_keys

if TYPE_CHECKING:
    import duckdb

_INTEGERS = {
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
}
_TYPES = {
    "VARCHAR": ColumnType.TEXT,
    "FLOAT": ColumnType.FLOAT,
    "DOUBLE": ColumnType.FLOAT,
    "BOOLEAN": ColumnType.BOOLEAN,
    "DATE": ColumnType.DATE,
    "TIMESTAMP": ColumnType.TIMESTAMP,
}
_LARGEST_SPILL = "10GB"
_MOST_DESCRIBED = 20
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


def open_duckdb(path: Path, settings: Settings) -> SqlSource:
    """A DuckDB file, opened read-only and locked: no other file, no setting, no extension can be reached from it."""
    import duckdb

    file = duckdb_file(path, settings)
    try:
        connection = connect_duckdb(file)
    except duckdb.Error as error:
        raise Unreadable(_open_failure(str(error)), file=path) from None
    return locked_source(connection, path.name, settings, file=file)


def duckdb_file(path: Path, settings: Settings, *, reads: Sequence[Path] = ()) -> EmbeddedFile:
    """A DuckDB file with all that opening it needs."""
    config = tuple((name, str(value)) for name, value in engine_config(settings).items())
    return EmbeddedFile("duckdb", str(path.resolve()), settings.memory_limit, config, tuple(map(str, reads)))


def engine_config(settings: Settings) -> dict[str, str | bool | int | float | list[str]]:
    """What every engine of ours is started with."""
    return {
        "autoinstall_known_extensions": "false",
        "memory_limit": settings.memory_limit,
        "max_temp_directory_size": _LARGEST_SPILL,
        # What does not fit into memory goes to the system's place for it, never beside the user's data.
        "temp_directory": str(Path(gettempdir()) / f"veracity-spill-{os.getuid()}"),
        "TimeZone": "UTC",
        # With these, DuckDB 2.0.0 takes two similar parts of a statement for one another and returns wrong figures, or
        # loses a column and stops (`tests/test_semantic_random.py`).
        "disabled_optimizers": "common_subplan,projection_pullup",
    }


def locked_source(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    settings: Settings,
    *,
    dispose: Callable[[], None] | None = None,
    file: EmbeddedFile | None = None,
) -> SqlSource:
    """The source over a connection whose configuration is frozen; raw SQL runs apart where there is a file to open."""
    queries: set[str] = set()
    return SqlSource(
        name,
        "duckdb",
        connect=lambda: _DuckSession(connection, queries),
        timeout=settings.statement_timeout,
        dispose=dispose or connection.close,
        apart=process_pool(file) if file is not None else None,
    )


def _open_failure(message: str) -> str:
    """The sentence for what DuckDB says of a file that it does not open."""
    if "different configuration" in message:
        return "duckdb_open"
    if re.search(r"\block\b", message):
        return "duckdb_locked"
    if "newer version" in message or "version number" in message:
        return "duckdb_version"
    return "duckdb"


class _DuckSession:
    """A cursor of the shared connection; `queries` are the texts already found to be one query each."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, queries: set[str]) -> None:
        self._cursor, self._queries = connection.cursor(), queries

    def execute(self, sql: str, parameters: Sequence[Any], max_rows: int) -> list[tuple[Any, ...]]:
        return run_duckdb(self._cursor, sql, parameters, max_rows, queries=self._queries)

    def tables(self) -> Mapping[str, TableSchema]:
        found: dict[tuple[str, str], dict[str, Column]] = {}
        for schema, table, column, native, nullable in self._columns():
            found.setdefault((schema, table), {})[column] = column_of(column, native, nullable=bool(nullable))
        named = {(table if schema == "main" else f"{schema}.{table}"): (schema, table) for schema, table in found}
        tables = {name: TableSchema(name, found[path], path) for name, path in named.items()}
        return with_keys(tables, self._keys())

    def _columns(self) -> list[tuple[str, str, str, str, bool]]:
        """Schema, table, name, type and whether it may be empty, of every column.

        The list of all columns makes the engine read its own hundred views first; a few tables are described one by one
        in a tenth of that time. A view is not: describing it would read the file behind it again.
        """
        listed = self._cursor.execute(_RELATIONS).fetchall()
        if len(listed) > _MOST_DESCRIBED or any(is_view for _, _, is_view in listed):
            return self._cursor.execute(_COLUMNS).fetchall()
        return [
            (schema, table, row[0], row[1], row[2] == "YES")
            for schema, table, _ in listed
            for row in self._cursor.execute(f"DESCRIBE {identifier(schema)}.{identifier(table)}").fetchall()
        ]

    def _keys(self) -> dict[tuple[str, ...], TableKeys]:
        keys: dict[tuple[str, ...], TableKeys] = {}
        for schema, table, kind, columns, other, referred in self._cursor.execute(_CONSTRAINTS).fetchall():
            known, own = keys.get((schema, table), TableKeys()), tuple(columns)
            if kind == "PRIMARY KEY":
                known = replace(known, primary=own)
            elif kind == "UNIQUE":
                known = replace(known, unique=(*known.unique, own))
            else:
                # DuckDB names the other table without its schema; a foreign key does not leave its own.
                known = replace(known, foreign=(*known.foreign, (own, (schema, other), tuple(referred))))
            keys[schema, table] = known
        return keys

    def describe(self, select: str) -> tuple[Column, ...]:
        return tuple(column_of(row[0], row[1]) for row in self._cursor.execute(f"DESCRIBE {select}").fetchall())

    def interrupt(self) -> None:
        self._cursor.interrupt()

    def failure(self, error: Exception) -> str | None:
        return duckdb_failure(error)

    def close(self) -> None:
        self._cursor.close()


_RELATIONS = """
    SELECT schema_name, table_name, FALSE FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()
    UNION ALL
    SELECT schema_name, view_name, TRUE FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
    ORDER BY 1, 2
"""


_COLUMNS = """
    SELECT schema_name, table_name, column_name, data_type, is_nullable
    FROM duckdb_columns() WHERE NOT internal AND database_name = current_database()
    ORDER BY schema_name, table_name, column_index
"""


_CONSTRAINTS = """
    SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names
    FROM duckdb_constraints()
    WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
    ORDER BY schema_name, table_name, constraint_index
"""


def column_of(name: str, native: str, *, nullable: bool = True) -> Column:
    """A column from DuckDB's name of its type."""
    if native.endswith("]"):
        return Column(name, ColumnType.OTHER, nullable, cast="TEXT")
    if native in _INTEGERS:
        return Column(name, ColumnType.INTEGER, nullable)
    if decimal := _DECIMAL.fullmatch(native):
        return Column(name, ColumnType.DECIMAL, nullable, scale=int(decimal[2]))
    if native in _TYPES:
        return Column(name, _TYPES[native], nullable)
    if native == "UUID" or native.startswith("ENUM"):
        return Column(name, ColumnType.TEXT, nullable, cast="TEXT")
    if native.startswith("TIMESTAMP"):
        return Column(name, ColumnType.TIMESTAMP, nullable, cast="TIMESTAMP")
    return Column(name, ColumnType.OTHER, nullable, cast="TEXT")
