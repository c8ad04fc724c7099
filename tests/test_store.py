"""Traces survive crashes and crowds, are found by a prefix, and a bad file is one sentence."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from command_line import Started, program
from veracity.agent.trace_store import TraceRecord, TraceStore, new_trace_id
from veracity.durable.kept_rows import FileRows, store_of
from veracity.errors import UsageError
from veracity.settings import Settings

START = datetime(2026, 11, 15, 4, 51, 2, tzinfo=UTC)


def record(trace_id: str = "20261115-045102-7f3a9c", *, minutes: int = 0, **changes: Any) -> TraceRecord:
    values: dict[str, Any] = {
        "trace_id": trace_id,
        "started_at": START + timedelta(minutes=minutes),
        "updated_at": START + timedelta(minutes=minutes, seconds=1),
        "finished": False,
        "question": "Wie hoch war der Umsatz? 营业额",
        "lang": "de",
        "model": "offline",
        "source": "ledger.duckdb",
        "outcome": None,
        "text": None,
        "body": {"round": 1},
    }
    return TraceRecord(**{**values, **changes})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "er" / "traces.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[TraceStore]:
    opened = TraceStore(path)
    yield opened
    opened.close()


# --- one trace


def test_saved_trace_comes_back_whole(store: TraceStore) -> None:
    body = {"calls": [{"amount": 1.5, "none": None, "big": 2**70}], "text": "a\x00b\n’"}
    saved = record(body=body, outcome="answered", text="42", finished=True)
    store.save(saved)
    assert store.get(saved.trace_id) == saved


def test_saving_again_replaces(store: TraceStore) -> None:
    store.save(record())
    store.save(record(finished=True, outcome="answered", body={"round": 2}))
    found = store.get("20261115")
    assert (found.finished, found.outcome, found.body) == (True, "answered", {"round": 2})
    assert len(store.latest()) == 1


def test_times_are_utc_and_written_with_z(store: TraceStore, path: Path) -> None:
    local = datetime(2026, 11, 15, 12, 51, 2, tzinfo=timezone(timedelta(hours=8)))
    store.save(record(started_at=local))
    found = store.get("20261115")
    assert found.started_at == START
    assert found.started_at.tzinfo == UTC
    assert '"startedAt":"2026-11-15T04:51:02.000000Z"' in found.model_dump_json()
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT started_at FROM veracity_trace").fetchone() == ("2026-11-15T04:51:02.000000Z",)
    raw.close()


def test_rows_are_kept_only_when_asked(path: Path, store: TraceStore) -> None:
    table = {"columns": [{"name": "a"}], "rows": [{"a": "private"}], "rowCount": 1}
    saved = record(body={"results": [{"data": table}], "rows": 3})
    store.save(saved)
    assert store.get("20261115").body == {"results": [{"data": {**table, "rows": []}}], "rows": 3}
    assert b"private" not in b"".join(file.read_bytes() for file in path.parent.iterdir())
    keeping = TraceStore(path, keep_rows=True)
    keeping.save(saved)
    assert keeping.get("20261115").body == saved.body
    keeping.close()


def test_values_json_does_not_know(store: TraceStore) -> None:
    store.save(record(body={"amount": Decimal("1.10"), "on": START}))
    assert store.get("20261115").body == {"amount": "1.10", "on": "2026-11-15T04:51:02Z"}
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        store.save(record(body={"x": object()}))
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        store.save(record(body={"x": "\ud800"}))


def test_identifiers_sort_by_time_and_differ() -> None:
    assert re.fullmatch(r"20261115-045102-[0-9a-f]{10}", new_trace_id(START))
    assert new_trace_id(START) < new_trace_id(START + timedelta(seconds=1))
    assert len({new_trace_id(START) for _ in range(200)}) == 200
    assert re.fullmatch(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{10}", new_trace_id())
    assert new_trace_id(datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1)))).startswith("20251231-230000")


def test_default_store_is_in_the_data_folder(tmp_path: Path) -> None:
    assert store_of(Settings(home=tmp_path)) == tmp_path / "veracity.sqlite"
    named = store_of(Settings(home=tmp_path, database=str(tmp_path / "mine.sqlite")))
    assert named == tmp_path / "mine.sqlite"


# --- finding


def test_prefix_finds_the_only_trace(store: TraceStore) -> None:
    store.save(record("20261115-045102-7f3a9c"))
    store.save(record("20261116-045102-7f3a9c"))
    assert store.get("20261115").trace_id == "20261115-045102-7f3a9c"
    assert store.get(" 20261116-045102-7f3a9c ").trace_id == "20261116-045102-7f3a9c"


def test_exact_identifier_wins_over_longer_ones(store: TraceStore) -> None:
    for name in ("abcd", "abcde", "abcdef", "abcdz"):
        store.save(record(name))
    assert store.get("abcd").trace_id == "abcd"


def test_ambiguous_prefix(store: TraceStore) -> None:
    store.save(record("20261115-045102-7f3a9c"))
    store.save(record("20261115-045102-8f3a9c"))
    with pytest.raises(UsageError, match=r"20261115-045102-7f3a9c and 20261115-045102-8f3a9c; write more"):
        store.get("20261115")


@pytest.mark.parametrize("name", ["2027", "20261115-999999", "____", "2026%"])
def test_unknown_trace_points_at_the_list(store: TraceStore, name: str) -> None:
    store.save(record())
    with pytest.raises(UsageError, match="veracity trace list"):
        store.get(name)


@pytest.mark.parametrize("name", ["", "202", "%%%%", "'; DROP", "2026\n", "２０２６"])
def test_prefix_must_be_one(store: TraceStore, name: str) -> None:
    store.save(record())
    if name.strip() == "2026":
        assert store.get(name)
        return
    with pytest.raises(UsageError, match="at least 4 characters"):
        store.get(name)


def test_reading_makes_no_file(store: TraceStore, path: Path) -> None:
    assert store.latest() == []
    assert store.prune(0) == 0
    with pytest.raises(UsageError, match="veracity trace list"):
        store.get("20261115")
    assert not path.parent.exists()


def test_latest_are_the_newest_first(store: TraceStore) -> None:
    for minutes in (3, 1, 2, 5, 4):
        store.save(record(f"trace-{minutes}", minutes=minutes))
    assert [found.trace_id for found in store.latest(3)] == ["trace-5", "trace-4", "trace-3"]
    assert store.latest(0) == []
    assert not hasattr(store.latest(1)[0], "body")


def test_prune_keeps_the_newest(store: TraceStore) -> None:
    for minutes in range(5):
        store.save(record(f"trace-{minutes}", minutes=minutes))
    assert store.prune(2) == 3
    assert [found.trace_id for found in store.latest()] == ["trace-4", "trace-3"]
    assert store.prune(0) == 2


# --- many writers, and crashes

WRITE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from test_store import record
from veracity.agent.trace_store import TraceStore
store = TraceStore(Path(sys.argv[1]))
for number in range(25):
    store.save(record(f"{sys.argv[2]}-{number:03}", minutes=number))
"""


