"""Placeholders: a pattern and absence, both; and whatever a result says is never one."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from growth import is_linear
from veracity.grounding.checked_answer import CheckedAnswer
from veracity.grounding.config import NOUNS, STOCK_NAMES, GuardConfig
from veracity.grounding.contracts import GroundRequest
from veracity.grounding.guard import read_request
from veracity.grounding.placeholders import find_placeholders, placeholders_absent

INNOCENT = [
    "The top 3 regions are Nord, Süd and West.",
    "Kapitel 1 und Kapitel 2 behandeln die Bilanz.",
    "He was User 1st to sign up.",
    "Step 1: open the file. Step 2: read it. Step 3: close it.",
    "Schritt 1, Schritt 2 und Schritt 3 sind erledigt.",
    "Figure 2 shows the trend; see Table 3 and Section 4.",
    "Q1, Q2, Q3 and Q4 were strong.",
    "Phase 1 and Phase 2 are done, Phase 3 is next.",
    "Option 1 ist günstiger als Option 2.",
    "We support HTML 5, Python 3 and Windows 11.",
    "The F1 score is high; see ISO 9001 and COVID-19.",
    "Das war am 1. Mai, und der 2. Platz ging an Bern.",
    "第1步：查询。第2步：汇总。第3步：回答。",
    "共有用户5人，其中客户3家，新增用户12名。",
    "目前用户3万，同比增长5%。",
    "平均每个客户2.5笔订单。",
    "Users: 5. Customers: 12.",
    "Benutzer: 5, Kunden: 12",
    "The array is items[0], and the map is {}.",
    "Use the [optional] flag, see [1] and [sic].",
    "Size XXL, model X, Project X-ray; Malcolm X was there.",
    "The time is 5:55 and the ratio is 5:1.",
    "Weight [kg], price [CHF].",
    "Line one<br>line two <b>bold</b>",
    "Foobarbaz is a word; so is bobsleigh, and alice-blue is a colour.",
    "A customer is a person. Each item in the store is a product.",
    "The client in Region Süd, team Nord, city Bern.",
    "Mitarbeiter im Team Süd",
    "Kunde Meier, Kundin Frei, Firma Roth",
    "2 + 2 = 4, __init__ and snake_case",
]


@each("text", INNOCENT)
def test_ordinary_speech_holds_no_placeholder(text: str) -> None:
    assert find_placeholders(text, GuardConfig()) == []


def case_of(answer: str, cells: list[Any], question: str = "") -> CheckedAnswer:
    results = [{"id": "r1", "columns": ["name"], "rows": [[cell] for cell in cells]}]
    read = read_request(GroundRequest.model_validate({"answer": answer, "results": results, "question": question}))
    assert isinstance(read, CheckedAnswer)
    return read


NAMES = st.one_of(
    st.builds("{} {}".format, st.sampled_from(NOUNS), st.integers(1, 999)),
    st.builds("{}{}".format, st.sampled_from([noun for noun in NOUNS if ord(noun[0]) > 0x2E80]), st.integers(1, 99)),
    st.sampled_from(STOCK_NAMES),
)


@settings(max_examples=80, deadline=None)
@given(NAMES, st.sampled_from(["It is {}.", "- {}\n- other", "“{}”", "**{}**", "结果是{}。", "{}"]))
def test_a_placeholder_that_a_result_or_the_question_holds_is_none(name: str, frame: str) -> None:
    answer = frame.format(name)
    assert list(placeholders_absent(case_of(answer, [name]))) == []
    assert list(placeholders_absent(case_of(answer, ["x"], question=f"Who is {name}?"))) == []


@settings(max_examples=80, deadline=None)
@given(NAMES)
def test_the_same_one_is_found_where_no_result_holds_it(name: str) -> None:
    found = list(placeholders_absent(case_of(f"It is {name}, they say.", ["Keller"])))
    assert len(found) == 1
    assert found[0].text in name or name in found[0].text


@pytest.mark.parametrize("separator", ["、", ", ", "\n- ", " und ", "\n2. ", "; ", " and "])
def test_a_run_is_one_finding(separator: str) -> None:
    text = separator.join(f"Benutzer {number}" for number in range(1, 5))
    found = list(placeholders_absent(case_of(text, ["Keller"])))
    assert [one.span for one in found] == [(0, len(text))]


def test_defaults_can_be_left_out_and_added_to() -> None:
    assert find_placeholders("User 1 and John Doe", GuardConfig(defaults=False)) == []
    own = GuardConfig(defaults=False, nouns=("Gerät",), stock_names=("Otto Normal",), patterns=("Foo-*",))
    assert [hit.text for hit in find_placeholders("Gerät 5, Otto Normal, Foo-77", own)] == [
        "Gerät 5",
        "Otto Normal",
        "Foo-77",
    ]


@each("unit", ["User 1 ", "[a", "a@", "<insert ", "XX.", "用户", "{{ x ", "Widget 1, ", "555-", "_", "Kunde "])
def test_cost_is_linear_in_the_text(unit: str) -> None:
    assert is_linear(lambda length: partial(find_placeholders, (unit * length)[:length], GuardConfig()), 20_000, 20_000)
