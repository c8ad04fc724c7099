"""Odd questions and wrong ontologies: an answer or one clear sentence, never an exception, never a wrong figure."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity.answer.answer import Outcome
from veracity.ask.data_agent import DataAgent
from veracity.errors import OntologyError
from veracity.ontology.load import load_ontology
from veracity.open import open_agent
from veracity.semantic.ontology_check import check_ontology
from veracity.sources.open import open_source

TABLES = """
    CREATE TABLE customers (id INTEGER, name TEXT, city TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, payer_id INTEGER, amount DECIMAL(10,2), day DATE);
    INSERT INTO customers VALUES (1, 'Anna', 'Bern'), (2, 'Ben', 'Chur');
    INSERT INTO orders VALUES (1, 1, 2, 10, '2024-01-01'), (2, 1, 2, 20, '2024-02-01'), (3, 2, 1, 5, '2024-03-01');
"""
MEANING = """
featureCode: shop
entities:
  - name: Customer
    table: customers
    grain: [id]
    fields: [{name: name, semanticType: NAME}]
  - name: Order
    table: orders
    grain: [id]
    defaultDate: day
    fields: [{name: amount, additivity: ADDITIVE}]
    measures:
      - {name: revenue, aggregate: SUM, expression: amount}
relations:
  - {fromEntity: Order, toEntity: Customer, cardinality: MANY_TO_ONE, via: customer_id}
