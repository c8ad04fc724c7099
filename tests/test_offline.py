"""The offline model: every pattern answers to the cent, other wordings are understood, near-misses are not answered."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from veracity.answer.answer import Answer, Outcome
from veracity.ask.data_agent import DataAgent
from veracity.features.trustee.ontology import trustee_ontology
from veracity.open import open_agent

DATA = Path(__file__).parent / "data"
NOW = datetime(2026, 11, 15, tzinfo=UTC)

Gold = Callable[[str], Decimal]
Entry = dict[str, Any]


def entries(name: str) -> list[Entry]:
    return list(read_yaml(DATA / f"{name}.yaml"))


@pytest.fixture(scope="module")
def agent(ledger: Path) -> Iterator[DataAgent]:
    opened = open_agent(ledger, feature="trustee", clock=lambda: NOW, keep_traces=False)
    yield opened
    opened.close()


def figures(answer: Answer) -> set[Decimal]:
    """The figures of an answer as numbers."""
    found = set()
    for figure in answer.provenance:
        try:
            found.add(Decimal(figure.value or "x"))
        except InvalidOperation:
            continue
    return found


PATTERNS = entries("pattern_gold")


def test_every_example_question_has_its_gold() -> None:
    examples = {
        (pattern.intent, lang, question)
        for pattern in trustee_ontology().canonical_patterns
        for lang, questions in pattern.questions.items()
        for question in questions
    }
    assert {(entry["intent"], entry["lang"], entry["question"]) for entry in PATTERNS} == examples


@pytest.mark.parametrize("intent", [pattern.intent for pattern in trustee_ontology().canonical_patterns])
def test_a_pattern_answers_its_questions_to_the_cent(agent: DataAgent, gold: Gold, intent: str) -> None:
    for entry in (entry for entry in PATTERNS if entry["intent"] == intent):
        given = agent.ask_sync(entry["question"], lang=entry["lang"])
        assert given.outcome is Outcome.ANSWERED, (entry["question"], given.text)
        assert {gold(sql) for sql in entry["figures"]} <= figures(given), (entry["question"], given.text)
        assert given.trace.refusals == ()
        assert given.trace.counters.validation_failures == 0


# What was measured when this was written, of (right, abstained or asked back) among the questions that can be answered.
# Fewer right ones are a step back; a single wrong one is a defect.
RIGHT_AT_LEAST = {"questions_dev": 214, "questions_held_out": 126, "questions_fresh": 96, "questions_final": 62}


@pytest.mark.parametrize("name", RIGHT_AT_LEAST)
def test_other_wordings_are_understood_and_near_misses_are_not_answered(
    agent: DataAgent, gold: Gold, name: str
) -> None:
    counts: Counter[str] = Counter()
    wrong = []
    for entry in entries(name):
        given = agent.ask_sync(entry["question"], lang=entry["lang"])
        if given.outcome is Outcome.BLOCKED:
            wrong.append((entry["question"], given.text))
        elif entry["expect"] != "answered":
            counts["rightly not answered"] += given.outcome is not Outcome.ANSWERED
            if given.outcome is Outcome.ANSWERED:
                wrong.append((entry["question"], given.text))
        elif given.outcome is not Outcome.ANSWERED:
            counts["not answered"] += 1
        elif {gold(sql) for sql in entry["figures"]} <= figures(given):
            counts["right"] += 1
        else:
            wrong.append((entry["question"], given.text))
    assert wrong == []
    assert counts["right"] >= RIGHT_AT_LEAST[name], counts


@pytest.mark.parametrize(
    ("question", "lang", "options"),
    [
        ("Wie hoch war der Umsatz?", "de", ("2025", "2024", "2023")),
        ("What was the bank balance?", "en", ("2025", "2024", "2023")),
        ("利润是多少？", "zh", ("2025", "2024", "2023")),
    ],
)
def test_a_missing_period_is_asked_for(agent: DataAgent, question: str, lang: str, options: tuple[str, ...]) -> None:
    given = agent.ask_sync(question, lang=lang)
    assert given.outcome is Outcome.CLARIFY
    assert given.clarification is not None
    assert given.clarification.options == options


def test_an_abstention_says_what_was_not_understood_and_what_comes_nearest(agent: DataAgent) -> None:
    given = agent.ask_sync("Welchen Zinssatz hatte unser Bankdarlehen 2023?")
    assert given.outcome is Outcome.ABSTAINED
    assert "zinssatz" in given.text
    assert "Bestand einer Kontengruppe" in given.text
    assert "--model" in given.text


def test_a_year_without_data_is_no_zero(agent: DataAgent) -> None:
    given = agent.ask_sync("Wie hoch war der Umsatz 2017?")
    assert given.outcome is Outcome.ABSTAINED
    assert given.text == "Dazu gibt es in den Daten keine Zeilen: Umsatz eines Jahres."


def test_an_account_that_does_not_exist_is_said(agent: DataAgent) -> None:
    given = agent.ask_sync("Saldo von Konto 9999 per 31.12.2024?")
    assert given.outcome is Outcome.ABSTAINED
    assert "9999" in given.text


def test_follow_ups_are_understood(agent: DataAgent, gold: Gold) -> None:
    from veracity.ask.conversation import Conversation

    talk = Conversation()
    agent.ask_sync("Wie hoch war der Umsatz 2025?", conversation=talk)
    given = agent.ask_sync("und 2024?", conversation=talk)
    expected = gold(
        "SELECT sum(closingBalance) FROM TrusteeDataAccountBalance WHERE mandateId = 'm-demo'"
        " AND periodYear = 2024 AND periodMonth = 0 AND accountNumber LIKE '3%'"
    )
    assert expected in figures(given)


def test_it_works_for_any_ontology_with_patterns(tmp_path: Path, shop_specs: Callable[[str], str]) -> None:
    ontology = tmp_path / "shop.yaml"
    ontology.write_text(SHOP, encoding="utf-8")
    agent = open_agent(
        shop_specs("duckdb"), ontology=ontology, scope={"tenant": "t-1"}, clock=lambda: NOW, keep_traces=False
    )
    given = agent.ask_sync("What did we sell in region Nord?")
    other = agent.ask_sync("And what about the weather?")
    agent.close()
    assert (given.outcome, given.text) == (Outcome.ANSWERED, "Sales in Nord: 30.30.")
    assert other.outcome is Outcome.ABSTAINED


def test_without_patterns_it_answers_by_names_alone(shop_specs: Callable[[str], str]) -> None:
    opened = open_agent(shop_specs("duckdb"), scope={"tenant": "t-1"}, keep_traces=False)
    text = opened.ask_sync("total pieces per region", lang="en").text
    assert text.startswith("Total pieces by region:\n- Nord: 3\n- Süd: 7\n- not stated: 9\n1 of 5 ")
    assert opened.ask_sync("pieces per region", lang="en").outcome is Outcome.CLARIFY
    assert opened.ask_sync("Why are there so few pieces?", lang="en").outcome is Outcome.ABSTAINED
    opened.close()


def test_every_pattern_answers_the_same_through_raw_sql(ledger: Path, agent: DataAgent) -> None:
    by_sql = open_agent(ledger, feature="trustee", clock=lambda: NOW, keep_traces=False, tools="sql")
    ways = {intent: [one for one in PATTERNS if one["intent"] == intent] for intent in {p["intent"] for p in PATTERNS}}
    for number, intent in enumerate(sorted(ways)):
        entry = ways[intent][number % len(ways[intent])]  # another language and wording for each
        given = by_sql.ask_sync(entry["question"], lang=entry["lang"])
        assert given.text == agent.ask_sync(entry["question"], lang=entry["lang"]).text, entry["question"]
        assert {log.tool for log in given.trace.calls} == {"execute_sql_safe"}
    by_sql.close()


def test_it_needs_no_event_loop_of_its_own(agent: DataAgent) -> None:
    async def two() -> list[Answer]:
        return list(await asyncio.gather(agent.ask("Wie viele Kunden haben wir?"), agent.ask("Umsatz 2025?")))

    assert {given.outcome for given in asyncio.run(two())} == {Outcome.ANSWERED}


SHOP = """
featureCode: shop
entities:
  - name: Sale
    table: Sale
    label: Sale
    synonyms: {en: [sales]}
    grain: id
    fields:
      - {name: region, semanticType: category, label: Region, categorical: true}
      - {name: amount, semanticType: amount, additivity: additive}
canonicalPatterns:
  - intent: SALES_OF_REGION
    description: Sales of a region
    questions: {en: ["How much did we sell in region Nord?", "Sales in region Süd?"]}
    slots: [{name: region, kind: value, field: Sale.region, example: Nord}]
    pattern:
      tool: aggregateTable
      args: {tableName: Sale, aggregate: SUM, field: amount, filters: [{field: region, op: "=", value: "{region}"}]}
    answer: {en: "Sales in {region}: {{ r1[0].sum_amount }}."}
"""


@pytest.mark.parametrize("question", ["Wie hoch waren alle Konten 34xx im Jahr 2024?", "Summe der 34er-Konten 2024?"])
def test_a_number_that_was_not_understood_is_declined_and_not_blocked(agent: DataAgent, question: str) -> None:
    assert agent.ask_sync(question).outcome is Outcome.ABSTAINED
