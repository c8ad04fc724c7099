"""Excel workbooks: every visible sheet becomes a typed table, read row by row."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from itertools import chain, dropwhile, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from veracity.contracts import FileProblem, FileSheet, clip
from veracity.language.number_format import BLANKS, CODE, MAX_SCALE, looks_like_number
from veracity.sources.csv_file import read_csv
from veracity.sources.layout import Layout, Merge, adds_up, find_layout, is_label, left_out, suspected
from veracity.sources.sentences import Unreadable
from veracity.sources.source import FileFacts, free_name, identifier, of_table
from veracity.sources.workbook_xml import MOST_UNPACKED, SheetScan, scan_sheet, unpacked_size

if TYPE_CHECKING:
    import duckdb
    from python_calamine import CalamineSheet, CalamineWorkbook

_HEAD = 60
_LARGEST = 10.0**20
_LONGEST_LABEL = 60
_MOST_FILLED = 1_000_000
_JUDGED = 1_000
_SHOWN = 40
_MOST_CELLS = 50_000_000
_IS_CODE = re.compile(CODE)
_TEXT_OPTIONS = {
    "delim": ",",
    "quote": '"',
    "escape": '"',
    "header": False,
    "nullstr": "",
    "new_line": r"\n",
    "max_line_size": 64_000_000,
}


@dataclass(slots=True)
class _SheetColumn:
    """What the cells of a column are, counted while they pass by."""

    name: str
    kinds: dict[str, int] = field(default_factory=dict)
    scale: int = 0
    large: bool = False
    whole: bool = True
    midnight: bool = True
    judged: int = 0
    """The texts that were held against numbers and codes: the first ones tell enough."""
    number_texts: int = 0
    codes: int = 0
    example: tuple[int, str] | None = None
    """The first text and its row."""
    label: tuple[int, str] | None = None
    """The first text that names a total, and its row."""
    labels: int = 0

    def add(self, cell: Any, row: int) -> None:
        """Count a cell."""
        if isinstance(cell, str):
            self._add_text(cell, row)
        elif isinstance(cell, bool):
            self._count("boolean")
        elif isinstance(cell, int | float):
            self._add_number(float(cell))
        elif isinstance(cell, date):
            self._count("date")
            self.midnight &= not isinstance(cell, datetime) or cell.time() == datetime.min.time()
        else:
            self._count("other")

    def _count(self, kind: str) -> None:
        self.kinds[kind] = self.kinds.get(kind, 0) + 1

    def _add_number(self, cell: float) -> None:
        self._count("number")
        if not math.isfinite(cell) or abs(cell) >= _LARGEST:
            self.large = True
            return
        self.whole &= cell.is_integer() and abs(cell) < 2**53
        if not cell.is_integer():
            self.scale = max(self.scale, _decimals(cell))

    def _add_text(self, cell: str, row: int) -> None:
        if not cell:
            return
        self._count("text")
        text = cell.strip(BLANKS)
        self.example = self.example or (row, text)
        if self.kinds["text"] <= _JUDGED:
            self.judged = self.kinds["text"]
            self.number_texts += looks_like_number(text)
            self.codes += _IS_CODE.fullmatch(text) is not None
        if len(text) <= _LONGEST_LABEL and is_label(text):
            self.labels += 1
            self.label = self.label or (row, text)

    @property
    def kind(self) -> str:
        """The type that all cells have."""
        match list(self.kinds):
            case ["boolean"]:
                return "BOOLEAN"
            case ["date"]:
                return "DATE" if self.midnight else "TIMESTAMP"
            case ["number"]:
                return self._number_kind
            case _:
                return "VARCHAR"

    @property
    def _number_kind(self) -> str:
        if self.large:
            return "DOUBLE"
        if self.whole:
            return "BIGINT"
        # Excel stores floats; up to ten decimals they were typed by a person, beyond that they were computed.
        return f"DECIMAL(38,{self.scale})" if self.scale <= MAX_SCALE else "DOUBLE"

    @property
    def is_number(self) -> bool:
        """Whether it can be added up."""
        return list(self.kinds) == ["number"]

    def problem(self) -> FileProblem | None:
        """Why a column with numbers in it is text."""
        numbers, texts = self.kinds.get("number", 0), self.kinds.get("text", 0)
        row, example = self.example or (None, "")
        shown = clip(example, _SHOWN)
        if numbers and texts and numbers >= texts:
            what = f"{texts} of {numbers + texts} values are text, such as {shown!r}: the column is kept as text."
            return FileProblem(column=self.name, row=row, what=what)
        if 2 * self.number_texts > self.judged and not self.codes:
            what = (
                f"Numbers such as {shown} are stored as text and cannot be added up; turn them into numbers in Excel."
            )
            return FileProblem(column=self.name, row=row, what=what)
        return None


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet on its way into the engine: its rows as text in a file, its columns with their types."""

    name: str
    file: Path
    columns: tuple[_SheetColumn, ...]
    dropped: frozenset[str]
    """Columns without name and values."""
    row_count: int
    problems: tuple[FileProblem, ...]

    @property
    def select(self) -> str:
        """The query that reads every cell with its type."""
        names = ", ".join(identifier(column.name) for column in self.columns if column.name not in self.dropped)
        return f"SELECT {names} FROM {_relation(self.file, self.columns)}"


