"""Things that have no table of their own: the customer name of an order is its customer, where nothing else is called so."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.language.dictionary import dictionary
from veracity.language.folding import folded_text
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, TableDraft
from veracity.ontology.draft.names import in_list, same_noun, singular, split

_NAMED = (ColumnClass.CATEGORY, ColumnClass.NAME, ColumnClass.TEXT)


def named_thing(table: TableDraft, column: ColumnDraft, words: Sequence[str], vocabulary: frozenset[str]) -> str:
    """The noun of the things that a column names, in a table of something else; empty where it names none."""
    noun = _before_name(words)
    if not noun or column.verdict.kind not in _NAMED or column.profile.name in table.display:
        return ""
    if singular(noun) in map(singular, vocabulary):  # a table is called so
        return ""
    others = [split(other, vocabulary) for other in table.profile.names if other != column.profile.name]
    if any(same_noun(other, [noun]) or _before_name(other) == noun for other in others):
        return ""
    numbered = [
        name
        for name in table.profile.names
        if len(other := split(name, vocabulary)) == 2
        and same_noun(other[:1], [noun])
        and in_list(other[1], "identifiers")
    ]
    distinct = column.profile.distinct
    return noun if all(table.profile.column(name).distinct == distinct for name in numbered) else ""


def _before_name(words: Sequence[str]) -> str:
    """`customer` of customer name; `kunde` of Kundenname."""
    if len(words) == 2 and words[1] == "name" and words[0] in dictionary():
        return words[0]
    if len(words) == 1 and words[0].endswith("name"):
        stem = words[0].removesuffix("name")
        german = {folded_text(entry["de"][0]) for entry in dictionary().values() if entry.get("de")}
        return next((one for one in (stem, stem[:-1], stem[:-2]) if one in german), "")
    return ""
