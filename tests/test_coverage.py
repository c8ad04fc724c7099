"""Question coverage: what the question names is in the calls behind the answer, and right calls are never sent back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from veracity.answer.coverage import ReceiptLine, Used, cover, first_missing, in_words
from veracity.answer.time_conditions import joined
from veracity.contracts import ValidationErrorCode
from veracity.query.model import OPERATORS, read_call
from veracity.question import Lexicon, QuestionReading, read
from veracity.tools.tables import TableTools

TODAY = date(2026, 11, 15)
CASES = Path(__file__).parent / "cases" / "ledger"
BALANCE, LINE, ENTRY, CONTACT = (
    "TrusteeDataAccountBalance",
    "TrusteeLedgerLine",
    "TrusteeDataJournalEntry",
    "TrusteeDataContact",
)
ENTRY_WITH_CONTACT, ACCOUNT = "TrusteeEntryWithContact", "TrusteeDataAccount"
Where = tuple[str, str, Any]


class Book:
    """The trustee's catalog with its words: reads a question and covers it with calls."""

    def __init__(self, tools: TableTools) -> None:
        self.catalog = tools.catalog
        self.stored = asyncio.run(tools.stored_values())
        self.words = Lexicon.of(tools.catalog, self.stored)

    def read(self, question: str) -> QuestionReading:
        return read(question, self.words, today=TODAY)

    def cover(self, question: str, *used: Used) -> tuple[ReceiptLine, ...]:
        return cover(self.read(question), used, self.catalog, self.stored)

    def missing(self, question: str, *used: Used) -> list[str]:
        return [line.mention for line in self.cover(question, *used) if line.status == "missing"]


@pytest.fixture(scope="module")
def book(trustee: TableTools) -> Book:
    return Book(trustee)


def where(*conditions: Where) -> list[dict[str, Any]]:
    return [{"field": name, "op": op, "value": value} for name, op, value in conditions]


def query(table: str, *conditions: Where, rows: Any = None, returned: Any = (), name: str = "r1") -> Used:
    call = read_call("queryTable", {"tableName": table, "filters": where(*conditions)})
    assert call.problem is None
    return Used(name, call, rows=rows, cited=len(rows or returned), returned=tuple(returned))


def count(table: str, *conditions: Where, by: tuple[str, ...] = (), **used: Any) -> Used:
    arguments = {"tableName": table, "aggregate": "COUNT", "filters": where(*conditions), "groupBy": list(by)}
    return Used("r1", read_call("aggregateTable", arguments), **used)


def total(table: str, field: str, *conditions: Where, by: tuple[str, ...] = (), **used: Any) -> Used:
    arguments = {"tableName": table, "aggregate": "SUM", "field": field, "filters": where(*conditions)}
    return Used("r1", read_call("aggregateTable", arguments | {"groupBy": list(by)}), **used)


def seconds(year: int, month: int, day: int, clock: str = "00:00:00") -> int:
    moment = datetime.fromisoformat(f"{year:04}-{month:02}-{day:02}T{clock}").replace(tzinfo=UTC)
    return int(moment.timestamp())


def at(year: int, month: int | None = 0) -> tuple[Where, ...]:
    return (("periodYear", "=", year), ("periodMonth", "=", month))


BANK: Where = ("accountNumber", "LIKE", "102%")
CUSTOMERS: Where = ("contactType", "=", "customer")


# --- the receipt


def test_a_receipt_says_what_meets_each_mention(book: Book) -> None:
    lines = book.cover("Wie hoch ist das Bankguthaben Ende 2024?", query(BALANCE, BANK, *at(2024)))
    assert [(line.mention, line.meaning, line.status) for line in lines] == [
        ("Bankguthaben", "accountNumber LIKE '102%'", "met"),
        ("Ende 2024", "2024-12-31", "met"),
    ]
    assert [line.met_by for line in lines] == [
        "r1: accountNumber LIKE 102%",
        "r1: periodYear = 2024 and periodMonth = 0",
    ]


def test_the_model_is_told_what_is_missing(book: Book) -> None:
    problem = first_missing(book.cover("Wie viele Kunden haben wir?", count(CONTACT)))
    assert problem is not None
    assert problem.code is ValidationErrorCode.QUESTION_NOT_COVERED
    assert (problem.field, problem.suggestion) == ("Kunden", "contactType = 'customer'")


def test_what_is_missing_is_said_in_the_names_of_the_table(book: Book) -> None:
    question = "Umsatz mit der Alpenblick Systeme AG im Jahr 2024"
    revenue = total(LINE, "netAmount", ("accountNumber", "LIKE", "3%"), ("bookingYear", "=", 2024))
    problem = first_missing(book.cover(question, revenue))
    assert problem is not None
    assert problem.suggestion == "contactName = 'Alpenblick Systeme AG'"


def test_nothing_is_missing_without_mentions(book: Book) -> None:
    assert book.cover("Hallo, wie geht es dir?") == ()
    assert first_missing(()) is None


def test_everything_is_missing_without_calls(book: Book) -> None:
    assert book.missing("Wie hoch ist das Bankguthaben Ende 2024?") == ["Bankguthaben", "Ende 2024"]


