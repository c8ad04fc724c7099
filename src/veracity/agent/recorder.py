"""What is kept of a run: its trace, written after every round and when it is cut off; and how a trace is read again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter

from pydantic import ValidationError

from veracity.agent.draft import RefusedDraft
from veracity.agent.loop import Run
from veracity.agent.model_turns import ModelTurn, without_rows, without_texts
from veracity.agent.trace_store import TraceRecord, Traces, new_trace_id
from veracity.answer.answer import Answer, RunTrace, Tokens
from veracity.contracts import repair_counters
from veracity.errors import ModelError, SourceError, UsageError, VeracityError

UNFINISHED = "unfinished"
"""The outcome of a question that was cancelled or abandoned, or whose model or source failed."""
_REFUSED, _BECAUSE, TURNS = "refusedDrafts", "unfinishedBecause", "modelTurns"
_BESIDE = ("understoodAs", "goesOnFrom", "rows", _REFUSED, _BECAUSE, TURNS)
"""What a trace holds besides the answer."""


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

    def progress(self, event: object) -> None:
        """What is being done is not kept, only what was done."""

    def round_done(self, run: Run) -> None:
        """Save what there is so far; of the last round, `finish` does it."""
        if run.stop is None:
            self._save_unfinished(run)

    @contextmanager
    def keeping(self, run: Run) -> Iterator[None]:
        """While a question is worked on: where that is cut off, what had happened until then is kept, and why it ended."""
        try:
            yield
        except BaseException as error:
            self._save_unfinished(run, why_cut_off(error))
            raise

    def finish(self, answer: Answer, run: Run) -> Answer:
        """Save the answer with its proof; one that could not be kept has no trace to be found by."""
        self._save(answer.model_dump(mode="json"), run, answer)
        return answer if self.note is None else answer.model_copy(update={"trace_id": ""})

    def _save_unfinished(self, run: Run, why: str | None = None) -> None:
        body: dict[str, object] = {"trace": run_trace(run, self.model, self.seconds).model_dump(mode="json")}
        self._save(body if why is None else {**body, _BECAUSE: why}, run, None)

    def _save(self, body: dict[str, object], run: Run, answer: Answer | None) -> None:
        if self.traces is None:
            return
        body["understoodAs"] = self.understood or self.question
        if self.goes_on_from is not None:
            body["goesOnFrom"] = self.goes_on_from
        if run.refused:
            body[_REFUSED] = [one.model_dump(mode="json") for one in run.refused]
        if run.turns:
            body[TURNS] = [self._kept_turn(one).model_dump(mode="json") for one in run.turns]
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
                    outcome=answer.outcome.value if answer else UNFINISHED,
                    text=answer.text if answer else None,
                    body=body,
                )
            )
        except (UsageError, SourceError) as error:
            self.traces, self.note = None, str(error)

    def _kept_turn(self, turn: ModelTurn) -> ModelTurn:
        """A turn as far as it is kept."""
        assert self.traces is not None
        if not self.traces.keep_prompts:
            return without_texts(turn)
        return turn if self.traces.keep_rows else without_rows(turn)


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


def why_cut_off(error: BaseException) -> str:
    """Why a run ended early, in words that hold no data and no address."""
    if isinstance(error, asyncio.CancelledError | KeyboardInterrupt | GeneratorExit):
        return "cancelled"
    if isinstance(error, ModelError):
        return error.told
    return str(error) if isinstance(error, VeracityError) else f"an error of Veracity's own ({type(error).__name__})"


# --- reading


def without_prompts(record: TraceRecord) -> TraceRecord:
    """A record for those who may not see what a model was sent and replied."""
    turns = record.body.get(TURNS)
    if not turns:
        return record
    kept = [without_texts(ModelTurn.model_validate(one)).model_dump(mode="json") for one in turns]
    return record.model_copy(update={"body": {**record.body, TURNS: kept}})


@dataclass(frozen=True, slots=True)
class KeptTrace:
    """A trace as this version reads it."""

    record: TraceRecord
    run: RunTrace
    answer: Answer | None
    """None: the run was cut off."""
    refused: tuple[RefusedDraft, ...] = ()
    """The drafts that did not pass."""
    because: str = ""
    """Why it was cut off, where that is known."""
    turns: tuple[ModelTurn, ...] = ()
    """What the model was sent and replied; without the texts where they are not kept."""

    @classmethod
    def of(cls, record: TraceRecord) -> KeptTrace | None:
        """What a record holds; None where another version wrote it so that this one cannot read it."""
        fields = {key: value for key, value in record.body.items() if key not in _BESIDE}
        try:
            answer = Answer.model_validate(fields) if record.finished else None
            begun = fields.get("trace") or {"model": record.model, "rounds": 0}
            run = answer.trace if answer else RunTrace.model_validate(begun)
            refused = tuple(RefusedDraft.model_validate(one) for one in record.body.get(_REFUSED) or ())
            turns = tuple(ModelTurn.model_validate(one) for one in record.body.get(TURNS) or ())
        except ValidationError:
            return None
        return cls(record, run, answer, refused, str(record.body.get(_BECAUSE) or ""), turns)
