"""Columns for the highest and the lowest of something, each with its figure: `highest_point, highest_elevation, lowest_point, ...`.

Together they are rows of a thing of their own, a point with an elevation, which questions can be about once a person has said so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from veracity.errors import QueryFailed
from veracity.ontology.draft.counting import SourceCounter
from veracity.ontology.draft.findings import ColumnClass, ColumnDraft, FoundExtremes, TableDraft
from veracity.ontology.draft.names import lists, same_noun, singular, split

_TEXTS = (ColumnClass.NAME, ColumnClass.TEXT, ColumnClass.CATEGORY)
_FIGURES = (ColumnClass.AVERAGE, ColumnClass.NUMBER, ColumnClass.ADDITIVE)
Adjectives = dict[str, dict[str, tuple[str, ...]]]
_Named = dict[str, list[tuple[tuple[str, ...], ColumnDraft]]]


def extremes_of(counter: SourceCounter, tables: Sequence[TableDraft], words: frozenset[str]) -> Iterator[FoundExtremes]:
    """Of each table the pair of a largest and a smallest, where its rows have a key and nothing else is called so."""
    nouns = [split(table.name.rpartition(".")[2], words) for table in tables]
    for table in tables:
        if table.key is None or not table.profile.rows:
            continue
        for told in lists()["extremes"]:
            sides = (_beginning(table, told["most"], words), _beginning(table, told["least"], words))
            found = _pair(table, sides, nouns)
            adjectives = _directed(counter, found, told["adjectives"]) if found else None
            if found is not None and adjectives is not None:
                yield found.model_copy(update={"adjectives": adjectives})
                break


def _directed(counter: SourceCounter, pair: FoundExtremes, adjectives: Adjectives) -> Adjectives | None:
    """The adjectives, turned round where the first always has the smaller figure; nothing where the rows do not agree."""
    try:
        below, above = counter.compared(counter.source.tables[pair.table], pair.most[1], pair.least[1])
    except QueryFailed:
        return None
    if bool(below) == bool(above):
        return None
    names = ("more", "less") if above else ("less", "more")
    return {
        lang: {side: tuple(told[other]) for side, other in zip(("more", "less"), names, strict=True)}
        for lang, told in adjectives.items()
    }


def _beginning(table: TableDraft, forms: Collection[str], words: frozenset[str]) -> _Named:
    """The texts and figures whose names begin with a superlative."""
    named: _Named = {"text": [], "figure": []}
    for column in table.columns:
        first, *rest = split(column.profile.name, words)
        if first not in forms or not rest:
            continue
        if column.verdict.kind in _FIGURES and column.profile.is_number:
            named["figure"].append((tuple(rest), column))
        elif column.verdict.kind in _TEXTS:
            named["text"].append((tuple(rest), column))
    return named


def _pair(table: TableDraft, sides: tuple[_Named, _Named], nouns: Sequence[Sequence[str]]) -> FoundExtremes | None:
    if any(len(side["text"]) != 1 or len(side["figure"]) != 1 for side in sides):
        return None
    (one, two), (first, second) = ([side[kind][0] for side in sides] for kind in ("text", "figure"))
    if not same_noun(one[0], two[0]) or not same_noun(first[0], second[0]):
        return None
    if any(same_noun(one[0], noun) for noun in nouns) or table.key is None:
        return None  # there is a table of these things already
    return FoundExtremes(
        table=table.name,
        noun=" ".join((*one[0][:-1], singular(one[0][-1]))),
        figure=" ".join(first[0]),
        most=(one[1].profile.name, first[1].profile.name),
        least=(two[1].profile.name, second[1].profile.name),
        key=table.key.columns,
    )
