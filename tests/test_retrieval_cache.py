"""The cache keeps values for their time, forgets the oldest, is shared, and is never the reason that something fails."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veracity.retrieval.cache import SqliteCache
from veracity.settings import Settings

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def entries(cache: SqliteCache) -> int:
    with cache._session() as connection:
        return int(connection.execute("SELECT count(*) FROM entry").fetchone()[0])


def test_nothing_is_known_before_anything_was_kept_and_no_file_is_made(tmp_path: Path) -> None:
    cache = SqliteCache(tmp_path / "c.sqlite")
    assert cache.get("a") is None
    assert not (tmp_path / "c.sqlite").exists()


def test_a_value_is_there_until_its_time_is_up(tmp_path: Path, clock: Clock) -> None:
    cache = SqliteCache(tmp_path / "c.sqlite", clock=clock)
    cache.put("a", {"score": 92.5}, seconds=300)
    clock.now += 299.9
    assert cache.get("a") == {"score": 92.5}
    clock.now += 0.2
    assert cache.get("a") is None


def test_a_value_kept_again_lives_longer(tmp_path: Path, clock: Clock) -> None:
    cache = SqliteCache(tmp_path / "c.sqlite", clock=clock)
    cache.put("a", 1, seconds=10)
    clock.now += 9
    cache.put("a", 2, seconds=10)
    clock.now += 9
    assert cache.get("a") == 2


@pytest.mark.parametrize("seconds", [0, -1])
def test_no_time_means_not_kept(tmp_path: Path, seconds: float) -> None:
    cache = SqliteCache(tmp_path / "c.sqlite")
    cache.put("a", 1, seconds=seconds)
    assert cache.get("a") is None


def test_the_oldest_go_when_there_are_too_many(tmp_path: Path, clock: Clock) -> None:
    cache = SqliteCache(tmp_path / "c.sqlite", most=3, clock=clock)
    for number in range(5):
        clock.now += 1
        cache.put(str(number), number, seconds=100)
    assert [cache.get(str(number)) for number in range(5)] == [None, None, 2, 3, 4]
    assert entries(cache) == 3


def test_what_has_expired_takes_no_room(tmp_path: Path, clock: Clock) -> None:
    cache = SqliteCache(tmp_path / "c.sqlite", clock=clock)
    for number in range(20):
        cache.put(str(number), number, seconds=5)
    clock.now += 6
    cache.put("new", 1, seconds=5)
    assert entries(cache) == 1


def test_a_value_that_is_far_too_large_is_not_kept(tmp_path: Path) -> None:
    cache = SqliteCache(tmp_path / "c.sqlite")
    cache.put("a", "x" * 1_000_001, seconds=5)
    assert cache.get("a") is None


@settings(max_examples=30, deadline=None)
@given(key=st.text(st.characters(codec="utf-8"), max_size=30), value=JSON)
def test_whatever_json_can_hold_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, key: str, value: Any
) -> None:
    cache = SqliteCache(tmp_path_factory.getbasetemp() / "any.sqlite")
    cache.put(key, value, seconds=60)
    assert cache.get(key) == value


def test_another_process_sees_what_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    code = (
        "import sys; from pathlib import Path; from veracity.retrieval.cache import SqliteCache; "
        "SqliteCache(Path(sys.argv[1])).put('a', [1, 'ü'], seconds=60)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert SqliteCache(path).get("a") == [1, "ü"]


def test_several_threads_and_connections_may_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    caches = [SqliteCache(path), SqliteCache(path)]

    def fill(name: int) -> None:
        for number in range(20):
            caches[name % 2].put(f"{name}-{number}", number, seconds=60)

    threads = [threading.Thread(target=fill, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [caches[0].get(f"{name}-{number}") for name in range(4) for number in range(20)] == [*range(20)] * 4


def test_a_file_that_another_makes_at_the_same_moment_is_used(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    first, second = SqliteCache(path), SqliteCache(path)

    class Late(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            if statement == "BEGIN IMMEDIATE":
                first.put("a", 1, seconds=60)
            return super().execute(statement, *values)

    second._prepare(sqlite3.connect(path, isolation_level=None, factory=Late))
    assert second.get("a") == 1


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 4_000])
def test_a_broken_file_costs_time_and_never_a_result(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "c.sqlite"
    path.write_bytes(content)
    cache = SqliteCache(path)
    assert cache.get("a") is None
    cache.put("a", 1, seconds=60)
    assert cache.get("a") is None
    assert path.read_bytes() == content


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = SqliteCache(tmp_path / "file" / "c.sqlite")
    cache.put("a", 1, seconds=60)
    assert cache.get("a") is None


def test_a_value_that_somebody_spoilt_is_not_known(tmp_path: Path) -> None:
    cache = SqliteCache(tmp_path / "c.sqlite")
    cache.put("a", 1, seconds=60)
    with cache._session() as connection:
        connection.execute("UPDATE entry SET value = '{half'")
    assert cache.get("a") is None


def test_the_default_lies_in_the_data_folder(tmp_path: Path) -> None:
    cache = SqliteCache.default(Settings(home=tmp_path))
    cache.put("a", 1, seconds=60)
    assert [path.name for path in tmp_path.glob("*.sqlite")] == ["retrieval-cache.sqlite"]
    assert cache.get("a") == 1
