"""The server as an application: its parts, its routes and pages, and the OpenAPI document that describes it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from importlib.metadata import version
from threading import Lock
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse

from veracity.ask.data_agent import DataAgent
from veracity.errors import VeracityError
from veracity.open import OFFLINE
from veracity.retrieval.contracts import RerankRequest
from veracity.server.access import Access
from veracity.server.agents import Agents
from veracity.server.config import ServerSettings
from veracity.server.database import ServerDatabase
from veracity.server.field_docs import describe_fields
from veracity.server.keys import LOCAL, Caller
from veracity.server.middleware import add_middleware
from veracity.server.parts import Parts
from veracity.server.problems import LOG, Problem, handle_problems
from veracity.server.routes import ROUTERS
from veracity.server.web.kept_pages import KeptPages
from veracity.server.web.pages import mount_pages
from veracity.settings import Settings

_DESCRIPTION = """\
Ask about your data: every figure of an answer is computed from cells that a validated query returned, and the answer carries
that proof.

**Keys.** `Authorization: Bearer vk_...` A key belongs to one tenant and has one role: an *analyst* asks and submits, a *reviewer*
also decides reviews and answers questions, an *admin* also manages the keys of its tenant. What belongs to another tenant is not
there (404). On loopback no key is needed until one is made.

**Errors** are `application/problem+json` with one sentence in `detail` and the `request_id` that the log has, too.

**Long work.** With `Prefer: respond-async` a request becomes a job: 202, and its address in `Location`. With an `Idempotency-Key`
the same request, sent again, is the same job.

**Live.** `Accept: text/event-stream` on `/v1/ask` streams steps and sentences; `/v1/events` streams what happens in the tenant.
"""
_TAGS = (
    ("ask", "Questions in, answers with their proof out."),
    ("conversations", "Answers that belong together, found again and gone on with."),
    ("boards", "Pinned answers, shared within the tenant and proven again."),
    ("tools", "The guarded tools themselves: an invalid call never reaches the data."),
    ("query", "Questions in the words of the ontology, answered without a model."),
    ("traces", "What was asked, and how it was answered."),
    ("sources", "Files and databases that a tenant has connected, and the one that questions are answered from."),
    ("draft", "What a source says of itself, and what only a person can know about it."),
    ("teaching", "What people teach, and which answers they call right."),
    ("ground", "Check the answer of any other agent against what its tools returned."),
    ("retrieval", "Rank search results, and let a person decide which of them may enter the corpus."),
    ("requirements", "Evaluate, improve and compare requirements; the team asks what it cannot know."),
    ("jobs", "Work that takes longer than a request."),
    ("events", "What happens right now."),
    ("keys", "Who may ask."),
    ("health", "Is it alive, is it ready, how is it doing."),
)


def describe(app: FastAPI) -> None:
    """Have the OpenAPI document made once, when it is first asked for; meanwhile, others are answered."""
    making = Lock()

    def document() -> dict[str, Any]:
        with making:
            if app.openapi_schema is None:
                app.openapi_schema = _document(app)
            return app.openapi_schema

    async def told() -> JSONResponse:
        return JSONResponse(await asyncio.to_thread(app.openapi))

    app.openapi = document  # type: ignore[method-assign]
    app.add_api_route("/openapi.json", told, include_in_schema=False)


def _document(app: FastAPI) -> dict[str, Any]:
    made: dict[str, Any] = get_openapi(
        title=app.title,
        version=app.version,
        summary="Answers about your data that never make anything up.",
        description=_DESCRIPTION,
        routes=app.routes,
        tags=[{"name": name, "description": told} for name, told in _TAGS],
    )
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    for model in (Problem, RerankRequest):
        # They are sent and read beside the framework, which therefore does not know of them.
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas.update({**schema.pop("$defs", {}), model.__name__: schema})
    describe_fields(schemas)
    # Errors are problems here; the framework's own shapes for them are never sent.
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return made


# --- the server as a list of its parts


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
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan(parts, own_database=database is None, own_agents=agents is None),
    )
    app.state.parts, app.state.database, app.state.agents = parts, parts.database, parts.agents
    app.state.access = Access(settings, parts.database.keys, parts.metrics)
    app.state.stopping = asyncio.Event()
    app.add_middleware(KeptPages)
    add_middleware(app, settings, parts.metrics)
    handle_problems(app)
    mount_pages(app)  # first: a page is looked for among all paths in this order, and people wait for pages
    for router in ROUTERS:
        app.include_router(router)
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
        parts.own_questions.start()
        yield
        await parts.running.close(parts.settings.request_seconds)
        if own_agents:
            await asyncio.to_thread(parts.agents.close)
        if own_database:
            await asyncio.to_thread(parts.database.close)

    return lifespan


async def _warm(agents: Agents) -> None:
    """Load what the first question needs. A source that is away now may be back when it is asked for."""
    try:
        agent = await asyncio.to_thread(agents.of, Caller(LOCAL, "admin"))
        await agent.tools.stored_values()
        await _load_words(agent)
    except VeracityError as error:
        LOG.warning("not ready yet", extra={"fields": {"error": type(error).__name__, "detail": str(error)}})


async def _load_words(agent: DataAgent) -> None:
    """Ask the first question of each language, without keeping anything: its words are read and its queries put together."""
    ontology = agent.tools.catalog.ontology
    known = [one.question for asked in ontology.questions.values() for one in asked[:1]] if ontology else []
    for question in known if agent.model_name == OFFLINE else ():
        if agent.dispatch is not None:
            agent.dispatch.decide(question)
        await replace(agent, traces=None, events=None, dispatch=None).ask(question)
