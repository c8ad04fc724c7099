"""What became of one figure: the cell it was bound to, or why it was not."""

from __future__ import annotations

from typing import Literal, NamedTuple

from veracity.answer.values import Arg
from veracity.grounding.binding.index import Place

Status = Literal["bound", "ambiguous", "unbound"]
Why = Literal[
    "", "no such value", "other row or column", "several places", "negated", "excluded", "wrong unit", "expression"
]


class Outcome(NamedTuple):
    """Whether a figure is bound, and to what."""

    status: Status
    why: Why = ""
    place: Place | None = None
    kind: Literal["cell", "derived", "question", "constant"] = "cell"
    value: str | None = None
    expression: str | None = None
    args: tuple[Arg, ...] = ()
    nearest: Place | str | None = None
    """What the data says there: a cell, or a figure that was worked out."""
    sure: bool = False
    """Whether the words of this very figure say the cell that says otherwise."""
    hint: str = ""
    """One sentence on what is wrong with it, where more is known."""


def at(place: Place) -> Outcome:
    """Bound to a cell."""
    return Outcome("bound", place=place)


def several(place: Place | None = None) -> Outcome:
    """It could be of several cells."""
    return Outcome("ambiguous", "several places", nearest=place)


def missed(nearest: Place | str | None = None, *, sure: bool = False) -> Outcome:
    """The cell that is meant says something else."""
    why: Why = "other row or column" if nearest is not None else "no such value"
    return Outcome("unbound", why, nearest=nearest, sure=sure)
