"""A text file as it is: its characters, its encoding, and where each of its lines begins."""

from __future__ import annotations

import codecs
import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from veracity.documents import read_bytes
from veracity.errors import SourceError, UsageError
from veracity.requirements.contracts import Place
from veracity.sources.encoding import detect

MOST_BYTES = 50_000_000
"""Bytes of a requirements file; 50,000 lines have about a tenth of that."""
_HALF = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n|\n|\r")
_MARKS = {
    "utf-8-sig": ((codecs.BOM_UTF8, "utf-8"),),
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end, and the offset of its first character."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Source:
    """The characters of a file, and what is needed to write them as they were."""

    path: Path
    text: str
    codec: str = "utf-8"
    mark: bytes = b""
    """The byte order mark."""
    encoding: str = "UTF-8"
    note: str | None = None
    """What is to be said about the encoding."""
    starts: tuple[int, ...] = (0,)

    def lines(self) -> list[Line]:
        """Every line; only line feeds and carriage returns end one."""
        ends = (*self.starts[1:], len(self.text) + 1)
        return [Line(start, self.text[start:end].rstrip("\r\n")) for start, end in zip(self.starts, ends, strict=True)]

    def place(self, offset: int) -> Place:
        """The line and column of a character."""
        line = bisect_right(self.starts, offset)
        return Place(path=whole(str(self.path)), line=line, column=offset - self.starts[line - 1] + 1)

    @property
    def line_end(self) -> str:
        """How its lines end; the first one tells."""
        found = _LINE_END.search(self.text)
        return found.group() if found else "\n"

    def encoded(self, text: str) -> bytes:
        """A changed text in the bytes of this file's encoding; raises when a character does not exist there."""
        try:
            return self.mark + text.encode(self.codec)
        except UnicodeEncodeError as error:
            sign = ascii(text[error.start : error.start + 1]).strip("'")
            raise UsageError(
                f"{self.path} is in {self.encoding}, which has no character {sign}; save the file as UTF-8 and try again."
            ) from None


def read_source(path: Path) -> Source:
    """A text file in whatever encoding can be told for sure; raises `SourceError` with the reason."""
    raw = file_bytes(path)
    try:
        encoding = detect(path)
    except OSError:
        raise SourceError(f"{path} cannot be read; check that it is still there.") from None
    mark, codec = next(
        ((mark, codec) for mark, codec in _MARKS.get(encoding.codec, ()) if raw.startswith(mark)), (b"", encoding.codec)
    )
    try:
        text = raw[len(mark) :].decode(codec)
    except UnicodeError:
        raise SourceError(f"{path} changed while it was read; try again.") from None
    return Source(path, text, codec, mark, encoding.name, encoding.note, starts_of(text))


def starts_of(text: str) -> tuple[int, ...]:
    """The offsets at which the lines of a text begin."""
    return (0, *(found.end() for found in _LINE_END.finditer(text)))


def file_bytes(path: Path) -> bytes:
    """What a file holds, within the limit."""
    if is_there(path) and not is_there(path, Path.is_file):
        raise SourceError(f"{path} is not a file; name a file or a folder with requirements.")
    return read_bytes(path, SourceError, most=MOST_BYTES, too_long="divide it and read the parts")


def is_there(path: Path, kind: Callable[[Path], bool] = Path.exists) -> bool:
    """Whether a path leads to something of a kind; not when nobody may look there."""
    try:
        return kind(path)
    except OSError:
        return False


def whole(text: str) -> str:
    """The text with a mark for each half character, which no report could hold; everything stays in its place."""
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text)


def digest_of(raw: bytes) -> str:
    """What tells whether a file is still the same."""
    return hashlib.sha256(raw).hexdigest()
