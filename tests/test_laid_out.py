"""What a question says of its answer: columns, order, decimals, tables. It is in the answer, or nothing is answered; gold is SQL."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from each_case import each
from test_confirmed_drafts import answered
from test_question_forms import TODAY, holds
from test_reading import plain, values
from veracity.ontology.draft import draft
from veracity.semantic.reading.clauses import ClauseCutter
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.readings import Readings
from veracity.semantic.reading.words import WordBook
from veracity.semantic.result import SemanticResult
from veracity.sources.open import open_source
from veracity.tools.semantic import SemanticTools
from veracity.tools.tables import TableTools

PRACTICE = read_yaml(Path(__file__).parent / "cases" / "reading" / "laid_out.yaml")["practice"]


class Practice:
    """The database with the reader of its draft."""

    def __init__(self, place: Path) -> None:
        path = place / "practice.sqlite"
        self.connection = sqlite3.connect(path)
        self.connection.executescript(PRACTICE["tables"])
        self.source = open_source(str(path))
        found = answered(draft(self.source), PRACTICE["answers"])
        self.tools = SemanticTools(TableTools(self.source, ontology=found.descriptor()))
        stored = asyncio.run(self.tools.tables.stored_values())
        self.reader = QuestionReader(WordBook(self.tools.model, stored, "en"))

    def read(self, question: str) -> Readings:
        return self.reader.read(question, today=TODAY)

    def run(self, found: Readings) -> list[SemanticResult]:
        ran = [asyncio.run(self.tools.run(query)) for query in found.queries]
        assert all(isinstance(result, SemanticResult) for result in ran), ran
        return [result for result in ran if isinstance(result, SemanticResult)]


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    made = Practice(tmp_path_factory.mktemp("practice"))
    yield made
    made.source.close()
    made.connection.close()


def same_order(result: SemanticResult, gold: Sequence[Sequence[Any]]) -> bool:
    """Whether the columns of gold stand in the answer row by row; those that tie may change places."""
    ours, wanted = values(result), [[plain(value) for value in row] for row in gold]
    varied = [place for place in range(len(wanted[0])) if len({row[place] for row in wanted}) > 1]
    return any(
        all(row[one] == other[two] for row, other in zip(ours, wanted, strict=True))
        for two in varied
        for one in range(len(ours[0]))
    )


@each("case", PRACTICE["questions"])
def test_what_is_said_of_the_answer_is_in_it(case: dict[str, Any], practice: Practice) -> None:
    found = practice.read(case["q"])
    if "unmet" in case:
        assert (found.queries, found.unmet) == ((), case["unmet"])
        return
    results = practice.run(found)
    different = {tuple(sorted(values(result), key=str)) for result in results}
    if case.get("nothing"):
        assert results == []
    elif case.get("asked"):
        assert len(different) > 1
    else:
        gold = practice.connection.execute(case["gold"]).fetchall()
        assert len(different) == 1
        assert holds(results[0], gold), different
        assert not case.get("ordered") or same_order(results[0], gold), values(results[0])


def test_what_is_understood_beside_an_unknown_word_is_told(practice: Practice) -> None:
    found = practice.read("Which owners have their private clinic in London?")
    assert (found.unknown, found.understood) == (("private",), ("clinic in London",))


@pytest.mark.parametrize(
    ("question", "core"),
    [
        ("customers who ordered by phone", []),
        ("customers, ordered by phone", ["customers"]),
        ('songs called "Sorted by Name"', []),
        ("clubs and how many members they have, sorted by name", ["clubs"]),
    ],
)
def test_a_question_is_cut_where_its_answer_is_spoken_of(question: str, core: list[str]) -> None:
    assert [cut.core for cut in ClauseCutter("en").cuts(question)] == core


def test_their_own_is_not_who_owns(practice: Practice) -> None:
    assert practice.read("Which owners have their own clinic in London?").queries == ()
