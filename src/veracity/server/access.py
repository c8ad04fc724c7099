"""Who is calling, and what they may do.

    Authorization: Bearer vk_...    the tenant and the role of that key
    a session cookie (the pages)    those of the key it was opened with
    nothing, on loopback            the tenant `local`, as admin, as long as no key was ever made (`keys="auto"`)

A caller without a key is taken only from this machine, under its own name (no DNS rebinding), not through a proxy, and never for
a change that another site sends (no cross-site requests).
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from math import ceil
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from veracity.server.config import is_loopback
from veracity.server.keys import LOCAL, Caller, Role
from veracity.server.problems import RequestRefused

if TYPE_CHECKING:
    from veracity.server.config import ServerSettings
    from veracity.server.keys import KeyStore
    from veracity.server.metrics import Metrics

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
_MOST_BUCKETS = 10_000
_ASKED_AGAIN = 2.0
"""Seconds for which it is remembered whether there is a key."""

SessionCaller = Callable[[Request], Awaitable[Caller | None]]
"""The caller of a session cookie; the pages bring it, as `app.state.session_caller`."""

bearer = HTTPBearer(
    auto_error=False, scheme_name="key", description="A key of `veracity key create`. Not needed on a keyless loopback."
)
"""For the OpenAPI document; the header itself is read by `Access`."""


async def caller(request: Request) -> Caller:
    """The caller of a request; a dependency of every route but the public ones."""
    access: Access = request.app.state.access
    return await access.caller(request)


def needs(role: Role) -> Callable[[Request], Awaitable[Caller]]:
    """A dependency: the caller, who must have at least this role."""

    async def allowed(request: Request) -> Caller:
        found = await caller(request)
        if not found.may(role):
            raise RequestRefused(403, f"This needs the role {role}; the key has the role {found.role}.")
        return found

    return allowed


Analyst = Annotated[Caller, Depends(needs("analyst"))]
Reviewer = Annotated[Caller, Depends(needs("reviewer"))]
Admin = Annotated[Caller, Depends(needs("admin"))]


@dataclass(slots=True)
class TokenBuckets:
    """A token bucket for each key of this process: a minute's worth at once, then at the rate."""

    per_minute: float
    clock: Callable[[], float] = monotonic
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def wait(self, name: str) -> float:
        """Take one token; 0, or the seconds after which there is one."""
        if not self.per_minute:
            return 0.0
        with self._lock:
            now = self.clock()
            left, at = self._left.pop(name, (self.per_minute, now))
            left = min(self.per_minute, left + (now - at) * self.per_minute / 60)
            taken = left >= 1
            self._left[name] = (left - taken, now)
            if len(self._left) > _MOST_BUCKETS:
                self._left.popitem(last=False)
            return 0.0 if taken else (1 - left) * 60 / self.per_minute


class Access:
    """Finds out who is calling."""

    def __init__(self, settings: ServerSettings, keys: KeyStore, metrics: Metrics) -> None:
        self._settings, self._keys, self._metrics = settings, keys, metrics
        # Each process counts for itself, so each gives out its share.
        self._buckets = TokenBuckets(settings.rate_per_minute / settings.workers)
        self._keyed = (0.0, False)

    async def caller(self, request: Request) -> Caller:
        """The caller, once per request; raises `RequestRefused`."""
        known: Caller | None = getattr(request.state, "caller", None)
        if known is None:
            known = await self._find_caller(request)
            request.state.caller, request.state.tenant, request.state.key_id = known, known.tenant, known.key_id
            self._check_rate(known)
        return known

    async def optional(self, request: Request) -> Caller | None:
        """The caller, or None where a key is missing or wrong: for pages that then show their login."""
        try:
            return await self.caller(request)
        except RequestRefused as refusal:
            if refusal.status == 401:
                return None
            raise

    async def keyless(self) -> bool:
        """Whether this server takes callers without a key."""
        if self._settings.keys == "required" or not self._settings.is_loopback:
            return False
        if self._settings.keys == "auto" and monotonic() >= self._keyed[0]:
            # Also a key that was revoked or has expired: its end must not open the server.
            keyed = await asyncio.to_thread(self._keys.was_any)
            self._keyed = (monotonic() + _ASKED_AGAIN, keyed)
        return not self._keyed[1]

    def forget(self) -> None:
        """Forget what is remembered of whether there is a key: one was just made."""
        self._keyed = (0.0, False)

    async def _find_caller(self, request: Request) -> Caller:
        if (header := request.headers.get("authorization")) is not None:
            return await self._caller_of_key(header)
        _check_same_site(request)
        session: SessionCaller | None = getattr(request.app.state, "session_caller", None)
        if session is not None and (found := await session(request)) is not None:
            return found
        if not await self.keyless():
            raise _no_caller("A key is needed: send the header Authorization: Bearer vk_...")
        _check_local(request)
        return Caller(LOCAL, "admin")

    async def _caller_of_key(self, header: str) -> Caller:
        scheme, _, plain = header.partition(" ")
        found = None
        if scheme.casefold() == "bearer" and plain.isascii():
            found = await asyncio.to_thread(self._keys.find, plain.strip())
        if found is None:
            raise _no_caller("This key is not known, has expired or was revoked; ask your admin for another.")
        return found

    def _check_rate(self, known: Caller) -> None:
        if known.key_id is None:
            return
        if seconds := self._buckets.wait(known.key_id):
            self._metrics.limited()
            after = str(ceil(seconds))
            raise RequestRefused(429, f"Too many requests with this key; go on in {after} s.", {"Retry-After": after})


def _no_caller(detail: str) -> RequestRefused:
    return RequestRefused(401, detail, {"WWW-Authenticate": "Bearer"})


def is_from_here(request: Request) -> bool:
    """Whether a request comes from this machine itself, and not for somebody else behind a proxy."""
    address = request.client.host if request.client is not None else ""
    return is_loopback(address) and not any(name in request.headers for name in _FORWARDED)


def is_called_local(request: Request) -> bool:
    """Whether the server was called by a name of this machine: a page elsewhere may have one that only leads to it."""
    return is_loopback(_host(request))


def _check_local(request: Request) -> None:
    """Refuse a caller without a key who is not on this machine, calls it by another name, or comes through a proxy."""
    if not is_called_local(request):
        raise RequestRefused(421, "Without a key this server answers only to localhost and 127.0.0.1.")
    if any(name in request.headers for name in _FORWARDED):
        raise _no_caller("Requests through a proxy need a key; start the server with --keys required.")


def _host(request: Request) -> str:
    """The name under which the server was called, without its port."""
    try:
        return urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    except ValueError:
        return ""


def _check_same_site(request: Request) -> None:
    """Refuse changes that another site sends through a browser, which adds cookies and reaches loopback for it."""
    if request.method in _SAFE:
        return
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if origin is not None:
        same = origin.partition("://")[2].casefold() == host.casefold() and host != ""
    else:
        same = request.headers.get("sec-fetch-site", "none") in ("same-origin", "none")
    if not same:
        raise RequestRefused(403, "This change was sent by another site, and is refused.")
