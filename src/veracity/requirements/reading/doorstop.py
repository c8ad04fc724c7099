"""Doorstop: a YAML file per requirement, named by its id, beside a `.doorstop.yml`."""

from __future__ import annotations

from pathlib import Path

from veracity.documents import Document, read_document
from veracity.errors import SourceError
from veracity.requirements.contracts import Place
from veracity.requirements.reading.document import Entry, Found
from veracity.trace import clip

SETTINGS = ".doorstop.yml"
_BLOCKS = ("|", ">")


def read_doorstop(path: Path, column: str | None = None) -> Found:
    """The requirement of an item; none of an item that is inactive or only informs. `column` names another attribute."""
    item = read_document(path, SourceError, "a requirement")
    name = column or "text"
    if not isinstance(item.data, dict) or name not in item.data:
        return Found((), f"{path} is not a Doorstop item with a requirement: it has no attribute {clip(name, 40)!r}.")
    text = item.data[name]
    if text is not None and not isinstance(text, str):
        raise item.wrong([name], "not a text")
    if item.data.get("active") is False or item.data.get("normative") is False or not (text or "").strip():
        return Found((), f"{path} holds no requirement: it is inactive, not normative, or without a text.")
    return Found([Entry(path.stem, _flowed(str(text)), _place(item, name))], "")


def _flowed(text: str) -> str:
    """Doorstop writes a sentence per line; a blank line divides paragraphs."""
    paragraphs = "\n".join(line.strip() for line in text.strip().split("\n")).split("\n\n")
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.strip())


def _place(item: Document, name: str) -> Place:
    """Where the text begins; that of a block begins on the next line."""
    import yaml

    tree = item.tree
    nodes = tree.value if isinstance(tree, yaml.MappingNode) else []
    node = next((found for key, found in nodes if key.value == name), None)
    block = isinstance(node, yaml.ScalarNode) and node.style in _BLOCKS
    return Place(path=str(item.path), line=item.line([name]) + block)
