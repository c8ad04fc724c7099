"""New texts written back into a document: plain text, Markdown, CSV and XLSX, with everything else as it was."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path, PurePosixPath
from xml.sax.saxutils import escape

from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.requirements.contracts import Requirement
from veracity.requirements.reading import Cell, RequirementDocument, TextPassage, format_of
from veracity.requirements.reading.document import LONGEST, SourceText, digest_of, file_bytes, starts_of
from veracity.requirements.reading.marks import without_waiver
from veracity.requirements.reading.statements import found_in_markdown, found_in_plain
from veracity.sources.dialect import Dialect

_WRITERS = ("text", "markdown", "csv", "xlsx")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029]")
_FORMULA = ("=", "+", "-", "@")
_EXCEL_LONGEST = 32_767


def write_back(document: RequirementDocument, texts: Mapping[str, str], out: str | Path) -> None:
    """Write a copy of a document in which the requirements with these ids have new texts.

    Only the statement is replaced: a list of criteria below it stays. `out` may be the document itself. Raises
    `UsageError`, with nothing written, for a format that cannot be written and for a text that cannot stand there.
    """
    out = Path(out)
    _check(document, texts, out)
    raw = file_bytes(document.path)
    if digest_of(raw) != document.digest:
        raise UsageError(f"{document.path} has changed since it was read; read it again.")
    changes = _changes(document, texts)
    if document.source is None:
        _store(out, _workbook(document, raw, changes))
        return
    if document.source.encoded(document.source.text) != raw:
        raise UsageError(f"{document.path} would not stay as it is in its encoding; save it as UTF-8 and try again.")
    _store(out, _new_text(document, document.source, changes))


def statement_of(document: RequirementDocument, requirement: Requirement) -> str:
    """The part of a requirement's text that a new one replaces: without a list of criteria below it, and without a waiver."""
    passage = document.passages.get(requirement.id)
    rest = passage.rest if isinstance(passage, TextPassage) else ""
    text = requirement.text.removesuffix(rest)
    return text[: without_waiver(text)]


def check_target(document: RequirementDocument, out: str | Path) -> None:
    """Raise `UsageError` when a copy of a document could not be written there, whatever its texts."""
    out = Path(out)
    if document.format not in _WRITERS:
        raise UsageError(f"{document.path} cannot be written back; that works for {', '.join(_WRITERS)} only.")
    if format_of(out) != document.format and out.suffix != document.path.suffix:
        raise UsageError(f"{out} does not end like {document.path.name}; give it the same ending.")


def _check(document: RequirementDocument, texts: Mapping[str, str], out: Path) -> None:
    check_target(document, out)
    known = {requirement.id for requirement in document.requirements}
    if unknown := next((name for name in texts if name not in known), None):
        raise UsageError(f"{document.path} has no requirement {clip(unknown, 80)}; check its id.")


def _changes(document: RequirementDocument, texts: Mapping[str, str]) -> dict[str, str]:
    """The texts that differ from what stands there, as they can be written."""
    changes = {}
    for requirement in document.requirements:
        if requirement.id not in texts:
            continue
        text = _clean(requirement.id, texts[requirement.id])
        passage = document.passages[requirement.id]
        rest = passage.rest if isinstance(passage, TextPassage) else ""
        text, old = text.removesuffix(rest), requirement.text.removesuffix(rest)
        waiver = old[without_waiver(old) :]
        if text.removesuffix(waiver) != old.removesuffix(waiver):
            changes[requirement.id] = (
                text.removesuffix(waiver) if _is_lines(passage) else text.removesuffix(waiver) + waiver
            )
    return changes


def _is_lines(passage: TextPassage | Cell) -> bool:
    return isinstance(passage, TextPassage) and passage.form != "field"


