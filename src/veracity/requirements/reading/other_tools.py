"""Requirements in the files of other tools: StrictDoc, Doorstop, Gherkin, ReqIF."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

from veracity.contracts import clip
from veracity.errors import SourceError
from veracity.requirements.contracts import Lang, Place
from veracity.requirements.reading.document import (
    MOST_BYTES,
    FoundRequirement,
    RequirementEntry,
    SourceLine,
    SourceText,
    Span,
    file_bytes,
    read_source,
)
from veracity.requirements.reading.marks import RequirementDraft, Strand, binds, is_code, known_names, obliges
from veracity.yaml_file import YamlFile, read_document

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


def read_strictdoc(path: Path, column: str | None = None) -> FoundRequirement:
    """A requirement per node that has a statement; `column` names another field than the statement."""
    source = read_source(path)
    nodes = _strictdoc_nodes(source)
    if source.text.strip() and not any(node.tag == "DOCUMENT" for node in nodes):
        raise SourceError(f"{path} is not a StrictDoc document: it has no line [DOCUMENT].")
    wanted = (column.upper(),) if column else _STATEMENTS
    entries = [
        entry
        for node in nodes
        if node.tag not in _NOT_REQUIREMENTS and (entry := _strictdoc_entry(source, node, wanted)) is not None
    ]
    return FoundRequirement(entries, f"{path} holds no requirement: no node has a field {wanted[0]}.", source)


def _strictdoc_nodes(source: SourceText) -> list[_Node]:
    nodes, lines = list[_Node](), source.lines()
    number = 0
    while number < len(lines):
        text = lines[number].text
        node, named = _NODE.fullmatch(text), _FIELD.match(text)
        if node is not None and node[2] == "FREETEXT" and not node[1]:
            number = _closing_line(source, lines, number, "[/FREETEXT]")
        elif node is not None and not node[1]:
            nodes.append(_Node(node[2]))
        elif named is not None and nodes:
            spans = [(lines[number].start + named.end(), lines[number].start + len(text.rstrip()))]
            if text[named.end() :].strip() == ">>>":
                last = _closing_line(source, lines, number, "<<<")
                spans = [(line.start, line.end) for line in lines[number + 1 : last]]
                number = last
            nodes[-1].fields.setdefault(named[1], spans)
        number += 1
    return nodes


def _closing_line(source: SourceText, lines: Sequence[SourceLine], number: int, mark: str) -> int:
    """The line that closes what was opened in another."""
    found = next((n for n in range(number + 1, len(lines)) if lines[n].text.strip() == mark), None)
    if found is None:
        raise SourceError(f"{source.path}, line {number + 1}: what begins here is never closed; add a line {mark}.")
    return found


def _strictdoc_entry(source: SourceText, node: _Node, wanted: Sequence[str]) -> RequirementEntry | None:
    spans = next((node.fields[name] for name in wanted if name in node.fields), [])
    names = [node.fields[name][0] for name in _IDS if node.fields.get(name)]
    name = source.text[names[0][0] : names[0][1]].strip() if names else None
    strands = _unwrapped(source, spans)
    return RequirementDraft(name or None, strands).entry(source) if strands else None


def _unwrapped(source: SourceText, spans: Sequence[Span]) -> list[Strand]:
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


# --- doorstop: a YAML file per requirement, named by its id, beside a `.doorstop.yml`


SETTINGS = ".doorstop.yml"
_BLOCKS = ("|", ">")


def read_doorstop(path: Path, column: str | None = None) -> FoundRequirement:
    """The requirement of an item; none of an item that is inactive or only informs. `column` names another attribute."""
    item = read_document(path, SourceError, "a requirement")
    name = column or "text"
    if not isinstance(item.data, dict) or name not in item.data:
        return FoundRequirement(
            (), f"{path} is not a Doorstop item with a requirement: it has no attribute {clip(name, 40)!r}."
        )
    text = item.data[name]
    if text is not None and not isinstance(text, str):
        raise item.wrong([name], "not a text")
    if item.data.get("active") is False or item.data.get("normative") is False or not (text or "").strip():
        return FoundRequirement((), f"{path} holds no requirement: it is inactive, not normative, or without a text.")
    return FoundRequirement(
        [RequirementEntry(path.stem, _doorstop_text(str(text)), _place_of_attribute(item, name))], ""
    )


def _doorstop_text(text: str) -> str:
    """Doorstop writes a sentence per line; a blank line divides paragraphs."""
    paragraphs = "\n".join(line.strip() for line in text.strip().split("\n")).split("\n\n")
    return "\n".join(" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.strip())


def _place_of_attribute(item: YamlFile, name: str) -> Place:
    """Where the text begins; that of a block begins on the next line."""
    import yaml

    tree = item.tree
    nodes = tree.value if isinstance(tree, yaml.MappingNode) else []
    node = next((found for key, found in nodes if key.value == name), None)
    block = isinstance(node, yaml.ScalarNode) and node.style in _BLOCKS
    return Place(path=str(item.path), line=item.line([name]) + block)


# --- gherkin features, in English and German: a requirement per scenario, and the user story above them


_SCENARIO = "Scenario Outline|Scenario Template|Scenario|Example|Szenariogrundriss|Szenarien|Szenario|Beispiel"
_PART = re.compile(
    r"[ \t]*(?P<part>Feature|Business Need|Ability|Funktionalität|Funktion|Rule|Regel|Background|Grundlage|Hintergrund|"
    rf"Voraussetzungen|Vorbedingungen|Examples|Scenarios|Beispiele|{_SCENARIO})[ \t]?:[ \t]*"
)
_IS_SCENARIO = re.compile(_SCENARIO)
_STORY_PARTS = frozenset(("Feature", "Business Need", "Ability", "Funktionalität", "Funktion", "Rule", "Regel"))
_STEP = re.compile(
    r"[ \t]*(?:Given|When|Then|And|But|\*|Gegeben seien|Gegeben sei|Gegeben ist|Gegeben sind|Gegeben|Angenommen|Wenn|Dann|"
    r"Und|Aber)(?:[ \t]+|$)"
)
_LANGUAGE = re.compile(r"[ \t]*#[ \t]*language[ \t]*:[ \t]*(\w{2})")
_DOC_STRINGS = ('"""', "```")


