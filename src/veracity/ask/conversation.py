"""A conversation: what was asked and answered before, bounded."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from veracity.answer.answer import Answer, TaughtNote
from veracity.answer.results import Result
from veracity.ask.completion import goes_on, names_a_change
from veracity.ask.understood import UnderstoodQuestion
from veracity.semantic.query import SemanticQuery

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

    from veracity.agent.trace_store import TraceRecord

Understand = Callable[[str, str | None, "Conversation"], Awaitable[UnderstoodQuestion]]
"""Reads a question, in a language that may be given, behind a conversation."""
_TURNS = 6
_RESULTS = 20


@dataclass(slots=True)
class Conversation:
    """Earlier questions with their answers, and the results they rest on."""

    turns: list[tuple[str, str]] = field(default_factory=list)
    results: dict[str, Result] = field(default_factory=dict)
    asked: UnderstoodQuestion | None = None
    """The last question that says by itself what it is about."""
    last: Answer | None = None
    offers: Mapping[str, SemanticQuery] = field(default_factory=dict)
    """What the options of the last question back stand for."""
    query: SemanticQuery | None = None
    """What the last question meant, where it was read by its words; a follow-up changes it."""
    taught: tuple[TaughtNote, ...] = ()
    """The taught words that the last answer rests on."""

    @property
    def lang(self) -> str | None:
        """The language that is spoken."""
        return self.asked.lang if self.asked else None

    def remember(self, question: UnderstoodQuestion, answer: Answer, results: Mapping[str, Result]) -> None:
        """Keep a turn; the oldest are forgotten, the ids of results go on counting."""
        self.turns = [*self.turns, (question.full, answer.text)][-_TURNS:]
        old = list(results)[:-_RESULTS]
        self.results = {name: _emptied(result) if name in old else result for name, result in results.items()}
        self.last, self.taught = answer, answer.taught
        if self.asked is None or not goes_on(question.full) or names_a_change(question.reading):
            self.asked = question.completed()

    def messages(self) -> list[ModelMessage]:
        """The earlier turns as a model reads them."""
        from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart

        said: list[ModelMessage] = []
        for question, answer in self.turns:
            said.append(ModelRequest(parts=[UserPromptPart(question)]))
            said.append(ModelResponse(parts=[TextPart(answer)]))
        return said

    def earlier_results(self) -> str:
        """The results that may still be cited, each with its call."""
        lines = [
            f"{name} = {result.call.tool} {json.dumps(result.arguments, ensure_ascii=False, default=str)}"
            for name, result in list(self.results.items())[-_RESULTS:]
        ]
        return "Earlier results: " + "; ".join(lines) if lines else ""


async def conversation_after(record: TraceRecord, understand: Understand) -> Conversation:
    """The conversation that an earlier question began: its text and its answer, read again from its trace."""
    understood = str(record.body.get("understoodAs") or record.question)
    asked = await understand(understood, record.lang or None, Conversation())
    kept = record.body.get("semanticQuery") or record.body.get("goesOnFrom")
    return Conversation(
        turns=[(asked.full, record.text)] if record.text else [],
        asked=asked,
        offers=offers_of(record.body.get("readings") or ()),
        query=query_of(kept),
        taught=taught_of(record.body.get("taught") or ()),
    )


def offers_of(readings: Iterable[Mapping[str, Any]]) -> dict[str, SemanticQuery]:
    """What the options of a question back stand for, from the answer as it was kept."""
    return {str(one["text"]): SemanticQuery.model_validate(one["query"]) for one in readings}


def taught_of(notes: Iterable[Mapping[str, Any]]) -> tuple[TaughtNote, ...]:
    """The taught words that an answer rests on, from the answer as it was kept."""
    return tuple(TaughtNote.model_validate(one) for one in notes)


def query_of(kept: Mapping[str, Any] | None) -> SemanticQuery | None:
    """What a question meant, from the answer as it was kept."""
    return SemanticQuery.model_validate(kept) if kept else None


def _emptied(result: Result) -> Result:
    """A result whose rows are forgotten; nothing can be cited from it or counted in it any more."""
    data = result.data.model_copy(update={"rows": (), "row_count": 0, "truncated": True})
    return replace(result, data=data)
