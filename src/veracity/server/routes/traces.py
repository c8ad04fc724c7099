"""`/v1/traces` and `GET /v1/events`: what was asked, how it was answered, and what happens now."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Header, Path, Query, Response

from veracity.agent.recorder import without_prompts
from veracity.agent.trace_store import TraceFilter, TraceRecord, TraceSummary
from veracity.server.access import Analyst
from veracity.server.parts import Parts, ServerParts
from veracity.server.problems import documented
from veracity.server.request_body import ApiRoute
from veracity.server.streaming import EVENT_STREAM, EventStream, event

if TYPE_CHECKING:
    from veracity.server.keys import Caller


router = APIRouter(tags=["traces"], route_class=ApiRoute)


@router.get("/v1/traces", summary="List traces", responses=documented())
async def list_traces(
    caller: Analyst,
    parts: ServerParts,
    *,
    limit: Annotated[int, Query(ge=1, le=500, description="How many, the newest first.")] = 20,
    before: Annotated[
        str | None, Query(pattern=r"^[\w-]{4,64}$", description="Only those that are older than this trace.")
    ] = None,
    outcome: Annotated[str, Query(max_length=40, description="Only those with this outcome.")] = "",
    model: Annotated[str, Query(max_length=200, description="Only those of this model.")] = "",
    search: Annotated[str, Query(max_length=200, description="Only those with these words in the question.")] = "",
) -> list[TraceSummary]:
    """The questions of the key's tenant; for the next page, `before` is the last id of this one."""
    only = TraceFilter(outcome=outcome, model=model, words=search)
    return await asyncio.to_thread(parts.database.traces(caller.tenant).latest, limit, before=before, only=only)


@router.get("/v1/traces/{trace_id}", summary="Show a trace", response_model=TraceRecord, responses=documented(404))
async def show_trace(
    trace_id: Annotated[str, Path(description="The id of a trace, or its beginning.", max_length=100)],
    caller: Analyst,
    parts: ServerParts,
) -> Response:
    """Everything that is known of a question: its calls, what was sent back and why, its answer with the proof.

    What a model was sent and replied is for reviewers; others see times and tokens.
    """
    found = await asyncio.to_thread(parts.agents.trace, caller, trace_id)
    if not caller.may("reviewer"):
        found = without_prompts(found)
    return Response(found.model_dump_json(), media_type="application/json")


# --- `GET /v1/events`: what happens in the tenant, as it happens


events_router = APIRouter(tags=["events"], route_class=ApiRoute)


@events_router.get(
    "/v1/events",
    summary="Follow what happens",
    response_class=Response,
    responses={
        200: {
            "description": "A stream without an end: `job`, `review`, `question`, `validation`, `trace`.",
            "content": {EVENT_STREAM: {"schema": {"type": "string"}}},
        },
        **documented(),
    },
)
async def events(
    caller: Analyst,
    parts: ServerParts,
    last: Annotated[
        int | None,
        Header(alias="Last-Event-ID", ge=0, le=2**62, description="Go on behind this event; browsers send it."),
    ] = None,
) -> Response:
    """Server-sent events of the key's tenant; whoever was away sends the last id and misses nothing."""
    return EventStream(_live_events(caller, parts, last), endless=True)


async def _live_events(caller: Caller, parts: Parts, last: int | None) -> AsyncIterator[bytes]:
    parts.metrics.stream(1)
    try:
        async for one in parts.database.live.follow(caller.tenant, last):
            yield event(one.kind, one.told, number=one.id)
    finally:
        parts.metrics.stream(-1)
