"""All pages of a server, mounted beside the API; what goes wrong outside of a page is shown as one, too."""

from __future__ import annotations

import gzip
import json
from asyncio import to_thread
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import FileResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from veracity.server.middleware import STREAMED
from veracity.server.problems import PROBLEM
from veracity.server.web import (
    api,
    ask,
    boards,
    connect,
    conversations,
    edit,
    export,
    login,
    ontology,
    quality,
    requirements,
    reviews,
    teaching,
    traces,
)
from veracity.server.web.visit import HERE, Preferences, Visit, grouped, is_fragment

if TYPE_CHECKING:
    from fastapi import FastAPI

    from veracity.server.keys import Caller


_API = ("/v1/", "/api/")


class ProblemPages:
    """Turns a problem into a page: an unknown address, a body that is too large, a failure of the server itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on but problems for people."""
        if scope["type"] != "http" or not _wants_page(scope):
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        body = b""

        async def shown(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_problem(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    await _send_page(scope, start, body, send)

        await self._app(scope, receive, shown)


def _wants_page(scope: Scope) -> bool:
    request = Request(scope)
    return (
        "text/html" in request.headers.get("accept", "")
        and not is_fragment(request)
        and not request.url.path.startswith(_API)
    )


def _is_problem(message: Message) -> bool:
    return MutableHeaders(raw=list(message["headers"])).get("content-type", "").startswith(PROBLEM)


async def _send_page(scope: Scope, start: Message, body: bytes, send: Send) -> None:
    request = Request(scope)
    known: Caller | None = getattr(request.state, "caller", None)
    visit = Visit(request, known, Preferences.of(request))
    page = visit.problem(_told(visit, start["status"], body), start["status"])
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-type"], headers["content-length"] = page.headers["content-type"], page.headers["content-length"]
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": page.body})


def _told(visit: Visit, status: int, body: bytes) -> str:
    if status == 404:
        return visit.say("error.nothing")
    if status == 413:
        limits, path = visit.settings, visit.request.url.path
        most = limits.source_limit if path in STREAMED else limits.upload_limit
        return visit.say("connect.too_big", most=grouped(most / 1e6, visit.lang))
    return str(json.loads(body)["detail"])


# --- all pages


_HOUR = "public, max-age=3600"


_PACKED = (".js", ".css", ".svg")


class Assets(StaticFiles):
    """Stylesheet and scripts, which a browser may keep for a while; packed where it can unpack them."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file of the package."""
        response = await super().get_response(path, scope)
        if isinstance(response, FileResponse) and path.endswith(_PACKED):
            if "gzip" in Headers(scope=scope).get("accept-encoding", ""):
                packed = await to_thread(_packed, Path(response.path))
                kept = {"etag": f"W/{response.headers['etag']}", "last-modified": response.headers["last-modified"]}
                response = Response(packed, media_type=response.media_type, headers=kept)
                response.headers["Content-Encoding"] = "gzip"
            response.headers["Vary"] = "Accept-Encoding"
        response.headers["Cache-Control"] = _HOUR
        return response


@cache
def _packed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), mtime=0)


def pages() -> APIRouter:
    """Every page."""
    router = APIRouter(include_in_schema=False)
    parts = (
        login,
        ask,
        connect,
        conversations,
        boards,
        export,
        edit,
        teaching,
        traces,
        ontology,
        reviews,
        requirements,
        quality,
        api,
    )
    for part in parts:
        router.include_router(part.router)
    return router


def mount_pages(app: FastAPI) -> None:
    """Add the pages to an application whose state holds settings, database, agents and access."""
    app.state.sessions = login.Sessions(app.state.database)
    app.state.session_caller = login.session_caller
    app.mount("/static", Assets(directory=HERE / "static"), name="static")
    app.include_router(pages())
    app.add_middleware(ProblemPages)
