"""What tells a requirement from the text around it: ids, labels, names of chapters, and words that oblige."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from veracity.language.units import unit_after
from veracity.requirements.contracts import Kind, Lang
from veracity.requirements.reading.document import Piece, RequirementEntry, SourceText, Span, TextPassage
from veracity.requirements.rules.quotes import ignored_in
from veracity.yaml_file import packaged

_LOOKED_AT = 2_000
"""Characters of a text that are looked at; a requirement shows itself at its beginning."""
_HEAD = 400


@cache
def known_names(name: str) -> tuple[str, ...]:
    """A list of `names.yaml`, in its order."""
    return tuple(entry.strip() for entry in packaged(Path(__file__).with_name("names.yaml"))[name].split(","))


# --- words that oblige

_BINDING = (
    "muss|muß|müssen|soll|sollen|sollte|sollten|darf|dürfen|hat zu|haben zu|ist zu|sind zu|"
    "shall|must|should|has to|have to|needs to|need to|is required to|are required to|is not allowed to"
)
_WISH = "möchte|möchten|will ich|brauche ich|i want|i need|we want|we need|i would like"
_WEAK = f"kann|können|könnte|könnten|wird|werden|würde|can|cannot|could|may|might|will|would|{_WISH}"
_STATES = re.compile(rf"\b(?:{_BINDING}|{_WEAK})\b", re.IGNORECASE)
_BINDS = re.compile(rf"\b(?:{_BINDING}|{_WISH})\b", re.IGNORECASE)
_SCENARIO = re.compile(r"\s*[*_]{0,2}(?:given|gegeben|angenommen)\b", re.IGNORECASE)
_STEP = re.compile(
    r"[*_]{0,2}(?:given|when|then|and|but|gegeben|angenommen|wenn|dann|und|aber)\b[*_]{0,2}", re.IGNORECASE
)
_ABOUT_TEXT = re.compile(
    r"\b(?:this|these|the following|following|diese[rsnm]?|vorliegende[rsnm]?|folgende[rsnm]?) "
    r"(?:document|section|chapter|specification|requirements?|list|table|page|"
    r"dokument|abschnitt|kapitel|spezifikation|anforderung(?:en)?|liste|tabelle|seite)\b",
    re.IGNORECASE,
)
_QUOTES = ('"', "„", "“", "«", "»", "`")
_QUOTED = re.compile(r"[\"“„][^\"“”„\n]{1,300}[\"“”]|[«»][^«»\n]{1,300}[«»]|`[^`\n]{1,300}`")
_BOLD_LABEL = re.compile(r"(?:\*\*|__)[^*_]{1,80}(?::(?:\*\*|__)|(?:\*\*|__):)")
_STARTS_WITH_OBLIGATION = re.compile(rf"(?:{_BINDING}|{_WEAK})\b", re.IGNORECASE)


def obliges(text: str) -> bool:
    """Whether a text says that something is to be done, or how: it has a modal verb, or is a scenario."""
    text = text[:_LOOKED_AT]
    if not text.startswith(_QUOTES):
        text = _QUOTED.sub("", text)  # what a message or an example says obliges nobody
    label = _BOLD_LABEL.match(text)
    return _STATES.search(text, label.end() if label else 0) is not None or _SCENARIO.match(text) is not None


def binds(text: str) -> bool:
    """Whether a text says what has to be, or what somebody wants; "can" and "wird" are not enough."""
    return _BINDS.search(text[:_LOOKED_AT]) is not None


def speaks_of_itself(text: str) -> bool:
    """Whether a text only says what the document is about: "This chapter will list ..."."""
    return _ABOUT_TEXT.search(text[:_HEAD]) is not None


def begins_scenario(text: str) -> bool:
    """Whether a line is the first step of a scenario."""
    return _SCENARIO.match(text[:_HEAD]) is not None


def is_step(text: str) -> bool:
    """Whether a line is a step, where a scenario has begun."""
    return _STEP.match(text[:_HEAD]) is not None


# --- ids

# Atomic: "REQ-2" is never read as "REQ" and a dash.
_CODE = r"(?>(?=[\w./-]{0,60}\d)[^\W\d_][^\W_]{0,20}(?:[-_./][^\W_]{1,20}){0,6})"
_CAPITALS = r"(?>[A-Z][A-Z0-9]{0,20}(?:[-_][A-Z0-9]{1,30}){1,6})"
_WRAPPED = re.compile(
    rf"(?P<open>[*_`\[(/<]{{1,4}})(?P<id>{_CODE}|{_CAPITALS})\s?:?(?P<close>[*_`\])/>]{{1,4}})"
    r"(?:\([^)\s]{0,200}\))?[ \t]?(?:[:|–—-]|\.(?!\.))?[ \t]*"
)
_TITLED = re.compile(rf"(?P<open>\*\*|__)(?P<id>{_CODE})[ \t]?[:.|–— -][^*_\n]{{1,200}}(?:\*\*|__)[ \t]?[:.–—-]?[ \t]*")
_DIVIDED = re.compile(rf"(?P<open>)(?P<id>{_CODE})[ \t]?(?::|\||\)|[–—-](?=[ \t]))[ \t]+")
_SPACED = re.compile(rf"(?P<open>)(?P<id>{_CODE})[.]?[ \t]+")
_NUMBER = re.compile(r"(?P<open>)(?P<id>(?>\d{1,4}(?:\.\d{1,4}){1,6}))\.?[ \t]+(?=[^\W_]|[\"„“*\[(])")
_ALONE = re.compile(rf"[*_`\[(/<]{{0,4}}(?P<id>{_CODE}|{_CAPITALS})[*_`\])/>:.]{{0,4}}")
_NUMBERS = re.compile(r"\d{1,12}(?:\.\d{1,12}){0,8}\.?")
_PREFIX = re.compile(r"[^\W\d_]+")
_SURELY_NUMBERED = re.compile(r"[-_./]0\d|[-_./][^\W\d_]+[-_./]\d")
_TIMES = re.compile(r"(?:mio|mrd|millionen|million|milliarden|mal|times)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mark:
    """An id at the beginning of a text."""

    id: str
    end: int
    """The offset of the text behind it."""


def find_id(text: str) -> Mark | None:
    """The id that a text begins with: `REQ-1: ...`, `[SYS_12] ...`, `**FR1** ...`, `/LF10/ ...`, `1.2.3 ...`."""
    text = text[:_HEAD]
    for pattern in (_TITLED, _WRAPPED, _DIVIDED, _SPACED, _NUMBER):
        found = pattern.match(text)
        if found is not None and _is_id(pattern, found["open"], found["id"], text[found.end() :]):
            if pattern is _TITLED and not text[found.end() :].strip():
                return Mark(found["id"], found.end("id"))
            return Mark(found["id"], found.end())
    alone = _ALONE.fullmatch(text.strip())
    if alone is not None and not _names_thing(alone["id"]):
        return Mark(alone["id"], len(text))
    return None


def _prefix(code: str) -> str:
    found = _PREFIX.match(code)
    return found.group().casefold() if found else ""


def _names_thing(code: str) -> bool:
    """Whether a code names a thing of the world: H.264, SHA-256; "H-1" is an id."""
    prefix = _prefix(code)
    return prefix in known_names("things") and not (len(prefix) == 1 and code[1:2] == "-")


def _is_id(pattern: re.Pattern[str], opening: str, code: str, rest: str) -> bool:
    if pattern is _NUMBER:
        # "2.5 Sekunden" and "1.5 2.5" are figures; "2.2.2 3 Jahre ..." begins with a number of its own.
        return not _is_counted(rest) and (code.count(".") > 1 or not rest[:1].isdigit())
    # "SHA-256 muss ..." begins with what is spoken of; in brackets it would be an id.
    if _names_thing(code) and "[" not in opening:
        return False
    if pattern is not _SPACED:
        return True
    known = _prefix(code) in known_names("prefixes") or _SURELY_NUMBERED.search(code) is not None
    return known and _STARTS_WITH_OBLIGATION.match(rest) is None


def _is_counted(rest: str) -> bool:
    """Whether a unit follows a number; "1.2 A driver ..." begins with an article."""
    unit = unit_after(rest, 0)
    return (unit is not None and rest[: unit[1]] != "A") or _TIMES.match(rest) is not None


def is_code(text: str) -> bool:
    """Whether a text is nothing but an id or a number, as in a column of ids."""
    text = text.strip()
    return len(text) <= 80 and (_ALONE.fullmatch(text) is not None or _NUMBERS.fullmatch(text) is not None)


# --- labels

Label = Literal["criteria", "statement", "about", "id"]

_CHAPTER_NUMBER = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,5}\.?[ \t]{1,8}")
_EXPLANATION = re.compile(r"[ \t](?=[–—(-])")
_LABELLED = re.compile(r"[*_]{0,2}(?P<label>[^\W\d_][\w -]{0,40}?)[*_]{0,2}[ \t]?:[*_]{0,2}[ \t]*")


@cache
def _labels() -> dict[str, Label]:
    return {name: label for label in get_args(Label) for name in known_names(label)}


def find_label_of_heading(title: str) -> Label | None:
    """The same for a heading, which may have a number before it and an explanation behind it."""
    bare = _CHAPTER_NUMBER.sub("", title[:_HEAD])
    label = _labels().get(_EXPLANATION.split(bare, maxsplit=1)[0].strip("*_:. \t").casefold())
    return None if label == "id" else label


def find_label(text: str) -> tuple[Label, int] | None:
    """What a text that begins with "Rationale:" or "**Akzeptanzkriterien**" is, and where the rest of it begins."""
    text = text[:_HEAD]
    found = _LABELLED.match(text)
    if found is not None:
        label = _labels().get(found["label"].strip().casefold())
        return None if label is None else (label, found.end())
    label = _labels().get(text.strip("*_:. \t").casefold())
    # Without a colon, "Kommentare" may as well be what a requirement is about.
    return (label, len(text)) if label == "criteria" or (label not in (None, "id") and is_bold(text)) else None


# --- chapters

_REQUIREMENTS = re.compile(r"anforderung|requirement|feature|user.?stor|funktion|function", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


def is_other_chapter(title: str) -> bool:
    """Whether a chapter holds no requirements, by its name: a glossary, an introduction, a history."""
    title = title[:_HEAD]
    words = {word.casefold() for word in _WORD.findall(title)}
    return not words.isdisjoint(known_names("other_chapters")) and _REQUIREMENTS.search(title) is None


_BOLD = re.compile(r"(\*\*|__)[^*_]{1,120}\1[:.]?|(?:\*\*|__)[^*_]{1,120}:(?:\*\*|__)")
_LINK = re.compile(r"!?\[[^\]]{0,300}\]\([^)]{0,300}\)[.,;]?|<?https?://\S{1,300}>?")


def is_bold(text: str) -> bool:
    """Whether all of a text is bold, as people write headings where they want none."""
    return len(text) <= _HEAD and _BOLD.fullmatch(text) is not None


def is_link(text: str) -> bool:
    """Whether a text is nothing but a link, as in a table of contents."""
    return len(text) <= 700 and _LINK.fullmatch(text.strip()) is not None


def without_waiver(text: str) -> int:
    """The length of a text without an inline suppression ("<!-- veracity: ignore VAGUE -->") at its end."""
    _, places = ignored_in(text)
    if not places or text[places[-1][1] :].strip():
        return len(text)
    return len(text[: places[-1][0]].rstrip())


# --- a requirement while a text is read: an id, a statement, and what belongs to it further down


@dataclass(frozen=True, slots=True)
class Strand:
    """One line of a requirement's text, put together from the lines of the file that it was wrapped over."""

    spans: tuple[Span, ...]
    prefix: str = ""
    belongs: bool = False
    """Whether it stands below the statement, as a criterion does, and is not part of it."""


