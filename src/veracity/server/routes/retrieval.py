"""`POST /v1/rerank` and `/v1/reviews`: search results ranked, and which sources may enter the corpus."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from veracity.errors import UsageError
from veracity.retrieval.contracts import HybridResult, read_request
from veracity.retrieval.review import Review, ReviewState, ReviewSummary
from veracity.server.access import Analyst, Reviewer
from veracity.server.parts import ServerParts
from veracity.server.problems import NotThere, documented
from veracity.server.request_body import ApiRoute
from veracity.server.routes.jobs import ACCEPTED, Preference, accepted
from veracity.server.streaming import unless_gone

if TYPE_CHECKING:
    from veracity.retrieval.review import ReviewDesk
    from veracity.server.keys import Caller


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
    parts: ServerParts,
    preference: Preference,
    submit: Annotated[bool, Query(description="Hand the best to a person: a review.")] = False,
) -> Response:
    """Filtered, scored against what the tenant knows already, fused, diverse, and each with its reason.

    The older form `{"query", "results", "k"}` and a context in `meta` are read, too.
    """
    wanted = read_request(body)
    if preference.as_job:
        job = {"request": wanted.model_dump(mode="json"), "submit": submit}
        return await accepted(parts, caller, "rerank", job, key=preference.key)
    result = await unless_gone(request, parts.ranking.rank(wanted, caller.tenant))
    headers = {}
    if submit:
        review = await asyncio.to_thread(parts.database.reviews(caller.tenant).submit, result, wanted)
        headers["Location"] = f"/v1/reviews/{review}"
    return Response(result.model_dump_json(), headers=headers, media_type="application/json")


# --- `/v1/reviews`: which sources may enter the corpus


ReviewId = Annotated[str, Path(description="The id of a review, or its beginning.", max_length=100)]


class ReviewDecision(BaseModel):
    """What a reviewer decides."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"decision": "approve", "only": ["doc-417"]}]}
    )

    decision: Literal["approve", "reject"]
    only: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=1_000)] | None = None
    """With `approve`: only these candidates; without it, the top ones."""
    why: Annotated[str, Field(max_length=500)] | None = None
    """With `reject`: the reason, which is needed."""


@router.get("/v1/reviews", summary="List reviews", responses=documented())
async def list_reviews(
    caller: Analyst,
    parts: ServerParts,
    limit: Annotated[int, Query(ge=1, le=500, description="How many, the newest first.")] = 20,
    wanted: Annotated[ReviewState | None, Query(alias="state", description="Only those in this state.")] = None,
) -> list[ReviewSummary]:
    """What was asked, where it stands, until when it can be decided."""
    return list(await asyncio.to_thread(parts.database.reviews(caller.tenant).list, limit, state=wanted))


@router.get("/v1/reviews/{review_id}", summary="Show a review", response_model=Review, responses=documented(404))
async def show_review(review_id: ReviewId, caller: Analyst, parts: ServerParts) -> Response:
    """The ranking with all its parts, the decision, and what became of the approved sources."""
    found = await asyncio.to_thread(_review_or_404, parts.database.reviews(caller.tenant), review_id)
    return Response(found.model_dump_json(), media_type="application/json")


@router.post(
    "/v1/reviews/{review_id}/decision",
    summary="Decide a review",
    response_model=Review,
    responses=documented(404, 409),
)
async def decide_review(review_id: ReviewId, body: ReviewDecision, caller: Reviewer, parts: ServerParts) -> Response:
    """The first decision counts; one that comes later, or after the deadline, is refused and changes nothing."""
    desk = parts.database.reviews(caller.tenant)
    found = await asyncio.to_thread(_review_or_404, desk, review_id)
    decided = await asyncio.to_thread(_decide, desk, found.review_id, body, who_is(caller))
    return Response(decided.model_dump_json(), media_type="application/json")


def who_is(caller: Caller) -> str:
    """Who decided, for the record: the name of the key, or its id."""
    return caller.name or (f"key {caller.key_id}" if caller.key_id else caller.tenant)


def _decide(desk: ReviewDesk, review_id: str, body: ReviewDecision, who: str) -> Review:
    if body.decision == "approve":
        return desk.approve(review_id, body.only, who)
    if not (body.why or "").strip():
        raise UsageError("Say why the review is rejected: `why` is missing.")
    return desk.reject(review_id, body.why or "", who)


def _review_or_404(desk: ReviewDesk, review_id: str) -> Review:
    try:
        return desk.show(review_id)
    except UsageError:
        raise NotThere(f"There is no review {review_id[:60]!r}.") from None
