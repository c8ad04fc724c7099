"""Plain text and Markdown as blocks: headings, list items, paragraphs, tables and fenced text, each with its offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from veracity.requirements.reading.document import SourceLine, SourceText, Span
from veracity.requirements.reading.marks import obliges

BlockKind = Literal["heading", "item", "paragraph", "table", "fence"]

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_FENCE = re.compile(r"[ \t]{0,12}(`{3,20}|~{3,20})[ \t]{0,8}(\w{0,40})")
_ITEM = re.compile(
    r"([ \t]{0,60})(?:[-*+•‣▪◦●–]|\d{1,6}[.)]|\(\d{1,6}\)|[a-z]\))[ \t]{1,12}(?:\[[ xX]\][ \t]{1,12})?(?=\S)"
)
_TAGS = re.compile(r"(?:</?[A-Za-z][^<>]*>[ \t]*)+|<(summary|caption|center)>[^<>]*</\1>")
_QUOTE = re.compile(r"[ \t]{0,12}>[> \t]{0,12}")
_CHAPTER = re.compile(r"[ \t]{0,12}(\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t]{1,12}(?=[^\W\d_])")
_LONGEST_TITLE = 8
_RULE_CHARACTERS = frozenset("-*_= \t")


@dataclass(slots=True)
class Block:
    """Some lines that belong together; each span is one line's content, without marker, indent and trailing blanks."""

    kind: BlockKind
    spans: list[Span] = field(default_factory=list)
    depth: int = 0
    """The level of a heading; the columns before the marker of an item."""
    indent: str = ""
    """What a further line of the block begins with."""
    breaks: set[int] = field(default_factory=set)
    """The spans that a blank line stands before."""
    gap: bool = True
    """Whether a blank line stands before it."""
    language: str = ""
    start: int = 0
    """The offset of its first line, marker included."""


class Scanner:
    """Reads line by line; `kinds` are tried in order, and the first that takes a line has it."""

    def __init__(self, kinds: Sequence[Callable[[Scanner, SourceLine], bool]]) -> None:
        self.kinds = kinds
        self.blocks: list[Block] = []
        self.blank = True
        self.until: Callable[[str], bool] | None = None
        """Ends what swallows every line: fenced text, a comment, the head of a file."""

    def read(self, source: SourceText) -> list[Block]:
        """Every block of a text."""
        lines = source.lines()
        for line in lines[_front_matter(lines) :]:
            if self.until is not None:
                self._swallow(line)
            elif not line.text.replace(">", " ").strip():
                self.blank = True  # a lone ">" goes on with a quotation, and divides its paragraphs
            else:
                any(kind(self, line) for kind in self.kinds)
                self.blank = False
        return [block for block in self.blocks if block.spans or block.kind == "fence"]

    def _swallow(self, line: SourceLine) -> None:
        if self.until is not None and self.until(line.text):
            self.until = None
        elif self.last is not None and self.last.kind == "fence" and line.text.strip():
            self.last.spans.append(_content_span(line, 0))

    @property
    def last(self) -> Block | None:
        """The block that a line may still belong to."""
        return self.blocks[-1] if self.blocks else None

    def add(self, kind: BlockKind, line: SourceLine, at: int, *, depth: int = 0, indent: str = "") -> Block:
        """Begin a block with the content of a line from `at` on."""
        block = Block(kind, [_content_span(line, at)], depth, indent, gap=self.blank, start=line.start)
        self.blocks.append(block)
        return block


def _content_span(line: SourceLine, at: int) -> Span:
    text = line.text[at:]
    start = line.start + at + len(text) - len(text.lstrip())
    return start, max(start, line.start + len(line.text.rstrip()))


def _front_matter(lines: Sequence[SourceLine]) -> int:
    """How many lines at the beginning are metadata between `---`."""
    if not lines or lines[0].text.rstrip() != "---":
        return 0
    end = next((n for n, line in enumerate(lines[1:200], 1) if line.text.rstrip() in ("---", "...")), None)
    return 0 if end is None else end + 1


def _width_of_blanks(blanks: str) -> int:
    return sum(4 if blank == "\t" else 1 for blank in blanks)


# --- kinds of lines, in the order in which they are tried


def _take_fence(scanner: Scanner, line: SourceLine) -> bool:
    found = _FENCE.match(line.text)
    if found is None:
        return False
    fence = found[1]
    block = scanner.add("fence", line, len(line.text))
    block.spans.clear()
    block.language = found[2].casefold()
    scanner.until = lambda text: text.strip().startswith(fence) and not text.strip().strip(fence[0])
    return True


def _take_comment(scanner: Scanner, line: SourceLine) -> bool:
    """A comment of Markdown; one that waives a rule stays with the line before it."""
    text = line.text.strip()
    if not text.startswith("<!--"):
        return False
    if "-->" not in text:
        scanner.until = lambda text: "-->" in text
        return True
    if not text.endswith("-->") or text.index("-->") != len(text) - 3:
        return False
    last = scanner.last
    if "veracity:" in text and not scanner.blank and last is not None and last.kind in ("item", "paragraph"):
        last.spans.append(_content_span(line, 0))
    return True


