"""`POST /v1/tools/{tool}`: one guarded call."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Request, Response

from veracity.server.access import Analyst
from veracity.server.problems import documented
from veracity.server.reading import ExactRoute
from veracity.server.state import State
from veracity.server.streaming import unless_gone
from veracity.trace import ToolResult

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
    state: State,
) -> Response:
    """Run one call over the rows of the key's tenant.

    A call that is not valid never reaches the data: the status is 200, `success` is false, and `errorDetails` says what to do.
    """
    agent = await asyncio.to_thread(state.agents.of, caller)
    if tool == _SQL and agent.sibling is not None:
        agent = agent.sibling("sql")
    result = await unless_gone(request, agent.tools.call(tool, arguments))
    details = result.error_details
    state.metrics.call(tool, "ok" if result.success else str(details.code) if details else "failed")
    return Response(result.model_dump_json(), media_type="application/json")
