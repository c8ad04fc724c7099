"""Plain text and Markdown."""

from __future__ import annotations

from pathlib import Path

from veracity.requirements.reading.blocks import markdown_blocks, plain_blocks
from veracity.requirements.reading.document import Found
from veracity.requirements.reading.source import Source, read_source
from veracity.requirements.reading.statements import Statements


def read_plain(path: Path, column: str | None = None) -> Found:
    """The requirements of a plain text: a line, a list item or a paragraph each."""
    return found_in_plain(read_source(path), column)


def read_markdown(path: Path, column: str | None = None) -> Found:
    """The requirements of a Markdown text: list items, headings with ids, tables and paragraphs that oblige."""
    return found_in_markdown(read_source(path), column)


def found_in_plain(source: Source, column: str | None = None) -> Found:
    """The same, of a text at hand."""
    drafts, sure = Statements(source, column).read(plain_blocks(source))
    return Found([draft.entry(source) for draft in drafts], _nothing(source), source, sure=sure)


def found_in_markdown(source: Source, column: str | None = None) -> Found:
    """The same, of a text at hand."""
    drafts, sure = Statements(source, column).read(markdown_blocks(source))
    return Found([draft.entry(source) for draft in drafts], _nothing(source), source, sure=sure)


def _nothing(source: Source) -> str:
    if not source.text.strip():
        return f"{source.path} is empty; write a requirement per line, list item or paragraph."
    return f"{source.path} holds no requirement; write one per line, list item or paragraph."
