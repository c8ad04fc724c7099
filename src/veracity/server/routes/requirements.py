"""Requirements over HTTP: the paths of requirements tools, validations, and their questions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from veracity.errors import QuestionClosed, UsageError
from veracity.requirements.ask_user import AskedQuestion, QuestionState, ValidationRecord
from veracity.requirements.contracts import (
    CRITERIA,
    Criterion,
    DuplicatePair,
    Evaluation,
    Lang,
    Place,
    Requirement,
    Rewrite,
    Suggestion,
)
from veracity.requirements.evaluate import evaluate
from veracity.requirements.requirement_index import KnownRequirement
from veracity.server.access import Analyst, Reviewer
from veracity.server.parts import ServerParts
from veracity.server.problems import NotThere, documented
from veracity.server.request_body import ApiRoute
from veracity.server.routes.jobs import ACCEPTED, Preference, Text, accepted
from veracity.server.routes.retrieval import who_is
from veracity.server.streaming import unless_gone

if TYPE_CHECKING:
    from veracity.requirements.ask_user import ValidationDesk


router = APIRouter(tags=["requirements"], route_class=ApiRoute)
_EXAMPLE = "Die Plattform muss schnell sein"


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Single(_Body):
    """A requirement and what it is judged by."""

    text: Annotated[Text, Field(examples=[_EXAMPLE])]
    criteria_keys: Annotated[list[Criterion], Field(examples=[list(CRITERIA)])] | None = None
    """None: all criteria."""


class Items(_Body):
    """Several requirements."""

    items: Annotated[list[Text], Field(max_length=500, examples=[[_EXAMPLE]])]


class Suggested(BaseModel):
    """What to do about one requirement."""

    suggestions: tuple[Suggestion, ...]


class SuggestedItems(BaseModel):
    """What to do about each requirement: REQ_1 is the first."""

    items: dict[str, Suggested]


class Compared(_Body):
    """Requirements that are compared with each other."""

    requirements: Annotated[
        list[Annotated[str, Field(max_length=20_000)]],
        Field(max_length=500, examples=[["Video-Wasserzeichen für Urheberrecht", "Wasserzeichen in Videos einfügen"]]),
    ]


class Searched(_Body):
    """A text that is looked for among the known requirements."""

    query: Annotated[Text, Field(examples=["Wasserzeichen"])]
    limit: Annotated[int, Field(ge=1, le=100)] = 10


class KnownDocument(_Body):
    """The requirements of one document."""

    items: Annotated[list[GivenRequirement], Field(max_length=2_000)]


class Kept(BaseModel):
    """How many requirements the tenant knows now."""

    known: int


@router.post("/api/v2/evaluate/single", summary="Evaluate a requirement", responses=documented())
async def evaluate_single(body: Single, _caller: Analyst) -> Evaluation:
    """Scores between 0 and 1 on each criterion, and why; from 0.7 on it passes."""
    return await asyncio.to_thread(evaluate, body.text, body.criteria_keys or None)


@router.post(
    "/api/v1/validate/batch",
    summary="Rewrite requirements",
    response_model=list[Rewrite],
    responses={**ACCEPTED, **documented(409)},
)
async def validate_batch(
    body: Items, request: Request, caller: Analyst, parts: ServerParts, preference: Preference
) -> Any:
    """Each one written anew. What it did not say is listed in `assumptions`, and then it is not `accepted` yet."""
    if preference.as_job:
        return await accepted(parts, caller, "evaluate_batch", body.model_dump(), key=preference.key)
    made = await unless_gone(request, parts.requirements.rewritten(body.items))
    return Response(f"[{','.join(one.model_dump_json() for one in made)}]", media_type="application/json")


@router.post("/api/v1/validate/suggest", summary="Suggest improvements", responses=documented())
async def validate_suggest(body: Items, _caller: Analyst, parts: ServerParts) -> SuggestedItems:
    """One thing to do after the other, the most important first."""
    found = await parts.requirements.suggestions(body.items)
    return SuggestedItems(items={f"REQ_{number}": Suggested(suggestions=one) for number, one in enumerate(found, 1)})


@router.post("/api/kg/search/nodes", summary="Find requirements that say the same", responses=documented())
async def search_nodes(
    body: Compared | Searched, caller: Analyst, parts: ServerParts
) -> list[DuplicatePair | KnownRequirement]:
    """With `requirements`: the pairs among them that may say the same, with a reason and with what speaks against it.

    With `query`: the requirements that the tenant knows and that are most like it.
    """
    if isinstance(body, Compared):
        return list(await parts.requirements.duplicates(body.requirements))

    def searched() -> list[DuplicatePair | KnownRequirement]:
        with parts.requirements.known(caller.tenant) as index:
            return list(index.search(body.query, limit=body.limit))

    return await asyncio.to_thread(searched)


@router.put("/v1/known-requirements/{document}", summary="Keep known requirements", responses=documented())
async def keep_known(
    document: Annotated[str, Path(description="The name of the document.", pattern=r"^[\w.@ -]{1,200}$")],
    body: KnownDocument,
    caller: Analyst,
    parts: ServerParts,
) -> Kept:
    """Keep these instead of all that was known of this document; none forgets it."""
    given = [
        Requirement(id=one.id, text=one.text, place=Place(path=document, line=number))
        for number, one in enumerate(body.items, 1)
    ]

    def kept() -> int:
        with parts.requirements.known(caller.tenant) as index:
            if given:
                index.put(given)
            else:
                index.forget([document])
            return index.count()

    return Kept(known=await asyncio.to_thread(kept))


# --- `/v1/validations` and `/v1/clarifications`: the team works on requirements, and asks what it cannot know


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
async def submit_validation(body: NewValidation, caller: Analyst, parts: ServerParts) -> Response:
    """The team of three works on every requirement; neither they nor what is asked about them can be lost."""
    desk = parts.database.validations(caller.tenant)
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
    parts: ServerParts,
    limit: Annotated[int, Query(ge=1, le=200, description="How many, the newest first.")] = 20,
) -> list[ValidationRecord]:
    """The validations of the key's tenant, each as far as it is."""
    return list(await asyncio.to_thread(parts.database.validations(caller.tenant).list, limit))


