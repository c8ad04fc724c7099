"""Readings that no row can meet: in Berlin and Bern is in either of them, where a row has one city."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import AllOf, Comparison, Condition, Related, SemanticQuery


def possible(queries: Sequence[SemanticQuery], model: SemanticModel) -> list[SemanticQuery]:
    """Of several readings those that a row can meet; all of them where none can, but for those without the date that they are about."""
    dated = [query for query in queries if not _lacks_its_date(query, model)]
    kept = [query for query in dated if not _is_impossible(query.where)]
    return kept or dated


def _lacks_its_date(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether rows are meant that have no date, and the time of that date is said: unpaid fees of 2026, by the day of payment."""
    thing = model.things.get(query.of or "")
    if query.period is None or thing is None:
        return False
    date = query.period.field or thing.default_date or ""
    path = date if "." in date else f"{thing.name}.{date}"
    parts = query.where.conditions if isinstance(query.where, AllOf) else (query.where,)
    return any(isinstance(one, Comparison) and one.op == "missing" and one.field == path for one in parts)


def _is_impossible(where: Condition | None) -> bool:
    """Whether one field of one row would have to hold two values at once, or one and none."""
    if isinstance(where, Related):
        return _is_impossible(where.related.where)
    parts = where.conditions if isinstance(where, AllOf) else ()
    held: dict[str, set[object]] = {}
    for one in parts:
        if isinstance(one, Comparison) and one.op == "=" and not one.via and one.grain is None and one.since is None:
            held.setdefault(one.field, set()).add(str(one.value))
    compared = [one for one in parts if isinstance(one, Comparison) and not one.via]
    empty = {one.field for one in compared if one.op == "missing"}
    if any(one.field in empty for one in compared if one.op != "missing"):
        return True
    return any(len(values) > 1 for values in held.values()) or any(map(_is_impossible, parts))
