"""Right cells for a wrong answer: another account, period, column or reckoning than was asked for never gets out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ToolCallPart

from each_case import each
from scripted import Script, answer, call, left_to_the_model, where
from veracity.answer.answer import Answer, Outcome
from veracity.open import open_agent

BALANCE = "TrusteeDataAccountBalance"
NOW = datetime(2026, 11, 15, tzinfo=UTC)
REVENUE = "Wie hoch war der Umsatz 2025?"
BANK = "Wie hoch ist der Banksaldo per 31.12.2025?"
SUM = "{{ sum(r1.closingBalance) }}"

Ask = Callable[..., Answer]


@pytest.fixture(scope="module")
def ask(ledger: Path) -> Iterator[Ask]:
    script = Script("")
    agent = open_agent(ledger, feature="trustee", model=script.model, clock=lambda: NOW, keep_traces=False)
    left_to_the_model(agent)

    def run(question: str, calls: list[ToolCallPart], text: str) -> Answer:
        script.turns, script.said = (calls, [answer(text)]), 0
        return agent.ask_sync(question)

    yield run
    agent.close()


def balances(accounts: str, year: int, month: int = 0, *extra: dict[str, Any]) -> ToolCallPart:
    filters = [
        where("periodYear", "=", year),
        where("periodMonth", "=", month),
        where("accountNumber", "LIKE", accounts),
        *extra,
    ]
    return call("queryTable", tableName=BALANCE, filters=filters)


def lines(*extra: dict[str, Any], aggregate: str = "SUM") -> ToolCallPart:
    filters = [where("accountNumber", "LIKE", "3%"), where("bookingYear", "=", 2025), *extra]
    return call(
        "aggregateTable",
        tableName="TrusteeLedgerLine",
        aggregate=aggregate,
        field="creditAmount",
        groupBy=["currency"],
        filters=filters,
    )


CONTACTS = {"tableName": "TrusteeDataContact", "aggregate": "COUNT"}
CUSTOMER = where("contactType", "=", "customer")

WRONG = {
    "figure of another call": (
        REVENUE,
        [balances("3%", 2025), balances("102%", 2025)],
        "Umsatz: {{ sum(r2.closingBalance) }} CHF, {{ count(r1) }} Konten",
    ),
    "one of two years by a count": (
        "Umsatz 2024 und 2025?",
        [balances("3%", 2024), balances("3%", 2025)],
        f"Umsatz: {SUM} CHF ({{{{ count(r2) }}}} Konten)",
    ),
    "smallest": (REVENUE, [balances("3%", 2025)], "Umsatz: {{ min(r1.closingBalance) }} CHF"),
    "average": (REVENUE, [balances("3%", 2025)], "Umsatz: {{ avg(r1.closingBalance) }} CHF"),
    "opposite": (REVENUE, [balances("3%", 2025)], "Umsatz: {{ -sum(r1.closingBalance) }} CHF"),
    "twelve times": (REVENUE, [balances("3%", 2025)], "Umsatz: {{ sum(r1.closingBalance) * 12 }} CHF"),
    "a thousandth without a word": (REVENUE, [balances("3%", 2025)], "Umsatz: {{ sum(r1.closingBalance) / 1000 }} CHF"),
    "difference nobody asked for": (
        REVENUE,
        [balances("3%", 2025), balances("3%", 2024)],
        "Umsatz: {{ sum(r1.closingBalance) - sum(r2.closingBalance) }} CHF",
    ),
    "added to something else": (
        REVENUE,
        [balances("3%", 2025), balances("102%", 2025)],
        "Umsatz: {{ sum(r1.closingBalance) + sum(r2.closingBalance) }} CHF",
    ),
    "two columns added": (
        REVENUE,
        [balances("3%", 2025)],
        "Umsatz: {{ sum(r1.closingBalance) + sum(r1.creditTotal) }} CHF",
    ),
    "one side of the movements": (REVENUE, [balances("3%", 2025)], "Umsatz: {{ sum(r1.debitTotal) }} CHF"),
    "opening value": (REVENUE, [balances("3%", 2025)], "Umsatz: {{ sum(r1.openingBalance) }} CHF"),
    "opening for the end": (BANK, [balances("102%", 2025)], "Saldo: {{ sum(r1.openingBalance) }} CHF"),
    "closing for the start": ("Banksaldo Anfang 2025?", [balances("102%", 2025)], f"Saldo: {SUM} CHF"),
    "running total for a month": (
        "Wie hoch war der Umsatz im März 2025?",
        [balances("3%", 2025, 3)],
        f"Umsatz: {SUM} CHF",
    ),
    "threshold nobody named": (
        REVENUE,
        [balances("3%", 2025, 0, where("closingBalance", ">", 300000))],
        f"Umsatz: {SUM} CHF",
    ),
    "customer nobody named": (
        REVENUE,
        [lines(where("contactName", "=", "Alpenblick Systeme AG"))],
        "Umsatz: {{ sum(r1.sum_creditAmount) }} CHF",
    ),
    "country nobody named": (
        "Wie viele Kunden haben wir?",
        [call("aggregateTable", **CONTACTS, filters=[CUSTOMER, where("country", "=", "DE")])],
        "Es sind {{ r1[0].count }}.",
    ),
    "largest line": (REVENUE, [lines(aggregate="MAX")], "Umsatz: {{ sum(r1.max_creditAmount) }} CHF"),
    "rows as francs": (REVENUE, [balances("3%", 2025)], "Umsatz: {{ count(r1) }} CHF"),
    "account number as francs": (REVENUE, [balances("3%", 2025)], f"Umsatz: {{{{ r1[0].accountNumber }}}} CHF ({SUM})"),
    "count instead of an amount": (
        "Wie hoch war der Banksaldo Ende 2026?",
        [balances("102%", 2026)],
        "Ende 2026: {{ count(r1) }}.",
    ),
    "lines for entries": (
        "Wie viele Buchungen gab es 2025?",
        [
            call(
                "aggregateTable",
                tableName="TrusteeLedgerLine",
                aggregate="COUNT",
                filters=[where("bookingYear", "=", 2025)],
            )
        ],
        "{{ r1[0].count }} Buchungen",
    ),
    "a company that is not stored": (
        "Umsatz mit Muster Unbekannt AG 2025?",
        [balances("3%", 2025)],
        f"Umsatz: {SUM} CHF",
    ),
    "a period nobody named": ("Wie hoch ist der Banksaldo?", [balances("102%", 2019)], f"Der Banksaldo ist {SUM} CHF."),
    "first row by chance": (
        BANK,
        [balances("102%", 2025)],
        "Saldo: {{ r1[0].closingBalance }} und {{ r1[1].closingBalance }} CHF",
    ),
    "another currency beside it": (BANK, [balances("102%", 2025)], f"Bank (in EUR): {SUM}"),
    "dollars": (BANK, [balances("102%", 2025)], f"Bank: {SUM} US-Dollar"),
    "thousands": (BANK, [balances("102%", 2025)], f"Bank: {SUM} TCHF"),
    "percent": (BANK, [balances("102%", 2025)], f"Bank: {SUM} Prozent"),
    "minus in words": (BANK, [balances("102%", 2025)], f"Der Saldo ist minus {SUM} CHF"),
    "half in words": (BANK, [balances("102%", 2025)], f"{SUM} CHF, die Hälfte davon in bar"),
    "hidden digits": (BANK, [balances("102%", 2025)], f"Saldo {SUM} CHF, Limite z\u200bwei Mio."),
    "the question's number as an amount": (
        "Lag der Banksaldo per 31.12.2025 über 5000000?",
        [balances("102%", 2025)],
        f"Ja, 5000000 CHF ({SUM})",
    ),
}


@each(("question", "calls", "text"), WRONG.values())
def test_a_right_cell_for_a_wrong_answer_never_gets_out(
    ask: Ask, question: str, calls: list[ToolCallPart], text: str
) -> None:
    given = ask(question, calls, text)
    assert given.outcome in (Outcome.ABSTAINED, Outcome.BLOCKED), given.text
    assert given.provenance == ()


@pytest.mark.parametrize(
    ("question", "calls", "text", "told"),
    [
        (REVENUE, [balances("3%", 2025)], f"Banksaldo: {SUM} CHF", "Schlusssaldo, 2025:"),
        (
            "Vergleiche den Umsatz 2024 mit 2025",
            [balances("3%", 2025), balances("3%", 2024)],
            "Umsatz 2025: {{ sum(r2.closingBalance) }} CHF; 2024: {{ sum(r1.closingBalance) }} CHF.",
            "Schlusssaldo, 2024:",
        ),
    ],
)
def test_figures_that_are_called_what_they_are_not_are_told_by_the_program(
    ask: Ask, question: str, calls: list[ToolCallPart], text: str, told: str
) -> None:
    given = ask(question, calls, text)
    assert given.outcome is Outcome.ANSWERED
    assert told in given.text
    assert "Banksaldo" not in given.text
    assert "Umsatz 2025" not in given.text
    assert [refusal.code.value for refusal in given.trace.refusals] == ["QUESTION_NOT_COVERED"] * 3


@pytest.mark.parametrize(
    ("question", "accounts", "said"),
    [
        ("Wie hoch war der Gewinn 2025?", "102%", "Erfolg, 2025: 150'650.29 CHF."),
        ("Wie hoch war der Gesamtaufwand 2025?", "3%", "Aufwand, 2025: 1'253'860.64 CHF."),
    ],
)
def test_what_its_words_answer_is_not_left_to_a_model_that_takes_other_accounts(
    ledger: Path, question: str, accounts: str, said: str
) -> None:
    wrong = Script([balances(accounts, 2025)], [answer(f"{SUM} CHF")])
    agent = open_agent(ledger, feature="trustee", model=wrong.model, clock=lambda: NOW, keep_traces=False)
    given = agent.ask_sync(question)
    agent.close()
    assert (given.text, wrong.said) == (said, 0)


RIGHT = {
    "a sum": (REVENUE, [balances("3%", 2025)], f"Umsatz 2025: {SUM} CHF"),
    "with a count beside it": (BANK, [balances("102%", 2025)], f"{SUM} CHF ({{{{ count(r1) }}}} Konten)"),
    "a month's turnover": (
        "Wie hoch war der Umsatz im März 2025?",
        [balances("3%", 2025, 3)],
        "{{ sum(r1.creditTotal) - sum(r1.debitTotal) }} CHF",
    ),
    "a comparison": (
        "Vergleiche den Umsatz 2024 mit 2025",
        [balances("3%", 2024), balances("3%", 2025)],
        "2024: {{ sum(r1.closingBalance) }} CHF, 2025: {{ sum(r2.closingBalance) }} CHF, Differenz {{ sum(r2.closingBalance) - sum(r1.closingBalance) }} CHF.",
    ),
    "an average that was asked for": (
        "Durchschnittlicher Saldo der Bankkonten per 31.12.2025?",
        [balances("102%", 2025)],
        "{{ avg(r1.closingBalance) }} CHF",
    ),
    "a share that was asked for": (
        "Wie viel Prozent vom Umsatz 2025 war die Miete 2025?",
        [balances("3%", 2025), balances("6000%", 2025)],
        "{{ percent(sum(r2.closingBalance), sum(r1.closingBalance)) }}",
    ),
    "the opening balance": ("Banksaldo Anfang 2025?", [balances("102%", 2025)], "{{ sum(r1.openingBalance) }} CHF"),
    "in millions, said": (REVENUE, [balances("3%", 2025)], "{{ round(sum(r1.closingBalance) / 1000000, 2) }} Mio. CHF"),
    "a period that is said": (
        "Wie hoch ist der Banksaldo?",
        [balances("102%", 2025)],
        f"Ende {{{{ r1[0].periodYear }}}}: {SUM} CHF",
    ),
    "customers of a country": (
        "Wie viele Kunden haben wir in Deutschland?",
        [call("aggregateTable", **CONTACTS, filters=[CUSTOMER, where("country", "=", "DE")])],
        "Es sind {{ r1[0].count }}.",
    ),
    "a list": (
        "Welche Kunden haben wir?",
        [
            call(
                "queryTable",
                tableName="TrusteeDataContact",
                fields=["id", "name"],
                filters=[CUSTOMER],
                orderBy=[{"field": "name", "direction": "ASC"}],
            )
        ],
        "{{ rows(r1.name) }}",
    ),
}


@each(("question", "calls", "text"), RIGHT.values())
def test_a_right_answer_is_not_sent_back(ask: Ask, question: str, calls: list[ToolCallPart], text: str) -> None:
    given = ask(question, calls, text)
    assert given.outcome is Outcome.ANSWERED, (given.text, given.trace.refusals)
    # A total is asked for with its rows; without them it is right, too.
    assert [problem for problem in given.trace.refusals if problem.field != "rows"] == []
