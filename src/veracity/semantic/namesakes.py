"""Rows that share the name of others: two courses called Yoga. Where one of them is an answer, its name alone does not tell which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from veracity.contracts import Cell
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate, Comparison, Dimension, FigureComparison, SemanticQuery, Shown
from veracity.semantic.result import ColumnPart, SemanticColumn

_MOST_ROWS = 10
"""Of longer lists the text of an answer shows no more."""


def namesakes_asked(
    query: SemanticQuery, columns: Sequence[SemanticColumn], rows: Sequence[Mapping[str, Cell]], model: SemanticModel
) -> SemanticQuery | None:
    """The query for the names that several rows share, where an answer picks a few rows out of many."""
    named = [column for column in columns if column.part is ColumnPart.NAME]
    things = {column.entity for column in named}
    if query.limit is None or not 0 < len(rows) <= _MOST_ROWS or len(things) != 1:
        return None
    thing = model.things[things.pop() or ""]
    called = tuple(dict.fromkeys(str(row.get(named[0].column.name) or "") for row in rows))
    if not thing.key or set(thing.key) & set(thing.display) or not all(called):
        return None
    counted = Shown(aggregate=Aggregate.COUNT, of=thing.name)
    return SemanticQuery(
        show=(counted,),
        of=thing.name,
        where=Comparison(field=f"{thing.name}.{named[0].field}", op="in", value=called),
        by=tuple(Dimension(field=f"{thing.name}.{field}") for field in thing.display),
        having=FigureComparison(show=counted, op=">", value=1),
    )