@pytest.mark.parametrize(
    "question",
    [
        "Bankguthaben im März?",  # of which year is not said
        "Wie viele Buchungen gab es?",
        "Buchungen ab März 2025",
        "Saldo der Konten",
        "Die 5 grössten Buchungen",
    ],
)
def test_what_the_reader_is_unsure_of_never_blocks(book: Book, question: str) -> None:
    assert [m.text for m in book.read(question).mentions if not m.sure]
    assert book.missing(question, query(BALANCE, BANK, *at(2025))) == []


# --- kinds and values


@each(
    ("question", "used", "missing"),
    [
        ("Wie viele Kunden haben wir?", count(CONTACT, CUSTOMERS), []),
        ("Wie viele Kunden haben wir?", count(CONTACT), ["Kunden"]),
        ("Wie viele Kunden haben wir?", count(CONTACT, ("contactType", "=", "vendor")), ["Kunden"]),
        ("Wie viele Kunden haben wir?", count(CONTACT, ("city", "=", "Zürich")), ["Kunden"]),
        ("Wie viele Kunden haben wir?", count(CONTACT, ("contactType", "IN", ["customer"])), []),
        ("Wie viele Kunden haben wir?", count(CONTACT, ("contactType", "IN", ["customer", "vendor"])), ["Kunden"]),
        ("Wie viele Kunden haben wir?", count(CONTACT, ("contactType", "LIKE", "cust%")), []),
        ("Wie viele Kunden haben wir?", count(CONTACT, ("contactType", "LIKE", "%")), ["Kunden"]),
        ("Wie viele Kunden haben wir?", count(CONTACT, ("contactType", "!=", "vendor")), []),
        ("Wie viele Kunden haben wir?", count(CONTACT, CUSTOMERS, ("contactType", "=", "vendor")), ["Kunden"]),
        ("Wie viele Kunden haben wir?", count(ACCOUNT), ["Kunden"]),
        ("Kunden und Lieferanten?", count(CONTACT, ("contactType", "IN", ["customer", "vendor"])), []),
        ("Wie viele Kontakte sind keine Kunden?", count(CONTACT, ("contactType", "!=", "customer")), []),
        ("Wie viele Kontakte sind Kunden?", count(CONTACT, ("contactType", "!=", "customer")), ["Kunden"]),
        ("How many vendors do we have in Zurich?", count(CONTACT, ("contactType", "=", "vendor")), ["Zurich"]),
        ("Kunden aus Deutschland?", count(CONTACT, CUSTOMERS, ("country", "=", "DE")), []),
        ("我们有多少客户？", count(CONTACT), ["客户"]),
    ],
)
def test_a_kind_is_counted_with_its_filter(book: Book, question: str, used: Used, missing: list[str]) -> None:
    assert book.missing(question, used) == missing


KINDS = ({"contactType": "customer", "count": 30}, {"contactType": "vendor", "count": 19})


@pytest.mark.parametrize(
    ("rows", "missing"),
    [
        (({"contactType": "customer"},), []),
        (({"contactType": "vendor"},), ["Kunden"]),
        (({"contactType": "vendor"}, {"contactType": "customer"}), []),
        (None, ["Kunden"]),  # both added up
    ],
)
def test_a_grouped_count_is_met_by_the_row_that_is_cited(book: Book, rows: Any, missing: list[str]) -> None:
    used = count(CONTACT, by=("contactType",), rows=rows, returned=KINDS)
    assert book.missing("Wie viele Kunden haben wir?", used) == missing


def test_a_grouping_meets_a_kind_as_long_as_nothing_is_cited(book: Book) -> None:
    assert book.missing("Wie viele Kunden haben wir?", count(CONTACT, by=("contactType",))) == []


def test_a_cited_row_is_known_by_all_its_columns(book: Book) -> None:
    returned = (
        {"id": "c-1", "name": "Alpenblick Systeme AG", "city": "Bern"},
        {"id": "c-2", "name": "Bergkristall Pharma AG", "city": "Basel"},
    )
    question = "In welcher Stadt ist die Bergkristall Pharma AG?"
    assert book.missing(question, query(CONTACT, rows=({"id": "c-2"},), returned=returned)) == []
    assert book.missing(question, query(CONTACT, rows=({"row": 1},), returned=returned)) == []
    assert book.missing(question, query(CONTACT, rows=({"id": "c-1"},), returned=returned)) == [
        "Bergkristall Pharma AG"
    ]
    assert book.missing(question, query(CONTACT, rows=({"row": 9},), returned=returned)) == ["Bergkristall Pharma AG"]


ALPENBLICK: Where = ("contactName", "=", "Alpenblick Systeme AG")
REVENUE: Where = ("accountNumber", "LIKE", "3%")
IN_2024: Where = ("bookingYear", "=", 2024)


