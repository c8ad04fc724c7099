"""A value that is stored in several spellings: Blue and blue are one colour, and both count."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from veracity.semantic.query import SemanticQuery, to_json

Spellings = Mapping[tuple[str, str], tuple[str, ...]]
"""Field and value without its capitals -> every way it is stored."""


def spellings_of(values: Mapping[tuple[str, str], Collection[str]]) -> Spellings:
    """The values that differ only in capitals or in blanks around them."""
    found: dict[tuple[str, str], list[str]] = {}
    for (entity, field), stored in values.items():
        plain = list(map(_plain, stored))
        if len(set(plain)) == len(plain):
            continue
        for value, same in zip(stored, plain, strict=True):
            found.setdefault((f"{entity}.{field}", same), []).append(value)
    return {place: tuple(sorted(same)) for place, same in found.items() if len(same) > 1}


def in_every_spelling(query: SemanticQuery, spellings: Spellings) -> SemanticQuery:
    """The query with each of its values in every way that it is stored."""
    if not spellings:
        return query
    told = to_json(query)
    spelt = _spelt(told, spellings)
    return query if spelt == told else SemanticQuery.model_validate(spelt).normalized()


def _spelt(part: Any, spellings: Spellings) -> Any:
    if isinstance(part, list):
        return [_spelt(one, spellings) for one in part]
    if not isinstance(part, dict):
        return part
    told = {name: _spelt(one, spellings) for name, one in part.items()}
    op, value = told.get("op", "="), told.get("value")
    values: list[Any] = value if isinstance(value, list) else [value]
    if "field" not in told or op not in ("=", "!=", "in") or not all(isinstance(one, str) for one in values):
        return told
    every = list(dict.fromkeys(same for one in values for same in spellings.get((told["field"], _plain(one)), (one,))))
    if len(every) == len(values):
        return told
    either = {**told, "op": "in", "value": every}
    return {"not": either} if op == "!=" else either


def _plain(value: str) -> str:
    return value.strip().casefold()
