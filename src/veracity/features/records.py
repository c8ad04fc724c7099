"""Records -> a DuckDB file: the one way into a shipped data set. Tables and columns come from the models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from types import NoneType
from typing import TYPE_CHECKING, get_args

from pydantic.fields import FieldInfo

from veracity.errors import SourceError
from veracity.wire import Wire

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Progress = Callable[[int, int], None]
"""Called with the records done and the total."""

_BATCH = 1000
_COLUMN_TYPES = {Decimal: "DECIMAL(18,2)", bool: "BOOLEAN", date: "DATE"}


def write_records(
    path: Path, tables: Sequence[type[Wire]], records: Sequence[Wire], progress: Progress | None = None
) -> None:
    """Write all records to a file that is there whole or not at all."""
    import duckdb

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A folder of its own: DuckDB keeps a log beside its file, and both must go when something fails.
        with TemporaryDirectory(prefix=".build-", dir=path.parent) as folder:
            file = Path(folder) / path.name
            # One thread: the work is small, and threads would cost more than they give.
            with duckdb.connect(str(file), config={"threads": 1}) as connection:
                _write(connection, tables, records, progress)
            file.replace(path)
    except (OSError, duckdb.IOException) as error:
        reason = error.strerror if isinstance(error, OSError) else "the engine cannot write there"
        raise SourceError(
            f"The data cannot be written to {path} ({reason}): set VERACITY_HOME to another folder."
        ) from error


def _write(
    connection: DuckDBPyConnection, tables: Sequence[type[Wire]], records: Sequence[Wire], progress: Progress | None
) -> None:
    connection.begin()
    create_tables(connection, tables)
    for start in range(0, len(records), _BATCH):
        record_create(connection, records[start : start + _BATCH])
        if progress:
            progress(min(start + _BATCH, len(records)), len(records))
    connection.commit()


def create_tables(connection: DuckDBPyConnection, tables: Sequence[type[Wire]]) -> None:
    """Create the empty tables."""
    for table in tables:
        connection.execute(table_ddl(table))


def table_ddl(table: type[Wire]) -> str:
    """The CREATE TABLE of a model; DuckDB, SQLite and PostgreSQL all take it."""
    columns = ", ".join(
        f'"{field.alias}" {_column_type(field)}{"" if _nullable(field) else " NOT NULL"}'
        for field in table.model_fields.values()
    )
    return f'CREATE TABLE "{table.__name__}" ({columns})'


def record_create(connection: DuckDBPyConnection, records: Iterable[Wire]) -> None:
    """Insert records of any of the tables."""
    by_table: defaultdict[type[Wire], list[Wire]] = defaultdict(list)
    for record in records:
        by_table[type(record)].append(record)
    for table, rows in by_table.items():
        # A parameter per column, not per value: measured at an eighth of the time of VALUES (?, ...), (?, ...).
        values = ", ".join(f"unnest(?::{_column_type(field)}[])" for field in table.model_fields.values())
        columns = [[getattr(row, name) for row in rows] for name in table.model_fields]
        connection.execute(f'INSERT INTO "{table.__name__}" SELECT {values}', columns)


def _column_type(field: FieldInfo) -> str:
    kinds = [kind for kind in (field.annotation, *get_args(field.annotation)) if isinstance(kind, type)]
    if int in kinds:
        extra = field.json_schema_extra
        return "BIGINT" if isinstance(extra, dict) and extra.get("format") == "int64" else "INTEGER"
    return next((name for kind, name in _COLUMN_TYPES.items() if kind in kinds), "VARCHAR")


def _nullable(field: FieldInfo) -> bool:
    return NoneType in get_args(field.annotation)
