"""`SqlSource`: one source over any SQL engine. An engine module brings a way to open sessions and its tables."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from veracity.errors import QueryFailed
from veracity.sources.cells import decode_rows
from veracity.sources.source import Column, Dialect, Row, Statement, TableSchema


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
    ) -> None:
        self.name = name
        self.dialect: Dialect = dialect
        self.timeout = timeout
        self._connect, self._dispose = connect, dispose
        self._idle: list[Session] = []
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

    def begin(self, statement: Statement) -> _RunningStatement:
        return _RunningStatement(self, statement)

    def acquire(self) -> Session:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def release(self, session: Session) -> None:
        with self._lock:
            self._idle.append(session)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for session in idle:
            session.close()
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
        self._timed_out = self._cancelled = False

    def rows(self) -> list[Row]:
        session = self._source.acquire()
        with self._lock:
            self._session = session
        timer = threading.Timer(self._source.timeout, self._expire)
        timer.daemon = True
        timer.start()
        healthy = False
        try:
            if self._cancelled:
                raise QueryFailed("The query was cancelled.")
            raw = session.execute(self._statement.sql, self._statement.parameters, self._statement.max_rows)
            healthy = True
        except Exception as error:
            raise self._explain(session, error) from error
        finally:
            timer.cancel()
            with self._lock:
                self._session = None
            if healthy:
                self._source.release(session)
            else:
                # A session that failed or was interrupted may still carry the interrupt: the next call gets a new one.
                session.close()
        return decode_rows(raw, self._statement.columns)

    def cancel(self) -> None:
        self._cancelled = True
        self._interrupt()

    def _expire(self) -> None:
        self._timed_out = True
        self._interrupt()

    def _interrupt(self) -> None:
        with self._lock:
            if self._session is not None:
                self._session.interrupt()

    def _explain(self, session: Session, error: Exception) -> Exception:
        if self._timed_out:
            seconds = f"{self._source.timeout:g}"
            return QueryFailed(f"The query was stopped after {seconds} s; narrow it with filters and try again.")
        if self._cancelled:
            return QueryFailed("The query was cancelled.")
        return _query_failed(session, error)


def _query_failed(session: Session, error: Exception) -> Exception:
    sentence = session.failure(error)
    return error if sentence is None else QueryFailed(sentence)
