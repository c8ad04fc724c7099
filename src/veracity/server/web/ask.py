"""Ask: a question in; its steps as they happen, then the answer, in which every figure opens its proof."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import ValidationError

from veracity.agent.progress import ProgressEvent
from veracity.agent.recorder import KeptTrace
from veracity.contracts import QueryValidationError, ToolCallLog
from veracity.errors import SourceError, UsageError, VeracityError, told_to_others
from veracity.semantic.checking.read import read_query
from veracity.semantic.query import SemanticQuery
from veracity.server.keys import LOCAL
from veracity.server.parts import QuestionRequest
from veracity.server.problems import LOG, NotThere
from veracity.server.request_body import clean_text
from veracity.server.sources import OWN
from veracity.server.streaming import EVENT_STREAM, EventStream, event
from veracity.server.web.connect import is_first_visit
from veracity.server.web.figures import ShownAnswer
from veracity.server.web.traces import read_trace
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, go_to

if TYPE_CHECKING:
    from veracity.agent.loop import Watch
    from veracity.agent.trace_store import TraceRecord
    from veracity.answer.answer import Answer
    from veracity.ask.data_agent import DataAgent
    from veracity.server.conversations import ConversationSummary
    from veracity.server.running import RunningQuestion
    from veracity.server.sources import ConnectedSource
    from veracity.sources.source import Dialect

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_EXAMPLES, _RECENT = 6, 5
_LONGEST, _LONGEST_QUERY = 2_000, 50_000
_LANGUAGES = ("de", "en", "zh")
_PATIENCE = 20.0
"""Seconds that a browser without scripts waits for an answer; then it is shown where the question stands."""


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A question and its answer; a trace that cannot be read is told by its texts alone."""

    question: str
    text: str
    trace_id: str
    shown: ShownAnswer | None
    cut_off: bool = False
    """Whether it was stopped or failed before there was an answer."""
    because: str = ""
    """Why, where it was not stopped by somebody."""

    @classmethod
    def of(cls, record: TraceRecord, dialect: Dialect, *, first: bool) -> ShownTurn:
        """A turn from its trace; the first one says how it was understood, since what it follows is not on the page."""
        read = KeptTrace.of(record)
        if read is not None and read.answer is None:
            because = "" if read.because == "cancelled" else read.because
            return cls(record.question, "", record.trace_id, None, cut_off=True, because=because)
        shown = None
        if read is not None and read.answer is not None:
            understood = str(record.body.get("understoodAs") or "") if first else ""
            shown = ShownAnswer.of(read.answer, dialect, understood=understood)
        return cls(record.question, record.text or "", record.trace_id, shown)


def turns_of(records: Sequence[TraceRecord], agent: DataAgent) -> tuple[ShownTurn, ...]:
    """Traces as the page shows them, in their order."""
    dialect = agent.tools.source.dialect
    return tuple(ShownTurn.of(record, dialect, first=number == 0) for number, record in enumerate(records))


@router.get("/")
def page(visit: Visitor, question: str = "", answer: str = "") -> Response:
    """An empty page to ask on, or one with an earlier answer; before that, somebody says what to ask."""
    if not question and not answer and is_first_visit(visit):
        return go_to("/connect")
    agent = visit.agent()
    if not answer:
        recent = visit.database.conversations(visit.known).latest(_RECENT)
        offered = _proven(visit) or examples(agent, visit.lang)
        return visit.page("ask.html", examples=offered, recent=recent, question=question[:_LONGEST], turns=())
    read = read_trace(visit, answer)
    if read.answer is None:
        return visit.page("ask.html", question=read.record.question, turns=())
    verdicts = visit.database.judged(visit.known.tenant).of([read.record.trace_id])
    return visit.page("ask.html", question="", turns=turns_of([read.record], agent), verdicts=verdicts)


@router.post("/ask")
async def ask(
    *,
    visit: FilledIn,
    question: Annotated[str, Form()] = "",
    follows: Annotated[str, Form()] = "",
    conversation: Annotated[str, Form()] = "",
    query: Annotated[str, Form()] = "",
    lang: Annotated[str, Form()] = "",
) -> Response:
    """Answer a question: as a stream of parts for the script of the page; without one, on to a page with the answer.

    With `query` it is no question in words but a semantic query, as the buttons under an answer have it.
    """
    said, talk = clean_text(question).strip(), conversation.strip()[:100]
    if query:
        return await answered(visit, await run_in_threadpool(_asked_query, visit, query, talk, lang))
    if not said or len(said) > _LONGEST:
        raise UsageError(visit.say("ask.empty") if not said else visit.say("ask.long", most=_LONGEST))
    return await answered(visit, await run_in_threadpool(_asked, visit, said, follows.strip()[:100], talk))


@dataclass(frozen=True, slots=True)
class AskedOnPage:
    """A question of a page, or a query that was put together there."""

    answer: Callable[[Watch | None], Coroutine[Any, Any, Answer]]
    conversation: str | None
    question: str = ""
    """Its words; a query has none before it is answered."""