def _clean(name: str, text: str) -> str:
    """A text without characters that no file can hold; raises for one that is empty or far too long."""
    lines = _CONTROL.sub(" ", text.replace("\r\n", "\n")).split("\n")
    text = "\n".join(line.rstrip() for line in lines if line.strip()).strip()
    if not text or len(text) > LONGEST:
        raise UsageError(f"The new text of {clip(name, 80)} is {'too long' if text else 'empty'}; nothing was written.")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise UsageError(f"The new text of {clip(name, 80)} holds half a character; nothing was written.")
    return text


def _store(out: Path, data: bytes) -> None:
    """Write a file in one go: whoever reads it meanwhile sees the old one or the new one."""
    target = out.resolve()
    scratch = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        scratch.write_bytes(data)
        if target.exists():
            scratch.chmod(target.stat().st_mode & 0o777)
        scratch.replace(target)
    except OSError as problem:
        scratch.unlink(missing_ok=True)
        reason = (problem.strerror or "it cannot be created").lower()
        raise UsageError(f"{out} cannot be written: {reason}.") from None


# --- text, Markdown and CSV


def _new_text(document: RequirementDocument, source: SourceText, changes: Mapping[str, str]) -> bytes:
    """The text with the changed passages, from front to back."""
    passages = {name: found for name, found in document.passages.items() if isinstance(found, TextPassage)}
    parts, at = list[str](), 0
    for name in sorted(changes, key=lambda name: passages[name].span):
        start, end = passages[name].span
        parts += [source.text[at:start], _as_written(document, source, passages[name], name, changes[name])]
        at = end
    new = replace(source, text="".join((*parts, source.text[at:])))
    _check_the_rest(document, replace(new, starts=starts_of(new.text)), changes)
    return source.encoded(new.text)


def _as_written(document: RequirementDocument, source: SourceText, passage: TextPassage, name: str, text: str) -> str:
    """A text as it has to be written where it stands."""
    lines = text.split("\n")
    if passage.form == "lines":
        return f"{source.line_end}{passage.indent}".join(lines)
    if passage.form == "heading":
        return " ".join(line.strip() for line in lines)
    if passage.form == "row":
        return "<br>".join(line.strip() for line in lines).replace("\\|", "|").replace("|", "\\|")
    old = source.text[slice(*passage.span)]
    if document.dialect is None:
        raise UsageError(f"{document.path} was not read as a table; read it again.")
    return _csv_field(name, old, text.replace("\n", source.line_end), document.dialect)


def _csv_field(name: str, old: str, text: str, dialect: Dialect) -> str:
    """A field of a CSV file, in quotes where it needs them or had them."""
    quote = dialect.quoting.quote
    if text.startswith(_FORMULA) and not old.strip(quote or None).startswith(text[0]):
        raise UsageError(f"The new text of {clip(name, 80)} begins like a formula; nothing was written.")
    needed = dialect.delimiter in text or "\n" in text or "\r" in text or bool(quote and quote in text)
    if not quote:
        if needed:
            raise UsageError(
                f"The new text of {clip(name, 80)} holds {dialect.delimiter!r} or a line break, and the file has no quotes; "
                "save it with quotes and try again."
            )
        return text
    if not needed and not old.startswith(quote):
        return text
    if dialect.quoting.backslash:
        return quote + text.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote
    return quote + text.replace(quote, quote * 2) + quote


def _check_the_rest(document: RequirementDocument, new: SourceText, changes: Mapping[str, str]) -> None:
    """A new text may not swallow what stands around it, as an open comment would."""
    if document.format not in ("text", "markdown"):
        return
    again = found_in_plain if document.format == "text" else found_in_markdown
    now = Counter(entry.text for entry in again(new, document.column).entries)
    for requirement in document.requirements:
        if requirement.id not in changes:
            now[requirement.text] -= 1
            if now[requirement.text] < 0:
                raise UsageError(
                    f"With the new texts {clip(requirement.id, 80)} could not be told from them any more; nothing was written."
                )


# --- workbooks

