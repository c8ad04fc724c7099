"""`query` and `execute_sql_safe`, from Python and from the command line."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import command_line
import scripted
from case_files import read_yaml
from traps import ONTOLOGY, build
from veracity.contracts import TableData
from veracity.errors import UsageError
from veracity.mcp.toolbox import Toolbox
from veracity.ontology.questions import ToolCall
from veracity.open import open_agent
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.sources.source import Scope
from veracity.tools.open import open_tables
from veracity.tools.sql import SQL_TOOLS, SqlTools, sql_tool_schemas
from veracity.tools.tables import TableTools

RIGHT_CALLS = Path(__file__).parent / "cases" / "ledger" / "calls.yaml"
COUNTED = "SELECT region, COUNT(*) AS n FROM customer GROUP BY region ORDER BY region"


@pytest.fixture(scope="module")
def shop_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("sql") / "shop.duckdb")


@pytest.fixture
def shop_sql(shop_file: Path) -> Iterator[SqlTools]:
    tools = SqlTools(open_tables(shop_file, ontology=ONTOLOGY))
    yield tools
    tools.close()


# --- calls


@pytest.mark.parametrize("tool", SQL_TOOLS)
def test_both_names_do_the_same(shop_sql: SqlTools, tool: str) -> None:
    data = shop_sql.call_sync(tool, {"sql": COUNTED}).data
    assert isinstance(data, TableData)
    assert data.rows == ({"region": "Nord", "n": 2}, {"region": "West", "n": 1})
    assert (data.result_id, data.table_name, data.truncated) == ("r1", "customer", False)


ARGUMENTS: list[tuple[str, Any, str, str | None]] = [
    ("query", None, "TYPE_MISMATCH", "arguments"),
    ("query", [], "TYPE_MISMATCH", "arguments"),
    ("query", {}, "TYPE_MISMATCH", "sql"),
    ("query", {"sql": 5}, "TYPE_MISMATCH", "sql"),
    ("query", {"sql": COUNTED, "limit": 0}, "TYPE_MISMATCH", "limit"),
    ("query", {"sql": COUNTED, "limit": "ten"}, "TYPE_MISMATCH", "limit"),
    ("query", {"query": COUNTED}, "FIELD_NOT_FOUND", "query"),
    ("query", {"sql": COUNTED, "limits": 3}, "FIELD_NOT_FOUND", "limits"),
    ("execute_sql", {"sql": COUNTED}, "FIELD_NOT_FOUND", "execute_sql"),
    ("queryTable", {"tableName": "customer"}, "FIELD_NOT_FOUND", "queryTable"),
]


@pytest.mark.parametrize(("tool", "arguments", "code", "field"), ARGUMENTS)
def test_arguments_that_do_not_fit_are_a_result(
    shop_sql: SqlTools, tool: str, arguments: Any, code: str, field: str | None
) -> None:
    details = shop_sql.call_sync(tool, arguments).error_details
    assert details is not None
    assert (details.code, details.field) == (code, field)


def test_the_argument_that_was_meant_is_named(shop_sql: SqlTools) -> None:
    details = shop_sql.call_sync("query", {"query": COUNTED}).error_details
    assert details is not None
    assert details.suggestion == "sql"


def test_a_refusal_never_reaches_the_source_and_a_failure_says_so(shop_sql: SqlTools) -> None:
    refused = shop_sql.call_sync("query", {"sql": "DROP TABLE customer"})
    assert refused.error_details is not None
    assert refused.error_details.code == "UNSAFE_SQL"
    assert refused.error == "UNSAFE_SQL: Only a SELECT is run, no DROP."
    failed = shop_sql.call_sync("query", {"sql": "SELECT CAST(name AS INTEGER) AS n FROM customer"})
    assert (failed.success, failed.error_details) == (False, None)
    assert failed.error == "A value in the source does not fit its column's type; check the source's data."


def test_a_dry_run_checks_and_runs_nothing(shop_sql: SqlTools) -> None:
    async def runs() -> list[bool]:
        return [(await shop_sql.dry_run("query", {"sql": sql})).success for sql in (COUNTED, "SELECT x FROM customer")]

    assert asyncio.run(runs()) == [True, False]
    assert shop_sql.checked({"sql": COUNTED}) is None


def test_call_sync_says_what_to_write_inside_an_event_loop(shop_sql: SqlTools) -> None:
    async def inside() -> None:
        shop_sql.call_sync("query", {"sql": COUNTED})

    with pytest.raises(UsageError, match="await"):
        asyncio.run(inside())


def test_the_row_limit_holds_whatever_the_sql_says(shop_file: Path) -> None:
    tools = SqlTools(TableTools(open_source(shop_file), ontology=ONTOLOGY, settings=Settings(row_limit=2)))
    for arguments in ({"sql": "SELECT id FROM line LIMIT 1000"}, {"sql": "SELECT id FROM line", "limit": 1000}):
        data = tools.call_sync("query", arguments).data
        assert isinstance(data, TableData)
        assert (data.row_count, data.truncated) == (2, True)
    tools.close()


def test_calls_run_side_by_side(shop_sql: SqlTools) -> None:
    async def both() -> list[str | None]:
        done = await asyncio.gather(*(shop_sql.call("query", {"sql": COUNTED}) for _ in range(5)))
        return [result.table.result_id if result.table else None for result in done]

    assert sorted(str(name) for name in asyncio.run(both())) == ["r1", "r2", "r3", "r4", "r5"]


def test_sql_and_table_tools_share_what_they_know_of_a_source(shop_file: Path) -> None:
    tables = open_tables(shop_file, ontology=ONTOLOGY)
    tools = SqlTools(tables)
    assert (tools.source, tools.catalog, tools.profile) == (tables.source, tables.catalog, tables.profile)
    assert asyncio.run(tools.stored_values()) == asyncio.run(tables.stored_values())
    tables.close()


# --- what is known of a result


def test_a_successful_call_can_be_described(shop_sql: SqlTools) -> None:
    arguments = {
        "sql": "SELECT currency, SUM(total) AS total FROM sale GROUP BY currency ORDER BY currency",
        "limit": None,
    }
    data = shop_sql.call_sync("query", arguments).data
    assert isinstance(data, TableData)
    found = shop_sql.checked(arguments)
    assert found is not None
    assert found.group_by == (("sale", "currency"),)
    result = shop_sql.result(data, "query", arguments)
    assert result.key == ("currency",)
    assert (result.columns["total"].aggregate, result.columns["total"].unit_field) == ("SUM", "currency")
    assert result.arguments == arguments


def test_what_was_refused_or_never_asked_cannot_be_described(shop_sql: SqlTools) -> None:
    shop_sql.call_sync("query", {"sql": "SELECT x FROM customer"})
    assert shop_sql.checked({"sql": "SELECT x FROM customer"}) is None
    data = shop_sql.call_sync("query", {"sql": COUNTED}).data
    assert isinstance(data, TableData)
    with pytest.raises(UsageError, match="have run"):
        shop_sql.result(data, "query", {"sql": "SELECT 2"})


def test_only_the_latest_are_remembered(shop_sql: SqlTools) -> None:
    for number in range(205):
        shop_sql.call_sync("query", {"sql": f"SELECT id FROM sale WHERE id > {number}"})
    assert shop_sql.checked({"sql": "SELECT id FROM sale WHERE id > 0"}) is None
    assert shop_sql.checked({"sql": "SELECT id FROM sale WHERE id > 204"}) is not None


@pytest.mark.long
def test_every_right_call_is_accepted_as_sql_and_says_the_same(trustee: TableTools) -> None:
    tools = SqlTools(trustee)
    for case in read_yaml(RIGHT_CALLS):
        for call in (ToolCall.model_validate(call) for call in case["calls"]):
            spoken = tools.spoken(call)
            raw, structured = (
                tools.call_sync(spoken.tool, spoken.args).data,
                trustee.call_sync(call.tool, call.args).data,
            )
            assert isinstance(raw, TableData), (case["question"], spoken.args)
            assert isinstance(structured, TableData)
            assert [column.name for column in raw.columns] == [column.name for column in structured.columns]
            assert sorted(map(str, raw.rows)) == sorted(map(str, structured.rows)), case["question"]


# --- schemas


def test_the_schema_offers_one_tool_and_names_the_tables(shop_sql: SqlTools) -> None:
    (offered,) = shop_sql.schemas()
    assert offered["name"] == "execute_sql_safe"
    assert "DuckDB SQL" in offered["description"]
    assert all(name in offered["description"] for name in shop_sql.catalog.entities)
    assert len(offered["description"]) <= 1024
    jsonschema.Draft202012Validator.check_schema(offered["parameters"])
    assert set(offered["parameters"]["required"]) == set(offered["parameters"]["properties"]) == {"sql", "limit"}
    jsonschema.validate({"sql": "SELECT 1", "limit": None}, offered["parameters"])


def test_many_tables_do_not_fill_the_schema(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "many.duckdb")) as connection:
        for number in range(40):
            connection.execute(f"CREATE TABLE table_{number:02} (id INTEGER)")
    tables = open_tables(tmp_path / "many.duckdb")
    (offered,) = sql_tool_schemas(tables.catalog)
    assert "and 10 more" in offered["description"]
    tables.close()


# --- the command line


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return command_line.run("sql", *arguments, stdin=given)


def test_the_command_prints_rows_or_the_reason(shop_file: Path) -> None:
    done = run(COUNTED, "--source", str(shop_file))
    assert done.returncode == 0
    assert "Nord" in done.stdout.decode()
    refused = run("SELECT totl FROM sale", "--source", str(shop_file))
    assert refused.returncode == 1
    assert b"FIELD_NOT_FOUND" in refused.stderr
    assert b"SELECT total FROM sale" in refused.stderr


def test_the_command_reads_standard_input_and_writes_json(shop_file: Path) -> None:
    done = run(
        "-", "--source", str(shop_file), "--json", given="SELECT name FROM customer WHERE name LIKE 'Cité%'".encode()
    )
    said = json.loads(done.stdout)
    assert said["data"]["rows"] == [{"name": "Cité SA"}]
    refused = run("DELETE FROM sale", "--source", str(shop_file), "--json")
    assert (refused.returncode, json.loads(refused.stdout)["errorDetails"]["code"]) == (1, "UNSAFE_SQL")


def test_the_command_checks_only_when_asked_to(shop_file: Path) -> None:
    done = run("SELECT SUM(amount) FROM payment", "--source", str(shop_file), "--dry-run")
    assert (done.returncode, done.stdout.decode().strip()) == (0, "valid")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["SELECT 1", "--source", "nowhere.duckdb"], "There is no file or folder"),
        (["SELECT 1", "--scope", "x"], "is not key=value"),
        (["-"], "not encoded in UTF-8"),
    ],
)
def test_wrong_usage_ends_with_two(arguments: list[str], said: str) -> None:
    done = run(*arguments, given=b"\xff")
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_the_scope_of_the_command_is_forced(shop_specs: Any) -> None:
    done = run("SELECT SUM(amount) AS s FROM Sale", "--source", shop_specs("sqlite"), "--scope", "tenant=t-2", "--json")
    assert json.loads(done.stdout)["data"]["rows"] == [{"s": "999.99"}]


def test_a_figure_of_another_tenant_is_not_even_counted(shop_specs: Any) -> None:
    tools = SqlTools(TableTools(open_source(shop_specs("duckdb")), scope=Scope({"tenant": "t-1"})))
    data = tools.call_sync(
        "query", {"sql": "SELECT MAX(amount) AS m, COUNT(*) AS n FROM Sale WHERE 1 = 1 OR amount > 0"}
    ).data
    assert isinstance(data, TableData)
    assert data.rows == ({"m": Decimal("20.20"), "n": 5},)
    tools.close()


# --- one check behind every door


WRONG = {
    "SELECT (SELECT SUM(total) FROM sale WHERE currency = 'CHF') + (SELECT SUM(total) FROM sale WHERE currency = 'EUR') AS both": "MIXED_UNITS",
    "SELECT SUM(pieces) * 12 AS yearly FROM stock WHERE year = 2025 AND month = 2": "INVALID_AGGREGATE_TARGET",
    "SELECT AVG(a) AS mean FROM (SELECT product, AVG(pieces) AS a FROM line GROUP BY product) AS t": "INVALID_AGGREGATE_TARGET",
    "SELECT COUNT(*) * 0 + 152400 AS revenue FROM sale": "UNSAFE_SQL",
    "SELECT region AS name FROM customer": "UNSAFE_SQL",
    "SELECT COUNT(*) AS sales FROM sale AS s JOIN line AS l ON l.sale_id = s.id": "AMBIGUOUS_GRAIN",
    "SELECT COUNT(*) AS customers FROM customer WHERE TRIM(region) = 'Atlantis'": "VALUE_NOT_FOUND",
}


def test_what_is_wrong_is_refused_alike_in_python_on_the_command_line_over_mcp_and_for_a_model(
    shop_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path))
    page = tmp_path / "shop.yaml"
    page.write_text(ONTOLOGY.model_dump_json(by_alias=True, exclude_defaults=True), encoding="utf-8")
    tables = open_tables(shop_file, ontology=page)
    toolbox, said = Toolbox(tables), [SqlTools(tables).call_sync("query", {"sql": sql}) for sql in WRONG]
    assert [found.error_details.code if found.error_details else None for found in said] == list(WRONG.values())
    errors = [found.error for found in said]
    commands = [run(sql, "--source", str(shop_file), "--ontology", str(page), "--json") for sql in WRONG]
    assert [json.loads(done.stdout)["error"] for done in commands] == errors
    over_mcp = [asyncio.run(toolbox.call("execute_sql_safe", {"sql": sql})) for sql in WRONG]
    assert [json.loads(outcome.written())["error"] for outcome in over_mcp] == errors
    tables.close()
    told: list[dict[str, Any]] = []

    def keep(returned: list[dict[str, Any]]) -> str:
        told.extend(returned)
        return "I do not know."

    script = scripted.Script([scripted.call("execute_sql_safe", sql=sql, limit=None) for sql in WRONG], keep)
    agent = open_agent(shop_file, ontology=page, model=script.model, tools="sql", settings=Settings(home=tmp_path))
    agent.ask_sync("What is in the books of the warehouse keeper?")
    agent.close()
    assert [returned["error"] for returned in told[: len(errors)]] == errors
