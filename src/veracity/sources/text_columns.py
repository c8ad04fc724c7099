"""Columns of text get the types that all their values have; what is not sure stays text, and is said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from veracity.contracts import FileProblem, clip
from veracity.language.number_format import (
    ANY_NUMBER,
    CODE,
    FORMATS,
    MINUS,
    PLAIN,
    SCIENTIFIC,
    NumberFormat,
    fitting,
    looks_like_number,
)
from veracity.sources.layout import LABEL, suspected
from veracity.sources.source import identifier, literal

if TYPE_CHECKING:
    import duckdb

_LONGEST_WHOLE = 18
_A_THOUSAND = 3
_COLUMNS_AT_ONCE = 40
_SHOWN = 40


@dataclass(frozen=True)
class ColumnReading:
    """One way to read the texts of a column: what they look like, and what makes a value of them."""

    kind: str
    pattern: str
    style: NumberFormat | None = None
    """How numbers are written, for numbers."""
    written: str | None = None
    """How dates are written, for dates that are not ISO."""
    order: str | None = None
    """Day or month first, where that has to be known."""

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    def fits(self, text: str) -> bool:
        """Whether a text looks like this."""
        return self._regex.fullmatch(text) is not None

    def holds(self, text: str) -> str:
        """SQL: whether a text can be read so."""
        looks = f"regexp_full_match({text}, {literal(self.pattern)})"
        if self.kind in ("NUMBER", "BOOLEAN"):
            return looks
        return f"({looks} AND {self.value(text, safely=True)} IS NOT NULL)"

    def value(self, text: str, *, safely: bool = False, kind: str | None = None) -> str:
        """SQL: the value of a text."""
        cast, kind = "try_cast" if safely else "CAST", kind or self.kind
        if self.written is not None:
            text = f"{'try_' if safely else ''}strptime({text}, {literal(self.written)})"
        elif self.style is not None:
            text = f"translate({text}, {literal(self.style.decimal + MINUS + self.style.group)}, '.-')"
        return f"{cast}({text} AS {kind})"


_DAY = r"[0-9]{1,2}"
_CLOCK = r"[0-9]{1,2}:[0-9]{2}"
_ISO = rf"[0-9]{{4}}-{_DAY}-{_DAY}"
_ISO_CLOCK = rf"{_CLOCK}(?::[0-9]{{2}}(?:\.[0-9]{{1,9}})?)?"


def _dated(pattern: str, written: str, order: str | None = None) -> tuple[ColumnReading, ...]:
    """A way to write dates, alone and with a time of day."""
    return (
        ColumnReading("DATE", pattern, written=written, order=order),
        ColumnReading("TIMESTAMP", rf"{pattern} {_CLOCK}", written=f"{written} %H:%M", order=order),
        ColumnReading("TIMESTAMP", rf"{pattern} {_CLOCK}:[0-9]{{2}}", written=f"{written} %H:%M:%S", order=order),
        ColumnReading("TIMESTAMP", rf"{pattern} {_CLOCK} ?[AaPp][Mm]", written=f"{written} %I:%M %p", order=order),
    )


NUMBERS = (
    *(ColumnReading("NUMBER", style.pattern, style) for style in FORMATS),
    ColumnReading("DOUBLE", SCIENTIFIC, PLAIN),
)
DATES = (
    ColumnReading("DATE", _ISO),
    ColumnReading("TIMESTAMP", rf"{_ISO}(?:[T ]{_ISO_CLOCK})?"),
    ColumnReading("TIMESTAMP WITH TIME ZONE", rf"{_ISO}[T ]{_ISO_CLOCK} ?(?:Z|[-+][0-9]{{2}}(?::?[0-9]{{2}})?)"),
    *_dated(rf"[0-9]{{4}}/{_DAY}/{_DAY}", "%Y/%m/%d"),
    *_dated(rf"{_DAY}\.{_DAY}\.[0-9]{{4}}", "%d.%m.%Y"),
    *_dated(rf"{_DAY}/{_DAY}/[0-9]{{4}}", "%d/%m/%Y", "day"),
    *_dated(rf"{_DAY}/{_DAY}/[0-9]{{4}}", "%m/%d/%Y", "month"),
    *_dated(rf"{_DAY}-{_DAY}-[0-9]{{4}}", "%d-%m-%Y", "day"),
    *_dated(rf"{_DAY}-{_DAY}-[0-9]{{4}}", "%m-%d-%Y", "month"),
    *_dated(rf"[0-9]{{4}}年{_DAY}月{_DAY}日", "%Y年%m月%d日"),
)
READINGS = (ColumnReading("BOOLEAN", r"(?i:true|false)"), *NUMBERS, *DATES)
# Most columns are of these kinds; then nothing else has to be asked of every value.
_USUAL = (NUMBERS[0], DATES[0])
_WITH_SIGN = re.compile(rf"[^0-9]{{0,5}}(?:{ANY_NUMBER})[^0-9]{{0,5}}")


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column before its type is known."""

    name: str
    head: tuple[str, ...] = ()
    """Some of its values."""
    readings: tuple[ColumnReading, ...] = READINGS
    """The ways to read it that come into question."""


