"""Values kept for a while in one file: what was asked once is not asked again, by any process of this user."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from veracity.durable.sqlite_file import SqliteFile
from veracity.errors import UsageError
from veracity.settings import Settings

_VERSION = 1
_REST_SECONDS = 60.0
_LONGEST_VALUE = 1_000_000
_SCHEMA = (
    """
    CREATE TABLE entry (
        key TEXT PRIMARY KEY, value TEXT NOT NULL, stored REAL NOT NULL, expires REAL NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE INDEX entry_expires ON entry (expires)",
    "CREATE INDEX entry_stored ON entry (stored)",
)
_PUT = (
    "INSERT INTO entry (key, value, stored, expires) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE "
    "SET value = excluded.value, stored = excluded.stored, expires = excluded.expires"
)
_OLDEST = "DELETE FROM entry WHERE key IN (SELECT key FROM entry ORDER BY stored DESC LIMIT -1 OFFSET ?)"


class SqliteCache(SqliteFile):
    """Values that JSON can hold, each with a time limit; the oldest go when there are too many.

    A file that is broken, locked or cannot be written costs time, never a result: it is left alone for a minute.
    """

    def __init__(self, path: Path, *, most: int = 10_000, clock: Callable[[], float] = time.time) -> None:
        super().__init__(path, schema=_SCHEMA, version=_VERSION, holds="cached values")
        self._most, self._clock = most, clock
        self._rests_until = 0.0

    @classmethod
    def default(cls, settings: Settings | None = None) -> SqliteCache:
        """The cache in the data folder of this user."""
        return cls((settings or Settings.from_env()).home / "retrieval-cache.sqlite")

    def get(self, key: str) -> Any | None:
        """The value, unless its time is up."""
        if self._rests or not self.path.exists():
            return None
        try:
            with self._session() as connection:
                found = connection.execute(
                    "SELECT value FROM entry WHERE key = ? AND expires > ?", (key, self._clock())
                ).fetchone()
                # Inside the session: a value that is no JSON is a damaged file like any other.
                return None if found is None else json.loads(found[0])
        except UsageError:
            self._rest()
            return None

    def put(self, key: str, value: Any, *, seconds: float) -> None:
        """Keep a value for so long; one that is far too large is not kept."""
        text = json.dumps(value)
        if self._rests or seconds <= 0 or len(text) > _LONGEST_VALUE:
            return
        now = self._clock()
        try:
            with self._session() as connection:
                connection.execute("BEGIN IMMEDIATE")
                try:
                    connection.execute("DELETE FROM entry WHERE expires <= ?", (now,))
                    connection.execute(_PUT, (key, text, now, now + seconds))
                    connection.execute(_OLDEST, (self._most,))
                    connection.execute("COMMIT")
                except BaseException:
                    # Another thread of this process uses the same connection next.
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
        except UsageError:
            self._rest()

    @property
    def _rests(self) -> bool:
        return time.monotonic() < self._rests_until

    def _rest(self) -> None:
        """Leave the file alone for a minute: a locked one would hold up every question for seconds."""
        self._rests_until = time.monotonic() + _REST_SECONDS
