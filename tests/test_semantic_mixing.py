"""Figures that would mix what does not belong together are refused; what the random proof once found stays mended."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from veracity.answer.answer import Outcome
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.open import open_agent
from veracity.query.catalog import build_catalog
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery
from veracity.semantic.result import SemanticResult
from veracity.semantic.run import run_query
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.sources.source import Source

TABLES = """
    CREATE TABLE shops (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE sales (id INTEGER PRIMARY KEY, shop INTEGER, amount DECIMAL(10,2), cur TEXT, day DATE, rank INTEGER);
    CREATE TABLE budgets (id INTEGER PRIMARY KEY, shop INTEGER, year INTEGER, month INTEGER, planned DECIMAL(10,2));
    CREATE TABLE islands (id INTEGER PRIMARY KEY);
    INSERT INTO shops VALUES (1, 'North'), (2, 'South');
    INSERT INTO sales VALUES (1, 1, 10, 'CHF', '2024-01-05', 3), (2, 1, 30, 'EUR', '2024-02-05', 1), (3, 2, 60, 'CHF', '2024-03-05', 2),
        (4, NULL, 0, 'CHF', '2023-01-05', 9), (5, NULL, 0, 'CHF', '2023-01-06', 9);
    INSERT INTO budgets VALUES (1, 1, 2024, 0, 300), (2, 1, 2024, 1, 100), (3, 1, 2024, 2, 200);
    INSERT INTO islands VALUES (1);
"""
MEANING = {
    "featureCode": "shops",
    "entities": [
        {"name": "Shop", "table": "shops", "grain": ["id"]},
        {
            "name": "Sale",
            "table": "sales",
            "grain": ["id"],
            "defaultDate": "day",
            "fields": [{"name": "amount", "additivity": "ADDITIVE", "unitField": "cur"}],
            "measures": [
                {"name": "sales_count", "aggregate": "COUNT"},
                {"name": "per_island", "ratio": ["sales_count", "island_count"]},
            ],
        },
        {
            "name": "Budget",
            "table": "budgets",
            "grain": ["id"],
            "dateParts": {"year": "year", "month": "month", "whole": 0},
            "fields": [{"name": "planned", "additivity": "ADDITIVE"}],
            "measures": [{"name": "january", "aggregate": "SUM", "expression": "planned", "where": "month = 1"}],
        },
        {
            "name": "Island",
            "table": "islands",
            "grain": ["id"],
            "measures": [{"name": "island_count", "aggregate": "COUNT"}],
        },
    ],
    "relations": [
        {"fromEntity": "Sale", "toEntity": "Shop", "cardinality": "MANY_TO_ONE", "via": "shop"},
        {"fromEntity": "Budget", "toEntity": "Shop", "cardinality": "MANY_TO_ONE", "via": "shop"},
    ],
}
AMOUNT = {"aggregate": "sum", "field": "Sale.amount"}
PLANNED = {"aggregate": "sum", "field": "Budget.planned"}


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SemanticModel, Source]]:
    path: Path = tmp_path_factory.mktemp("shops") / "shops.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(TABLES)
    connection.close()
    source = open_source(path)
    yield SemanticModel(build_catalog(source, ontology=OntologyDescriptor.model_validate(MEANING))), source
    source.close()


def asked(shops: tuple[SemanticModel, Source], query: dict[str, Any]) -> SemanticResult | str:
    found = asyncio.run(run_query(SemanticQuery.model_validate(query), *shops, row_limit=100))
    return found if isinstance(found, SemanticResult) else found.hint


def rows(found: SemanticResult | str) -> list[tuple[Any, ...]]:
    assert isinstance(found, SemanticResult), found
    return [tuple(None if cell is None else str(cell) for cell in row.values()) for row in found.rows]


@pytest.mark.parametrize(
    "query",
    [
        {"show": [{**AMOUNT, "transform": "share"}], "by": ["Sale.cur"]},
        {"show": [{**AMOUNT, "transform": "rank"}], "by": ["Sale.cur"]},
        {"show": [{**AMOUNT, "transform": "change"}], "by": ["Shop", "Sale.cur"]},
        {"show": [{**AMOUNT, "transform": "runningTotal"}], "by": ["Shop", "Sale.cur"]},
        {"show": [{**AMOUNT, "where": {"field": "Sale.cur", "value": "CHF"}, "transform": "share"}]},
        {
            "of": "Shop",
            "show": [{"aggregate": "count", "of": "Shop", "where": {"show": AMOUNT, "op": ">", "value": 5}}],
        },
    ],
    ids=["share", "rank", "change", "running total", "share of a condition", "figure in a figure's condition"],
)
def test_amounts_in_two_currencies_never_meet(shops: tuple[SemanticModel, Source], query: dict[str, Any]) -> None:
    assert asked(shops, query) == "amount is in several units; pin cur with = or divide by it."


def test_along_dates_each_currency_has_its_own_line(shops: tuple[SemanticModel, Source]) -> None:
    by = [{"field": "Sale.day", "grain": "month"}, "Sale.cur"]
    found = asked(shops, {"show": [{**AMOUNT, "transform": "runningTotal"}], "by": by, "period": "2024"})
    assert [row[1:] for row in rows(found)] == [("CHF", "10.00"), ("EUR", "30.00"), ("CHF", "70.00")]


def test_whole_years_are_never_added_to_their_months(shops: tuple[SemanticModel, Source]) -> None:
    assert asked(shops, {"show": [PLANNED]}) == "Budget has rows of months and of whole years; say a period."
    assert rows(asked(shops, {"show": [PLANNED], "period": "2024"})) == [("300.00",)]
    monthly = asked(shops, {"show": [{**PLANNED, "transform": "share"}], "by": ["Budget.month"], "period": "2024"})
    assert [row[1] for row in rows(monthly)] == ["33.333333", "66.666667"]
    either = {"or": [{"field": "Budget.month", "value": 0}, {"field": "Budget.planned", "op": ">", "value": 150}]}
    assert isinstance(asked(shops, {"show": [PLANNED], "where": either}), str)


def test_a_measure_of_one_month_has_its_month_in_a_year(shops: tuple[SemanticModel, Source]) -> None:
    assert rows(asked(shops, {"show": ["january"], "period": "2024"})) == [("100.00",)]
    listed = {"of": "Budget", "show": ["Budget.month"], "period": "2024"}
    assert [row[-1] for row in rows(asked(shops, listed))] == ["1", "2"]


def test_a_ratio_of_unrelated_measures_is_refused(shops: tuple[SemanticModel, Source]) -> None:
    assert asked(shops, {"show": ["per_island"]}) == "nothing relates Sale to Island"


def test_a_change_from_none_is_one_from_zero(shops: tuple[SemanticModel, Source]) -> None:
    late = {"aggregate": "count", "of": "Sale", "where": {"field": "Sale.day", "op": ">", "value": "2024-02-01"}}
    by = [{"field": "Sale.day", "grain": "month"}]
    found = asked(shops, {"show": [{**late, "transform": "change"}, "sales_count"], "by": by, "period": "2024"})
    assert [row[1] for row in rows(found)] == [None, "1", "0"]


def test_a_column_called_rank_can_be_listed_with_a_limit(shops: tuple[SemanticModel, Source]) -> None:
    best = {"of": "Sale", "show": ["Sale.rank"], "order": [{"by": "Sale.rank"}], "limit": 2}
    assert [row[-1] for row in rows(asked(shops, best))] == ["1", "2"]


def test_the_largest_amounts_are_not_picked_from_several_currencies(shops: tuple[SemanticModel, Source]) -> None:
    best = {"of": "Sale", "order": [{"by": "Sale.amount", "descending": True}], "limit": 2}
    assert "several units" in str(asked(shops, best))
    assert rows(asked(shops, {**best, "per": ["Sale.cur"]}))


def test_a_shop_that_is_not_among_the_best_is_found_beside_sales_without_a_shop(
    shops: tuple[SemanticModel, Source],
) -> None:
    count = {"aggregate": "count", "of": "Sale"}
    best = {"of": "Sale", "by": ["Shop"], "show": [count], "order": [{"by": count, "descending": True}], "limit": 1}
    others = asked(shops, {"of": "Shop", "where": {"not": {"related": best}}})
    assert [row[-1] for row in rows(others)] == ["South"]


# --- which rows count


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the total amount in 2024?", "Told apart by status, as nobody has said yet which rows count."),
        ("Wie hoch ist der Betrag 2024?", "Nach Status getrennt, weil noch niemand gesagt hat, welche Zeilen zählen."),
        ("What is the total amount of succeeded payments in 2024?", None),
    ],
)
def test_sums_that_a_status_keeps_apart_say_why(tmp_path: Path, question: str, said: str | None) -> None:
    path = tmp_path / "payments.sqlite"
    with closing(sqlite3.connect(path)) as made, made:
        made.execute("CREATE TABLE payments (id INTEGER PRIMARY KEY, amount REAL, status TEXT, paid_on DATE)")
        made.executemany(
            "INSERT INTO payments VALUES (?, ?, ?, ?)",
            [(n, 10 * n, ("succeeded", "failed")[n % 2], f"2024-0{1 + n % 3}-01") for n in range(1, 9)],
        )
    with closing(open_agent(path, keep_traces=False, settings=Settings(home=tmp_path))) as agent:
        given = agent.ask_sync(question)
    assert given.outcome is Outcome.ANSWERED
    assert (said in given.text) if said else ("apart" not in given.text)
