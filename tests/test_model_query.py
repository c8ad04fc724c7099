"""A model says what is meant: what the words bear out is answered, the rest is asked back or declined."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from scripted import Script, Turn, call
from veracity.answer.answer import Answer
from veracity.ask.data_agent import DataAgent
from veracity.open import open_agent
from veracity.settings import Settings

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ONTOLOGY = """
featureCode: workshop
entities:
  - name: Customer
    table: customer
    label: {en: customer, de: Kunde}
    grain: [id]
    display: [name]
    fields:
      - {name: name, label: {en: name}}
      - {name: city, label: {en: city, de: Ort}}
  - name: Repair
    table: repair
    label: {en: repair, de: Reparatur}
    grain: [id]
    defaultDate: done
    fields:
      - {name: done, label: {en: date}, role: DATE}
      - {name: hours, label: {en: hours}, additivity: ADDITIVE}
      - {name: kind, label: {en: kind, de: Art}}
      - {name: price, label: {en: price}, averages: true}
    measures:
      - {name: revenue, label: {en: revenue, de: Umsatz}, aggregate: sum, expression: "hours * price", unit: CHF}
relations:
  - {fromEntity: Repair, toEntity: Customer, cardinality: MANY_TO_ONE, via: customer_id}
"""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("workshop")
    with sqlite3.connect(folder / "workshop.sqlite") as source:
        source.executescript(
            "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, city TEXT);"
            "CREATE TABLE repair (id INTEGER PRIMARY KEY, customer_id INTEGER, done DATE, hours REAL, kind TEXT, price REAL);"
        )
        source.executemany(
            "INSERT INTO customer VALUES (?, ?, ?)",
            [(1, "Ada", "Bern"), (2, "Ben", "Basel"), (3, "Cleo", "Bern"), (4, "Dora", "Chur")],
        )
        source.executemany(
            "INSERT INTO repair VALUES (?, ?, ?, ?, ?, ?)",
            [
                (1, 1, "2025-01-10", 2, "brake", 50),
                (2, 1, "2025-02-11", 3, "wheel", 40),
                (3, 2, "2025-02-12", 1, "brake", 50),
                (4, 3, "2024-05-01", 5, "frame", 80),
            ],
        )
    ontology = folder / "workshop.yaml"
    ontology.write_text(ONTOLOGY)
    return folder / "workshop.sqlite", ontology


def filled(**keys: Any) -> Any:
    """What a model fills in, with nothing where nothing is said."""
    empty: dict[str, Any] = {
        "show": [], "where": [], "by": [], "period": None, "compareWith": None, "order": None, "limit": None, "limitPer": None,
    }  # fmt: skip
    return [call("semanticQuery", **{**empty, **keys})]


def shown(name: str, compute: str | None = None, as_: str | None = None) -> dict[str, Any]:
    return {"name": name, "compute": compute, "as": as_}


@pytest.fixture(scope="module")
def desk(workshop: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DataAgent, Script]]:
    """One agent whose model says what a test lets it say."""
    source, ontology = workshop
    script, settings = Script(""), Settings(home=tmp_path_factory.mktemp("home"))
    agent = open_agent(
        source, ontology=ontology, model=script.model, clock=lambda: NOW, keep_traces=False, settings=settings
    )
    yield agent, script
    agent.close()


def asked(desk: tuple[DataAgent, Script], question: str, *turns: Turn, assume: bool = False) -> Answer:
    agent, script = desk
    script.turns, script.said = turns, 0
    return agent.ask_sync(question, assume=assume)


MONEY = filled(words=[{"word": "takings", "means": "revenue"}], show=[shown("revenue")])


def test_a_clear_question_needs_no_model(desk: tuple[DataAgent, Script]) -> None:
    answer = asked(desk, "How many customers are there?", "never asked")
    assert (answer.outcome, desk[1].said) == ("answered", 0)
    assert "4" in answer.text


def test_an_unknown_word_that_a_model_explains_is_asked_back_and_can_be_remembered(
    desk: tuple[DataAgent, Script],
) -> None:
    answer = asked(desk, "takings in 2025", MONEY)
    assert answer.outcome == "clarify"
    assert [one.text for one in answer.readings] == ["“takings” means revenue: Revenue, 2025"]
    assert answer.readings[0].teaches is not None
    assert (answer.readings[0].teaches.word, answer.readings[0].teaches.means) == ("takings", "revenue")


def test_an_assumption_is_told_where_it_may_be_taken(desk: tuple[DataAgent, Script]) -> None:
    answer = asked(desk, "takings in 2025", MONEY, assume=True)
    assert answer.outcome == "answered"
    assert "270" in answer.text
    assert (answer.read_back or "").startswith("Assumed: “takings” means revenue.")
    assert [(one.word, one.means) for one in answer.assumptions] == [("takings", "revenue")]


def test_a_far_fetched_assumption_is_asked_back_even_where_assumptions_are_welcome(
    desk: tuple[DataAgent, Script],
) -> None:
    lie = filled(words=[{"word": "giraffes", "means": "Repair"}], show=[shown("Repair", "count")])
    answer = asked(desk, "how many giraffes", lie, assume=True)
    assert answer.outcome == "clarify"


def test_what_the_data_does_not_hold_is_declined(desk: tuple[DataAgent, Script]) -> None:
    none = filled(words=[{"word": "giraffes", "means": "notInData"}], show=[shown("Repair", "count")])
    answer = asked(desk, "how many giraffes in 2025", none)
    assert answer.outcome == "abstained"
    assert "giraffes" in answer.text
    assert "--model" not in answer.text


def test_a_refused_query_is_repaired_with_the_nearest_name(desk: tuple[DataAgent, Script]) -> None:
    wrong = filled(words=[{"word": "takings", "means": "Repair.revenues"}], show=[shown("Repair.revenues")])
    answer = asked(desk, "takings in 2025", wrong, MONEY)
    assert (answer.outcome, desk[1].said) == ("clarify", 2)
    assert desk[1].told[0]["errorDetails"]["suggestion"] == "revenue"
    assert [one.success for one in answer.trace.calls] == [False, True]


def test_a_model_that_repeats_itself_is_not_told_a_third_time(desk: tuple[DataAgent, Script]) -> None:
    wrong = filled(show=[shown("Repair.nothing")])
    answer = asked(desk, "takings in 2025", wrong)
    assert (answer.outcome == "answered", desk[1].said) == (False, 2)


HOSTILE: list[Any] = [
    "Revenue was 1,000,000 CHF.",
    '{"show": [',
    "{" * 5000,
    "x" * 10_000_000,
    "",
    [],
    [call("semanticQuery")],
    [call("semanticQuery", query="DROP TABLE customer")],
    [call("somethingElse", a=1)],
    [call("answer", text="{{ 42 }}")],
    filled(show=[shown("password")]),
    filled(show=[shown("revenue")], limit=-5),
    filled(show=[shown("Customer", "sum")]),
    filled(show=[shown("Repair.price", "sum")]),
    filled(show=[shown("Customer", "count")]),
    filled(show=[shown("revenue")], period="2024"),
    filled(show=[shown("revenue")], period="2025", where=[{"name": "Customer.city", "op": "=", "values": ["Basel"], "compute": None}]),
    filled(show=[shown("revenue")], by=[{"name": "Customer.city", "grain": None}]),
    filled(show=[shown("Repair.hours", "avg")]),
    filled(words=[{"word": "Bern", "means": "revenue"}], show=[shown("revenue")]),
    filled(show=[shown("revenue")], where=[{"name": "Customer.city", "op": "like", "values": ["%"], "compute": None}]),
    filled(show=[shown("revenue", None, "share")]),
    filled(show=[shown("revenue")], order={"name": "revenue", "compute": None, "first": "lowest"}, limit=1),
]  # fmt: skip
QUESTIONS = (
    "revenue without brake repairs of customers beside Bern",
    "average hours between wheel and Bern, only customers",
    "takings of gizmos in Bern 2025",
)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_a_lying_model_never_gets_a_figure_out(desk: tuple[DataAgent, Script], question: str, number: int) -> None:
    answer = asked(desk, question, HOSTILE[number], assume=True)
    assert answer.outcome in ("clarify", "abstained")
    assert not answer.provenance
