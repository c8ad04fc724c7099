"""`each`: a test over many cases fails if any of them does, and names those that do."""

from __future__ import annotations

import pytest

from each_case import SHOWN, each


def test_all_cases_run_and_those_that_fail_are_named() -> None:
    ran = []

    @each("number", range(5))
    def is_small(number: int, limit: int) -> None:
        ran.append(number)
        assert number < limit

    with pytest.raises(ExceptionGroup, match="2 of 5 cases") as raised:
        is_small(limit=3)  # type: ignore[call-arg]
    assert ran == [0, 1, 2, 3, 4]
    assert [failure.__notes__ for failure in raised.value.exceptions] == [["case: 3"], ["case: 4"]]


def test_what_pytest_itself_fails_is_a_failing_case_too() -> None:
    @each("text, number", [("1", 1), pytest.param("x", 2, id="no number")])
    def is_no_number(text: str, number: int) -> None:
        with pytest.raises(ValueError, match="invalid"):
            int(text)

    with pytest.raises(BaseExceptionGroup, match="1 of 2 cases") as raised:
        is_no_number()  # type: ignore[call-arg]
    assert raised.value.exceptions[0].__notes__ == ["case: '1', 1"]


def test_many_failures_are_counted_and_the_first_shown() -> None:
    @each("number", range(30))
    def fails(number: int) -> None:
        raise ValueError(number)

    with pytest.raises(ExceptionGroup, match="30 of 30 cases") as raised:
        fails()  # type: ignore[call-arg]
    assert len(raised.value.exceptions) == SHOWN
