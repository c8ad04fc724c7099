"""The shipped ledger, checked with SQL on the built file and not with the generator's own arithmetic."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from each_case import each
from veracity.errors import SourceError
from veracity.features.records import create_tables, record_create
from veracity.features.trustee.ledger import Ledger, build_ledger, make_ledger
from veracity.features.trustee.ledger.companies import DEMO, OTHER, Company
from veracity.features.trustee.models import TABLES, TrusteeDataAccount

# Each finds rows that break the contract, in a ledger of any size.
VIOLATIONS = {
    "an entry balances": """
        SELECT journalEntryId FROM TrusteeDataJournalLine
        GROUP BY journalEntryId HAVING sum(debitAmount) <> sum(creditAmount)""",
    "an entry's total is the sum of its debits": """
        SELECT e.id FROM TrusteeDataJournalEntry e LEFT JOIN TrusteeDataJournalLine l ON l.journalEntryId = e.id
        GROUP BY e.id, e.totalAmount HAVING coalesce(sum(l.debitAmount), 0) <> e.totalAmount OR e.totalAmount <= 0""",
    "a line has one side": """
        SELECT id FROM TrusteeDataJournalLine
        WHERE least(debitAmount, creditAmount) <> 0 OR greatest(debitAmount, creditAmount) <= 0""",
    "a line is in the currency of its entry and account": """
        SELECT l.id FROM TrusteeDataJournalLine l
        LEFT JOIN TrusteeDataJournalEntry e ON e.id = l.journalEntryId AND e.mandateId = l.mandateId
        LEFT JOIN TrusteeDataAccount a ON a.accountNumber = l.accountNumber AND a.mandateId = l.mandateId
        WHERE e.currency IS DISTINCT FROM a.currency OR e.currency IS NULL""",
    "a balance is in the currency of its account": """
        SELECT b.id FROM TrusteeDataAccountBalance b
        LEFT JOIN TrusteeDataAccount a USING (mandateId, accountNumber) WHERE b.currency IS DISTINCT FROM a.currency""",
    "a month's totals are the sums of its lines": """
        WITH booked AS (
            SELECT l.mandateId, l.accountNumber, year(to_timestamp(e.bookingDate) AT TIME ZONE 'UTC') AS y,
                   month(to_timestamp(e.bookingDate) AT TIME ZONE 'UTC') AS m,
                   sum(l.debitAmount) AS debit, sum(l.creditAmount) AS credit
            FROM TrusteeDataJournalLine l JOIN TrusteeDataJournalEntry e ON e.id = l.journalEntryId
            GROUP BY ALL)
        SELECT b.id, x.accountNumber FROM (SELECT * FROM TrusteeDataAccountBalance WHERE periodMonth > 0) b
        FULL JOIN booked x ON x.mandateId = b.mandateId AND x.accountNumber = b.accountNumber
                          AND x.y = b.periodYear AND x.m = b.periodMonth
        WHERE b.id IS NULL OR b.debitTotal <> coalesce(x.debit, 0) OR b.creditTotal <> coalesce(x.credit, 0)""",
    "a balance closes on the account's normal side": """
        SELECT b.id FROM TrusteeDataAccountBalance b JOIN TrusteeDataAccount a USING (mandateId, accountNumber)
        WHERE b.closingBalance <> b.openingBalance
              + CASE WHEN a.accountClass IN ('liability', 'revenue') THEN -1 ELSE 1 END * (b.debitTotal - b.creditTotal)""",
    "the annual row closes like December, opens like January and sums the months": """
        SELECT y.id FROM TrusteeDataAccountBalance y
        LEFT JOIN TrusteeDataAccountBalance m ON m.mandateId = y.mandateId AND m.accountNumber = y.accountNumber
                                             AND m.periodYear = y.periodYear AND m.periodMonth > 0
        WHERE y.periodMonth = 0
        GROUP BY y.id, y.openingBalance, y.debitTotal, y.creditTotal, y.closingBalance
        HAVING count(*) <> 12 OR sum(m.debitTotal) <> y.debitTotal OR sum(m.creditTotal) <> y.creditTotal
            OR max(m.closingBalance) FILTER (m.periodMonth = 12) <> y.closingBalance
            OR max(m.openingBalance) FILTER (m.periodMonth = 1) <> y.openingBalance""",
    "a month opens where the one before closed": """
        SELECT id FROM (
            SELECT b.id, b.openingBalance, a.accountClass IN ('asset', 'liability') AS carried, b.periodMonth,
                   lag(b.closingBalance) OVER (
                       PARTITION BY b.mandateId, b.accountNumber ORDER BY b.periodYear, b.periodMonth) AS before
            FROM TrusteeDataAccountBalance b JOIN TrusteeDataAccount a USING (mandateId, accountNumber)
            WHERE b.periodMonth > 0)
        WHERE openingBalance <> CASE WHEN carried OR periodMonth > 1 THEN coalesce(before, 0) ELSE 0 END""",
    "assets equal liabilities on 31 December, in each currency": """
        SELECT b.mandateId, b.periodYear, b.currency
        FROM TrusteeDataAccountBalance b JOIN TrusteeDataAccount a USING (mandateId, accountNumber)
        WHERE b.periodMonth = 0 AND a.accountClass IN ('asset', 'liability') GROUP BY ALL
        HAVING sum(CASE a.accountClass WHEN 'asset' THEN b.closingBalance ELSE -b.closingBalance END) <> 0""",
    "9200 shows what the year earned": """
        SELECT b.mandateId, b.periodYear
        FROM TrusteeDataAccountBalance b JOIN TrusteeDataAccount a USING (mandateId, accountNumber)
        WHERE b.periodMonth = 0 AND a.accountClass IN ('revenue', 'expense', 'closing') GROUP BY ALL
        HAVING sum(CASE a.accountClass WHEN 'revenue' THEN b.closingBalance ELSE -b.closingBalance END) <> 0""",
    "an entry's contact exists in its mandate": """
        SELECT e.id FROM TrusteeDataJournalEntry e
        LEFT JOIN TrusteeDataContact c ON c.id = e.contactId AND c.mandateId = e.mandateId
        WHERE e.contactId IS NOT NULL AND c.id IS NULL""",
    "an entry is booked at midnight UTC": """
        SELECT id FROM TrusteeDataJournalEntry WHERE bookingDate % 86400 <> 0""",
}

GROUPS = {
    "Kasse": (1000, 1009),
    "Post": (1010, 1019),
    "Bank": (1020, 1029),
    "Debitoren": (1100, 1109),
    "Vorräte": (1200, 1299),
    "Aktive Rechnungsabgrenzung": (1300, 1399),
    "Sachanlagen": (1500, 1599),
    "Kreditoren": (2000, 2009),
    "MWST": (2200, 2209),
    "Passive Rechnungsabgrenzung": (2300, 2399),
    "Bankdarlehen": (2400, 2499),
    "Eigenkapital": (2800, 2999),
    "Handelsertrag": (3200, 3299),
    "Dienstleistungsertrag": (3400, 3499),
    "Materialaufwand": (4000, 4999),
    "Löhne": (5000, 5099),
    "Sozialversicherungen": (5700, 5799),
    "Raumaufwand": (6000, 6099),
    "Verwaltung/IT": (6500, 6599),
    "Abschreibungen": (6800, 6899),
    "Finanzaufwand": (6900, 6999),
    "Betrieblicher Nebenerfolg": (7000, 7999),
    "Betriebsfremd": (8000, 8999),
    "Abschluss": (9000, 9999),
}


@pytest.fixture(scope="module")
def ledger_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ledger") / "ledger.duckdb"
    build_ledger(path)
    return path


@pytest.fixture(scope="module")
def ledger(ledger_file: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(ledger_file), read_only=True) as connection:
        yield connection


def _rows(connection: duckdb.DuckDBPyConnection, sql: str, *values: object) -> list[tuple[Any, ...]]:
    return connection.execute(sql, list(values)).fetchall()


def _everything(path: Path) -> list[list[tuple[Any, ...]]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return [_rows(connection, f'FROM "{table.__name__}" ORDER BY id') for table in TABLES]


@each("invariant", VIOLATIONS)
def test_the_shipped_ledger_keeps_the_contract(ledger: duckdb.DuckDBPyConnection, invariant: str) -> None:
    assert _rows(ledger, VIOLATIONS[invariant]) == []


@each("invariant", VIOLATIONS)
def test_each_check_finds_a_broken_ledger(invariant: str) -> None:
    """A check that never fails proves nothing: each of these changes one value too many."""
    breaks = {
        "an entry balances": "UPDATE TrusteeDataJournalLine SET debitAmount = 1 WHERE id = 'o-l-00002-1'",
        "an entry's total is the sum of its debits": "UPDATE TrusteeDataJournalEntry SET totalAmount = 1",
        "a line has one side": "UPDATE TrusteeDataJournalLine SET debitAmount = 1, creditAmount = 1",
        "a line is in the currency of its entry and account": "UPDATE TrusteeDataJournalEntry SET currency = 'EUR'",
        "a balance is in the currency of its account": "UPDATE TrusteeDataAccountBalance SET currency = 'EUR'",
        "a month's totals are the sums of its lines": "DELETE FROM TrusteeDataJournalEntry WHERE id = 'o-e-00002'",
        "an entry's contact exists in its mandate": "DELETE FROM TrusteeDataContact",
        "an entry is booked at midnight UTC": "UPDATE TrusteeDataJournalEntry SET bookingDate = bookingDate + 3600",
    }
    balances = "UPDATE TrusteeDataAccountBalance SET closingBalance = closingBalance + 1 WHERE {}"
    default = balances.format("accountNumber IN ('1020', '3400') AND periodMonth IN (0, 3)")
    with duckdb.connect() as connection:
        create_tables(connection, TABLES)
        record_create(connection, make_ledger(1, OTHER).records())
        assert _rows(connection, VIOLATIONS[invariant]) == []
        connection.execute(breaks.get(invariant, default))
        assert _rows(connection, VIOLATIONS[invariant]) != []


@pytest.mark.parametrize(("seed", "years", "volume"), [(1, range(2019, 2021), 1), (7, range(2024, 2026), 3)])
def test_other_sizes_keep_the_contract(seed: int, years: range, volume: int) -> None:
    with duckdb.connect() as connection:
        create_tables(connection, TABLES)
        record_create(connection, make_ledger(seed, replace(DEMO, years=years), volume=volume).records())
        assert [name for name, sql in VIOLATIONS.items() if _rows(connection, sql)] == []


def test_every_entry_balances(ledger: duckdb.DuckDBPyConnection) -> None:
    rows = _rows(
        ledger,
        """SELECT e.id, e.totalAmount, l.debitAmount, l.creditAmount
           FROM TrusteeDataJournalEntry e JOIN TrusteeDataJournalLine l ON l.journalEntryId = e.id ORDER BY e.id""",
    )
    for _, group in itertools.groupby(rows, key=lambda row: row[0]):
        lines = list(group)
        assert len(lines) >= 2
        assert sum(line[2] for line in lines) == sum(line[3] for line in lines) == lines[0][1]


def test_annual_row_closes_like_december(ledger: duckdb.DuckDBPyConnection) -> None:
    closings = {
        month: _rows(
            ledger,
            """SELECT mandateId, accountNumber, periodYear, closingBalance FROM TrusteeDataAccountBalance
               WHERE periodMonth = ? ORDER BY ALL""",
            month,
        )
        for month in (0, 12)
    }
    assert closings[0] == closings[12]


def test_gold_values_of_the_seed(ledger: duckdb.DuckDBPyConnection) -> None:
    rows = _rows(
        ledger,
        """SELECT accountNumber, periodMonth, closingBalance, currency FROM TrusteeDataAccountBalance
           WHERE mandateId = 'm-demo' AND featureInstanceId = 'fi-demo' AND periodYear = 2025
             AND periodMonth IN (0, 12) AND accountNumber LIKE '102%' ORDER BY ALL""",
    )
    assert rows == [
        ("1020", 0, Decimal("152400.00"), "CHF"),
        ("1020", 12, Decimal("152400.00"), "CHF"),
        ("1021", 0, Decimal("28100.00"), "CHF"),
        ("1021", 12, Decimal("28100.00"), "CHF"),
    ]


def test_the_gold_values_hold_for_any_seed() -> None:
    closing = {
        balance.account_number: balance.closing_balance
        for balance in make_ledger(99, replace(DEMO, years=range(2025, 2026))).balances
        if balance.period_month == 0
    }
    assert (closing["1020"], closing["1021"]) == (Decimal("152400.00"), Decimal("28100.00"))


def test_the_ledger_is_large_enough(ledger: duckdb.DuckDBPyConnection) -> None:
    counts = {
        table.__name__: _rows(ledger, f"SELECT count(*) FROM \"{table.__name__}\" WHERE mandateId = 'm-demo'")[0][0]
        for table in TABLES
    }
    assert counts["TrusteeDataAccount"] >= 45
    assert counts["TrusteeDataAccountBalance"] == counts["TrusteeDataAccount"] * 7 * 13
    assert 12_000 <= counts["TrusteeDataJournalLine"] <= 18_000
    assert counts["TrusteeDataContact"] >= 40


def test_every_account_has_every_period(ledger: duckdb.DuckDBPyConnection) -> None:
    found = _rows(
        ledger,
        """SELECT accountNumber, periodYear, periodMonth FROM TrusteeDataAccountBalance
           WHERE mandateId = 'm-demo' ORDER BY ALL""",
    )
    accounts = _rows(ledger, "SELECT accountNumber FROM TrusteeDataAccount WHERE mandateId = 'm-demo' ORDER BY ALL")
    assert found == [
        (number, year, month) for (number,) in accounts for year in range(2019, 2026) for month in range(13)
    ]


@each("group", GROUPS)
def test_every_group_of_the_chart_has_an_account(ledger: duckdb.DuckDBPyConnection, group: str) -> None:
    first, last = GROUPS[group]
    sql = """SELECT count(*) FROM TrusteeDataAccount
             WHERE mandateId = 'm-demo' AND accountNumber::INT BETWEEN ? AND ?"""
    assert _rows(ledger, sql, first, last)[0][0] >= 1


def test_the_first_digit_decides_the_class(ledger: duckdb.DuckDBPyConnection) -> None:
    rows = _rows(ledger, "SELECT DISTINCT accountNumber[1], accountClass FROM TrusteeDataAccount ORDER BY ALL")
    assert rows == [
        ("1", "asset"),
        ("2", "liability"),
        ("3", "revenue"),
        ("4", "expense"),
        ("5", "expense"),
        ("6", "expense"),
        ("7", "expense"),
        ("7", "revenue"),
        ("8", "expense"),
        ("8", "revenue"),
        ("9", "closing"),
    ]


def test_only_the_euro_accounts_are_not_in_francs(ledger: duckdb.DuckDBPyConnection) -> None:
    rows = _rows(ledger, "SELECT accountNumber, currency FROM TrusteeDataAccount WHERE currency <> 'CHF' ORDER BY ALL")
    assert rows == [("1105", "EUR"), ("1190", "EUR")]


def test_money_and_debtors_are_never_negative(ledger: duckdb.DuckDBPyConnection) -> None:
    sql = """
        WITH days AS (
            SELECT l.mandateId, l.accountNumber, e.bookingDate, sum(l.debitAmount - l.creditAmount) AS change
            FROM TrusteeDataJournalLine l JOIN TrusteeDataJournalEntry e ON e.id = l.journalEntryId
            WHERE l.accountNumber BETWEEN '1000' AND '1105' GROUP BY ALL)
        SELECT * FROM (
            SELECT *, sum(change) OVER (PARTITION BY mandateId, accountNumber ORDER BY bookingDate) AS held FROM days)
        WHERE held < 0"""
    assert _rows(ledger, sql) == []


def test_revenue_varies_by_year_and_month(ledger: duckdb.DuckDBPyConnection) -> None:
    sql = """
        SELECT periodYear, periodMonth, sum(closingBalance) FROM TrusteeDataAccountBalance
        WHERE mandateId = 'm-demo' AND accountNumber LIKE '3%' AND periodMonth = 0 GROUP BY ALL ORDER BY ALL"""
    revenue = [total for _, _, total in _rows(ledger, sql)]
    assert revenue[-1] > Decimal("1.3") * revenue[0]
    assert revenue[1] < revenue[0]
    assert len(set(revenue)) == 7


def test_optional_columns_are_filled_in_part(ledger: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT count(*) > count({0}), count({0}) > 0 FROM "{1}" WHERE mandateId = 'm-demo'"""
    for column, table in (
        ("taxCode", "TrusteeDataJournalLine"),
        ("costCenter", "TrusteeDataJournalLine"),
        ("contactId", "TrusteeDataJournalEntry"),
    ):
        assert _rows(ledger, sql.format(column, table)) == [(True, True)]


