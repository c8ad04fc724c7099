"""Questions are composed from all of their words: one meaning is answered, several are asked back, an unknown word is named."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from inserted_words import with_word
from veracity.contracts import QueryValidationError
from veracity.language.detect import language_of
from veracity.language.locale import LANGUAGES
from veracity.ontology.load import load_ontology
from veracity.semantic.editing import inner_bests
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, CountRange, Related, SemanticQuery, all_of
from veracity.semantic.reading.best_beside import told_once
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.words import WordBook
from veracity.semantic.result import SemanticResult
from veracity.semantic.run import run_query
from veracity.sources.open import open_source
from veracity.tools.tables import TableTools

CASES = read_yaml(Path(__file__).parent / "cases" / "reading" / "questions.yaml")
TODAY = date(2026, 11, 16)


class Atlas:
    """The small database with its readers."""

    def __init__(self, folder: Path) -> None:
        database, ontology = folder / "atlas.duckdb", folder / "atlas.yaml"
        with duckdb.connect(str(database)) as connection:
            connection.execute(CASES["tables"])
        ontology.write_text(CASES["ontology"], encoding="utf-8")
        self.source = open_source(str(database))
        tools = TableTools(self.source, ontology=load_ontology(ontology))
        assert tools.catalog.missing == ()
        self.model = SemanticModel(tools.catalog)
        values = asyncio.run(tools.stored_values())
        self.readers = {lang: QuestionReader(WordBook(self.model, values, lang)) for lang in LANGUAGES}

    @cache  # noqa: B019 - there is one
    def read(self, question: str, lang: str | None = None) -> tuple[tuple[SemanticQuery, ...], tuple[str, ...]]:
        lang = lang or language_of(question)
        found = self.readers[lang].read(question, today=TODAY, locale=lang)
        return found.queries, found.unknown

    def run(self, query: SemanticQuery) -> SemanticResult | QueryValidationError:
        return asyncio.run(run_query(query, self.model, self.source, row_limit=1000))


@pytest.fixture(scope="module")
def atlas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Atlas]:
    made = Atlas(tmp_path_factory.mktemp("atlas"))
    yield made
    made.source.close()


def values(result: SemanticResult) -> list[tuple[str, ...]]:
    names = [column.column.name for column in result.columns]
    return [tuple(plain(row[name]) for name in names) for row in result.rows]


def plain(value: Any) -> str:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return f"{float(value):.6g}"
    return str(value)


def holds(result: SemanticResult, wanted: list[list[Any]]) -> bool:
    """Whether some columns hold exactly these rows."""
    rows, expected = values(result), sorted(tuple(plain(value) for value in row) for row in wanted)
    width, across = len(result.columns), len(expected[0])
    return any(
        sorted(tuple(row[place] for place in chosen) for row in rows) == expected
        for chosen in permutations(range(width), across)
    )


@each("case", CASES["questions"])
def test_question_means_what_its_words_say(case: dict[str, Any], atlas: Atlas) -> None:
    queries, unknown = atlas.read(case["q"])
    if "unknown" in case:
        assert unknown == tuple(case["unknown"])
        return
    assert unknown == ()
    if "nothing" in case:
        assert queries == ()
        return
    results = [atlas.run(query) for query in queries]
    if "refused" in case:
        assert queries
        assert all(isinstance(result, QueryValidationError) for result in results)
        return
    answered = [result for result in results if isinstance(result, SemanticResult)]
    assert answered, results
    if case.get("empty"):
        assert all(not result.rows for result in answered)
    elif case.get("asked"):
        assert len({tuple(sorted(values(result))) for result in answered}) == case["asked"]
    elif "tied" in case:
        assert answered[0].tied
    else:
        assert all(holds(result, case["rows"]) for result in answered), [values(result) for result in answered]


@pytest.mark.hypothesis
@pytest.mark.parametrize("word", ["not", "only", "second", "average", "per", "each", "without"])
def test_a_word_that_matters_is_never_dropped(word: str, atlas: Atlas) -> None:
    kept = []
    for case in CASES["questions"]:
        if "rows" not in case or language_of(case["q"]) != "en":
            continue
        before = atlas.read(case["q"])[0]
        for text in with_word(case["q"], word):
            read = atlas.read(text, "en")[0]
            if read and set(read) == set(before):
                kept.append(text)
    # "Each" before what is divided by anyway changes nothing.
    assert [text for text in kept if not is_harmless(text)] == []


def is_harmless(text: str) -> bool:
    """Whether the inserted word only repeats what is said."""
    twice = (
        "per per",
        "per each",
        "each per",
        "each each",
        "per of each",
        "each of each",
        "per monthly",
        "each monthly",
        "and per year",
        "and each year",
    )
    listed = ("founding year of each", "founding year of the each")  # a field of rows is told for each of them anyway
    as_of = ("per in 20", "per 20")  # a day or year that something stands at: per 2024
    return any(words in text for words in (*twice, *listed, *as_of))


@given(st.lists(st.sampled_from(["the", "largest", "state", "city", "in", "of", "Arda", "not", "and", "or", "per", "2024", "revenue", "more than", "5", "that", "border", "with", "population", "each", ",", "which", "total", "river", "runs through"]), max_size=12))  # fmt: skip
def test_any_row_of_words_is_read_or_not_and_never_fails(words: list[str]) -> None:
    atlas = shared_atlas()
    for query in atlas.read(" ".join(words), "en")[0]:
        assert SemanticQuery.model_validate_json(query.canonical_json()).normalized() == query.normalized()
        assert list(inner_bests(query)) is not None


@given(st.text(max_size=300))
def test_any_text_is_read_or_not_and_never_fails(text: str) -> None:
    for lang in LANGUAGES:
        shared_atlas().read(text, lang)


_ATLAS: list[Atlas] = []


def shared_atlas() -> Atlas:
    """One atlas for the property tests, which take no fixtures of a module."""
    if not _ATLAS:
        import tempfile

        _ATLAS.append(Atlas(Path(tempfile.mkdtemp())))
    return _ATLAS[0]


@each(
    "text",
    ["", "?", "the", "of the in", "x" * 2000, "🙂🙂🙂", "SELECT * FROM state; DROP TABLE state", "'\"';--", "state " * 300, "Staat 州 state"],
)  # fmt: skip
def test_odd_questions_are_read_in_a_moment_and_mean_nothing_wrong(text: str, atlas: Atlas) -> None:
    for lang in LANGUAGES:
        queries, _ = atlas.read(text, lang)
        assert len(queries) <= 1


def test_what_was_read_is_remembered_for_its_day_only(atlas: Atlas) -> None:
    reader, asked = atlas.readers["en"], "revenue last year"
    first = reader.read(asked, today=TODAY)
    assert first.queries
    assert reader.read(asked, today=TODAY) is first
    assert reader.read(asked, today=date(2025, 1, 1)).queries != first.queries


def test_a_word_more_is_known_to_the_new_words_alone(atlas: Atlas) -> None:
    words, asked = atlas.readers["en"].words, "how many gizmos"
    before = words.tag(asked, today=TODAY, locale="en")
    more = words.also("gizmos", "states")
    assert QuestionReader(more).read(asked, today=TODAY) != atlas.readers["en"].read(asked, today=TODAY)
    assert more.tag(asked, today=TODAY, locale="en") != before
    assert words.tag(asked, today=TODAY, locale="en") == before


def test_a_condition_that_another_one_implies_is_not_said_twice() -> None:
    first = Related(related=SemanticQuery(of="Class", where=Comparison(field="Class.name", value="1b")), via=("leads",))
    some = Related(related=SemanticQuery(of="Class"), via=("leads",))
    few = Related(related=first.related, via=("leads",), count=CountRange(op="<", value=2))
    both, counted = (SemanticQuery(of="Teacher", where=all_of((one, some))).normalized() for one in (first, few))
    assert [query.where for query in told_once([both])] == [first]
    assert told_once([counted]) == (counted,)  # fewer than two may be none
