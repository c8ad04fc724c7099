"""Rows that are called by a part of their key: the languages of countries, one row for each of both. Each name is one, however many rows have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veracity.language.folding import folded_text
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import Aggregate, Dimension, SemanticQuery, Shown, to_json
from veracity.semantic.reading.word_lists import key_of, names_for


def by_their_names(queries: Sequence[SemanticQuery], question: str, model: SemanticModel) -> tuple[SemanticQuery, ...]:
    """The queries, with names in place of such rows, unless the question calls the rows by their whole name."""
    return tuple(dict.fromkeys(_by_name(query, question, model) for query in queries))


def _by_name(query: SemanticQuery, question: str, model: SemanticModel) -> SemanticQuery:
    thing = model.things.get(query.of or "")
    field = _naming_part(thing) if thing else ""
    if not thing or not field or any(folded_text(name) in folded_text(question) for name in _whole_names(thing)):
        return query
    path = f"{thing.name}.{field}"
    if query.lists:
        named = all(one.field == path for one in query.show) and not (query.order or query.limit or query.by)
        return query.model_copy(update={"show": (), "by": (Dimension(field=path),)}) if named else query
    rows = to_json(Shown(aggregate=Aggregate.COUNT, of=thing.name))
    names = to_json(Shown(aggregate=Aggregate.COUNT_DISTINCT, field=path))
    return SemanticQuery.model_validate(_replaced(to_json(query), rows, names))


def _replaced(told: Any, old: object, new: object) -> Any:
    """A query as JSON with something else in place of one part."""
    if told == old:
        return new
    if isinstance(told, Mapping):
        return {name: part if name == "where" else _replaced(part, old, new) for name, part in told.items()}
    return [_replaced(part, old, new) for part in told] if isinstance(told, list) else told


def _naming_part(thing: Thing) -> str:
    """The field of a key of several that the rows are called by; nothing where there is none."""
    nouns = {key_of(name) for name in names_for("", thing.declared)} if len(thing.key) > 1 else set()
    parts = (field for field in thing.key if field in thing.fields)
    called = (field for field in parts if nouns & {*map(key_of, names_for(field, thing.fields[field].declared))})
    return next(called, "")


def _whole_names(thing: Thing) -> tuple[str, ...]:
    return tuple(name for name in names_for("", thing.declared) if " " in name)