"""
BY_CUSTOMER: dict[str, Any] = {"show": ["revenue"], "by": ["Customer"]}


def shop(folder: Path, more: str = "") -> Path:
    path = folder / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(TABLES + more)
    connection.close()
    return path


def written(folder: Path, text: str) -> Path:
    path = folder / "shop.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    folder = tmp_path_factory.mktemp("odd")
    opened = open_agent(shop(folder), ontology=written(folder, MEANING), keep_traces=False)
    yield opened
    opened.close()


# --- questions

PIECES = (
    "customers", "orders", "revenue", "amount", "per city", "in Bern", "in 2024", "how many", "wie viele", "多少", "over 20", "not", "and",
    "or", "top 5", "between 1 and", "the", "der", "的", "'", '"', ";", "DROP TABLE customers", "SELECT * FROM orders", "🎉", "\x00", "%",
    "last year", "31.02.2024", "1e999", "-5", "Anna", "average", "share of", "compared with",
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=st.one_of(
        st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map(" ".join),
        st.text(min_size=1, max_size=80).filter(str.strip),
    )
)
def test_any_text_gives_an_answer_and_never_an_exception(agent: DataAgent, question: str) -> None:
    if question.lstrip().startswith("/"):
        question = f"x{question}"
    answer = agent.ask_sync(question)
    assert answer.text.strip()
    assert answer.outcome in (Outcome.ANSWERED, Outcome.CLARIFY, Outcome.ABSTAINED)


@pytest.mark.parametrize(
    "question",
    [
        "customers in Bern and " * 90,
        "how many orders with amount over 20 and " * 49,
        "It was the best of times, it was the worst of times. " * 37,
        "x" * 2000,
        "客户" * 1000,
        "(" * 2000,
        "not " * 499,
        "1 2 3 " * 330,
    ],
    ids=lambda question: question[:12].strip(),
)
def test_a_question_of_2000_characters_is_declined_in_short_and_soon(agent: DataAgent, question: str) -> None:
    started = time.process_time()
    answer = agent.ask_sync(question[:2000])
    assert time.process_time() - started < 3
    assert answer.outcome is Outcome.ABSTAINED
    assert len(answer.text) < 500


@pytest.mark.parametrize("question", ["the of and in", "der die das und", "的 是 在", "?", "'", "🎉"])
def test_stop_words_and_signs_alone_are_declined(agent: DataAgent, question: str) -> None:
    assert agent.ask_sync(question).outcome in (Outcome.ABSTAINED, Outcome.CLARIFY)


def test_sql_in_a_question_is_no_sql(agent: DataAgent) -> None:
    assert agent.ask_sync("customers'; DROP TABLE customers; --").outcome is Outcome.ABSTAINED
    assert agent.ask_sync("how many customers").text == "Number of customers: 2."


# --- ontologies


def test_a_customer_that_stands_twice_is_never_counted_twice(tmp_path: Path) -> None:
    source = shop(tmp_path, "INSERT INTO customers VALUES (1, 'Anna again', 'Basel');")
    opened = open_agent(source, ontology=written(tmp_path, MEANING), keep_traces=False)
    for query in (
        BY_CUSTOMER,
        {"show": ["revenue"], "by": ["Customer.city"]},
        {"of": "Order", "show": ["Customer.name"]},
    ):
        outcome = opened.query_sync(query)
        assert outcome.error_details is not None
        assert outcome.error_details.hint == "Several rows of Customer share id 1: they would count twice."
    assert opened.ask_sync("revenue per customer").outcome is Outcome.ABSTAINED
    # What does not look at customers is answered.
    total = opened.query_sync({"show": ["revenue"]})
    assert total.data is not None
    assert total.data.answer == "Revenue: 35.00."
    opened.close()


def test_a_key_that_the_database_declares_unique_is_not_looked_at(tmp_path: Path) -> None:
    source = shop(
        tmp_path, "CREATE TABLE parties (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO parties VALUES (1, 'A')"
    )
    text = MEANING.replace("table: customers", "table: parties")
    opened = open_agent(source, ontology=written(tmp_path, text), keep_traces=False)
    assert opened.query_sync(BY_CUSTOMER).success
    assert opened.semantic is not None
    assert opened.semantic.model.seen_keys == {}
    opened.close()


def test_a_key_is_looked_at_once(tmp_path: Path) -> None:
    source = shop(tmp_path)
    opened = open_agent(source, ontology=written(tmp_path, MEANING), keep_traces=False)
    assert opened.query_sync(BY_CUSTOMER).success
    with sqlite3.connect(source) as connection:
        connection.execute("INSERT INTO customers VALUES (2, 'Ben again', 'Chur')")
    connection.close()
    assert opened.semantic is not None
    assert list(opened.semantic.model.seen_keys) == [("Customer", ("id",))]
    opened.semantic.model.seen_keys.clear()
    assert not opened.query_sync(BY_CUSTOMER).success
    opened.close()


WRONG = {
    "expression: amount}": ("expression: amuont}", "line 14: the measure revenue of Order names the field amuont"),
    "via: customer_id": ("via: custmer_id", "line 16: the relation Order -> Customer names the field custmer_id"),
    "grain: [id]\n    defaultDate": (
        "grain: [id]\n    segments: [{name: big, where: amnt > 5}]\n    defaultDate",
        "line 11: the segment big of Order names the field amnt",
    ),
}


@pytest.mark.parametrize("right", WRONG)
def test_what_cannot_work_is_told_with_its_file_and_line(tmp_path: Path, right: str) -> None:
    wrong, told = WRONG[right]
    path = written(tmp_path, MEANING.replace(right, wrong))
    with pytest.raises(OntologyError) as caught:
        open_agent(shop(tmp_path), ontology=path, keep_traces=False)
    assert str(caught.value).startswith(f"{path}, {told}")
    assert "\n" not in str(caught.value)


def test_a_relation_to_one_that_has_several_is_found_by_the_check(tmp_path: Path) -> None:
    source = open_source(shop(tmp_path, "UPDATE customers SET city = 'Bern'"))
    text = MEANING.replace("via: customer_id", "keys: {customer_id: city}")
    ontology = load_ontology(written(tmp_path, text))
    found = asyncio.run(check_ontology(ontology, source))
    assert [(one.where, one.message) for one in found] == [
        (
            "relation Order -> Customer",
            "Order has one Customer each, but several rows of Customer share city, and would count twice.",
        )
    ]
    assert found[0].place == ("relations", 0)
    source.close()


def test_two_ways_are_never_chosen_between_and_a_circle_ends(tmp_path: Path) -> None:
    more = (
        "  - {name: payer, fromEntity: Order, toEntity: Customer, cardinality: MANY_TO_ONE, keys: {payer_id: id}}\n"
        "  - {name: buyer, fromEntity: Order, toEntity: Customer, cardinality: MANY_TO_ONE, keys: {customer_id: id}}\n"
    )
    plain = "  - {fromEntity: Order, toEntity: Customer, cardinality: MANY_TO_ONE, via: customer_id}\n"
    circle = "  - {name: first, fromEntity: Customer, toEntity: Order, cardinality: MANY_TO_ONE, keys: {id: id}}\n"
    path = written(tmp_path, MEANING.replace(plain, more + circle))
    opened = open_agent(shop(tmp_path), ontology=path, keep_traces=False)
    refused = opened.query_sync(BY_CUSTOMER)
    assert refused.error_details is not None
    assert refused.error_details.hint == "Several ways lead from Order to Customer; say one in `via`."
    said = opened.query_sync({"show": ["revenue"], "by": [{"entity": "Customer", "via": ["payer"]}]})
    assert said.data is not None
    assert [str(row["revenue"]) for row in said.data.rows] == ["5.00", "30.00"]
    assert opened.ask_sync("revenue per customer").outcome in (Outcome.CLARIFY, Outcome.ABSTAINED)
    opened.close()
