"""A metric that comes over computes what its own SQL computes; one that does not come over is told."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from veracity.contracts import QueryValidationError
from veracity.ontology.exchange.importing import import_model
from veracity.ontology.exchange.report import ImportedModel
from veracity.query.catalog import build_catalog
from veracity.semantic.checking.read import read_query
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.run import run_query
from veracity.sources.open import open_source
from veracity.sources.source import Source

ROWS = """
CREATE TABLE sales (id INTEGER PRIMARY KEY, qty INTEGER, price DECIMAL(9,2), kind VARCHAR, paid BOOLEAN, day DATE, moment TIMESTAMP);
INSERT INTO sales VALUES
  (1, 2, 10.50, 'a', true, '2024-01-31', '2024-01-31 10:00:00'), (2, NULL, 3.25, 'b', false, '2024-02-01', '2024-02-01 00:00:00'),
  (3, 5, NULL, 'a', NULL, NULL, NULL), (4, 0, 7.00, NULL, true, '2024-03-15', '2024-03-15 23:59:59'),
  (5, -3, 1.10, 'it''s', false, '2023-12-31', '2023-12-31 12:00:00'), (6, 5, 10.50, 'b', true, '2024-01-31', '2024-01-31 00:00:00');
"""


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    path = tmp_path_factory.mktemp("sales") / "sales.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(ROWS)
    source = open_source(path)
    yield source
    source.close()


def model_file(folder: Path, *metrics: str) -> Path:
    fields = [{"name": name, "expression": name} for name in ("id", "qty", "price", "kind", "paid", "moment")]
    fields.append({"name": "day", "expression": "day", "datatype": "Date"})
    dataset = {"name": "sales", "source": "sales", "primary_key": ["id"], "fields": fields}
    told = [{"name": f"m{number}", "expression": sql} for number, sql in enumerate(metrics)]
    path = folder / "model.json"
    path.write_text(json.dumps({"name": "shop", "datasets": [dataset], "metrics": told}), encoding="utf-8")
    return path


def figure(imported: ImportedModel, source: Source, name: str) -> Any:
    model = SemanticModel(build_catalog(source, ontology=imported.ontology))
    query = read_query({"of": "sales", "show": [name]})
    assert isinstance(query, SemanticQuery)
    result = asyncio.run(run_query(query, model, source, row_limit=10))
    assert not isinstance(result, QueryValidationError), result
    return list(result.rows[0].values())[-1]


def of_engine(sql: str) -> Any:
    with duckdb.connect() as engine:
        engine.execute(ROWS)
        return engine.execute(f"SELECT {sql} FROM sales").fetchone()[0]  # type: ignore[index]


def same(ours: Any, theirs: Any) -> bool:
    """Alike up to the last digits of a division; a sum over no rows, and a division by zero, are nothing here."""
    if ours is None:
        return not theirs or math.isinf(theirs) or math.isnan(theirs)
    if theirs is None:
        return False
    return abs(Decimal(str(ours)) - Decimal(str(theirs))) < Decimal("0.000001")


numbers = st.sampled_from(["qty", "price", "qty * price", "price - 1", "(qty + 2) * price", "-qty", "price / 4", "2.5"])
compared = st.sampled_from(
    [
        "qty > 1", "price <= 7", "kind = 'a'", "kind <> 'b'", "NOT kind = 'a'", "kind IN ('a', 'it''s')", "kind IS NULL", "paid",
        "NOT paid", "paid = FALSE", "paid IS TRUE", "qty BETWEEN 0 AND 2", "kind LIKE 'it%'", "3 < qty", "day <= '2024-01-31'",
        "day = DATE '2024-01-31'", "moment >= '2024-01-31'", "moment < '2024-02-01'", "qty IS NOT NULL", "qty = -3",
    ]
)  # fmt: skip
conditions = st.recursive(
    compared,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(" ".join),
        inner.map(lambda one: f"NOT ({one})"),
        inner.map(lambda one: f"({one})"),
    ),
    max_leaves=4,
)
values = st.one_of(
    numbers,
    st.tuples(conditions, numbers).map(lambda pair: f"CASE WHEN {pair[0]} THEN {pair[1]} END"),
    st.tuples(conditions, numbers).map(lambda pair: f"CASE WHEN {pair[0]} THEN {pair[1]} ELSE 0 END"),
    conditions.map(lambda one: f"CASE WHEN {one} THEN 1 END"),
)
aggregates = st.one_of(
    st.tuples(
        st.sampled_from(["SUM({})", "AVG({})", "MIN({})", "MAX({})", "MEDIAN({})", "COUNT({})", "COUNT(DISTINCT {})"]),
        values,
    ).map(lambda pair: pair[0].format(pair[1])),
    st.tuples(numbers, conditions).map(lambda pair: f"SUM({pair[0]}) FILTER (WHERE {pair[1]})"),
    st.just("COUNT(*)"),
    conditions.map(lambda one: f"COUNT_IF({one})"),
)
metrics = st.one_of(
    aggregates,
    st.tuples(aggregates, aggregates).map(lambda pair: f"{pair[0]} / NULLIF({pair[1]}, 0)"),
    st.tuples(aggregates, aggregates).map(lambda pair: f"CAST({pair[0]} AS DOUBLE) / ({pair[1]})"),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sql=metrics)
def test_a_metric_that_comes_over_computes_what_its_sql_computes(sales: Source, tmp_path: Path, sql: str) -> None:
    imported = import_model(model_file(tmp_path, sql))
    if any(part.kind == "metric" for part in imported.report.left):
        return
    assert same(figure(imported, sales, "m0"), of_engine(sql)), sql