@dataclass(slots=True)
class RequirementDraft:
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

    def text(self, source: SourceText) -> str:
        """The text so far."""
        return "\n".join(
            strand.prefix + " ".join(source.text[start:end] for start, end in strand.spans) for strand in self.strands
        )

    def obliges(self, source: SourceText) -> bool:
        """Whether its statement obliges."""
        return bool(self.strands) and obliges(RequirementDraft(strands=self.strands[:1]).text(source))

    @property
    def listed(self) -> bool:
        """Whether anything belongs to it that stands below its statement."""
        return any(strand.belongs for strand in self.strands)

    def belonging(self, spans: tuple[Span, ...], prefix: str = "") -> None:
        """Add what stands below the statement."""
        self.strands.append(Strand(spans, prefix, belongs=bool(self.strands)))
        self.dropped = False

    def entry(self, source: SourceText) -> RequirementEntry:
        """The requirement with its place, and what a new text of it would replace."""
        text, pieces = self.text(source), self._pieces()
        statement = [strand for strand in self.strands if not strand.belongs] or self.strands[:1]
        start, end = statement[0].spans[0][0], statement[-1].spans[-1][1]
        end = start + without_waiver(source.text[start:end])
        rest = "".join(
            f"\n{RequirementDraft(strands=[strand]).text(source)}" for strand in self.strands if strand.belongs
        )
        passage = TextPassage(pieces, (start, end), self.form, self.indent, rest)
        return RequirementEntry(self.id, text, source.place(start), passage, self.kind, self.lang)

    def _pieces(self) -> tuple[Piece, ...]:
        pieces, at = list[Piece](), 0
        for strand in self.strands:
            at += len(strand.prefix)
            for start, end in strand.spans:
                pieces.append(Piece(at, start, end - start))
                at += end - start + 1
        return tuple(pieces)