@router.get(
    "/v1/validations/{run_id}", summary="Show a validation", response_model=ValidationRecord, responses=documented(404)
)
async def show_validation(run_id: RunId, caller: Analyst, parts: ServerParts) -> ValidationRecord:
    """Each requirement with its scores, its rewrite, the transcript of the team, and why it stopped."""
    return await asyncio.to_thread(_validation_or_404, parts.database.validations(caller.tenant), run_id)


@router.get("/v1/clarifications", summary="List questions", responses=documented(404))
async def list_clarifications(
    caller: Analyst,
    parts: ServerParts,
    run_id: Annotated[str | None, Query(alias="validation", max_length=100, description="Only of this one.")] = None,
    wanted: Annotated[QuestionState | None, Query(alias="state", description="Only those in this state.")] = "waiting",
) -> list[AskedQuestion]:
    """What the team asks, the oldest first; by default what nobody has answered yet."""
    desk = parts.database.validations(caller.tenant)
    if run_id is not None:
        run_id = (await asyncio.to_thread(_validation_or_404, desk, run_id)).run_id
    return list(await asyncio.to_thread(desk.questions, run_id, state=wanted))


@router.post("/v1/clarifications/{question_id}/answer", summary="Answer a question", responses=documented(404, 409))
async def answer_clarification(
    question_id: Annotated[str, Path(description="The id of a question.", max_length=100)],
    body: GivenAnswer,
    caller: Reviewer,
    parts: ServerParts,
) -> AskedQuestion:
    """The first answer counts; the team goes on with it at once."""
    desk = parts.database.validations(caller.tenant)
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


def _validation_or_404(desk: ValidationDesk, run_id: str) -> ValidationRecord:
    try:
        return desk.show(run_id)
    except UsageError:
        raise NotThere(f"There is no validation {run_id[:60]!r}.") from None
