"""Sign in with a key, sign out, and how the pages shall look.

Who signed in is known by a cookie, for a while, in every process of the server. The cookie holds a random token; the database
holds its digest and the key's id. A session ends with its key: whoever revokes a key signs out everyone who signed in with it.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Form, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.server.keys import Caller
from veracity.server.web.texts import LANGS
from veracity.server.web.visit import (
    LANG,
    SESSION,
    THEME,
    THEMES,
    Anyone,
    FilledInByAnyone,
    PageRoute,
    go_to,
    own_address,
    put_cookie,
)

if TYPE_CHECKING:
    import sqlalchemy as sa

    from veracity.server.database import ServerDatabase

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_LONGEST_KEY = 200
HOURS = 12
"""How long somebody stays signed in."""


async def session_caller(request: Request) -> Caller | None:
    """The caller of a session cookie; `Access` asks for it."""
    token = request.cookies.get(SESSION)
    if not token or len(token) > _LONGEST_KEY:
        return None
    sessions: Sessions = request.app.state.sessions
    return await run_in_threadpool(sessions.find, token)


@router.get("/login")
def form(visit: Anyone, next: str = "/") -> Response:  # noqa: A002 - so it is called everywhere
    """The form for a key."""
    if visit.caller is not None:
        return go_to(own_address(next))
    return visit.page("login.html", next=own_address(next), wrong=False)


@router.post("/login")
def sign_in(visit: FilledInByAnyone, key: Annotated[str, Form()] = "", next: Annotated[str, Form()] = "/") -> Response:  # noqa: A002
    """Take a key; the browser gets a cookie for it, never the key."""
    plain = key.strip()
    found = visit.database.keys.find(plain) if plain.isascii() and len(plain) <= _LONGEST_KEY else None
    if found is None:
        return visit.page("login.html", status=401, next=own_address(next), wrong=True)
    sessions: Sessions = visit.request.app.state.sessions
    response = go_to(own_address(next))
    put_cookie(visit.request, response, SESSION, sessions.start(found), seconds=HOURS * 3600)
    return response


@router.post("/logout")
def sign_out(visit: FilledInByAnyone) -> Response:
    """End the session."""
    if token := visit.request.cookies.get(SESSION):
        sessions: Sessions = visit.request.app.state.sessions
        sessions.end(token)
    response = go_to("/login")
    response.delete_cookie(SESSION)
    return response


@router.post("/preferences")
def prefer(
    visit: FilledInByAnyone,
    lang: Annotated[str, Form()] = "",
    theme: Annotated[str, Form()] = "",
    next: Annotated[str, Form()] = "/",  # noqa: A002
) -> Response:
    """Another language, or light and dark."""
    response = go_to(own_address(next))
    if lang in LANGS:
        put_cookie(visit.request, response, LANG, lang)
    if theme in THEMES:
        put_cookie(visit.request, response, THEME, theme)
    return response


# --- sessions


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
            "expires_at": _sortable(now + timedelta(hours=HOURS)),
        }
        self._durable.prepare(self._table)
        with self._durable.session() as connection:
            connection.execute(self._table.delete().where(self._table.c.expires_at < _sortable(now)))
            connection.execute(self._table.insert().values(**row))
        return token

    def find(self, token: str) -> Caller | None:
        """Who a token belongs to; None when it has expired, or its key has."""
        own, now = self._table.c.digest == _digest(token), _sortable(datetime.now(UTC))
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


def _sortable(moment: datetime) -> str:
    """A moment as text that sorts as times do."""
    return moment.isoformat(timespec="seconds")


def _digest(token: str) -> str:
    # 256 random bits need no slow hash.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
