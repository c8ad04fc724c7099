"""CSV files: encoding, dialect, names and types are found once, by one look at every value, and then hold for every query."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.contracts import FileProblem, clip
from veracity.language.number_format import BLANKS
from veracity.sources.dialect import HEAD, Dialect, Quoting, likely_dialects, misfit, reader
from veracity.sources.encoding import detect, transcoded
from veracity.sources.layout import Layout, adds_up, find_layout, is_label, left_out
from veracity.sources.sentences import Unreadable
from veracity.sources.source import FileFacts, identifier, literal, of_table
from veracity.sources.text_columns import TextColumn, TypedTable, typed_table

if TYPE_CHECKING:
    import duckdb

_LOOKED_AT = 200
_COMPARED = 50
_TAIL = 65_536
_LONGEST_CELL = 2_000_000
_LINE_ENDS = {"\n": r"\n", "\r\n": r"\r\n", "\r": r"\r"}
_SPOKEN = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}


@dataclass(frozen=True, slots=True)
class _Text:
    """A file that the engine can read, and how."""

    file: Path
    dialect: Dialect
    layout: Layout
    skip: int
    """Records above the data."""

    @property
    def relation(self) -> str:
        """The call that reads every column as text."""
        quote = self.dialect.quoting.quote
        options = {
            "delim": self.dialect.delimiter,
            "quote": quote,
            "escape": quote,
            "header": False,
            "skip": self.skip,
            "new_line": _LINE_ENDS[self.dialect.line_end or "\n"],
        }
        return read_csv(self.file, options, dict.fromkeys(self.layout.names, "VARCHAR"))


def add_csv(connection: duckdb.DuckDBPyConnection, file: Path, table: str, folder: Path) -> FileFacts:
    """A view of a CSV file; copies that the engine can read better go to the folder.

    Every column is read as text and cast, so that a quoted empty text is told from a missing value, and decimals never
    pass through a float.
    """
    encoding = detect(file)
    readable = file if encoding.is_utf8 else transcoded(file, encoding, folder / "utf8.csv")
    beginning, complete = _beginning(readable)
    dialect, layout = _layout(file, beginning, complete=complete)
    text, source, typed, problems = _read(
        connection, file, _Text(readable, dialect, layout, layout.first), folder, complete=complete
    )
    kept = [c for i, c in enumerate(typed.columns) if not (c.is_empty and i in layout.unnamed)]
    if less := len(typed.columns) - len(kept):
        what = f"{less} column{'' if less == 1 else 's'} without name and values left out."
        problems.append(FileProblem(what=what))
    if not kept:
        raise Unreadable("no_column", file=file)
    chosen = ", ".join(f"{column.sql} AS {identifier(column.name)}" for column in kept)
    connection.execute(f"CREATE VIEW {identifier(table)} AS SELECT {chosen} FROM {source}")
    named = [of_table(problem, table) for problem in (*layout.problems, *_unnamed(layout, kept), *problems)]
    about_file = [FileProblem(what=note) for note in (encoding.note, _doubt(dialect), _stray(dialect)) if note]
    return FileFacts(
        file,
        "csv",
        {table: typed.row_count},
        encoding=encoding.name,
        delimiter=dialect.delimiter if dialect.width > 1 else None,
        problems=(*about_file, *named),
        reads=(text.file,),
    )


def read_csv(file: Path, options: Mapping[str, Any], types: Mapping[str, str]) -> str:
    """A call of DuckDB's read_csv with everything said, nothing guessed."""
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in types.items())
    fixed = {"auto_detect": False, "allow_quoted_nulls": False, "hive_partitioning": False}
    given = ", ".join(f"{key} = {literal(value)}" for key, value in {**fixed, **options}.items())
    return f"read_csv({literal(str(file))}, columns = {{{columns}}}, {given})"


# --- from a file to a text that the engine reads


def _beginning(file: Path) -> tuple[str, bool]:
    """The beginning of a file, and whether that is all of it."""
    with file.open(encoding="utf-8-sig", newline="") as stream:
        text = stream.read(HEAD)
        complete = not stream.read(1)
    return text, complete


def _layout(file: Path, beginning: str, *, complete: bool) -> tuple[Dialect, Layout]:
    """How a file is divided, and where its table begins."""
    for dialect in likely_dialects(beginning, complete=complete):
        layout = find_layout(dialect.rows[: dialect.lead + _LOOKED_AT], lead=dialect.lead)
        if layout is not None:
            return dialect, layout
    raise _broken(file, misfit(beginning))


def _broken(file: Path, misfitting: tuple[int, int, int] | None) -> Unreadable:
    if misfitting is None:
        return Unreadable("kind", file=file, kind="CSV")
    line, count, width = misfitting
    return Unreadable("field" if count == 1 else "fields", file=file, line=line, count=count, width=width)


def _read(
    connection: duckdb.DuckDBPyConnection, file: Path, text: _Text, folder: Path, *, complete: bool
) -> tuple[_Text, str, TypedTable, list[FileProblem]]:
    """The text as it is, if the engine reads it as we do and gets through it; otherwise a copy in the plainest dialect."""
    import duckdb

    if text.dialect.is_native and _is_understood(connection, text, complete=complete):
        try:
            return text, *_typed(connection, text)
        except duckdb.InvalidInputException:
            pass  # Line ends or quotes change further down; the copy below ends well, or says which line is broken.
    copy = _rewritten(file, text, folder / "plain.csv")
    plain = replace(text.dialect, delimiter=",", quoting=Quoting('"'), line_end="\n")
    text = _Text(copy, plain, text.layout, skip=0)
    return text, *_typed(connection, text)


