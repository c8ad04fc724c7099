"""The pages of a server: mounted beside the API, over the same parts.

login           a key for a cookie; language, light and dark
ask             a question, its steps, its answer with a proof for every figure
traces          what was asked, round by round; the rows behind an answer
ontology        what the tables mean
reviews         which sources may enter the corpus
requirements    checked and improved by a team that asks
quality         evaluations, the guard's events, repairs
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from fastapi.staticfiles import StaticFiles
from starlette.responses import Response
from starlette.types import Scope

from veracity.server.web import ask, login, ontology, quality, requirements, reviews, traces
from veracity.server.web.problem_pages import ProblemPages
from veracity.server.web.sessions import Sessions
from veracity.server.web.visit import HERE

if TYPE_CHECKING:
    from fastapi import FastAPI

_HOUR = "public, max-age=3600"


class Assets(StaticFiles):
    """Stylesheet and scripts, which a browser may keep for a while."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file of the package."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _HOUR
        return response


def pages() -> APIRouter:
    """Every page."""
    router = APIRouter(include_in_schema=False)
    for part in (login, ask, traces, ontology, reviews, requirements, quality):
        router.include_router(part.router)
    return router


def mount_pages(app: FastAPI) -> None:
    """Add the pages to an application whose state holds settings, database, agents and access."""
    app.state.sessions = Sessions(app.state.database)
    app.state.session_caller = login.session_caller
    app.mount("/static", Assets(directory=HERE / "static"), name="static")
    app.include_router(pages())
    app.add_middleware(ProblemPages)
