"""Question files: the seed's format, and what is wrong with a file is said with its line."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity.answer.answer import Outcome
from veracity.errors import UsageError
from veracity.evals.cases import EvalCase, RequiredFilter, load_cases, load_questions

SEED = """\
- id: q01
  question: "Was ist der Banksaldo per 31.12.2025?"
  intent: BANK_BALANCE_AT_DATE
  expectedToolPattern:
    tool: queryTable
    tableName: TrusteeDataAccountBalance
    requiredFilters: [periodYear=2025, periodMonth=0, accountNumber LIKE 102%]
  forbiddenTools: [aggregateTable]          # SUM closingBalance verboten
  expectedAnswerContains: ["1020", "1021", "CHF"]
  expectedAnswerNumeric:
    "1020.closingBalance": 152400.00
    "1021.closingBalance": 28100.00
"""


def written(folder: Path, text: str, name: str = "q.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


SOURCES = """\
sources:
  shop: {feature: shop, scope: {tenant: a}}
  town: {source: ../town}
questions:
"""


def test_the_format_of_the_seed_is_read_as_it_stands(tmp_path: Path) -> None:
    (case,) = load_cases(written(tmp_path, SEED))
    pattern = case.expected_tool_pattern
    assert pattern is not None
    assert [str(one) for one in pattern.required_filters] == [
        "periodYear = 2025",
        "periodMonth = 0",
        "accountNumber LIKE 102%",
    ]
    assert case.expected_answer_numeric["1020.closingBalance"].value == Decimal("152400")
    assert (case.forbidden_tools, case.expected_outcome) == (("aggregateTable",), Outcome.ANSWERED)


def test_json_is_read_like_yaml(tmp_path: Path) -> None:
    text = json.dumps(yaml.safe_load(SEED), indent=1)
    assert load_cases(written(tmp_path, text, "q.json")) == load_cases(written(tmp_path, SEED))


def test_figures_may_carry_a_unit_and_rows_are_values(tmp_path: Path) -> None:
    text = """\
