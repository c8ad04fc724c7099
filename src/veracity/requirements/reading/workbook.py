"""Excel workbooks: a requirement per row of every visible sheet that has a column of them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.errors import SourceError
from veracity.requirements.contracts import Place
from veracity.requirements.reading.document import Cell, Entry, Found
from veracity.requirements.reading.tables import column_letters, find_columns, missing_column
from veracity.sources.workbook_xml import scan_sheet, unpacked_size
from veracity.trace import clip

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

MOST_UNPACKED = 300_000_000
"""Bytes of a workbook once unpacked; a small file can hold far more."""
_MOST_CELLS = 5_000_000


def read_workbook(path: Path, column: str | None = None) -> Found:
    """The requirements of a workbook, sheet by sheet."""
    import python_calamine

    if not zipfile.is_zipfile(path):
        raise SourceError(_unreadable(path))
    if unpacked_size(path) > MOST_UNPACKED:
        raise SourceError(f"{path} is too large once unpacked; save its requirements as CSV.")
    try:
        with closing(python_calamine.CalamineWorkbook.from_path(str(path))) as workbook:
            return _found(path, workbook, column)
    except (python_calamine.CalamineError, OSError):
        raise SourceError(_unreadable(path)) from None


def _unreadable(path: Path) -> str:
    return f"{path} cannot be read as an Excel file; check that it is complete and not protected by a password."


def _found(path: Path, workbook: CalamineWorkbook, column: str | None) -> Found:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    names = [
        sheet.name
        for sheet in workbook.sheets_metadata
        if sheet.visible == SheetVisibleEnum.Visible and sheet.typ == SheetTypeEnum.WorkSheet
    ]
    entries, tables = list[Entry](), list[list[list[str]]]()
    for name in names:
        rows, top = _rows(path, workbook, name)
        if any(map(any, rows)):
            tables.append(rows)
            entries += _entries(path, name, rows, top, column, several=len(names) > 1)
    first = tables[0] if tables else []
    nothing = missing_column(path, column, first) if first else f"{path} holds no visible sheet with requirements."
    return Found(entries, nothing)


def _rows(path: Path, workbook: CalamineWorkbook, name: str) -> tuple[list[list[str]], int]:
    """The cells of a sheet as texts, from column A on, and the number of rows above them."""
    scan = scan_sheet(path, name)
    if scan.rows * scan.columns > _MOST_CELLS:
        raise SourceError(f"{path}: the sheet {clip(name, 40)!r} is too large; save its requirements as CSV.")
    sheet = workbook.get_sheet_by_name(name)
    if sheet.start is None:
        return [], 0
    top, left = sheet.start
    return [[*[""] * left, *map(_text, row)] for row in sheet.iter_rows()], top


def _text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        cell = int(cell)
    return re.sub(r"\r\n?", "\n", str(cell))


def _entries(
    path: Path, sheet: str, rows: Sequence[Sequence[str]], top: int, column: str | None, *, several: bool
) -> list[Entry]:
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
            entries.append(Entry(columns.id_of(row), text, place, Cell(sheet, cell)))
    return entries
