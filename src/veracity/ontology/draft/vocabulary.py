"""What is known of the names of a source before any of them is read: words to cut others at, what says nothing, what is short for what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from veracity.language.dictionary import dictionary
from veracity.ontology.draft.abbreviations import units_in_columns, words_for_columns, words_for_tables
from veracity.ontology.draft.names import (
    BEFORE_ALL,
    BEFORE_COLUMNS,
    DATED,
    SHORTEST_REST,
    WRITTEN_OUT,
    lists,
    name_parts,
    singular,
    split,
    undated,
    without_prefix,
    words_for,
)

_FEWEST_NAMES = 3
_LONGEST_PREFIX = 4


def vocabulary(tables: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """What is known of the names of a source, by its tables and their columns, to cut other names with.

    The words of tables' names, in singular and plural, are those that compounds are cut at. Marked ones stand in front of all names of the
    source, or of all columns of a table, and say nothing: `whTxAmount` of `whTransaction` is an amount. Others say what an abbreviation is short for.
    """
    named = {name: name_parts(name.rpartition(".")[2]) for name in tables}
    everywhere = _prefix(list(named.values()))
    found = {everywhere + BEFORE_ALL} if everywhere else set()
    found |= {" ".join(parts) + DATED for parts in _dated(list(named.values()))}
    for name, words in named.items():
        columns = [without_prefix(name_parts(column), frozenset(found)) for column in tables[name]]
        prefix = _prefix(columns)
        if prefix and prefix not in words:
            found.add(prefix + BEFORE_COLUMNS)
    found |= {letter + BEFORE_COLUMNS for letter in _initials(tables, named)}
    found |= {f"{short}{WRITTEN_OUT}{word}" for short, word in words_for_tables(named, tables)}
    found |= {f"{short}{WRITTEN_OUT}{word}" for short, word in words_for_columns(named, tables)}
    found |= {f"{short}{WRITTEN_OUT}{word}" for short, word in units_in_columns(tables)}
    silent = frozenset(found)
    for name in tables:
        words = tuple(word for word in split(name.rpartition(".")[2], silent) if word not in words_for("stop"))
        found |= {form for word in words for form in (word, singular(word)) if len(form) >= SHORTEST_REST}
        joined = "".join(words)
        found |= {joined, singular(joined)} if words else set()
    for name, rest in _behind_others(named):
        found = (found - {name, singular(name)}) | {rest, singular(rest)}
    return frozenset(found)


def _behind_others(named: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """The tables whose name is that of another with a noun behind it, written as one word: `countrylanguage`, beside `country`."""
    whole = {words[0] for words in named.values() if len(words) == 1}
    for name in whole:
        first = max(
            (form for one in whole - {name} for form in (one, singular(one)) if name.startswith(form)), default=""
        )
        rest = name.removeprefix(first)
        if len(first) >= SHORTEST_REST and len(rest) >= SHORTEST_REST and singular(rest) in dictionary():
            yield name, rest


def _dated(names: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The names that say when, too, and are still of one table only without it."""
    bare = Counter(map(undated, names))
    return (parts for parts in names if undated(parts) != parts and bare[undated(parts)] == 1)


def leading_word(names: Sequence[Sequence[str]]) -> str:
    """The word that stands in front of all of these names, where there are a few: `order_id, order_date, order_total` have order."""
    first = names[0][0] if len(names) >= _FEWEST_NAMES and names[0] else ""
    return first if all(len(name) > 1 and name[0] == first for name in names) else ""


def _initials(tables: Mapping[str, Sequence[str]], named: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The letters that stand for their table before its columns, and before no others: `t_fname`, `t_lname` of teachers."""
    begun: dict[str, set[str]] = {}
    for table, columns in tables.items():
        for words in map(name_parts, columns):
            if len(words) > 1 and len(words[0]) == 1:
                begun.setdefault(words[0], set()).add(table)
    for letter, homes in begun.items():
        for home in homes if len(homes) == 1 and letter.isalpha() else ():
            columns_of = [name_parts(column) for column in tables[home]]
            short = [one[1:] for one in columns_of if one[:1] == (letter,)]
            if len(short) > 1 and named[home][0].startswith(letter) and not set(short) & set(columns_of):
                yield letter


def _prefix(names: Sequence[Sequence[str]]) -> str:
    """The short word in front of all of these names that is no word of people's."""
    first = leading_word(names)
    written = str(lists()["spelled"].get(first, lists()["short"].get(first, first)))
    word = any(form in dictionary() for form in (first, singular(first), written)) or first in words_for("stop")
    return first if first.isalpha() and len(first) <= _LONGEST_PREFIX and not word else ""
