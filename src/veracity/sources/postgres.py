"""PostgreSQL, over a connection that can only read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from veracity.errors import QueryFailed, SourceError
from veracity.settings import Settings
from veracity.sources.engine import SqlSource
from veracity.sources.sentences import SentencePart, Unreadable
from veracity.sources.source import Column, ColumnType, TableKeys, TableSchema, with_keys

if TYPE_CHECKING:
    import psycopg

_WORK_MEMORY = "64MB"
_LARGEST_SPILL = "10GB"
_MOST_BYTES = 32_000_000
_ROWS_AT_ONCE = 200
_TYPES = {
    "int2": ColumnType.INTEGER,
    "int4": ColumnType.INTEGER,
    "int8": ColumnType.INTEGER,
    "numeric": ColumnType.DECIMAL,
    "float4": ColumnType.FLOAT,
    "float8": ColumnType.FLOAT,
    "text": ColumnType.TEXT,
    "varchar": ColumnType.TEXT,
    "bool": ColumnType.BOOLEAN,
    "date": ColumnType.DATE,
    "timestamp": ColumnType.TIMESTAMP,
}
_COLUMNS = """
    SELECT n.nspname, c.relname, a.attname, t.typname, t.typtype, a.attnotnull, a.atttypmod,
        n.nspname = ANY (current_schemas(false))
    FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
      AND (n.nspname = ANY (current_schemas(false))
           OR (SELECT source = 'default' FROM pg_settings WHERE name = 'search_path'))
      AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
    ORDER BY array_position(current_schemas(false), n.nspname), n.nspname, c.relname, a.attnum
"""
_CONSTRAINTS = """
    SELECT n.nspname, c.relname, k.contype,
        ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(num, at)
              JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.num ORDER BY u.at),
        fn.nspname, f.relname,
        ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(num, at)
              JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.num ORDER BY u.at)
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_class f ON f.oid = k.confrelid
    LEFT JOIN pg_namespace fn ON fn.oid = f.relnamespace
    WHERE k.contype IN ('p', 'u', 'f') AND has_table_privilege(c.oid, 'SELECT')
    ORDER BY n.nspname, c.relname, k.conname
