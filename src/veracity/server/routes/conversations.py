"""`/v1/conversations`: answers that belong together, listed, searched, renamed and deleted.

`POST /v1/ask` with the id of a conversation adds an answer to it.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from veracity.agent.trace_store import TraceSummary
from veracity.server.access import Analyst
from veracity.server.conversations import LONGEST_TITLE, ConversationRecord, ConversationSummary
from veracity.server.parts import ServerParts
from veracity.server.problems import RequestRefused, documented
from veracity.server.request_body import ApiRoute, clean_text
from veracity.wire import Wire

router = APIRouter(tags=["conversations"], route_class=ApiRoute)

Title = Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE, pattern=r"\S")]
ConversationId = Annotated[str, Path(description="The id of a conversation.", max_length=100)]
Limit = Annotated[int, Query(ge=1, le=500, description="How many, the newest.")]


class NewConversation(Wire):
    """A conversation without an answer yet."""

    title: Title | None = None
    """Without one, the first question is the title."""


class ConversationTitle(Wire):
    """Another title for a conversation."""

    title: Title
    was: Annotated[str, Field(max_length=LONGEST_TITLE)]
    """The title that you saw. If somebody has changed it since, nothing happens and the status is 409."""


@router.get("/v1/conversations", summary="List conversations", responses=documented())
async def list_conversations(
    *,
    caller: Analyst,
    parts: ServerParts,
    limit: Limit = 20,
    before: Annotated[
        str | None, Query(pattern=r"^[\w-]{4,64}$", description="Only those that stand behind this conversation.")
    ] = None,
    search: Annotated[
        str, Query(max_length=200, description="Words that are all in the title, the questions or the answers.")
    ] = "",
    everyone: Annotated[bool, Query(description="Those of all keys of the tenant; for an admin.")] = False,
) -> list[ConversationSummary]:
    """The conversations of the key, the one with the newest answer first."""
    if everyone and not caller.may("admin"):
        raise RequestRefused(403, f"This needs the role admin; the key has the role {caller.role}.")
    kept = parts.database.conversations(caller)
    return await asyncio.to_thread(kept.latest, limit, before=before, search=clean_text(search), everyone=everyone)


@router.post("/v1/conversations", summary="Begin a conversation", status_code=201, responses=documented())
async def begin_conversation(body: NewConversation, caller: Analyst, parts: ServerParts) -> ConversationSummary:
    """Its id goes with each question: `{"question": "...", "conversation": "<conversationId>"}`."""
    return await asyncio.to_thread(parts.database.conversations(caller).begin, body.title or "")


@router.get("/v1/conversations/{conversation_id}", summary="Show a conversation", responses=documented(404))
async def show_conversation(
    conversation_id: ConversationId,
    caller: Analyst,
    parts: ServerParts,
    limit: Limit = 100,
    before: Annotated[
        str | None, Query(pattern=r"^[\w-]{4,64}$", description="Only answers that came before this trace.")
    ] = None,
) -> ConversationRecord:
    """Its questions and answers in order; `GET /v1/traces/{id}` has the proof of each."""
    kept = parts.database.conversations(caller)
    found = await asyncio.to_thread(kept.get, conversation_id)
    names = await asyncio.to_thread(kept.trace_ids, conversation_id, limit, before=before)
    traces = await asyncio.to_thread(parts.database.traces(caller.tenant).several, names)
    told = tuple(TraceSummary.model_validate(one.model_dump(exclude={"body"})) for one in traces)
    return ConversationRecord(**found.model_dump(by_alias=False), answers=told)


@router.patch("/v1/conversations/{conversation_id}", summary="Rename a conversation", responses=documented(404, 409))
async def rename_conversation(
    conversation_id: ConversationId, body: ConversationTitle, caller: Analyst, parts: ServerParts
) -> ConversationSummary:
    """Of two who rename it at the same time, one is told that the other was first."""
    kept = parts.database.conversations(caller)
    return await asyncio.to_thread(kept.rename, conversation_id, body.title, was=body.was)


@router.delete("/v1/conversations/{conversation_id}", summary="Delete a conversation", responses=documented(404))
async def delete_conversation(
    conversation_id: ConversationId, caller: Analyst, parts: ServerParts
) -> ConversationSummary:
    """It is in no list any more. The traces of its answers stay, as the tenant's record, until they are forgotten."""
    return await asyncio.to_thread(parts.database.conversations(caller).delete, conversation_id)
