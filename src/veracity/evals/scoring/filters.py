"""Whether the filters of a call mean what a question's pattern requires: the same rows or fewer, never more."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from veracity.evals.cases import RequiredFilter
from veracity.evals.scoring.page import number_of
from veracity.query.model import NULL_OPERATORS

Literal = Decimal | str
_MOST = 200
_BETWEEN = re.compile(r"\s+AND\s+|\s*,\s*|\s*\.\.\s*", re.IGNORECASE)
_UNITED = ("=", "LIKE", "IN")
"""Operators of which several on one field are alternatives, which several calls may take up between them."""


@dataclass(frozen=True, slots=True)
class FilterCondition:
    """A filter with its values read: numbers as numbers, whatever they were written as."""

    field: str
    op: str
    values: tuple[Literal, ...] = ()


def required(one: RequiredFilter) -> FilterCondition:
    """A required filter of a question file."""
    return FilterCondition(one.field.casefold(), one.op, _values(one.op, one.value))


def conditions(arguments: dict[str, Any]) -> tuple[FilterCondition, ...]:
    """The filters of a call, as far as they can be read."""
    return tuple(_condition(entry) for entry in _entries(arguments.get("filters")) if isinstance(entry, dict))


def _entries(filters: Any) -> Sequence[Any]:
    if isinstance(filters, str) and len(filters) < 20_000:
        try:
            filters = json.loads(filters)
        except (ValueError, RecursionError):
            return ()
    if isinstance(filters, dict):
        return [filters] if "field" in filters else [{"field": name, "value": value} for name, value in filters.items()]
    return filters[:_MOST] if isinstance(filters, list | tuple) else ()


def _condition(entry: dict[Any, Any]) -> FilterCondition:
    op = str(entry.get("op") or "=").strip().upper().replace(" ", "_")
    return FilterCondition(str(entry.get("field")).casefold(), op, _values(op, entry.get("value")))


def _values(op: str, value: Any) -> tuple[Literal, ...]:
    if op in NULL_OPERATORS:
        return ()
    if op == "LIKE":
        return (str(value).strip().strip("'\""),)
    if isinstance(value, str) and op in ("IN", "BETWEEN"):
        inside = value.strip().strip("[]()")
        value = _BETWEEN.split(inside) if op == "BETWEEN" else inside.split(",")
    if isinstance(value, list | tuple):
        return tuple(_literal(item) for item in value[:_MOST])
    return () if value is None else (_literal(value),)


def _literal(value: Any) -> Literal:
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value).strip().strip("'\"")
    number = number_of(text)
    return text if number is None else number


def met(wanted: Sequence[RequiredFilter], calls: Iterable[tuple[FilterCondition, ...]]) -> list[RequiredFilter]:
    """The required filters that no call meets.

    A call counts when it holds something of every field that is required; several alternatives of one field
    (two years) may be spread over several calls or stand in one.
    """
    needs: dict[str, list[FilterCondition]] = {}
    for one in wanted:
        needs.setdefault(one.field.casefold(), []).append(required(one))
    held = list(calls)
    whole = [call for call in held if all(_allowed(conditions_, call) for conditions_ in needs.values())]
    return [one for one in wanted if not any(_covers(call, required(one)) for call in whole)]


def _allowed(same_field: list[FilterCondition], call: tuple[FilterCondition, ...]) -> bool:
    """Whether a call lets through only what the requirements on one field allow, taken together."""
    united = [one for one in same_field if one.op in _UNITED]
    given = [one for one in call if one.field == same_field[0].field]
    alone = all(implies(given, one) for one in same_field if one.op not in _UNITED)
    if not united:
        return alone
    values = _chosen(given)
    return alone and (
        any(implies(given, one) for one in united)
        or (bool(values) and all(any(_fits(value, one) for one in united) for value in values))
    )


def _covers(call: tuple[FilterCondition, ...], one: FilterCondition) -> bool:
    """Whether a call takes up a requirement: it means no more, or it names its value among the allowed ones."""
    given = [held for held in call if held.field == one.field]
    if one.op == "IN":
        values = _chosen(given)
        return bool(values) and all(_fits(value, one) for value in values)
    return implies(given, one) or (one.op in _UNITED and any(_fits(value, one) for value in _chosen(given)))


def _chosen(given: list[FilterCondition]) -> tuple[Literal, ...]:
    """The values that = or IN pick out."""
    for one in given:
        if one.op in ("=", "==", "IN"):
            return one.values
        if one.op == "LIKE" and not re.search("[%_]", str(one.values[0])):
            return (_literal(one.values[0]),)
        if one.op == "BETWEEN" and len(one.values) == 2 and one.values[0] == one.values[1]:
            return one.values[:1]
    low, high = _bounds(given)
    return (low,) if low is not None and low == high else ()


def implies(given: list[FilterCondition], one: FilterCondition) -> bool:
    """Whether the conditions on a field let through only what one condition does."""
    if any(held.op == one.op and held.values == one.values for held in given):
        return True
    if one.op == "IS_NOT_NULL":
        return any(held.op != "IS_NULL" for held in given)
    values = _chosen(given)
    if values:
        return all(_fits(value, one) for value in values)
    if one.op == "LIKE":
        return _like(given, str(one.values[0]))
    return _inside(given, one)


def _fits(value: Literal, one: FilterCondition) -> bool:
    """Whether a value meets a condition."""
    match one.op:
        case "=" | "IN":
            return value in one.values
        case "!=":
            return value not in one.values
        case "LIKE":
            # A wildcard after = is a plain sign and finds no row: accountNumber = '102%'.
            plain = _text(value)
            return "%" not in plain and _pattern(str(one.values[0])).fullmatch(plain) is not None
        case "IS_NULL" | "IS_NOT_NULL":
            return one.op == "IS_NOT_NULL"
    low, high = _bounds([one])
    return (low is None or _not_above(low, value)) and (high is None or _not_above(value, high))


def _text(value: Literal) -> str:
    return format(value, "f") if isinstance(value, Decimal) else value


def _pattern(like: str) -> re.Pattern[str]:
    parts = [".*" if char == "%" else "." if char == "_" else re.escape(char) for char in re.sub("%+", "%", like[:80])]
    return re.compile("".join(parts), re.DOTALL)


def _like(given: list[FilterCondition], wanted: str) -> bool:
    """Whether conditions pick out only what starts as a pattern such as 102% says."""
    prefix = wanted[:-1]
    if not wanted.endswith("%") or re.search("[%_]", prefix):
        return False
    for one in given:
        if one.op == "LIKE" and re.split("[%_]", str(one.values[0]))[0].startswith(prefix):
            return True
    low, high = _bounds(given)
    if low is None or high is None:
        return False
    first, last = _text(low), _text(high)
    return len(first) == len(last) and first.startswith(prefix) and last.startswith(prefix)


def _bounds(given: list[FilterCondition]) -> tuple[Literal | None, Literal | None]:
    """The lowest and the highest value that conditions let through; below 1030 is up to 1029."""
    low: Literal | None = None
    high: Literal | None = None
    for one in given:
        if not one.values:
            continue
        first, last = one.values[0], one.values[-1]
        if one.op in (">=", ">", "BETWEEN", "="):
            low = _next(first, 1) if one.op == ">" else first
        if one.op in ("<=", "<", "BETWEEN", "="):
            high = _next(last, -1) if one.op == "<" else last
    return low, high


def _next(value: Literal, step: int) -> Literal:
    whole = isinstance(value, Decimal) and value == value.to_integral_value()
    return value + step if whole and isinstance(value, Decimal) else value


def _not_above(first: Literal, second: Literal) -> bool:
    if isinstance(first, Decimal) and isinstance(second, Decimal):
        return first <= second
    return _text(first) <= _text(second)


def _inside(given: list[FilterCondition], one: FilterCondition) -> bool:
    """Whether the stretch of conditions lies inside of the one that is required."""
    low, high = _bounds(given)
    wanted_low, wanted_high = _bounds([one])
    if one.op == "!=":
        return False
    if wanted_low is None and wanted_high is None:
        return False
    starts = wanted_low is None or (low is not None and _not_above(wanted_low, low))
    return starts and (wanted_high is None or (high is not None and _not_above(high, wanted_high)))
