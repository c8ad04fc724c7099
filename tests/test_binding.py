"""Free text: a figure counts only with its row and its column; clarifications hold no figures of the data.

`cases/binding.yaml` holds texts over small tables in three languages; below them stand properties of any text.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from growth import is_linear
from veracity.answer.render import MAX_TEMPLATE, Echo, FigureProvenance, Rendered, echo_of
from veracity.answer.results import Result, result_of
from veracity.ask.checks import unproven_figure
from veracity.contracts import QueryValidationError, ResultColumn, TableData, ValidationErrorCode
from veracity.grounding.binding.bind import Bound, bind_text
from veracity.grounding.binding.bind import bind as bind_figures
from veracity.grounding.binding.foreign_results import foreign_results
from veracity.grounding.binding.results_index import Index
from veracity.grounding.contracts import GroundedResult
from veracity.language.numbers import LOCALES, format_number
from veracity.query.model import read_call
from veracity.tools.tables import TableTools

BALANCE, CONTACT, ENTRY = "TrusteeDataAccountBalance", "TrusteeDataContact", "TrusteeDataJournalEntry"
NO_ECHO = Echo()
Make = Callable[..., dict[str, Result]]


@pytest.fixture(scope="module")
def make(trustee: TableTools) -> Make:
    """Results of these rows, one after the other: (table, rows), with the columns of the first row."""

    def results(*tables: tuple[str, list[dict[str, Any]]], truncated: bool = False) -> dict[str, Result]:
        made = {}
        for number, (table, rows) in enumerate(tables, 1):
            fields = list(rows[0])
            columns = tuple(ResultColumn(name=name, type="text") for name in fields)
            data = TableData(
                result_id=f"r{number}",
                table_name=table,
                columns=columns,
                rows=tuple(rows),
                row_count=len(rows),
                truncated=truncated,
            )
            call = read_call("queryTable", {"tableName": table, "fields": fields, "limit": number})
            made[f"r{number}"] = result_of(data, call, trustee.catalog)
        return made

    return results


@pytest.fixture(scope="module")
def bind() -> Callable[..., Rendered | QueryValidationError]:
    def run(text: str, results: dict[str, Result], **given: Any) -> Rendered | QueryValidationError:
        options: dict[str, Any] = {"locale": "de-CH", "echo": NO_ECHO, "constants": {}} | given
        return bind_text(text, results, **options)

    return run


Bind = Callable[..., Rendered | QueryValidationError]


def figures(bound: Rendered | QueryValidationError) -> tuple[FigureProvenance, ...]:
    assert isinstance(bound, Rendered), bound
    return bound.figures


def refused(bound: Rendered | QueryValidationError) -> str | None:
    assert isinstance(bound, QueryValidationError), bound
    return bound.field


def cells(bound: Rendered | QueryValidationError) -> list[tuple[str, str, Any]]:
    """What each figure was bound to: its text, the column and the account, if any."""
    return [
        (figure.text, figure.args[0].column, figure.args[0].row_key.get("accountNumber"))
        for figure in figures(bound)
        if figure.args
    ]


def bank(**more: Any) -> list[dict[str, Any]]:
    shared = {"periodYear": 2025, "periodMonth": 0}
    return [
        {"accountNumber": "1020", **shared, "closingBalance": Decimal("152400.00"), "currency": "CHF", **more},
        {"accountNumber": "1021", **shared, "closingBalance": Decimal("28100.50"), "currency": "CHF", **more},
    ]


TURNOVER = [
    {
        "accountNumber": "1020",
        "periodYear": 2025,
        "periodMonth": 0,
        "debitTotal": Decimal(100),
        "creditTotal": Decimal(200),
        "currency": "CHF",
    }
]
ONE = [{"accountNumber": "1020", "closingBalance": Decimal("152400.00"), "currency": "CHF"}]


# --- rows


def test_a_figure_binds_to_the_row_that_its_sentence_names(bind: Bind, make: Make) -> None:
    bound = bind("Konto 1020: 152'400.00. Konto 1021: 28'100.50.", make((BALANCE, bank())))
    assert cells(bound) == [
        ("1020", "accountNumber", "1020"),
        ("152'400.00", "closingBalance", "1020"),
        ("1021", "accountNumber", "1021"),
        ("28'100.50", "closingBalance", "1021"),
    ]
    assert isinstance(bound, Rendered)
    assert (bound.results, bound.has_figures, bound.expressions) == (frozenset({"r1"}), True, ())


@each(
    ("text", "figure"),
    [
        ("Der Saldo beträgt 152'400.00.", "152'400.00"),  # no row
        ("Konto 1021: 152'400.00", "152'400.00"),  # another row
        ("Konto 1021 hatte 2025 152'400.00", "152'400.00"),  # the year is right, the account is not
        ("Konto 1020: 28'100.50, Konto 1021: 152'400.00", "28'100.50"),  # swapped
        (
            "Konto 1020 gibt es.\n\nKonto 1021 gibt es auch. Es hat 152'400.00",
            "152'400.00",
        ),  # of the sentence before the last
        ("Konto 1020: 152'399.00", "152'399.00"),
        ("Konto 1020: 180'500.50", "180'500.50"),  # a sum is nowhere in the rows
        ("Konto 1022: 152'400.00", "1022"),
        ("Konto 1020: -152'400.00", "-152'400.00"),
        ("Konto 1020: minus 152'400.00", "152'400.00"),
        ("Konto 1020: 152'400.00 %", "152'400.00"),
        ("Konto 1020: hundert", "hundert"),
    ],
)
def test_a_figure_without_its_row_is_refused(bind: Bind, make: Make, text: str, figure: str) -> None:
    assert refused(bind(text, make((BALANCE, bank())))) == figure


def test_a_pronoun_takes_up_the_row_of_the_sentence_before(bind: Bind, make: Make) -> None:
    bound = bind("Konto 1020 gibt es.\nEs hat 152'400.00", make((BALANCE, bank())))
    assert cells(bound)[-1] == ("152'400.00", "closingBalance", "1020")


def test_what_is_named_nearest_counts(bind: Bind, make: Make) -> None:
    results = make((BALANCE, bank()))
    assert len(cells(bind("Konto 1020 schloss mit 152'400.00 und Konto 1021 mit 28'100.50.", results))) == 4
    assert len(cells(bind("152'400.00 liegen auf 1020.", results))) == 2


def test_a_row_of_a_longer_number_is_not_named(bind: Bind, make: Make) -> None:
    rows = [
        {"accountNumber": "102", "closingBalance": Decimal(5), "currency": "CHF"},
        {"accountNumber": "1020", "closingBalance": Decimal(7), "currency": "CHF"},
    ]
    assert cells(bind("Konto 1020: 7", make((BALANCE, rows))))[-1] == ("7", "closingBalance", "1020")
    assert refused(bind("Konto 1020: 5", make((BALANCE, rows)))) == "5"


def test_every_key_that_tells_rows_apart_must_be_said(bind: Bind, make: Make) -> None:
    rows = [
        {"accountNumber": number, "periodYear": year, "periodMonth": 0, "closingBalance": Decimal(value)}
        for number, year, value in (("1020", 2024, 11), ("1020", 2025, 12), ("1021", 2024, 13), ("1021", 2025, 14))
    ]
    results = make((BALANCE, rows))
    assert cells(bind("Konto 1020 im Jahr 2024: 11", results))[-1] == ("11", "closingBalance", "1020")
    assert refused(bind("Konto 1020: 11", results)) == "11"
    assert refused(bind("Konto 1020 im Jahr 2025: 11", results)) == "11"
    assert cells(bind("Konto 1021 per 31.12.2025: 14", results, echo=echo_of("31.12.2025", "de-CH")))[-1][0] == "14"


def test_months_are_said_by_their_names(bind: Bind, make: Make) -> None:
    rows = [
        {"accountNumber": "1020", "periodYear": 2025, "periodMonth": month, "closingBalance": Decimal(1000 + month)}
        for month in (5, 6)
    ]
    results = make((BALANCE, rows))
    assert len(cells(bind("Ende Mai 2025: 1'005. Ende Juni 2025: 1'006.", results))) == 4
    assert refused(bind("Ende Mai 2025: 1'006", results)) == "1'006"
    assert len(cells(bind("6月：1,006", results, locale="zh"))) >= 1


def test_the_same_value_in_two_rows_is_told_by_the_name(bind: Bind, make: Make) -> None:
    rows = [{**row, "closingBalance": Decimal(500)} for row in bank()]
    assert cells(bind("Konto 1021: 500.00", make((BALANCE, rows))))[-1] == ("500.00", "closingBalance", "1021")
    assert refused(bind("Der Saldo ist 500.00", make((BALANCE, rows)))) == "500.00"


def test_the_only_row_needs_no_name(bind: Bind, make: Make) -> None:
    assert cells(bind("Es sind 152'400.00.", make((BALANCE, ONE)))) == [("152'400.00", "closingBalance", "1020")]


def test_the_only_row_that_is_shown_may_be_one_of_many(bind: Bind, make: Make) -> None:
    assert refused(bind("Es sind 152'400.00.", make((BALANCE, ONE), truncated=True))) == "152'400.00"


def test_a_value_of_two_results_is_ambiguous(bind: Bind, make: Make) -> None:
    other = [{"accountNumber": "1100", "closingBalance": Decimal("152400.00"), "currency": "CHF"}]
    found = bind("Es sind 152'400.00.", make((BALANCE, ONE), (BALANCE, other)))
    assert refused(found) == "152'400.00"
    assert isinstance(found, QueryValidationError)
    assert "several places" in found.hint


def test_the_same_call_twice_is_one_place(bind: Bind, make: Make) -> None:
    results = make((BALANCE, ONE))
    again = results["r1"].data.model_copy(update={"result_id": "r2"})
    results["r2"] = Result(again, results["r1"].call, results["r1"].key, results["r1"].columns, results["r1"].pinned)
    bound = bind("Es sind 152'400.00.", results)
    assert [figure.args[0].result for figure in figures(bound)] == ["r2"]


# --- columns


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("Sollumsatz 100, Habenumsatz 200", ["debitTotal", "creditTotal"]),
        ("Total debits 100 and total credits 200", ["debitTotal", "creditTotal"]),
        ("借方发生额 100，贷方发生额 200", ["debitTotal", "creditTotal"]),
        ("debitTotal: 100", ["debitTotal"]),
    ],
)
def test_a_figure_binds_to_the_column_that_its_sentence_names(
    bind: Bind, make: Make, text: str, columns: list[str]
) -> None:
    bound = bind(text, make((BALANCE, TURNOVER)), locale="en")
    assert [figure.args[0].column for figure in figures(bound)] == columns


@pytest.mark.parametrize("text", ["Es sind 100.", "Sollumsatz 200, Habenumsatz 100", "Habenumsatz: 100"])
def test_a_figure_without_its_column_is_refused(bind: Bind, make: Make, text: str) -> None:
    assert refused(bind(text, make((BALANCE, TURNOVER)))) in ("100", "200")


def test_a_longer_name_of_a_column_goes_before_a_part_of_it(bind: Bind, make: Make) -> None:
    row = {"accountNumber": "1020", "openingBalance": Decimal(1), "closingBalance": Decimal(2), "currency": "CHF"}
    results = make((BALANCE, [row]))
    assert [f.args[0].column for f in figures(bind("balance brought forward: 1", results, locale="en"))] == [
        "openingBalance"
    ]
    assert refused(bind("balance brought forward: 2", results, locale="en")) == "2"


# --- names


def test_a_code_is_no_amount(bind: Bind, make: Make) -> None:
    assert refused(bind("Der Saldo ist 1020 CHF.", make((BALANCE, ONE)))) == "1020"
    assert refused(bind("Der Saldo ist CHF 1020.", make((BALANCE, ONE)))) == "1020"
    assert refused(bind("Das sind 1020 %.", make((BALANCE, ONE)))) == "1020"


def test_a_short_name_needs_its_column(bind: Bind, make: Make) -> None:
    row = {"accountNumber": "1020", "periodYear": 2025, "periodMonth": 6, "closingBalance": Decimal("0.5")}
    results = make((BALANCE, [row]))
    assert refused(bind("Es sind 6 Konten.", results)) == "6"
    assert cells(bind("Monat 6", results)) == [("6", "periodMonth", "1020")]


def test_a_figure_inside_a_name_is_the_name(bind: Bind, make: Make) -> None:
    rows = [
        {"id": "a", "name": "Halle 7 AG", "city": "Bern"},
        {"id": "b", "name": "3M (Schweiz) AG", "city": "Bern"},
    ]
    bound = bind("Kunden sind Halle 7 AG und 3M (Schweiz) AG.", make((CONTACT, rows)))
    assert [(figure.text, figure.args[0].column) for figure in figures(bound)] == [("7", "name"), ("3M", "name")]
    assert refused(bind("Halle 8 AG", make((CONTACT, rows)))) == "8"


def test_names_without_any_figure_rest_on_their_result(bind: Bind, make: Make) -> None:
    rows = [{"id": "a", "name": "Alpenblick AG", "city": "Bern"}, {"id": "b", "name": "Seefeld AG", "city": "Thun"}]
    bound = bind("Die Kunden sind Alpenblick AG und Seefeld AG.", make((CONTACT, rows), (BALANCE, ONE)))
    assert isinstance(bound, Rendered)
    assert (bound.figures, bound.results, bound.has_figures) == ((), frozenset({"r1"}), False)
    nothing = bind("Das weiss ich nicht.", make((CONTACT, rows)))
    assert isinstance(nothing, Rendered)
    assert nothing.results == frozenset()


# --- currencies and dates


@pytest.mark.parametrize("text", ["Es sind 152'400.00 CHF.", "Es sind CHF 152'400.00.", "Es sind 152'400.00 Franken."])
def test_the_right_currency_may_be_said(bind: Bind, make: Make, text: str) -> None:
    assert len(cells(bind(text, make((BALANCE, ONE))))) == 1


@pytest.mark.parametrize("text", ["Es sind 152'400.00 EUR.", "Es sind € 152'400.00.", "Es sind 152'400.00 Euro."])
def test_another_currency_is_refused(bind: Bind, make: Make, text: str) -> None:
    found = bind(text, make((BALANCE, ONE)))
    assert isinstance(found, QueryValidationError)
    assert (found.code, found.suggestion) == (ValidationErrorCode.MIXED_UNITS, "CHF")


def test_a_currency_may_name_the_row(bind: Bind, make: Make) -> None:
    rows = [
        {"accountNumber": "1100", "closingBalance": Decimal(100), "currency": "CHF"},
        {"accountNumber": "1101", "closingBalance": Decimal(200), "currency": "EUR"},
    ]
    bound = bind("Offen sind 100 CHF und 200 EUR.", make((BALANCE, rows)))
    assert cells(bound) == [("100", "closingBalance", "1100"), ("200", "closingBalance", "1101")]
    assert refused(bind("Offen sind 200 CHF und 100 EUR.", make((BALANCE, rows)))) == "200"


def test_dates_are_read_as_they_are_stored(bind: Bind, make: Make) -> None:
    rows = [{"id": "e1", "entryNumber": "2024-00001", "bookingDate": 1704067200, "totalAmount": Decimal("5.00")}]
    results = make((ENTRY, rows))
    bound = bind("Die Buchung 2024-00001 vom 01.01.2024 über 5.00.", results)
    assert [figure.value for figure in figures(bound)] == ["2024-00001", "2024-00001", "2024-01-01", "5.00"]
    assert len(cells(bind("am 1. Januar 2024", results))) == 1
    assert refused(bind("am 02.01.2024", results)) == "02.01.2024"
    assert refused(bind("am 31. Dezember 2024", results)) == "31. Dezember 2024"


# --- what the question says, constants, lists


def test_the_figures_of_the_question_pass(bind: Bind, make: Make) -> None:
    echo = echo_of("Wie viele der 7 Konten lagen am 31.12.2023 über 5000?", "de-CH")
    bound = bind("Von den 7 Konten am 31.12.2023 über 5000: 152'400.00", make((BALANCE, ONE)), echo=echo)
    assert [figure.kind for figure in figures(bound)] == ["question", "question", "question", "cell"]
    assert [figure.value for figure in figures(bound)] == ["7", "2023-12-31", "5000", "152400.00"]


def test_a_figure_of_the_question_is_no_amount(bind: Bind, make: Make) -> None:
    assert refused(bind("Es sind 5000 CHF.", make((BALANCE, ONE)), echo=echo_of("Sind es 5000?", "de-CH"))) == "5000"


def test_number_words_pass_only_when_the_question_says_them(bind: Bind, make: Make) -> None:
    rows = [{"accountNumber": "1020", "closingBalance": Decimal(3), "currency": "CHF"}]
    assert refused(bind("Es sind drei.", make((BALANCE, rows)))) == "drei"
    assert refused(bind("共三笔", make((BALANCE, rows)), locale="zh")) == "三"
    assert (
        figures(bind("Es sind drei.", make((BALANCE, rows)), echo=echo_of("drei Konten", "de")))[0].kind == "question"
    )


def test_constants_and_list_numbers_pass(bind: Bind, make: Make) -> None:
    bound = bind("1. Steuersatz 8.1\n2. Saldo 152'400.00", make((BALANCE, ONE)), constants={"vat": Decimal("8.1")})
    assert [(figure.kind, figure.value) for figure in figures(bound)] == [("constant", "8.1"), ("cell", "152400.00")]


# --- how figures are written


@each(
    ("locale", "text"),
    [
        ("de-CH", "Es sind 152'400.00."),
        ("de-CH", "Es sind Fr. 152'400.00."),
        ("de-CH", "Es sind 152’400."),
        ("de-DE", "Es sind 152.400,00."),
        ("de-DE", "Es sind 152.400."),
        ("de", "Es sind 152.400,00."),
        ("en", "It is 152,400.00."),
        ("en", "It is 152400."),
        ("en", "It is 152.4k."),
        ("zh", "共152,400.00元"),
        ("zh", "约15.2万"),
        ("de-CH", "Es sind 0.15 Mio."),
    ],
)
def test_every_way_of_writing_binds(bind: Bind, make: Make, locale: str, text: str) -> None:
    assert [figure.value for figure in figures(bind(text, make((BALANCE, ONE)), locale=locale))] == ["152400.00"]


@each(
    ("cell", "said", "binds"),
    [
        ("1234.56", "1'234.56", True),
        ("1234.56", "1'235", True),
        ("1234.56", "1'234.6", True),
        ("1234.56", "1'234", False),
        ("1234.56", "1'234.5", False),
        ("1234.5", "1'234", True),  # exactly half
        ("-1234.56", "-1'234.56", True),
        ("-1234.56", "minus 1'234.56", True),
        ("-1234.56", "1'234.56", False),
        ("1234567", "1.2 Mio", True),
        ("1234567", "1.3 Mio", False),
        ("0.004", "0.00", True),
    ],
)
def test_rounding_is_within_half_of_the_last_digit(bind: Bind, make: Make, cell: str, said: str, binds: bool) -> None:
    rows = [{"accountNumber": "1020", "closingBalance": Decimal(cell), "currency": "CHF"}]
    assert isinstance(bind(f"Es sind {said}.", make((BALANCE, rows))), Rendered) is binds


@pytest.mark.parametrize("cell", [float("nan"), float("inf"), None, True, Decimal("NaN"), Decimal("1E+3000"), "7"])
def test_strange_cells_hold_no_figure(bind: Bind, make: Make, cell: Any) -> None:
    rows = [{"accountNumber": "1020", "closingBalance": cell, "currency": "CHF"}]
    assert refused(bind("Es sind 55.", make((BALANCE, rows)))) == "55"


@pytest.mark.parametrize("text", ["", "  \n ", "x" * (MAX_TEMPLATE + 1)])
def test_empty_and_endless_texts_are_refused(bind: Bind, make: Make, text: str) -> None:
    assert refused(bind(text, make((BALANCE, ONE)))) == "answer"


# --- any text

pieces = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["Konto 1020", "1021", "152'400.00", "28'100.50", " CHF ", ". ", "\n", "31. Dezember 2025", "，", "3."]
    ),
)
texts = st.lists(pieces, max_size=12).map("".join)


@settings(max_examples=300, deadline=None)
@given(text=texts, locale=st.sampled_from([*LOCALES, "de", "fr", ""]))
def test_any_text_is_bound_exactly_or_refused(bind: Bind, make: Make, text: str, locale: str) -> None:
    bound = bind(text, make((BALANCE, bank()), (BALANCE, TURNOVER)), locale=locale)
    if isinstance(bound, QueryValidationError):
        return
    assert bound.text == text
    for figure in bound.figures:
        assert text[figure.span[0] : figure.span[1]] == figure.text
        assert figure.status == "bound"
        assert figure.kind == "cell" or (figure.kind, figure.text) == ("constant", "3") or figure.kind == "derived"
        assert len(figure.args) == 1 or figure.kind != "cell"


@settings(deadline=None)
@given(st.integers(-(10**9), 10**9), st.integers(0, 4))
def test_a_figure_that_stands_nowhere_never_binds(bind: Bind, make: Make, number: int, decimals: int) -> None:
    said = Decimal(number).scaleb(-decimals)
    near = any(abs(said - row["closingBalance"]) <= Decimal(5).scaleb(-decimals - 1) for row in bank())
    code = str(said) in ("1020", "1021", "2025")
    bound = bind(f"Konto 1020: {said}", make((BALANCE, bank())), locale="en")
    assert isinstance(bound, QueryValidationError) or near or code


# --- any agent's results

CASES = read_yaml(Path(__file__).parent / "cases" / "binding.yaml")
TABLES = {name: foreign_results([GroundedResult(id=name, **table)]) for name, table in CASES["tables"].items()}
TEXTS = [
    (case["table"], case.get("locale", "en"), line, case["why"]) for case in CASES["cases"] for line in case["texts"]
]
MARKS = {"bound": "+", "unbound": "-", "ambiguous": "?"}


def bound(text: str, results: Any, locale: str = "en", **given: Any) -> tuple[Bound, ...]:
    options: dict[str, Any] = {"locale": locale, "echo": NO_ECHO, "constants": {}} | given
    return bind_figures(text, results, **options)


def marks(found: tuple[Bound, ...]) -> str:
    return " ".join(MARKS[one.provenance.status] for one in found)


@each(("table", "locale", "line", "why"), TEXTS)
def test_figures_of_a_text_are_bound_to_the_cells_that_it_names(table: str, locale: str, line: str, why: str) -> None:
    expected, _, text = line.partition("| ")
    found = bound(text, TABLES[table], locale)
    assert marks(found) == expected.strip(), (why, [(one.figure.text, one.why, one.nearest) for one in found])
    assert all(text[slice(*one.provenance.span)] == one.figure.text for one in found)


@each(
    ("table", "text", "why", "nearest"),
    [
        ("sales", "North had revenue of 800.", "other row or column", "1,200.5"),
        ("sales", "North had revenue of 777.", "other row or column", "1,200.5"),
        ("sales", "It is 777.", "no such value", None),
        ("sales", "Revenue is 950.", "several places", "950"),
        ("sales", "North did not have 42 customers.", "negated", None),
        ("sales", "Except for West, costs are 1,100.", "excluded", None),
        ("firms", "Acme Corp. had revenue of EUR 12.6 million.", "wrong unit", "12.60 USD"),
        ("firms", "Globex had a margin of 3%.", "no such value", "no value"),
        ("sales", "The highest revenue is 950.", "other row or column", "1,310.25"),
        ("sales", "There are 4 regions.", "other row or column", "3"),
    ],
)
def test_a_figure_that_is_not_bound_says_why_and_what_the_data_says(
    table: str, text: str, why: str, nearest: str | None
) -> None:
    (one,) = bound(text, TABLES[table])
    assert (one.why, one.nearest) == (why, nearest)


def test_a_question_may_be_answered_in_its_own_figures() -> None:
    echo = echo_of("Which region has more than 50 customers?", "en")
    found = bound("Only West has more than 50 customers: 57.", TABLES["sales"], echo=echo)
    assert [one.provenance.kind for one in found] == ["question", "cell"]
    denied = bound(
        "No: West does not have 60 customers.", TABLES["sales"], echo=echo_of("Has West 60 customers?", "en")
    )
    assert [one.provenance.kind for one in denied] == ["question"]


def test_a_denied_figure_that_the_data_holds_is_wrong_even_if_the_question_says_it() -> None:
    (one,) = bound("West does not have 57 customers.", TABLES["sales"], echo=echo_of("Has West 57 customers?", "en"))
    assert (one.provenance.status, one.why) == ("unbound", "negated")


def test_a_figure_of_the_question_that_the_data_denies_is_no_answer() -> None:
    (one,) = bound("West has 60 customers.", TABLES["sales"], echo=echo_of("Does West have 60 customers?", "en"))
    assert (one.provenance.status, one.nearest) == ("unbound", "57")


def test_an_index_serves_many_texts_and_knows_declared_aliases() -> None:
    known = Index(TABLES["sales"], {"North": ["the Far North", "Polar"]})
    assert marks(bound("Polar: revenue 1,200.50", known)) == "+"
    assert marks(bound("the Far North: revenue 950", known)) == "-"
    assert marks(bound("Polar: revenue 1,200.50", TABLES["sales"])) == "?"


def test_a_name_said_in_full_before_may_be_shortened_unless_another_has_that_part() -> None:
    rows = [["Anna Meier", 12], ["Beat Meier", 7], ["Carla Rossi", 9]]
    results = foreign_results([GroundedResult(id="r1", columns=("name", "orders"), rows=tuple(rows))])
    assert marks(bound("Carla Rossi is new. Rossi placed 9 orders.", results)) == "+"
    assert marks(bound("Carla Rossi is new. Rossi placed 12 orders.", results)) == "-"
    assert marks(bound("Anna Meier and Beat Meier order. Meier placed 12 orders.", results)) != "+"


def test_large_number_words_count_wherever_they_stand_small_ones_before_a_noun_of_the_data() -> None:
    assert [one.figure.text for one in bound("North has forty-two customers, two of them large.", TABLES["sales"])] == [
        "forty-two"
    ]
    assert [one.figure.text for one in bound("It grew by ninety-five in two years.", TABLES["sales"])] == [
        "ninety-five"
    ]


def test_no_exception_escapes_for_strange_results() -> None:
    rows = [[None, float("nan"), 10**400, Decimal("1E+3000")], ["", True, -0.0, "\u0000"], ["x" * 5000, 1e308, 5, "5"]]
    results = foreign_results([GroundedResult(id="r", columns=("a", "b", "c", "d"), rows=tuple(rows))])
    assert marks(bound("x has b of 5 and c of 7 and 10 percent.", results)).count("+") <= 1
    assert bound("", results) == ()
    assert bound("5", {}) != ()


# --- any text, any table

names = st.lists(
    st.text(string.ascii_lowercase, min_size=5, max_size=9).map(str.capitalize),
    min_size=2,
    max_size=6,
    unique_by=lambda name: name[:5],
)
NOUNS = ("revenue", "costs", "customers", "Umsatz", "Kosten", "Filialen", "销售额", "成本", "数量")
values = st.decimals(min_value=0, max_value=10**7, places=2, allow_nan=False, allow_infinity=False)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[str], list[list[Decimal]]]:
    """Names of rows, names of columns, and cells."""
    rows = draw(names)
    columns = draw(st.lists(st.sampled_from(NOUNS), min_size=2, max_size=4, unique=True))
    return rows, columns, [[draw(values) for _ in columns] for _ in rows]


TEMPLATES = (
    "{name}: {noun} {value}.",
    "{name} – {noun}: {value}",
    "{noun} of {name}: {value}",
    "{name}的{noun}为{value}。",
    "- {name}, {noun} von {value}",
)


def as_results(table: tuple[list[str], list[str], list[list[Decimal]]]) -> Any:
    rows, columns, cells_ = table
    body = tuple([name, *line] for name, line in zip(rows, cells_, strict=True))
    return foreign_results([GroundedResult(id="r1", columns=("name", *columns), rows=body, key="name")])


@settings(max_examples=150, deadline=None)
@given(table=tables(), locale=st.sampled_from(LOCALES), data=st.data())
def test_what_is_written_from_cells_is_bound_and_anything_else_is_not(
    table: Any, locale: str, data: st.DataObject
) -> None:
    rows, columns, cells_ = table
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, len(columns) - 1))
    template = data.draw(st.sampled_from(TEMPLATES))
    results = as_results(table)

    def written(name: str, noun: str, value: Decimal) -> str:
        text = template.format(name=name, noun=noun, value=format_number(value, locale, decimals=2))
        return marks(bound(text, results, locale)[-1:])  # a name such as Trillion is a figure, too

    value = cells_[row][column]
    assert written(rows[row], columns[column], value) == "+"
    assert written(rows[row], columns[column], value + Decimal("1.11")) == "-"
    other_row = (row + 1) % len(rows)
    if cells_[other_row][column] != value:
        assert written(rows[other_row], columns[column], value) == "-"
    other_column = (column + 1) % len(columns)
    if cells_[row][other_column] != value:
        assert written(rows[row], columns[other_column], value) == "-"


words = st.one_of(
    st.text(max_size=15),
    st.sampled_from(
        ["North", " South ", "West", " revenue", " customers", "42", "1,200.50", "950", " - ", " of ", "not ", "except ", ". ", "\n- ", "|", "(", ") ", "3-1",
         " a ", " pair of ", "8 am", " to ", "2020-03-01", "北区", "销售额", "12万", "第3", "%", " 1. ", " and ", ", ", "twenty-one ", "Acme Corp."]
    ),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.lists(words, max_size=25).map("".join),
    st.sampled_from(sorted(TABLES)),
    st.sampled_from([*LOCALES, "fr", ""]),
    st.booleans(),
)
def test_any_text_over_any_table_is_read_without_an_exception(text: str, table: str, locale: str, every: bool) -> None:
    found = bound(text, TABLES[table], locale, every_word=every)
    spans = [one.provenance.span for one in found]
    assert spans == sorted(spans)
    for one in found:
        assert text[slice(*one.provenance.span)] == one.provenance.text
        assert (one.provenance.status == "bound") == (one.why == "")
        assert one.provenance.kind != "cell" or one.provenance.status != "bound" or len(one.provenance.args) == 1


@each(
    "part",
    ["North 42 ", "North and ", "1-", "not ", "|42", "(", "a customers, ", "42 customers and ", "[1] ", "北区42、", "North's 42. "],
)  # fmt: skip
def test_the_time_for_a_long_text_grows_with_its_length(part: str) -> None:
    known = Index(TABLES["sales"])

    assert is_linear(lambda size: partial(bound, (part * size)[:size], known), 1_000, 64_000)


def test_the_time_for_many_cells_grows_with_their_number() -> None:
    def work(rows: int) -> Callable[[], object]:
        body = tuple([f"Name {at}", at, at * 2, "text"] for at in range(rows))
        given = [GroundedResult(id="r", columns=("name", "a", "b", "c"), rows=body)]
        return lambda: bound("Name 5 has a of 5, b of 11 and 77777.", foreign_results(given))

    assert is_linear(work, 2_000, 2_000)


# --- what is said without a template


STORED = {(BALANCE, "accountNumber"): {"1020", "1021"}, (CONTACT, "name"): {"Halle 7 AG"}}


@each(
    ("text", "figure"),
    [
        ("Welches Jahr meinen Sie: 2024 oder 2025?", None),
        ("Meinen Sie eines der Konten 1020 und 1021?", None),
        ("Meinen Sie eines der zwei Jahre?", None),
        ("Es sind zwei Konten.", "zwei"),
        ("Es sind 2024 Franken.", "2024"),
        ("Es sind CHF 1020.", "1020"),
        ("Meinen Sie die Halle 7 AG?", None),
        ("Per 31.12.2025 gibt es keine Daten.", None),
        ("1. das Konto\n2. die Gruppe", None),
        ("Es fehlen 17 Buchungen.", "17"),
        ("Der Saldo ist 152'400.00.", "152'400.00"),
        ("Konto 1022 gibt es nicht.", "1022"),
        ("Es sind zwanzig.", "zwanzig"),
        ("Es sind 2'024 Kunden.", "2'024"),
        ("Halle 8 AG", "8"),
    ],
)
def test_a_question_back_holds_no_figure_of_the_data(text: str, figure: str | None) -> None:
    problem = unproven_figure([text], NO_ECHO, STORED, "de-CH")
    assert (problem.field if problem else None) == figure


def test_a_question_back_may_repeat_the_question() -> None:
    echo = echo_of("Buchungen über 5000 CHF am 3.4.2025", "de-CH", [date(2025, 4, 3)])
    assert unproven_figure(["Meinen Sie Buchungen über 5000?", "am 3.4.2025"], echo, {}, "de-CH") is None
    assert unproven_figure(["Es sind 5000 EUR."], echo, {}, "de-CH") is not None
    assert unproven_figure(["fein", "über 6000"], echo, {}, "de-CH") is not None


@settings(deadline=None)
@given(texts, st.sampled_from([*LOCALES, "de", "xx"]))
def test_any_question_back_is_read(text: str, locale: str) -> None:
    problem = unproven_figure([text], NO_ECHO, STORED, locale)
    assert problem is None or problem.field
