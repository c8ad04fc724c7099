"""Templates: formatted for the locale, every figure proven, and no typed figure passes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from veracity.answer.render import Echo, FigureProvenance, Rendered, echo_of, render
from veracity.answer.results import ColumnFacts, Result, result_of
from veracity.contracts import HINT_LENGTH, QueryValidationError, ResultColumn, TableData
from veracity.language.numbers import LOCALES, find_figures
from veracity.ontology.fields import Additivity, Encoding, FieldRole
from veracity.query.model import Call, read_call
from veracity.tools.tables import TableTools

quick = settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
NOTHING = Echo()
RIGHT_CALLS = Path(__file__).parent / "cases" / "ledger" / "calls.yaml"

CODE = ColumnFacts(role=FieldRole.CODE)
AMOUNT = ColumnFacts(
    role=FieldRole.AMOUNT,
    additivity=Additivity.ADDITIVE,
    unit_field="currency",
    unit_fixed_by=("currency",),
    scale=2,
    can_be_added=True,
    numeric=True,
)
LEDGER: Mapping[str, ColumnFacts] = {
    "account": CODE,
    "label": ColumnFacts(role=FieldRole.NAME),
    "amount": AMOUNT,
    "currency": ColumnFacts(role=FieldRole.CURRENCY),
    "year": ColumnFacts(role=FieldRole.PERIOD, scale=0, numeric=True),
    "rate": ColumnFacts(role=FieldRole.RATE, numeric=True),
    "at": ColumnFacts(role=FieldRole.DATE, encoding=Encoding.UNIX_SECONDS, numeric=True),
    "paid": ColumnFacts(role=FieldRole.FLAG),
    "pieces": ColumnFacts(additivity=Additivity.ADDITIVE, can_be_added=True, scale=0, numeric=True),
}
ROWS = (
    ("1020", "Kontokorrent", Decimal("152400.00"), "CHF", 2025, 0.077, 1735689600, True, 12345),
    ("1021", "Konto 2\nneu", Decimal("-47.50"), "CHF", 2024, Decimal("1.23456789"), None, False, 7),
)


def made(
    columns: Mapping[str, ColumnFacts] = LEDGER, rows: tuple[tuple[Any, ...], ...] = ROWS, name: str = "r1"
) -> Result:
    data = TableData(
        result_id=name,
        table_name="T",
        columns=tuple(ResultColumn(name=column, type="text") for column in columns),
        rows=tuple(dict(zip(columns, row, strict=True)) for row in rows),
        row_count=len(rows),
        truncated=False,
    )
    key = ("account",) if "account" in columns else ()
    return Result(data, Call(tool="queryTable", table="T"), key, columns, {}, key)


def answer(template: str, *results: Result, locale: str = "de-CH", echo: Echo = NOTHING, **more: Any) -> Rendered:
    found = render(template, {r.data.result_id: r for r in results or (made(),)}, locale=locale, echo=echo, **more)
    assert isinstance(found, Rendered), found
    for figure in found.figures:
        assert found.text[figure.span[0] : figure.span[1]] == figure.text
    return found


def refusal(
    template: str, *results: Result, locale: str = "de-CH", echo: Echo = NOTHING, **more: Any
) -> QueryValidationError:
    found = render(template, {r.data.result_id: r for r in results or (made(),)}, locale=locale, echo=echo, **more)
    assert isinstance(found, QueryValidationError), found
    assert len(found.hint) <= HINT_LENGTH
    return found


# --- how values look


@each(
    ("expression", "expected"),
    [
        ("r1[0].amount", ("152'400.00", "152.400,00", "152,400.00", "152,400.00")),
        ("r1[1].amount", ("-47.50", "-47,50", "-47.50", "-47.50")),
        ("-r1[0].amount", ("-152'400.00", "-152.400,00", "-152,400.00", "-152,400.00")),
        ("r1[0].account", ("1020",) * 4),
        ("r1[0].label", ("Kontokorrent",) * 4),
        ("r1[1].label", ("Konto 2 neu",) * 4),
        ("r1[0].year", ("2025",) * 4),
        ("r1[0].year - r1[1].year", ("1",) * 4),
        ("r1[0].pieces", ("12'345", "12.345", "12,345", "12,345")),
        ("r1[0].rate", ("0.077", "0,077", "0.077", "0.077")),
        ("r1[1].rate", ("1.234568", "1,234568", "1.234568", "1.234568")),
        ("r1[0].at", ("01.01.2025", "01.01.2025", "1 January 2025", "2025年1月1日")),
        ("date(r1[0].at)", ("01.01.2025", "01.01.2025", "1 January 2025", "2025年1月1日")),
        ("r1[1].at", ("kein Wert", "kein Wert", "no value", "无值")),
        ("r1[0].paid", ("ja", "ja", "yes", "是")),
        ("r1[1].paid", ("nein", "nein", "no", "否")),
        ("count(r1)", ("2",) * 4),
        ("sum(r1.amount)", ("152'352.50", "152.352,50", "152,352.50", "152,352.50")),
        ("avg(r1.amount)", ("76'176.25", "76.176,25", "76,176.25", "76,176.25")),
        ("avg(r1.pieces)", ("6'176", "6.176", "6,176", "6,176")),
        ("r1[0].amount / 12", ("12'700.00", "12.700,00", "12,700.00", "12,700.00")),
        ("r1[1].pieces / r1[0].pieces", ("0.00057", "0,00057", "0.00057", "0.00057")),
        ("r1[0].pieces / r1[1].pieces", ("1'763.57", "1.763,57", "1,763.57", "1,763.57")),
        ("round(r1[0].pieces / r1[1].pieces, 0)", ("1'764", "1.764", "1,764", "1,764")),
        ("round(r1[0].amount, 0)", ("152'400", "152.400", "152,400", "152,400")),
        ("r1[1].pieces / 2 / 100 / 100 / 2 * 4", ("0.0007", "0,0007", "0.0007", "0.0007")),
        ("percent(r1[1].pieces, r1[0].pieces)", ("0.1 %", "0,1 %", "0.1%", "0.1%")),
    ],
)
def test_values_are_shown_as_the_locale_writes_them(expression: str, expected: tuple[str, ...]) -> None:
    assert tuple(answer(f"{{{{ {expression} }}}}", locale=locale).text for locale in LOCALES) == expected


def test_times_of_day_are_shown_only_where_they_are_stored() -> None:
    result = made({"at": ColumnFacts()}, ((datetime(2025, 1, 31, 14, 30),),))
    assert answer("{{ r1[0].at }}", result).text == "31.01.2025 14:30"
    assert answer("{{ date(r1[0].at) }}", result).text == "31.01.2025"


@pytest.mark.parametrize("after", ["%", " %", "\u202f%"])
def test_a_percent_sign_in_the_template_is_not_doubled(after: str) -> None:
    assert answer(f"{{{{ percent(r1[1].pieces, r1[0].pieces) }}}}{after}").text == f"0.1{after}"


def test_rows_stand_on_lines_of_their_own() -> None:
    found = answer("Konten: {{ rows(r1.account, r1.label, r1.amount, r1.currency) }}\nEnde.")
    assert found.text == ("Konten:\n- 1020, Kontokorrent: 152'400.00 CHF\n- 1021, Konto 2 neu: -47.50 CHF\nEnde.")
    amounts = [figure for figure in found.figures if figure.args[0].column == "amount"]
    assert [figure.text for figure in amounts] == ["152'400.00", "-47.50"]
    assert all(figure.kind == "cell" for figure in amounts)
    assert amounts[0].args[0].row_key == {"account": "1020"}


def test_rows_without_texts_or_without_figures_are_lists_too() -> None:
    assert answer("{{ rows(r1.pieces, r1.amount) }}").text == "- 12'345, 152'400.00\n- 7, -47.50"
    assert (
        answer("{{ rows(r1.account, date(r1.at)) }}.", locale="en").text
        == "- 1020, 1 January 2025\n- 1021, no value\n."
    )


def test_cells_cannot_write_expressions_or_steer_a_terminal() -> None:
    result = made({"t": ColumnFacts()}, (("{{ r1[0].x }}\x1b[31m",),))
    assert answer("{{ r1[0].t }}", result).text == "{{ r1[0].x }}\N{REPLACEMENT CHARACTER}[31m"


# --- provenance


def test_every_figure_carries_its_proof() -> None:
    found = answer("Bank: {{ sum(r1.amount) }} {{ r1[0].currency }}, davon {{ r1[0].amount }} auf {{ r1[0].account }}.")
    total, currency, cell, code = found.figures
    assert (total.kind, total.value, total.expression, len(total.args)) == ("derived", "152352.50", "sum(r1.amount)", 2)
    assert (cell.kind, cell.value, cell.args[0].raw) == ("cell", "152400.00", "152400.00")
    assert (currency.value, code.value) == ("CHF", "1020")
    assert all(figure.status == "bound" for figure in found.figures)
    assert (set(found.results), len(found.expressions), found.has_figures) == ({"r1"}, 4, True)


def test_the_proof_of_a_date_and_of_nothing() -> None:
    found = answer("{{ date(r1[0].at) }} / {{ r1[1].at }}")
    assert [figure.value for figure in found.figures] == ["2025-01-01", None]
    assert found.figures[0].args[0].raw == 1735689600


def test_an_answer_of_texts_only_has_no_figures() -> None:
    assert not answer("{{ r1[0].label }} in {{ r1[0].currency }}").has_figures
    assert answer("{{ r1[1].label }}").has_figures


def test_the_keys_of_a_proof_are_known() -> None:
    (figure,) = answer("{{ r1[0].amount }}").figures
    assert set(figure.model_dump()) == {"span", "text", "value", "kind", "expression", "args", "status"}
    with pytest.raises(ValueError, match="Extra inputs"):
        FigureProvenance.model_validate({**figure.model_dump(), "more": 1})


# --- templates that are wrong


@each(
    "template",
    [
        "",
        "  \n",
        "{{ r1[0].amount",
        "r1[0].amount }}",
        "{ r1[0].amount }",
        "Saldo {account}",
        "{{{ r1[0].amount }}}",
        "{{ }}",
        "a } b",
        "x" * 20_001,
    ],
)
def test_broken_templates_are_refused(template: str) -> None:
    assert refusal(template).code == "TYPE_MISMATCH"


def test_the_first_wrong_expression_is_the_answer() -> None:
    assert refusal("{{ r1[0].amuont }} {{ r9[0].x }}").suggestion == "amount"


@each(
    "template",
    [
        "-{{ r1[0].amount }}",
        "Saldo: −{{ r1[0].amount }}",
        "Saldo: minus {{ r1[0].amount }}",
        "余额为负{{ r1[0].amount }}",
        "{{ r1[0].amount }} Mio.",
        "{{ r1[0].amount }}万",
        "{{ r1[0].amount }} million CHF",
        "{{ r1[0].amount }} Tausend",
        "{{ r1[0].pieces }}{{ r1[1].pieces }}",
        "{{ r1[0].account }}{{ r1[0].pieces }}",
        "{{ r1[0].pieces }}.{{ r1[1].pieces }}",
        "{{ r1[0].amount }} %",
        "{{ r1[0].amount }} two",
    ],
)
def test_the_text_around_a_figure_does_not_change_it(template: str) -> None:
    assert refusal(template).code == "TYPE_MISMATCH"


def test_a_figure_in_millions_is_divided_first() -> None:
    assert refusal("{{ r1[0].amount }} Mio.").suggestion == "{{ r1[0].amount / 1000000 }}"
    assert answer("{{ r1[0].amount / 1000000 }} Mio. CHF").text == "0.15 Mio. CHF"
    assert answer("{{ r1[0].amount / 1000 }} thousand CHF", locale="en").text == "152.40 thousand CHF"


@pytest.mark.parametrize(
    "template", ["{{ r1[0].amount }} EUR", "EUR {{ r1[0].amount }}", "{{ r1[0].amount }} €", "{{ r1[0].amount }}欧元"]
)
def test_another_currency_than_the_cells_is_refused(template: str) -> None:
    found = refusal(template)
    assert (found.code, found.suggestion) == ("MIXED_UNITS", "CHF")


@pytest.mark.parametrize(
    "template",
    [
        "{{ r1[0].amount }} CHF",
        "CHF {{ r1[0].amount }}",
        "Fr. {{ r1[0].amount }}",
        "{{ r1[1].year }}-{{ r1[0].year }}",
        "{{ r1[0].year }}年末",
        "Saldo-{{ r1[0].amount }}",
        "- {{ r1[0].amount }}",
        "{{ r1[0].amount }} CHF, EUR gibt es nicht.",
    ],
)
def test_units_ranges_and_bullets_are_fine(template: str) -> None:
    answer(template)


# --- typed figures


@each(
    ("typed", "suggestion"),
    [
        ("152'400.00", "{{ r1[account='1020'].amount }}"),
        ("152400", "{{ r1[account='1020'].amount }}"),
        ("152'352.50", "{{ sum(r1.amount) }}"),
        ("zwei", "{{ count(r1) }}"),
        ("1.1.2025", "{{ r1[account='1020'].at }}"),
        ("999", None),
        ("15.2万", "{{ r1[account='1020'].amount }}"),
        ("３", None),
        ("hundertfünfzigtausend", None),
        ("COVID-19", None),
        ("14:30", None),
        ("三十", None),
        ("½", None),
    ],
)
def test_a_typed_figure_is_refused_and_the_cell_it_means_is_suggested(typed: str, suggestion: str | None) -> None:
    found = refusal(f"Es sind {typed} und {{{{ r1[0].amount }}}}.")
    assert (found.code, found.field, found.suggestion) == ("TYPE_MISMATCH", typed, suggestion)
    assert "{{ r1[0].x }}" in found.hint


@each(
    ("question", "said"),
    [
        ("Saldo von Konto 1020 per 31.12.2025?", "Konto 1020 per 31. Dezember 2025"),
        ("Saldo von Konto 1020 per 31.12.2025?", "im Jahr 2025"),
        ("Was war im März 2025?", "März 2025"),
        ("Die 5 grössten Kunden?", "Die fünf grössten"),
        ("Die fünf grössten Kunden?", "Die 5 grössten"),
        ("Wie lief Q2?", "In q2"),
        ("Wie viel über 1'000 Franken?", "über 1000.00"),
        ("2025年12月31日的余额？", "2025年12月的余额"),
        ("2025年底余额？", "截至2025年12月31日"),
        ("Um 14:30 gebucht?", "um 14:30"),
        ("Buchung 2025-00001?", "Buchung 2025-00001"),
    ],
)
def test_what_the_question_says_may_be_repeated(question: str, said: str) -> None:
    found = answer(f"{said}: {{{{ r1[0].amount }}}}", echo=echo_of(question, "de-CH"))
    repeated = [figure for figure in found.figures if figure.kind == "question"]
    assert repeated
    assert all(figure.expression is None and figure.args == () for figure in repeated)


def test_what_the_periods_of_the_question_mean_may_be_said() -> None:
    echo = echo_of("Ende letzten Jahres?", "de-CH", [date(2024, 12, 31)])
    found = answer("Per 31.12.2024 ({{ r1[0].amount }}), also 2024", echo=echo)
    assert [figure.value for figure in found.figures if figure.kind == "question"] == ["2024-12-31", "2024"]


def test_a_number_of_the_question_is_not_another_one() -> None:
    echo = echo_of("Konto 1020 per 31.12.2025?", "de-CH")
    for typed in ("1021", "31.12.2024", "12", "31", "2'025.00", "102", "-1020"):
        assert refusal(f"{typed}: {{{{ r1[0].amount }}}}", echo=echo).field == typed


def test_declared_constants_may_be_said() -> None:
    found = answer("bei 8.1 % MWST: {{ r1[0].amount }}", constants={"vat": Decimal("8.1"), "none": Decimal(0)})
    assert (found.figures[0].kind, found.figures[0].value) == ("constant", "8.1")
    assert answer("0 und {{ r1[0].amount }}", constants={"none": Decimal(0)}).figures[0].kind == "constant"


def test_numbers_of_list_items_count_up_and_are_ignored() -> None:
    found = answer("1. {{ r1[0].amount }}\n2. {{ r1[1].amount }}\n\n1) {{ r1[0].account }}")
    assert len(found.figures) == 3
    assert refusal("42. {{ r1[0].amount }}").field == "42"
    assert refusal("1. {{ r1[0].amount }}\n7. {{ r1[1].amount }}").field == "7"


def test_digits_in_a_text_cell_are_proven_by_the_cell() -> None:
    found = answer("{{ r1[1].label }}")
    assert (found.text, found.figures[0].kind) == ("Konto 2 neu", "cell")


# --- properties


@given(
    st.decimals(-(10**9), 10**9, places=2).map(str) | st.integers(0, 10**12).map(str),
    st.sampled_from(LOCALES),
    st.booleans(),
)
@quick
def test_a_random_typed_number_never_passes_unless_echoed(typed: str, locale: str, before: bool) -> None:
    template = f"{typed} x {{{{ r1[0].amount }}}}" if before else f"{{{{ r1[0].amount }}}} x {typed}"
    assert refusal(template, locale=locale).code == "TYPE_MISMATCH"
    echoed = render(template, {"r1": made()}, locale=locale, echo=echo_of(f"x {typed}", locale))
    assert isinstance(echoed, Rendered)


CELL = st.one_of(st.text(max_size=8), st.decimals(-(10**9), 10**9, places=2), st.booleans(), st.none(), st.dates())


@given(st.lists(CELL, min_size=1, max_size=4), st.sampled_from(LOCALES))
@quick
def test_spans_are_exact_whatever_the_cells_hold(cells: list[Any], locale: str) -> None:
    columns = {f"c{n}": ColumnFacts(numeric=isinstance(cell, Decimal)) for n, cell in enumerate(cells)}
    template = " | ".join(f"{{{{ r1[0].c{n} }}}}" for n in range(len(cells)))
    rendered = render(template, {"r1": made(columns, (tuple(cells),))}, locale=locale, echo=NOTHING)
    assume(isinstance(rendered, Rendered))
    assert isinstance(rendered, Rendered)
    assert len(rendered.figures) == len(cells)
    for figure in rendered.figures:
        assert rendered.text[figure.span[0] : figure.span[1]] == figure.text


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["{{", "}}", "{", "}", " r1[0].amount ", "5", "x", "\n", "-", "%"])).map("".join)
)
@quick
def test_no_template_makes_render_raise(template: str) -> None:
    found = render(template, {"r1": made()}, locale="de-CH", echo=NOTHING)
    if isinstance(found, Rendered):
        proven = {at for figure in found.figures for at in range(*figure.span)}
        typed = [f for f in find_figures(found.text, "de-CH") if not proven & set(range(f.start, f.end))]
        assert all(re.fullmatch(r"\d{1,2}", figure.text) for figure in typed)


# --- answers over rows of the shipped ledger, as a language model writes them

ANSWERS = {
    "BANK_BALANCE_AT_DATE": "Bank: {{ sum(r1.closingBalance) }} {{ r1[0].currency }}.\n"
    "{{ rows(r1.accountNumber, r1.closingBalance, r1.currency) }}",
    "ACCOUNT_BALANCE_AT_DATE": "Saldo: {{ r1[0].closingBalance }} {{ r1[0].currency }}.",
    "BALANCE_TREND_BY_MONTH": "Tiefster Saldo {{ min(r1.closingBalance) }}, höchster {{ max(r1.closingBalance) }} "
    "{{ r1[0].currency }}.\n{{ rows(r1.periodMonth, r1.closingBalance) }}",
    "EXPENSE_GROUP_OF_MONTH": "{{ sum(r1.debitTotal) - sum(r1.creditTotal) }} {{ r1[0].currency }}.",
    "COMPARE_REVENUE_YEARS": "Veränderung {{ sum(r2.closingBalance) - sum(r1.closingBalance) }} {{ r1[0].currency }}.",
    "RESULT_OF_YEAR": "Erfolg: {{ sum(r1.closingBalance) - sum(r2.closingBalance) }} {{ r1[0].currency }}.",
    "LARGEST_ENTRIES_OF_YEAR": "Die grösste: {{ r1[0].totalAmount }} {{ r1[0].currency }} am {{ date(r1[0].bookingDate) }} "
    "({{ r1[0].entryNumber }}, {{ r1[0].description }}).",
    "ENTRIES_OF_CONTACT": "{{ r2[0].count }} Buchungen; die neueste am {{ date(r1[0].bookingDate) }}.",
    "COSTS_BY_COST_CENTER": "Zusammen {{ sum(r1.sum_netAmount) }} {{ r1[0].currency }}.\n"
    "{{ rows(r1.costCenter, r1.sum_netAmount, r1.currency) }}",
    "LIST_CUSTOMERS": "{{ r2[0].count }} Kunden:\n{{ rows(r1.name, r1.city) }}",
}
"""A kind of question, and an answer over the results of its calls."""
ASKED: dict[str, dict[str, Any]] = {case["kind"]: case for case in reversed(read_yaml(RIGHT_CALLS))}


@each("kind", ANSWERS)
@each("locale", ["de-CH", "en", "zh"])
def test_an_answer_over_rows_of_the_ledger_renders(trustee: TableTools, kind: str, locale: str) -> None:
    results: dict[str, Result] = {}
    for number, call in enumerate(ASKED[kind]["calls"], 1):
        answered = trustee.call_sync(call["tool"], call["args"])
        assert answered.table is not None, answered.error
        data = answered.table.model_copy(update={"result_id": f"r{number}"})
        results[f"r{number}"] = result_of(data, read_call(call["tool"], call["args"]), trustee.catalog)
    found = render(ANSWERS[kind], results, locale=locale, echo=echo_of(ASKED[kind]["question"], locale))
    assert isinstance(found, Rendered), found
    assert found.has_figures
    for figure in found.figures:
        assert found.text[figure.span[0] : figure.span[1]] == figure.text
