"""Rows that share the name of others: two courses called Yoga. Where one of them is an answer, its name alone does not tell which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from veracity.contracts import Cell
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Dimension,
    FigureComparison,
    Related,
    SemanticQuery,
    Shown,
    parts_of,
)
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


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A row that a figure is narrowed to by its name, and the query that counts the rows with this name."""

    entity: str
    name: str
    query: SemanticQuery


def named_rows(query: SemanticQuery, model: SemanticModel) -> Iterator[NamedRow]:
    """The rows that a figure is narrowed to by their names alone, such as the driver Anna Meier, of whom there may be two."""
    if not query.show:
        return
    grouped = {dimension.entity for dimension in query.by}
    for related in _related(query.where):
        thing = model.things.get(related.of or "")
        if thing is None:
            continue
        said = {one.field: one for one in parts_of(related.where) if isinstance(one, Comparison) and one.op == "="}
        names = [said.get(f"{thing.name}.{field}") for field in thing.display]
        if not thing.key or set(thing.key) & set(thing.display) or thing.name in grouped or not all(names):
            continue
        counted = Shown(aggregate=Aggregate.COUNT, of=thing.name)
        name = " ".join(str(one.value) for one in names if one)
        yield NamedRow(thing.name, name, SemanticQuery(show=(counted,), of=thing.name, where=related.where))


def _related(condition: Condition | None) -> Iterator[SemanticQuery]:
    """The rows that the rows of a query belong to or have, and those that these have."""
    for part in parts_of(condition):
        if isinstance(part, Related) and part.related.where is not None:
            yield part.related
            yield from _related(part.related.where)
