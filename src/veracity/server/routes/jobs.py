"""`/v1/jobs`: work that takes longer than a request."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Header, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from veracity.errors import UsageError
from veracity.retrieval.contracts import RerankRequest
from veracity.server.access import Analyst
from veracity.server.jobs import Job, JobKind, JobState
from veracity.server.parts import Parts, QuestionRequest, ServerParts
from veracity.server.problems import NotThere, documented
from veracity.server.request_body import ApiRoute

if TYPE_CHECKING:
    from veracity.server.keys import Caller

router = APIRouter(tags=["jobs"], route_class=ApiRoute)

Text = Annotated[str, Field(min_length=1, max_length=20_000, pattern=r"\S")]
"""A requirement."""
JobId = Annotated[str, Path(description="The id of a job.", max_length=100)]
ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {
        "model": Job,
        "description": "With `Prefer: respond-async`: the job.",
        "headers": {"Location": {"description": "The address of the job.", "schema": {"type": "string"}}},
    }
}


@dataclass(frozen=True, slots=True)
class JobPreference:
    """Whether a client wants a job instead of waiting, and the key under which it sends the request again."""

    as_job: bool
    key: str | None


def job_preference(
    prefer: Annotated[
        str | None, Header(description="`respond-async`: do it as a job.", examples=["respond-async"], max_length=200)
    ] = None,
    key: Annotated[
        str | None,
        Header(
            alias="Idempotency-Key",
            description="With `respond-async`: the same key gives the same job, however often it is sent.",
            min_length=1,
            max_length=200,
        ),
    ] = None,
) -> JobPreference:
    """Whether a client would rather have a job than wait; a dependency."""
    said = [part.strip().casefold() for part in (prefer or "").replace(";", ",").split(",")]
    return JobPreference("respond-async" in said, key)


Preference = Annotated[JobPreference, Depends(job_preference)]


async def accepted(
    parts: Parts, caller: Caller, kind: JobKind, body: Mapping[str, Any], *, key: str | None
) -> Response:
    """Put work up as a job of the caller's tenant: 202, and where to look."""
    if kind == "ask" and body.get("conversation"):
        raise UsageError(
            "A job cannot go on with a conversation; leave out conversation, and say with follows what it follows."
        )
    submit = parts.database.jobs(caller.tenant).submit
    job = await asyncio.to_thread(submit, kind, body, key=key, scope=caller.scope)
    headers = {"Location": f"/v1/jobs/{job.job_id}", "Preference-Applied": "respond-async"}
    return Response(job.model_dump_json(), 202, headers, media_type="application/json")


class NewJob(BaseModel):
    """Work of one kind, with the body that the kind has elsewhere."""

    model_config = ConfigDict(extra="forbid")


class AskJob(NewJob):
    """As `POST /v1/ask`."""

    kind: Literal["ask"]
    body: QuestionRequest


class RerankJobBody(NewJob):
    """As `POST /v1/rerank`."""

    request: RerankRequest
    submit: bool = False


class RerankJob(NewJob):
    """As `POST /v1/rerank`; `submit` hands the best to a person."""

    kind: Literal["rerank"]
    body: RerankJobBody


class ItemsBody(NewJob):
    """Requirements."""

    items: Annotated[list[Text], Field(min_length=1, max_length=500)]


class RewriteJob(NewJob):
    """As `POST /api/v1/validate/batch`."""

    kind: Literal["evaluate_batch"]
    body: ItemsBody


AnyJob = Annotated[AskJob | RerankJob | RewriteJob, Field(discriminator="kind")]


@router.post(
    "/v1/jobs", summary="Submit a job", status_code=202, response_model=Job, responses={**ACCEPTED, **documented(409)}
)
async def submit_job(
    job: Annotated[AnyJob, Body(examples=[{"kind": "ask", "body": {"question": "Wie hoch war der Gewinn 2025?"}}])],
    caller: Analyst,
    parts: ServerParts,
    preference: Preference,
) -> Response:
    """Once this returns, the work cannot be lost; `GET` its address for progress and result, or follow `/v1/events`."""
    body = job.body.model_dump(mode="json", exclude_none=True)
    return await accepted(parts, caller, job.kind, body, key=preference.key)


@router.get("/v1/jobs", summary="List jobs", responses=documented())
async def list_jobs(
    caller: Analyst,
    parts: ServerParts,
    limit: Annotated[int, Query(ge=1, le=500, description="How many, the newest first.")] = 20,
    wanted: Annotated[JobState | None, Query(alias="state", description="Only those in this state.")] = None,
) -> list[Job]:
    """The jobs of the key's tenant."""
    return list(await asyncio.to_thread(parts.database.jobs(caller.tenant).list, limit, state=wanted))


@router.get("/v1/jobs/{job_id}", summary="Show a job", responses=documented(404))
async def show_job(job_id: JobId, caller: Analyst, parts: ServerParts) -> Job:
    """How far it is, and, once it is done, its result."""
    return await _job_or_404(job_id, parts.database.jobs(caller.tenant).show)


@router.delete("/v1/jobs/{job_id}", summary="Cancel a job", responses=documented(404))
async def cancel_job(job_id: JobId, caller: Analyst, parts: ServerParts) -> Job:
    """End a job that is queued or being worked on; one that is over stays what it is."""
    return await _job_or_404(job_id, parts.database.jobs(caller.tenant).cancel)


async def _job_or_404(job_id: str, look: Any) -> Job:
    try:
        found: Job = await asyncio.to_thread(look, job_id)
    except UsageError:
        raise NotThere(f"There is no job {job_id[:60]!r}.") from None
    return found
