"""Periods of a series that have no rows: they are not in the result, and must be told."""

from __future__ import annotations

from datetime import date

from veracity.semantic.query_values import Grain
from veracity.semantic.result import SemanticResult

_MONTHS = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12}


def empty_periods(result: SemanticResult) -> tuple[Grain, list[date]] | None:
    """The first days of the periods between the first and the last one that no row lies in; nothing where it is no whole series."""
    query = result.query
    one = query.by[0] if len(query.by) == 1 else None
    if one is None or one.grain not in _MONTHS or query.limit is not None or query.having is not None or query.compare:
        return None
    column = next((c.column.name for c in result.columns if c.dimension == one), None)
    days = [row[column] for row in result.rows] if column else []
    known = {day.year * 12 + day.month - 1 for day in days if isinstance(day, date)}
    if len(known) != len(days) or len(known) < 2 or result.truncated:
        return None
    between = range(min(known), max(known), _MONTHS[one.grain])
    return one.grain, [date(month // 12, month % 12 + 1, 1) for month in between if month not in known]
