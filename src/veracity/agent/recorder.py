"""What is kept of a run: its trace, written after every round, so that a crash loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter

from veracity.agent.loop import Run
from veracity.agent.trace_store import TraceRecord, Traces, new_trace_id
from veracity.answer.answer import Answer, RunTrace, Tokens
from veracity.contracts import repair_counters
from veracity.errors import SourceError, UsageError


@dataclass(slots=True)
class Recorder:
    """Looks on while a question is worked on, and keeps what there is of it so far."""

    traces: Traces | None
    clock: Callable[[], datetime]
    question: str
    lang: str
    model: str
    source: str = ""
    understood: str | None = None
    """The question with what a follow-up leaves out."""
    goes_on_from: object = None
    """The query that the next question may change, where this one has none itself."""
    note: str | None = None
    """Why the trace could not be kept; that does not cost the answer."""
    started: datetime = field(init=False)
    trace_id: str = field(init=False)
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self.started, self._began = self.clock(), perf_counter()
        self.trace_id = new_trace_id(self.started)

    @property
    def seconds(self) -> float:
        """How long it took so far."""
        return perf_counter() - self._began

    def calling(self, tool: str, arguments: object) -> None:
        """Nothing is written before a call came back."""

    def called(self, log: object) -> None:
        """Calls are written with their round."""

    def round_done(self, run: Run) -> None:
        """Save what there is so far; of the last round, `finish` does it."""
        if run.stop is None:
            self._save({"trace": run_trace(run, self.model, self.seconds).model_dump(mode="json")}, run, None)

    def finish(self, answer: Answer, run: Run) -> None:
        """Save the answer with its proof."""
        self._save(answer.model_dump(mode="json"), run, answer)

    def _save(self, body: dict[str, object], run: Run, answer: Answer | None) -> None:
        if self.traces is None:
            return
        body["understoodAs"] = self.understood or self.question
        if self.goes_on_from is not None:
            body["goesOnFrom"] = self.goes_on_from
        if self.traces.keep_rows:
            body["rows"] = {name: result.data.model_dump(mode="json") for name, result in run.results.items()}
        try:
            self.traces.save(
                TraceRecord(
                    trace_id=self.trace_id,
                    started_at=self.started,
                    updated_at=self.clock(),
                    finished=answer is not None,
                    question=self.question,
                    lang=self.lang,
                    model=self.model,
                    source=self.source,
                    outcome=answer.outcome.value if answer else None,
                    text=answer.text if answer else None,
                    body=body,
                )
            )
        except (UsageError, SourceError) as error:
            self.traces, self.note = None, str(error)


def run_trace(run: Run, model: str, seconds: float) -> RunTrace:
    """What a run cost and how it went."""
    return RunTrace(
        model=model,
        rounds=run.rounds,
        calls=tuple(run.calls),
        refusals=tuple(run.refusals),
        counters=repair_counters(run.calls),
        tokens=Tokens(prompt=run.prompt_tokens, input=run.input_tokens, output=run.output_tokens),
        seconds=round(seconds, 3),
    )
