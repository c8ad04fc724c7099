"""The question reader: periods, codes, groups, values and numbers in three languages."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from veracity.query.catalog import Catalog
from veracity.question import Lexicon, Meaning, Mention, MentionKind, Period, QuestionReading, language_of, read
from veracity.sources.source import Column, ColumnType, Scope, TableSchema
from veracity.tools.tables import TableTools

CASES = Path(__file__).parent / "cases_question"
TODAY = date(2025, 11, 15)
PERIODS: dict[str, list[str]] = read_yaml(CASES / "periods.yaml")
READINGS: list[tuple[str, dict[str, str]]] = read_yaml(CASES / "readings.yaml")
NOWHERE = Lexicon.of(Catalog({}, Scope()), {})

Stored = Mapping[tuple[str, str], set[str]]
RENAMED = {"accountLabel": "label", "contactName": "name", "contactCity": "city", "contactCountry": "country"}
UNREAD = {"id", "lineId", "entryId", "journalEntryId", "contactId", "email"}


@pytest.fixture(scope="module")
def stored(ledger: Path, trustee: TableTools, tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """The texts of the demo mandate in every text field of the catalog, views included."""
    copy = tmp_path_factory.mktemp("question") / "ledger.duckdb"
    shutil.copy(ledger, copy)
    with duckdb.connect(str(copy), read_only=True) as duck:
        tables = [str(name) for (name,) in duck.execute("SELECT table_name FROM information_schema.tables").fetchall()]
        columns = {table: {str(row[0]) for row in duck.execute(f'DESCRIBE "{table}"').fetchall()} for table in tables}
        found: dict[tuple[str, str], set[str]] = {}
        for entity in trustee.catalog.entities.values():
            for name, facts in entity.fields.items():
                if facts.column.type is not ColumnType.TEXT or name in UNREAD or "escription" in name:
                    continue
                column = RENAMED.get(name, name)
                homes = [entity.name] if entity.name in columns else [t for t in tables if column in columns[t]]
                for table in homes:
                    query = f'SELECT DISTINCT "{column}" FROM "{table}" WHERE "mandateId" = \'m-demo\''
                    cells = {str(cell) for (cell,) in duck.execute(query).fetchall() if cell is not None}
                    found.setdefault((entity.name, name), set()).update(cells)
    return found


@pytest.fixture(scope="module")
def lexicon(trustee: TableTools, stored: Stored) -> Lexicon:
    return Lexicon.of(trustee.catalog, stored)


# --- how readings are written in the cases


def said(period: Period) -> str:
    first = period.first
    text = {
        "year": f"{first.year}",
        "quarter": f"{first.year}-Q{first.month // 3 + 1}",
        "month": f"{first:%Y-%m}",
        "day": f"{first:%Y-%m-%d}",
        "range": f"{first}..{period.last}",
    }[period.part]
    return f"{text} {period.moment}".strip()


def shown(meaning: Meaning) -> str:
    if meaning.period:
        return f"{meaning.kind} {said(meaning.period)}"
    if meaning.kind is MentionKind.FIELD:
        return f"{meaning.kind} {meaning.fields[0][1]}"
    return f"{meaning.kind} {meaning.entity or meaning.value}{' stored' if meaning.stored else ''}"


def written(mention: Mention) -> str:
    return ("" if mention.sure else "?") + " | ".join(shown(meaning) for meaning in mention.meanings)


def reading(question: str, lexicon: Lexicon) -> QuestionReading:
    return read(question, lexicon, today=TODAY)


# --- periods


@each(("question", "expected"), PERIODS.items())
def test_periods(question: str, expected: list[str]) -> None:
    found = [written(mention).replace("PERIOD ", "") for mention in reading(question, NOWHERE).of(MentionKind.PERIOD)]
    assert found == expected


@each(("question", "expected"), PERIODS.items())
def test_periods_are_the_same_with_a_lexicon(question: str, expected: list[str], lexicon: Lexicon) -> None:
    found = [written(mention).replace("PERIOD ", "") for mention in reading(question, lexicon).of(MentionKind.PERIOD)]
    assert found == expected


def test_a_period_has_its_days() -> None:
    periods = reading("Ende Februar 2024, im 3. Quartal 2025 und am 5.6.2023", NOWHERE).periods
    assert periods == (
        Period(date(2024, 2, 1), date(2024, 2, 29), "month", "end"),
        Period(date(2025, 7, 1), date(2025, 9, 30), "quarter"),
        Period(date(2023, 6, 5), date(2023, 6, 5), "day"),
    )


@pytest.mark.parametrize(
    ("question", "today", "expected"),
    [
        ("letzten Monat", date(2025, 1, 31), "2024-12"),
        ("last quarter", date(2025, 2, 28), "2024-Q4"),
        ("gestern", date(2025, 1, 1), "2024-12-31"),
        ("上个月", date(2024, 3, 31), "2024-02"),
        ("im Januar", date(2025, 1, 1), "?2025-01"),
        ("am 29.02.", date(2025, 5, 1), "?2024-02-29"),
        ("last 1 months", date(2025, 3, 31), "?2025-02-28..2025-03-31 | 2025-02-01..2025-02-28"),
    ],
)
def test_today_decides(question: str, today: date, expected: str) -> None:
    (mention,) = read(question, NOWHERE, today=today).mentions
    assert written(mention).replace("PERIOD ", "") == expected


# --- words


@each(("question", "expected"), READINGS)
def test_readings(question: str, expected: dict[str, str], lexicon: Lexicon) -> None:
    found = {mention.text: written(mention) for mention in reading(question, lexicon).mentions}
    assert {text: found.get(text) for text in expected} == expected
    assert {text for text, what in found.items() if not what.startswith("?")} <= set(expected)


def test_homes_are_all_fields_in_the_order_of_the_catalog(lexicon: Lexicon) -> None:
    accounts = (
        ("TrusteeDataAccount", "accountNumber"),
        ("TrusteeDataAccountBalance", "accountNumber"),
        ("TrusteeDataJournalLine", "accountNumber"),
        ("TrusteeBalanceByAccount", "accountNumber"),
        ("TrusteeLedgerLine", "accountNumber"),
    )
    by_text = {m.text: m.meanings[0] for m in reading("Konto 1020, Konto 9999, Mietaufwand", lexicon).mentions}
    assert by_text["1020"].fields == by_text["9999"].fields == by_text["Mietaufwand"].fields == accounts
    (entry,) = reading("2025-00001", lexicon).mentions
    assert [home[0] for home in entry.meanings[0].fields] == [
        "TrusteeDataJournalEntry",
        "TrusteeLedgerLine",
        "TrusteeEntryWithContact",
    ]
    (customer,) = reading("Kunden", lexicon).mentions
    assert customer.meanings[0].fields == (
        ("TrusteeDataContact", "contactType"),
        ("TrusteeLedgerLine", "contactType"),
        ("TrusteeEntryWithContact", "contactType"),
    )


def test_names_that_several_share_are_not_shortened(trustee: TableTools) -> None:
    names = {"Seeblick Hotel AG", "Seeblick Hotel GmbH", "Seeblick Reisen AG", "Tannhof AG"}
    lexicon = Lexicon.of(trustee.catalog, {("TrusteeDataContact", "name"): names})
    assert reading("Umsatz mit Seeblick", lexicon).of(MentionKind.VALUE) == ()
    assert reading("Umsatz mit Seeblick Hotel", lexicon).of(MentionKind.VALUE) == ()
    assert [m.sure for m in reading("Umsatz mit Seeblick Reisen", lexicon).of(MentionKind.VALUE)] == [True]
    assert [m.sure for m in reading("Umsatz mit Tannhof", lexicon).of(MentionKind.VALUE)] == [True]
    assert [m.sure for m in reading("Umsatz mit Seeblick Hotel GmbH", lexicon).of(MentionKind.VALUE)] == [True]


# --- questions about the shipped ledger

LEDGER: list[dict[str, Any]] = read_yaml(Path(__file__).parent / "cases" / "ledger" / "questions.yaml")


@each("case", LEDGER)
def test_the_language_and_the_years_of_a_question_are_read(case: dict[str, Any], lexicon: Lexicon) -> None:
    found = reading(case["question"], lexicon)
    assert (found.lang, language_of(case["question"])) == (case["lang"], case["lang"])
    said = {int(year) for year in re.findall(r"(?<!\d)20[12]\d(?!\d|-0)", case["question"])}
    assert said <= {year for period in found.periods for year in range(period.first.year, period.last.year + 1)}


# --- languages


@each(
    ("text", "lang"),
    [
        ("Umsatz 2025?", "de"),
        ("Saldo Konto 1020?", "de"),
        ("Löhne 2024", "de"),
        ("Wie hoch ist das?", "de"),
        ("Personalaufwand", "de"),
        ("revenue 2025", "en"),
        ("How much is it?", "en"),
        ("Show me the money", "en"),
        ("2025年收入", "zh"),
        ("Alpenblick Systeme AG的收入", "zh"),
        ("2025", "en"),
        ("", "en"),
        ("xyz", "en"),
    ],
)
def test_languages(text: str, lang: str) -> None:
    assert language_of(text) == lang


def test_the_words_of_the_data_tell_the_language(lexicon: Lexicon) -> None:
    assert reading("Miete 2025", lexicon).lang == "de"
    assert reading("rent 2025", lexicon).lang == "en"
    assert read("Miete 2025", lexicon, today=TODAY, lang="en").lang == "en"
    assert read("Miete 2025", lexicon, today=TODAY, lang="zh_CN").lang == "zh"


# --- any ontology, any source


def bare_catalog(**fields: ColumnType) -> Catalog:
    from veracity.query.catalog import build_catalog

    class Shop:
        name = "shop"
        tables = {"Sale": TableSchema("Sale", {name: Column(name, kind) for name, kind in fields.items()})}

    source: Any = Shop()
    return build_catalog(source)


def test_without_an_ontology_names_codes_and_values_are_read() -> None:
    catalog = bare_catalog(
        customerId=ColumnType.TEXT, region=ColumnType.TEXT, currency=ColumnType.TEXT, amount=ColumnType.DECIMAL
    )
    values = {
        ("Sale", "customerId"): ["K-100", "K-200"],
        ("Sale", "region"): ["Nordwest"],
        ("Sale", "currency"): ["EUR"],
    }
    found = reading("Sales of customer K-200 in nordwest in euros in 2024, total amount?", Lexicon.of(catalog, values))
    assert {mention.text: written(mention) for mention in found.mentions} == {
        "Sales": "?ENTITY Sale",
        "K-200": "CODE K-200 stored",
        "nordwest": "VALUE Nordwest stored",
        "euros": "VALUE EUR",
        "2024": "PERIOD 2024",
        "amount": "?FIELD amount",
    }


def test_an_unknown_account_needs_a_field_to_be_sure() -> None:
    (mention,) = reading("Konto 2024", NOWHERE).mentions
    assert written(mention) == "?CODE 2024"


def test_short_numbers_are_codes_only_after_their_field() -> None:
    catalog = bare_catalog(id=ColumnType.INTEGER, shopNumber=ColumnType.INTEGER)
    lexicon = Lexicon.of(catalog, {("Sale", "shopNumber"): ["5", "12"]})
    assert [written(m) for m in reading("die 5 besten", lexicon).mentions] == ["?CODE 5 stored | NUMBER 5"]
    assert [written(m) for m in reading("shop number 5", lexicon).mentions] == ["?FIELD shopNumber", "CODE 5 stored"]


def test_values_of_numbers_and_unknown_fields_are_ignored() -> None:
    catalog = bare_catalog(year=ColumnType.INTEGER)
    lexicon = Lexicon.of(catalog, {("Sale", "year"): ["2024"], ("Nope", "x"): ["Basel"]})
    assert [written(m) for m in reading("Basel 2024", lexicon).mentions] == ["PERIOD 2024"]


def test_free_text_is_read_only_where_it_looks_like_a_reference(trustee: TableTools) -> None:
    values = {("TrusteeDataJournalEntry", "reference"): ["RE-2019-0001", "Rechnung vom März 2019", "Rechnung"]}
    lexicon = Lexicon.of(trustee.catalog, values)
    assert [written(m) for m in reading("die Rechnung RE-2019-0001", lexicon).mentions] == ["VALUE RE-2019-0001 stored"]


# --- properties


PIECES = st.sampled_from(
    (
        *(
            "2025",
            "31.12.",
            "Ende ",
            "März ",
            "bis ",
            "Konto ",
            "1020",
            "-",
            " ",
            "年",
            "月",
            "底",
            "Bank",
            "Q",
            "2",
            "日",
        ),
        *("ä", "ß", "\u0308", "㎏", "…", "ﬁ", "，", "'", ".", "/", "去年", "客户", "10'000", "\u200b", "İ", "½", "٣"),
        *("Alpenblick ", "Systeme AG", "vom ", "zwischen ", "und ", "since ", "Q2 ", "last 3 months ", "第二季度", "1"),
    )
)


@given(st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=20).map("".join)))
def test_any_text_can_be_read(text: str) -> None:
    check_properties(text, NOWHERE)


@given(text=st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=20).map("".join)))
def test_any_text_can_be_read_with_the_ledger(text: str, lexicon: Lexicon) -> None:
    check_properties(text, lexicon)


def check_properties(text: str, lexicon: Lexicon) -> None:
    found = reading(text, lexicon)
    assert found.question == text
    end = 0
    for mention in found.mentions:
        assert end <= mention.start < mention.end <= len(text)
        assert mention.text == text[mention.start : mention.end]
        assert mention.meanings
        assert not mention.sure or len(mention.meanings) == 1
        end = mention.end
    for period in (m.period for mention in found.mentions for m in mention.meanings if m.period):
        assert period.first <= period.last


@pytest.mark.parametrize(
    "piece", ["2025 ", "银行", "a", "31.12.2025 ", "Konto 1020 und ", "-", "'", "vom 1. bis ", "1,"]
)
def test_long_texts_are_cut(piece: str, lexicon: Lexicon) -> None:
    started = time.process_time()
    found = reading(piece * (100_000 // len(piece)), lexicon)
    assert time.process_time() - started < 10
    assert all(mention.end <= 2_000 for mention in found.mentions)


def test_a_long_question_is_not_cut_inside_a_number() -> None:
    found = reading("x " * 998 + "in 20251", NOWHERE)
    assert found.mentions == ()


def test_one_of_ten_thousand_values_is_found(trustee: TableTools) -> None:
    names = {f"Firma{number} Handels{number} AG" for number in range(10_000)}
    lexicon = Lexicon.of(trustee.catalog, {("TrusteeDataContact", "name"): names})
    (mention,) = reading("Firma777 Handels777", lexicon).of(MentionKind.VALUE)
    assert written(mention) == "VALUE Firma777 Handels777 AG stored"
