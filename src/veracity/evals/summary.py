"""What trials come to: the runs of a question taken together, the figures of a mode, and what the tokens cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from math import ceil
from statistics import pstdev
from typing import Any

from pydantic import Field

from veracity.answer.answer import Tokens
from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt, EvalResults, Mode, Score, Summary, Trial, TrialVerdict
from veracity.wire import Wire

WORTH = {
    TrialVerdict.WRONG: 0,
    TrialVerdict.ERROR: 1,
    TrialVerdict.UNJUDGED: 1,
    TrialVerdict.TIMEOUT: 1,
    TrialVerdict.ABSTAINED: 2,
    TrialVerdict.RIGHT: 3,
}
"""No answer is better than a wrong one; saying so is better than running out of time."""
_COUNTED = {
    "right": TrialVerdict.RIGHT,
    "abstained": TrialVerdict.ABSTAINED,
    "wrong": TrialVerdict.WRONG,
    "timeouts": TrialVerdict.TIMEOUT,
    "errors": TrialVerdict.ERROR,
    "unjudged": TrialVerdict.UNJUDGED,
}
_MILLION = 1_000_000


# --- the runs of one question in one mode


class TallyKind(StrEnum):
    """What became of a question."""

    BROKE = "broke"
    """It was right, and is not any more; or it is wrong now, and was not."""
    WORSE = "worse"
    BETTER = "better"
    CHANGED = "changed"
    """Neither: another kind of failure, or the same verdict in more or fewer of the runs."""
    SAME = "same"


class Tally(Wire):
    """The runs of one question in one mode."""

    verdict: TrialVerdict
    """That of most runs; the worst of them where they are even."""
    verdicts: dict[TrialVerdict, int]
    """How many runs ended how."""

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> Tally:
        """What one trial or more come to."""
        counts = Counter(trial.score.verdict for trial in trials)
        verdict = min(counts, key=lambda each: (-counts[each], WORTH[each]))
        return cls(verdict=verdict, verdicts={each: counts[each] for each in TrialVerdict if counts[each]})

    @property
    def runs(self) -> int:
        """How often it was asked."""
        return sum(self.verdicts.values())

    @property
    def shares(self) -> dict[TrialVerdict, float]:
        """Of the runs, which part ended how."""
        return {each: count / self.runs for each, count in self.verdicts.items()}

    def __str__(self) -> str:
        if self.runs == 1:
            return self.verdict
        ordered = sorted(self.verdicts, key=lambda each: (each is not self.verdict, -self.verdicts[each]))
        return ", ".join(f"{each} {self.verdicts[each]}/{self.runs}" for each in ordered)


def change(before: Tally, after: Tally) -> TallyKind:
    """What became of a question between two tallies."""
    if before.verdict is after.verdict:
        return TallyKind.SAME if before.shares == after.shares else TallyKind.CHANGED
    if before.verdict is TrialVerdict.RIGHT or after.verdict is TrialVerdict.WRONG:
        return TallyKind.BROKE
    gain = WORTH[after.verdict] - WORTH[before.verdict]
    return TallyKind.BETTER if gain > 0 else TallyKind.WORSE if gain < 0 else TallyKind.CHANGED


def tallies(results: EvalResults) -> dict[tuple[str, Mode], Tally]:
    """Every question in every mode that was tried."""
    return {key: Tally.of(trials) for key, trials in tried(results).items()}


def tried(results: EvalResults) -> dict[tuple[str, Mode], list[Trial]]:
    """The runs of every question in every mode."""
    found: dict[tuple[str, Mode], list[Trial]] = {}
    for trial in results.trials:
        found.setdefault((trial.case_id, trial.mode), []).append(trial)
    return found


def failed(trial: Trial) -> bool:
    """Whether a trial was not right."""
    return trial.score.verdict is not TrialVerdict.RIGHT


def worst(trials: Sequence[Trial]) -> Trial:
    """The run that a person should look at."""
    return min(trials, key=lambda trial: (WORTH[trial.score.verdict], trial.run))


def worst_first(results: EvalResults) -> list[EvalCase]:
    """The questions, those first that the last mode gets wrong; then those that failed most in all modes."""
    found = tried(results)
    best, last = WORTH[TrialVerdict.RIGHT], results.modes[-1:]

    def badness(case: EvalCase) -> tuple[int, int]:
        worths = {
            mode: [WORTH[trial.score.verdict] for trial in found.get((case.id, mode), ())] for mode in results.modes
        }
        final = min((worth for mode in last for worth in worths[mode]), default=best)
        return final, sum(worth - best for every in worths.values() for worth in every)

    return sorted(results.cases, key=badness)


# --- the figures of many trials


def counted(verdicts: Sequence[TrialVerdict], seconds: Sequence[float]) -> dict[str, Any]:
    """The fields of `TrialFigures`."""
    return {
        "trials": len(verdicts),
        **{name: verdicts.count(verdict) for name, verdict in _COUNTED.items()},
        "accuracy": accuracy(verdicts),
        "p50_seconds": nearest_rank(seconds, 0.5),
        "p95_seconds": nearest_rank(seconds, 0.95),
    }


def accuracy(verdicts: Iterable[TrialVerdict]) -> float:
    """Which part of some trials was right; 0 of none."""
    return _share(verdict is TrialVerdict.RIGHT for verdict in verdicts)


def deviation(runs: Iterable[Sequence[TrialVerdict]]) -> float:
    """How far the runs' accuracies lie from their mean, each run counting once; 0 for one run."""
    accuracies = [accuracy(run) for run in runs]
    return pstdev(accuracies) if len(accuracies) > 1 else 0.0


