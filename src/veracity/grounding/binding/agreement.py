"""Whether a cell is what a figure says, and what became of one figure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from datetime import date, datetime
from decimal import Context, Decimal
from functools import lru_cache
from typing import Literal, NamedTuple

from veracity.answer.results import ColumnFacts
from veracity.answer.values import Arg
from veracity.grounding.binding.cues import Relation
from veracity.grounding.binding.index import CellPlace
from veracity.grounding.binding.text_figures import clock_times
from veracity.language.folding import words_in
from veracity.language.numbers import Figure, find_figures
from veracity.ontology.descriptor import FieldRole

Status = Literal["bound", "ambiguous", "unbound"]
Why = Literal[
    "",
    "no such value",
    "of the question",
    "other row or column",
    "several places",
    "negated",
    "excluded",
    "wrong unit",
    "expression",
]


class BindingOutcome(NamedTuple):
    """Whether a figure is bound, and to what."""

    status: Status
    why: Why = ""
    place: CellPlace | None = None
    kind: Literal["cell", "derived", "question", "constant"] = "cell"
    value: str | None = None
    expression: str | None = None
    args: tuple[Arg, ...] = ()
    nearest: CellPlace | str | None = None
    """What the data says there: a cell, or a figure that was worked out."""
    sure: bool = False
    """Whether the words of this very figure say the cell that says otherwise."""
    hint: str = ""
    """One sentence on what is wrong with it, where more is known."""


def at(place: CellPlace) -> BindingOutcome:
    """Bound to a cell."""
    return BindingOutcome("bound", place=place)


def several(place: CellPlace | None = None) -> BindingOutcome:
    """It could be of several cells."""
    return BindingOutcome("ambiguous", "several places", nearest=place)


def missed(nearest: CellPlace | str | None = None, *, sure: bool = False) -> BindingOutcome:
    """The cell that is meant says something else."""
    why: Why = "other row or column" if nearest is not None else "no such value"
    return BindingOutcome("unbound", why, nearest=nearest, sure=sure)


# --- whether a cell is what a figure says: rounded as the figure is, in its scale, as a share, a day, a time, or inside a text


_EXACT = Context(prec=400)
_HUNDRED = Decimal(100)
_ENDLESS = Decimal("Infinity")
_LONGEST = 4_000
_BESIDE = 24

_GLUED = re.compile(r"([0-9]{1,12})[A-Za-z]{1,5}")


class Meant(NamedTuple):
    """What a figure says, together with the words around it that change it."""

    figure: Figure
    spans: tuple[tuple[Decimal, Decimal], ...] = ()
    """From where to where a number may lie, for each reading of the figure."""
    compares: bool = False
    """Behind `more than` or `at most`: a span has no other end."""
    minute: int | None = None
    """Of the day, for a time."""


def meant_by(
    figure: Figure,
    relation: Relation = "is",
    *,
    negative: bool = False,
    either_sign: bool = False,
    minute: int | None = None,
) -> Meant:
    """What a figure says; `negative` behind `minus`, `either_sign` where a change of -5 may be said as `fell by 5`."""
    spans: list[tuple[Decimal, Decimal]] = []
    for reading, tolerance in zip(figure.readings, figure.tolerances, strict=True):
        near = _rounded_off(reading, tolerance) if relation == "about" else tolerance
        if not reading and figure.scale != 1:
            near = Decimal(0)  # "0 million" says nothing, not half a million
        for value in (-reading, *(() if negative else (reading,))) if negative or either_sign else (reading,):
            low, high = _EXACT.subtract(value, near), _EXACT.add(value, near)
            spans.append((-_ENDLESS if relation == "at most" else low, _ENDLESS if relation == "at least" else high))
    return Meant(figure, tuple(spans), relation in ("at least", "at most"), minute)


def agrees(meant: Meant, cell: Decimal | str | date | bool | None, facts: ColumnFacts) -> bool:
    """Whether the cell is what the figure says. NULL supports nothing."""
    if cell is None or isinstance(cell, bool):
        return False
    if isinstance(cell, Decimal):
        return _is_number(meant, cell, facts)
    if isinstance(cell, date):
        return _is_day(meant, cell)
    return says(cell, meant)


def _is_number(meant: Meant, cell: Decimal, facts: ColumnFacts) -> bool:
    percent = meant.figure.percent
    if percent and (facts.unit or facts.role not in (FieldRole.RATE, None)):
        return False
    if _within(meant, cell):
        return True
    if facts.multiple != 1 and _within(meant, _EXACT.multiply(cell, facts.multiple)):
        return True
    return (
        percent and facts.role is FieldRole.RATE and abs(cell) <= 1 and _within(meant, _EXACT.multiply(cell, _HUNDRED))
    )


def _within(meant: Meant, number: Decimal) -> bool:
    return any(low <= number <= high for low, high in meant.spans)


def _rounded_off(reading: Decimal, tolerance: Decimal) -> Decimal:
    """About 150,000 is exact to 5,000: the zeros at its end were not counted."""
    whole = reading.normalize()
    exponent = whole.as_tuple().exponent
    return max(tolerance, Decimal(5).scaleb(exponent - 1)) if isinstance(exponent, int) and reading else tolerance


def _is_day(meant: Meant, cell: date) -> bool:
    day = cell.date() if isinstance(cell, datetime) else cell
    if day in meant.figure.dates:
        return True
    if meant.minute is not None:
        return isinstance(cell, datetime) and cell.hour * 60 + cell.minute == meant.minute
    figure = meant.figure
    plain = figure.kind == "number" and len(figure.text) == 4 and figure.text.isdigit()
    return plain and day.year == int(figure.text)


# --- texts


def says(text: str, meant: Meant, beside: Collection[str] = ()) -> bool:
    """Whether a text says the same figure; with `beside`, one of these words right before or right behind it."""
    if len(text) > _LONGEST:
        return False
    if meant.minute is not None:
        return meant.minute in _times(text)
    figure = meant.figure
    if figure.kind == "label":
        return figure.text.casefold() in text.replace(" ", "").casefold()
    for found in _figures(text):
        if any(day in figure.dates for day in found.dates):
            return True
        same = found.percent == figure.percent and any(_within(meant, stored) for stored in found.readings)
        if same and (not beside or _is_beside(text, found, beside)):
            return True
    return False


def _is_beside(text: str, figure: Figure, words: Collection[str]) -> bool:
    before = words_in(text[max(0, figure.start - _BESIDE) : figure.start])[-1:]
    return any(word in words for word in (*before, *words_in(text[figure.end : figure.end + _BESIDE])[:1]))


@lru_cache(maxsize=4096)
def _figures(text: str) -> tuple[Figure, ...]:
    # 64GB is 64 of something.
    return tuple(
        replace(
            figure,
            end=figure.start + len(found[1]),
            text=found[1],
            kind="number",
            readings=(Decimal(found[1]),),
            decimals=(0,),
        )
        if figure.kind == "label" and (found := _GLUED.fullmatch(figure.text))
        else figure
        for figure in find_figures(text, "en")
    )


@lru_cache(maxsize=4096)
def _times(text: str) -> tuple[int, ...]:
    return tuple(clock_times(text))


def significant(figure: Figure) -> int:
    """How many digits of a figure tell it from others: 3 of 152,000, 4 of 28.50."""
    if not figure.readings:
        return 0
    digits = "".join(ch for ch in figure.text if ch.isdigit())
    return len(digits.strip("0")) + (1 if figure.decimals[0] else 0)
