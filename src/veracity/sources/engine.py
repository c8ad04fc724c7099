"""`SqlSource`: one source over any SQL engine. An engine module brings a way to open sessions and its tables."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from veracity.errors import QueryFailed, SourceError
from veracity.sources.apart import ProcessPool
from veracity.sources.cells import decode_rows
from veracity.sources.source import Column, Dialect, Row, Running, Statement, TableSchema

_CANCELLED = "The query was cancelled."
_INTERRUPT_EVERY = 0.05
_MOST_INTERRUPTS = 1200
_CLOSE_WITHIN = 5.0


class Session(Protocol):
    """One read-only connection; used by one statement at a time."""

    def execute(self, sql: str, parameters: Sequence[Any], max_rows: int) -> list[tuple[Any, ...]]:
        """Run one statement and return at most so many rows."""

    def tables(self) -> Mapping[str, TableSchema]:
        """Every table that can be read."""

    def describe(self, select: str) -> tuple[Column, ...]:
        """The columns of a SELECT."""

    def interrupt(self) -> None:
        """Stop the running statement; called from another thread."""

    def failure(self, error: Exception) -> str | None:
        """A plain sentence for an engine error; None when it is not the engine's."""

    def close(self) -> None:
        """Give the connection back."""


class SqlSource:
    """A source over sessions of one engine: reuses idle ones, stops a statement at its deadline."""

    def __init__(
        self,
        name: str,
        dialect: Dialect,
        *,
        connect: Callable[[], Session],
        timeout: float,
        dispose: Callable[[], None] = lambda: None,
        apart: ProcessPool | None = None,
    ) -> None:
        self.name = name
        self.dialect: Dialect = dialect
        self.timeout = timeout
        self._connect, self._dispose = connect, dispose
        self._apart = apart
        self._idle: list[Session] = []
        self._running: set[_RunningStatement] = set()
        self._lock = threading.Lock()
        session = self.acquire()
        try:
            self._tables = session.tables()
        finally:
            self.release(session)

    @property
    def tables(self) -> Mapping[str, TableSchema]:
        return self._tables

    def describe(self, select: str) -> tuple[Column, ...]:
        session = self.acquire()
        try:
            return session.describe(select)
        except Exception as error:
            raise _query_failed(session, error) from error
        finally:
            self.release(session)

    def begin(self, statement: Statement) -> Running:
        if statement.apart and self._apart is not None:
            return self._apart.begin(statement, timeout=self.timeout)
        return _RunningStatement(self, statement)

    def acquire(self) -> Session:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def release(self, session: Session) -> None:
        with self._lock:
            self._idle.append(session)

    def started(self, statement: _RunningStatement) -> None:
        """A statement runs now."""
        with self._lock:
            self._running.add(statement)

    def ended(self, statement: _RunningStatement) -> None:
        """It does not any more."""
        with self._lock:
            self._running.discard(statement)

    def forget_idle(self) -> None:
        """Close the sessions that wait to be used: what broke one may have broken all."""
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.close()

    def close(self) -> None:
        # An engine does not close under a statement that was cancelled a moment ago.
        for running in list(self._running):
            running.cancel()
            running.wait(_CLOSE_WITHIN)
        self.forget_idle()
        if self._apart is not None:
            self._apart.close()
        self._dispose()
        # Whoever still holds the source after this holds nothing of the engine.
        self._connect, self._dispose = _closed, lambda: None


def _closed() -> Session:
    raise QueryFailed("The source is closed; open it again.")


class _RunningStatement:
    """One statement on one session, with a deadline."""

    def __init__(self, source: SqlSource, statement: Statement) -> None:
        self._source, self._statement = source, statement
        self._session: Session | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._timed_out = self._cancelled = False

    def rows(self) -> list[Row]:
        timer = threading.Timer(self._source.timeout, self._expire)
        timer.daemon = True
        self._source.started(self)
        try:
            session = self._begin()
            timer.start()
            raw = self._execute(session)
        finally:
            timer.cancel()
            self._done.set()
            self._source.ended(self)
        return decode_rows(raw, self._statement.columns)

    def _begin(self) -> Session:
        if self._cancelled:
            raise QueryFailed(_CANCELLED)
        try:
            session = self._source.acquire()
        except QueryFailed:
            raise
        except SourceError as error:
            raise QueryFailed(str(error)) from error
        with self._lock:
            self._session = session
        return session

    def _execute(self, session: Session) -> list[tuple[Any, ...]]:
        healthy = False
        try:
            raw = session.execute(self._statement.sql, self._statement.parameters, self._statement.max_rows)
            healthy = True
        except Exception as error:
            raise self._explain(session, error) from error
        finally:
            with self._lock:
                self._session = None
            if healthy and not (self._timed_out or self._cancelled):
                self._source.release(session)
            else:
                # An interrupt may still be on its way to this session; the next call gets a new one.
                session.close()
        return raw

    def wait(self, seconds: float) -> None:
        """Until it has ended, or so long."""
        self._done.wait(seconds)

    def cancel(self) -> None:
        self._cancelled = True
        # A server may take seconds to answer, and the caller must not wait for it.
        threading.Thread(target=self._interrupt, daemon=True).start()

    def _expire(self) -> None:
        self._timed_out = True
        self._interrupt()

    def _interrupt(self) -> None:
        """Interrupt until the statement has ended: an engine that has not begun yet does not hear the first one."""
        for _ in range(_MOST_INTERRUPTS):
            with self._lock:
                if self._session is not None:
                    self._session.interrupt()
            if self._done.wait(_INTERRUPT_EVERY):
                return

    def _explain(self, session: Session, error: Exception) -> Exception:
        if self._timed_out:
            seconds = f"{self._source.timeout:g}"
            return QueryFailed(f"The query was stopped after {seconds} s; narrow it with filters and try again.")
        if self._cancelled:
            return QueryFailed(_CANCELLED)
        self._source.forget_idle()
        return _query_failed(session, error)


def _query_failed(session: Session, error: Exception) -> Exception:
    sentence = session.failure(error)
    return error if sentence is None else QueryFailed(sentence)
