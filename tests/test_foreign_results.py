"""Results of other agents: cells are read as what they are; what cannot be read is said in one sentence."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from veracity.answer.results import Result
from veracity.errors import UsageError
from veracity.grounding.binding.foreign_results import foreign_results
from veracity.grounding.contracts import GroundedResult
from veracity.ontology.fields import FieldRole


def read(columns: Any, rows: Any, **more: Any) -> Result:
    return foreign_results([GroundedResult.model_validate({"id": "r1", "columns": columns, "rows": rows, **more})])[
        "r1"
    ]


def column(*values: Any, name: str = "x") -> list[Any]:
    return [row[name] for row in read([name], [[value] for value in values]).data.rows]


# --- cells


@each(
    ("text", "number"),
    [
        ("$ 1,452.4", "1452.4"),
        ("$1,496.5", "1496.5"),
        ("(12.6)", "-12.6"),
        ("$(238)", "-238"),
        ("(8)%", "-8"),
        ("(87%)", "-87"),
        ("12.5%", "12.5"),
        ("12.5 %", "12.5"),
        ("1'234.50", "1234.50"),
        ("1’234’567", "1234567"),
        ("CHF 1'234.50", "1234.50"),
        ("1 234,5", "1234.5"),
        ("-7", "-7"),
        ("−7", "-7"),
        ("€ -7.25", "-7.25"),
        ("12,6", "12.6"),
        ("1,234", "1234"),
        ("1.5 Mio.", "1500000"),
        ("CHF 2 Mrd.", "2000000000"),
        ("3.2万", "32000"),
        ("0.123456789012345", "0.123456789012345"),
    ],
)
def test_numbers_as_people_write_them_are_numbers(text: str, number: str) -> None:
    assert column(1.5, 2.5, text) == [1.5, 2.5, Decimal(number)]


@each("text", ["—", "-", "–", "N/A", "n/a", "", "NaN", "null", "$ —", "k.A.", "无"])
def test_a_dash_among_numbers_is_null_and_not_zero(text: str) -> None:
    assert column(1, 2, text) == [1, 2, None]


def test_a_dash_among_texts_is_a_text() -> None:
    assert column("red", "-", "blue") == ["red", "-", "blue"]


def test_the_decimal_comma_is_read_where_most_cells_say_so() -> None:
    assert column("1.234,50", "2.000", "12,6") == [Decimal("1234.50"), Decimal(2000), Decimal("12.6")]
    assert column("1,234.50", "2,000", "11,54", "0.35") == [
        Decimal("1234.50"),
        Decimal(2000),
        Decimal("11.54"),
        Decimal("0.35"),
    ]


def test_a_mark_behind_a_number_says_nothing_of_decimals() -> None:
    assert column("31,", "1,407", "1,082") == ["31,", Decimal(1407), Decimal(1082)]


def test_texts_stay_texts_beside_a_few_numbers() -> None:
    assert column("Li-Po 5000 mAh", "12", "black", "dual") == ["Li-Po 5000 mAh", "12", "black", "dual"]
    assert column(12, "about 5", 7, 8) == [12, "about 5", 7, 8]


def test_dates_and_moments_are_read_in_iso_form() -> None:
    assert column("2024-05-06", "2024-05-07") == [date(2024, 5, 6), date(2024, 5, 7)]
    assert column("2024-05-06 12:00:00", "2024-05-06T13:30:00Z")[1] == datetime(2024, 5, 6, 13, 30)
    assert column("2024-05-06", "2024-13-45") == [date(2024, 5, 6), "2024-13-45"]


def test_codes_keep_their_zeros() -> None:
    assert column("0012", "0013", name="product code") == ["0012", "0013"]
    assert column("007", "12", "13") == ["007", Decimal(12), Decimal(13)]


def test_not_a_number_is_null_and_lists_are_texts() -> None:
    assert column(float("nan"), float("inf"), 2.0) == [None, None, 2.0]
    assert column(["a", "b"], []) == ["a, b", ""]


def test_objects_inside_rows_become_columns() -> None:
    result = read(["name", "hours"], [["Cafe", {"Monday": "8:0-22:0", "weekend": {"Sunday": "9:0-15:0"}}]])
    assert list(result.columns) == ["name", "hours.Monday", "hours.weekend.Sunday"]
    assert result.columns["hours.weekend.Sunday"].words == ("Sunday",)


def test_rows_may_be_objects_and_miss_cells() -> None:
    result = read(["a", "b"], [{"a": 1, "b": 2}, {"b": 3}])
    assert [dict(row) for row in result.data.rows] == [{"a": 1, "b": 2}, {"a": None, "b": 3}]
    assert list(read([], [{"x": 1}, {"y": 2}]).columns) == ["x", "y"]


# --- columns


@each(
    ("name", "values", "role"),
    [
        ("customer_id", [1, 2], FieldRole.IDENTIFIER),
        ("order number", [7, 8], FieldRole.CODE),
        ("zip", ["8000", "3000"], FieldRole.CODE),
        ("订单编号", ["A1", "A2"], FieldRole.CODE),
        ("year", [2023, 2024], FieldRole.PERIOD),
        ("Monat", [1, 12], FieldRole.PERIOD),
        ("year", [5, 120_000], None),
        ("number of orders", [7, 8], None),
        ("share", [0.5, 0.25], FieldRole.RATE),
        ("margin", ["5%", "7%"], FieldRole.RATE),
        ("增长率", [5, 7], FieldRole.RATE),
        ("active", [True, False], FieldRole.FLAG),
        ("when", ["2024-01-01", "2024-01-02"], FieldRole.DATE),
        ("name", ["Ann", "Bo"], FieldRole.NAME),
        ("team", ["red", "red"], FieldRole.CATEGORY),
        ("review", ["x" * 80, "y"], FieldRole.FREE_TEXT),
        ("revenue", [1.5, 2], None),
    ],
)
def test_what_a_column_is_for_is_guessed_from_its_name_and_values(
    name: str, values: list[Any], role: FieldRole | None
) -> None:
    facts = read([name], [[value] for value in values]).columns[name]
    assert facts.role is role
    assert facts.can_be_added is (role in (None, FieldRole.RATE))


@each(
    ("column_", "multiple"),
    [
        ({"name": "revenue", "scale": "million"}, 10**6),
        ({"name": "revenue", "scale": "thousand"}, 10**3),
        ({"name": "rate", "scale": "percent"}, 1),
        ("Revenue (in millions)", 10**6),
        ("Sales in thousands", 10**3),
        ("Umsatz (in Mio. CHF)", 10**6),
        ("Kosten (TCHF)", 10**3),
        ("金额（万元）", 10**4),
        ("revenue ($m)", 10**6),
        ("market in Munich", 1),
        ("minutes", 1),
        ("thousands", 1),
    ],
)
def test_in_how_many_the_cells_are_is_declared_or_stands_in_the_heading(column_: Any, multiple: int) -> None:
    assert next(iter(read([column_], [[1]]).columns.values())).multiple == multiple


def test_labels_synonyms_and_units_are_kept() -> None:
    facts = read([{"name": "PTS", "label": "Points", "synonyms": ["points scored"], "unit": "usd"}], [[1]]).columns[
        "PTS"
    ]
    assert (facts.words, facts.unit) == (("Points", "points scored"), "USD")
    assert read([{"name": "m", "unit": "%"}], [[1]]).columns["m"].role is FieldRole.RATE


def test_the_key_tells_rows_apart_declared_or_guessed() -> None:
    assert read(["a", "b"], [["x", 1], ["y", 1]]).key == ("a",)
    assert read(["a", "b"], [["x", 1], ["x", 2]]).key == ()
    declared = read(["a", "b"], [["x", 1], ["x", 2]], key=["a", "b"])
    assert (declared.key, declared.identifies) == (("a", "b"), True)
    assert not read(["a", "b"], [["x", 1], ["x", 1]], key="a").identifies


def test_a_cut_result_stays_cut() -> None:
    assert read(["a"], [[1]], truncated=True).data.truncated


# --- what cannot be read


@pytest.mark.parametrize(
    ("results", "says"),
    [
        ([{"id": "r1", "columns": ["a"], "rows": []}] * 2, "Two results have the id r1"),
        ([{"id": "r1", "columns": ["a", "a"], "rows": []}], "two columns a"),
        ([{"id": "r1", "columns": ["a"], "rows": [[1], [1, 2]]}], "Row 1 of result r1 has 2 cells for 1 columns"),
        ([{"id": "r1", "columns": ["a"], "rows": ["x"]}], "neither a list nor an object"),
        ([{"id": "r1", "columns": ["amount"], "rows": [{"amuont": 1}]}], "did you mean amount?"),
        ([{"id": "r1", "columns": ["amount"], "rows": [], "key": "amonut"}], "did you mean amount?"),
        ([{"id": "r1", "columns": [f"c{n}" for n in range(2_001)], "rows": []}], "at most 2000"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(results: list[Any], says: str) -> None:
    with pytest.raises(UsageError, match=re.escape(says)) as raised:
        foreign_results([GroundedResult.model_validate(result) for result in results])
    assert "\n" not in str(raised.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(["1,234.5", "(5)", "-", "2024-01-01", "12%"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=12), max_size=4, unique=True), st.data())
def test_any_json_becomes_rows_or_one_sentence(columns: list[str], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.lists(json_values, min_size=len(columns), max_size=len(columns)), max_size=5))
    try:
        result = read(columns, rows)
    except UsageError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    assert len(result.data.rows) == len(rows)
    plain = (str, bool, int, float, Decimal, date, type(None))
    assert all(isinstance(cell, plain) for row in result.data.rows for cell in row.values())
