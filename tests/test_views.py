"""Declared views: every base table is scoped, wherever it stands, and types survive the SELECT."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from each_case import each
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.views import View, parse_view
from veracity.sources.open import open_source
from veracity.sources.source import Scope
from veracity.tools.tables import TableTools

VIEWS = {
    "plain": 'SELECT id, region, amount FROM "Sale"',
    "star": 'SELECT * FROM "Sale"',
    "self join": 'SELECT a.id, a.amount, b.id AS other FROM "Sale" a JOIN "Sale" b ON b.id = a.id + 1',
    "subquery": 'SELECT s.id, s.amount FROM (SELECT id, amount FROM "Sale") s',
    "subquery in where": 'SELECT id, amount FROM "Sale" WHERE id IN (SELECT id FROM "Sale" WHERE amount > 1)',
    "scalar subquery": 'SELECT id, (SELECT MAX(t.amount) FROM "Sale" t) AS largest FROM "Sale"',
    "correlated": 'SELECT s.id, (SELECT COUNT(*) FROM "Sale" t WHERE t.region = s.region) AS peers FROM "Sale" s',
    "with": 'WITH big AS (SELECT id, amount FROM "Sale" WHERE amount > 1) SELECT id, amount FROM big',
    "with of the same name": 'WITH "Sale" AS (SELECT id, amount FROM "Sale" WHERE amount > 1) SELECT id, amount FROM "Sale"',
    "union": 'SELECT id, amount FROM "Sale" WHERE paid UNION ALL SELECT id, amount FROM "Sale" WHERE NOT paid',
    "exists": 'SELECT id, amount FROM "Sale" s WHERE EXISTS (SELECT 1 FROM "Sale" t WHERE t.amount > 900)',
    "left join": 'SELECT a.id, b.amount FROM "Sale" a LEFT JOIN "Sale" b ON b.id = a.id + 3',
}


def viewing(spec: str, sql: str) -> TableTools:
    ontology = OntologyDescriptor.model_validate({"featureCode": "x", "entities": [{"name": "seen", "view": sql}]})
    tools = TableTools(open_source(spec), ontology=ontology, scope=Scope({"tenant": "t-1"}))
    assert tools.catalog.missing == ()
    return tools


def rows_of(tools: TableTools) -> list[dict[str, Any]]:
    result = tools.call_sync("browseTable", {"tableName": "seen"})
    assert result.table is not None, result.error
    tools.close()
    return list(result.table.rows)


@pytest.mark.parametrize("name", VIEWS)
def test_no_row_of_another_tenant_comes_through_a_view(shop_spec: str, name: str) -> None:
    text = str(rows_of(viewing(shop_spec, VIEWS[name])))
    assert "999.99" not in text
    assert "Geheim" not in text
    assert "tenant" not in text


def test_what_another_tenant_has_cannot_even_be_felt(shop_spec: str) -> None:
    # Only the other tenant has an amount above 900: EXISTS must be false, the largest amount must be our own.
    assert rows_of(viewing(shop_spec, VIEWS["exists"])) == []
    largest = {row["largest"] for row in rows_of(viewing(shop_spec, VIEWS["scalar subquery"]))}
    assert largest in ({Decimal("20.20")}, {20.2})  # SQLite computes in floats


def test_every_statement_binds_its_own_values_within_the_same_view(shop_spec: str) -> None:
    tools = viewing(shop_spec, VIEWS["self join"])
    found = []
    for largest in (15, 1, 15):
        filters = [{"field": "amount", "op": "<", "value": largest}]
        result = tools.call_sync("queryTable", {"tableName": "seen", "fields": ["id"], "filters": filters})
        assert result.table is not None, result.error
        found.append({row["id"] for row in result.table.rows})
    tools.close()
    assert found == [{1, 3, 4}, {3, 4}, {1, 3, 4}]


def test_a_view_is_parsed_once_for_the_same_tables_and_scope(tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"

    def seen(tenant: str = "t-1") -> View:
        with closing(open_source(path)) as source:
            return parse_view("seen", "SELECT * FROM sale", source, Scope({"tenant": tenant}))

    with closing(sqlite3.connect(path)) as shop:
        shop.execute("CREATE TABLE sale (id INTEGER, tenant TEXT)")
        first = seen()
        assert seen() is first
        assert seen("t-2") is not first
        shop.execute("ALTER TABLE sale ADD COLUMN amount REAL")
        assert [column.name for column in seen().columns] == ["id", "tenant", "amount"]


def test_a_with_clause_that_hides_a_table_is_kept(shop_spec: str) -> None:
    assert sorted(row["id"] for row in rows_of(viewing(shop_spec, VIEWS["with of the same name"]))) == [1, 2]


@pytest.mark.parametrize("name", ["plain", "star", "left join"])
def test_decimals_stay_exact_through_a_view(shop_spec: str, name: str) -> None:
    tools = viewing(shop_spec, VIEWS[name])
    assert tools.catalog.entities["seen"].fields["amount"].column.type == "decimal"
    tools.close()


@each(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM pg_catalog.pg_user",
        "SELECT * FROM sqlite_master",
        'SELECT * FROM other."Sale"',
        'DELETE FROM "Sale"',
        'SELECT 1; SELECT 2 FROM "Sale"',
        "",
    ],
)
def test_a_view_reads_known_tables_and_nothing_else(shop_specs: Callable[[str], str], sql: str) -> None:
    entities = [{"name": "seen", "view": sql}] if sql else [{"name": "seen", "view": " "}]
    ontology = OntologyDescriptor.model_validate({"featureCode": "x", "entities": entities})
    tools = TableTools(open_source(shop_specs("duckdb")), ontology=ontology, scope=Scope({"tenant": "t-1"}))
    assert len(tools.catalog.missing) == 1
    assert tools.call_sync("browseTable", {"tableName": "seen"}).error_details is not None
    tools.close()
