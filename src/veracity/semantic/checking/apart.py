"""Figures of several units, or of several kinds that do not add up, are told apart and never mixed."""

from __future__ import annotations

from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Dimension, SemanticQuery, Shown, Transform

_MIXED = (ValidationErrorCode.MIXED_UNITS, ValidationErrorCode.INVALID_AGGREGATE_TARGET)
_ALONG_DATES = (Transform.RUNNING_TOTAL, Transform.CHANGE, Transform.CHANGE_PERCENT)


def kept_apart(query: SemanticQuery, problem: QueryValidationError, model: SemanticModel) -> SemanticQuery | None:
    """The query divided by the field that it mixes the values of; nothing where that is not what is wrong with it."""
    entity, _, field = (problem.suggestion or "").rpartition(".")
    thing = model.things.get(entity)
    if problem.code not in _MIXED or thing is None or field not in thing.fields:
        return None
    divided = Dimension(field=f"{entity}.{field}", apart=True)
    figures = [shown for shown in query.show if not shown.is_field]
    known = any(one.field == divided.field for one in (*query.by, *query.per))
    if known or any(_spans_groups(shown, query) for shown in figures):
        return None
    if any(shown.rows for shown in figures):
        inner = [shown.rows and _divided(shown.rows, divided) for shown in figures]
        changed = [s.model_copy(update={"rows": rows}) for s, rows in zip(figures, inner, strict=True)]
        return query.model_copy(update={"show": tuple(changed), "by": (*query.by, divided)})
    per = (*query.per, divided) if query.limit is not None else query.per
    by = (*query.by, divided) if not query.lists else query.by
    return query.model_copy(update={"by": by, "per": per})


def _divided(query: SemanticQuery, by: Dimension) -> SemanticQuery:
    return query.model_copy(update={"by": (*query.by, by)})


def _spans_groups(shown: Shown, query: SemanticQuery) -> bool:
    """Whether it is made of all groups together; a running total goes along the dates, apart for each of the others."""
    along_dates = shown.transform in _ALONG_DATES and any(one.is_dated for one in query.by)
    return shown.transform is not None and not along_dates
