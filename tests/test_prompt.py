"""The prompt: deterministic, in the asker's language, and with calls that answered questions like it."""

from __future__ import annotations

import json
import re
import sqlite3
from datetime import date
from pathlib import Path

import pytest

from veracity.ask.prompt import ANSWER_TOOLS, instructions, question_context
from veracity.ontology.questions import CanonicalQueryPattern
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


STOCK = CanonicalQueryPattern.model_validate(
    {
        "intent": "STOCK_OF_PLACE",
        "description": {"de": "Bestand eines Lagers", "en": "Stock of a place"},
        "slots": [{"name": "place", "kind": "value", "field": "Stock.place", "example": "Nord"}],
        "pattern": {
            "tool": "queryTable",
            "args": {"tableName": "Stock", "filters": [{"field": "place", "op": "=", "value": "{place}"}]},
        },
    }
)


def test_the_question_comes_with_the_day_the_language_and_calls_that_answered_the_like() -> None:
    told = question_context("de", TODAY, [STOCK])
    assert told == (
        "Today is 2026-11-15. Answer in German.\n"
        "Similar, with other values (Bestand eines Lagers). First call queryTable "
        '{"tableName":"Stock","filters":[{"field":"place","op":"=","value":"Nord"}],"limit":null}'
    )


def test_what_the_data_does_not_have_is_told() -> None:
    told = question_context("en", TODAY, unknown=["budget"])
    assert told.endswith(
        "Nothing in the data is called budget. If no table or field means that, call abstain and say so."
    )


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
