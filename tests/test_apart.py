"""Raw SQL runs in a process of its own: whatever a query does, it ends as one sentence and the next one is answered."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from veracity.contracts import TableData
from veracity.errors import QueryFailed
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.sources.source import Column, ColumnType, Source, Statement, fetch
from veracity.tools.sql import SqlTools
from veracity.tools.tables import TableTools

ROWS = [(number, f"some text {number}") for number in range(5_000)]


def chain(text: str, times: int) -> str:
    return " || ".join([text] * times)


GROWN = f"SELECT {chain('y', 60)} AS z FROM (SELECT {chain('x', 60)} AS y FROM (SELECT {chain('x', 60)} AS x FROM t) AS a) AS b"
BOMBS = {
    "text": f"SELECT SUM(LENGTH(z)) AS n FROM ({GROWN}) AS c",
    "replaced text": f"SELECT MAX(LENGTH(REPLACE(REPLACE({chain('x', 40)}, 'e', {chain('x', 40)}), 't', {chain('x', 40)}))) AS n FROM t",
    "memory": "SELECT COUNT(*) AS n FROM (SELECT DISTINCT a.x || b.x AS y FROM t a JOIN t b ON a.i <> b.i) AS q",
    "cross join": "SELECT COUNT(*) AS n FROM t a JOIN t b ON a.i <> b.i JOIN t c ON c.i <> b.i",
    "recursion": "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) AS n FROM r",
}


def raw(sql: str, *, most: int = 10) -> Statement:
    return Statement(sql, [], (Column("n", ColumnType.INTEGER),), most, apart=True)


@pytest.fixture(params=["duckdb", "sqlite"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / f"t.{request.param}"
    if request.param == "duckdb":
        with duckdb.connect(str(path)) as duck:
            duck.execute("CREATE TABLE t AS SELECT range AS i, 'some text ' || range AS x FROM range(5000)")
    else:
        lite = sqlite3.connect(path)
        lite.execute("CREATE TABLE t (i INTEGER, x TEXT)")
        lite.executemany("INSERT INTO t VALUES (?, ?)", ROWS)
        lite.commit()
        lite.close()
    return path


@pytest.fixture
def source(file: Path) -> Iterator[Source]:
    opened = open_source(file, settings=Settings(statement_timeout=0.5, memory_limit="200MB"))
    yield opened
    opened.close()


def test_a_bomb_ends_as_one_sentence_and_the_next_query_is_answered(source: Source) -> None:
    for name, sql in BOMBS.items():
        with pytest.raises(QueryFailed, match=r"^[A-Z][^.]*(stopped after 0\.5 s|memory|grew longer)[^.]*\.$"):
            source.begin(raw(sql)).rows()
        assert source.begin(raw("SELECT COUNT(*) AS n FROM t")).rows() == [(5000,)], name


def test_a_result_that_is_too_large_is_not_handed_over(file: Path) -> None:
    source, longest = open_source(file), Column("n", ColumnType.TEXT)
    statement = Statement(
        f"SELECT {chain('y', 30)} AS n FROM (SELECT {chain('x', 30)} AS y FROM t) AS a",
        [],
        (longest,),
        5_000,
        apart=True,
    )
    with pytest.raises(QueryFailed, match=r"larger than 32 MB"):
        source.begin(statement).rows()
    source.close()


def test_a_query_that_is_cancelled_ends_at_once_and_a_process_that_was_killed_is_replaced(source: Source) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(fetch(source, raw(BOMBS["cross join"])))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert source.begin(raw("SELECT MAX(i) AS n FROM t")).rows() == [(4999,)]
    for number in children():
        os.kill(number, signal.SIGKILL)
        while is_there(number):
            pass
    assert source.begin(raw("SELECT MAX(i) AS n FROM t")).rows() == [(4999,)]


def children() -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "apart_process" in line]


def is_there(process: int) -> bool:
    """Whether one of its threads has not ended yet."""
    try:
        states = [task.joinpath("stat").read_text() for task in Path(f"/proc/{process}/task").iterdir()]
    except (FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}").exists()
    return len(states) > 1 or any(state.rpartition(")")[2].split()[0] != "Z" for state in states)


def test_closing_the_source_ends_its_processes(source: Source) -> None:
    before = set(children())
    source.begin(raw("SELECT MAX(i) AS n FROM t")).rows()
    assert set(children()) - before
    source.close()
    assert not set(children()) - before


def test_the_process_reads_and_does_nothing_else(source: Source) -> None:
    for sql in (
        "DELETE FROM t",
        "SELECT 1 AS n; SELECT 2 AS n",
        "ATTACH ':memory:' AS other",
        "CREATE TABLE u (i INTEGER)",
    ):
        with pytest.raises(QueryFailed):
            source.begin(raw(sql)).rows()
    assert source.begin(raw("SELECT COUNT(*) AS n FROM t")).rows() == [(5000,)]


def test_raw_sql_goes_there_and_table_calls_stay(source: Source) -> None:
    before, tables = set(children()), TableTools(source)
    counted = tables.call_sync("aggregateTable", {"tableName": "t", "aggregate": "COUNT"})
    assert counted.success
    assert not set(children()) - before
    found = SqlTools(tables).call_sync("query", {"sql": "SELECT COUNT(*) AS n FROM t"})
    assert isinstance(found.data, TableData)
    assert found.data.rows == ({"n": 5000},)
    assert len(set(children()) - before) == 1
