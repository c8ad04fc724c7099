"""The paths that requirements tools use already, with their own bodies, and the requirements that a tenant knows."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from veracity.requirements.contracts import (
    CRITERIA,
    Criterion,
    DuplicatePair,
    Evaluation,
    Place,
    Requirement,
    Rewrite,
    Suggestion,
)
from veracity.requirements.evaluate import evaluate
from veracity.requirements.requirement_index import KnownRequirement
from veracity.server.access import Analyst
from veracity.server.problems import documented
from veracity.server.reading import ApiRoute
from veracity.server.routes.clarifications import GivenRequirement
from veracity.server.routes.jobs import ACCEPTED, Text, Wished, accepted
from veracity.server.state import State
from veracity.server.streaming import unless_gone

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
async def validate_batch(body: Items, request: Request, caller: Analyst, state: State, wished: Wished) -> Any:
    """Each one written anew. What it did not say is listed in `assumptions`, and then it is not `accepted` yet."""
    if wished.as_job:
        return await accepted(state, caller, "evaluate_batch", body.model_dump(), key=wished.key)
    made = await unless_gone(request, state.requirements.rewritten(body.items))
    return Response(f"[{','.join(one.model_dump_json() for one in made)}]", media_type="application/json")


@router.post("/api/v1/validate/suggest", summary="Suggest improvements", responses=documented())
async def validate_suggest(body: Items, _caller: Analyst, state: State) -> SuggestedItems:
    """One thing to do after the other, the most important first."""
    found = await state.requirements.suggestions(body.items)
    return SuggestedItems(items={f"REQ_{number}": Suggested(suggestions=one) for number, one in enumerate(found, 1)})


@router.post("/api/kg/search/nodes", summary="Find requirements that say the same", responses=documented())
async def search_nodes(
    body: Compared | Searched, caller: Analyst, state: State
) -> list[DuplicatePair | KnownRequirement]:
    """With `requirements`: the pairs among them that may say the same, with a reason and with what speaks against it.

    With `query`: the requirements that the tenant knows and that are most like it.
    """
    if isinstance(body, Compared):
        return list(await state.requirements.duplicates(body.requirements))

    def searched() -> list[DuplicatePair | KnownRequirement]:
        with state.requirements.known(caller.tenant) as index:
            return list(index.search(body.query, limit=body.limit))

    return await asyncio.to_thread(searched)


@router.put("/v1/known-requirements/{document}", summary="Keep known requirements", responses=documented())
async def keep_known(
    document: Annotated[str, Path(description="The name of the document.", pattern=r"^[\w.@ -]{1,200}$")],
    body: KnownDocument,
    caller: Analyst,
    state: State,
) -> Kept:
    """Keep these instead of all that was known of this document; none forgets it."""
    given = [
        Requirement(id=one.id, text=one.text, place=Place(path=document, line=number))
        for number, one in enumerate(body.items, 1)
    ]

    def kept() -> int:
        with state.requirements.known(caller.tenant) as index:
            if given:
                index.put(given)
            else:
                index.forget([document])
            return index.count()

    return Kept(known=await asyncio.to_thread(kept))
