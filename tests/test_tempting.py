"""Questions whose nearest reading is wrong: they are answered as they are meant, asked back, or not answered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from each_case import each
from test_confirmed_drafts import Confirmed, check_case
from veracity.open import open_agent

STUDIO = read_yaml(Path(__file__).parent / "cases" / "reading" / "tempting.yaml")["studio"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tempting")


@pytest.fixture(scope="module")
def studio(place: Path) -> Iterator[Confirmed]:
    made = Confirmed("studio", place, STUDIO)
    made.connection.commit()
    yield made
    made.close()


@each("case", STUDIO["questions"])
def test_tempting_question(case: dict[str, Any], studio: Confirmed) -> None:
    check_case(studio, case)


# --- what is said where there is no answer


@pytest.fixture(scope="module")
def ask(studio: Confirmed, place: Path) -> Iterator[Any]:
    with open_agent(place / "studio.sqlite", keep_traces=False) as agent:
        yield agent.ask_sync


def test_the_number_of_rows_is_not_told_for_an_amount_that_nobody_confirmed(ask: Any) -> None:
    answer = ask("Total cost per project")
    assert answer.outcome != "answered"
    assert "cost.amount" in answer.text
    assert ask("What share of the cost is travel?").outcome != "answered"


def test_the_part_that_does_not_fit_is_named_and_near_questions_are_offered(ask: Any) -> None:
    answer = ask("How many employees are still with us?")
    assert answer.outcome == "abstained"
    assert "“How many employees” is understood. What “are still with us” says of it is not." in answer.text
    assert "“How many employees are there?”" in answer.text


@pytest.mark.parametrize("question", ["What is our profit?", "Profit margin per department"])
def test_nothing_that_only_looks_alike_is_offered(ask: Any, question: str) -> None:
    answer = ask(question)
    assert answer.outcome == "abstained"
    assert "holds nothing that is called" in answer.text
    assert "means" not in answer.text
    assert "Did you mean" not in answer.text


def test_offered_questions_are_answered(ask: Any) -> None:
    answer = ask("Profit margin per department")
    offered = [part for part in answer.text.split("“")[1:] if part.partition("”")[0].endswith("?")]
    assert offered
    assert all(ask(part.partition("”")[0]).outcome == "answered" for part in offered)


def test_a_word_that_is_no_thing_is_not_said_to_be_missing_from_the_data(ask: Any) -> None:
    answer = ask("Projects from 2021 or later")
    assert answer.outcome == "answered" or "nothing that is called later" not in answer.text