@dataclass(slots=True)
class _SeenCells:
    """What all values of a column say."""

    held: tuple[ColumnReading, ...] = ()
    marked: bool = False
    longest: int = 0
    scales: Mapping[str, int] = field(default_factory=dict)
    fewest: int | None = None
    """The fewest decimals after a point."""
    filled: int = 0
    labels: int = 0
    """Values that name a row of totals, in a column of texts."""

    @property
    def leaves_open(self) -> bool:
        """Whether other readings have to be asked for: none held, or every number is like 1.234."""
        return not self.held or self.fewest == self.scales.get(".") == _A_THOUSAND


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column with its type, and the SQL that reads it from the text."""

    name: str
    kind: str
    sql: str
    is_empty: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it can be added up."""
        return self.kind in ("BIGINT", "DOUBLE") or self.kind.startswith("DECIMAL")


@dataclass(frozen=True, slots=True)
class TypedTable:
    """All columns of a table, how many rows there are, and what is to be said about them."""

    columns: tuple[TypedColumn, ...]
    row_count: int
    problems: tuple[FileProblem, ...]


def typed_table(
    connection: duckdb.DuckDBPyConnection, relation: str, columns: Sequence[TextColumn], *, first_row: int
) -> TypedTable:
    """The types that all values of a relation of texts have; `first_row` is the number people give its first row."""
    likely = {column.name: _likely(column) for column in columns}
    asked = {c.name: _usual(likely[c.name]) if c.head else likely[c.name] for c in columns}
    rows, seen = _look(connection, relation, asked)
    again = {name: likely[name] for name in asked if asked[name] != likely[name] and seen[name].leaves_open}
    seen |= _look(connection, relation, again)[1] if again else {}
    table = _Table(connection, relation, first_row, seen)
    typed = tuple(table.typed(column) for column in columns)
    if any(column.is_number for column in typed):
        table.suspect_totals()
    return TypedTable(typed, rows, tuple(table.problems))


def text_sql(name: str) -> str:
    """SQL: a text without blanks at its ends; nothing when nothing is left."""
    return f"nullif(trim({identifier(name)}), '')"


def _likely(column: TextColumn) -> tuple[ColumnReading, ...]:
    """The readings that the first values leave open."""
    found = tuple(reading for reading in column.readings if all(reading.fits(text) for text in column.head))
    # Further down a number may be written in a way that the first ones are not.
    return tuple(r for r in column.readings if r in NUMBERS) if NUMBERS[0] in found and column.head else found


def _usual(likely: tuple[ColumnReading, ...]) -> tuple[ColumnReading, ...]:
    return likely[:1] if likely[:1] and likely[0] in _USUAL else likely


def _look(
    connection: duckdb.DuckDBPyConnection, relation: str, asked: Mapping[str, tuple[ColumnReading, ...]]
) -> tuple[int, dict[str, _SeenCells]]:
    """One look at every value of these columns; a planner that is asked about too many at once takes too long."""
    names, rows, seen = list(asked), 0, dict[str, _SeenCells]()
    for start in range(0, len(names), _COLUMNS_AT_ONCE):
        some = names[start : start + _COLUMNS_AT_ONCE]
        texts = ", ".join(f"{text_sql(name)} AS t{number}" for number, name in enumerate(some))
        questions = {name: _questions(f"t{number}", asked[name]) for number, name in enumerate(some)}
        listed = ", ".join(("count(*)", *(question for each in questions.values() for question in each)))
        answers = list(connection.execute(f"SELECT {listed} FROM (SELECT {texts} FROM {relation})").fetchone() or ())
        rows = int(answers.pop(0))
        for name in some:
            seen[name] = _answered(asked[name], [answers.pop(0) for _ in questions[name]])
    return rows, seen


