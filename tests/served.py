"""A server for tests: over a copy of the ledger in which a second tenant has books of its own."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from ssl import SSLContext
from typing import Any

import duckdb
import httpx2
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from veracity.ask.data_agent import DataAgent
from veracity.server import app as server
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.server.live import LiveEvents
from veracity.settings import Settings

QUESTION = "Wie hoch war der Gewinn 2025?"
CANDIDATES = {
    "scoring_context": {"question": "Which retention periods hold for invoices?"},
    "candidates": [
        {
            "id": f"doc-{number}",
            "title": f"Retention of invoices, part {number}",
            "snippet": f"Invoices are kept for {number} years.",
            "url": f"https://example.org/{number}",
        }
        for number in (1, 2, 3)
    ],
}


async def _load_no_words(agent: DataAgent) -> None:
    """When it starts, a server asks itself a question in each language, which takes a second: those do that run as a program."""


server._load_words = _load_no_words


def two_tenants(ledger: Path, folder: Path) -> Path:
    """The ledger with the books of `m-other` under the same feature instance, as a server's tenants have them."""
    copy = folder / "two.duckdb"
    shutil.copy(ledger, copy)
    with duckdb.connect(str(copy)) as connection:
        for (table,) in connection.execute(
            "SELECT DISTINCT table_name FROM duckdb_columns() WHERE NOT internal"
        ).fetchall():
            connection.execute(f"UPDATE \"{table}\" SET featureInstanceId = 'fi-demo' WHERE mandateId = 'm-other'")
    return copy


def server_app(source: Path, folder: Path, **given: Any) -> FastAPI:
    """The application over this source, with a database and a data folder of its own."""
    settings = ServerSettings(source=str(source), feature="trustee", database=str(folder / "serve.sqlite"), **given)
    return create_app(settings, home=Settings.from_env().model_copy(update={"home": folder}))


def state_of(client: TestClient) -> Any:
    """What the application behind a client keeps: its database, its agents, its sessions."""
    app: Any = client.app
    return app.state


@contextmanager
def client_of(app: FastAPI) -> Iterator[TestClient]:
    """A client of this machine, in the same process."""
    with TestClient(app, base_url="http://127.0.0.1:8600", client=("127.0.0.1", 50_000)) as client:
        yield client


@contextmanager
def running(app: FastAPI, **options: Any) -> Iterator[str]:
    """The address of the application behind a real server on a real socket."""
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="on", ws="none", **options)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    until = time.monotonic() + 60
    while not server.started and time.monotonic() < until:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        app.state.stopping.set()
        server.should_exit = True
        thread.join(20)
        sock.close()


def is_followed(live: LiveEvents, count: int = 1) -> bool:
    """Whether so many follow, and all of them hear what happens from now on."""
    return len(live._followers) == count and not any(one.behind for one in live._followers)


def bearer(key: str) -> dict[str, str]:
    """The header that a key is sent in."""
    return {"Authorization": f"Bearer {key}"}


def events_in(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """The events of a stream: name and data."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


@cache
def _certificates() -> SSLContext:
    return httpx2.create_ssl_context(trust_env=False)


def http(address: str, **options: Any) -> httpx2.Client:
    """A client over real sockets; the certificates of the machine, which take it most of its time, are read once for all."""
    return httpx2.Client(base_url=address, timeout=30, trust_env=False, verify=_certificates(), **options)
