"""A period as a condition on rows: on a date, or on columns that hold years and months."""

from __future__ import annotations

from typing import TYPE_CHECKING

from veracity.contracts import ValidationErrorCode, clip
from veracity.semantic.checking.names import Refused
from veracity.semantic.graph import Thing, Way
from veracity.semantic.query_values import QueryPeriod, last_day
from veracity.semantic.sql.dialects import month_number, year_number
from veracity.semantic.sql.rows import RowSelect, both

if TYPE_CHECKING:
    from sqlglot import exp

_OPEN = (0, 9999)


def parts_span(thing: Thing, period: QueryPeriod) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and the last year and month of a period; refused where years and months cannot say it."""
    parts, first, last = thing.date_parts, period.first, period.last
    assert parts is not None
    start = (first.year, first.month) if first else (_OPEN[0], 1)
    end = (last.year, last.month) if last else (_OPEN[1], 12)
    months = (first is None or first.day == 1) and (last is None or last == last_day(last.year, last.month))
    if not months:
        hint = f"{clip(thing.name, 30)} knows whole months and years only."
        raise Refused(ValidationErrorCode.TYPE_MISMATCH, "period", hint)
    if parts.month is None and (start[1], end[1]) != (1, 12):
        hint = f"{clip(thing.name, 30)} knows whole years only."
        raise Refused(ValidationErrorCode.TYPE_MISMATCH, "period", hint)
    return start, end


def in_parts(thing: Thing, period: QueryPeriod, rows: RowSelect, way: Way, *, by_month: bool) -> exp.Expr:
    """Whether the years and months of a row lie in a period. `by_month`: the answer tells its months apart."""
    from sqlglot import exp

    parts = thing.date_parts
    assert parts is not None
    start, end = parts_span(thing, period)
    year = year_number(rows.column(way, parts.year), thing.fields[parts.year].column)

    def number(value: int) -> exp.Expr:
        return exp.Literal.number(value)

    def between(value: exp.Expr, low: int, high: int) -> exp.Expr:
        return exp.Between(this=value, low=number(low), high=number(high))

    if parts.month is None:
        return between(year, start[0], end[0])
    month = month_number(rows.column(way, parts.month), thing.fields[parts.month].column)
    whole_years = (start[1], end[1]) == (1, 12)
    if whole_years and parts.whole is not None and not by_month:
        return both([between(year, start[0], end[0]), exp.EQ(this=month, expression=number(parts.whole))])
    real_month = between(month.copy(), 1, 12)
    if whole_years:
        return both([between(year, start[0], end[0]), real_month])
    place = exp.Add(this=exp.Mul(this=year, expression=number(12)), expression=month)
    return both([between(place, start[0] * 12 + start[1], end[0] * 12 + end[1]), real_month])
