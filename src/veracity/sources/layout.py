"""Where a table begins: titles above it, one or two rows of names, a row of units. The same for text files and sheets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import pairwise
from typing import Any

from veracity.contracts import FileProblem, clip
from veracity.language.locale import printable
from veracity.language.number_format import looks_like_number
from veracity.sources.source import free_name

Grid = Sequence[Sequence[Any]]
"""The first rows of a table; an empty cell is an empty text."""
Merge = tuple[tuple[int, int], tuple[int, int]]
"""A merged area: its first and its last (row, column) in the grid."""

_DEEPEST = 50
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T]\d{1,2}:\d{2}.{0,20})?")
_YEAR = re.compile(r"(19|20)\d\d")
_UNIT = re.compile(
    r"[(\[].{1,18}[)\]]|%|‰|°[CF]?|[€$£¥]"
    r"|(in )?(k|T|m|Mio\.? |Mrd\.? |1000 |TSD )?(CHF|EUR|USD|GBP|CNY|RMB|JPY|SEK|NOK|DKK|PLN|CZK|HUF|AUD|CAD|INR|€|\$|£)"
    r"|[kcmdµ]?[gmlsVAWJ]|[kM]?Wh|[kcm]?m[²³23]|ha|h|min|Stk\.?|Stück|pcs\.?|pieces|Tage|days|Jahre|years|元|万元|个|件|人|吨|公斤"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """The names of the columns and where the rows below them begin."""

    names: tuple[str, ...]
    unnamed: frozenset[int]
    """The columns whose names were made up."""
    first: int
    """The index of the first row of data."""
    problems: tuple[FileProblem, ...]


def find_layout(rows: Grid, *, lead: int = 0, merges: Sequence[Merge] = (), offset: int = 1) -> Layout | None:
    """The layout of a table; `lead` rows surely stand above it. None when they do not look as if they did.

    `offset` is the number that people give the first row.
    """
    width = max((len(row) for row in rows[lead:]), default=0)
    grid = _spread([[*row[:width], *[""] * (width - len(row))] for row in rows], merges)
    top = _start(grid, lead, rows, merges)
    if top is None:
        return None
    problems = [_skipped(grid[i], i + offset) for i in range(top) if _filled(grid[i])]
    if not _has_names(grid, top):
        names = [f"column_{number}" for number in range(1, width + 1)]
        problems.append(FileProblem(what=f"There is no row of column names; they are called {_listed(names)}."))
        return Layout(tuple(names), frozenset(), top, tuple(problems))
    head = _joined(grid, top, merges)
    first = top + (1 if head is None else 2)
    texts = head or [_text(cell) for cell in grid[top]]
    if head is not None:
        problems.append(
            FileProblem(row=top + offset, what=f"Two rows of column names were joined: {_listed(head[-1:])}, ...")
        )
    if unit := _units(grid, first, texts):
        problems.append(FileProblem(row=first + offset, what=unit))
        first += 1
    names, more = _named(texts)
    return Layout(tuple(names), frozenset(i for i, text in enumerate(texts) if not text), first, (*problems, *more))


# --- cells


def _text(cell: Any) -> str:
    """A cell as it looks, on one line: a workbook keeps every number as a float."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        cell = int(cell)
    return " ".join(printable(str(cell).replace("\r", " ").replace("\n", " ").replace("\t", " ")).split())


def _is_blank(cell: Any) -> bool:
    return isinstance(cell, str) and not cell.strip()


def _filled(row: Sequence[Any]) -> int:
    return sum(not _is_blank(cell) for cell in row)


def _figure(cell: Any) -> str | None:
    """What kind of figure a cell holds: a number, a date or a truth value; None for a text."""
    if isinstance(cell, str):
        text = cell.strip()
        return "number" if looks_like_number(text) else "date" if _DATE.fullmatch(text) else None
    if isinstance(cell, bool):
        return "truth"
    return "number" if isinstance(cell, int | float) else "date" if isinstance(cell, date | datetime | time) else None


def _is_figure(cell: Any) -> bool:
    return _figure(cell) is not None


def _is_year(cell: Any) -> bool:
    return _YEAR.fullmatch(_text(cell)) is not None


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(clip(name, 40) for name in names[:3])
    return shown + (", ..." if len(names) > 3 else "")


def _spread(grid: list[list[Any]], merges: Sequence[Merge]) -> list[list[Any]]:
    """The rows with the text of a merged area in every one of its cells, as people see it."""
    for (top, left), (bottom, right) in merges:
        if top < len(grid) and left < len(grid[top]):
            value = grid[top][left]
            for row in grid[top : bottom + 1]:
                row[left : right + 1] = [value] * len(row[left : right + 1])
    return grid


