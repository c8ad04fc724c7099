"""A text file with its lines and its encoding; a document of requirements with their ids, places and languages."""

from __future__ import annotations

import codecs
import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

from veracity.errors import SourceError, UsageError
from veracity.requirements.contracts import Kind, Lang, Place, Requirement
from veracity.requirements.rules.requirement_text import told_language
from veracity.sources.dialect import Dialect
from veracity.sources.encoding import detect
from veracity.yaml_file import read_bytes

MOST_BYTES = 50_000_000
"""Bytes of a requirements file; 50,000 lines have about a tenth of that."""
_HALF = re.compile("[\ud800-\udfff]")
_LINE_END = re.compile(r"\r\n|\n|\r")
_MARKS = {
    "utf-8-sig": ((codecs.BOM_UTF8, "utf-8"),),
    "utf-16": ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")),
}


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line without its end, and the offset of its first character."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset behind its last character."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class SourceText:
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

    def lines(self) -> list[SourceLine]:
        """Every line; only line feeds and carriage returns end one."""
        ends = (*self.starts[1:], len(self.text) + 1)
        return [
            SourceLine(start, self.text[start:end].rstrip("\r\n")) for start, end in zip(self.starts, ends, strict=True)
        ]

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


def read_source(path: Path) -> SourceText:
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
    return SourceText(path, text, codec, mark, encoding.name, encoding.note, starts_of(text))


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


# --- a document with requirements: each with its id and place, and with the passage of the file that holds its text


Format = Literal["text", "markdown", "csv", "xlsx", "sdoc", "doorstop", "gherkin", "reqif"]
FORMATS: tuple[Format, ...] = get_args(Format)
LONGEST = 20_000
"""Characters of one requirement; more is a document."""

Span = tuple[int, int]
"""A stretch of a file: the offset of its first character, and the one behind its last."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a requirement's text that stands in the file as it is."""

    at: int
    """Its offset in the requirement's text."""
    start: int
    """Its offset in the file."""
    length: int


@dataclass(frozen=True, slots=True)
class TextPassage:
    """Where a requirement's text stands in a text file."""

    pieces: tuple[Piece, ...]
    span: Span
    """What a new text replaces: the statement, without the criteria listed below it."""
    form: Literal["lines", "heading", "row", "field"] = "lines"
    """How a text is written there: on lines of its own, in a heading, in a table row of Markdown, in a CSV field."""
    indent: str = ""
    """What a further line of the statement begins with."""
    rest: str = ""
    """The end of the requirement's text that is not replaced."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a requirement's text stands in a workbook."""

    sheet: str
    name: str


@dataclass(frozen=True, slots=True)
class RequirementEntry:
    """A requirement on its way into a document: it may still lack an id."""

    id: str | None
    text: str
    place: Place
    passage: TextPassage | Cell | None = None
    kind: Kind | None = None
    lang: Lang | None = None


@dataclass(frozen=True, slots=True)
class FoundRequirement:
    """What a reader of one format found in a file."""

    entries: Sequence[RequirementEntry]
    nothing: str
    """What is said when there are no entries."""
    source: SourceText | None = None
    dialect: Dialect | None = None
    sure: bool = True
    """Whether they look like requirements; otherwise they are only all that the file holds."""


@dataclass(frozen=True, slots=True)
class RequirementDocument:
    """The requirements of one file."""

    path: Path
    format: Format
    requirements: tuple[Requirement, ...]
    passages: Mapping[str, TextPassage | Cell] = field(default_factory=dict)
    """Where each requirement's text stands, by its id."""
    source: SourceText | None = None
    """The text of the file; None of formats that are not text."""
    dialect: Dialect | None = None
    """How a CSV file is divided."""
    digest: str = ""
    column: str | None = None
    """The column that was asked for."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said about how the file was read."""
        return (self.source.note,) if self.source is not None and self.source.note else ()

    def locate(self, requirement: Requirement, offset: int) -> Place:
        """The line and column of a character of a requirement's text, or the requirement's place where there is no line."""
        passage = self.passages.get(requirement.id)
        if not isinstance(passage, TextPassage) or self.source is None or not passage.pieces:
            return requirement.place
        index = max(bisect_right(passage.pieces, offset, key=lambda piece: piece.at) - 1, 0)
        piece = passage.pieces[index]
        return self.source.place(piece.start + min(max(offset - piece.at, 0), piece.length))


