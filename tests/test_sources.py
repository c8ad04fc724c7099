"""Every kind of source, opened for real: types and exact values come out right, and nothing but reading is possible."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import date, datetime, timedelta
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import psycopg
import pytest

from each_case import each
from sql_engines import build
from veracity.contracts import ToolResult
from veracity.errors import QueryFailed, SourceError
from veracity.settings import Settings
from veracity.sources.engine import SqlSource
from veracity.sources.open import open_source
from veracity.sources.source import Column, ColumnType, ForeignKey, Scope, Source, Statement, TableSchema, fetch
from veracity.tools.tables import TableTools

# --- helpers


@pytest.fixture
def opened() -> Iterator[Callable[..., Source]]:
    """`open_source`, and everything it opened is closed again."""
    sources: list[Source] = []

    def open_(spec: str | Path, **settings: Any) -> Source:
        sources.append(open_source(spec, settings=Settings(**settings)))
        return sources[-1]

    yield open_
    for source in sources:
        source.close()


def make_duckdb(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def make_parquet(path: Path, select: str) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path


def make_sqlite(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def make_excel(path: Path, **sheets: Sequence[Sequence[Any]]) -> Path:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    book.save(path)
    return path


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def types(source: Source, table: str) -> dict[str, str]:
    return {name: column.type.value for name, column in source.tables[table].columns.items()}


def good(result: ToolResult) -> list[tuple[Any, ...]]:
    assert result.table is not None, result.error
    return [tuple(row.values()) for row in result.table.rows]


def rows(source: Source, table: str, *filters: tuple[str, str, Any], **more: Any) -> list[tuple[Any, ...]]:
    conditions = [{"field": name, "op": op, "value": value} for name, op, value in filters]
    call = {"tableName": table, "filters": conditions, **more}
    return good(TableTools(source).call_sync("queryTable", call))


def aggregate(source: Source, table: str, function: str, field: str | None = None) -> Any:
    call = {"tableName": table, "aggregate": function, "field": field}
    ((value,),) = good(TableTools(source).call_sync("aggregateTable", call))
    return value


def run(source: Source, sql: str, width: int = 1) -> list[tuple[Any, ...]]:
    """Run a statement below the tools, as nothing in the program does."""
    columns = tuple(Column(f"c{number}", ColumnType.OTHER) for number in range(width))
    return source.begin(Statement(sql, (), columns, 100)).rows()


def opened_unless_refused(opened: Callable[..., Source], file: Path) -> Source | None:
    """The source, or None when it was refused with a sentence that names the file."""
    try:
        return opened(file)
    except SourceError as refusal:
        sentence = str(refusal)
    assert file.name in sentence
    return None


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# --- CSV


def test_csv_columns_get_the_types_their_values_have(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = write(
        tmp_path / "sale.csv",
        "id,name,amount,ratio,day,moment,paid\n"
        "1,Müller,10.10,1e-3,2025-01-31,2025-01-31 10:00:00,true\n"
        "2,,0.2,2.5e3,2025-02-28,2025-02-28T11:30:15,false\n",
    )
    source = opened(file)
    assert types(source, "sale") == {
        "id": "integer",
        "name": "text",
        "amount": "decimal",
        "ratio": "float",
        "day": "date",
        "moment": "timestamp",
        "paid": "boolean",
    }
    assert rows(source, "sale") == [
        (1, "Müller", Decimal("10.10"), 0.001, date(2025, 1, 31), datetime(2025, 1, 31, 10), True),
        (2, None, Decimal("0.20"), 2500.0, date(2025, 2, 28), datetime(2025, 2, 28, 11, 30, 15), False),
    ]


def test_decimals_of_a_csv_file_add_up_exactly_over_thousands_of_rows(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    file = write(tmp_path / "x.csv", "amount\n" + "0.1\n0.2\n" * 3000)
    source = opened(file)
    total = aggregate(source, "x", "SUM", "amount")
    assert isinstance(total, Decimal)
    assert str(total) == "900.0"
    assert aggregate(source, "x", "AVG", "amount") == Decimal("0.15")
    assert len(rows(source, "x", ("amount", "=", Decimal("0.1")))) == 200


def test_whole_numbers_beyond_64_bits_keep_every_digit(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(write(tmp_path / "x.csv", "n\n99999999999999999999\n1\n"))
    assert [str(n) for (n,) in rows(source, "x")] == ["99999999999999999999", "1"]


def test_an_empty_csv_field_is_null_and_a_quoted_empty_one_is_an_empty_text(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    source = opened(write(tmp_path / "x.csv", 'id,t\n1,""\n2,\n3,x\n'))
    assert rows(source, "x") == [(1, ""), (2, None), (3, "x")]
    assert rows(source, "x", ("t", "=", "")) == [(1, "")]
    assert rows(source, "x", ("t", "IS_NULL", None)) == [(2, None)]


def test_a_csv_with_quoted_empty_numbers_can_still_be_read(tmp_path: Path, opened: Callable[..., Source]) -> None:
    """Programs that quote every field write a missing number as "", too."""
    source = opened(write(tmp_path / "x.csv", '"id","n"\n"1","5"\n"2",""\n"3",\n'))
    shown = [(str(number), value) for number, value in rows(source, "x")]
    assert [number for number, _ in shown] == ["1", "2", "3"]
    assert str(shown[0][1]) == "5"
    assert shown[1][1] in (None, "")
    assert shown[2][1] is None


def test_numbers_with_leading_zeros_stay_text(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(write(tmp_path / "x.csv", "plz,n\n0123,1\n8000,2\n"))
    assert rows(source, "x") == [("0123", 1), ("8000", 2)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a;b\n1;x y\n", [(1, "x y")], id="semicolons"),
        pytest.param("a|b\n1|x\n", [(1, "x")], id="pipes"),
        pytest.param("a,b\r\n1,x\r\n", [(1, "x")], id="crlf"),
        pytest.param("\ufeffa,b\n1,x\n", [(1, "x")], id="byte-order-mark"),
        pytest.param('a,b\n1,"x, ""y""\nz"\n', [(1, 'x, "y"\nz')], id="quotes-commas-and-lines-in-a-field"),
        pytest.param("a;b\n1;31.01.2025\n2;01.02.2025\n", [(1, date(2025, 1, 31)), (2, date(2025, 2, 1))], id="dates"),
        pytest.param("a,b\n1,2025-01-01T10:00:00+02:00\n", [(1, datetime(2025, 1, 1, 8))], id="time-zone-to-utc"),
        pytest.param("a,b\n1,NULL\n", [(1, "NULL")], id="the-word-null-is-a-text"),
        pytest.param("a,b\n", [], id="header-only"),
        pytest.param("a,b\n1,\n2,\n", [(1, None), (2, None)], id="empty-column"),
        pytest.param("a,b\n1,x\n", [(1, "x")], id="one-row"),
        pytest.param("a,b\n1,#x\n", [(1, "#x")], id="hash-sign-in-a-field"),
    ],
)
def test_csv_dialects_are_recognised(
    tmp_path: Path, opened: Callable[..., Source], text: str, expected: list[tuple[Any, ...]]
) -> None:
    source = opened(write(tmp_path / "x.csv", text))
    assert list(source.tables["x"].columns) == ["a", "b"]
    assert rows(source, "x") == expected


def test_comment_lines_in_a_csv_are_left_out_or_refused_but_never_break_its_queries(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    file = write(tmp_path / "x.csv", "# made by hand\nid,t\n1,a\n# half way\n2,b\n")
    source = opened_unless_refused(opened, file)
    assert source is None or rows(source, "x") == [(1, "a"), (2, "b")]


def test_a_csv_whose_lines_do_not_fit_together_never_loses_rows_in_silence(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    file = write(tmp_path / "x.csv", "a,b\n1,2\n3\n4,5,6\n")
    source = opened_unless_refused(opened, file)
    assert source is None or len(rows(source, "x")) == 3


def test_csv_headers_that_repeat_or_lack_still_name_every_column(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(write(tmp_path / "x.csv", "a,a,,b\n1,2,3,4\n"))
    names = list(source.tables["x"].columns)
    assert len(set(names)) == 4
    assert (names[0], names[3]) == ("a", "b")
    assert rows(source, "x") == [(1, 2, 3, 4)]


def test_tsv_is_read_by_tabs(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(write(tmp_path / "x.tsv", "a\tb\n0.10\tx, y\n"))
    assert rows(source, "x") == [(Decimal("0.10"), "x, y")]


# --- Parquet


def test_parquet_keeps_its_types_and_exact_values(tmp_path: Path, opened: Callable[..., Source]) -> None:
    make_parquet(
        tmp_path / "x.parquet",
        "SELECT 1::BIGINT AS id, 'x' AS t, 0.10::DECIMAL(18,2) AS amount, 1.5::DOUBLE AS f, DATE '2025-01-31' AS d, "
        "TIMESTAMP '2025-01-31 10:00:00' AS ts, TIMESTAMPTZ '2025-01-31 10:00:00+02' AS tz, true AS b, [1, 2] AS l, NULL::INT AS n",
    )
    source = opened(tmp_path / "x.parquet")
    assert types(source, "x") == {
        "id": "integer",
        "t": "text",
        "amount": "decimal",
        "f": "float",
        "d": "date",
        "ts": "timestamp",
        "tz": "timestamp",
        "b": "boolean",
        "l": "other",
        "n": "integer",
    }
    ((*plain, amount, f, d, ts, tz, b, items, n),) = rows(source, "x")
    assert plain == [1, "x"]
    assert str(amount) == "0.10"
    assert (f, d, ts, tz, b, items, n) == (
        1.5,
        date(2025, 1, 31),
        datetime(2025, 1, 31, 10),
        datetime(2025, 1, 31, 8),
        True,
        "[1, 2]",
        None,
    )


def test_the_folder_of_a_file_adds_no_columns_to_it(tmp_path: Path, opened: Callable[..., Source]) -> None:
    """A folder called year=2024 is just a folder, not a column."""
    folder = tmp_path / "year=2024"
    folder.mkdir()
    make_parquet(folder / "p.parquet", "SELECT 1 AS a")
    write(folder / "c.csv", "a,b\n1,x\n")
    source = opened(folder)
    assert {name: list(table.columns) for name, table in source.tables.items()} == {"c": ["a", "b"], "p": ["a"]}


# --- Excel


def test_excel_cells_keep_their_kind(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_excel(
        tmp_path / "book.xlsx",
        Data=[
            ["whole", "amount", "computed", "day", "moment", "yes", "text", "empty"],
            [1, 1.25, 1 / 3, date(2025, 1, 31), datetime(2025, 1, 31), True, "007", None],
            [2, 2.5, 0.1, date(2025, 2, 1), datetime(2025, 2, 1, 11, 30, 15), False, 'a "b",\nc', None],
            [None] * 8,
            [-3, None, None, None, None, None, None, None],
        ],
    )
    source = opened(file)
    assert types(source, "book") == {
        "whole": "integer",
        "amount": "decimal",
        "computed": "float",
        "day": "date",
        "moment": "timestamp",
        "yes": "boolean",
        "text": "text",
        "empty": "text",
    }
    assert rows(source, "book") == [
        (1, Decimal("1.25"), 1 / 3, date(2025, 1, 31), datetime(2025, 1, 31), True, "007", None),
        (2, Decimal("2.50"), 0.1, date(2025, 2, 1), datetime(2025, 2, 1, 11, 30, 15), False, 'a "b",\nc', None),
        (-3, None, None, None, None, None, None, None),
    ]


def test_decimals_of_an_excel_sheet_add_up_exactly(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_excel(tmp_path / "x.xlsx", S=[["amount"], *([0.1], [0.2]) * 2000])
    total = aggregate(opened(file), "x", "SUM", "amount")
    assert isinstance(total, Decimal)
    assert str(total) == "600.0"


def test_excel_numbers_of_any_size_can_be_read(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_excel(tmp_path / "x.xlsx", S=[["n"], [1e300], [1.5]])
    assert [float(n) for (n,) in rows(opened(file), "x")] == [1e300, 1.5]


def test_a_mixed_excel_column_is_text_as_a_person_wrote_it(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_excel(
        tmp_path / "x.xlsx", S=[["m", "t"], [1, clock(10, 30)], ["x", clock(11)], [2.5, None], [True, None]]
    )
    source = opened(file)
    assert types(source, "x") == {"m": "text", "t": "text"}
    assert [m.lower() for m, _ in rows(source, "x")] == ["1", "x", "2.5", "true"]
    assert [t for _, t in rows(source, "x")] == ["10:30:00", "11:00:00", None, None]


def test_excel_headers_are_unique_and_read_as_they_look(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_excel(tmp_path / "x.xlsx", S=[["a", "a", None, "A", 2024, " b "], [1, 2, 3, 4, 5, 6]])
    source = opened(file)
    assert list(source.tables["x"].columns) == ["a", "a_2", "column_3", "A_3", "2024", "b"]
    assert rows(source, "x") == [(1, 2, 3, 4, 5, 6)]


def test_an_empty_excel_cell_is_null_and_never_zero_or_an_empty_text(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    file = make_excel(tmp_path / "x.xlsx", S=[["n", "t"], [0, "a"], [None, None], [2, None]])
    source = opened(file)
    assert rows(source, "x") == [(0, "a"), (2, None)]
    assert aggregate(source, "x", "COUNT", "t") == 1


def test_a_workbook_with_one_sheet_is_a_table_named_like_the_file(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    file = make_excel(tmp_path / "book.xlsx", Sales=[["a"], [1]], Empty=[])
    assert list(opened(file).tables) == ["book"]


def test_a_workbook_with_several_sheets_is_a_table_per_sheet(tmp_path: Path, opened: Callable[..., Source]) -> None:
    sheets: dict[str, list[list[Any]]] = {"One": [["a"], [1]], "Two; 'x'": [["b"], ["y"]]}
    source = opened(make_excel(tmp_path / "book.xlsx", **sheets))
    assert {name: rows(source, name) for name in source.tables} == {"One": [(1,)], "Two; 'x'": [("y",)]}


def test_an_excel_sheet_may_have_no_rows(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(make_excel(tmp_path / "x.xlsx", S=[["a", "b"]]))
    assert list(source.tables["x"].columns) == ["a", "b"]
    assert rows(source, "x") == []


def test_times_and_durations_of_excel_are_shown_as_text(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(make_excel(tmp_path / "x.xlsx", S=[["d"], [timedelta(hours=30)]]))
    assert rows(source, "x") == [("1 day, 6:00:00",)]


# --- folders


def test_a_folder_is_a_table_per_file_whatever_their_kind(tmp_path: Path, opened: Callable[..., Source]) -> None:
    write(tmp_path / "a.csv", "n\n1\n")
    write(tmp_path / "b.TSV", "n\tm\n2\t3\n")
    make_parquet(tmp_path / "c.parquet", "SELECT 3 AS n")
    make_excel(tmp_path / "d.xlsx", One=[["n"], [4]])
    make_excel(tmp_path / "e.xlsx", X=[["n"], [5]], Y=[["n"], [6]])
    write(tmp_path / "A.csv.bak", "not data")
    write(tmp_path / "~$d.xlsx", "a lock file of Excel")
    write(tmp_path / ".hidden.csv", "n\n9\n")
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub" / "deep.csv", "n\n9\n")
    source = opened(tmp_path)
    assert {name: aggregate(source, name, "MAX", "n") for name in source.tables} == {
        "a": 1,
        "b": 2,
        "c": 3,
        "d": 4,
        "e_X": 5,
        "e_Y": 6,
    }


def test_files_of_the_same_name_become_different_tables(tmp_path: Path, opened: Callable[..., Source]) -> None:
    write(tmp_path / "a.csv", "n\n1\n")
    make_parquet(tmp_path / "a.parquet", "SELECT 2 AS n")
    make_excel(tmp_path / "A.xlsx", S=[["n"], [3]])
    source = opened(tmp_path)
    assert len(source.tables) == 3
    assert sorted(aggregate(source, name, "MAX", "n") for name in source.tables) == [1, 2, 3]


def test_a_link_is_read_under_its_own_name(tmp_path: Path, opened: Callable[..., Source]) -> None:
    """`latest.csv -> 2025-11-30.blob` is how many tools publish files."""
    (tmp_path / "store").mkdir()
    (tmp_path / "latest.csv").symlink_to(write(tmp_path / "store" / "2025-11-30.blob", "a,b\n1,x\n"))
    for spec in (tmp_path / "latest.csv", tmp_path):
        source = opened(spec)
        assert list(source.tables) == ["latest"]
        assert rows(source, "latest") == [(1, "x")]


# --- DuckDB


def test_duckdb_types_are_told_apart(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_duckdb(
        tmp_path / "x.duckdb",
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        """CREATE TABLE k (u UUID, e mood, l INT[], st STRUCT(a INT, b VARCHAR), b BLOB, tz TIMESTAMPTZ, h HUGEINT,
               ub UBIGINT, s TIMESTAMP_S, m MAP(VARCHAR, INT), tm TIME, de DECIMAL(38,0), f FLOAT)""",
        """INSERT INTO k VALUES ('6b0c7e36-2c5b-4d9f-9d8e-0a1b2c3d4e5f', 'ok', [1, 2], {'a': 1, 'b': 'x'}, '\\xAA\\x00'::BLOB,
               '2025-01-31 10:00:00+02', 170141183460469231731687303715884105727, 18446744073709551615,
               '2025-01-31 10:00:00', MAP {'a': 1}, '10:00', 99999999999999999999999999999999999999, 0.5)""",
    )
    source = opened(file)
    assert types(source, "k") == {
        "u": "text",
        "e": "text",
        "l": "other",
        "st": "other",
        "b": "other",
        "tz": "timestamp",
        "h": "integer",
        "ub": "integer",
        "s": "timestamp",
        "m": "other",
        "tm": "other",
        "de": "decimal",
        "f": "float",
    }
    (row,) = rows(source, "k", ("e", "=", "ok"), ("u", "LIKE", "6b0c7e36%"), ("tz", "=", "2025-01-31T08:00:00"))
    assert row == (
        "6b0c7e36-2c5b-4d9f-9d8e-0a1b2c3d4e5f",
        "ok",
        "[1, 2]",
        "{'a': 1, 'b': x}",
        "\\xAA\\x00",
        datetime(2025, 1, 31, 8),
        2**127 - 1,
        2**64 - 1,
        datetime(2025, 1, 31, 10),
        "{a=1}",
        "10:00:00",
        Decimal(10**38 - 1),
        0.5,
    )
    assert aggregate(source, "k", "MAX", "e") == "ok"
    assert aggregate(source, "k", "COUNT_DISTINCT", "u") == 1


@pytest.mark.parametrize(
    "kind", ["TIMESTAMP[]", "TIMESTAMPTZ[]", "TIMESTAMP_S[]", "mood[]", "UUID[]", "DECIMAL(9,2)[]"]
)
def test_lists_of_any_type_can_be_shown_and_are_not_taken_for_their_elements(
    tmp_path: Path, opened: Callable[..., Source], kind: str
) -> None:
    file = make_duckdb(
        tmp_path / "x.duckdb",
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        f"CREATE TABLE k (id INT, l {kind})",
        "INSERT INTO k VALUES (1, NULL), (2, [NULL])",
    )
    source = opened(file)
    assert types(source, "k") == {"id": "integer", "l": "other"}
    assert rows(source, "k") == [(1, None), (2, "[NULL]")]


def test_duckdb_schemas_and_views_are_tables_too(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_duckdb(
        tmp_path / "x.duckdb",
        "CREATE SCHEMA s2",
        "CREATE TABLE k AS SELECT 1 AS a",
        "CREATE TABLE s2.k AS SELECT 2 AS a",
        "CREATE VIEW v AS SELECT a + 10 AS b FROM k",
        'CREATE TABLE "we""ird; --" AS SELECT 5 AS "c""x"',
    )
    source = opened(file)
    assert {name: rows(source, name) for name in source.tables} == {
        "k": [(1,)],
        "s2.k": [(2,)],
        "v": [(11,)],
        'we"ird; --': [(5,)],
    }
    assert rows(source, 'we"ird; --', ('c"x', "=", 5)) == [(5,)]


def test_one_duckdb_file_can_be_open_twice_in_one_program(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_duckdb(tmp_path / "x.duckdb", "CREATE TABLE k AS SELECT 1 AS a")
    first, second = opened(file), opened(file)
    assert rows(first, "k") == rows(second, "k") == [(1,)]
    first.close()
    assert rows(second, "k") == [(1,)]


def test_a_date_before_christ_is_never_shown_as_one_after(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_duckdb(tmp_path / "x.duckdb", "CREATE TABLE k AS SELECT DATE '0044-03-15 (BC)' AS d")
    assert rows(opened(file), "k") == [("0044-03-15 (BC)",)]


def test_decimals_are_written_without_an_exponent(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_duckdb(
        tmp_path / "x.duckdb", "CREATE TABLE k (r DECIMAL(18,8))", "INSERT INTO k VALUES (0), (0.00000001)"
    )
    result = TableTools(opened(file)).call_sync("browseTable", {"tableName": "k"})
    data = json.loads(result.model_dump_json())["data"]
    assert data["rows"] == [{"r": "0.00000000"}, {"r": "0.00000001"}]


def test_duckdb_keeps_what_does_not_fit_in_memory_away_from_the_data(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    source = opened(make_duckdb(tmp_path / "x.duckdb", "CREATE TABLE k AS SELECT 1 AS a"))
    ((place,),) = run(source, "SELECT current_setting('temp_directory')")
    assert not Path(str(place)).resolve().is_relative_to(tmp_path)
    write(tmp_path / "y.csv", "a\n1\n")
    ((place,),) = run(opened(tmp_path / "y.csv"), "SELECT current_setting('temp_directory')")
    assert not Path(str(place)).resolve().is_relative_to(Path.cwd())


# --- SQLite


def test_untyped_sqlite_columns_take_the_type_of_what_they_store(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_sqlite(
        tmp_path / "x.sqlite",
        "CREATE TABLE u (a, b, c, d, e BLOB)",
        "INSERT INTO u VALUES (1, 'x', 1.5, x'6162', x'6364'), (2, 'y', 2, 'text', NULL)",
    )
    source = opened(file)
    assert types(source, "u") == {"a": "integer", "b": "text", "c": "float", "d": "other", "e": "other"}
    assert rows(source, "u") == [(1, "x", 1.5, "ab", "cd"), (2, "y", 2.0, "text", None)]
    assert rows(source, "u", ("a", "=", 2), ("b", "LIKE", "y%"), ("e", "IS_NULL", None)) == [
        (2, "y", 2.0, "text", None)
    ]


def test_dates_that_sqlite_stores_as_integers_are_compared_as_integers(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    file = make_sqlite(
        tmp_path / "x.sqlite",
        "CREATE TABLE b (id INTEGER, bookedAt DATETIME, day DATE)",
        "INSERT INTO b VALUES (1, 1735689600, 1735689600), (2, 1738368000, 1738368000)",
    )
    source = opened(file)
    assert types(source, "b") == {"id": "integer", "bookedAt": "integer", "day": "integer"}
    assert rows(source, "b", ("bookedAt", ">=", 1738368000)) == [(2, 1738368000, 1738368000)]
    assert rows(source, "b", ("day", "BETWEEN", [1735689600, 1735689601])) == [(1, 1735689600, 1735689600)]


@pytest.mark.parametrize(
    "written", ["2025-01-31T10:00:00", "2025-01-31 10:00:00", "2025-01-31 10:00:00.000", "2025-01-31 10:00"]
)
def test_a_time_that_sqlite_stores_as_text_is_found_however_it_is_written(
    tmp_path: Path, opened: Callable[..., Source], written: str
) -> None:
    file = make_sqlite(tmp_path / "x.sqlite", "CREATE TABLE b (t TIMESTAMP)", f"INSERT INTO b VALUES ('{written}')")
    source = opened(file)
    at = datetime(2025, 1, 31, 10)
    assert rows(source, "b") == [(at,)]
    for op, value in (("=", "2025-01-31T10:00:00"), ("<", "2025-01-31T12:00:00"), (">", "2025-01-31T08:00:00")):
        assert rows(source, "b", ("t", op, value)) == [(at,)], op
    for op, value in (("<", "2025-01-31T10:00:00"), (">", "2025-01-31T10:00:00"), (">", "2025-01-31T12:00:00")):
        assert rows(source, "b", ("t", op, value)) == [], op


def test_a_time_that_sqlite_stores_as_text_keeps_every_digit(tmp_path: Path, opened: Callable[..., Source]) -> None:
    """SQLAlchemy writes microseconds, SQLite's own functions round to milliseconds."""
    file = make_sqlite(
        tmp_path / "x.sqlite", "CREATE TABLE b (t TIMESTAMP)", "INSERT INTO b VALUES ('2025-01-31 10:00:00.123999')"
    )
    source = opened(file)
    at = datetime(2025, 1, 31, 10, 0, 0, 123999)
    assert rows(source, "b") == [(at,)]
    assert rows(source, "b", ("t", "=", "2025-01-31T10:00:00.123999")) == [(at,)]
    assert rows(source, "b", ("t", "=", "2025-01-31T10:00:00.123998")) == []
    assert rows(source, "b", ("t", ">", "2025-01-31T10:00:00.123998")) == [(at,)]
    assert rows(source, "b", ("t", "<", "2025-01-31T10:00:00.124")) == [(at,)]
    assert aggregate(source, "b", "MAX", "t") == at