def add_excel(
    connection: duckdb.DuckDBPyConnection, file: Path, taken: set[str], folder: Path, *, alone: bool
) -> FileFacts:
    """Every visible sheet with data as a table."""
    import python_calamine

    if unpacked_size(file) > MOST_UNPACKED:
        raise Unreadable("unpacked", file=file)
    try:
        with closing(python_calamine.CalamineWorkbook.from_path(str(file))) as workbook:
            listed, sheets = _sheets(connection, file, workbook, folder)
    except (python_calamine.CalamineError, OSError):
        raise Unreadable("excel", file=file) from None
    if not sheets:
        raise Unreadable("no_sheet", file=file)
    tables: dict[str, int | None] = {}
    problems = [
        FileProblem(what=f"The sheet {clip(s.name, _SHOWN)!r} is hidden and is not read.") for s in listed if s.hidden
    ]
    for sheet in sheets:
        wanted = file.stem if len(sheets) == 1 else sheet.name if alone else f"{file.stem}_{sheet.name}"
        table = free_name(wanted, taken)
        connection.execute(f"CREATE TABLE {identifier(table)} AS {sheet.select}")
        tables[table] = sheet.row_count
        problems += [of_table(problem, table) for problem in sheet.problems]
    return FileFacts(file, "excel", tables, sheets=tuple(listed), problems=tuple(problems))


