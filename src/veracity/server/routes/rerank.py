"""`POST /v1/rerank`: search results ranked and explained, and handed to a person if wanted."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request, Response

from veracity.retrieval.contracts import HybridResult, read_request
from veracity.server.access import Analyst
from veracity.server.desks import reviews_of
from veracity.server.problems import documented
from veracity.server.reading import ApiRoute
from veracity.server.routes.jobs import ACCEPTED, Wished, accepted
from veracity.server.state import State
from veracity.server.streaming import unless_gone

router = APIRouter(tags=["retrieval"], route_class=ApiRoute)
_EXAMPLE = {
    "scoring_context": {"question": "Which retention periods hold for invoices?"},
    "candidates": [
        {
            "id": "doc-1",
            "title": "Retention of records",
            "snippet": "Invoices are kept ten years.",
            "url": "https://example.org/1",
        }
    ],
}
_SCHEMA = {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/RerankRequest"}}}}}


@router.post(
    "/v1/rerank",
    summary="Rank search results",
    response_model=HybridResult,
    responses={
        200: {
            "headers": {
                "Location": {"description": "With `submit`: the address of the review.", "schema": {"type": "string"}}
            }
        },
        **ACCEPTED,
        **documented(409),
    },
    openapi_extra=_SCHEMA,
)
async def rank(
    body: Annotated[dict[str, Any], Body(examples=[_EXAMPLE])],
    *,
    request: Request,
    caller: Analyst,
    state: State,
    wished: Wished,
    submit: Annotated[bool, Query(description="Hand the best to a person: a review.")] = False,
) -> Response:
    """Filtered, scored against what the tenant knows already, fused, diverse, and each with its reason.

    The older form `{"query", "results", "k"}` and a context in `meta` are read, too.
    """
    wanted = read_request(body)
    if wished.as_job:
        job = {"request": wanted.model_dump(mode="json"), "submit": submit}
        return await accepted(state, caller, "rerank", job, key=wished.key)
    result = await unless_gone(request, state.ranking.rank(wanted, caller.tenant))
    headers = {}
    if submit:
        review = await asyncio.to_thread(reviews_of(state.database, caller.tenant).submit, result, wanted)
        headers["Location"] = f"/v1/reviews/{review}"
    return Response(result.model_dump_json(), headers=headers, media_type="application/json")
