"""What trials come to: the seed's formulas, counted by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veracity.answer.answer import Tokens
from veracity.contracts import QueryValidationError, RepairCounters, ValidationErrorCode
from veracity.evals.records import Attempt, Ended, Mode, Score, Trial, TrialVerdict
from veracity.evals.summary import Prices, nearest_rank, summarize

SENT_BACK = QueryValidationError(code=ValidationErrorCode.QUESTION_NOT_COVERED, hint="Kunden means contactType")


def trial(
    case: str,
    verdict: TrialVerdict,
    *,
    run: int = 1,
    mode: Mode = Mode.BOUND,
    pattern: bool | None = None,
    forbidden: bool | None = None,
    failures: int = 0,
    conversions: int = 0,
    refused: int = 0,
    seconds: float = 1.0,
) -> Trial:
    return Trial(
        case_id=case,
        mode=mode,
        run=run,
        fingerprint="f",
        attempt=Attempt(
            ended=Ended.ANSWERED,
            counters=RepairCounters(validation_failures=failures, conversions=conversions),
            refusals=(SENT_BACK,) * refused,
            rounds=2,
            tokens=Tokens(prompt=5, input=1_000, output=100),
            seconds=seconds,
        ),
        score=Score(
            verdict=verdict,
            outcome=verdict is TrialVerdict.RIGHT,
            false_refusal=verdict is TrialVerdict.ABSTAINED,
            pattern=pattern,
            forbidden=forbidden,
        ),
    )


def test_every_verdict_is_counted_apart_and_only_right_ones_are_right() -> None:
    found = summarize(Mode.BOUND, [trial(str(n), verdict) for n, verdict in enumerate(TrialVerdict)])
    assert (found.right, found.abstained, found.wrong, found.timeouts, found.errors, found.unjudged) == (1,) * 6
    assert (found.trials, found.accuracy, found.false_refusals) == (6, 1 / 6, 1)


def test_repairs_are_counted_per_refused_call() -> None:
    trials = [
        trial("a", TrialVerdict.RIGHT, failures=3, conversions=2),
        trial("b", TrialVerdict.WRONG, failures=1, conversions=1),
        trial("c", TrialVerdict.RIGHT),
        trial("d", TrialVerdict.RIGHT),
    ]
    found = summarize(Mode.BOUND, trials)
    assert (found.repair_triggered_count, found.repair_succeeded_count) == (4, 3)
    assert (found.repair_conversion_rate, found.avg_validation_failures_per_run) == (0.75, 1.0)


def test_without_refused_calls_there_is_nothing_to_convert() -> None:
    assert summarize(Mode.BOUND, [trial("a", TrialVerdict.RIGHT)]).repair_conversion_rate == 0


def test_compliance_counts_only_trials_with_something_to_keep_to() -> None:
    trials = [
        trial("a", TrialVerdict.RIGHT, pattern=True, forbidden=True),
        trial("b", TrialVerdict.RIGHT, pattern=True, forbidden=False),
        trial("c", TrialVerdict.RIGHT, forbidden=True),
        trial("d", TrialVerdict.RIGHT),
    ]
    assert summarize(Mode.BOUND, trials).pattern_compliance == pytest.approx(2 / 3)
    assert summarize(Mode.BOUND, trials[3:]).pattern_compliance is None


def test_the_deviation_is_that_of_the_seed_over_runs() -> None:
    # The seed's 93.3 % ± 9.4 %: five questions, two runs all right, one run with a miss.
    right = [[True] * 5, [True] * 5, [True] * 4 + [False]]
    trials = [
        trial(str(n), TrialVerdict.RIGHT if met else TrialVerdict.WRONG, run=run)
        for run, verdicts in enumerate(right, 1)
        for n, met in enumerate(verdicts)
    ]
    found = summarize(Mode.BOUND, trials)
    assert found.accuracy == pytest.approx(0.9333, abs=1e-4)
    assert found.accuracy_deviation == pytest.approx(0.0943, abs=1e-4)
    assert found.consistency == 0.8
    assert summarize(Mode.BOUND, trials[:5]).accuracy_deviation == 0


def test_answers_that_went_back_are_counted_and_those_that_ended_right() -> None:
    trials = [
        trial("a", TrialVerdict.RIGHT, refused=2),
        trial("b", TrialVerdict.ABSTAINED, refused=1),
        trial("c", TrialVerdict.RIGHT),
    ]
    found = summarize(Mode.BOUND, trials)
    assert (found.answers_sent_back, found.answers_mended) == (3, 1)


def test_rounds_tokens_and_cost_are_totals() -> None:
    trials = [trial("a", TrialVerdict.RIGHT), trial("b", TrialVerdict.RIGHT)]
    found = summarize(Mode.BOUND, trials, prices=Prices(input=3, output=15, currency="USD"))
    assert (found.rounds, found.tokens) == (4, Tokens(prompt=10, input=2_000, output=200))
    assert found.cost == pytest.approx(0.009)
    assert summarize(Mode.BOUND, trials).cost is None


def test_latency_is_by_nearest_rank() -> None:
    found = summarize(Mode.BOUND, [trial(str(n), TrialVerdict.RIGHT, seconds=n) for n in range(1, 21)])
    assert (found.p50_seconds, found.p95_seconds) == (10, 19)


def test_trials_of_other_modes_are_left_out() -> None:
    trials = [trial("a", TrialVerdict.RIGHT), trial("a", TrialVerdict.WRONG, mode=Mode.BASELINE)]
    assert summarize(Mode.BASELINE, trials).wrong == summarize(Mode.BASELINE, trials).trials == 1


def test_no_trials_come_to_nothing() -> None:
    found = summarize(Mode.HINTS, [])
    assert (found.trials, found.accuracy, found.p95_seconds, found.pattern_compliance) == (0, 0, 0, None)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.01, 1))
def test_the_nearest_rank_is_a_value_that_enough_others_do_not_exceed(values: list[float], share: float) -> None:
    rank = nearest_rank(values, share)
    assert rank in values
    assert sum(value <= rank for value in values) >= share * len(values) - 1e-9