@each(
    ("question", "used", "missing"),
    [
        # A named contact is what it is.
        ("Umsatz 2024 mit dem Kunden Alpenblick Systeme AG", (REVENUE, IN_2024, ALPENBLICK), []),
        ("Umsatz 2024 mit dem Kunden Alpenblick Systeme AG", (REVENUE, IN_2024), ["Kunden", "Alpenblick Systeme AG"]),
        (
            "Umsatz 2024 mit dem Kunden Alpenblick Systeme AG",
            (REVENUE, IN_2024, ("contactName", "LIKE", "Alpenblick%")),
            [],
        ),
        (
            "Umsatz 2024 mit dem Kunden Alpenblick Systeme AG",
            (REVENUE, IN_2024, ("contactName", "LIKE", "%AG")),
            ["Alpenblick Systeme AG"],
        ),
        # Accounts that are chosen by number have their class, but not a kind of contact.
        ("Kosten 2024 auf Konto 6000", (IN_2024, ("accountNumber", "=", "6000")), []),
        ("Kosten 2024", (IN_2024,), ["Kosten"]),
        ("Kosten 2024", (IN_2024, ("accountClass", "=", "expense")), []),
        ("Kosten 2024", (IN_2024, ("accountNumber", "BETWEEN", ["4000", "8999"])), []),
        ("Kosten mit Lieferanten 2024", (IN_2024, ("accountClass", "=", "expense")), ["Lieferanten"]),
        ("Umsatz mit Kunden 2024", (REVENUE, IN_2024), ["Kunden"]),
    ],
)
def test_a_kind_may_go_without_saying(book: Book, question: str, used: tuple[Where, ...], missing: list[str]) -> None:
    assert book.missing(question, total(LINE, "netAmount", *used)) == missing


def test_what_goes_without_saying_is_marked_unsure(book: Book) -> None:
    used = total(LINE, "netAmount", REVENUE, IN_2024, ALPENBLICK)
    lines = {line.mention: line for line in book.cover("Umsatz 2024 mit dem Kunden Alpenblick Systeme AG", used)}
    assert (lines["Kunden"].status, lines["Kunden"].met_by) == ("unsure", None)


def test_a_grouping_by_name_tells_the_kind_unless_it_counts(book: Book) -> None:
    by_name = total(LINE, "netAmount", REVENUE, IN_2024, by=("contactName",))
    assert book.missing("Umsatz pro Kunde 2024", by_name) == []
    counted = count(ENTRY_WITH_CONTACT, IN_2024, by=("contactName",))
    assert book.missing("Anzahl Buchungen pro Kunde 2024", counted) == ["Kunde"]


@pytest.mark.parametrize(
    ("used", "missing"),
    [
        # A table without contacts cannot be asked for customers, but it must be asked for something.
        (query(BALANCE, ("accountNumber", "LIKE", "110%"), *at(2024)), []),
        (query(BALANCE, *at(2024)), ["Kunden"]),
        (query(BALANCE, ("currency", "=", "CHF"), *at(2024)), ["Kunden"]),
        (
            query(ENTRY, ("bookingDate", "BETWEEN", [seconds(2024, 1, 1), seconds(2024, 12, 31)])),
            ["Kunden"],
        ),
    ],
)
def test_a_table_without_the_kind_is_chosen_from_otherwise(book: Book, used: Used, missing: list[str]) -> None:
    assert set(book.missing("Wie viel schulden uns die Kunden Ende 2024?", used)) == set(missing)


# --- currencies

IN_TWO = (
    {"accountNumber": "1100", "closingBalance": 10, "currency": "CHF"},
    {"accountNumber": "1101", "closingBalance": 20, "currency": "EUR"},
)
DEBTORS: Where = ("accountNumber", "LIKE", "110%")


@each("word", ["Euro", "EUR"])
@each(
    ("used", "met"),
    [
        (query(BALANCE, DEBTORS, *at(2025), ("currency", "=", "EUR")), True),
        (query(BALANCE, DEBTORS, *at(2025), ("currency", "=", "CHF")), False),
        (query(BALANCE, DEBTORS, *at(2025)), False),
        (query(BALANCE, DEBTORS, *at(2025), returned=IN_TWO[1:]), True),
        (query(BALANCE, DEBTORS, *at(2025), returned=IN_TWO), False),
        (query(BALANCE, DEBTORS, *at(2025), returned=IN_TWO, rows=({"accountNumber": "1101"},)), True),
        (query(BALANCE, DEBTORS, *at(2025), returned=IN_TWO, rows=({"accountNumber": "1100"},)), False),
    ],
)
def test_a_currency_is_met_by_its_filter_or_by_the_rows(book: Book, word: str, used: Used, met: bool) -> None:
    assert (word not in book.missing(f"Debitoren in {word} per 31.12.2025", used)) is met


def test_the_rows_of_another_currency_may_be_left_out_when_one_is_named(book: Book) -> None:
    cited = query(BALANCE, DEBTORS, *at(2025), returned=IN_TWO, rows=({"accountNumber": "1101"},))
    assert book.missing("Debitoren in Euro per 31.12.2025", cited) == []
    assert book.missing("Debitoren per 31.12.2025", cited) == ["Debitoren"]


# --- groups of the chart