async def answered(visit: Visit, asked: AskedOnPage) -> Response:
    """The answer as a stream, or on to its page; it is worked on whether somebody looks on or not."""
    running = visit.parts.running.start(
        visit.known,
        asked.conversation or "",
        asked.question,
        ask=asked.answer,
        kept=visit.database.conversations(visit.known),
    )
    if EVENT_STREAM in visit.request.headers.get("accept", ""):
        return EventStream(_stream(visit, asked, running))
    assert running.task is not None
    await asyncio.wait({running.task}, timeout=min(_PATIENCE, visit.settings.request_seconds / 2))
    if asked.conversation and (not running.task.done() or running.task.cancelled()):
        return go_to(f"/conversations/{asked.conversation}")
    answer = await running.task
    if asked.conversation and answer.trace_id:
        return go_to(f"/conversations/{asked.conversation}#a-{answer.trace_id}")
    agent = await run_in_threadpool(visit.agent)
    shown = ShownAnswer.of(answer, agent.tools.source.dialect)
    turn = ShownTurn(answer.question, answer.text, answer.trace_id, shown)
    return visit.page("ask.html", question="", turns=[turn])


def _asked(visit: Visit, question: str, follows: str, conversation: str) -> AskedOnPage:
    """The question of a form, in a conversation that is begun with it, or one that was not deleted meanwhile."""
    try:
        body = QuestionRequest(question=question, follows=follows or None, conversation=conversation or None)
    except ValidationError:
        raise UsageError(visit.say("error.form")) from None
    kept = _conversation_of(visit, conversation, question)
    body = body.model_copy(update={"conversation": kept})
    return AskedOnPage(lambda watch: visit.parts.answer(body, visit.known, watch), kept, question)


def _asked_query(visit: Visit, query: str, conversation: str, lang: str) -> AskedOnPage:
    """The query of a button."""
    try:
        given = json.loads(query) if len(query) <= _LONGEST_QUERY else None
    except (ValueError, RecursionError):
        given = None
    read = read_query(given) if isinstance(given, dict) else None
    if not isinstance(read, SemanticQuery):
        raise UsageError(visit.say("error.form"))
    return asked_query(visit, read, conversation, lang)


def asked_query(visit: Visit, query: SemanticQuery, conversation: str, lang: str) -> AskedOnPage:
    """A semantic query to be answered in a conversation, in the language of the answer that it changes."""
    kept = _conversation_of(visit, conversation)
    spoken = lang if lang in _LANGUAGES else visit.lang
    return AskedOnPage(
        lambda watch: visit.parts.answer_query(query, visit.known, lang=spoken, conversation=kept, watch=watch), kept
    )


def _conversation_of(visit: Visit, conversation: str, question: str = "") -> str | None:
    """The conversation that is named, or a new one; that it cannot be kept does not cost the answer."""
    if conversation:
        return own_conversation(visit, conversation).conversation_id
    try:
        return visit.database.conversations(visit.known).begin(question).conversation_id
    except SourceError as error:
        LOG.warning("a conversation was not kept", extra={"fields": {"error": type(error).__name__}})
        return None


def own_conversation(visit: Visit, conversation_id: str) -> ConversationSummary:
    """A conversation that the visitor may see; raises `NotThere` in the visitor's language."""
    try:
        return visit.database.conversations(visit.known).get(conversation_id)
    except NotThere:
        raise NotThere(visit.say("talk.gone")) from None


def _proven(visit: Visit) -> tuple[str, ...]:
    """Questions that were proven over the source in use; who sees only some of its rows is shown none."""
    source: ConnectedSource | None = getattr(visit.request.state, "source", None)
    if source is None or visit.known.scope:
        return ()
    own = source.source_id == OWN and visit.known.tenant == LOCAL
    proven = visit.parts.own_questions.of(visit.lang) if own else source.questions.get(visit.lang, ())
    return proven[:_EXAMPLES]


def examples(agent: DataAgent, lang: str) -> tuple[str, ...]:
    """Questions that surely have an answer."""
    ontology = agent.tools.catalog.ontology
    asked = ontology.questions if ontology else {}
    return tuple(one.question for one in (asked.get(lang) or asked.get("en") or ())[:_EXAMPLES])


# --- as a stream


async def _stream(visit: Visit, asked: AskedOnPage, running: RunningQuestion) -> AsyncIterator[bytes]:
    """What is told of a question; who leaves misses only the telling."""
    talk = asked.conversation or ""
    yield event("begun", {"conversation": talk})
    async with aclosing(running.events()) as items:
        async for told in items:
            match told:
                case ProgressEvent():
                    yield event("now", {"html": visit.html("_progress.html", told=told)})
                case ToolCallLog():
                    yield event("step", {"html": visit.html("_step.html", call=told)})
                case QueryValidationError():
                    yield event("step", {"html": visit.html("_sent_back.html", refusal=told)})
    try:
        assert running.task is not None
        answer = await running.task
    except asyncio.CancelledError:
        if running.task is None or not running.task.cancelled():
            raise
        turn = ShownTurn(asked.question, "", running.trace_id, None, cut_off=True)
        yield event("answer", {"html": visit.html("_cut_off.html", turn=turn), "conversation": talk})
    except VeracityError as error:
        detail = told_to_others(error)
        yield event("answer", {"html": visit.html("_error.html", detail=detail, number=0), "conversation": talk})
    else:
        agent = await run_in_threadpool(visit.agent)
        html = visit.html("_answer.html", shown=ShownAnswer.of(answer, agent.tools.source.dialect), conversation=talk)
        yield event("answer", {"html": html, "trace": answer.trace_id, "conversation": talk})
