"""The processes of `veracity serve`: server processes on one socket, one worker, a parent that looks after them, and their log."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.connection import wait
from time import monotonic
from typing import TYPE_CHECKING, Any

from veracity.errors import SourceError, UsageError
from veracity.server.config import ServerSettings
from veracity.server.metrics import forget_process
from veracity.server.problems import LOG

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess
    from multiprocessing.synchronize import Event


# --- the log: one JSON object per line on standard error


class LogLines(logging.Formatter):
    """A record as one line of JSON: when, how grave, what, and the fields that belong to it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line; of an exception that other code logs only the kind is told, because its text may hold data."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {
            "at": at,
            "level": record.levelname.lower(),
            "what": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False, default=str)


def log_to_standard_error(level: int = logging.INFO) -> None:
    """Send the server's log to standard error; done by the command that runs it, never by an import."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogLines())
    LOG.handlers, LOG.propagate = [handler], False
    LOG.setLevel(level)


# --- the parent


_PRELOADED = ["veracity.server.app", "veracity.server.work"]
_GRACE = 20.0
"""Seconds in which a server finishes its requests when it is told to end."""
_LATEST = _GRACE + 10
_YOUNG = 5.0
"""Whoever dies sooner than this is started again only after a pause."""
_PAUSE, _MOST_DEATHS = 1.0, 5
_BACKLOG = 2_048


def start_context() -> BaseContext:
    """How processes are started: from one that has imported everything and opened nothing, where the system can do that."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    made = multiprocessing.get_context("forkserver")
    made.set_forkserver_preload(_PRELOADED)
    # It imports while the parent still checks what it was told.
    forkserver.ensure_running()
    return made


def listening_socket(settings: ServerSettings) -> socket.socket:
    """The socket that the server processes share; raises `UsageError` where there can be none."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        made = socket.socket(family)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(_BACKLOG)
    except socket.gaierror:
        raise UsageError(f"There is no address {settings.host[:60]!r} to listen on; check --host.") from None
    except PermissionError:
        raise UsageError(f"Port {settings.port} needs more rights; choose one above 1023 with --port.") from None
    except OSError as error:
        why = "is in use by another program" if "in use" in str(error) else "cannot be listened on"
        raise UsageError(f"Port {settings.port} of {settings.host} {why}; choose another with --port.") from None
    return made


@dataclass(slots=True)
class _Child:
    """One process, and how to start it again."""

    name: str
    context: BaseContext
    target: Callable[..., None]
    arguments: tuple[Any, ...]
    process: BaseProcess | None = None
    began: float = 0.0
    deaths: int = 0
    """In a row, each soon after its start."""
    again_at: float = 0.0

    def start(self) -> None:
        self.process = self.context.Process(target=self.target, args=self.arguments, name=self.name)  # type: ignore[attr-defined]
        self.process.start()
        self.began = monotonic()

    def died(self) -> None:
        """Note a death; the next start waits longer after each quick one."""
        assert self.process is not None
        code, lived = self.process.exitcode, monotonic() - self.began
        self.deaths = self.deaths + 1 if lived < _YOUNG else 0
        self.again_at = monotonic() + _PAUSE * self.deaths
        forget_process(self.process.pid)
        self.process = None
        LOG.warning("a process died and is started again", extra={"fields": {"process": self.name, "code": code}})


@dataclass(slots=True)
class Supervisor:
    """The parent: starts the processes, starts dead ones again, and ends them all."""

    settings: ServerSettings
    context: BaseContext
    log: int
    """The level of the log."""
    _children: list[_Child] = field(default_factory=list)
    _ending: threading.Event = field(default_factory=threading.Event)

    def run(self, on_ready: Callable[[], None], *, sock: socket.socket | None, worker: bool) -> None:
        """Until a signal comes; `on_ready` is called when the first server answers, or the worker has started."""
        log_to_standard_error(self.log)
        ready = self.context.Event()
        if sock is not None:
            self._children += [
                _Child(f"server-{number}", self.context, _serve, (self.settings, sock, ready, self.log))
                for number in range(1, self.settings.workers + 1)
            ]
        if worker:
            told = (self.settings, ready if sock is None else None, self.log)
            self._children.append(_Child("worker", self.context, _work, told))
        before = [(number, signal.signal(number, self._note_signal)) for number in (signal.SIGINT, signal.SIGTERM)]
        try:
            for child in self._children:
                child.start()
            self._look_after(ready, on_ready)
        finally:
            self._end_all()
            for number, handler in before:
                signal.signal(number, handler)

    def _note_signal(self, *_: object) -> None:
        self._ending.set()

    def _look_after(self, ready: Event, on_ready: Callable[[], None]) -> None:
        told = False
        while not self._ending.is_set():
            if not told and ready.is_set():
                on_ready()
                told = True
            alive = [child.process.sentinel for child in self._children if child.process is not None]
            wait(alive, timeout=0.2)
            for child in self._children:
                if child.process is not None and child.process.exitcode is not None and not self._ending.is_set():
                    child.died()
                if child.process is None and monotonic() >= child.again_at:
                    self._start_again(child)

    def _start_again(self, child: _Child) -> None:
        if child.deaths >= _MOST_DEATHS:
            raise SourceError(f"The process {child.name} ends again and again; its log says why.")
        child.start()

    def _end_all(self) -> None:
        living = [child.process for child in self._children if child.process is not None]
        for process in living:
            if process.pid is not None and process.exitcode is None:
                process.terminate()
        until = monotonic() + _LATEST
        for process in living:
            process.join(max(0.0, until - monotonic()))
            if process.exitcode is None:
                # What it was doing is kept: a worker takes it up again at the next start.
                process.kill()
                process.join()


# --- in the children


def _serve(settings: ServerSettings, sock: socket.socket, ready: Event, log: int) -> None:
    """One server process."""
    import uvicorn

    from veracity.server.app import create_app
    from veracity.server.slow_headers import HeadersInTime

    _set_up_process(log)
    app = create_app(settings)

    class Server(uvicorn.Server):
        """Says when it is ready, and ends streams that would never end."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready.set()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.stopping.set()
            await super().shutdown(sockets)

    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        lifespan="on",
        # Only we say who is behind a proxy: nobody, without a key.
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=int(_GRACE),
        timeout_keep_alive=75,
        ws="none",
        http=HeadersInTime,
        backlog=_BACKLOG,
    )
    server = Server(config)
    _end_with_parent(lambda: os.kill(os.getpid(), signal.SIGTERM))
    server.run(sockets=[sock])
    sys.exit(0 if server.started else 1)


def _work(settings: ServerSettings, ready: Event | None, log: int) -> None:
    """The worker process."""
    from veracity.durable.worker import stopped_by_signals
    from veracity.server.work import run_workers

    _set_up_process(log)
    stop = stopped_by_signals()
    _end_with_parent(stop.set)
    if ready is not None:
        ready.set()
    run_workers(settings, stop)


def _set_up_process(log: int) -> None:
    log_to_standard_error(log)
    with suppress(ImportError, ValueError, OSError):
        import resource

        # Every waiting stream is an open file, and the usual limit is a thousand.
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _end_with_parent(end: Callable[[], None]) -> None:
    """End this process when its parent is gone: nobody could end it or start it again."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch(parents: Sequence[Any]) -> None:
        wait(parents)
        end()

    threading.Thread(target=watch, args=([parent.sentinel],), daemon=True).start()
