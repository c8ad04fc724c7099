"""What was produced is not what was consumed: a verb that says one of them never asks for a figure that is called the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veracity.language.folding import folded_text, words_in
from veracity.language.stem import noun_root
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import SemanticQuery, Shown
from veracity.semantic.reading.word_lists import key_of, names_for, words_of_list

_AMOUNTS = frozenset({"Wh", "kWh", "MWh", "GWh", "MJ", "GJ", "m³", "l", "hl", "ml", "t", "kg", "g"})
"""What is consumed or produced is in one of these; nobody produces it where the figure does not say so."""


def of_this_flow(queries: Sequence[SemanticQuery], question: str, model: SemanticModel) -> tuple[SemanticQuery, ...]:
    """The queries whose figures are of the kind that the verb says: electricity that was used is no electricity production."""
    used, made = (_says(question, verbs) for verbs in ("consuming", "producing"))
    if not used and not made:
        return tuple(queries)

    def fits(names: Sequence[str], unit: str | None) -> bool:
        produced = any(_is_called(name, "produced_names") for name in names)
        consumed = any(_is_called(name, "consumed_names") for name in names)
        return not (used and produced) and not (made and (consumed or (unit in _AMOUNTS and not produced)))

    return tuple(query for query in queries if all(fits(*told) for told in _figures(query, model)))


def _says(question: str, verbs: str) -> bool:
    text = folded_text(question)
    said = {noun_root(word) for word in words_in(text)}
    return any(verb in (said if verb.isascii() else text) for verb in words_of_list(verbs))


def _is_called(name: str, which: str) -> bool:
    return "".join(key_of(name)).endswith(tuple(words_of_list(which)))


def _figures(query: SemanticQuery, model: SemanticModel) -> Iterator[tuple[list[str], str | None]]:
    """What each figure of a query and what it is counted in are called, and its unit."""
    for shown in (*query.show, *(order.by for order in query.order)):
        yield from _told(shown, model)


def _told(shown: Shown, model: SemanticModel) -> Iterator[tuple[list[str], str | None]]:
    if shown.ratio is not None:
        for part in shown.ratio:
            yield from _told(part, model)
    elif shown.rows is not None:
        yield from _figures(shown.rows, model)
    elif shown.measure is not None:
        _, measure = model.measures[shown.measure]
        yield list(names_for("", measure)), measure.unit
    elif shown.field is not None:
        entity, _, field = shown.field.rpartition(".")
        thing = model.things[entity]
        declared = thing.fields[field].declared
        names = [*names_for(field, declared), *names_for(thing.name, thing.declared)]
        yield names, declared.unit if declared else None