def _is_understood(connection: duckdb.DuckDBPyConnection, text: _Text, *, complete: bool) -> bool:
    """Whether the engine sees the same cells at the beginning of a file."""
    import duckdb

    body = [row for row in text.dialect.rows[text.skip :] if row or text.dialect.width == 1]
    compared = body if complete else body[:_COMPARED]
    try:
        seen = connection.execute(f"SELECT * FROM {text.relation} LIMIT {len(compared) + complete}").fetchall()
    except duckdb.Error:
        return False
    return [tuple(cell or "" for cell in row) for row in seen] == [tuple(row) or ("",) for row in compared]


def _rewritten(file: Path, text: _Text, target: Path) -> Path:
    """A copy of the data in the plainest dialect, made record by record."""
    limit = csv.field_size_limit(_LONGEST_CELL)
    with (
        text.file.open(encoding="utf-8-sig", newline="") as stream,
        target.open("w", encoding="utf-8", newline="") as copy,
    ):
        records = reader(stream, text.dialect.delimiter, text.dialect.quoting)
        try:
            for number, row in enumerate(records):
                if number < text.skip or not row:
                    continue
                if len(row) != text.dialect.width:
                    raise _broken(file, (records.line_num, len(row), text.dialect.width))
                copy.write(",".join(_quoted(cell) for cell in row) + "\n")
        except csv.Error:
            raise Unreadable("quotes", file=file, line=records.line_num) from None
        finally:
            csv.field_size_limit(limit)
    return target


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if cell else ""


# --- from texts to types


def _typed(connection: duckdb.DuckDBPyConnection, text: _Text) -> tuple[str, TypedTable, list[FileProblem]]:
    """What the view selects from, the types of its columns, and what is to be said."""
    first_row = text.layout.first + 1
    total = _labelled_end(text)
    if total is None:
        typed = typed_table(connection, text.relation, _text_columns(text), first_row=first_row)
        return text.relation, typed, list(typed.problems)
    label, cells = total
    is_total = " AND ".join(_same(name, cell) for name, cell in zip(text.layout.names, cells, strict=True))
    body = f"(SELECT * FROM {text.relation} WHERE NOT ({is_total}))"
    typed = typed_table(connection, body, _text_columns(text, without=cells), first_row=first_row)
    if not _adds_up(connection, typed, body, f"(SELECT * FROM {text.relation} WHERE {is_total})"):
        typed = typed_table(connection, text.relation, _text_columns(text), first_row=first_row)
        return text.relation, typed, list(typed.problems)
    said = FileProblem(row=first_row + typed.row_count, what=left_out(clip(label, 40)))
    return body, typed, [*typed.problems, said]


def _text_columns(text: _Text, *, without: Sequence[str] = ()) -> list[TextColumn]:
    body = [row for row in text.dialect.rows[text.layout.first :] if row and row != tuple(without)][: 5 * _LOOKED_AT]
    heads = [tuple(cell for row in body if (cell := row[i].strip(BLANKS))) for i in range(len(text.layout.names))]
    return [TextColumn(name, head) for name, head in zip(text.layout.names, heads, strict=True)]


def _labelled_end(text: _Text) -> tuple[str, list[str]] | None:
    """The last record of a file, if it calls itself a total."""
    with text.file.open("rb") as stream:
        stream.seek(max(0, text.file.stat().st_size - _TAIL))
        tail = stream.read().decode("utf-8", "replace").rstrip("\r\n")
    last = tail.replace("\r", "\n").rpartition("\n")[2]
    records = reader([last], text.dialect.delimiter, text.dialect.quoting)
    try:
        cells: list[str] = next(records, [])
    except csv.Error:
        return None
    label = next((cell for cell in cells if is_label(cell)), None)
    return (label, cells) if label and len(cells) == text.dialect.width > 1 else None


def _same(name: str, cell: str) -> str:
    return f"coalesce({identifier(name)}, '') = {literal(cell)}"


def _adds_up(connection: duckdb.DuckDBPyConnection, typed: TypedTable, body: str, total: str) -> bool:
    """Whether a row certainly is a total: there is one such row, and it holds the sum of a column of two values or more."""
    numbers = [column.sql for column in typed.columns if column.is_number]
    if not numbers:
        return False
    shown = connection.execute(f"SELECT {', '.join(f'TRY({sql})' for sql in numbers)} FROM {total}").fetchall()
    asked = ", ".join(f"sum({sql}), count(nullif({sql}, 0))" for sql in numbers)
    sums = connection.execute(f"SELECT {asked} FROM {body}").fetchone() or ()
    if len(shown) != 1:
        return False
    pairs = zip(shown[0], sums[::2], sums[1::2], strict=True)
    return any(count > 1 and adds_up(value, added) for value, added, count in pairs)


# --- what is to be said


def _doubt(dialect: Dialect) -> str | None:
    if dialect.doubt is None:
        return None
    return f"Fields are taken to be apart by {_SPOKEN[dialect.delimiter]}; {_SPOKEN[dialect.doubt]} would fit as well."


def _stray(dialect: Dialect) -> str | None:
    if dialect.quoting.quote or not any('"' in cell for row in dialect.rows for cell in row):
        return None
    return "Quotes in the file do not close; they are read as characters."


def _unnamed(layout: Layout, kept: Sequence[Any]) -> list[FileProblem]:
    names = {column.name for column in kept}
    made_up = [layout.names[i] for i in sorted(layout.unnamed) if layout.names[i] in names]
    return [FileProblem(column=name, what=f"The column has no name; it is called {name}.") for name in made_up]