BOTH = ({"accountNumber": "1020", "closingBalance": 1}, {"accountNumber": "1021", "closingBalance": 2})


@each(
    ("conditions", "met"),
    [
        ((BANK,), True),
        ((("accountNumber", "BETWEEN", ["1020", "1029"]),), True),
        ((("accountNumber", ">=", "1020"), ("accountNumber", "<=", "1029")), True),
        ((("accountNumber", ">=", "1020"), ("accountNumber", "<", "1030")), True),
        ((("accountNumber", "LIKE", "102_"),), True),
        ((("accountNumber", "=", "1020"),), False),
        ((BANK, ("accountNumber", "=", "1020")), False),
        ((BANK, ("accountNumber", "!=", "1020")), False),
        ((("accountNumber", "IN", ["1020"]),), False),
        ((("accountNumber", "LIKE", "10%"),), False),
        ((("accountNumber", "LIKE", "1%"),), False),
        ((("accountNumber", "BETWEEN", ["1000", "1999"]),), False),
        ((("accountNumber", "BETWEEN", ["1020", "1020"]),), False),
        ((("accountNumber", "IS_NOT_NULL", None),), False),
        ((), False),
    ],
)
def test_a_group_is_met_by_exactly_its_members(book: Book, conditions: tuple[Where, ...], met: bool) -> None:
    missing = book.missing("Wie hoch ist das Bankguthaben Ende 2024?", query(BALANCE, *conditions, *at(2024)))
    assert ("Bankguthaben" not in missing) is met


def test_all_members_by_name_are_the_group(book: Book) -> None:
    members = sorted(code for code in book.stored[BALANCE, "accountNumber"] if code.startswith("102"))
    used = query(BALANCE, ("accountNumber", "IN", members), *at(2024))
    assert book.missing("Wie hoch ist das Bankguthaben Ende 2024?", used) == []


@pytest.mark.parametrize(
    ("rows", "met"),
    [
        (None, True),
        (({"accountNumber": "1020"},), False),
        (({"accountNumber": "1020"}, {"accountNumber": "1021"}), True),
        (({"row": 0}, {"row": 1}), True),
        (({"row": 1},), False),
    ],
)
def test_a_group_is_not_told_by_one_of_its_rows(book: Book, rows: Any, met: bool) -> None:
    used = query(BALANCE, BANK, *at(2024), rows=rows, returned=BOTH)
    assert (book.missing("Wie hoch ist das Bankguthaben Ende 2024?", used) == []) is met


@pytest.mark.parametrize(
    "question",
    [
        "Welches Bankkonto hatte Ende 2024 den höchsten Saldo?",
        "Which bank account had the lowest balance at the end of 2024?",
        "2024年底哪个银行账户余额最高？",
    ],
)
def test_one_row_answers_which_is_the_highest(book: Book, question: str) -> None:
    used = query(BALANCE, BANK, *at(2024), rows=({"accountNumber": "1020"},), returned=BOTH)
    assert book.missing(question, used) == []


def test_a_group_by_currency_is_told_by_all_its_rows(book: Book) -> None:
    returned = ({"currency": "CHF", "sum_netAmount": 1}, {"currency": "EUR", "sum_netAmount": 2})
    every = ({"currency": "CHF"}, {"currency": "EUR"})
    parts = (REVENUE, IN_2024)
    told = total(LINE, "netAmount", *parts, by=("currency",), rows=every, cited=1, returned=returned)
    assert book.missing("Umsatz 2024", told) == []
    half = total(LINE, "netAmount", *parts, by=("currency",), rows=every[:1], cited=1, returned=returned)
    assert book.missing("Umsatz 2024", half) == ["Umsatz"]
    assert book.missing("Umsatz 2024 in CHF", half) == []


def test_a_group_of_several_prefixes_is_its_range(book: Book) -> None:
    question = "Wie hoch ist das Eigenkapital Ende 2024?"
    assert book.missing(question, query(BALANCE, ("accountNumber", "BETWEEN", ["2800", "2999"]), *at(2024))) == []
    assert book.missing(question, query(BALANCE, ("accountNumber", "LIKE", "28%"), *at(2024))) == ["Eigenkapital"]
    assert "2800 to 2999" in in_words(book.read(question).sure[0].meanings[0], book.catalog)


# --- codes


@pytest.mark.parametrize(
    ("question", "conditions", "missing"),
    [
        ("Saldo von Konto 1020 Ende 2024", (("accountNumber", "=", "1020"),), []),
        ("Saldo von Konto 1020 Ende 2024", (("accountNumber", "=", "1021"),), ["1020"]),
        ("Saldo von Konto 1020 Ende 2024", (BANK,), ["1020"]),
        ("Saldo von Konto 1020 Ende 2024", (("accountNumber", "LIKE", "1020%"),), []),
        ("Saldo von Konto 1020 Ende 2024", (("accountNumber", "IN", ["1020", "1021"]),), ["1020"]),
        ("Salden von 1020 und 1021 Ende 2024", (("accountNumber", "IN", ["1020", "1021"]),), []),
        ("Salden der Konten 1020 bis 1100 Ende 2024", (("accountNumber", "BETWEEN", ["1020", "1100"]),), []),
        ("Saldo von Konto 1020 Ende 2024", (("accountNumber", "BETWEEN", ["1020", "1100"]),), ["1020"]),
    ],
)
def test_a_code_is_met_by_itself_alone(
    book: Book, question: str, conditions: tuple[Where, ...], missing: list[str]
) -> None:
    assert book.missing(question, query(BALANCE, *conditions, *at(2024))) == missing


