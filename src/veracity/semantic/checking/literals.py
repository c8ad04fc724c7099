"""Literals of conditions: does a value fit a field, and how is it bound. Days fit every kind of date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from veracity.ontology.fields import Encoding
from veracity.query.catalog import FieldFacts
from veracity.query.values import Edge, Misfit, bind
from veracity.sources.source import ColumnType

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_LAST_DAY = date(9999, 12, 31)
_EDGES: dict[str, Edge] = {">=": "start", "<": "start", "<=": "end", ">": "end"}


@dataclass(frozen=True, slots=True)
class DaySpan:
    """A day as a column of moments holds it: from its first moment to the first one after it."""

    start: Any
    after: Any


def day_of(value: Any) -> date | None:
    """The day that a literal writes as 2025-12-31."""
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def holds_moments(facts: FieldFacts) -> bool:
    """Whether a day is a span of its values and not one of them."""
    return facts.guard is not None or facts.column.type is ColumnType.TIMESTAMP


def moment(facts: FieldFacts, day: date) -> Any:
    """The first moment of a day, as the field stores it."""
    start = datetime.combine(day, time())
    if facts.guard is not None:
        factor = 1 if facts.guard is Encoding.UNIX_SECONDS else 1000
        return int(start.replace(tzinfo=UTC).timestamp()) * factor
    return start


def bound(facts: FieldFacts, op: str, value: Any) -> Any:
    """The value as it is bound, or the span of a day; raises `Misfit`."""
    day = day_of(value)
    if day is not None and holds_moments(facts):
        following = day + timedelta(days=1) if day < _LAST_DAY else day
        return DaySpan(moment(facts, day), moment(facts, following))
    return bind(facts, value, edge=_EDGES.get(op, "exact"))


def bound_day(name: str, value: Any) -> date:
    """A day to compare the start of a period with; raises `Misfit`."""
    day = day_of(value)
    if day is None:
        raise Misfit(f"{name[:30]} is compared with a day: write it as 'YYYY-MM-DD'.")
    return day
