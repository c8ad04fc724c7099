"""What identifies a row of each table: declared, or proven by exact counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from veracity.errors import QueryFailed
from veracity.ontology.draft.counting import SourceCounter
from veracity.ontology.draft.findings import SURE_FROM, ColumnProfile, FoundKey, TableProfile
from veracity.ontology.draft.names import ends_in, in_list, same_noun, says, split
from veracity.sources.source import ColumnType

_MOST_PAIRS = 12
_MOST_PARTS = 3
_KEY_TYPES = (ColumnType.INTEGER, ColumnType.TEXT)
_PART_TYPES = (*_KEY_TYPES, ColumnType.DATE, ColumnType.TIMESTAMP)


def key_of(counter: SourceCounter, table: TableProfile, words: frozenset[str]) -> FoundKey | None:
    """The key of a table; nothing where no columns identify its rows, or only a sample says so."""
    if table.primary_key:
        return FoundKey(columns=table.primary_key, proof="declared", evidence="declared as primary key")
    for columns in table.unique:
        if all(table.column(name).filled == table.rows for name in columns) and table.rows:
            return FoundKey(columns=columns, proof="declared", evidence="declared unique, and filled in every row")
    if not table.rows or table.problem:
        return None
    if table.sampled is not None:
        return None
    try:
        for columns in _candidates(table, words):
            if _unique(counter, table, columns):
                return _found(table, columns)
    except QueryFailed:
        return None
    return None


def alternatives(counter: SourceCounter, table: TableProfile, key: FoundKey | None) -> list[tuple[str, ...]]:
    """Other single columns that identify a row, such as a code beside a number: relations may lead to them."""
    found: list[tuple[str, ...]] = [columns for columns in table.unique if len(columns) == 1]
    if not table.rows or table.problem or table.sampled is not None:
        return found
    for column in table.columns:
        own = (column.name,)
        if (key is None or key.columns != own) and own not in found and column.type in _KEY_TYPES:
            words = split(column.name)
            short = column.type is ColumnType.TEXT and column.exact  # a million names are not counted for that
            named = says(words, "identifiers") or says(words, "codes") or short
            if named and _may_be_unique(table, column) and _unique(counter, table, own):
                found.append(own)
    return found


def _candidates(table: TableProfile, words: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Columns that may be the key, likeliest first: called id, called like the table, then other unique ones, then several."""
    own = list(split(table.name.rpartition(".")[2], words))
    singles = [c for c in table.columns if c.type in _KEY_TYPES and _may_be_unique(table, c)]
    if table.rows < SURE_FROM or any(_is_when(column, words) for column in table.columns):
        # A few rows, or rows of things at times: the key of another thing is unique by accident.
        singles = [c for c in singles if not _is_of_another(c, own, words)]
    if _is_junction(table, own, words):
        singles = []  # what ties two tables is identified by both, even where one of them is unique by accident
    ranked = sorted(singles, key=lambda c: (_rank(c, own, words, table), table.names.index(c.name)))
    yield from ((column.name,) for column in ranked if _rank(column, own, words, table) < _NEVER)
    parts = [c for c in table.columns if c.type in _PART_TYPES and c.filled == table.rows and c.distinct > 1]
    parts = sorted(parts, key=lambda c: (not _may_identify(c, words), table.names.index(c.name)))[:6]
    pairs = [
        names
        for size in range(2, _MOST_PARTS + 1)
        for names in combinations([c.name for c in parts], size)
        if all(_may_identify(table.column(name), words) for name in names)
    ]
    yield from pairs[:_MOST_PAIRS]


def _is_when(column: ColumnProfile, words: frozenset[str]) -> bool:
    named = split(column.name, words)
    return any(ends_in(named, which) for which in ("years", "months", "quarters"))


def _is_of_another(column: ColumnProfile, own: Sequence[str], words: frozenset[str]) -> bool:
    """Whether a column is called after another table."""
    named = split(column.name, words)
    return len(named) > 1 and named[0] in words and not same_noun(named[: len(own)], own)


def _is_junction(table: TableProfile, own: Sequence[str], words: frozenset[str]) -> bool:
    named = [split(name, words) for name in table.names]
    keys = all(len(one) > 1 and in_list(one[-1], "identifiers") for one in named)
    return len(named) > 1 and keys and not any(same_noun(one[:-1], own) for one in named)


_NEVER = 9


def _rank(column: ColumnProfile, table_words: Sequence[str], words: frozenset[str], table: TableProfile) -> int:
    """How much a unique column looks like the key, 0 is best."""
    named = split(column.name, words)
    last = named[-1]
    first = table.names.index(column.name) == 0
    if named == ("id",) or (in_list(last, "identifiers") and same_noun(named[:-1], table_words)):
        return 0
    if in_list(last, "identifiers") or named[0] == "id":
        # A key of another table that happens to be unique here is no key of this one, unless it stands first.
        return 1 if first else 3
    if last in ("nr", "no", "number", "nummer", "code") and (same_noun(named[:-1], table_words) or first):
        return 2
    if last.endswith("id") and first and column.type is ColumnType.INTEGER:
        return 2
    called = in_list(last, "names") and (len(named) == 1 or same_noun(named[:-1], table_words))
    if column.type is ColumnType.TEXT and (called or same_noun(named, table_words)) and (column.length or 0) < 60:
        return 4
    if first and column.type in _KEY_TYPES and (column.length or 0) < 40 and not says(named, "free_texts"):
        return 5
    if says(named, "codes") and column.type is ColumnType.TEXT:
        return 6
    return _NEVER


def _may_be_unique(table: TableProfile, column: ColumnProfile) -> bool:
    slack = 0.9 if not column.exact else 1.0
    return column.filled == table.rows and column.distinct >= slack * table.rows


def _may_identify(column: ColumnProfile, words: frozenset[str]) -> bool:
    """Whether a column can be a part of a key: not a figure, not a long text."""
    named = split(column.name, words)
    if column.type in (ColumnType.DATE, ColumnType.TIMESTAMP) or says(named, "identifiers"):
        return True
    if any(ends_in(named, which) for which in ("adds", "may_add", "averages", "levels", "free_texts")):
        return False
    return (column.length or 0) < 40


def _unique(counter: SourceCounter, table: TableProfile, columns: Sequence[str]) -> bool:
    if len(columns) == 1 and table.column(columns[0]).exact:
        return table.column(columns[0]).distinct == table.rows
    reach = 1
    for name in columns:
        reach *= max(1, table.column(name).distinct)
    if reach * (1.1 ** len(columns)) < table.rows:
        return False
    return counter.distinct(counter.source.tables[table.name], columns) == table.rows


def _found(table: TableProfile, columns: tuple[str, ...]) -> FoundKey:
    if table.rows < SURE_FROM:
        told = f"consistent with {table.rows} rows, too few to prove it"
        return FoundKey(columns=columns, proof="consistent", evidence=told)
    return FoundKey(columns=columns, proof="proven", evidence=f"unique and filled in all {table.rows:,} rows")
