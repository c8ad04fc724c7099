"""The data that the peers get: a SQLite file with the rows of one mandate, without the scope columns.

SQLite, because it is what both peers' own tutorials use. One mandate, because a peer has no notion of a scope: it cannot
fail at it either.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from threading import Timer
from typing import Any

from veracity.contracts import Cell, ResultColumn, TableData

_TYPES = {"VARCHAR": "TEXT", "BOOLEAN": "BOOLEAN", "INTEGER": "INTEGER", "BIGINT": "INTEGER"}
_KEPT_ROWS = 100
_LONGEST_RUN = 30.0
_LONGEST_VALUE = 1_000_000


def copy_ledger(source: Path, target: Path, tables: Sequence[str], scope: Mapping[str, str]) -> None:
    """Write the mandate's rows of a DuckDB file to a new SQLite file."""
    import duckdb

    target.unlink(missing_ok=True)
    with duckdb.connect(str(source), read_only=True) as ledger, closing(sqlite3.connect(target)) as copy:
        for table in tables:
            _copy_table(ledger, copy, table, scope)
        copy.commit()


def _copy_table(ledger: Any, copy: sqlite3.Connection, table: str, scope: Mapping[str, str]) -> None:
    found = ledger.execute(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = ? ORDER BY ordinal_position",
        [table],
    ).fetchall()
    columns = [(name, _TYPES.get(kind, kind)) for name, kind in found if name not in scope]
    names = ", ".join(f'"{name}"' for name, _ in columns)
    where = " AND ".join(f'"{name}" = ?' for name in scope) or "TRUE"
    rows = ledger.execute(f'SELECT {names} FROM "{table}" WHERE {where}', list(scope.values())).fetchall()
    keys = [f'"{name}" {kind}' + (" PRIMARY KEY" if name == "id" else "") for name, kind in columns]
    copy.execute(f'CREATE TABLE "{table}" ({", ".join(keys)})')
    marks = ", ".join("?" * len(columns))
    copy.executemany(f'INSERT INTO "{table}" VALUES ({marks})', [tuple(map(_stored, row)) for row in rows])


def _stored(value: Any) -> Any:
    """SQLite has no decimals; two places survive as they are."""
    return float(value) if isinstance(value, Decimal) else value


def own_copy(ledger: Path, folder: Path) -> Path:
    """A copy for one process: what a model deletes is gone for that process only."""
    return Path(shutil.copy(ledger, folder / "ledger.sqlite"))


def rows_of(ledger: Path, sql: str, number: int) -> TableData | None:
    """The rows that a peer's statement returns, for the scorer; None for one that does not run read-only."""
    with closing(sqlite3.connect(f"{ledger.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)) as copy:
        copy.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        timer = Timer(_LONGEST_RUN, copy.interrupt)
        timer.start()
        try:
            cursor = copy.execute(sql)
            names = [column[0] for column in cursor.description or ()]
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
