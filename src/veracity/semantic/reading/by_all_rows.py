"""Values by all of their rows: products never returned are not those of orders that were not; a desk and a lamp is no order of either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    FigureComparison,
    Negation,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)
from veracity.semantic.reading.phrases import JoiningWord
from veracity.semantic.reading.word_senses import Tagged


def denies(condition: Condition) -> bool:
    """Whether a condition says that something is not, or a part of it does."""
    if isinstance(condition, AnyOf | AllOf):
        return any(map(denies, condition.conditions))
    return isinstance(condition, Negation) or (isinstance(condition, Comparison) and condition.op in ("!=", "missing"))


def denied_value(condition: Condition) -> Comparison | None:
    """The value that a condition says not to be, also of rows that say nothing."""
    if isinstance(condition, AnyOf):
        inner = [one for one in condition.conditions if not (isinstance(one, Comparison) and one.op == "missing")]
        return denied_value(inner[0]) if len(inner) == 1 else None
    such = condition.condition if isinstance(condition, Negation) else None
    return such if isinstance(such, Comparison) and such.op == "=" else None


def without_any(field: str, such: tuple[Condition, ...]) -> SemanticQuery:
    """The values of a field none of whose rows is such a one, each with the number of its rows."""
    every = Shown(aggregate=Aggregate.COUNT, of=field.rpartition(".")[0])
    counted = every.model_copy(update={"where": all_of(such)})
    none = FigureComparison.model_validate({"show": counted, "op": "=", "value": 0})
    return SemanticQuery(show=(every,), of=every.of, by=(Dimension(field=field),), having=none)


def with_each(field: str, such: Sequence[Condition]) -> SemanticQuery:
    """The values of a field that have a row of each kind, each with the number of its rows."""
    every = Shown(aggregate=Aggregate.COUNT, of=field.rpartition(".")[0])
    some = [
        FigureComparison.model_validate({"show": every.model_copy(update={"where": one}), "op": ">", "value": 0})
        for one in such
    ]
    return SemanticQuery(show=(every,), of=every.of, by=(Dimension(field=field),), having=all_of(some))


def by_all_their_rows(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query; where it asks for values by what no row of theirs is, or by two things that one row cannot be, those by all of their rows.

    Of two things either may be meant, too. Nothing where it cannot be said.
    """
    field, parts = _values_asked(query), tuple(parts_of(query.where))
    entity, _, name = field.rpartition(".")
    thing = model.things.get(entity)
    if thing is None or not thing.fields[name].categorical or name in thing.display:
        yield query
        return
    denied = any(denies(one) and not (isinstance(one, Comparison) and one.field == field) for one in parts)
    several = _joined_by_and(tagged) and any(_several(one) and one.field != field for one in parts)
    if not denied and not several:
        yield query
    elif len(parts) == 1 and query == _asked_alone(query) and not (query.show and query.by):
        such = denied_value(parts[0])
        groups = without_any(field, (such,)) if such is not None else _of_each(field, parts[0]) if several else None
        if several:
            yield query  # job titles in Sales and HR may be those of either
        if groups is not None:
            counted = SemanticQuery(show=(Shown(aggregate=Aggregate.COUNT, rows=groups),), of=entity)
            yield (counted if query.show else groups).normalized()


def _values_asked(query: SemanticQuery) -> str:
    """The field whose different values are told or counted; empty where none is."""
    if not query.show and len(query.by) == 1:
        return query.by[0].field or ""
    shown = query.show[0] if len(query.show) == 1 else None
    return (shown.field or "") if shown is not None and shown.aggregate is Aggregate.COUNT_DISTINCT else ""


def _asked_alone(query: SemanticQuery) -> SemanticQuery:
    """The query without a time, an order and the like."""
    return SemanticQuery(show=query.show, of=query.of, where=query.where, by=query.by)


def _several(condition: Condition) -> TypeGuard[Comparison]:
    return isinstance(condition, Comparison) and condition.op == "in"


def _of_each(field: str, condition: Condition) -> SemanticQuery:
    assert isinstance(condition, Comparison)
    assert isinstance(condition.value, tuple)
    each = [condition.model_copy(update={"op": "=", "value": value}) for value in condition.value]
    return with_each(field, each)


def _joined_by_and(tagged: Tagged) -> bool:
    kinds = {one.phrase.kind for one in tagged.mentions if isinstance(one.phrase, JoiningWord)}
    return "and" in kinds and "or" not in kinds
