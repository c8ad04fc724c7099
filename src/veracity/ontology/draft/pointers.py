"""Columns of numbers that may be foreign keys although their names name no table: a person is asked which table they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from veracity.errors import QueryFailed
from veracity.ontology.draft.counting import SourceCounter
from veracity.ontology.draft.findings import ColumnProfile, FoundKey, FoundPointer, FoundRelation, TableProfile
from veracity.ontology.draft.names import in_list, says, split, words_for
from veracity.sources.source import ColumnType

_MOST_CANDIDATES = 5
_MOST_TABLES = 60
_FEWEST_VALUES = 8
_SPARSE = 2
_FIGURE_WORDS = ("adds", "may_add", "never_adds", "averages", "levels", "counts", "years", "months", "dates", "codes")


def pointers_of(
    counter: SourceCounter,
    tables: Sequence[TableProfile],
    keys: Mapping[str, FoundKey],
    relations: Sequence[FoundRelation],
    words: frozenset[str],
) -> Iterator[FoundPointer]:
    """Columns of whole numbers that no relation uses yet, and the tables whose keys hold all of these numbers."""
    usable = [table for table in tables if not table.problem and table.rows and table.sampled is None]
    if len(usable) > _MOST_TABLES:
        return
    parents = [
        (table, table.column(key.columns[0]))
        for table in usable
        if (key := keys.get(table.name)) is not None
        and len(key.columns) == 1
        and table.column(key.columns[0]).type is ColumnType.INTEGER
    ]
    parents.sort(key=lambda one: one[1].distinct)
    pointing = {(one.table, name) for one in relations for name in one.columns}
    for table in usable:
        key = keys.get(table.name)
        for column in table.columns:
            own = key is not None and column.name in key.columns
            if column.type is not ColumnType.INTEGER or own or (table.name, column.name) in pointing:
                continue
            if (found := _pointer(counter, table, column, parents, words)) is not None:
                yield found


def _pointer(
    counter: SourceCounter,
    table: TableProfile,
    column: ColumnProfile,
    parents: Sequence[tuple[TableProfile, ColumnProfile]],
    words: frozenset[str],
) -> FoundPointer | None:
    named = split(column.name, words)
    is_id = len(named) > 1 and in_list(named[-1], "identifiers")
    if not is_id and len(named) > 1 and in_list(named[-1], "filed_under"):
        # Called a number as the keys of other tables are: LeiterNr, where there is a PersonalNr.
        parents = [one for one in parents if split(one[1].name, words)[-1] == named[-1]]
        is_id = bool(parents)
    if column.distinct < 2 or (not is_id and any(says(named, which) for which in _FIGURE_WORDS)):
        return None
    # Without a word that says so, one key with gaps must do: small numbers lie in every key from 1 to n.
    likely = parents if is_id else [one for one in parents if column.distinct >= _FEWEST_VALUES and _is_sparse(one[1])]
    held = list(
        islice((one for one in likely if _holds(counter, table, column, *one)), _MOST_CANDIDATES if is_id else 2)
    )
    if not held or (len(held) > 1 and not is_id):
        return None
    bare = [word for word in named if not in_list(word, "identifiers") and word not in words_for("filed_under")]
    return FoundPointer(
        table=table.name,
        column=column.name,
        role=" ".join(bare),
        candidates=tuple((other.name, key.name) for other, key in held),
        evidence=f"all {column.distinct:,} values are contained",
    )


def _holds(
    counter: SourceCounter, table: TableProfile, column: ColumnProfile, other: TableProfile, key: ColumnProfile
) -> bool:
    if column.distinct > key.distinct or None in (column.low, column.high, key.low, key.high):
        return False
    if int(column.low or 0) < int(key.low or 0) or int(column.high or 0) > int(key.high or 0):
        return False
    if int(key.high or 0) - int(key.low or 0) + 1 == other.rows:
        return True  # a key without gaps holds all numbers in between; nothing needs to be counted
    schemas = counter.source.tables
    try:
        return not counter.strays(schemas[table.name], table.rows, (column.name,), schemas[other.name], (key.name,))[1]
    except QueryFailed:
        return False


def _is_sparse(key: ColumnProfile) -> bool:
    return int(key.high or 0) - int(key.low or 0) + 1 >= _SPARSE * key.distinct