@dataclass(slots=True)
class _FeaturePart:
    """A feature, rule or scenario: its name, what is told about it, and its steps."""

    word: str
    name: Span
    told: list[Span] = field(default_factory=list)
    steps: list[Span] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    scenarios: list[Span] = field(default_factory=list)


class _Feature:
    """Goes through the lines of a feature once."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.parts: list[_FeaturePart] = []
        self.lang: Lang | None = None
        self.tags: list[str] = []
        self.quote: str | None = None
        self.story: _FeaturePart | None = None
        """The feature or rule that scenarios stand under."""

    def read(self) -> list[_FeaturePart]:
        for line in self.source.lines():
            text = line.text.strip()
            opened = next((mark for mark in _DOC_STRINGS if text.startswith(mark)), None)
            if self.quote is not None or (opened and self.parts):
                self.quote = None if self.quote and text.startswith(self.quote) else self.quote or opened
            elif text.startswith("#"):
                found = _LANGUAGE.match(line.text[:80])
                self.lang = _language_of_code(found[1]) if found else self.lang
            elif text.startswith("@"):
                self.tags += text.split()
            elif text and not text.startswith("|"):
                self._line(line)
        return self.parts

    def _line(self, line: SourceLine) -> None:
        found = _PART.match(line.text)
        start = line.start + len(line.text) - len(line.text.lstrip())
        end = line.start + len(line.text.rstrip())
        if found is not None:
            part = _FeaturePart(found["part"], (min(line.start + found.end(), end), end), tags=self.tags)
            self.tags = []
            self.parts.append(part)
            if part.word in _STORY_PARTS:
                self.story = part
            elif self.story is not None and _IS_SCENARIO.fullmatch(part.word):
                self.story.scenarios.append(part.name)
        elif self.parts and _STEP.match(line.text[:40]):
            self.parts[-1].steps.append((start, end))
        elif self.parts and not self.parts[-1].steps:
            self.parts[-1].told.append((start, end))


def read_gherkin(path: Path, column: str | None = None) -> FoundRequirement:  # noqa: ARG001 - a feature has no columns
    """The scenarios of a feature, and the stories and rules that they stand under."""
    source = read_source(path)
    feature = _Feature(source)
    drafts = [_gherkin_draft(source, part, feature.lang) for part in feature.read()]
    nothing = f"{path} holds no scenario; a feature begins with `Feature:` or `Funktionalität:`."
    return FoundRequirement([draft.entry(source) for draft in drafts if draft is not None], nothing, source)


def _language_of_code(code: str) -> Lang | None:
    return "de" if code == "de" else "en" if code == "en" else None


def _gherkin_draft(source: SourceText, part: _FeaturePart, lang: Lang | None) -> RequirementDraft | None:
    name = next((tag.lstrip("@") for tag in part.tags if is_code(tag.lstrip("@"))), None)
    if _IS_SCENARIO.fullmatch(part.word):
        lines = [span for span in (part.name, *part.steps) if span[0] < span[1]]
        strands = [Strand((span,)) for span in lines]
        return RequirementDraft(name, strands, kind="gherkin", lang=lang) if part.steps else None
    if part.word not in _STORY_PARTS:
        return None
    told = _obliging_lines(source, part.told) or (
        _obliging_lines(source, [part.name]) if part.name[0] < part.name[1] else []
    )
    if not told:
        return None
    listed = [Strand((span,), "- ", belongs=True) for span in part.scenarios if span[0] < span[1]]
    return RequirementDraft(name, [Strand(tuple(told)), *listed], lang=lang)


def _obliging_lines(source: SourceText, spans: Sequence[Span]) -> list[Span]:
    """The lines of a text that obliges; none of a text that only explains."""
    text = " ".join(source.text[start:end] for start, end in spans)
    return list(spans) if binds(text) else []


# --- reqIF, plain and zipped: the specification objects of every tool, whatever it calls the attribute with the text


_HEADINGS = re.compile(r"heading|überschrift|section|chapter|kapitel|folder", re.IGNORECASE)
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,400}\?>")
_BREAK = re.compile(r"<(?:/(?:[\w-]+:)?(?:p|div|li|tr|h[1-6]|ul|ol|table)|(?:[\w-]+:)?br)\b[^<>]*>", re.IGNORECASE)
_BULLET = re.compile(r"<(?:[\w-]+:)?li\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def read_reqif(path: Path, column: str | None = None) -> FoundRequirement:
    """The requirements of a ReqIF file in the order of its specifications; `column` names the attribute with the text."""
    sources = _unzipped(path) if zipfile.is_zipfile(path) else [read_source(path)]
    entries = [entry for source in sources for entry in _reqif_entries(source, column)]
    if column is not None:
        return FoundRequirement(entries, f"{path} holds no requirement with an attribute {clip(column, 40)!r}.")
    return FoundRequirement(
        entries, f"{path} holds no requirement: no object has a text; name its attribute with --column."
    )


def _unzipped(path: Path) -> Iterator[SourceText]:
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
                    yield SourceText(path, raw.decode("utf-8-sig"))
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError, UnicodeError):
        raise SourceError(
            f"{path} cannot be unpacked; check that it is complete, in UTF-8 and without a password."
        ) from None


def _reqif_entries(source: SourceText, column: str | None) -> list[RequirementEntry]:
    """The requirements of one file: objects with a text that are no headings."""
    core = _parsed_reqif(source).core_content
    content = None if core is None else core.req_if_content
    if content is None:
        return []
    names = _attribute_names(content.spec_types or ())
    headings = {one.identifier for one in content.spec_types or () if _HEADINGS.search(one.long_name or "")}
    objects = [
        (one, {names.get(value.definition_ref, ""): value for value in one.attributes})
        for one in _objects_in_order(content)
        if one.spec_object_type not in headings
    ]
    wanted = (column.casefold(),) if column is not None else _text_names([values for _, values in objects])
    entries = []
    for one, values in objects:
        if text := _first_text(values, wanted):
            place = Place(path=str(source.path), line=one.xml_node.sourceline)
            entries.append(
                RequirementEntry(_first_text(values, known_names("reqif_ids")) or one.identifier, text, place)
            )
    return entries


def _text_names(objects: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """What the attribute with the text is called: by a known name, else the one whose texts oblige most often."""
    if any(name in values for values in objects for name in known_names("reqif_texts")):
        return known_names("reqif_texts")
    obliging = Counter(name for values in objects for name in values if obliges(_first_text(values, (name,))))
    return [name for name, _ in obliging.most_common(1)]


def _parsed_reqif(source: SourceText) -> Any:
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


def _objects_in_order(content: Any) -> Iterator[Any]:
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


def _first_text(values: Mapping[str, Any], names: Sequence[str]) -> str:
    """The text of the first attribute that has one."""
    texts = (_readable_text(values[name]) for name in names if name in values)
    return next((text for text in texts if text), "")


def _readable_text(value: Any) -> str:
    """What an attribute says; of XHTML, what one would read: a paragraph or list item per line."""
    if value.value_stripped_xhtml is None:
        return "\n".join(" ".join(line.split()) for line in str(value.value).split("\n") if line.strip())
    flat = " ".join(value.value_stripped_xhtml.split())
    lines = _TAG.sub("", _BULLET.sub("\n- ", _BREAK.sub("\n", flat))).split("\n")
    return "\n".join(shown for line in lines if (shown := " ".join(unescape(line).split())) and shown != "-")
