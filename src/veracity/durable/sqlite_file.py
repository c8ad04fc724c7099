"""SQLite files that several processes may write at once, and points in time as they are kept there."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, PlainSerializer

from veracity.errors import UsageError

SHORTEST_PREFIX = 4
"""So much of an identifier must be written for it to be found."""
_BUSY_SECONDS = 5.0


def moment_written(moment: datetime) -> str:
    """A moment as text that sorts as times do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


Timestamp = Annotated[
    AwareDatetime,
    AfterValidator(lambda moment: moment.astimezone(UTC)),
    PlainSerializer(moment_written, return_type=str, when_used="json"),
]
"""A point in time, in UTC; written with Z and always as many digits, so that texts sort as times do."""


class SqliteFile:
    """One SQLite file, for several processes and threads at once; made on first use, readable by its owner only."""

    def __init__(self, path: Path, *, schema: Sequence[str], version: int, holds: str) -> None:
        self.path = path
        self._schema, self._version, self._holds = schema, version, holds
        self._connection: sqlite3.Connection | None = None
        self._inherited: sqlite3.Connection | None = None
        self._opened: tuple[int, int] | None = None
        self._lock = threading.Lock()

    def close(self) -> None:
        """Release the file; using it again opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = self._opened = None

    @contextmanager
    def _session(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; what SQLite refuses becomes a sentence."""
        try:
            with self._lock:
                yield self._current_connection()
        except (sqlite3.Error, OSError, ValueError) as error:
            raise UsageError(
                self._failure(error), told=f"The {self._holds} cannot be read or written right now."
            ) from error

    def _current_connection(self) -> sqlite3.Connection:
        """The open connection, unless this is another process by now or the file was replaced."""
        if self._connection is not None and self._opened == self._identity():
            return self._connection
        # Closing a connection that was made before a fork would disturb the parent's: it is only put aside.
        self._inherited = self._connection
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not self.path.exists():
            # Made by us, so that others cannot read it even for a moment; SQLite gives its side files the same mode.
            self.path.touch(mode=0o600)
        connection = self._connect()
        self._connection, self._opened = connection, self._identity()
        return connection

    def _connect(self) -> sqlite3.Connection:
        until = monotonic() + _BUSY_SECONDS
        while True:
            connection = sqlite3.connect(
                self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(connection)
            except sqlite3.OperationalError as error:
                connection.close()
                # Several processes make the file at the same moment: for the change to WAL, SQLite itself does not wait.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > until:
                    raise
                sleep(0.02)
            except BaseException:
                connection.close()
                raise
            else:
                return connection

    def _identity(self) -> tuple[int, int]:
        try:
            return os.getpid(), self.path.stat().st_ino
        except FileNotFoundError:
            return os.getpid(), 0

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if self._known_version(connection) == self._version:
            return
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        # Asked again: another process may have made the tables in between.
        if tables and connection.execute("PRAGMA user_version").fetchone()[0] != self._version:
            raise UsageError(f"{self.path} holds something other than {self._holds}; move the file away.")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("PRAGMA user_version").fetchone()[0] != self._version:
            for statement in self._schema:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {self._version}")
        connection.execute("COMMIT")

    def _known_version(self, connection: sqlite3.Connection) -> int:
        """The version that the file was written by; one that is newer than this is left alone."""
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > self._version:
            raise UsageError(
                f"{self.path} was written by a newer version of Veracity; update it, or move the file away."
            )
        # A crash of the machine may lose what was written last, one of the process cannot; and no write waits for a disk.
        connection.execute("PRAGMA synchronous = NORMAL")
        return version

    def _failure(self, error: Exception) -> str:
        primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if primary in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR) or isinstance(
            error, ValueError
        ):
            return f"{self.path} is not a file of {self._holds} or is damaged; move it away, and a new one is made."
        if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return f"{self.path} is in use by another program; try again."
        if primary == sqlite3.SQLITE_FULL:
            return f"{self.path} cannot be written: the disk is full; make room and try again."
        return f"{self.path} cannot be read or written; check its rights and its folder, or set VERACITY_HOME."
