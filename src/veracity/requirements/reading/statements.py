"""Plain text and Markdown: which lines are one text that was only wrapped, and which blocks are requirements."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from veracity.requirements.reading.blocks import Block, markdown_blocks, plain_blocks
from veracity.requirements.reading.document import FoundRequirement, SourceText, Span, read_source
from veracity.requirements.reading.marks import (
    Label,
    Mark,
    RequirementDraft,
    Strand,
    begins_scenario,
    find_id,
    find_label,
    find_label_of_heading,
    is_bold,
    is_link,
    is_other_chapter,
    is_step,
    obliges,
    speaks_of_itself,
)
from veracity.requirements.reading.tables import RequirementColumns, find_columns, rows_of_markdown

_NARROWEST = 55
"""Nobody wraps lines that are shorter."""
_MOSTLY = 0.8
_ENDS = (".", "!", "?", ";", ":", ".)", '."', ".“", "?)", "!)")


def texts_of(text: str, spans: Sequence[Span]) -> list[list[Span]]:
    """The lines of a paragraph, put together where one goes on in the next.

    A line goes on when the next is indented deeper or begins in lower case, when it has an id and no end, or when all
    lines are about as long as they may get and were broken because the next word did not fit. A line with an id or a
    label is a text of its own.
    """
    if len(spans) == 1:
        return [list(spans)]
    lines = [text[start:end] for start, end in spans]
    grouped, named = [[spans[0]]], find_id(lines[0]) is not None
    for number, wrapped in enumerate(_wrapped(lines), 1):
        span, above = spans[number], lines[number - 1]
        anew, own = _begins_anew(lines[number])
        deeper = _column(text, span[0]) > _column(text, grouped[-1][0][0])
        if not anew and (wrapped or deeper or (named and not above.endswith(_ENDS))):
            grouped[-1].append(span)
        else:
            grouped.append([span])
            named = own
    return grouped


def _wrapped(lines: Sequence[str]) -> list[bool]:
    """Of every line but the first: whether it looks like the rest of the one before."""
    pairs = list(pairwise(lines))
    width = max(map(len, lines))
    forced = [len(above) + 1 + len(below.split(maxsplit=1)[0]) > width for above, below in pairs]
    full = width >= _NARROWEST and sum(forced) >= _MOSTLY * len(forced) and not all(map(obliges, lines))
    # Texts of a line each either all end in a full stop or none does.
    open_ended = any(not above.endswith(_ENDS) for above, _ in pairs)
    prose = full and open_ended and (lines[-1].endswith(_ENDS) or len(pairs) > 1)
    # Where the first line begins in lower case, case tells nothing.
    cased = not lines[0][0].islower()
    return [(cased and below[0].islower()) or (prose and cut) for (_, below), cut in zip(pairs, forced, strict=True)]


def _column(text: str, offset: int) -> int:
    return offset - max(text.rfind("\n", 0, offset), text.rfind("\r", max(0, offset - 500), offset))


def _begins_anew(line: str) -> tuple[bool, bool]:
    """Whether a line begins a text, and whether it does so with an id."""
    named = find_id(line) is not None
    return named or find_label(line) is not None, named


# --- which blocks of a text are requirements, and which only stand around them


_BOLD_LEVEL = 7
"""A bold line is a heading below all others."""
_SCENARIOS = ("gherkin", "cucumber", "feature")


@dataclass(slots=True)
class _Owner:
    """An item or a heading that others may belong to."""

    depth: int
    draft: RequirementDraft


@dataclass(slots=True)
class _Mode:
    """What the lines below a label are, and how long it holds."""

    kind: Label = "statement"
    depth: int = -1
    """The depth of the item that the label is; an item that is not deeper ends it."""
    holds: bool = False
    """Whether only the next heading ends it; otherwise one paragraph or one list does."""
    over: bool = False
    """Whether the next paragraph ends it."""


class Statements:
    """Goes through the blocks of a text once, from top to bottom."""

    def __init__(self, source: SourceText, column: str | None = None) -> None:
        self.source = source
        self.column = column
        self.drafts: list[RequirementDraft] = []
        self.last: RequirementDraft | None = None
        """The requirement that criteria belong to."""
        self.headings: list[_Owner] = []
        """The headings with ids that are being read, outermost first."""
        self.below: RequirementDraft | None = None
        """The requirement whose id stood in a heading or line of its own, while its text is being read."""
        self.items: list[_Owner] = []
        self.level = self.last_level = 0
        """The level of the heading that is being read, and of the one that `last` stands under."""
        self.other: int | None = None
        """The level of the chapter without requirements that is being read."""
        self.mode = _Mode()
        self.pending: str | None = None
        """The id of a requirement whose text comes in another line."""

    def read(self, blocks: Sequence[Block]) -> tuple[list[RequirementDraft], bool]:
        """The requirements of all blocks, and whether any of them looks like one."""
        for block in blocks:
            self._next(block)
            match block.kind:
                case "heading":
                    self._heading(block)
                case "item":
                    self._item(block)
                case "table":
                    self._table(block)
                case "fence":
                    self._fence(block)
                case "paragraph":
                    self._paragraph(block)
        structured = any(block.kind in ("heading", "item", "table") for block in blocks)
        return self._chosen([draft for draft in self.drafts if draft.strands and not draft.dropped], structured)

    def _chosen(self, drafts: list[RequirementDraft], structured: bool) -> tuple[list[RequirementDraft], bool]:
        """Without headings, lists and ids every paragraph counts; with ids, an item without one has to oblige."""
        named = any(draft.id and not draft.id[0].isdigit() for draft in drafts)
        kept = [draft for draft in drafts if draft.marked and (not named or draft.id or draft.obliges(self.source))]
        return (kept if kept and (structured or named) else drafts), bool(kept)

    def _next(self, block: Block) -> None:
        """Leave what a block cannot belong to any more."""
        listed = block.kind in ("item", "fence")
        if not listed:
            self.items.clear()
        if self.mode.over and not listed and not self.mode.holds:
            self.mode = _Mode()
        self.mode.over |= listed

    def _of(self, span: Span) -> str:
        return self.source.text[span[0] : span[1]]

    def _add(self, draft: RequirementDraft) -> RequirementDraft:
        draft.id, self.pending = draft.id or self.pending, None
        for owner in self.headings:
            # A heading over others that does not oblige itself was only the name of a chapter.
            own = self.level == owner.depth and (owner.draft.listed or owner.draft.form == "lines")
            owner.draft.dropped |= not own and not owner.draft.obliges(self.source)
        self.drafts.append(draft)
        self.last, self.last_level, self.mode = draft, self.level, _Mode()
        return draft

    # --- headings

    def _heading(self, block: Block) -> None:
        span = block.spans[0]
        title = self._of(span)
        if (label := self._label_of_heading(title, block.depth)) is not None:
            self.mode = _Mode(label, holds=True)
            return
        self.level = self.level if block.depth == _BOLD_LEVEL else block.depth
        if self.other is not None and block.depth <= self.other:
            self.other = None
        while self.headings and self.headings[-1].depth >= block.depth:
            self.headings.pop()
        self.mode, self.below, self.last = _Mode(), None, None
        mark = _id_in_heading(title)
        if mark is not None:
            strands = [Strand(tuple(rest))] if (rest := _behind([span], mark.end)) else []
            self.below = self._add(RequirementDraft(mark.id, strands, "heading", kind="title"))
            self.headings.append(_Owner(block.depth, self.below))
        elif self.other is None and is_other_chapter(title):
            self.other = block.depth
        elif self.other is None and obliges(title) and not title.endswith("?"):
            self._add(RequirementDraft(strands=[Strand((span,))], form="heading"))

    def _label_of_heading(self, title: str, depth: int) -> Label | None:
        """What a heading says about the requirement above it; None when it is a chapter of its own."""
        label = find_label_of_heading(title)
        if label == "criteria" and self.last is not None and depth >= self.last_level:
            return label
        # "Comments" is also something that an application may have; below a heading with an id it is a label.
        return label if self.headings and depth > self.headings[-1].depth else None

    # --- paragraphs

    def _paragraph(self, block: Block) -> None:
        title = self._of(block.spans[0])
        marked = find_label(title) is not None or find_id(title.strip("*_")) is not None
        if len(block.spans) == 1 and is_bold(title) and not marked:
            self._heading(replace(block, depth=_BOLD_LEVEL))
            return
        for spans in texts_of(self.source.text, block.spans):
            self._line(block, spans)

    def _line(self, block: Block, spans: list[Span]) -> None:
        """One text of a paragraph."""
        label = find_label(self._of(spans[0]))
        if label is not None and label[0] == "about" and (self.last is None or self.last.id is None):
            label = None  # without an id above it, "Status: ..." may be what a requirement is about
        if label is not None:
            spans = self._labelled(label, spans)
        mark = find_id(self._of(spans[0])) if spans and not is_link(self._of(spans[0])) else None
        if mark is not None:
            rest = _behind(spans, mark.end)
            draft = self._add(RequirementDraft(mark.id, self._strands(rest), indent=block.indent))
            self.below = None if rest else draft
        elif not spans:
            return
        elif self.mode.kind == "criteria" and self.last is not None:
            self.last.belonging(tuple(spans), "- ")
            self.mode.over = True
        elif self.mode.kind == "about":
            self.mode.over = True
        elif self.below is not None:
            self._below_heading(self.below, block, spans, told=label is not None)
        else:
            self._bare(block, spans, told=label is not None)

    def _labelled(self, label: tuple[Label, int], spans: list[Span], depth: int = -1) -> list[Span]:
        """What a label leaves of a text, and what it makes of the lines that follow."""
        kind, end = label
        rest = _behind(spans, end)
        if kind == "id":
            self.pending = self._of(rest[0]).strip("*_` ") or None if rest else None
            return []
        if kind == "about":
            self.mode = _Mode() if rest else _Mode("about", depth)
            return []
        self.mode = _Mode(kind, depth)
        if kind == "criteria" and rest and self.last is not None:
            self.last.belonging(tuple(rest), "- ")
            return []
        return rest

    def _below_heading(self, draft: RequirementDraft, block: Block, spans: list[Span], *, told: bool) -> None:
        """The text below a heading with an id that is labelled as its requirement, else the first one.

        Further ones belong to it when they oblige.
        """
        text = " ".join(map(self._of, spans))
        if told or draft.form == "heading" or not draft.strands:
            listed = [strand for strand in draft.strands if strand.belongs]
            draft.strands = [*self._strands(spans), *listed]
            draft.form, draft.indent, draft.kind = "lines", block.indent, None
        elif obliges(text):
            draft.belonging(tuple(spans))

    def _bare(self, block: Block, spans: list[Span], *, told: bool) -> None:
        """A text without an id: a requirement when it obliges, or where it stands alone."""
        text = " ".join(map(self._of, spans))
        demanded = obliges(text) and not speaks_of_itself(text) and self.other is None
        if text.endswith(":") and not demanded:
            return
        marked = told or demanded or self.pending is not None
        draft = RequirementDraft(None, self._strands(spans), indent=block.indent, marked=marked)
        if not marked:
            self.drafts.append(draft)
            return
        self._add(draft)
        if text.endswith(":"):
            self.items.append(_Owner(-1, draft))

    def _strands(self, spans: Sequence[Span], breaks: Container[int] = ()) -> list[Strand]:
        """The lines of a text: wrapped ones put together, steps of a scenario, criteria and further paragraphs apart."""
        strands: list[tuple[list[Span], bool]] = []
        left_out = steps = False
        for n, span in enumerate(spans):
            steps |= begins_scenario(self._of(span))
            label = find_label(self._of(span)) if n else None
            below = n in breaks or label is not None or (bool(strands) and strands[-1][1])
            left_out = label[0] == "about" if label is not None else left_out and n not in breaks
            rest = [span] if label is None else _behind([span], label[1])
            if left_out or not rest:
                continue
            if strands and n not in breaks and label is None and not (steps and is_step(self._of(span))):
                strands[-1][0].extend(rest)
            else:
                strands.append((rest, below))
        return [Strand(tuple(one), belongs=below) for one, below in strands]

    # --- lists

    def _item(self, block: Block) -> None:
        while self.items and self.items[-1].depth >= block.depth:
            self.items.pop()
        if block.depth <= self.mode.depth:
            self.mode = _Mode()
        spans, label = list(block.spans), find_label(self._of(block.spans[0]))
        # Without a requirement above it, "Status: ..." may be what the item is about.
        if label is not None and (label[0] != "about" or self.items or self.below is not None):
            spans = self._labelled(label, spans, block.depth)
        if not spans or is_link(self._of(spans[0])):
            return
        mark = find_id(self._of(spans[0]))
        if mark is not None:
            self._own_item(block, _behind(spans, mark.end), mark.id)
            return
        owner = self._owner(obliges(self._of(spans[0])))
        if owner is not None:
            owner.belonging(tuple(spans), "- ")
            self.items.append(_Owner(block.depth, owner))
        elif self.other is None:
            self._own_item(block, spans, None)

    def _own_item(self, block: Block, spans: list[Span], name: str | None) -> None:
        for owner in self.items:
            # A parent that neither has an id nor obliges was only the name of a group.
            owner.draft.dropped |= owner.draft.id is None and self._groups(owner.draft)
        left = len(block.spans) - len(spans)
        strands = self._strands(spans, {n - left for n in block.breaks})
        draft = self._add(RequirementDraft(name or self._derived(), strands, indent=block.indent))
        self.items.append(_Owner(block.depth, draft))

    def _derived(self) -> str | None:
        """The id of an item below a heading with an id: REQ-1/1, REQ-1/2."""
        if self.below is None or self.below.id is None or self.pending is not None:
            return None
        self.below.parts += 1
        return f"{self.below.id}/{self.below.parts}"

    def _groups(self, draft: RequirementDraft) -> bool:
        """Whether a text only introduces others: it does not oblige, or ends in a colon with nothing below it yet."""
        return not draft.obliges(self.source) or (not draft.listed and draft.text(self.source).endswith(":"))

    def _owner(self, obliges: bool) -> RequirementDraft | None:
        """The requirement that an item without an id belongs to; None when it is one itself."""
        if self.mode.kind == "criteria" and self.last is not None:
            return self.last
        if self.mode.kind == "about":
            return RequirementDraft()  # below "Rationale:", nobody reads it
        if self.items:
            parent = self.items[-1].draft
            return None if parent.id is None and obliges and self._groups(parent) else parent
        return None if obliges else self.below

    # --- tables and fenced text

    def _table(self, block: Block) -> None:
        rows = rows_of_markdown(self.source.text, [block.spans[0], *block.spans[2:]])
        texts = [[self._of(cell) for cell in row] for row in rows]
        columns = find_columns(texts, self.column, named_only=True)
        if columns is None or not (self.column or self._is_about_requirements(texts, columns)):
            return
        for row, cells in zip(rows[columns.first :], texts[columns.first :], strict=True):
            if columns.text < len(row) and cells[columns.text]:
                self._add(RequirementDraft(columns.id_of(cells), [Strand((row[columns.text],))], "row"))
        self.last = None

    def _is_about_requirements(self, rows: Sequence[Sequence[str]], columns: RequirementColumns) -> bool:
        """Whether a table has ids, or texts most of which oblige: a history has a description, too."""
        cells = [row[columns.text] for row in rows[columns.first :] if columns.text < len(row)]
        return self.other is None and (columns.id is not None or 2 * sum(map(obliges, cells)) > len(cells))

    def _fence(self, block: Block) -> None:
        if block.language in _SCENARIOS and self.last is not None:
            for span in block.spans:
                self.last.belonging((span,))


def _id_in_heading(title: str) -> Mark | None:
    """The id of a heading, which may stand behind the number of a chapter."""
    mark = find_id(title)
    if mark is None or not mark.id[0].isdigit():
        return mark
    inner = find_id(title[mark.end :])
    return Mark(inner.id, mark.end + inner.end) if inner is not None and not inner.id[0].isdigit() else None


def _behind(spans: list[Span], end: int) -> list[Span]:
    """The spans without the first `end` characters; the first one is left out when nothing is left of it."""
    start, stop = spans[0]
    return [(start + end, stop), *spans[1:]] if start + end < stop else spans[1:]


# --- plain text and Markdown


def read_plain(path: Path, column: str | None = None) -> FoundRequirement:
    """The requirements of a plain text: a line, a list item or a paragraph each."""
    return found_in_plain(read_source(path), column)


def read_markdown(path: Path, column: str | None = None) -> FoundRequirement:
    """The requirements of a Markdown text: list items, headings with ids, tables and paragraphs that oblige."""
    return found_in_markdown(read_source(path), column)


def found_in_plain(source: SourceText, column: str | None = None) -> FoundRequirement:
    """The same, of a text at hand."""
    drafts, sure = Statements(source, column).read(plain_blocks(source))
    return FoundRequirement([draft.entry(source) for draft in drafts], _nothing(source), source, sure=sure)


def found_in_markdown(source: SourceText, column: str | None = None) -> FoundRequirement:
    """The same, of a text at hand."""
    drafts, sure = Statements(source, column).read(markdown_blocks(source))
    return FoundRequirement([draft.entry(source) for draft in drafts], _nothing(source), source, sure=sure)


def _nothing(source: SourceText) -> str:
    if not source.text.strip():
        return f"{source.path} is empty; write a requirement per line, list item or paragraph."
    return f"{source.path} holds no requirement; write one per line, list item or paragraph."
