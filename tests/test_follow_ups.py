"""Follow-ups change the last query or ask about what it found; every word counts, and what may be several things is asked back."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from inserted_words import with_word
from served import client_of
from test_reading import TODAY, Atlas, holds, values
from veracity.ask.conversation import Conversation
from veracity.ask.data_agent import DataAgent
from veracity.contracts import QueryValidationError
from veracity.language.detect import language_of
from veracity.open import open_agent
from veracity.semantic.checking.check import check
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.follow_up import FollowUpReader
from veracity.semantic.reading.readings import FollowUp
from veracity.semantic.result import SemanticResult
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.settings import Settings

CASES = read_yaml(Path(__file__).parent / "cases" / "reading" / "follow_ups.yaml")["cases"]
_SHORT = 20
"""A follow-up as short as this is in the language of the question before."""


class Talk:
    """Follow-ups over the small atlas."""

    def __init__(self) -> None:
        self.atlas = Atlas(Path(tempfile.mkdtemp()))
        self.readers = {lang: FollowUpReader(reader) for lang, reader in self.atlas.readers.items()}

    @cache  # noqa: B019 - there is one
    def before(self, question: str) -> SemanticQuery:
        queries, unknown = self.atlas.read(question)
        assert (len(queries), unknown) == (1, ()), question
        checked = check(queries[0], self.atlas.model)
        assert isinstance(checked, SemanticQuery)
        return checked

    @cache  # noqa: B019 - there is one
    def follow(self, after: str, question: str) -> FollowUp:
        lang = language_of(after if len(question) < _SHORT else question)
        return self.readers[lang].read(self.before(after), question, today=TODAY, locale=lang)

    def valid(self, queries: tuple[SemanticQuery, ...]) -> list[SemanticQuery]:
        checked = [check(query, self.atlas.model) for query in queries]
        return [query for query in checked if isinstance(query, SemanticQuery)]

    def results(self, found: FollowUp) -> list[SemanticResult]:
        ran = [self.atlas.run(query) for query in found.queries]
        return [result for result in ran if not isinstance(result, QueryValidationError)]


@cache
def talk() -> Talk:
    return Talk()


def different(results: list[SemanticResult]) -> int:
    return len({tuple(sorted(values(result))) for result in results})


def label(case: dict[str, Any]) -> str:
    return f"{case['after']} > {case['q']}"


def those(*kinds: str) -> list[dict[str, Any]]:
    return [case for case in CASES if set(kinds) & set(case)]


@each("case", those("same", "query"))
def test_a_follow_up_changes_the_last_query(case: dict[str, Any]) -> None:
    found = talk().follow(case["after"], case["q"])
    wanted = SemanticQuery.model_validate(case["query"]) if "query" in case else talk().before(case["same"])
    got = talk().valid(found.queries)
    assert got[:1] == talk().valid((wanted,))
    assert different(talk().results(found)) == 1  # what else it may mean comes to the same


@each("case", those("rows"))
def test_a_follow_up_comes_to_these_rows(case: dict[str, Any]) -> None:
    results = talk().results(talk().follow(case["after"], case["q"]))
    assert different(results) == 1
    assert holds(results[0], case["rows"]) if case["rows"] else results[0].rows == ()


@each("case", those("asked"))
def test_a_follow_up_that_may_be_several_things_is_asked_back(case: dict[str, Any]) -> None:
    assert different(talk().results(talk().follow(case["after"], case["q"]))) == case["asked"]


@pytest.mark.parametrize("case", those("alone"), ids=label)
def test_a_whole_question_is_none_of_a_follow_up(case: dict[str, Any]) -> None:
    found = talk().follow(case["after"], case["q"])
    whole = case["q"].removeprefix("and ")
    assert not found.edits
    assert found.queries == talk().atlas.read(whole)[0] != ()


@each("case", those("refused", "unknown", "breaks"))
def test_what_does_not_go_with_the_last_query_is_said(case: dict[str, Any]) -> None:
    found = talk().follow(case["after"], case["q"])
    assert talk().valid(found.queries) == []
    if "breaks" in case:
        assert found.queries
    elif "unknown" in case:
        assert found.unknown == tuple(case["unknown"])
    else:
        assert case["refused"] in found.misfit
        assert found.unknown == ()


@pytest.mark.hypothesis
@pytest.mark.parametrize("word", ["not", "second", "average", "each", "without", "double", "except"])
def test_a_word_that_matters_is_never_dropped_from_a_follow_up(word: str) -> None:
    kept = []
    for case in those("same", "query", "rows"):
        if language_of(case["after"]) != "en":
            continue
        plain = set(talk().follow(case["after"], case["q"]).queries)
        for text in with_word(case["q"], word):
            more = talk().readers["en"].read(talk().before(case["after"]), text, today=TODAY)
            if more.queries and set(more.queries) == plain:
                kept.append(f"{case['after']} > {text}")
    assert [text for text in kept if not is_harmless(text)] == []


def is_harmless(text: str) -> bool:
    """Whether the inserted word only repeats what is said."""
    twice = (
        "per each",
        "each per",
        "each by",
        "by each",
        "each monthly",
        "without without",
        "without except",
        "except without",
    )
    return any(words in text for words in twice)


@given(
    st.sampled_from([case["after"] for case in CASES if language_of(case["after"]) == "en"]),
    st.lists(st.sampled_from(["and", "only", "the", "top", "3", "in", "Germany", "without", "per", "country", "month", "of", "them", "their", "total", "average", "how many", "2023", "Arda", "instead", "as a share", "which", "population", "revenue", "sorted by", "name", "over", "20", "not", "all"]), max_size=7),
)  # fmt: skip
def test_any_row_of_words_after_a_question_is_read_or_not_and_never_fails(after: str, words: list[str]) -> None:
    found = talk().readers["en"].read(talk().before(after), " ".join(words), today=TODAY)
    assert bool(found.queries) + bool(found.unknown) + bool(found.misfit) <= 1
    for query in found.queries:
        assert SemanticQuery.model_validate_json(query.canonical_json()).normalized() == query.normalized()
        talk().atlas.run(query)


@given(st.text(max_size=100))
def test_any_text_after_a_question_is_read_or_not_and_never_fails(text: str) -> None:
    before = talk().before("revenue per country in 2024")
    for reader in talk().readers.values():
        reader.read(before, text, today=TODAY)


# --- in a conversation

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE sale (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), day DATE, amount DECIMAL(10,2));
INSERT INTO customer VALUES (1, 'Anna', 'Germany'), (2, 'Bob', 'France'), (3, 'Cleo', 'Germany');
INSERT INTO sale VALUES (1, 1, '2023-12-30', 10), (2, 1, '2024-02-07', 20), (3, 2, '2024-02-09', 1200), (4, 3, '2024-05-01', 5);
"""
ONTOLOGY = """
featureCode: shop
entities:
  - {name: Customer, label: {en: customer, de: Kunde}, synonyms: {en: [customers], de: [Kunden]}, table: customer, grain: id, display: name, fields: [{name: country, label: {en: country, de: Land}, categorical: true}]}
  - name: Sale
    label: {en: sale, de: Verkauf}
    table: sale
    grain: id
    defaultDate: day
    fields: [{name: amount, label: {en: amount, de: Betrag}, unit: CHF, additivity: ADDITIVE}]
    measures: [{name: revenue, label: {en: revenue, de: Umsatz}, aggregate: SUM, expression: amount, unit: CHF}]
"""


