"""The data that the peers get: each source as a SQLite file, with the rows in scope and without the scope columns.

SQLite, because it is what the peers' own tutorials use. Only the rows in scope, because a peer has no notion of a scope: it
cannot fail at it either.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import date
from decimal import Decimal
from pathlib import Path
from threading import Timer
from typing import Any

from peer_lines import unique_names

from veracity.contracts import Cell, ResultColumn, TableData
from veracity.errors import UsageError
from veracity.query.catalog import CatalogEntity
from veracity.query.compile import Parameters, scoped_rows
from veracity.sources.source import Column, ColumnType, Row, Statement, fetch, identifier
from veracity.tools.tables import TableTools

_TYPES = {
    ColumnType.INTEGER: "INTEGER",
    ColumnType.FLOAT: "REAL",
    ColumnType.BOOLEAN: "BOOLEAN",
    ColumnType.DATE: "DATE",
    ColumnType.TIMESTAMP: "TIMESTAMP",
}
_MOST_ROWS = 1_000_000
"""Of a table; more than these are no data for a comparison on one machine."""
_KEPT_ROWS = 100
_LONGEST_RUN = 30.0
_LONGEST_VALUE = 1_000_000


async def copy_tables(tables: TableTools, target: Path) -> None:
    """Write the rows in scope of every table to a new SQLite file; of tables that were opened without an ontology."""
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(target)) as copy:
        for entity in tables.catalog.entities.values():
            _write(copy, entity, await _rows(tables, entity))
        copy.commit()


async def _rows(tables: TableTools, entity: CatalogEntity) -> list[Row]:
    parameters = Parameters(tables.source.dialect)
    select = scoped_rows(entity, list(entity.fields), tables.catalog, tables.source, parameters)
    columns = tuple(field.column for field in entity.fields.values())
    sql = select.sql(dialect=tables.source.dialect)
    rows = await fetch(tables.source, Statement(sql, parameters.values, columns, _MOST_ROWS + 1))
    if len(rows) > _MOST_ROWS:
        raise UsageError(f"{entity.name} has more than {_MOST_ROWS:,} rows; name a source with smaller tables.")
    return rows


def _write(copy: sqlite3.Connection, entity: CatalogEntity, rows: Sequence[Row]) -> None:
    columns = ", ".join(
        f"{identifier(name)} {_declared(field.column)}{' PRIMARY KEY' if _is_key(name, number, rows) else ''}"
        for number, (name, field) in enumerate(entity.fields.items())
    )
    copy.execute(f"CREATE TABLE {identifier(entity.name)} ({columns})")
    marks = ", ".join("?" * len(entity.fields))
    stored = (tuple(map(_stored, row)) for row in rows)
    copy.executemany(f"INSERT INTO {identifier(entity.name)} VALUES ({marks})", stored)


def _declared(column: Column) -> str:
    if column.type is ColumnType.DECIMAL:
        return f"DECIMAL(18,{2 if column.scale is None else column.scale})"
    return _TYPES.get(column.type, "TEXT")


def _is_key(name: str, number: int, rows: Sequence[Row]) -> bool:
    """A column `id` is declared as the key, if it is one."""
    return name == "id" and len({row[number] for row in rows} - {None}) == len(rows)


def _stored(value: Cell) -> Any:
    """SQLite has neither decimals nor dates; two places survive as they are, and a date is a text."""
    if isinstance(value, Decimal):
        return float(value)
    return str(value) if isinstance(value, date) else value


def own_copy(database: Path, folder: Path) -> Path:
    """A copy for one process: what a model deletes is gone for that process only."""
    return Path(shutil.copy(database, folder / "data.sqlite"))


def rows_of(database: Path, sql: str, number: int) -> TableData | None:
    """The rows that a peer's statement returns, for the scorer; None for one that does not run read-only."""
    with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)) as copy:
        copy.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        timer = Timer(_LONGEST_RUN, copy.interrupt)
        timer.start()
        try:
            cursor = copy.execute(sql)
            names = unique_names([column[0] for column in cursor.description or ()])
            rows = cursor.fetchmany(_KEPT_ROWS + 1)
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return None
        finally:
            timer.cancel()
    if not names:
        return None
    return TableData(
        result_id=f"r{number}",
        table_name="sql",
        columns=tuple(ResultColumn(name=name, type="other") for name in names),
        rows=tuple(dict(zip(names, map(_cell, row), strict=True)) for row in rows[:_KEPT_ROWS]),
        row_count=min(len(rows), _KEPT_ROWS),
        truncated=len(rows) > _KEPT_ROWS,
    )


def _cell(value: Any) -> Cell:
    """A float without the noise of binary sums; bytes as text."""
    if isinstance(value, float):
        return Decimal(str(round(value, 6)))
    return value.hex() if isinstance(value, bytes) else value
