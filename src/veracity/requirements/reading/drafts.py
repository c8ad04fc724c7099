"""A requirement while a text is read: an id, a statement, and what belongs to it further down."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from veracity.requirements.contracts import Kind, Lang
from veracity.requirements.reading.document import Entry, Passage, Piece, Span
from veracity.requirements.reading.marks import states, without_waiver
from veracity.requirements.reading.source import Source


@dataclass(frozen=True, slots=True)
class Strand:
    """One line of a requirement's text, put together from the lines of the file that it was wrapped over."""

    spans: tuple[Span, ...]
    prefix: str = ""
    belongs: bool = False
    """Whether it stands below the statement, as a criterion does, and is not part of it."""


@dataclass(slots=True)
class Draft:
    """What becomes an entry."""

    id: str | None = None
    strands: list[Strand] = field(default_factory=list)
    form: Literal["lines", "heading", "row"] = "lines"
    indent: str = ""
    kind: Kind | None = None
    lang: Lang | None = None
    marked: bool = True
    """Whether an id, a bullet or a modal verb shows that it is a requirement; a bare paragraph is not marked."""
    parts: int = 0
    """How many requirements without an id stand below it as a list."""
    dropped: bool = False
    """Whether it turned out to be only the heading of others."""

    def text(self, source: Source) -> str:
        """The text so far."""
        return "\n".join(
            strand.prefix + " ".join(source.text[start:end] for start, end in strand.spans) for strand in self.strands
        )

    def states(self, source: Source) -> bool:
        """Whether its statement obliges."""
        return bool(self.strands) and states(Draft(strands=self.strands[:1]).text(source))

    @property
    def listed(self) -> bool:
        """Whether anything belongs to it that stands below its statement."""
        return any(strand.belongs for strand in self.strands)

    def belonging(self, spans: tuple[Span, ...], prefix: str = "") -> None:
        """Add what stands below the statement."""
        self.strands.append(Strand(spans, prefix, belongs=bool(self.strands)))
        self.dropped = False

    def entry(self, source: Source) -> Entry:
        """The requirement with its place, and what a new text of it would replace."""
        text, pieces = self.text(source), self._pieces()
        statement = [strand for strand in self.strands if not strand.belongs] or self.strands[:1]
        start, end = statement[0].spans[0][0], statement[-1].spans[-1][1]
        end = start + without_waiver(source.text[start:end])
        rest = "".join(f"\n{Draft(strands=[strand]).text(source)}" for strand in self.strands if strand.belongs)
        passage = Passage(pieces, (start, end), self.form, self.indent, rest)
        return Entry(self.id, text, source.place(start), passage, self.kind, self.lang)

    def _pieces(self) -> tuple[Piece, ...]:
        pieces, at = list[Piece](), 0
        for strand in self.strands:
            at += len(strand.prefix)
            for start, end in strand.spans:
                pieces.append(Piece(at, start, end - start))
                at += end - start + 1
        return tuple(pieces)
