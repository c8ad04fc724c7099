"""Declared derivations: a figure is what its expression comes to, or it is wrong. Nothing is searched for."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from veracity.answer.render import Echo
from veracity.grounding.binding.bind import Bound, bind
from veracity.grounding.binding.foreign_results import foreign_results
from veracity.grounding.contracts import DeclaredClaim, GroundedResult
from veracity.language.numbers import LOCALES, format_number

TABLE = foreign_results(
    [
        GroundedResult(
            id="r1",
            columns=("item", "2018", "2019", "net income"),
            rows=(["Fixed price", 1146.2, 1452.4, None], ["Other", 56.7, 44.1, -12.6], ["Staff", 40, 50, 7]),
        ),
        GroundedResult(id="call-2", columns=("name", {"name": "sales", "scale": "million"}), rows=(["A", 30], ["B", 10])),
        GroundedResult(id="r3", columns=("firm", {"name": "chf", "unit": "CHF"}, {"name": "usd", "unit": "USD"}), rows=(["X", 5, 7],)),
    ]
)  # fmt: skip


def claimed(text: str, said: str, expression: str, locale: str = "en", results: Any = TABLE) -> tuple[Bound, ...]:
    claim = DeclaredClaim(text=said, expression=expression)
    return bind(text, results, locale=locale, echo=Echo(), constants={}, claims=[claim])


def accepted(said: str, expression: str, **given: Any) -> bool:
    (one,) = claimed(f"It is {said}.", said, expression, **given)
    return one.provenance.status == "bound"


@each(
    ("said", "expression"),
    [
        ("306.2", "r1[0].\"2019\" - r1[0].`2018`"),
        ("-12.6", "r1[1].\"2019\" - r1[1].\"2018\""),
        ("1,299.30", "(r1[item='Fixed price'].\"2018\" + r1[item='Fixed price'].\"2019\") / 2"),
        ("26.71%", "(r1[0].\"2019\" - r1[0].\"2018\") / r1[0].\"2018\""),
        ("26.71%", "percent(r1[0].\"2019\" - r1[0].\"2018\", r1[0].\"2018\")"),
        ("26.71%", "(r1[0].\"2019\" - r1[0].\"2018\") / r1[0].\"2018\" * 100"),
        ("26.71 percent", "r1[0].\"2019\" / r1[0].\"2018\" - 1"),
        ("0.27", "(r1[0].\"2019\" - r1[0].\"2018\") / r1[0].\"2018\""),
        ("1,546.5", "sum(r1.\"2019\")"),
        ("3", "count(r1)"),
        ("-12.6", "r1[1].\"net income\""),
        ("20 million", "\"call-2\"[name='A'].sales - \"call-2\"[name='B'].sales"),
        ("20", "\"call-2\"[0].sales - `call-2`[1].sales"),
        ("40 million", "sum(\"call-2\".sales)"),
        ("75%", "\"call-2\"[0].sales / sum(\"call-2\".sales)"),
    ],
)  # fmt: skip
def test_what_a_declared_expression_comes_to_is_accepted(said: str, expression: str) -> None:
    (one,) = claimed(f"It is {said}.", said, expression)
    assert (one.provenance.status, one.provenance.kind, one.provenance.expression) == ("bound", "derived", expression)
    assert one.provenance.args


@pytest.mark.parametrize(
    ("said", "expression"),
    [
        ("306.3", "r1[0].\"2019\" - r1[0].\"2018\""),
        ("-306.2", "r1[0].\"2019\" - r1[0].\"2018\""),
        ("3,062", "r1[0].\"2019\" - r1[0].\"2018\""),
        ("306.2 million", "r1[0].\"2019\" - r1[0].\"2018\""),
        ("0.27%", "(r1[0].\"2019\" - r1[0].\"2018\") / r1[0].\"2018\""),
        ("26.72%", "r1[0].\"2019\" / r1[0].\"2018\" - 1"),
        ("0 million", "\"call-2\"[0].sales - \"call-2\"[1].sales"),
        ("20 billion", "\"call-2\"[0].sales - \"call-2\"[1].sales"),
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_what_it_comes_to(said: str, expression: str) -> None:
    (one,) = claimed(f"It is {said}.", said, expression)
    assert (one.provenance.status, one.why) == ("unbound", "expression")
    assert one.nearest


@each(
    ("expression", "hint"),
    [
        ("306.2", "is in no cell"),
        ("200 + 106.2", "is in no cell"),
        ("r1[0].\"2019\" - 1146.21", "is in no cell"),
        ("r1[0].\"2019\" * 3", "is in no cell"),
        ("r1[0].y2019", "has no column"),
        ("r9[0].x", "no result"),
        ("r1[7].\"2018\"", "rows"),
        ("r1[0].\"net income\" + r1[0].\"2018\"", "NULL"),
        ("r3[0].chf + r3[0].usd", "units differ"),
        ("r1[0].\"2018\" / (r1[0].\"2018\" - r1[0].\"2018\")", "zero"),
        ("r1[0].item", "no number"),
        ("2 * 100", "typed number"),
        ("((", "Unexpected"),
        ("__import__('os')", "no function"),
        ("r1[0].\"2018\" + " * 80 + "1", "at most"),
    ],
)  # fmt: skip
def test_an_expression_that_makes_no_sense_says_why(expression: str, hint: str) -> None:
    (one,) = claimed("It is 306.2.", "306.2", expression)
    assert (one.provenance.status, one.why) == ("unbound", "expression")
    assert hint in one.hint


@pytest.mark.parametrize(
    ("said", "expression"),
    [
        ("306.2", "1452.4 - 1146.2"),
        ("26.71%", "1452.4 / 1146.2 - 1"),
        ("73.29%", "1 - (1452.4 - 1146.2) / 1146.2"),
        ("32.47", "(1146.2 + 56.7 + 40) / 3 - 381.83" ),
        ("25.35", "(56.7 + 44.1) / 2 / 2 + 0.15"),
        ("1", "2019 - 2018"),
        ("19.6", "12.6 + 7"),
        ("-5.6", "-12.6 + 7"),
    ],
)  # fmt: skip
def test_a_typed_operand_must_be_a_cell_a_heading_or_give_the_computation_its_form(said: str, expression: str) -> None:
    fits = "381.83" not in expression and "0.15" not in expression and said != "1"
    assert accepted(said, expression) is fits


def test_the_number_of_terms_may_divide_their_sum_and_no_other_number() -> None:
    assert accepted("414.30", "(1146.2 + 56.7 + 40) / 3")
    assert accepted("-414.30", "-(1146.2 + 56.7 + 40) / 3")
    assert not accepted("248.58", "(1146.2 + 56.7 + 40) / 5")


def test_a_fall_may_be_said_without_its_sign_a_rise_may_not() -> None:
    change = 'r1[1]."2019" - r1[1]."2018"'
    assert [one.provenance.status for one in claimed("Other fell by 12.6.", "12.6", change)] == ["bound"]
    assert [one.provenance.status for one in claimed("Der Rückgang beträgt 12,6.", "12,6", change, "de-DE")] == [
        "bound"
    ]
    assert [one.provenance.status for one in claimed("其他下降了12.6。", "12.6", change, "zh")] == ["bound"]
    assert [one.provenance.status for one in claimed("Other grew by 12.6.", "12.6", change)] == ["unbound"]


def test_a_claim_covers_its_own_figure_only() -> None:
    text = "There are 3 items, and the total is 3."
    statuses = [one.provenance.kind for one in claimed(text, "3 items", "count(r1)")]
    assert statuses[0] == "derived"
    assert [one.provenance.status for one in claimed(text, "3 items", "count(r1)")] == ["bound", "unbound"]
    assert [one.provenance.status for one in claimed("13.06 of it.", "3.06", "count(r1)")] == ["unbound"]
    repeated = claimed("The change of 306.2 is large: 306.2.", "306.2", 'r1[0]."2019" - r1[0]."2018"')
    assert [one.provenance.status for one in repeated] == ["bound", "bound"]


def test_a_claim_that_is_not_in_the_text_changes_nothing() -> None:
    (one,) = claimed("Other had 44.1 in 2019.", "999", "count(r1)")[:1]
    assert (one.provenance.status, one.provenance.kind) == ("bound", "cell")
    assert claimed("No figure here.", "", "count(r1)") == ()


numbers = st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False, allow_infinity=False)


@settings(max_examples=150, deadline=None)
@given(
    numbers,
    numbers,
    st.sampled_from(LOCALES),
    st.sampled_from(["a - b", "a + b", "(a + b) / 2"]),
    st.integers(2, 10**6),
)
def test_only_the_right_outcome_is_accepted_in_every_locale(
    a: Decimal, b: Decimal, locale: str, form: str, off: int
) -> None:
    results = foreign_results([GroundedResult(id="r1", columns=("a", "b"), rows=([a, b],))])
    right = {"a - b": a - b, "a + b": a + b, "(a + b) / 2": (a + b) / 2}[form]
    expression = form.replace("a", "r1[0].a").replace("b", "r1[0].b")
    said = format_number(right, locale, decimals=2)
    wrong = format_number(right + Decimal(off) / 100, locale, decimals=2)
    assert accepted(said, expression, locale=locale, results=results)
    assert not accepted(wrong, expression, locale=locale, results=results)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=20))
def test_any_claim_on_any_text_is_read_without_an_exception(text: str, expression: str, said: str) -> None:
    for one in claimed(f"{text} 3 {said}", said or "3", expression):
        assert one.provenance.status in ("bound", "unbound", "ambiguous")
