"""Figures that changed from one period to another, and the best of several periods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from veracity.language.units import unit_called
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import OrderBy, SemanticQuery, Shown, Transform
from veracity.semantic.query_values import Comparing, QueryPeriod
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.figure_names import figure_unit
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import Direction

_CHANGES = (Transform.CHANGE, Transform.CHANGE_PERCENT)


def best_of_periods(figures: FigurePhrase, direction: Direction, count: int | None) -> Iterator[MadePhrase]:
    """The highest monthly revenue: of the months the one where it is highest."""
    dated = len(figures.by) == 1 and figures.by[0].is_dated and len(figures.shown) == 1
    if dated and not figures.order and not figures.changes and figures.compare is None:
        order = OrderBy(by=figures.shown[0], descending=direction > 0)
        best = replace(figures, order=(order,), limit=count or 1, skip=figures.skip, direction=None, count=None)
        yield MadePhrase(best)


def changed(figures: FigurePhrase) -> Iterator[MadePhrase]:
    """How did it change from one period to another."""
    ends = figures.ends
    if ends is not None and figures.compare is None:
        compare = Comparing(period=ends[0])
        told = replace(figures, period=ends[1], compare=compare, ends=None, changes=False, grows=False)
        yield MadePhrase(told if told.direction is not None else without_change(told))


def along_both(query: SemanticQuery) -> SemanticQuery | None:
    """Monthly revenue in 2025 compared with 2024: the months of both years, as no month is in both; nothing where these lie apart."""
    before = query.compare.period if query.compare is not None else None
    if before is None or query.period is None or not any(one.is_dated and one.grain for one in query.by):
        return query
    first, last = sorted((before, query.period), key=lambda one: one.first or date.min)
    if first.first is None or first.last is None or last.first != first.last + timedelta(days=1):
        return None
    whole = QueryPeriod.model_validate({"from": first.first, "to": last.last, "field": query.period.field})
    order = tuple(one for one in query.order if one.by.transform is None)
    return query.model_copy(update={"period": whole, "compare": None, "order": order})


def in_own_unit(query: SemanticQuery, model: SemanticModel) -> SemanticQuery:
    """By how many kWh did it change, where it is in kWh: a comparison is in the figure's own unit anyway."""

    def plain(shown: Shown) -> Shown:
        asked = unit_called(shown.unit) if shown.unit else None
        same = asked is not None and asked == figure_unit(shown, model)
        return shown.model_copy(update={"unit": None}) if same else shown

    if query.compare is None:
        return query
    order = tuple(one.model_copy(update={"by": plain(one.by)}) for one in query.order)
    return query.model_copy(update={"show": tuple(map(plain, query.show)), "order": order})


def without_change(figures: FigurePhrase) -> FigurePhrase:
    """A figure itself, whose change has decided what comes first: beside it the change is told anyway."""
    shown = (one.model_copy(update={"transform": None}) if one.transform in _CHANGES else one for one in figures.shown)
    return replace(figures, shown=tuple(shown))
