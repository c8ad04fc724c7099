"""The server over HTTP, at /mcp: without keys for this machine itself, with keys for everybody who holds one.

Nothing is kept between requests but the last results of each tenant, so that a client may come back to any process.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request

from veracity.errors import UsageError
from veracity.grounding.config import guard_for
from veracity.mcp.server import Context, ToolboxOf, build_server
from veracity.mcp.toolbox import Toolbox
from veracity.server.access import TokenBuckets, is_from_here
from veracity.server.agents import MOST
from veracity.server.keys import Caller
from veracity.tools.tables import TableTools

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

    from veracity.server.agents import Agents
    from veracity.server.database import ServerDatabase
    from veracity.server.keys import KeyStore

PATH = "/mcp"
_CALLER = "veracity.caller"
_BEARER = ("www-authenticate", "Bearer")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_PER_MINUTE = 600
_LONGEST_BODY = 4_000_000


def http_app(toolbox_of: ToolboxOf, *, keys: KeyStore | None = None, hosts: Sequence[str] = ()) -> Starlette:
    """The application; with `keys` every request needs one, and `hosts` are further names that it is called by."""
    app = build_server(toolbox_of).streamable_http_app(
        streamable_http_path=PATH,
        json_response=False,
        stateless_http=True,
        max_request_body_size=_LONGEST_BODY,
        transport_security=_security(hosts),
    )
    if keys is not None:
        app.add_middleware(KeyGate, find=keys.find)
    else:
        app.add_middleware(LocalGate)
    return app


@dataclass(slots=True)
class TenantToolboxes:
    """A toolbox for each tenant, over that tenant's rows only."""

    agents: Agents
    database: ServerDatabase
    _made: dict[str, Toolbox] = field(default_factory=dict)

    async def of(self, context: Context) -> Toolbox:
        """The toolbox of whoever made a request; opening a tenant's source may take seconds."""
        assert context.request is not None, "the gate lets nobody in without one"
        caller: Caller = context.request.scope[_CALLER]
        agent = await asyncio.to_thread(self.agents.of, caller)
        tables = agent.tools
        made = self._made.get(caller.tenant)
        if made is None or made.tables is not tables:
            assert isinstance(tables, TableTools)
            events = self.database.events(caller.tenant)
            made = Toolbox(tables, guard=guard_for(None), keep_events=events.save, agent=agent)
            self._forget_closed(caller.tenant)
            self._made[caller.tenant] = made
        return made

    def _forget_closed(self, tenant: str) -> None:
        """The agents keep so many tenants open; of more, the oldest toolbox goes with its agent."""
        self._made.pop(tenant, None)
        while len(self._made) >= MOST:
            del self._made[next(iter(self._made))]


class LocalGate:
    """Lets in this machine only, and nobody behind a proxy on it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse whoever comes from elsewhere, or pass on."""
        if scope["type"] == "http" and not is_from_here(Request(scope)):
            await _refuse(send, 401, "Requests through a proxy need keys: start it with --database.", _BEARER)
        else:
            await self._app(scope, receive, send)


class KeyGate:
    """Lets in whoever sends a key, as the caller that it belongs to."""

    def __init__(self, app: ASGIApp, *, find: Callable[[str], Caller | None]) -> None:
        self._app, self._find = app, find
        self._buckets = TokenBuckets(_PER_MINUTE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse without a key, or pass on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        caller = await self._caller(scope)
        if caller is None:
            said = "A key is needed: send the header Authorization: Bearer vk_..."
            await _refuse(send, 401, said, _BEARER)
        elif seconds := self._buckets.wait(caller.key_id or caller.tenant):
            await _refuse(send, 429, "Too many requests with this key.", ("retry-after", str(int(seconds) + 1)))
        else:
            await self._app({**scope, _CALLER: caller}, receive, send)

    async def _caller(self, scope: Scope) -> Caller | None:
        headers = dict(scope["headers"])
        scheme, _, plain = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if scheme.casefold() != "bearer" or not plain.isascii():
            return None
        return await asyncio.to_thread(self._find, plain.strip())


async def _refuse(send: Send, status: int, detail: str, header: tuple[str, str]) -> None:
    body = json.dumps({"status": status, "title": "Refused", "detail": detail}).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (header[0].encode(), header[1].encode()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _security(hosts: Sequence[str]) -> TransportSecuritySettings:
    """Only its own names may stand in Host and Origin: a page in a browser cannot reach it under another."""
    names = [*_LOOPBACK, *hosts]
    schemes = ("http", "https")
    return TransportSecuritySettings(
        allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
        allowed_origins=[f"{scheme}://{form}" for scheme in schemes for name in names for form in (name, f"{name}:*")],
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; one that cannot be had is a `UsageError`."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError, UnicodeError) as error:
        reason = (getattr(error, "strerror", None) or "it is no address").partition(" (")[0]
        raise UsageError(
            f"{host}:{port} cannot be listened at: {reason.lower()}; choose another --host or --port."
        ) from None


def run(app: Starlette, listener: socket.socket) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    import uvicorn

    from veracity.server.slow_headers import HeadersInTime

    config: dict[str, Any] = {"log_level": "warning", "access_log": False, "timeout_graceful_shutdown": 10}
    config["http"] = HeadersInTime
    uvicorn.Server(uvicorn.Config(app, **config)).run(sockets=[listener])
