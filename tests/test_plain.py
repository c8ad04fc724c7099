"""Tables that nobody described, asked offline: by their names alone, and never by a guess."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from veracity.answer.answer import Answer, Outcome
from veracity.answer.results import digest
from veracity.ask.conversation import Conversation
from veracity.ask.data_agent import DataAgent
from veracity.open import open_agent
from veracity.server.web.traces import run_again

APP = """
    CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, email TEXT, country TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER, amount DECIMAL(10,2), status TEXT, ordered_on DATE, paid_on DATE);
    CREATE TABLE visits (id INTEGER PRIMARY KEY, user_id INTEGER, pages INTEGER, visited_on DATE);
    INSERT INTO users VALUES (1,'Mia Keller','mia@keller.ch','CH'), (2,'Jonas Brunner','jonas@brunner.ch','CH'),
        (3,'Li Wei','li@wei.cn','CN');
    INSERT INTO orders VALUES (1,1,10.50,'paid','2025-05-02','2025-06-02'), (2,1,20,'open','2025-05-09',NULL),
        (3,3,7.25,'paid','2025-06-01','2025-06-05');
    INSERT INTO visits VALUES (1,1,4,'2025-05-01'), (2,3,6,'2025-06-30'), (3,1,5,'2024-12-31');
"""

Ask = Callable[[str], Answer]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    path = tmp_path_factory.mktemp("app") / "app.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(APP)
    agent = open_agent(path, keep_traces=False, use_ontology=False)
    yield agent
    agent.close()


@each(
    ("question", "text"),
    [
        ("List all users", "Users:\n- Mia Keller\n- Jonas Brunner\n- Li Wei"),
        ("How many users are from CH?", "Number of users, country CH: 2."),
        ("Wie viele users gibt es?", "Anzahl users: 3."),
        ("有多少users？", "Users数量：3。"),
        ("total amount of paid orders", "Total amount, status “paid”: 17.75."),
        ("amount of orders with status open", "Amount of id 2 (orders): 20.00."),
        ("average amount per status", "Average amount by status:\n- open: 20.00\n- paid: 8.88"),
        ("number of orders per status", "Number of orders by status:\n- open: 1\n- paid: 2"),
        ("What is the email of Mia Keller?", "Email of Mia Keller (users): mia@keller.ch."),
        ("users who are not from CH", "Users, not (country CH): Li Wei."),
        ("amount of paid and open orders", "Orders, status “open” or “paid”; amount:\n- id 1: 10.50\n- id 2: 20.00\n- id 3: 7.25"),
        ("How many visits in 2025?", "Number of visits, visited on from 1 January 2025 to 31 December 2025: 2."),
        ("What is the total of all orders?", "Total amount: 37.75."),
        ("total pages in June 2025", "Total pages, visited on from 1 June 2025 to 30 June 2025: 6."),
    ],
)  # fmt: skip
def test_what_the_names_say_is_answered(app: DataAgent, question: str, text: str) -> None:
    answer = app.ask_sync(question)
    assert (answer.outcome, answer.text) == (Outcome.ANSWERED, text)
    assert all(figure.status == "bound" for figure in answer.provenance)
    assert answer.semantic_query is not None


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("How many orders in May 2025?", ("Number of orders, ordered on", "Number of orders, paid on")),
        ("amount per status", ("Total amount by status", "Average amount by status")),
    ],
)
def test_what_is_left_open_is_asked_back_and_an_option_is_answered(
    app: DataAgent, question: str, options: tuple[str, ...]
) -> None:
    conversation = Conversation()
    answer = app.ask_sync(question, conversation=conversation)
    assert answer.clarification is not None
    assert all(said.startswith(start) for said, start in zip(answer.clarification.options, options, strict=True))
    assert [reading.text for reading in answer.readings] == list(answer.clarification.options)
    chosen = app.ask_sync(answer.clarification.options[1], conversation=conversation)
    assert (chosen.outcome, chosen.semantic_query) == (Outcome.ANSWERED, answer.readings[1].query)


@each(
    "question",
    [
        "Orders over 15",
        "How many orders does Mia Keller have?",
        "sum of id of orders",
        "sum of user_id",
        "Which status has the highest amount?",
        "average id of users",
        "Why is the amount so low?",
        "expected amount next year",
        "amount without paid orders",
        "Which users ordered nothing?",
        "delete all users",
        "top 2 users",
        "amount in dollars",
        "How did the amount change?",
        "amount of refunded orders",
        "Umsatz pro Land",
        "What was the weather?",
    ],
)
def test_what_the_names_do_not_say_is_declined(app: DataAgent, question: str) -> None:
    assert app.ask_sync(question).outcome in (Outcome.ABSTAINED, Outcome.CLARIFY)


def test_a_word_that_is_not_understood_is_named_with_the_tables_there_are(app: DataAgent) -> None:
    answer = app.ask_sync("What was the weather?")
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.text.startswith(
        "The data holds nothing that is called weather. The tables are: orders, users, visits."
    )


@pytest.mark.parametrize("question", ["有多少用户？", "Wie viele Benutzer gibt es?", "How many users are there?"])
def test_a_table_that_nobody_described_is_asked_for_in_other_languages(app: DataAgent, question: str) -> None:
    answer = app.ask_sync(question)
    assert (answer.outcome, list(answer.rows[0].values())) == (Outcome.ANSWERED, [3])


@pytest.mark.parametrize(("question", "word", "near"), [("average amout", "amout", "amount")])
def test_a_word_that_is_near_another_is_asked_back_and_never_taken_for_it(
    app: DataAgent, question: str, word: str, near: str
) -> None:
    answer = app.ask_sync(question)
    assert answer.outcome is Outcome.CLARIFY
    assert word in answer.text
    assert any(near in option.text for option in answer.readings)


def test_a_german_answer_keeps_the_capitals_that_a_column_is_stored_with(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.executescript(
            "CREATE TABLE Filiale (id INTEGER PRIMARY KEY, Umsatz DECIMAL(10,2)); INSERT INTO Filiale VALUES (1, 10), (2, 5)"
        )
    agent = open_agent(tmp_path / "shop.sqlite", keep_traces=False, use_ontology=False)
    assert agent.ask_sync("Summe Umsatz").text == "Summe Umsatz: 15,00."
    agent.close()


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.sampled_from(["users", "orders", "amount", "status", "paid", "CH", "open", "per", "average", "how", "many", "total", "list", "country", "email", "not", "over", "2025", "May", "all", "except", "highest", "top"]), min_size=1, max_size=8))  # fmt: skip
def test_no_mixture_of_words_gets_a_figure_that_sql_does_not_have(app: DataAgent, words: list[str]) -> None:
    answer = app.ask_sync(" ".join(words))
    known = {
        Decimal(x) for x in ("1", "2", "3", "10.50", "20", "7.25", "17.75", "37.75", "27.75", "8.875", "12.583333")
    }
    for figure in answer.provenance:
        columns = {arg.column for arg in figure.args}
        if figure.value is not None and any(name == "count" or name.startswith(("sum_", "avg_")) for name in columns):
            assert any(abs(Decimal(figure.value) - one) < Decimal("0.000001") for one in known), answer.text


def test_a_column_that_no_expression_can_name_is_asked_for_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text('"{{ 1 }}",region\n5,Nord\n', encoding="utf-8")
    agent = open_agent(path, keep_traces=False, use_ontology=False)
    answer = agent.ask_sync("How many odd?")
    agent.close()
    assert answer.text == "Number of odds: 1."


def test_the_rows_behind_an_answer_can_be_fetched_again(app: DataAgent) -> None:
    answer = app.ask_sync("number of orders per status")
    (source,) = answer.sources
    assert digest(asyncio.run(run_again(app, source)).data) == source.digest