def _take_tags(_: Scanner, line: SourceLine) -> bool:
    """A line of nothing but HTML tags."""
    text = line.text.strip()
    return text.startswith("<") and len(text) < 1_000 and _TAGS.fullmatch(text) is not None


def _take_comment_of_text(_: Scanner, line: SourceLine) -> bool:
    text = line.text.lstrip()
    return text.startswith("//") or (text.startswith("#") and not text[1:2].isdigit())


def _take_heading(scanner: Scanner, line: SourceLine) -> bool:
    found = _HEADING.match(line.text)
    if found is None:
        return False
    block = scanner.add("heading", line, found.end(), depth=len(found[1]))
    start, end = block.spans[0]
    text = line.text[start - line.start : end - line.start]
    if text.endswith("#") and (bare := text.rstrip("#")).endswith((" ", "\t")):
        block.spans[0] = (start, start + len(bare.rstrip()))
    return True


def _take_underline(scanner: Scanner, line: SourceLine) -> bool:
    """A row of `===` or `---` below a line makes it a heading; anywhere else it only divides."""
    text = line.text.strip()
    if len(text) < 3 or not set(text) <= _RULE_CHARACTERS or len(set(text) - {" ", "\t"}) != 1:
        return False
    last = scanner.last
    if last is not None and last.kind == "paragraph" and not scanner.blank and len(last.spans) == 1 and text[0] in "=-":
        last.kind, last.depth = "heading", 1 if text[0] == "=" else 2
    return True


def _take_table_row(scanner: Scanner, line: SourceLine) -> bool:
    text, last = line.text.strip(), scanner.last
    if "|" not in text or last is None or scanner.blank:
        return False
    if last.kind == "table":
        last.spans.append(_content_span(line, 0))
        return True
    if last.kind != "paragraph" or not set(text) <= set("|:- \t") or "-" not in text:
        return False
    head = last.spans.pop()
    scanner.blocks.append(Block("table", [head, _content_span(line, 0)], start=head[0]))
    return True


def _take_item(scanner: Scanner, line: SourceLine) -> bool:
    found = _ITEM.match(line.text)
    if found is None:
        return False
    indent = "".join("\t" if char == "\t" else " " for char in found.group())
    scanner.add("item", line, found.end(), depth=_width_of_blanks(found[1]), indent=indent)
    return True


def _take_quote(scanner: Scanner, line: SourceLine) -> bool:
    found = _QUOTE.match(line.text)
    if found is None:
        return False
    last = scanner.last
    if last is not None and last.kind == "paragraph" and last.indent and not scanner.blank:
        last.spans.append(_content_span(line, found.end()))
    else:
        scanner.add("paragraph", line, found.end(), indent=found.group())
    return True


def _take_text(scanner: Scanner, line: SourceLine) -> bool:
    """Everything else: it goes on with what stands before, or begins a paragraph."""
    last = scanner.last
    blanks = line.text[: len(line.text) - len(line.text.lstrip())]
    inside = last is not None and last.kind == "item" and _width_of_blanks(blanks) >= last.depth + 2
    if last is not None and (inside or (not scanner.blank and last.kind in ("paragraph", "item"))):
        if scanner.blank:
            last.breaks.add(len(last.spans))
        last.spans.append(_content_span(line, 0))
    else:
        scanner.add("paragraph", line, 0)
    return True


_MARKDOWN = (
    _take_fence,
    _take_comment,
    _take_tags,
    _take_heading,
    _take_underline,
    _take_table_row,
    _take_item,
    _take_quote,
    _take_text,
)
_PLAIN = (_take_comment_of_text, _take_underline, _take_item, _take_text)


def markdown_blocks(source: SourceText) -> list[Block]:
    """The blocks of a Markdown text."""
    return Scanner(_MARKDOWN).read(source)


def plain_blocks(source: SourceText) -> list[Block]:
    """The blocks of a plain text; a numbered line that stands alone over other text is a heading."""
    blocks = Scanner(_PLAIN).read(source)
    chapters = [_chapter_depth(source, block, blocks[n + 1 : n + 2]) for n, block in enumerate(blocks)]
    for n, (block, chapter) in enumerate(zip(blocks, chapters, strict=True)):
        below = chapters[n + 1] if n + 1 < len(chapters) else 0
        if chapter and n + 1 < len(blocks) and (below == 0 or below > chapter):
            block.kind, block.depth = "heading", chapter
    return blocks


def _chapter_depth(source: SourceText, block: Block, below: Sequence[Block]) -> int:
    """How deep the number of a line is that could be a chapter's title; 0 for everything else."""
    alone = block.gap and len(block.spans) == 1 and (not below or below[0].gap)
    text = source.text[block.start : block.spans[0][1]]
    found = _CHAPTER.match(text[:200]) if alone else None
    if found is None or text.endswith((".", ";", ",", "!", "?")) or obliges(text):
        return 0
    title = text[found.end() :].split()
    return found[1].count(".") + 1 if len(title) <= _LONGEST_TITLE else 0
