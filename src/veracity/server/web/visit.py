"""A visit: who looks at a page, in which language, and how a page is rendered for them.

Every form carries a token that only a page of ours can know: it is made from the cookie that comes back with it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import quote

from fastapi import Depends, Form, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from veracity.errors import SourceError, UsageError, VeracityError
from veracity.server.keys import Caller, Role
from veracity.server.problems import RequestRefused, status_of
from veracity.server.sources_secret import told_in
from veracity.server.web.note_texts import note_in
from veracity.server.web.texts import LANGS, Lang, label, preferred, say

if TYPE_CHECKING:
    from veracity.ask.data_agent import DataAgent
    from veracity.requirements.ask_user import ValidationDesk
    from veracity.retrieval.review import ReviewDesk
    from veracity.server.access import Access
    from veracity.server.agents import Agents
    from veracity.server.config import ServerSettings
    from veracity.server.database import ServerDatabase
    from veracity.server.parts import Parts

HERE = Path(__file__).parent
SESSION, VISIT, LANG, THEME = "veracity_session", "veracity_visit", "veracity_lang", "veracity_theme"
"""The names of the cookies: who has signed in, whose form it is, which language, light or dark."""
_YEAR = 365 * 24 * 3600
Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")


def table_asked(arguments: Any) -> str:
    """The table that a call reads, where it names one: raw SQL does not."""
    given = arguments if isinstance(arguments, dict) else {}
    return str(given.get("tableName") or given.get("of") or "")


def grouped(number: float, lang: str) -> str:
    """A whole number with its thousands apart, as it is written in a language."""
    return f"{number:,.0f}".replace(",", "'" if lang == "de" else ",")


@cache
def templates() -> Environment:
    """The templates; what they are given is escaped, and what they are not given is an error."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["moment"] = lambda moment: f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    made.filters["left"] = time_left
    made.filters["model"] = model_name
    made.filters["table"] = table_asked
    made.filters["grouped"] = grouped
    made.filters["note"] = note_in
    return made


