"""What `veracity serve` bears: questions and waiting streams at once, against a bare FastAPI endpoint, and its memory.

    python benchmarks/server.py [--full] [--workers N] [--json]

Four measurements over HTTP, on the offline model and the shipped ledger:

- ask: 200 clients at once, each with a connection of its own, ask one question after the other;
- bare: the same with a FastAPI endpoint that runs the same query and returns its rows: no reading, no checks, no proof, no trace;
- streams: 1,000 clients wait at /v1/events; then a question is asked, and each of them has to hear of it;
- memory: the resident memory of the server's processes over many requests (2,000; with --full 50,000).

Any response but the expected one is an error; one error, or memory that keeps growing, ends it with exit code 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

QUESTIONS = (
    "Was ist der Banksaldo per 31.12.2025?",
    "Wie hoch ist das Bankguthaben Ende 2024?",
    "How much did we spend on rent in 2024?",
    "What was our revenue in 2025?",
    "Wie viele Kunden haben wir?",
)
CLIENTS, STREAMS, PATIENCE = 200, 1_000, 180.0
STEADY = 1.15
"""How much more memory the last tenth of the requests may find than the second tenth."""
BARE = """
import asyncio, socket, sys
import duckdb, uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

connection = duckdb.connect(sys.argv[1], read_only=True)
SQL = '''SELECT "accountNumber", "closingBalance", "currency" FROM "TrusteeDataAccountBalance"
WHERE "mandateId" = ? AND "featureInstanceId" = ? AND "periodYear" = ? AND "periodMonth" = ? AND "accountNumber" LIKE ?'''


class Question(BaseModel):
    question: str


def rows() -> list[list[object]]:
    found = connection.cursor().execute(SQL, ["m-demo", "fi-demo", 2025, 0, "102%"]).fetchall()
    return [[number, str(balance), currency] for number, balance, currency in found]


app = FastAPI()


@app.post("/v1/ask")
async def ask(question: Question) -> dict[str, object]:
    return {"outcome": "answered", "rows": await asyncio.to_thread(rows)}


listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
print(f"bare is at http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
"""


@dataclass(slots=True)
class Load:
    """How many clients fared with one address."""

    name: str
    clients: int
    seconds: float = 0.0
    taken: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def figures(self) -> dict[str, Any]:
        """What is reported of it."""
        cuts = statistics.quantiles(self.taken, n=20) if len(self.taken) > 1 else [0.0] * 19
        return {
            "clients": self.clients,
            "requests": len(self.taken) + len(self.errors),
            "errors": len(self.errors),
            "per_second": round(len(self.taken) / self.seconds, 1) if self.seconds else 0.0,
            "p50_ms": round(cuts[9] * 1000, 1),
            "p95_ms": round(cuts[18] * 1000, 1),
        }


@dataclass(slots=True)
class Streams:
    """How the waiting streams fared."""

    opened: int
    errors: int
    heard: int
    opened_in_s: float
    last_heard_after_s: float
    mb_for_all: float


@dataclass(slots=True)
class Memory:
    """Megabytes of the server's processes along the requests."""

    requests: int
    errors: int
    samples_mb: list[float]

    @property
    def steady(self) -> bool:
        """Whether it stays, once everything is warm."""
        return self.samples_mb[-1] <= self.samples_mb[1] * STEADY


# --- the servers


@contextmanager
def started(command: Sequence[str], environment: dict[str, str]) -> Iterator[tuple[int, str]]:
    """The process id and address of a server that says where it is on standard output."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if found := re.search(r"http://[\d.]+:\d+", line):
                    yield process.pid, found[0]
                    return
            raise SystemExit("the server did not say where it is")
        finally:
            process.terminate()
            process.wait(timeout=60)


def resident_mb(pid: int) -> float:
    """The memory of a process and of those it started."""
    total = 0.0
    for one in (pid, *_children(pid)):
        try:
            status = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii")
        except OSError:
            continue  # it has just ended
        total += int(re.findall(r"^Pss:\s+(\d+)", status, re.MULTILINE)[0]) / 1024
    return total


def processor_seconds(pid: int) -> float:
    """The processor time that a process and those it started have taken."""
    ticks = 0
    for one in (pid, *_children(pid)):
        fields = Path(f"/proc/{one}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> Iterator[int]:
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in path.read_text(encoding="ascii").split():
            yield int(child)
            yield from _children(int(child))


# --- clients: bare sockets, so that the two cores are left to the server


class Connection:
    """One connection that is kept, with the cookies that it was given, as those of a browser are."""

    def __init__(self, address: str) -> None:
        host, port = address.removeprefix("http://").split(":")
        self._host, self._port = host, int(port)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._cookies: dict[bytes, bytes] = {}

    async def send(self, method: str, path: str, body: bytes = b"", accept: str = "application/json") -> int:
        """Send a request; the status of its response."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection(self._host, self._port)
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\nAccept: {accept}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        ).encode()
        if self._cookies:
            head += b"Cookie: " + b"; ".join(b"=".join(one) for one in self._cookies.items()) + b"\r\n"
        self._writer.write(head + b"\r\n" + body)
        await self._writer.drain()
        assert self._reader is not None
        return int((await self._reader.readline()).split()[1])

    async def body(self) -> bytes:
        """The body of a response with a length."""
        assert self._reader is not None
        length = 0
        while line := (await self._reader.readline()).strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            if line.lower().startswith(b"set-cookie:"):
                name, _, value = line.split(b":", 1)[1].partition(b";")[0].strip().partition(b"=")
                self._cookies[name] = value
        return await self._reader.readexactly(length)

    async def until(self, text: bytes) -> None:
        """Read on until this was said; raises where the stream ends before."""
        assert self._reader is not None
        while text not in (line := await self._reader.readline()):
            if not line:
                raise ConnectionError("the stream has ended")

    def close(self) -> None:
        """Hang up."""
        if self._writer is not None:
            self._writer.close()