def test_a_code_is_met_by_its_row(book: Book) -> None:
    used = query(BALANCE, BANK, *at(2024), rows=({"accountNumber": "1020"},), returned=BOTH)
    assert book.missing("Saldo von Konto 1020 Ende 2024", used) == []
    assert book.missing("Saldo von Konto 1021 Ende 2024", used) == ["1021"]


# --- periods of balances


@each(
    ("said", "year", "month", "met"),
    [
        ("Ende 2024", 2024, 0, True),
        ("Ende 2024", 2024, 12, True),
        ("per 31.12.2024", 2024, 0, True),
        ("per 31.12.2024", 2024, 12, True),
        ("Ende 2024", 2023, 0, False),
        ("Ende 2024", 2024, 11, False),
        ("per 30.06.2025", 2025, 6, True),
        ("Ende Juni 2025", 2025, 6, True),
        ("Ende Juni 2025", 2025, 0, False),
        ("Ende Juni 2025", 2025, 7, False),
        ("Ende Q2 2025", 2025, 6, True),
        ("per 15.06.2025", 2025, 6, False),
        ("per 15.06.2025", 2025, 5, False),
        ("per 15.06.2025", 2025, 0, False),
        ("am 1.12.2025", 2025, 12, False),
        ("im Juni 2025", 2025, 6, True),
        ("im Juni 2025", 2025, 0, False),
        ("2025", 2025, 0, True),
        ("2025", 2025, 6, False),
        ("2025", 2025, 12, False),
        ("Anfang 2025", 2025, 0, True),
        ("Anfang 2025", 2025, 1, True),
        ("Anfang 2025", 2024, 0, True),
        ("Anfang 2025", 2024, 12, True),
        ("Anfang 2025", 2025, 2, False),
    ],
)
def test_a_balance_is_of_the_moment_that_is_asked_for(book: Book, said: str, year: int, month: int, met: bool) -> None:
    used = query(BALANCE, ("accountNumber", "=", "1020"), *at(year, month))
    assert (book.missing(f"Saldo Konto 1020 {said}", used) == []) is met


TREND = tuple(
    {"accountNumber": "1020", "periodYear": 2025, "periodMonth": month, "closingBalance": month}
    for month in range(1, 13)
)
ALL_MONTHS: tuple[Where, ...] = (
    ("accountNumber", "=", "1020"),
    ("periodYear", "=", 2025),
    ("periodMonth", "BETWEEN", [1, 12]),
)


def keys(*months: int) -> tuple[Mapping[str, Any], ...]:
    return tuple({"accountNumber": "1020", "periodYear": "2025", "periodMonth": str(month)} for month in months)


@each(
    ("question", "rows", "met"),
    [
        ("Saldo Konto 1020 Ende Juni 2025", keys(6), True),
        ("Saldo Konto 1020 Ende Juni 2025", keys(7), False),
        ("Saldo Konto 1020 Ende Juni 2025", None, False),  # the highest of all months, say
        ("Saldo Konto 1020 Ende 2025", keys(12), True),
        ("Saldo Konto 1020 Ende 2025", None, False),
        ("Saldo Konto 1020 2025", keys(6), False),
        ("Verlauf von Konto 1020 2025", keys(*range(1, 13)), True),
        ("Verlauf von Konto 1020 2025", keys(1, 12), True),
        ("Verlauf von Konto 1020 2025", None, True),
        ("In welchem Monat 2025 war der Saldo von 1020 am höchsten?", keys(7), True),
        ("Konto 1020 im Q2 2025", keys(4, 5, 6), True),
        ("Konto 1020 im Q2 2025", keys(4, 6), False),
    ],
)
def test_of_many_months_the_rows_decide(book: Book, question: str, rows: Any, met: bool) -> None:
    assert (book.missing(question, query(BALANCE, *ALL_MONTHS, rows=rows, returned=TREND)) == []) is met


def test_a_period_that_is_not_filtered_is_read_from_the_only_row(book: Book) -> None:
    used = query(BALANCE, ("accountNumber", "=", "1020"), ("periodYear", "=", 2025), returned=TREND[5:6])
    assert book.missing("Saldo Konto 1020 Ende Juni 2025", used) == []
    assert book.missing("Saldo Konto 1020 Ende Juli 2025", used) == ["Ende Juli 2025"]


# --- several periods


def test_one_of_two_periods_is_missing(book: Book) -> None:
    question = "Vergleiche den Umsatz 2024 mit 2025."
    first, second = (query(BALANCE, REVENUE, *at(year), name=f"r{year}") for year in (2024, 2025))
    assert book.missing(question, first) == ["2025"]
    assert book.missing(question, second) == ["2024"]
    assert book.missing(question, first, second) == []


