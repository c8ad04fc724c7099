"""The server as a list of its parts.

settings, database, agents     what it is told, what it keeps, what answers
middleware                     request id, log line, metrics, security headers, limits    (middleware.py)
access                         who is calling, and what they may do                       (access.py)
problems                       every error as application/problem+json                    (problems.py)
routes                         the API, one file per noun                                 (routes/)
pages                          the same for people                                        (web/)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from importlib.metadata import version

from fastapi import FastAPI

from veracity.errors import VeracityError
from veracity.open import OFFLINE
from veracity.server.access import Access
from veracity.server.agents import Agents
from veracity.server.config import ServerSettings
from veracity.server.database import ServerDatabase
from veracity.server.keys import LOCAL, Caller
from veracity.server.middleware import add_middleware
from veracity.server.openapi import describe
from veracity.server.problems import LOG, handle_problems
from veracity.server.routes import ROUTERS
from veracity.server.state import Parts
from veracity.server.web.pages import mount_pages
from veracity.settings import Settings

_THREADS = 40
"""For what blocks: the database, the engines of sources, the reading of requirements."""


def create_app(
    settings: ServerSettings,
    *,
    database: ServerDatabase | None = None,
    agents: Agents | None = None,
    home: Settings | None = None,
) -> FastAPI:
    """The application; a database or agents that are given stay open when it ends."""
    home = home or Settings.from_env()
    parts = Parts.of(settings, home, database=database, agents=agents)
    app = FastAPI(
        title="Veracity",
        version=version("veracity"),
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan(parts, own_database=database is None, own_agents=agents is None),
    )
    app.state.parts, app.state.settings = parts, settings
    app.state.database, app.state.agents = parts.database, parts.agents
    app.state.access = Access(settings, parts.database.keys, parts.metrics)
    app.state.stopping = asyncio.Event()
    add_middleware(app, settings, parts.metrics)
    handle_problems(app)
    for router in ROUTERS:
        app.include_router(router)
    mount_pages(app)
    describe(app)
    return app


def _lifespan(
    parts: Parts, *, own_database: bool, own_agents: bool
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """Opens what is slow before the first request, and closes what was opened for this application."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="veracity")
        asyncio.get_running_loop().set_default_executor(threads)
        await _warm(parts.agents)
        yield
        if own_agents:
            await asyncio.to_thread(parts.agents.close)
        if own_database:
            await asyncio.to_thread(parts.database.close)

    return lifespan


async def _warm(agents: Agents) -> None:
    """The first question is as quick as the second. A source that is away now may be back when it is asked for."""
    try:
        agent = await asyncio.to_thread(agents.of, Caller(LOCAL, "admin"))
        await agent.words()
        ontology = agent.tools.catalog.ontology
        known = (
            [asked for pattern in ontology.canonical_patterns for asked in pattern.questions.values()]
            if ontology
            else []
        )
        if known and agent.model_name == OFFLINE:
            # Asked without keeping anything: it loads whatever the offline model needs.
            if agent.desk is not None:
                agent.desk.decide(known[0][0])
            await replace(agent, store=None, events=None, desk=None).ask(known[0][0])
    except VeracityError as error:
        LOG.warning("not ready yet", extra={"fields": {"error": type(error).__name__, "detail": str(error)}})
