"""The judge of attempts: right answers are right however they are written, wrong ones are wrong however they look."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from veracity.ask.data_agent import DataAgent
from veracity.contracts import RepairCounters, ResultColumn, TableData, ToolCallLog, ValidationErrorCode
from veracity.evals.cases import EvalCase
from veracity.evals.records import Attempt, Ended, Score, TrialVerdict
from veracity.evals.scoring.judge import score
from veracity.language.numbers import LOCALES, format_number, locale_of
from veracity.open import open_agent
from veracity.server.web.traces import run_again

CASES = sorted((Path(__file__).parent / "cases_scores").glob("*.yaml"))
quick = settings(deadline=None, max_examples=150)


# --- labelled texts


def table(result: dict[str, Any], number: int = 1) -> TableData:
    """A result; its decimals are texts, as they come back from a stored attempt."""
    names = result["columns"]
    rows = tuple(dict(zip(names, row, strict=True)) for row in result["rows"])
    return TableData(
        result_id=f"r{number}",
        table_name=result["name"],
        columns=tuple(ResultColumn(name=name, type="text") for name in names),
        rows=rows,
        row_count=result.get("rowCount", len(rows)),
        truncated=False,
    )


def labelled() -> Iterator[Any]:
    for path in CASES:
        group = read_yaml(path)
        case = EvalCase.model_validate(group["case"])
        results = tuple(table(result, n) for n, result in enumerate(group.get("results", ()), 1))
        for number, entry in enumerate(group["texts"]):
            attempt = Attempt(
                ended=Ended(entry.get("ended", "answered")),
                text=entry["text"],
                locale=entry.get("locale", group["locale"]),
                results=results,
                calls=tuple(ToolCallLog(round=n, **call) for n, call in enumerate(entry.get("calls", ()))),
            )
            yield pytest.param(case, attempt, entry, id=f"{path.stem}-{number}")


@each(("case", "attempt", "entry"), list(labelled()))
def test_a_text_is_judged_as_a_person_would(case: EvalCase, attempt: Attempt, entry: dict[str, Any]) -> None:
    judged = score(case, attempt)
    assert judged.verdict == entry["verdict"], (entry.get("why"), judged.reasons)
    assert judged.reasons or judged.verdict is TrialVerdict.RIGHT
    if "reason" in entry:
        assert entry["reason"] in judged.reasons


# --- real answers


@pytest.fixture(scope="module")
def agent(ledger: Path) -> Iterator[DataAgent]:
    now = datetime(2026, 11, 15, tzinfo=UTC)
    opened = open_agent(ledger, feature="trustee", clock=lambda: now, keep_traces=False)
    yield opened
    opened.close()


REAL = ("z001", "z031", "z061")


@pytest.mark.parametrize("number", REAL)
def test_real_answers_in_three_languages_are_right_and_a_unit_off_is_wrong(
    agent: DataAgent, gold: Callable[[str], Decimal], number: str
) -> None:
    path = Path(__file__).parent / "data" / "questions_final.yaml"
    entry = next(one for one in read_yaml(path) if one["id"] == number)
    answer = agent.ask_sync(entry["question"], lang=entry["lang"])
    attempt = Attempt(
        ended=Ended(answer.outcome.value),
        text=answer.text,
        locale=locale_of(entry["lang"], "de-CH"),
        calls=answer.trace.calls,
        results=tuple(asyncio.run(run_again(agent, source)).data for source in answer.sources),
    )

    def verdict(off: int) -> Score:
        figures = {f"f{n}": {"value": gold(sql) + off} for n, sql in enumerate(entry["figures"])}
        return score(
            EvalCase.model_validate({"id": number, "question": entry["question"], "expectedAnswerNumeric": figures}),
            attempt,
        )

    assert verdict(0).verdict is TrialVerdict.RIGHT, (answer.text, verdict(0).reasons)
    assert verdict(1).verdict is TrialVerdict.WRONG


# --- outcomes


def expecting(**expected: Any) -> EvalCase:
    return EvalCase.model_validate({"id": "x", "question": "How much is it?", **expected})


BALANCE = expecting(expectedAnswerNumeric={"balance": 10})


@pytest.mark.parametrize("ended", [Ended.ABSTAINED, Ended.CLARIFY, Ended.BLOCKED])
def test_no_answer_where_the_data_hold_one_is_a_false_refusal(ended: Ended) -> None:
    judged = score(BALANCE, Attempt(ended=ended, text="No."))
    assert (judged.verdict, judged.false_refusal, judged.outcome) == (TrialVerdict.ABSTAINED, True, False)
    assert judged.numeric is False


def test_an_abstention_that_was_wanted_is_right_and_no_refusal() -> None:
    judged = score(expecting(expectedOutcome="abstained"), Attempt(ended=Ended.ABSTAINED, text="No."))
    assert judged == Score(verdict=TrialVerdict.RIGHT, outcome=True)


def test_another_kind_of_no_answer_is_harmless_but_not_right() -> None:
    judged = score(expecting(expectedOutcome="abstained"), Attempt(ended=Ended.BLOCKED, text="No."))
    assert (judged.verdict, judged.false_refusal) == (TrialVerdict.ABSTAINED, False)


def test_a_timeout_and_an_error_are_shown_as_what_they_are() -> None:
    late = score(BALANCE, Attempt(ended=Ended.TIMEOUT, seconds=60.2))
    assert (late.verdict, late.reasons) == (TrialVerdict.TIMEOUT, ("ran out of time after 60 s",))
    failed = score(BALANCE, Attempt(ended=Ended.ERROR, error="The model cannot be reached."))
    assert (failed.verdict, failed.reasons) == (TrialVerdict.ERROR, ("failed: The model cannot be reached.",))


def test_the_calls_never_change_the_verdict() -> None:
    case = expecting(
        expectedAnswerNumeric={"balance": 10},
        forbiddenTools=["aggregateTable"],
        expectedToolPattern={"tool": "queryTable"},
    )
    judged = score(case, Attempt(ended=Ended.ANSWERED, text="It is 10.", calls=(call("aggregateTable"),)))
    assert (judged.verdict, judged.pattern, judged.forbidden) == (TrialVerdict.RIGHT, False, False)
    assert "called aggregateTable, which is forbidden here" in judged.reasons


def test_what_is_not_expected_is_not_judged() -> None:
    judged = score(BALANCE, Attempt(ended=Ended.ANSWERED, text="It is 10."))
    assert (judged.pattern, judged.forbidden, judged.contains, judged.rows, judged.repair) == (None,) * 5


def test_repair_asks_that_every_refused_call_was_mended_at_once() -> None:
    def repaired(**counters: int) -> bool | None:
        return score(BALANCE, Attempt(ended=Ended.ANSWERED, text="10", counters=RepairCounters(**counters))).repair

    assert repaired(validation_failures=2, conversions=2) is True
    assert repaired(validation_failures=2, conversions=1) is False
    assert repaired() is None


# --- contains


@each(
    ("entry", "text", "expected"),
    [
        ("1020", "Konto 1020: 5", True),
        ("1020", "Konto 10201", False),
        ("1020", "CHF 1020.50", False),
        ("1020", "CHF 5'1020", False),
        ("1020", "科目1020的余额", True),
        ("1020", "1020,1021", True),
        ("Beratung", "BERATUNG und Handel", True),
        ("Strasse", "Straße", True),
        ("ＣＨＦ", "chf", True),
        ("CHF", "152'400 Franken", True),
        ("CHF", "152,400 瑞郎", True),
        ("CHF", "152,400 EUR", False),
        ("31.12.2025", "on 31 December 2025", True),
    ],
)
def test_expected_pieces_are_folded_and_numbers_are_whole(entry: str, text: str, expected: bool) -> None:
    judged = score(expecting(expectedAnswerContains=[entry]), Attempt(ended=Ended.ANSWERED, text=text, locale="de-CH"))
    assert judged.contains is expected


# --- patterns


def call(tool: str = "queryTable", filters: Any = (), *, success: bool = True, **arguments: Any) -> ToolCallLog:
    given = {"tableName": "Balance", "filters": [{"field": f, "op": o, "value": v} for f, o, v in filters]}
    return ToolCallLog(round=1, tool=tool, arguments=given | arguments, success=success)


def complies(
    required: list[str], *calls: ToolCallLog, tool: str = "queryTable", table: str | None = None
) -> bool | None:
    pattern = {"tool": tool, "tableName": table, "requiredFilters": required}
    case = expecting(expectedAnswerNumeric={"balance": 10}, expectedToolPattern=pattern)
    return score(case, Attempt(ended=Ended.ANSWERED, text="10", calls=calls)).pattern


@each(
    ("required", "op", "value", "expected"),
    [
        ("accountNumber LIKE 102%", "LIKE", "102%", True),
        ("accountNumber LIKE 102%", "LIKE", "1020%", True),
        ("accountNumber LIKE 102%", "LIKE", "10%", False),
        ("accountNumber LIKE 102%", "=", "1020", True),
        ("accountNumber LIKE 102%", "=", 1020, True),
        ("accountNumber LIKE 102%", "=", "102%", False),
        ("accountNumber LIKE 102%", "IN", ["1020", 1021], True),
        ("accountNumber LIKE 102%", "IN", ["1020", "1030"], False),
        ("accountNumber LIKE 102%", "BETWEEN", ["1020", "1029"], True),
        ("accountNumber LIKE 102%", "BETWEEN", [1020, 1030], False),
        ("accountNumber LIKE 102%", "BETWEEN", "1020 AND 1029", True),
        ("accountNumber LIKE 102%", ">=", 1020, False),
        ("accountNumber LIKE 102%", "IN", [], False),
        ("accountNumber=1100", "=", "1100", True),
        ("accountNumber=1100", "LIKE", "1100", True),
        ("accountNumber=1100", "LIKE", "110%", False),
        ("accountNumber=2025", "=", "2025", True),
        ("accountNumber=2025", "=", 2025.0, True),
        ("accountNumber=2025", "IN", [2025], True),
        ("accountNumber=2025", "IN", [2024, 2025], False),
        ("accountNumber=2025", "BETWEEN", [2025, 2025], True),
        ("accountNumber=2025", "BETWEEN", [2024, 2025], False),
        ("accountNumber!=5", "!=", 5, True),
        ("accountNumber!=5", "=", 6, True),
        ("accountNumber>=5", ">", 4, True),
        ("accountNumber>=5", ">=", 4, False),
        ("accountNumber<10", "BETWEEN", [1, 9], True),
        ("accountNumber<10", "<=", 9, True),
        ("accountNumber BETWEEN 1 AND 10", "BETWEEN", [2, 9], True),
        ("accountNumber BETWEEN 1 AND 10", "BETWEEN", [2, 11], False),
        ("accountNumber IS_NULL", "IS_NULL", None, True),
        ("accountNumber IS_NOT_NULL", "IS_NULL", None, False),
        ("accountNumber=customer", "=", "customer", True),
        ("accountNumber=customer", "=", "vendor", False),
    ],
)
def test_a_filter_that_means_the_same_or_less_is_as_good(required: str, op: str, value: Any, expected: bool) -> None:
    assert complies([required], call(filters=[("accountNumber", op, value)])) is expected


def test_two_bounds_are_as_good_as_a_group() -> None:
    bounds = [("accountNumber", ">=", "1020"), ("accountNumber", "<", "1030")]
    assert complies(["accountNumber LIKE 102%"], call(filters=bounds)) is True


TWO_YEARS = ["periodYear=2024", "periodYear=2025", "periodMonth=0"]


def test_two_years_may_be_two_calls_or_one() -> None:
    first, second = (call(filters=[("periodYear", "=", year), ("periodMonth", "=", 0)]) for year in (2024, 2025))
    both = call(filters=[("periodYear", "IN", [2024, 2025]), ("periodMonth", "=", 0)])
    assert complies(TWO_YEARS, first, second) is True
    assert complies(TWO_YEARS, both) is True
    assert complies(TWO_YEARS, first) is False


def test_filters_that_no_single_call_holds_together_are_not_met() -> None:
    year, account = call(filters=[("periodYear", "=", 2025)]), call(filters=[("accountNumber", "=", "1020")])
    assert complies(["periodYear=2025", "accountNumber=1020"], year, account) is False


def test_only_successful_calls_of_the_named_tool_and_table_count() -> None:
    assert complies([], call()) is True
    assert complies([], call(success=False)) is False
    assert complies([], call("browseTable")) is False
    assert complies([], call("aggregateTable"), tool="queryTable|aggregateTable") is True
    assert complies([], call(), table="Balance|Line") is True
    assert complies([], call(), table="Line") is False


def test_filters_that_cannot_be_read_are_no_filters() -> None:
    texts_and_lists: tuple[Any, ...] = ("{", "5", 7, None, ["x"], [{"op": "="}], {"a": 1}, [{"field": None, "op": 3}])
    for filters in texts_and_lists:
        made = ToolCallLog(round=1, tool="queryTable", arguments={"filters": filters})
        assert complies(["periodYear=2025"], made) is False
    text = '[{"field": "periodYear", "op": "=", "value": "2025"}]'
    assert complies(["periodYear=2025"], ToolCallLog(round=1, tool="queryTable", arguments={"filters": text})) is True


def test_raw_sql_is_not_judged_by_a_pattern_of_structured_calls() -> None:
    sql = ToolCallLog(
        round=1, tool="execute_sql_safe", arguments={"sql": "SELECT * FROM Balance WHERE periodYear = 2025"}
    )
    assert complies(["periodYear=2025"], sql) is None
    assert complies(["periodYear=2025"], sql, tool="execute_sql_safe", table="Balance") is True
    assert complies(["periodYear=2024"], sql, tool="execute_sql_safe", table="Balance") is False
    assert complies([], sql, tool="execute_sql_safe", table="Line") is False


def test_a_refused_call_of_a_forbidden_tool_is_forgiven() -> None:
    case = expecting(expectedAnswerNumeric={"balance": 10}, forbiddenTools=["aggregateTable"])
    code = ValidationErrorCode.INVALID_AGGREGATE_TARGET
    refused = ToolCallLog(round=1, tool="aggregateTable", success=False, validation_failure_code=code)
    assert score(case, Attempt(ended=Ended.ANSWERED, text="10", calls=(refused,))).forbidden is True


# --- numbers in words, with scales and with units


@each(
    ("value", "locale", "text"),
    [
        (25, "en", "It is twenty-five."),
        (25, "de-CH", "Es sind fünfundzwanzig."),
        (25, "de-CH", "It is twenty-five."),
        (24, "de-DE", "Es sind zwei Dutzend."),
        (24, "en", "Two dozen."),
        (1_500_000, "de-CH", "Der Umsatz beträgt 1.5 Mio."),
        (1_500_000, "de-DE", "Der Umsatz beträgt 1,5 Mio."),
        (1_500_000, "en", "Revenue is 1.5 million."),
        (12_000, "zh", "共1.2万。"),
        (40, "en", "It is ٤٠."),
    ],
)
def test_a_number_is_right_in_words_and_with_a_scale(value: int, locale: str, text: str) -> None:
    def verdict(expected: int) -> TrialVerdict:
        case = expecting(expectedAnswerNumeric={"n": expected})
        return score(case, Attempt(ended=Ended.ANSWERED, text=text, locale=locale)).verdict

    assert verdict(value) is TrialVerdict.RIGHT
    assert {verdict(other) for other in (20, 5, 2, 12, 1, 15, value + 10**6)} == {TrialVerdict.WRONG}


@each(
    ("value", "unit", "text", "expected"),
    [
        (5, "GB", "The file has 5 Gigabyte.", True),
        (5, "GB", "The file has 5GB.", True),
        (5, "GB", "The file has 5000 MB.", True),
        (5, "GB", "The file has 5,000,000,000 bytes.", True),
        (5_000_000_000, "bytes", "The file has 5 Gigabyte.", True),
        (5, "GB", "The file has 5 MB.", False),
        (5, "bytes", "The file has 5 Gigabyte.", False),
        (5, "GB", "The file has 5.", True),
        (5, "GB", "The file has 5,000,000,000.", False),
        (5, "GB", "It takes 5 hours.", False),
        (90, "min", "Es dauert 1.5 Stunden.", True),
        (90, "min", "Es dauert neunzig Minuten.", True),
        (80, "m²", "Die Wohnung hat 80 m².", True),
        (80, "m²", "Die Wohnung hat 80 km².", False),
        (12, "pct", "It is 12 %.", True),
        (12, "%", "It is 12 CHF.", False),
        (12, "customers", "It is 12.", True),
    ],
)
def test_a_unit_may_be_another_of_its_kind_if_the_quantity_is_the_same(
    value: int, unit: str, text: str, expected: bool
) -> None:
    case = expecting(expectedAnswerNumeric={"n": {"value": value, "unit": unit}})
    judged = score(case, Attempt(ended=Ended.ANSWERED, text=text, locale="en"))
    assert (judged.verdict is TrialVerdict.RIGHT) == expected, judged.reasons


# --- rows that are too many to be written out

MANY = [[f"2025-{n:05}", n * 10] for n in range(1, 31)]


def entries(rows: list[list[Any]]) -> TableData:
    return table({"name": "Entry", "columns": ["id", "entry", "amount"], "rows": [["x", *row] for row in rows]})


@pytest.mark.parametrize(
    ("text", "rows", "expected"),
    [
        ("There are 30 entries; the first is 2025-00001 with 10.", MANY, True),
        ("Here are some entries: 2025-00001 with 10.", MANY, False),
        ("There are 30 entries; the first is 2025-00001 with 10.", MANY[:-1], False),
        ("There are 30 entries; the first is 2025-00001 with 10.", [*MANY[:-1], ["2025-00030", 1]], False),
    ],
)
def test_of_many_rows_a_part_is_enough_if_their_number_is_said(
    text: str, rows: list[list[Any]], expected: bool
) -> None:
    attempt = Attempt(ended=Ended.ANSWERED, text=text, results=(entries(rows),))
    assert score(expecting(expectedRows=MANY), attempt).rows is expected


def test_no_rows_are_said_to_be_none() -> None:
    case = expecting(gold_sql="SELECT 1 WHERE false", expectedRows=[])
    assert score(case, Attempt(ended=Ended.ANSWERED, text="There are no entries.")).verdict is TrialVerdict.RIGHT
    assert score(case, Attempt(ended=Ended.ANSWERED, text="There are many entries.")).verdict is TrialVerdict.WRONG


# --- properties

amounts = st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False)
locales = st.sampled_from(LOCALES)


@quick
@given(amounts, locales, locales)
def test_a_figure_is_right_however_a_language_writes_it(value: Decimal, writes: str, asks: str) -> None:
    case = expecting(expectedAnswerNumeric={"balance": {"value": value, "unit": "CHF"}})
    text = f"Balance: {format_number(value, writes, decimals=2)} CHF"
    judged = score(case, Attempt(ended=Ended.ANSWERED, text=text, locale=asks))
    assert judged.verdict is TrialVerdict.RIGHT, (text, judged.reasons)


@quick
@given(amounts, amounts, locales)
def test_another_figure_is_wrong(value: Decimal, other: Decimal, locale: str) -> None:
    case = expecting(expectedAnswerNumeric={"balance": value})
    text = f"Balance: {format_number(other, locale, decimals=2)} CHF"
    verdict = score(case, Attempt(ended=Ended.ANSWERED, text=text, locale=locale)).verdict
    assert (verdict is TrialVerdict.RIGHT) == (value == other)


@quick
@given(amounts.filter(lambda value: abs(value) > 10_000), amounts.filter(lambda value: abs(value) > 10_000), locales)
def test_swapped_rows_are_wrong(one: Decimal, other: Decimal, locale: str) -> None:
    case = expecting(expectedAnswerNumeric={"1020.closingBalance": one, "1021.closingBalance": other})

    def verdict(first: Decimal, second: Decimal) -> TrialVerdict:
        said = [format_number(value, locale, decimals=2) for value in (first, second)]
        text = f"- 1020: {said[0]} CHF\n- 1021: {said[1]} CHF"
        return score(case, Attempt(ended=Ended.ANSWERED, text=text, locale=locale)).verdict

    assert verdict(one, other) is TrialVerdict.RIGHT
    assert (verdict(other, one) is TrialVerdict.RIGHT) == (one == other)


pieces = st.sampled_from(
    [
        "152'400.00",
        "1020",
        "CHF",
        "|",
        "\n",
        "- ",
        "2025",
        "31.12.2025",
        "{{",
        "%",
        "万",
        "没有数据",
        "keine Daten",
        "?",
        "1.2.3",
        "²",
        "9" * 70,
    ]
)
odd: st.SearchStrategy[str] = st.lists(pieces | st.text(max_size=8), max_size=40).map("".join) | st.text(max_size=200)
cells = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.decimals()
EVERYTHING = expecting(
    expectedAnswerContains=["1020", "CHF", "²"],
    expectedAnswerNumeric={
        "1020.closingBalance": 152400,
        "x": Decimal("1e400"),
        "2.y": {"value": -3, "unit": "%"},
        "": 0,
    },
    expectedRows=[["1020", 152400, True], [None, "2025-12-31", Decimal("1e-30")], []],
    expectedToolPattern={"tool": "queryTable", "requiredFilters": ["a LIKE 1%", "b=2", "c BETWEEN 1 AND 2"]},
)


@quick
@given(
    odd,
    st.sampled_from(Ended),
    st.lists(st.dictionaries(st.sampled_from("abc"), cells), max_size=4),
    st.text(max_size=5),
)
def test_no_text_and_no_result_makes_the_judge_fail(text: str, ended: Ended, rows: list[Any], locale: str) -> None:
    columns = tuple(ResultColumn(name=name, type="text") for name in "abc")
    found = TableData(result_id="r1", table_name="t", columns=columns, rows=tuple(rows), row_count=3, truncated=False)
    filters = [{"field": row.get("a"), "op": row.get("b"), "value": row.get("c")} for row in rows]
    made = ToolCallLog(round=1, tool="queryTable", arguments={"filters": filters})
    attempt = Attempt(ended=ended, text=text, locale=locale, results=(found,), calls=(made,))
    for case in (EVERYTHING, expecting(expectedOutcome="abstained")):
        assert score(case, attempt).verdict in TrialVerdict


DIGITS = st.deferred(
    lambda: st.sampled_from([chr(point) for point in range(0x11_0000) if unicodedata.category(chr(point))[0] == "N"])
)
"""Every digit and number sign of Unicode: of all scripts, superscripts, circled ones, fractions, Roman numerals."""
NUMBERS = st.text(DIGITS | st.sampled_from(".,'’ -−%()/年月日:"), max_size=30) | st.text(DIGITS, max_size=3).map(
    lambda digits: f"80 m {digits}. "
)
WORDS = st.sampled_from(
    ["CHF ", "\n- ", " | ", "1020: ", "am 31. Dezember ", "Mio. ", "zwei Dutzend ", "etwa ", "②. ", "9" * 5_000]
)
ANY_ANSWER = st.lists(NUMBERS | WORDS | st.text(max_size=12), max_size=25).map("".join)
INTEGERS = st.integers() | st.sampled_from([10**5_000, -(10**5_000)])
FINITE = st.decimals(allow_nan=False, allow_infinity=False)
ANY_VALUE = st.none() | st.booleans() | INTEGERS | FINITE | st.dates() | st.datetimes() | NUMBERS | st.text(max_size=8)


@st.composite
def any_case(draw: st.DrawFn) -> EvalCase:
    """A question that expects anything at all."""
    names = st.text(max_size=6) | NUMBERS
    figure = FINITE | st.fixed_dictionaries({"value": FINITE, "unit": st.none() | st.text(max_size=4)})
    rows = st.none() | st.lists(st.lists(ANY_VALUE, max_size=3).map(tuple), max_size=3)
    return expecting(
        question=draw(ANY_ANSWER)[:2_000] or "?",
        expectedAnswerContains=[draw(ANY_ANSWER), *draw(st.lists(names, max_size=2))],
        expectedAnswerNumeric=draw(st.dictionaries(names, figure, max_size=3)),
        expectedRows=draw(rows),
    )


@settings(deadline=None, max_examples=300)
@given(ANY_ANSWER, any_case(), locales, st.lists(st.lists(cells, min_size=2, max_size=2), max_size=3))
def test_any_text_can_be_judged_whatever_is_expected(
    text: str, case: EvalCase, locale: str, rows: list[list[Any]]
) -> None:
    found = table({"name": "t", "columns": ["a", "amount"], "rows": rows})
    attempt = Attempt(ended=Ended.ANSWERED, text=text, locale=locale, results=(found,))
    assert score(case, attempt).verdict in (TrialVerdict.RIGHT, TrialVerdict.WRONG, TrialVerdict.ABSTAINED)


@pytest.mark.parametrize(
    "text", ["80 m ².", "①", "²", "- ٣. x", "Es sind ³ Stück und ½.", "९" * 5_000, "2025年１２月３１日"]
)
def test_digits_of_other_scripts_and_superscripts_are_read_or_left_alone(text: str) -> None:
    assert score(BALANCE, Attempt(ended=Ended.ANSWERED, text=text)).verdict is TrialVerdict.WRONG


@pytest.mark.parametrize(
    "piece",
    [
        "1020: 152'400.00 CHF, 1021: 28'100.00 CHF\n",
        "| 1020 | 152400 ",
        "1,",
        "keine Daten ",
        "a",
        "没有",
        "(",
        "31.12.2025 ",
    ],
)
def test_a_long_text_takes_a_moment_and_no_more(piece: str) -> None:
    case = expecting(
        expectedAnswerNumeric={"1020.closingBalance": 152400, "1021.closingBalance": 28100},
        expectedRows=[["1020", 152400]],
    )
    text = (piece * 20_000)[:20_000]
    started = process_time()
    score(case, Attempt(ended=Ended.ANSWERED, text=text, locale="de-CH"))
    assert process_time() - started < 20


# --- the percentage of a change


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Revenue, 2024; compared with 2022: 1,271 CHF (2024), 1,116 CHF (2022), rose: +155 CHF, +13.9%.", None),
        ("Umsatz 2024 verglichen mit 2022: 1'271 CHF (2024), 1'116 CHF (2022), gestiegen: +155 CHF, +13.9 %.", None),
        ("收入，2024年；与2022年相比：1,271 CHF（2024年），1,116 CHF（2022年），上升：+155 CHF，+13.9%。", None),
        ("Revenue: 1,271 CHF (2024), 1,116 CHF (2022), rose: +155 CHF, +14.9%.", "which nothing supports"),
        ("Revenue: 1,271 CHF (2024), 1,116 CHF (2022), 13.9%.", "without saying what it is"),
    ],
)
def test_a_change_in_percent_beside_its_amount_says_what_it_is(text: str, reason: str | None) -> None:
    case = expecting(expectedAnswerNumeric={"2024": 1271, "2022": 1116})
    locale = "de-CH" if text.startswith("Umsatz") else "en"
    judged = score(case, Attempt(ended=Ended.ANSWERED, text=text, locale=locale))
    assert (judged.verdict is TrialVerdict.RIGHT) is (reason is None), judged.reasons
    assert reason is None or reason in judged.reasons[0]
