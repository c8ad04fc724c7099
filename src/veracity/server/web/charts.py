"""Charts: bars that are computed here and drawn by the templates; only where they say more than the figures alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from veracity.answer.render import NO_VALUE
from veracity.answer.results import ColumnFacts, Result
from veracity.answer.values import NAMES_THINGS
from veracity.contracts import Cell
from veracity.language.locale import language, pick
from veracity.language.numbers import format_number
from veracity.ontology.fields import FieldRole

_FEWEST, _MOST = 3, 24
_NO_VALUES = NAMES_THINGS | {FieldRole.PERIOD, FieldRole.DATE, FieldRole.FLAG}


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar, in percent of the width."""

    label: str
    shown: str
    start: float
    width: float
    negative: bool


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar chart of one column."""

    column: str
    bars: tuple[Bar, ...]


def bars_of(result: Result, locale: str, cited: Sequence[str] = ()) -> Bars | None:
    """A chart of the figure that an answer cites most often; None where there is nothing to compare."""
    rows = result.data.rows
    if not _FEWEST <= len(rows) <= _MOST or result.data.truncated:
        return None
    figures = [one.name for one in result.data.columns if _is_value(result, one.name)]
    column = max(figures, key=cited.count, default=None)
    if column is None or not _one_unit(result, column):
        return None
    values = [_finite_decimal(row.get(column)) for row in rows]
    known = [value for value in values if value is not None]
    if len(known) < _FEWEST or len(set(known)) < 2:
        return None
    labels = [_row_label(result, row, column, pick(NO_VALUE, language(locale))) for row in rows]
    if len(set(labels)) < len(labels):
        return None
    shown = ["–" if value is None else format_number(value, locale, decimals=None) for value in values]
    return Bars(column, _bars(labels, shown, values))


def bars_between(
    column: str, labels: Sequence[str], shown: Sequence[str], values: Sequence[Decimal | None]
) -> Bars | None:
    """Bars for values that were read already; none where no value is known."""
    return Bars(column, _bars(labels, shown, values)) if any(value is not None for value in values) else None


def _bars(labels: Sequence[str], shown: Sequence[str], values: Sequence[Decimal | None]) -> tuple[Bar, ...]:
    known = [value for value in values if value is not None]
    low, high = min([Decimal(0), *known]), max([Decimal(0), *known])
    span = high - low or Decimal(1)
    made = []
    for label, said, value in zip(labels, shown, values, strict=True):
        amount = value or Decimal(0)
        start = float((min(amount, Decimal(0)) - low) / span * 100)
        made.append(Bar(label, said, round(start, 2), round(float(abs(amount) / span * 100), 2), amount < 0))
    return tuple(made)


def _is_value(result: Result, name: str) -> bool:
    facts = result.columns.get(name, ColumnFacts())
    cells = [row.get(name) for row in result.data.rows]
    measured = facts.numeric or any(isinstance(cell, Decimal | float) for cell in cells)
    return measured and facts.role not in _NO_VALUES and name not in result.key


def _one_unit(result: Result, column: str) -> bool:
    """Whether all rows are of one currency: amounts of several are not compared by length."""
    facts = result.columns.get(column, ColumnFacts())
    units = {name for name, one in result.columns.items() if one.role is FieldRole.CURRENCY} | {facts.unit_field}
    return all(len({row.get(name) for row in result.data.rows}) <= 1 for name in units if name)


def _row_label(result: Result, row: dict[str, Cell], column: str, nothing: str) -> str:
    """What tells a row apart: what differs in its key, or its texts."""
    names = [name for name in result.key if name in row] or [
        one.name for one in result.data.columns if one.name != column and isinstance(row.get(one.name), str)
    ]
    telling = [name for name in names if len({one.get(name) for one in result.data.rows}) > 1] or names[:1]
    return " · ".join(nothing if row.get(name) is None else str(row.get(name)) for name in telling)


def _finite_decimal(cell: Cell) -> Decimal | None:
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal):
        return None
    number = Decimal(str(cell))
    return number if number.is_finite() else None


# --- over time


@dataclass(frozen=True, slots=True)
class AxisMark:
    """One day or one run on a time line."""

    label: str
    x: float
    y: float
    tip: str


@dataclass(frozen=True, slots=True)
class ChartLine:
    """Shares over time, from 0 to 1."""

    width: int
    height: int
    marks: tuple[AxisMark, ...]
    path: str


_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 200, 40, 16, 14, 28


def line_of(points: Sequence[tuple[str, float, str]]) -> ChartLine | None:
    """A line through (label, share, tip), from left to right; None where there is no point."""
    if not points:
        return None
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(points) - 1)
    first = _LEFT if len(points) > 1 else (_LEFT + _WIDTH - _RIGHT) / 2
    marks = tuple(
        AxisMark(label, round(first + step * at, 1), _height_of(share), tip)
        for at, (label, share, tip) in enumerate(points)
    )
    path = "M" + " L".join(f"{mark.x} {mark.y}" for mark in marks)
    return ChartLine(_WIDTH, _HEIGHT, marks, path)


def _height_of(share: float) -> float:
    return round(_TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - min(1.0, max(0.0, share))), 1)


def scale() -> tuple[tuple[str, float], ...]:
    """The lines of the scale, each with its height."""
    return tuple((f"{round(share * 100)} %", _height_of(share)) for share in (0.0, 0.5, 1.0))
