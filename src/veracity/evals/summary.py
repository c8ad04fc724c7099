"""What the trials of a mode come to: the seed's figures, the verdicts apart, and what it took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil
from statistics import pstdev

from pydantic import Field

from veracity.answer.answer import Tokens
from veracity.evals.records import Mode, Score, Summary, Trial, Verdict
from veracity.wire import Wire

_PER = 1_000_000


class Prices(Wire):
    """What a model costs, per million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    currency: str = "USD"

    def cost(self, tokens: Tokens) -> float:
        """What tokens cost, in `currency`."""
        return (tokens.input * self.input + tokens.output * self.output) / _PER


def summarize(mode: Mode, trials: Sequence[Trial], *, prices: Prices | None = None) -> Summary:
    """The aggregates of the trials of one mode; trials of other modes are left out."""
    own = [trial for trial in trials if trial.mode is mode]
    verdicts = [trial.score.verdict for trial in own]
    attempts = [trial.attempt for trial in own]
    triggered = sum(attempt.counters.validation_failures for attempt in attempts)
    succeeded = sum(attempt.counters.conversions for attempt in attempts)
    sent_back = [trial for trial in own if trial.attempt.refusals]
    tokens = _total(attempt.tokens for attempt in attempts)
    seconds = [attempt.seconds for attempt in attempts]
    return Summary(
        mode=mode,
        trials=len(own),
        right=verdicts.count(Verdict.RIGHT),
        abstained=verdicts.count(Verdict.ABSTAINED),
        wrong=verdicts.count(Verdict.WRONG),
        timeouts=verdicts.count(Verdict.TIMEOUT),
        errors=verdicts.count(Verdict.ERROR),
        false_refusals=sum(trial.score.false_refusal for trial in own),
        accuracy=_share(verdict is Verdict.RIGHT for verdict in verdicts),
        accuracy_deviation=_deviation(own),
        pattern_compliance=_compliance([trial.score for trial in own]),
        repair_triggered_count=triggered,
        repair_succeeded_count=succeeded,
        repair_conversion_rate=succeeded / max(1, triggered),
        avg_validation_failures_per_run=triggered / max(1, len(own)),
        answers_sent_back=sum(len(attempt.refusals) for attempt in attempts),
        answers_mended=sum(trial.score.verdict is Verdict.RIGHT for trial in sent_back),
        rounds=sum(attempt.rounds for attempt in attempts),
        tokens=tokens,
        cost=None if prices is None else prices.cost(tokens),
        p50_seconds=nearest_rank(seconds, 0.5),
        p95_seconds=nearest_rank(seconds, 0.95),
        consistency=_consistency(own),
    )


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of the values does not exceed; 0 of none."""
    return sorted(values)[max(0, ceil(share * len(values)) - 1)] if values else 0.0


def _share(met: Iterable[bool]) -> float:
    held = list(met)
    return sum(held) / max(1, len(held))


def _total(counts: Iterable[Tokens]) -> Tokens:
    held = list(counts)
    return Tokens(
        prompt=sum(one.prompt for one in held),
        input=sum(one.input for one in held),
        output=sum(one.output for one in held),
    )


def _deviation(trials: Sequence[Trial]) -> float:
    """How far the runs' accuracies lie from their mean, each run counting once; 0 for one run."""
    runs: dict[int, list[bool]] = {}
    for trial in trials:
        runs.setdefault(trial.run, []).append(trial.score.verdict is Verdict.RIGHT)
    return pstdev([_share(run) for run in runs.values()]) if len(runs) > 1 else 0.0


def _compliance(scores: Sequence[Score]) -> float | None:
    """The share of trials that kept to the pattern and off the forbidden tools, of those that had any to keep to."""
    judged = [[met for met in (score.pattern, score.forbidden) if met is not None] for score in scores]
    kept = [all(one) for one in judged if one]
    return _share(kept) if kept else None


def _consistency(trials: Sequence[Trial]) -> float:
    """The share of questions with the same verdict in every run."""
    verdicts: dict[str, set[Verdict]] = {}
    for trial in trials:
        verdicts.setdefault(trial.case_id, set()).add(trial.score.verdict)
    return _share(len(found) == 1 for found in verdicts.values()) if verdicts else 1.0
