"""Expressions: what they come to over real and hand-made results, and how each wrong one is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from veracity.answer.expression import (
    Cells,
    Selection,
    Value,
    ValueKind,
    cell_expression,
    evaluate,
    parse,
    results_used,
    selections,
)
from veracity.answer.results import ColumnFacts, Result, digest, result_of
from veracity.contracts import HINT_LENGTH, QueryValidationError, ResultColumn, TableData
from veracity.language.number_words import words_in
from veracity.ontology.fields import Additivity, Encoding, FieldRole
from veracity.query.model import Call, Filter, read_call
from veracity.tools.tables import TableTools

BALANCE = ("accountNumber", "periodYear", "periodMonth", "closingBalance", "currency")
quick = settings(deadline=None, max_examples=300)

# --- results


def made(
    columns: Mapping[str, ColumnFacts],
    *rows: tuple[Any, ...],
    name: str = "r1",
    table: str = "T",
    key: tuple[str, ...] = (),
    pinned: Mapping[str, Any] | None = None,
    truncated: bool = False,
) -> Result:
    """A result without a source."""
    data = TableData(
        result_id=name,
        table_name=table,
        columns=tuple(ResultColumn(name=column, type="text") for column in columns),
        rows=tuple(dict(zip(columns, row, strict=True)) for row in rows),
        row_count=len(rows),
        truncated=truncated,
    )
    return Result(data, Call(tool="queryTable", table=table), key, columns, pinned or {}, key)


CODE = ColumnFacts(role=FieldRole.CODE)
YEAR = ColumnFacts(role=FieldRole.PERIOD, scale=0, numeric=True)
TEXT = ColumnFacts()
CURRENCY = ColumnFacts(role=FieldRole.CURRENCY)
PLAIN = ColumnFacts(additivity=Additivity.ADDITIVE, scale=2, can_be_added=True, numeric=True)
RATE = ColumnFacts(role=FieldRole.RATE, numeric=True)
AMOUNT = ColumnFacts(
    role=FieldRole.AMOUNT,
    additivity=Additivity.ADDITIVE,
    unit_field="currency",
    unit_fixed_by=("currency", "account"),
    scale=2,
    can_be_added=True,
    numeric=True,
)
SNAPSHOT = ColumnFacts(
    role=FieldRole.AMOUNT,
    additivity=Additivity.SEMI_ADDITIVE,
    over=("year",),
    unit_field="currency",
    unit_fixed_by=("currency", "account"),
    scale=2,
    can_be_added=True,
    numeric=True,
)
LEDGER = {"account": CODE, "year": YEAR, "amount": AMOUNT, "balance": SNAPSHOT, "currency": CURRENCY, "note": TEXT}
ROWS = (
    ("1020", 2024, Decimal("100.00"), Decimal("10.00"), "CHF", "first"),
    ("1020", 2025, Decimal("200.00"), Decimal("20.00"), "CHF", None),
    ("1021", 2025, Decimal("50.50"), Decimal("30.00"), "CHF", "12"),
    ("1022", 2025, Decimal("1.00"), Decimal("5.00"), "EUR", "x"),
)


def ledger(**more: Any) -> Result:
    return made(LEDGER, *more.pop("rows", ROWS), key=("account", "year"), **more)


def outcome(text: str, *results: Result) -> Value | QueryValidationError:
    node = parse(text)
    return node if isinstance(node, QueryValidationError) else evaluate(node, {r.data.result_id: r for r in results})


def value(text: str, *results: Result) -> Value:
    found = outcome(text, *(results or (ledger(),)))
    assert isinstance(found, Value), found
    return found


def problem(text: str, *results: Result) -> QueryValidationError:
    found = outcome(text, *(results or (ledger(),)))
    assert isinstance(found, QueryValidationError), found
    assert len(found.hint) <= HINT_LENGTH
    return found


Query = Callable[..., Result]


@pytest.fixture
def query(trustee: TableTools) -> Query:
    """A result of the real tools on the shipped ledger."""

    def ask(tool: str, arguments: dict[str, Any], name: str = "r1") -> Result:
        answer = trustee.call_sync(tool, arguments)
        assert answer.table is not None, answer.error
        data = answer.table.model_copy(update={"result_id": name})
        return result_of(data, read_call(tool, arguments), trustee.catalog)

    return ask


def cells(result: Result, column: str) -> list[Decimal]:
    return [Decimal(str(row[column])) for row in result.data.rows]


def balances(
    query: Query, *filters: tuple[str, str, Any], fields: tuple[str, ...] = BALANCE, name: str = "r1"
) -> Result:
    conditions = [{"field": field, "op": op, "value": v} for field, op, v in filters]
    arguments = {"tableName": "TrusteeDataAccountBalance", "fields": list(fields), "filters": conditions}
    return query("queryTable", arguments, name)


YEAR_END = (("periodYear", "=", 2025), ("periodMonth", "=", 0))
BANK = (*YEAR_END, ("accountNumber", "LIKE", "102%"))

# --- cells and aggregates


@each(
    ("text", "expected"),
    [
        ("r1[0].amount", "100.00"),
        ("r1[-1].amount", "1.00"),
        ("r1[account='1021'].amount", "50.50"),
        ('r1[account="1021"].amount', "50.50"),
        ("r1[account=1021].amount", "50.50"),
        ("r1[account='1020', year=2025].amount", "200.00"),
        ("r1[account='1020' and year='2025'].amount", "200.00"),
        ("r1[amount=200].balance", "20.00"),
        ("sum(r1[currency='CHF'].amount)", "350.50"),
        ("SUM(r1[year=2025, currency='CHF'].balance)", "50.00"),
        ("min(r1[currency='CHF'].amount)", "50.50"),
        ("Max(r1[currency='CHF'].balance)", "30.00"),
        ("avg(r1[year=2025 and currency='CHF'].balance)", "25"),
        ("count(r1)", "4"),
        ("count(r1.note)", "3"),
        ("count(r1[year=2025])", "3"),
        ("r1[0].amount - r1[1].amount", "-100.00"),
        ("-r1[0].amount", "-100.00"),
        ("(r1[0].amount + r1[1].amount) / 2", "150"),
        ("r1[1].balance / r1[0].balance", "2"),
        ("r1[0].amount * 12", "1200.00"),
        ("r1[0].amount / count(r1)", "25"),
        ("r1[0].amount + 0", "100.00"),
        ("percent(r1[0].amount, r1[1].amount)", "50"),
        ("percent(r1[1].amount - r1[0].amount, r1[0].amount)", "100"),
        ("round(r1[2].amount / 12, 1)", "4.2"),
        ("round(r1[0].amount / 1000, 3)", "0.100"),
        ("count(r1[year=2025]) + count(r1[year=2024])", "4"),
        ("r1[1].year - r1[0].year", "1"),
        ("r1[0].amount − r1[1].amount", "-100.00"),
    ],
)
def test_an_expression_comes_to_the_value_of_its_cells(text: str, expected: str) -> None:
    assert value(text).value == Decimal(expected)


def test_a_single_cell_may_be_a_text_a_date_a_truth_or_nothing() -> None:
    columns = {"t": TEXT, "d": TEXT, "b": TEXT, "n": TEXT, "at": ColumnFacts(encoding=Encoding.UNIX_SECONDS)}
    result = made(columns, ("text", date(2025, 1, 31), True, None, 1735689600))
    assert [value(f"r1[0].{name}", result).kind for name in columns] == [
        ValueKind.TEXT,
        ValueKind.DATE,
        ValueKind.BOOL,
        ValueKind.NULL,
        ValueKind.DATE,
    ]


@pytest.mark.parametrize(
    ("encoding", "cell", "expected"),
    [
        (Encoding.UNIX_SECONDS, 1735689600, date(2025, 1, 1)),
        (Encoding.UNIX_MILLISECONDS, 1735689600000, date(2025, 1, 1)),
        (Encoding.UNIX_SECONDS, -1, date(1969, 12, 31)),
        (None, date(2025, 1, 1), date(2025, 1, 1)),
        (None, datetime(2025, 1, 1, 23, 59), date(2025, 1, 1)),
        (None, "2025-01-01", date(2025, 1, 1)),
        (None, None, None),
    ],
)
def test_date_decodes_what_the_column_stores(encoding: Encoding | None, cell: Any, expected: date | None) -> None:
    result = made({"at": ColumnFacts(encoding=encoding, numeric=True)}, (cell,))
    assert value("date(r1[0].at)", result).value == expected


def test_rows_may_be_picked_by_the_day_that_a_number_stands_for() -> None:
    result = made(
        {"at": ColumnFacts(encoding=Encoding.UNIX_SECONDS), "x": PLAIN}, (1735689600, Decimal(1)), (0, Decimal(2))
    )
    assert value("r1[at='2025-01-01'].x", result).value == 1
    assert value("max(r1.at)", result).value == date(2025, 1, 1)


def test_floats_are_computed_as_they_are_written() -> None:
    result = made({"x": RATE}, (0.1,), (0.2,))
    assert value("r1[1].x - r1[0].x", result).value == Decimal("0.1")


def test_names_with_spaces_and_other_alphabets_are_written_in_quotes_or_as_they_are() -> None:
    result = made({"Umsatz CHF": PLAIN, "金额": PLAIN, "Grösse": PLAIN}, (Decimal(1), Decimal(2), Decimal(3)))
    assert [value(f"r1[0].{n}", result).value for n in ('"Umsatz CHF"', "`Umsatz CHF`", "金额", "Grösse")] == [
        1,
        1,
        2,
        3,
    ]
    assert value("r1['Umsatz CHF'=1].Grösse", result).value == 3


@given(st.lists(st.decimals(-(10**15), 10**15, places=2), min_size=1, max_size=60))
@quick
def test_a_sum_is_the_exact_sum_of_its_cells(numbers: list[Decimal]) -> None:
    result = made({"x": PLAIN}, *((number,) for number in numbers))
    assert value("sum(r1.x)", result).value == sum(numbers)
    assert value("max(r1.x) - min(r1.x)", result).value == max(numbers) - min(numbers)


# --- provenance


def test_args_name_the_cells_with_their_keys() -> None:
    (arg,) = value("r1[account='1021'].amount").args
    assert arg.model_dump() == {
        "result": "r1",
        "row_key": {"account": "1021", "year": "2025"},
        "column": "amount",
        "raw": "50.50",
    }
    assert not value("r1[0].amount").derived
    assert len(value("sum(r1[currency='CHF'].amount)").args) == 3


def test_a_row_without_a_key_is_named_by_its_index() -> None:
    result = made({"x": PLAIN}, (Decimal(1),), (Decimal(2),))
    assert value("r1[-1].x", result).args[0].row_key == {"row": 1}


def test_a_count_is_proven_by_the_rows() -> None:
    (arg,) = value("count(r1)").args
    assert (arg.result, arg.row_key, arg.column, arg.raw) == ("r1", {}, "*", 4)


def test_at_most_fifty_cells_are_listed() -> None:
    result = made({"x": PLAIN}, *((Decimal(n),) for n in range(80)))
    total = value("sum(r1.x)", result)
    assert (total.value, len(total.args)) == (sum(range(80)), 50)


def test_what_an_expression_reads_is_told_without_evaluating_it() -> None:
    node = parse("sum(r1[currency='CHF'].amount) - r2[0].x + count(r3)")
    assert not isinstance(node, QueryValidationError)
    assert results_used(node) == {"r1", "r2", "r3"}
    assert selections(node) == (Selection("r1", (("currency", "CHF"),)), Selection("r2", index=0), Selection("r3"))


def test_a_cell_is_written_by_a_key_field_that_tells_its_row_apart() -> None:
    assert cell_expression(ledger(), 2, "amount") == "r1[account='1021'].amount"
    assert cell_expression(ledger(), 0, "amount") == "r1[year=2024].amount"
    assert cell_expression(ledger(), 1, "amount") == "r1[account='1020', year=2025].amount"
    assert cell_expression(made({"a b": PLAIN}, (1,)), 0, "a b") == 'r1[0]."a b"'


# --- refusals


@each(
    ("text", "code", "suggestion"),
    [
        ("r9[0].amount", "FIELD_NOT_FOUND", "r1"),
        ("r1[0].amuont", "FIELD_NOT_FOUND", "amount"),
        ("r1[acount='1'].amount", "FIELD_NOT_FOUND", "account"),
        ("r1[9].amount", "VALUE_NOT_FOUND", "r1[0]"),
        ("r1[-9].amount", "VALUE_NOT_FOUND", "r1[0]"),
        ("r1[account='1029'].amount", "VALUE_NOT_FOUND", "account='1020'"),
        ("count(r1[currency='CHFF'])", "VALUE_NOT_FOUND", "currency='CHF'"),
        ("r1[account='1020'].amount", "AMBIGUOUS_GRAIN", "r1[year=2024].amount"),
        ("r1.amount", "TYPE_MISMATCH", "r1[year=2024].amount"),
        ("r1", "TYPE_MISMATCH", "r1[0].account"),
        ("r1[0]", "TYPE_MISMATCH", "r1[0].account"),
        ("", "TYPE_MISMATCH", None),
        ("r1[", "TYPE_MISMATCH", None),
        ("r1[0].amount +", "TYPE_MISMATCH", None),
        ("r1[0].amount r1[1].amount", "TYPE_MISMATCH", None),
        ("summe(r1.amount)", "TYPE_MISMATCH", "sum"),
        ("__import__('os')", "TYPE_MISMATCH", None),
        ("r1[account=abc].amount", "TYPE_MISMATCH", "account='abc'"),
        ("r1[0].amount / (r1[0].amount - r1[0].amount)", "TYPE_MISMATCH", None),
        ("percent(r1[0].amount, r1[0].amount - r1[0].amount)", "TYPE_MISMATCH", None),
        ("r1[0].note + r1[0].amount", "TYPE_MISMATCH", None),
        ("r1[1].note - r1[0].amount", "TYPE_MISMATCH", None),
        ("max(r1.note)", "TYPE_MISMATCH", "IS_NOT_NULL"),
        ("max(r1.currency)", "TYPE_MISMATCH", None),
        ("sum(r1.year)", "INVALID_AGGREGATE_TARGET", None),
        ("sum(r1.balance)", "INVALID_AGGREGATE_TARGET", "year ="),
        ("avg(r1[account='1020'].balance)", "INVALID_AGGREGATE_TARGET", "year ="),
        ("r1[0].balance + r1[1].balance", "INVALID_AGGREGATE_TARGET", "year ="),
        ("r1[0].balance - -r1[1].balance", "INVALID_AGGREGATE_TARGET", "year ="),
        ("r1[0].balance - (0 - r1[1].balance)", "INVALID_AGGREGATE_TARGET", "year ="),
        ("max(r1[currency='CHF'].amount) + r1[0].amount", "INVALID_AGGREGATE_TARGET", None),
        ("sum(r1.amount)", "MIXED_UNITS", "r1[currency='CHF'].amount"),
        ("min(r1.amount)", "MIXED_UNITS", "r1[currency='CHF'].amount"),
        ("r1[0].amount - r1[3].amount", "MIXED_UNITS", None),
        ("percent(r1[0].amount, r1[3].amount)", "MIXED_UNITS", None),
        ("r1[0].amount / r1[3].amount", "MIXED_UNITS", None),
        ("r1[0].amount + count(r1)", "MIXED_UNITS", None),
        ("r1[0].amount * r1[1].amount", "TYPE_MISMATCH", None),
        ("r1[0].amount + r1[0].amount", "AMBIGUOUS_GRAIN", None),
        ("sum(r1[currency='CHF'].amount) + r1[0].amount", "AMBIGUOUS_GRAIN", None),
        ("count(r1) + count(r1)", "AMBIGUOUS_GRAIN", None),
        ("5", "TYPE_MISMATCH", None),
        ("2 + 3", "TYPE_MISMATCH", None),
        ("round(2, 1)", "TYPE_MISMATCH", None),
        ("r1[0].amount + 5", "TYPE_MISMATCH", None),
        ("1 - r1[0].amount", "TYPE_MISMATCH", None),
        ("r1[0].amount * 1.5", "TYPE_MISMATCH", None),
        ("r1[0].amount * 0", "TYPE_MISMATCH", None),
        ("100 / r1[0].amount", "TYPE_MISMATCH", None),
        ("percent(r1[0].amount, 100)", "TYPE_MISMATCH", None),
        ("percent(r1[0].amount)", "TYPE_MISMATCH", None),
        ("round(r1[0].amount, 11)", "TYPE_MISMATCH", "round(x, 2)"),
        ("round(r1[0].amount, 1.5)", "TYPE_MISMATCH", "round(x, 2)"),
        ("round(r1[0].amount, r1[0].year)", "TYPE_MISMATCH", "round(x, 2)"),
        ("sum(r1.amount - r1.balance)", "TYPE_MISMATCH", None),
        ("date(r1[0].amount)", "TYPE_MISMATCH", None),
        ("rows(r1.amount, 5)", "TYPE_MISMATCH", None),
        ("rows(r1.amount, r1[0].balance)", "TYPE_MISMATCH", None),
        ("rows(r1.amount) - rows(r1.amount)", "TYPE_MISMATCH", None),
        ("1" * 31, "TYPE_MISMATCH", None),
        ("(" * 30 + "r1[0].amount" + ")" * 30, "TYPE_MISMATCH", None),
        ("r1[0].amount" + " + 0" * 60, "TYPE_MISMATCH", None),
        ("x" * 501, "TYPE_MISMATCH", None),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_suggestion(text: str, code: str, suggestion: str | None) -> None:
    found = problem(text)
    assert (found.code, found.suggestion) == (code, suggestion), found.hint


def test_an_empty_result_is_said_to_be_empty_and_its_count_is_zero() -> None:
    empty = ledger(rows=())
    for text in (
        "r1[0].amount",
        "r1[account='1'].amount",
        "sum(r1.amount)",
        "min(r1.amount)",
        "rows(r1.amount)",
        "r1.amount",
    ):
        found = problem(text, empty)
        assert found.code == "VALUE_NOT_FOUND"
        assert "empty" in found.hint
    assert value("count(r1)", empty).value == 0


def test_a_truncated_result_gives_single_cells_only() -> None:
    cut = ledger(truncated=True)
    assert value("r1[0].amount", cut).value == 100
    for function in ("sum", "avg", "min", "max", "count"):
        assert problem(f"{function}(r1[currency='CHF'].amount)", cut).code == "RESULT_TRUNCATED"
    assert problem("count(r1)", cut).code == "RESULT_TRUNCATED"
    assert value("rows(r1.amount)", cut).cut
    assert not value("rows(r1.amount)", ledger()).cut


def test_null_is_not_zero() -> None:
    result = made({"x": PLAIN}, (Decimal(1),), (None,))
    assert problem("sum(r1.x)", result).suggestion == "IS_NOT_NULL"
    assert problem("r1[0].x + r1[1].x", result).code == "TYPE_MISMATCH"
    assert value("r1[1].x", result).kind is ValueKind.NULL
    assert value("count(r1.x)", result).value == 1


def test_numbers_that_are_none_are_not_computed_with() -> None:
    result = made({"x": PLAIN}, (Decimal("NaN"),), (True,), ("12",))
    for index in range(3):
        assert problem(f"r1[{index}].x * 2", result).code == "TYPE_MISMATCH"


def test_the_unit_may_be_pinned_by_the_call_or_fixed_by_what_the_rows_share() -> None:
    columns = {"account": CODE, "amount": AMOUNT}
    rows = (("1020", Decimal(1)), ("1020", Decimal(2)), ("1021", Decimal(4)))
    assert problem("sum(r1.amount)", made(columns, *rows)).suggestion == "currency"
    assert problem("r1[0].amount - r1[2].amount", made(columns, *rows)).suggestion == "currency"
    assert value("sum(r1[account='1020'].amount)", made(columns, *rows)).value == 3
    assert value("r1[0].amount - r1[1].amount", made(columns, *rows)).value == -1
    pinned = value("sum(r1.amount)", made(columns, *rows, pinned={"currency": "CHF"}))
    assert (pinned.value, pinned.unit) == (7, "CHF")


def test_what_a_snapshot_is_of_may_be_pinned_but_must_be_known() -> None:
    columns = {"account": CODE, "balance": SNAPSHOT, "currency": CURRENCY}
    rows = (("1020", Decimal(1), "CHF"), ("1021", Decimal(2), "CHF"))
    found = problem("sum(r1.balance)", made(columns, *rows))
    assert (found.code, found.suggestion) == ("INVALID_AGGREGATE_TARGET", "year")
    assert value("sum(r1.balance)", made(columns, *rows, pinned={"year": 2025})).value == 3
    first, second = (
        made(columns, *rows, name=name, pinned={"year": year}) for name, year in (("r1", 2024), ("r2", 2025))
    )
    assert value("sum(r2.balance) - sum(r1.balance)", first, second).value == 0
    assert value("percent(sum(r2.balance), sum(r1.balance))", first, second).value == 100
    assert problem("sum(r2.balance) + sum(r1.balance)", first, second).code == "INVALID_AGGREGATE_TARGET"


def test_values_that_repeat_are_not_added() -> None:
    total = ColumnFacts(additivity=Additivity.ADDITIVE, can_be_added=True, repeats=True, numeric=True)
    result = made({"x": total}, (Decimal(5),), (Decimal(5),))
    assert problem("sum(r1.x)", result).code == "AMBIGUOUS_GRAIN"
    assert problem("r1[0].x + r1[1].x", result).code == "AMBIGUOUS_GRAIN"
    assert value("r1[0].x", result).value == 5


def test_the_same_cell_is_not_added_twice_from_two_results() -> None:
    again = ledger(rows=ROWS[2:3], name="r2")
    assert problem("r1[account='1021'].amount + r2[0].amount", ledger(), again).code == "AMBIGUOUS_GRAIN"


def test_identifiers_are_not_computed_with() -> None:
    result = made({"id": ColumnFacts(role=FieldRole.IDENTIFIER, numeric=True)}, (7,), (8,))
    assert problem("r1[1].id - r1[0].id", result).code == "TYPE_MISMATCH"
    assert problem("max(r1.id)", result).code == "TYPE_MISMATCH"


def test_rows_shows_fifty_and_says_that_there_are_more() -> None:
    assert len(value("rows(r1.account, r1.amount)").rows or ()) == 4
    long = value("rows(r1.x)", made({"x": PLAIN}, *((Decimal(n),) for n in range(51))))
    assert len(long.rows or ()) == 50
    assert long.cut


# --- over the shipped ledger


def test_bank_accounts_of_one_period_add_up(query: Query) -> None:
    result = balances(query, *BANK)
    total = value("sum(r1.closingBalance)", result)
    assert total.value == sum(cells(result, "closingBalance"))
    assert (total.unit, total.decimals, total.role) == ("CHF", 2, FieldRole.AMOUNT)
    assert [arg.row_key["accountNumber"] for arg in total.args] == ["1020", "1021"]


def test_balances_of_two_periods_do_not_add_up_but_compare(query: Query) -> None:
    both = balances(query, ("periodYear", "IN", [2024, 2025]), ("periodMonth", "=", 0), ("accountNumber", "=", "1020"))
    assert problem("sum(r1.closingBalance)", both).suggestion == "periodYear ="
    assert problem("r1[0].closingBalance + r1[1].closingBalance", both).code == "INVALID_AGGREGATE_TARGET"
    by_year = dict(zip(cells(both, "periodYear"), cells(both, "closingBalance"), strict=True))
    change = value("r1[periodYear=2025].closingBalance - r1[periodYear=2024].closingBalance", both)
    assert change.value == by_year[Decimal(2025)] - by_year[Decimal(2024)]
    assert value("max(r1.closingBalance)", both).value == max(by_year.values())


def test_currencies_of_the_ledger_are_not_mixed(query: Query) -> None:
    result = balances(query, *YEAR_END, ("accountNumber", "LIKE", "110%"))
    assert problem("sum(r1.closingBalance)", result).code == "MIXED_UNITS"
    assert value("sum(r1[currency='EUR'].closingBalance)", result).unit == "EUR"
    without = balances(query, *YEAR_END, ("accountNumber", "LIKE", "110%"), fields=("accountNumber", "closingBalance"))
    found = problem("sum(r1.closingBalance)", without)
    assert (found.code, found.suggestion) == ("MIXED_UNITS", "currency")


def test_the_amount_of_an_entry_is_not_added_per_line(query: Query) -> None:
    arguments = {
        "tableName": "TrusteeLedgerLine",
        "fields": ["lineId", "entryTotalAmount", "debitAmount", "currency"],
        "filters": [{"field": "entryNumber", "op": "=", "value": "2025-00001"}],
    }
    result = query("queryTable", arguments)
    assert problem("sum(r1.entryTotalAmount)", result).code == "AMBIGUOUS_GRAIN"
    assert value("sum(r1.debitAmount) - r1[0].entryTotalAmount", result).value == 0


def test_groups_of_an_aggregate_add_up_only_where_the_aggregate_does(query: Query) -> None:
    filters = [{"field": "bookingYear", "op": "=", "value": 2025}, {"field": "currency", "op": "=", "value": "CHF"}]
    base = {"tableName": "TrusteeLedgerLine", "groupBy": ["accountClass"], "filters": filters}
    total = query("aggregateTable", {**base, "aggregate": "SUM", "field": "debitAmount"})
    assert value("sum(r1.sum_debitAmount)", total).unit == "CHF"
    assert total.key == ("accountClass",)
    counts = query("aggregateTable", {**base, "aggregate": "COUNT"})
    counted = value("sum(r1.count)", counts)
    assert (counted.unit, counted.decimals) == (None, 0)
    for aggregate in ("AVG", "MIN", "MAX", "COUNT_DISTINCT"):
        column = f"{aggregate.lower()}_debitAmount"
        result = query("aggregateTable", {**base, "aggregate": aggregate, "field": "debitAmount"})
        assert problem(f"sum(r1.{column})", result).code == "INVALID_AGGREGATE_TARGET"
        assert value(f"r1[0].{column}", result).decimals == (0 if aggregate == "COUNT_DISTINCT" else 2)


def test_dates_of_the_ledger_are_decoded(query: Query) -> None:
    arguments = {
        "tableName": "TrusteeDataJournalEntry",
        "fields": ["id", "bookingDate"],
        "orderBy": "bookingDate",
        "limit": 1,
    }
    result = query("queryTable", arguments)
    assert value("date(r1[0].bookingDate)", result).value == date(2019, 1, 1)
    assert isinstance(value("r1[0].bookingDate", result).args[0].raw, int)


def test_columns_follow_the_conventions_where_no_ontology_speaks(shop: TableTools) -> None:
    answer = shop.call_sync("browseTable", {"tableName": "Sale"})
    assert answer.table is not None
    result = result_of(answer.table, read_call("browseTable", {"tableName": "Sale"}), shop.catalog)
    assert result.columns["amount"].can_be_added
    assert not result.columns["id"].can_be_added
    assert result.columns["id"].role is FieldRole.IDENTIFIER
    assert problem("sum(r1.amount)", result).suggestion == "IS_NOT_NULL"
    assert value("max(r1[region='Nord'].soldOn)", result).value == date(2025, 2, 28)


# --- results


def test_equality_filters_pin_their_fields(query: Query) -> None:
    result = balances(
        query, ("periodYear", "IN", [2025]), ("periodMonth", "=", 0), ("accountNumber", "IN", ["1020", "1021"])
    )
    assert dict(result.pinned) == {"periodYear": 2025, "periodMonth": 0}
    assert result.key == ("accountNumber", "periodYear", "periodMonth")
    assert result.identifies


def test_the_arguments_of_a_call_can_be_told_again(query: Query) -> None:
    result = balances(query, *BANK)
    again = read_call("queryTable", result.arguments)
    assert again == result.call
    assert again.problem is None
    assert Filter("periodYear", "=", 2025) in again.filters


def test_the_digest_is_the_same_for_the_same_rows_also_after_json(query: Query) -> None:
    data = balances(query, *BANK).data
    again = TableData.model_validate_json(data.model_dump_json())
    assert digest(data) == digest(again) == digest(balances(query, *BANK, name="r7").data)
    other = data.model_copy(update={"rows": data.rows[:1]})
    assert len(digest(data)) == 64
    assert digest(other) != digest(data)


# --- never raises

PIECES = st.sampled_from(
    (
        *words_in("r1 r2 [ ] 0 -1 . amount account = '1020' \" sum ( ) , + - * / percent round date rows count and"),
        *words_in("year 2025 12 x {{ ½ １ ≠"),
        *(" ", "\n", "\0"),
    )
)


@given(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=14).map("".join)))
@quick
def test_no_text_makes_parse_or_evaluate_raise(text: str) -> None:
    found = outcome(text, ledger())
    assert isinstance(found, Value | QueryValidationError)


@pytest.mark.parametrize(
    "text", ["(" * 250, "-" * 400, "r1[" * 150, "sum(" * 120, "1+" * 240, "'" * 499, "a" * 100_000]
)
def test_adversarial_expressions_are_refused_quickly(text: str) -> None:
    assert isinstance(outcome(text, ledger()), QueryValidationError)


def test_trees_are_small_and_comparable() -> None:
    assert parse("r1[0].x") == Cells(Selection("r1", index=0), "x")
