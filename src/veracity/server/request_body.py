"""Bodies as programs send them: no half characters and no NUL, which no database holds, and no NaN, which JSON has not."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from decimal import Decimal, InvalidOperation
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

_MARK = "\N{REPLACEMENT CHARACTER}"


class CleanRequest(Request):
    """A request whose JSON can be kept and sent back."""

    parse_float: Callable[[str], Any] | None = None

    async def json(self) -> Any:
        """The body, read once."""
        if not hasattr(self, "_json"):
            raw = await self.body()
            self._json = clean(json.loads(raw, parse_float=self.parse_float, parse_constant=_no_constant))
        return self._json


class ApiRoute(APIRoute):
    """A route of the API: its body is read by `CleanRequest`."""

    reader: type[Request] = CleanRequest

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, over the clean request."""
        handler = super().get_route_handler()

        async def read(request: Request) -> Response:
            return await handler(self.reader(request.scope, request.receive))

        return read


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise json.JSONDecodeError("a number is too large", text, 0) from None


class ExactRequest(CleanRequest):
    """A request whose decimals stay as they were written: 0.10 is not 0.1."""

    parse_float = staticmethod(_decimal)


class ExactRoute(ApiRoute):
    """A route whose body holds figures that matter."""

    reader = ExactRequest


def clean(value: Any) -> Any:
    """The same data, with a mark for every half character and every NUL."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): clean(inner) for key, inner in value.items()}
    return [clean(inner) for inner in value] if isinstance(value, list) else value


def clean_text(text: str) -> str:
    """A text with a mark for every half character and every NUL."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", _MARK)


def _no_constant(name: str) -> None:
    raise json.JSONDecodeError(f"{name} is not a number in JSON", name, 0)
