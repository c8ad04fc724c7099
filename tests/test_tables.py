"""The tools on real engines: the same call gives the same rows everywhere."""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from conftest import SALES, SHOP, load
from veracity.contracts import ToolResult
from veracity.settings import Settings
from veracity.sources.open import open_source
from veracity.sources.source import Scope
from veracity.tools.tables import TableTools


def rows(result: ToolResult) -> list[dict[str, Any]]:
    assert result.table is not None, result.error
    return list(result.table.rows)


def query(shop: TableTools, *filters: tuple[str, str, Any], **more: Any) -> list[dict[str, Any]]:
    conditions = [{"field": field, "op": op, "value": value} for field, op, value in filters]
    return rows(shop.call_sync("queryTable", {"tableName": "Sale", "filters": conditions, "orderBy": "id", **more}))


def ids(shop: TableTools, *filters: tuple[str, str, Any]) -> list[int]:
    return [row["id"] for row in query(shop, *filters)]


def test_cells_keep_their_kind_on_every_engine(shop: TableTools) -> None:
    first, second, third, *_ = query(shop)
    assert first == {
        "id": 1,
        "region": "Nord",
        "note": "first",
        "amount": Decimal("10.10"),
        "weight": 1.5,
        "soldOn": date(2025, 1, 31),
        "soldAt": datetime(2025, 1, 31, 10),
        "paid": True,
        "pieces": 3,
    }
    assert (second["note"], second["pieces"], second["paid"]) == ("", 0, False)
    assert (third["note"], third["pieces"], third["paid"]) == (None, None, None)
    assert str(second["amount"]) == "20.20"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (("region", "=", "Nord"), [1, 2]),
        (("region", "!=", "Nord"), [3, 4]),
        (("region", "LIKE", "N%"), [1, 2]),
        (("region", "LIKE", "n%"), []),
        (("region", "IN", ["Nord", "Süd"]), [1, 2, 3, 4]),
        (("region", "IS_NULL", None), [5]),
        (("region", "IS_NOT_NULL", None), [1, 2, 3, 4]),
        (("note", "=", ""), [2]),
        (("note", "IS_NULL", None), [3]),
        (("note", "=", "100%"), [4]),
        (("note", "=", "it's; DROP TABLE"), [5]),
        (("amount", ">", Decimal("0.15")), [1, 2, 4]),
        (("amount", "=", 20.2), [2]),
        (("amount", "BETWEEN", [Decimal("0.1"), Decimal("0.2")]), [3, 4]),
        (("weight", "<", 0), [4]),
        (("soldOn", ">=", "2025-02-01"), [2, 5]),
        (("soldOn", "BETWEEN", ["2024-01-01", "2025-01-31"]), [1, 3]),
        (("soldAt", ">", "2025-01-31T10:00:00"), [2, 5]),
        (("paid", "=", True), [1, 4, 5]),
        (("paid", "=", False), [2]),
        (("pieces", "=", 0), [2]),
        (("pieces", "IN", [7, 9]), [4, 5]),
        (("id", ">", 2**40), []),
    ],
)
def test_every_operator_means_the_same_on_every_engine(
    shop: TableTools, condition: tuple[str, str, Any], expected: list[int]
) -> None:
    assert ids(shop, condition) == expected


@pytest.mark.parametrize(
    ("aggregate", "field", "expected"),
    [
        ("SUM", "amount", Decimal("30.60")),
        ("AVG", "amount", Decimal("7.65")),
        ("MIN", "amount", Decimal("0.10")),
        ("MAX", "soldOn", date(2025, 3, 1)),
        ("COUNT", None, 5),
        ("COUNT", "amount", 4),
        ("COUNT_DISTINCT", "region", 2),
        ("SUM", "pieces", 19),
        ("AVG", "pieces", Decimal("4.75")),
        ("MIN", "region", "Nord"),
    ],
)
def test_aggregates_are_exact_on_every_engine(
    shop: TableTools, aggregate: str, field: str | None, expected: Any
) -> None:
    (row,) = rows(shop.call_sync("aggregateTable", {"tableName": "Sale", "aggregate": aggregate, "field": field}))
    (value,) = row.values()
    assert value == expected
    assert type(value) is type(expected)


def test_sum_of_nothing_is_null_and_count_of_nothing_is_zero(shop: TableTools) -> None:
    nothing = {"tableName": "Sale", "filters": [{"field": "id", "op": ">", "value": 1000}]}
    assert rows(shop.call_sync("aggregateTable", {**nothing, "aggregate": "SUM", "field": "amount"})) == [
        {"sum_amount": None}
    ]
    assert rows(shop.call_sync("aggregateTable", {**nothing, "aggregate": "COUNT"})) == [{"count": 0}]
    assert rows(shop.call_sync("queryTable", nothing)) == []


def test_groups_come_in_their_own_order_and_with_a_limit_the_largest_first(shop: TableTools) -> None:
    call = {"tableName": "Sale", "aggregate": "SUM", "field": "amount", "groupBy": ["region"]}
    assert [row["region"] for row in rows(shop.call_sync("aggregateTable", call))] == ["Nord", "Süd", None]
    limited = shop.call_sync("aggregateTable", {**call, "limit": 1})
    assert rows(limited) == [{"region": "Nord", "sum_amount": Decimal("30.30")}]
    assert limited.table is not None
    assert limited.table.truncated


