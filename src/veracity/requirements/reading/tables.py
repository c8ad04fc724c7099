"""Which column of a table holds the requirements, and which their ids: the same for CSV, workbooks and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from veracity.contracts import clip
from veracity.requirements.reading.document import Span
from veracity.requirements.reading.marks import is_code, known_names, obliges

_HEADER_ROWS = 20
_SAMPLE = 200
_WORDS = 3.0
_CODES = 0.8
_SEPARATORS = re.compile(r"[\s_\-./:]+")


@dataclass(frozen=True, slots=True)
class RequirementColumns:
    """Where the requirements of a table stand."""

    text: int
    id: int | None
    first: int
    """The first row below the names."""

    def id_of(self, cells: Sequence[str]) -> str | None:
        """The id in a row, if it has one."""
        return (cells[self.id].strip("*_` \t") or None) if self.id is not None and self.id < len(cells) else None


def find_columns(
    rows: Sequence[Sequence[str]], column: str | None, *, named_only: bool = False
) -> RequirementColumns | None:
    """The columns of a table; with `named_only` only the names of columns tell, not what stands in them.

    `column` is a name, a letter as in a spreadsheet, or a number from 1. None when there is no such column.
    """
    header = _header_row(rows, column)
    first = 0 if header is None else header + 1
    names = [] if header is None else [_column_name(cell) for cell in rows[header]]
    body = rows[first : first + _SAMPLE]
    text = _column_asked_for(names, rows, column) if column is not None else _text_column_by_name(names, body)
    if text is None and column is None and not named_only:
        text = _text_column_by_content(body)
    if text is None:
        return None
    return RequirementColumns(text, _id_column(names, body, text), first)


def missing_column(path: Path, column: str | None, rows: Sequence[Sequence[str]]) -> str:
    """What is said when there is no column of requirements."""
    names = [clip(cell.strip(), 40) for row in rows[:1] for cell in row[:12] if cell.strip()]
    listed = f"; its first row holds {', '.join(names)}" if names else ""
    if column is not None:
        return f"{path} has no column {clip(column, 40)!r}{listed}."
    return f"{path}: no column looks like requirements; name it with --column{listed}."


def _column_name(name: str) -> str:
    """The name of a column as it is compared."""
    return _SEPARATORS.sub(" ", name[:200].strip("*_` \t\ufeff")).strip().casefold()


def _header_row(rows: Sequence[Sequence[str]], column: str | None) -> int | None:
    """The row of names: it has a name that we know or were given; otherwise the first, unless it is a requirement."""
    wanted = {*known_names("text_columns"), *([_column_name(column)] if column else [])}
    for number, row in enumerate(rows[:_HEADER_ROWS]):
        if any(_column_name(cell) in wanted for cell in row) and not any(map(obliges, row)):
            return number
    if not rows or any(obliges(cell) or _is_numbered(cell) for cell in rows[0]):
        return None
    return 0 if len(rows) > 1 else None


def _is_numbered(cell: str) -> bool:
    return is_code(cell) and any(map(str.isdigit, cell))


def _column_asked_for(names: Sequence[str], rows: Sequence[Sequence[str]], column: str) -> int | None:
    if _column_name(column) in names:
        return names.index(_column_name(column))
    width = max((len(row) for row in rows[:_SAMPLE]), default=0)
    number = int(column) if column.isascii() and column.isdigit() and len(column) < 6 else _number_of_letters(column)
    return number - 1 if 1 <= number <= width else None


def _number_of_letters(column: str) -> int:
    """The number of a column that is called by its letters; 0 when it is not."""
    if not (1 <= len(column) <= 3 and column.isascii() and column.isalpha()):
        return 0
    number = 0
    for letter in column.upper():
        number = number * 26 + ord(letter) - 64
    return number


def column_letters(index: int) -> str:
    """The letters of a column: 0 is A, 26 is AA."""
    letters, number = "", index + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _cells_of_column(body: Sequence[Sequence[str]], index: int) -> list[str]:
    return [row[index].strip() for row in body if index < len(row) and row[index].strip()]


def _are_codes(cells: Sequence[str]) -> bool:
    return bool(cells) and sum(map(is_code, cells)) >= _CODES * len(cells)


def _have_letters(cells: Sequence[str]) -> bool:
    """Whether ids are more than numbers, which could count anything."""
    return all(any(map(str.isalpha, cell)) for cell in cells)


def _text_column_by_name(names: Sequence[str], body: Sequence[Sequence[str]]) -> int | None:
    """The best known name over a column that holds more than ids."""
    for known in known_names("text_columns"):
        for index, name in enumerate(names):
            if name == known and (cells := _cells_of_column(body, index)) and not _are_codes(cells):
                return index
    return None


def _text_column_by_content(body: Sequence[Sequence[str]]) -> int | None:
    """The column with most texts that oblige, then with the longest ones."""
    best: tuple[float, float, int] | None = None
    for index in range(max((len(row) for row in body), default=0)):
        cells = _cells_of_column(body, index)
        if not cells:
            continue
        words = sum(len(cell.split()) for cell in cells) / len(cells)
        obliging = sum(map(obliges, cells)) / len(cells)
        if (words >= _WORDS or obliging) and (best is None or (obliging, words) > best[:2]):
            best = (obliging, words, index)
    return None if best is None else best[2]


def _id_column(names: Sequence[str], body: Sequence[Sequence[str]], text: int) -> int | None:
    """The column with a name for ids, else one where every row has an id of its own."""
    for known in known_names("id_columns"):
        for index, name in enumerate(names):
            if name == known and index != text:
                return index
    for index in range(max((len(row) for row in body), default=0)):
        cells = _cells_of_column(body, index)
        if index != text and _are_codes(cells) and len(set(cells)) == len(cells) and _have_letters(cells):
            return index
    return None


def rows_of_markdown(text: str, lines: Sequence[Span]) -> list[list[Span]]:
    """The cells of the rows of a Markdown table; a bar after a backslash divides nothing."""
    rows = []
    for start, end in lines:
        bars = [n for n in range(start, end) if text[n] == "|" and text[n - 1 : n] != "\\"]
        edges = [*([start - 1] if not bars or bars[0] != start else []), *bars]
        edges += [] if bars and bars[-1] == end - 1 else [end]
        rows.append([_trimmed(text, left + 1, right) for left, right in pairwise(edges)])
    return rows


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end
