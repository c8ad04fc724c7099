"""The benchmark: questions by difficulty, each within its time, in several runs, held against a baseline.

cases -> seconds_for      what a question may take; then it is stopped
      -> Measured         verdict and seconds of every run: what `baseline.json` keeps
      -> CHECKS           is the baseline of the same benchmark?
      -> RULES            what got worse, by more than the noise of the runs
      -> Judgement        for the report and for CI
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain
from math import sqrt
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, model_validator

from veracity.errors import UsageError
from veracity.evals.cases import Difficulty, EvalCase
from veracity.evals.records import EvalResults, Mode, TrialFigures, TrialVerdict
from veracity.evals.summary import consistency, counted, deviation, tried
from veracity.evals.writing import first_of, first_problem, percent, short, write_whole
from veracity.wire import Wire
from veracity.yaml_file import read_bytes

FORMAT = 1
"""Of `baseline.json`; a change of what is measured, or how, gets the next number."""
BASELINE = "baseline.json"
MODE = Mode.BOUND
"""A benchmark measures the product as it is."""

SECONDS = {Difficulty.EASY: 45.0, Difficulty.MEDIUM: 60.0, Difficulty.HARD: 90.0}
OTHERWISE = 60.0

_MOST_BYTES = 50_000_000
_ERRORS = 2
"""Standard errors by which accuracy has to fall: chance alone does that about once in forty comparisons."""
_ROUNDING = 1e-9
_REPLACE = "Replace it with --update-baseline, or name another folder with --out."


def seconds_for(case: EvalCase) -> float:
    """How long a question may take: its own time, else that of its difficulty."""
    return case.timeout or (SECONDS[case.difficulty] if case.difficulty else OTHERWISE)


def easy(cases: Sequence[EvalCase], questions: str) -> tuple[EvalCase, ...]:
    """The questions of a fast benchmark."""
    found = tuple(case for case in cases if case.difficulty is Difficulty.EASY)
    if not found:
        raise UsageError(
            f"--fast asks the easy questions only, and {questions} has none; mark some with difficulty: easy."
        )
    return found


# --- what is measured


class Conditions(Wire):
    """What two measurements must have in common to be compared."""

    mode: str
    """llm or offline."""
    fast: bool
    model: str
    data: str
    """The source and the scope in it."""
    questions: str
    """Where they are from; what counts is their digest."""
    digest: str
    """Of the questions, what is expected of them and how long they may take."""


class CaseRuns(Wire):
    """One question: how each run of it ended, and what it took."""

    id: str
    difficulty: Difficulty | None
    verdicts: tuple[TrialVerdict, ...] = Field(min_length=1)
    seconds: tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...]

    @property
    def right(self) -> int:
        """In how many runs it was right."""
        return self.verdicts.count(TrialVerdict.RIGHT)

    @property
    def passed(self) -> bool:
        """It was right in most of its runs."""
        return 2 * self.right > len(self.verdicts)

    @property
    def scatter(self) -> float:
        """The squares by which the runs differ from their mean, a right one being 1 and any other 0."""
        return self.right * (len(self.verdicts) - self.right) / len(self.verdicts)


class Figures(TrialFigures):
    """What some questions come to."""

    cases: int
    passed: int
    deviation: float
    """Standard deviation of the accuracies of the runs; 0 for one run."""
    consistency: float | None
    """Questions that ended in the same way in every run; None for one run, which says nothing of it."""

    @classmethod
    def of(cls, cases: Sequence[CaseRuns]) -> Figures:
        """The figures of at least one question."""
        verdicts = [case.verdicts for case in cases]
        return cls(
            **counted(list(chain(*verdicts)), list(chain(*(case.seconds for case in cases)))),
            cases=len(cases),
            passed=sum(case.passed for case in cases),
            deviation=deviation(zip(*verdicts, strict=True)),
            consistency=consistency(verdicts) if len(verdicts[0]) > 1 else None,
        )


class Measured(Wire):
    """A finished benchmark, as `baseline.json` keeps it."""

    format: int = FORMAT
    conditions: Conditions
    veracity: str
    measured_at: datetime
    machine: str
    command: str
    runs: int = Field(ge=1)
    figures: Figures
    """For people who read the file; computed from the cases again when it is read."""
    cases: tuple[CaseRuns, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _has_every_run(self) -> Measured:
        if any(len(case.verdicts) != self.runs or len(case.seconds) != self.runs for case in self.cases):
            raise ValueError(f"every case has {self.runs} verdicts and as many seconds")
        if len({case.id for case in self.cases}) != len(self.cases):
            raise ValueError("a case is there twice")
        return self


def measured(results: EvalResults, conditions: Conditions) -> Measured:
    """What a complete evaluation comes to as a benchmark."""
    found = tried(results)
    cases = tuple(
        CaseRuns(
            id=case.id,
            difficulty=case.difficulty,
            verdicts=tuple(trial.score.verdict for trial in found[case.id, MODE]),
            seconds=tuple(trial.attempt.seconds for trial in found[case.id, MODE]),
        )
        for case in results.cases
    )
    return Measured(
        conditions=conditions,
        veracity=results.veracity,
        measured_at=results.started_at,
        machine=results.machine,
        command=results.command,
        runs=results.runs,
        figures=Figures.of(cases),
        cases=cases,
    )


def digest_of(cases: Sequence[EvalCase]) -> str:
    """The same for the same questions with the same expectations and times, in any order."""
    asked = sorted(
        [case.model_dump_json(exclude={"intent", "difficulty", "timeout"}), seconds_for(case)] for case in cases
    )
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]


# --- the baseline


def load_baseline(path: Path) -> Measured | None:
    """The baseline, if there is one; raises `UsageError` for a file that is none."""
    if not path.exists():
        return None
    long = f"a baseline is a few pages. {_REPLACE.rstrip('.')}"
    raw = read_bytes(path, UsageError, most=_MOST_BYTES, too_long=long, otherwise="; name another folder with --out")
    try:
        found = Measured.model_validate_json(raw)
    except ValidationError as error:
        raise _no_baseline(path, raw, error) from None
    if found.format != FORMAT:
        raise _other_format(path, found.format)
    return found.model_copy(update={"figures": Figures.of(found.cases)})


def save_baseline(baseline: Measured, path: Path) -> None:
    """Write it, whole or not at all."""
    try:
        write_whole(path, baseline.model_dump_json(indent=1) + "\n")
    except OSError as error:
        raise UsageError(
            f"The baseline cannot be written to {path}: {(error.strerror or 'unknown').lower()}."
        ) from None


def _no_baseline(path: Path, raw: bytes, error: ValidationError) -> UsageError:
    from pydantic_core import from_json

    try:
        data: Any = from_json(raw)
    except ValueError:
        return UsageError(f"{path} is damaged: it is not valid JSON. {_REPLACE}")
    known = data.get("format") if isinstance(data, dict) else None
    if isinstance(known, int) and known != FORMAT:
        return _other_format(path, known)
    return UsageError(f"{path} is not a baseline, or damaged: {first_problem(error)}. {_REPLACE}")


def _other_format(path: Path, known: int) -> UsageError:
    return UsageError(
        f"{path} has format {short(str(known), 20)}, and this version compares format {FORMAT}. {_REPLACE}"
    )


# --- is it of the same benchmark?


def _same_extent(before: Conditions, now: Conditions) -> str | None:
    if before.fast == now.fast:
        return None
    return (
        f"it is of a {'fast' if before.fast else 'full'} benchmark, and this is a {'fast' if now.fast else 'full'} one"
    )


def _same_model(before: Conditions, now: Conditions) -> str | None:
    if (before.mode, before.model) == (now.mode, now.model):
        return None
    return f"it is of the model {short(before.model, 80)}, and this is {short(now.model, 80)}"


def _same_data(before: Conditions, now: Conditions) -> str | None:
    if before.data == now.data:
        return None
    return f"it is of other data ({short(before.data, 120)}), and this is {short(now.data, 120)}"


def _same_questions(before: Conditions, now: Conditions) -> str | None:
    if before.digest == now.digest:
        return None
    return f"it is of other questions, expectations or times ({short(before.questions, 80)})"


CHECKS = (_same_extent, _same_model, _same_data, _same_questions)


def check_comparable(before: Measured, now: Conditions, path: Path) -> None:
    """Raise the first reason why a baseline says nothing about what is measured now."""
    for check in CHECKS:
        if reason := check(before.conditions, now):
            raise UsageError(f"{path} cannot be compared: {reason}. {_REPLACE}")


# --- what got worse


def noise(before: Measured, now: Measured) -> float:
    """By how much accuracy may differ by chance: twice the standard error of the difference.

    s² = (squares by which the runs of each question differ from their mean, over both sides) / (questions · (runs - 1), over both sides)
    noise = 2 · √(s² / trials before + s² / trials now)

    Runs that never differ have none, and a single run on both sides shows none: then every loss counts.
    """
    squares = sum(case.scatter for side in (before, now) for case in side.cases)
    freedom = sum(len(side.cases) * (side.runs - 1) for side in (before, now))
    variance = squares / freedom if freedom else 0.0
    return _ERRORS * sqrt(variance / before.figures.trials + variance / now.figures.trials)


def _accuracy_fell(before: Measured, now: Measured) -> Iterator[str]:
    was, is_now, chance = before.figures.accuracy, now.figures.accuracy, noise(before, now)
    if was - is_now > chance + _ROUNDING:
        beyond = f"more than the noise between the runs ({chance * 100:.1f} points)" if chance else "without any noise"
        yield f"Accuracy fell from {percent(was)} to {percent(is_now)}, {beyond}."


def _lost_for_good(before: Measured, now: Measured) -> Iterator[str]:
    lost = [new.id for old, new in _pairs(before, now) if old.right == before.runs and not new.right]
    if lost:
        yield f"Right in every run before, and in none now: {first_of(lost)}."


def _new_wrong(before: Measured, now: Measured) -> Iterator[str]:
    """A wrong figure is never noise."""
    wrong = [
        new.id
        for old, new in _pairs(before, now)
        if TrialVerdict.WRONG in new.verdicts and TrialVerdict.WRONG not in old.verdicts
    ]
    if wrong:
        yield f"Wrong now, and never before: {first_of(wrong)}."


RULES = (_new_wrong, _lost_for_good, _accuracy_fell)


def _pairs(before: Measured, now: Measured) -> Iterator[tuple[CaseRuns, CaseRuns]]:
    earlier = {case.id: case for case in before.cases}
    return ((earlier[case.id], case) for case in now.cases if case.id in earlier)


class BenchmarkJudgement(Wire):
    """A benchmark held against its baseline."""

    now: Measured
    before: Measured | None = None
    noise: float | None = None
    """By how much accuracy may differ by chance; None without a baseline."""
    regressions: tuple[str, ...] = ()
    """What got worse, each in one sentence. Latency is told, and never counts."""
    baseline_updated: bool = False


def judge(now: Measured, before: Measured | None) -> BenchmarkJudgement:
    """What became of the baseline."""
    if before is None:
        return BenchmarkJudgement(now=now)
    found = tuple(sentence for rule in RULES for sentence in rule(before, now))
    return BenchmarkJudgement(now=now, before=before, noise=noise(before, now), regressions=found)
