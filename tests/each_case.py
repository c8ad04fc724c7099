"""Many small cases as one test: nothing but the first step of a test is repeated, and the failure names every case."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

import pytest

SHOWN = 10
"""So many failing cases are told whole."""
LONGEST = 300


Test = TypeVar("Test", bound=Callable[..., None])


def each(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Run the test with each of the cases, as `pytest.mark.parametrize` would, but as one test.

    A test of its own takes pytest and its processes more time than such a case. The fixtures of the test are shared by all
    cases: it must have none that one case could spoil for the next.
    """
    parameters = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    rows = tuple(_values(case, len(parameters)) for case in cases)

    def decorated(test: Test) -> Test:
        @wraps(test)
        def over_all(**fixtures: Any) -> None:
            failures = []
            for row in rows:
                try:
                    test(**fixtures, **dict(zip(parameters, row, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - told below, whatever it is
                    failure.add_note("case: " + ", ".join(map(_shown, row)))
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} cases", failures[:SHOWN])

        signature = inspect.signature(test)
        kept = [of for name, of in signature.parameters.items() if name not in parameters]
        over_all.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return over_all  # type: ignore[return-value]

    return decorated


def _values(case: Any, count: int) -> tuple[Any, ...]:
    if hasattr(case, "marks"):  # pytest.param
        return tuple(case.values)
    return (case,) if count == 1 else tuple(case)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST else text[:LONGEST] + " ..."