_SHEET = re.compile(rb"<(?:\w+:)?(?:sheet|Relationship)\s([^>]*)>")
_ATTRIBUTE = re.compile(rb"""([\w:]+)\s*=\s*("[^"]*"|'[^']*')""")
_CELL = re.compile(rb"<((?:\w+:)?)c(\s[^>]*?)?(/?)>")
_REFERENCE = re.compile(rb"""\sr\s*=\s*["']([A-Z]{1,3}\d{1,7})["']""")
_TYPE = re.compile(rb"""\s(?:t|vm)\s*=\s*(?:"[^"]*"|'[^']*')""")
_CODED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def _workbook(document: RequirementDocument, raw: bytes, changes: Mapping[str, str]) -> bytes:
    """The archive with the changed cells; every other part, and every other cell, is copied as it is."""
    by_sheet: dict[str, dict[bytes, str]] = {}
    for name, text in changes.items():
        cell = document.passages[name]
        if isinstance(cell, Cell):
            if len(text) > _EXCEL_LONGEST:
                raise UsageError(f"The new text of {clip(name, 80)} is longer than a cell may be; nothing was written.")
            by_sheet.setdefault(cell.sheet, {})[cell.name.encode()] = text
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive, zipfile.ZipFile(target, "w") as copy:
        parts = {_sheet_part(archive, sheet): cells for sheet, cells in by_sheet.items()}
        copy.comment = archive.comment
        for info in archive.infolist():
            data = archive.read(info)
            copy.writestr(info, _sheet_xml(document.path, data, parts.pop(info.filename, {})))
    if parts:
        raise UsageError(f"{document.path} does not say where its sheets are; save it in Excel and try again.")
    return target.getvalue()


def _sheet_part(archive: zipfile.ZipFile, sheet: str) -> str:
    """The part of an archive that holds a sheet; nothing when it cannot be told."""
    try:
        book, relations = archive.read("xl/workbook.xml"), archive.read("xl/_rels/workbook.xml.rels")
    except KeyError:
        return ""
    ids = {tag.get("name"): tag.get("id") for tag in map(_attributes, _SHEET.findall(book))}
    targets = {tag.get("Id"): tag.get("Target", "") for tag in map(_attributes, _SHEET.findall(relations))}
    target = targets.get(ids.get(sheet), "")
    return str(PurePosixPath("/xl") / target).lstrip("/") if target else ""


def _attributes(tag: bytes) -> dict[str, str]:
    """The attributes of a tag, without the prefixes of their names."""
    found = _ATTRIBUTE.findall(tag)
    return {key.rpartition(b":")[2].decode(): unescape(value[1:-1].decode("utf-8", "replace")) for key, value in found}


def _sheet_xml(path: Path, data: bytes, cells: dict[bytes, str]) -> bytes:
    """The XML of a sheet with other texts in some cells; their style stays."""
    if not cells:
        return data
    left, parts, at = dict(cells), list[bytes](), 0
    for found in _CELL.finditer(data):
        reference = _REFERENCE.search(found[2] or b"")
        if reference is None or reference[1] not in left:
            continue
        closing = b"</" + found[1] + b"c>"
        end = found.end() if found[3] else data.find(closing, found.end()) + len(closing)
        if b"<" + found[1] + b"f" in data[found.end() : end]:
            raise UsageError(f"{path}: the cell {reference[1].decode()} holds a formula; change it in Excel.")
        text = left.pop(reference[1])
        parts += [data[at : found.start()], _cell_xml(found[1], _TYPE.sub(b"", found[2] or b""), text)]
        at = end
    if left:
        raise UsageError(
            f"{path}: the cell {min(left).decode()} cannot be found; save the file in Excel and try again."
        )
    return b"".join((*parts, data[at:]))


def _cell_xml(prefix: bytes, attributes: bytes, text: str) -> bytes:
    # Excel reads _x0041_ as a character; its first underscore has to be written as one, too.
    value = escape(_CODED.sub(r"_x005F_x\1_", text)).encode()
    inner = b'<%bis><%bt xml:space="preserve">%b</%bt></%bis>' % (prefix, prefix, value, prefix, prefix)
    return b'<%bc%b t="inlineStr">%b</%bc>' % (prefix, attributes, inner, prefix)
