"""Requirements in CSV files and Excel workbooks, field by field."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.contracts import clip
from veracity.errors import SourceError
from veracity.requirements.contracts import Place
from veracity.requirements.reading.document import (
    Cell,
    FoundRequirement,
    Piece,
    RequirementEntry,
    SourceText,
    TextPassage,
    read_source,
)
from veracity.requirements.reading.tables import column_letters, find_columns, missing_column
from veracity.sources.dialect import HEAD, Dialect, Quoting, likely_dialects, misfit
from veracity.sources.workbook_xml import scan_sheet, unpacked_size

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook


_LOOKED_AT = 400
_LINE_ENDS = ("\r\n", "\n", "\r")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record: where it stands, quotes included."""

    start: int
    end: int
    quoted: bool


def read_csv(path: Path, column: str | None = None) -> FoundRequirement:
    """A requirement per record: one column holds the texts, another may hold the ids."""
    source = read_source(path)
    nothing = f"{path} is empty; a table needs a row of names and a requirement per row."
    if not source.text.strip():
        return FoundRequirement((), nothing, source)
    dialect = _csv_dialect(source)
    rows = list(records(source, dialect))
    texts = [[value(source.text, one, dialect.quoting) for one in row] for row in rows[:_LOOKED_AT]]
    columns = find_columns(texts, column)
    if columns is None:
        return FoundRequirement((), missing_column(path, column, texts), source)
    named = find_columns(texts, column, named_only=True) is not None
    entries = []
    for row in rows[columns.first :]:
        _check_width(source, row, dialect)
        if columns.text < len(row):
            written = columns.id_of([value(source.text, one, dialect.quoting) for one in row])
            entry = _csv_entry(source, row[columns.text], dialect.quoting, written)
            entries += [] if entry is None else [entry]
    return FoundRequirement(
        entries, f"{path} holds no requirement below the names of its columns.", source, dialect, sure=named
    )


def _csv_dialect(source: SourceText) -> Dialect:
    beginning = source.text[:HEAD]
    dialects = likely_dialects(beginning, complete=len(source.text) <= HEAD)
    if dialects:
        return dialects[0]
    odd = misfit(beginning)
    if odd is None:
        raise SourceError(f"{source.path} cannot be read as CSV; check that it is complete and really of that kind.")
    raise SourceError(f"{source.path}: line {odd[0]} has {odd[1]} fields where others have {odd[2]}; mend it.")


def _check_width(source: SourceText, row: list[Field], dialect: Dialect) -> None:
    if len(row) > dialect.width and row[0].end > row[0].start:
        line = source.place(row[0].start).line
        raise SourceError(
            f"{source.path}: line {line} has {len(row)} fields where others have {dialect.width}; "
            "put a text that holds the delimiter in quotes."
        )


def records(source: SourceText, dialect: Dialect) -> Iterator[list[Field]]:
    """The records of a file; raises with the line of a quote that does not close."""
    text, at = source.text, 0
    stop = re.compile(rf"[{re.escape(dialect.delimiter)}\r\n]")
    while at < len(text):
        row = []
        while True:
            one = _field_at(source, at, stop, dialect.quoting)
            row.append(one)
            at = one.end
            if not text.startswith(dialect.delimiter, at):
                break
            at += 1
        at += next((len(end) for end in _LINE_ENDS if text.startswith(end, at)), 0)
        yield row


def _field_at(source: SourceText, at: int, stop: re.Pattern[str], quoting: Quoting) -> Field:
    text = source.text
    begin = at
    while quoting.spaced and text.startswith(" ", begin):
        begin += 1
    if not quoting.quote or not text.startswith(quoting.quote, begin):
        found = stop.search(text, at)
        return Field(at, found.start() if found else len(text), quoted=False)
    end = _closing_quote(text, begin + 1, quoting)
    if end is None or not (end == len(text) or stop.match(text, end)):
        raise SourceError(f"{source.path}: line {source.place(begin).line} cannot be read; check its quotes.")
    return Field(begin, end, quoted=True)


def _closing_quote(text: str, at: int, quoting: Quoting) -> int | None:
    """The offset behind the quote that closes a field."""
    while (at := text.find(quoting.quote, at)) >= 0:
        if quoting.backslash and _is_escaped(text, at):
            at += 1
        elif not quoting.backslash and text.startswith(quoting.quote, at + 1):
            at += 2
        else:
            return at + 1
    return None


