"""Requests whose headers come too slowly are ended: a connection that never says what it wants holds nothing for long."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 20.0
"""How long the headers of a request may take, from the connection or their first byte on."""
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class HeadersInTime(H11Protocol):
    """HTTP/1.1 whose headers have a deadline; bodies and answers have theirs elsewhere."""

    seconds = HEADER_SECONDS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """From now on the first headers are waited for."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(self.seconds, self._end)

    def data_received(self, data: bytes) -> None:
        """Some bytes more: headers that are not whole yet keep their deadline."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """The next request may have begun already."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _look(self) -> None:
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if not begun:
            self._stop_waiting()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.seconds, self._end)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()
