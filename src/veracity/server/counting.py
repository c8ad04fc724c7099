"""Looks on while a question is answered, and counts what it takes: for the metrics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from veracity.agent.loop import Run, Watch
from veracity.agent.progress import Doing, ProgressEvent
from veracity.agent.recorder import UNFINISHED
from veracity.answer.answer import Answer
from veracity.contracts import ToolCallLog
from veracity.server.metrics import Metrics
from veracity.settings import Settings


@dataclass(slots=True)
class CountingWatch:
    """Passes everything on to another watch, and counts the turns of the model."""

    metrics: Metrics
    model: str
    home: Settings
    other: Watch | None
    began: float
    outcome: str = UNFINISHED
    asked_at: float | None = None

    def calling(self, tool: str, arguments: Any) -> None:
        """A call is about to run."""
        if self.other is not None:
            self.other.calling(tool, arguments)

    def called(self, log: ToolCallLog) -> None:
        """A call came back."""
        if self.other is not None:
            self.other.called(log)

    def progress(self, event: ProgressEvent) -> None:
        """A turn of the model begins with the first event that says so, and is told again while it lasts."""
        if event.step is Doing.ASKING and self.asked_at is None:
            self.asked_at = event.seconds
        elif event.step is Doing.REPLIED and self.asked_at is not None:
            self.metrics.model_turn(self.model, event.seconds - self.asked_at)
            self.asked_at = None
        if self.other is not None:
            self.other.progress(event)

    def round_done(self, run: Run) -> None:
        """A round ended."""
        if self.other is not None:
            self.other.round_done(run)

    def answered(self, answer: Answer, tools: tuple[str, ...]) -> None:
        """Count what the trace of an answer tells."""
        trace, self.outcome = answer.trace, answer.outcome
        for call in trace.calls:
            self.metrics.call(*_tool_and_code(call, tools))
        for refusal in trace.refusals:
            self.metrics.stopped(str(refusal.code))
        self.metrics.repaired(trace.counters.conversions)
        if trace.tokens.input or trace.tokens.output:
            self.metrics.tokens(self.model, trace.tokens.input, trace.tokens.output)
            if (cost := cost_of(self.home, self.model, trace.tokens.input, trace.tokens.output)) is not None:
                self.metrics.cost(self.model, self.home.currency, cost)


@contextmanager
def counted_question(metrics: Metrics, model: str, home: Settings, other: Watch | None) -> Iterator[CountingWatch]:
    """Count a question, also one that is cut off or fails."""
    watch = CountingWatch(metrics, model, home, other, perf_counter())
    with metrics.question():
        try:
            yield watch
        finally:
            metrics.answer(watch.outcome, perf_counter() - watch.began)


def cost_of(home: Settings, model: str, read: int, written: int) -> float | None:
    """What so many tokens cost; None where the model has no price."""
    price = home.prices.get(model)
    return None if price is None else (read * price.input + written * price.output) / 1_000_000


def _tool_and_code(call: ToolCallLog, known: tuple[str, ...]) -> tuple[str, str]:
    """A tool and how its call ended; names that a model made up are counted together."""
    code = "ok" if call.success else call.validation_failure_code or "failed"
    return call.tool if call.tool in known else "other", str(code)
