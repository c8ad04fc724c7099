"""`POST /v1/ground`: an answer of any agent, held against what its tools returned."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response

from veracity.grounding.contracts import GroundRequest, Verdict
from veracity.grounding.events import record
from veracity.grounding.guard import ground_request
from veracity.server.access import Analyst
from veracity.server.agents import LoggedEvents
from veracity.server.problems import documented
from veracity.server.reading import ExactRoute
from veracity.server.state import State

router = APIRouter(tags=["ground"], route_class=ExactRoute)


@router.post("/v1/ground", summary="Check an answer", response_model=Verdict, responses=documented())
async def ground(body: GroundRequest, caller: Analyst, state: State) -> Response:
    """Whether an answer may reach a person: every figure, name and count must stand in the results it is given with."""
    agent = await asyncio.to_thread(state.agents.of, caller)
    verdict = await asyncio.to_thread(ground_request, body, agent.guard)
    events = LoggedEvents(state.database.events(caller.tenant))
    await asyncio.to_thread(record, verdict, events, question=body.question)
    return Response(verdict.model_dump_json(), media_type="application/json")
