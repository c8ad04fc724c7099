"""Teach: right or wrong with a reason, what a word means, and a page with all that was taught, to undo it."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Form
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.agent.judged_answers import Verdict, judged
from veracity.answer.answer import WordOffer
from veracity.errors import UsageError
from veracity.server.request_body import clean_text
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, go_to, is_fragment, own_address

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_MOST = 100


@router.get("/taught")
async def page(visit: Visitor, word: str = "") -> Response:
    """What was taught and undone, and which answers were judged."""
    return await run_in_threadpool(_shown, visit, word=clean_text(word).strip()[:200])


def _shown(visit: Visit, *, word: str = "", means: str = "", told: str = "", status: int = 200) -> Response:
    agent, tenant = visit.agent(), visit.known.tenant
    words = agent.taught()
    teacher = agent.teacher
    undone = visit.database.taught(tenant).undone(teacher.base.feature_code) if teacher is not None else ()
    return visit.page(
        "taught.html",
        status=status,
        words=words,
        undone=undone[:_MOST],
        verdicts=visit.database.judged(tenant).latest()[:_MOST],
        can_teach=agent.teacher is not None or agent.awaited is not None,
        word=word,
        means=means,
        told=told,
    )


@router.post("/taught")
async def teach(
    visit: FilledIn,
    word: Annotated[str, Form()] = "",
    means: Annotated[str, Form()] = "",
    question: Annotated[str, Form()] = "",
) -> Response:
    """Let a word mean something for everybody in the tenant; what cannot be taught stays in the form, with the reason."""
    visit.needs("reviewer")
    said, known = clean_text(word).strip()[:200], clean_text(means).strip()[:300]
    agent = await run_in_threadpool(visit.agent)
    try:
        if not said or not known:
            raise UsageError(visit.say("taught.both"))
        await agent.teach(said, known, who=visit.who, question=clean_text(question).strip()[:2_000])
    except UsageError as error:
        return await run_in_threadpool(_shown, visit, word=said, means=known, told=str(error), status=400)
    return go_to("/taught")


@router.post("/taught/{taught_id}/undo")
async def undo(visit: FilledIn, taught_id: str) -> Response:
    """The word means nothing any more, from the next question on."""
    visit.needs("reviewer")
    agent = await run_in_threadpool(visit.agent)
    try:
        await run_in_threadpool(agent.unteach, taught_id, who=visit.who)
    except UsageError:
        told = visit.say("taught.gone")
        return await run_in_threadpool(_shown, visit, told=told, status=404)
    return go_to("/taught")


# --- an option of a question back that says what a word means


@router.post("/traces/{trace_id}/remember")
async def remember(
    visit: FilledIn, trace_id: str, reading: Annotated[int, Form()] = 0, then: Annotated[str, Form(alias="next")] = "/"
) -> Response:
    """Teach what an option of a question back would teach."""
    visit.needs("reviewer")
    record = await run_in_threadpool(visit.agents.trace, visit.known, trace_id)
    readings = record.body.get("readings") or []
    found = readings[reading].get("teaches") if 0 <= reading < len(readings) else None
    if found is None:
        raise UsageError(visit.say("taught.no_offer"))
    offer = WordOffer.model_validate(found)
    agent = await run_in_threadpool(visit.agent)
    await agent.teach(offer.word, offer.means, who=visit.who, question=record.question)
    if is_fragment(visit.request):
        return visit.page("_remembered.html", offer=offer)
    return go_to(own_address(then))


# --- right or wrong


@router.post("/traces/{trace_id}/verdict")
async def judge(
    visit: FilledIn,
    trace_id: str,
    verdict: Annotated[str, Form()] = "",
    why: Annotated[str, Form()] = "",
    then: Annotated[str, Form(alias="next")] = "/taught",
) -> Response:
    """Call an answer right or wrong, or take that back; the last verdict counts."""
    record = await run_in_threadpool(visit.agents.trace, visit.known, trace_id)
    kept = visit.database.judged(visit.known.tenant)
    if verdict == "none":
        await run_in_threadpool(kept.take_back, record.trace_id)
        made = None
    elif verdict in ("right", "wrong"):
        reason = clean_text(why).strip()[:2_000]
        made = judged(record, cast("Verdict", verdict), who=visit.who, why=reason)
        await run_in_threadpool(kept.keep, made)
    else:
        raise UsageError(visit.say("error.form"))
    if is_fragment(visit.request):
        return visit.page("_verdict.html", trace_id=record.trace_id, verdict=made)
    return go_to(own_address(then))
