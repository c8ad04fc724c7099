"""The file tools: a file is inspected before it is analysed, and only that file can be reached."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl.worksheet.worksheet import Worksheet

from command_line import veracity
from veracity.agent.loop import result_for_model
from veracity.contracts import FileColumn, FileProblem, FileReport, FileSheet, FileTable, ToolResult
from veracity.errors import UsageError
from veracity.ontology.questions import ToolCall
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.sources.source import Scope
from veracity.tools import files as file_tools
from veracity.tools.files import FILE_TOOLS, OPERATIONS, FileTools, file_tool_schemas
from veracity.tools.tables import TableTools
from veracity.tools.toolset import Toolset
from veracity.wire import Wire

SALES = "Region;Betrag;Datum\nNord;1.234,50;31.01.2025\nNord;0,50;1.2.2025\nSüd;2,25;\nTotal;1.237,25;\n"
TOTAL = {"operation": "aggregate", "tableName": "sales", "aggregate": "SUM", "field": "Betrag"}


@pytest.fixture
def sales(tmp_path: Path) -> Iterator[FileTools]:
    """A German export with a total at its end."""
    (tmp_path / "sales.csv").write_bytes(SALES.encode("cp1252"))
    tools = FileTools(TableTools(open_source(tmp_path / "sales.csv")))
    yield tools
    tools.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[FileTools]:
    """A folder of two files."""
    (tmp_path / "a.csv").write_text("n\n1\n2\n", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"m": 1}\n', encoding="utf-8")
    tools = FileTools(TableTools(open_source(tmp_path)))
    yield tools
    tools.close()


def report(result: ToolResult) -> FileReport:
    assert isinstance(result.data, FileReport), result.error
    return result.data


def figure(result: ToolResult) -> Any:
    assert result.table is not None, result.error
    ((value,),) = [tuple(row.values()) for row in result.table.rows]
    return value


def refused(result: ToolResult) -> tuple[str, str | None, str | None, str]:
    assert not result.success
    assert result.data is None
    details = result.error_details
    assert details is not None, result.error
    assert len(details.hint) <= 80
    return details.code, details.field, details.suggestion, details.hint


# --- inspect_file


def test_a_file_is_inspected_with_its_columns_samples_and_problems(sales: FileTools) -> None:
    found = report(sales.call_sync("inspect_file", {}))
    assert (found.file, found.format, found.encoding, found.delimiter) == ("sales.csv", "csv", "Windows-1252", ";")
    (table,) = found.tables
    assert (table.name, table.row_count, table.examined, table.approximate) == ("sales", 3, 3, False)
    assert [(c.name, c.type, c.nulls, c.distinct, c.sample) for c in table.columns] == [
        ("Region", "text", 0, 2, ("Nord", "Süd")),
        ("Betrag", "decimal", 0, 3, ("1234.50", "0.50", "2.25")),
        ("Datum", "date", 1, 2, ("2025-01-31", "2025-02-01")),
    ]
    assert [(p.table, p.column, p.row) for p in found.problems] == [
        (None, None, None),
        ("sales", "Betrag", None),
        ("sales", None, 5),
    ]
    assert "Windows-1252" in found.problems[0].what


def test_a_report_is_json_with_these_keys() -> None:
    keys: dict[type[Wire], str] = {
        FileReport: "file format encoding delimiter sheets tables problems",
        FileTable: "name rowCount columns examined approximate",
        FileColumn: "name type nulls distinct sample",
        FileSheet: "name hidden used",
        FileProblem: "what table column row",
    }
    for contract, names in keys.items():
        assert [field.alias for field in contract.model_fields.values()] == names.split()


def test_a_report_survives_its_way_through_json(sales: FileTools) -> None:
    result = sales.call_sync("inspect_file", {})
    again = ToolResult.model_validate_json(result.model_dump_json())
    assert again == result
    assert isinstance(again.data, FileReport)


def test_sheets_of_a_workbook_are_listed(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert isinstance(book.active, Worksheet)
    book.active.append(["a"])
    book.active.append([1])
    book.create_sheet("Alt").sheet_state = "hidden"
    book.save(tmp_path / "book.xlsx")
    tools = FileTools(TableTools(open_source(tmp_path / "book.xlsx")))
    found = report(tools.call_sync("inspect_file", {"file": "book.xlsx"}))
    tools.close()
    assert found.sheets == (FileSheet(name="Sheet"), FileSheet(name="Alt", hidden=True, used=False))
    assert (found.format, found.encoding, found.delimiter) == ("excel", None, None)


def test_large_files_are_looked_at_in_part_and_estimates_are_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_tools, "_EXAMINED", 500)
    monkeypatch.setattr(file_tools, "_EXACT_ROWS", 100)
    lines = "".join(f"{number},{number % 7}\n" for number in range(3000))
    (tmp_path / "x.csv").write_text("id,k\n" + lines, encoding="utf-8")
    tools = FileTools(TableTools(open_source(tmp_path / "x.csv")))
    (table,) = report(tools.call_sync("inspect_file", {})).tables
    tools.close()
    assert (table.row_count, table.examined, table.approximate) == (3000, 500, True)
    assert all(column.distinct <= 500 for column in table.columns)
    assert 4 <= table.columns[1].distinct <= 10


def test_a_table_with_hundreds_of_columns_is_inspected(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(110)]
    (tmp_path / "x.csv").write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n", encoding="utf-8")
    tools = FileTools(TableTools(open_source(tmp_path / "x.csv")))
    (table,) = report(tools.call_sync("inspect_file", {})).tables
    tools.close()
    assert [(c.name, c.type, c.nulls, c.distinct) for c in table.columns] == [(name, "integer", 0, 1) for name in names]


def test_many_problems_are_cut_and_counted(tmp_path: Path) -> None:
    names = ";".join(f"c{number}" for number in range(60))
    (tmp_path / "x.csv").write_text(names + "\n" + ";".join(["1,5"] * 60) + "\n", encoding="utf-8")
    tools = FileTools(TableTools(open_source(tmp_path / "x.csv")))
    found = report(tools.call_sync("inspect_file", {}))
    tools.close()
    assert len(found.problems) == 51
    assert found.problems[-1].what == "10 more problems were found."


def test_parquet_is_inspected_without_a_pass_when_it_is_opened(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT range AS id, [range] AS l, NULL::INT AS n FROM range(5)) TO '{tmp_path / 'x.parquet'}'"
        )
    source = open_source(tmp_path / "x.parquet")
    tools = FileTools(TableTools(source))
    found = report(tools.call_sync("inspect_file", {}))
    tools.close()
    assert (found.format, found.tables[0].row_count) == ("parquet", 5)
    assert [(c.type, c.nulls, c.distinct) for c in found.tables[0].columns] == [
        ("integer", 0, 5),
        ("other", 0, 5),
        ("integer", 5, 0),
    ]


# --- only this file


@pytest.mark.parametrize("name", ["sale.csv", "/etc/passwd", "../sales.csv", "sales.xlsx", "*", 5, ["sales.csv"], {}])
def test_another_file_is_refused_with_the_name_of_this_one(sales: FileTools, name: Any) -> None:
    code, field, suggestion, hint = refused(sales.call_sync("inspect_file", {"file": name}))
    assert (code, field, suggestion, hint) == ("TABLE_NOT_FOUND", "file", "sales.csv", "file is sales.csv.")


@pytest.mark.parametrize("name", [None, "", "sales.csv", "Sales.CSV", " sales.csv "])
def test_the_file_may_be_named_or_not(sales: FileTools, name: Any) -> None:
    assert report(sales.call_sync("inspect_file", {"file": name})).file == "sales.csv"


def test_a_name_in_a_folder_is_suggested(folder: FileTools) -> None:
    assert refused(folder.call_sync("inspect_file", {"file": "a.cvs"})) == (
        "TABLE_NOT_FOUND",
        "file",
        "a.csv",
        "file is one of a.csv, b.jsonl.",
    )


def test_a_folder_is_inspected_whole_or_file_by_file(folder: FileTools) -> None:
    whole = report(folder.call_sync("inspect_file", {}))
    assert (whole.format, [table.name for table in whole.tables]) == ("folder", ["a", "b"])
    one = report(folder.call_sync("inspect_file", {"file": "b.jsonl"}))
    assert (one.file, one.format, [table.name for table in one.tables]) == ("b.jsonl", "json lines", ["b"])


def test_a_database_has_no_file_tools(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "x.sqlite") as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
    connection.close()
    tables = TableTools(open_source(tmp_path / "x.sqlite"))
    with pytest.raises(UsageError, match="is no CSV, JSON, Parquet or Excel file"):
        FileTools(tables)
    tables.close()


def test_only_rows_of_the_scope_are_counted_and_quoted(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(
        "tenant,name,n\nt-1,Anna,1\nt-2,Geheim,2\nt-2,Geheim,secret\nt-2,x,4\n", encoding="utf-8"
    )
    tools = FileTools(TableTools(open_source(tmp_path / "x.csv"), scope=Scope({"tenant": "t-1"})))
    result = tools.call_sync("inspect_file", {})
    tools.close()
    (table,) = report(result).tables
    assert (table.row_count, [(c.name, c.distinct, c.sample) for c in table.columns]) == (
        1,
        [("name", 1, ("Anna",)), ("n", 1, ("1",))],
    )
    assert "Geheim" not in result.model_dump_json()
    assert "secret" not in result.model_dump_json()


# --- analyze_dataframe


def test_a_file_is_not_analysed_before_it_was_inspected(sales: FileTools) -> None:
    code, field, suggestion, hint = refused(sales.call_sync("analyze_dataframe", TOTAL))
    assert (code, field, suggestion) == ("QUESTION_NOT_COVERED", "inspect_file", "sales.csv")
    assert hint.startswith("Call inspect_file first")
    refused(sales.call_sync("inspect_file", {"file": "other.csv"}))
    refused(sales.call_sync("analyze_dataframe", TOTAL))
    assert asyncio.run(sales.dry_run("inspect_file", {})).success
    refused(sales.call_sync("analyze_dataframe", TOTAL))
    report(sales.call_sync("inspect_file", {}))
    assert figure(sales.call_sync("analyze_dataframe", TOTAL)) == Decimal("1237.25")


def test_each_file_of_a_folder_is_inspected_for_itself(folder: FileTools) -> None:
    count = {"operation": "aggregate", "aggregate": "COUNT"}
    report(folder.call_sync("inspect_file", {"file": "a.csv"}))
    assert figure(folder.call_sync("analyze_dataframe", {**count, "tableName": "a"})) == 2
    assert refused(folder.call_sync("analyze_dataframe", {**count, "tableName": "b"}))[2] == "b.jsonl"


def test_another_conversation_inspects_for_itself(sales: FileTools) -> None:
    report(sales.call_sync("inspect_file", {}))
    other = FileTools(TableTools(sales.source))
    assert refused(other.call_sync("analyze_dataframe", TOTAL))[1] == "inspect_file"


@pytest.mark.parametrize(
    ("arguments", "tool"),
    [
        ({"operation": "browse", "tableName": "sales", "limit": 2}, "browseTable"),
        ({"operation": "query", "tableName": "sales", "filters": [{"field": "Region", "op": "=", "value": "Nord"}]}, "queryTable"),
        ({"operation": "AGGREGATE", "tableName": "sales", "aggregate": "COUNT", "groupBy": ["Region"]}, "aggregateTable"),
        ({"operation": "query", "tableName": "sales", "fields": ["Ort"]}, "queryTable"),
        ({"operation": "aggregate", "tableName": "sales", "aggregate": "SUM", "field": "Region"}, "aggregateTable"),
        ({"operation": "browse", "tableName": "sails"}, "browseTable"),
        ({"operation": "query", "tableName": "sales", "filters": [{"field": "Region", "op": "=", "value": "Nrod"}]}, "queryTable"),
    ],
)  # fmt: skip
def test_an_operation_returns_what_the_table_tool_returns(
    sales: FileTools, arguments: dict[str, Any], tool: str
) -> None:
    report(sales.call_sync("inspect_file", {}))
    rest = {key: value for key, value in arguments.items() if key != "operation"}
    assert sales.table_call("analyze_dataframe", arguments) == (tool, rest)
    mine = sales.call_sync("analyze_dataframe", arguments)
    theirs = TableTools(sales.source).call_sync(tool, rest)
    assert (mine.success, mine.error_details and mine.error_details.code) == (
        theirs.success,
        theirs.error_details and theirs.error_details.code,
    )
    if mine.table is not None and theirs.table is not None:
        assert mine.table == theirs.table
        assert sales.result(mine.table, "analyze_dataframe", arguments).call.tool == tool


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ("OPERATOR_INCOMPATIBLE", "operation", None, "operation is one of browse, query, aggregate.")),
        ({"operation": "agregate", "tableName": "sales"}, ("OPERATOR_INCOMPATIBLE", "operation", "aggregate", "operation is one of browse, query, aggregate.")),
        ({"operation": "query", "tableName": "sales", "fields": ["Ort"]}, ("FIELD_NOT_FOUND", "Ort", None, "No field Ort here; operation browse shows the fields.")),
        ({"operation": "browse", "tableName": "sales", "filters": []}, ("FIELD_NOT_FOUND", "filters", None, "operation browse takes tableName, limit.")),
        ({"operation": "query", "tableName": "sals"}, ("TABLE_NOT_FOUND", "sals", "sales", "There is no table sals.")),
        ({"operation": "aggregate", "tableName": "sales", "aggregate": "SUM", "field": "Saldo_balance"}, None),
    ],
)  # fmt: skip
def test_refusals_speak_of_operations_and_not_of_other_tools(
    sales: FileTools, arguments: dict[str, Any], expected: tuple[str, str, str | None, str] | None
) -> None:
    report(sales.call_sync("inspect_file", {}))
    result = sales.call_sync("analyze_dataframe", arguments)
    found = refused(result)
    assert expected is None or found == expected
    assert not any(name in result.model_dump_json() for name in OPERATIONS.values())
    assert asyncio.run(sales.dry_run("analyze_dataframe", arguments)) == result


def test_a_suggested_tool_becomes_an_operation(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,openingBalance\n1,5\n", encoding="utf-8")
    tools = FileTools(TableTools(open_source(tmp_path / "x.csv")))
    report(tools.call_sync("inspect_file", {}))
    arguments = {"operation": "aggregate", "tableName": "x", "aggregate": "SUM", "field": "openingBalance"}
    assert refused(tools.call_sync("analyze_dataframe", arguments))[2] == "query"
    tools.close()


def test_arguments_of_other_operations_may_be_null(sales: FileTools) -> None:
    """A strict schema makes a model write all of them."""
    report(sales.call_sync("inspect_file", {}))
    nothing = dict.fromkeys(("limit", "fields", "filters", "orderBy", "aggregate", "field", "groupBy"))
    for operation, tool in OPERATIONS.items():
        arguments = {"operation": operation, "tableName": "sales", **nothing}
        if operation == "aggregate":
            arguments["aggregate"] = "COUNT"
        assert sales.call_sync("analyze_dataframe", arguments).success, operation
        assert (sales.table_call("analyze_dataframe", arguments) or ("",))[0] == tool


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.sampled_from(["sales", "Betrag", "browse", "SUM"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
argument_names = st.sampled_from(["operation", "tableName", "file", "filters", "fields", "aggregate", "field", "limit"])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tool=st.sampled_from([*FILE_TOOLS, "browseTable", ""]) | st.text(max_size=12),
    arguments=json_values
    | st.dictionaries(argument_names, json_values | st.sampled_from(list(OPERATIONS)), max_size=6),
)
def test_no_call_raises_whatever_a_model_writes(sales: FileTools, tool: str, arguments: Any) -> None:
    result = sales.call_sync(tool, arguments)
    assert result.success or (result.error_details is not None and len(result.error_details.hint) <= 80)
    assert sales.table_call(tool, arguments) is None or tool == "analyze_dataframe"


# --- what an agent is given


def test_the_file_tools_are_a_toolset(sales: FileTools) -> None:
    toolset: Toolset = sales
    assert (toolset.kind, toolset.names) == ("file", FILE_TOOLS)
    (first,) = toolset.opening
    assert report(sales.call_sync(first.tool, first.args)).file == "sales.csv"
    spoken = toolset.spoken(ToolCall(tool="queryTable", args={"tableName": "sales"}))
    assert (spoken.tool, spoken.args) == ("analyze_dataframe", {"operation": "query", "tableName": "sales"})
    assert asyncio.run(sales.stored_values())["sales", "Region"] == {"Nord", "Süd"}


@pytest.mark.parametrize("style", ["strict", "by-table"])
def test_schemas_take_what_the_tools_take(sales: FileTools, style: Any) -> None:
    schemas = {s["name"]: s for s in file_tool_schemas(sales.catalog, ["sales.csv"], style=style)}
    assert tuple(schemas) == FILE_TOOLS
    inspect, analyze = (schemas[name]["parameters"] for name in FILE_TOOLS)
    jsonschema.Draft202012Validator.check_schema(analyze)
    jsonschema.validate({"file": "sales.csv"}, inspect)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"file": "/etc/passwd"}, inspect)
    call = {"operation": "aggregate", "tableName": "sales", "aggregate": "SUM", "field": "Betrag", "groupBy": ["Region"], "filters": None, "limit": None}  # fmt: skip
    strict = {**call, "fields": None, "orderBy": None}
    jsonschema.validate(strict if style == "strict" else call, analyze)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(
            {**(strict if style == "strict" else call), "field": "Region", "operation": "delete"}, analyze
        )
    if style == "strict":
        assert set(analyze["required"]) == set(analyze["properties"])
    report(sales.call_sync("inspect_file", {}))
    assert sales.call_sync("analyze_dataframe", strict).success


def test_a_model_is_told_a_report_without_what_is_empty(sales: FileTools) -> None:
    said = result_for_model(sales.call_sync("inspect_file", {}), 20)
    assert said["file"] == "sales.csv"
    assert "sheets" not in said
    assert [column["name"] for column in said["tables"][0]["columns"]] == ["Region", "Betrag", "Datum"]
    assert len(json.dumps(said, ensure_ascii=False)) < 1200


def test_the_memory_limit_holds_while_a_file_is_inspected(tmp_path: Path) -> None:
    """An estimate of different values takes no memory for each of them."""
    with (tmp_path / "x.csv").open("w", encoding="utf-8") as stream:
        stream.write("id,text\n")
        stream.writelines(f"{number},some text that is never the same {number}\n" for number in range(150_000))
    tools = FileTools(TableTools(open_source(tmp_path / "x.csv", settings=Settings(memory_limit="150MB"))))
    (table,) = report(tools.call_sync("inspect_file", {})).tables
    tools.close()
    assert (table.row_count, table.approximate) == (150_000, True)
    assert table.columns[1].distinct > 100_000


# --- the command


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return veracity(*arguments, cwd=cwd)


def test_the_command_shows_the_report_for_people(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_bytes(SALES.encode("cp1252"))
    done = run("inspect", "sales.csv", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[:2] == ["sales.csv  csv, Windows-1252, fields apart by semicolons", "sales  3 rows"]
    assert any(line.split()[:4] == ["Betrag", "decimal", "0", "3"] for line in lines)
    assert "row 5: 'Total' is the sum of the rows above; it is left out, so that nothing is counted twice." in lines


def test_the_command_prints_the_report_for_machines(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n\n1\n", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"m": 1}\n', encoding="utf-8")
    done = run("inspect", ".", "--json", cwd=tmp_path)
    assert [FileReport.model_validate_json(line).file for line in done.stdout.splitlines()] == ["a.csv", "b.jsonl"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing.csv", None, "There is no file or folder"),
        ("x.csv", b"a,b\n1,2\n3\n4,5\n", "line 3 has 1 field where others have 2"),
        ("x.jsonl", b"[1]\n", "no complete list of plain JSON objects"),
        ("x.csv", b"\x00\x01", "not encoded in UTF-8"),
    ],
)
def test_the_command_says_what_is_wrong_in_one_sentence(
    tmp_path: Path, name: str, content: bytes | None, says: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    done = run("inspect", name, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr


def test_the_command_sends_a_database_elsewhere(tmp_path: Path, ledger: Path) -> None:
    done = run("inspect", str(ledger), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is a database; 'veracity tables --source ...' shows its tables." in done.stderr
