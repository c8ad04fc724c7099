"""Amounts by groups that share rows: a payment for two products counts in both, so that the groups come to more than there is."""

from __future__ import annotations

from decimal import Decimal

from veracity.semantic.editing import undivided
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate, SemanticQuery, Shown, Transform
from veracity.semantic.result import ColumnPart, SemanticResult


def amounts_counted_twice(result: SemanticResult, model: SemanticModel) -> SemanticQuery | None:
    """The same amount of everything together, where groups of a sum may share rows; nothing where they cannot."""
    query = result.query
    plain = len(query.show) == 1 and _adds_up(query.show[0], model) and query.compare is None
    if not (result.overlapping and plain and len(result.rows) > 1):
        return None
    return undivided(query)


def come_to_more(groups: SemanticResult, whole: SemanticResult) -> bool:
    """Whether the groups together are more than the whole."""
    return _total(groups) != _total(whole)


def _adds_up(shown: Shown, model: SemanticModel) -> bool:
    if shown.measure is not None:
        return model.measures[shown.measure][1].aggregate == "SUM" and shown.transform in (None, Transform.SHARE)
    return shown.aggregate is Aggregate.SUM


def _total(result: SemanticResult) -> Decimal:
    figures = [column.column.name for column in result.columns if column.part is ColumnPart.FIGURE]
    cells = (row[name] for row in result.rows for name in figures[:1])
    return sum((Decimal(str(cell)) for cell in cells if cell is not None), Decimal(0))