def test_what_is_no_date_in_a_sqlite_date_column_is_shown_and_never_missing(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    """The types are found in the first thousand rows; what comes after them may be anything."""
    file = make_sqlite(tmp_path / "x.sqlite", "CREATE TABLE b (id INTEGER, d DATE, t TIMESTAMP)")
    with closing(sqlite3.connect(file)) as connection:
        usual = [(n, "2025-01-31", "2025-01-31 10:00:00") for n in range(1500)]
        connection.executemany(
            "INSERT INTO b VALUES (?, ?, ?)", [*usual, (1500, "unknown", "soon"), (1501, None, None)]
        )
        connection.commit()
    source = opened(file)
    assert rows(source, "b", ("id", ">", 1498), orderBy="id") == [
        (1499, date(2025, 1, 31), datetime(2025, 1, 31, 10)),
        (1500, "unknown", "soon"),
        (1501, None, None),
    ]
    assert rows(source, "b", ("d", "IS_NULL", None)) == [(1501, None, None)]
    assert rows(source, "b", ("t", "IS_NULL", None)) == [(1501, None, None)]


def test_text_in_a_sqlite_number_column_is_shown_as_it_is_and_never_counts_as_a_number(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    file = make_sqlite(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (n INTEGER, m DECIMAL(10,2))",
        "INSERT INTO t VALUES (1, 1.1), ('n/a', 'unknown'), (3, 2.2)",
    )
    source = opened(file)
    assert rows(source, "t") == [(1, Decimal("1.10")), ("n/a", "unknown"), (3, Decimal("2.20"))]
    for field in ("n", "m"):
        result = TableTools(source).call_sync("aggregateTable", {"tableName": "t", "aggregate": "SUM", "field": field})
        assert not result.success
        assert result.error is not None
        assert "SELECT" not in result.error.upper()
    assert rows(source, "t", ("n", "=", 3)) == [(3, Decimal("2.20"))]
    assert rows(source, "t", ("n", ">", 1)) == [(3, Decimal("2.20"))]
    assert rows(source, "t", ("m", ">=", 2)) == [(3, Decimal("2.20"))]
    assert rows(source, "t", ("n", "!=", 1)) == [(3, Decimal("2.20"))]


def test_a_sqlite_boolean_that_is_stored_as_text_is_never_turned_round(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    file = make_sqlite(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (id INTEGER, b BOOLEAN)",
        "INSERT INTO t VALUES (1, 1), (2, 0), (3, 'false'), (4, 'true'), (5, NULL)",
    )
    shown = dict(rows(opened(file), "t"))
    assert (shown[1], shown[2], shown[5]) == (True, False, None)
    assert shown[3] in (False, "false")
    assert shown[4] in (True, "true")


def test_sqlite_decimals_add_up_exactly(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_sqlite(tmp_path / "x.sqlite", "CREATE TABLE t (m DECIMAL(10,2), n NUMERIC)")
    with closing(sqlite3.connect(file)) as connection:
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(0.1, 0.1), (0.2, 0.2)] * 2000)
        connection.commit()
    source = opened(file)
    assert str(aggregate(source, "t", "SUM", "m")) == "600.00"
    assert str(aggregate(source, "t", "SUM", "n")) == "600.0"
    assert aggregate(source, "t", "AVG", "m") == Decimal("0.15")


def test_sqlite_names_may_hold_anything_and_views_are_tables(tmp_path: Path, opened: Callable[..., Source]) -> None:
    strange = "sp ace \"q\" 'x'; -- 100%"
    quoted = strange.replace('"', '""')
    file = make_sqlite(
        tmp_path / "x.sqlite",
        f'CREATE TABLE "{quoted}" ("c ol"";" TEXT, "100%" INT)',
        f"INSERT INTO \"{quoted}\" VALUES ('v', 1), ('w', 2)",
        f'CREATE VIEW "v iew" AS SELECT "c ol"";", sum("100%") AS n FROM "{quoted}" GROUP BY 1',
    )
    source = opened(file)
    assert set(source.tables) == {strange, "v iew"}
    assert rows(source, strange, ("100%", ">", 1), ('c ol";', "=", "w")) == [("w", 2)]
    assert rows(source, "v iew", orderBy="n") == [("v", 1), ("w", 2)]
    assert aggregate(source, strange, "SUM", "100%") == 3


def test_a_sqlite_view_that_is_broken_does_not_take_the_other_tables_with_it(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    file = make_sqlite(
        tmp_path / "x.sqlite",
        "CREATE TABLE a (x INT)",
        "INSERT INTO a VALUES (1)",
        "CREATE TABLE b (y INT)",
        "CREATE VIEW v AS SELECT y FROM b",
        "DROP TABLE b",
    )
    assert rows(opened(file), "a") == [(1,)]


def test_a_slow_sqlite_view_does_not_hold_up_the_opening(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_sqlite(
        tmp_path / "x.sqlite",
        "CREATE TABLE a (x INT)",
        "INSERT INTO a VALUES (1)",
        "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000000) SELECT count(*) AS c FROM n",
    )
    began = time.monotonic()
    source = opened(file, statement_timeout=0.5)
    assert time.monotonic() - began < 15
    assert rows(source, "a") == [(1,)]


def test_sqlite_text_that_is_not_utf8_is_shown_with_marks(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_sqlite(tmp_path / "x.sqlite", "CREATE TABLE t (t TEXT)", "INSERT INTO t VALUES (CAST(x'ff41' AS TEXT))")
    assert rows(opened(file), "t") == [("\N{REPLACEMENT CHARACTER}A",)]


def test_a_sqlite_file_that_others_write_to_is_read_as_it_is_now(tmp_path: Path, opened: Callable[..., Source]) -> None:
    file = make_sqlite(tmp_path / "x.sqlite", "PRAGMA journal_mode = wal", "CREATE TABLE t (a INT)")
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("INSERT INTO t VALUES (1)")
        writer.commit()
        source = opened(file)
        assert rows(source, "t") == [(1,)]
        writer.execute("INSERT INTO t VALUES (2)")
        writer.commit()
        assert rows(source, "t") == [(1,), (2,)]


# --- PostgreSQL


def test_postgres_types_are_told_apart(new_database: Callable[..., str], opened: Callable[..., Source]) -> None:
    url = new_database(
        "CREATE TYPE mood AS ENUM ('sad', 'ok')",
        """CREATE TABLE k (e mood, u uuid, n numeric, n3 numeric(10,3), tz timestamptz, j json, jb jsonb, a int[], t text[],
               b bytea, c char(5), i2 smallint, i8 bigint, f float8, yes boolean, d date, ts timestamp(3), iv interval)""",
        """INSERT INTO k VALUES ('ok', '6b0c7e36-2c5b-4d9f-9d8e-0a1b2c3d4e5f', 0.1000000000000000000000000000001, 1.5,
               '2025-01-31 10:00:00+02', '{"a":1}', '{"a":1}', '{1,2}', '{x,"y,z"}', '\\x00ff', 'ab', 1, 9223372036854775807,
               0.25, true, '2025-01-31', '2025-01-31 10:00:00.123', '1 day')""",
    )
    source = opened(url)
    assert types(source, "k") == {
        **{"e": "text", "u": "text", "n": "decimal", "n3": "decimal", "tz": "timestamp", "j": "other", "jb": "other"},
        **{"a": "other", "t": "other", "b": "other", "c": "text", "i2": "integer", "i8": "integer", "f": "float"},
        **{"yes": "boolean", "d": "date", "ts": "timestamp", "iv": "other"},
    }
    (row,) = rows(
        source, "k", ("e", "=", "ok"), ("u", "LIKE", "6b0c%"), ("c", "=", "ab"), ("tz", "=", "2025-01-31T08:00:00")
    )
    assert row == (
        "ok",
        "6b0c7e36-2c5b-4d9f-9d8e-0a1b2c3d4e5f",
        Decimal("0.1000000000000000000000000000001"),
        Decimal("1.500"),
        datetime(2025, 1, 31, 8),
        '{"a":1}',
        '{"a": 1}',
        "{1,2}",
        '{x,"y,z"}',
        "\\x00ff",
        "ab",
        1,
        2**63 - 1,
        0.25,
        True,
        date(2025, 1, 31),
        datetime(2025, 1, 31, 10, 0, 0, 123000),
        "1 day",
    )
    assert str(row[3]) == "1.500"
    assert aggregate(source, "k", "MAX", "e") == "ok"
    assert aggregate(source, "k", "MIN", "u") == "6b0c7e36-2c5b-4d9f-9d8e-0a1b2c3d4e5f"


def test_postgres_names_keep_their_case_and_may_hold_anything(
    new_database: Callable[..., str], opened: Callable[..., Source]
) -> None:
    strange = "per%cent %s \"q\" 'a'; -- $1"
    quoted = strange.replace('"', '""')
    url = new_database(
        'CREATE TABLE "Mixed Case" ("Id" int, "CamelCase" text)',
        "INSERT INTO \"Mixed Case\" VALUES (1, 'x')",
        f'CREATE TABLE "{quoted}" ("c%ol ""x""" int, "50%s" text)',
        f"INSERT INTO \"{quoted}\" VALUES (1, '%s'), (2, '50%')",
    )
    source = opened(url)
    assert set(source.tables) == {"Mixed Case", strange}
    assert rows(source, "Mixed Case", ("CamelCase", "=", "x"), orderBy="Id") == [(1, "x")]
    assert rows(source, strange, ("50%s", "=", "%s")) == [(1, "%s")]
    assert rows(source, strange, ('c%ol "x"', ">", 1), ("50%s", "LIKE", "50%")) == [(2, "50%")]
    assert aggregate(source, strange, "SUM", 'c%ol "x"') == 3


def test_postgres_views_materialised_views_and_partitions_are_tables(
    new_database: Callable[..., str], opened: Callable[..., Source]
) -> None:
    url = new_database(
        "CREATE TABLE k (a int, b numeric(9,2))",
        "INSERT INTO k VALUES (1, 1.5), (2, 2.5)",
        "CREATE VIEW v AS SELECT a FROM k",
        "CREATE MATERIALIZED VIEW m AS SELECT sum(b) AS s FROM k",
        "CREATE TABLE p (a int) PARTITION BY LIST (a)",
        "CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1)",
        "INSERT INTO p VALUES (1)",
    )
    source = opened(url)
    assert rows(source, "v", orderBy="a") == [(1,), (2,)]
    assert rows(source, "m") == [(Decimal("4.00"),)]
    assert rows(source, "p") == [(1,)]


@pytest.mark.parametrize("way", ["database setting", "url"])
def test_postgres_follows_the_search_path_and_its_first_table_wins(
    new_database: Callable[..., str], opened: Callable[..., Source], way: str
) -> None:
    url = new_database(
        "CREATE SCHEMA sales",
        "CREATE TABLE public.k AS SELECT 1 AS a",
        "CREATE TABLE sales.k AS SELECT 2 AS a",
        "CREATE TABLE sales.o AS SELECT 3 AS a",
        "CREATE SCHEMA hidden",
        "CREATE TABLE hidden.h AS SELECT 4 AS a",
    )
    name = url.rpartition("/")[2]
    if way == "url":
        url += "?options=-csearch_path%3Dsales,public"
    else:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} SET search_path = sales, public".encode())
    source = opened(url)
    found = {table: rows(source, table) for table in source.tables if "." not in table}
    assert found == {"k": [(2,)], "o": [(3,)]}
    assert [table for table in source.tables if "." in table] == ["public.k"]
    with pytest.raises(QueryFailed):
        run(source, "DELETE FROM k RETURNING a")


def test_postgres_lists_other_schemas_by_both_names_where_nobody_has_chosen_a_search_path(
    new_database: Callable[..., str], opened: Callable[..., Source]
) -> None:
    source = opened(
        new_database(
            "CREATE SCHEMA sales", "CREATE TABLE public.k AS SELECT 1 AS a", "CREATE TABLE sales.k AS SELECT 2 AS a"
        )
    )
    assert {name: table.path for name, table in source.tables.items()} == {
        "k": ("public", "k"),
        "sales.k": ("sales", "k"),
    }
    assert rows(source, "sales.k") == [(2,)]


KEYS = """
    CREATE TABLE region (id INTEGER PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE);
    CREATE TABLE shop (region_id INTEGER REFERENCES region, number INTEGER, PRIMARY KEY (region_id, number));
    CREATE TABLE till (id INTEGER PRIMARY KEY, shop_region INTEGER, shop_number INTEGER, region_name VARCHAR(20),
        FOREIGN KEY (shop_region, shop_number) REFERENCES shop (region_id, number),
        FOREIGN KEY (region_name) REFERENCES region (name));
    CREATE VIEW tills AS SELECT * FROM till;
    CREATE TABLE plain (a INTEGER, b INTEGER);
"""


def test_declared_keys_are_read_on_every_engine(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest, opened: Callable[..., Source]
) -> None:
    source = opened(build(engine, KEYS, tmp_path, lambda: request.getfixturevalue("postgres"), name="keys"))
    tables = source.tables
    assert {name: table.primary_key for name, table in tables.items()} == {
        "region": ("id",),
        "shop": ("region_id", "number"),
        "till": ("id",),
        "tills": (),
        "plain": (),
    }
    assert tables["region"].unique == (("name",),)
    assert tables["shop"].foreign_keys == (ForeignKey(("region_id",), "region", ("id",)),)
    assert set(tables["till"].foreign_keys) == {
        ForeignKey(("shop_region", "shop_number"), "shop", ("region_id", "number")),
        ForeignKey(("region_name",), "region", ("name",)),
    }
    assert tables["tills"].foreign_keys == tables["plain"].foreign_keys == ()


def test_a_sqlite_key_is_read_in_the_spelling_of_its_table(tmp_path: Path, opened: Callable[..., Source]) -> None:
    script = """
        CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY);
        CREATE TABLE Album (id INTEGER PRIMARY KEY, artist INTEGER REFERENCES ARTIST (artistid), gone INTEGER REFERENCES missing (id));
    """
    source = opened(build("sqlite", script, tmp_path, str, name="spelling"))
    assert source.tables["Album"].foreign_keys == (ForeignKey(("artist",), "Artist", ("ArtistId",)),)


def test_a_foreign_key_to_a_table_that_may_not_be_read_is_left_out(
    new_database: Callable[..., str], opened: Callable[..., Source]
) -> None:
    url = new_database(
        "CREATE SCHEMA vault",
        "CREATE TABLE vault.secret (id INTEGER PRIMARY KEY)",
        "CREATE TABLE public.seen (id INTEGER PRIMARY KEY, secret_id INTEGER REFERENCES vault.secret)",
    )
    assert opened(f"{url}?options=-csearch_path%3Dpublic").tables["seen"].foreign_keys == ()
    assert opened(url).tables["seen"].foreign_keys == (ForeignKey(("secret_id",), "vault.secret", ("id",)),)


def test_a_postgres_table_without_the_right_to_read_it_is_not_listed(
    new_database: Callable[..., str], opened: Callable[..., Source]
) -> None:
    url = new_database(
        "CREATE TABLE open_ AS SELECT 1 AS a",
        "CREATE TABLE closed AS SELECT 2 AS a",
        "CREATE TABLE half AS SELECT 3 AS a, 4 AS b",
        "DROP ROLE IF EXISTS reader",
        "CREATE ROLE reader LOGIN",
        "GRANT SELECT ON open_ TO reader",
        "GRANT SELECT (a) ON half TO reader",
    )
    source = opened(url.replace("tester@", "reader@"))
    assert list(source.tables) == ["open_"]
    assert rows(source, "open_") == [(1,)]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("REVOKE SELECT ON open_ FROM reader")
    result = TableTools(source).call_sync("browseTable", {"tableName": "open_"})
    assert not result.success
    assert "may not read" in (result.error or "")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP OWNED BY reader")
        connection.execute("DROP ROLE reader")


def test_an_average_of_tiny_numbers_without_a_scale_is_not_rounded_away(
    new_database: Callable[..., str], opened: Callable[..., Source]
) -> None:
    url = new_database("CREATE TABLE k (n numeric)", "INSERT INTO k VALUES (0.00000012), (0.00000014)")
    assert aggregate(opened(url), "k", "AVG", "n") == Decimal("0.00000013")


@pytest.mark.parametrize("values", ["('Infinity'), (1)", "(1e100), (1)", "('NaN'), (1)"])
def test_an_average_over_numbers_beyond_all_bounds_is_a_result_and_never_an_exception(
    new_database: Callable[..., str], opened: Callable[..., Source], values: str
) -> None:
    tools = TableTools(opened(new_database("CREATE TABLE k (n numeric)", f"INSERT INTO k VALUES {values}")))
    result = tools.call_sync("aggregateTable", {"tableName": "k", "aggregate": "AVG", "field": "n"})
    assert result.success or result.error
    result.model_dump_json()


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "infinity"),
        ("date", "0044-03-15 BC"),
        ("timestamp", "-infinity"),
        ("timestamptz", "20000-01-01 00:00:00+00"),
    ],
)
def test_dates_beyond_the_calendar_do_not_make_a_table_unreadable(
    new_database: Callable[..., str], opened: Callable[..., Source], kind: str, value: str
) -> None:
    url = new_database(f"CREATE TABLE k (id int, d {kind})", f"INSERT INTO k VALUES (1, '{value}')")
    ((number, shown),) = rows(opened(url), "k")
    assert number == 1
    assert isinstance(shown, str)
    assert shown.split()[0] in value


def test_a_negative_scale_is_understood(new_database: Callable[..., str], opened: Callable[..., Source]) -> None:
    url = new_database("CREATE TABLE k (n numeric(5,-2))", "INSERT INTO k VALUES (12345)")
    ((value,),) = rows(opened(url), "k")
    assert isinstance(value, Decimal)
    assert value == 12300


def test_a_lost_postgres_connection_is_a_plain_result_and_the_next_call_connects_again(
    new_database: Callable[..., str], opened: Callable[..., Source], postgres: str
) -> None:
    url = new_database("CREATE TABLE k AS SELECT 1 AS a")
    name = url.rpartition("/")[2]
    tools = TableTools(opened(url))
    assert good(tools.call_sync("browseTable", {"tableName": "k"})) == [(1,)]
    kill = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'".encode()
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute(kill)
        lost = tools.call_sync("browseTable", {"tableName": "k"})
        assert (lost.success, lost.error) == (False, "The connection to the database was lost; try again.")
        assert good(tools.call_sync("browseTable", {"tableName": "k"})) == [(1,)]
        admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        admin.execute(kill)
        for _ in range(2):
            away = tools.call_sync("browseTable", {"tableName": "k"})
            assert not away.success
            assert away.error
            assert "tester" not in away.error
        admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
    assert good(tools.call_sync("browseTable", {"tableName": "k"})) == [(1,)]


# --- locked down at the engine

DUCKDB_STATEMENTS = {
    "insert": "INSERT INTO k SELECT * FROM k",
    "update": "UPDATE k SET a = 2",
    "delete": "DELETE FROM k",
    "truncate": "TRUNCATE k",
    "drop-table": "DROP TABLE k",
    "drop-view": "DROP VIEW k",
    "replace-view": "CREATE OR REPLACE VIEW k AS SELECT 5 AS a",
    "create-table": "CREATE TABLE z (a INT)",
    "create-temporary-table": "CREATE TEMP TABLE k (a INT)",
    "create-temporary-view": "CREATE TEMP VIEW k AS SELECT 5 AS a",
    "create-macro": "CREATE TEMP MACRO count() AS 5",
    "alter": "ALTER TABLE k RENAME TO z",
    "attach-file": "ATTACH '{folder}/new.duckdb' AS n",
    "attach-memory": "ATTACH ':memory:' AS n",
    "copy-to": "COPY (SELECT 1) TO '{folder}/out.csv'",
    "copy-over-the-data": "COPY (SELECT 1) TO '{data}' (USE_TMP_FILE false)",
    "copy-from": "COPY k FROM '/etc/passwd'",
    "export": "EXPORT DATABASE '{folder}/export'",
    "read-csv": "SELECT * FROM read_csv('/etc/passwd')",
    "read-text": "SELECT content FROM read_text('/etc/passwd')",
    "read-by-name": "SELECT * FROM '/etc/passwd'",
    "read-by-sibling": "SELECT * FROM read_text('{folder}/../secret.txt')",
    "glob": "SELECT * FROM glob('/etc/*')",
    "sniff": "SELECT Delimiter FROM sniff_csv('/etc/passwd')",
    "install-extension": "INSTALL httpfs",
    "load-extension": "LOAD httpfs",
    "create-secret": "CREATE SECRET (TYPE s3)",
    "set-memory": "SET memory_limit = '1TB'",
    "set-access": "SET enable_external_access = true",
    "set-lock": "SET lock_configuration = false",
    "set-path": "SET search_path = 'temp'",
    "set-zone": "SET timezone = 'Asia/Tokyo'",
    "reset": "RESET memory_limit",
    "pragma": "PRAGMA threads = 1",
    "set-variable": "SET VARIABLE x = 1",
    "transaction": "BEGIN",
    "two-statements": "SELECT 1; SELECT 2",
    "two-statements-that-write": "BEGIN; DELETE FROM k; COMMIT",
    "prepare": "PREPARE q AS DELETE FROM k",
    "query-function": "SELECT * FROM query('DROP TABLE k')",
}


@pytest.fixture(scope="module", params=["duckdb", "csv", "xlsx"])
def locked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Source]]:
    """A file of each kind in a folder, and its source; to the end there is nothing else below, nor beside it."""
    place = tmp_path_factory.mktemp("locked")
    (place / "secret.txt").write_text("secret")
    (place / "data").mkdir()
    data = place / "data" / f"k.{request.param}"
    if request.param == "duckdb":
        make_duckdb(data, "CREATE TABLE k AS SELECT 1 AS a")
    elif request.param == "xlsx":
        make_excel(data, S=[["a"], [1]])
    else:
        write(data, "a\n1\n")
    before = content(place)
    source = open_source(data)
    yield data, source
    source.close()
    assert content(place) == before


