"""Figures of several units, or of several kinds that do not add up, are told apart and never mixed."""

from __future__ import annotations

from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import (
    Comparison,
    Dimension,
    FigureComparison,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
    parts_of,
)

_MIXED = (ValidationErrorCode.MIXED_UNITS, ValidationErrorCode.INVALID_AGGREGATE_TARGET)
_ALONG_DATES = (Transform.RUNNING_TOTAL, Transform.CHANGE, Transform.CHANGE_PERCENT)


def kept_apart(query: SemanticQuery, problem: QueryValidationError, model: SemanticModel) -> SemanticQuery | None:
    """The query divided by the field that it mixes the values of; nothing where that is not what is wrong with it."""
    entity, _, field = (problem.suggestion or "").rpartition(".")
    thing = model.things.get(entity)
    if problem.code not in _MIXED or thing is None or field not in thing.fields:
        return None
    divided = Dimension(field=f"{entity}.{field}", apart=True)
    query = query.model_copy(update={"show": tuple(_as_ratio(shown, query) for shown in query.show)})
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


def _as_ratio(shown: Shown, query: SemanticQuery) -> Shown:
    """The share of some rows as their figure over that of all, which can be told for each unit by itself."""
    if shown.transform is not Transform.SHARE or shown.where is None or query.by:
        return shown
    part = shown.model_copy(update={"transform": None})
    return Shown(ratio=(part, part.model_copy(update={"where": None})), unit="%")


def _spans_groups(shown: Shown, query: SemanticQuery) -> bool:
    """Whether it is made of all groups together; a running total goes along the dates, apart for each of the others."""
    along_dates = shown.transform in _ALONG_DATES and any(one.is_dated for one in query.by)
    return shown.transform is not None and not along_dates


def figure_compared_with(query: SemanticQuery, problem: QueryValidationError) -> SemanticQuery | None:
    """The query whose one figure rows are compared with, where units are mixed: than account 6000; nothing where that is not the case."""
    if problem.code is not ValidationErrorCode.MIXED_UNITS or not query.lists:
        return None
    others = [one.value for one in _with_queries(query)]
    return others[0] if len(others) == 1 and isinstance(others[0], SemanticQuery) else None


def compared_in(query: SemanticQuery, problem: QueryValidationError, unit: str) -> SemanticQuery:
    """The query with both figures in the unit of the one that rows are compared with."""
    pin = Comparison(field=problem.suggestion or "", value=unit)
    compared = _with_queries(query)[0]
    other = compared.value
    assert isinstance(other, SemanticQuery)
    own = compared.show.model_copy(update={"where": all_of((*parts_of(compared.show.where), pin))})
    with_unit = other.model_copy(update={"where": all_of((*parts_of(other.where), pin))})
    told = compared.model_copy(update={"show": own, "value": with_unit})
    where = tuple(told if one is compared else one for one in parts_of(query.where))
    return query.model_copy(update={"where": all_of(where)})


def _with_queries(query: SemanticQuery) -> list[FigureComparison]:
    parts = parts_of(query.where)
    return [one for one in parts if isinstance(one, FigureComparison) and isinstance(one.value, SemanticQuery)]
