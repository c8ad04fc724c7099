"""Small databases on every engine for the tests of raw SQL, in a schema of their own on PostgreSQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import duckdb
import psycopg


def build(engine: str, script: str, folder: Path, postgres: Callable[[], str], *, name: str) -> str:
    """The `--source` of a database that a script of plain SQL has made."""
    if engine == "duckdb":
        path = folder / f"{name}.duckdb"
        with duckdb.connect(str(path)) as duck:
            duck.execute(script)
        return str(path)
    if engine == "sqlite":
        path = folder / f"{name}.sqlite"
        lite = sqlite3.connect(path)
        lite.executescript(script)
        lite.close()
        return str(path)
    url = postgres()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE".encode())
        connection.execute(f"CREATE SCHEMA {name}".encode())
        connection.execute(f"SET search_path = {name}; {script}".encode())
    return f"{url}?options=-csearch_path%3D{name}"
