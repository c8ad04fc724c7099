"""What an expression comes to: a value, the cells it was made from, and with what it may be combined."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from veracity.answer.results import ColumnFacts, Result, comparable, raw
from veracity.contracts import Cell
from veracity.ontology.fields import Additivity, Encoding, FieldRole

MAX_ARGS = 50
"""So many cells are listed in the provenance of one figure."""
AMOUNT_DECIMALS = 2
SHOWN_DECIMALS = 6
"""A number without a scale of its own is shown with at most so many decimals."""
QUOTIENT_DECIMALS = 2
NAMES_THINGS = frozenset({FieldRole.IDENTIFIER, FieldRole.CODE})
"""Numbers of these roles are names: nothing is computed with them."""
VERBATIM = NAMES_THINGS | {FieldRole.NAME, FieldRole.PERIOD}
"""Cells of these roles are shown as they are stored."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ValueKind(StrEnum):
    """What sort of value it is."""

    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    NULL = "null"
    BOOL = "bool"
    ROWS = "rows"


class Arg(BaseModel):
    """A cell that a figure was made from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    result: str
    row_key: dict[str, Any]
    """Key field -> value as text; `row` is the index where the key does not tell the rows apart."""
    column: str
    """`*` for a number of rows."""
    raw: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class ValueUnit:
    """What a figure is measured in."""

    name: str | None = None
    """None where it is not known."""
    exists: bool = False
    anchors: frozenset[tuple[str, str, str]] = frozenset()
    """Table, field and value: figures that share one of these are of the same unit, known or not."""
    field: str | None = None
    """The column that would tell the unit."""

    def joined(self, other: ValueUnit) -> ValueUnit | None:
        """The unit of both together; None when they differ or might differ."""
        if self.exists != other.exists:
            return None
        shared = self.anchors & other.anchors
        known = self.name is not None and self.name == other.name
        unsure = self.name is None or other.name is None
        if not self.exists or known or (unsure and shared):
            return ValueUnit(self.name or other.name, self.exists, shared, self.field or other.field)
        return None


PLAIN = ValueUnit()


@dataclass(frozen=True, slots=True)
class Basis:
    """With what a number may be combined."""

    literal: bool = False
    """Typed, not read from a cell."""
    additivity: Additivity = Additivity.NON_ADDITIVE
    over: tuple[tuple[str, str | None], ...] = ()
    """For a semi-additive number: the value of each `over` field; None where it is not known or not one."""
    unit: ValueUnit = PLAIN
    cells: frozenset[tuple[str, ...]] = frozenset()
    """The cells in it, so that none is added twice."""
    repeats: bool = False
    negated: bool = False
    """Its sign was turned: adding it is a subtraction."""
    scaled: Decimal = Decimal(1)
    """The typed divisor: 1000 for a figure in thousands."""
    name: str | None = None
    """The column, to talk about it."""


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression came to."""

    value: Decimal | str | date | bool | None = None
    unit: str | None = None
    role: FieldRole | None = None
    decimals: int | None = None
    """How many decimals to show; None: as it is, with at most `at_most`."""
    at_most: int = SHOWN_DECIMALS
    percent: bool = False
    args: tuple[Arg, ...] = ()
    derived: bool = False
    """Computed, not just read from one cell."""
    rows: tuple[tuple[Value, ...], ...] | None = None
    cut: bool = False
    """Whether there are more rows than these."""
    numeric: bool = False
    """Stands in a column of figures, also where it is NULL."""
    basis: Basis = field(default=Basis(), compare=False)

    @property
    def kind(self) -> ValueKind:
        """The sort of value."""
        if self.rows is not None:
            return ValueKind.ROWS
        match self.value:
            case None:
                return ValueKind.NULL
            case bool():
                return ValueKind.BOOL
            case Decimal():
                return ValueKind.NUMBER
            case date():
                return ValueKind.DATE
            case _:
                return ValueKind.TEXT


