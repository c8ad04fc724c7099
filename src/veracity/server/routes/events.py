"""`GET /v1/events`: what happens in the tenant, as it happens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Header, Response

from veracity.server.access import Analyst
from veracity.server.problems import documented
from veracity.server.reading import ApiRoute
from veracity.server.state import Parts, State
from veracity.server.streaming import EVENT_STREAM, EventStream, event

if TYPE_CHECKING:
    from veracity.server.keys import Caller

router = APIRouter(tags=["events"], route_class=ApiRoute)


@router.get(
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
    state: State,
    last: Annotated[
        int | None,
        Header(alias="Last-Event-ID", ge=0, le=2**62, description="Go on behind this event; browsers send it."),
    ] = None,
) -> Response:
    """Server-sent events of the key's tenant; whoever was away sends the last id and misses nothing."""
    return EventStream(_followed(caller, state, last), endless=True)


async def _followed(caller: Caller, state: Parts, last: int | None) -> AsyncIterator[bytes]:
    state.metrics.stream(1)
    try:
        async for one in state.database.live.follow(caller.tenant, last):
            yield event(one.kind, one.told, number=one.id)
    finally:
        state.metrics.stream(-1)
