"""Questions of analysts over small databases: shares, yes or no, the best of periods, without, twice as many; gold is SQL."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from datetime import date
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from case_files import read_yaml
from each_case import each
from test_reading import plain, values
from veracity.language.detect import language_of
from veracity.language.locale import LANGUAGES
from veracity.ontology.load import load_ontology
from veracity.semantic.checking.check import check
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.reading.held import held_against
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.readings import Readings
from veracity.semantic.reading.words import WordBook
from veracity.semantic.result import SemanticResult
from veracity.semantic.run import run_query
from veracity.semantic.wording.answer_text import answer_text
from veracity.sources.open import open_source
from veracity.tools.tables import TableTools

FOLDER = Path(__file__).parent / "cases" / "reading"
SETS = {
    name: read_yaml(FOLDER / f"{name}.yaml")
    for name in ("workshop", "library", "chain", "meters", "bakery", "studio", "winery", "ferry")
}
CASES = [(name, case) for name, cases in SETS.items() for case in cases["questions"]]
TODAY = date(2026, 11, 16)


class Shelf:
    """One of the databases with its readers."""

    def __init__(self, name: str, folder: Path) -> None:
        database, ontology = folder / f"{name}.sqlite", folder / f"{name}.yaml"
        self.connection = sqlite3.connect(database)
        self.connection.executescript(SETS[name]["tables"])
        ontology.write_text(SETS[name]["ontology"], encoding="utf-8")
        self.source = open_source(str(database))
        tools = TableTools(self.source, ontology=load_ontology(ontology))
        assert tools.catalog.missing == ()
        self.model = SemanticModel(tools.catalog)
        stored = asyncio.run(tools.stored_values())
        self.readers = {lang: QuestionReader(WordBook(self.model, stored, lang)) for lang in LANGUAGES}

    def read(self, question: str) -> tuple[SemanticQuery, ...]:
        return self.readings(question).queries

    def readings(self, question: str) -> Readings:
        lang = language_of(question)
        return self.readers[lang].read(question, today=TODAY, locale=lang)

    def run(self, query: SemanticQuery) -> SemanticResult:
        result = asyncio.run(run_query(query, self.model, self.source, row_limit=1000))
        assert isinstance(result, SemanticResult), result
        return result


@pytest.fixture(scope="module")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Shelf]]:
    made = {name: Shelf(name, tmp_path_factory.mktemp(name)) for name in SETS}
    yield made
    for shelf in made.values():
        shelf.source.close()
        shelf.connection.close()


@pytest.mark.long
@each(("name", "case"), CASES)
def test_question_is_answered_as_gold_says_asked_back_or_not_at_all(
    name: str, case: dict[str, Any], shelves: dict[str, Shelf]
) -> None:
    shelf = shelves[name]
    queries = shelf.read(case["q"])
    if case.get("nothing"):
        assert queries == ()
        return
    results = [shelf.run(query) for query in queries]
    assert results
    assert shelf.readings(case["q"]).open == ("open" in case)
    if "open" in case:
        assert len(queries) == case["open"]
        return
    if "asked" in case:
        assert len({tuple(sorted(values(result))) for result in results}) == case["asked"]
        return
    gold = list(shelf.connection.execute(case["gold"]))
    if not gold:
        assert all(not result.rows for result in results)
        return
    for result in results:
        assert holds(result, gold), values(result)
    if "says" in case:
        lang = language_of(case["q"])
        assert answer_text(results[0], shelf.model, lang=lang).text.startswith(case["says"])


def holds(result: SemanticResult, gold: list[tuple[Any, ...]]) -> bool:
    """Whether some columns hold exactly these rows; rows that tie may be alike."""
    rows, wanted = values(result), {tuple(plain(value) for value in row) for row in gold}
    width, across = len(result.columns), len(gold[0])
    return any(
        {tuple(row[place] for place in chosen) for row in rows} == wanted
        for chosen in permutations(range(width), across)
    )


DROPPED: list[tuple[str, dict[str, Any]]] = [
    ("How many bookings were made on weekends?", {"show": [{"aggregate": "count", "of": "Booking"}]}),
    ("overview amount weekends", {"show": [{"aggregate": "sum", "field": "Invoice.amount"}]}),
    ("average number of days between sent and settled", {"show": [{"aggregate": "avg", "field": "Invoice.amount"}]}),
    ("Which courses has nobody booked?", {"of": "Course"}),
    (
        "running total of the amount per quarter",
        {"show": [{"aggregate": "sum", "field": "Invoice.amount"}], "by": [{"field": "Invoice.sent_on", "grain": "quarter"}]},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("question", "written"), DROPPED, ids=lambda part: part if isinstance(part, str) else "")
def test_a_query_that_drops_days_or_what_is_denied_does_not_say_the_question(
    question: str, written: dict[str, Any], shelves: dict[str, Shelf]
) -> None:
    shelf = shelves["studio"]
    query, reader = check(SemanticQuery.model_validate(written), shelf.model), shelf.readers["en"]
    assert isinstance(query, SemanticQuery)
    assert not held_against(query, reader.words.tag(question, today=TODAY, locale="en"), reader).is_said
