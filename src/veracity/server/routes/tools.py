"""`POST /v1/tools/{tool}`, `/v1/ground` and `/v1/route`: one guarded call, one checked answer, one routing decision."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from veracity.contracts import ToolResult
from veracity.grounding.contracts import GroundRequest, Verdict
from veracity.grounding.events import record
from veracity.grounding.guard import ground_request
from veracity.routing import Decision
from veracity.server.access import Analyst
from veracity.server.agents import LoggedEvents
from veracity.server.parts import ServerParts
from veracity.server.problems import NotThere, documented
from veracity.server.request_body import ApiRoute, ExactRoute
from veracity.server.streaming import unless_gone

router = APIRouter(tags=["tools"], route_class=ExactRoute)
_SQL = "execute_sql_safe"

Tool = Literal["browseTable", "queryTable", "aggregateTable", "execute_sql_safe"]


@router.post("/v1/tools/{tool}", summary="Call a tool", response_model=ToolResult, responses=documented())
async def call_tool(
    tool: Annotated[Tool, Path(description="The tool.")],
    arguments: Annotated[
        dict[str, Any],
        Body(description="The arguments of the call.", examples=[{"tableName": "TrusteeDataAccount", "limit": 5}]),
    ],
    request: Request,
    caller: Analyst,
    parts: ServerParts,
) -> Response:
    """Run one call over the rows of the key's tenant.

    A call that is not valid never reaches the data: the status is 200, `success` is false, and `errorDetails` says what to do.
    """
    agent = await asyncio.to_thread(parts.agents.of, caller)
    if tool == _SQL and agent.sibling is not None:
        agent = agent.sibling("sql")
    result = await unless_gone(request, agent.tools.call(tool, arguments))
    details = result.error_details
    parts.metrics.call(tool, "ok" if result.success else str(details.code) if details else "failed")
    return Response(result.model_dump_json(), media_type="application/json")


# --- `POST /v1/ground`: an answer of any agent, held against what its tools returned


ground_router = APIRouter(tags=["ground"], route_class=ExactRoute)


@ground_router.post("/v1/ground", summary="Check an answer", response_model=Verdict, responses=documented())
async def ground(body: GroundRequest, caller: Analyst, parts: ServerParts) -> Response:
    """Whether an answer may reach a person: every figure, name and count must stand in the results it is given with."""
    agent = await asyncio.to_thread(parts.agents.of, caller)
    verdict = await asyncio.to_thread(ground_request, body, agent.guard)
    events = LoggedEvents(parts.database.events(caller.tenant))
    for event in await asyncio.to_thread(record, verdict, events, question=body.question):
        parts.metrics.stopped(event.rule)
    return Response(verdict.model_dump_json(), media_type="application/json")


# --- `POST /v1/route`: where a request would go, and why


route_router = APIRouter(tags=["ask"], route_class=ApiRoute)


class RouteRequest(BaseModel):
    """What somebody says."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": "Guten Morgen!"}]})

    text: Annotated[str, Field(max_length=100_000)]


@route_router.post("/v1/route", summary="Sort a request", responses=documented(404))
async def route(body: RouteRequest, caller: Analyst, parts: ServerParts) -> Decision:
    """DIRECT_CHAT, REACT (with the data and its tools) or the SKILL of its prefix; decided by words, without a model."""
    agent = await asyncio.to_thread(parts.agents.of, caller)
    if agent.dispatch is None:
        raise NotThere("This server does not sort requests.")
    return agent.dispatch.decide(body.text)
