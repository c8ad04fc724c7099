"""What people ask about money, stock and due dates, through drafts that nobody answered."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from each_case import each
from test_confirmed_drafts import Confirmed, check_case
from veracity.semantic.query import SemanticQuery
from veracity.semantic.result import SemanticResult
from veracity.semantic.wording.answer_text import answer_text

SETS = read_yaml(Path(__file__).parent / "cases" / "reading" / "money.yaml")
QUESTIONS = [(name, case) for name, told in SETS.items() for case in told["questions"]]


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Confirmed]]:
    place = tmp_path_factory.mktemp("money")
    made = {name: Confirmed(name, place, told) for name, told in SETS.items()}
    yield made
    for one in made.values():
        one.close()


@each(("name", "case"), QUESTIONS)
def test_question_about_money(name: str, case: dict[str, Any], drafted: dict[str, Confirmed]) -> None:
    check_case(drafted[name], case)


def test_months_without_rows_are_told(drafted: dict[str, Confirmed]) -> None:
    (series,) = drafted["depot"].ask("number of invoices per month")
    assert "No rows: November 2024." in answer_text(series, drafted["depot"].tools.model, "en").text


def test_no_gap_is_told_of_groups_that_were_left_out(drafted: dict[str, Confirmed]) -> None:
    asked = {
        "show": [{"aggregate": "count", "of": "Invoices"}],
        "of": "Invoices",
        "by": [{"field": "Invoices.IssuedOn", "grain": "month"}],
        "having": {"show": {"aggregate": "count", "of": "Invoices"}, "op": ">", "value": 1},
    }
    found = asyncio.run(drafted["depot"].tools.run(SemanticQuery.model_validate(asked)))
    assert isinstance(found, SemanticResult)
    assert "No rows" not in answer_text(found, drafted["depot"].tools.model, "en").text