@pytest.fixture
def shop(tmp_path: Path) -> tuple[Path, Path]:
    source, ontology = tmp_path / "shop.sqlite", tmp_path / "shop.yaml"
    with sqlite3.connect(source) as connection:
        connection.executescript(SHOP)
    ontology.write_text(ONTOLOGY, encoding="utf-8")
    return source, ontology


@pytest.fixture
def agent(shop: tuple[Path, Path]) -> Iterator[DataAgent]:
    made = open_agent(str(shop[0]), ontology=str(shop[1]))
    yield made
    made.close()


def said(agent: DataAgent, *questions: str) -> list[Any]:
    conversation = Conversation()

    async def turns() -> list[Any]:
        return [await agent.ask(question, conversation=conversation) for question in questions]

    return asyncio.run(turns())


def test_a_conversation_goes_on_from_query_to_query(agent: DataAgent) -> None:
    answers = said(agent, "Revenue in 2024", "per country", "without France", "and 2023?", "in total")
    assert [answer.read_back for answer in answers] == [
        "Revenue, 2024",
        "Revenue by country, 2024",
        "Revenue by country, customer: not (country France), 2024",
        "Revenue by country, customer: not (country France), 2023",
        "Revenue, customer: not (country France), 2023",
    ]
    assert answers[-1].text == "Revenue, customer: not (country France), 2023: 10.00 CHF."


