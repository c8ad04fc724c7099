"""`ontology check`: every way an ontology can be at odds with its data is found, located and explained."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from conftest import ENGINES, load
from each_case import each
from veracity.features.records import create_tables, record_create, table_ddl
from veracity.features.trustee import trustee_ontology
from veracity.features.trustee.ledger import make_ledger
from veracity.features.trustee.ledger.companies import OTHER
from veracity.features.trustee.models import TABLES
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.findings import OntologyFinding
from veracity.semantic.ontology_check import check_ontology
from veracity.sources.open import open_source
from veracity.sources.source import Scope

ORDER: dict[str, Any] = {
    "name": "orders",
    "table": "orders",
    "grain": "id",
    "fields": [
        {"name": "id", "semanticType": "IDENTIFIER"},
        {"name": "total", "additivity": "ADDITIVE", "unitField": "currency"},
        {"name": "status", "categorical": True},
    ],
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("check") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE orders (id INTEGER, total DECIMAL(18,2), currency VARCHAR, status VARCHAR, customer_id INTEGER)"
        )
        connection.execute(
            "INSERT INTO orders VALUES (1, 5, 'CHF', 'paid', 7), (2, -3, 'CHF', 'open', 8), (2, 4, 'EUR', 'open', 8)"
        )
        connection.execute("CREATE TABLE customer (id INTEGER, name VARCHAR)")
        connection.execute("INSERT INTO customer VALUES (7, 'Alpina AG'), (8, 'Cima AG'), (8, 'Cima AG (alt)')")
    return path


def findings(path: Path, **parts: Any) -> list[OntologyFinding]:
    ontology = OntologyDescriptor.model_validate({"featureCode": "shop", "entities": [ORDER], **parts})
    source = open_source(path)
    try:
        return asyncio.run(check_ontology(ontology, source))
    finally:
        source.close()


def entity(**changes: Any) -> dict[str, Any]:
    return {**ORDER, "grain": [], **changes}


def test_grain_that_is_not_unique_is_counted_with_an_example(shop: Path) -> None:
    (finding,) = findings(shop)
    assert (finding.where, finding.count, finding.example) == ("orders (grain)", 1, {"id": 2, "rows": 2})


@each(
    ("parts", "where", "words"),
    [
        pytest.param({"entities": [entity(table="order")]}, "orders", "no table order", id="unknown table"),
        pytest.param(
            {"entities": [entity(fields=[{"name": "totl"}])]}, "orders.totl", "did you mean total?", id="unknown column"
        ),
        pytest.param({"entities": [entity(grain=["nr"])]}, "orders (grain)", "no field nr", id="unknown grain field"),
        pytest.param(
            {"entities": [entity(fields=[{"name": "total", "unitField": "curency"}])]},
            "orders.total (unitField)",
            "did you mean currency?",
            id="unknown unit field",
        ),
        pytest.param(
            {"entities": [entity(view="SELECT * FROM ordrs", table=None)]},
            "orders",
            "did you mean orders?",
            id="view of an unknown table",
        ),
        pytest.param(
            {"entities": [entity(view="SELEC 1", table=None)]}, "orders", "cannot be parsed", id="view that is no SQL"
        ),
        pytest.param(
            {"entities": [entity(view="DELETE FROM orders", table=None)]},
            "orders",
            "not one SELECT",
            id="view that writes",
        ),
        pytest.param(
            {"entities": [entity(view="SELECT nope FROM orders", table=None)]},
            "orders",
            "could not run",
            id="view of an unknown column",
        ),
        pytest.param(
            {
                "entities": [entity()],
                "constraints": [{"appliesTo": "*Balance", "rule": "NEVER_AGGREGATE", "message": "x"}],
            },
            "constraint NEVER_AGGREGATE on *Balance",
            "about no field",
            id="rule about nothing",
        ),
        pytest.param(
            {
                "entities": [entity()],
                "constraints": [
                    {"appliesTo": "orders.total", "rule": "SEMI_ADDITIVE", "fields": "day", "message": "x"}
                ],
            },
            "constraint SEMI_ADDITIVE on orders.total",
            "no field day",
            id="rule over an unknown field",
        ),
        pytest.param(
            {
                "entities": [entity()],
                "constraints": [{"appliesTo": "orders.total", "rule": "NEVER_AGGREGATE", "message": "x" * 81}],
            },
            "constraint NEVER_AGGREGATE on orders.total",
            "more than 80 characters",
            id="message that would be cut",
        ),
        pytest.param(
            {
                "entities": [entity(), {"name": "customer", "table": "customer"}],
                "relations": [
                    {"fromEntity": "orders", "toEntity": "customer", "cardinality": "MANY_TO_ONE", "via": "customerId"}
                ],
            },
            "relation orders -> customer",
            "did you mean customer_id?",
            id="relation by an unknown field",
        ),
        pytest.param(
            {
                "entities": [entity()],
                "canonicalPatterns": [
                    {
                        "intent": "T",
                        "pattern": {
                            "tool": "aggregateTable",
                            "args": {"tableName": "orders", "aggregate": "SUM", "field": "total"},
                        },
                    }
                ],
            },
            "pattern T",
            "MIXED_UNITS",
            id="pattern that the validator refuses",
        ),
        pytest.param(
            {
                "entities": [entity()],
                "canonicalPatterns": [
                    {
                        "intent": "T",
                        "pattern": {
                            "tool": "queryTable",
                            "args": {
                                "tableName": "orders",
                                "filters": [{"field": "status", "op": "=", "value": "payed"}],
                            },
                        },
                    }
                ],
            },
            "pattern T",
            "status = 'payed'",
            id="pattern with a literal that is not in the data",
        ),
        pytest.param(
            {
                "entities": [entity(), {"name": "customer", "table": "customer"}],
                "canonicalPatterns": [
                    {"intent": "T", "pattern": {"tool": "browseTable", "args": {"tableName": "orders"}}}
                ],
            },
            "customer",
            "Nothing leads to it",
            id="unreachable entity",
        ),
        pytest.param(
            {"entities": [entity(invariants=[{"name": "i", "description": "d", "holds": "totl > 0"}])]},
            "orders, invariant i",
            "did you mean total?",
            id="invariant over an unknown field",
        ),
        pytest.param(
            {
                "entities": [
                    entity(invariants=[{"name": "i", "description": "d", "holds": "total > (SELECT 1 FROM customer)"}])
                ]
            },
            "orders, invariant i",
            "under `violations`",
            id="invariant that reads other tables",
        ),
    ],
)
def test_finding_is_located_and_explained(shop: Path, parts: dict[str, Any], where: str, words: str) -> None:
    found = findings(shop, **parts)
    assert [finding.where for finding in found] == [where]
    assert words in found[0].message


@pytest.mark.parametrize(
    "invariant",
    [
        {"name": "positive", "description": "Orders are positive", "holds": "total > 0"},
        {
            "name": "positive",
            "description": "Orders are positive",
            "violations": "SELECT o.id, o.total FROM orders o WHERE o.total <= 0",
        },
    ],
    ids=["holds", "violations"],
)
def test_broken_invariant_is_counted_with_an_example_row(shop: Path, invariant: dict[str, str]) -> None:
    (finding,) = findings(shop, entities=[entity(invariants=[invariant])])
    assert (finding.where, finding.count) == ("orders, invariant positive", 1)
    assert finding.example is not None
    assert json.loads(finding.model_dump_json())["example"]["total"] == "-3.00"


def test_a_view_that_fans_out_is_found_by_its_grain(shop: Path) -> None:
    view = "SELECT o.id AS order_id, o.total, c.name FROM orders o JOIN customer c ON c.id = o.customer_id"
    found = findings(shop, entities=[{"name": "named", "view": view, "grain": "order_id"}])
    assert [(f.where, f.count) for f in found] == [("named (grain)", 1)]


def test_checking_changes_nothing(shop: Path) -> None:
    before = shop.read_bytes()
    findings(shop)
    assert shop.read_bytes() == before


@pytest.fixture(scope="module")
def other_ledgers(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> dict[str, str]:
    """A small ledger of another mandate on every engine."""
    books = make_ledger(5, OTHER)
    folder = tmp_path_factory.mktemp("ledgers")
    specs = {
        "duckdb": str(folder / "other.duckdb"),
        "sqlite": str(folder / "other.sqlite"),
        "postgres": request.getfixturevalue("postgres"),
    }
    with duckdb.connect(specs["duckdb"]) as connection:
        create_tables(connection, TABLES)
        record_create(connection, books.records())
        for model in TABLES:
            rows = tuple(connection.execute(f'FROM "{model.__name__}"').fetchall())
            for engine in ("sqlite", "postgres"):
                load(engine, specs[engine], table_ddl(model), model.__name__, rows)
    return specs


@pytest.mark.parametrize("engine", ENGINES)
def test_the_trustee_ontology_fits_any_ledger_on_every_engine(engine: str, other_ledgers: dict[str, str]) -> None:
    scope = Scope({"mandateId": OTHER.mandate_id, "featureInstanceId": OTHER.feature_instance_id})
    source = open_source(other_ledgers[engine])
    found = asyncio.run(check_ontology(trustee_ontology(), source, scope))
    source.close()
    # A segment that this small ledger has no row of is the one thing that may differ.
    assert [f for f in found if f.check != "segments-run" or f.level != "warning"] == []
