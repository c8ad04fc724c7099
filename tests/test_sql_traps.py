"""The traps that other systems fall into, as raw SQL: each is refused with a useful word, its right neighbours give the right figure."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest

from each_case import each
from sql_engines import build
from traps import DATA, ONTOLOGY
from veracity.contracts import TableData
from veracity.tools.open import open_tables
from veracity.tools.sql import SqlTools
from veracity.tools.tables import TableTools

D = Decimal


@pytest.fixture(scope="module", params=["duckdb", "sqlite", "postgres"])
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlTools]:
    spec = build(
        request.param, DATA, tmp_path_factory.mktemp("traps"), lambda: request.getfixturevalue("postgres"), name="traps"
    )
    tools = SqlTools(open_tables(spec, ontology=ONTOLOGY))
    yield tools
    tools.close()


TRAPS: dict[str, list[Any]] = {
    "semi-additive": [
        ("SELECT SUM(pieces) FROM stock", "INVALID_AGGREGATE_TARGET", "year"),
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025", "INVALID_AGGREGATE_TARGET", "month"),
        ("SELECT product, AVG(pieces) FROM stock GROUP BY product", "INVALID_AGGREGATE_TARGET", "year"),
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025 AND month > 0", "INVALID_AGGREGATE_TARGET", "month"),
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025 AND ABS(month) = 1", "INVALID_AGGREGATE_TARGET", "month"),
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025 AND (month = 1 OR month = 2)", "INVALID_AGGREGATE_TARGET", "month"),
        ("SELECT SUM(p) FROM (SELECT month, SUM(pieces) AS p FROM stock WHERE year = 2025 GROUP BY month) AS t", "INVALID_AGGREGATE_TARGET", "month"),
        ("WITH m AS (SELECT year, month, product, pieces FROM stock) SELECT product, SUM(pieces) FROM m GROUP BY product", "INVALID_AGGREGATE_TARGET", "year"),
        ("SELECT SUM(pieces) OVER (PARTITION BY product ORDER BY year, month) FROM stock", "INVALID_AGGREGATE_TARGET", "year"),
        ("SELECT SUM(pieces * 2 + 1) FROM stock", "INVALID_AGGREGATE_TARGET", "year"),
        ("SELECT product FROM stock GROUP BY product HAVING SUM(pieces) > 10", "INVALID_AGGREGATE_TARGET", "year"),
        ("SELECT product FROM stock GROUP BY product ORDER BY SUM(pieces)", "INVALID_AGGREGATE_TARGET", "year"),
        ("SELECT SUM(CASE WHEN month = 1 THEN pieces WHEN month = 2 THEN pieces END) FROM stock WHERE year = 2025", "INVALID_AGGREGATE_TARGET", "pieces"),
        ("SELECT SUM(p) FROM (SELECT pieces AS p FROM stock WHERE year = 2025 AND month = 1 UNION ALL SELECT pieces FROM stock WHERE year = 2025 AND month = 2) AS t", "INVALID_AGGREGATE_TARGET", "pieces"),
        ("SELECT SUM(s.pieces) FROM stock AS s JOIN stock AS t ON t.product = s.product AND t.year = s.year AND t.month = s.month + 1 WHERE t.year = 2025", "INVALID_AGGREGATE_TARGET", "month"),
        ("SELECT SUM(x) FROM (SELECT LAG(pieces) OVER (PARTITION BY product ORDER BY year, month) AS x FROM stock) AS t", "INVALID_AGGREGATE_TARGET", "year"),
        ("SELECT SUM(m) FROM (SELECT product, MAX(pieces) AS m FROM stock GROUP BY product) AS t", "INVALID_AGGREGATE_TARGET", "year"),
    ],
    "annual rows": [
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025 AND month IN (0, 1)", "INVALID_AGGREGATE_TARGET", "month"),
        ("SELECT year, SUM(pieces) FROM stock GROUP BY year", "INVALID_AGGREGATE_TARGET", "month"),
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025 AND month BETWEEN 0 AND 2", "INVALID_AGGREGATE_TARGET", "month"),
    ],
    "fan-out": [
        ("SELECT SUM(s.total) FROM sale AS s JOIN line AS l ON l.sale_id = s.id WHERE s.currency = 'CHF'", "AMBIGUOUS_GRAIN", "total"),
        ("SELECT l.product, SUM(s.total) FROM sale AS s JOIN line AS l ON l.sale_id = s.id WHERE s.currency = 'CHF' GROUP BY l.product", "AMBIGUOUS_GRAIN", "total"),
        ("SELECT SUM(total) FROM sale, line WHERE sale_id = sale.id AND currency = 'CHF'", "AMBIGUOUS_GRAIN", "total"),
        ("SELECT SUM(x.total) FROM (SELECT s.total, l.product FROM sale AS s LEFT JOIN line AS l ON l.sale_id = s.id WHERE s.currency = 'CHF') AS x", "AMBIGUOUS_GRAIN", "total"),
        ("SELECT AVG(s.total) FROM sale AS s JOIN payment AS p ON p.sale_id = s.id WHERE s.currency = 'CHF'", "AMBIGUOUS_GRAIN", "total"),
        ("SELECT SUM(DISTINCT s.total) FROM sale AS s JOIN line AS l ON l.sale_id = s.id WHERE s.currency = 'CHF'", "AMBIGUOUS_GRAIN", "total"),
        ("SELECT SUM(total) FROM sold WHERE currency = 'CHF'", "AMBIGUOUS_GRAIN", "total"),
        ("SELECT COUNT(s.id) FROM sale AS s JOIN line AS l ON l.sale_id = s.id", "AMBIGUOUS_GRAIN", "DISTINCT"),
        ("SELECT SUM(t) FROM (SELECT id, SUM(total) OVER (PARTITION BY currency) AS t FROM sale WHERE currency = 'CHF') AS x", "AMBIGUOUS_GRAIN", "total"),
        ("SELECT SUM(t) FROM (SELECT DISTINCT total AS t FROM sale WHERE currency = 'CHF') AS x", "AMBIGUOUS_GRAIN", "total"),
    ],
    "chasm": [
        ("SELECT SUM(l.pieces), SUM(p.amount) FROM sale AS s JOIN line AS l ON l.sale_id = s.id JOIN payment AS p ON p.sale_id = s.id", "AMBIGUOUS_GRAIN", "pieces"),
        ("SELECT s.id, SUM(p.amount) FROM sale AS s LEFT JOIN line AS l ON l.sale_id = s.id LEFT JOIN payment AS p ON p.sale_id = s.id GROUP BY s.id", "AMBIGUOUS_GRAIN", "amount"),
        ("SELECT SUM(l.pieces) FROM line AS l JOIN payment AS p ON p.sale_id = l.sale_id", "AMBIGUOUS_GRAIN", "sale"),
        ("SELECT COUNT(*) FROM sale AS s JOIN line AS l ON l.sale_id = s.id JOIN payment AS p ON p.sale_id = s.id", "AMBIGUOUS_GRAIN", "subquery"),
        ("SELECT SUM(amount) FROM paid", "AMBIGUOUS_GRAIN", "amount"),
    ],
    "joins": [
        ("SELECT c.name, s.total FROM customer AS c, sale AS s", "UNSAFE_SQL", "c.id = s.customer_id"),
        ("SELECT c.name, s.total FROM customer AS c CROSS JOIN sale AS s", "UNSAFE_SQL", "c.id = s.customer_id"),
        ("SELECT c.name, COUNT(*) FROM customer AS c JOIN sale AS s ON c.id = s.id GROUP BY c.name", "AMBIGUOUS_GRAIN", "customer_id"),
        ("SELECT c.name, SUM(l.pieces) FROM customer AS c JOIN line AS l ON l.sale_id = c.id GROUP BY c.name", "AMBIGUOUS_GRAIN", "l"),
        ("SELECT c.name FROM customer AS c JOIN sale AS s ON s.customer_id > c.id", "UNSAFE_SQL", "s"),
    ],
    "misspelt": [
        ("SELECT SUM(totl) FROM sale", "FIELD_NOT_FOUND", "total"),
        ("SELECT s.totl FROM sale AS s WHERE s.currency = 'CHF'", "FIELD_NOT_FOUND", "SELECT s.total FROM"),
        ("SELECT SUM(total) FROM sales", "TABLE_NOT_FOUND", "sale"),
        ("SELECT x.total FROM sale AS s", "TABLE_NOT_FOUND", "s"),
        ("SELECT revenue FROM (SELECT total AS revenu FROM sale) AS t", "FIELD_NOT_FOUND", "revenu"),
        ("SELECT id FROM sale JOIN line ON line.sale_id = sale.id", "FIELD_NOT_FOUND", "sale.id"),
        ("SELECT region FROM sale", "FIELD_NOT_FOUND", "customer"),
    ],
    "identifiers": [
        ("SELECT SUM(id) FROM sale", "INVALID_AGGREGATE_TARGET", "COUNT(id)"),
        ("SELECT AVG(customer_id) FROM sale", "INVALID_AGGREGATE_TARGET", "COUNT(customer_id)"),
        ("SELECT SUM(id * 1) FROM sale", "INVALID_AGGREGATE_TARGET", "id"),
        ("SELECT SUM(i) FROM (SELECT id + 0 AS i FROM sale) AS t", "INVALID_AGGREGATE_TARGET", "id"),
        ("SELECT SUM(price) FROM line", "INVALID_AGGREGATE_TARGET", "price"),
        ("SELECT AVG(price) FROM line", "INVALID_AGGREGATE_TARGET", "price"),
        ("SELECT SUM(name) FROM customer", "TYPE_MISMATCH", "name"),
        ("SELECT SUM(a) FROM (SELECT product, AVG(pieces) AS a FROM line GROUP BY product) AS t", "INVALID_AGGREGATE_TARGET", "Averages"),
        ("SELECT SUM(n) FROM (SELECT product, COUNT(DISTINCT sale_id) AS n FROM line GROUP BY product) AS t", "INVALID_AGGREGATE_TARGET", "Distinct"),
    ],
    "literals": [
        ("SELECT COUNT(*) FROM customer WHERE region = 'North'", "VALUE_NOT_FOUND", "Nord"),
        ("SELECT COUNT(*) FROM sale WHERE currency = 'chf'", "VALUE_NOT_FOUND", "'CHF'"),
        ("SELECT COUNT(*) FROM sale WHERE currency IN ('CHF', 'Eur')", "VALUE_NOT_FOUND", "'EUR'"),
        ("SELECT SUM(CASE WHEN region = 'Norden' THEN 1 ELSE 0 END) FROM customer", "VALUE_NOT_FOUND", "Nord"),
        ("SELECT COUNT(*) FROM customer WHERE LOWER(region) = 'north'", "VALUE_NOT_FOUND", "nord"),
        ("SELECT * FROM customer WHERE region = 'N%'", "OPERATOR_INCOMPATIBLE", "LIKE"),
        ("SELECT * FROM customer WHERE region = NULL", "OPERATOR_INCOMPATIBLE", "region IS NULL"),
        ("SELECT * FROM sale WHERE sold_on = '15.01.2025'", "TYPE_MISMATCH", "2025-01-15"),
        ("SELECT * FROM sale WHERE id = '1'", "TYPE_MISMATCH", "id = 1"),
        ("SELECT * FROM customer WHERE region = 5", "TYPE_MISMATCH", "quotes"),
        ("SELECT id FROM customer WHERE region = id", "TYPE_MISMATCH", "region"),
    ],
    "currencies": [
        ("SELECT SUM(total) FROM sale", "MIXED_UNITS", "GROUP BY currency"),
        ("SELECT AVG(total) FROM sale WHERE sold_on >= '2025-01-01'", "MIXED_UNITS", "currency"),
        ("SELECT SUM(total) FROM sale WHERE currency IN ('CHF', 'EUR')", "MIXED_UNITS", "currency"),
        ("SELECT SUM(t) FROM (SELECT currency, SUM(total) AS t FROM sale GROUP BY currency) AS x", "MIXED_UNITS", "total"),
        ("SELECT c.name, SUM(s.total) FROM customer AS c JOIN sale AS s ON s.customer_id = c.id GROUP BY c.name", "MIXED_UNITS", "s.currency"),
        ("SELECT SUM(t) FROM (SELECT total AS t FROM sale WHERE currency = 'CHF' UNION ALL SELECT total FROM sale WHERE currency = 'EUR') AS x", "MIXED_UNITS", "total"),
    ],
    "cut": [
        ("SELECT SUM(total) FROM (SELECT * FROM sale WHERE currency = 'CHF' LIMIT 2) AS t", "RESULT_TRUNCATED", "WHERE currency = 'CHF')"),
        ("WITH t AS (SELECT id FROM sale LIMIT 3) SELECT COUNT(*) FROM t", "RESULT_TRUNCATED", "LIMIT"),
        ("SELECT MAX(total) FROM (SELECT total FROM sale LIMIT 2) AS t", "RESULT_TRUNCATED", "LIMIT"),
    ],
    "grouping": [
        ("SELECT name, region, COUNT(*) FROM customer GROUP BY region", "AMBIGUOUS_GRAIN", "GROUP BY region, name"),
        ("SELECT product, pieces FROM line GROUP BY product", "AMBIGUOUS_GRAIN", "pieces"),
        ("SELECT name FROM customer WHERE id = (SELECT customer_id FROM sale)", "AMBIGUOUS_GRAIN", "id IN (SELECT"),
        ("SELECT product FROM line WHERE SUM(pieces) > 2 GROUP BY product", "INVALID_AGGREGATE_TARGET", "HAVING"),
    ],
    "figures of the SQL itself": [
        ("SELECT 152400 AS revenue, name FROM customer", "UNSAFE_SQL", "revenue"),
        ("SELECT 'Alice' AS name FROM customer", "UNSAFE_SQL", "table"),
        ("SELECT 1", "UNSAFE_SQL", "table"),
    ],
}  # fmt: skip


def _cases(table: dict[str, list[Any]]) -> list[Any]:
    return [
        pytest.param(*case, id=f"{kind} {number}")
        for kind, cases in table.items()
        for number, case in enumerate(cases, 1)
    ]


@each(("sql", "code", "named"), _cases(TRAPS))
def test_a_trap_is_refused_with_a_useful_word(shop: SqlTools, sql: str, code: str, named: str) -> None:
    result = shop.call_sync("query", {"sql": sql})
    assert result.error_details is not None, result
    assert result.error_details.code == code, result.error_details
    said = f"{result.error_details.field} {result.error_details.suggestion} {result.error_details.hint}"
    assert named in said
    assert len(result.error_details.hint) <= 80


@each(("sql", "code", "named"), _cases(TRAPS))
def test_a_suggested_query_is_accepted_and_runs(shop: SqlTools, sql: str, code: str, named: str) -> None:
    suggestion = shop.call_sync("query", {"sql": sql}).error_details.suggestion or ""  # type: ignore[union-attr]
    if suggestion.startswith(("SELECT", "WITH")):
        again = shop.call_sync("query", {"sql": suggestion})
        assert again.success, (suggestion, again)


LATEST = "SELECT product, MAX(month) AS month FROM stock WHERE year = 2025 GROUP BY product"
NEIGHBOURS: dict[str, list[Any]] = {
    "semi-additive": [
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025 AND month = 2", [55]),
        ("SELECT SUM(pieces) FROM stock WHERE (year, month) = (2025, 2)", [55]),
        ("SELECT SUM(pieces) FROM stock WHERE (year, month) IN ((2025, 2))", [55]),
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025 AND month + 1 = 3", [55]),
        ("SELECT SUM(pieces) FROM stock WHERE 2025 = year AND month IN (2)", [55]),
        ("SELECT year, month, SUM(pieces) FROM stock GROUP BY year, month ORDER BY 1, 2", [55, 55, 55]),
        ("SELECT SUM(pieces) FILTER (WHERE month = 1) FROM stock WHERE year = 2025", [55]),
        ("SELECT SUM(CASE WHEN month = 1 THEN pieces ELSE 0 END) FROM stock WHERE year = 2025", [55]),
        ("SELECT SUM(CASE WHEN month = 2 THEN pieces WHEN month = 1 THEN -pieces END) FROM stock WHERE year = 2025", [0]),
        ("SELECT SUM(CASE month WHEN 2 THEN pieces END) - SUM(CASE month WHEN 1 THEN pieces END) FROM stock WHERE year = 2025 AND product = 'ski'", [5]),
        ("SELECT SUM(pieces) FROM (SELECT product, pieces FROM stock WHERE year = 2025 AND month = 2) AS t", [55]),
        ("SELECT SUM(p) FROM (SELECT product, SUM(pieces) AS p FROM stock WHERE year = 2025 AND month = 2 GROUP BY product) AS t", [55]),
        ("WITH m AS (SELECT * FROM stock) SELECT SUM(pieces) FROM m WHERE year = 2025 AND month = 2", [55]),
        ("SELECT month, SUM(pieces) FROM stock WHERE year = 2025 GROUP BY month HAVING SUM(pieces) > 10 ORDER BY SUM(pieces), month", [55, 55, 55]),
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025 AND month = (SELECT MAX(month) FROM stock WHERE year = 2025)", [55]),
        (f"SELECT SUM(s.pieces) FROM stock AS s JOIN ({LATEST}) AS m ON m.product = s.product AND m.month = s.month WHERE s.year = 2025", [55]),
        ("SELECT SUM(s.pieces) FROM stock AS s WHERE s.year = 2025 AND s.month = (SELECT MAX(t.month) FROM stock AS t WHERE t.product = s.product AND t.year = 2025)", [55]),
        ("SELECT SUM(pieces) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY product ORDER BY year DESC, month DESC) AS n FROM stock) AS t WHERE n = 1", [55]),
        ("SELECT SUM(pieces) FROM (SELECT * FROM stock QUALIFY ROW_NUMBER() OVER (PARTITION BY product ORDER BY year DESC, month DESC) = 1) AS t", [55]),
        ("SELECT SUM(pieces) FROM (SELECT *, RANK() OVER (ORDER BY year DESC, month DESC) AS n FROM stock) AS t WHERE n = 1", [55]),
        ("SELECT SUM(pieces) FROM (SELECT DISTINCT ON (product) product, pieces, year, month FROM stock ORDER BY product, year DESC, month DESC) AS t", [55]),
        ("WITH p AS (SELECT 2025 AS y, 2 AS m) SELECT SUM(s.pieces) FROM stock AS s CROSS JOIN p WHERE s.year = p.y AND s.month = p.m", [55]),
        ("SELECT kind, SUM(p) FROM (SELECT 'a' AS kind, pieces AS p FROM stock WHERE year = 2025 AND month = 1 UNION ALL SELECT 'b', pieces FROM stock WHERE year = 2025 AND month = 2) AS t GROUP BY kind ORDER BY kind", [55, 55]),
        ("SELECT b.pieces - a.pieces AS grown FROM stock AS a JOIN stock AS b ON b.product = a.product AND b.year = a.year WHERE a.year = 2025 AND a.month = 1 AND b.month = 2 ORDER BY a.product", [-5, 5]),
        ("SELECT SUM(b.pieces) - SUM(a.pieces) FROM stock AS a JOIN stock AS b USING (product, year) WHERE year = 2025 AND a.month = 1 AND b.month = 2", [0]),
        ("SELECT SUM(s.pieces) FROM stock AS s JOIN stock AS t ON t.product = s.product AND t.year = s.year AND t.month = s.month + 1 WHERE t.year = 2025 AND t.month = 2", [55]),
        ("SELECT SUM(pieces) OVER (PARTITION BY year, month) FROM stock WHERE product = 'ski' ORDER BY month", [25, 20, 25]),
        ("SELECT pieces - LAG(pieces) OVER (PARTITION BY product ORDER BY month) FROM stock WHERE year = 2025 AND month > 0 AND product = 'ski' ORDER BY month", [None, 5]),
        ("SELECT MAX(pieces) FROM stock", [35]),
        ("SELECT COUNT(*) FROM stock", [6]),
        ("SELECT product, MIN(pieces) FROM stock GROUP BY product ORDER BY product", [30, 20]),
        ("SELECT AVG(pieces) FROM stock WHERE year = 2025 AND month = 2", [D("27.5")]),
    ],
    "annual rows": [
        ("SELECT SUM(pieces) FROM stock WHERE year = 2025 AND month = 0", [55]),
        ("SELECT month, SUM(pieces) FROM stock WHERE year = 2025 AND month > 0 GROUP BY month ORDER BY month", [55, 55]),
        ("SELECT pieces FROM stock WHERE year = 2025 AND month = 0 AND product = 'ski'", [25]),
    ],
    "fan-out": [
        ("SELECT SUM(total) FROM sale WHERE currency = 'CHF'", [D("180.00")]),
        ("SELECT SUM(l.pieces) FROM sale AS s JOIN line AS l ON l.sale_id = s.id", [9]),
        ("SELECT l.product, SUM(l.pieces) FROM line AS l JOIN sale AS s ON s.id = l.sale_id GROUP BY l.product ORDER BY l.product", [4, 3, 2]),
        ("SELECT SUM(l.pieces * l.price) FROM line AS l JOIN sale AS s ON s.id = l.sale_id WHERE s.currency = 'CHF'", [D("180.00")]),
        ("SELECT SUM(total) FROM sale WHERE currency = 'CHF' AND id IN (SELECT sale_id FROM line WHERE product = 'ski')", [D("150.00")]),
        ("SELECT SUM(s.total) FROM sale AS s WHERE s.currency = 'CHF' AND EXISTS (SELECT 1 FROM line AS l WHERE l.sale_id = s.id AND l.product = 'ski')", [D("150.00")]),
        ("SELECT SUM(t) FROM (SELECT s.id, MAX(s.total) AS t FROM sale AS s JOIN line AS l ON l.sale_id = s.id WHERE s.currency = 'CHF' GROUP BY s.id) AS x", [D("180.00")]),
        ("SELECT SUM(s.total) FROM sale AS s JOIN (SELECT sale_id, SUM(pieces) AS n FROM line GROUP BY sale_id) AS l ON l.sale_id = s.id WHERE s.currency = 'CHF' AND l.n > 1", [D("130.00")]),
        ("SELECT SUM(s.total) FROM sale AS s JOIN (SELECT DISTINCT sale_id FROM line) AS l ON l.sale_id = s.id WHERE s.currency = 'CHF'", [D("180.00")]),
        ("SELECT c.region, SUM(s.total) FROM customer AS c JOIN sale AS s ON s.customer_id = c.id WHERE s.currency = 'CHF' GROUP BY c.region ORDER BY c.region", [D("150.00"), D("30.00")]),
        ("SELECT COUNT(*) AS lines FROM sale AS s JOIN line AS l ON l.sale_id = s.id", [5]),
        ("SELECT COUNT(l.id) FROM sale AS s JOIN line AS l ON l.sale_id = s.id", [5]),
        ("SELECT COUNT(DISTINCT s.id) FROM sale AS s JOIN line AS l ON l.sale_id = s.id", [4]),
        ("SELECT MAX(s.total) FROM sale AS s JOIN line AS l ON l.sale_id = s.id", [D("100.00")]),
        ("SELECT c.name, (SELECT SUM(s.total) FROM sale AS s WHERE s.customer_id = c.id AND s.currency = 'CHF') FROM customer AS c ORDER BY c.id", [D("150.00"), None, D("30.00")]),
        ("SELECT c.name, COUNT(s.id) FROM customer AS c LEFT JOIN sale AS s ON s.customer_id = c.id GROUP BY c.name ORDER BY c.name", [2, 1, 1]),
    ],
    "chasm": [
        ("WITH l AS (SELECT sale_id, SUM(pieces) AS n FROM line GROUP BY sale_id), p AS (SELECT sale_id, SUM(amount) AS a FROM payment GROUP BY sale_id) SELECT SUM(l.n), SUM(p.a) FROM sale AS s LEFT JOIN l ON l.sale_id = s.id LEFT JOIN p ON p.sale_id = s.id", [D("220.00")]),
        ("WITH l AS (SELECT sale_id, SUM(pieces) AS n FROM line GROUP BY sale_id), p AS (SELECT sale_id, SUM(amount) AS a FROM payment GROUP BY sale_id) SELECT l.n, p.a FROM l JOIN p ON p.sale_id = l.sale_id ORDER BY l.sale_id", [D("100.00"), D("50.00"), D("70.00")]),
        ("SELECT (SELECT SUM(pieces) FROM line) AS n, (SELECT SUM(amount) FROM payment) AS a", [D("220.00")]),
        ("SELECT 'pieces' AS what, SUM(pieces) AS n FROM line UNION ALL SELECT 'payments', SUM(amount) FROM payment ORDER BY what DESC", [D("9"), D("220.00")]),
        ("SELECT COUNT(DISTINCT l.id) FROM sale AS s JOIN line AS l ON l.sale_id = s.id JOIN payment AS p ON p.sale_id = s.id", [4]),
    ],
    "joins": [
        ("SELECT c.name, s.total FROM customer AS c, sale AS s WHERE s.customer_id = c.id ORDER BY s.id", [D("100.00"), D("50.00"), D("70.00"), D("30.00")]),
        ("SELECT l.pieces FROM line AS l JOIN sale AS s ON s.id = l.sale_id JOIN customer AS c ON c.id = s.customer_id WHERE c.name = 'Alpina AG' ORDER BY l.id", [1, 2, 1]),
        ("WITH a AS (SELECT product, SUM(pieces) AS sold FROM line GROUP BY product), b AS (SELECT product, pieces AS kept FROM stock WHERE year = 2025 AND month = 0) SELECT a.product, a.sold * 100 + b.kept FROM a JOIN b ON b.product = a.product ORDER BY 1", [430, 225]),
        ("SELECT total * 100 / t.everything FROM sale CROSS JOIN (SELECT SUM(total) AS everything FROM sale WHERE currency = 'EUR') AS t WHERE currency = 'EUR'", [100]),
    ],
    "misspelt": [
        ("SELECT TOTAL FROM Sale WHERE ID = 1", [D("100.00")]),
        ('SELECT "total" FROM "sale" AS "S" WHERE "S"."id" = 1', [D("100.00")]),
        ("SELECT sale.id FROM sale JOIN line ON line.sale_id = sale.id WHERE product = 'pole'", [4]),
        ("SELECT t.revenue FROM (SELECT total AS revenue, id FROM sale) AS t WHERE t.id = 1", [D("100.00")]),
    ],
    "identifiers": [
        ("SELECT COUNT(id) FROM sale", [4]),
        ("SELECT MAX(id) FROM sale", [4]),
        ("SELECT COUNT(DISTINCT customer_id) FROM sale", [3]),
        ("SELECT MAX(price) FROM line", [D("60.00")]),
        ("SELECT SUM(price * pieces) FROM line WHERE product = 'ski'", [D("110.00")]),
        ("SELECT SUM(n) FROM (SELECT product, COUNT(*) AS n FROM line GROUP BY product) AS t", [5]),
        ("SELECT AVG(n) FROM (SELECT sale_id, SUM(pieces) AS n FROM line GROUP BY sale_id) AS t", [D("2.25")]),
        ("SELECT SUM(CASE WHEN pieces > 1 THEN 1 ELSE 0 END) FROM line", [3]),
        ("SELECT SUM(n) FROM (SELECT customer_id, COUNT(DISTINCT id) AS n FROM sale GROUP BY customer_id) AS t", [4]),
    ],
    "literals": [
        ("SELECT COUNT(*) FROM customer WHERE region = 'Nord'", [2]),
        ("SELECT COUNT(*) FROM customer WHERE region IN ('Nord', 'West')", [3]),
        ("SELECT COUNT(*) FROM customer WHERE region <> 'Nord'", [1]),
        ("SELECT COUNT(*) FROM customer WHERE LOWER(region) = 'nord'", [2]),
        ("SELECT COUNT(*) FROM customer WHERE region LIKE 'N%'", [2]),
        ("SELECT COUNT(*) FROM customer WHERE name LIKE '%AG' AND NOT name LIKE 'B%'", [1]),
        ("SELECT COUNT(*) FROM customer WHERE region IS NOT NULL", [3]),
        ("SELECT COUNT(*) FROM sale WHERE sold_on BETWEEN '2025-01-01' AND '2025-01-31'", [1]),
        ("SELECT COUNT(*) FROM sale WHERE sold_on >= DATE '2025-02-01'", [2]),
        ("SELECT name FROM customer WHERE name = 'Cité SA'", ["Cité SA"]),
        ("SELECT c.name, s.total FROM customer AS c JOIN sale AS s ON c.id = s.id ORDER BY s.id", [D("100.00"), D("50.00"), D("70.00")]),
    ],
    "currencies": [
        ("SELECT currency, SUM(total) FROM sale GROUP BY currency ORDER BY currency", [D("180.00"), D("70.00")]),
        ("SELECT AVG(total) FROM sale WHERE currency = 'CHF'", [D("60.00")]),
        ("SELECT SUM(t) FROM (SELECT currency, SUM(total) AS t FROM sale GROUP BY currency) AS x WHERE currency = 'CHF'", [D("180.00")]),
        ("SELECT SUM(CASE WHEN currency = 'CHF' THEN total END), SUM(CASE WHEN currency = 'EUR' THEN total END) FROM sale", [D("70.00")]),
        ("SELECT MAX(total) FROM sale", [D("100.00")]),
        ("SELECT COUNT(*) FROM sale", [4]),
        ("SELECT c, SUM(t) FROM (SELECT currency AS c, total AS t FROM sale WHERE currency = 'CHF' UNION ALL SELECT currency, total FROM sale WHERE currency = 'EUR') AS x GROUP BY c ORDER BY c", [D("180.00"), D("70.00")]),
    ],
    "cut": [
        ("SELECT SUM(total) FROM (SELECT total FROM sale WHERE currency = 'CHF' ORDER BY total DESC LIMIT 2) AS t", [D("150.00")]),
        ("SELECT total FROM sale ORDER BY total DESC LIMIT 2", [D("100.00"), D("70.00")]),
        ("SELECT name FROM customer WHERE id = (SELECT customer_id FROM sale ORDER BY total DESC LIMIT 1)", ["Alpina AG"]),
        ("SELECT total FROM sale ORDER BY total OFFSET 3", [D("100.00")]),
    ],
    "grouping": [
        ("SELECT region, COUNT(*) FROM customer GROUP BY 1 ORDER BY 2 DESC", [2, 1]),
        ("SELECT region AS r, COUNT(*) AS n FROM customer GROUP BY r HAVING n > 1", [2]),
        ("SELECT region, COUNT(*) FROM customer GROUP BY ALL ORDER BY region", [2, 1]),
        ("SELECT COUNT(*) FROM customer HAVING COUNT(*) > 1", [3]),
        ("SELECT EXTRACT(YEAR FROM sold_on) AS y, COUNT(*) AS n FROM sale GROUP BY y ORDER BY y", [1, 3]),
        ("SELECT DISTINCT region FROM customer ORDER BY region", ["Nord", "West"]),
    ],
}  # fmt: skip


def test_a_text_in_double_quotes_is_a_text_only_where_the_engine_takes_it_for_one(shop: SqlTools) -> None:
    found = shop.call_sync("query", {"sql": 'SELECT name FROM customer WHERE region = "Nord" ORDER BY name'})
    if shop.source.dialect == "sqlite":
        assert isinstance(found.data, TableData), found
        assert [row["name"] for row in found.data.rows] == ["Alpina AG", "Bergbau AG"]
    else:
        assert found.error_details is not None
        assert (found.error_details.code, found.error_details.field) == ("FIELD_NOT_FOUND", "Nord")
        assert "'Nord'" in (found.error_details.suggestion or "")


@each(("sql", "figures"), _cases(NEIGHBOURS))
def test_its_right_neighbours_are_accepted_and_right(shop: SqlTools, sql: str, figures: list[Any]) -> None:
    result = shop.call_sync("execute_sql_safe", {"sql": sql})
    assert isinstance(result.data, TableData), (result.error, result.error_details)
    last = result.data.columns[-1].name
    found = [row[last] for row in result.data.rows]
    assert [D(str(cell)) if isinstance(cell, float) else cell for cell in found] == figures


def test_every_trap_has_three_right_neighbours() -> None:
    assert {kind: len(NEIGHBOURS[kind]) >= 3 for kind in TRAPS if kind in NEIGHBOURS} == dict.fromkeys(NEIGHBOURS, True)
    assert set(TRAPS) - set(NEIGHBOURS) == {"figures of the SQL itself"}


def test_what_runs_means_what_was_written(tmp_path: Path) -> None:
    path = build("duckdb", DATA, tmp_path, lambda: "", name="shop")
    copy = shutil.copy(path, tmp_path / "copy.duckdb")
    tools = SqlTools(open_tables(path, ontology=ONTOLOGY))
    with duckdb.connect(str(copy), read_only=True) as connection:
        for sql in (case[0] for cases in NEIGHBOURS.values() for case in cases):
            result = tools.call_sync("query", {"sql": sql})
            assert result.table is not None, sql
            ours = sorted(str([_plain(cell) for cell in row.values()]) for row in result.table.rows)
            theirs = sorted(str([_plain(cell) for cell in row]) for row in connection.execute(sql).fetchall())
            assert ours == theirs, sql
    tools.close()


def _plain(cell: Any) -> Any:
    return round(float(cell), 6) if isinstance(cell, int | float | Decimal) else cell


ORDINARY = [
    "SELECT bookingMonth, SUM(creditAmount - debitAmount) AS revenue FROM TrusteeLedgerLine WHERE accountClass='revenue' AND bookingYear=2024 AND currency='CHF' GROUP BY bookingMonth ORDER BY bookingMonth",
    "WITH m AS (SELECT bookingMonth, SUM(netAmount) AS n FROM TrusteeLedgerLine WHERE accountClass='expense' AND bookingYear=2024 AND currency='CHF' GROUP BY bookingMonth) SELECT bookingMonth, n, n - LAG(n) OVER (ORDER BY bookingMonth) AS change FROM m ORDER BY bookingMonth",
    "SELECT costCenter, SUM(netAmount) AS total, ROUND(100.0 * SUM(netAmount) / SUM(SUM(netAmount)) OVER (), 1) AS pct FROM TrusteeLedgerLine WHERE accountClass='expense' AND bookingYear=2024 AND currency='CHF' GROUP BY costCenter ORDER BY total DESC",
    "SELECT contactName, SUM(creditAmount) AS turnover FROM TrusteeLedgerLine WHERE accountClass='revenue' AND currency='CHF' AND contactType='customer' GROUP BY contactName ORDER BY turnover DESC LIMIT 5",
    'SELECT a.accountNumber, a.label FROM TrusteeDataAccount a LEFT JOIN TrusteeDataJournalLine l ON l.accountNumber=a.accountNumber WHERE l.id IS NULL',
    'SELECT a.accountNumber, COUNT(l.id) AS n FROM TrusteeDataAccount a LEFT JOIN TrusteeDataJournalLine l ON l.accountNumber=a.accountNumber GROUP BY a.accountNumber ORDER BY n DESC LIMIT 3',
    'SELECT name FROM TrusteeDataContact WHERE id NOT IN (SELECT contactId FROM TrusteeDataJournalEntry WHERE contactId IS NOT NULL)',
    'SELECT name FROM TrusteeDataContact c WHERE NOT EXISTS (SELECT 1 FROM TrusteeDataJournalEntry e WHERE e.contactId = c.id)',
    "SELECT entryNumber, totalAmount FROM TrusteeDataJournalEntry WHERE totalAmount = (SELECT MAX(totalAmount) FROM TrusteeDataJournalEntry WHERE currency='CHF') AND currency='CHF'",
    "SELECT entryNumber, totalAmount FROM TrusteeDataJournalEntry WHERE totalAmount > (SELECT AVG(totalAmount) FROM TrusteeDataJournalEntry WHERE currency='CHF') AND currency='CHF' ORDER BY totalAmount DESC LIMIT 3",
    'SELECT cur.accountNumber, cur.closingBalance, prev.closingBalance AS prev, cur.closingBalance - prev.closingBalance AS diff FROM TrusteeDataAccountBalance cur JOIN TrusteeDataAccountBalance prev ON prev.accountNumber=cur.accountNumber AND prev.periodYear=cur.periodYear-1 AND prev.periodMonth=cur.periodMonth WHERE cur.periodYear=2024 AND cur.periodMonth=0 ORDER BY diff DESC LIMIT 3',
    'SELECT accountNumber, MAX(CASE WHEN periodYear=2024 THEN closingBalance END) AS y24, MAX(CASE WHEN periodYear=2023 THEN closingBalance END) AS y23 FROM TrusteeDataAccountBalance WHERE periodMonth=0 AND periodYear IN (2023,2024) GROUP BY accountNumber ORDER BY 1 LIMIT 2',
    "SELECT periodMonth, closingBalance FROM TrusteeDataAccountBalance WHERE accountNumber='1020' AND periodYear=2024 AND periodMonth<>0 ORDER BY periodMonth",
    "SELECT label, closingBalance FROM TrusteeBalanceByAccount WHERE accountClass='asset' AND periodYear=2024 AND periodMonth=0 AND closingBalance<>0 ORDER BY closingBalance DESC",
    'SELECT COUNT(DISTINCT contactId) FROM TrusteeDataJournalEntry WHERE bookingDate>=1704067200',
    'SELECT EXTRACT(YEAR FROM to_timestamp(bookingDate)) AS y, currency, COUNT(*) AS n, SUM(totalAmount) AS s FROM TrusteeDataJournalEntry GROUP BY y, currency ORDER BY y, currency LIMIT 4',
    "SELECT date_trunc('month', to_timestamp(bookingDate)) AS m, COUNT(*) FROM TrusteeDataJournalEntry GROUP BY 1 ORDER BY 1 LIMIT 2",
    "SELECT taxCode, SUM(debitAmount) FROM TrusteeDataJournalLine WHERE taxCode IS NOT NULL AND accountNumber='6000' GROUP BY taxCode",
    "SELECT e.entryNumber, l.accountNumber, l.debitAmount, l.creditAmount FROM TrusteeDataJournalEntry e JOIN TrusteeDataJournalLine l ON l.journalEntryId=e.id WHERE e.entryNumber='2024-00042' ORDER BY l.id",
    "SELECT l.accountNumber, a.label, SUM(l.debitAmount) AS d FROM TrusteeDataJournalLine l JOIN TrusteeDataAccount a ON a.accountNumber=l.accountNumber JOIN TrusteeDataJournalEntry e ON e.id=l.journalEntryId WHERE e.currency='CHF' AND e.bookingDate BETWEEN 1704067200 AND 1735689599 GROUP BY l.accountNumber, a.label ORDER BY d DESC LIMIT 3",
    "SELECT city, COUNT(*) AS n FROM TrusteeDataContact WHERE country='CH' GROUP BY city HAVING COUNT(*)>1 ORDER BY n DESC, city",
    'SELECT contactType, city, ROW_NUMBER() OVER (PARTITION BY contactType ORDER BY name) AS r FROM TrusteeDataContact ORDER BY contactType, r LIMIT 3',
    "SELECT * FROM (SELECT contactName, currency, SUM(netAmount) AS s, RANK() OVER (PARTITION BY currency ORDER BY SUM(netAmount) DESC) AS r FROM TrusteeLedgerLine WHERE accountClass='expense' GROUP BY contactName, currency) t WHERE r<=2 ORDER BY currency, r",
    'SELECT UPPER(SUBSTR(name,1,1)) AS initial, COUNT(*) FROM TrusteeDataContact GROUP BY initial ORDER BY 2 DESC LIMIT 3',
    "SELECT name, email FROM TrusteeDataContact WHERE email ILIKE '%@gmail%' OR name ILIKE 'a%' LIMIT 2",
    'SELECT accountClass, COUNT(*) FROM TrusteeDataAccount WHERE isActive = true GROUP BY accountClass',
    'SELECT AVG(n) FROM (SELECT contactId, COUNT(*) AS n FROM TrusteeDataJournalEntry GROUP BY contactId) t',
    'SELECT MIN(bookingDate), MAX(bookingDate) FROM TrusteeDataJournalEntry',
    "SELECT currency, SUM(totalAmount) FROM TrusteeDataJournalEntry WHERE bookingDate >= EXTRACT(EPOCH FROM DATE '2024-01-01') GROUP BY currency",
    "SELECT a.label, SUM(CASE WHEN l.bookingYear=2024 THEN l.netAmount ELSE 0 END) AS y24, SUM(CASE WHEN l.bookingYear=2023 THEN l.netAmount ELSE 0 END) AS y23 FROM TrusteeLedgerLine l JOIN TrusteeDataAccount a ON a.accountNumber=l.accountNumber WHERE l.accountClass='expense' AND l.currency='CHF' GROUP BY a.label ORDER BY y24 DESC LIMIT 3",
    "SELECT SUM(debitAmount) - SUM(creditAmount) AS diff FROM TrusteeLedgerLine WHERE currency='CHF' AND bookingYear=2024",
    "SELECT accountNumber, closingBalance FROM TrusteeDataAccountBalance b WHERE periodYear = (SELECT MAX(periodYear) FROM TrusteeDataAccountBalance) AND periodMonth = 0 AND accountNumber LIKE '10%'",
    "SELECT accountNumber, closingBalance FROM TrusteeDataAccountBalance b WHERE periodYear = (SELECT MAX(periodYear) FROM TrusteeDataAccountBalance WHERE periodMonth = 0) AND periodMonth = 0 AND accountNumber LIKE '10%'",
    "SELECT b.accountNumber, b.closingBalance FROM TrusteeDataAccountBalance b, TrusteeDataAccount a WHERE a.accountNumber = b.accountNumber AND a.accountClass = 'asset' AND b.periodYear = 2024 AND b.periodMonth = 12 LIMIT 2",
    'SELECT c.name, COUNT(*) AS invoices FROM TrusteeDataJournalEntry e JOIN TrusteeDataContact c ON c.id = e.contactId GROUP BY c.name ORDER BY invoices DESC LIMIT 3',
    "SELECT MEDIAN(totalAmount) FROM TrusteeDataJournalEntry WHERE currency='CHF'",
    "SELECT STRING_AGG(name, ', ') FROM TrusteeDataContact WHERE city='Bern'",
    "SELECT CASE WHEN totalAmount < 1000 THEN 'small' WHEN totalAmount < 10000 THEN 'medium' ELSE 'large' END AS size, COUNT(*) FROM TrusteeDataJournalEntry WHERE currency='CHF' GROUP BY 1",
    "SELECT debitTotal - creditTotal AS movement FROM TrusteeDataAccountBalance WHERE accountNumber='1020' AND periodYear=2024 AND periodMonth=6",
    'SELECT contactCity, COUNT(*) FROM TrusteeEntryWithContact WHERE bookingYear = 2024 GROUP BY contactCity ORDER BY 2 DESC LIMIT 2',
    'SELECT bookingYear, bookingMonth, currency, SUM(totalAmount) FROM TrusteeEntryWithContact GROUP BY bookingYear, bookingMonth, currency ORDER BY 1,2,3 LIMIT 2',
    "SELECT accountNumber, SUM(debitAmount) OVER (PARTITION BY accountNumber ORDER BY bookingDate ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running FROM TrusteeLedgerLine WHERE accountNumber='1020' AND bookingYear=2024 ORDER BY bookingDate LIMIT 2",
]  # fmt: skip


@each("sql", ORDINARY)
def test_an_ordinary_question_to_the_ledger_is_not_refused(trustee: TableTools, sql: str) -> None:
    result = SqlTools(trustee).call_sync("query", {"sql": sql})
    assert result.success, result
