"""Days between dates and days of the week on every engine: what they come to, how they are read back, and what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from conftest import load
from each_case import each
from veracity.contracts import QueryValidationError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.catalog import build_catalog
from veracity.semantic.checking.check import check
from veracity.semantic.checking.read import read_query
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.result import MissingValues, SemanticResult
from veracity.semantic.run import run_query
from veracity.semantic.sql.behind import rows_behind
from veracity.semantic.wording.answer_text import answer_text
from veracity.semantic.wording.read_back import read_back, sentence
from veracity.sources.open import open_source
from veracity.sources.source import Source

Asked = tuple[SemanticModel, Source]
SALE = "CREATE TABLE sale (id INTEGER PRIMARY KEY, sold_on DATE, listed_on VARCHAR(10))"
PAYMENT = (
    "CREATE TABLE payment (id INTEGER PRIMARY KEY, sale_id INTEGER, paid_on DATE, begun TIMESTAMP, ended TIMESTAMP)"
)
SALES = ((1, "2024-03-01", "2024-02-01"), (2, "2024-03-02", "2024-03-01"), (3, "2024-03-04", None))
PAYMENTS = (
    (1, 1, "2024-03-11", "2024-03-11 08:00:00", "2024-03-11 20:00:00"),
    (2, 1, "2024-03-03", "2024-03-03 08:00:00", "2024-03-05 08:00:00"),
    (3, 2, None, "2024-03-03 08:00:00", None),
    (4, 3, "2024-03-04", None, None),
)
DATES = [{"name": name, "semanticType": "DATE"} for name in ("sold_on", "listed_on")]
ONTOLOGY: dict[str, Any] = {
    "featureCode": "sales",
    "entities": [
        {"name": "Sale", "label": {"en": "sale"}, "table": "sale", "grain": "id", "defaultDate": "sold_on", "fields": DATES},
        {"name": "Payment", "label": {"en": "payment"}, "table": "payment", "grain": "id", "defaultDate": "paid_on"},
    ],
    "relations": [{"fromEntity": "Payment", "toEntity": "Sale", "cardinality": "MANY_TO_ONE", "via": "sale_id"}],
}  # fmt: skip


@pytest.fixture(scope="module", params=("duckdb", "sqlite", "postgres"))
def sales(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    engine = str(request.param)
    folder = tmp_path_factory.mktemp(engine)
    spec = request.getfixturevalue("postgres") if engine == "postgres" else str(folder / f"sales.{engine}")
    load(engine, spec, SALE, "sale", SALES)
    load(engine, spec, PAYMENT, "payment", PAYMENTS)
    source = open_source(spec)
    yield SemanticModel(build_catalog(source, ontology=OntologyDescriptor.model_validate(ONTOLOGY))), source
    source.close()


def run(sales: Asked, written: dict[str, Any]) -> SemanticResult:
    query = read_query(written)
    assert isinstance(query, SemanticQuery), query
    result = asyncio.run(run_query(query, *sales, row_limit=100))
    assert isinstance(result, SemanticResult), result
    return result


def cells(sales: Asked, written: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run(sales, written).rows]


PAID = {"field": "Payment.paid_on", "since": "Sale.sold_on"}
TOOK = {"field": "Payment.ended", "since": "Payment.begun"}


@each(("aggregate", "expected"), [("sum", 12), ("avg", Decimal("4")), ("min", 0), ("max", 10), ("median", 2)])
def test_days_from_a_date_of_what_a_row_belongs_to(sales: Asked, aggregate: str, expected: Any) -> None:
    assert cells(sales, {"show": [{**PAID, "aggregate": aggregate}]}) == [(expected,)]


def test_days_are_counted_from_dates_that_are_texts_and_what_is_missing_is_told(sales: Asked) -> None:
    result = run(sales, {"show": [{"field": "Sale.sold_on", "since": "Sale.listed_on", "aggregate": "sum"}]})
    assert [tuple(row.values()) for row in result.rows] == [(30,)]
    assert result.missing == (MissingValues("Sale.listed_on", 1, 3),)


def test_between_two_moments_the_time_is_exact(sales: Asked) -> None:
    assert cells(sales, {"show": [{**TOOK, "aggregate": "avg"}]}) == [(1.25,)]
    assert cells(sales, {"of": "Payment", "where": {**TOOK, "op": "<", "value": 1}}) == [(1,)]


def test_rows_are_listed_sorted_and_narrowed_by_days(sales: Asked) -> None:
    longest = {"of": "Payment", "show": [PAID], "order": [{"by": PAID, "descending": True}], "limit": 1}
    assert cells(sales, longest) == [(1, 10)]
    assert cells(sales, {"of": "Payment", "where": {**PAID, "op": "between", "value": [0, 2]}}) == [(2,), (4,)]
    assert cells(sales, {"of": "Payment", "where": {"not": {**PAID, "op": ">", "value": 2}}}) == [(2,), (4,)]


def test_rows_behind_a_figure_have_their_days(sales: Asked) -> None:
    query = check(SemanticQuery.model_validate({"show": [{**PAID, "aggregate": "avg"}]}), sales[0])
    assert isinstance(query, SemanticQuery)
    behind = asyncio.run(rows_behind(query, *sales, {}))
    assert not isinstance(behind, QueryValidationError)
    assert behind[0].figure == Decimal("4")
    assert [row["value"] for row in behind[0].rows] == [10, 2, None, 0]


def test_days_of_the_week(sales: Asked) -> None:
    by_day = {"field": "Payment.paid_on", "grain": "weekday"}
    counted = {"show": [{"aggregate": "count", "of": "Payment"}], "by": [by_day]}
    assert cells(sales, counted) == [(1, 2), (7, 1), (None, 1)]
    weekend = {"of": "Payment", "where": {**by_day, "op": "in", "value": [6, 7]}}
    assert cells(sales, weekend) == [(2,)]
    assert cells(sales, {"of": "Payment", "where": {**by_day, "op": "!=", "value": 7}}) == [(1,), (4,)]
    assert cells(sales, {"of": "Sale", "where": {"field": "Sale.listed_on", "grain": "weekday", "value": 5}}) == [(2,)]


@each(
    ("written", "told"),
    [
        ({"show": [{**PAID, "aggregate": "count"}]}, "`since` goes with a date"),
        ({"show": [{**PAID, "grain": "day"}], "of": "Payment"}, "`since` goes with a date"),
        ({"show": [{"aggregate": "avg", "field": "Payment.paid_on", "since": "Payment.id"}]}, "is no date"),
        ({"show": [{"aggregate": "avg", "field": "Sale.sold_on", "since": "Payment.paid_on"}]}, "has several"),
        ({"of": "Payment", "where": {**PAID, "op": "missing"}}, "numbers of days"),
        ({"of": "Payment", "where": {**PAID, "value": "2024-01-01"}}, "numbers of days"),
        ({"of": "Payment", "where": {"field": "Payment.paid_on", "grain": "weekday", "value": 8}}, "from 1, Monday"),
        ({"of": "Payment", "where": {"field": "Payment.paid_on", "grain": "weekday", "op": ">", "value": 5}}, "= != or in"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_is_refused(sales: Asked, written: dict[str, Any], told: str) -> None:
    read = read_query(written)
    problem = read if isinstance(read, QueryValidationError) else check(read, sales[0])
    assert isinstance(problem, QueryValidationError)
    assert told in problem.hint


@each(
    ("written", "lang", "told"),
    [
        ({"show": [{**PAID, "aggregate": "avg"}]}, "en", "Average days from sold on to paid on"),
        ({"show": [{**PAID, "aggregate": "avg"}]}, "de", "Tage von"),
        ({"show": [{**PAID, "aggregate": "avg"}]}, "zh", "的天数"),
        ({"of": "Payment", "where": {**PAID, "op": ">", "value": 2}}, "en", "days from sold on to paid on over 2"),
        ({"of": "Payment", "where": {"field": "Payment.paid_on", "grain": "weekday", "value": 7}}, "en", "weekday of paid on Sunday"),
        ({"of": "Payment", "where": {"field": "Payment.paid_on", "grain": "weekday", "value": 7}}, "de", "Sonntag"),
    ],
)  # fmt: skip
def test_they_are_read_back(sales: Asked, written: dict[str, Any], lang: str, told: str) -> None:
    query = check(SemanticQuery.model_validate(written), sales[0])
    assert isinstance(query, SemanticQuery)
    assert told.lower() in sentence(read_back(query, sales[0], lang)).lower()


def test_the_answer_has_days_and_names(sales: Asked) -> None:
    average = run(sales, {"show": [{**PAID, "aggregate": "avg"}]})
    assert answer_text(average, sales[0], lang="en").text.startswith(
        "Average days from sold on to paid on: 4.00 days. 1 of 4"
    )
    by_day = {
        "show": [{"aggregate": "count", "of": "Payment"}],
        "by": [{"field": "Payment.paid_on", "grain": "weekday"}],
    }
    assert "Monday: 2" in answer_text(run(sales, by_day), sales[0], lang="en").text