# --- what stands above the names


def _start(grid: Grid, lead: int, rows: Grid, merges: Sequence[Merge]) -> int | None:
    """The index of the row of names."""
    if lead and _is_uneven_header(rows, lead, len(grid[0])):
        return lead - 1
    if lead and not (_is_names(grid, lead) or any(not _filled(row) or _is_comment(row) for row in grid[:lead])):
        return None
    fullest = max((_filled(row) for row in grid[lead:]), default=0)
    for index in range(lead, min(len(grid), _DEEPEST)):
        if _filled(grid[index]) and not _is_comment_line(grid, index) and not _is_title(grid, index, fullest, merges):
            return index
    return lead


def _is_uneven_header(rows: Grid, lead: int, width: int) -> bool:
    """Whether names and rows only differ in the delimiters that they end in."""
    header = list(rows[lead - 1])
    while header and _is_blank(header[-1]):
        header.pop()
    return 1 < len(header) <= width and all(_filled(row[len(header) :]) == 0 for row in rows[lead:])


def _is_comment(row: Sequence[Any]) -> bool:
    return bool(row) and isinstance(row[0], str) and row[0].lstrip().startswith(("# ", "//", "##"))


def _is_comment_line(grid: Grid, index: int) -> bool:
    return _is_comment(grid[index]) and index + 1 < len(grid)


def _is_title(grid: Grid, index: int, fullest: int, merges: Sequence[Merge]) -> bool:
    """Whether a row only says what the table is about: it fills little of it, and names follow."""
    row = grid[index]
    alone = len({_text(cell) for cell in row if not _is_blank(cell)}) == 1
    spanning = any(
        top == index and left == 0 < right and (alone or right >= len(row) - 1) for (top, left), (_, right) in merges
    )
    if not spanning and _filled(row) * 2 > fullest:
        return False
    below = range(index + 1, min(len(grid), index + 1 + _DEEPEST))
    full = next((i for i in below if _filled(grid[i]) * 2 > fullest and not _is_one_text(grid[i])), None)
    if full is None or _is_group_row(grid, index):
        return False
    apart = any(not _filled(grid[i]) for i in range(index + 1, full))
    return spanning or apart or _is_names(grid, full)


def _is_one_text(row: Sequence[Any]) -> bool:
    return len(row) > 1 and len({_text(cell) for cell in row}) == 1


def _is_names(grid: Grid, index: int) -> bool:
    """Whether a row holds texts over columns of which some hold figures."""
    row = grid[index]
    below = [other for other in grid[index + 1 :] if _filled(other)]
    named = all(_is_blank(cell) or not _is_figure(cell) or _is_year(cell) for cell in row)
    figures = any(_is_figure(other[i]) for other in below for i in range(len(row)) if not _is_blank(row[i]))
    return named and _filled(row) > 1 and figures


def _skipped(row: Sequence[Any], number: int) -> FileProblem:
    shown = " ".join(dict.fromkeys(_text(cell) for cell in row if not _is_blank(cell)))
    return FileProblem(row=number, what=f"Stands above the table and is not read: {clip(shown, 80)}")


# --- names


def _has_names(grid: Grid, top: int) -> bool:
    """Whether the first row is one of names: no figure stands in it over a column of figures of its kind.

    Years, and numbers that count up from column to column, are names of columns, too.
    """
    row, below = grid[top], [other for other in grid[top + 1 :] if _filled(other)]
    if not below:
        return True
    counted = _counts_up(row)
    for i, cell in enumerate(row):
        if not _is_figure(cell) or counted:
            continue
        column = [other[i] for other in below if not _is_blank(other[i])]
        years = _is_year(cell) and not all(_is_year(other) for other in column)
        if column and not years and all(_figure(other) == _figure(cell) for other in column):
            return False
    return True


def _counts_up(row: Sequence[Any]) -> bool:
    numbers = [_text(cell) for cell in row if _is_figure(cell)]
    if len(numbers) < 3 or len(numbers) == len(row) or not all(n.isascii() and n.isdigit() for n in numbers):
        return False
    return all(int(b) - int(a) == 1 for a, b in pairwise(numbers))


