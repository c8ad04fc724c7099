"""Tables that are called a list: the rows of an inventory with a column Product are products."""

from __future__ import annotations

from veracity.ontology.draft.findings import TableProfile
from veracity.ontology.draft.names import is_noun, says, singular, split
from veracity.sources.source import ColumnType


def listed_column(table: TableProfile, vocabulary: frozenset[str]) -> str:
    """The only text of such a table that is called by one noun and that no two rows share; empty where there is none."""
    named = split(table.name.rpartition(".")[2], vocabulary)
    if len(named) != 1 or not says(named, "collections") or not table.rows:
        return ""
    nouns = [
        column.name
        for column in table.columns
        if column.type is ColumnType.TEXT
        and column.filled == column.distinct == table.rows
        and len(words := split(column.name, vocabulary)) == 1
        and is_noun(words[0])
    ]
    return nouns[0] if len(nouns) == 1 else ""


def listed_noun(table: TableProfile, vocabulary: frozenset[str]) -> str:
    """What the rows of such a table are; empty where that is not known."""
    column = listed_column(table, vocabulary)
    return singular(split(column, vocabulary)[-1]) if column else ""
