"""`GET /v1/draft` and `POST /v1/draft/answers`: what a source says of itself, and what only a person can know about it.

An answer changes what everybody reads, so that it takes a reviewer, as teaching does.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from veracity.ontology.draft import OntologyDraft
from veracity.ontology.draft.questions import DraftQuestion
from veracity.server.access import Analyst, Reviewer
from veracity.server.parts import ServerParts
from veracity.server.problems import documented
from veracity.server.request_body import ApiRoute
from veracity.wire import Wire

router = APIRouter(tags=["draft"], route_class=ApiRoute)


class DraftState(Wire):
    """What was found in the source, what is open, and what was answered."""

    source: str
    tables: int
    relations: int
    questions: tuple[DraftQuestion, ...]
    """Open questions, the most valuable first."""
    answers: dict[str, str]
    """Options that were chosen, by the id of the question."""
    notes: tuple[str, ...]
    """What could not be looked at, and what was looked at in part."""
    ontology: str
    """The ontology as YAML, with the reasons as comments."""


class DraftAnswer(Wire):
    """The option that somebody chose."""

    question: Annotated[str, Field(min_length=1, max_length=500)]
    option: Annotated[str, Field(min_length=1, max_length=500)]


def _state(found: OntologyDraft) -> DraftState:
    return DraftState(
        source=found.found.source,
        tables=len(found.found.tables),
        relations=len(found.settled.relations),
        questions=found.questions,
        answers=dict(found.answers),
        notes=found.found.notes,
        ontology=found.yaml(),
    )


@router.get("/v1/draft", summary="The draft of the source's ontology", responses=documented(404))
async def show_draft(caller: Analyst, parts: ServerParts) -> DraftState:
    """What the source says of itself, with its open questions; there is none where an ontology describes it."""
    draft = await asyncio.to_thread(parts.agents.draft_of, caller.tenant)
    return _state(await asyncio.to_thread(draft.current))


@router.post("/v1/draft/answers", summary="Answer a question of the draft", responses=documented(404))
async def answer_draft(body: DraftAnswer, caller: Reviewer, parts: ServerParts) -> DraftState:
    """Keep one answer; questions use it from now on, in every process."""
    draft = await asyncio.to_thread(parts.agents.draft_of, caller.tenant)
    return _state(await asyncio.to_thread(draft.answered, body.question, body.option))
