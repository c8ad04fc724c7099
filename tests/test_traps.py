"""The traps that other systems fall into, as structured calls: each is refused with a useful word, its right neighbours give the right figure."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from each_case import each
from traps import ONTOLOGY, build, where
from veracity.answer.render import Echo, Rendered, render
from veracity.contracts import QueryValidationError, TableData
from veracity.tools.open import open_tables
from veracity.tools.tables import TableTools


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableTools]:
    tools = open_tables(build(tmp_path_factory.mktemp("traps") / "shop.duckdb"), ontology=ONTOLOGY)
    yield tools
    tools.close()


def aggregate(table: str, kind: str, field: str | None = None, **more: Any) -> tuple[str, dict[str, Any]]:
    given = {"tableName": table, "aggregate": kind, "field": field, **more}
    return "aggregateTable", {key: value for key, value in given.items() if value is not None}


TRAPS = [
    # trap, call, code, what the suggestion or hint has to name
    ("balance summed over periods", aggregate("stock", "SUM", "pieces"), "INVALID_AGGREGATE_TARGET", "year"),
    ("balance summed over months", aggregate("stock", "SUM", "pieces", filters=where(year=2025)), "INVALID_AGGREGATE_TARGET", "month"),
    ("balance averaged over periods", aggregate("stock", "AVG", "pieces", groupBy=["product"]), "INVALID_AGGREGATE_TARGET", "year"),
    ("annual and monthly rows", aggregate("stock", "SUM", "pieces", filters=[*where(year=2025), {"field": "month", "op": "IN", "value": [0, 1]}]), "INVALID_AGGREGATE_TARGET", "month"),
    ("fan-out", aggregate("sold", "SUM", "total", filters=where(currency="CHF")), "AMBIGUOUS_GRAIN", "total"),
    ("fan-out by group", aggregate("sold", "SUM", "total", groupBy=["product", "currency"]), "AMBIGUOUS_GRAIN", "total"),
    ("chasm, one side", aggregate("paid", "SUM", "amount"), "AMBIGUOUS_GRAIN", "amount"),
    ("chasm, other side", aggregate("paid", "SUM", "pieces"), "AMBIGUOUS_GRAIN", "pieces"),
    ("misspelt field", aggregate("sale", "SUM", "totl"), "FIELD_NOT_FOUND", "total"),
    ("misspelt table", aggregate("sales", "SUM", "total"), "TABLE_NOT_FOUND", "sale"),
    ("an identifier summed", aggregate("sale", "SUM", "id"), "INVALID_AGGREGATE_TARGET", "id"),
    ("a foreign key averaged", aggregate("sale", "AVG", "customer_id"), "INVALID_AGGREGATE_TARGET", "customer_id"),
    ("a price summed", aggregate("line", "SUM", "price"), "INVALID_AGGREGATE_TARGET", "price"),
    ("a text summed", aggregate("customer", "SUM", "name"), "TYPE_MISMATCH", "name"),
    ("a literal that is not stored", aggregate("customer", "COUNT", filters=where(region="North")), "VALUE_NOT_FOUND", "Nord"),
    ("a literal of another case", aggregate("sale", "SUM", "total", filters=where(currency="chf")), "VALUE_NOT_FOUND", "CHF"),
    ("two currencies", aggregate("sale", "SUM", "total"), "MIXED_UNITS", "currency"),
    ("two currencies in a year", aggregate("sale", "AVG", "total", filters=[{"field": "sold_on", "op": ">=", "value": "2025-01-01"}]), "MIXED_UNITS", "currency"),
]  # fmt: skip


@each(("call", "code", "named"), [trap[1:] for trap in TRAPS])
def test_a_trap_is_refused_with_a_useful_word(
    shop: TableTools, call: tuple[str, dict[str, Any]], code: str, named: str
) -> None:
    result = shop.call_sync(*call)
    assert result.error_details is not None, result.data
    assert result.error_details.code == code
    said = f"{result.error_details.field} {result.error_details.suggestion} {result.error_details.hint}"
    assert named in said
    assert len(result.error_details.hint) <= 80


NEIGHBOURS = [
    ("one snapshot", aggregate("stock", "SUM", "pieces", filters=where(year=2025, month=2)), [55]),
    ("the annual rows", aggregate("stock", "SUM", "pieces", filters=where(year=2025, month=0)), [55]),
    ("each snapshot", aggregate("stock", "SUM", "pieces", groupBy=["year", "month"]), [55, 55, 55]),
    ("each month of a product", aggregate("stock", "SUM", "pieces", groupBy=["month"], filters=where(year=2025, product="ski")), [25, 20, 25]),
    ("the highest balance", aggregate("stock", "MAX", "pieces"), [35]),
    ("how many balances", aggregate("stock", "COUNT"), [6]),
    ("a balance averaged within a snapshot", aggregate("stock", "AVG", "pieces", filters=where(year=2025, month=2)), [Decimal("27.5")]),
    ("the many side of a join", aggregate("sold", "SUM", "pieces"), [9]),
    ("the many side by product", aggregate("sold", "SUM", "pieces", groupBy=["product"]), [4, 3, 2]),
    ("the one side on its own", aggregate("sale", "SUM", "total", filters=where(currency="CHF")), [Decimal("180.00")]),
    ("each side of a chasm on its own", aggregate("payment", "SUM", "amount"), [Decimal("220.00")]),
    ("the other side on its own", aggregate("line", "SUM", "pieces"), [9]),
    ("distinct things of a fan-out", aggregate("sold", "COUNT_DISTINCT", "sale"), [4]),
    ("rows of a fan-out", aggregate("sold", "COUNT"), [5]),
    ("identifiers counted", aggregate("sale", "COUNT", "id"), [4]),
    ("the largest identifier", aggregate("sale", "MAX", "id"), [4]),
    ("the highest price", aggregate("line", "MAX", "price"), [Decimal("60.00")]),
    ("a stored literal", aggregate("customer", "COUNT", filters=where(region="Nord")), [2]),
    ("names by pattern", aggregate("customer", "COUNT", filters=[{"field": "name", "op": "LIKE", "value": "%AG"}]), [2]),
    ("free of a currency by group", aggregate("sale", "SUM", "total", groupBy=["currency"]), [Decimal("180.00"), Decimal("70.00")]),
    ("the mean of one currency", aggregate("sale", "AVG", "total", filters=where(currency="CHF")), [Decimal("60.00")]),
    ("a count over currencies", aggregate("sale", "COUNT"), [4]),
]  # fmt: skip


@each(("call", "figures"), [one[1:] for one in NEIGHBOURS])
def test_its_right_neighbours_are_accepted_and_right(
    shop: TableTools, call: tuple[str, dict[str, Any]], figures: list[Any]
) -> None:
    result = shop.call_sync(*call)
    assert isinstance(result.data, TableData), result.error_details
    last = result.data.columns[-1].name
    assert [row[last] for row in result.data.rows] == figures


@pytest.mark.parametrize("expression", ["sum(r1.total)", "count(r1)", "avg(r1.total)"])
def test_a_truncated_result_is_not_totalled(shop: TableTools, expression: str) -> None:
    all_of_them = {"tableName": "sale", "filters": where(currency="CHF")}

    def made(call: dict[str, Any]) -> Rendered | QueryValidationError:
        data = shop.call_sync("queryTable", call).data
        assert isinstance(data, TableData)
        results = {"r1": shop.result(data.model_copy(update={"result_id": "r1"}), "queryTable", call)}
        return render(f"In total {{{{ {expression} }}}}.", results, locale="en", echo=Echo())

    cut = made({**all_of_them, "limit": 2})
    assert isinstance(cut, QueryValidationError)
    assert cut.code == "RESULT_TRUNCATED"
    assert isinstance(made(all_of_them), Rendered)
