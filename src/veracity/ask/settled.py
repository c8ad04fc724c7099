"""What a question came to: an answer with its proof, a question back, or a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from veracity.answer.answer import Clarification, Outcome, ReadingOption
from veracity.answer.render import FigureProvenance
from veracity.answer.results import Result
from veracity.contracts import ToolCallLog
from veracity.semantic.query import SemanticQuery

if TYPE_CHECKING:
    from veracity.ask.model_query import WordAssumption


@dataclass(frozen=True, slots=True)
class SettledMeaning:
    """What a question came to."""

    outcome: Outcome
    text: str
    clarification: Clarification | None = None
    read_back: str | None = None
    query: SemanticQuery | None = None
    readings: tuple[ReadingOption, ...] = ()
    provenance: tuple[FigureProvenance, ...] = ()
    results: tuple[tuple[Result, ToolCallLog], ...] = ()
    """The rows that it rests on, and the calls that fetched them."""
    offers: Mapping[str, SemanticQuery] = field(default_factory=dict)
    """What each option of a question back stands for."""
    edits: bool = False
    """Whether the question was read as a change of the last query."""
    by_model: bool = False
    """Whether a language model said what was meant."""
    assumptions: tuple[WordAssumption, ...] = ()
    """What unknown words were taken to mean."""
    worded_by_model: bool = False
    """Whether the text is a model's, held against what the program would say."""
