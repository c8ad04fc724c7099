"""What tools return, of any shape, is read as tables; what is too much is one sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from veracity.errors import UsageError
from veracity.grounding.evidence import DEEPEST, MAX_CELLS, tables_of
from veracity.grounding.guard import ground

STORES = [
    {"store": "Zurich", "sqm": 820, "manager": "Nadia Keller"},
    {"store": "Basel", "sqm": 570, "manager": "Marco Rossi"},
]
FORMS: dict[str, Any] = {
    "a list of objects": STORES,
    "JSON text": json.dumps(STORES),
    "JSON lines": "\n".join(json.dumps(row) for row in STORES),
    "an object with a list inside": {"page": 1, "result": {"stores": STORES}},
    "an object of alike objects": {"Zurich": {"sqm": 820, "manager": "Nadia Keller"}, "Basel": {"sqm": 570, "manager": "Marco Rossi"}},
    "columns and rows": {"columns": ["store", "sqm", "manager"], "rows": [list(row.values()) for row in STORES]},
    "a list of lists": [["store", "sqm", "manager"], *(list(row.values()) for row in STORES)],
    "CSV": "store,sqm,manager\nZurich,820,Nadia Keller\nBasel,570,Marco Rossi",
    "CSV with semicolons": "store;sqm;manager\nZurich;820;Nadia Keller\nBasel;570;Marco Rossi",
    "Markdown": "Here it is:\n\n| store | sqm | manager |\n|---|---|---|\n| Zurich | 820 | Nadia Keller |\n| Basel | 570 | Marco Rossi |\n",
    "keys and values": "store: Zurich\nsqm: 820\nmanager: Nadia Keller\n\nstore: Basel\nsqm: 570\nmanager: Marco Rossi",
    "numbers as strings": [{**row, "sqm": str(row["sqm"])} for row in STORES],
    "content with an id": {"id": "shops", "content": STORES},
}  # fmt: skip


@each("content", FORMS.values())
def test_answers_are_held_against_rows_in_whatever_shape_they_come(content: Any) -> None:
    assert ground("Zurich has 820 sqm and is run by Nadia Keller.", [content]).verdict == "pass"
    assert ground("Zurich has 570 sqm.", [content]).verdict == "block"
    assert ground("Zurich is run by Marco Rossi.", [content]).support == "contradicted"


def test_one_text_or_object_needs_no_list_around_it() -> None:
    assert ground("Zurich has 820 sqm.", FORMS["CSV"]).verdict == "pass"
    assert ground("Zurich has 820 sqm.", FORMS["an object with a list inside"]).verdict == "pass"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[" * 10_000 + "]" * 10_000, f"deeper than {DEEPEST} levels"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, f"deeper than {DEEPEST} levels"),
        ([{"a": 1, "b": 2}] * (MAX_CELLS // 2 + 1), f"more than {MAX_CELLS:,} cells"),
        ("a,b\n" + "1,2\n" * 120_000, f"more than {MAX_CELLS:,} cells"),
    ],
    ids=["lists", "objects", "cells", "lines"],
)
def test_what_is_too_much_is_one_sentence_with_the_limit(content: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ground("It is 5.", [content])


def test_strange_keys_and_values_are_read() -> None:
    assert ground("x is 5", [[{5: 6, None: 7, True: 8}]]).verdict == "block"
    assert ground("x is 5", ['{"x": NaN, "y": Infinity}']).verdict == "block"
    assert ground("x is 5", ["{broken: [1, 2"]).verdict == "block"


def test_a_figure_with_a_sign_of_no_width_inside_is_not_the_figure_without_it() -> None:
    prices = [[{"item": "lamp", "price": 19}, {"item": "chair", "price": 9}]]
    assert ground("The price of the chair is 1\u200b9.", prices).verdict == "block"


def test_digits_of_other_scripts_are_figures() -> None:
    prices = [[{"item": "lamp", "price": 19}, {"item": "chair", "price": 9}]]
    assert ground("lamp: price ١٩", prices).verdict == "pass"
    assert ground("lamp: price ٢٠", prices).verdict == "block"


values = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.floats(allow_nan=True) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(values | st.text('ab12:;,|-\n\t{}[]" ', max_size=80))
def test_any_value_is_read_as_tables_of_even_rows(value: Any) -> None:
    for table in tables_of(value):
        assert len(set(table.columns)) == len(table.columns)
        assert all(len(row) == len(table.columns) for row in table.rows)
