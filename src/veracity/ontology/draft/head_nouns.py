"""The noun that a table's name of several words comes down to: premium payments are the payments, where there are no others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from veracity.language.dictionary import dictionary
from veracity.language.people import means_people
from veracity.ontology.draft.findings import FoundRelation, TableDraft
from veracity.ontology.draft.names import in_list, singular, split, words_for

_COUNTED = ("id", "ids", "count", "num", "number", "key", "no", "nr")
"""What stands beside the noun in columns that only point to the rows or count them."""


def plain_nouns(
    tables: Sequence[TableDraft], words: frozenset[str], relations: Sequence[FoundRelation] = ()
) -> Mapping[str, tuple[str, ...]]:
    """Table -> the nouns that people may call its rows by."""
    return {table.name: (*_noun(table, tables, words, relations), *_begun(table, words)) for table in tables}


def _begun(table: TableDraft, words: frozenset[str]) -> tuple[str, ...]:
    """The noun of the date that a table is about: users with a sign-up date may be called sign-ups."""
    began = split(table.date, words)[:1] if table.date and table.date_sure else ()
    return began if began and began[0] in words_for("first_steps") and began[0] not in words else ()


def _noun(
    table: TableDraft, tables: Sequence[TableDraft], words: frozenset[str], relations: Sequence[FoundRelation]
) -> Iterator[str]:
    own = [singular(word) for word in _named(table, words)]
    if len(own) < 2:
        return
    *before, noun = own
    named = [tuple(map(singular, _named(other, words))) for other in tables if other is not table]
    # A call log holds calls; a pilot record no pilots.
    if noun in words_for("containers") and (before[-1],) not in named:
        before, noun = before[:-1], before[-1]
    vague = in_list(noun, "details") or noun in words_for("vague_nouns") or means_people(noun)
    pointing = {(one.table, name) for one in relations if one.sure and one.other == table.name for name in one.columns}
    some = any(word in words_for("some_of_them") or word.endswith("ed") for word in before)
    of_others = all((word,) in named for word in before)  # the estimations of films in markets
    if (
        not vague
        and not some
        and (noun in dictionary() or of_others)
        and not any(_says(other, noun, words, pointing) for other in tables if other is not table)
    ):
        yield noun
        if of_others and len(before) == 2 and (before[1], noun) not in named:
            yield f"{before[1]} {noun}"


def _named(table: TableDraft, words: frozenset[str]) -> tuple[str, ...]:
    return tuple(word for word in split(table.name.rpartition(".")[2], words) if word not in words_for("stop"))


def _says(other: TableDraft, noun: str, words: frozenset[str], pointing: Collection[tuple[str, str]]) -> bool:
    """Whether another table is about such things, too, by its name or by a column that says more than which or how many of them there are.

    Order items that point to the customer orders are items of these, and no other orders.
    """
    *before, last = map(singular, _named(other, words))
    if noun == last or noun in before:
        return noun == last or other.name not in {table for table, _ in pointing}
    own = (column.profile.name for column in other.columns if (other.name, column.profile.name) not in pointing)
    columns = (split(name, words) for name in own)
    return any(noun in map(singular, named) and set(named).isdisjoint(_COUNTED) for named in columns)
