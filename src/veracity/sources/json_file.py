"""JSON lines, and JSON files that are one list of objects: each key is a column, nested values are shown as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from veracity.contracts import FileProblem, clip
from veracity.sources.encoding import detect, transcoded
from veracity.sources.sentences import Unreadable
from veracity.sources.source import FileFacts, free_name, identifier, literal, of_table
from veracity.sources.text_columns import DATES, NUMBERS, READINGS, ColumnReading, TextColumn, typed_table

if TYPE_CHECKING:
    import duckdb

_MOST_KEYS = 1000
_KEYS_AT_ONCE = 200
_LONGEST_OBJECT = 16_777_216
_SAMPLE = 200
_FIRST = 65_536
_NUMBERS = {"BIGINT", "UBIGINT", "HUGEINT", "DOUBLE"}
_EXACT_DIGITS = 15
_PLAIN = (NUMBERS[0],)
_FLOATS = (NUMBERS[-1],)
_TRUTHS = tuple(reading for reading in READINGS if reading.kind == "BOOLEAN")


@dataclass(frozen=True, slots=True)
class _Structure:
    """What the objects of a file are made of."""

    objects: str
    """The call that reads them."""
    keys: Mapping[str, frozenset[str]]
    """Each key with the types of its values."""
    names: Mapping[str, str]
    """Each key with the name of its column."""
    doubled: int
    """Objects that name a key twice."""


def add_json(connection: duckdb.DuckDBPyConnection, file: Path, table: str, folder: Path) -> FileFacts:
    """A view of a file of objects. Keys and types are found by looking at every object."""
    encoding = detect(file)
    if encoding.codec not in ("utf-8", "utf-8-sig", "utf-16"):
        raise Unreadable("json_encoding", file=file)
    # The engine stumbles over a byte order mark.
    readable = file if encoding.codec == "utf-8" else transcoded(file, encoding, folder / "utf8.json")
    lines = is_lines(readable)
    structure = _structure(connection, file, readable, lines=lines)
    relation, columns = _columns(connection, structure)
    typed = typed_table(connection, relation, columns, first_row=1)
    chosen = ", ".join(f"{column.sql} AS {identifier(column.name)}" for column in typed.columns)
    connection.execute(f"CREATE VIEW {identifier(table)} AS SELECT {chosen} FROM {relation}")
    return FileFacts(
        file,
        "json lines" if lines else "json",
        {table: typed.row_count},
        encoding=encoding.name,
        problems=tuple(of_table(problem, table) for problem in (*_about(structure), *typed.problems)),
        reads=(readable,),
    )


def _objects(file: Path, *, lines: bool) -> str:
    options = f"format = '{'newline_delimited' if lines else 'array'}', maximum_object_size = {_LONGEST_OBJECT}"
    return f"read_json_objects({literal(str(file))}, {options}, hive_partitioning = false)"


def _columns(connection: duckdb.DuckDBPyConnection, structure: _Structure) -> tuple[str, list[TextColumn]]:
    """Every key as a column of text, and what is known of it."""
    names = structure.names
    fields = (f"json_extract_string(json, {literal(_pointer(key))}) AS {identifier(names[key])}" for key in names)
    relation = f"(SELECT {', '.join(fields)} FROM {structure.objects})"
    heads = _heads(connection, relation, list(names.values()))
    columns = [TextColumn(names[key], heads[names[key]], _readings(kinds)) for key, kinds in structure.keys.items()]
    floats = _floats(connection, relation, columns)
    return relation, [TextColumn(c.name, (), _FLOATS) if c.name in floats else c for c in columns]


def is_lines(file: Path) -> bool:
    """Whether a file is one object per line; otherwise it begins with the bracket of a list."""
    with file.open("rb") as stream:
        return not stream.read(_FIRST).lstrip().startswith(b"[")


def _structure(connection: duckdb.DuckDBPyConnection, file: Path, readable: Path, *, lines: bool) -> _Structure:
    """Every key with the types of its values, in the order in which keys appear."""
    import duckdb

    objects = _objects(readable, lines=lines)
    other, doubled = "json_type(json) <> 'OBJECT'", "len(json_keys(json)) > len(list_distinct(json_keys(json)))"
    asked = f"SELECT count(*) FILTER (WHERE {other}), count(*) FILTER (WHERE {doubled}) FROM {objects}"
    try:
        others, twice = connection.execute(asked).fetchone() or (1, 0)
        keys = _keys(connection, objects)
        if len(keys) > _MOST_KEYS:
            raise Unreadable("json_keys", file=file, most=_MOST_KEYS)
        kinds = _kinds(connection, objects, keys)
    except duckdb.Error:
        raise _broken(file, readable, lines=lines) from None
    if not keys or others:
        raise _broken(file, readable, lines=lines)
    return _Structure(objects, kinds, _names(keys), doubled=int(twice))


def _kinds(connection: duckdb.DuckDBPyConnection, objects: str, keys: Sequence[str]) -> dict[str, frozenset[str]]:
    """The types of each key's values: one, or two that show that they are mixed."""
    kinds: dict[str, frozenset[str]] = {}
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        some = keys[start : start + _KEYS_AT_ONCE]
        numbers = ", ".join(literal(kind) for kind in sorted(_NUMBERS))
        found = [f"nullif(json_type(json, {literal(_pointer(key))}), 'NULL')" for key in some]
        classes = [f"CASE WHEN {kind} IN ({numbers}) THEN 'NUMBER' ELSE {kind} END" for kind in found]
        asked = ", ".join(f"min({kind}), max({kind})" for kind in classes)
        told = connection.execute(f"SELECT {asked} FROM {objects}").fetchone() or ()
        for key, pair in zip(some, zip(told[::2], told[1::2], strict=True), strict=True):
            kinds[key] = frozenset(kind for kind in pair if kind is not None)
    return kinds


