"""Running an evaluation: what is finished is kept, what goes wrong is counted as what it is."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo

from scripted import Script, answer, call, returned
from veracity.ask.data_agent import DataAgent
from veracity.errors import ModelError, ModelTimedOut, UsageError, VeracityError
from veracity.evals.benchmark import Conditions, measured
from veracity.evals.benchmark import judge as held_against
from veracity.evals.benchmark_report import benchmark_markdown
from veracity.evals.cases import EvalCase
from veracity.evals.modes import Answerer, LastRun, Setup, open_mode
from veracity.evals.records import Attempt, Ended, EvalResults, Mode, Score, Trial, TrialVerdict
from veracity.evals.report import failures_text, write_report
from veracity.evals.run import EvaluationPlan, EvaluationRun, TrialJournal, default_folder, with_gold_rows
from veracity.evals.scoring import judge
from veracity.evals.scoring.judge import score
from veracity.open import open_agent

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE sale (region VARCHAR, amount DECIMAL(18,2))")
        connection.execute("INSERT INTO sale VALUES ('Nord', 10.10), ('Nord', 20.20), ('Süd', 0.30)")
    return path


def case(name: str, **more: Any) -> EvalCase:
    given = {"id": name, "question": f"How much is {name}?", "expectedAnswerNumeric": {"x": 30.3}, **more}
    return EvalCase.model_validate(given)


@dataclass
class Answers:
    """An answerer that says what a test wants, and counts."""

    agent: DataAgent
    says: Callable[[str], Attempt | VeracityError | Exception | float]
    asked: list[str] = field(default_factory=list)
    running: int = 0
    most: int = 0

    def prompt(self, lang: str) -> str:
        return f"prompt in {lang}"

    async def ask(self, question: str, lang: str | None, watch: LastRun) -> Attempt:
        _ = lang, watch
        self.asked.append(question)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            said = self.says(question)
            await asyncio.sleep(said if isinstance(said, float) else 0.01)
        finally:
            self.running -= 1
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Attempt) else RIGHT


RIGHT = Attempt(ended=Ended.ANSWERED, text="It is 30.30.", rounds=2, seconds=0.5)
WRONG = Attempt(ended=Ended.ANSWERED, text="It is 31.30.", rounds=2, seconds=0.5)


class Quiet:
    def __init__(self) -> None:
        self.seen: list[tuple[str, bool]] = []

    def finished(self, trial: Trial, *, before: bool) -> None:
        self.seen.append((trial.case_id, before))


@pytest.fixture
def answers(shop: Path) -> Iterator[Callable[..., Answers]]:
    made: list[Answers] = []

    def make(says: Callable[[str], Any] = lambda _question: RIGHT) -> Answers:
        made.append(Answers(open_agent(shop, keep_traces=False), says))
        return made[-1]

    yield make
    for one in made:
        one.agent.close()


def evaluation(
    answerer: Answers, folder: Path, cases: Sequence[EvalCase], *, fresh: bool = False, **plan: Any
) -> EvaluationRun:
    planned = EvaluationPlan(setup=Setup(), cases=tuple(cases), modes=(Mode.BOUND,), **plan)
    journal = TrialJournal.open(folder, fresh=fresh)
    return EvaluationRun(planned, journal, Quiet(), opened=lambda _mode, _setup: answerer, clock=lambda: NOW)


def run(*given: Any, **more: Any) -> EvalResults:
    return asyncio.run(evaluation(*given, **more).run())


# --- the judge fails


def judge_that_fails_at(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge as it is, but for a crash at one text."""

    def crashing(expected: EvalCase, attempt: Attempt) -> Score:
        if attempt.text == text:
            raise ValueError("invalid literal for int() with base 10: '²'")
        return score(expected, attempt)

    monkeypatch.setattr(judge, "score", crashing)


