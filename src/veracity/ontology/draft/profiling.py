"""Tables of a source -> their profiles: counted exactly where they are not too large, else a sample that says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Literal

from veracity.errors import QueryFailed
from veracity.ontology.draft.counting import Counts, SourceCounter
from veracity.ontology.draft.findings import ColumnProfile, TableProfile
from veracity.ontology.draft.names import lists
from veracity.ontology.draft.stored_texts import Writing, is_number, writing_of
from veracity.sources.source import NUMERIC, ColumnType, TableSchema

FEW_VALUES = 40
_HEAD = 500
_MOST_READ = 20_000
"""Texts that may be numbers or days are all looked at, unless there are more different ones."""
_DAY_FIRST = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})")
_COMPACT = re.compile(r"(19|20)\d{6}")
_LISTED = (ColumnType.TEXT, ColumnType.INTEGER)
Progress = Callable[[int, int], None]


def profiles(counter: SourceCounter, names: Sequence[str], progress: Progress) -> Iterator[TableProfile]:
    """The profile of every table; one that fails says why and does not stop the others. Ctrl-C keeps those that are done."""
    stopped = False
    for done, name in enumerate(names):
        found: TableProfile | None = None
        try:
            if not stopped:
                progress(done, len(names))
                found = profile_of(counter, counter.source.tables[name])
        except KeyboardInterrupt:
            stopped = True
        yield found or TableProfile(name=name, problem="the draft was stopped before")
    progress(len(names), len(names))


def profile_of(counter: SourceCounter, table: TableSchema) -> TableProfile:
    """A table as it is counted."""
    declared = TableProfile(
        name=table.name,
        columns=tuple(ColumnProfile(name=c.name, type=c.type, scale=c.scale) for c in table.columns.values()),
        primary_key=table.primary_key,
        unique=table.unique,
        references=tuple((key.columns, key.table, key.referred) for key in table.foreign_keys),
        select=table.select,
    )
    if not table.columns:
        return declared.model_copy(update={"problem": "it has no column that you may read"})
    try:
        rows = counter.count(table)
        seen, counts = counter.profile(table, rows)
        columns = tuple(_columns(counter, table, rows, counts)) if seen else declared.columns
    except QueryFailed as failure:
        return declared.model_copy(update={"problem": str(failure).rstrip(".").replace("The query", "its query", 1)})
    sampled = seen if rows > counter.sample else None
    return declared.model_copy(update={"rows": rows, "sampled": sampled, "columns": columns})


def _columns(
    counter: SourceCounter, table: TableSchema, rows: int, counts: dict[str, Counts]
) -> Iterator[ColumnProfile]:
    texts = [column for column in table.columns.values() if column.type is ColumnType.TEXT]
    head = counter.head(table, texts, _HEAD) if texts else []
    samples = {c.name: [str(row[at]) for row in head if row[at] is not None] for at, c in enumerate(texts)}
    exact = not counter.estimates(rows)
    for column in table.columns.values():
        if column.name not in counts:
            yield ColumnProfile(name=column.name, type=column.type)
            continue
        filled, distinct, low, high, average, mixed = counts[column.name]
        few = column.type in _LISTED and 0 < distinct <= FEW_VALUES
        profile = ColumnProfile(
            name=column.name,
            type=column.type,
            filled=filled,
            distinct=min(distinct, filled),
            exact=exact,
            low=low,
            high=high,
            length=average if column.type is ColumnType.TEXT else None,
            average=average if column.type in NUMERIC else None,
            values=counter.values(table, rows, column, FEW_VALUES + 1) if few else (),
            mixed=mixed,
            looks=_looks(samples.get(column.name, ())),
            scale=column.scale,
        )
        if (found := _writing(counter, table, rows, profile)) is not None:
            scale = found[1] if found[0] == "number" else column.scale
            profile = profile.model_copy(update={"writing": found[0], "scale": scale})
        yield profile


def _writing(
    counter: SourceCounter, table: TableSchema, rows: int, column: ColumnProfile
) -> tuple[Writing, int] | None:
    """How the texts of a column are written that all hold numbers or days; whole numbers may be days, too, such as 20240131."""
    whole = column.type is ColumnType.INTEGER
    compact = whole and all(one and _COMPACT.fullmatch(one) for one in (column.low, column.high))
    if not (column.looks in ("number", "written") or compact):
        return None
    if column.distinct > _MOST_READ or rows > counter.sample:
        return None
    found = writing_of(counter.values(table, rows, table.columns[column.name], _MOST_READ + 1))
    return None if compact and found and found[0] != "yearmonthday" else found


def _looks(texts: Sequence[str]) -> Literal["date", "written", "number", "truth"] | None:
    """What all of these texts can be read as."""
    filled = [text.strip() for text in texts if text.strip()]
    if not filled:
        return None
    if {text.casefold() for text in filled} in [set(pair) for pair in lists()["truths"]]:
        return "truth"
    if all(_is_date(text) for text in filled):
        return "date"
    if all(_is_written_date(text) for text in filled):
        return "written"
    return "number" if all(is_number(text) for text in filled) else None


def _is_written_date(text: str) -> bool:
    """20240131, 31.1.2024, 1/31/2024."""
    if _COMPACT.fullmatch(text):
        return 1 <= int(text[4:6]) <= 12 and 1 <= int(text[6:8]) <= 31
    if found := _DAY_FIRST.fullmatch(text):
        one, two = int(found[1]), int(found[2])
        return 1 <= min(one, two) <= 12 and 1 <= max(one, two) <= 31
    return False


def _is_date(text: str) -> bool:
    if not re.match(r"\d{4}-\d\d-\d\d", text):
        return False
    try:
        datetime.fromisoformat(text) if len(text) > 10 else date.fromisoformat(text)
    except ValueError:
        return False
    return True
