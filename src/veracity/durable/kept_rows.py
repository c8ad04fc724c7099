"""The one store of this user: rows of traces, guard events, taught words and verdicts, each with its tenant.

The command line and the server write the same tables. On a SQLite file a command uses `sqlite3` alone, because it has to
start fast; a server, and whoever uses a PostgreSQL, goes through the connections of `DurableDatabase`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from veracity.durable.database import DurableDatabase
from veracity.durable.sqlite_file import SqliteFile
from veracity.errors import UsageError
from veracity.settings import Settings

if TYPE_CHECKING:
    import sqlalchemy as sa

Place = Path | DurableDatabase
"""Where rows are kept: a SQLite file, or a database that is open already."""
_VERSION = 1
_OF_DBOS = ("dbos_migrations", "workflow_status")


@dataclass(frozen=True, slots=True)
class KeptTable:
    """A table of the store, for SQLite and PostgreSQL alike: every column is a text, or one of `booleans`."""

    name: str
    holds: str
    """What it is said to hold."""
    key: tuple[str, ...]
    others: tuple[str, ...]
    optional: frozenset[str] = frozenset()
    """Those of the others that may be empty."""
    booleans: frozenset[str] = frozenset()
    index: tuple[str, ...] = ()
    """Columns that rows are found by, besides the key."""
    once: tuple[str, ...] = ()
    """Columns that stand together in one row only, as long as `once_where` holds."""
    once_where: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.key, *self.others)

    def sqlite_schema(self) -> tuple[str, ...]:
        """The statements that make it in a SQLite file."""
        kinds = {name: "BOOLEAN" if name in self.booleans else "TEXT" for name in self.columns}
        declared = [f"{name} {kind}{'' if name in self.optional else ' NOT NULL'}" for name, kind in kinds.items()]
        made = [f"CREATE TABLE IF NOT EXISTS {self.name} ({', '.join(declared)}, PRIMARY KEY ({', '.join(self.key)}))"]
        if self.index:
            made.append(f"CREATE INDEX IF NOT EXISTS {self.name}_found ON {self.name} ({', '.join(self.index)})")
        if self.once:
            unique = f"CREATE UNIQUE INDEX IF NOT EXISTS {self.name}_once ON {self.name} ({', '.join(self.once)})"
            made.append(f"{unique} WHERE {self.once_where}")
        return tuple(made)

    def in_database(self, durable: DurableDatabase) -> sa.Table:
        """The same for SQLAlchemy."""
        import sqlalchemy as sa

        columns = [
            sa.Column(
                name,
                sa.Boolean if name in self.booleans else sa.Text,
                primary_key=name in self.key,
                nullable=name in self.optional,
            )
            for name in self.columns
        ]
        indexes = [sa.Index(f"{self.name}_found", *self.index)] if self.index else []
        if self.once:
            where = sa.text(self.once_where)
            unique = sa.Index(f"{self.name}_once", *self.once, unique=True, sqlite_where=where, postgresql_where=where)
            indexes.append(unique)
        return durable.table(self.name, *columns, *indexes)


class KeptRows(Protocol):
    """The rows of one table of the store. Statements are SQL with `?`, and `{table}` for its name."""

    def read(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """What a query finds; nothing where the table was never made."""

    def write(self, statement: str, *rows: Sequence[Any]) -> int:
        """Run a statement for each row in one transaction; returns how many rows it changed."""

    def close(self) -> None:
        """Release the store; using it again opens it again."""


def store_of(settings: Settings | None = None) -> Place:
    """The store of this user: what the settings name, or the file in the data folder."""
    settings = settings or Settings.from_env()
    durable = DurableDatabase.of(None, holds="data", settings=settings, pooled=False)
    return durable.path or durable


def rows_in(place: Place, table: KeptTable) -> KeptRows:
    """The rows of a table, in a file or in a database."""
    return FileRows(place, table) if isinstance(place, Path) else DatabaseRows(place, table)


def upsert(table: KeptTable, changed: Sequence[str]) -> str:
    """The statement that writes a row, or these columns of it where there is one already."""
    columns = ", ".join(table.columns)
    marks = ", ".join("?" for _ in table.columns)
    new = ", ".join(f"{name} = excluded.{name}" for name in changed)
    return (
        f"INSERT INTO {{table}} ({columns}) VALUES ({marks}) ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET {new}"
    )


def delete_some(table: KeptTable, condition: str) -> str:
    """The statement that deletes at most so many rows; its last parameter says how many."""
    key = ", ".join(table.key)
    return f"DELETE FROM {{table}} WHERE ({key}) IN (SELECT {key} FROM {{table}} WHERE {condition} LIMIT ?)"


class FileRows(SqliteFile):
    """A table in a SQLite file that holds the others, too; made on first use, readable by its owner only."""

    def __init__(self, path: Path, table: KeptTable) -> None:
        super().__init__(path, schema=table.sqlite_schema(), version=_VERSION, holds=table.holds)
        self._table = table

    def read(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """What a query finds; looking makes no file."""
        if not self.path.exists():
            return []
        with self._session() as connection:
            return connection.execute(statement.format(table=self._table.name), parameters).fetchall()

    def write(self, statement: str, *rows: Sequence[Any]) -> int:
        """Run a statement for each row, all or none; once this returns, they outlive the process."""
        with self._session() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                done = connection.executemany(statement.format(table=self._table.name), rows).rowcount
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return done

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the table beside those of the others, unless the file is somebody else's."""
        self._known_version(connection)
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if self._table.name in names:
            return
        if names and not any(name.startswith("veracity_") or name in _OF_DBOS for name in names):
            raise UsageError(f"{self.path} holds something other than {self._holds}; move the file away.")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        for made in self._schema:
            connection.execute(made)
        connection.execute("COMMIT")


class DatabaseRows:
    """A table in a database that is open: of a server, or a PostgreSQL."""

    def __init__(self, durable: DurableDatabase, table: KeptTable) -> None:
        self._durable, self._spec = durable, table

    def read(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """What a query finds; nothing where the table was never made."""
        if not (self._durable.knows(self._spec.name) or self._durable.has(self._table)):
            return []
        return self._durable.read(self._in_its_words(statement), parameters)

    def write(self, statement: str, *rows: Sequence[Any]) -> int:
        """Run a statement for each row in one transaction; a crash of the process cannot lose them."""
        if not self._durable.knows(self._spec.name):
            self._durable.prepare(self._table)
        with self._durable.session(quick=True) as connection:
            done = connection.exec_driver_sql(self._in_its_words(statement), [tuple(row) for row in rows])
            return int(done.rowcount)

    def close(self) -> None:
        """Release the database."""
        self._durable.close()

    def _in_its_words(self, statement: str) -> str:
        schema = f"{self._durable.schema}." if self._durable.schema else ""
        said = statement.format(table=f"{schema}{self._spec.name}")
        return said if self._durable.path else said.replace("?", "%s")

    @cached_property
    def _table(self) -> sa.Table:
        return self._spec.in_database(self._durable)


@contextmanager
def damage_told(table: KeptTable) -> Iterator[None]:
    """What was kept and cannot be read any more becomes a sentence."""
    try:
        yield
    except ValueError as error:
        raise UsageError(
            f"What is kept as {table.holds} is damaged and cannot be read; move the store away, and a new one is made."
        ) from error


def row_of(table: KeptTable, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """The values in the order of the columns."""
    return tuple(values[name] for name in table.columns)