def test_processes_write_at_once(store: TraceStore, path: Path) -> None:
    here, python = str(Path(__file__).parent), program().with_name("python")
    writers = [
        subprocess.Popen([python, "-c", WRITE, str(path), f"process{number}", here], stderr=subprocess.PIPE)
        for number in range(6)
    ]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert (writer.returncode, errors) == (0, b"")
    assert len(store.latest(1000)) == 150


def test_threads_write_at_once(store: TraceStore, path: Path) -> None:
    failures: list[Exception] = []
    other = TraceStore(path)

    def write(number: int) -> None:
        try:
            for item in range(20):
                (store if number % 2 else other).save(record(f"thread{number}-{item:03}"))
        except UsageError as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(store.latest(1000)) == 160
    other.close()


CRASH = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_store import record
from veracity.agent.trace_store import TraceStore
store = TraceStore(Path(sys.argv[1]))
store.save(record(body={"round": 1}))
store.save(record(body={"round": 2}))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_process_loses_nothing_it_saved(store: TraceStore, path: Path) -> None:
    crash = Started("python", "-c", CRASH, str(path), str(Path(__file__).parent))
    assert crash.wait() == -signal.SIGKILL
    found = store.get("20261115")
    assert (found.finished, found.body) == (False, {"round": 2})
    store.save(record("20270101-000000-abcdef"))
    assert len(store.latest()) == 2


