"""Canonical patterns met with questions: slots, what stays open, what does not fit, and the answer's template."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veracity.offline.patterns import Filled, fill, period_in_words, periods_of, rename_results, template
from veracity.ontology.descriptor import CanonicalQueryPattern
from veracity.query.catalog import Catalog
from veracity.query.model import read_call
from veracity.query.validator import validate
from veracity.question import Lexicon, Period, QuestionReading, read
from veracity.tools.tables import TableTools

TODAY = date(2026, 11, 15)
Fill = Callable[..., Filled]


@pytest.fixture(scope="module")
def reading(trustee: TableTools) -> Callable[[str], QuestionReading]:
    stored = asyncio.run(trustee.stored_values())
    words = Lexicon.of(trustee.catalog, stored)
    return lambda question: read(question, words, today=TODAY)


@pytest.fixture(scope="module")
def patterns(trustee: TableTools) -> dict[str, CanonicalQueryPattern]:
    assert trustee.catalog.ontology is not None
    return {pattern.intent: pattern for pattern in trustee.catalog.ontology.canonical_patterns}


@pytest.fixture(scope="module")
def filled(
    trustee: TableTools, patterns: dict[str, CanonicalQueryPattern], reading: Callable[[str], QuestionReading]
) -> Fill:
    stored = asyncio.run(trustee.stored_values())

    def run(intent: str | CanonicalQueryPattern, question: str, catalog: Catalog = trustee.catalog) -> Filled:
        pattern = patterns[intent] if isinstance(intent, str) else intent
        return fill(pattern, reading(question), catalog, stored)

    return run


def seconds(year: int, month: int, day: int) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp())


# --- slots


@pytest.mark.parametrize(
    ("intent", "question", "values", "dates"),
    [
        # years and months, said at a date
        ("BANK_BALANCE_AT_DATE", "Banksaldo per 31.12.2025?", {"year": 2025, "month": 0}, {"date": date(2025, 12, 31)}),
        ("BANK_BALANCE_AT_DATE", "Bankguthaben Ende 2024?", {"year": 2024, "month": 0}, {"date": date(2024, 12, 31)}),
        ("BANK_BALANCE_AT_DATE", "Bankguthaben 2024?", {"year": 2024, "month": 0}, {"date": date(2024, 12, 31)}),
        (
            "BANK_BALANCE_AT_DATE",
            "Bankguthaben Ende Februar 2024?",
            {"year": 2024, "month": 2},
            {"date": date(2024, 2, 29)},
        ),
        (
            "BANK_BALANCE_AT_DATE",
            "Bankguthaben per 30.06.2025?",
            {"year": 2025, "month": 6},
            {"date": date(2025, 6, 30)},
        ),
        ("BANK_BALANCE_AT_DATE", "Bankguthaben Ende Q3 2025?", {"year": 2025, "month": 9}, {"date": date(2025, 9, 30)}),
        ("BANK_BALANCE_AT_DATE", "2024年底银行存款有多少？", {"year": 2024, "month": 0}, {"date": date(2024, 12, 31)}),
        # years and months of turnover
        ("REVENUE_OF_MONTH", "Umsatz im März 2025?", {"year": 2025, "month": 3}, {}),
        ("REVENUE_OF_YEAR", "Umsatz 2025?", {"year": 2025}, {}),
        ("ACCOUNT_TURNOVER", "Soll und Haben von Konto 1020 2025?", {"account": "1020", "year": 2025, "month": 0}, {}),
        # two years, in their order
        (
            "COMPARE_ACCOUNT_YEARS",
            "Konto 1020: 2025 gegen 2024?",
            {"account": "1020", "firstYear": 2024, "secondYear": 2025},
            {},
        ),
        # dates as they are stored
        (
            "ENTRIES_IN_DATE_RANGE",
            "Zeige alle Buchungen vom 01.03.2024 bis 15.03.2024.",
            {"from": seconds(2024, 3, 1), "to": seconds(2024, 3, 15)},
            {},
        ),
        (
            "ENTRIES_IN_DATE_RANGE",
            "Buchungen im Juni 2025",
            {"from": seconds(2025, 6, 1), "to": seconds(2025, 6, 30)},
            {},
        ),
        # groups, codes, values, numbers
        ("EXPENSE_GROUP_OF_YEAR", "Wie hoch war die Miete 2025?", {"group": "60%", "year": 2025}, {}),
        ("LINES_OF_ENTRY", "Zeige die Zeilen der Buchung 2024-00120.", {"entry": "2024-00120"}, {}),
        ("ENTRIES_OF_CONTACT", "Buchungen der Bergkristall Pharma AG", {"contact": "Bergkristall Pharma AG"}, {}),
        ("LARGEST_ENTRIES_OF_YEAR", "Die 7 grössten Buchungen 2024", {"year": 2024, "top": 7}, {}),
        ("LARGEST_ENTRIES_OF_YEAR", "Die drei grössten Buchungen 2024", {"year": 2024, "top": 3}, {}),
    ],
)
def test_slots_are_filled_from_the_question(
    filled: Fill, intent: str, question: str, values: dict[str, Any], dates: dict[str, date]
) -> None:
    found = filled(intent, question)
    assert (dict(found.values), dict(found.dates), found.missing, found.misfit) == (values, dates, (), None)
    assert found.complete


def test_defaults_are_filled_in(filled: Fill, patterns: dict[str, CanonicalQueryPattern]) -> None:
    top = next(slot for slot in patterns["LARGEST_ENTRIES_OF_YEAR"].slots if slot.name == "top")
    found = filled("LARGEST_ENTRIES_OF_YEAR", "Die grössten Buchungen 2024")
    assert found.values["top"] == top.default
    assert filled("CREDITORS_OPEN_BALANCE", "Offene Kreditoren Ende 2025").values["currency"] == "CHF"
    assert filled("DEBTORS_IN_CURRENCY", "Offene Debitoren in Euro Ende 2025").values["currency"] == "EUR"


@pytest.mark.parametrize(
    ("intent", "question", "missing"),
    [
        ("BANK_BALANCE_AT_DATE", "Wie hoch ist das Bankguthaben?", ["year", "date"]),
        ("ACCOUNT_BALANCE_AT_DATE", "Wie hoch ist der Saldo Ende 2025?", ["account"]),
        ("REVENUE_FROM_CUSTOMER", "Wie hoch war der Umsatz?", ["contact", "year"]),
        ("ENTRIES_IN_DATE_RANGE", "Zeige alle Buchungen.", ["from", "to"]),
    ],
)
def test_what_the_question_leaves_open_is_missing(filled: Fill, intent: str, question: str, missing: list[str]) -> None:
    found = filled(intent, question)
    assert [slot.name for slot in found.missing] == missing
    assert (found.misfit, found.complete) == (None, False)


@pytest.mark.parametrize(
    ("intent", "question", "misfit"),
    [
        ("REVENUE_OF_YEAR", "Umsatz im März 2025?", "period"),  # a month for a year
        ("REVENUE_OF_MONTH", "Umsatz 2025?", "period"),  # a year for a month
        ("REVENUE_OF_YEAR", "Umsatz Ende 2025?", "period"),  # a moment
        ("REVENUE_OF_YEAR", "Umsatz 2024 und 2025?", "periods"),
        ("REVENUE_OF_YEAR", "Umsatz im Q1 2025?", "period"),
        ("REVENUE_OF_YEAR", "Umsatz von Januar bis März 2025?", "period"),
        ("BANK_BALANCE_AT_DATE", "Banksaldo per 15.06.2025?", "period"),  # only the ends of months are known
        ("BANK_BALANCE_AT_DATE", "Banksaldo Anfang 2025?", "period"),
        ("COMPARE_REVENUE_YEARS", "Vergleiche den Umsatz 2024.", "periods"),
        ("COMPARE_REVENUE_YEARS", "Vergleiche den Umsatz im März 2024 und im März 2025.", "periods"),
        ("NUMBER_OF_CUSTOMERS", "Wie viele Kunden hatten wir 2024?", "period"),  # no slot for it
        ("ACCOUNT_BALANCE_AT_DATE", "Saldo von 1020 und 1021 Ende 2025", "account"),
        ("REVENUE_OF_MONTH", "Umsatz im März?", None),  # of which year is asked back
        ("REVENUE_OF_YEAR", "Umsatz 2025 im März?", "periods"),
        ("LARGEST_ENTRIES_OF_YEAR", "Die grössten Buchungen 2024 über 12.50", "12.50"),
        ("LARGEST_ENTRIES_OF_YEAR", "Die grössten Buchungen 2024 über 5000 CHF", "5000"),
        ("LARGEST_ENTRIES_OF_YEAR", "Die grössten Buchungen 2024 über 500 Franken", "500"),
        ("REVENUE_OF_YEAR", "Umsatz der letzten 3 grossen Aufträge 2025", "3"),
        ("DEBTORS_OPEN_BALANCE", "Offene Debitoren Ende 2025, CHF und EUR zusammen", "currency"),  # none converts
    ],
)
def test_what_does_not_fit_is_said(filled: Fill, intent: str, question: str, misfit: str | None) -> None:
    found = filled(intent, question)
    assert found.misfit == misfit
    assert not found.complete


@pytest.mark.parametrize(
    ("intent", "question", "uncovered"),
    [
        ("REVENUE_OF_YEAR", "Umsatz 2025 mit der Alpenblick Systeme AG?", ["Alpenblick Systeme AG"]),
        ("REVENUE_OF_YEAR", "Umsatz mit der Alpenblick Systeme AG?", ["Alpenblick Systeme AG"]),
        ("BANK_BALANCE_AT_DATE", "Wie hoch war die Miete 2025?", ["Miete"]),
        ("NUMBER_OF_CUSTOMERS", "Wie viele Lieferanten haben wir?", ["Lieferanten"]),
    ],
)
def test_what_no_call_takes_up_is_uncovered(filled: Fill, intent: str, question: str, uncovered: list[str]) -> None:
    found = filled(intent, question)
    assert list(found.uncovered) == uncovered
    assert not found.complete


def test_a_currency_shows_only_in_the_rows(filled: Fill) -> None:
    assert filled("REVENUE_OF_YEAR", "Umsatz 2025 in Franken?").complete


def test_a_pattern_for_a_table_that_is_not_there_does_not_fit(
    filled: Fill, trustee: TableTools, patterns: dict[str, CanonicalQueryPattern]
) -> None:
    catalog = trustee.catalog
    assert catalog.ontology is not None
    few = {name: entity for name, entity in catalog.entities.items() if name != "TrusteeDataContact"}
    found = filled("NUMBER_OF_CUSTOMERS", "Wie viele Kontakte?", Catalog(few, catalog.scope, catalog.ontology))
    assert found.misfit == "table"


def test_every_complete_call_is_valid(
    filled: Fill, trustee: TableTools, patterns: dict[str, CanonicalQueryPattern]
) -> None:
    for pattern in patterns.values():
        for question in (question for questions in pattern.questions.values() for question in questions):
            for call in filled(pattern, question).calls:
                checked = validate(call.tool, call.args, trustee.catalog, trustee.profile)
                assert checked == read_call(call.tool, call.args), (question, checked)


def test_the_same_period_said_twice_is_one(reading: Callable[[str], QuestionReading]) -> None:
    assert len(periods_of(reading("Umsatz 2025, also im Jahr 2025"))) == 1
    assert periods_of(reading("Umsatz")) == []


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_question_fills_what_it_can(filled: Fill, text: str) -> None:
    for intent in ("BANK_BALANCE_AT_DATE", "LARGEST_ENTRIES_OF_YEAR", "ENTRIES_IN_DATE_RANGE", "COMPARE_ACCOUNT_YEARS"):
        found = filled(intent, f"{text} 2025 {text}")
        assert isinstance(found.complete, bool)


# --- answers


@pytest.mark.parametrize(
    ("lang", "locale", "said"),
    [
        ("de", "de-CH", "Bankguthaben per 31.12.2025: "),
        ("en", "en", "Bank balance as of 31 December 2025: "),
        ("zh", "zh", "截至2025年12月31日的银行余额："),
    ],
)
def test_a_date_is_said_as_the_locale_writes_it(filled: Fill, lang: str, locale: str, said: str) -> None:
    text = template(filled("BANK_BALANCE_AT_DATE", "Banksaldo per 31.12.2025?"), lang, locale, ["r1"])
    assert text.startswith(said)
    assert "{{ sum(r1.closingBalance) }}" in text


@pytest.mark.parametrize(
    ("lang", "locale", "said"),
    [
        ("de", "de-CH", "im März 2025: "),
        ("en", "en", "in March 2025: "),
        ("zh", "zh", "2025年3月"),
    ],
)
def test_a_period_is_said_in_words(filled: Fill, lang: str, locale: str, said: str) -> None:
    assert said in template(filled("REVENUE_OF_MONTH", "Umsatz im März 2025?"), lang, locale, ["r1"])


@pytest.mark.parametrize(("lang", "locale"), [("de", "de-CH"), ("en", "en"), ("zh", "zh")])
def test_a_group_is_said_by_its_name(filled: Fill, trustee: TableTools, lang: str, locale: str) -> None:
    assert trustee.catalog.ontology is not None
    group = trustee.catalog.ontology.entity("GroupRent")
    assert group is not None
    text = template(filled("EXPENSE_GROUP_OF_YEAR", "Wie hoch war die Miete 2025?"), lang, locale, ["r1"])
    assert group.label[lang] in text
    assert "60%" not in text


def test_every_template_is_said_without_gaps(filled: Fill, patterns: dict[str, CanonicalQueryPattern]) -> None:
    for pattern in patterns.values():
        for lang, questions in pattern.questions.items():
            for question in questions:
                found = filled(pattern, question)
                text = template(
                    found, lang, {"de": "de-CH"}.get(lang, lang), [f"r{n + 4}" for n, _ in enumerate(found.calls)]
                )
                assert "{" not in text.replace("{{", "").replace("}}", ""), (question, text)
                assert "r1[" not in text
                assert "r1." not in text


def test_a_brace_in_a_name_begins_no_expression(filled: Fill) -> None:
    found = filled("ENTRIES_OF_CONTACT", "Buchungen der Bergkristall Pharma AG")
    evil = Filled(found.pattern, {"contact": "{{ r1[0].x }}"}, {}, found.calls)
    assert "(( r1[0].x ))" in template(evil, "de", "de-CH", ["r1", "r2"])


@pytest.mark.parametrize(
    ("period", "locale", "said"),
    [
        (Period(date(2025, 1, 1), date(2025, 12, 31), "year"), "de-CH", "2025"),
        (Period(date(2025, 1, 1), date(2025, 12, 31), "year", "end"), "en", "2025"),
        (Period(date(2025, 3, 1), date(2025, 3, 31), "month"), "de-DE", "März 2025"),
        (Period(date(2025, 3, 1), date(2025, 3, 31), "month"), "zh", "2025年3月"),
        (Period(date(2025, 3, 5), date(2025, 3, 5), "day"), "en", "5 March 2025"),
        (Period(date(2025, 1, 1), date(2025, 3, 31), "quarter"), "de-CH", "01.01.2025 – 31.03.2025"),
        (Period(date(2025, 1, 1), date(2025, 3, 31), "range"), "zh", "2025年1月1日 – 2025年3月31日"),
    ],
)
def test_periods_in_words(period: Period, locale: str, said: str) -> None:
    assert period_in_words(period, locale) == said


@pytest.mark.parametrize(
    ("text", "results", "expected"),
    [
        ("{{ r1[0].x }}", ["r3"], "{{ r3[0].x }}"),
        ("{{ sum(r1.x) - sum(r2.x) }}", ["r2", "r1"], "{{ sum(r2.x) - sum(r1.x) }}"),
        ("{{ count(r1) }} {{ count( r1 ) }}", ["r12"], "{{ count(r12) }} {{ count( r12 ) }}"),
        ("{{ rows(r1.a, r1.b) }}", ["r5"], "{{ rows(r5.a, r5.b) }}"),
        ("{{ r10[0].x + r1[0].x }}", ["r3"], "{{ r10[0].x + r3[0].x }}"),
        ("r1.x und Konto r1) {{ r1.x }}", ["r3"], "r1.x und Konto r1) {{ r3.x }}"),
        ("{{ xr1[0].x + r1x.y + r_1.z }}", ["r3"], "{{ xr1[0].x + r1x.y + r_1.z }}"),
        ("{{ sum(r2.r1) }}", ["r7", "r8"], "{{ sum(r8.r1) }}"),
        ("{{ r1[name='r1.x'].y }}", ["r3"], "{{ r3[name='r1.x'].y }}"),
        ('{{ r1[name="r2)"].y }}', ["r3", "r4"], '{{ r3[name="r2)"].y }}'),
        ("{{ r1.`r2.a`.b }}", ["r3", "r4"], "{{ r3.`r2.a`.b }}"),
        ("{{ r0[0].x + r3[0].x }}", ["r4", "r5"], "{{ r0[0].x + r3[0].x }}"),
        ("{{ r1[0].x\n + r2[0].x }}", ["r3", "r4"], "{{ r3[0].x\n + r4[0].x }}"),
        ("{{ r1[0].x", ["r3"], "{{ r1[0].x"),
        ("", [], ""),
    ],
)
def test_results_are_renamed_inside_expressions_only(text: str, results: list[str], expected: str) -> None:
    assert rename_results(text, results) == expected


@settings(deadline=None)
@given(st.text(alphabet="{}r1230[]().' \"`", max_size=40))
def test_renaming_to_the_same_names_changes_nothing(text: str) -> None:
    assert rename_results(text, [f"r{number}" for number in range(1, 400)]) == text or "r0" in text
