"""Databases that nobody described, asked through drafts whose questions were answered: right, asked back, or nothing; gold is SQL."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from each_case import each
from test_question_forms import TODAY, holds
from test_reading import values
from veracity.language.detect import language_of
from veracity.language.locale import LANGUAGES
from veracity.ontology.draft import OntologyDraft, draft
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.words import WordBook
from veracity.semantic.result import SemanticResult
from veracity.sources.open import open_source
from veracity.tools.semantic import SemanticTools
from veracity.tools.tables import TableTools

CASES = Path(__file__).parent / "cases" / "reading"
SETS = {**read_yaml(CASES / "confirmed.yaml"), **read_yaml(CASES / "strangers.yaml")}
QUESTIONS = [(name, case) for name, told in SETS.items() for case in told["questions"]]


def answered(found: OntologyDraft, answers: dict[str, str]) -> OntologyDraft:
    """The draft with every question answered: as it is said, else as the names and the data speak for."""
    while found.questions:
        asked = found.questions[0]
        found = found.answered(asked.id, answers.get(asked.id) or asked.guess or asked.options[0].id)
    return found


class Confirmed:
    """One of the databases with the readers of its draft, answered or as it is."""

    def __init__(self, name: str, place: Path, told: dict[str, Any]) -> None:
        self.connection = sqlite3.connect(place / f"{name}.sqlite")
        self.connection.executescript(f"BEGIN;{told['tables']};COMMIT;")
        self.source = open_source(str(place / f"{name}.sqlite"))
        found = draft(self.source)
        if "answers" in told:
            found = answered(found, told["answers"])
        self.tools = SemanticTools(TableTools(self.source, ontology=found.descriptor()))
        stored = asyncio.run(self.tools.tables.stored_values())
        self.readers = {lang: QuestionReader(WordBook(self.tools.model, stored, lang)) for lang in LANGUAGES}

    def ask(self, question: str) -> list[SemanticResult]:
        lang = language_of(question)
        queries = self.readers[lang].read(question, today=TODAY, locale=lang).queries
        ran = [asyncio.run(self.tools.run(query)) for query in queries]
        assert all(isinstance(result, SemanticResult) for result in ran), ran
        return [result for result in ran if isinstance(result, SemanticResult)]

    def close(self) -> None:
        self.source.close()
        self.connection.close()


def check_case(drafted: Confirmed, case: dict[str, Any]) -> None:
    """The answer is the gold one, or the words mean several things, or nothing, as the case says."""
    results = drafted.ask(case["q"])
    different = {tuple(sorted(values(result))) for result in results}
    if case.get("nothing"):
        assert results == []
    elif case.get("asked"):
        assert len(different) > 1
    else:
        gold = drafted.connection.execute(case["gold"]).fetchall()
        assert len(different) == 1
        assert holds(results[0], gold), different


@pytest.fixture(scope="module")
def confirmed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Confirmed]]:
    place = tmp_path_factory.mktemp("confirmed")
    made = {name: Confirmed(name, place, told) for name, told in SETS.items()}
    yield made
    for one in made.values():
        one.close()


@each(("name", "case"), QUESTIONS)
def test_question_through_a_confirmed_draft(name: str, case: dict[str, Any], confirmed: dict[str, Confirmed]) -> None:
    check_case(confirmed[name], case)