@each("sql", [pytest.param(sql, id=name) for name, sql in DUCKDB_STATEMENTS.items()])
def test_duckdb_runs_nothing_but_queries_of_its_own_data(locked: tuple[Path, Source], sql: str) -> None:
    data, source = locked
    before = content(data.parents[1])
    with pytest.raises(QueryFailed):
        run(source, sql.format(folder=data.parent, data=data))
    assert rows(source, "k", ("a", "=", 1)) == [(1,)]
    assert aggregate(source, "k", "COUNT") == 1
    assert content(data.parents[1]) == before


SQLITE_STATEMENTS = {
    "insert": "INSERT INTO k VALUES (2)",
    "update": "UPDATE k SET a = 2",
    "delete": "DELETE FROM k",
    "drop": "DROP TABLE k",
    "alter": "ALTER TABLE k RENAME TO z",
    "create-table": "CREATE TABLE z (a INT)",
    "create-temporary-table": "CREATE TEMP TABLE k (a INT)",
    "create-temporary-view": "CREATE TEMP VIEW k AS SELECT 5 AS a",
    "create-trigger": "CREATE TEMP TRIGGER t AFTER INSERT ON k BEGIN SELECT 1; END",
    "attach-file": "ATTACH '{folder}/new.sqlite' AS n",
    "attach-memory": "ATTACH ':memory:' AS n",
    "vacuum": "VACUUM",
    "vacuum-into": "VACUUM INTO '{folder}/copy.sqlite'",
    "analyze": "ANALYZE",
    "reindex": "REINDEX",
    "pragma-query-only": "PRAGMA query_only = OFF",
    "pragma-like": "PRAGMA case_sensitive_like = OFF",
    "pragma-schema": "PRAGMA writable_schema = ON",
    "pragma-version": "PRAGMA user_version = 5",
    "pragma-journal": "PRAGMA journal_mode = WAL",
    "begin": "BEGIN",
    "begin-immediate": "BEGIN IMMEDIATE",
    "savepoint": "SAVEPOINT s",
    "two-statements": "SELECT 1; DELETE FROM k",
    "load-extension": "SELECT load_extension('{folder}/evil.so')",
    "read-file": "SELECT readfile('/etc/passwd')",
    "write-file": "SELECT writefile('{folder}/out.txt', 'x')",
}


