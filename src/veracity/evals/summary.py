"""The runs of one question in one mode taken together, and what became of it between two such tallies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from math import ceil
from statistics import pstdev

from pydantic import Field

from veracity.answer.answer import Tokens
from veracity.evals.records import EvalResults, Mode, Score, Summary, Trial, TrialVerdict
from veracity.wire import Wire

WORTH = {
    TrialVerdict.WRONG: 0,
    TrialVerdict.ERROR: 1,
    TrialVerdict.TIMEOUT: 1,
    TrialVerdict.ABSTAINED: 2,
    TrialVerdict.RIGHT: 3,
}
"""No answer is better than a wrong one; saying so is better than running out of time."""


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


def worst(trials: Sequence[Trial]) -> Trial:
    """The run that a person should look at."""
    return min(trials, key=lambda trial: (WORTH[trial.score.verdict], trial.run))


# --- what the trials of a mode come to: the seed's figures, the verdicts apart, and what it took


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
        right=verdicts.count(TrialVerdict.RIGHT),
        abstained=verdicts.count(TrialVerdict.ABSTAINED),
        wrong=verdicts.count(TrialVerdict.WRONG),
        timeouts=verdicts.count(TrialVerdict.TIMEOUT),
        errors=verdicts.count(TrialVerdict.ERROR),
        false_refusals=sum(trial.score.false_refusal for trial in own),
        accuracy=_share(verdict is TrialVerdict.RIGHT for verdict in verdicts),
        accuracy_deviation=_deviation(own),
        pattern_compliance=_compliance([trial.score for trial in own]),
        repair_triggered_count=triggered,
        repair_succeeded_count=succeeded,
        repair_conversion_rate=succeeded / max(1, triggered),
        avg_validation_failures_per_run=triggered / max(1, len(own)),
        answers_sent_back=sum(len(attempt.refusals) for attempt in attempts),
        answers_mended=sum(trial.score.verdict is TrialVerdict.RIGHT for trial in sent_back),
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
        runs.setdefault(trial.run, []).append(trial.score.verdict is TrialVerdict.RIGHT)
    return pstdev([_share(run) for run in runs.values()]) if len(runs) > 1 else 0.0


def _compliance(scores: Sequence[Score]) -> float | None:
    """The share of trials that kept to the pattern and off the forbidden tools, of those that had any to keep to."""
    judged = [[met for met in (score.pattern, score.forbidden) if met is not None] for score in scores]
    kept = [all(one) for one in judged if one]
    return _share(kept) if kept else None


def _consistency(trials: Sequence[Trial]) -> float:
    """The share of questions with the same verdict in every run."""
    verdicts: dict[str, set[TrialVerdict]] = {}
    for trial in trials:
        verdicts.setdefault(trial.case_id, set()).add(trial.score.verdict)
    return _share(len(found) == 1 for found in verdicts.values()) if verdicts else 1.0


# --- what a model's tokens cost, where its provider's prices are known


_MILLION = 1_000_000


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
