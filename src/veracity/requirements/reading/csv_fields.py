"""CSV files, field by field with their offsets, so that one field can be replaced and nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from veracity.errors import SourceError
from veracity.requirements.reading.document import Entry, Found, Passage, Piece
from veracity.requirements.reading.source import Source, read_source
from veracity.requirements.reading.tables import find_columns, missing_column
from veracity.sources.dialect import HEAD, Dialect, Quoting, likely_dialects, misfit

_LOOKED_AT = 400
_LINE_ENDS = ("\r\n", "\n", "\r")


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record: where it stands, quotes included."""

    start: int
    end: int
    quoted: bool


def read_csv(path: Path, column: str | None = None) -> Found:
    """A requirement per record: one column holds the texts, another may hold the ids."""
    source = read_source(path)
    nothing = f"{path} is empty; a table needs a row of names and a requirement per row."
    if not source.text.strip():
        return Found((), nothing, source)
    dialect = _dialect(source)
    rows = list(records(source, dialect))
    texts = [[value(source.text, one, dialect.quoting) for one in row] for row in rows[:_LOOKED_AT]]
    columns = find_columns(texts, column)
    if columns is None:
        return Found((), missing_column(path, column, texts), source)
    named = find_columns(texts, column, named_only=True) is not None
    entries = []
    for row in rows[columns.first :]:
        _check_width(source, row, dialect)
        if columns.text < len(row):
            written = columns.id_of([value(source.text, one, dialect.quoting) for one in row])
            entry = _entry(source, row[columns.text], dialect.quoting, written)
            entries += [] if entry is None else [entry]
    return Found(entries, f"{path} holds no requirement below the names of its columns.", source, dialect, sure=named)


def _dialect(source: Source) -> Dialect:
    beginning = source.text[:HEAD]
    dialects = likely_dialects(beginning, complete=len(source.text) <= HEAD)
    if dialects:
        return dialects[0]
    odd = misfit(beginning)
    if odd is None:
        raise SourceError(f"{source.path} cannot be read as CSV; check that it is complete and really of that kind.")
    raise SourceError(f"{source.path}: line {odd[0]} has {odd[1]} fields where others have {odd[2]}; mend it.")


def _check_width(source: Source, row: list[Field], dialect: Dialect) -> None:
    if len(row) > dialect.width and row[0].end > row[0].start:
        line = source.place(row[0].start).line
        raise SourceError(
            f"{source.path}: line {line} has {len(row)} fields where others have {dialect.width}; "
            "put a text that holds the delimiter in quotes."
        )


def records(source: Source, dialect: Dialect) -> Iterator[list[Field]]:
    """The records of a file; raises with the line of a quote that does not close."""
    text, at = source.text, 0
    stop = re.compile(rf"[{re.escape(dialect.delimiter)}\r\n]")
    while at < len(text):
        row = []
        while True:
            one = _field(source, at, stop, dialect.quoting)
            row.append(one)
            at = one.end
            if not text.startswith(dialect.delimiter, at):
                break
            at += 1
        at += next((len(end) for end in _LINE_ENDS if text.startswith(end, at)), 0)
        yield row


def _field(source: Source, at: int, stop: re.Pattern[str], quoting: Quoting) -> Field:
    text = source.text
    begin = at
    while quoting.spaced and text.startswith(" ", begin):
        begin += 1
    if not quoting.quote or not text.startswith(quoting.quote, begin):
        found = stop.search(text, at)
        return Field(at, found.start() if found else len(text), quoted=False)
    end = _closing(text, begin + 1, quoting)
    if end is None or not (end == len(text) or stop.match(text, end)):
        raise SourceError(f"{source.path}: line {source.place(begin).line} cannot be read; check its quotes.")
    return Field(begin, end, quoted=True)


def _closing(text: str, at: int, quoting: Quoting) -> int | None:
    """The offset behind the quote that closes a field."""
    while (at := text.find(quoting.quote, at)) >= 0:
        if quoting.backslash and _is_escaped(text, at):
            at += 1
        elif not quoting.backslash and text.startswith(quoting.quote, at + 1):
            at += 2
        else:
            return at + 1
    return None


def _is_escaped(text: str, at: int) -> bool:
    count = 0
    while at > count and text[at - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def value(text: str, one: Field, quoting: Quoting) -> str:
    """What a field says."""
    return "".join(part for part, _ in _parts(text, one, quoting))


def _parts(text: str, one: Field, quoting: Quoting) -> Iterator[tuple[str, int]]:
    """What a field says, cut where it is written in another way, with the offset of every part."""
    start, end = (one.start + 1, one.end - 1) if one.quoted else (one.start, one.end)
    written = re.escape(quoting.quote * 2) if one.quoted and not quoting.backslash else None
    written = r"\\." if one.quoted and quoting.backslash else written
    at = start
    for found in re.compile(rf"\r\n?|{written}" if written else r"\r\n?").finditer(text, start, end):
        if found.start() > at:
            yield text[at : found.start()], at
        yield ("\n" if found.group()[0] == "\r" else found.group()[-1]), found.start()
        at = found.end()
    if at < end:
        yield text[at:end], at


def _entry(source: Source, one: Field, quoting: Quoting, name: str | None) -> Entry | None:
    parts = list(_parts(source.text, one, quoting))
    whole = "".join(part for part, _ in parts)
    text = whole.strip()
    if not text:
        return None
    pieces, at = [], -(len(whole) - len(whole.lstrip()))
    for part, start in parts:
        cut = min(max(-at, 0), len(part))
        if cut < len(part):
            pieces.append(Piece(at + cut, start + cut, len(part) - cut))
        at += len(part)
    passage = Passage(tuple(pieces), (one.start, one.end), "field")
    return Entry(name, text, source.place(pieces[0].start), passage)
