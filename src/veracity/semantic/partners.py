"""Rows that are named in a role but not stored: capitals that are no row of the cities. What is said of them leaves them out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from veracity.semantic.graph import SemanticModel, Step
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)


@dataclass(frozen=True, slots=True)
class PartnerCount:
    """A role that a query speaks of, and the query that counts the rows whose partner is not stored."""

    step: Step
    """From the rows that name a partner to the partners."""
    query: SemanticQuery


def partner_counts(query: SemanticQuery, model: SemanticModel) -> Iterator[PartnerCount]:
    """The counts to make: for what is listed or counted by its role, and for what a condition says of a partner."""
    parts = parts_of(query.where)
    for part in parts:
        related = part.condition if isinstance(part, Negation) else part
        if not isinstance(related, Related) or related.count is not None or len(related.via) != 1:
            continue
        way = model.way(query.of or "", related.via) or ()
        step = way[0] if way and way[0].has_role and len(way[0].hops) == 1 else None
        if step is None:
            continue
        if step.inverse and part is related:
            forth = model.back((step,))[0]
            if forth.to_one:
                yield _count(forth, Related(related=related.related))
        elif step.to_one and not step.inverse and related.related.where is not None and part is related:
            yield _count(step, *(one for one in parts if one is not part))


def _count(step: Step, *conditions: Condition) -> PartnerCount:
    return PartnerCount(step, missing_partners(step, *conditions))


def missing_partners(step: Step, *conditions: Condition) -> SemanticQuery:
    """How many rows name a partner that is not there."""
    named = (Comparison(field=f"{step.start}.{own}", op="notMissing") for own, _ in step.hops[0].keys)
    nobody = Negation(condition=Related(related=SemanticQuery(of=step.end), via=(step.name,)))
    counted = Shown(aggregate=Aggregate.COUNT, of=step.start)
    return SemanticQuery(show=(counted,), of=step.start, where=all_of((*conditions, *named, nobody)))