"""


_UNNAMED = "The PostgreSQL server"


def open_postgres(url: str, settings: Settings) -> SqlSource:
    """The database behind a `postgresql://` URL, in read-only transactions with the server's own time limit."""
    try:
        import psycopg
    except ImportError:
        raise SourceError("PostgreSQL needs the psycopg package: pip install 'veracity[postgres]'.") from None
    name = _without_password(url)
    milliseconds = int(settings.statement_timeout * 1000) + 1000
    # Set, not passed as options: the URL and the environment may bring options of their own.
    settled = (
        f"SET default_transaction_read_only = on; SET statement_timeout = {milliseconds}; SET timezone = 'UTC';"
        f" SET standard_conforming_strings = on; SET work_mem = '{_WORK_MEMORY}'"
    )

    def connect() -> _PostgresSession:
        try:
            connection = psycopg.connect(url, autocommit=True, connect_timeout=10)
            connection.execute(settled.encode())
            # Only some roles may set it; where this one may not, the server's own limit holds.
            with suppress(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SET temp_file_limit = '{_LARGEST_SPILL}'".encode())
        except (psycopg.Error, UnicodeError, ValueError) as error:
            raise Unreadable(
                "unreachable",
                server=SentencePart("unreachable.server") if name == _UNNAMED else name,
                reason=SentencePart(f"unreachable.{_reason(error)}"),
            ) from None
        return _PostgresSession(connection)

    return SqlSource(name, "postgres", connect=connect, timeout=settings.statement_timeout)


def _without_password(url: str) -> str:
    """What people may see of a URL, as the driver itself understands it."""
    import psycopg

    try:
        parts = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.Error:
        return _UNNAMED
    if "@" in f"{parts.get('host')}{parts.get('dbname')}":
        return _UNNAMED  # a sign in the password that should have been written as %40 or %2F
    host = f"{parts.get('host') or 'localhost'}{f':{port}' if (port := parts.get('port')) else ''}"
    return f"postgresql://{host}/{parts.get('dbname') or ''}"


def _reason(error: Exception) -> str:
    text = str(error).lower()
    known = (
        ("password authentication failed", "password"),
        ("no password supplied", "no_password"),
        ("does not exist", "unknown"),
        ("refused", "refused"),
        ("timeout", "late"),
        ("resolve", "host"),
        ("name or service", "host"),
        ("invalid response", "other_server"),
        ("invalid", "address"),
    )
    return next((reason for words, reason in known if words in text), "other")


class _PostgresSession:
    """One connection in autocommit: every statement is its own read-only transaction."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        for name in ("date", "timestamp", "timestamptz"):
            connection.adapters.register_loader(name, _lenient_loader(name))

    def execute(self, sql: str, parameters: Sequence[Any], max_rows: int) -> list[tuple[Any, ...]]:
        import psycopg

        # A cursor can only be declared for a query, and rolling back undoes whatever a function in it has set.
        with (
            self._connection.transaction(force_rollback=True),
            psycopg.RawServerCursor(self._connection, "veracity") as cursor,
        ):
            return _bounded(cursor.execute(sql.encode(), list(parameters)), max_rows)

    def tables(self) -> Mapping[str, TableSchema]:
        found: dict[str, dict[str, Column]] = {}
        paths: dict[str, tuple[str, str]] = {}
        for schema, table, column, native, kind, required, modifier, near in self._connection.execute(
            _COLUMNS
        ).fetchall():
            # The first schema on the search path wins, as it does in the server's own name resolution. What it hides, and,
            # where nobody has chosen a search path, what stands in another schema, is called by both names.
            plain = near and paths.setdefault(table, (schema, table)) == (schema, table)
            name = table if plain else f"{schema}.{table}"
            paths[name] = (schema, table)
            found.setdefault(name, {})[column] = _column(column, native, kind, modifier, nullable=not required)
        tables = {name: TableSchema(name, columns, paths[name]) for name, columns in found.items()}
        return with_keys(tables, self._keys())

    def _keys(self) -> dict[tuple[str, ...], TableKeys]:
        keys: dict[tuple[str, ...], TableKeys] = {}
        for schema, table, kind, columns, *other, referred in self._connection.execute(_CONSTRAINTS).fetchall():
            known, own = keys.get((schema, table), TableKeys()), tuple(columns)
            if kind == "p":
                known = replace(known, primary=own)
            elif kind == "u":
                known = replace(known, unique=(*known.unique, own))
            else:
                known = replace(known, foreign=(*known.foreign, (own, tuple(other), tuple(referred))))
            keys[schema, table] = known
        return keys

    def describe(self, select: str) -> tuple[Column, ...]:
        import psycopg

        # Raw, because a % in the SELECT is a % and no placeholder.
        cursor = psycopg.RawCursor(self._connection).execute(f"SELECT * FROM ({select}) AS v LIMIT 0".encode())
        types = {
            oid: (name, kind)
            for oid, name, kind in self._connection.execute(
                "SELECT oid::int8, typname, typtype FROM pg_type WHERE oid::int8 = ANY(%s)",
                [[entry.type_code for entry in cursor.description or ()]],
            ).fetchall()
        }
        return tuple(
            _column(entry.name, *types[entry.type_code], -1, nullable=True) for entry in cursor.description or ()
        )

    def interrupt(self) -> None:
        self._connection.cancel_safe(timeout=5)

    def failure(self, error: Exception) -> str | None:
        import psycopg

        if isinstance(error, psycopg.errors.QueryCanceled):
            return "The query took longer than the server allows; narrow it with filters and try again."
        if isinstance(error, QueryFailed):
            return str(error)
        if isinstance(error, psycopg.errors.ConfigurationLimitExceeded | psycopg.errors.OutOfMemory):
            return "The query needs more memory than it may use; narrow it with filters."
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            return "The database user may not read this table; ask its owner for the right to."
        if isinstance(error, psycopg.OperationalError):
            return "The connection to the database was lost; try again."
        return "The source could not run the query." if isinstance(error, psycopg.Error) else None

    def close(self) -> None:
        self._connection.close()


def _bounded(cursor: psycopg.RawServerCursor[Any], max_rows: int) -> list[tuple[Any, ...]]:
    """The rows, fetched in parts so that a result that is too large is given up before it is here."""
    rows: list[tuple[Any, ...]] = []
    size = 0
    while len(rows) < max_rows and (part := cursor.fetchmany(min(_ROWS_AT_ONCE, max_rows - len(rows)))):
        rows += part
        size += sum(len(cell) for row in part for cell in row if isinstance(cell, str | bytes))
        if size > _MOST_BYTES:
            raise QueryFailed(f"The result is larger than {_MOST_BYTES // 1_000_000} MB; show fewer columns or rows.")
    return rows


def _lenient_loader(name: str) -> Any:
    """The usual loader, but for dates that Python does not know (infinity, BC): they are shown as they are written."""
    import psycopg
    from psycopg.types import datetime as known

    usual: Any = {"date": known.DateLoader, "timestamp": known.TimestampLoader}.get(name, known.TimestamptzLoader)

    class Lenient(usual):  # type: ignore[misc]  # which loader it is, is known at run time only
        def load(self, data: Any) -> Any:
            try:
                return super().load(data)
            except (psycopg.DataError, ValueError):
                return bytes(data).decode()

    return Lenient


def _column(name: str, native: str, kind: str, modifier: int, *, nullable: bool) -> Column:
    if native == "numeric":
        # Eleven bits with a sign; a negative scale rounds to tens or hundreds and shows no decimals.
        scale = max(0, (((modifier - 4) & 0x7FF) ^ 0x400) - 0x400) if modifier >= 4 else None
        return Column(name, ColumnType.DECIMAL, nullable, scale=scale)
    if native in _TYPES:
        return Column(name, _TYPES[native], nullable)
    if native in ("uuid", "bpchar", "name", "citext") or kind == "e":
        return Column(name, ColumnType.TEXT, nullable, cast="TEXT")
    if native == "timestamptz":
        return Column(name, ColumnType.TIMESTAMP, nullable, cast="TIMESTAMP")
    return Column(name, ColumnType.OTHER, nullable, cast="TEXT")
