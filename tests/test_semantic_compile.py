"""Semantic queries on real engines: what each comes to, written by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from conftest import load
from each_case import each
from semantic_shop import ONTOLOGY, ROWS, TABLES
from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.errors import OntologyError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.catalog import build_catalog
from veracity.semantic.checking.expressions import parse_expression, parse_where
from veracity.semantic.checking.read import read_query
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.result import ColumnPart, MissingValues, SemanticResult
from veracity.semantic.run import compile_only, run_query
from veracity.semantic.sql.behind import rows_behind
from veracity.sources.open import open_source
from veracity.sources.source import Scope, Source

Asked = tuple[SemanticModel, Source]


@pytest.fixture(scope="module", params=("duckdb", "sqlite", "postgres"))
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    engine = str(request.param)
    spec = (
        request.getfixturevalue("postgres")
        if engine == "postgres"
        else str(tmp_path_factory.mktemp(engine) / f"shop.{engine}")
    )
    for table, ddl in TABLES.items():
        load(engine, spec, ddl, table, ROWS[table])
    source = open_source(spec)
    yield SemanticModel(build_catalog(source, ontology=OntologyDescriptor.model_validate(ONTOLOGY))), source
    source.close()


def ask(shop: Asked, written: dict[str, Any]) -> SemanticResult:
    query = read_query(written)
    assert isinstance(query, SemanticQuery), query
    result = asyncio.run(run_query(query, *shop, row_limit=100))
    assert isinstance(result, SemanticResult), result
    return result


def refusal(shop: Asked, written: dict[str, Any]) -> QueryValidationError:
    query = read_query(written)
    if isinstance(query, QueryValidationError):
        return query
    result = asyncio.run(run_query(query, *shop, row_limit=100))
    assert isinstance(result, QueryValidationError), result
    return result


def cells(result: SemanticResult) -> list[tuple[Any, ...]]:
    """The rows as texts; numbers without trailing zeros."""
    return [tuple(_plain(cell) for cell in row.values()) for row in result.rows]


def _plain(cell: Any) -> Any:
    if isinstance(cell, bool) or cell is None:
        return cell
    if isinstance(cell, int | float | Decimal):
        return format(Decimal(str(cell)).normalize(), "f")
    return str(cell)


BUYER = ["buyer"]
CASES: dict[str, tuple[dict[str, Any], list[tuple[Any, ...]]]] = {
    "a list shows keys and names": (
        {"of": "Customer"},
        [("1", "Ann"), ("2", "Bob"), ("3", "Cid"), ("4", "Dan")],
    ),
    "fields are looked up over to-one relations": (
        {"show": ["Country.name"], "of": "Customer"},
        [("1", "Ann", "Germany"), ("2", "Bob", "Germany"), ("3", "Cid", "Switzerland"), ("4", "Dan", None)],
    ),
    "a condition beyond a to-many relation is about a row that exists": (
        {"of": "Customer", "where": {"field": "Invoice.total", "op": ">", "value": 5, "via": ["buyer^"]}},
        [("1", "Ann")],
    ),
    "conditions of one AND are about the same related row": (
        {
            "of": "Customer",
            "where": [
                {"field": "Invoice.total", "op": ">", "value": 15, "via": ["buyer^"]},
                {"field": "Invoice.day", "op": "<", "value": "2024-02-01", "via": ["buyer^"]},
            ],
        },
        [],
    ),
    "two related conditions are about two rows": (
        {
            "of": "Customer",
            "where": [
                {"related": {"of": "Invoice", "where": {"field": "Invoice.total", "op": ">", "value": 15}}, "via": ["buyer^"]},
                {"related": {"of": "Invoice", "where": {"field": "Invoice.day", "op": "<", "value": "2024-02-01"}}, "via": ["buyer^"]},
            ],
        },
        [("1", "Ann")],
    ),
    "rows without related rows": (
        {"of": "Customer", "where": {"not": {"related": {"of": "Invoice"}, "via": ["buyer^"]}}},
        [("4", "Dan")],
    ),
    "rows with so many related rows": (
        {"of": "Customer", "where": {"related": {"of": "Invoice"}, "via": ["buyer^"], "count": {"op": "<", "value": 2}}},
        [("2", "Bob"), ("3", "Cid"), ("4", "Dan")],
    ),
    "a link table counts each related row once": (
        {"of": "Product", "where": {"related": {"of": "Topic"}, "count": {"op": ">=", "value": 2}}},
        [("1", "Apple")],
    ),
    "a figure over all rows": ({"show": ["revenue"]}, [("30.6",)]),
    "figures of different entities do not multiply each other": (
        {"show": ["revenue", "volume", {"aggregate": "count", "of": "Line"}], "of": "Invoice"},
        [("30.6", "23.7", "5")],
    ),
    "figures of different entities meet on their common dimension": (
        {"show": ["revenue", {"aggregate": "count", "of": "Customer", "via": BUYER}], "by": [{"field": "Country.name", "via": ["buyer", "Country"]}]},
        [("Germany", "30.4", "2"), ("Switzerland", "0.2", "1"), (None, None, "1")],
    ),
    "a row counts once in each group of a to-many dimension": (
        {"show": ["volume"], "by": [{"entity": "Topic", "via": ["Product", "topics"]}]},
        [("1", "fruit", "9.7"), ("2", "food", "16.5")],
    ),
    "a complete dimension shows rows that nothing belongs to": (
        {"show": [{"aggregate": "count", "of": "Invoice", "via": ["buyer^"]}, {"measure": "revenue", "via": ["buyer^"]}], "of": "Customer", "by": [{"entity": "Customer", "complete": True}]},
        [("1", "Ann", "2", "30.3"), ("2", "Bob", "1", "0.1"), ("3", "Cid", "1", "0.2"), ("4", "Dan", "0", None), (None, None, "1", None)],
    ),
    "months of a day": (
        {"show": ["revenue"], "by": [{"field": "Invoice.day", "grain": "month"}]},
        [("2023-12-01", "0.2"), ("2024-01-01", "10.1"), ("2024-02-01", "20.3"), ("2024-03-01", None)],
    ),
    "quarters of Unix seconds": (
        {"show": ["revenue"], "by": [{"field": "Invoice.unix", "grain": "quarter"}]},
        [("2023-10-01", "0.2"), ("2024-01-01", "30.4"), (None, None)],
    ),
    "weeks of a moment": (
        {"show": ["revenue"], "by": [{"field": "Invoice.stamp", "grain": "week"}]},
        [("2023-12-25", "0.2"), ("2024-01-15", "10.1"), ("2024-02-12", "20.2"), ("2024-02-19", "0.1"), (None, None)],
    ),
    "years of a written day": (
        {"show": ["revenue"], "by": [{"field": "Invoice.written", "grain": "year"}]},
        [("2023-01-01", "0.2"), ("2024-01-01", "30.4"), (None, None)],
    ),
    "a period on the default date": ({"show": ["revenue"], "period": "2024-02"}, [("20.3",)]),
    "a period on a moment takes the whole last day": (
        {"show": ["revenue"], "period": {"from": "2024-02-15", "to": "2024-02-15", "field": "Invoice.stamp"}},
        [("20.2",)],
    ),
    "a period on Unix seconds": (
        {"show": ["revenue"], "period": {"from": "2024-01-01", "field": "Invoice.unix"}},
        [("30.4",)],
    ),
    "a period on a written day": (
        {"show": ["revenue"], "period": {"to": "2023-12-31", "field": "Invoice.written"}},
        [("0.2",)],
    ),
    "a measure's own date is another entity's": ({"show": ["volume"], "period": "2024-01"}, [("4.4",)]),
    "a day equals all its moments": (
        {"of": "Invoice", "where": {"field": "Invoice.stamp", "value": "2024-02-15"}},
        [("2",)],
    ),
    "a day fits an encoded date": (
        {"of": "Invoice", "where": {"field": "Invoice.unix", "op": "<=", "value": "2023-12-31"}},
        [("4",)],
    ),
    "the largest, with all that tie": (
        {"of": "Product", "order": [{"by": "Product.price", "descending": True}], "limit": 1},
        [("2", "Pear"), ("3", "Nut")],
    ),
    "the second": (
        {"of": "Product", "order": [{"by": "Product.price"}], "limit": 1, "skip": 1},
        [("2", "Pear"), ("3", "Nut")],
    ),
    "the largest of each": (
        {"of": "Invoice", "order": [{"by": "Invoice.total", "descending": True}], "limit": 1, "per": [{"entity": "Customer", "via": BUYER}]},
        [("2",), ("4",), ("3",)],
    ),
    "groups in the order of a figure": (
        {"show": ["revenue"], "by": [{"entity": "Customer", "via": BUYER}], "order": [{"by": "revenue", "descending": True}], "limit": 2},
        [("1", "Ann", "30.3"), ("3", "Cid", "0.2")],
    ),
    "the first row by a figure, with the figure": (
        {"of": "Customer", "order": [{"by": {"measure": "revenue", "via": ["buyer^"]}, "descending": True}], "limit": 1},
        [("1", "Ann", "30.3")],
    ),
    "conditions on groups": (
        {"show": ["revenue"], "by": [{"entity": "Customer", "via": BUYER}], "having": {"show": "revenue", "op": "<=", "value": 0.2}},
        [("2", "Bob", "0.1"), ("3", "Cid", "0.2")],
    ),
    "rows by a figure of their own": (
        {"of": "Customer", "where": {"show": {"measure": "revenue", "via": ["buyer^"]}, "op": ">", "value": 0.1}},
        [("1", "Ann"), ("3", "Cid")],
    ),
    "above the average": (
        {"of": "Product", "where": {"field": "Product.price", "op": ">", "value": {"show": [{"aggregate": "avg", "field": "Product.price"}]}}},
        [("2", "Pear"), ("3", "Nut")],
    ),
    "a field against another field of the row": (
        {"of": "Line", "show": ["Line.qty"], "where": {"field": "Line.price", "op": ">", "value": {"show": [{"field": "Product.price"}], "of": "Line"}}},
        [("3", "1", "1"), ("4", "1", "2")],
    ),
    "among the rows of a limited query": (
        {"of": "Invoice", "where": {"related": {"of": "Customer", "order": [{"by": {"measure": "revenue", "via": ["buyer^"]}, "descending": True}], "limit": 1}, "via": BUYER}},
        [("1",), ("2",)],
    ),
    "averages and medians are exact": (
        {"show": [{"aggregate": "avg", "field": "Invoice.total"}, {"aggregate": "median", "field": "Invoice.total"}, {"aggregate": "max", "field": "Invoice.day"}]},
        [("7.65", "5.15", "2024-03-01")],
    ),
    "a ratio without a divisor is nothing": (
        {"show": [{"ratio": ["large", {"aggregate": "count", "field": "Invoice.stamp"}]}], "by": ["Invoice.id"], "order": [{"by": "Invoice.id"}]},
        [("1", "1"), ("2", "1"), ("3", "0"), ("4", "0"), ("5", None)],
    ),
    "an aggregate over the figures of another query": (
        {"show": [{"aggregate": "avg", "rows": {"show": ["revenue"], "by": [{"entity": "Customer", "via": BUYER}]}}]},
        [("10.2",)],
    ),
    "a figure with a condition of its own": (
        {"show": ["revenue", {"measure": "revenue", "where": {"field": "Invoice.currency", "value": "EUR"}}]},
        [("30.6", "0.1")],
    ),
    "a comparison with another period": (
        {"show": ["revenue"], "period": "2024", "compare": {"period": "2023"}},
        [("30.4", "0.2", "30.2", "15100")],
    ),
    "shares of the whole": (
        {"show": [{"measure": "revenue", "transform": "share"}], "by": ["Invoice.currency"]},
        [("CHF", "99.673203"), ("EUR", "0.326797")],
    ),
    "running totals and changes along the months": (
        {
            "show": [{"measure": "revenue", "transform": one} for one in ("runningTotal", "change", "changePercent", "rank")],
            "by": [{"field": "Invoice.day", "grain": "month"}],
        },
        [
            ("2023-12-01", "0.2", None, None, "3"),
            ("2024-01-01", "10.3", "9.9", "4950", "2"),
            ("2024-02-01", "30.6", "10.2", "100.990099", "1"),
            ("2024-03-01", "30.6", None, None, "4"),
        ],
    ),
    "a figure in another unit": (
        {"show": [{"aggregate": "sum", "field": "Invoice.seconds", "unit": "min"}]},
        [("5",)],
    ),
    "a whole year takes the rows about the whole year": (
        {"show": [{"aggregate": "sum", "field": "Balance.closing"}, {"aggregate": "sum", "field": "Balance.turnover"}], "period": "2024"},
        [("35.5", "35.5")],
    ),
    "months take month rows, balances the last of them": (
        {"show": [{"aggregate": "sum", "field": "Balance.closing"}, {"aggregate": "sum", "field": "Balance.turnover"}], "period": {"from": "2024-01-01", "to": "2024-02-29"}},
        [("35.5", "35.5")],
    ),
    "months of a year one by one": (
        {"show": [{"aggregate": "sum", "field": "Balance.closing"}], "by": ["Balance.month"], "period": "2024"},
        [("1", "15.5"), ("2", "35.5")],
    ),
    "the last snapshot of a period": (
        {"show": [{"aggregate": "sum", "field": "Stock.pieces"}], "period": {"from": "2024-01-01", "to": "2024-02-29"}},
        [("5",)],
    ),
    "the last snapshot of each month": (
        {"show": [{"aggregate": "sum", "field": "Stock.pieces"}], "by": [{"field": "Stock.day", "grain": "month"}]},
        [("2024-01-01", "12"), ("2024-02-01", "5"), ("2024-03-01", "9")],
    ),
    "months by name": (
        {"show": [{"aggregate": "sum", "field": "Rain.millimetres"}], "period": {"from": "2024-03-01", "to": "2024-12-31"}},
        [("57",)],
    ),
    "segments": ({"of": "Customer", "where": [{"segment": "active"}, {"segment": "german"}]}, [("1", "Ann"), ("2", "Bob")]),
    "what cannot be decided is not brought back by a negation": (
        {"of": "Customer", "where": {"not": {"segment": "active"}}},
        [("3", "Cid")],
    ),
    "different values": ({"by": ["Customer.country"]}, [("CH",), ("DE",), (None,)]),
    "a relation to the entity itself": (
        {"of": "Customer", "show": [{"field": "Customer.name", "via": ["boss"]}], "where": {"field": "Customer.country", "via": ["boss"], "value": "DE"}},
        [("2", "Bob", "Ann"), ("3", "Cid", "Ann"), ("4", "Dan", "Bob")],
    ),
    "keys are counted, also through a to-many relation": (
        {"show": [{"aggregate": "count", "of": "Customer", "via": BUYER}], "of": "Invoice", "where": {"field": "Invoice.day", "op": ">=", "value": "2024-01-01"}},
        [("2",)],
    ),
}  # fmt: skip


@each("name", CASES)
def test_a_query_comes_to_what_is_written_by_hand(name: str, shop: Asked) -> None:
    written, expected = CASES[name]
    assert cells(ask(shop, written)) == expected


REFUSED: dict[str, tuple[dict[str, Any], ValidationErrorCode, str | None]] = {
    "an unknown measure": ({"show": ["revenu"]}, ValidationErrorCode.FIELD_NOT_FOUND, "revenue"),
    "an unknown entity": ({"of": "customer"}, ValidationErrorCode.TABLE_NOT_FOUND, "Customer"),
    "an unknown field": ({"show": ["Customer.nam"]}, ValidationErrorCode.FIELD_NOT_FOUND, "Customer.name"),
    "two ways": (
        {"of": "Invoice", "where": {"field": "Customer.name", "value": "Ann"}},
        ValidationErrorCode.AMBIGUOUS_GRAIN,
        "buyer or seller",
    ),
    "no way": ({"of": "Rain", "where": {"field": "Customer.name", "value": "Ann"}}, ValidationErrorCode.FIELD_NOT_FOUND, None),
    "a sum of prices": (
        {"show": [{"aggregate": "sum", "field": "Product.price"}]},
        ValidationErrorCode.INVALID_AGGREGATE_TARGET,
        "avg",
    ),
    "an average of years": (
        {"show": [{"aggregate": "avg", "field": "Product.year"}]},
        ValidationErrorCode.INVALID_AGGREGATE_TARGET,
        "count",
    ),
    "a sum of identifiers": (
        {"show": [{"aggregate": "sum", "field": "Customer.id"}]},
        ValidationErrorCode.INVALID_AGGREGATE_TARGET,
        "count",
    ),
    "a balance without a period": (
        {"show": [{"aggregate": "sum", "field": "Balance.closing"}]},
        ValidationErrorCode.INVALID_AGGREGATE_TARGET,
        "year =",
    ),
    "half a month of months": (
        {"show": [{"aggregate": "sum", "field": "Balance.turnover"}], "period": {"from": "2024-01-15"}},
        ValidationErrorCode.TYPE_MISMATCH,
        None,
    ),
    "a number for a text": (
        {"of": "Customer", "where": {"field": "Customer.name", "value": 5}},
        ValidationErrorCode.TYPE_MISMATCH,
        "5",
    ),
    "a unit that does not convert": (
        {"show": [{"aggregate": "sum", "field": "Invoice.seconds", "unit": "kg"}]},
        ValidationErrorCode.MIXED_UNITS,
        "s",
    ),
    "a list with a field that a row has several of": (
        {"of": "Customer", "show": [{"field": "Invoice.total", "via": ["buyer^"]}]},
        ValidationErrorCode.AMBIGUOUS_GRAIN,
        "Invoice",
    ),
    "two values of one related row": (
        {"of": "Product", "where": [{"field": "Topic.name", "value": "fruit"}, {"field": "Topic.name", "value": "food"}]},
        ValidationErrorCode.OPERATOR_INCOMPATIBLE,
        "related",
    ),
    "several currencies": (
        {"show": [{"aggregate": "sum", "field": "Fee.amount"}], "by": ["Fee.part"]},
        ValidationErrorCode.MIXED_UNITS,
        "Fee.currency",
    ),
    "a sum that is never to be made": (
        {"show": [{"aggregate": "sum", "field": "Fee.level"}], "by": ["Fee.part"]},
        ValidationErrorCode.INVALID_AGGREGATE_TARGET,
        None,
    ),
    "a required condition left out": ({"of": "Fee"}, ValidationErrorCode.MISSING_REQUIRED_FILTER, "part"),
    "sums and their parts together": (
        {"show": [{"aggregate": "count", "of": "Fee"}], "where": {"field": "Fee.part", "op": ">=", "value": 0}},
        ValidationErrorCode.MISSING_REQUIRED_FILTER,
        "part",
    ),
    "an order by a change": (
        {"show": ["revenue"], "by": ["Invoice.day"], "order": [{"by": {"measure": "revenue", "transform": "change"}}]},
        ValidationErrorCode.OPERATOR_INCOMPATIBLE,
        None,
    ),
    "a running total of averages": (
        {"show": [{"measure": "meanTotal", "transform": "runningTotal"}], "by": ["Invoice.day"]},
        ValidationErrorCode.INVALID_AGGREGATE_TARGET,
        None,
    ),
    "a number in another unit": (
        {"of": "Invoice", "where": {"show": {"aggregate": "sum", "field": "Invoice.seconds", "unit": "min"}, "op": ">", "value": 1}},
        ValidationErrorCode.OPERATOR_INCOMPATIBLE,
        None,
    ),
    "a period of what has no date": (
        {"of": "Product", "period": "2024"},
        ValidationErrorCode.FIELD_NOT_FOUND,
        "period.field",
    ),
    "a text against a number": (
        {"of": "Customer", "where": {"field": "Customer.name", "value": {"show": ["revenue"]}}},
        ValidationErrorCode.TYPE_MISMATCH,
        None,
    ),
}  # fmt: skip


@each("name", REFUSED)
def test_what_the_ontology_does_not_allow_is_refused_with_a_way_out(name: str, shop: Asked) -> None:
    written, code, suggestion = REFUSED[name]
    problem = refusal(shop, written)
    assert (problem.code, problem.suggestion) == (code, suggestion)


def test_a_result_says_ties_and_overlaps_and_what_its_columns_are(shop: Asked) -> None:
    tied = ask(shop, CASES["the largest, with all that tie"][0])
    assert tied.tied
    assert not tied.overlapping
    assert [column.part for column in tied.columns] == [ColumnPart.KEY, ColumnPart.NAME]
    assert ask(shop, CASES["a row counts once in each group of a to-many dimension"][0]).overlapping


def test_the_unit_of_a_figure_is_the_pinned_one_or_stands_beside_it(shop: Asked) -> None:
    total = {"aggregate": "sum", "field": "Fee.amount"}
    part = {"field": "Fee.part", "op": ">", "value": 0}
    pinned = ask(shop, {"show": [total], "where": [part, {"field": "Fee.currency", "value": "CHF"}]})
    assert (pinned.columns[0].unit, cells(pinned)) == ("CHF", [("2.5",)])
    beside = ask(shop, {"show": [total], "where": part, "by": ["Fee.currency"]})
    assert (beside.columns[1].unit_column, cells(beside)) == ("currency", [("CHF", "2.5"), ("EUR", "9")])
    listed = ask(shop, {"show": ["Fee.amount"], "where": part})
    assert (listed.columns[1].unit_column, cells(listed)) == ("currency", [("2", "2.5", "CHF"), ("3", "9", "EUR")])


def test_measures_and_segments_that_cannot_be_read_name_what_is_wrong(shop: Asked) -> None:
    thing = shop[0].things["Invoice"]
    with pytest.raises(OntologyError, match=r"the measure x names the field totl of Invoice.*did you mean total"):
        parse_expression("the measure x", "totl * 2", thing)
    with pytest.raises(OntologyError, match="the segment y says"):
        parse_where("the segment y", "total > (SELECT 1)", thing)


def test_two_spellings_of_one_meaning_are_equal(shop: Asked) -> None:
    one = ask(shop, {"of": "Line", "where": {"field": "Product.name", "op": "in", "value": ["Nut"]}})
    other = ask(shop, {"of": "Line", "where": [{"field": "Product.name", "value": "Nut", "via": ["Product"]}]})
    assert one.query == other.query
    assert one.query.canonical_json() == other.query.canonical_json()


def test_every_figure_opens_to_the_rows_behind_it_and_comes_to_the_same(shop: Asked) -> None:
    for name, (written, _) in CASES.items():
        result = ask(shop, written)
        plain = all(not (shown.transform or shown.ratio or shown.rows or shown.unit) for shown in result.query.show)
        if result.query.lists or not plain or result.query.compare or result.query.limit or not result.query.show:
            continue
        figures = [column for column in result.columns if column.part is ColumnPart.FIGURE]
        if any(column.shown and column.shown.measure == "largeShare" for column in figures):
            continue
        for row in result.rows:
            behind = asyncio.run(rows_behind(result.query, *shop, row))
            assert not isinstance(behind, QueryValidationError)
            for column, opened in zip(figures, behind, strict=True):
                assert _plain(opened.figure) == _plain(row[column.column.name]), name
                assert len(opened.rows) == min(opened.number, 100)


def test_rows_that_lack_the_value_are_said(shop: Asked) -> None:
    assert ask(shop, {"show": ["revenue"]}).missing == (MissingValues("Invoice.total", 1, 5),)
    listed = ask(shop, {"of": "Product", "order": [{"by": "Product.price"}], "limit": 1})
    assert listed.missing == (MissingValues("Product.price", 1, 4),)
    assert ask(shop, {"show": [{"aggregate": "count", "of": "Invoice"}]}).missing == ()


def test_more_rows_than_wanted_are_said(shop: Asked) -> None:
    query = read_query({"of": "Customer"})
    assert isinstance(query, SemanticQuery)
    result = asyncio.run(run_query(query, *shop, row_limit=2))
    assert isinstance(result, SemanticResult)
    assert result.truncated
    assert len(result.rows) == 2


def test_nesting_grows_the_statement_evenly(shop: Asked) -> None:
    """Each level adds its own part once."""
    lengths = []
    inner: dict[str, Any] = {"of": "Customer", "order": [{"by": "Customer.name"}], "limit": 3}
    for _ in range(4):
        inner = {
            "of": "Customer",
            "where": {"related": inner, "via": ["boss"]},
            "order": [{"by": {"measure": "revenue", "via": ["buyer^"]}}],
            "limit": 3,
        }
        query = read_query(inner)
        assert isinstance(query, SemanticQuery)
        dry = compile_only(query, *shop, row_limit=10)
        assert not isinstance(dry, QueryValidationError)
        lengths.append(len(dry.sql))
    steps = [later - earlier for earlier, later in pairwise(lengths)]
    assert max(steps) < 1.3 * min(steps)


def test_the_rows_of_other_tenants_stay_out_of_every_part(tmp_path: Any) -> None:
    spec = str(tmp_path / "tenants.duckdb")
    load(
        "duckdb",
        spec,
        'CREATE TABLE "A" ("id" INTEGER, "tenant" VARCHAR, "n" INTEGER)',
        "A",
        ((1, "x", 1), (2, "y", 5)),
    )
    load(
        "duckdb",
        spec,
        'CREATE TABLE "B" ("id" INTEGER, "tenant" VARCHAR, "a" INTEGER)',
        "B",
        ((1, "x", 1), (2, "y", 1)),
    )
    entities = [{"name": n, "table": n, "grain": "id"} for n in ("A", "B")]
    relation = {"fromEntity": "B", "toEntity": "A", "cardinality": "MANY_TO_ONE", "via": "a"}
    ontology = OntologyDescriptor.model_validate({"featureCode": "t", "entities": entities, "relations": [relation]})
    source = open_source(spec)
    model = SemanticModel(build_catalog(source, ontology=ontology, scope=Scope({"tenant": "x"})))
    counted = ask((model, source), {"of": "A", "show": [{"aggregate": "count", "of": "B"}], "by": ["A"]})
    assert cells(counted) == [("1", "1")]
    listed = ask((model, source), {"of": "A", "where": {"related": {"of": "B"}, "count": {"op": "=", "value": 1}}})
    assert cells(listed) == [("1",)]
    source.close()
