"""Raw SQL on an embedded engine runs in a process of its own: stopped at its deadline whatever it does, with a limit to its memory.

An engine hears an interrupt only between two steps, and one expression over texts can be one step that takes minutes and all
memory. The statements of our own (table tools, semantic queries) hold no such expression and stay in this process.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from multiprocessing import Pipe
from time import monotonic
from typing import Any

from veracity.errors import QueryFailed
from veracity.sources.cells import decode_rows
from veracity.sources.embedded import OUT_OF_MEMORY, EmbeddedFile
from veracity.sources.source import Row, Statement

_START_WITHIN = 60.0
_MOST_AT_ONCE = 4
_CANCELLED = "The query was cancelled."
_ENDED_BY_MEMORY = frozenset({-signal.SIGKILL, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS})


def process_pool(file: EmbeddedFile) -> ProcessPool | None:
    """The processes for a file; None where the system cannot limit one."""
    return ProcessPool(file) if os.name == "posix" else None


class ProcessPool:
    """The processes that run raw SQL on one file: started when needed, used again, at most a few at once."""

    def __init__(self, file: EmbeddedFile) -> None:
        self._file = file
        self._idle: list[_EngineProcess] = []
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self._closed = False

    def begin(self, statement: Statement, *, timeout: float) -> RunningApart:
        """A statement that will run in one of them."""
        return RunningApart(self, statement, timeout)

    def acquire(self, timeout: float) -> _EngineProcess:
        """A process that waits for a query."""
        if not self._free.acquire(timeout=timeout):
            raise QueryFailed("Too many queries run at once; try again in a moment.")
        try:
            with self._lock:
                if self._closed:
                    raise QueryFailed("The source is closed; open it again.")
                idle, self._idle = self._idle, []
                alive = [process for process in idle if process.is_alive]
                self._idle = alive[1:]
            for process in idle:
                if process not in alive:
                    process.stop()
            return alive[0] if alive else _EngineProcess(self._file)
        except BaseException:
            self._free.release()
            raise

    def release(self, process: _EngineProcess) -> None:
        """Give it back; one that was stopped is not used again."""
        with self._lock:
            keep = process.is_alive and not self._closed
            if keep:
                self._idle.append(process)
        if not keep:
            process.stop()
        self._free.release()

    def close(self) -> None:
        """Stop the processes that wait."""
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        for process in idle:
            process.stop()


class RunningApart:
    """One statement in a process of its own."""

    def __init__(self, pool: ProcessPool, statement: Statement, timeout: float) -> None:
        self._pool, self._statement, self._timeout = pool, statement, timeout
        self._process: _EngineProcess | None = None
        self._lock = threading.Lock()
        self._cancelled = False

    def rows(self) -> list[Row]:
        process = self._pool.acquire(self._timeout)
        try:
            with self._lock:
                if self._cancelled:
                    raise QueryFailed(_CANCELLED)
                self._process = process
            raw = process.ask(self._statement, self._timeout)
        except QueryFailed as failure:
            raise QueryFailed(_CANCELLED if self._cancelled else str(failure)) from None
        finally:
            with self._lock:
                self._process = None
            self._pool.release(process)
        return decode_rows(raw, self._statement.columns)

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._process is not None:
                self._process.kill()


class _EngineProcess:
    """One process with the file open; answers one statement at a time."""

    def __init__(self, file: EmbeddedFile) -> None:
        self._pipe, theirs = Pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", "veracity.sources.apart_process", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        except OSError:
            self._pipe.close()
            raise QueryFailed("The process that runs SQL cannot be started; try again later.") from None
        finally:
            theirs.close()
        try:
            self._pipe.send_bytes(pickle.dumps(file))
            opened, problem = self._told(_START_WITHIN)
        except (QueryFailed, OSError):
            self.stop()
            raise QueryFailed("The process that runs SQL did not start; try again later.") from None
        if not opened:
            self.stop()
            raise QueryFailed(f"The source could not be opened again: {problem}")

    @property
    def is_alive(self) -> bool:
        """Whether it can take another statement; while it waits it says nothing, but for its end."""
        return not self._pipe.closed and not self._pipe.poll() and self._process.poll() is None

    def ask(self, statement: Statement, timeout: float) -> list[tuple[Any, ...]]:
        """The rows of a statement; raises `QueryFailed`, and stops the process when it takes too long."""
        request = (statement.sql, list(statement.parameters), statement.max_rows, timeout)
        try:
            self._pipe.send_bytes(pickle.dumps(request))
            done, told = self._told(timeout)
        except OSError:
            raise self._died() from None
        if not done:
            raise QueryFailed(str(told))
        rows: list[tuple[Any, ...]] = told
        return rows

    def _told(self, timeout: float) -> tuple[bool, Any]:
        until = monotonic() + timeout
        try:
            if not self._pipe.poll(max(0.0, until - monotonic())):
                self.stop()
                raise QueryFailed(f"The query was stopped after {timeout:g} s; narrow it with filters and try again.")
            answer: tuple[bool, Any] = pickle.loads(self._pipe.recv_bytes())  # noqa: S301 - our own process
        except EOFError:
            raise self._died() from None
        return answer

    def _died(self) -> QueryFailed:
        code = self._process.wait(_START_WITHIN)
        self._pipe.close()
        return QueryFailed(
            OUT_OF_MEMORY if code in _ENDED_BY_MEMORY else "The query was stopped; narrow it and try again."
        )

    def kill(self) -> None:
        """End it at once, from any thread; whoever waits for it is told."""
        self._process.kill()

    def stop(self) -> None:
        """End it and let go of it."""
        self._process.kill()
        self._process.wait()
        self._pipe.close()


def _environment() -> dict[str, str]:
    """The modules of this process, and one memory arena per thread less, so that the limit measures what is used."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "MALLOC_ARENA_MAX": "2"}
