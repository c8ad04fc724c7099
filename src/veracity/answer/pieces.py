"""The pieces of an answer: its sentences and lines, the figures, names and claims in them, and the words that are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from pathlib import Path

from veracity.answer.render import FigureProvenance
from veracity.answer.syntax import Binary, Function, Node
from veracity.language.sentences import sentences
from veracity.question.mentions import Meaning
from veracity.yaml_file import packaged

_CLAUSE = re.compile(r"[,;:，；：、](?=\D|$)|\s[-–]\s|(?<=\S)\s(?:and|und|sowie)\s|和(?=\S)")
_ITEM = re.compile(r"\s*(?:[-*•]\s|\d{1,2}[.)]\s|\|)")


@dataclass(frozen=True)
class ToldFigure:
    """A figure of the answer, with what it is of."""

    start: int
    end: int
    figure: FigureProvenance
    value: Decimal | None
    node: Node | None
    cells: frozenset[tuple[str, int, str]]
    """Result, row and column of every cell behind it; the row is -1 where the rows were counted."""
    fields: frozenset[str]
    """The fields that its columns come from."""
    counts: bool
    """Whether it is a number of things."""
    aggregates: frozenset[str | None]
    listed: bool
    """Written by `rows(...)`: one of a line that the program made."""

    @property
    def results(self) -> frozenset[str]:
        return frozenset(name for name, _row, _column in self.cells)

    @property
    def rows(self) -> frozenset[tuple[str, int]]:
        return frozenset((name, row) for name, row, _column in self.cells)

    @property
    def single(self) -> bool:
        """Whether it is one cell as it stands."""
        return len(self.cells) == 1 and not isinstance(self.node, Binary | Function)

    @property
    def function(self) -> str:
        """`sum`, `percent`, ... or the sign of a reckoning."""
        return self.node.name if isinstance(self.node, Function) else self.node.op if isinstance(self.node, Binary) else ""  # fmt: skip


@dataclass(frozen=True)
class NamedThing:
    """Something that is named beside figures: a period, a column, a value, a row."""

    start: int
    end: int
    text: str
    kind: str
    """Names of one kind stand for each other: `period`, `column`, `which`, `thing`."""
    meanings: tuple[Meaning, ...] = ()
    row: tuple[str, int] | None = None
    """The row whose cell it is, where the answer cites a name."""
    found: tuple[str, str] | None = None
    """Column and value, where the text of a cell is said."""


@dataclass(frozen=True)
class ClaimWord:
    """A word that claims something."""

    start: int
    end: int
    text: str
    role: str


@dataclass
class TextPiece:
    """A sentence or a line."""

    start: int
    end: int
    text: str
    figures: list[ToldFigure] = field(default_factory=list)
    names: list[NamedThing] = field(default_factory=list)
    words: list[ClaimWord] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    below: list[ToldFigure] = field(default_factory=list)
    """The figures of the lines below, where it is a heading."""
    header: tuple[tuple[NamedThing, ...], ...] = ()
    """Of a row of a table: what the columns are called."""

    @property
    def own(self) -> list[ToldFigure]:
        """The figures that the model put into it, but names."""
        return [one for one in self.figures if one.value is not None and not one.listed]

    def said(self, *roles: str) -> list[ClaimWord]:
        return [word for word in self.words if word.role in roles]

    def clause(self, start: int, end: int) -> tuple[int, int]:
        """Where the clause begins and ends that a place is in."""
        cuts = [match.end() for match in _CLAUSE.finditer(self.text)]
        first = max((cut for cut in cuts if cut <= start - self.start), default=0)
        last = min((cut for cut in cuts if cut >= end - self.start), default=len(self.text))
        return self.start + first, self.start + last

    def in_clause(self, word: ClaimWord | NamedThing | ToldFigure) -> list[ToldFigure]:
        """The figures of the clause of a word."""
        first, last = self.clause(word.start, word.end)
        return [one for one in self.own if first <= one.start and one.end <= last]

    def segment(self, word: ClaimWord) -> list[ToldFigure]:
        """The figures between the semicolons around a word."""
        cuts = [match.end() + self.start for match in re.finditer(r"[;；]", self.text)]
        first = max((cut for cut in cuts if cut <= word.start), default=self.start)
        last = min((cut for cut in cuts if cut >= word.end), default=self.end)
        return [one for one in self.own if first <= one.start and one.end <= last]

    def nearest(self, word: ClaimWord) -> list[ToldFigure]:
        """The figures that a word is about: of its clause, else the next one, else the one before."""
        near = self.in_clause(word)
        after = [one for one in self.own if one.start >= word.end][:1]
        before = [one for one in self.own if one.end <= word.start][-1:]
        return near or after or before


# --- pieces of a text


def blanked(text: str, told: Sequence[ToldFigure]) -> str:
    """The text with what was computed blanked out, at the same places."""
    signs = list(text)
    for one in told:
        signs[one.start : one.end] = "\x00" * (one.end - one.start)
    return "".join(signs)


def pieces_of(text: str) -> Iterator[TextPiece]:
    """Lines, and the sentences of a line."""
    place = 0
    for line in text.split("\n"):
        if _ITEM.match(line):
            yield TextPiece(place, place + len(line), line)
        elif line.strip():
            begin = 0
            for _first, last in sentences(line):
                if line[begin:last].rstrip().endswith("；") and last < len(line):
                    continue
                if line[begin:last].strip():
                    yield TextPiece(place + begin, place + last, line[begin:last])
                begin = last
        place += len(line) + 1


def set_headings(pieces: list[TextPiece]) -> None:
    """A line without figures stands above those that follow it; the first row of a table names its columns."""
    heading: TextPiece | None = None
    header: tuple[tuple[NamedThing, ...], ...] = ()
    for piece in pieces:
        if piece.text.lstrip().startswith("|"):
            if not piece.figures and not header and piece.names:
                header = tuple(
                    tuple(n for n in piece.names if first <= n.start < last) for first, last in _cells(piece)
                )
            piece.header = header
        else:
            header = ()
        if not piece.figures and (piece.names or piece.words or piece.unknown):
            heading = piece
        elif heading is not None:
            heading.below += piece.figures
    for piece in pieces:
        if piece.header and not piece.figures:
            piece.names = []


def _cells(piece: TextPiece) -> list[tuple[int, int]]:
    bars = [match.start() + piece.start for match in re.finditer(r"\|", piece.text)]
    return list(zip(bars, [*bars, piece.end][1:], strict=True))


def column_of(piece: TextPiece, told: ToldFigure) -> tuple[NamedThing, ...]:
    """What the column of a table is called that a figure stands in."""
    for place, (first, last) in enumerate(_cells(piece)):
        if first <= told.start < last and place < len(piece.header):
            return piece.header[place]
    return ()


def numbered(piece: TextPiece) -> bool:
    """Whether it is an item of a numbered list."""
    return bool(piece.figures) and re.match(r"\s*\d{1,2}[.)]\s", piece.text) is not None


# --- the words that are known


@dataclass(frozen=True)
class ClaimVocabulary:
    """The words of `wording.yaml` in one language."""

    pattern: re.Pattern[str]
    roles: Mapping[str, str]

    def words_in(self, text: str, offset: int) -> Iterator[ClaimWord]:
        """The known words of a text, the longest first."""
        for match in self.pattern.finditer(text):
            role = next(name for name, group in match.groupdict().items() if group is not None)
            yield ClaimWord(offset + match.start(), offset + match.end(), match[0], self.roles[role])


@cache
def vocabulary(lang: str) -> ClaimVocabulary:
    table = packaged(Path(__file__).with_name("wording.yaml"))
    listed = table.get(lang, table["en"])
    phrases = [(phrase.strip(), role) for role, text in listed.items() for phrase in text.replace("\n", " ").split(",")]
    phrases = sorted(dict(reversed(phrases)).items(), key=lambda one: -len(one[0].rstrip("*")))
    roles: dict[str, str] = {}
    parts = []
    for number, (phrase, role) in enumerate(phrases):
        roles[f"w{number}"] = role
        body = re.escape(phrase).replace(r"\*", r"\w{0,3}").replace(r"\ ", r"\s+")
        parts.append(f"(?P<w{number}>{body})" if lang == "zh" else rf"(?P<w{number}>(?<!\w)(?:{body})(?!\w))")
    return ClaimVocabulary(re.compile("|".join(parts), re.IGNORECASE), roles)
