"""Tables that nobody described, asked offline: by their names alone, and never by a guess."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veracity.answer.answer import Answer, Outcome
from veracity.ask.data_agent import DataAgent
from veracity.open import open_agent

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
    agent = open_agent(path, keep_traces=False)
    yield agent
    agent.close()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("List all users", "users:\n- 1, Mia Keller, mia@keller.ch, CH\n- 2, Jonas Brunner, jonas@brunner.ch, CH\n- 3, Li Wei, li@wei.cn, CN"),
        ("How many users are from CH?", "users, CH: 2"),
        ("Wie viele users gibt es?", "users: 3"),
        ("有多少users？", "users: 3"),
        ("total amount of paid orders", "amount, paid: 17.75"),
        ("amount of orders with status open", "amount, open: 20.00"),
        ("average amount per status", "average amount:\n- open: 20.00\n- paid: 8.88"),
        ("number of orders per status", "orders:\n- open: 1\n- paid: 2"),
        ("Which status has the highest amount?", "amount:\n- open: 20.00\n- paid: 17.75"),
        ("What is the email of Mia Keller?", "email, Mia Keller:\n- Mia Keller, mia@keller.ch"),
        ("How many visits in 2025?", "visits, 2025: 2"),
        ("How many pages of visits in May 2025", None),
        ("total pages in June 2025", "pages, June 2025: 6"),
    ],
)  # fmt: skip
def test_what_the_names_say_is_answered(app: DataAgent, question: str, text: str | None) -> None:
    answer = app.ask_sync(question)
    if text is None:
        assert answer.outcome is Outcome.ABSTAINED  # a number of pages is a sum or a number of rows: not guessed
    else:
        assert (answer.outcome, answer.text) == (Outcome.ANSWERED, text)
        assert all(figure.status == "bound" for figure in answer.provenance)


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("列出所有的用户", ("orders", "users", "visits")),
        ("Wie viele Benutzer gibt es?", ("orders", "users", "visits")),
        ("How many orders in May 2025?", ("ordered_on", "paid_on")),
        ("sum of user_id", None),
    ],
)
def test_what_is_left_open_is_asked_back(app: DataAgent, question: str, options: tuple[str, ...] | None) -> None:
    answer = app.ask_sync(question)
    if options is None:
        assert answer.outcome is not Outcome.ANSWERED
    else:
        assert answer.clarification is not None
        assert answer.clarification.options == options


@pytest.mark.parametrize(
    "question",
    [
        "Orders over 15",
        "users who are not from CH",
        "How many orders does Mia Keller have?",
        "What is the total of all orders?",
        "sum of id of orders",
        "average id of users",
        "Why is the amount so low?",
        "expected amount next year",
        "amount without paid orders",
        "amount of paid and open orders",
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
def test_what_one_call_cannot_answer_is_declined(app: DataAgent, question: str) -> None:
    assert app.ask_sync(question).outcome in (Outcome.ABSTAINED, Outcome.CLARIFY)


def test_a_word_that_is_not_understood_is_named_with_the_tables(app: DataAgent) -> None:
    answer = app.ask_sync("What was the weather?")
    assert "Not understood: weather. The tables are: orders, users, visits." in answer.text


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


def test_a_column_that_no_expression_can_name_is_not_left_out_of_a_list(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text('"{{ 1 }}",region\n5,Nord\n', encoding="utf-8")
    agent = open_agent(path, keep_traces=False)
    answer = agent.ask_sync("List all odd")
    agent.close()
    assert answer.outcome is Outcome.ABSTAINED
    assert "cannot answer this question with certainty" in answer.text
