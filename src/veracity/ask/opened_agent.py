"""What an agent has, from opening to closing, and what it does besides answering questions: it is taught, and it runs queries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, Unpack

from veracity.agent.loop import Limits, Model
from veracity.agent.trace_store import Traces
from veracity.answer.answer import Answer
from veracity.ask.conversation import Conversation
from veracity.ask.meaning import MeaningReader
from veracity.ask.routed import Dispatch
from veracity.ask.teaching import AwaitedTeacher, Definition, Teacher, noted
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import ToolKind
from veracity.errors import UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.events import Events
from veracity.language.locale import language
from veracity.question import language_of
from veracity.semantic.query import SemanticQuery
from veracity.telemetry import Telemetry
from veracity.tools.semantic import QueryOutcome, SemanticTools
from veracity.tools.tables import in_event_loop
from veracity.tools.toolset import KnownWords, Toolset

if TYPE_CHECKING:
    from pydantic_ai.models import ModelRequestParameters

    from veracity.ontology.overlay import TaughtWord

_OF_THE_ONTOLOGY = (
    "tools",
    "known_words",
    "parameters",
    "instructions",
    "dispatch",
    "sibling",
    "semantic",
    "meaning",
    "teacher",
    "awaited",
    "renewed",
)
"""What of an agent is made from its ontology."""


class AskOptions(TypedDict, total=False):
    """How a question is asked; what is left out is as the agent was opened."""

    lang: str | None
    """The language of the answer; otherwise that of the question."""
    skill: str | None
    """A skill by its name, which beats every rule of routing."""
    conversation: Conversation | None
    """With one, follow-ups are understood."""
    assume: bool | None
    """What a model takes unknown words to mean is told and used, where it is likely, instead of asked back."""
    prose: bool | None
    """A model words the answer, and its words are held against it."""


class QueryOptions(TypedDict, total=False):
    """How a semantic query is answered."""

    lang: str | None
    with_sql: bool
    with_rows: bool
    dry_run: bool
    """Only compiled and read back."""


class TeachOptions(TypedDict, total=False):
    """Who teaches a word, at which question, in which language."""

    who: str
    question: str
    lang: str | None


_Done = TypeVar("_Done")


@dataclass(slots=True)
class OpenedAgent:
    """One source, one model or none, and what is known of both."""

    tools: Toolset
    known_words: KnownWords
    model: Model | None
    """None: questions are answered from their words alone."""
    model_name: str
    parameters: Callable[[], ModelRequestParameters]
    """What a model is told of the tools; made when it is asked."""
    instructions: Callable[[str], str]
    """language -> the prompt's prefix."""
    limits: Limits = field(default_factory=Limits)
    traces: Traces | None = None
    events: Events | None = None
    """Where it is kept what the guard stepped in for."""
    telemetry: Telemetry = field(default_factory=Telemetry.off)
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    answers: str = "bound"
    """`bound`: figures are expressions. `text`: figures are bound after the fact."""
    constants: Mapping[str, Decimal] = field(default_factory=dict)
    """Figures that may be said without a source, by name."""
    guard: GuardConfig = field(default_factory=GuardConfig)
    """What the guard looks for and lets pass."""
    dispatch: Dispatch | None = None
    """Sorts requests and picks skills; without one, everything is a question about the data."""
    sibling: Callable[[ToolKind], Self] | None = None
    """The same agent with tools of another kind, for skills that take them."""
    semantic: SemanticTools | None = None
    """Answers queries in the words of the ontology, without a model."""
    meaning: MeaningReader | None = None
    """Reads what a question means from its words, and answers where that is clear."""
    teacher: Teacher | None = None
    """Teaches words to the ontology; None where there is no ontology."""
    awaited: AwaitedTeacher | None = None
    """What was taught to the draft of a source that has no ontology; `renewed` makes the draft."""
    renewed: Callable[[], Self] | None = None
    """The same agent with what was taught since it was opened."""
    assume: bool = False
    """Whether likely meanings of unknown words are used instead of asked back, where a question says nothing of it."""
    prose: bool = False
    """Whether a model words the answers, where a question says nothing of it."""
    closed: bool = False
    note: str | None = None
    """What went wrong beside the answer: traces that could not be kept."""

    # --- what was taught

    def refresh(self) -> None:
        """Take up what was taught or undone since, by this process or another one."""
        known = self.teacher or self.awaited
        if known is not None and known.has_news:
            self._renew()

    def _renew(self) -> None:
        if self.renewed is None:
            return
        fresh = self.renewed()
        for name in _OF_THE_ONTOLOGY:
            setattr(self, name, getattr(fresh, name))

    def _noted(
        self, answer: Answer, question: UnderstoodQuestion, query: SemanticQuery | None, conversation: Conversation
    ) -> Answer:
        notes = self.teacher.rests_on(question.full, query) if self.teacher is not None else ()
        return noted(answer, notes, question.lang, before=conversation.taught)

    async def teach(self, word: str, means: str | Definition, **options: Unpack[TeachOptions]) -> TaughtWord:
        """Let a word mean what another one means, or a segment or measure that is defined; it is kept and can be undone."""
        self.refresh()
        if self.teacher is None and self.awaited is not None:
            self._renew()  # what is taught is taught to the draft of the source
        if self.teacher is None or self.semantic is None:
            raise UsageError("There is no ontology to teach; name one with --ontology, or write one first.")
        who, question = options.get("who", ""), options.get("question", "")
        code = language(options.get("lang") or language_of(question or word))
        taught = await self.teacher.teach(word, means, self.semantic, lang=code, who=who, question=question)
        self.refresh()
        return taught

    def teach_sync(self, word: str, means: str | Definition, **options: Unpack[TeachOptions]) -> TaughtWord:
        """`teach`, for code that is not async."""
        return at_the_edge("teach", lambda: self.teach(word, means, **options))

    def taught(self) -> tuple[TaughtWord, ...]:
        """What was taught to the ontology and is used."""
        self.refresh()
        return self.teacher.words if self.teacher is not None else ()

    def unteach(self, word: str, *, who: str = "") -> TaughtWord:
        """Use a taught word no more; it is named by itself or by its id."""
        if self.teacher is None:
            raise UsageError("There is no ontology, so that nothing was taught to it.")
        undone = self.teacher.store.undo(word, who=who, ontology=self.teacher.base.feature_code)
        self.refresh()
        return undone.taught

    # --- semantic queries

    async def query(self, query: SemanticQuery | Mapping[str, Any], **options: Unpack[QueryOptions]) -> QueryOutcome:
        """Answer a semantic query: what was understood, the answer in words, its rows; no model is asked."""
        self._check_open()
        self.refresh()
        if self.semantic is None:
            raise UsageError("This agent takes no semantic queries; open_agent makes one that does.")
        given = query if isinstance(query, SemanticQuery) else dict(query)
        return await self.semantic.query(
            given,
            lang=options.get("lang") or "en",
            with_sql=options.get("with_sql", False),
            with_rows=options.get("with_rows", False),
            dry_run=options.get("dry_run", False),
        )

    def query_sync(self, query: SemanticQuery | Mapping[str, Any], **options: Unpack[QueryOptions]) -> QueryOutcome:
        """`query`, for code that is not async."""
        return at_the_edge("query", lambda: self.query(query, **options))

    # --- from opening to closing

    def __enter__(self) -> Self:
        self._check_open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the source and send what telemetry still holds; what is asked afterwards is refused."""
        if not self.closed:
            self.closed = True
            self.tools.close()
            self.telemetry.shutdown()

    def _check_open(self) -> None:
        if self.closed:
            raise UsageError("This agent is closed; open another one with open_agent.")


def at_the_edge(name: str, work: Callable[[], Coroutine[Any, Any, _Done]]) -> _Done:
    """Run async work for code that is not async."""
    if in_event_loop():
        raise UsageError(f"{name}_sync cannot run inside an event loop; write `await agent.{name}(...)` there.")
    return asyncio.run(work())
