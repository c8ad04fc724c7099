"""`veracity serve`: it says where it is, does jobs, survives what kills its processes, and ends without losing anything."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from command_line import REAL, veracity
from served import QUESTION, http
from veracity.server.database import ServerDatabase

COMMAND = ("serve", "--log", "warning")


@contextmanager
def serving(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address and the process of a running server."""
    process = subprocess.Popen(
        [REAL, *COMMAND, "--port", "0", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, line + (process.stderr.read() if process.stderr and process.poll() is not None else "")
        yield found[0], process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=40)


def descendants(pid: int) -> set[int]:
    """All processes below one."""
    try:
        own = {int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    except FileNotFoundError:
        return set()
    return own.union(*(descendants(child) for child in own))


def children(process: subprocess.Popen[str]) -> set[int]:
    """The server processes and the worker: those that nothing is below of, but the one that tidies up."""
    below = descendants(process.pid)
    return {pid for pid in below if not descendants(pid) and b"resource_tracker" not in _command(pid)}


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b"resource_tracker"


def until(holds: Any, seconds: float = 30) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if found := holds():
                return found
        except httpx2.HTTPError:
            pass
        time.sleep(0.1)
    pytest.fail("it did not happen in time")


@pytest.fixture(scope="module")
def source(ledger: Path) -> tuple[str, ...]:
    return ("--source", str(ledger), "--feature", "trustee")


@pytest.mark.long
def test_killed_processes_are_started_again_and_it_ends_cleanly(source: tuple[str, ...], tmp_path: Path) -> None:
    with serving(*source, "--database", str(tmp_path / "serve.sqlite")) as (address, process), http(address) as client:
        before = children(process)
        assert len(before) == 2
        trace = client.post("/v1/ask", json={"question": QUESTION}).json()["traceId"]
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        until(lambda: len(children(process) - before) == 2)
        until(lambda: client.get("/readyz").status_code == 200)
        assert client.get(f"/v1/traces/{trace}").json()["question"] == QUESTION
        job = client.post("/v1/ask", json={"question": QUESTION}, headers={"Prefer": "respond-async"}).headers[
            "location"
        ]
        done = until(lambda: (found := client.get(job).json())["state"] == "done" and found)
        assert done["result"]["outcome"] == "answered"
        process.send_signal(signal.SIGTERM)
        assert process.wait(40) == 0
        assert not children(process)


@pytest.mark.long
def test_on_another_address_a_key_is_needed_and_no_process_outlives_its_parent(
    source: tuple[str, ...], tmp_path: Path
) -> None:
    database = str(tmp_path / "serve.sqlite")
    with ServerDatabase.open(database) as kept:
        key, _ = kept.keys.create("m-demo", "analyst")
    options = (*source, "--database", database, "--host", "0.0.0.0", "--no-worker", "--workers", "2")
    with serving(*options) as (address, process):
        with http(address.replace("0.0.0.0", "127.0.0.1")) as client:
            assert client.get("/v1/traces").status_code == 401
            assert client.get("/v1/traces", headers={"Authorization": f"Bearer {key}"}).status_code == 200
            until(lambda: 'status="401"' in client.get("/metrics").text)
        left = children(process)
        assert len(left) == 2
        process.kill()
        process.wait()
        until(lambda: not any(_lives(pid) for pid in left))


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def refused(*options: str) -> str:
    done = veracity(*COMMAND, *options)
    assert done.returncode == 2, done
    assert done.stderr.startswith("veracity: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_what_cannot_work_is_one_sentence(source: tuple[str, ...], tmp_path: Path) -> None:
    database = ("--database", str(tmp_path / "serve.sqlite"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert "in use" in refused(*source, *database, "--port", str(taken.getsockname()[1]))
    assert "needs keys" in refused(*source, *database, "--host", "0.0.0.0", "--port", "0")
    assert "--keys" in refused(*source, *database, "--host", "0.0.0.0", "--keys", "off")
    secret = refused(*source, "--port", "0", "--database", "postgresql://me:geheim@127.0.0.1:1/nothing")
    assert "geheim" not in secret
    assert "nowhere" in refused("--source", str(tmp_path / "nowhere.csv"), *database, "--port", "0")
