"""The benchmark stops questions in time, counts what the runs come to, and tells a regression from noise."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic_ai import models

from conftest import SALES, SHOP, load
from model_server import SLOW, Behaviour, model_server
from veracity.errors import UsageError
from veracity.evals.benchmark import (
    FORMAT,
    RULES,
    CaseRuns,
    Conditions,
    Figures,
    Measured,
    check_comparable,
    digest_of,
    easy,
    judge,
    load_baseline,
    measured,
    noise,
    save_baseline,
    seconds_for,
)
from veracity.evals.benchmark_report import benchmark_markdown, detail, failed_first, lines
from veracity.evals.cases import Difficulty, EvalCase, load_cases, shipped_cases
from veracity.evals.modes import Setup
from veracity.evals.records import Attempt, Ended, EvalResults, Mode, Score, Trial, TrialVerdict
from veracity.evals.run import EvaluationPlan, EvaluationRun, TrialJournal
from veracity.evals.summary import summarize
from veracity.llm.provider import ProviderConfig

WHEN = datetime(2026, 6, 20, 11, 5, tzinfo=UTC)
CONDITIONS = Conditions(
    mode="llm", fast=False, model="tiny", data="shop.duckdb", questions="benchmark.yaml", digest="d1"
)
LETTERS = {
    "r": TrialVerdict.RIGHT,
    "a": TrialVerdict.ABSTAINED,
    "w": TrialVerdict.WRONG,
    "t": TrialVerdict.TIMEOUT,
    "e": TrialVerdict.ERROR,
}


def case(name: str = "b1", **more: Any) -> EvalCase:
    return EvalCase.model_validate({"id": name, "question": f"{name}?", "expectedAnswerNumeric": {"n": 3}, **more})


def side(*runs: str, seconds: float = 1.0) -> Measured:
    """A measurement from one word per question, a letter per run: rra."""
    cases = tuple(
        CaseRuns(
            id=f"b{number}",
            difficulty=None,
            verdicts=tuple(LETTERS[letter] for letter in word),
            seconds=(seconds,) * len(word),
        )
        for number, word in enumerate(runs, 1)
    )
    return Measured(
        conditions=CONDITIONS,
        veracity="0.1.0",
        measured_at=WHEN,
        machine="here",
        command="veracity benchmark",
        runs=len(runs[0]),
        figures=Figures.of(cases),
        cases=cases,
    )


def trial(name: str, run: int, letter: str, *, reasons: Sequence[str] = (), seconds: float = 1.0) -> Trial:
    verdict = LETTERS[letter]
    ended = Ended.ANSWERED if letter in "rw" else Ended(verdict.value)
    return Trial(
        case_id=name,
        mode=Mode.BOUND,
        run=run,
        fingerprint="f",
        attempt=Attempt(ended=ended, seconds=seconds),
        score=Score(verdict=verdict, outcome=letter == "r", reasons=tuple(reasons)),
    )


def results(cases: Sequence[EvalCase], *runs: str, reasons: Sequence[str] = ()) -> EvalResults:
    trials = tuple(
        trial(case.id, run, letter, reasons=() if letter == "r" else reasons)
        for case, word in zip(cases, runs, strict=True)
        for run, letter in enumerate(word, 1)
    )
    return EvalResults(
        veracity="0.1.0",
        model="tiny",
        source="shop.duckdb",
        questions="benchmark.yaml",
        command="veracity benchmark",
        started_at=WHEN,
        machine="here",
        runs=len(runs[0]),
        cases=tuple(cases),
        modes=(Mode.BOUND,),
        trials=trials,
        summaries=(summarize(Mode.BOUND, trials),),
        complete=True,
    )


# --- time


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ({"difficulty": "easy"}, 45),
        ({"difficulty": "medium"}, 60),
        ({"difficulty": "hard"}, 90),
        ({}, 60),
        ({"difficulty": "hard", "timeout": 7}, 7),
    ],
)
def test_a_question_has_the_time_of_its_difficulty_unless_it_has_its_own(
    written: dict[str, Any], seconds: float
) -> None:
    assert seconds_for(case(**written)) == seconds


@pytest.fixture
def shop_file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    load("duckdb", str(path), SHOP, "Sale", SALES)
    return path


@pytest.fixture
def _requests_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", True)


class Nobody:
    def finished(self, trial: Trial, *, before: bool) -> None:
        """Nobody looks on."""


@pytest.mark.usefixtures("_requests_allowed")
def test_a_timeout_hangs_up_on_a_slow_model_and_delays_no_other_question(shop_file: Path, tmp_path: Path) -> None:
    slow = case("slow", timeout=0.5)
    # One before it, so that the half second is not spent on loading, and one behind it.
    quick = [case(f"quick{number}", timeout=60, question=f"How many sales are there? {number}") for number in (1, 2)]
    turns: Behaviour = [
        ("queryTable", {"tableName": "Sale", "fields": ["id"]}),
        ("answer", {"text": "{{ count(r1) }} sales."}),
    ]
    with model_server() as server:
        server.says({slow.question: [[SLOW]], **{each.question: [turns] for each in quick}})
        provider = ProviderConfig(timeout=120)
        setup = Setup(source=shop_file, scope={"tenant": "t-1"}, model=server.model, provider=provider, tools="table")
        plan = EvaluationPlan(setup=setup, cases=(quick[0], slow, quick[1]), modes=(Mode.BOUND,), timeout=seconds_for)
        found = asyncio.run(EvaluationRun(plan, TrialJournal.open(tmp_path / "out"), Nobody()).run())
        asked, hung_up = dict(server.asked), list(server.hung_up)
    before, stopped, behind = (trial.attempt for trial in found.trials)
    assert (before.ended, stopped.ended, behind.ended) == (Ended.ANSWERED, Ended.TIMEOUT, Ended.ANSWERED)
    assert 0.5 <= stopped.seconds < 10
    # The server would have taken 20 seconds: it saw the connection go before that, and the next question right after.
    assert len(hung_up) == 1
    assert hung_up[0] < 10
    assert asked[quick[1].question] - asked[slow.question] < 10


def test_the_detail_of_a_timeout_names_the_seconds() -> None:
    one = case(difficulty="easy")
    assert detail(one, [trial("b1", 1, "t", reasons=["ran out of time"])]) == "timeout after 45s"
    assert detail(one, [trial("b1", 1, "r"), trial("b1", 2, "t")]) == "run 2: timeout after 45s"


# --- figures


def test_the_figures_of_the_seed_come_out_as_it_writes_them() -> None:
    now = side("rrr", "rrt", "rrr", "rrr", "rrr")
    before = side("r", "t", "r", "t", "r")
    rows = {line.name: line for line in lines(judge(now, before))}
    assert rows["accuracy"][1:] == ("60.0 %", "93.3 % ± 9.4 %", "+33.3")
    assert rows["passed"][1:] == ("3/5", "5/5", "+2")
    assert rows["timeouts"][1:] == ("2", "1", "-1")
    assert rows["consistency"][1:] == ("N/A", "80.0 %", "")


@pytest.mark.parametrize(("runs", "passed"), [("rra", 1), ("raa", 0), ("ra", 0), ("r", 1), ("rrrtt", 1)])
def test_a_question_passes_when_most_of_its_runs_are_right(runs: str, passed: int) -> None:
    assert side(runs).figures.passed == passed


def test_the_figures_agree_with_those_of_an_evaluation() -> None:
    found = results([case("b1"), case("b2"), case("b3")], "rra", "ttt", "wer")
    summary, figures = found.summaries[0], measured(found, CONDITIONS).figures
    for name in ("trials", "right", "wrong", "abstained", "timeouts", "errors", "p50_seconds", "p95_seconds"):
        assert getattr(figures, name) == getattr(summary, name)
    assert figures.accuracy == pytest.approx(summary.accuracy)
    assert figures.deviation == pytest.approx(summary.accuracy_deviation)
    assert figures.consistency == pytest.approx(summary.consistency)


# --- regressions


def regressions(before: Measured, now: Measured) -> str:
    return " ".join(judge(now, before).regressions)


STEADY = ("rrr",) * 11


def test_a_model_that_never_differs_regresses_with_any_loss() -> None:
    assert noise(side("rrr", "aaa"), side("rrr", "aaa")) == 0
    assert "Accuracy fell from 100.0 % to 50.0 %, without any noise" in regressions(
        side("rrr", "rrr"), side("rrr", "aaa")
    )


def test_a_loss_within_the_noise_of_the_runs_is_no_regression() -> None:
    assert regressions(side(*STEADY, "rra"), side(*STEADY, "raa")) == ""
    assert regressions(side(*STEADY, "rrr"), side(*STEADY, "rrt")) == ""


def test_a_loss_beyond_the_noise_is_one_even_if_no_question_is_lost_for_good() -> None:
    said = regressions(side(*["rrr"] * 12), side(*["rrr"] * 6, *["raa"] * 6))
    assert said.startswith("Accuracy fell from 100.0 % to 66.7 %, more than the noise between the runs (")
    assert "in none now" not in said


def test_a_question_lost_in_every_run_is_one_even_if_others_got_better() -> None:
    assert regressions(side("rrr", "aaa"), side("aaa", "rrr")) == "Right in every run before, and in none now: b1."


def test_a_new_wrong_figure_is_never_noise() -> None:
    assert regressions(side("rra", "rar"), side("rrw", "rrr")) == "Wrong now, and never before: b1."


def test_a_question_that_was_wrong_before_does_not_count_as_new() -> None:
    assert regressions(side("rrw", "rrr"), side("rrw", "rrr")) == ""


def test_latency_is_told_and_never_counts() -> None:
    before, now = side("rrr", seconds=1.0), side("rrr", seconds=50.0)
    assert regressions(before, now) == ""
    assert {line.name: line.change for line in lines(judge(now, before))}["p95"] == "+49.0 s"


def test_with_one_run_on_either_side_every_lost_question_counts() -> None:
    assert "b1" in regressions(side("r", "r"), side("a", "r"))
    assert "b1" in regressions(side("rrr", "rrr"), side("a", "r"))


@given(st.lists(st.text("rawte", min_size=3, max_size=3), min_size=1, max_size=12))
def test_nothing_regresses_against_itself(words: list[str]) -> None:
    assert regressions(side(*words), side(*words)) == ""


@given(st.data())
def test_getting_a_run_right_never_adds_a_regression(data: st.DataObject) -> None:
    words = data.draw(st.lists(st.text("rawte", min_size=2, max_size=2), min_size=1, max_size=6))
    before = side(*(data.draw(st.text("rawte", min_size=3, max_size=3)) for _ in words))
    place = data.draw(st.integers(0, len(words) - 1))
    better = [*words]
    better[place] = "r" * len(words[place])
    if regressions(before, side(*words)) == "":
        kept = [each for each in judge(side(*better), before).regressions if not each.startswith("Accuracy")]
        assert kept == []


def _drawn(chance: random.Random, shares: Sequence[float]) -> Measured:
    return side(*("".join("r" if chance.random() < share else "a" for _ in range(3)) for share in shares))


def test_chance_alone_rarely_moves_accuracy_beyond_the_noise_and_a_real_loss_does() -> None:
    chance, accuracy_fell = random.Random(1), RULES[-1]
    same, fallen = [1.0] * 4 + [0.8] * 8, [1.0] * 4 + [0.4] * 8
    pairs = [(_drawn(chance, same), _drawn(chance, same), _drawn(chance, fallen)) for _ in range(400)]
    false_alarms = sum(any(accuracy_fell(before, again)) for before, again, _ in pairs)
    found = sum(any(accuracy_fell(before, worse)) for before, _, worse in pairs)
    assert false_alarms / len(pairs) < 0.05
    assert found / len(pairs) > 0.7


# --- the same benchmark?


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fast": True}, "it is of a full benchmark, and this is a fast one"),
        ({"model": "huge"}, "it is of the model tiny, and this is huge"),
        ({"mode": "offline"}, "it is of the model tiny"),
        ({"data": "other.duckdb"}, "it is of other data (shop.duckdb), and this is other.duckdb"),
        ({"digest": "d2"}, "it is of other questions, expectations or times (benchmark.yaml)"),
    ],
)
def test_a_baseline_of_another_benchmark_is_not_compared(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_comparable(side("rrr"), CONDITIONS.model_copy(update=change), Path("x/baseline.json"))
    assert said in str(caught.value)
    assert "Replace it with --update-baseline, or name another folder with --out." in str(caught.value)


def test_another_name_of_the_same_questions_is_compared() -> None:
    check_comparable(side("rrr"), CONDITIONS.model_copy(update={"questions": "moved.yaml"}), Path("b"))


def test_the_digest_is_of_questions_expectations_and_times_in_any_order() -> None:
    cases = (case("b1", difficulty="easy"), case("b2"))
    assert digest_of(cases) == digest_of(cases[::-1])
    assert digest_of(cases) == digest_of((case("b1", timeout=45, intent="X"), case("b2", difficulty="medium")))
    for other in (case("b2", question="?"), case("b2", timeout=7), case("b2", expectedAnswerNumeric={"n": 4})):
        assert digest_of((cases[0], other)) != digest_of(cases)


def test_fast_takes_the_easy_questions_of_the_shipped_ones() -> None:
    cases = load_cases(shipped_cases("benchmark"))
    found = easy(cases, "benchmark.yaml")
    assert 0 < len(found) < len(cases)
    assert {each.difficulty for each in found} == {Difficulty.EASY}
    assert {each.difficulty for each in cases} == set(Difficulty)


def test_fast_without_easy_questions_says_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"mine\.yaml has none; mark some with difficulty: easy"):
        easy([case()], "mine.yaml")


# --- baseline.json


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    saved = side("rra", "twe")
    save_baseline(saved, tmp_path / "baseline.json")
    assert load_baseline(tmp_path / "baseline.json") == saved
    assert [path.name for path in tmp_path.iterdir()] == ["baseline.json"]


def test_no_baseline_is_none(tmp_path: Path) -> None:
    assert load_baseline(tmp_path / "baseline.json") is None


def test_figures_that_somebody_edited_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    data = json.loads(side("raa").model_dump_json())
    data["figures"]["accuracy"] = 1.0
    path.write_text(json.dumps(data))
    loaded = load_baseline(path)
    assert loaded is not None
    assert loaded.figures.accuracy == pytest.approx(1 / 3)


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("baseline") / "baseline.json"


def broken(**change: Any) -> str:
    return json.dumps({**json.loads(side("rra", "rrr").model_dump_json()), **change})


CASE = {"id": "b1", "difficulty": None, "verdicts": ["right"], "seconds": [1.0]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is damaged: it is not valid JSON"),
        ('{"format": 1, "cas', "is damaged: it is not valid JSON"),
        ("[1, 2]", "is not a baseline, or damaged"),
        ("{}", "is not a baseline, or damaged: conditions: Field required"),
        (broken(format=FORMAT + 1), f"has format {FORMAT + 1}, and this version compares format {FORMAT}"),
        ('{"format": 2, "unknown": true}', "has format 2"),
        (broken(cases=[]), "cases"),
        (broken(runs=2), "every case has 2 verdicts and as many seconds"),
        (broken(runs=1, cases=[CASE, CASE]), "a case is there twice"),
        (broken(runs=1, cases=[{**CASE, "seconds": [float("nan")]}]), "cases.0.seconds.0"),
        (broken(runs=1, cases=[{**CASE, "verdicts": ["perfect"]}]), "cases.0.verdicts.0"),
    ],
)
def test_a_broken_baseline_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_baseline(path)
    assert said in str(caught.value)
    assert "--update-baseline" in str(caught.value)


TEXT = side("rra", "twe").model_dump_json().encode()


@settings(max_examples=60)
@given(place=st.integers(0, len(TEXT)), cut=st.integers(0, 30), new=st.binary(max_size=4))
def test_no_damage_to_a_baseline_makes_loading_crash(one_file: Path, place: int, cut: int, new: bytes) -> None:
    one_file.write_bytes(TEXT[:place] + new + TEXT[place + cut :])
    # Every other error would fail the test.
    with suppress(UsageError):
        loaded = load_baseline(one_file)
        assert judge(side("rra", "twe"), loaded).noise is not None


def test_a_baseline_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "baseline.json"
    save_baseline(side("rrr"), path)

    def refuse(*_args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(UsageError, match="no space left on device"):
        save_baseline(side("aaa"), path)
    assert load_baseline(path) == side("rrr")
    assert [each.name for each in tmp_path.iterdir()] == ["baseline.json"]


# --- the report


def test_failures_come_first_and_wrong_ones_before_all_others() -> None:
    found = results([case(f"b{number}") for number in range(1, 5)], "rrr", "rra", "rrw", "ttt")
    assert [each.id for each, _ in failed_first(found)] == ["b3", "b4", "b2", "b1"]


def test_the_report_holds_the_comparison_the_difficulties_and_every_question() -> None:
    cases = [case("b1", difficulty="easy"), case("b2", difficulty="hard", timeout=5), case("b3")]
    found = results(cases, "rrr", "rtt", "rrr", reasons=["b2 went wrong"])
    page = benchmark_markdown(found, judge(measured(found, CONDITIONS), side("rrr", "rrr", "rrr")))
    assert "# Benchmark of tiny, 2026-06-20" in page
    assert "| accuracy | 100.0 % ± 0.0 % | 77.8 % ± 15.7 % | -22.2 |" in page
    assert "| passed | 3/3 | 2/3 | -1 |" in page
    assert "| easy | 45 s | 1/1 | 100.0 % |" in page
    assert "| hard | 90 s or its own | 0/1 | 33.3 % |" in page
    assert "| not said | 60 s | 1/1 | 100.0 % |" in page
    assert "run 2, 3: timeout after 5s" in page


def test_a_report_without_a_baseline_says_how_to_make_one() -> None:
    found = results([case()], "rrr")
    page = benchmark_markdown(found, judge(measured(found, CONDITIONS), None))
    assert "There was no baseline to compare with. `--update-baseline` makes one." in page


def test_what_a_question_or_a_model_says_cannot_leave_its_cell() -> None:
    evil = "a | b\n# c <script>x</script> [d](http://e)"
    found = results([case("b1", question=evil)], "w", reasons=[evil])
    page = benchmark_markdown(found, judge(measured(found, CONDITIONS), None))
    row = next(line for line in page.splitlines() if line.startswith("| b1 "))
    assert row.count("|") == 7
    assert "<script>" not in page
    assert "](http" not in page
