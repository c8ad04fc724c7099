"""StrictDoc's `.sdoc`: nodes such as `[REQUIREMENT]` with fields, a field of several lines between `>>>` and `<<<`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from veracity.errors import SourceError
from veracity.requirements.reading.document import Entry, Found, Span
from veracity.requirements.reading.drafts import Draft, Strand
from veracity.requirements.reading.source import Line, Source, read_source

_NODE = re.compile(r"\[{1,2}(/?)([A-Z][A-Z0-9_]{0,60})\]{1,2}[ \t]*")
_FIELD = re.compile(r"([A-Z][A-Z0-9_]{0,60}):(?:[ \t]+|$)")
_LIST = re.compile(r"[ \t]{0,40}(?:[-*+]|\d{1,4}[.)])[ \t]")
_STATEMENTS = ("STATEMENT", "DESCRIPTION", "CONTENT")
_IDS = ("UID", "MID")
_NOT_REQUIREMENTS = ("DOCUMENT", "GRAMMAR", "SECTION", "TEXT", "FREETEXT", "DOCUMENT_FROM_FILE", "DOCUMENT_VIEW")


@dataclass(slots=True)
class _Node:
    tag: str
    fields: dict[str, list[Span]] = field(default_factory=dict)


def read_strictdoc(path: Path, column: str | None = None) -> Found:
    """A requirement per node that has a statement; `column` names another field than the statement."""
    source = read_source(path)
    nodes = _nodes(source)
    if source.text.strip() and not any(node.tag == "DOCUMENT" for node in nodes):
        raise SourceError(f"{path} is not a StrictDoc document: it has no line [DOCUMENT].")
    wanted = (column.upper(),) if column else _STATEMENTS
    entries = [
        entry
        for node in nodes
        if node.tag not in _NOT_REQUIREMENTS and (entry := _entry(source, node, wanted)) is not None
    ]
    return Found(entries, f"{path} holds no requirement: no node has a field {wanted[0]}.", source)


def _nodes(source: Source) -> list[_Node]:
    nodes, lines = list[_Node](), source.lines()
    number = 0
    while number < len(lines):
        text = lines[number].text
        node, named = _NODE.fullmatch(text), _FIELD.match(text)
        if node is not None and node[2] == "FREETEXT" and not node[1]:
            number = _end(source, lines, number, "[/FREETEXT]")
        elif node is not None and not node[1]:
            nodes.append(_Node(node[2]))
        elif named is not None and nodes:
            spans = [(lines[number].start + named.end(), lines[number].start + len(text.rstrip()))]
            if text[named.end() :].strip() == ">>>":
                last = _end(source, lines, number, "<<<")
                spans = [(line.start, line.end) for line in lines[number + 1 : last]]
                number = last
            nodes[-1].fields.setdefault(named[1], spans)
        number += 1
    return nodes


def _end(source: Source, lines: Sequence[Line], number: int, mark: str) -> int:
    """The line that closes what was opened in another."""
    found = next((n for n in range(number + 1, len(lines)) if lines[n].text.strip() == mark), None)
    if found is None:
        raise SourceError(f"{source.path}, line {number + 1}: what begins here is never closed; add a line {mark}.")
    return found


def _entry(source: Source, node: _Node, wanted: Sequence[str]) -> Entry | None:
    spans = next((node.fields[name] for name in wanted if name in node.fields), [])
    names = [node.fields[name][0] for name in _IDS if node.fields.get(name)]
    name = source.text[names[0][0] : names[0][1]].strip() if names else None
    strands = _strands(source, spans)
    return Draft(name or None, strands).entry(source) if strands else None


def _strands(source: Source, spans: Sequence[Span]) -> list[Strand]:
    """Wrapped lines put together; a blank line or a list item begins a new one."""
    grouped: list[list[Span]] = []
    fresh = True
    for start, end in spans:
        line = source.text[start:end]
        if not line.strip():
            fresh = True
            continue
        content = (start + len(line) - len(line.lstrip()), start + len(line.rstrip()))
        if fresh or _LIST.match(line):
            grouped.append([content])
        else:
            grouped[-1].append(content)
        fresh = False
    return [Strand(tuple(group)) for group in grouped]
