"""The gold questions: every figure is proved by SQL of its own, the sets cover what they promise, and what is read from their words is measured."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from case_files import read_yaml
from each_case import each
from veracity.answer.answer import Outcome
from veracity.evals.cases import Difficulty, EvalCase, load_cases, shipped_cases
from veracity.evals.modes import Answerer, Setup, open_mode
from veracity.evals.records import Mode, Score, TrialVerdict
from veracity.evals.run import attempted
from veracity.evals.scoring.judge import score
from veracity.features.trustee import trustee_ontology

NOW = datetime(2026, 11, 15, tzinfo=UTC)
SETS = {name: load_cases(shipped_cases(name)) for name in ("trustee", "paraphrases", "benchmark")}
CASES = [case for cases in SETS.values() for case in cases]
HERE = Path(__file__).parent
SQL: dict[str, dict[str, str]] = read_yaml(HERE / "data" / "gold_sql.yaml")
NO_FIGURES = ("says", "figures")
"""Keys of the SQL file that are not figures of the answer."""

# The classes of questions that the evaluation is to cover, by the intents that belong to each.
CLASSES = {
    "balances at a date": {"BANK_BALANCE_AT_DATE", "ACCOUNT_BALANCE_AT_DATE", "GROUP_BALANCE_AT_DATE"},
    "opening balances": {"ACCOUNT_OPENING_BALANCE"},
    "mixed currency": {"DEBTORS_OPEN_BALANCE"},
    "turnover": {"ACCOUNT_TURNOVER"},
    "trends": {"BALANCE_TREND_BY_MONTH", "BALANCE_TREND_BY_YEAR"},
    "journal by date": {"ENTRIES_IN_DATE_RANGE"},
    "revenue and costs of a year": {"CONSULTING_REVENUE_OF_YEAR", "REVENUE_OF_YEAR"},
    "revenue and costs of a month": {"EXPENSE_GROUP_OF_MONTH", "REVENUE_OF_MONTH"},
    "sums over accounts": {"TOTAL_EXPENSES_OF_YEAR"},
    "result": {"RESULT_OF_YEAR"},
    "comparisons": {"COMPARE_REVENUE_YEARS", "COMPARE_ACCOUNT_YEARS"},
    "counts": {"NUMBER_OF_ENTRIES_IN_YEAR"},
    "contacts": {"REVENUE_FROM_CUSTOMER", "COSTS_WITH_VENDOR"},
    "lists of contacts or accounts": {"NUMBER_OF_VENDORS", "NUMBER_OF_CUSTOMERS", "ACCOUNTS_OF_CLASS"},
    "cost centres": {"COSTS_BY_COST_CENTER", "COSTS_OF_ONE_COST_CENTER"},
}

Rows = Callable[[str], list[tuple[object, ...]]]


@pytest.fixture(scope="module")
def rows(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rows]:
    """SQL -> its rows, straight from a copy of the ledger file."""
    copy = tmp_path_factory.mktemp("gold_questions") / "ledger.duckdb"
    shutil.copy(ledger, copy)
    with duckdb.connect(str(copy), read_only=True) as connection:
        yield lambda sql: connection.execute(sql).fetchall()


# --- the figures


@each("case", CASES)
def test_every_figure_is_what_its_own_sql_finds_in_the_ledger(case: EvalCase, rows: Rows) -> None:
    proofs = {key: sql for key, sql in SQL.get(case.id, {}).items() if key not in NO_FIGURES}
    assert proofs.keys() == case.expected_answer_numeric.keys()
    for key, sql in proofs.items():
        found = rows(sql)
        assert len(found) == 1, (key, found)
        assert Decimal(str(found[0][0])) == case.expected_answer_numeric[key].value, key


@pytest.mark.parametrize("case", [case for case in CASES if case.expected_answer_contains], ids=lambda case: case.id)
def test_every_expected_word_is_one_that_the_ledger_holds_for_the_question(case: EvalCase, rows: Rows) -> None:
    assert {row[0] for row in rows(SQL[case.id]["says"])} == set(case.expected_answer_contains)


def test_a_list_is_expected_whole(rows: Rows) -> None:
    listed = [case for case in CASES if "figures" in SQL.get(case.id, {})]
    assert {case.intent for case in listed} == {"ENTRIES_IN_DATE_RANGE"}
    for case in listed:
        assert rows(SQL[case.id]["figures"]) == [(len(case.expected_answer_numeric),)]


def test_no_sql_is_left_over_and_each_names_the_mandate_for_each_of_its_tables() -> None:
    assert SQL.keys() <= {case.id for case in CASES}
    for case_id, proofs in SQL.items():
        for sql in proofs.values():
            tables = len(re.findall(r"(?:FROM|JOIN) Trustee\w+", sql))
            assert sql.count("mandateId = 'm-demo'") == tables, (case_id, sql)
            assert sql.count("featureInstanceId = 'fi-demo'") == tables, (case_id, sql)


def test_a_figure_in_another_currency_says_its_unit(rows: Rows) -> None:
    mixed = [case for case in CASES if case.intent == "DEBTORS_OPEN_BALANCE"]
    for figure in (figure for case in mixed for figure in case.expected_answer_numeric.values()):
        assert figure.unit in {"CHF", "EUR"}


# --- the sets


def test_the_sets_have_the_size_they_promise() -> None:
    assert len(SETS["trustee"]) == 19
    assert len(SETS["paraphrases"]) >= 36
    assert Counter(case.difficulty for case in SETS["benchmark"]) == dict.fromkeys(Difficulty, 4)
    assert all(case.difficulty for case in SETS["trustee"])


def test_ids_and_questions_are_unique_over_all_sets() -> None:
    assert len({case.id for case in CASES}) == len({case.question for case in CASES}) == len(CASES)
    assert [case.id for case in SETS["trustee"]] == [f"q{number:02}" for number in range(1, 20)]


def test_the_first_question_is_the_one_of_the_seed() -> None:
    case = SETS["trustee"][0]
    seed = EvalCase.model_validate(
        {
            "id": "q01",
            "question": "Was ist der Banksaldo per 31.12.2025?",
            "intent": "BANK_BALANCE_AT_DATE",
            "expectedToolPattern": {
                "tool": "queryTable",
                "tableName": "TrusteeDataAccountBalance",
                "requiredFilters": ["periodYear=2025", "periodMonth=0", "accountNumber LIKE 102%"],
            },
            "forbiddenTools": ["aggregateTable"],
            "expectedAnswerContains": ["1020", "1021", "CHF"],
            "expectedAnswerNumeric": {"1020.closingBalance": 152400.00, "1021.closingBalance": 28100.00},
        }
    )
    assert case.model_copy(update={"lang": None, "difficulty": None}) == seed


def test_consulting_revenue_and_the_sum_of_expenses_keep_their_places() -> None:
    by_id = {case.id: case for case in CASES}
    assert (by_id["q09"].intent, by_id["q13"].intent) == ("CONSULTING_REVENUE_OF_YEAR", "TOTAL_EXPENSES_OF_YEAR")


def test_questions_stand_together_by_language() -> None:
    langs = [case.lang or "" for case in SETS["trustee"]]
    assert langs == sorted(langs, key=["de", "en", "zh"].index)
    for cases in SETS.values():
        assert {case.lang for case in cases} == {"de", "en", "zh"}


@pytest.mark.parametrize("name", ["trustee", "paraphrases"])
def test_a_set_covers_every_class_of_question(name: str) -> None:
    intents = {case.intent for case in SETS[name] if case.expected_outcome is Outcome.ANSWERED}
    assert [kind for kind, members in CLASSES.items() if not members & intents] == []
    assert {case.expected_outcome for case in SETS[name]} == {Outcome.ANSWERED, Outcome.ABSTAINED, Outcome.CLARIFY}


def test_no_question_but_the_one_of_the_seed_is_an_example_that_the_package_was_made_with() -> None:
    shown = {str(question) for questions in trustee_ontology().questions.values() for question in questions}
    made_with = {case["question"] for case in read_yaml(HERE / "cases" / "ledger" / "questions.yaml")}
    assert [case.id for case in CASES if case.question in shown | made_with] == ["q01"]


# --- answers without a model


@pytest.fixture(scope="module")
def offline(ledger: Path) -> Iterator[Answerer]:
    opened = open_mode(Mode.BOUND, Setup(source=ledger, feature="trustee", clock=lambda: NOW))
    yield opened
    opened.agent.close()


def judged(answerer: Answerer, cases: tuple[EvalCase, ...]) -> dict[str, Score]:
    async def all_of_them() -> dict[str, Score]:
        return {case.id: score(case, await attempted(answerer, case, 60)) for case in cases}

    return asyncio.run(all_of_them())


# What was measured when this was written. Fewer right ones are a step back; a single wrong one is a defect.
RIGHT_AT_LEAST = {"trustee": 19, "paraphrases": 48, "benchmark": 8}


@pytest.mark.parametrize("name", SETS)
def test_without_a_model_none_is_answered_wrong_and_no_fewer_right(offline: Answerer, name: str) -> None:
    scores = judged(offline, SETS[name])
    given = {TrialVerdict.RIGHT, TrialVerdict.ABSTAINED}
    assert {case_id: one.reasons for case_id, one in scores.items() if one.verdict not in given} == {}
    right = [case_id for case_id, one in scores.items() if one.verdict is TrialVerdict.RIGHT]
    assert len(right) >= RIGHT_AT_LEAST[name], right
    for case_id in right:
        assert scores[case_id].pattern is not False, (case_id, scores[case_id].reasons)
        assert scores[case_id].forbidden is not False, (case_id, scores[case_id].reasons)
