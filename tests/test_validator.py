"""One case file per check in tests/cases: what passes, what is refused and with which word, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from case_files import read_yaml
from each_case import each
from veracity.contracts import QueryValidationError
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.model import read_call
from veracity.query.validator import CHECKS, validate
from veracity.tools.open import open_tables
from veracity.tools.tables import TableTools

CASES = [
    path
    for path in sorted((Path(__file__).parent / "cases").glob("*.yaml"))
    if not path.stem.startswith(("guard_", "binding", "sql_", "numbers", "requirement_"))
]
STOCK = OntologyDescriptor.model_validate(
    {
        "featureCode": "stock",
        "entities": [
            {
                "name": "stock",
                "table": "stock",
                "grain": "article, day",
                "fields": [
                    {"name": "pieces", "additivity": "semi_additive", "over": "day", "unit": "pcs"},
                    {"name": "worth", "additivity": "additive", "unitField": "currency"},
                    {"name": "currency", "semanticType": "currency", "categorical": True},
                ],
            }
        ],
    }
)

JOINED = "SELECT i.id AS item, i.price, o.total FROM items i JOIN orders o ON o.id = i.order_id"
ORDERS = OntologyDescriptor.model_validate(
    {
        "featureCode": "orders",
        "entities": [
            {
                "name": "orders",
                "table": "orders",
                "grain": "id",
                "fields": [{"name": "total", "additivity": "additive"}],
            },
            {
                "name": "ordered",
                "view": JOINED,
                "grain": "item",
                "fields": [{"name": "price", "additivity": "additive"}, {"name": "total", "additivity": "additive"}],
            },
            {"name": "grainless", "view": JOINED, "fields": [{"name": "price", "additivity": "additive"}]},
            {
                "name": "totals",
                "view": "SELECT o.id, SUM(i.price) AS worth FROM orders o JOIN items i ON i.order_id = o.id GROUP BY o.id",
                "grain": "id",
                "fields": [{"name": "worth", "additivity": "additive"}],
            },
            {
                "name": "shipped",
                "view": "SELECT o.id, s.fee FROM orders o JOIN shipments s ON s.order_id = o.id",
                "grain": "id",
                "fields": [{"name": "fee", "additivity": "additive", "grain": "id"}],
            },
        ],
    }
)


def load_cases() -> Iterator[Any]:
    for path in CASES:
        for case in read_yaml(path):
            yield pytest.param(path.stem, case, id=f"{path.stem}: {case['why']}")


@pytest.fixture(scope="module")
def tools(
    ledger: Path, trustee: TableTools, tmp_path_factory: pytest.TempPathFactory, shop_specs: Any
) -> Iterator[dict[str, TableTools]]:
    folder = tmp_path_factory.mktemp("validator")
    with duckdb.connect(str(folder / "odd.duckdb")) as connection:
        connection.execute("CREATE TABLE odd (name VARCHAR, day DATE, tags VARCHAR[], parts STRUCT(a INTEGER))")
    with duckdb.connect(str(folder / "stock.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE stock (article VARCHAR, day DATE, pieces INTEGER, worth DECIMAL(18,2), currency VARCHAR)"
        )
        connection.execute(
            "INSERT INTO stock VALUES ('a', '2025-01-31', 3, 9.99, 'CHF'), ('a', '2025-02-28', 4, 1.00, 'CHF')"
        )
    with duckdb.connect(str(folder / "orders.duckdb")) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER, total DECIMAL(18,2))")
        connection.execute("CREATE TABLE items (id INTEGER, order_id INTEGER, price DECIMAL(18,2))")
        connection.execute("CREATE TABLE shipments (order_id INTEGER, fee DECIMAL(18,2))")
    made = {
        "orders": open_tables(folder / "orders.duckdb", ontology=ORDERS),
        "trustee": trustee,
        "conventions": open_tables(ledger, feature="trustee", use_ontology=False),
        "shop": open_tables(shop_specs("duckdb"), scope={"tenant": "t-1"}),
        "odd": open_tables(folder / "odd.duckdb"),
        "stock": open_tables(folder / "stock.duckdb", ontology=STOCK),
    }
    yield made
    for name in ("conventions", "shop", "odd", "stock", "orders"):
        made[name].close()


def test_every_check_has_a_case_file_with_both_outcomes() -> None:
    assert {path.stem for path in CASES} == {check.__name__ for check in CHECKS}
    for path in CASES:
        outcomes = {"refused" in case for case in read_yaml(path)}
        assert outcomes == {True, False}, path.name


@each(("check", "case"), list(load_cases()))
def test_case(check: str, case: dict[str, Any], tools: dict[str, TableTools]) -> None:
    used = tools[case.get("using", "trustee")]
    tool, arguments = case["call"]
    asyncio.run(used.dry_run(tool, arguments))  # loads the stored values the checks ask for
    outcome = validate(tool, arguments, used.catalog, used.profile)
    if "refused" not in case:
        assert not isinstance(outcome, QueryValidationError), outcome
        return
    assert isinstance(outcome, QueryValidationError)
    expected = dict(case["refused"])
    assert expected.pop("hint", "") in outcome.hint
    assert {key: getattr(outcome, key) for key in expected} == expected
    deciding = next(c for c in CHECKS if c(read_call(tool, arguments), used.catalog, used.profile))
    assert deciding.__name__ == case.get("by", check)