def test_cost_centers_are_on_expenses_only(ledger: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT DISTINCT a.accountClass FROM TrusteeDataJournalLine l
             JOIN TrusteeDataAccount a USING (mandateId, accountNumber) WHERE l.costCenter IS NOT NULL"""
    assert _rows(ledger, sql) == [("expense",)]


def test_the_tax_rate_changes_with_2024(ledger: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT DISTINCT l.taxCode FROM TrusteeDataJournalLine l
             JOIN TrusteeDataJournalEntry e ON e.id = l.journalEntryId
             WHERE l.accountNumber LIKE '3%' AND l.accountNumber <> '3800' AND l.mandateId = 'm-demo'
               AND (e.bookingDate >= ?) = ? ORDER BY ALL"""
    change = int(datetime(2024, 1, 1, tzinfo=UTC).timestamp())
    assert _rows(ledger, sql, change, False) == [("UN00",), ("UN77",)]
    assert _rows(ledger, sql, change, True) == [("UN00",), ("UN81",)]


def test_mail_goes_to_a_reserved_domain(ledger: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT email FROM TrusteeDataContact WHERE NOT regexp_full_match(email, '[a-z-]+@example\\.com')"
    assert _rows(ledger, sql) == []


def test_second_mandate_is_separate(ledger: duckdb.DuckDBPyConnection) -> None:
    for table in TABLES:
        scopes = _rows(ledger, f'SELECT DISTINCT mandateId, featureInstanceId FROM "{table.__name__}" ORDER BY ALL')
        assert scopes == [("m-demo", "fi-demo"), ("m-other", "fi-other")]
    names = "SELECT mandateId FROM TrusteeDataContact WHERE (name LIKE 'Fremd%') <> (mandateId = 'm-other')"
    assert _rows(ledger, names) == []
    crossing = """SELECT l.id FROM TrusteeDataJournalLine l JOIN TrusteeDataJournalEntry e ON e.id = l.journalEntryId
                  WHERE l.mandateId <> e.mandateId"""
    assert _rows(ledger, crossing) == []


def test_amounts_of_the_second_mandate_are_recognisable(ledger: duckdb.DuckDBPyConnection) -> None:
    lines = "FROM TrusteeDataJournalLine WHERE mandateId = ? AND (debitAmount + creditAmount) % 77.77 = 0"
    balances = "FROM TrusteeDataAccountBalance WHERE mandateId = 'm-other' AND closingBalance % 77.77 <> 0"
    (total,) = _rows(ledger, "SELECT count(*) FROM TrusteeDataJournalLine WHERE mandateId = 'm-other'")[0]
    assert 200 <= total == len(_rows(ledger, lines, "m-other"))
    assert _rows(ledger, balances) == []
    # By accident 2 in 15,000 would be usual.
    assert len(_rows(ledger, lines, "m-demo")) < 20


@pytest.mark.parametrize("table", TABLES)
def test_ids_are_unique_across_mandates(ledger: duckdb.DuckDBPyConnection, table: type) -> None:
    assert _rows(ledger, f'SELECT id FROM "{table.__name__}" GROUP BY id HAVING count(*) > 1') == []


def test_columns_are_those_of_the_models(ledger: duckdb.DuckDBPyConnection) -> None:
    for table in TABLES:
        columns = [row[0] for row in _rows(ledger, f'DESCRIBE "{table.__name__}"')]
        assert columns == [field.alias for field in table.model_fields.values()]


def test_columns_have_the_types_of_the_contract(ledger: duckdb.DuckDBPyConnection) -> None:
    described = {
        (table.__name__, name): (kind, nullable)
        for table in TABLES
        for name, kind, nullable, *_ in _rows(ledger, f'DESCRIBE "{table.__name__}"')
    }
    other = {key: value for key, value in described.items() if value != ("VARCHAR", "NO")}
    entry, line, balance = "TrusteeDataJournalEntry", "TrusteeDataJournalLine", "TrusteeDataAccountBalance"
    assert other == {
        ("TrusteeDataAccount", "isActive"): ("BOOLEAN", "NO"),
        (balance, "periodYear"): ("INTEGER", "NO"),
        (balance, "periodMonth"): ("INTEGER", "NO"),
        (balance, "openingBalance"): ("DECIMAL(18,2)", "NO"),
        (balance, "debitTotal"): ("DECIMAL(18,2)", "NO"),
        (balance, "creditTotal"): ("DECIMAL(18,2)", "NO"),
        (balance, "closingBalance"): ("DECIMAL(18,2)", "NO"),
        (entry, "bookingDate"): ("BIGINT", "NO"),
        (entry, "contactId"): ("VARCHAR", "YES"),
        (entry, "totalAmount"): ("DECIMAL(18,2)", "NO"),
        (line, "debitAmount"): ("DECIMAL(18,2)", "NO"),
        (line, "creditAmount"): ("DECIMAL(18,2)", "NO"),
        (line, "taxCode"): ("VARCHAR", "YES"),
        (line, "costCenter"): ("VARCHAR", "YES"),
    }


def test_records_of_several_tables_go_in_at_once() -> None:
    small = make_ledger(1, OTHER)
    mixed = [small.contacts[0], small.accounts[0], small.contacts[1]]
    with duckdb.connect() as connection:
        create_tables(connection, TABLES)
        record_create(connection, mixed)
        row = _rows(connection, "FROM TrusteeDataAccount")[0]
        assert _rows(connection, "SELECT name FROM TrusteeDataContact") == [(c.name,) for c in small.contacts[:2]]
    assert TrusteeDataAccount(**dict(zip(TrusteeDataAccount.model_fields, row, strict=True))) == small.accounts[0]


def test_two_builds_are_identical(ledger_file: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.duckdb"
    build_ledger(again)
    assert _everything(again) == _everything(ledger_file)


def test_another_seed_gives_other_books() -> None:
    assert make_ledger(1, OTHER) == make_ledger(1, OTHER)
    assert make_ledger(1, OTHER) != make_ledger(2, OTHER)


@cache
def _made(seed: int, company: Company) -> Ledger:
    return make_ledger(seed, company)


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The books are made once for all tests that are about writing them."""
    monkeypatch.setattr("veracity.features.trustee.ledger.make_ledger", _made)


@pytest.mark.usefixtures("once")
def test_progress_counts_up_to_all_records(tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    path = tmp_path / "ledger.duckdb"
    build_ledger(path, progress=lambda done, total: calls.append((done, total)))
    done = [call[0] for call in calls]
    assert len(done) > 5
    assert done == sorted(set(done))
    assert {total for _, total in calls} == {done[-1]} == {sum(map(len, _everything(path)))}


def _give_up(done: int, total: int) -> None:
    if done > total / 2:
        raise RuntimeError("power cut")


@pytest.mark.usefixtures("once")
def test_a_failed_build_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="power cut"):
        build_ledger(tmp_path / "ledger.duckdb", progress=_give_up)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("once")
def test_a_failed_build_keeps_the_ledger_that_was_there(tmp_path: Path) -> None:
    path = tmp_path / "ledger.duckdb"
    path.write_text("the one before")
    with pytest.raises(RuntimeError, match="power cut"):
        build_ledger(path, progress=_give_up)
    assert path.read_text() == "the one before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("once")
def test_two_builders_at_once_leave_one_whole_ledger(ledger_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "new" / "ledger.duckdb"
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(build_ledger, [path, path]))
    assert list(path.parent.iterdir()) == [path]
    assert _everything(path) == _everything(ledger_file)


@pytest.mark.usefixtures("once")
def test_a_place_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match=r"cannot be written to .*ledger\.duckdb \(.+\): set VERACITY_HOME"):
        build_ledger(tmp_path / "file" / "ledger.duckdb")
