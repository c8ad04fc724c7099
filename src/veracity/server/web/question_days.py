"""What became of questions, counted by day from their traces: outcomes, refusals, repairs, tokens, cost and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING, Any

from veracity.agent.recorder import TURNS, UNFINISHED
from veracity.evals.summary import nearest_rank
from veracity.server.counting import cost_of
from veracity.server.web.charts import ChartLine, line_of

if TYPE_CHECKING:
    from veracity.agent.trace_store import TraceRecord
    from veracity.settings import Settings


@dataclass(frozen=True, slots=True)
class RefusedDraftShown:
    """A draft that did not go out, and why; traces of earlier versions have the reason only."""

    text: str
    code: str
    hint: str


@dataclass(frozen=True, slots=True)
class AskedOnce:
    """One question, as far as it is counted."""

    trace_id: str
    question: str
    day: str
    outcome: str
    refused_calls: int
    repaired: int
    drafts: tuple[RefusedDraftShown, ...]
    tokens: int
    cost: float | None
    seconds: float
    model_seconds: float
    query_seconds: float

    @classmethod
    def of(cls, record: TraceRecord, home: Settings) -> AskedOnce:
        """What a trace tells; one that another version wrote tells less."""
        told: dict[str, Any] = record.body.get("trace") or {}
        counters, tokens = told.get("counters") or {}, told.get("tokens") or {}
        read, written = int(tokens.get("input", 0)), int(tokens.get("output", 0))
        return cls(
            trace_id=record.trace_id,
            question=record.question,
            day=f"{record.started_at:%Y-%m-%d}",
            outcome=record.outcome or UNFINISHED,
            refused_calls=int(counters.get("validationFailures", 0)),
            repaired=int(counters.get("conversions", 0)),
            drafts=_drafts(record.body.get("refusedDrafts") or told.get("refusals") or ()),
            tokens=read + written,
            cost=cost_of(home, record.model, read, written),
            seconds=float(told.get("seconds", 0.0)),
            model_seconds=sum(float(one.get("seconds", 0.0)) for one in record.body.get(TURNS) or ()),
            query_seconds=sum(float(one.get("milliseconds", 0.0)) for one in told.get("calls") or ()) / 1_000,
        )


def _drafts(kept: Sequence[dict[str, Any]]) -> tuple[RefusedDraftShown, ...]:
    return tuple(
        RefusedDraftShown(str(one.get("text") or ""), str(one.get("code") or ""), str(one.get("hint") or ""))
        for one in kept
    )


@dataclass(frozen=True, slots=True)
class DayOfQuestions:
    """The questions of one day, or all of them."""

    day: str
    asked: int
    outcomes: Counter[str]
    refused_calls: int
    repaired: int
    refused_drafts: int
    tokens: int
    cost: float | None
    """None where no model that answered has a price."""
    median_seconds: float
    p95_seconds: float
    model_seconds: float
    """Of the middle question that asked a model."""
    query_seconds: float

    @classmethod
    def of(cls, day: str, asked: Sequence[AskedOnce]) -> DayOfQuestions:
        """The sums of some questions."""
        costs = [one.cost for one in asked if one.cost is not None]
        times = [one.seconds for one in asked if one.outcome != UNFINISHED]
        by_model = [one.model_seconds for one in asked if one.model_seconds]
        return cls(
            day=day,
            asked=len(asked),
            outcomes=Counter(one.outcome for one in asked),
            refused_calls=sum(one.refused_calls for one in asked),
            repaired=sum(one.repaired for one in asked),
            refused_drafts=sum(len(one.drafts) for one in asked),
            tokens=sum(one.tokens for one in asked),
            cost=sum(costs) if costs else None,
            median_seconds=median(times) if times else 0.0,
            p95_seconds=nearest_rank(times, 0.95) if times else 0.0,
            model_seconds=median(by_model) if by_model else 0.0,
            query_seconds=median(one.query_seconds for one in asked) if asked else 0.0,
        )


def days_of(asked: Sequence[AskedOnce]) -> tuple[DayOfQuestions, ...]:
    """Questions by day, the oldest first."""
    ordered = sorted(asked, key=lambda one: one.day)
    return tuple(DayOfQuestions.of(day, list(found)) for day, found in groupby(ordered, key=lambda one: one.day))


def answered_line(days: Sequence[DayOfQuestions]) -> ChartLine | None:
    """The share of questions that were answered, over time; a single day is no line."""
    if len(days) < 2:
        return None
    shares = [(one, one.outcomes["answered"] / one.asked) for one in days]
    return line_of(
        [(one.day[5:], share, f"{one.day}: {one.outcomes['answered']} / {one.asked}") for one, share in shares]
    )
