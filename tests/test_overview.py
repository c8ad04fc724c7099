"""What can I ask: a question about the data as a whole is answered with what there is, in its own words, and without any figure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from csv_folders import write_folder
from veracity import open_agent
from veracity.answer.answer import Outcome
from veracity.ask.data_agent import DataAgent
from veracity.ask.overview import asks_for_overview


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    folder: Path = write_folder(tmp_path_factory.mktemp("overview"), "flat")
    agent = open_agent(folder / "orders.csv", keep_traces=False)
    yield agent
    agent.close()


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What can I ask?", ("orders", "customer", "unit price")),
        ("Which columns are there?", ("orders", "product", "shipped date")),
        ("Show me the data", ("orders", "region")),
        ("Welche Daten gibt es?", ("Bestellungen", "Kunde", "Stückpreis")),
        ("Was kann ich fragen?", ("Bestellungen", "Produkt")),
        ("有哪些数据？", ("订单", "客户", "单价")),
    ],
)
def test_what_there_is_is_told_in_the_words_of_the_data(
    orders: DataAgent, question: str, names: tuple[str, ...]
) -> None:
    answer = orders.ask_sync(question)
    assert answer.outcome is Outcome.ANSWERED
    assert all(name in answer.text for name in names)
    assert not re.search(r"\d", answer.text)
    assert not answer.provenance


def test_questions_that_are_offered_with_it_are_answered(orders: DataAgent) -> None:
    offered = re.findall(r"“([^”]+)”", orders.ask_sync("What can I ask?").text)
    assert offered
    assert all(orders.ask_sync(one).outcome is Outcome.ANSWERED for one in offered)


@pytest.mark.parametrize("question", ["What data was entered in May?", "Which tables cost most?", "help desk tickets"])
def test_a_question_for_something_of_it_is_none_about_all_of_it(question: str) -> None:
    assert not asks_for_overview(question, "en")
