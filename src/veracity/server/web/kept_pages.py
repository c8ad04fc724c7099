"""Pages sent again as they were: as long as nothing was written, a page is not put together a second time.

A page is made from the database of the server, from the draft of the source in use, and for somebody: their tenant, role, key,
language and theme. It is kept with all of that, and for a few seconds only, since some pages say how much time is left. The
token of the forms belongs to the visitor; it is put in anew each time.
"""

from __future__ import annotations

from asyncio import Event, to_thread
from collections import OrderedDict
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from fastapi import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from veracity.errors import SourceError
from veracity.server.problems import NotThere, RequestRefused
from veracity.server.web.visit import Preferences, is_fragment

if TYPE_CHECKING:
    from veracity.server.access import Access
    from veracity.server.draft import ServedDraft
    from veracity.server.keys import Caller
    from veracity.server.parts import Parts

_QUALITY = "/quality"
KEPT = frozenset(
    {"/", "/conversations", "/boards", "/traces", "/ontology", "/connect", "/reviews", "/requirements", _QUALITY}
)
"""Pages that are made from the database and the draft alone; opening one changes nothing."""
SECONDS = 5.0
"""How old a page may be."""
_MOST, _LONGEST, _LONGEST_QUERY = 128, 500_000, 200


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A page as it was sent."""

    changes: tuple[int, int]
    """What the database had counted before the page was made."""
    draft: ServedDraft | None
    answered_at: int
    until: float
    route: Any
    csrf: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    def is_current(self, changes: tuple[int, int] | None) -> bool:
        """Whether the same page would be made again."""
        answered_at = self.draft.answered_at() if self.draft else 0
        return self.changes == changes and monotonic() < self.until and self.answered_at == answered_at


class KeptPages:
    """Sends a page that is kept; all else it passes on, and keeps what comes back where it may."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._kept: OrderedDict[tuple[object, ...], KeptPage] = OrderedDict()
        self._making: dict[tuple[object, ...], Event] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A page, from what is kept or from the application."""
        if scope["type"] != "http" or scope["method"] != "GET" or scope["path"] not in KEPT:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        preferences, caller = Preferences.of(request), await _caller(request)
        changes = _changes(request)
        if caller is None or changes is None or preferences.fresh or is_fragment(request):
            await self._app(scope, receive, send)
            return
        key = (scope["path"], scope["query_string"], caller, preferences.lang, preferences.theme)
        csrf = preferences.csrf.encode()
        if (kept := await self._current(key, request)) is not None:
            self._kept.move_to_end(key)
            scope["route"] = kept.route
            await _send(kept, csrf, send)
            return
        made = self._making[key] = Event()
        try:
            page = _PageInTheMaking(changes, csrf, send)
            await page.made_by(self._app, scope, receive)
            self._keep(key, page.kept(scope.get("route")))
        finally:
            made.set()
            if self._making.get(key) is made:
                del self._making[key]

    async def _current(self, key: tuple[object, ...], request: Request) -> KeptPage | None:
        """What is kept under a key and still true; what somebody else is just having made is waited for, once."""
        changes, kept = _changes(request), self._kept.get(key)
        if (kept is None or not kept.is_current(changes)) and (made := self._making.get(key)) is not None:
            await made.wait()
            changes, kept = _changes(request), self._kept.get(key)
        return kept if kept is not None and kept.is_current(changes) else None

    def _keep(self, key: tuple[object, ...], page: KeptPage | None) -> None:
        if page is None:
            return
        self._kept[key] = page
        self._kept.move_to_end(key)
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)


class _PageInTheMaking:
    """A page on its way to whoever asked for it."""

    def __init__(self, changes: tuple[int, int], csrf: bytes, send: Send) -> None:
        self._changes, self._csrf, self._send = changes, csrf, send
        self._until, self._answered_at = monotonic() + SECONDS, 0
        self._draft: ServedDraft | None = None
        self._start: Message = {}
        self._body = bytearray()

    async def made_by(self, app: ASGIApp, scope: Scope, receive: Receive) -> None:
        """Have it made and sent."""
        try:
            self._draft, self._answered_at = await to_thread(_draft_in_use, scope)
        except SourceError:
            await app(scope, receive, self._send)  # it is told, and not kept
            return
        await app(scope, receive, self._noted)

    async def _noted(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            # Those outside of here add to the headers, each time.
            self._start = {**message, "headers": tuple(message.get("headers", ()))}
        else:
            self._body.extend(message.get("body", b"")[: _LONGEST + 1])
        await self._send(message)

    def kept(self, route: Any) -> KeptPage | None:
        """The page to keep, if it may be."""
        if not _may_be_kept(self._start, len(self._body)):
            return None
        return KeptPage(
            changes=self._changes,
            draft=self._draft,
            answered_at=self._answered_at,
            until=self._until,
            route=route,
            csrf=self._csrf,
            headers=self._start["headers"],
            body=bytes(self._body),
        )


def _may_be_kept(start: Message, length: int) -> bool:
    names = {name.lower() for name, _ in start.get("headers", ())}
    return start.get("status") == 200 and b"set-cookie" not in names and length <= _LONGEST


async def _caller(request: Request) -> Caller | None:
    """Who it is; a refusal is told by the page itself."""
    access: Access = request.app.state.access
    try:
        return await access.optional(request)
    except RequestRefused:
        request.scope["state"].pop("caller", None)  # so that it is refused again there
        return None


def _changes(request: Request) -> tuple[int, int] | None:
    """What tells that nothing was written; None where nothing does."""
    parts: Parts = request.app.state.parts
    if request.url.path == _QUALITY and parts.settings.reports is not None:
        return None  # it shows files, too
    return parts.database.durable.changes() if len(request.scope["query_string"]) <= _LONGEST_QUERY else None


def _draft_in_use(scope: Scope) -> tuple[ServedDraft | None, int]:
    """The draft that a page is made from, and when somebody answered a question of it; the source is told to the page."""
    parts: Parts = scope["app"].state.parts
    tenant = scope["state"]["caller"].tenant
    source = scope["state"]["source"] = parts.sources.in_use(tenant)
    try:
        draft = parts.agents.draft_of(tenant, source.source_id)
    except NotThere:
        return None, 0
    return draft, draft.answered_at()


async def _send(kept: KeptPage, csrf: bytes, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": list(kept.headers)})
    await send({"type": "http.response.body", "body": kept.body.replace(kept.csrf, csrf)})
