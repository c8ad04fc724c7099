"""`POST /v1/route`: where a request would go, and why."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from veracity.routing import Decision
from veracity.server.access import Analyst
from veracity.server.problems import NotThere, documented
from veracity.server.reading import ApiRoute
from veracity.server.state import State

router = APIRouter(tags=["ask"], route_class=ApiRoute)


class Request(BaseModel):
    """What somebody says."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": "Guten Morgen!"}]})

    text: Annotated[str, Field(max_length=100_000)]


@router.post("/v1/route", summary="Sort a request", responses=documented(404))
async def route(body: Request, caller: Analyst, state: State) -> Decision:
    """DIRECT_CHAT, REACT (with the data and its tools) or the SKILL of its prefix; decided by words, without a model."""
    agent = await asyncio.to_thread(state.agents.of, caller)
    if agent.desk is None:
        raise NotThere("This server does not sort requests.")
    return agent.desk.decide(body.text)
