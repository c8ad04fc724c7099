"""A document with requirements: each with its id and place, and with the passage of the file that holds its text."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, get_args

from veracity.errors import SourceError
from veracity.requirements.contracts import Kind, Lang, Place, Requirement
from veracity.requirements.reading.source import Source, whole
from veracity.sources.dialect import Dialect

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
class Passage:
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
class Entry:
    """A requirement on its way into a document: it may still lack an id."""

    id: str | None
    text: str
    place: Place
    passage: Passage | Cell | None = None
    kind: Kind | None = None
    lang: Lang | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader of one format found in a file."""

    entries: Sequence[Entry]
    nothing: str
    """What is said when there are no entries."""
    source: Source | None = None
    dialect: Dialect | None = None
    sure: bool = True
    """Whether they look like requirements; otherwise they are only all that the file holds."""


@dataclass(frozen=True, slots=True)
class Document:
    """The requirements of one file."""

    path: Path
    format: Format
    requirements: tuple[Requirement, ...]
    passages: Mapping[str, Passage | Cell] = field(default_factory=dict)
    """Where each requirement's text stands, by its id."""
    source: Source | None = None
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
        if not isinstance(passage, Passage) or self.source is None or not passage.pieces:
            return requirement.place
        index = max(bisect_right(passage.pieces, offset, key=lambda piece: piece.at) - 1, 0)
        piece = passage.pieces[index]
        return self.source.place(piece.start + min(max(offset - piece.at, 0), piece.length))


def document_of(path: Path, format: Format, found: Found, *, digest: str, column: str | None) -> Document:  # noqa: A002
    """A document of what a reader found; every requirement has an id of its own."""
    requirements, passages = list[Requirement](), dict[str, Passage | Cell]()
    for entry, name in zip(found.entries, _names(found.entries), strict=True):
        if len(entry.text) > LONGEST:
            raise SourceError(
                f"{path}{_where(entry.place)}: a requirement has more than {LONGEST:,} characters; divide it."
            )
        place = entry.place.model_copy(update={"path": whole(entry.place.path)})
        requirements.append(Requirement(id=name, text=whole(entry.text), place=place, lang=entry.lang, kind=entry.kind))
        if entry.passage is not None:
            passages[name] = entry.passage
    return Document(path, format, tuple(requirements), passages, found.source, found.dialect, digest, column)


def with_ids_of_their_own(documents: Iterable[Document]) -> tuple[Document, ...]:
    """The documents, with the path before every id that more than one of them uses."""
    documents = tuple(documents)
    owners = Counter(requirement.id for document in documents for requirement in document.requirements)
    shared = {name for name, count in owners.items() if count > 1}
    return tuple(_qualified(document, shared) for document in documents)


def _qualified(document: Document, shared: set[str]) -> Document:
    names = {one.id: whole(f"{document.path}:{one.id}") for one in document.requirements if one.id in shared}
    if not names:
        return document
    requirements = tuple(one.model_copy(update={"id": names.get(one.id, one.id)}) for one in document.requirements)
    passages = {names.get(name, name): passage for name, passage in document.passages.items()}
    return replace(document, requirements=requirements, passages=passages)


def _names(entries: Sequence[Entry]) -> list[str]:
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


def _where(place: Place) -> str:
    if place.line is not None:
        return f", line {place.line}"
    return f", cell {place.cell}" if place.cell is not None else ""
