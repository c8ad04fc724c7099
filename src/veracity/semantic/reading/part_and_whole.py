"""Which of two figures is a part of the other: service revenue of revenue; and a value that is called like a group which it is a part of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from veracity.semantic.checking.expressions import segment_condition
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import (
    Aggregate,
    AnyOf,
    Comparison,
    Condition,
    InSegment,
    Related,
    SemanticQuery,
    Transform,
    parts_of,
    to_json,
)
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import SegmentWord, Stored
from veracity.semantic.reading.word_senses import Tagged


def is_within(part: FigurePhrase, whole: FigurePhrase, model: SemanticModel) -> bool:
    """Whether a figure is the same as another one, of some of its rows: each condition of the whole holds for the part, too."""
    if part.shown != whole.shown or part.home != whole.home:
        return False
    return all(any(_implies(own, one, model) for own in part.where) for one in whole.where)


def _implies(condition: Condition, other: Condition, model: SemanticModel) -> bool:
    if condition == other:
        return True
    if not isinstance(condition, InSegment) or not isinstance(other, InSegment) or condition.via != other.via:
        return False
    entity, wide_entity = model.segments[condition.segment][0], model.segments[other.segment][0]
    if entity != wide_entity:
        return False
    narrow, wide = (_prefixes(segment_condition(model.things[entity], one.segment)) for one in (condition, other))
    return bool(narrow) and all(any(one.startswith(start) for start in wide) for one in narrow)


def _prefixes(condition: Condition) -> tuple[str, ...]:
    """How the codes of a segment begin; nothing where it is not told by that alone."""
    parts = condition.conditions if isinstance(condition, AnyOf) else (condition,)
    found = []
    for one in parts:
        if not isinstance(one, Comparison) or one.op != "like" or not isinstance(one.value, str):
            return ()
        start, sign, rest = one.value.partition("%")
        if not sign or rest or "_" in start:
            return ()
        found.append(start)
    return tuple(found)


def group_or_value(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query; and, where a share or a number is asked of what is called like a group and like a stored name, the one about the other.

    Consulting revenue may be the account of that name, or the group of accounts that people call so. What it comes to is that of the group.
    """
    yield query
    shares = any(one.ratio or one.transform is Transform.SHARE for one in query.show)
    counts = query.lists or any(one.aggregate is Aggregate.COUNT for one in query.show)
    tied = any(isinstance(one, Related) for one in parts_of(query.where))
    groups = {(one.start, one.end): one.phrase for one in tagged.mentions if isinstance(one.phrase, SegmentWord)}
    for one in tagged.mentions if shares or (counts and tied) else ():
        group = groups.get((one.start, one.end))
        homes = one.phrase.homes if isinstance(one.phrase, Stored) else ()
        for entity, field, value in homes if len(homes) == 1 else ():
            stored = {"field": f"{entity}.{field}", "value": value}
            if group and group.entity == entity and field in model.things[entity].display:
                told = _swapped(to_json(query), group.name, entity, stored)
                other = SemanticQuery.model_validate(told).normalized()
                if other != query:
                    yield other


def _swapped(told: Any, segment: str, entity: str, stored: Mapping[str, Any]) -> Any:
    """What is said of a group said of a stored value, and the other way round."""
    if isinstance(told, list | tuple):
        return [_swapped(one, segment, entity, stored) for one in told]
    if not isinstance(told, dict):
        return told
    via = {"via": told["via"]} if told.get("via") else {}
    if told.get("segment") == segment:
        return {"related": {"of": entity, "where": stored}, **via} if via else dict(stored)
    if told == stored or (told.get("related") == {"of": entity, "where": stored} and not told.get("count")):
        return {"segment": segment, **via}
    return {name: _swapped(one, segment, entity, stored) for name, one in told.items()}
