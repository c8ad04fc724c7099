"""Readings that no row can meet: in Berlin and Bern is in either of them, where a row has one city."""

from __future__ import annotations

from collections.abc import Sequence

from veracity.semantic.query import AllOf, Comparison, Condition, Related, SemanticQuery


def possible(queries: Sequence[SemanticQuery]) -> list[SemanticQuery]:
    """Of several readings those that a row can meet; all of them where none can."""
    kept = [query for query in queries if not _is_impossible(query.where)]
    return kept or list(queries)


def _is_impossible(where: Condition | None) -> bool:
    """Whether one field of one row would have to hold two values at once."""
    if isinstance(where, Related):
        return _is_impossible(where.related.where)
    parts = where.conditions if isinstance(where, AllOf) else ()
    held: dict[str, set[object]] = {}
    for one in parts:
        if isinstance(one, Comparison) and one.op == "=" and not one.via and one.grain is None and one.since is None:
            held.setdefault(one.field, set()).add(str(one.value))
    return any(len(values) > 1 for values in held.values()) or any(map(_is_impossible, parts))