@dataclass(frozen=True, slots=True)
class Preferences:
    """How somebody wants pages to look."""

    lang: Lang
    theme: Theme
    anchor: str
    """The cookie that the token of every form is made from."""
    fresh: bool
    """Whether that cookie is new, and has to be set."""

    @classmethod
    def of(cls, request: Request) -> Preferences:
        """As the cookies say, or the browser."""
        cookies = request.cookies
        lang = next((one for one in LANGS if one == cookies.get(LANG)), None)
        theme: Theme = next((one for one in THEMES if one == cookies.get(THEME)), "auto")
        held = cookies.get(SESSION) or cookies.get(VISIT)
        return cls(
            lang=lang or preferred(request.headers.get("accept-language", "")),
            theme=theme,
            anchor=held or secrets.token_urlsafe(24),
            fresh=held is None,
        )

    @property
    def csrf(self) -> str:
        """The token of this visitor's forms."""
        return hmac.new(self.anchor.encode(), b"veracity form", hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a person for a page."""

    request: Request
    caller: Caller | None
    """None: nobody has signed in yet."""
    preferences: Preferences

    @property
    def lang(self) -> Lang:
        """The language of the page."""
        return self.preferences.lang

    @property
    def known(self) -> Caller:
        """Who it is, on pages that nobody sees without having signed in."""
        assert self.caller is not None
        return self.caller

    @property
    def parts(self) -> Parts:
        """The parts of the server."""
        found: Parts = self.request.app.state.parts
        return found

    @property
    def settings(self) -> ServerSettings:
        """What the server was told."""
        return self.parts.settings

    @property
    def database(self) -> ServerDatabase:
        """What all processes share."""
        return self.parts.database

    @property
    def agents(self) -> Agents:
        """The agents of all tenants."""
        return self.parts.agents

    def agent(self) -> DataAgent:
        """The agent of this visitor's tenant."""
        return self.agents.of(self.known)

    def reviews(self) -> ReviewDesk:
        """Where the reviews of this visitor's tenant are decided."""
        return self.database.reviews(self.known.tenant)

    def validations(self) -> ValidationDesk:
        """Where the validations of this visitor's tenant are, and their questions."""
        return self.database.validations(self.known.tenant)

    @property
    def who(self) -> str:
        """What is written down of somebody who decides."""
        return self.known.name or self.known.key_id or self.known.tenant

    @property
    def address(self) -> str:
        """Where this page can be seen again: its own address, or the first page where a form led to it."""
        url = self.request.url
        if self.request.method != "GET":
            return "/"
        return f"{url.path}?{url.query}" if url.query else url.path

    def say(self, key: str, **values: object) -> str:
        """A text in the visitor's language."""
        return say(self.lang, key, **values)

    def needs(self, role: Role) -> None:
        """Refuse what this visitor's role does not allow."""
        if not self.known.may(role):
            raise RequestRefused(403, self.say("error.role", role=self.say(f"role.{role}")))

    def html(self, template: str, **values: Any) -> str:
        """A template with what every page has."""
        told = {
            "t": partial(say, self.lang),
            "label": partial(label, self.lang),
            "lang": self.lang,
            "theme": self.preferences.theme,
            "csrf": self.preferences.csrf,
            "caller": self.caller,
            "path": self.request.url.path,
            "address": self.address,
            "now": datetime.now(UTC),
            "source": getattr(self.request.state, "source", None),
        }
        return templates().get_template(template).render(**told, **values)

    def page(self, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """A page, or a part of one."""
        response = HTMLResponse(self.html(template, **values), status)
        response.headers["Vary"] = "Accept-Language, Cookie"
        if self.preferences.fresh:
            put_cookie(self.request, response, VISIT, self.preferences.anchor)
        return response

    def problem(self, detail: str, status: int) -> HTMLResponse:
        """What went wrong, as a page, or as the part of one that was asked for."""
        template = "_error.html" if is_fragment(self.request) else "error.html"
        return self.page(template, status=status, detail=detail, number=status)


def is_fragment(request: Request) -> bool:
    """Whether a script of the page asks, and takes a part of one."""
    return "hx-request" in request.headers


def put_cookie(request: Request, response: Response, name: str, value: str, *, seconds: int = _YEAR) -> None:
    """A cookie that no script reads and no other site sends."""
    secure = request.url.scheme == "https"
    response.set_cookie(name, value, max_age=seconds, httponly=True, samesite="strict", secure=secure)


def go_to(address: str) -> RedirectResponse:
    """On to another page, after a form was taken."""
    return RedirectResponse(address, 303)


def own_address(given: str) -> str:
    """An address on this server, or the first page: nobody is sent elsewhere."""
    plain = given.startswith("/") and not given.startswith("//") and "\\" not in given and given.isprintable()
    return given if plain else "/"


# --- who it is


class SignInFirst(VeracityError):
    """A page that nobody sees without a key."""


async def anyone(request: Request) -> Visit:
    """A visit, signed in or not."""
    access: Access = request.app.state.access
    return Visit(request, await access.optional(request), Preferences.of(request))


async def visitor(visit: Annotated[Visit, Depends(anyone)]) -> Visit:
    """A visit of somebody who is known."""
    if visit.caller is None:
        raise SignInFirst("Sign in first.")
    # Every page says where answers come from; without the database it still says the rest.
    if hasattr(visit.request.state, "source"):
        return visit
    with suppress(SourceError):
        visit.request.state.source = await run_in_threadpool(visit.parts.sources.in_use, visit.caller.tenant)
    return visit


def with_valid_token(visit: Visit, token: str) -> Visit:
    """The visit, if its form came from a page of ours."""
    if not hmac.compare_digest(token.encode(), visit.preferences.csrf.encode()):
        raise RequestRefused(403, visit.say("error.form"))
    return visit


async def filled_in_by_anyone(visit: Annotated[Visit, Depends(anyone)], csrf: Annotated[str, Form()] = "") -> Visit:
    """A form that came from a page of ours."""
    return with_valid_token(visit, csrf)


async def filled_in(visit: Annotated[Visit, Depends(visitor)], csrf: Annotated[str, Form()] = "") -> Visit:
    """A form of somebody who is known, that came from a page of ours."""
    return with_valid_token(visit, csrf)


Anyone = Annotated[Visit, Depends(anyone)]
Visitor = Annotated[Visit, Depends(visitor)]
FilledInByAnyone = Annotated[Visit, Depends(filled_in_by_anyone)]
FilledIn = Annotated[Visit, Depends(filled_in)]


# --- errors


class PageRoute(APIRoute):
    """A route for people: an error is a page with one sentence, and who is not signed in gets the form for it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with its errors as pages."""
        handler = super().get_route_handler()

        async def shown(request: Request) -> Response:
            try:
                return await handler(request)
            except SignInFirst:
                return _to_sign_in(request)
            except VeracityError as error:
                status = error.status if isinstance(error, RequestRefused) else status_of(error)
                known: Caller | None = getattr(request.state, "caller", None)
                visit = Visit(request, known, Preferences.of(request))
                return visit.problem(told_in(error, visit.lang), status)

        return shown


def _to_sign_in(request: Request) -> Response:
    asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    address = f"/login?next={quote(asked if request.method == 'GET' else '/', safe='')}"
    if is_fragment(request):
        return Response(status_code=204, headers={"HX-Redirect": address})
    return go_to(address)


def model_name(spec: str) -> str:
    """What a model is called, without the address of its server."""
    return spec.rpartition("#")[2]


def time_left(until: datetime, now: datetime) -> str:
    """How long it still is: `23 h 59 min`, `4 d 3 h`; nothing once it is over."""
    left = until - now
    if left <= timedelta(0):
        return ""
    hours, minutes = left.days * 24 + left.seconds // 3600, left.seconds // 60 % 60
    if hours >= 48:
        return f"{hours // 24} d {hours % 24} h"
    return f"{hours} h {minutes} min" if hours else f"{max(1, minutes)} min"


def not_there(error: UsageError) -> RequestRefused:
    """A 404 for what a desk or a store does not know."""
    return RequestRefused(404, str(error))
