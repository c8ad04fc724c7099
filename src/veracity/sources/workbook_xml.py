"""What a reader of workbooks does not tell: how far a sheet reaches, cells with errors, formulas without a result."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path, PurePosixPath

MOST_UNPACKED = 1_000_000_000
"""Bytes of a workbook once unpacked; a small file can hold far more."""
_CHUNK = 1 << 18
_SMALL_PART = 5_000_000
_FEW = 5
_TAG = re.compile(r"<(?:\w+:)?(?:sheet|Relationship)\s([^>]*)>")
_ATTRIBUTE = re.compile(r'([\w:]+)="([^"]*)"')
_ROW = re.compile(rb'<row [^>]{0,200}?r="([0-9]{1,7})"')
_PLACE = re.compile(rb'<c [^>]{0,200}?r="([A-Z]{1,3})[0-9]{1,7}"')
_CELL = rb'<c [^>]{0,200}?r="([A-Z]{1,3}[0-9]{1,7})"([^>]{0,200})>'
_FORMULA = rb"(?:<f[^>]*/>|<f[^>]*>[^<]*</f>)"
_ERROR = re.compile(_CELL + rb"(?:" + _FORMULA + rb")?<v>(#[^<]{1,30})</v>")
_NO_RESULT = re.compile(_CELL + _FORMULA + rb"(?:<v ?/>|<v></v>)?</c>")


@dataclass(slots=True)
class Places:
    """How many cells there are of a kind, and the first few of them."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, place: str) -> None:
        """Count a cell."""
        self.count += 1
        if self.count <= _FEW:
            self.first.append(place)

    def __str__(self) -> str:
        return ", ".join(self.first) + (", ..." if self.count > len(self.first) else "")


@dataclass(slots=True)
class SheetScan:
    """What the XML of a sheet shows."""

    rows: int = 0
    columns: int = 0
    errors: Places = field(default_factory=Places)
    """`B3 #DIV/0!` and its like; a reader gives nothing for them."""
    formulas: Places = field(default_factory=Places)
    """Formulas whose result was never stored."""

    def add(self, text: bytes) -> None:
        """Look at some whole cells."""
        self.rows = max((self.rows, *map(int, _ROW.findall(text))))
        self.columns = max((self.columns, *map(_number, set(_PLACE.findall(text)))))
        for place, attributes, error in _ERROR.findall(text) if b't="e"' in text else ():
            if b't="e"' in attributes:
                self.errors.add(f"{place.decode()} {error.decode('utf-8', 'replace')}")
        for place, attributes in _NO_RESULT.findall(text) if b"<f" in text else ():
            # An empty text is a result, too.
            if b't="str"' not in attributes:
                self.formulas.add(place.decode())


def unpacked_size(file: Path) -> int:
    """The bytes of a zipped workbook once unpacked; 0 for other kinds."""
    try:
        with zipfile.ZipFile(file) as archive:
            return sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 0


def scan_sheet(file: Path, sheet: str) -> SheetScan:
    """What the XML of a sheet shows, read piece by piece; nothing for workbooks that are not xlsx."""
    scan = SheetScan()
    try:
        with zipfile.ZipFile(file) as archive:
            part = _part_of(archive, sheet)
            for text in _pieces(archive, part) if part else ():
                scan.add(text)
    except (zipfile.BadZipFile, OSError, KeyError, ValueError, NotImplementedError, EOFError):
        return SheetScan()
    return scan


def _number(letters: bytes) -> int:
    """The number of a column: A is 1, XFD is 16384."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _small(archive: zipfile.ZipFile, name: str) -> str:
    with archive.open(name) as stream:
        return stream.read(_SMALL_PART).decode("utf-8", "replace")


def _tags(text: str) -> Iterator[dict[str, str]]:
    for attributes in _TAG.findall(text):
        yield {key: unescape(value) for key, value in _ATTRIBUTE.findall(attributes)}


def _part_of(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """The part of an archive that holds a sheet."""
    ids = {tag.get("name"): tag.get("r:id") for tag in _tags(_small(archive, "xl/workbook.xml"))}
    targets = {tag.get("Id"): tag.get("Target", "") for tag in _tags(_small(archive, "xl/_rels/workbook.xml.rels"))}
    target = targets.get(ids.get(sheet) or "")
    return str(PurePosixPath("xl") / target).removeprefix("/") if target else None


def _pieces(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """The XML of a sheet, cut between cells."""
    left = b""
    with archive.open(part) as stream:
        while chunk := stream.read(_CHUNK):
            whole, mark, left = (left + chunk).rpartition(b"</c>")
            if len(left) > _CHUNK:
                left = b""  # one endless cell: nothing to find in it
            yield whole + mark
    yield left
