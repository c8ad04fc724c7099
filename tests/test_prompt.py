"""The prompt: deterministic, in the asker's language, and with the calls that fit the question filled in."""

from __future__ import annotations

import asyncio
from datetime import date

import pytest

from veracity.patterns import fill
from veracity.prompt import ANSWER_TOOLS, instructions, question_context
from veracity.question import Lexicon, read
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
