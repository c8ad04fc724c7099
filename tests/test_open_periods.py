"""Periods that are said without their year: the only year of the data is taken, of several those that the data has are offered."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from veracity.ask.conversation import Conversation
from veracity.ask.data_agent import DataAgent
from veracity.open import open_agent


def sales(folder: Path, *years: int) -> Path:
    """A file with one sale on the fifth of each month of some years; each amount is its month."""
    file = folder / f"sales_{years[-1]}.csv"
    rows = [(f"{year}-{month:02}-05", "Bern", month) for year in years for month in range(1, 13)]
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([("sold_on", "city", "revenue_chf"), *rows])
    return file


@pytest.fixture(scope="module")
def one_year(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    with open_agent(sales(tmp_path_factory.mktemp("one"), 2019), keep_traces=False) as agent:
        yield agent


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("revenue in March", "Revenue, March 2019: 3 CHF."),
        ("How many sales were there in the first quarter?", "Number of sales, Q1 2019: 3."),
        ("Umsatz im Dezember", "Umsatz, Dezember 2019: 12 CHF."),
    ],
)
def test_the_only_year_of_the_data_is_taken_and_said(one_year: DataAgent, question: str, answer: str) -> None:
    assert one_year.ask_sync(question).text == answer


def test_years_that_the_data_has_are_offered(tmp_path: Path) -> None:
    with open_agent(sales(tmp_path, 2018, 2019), keep_traces=False) as agent:
        asked = agent.ask_sync("revenue in March")
    assert asked.outcome == "clarify"
    assert asked.clarification is not None
    assert asked.clarification.options == ("2019", "2018")


def test_a_period_that_is_said_is_not_changed(one_year: DataAgent) -> None:
    assert "2020" in one_year.ask_sync("revenue in March 2020").text


def test_a_period_behind_the_data_is_asked_back_with_the_latest_one(one_year: DataAgent) -> None:
    talk = Conversation()
    asked = one_year.ask_sync("revenue last month", conversation=talk)
    assert asked.clarification is not None
    assert asked.clarification.options == ("Revenue, December 2019", "Revenue, 2019")
    assert "the data ends on 5 December 2019" in asked.text
    assert one_year.ask_sync("Revenue, December 2019", conversation=talk).text == "Revenue, December 2019: 12 CHF."
    assert one_year.ask_sync("Umsatz dieses Jahr").outcome == "clarify"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Why did revenue fall in 2019?", "The data tells what happened, not why. "),
        ("What will revenue be in 2035?", "Only what is stored can be told; nothing is forecast. "),
        ("Sollten wir den Umsatz steigern?", "Die Daten liefern Zahlen, keine Empfehlung. "),
    ],
)
def test_what_no_row_tells_is_declined_with_the_reason(one_year: DataAgent, question: str, reason: str) -> None:
    declined = one_year.ask_sync(question)
    assert declined.outcome == "abstained"
    assert declined.text.startswith(reason)
