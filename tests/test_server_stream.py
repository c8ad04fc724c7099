"""Streams over real sockets: steps, sentences, live events, and clients that go away."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from served import QUESTION, events_in, http, is_followed, running, server_app
from veracity.server.streaming import KEEP_ALIVE, kept_alive
from veracity.tools.semantic import SemanticTools

STREAM = {"Accept": "text/event-stream"}


@pytest.fixture(scope="module")
def app(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    return server_app(ledger, tmp_path_factory.mktemp("stream"))


@pytest.fixture(scope="module")
def address(app: FastAPI) -> Iterator[str]:
    with running(app) as address:
        yield address


def test_progress_and_steps_come_before_sentences_and_the_answer_last(address: str) -> None:
    with http(address) as client, client.stream("POST", "/v1/ask", json={"question": QUESTION}, headers=STREAM) as got:
        assert got.headers["content-type"].startswith("text/event-stream")
        told = list(events_in(got.iter_lines()))
    done = dict.fromkeys(data["step"] for name, data in told if name == "progress")
    assert list(done) == ["reading", "running", "wording", "done"]
    names = [name for name, _ in told if name != "progress"]
    assert names[0] == "step"
    assert names[-1] == "answer"
    assert names == sorted(names, key=["step", "sentence", "answer"].index)
    step, answer = next(data for name, data in told if name == "step"), told[-1][1]
    assert step["ok"]
    assert step["rows"] >= 1
    assert {"tool", "arguments", "code", "error"} <= set(step)
    assert "".join(data["text"] for name, data in told if name == "sentence") == answer["text"]
    assert answer["outcome"] == "answered"


def test_an_error_in_a_stream_is_an_event_in_the_shape_of_a_problem(address: str) -> None:
    body = {"question": "und 2024?", "follows": "20200101-000000-abcdef"}
    with http(address) as client, client.stream("POST", "/v1/ask", json=body, headers=STREAM) as got:
        ((name, problem),) = events_in(got.iter_lines())
    assert name == "error"
    assert problem["status"] == 404
    assert problem["request_id"] == got.headers["x-request-id"]


@pytest.mark.parametrize("headers", [STREAM, {}])
def test_a_client_that_goes_away_stops_the_work(
    address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, headers: dict[str, str]
) -> None:
    started, stopped = threading.Event(), threading.Event()

    async def endless(_tools: SemanticTools, _query: Any) -> Any:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            stopped.set()
            raise

    monkeypatch.setattr(SemanticTools, "run", endless)

    def ask() -> None:
        with (
            http(address) as client,
            client.stream("POST", "/v1/ask", json={"question": QUESTION}, headers=headers) as got,
        ):
            for _ in got.iter_lines():
                if started.wait(10):
                    return

    if headers:
        ask()
    else:
        _ask_and_hang_up(address, started)
    assert started.is_set()
    assert stopped.wait(10)
    assert "failed" not in caplog.messages


def _ask_and_hang_up(address: str, started: threading.Event) -> None:
    """A plain request whose client closes the socket while it waits."""
    import socket

    host, _, port = address.removeprefix("http://").partition(":")
    body = f'{{"question": "{QUESTION}"}}'.encode()
    head = f"POST /v1/ask HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(head.encode() + body)
        assert started.wait(10)


def until_followed(app: FastAPI) -> None:
    limit = time.monotonic() + 20
    while not is_followed(app.state.database.live):
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_live_events_come_as_they_happen_and_go_on_where_they_stopped(address: str, app: FastAPI) -> None:
    live = app.state.database.live
    seen: list[tuple[str, Any]] = []
    connected = threading.Event()

    def follow(headers: dict[str, str], count: int) -> None:
        with http(address) as client, client.stream("GET", "/v1/events", headers=headers) as got:
            lines = got.iter_lines()
            next(lines)
            connected.set()
            for told in events_in(lines):
                seen.append(told)
                if len(seen) == count:
                    return

    first = threading.Thread(target=follow, args=({}, 1))
    first.start()
    assert connected.wait(10)
    until_followed(app)
    live.publish("m-other", "job", {"secret": "of another tenant"})
    live.publish("local", "job", {"number": 1})
    first.join(10)
    live.publish("local", "job", {"number": 2})
    follow({"Last-Event-ID": str(seen[0][1]["id"])}, 2)
    assert [(name, data["body"]) for name, data in seen] == [("job", {"number": 1}), ("job", {"number": 2})]
    assert "tenant" not in seen[0][1]


def test_a_finished_question_is_told_to_those_who_follow(address: str, app: FastAPI) -> None:
    connected, seen = threading.Event(), []

    def follow() -> None:
        with http(address) as client, client.stream("GET", "/v1/events") as got:
            lines = got.iter_lines()
            next(lines)
            connected.set()
            seen.append(next(events_in(lines)))

    thread = threading.Thread(target=follow)
    thread.start()
    assert connected.wait(10)
    until_followed(app)
    with http(address) as client:
        trace = client.post("/v1/ask", json={"question": QUESTION}).json()["traceId"]
    thread.join(30)
    assert seen[0][0] == "trace"
    assert seen[0][1]["body"]["traceId"] == trace


def test_a_silent_stream_shows_that_it_is_still_there() -> None:
    async def collected() -> list[bytes]:
        long_enough = asyncio.Event()

        async def silent() -> AsyncIterator[bytes]:
            await long_enough.wait()
            yield b"event"

        parts = []
        async for part in kept_alive(silent(), 0.05):
            parts.append(part)
            if len(parts) == 3:
                long_enough.set()
        return parts

    parts = asyncio.run(collected())
    assert parts[-1] == b"event"
    assert parts[:-1] == [KEEP_ALIVE] * 3


def test_endless_streams_end_with_the_server(ledger: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    with running(server_app(ledger, tmp_path)) as address:
        client = http(address)
        stream = client.stream("GET", "/v1/events")
        got = stream.__enter__()
        next(got.iter_lines())
        began = time.monotonic()
    assert time.monotonic() - began < 10
    stream.__exit__(None, None, None)
    client.close()
