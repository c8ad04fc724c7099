"""Values of which no row is such a one: products that were never returned are not those of orders that were not."""

from __future__ import annotations

from collections.abc import Iterator

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


def counted_without_any(query: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query; where it counts different values of rows that are not so, the values none of whose rows is so. Nothing where that cannot be said."""
    shown = query.show[0] if len(query.show) == 1 else None
    entity, _, name = (shown.field if shown and shown.field else "").rpartition(".")
    if shown is None or shown.aggregate is not Aggregate.COUNT_DISTINCT or entity not in model.things:
        yield query
        return
    facts, parts = model.things[entity].fields[name], tuple(parts_of(query.where))
    own = [one for one in parts if denies(one) and not (isinstance(one, Comparison) and one.field == shown.field)]
    if not own or not facts.categorical or name in model.things[entity].display:
        yield query
        return
    such = denied_value(own[0]) if len(parts) == 1 else None
    plain = not (query.by or query.period or query.having or query.order or query.compare)
    if such is not None and plain and shown.field:
        groups = without_any(shown.field, (such,))
        yield SemanticQuery(show=(Shown(aggregate=Aggregate.COUNT, rows=groups),), of=entity).normalized()