async def ask(connection: Connection, question: str) -> str:
    """Ask; the outcome of the answer, or what came in its place."""
    status = await connection.send("POST", "/v1/ask", json.dumps({"question": question}).encode())
    body = await connection.body()
    return str(json.loads(body)["outcome"]) if status == 200 else f"status {status}: {body[:200]!r}"


async def asked(name: str, address: str, *, clients: int, each: int) -> Load:
    """So many clients at once, each asking so many questions."""
    load = Load(name, clients)

    async def client(number: int) -> None:
        connection = Connection(address)
        for at in range(each):
            begun = perf_counter()
            try:
                async with asyncio.timeout(PATIENCE):
                    outcome = await ask(connection, QUESTIONS[(number + at) % len(QUESTIONS)])
            except (OSError, TimeoutError, asyncio.IncompleteReadError, IndexError) as error:
                load.errors.append(f"{type(error).__name__}: {error}")
                break
            if outcome == "answered":
                load.taken.append(perf_counter() - begun)
            else:
                load.errors.append(outcome)
        connection.close()

    begun = perf_counter()
    await asyncio.gather(*(client(number) for number in range(clients)))
    load.seconds = perf_counter() - begun
    return load


async def waited(address: str, pid: int, *, streams: int, seconds: float) -> Streams:
    """So many streams that wait, and whether each hears of a question that is asked then."""
    before, begun = resident_mb(pid), perf_counter()
    connections = [Connection(address) for _ in range(streams)]
    errors = 0

    async def opened(connection: Connection) -> bool:
        async with asyncio.timeout(PATIENCE):
            status = await connection.send("GET", "/v1/events", accept="text/event-stream")
            await connection.until(b": ")
            return status == 200

    found = await asyncio.gather(*(opened(one) for one in connections), return_exceptions=True)
    errors += sum(one is not True for one in found)
    opened_in = perf_counter() - begun
    await asyncio.sleep(seconds)
    used = resident_mb(pid) - before
    hearing = [asyncio.create_task(one.until(b"event: trace")) for one in connections]
    asked_at = perf_counter()
    outcome = await ask(Connection(address), QUESTIONS[0])
    errors += outcome != "answered"
    _, deaf = await asyncio.wait(hearing, timeout=30)
    last = perf_counter() - asked_at
    for task in deaf:
        task.cancel()
    heard = sum(task.done() and not task.cancelled() and task.exception() is None for task in hearing)
    for one in connections:
        one.close()
    return Streams(streams, errors, heard, round(opened_in, 2), round(last, 2), round(used, 1))


