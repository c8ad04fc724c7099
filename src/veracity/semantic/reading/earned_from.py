"""With how many customers did we earn something, which suppliers cost us something: those with rows of the figure.

Who and what are read each by itself. Several currencies do not matter: whoever has such a row is counted once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from re import Match

from veracity.semantic.graph import SemanticModel, Way, is_to_one, names_of
from veracity.semantic.query import Aggregate, Related, SemanticQuery, all_of, parts_of
from veracity.semantic.reading.asked_forms import Read


def earned_from(
    said: Match[str], templates: Mapping[str, str], model: SemanticModel, read: Read
) -> Iterator[SemanticQuery]:
    """The meanings of a question that names whom (`who`), what figure (`what`) and when; `many` where it asks how many they are."""
    words = {name: (text or "").strip() for name, text in said.groupdict().items()}
    asks = templates["many" if words["many"] else "which"].format(**words)
    figure = templates["then"].format(**words) if words["when"] else words["what"]
    for who, earned in product(read(asks), read(figure)):
        if not _is_plain(who) or not _is_figure(earned, model):
            continue
        for way in _ways(model, who.of or "", earned.of or ""):
            rows = SemanticQuery(of=earned.of, where=earned.where, period=earned.period)
            tied = Related(related=rows, via=names_of(way))
            yield who.model_copy(update={"where": all_of((*parts_of(who.where), tied))}).normalized()


def _is_plain(who: SemanticQuery) -> bool:
    """Whether a query lists rows or counts them, and no more."""
    return (who.counts_rows or (who.lists and not who.show)) and not (who.order or who.by or who.limit or who.period)


def _is_figure(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether a query is one sum over rows that all belong to it; a measure of some rows only says so in words of its own."""
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is None or shown.ratio or shown.transform or shown.where or query.by or query.compare or query.having:
        return False
    if shown.measure:
        measure = model.measures[shown.measure][1]
        return measure.aggregate == "SUM" and (not measure.where or query.where is not None)
    return shown.aggregate is Aggregate.SUM and not shown.via


def _ways(model: SemanticModel, who: str, rows: str) -> Iterator[Way]:
    """From those to the rows of which each belongs to one of them."""
    ways = model.ways(rows, who)
    if len(ways) == 1 and ways[0] and is_to_one(ways[0]):
        yield model.back(ways[0])