@pytest.mark.parametrize("sql", [pytest.param(sql, id=name) for name, sql in SQLITE_STATEMENTS.items()])
def test_sqlite_runs_nothing_but_queries_of_its_own_data(
    tmp_path: Path, opened: Callable[..., Source], sql: str
) -> None:
    file = make_sqlite(
        tmp_path / "x.sqlite",
        "CREATE TABLE k (a INT, t TEXT)",
        "CREATE INDEX i ON k (a)",
        "INSERT INTO k VALUES (1, 'x')",
    )
    before = content(tmp_path)
    source = opened(file)
    with pytest.raises(QueryFailed):
        run(source, sql.format(folder=tmp_path))
    with pytest.raises(QueryFailed):
        run(source, "DELETE FROM k")
    assert rows(source, "k", ("t", "LIKE", "x%")) == [(1, "x")]
    assert rows(source, "k", ("t", "LIKE", "X%")) == []
    source.close()
    assert content(tmp_path) == before


POSTGRES_STATEMENTS = {
    "insert": "INSERT INTO k VALUES (2) RETURNING a",
    "update": "UPDATE k SET a = 2 RETURNING a",
    "delete": "DELETE FROM k RETURNING a",
    "delete-in-with": "WITH d AS (DELETE FROM k RETURNING a) SELECT a FROM d",
    "truncate": "TRUNCATE k",
    "drop": "DROP TABLE k",
    "create-table": "CREATE TABLE z (a int)",
    "create-temporary-table": "CREATE TEMP TABLE k (a int)",
    "select-into": "SELECT * INTO z FROM k",
    "create-role": "CREATE ROLE evil",
    "do-block": "DO $$ BEGIN DELETE FROM k; END $$",
    "sequence": "SELECT nextval('s')",
    "copy-to-file": "COPY k TO '{folder}/out.txt'",
    "copy-to-program": "COPY k TO PROGRAM 'touch {folder}/out.txt'",
    "copy-from-file": "COPY k FROM '/etc/passwd'",
    "copy-to-client": "COPY k TO STDOUT",
    "set-read-only": "SET default_transaction_read_only = off",
    "set-characteristics": "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "set-transaction": "SET TRANSACTION READ WRITE",
    "set-timeout": "SET statement_timeout = 0",
    "reset": "RESET ALL",
    "discard": "DISCARD ALL",
    "alter-system": "ALTER SYSTEM SET work_mem = '5MB'",
    "begin": "BEGIN READ WRITE",
    "write-in-a-transaction": "BEGIN READ WRITE; DELETE FROM k; COMMIT",
    "write-after-a-query": "SELECT 1; COMMIT; BEGIN READ WRITE; DELETE FROM k; COMMIT",
    "write-after-a-setting": "SET default_transaction_read_only = off; COMMIT; DELETE FROM k",
    "two-queries": "SELECT 1; SELECT 2",
    "close-and-write": "SELECT 1) AS x; DELETE FROM k; SELECT * FROM (SELECT 1",
    "prepare": "PREPARE q AS DELETE FROM k",
    "notify": "NOTIFY x",
    "listen": "LISTEN x",
    "vacuum": "VACUUM k",
    "lock": "LOCK TABLE k",
    "load": "LOAD 'auto_explain'",
}