def test_a_crash_of_the_judge_costs_that_trial_alone(
    answers: Callable[..., Answers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases, odd = [case("a"), case("b"), case("c")], RIGHT.model_copy(update={"text": "80 m ²."})
    answerer = answers(lambda question: odd if "b" in question else RIGHT)
    with monkeypatch.context() as patched:
        judge_that_fails_at(odd.text, patched)
        results = run(answerer, tmp_path, cases)
    assert [trial.score.verdict for trial in results.trials] == ["right", "unjudged", "right"]
    reason = "It could not be judged: the judge failed with ValueError: invalid literal for int() with base 10: '²'."
    assert results.trials[1].score.reasons == (reason,)
    (summary,) = results.summaries
    assert (summary.trials, summary.right, summary.wrong, summary.errors, summary.unjudged) == (3, 2, 0, 0, 1)
    assert results.complete

    write_report(results, tmp_path)
    stored = json.loads((tmp_path / "results.json").read_text())
    assert (stored["trials"][1]["score"]["verdict"], stored["summaries"][0]["unjudged"]) == ("unjudged", 1)
    page = (tmp_path / "report.md").read_text()
    assert "| mode | right | abstained | wrong | timeout | error | not judged | of |" in page
    assert "| bound | 2 | 0 | 0 | 0 | 0 | 1 | 3 |" in page
    assert f"| bound | unjudged | “80 m ².” | {reason} |" in page
    assert "1 not judged" in (tmp_path / "verdicts.svg").read_text()
    assert reason in failures_text(results)

    # The answer is kept: a judge that has learned judges it at the next start.
    again = run(answers(), tmp_path, cases)
    assert [trial.score.verdict for trial in again.trials] == ["right", "wrong", "right"]


def test_a_benchmark_counts_what_could_not_be_judged_apart(
    answers: Callable[..., Answers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge_that_fails_at(WRONG.text, monkeypatch)
    results = run(answers(lambda question: WRONG if "b" in question else RIGHT), tmp_path, [case("a"), case("b")])
    conditions = Conditions(mode="llm", fast=False, model="m", data="d", questions="q", digest="x")
    found = held_against(measured(results, conditions), None)
    assert (found.now.figures.unjudged, found.now.figures.wrong, found.now.figures.accuracy) == (1, 0, 0.5)
    page = benchmark_markdown(results, found)
    assert "| not judged | 1 |" in page
    assert "It could not be judged: the judge failed with ValueError" in page


# --- going on


def test_a_finished_question_is_not_asked_again(answers: Callable[..., Answers], tmp_path: Path) -> None:
    cases = [case("a"), case("b")]
    first, again = answers(), answers()
    run(first, tmp_path, cases)
    results = run(again, tmp_path, cases)
    assert (len(first.asked), again.asked) == (2, [])
    assert (results.complete, [trial.score.verdict for trial in results.trials]) == (True, [TrialVerdict.RIGHT] * 2)


def test_after_a_stop_only_the_rest_is_asked(answers: Callable[..., Answers], tmp_path: Path) -> None:
    def stops(question: str) -> Any:
        if "b" in question:
            raise KeyboardInterrupt
        return RIGHT

    cases = [case("a"), case("b"), case("c")]
    with pytest.raises(KeyboardInterrupt):
        run(answers(stops), tmp_path, cases)
    again = answers()
    results = run(again, tmp_path, cases)
    assert again.asked == ["How much is b?", "How much is c?"]
    assert results.complete


def test_more_runs_ask_only_what_is_new(answers: Callable[..., Answers], tmp_path: Path) -> None:
    run(answers(), tmp_path, [case("a")])
    again = answers()
    results = run(again, tmp_path, [case("a")], runs=3)
    assert (len(again.asked), len(results.trials)) == (2, 3)


def test_a_changed_question_is_asked_anew_and_a_changed_gold_figure_is_judged_anew(
    answers: Callable[..., Answers], tmp_path: Path
) -> None:
    run(answers(), tmp_path, [case("a"), case("b")])
    again = answers()
    changed = [case("a", question="How much is it really?"), case("b", expectedAnswerNumeric={"x": 99})]
    results = run(again, tmp_path, changed)
    assert again.asked == ["How much is it really?"]
    assert [trial.score.verdict for trial in results.trials] == [TrialVerdict.RIGHT, TrialVerdict.WRONG]


def test_fresh_asks_everything_and_keeps_the_old_trials_beside(answers: Callable[..., Answers], tmp_path: Path) -> None:
    run(answers(), tmp_path, [case("a")])
    again = answers()
    run(again, tmp_path, [case("a")], fresh=True)
    assert len(again.asked) == 1
    assert (tmp_path / "trials.before.jsonl").exists()


def test_half_a_line_at_the_end_costs_that_trial_only(answers: Callable[..., Answers], tmp_path: Path) -> None:
    run(answers(), tmp_path, [case("a"), case("b")])
    journal = tmp_path / "trials.jsonl"
    text = journal.read_text(encoding="utf-8")
    journal.write_text(text[: len(text) - 40], encoding="utf-8")
    again = answers()
    assert run(again, tmp_path, [case("a"), case("b")]).complete
    assert again.asked == ["How much is b?"]
    last = answers()
    assert run(last, tmp_path, [case("a"), case("b")]).complete
    assert last.asked == []


def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be used for results"):
        TrialJournal.open(file)


# --- what goes wrong


def test_a_timeout_an_error_and_a_crash_are_counted_as_what_they_are(
    answers: Callable[..., Answers], tmp_path: Path
) -> None:
    said: dict[str, Any] = {
        "a": 30.0,
        "b": ModelError("The model is not there; start it."),
        "c": RIGHT,
        "d": ZeroDivisionError("no"),
        "e": ModelTimedOut("The model took too long; give it more time."),
        "f": WRONG,
    }
    answerer = answers(lambda question: said[question[-2]])
    results = run(answerer, tmp_path, [case(name) for name in said], timeout=lambda _case: 0.2)
    assert {trial.case_id: trial.score.verdict.value for trial in results.trials} == {
        "a": "timeout",
        "b": "error",
        "c": "right",
        "d": "error",
        "e": "timeout",
        "f": "wrong",
    }
    errors = {trial.case_id: trial.attempt.error for trial in results.trials}
    assert (errors["a"], errors["d"]) == ("It was stopped after 0.2 s.", "It crashed: ZeroDivisionError: no")
    summary = results.summaries[0]
    assert (summary.right, summary.wrong, summary.timeouts, summary.errors) == (1, 1, 2, 2)
    assert summary.accuracy == pytest.approx(1 / 6)


def test_an_error_is_tried_again_on_the_next_start_a_timeout_is_not(
    answers: Callable[..., Answers], tmp_path: Path
) -> None:
    failing = answers(lambda question: ModelError("Gone.") if "a" in question[-2] else 30.0)
    run(failing, tmp_path, [case("a"), case("b")], timeout=lambda _case: 0.1)
    again = answers()
    results = run(again, tmp_path, [case("a"), case("b")])
    assert again.asked == ["How much is a?"]
    assert [trial.score.verdict for trial in results.trials] == [TrialVerdict.RIGHT, TrialVerdict.TIMEOUT]


def test_a_model_that_is_gone_ends_the_evaluation_with_one_sentence(
    answers: Callable[..., Answers], tmp_path: Path
) -> None:
    gone = answers(lambda _question: ModelError("The model cannot be reached."))
    cases = [case(name) for name in "abcde"]
    started = evaluation(gone, tmp_path, cases)
    with pytest.raises(ModelError, match=r"3 questions in a row failed, .*What is finished is kept") as raised:
        asyncio.run(started.run())
    assert "\n" not in str(raised.value)
    assert len(gone.asked) == 3
    assert not started.results().complete


def test_an_evaluation_in_which_everything_fails_is_none(answers: Callable[..., Answers], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"Every question failed, the last with: Gone\."):
        run(answers(lambda _question: ModelError("Gone.")), tmp_path, [case("a"), case("b")])


def test_a_timeout_cancels_what_runs(answers: Callable[..., Answers], tmp_path: Path) -> None:
    answerer = answers(lambda _question: 30.0)
    run(answerer, tmp_path, [case("a")], timeout=lambda _case: 0.1)
    assert answerer.running == 0


def test_a_half_character_of_a_model_does_not_end_the_evaluation(shop: Path, tmp_path: Path) -> None:
    odd = '"\\ud800 30.30"'
    script = Script(
        [ToolCallPart("queryTable", f'{{"tableName": {odd}}}')],
        [call("queryTable", tableName="sale")],
        [ToolCallPart("answer", f'{{"text": {odd}}}')],
    )
    plan = EvaluationPlan(setup=Setup(source=shop, model=script.model), cases=(case("a"),), modes=(Mode.BASELINE,))
    results = asyncio.run(EvaluationRun(plan, TrialJournal.open(tmp_path), Quiet()).run())
    assert [trial.score.verdict for trial in results.trials] == [TrialVerdict.RIGHT]
    assert TrialJournal.open(tmp_path).trials


# --- side by side


@pytest.mark.parametrize("concurrency", [1, 3])
def test_so_many_questions_are_asked_at_a_time(
    answers: Callable[..., Answers], tmp_path: Path, concurrency: int
) -> None:
    answerer = answers(lambda _question: 0.02)
    results = run(answerer, tmp_path, [case(f"q{number}") for number in range(9)], concurrency=concurrency)
    assert answerer.most == concurrency
    assert [trial.case_id for trial in results.trials] == [f"q{number}" for number in range(9)]


# --- gold rows


def test_gold_sql_gives_the_expected_rows(shop: Path) -> None:
    source = open_agent(shop, keep_traces=False)
    gold = case("a", expectedAnswerNumeric={}, gold_sql="SELECT region, SUM(amount) FROM sale GROUP BY 1 ORDER BY 1")
    found = asyncio.run(with_gold_rows(gold, source.tools))
    source.close()
    assert [[str(cell) for cell in row] for row in found.expected_rows or ()] == [["Nord", "30.30"], ["Süd", "0.30"]]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT nothing FROM sale", "does not run: Binder Error"),
        ("DROP TABLE sale", "does not run"),
        ("SELECT 1; DROP TABLE sale", "does not run"),
        ("", "does not run"),
    ],
)
def test_gold_sql_that_gives_none_is_one_sentence(shop: Path, sql: str, said: str) -> None:
    agent = open_agent(shop, keep_traces=False)
    gold = replace_sql(case("a"), sql)
    with pytest.raises(UsageError, match=said) as raised:
        asyncio.run(with_gold_rows(gold, agent.tools))
    agent.close()
    assert "The gold_sql of a" in str(raised.value)
    with duckdb.connect(str(shop), read_only=True) as connection:
        assert connection.execute("SELECT COUNT(*) FROM sale").fetchone() == (3,)


def replace_sql(given: EvalCase, sql: str) -> EvalCase:
    return given.model_copy(update={"gold_sql": sql})


def test_gold_sql_sees_only_the_rows_in_scope(ledger: Path, gold: Callable[[str], Decimal]) -> None:
    agent = open_agent(ledger, feature="trustee", keep_traces=False)
    counted = case("a", expectedAnswerNumeric={}, gold_sql='SELECT COUNT(*) FROM "TrusteeDataAccount"')
    found = asyncio.run(with_gold_rows(counted, agent.tools))
    agent.close()
    mine = "SELECT COUNT(*) FROM TrusteeDataAccount WHERE mandateId = 'm-demo' AND featureInstanceId = 'fi-demo'"
    assert found.expected_rows == ((int(gold(mine)),),)
    assert gold("SELECT COUNT(*) FROM TrusteeDataAccount") > gold(mine)


def test_a_timeout_in_the_middle_of_a_query_closes_cleanly(shop: Path, tmp_path: Path) -> None:
    plan = EvaluationPlan(
        setup=Setup(source=shop),
        cases=(case("a", question="sum of amount for region Nord in sale?"),),
        modes=(Mode.BOUND,),
        timeout=lambda _case: 1e-9,  # over as soon as something is waited for
    )
    results = asyncio.run(EvaluationRun(plan, TrialJournal.open(tmp_path), Quiet()).run())
    assert [trial.score.verdict for trial in results.trials] == [TrialVerdict.TIMEOUT]


def test_a_broken_gold_query_is_told_before_anything_is_asked(answers: Callable[..., Answers], tmp_path: Path) -> None:
    answerer = answers()
    broken = case("b", expectedAnswerNumeric={}, gold_sql="SELECT nothing FROM sale")
    with pytest.raises(UsageError, match="The gold_sql of b"):
        run(answerer, tmp_path, [case("a"), broken])
    assert answerer.asked == []


# --- the whole, on real data


class Adds(Script):
    """Asks for the sum, and says it."""

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        nord = [{"field": "region", "op": "=", "value": "Nord"}]
        summed = call("aggregateTable", tableName="sale", aggregate="SUM", field="amount", filters=nord)
        self.turns, self.said = ([answer("{{ sum(r1.sum_amount) }}")] if returned(messages) else [summed],), 0
        return await super().__call__(messages, info)


def test_an_own_source_is_evaluated_in_every_mode(shop: Path, tmp_path: Path) -> None:
    cases = (case("a", question="sum of amount for region Nord in sale?"),)
    plan = EvaluationPlan(setup=Setup(source=shop, model=Adds().model), cases=cases, modes=tuple(Mode), runs=2)
    results = asyncio.run(EvaluationRun(plan, TrialJournal.open(tmp_path), Quiet(), opened=open_mode).run())
    assert results.complete
    assert [summary.mode for summary in results.summaries] == list(Mode)
    # The script only knows the table tools, and fills in no query.
    assert {each.right for each in results.summaries if each.mode is not Mode.MODEL_ONLY} == {2}
    assert {summary.consistency for summary in results.summaries} == {1.0}


def test_questions_about_several_sources_open_each_once_per_mode(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.duckdb"
    shutil.copy(shop, other)
    with duckdb.connect(str(other)) as connection:
        connection.execute("INSERT INTO sale VALUES ('Nord', 1)")
    cases = tuple(
        case(
            name,
            question="sum of amount for region Nord in sale?",
            source=source,
            expectedAnswerNumeric={"sum": figure},
        )
        for name, source, figure in (("a", "shop", 30.3), ("b", "other", 31.3), ("c", "shop", 30.3))
    )
    opened: list[object] = []

    def counting(mode: Mode, setup: Setup) -> Answerer:
        opened.append(setup.source)
        return open_mode(mode, setup)

    sources = {"shop": Setup(source=shop), "other": Setup(source=other)}
    plan = EvaluationPlan(setup=sources["shop"], cases=cases, modes=(Mode.BOUND,), sources=sources)
    results = asyncio.run(EvaluationRun(plan, TrialJournal.open(tmp_path / "out"), Quiet(), opened=counting).run())
    assert [trial.score.verdict for trial in results.trials] == [TrialVerdict.RIGHT] * 3
    assert opened == [shop, other] * 2  # once to look at everything first, once to ask
    assert results.source == f"{shop.name}, other.duckdb"
    assert {(group.name, group.right) for group in results.groups if group.by == "source"} == {
        ("shop", 2),
        ("other", 1),
    }


@pytest.mark.parametrize("mode", [mode for mode in Mode if mode is not Mode.BOUND])
def test_a_mode_that_measures_a_model_needs_one(shop: Path, mode: Mode) -> None:
    with pytest.raises(UsageError, match=f"The mode {mode} measures a model; name one with --model"):
        open_mode(mode, Setup(source=shop))


def test_the_data_are_part_of_what_a_trial_stands_for(shop: Path, tmp_path: Path) -> None:
    cases = (case("a", question="sum of amount for region Nord in sale?"),)
    plan = EvaluationPlan(setup=Setup(source=shop), cases=cases, modes=(Mode.BOUND,))
    first = asyncio.run(EvaluationRun(plan, TrialJournal.open(tmp_path), Quiet()).run())
    with duckdb.connect(str(shop)) as connection:
        connection.execute("INSERT INTO sale VALUES ('Nord', 1)")
    watch = Quiet()
    second = asyncio.run(EvaluationRun(replace(plan), TrialJournal.open(tmp_path), watch).run())
    assert (first.trials[0].score.verdict, second.trials[0].score.verdict) == (TrialVerdict.RIGHT, TrialVerdict.WRONG)
    assert watch.seen == [("a", False)]


def test_the_same_questions_and_model_have_the_same_folder() -> None:
    assert str(default_folder(Path("x/my.yaml"), "http://127.0.0.1:8181/v1#qwen")) == (
        "eval-results/my-http---127.0.0.1-8181-v1-qwen"
    )
