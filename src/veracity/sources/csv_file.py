"""CSV files: dialect and types are found once, by one look at every value, and then hold for every query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.errors import SourceError
from veracity.sources.quoting import identifier, literal

if TYPE_CHECKING:
    import duckdb

MAX_SCALE = 10
"""Numbers with more decimals than this are measurements, not amounts, and stay floats."""
_SAMPLE = 200_000
_HEAD = 65_536

# A plain number, without needless zeros or a plus: 007 and +41 44 are codes and must not lose what makes them one.
_PLAIN = rf"-?(0|[1-9]\d{{0,19}})?(\.\d{{0,{MAX_SCALE}}})?"
_CODED = r"^(\+|-?0\d)"
_LONGEST_WHOLE = 18


@dataclass(frozen=True, slots=True)
class _Sniffed:
    """What the first rows of a file look like."""

    options: Mapping[str, Any]
    types: Mapping[str, str]
    formats: Mapping[str, str | None]
    """How dates and timestamps are written, by type."""


def csv_select(connection: duckdb.DuckDBPyConnection, file: Path) -> str:
    """The SELECT that reads a CSV file with the types that all its values have.

    Every column is read as text and cast, so that a quoted empty text is told from a missing value, and decimals never
    pass through a float.
    """
    with file.open("rb") as stream:
        if b"\0" in stream.read(_HEAD):
            raise SourceError(not_utf8(file))
    sniffed = _sniff(connection, file)
    relation = read_csv(file, sniffed.options, dict.fromkeys(sniffed.types, "VARCHAR"))
    told = _ask(connection, relation, {name: _questions(name, kind, sniffed) for name, kind in sniffed.types.items()})
    types = {name: _type_told(kind, told[name]) for name, kind in sniffed.types.items()}
    unsure = {name: _number_questions(name) for name, kind in types.items() if kind is None}
    for name, (coded, number) in _ask(connection, relation, unsure).items():
        types[name] = "DOUBLE" if number and not coded else "VARCHAR"
    columns = ", ".join(
        f"{_cast(name, kind or 'VARCHAR', sniffed)} AS {identifier(name)}" for name, kind in types.items()
    )
    return f"SELECT {columns} FROM {relation}"


def _ask(
    connection: duckdb.DuckDBPyConnection, relation: str, questions: Mapping[str, list[str]]
) -> dict[str, list[Any]]:
    """The answers to aggregate questions about columns, in one look at the file."""
    if not questions:
        return {}
    asked = ", ".join(question for listed in questions.values() for question in listed)
    answers = list(connection.execute(f"SELECT {asked} FROM {relation}").fetchone() or ())
    return {name: [answers.pop(0) for _ in listed] for name, listed in questions.items()}


def not_utf8(file: Path) -> str:
    """What is said of a file in another encoding."""
    return f"{file} is not encoded in UTF-8; save it as UTF-8 (in Excel: CSV UTF-8) and try again."


def read_csv(file: Path, options: Mapping[str, Any], types: Mapping[str, str]) -> str:
    """A call of DuckDB's read_csv with everything said, nothing guessed."""
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in types.items())
    fixed = {"auto_detect": False, "allow_quoted_nulls": False, "hive_partitioning": False}
    given = ", ".join(f"{key} = {literal(value)}" for key, value in {**fixed, **options}.items())
    return f"read_csv({literal(str(file))}, columns = {{{columns}}}, {given})"


def _sniff(connection: duckdb.DuckDBPyConnection, file: Path) -> _Sniffed:
    found = connection.execute(
        "SELECT Delimiter, Quote, Escape, SkipRows, HasHeader, DateFormat, TimestampFormat, Columns "
        "FROM sniff_csv(?, sample_size = ?)",
        [str(file), _SAMPLE],
    ).fetchone()
    assert found is not None
    delimiter, quote, escape, skip, header, date_format, timestamp_format, columns = found
    if skip:
        raise SourceError(f"{file}: the first {skip} lines do not fit the ones below them; remove or mend them.")
    options = {
        "delim": delimiter,
        # A sample without quotes says nothing of the rows after it.
        "quote": '"' if quote == "(empty)" else quote,
        "escape": '"' if escape == "(empty)" else escape,
        "header": header,
    }
    types = {column["name"]: column["type"] for column in columns}
    return _Sniffed(options, types, {"DATE": date_format, "TIMESTAMP": timestamp_format})


def _text(name: str) -> str:
    return f"nullif(trim({identifier(name)}), '')"


def _questions(name: str, kind: str, sniffed: _Sniffed) -> list[str]:
    """What must be asked of all values of a column before its type is sure."""
    text = _text(name)
    if kind in ("BIGINT", "DOUBLE"):
        return [
            f"bool_and(regexp_full_match({text}, {literal(_PLAIN)}))",
            f"bool_or(contains({text}, '.'))",
            f"max(length({text}))",
            f"max(length({text}) - strpos({text}, '.')) FILTER (WHERE contains({text}, '.'))",
        ]
    if kind == "VARCHAR":
        return [f"count({identifier(name)})"]  # reads every value, so that a broken one is found now
    return [f"bool_and(try_cast({_parsed(text, kind, sniffed, safely=True)} AS {kind}) IS NOT NULL)"]


def _type_told(kind: str, told: list[Any]) -> str | None:
    """The type these answers make sure; None for numbers that are not plain and need a second look."""
    if kind not in ("BIGINT", "DOUBLE"):
        return kind if kind == "VARCHAR" or told[0] else "VARCHAR"
    plain, pointed, longest, scale = told
    if not plain:
        return None
    return "BIGINT" if not pointed and longest <= _LONGEST_WHOLE else f"DECIMAL(38,{scale or 0})"


def _number_questions(name: str) -> list[str]:
    text = _text(name)
    return [f"bool_or(regexp_matches({text}, {literal(_CODED)}))", f"bool_and(try_cast({text} AS DOUBLE) IS NOT NULL)"]


def _parsed(text: str, kind: str, sniffed: _Sniffed, *, safely: bool) -> str:
    """The text, with a date in the file's own writing read as such."""
    pattern = sniffed.formats.get(kind)
    return f"{'try_' if safely else ''}strptime({text}, {literal(pattern)})" if pattern else text


def _cast(name: str, kind: str, sniffed: _Sniffed) -> str:
    if kind == "VARCHAR":
        return identifier(name)
    return f"CAST({_parsed(_text(name), kind, sniffed, safely=False)} AS {kind})"