def _keys(connection: duckdb.DuckDBPyConnection, objects: str) -> list[str]:
    """The keys of all objects: first those of the first objects, as they come, then whatever appears later."""
    first = connection.execute(f"SELECT json_keys(json) FROM {objects} LIMIT {_SAMPLE}").fetchall()
    every = f"SELECT DISTINCT unnest(json_keys(json)) AS key FROM {objects} LIMIT {_MOST_KEYS + 1}"
    later = sorted(row[0] for row in connection.execute(every).fetchall())
    return list(dict.fromkeys([*(key for (keys,) in first for key in keys), *later]))[: _MOST_KEYS + 1]


def _broken(file: Path, readable: Path, *, lines: bool) -> Unreadable:
    """What is wrong with a file that is no table, with the line where that can be told."""
    if not lines or file.suffix.lower() == ".json":
        return Unreadable("json_list", file=file)
    with readable.open("rb") as stream:
        for number in range(1, 10**9):
            line = stream.readline(_LONGEST_OBJECT + 1)
            if not line:
                break
            if line.strip() and not _is_object(line):
                return Unreadable("json_line", file=file, line=number)
    return Unreadable("json_none", file=file)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _names(keys: Iterable[str]) -> dict[str, str]:
    taken: set[str] = set()
    return {key: free_name(key.strip() or f"column_{n}", taken) for n, key in enumerate(keys, 1)}


def _readings(kinds: frozenset[str]) -> tuple[ColumnReading, ...]:
    """How the values of a key can be read. A number in quotes stays text: whoever wrote it meant a code."""
    if kinds == {"VARCHAR"}:
        return DATES
    if kinds == {"BOOLEAN"}:
        return _TRUTHS
    return (*_PLAIN, *_FLOATS) if kinds == {"NUMBER"} else ()


def _heads(connection: duckdb.DuckDBPyConnection, relation: str, names: list[str]) -> dict[str, tuple[str, ...]]:
    rows = connection.execute(f"SELECT * FROM {relation} LIMIT {_SAMPLE}").fetchall()
    return {name: tuple(row[i].strip() for row in rows if row[i] and row[i].strip()) for i, name in enumerate(names)}


def _floats(connection: duckdb.DuckDBPyConnection, relation: str, columns: list[TextColumn]) -> frozenset[str]:
    """JSON readers keep fractions as floats: columns with more digits than those can hold stay floats."""
    names = [column.name for column in columns if NUMBERS[0] in column.readings]
    if not names:
        return frozenset()
    digits = "max(length(regexp_replace({0}, '[^0-9]', '', 'g'))) FILTER (WHERE contains({0}, '.'))"
    asked = ", ".join(digits.replace("{0}", identifier(name)) for name in names)
    longest = connection.execute(f"SELECT {asked} FROM {relation}").fetchone() or ()
    return frozenset(name for name, count in zip(names, longest, strict=True) if (count or 0) > _EXACT_DIGITS)


def _about(structure: _Structure) -> Iterator[FileProblem]:
    """What is to be said of the objects."""
    for key, kinds in structure.keys.items():
        name = structure.names[key]
        if kinds & {"ARRAY", "OBJECT"}:
            yield FileProblem(column=name, what="Holds lists or objects; they are shown as JSON text.")
        elif len(kinds) > 1:
            yield FileProblem(column=name, what="Holds values of different types; they are kept as text.")
        if name != key:
            yield FileProblem(column=name, what=f"The key {clip(key, 40)!r} is called so here.")
    if structure.doubled:
        yield FileProblem(what=f"Some objects name a key twice ({structure.doubled}); the first value is taken.")