def test_both_years_may_be_in_one_call(book: Book) -> None:
    question = "Vergleiche den Saldo von Konto 1020 in den Jahren 2024 und 2025."
    conditions = (("accountNumber", "=", "1020"), ("periodYear", "IN", [2024, 2025]), ("periodMonth", "=", 0))
    returned = tuple(
        {"accountNumber": "1020", "periodYear": y, "periodMonth": 0, "closingBalance": 1} for y in (2024, 2025)
    )
    assert book.missing(question, query(BALANCE, *conditions)) == []
    assert book.missing(question, query(BALANCE, *conditions, returned=returned)) == []  # their difference
    cited = ({"accountNumber": "1020", "periodYear": "2024", "periodMonth": "0"},)
    assert book.missing(question, query(BALANCE, *conditions, returned=returned, rows=cited)) == ["2025"]
    three = query(BALANCE, conditions[0], ("periodYear", "BETWEEN", [2023, 2025]), conditions[2], returned=returned)
    assert book.missing(question, three) == ["Jahren 2024", "2025"]


# --- periods of bookings


def booked(op: str, value: Any) -> Where:
    return ("bookingDate", op, value)


@each(
    ("said", "conditions", "met"),
    [
        ("2024", (booked("BETWEEN", [seconds(2024, 1, 1), seconds(2024, 12, 31)]),), True),
        ("2024", (booked("BETWEEN", [seconds(2024, 1, 1), seconds(2024, 12, 31, "23:59:59")]),), True),
        ("2024", (booked("BETWEEN", [seconds(2024, 1, 1), seconds(2025, 1, 1)]),), False),
        ("2024", (booked("BETWEEN", [seconds(2024, 1, 1), seconds(2024, 12, 30)]),), False),
        ("2024", (booked(">=", seconds(2024, 1, 1)), booked("<", seconds(2025, 1, 1))), True),
        ("2024", (booked(">=", seconds(2024, 1, 1)), booked("<=", seconds(2024, 12, 31))), True),
        ("2024", (booked(">", seconds(2023, 12, 31)), booked("<", seconds(2025, 1, 1))), True),
        # Midnight in Zurich is the evening before in UTC; days are stored at midnight UTC.
        (
            "2024",
            (booked(">=", seconds(2023, 12, 31, "23:00:00")), booked("<", seconds(2024, 12, 31, "23:00:00"))),
            True,
        ),
        ("2024", (booked(">=", seconds(2024, 1, 1)),), False),
        ("2024", (booked(">=", seconds(2024, 1, 2)), booked("<", seconds(2025, 1, 1))), False),
        ("am 15.03.2024", (booked("=", seconds(2024, 3, 15)),), True),
        ("am 15.03.2024", (booked("IN", [seconds(2024, 3, 15)]),), True),
        ("am 15.03.2024", (booked("=", seconds(2024, 3, 16)),), False),
        ("am 15.03.2024", (booked("BETWEEN", [seconds(2024, 3, 15), seconds(2024, 3, 15, "23:59:59")]),), True),
        ("am 15.03.2024", (booked("BETWEEN", [seconds(2024, 3, 1), seconds(2024, 3, 31)]),), False),
        ("im März 2024", (booked(">=", seconds(2024, 3, 1)), booked("<", seconds(2024, 4, 1))), True),
        ("vom 01.03.2024 bis 15.03.2024", (booked("BETWEEN", [seconds(2024, 3, 1), seconds(2024, 3, 15)]),), True),
        ("im Q1 2024", (booked("BETWEEN", [seconds(2024, 1, 1), seconds(2024, 3, 31)]),), True),
        ("2024", (booked("IN", [seconds(2024, 1, 1), seconds(2024, 12, 31)]),), False),
        ("2024", (booked("IS_NULL", None),), False),
        ("2024", (booked("IS_NOT_NULL", None),), False),
        ("2024", (), False),
    ],
)
def test_unix_seconds_are_days(book: Book, said: str, conditions: tuple[Where, ...], met: bool) -> None:
    assert (book.missing(f"Wie viele Buchungen gab es {said}?", count(ENTRY, *conditions)) == []) is met


