"""`POST /v1/ask`: a question in; an answer with its proof out, at once, as a stream, or as a job."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response

from veracity.agent.progress import ProgressEvent
from veracity.answer.answer import Answer
from veracity.ask.stream import streamed
from veracity.contracts import ToolCallLog
from veracity.errors import VeracityError, told_to_others
from veracity.language.sentences import sentence_ends
from veracity.server.access import Analyst
from veracity.server.parts import Parts, QuestionRequest, ServerParts
from veracity.server.problems import Problem, documented, request_id, status_of
from veracity.server.request_body import ApiRoute
from veracity.server.routes.jobs import ACCEPTED, Preference, accepted
from veracity.server.streaming import EVENT_STREAM, EventStream, event, unless_gone

if TYPE_CHECKING:
    from veracity.server.keys import Caller

router = APIRouter(tags=["ask"], route_class=ApiRoute)


@router.post(
    "/v1/ask",
    summary="Ask a question",
    response_model=Answer,
    responses={
        200: {
            "description": "Answered, asked back, abstained or blocked; `outcome` says which. As a stream: the events "
            "`progress` (what is being done, since when) and `step` (a call), `sentence`, then `answer` (or `error`).",
            "content": {EVENT_STREAM: {"schema": {"type": "string"}}},
        },
        **ACCEPTED,
        **documented(404, 409),
    },
)
async def ask(
    body: QuestionRequest, request: Request, caller: Analyst, parts: ServerParts, preference: Preference
) -> Response:
    """Answer one question from the data of the key's tenant. A client that goes away stops the work."""
    if preference.as_job:
        return await accepted(parts, caller, "ask", body.model_dump(exclude_none=True), key=preference.key)
    if EVENT_STREAM in request.headers.get("accept", ""):
        return EventStream(_answer_events(body, request, caller, parts))
    answer = await unless_gone(request, parts.answer(body, caller))
    return Response(answer.model_dump_json(), media_type="application/json")


# --- as a stream


def step_of(log: ToolCallLog) -> dict[str, Any]:
    """What a stream tells of a call: no row of its result."""
    return {
        "round": log.round,
        "tool": log.tool,
        "arguments": log.arguments,
        "ok": log.success,
        "rows": log.row_count,
        "code": log.validation_failure_code,
        "error": log.error,
        "milliseconds": log.milliseconds,
    }


async def _answer_events(body: QuestionRequest, request: Request, caller: Caller, parts: Parts) -> AsyncIterator[bytes]:
    parts.metrics.stream(1)
    try:
        async with aclosing(streamed(lambda watch: parts.answer(body, caller, watch))) as items:
            async for told in items:
                match told:
                    case ToolCallLog():
                        yield event("step", step_of(told))
                    case ProgressEvent():
                        yield event("progress", told.model_dump(mode="json"))
                    case Answer():
                        for sentence in sentences(told.text):
                            yield event("sentence", {"text": sentence})
                        yield event("answer", told.model_dump_json())
    except VeracityError as error:
        yield event("error", _problem(request, error))
    finally:
        parts.metrics.stream(-1)


def sentences(text: str) -> list[str]:
    """The text as it is released, sentence by sentence; together they are the text."""
    ends = [*sentence_ends(text), len(text)]
    starts = [0, *ends[:-1]]
    return [text[start:end] for start, end in zip(starts, ends, strict=True) if start < end]


def _problem(request: Request, error: VeracityError) -> dict[str, Any]:
    """An error in the middle of a stream, in the shape of any other problem."""
    status = status_of(error)
    title, detail = HTTPStatus(status).phrase, told_to_others(error)
    return Problem(title=title, status=status, detail=detail, request_id=request_id(request)).model_dump(
        exclude_none=True
    )