def number_of(cell: Cell) -> Decimal | None:
    """The finite number in a cell; None when it holds anything else."""
    if type(cell) is Decimal:
        return cell if cell.is_finite() else None
    if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal):
        return None
    number = Decimal(repr(cell)) if isinstance(cell, float) else Decimal(cell)
    return number if number.is_finite() else None


def decoded(cell: Cell, encoding: Encoding | None) -> Decimal | str | date | bool | None:
    """A cell as a value: numbers as decimals, and a date that is stored as a number as the date it is."""
    number = None if type(cell) is str else number_of(cell)
    if number is None:
        return cell if isinstance(cell, str | bool | date | None) else str(cell)
    if encoding is None or number != int(number):
        return number
    factor = 1 if encoding is Encoding.UNIX_SECONDS else 1000
    try:
        moment = (_EPOCH + timedelta(milliseconds=int(number) * 1000 // factor)).replace(tzinfo=None)
    except OverflowError:
        return number
    return moment.date() if moment.time() == time() else moment


def row_key(result: Result, index: int) -> dict[str, Any]:
    """What tells a row apart, as texts."""
    row = result.data.rows[index]
    key: dict[str, Any] = {name: comparable(row[name]) if row[name] is not None else None for name in result.key}
    return key if key and result.identifies else {**key, "row": index}


def arg_of(result: Result, index: int, column: str) -> Arg:
    """The cell as it stands in the provenance."""
    cell = result.data.rows[index][column]
    return Arg(result=result.data.result_id, row_key=row_key(result, index), column=column, raw=raw(cell))


def identity_of(result: Result, index: int, column: str) -> tuple[str, ...]:
    """The same for the same cell of the source, whichever result it was read in."""
    if not result.grain or not result.identifies:
        return ("result", result.data.result_id, str(index), column)
    row = result.data.rows[index]
    key = (row[name] if name in result.columns else result.pinned[name] for name in result.grain)
    return (result.call.table, *(comparable(value) for value in key), column)


def said_of(result: Result, index: int, name: str) -> str | None:
    """The value of a field in a row: of its column, or as the call pins it; None when it is not known."""
    cell = result.data.rows[index][name] if name in result.columns else result.pinned.get(name)
    return None if cell is None else comparable(cell)


def unit_of(result: Result, index: int, facts: ColumnFacts) -> ValueUnit:
    """What a cell is measured in."""
    if facts.unit:
        return ValueUnit(facts.unit, exists=True)
    if not facts.unit_field and not facts.unit_fixed_by:
        return PLAIN
    name = said_of(result, index, facts.unit_field) if facts.unit_field else None
    fixed = ((by, said_of(result, index, by)) for by in facts.unit_fixed_by)
    anchors = frozenset((result.call.table, by, value) for by, value in fixed if value is not None)
    return ValueUnit(name, exists=True, anchors=anchors, field=facts.unit_field or facts.unit_fixed_by[0])


def decimals_of(facts: ColumnFacts, cell: Cell) -> int | None:
    """How many decimals a cell is shown with."""
    if isinstance(cell, int):
        return 0
    if facts.scale is not None:
        return facts.scale
    amount = facts.role is FieldRole.AMOUNT or bool(facts.unit or facts.unit_field)
    return AMOUNT_DECIMALS if amount else None


def cell_value(result: Result, index: int, column: str) -> Value:
    """The value of one cell."""
    facts, cell = result.columns[column], result.data.rows[index][column]
    unit = unit_of(result, index, facts)
    value = decoded(cell, facts.encoding)
    return Value(
        value,
        unit=unit.name,
        role=facts.role,
        decimals=decimals_of(facts, cell),
        args=(arg_of(result, index, column),),
        numeric=facts.numeric and facts.encoding is None and facts.role not in VERBATIM,
        basis=Basis(
            additivity=facts.additivity if facts.can_be_added else Additivity.NON_ADDITIVE,
            over=tuple((name, said_of(result, index, name)) for name in facts.over),
            unit=unit,
            cells=frozenset({identity_of(result, index, column)}),
            repeats=facts.repeats,
            name=column,
        ),
    )
