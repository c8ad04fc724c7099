"""Texts that hold numbers or days: whether all of them do, and the expression that a view reads them with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Literal

Writing = Literal["number", "day.month.year", "day/month/year", "month/day/year", "day-month-year", "yearmonthday"]
"""How a text is read."""
_WRITTEN = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,6})?")
_DAY_FIRST: dict[str, Writing] = {".": "day.month.year", "/": "day/month/year", "-": "day-month-year"}


def writing_of(texts: Sequence[str]) -> tuple[Writing, int] | None:
    """How all of these texts are written, and with how many decimals; nothing where one is not, or where day and month could be mistaken."""
    filled = [text for text in texts if text]
    if not filled:
        return None
    if all(map(_COMPACT.fullmatch, filled)):
        return ("yearmonthday", 0) if all(_is_day(text[:4], text[4:6], text[6:]) for text in filled) else None
    if all(map(_NUMBER.fullmatch, filled)):
        return "number", max(len(text.partition(".")[2]) for text in filled)
    found = [_WRITTEN.fullmatch(text) for text in filled]
    parts = [one.groups() for one in found if one is not None]
    signs = {sign for _, sign, _, _ in parts}
    if len(parts) < len(filled) or len(signs) != 1:
        return None
    day_first = all(_is_day(year, two, one) for one, _, two, year in parts)
    month_first = all(_is_day(year, one, two) for one, _, two, year in parts)
    if day_first and (signs == {"."} or not month_first):
        return _DAY_FIRST[signs.pop()], 0
    return ("month/day/year", 0) if month_first and not day_first and signs == {"/"} else None


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        return date(int(year), int(month), int(day)).year >= 1000
    except ValueError:
        return False


def is_number(text: str) -> bool:
    """Whether a text is a number; one with zeros before it is a code."""
    try:
        return Decimal(text).is_finite() and not (len(text) > 1 and text[0] == "0" and text[1].isdigit())
    except InvalidOperation:
        return False


def read_as(column: str, writing: Writing, decimals: int, *, text: bool = True) -> str:
    """The expression of a view that reads a column, in DuckDB's SQL. What is written otherwise is missing; a day is an ISO text."""
    own = column if text else f"CAST({column} AS TEXT)"
    if writing == "number":
        kind = f"DECIMAL(22, {decimals})" if decimals else "BIGINT"
        return f"CASE WHEN {own} <> '' AND LTRIM({own}, '-.0123456789') = '' THEN CAST({own} AS {kind}) END"
    if writing == "yearmonthday":
        day = f"SUBSTR({own}, 1, 4) || '-' || SUBSTR({own}, 5, 2) || '-' || SUBSTR({own}, 7, 2)"
        return f"CASE WHEN LENGTH({own}) = 8 AND LTRIM({own}, '0123456789') = '' THEN {day} END"
    sign = next(sign for sign in "./-" if sign in writing)
    first = f"STRPOS({own}, '{sign}')"
    one = f"SUBSTR('0' || SUBSTR({own}, 1, {first} - 1), {first} - 1, 2)"
    # Behind the first sign: the second part is what is left without the sign and the four figures of the year.
    length = f"LENGTH({own}) - {first} - 5"
    two = f"SUBSTR('0' || SUBSTR({own}, {first} + 1, {length}), {length}, 2)"
    month, day = (one, two) if writing.startswith("month") else (two, one)
    year = f"SUBSTR({own}, LENGTH({own}) - 3, 4)"
    guard = f"LTRIM({own}, '{sign}0123456789') = '' AND SUBSTR({own}, LENGTH({own}) - 4, 1) = '{sign}' AND {first} IN (2, 3) AND {length} IN (1, 2)"
    return f"CASE WHEN {guard} THEN {year} || '-' || {month} || '-' || {day} END"
