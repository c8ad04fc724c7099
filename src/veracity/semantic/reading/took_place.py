"""What took place, where a status says that some rows did not: appointments that were called off."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, SemanticQuery, all_of
from veracity.semantic.reading.word_lists import in_all_languages, key_of
from veracity.semantic.reading.words import Tagged

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
        denied = {value for value in stored if any((word,) in off for word in key_of(value))}
        if denied:
            found[entity] = HeldStates(f"{entity}.{field}", tuple(sorted(set(stored) - denied)))
    return found


def each_that_was_held(
    query: SemanticQuery, tagged: Tagged, states: Mapping[str, HeldStates]
) -> Iterator[SemanticQuery]:
    """The query; where it asks what took place and a status says more of that, also of each status that does not deny it."""
    yield query
    state = states.get(query.of or "")
    said = key_of(" ".join(token.text for token in tagged.tokens))
    spans = {said[start : start + length] for start in range(len(said)) for length in (1, 2)}
    asked = not spans.isdisjoint(in_all_languages("took_place"))
    if state is None or not asked or f'"{state.path}"' in query.canonical_json():
        return
    for value in state.values:
        held = all_of((query.where, Comparison(field=state.path, value=value)))
        yield query.model_copy(update={"where": held}).normalized()
