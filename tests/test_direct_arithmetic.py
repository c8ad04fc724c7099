"""Sums in requests: which texts are sums, how their figures are read, and what they come to."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import each
from veracity.answer.expression import evaluate, evaluate_constant, parse
from veracity.answer.syntax import Binary
from veracity.contracts import QueryValidationError
from veracity.routing import Computed, Route, Router, compute

ROUTER = Router()


@each(
    ("request_", "expression", "value"),
    [
        ("计算 1+2+3", "1 + 2 + 3", "6"),
        ("三十加五", "30 + 5", "35"),
        ("3万加5万", "30000 + 50000", "80000"),
        ("twenty-five plus two hundred and five", "25 + 205", "230"),
        ("zwei Dutzend mal drei", "24 * 3", "72"),
        ("Was ist 1.5 Mio. plus 2?", "1500000 + 2", "1500002"),
        ("calculate (3+4)*2", "(3 + 4) * 2", "14"),
        ("Was ist 17 mal 4?", "17 * 4", "68"),
        ("rechne 12,5 * 8", "12.5 * 8", "100"),
        ("100 geteilt durch 8", "100 / 8", "12.5"),
        ("3加5乘2", "3 + 5 * 2", "13"),
        ("15% von 230", "15 / 100 * 230", "34.5"),
        ("what is 15% of 80", "15 / 100 * 80", "12"),
        ("230的15%是多少", "15 / 100 * 230", "34.5"),
        ("1+2*3=", "1 + 2 * 3", "7"),
        ("1+1=?", "1 + 1", "2"),
        ("（3＋4）×2＝", "(3 + 4) * 2", "14"),
        ("calculate 10-3", "10 - 3", "7"),
        ("5 * -3", "5 * - 3", "-15"),
        ("two plus two", "2 + 2", "4"),
        ("compute 1,500 * 2", "1500 * 2", "3000"),
        ("rechne 1'500 * 2", "1500 * 2", "3000"),
        ("rechne 0,1 + 0,2", "0.1 + 0.2", "0.3"),
        ("12 : 4", "12 / 4", "3"),
        ("Hallo, was ist 2+2? Danke", "2 + 2", "4"),
    ],
)
def test_a_plain_sum_is_computed_exactly(request_: str, expression: str, value: str) -> None:
    decision = ROUTER.decide(request_)
    assert (decision.route, decision.rule, decision.expression) == (Route.DIRECT_CHAT, "arithmetic", expression)
    assert compute(expression) == Computed(Decimal(value), exact=True)


@each(
    "request_",
    [
        "42", "2024", "2024-01-15", "what is 2024-12-15", "calculate 2024-12-15", "2025-00042", "Was ist 2025-00042?", "3-5", "1020-1029",
        "192.168.0.1", "what is 1.2.3", "+41 44 123 45 67", "044 123 45 67", "what is 555-1234", "24/7", "12/2024", "01.02.2024", "10:30",
        "2^10", "2**10", "2 hoch 10", "x + 3", "3 CHF * 2", "5 km + 3 km", "1 + 1 = 3?", "3 > 2", "sin(3) + 1", "5!", "rechne 1.500 * 2", "1,500 * 2",
        "1.500 + 1", "007 + 1", "1,2,3 + 4", "230 + 15%", "50% of 30 + 20", "how much is the fish", "Wie viel ist offen?",
        "计算斐波那契数列的第100项", "calculate the sum of our sales", "1 + " + "9" * 31, "(" * 30 + "1+1" + ")" * 30, "+".join("1" * 60), "sum(1)", "1 +", "* 3",
    ],
)  # fmt: skip
def test_what_is_no_plain_sum_goes_to_react(request_: str) -> None:
    decision = ROUTER.decide(request_)
    assert decision.route is Route.REACT
    assert decision.expression is None


def test_a_quotient_that_never_ends_says_how_many_places_were_kept() -> None:
    assert compute("7 / 3") == Computed(Decimal("2.3333333333"), exact=False, places=10)
    small = compute("1 / 3000000")
    assert isinstance(small, Computed)
    assert (small.value, small.places) == (Decimal("0.0000003333333333"), 16)


def test_a_third_times_three_is_not_called_exact() -> None:
    assert compute("1 / 3 * 3") == Computed(Decimal("1.0000000000"), exact=False, places=10)


@pytest.mark.parametrize("expression", ["1 / 0", "1 / (2 - 2)", "0 / 0", "5 + 3 / (1 - 1) * 2"])
def test_a_division_by_zero_is_a_sentence(expression: str) -> None:
    assert compute(expression) == "This cannot be computed: a division by zero has no result."


def test_a_division_by_zero_is_still_arithmetic() -> None:
    assert ROUTER.decide("what is 1 divided by 0?").rule == "arithmetic"


def test_a_quotient_too_long_to_round_is_a_sentence() -> None:
    assert compute(f"{'1' * 30} * {'1' * 30} / 7") == "This cannot be computed: the quotient has too many digits."


@pytest.mark.parametrize("expression", ["", "1 +", "r1[0].x", "sum(r1.x)", "a", "1" * 600, "(" * 40 + "1" + ")" * 40])
def test_what_is_no_arithmetic_is_a_sentence(expression: str) -> None:
    said = compute(expression)
    assert isinstance(said, str)
    assert said.startswith("This cannot be computed: ")
    assert said.endswith(".")


def test_typed_numbers_are_still_no_data_in_an_answer() -> None:
    node = parse("1 + 2")
    assert isinstance(node, Binary)
    refused, value = evaluate(node, {}), evaluate_constant(node)
    assert isinstance(refused, QueryValidationError)
    assert refused.hint.startswith("A typed number is not data")
    assert not isinstance(value, QueryValidationError)
    assert value.value == 3


NUMBERS = st.decimals(min_value=0, max_value=10**6, allow_nan=False, allow_infinity=False, places=2).map(
    lambda value: format(value, "f")
)


@given(st.lists(NUMBERS, min_size=2, max_size=6), st.data())
def test_any_sum_is_what_exact_fractions_say(numbers: list[str], data: st.DataObject) -> None:
    signs = [data.draw(st.sampled_from("+-*")) for _ in numbers[1:]]
    written = numbers[0] + "".join(f" {sign} {number}" for sign, number in zip(signs, numbers[1:], strict=True))
    decision = ROUTER.decide(f"calculate {written}")
    assert decision.expression is not None
    found = compute(decision.expression)
    assert isinstance(found, Computed)
    assert found.exact
    whole = "".join(f"Fraction('{n}'){s}" for n, s in zip(numbers, [*signs, ""], strict=True))
    assert Fraction(found.value) == eval(whole, {"Fraction": Fraction})


@given(st.text(alphabet="0123456789+-*/().,' %x=加减乘除以:", max_size=60))
def test_whatever_looks_like_a_sum_computes_or_goes_to_react(text: str) -> None:
    decision = ROUTER.decide(text)
    if decision.expression is not None:
        assert decision.route is Route.DIRECT_CHAT
        found = compute(decision.expression)
        assert isinstance(found, Computed) or found.startswith("This cannot be computed: ")


@given(st.text(max_size=80))
def test_compute_never_raises(text: str) -> None:
    assert isinstance(compute(text), Computed | str)
