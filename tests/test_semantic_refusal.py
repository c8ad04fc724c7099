"""Questions that cannot be answered say why in the asker's words, and what is not clear is asked back in words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from case_files import read_yaml
from veracity.answer.answer import Outcome
from veracity.ask.conversation import Conversation
from veracity.ask.data_agent import DataAgent
from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.open import open_agent
from veracity.semantic.query import SemanticQuery

CASES = read_yaml(Path(__file__).parent / "cases" / "reading" / "questions.yaml")
JSON_WORDS = ("via", "`", "field", "show", "null", "{")


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    folder = tmp_path_factory.mktemp("atlas")
    with duckdb.connect(str(folder / "atlas.duckdb")) as connection:
        connection.execute(CASES["tables"])
    (folder / "atlas.yaml").write_text(CASES["ontology"], encoding="utf-8")
    made = open_agent(folder / "atlas.duckdb", ontology=folder / "atlas.yaml", keep_traces=False)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("visits per doctor", ("Number of visits by treating doctor", "Number of visits by referring doctor")),
        ("Besuche pro Arzt", ("Anzahl Besuch nach behandelnder Arzt", "Anzahl Besuch nach überweisender Arzt")),
        ("每个医生的就诊数量", ("就诊数量按主治医生", "就诊数量按转诊医生")),
    ],
)
def test_each_way_to_what_is_named_is_offered_in_words_and_answered_when_chosen(
    agent: DataAgent, question: str, options: tuple[str, ...]
) -> None:
    talk = Conversation()
    asked = agent.ask_sync(question, conversation=talk)
    assert asked.outcome is Outcome.CLARIFY
    assert asked.clarification is not None
    assert asked.clarification.options == options
    chosen = agent.ask_sync(options[1], conversation=talk)
    assert chosen.outcome is Outcome.ANSWERED
    assert chosen.read_back == options[1]


def test_a_query_that_leaves_the_way_open_is_still_refused_with_the_names_of_the_ways(agent: DataAgent) -> None:
    assert agent.meaning is not None
    query = SemanticQuery.model_validate({"show": [{"aggregate": "count", "of": "Visit"}], "by": ["Doctor"]})
    found = asyncio.run(agent.meaning.tools.run(query))
    assert isinstance(found, QueryValidationError)
    assert found.code is ValidationErrorCode.AMBIGUOUS_GRAIN
    assert found.suggestion == "treating or referring"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("total density of the states", "This cannot be answered as it is asked: Density cannot be added up; an average is possible."),
        ("gesamte Dichte der Staaten", "Das lässt sich so nicht beantworten: Dichte lässt sich nicht addieren; ein Durchschnitt ist möglich."),
        ("total founding year of the states", "This cannot be answered as it is asked: Founding year cannot be computed with; ask for its values, the highest or lowest of them, or how many there are."),
    ],
)  # fmt: skip
def test_a_refusal_is_one_plain_sentence_about_what_was_asked(agent: DataAgent, question: str, reason: str) -> None:
    answer = agent.ask_sync(question)
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.text == reason
    assert not any(word in answer.text.split() for word in JSON_WORDS)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("doctors in 2025", "“doctors” is understood. What “in 2025” says of it is not. Near to it, and surely answered: “How many doctors are there?”."),
        ("Ärzte im Jahr 2025", "Verstanden ist «Ärzte». Nicht verstanden ist, was «im Jahr 2025» davon sagt. Damit verwandt und sicher zu beantworten: «Wie viele Ärzte gibt es?»."),
        ("2025年的医生", "已理解“医生”。不清楚“2025年”与它的关系。 相近且可以回答的问题：“医生数量”。"),
    ],
)  # fmt: skip
def test_what_is_understood_is_told_and_what_could_be_asked_instead(agent: DataAgent, question: str, said: str) -> None:
    answer = agent.ask_sync(question)
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.text.startswith(said)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    """A shop that nobody described: two prices, two cities, people who came and went."""
    file = tmp_path_factory.mktemp("plain") / "shop.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute("""
            CREATE TABLE products (id INTEGER PRIMARY KEY, name VARCHAR, list_price INTEGER, purchase_price INTEGER);
            INSERT INTO products VALUES (1, 'Zelt', 400, 200), (2, 'Helm', 80, 35), (3, 'Seil', 180, 90);
            CREATE TABLE staff (id INTEGER PRIMARY KEY, name VARCHAR, department VARCHAR, hired_on DATE, left_on DATE, salary INTEGER);
            INSERT INTO staff VALUES (1, 'Ruth', 'sales', '2015-03-01', NULL, 78000), (2, 'Omar', 'sales', '2019-08-01', '2024-06-30', 72000),
                (3, 'Ida', 'store', '2021-01-15', NULL, 61000), (4, 'Noah', 'store', '2022-05-01', NULL, 64000);
            CREATE TABLE orders (id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products(id), ordered_on DATE, billing_city VARCHAR, shipping_city VARCHAR);
            INSERT INTO orders VALUES (1, 1, '2024-01-05', 'Bern', 'Zug'), (2, 2, '2024-02-05', 'Zug', 'Zug'), (3, 3, '2025-02-05', 'Bern', 'Bern');
        """)
    made = open_agent(file, keep_traces=False)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("question", "wanted", "figure"),
    [
        ("average price of products", ("Average list price", "Average purchase price"), "220.00"),
        ("durchschnittlicher Preis der Produkte", ("Durchschnitt list price", "Durchschnitt purchase price"), "220,00"),
        ("orders per city", ("Number of orders by billing city", "Number of orders by shipping city"), "2"),
        (
            "How many staff in 2021?",
            (
                "Number of staff, hired on until 31 December 2021, left on from 1 January 2021 or left on missing",
                "Number of staff, hired on from 1 January 2021 to 31 December 2021",
            ),
            "3",
        ),
        ("Löhne pro Abteilung", ("Durchschnitt Lohn nach Abteilung",), "75.000,00"),
    ],
)
def test_what_the_words_leave_open_is_offered_in_choices_that_run(
    plain: DataAgent, question: str, wanted: tuple[str, ...], figure: str
) -> None:
    talk = Conversation()
    asked = plain.ask_sync(question, conversation=talk)
    assert asked.outcome is Outcome.CLARIFY
    assert asked.clarification is not None
    assert asked.clarification.options == wanted
    chosen = plain.ask_sync(wanted[0], conversation=talk)
    assert chosen.outcome is Outcome.ANSWERED
    assert figure in chosen.text


@pytest.mark.parametrize("question", ["vegan products", "Welche Produkte sind vegan?", "How warm is the moon?"])
def test_a_refusal_names_the_word_and_offers_what_runs(plain: DataAgent, question: str) -> None:
    refused = plain.ask_sync(question)
    assert refused.outcome is Outcome.ABSTAINED
    assert "vegan" in refused.text or "moon" in refused.text
    assert "Did you mean" not in refused.text
    assert "Meinten Sie" not in refused.text
    offered = re.findall("[“«]([^”»]+[?])[”»]", refused.text)
    assert offered
    assert all(plain.ask_sync(one).outcome is Outcome.ANSWERED for one in offered)
