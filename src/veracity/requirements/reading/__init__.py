"""Requirements out of the files that people keep them in, with ids and places.

Plain text, Markdown, CSV, XLSX, StrictDoc, Doorstop, Gherkin and ReqIF; a file by its ending, or by a format that is given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from veracity.errors import SourceError, UsageError
from veracity.requirements.contracts import Requirement
from veracity.requirements.reading.document import (
    FORMATS,
    Cell,
    Format,
    FoundRequirement,
    RequirementDocument,
    TextPassage,
    digest_of,
    document_of,
    file_bytes,
    is_there,
    with_ids_of_their_own,
)
from veracity.requirements.reading.other_tools import SETTINGS, read_doorstop, read_gherkin, read_reqif, read_strictdoc
from veracity.requirements.reading.sheets import read_csv, read_workbook
from veracity.requirements.reading.statements import read_markdown, read_plain

__all__ = [
    "FORMATS",
    "Cell",
    "Format",
    "RequirementDocument",
    "TextPassage",
    "format_of",
    "open_document",
    "open_documents",
    "read_requirements",
]

READERS: dict[Format, Callable[[Path, str | None], FoundRequirement]] = {
    "text": read_plain,
    "markdown": read_markdown,
    "csv": read_csv,
    "xlsx": read_workbook,
    "sdoc": read_strictdoc,
    "doorstop": read_doorstop,
    "gherkin": read_gherkin,
    "reqif": read_reqif,
}
_ENDINGS: dict[str, Format] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".csv": "csv",
    ".tsv": "csv",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".sdoc": "sdoc",
    ".yml": "doorstop",
    ".yaml": "doorstop",
    ".feature": "gherkin",
    ".reqif": "reqif",
    ".reqifz": "reqif",
}
_WITH_COLUMNS: tuple[Format, ...] = ("markdown", "csv", "xlsx", "sdoc", "doorstop", "reqif")
_MOST_FILES = 10_000
_NOT_ENTERED = frozenset(("node_modules", "__pycache__", "venv", "site-packages"))


def read_requirements(
    path: str | Path,
    *,
    column: str | None = None,
    format: Format | None = None,
) -> tuple[Requirement, ...]:
    """The requirements of a file, or of every file of a folder that holds some."""
    documents = open_documents(path, column=column, format=format)
    return tuple(requirement for document in documents for requirement in document.requirements)


def open_documents(
    path: str | Path,
    *,
    column: str | None = None,
    format: Format | None = None,
) -> tuple[RequirementDocument, ...]:
    """A file, or every file of a folder that holds requirements; an id that two files use gets the path before it."""
    path = Path(path)
    if not is_there(path, Path.is_dir):
        return (open_document(path, column=column, format=format),)
    documents = []
    for file in _files(path, format):
        kind = format or format_of(file)
        if kind is not None:
            found = READERS[kind](file, column if kind in _WITH_COLUMNS else None)
            if found.entries and found.sure:
                documents.append(document_of(file, kind, found, digest=digest_of(file_bytes(file)), column=column))
    if not documents:
        raise SourceError(f"{path} holds no file with requirements; known are {', '.join(_ENDINGS)}.")
    return with_ids_of_their_own(documents)


def open_document(
    path: str | Path,
    *,
    column: str | None = None,
    format: Format | None = None,
) -> RequirementDocument:
    """One file with its requirements; raises `SourceError` when it cannot be read or holds none."""
    path = Path(path)
    kind = format or format_of(path)
    if kind is None:
        raise UsageError(f"{path} does not show by its ending what it is; give its format: {', '.join(FORMATS)}.")
    if kind not in READERS:
        raise UsageError(f"There is no format {kind!r}; choose one of {', '.join(FORMATS)}.")
    if column is not None and kind not in _WITH_COLUMNS:
        raise UsageError(f"{path} has no columns to choose from; leave out --column.")
    raw = file_bytes(path)
    found = READERS[kind](path, column)
    if not found.entries:
        raise (SourceError if column is None else UsageError)(found.nothing)
    return document_of(path, kind, found, digest=digest_of(raw), column=column)


def format_of(path: Path) -> Format | None:
    """The format of a file by its ending; None when it does not tell."""
    return _ENDINGS.get(path.suffix.casefold(), "text" if not path.suffix else None)


def _files(folder: Path, format: Format | None) -> Iterator[Path]:
    """The files of a folder that may hold requirements, in the order of their names; what is hidden is left out."""
    count = 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_ENTERED)
        for name in sorted(names):
            known = _ENDINGS.get(Path(name).suffix.casefold())
            # YAML is for many things; only beside its settings it is surely Doorstop's.
            if known is None or known != (format or known) or (known == "doorstop" and SETTINGS not in names):
                continue
            if name.startswith((".", "~$")) or not is_there(file := Path(root, name), Path.is_file):
                continue
            count += 1
            if count > _MOST_FILES:
                raise SourceError(f"{folder} holds more than {_MOST_FILES:,} files; name a folder further down.")
            yield file