@each(
    ("said", "conditions", "met"),
    [
        ("2025", (("bookingYear", "=", 2025),), True),
        ("2025", (("bookingYear", "=", 2024),), False),
        ("2025", (("bookingYear", "=", 2025), ("bookingMonth", "=", 3)), False),
        ("2025", (("bookingYear", "=", 2025), ("bookingMonth", "BETWEEN", [1, 12])), True),
        ("2025", (("bookingYear", "IN", [2025]),), True),
        ("2025", (("bookingYear", ">", 2024), ("bookingYear", "<", 2026)), True),
        ("2025", (("bookingYear", ">=", 2025),), False),
        ("2025", (("bookingYear", "!=", 2025),), False),
        ("im März 2025", (("bookingYear", "=", 2025), ("bookingMonth", "=", 3)), True),
        ("im März 2025", (("bookingYear", "=", 2025),), False),
        ("im März 2025", (("bookingMonth", "=", 3),), False),
        ("im März 2025", (("bookingYear", "=", 2025), ("bookingMonth", "BETWEEN", [1, 6])), False),
        ("im März 2025", (("bookingYear", "=", 2025), ("bookingMonth", "IN", [3, 5])), False),
        ("im März 2025", (("bookingYear", "IN", [2024, 2025]), ("bookingMonth", "=", 3)), False),
        ("von Januar bis März 2025", (("bookingYear", "=", 2025), ("bookingMonth", "BETWEEN", [1, 3])), True),
        ("im Q1 2025", (("bookingYear", "=", 2025), ("bookingMonth", "IN", [1, 2, 3])), True),
        ("im Q1 2025", (("bookingYear", "=", 2025), ("bookingMonth", "<=", 3)), True),
        ("2023 bis 2025", (("bookingYear", "BETWEEN", [2023, 2025]),), True),
        ("2025", (("bookingYear", "=", 2025), booked("<", seconds(2025, 7, 1))), False),
        ("2025", (("bookingYear", "=", 2024), booked(">=", seconds(2025, 1, 1))), False),
    ],
)
def test_a_sum_is_of_the_period_that_is_asked_for(
    book: Book, said: str, conditions: tuple[Where, ...], met: bool
) -> None:
    used = total(LINE, "netAmount", REVENUE, *conditions)
    assert (book.missing(f"Umsatz {said}", used) == []) is met


BY_MONTH = tuple({"bookingMonth": month, "sum_netAmount": month} for month in range(1, 7))


@pytest.mark.parametrize(
    ("question", "rows", "met"),
    [
        ("Umsatz im März 2025", ({"bookingMonth": "3"},), True),
        ("Umsatz im März 2025", ({"bookingMonth": "4"},), False),
        ("Umsatz im März 2025", None, False),
        ("Umsatz im Januar und Februar 2025", ({"bookingMonth": "1"}, {"bookingMonth": "2"}), True),
        ("Umsatz im Januar und Februar 2025", ({"bookingMonth": "2"},), False),
    ],
)
def test_a_sum_by_month_is_met_by_the_month_that_is_cited(book: Book, question: str, rows: Any, met: bool) -> None:
    conditions = (REVENUE, ("bookingYear", "=", 2025), ("bookingMonth", "<=", 6))
    used = total(LINE, "netAmount", *conditions, by=("bookingMonth",), rows=rows, cited=1, returned=BY_MONTH)
    assert (book.missing(question, used) == []) is met


# --- right calls are never sent back


RIGHT_CALLS: list[dict[str, Any]] = read_yaml(CASES / "calls.yaml")


@each("case", RIGHT_CALLS)
def test_right_calls_cover_their_question(book: Book, trustee: TableTools, case: dict[str, Any]) -> None:
    used = []
    for number, call in enumerate(case["calls"], 1):
        data = trustee.call_sync(call["tool"], call["args"]).table
        assert data is not None, call
        read_back = read_call(call["tool"], call["args"])
        used.append(Used(f"r{number}", read_back, cited=len(data.rows), returned=data.rows))
    assert book.missing(case["question"], *used) == []


# --- without an ontology


@pytest.fixture
def plain(shop_specs: Callable[[str], str]) -> Any:
    from veracity.sources.open import open_source
    from veracity.sources.source import Scope

    tools = TableTools(open_source(shop_specs("duckdb")), scope=Scope({"tenant": "t-1"}))
    yield Book(tools)
    tools.close()


def moments(first: str, last: str) -> Where:
    return ("soldAt", "BETWEEN", [first, last])


@pytest.mark.parametrize(
    ("question", "conditions", "missing"),
    [
        ("Wie viel wurde in Region Nord verkauft?", (("region", "=", "Nord"),), []),
        ("Wie viel wurde in Region Nord verkauft?", (), ["Nord"]),
        ("Wie viel wurde in Region Nord verkauft?", (("region", "IN", ["Nord", "Süd"]),), ["Nord"]),
        ("Wie viel wurde in Region Nord verkauft?", (("region", "!=", "Nord"),), ["Nord"]),
        ("Verkäufe in Nord und Süd", (("region", "IN", ["Nord", "Süd"]),), []),
        ("Verkäufe 2025", (("soldOn", "BETWEEN", ["2025-01-01", "2025-12-31"]),), []),
        ("Verkäufe 2025", (("soldOn", ">=", "2025-01-01"), ("soldOn", "<", "2026-01-01")), []),
        ("Verkäufe 2025", (("soldOn", ">", "2024-12-31"), ("soldOn", "<=", "2025-12-31")), []),
        ("Verkäufe 2025", (("soldOn", ">=", "2025-01-01"),), ["2025"]),
        ("Verkäufe am 31.01.2025", (("soldOn", "=", "2025-01-31"),), []),
        ("Verkäufe bis Ende 2025", (), []),  # not sure what it begins with
        ("Bestand Ende 2025", (("soldOn", "<=", "2025-12-31"),), []),
        ("Verkäufe 2025", (moments("2025-01-01T00:00:00", "2025-12-31T23:59:59"),), []),
        ("Verkäufe 2025", (moments("2025-01-01T00:00:00", "2025-12-31T00:00:00"),), ["2025"]),
        ("Verkäufe 2025", (moments("2025-01-01T00:00:00", "2026-01-01T00:00:00"),), []),
        ("Verkäufe 2025", (("soldAt", ">=", "2025-01-01"), ("soldAt", "<", "2026-01-01")), []),
        ("Verkäufe 2025", (("note", "=", "first"),), ["2025"]),
    ],
)
def test_a_table_without_an_ontology_is_covered_too(
    plain: Book, question: str, conditions: tuple[Where, ...], missing: list[str]
) -> None:
    assert plain.missing(question, total("Sale", "amount", *conditions)) == missing