def test_child_process_uses_a_connection_of_its_own(store: TraceStore) -> None:
    store.save(record("parent"))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            store.save(record("child"))
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.save(record("parent-again"))
    assert {found.trace_id for found in store.latest()} == {"parent", "child", "parent-again"}


def test_file_that_was_removed_is_made_again(store: TraceStore, path: Path) -> None:
    store.save(record("before"))
    shutil.rmtree(path.parent)
    store.save(record("after"))
    assert [found.trace_id for found in store.latest()] == ["after"]


# --- bad files


def test_file_is_for_its_owner_only(store: TraceStore, path: Path) -> None:
    before = os.umask(0)
    try:
        store.save(record())
    finally:
        os.umask(before)
    assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def refusal(store: TraceStore) -> str:
    sentences = set()
    for action in (lambda: store.save(record()), lambda: store.get("20261115"), store.latest):
        with pytest.raises(UsageError) as caught:
            action()
        sentences.add(str(caught.value))
    (sentence,) = sentences
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize(
    "content", [b"this is no database, but long enough to look at" * 50, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_file_that_is_no_database(store: TraceStore, path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert refusal(store) == f"{path} is not a file of traces or is damaged; move it away, and a new one is made."
    assert path.read_bytes() == content


def test_file_of_a_newer_version(store: TraceStore, path: Path) -> None:
    store.save(record())
    store.close()
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    assert refusal(store) == (f"{path} was written by a newer version of Veracity; update it, or move the file away.")


def test_database_of_someone_else_stays_untouched(store: TraceStore, path: Path) -> None:
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as raw:
        raw.execute("CREATE TABLE mine (a)")
    raw.close()
    before = path.read_bytes()
    assert refusal(store) == f"{path} holds something other than traces; move the file away."
    assert path.read_bytes() == before


def test_rows_that_cannot_be_read(store: TraceStore, path: Path) -> None:
    store.save(record())
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE veracity_trace SET body = '{', started_at = 'soon'")
    raw.close()
    for action in (lambda: store.get("20261115"), store.latest):
        with pytest.raises(UsageError, match="is damaged"):
            action()


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = TraceStore(tmp_path / "file" / "traces.sqlite")
    with pytest.raises(UsageError, match="check its rights and its folder, or set VERACITY_HOME"):
        store.save(record())


def test_read_only_folder() -> None:
    folder = Path(tempfile.mkdtemp(prefix="veracity-read-only-"))
    folder.chmod(0o555)
    path, (reader, writer) = folder / "traces.sqlite", os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                # Rights do not bind root: a user without any tries.
                os.setgid(65534)
                os.setuid(65534)
            TraceStore(path).save(record())
        except UsageError as error:
            os.write(writer, str(error).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    said = os.read(reader, 1000).decode()
    os.close(reader)
    assert said == f"{path} cannot be read or written; check its rights and its folder, or set VERACITY_HOME."
    folder.chmod(0o755)
    folder.rmdir()


def test_full_disk(store: TraceStore, path: Path) -> None:
    store.save(record())
    assert isinstance(store._rows, FileRows)
    connection = store._rows._connection
    assert connection is not None
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(UsageError, match="the disk is full"):
        store.save(record("large", body={"text": "x" * 100_000}))
    assert store.get("20261115")


def test_file_that_stays_locked(store: TraceStore, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veracity.durable.sqlite_file._BUSY_SECONDS", 0.1)
    store.save(record())
    with sqlite3.connect(path, isolation_level=None) as raw:
        raw.execute("BEGIN IMMEDIATE")
        with pytest.raises(UsageError, match="in use by another program; try again"):
            store.save(record("second"))
        raw.execute("ROLLBACK")
    raw.close()
    store.save(record("second"))


def test_file_that_others_make_at_the_same_moment(store: TraceStore, path: Path) -> None:
    """SQLite refuses the change to WAL at once while somebody else is about to write, without the usual waiting."""
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path, isolation_level=None, check_same_thread=False) as other:
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.3, other.execute, ("ROLLBACK",))
        release.start()
        store.save(record())
        release.join()
    other.close()
    assert store.get("20261115")