def _sheets(
    connection: duckdb.DuckDBPyConnection, file: Path, workbook: CalamineWorkbook, folder: Path
) -> tuple[list[FileSheet], list[_Sheet]]:
    """All sheets of a workbook, and those that become tables."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    listed, read = list[FileSheet](), list[_Sheet]()
    for number, about in enumerate(workbook.sheets_metadata):
        hidden = about.visible != SheetVisibleEnum.Visible
        sheet = None
        if not hidden and about.typ == SheetTypeEnum.WorkSheet:
            scan = _scanned(file, about.name)
            sheet = _read(connection, scan, workbook.get_sheet_by_name(about.name), folder / f"{number}.csv")
        listed.append(FileSheet(name=about.name, hidden=hidden, used=sheet is not None))
        read += [sheet] if sheet else []
    return listed, read


def _scanned(file: Path, sheet: str) -> SheetScan:
    """A look at a sheet before it is read: its reader makes room for every cell, also for those that are not there."""
    scan = scan_sheet(file, sheet)
    if scan.rows * scan.columns > _MOST_CELLS:
        raise Unreadable("extent", file=file, sheet=repr(clip(sheet, _SHOWN)), rows=scan.rows, columns=scan.columns)
    return scan


def _read(connection: duckdb.DuckDBPyConnection, scan: SheetScan, sheet: CalamineSheet, target: Path) -> _Sheet | None:
    """The rows of a sheet as text, and what its columns are; None of a sheet without any."""
    if sheet.start is None:
        return None
    top, left = sheet.start
    rows = dropwhile(lambda row: all(cell == "" for cell in row), sheet.iter_rows())
    head = list(islice(rows, _HEAD))
    merges = [
        ((a - top, b - left), (c - top, d - left))
        for (a, b), (c, d) in sheet.merged_cell_ranges or ()
        if a >= top and b >= left  # what begins outside holds nothing
    ]
    layout = find_layout(head, merges=[merge for merge in merges if merge[0][0] < len(head)], offset=top + 1)
    if layout is None:
        return None
    columns = tuple(_SheetColumn(name) for name in layout.names)
    merged = _Merged(merges, layout.first)
    numbered = enumerate(chain(head[layout.first :], rows), layout.first)
    body = ((number + top + 1, row) for number, row in merged.filled(numbered) if any(cell != "" for cell in row))
    count, total = _written(connection, target, columns, body)
    empty = frozenset(c.name for i, c in enumerate(columns) if not c.kinds and i in layout.unnamed)
    found = (*layout.problems, *_about_names(layout, empty), *_about_columns(columns), *total, *merged.problems())
    return _Sheet(sheet.name, target, columns, empty, count, (*found, *_about_lost(scan)))


def _written(
    connection: duckdb.DuckDBPyConnection,
    target: Path,
    columns: Sequence[_SheetColumn],
    body: Iterable[tuple[int, list[Any]]],
) -> tuple[int, list[FileProblem]]:
    """Write the rows as text and count their cells; a total at the end is left out where it is certain."""
    count, last = 0, None
    with target.open("w", encoding="utf-8", newline="") as stream:
        for row in body:
            if last is not None:
                _write(stream, columns, *last)
                count += 1
            last = row
        stream.flush()
        if last is None:
            return 0, []
        label = next((c for c in last[1] if isinstance(c, str) and len(c) <= _LONGEST_LABEL and is_label(c)), None)
        if label is not None and _adds_up(connection, target, columns, last[1]):
            return count, [FileProblem(row=last[0], what=left_out(clip(label.strip(), _SHOWN)))]
        _write(stream, columns, *last)
    return count + 1, []


def _write(stream: TextIO, columns: Sequence[_SheetColumn], number: int, row: Sequence[Any]) -> None:
    for column, cell in zip(columns, row, strict=True):
        column.add(cell, number)
    stream.write(",".join(_quoted(cell) for cell in row) + "\n")


def _quoted(cell: Any) -> str:
    """A cell as it looks, for a column of any type: Excel keeps every number as a float and every date as a moment."""
    if isinstance(cell, str):
        return '"' + cell.replace('"', '""') + '"' if cell else ""
    if isinstance(cell, float):
        return f'"{_plain(cell)}"'
    if isinstance(cell, datetime) and cell.time() == datetime.min.time():
        cell = cell.date()
    return f'"{str(cell).lower() if isinstance(cell, bool) else cell}"'


def _plain(number: float) -> str:
    if number.is_integer() and abs(number) < 2**53:
        return str(int(number))
    text = repr(number)
    return format(Decimal(text), "f") if "e" in text and abs(number) < _LARGEST else text


def _decimals(number: float) -> int:
    """How many decimals a person would write."""
    return len(_plain(number).partition(".")[2])


def _relation(file: Path, columns: Sequence[_SheetColumn]) -> str:
    return read_csv(file, _TEXT_OPTIONS, {column.name: column.kind for column in columns})


def _adds_up(
    connection: duckdb.DuckDBPyConnection, file: Path, columns: Sequence[_SheetColumn], last: Sequence[Any]
) -> bool:
    """Whether a row certainly is a total: it holds the sum of a column of two values or more."""
    numbers = [(column, cell) for column, cell in zip(columns, last, strict=True) if column.is_number]
    numbers = [(column, cell) for column, cell in numbers if isinstance(cell, int | float) and math.isfinite(cell)]
    if not numbers:
        return False
    asked = ", ".join(f"sum({identifier(c.name)}), count(nullif({identifier(c.name)}, 0))" for c, _ in numbers)
    sums = connection.execute(f"SELECT {asked} FROM {_relation(file, columns)}").fetchone() or ()
    pairs = zip(numbers, sums[::2], sums[1::2], strict=True)
    return any(count > 1 and adds_up(float(cell), float(added)) for (_, cell), added, count in pairs)


# --- merged cells


class _Merged:
    """Cells merged below the names: a text that spans rows belongs to each of them; a figure to none but the first."""

    def __init__(self, merges: Sequence[Merge], first: int) -> None:
        self._down: dict[int, list[tuple[int, int]]] = {}
        self._wide = 0
        left = _MOST_FILLED
        for (top, column), (bottom, last) in merges:
            if top < first:
                continue
            self._wide += column != last
            left -= bottom - top
            if column == last and left > 0:
                self._down.setdefault(top, []).append((column, bottom))
        self.spread = self.figures = 0

    def filled(self, rows: Iterator[tuple[int, list[Any]]]) -> Iterator[tuple[int, list[Any]]]:
        """The rows, with merged texts in every one that they span."""
        spans: dict[int, tuple[int, str]] = {}
        for number, row in rows:
            for column, bottom in self._down.get(number, ()):
                cell = row[column] if column < len(row) else ""
                self.figures += not isinstance(cell, str)
                if isinstance(cell, str) and cell:
                    spans[column] = (bottom, cell)
                    self.spread += 1
            for column, (bottom, text) in spans.items():
                if number <= bottom:
                    row[column] = text
            yield number, row

    def problems(self) -> list[FileProblem]:
        """What is to be said of merged cells."""
        said = []
        if self.spread:
            what = f"Merged texts that span several rows ({self.spread}) were put into each of them."
            said.append(FileProblem(what=what))
        if self.figures or self._wide:
            what = f"Other merged cells ({self.figures + self._wide}) count once, in their first row and column."
            said.append(FileProblem(what=what))
        return said


# --- what is to be said


def _about_names(layout: Layout, empty: frozenset[str]) -> Iterator[FileProblem]:
    for index in sorted(layout.unnamed):
        name = layout.names[index]
        if name not in empty:
            yield FileProblem(column=name, what=f"The column has no name; it is called {name}.")


def _about_columns(columns: Sequence[_SheetColumn]) -> Iterator[FileProblem]:
    yield from (problem for column in columns if (problem := column.problem()) is not None)
    if any(column.is_number for column in columns):
        for column in columns:
            if column.label is not None:
                row, label = column.label
                yield FileProblem(column=column.name, row=row, what=suspected(column.labels, clip(label, _SHOWN)))


def _about_lost(scan: SheetScan) -> Iterator[FileProblem]:
    if scan.errors.count:
        yield FileProblem(what=f"Cells with errors are read as missing ({scan.errors.count}): {scan.errors}.")
    if scan.formulas.count:
        yield FileProblem(
            what=f"Formulas without a stored result are read as missing ({scan.formulas.count}): {scan.formulas}; "
            "open the file in Excel and save it."
        )
