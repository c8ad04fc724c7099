"""Ask: a question in; its steps as they happen, then the answer, in which every figure opens its proof."""

from __future__ import annotations

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
from veracity.answer.answer import Answer
from veracity.ask.stream import streamed
from veracity.contracts import QueryValidationError, ToolCallLog
from veracity.errors import UsageError, VeracityError, told_to_others
from veracity.semantic.checking.read import read_query
from veracity.semantic.query import SemanticQuery
from veracity.server.parts import QuestionRequest
from veracity.server.problems import NotThere
from veracity.server.request_body import clean_text
from veracity.server.streaming import EVENT_STREAM, EventStream, event, unless_gone
from veracity.server.web.connect import is_first_visit
from veracity.server.web.figures import ShownAnswer
from veracity.server.web.traces import read_trace
from veracity.server.web.visit import FilledIn, PageRoute, Visit, Visitor, go_to

if TYPE_CHECKING:
    from veracity.agent.loop import Watch
    from veracity.agent.trace_store import TraceRecord
    from veracity.ask.data_agent import DataAgent
    from veracity.server.conversations import ConversationSummary
    from veracity.sources.source import Dialect

router = APIRouter(route_class=PageRoute, include_in_schema=False)
_EXAMPLES, _RECENT = 6, 5
_LONGEST, _LONGEST_QUERY = 2_000, 50_000
_LANGUAGES = ("de", "en", "zh")


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A question and its answer; a trace that cannot be read is told by its texts alone."""

    question: str
    text: str
    trace_id: str
    shown: ShownAnswer | None

    @classmethod
    def of(cls, record: TraceRecord, dialect: Dialect, *, first: bool) -> ShownTurn:
        """A turn from its trace; the first one says how it was understood, since what it follows is not on the page."""
        read = KeptTrace.of(record)
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
async def page(visit: Visitor, question: str = "", answer: str = "") -> Response:
    """An empty page to ask on, or one with an earlier answer; before that, somebody says what to ask."""
    if not question and not answer and await is_first_visit(visit):
        return go_to("/connect")
    agent = await run_in_threadpool(visit.agent)
    if not answer:
        recent = await run_in_threadpool(visit.database.conversations(visit.known).latest, _RECENT)
        offered = examples(agent, visit.lang)
        return visit.page("ask.html", examples=offered, recent=recent, question=question[:_LONGEST], turns=())
    read = await run_in_threadpool(read_trace, visit, answer)
    if read.answer is None:
        return visit.page("ask.html", question=read.record.question, turns=())
    return visit.page("ask.html", question="", turns=turns_of([read.record], agent))


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


async def answered(visit: Visit, asked: AskedOnPage) -> Response:
    """The answer as a stream, or on to its page."""
    if EVENT_STREAM in visit.request.headers.get("accept", ""):
        return EventStream(_stream(visit, asked))
    answer = await unless_gone(visit.request, asked.answer(None))
    if kept := await _conversation_with(visit, asked, answer):
        return go_to(f"/conversations/{kept}#a-{answer.trace_id}")
    agent = await run_in_threadpool(visit.agent)
    shown = ShownAnswer.of(answer, agent.tools.source.dialect)
    turn = ShownTurn(answer.question, answer.text, answer.trace_id, shown)
    return visit.page("ask.html", question="", turns=[turn])


def _asked(visit: Visit, question: str, follows: str, conversation: str) -> AskedOnPage:
    """The question of a form; a conversation that was deleted meanwhile is told before anything is asked."""
    kept = own_conversation(visit, conversation).conversation_id if conversation else None
    try:
        body = QuestionRequest(question=question, follows=follows or None, conversation=kept)
    except ValidationError:
        raise UsageError(visit.say("error.form")) from None
    return AskedOnPage(lambda watch: visit.parts.answer(body, visit.known, watch), kept)


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
    kept = own_conversation(visit, conversation).conversation_id if conversation else None
    spoken = lang if lang in _LANGUAGES else visit.lang
    return AskedOnPage(
        lambda watch: visit.parts.answer_query(query, visit.known, lang=spoken, conversation=kept, watch=watch), kept
    )


def own_conversation(visit: Visit, conversation_id: str) -> ConversationSummary:
    """A conversation that the visitor may see; raises `NotThere` in the visitor's language."""
    try:
        return visit.database.conversations(visit.known).get(conversation_id)
    except NotThere:
        raise NotThere(visit.say("talk.gone")) from None


async def _conversation_with(visit: Visit, asked: AskedOnPage, answer: Answer) -> str:
    """The conversation that an answer is in; the first answer begins it. Nothing where it could not be kept."""
    return asked.conversation or await visit.parts.keep_turn(None, answer, visit.known)


def examples(agent: DataAgent, lang: str) -> tuple[str, ...]:
    """Questions that surely have an answer."""
    ontology = agent.tools.catalog.ontology
    asked = ontology.questions if ontology else {}
    return tuple(one.question for one in (asked.get(lang) or asked.get("en") or ())[:_EXAMPLES])


# --- as a stream


async def _stream(visit: Visit, asked: AskedOnPage) -> AsyncIterator[bytes]:
    try:
        async with aclosing(streamed(asked.answer)) as items:
            async for told in items:
                match told:
                    case ProgressEvent():
                        yield event("now", {"html": visit.html("_progress.html", told=told)})
                    case ToolCallLog():
                        yield event("step", {"html": visit.html("_step.html", call=told)})
                    case QueryValidationError():
                        yield event("step", {"html": visit.html("_sent_back.html", refusal=told)})
                    case Answer():
                        kept = await _conversation_with(visit, asked, told)
                        agent = await run_in_threadpool(visit.agent)
                        shown = ShownAnswer.of(told, agent.tools.source.dialect)
                        html = visit.html("_answer.html", shown=shown, conversation=kept)
                        yield event("answer", {"html": html, "trace": told.trace_id, "conversation": kept})
    except VeracityError as error:
        yield event("answer", {"html": visit.html("_error.html", detail=told_to_others(error), number=0)})