def postgres_state(url: str) -> list[tuple[Any, ...]]:
    """The rows, the tables, the roles, the sequence and the settings file of a server."""
    queries = (
        "SELECT a::text FROM k",
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
        "SELECT rolname::text FROM pg_roles ORDER BY 1",
        "SELECT last_value::text || is_called FROM s",
        "SELECT name FROM pg_file_settings WHERE sourcefile LIKE '%auto.conf'",
    )
    with psycopg.connect(url, autocommit=True) as connection:
        return [row for query in queries for row in connection.execute(query.encode()).fetchall()]


@pytest.fixture
def vault(new_database: Callable[..., str]) -> str:
    """A database whose user may do everything."""
    return new_database("CREATE TABLE k AS SELECT 1 AS a", "CREATE SEQUENCE s")


@pytest.mark.parametrize("sql", [pytest.param(sql, id=name) for name, sql in POSTGRES_STATEMENTS.items()])
def test_postgres_runs_nothing_but_queries_even_for_a_superuser(
    vault: str, tmp_path: Path, opened: Callable[..., Source], sql: str
) -> None:
    tmp_path.chmod(0o777)  # the server could write here
    before = postgres_state(vault)
    source = opened(vault)
    with pytest.raises(QueryFailed):
        run(source, sql.format(folder=tmp_path))
    # Whatever the first statement changed in its session must not help a second one.
    with pytest.raises(QueryFailed):
        run(source, "DELETE FROM k RETURNING a")
    assert rows(source, "k") == [(1,)]
    assert postgres_state(vault) == before
    assert list(tmp_path.iterdir()) == []