def document_of(
    path: Path,
    format: Format,
    found: FoundRequirement,
    *,
    digest: str,
    column: str | None,
) -> RequirementDocument:
    """A document of what a reader found; every requirement has an id of its own."""
    requirements, passages = list[Requirement](), dict[str, TextPassage | Cell]()
    for entry, name in zip(found.entries, _ids_of(found.entries), strict=True):
        if len(entry.text) > LONGEST:
            raise SourceError(
                f"{path}{_place_shown(entry.place)}: a requirement has more than {LONGEST:,} characters; divide it."
            )
        place = entry.place.model_copy(update={"path": whole(entry.place.path)})
        requirements.append(Requirement(id=name, text=whole(entry.text), place=place, lang=entry.lang, kind=entry.kind))
        if entry.passage is not None:
            passages[name] = entry.passage
    return RequirementDocument(path, format, tuple(requirements), passages, found.source, found.dialect, digest, column)


def with_ids_of_their_own(documents: Iterable[RequirementDocument]) -> tuple[RequirementDocument, ...]:
    """The documents, with the path before every id that more than one of them uses."""
    documents = tuple(documents)
    owners = Counter(requirement.id for document in documents for requirement in document.requirements)
    shared = {name for name, count in owners.items() if count > 1}
    return tuple(_qualified(document, shared) for document in documents)


def _qualified(document: RequirementDocument, shared: set[str]) -> RequirementDocument:
    names = {one.id: whole(f"{document.path}:{one.id}") for one in document.requirements if one.id in shared}
    if not names:
        return document
    requirements = tuple(one.model_copy(update={"id": names.get(one.id, one.id)}) for one in document.requirements)
    passages = {names.get(name, name): passage for name, passage in document.passages.items()}
    return replace(document, requirements=requirements, passages=passages)


def _ids_of(entries: Sequence[RequirementEntry]) -> list[str]:
    """Ids as written; without one, the number of the requirement in its document; the second of a name gets a number."""
    written = {whole(entry.id) for entry in entries if entry.id}
    more, taken, names = Counter[str](), set[str](), list[str]()
    for number, entry in enumerate(entries, 1):
        name = wanted = whole(entry.id) if entry.id else f"REQ_{number}"
        while name in taken or (not entry.id and name in written):
            more[wanted] += 1
            name = f"{wanted}#{more[wanted] + 1}"
        taken.add(name)
        names.append(name)
    return names


def _place_shown(place: Place) -> str:
    if place.line is not None:
        return f", line {place.line}"
    return f", cell {place.cell}" if place.cell is not None else ""


# --- the language of texts that do not show theirs, such as "TBD": that of most of their document


_SHORT = 60
"""Characters; a longer text shows its language."""
_ENOUGH = 200
"""Requirements that are looked at to find out what a document is written in."""


def with_languages(requirements: Sequence[Requirement]) -> tuple[Requirement, ...]:
    """The requirements; those whose language cannot be told have that of most others, if these have one."""
    unclear = {number for number, one in enumerate(requirements) if len(one.text) <= _SHORT and _language(one) is None}
    main = _main_language(requirements) if unclear else None
    if main is None:
        return tuple(requirements)
    return tuple(
        one.model_copy(update={"lang": main}) if number in unclear else one for number, one in enumerate(requirements)
    )


def _main_language(requirements: Sequence[Requirement]) -> Lang | None:
    votes = Counter(found for one in requirements[:_ENOUGH] if (found := _language(one)) is not None)
    return "de" if votes["de"] > votes["en"] else "en" if votes["en"] > votes["de"] else None


def _language(requirement: Requirement) -> Lang | None:
    return requirement.lang or told_language(requirement.text)
