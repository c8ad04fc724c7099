"""`POST /v1/teach`, `/v1/taught`, `POST /v1/traces/{trace_id}/verdict` and `/v1/verdicts`: what people teach, and which answers are right.

A taught word changes what everybody in the tenant reads, so that it takes a reviewer; to call an answer right or wrong does not.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from veracity.agent.judged_answers import JudgedAnswer, JudgedAnswers, Verdict, judged
from veracity.answer.answer import WordOffer
from veracity.errors import UsageError
from veracity.ontology.overlay import TaughtWord
from veracity.server.access import Analyst, Reviewer
from veracity.server.parts import Parts, ServerParts
from veracity.server.problems import NotThere, documented
from veracity.server.request_body import ApiRoute
from veracity.wire import Wire

if TYPE_CHECKING:
    from veracity.server.keys import Caller

router = APIRouter(tags=["teaching"], route_class=ApiRoute)


class TeachRequest(Wire):
    """A word and what it means; or the option of a question back that said both."""

    word: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """A word that is not known yet."""
    means: Annotated[str, Field(min_length=1, max_length=300)] | None = None
    """A word that is known, or `Entity.field`."""
    lang: Annotated[str, Field(pattern=r"^(de|en|zh)([-_][A-Za-z]{2,8})?$")] | None = None
    """The language of the word; without it, that of the question."""
    follows: Annotated[str, Field(min_length=4, max_length=100)] | None = None
    """The trace id of a question back; `reading` says which of its options is meant."""
    reading: Annotated[int, Field(ge=0, le=100)] = 0
    """Its place among the `readings`, from 0."""


class VerdictRequest(Wire):
    """Whether an answer is right."""

    verdict: Verdict
    why: Annotated[str, Field(max_length=2_000)] = ""


def _who(caller: Caller) -> str:
    return caller.name or caller.key_id or caller.tenant


@router.post("/v1/teach", summary="Teach a word", status_code=201, responses=documented(404))
async def teach(body: TeachRequest, caller: Reviewer, parts: ServerParts) -> TaughtWord:
    """Let a word mean something for everybody in the key's tenant, from now on; answers that rest on it say so."""
    agent = await asyncio.to_thread(parts.agents.of, caller)
    question, offer = "", None
    if body.follows is not None:
        question, offer = await _offered(body, caller, parts)
    elif body.word is not None and body.means is not None:
        offer = WordOffer(word=body.word, means=body.means)
    if offer is None:
        raise UsageError("Send word and means, or follows with the trace id of a question back.")
    return await agent.teach(offer.word, offer.means, who=_who(caller), question=question, lang=body.lang)


async def _offered(body: TeachRequest, caller: Caller, parts: Parts) -> tuple[str, WordOffer]:
    """What an option of a question back would teach."""
    record = await asyncio.to_thread(parts.agents.trace, caller, body.follows or "")
    readings = record.body.get("readings") or []
    offer = readings[body.reading].get("teaches") if body.reading < len(readings) else None
    if offer is None:
        raise UsageError(f"That answer has no reading {body.reading} that teaches a word.")
    return record.question, WordOffer.model_validate(offer)


@router.get("/v1/taught", summary="List what was taught", responses=documented())
async def list_taught(caller: Analyst, parts: ServerParts) -> list[TaughtWord]:
    """The words of the key's tenant: what each means, who taught it, when, and on which question."""
    agent = await asyncio.to_thread(parts.agents.of, caller)
    return list(await asyncio.to_thread(agent.taught))


@router.delete("/v1/taught/{taught_id}", summary="Undo what was taught", responses=documented(404))
async def undo_taught(
    taught_id: Annotated[str, Path(description="The id of a taught word.", max_length=100)],
    caller: Reviewer,
    parts: ServerParts,
) -> TaughtWord:
    """The word means nothing any more, in every process, from the next question on."""
    agent = await asyncio.to_thread(parts.agents.of, caller)
    try:
        return await asyncio.to_thread(agent.unteach, taught_id, who=_who(caller))
    except UsageError:
        raise NotThere(f"There is no taught word {taught_id[:60]!r}.") from None


# --- right and wrong


def _store(parts: Parts, caller: Caller) -> JudgedAnswers:
    return parts.database.judged(caller.tenant)


@router.post("/v1/traces/{trace_id}/verdict", summary="Call an answer right or wrong", responses=documented(404))
async def judge(
    trace_id: Annotated[str, Path(description="The id of a trace, or its beginning.", max_length=100)],
    body: VerdictRequest,
    caller: Analyst,
    parts: ServerParts,
) -> JudgedAnswer:
    """A right answer is kept as a gold question, a wrong one as a case to look at; the last verdict counts."""
    record = await asyncio.to_thread(parts.agents.trace, caller, trace_id)
    kept = judged(record, body.verdict, who=_who(caller), why=body.why)
    await asyncio.to_thread(_store(parts, caller).keep, kept)
    return kept


@router.get("/v1/verdicts", summary="List judged answers", responses=documented())
async def list_verdicts(
    caller: Analyst,
    parts: ServerParts,
    verdict: Annotated[Verdict | None, Query(description="Only these.")] = None,
) -> list[JudgedAnswer]:
    """The judged answers of the key's tenant, the newest first."""
    return await asyncio.to_thread(_store(parts, caller).latest, verdict)