def test_a_setting_that_a_query_changes_is_back_before_the_next_one(vault: str, opened: Callable[..., Source]) -> None:
    source = opened(vault, statement_timeout=7)
    limit = run(source, "SELECT current_setting('statement_timeout')")
    for name, value in (
        ("default_transaction_read_only", "off"),
        ("transaction_read_only", "off"),
        ("statement_timeout", "0"),
    ):
        with suppress(QueryFailed):
            run(source, f"SELECT set_config('{name}', '{value}', false)")
    assert run(source, "SELECT current_setting('statement_timeout')") == limit != [("0",)]
    assert run(source, "SELECT current_setting('transaction_read_only')") == [("on",)]
    with pytest.raises(QueryFailed):
        run(source, "SELECT nextval('s')")


def test_a_postgres_user_without_special_rights_reads_no_files_of_the_server(
    new_database: Callable[..., str], opened: Callable[..., Source]
) -> None:
    url = new_database(
        "CREATE TABLE k AS SELECT 1 AS a",
        "DROP ROLE IF EXISTS plain",
        "CREATE ROLE plain LOGIN",
        "GRANT SELECT ON k TO plain",
    )
    source = opened(url.replace("tester@", "plain@"))
    for sql in ("SELECT pg_read_file('/etc/passwd')", "SELECT pg_ls_dir('/etc')", "SELECT lo_import('/etc/passwd')"):
        with pytest.raises(QueryFailed):
            run(source, sql)
    assert rows(source, "k") == [(1,)]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP OWNED BY plain")
        connection.execute("DROP ROLE plain")