def test_what_was_found_is_counted_and_listed(agent: DataAgent) -> None:
    answers = said(agent, "How many customers are in Germany?", "list them", "which of them have sales?", "how many?")
    assert [answer.text.split(":", 1)[1].strip() for answer in answers] == [
        "2.",
        "- Anna\n- Cleo",
        "- Anna\n- Cleo",
        "2.",
    ]


def test_a_follow_up_that_fails_says_why_and_does_not_end_the_conversation(agent: DataAgent) -> None:
    answers = said(agent, "customers", "only the top 3", "per galaxy", "only in Germany")
    assert [answer.outcome for answer in answers] == ["answered", "abstained", "abstained", "answered"]
    assert (
        answers[1].text
        == "“only the top 3”: by what is not said, and the last question (Customers) has no order. Say by what."
    )
    assert "galaxy" in answers[2].text
    assert answers[3].read_back == "Customers, country Germany"


def test_after_a_question_that_was_not_understood_nothing_is_carried_on(agent: DataAgent) -> None:
    answers = said(agent, "Revenue in 2024", "weather of the customers in 2024", "and 2023?")
    assert [answer.outcome for answer in answers] == ["answered", "abstained", "abstained"]


def test_two_meanings_of_a_follow_up_are_options_and_the_chosen_one_is_the_last_query(agent: DataAgent) -> None:
    _, offered = said(agent, "Umsatz pro Land", "und pro Jahr?")
    assert offered.clarification.options == ("Umsatz nach Jahr", "Umsatz nach Land und Jahr")
    answers = said(agent, "Umsatz pro Land", "und pro Jahr?", "Umsatz nach Land und Jahr", "nur 2024")
    assert answers[-1].read_back == "Umsatz nach Land und Jahr, 2024"


@pytest.fixture
def client(shop: tuple[Path, Path], tmp_path: Path) -> Iterator[TestClient]:
    settings = ServerSettings(source=str(shop[0]), ontology=str(shop[1]), database=str(tmp_path / "serve.sqlite"))
    with client_of(create_app(settings, home=Settings.from_env().model_copy(update={"home": tmp_path}))) as made:
        yield made


def asked(client: TestClient, question: str, **more: Any) -> dict[str, Any]:
    response = client.post("/v1/ask", json={"question": question, **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_over_http_a_follow_up_changes_the_query_of_the_trace_it_follows(client: TestClient) -> None:
    first = asked(client, "Revenue in 2024")
    later = asked(client, "per country", follows=first["traceId"])
    last = asked(client, "only the top 1", follows=later["traceId"])
    assert later["readBack"] == "Revenue by country, 2024"
    assert last["text"] == "Revenue by country, 2024; only the highest revenue:\n- France: 1,200.00 CHF"
    assert asked(client, "only the top 1")["outcome"] == "abstained"
