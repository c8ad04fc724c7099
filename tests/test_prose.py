"""A model words a finished answer: what says the same goes out, everything else does not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from command_line import veracity
from each_case import each
from scripted import Script
from veracity.answer.render import FigureProvenance
from veracity.answer.values import Arg
from veracity.ask.conversation import Conversation
from veracity.ask.data_agent import DataAgent
from veracity.ask.prose import CHECKS, FinishedAnswer, ModelWording
from veracity.open import open_agent
from veracity.settings import Settings

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases/prose/shop.yaml").read_text())
RIGHT = [(case["question"], text) for case in CASES for text in case["right"]]
WRONG = [(case["question"], text) for case in CASES for text in case["wrong"].values()]
KEPT: dict[str, FinishedAnswer] = {}
ORDERS = "How many orders were there in 2024?"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DataAgent, Script]]:
    script, settings = Script(""), Settings(home=tmp_path_factory.mktemp("home"))
    agent = open_agent(feature="shop", model=script.model, prose=True, settings=settings)
    yield agent, script
    agent.close()


def finished(agent: DataAgent, question: str) -> FinishedAnswer:
    async def settle() -> FinishedAnswer:
        understood = await agent.understand(question, None, Conversation())
        assert agent.meaning is not None
        found = await agent.meaning.settle(understood, "r1", offers={})
        assert found is not None
        assert found.query is not None
        reader = agent.meaning._reader(understood.lang, understood.stored)
        return FinishedAnswer(found.text, found.provenance, found.query, understood, reader)

    if question not in KEPT:
        KEPT[question] = asyncio.run(settle())
    return KEPT[question]


def problem(agent: DataAgent, question: str, text: str) -> str | None:
    wording = ModelWording(text, finished(agent, question))
    return next((check.__name__ for check in CHECKS if check(wording) is not None), None)


@each(("question", "text"), RIGHT)
def test_a_wording_that_says_the_same_goes_out(desk: tuple[DataAgent, Script], question: str, text: str) -> None:
    assert problem(desk[0], question, text) is None


@each(("question", "text"), WRONG)
def test_a_wording_that_says_something_else_does_not(desk: tuple[DataAgent, Script], question: str, text: str) -> None:
    assert problem(desk[0], question, text) is not None


def ask(desk: tuple[DataAgent, Script], question: str, *turns: str) -> Any:
    agent, script = desk
    script.turns, script.said = turns, 0
    return agent.ask_sync(question)


def test_prose_goes_out_with_the_proof_of_its_figures(desk: tuple[DataAgent, Script]) -> None:
    answer = ask(desk, ORDERS, "A total of 397 orders were placed in 2024.")
    assert (answer.text, answer.worded_by_model) == ("A total of 397 orders were placed in 2024.", True)
    (figure,) = answer.provenance
    assert answer.text[slice(*figure.span)] == "397"
    assert figure.args[0].raw == 397


def test_a_table_stays_below_the_prose_that_tells_some_of_it(desk: tuple[DataAgent, Script]) -> None:
    prose = "2024 erzielte Hauptbahnhof einen Umsatz von 69'414.31 CHF."
    answer = ask(desk, "Umsatz pro Filiale 2024", prose)
    assert answer.text.startswith(prose + "\n\nUmsatz nach Filiale, 2024:")
    assert all(answer.text[slice(*one.span)] == one.text for one in answer.provenance)


def test_a_refused_wording_is_asked_for_once_more_with_its_reason(desk: tuple[DataAgent, Script]) -> None:
    answer = ask(desk, ORDERS, "There were 500 orders in 2024.", "In 2024 there were 397 orders.")
    assert answer.text == "In 2024 there were 397 orders."
    assert [one.hint for one in answer.trace.refusals] == ["500 is no figure of the answer."]


@pytest.mark.parametrize("said", ["", "There were 500 orders in 2024.", "x" * 20_000, "<script>alert(1)</script>"])
def test_the_programs_text_stays_where_no_wording_passes(desk: tuple[DataAgent, Script], said: str) -> None:
    answer = ask(desk, ORDERS, said, said, said)
    assert (answer.outcome, answer.worded_by_model, desk[1].said) == ("answered", False, 2)
    assert "397" in answer.text
    assert said == "" or said not in answer.text


@given(st.lists(st.sampled_from(["37,730.12", "30,707.81", "25,574.40"]), min_size=3, max_size=3))
def test_figures_in_any_other_order_never_go_out(desk: tuple[DataAgent, Script], figures: list[str]) -> None:
    names = ("Biwak One", "Feather Tarp", "Ridge Duo")
    told = ", ".join(f"{name} with {figure} CHF" for name, figure in zip(names, figures, strict=True))
    text = f"In 2024, the 3 products with the highest revenue were {told}."
    right = figures == ["37,730.12", "30,707.81", "25,574.40"]
    assert (problem(desk[0], "top 3 products by revenue in 2024", text) is None) == right


@given(st.text(max_size=200))
def test_any_text_is_judged(desk: tuple[DataAgent, Script], text: str) -> None:
    assert problem(desk[0], ORDERS, f"{text} 398") is not None


def test_prose_without_a_model_is_told() -> None:
    done = veracity("ask", "Umsatz 2024", "--prose")
    assert done.returncode == 2
    assert done.stderr == "veracity: --prose needs a model that words the answer; name one with --model.\n"


def test_a_figure_that_two_rows_share_is_of_the_name_beside_it(desk: tuple[DataAgent, Script]) -> None:
    def cell(text: str, row: str, column: str) -> FigureProvenance:
        arg = Arg(result="r1", row_key={"store": row}, column=column, raw=text)
        return FigureProvenance(span=(0, 0), text=text, value=text, kind="cell", args=(arg,))

    figures = [
        cell(text, row, "store" if text == row else "orders") for row in ("North", "South") for text in (row, "120")
    ]
    answer = replace(finished(desk[0], ORDERS), text="North: 120\nSouth: 120", figures=tuple(figures))
    told = ModelWording("South had 120 orders, and North had 120.", answer).released.figures
    assert [one.args[0].row_key["store"] for one in told] == ["South", "South", "North", "North"]
