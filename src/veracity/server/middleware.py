"""What every request goes through, from the outside in.

Recorded        a request id, a log line and the metrics
Secured         security headers on every response
Guarded         whatever fails inside becomes a problem
Limited         a body that is not too large, a response that begins in time
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import deque
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from veracity.server.problems import LOG, RequestRefused, failure_response, problem_response
from veracity.server.streaming import ClientGone

if TYPE_CHECKING:
    from fastapi import FastAPI

    from veracity.server.config import ServerSettings
    from veracity.server.metrics import Metrics

_OWN_ID = re.compile(rb"[A-Za-z0-9._-]{8,64}")
_CSP = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_UNCACHED = (b"cache-control", b"no-store")
_READ_OFF_SECONDS = 5.0
STREAMED = frozenset({"/connect/file", "/v1/sources"})
"""Where a file is written to disk while it comes, so that it is not kept in memory first."""
_IDLE_SECONDS = 60.0
_FORM_ROOM = 100_000
"""Bytes that a form may have beside its file."""


def add_middleware(app: FastAPI, settings: ServerSettings, metrics: Metrics) -> None:
    """Add all of it, the outermost last, as the framework wants it."""
    app.add_middleware(Limited, settings=settings)
    app.add_middleware(Guarded)
    app.add_middleware(Secured)
    app.add_middleware(Recorded, metrics=metrics)


class Recorded:
    """Gives each request an id, counts it, and writes one line about it: no query, no body, no key."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        identifier, began, status = _request_id(scope), perf_counter(), [499]
        scope.setdefault("state", {})["request_id"] = identifier

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", identifier.encode())]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            self._note(scope, status[0], perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route, state = route_of(scope), scope["state"]
        self._metrics.request(scope["method"], route, status, seconds)
        fields = {
            "request_id": state["request_id"],
            "method": scope["method"],
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
            "tenant": state.get("tenant"),
            "key": state.get("key_id"),
        }
        LOG.info("request", extra={"fields": {name: value for name, value in fields.items() if value is not None}})


class Secured:
    """Puts the security headers on every response; what a page says about caching itself is kept."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = list(message.get("headers", ()))
                said = {name.lower() for name, _ in own}
                message["headers"] = own + [one for one in (*_HEADERS, _UNCACHED) if one[0] not in said]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


class Guarded:
    """Turns a failure of the server into a problem for the caller and a line in the log; no traceback leaves."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientGone:
            return  # nobody is left to tell
        except Exception as error:  # noqa: BLE001 - the outermost place: it is logged, and the caller is told
            response = failure_response(scope["state"]["request_id"], error)
            if not started:
                await response(scope, receive, send)


class Limited:
    """Reads the body up to the limit before anything else does, and cuts off what does not answer in time."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self._app, self._settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, arrived = asyncio.Event(), asyncio.Event()

        async def watched(message: Message) -> None:
            begun.set()
            await send(message)

        handled = self._streamed(scope, receive, watched, arrived) if _is_streamed(scope) else None
        task = asyncio.ensure_future(handled or self._limited(scope, receive, watched))
        try:
            if handled is not None:
                # The time runs from when the file is here: how long that takes is the sender's.
                await _first_of(task, arrived)
            if not await _begins_in_time(task, begun, self._settings.request_seconds):
                await _stop(task)
                detail = f"It took longer than {self._settings.request_seconds:g} seconds; ask for less, or as a job."
                await problem_response(scope["state"]["request_id"], 504, detail)(scope, receive, send)
                return
            await task
        except asyncio.CancelledError:
            await _stop(task)
            raise

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        is_upload = headers.get(b"content-type", b"").startswith(b"multipart/form-data")
        most = self._settings.upload_limit if is_upload else self._settings.body_limit
        messages = await _body_messages(receive, most, headers.get(b"content-length", b"0"))
        if messages is None:
            await _read_off(receive, self._settings.upload_limit)
            detail = f"The body has more than {most:,} bytes; send less at once."
            refused = problem_response(scope["state"]["request_id"], 413, detail, headers={"Connection": "close"})
            await refused(scope, receive, send)
            return

        async def replayed() -> Message:
            return messages.popleft() if messages else await receive()

        await self._app(scope, replayed, send)

    async def _streamed(self, scope: Scope, receive: Receive, send: Send, arrived: asyncio.Event) -> None:
        """Pass a body on as it comes, counted; one that is announced as too large is not read at all."""
        most = self._settings.source_limit
        detail = (
            f"The file has more than {most / 1e6:,.0f} MB, which is all that this server takes; connect a smaller one."
        )
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > most + _FORM_ROOM:
            arrived.set()
            await _read_off(receive, int(announced))
            refused = problem_response(scope["state"]["request_id"], 413, detail, headers={"Connection": "close"})
            await refused(scope, receive, send)
            return
        size = 0

        async def counted() -> Message:
            nonlocal size
            try:
                message = await asyncio.wait_for(receive(), _IDLE_SECONDS)
            except TimeoutError:
                if arrived.is_set():
                    raise
                arrived.set()
                raise RequestRefused(
                    408, f"Nothing more of the file came for {_IDLE_SECONDS:g} seconds; send it again."
                ) from None
            size += len(message.get("body", b""))
            if message["type"] != "http.request" or not message.get("more_body", False):
                arrived.set()
            if size > most + _FORM_ROOM:
                raise RequestRefused(413, detail)
            return message

        await self._app(scope, counted, send)


def _is_streamed(scope: Scope) -> bool:
    kind = dict(scope["headers"]).get(b"content-type", b"")
    return scope["method"] == "POST" and scope["path"] in STREAMED and kind.startswith(b"multipart/form-data")


async def _first_of(task: asyncio.Future[Any], event: asyncio.Event) -> None:
    """Wait until a task is done or an event has come."""
    waiting = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()


async def _begins_in_time(task: asyncio.Future[Any], begun: asyncio.Event, seconds: float) -> bool:
    """Whether a response begins in time; a stream may then go on for as long as it likes."""
    waiting = asyncio.ensure_future(begun.wait())
    try:
        done, _ = await asyncio.wait({task, waiting}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
    return bool(done)


async def _stop(task: asyncio.Future[Any]) -> None:
    """Stop it, and wait until it has let go of everything."""
    task.cancel()
    await asyncio.wait({task})


async def _body_messages(receive: Receive, most: int, announced: bytes) -> deque[Message] | None:
    """The messages of a body; None if it is too large, without reading the rest."""
    if announced.isdigit() and int(announced) > most:
        return None
    kept: deque[Message] = deque()
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        if size > most:
            return None
        kept.append(message)
        more = message["type"] == "http.request" and message.get("more_body", False)
    return kept


async def _read_off(receive: Receive, most: int) -> None:
    """Let go of what a client still sends, within limits: many read an answer only after they have sent everything."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_READ_OFF_SECONDS):
            size, more = 0, True
            while more and size <= most:
                message = await receive()
                size += len(message.get("body", b""))
                more = message["type"] == "http.request" and message.get("more_body", False)


def route_of(scope: Scope) -> str:
    """The address as it is declared, such as /v1/traces/{trace_id}: there are few of them, and they hold no data."""
    return str(getattr(scope.get("route"), "path", "other"))


def _request_id(scope: Scope) -> str:
    """The caller's own id, if it is a plain one, else a new one."""
    given = dict(scope["headers"]).get(b"x-request-id", b"")
    return given.decode() if _OWN_ID.fullmatch(given) else secrets.token_hex(8)
