"""The prompt: deterministic, in the asker's language, and with the calls that fit the question filled in."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from datetime import date
from pathlib import Path

import pytest

from veracity.ask.prompt import ANSWER_TOOLS, instructions, question_context
from veracity.offline.patterns import fill
from veracity.question import Lexicon, read
from veracity.tools.open import open_tables
from veracity.tools.tables import TableTools

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize("lang", ["de", "en", "zh"])
def test_the_prefix_is_the_same_to_the_byte(trustee: TableTools, lang: str) -> None:
    first, second = (instructions(trustee.catalog, lang) for _ in range(2))
    assert first == second
    assert "{{ sum(r1.closingBalance) }}" in first
    assert "TrusteeDataAccountBalance" in first


def test_without_an_ontology_the_tables_and_hints_are_told(shop: TableTools) -> None:
    told = instructions(shop.catalog, "en", hints="Amounts are in CHF.")
    assert "Sale: id integer" in told
    assert told.endswith("Amounts are in CHF.\n")


def test_free_text_answers_have_their_own_rule(trustee: TableTools) -> None:
    told = instructions(trustee.catalog, "en", answers="text")
    assert "{{" not in told.split("##")[0]
    assert "name the row and the" in told


def test_the_question_comes_with_the_day_the_language_and_filled_patterns(trustee: TableTools) -> None:
    stored = asyncio.run(trustee.stored_values())
    reading = read("Wie hoch war der Mietaufwand 2024?", Lexicon.of(trustee.catalog, stored), today=TODAY)
    assert trustee.catalog.ontology is not None
    patterns = {pattern.intent: pattern for pattern in trustee.catalog.ontology.canonical_patterns}
    filled = fill(patterns["EXPENSE_GROUP_OF_YEAR"], reading, trustee.catalog, stored)
    told = question_context("de", "de-CH", TODAY, [filled])
    assert told.startswith(
        "Today is 2026-11-15. Answer in German.\nThis fits (Aufwand einer Kontengruppe in einem Jahr). First call queryTable {"
    )
    assert '"value":"60%"' in told
    assert "When r1 came back, answer: Miete im Jahr 2024: {{ sum(r1.closingBalance) }} {{ r1[0].currency }}." in told


def test_answer_tools_are_plain_enough_for_strict_mode() -> None:
    for tool in ANSWER_TOOLS:
        parameters = tool["parameters"]
        assert parameters["required"] == list(parameters["properties"])
        assert parameters["additionalProperties"] is False


@pytest.mark.parametrize(("lang", "rule"), [("de", "Max Mustermann"), ("en", "John Doe"), ("zh", "用户1")])
def test_the_rules_that_must_not_be_broken_come_first_in_the_askers_language(
    trustee: TableTools, lang: str, rule: str
) -> None:
    assert rule in instructions(trustee.catalog, lang).splitlines()[2]


@pytest.mark.parametrize("kind", ["table", "sql", "file"])
def test_one_question_is_worked_on_a_table_that_there_is(trustee: TableTools, shop: TableTools, kind: str) -> None:
    for tools in (trustee, shop):
        told = instructions(tools.catalog, "en", kind=kind, dialect="duckdb")
        example = next(line for line in told.splitlines() if line.startswith("Example:"))
        table = example.split("has ")[1].split("?")[0]
        assert not tools.catalog.entities[table].required_filters
        assert {"table": "aggregateTable", "sql": "execute_sql_safe", "file": "analyze_dataframe"}[kind] in example


def test_a_table_name_with_quotes_stays_in_its_quotes(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "odd.sqlite") as connection:
        connection.execute('CREATE TABLE "a ""b" (x INTEGER)')
    tools = open_tables(tmp_path / "odd.sqlite")
    told = instructions(tools.catalog, "en", kind="sql", dialect="sqlite")
    tools.close()
    call = re.search(r"execute_sql_safe (\{.*?\}) -> r1", told)
    assert call is not None
    assert json.loads(call[1]) == {"sql": 'SELECT COUNT(*) AS "count" FROM "a ""b"'}
