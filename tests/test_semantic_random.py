"""Random queries over random small databases: engines and nested loops answer alike."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from naive_semantic import Naive
from semantic_engines import DuckWorlds, PostgresWorlds, SqliteWorlds, Worlds, difference, model_of
from semantic_queries import QueryMaker
from semantic_worlds import make_world, plain_world
from veracity.contracts import QueryValidationError
from veracity.semantic.checking.read import read_query
from veracity.semantic.query import SemanticQuery

PER_WORLD = 8


@pytest.fixture(scope="module", params=("duckdb", "sqlite", "postgres"))
def worlds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    if request.param == "postgres":
        return PostgresWorlds(request.getfixturevalue("postgres"))
    return DuckWorlds() if request.param == "duckdb" else SqliteWorlds(tmp_path_factory.mktemp("worlds"))


@pytest.mark.long
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_the_engine_answers_as_nested_loops_do(worlds: Worlds, seed: int) -> None:
    rnd = random.Random(seed)
    world = make_world(rnd)
    source = worlds.open(world)
    model = model_of(world, source)
    maker = QueryMaker(rnd, model)
    for _ in range(PER_WORLD):
        written = maker.query()
        problem, _ = difference(written, model, source, Naive(model, world.rows))
        assert problem is None, f"{written}\n{problem}"
    source.close()


ONCE_WRONG: dict[int, dict[str, Any]] = {
    146: {
        "of": "E1",
        "by": [{"field": "E1.day", "via": ["E1_self"], "grain": "day"}],
        "show": [
            {
                "aggregate": "avg",
                "field": "E1.num",
                "via": ["E1_self"],
                "where": {
                    "or": [
                        {"field": "E1.label", "via": ["E1_self"], "op": "=", "value": "ab"},
                        {"field": "E1.num", "via": ["E1_r0", "E1_r0^"], "op": ">=", "value": 3},
                    ]
                },
            }
        ],
        "order": [{"by": {"aggregate": "count", "of": "E1"}, "descending": True}],
        "limit": 2,
    },
    292: {
        "of": "E1",
        "show": [{"field": "E1.day"}, {"field": "E0.day", "via": ["E1_r1"]}],
        "where": {
            "and": [
                {
                    "show": {"measure": "E1_ratio"},
                    "op": "!=",
                    "value": {"of": "E0", "show": [{"aggregate": "count", "of": "E0"}]},
                },
                {
                    "or": [
                        {"field": "E0.day", "via": ["E1_r1"], "op": "notMissing"},
                        {"field": "E0.amount", "via": ["E1_r0"], "op": "!=", "value": 0.1},
                    ]
                },
                {"not": {"field": "E1.label", "via": ["E1_r1", "E1_r0^"], "op": "<", "value": "c"}},
            ]
        },
        "order": [{"by": {"field": "E0.num", "via": ["E1_r1"]}}],
    },
}
"""World -> a query that DuckDB 2.0.0 answers wrongly, or not at all, with all its optimizers."""


@pytest.mark.parametrize("seed", ONCE_WRONG)
def test_what_duckdb_optimizes_wrongly_is_answered_rightly(seed: int) -> None:
    world = plain_world(random.Random(seed))
    source = DuckWorlds().open(world)
    model = model_of(world, source)
    assert difference(ONCE_WRONG[seed], model, source, Naive(model, world.rows)) == (None, True)
    source.close()


_KEYS = (
    "show",
    "of",
    "where",
    "by",
    "period",
    "order",
    "limit",
    "field",
    "op",
    "value",
    "and",
    "not",
    "related",
    "compare",
)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(("Customer.name", "=")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(data=_JSON)
def test_reading_any_json_value_gives_a_query_or_a_problem(data: Any) -> None:
    assert isinstance(read_query(data), SemanticQuery | QueryValidationError)


def test_deep_wide_and_odd_values_are_refused_in_plain_words() -> None:
    deep: Any = {"field": "A.b", "value": 1}
    for _ in range(5000):
        deep = {"not": deep}
    nested: Any = {"of": "A"}
    for _ in range(500):
        nested = {"of": "A", "where": {"related": nested}}
    wide = {"field": "A.b", "op": "in", "value": list(range(100_000))}
    odd: tuple[Any, ...] = (
        {"of": "A", "where": deep},
        nested,
        {"of": "A", "where": wide},
        {"of": "A", 1: 2},
        [],
        "x",
        None,
        {"limit": 1e999},
    )
    for value in odd:
        problem = read_query(value)
        assert isinstance(problem, QueryValidationError), value
        assert 0 < len(problem.hint) <= 80