async def remembered(address: str, pid: int, *, requests: int, clients: int = 20) -> Memory:
    """The memory along so many requests, in ten stretches."""
    samples, errors = [], 0
    for _ in range(10):
        load = await asked("memory", address, clients=clients, each=max(1, requests // 10 // clients))
        errors += len(load.errors)
        samples.append(round(resident_mb(pid), 1))
    return Memory(requests, errors, samples)


# --- the whole


@dataclass(slots=True)
class Report:
    """Everything that was measured."""

    ask: Load
    bare: Load
    streams: Streams
    memory: Memory

    @property
    def sound(self) -> bool:
        """Whether nothing failed and memory stays."""
        failed = len(self.ask.errors) + len(self.bare.errors) + self.streams.errors + self.memory.errors
        return not failed and self.streams.heard == self.streams.opened and self.memory.steady

    def as_json(self) -> str:
        """All of it for machines."""
        told = {"ask": self.ask.figures, "bare": self.bare.figures, "streams": asdict(self.streams)}
        memory = {**asdict(self.memory), "steady": self.memory.steady}
        return json.dumps({**told, "memory": memory, "sound": self.sound}, indent=2)

    def as_table(self) -> str:
        """All of it for people."""
        lines = ["            clients  requests  errors   per second    p50 ms    p95 ms"]
        for load in (self.ask, self.bare):
            row = load.figures
            lines.append(
                f"{load.name:<10}{row['clients']:>9}{row['requests']:>10}{row['errors']:>8}"
                f"{row['per_second']:>13}{row['p50_ms']:>10}{row['p95_ms']:>10}"
            )
        streams, memory = self.streams, self.memory
        lines += [
            "",
            f"streams   {streams.opened} waiting, {streams.errors} errors; all open after {streams.opened_in_s} s, "
            f"{streams.heard} heard of a question, the last after {streams.last_heard_after_s} s; {streams.mb_for_all} MB",
            f"memory    {memory.requests} requests, {memory.errors} errors; "
            f"MB along them: {' '.join(f'{sample:.0f}' for sample in memory.samples_mb)}",
            f"{'sound' if self.sound else 'NOT SOUND'}",
        ]
        lines += [f"  {error}" for error in sorted({*self.ask.errors, *self.bare.errors})[:5]]
        return "\n".join(lines)


def measured(options: argparse.Namespace, home: Path) -> Report:
    """Start both servers, one after the other, and measure them."""
    environment = {**os.environ, "VERACITY_HOME": str(home)}
    serve = [str(Path(sys.executable).parent / "veracity"), "serve", "--port", "0", "--workers", str(options.workers)]
    serve += ["--log", "warning", "--rate-per-minute", "0", "--no-worker"]
    with started(serve, environment) as (pid, address):
        _warmed(address)
        ours = asyncio.run(asked("ask", address, clients=CLIENTS, each=options.each))
        streams = asyncio.run(waited(address, pid, streams=STREAMS, seconds=60 if options.full else 5))
        memory = asyncio.run(remembered(address, pid, requests=50_000 if options.full else options.requests))
    ledger = next(home.rglob("*.duckdb"))
    with _bare(ledger, home, environment) as address:
        _warmed(address)
        bare = asyncio.run(asked("bare", address, clients=CLIENTS, each=options.each))
    return Report(ours, bare, streams, memory)


@contextmanager
def _bare(ledger: Path, home: Path, environment: dict[str, str]) -> Iterator[str]:
    program = home / "bare.py"
    program.write_text(BARE, encoding="utf-8")
    with started([sys.executable, str(program), str(ledger)], environment) as (_pid, address):
        yield address


def _warmed(address: str) -> None:
    sleep(1)
    asyncio.run(asked("warm", address, clients=5, each=5))


def main(write: Callable[[str], object] = print) -> int:
    """Measure and report."""
    reading = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reading.add_argument("--full", action="store_true", help="50,000 requests for memory; streams wait for a minute")
    reading.add_argument("--workers", type=int, default=2, help="server processes")
    reading.add_argument("--each", type=int, default=5, help="questions of each of the 200 clients")
    reading.add_argument("--requests", type=int, default=2_000, help="requests for memory, without --full")
    reading.add_argument("--json", action="store_true", help="JSON in place of a table")
    options = reading.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # a thousand streams are a thousand open files
    with tempfile.TemporaryDirectory() as folder:
        report = measured(options, Path(folder))
    write(report.as_json() if options.json else report.as_table())
    return 0 if report.sound else 1


if __name__ == "__main__":
    sys.exit(main())
