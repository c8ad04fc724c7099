"""Sessions: who signed in with a key is known by a cookie, for a while, in every process of the server.

A cookie holds a random token; the database holds its digest and the key's id. A session ends with its key: whoever revokes a key
signs out everyone who signed in with it.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlalchemy as sa

    from veracity.server.database import ServerDatabase
    from veracity.server.keys import Caller

COOKIE = "veracity_session"
HOURS = 12
"""How long somebody stays signed in."""


class Sessions:
    """The sessions in the database of a server."""

    def __init__(self, database: ServerDatabase) -> None:
        self._durable, self._keys = database.durable, database.keys

    def start(self, caller: Caller) -> str:
        """Sign somebody in; returns the token for the cookie. What has expired is tidied up on the way."""
        token, now = secrets.token_urlsafe(32), datetime.now(UTC)
        row = {
            "digest": _digest(token),
            "key_id": caller.key_id,
            "expires_at": _written(now + timedelta(hours=HOURS)),
        }
        self._durable.prepare(self._table)
        with self._durable.session() as connection:
            connection.execute(self._table.delete().where(self._table.c.expires_at < _written(now)))
            connection.execute(self._table.insert().values(**row))
        return token

    def find(self, token: str) -> Caller | None:
        """Who a token belongs to; None when it has expired, or its key has."""
        own, now = self._table.c.digest == _digest(token), _written(datetime.now(UTC))
        found = self._durable.rows(self._table.select().where(own, self._table.c.expires_at >= now), self._table)
        return self._keys.holder(found[0]["key_id"]) if found else None

    def end(self, token: str) -> None:
        """Sign out."""
        self._durable.prepare(self._table)
        with self._durable.session() as connection:
            connection.execute(self._table.delete().where(self._table.c.digest == _digest(token)))

    @cached_property
    def _table(self) -> sa.Table:
        import sqlalchemy as sa

        return self._durable.table(
            "veracity_session",
            sa.Column("digest", sa.Text, primary_key=True),
            sa.Column("key_id", sa.Text, nullable=False),
            sa.Column("expires_at", sa.Text, nullable=False),
        )


def _written(moment: datetime) -> str:
    """A moment as text that sorts as times do."""
    return moment.isoformat(timespec="seconds")


def _digest(token: str) -> str:
    # 256 random bits need no slow hash.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
