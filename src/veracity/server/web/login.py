"""Sign in with a key, sign out, and how the pages shall look."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.server.keys import Caller
from veracity.server.web.sessions import COOKIE, HOURS, Sessions
from veracity.server.web.texts import LANGS
from veracity.server.web.visit import (
    LANG,
    THEME,
    THEMES,
    Anyone,
    FilledInByAnyone,
    PageRoute,
    go_to,
    own_address,
    put_cookie,
)

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_LONGEST_KEY = 200


async def session_caller(request: Request) -> Caller | None:
    """The caller of a session cookie; `Access` asks for it."""
    token = request.cookies.get(COOKIE)
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
    put_cookie(visit.request, response, COOKIE, sessions.start(found), seconds=HOURS * 3600)
    return response


@router.post("/logout")
def sign_out(visit: FilledInByAnyone) -> Response:
    """End the session."""
    if token := visit.request.cookies.get(COOKIE):
        sessions: Sessions = visit.request.app.state.sessions
        sessions.end(token)
    response = go_to("/login")
    response.delete_cookie(COOKIE)
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
