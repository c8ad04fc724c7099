"""Strategies of skills without a model: a request taken apart, each part answered with its proof, and what is open named."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripted import Script
from veracity import open_agent
from veracity.answer.answer import Answer, Outcome
from veracity.ask.data_agent import DataAgent
from veracity.skills.request_parts import bound_of, pieces_of, ways_to_read

REFLECT = """\
name: careful
description: Looks twice.
strategy: reflexion
tools: [queryTable]
prompt: Answer, then look at the answer again.
quality: {skill_match: false}
"""


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> DataAgent:
    folder = tmp_path_factory.mktemp("strategies")
    (folder / ".veracity" / "skills").mkdir(parents=True)
    (folder / ".veracity" / "skills" / "careful.yaml").write_text(REFLECT)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("VERACITY_HOME", str(folder / "home"))
        opened = open_agent()
        asyncio.run(opened.ask("/careful Umsatz 2025"))  # the skills are read where the agent was opened
    return opened


def ask(agent: DataAgent, question: str) -> Answer:
    answer = agent.ask_sync(question)
    for figure in answer.provenance:
        assert answer.text[figure.span[0] : figure.span[1]] == figure.text
        assert {arg.result for arg in figure.args} <= {source.result for source in answer.sources}
    return answer


# --- a question that only one strategy answers


TWO_PARTS = "Wie hoch war der Umsatz 2025 und wie viele Buchungen gab es 2024?"
A_GOAL = "Prüfe, ob der Umsatz 2025 höher ist als der Aufwand 2025"
AN_EMPTY_YEAR = "Wie hoch war der Umsatz 2031?"


def test_rewoo_plans_a_query_per_part_and_runs_its_plan(agent: DataAgent) -> None:
    assert ask(agent, TWO_PARTS).outcome is Outcome.ABSTAINED
    answer = ask(agent, f"/rewoo {TWO_PARTS}")
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text.startswith("Plan, 2 Teile:")
    assert "Betriebsertrag, 2025: 1'390'736.55 CHF." in answer.text
    assert "Anzahl Buchungen, 2024: 947." in answer.text
    assert len(answer.trace.calls) == len(answer.sources) == 2


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (
            "/rewoo Compare rent in 2023 and revenue in 2024",
            "Rent, 2023: 72,090.00 CHF.\nOperating revenue, 2024: 1,271,665.18 CHF.",
        ),
        ("/rewoo Vergleiche die Miete 2023 und den Aufwand 2024", "Miete, 2023: 72'090.00 CHF."),
        ("/goal Find out in which year rent was highest", "2025: 75,002.40 CHF"),
        ("/rewoo Work out the rent in 2024", "Rent, 2024: 73,531.80 CHF."),
    ],
)
def test_words_that_only_ask_are_no_part_of_a_question(agent: DataAgent, request_: str, told: str) -> None:
    answer = ask(agent, request_)
    assert answer.outcome is Outcome.ANSWERED
    assert told in answer.text


def test_goal_driven_holds_its_goals_against_results(agent: DataAgent) -> None:
    assert ask(agent, A_GOAL).outcome is not Outcome.ANSWERED
    assert ask(agent, f"/rewoo {A_GOAL}").outcome is not Outcome.ANSWERED
    answer = ask(agent, f"/goal {A_GOAL}")
    assert answer.outcome is Outcome.ANSWERED
    assert "Schritt 1, Ziel:" in answer.text
    assert "geprüft: erfüllt" in answer.text
    assert "nicht erfüllt" in ask(agent, "/goal Prüfe, ob der Umsatz 2025 über 2'000'000 CHF liegt").text
    assert "对照结果：已达成" in ask(agent, "/goal 检查2025年的收入是否高于2025年的支出").text
    assert "not reached" in ask(agent, "/goal Check whether revenue 2025 is above 2,000,000").text


def test_reflexion_mends_a_draft_that_its_rows_do_not_bear_out(agent: DataAgent) -> None:
    assert ask(agent, AN_EMPTY_YEAR).outcome is Outcome.ABSTAINED
    answer = ask(agent, f"/careful {AN_EMPTY_YEAR}")
    assert answer.outcome is Outcome.ANSWERED
    assert [line.split(":")[0] for line in answer.text.splitlines()[:2]] == ["Entwurf", "Kritik"]
    assert answer.text.splitlines()[-1].startswith("Betriebsertrag, ")
    assert "2031" not in answer.text.splitlines()[-1]


# --- parts


def test_a_part_that_is_not_answered_is_named(agent: DataAgent) -> None:
    asked = "/rewoo Vergleiche Umsatz und Aufwand 2024 und 2025 und nenne die grössten drei Lieferanten"
    answer = ask(agent, asked)
    assert answer.outcome is Outcome.ANSWERED
    assert "Nicht beantwortet: «nenne die grössten drei Lieferanten»" in answer.text
    assert "1 von 2 Teilen" in answer.text


def test_a_part_without_a_period_takes_that_of_the_request_and_says_so(agent: DataAgent) -> None:
    answer = ask(agent, "/rewoo Trage Umsatz, Aufwand und Banksaldo 2025 zusammen")
    assert "Betriebsertrag, Aufwand, 2025:" in answer.text
    assert "Bank, Ende 2025: 180'500.00 CHF." in answer.text
    assert "«Umsatz, Aufwand» nennt keinen Zeitraum; genommen ist der des übrigen Auftrags: 2025." in answer.text


@pytest.mark.parametrize(
    "asked", ["Umsatz 2025, ohne Mai, und Aufwand 2024", "Revenue 2025, except May, and costs 2024"]
)
def test_a_part_is_not_answered_without_what_qualifies_it(asked: str, agent: DataAgent) -> None:
    text = ask(agent, f"/rewoo {asked}").text
    assert "390" not in text
    assert "113" in text


def test_a_request_with_two_meanings_is_asked_back_and_not_taken_apart(agent: DataAgent) -> None:
    assert ask(agent, "/rewoo Umsatz 2024 und 2025").outcome is Outcome.CLARIFY


def test_where_nothing_is_understood_nothing_is_answered(agent: DataAgent) -> None:
    assert ask(agent, "/rewoo Warum ist der Himmel blau und das Meer tief?").outcome is Outcome.ABSTAINED


@pytest.mark.parametrize(
    "goal",
    [
        "Prüfe, ob der Umsatz 2024 höher als 2025 ist",  # a year is no limit
        "Prüfe, ob der Umsatz 2025 über 1'000'000 EUR liegt",  # nor is another currency
        "Prüfe, ob der Umsatz 2025 über 10 % liegt",
        "Prüfe, ob der Umsatz 2025 nicht über 1'000'000 liegt",
        "Prüfe, ob der Umsatz 2025 höher als die Anzahl Buchungen 2025 ist",
    ],
)
def test_what_cannot_be_held_against_each_other_is_not(goal: str, agent: DataAgent) -> None:
    text = ask(agent, f"/goal {goal}").text
    assert "An den Ergebnissen geprüft" not in text


# --- words


@given(st.text(max_size=200))
def test_pieces_are_of_the_request_and_in_its_order(request: str) -> None:
    spans = pieces_of(request)
    assert spans
    assert all(first <= last for first, last in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    for way in ways_to_read(request):
        assert way in request
    bound = bound_of(request)
    assert bound is None or (bound.what and bound.than)


def test_a_request_is_cut_at_its_joints() -> None:
    assert [TWO_PARTS[first:last] for first, last in pieces_of(TWO_PARTS)] == [
        "Wie hoch war der Umsatz 2025",
        "wie viele Buchungen gab es 2024",
    ]


def test_a_goal_whose_words_are_clear_asks_no_model() -> None:
    script = Script("nobody is asked")
    with open_agent(model=script.model) as agent:
        assert "An den Ergebnissen geprüft: erfüllt." in ask(agent, f"/goal {A_GOAL}").text
    assert script.said == 0