# --- limits

ENDLESS = {
    "duckdb": "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE hash(a.range + b.range) = 1",
    "sqlite": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "postgres": "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b WHERE a + b < 0",
}


def endless(engine: str) -> Statement:
    return Statement(ENDLESS[engine], (), (Column("n", ColumnType.INTEGER),), 1)


def test_a_statement_is_stopped_at_its_time_limit_and_the_source_works_on(
    engine: str, shop_spec: str, opened: Callable[..., Source]
) -> None:
    source = opened(shop_spec, statement_timeout=0.5)
    for _ in range(2):
        began = time.monotonic()
        with pytest.raises(QueryFailed, match=r"stopped after 0\.5 s"):
            source.begin(endless(engine)).rows()
        assert 0.4 < time.monotonic() - began < 15
        assert aggregate(source, "Sale", "COUNT") == 6


def test_a_call_that_takes_too_long_is_a_failed_result(
    engine: str, tmp_path: Path, new_database: Callable[..., str], opened: Callable[..., Source]
) -> None:
    """Six tables of 3,000 rows each, joined without a condition, are read through the tools."""
    cross = "CREATE VIEW slow AS SELECT a.n FROM k a, k b, k c, k d, k e WHERE a.n * b.n * c.n = d.n * e.n + 1000000007"
    if engine == "postgres":
        spec = new_database("CREATE TABLE k AS SELECT i AS n FROM generate_series(1, 3000) AS t(i)", cross)
    elif engine == "sqlite":
        series = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3000) SELECT n FROM r"
        spec = str(make_sqlite(tmp_path / "x.sqlite", "CREATE TABLE k (n INTEGER)", f"INSERT INTO k {series}", cross))
    else:
        spec = str(make_duckdb(tmp_path / "x.duckdb", "CREATE TABLE k AS SELECT range AS n FROM range(1, 3001)", cross))
    tools = TableTools(opened(spec, statement_timeout=0.5))
    began = time.monotonic()
    result = tools.call_sync("aggregateTable", {"tableName": "slow", "aggregate": "COUNT"})
    assert time.monotonic() - began < 15
    assert (result.success, result.error_details) == (False, None)
    assert "stopped after 0.5 s" in (result.error or "")
    assert good(tools.call_sync("aggregateTable", {"tableName": "k", "aggregate": "COUNT"})) == [(3000,)]


@pytest.mark.parametrize("after", [0.0, 0.001, 0.3])
def test_cancelling_a_task_stops_its_statement_at_the_engine(
    engine: str, shop_spec: str, opened: Callable[..., Source], after: float
) -> None:
    source = opened(shop_spec, statement_timeout=20)

    async def cancelled() -> None:
        task = asyncio.create_task(fetch(source, endless(engine)))
        await asyncio.sleep(after)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    began = time.monotonic()
    # run() waits for its worker threads, so it returns only when the statement has ended.
    asyncio.run(cancelled())
    assert time.monotonic() - began < 15
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("asyncio")] == []
    if engine == "postgres":
        assert _still_running(shop_spec) == []
    assert aggregate(source, "Sale", "COUNT") == 6


def _still_running(url: str) -> list[tuple[Any, ...]]:
    """The statements at work a moment from now."""
    busy = "SELECT query FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%generate_series%'"
    with psycopg.connect(url, autocommit=True) as connection:
        for _ in range(30):
            found = connection.execute(busy.encode()).fetchall()
            if not found:
                break
            time.sleep(0.1)
        return found