def consistency(questions: Iterable[Iterable[TrialVerdict]]) -> float:
    """The share of questions with the same verdict in every run."""
    same = [len(set(verdicts)) == 1 for verdicts in questions]
    return _share(same) if same else 1.0


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed; 0 of none."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)] if values else 0.0


def _share(met: Iterable[bool]) -> float:
    held = list(met)
    return sum(held) / max(1, len(held))


def tokens_of(attempts: Iterable[Attempt]) -> Tokens:
    """The tokens of some attempts together."""
    held = [attempt.tokens for attempt in attempts]
    return Tokens(**{name: sum(getattr(one, name) for one in held) for name in ("prompt", "input", "output")})


def summarize(mode: Mode, trials: Sequence[Trial], *, prices: Prices | None = None) -> Summary:
    """The aggregates of the trials of one mode; trials of other modes are left out."""
    own = [trial for trial in trials if trial.mode is mode]
    attempts = [trial.attempt for trial in own]
    triggered = sum(attempt.counters.validation_failures for attempt in attempts)
    succeeded = sum(attempt.counters.conversions for attempt in attempts)
    tokens = tokens_of(attempts)
    by_run: dict[int, list[TrialVerdict]] = {}
    by_case: dict[str, list[TrialVerdict]] = {}
    for trial in own:
        by_run.setdefault(trial.run, []).append(trial.score.verdict)
        by_case.setdefault(trial.case_id, []).append(trial.score.verdict)
    return Summary(
        mode=mode,
        **counted([trial.score.verdict for trial in own], [attempt.seconds for attempt in attempts]),
        false_refusals=sum(trial.score.false_refusal for trial in own),
        accuracy_deviation=deviation(by_run.values()),
        pattern_compliance=_compliance([trial.score for trial in own]),
        repair_triggered_count=triggered,
        repair_succeeded_count=succeeded,
        repair_conversion_rate=succeeded / max(1, triggered),
        avg_validation_failures_per_run=triggered / max(1, len(own)),
        answers_sent_back=sum(len(attempt.refusals) for attempt in attempts),
        answers_mended=sum(bool(trial.attempt.refusals) and not failed(trial) for trial in own),
        rounds=sum(attempt.rounds for attempt in attempts),
        tokens=tokens,
        cost=None if prices is None else prices.cost(tokens),
        consistency=consistency(by_case.values()),
    )


def _compliance(scores: Sequence[Score]) -> float | None:
    """The share of trials that kept to the pattern and off the forbidden tools, of those that had any to keep to."""
    judged = [[met for met in (score.pattern, score.forbidden) if met is not None] for score in scores]
    kept = [all(one) for one in judged if one]
    return _share(kept) if kept else None


# --- what tokens cost


class Prices(Wire):
    """What a model costs, per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    currency: str = "USD"

    def cost(self, tokens: Tokens) -> float:
        """What tokens cost, in `currency`."""
        return (tokens.input * self.input + tokens.output * self.output) / _MILLION


def known_prices(model: str) -> Prices | None:
    """The list prices of `openai:NAME` or `anthropic:NAME`; None for models that run elsewhere."""
    from genai_prices import Usage, calc_price

    provider, found, name = model.partition(":")
    if not found or provider not in ("openai", "anthropic"):
        return None
    try:
        into = calc_price(Usage(input_tokens=_MILLION), name, provider_id=provider).total_price
        out = calc_price(Usage(output_tokens=_MILLION), name, provider_id=provider).total_price
    except LookupError:
        return None
    return Prices(input=float(into), output=float(out), currency="USD")