def _questions(text: str, readings: Sequence[ColumnReading]) -> list[str]:
    asked = [f"count({text})", *(f"bool_and({r.holds(text)}) FILTER (WHERE {text} IS NOT NULL)" for r in readings)]
    if not readings:
        return [*asked, f"count(*) FILTER (WHERE regexp_full_match({text}, {literal(LABEL)}))"]
    if any(reading.style is not None for reading in readings):
        point, comma = (
            f"(length({text}) - strpos({text}, '{m}')) FILTER (WHERE contains({text}, '{m}'))" for m in ".,"
        )
        asked += [f"max(length({text}))", f"min{point}", f"max{point}", f"max{comma}"]
    return asked


def _answered(readings: Sequence[ColumnReading], answers: Sequence[Any]) -> _SeenCells:
    filled, held, rest = answers[0], answers[1 : 1 + len(readings)], answers[1 + len(readings) :]
    if not readings:
        return _SeenCells(filled=filled, labels=rest[0])
    longest, fewest, point, comma = rest or (None, None, None, None)
    return _SeenCells(
        held=tuple(reading for reading, all_fit in zip(readings, held, strict=True) if all_fit),
        marked=point is not None or comma is not None,
        longest=longest or 0,
        scales={".": point or 0, ",": comma or 0},
        fewest=fewest,
        filled=filled,
    )