- {id: a, question: x, expectedAnswerNumeric: {total: {value: 1.10, unit: EUR}}}
- {id: b, question: x, expectedRows: [{name: Nord, amount: 30.3}, [Süd, 0.3], 7]}
- {id: c, question: x, gold_sql: SELECT 1}
- {id: d, question: x, goldSql: SELECT 1}
- {id: e, question: x, expectedOutcome: abstained, difficulty: hard, timeout: 2.5, lang: zh}
"""
    a, b, c, d, e = load_cases(written(tmp_path, text))
    assert (a.expected_answer_numeric["total"].value, a.expected_answer_numeric["total"].unit) == (
        Decimal("1.1"),
        "EUR",
    )
    assert b.expected_rows == (("Nord", Decimal("30.3")), ("Süd", Decimal("0.3")), (7,))
    assert c.gold_sql == d.gold_sql == "SELECT 1"
    assert (e.difficulty, e.timeout, e.lang) == ("hard", 2.5, "zh")


def test_one_text_is_a_list_of_one_and_dates_are_dates(tmp_path: Path) -> None:
    text = (
        "- {id: a, question: x, expectedAnswerContains: CHF, forbiddenTools: browseTable, expectedRows: [[2024-01-15]]}"
    )
    (case,) = load_cases(written(tmp_path, text))
    assert (case.expected_answer_contains, case.forbidden_tools) == (("CHF",), ("browseTable",))
    assert case.expected_rows == ((date(2024, 1, 15),),)


def test_questions_name_their_sources_whose_paths_are_seen_from_the_file(tmp_path: Path) -> None:
    asked = load_questions(
        written(tmp_path, SOURCES + "- {id: a, question: x, gold_sql: s, source: shop, unknownWords: true}\n")
    )
    assert (asked.cases[0].source, asked.cases[0].unknown_words, asked.cases[0].kind) == ("shop", True, "answerable")
    assert (asked.sources["shop"].feature, asked.sources["shop"].scope) == ("shop", {"tenant": "a"})
    assert asked.sources["town"].source == str(tmp_path.parent / "town")


def test_an_address_is_no_path(tmp_path: Path) -> None:
    text = "sources: {db: {source: postgresql://host/db}}\nquestions: [{id: a, question: x, gold_sql: s, source: db}]\n"
    assert load_questions(written(tmp_path, text)).sources["db"].source == "postgresql://host/db"


def test_no_rows_can_be_what_is_expected(tmp_path: Path) -> None:
    (case,) = load_cases(written(tmp_path, "- {id: a, question: x, expectedRows: []}"))
    assert case.expected_rows == ()


@pytest.mark.parametrize(
    ("written_as", "read_as"),
    [
        ("periodYear=2025", ("periodYear", "=", "2025")),
        ("periodYear >= 2025", ("periodYear", ">=", "2025")),
        ("name LIKE %AG 100%", ("name", "LIKE", "%AG 100%")),
        ("accountNumber in 1020, 1021", ("accountNumber", "IN", "1020, 1021")),
        ("contactId IS_NULL", ("contactId", "IS_NULL", "")),
        ("interest=1", ("interest", "=", "1")),
    ],
)
def test_a_required_filter_is_one_line(written_as: str, read_as: tuple[str, str, str]) -> None:
    found = RequiredFilter.model_validate(RequiredFilter.read(written_as))
    assert (found.field, found.op, found.value) == read_as


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("- id: a\n", 1, "a: question: field required"),
        ("- id: a\n  question: x\n  expectedAnswerNumeric: {a: 1}\n  nonsense: 1\n", 4, "a: nonsense: there is no such key"),
        ("- id: a\n  question: x\n  expectedAnswerNumeric: {a: many}\n", 3, "a: expectedAnswerNumeric: a: it is a number"),
        ("- id: a\n  question: x\n  expectedAnswerNumeric: {a: .nan}\n", 3, "finite"),
        ("- id: a\n  question: x\n", 1, "says nothing of the right answer"),
        ("- {id: a, question: x, expectedOutcome: blocked}\n", 1, "it is answered, clarify or abstained"),
        ("- {id: a, question: x, expectedOutcome: clarify, expectedAnswerContains: [y]}\n", 1, "no right figures"),
        (SEED + SEED, 13, "two questions 'q01'"),
        ("- id: a\n  question: x\n  timeout: 0\n  gold_sql: s\n", 3, "timeout"),
        ("- id: a\n  gold_sql: s\n  question: x\n  expectedToolPattern: {tool: queryTable, requiredFilters: [year]}\n", 4, "not a filter"),
        ("- id: a\n  gold_sql: s\n  question: x\n  expectedToolPattern: {tool: queryTable, requiredFilters: [year=]}\n", 4, "lacks its value"),
        ("- {id: a, question: x, gold_sql: s, lang: klingon}\n", 1, "a: lang: it is de, en, zh"),
        ("- {id: a, question: x, gold_sql: s, forbiddenTools: aggregateTabel}\n", 1, "did you mean aggregateTable"),
        ("- {id: a, question: x, gold_sql: s, expectedToolPatern: {}}\n", 1, "did you mean expectedToolPattern"),
        ("- {id: a, question: x, gold_sql: s, expectedAnswerContains: {a: b}}\n", 1, "it is a list"),
        ("- 7\n", 1, "question 0: it needs names and values"),
        ("- id: [\n", 2, "not valid YAML"),
        ("- {id: a, question: x, gold_sql: s, source: shop}\n", 1, "a: 'shop' is no source here; the file has no sources"),
        (SOURCES + "- {id: a, question: x, gold_sql: s, source: shoe}\n", 5, "a: 'shoe' is no source here; it is shop, town"),
        (SOURCES + "- {id: a, question: x, gold_sql: s}\n", 5, "a: 'nothing' is no source here"),
        (SOURCES + "- {id: a, question: x, gold_sql: s, source: shop, colour: red}\n", 5, "a: colour: there is no such key"),
        ("sources: {shop: {file: x.csv}}\nquestions: [{id: a, question: x, gold_sql: s, source: shop}]\n", 1, "sources.shop.file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UsageError) as raised:
        load_cases(path)
    assert str(raised.value).startswith(f"{path}, line {line}: ")
    assert said in str(raised.value)


@pytest.mark.parametrize("text", ["", "a: 1", "[]", "12", "- 1", "\t", "{{{", "- [" * 2_000])
def test_what_is_no_question_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError) as raised:
        load_cases(written(tmp_path, text))
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.yaml cannot be read: no such file"):
        load_cases(tmp_path / "none.yaml")


KEYS = st.sampled_from([*(field.alias or name for name, field in EvalCase.model_fields.items()), "gold_sql", "x"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(entries=st.lists(st.dictionaries(KEYS, VALUES, max_size=6), max_size=4))
def test_any_file_is_read_or_refused_in_one_sentence(tmp_path: Path, entries: list[dict[str, Any]]) -> None:
    path = written(tmp_path, yaml.safe_dump(entries, allow_unicode=True))
    said = None
    try:
        cases = load_cases(path)
    except UsageError as error:
        said = str(error)
    assert str(path) in said if said is not None else len(cases) == len(entries)