def _is_escaped(text: str, at: int) -> bool:
    count = 0
    while at > count and text[at - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def value(text: str, one: Field, quoting: Quoting) -> str:
    """What a field says."""
    return "".join(part for part, _ in _field_parts(text, one, quoting))


def _field_parts(text: str, one: Field, quoting: Quoting) -> Iterator[tuple[str, int]]:
    """What a field says, cut where it is written in another way, with the offset of every part."""
    start, end = (one.start + 1, one.end - 1) if one.quoted else (one.start, one.end)
    written = re.escape(quoting.quote * 2) if one.quoted and not quoting.backslash else None
    written = r"\\." if one.quoted and quoting.backslash else written
    at = start
    for found in re.compile(rf"\r\n?|{written}" if written else r"\r\n?").finditer(text, start, end):
        if found.start() > at:
            yield text[at : found.start()], at
        yield ("\n" if found.group()[0] == "\r" else found.group()[-1]), found.start()
        at = found.end()
    if at < end:
        yield text[at:end], at


def _csv_entry(source: SourceText, one: Field, quoting: Quoting, name: str | None) -> RequirementEntry | None:
    parts = list(_field_parts(source.text, one, quoting))
    whole = "".join(part for part, _ in parts)
    text = whole.strip()
    if not text:
        return None
    pieces, at = [], -(len(whole) - len(whole.lstrip()))
    for part, start in parts:
        cut = min(max(-at, 0), len(part))
        if cut < len(part):
            pieces.append(Piece(at + cut, start + cut, len(part) - cut))
        at += len(part)
    passage = TextPassage(tuple(pieces), (one.start, one.end), "field")
    return RequirementEntry(name, text, source.place(pieces[0].start), passage)


# --- excel workbooks: a requirement per row of every visible sheet that has a column of them


MOST_UNPACKED = 300_000_000
"""Bytes of a workbook once unpacked; a small file can hold far more."""
_MOST_CELLS = 5_000_000


def read_workbook(path: Path, column: str | None = None) -> FoundRequirement:
    """The requirements of a workbook, sheet by sheet."""
    import python_calamine

    if not zipfile.is_zipfile(path):
        raise SourceError(_unreadable(path))
    if unpacked_size(path) > MOST_UNPACKED:
        raise SourceError(f"{path} is too large once unpacked; save its requirements as CSV.")
    try:
        with closing(python_calamine.CalamineWorkbook.from_path(str(path))) as workbook:
            return _found_in_workbook(path, workbook, column)
    except (python_calamine.CalamineError, OSError):
        raise SourceError(_unreadable(path)) from None


def _unreadable(path: Path) -> str:
    return f"{path} cannot be read as an Excel file; check that it is complete and not protected by a password."


def _found_in_workbook(path: Path, workbook: CalamineWorkbook, column: str | None) -> FoundRequirement:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    names = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.visible == SheetVisibleEnum.Visible and sheet.typ == SheetTypeEnum.WorkSheet
    ]
    entries, tables = list[RequirementEntry](), list[list[list[str]]]()
    for name in names:
        rows, top = _sheet_rows(path, workbook, name)
        if any(map(any, rows)):
            tables.append(rows)
            entries += _sheet_entries(path, name, rows, top, column, several=len(names) > 1)
    first = tables[0] if tables else []
    nothing = missing_column(path, column, first) if first else f"{path} holds no visible sheet with requirements."
    return FoundRequirement(entries, nothing)


def _sheet_rows(path: Path, workbook: CalamineWorkbook, name: str) -> tuple[list[list[str]], int]:
    """The cells of a sheet as texts, from column A on, and the number of rows above them."""
    scan = scan_sheet(path, name)
    if scan.rows * scan.columns > _MOST_CELLS:
        raise SourceError(f"{path}: the sheet {clip(name, 40)!r} is too large; save its requirements as CSV.")
    sheet = workbook.get_sheet_by_name(name)
    if sheet.start is None:
        return [], 0
    top, left = sheet.start
    return [[*[""] * left, *map(_cell_text, row)] for row in sheet.iter_rows()], top


def _cell_text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        cell = int(cell)
    return re.sub(r"\r\n?", "\n", str(cell))


def _sheet_entries(
    path: Path, sheet: str, rows: Sequence[Sequence[str]], top: int, column: str | None, *, several: bool
) -> list[RequirementEntry]:
    """The requirements of a sheet; where there are several, only one that names its column is about them."""
    columns = find_columns(rows, column, named_only=several)
    if columns is None:
        return []
    letters, entries = column_letters(columns.text), []
    for number, row in enumerate(rows[columns.first :], top + columns.first + 1):
        text = row[columns.text].strip() if columns.text < len(row) else ""
        if text:
            cell = f"{letters}{number}"
            place = Place(path=str(path), cell=f"{sheet}!{cell}" if several else cell)
            entries.append(RequirementEntry(columns.id_of(row), text, place, Cell(sheet, cell)))
    return entries
