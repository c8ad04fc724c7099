"""A shop without declared keys, on every engine, with what goes wrong in sums: states, currencies, stock, copies."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import duckdb
import psycopg

FIRST = date(2024, 1, 1)
Rows = Sequence[tuple[Any, ...]]
TABLES: dict[str, tuple[str, Rows]] = {
    "customers": (
        "customer_id INTEGER, first_name VARCHAR(40), last_name VARCHAR(40), country VARCHAR(40), zip_code INTEGER, rating INTEGER",
        [(i, f"First{i % 40}", f"Last{i}", ("Germany", "France", "Italy")[i % 3], 8000 + i, 1 + i % 5) for i in range(1, 61)],
    ),
    "orders": (
        "order_id INTEGER, customer_id INTEGER, order_date DATE, status VARCHAR(20), total_amount DECIMAL(12,2), discount_rate DECIMAL(5,2)",
        [
            (i, 1 + (i * 7) % 60, FIRST + timedelta(days=i % 300), ("new", "paid", "cancelled")[i % 3], sum(2 * (1 + n % 4) + 2 * n for n in (i, i + 1)), (i * 11 % 17) / 100)
            for i in range(1, 121)
        ],
    ),
    "order_items": (
        "item_id INTEGER, order_id INTEGER, quantity INTEGER, unit_price DECIMAL(10,2), line_total DECIMAL(12,2)",
        [
            (2 * i + k, i, 2, 1 + n % 4 + n, 2 * (1 + n % 4) + 2 * n)
            for i in range(1, 121)
            for k, n in enumerate((i, i + 1))
        ],
    ),
    "donations": (
        "donation_id INTEGER, customer_id INTEGER, donated_on DATE, amount DECIMAL(10,2), currency VARCHAR(3)",
        [(i, 1 + i % 60, FIRST + timedelta(days=i), 10 + i % 23, ("CHF", "EUR")[i % 2]) for i in range(1, 91)],
    ),
    "stock_levels": (
        "warehouse VARCHAR(10), counted_on DATE, pieces INTEGER",
        [(w, FIRST + timedelta(days=7 * d), (d * 3 + len(w)) % 50) for w in ("north", "south", "east") for d in range(20)],
    ),
    "rivers": (
        "river_name VARCHAR(30), length INTEGER, country VARCHAR(30)",
        [(f"river {r}", 100 + 37 * r, c) for r in range(20) for c in [f"land {n}" for n in range(1 + r % 3)]],
    ),
}  # fmt: skip


def make(engine: str, spec: str, names: Sequence[str] | None = None) -> None:
    """Create the tables on an engine."""
    chosen = {name: TABLES[name] for name in names or TABLES}
    if engine == "postgres":
        with psycopg.connect(spec, autocommit=True) as connection:
            for name, (columns, rows) in chosen.items():
                connection.execute(f"DROP TABLE IF EXISTS {name} CASCADE".encode())
                connection.execute(f"CREATE TABLE {name} ({columns})".encode())
                marks = ", ".join("%s" for _ in rows[0])
                connection.cursor().executemany(f"INSERT INTO {name} VALUES ({marks})".encode(), rows)
        return
    opened: Any = duckdb.connect(spec) if engine == "duckdb" else sqlite3.connect(spec)
    with opened as connection:
        for name, (columns, rows) in chosen.items():
            connection.execute(f"CREATE TABLE {name} ({columns})")
            # One statement: DuckDB takes its time for each.
            values = ", ".join(f"({', '.join(map(_literal, row))})" for row in rows)
            connection.execute(f"INSERT INTO {name} VALUES {values}")
    opened.close()


def _literal(cell: Any) -> str:
    return f"'{cell}'" if isinstance(cell, str | date) else str(cell)