def test_truncated_is_set_only_when_more_rows_matched(shop_spec: str) -> None:
    tools = TableTools(open_source(shop_spec), scope=Scope({"tenant": "t-1"}), settings=Settings(row_limit=4))
    for limit, count, truncated in ((None, 4, True), (3, 3, True), (1000, 4, True)):
        data = tools.call_sync("queryTable", {"tableName": "Sale", "limit": limit}).table
        assert data is not None
        assert (data.row_count, len(data.rows), data.truncated) == (count, count, truncated)
    exact = tools.call_sync(
        "queryTable", {"tableName": "Sale", "filters": [{"field": "id", "op": "<=", "value": 4}]}
    ).table
    assert exact is not None
    assert (exact.row_count, exact.truncated) == (4, False)
    tools.close()


def test_result_ids_count_up_and_refused_calls_take_none(shop: TableTools) -> None:
    first = shop.call_sync("browseTable", {"tableName": "Sale"})
    refused = shop.call_sync("browseTable", {"tableName": "Sail"})
    second = shop.call_sync("browseTable", {"tableName": "Sale"})
    assert first.table is not None
    assert second.table is not None
    assert (first.table.result_id, refused.table, second.table.result_id) == ("r1", None, "r2")


def test_rows_of_another_tenant_never_appear(shop: TableTools) -> None:
    assert [row["id"] for row in query(shop)] == [1, 2, 3, 4, 5]
    refused = shop.call_sync(
        "queryTable", {"tableName": "Sale", "filters": [{"field": "region", "op": "=", "value": "Geheim"}]}
    )
    assert refused.error_details is not None
    assert refused.error_details.code == "VALUE_NOT_FOUND"
    assert "Geheim" not in (refused.error_details.suggestion or "")


def test_json_writes_decimals_as_strings_and_null_as_null(shop: TableTools) -> None:
    text = shop.call_sync(
        "queryTable", {"tableName": "Sale", "fields": ["amount", "note"], "orderBy": "id"}
    ).model_dump_json()
    assert '{"amount":"10.10","note":"first"}' in text
    assert '{"amount":"0.10","note":null}' in text


def test_parallel_calls_do_not_disturb_each_other(shop: TableTools) -> None:
    async def many() -> list[ToolResult]:
        calls = (shop.call("aggregateTable", {"tableName": "Sale", "aggregate": "COUNT"}) for _ in range(20))
        return await asyncio.gather(*calls)

    results = asyncio.run(many())
    assert all(rows(result) == [{"count": 5}] for result in results)
    assert len({result.table.result_id for result in results if result.table}) == 20


def test_a_value_stored_later_is_found_once_the_profile_is_no_longer_fresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "live.sqlite"
    load("sqlite", str(path), SHOP, "Sale", SALES)
    tools = TableTools(open_source(path))
    call = {"tableName": "Sale", "filters": [{"field": "region", "op": "=", "value": "West"}]}
    assert tools.call_sync("queryTable", call).error_details is not None
    writer = sqlite3.connect(path)
    writer.execute("UPDATE Sale SET region = 'West' WHERE id = 1")
    writer.commit()
    writer.close()
    assert tools.call_sync("queryTable", call).error_details is not None
    monkeypatch.setattr("veracity.query.values.FRESH_SECONDS", 0.0)
    assert [row["id"] for row in rows(tools.call_sync("queryTable", call))] == [1]
    tools.close()


@pytest.mark.parametrize(
    "written", ["2025-01-31 10:00:00", "2025-01-31T10:00:00", "2025-01-31T10:00:00Z", "2025-01-31 10:00"]
)
def test_sqlite_times_compare_as_times_however_they_are_written(tmp_path: Path, written: str) -> None:
    path = tmp_path / "times.sqlite"
    load("sqlite", str(path), 'CREATE TABLE t ("at" TIMESTAMP, "on" DATE)', "t", ((written, written),))
    tools = TableTools(open_source(path))
    for field, op, value in (
        ("at", "=", "2025-01-31T10:00:00"),
        ("at", "<", "2025-01-31 10:00:01"),
        ("on", "=", "2025-01-31"),
    ):
        result = tools.call_sync(
            "queryTable", {"tableName": "t", "filters": [{"field": field, "op": op, "value": value}]}
        )
        assert rows(result) == [{"at": datetime(2025, 1, 31, 10), "on": date(2025, 1, 31)}]
    tools.close()


def test_sqlite_dates_in_another_writing_are_text_and_never_compared_as_dates(tmp_path: Path) -> None:
    path = tmp_path / "swiss.sqlite"
    load("sqlite", str(path), 'CREATE TABLE t ("on" DATE)', "t", (("31.12.2025",), ("01.02.2024",)))
    tools = TableTools(open_source(path))
    assert tools.catalog.entities["t"].fields["on"].column.type == "text"
    tools.close()


def test_codes_in_csv_keep_their_zeros(tmp_path: Path) -> None:
    (tmp_path / "parts.csv").write_text(
        "code,phone,n,price\n007,+41791234567,1,1.50\n010,+41791234568,2,2\n", encoding="utf-8"
    )
    tools = TableTools(open_source(tmp_path / "parts.csv"))
    first = rows(tools.call_sync("browseTable", {"tableName": "parts"}))[0]
    assert first == {"code": "007", "phone": "+41791234567", "n": 1, "price": Decimal("1.50")}
    tools.close()


def test_values_stay_known_while_the_source_is_too_busy_to_be_looked_at(
    shop: TableTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = asyncio.run(shop.stored_values())
    assert known
    monkeypatch.setattr("veracity.query.values.FRESH_SECONDS", 0.0)
    monkeypatch.setattr("veracity.tools.tables._PROFILE_SECONDS", 0.0)
    assert asyncio.run(shop.stored_values()) == known