def test_receipts_without_an_ontology_make_sense(plain: Book) -> None:
    used = total("Sale", "amount", ("region", "=", "Nord"), ("soldOn", "BETWEEN", ["2025-01-01", "2025-12-31"]))
    lines = plain.cover("Verkäufe in der Region Nord im Jahr 2025", used)
    assert [(line.mention, line.meaning, line.met_by) for line in lines] == [
        ("Nord", "region = 'Nord'", "r1: region = Nord"),
        ("Jahr 2025", "2025", "r1: soldOn BETWEEN 2025-01-01, 2025-12-31"),
    ]


@pytest.fixture
def wide(tmp_path: Path) -> Any:
    from veracity.sources.open import open_source

    (tmp_path / "wide.csv").write_text("city,revenue_2024,revenue_2025\nBern,1,2\nBasel,3,4\n", encoding="utf-8")
    (tmp_path / "long.csv").write_text(
        "month,quarter,booked_date,total\n2024-03,Q1,2024-03-01x,1\n2024-04,Q2,2024-04-01x,2\n", encoding="utf-8"
    )
    tools = TableTools(open_source(str(tmp_path)))
    yield Book(tools)
    tools.close()


def test_a_column_may_be_that_of_the_year(wide: Book) -> None:
    assert wide.missing("Umsatz 2024", total("wide", "revenue_2024")) == []
    assert wide.missing("Umsatz 2024", total("wide", "revenue_2025")) == ["2024"]
    browsed = Used(
        "r1", read_call("browseTable", {"tableName": "wide"}), returned=({"city": "Bern", "revenue_2024": 1},)
    )
    assert wide.missing("Umsatz 2024", browsed) == []


@pytest.mark.parametrize(
    ("said", "condition", "met"),
    [
        ("im März 2024", ("month", "=", "2024-03"), True),
        ("im März 2024", ("month", "=", "2024-04"), False),
        ("2024", ("month", "LIKE", "2024-%"), True),
        ("2024", ("month", "LIKE", "%2024%"), False),
        ("im Q1 2024", ("month", "BETWEEN", ["2024-01", "2024-03"]), True),
        ("im Q1 2024", ("quarter", "=", "Q1"), False),
        ("im März 2024", ("booked_date", "LIKE", "2024-03%"), True),
        ("im März 2024", ("booked_date", "LIKE", "nonsense%"), False),
    ],
)
def test_periods_that_are_stored_as_texts(wide: Book, said: str, condition: Where, met: bool) -> None:
    assert (wide.missing(f"Total {said}", total("long", "total", condition)) == []) is met


# --- whatever a call holds

literals = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.decimals(),
    st.floats(),
    st.text(max_size=12),
    st.dates(),
    st.datetimes(),
    st.lists(st.one_of(st.integers(), st.text(max_size=5), st.none(), st.decimals()), max_size=3),
)
conditions = st.lists(
    st.tuples(
        st.sampled_from(["periodYear", "periodMonth", "accountNumber", "currency", "closingBalance"]),
        st.sampled_from(OPERATORS),
        literals,
    ),
    max_size=4,
)


@settings(max_examples=300, deadline=None)
@given(found=conditions, row=st.dictionaries(st.sampled_from(["accountNumber", "periodMonth", "row"]), literals))
def test_no_condition_and_no_row_is_too_strange(book: Book, found: list[Where], row: dict[str, Any]) -> None:
    question = "Bankguthaben und Konto 1020 in CHF Ende Juni 2025 und 2024"
    used = query(BALANCE, *found, rows=(row,), returned=({"accountNumber": "1020", "periodMonth": 6},))
    lines = book.cover(question, used)
    assert {line.status for line in lines} <= {"met", "unsure", "missing"}


@given(st.lists(st.tuples(st.dates(), st.integers(0, 400))))
def test_joined_day_ranges_never_touch(pieces: list[tuple[date, int]]) -> None:
    spans = [(first, date.fromordinal(min(first.toordinal() + days, date.max.toordinal()))) for first, days in pieces]
    whole = joined(spans)
    assert all(one[1].toordinal() + 1 < other[0].toordinal() for one, other in pairwise(whole))
    assert all(any(first <= span[0] and span[1] <= last for first, last in whole) for span in spans)
