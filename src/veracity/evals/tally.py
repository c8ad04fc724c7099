"""The runs of one question in one mode taken together, and what became of it between two such tallies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from veracity.evals.records import EvalResults, Mode, Trial, Verdict
from veracity.wire import Wire

WORTH = {Verdict.WRONG: 0, Verdict.ERROR: 1, Verdict.TIMEOUT: 1, Verdict.ABSTAINED: 2, Verdict.RIGHT: 3}
"""No answer is better than a wrong one; saying so is better than running out of time."""


class Kind(StrEnum):
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

    verdict: Verdict
    """That of most runs; the worst of them where they are even."""
    verdicts: dict[Verdict, int]
    """How many runs ended how."""

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> Tally:
        """What one trial or more come to."""
        counts = Counter(trial.score.verdict for trial in trials)
        verdict = min(counts, key=lambda each: (-counts[each], WORTH[each]))
        return cls(verdict=verdict, verdicts={each: counts[each] for each in Verdict if counts[each]})

    @property
    def runs(self) -> int:
        """How often it was asked."""
        return sum(self.verdicts.values())

    @property
    def shares(self) -> dict[Verdict, float]:
        """Of the runs, which part ended how."""
        return {each: count / self.runs for each, count in self.verdicts.items()}

    def __str__(self) -> str:
        if self.runs == 1:
            return self.verdict
        ordered = sorted(self.verdicts, key=lambda each: (each is not self.verdict, -self.verdicts[each]))
        return ", ".join(f"{each} {self.verdicts[each]}/{self.runs}" for each in ordered)


def change(before: Tally, after: Tally) -> Kind:
    """What became of a question between two tallies."""
    if before.verdict is after.verdict:
        return Kind.SAME if before.shares == after.shares else Kind.CHANGED
    if before.verdict is Verdict.RIGHT or after.verdict is Verdict.WRONG:
        return Kind.BROKE
    gain = WORTH[after.verdict] - WORTH[before.verdict]
    return Kind.BETTER if gain > 0 else Kind.WORSE if gain < 0 else Kind.CHANGED


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
