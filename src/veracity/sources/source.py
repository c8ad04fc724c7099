"""What a source is: typed tables, one way to run a statement, and the scope that is forced into it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Protocol

from veracity.contracts import Cell, FileProblem, FileSheet

Row = tuple[Cell, ...]
Dialect = Literal["duckdb", "sqlite", "postgres"]


class ColumnType(StrEnum):
    """The types the tools tell apart; everything else can be shown but not compared."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    OTHER = "other"


NUMERIC = frozenset({ColumnType.INTEGER, ColumnType.DECIMAL, ColumnType.FLOAT})


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the tools see it, whatever its engine calls the type."""

    name: str
    type: ColumnType
    nullable: bool = True
    scale: int | None = None
    """Decimals after the point, where the column declares them."""
    cast: Literal["TEXT", "TIMESTAMP"] | None = None
    """What the column must be cast to before it behaves like its `type` (UUIDs, enums, time zones)."""
    reader: str | None = None
    """A function of the engine that makes a comparable value of what is stored (SQLite's dates are texts)."""


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of a table that hold the key of another table, as the database declares it."""

    columns: tuple[str, ...]
    table: str
    """The other table, as people call it."""
    referred: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table or view of a source; `path` is where the engine finds it, `name` what people call it."""

    name: str
    columns: Mapping[str, Column]
    path: tuple[str, ...] = ()
    primary_key: tuple[str, ...] = ()
    """As the database declares it; empty where it does not."""
    foreign_keys: tuple[ForeignKey, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    """Other columns that the database lets no two rows share; NULL may still stand in several."""
    select: str = ""
    """The SELECT that it stands for, where the engine has no table of its name."""


@dataclass(frozen=True, slots=True)
class TableKeys:
    """What a database declares of one table's rows; foreign keys by the path of the table they point to."""

    primary: tuple[str, ...] = ()
    foreign: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = ()
    """Own columns, path of the other table, its columns; no columns stand for its primary key."""
    unique: tuple[tuple[str, ...], ...] = ()


def with_keys(tables: Mapping[str, TableSchema], keys: Mapping[tuple[str, ...], TableKeys]) -> dict[str, TableSchema]:
    """The tables with their declared keys, by path; one that points to a table or column nobody can see is left out."""
    names = {table.path: name for name, table in tables.items()}

    def foreign(found: TableKeys) -> Iterator[ForeignKey]:
        for columns, path, given in found.foreign:
            other = tables.get(names.get(path, ""))
            referred = given or keys.get(path, TableKeys()).primary
            if other is not None and len(referred) == len(columns) and set(referred) <= set(other.columns):
                yield ForeignKey(columns, other.name, referred)

    return {
        name: replace(table, primary_key=found.primary, foreign_keys=tuple(foreign(found)), unique=found.unique)
        if (found := keys.get(table.path)) is not None
        else table
        for name, table in tables.items()
    }


@dataclass(frozen=True, slots=True)
class Scope:
    """Which rows of a shared source belong to the caller: column -> value, the same for every table."""

    values: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name.casefold() in {key.casefold() for key in self.values}


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with its bind parameters and the columns it returns; made by `query.compile`, never by hand."""

    sql: str
    parameters: Sequence[Any]
    columns: tuple[Column, ...]
    max_rows: int
    apart: bool = False
    """It was made of somebody's own SQL: it runs where it can be stopped whatever it does."""


class Running(Protocol):
    """A statement on its way."""

    def rows(self) -> list[Row]:
        """Block until the rows are there; raises `QueryFailed`."""

    def cancel(self) -> None:
        """Stop the statement at the engine."""


class Source(Protocol):
    """A database or a set of files, open for reading only."""

    name: str
    """How people call it; never holds a password."""
    dialect: Dialect

    @property
    def tables(self) -> Mapping[str, TableSchema]:
        """Every table that can be read, introspected once."""

    def describe(self, select: str) -> tuple[Column, ...]:
        """The columns of a SELECT, without running it to the end."""

    def begin(self, statement: Statement) -> Running:
        """Prepare a statement to run under the source's limits."""

    def close(self) -> None:
        """Release the engine."""


async def fetch(source: Source, statement: Statement) -> list[Row]:
    """Run a statement in a worker thread; cancelling the caller cancels it at the engine, too."""
    running = source.begin(statement)
    try:
        return await asyncio.to_thread(running.rows)
    except asyncio.CancelledError:
        running.cancel()
        raise


# --- what was learnt of a file when it was opened


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One file of a source."""

    path: Path
    format: str
    tables: Mapping[str, int | None]
    """The tables it became, with the number of their rows where that is known already."""
    encoding: str | None = None
    delimiter: str | None = None
    sheets: tuple[FileSheet, ...] = ()
    problems: tuple[FileProblem, ...] = ()
    reads: tuple[Path, ...] = field(default=())
    """The files that the engine reads for it: the file itself, or a copy that it can read."""

    @property
    def name(self) -> str:
        """How people call it."""
        return self.path.name


def of_table(problem: FileProblem, table: str) -> FileProblem:
    """The same problem, of this table."""
    return problem.model_copy(update={"table": table})


# --- sQL text for the few statements of our own that cannot take bind parameters: opening files, looking at columns


def identifier(name: str) -> str:
    """A name, quoted."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | int) -> str:
    """A text, number or truth value, quoted."""
    return str(value).lower() if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def free_name(name: str, taken: set[str]) -> str:
    """The name, with a number behind it if it is already taken; DuckDB does not tell case."""
    candidate, number = name, 2
    while candidate.casefold() in taken:
        candidate, number = f"{name}_{number}", number + 1
    taken.add(candidate.casefold())
    return candidate
