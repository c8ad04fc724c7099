"""The engines that the worlds of `semantic_worlds` are asked on, and the same query asked of an engine and of nested loops."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg

from naive_semantic import Naive
from semantic_queries import QueryMaker
from semantic_worlds import World, make_world
from veracity.contracts import QueryValidationError
from veracity.query.catalog import build_catalog
from veracity.semantic.checking.check import check
from veracity.semantic.checking.names import Refused
from veracity.semantic.checking.read import read_query
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.result import ColumnPart, SemanticColumn
from veracity.semantic.sql.behind import rows_behind
from veracity.semantic.sql.columns import read_rows
from veracity.semantic.sql.compile import compile_query
from veracity.settings import Settings
from veracity.sources.duck import engine_config, locked_source
from veracity.sources.postgres import open_postgres
from veracity.sources.source import Source
from veracity.sources.sqlite import open_sqlite


class DuckWorlds:
    """One connection in memory, whose tables are made anew for each world."""

    name = "duckdb"

    def __init__(self) -> None:
        self._connection = duckdb.connect(config=engine_config(Settings()))
        self._tables: list[str] = []

    def open(self, world: World) -> Source:
        for table in self._tables:
            self._connection.execute(f'DROP TABLE "{table}"')
        self._tables = list(world.tables)
        for statement, rows in statements(world):
            if rows is None:
                self._connection.execute(statement)
            elif rows:
                self._connection.executemany(statement, rows)
        return locked_source(self._connection, "worlds", Settings(), dispose=lambda: None)


class SqliteWorlds:
    """One file, whose tables are made anew for each world."""

    name = "sqlite"

    def __init__(self, folder: Path) -> None:
        self._path = folder / "worlds.sqlite"

    def open(self, world: World) -> Source:
        self._path.unlink(missing_ok=True)
        connection = sqlite3.connect(self._path)
        connection.execute("PRAGMA synchronous = OFF")
        for statement, rows in statements(world):
            if rows is None:
                connection.execute(statement)
            else:
                connection.executemany(statement, [[_plain(cell) for cell in row] for row in rows])
        connection.commit()
        connection.close()
        return open_sqlite(self._path, Settings())


class PostgresWorlds:
    """One schema, whose tables are made anew for each world."""

    name = "postgres"

    def __init__(self, url: str) -> None:
        self._url = url

    def open(self, world: World) -> Source:
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("DROP SCHEMA IF EXISTS worlds CASCADE")
            connection.execute("CREATE SCHEMA worlds")
            connection.execute("SET search_path = worlds")
            for statement, rows in statements(world):
                if rows is None:
                    connection.execute(statement.encode())
                else:
                    connection.cursor().executemany(statement.replace("?", "%s").encode(), rows)
        return open_postgres(f"{self._url}?options=-csearch_path%3Dworlds", Settings())


Worlds = DuckWorlds | SqliteWorlds | PostgresWorlds


def _plain(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return str(cell)
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, date) else cell


def statements(world: World) -> Iterator[tuple[str, list[list[Any]] | None]]:
    for table, columns in world.tables.items():
        yield f'CREATE TABLE "{table}" ({", ".join(f"{name} {kind}" for name, kind in columns)})', None
        marks = ", ".join("?" for _ in columns)
        rows = [*world.rows[table], *world.foreign.get(table, ())]
        yield f'INSERT INTO "{table}" VALUES ({marks})', [[row[column] for column, _ in columns] for row in rows]


# --- both answers


def engine_rows(query: SemanticQuery, model: SemanticModel, source: Source) -> tuple[list[tuple[Any, ...]], str]:
    """What the engine answers: keys and shown values, or dimensions and figures; and the statement."""
    compiled = compile_query(query, model, source, row_limit=10_000)
    rows = read_rows(compiled.outputs, source.begin(compiled.statement).rows())
    columns = [output.shown for output in compiled.outputs]
    picked = _list_columns(query, model, columns) if query.lists else _group_columns(columns)
    return [tuple(row[name] for name in picked) for row in rows], compiled.statement.sql


def _list_columns(query: SemanticQuery, model: SemanticModel, columns: Sequence[SemanticColumn]) -> list[str]:
    key = [
        next(c for c in columns if c.part is ColumnPart.KEY and c.field == k) for k in model.things[query.of or ""].key
    ]
    shown = [next(c for c in columns if c.shown is one) for one in query.show]
    return [c.column.name for c in (*key, *shown)]


def _group_columns(columns: Sequence[SemanticColumn]) -> list[str]:
    return [c.column.name for c in columns if c.part is not ColumnPart.NAME]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        if one is None or other is None:
            return one is other
        size = max(Decimal(1), abs(Decimal(str(other))))
        return abs(Decimal(str(one)) - Decimal(str(other))) <= Decimal("1e-6") * size
    if isinstance(one, Decimal) and isinstance(other, Decimal):
        # An average of figures is rounded to fewer digits than one of stored values.
        digits = min(-int(one.as_tuple().exponent), -int(other.as_tuple().exponent))
        if digits >= LEAST_DIGITS:
            return abs(one - other) <= Decimal(1).scaleb(-digits)
    return bool(one == other)


LEAST_DIGITS = 6
BEHIND_EVERY = 5
"""Of so many queries one is opened to the rows behind its first figure."""


def difference(
    written: Mapping[str, Any], model: SemanticModel, source: Source, naive: Naive
) -> tuple[str | None, bool]:
    """What differs between the two answers of a query, if anything, and whether it was answered at all."""
    read = read_query(written)
    if isinstance(read, QueryValidationError):
        return f"cannot be read: {read.hint}", False
    query = check(read, model)
    if isinstance(query, QueryValidationError):
        return None, False
    again = check(query, model)
    if again != query:
        return f"checked twice: {again}", True
    try:
        got, sql = engine_rows(query, model, source)
        expected = [row for row, _ in naive.rows(query)]
    except Refused:
        return None, False
    except Exception as error:  # noqa: BLE001
        cause = error.__cause__ or error
        return f"{type(error).__name__}: {cause}", True
    alike = len(got) == len(expected) and all(
        len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
        for a, b in zip(got, expected, strict=True)
    )
    return (None if alike else f"expected {expected}\n got     {got}\n{sql}"), True


def behind_differs(written: Mapping[str, Any], model: SemanticModel, source: Source) -> str | None:
    """Whether a plain figure of the first group is another one when it is computed from the rows behind it."""
    query = check(SemanticQuery.model_validate(written), model)
    if isinstance(query, QueryValidationError) or query.lists or query.compare:
        return None
    plain = [one for one in query.show if one.measure is None and one.field and not one.transform and not one.unit]
    if len(plain) != 1 or len(query.show) != 1:
        return None
    compiled = compile_query(query, model, source, row_limit=10_000)
    rows = read_rows(compiled.outputs, source.begin(compiled.statement).rows())
    if not rows:
        return None
    found = asyncio.run(rows_behind(query, model, source, rows[0]))
    shown = rows[0][compiled.outputs[-1].shown.column.name]
    if isinstance(found, QueryValidationError):
        return f"nothing behind: {found.hint}"
    nothing = shown is None and found[0].figure is None
    return None if nothing or same(found[0].figure, shown) else f"{shown} is {found[0].figure} behind\n{found[0].sql}"


def model_of(world: World, source: Source) -> SemanticModel:
    """What is known of a world on an engine."""
    return SemanticModel(build_catalog(source, ontology=world.ontology(), scope=world.scope))


def run_world(seed: int, queries: int, engines: Sequence[Worlds]) -> Iterator[tuple[str, Any, str | None, bool]]:
    """Engine, query, difference and whether it was answered, for the queries of one world."""
    rnd = random.Random(seed)
    world = make_world(rnd)
    opened = []
    for engine in engines:
        source = engine.open(world)
        opened.append((engine.name, source, model_of(world, source)))
    maker = QueryMaker(rnd, opened[0][2])
    naive = Naive(opened[0][2], world.rows)
    for number in range(queries):
        written = maker.query()
        for name, source, model in opened:
            naive.model = model
            problem, answered = difference(written, model, source, naive)
            if answered and problem is None and number % BEHIND_EVERY == 0:
                problem = behind_differs(written, model, source)
            yield name, written, problem, answered
        naive = Naive(opened[0][2], world.rows)
    for _, source, _ in opened:
        source.close()
