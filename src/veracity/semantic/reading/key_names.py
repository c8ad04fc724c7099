"""Names of rows: those of what they belong to where they have none, and those that are a part of their key, each of which is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from veracity.language.folding import folded_text, listed, words_in
from veracity.semantic.graph import SemanticModel, Step, Thing
from veracity.semantic.query import Aggregate, Dimension, SemanticQuery, Shown, to_json
from veracity.semantic.reading.word_lists import key_of, names_for

_NAMES = listed("name names namen")


def by_their_names(queries: Sequence[SemanticQuery], question: str, model: SemanticModel) -> tuple[SemanticQuery, ...]:
    """The queries, with names in place of such rows, unless the question calls the rows by their whole name."""
    return tuple(dict.fromkeys(_by_name(query, question, model) for query in queries))


def with_their_names(query: SemanticQuery, question: str, model: SemanticModel) -> SemanticQuery:
    """Listed rows with the names of what they belong to, where they have none: of gymnasts, each of whom is a person; of others where names are asked for."""
    thing = model.things.get(query.of or "")
    if thing is None or not query.lists or set(thing.display) - set(thing.key):
        return query
    steps = [step for step in model.steps.get(thing.name, ()) if step.to_one and not step.inverse]
    named = [step for step in steps if set(model.things[step.end].display) - set(model.things[step.end].key)]
    asked = not query.show and not _NAMES.isdisjoint(words_in(folded_text(question)))
    if len(named) != 1 or not (asked or _is_the_same(thing, named[0], model)):
        return query
    end = model.things[named[0].end]
    shown = (Shown(field=f"{end.name}.{name}", via=(named[0].name,)) for name in end.display)
    return query.model_copy(update={"show": tuple(dict.fromkeys((*shown, *query.show)))}).normalized()


def _is_the_same(thing: Thing, step: Step, model: SemanticModel) -> bool:
    """Whether a row and the one that it points to are one: the key of one is that of the other."""
    keys = step.hops[0].keys if len(step.hops) == 1 else ()
    return {own for own, _ in keys} == set(thing.key) and {far for _, far in keys} == set(model.things[step.end].key)


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
