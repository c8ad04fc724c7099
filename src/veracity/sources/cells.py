"""Engine values -> cells: decimals stay exact, dates stay dates, NULL stays None."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from veracity.contracts import Cell
from veracity.sources.embedded import in_utc
from veracity.sources.source import Column, ColumnType, Row


def _decimal(value: Any, scale: int | None) -> Decimal:
    # repr() of a float is its shortest exact reading: 152400.1 stays 152400.1, where Decimal(float) would not.
    number = value if isinstance(value, Decimal) else Decimal(repr(value) if isinstance(value, float) else str(value))
    exponent = number.as_tuple().exponent
    if scale is not None and isinstance(exponent, int) and exponent > -scale:
        return number.quantize(Decimal(1).scaleb(-scale))
    return number


def _integer(value: Any, _scale: int | None) -> int:
    number = int(value)
    if number != value and not isinstance(value, str):
        raise ValueError("not a whole number")
    return number


def _float(value: Any, _scale: int | None) -> float | str:
    number = float(value)
    return number if math.isfinite(number) else str(number)


def _date(value: Any, _scale: int | None) -> date:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = str(value)
    # The whole text must be a date: engines write others too, such as "0044-03-15 (BC)".
    return date.fromisoformat(text) if len(text) == 10 else datetime.fromisoformat(text).date()


def _timestamp(value: Any, _scale: int | None) -> datetime:
    return in_utc(value if isinstance(value, datetime) else datetime.fromisoformat(str(value)))


def _boolean(value: Any, _scale: int | None) -> bool:
    if isinstance(value, str):
        return {"true": True, "false": False}[value.strip().lower()]
    if value not in (0, 1):
        raise ValueError("neither true nor false")
    return bool(value)


def _text(value: Any, _scale: int | None) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


_DECODERS: dict[ColumnType, Callable[[Any, int | None], Cell]] = {
    ColumnType.DECIMAL: _decimal,
    ColumnType.INTEGER: _integer,
    ColumnType.FLOAT: _float,
    ColumnType.BOOLEAN: _boolean,
    ColumnType.DATE: _date,
    ColumnType.TIMESTAMP: _timestamp,
    ColumnType.TEXT: _text,
    ColumnType.OTHER: _text,
}


def decode(value: Any, column: Column) -> Cell:
    """One engine value as a cell; what does not fit its column's type (SQLite allows that) is shown as text."""
    if value is None:
        return None
    try:
        return _DECODERS[column.type](value, column.scale)
    except (ValueError, TypeError, KeyError, InvalidOperation):
        return _text(value, None)


def decode_rows(rows: Sequence[Sequence[Any]], columns: Sequence[Column]) -> list[Row]:
    """Every row decoded by its columns."""
    return [tuple(decode(value, column) for value, column in zip(row, columns, strict=True)) for row in rows]
