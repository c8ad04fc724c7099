"""Conversations: a list to search in, one with all its answers to go on with, and forms to rename and delete it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.server.conversations import LONGEST_TITLE, RenamedMeanwhile, plain_title
from veracity.server.request_body import clean_text
from veracity.server.web.ask import own_conversation, turns_of
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, go_to, is_fragment

if TYPE_CHECKING:
    from veracity.server.conversations import Conversations

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_PAGE, _TURNS = 30, 20
_LONGEST_SEARCH = 200


def _kept(visit: Visit) -> Conversations:
    return visit.database.conversations(visit.known)


@router.get("/conversations")
def list_(visit: Visitor, search: str = "", before: str | None = None, everyone: bool = False) -> Response:
    """The latest conversations, or those with some words in them."""
    wanted = clean_text(search).strip()[:_LONGEST_SEARCH]
    if everyone:
        visit.needs("admin")
    found = _kept(visit).latest(_PAGE + 1, before=before, search=wanted, everyone=everyone)
    older = found[_PAGE - 1].conversation_id if len(found) > _PAGE else None
    return visit.page(
        "conversations.html", talks=found[:_PAGE], older=older, before=before, search=wanted, everyone=everyone
    )


@router.get("/conversations/{conversation_id}")
async def show(visit: Visitor, conversation_id: str, before: str | None = None) -> Response:
    """One conversation, to go on with."""
    return await run_in_threadpool(_shown, visit, conversation_id, before)


def _shown(
    visit: Visit, conversation_id: str, before: str | None = None, *, status: int = 200, **more: Any
) -> Response:
    kept, agent = _kept(visit), visit.agent()
    talk = own_conversation(visit, conversation_id)
    names = kept.trace_ids(talk.conversation_id, _TURNS + 1, before=before)
    turns = turns_of(visit.database.traces(visit.known.tenant).several(names[-_TURNS:]), agent)
    earlier = names[-_TURNS] if len(names) > _TURNS else None
    running = visit.parts.running.of(visit.known.tenant, talk.conversation_id) if before is None else None
    return visit.page(
        "ask.html",
        status=status,
        question="",
        turns=turns,
        talk=talk,
        earlier=earlier,
        before=before,
        running=running,
        verdicts=visit.database.judged(visit.known.tenant).of(names),
        **more,
    )


@router.get("/conversations/{conversation_id}/running")
def running(visit: Visitor, conversation_id: str) -> Response:
    """Where the question that runs stands; when it is over, the page comes anew."""
    talk = own_conversation(visit, conversation_id)
    state = visit.parts.running.of(visit.known.tenant, talk.conversation_id)
    if state is not None and is_fragment(visit.request):
        return visit.page("_running.html", running=state, talk=talk)
    if is_fragment(visit.request):
        return Response(status_code=204, headers={"HX-Refresh": "true"})
    return go_to(f"/conversations/{talk.conversation_id}")


@router.post("/conversations/{conversation_id}/stop")
async def stop(visit: FilledIn, conversation_id: str) -> Response:
    """Stop what runs; what had happened until then is kept as a trace."""
    talk = await run_in_threadpool(own_conversation, visit, conversation_id)
    await visit.parts.running.stop(visit.known.tenant, talk.conversation_id)
    return go_to(f"/conversations/{talk.conversation_id}")


@router.post("/conversations/{conversation_id}/title")
def rename(
    visit: FilledIn, conversation_id: str, title: Annotated[str, Form()] = "", was: Annotated[str, Form()] = ""
) -> Response:
    """Give it another title; what cannot be taken stays in the form, with the reason."""
    said = plain_title(clean_text(title))
    if not said or len(said) > LONGEST_TITLE:
        told = visit.say("talk.title_length", most=LONGEST_TITLE)
        return _shown(visit, conversation_id, status=400, told=told, typed=said[: 10 * LONGEST_TITLE])
    try:
        known = own_conversation(visit, conversation_id)
        renamed = _kept(visit).rename(known.conversation_id, said, was=clean_text(was))
    except RenamedMeanwhile as error:
        told = visit.say("talk.renamed", title=error.title)
        return _shown(visit, conversation_id, status=error.status, told=told, typed=said)
    return go_to(f"/conversations/{renamed.conversation_id}")


@router.post("/conversations/{conversation_id}/delete")
def delete(visit: FilledIn, conversation_id: str) -> Response:
    """Forget it; the traces of its answers stay."""
    _kept(visit).delete(own_conversation(visit, conversation_id).conversation_id)
    return go_to("/conversations")
