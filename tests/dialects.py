"""Statements in each engine's own SQL, run by the engine itself and through the check."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import psycopg
from psycopg.types.string import TextLoader

_CASE = re.compile(r"(?:\[(.+?)\] )?(.+)")
CASES = Path(__file__).parent / "cases_dialects"
SCRIPT = """
    CREATE TABLE customer (id INTEGER PRIMARY KEY, name VARCHAR(40), email VARCHAR(60), country VARCHAR(2), joined DATE);
    CREATE TABLE invoice (
        id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), issued_on DATE, issued_at TIMESTAMP,
        total DECIMAL(10,2), pieces INTEGER, note VARCHAR(40), paid BOOLEAN
    );
    CREATE TABLE line (
        invoice_id INTEGER REFERENCES invoice (id), line_no INTEGER, product VARCHAR(20), price DECIMAL(10,2), quantity INTEGER,
        total DECIMAL(10,2), PRIMARY KEY (invoice_id, line_no)
    );
    CREATE TABLE shipment (
        id INTEGER PRIMARY KEY, invoice_id INTEGER, line_no INTEGER, carrier VARCHAR(20), weight DOUBLE PRECISION,
        FOREIGN KEY (invoice_id, line_no) REFERENCES line (invoice_id, line_no)
    );
    INSERT INTO customer VALUES
        (1, 'Anna', 'anna@example.ch', 'CH', '2023-05-01'), (2, 'andré', 'andre@example.de', 'CH', '2024-01-15'),
        (3, 'Bärbel', 'b@sample.de', 'DE', '2024-02-29'), (4, 'Carla', 'carla@example.ch', NULL, NULL),
        (5, 'ANTON', 'anton@example.at', 'AT', '2022-12-31');
    INSERT INTO invoice VALUES
        (1, 1, '2024-01-31', '2024-01-31 10:15:00', 99.90, 3, 'first', TRUE),
        (2, 1, '2024-02-29', '2024-02-29 23:59:59', 120.55, 5, NULL, FALSE),
        (3, 2, '2023-12-31', '2023-12-31 00:00:00', 0.10, 7, 'xxfooxx', TRUE),
        (4, 3, '2024-07-04', '2024-07-04 12:00:00', 250.00, 2, '', NULL),
        (5, 3, '2025-03-01', NULL, 0.20, NULL, ' pad ', TRUE),
        (6, NULL, NULL, '2024-06-30 08:30:00', NULL, 4, 'FIRST', FALSE);
    INSERT INTO line VALUES
        (1, 1, 'ski', 50.00, 1, 50.00), (1, 2, 'boot', 24.95, 2, 49.90), (2, 1, 'ski', 120.55, 1, 120.55),
        (3, 1, 'wax', 0.10, 1, 0.10), (4, 1, 'boot', 125.00, 2, 250.00), (5, 1, 'wax', 0.10, 2, 0.20);
    INSERT INTO shipment VALUES (1, 1, 1, 'post', 2.5), (2, 1, 2, 'post', 1.25), (3, 2, 1, 'rail', 3.0), (4, 2, 1, 'rail', 0.5);
"""


def cases(engine: str) -> list[tuple[str, str | None]]:
    """Each statement, and what it is refused for where a name stands in brackets before it."""
    lines = (CASES / f"{engine}.sql").read_text("utf-8").splitlines()
    found = (_CASE.fullmatch(line) for line in lines if line and not line.startswith("#"))
    return [(match[2], match[1]) for match in found if match]


@cache
def _direct(path: str) -> duckdb.DuckDBPyConnection:
    """The file, opened once: an engine takes longer to start than a statement to run."""
    return duckdb.connect(path, read_only=True)


def run_directly(engine: str, spec: str, sql: str) -> list[tuple[Any, ...]]:
    """The rows of a statement, straight from the engine."""
    if engine == "sqlite":
        connection = sqlite3.connect(spec)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()
    if engine == "duckdb":
        # The source holds the file open with settings of its own; a copy has none.
        with _direct(spec.replace(".duckdb", "-direct.duckdb")).cursor() as duck:
            rows = duck.sql(sql)
            # The driver makes 30 days of a month; the engine's own words do not.
            shown = (
                f'"{n}"::VARCHAR' if str(t) == "INTERVAL" else f'"{n}"'
                for n, t in zip(rows.columns, rows.types, strict=True)
            )
            return rows.project(", ".join(shown)).fetchall() if "INTERVAL" in map(str, rows.types) else rows.fetchall()
    with psycopg.connect(spec, autocommit=True) as postgres:
        postgres.execute("SET timezone = 'UTC'")
        postgres.adapters.register_loader("interval", TextLoader)
        return postgres.execute(sql.encode()).fetchall()


def alike(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]) -> bool:
    """Whether two results hold the same cells in the same order, whatever types they are written in."""
    if len(one) != len(other):
        return False
    pairs = [(a, b) for left, right in zip(one, other, strict=True) for a, b in zip(left, right, strict=True)]
    return all(same_cell(a, b) for a, b in pairs)


def same_cell(one: Any, other: Any) -> bool:
    """Whether two cells say the same."""
    if one is None or other is None:
        return one is other
    if all(isinstance(cell, int | float | Decimal) for cell in (one, other)):
        return math.isclose(float(one), float(other), rel_tol=1e-9, abs_tol=1e-6)
    return _written(one) == _written(other)


def _written(cell: Any) -> str:
    if isinstance(cell, datetime):
        cell = cell.replace(tzinfo=None)
    text = (
        cell.isoformat(" ") if isinstance(cell, datetime) else cell.isoformat() if isinstance(cell, date) else str(cell)
    )
    return text.removesuffix(".000000").removesuffix(" 00:00:00")
