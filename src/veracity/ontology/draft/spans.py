"""How long rows last: where one date begins them and another one ends them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veracity.ontology.draft.counting import SourceCounter
from veracity.ontology.draft.findings import ColumnClass, FoundSpan, TableDraft
from veracity.ontology.draft.names import split
from veracity.ontology.draft.proposals import said
from veracity.sources.source import ColumnType, identifier

_UNITS = {ColumnType.DATE: "d", ColumnType.TIMESTAMP: "min"}


def with_span(counter: SourceCounter, table: TableDraft, words: frozenset[str]) -> TableDraft:
    """The table with its span: two dates of one type that the names pair, of which the second is never before the first."""
    dates = [column for column in table.columns if column.verdict.kind is ColumnClass.DATE and column.verdict.sure]
    named = {column.profile.name: split(column.profile.name, words) for column in dates if not column.is_rewritten}
    taken = any(set(split(name, words)) & {"duration", "dauer"} for name in table.profile.names)
    if taken or table.key is None:
        return table
    pairs = [
        (one, two, entry) for one in named for two in named if (entry := _pair(named[one], named[two])) is not None
    ]
    if any(_says_how_long(split(name, words)) for name in table.profile.names):
        pairs = [pair for pair in pairs if not pair[2].get("worked")]
    pairs = [pair for pair in pairs if not _backwards(counter, table, *pair[:2])]
    if len(pairs) != 1:
        return table
    start, end, entry = pairs[0]
    kinds = {table.column(name).profile.type for name in (start, end)}
    unit = _UNITS.get(kinds.pop()) if len(kinds) == 1 else None
    # SQLite counts time in parts of a day, which are not exact for minutes.
    if unit is None or (unit == "min" and counter.source.dialect == "sqlite"):
        return table
    return table.model_copy(update={"span": FoundSpan(start=start, end=end, unit=unit, kind=entry["kind"])})


def _says_how_long(named: Sequence[str]) -> bool:
    """Whether a column tells itself how long somebody worked on a row: that is not the days in between."""
    spent = not set(named).isdisjoint(said()["spent_times"])
    return spent and set(named).isdisjoint(said()["planned_times"])


def _pair(one: Sequence[str], two: Sequence[str]) -> Mapping[str, Any] | None:
    """What begins with one date and ends with the other."""
    for entry in said()["spans"]:
        if not set(one).isdisjoint(entry["from"]) and not set(two).isdisjoint(entry["to"]):
            found: Mapping[str, Any] = entry
            return found
    return None


def _backwards(counter: SourceCounter, table: TableDraft, start: str, end: str) -> int:
    """How many rows end before they begin."""
    part = counter.part(counter.source.tables[table.name], table.profile.rows)
    return counter.one(f"SELECT COUNT(*) FROM {part} WHERE {identifier(end)} < {identifier(start)}")
