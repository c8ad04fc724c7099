"""A file -> its title and its sections: Markdown, text, HTML and the text of PDF.

HTML is read by a parser of our own: that of the standard library takes minutes for a few thousand characters such as `<a <a <a`,
which anyone may put into a file. This one looks at every character once; of broken markup it makes text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Literal

from veracity.errors import SourceError
from veracity.language.folding import listed
from veracity.sources.encoding import detect
from veracity.yaml_file import read_bytes

# --- the markup of HTML


Piece = tuple[Literal["start", "end", "text"], str]

_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9:-]{0,40})")
_STOPS = re.compile("[>\"']")
_RAW = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "textarea")}


def pieces_of(text: str) -> Iterator[Piece]:
    """Tags by their lower-case names, and the text between them; comments, declarations and scripts are left out."""
    at = 0
    while (start := text.find("<", at)) >= 0:
        if start > at:
            yield "text", html.unescape(text[at:start])
        after, piece = _markup(text, start)
        if piece is not None:
            yield piece
        if piece is not None and piece[0] == "start" and piece[1] in _RAW:
            end = _RAW[piece[1]].search(text, after)
            after = end.start() if end else len(text)
        at = after
    if at < len(text):
        yield "text", html.unescape(text[at:])


def _markup(text: str, start: int) -> tuple[int, Piece | None]:
    """Where the markup at this `<` ends, and what it is; a `<` that opens nothing is text."""
    if text.startswith("<!--", start):
        end = text.find("-->", start + 4)
        return (end + 3 if end >= 0 else len(text)), None
    if text.startswith(("<!", "<?"), start):
        end = text.find(">", start)
        return (end + 1 if end >= 0 else len(text)), None
    name = _TAG.match(text, start)
    if name is None:
        return start + 1, ("text", "<")
    end = _end_of_tag(text, name.end())
    if end < 0:
        # No tag can end any more: all that is left is text.
        return len(text), ("text", html.unescape(text[start:]))
    return end, ("end" if text[start + 1] == "/" else "start", name[1].lower())


def _end_of_tag(text: str, at: int) -> int:
    """The place after the `>` of a tag, one in a quoted value left aside; -1 when there is none."""
    while (stop := _STOPS.search(text, at)) is not None:
        if stop[0] == ">":
            return stop.end()
        closing = text.find(stop[0], stop.end())
        if closing < 0:
            # A quote that is never closed is no quote.
            end = text.find(">", stop.end())
            return end + 1 if end >= 0 else -1
        at = closing + 1
    return -1


# --- documents


MOST_BYTES = 20_000_000
"""Files above this size are reported and not read."""
_MOST_PAGES = 5_000
_PDF_SECONDS = 120.0
_TITLE_LENGTH = 200
_PROBE = 8_192


@dataclass(frozen=True, slots=True)
class Section:
    """Text under one heading, or of one page."""

    place: str
    text: str
    """Paragraphs, apart by empty lines."""


@dataclass(frozen=True, slots=True)
class Document:
    """What a file says."""

    title: str
    sections: tuple[Section, ...]


def read_document(path: Path, raw: bytes) -> Document:
    """The document that a file with this name and these bytes is."""
    if not raw.strip():
        raise SourceError("it is empty")
    title, sections = READERS[path.suffix.lower()](path, raw)
    kept = tuple(section for section in sections if section.text.strip())
    if not kept:
        raise SourceError("it holds no text")
    return Document(" ".join((title or path.stem).split())[:_TITLE_LENGTH], kept)


def read_raw(path: Path) -> bytes:
    """The bytes of a file, within the limit."""
    return read_bytes(path, SourceError, most=MOST_BYTES, too_long="split it, or keep it outside the folder")


Read = tuple[str, list[Section]]


def _decode(path: Path, raw: bytes) -> str:
    """The text of a file: UTF-8, or the encoding that its mark or its words prove."""
    if b"\0" in raw[:_PROBE] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError("it is not text: it holds binary data")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return raw.decode(detect(path).codec)
    except (SourceError, UnicodeError):
        raise SourceError("its encoding cannot be told; save it as UTF-8") from None


# --- text and Markdown


def _read_text(path: Path, raw: bytes) -> Read:
    return "", [Section("", _decode(path, raw))]


_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}(?:\s+\"[^\"\n]{0,500}\")?\)")
_MARKS = re.compile(r"\*\*|__|`")


def _read_markdown(path: Path, raw: bytes) -> Read:
    lines = _decode(path, raw).splitlines()
    title, lines = _front_matter(lines)
    headings: list[tuple[int, str]] = []
    sections: list[Section] = []
    held: list[str] = []
    for level, line in _headed(lines):
        if level is None:
            held.append(line)
            continue
        sections.append(_section(headings, held))
        held = []
        headings = [*[known for known in headings if known[0] < level], (level, line)]
        title = title or (line if level == 1 else "")
    sections.append(_section(headings, held))
    return title, [Section(_below_title(section.place, title), section.text) for section in sections]


def _front_matter(lines: list[str]) -> tuple[str, list[str]]:
    """The title in the block between `---` at the very top, and the lines below it."""
    if not lines or lines[0].strip() != "---":
        return "", lines
    end = next((at for at, line in enumerate(lines[1:200], 1) if line.strip() in ("---", "...")), None)
    if end is None:
        return "", lines
    named = (line.partition(":")[2] for line in lines[1:end] if line.lower().startswith("title:"))
    return next(named, "").strip().strip("\"'"), lines[end + 1 :]


def declared_collections(path: Path, raw: bytes) -> tuple[str, ...]:
    """What a Markdown file says on top about its collections: `collection: hr` or `collections: [hr, legal]`."""
    if READERS[path.suffix.lower()] is not _read_markdown:
        return ()
    head = raw[:_PROBE].decode("utf-8-sig", "replace").splitlines()
    if not head or head[0].strip() != "---":
        return ()
    end = next((at for at, line in enumerate(head[1:], 1) if line.strip() in ("---", "...")), 0)
    named = [line.partition(":") for line in head[1:end]]
    said = ",".join(value for key, _, value in named if key.strip().lower() in ("collection", "collections"))
    return tuple(name for part in said.strip().strip("[]").split(",") if (name := part.strip().strip("\"'[]")))


def _headed(lines: list[str]) -> Iterator[tuple[int | None, str]]:
    """Every line with its level as a heading; None for ordinary text. A line of `===` or `---` marks the one above."""
    fence = ""
    skip = False
    for line, below in pairwise([*lines, ""]):
        if skip:
            skip = False
            continue
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        if fence or mark in ("```", "~~~"):
            yield None, line
            continue
        level = _level(line)
        underlined = _underlined(line, below)
        skip = underlined is not None and level is None
        yield (
            level or underlined,
            _without_marks(line.strip().strip("#")) if level or underlined else _without_marks(line),
        )


def _level(line: str) -> int | None:
    text = line.lstrip(" ")
    marks = len(text) - len(text.lstrip("#"))
    indented = len(line) - len(text) > 3
    return marks if 1 <= marks <= 6 and text[marks : marks + 1] in (" ", "\t") and not indented else None


def _underlined(line: str, below: str) -> int | None:
    bare = below.strip()
    if not line.strip() or len(bare) < 3 or line.lstrip().startswith(("-", "|", ">", "*")):
        return None
    return 1 if not bare.strip("=") else 2 if not bare.strip("-") else None


def _without_marks(line: str) -> str:
    """The line without its marks: what a link says, not where it leads."""
    return _MARKS.sub("", _LINK.sub(r"\1", line)).strip() if not line.startswith(("    ", "\t")) else line.rstrip()


def _section(headings: list[tuple[int, str]], lines: list[str]) -> Section:
    return Section(" > ".join(text for _, text in headings), "\n".join(lines))


def _below_title(place: str, title: str) -> str:
    """The headings below the title, which need not be said twice."""
    return "" if place == title else place.removeprefix(f"{title} > ")


# --- HTML

_CHARSET = re.compile(rb"charset\s{0,9}=\s{0,9}[\"']?([\w-]{2,40})", re.IGNORECASE)
_UNSEEN = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object", "canvas"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = listed(
    "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html li "
    "main nav ol p pre section summary table tbody td tfoot th thead tr ul br"
)


def _read_html(path: Path, raw: bytes) -> Read:
    page = _HtmlPage()
    try:
        for kind, said in pieces_of(_html_text(path, raw)):
            page.take[kind](said)
    except ValueError:
        # A character by a number of thousands of digits.
        raise SourceError("it is no HTML that can be read") from None
    page.end_section()
    title = " ".join("".join(page.title).split())
    return title, [Section(_below_title(section.place, title), section.text) for section in page.sections]


def _html_text(path: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        declared = _CHARSET.search(raw[:4_096])
    try:
        return raw.decode(declared[1].decode("ascii", "ignore")) if declared else _decode(path, raw)
    except (LookupError, UnicodeError, ValueError):
        return _decode(path, raw)


class _HtmlPage:
    """Collects the sections of a page: what can be seen of it, under its headings."""

    def __init__(self) -> None:
        self.take = {"start": self._start, "end": self._end, "text": self._data}
        self.title: list[str] = []
        self.sections: list[Section] = []
        self._headings: list[tuple[int, str]] = []
        self._text: list[str] = []
        self._heading: list[str] | None = None
        self._in_title = False
        self._unseen: list[str] = []

    def _start(self, tag: str) -> None:
        if tag == "title":
            self._in_title = True
        elif tag == "body":
            # A head that was never closed must not hide the page.
            self._unseen.clear()
        elif tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag in _HEADINGS and not self._unseen:
            self.end_section()
            self._heading = []
        elif tag in _BLOCKS:
            self._text.append("\n\n")

    def _end(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in _UNSEEN and tag in self._unseen:
            while self._unseen.pop() != tag:
                pass
        elif tag in _HEADINGS and self._heading is not None:
            said = " ".join("".join(self._heading).split())
            self._heading = None
            level = _HEADINGS[tag]
            if said:
                self._headings = [*[known for known in self._headings if known[0] < level], (level, said)]
                if level == 1 and not self.title:
                    self.title.append(said)
        elif tag in _BLOCKS:
            self._text.append("\n\n")

    def _data(self, data: str) -> None:
        if self._in_title:
            if len(self.title) < 100:
                self.title.append(data)
        elif self._heading is not None:
            self._heading.append(data)
        elif not self._unseen:
            self._text.append(data)

    def end_section(self) -> None:
        """What was read since the last heading is a section."""
        if self._heading is not None:
            # A heading that was never closed is text.
            self._text.append("".join(self._heading))
            self._heading = None
        paragraphs = (" ".join(part.split()) for part in "".join(self._text).split("\n\n"))
        text = "\n\n".join(part for part in paragraphs if part)
        self._text = []
        if text:
            self.sections.append(_section(self._headings, [text]))


# --- PDF


def _read_pdf(path: Path, raw: bytes) -> Read:  # noqa: ARG001
    import io
    import logging

    from pypdf import PdfReader

    # What it makes of a broken file is reported by us, once.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    logging.getLogger("pypdf").propagate = False
    try:
        reader = PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise SourceError("it is protected by a password")
        title = str((reader.metadata.title if reader.metadata else "") or "")
        sections = list(_pdf_pages(reader))
    except SourceError:
        raise
    except Exception as error:  # noqa: BLE001
        # A broken PDF makes the library raise almost anything, from KeyError to RecursionError.
        raise SourceError(f"it is no PDF that can be read ({type(error).__name__})") from None
    if not any(section.text.strip() for section in sections):
        raise SourceError("it holds no text, only pictures; recognise its text first")
    return title, sections


def _pdf_pages(reader: object) -> Iterator[Section]:
    until = monotonic() + _PDF_SECONDS
    for number, page in enumerate(reader.pages, 1):  # type: ignore[attr-defined]
        if number > _MOST_PAGES:
            raise SourceError(f"it has more than {_MOST_PAGES:,} pages")
        if monotonic() > until:
            raise SourceError(f"reading it took longer than {_PDF_SECONDS:.0f} seconds")
        yield Section(f"page {number}", page.extract_text() or "")


READERS: dict[str, Callable[[Path, bytes], Read]] = {
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".txt": _read_text,
    ".text": _read_text,
    ".html": _read_html,
    ".htm": _read_html,
    ".xhtml": _read_html,
    ".pdf": _read_pdf,
}
"""By the end of a file's name; other files are not looked at."""
