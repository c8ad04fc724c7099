"""What people know a row by: a person's two names, a name, the only text of a short list, or the number that it is filed under."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from veracity.ontology.draft.classes import is_named_so
from veracity.ontology.draft.findings import ColumnClass, TableDraft
from veracity.ontology.draft.listed_things import listed_column
from veracity.ontology.draft.names import in_list, lists, same_noun, says, split
from veracity.sources.source import ColumnType

_SHORT_TEXT = 40.0
"""Longer texts on average describe a row; they do not name it."""
_FEWEST_PLACES = 3
"""Of fewer rows nobody can tell that each stands in a street of its own."""


def with_display(table: TableDraft, words: frozenset[str]) -> TableDraft:
    """The table with the columns that people know its rows by; first and last name before a title."""
    kinds = (ColumnClass.NAME, ColumnClass.KEY)
    named = {name: split(name, words) for name in table.of_kind(*kinds)}
    first = [name for name, own in named.items() if list(own) in lists()["first_names"]]
    last = [name for name, own in named.items() if list(own) in lists()["last_names"]]
    if first and last:
        return table.model_copy(update={"display": (first[0], last[0])})
    if listed := listed_column(table.profile, words):
        return table.model_copy(update={"display": (listed,)})
    found = _by_name(table, named, words) or _by_only_text(table, words) or _by_number(table, words)
    return found or _by_description(table, words) or _by_place(table, words) or table


def _by_name(table: TableDraft, named: Mapping[str, Sequence[str]], words: frozenset[str]) -> TableDraft | None:
    own = split(table.name.rpartition(".")[2], words)
    texts = [
        name
        for name, said in named.items()
        if (is_named_so(tuple(said)) or same_noun(said, own)) and table.profile.column(name).length is not None
    ]
    best = [name for name in texts if len(named[name]) == 1 or same_noun(named[name][:-1], own)]
    if best:
        return table.model_copy(update={"display": (best[0],)})
    if not texts:
        return None
    # A company has a contact, who has a name, too.
    texts = [name for name in texts if not says(named[name][:-1], "persons_of_it")] or texts
    return table.model_copy(
        update={"display": (texts[0],), "display_sure": len(texts) == 1 and len(named[texts[0]]) < 3}
    )


def _by_only_text(table: TableDraft, words: frozenset[str]) -> TableDraft | None:
    """A short list whose only text is called like it: region id, region description."""
    own = split(table.name.rpartition(".")[2], words)
    texts = [column.profile for column in table.columns if column.profile.type is ColumnType.TEXT]
    texts = [one for one in texts if table.column(one.name).verdict.kind is not ColumnClass.REFERENCE]
    texts = [one for one in texts if not table.key or one.name not in table.key.columns]
    if len(texts) != 1 or (texts[0].length or _SHORT_TEXT) >= _SHORT_TEXT or texts[0].filled < table.profile.rows:
        return None
    said = split(texts[0].name, words)
    # Of ticket types the type description; what repeats in many rows is no name.
    called = len(said) == 1 or same_noun(said[:-1], own[1 - len(said) :])
    if (
        not called
        or texts[0].distinct * 2 <= texts[0].filled
        or not any(in_list(said[-1], which) for which in ("descriptions", "names"))
    ):
        return None
    return table.model_copy(update={"display": (texts[0].name,), "display_sure": texts[0].distinct == texts[0].filled})


def _by_description(table: TableDraft, words: frozenset[str]) -> TableDraft | None:
    """Items with a code and a description of a few words, which no two of them share."""
    texts = [
        one.profile.name
        for one in table.columns
        if one.profile.type is ColumnType.TEXT and (one.profile.length or _SHORT_TEXT) < _SHORT_TEXT
        if one.profile.filled == one.profile.distinct == table.profile.rows
        if len(said := split(one.profile.name, words)) == 1 and in_list(said[-1], "descriptions")
    ]
    return table.model_copy(update={"display": (texts[0],)}) if len(texts) == 1 and table.profile.rows else None


def _by_place(table: TableDraft, words: frozenset[str]) -> TableDraft | None:
    """Things without a name that each stand in a street of their own: counters, charging stations."""
    texts = [one.profile for one in table.columns if one.profile.type is ColumnType.TEXT]
    streets = [one for one in texts if in_list(split(one.name, words)[-1], "addresses")]
    own = len(streets) == 1 and (streets[0].length or _SHORT_TEXT) < _SHORT_TEXT
    rows = table.profile.rows
    alone = rows >= _FEWEST_PLACES and own and streets[0].filled == streets[0].distinct == rows
    people = any(list(split(one.name, words)) in lists()["last_names"] for one in texts)
    return table.model_copy(update={"display": (streets[0].name,)}) if alone and not people else None


def _by_number(table: TableDraft, words: frozenset[str]) -> TableDraft | None:
    """The number that a row is filed under, beside a key that only the database uses: policy number, claim number; or a number plate."""
    own = split(table.name.rpartition(".")[2], words)
    numbers = [
        column.profile.name
        for column in table.columns
        if column.verdict.kind is ColumnClass.CODE
        and column.profile.type is ColumnType.TEXT
        and column.profile.filled == column.profile.distinct == table.profile.rows
        and in_list((said := split(column.profile.name, words))[-1], "filed_under")
        and (len(said) == 1 or same_noun(said[-1 - len(own) : -1], own))
    ]
    numbers = numbers or [
        column.profile.name
        for column in table.columns
        if in_list(split(column.profile.name, words)[-1], "plates")
        and column.profile.filled == column.profile.distinct == table.profile.rows
    ]
    return table.model_copy(update={"display": (numbers[0],)}) if len(numbers) == 1 and table.profile.rows else None
