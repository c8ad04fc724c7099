"""Raw SQL: one case file per check (tests/cases/sql_*.yaml), exact figures on every engine, and what is told of a result."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from sql_writer import WEIGHED, Weights, Writer, build_weighed
from traps import ONTOLOGY
from traps import build as build_traps
from veracity.contracts import QueryValidationError, TableData
from veracity.errors import QueryFailed
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.query.sqlcheck import CheckedSql, SqlReading, check_sql
from veracity.query.sqlcheck.lineage import read_lineage
from veracity.query.sqlcheck.model import Findings
from veracity.query.sqlcheck.names import bind_names
from veracity.query.sqlcheck.refusal import number_nodes
from veracity.query.sqlcheck.rules import CHECKS
from veracity.query.sqlcheck.safety import parse
from veracity.sources.source import ColumnType
from veracity.tools.open import open_tables
from veracity.tools.sql import SqlTools
from veracity.tools.tables import TableTools

CASES = sorted((Path(__file__).parent / "cases").glob("sql_*.yaml"))
D = Decimal


def load_cases() -> Iterator[Any]:
    for path in CASES:
        for case in read_yaml(path):
            yield pytest.param(path.stem.removeprefix("sql_"), case, id=f"{path.stem}: {case['why']}")


@pytest.fixture(scope="module")
def tools(ledger: Path, trustee: TableTools, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, SqlTools]]:
    folder = tmp_path_factory.mktemp("sqlcheck")
    with duckdb.connect(str(folder / "odd.duckdb")) as connection:
        connection.execute("CREATE TABLE odd (name VARCHAR, day DATE, tags VARCHAR[], parts STRUCT(a INTEGER))")
    shop = build_traps(folder / "shop.duckdb")
    opened = {
        "shop": open_tables(shop, ontology=ONTOLOGY),
        "bare": open_tables(shop),
        "conventions": open_tables(ledger, feature="trustee", use_ontology=False),
        "odd": open_tables(folder / "odd.duckdb"),
    }
    yield {name: SqlTools(tables) for name, tables in {**opened, "trustee": trustee}.items()}
    for tables in opened.values():
        tables.close()


def test_every_check_has_a_case_file_with_both_outcomes() -> None:
    assert {path.stem.removeprefix("sql_") for path in CASES} == {check.__name__ for check in CHECKS}
    for path in CASES:
        outcomes = {"refused" in case for case in read_yaml(path)}
        assert outcomes == {True, False}, path.name


@pytest.mark.long
@each(("check", "case"), list(load_cases()))
def test_case(check: str, case: dict[str, Any], tools: dict[str, SqlTools]) -> None:
    used, sql = tools[case.get("using", "shop")], case["sql"]
    asyncio.run(used.dry_run("query", {"sql": sql}))  # loads the stored values the checks ask for
    outcome = check_sql(sql, used.catalog, used.source, used.profile, row_limit=10)
    if "refused" not in case:
        assert isinstance(outcome, CheckedSql), outcome
        assert used.call_sync("query", {"sql": sql}).success
        return
    assert isinstance(outcome, QueryValidationError), outcome
    expected = dict(case["refused"])
    assert expected.pop("hint", "") in outcome.hint
    assert {key: getattr(outcome, key) for key in expected} == expected
    assert deciding(sql, used) == check


def deciding(sql: str, used: SqlTools) -> str:
    """The check that refuses some SQL."""
    tree = parse(sql, used.source.dialect)
    number_nodes(tree)
    bind_names(tree, used.catalog)
    found = Findings(*read_lineage(tree, used.catalog, used.source.dialect), used.catalog, used.profile)
    return next(check.__name__ for check in CHECKS if check(found))


# --- what runs


def checked(sql: str, used: SqlTools) -> CheckedSql:
    found = check_sql(sql, used.catalog, used.source, used.profile, row_limit=10)
    assert isinstance(found, CheckedSql), found
    return found


def test_what_runs_is_our_own_text_with_the_scope_bound_and_the_limit_set(tools: dict[str, SqlTools]) -> None:
    found = checked("select LABEL -- the name\n from trusteedataaccount where accountnumber = '1020'", tools["trustee"])
    assert found.sql == (
        'SELECT "TrusteeDataAccount"."label" AS "label" FROM "TrusteeDataAccount" AS "TrusteeDataAccount"'
        ' WHERE "TrusteeDataAccount"."accountNumber" = \'1020\''
    )
    assert '"mandateId" = $1 AND "featureInstanceId" = $2' in found.statement.sql
    assert found.statement.sql.endswith(" LIMIT 11")
    assert len(found.statement.parameters) == 2
    assert "the name" not in found.statement.sql


def test_every_reading_of_a_table_is_scoped(tools: dict[str, SqlTools]) -> None:
    sql = (
        "WITH a AS (SELECT id FROM TrusteeDataContact) SELECT COUNT(*) FROM a WHERE id IN (SELECT contactId FROM "
        "TrusteeEntryWithContact JOIN TrusteeDataJournalEntry ON entryId = id) AND EXISTS (SELECT 1 FROM a AS b WHERE b.id = a.id)"
    )
    found = checked(sql, tools["trustee"])
    tables = found.statement.sql.count('"main"."Trustee')
    assert (tables, len(found.statement.parameters)) == (4, 8)


def test_an_outer_alias_is_never_captured_by_an_inner_one(tools: dict[str, SqlTools]) -> None:
    sql = "SELECT s.id FROM sale AS s WHERE EXISTS (SELECT 1 FROM line AS s WHERE s.sale_id = total)"
    found = checked(sql, tools["shop"])
    assert '"s_2"."sale_id" = "s"."total"' in found.sql


def test_null_stands_where_the_engine_puts_it_or_where_the_sql_says(shop: TableTools) -> None:
    used = SqlTools(shop)
    first = {("sqlite", "ASC"), ("postgres", "DESC")}
    for direction in ("ASC", "DESC"):
        rows = table(used, f"SELECT id, amount FROM Sale ORDER BY amount {direction}").rows
        at = 0 if (shop.source.dialect, direction) in first else -1
        assert rows[at]["amount"] is None
        for said, where in (("FIRST", 0), ("LAST", -1)):
            rows = table(used, f"SELECT id, amount FROM Sale ORDER BY amount {direction} NULLS {said}").rows
            assert rows[where]["amount"] is None


def table(used: SqlTools, sql: str, **more: Any) -> TableData:
    result = used.call_sync("execute_sql_safe", {"sql": sql, **more})
    assert isinstance(result.data, TableData), result
    return result.data


# --- exact figures

SAME = [
    ("SUM", "amount", []),
    ("SUM", "amount", ["region"]),
    ("AVG", "amount", []),
    ("AVG", "amount", ["region"]),
    ("AVG", "pieces", []),
    ("SUM", "pieces", ["paid"]),
    ("MIN", "amount", []),
    ("MAX", "soldOn", ["region"]),
    ("MAX", "soldAt", []),
    ("COUNT", None, []),
    ("COUNT", "note", []),
    ("COUNT_DISTINCT", "region", []),
    ("SUM", "weight", []),
]


@pytest.mark.parametrize(("kind", "field", "groups"), SAME)
def test_a_figure_is_the_same_through_both_tools(
    shop: TableTools, kind: str, field: str | None, groups: list[str]
) -> None:
    used = SqlTools(shop)
    arguments = {"tableName": "Sale", "aggregate": kind, "field": field, "groupBy": groups}
    structured = shop.call_sync("aggregateTable", arguments).data
    assert isinstance(structured, TableData)
    target = f'"{field}"' if field else "*"
    figure = f"COUNT(DISTINCT {target})" if kind == "COUNT_DISTINCT" else f"{kind}({target})"
    keys = ", ".join(f'"{name}"' for name in groups)
    sql = f'SELECT {f"{keys}, " if keys else ""}{figure} FROM "Sale"' + (
        f" GROUP BY {keys} ORDER BY {keys.replace(',', ' NULLS LAST,')} NULLS LAST" if keys else ""
    )
    raw = table(used, sql)
    assert raw.rows == structured.rows
    assert raw.columns == structured.columns


def test_sums_are_exact_wherever_they_stand(shop: TableTools) -> None:
    used = SqlTools(shop)
    for sql, figures in {
        "SELECT SUM(amount) FROM Sale": ["30.60"],
        "SELECT SUM(amount) AS s FROM Sale HAVING SUM(amount) = 30.60": ["30.60"],
        "SELECT SUM(t.s) FROM (SELECT region, SUM(amount) AS s FROM Sale GROUP BY region) AS t": ["30.60"],
        "SELECT SUM(amount * 3) FROM Sale": ["91.80"],
        "SELECT SUM(amount) * 3 AS x FROM Sale": ["91.80"],
        "SELECT SUM(amount) + 0.1 AS x FROM Sale": ["30.70"],
        "SELECT amount + amount + amount AS x FROM Sale WHERE id = 3": ["0.30"],
        "SELECT region, SUM(amount) AS s FROM Sale GROUP BY region ORDER BY s DESC NULLS LAST": ["30.30", "0.30", None],
        "SELECT SUM(CASE WHEN region = 'Süd' THEN amount ELSE 0 END) FROM Sale": ["0.30"],
        "SELECT SUM(amount) FILTER (WHERE region = 'Süd') FROM Sale": ["0.30"],
        "SELECT (SELECT SUM(amount) FROM Sale WHERE region = 'Süd') AS x FROM Sale WHERE id = 1": ["0.30"],
        "SELECT SUM(amount) AS s FROM Sale WHERE region = 'Süd' UNION ALL SELECT SUM(amount) FROM Sale WHERE id < 3 ORDER BY 1": [
            "0.30",
            "30.30",
        ],
        "SELECT MAX(amount) - MIN(amount) AS x FROM Sale WHERE id < 3": ["10.10"],
        "SELECT SUM(amount) OVER (PARTITION BY region) AS s FROM Sale WHERE region = 'Süd'": ["0.30", "0.30"],
    }.items():
        rows = table(used, sql).rows
        found = [list(row.values())[-1] for row in rows]
        assert [None if cell is None else str(cell) for cell in found] == figures, sql


def test_dates_times_and_truths_read_alike(shop: TableTools) -> None:
    used = SqlTools(shop)
    for sql, cells in {
        "SELECT soldOn FROM Sale WHERE soldOn = '2025-01-31'": [date(2025, 1, 31)],
        "SELECT id FROM Sale WHERE soldOn >= '2025-02-01' ORDER BY id": [2, 5],
        "SELECT soldAt FROM Sale WHERE soldAt = '2025-01-31 10:00:00'": [datetime(2025, 1, 31, 10)],
        "SELECT id FROM Sale WHERE soldAt >= '2025-02-01' ORDER BY id": [2, 5],
        "SELECT id FROM Sale WHERE soldAt BETWEEN '2024-12-31 23:59:59' AND '2025-01-31 10:00:00' ORDER BY id": [1, 4],
        "SELECT id FROM Sale WHERE paid ORDER BY id": [1, 4, 5],
        "SELECT id FROM Sale WHERE paid = FALSE": [2],
        "SELECT id FROM Sale WHERE NOT paid": [2],
        "SELECT paid FROM Sale WHERE id = 3": [None],
        "SELECT EXTRACT(YEAR FROM soldOn) AS y FROM Sale WHERE id < 4 ORDER BY id": [2025, 2025, 2024],
        "SELECT EXTRACT(QUARTER FROM soldOn) AS q FROM Sale WHERE id < 4 ORDER BY id": [1, 1, 4],
        "SELECT COUNT(*) AS n FROM Sale GROUP BY EXTRACT(MONTH FROM soldOn) ORDER BY n DESC LIMIT 1": [1],
        "SELECT ROUND(weight, 1) AS w FROM Sale WHERE id < 3 ORDER BY id": [1.5, 2.5],
        "SELECT soldOn - DATE '2025-01-01' AS d FROM Sale WHERE id < 4 ORDER BY id": [30, 58, -1],
        "SELECT id FROM Sale WHERE soldOn >= DATE '2025-01-01' + INTERVAL '1 month' ORDER BY id": [2, 5],
        "SELECT DATE_TRUNC('month', soldOn) AS m FROM Sale WHERE id = 1": [date(2025, 1, 1)],
        "SELECT CAST(weight AS DECIMAL(10, 2)) AS w FROM Sale WHERE id = 1": [D("1.50")],
        "SELECT UPPER(region) AS r FROM Sale WHERE id = 1": ["NORD"],
        "SELECT region || '-' || note AS r FROM Sale WHERE id = 1": ["Nord-first"],
        "SELECT COALESCE(region, 'none') AS r FROM Sale WHERE id = 5": ["none"],
        "SELECT id FROM Sale WHERE note LIKE '%0_' OR note = '100%'": [4],
        "SELECT id FROM Sale WHERE region ILIKE 'n%' ORDER BY id": [1, 2],
    }.items():
        assert [list(row.values())[-1] for row in table(used, sql).rows] == cells, sql


def test_what_sqlite_stores_under_another_type_is_shown_and_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "odd.sqlite"
    with sqlite3.connect(path) as lite:
        lite.execute("CREATE TABLE odd (id INTEGER, day DATE, amount DECIMAL(10,2))")
        days = [(n, "2025-01-31", n) for n in range(1, 1002)]
        lite.executemany("INSERT INTO odd VALUES (?, ?, ?)", [*days, (2000, "someday", "many")])
    used = SqlTools(open_tables(path))
    assert table(used, "SELECT day, amount FROM odd WHERE id = 2000").rows == ({"day": "someday", "amount": "many"},)
    assert table(used, "SELECT COUNT(*) AS n FROM odd WHERE amount > 1000").rows == ({"n": 1},)
    assert table(used, "SELECT COUNT(*) AS n FROM odd WHERE day > '2025-01-01'").rows == ({"n": 1001},)
    used.close()


# --- what is told of a result


def test_columns_say_where_they_come_from(tools: dict[str, SqlTools]) -> None:
    sql = (
        "WITH t AS (SELECT c.region AS r, SUM(s.total) AS total, COUNT(*) AS n FROM sale AS s JOIN customer AS c ON c.id = s.customer_id"
        " WHERE s.currency = 'CHF' GROUP BY c.region) SELECT r, total, n, total / n AS mean, LOWER(r) AS low FROM t ORDER BY r DESC LIMIT 5"
    )
    found = checked(sql, tools["shop"])
    assert [(c.name, c.entity, c.field, c.aggregate) for c in found.columns] == [
        ("r", "customer", "region", None),
        ("total", "sale", "total", "SUM"),
        ("n", None, None, "COUNT"),
        ("mean", "sale", "total", "EXPRESSION"),
        ("low", "customer", "region", "EXPRESSION"),
    ]
    assert [(c.column.type, c.column.scale) for c in found.columns[:3]] == [
        (ColumnType.TEXT, None),
        (ColumnType.DECIMAL, 2),
        (ColumnType.INTEGER, None),
    ]
    assert found.entities == ("sale", "customer")
    assert [(c.entity, c.filter.field, c.filter.op, c.filter.value) for c in found.conditions] == [
        ("sale", "currency", "=", "CHF")
    ]
    assert (found.group_by, found.order_by) == ((("customer", "region"),), (("customer", "region", True),))
    assert (found.has_limit, found.limit, found.distinct) == (True, 5, False)


CONDITIONS = {
    "SELECT id FROM sale WHERE total > 5 AND 1 < id": [("sale", "total", ">", 5), ("sale", "id", ">", 1)],
    "SELECT id FROM sale WHERE id = 1 OR id = 2": [("sale", "id", "IN", (1, 2))],
    "SELECT id FROM sale WHERE id = 1 OR total = 2": [],
    "SELECT id FROM sale WHERE NOT id = 1 AND id NOT IN (2, 3)": [("sale", "id", "!=", 1), ("sale", "id", "!=", 2), ("sale", "id", "!=", 3)],
    "SELECT id FROM sale WHERE (id, customer_id) = (1, 2)": [("sale", "id", "=", 1), ("sale", "customer_id", "=", 2)],
    "SELECT x.i FROM (SELECT id AS i FROM sale) AS x WHERE x.i BETWEEN 1 AND 3": [("sale", "id", "BETWEEN", (1, 3))],
    "SELECT id FROM sale WHERE currency IS NOT NULL AND sold_on IS NULL": [("sale", "currency", "IS_NOT_NULL", None), ("sale", "sold_on", "IS_NULL", None)],
    "SELECT s.id FROM sale AS s LEFT JOIN customer AS c ON c.id = s.customer_id AND c.region = 'Nord' AND s.id = 1": [("customer", "region", "=", "Nord")],
    "SELECT id FROM sale WHERE customer_id IN (SELECT id FROM customer WHERE region = 'Nord')": [("customer", "region", "=", "Nord")],
    "SELECT id FROM sale WHERE customer_id NOT IN (SELECT id FROM customer WHERE region = 'Nord')": [],
    "SELECT id FROM sale WHERE id = 1 UNION ALL SELECT id FROM sale WHERE id = 2": [],
    "SELECT id FROM sale WHERE currency = 'CHF' AND id = 1 UNION ALL SELECT id FROM sale WHERE currency = 'CHF'": [("sale", "currency", "=", "CHF")],
    "SELECT CASE WHEN id = 1 THEN name END AS n FROM customer": [],
    "SELECT SUM(pieces) FROM line WHERE product LIKE 'b%' HAVING SUM(pieces) > 1": [("line", "product", "LIKE", "b%")],
    "SELECT name FROM customer WHERE LOWER(region) = 'nord'": [],
}  # fmt: skip


@each("sql", CONDITIONS)
def test_conditions_are_those_that_hold_for_every_row(sql: str, tools: dict[str, SqlTools]) -> None:
    found = checked(sql, tools["shop"]).conditions
    assert [(c.entity, c.filter.field, c.filter.op, c.filter.value) for c in found] == CONDITIONS[sql]


def test_a_figure_that_a_join_repeats_says_so(tools: dict[str, SqlTools]) -> None:
    joined = "FROM sale AS s JOIN line AS l ON l.sale_id = s.id"
    found = checked(f"SELECT s.total, l.pieces {joined}", tools["shop"])
    assert [column.repeats for column in found.columns] == [True, False]
    grouped = checked(f"SELECT s.id, MAX(s.total) AS t, SUM(l.pieces) AS p {joined} GROUP BY s.id", tools["shop"])
    assert [column.repeats for column in grouped.columns] == [False, False, False]


def test_a_limit_of_its_own_and_ours_are_told_apart(tools: dict[str, SqlTools]) -> None:
    used = tools["shop"]
    assert [table(used, f"SELECT id FROM sale ORDER BY id {end}").truncated for end in ("", "LIMIT 4", "LIMIT 3", "LIMIT 5", "OFFSET 1")] == [
        False, False, True, False, True,
    ]  # fmt: skip
    assert table(used, "SELECT id FROM sale LIMIT 3", limit=2).row_count == 2
    assert table(used, "SELECT id FROM sale LIMIT 0").rows == ()


def test_names_of_a_result_are_never_the_same(tools: dict[str, SqlTools]) -> None:
    data = table(
        tools["shop"],
        "SELECT s.id, l.id, COUNT(*), COUNT(*) FROM sale AS s JOIN line AS l ON l.sale_id = s.id GROUP BY 1, 2",
    )
    assert [column.name for column in data.columns] == ["id", "id_2", "count", "count_2"]


def test_the_fields_to_look_up_are_named(tools: dict[str, SqlTools]) -> None:
    used = tools["shop"]
    sql = "SELECT SUM(total) FROM sale AS s JOIN customer AS c ON c.id = s.customer_id WHERE LOWER(c.region) = 'x' AND c.name = 'y' AND s.id = 1"
    assert SqlReading(sql, used.catalog, used.source).profiled_fields() == [
        ("customer", "region", True),
        ("customer", "name", False),
        ("sale", "currency", True),
    ]
    assert SqlReading("DROP TABLE sale", used.catalog, used.source).profiled_fields() == []


def test_a_changed_rule_changes_what_raw_sql_may_do(tmp_path: Path) -> None:
    path = build_traps(tmp_path / "shop.duckdb")
    described = ONTOLOGY.model_dump(mode="json")
    price = next(f for e in described["entities"] if e["name"] == "line" for f in e["fields"] if f["name"] == "price")
    price["additivity"] = "ADDITIVE"
    used = SqlTools(open_tables(path, ontology=OntologyDescriptor.model_validate(described)))
    assert used.call_sync("query", {"sql": "SELECT SUM(price) FROM line"}).success
    used.close()


def test_a_check_is_quick(tools: dict[str, SqlTools]) -> None:
    from time import process_time

    used, sql = (
        tools["trustee"],
        "SELECT SUM(l.debitAmount) FROM TrusteeLedgerLine AS l WHERE l.currency = 'CHF' AND l.bookingYear = 2024",
    )
    checked(sql, used)
    started = process_time()
    for _ in range(20):
        checked(sql, used)
    assert (process_time() - started) / 20 < 1


# --- whatever is accepted counts nothing twice


@pytest.fixture(scope="module")
def weighed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[tuple[SqlTools, Weights]]]:
    """Random shops whose figures tell which rows were added up."""
    folder, made = tmp_path_factory.mktemp("weighed"), []
    for seed in range(6):
        weights = build_weighed(folder / f"{seed}.duckdb", Random(seed))
        made.append((SqlTools(open_tables(folder / f"{seed}.duckdb", ontology=WEIGHED)), weights))
    yield made
    for used, _ in made:
        used.close()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**64), shop=st.integers(0, 5))
def test_no_accepted_sum_counts_a_row_twice_or_adds_up_snapshots_or_currencies(
    weighed: list[tuple[SqlTools, Weights]], seed: int, shop: int
) -> None:
    used, weights = weighed[shop]
    sql = Writer(Random(seed)).total()
    found = check_sql(sql, used.catalog, used.source, used.profile, row_limit=500)
    if isinstance(found, QueryValidationError):
        return
    try:
        rows = used.source.begin(found.statement).rows()
    except QueryFailed:
        return  # texts and dates that do not fit are the engine's to refuse
    for row in rows:
        if row[-1] is not None:
            assert weights.problem(int(str(row[-1]))) is None, sql


def test_the_writer_writes_what_is_accepted_and_what_is_not(weighed: list[tuple[SqlTools, Weights]]) -> None:
    used, _ = weighed[0]
    outcomes = [
        isinstance(
            check_sql(Writer(Random(seed)).total(), used.catalog, used.source, used.profile, row_limit=9), CheckedSql
        )
        for seed in range(60)
    ]
    assert 8 <= sum(outcomes) <= 50


def test_the_weights_tell_every_kind_of_wrong_sum(weighed: list[tuple[SqlTools, Weights]]) -> None:
    used, weights = weighed[0]
    for sql, problem in {
        "SELECT SUM(pieces) FROM stock": "a thing in several snapshots",
        "SELECT SUM(total) FROM orders": "several currencies",
        "SELECT SUM(amount) FROM plan": "annual and monthly rows",
        "SELECT SUM(o.total) FROM orders o JOIN items i ON i.order_id = o.id WHERE o.currency = 'CHF'": "a row twice",
    }.items():
        assert isinstance(check_sql(sql, used.catalog, used.source, used.profile, row_limit=9), QueryValidationError)
        statement = replace(checked("SELECT SUM(pieces) FROM items", used).statement, sql=sql, parameters=[])
        ((figure,),) = used.source.begin(statement).rows()
        assert weights.problem(int(str(figure))) == problem
