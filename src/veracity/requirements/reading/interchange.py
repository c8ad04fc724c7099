"""ReqIF, plain and zipped: the specification objects of every tool, whatever it calls the attribute with the text."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any

from veracity.errors import SourceError
from veracity.requirements.contracts import Place
from veracity.requirements.reading.document import Entry, Found
from veracity.requirements.reading.marks import states
from veracity.requirements.reading.source import MOST_BYTES, Source, file_bytes, read_source
from veracity.trace import clip

_TEXT_NAMES = (
    "reqif.text", "object text", "requirement text", "primary text", "statement", "text", "reqif.description", "description",
    "desc", "beschreibung", "anforderung", "requirement", "content",
)  # fmt: skip
_ID_NAMES = ("reqif.foreignid", "uid", "id", "object identifier", "requirement id", "key", "identifier", "foreignid")
_HEADINGS = re.compile(r"heading|überschrift|section|chapter|kapitel|folder", re.IGNORECASE)
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,400}\?>")
_BREAK = re.compile(r"<(?:/(?:[\w-]+:)?(?:p|div|li|tr|h[1-6]|ul|ol|table)|(?:[\w-]+:)?br)\b[^<>]*>", re.IGNORECASE)
_BULLET = re.compile(r"<(?:[\w-]+:)?li\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def read_reqif(path: Path, column: str | None = None) -> Found:
    """The requirements of a ReqIF file in the order of its specifications; `column` names the attribute with the text."""
    sources = _unzipped(path) if zipfile.is_zipfile(path) else [read_source(path)]
    entries = [entry for source in sources for entry in _entries(source, column)]
    if column is not None:
        return Found(entries, f"{path} holds no requirement with an attribute {clip(column, 40)!r}.")
    return Found(entries, f"{path} holds no requirement: no object has a text; name its attribute with --column.")


def _unzipped(path: Path) -> Iterator[Source]:
    """The ReqIF files of an archive."""
    file_bytes(path)
    try:
        with zipfile.ZipFile(path) as archive:
            for part in archive.infolist():
                if part.filename.casefold().endswith((".reqif", ".xml")):
                    with archive.open(part) as stream:
                        raw = stream.read(MOST_BYTES + 1)
                    if len(raw) > MOST_BYTES:
                        raise SourceError(f"{path} is too large once unpacked; divide it and read the parts.")
                    yield Source(path, raw.decode("utf-8-sig"))
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError, UnicodeError):
        raise SourceError(
            f"{path} cannot be unpacked; check that it is complete, in UTF-8 and without a password."
        ) from None


def _entries(source: Source, column: str | None) -> list[Entry]:
    """The requirements of one file: objects with a text that are no headings."""
    core = _bundle(source).core_content
    content = None if core is None else core.req_if_content
    if content is None:
        return []
    names = _attribute_names(content.spec_types or ())
    headings = {one.identifier for one in content.spec_types or () if _HEADINGS.search(one.long_name or "")}
    objects = [
        (one, {names.get(value.definition_ref, ""): value for value in one.attributes})
        for one in _in_order(content)
        if one.spec_object_type not in headings
    ]
    wanted = (column.casefold(),) if column is not None else _text_names([values for _, values in objects])
    entries = []
    for one, values in objects:
        if text := _first(values, wanted):
            place = Place(path=str(source.path), line=one.xml_node.sourceline)
            entries.append(Entry(_first(values, _ID_NAMES) or one.identifier, text, place))
    return entries


def _text_names(objects: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """What the attribute with the text is called: by a known name, else the one whose texts oblige most often."""
    if any(name in values for values in objects for name in _TEXT_NAMES):
        return _TEXT_NAMES
    obliging = Counter(name for values in objects for name in values if states(_first(values, (name,))))
    return [name for name, _ in obliging.most_common(1)]


def _bundle(source: Source) -> Any:
    """The file as the package `reqif` reads it; what it cannot read, it says in many ways."""
    from reqif.models.error_handling import ReqIFSchemaError, ReqIFSemanticError, ReqIFXMLParsingError
    from reqif.parser import ReqIFParser

    # No tool writes a document type, and its entities could make a small file huge.
    if "<!DOCTYPE" in source.text or "<!ENTITY" in source.text:
        raise SourceError(f"{source.path} has a document type declaration, which ReqIF does not know; remove it.")
    said = _DECLARATION.match(source.text[:1_000])
    text = source.text[said.end() :] if said else source.text  # it names the encoding of the bytes, which are decoded
    try:
        return ReqIFParser.parse_from_string(text)
    except (ReqIFSchemaError, ReqIFSemanticError, ReqIFXMLParsingError, RecursionError):
        raise SourceError(f"{source.path} is not valid ReqIF; export it again, and completely.") from None
    except (NotImplementedError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        raise SourceError(f"{source.path} lacks a part that every ReqIF file has; export it again.") from None


def _attribute_names(types: Sequence[Any]) -> dict[str, str]:
    """What people call each attribute, by the name that a machine gave it."""
    return {
        attribute.identifier: (attribute.long_name or attribute.identifier).casefold()
        for one in types
        for attribute in getattr(one, "attribute_definitions", None) or ()
    }


def _in_order(content: Any) -> Iterator[Any]:
    """Every object once: as the specifications list them, then the others."""
    objects = {one.identifier: one for one in content.spec_objects or ()}
    waiting = [node for one in reversed(content.specifications or ()) for node in reversed(one.children or ())]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.children or ())
        found = objects.pop(node.spec_object, None)
        if found is not None:
            yield found
    yield from objects.values()


def _first(values: Mapping[str, Any], names: Sequence[str]) -> str:
    """The text of the first attribute that has one."""
    texts = (_text(values[name]) for name in names if name in values)
    return next((text for text in texts if text), "")


def _text(value: Any) -> str:
    """What an attribute says; of XHTML, what one would read: a paragraph or list item per line."""
    if value.value_stripped_xhtml is None:
        return "\n".join(" ".join(line.split()) for line in str(value.value).split("\n") if line.strip())
    flat = " ".join(value.value_stripped_xhtml.split())
    lines = _TAG.sub("", _BULLET.sub("\n- ", _BREAK.sub("\n", flat))).split("\n")
    return "\n".join(shown for line in lines if (shown := " ".join(unescape(line).split())) and shown != "-")
