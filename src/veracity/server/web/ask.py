"""Ask: a question in; its steps as they happen, then the answer, in which every figure opens its proof."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from veracity.errors import UsageError, VeracityError, told_to_others
from veracity.server.parts import QuestionRequest
from veracity.server.request_body import clean_text
from veracity.server.streaming import EVENT_STREAM, EventStream, event, unless_gone
from veracity.server.web.figures import ShownAnswer
from veracity.server.web.traces import read_trace
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, go_to

if TYPE_CHECKING:
    from veracity.agent.loop import Run
    from veracity.agent.progress import ProgressEvent
    from veracity.ask.data_agent import DataAgent
    from veracity.contracts import ToolCallLog

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_EXAMPLES = 6
_LONGEST = 2_000
_END = object()


@router.get("/")
async def page(visit: Visitor, question: str = "", answer: str = "") -> Response:
    """An empty page to ask on, or one with an earlier answer."""
    agent = await run_in_threadpool(visit.agent)
    if not answer:
        return visit.page("ask.html", examples=examples(agent, visit.lang), question=question[:_LONGEST], shown=None)
    read = await run_in_threadpool(read_trace, visit, answer)
    if read.answer is None:
        return visit.page("ask.html", examples=(), question=read.record.question, shown=None)
    understood = str(read.record.body.get("understoodAs") or "")
    shown = ShownAnswer.of(read.answer, agent.tools.source.dialect, understood=understood)
    return visit.page("ask.html", examples=(), question="", shown=shown)


@router.post("/ask")
async def ask(visit: FilledIn, question: Annotated[str, Form()] = "", follows: Annotated[str, Form()] = "") -> Response:
    """Answer a question: as a stream of parts for the script of the page; without one, on to a page with the answer."""
    said = clean_text(question).strip()
    if not said or len(said) > _LONGEST:
        raise UsageError(visit.say("ask.empty") if not said else visit.say("ask.long", most=_LONGEST))
    asked = QuestionRequest(question=said, follows=follows.strip()[:100] or None)
    if EVENT_STREAM in visit.request.headers.get("accept", ""):
        return EventStream(_stream(visit, asked))
    answer = await unless_gone(visit.request, visit.parts.answer(asked, visit.known))
    return go_to(f"/?answer={answer.trace_id}")


def examples(agent: DataAgent, lang: str) -> tuple[str, ...]:
    """Questions that surely have an answer."""
    ontology = agent.tools.catalog.ontology
    asked = ontology.questions if ontology else {}
    return tuple(one.question for one in (asked.get(lang) or asked.get("en") or ())[:_EXAMPLES])


# --- as a stream


@dataclass(slots=True)
class _PageSteps:
    """Looks on, and tells every call as a line of the page."""

    visit: Visit
    queue: asyncio.Queue[Any]
    sent_back: int = 0
    """The drafts that were sent back so far."""

    def calling(self, tool: str, arguments: Any) -> None:
        """That a call runs is told as progress."""

    def progress(self, told: ProgressEvent) -> None:
        """What is being done, and since when."""
        self.queue.put_nowait(event("now", {"html": self.visit.html("_progress.html", told=told)}))

    def called(self, log: ToolCallLog) -> None:
        """A call came back."""
        self.queue.put_nowait(event("step", {"html": self.visit.html("_step.html", call=log)}))

    def round_done(self, run: Run) -> None:
        """A draft that was sent back is told, too."""
        if len(run.refusals) > self.sent_back:
            self.sent_back, refusal = len(run.refusals), run.refusals[-1]
            self.queue.put_nowait(event("step", {"html": self.visit.html("_sent_back.html", refusal=refusal)}))


async def _stream(visit: Visit, asked: QuestionRequest) -> AsyncIterator[bytes]:
    queue: asyncio.Queue[Any] = asyncio.Queue()
    working = asyncio.ensure_future(visit.parts.answer(asked, visit.known, _PageSteps(visit, queue)))
    working.add_done_callback(lambda _: queue.put_nowait(_END))
    try:
        while (told := await queue.get()) is not _END:
            yield told
        try:
            answer = working.result()
        except VeracityError as error:
            yield event("answer", {"html": visit.html("_error.html", detail=told_to_others(error), number=0)})
            return
        agent = await run_in_threadpool(visit.agent)
        html = visit.html("_answer.html", shown=ShownAnswer.of(answer, agent.tools.source.dialect))
        yield event("answer", {"html": html, "trace": answer.trace_id})
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError, VeracityError):
            await working
