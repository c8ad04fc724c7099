"""What an evaluation keeps: every attempt, how it was judged, and what that comes to per mode."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from veracity.answer.answer import Tokens, UnderstoodBy
from veracity.contracts import QueryValidationError, RepairCounters, TableData, ToolCallLog
from veracity.evals.cases import EvalCase
from veracity.wire import Wire


class Mode(StrEnum):
    """How much of the runtime is switched on; each mode adds to the one before."""

    BASELINE = "baseline"
    """Schema in the prompt, no validator, the model types its answer."""
    HINTS = "hints"
    """And the hints that an expert wrote."""
    VALIDATOR = "validator"
    """And calls are validated by the schema; the model gets errorDetails."""
    ONTOLOGY = "ontology"
    """The ontology takes the place of the hints, in the prompt and in the validator."""
    TOOLS = "tools"
    """And figures are expressions and answers are reviewed; the model gets every question, without reader and patterns."""
    MODEL_ONLY = "model-only"
    """The model fills in a semantic query for every question, which is checked and run; the reader answers none."""
    BOUND = "bound"
    """And what is clear from the words is read from them: the product."""


class Ended(StrEnum):
    """How an attempt ended: as an answer does, or in no answer at all."""

    ANSWERED = "answered"
    CLARIFY = "clarify"
    ABSTAINED = "abstained"
    BLOCKED = "blocked"
    TIMEOUT = "timeout"
    ERROR = "error"


class Attempt(Wire):
    """One question asked once, in one mode."""

    ended: Ended
    text: str = ""
    """What a user would have read."""
    understood_by: UnderstoodBy | None = None
    """How the answer came about; None where no data was asked for, or where it broke off."""
    locale: str = "en"
    """How numbers are written in the language of the question: de-CH, de-DE, en or zh."""
    calls: tuple[ToolCallLog, ...] = ()
    results: tuple[TableData, ...] = ()
    """The rows that came back; the first few hundred of each."""
    refusals: tuple[QueryValidationError, ...] = ()
    """Why drafts of the answer went back to the model; only in mode `bound`."""
    counters: RepairCounters = RepairCounters()
    rounds: int = 0
    tokens: Tokens = Tokens()
    seconds: float = 0.0
    error: str | None = None
    """Why there is no answer, in one sentence."""


class TrialVerdict(StrEnum):
    """What an attempt was worth. Only RIGHT counts as right."""

    RIGHT = "right"
    ABSTAINED = "abstained"
    """No answer was given: abstained, asked back or blocked. Never a wrong figure."""
    WRONG = "wrong"
    TIMEOUT = "timeout"
    ERROR = "error"
    UNJUDGED = "unjudged"
    """The judge failed at it: nobody knows what the answer is worth."""


class Score(Wire):
    """How an attempt was judged. None: the question expects nothing of the kind."""

    verdict: TrialVerdict
    false_refusal: bool = False
    """The data hold the answer, and it was not given."""
    outcome: bool
    """It ended as expected."""
    pattern: bool | None = None
    """A successful call has the tool, the table and the filters that were expected."""
    forbidden: bool | None = None
    """No forbidden tool was called successfully."""
    numeric: bool | None = None
    contains: bool | None = None
    rows: bool | None = None
    repair: bool | None = None
    """Every refused call was followed in the next round by a different, valid one."""
    reasons: tuple[str, ...] = ()
    """What went wrong, each in one short sentence for people."""


class Trial(Wire):
    """One line of `trials.jsonl`: a finished attempt, and for which question it was."""

    case_id: str
    mode: Mode
    run: int = Field(ge=1)
    fingerprint: str
    """Of question, mode, model, prompt and data: a trial with another one does not count for this evaluation."""
    at: datetime | None = None
    """When it was finished."""
    program: str = ""
    """A digest of the program that made it."""
    attempt: Attempt
    score: Score


class TrialFigures(Wire):
    """What any number of trials come to."""

    trials: int
    right: int
    abstained: int
    wrong: int
    timeouts: int
    errors: int
    unjudged: int = 0
    """Trials that the judge failed at."""
    accuracy: float
    """Right over all trials; a timeout, an error, an abstention and what could not be judged are not right."""
    p50_seconds: float
    p95_seconds: float


class Summary(TrialFigures):
    """What the trials of a mode come to."""

    mode: Mode
    false_refusals: int
    accuracy_deviation: float
    """Standard deviation of the runs' accuracies; 0 for one run."""
    pattern_compliance: float | None
    """Over the trials whose question expects a pattern or forbids a tool."""
    repair_triggered_count: int
    repair_succeeded_count: int
    repair_conversion_rate: float
    avg_validation_failures_per_run: float
    """Refused calls per trial."""
    answers_sent_back: int
    answers_mended: int
    """Trials whose draft went back and which then ended right."""
    rounds: int
    tokens: Tokens
    cost: float | None = None
    """In `currency` of the prices; None where prices are not known."""
    consistency: float
    """Questions with the same verdict in every run."""


class TrialGroup(Wire):
    """Trials of a mode that have something in common: the way to the answer, the source, the kind of question."""

    mode: Mode
    by: str
    """What they have in common: `understood by`, `source`, `kind` or `words`."""
    name: str
    trials: int
    right: int
    wrong: int
    not_answered: int
    """Neither right nor wrong: abstained or asked back where it should not, a timeout, an error, not judged."""
    asked_back: int
    """Those of them that asked back."""


class EvalResults(Wire):
    """`results.json`."""

    veracity: str
    """The version."""
    model: str
    source: str
    questions: str
    """The file they are from."""
    command: str
    """How to run it again."""
    started_at: datetime
    machine: str
    runs: int
    currency: str | None = None
    cases: tuple[EvalCase, ...]
    modes: tuple[Mode, ...]
    trials: tuple[Trial, ...]
    summaries: tuple[Summary, ...]
    groups: tuple[TrialGroup, ...] = ()
    """The verdicts apart: by the way to the answer, by source, by kind of question."""
    complete: bool
    """Every question was asked in every mode and run."""