def _joined(grid: Grid, top: int, merges: Sequence[Merge]) -> list[str] | None:
    """The names of two header rows as "2024 / Umsatz"; None when there is only one."""
    if top + 1 >= len(grid):
        return None
    upper, lower = grid[top], grid[top + 1]
    if any(_is_figure(cell) and not _is_year(cell) for cell in lower) or not _filled(lower):
        return None
    wide = any(first == top and left != right for (first, left), (_, right) in merges)
    tall = any(first == top < last for (first, _), (last, _) in merges)
    # Without figures below, a row of texts under merged names may as well be the first row of data.
    grouped = wide and (tall or _is_names(grid, top + 1))
    over = [_text(cell) for cell in upper] if grouped else list(_filled_on(upper))
    under = [_text(cell) for cell in lower]
    if not grouped and not _are_groups(upper, under, over):
        return None
    return [b if not a else a if not b or a == b else f"{a} / {b}" for a, b in zip(over, under, strict=True)]


def _is_group_row(grid: Grid, index: int) -> bool:
    """Whether a row with gaps names groups of the columns in the row below."""
    if index + 1 >= len(grid):
        return False
    return _are_groups(grid[index], [_text(cell) for cell in grid[index + 1]], list(_filled_on(grid[index])))


def _filled_on(row: Sequence[Any]) -> Iterator[str]:
    """A row in which an empty cell belongs to the group on its left."""
    last = ""
    for cell in row:
        last = _text(cell) or last
        yield last


def _are_groups(upper: Sequence[Any], under: Sequence[str], over: Sequence[str]) -> bool:
    """Without merged cells: the upper row has gaps, and only it tells columns of the same name apart."""
    names = [name for name in under if name]
    pairs = set(zip(over, under, strict=True))
    return _filled(upper) < len(under) == len(names) and len(set(names)) < len(names) and len(pairs) == len(under)


def _units(grid: Grid, index: int, names: Sequence[str]) -> str | None:
    """What a row of units says; None when the row is data."""
    if index + 1 >= len(grid) or len(names) < 2:
        return None
    row, below = grid[index], [other for other in grid[index + 1 :] if _filled(other)]
    said = [(i, _text(cell)) for i, cell in enumerate(row) if not _is_blank(cell)]
    for i, text in said:
        column = [other[i] for other in below if not _is_blank(other[i])]
        if _UNIT.fullmatch(text) is None or not column or not all(_is_figure(cell) for cell in column):
            return None
    if not said:
        return None
    listed = ", ".join(f"{clip(names[i], 30)} in {clip(text, 20)}" for i, text in said[:5])
    return f"Holds units and is not read as data: {listed}"


def _named(texts: Sequence[str]) -> tuple[list[str], list[FileProblem]]:
    """A name of its own for every column."""
    taken: set[str] = set()
    names, problems = [], []
    for number, text in enumerate(texts, 1):
        name = free_name(text or f"column_{number}", taken)
        names.append(name)
        if text and name != text:
            problems.append(FileProblem(column=name, what=f"Another column is called {clip(text, 40)}, too."))
    return names, problems


# --- rows that add up the rows above them: SUM would count everything twice


_CLOSE = 1e-12
_LABELS = (
    r"(?:grand |sub-?|over-?all |zwischen-?|gesamt-?|end-?|jahres-?|monats-?)?"
    r"(?:total|totals|totale|sum|summe|somme|suma|subtotal|gesamt|gesamtbetrag|insgesamt|überhaupt)"
)
_CHINESE = r"(?:合计|总计|小计|总和|总额|合計|総計|小計|共计)"
LABEL = rf"(?i)(?:{_LABELS}(?:[ :.(/-].{{0,30}})?|{_CHINESE}.{{0,10}})"
"""A cell that names a row of totals; read alike by Python and by the engine."""
_LABEL = re.compile(LABEL)


def is_label(text: str) -> bool:
    """Whether a cell calls its row a total."""
    return _LABEL.fullmatch(text.strip()) is not None


def adds_up(value: Any, added: Any) -> bool:
    """Whether a figure is the sum of others: exactly, or as exactly as floats can be."""
    if value is None or not added:
        return False
    if isinstance(value, float) or isinstance(added, float):
        return math.isclose(value, added, rel_tol=_CLOSE)
    return bool(value == added)


def left_out(label: str) -> str:
    """What is said of a row that certainly is a total."""
    return f"{label!r} is the sum of the rows above; it is left out, so that nothing is counted twice."


def suspected(count: int, label: str) -> str:
    """What is said of rows that may be totals."""
    rows = "A row looks" if count == 1 else f"{count} rows look"
    return f"{rows} like a total, such as {label!r}; a sum over all rows counts it twice: filter it out."