def test_a_cancelled_call_of_the_tools_stops_its_statement(
    engine: str, shop_spec: str, opened: Callable[..., Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = opened(shop_spec, statement_timeout=20)
    tools, begin = TableTools(source, scope=Scope({"tenant": "t-1"})), source.begin
    monkeypatch.setattr(source, "begin", lambda _statement: begin(endless(engine)))
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(asyncio.wait_for(tools.call("browseTable", {"tableName": "Sale"}), 0.3))
    assert time.monotonic() - began < 15


def test_a_profile_that_takes_too_long_is_given_up_and_the_call_still_runs(
    engine: str, shop_spec: str, opened: Callable[..., Source], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veracity.tools.tables._PROFILE_SECONDS", 0.3)
    source = opened(shop_spec, statement_timeout=20)
    tools, begin = TableTools(source, scope=Scope({"tenant": "t-1"})), source.begin
    monkeypatch.setattr(
        source, "begin", lambda statement: begin(endless(engine) if "DISTINCT" in statement.sql else statement)
    )
    call = {"tableName": "Sale", "filters": [{"field": "region", "op": "=", "value": "Nord"}], "fields": ["id"]}
    began = time.monotonic()
    assert sorted(good(tools.call_sync("queryTable", call))) == [(1,), (2,)]
    assert time.monotonic() - began < 15


def test_the_memory_limit_holds(tmp_path: Path, opened: Callable[..., Source]) -> None:
    source = opened(make_duckdb(tmp_path / "x.duckdb", "CREATE TABLE k AS SELECT 1 AS a"), memory_limit="64MB")
    with pytest.raises(QueryFailed, match="memory"):
        run(source, "SELECT length(string_agg(hash(range)::VARCHAR, ',')) FROM range(30000000)")
    assert rows(source, "k") == [(1,)]


# --- sessions and caches


class FakeSession:
    """A session that counts what is asked of it; `delay` seconds pass in every statement."""

    def __init__(self, delay: float = 0.0, error: Exception | None = None) -> None:
        self.delay, self.error = delay, error
        self.introspected = self.executed = self.interrupted = self.closed = 0

    def execute(self, sql: str, parameters: Sequence[Any], max_rows: int) -> list[tuple[Any, ...]]:
        self.executed += 1
        time.sleep(self.delay)
        if self.error:
            raise self.error
        return [(1,)]

    def tables(self) -> Mapping[str, TableSchema]:
        self.introspected += 1
        return {"k": TableSchema("k", {"a": Column("a", ColumnType.INTEGER)}, ("k",))}

    def describe(self, select: str) -> tuple[Column, ...]:
        return ()

    def interrupt(self) -> None:
        self.interrupted += 1

    def failure(self, error: Exception) -> str | None:
        return "It failed." if isinstance(error, OSError) else None

    def close(self) -> None:
        self.closed += 1


ONE = Statement("SELECT 1", (), (Column("a", ColumnType.INTEGER),), 1)


def fake_source(*sessions: FakeSession, timeout: float = 5.0) -> SqlSource:
    left = iter(sessions)
    return SqlSource("fake", "sqlite", connect=lambda: next(left), timeout=timeout)


def test_tables_are_introspected_once_and_sessions_are_used_again() -> None:
    session = FakeSession()
    source = fake_source(session)
    for _ in range(3):
        TableTools(source).call_sync("browseTable", {"tableName": "k"})
        assert list(source.tables) == ["k"]
    assert (session.introspected, session.executed, session.closed) == (1, 3, 0)
    source.close()
    assert session.closed == 1


def test_a_session_whose_statement_failed_is_closed_and_not_used_again() -> None:
    first, second = FakeSession(error=OSError("SELECT secret")), FakeSession()
    source = fake_source(first, second)
    with pytest.raises(QueryFailed, match=r"^It failed\.$"):
        source.begin(ONE).rows()
    assert first.closed == 1
    assert source.begin(ONE).rows() == [(1,)]
    assert (first.executed, second.executed) == (1, 1)


def test_a_session_that_was_interrupted_as_it_finished_is_not_used_again() -> None:
    """The interrupt may still be on its way: it must not hit the next statement."""
    first, second = FakeSession(delay=0.3), FakeSession()
    source = fake_source(first, second, timeout=0.1)
    source.begin(ONE).rows()
    assert first.interrupted >= 1
    source.timeout = 5.0
    source.begin(ONE).rows()
    assert (first.executed, first.closed, second.executed) == (1, 1, 1)


class SlowStarter(FakeSession):
    """A session on which an interrupt is lost until its statement has begun, as on every engine."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.stop = threading.Event(), threading.Event()

    def execute(self, sql: str, parameters: Sequence[Any], max_rows: int) -> list[tuple[Any, ...]]:
        time.sleep(0.3)
        self.begun.set()
        if self.stop.wait(20):
            raise OSError("interrupted")
        return [(1,)]

    def interrupt(self) -> None:
        if self.begun.is_set():
            self.stop.set()


@pytest.mark.parametrize("why", ["time limit", "cancelled"])
def test_an_interrupt_that_comes_before_the_engine_has_begun_is_not_lost(why: str) -> None:
    source = fake_source(SlowStarter(), timeout=0.1 if why == "time limit" else 5)
    running = source.begin(ONE)
    if why == "cancelled":
        threading.Timer(0.1, running.cancel).start()
    began = time.monotonic()
    with pytest.raises(QueryFailed, match=r"stopped after|cancelled"):
        running.rows()
    assert time.monotonic() - began < 15


def test_cancelling_never_holds_up_the_event_loop() -> None:
    """A server may take seconds to answer an interrupt; other tasks go on meanwhile."""
    gone_on = threading.Event()

    class Deaf(SlowStarter):
        def interrupt(self) -> None:
            assert gone_on.wait(4)
            super().interrupt()

    async def cancelled() -> float:
        session = Deaf()
        task = asyncio.create_task(fetch(fake_source(session), ONE))
        assert await asyncio.to_thread(session.begun.wait, 20)
        began = time.monotonic()
        task.cancel()
        await asyncio.sleep(0)
        gone_on.set()
        return time.monotonic() - began

    assert asyncio.run(cancelled()) < 3


def test_parallel_statements_have_sessions_of_their_own() -> None:
    sessions = [FakeSession(delay=0.2) for _ in range(3)]
    source = fake_source(*sessions)
    threads = [threading.Thread(target=source.begin(ONE).rows) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(session.executed for session in sessions) == [1, 1, 1]


def test_a_statement_that_was_cancelled_before_it_began_never_runs() -> None:
    session = FakeSession()
    running = fake_source(session, FakeSession()).begin(ONE)
    running.cancel()
    with pytest.raises(QueryFailed, match="cancelled"):
        running.rows()
    assert session.executed == 0


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_table_made_after_the_opening_is_not_seen(
    kind: str, tmp_path: Path, opened: Callable[..., Source], request: pytest.FixtureRequest
) -> None:
    if kind == "sqlite":
        spec = str(make_sqlite(tmp_path / "x.sqlite", "CREATE TABLE a (x INT)"))
        source = opened(spec)
        make_sqlite(Path(spec), "CREATE TABLE b (x INT)")
    else:
        spec = request.getfixturevalue("new_database")("CREATE TABLE a (x int)")
        source = opened(spec)
        with psycopg.connect(spec, autocommit=True) as connection:
            connection.execute("CREATE TABLE b (x int)")
    assert list(source.tables) == ["a"]
    assert rows(source, "a") == []
    assert set(opened(spec).tables) == {"a", "b"}


def test_the_values_of_a_column_are_looked_up_once(shop: TableTools, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []
    begin = shop.source.begin

    def spy(statement: Statement) -> Any:
        statements.append(statement.sql)
        return begin(statement)

    monkeypatch.setattr(shop.source, "begin", spy)
    for region in ("Nord", "Süd", "Ost", "Nord"):
        call = {"tableName": "Sale", "filters": [{"field": "region", "op": "=", "value": region}]}
        assert shop.call_sync("queryTable", call).success is (region != "Ost")
    assert sum("DISTINCT" in sql for sql in statements) == 1
    assert len(statements) == 4


def test_a_source_has_a_name_without_its_password(postgres: str, opened: Callable[..., Source]) -> None:
    source = opened(postgres.replace("tester@", "tester:hunter2@") + "?application_name=hunter2")
    assert "hunter2" not in source.name
    assert source.name.startswith("postgresql://127.0.0.1:")


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_timestamps_with_a_zone_are_utc_whatever_the_zone_of_the_machine(
    kind: str,
    tmp_path: Path,
    opened: Callable[..., Source],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    statements = ("CREATE TABLE k (t timestamptz)", "INSERT INTO k VALUES ('2025-01-31 10:00:00+02')")
    spec = (
        make_duckdb(tmp_path / "x.duckdb", *statements)
        if kind == "duckdb"
        else request.getfixturevalue("new_database")(*statements)
    )
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PGTZ", "Asia/Tokyo")
    time.tzset()
    try:
        source = opened(spec)
        assert rows(source, "k", ("t", "<=", "2025-01-31T08:00:00")) == [(datetime(2025, 1, 31, 8),)]
        assert rows(source, "k", ("t", "<", "2025-01-31T08:00:00")) == []
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_duckdb_file_shows_the_same_columns_whether_it_has_views_or_not(
    tmp_path: Path, opened: Callable[..., Source]
) -> None:
    """Where there are views, the columns are read in another way."""
    tables = """
        CREATE TYPE mood AS ENUM ('a', 'it''s'); CREATE SCHEMA "o.dd";
        CREATE TABLE every (a TINYINT, b HUGEINT, c INTEGER NOT NULL, d DECIMAL(18,2), e DECIMAL(5), f FLOAT, g VARCHAR(20),
            h BLOB, i DATE, j TIMESTAMP, k TIMESTAMPTZ, l TIME, m UUID, n mood, o INTEGER[], p STRUCT(x INTEGER, "y z" TEXT),
            q MAP(INTEGER, TEXT), r BOOLEAN, s TIMESTAMP_NS, t INTEGER GENERATED ALWAYS AS (c + 1));
        CREATE TABLE "o.dd"."we""ird" (id INTEGER PRIMARY KEY, "b""c d" TEXT UNIQUE);
    """
    for name, more in (("plain", ""), ("views", "CREATE VIEW seen AS SELECT c FROM every")):
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as connection:
            connection.execute(tables + more)
    plain, views = (dict(opened(tmp_path / f"{name}.duckdb").tables) for name in ("plain", "views"))
    assert list(views.pop("seen").columns) == ["c"]
    assert plain == views
    assert [len(table.columns) for table in plain.values()] == [20, 2]
