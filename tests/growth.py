"""How the time for an input grows with its length, told apart from how busy the machine is."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

_TRIES = 5
_ENOUGH = 0.02
_SLACK = 0.02


def seconds(work: Callable[[], object]) -> float:
    """The processor time that a piece of work takes."""
    started = process_time()
    work()
    return process_time() - started


def is_linear(work: Callable[[int], Callable[[], object]], size: int, most: int) -> bool:
    """Whether four times the input takes about four times as long, not sixteen times; `work` makes what is timed for a size.

    What is quadratic is so at every try; a busy machine disturbs one now and then.
    """
    work(size)()
    while seconds(work(size)) < _ENOUGH and size < most:
        size *= 2
    return any(seconds(work(4 * size)) < 10 * seconds(work(size)) + _SLACK for _ in range(_TRIES))
