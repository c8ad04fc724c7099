"""Answers are worded by the program: the right labels, units and forms, and each figure is a cell of the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_world import world_model
from test_semantic_read_back import Author
from veracity.contracts import Cell
from veracity.language.locale import LANGUAGES
from veracity.language.numbers import find_figures, number_in
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Dimension, SemanticQuery, Shown
from veracity.semantic.result import ColumnPart, MissingValues, SemanticColumn, SemanticResult, SharedName
from veracity.semantic.wording.answer_text import WordedAnswer, answer_text
from veracity.semantic.wording.read_back import read_back, sentence
from veracity.sources.source import Column, ColumnType


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> SemanticModel:
    """A model to word results of."""
    return world_model(Path(tmp_path_factory.mktemp("world")))


# --- columns by hand


def key(place: str, kind: ColumnType = ColumnType.INTEGER, by: Any = None) -> SemanticColumn:
    return _named(place, kind, ColumnPart.KEY, by)


def name(place: str, by: Any = None) -> SemanticColumn:
    return _named(place, ColumnType.TEXT, ColumnPart.NAME, by)


def _named(place: str, kind: ColumnType, part: ColumnPart, by: Any) -> SemanticColumn:
    entity, _, field = place.partition(".")
    dimension = Dimension.model_validate(by) if by else None
    return SemanticColumn(Column(place, kind), part, entity=entity, field=field, dimension=dimension)


def field(place: str, kind: ColumnType, unit: str | None = None, scale: int | None = None) -> SemanticColumn:
    entity, _, own = place.partition(".")
    column = Column(place, kind, scale=scale)
    return SemanticColumn(column, ColumnPart.FIELD, Shown(field=place), entity=entity, field=own, unit=unit)


def group(dimension: Any, part: ColumnPart = ColumnPart.FIELD) -> SemanticColumn:
    read = Dimension.model_validate(dimension)
    entity, _, own = (read.field or "").partition(".")
    kind = ColumnType.DATE if part is ColumnPart.PERIOD else ColumnType.TEXT
    return SemanticColumn(Column("group", kind), part, dimension=read, entity=entity, field=own)


def figure(
    shown: Any, *, called: str = "figure", part: ColumnPart = ColumnPart.FIGURE, unit: str | None = None,
    unit_column: str | None = None, scale: int | None = None,
) -> SemanticColumn:  # fmt: skip
    column = Column(called, ColumnType.DECIMAL, scale=scale)
    return SemanticColumn(column, part, Shown.model_validate(shown), unit=unit, unit_column=unit_column)


def result(
    query: Any, columns: Sequence[SemanticColumn], rows: Sequence[tuple[Cell, ...]], **more: Any
) -> SemanticResult:
    names = [*(column.column.name for column in columns), *(c.unit_column for c in columns if c.unit_column)]
    return SemanticResult(
        SemanticQuery.model_validate(query),
        tuple(columns),
        tuple(dict(zip(names, row, strict=True)) for row in rows),
        "",
        **more,
    )


def said(found: SemanticResult, world: SemanticModel, lang: str = "en", locale: str | None = None) -> str:
    return answer_text(found, world, lang, locale).text


POPULATION = [key("City.id"), name("City.name"), field("City.population", ColumnType.INTEGER)]
CITY = {"of": "City", "show": ["City.population"], "where": {"field": "City.name", "value": "Austin"}}
MONTHS = {"show": ["revenue"], "by": [{"field": "Invoice.day", "grain": "month"}]}
MONTH = group({"field": "Invoice.day", "grain": "month"}, ColumnPart.PERIOD)
STATES = {"of": "State", "order": [{"by": "State.area", "descending": True}], "limit": 1}


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "Population of the city Austin: 345,496."),
        ("de", "Bevölkerung von Austin (Stadt): 345'496."),
        ("zh", "城市“Austin”的人口：345,496。"),
    ],
)
def test_one_field_of_one_row_is_a_sentence(world: SemanticModel, lang: str, text: str) -> None:
    assert said(result(CITY, POPULATION, [(7, "Austin", 345496)]), world, lang) == text


def test_a_row_is_called_by_its_name_also_where_the_name_is_part_of_its_key(world: SemanticModel) -> None:
    columns = [key("City.name", ColumnType.TEXT), key("City.state", ColumnType.TEXT), POPULATION[-1]]
    assert (
        said(result(CITY, columns, [("Austin", "Texas", 345496)]), world)
        == "Population of the city Austin, Texas: 345,496."
    )


def test_a_figure_is_worded_with_its_conditions_and_unit(world: SemanticModel) -> None:
    query = {"show": ["revenue"], "period": 2023, "where": {"field": "Customer.country", "value": "Germany"}}
    found = result(query, [figure("revenue", unit="CHF", scale=2)], [(Decimal("1234.5"),)])
    assert said(found, world) == "Revenue, country Germany, 2023: 1,234.50 CHF."
    assert said(found, world, "de", "de-DE") == "Umsatz, Land Germany, 2023: 1.234,50 CHF."


def test_a_row_is_worded_field_by_field_and_years_are_not_grouped(world: SemanticModel) -> None:
    query = {"of": "State", "show": ["State.population", "State.area", "State.founded"]}
    columns = [
        name("State.name"), field("State.population", ColumnType.INTEGER), field("State.area", ColumnType.FLOAT, unit="km²"),
        field("State.founded", ColumnType.INTEGER),
    ]  # fmt: skip
    found = result(query, columns, [("Texas", 29145505, 695662.0, 1845)])
    assert said(found, world) == "Texas (state): population 29,145,505; area 695,662 km²; founding year 1845."


def test_a_list_says_how_many_there_are(world: SemanticModel) -> None:
    found = result({"of": "City"}, [key("City.id"), name("City.name")], [(n, f"Town{n}") for n in range(37)])
    lines = said(found, world).splitlines()
    assert lines[0] == "Cities:"
    assert lines[1:11] == [f"- Town{n}" for n in range(10)]
    assert lines[11:] == ["First 10 rows shown; 37 in total."]
    assert said(found, world, "de").endswith("Die ersten 10 Zeilen sind gezeigt; insgesamt 37.")


def test_a_list_that_was_cut_off_does_not_say_a_total(world: SemanticModel) -> None:
    columns = [key("City.id"), name("City.name")]
    assert said(result({"of": "City"}, columns, [(1, "A"), (2, "B")], truncated=True), world).endswith(
        "There are more rows than the 2 shown."
    )
    many = [(n, f"T{n}") for n in range(11)]
    assert "there are more than 11" in said(result({"of": "City"}, columns, many, truncated=True), world)


def test_keys_stand_before_names_where_they_say_something(world: SemanticModel) -> None:
    columns = [key("Account.number", ColumnType.TEXT), name("Account.label"), field("Account.balance", ColumnType.DECIMAL, scale=2)]  # fmt: skip
    rows = [("1020", "Kantonalbank", Decimal("12345.6")), ("1000", "Kasse", Decimal(0))]
    text = said(result({"of": "Account", "show": ["Account.balance"]}, columns, rows), world, "de")
    assert text.splitlines()[1:] == ["- 1020 Kantonalbank: 12'345.60", "- 1000 Kasse: 0.00"]


def test_numbers_of_rows_are_shown_only_where_names_repeat(world: SemanticModel) -> None:
    rows = [(7, "Springfield", 100), (9, "Springfield", 200)]
    assert "- Springfield, id 7: 100" in said(result(CITY, POPULATION, rows), world)
    rows = [(7, "Springfield", 100), (9, "Springfield", 200), (11, "Austin", 300)]
    assert "- Austin: 300" in said(result(CITY, POPULATION, rows), world)
    rows = [(7, "Springfield", 100), (9, "Austin", 200)]
    assert "- Springfield: 100" in said(result(CITY, POPULATION, rows), world)


def test_one_row_that_shares_its_name_with_others_is_told_apart(world: SemanticModel) -> None:
    rows = [(7, "Springfield", 100)]
    one = replace(result(CITY, POPULATION, rows), namesakes=frozenset({("Springfield",)}))
    assert "Springfield, id 7: 100" in said(one, world)


@pytest.mark.parametrize(
    ("lang", "told"),
    [
        ("en", "2 cities are called Springfield; all of them are meant here."),
        ("de", "2 heissen Springfield (Stadt); hier sind alle gemeint."),
        ("zh", "有2个城市叫Springfield，这里包括全部。"),
    ],
)
def test_a_name_that_several_rows_have_is_told(world: SemanticModel, lang: str, told: str) -> None:
    rows = [(7, "Springfield", 100)]
    one = replace(result(CITY, POPULATION, rows), shared=(SharedName("City", "Springfield", 2),))
    assert told in said(one, world, lang)


def test_the_first_of_all_stands_with_the_figure_that_decided(world: SemanticModel) -> None:
    count = {"via": ["City"], "aggregate": "count", "of": "City"}
    query = {"of": "State", "order": [{"by": count, "descending": True}], "limit": 1}
    columns = [key("State.id"), name("State.name"), figure(count)]
    text = said(result(query, columns, [(1, "Texas", 42)]), world)
    assert text == "The state with the highest number of cities: Texas (42)."


@pytest.mark.parametrize(
    ("lang", "lines"),
    [
        ("en", ["- January 2024: 7.00 CHF", "- March 2024: 5.00 CHF", "No rows: February 2024."]),
        ("de", ["- Januar 2024: 7.00 CHF", "- März 2024: 5.00 CHF", "Keine Zeilen: Februar 2024."]),
        ("zh", ["- 2024年1月：7.00 CHF", "- 2024年3月：5.00 CHF", "无数据：2024年2月。"]),
    ],
)
def test_a_series_names_its_months_in_order_and_those_without_rows(
    world: SemanticModel, lang: str, lines: list[str]
) -> None:
    columns = [MONTH, figure("revenue", unit="CHF", scale=2)]
    rows = [(date(2024, 3, 1), Decimal(5)), (date(2024, 1, 1), Decimal(7))]
    assert said(result(MONTHS, columns, rows), world, lang).splitlines()[1:] == lines


def test_a_table_has_a_line_per_group_with_the_unit_of_its_row(world: SemanticModel) -> None:
    columns = [group("Customer.country"), figure("revenue", scale=2, unit_column="currency")]
    rows = [("Germany", Decimal("1234.5"), "EUR"), (None, Decimal(2), "CHF")]
    found = result({"show": ["revenue"], "by": ["Customer.country"]}, columns, rows, overlapping=True)
    assert said(found, world).splitlines() == [
        "Revenue by country:",
        "- Germany: 1,234.50 EUR",
        "- not stated: 2.00 CHF",
        "A row may count in several groups; together the groups may come to more than the total.",
    ]


def compared(new: Cell, old: Cell, difference: Cell, change: Cell) -> SemanticResult:
    columns = [
        figure("revenue", unit="CHF", scale=2),
        figure("revenue", called="old", part=ColumnPart.COMPARED, unit="CHF", scale=2),
        figure("revenue", called="difference", part=ColumnPart.DIFFERENCE, unit="CHF", scale=2),
        figure("revenue", called="change", part=ColumnPart.CHANGE),
    ]
    query = {"show": ["revenue"], "period": 2023, "compare": {"period": 2022}}
    return result(query, columns, [(new, old, difference, change)])


def test_a_comparison_says_both_values_and_which_way_it_went(world: SemanticModel) -> None:
    fell = compared(Decimal(800), Decimal(1000), Decimal(-200), Decimal(-20))
    assert said(fell, world) == (
        "Revenue, 2023; compared with 2022: 800.00 CHF (2023), 1,000.00 CHF (2022), fell: -200.00 CHF, -20%."
    )
    rose = compared(Decimal(1250), Decimal(1000), Decimal(250), Decimal(25))
    assert said(rose, world, "de").endswith("1'250.00 CHF (2023), 1'000.00 CHF (2022), gestiegen: +250.00 CHF, +25 %.")


def test_a_comparison_with_nothing_says_no_percentage(world: SemanticModel) -> None:
    assert said(compared(Decimal(5), Decimal(0), Decimal(5), None), world).endswith("rose: +5.00 CHF.")
    assert said(compared(Decimal(5), Decimal(5), Decimal(0), Decimal(0)), world).endswith("(2022), unchanged.")
    assert said(compared(Decimal(5), None, None, None), world).endswith("5.00 CHF (2023), no value stored (2022).")


def test_a_share_is_a_percentage_and_small_ones_are_not_zero(world: SemanticModel) -> None:
    share = {"measure": "revenue", "transform": "share"}
    columns = [group("Customer.country"), figure(share)]
    rows = [("A", Decimal("33.3333")), ("B", Decimal("0.0124"))]
    found = result({"show": [share], "by": ["Customer.country"]}, columns, rows)
    assert said(found, world).splitlines()[1:] == ["- A: 33.3%", "- B: 0.012%"]


def test_nothing_found_says_for_which_conditions_and_is_not_zero(world: SemanticModel) -> None:
    assert said(result(CITY, POPULATION, []), world) == "Nothing found: cities named Austin; population."
    count = {"show": [{"aggregate": "count", "of": "City"}]}
    assert said(result(count, [figure(count["show"][0])], [(0,)]), world) == "Number of cities: 0."


def test_a_value_that_is_not_there_is_said_and_is_not_zero(world: SemanticModel) -> None:
    assert (
        said(result(CITY, POPULATION, [(7, "Austin", None)]), world)
        == "Population of the city Austin: no value stored."
    )
    found = result({"show": ["revenue"], "period": 2031}, [figure("revenue", unit="CHF")], [(None,)])
    assert said(found, world, "zh") == "收入，2031年：没有存储值。"


def test_ties_and_missing_values_are_said(world: SemanticModel) -> None:
    columns, missing = [key("State.id"), name("State.name")], (MissingValues("State.area", 15, 50),)
    text = said(result(STATES, columns, [(1, "A"), (2, "B")], tied=True, missing=missing), world)
    assert text.splitlines()[-2:] == ["2 states tie.", "15 of 50 states have no area stored."]
    more = {**STATES, "limit": 2}
    assert "More than 2, because the last ones tie." in said(
        result(more, columns, [(1, "A"), (2, "B"), (3, "C")], tied=True), world
    )


def test_german_has_no_sharp_s() -> None:
    text = (Path(read_back.__code__.co_filename).parent / "wording.yaml").read_text(encoding="utf-8")
    assert "ß" not in text


# --- for all results

CELLS: st.SearchStrategy[Cell] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.decimals(allow_nan=True, allow_infinity=True),
    st.floats(),
    st.text(max_size=20),
    st.dates(),
    st.datetimes(),
)
PLACES = ["City.name", "City.population", "State.founded", "Customer.country", "Invoice.day", "Planet.mass"]


@st.composite
def results(draw: Callable[[st.SearchStrategy[Any]], Any]) -> SemanticResult:
    """Rows of any shape beside any query."""
    query = SemanticQuery.model_validate(Author(draw).query(draw(st.sampled_from([0, 1]))))
    columns = tuple(_any_column(draw, number) for number in range(draw(st.integers(1, 4))))
    names = [column.column.name for column in columns]
    cells = st.fixed_dictionaries(dict.fromkeys(names, CELLS), optional={"unit": CELLS})
    rows = draw(st.lists(cells, max_size=14))
    missing = [
        MissingValues(place, draw(st.integers(0, 5)), 9)
        for place in draw(st.lists(st.sampled_from(PLACES), max_size=2))
    ]
    flags = [draw(st.booleans()) for _ in range(3)]
    return SemanticResult(query, columns, tuple(rows), "", flags[0], flags[1], tuple(missing), flags[2])


def _any_column(draw: Callable[[st.SearchStrategy[Any]], Any], number: int) -> SemanticColumn:
    part = draw(st.sampled_from(list(ColumnPart)))
    place = draw(st.sampled_from(PLACES))
    column = Column(f"c{number}", draw(st.sampled_from(list(ColumnType))), scale=draw(st.sampled_from([None, 0, 2])))
    entity, _, own = place.partition(".")
    if part in (ColumnPart.FIGURE, ColumnPart.COMPARED, ColumnPart.DIFFERENCE, ColumnPart.CHANGE):
        shown = Shown.model_validate(draw(st.sampled_from(["revenue", {"aggregate": "max", "field": place}])))
        unit, unit_column = draw(st.sampled_from([(None, None), ("km", None), ("%", None), (None, "unit")]))
        return SemanticColumn(column, part, shown, unit=unit, unit_column=unit_column)
    by = draw(st.sampled_from([None, {"field": place}, {"field": place, "grain": "month"}]))
    return SemanticColumn(
        column, part, dimension=Dimension.model_validate(by) if by else None, entity=entity, field=own
    )


@settings(max_examples=1000)
@given(found=results(), lang=st.sampled_from(LANGUAGES))
def test_any_result_is_worded_with_spans_that_fit(world: SemanticModel, found: SemanticResult, lang: str) -> None:
    answer = answer_text(found, world, lang)
    place = 0
    for cell in answer.cells:
        assert place <= cell.start < cell.end <= len(answer.text)
        assert cell.column in found.rows[cell.row]
        place = cell.end
    assert answer.text.isprintable() or "\n" in answer.text


@settings(max_examples=1000)
@given(found=results(), lang=st.sampled_from(LANGUAGES))
def test_every_figure_is_a_cell_of_the_result(world: SemanticModel, found: SemanticResult, lang: str) -> None:
    answer = answer_text(found, world, lang)
    rest = _without_cells(answer)
    rest = rest.replace(sentence(read_back(found.query, world, lang)), "")
    allowed = {10, 36, len(found.rows), found.query.limit, *(n for one in found.missing for n in (one.rows, one.of))}
    known = " ".join(_labels(found, world, lang))
    for one in find_figures(rest, "en"):
        assert one.text in known or any(reading in allowed for reading in one.readings), (one.text, answer.text)


@given(number=st.decimals(-(10**12), 10**12, places=2), locale=st.sampled_from(["de-CH", "de-DE", "en", "zh"]))
def test_a_figure_reads_as_the_number_in_its_cell(world: SemanticModel, number: Decimal, locale: str) -> None:
    answer = answer_text(
        result({"show": ["revenue"]}, [figure("revenue", scale=2)], [(number,)]), world, locale, locale
    )
    (cell,) = answer.cells
    assert number_in(answer.text[cell.start : cell.end], locale) == number


def _without_cells(answer: WordedAnswer) -> str:
    text, place = "", 0
    for cell in answer.cells:
        text += answer.text[place : cell.start] + "\n"
        place = cell.end
    return text + answer.text[place:]


def _labels(found: SemanticResult, world: SemanticModel, lang: str) -> list[str]:
    """What may stand beside figures: the sentence, in either case, and the names of columns."""
    text = sentence(read_back(found.query, world, lang))
    compare = found.query.compare
    members = [str(member) for member in compare.members] if compare else []
    return [text, text.casefold(), *members, *(column.column.name for column in found.columns)]


def test_moments_show_their_time_only_where_there_is_one(world: SemanticModel) -> None:
    columns = [name("City.name"), field("Invoice.due", ColumnType.TIMESTAMP)]
    query = {"of": "City", "show": ["Invoice.due"]}
    assert said(result(query, columns, [("A", datetime(2024, 3, 5))]), world, "de").endswith(": 05.03.2024.")
    assert said(result(query, columns, [("A", datetime(2024, 3, 5, 14, 30))]), world, "de").endswith(
        ": 05.03.2024 14:30."
    )
