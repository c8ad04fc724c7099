"""Which of two figures is a part of the other: service revenue of revenue, rent of the expenses on premises."""

from __future__ import annotations

from veracity.semantic.checking.expressions import segment_condition
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import AnyOf, Comparison, Condition, InSegment
from veracity.semantic.reading.phrases import FigurePhrase


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
