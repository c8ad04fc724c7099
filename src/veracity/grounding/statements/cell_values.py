"""What cells are worth where they can be compared: numbers, days, times, quantities of texts; and what rows are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache

from veracity.answer.values import number_of
from veracity.grounding.binding.header_words import header_words
from veracity.grounding.binding.period_names import is_period, order_in_time
from veracity.grounding.binding.tables import Table
from veracity.language.folding import words_in
from veracity.language.nearest import words_of
from veracity.language.numbers import Figure
from veracity.language.stem import noun_root
from veracity.language.units import Unit, quantities
from veracity.ontology.fields import FieldRole

_CLOCK = re.compile(r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9]))?")
_MONTH = re.compile(r"([12][0-9]{3})-(0[1-9]|1[0-2])")
_YEARS = range(1500, 2200)
_LONG_TIME = 24
_RANK_WORDS = frozenset({"rank", "place", "position", "rang", "platz", "pos", "standing", "排名", "名次"})
_MOST_ROWS = 20_000


def value_at(table: Table, row: int, column: str) -> Decimal | None:
    """What a cell is worth where cells of its column can be compared: a number, a day, a time, the quantity of a text."""
    cell = table.cell(row, column)
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, Decimal):
        return cell
    if isinstance(cell, datetime):
        return Decimal(cell.toordinal() * 1440 + cell.hour * 60 + cell.minute)
    if isinstance(cell, date):
        return Decimal(cell.toordinal() * 1440)
    if isinstance(cell, str):
        unit = table.unit_of_texts(column) if column in table.texts and cell[:1].isdigit() else None
        return _time_of_text(cell, unit) if unit is not None and unit.dimension == "time" else _of_text(cell)
    return number_of(cell)


def _time_of_text(text: str, unit: Unit) -> Decimal | None:
    """How long a text says that something takes, in the unit of its column: 1 h 30 min."""
    parts = quantities(text, "en") if len(text) <= _LONG_TIME and _CLOCK.fullmatch(text.strip()) is None else []
    if len(parts) < 1 or any(
        one.unit is None or one.unit.dimension != "time" or not one.figure.readings for one in parts
    ):
        return _of_text(text)
    seconds = (one.figure.readings[0] * one.unit.factor for one in parts if one.unit is not None)
    return sum(seconds, Decimal(0)) / unit.factor


def _of_text(text: str) -> Decimal | None:
    if len(text) > 40 or not any(sign.isdigit() for sign in text):
        return None
    if (clock := _CLOCK.fullmatch(text.strip())) is not None:
        parts = [int(part) for part in clock.groups() if part is not None]
        return (
            Decimal(parts[0] * 60 + parts[1])
            if len(parts) == 2 and len(clock[1]) == 2
            else Decimal(parts[0] * 3600 + parts[1] * 60 + parts[2])
            if len(parts) == 3
            else None
        )
    if _is_month(text) and (month := _MONTH.fullmatch(order_in_time(text.strip()))) is not None:
        return Decimal(date(int(month[1]), int(month[2]), 1).toordinal() * 1440)
    found = quantities(text, "en")
    whole = len(found) == 1 and found[0].figure.readings and text[: found[0].start].strip() == ""
    behind = text[found[0].end :].strip() if whole else ""
    short = len(behind) <= 3 or (len(behind) <= 8 and "/" in behind and not any(map(str.isdigit, behind)))
    return found[0].figure.readings[0] if whole and short else None


def values_of(table: Table, column: str, rows: Iterable[int] | None = None) -> dict[int, Decimal]:
    """The rows of a column that have a value."""
    if column not in table.compared:
        known = ((row, value_at(table, row, column)) for row in range(min(len(table.rows), _MOST_ROWS)))
        table.compared[column] = {row: value for row, value in known if value is not None}
    found = table.compared[column]
    return found if rows is None else {row: found[row] for row in rows if row in found}


def sorted_values(table: Table, column: str) -> list[Decimal]:
    """The values of a column in their order, sorted once."""
    if column not in table.in_order:
        table.in_order[column] = sorted(values_of(table, column).values())
    return table.in_order[column]


def is_timed(table: Table, column: str) -> bool:
    """Whether a column holds days or times of a day."""
    if column in table.days:
        return True
    cell = next((row[column] for row in table.rows[:5] if row[column] is not None), None)
    return isinstance(cell, str) and (_CLOCK.fullmatch(cell.strip()) is not None or _is_month(cell))


def holds_months(table: Table, column: str) -> bool:
    """Whether a column holds months: 2014-11."""
    cell = next((row[column] for row in table.rows[:5] if row[column] is not None), None)
    return isinstance(cell, str) and _is_month(cell)


def _is_month(text: str) -> bool:
    return is_period(text) and _MONTH.fullmatch(order_in_time(text.strip())) is not None


def is_dated(table: Table, column: str) -> bool:
    """Whether a column holds days, times or years, of which the lowest is the oldest."""
    if is_timed(table, column):
        return True
    facts = table.columns[column]
    if facts.unit or (len(table.rows) == 1 and facts.role is not FieldRole.PERIOD):
        return False  # 2000 GB is no year.
    values = values_of(table, column)
    return bool(values) and all(value == int(value) and int(value) in _YEARS for value in values.values())


@lru_cache(maxsize=4096)
def column_roots(column: str) -> frozenset[str]:
    """The words for a column without endings."""
    words = (*words_in(words_of(column)), *(word for said in header_words(column) for word in words_in(said)))
    return frozenset(noun_root(word) for word in words)


def is_rank(column: str) -> bool:
    """Whether a column numbers the rows by their rank."""
    return bool(_RANK_WORDS & set(words_in(words_of(column)))) or column in _RANK_WORDS


def shown_value(table: Table, row: int, column: str) -> str:
    """A cell as its source writes it."""
    cell = table.rows[row][column]
    return "" if cell is None else str(cell)


def row_name(table: Table, row: int) -> str:
    """What a row is called."""
    for column in (*table.result.key, *table.values):
        cell = table.rows[row].get(column)
        if cell is not None:
            return str(cell)
    return ""


def fits(figure: Figure, value: Decimal, *, about: bool = False) -> bool:
    """Whether a value is what a figure says, rounded as it is written."""
    for reading, tolerance in zip(figure.readings, figure.tolerances, strict=True):
        near = max(tolerance, abs(reading) * Decimal("0.05")) if about else tolerance
        if abs(reading - value) <= near:
            return True
    return False


def that_vary(table: Table, columns: Sequence[str]) -> list[str]:
    """The columns in which rows differ, where there are such: of games lost, those lost where all played ten."""
    varied = [column for column in columns if len(set(values_of(table, column).values())) > 1]
    return varied or list(columns)
