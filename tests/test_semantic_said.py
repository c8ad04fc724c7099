"""Random checked queries over random databases: no two are read back alike, and every answer that comes is worded."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

import pytest

from semantic_engines import DuckWorlds, model_of
from semantic_queries import QueryMaker
from semantic_worlds import make_world
from veracity.contracts import QueryValidationError
from veracity.language.locale import LANGUAGES
from veracity.semantic.checking.check import check
from veracity.semantic.checking.read import read_query
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.run import run_query
from veracity.semantic.wording.answer_text import answer_text
from veracity.semantic.wording.read_back import read_back, sentence
from veracity.sources.source import Source

WORLDS, QUERIES, RUN = 4, 60, 12


@pytest.fixture(scope="module")
def worlds() -> list[tuple[SemanticModel, Source, QueryMaker]]:
    """Databases whose entities all have fields of the same names, related in several ways."""
    made = []
    for seed in range(WORLDS):
        rnd = random.Random(seed)
        world = make_world(rnd)
        source = DuckWorlds().open(world)
        model = model_of(world, source)
        made.append((model, source, QueryMaker(rnd, model)))
    return made


def checked(maker: QueryMaker, model: SemanticModel, count: int) -> Iterator[SemanticQuery]:
    for _ in range(count):
        query = read_query(maker.query())
        found = query if isinstance(query, QueryValidationError) else check(query, model)
        if isinstance(found, SemanticQuery):
            yield found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_two_checked_queries_are_read_back_alike(
    worlds: list[tuple[SemanticModel, Source, QueryMaker]], lang: str
) -> None:
    for model, _, maker in worlds:
        seen: dict[str, str] = {}
        for query in checked(maker, model, QUERIES):
            said = sentence(read_back(query, model, lang))
            assert seen.setdefault(said, query.canonical_json()) == query.canonical_json()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_result_of_an_engine_is_worded_with_its_cells(
    worlds: list[tuple[SemanticModel, Source, QueryMaker]], lang: str
) -> None:
    for model, source, maker in worlds:
        for query in checked(maker, model, RUN):
            result = asyncio.run(run_query(query, model, source, row_limit=50))
            if isinstance(result, QueryValidationError):
                continue
            answer = answer_text(result, model, lang)
            assert bool(answer.cells) or not result.rows
            assert all(cell.column in result.rows[cell.row] for cell in answer.cells)
            assert all(answer.text[cell.start : cell.end].strip() for cell in answer.cells)
