"""`/v1/traces`: what was asked, and how it was answered."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from veracity.server.access import Analyst
from veracity.server.problems import documented
from veracity.server.reading import ApiRoute
from veracity.server.state import State
from veracity.store import TraceRecord, TraceSummary

router = APIRouter(tags=["traces"], route_class=ApiRoute)


@router.get("/v1/traces", summary="List traces", responses=documented())
async def list_traces(
    caller: Analyst,
    state: State,
    limit: Annotated[int, Query(ge=1, le=500, description="How many, the newest first.")] = 20,
    before: Annotated[
        str | None, Query(pattern=r"^[\w-]{4,64}$", description="Only those that are older than this trace.")
    ] = None,
) -> list[TraceSummary]:
    """The questions of the key's tenant; for the next page, `before` is the last id of this one."""
    return await asyncio.to_thread(state.database.traces(caller.tenant).latest, limit, before=before)


@router.get("/v1/traces/{trace_id}", summary="Show a trace", response_model=TraceRecord, responses=documented(404))
async def show_trace(
    trace_id: Annotated[str, Path(description="The id of a trace, or its beginning.", max_length=100)],
    caller: Analyst,
    state: State,
) -> Response:
    """Everything that is known of a question: its calls, what was sent back and why, its answer with the proof."""
    found = await asyncio.to_thread(state.agents.trace, caller, trace_id)
    return Response(found.model_dump_json(), media_type="application/json")
