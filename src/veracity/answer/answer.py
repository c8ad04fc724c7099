"""What a question comes to: the answer, its proof, and what it took."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from pydantic import AwareDatetime, PrivateAttr

from veracity.answer.as_table import frame_of, html_of, rows_of
from veracity.answer.coverage import ReceiptLine
from veracity.answer.render import FigureProvenance
from veracity.answer.results import Result, digest
from veracity.contracts import Cell, QueryValidationError, RepairCounters, TableData, ToolCallLog
from veracity.quality import QualityResult
from veracity.wire import Wire


class Outcome(StrEnum):
    """How a question ended."""

    ANSWERED = "answered"
    CLARIFY = "clarify"
    ABSTAINED = "abstained"
    BLOCKED = "blocked"


class UnderstoodBy(StrEnum):
    """How an answer about data came about."""

    READER = "reader"
    """The words of the question alone; no model was asked."""
    MODEL = "model"
    """A model filled in a semantic query, which the program checked, ran and worded."""
    PATTERN = "pattern"
    """A model was shown the call of a pattern that is near the question."""
    TOOLS = "tools"
    """A model chose the calls itself."""


class Clarification(Wire):
    """One question back, with suggested answers."""

    question: str
    options: tuple[str, ...] = ()


class WordOffer(Wire):
    """What choosing a reading could teach: an unknown word, and the known one that it stands for."""

    word: str
    means: str


class ReadingOption(Wire):
    """One thing that a question may mean: in words, and as a semantic query."""

    text: str
    query: dict[str, Any]
    teaches: WordOffer | None = None
    """Where a word of the question was unknown."""


class TaughtNote(Wire):
    """A taught word that an answer rests on."""

    taught_id: str
    word: str
    means: str
    who: str
    taught_at: AwareDatetime


class SourceQuery(Wire):
    """The query that made a result, and a digest of the rows it returned."""

    result: str
    tool: str
    table_name: str
    arguments: dict[str, Any]
    row_count: int
    truncated: bool
    digest: str

    @classmethod
    def of(cls, result: Result) -> SourceQuery:
        """What made this result."""
        return cls(
            result=result.data.result_id,
            tool=result.call.tool,
            table_name=result.data.table_name,
            arguments=result.arguments,
            row_count=result.data.row_count,
            truncated=result.data.truncated,
            digest=digest(result.data),
        )


class Tokens(Wire):
    """Tokens as the model counted them; 0 for a model that uses none."""

    prompt: int = 0
    """The first request: rules, tables and question."""
    input: int = 0
    output: int = 0


class RunTrace(Wire):
    """What a run cost and how it went."""

    model: str
    rounds: int
    calls: tuple[ToolCallLog, ...] = ()
    refusals: tuple[QueryValidationError, ...] = ()
    """Why answers were sent back to the model."""
    counters: RepairCounters = RepairCounters()
    tokens: Tokens = Tokens()
    seconds: float = 0.0


class Routed(Wire):
    """The way a request took, and the words that decided it."""

    route: str
    rule: str
    words: tuple[str, ...] = ()


class Answer(Wire):
    """One object per question, whatever came of it."""

    outcome: Outcome
    text: str
    provenance: tuple[FigureProvenance, ...] = ()
    """Every figure of the text with the cells it was computed from."""
    question: str
    understood_by: UnderstoodBy | None = None
    """How the question was understood; None where no data was asked for."""
    read_back: str | None = None
    """What was understood, in one sentence, where the meaning was read from the words."""
    semantic_query: dict[str, Any] | None = None
    """The meaning itself, in canonical form."""
    readings: tuple[ReadingOption, ...] = ()
    """Where the question was asked back: what it may mean."""
    assumptions: tuple[WordOffer, ...] = ()
    """What unknown words of the question were taken to mean; a language model said so."""
    worded_by_model: bool = False
    """Whether a language model wrote the text, which was then held against the query and its rows."""
    taught: tuple[TaughtNote, ...] = ()
    """The words that somebody taught and that the answer rests on."""
    follow_up: bool = False
    """Whether the question was read as a change of the one before."""
    clarification: Clarification | None = None
    receipt: tuple[ReceiptLine, ...] = ()
    """What the question names, and the part of a call that takes it up."""
    sources: tuple[SourceQuery, ...] = ()
    route: Routed | None = None
    """How the request was sorted, before anything was asked of a model."""
    skill: str | None = None
    """The skill that worked on it."""
    fields: dict[str, Any] | None = None
    """The parts of an output that has a schema; `text` holds them as JSON."""
    quality: QualityResult | None = None
    """What the skill's quality gate says of the text."""
    trace: RunTrace
    trace_id: str
    _tables: tuple[TableData, ...] = PrivateAttr(())

    def resting_on(self, tables: Iterable[TableData]) -> Answer:
        """The same answer with the rows that it rests on; they are for programs and not part of its JSON."""
        held = self.model_copy()
        held._tables = tuple(tables)
        return held

    @property
    def rows(self) -> list[dict[str, Cell]]:
        """The rows that it rests on, by column; empty where it has none, and after a trip through JSON."""
        return rows_of(self._tables)

    def to_frame(self) -> Any:
        """The rows as a data frame of pandas, or of polars where only that is installed."""
        return frame_of(self._tables)

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        return html_of(self.text, self._tables)
