"""What was produced is not what was consumed: a verb that says one of them never asks for a figure that is called the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veracity.language.folding import folded_text, words_in
from veracity.language.stem import noun_root
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery, Shown
from veracity.semantic.reading.word_lists import key_of, names_for, words_of_list

_OTHERWISE = (("consuming", "produced_names"), ("producing", "consumed_names"))
"""Verbs, and what the figures are called that they do not ask for."""


def of_this_flow(queries: Sequence[SemanticQuery], question: str, model: SemanticModel) -> tuple[SemanticQuery, ...]:
    """The queries whose figures are of the kind that the verb says: electricity that was used is no electricity production."""
    text = folded_text(question)
    said = {noun_root(word) for word in words_in(text)}
    others = [
        names
        for verbs, names in _OTHERWISE
        if any(verb in (said if verb.isascii() else text) for verb in words_of_list(verbs))
    ]
    return tuple(
        query
        for query in queries
        if not any(_is_called(name, which) for which in others for name in _figure_names(query, model))
    )


def _is_called(name: str, which: str) -> bool:
    return "".join(key_of(name)).endswith(tuple(words_of_list(which)))


def _figure_names(query: SemanticQuery, model: SemanticModel) -> Iterator[str]:
    """What the figures of a query and what they are counted in are called."""
    for shown in (*query.show, *(order.by for order in query.order)):
        yield from _names(shown, model)


def _names(shown: Shown, model: SemanticModel) -> Iterator[str]:
    if shown.ratio is not None:
        for part in shown.ratio:
            yield from _names(part, model)
    elif shown.rows is not None:
        yield from _figure_names(shown.rows, model)
    elif shown.measure is not None:
        _, measure = model.measures[shown.measure]
        yield from names_for("", measure)
    elif shown.field is not None:
        entity, _, field = shown.field.rpartition(".")
        thing = model.things[entity]
        yield from names_for(field, thing.fields[field].declared)
        yield from names_for(thing.name, thing.declared)