class _Table:
    """What the columns of a table say about each other, and what they end up as."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, relation: str, first_row: int, seen: Mapping[str, _SeenCells]
    ) -> None:
        self.problems: list[FileProblem] = []
        self._connection, self._relation, self._first_row, self._seen = connection, relation, first_row, seen
        # What one column shows holds for the whole file: nobody writes 1,5 beside 2.5.
        self._mark = _agreed(_decimal_mark(column) for column in seen.values())
        self._order = _agreed(_day_or_month(column) for column in seen.values())

    def typed(self, column: TextColumn) -> TypedColumn:
        """The column with the type that is sure."""
        name, seen = column.name, self._seen[column.name]
        sure = _day_or_month(seen) or self._order
        held = [reading for reading in seen.held if reading.order in (None, sure)]
        numbers = [reading for reading in held if reading.style is not None]
        if numbers:
            return self._number(name, seen, numbers)
        if held:
            return TypedColumn(name, held[0].kind, held[0].value(text_sql(name)))
        if seen.held:
            self._say(name, f"{self._example(name)} can be a day of two months; the column is kept as text.")
        elif seen.filled and column.head and column.readings == READINGS:
            self._explain(column, seen)
        return TypedColumn(name, "VARCHAR", identifier(name), is_empty=not seen.filled)

    def _number(self, name: str, seen: _SeenCells, numbers: Sequence[ColumnReading]) -> TypedColumn:
        exact = [reading for reading in numbers if reading.kind == "NUMBER"]
        if not exact:
            return TypedColumn(name, "DOUBLE", numbers[0].value(text_sql(name)))
        sure = _decimal_mark(seen) or self._mark
        if seen.marked:
            exact = [reading for reading in exact if reading.style and reading.style.decimal == sure]
        if not exact:
            example = self._example(name, f"regexp_matches({text_sql(name)}, '[.,]')")
            self._say(name, f"{example} can be two different numbers; the column is kept as text.")
            return TypedColumn(name, "VARCHAR", identifier(name))
        reading = exact[0]
        scale = seen.scales[sure] if seen.marked and sure else 0
        kind = "BIGINT" if scale == 0 and seen.longest <= _LONGEST_WHOLE else f"DECIMAL(38,{scale})"
        value = reading.value(text_sql(name), kind=kind)
        if reading.style != PLAIN:
            self._tell_writing(name, value)
        return TypedColumn(name, kind, value)

    def _tell_writing(self, name: str, value: str) -> None:
        """Say how numbers were understood that are not written as programs write them."""
        text = text_sql(name)
        asked = f"SELECT {text}, CAST({value} AS VARCHAR) FROM {self._relation} WHERE NOT regexp_full_match({text}, '-?[0-9]+') LIMIT 1"
        found = self._connection.execute(asked).fetchone()
        if found:
            self._say(name, f"Numbers such as {_shown(found[0])} are read as {found[1]}.")

    def _explain(self, column: TextColumn, seen: _SeenCells) -> None:
        """Say why a column that looks like numbers is none."""
        name, text = column.name, text_sql(column.name)
        like = sum(looks_like_number(value) for value in column.head)
        if 2 * like <= len(column.head):
            if all(_WITH_SIGN.fullmatch(value) for value in column.head):
                self._say(name, f"Numbers such as {_shown(column.head[0])} carry a sign or a unit: kept as text.")
            return
        number = f"regexp_full_match({text}, {literal(ANY_NUMBER)})"
        coded = f"coalesce(bool_or(regexp_full_match({text}, {literal(CODE)})), false)"
        asked = f"SELECT count(*) FILTER (WHERE {text} IS NOT NULL AND NOT {number}), {coded} FROM {self._relation}"
        others, codes = self._connection.execute(asked).fetchone() or (0, True)
        if codes:
            return
        if others:
            row, example = self._first(name, f"NOT {number}")
            what = f"{others} of {seen.filled} values cannot be read as numbers, such as {_shown(example)!r}: kept as text."
            self.problems.append(FileProblem(column=name, row=row, what=what))
            return
        self._say(name, f"Numbers are written in several ways, such as {self._two_ways(column)}: kept as text.")

    def _two_ways(self, column: TextColumn) -> str:
        styles = fitting(column.head[:1])
        patterns = "|".join(style.pattern for style in styles)
        _, other = self._first(column.name, f"NOT regexp_full_match({text_sql(column.name)}, {literal(patterns)})")
        return f"{_shown(column.head[0])} and {_shown(other or column.head[-1])}"

    def suspect_totals(self) -> None:
        """Say which texts name rows of totals."""
        for name, seen in self._seen.items():
            if seen.labels:
                row, label = self._first(name, f"regexp_full_match({text_sql(name)}, {literal(LABEL)})")
                what = suspected(seen.labels, _shown(label))
                self.problems.append(FileProblem(column=name, row=row, what=what))

    def _first(self, name: str, condition: str) -> tuple[int | None, str | None]:
        """The first value that meets a condition, and its row."""
        text = text_sql(name)
        row = identifier(f"row of {name}")
        numbered = f"SELECT row_number() OVER () AS {row}, {identifier(name)} FROM {self._relation}"
        asked = f"SELECT {row}, {text} FROM ({numbered}) WHERE {text} IS NOT NULL AND {condition} LIMIT 1"
        found = self._connection.execute(asked).fetchone()
        return (self._first_row + found[0] - 1, found[1]) if found else (None, None)

    def _example(self, name: str, condition: str = "true") -> str:
        return _shown(self._first(name, condition)[1])

    def _say(self, name: str, what: str) -> None:
        self.problems.append(FileProblem(column=name, what=what))


def _shown(text: str | None) -> str:
    return clip(text or "", _SHOWN)


def _agreed(said: Iterable[str | None]) -> str | None:
    """What all who say something say."""
    found = {word for word in said if word is not None}
    return found.pop() if len(found) == 1 else None


def _decimal_mark(seen: _SeenCells) -> str | None:
    """The mark before decimals, where the numbers of a column leave no other reading."""
    numbers = [reading for reading in seen.held if reading.style is not None]
    exact = [reading for reading in numbers if reading.kind == "NUMBER"] or numbers
    marks = {reading.style.decimal for reading in exact if reading.style}
    return marks.pop() if seen.marked and len(marks) == 1 else None


def _day_or_month(seen: _SeenCells) -> str | None:
    """What stands first in the dates of a column, where only one reading makes dates of them all."""
    orders = {reading.order for reading in seen.held if reading.order}
    return orders.pop() if len(orders) == 1 else None
