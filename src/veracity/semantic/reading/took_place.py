"""What took place, where a status says that some rows did not: appointments that were called off."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, Related, SemanticQuery, all_of, parts_of
from veracity.semantic.reading.word_lists import in_all_languages, key_of
from veracity.semantic.reading.word_senses import Tagged

_MOST_STATES = 6


@dataclass(frozen=True, slots=True)
class HeldStates:
    """The field that says whether a row took place, and the values that do not deny it."""

    path: str
    values: tuple[str, ...]


def states_of_holding(
    model: SemanticModel, values: Mapping[tuple[str, str], Collection[str]]
) -> Mapping[str, HeldStates]:
    """The entities of which some rows were called off, by a stored value."""
    off = in_all_languages("called_off")
    found: dict[str, HeldStates] = {}
    for (entity, field), stored in values.items():
        thing = model.things.get(entity)
        declared = thing.fields[field].declared if thing is not None else None
        if declared is None or not declared.categorical or len(stored) > _MOST_STATES:
            continue
        denied = {value for value in stored if key_of(value) in off or any((word,) in off for word in key_of(value))}
        if denied:
            found[entity] = HeldStates(f"{entity}.{field}", tuple(sorted(set(stored) - denied)))
    return found


def each_that_was_held(
    query: SemanticQuery, tagged: Tagged, states: Mapping[str, HeldStates]
) -> Iterator[SemanticQuery]:
    """The query; where it asks what took place and a status says more of that, also of each status that does not deny it."""
    yield query
    said = key_of(" ".join(token.text for token in tagged.tokens))
    spans = {said[start : start + length] for start in range(len(said)) for length in (1, 2)}
    written = query.canonical_json()
    open_states = {entity: state for entity, state in states.items() if f'"{state.path}"' not in written}
    if not spans.isdisjoint(in_all_languages("took_place")) and (state := open_states.get(query.of or "")) is not None:
        for value in state.values:
            yield _held(query, Comparison(field=state.path, value=value))
    elif not spans.isdisjoint(in_all_languages("done_to_people")):
        for entity, state in open_states.items():
            yield from _done(query, state, entity)


def _held(query: SemanticQuery, held: Comparison) -> SemanticQuery:
    return query.model_copy(update={"where": all_of((query.where, held))}).normalized()


def _done(query: SemanticQuery, state: HeldStates, entity: str) -> Iterator[SemanticQuery]:
    """The query of each status of the rows by which something was done to its own: patients who were treated at an appointment."""
    parts = tuple(parts_of(query.where))
    for place, part in enumerate(parts):
        if isinstance(part, Related) and part.related.of == entity and part.count is None:
            for value in state.values:
                related = _held(part.related, Comparison(field=state.path, value=value))
                held = (*parts[:place], part.model_copy(update={"related": related}), *parts[place + 1 :])
                yield query.model_copy(update={"where": all_of(held)}).normalized()
