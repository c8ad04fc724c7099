"""`/v1/validations` and `/v1/clarifications`: the team works on requirements, and asks what it cannot know."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from veracity.errors import QuestionClosed, UsageError
from veracity.requirements.ask_user import AskedQuestion, QuestionState, ValidationRecord
from veracity.requirements.contracts import CRITERIA, Criterion, Lang, Place, Requirement
from veracity.server.access import Analyst, Reviewer
from veracity.server.desks import validations_of
from veracity.server.problems import NotThere, documented
from veracity.server.reading import ApiRoute
from veracity.server.routes.jobs import Text
from veracity.server.routes.reviews import who_is
from veracity.server.state import State

if TYPE_CHECKING:
    from veracity.requirements.ask_user import ValidationDesk

router = APIRouter(tags=["requirements"], route_class=ApiRoute)

RunId = Annotated[str, Path(description="The id of a validation, or its beginning.", max_length=100)]


class GivenRequirement(BaseModel):
    """A requirement with an id of its own."""

    model_config = ConfigDict(extra="forbid")

    id: Annotated[str, Field(min_length=1, max_length=200)]
    text: Text


class NewValidation(BaseModel):
    """Requirements for the team."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"items": ["Die Plattform muss schnell sein"]}]}
    )

    items: Annotated[list[Text | GivenRequirement], Field(min_length=1, max_length=500)]
    criteria: Annotated[list[Criterion], Field(min_length=1)] | None = list(CRITERIA)
    """What is judged; `null`: the user is asked for it."""
    lang: Lang | None = None
    """The language of the questions; without it, that of each requirement."""


class GivenAnswer(BaseModel):
    """The answer to a question of the team."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"text": "2 Sekunden (P95)"}]})

    text: Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"\S")]


@router.post(
    "/v1/validations",
    summary="Submit a validation",
    status_code=201,
    response_model=ValidationRecord,
    responses={
        201: {"headers": {"Location": {"description": "Its address.", "schema": {"type": "string"}}}},
        **documented(),
    },
)
async def submit_validation(body: NewValidation, caller: Analyst, state: State) -> Response:
    """The team of three works on every requirement; neither they nor what is asked about them can be lost."""
    desk = validations_of(state.database, caller.tenant)
    given = [_requirement(one, number) for number, one in enumerate(body.items, 1)]
    run_id = await asyncio.to_thread(lambda: desk.submit(given, criteria=body.criteria, lang=body.lang))
    made = await asyncio.to_thread(desk.show, run_id)
    headers = {"Location": f"/v1/validations/{run_id}"}
    return Response(made.model_dump_json(), 201, headers, media_type="application/json")


@router.get(
    "/v1/validations", summary="List validations", response_model=list[ValidationRecord], responses=documented()
)
async def list_validations(
    caller: Analyst,
    state: State,
    limit: Annotated[int, Query(ge=1, le=200, description="How many, the newest first.")] = 20,
) -> list[ValidationRecord]:
    """The validations of the key's tenant, each as far as it is."""
    return list(await asyncio.to_thread(validations_of(state.database, caller.tenant).list, limit))


@router.get(
    "/v1/validations/{run_id}", summary="Show a validation", response_model=ValidationRecord, responses=documented(404)
)
async def show_validation(run_id: RunId, caller: Analyst, state: State) -> ValidationRecord:
    """Each requirement with its scores, its rewrite, the transcript of the team, and why it stopped."""
    return await asyncio.to_thread(_found, validations_of(state.database, caller.tenant), run_id)


@router.get("/v1/clarifications", summary="List questions", responses=documented(404))
async def list_clarifications(
    caller: Analyst,
    state: State,
    run_id: Annotated[str | None, Query(alias="validation", max_length=100, description="Only of this one.")] = None,
    wanted: Annotated[QuestionState | None, Query(alias="state", description="Only those in this state.")] = "waiting",
) -> list[AskedQuestion]:
    """What the team asks, the oldest first; by default what nobody has answered yet."""
    desk = validations_of(state.database, caller.tenant)
    if run_id is not None:
        run_id = (await asyncio.to_thread(_found, desk, run_id)).run_id
    return list(await asyncio.to_thread(desk.questions, run_id, state=wanted))


@router.post("/v1/clarifications/{question_id}/answer", summary="Answer a question", responses=documented(404, 409))
async def answer_clarification(
    question_id: Annotated[str, Path(description="The id of a question.", max_length=100)],
    body: GivenAnswer,
    caller: Reviewer,
    state: State,
) -> AskedQuestion:
    """The first answer counts; the team goes on with it at once."""
    desk = validations_of(state.database, caller.tenant)
    try:
        return await asyncio.to_thread(desk.answer, question_id, body.text, who_is(caller))
    except QuestionClosed:
        raise
    except UsageError:
        # The text was checked above: what is wrong is the id.
        raise NotThere(f"There is no question {question_id[:60]!r}.") from None


def _requirement(given: str | GivenRequirement, number: int) -> Requirement | str:
    if isinstance(given, str):
        return given
    return Requirement(id=given.id, text=given.text.strip(), place=Place(path="", line=number))


def _found(desk: ValidationDesk, run_id: str) -> ValidationRecord:
    try:
        return desk.show(run_id)
    except UsageError:
        raise NotThere(f"There is no validation {run_id[:60]!r}.") from None
