"""The OpenAPI document: what the API is, in words, and in which order it is told."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from veracity.retrieval.contracts import RerankRequest
from veracity.server.problems import Problem

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
    ("tools", "The guarded tools themselves: an invalid call never reaches the data."),
    ("traces", "What was asked, and how it was answered."),
    ("ground", "Check the answer of any other agent against what its tools returned."),
    ("retrieval", "Rank search results, and let a person decide which of them may enter the corpus."),
    ("requirements", "Evaluate, improve and compare requirements; the team asks what it cannot know."),
    ("jobs", "Work that takes longer than a request."),
    ("events", "What happens right now."),
    ("keys", "Who may ask."),
    ("health", "Is it alive, is it ready, how is it doing."),
)


def describe(app: FastAPI) -> None:
    """Make the document once, when it is first asked for."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


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
    # Errors are problems here; the framework's own shapes for them are never sent.
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return made
