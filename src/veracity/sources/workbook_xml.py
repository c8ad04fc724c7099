"""What a reader of workbooks does not tell: cells with errors, and formulas whose results were never stored."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path, PurePosixPath

_CHUNK = 1 << 18
_SMALL_PART = 5_000_000
MOST_UNPACKED = 1_000_000_000
"""Bytes of a workbook once unpacked; a small file can hold far more."""
_TAG = re.compile(r"<(?:\w+:)?(sheet|Relationship)\s([^>]*)>")
_ATTRIBUTE = re.compile(r'([\w:]+)="([^"]*)"')
_CELL = rb'<c [^>]{0,200}?r="([A-Z]{1,3}[0-9]{1,7})"([^>]{0,200})>'
_FORMULA = rb"(?:<f[^>]*/>|<f[^>]*>[^<]*</f>)"
_ERROR = re.compile(_CELL + rb"(?:" + _FORMULA + rb")?<v>(#[^<]{1,30})</v>")
_NO_RESULT = re.compile(_CELL + _FORMULA + rb"(?:<v ?/>|<v></v>)?</c>")


@dataclass(frozen=True, slots=True)
class LostCell:
    """A cell that is read as missing although something stands in it."""

    place: str
    error: str | None
    """`#DIV/0!` and its like; None for a formula without a result."""


def unpacked_size(file: Path) -> int:
    """The bytes of a zipped workbook once unpacked; 0 for other kinds."""
    try:
        with zipfile.ZipFile(file) as archive:
            return sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 0


def lost_cells(file: Path, sheet: str) -> Iterator[LostCell]:
    """The lost cells of a sheet of an xlsx workbook; none of other kinds."""
    try:
        with zipfile.ZipFile(file) as archive:
            part = _part_of(archive, sheet)
            if part is not None:
                yield from _lost_in(archive, part)
    except (zipfile.BadZipFile, OSError, KeyError, ValueError, NotImplementedError, EOFError):
        return


def _small(archive: zipfile.ZipFile, name: str) -> str:
    with archive.open(name) as stream:
        return stream.read(_SMALL_PART).decode("utf-8", "replace")


def _tags(text: str) -> Iterator[dict[str, str]]:
    for _, attributes in _TAG.findall(text):
        yield {key: unescape(value) for key, value in _ATTRIBUTE.findall(attributes)}


def _part_of(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """The part of an archive that holds a sheet."""
    ids = {tag.get("name"): tag.get("r:id") for tag in _tags(_small(archive, "xl/workbook.xml"))}
    targets = {tag.get("Id"): tag.get("Target", "") for tag in _tags(_small(archive, "xl/_rels/workbook.xml.rels"))}
    target = targets.get(ids.get(sheet) or "")
    return str(PurePosixPath("xl") / target).removeprefix("/") if target else None


def _lost_in(archive: zipfile.ZipFile, part: str) -> Iterator[LostCell]:
    left = b""
    with archive.open(part) as stream:
        while chunk := stream.read(_CHUNK):
            text = left + chunk
            whole, mark, left = text.rpartition(b"</c>")
            if len(left) > _CHUNK:
                left = b""  # one endless cell: nothing to find in it
            yield from _found(whole + mark)


def _found(text: bytes) -> Iterator[LostCell]:
    for place, attributes, error in _ERROR.findall(text) if b't="e"' in text else ():
        if b't="e"' in attributes:
            yield LostCell(place.decode(), error.decode("utf-8", "replace"))
    for place, attributes in _NO_RESULT.findall(text) if b"<f" in text else ():
        # An empty text is a result, too.
        if b't="str"' not in attributes:
            yield LostCell(place.decode(), None)
