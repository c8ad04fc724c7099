"""Server-sent events, and clients that go away: what nobody waits for any more is stopped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from fastapi import Request
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

EVENT_STREAM = "text/event-stream"
KEEP_ALIVE = b": still here\n\n"
_SILENCE = 15.0
"""Seconds after which a comment shows that the connection still stands; proxies cut off silent ones."""

Result = TypeVar("Result")


class ClientGone(Exception):
    """The client has closed the connection; there is nobody to answer."""


def event(name: str, data: Any, *, number: int | None = None) -> bytes:
    """One event; `data` is JSON text, or what JSON can hold."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    identifier = f"id: {number}\n" if number is not None else ""
    # JSON has no line ends of its own, so that one line holds it all.
    return f"{identifier}event: {name}\ndata: {text}\n\n".encode("utf-8", "replace")


class EventStream(StreamingResponse):
    """A stream of events with keep-alives; the source of them is closed as soon as the client is gone.

    One that is `endless` is also over when the server ends: its client comes back, to this server or another one.
    """

    def __init__(self, events: AsyncIterator[bytes], *, endless: bool = False, silence: float = _SILENCE) -> None:
        self._endless = endless
        super().__init__(
            kept_alive(events, silence),
            media_type=EVENT_STREAM,
            # Some proxies hold a response back until it is large; this header tells them not to.
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream until it ends or the client is gone, whichever is first."""
        sending = asyncio.ensure_future(self._send_all(send))
        over = {asyncio.ensure_future(_gone(receive))}
        if self._endless:
            over.add(asyncio.ensure_future(scope["app"].state.stopping.wait()))
        try:
            await asyncio.wait({sending, *over}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
        finally:
            for task in (sending, *over):
                task.cancel()
            await asyncio.wait({sending, *over})

    async def _send_all(self, send: Send) -> None:
        try:
            await self.stream_response(send)
        finally:
            await self.body_iterator.aclose()  # type: ignore[attr-defined]


async def kept_alive(events: AsyncIterator[bytes], silence: float) -> AsyncIterator[bytes]:
    """The events, and a comment whenever there was none for a while."""
    waiting: asyncio.Future[bytes] | None = None
    try:
        # Sent at once, so that the client knows that the stream has begun.
        yield KEEP_ALIVE
        while True:
            if waiting is None:
                waiting = asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait({waiting}, timeout=silence)
            if not done:
                yield KEEP_ALIVE
                continue
            finished, waiting = waiting, None
            try:
                yield finished.result()
            except StopAsyncIteration:
                return
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait({waiting})
        await events.aclose()  # type: ignore[attr-defined]


async def unless_gone(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """What the work comes to; it is cancelled, down to the running query, when the client goes away."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(request.receive))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientGone
    finally:
        for task in (working, gone):
            task.cancel()
        await asyncio.wait({working, gone})


async def _gone(receive: Receive) -> None:
    """Returns when the client is gone."""
    while True:
        message: Message = await receive()
        if message["type"] == "http.disconnect":
            return
