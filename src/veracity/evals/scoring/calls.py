"""How an answer came about: whether the calls mean what a question's pattern requires, and use no forbidden tool.

A filter is judged by what it lets through: the same rows as the required one, or fewer. That is tried out with the values
that either of the two names, and with their neighbours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from veracity.contracts import ToolCallLog
from veracity.evals.cases import RequiredFilter, ToolPattern
from veracity.evals.scoring.page import number_of
from veracity.query.model import NULL_OPERATORS
from veracity.tools.semantic import SEMANTIC_TOOL

Literal = Decimal | str
_MOST = 200
_LONGEST_SQL = 20_000
_BETWEEN = re.compile(r"\s+AND\s+|\s*,\s*|\s*\.\.\s*", re.IGNORECASE)
_UNITED = ("=", "LIKE", "IN")
"""Operators of which several on one field are alternatives, which several calls may take up between them."""
_STEPS = [Decimal(sign * 10**power) for power in range(5) for sign in (1, -1)]
_ANYWHERE: tuple[Literal | None, ...] = (None, Decimal(0), Decimal(10**15), Decimal(-(10**15)), "", "zzz")


def unmet_pattern(wanted: ToolPattern, calls: Sequence[ToolCallLog]) -> tuple[str, ...] | None:
    """What no successful call has of the tool, the table and the filters; None where SQL or a semantic query came instead."""
    passed = [call for call in calls if call.success]
    of_tool = [call for call in passed if call.tool.casefold() in _alternatives(wanted.tool)]
    if not of_tool and any("sql" in call.arguments or call.tool == SEMANTIC_TOOL for call in passed):
        return None
    if not of_tool:
        return (f"made no successful call of {wanted.tool}",)
    on_table = [call for call in of_tool if _is_on(call, wanted)]
    if not on_table:
        return (f"did not call {wanted.tool} on {wanted.table_name}",)
    return tuple(f"no call has the filter {one}" for one in _unmet_filters(wanted.required_filters, on_table))


def _alternatives(names: str) -> set[str]:
    return {name.strip().casefold() for name in names.split("|")}


def _is_on(call: ToolCallLog, wanted: ToolPattern) -> bool:
    if wanted.table_name is None:
        return True
    tables = _alternatives(wanted.table_name)
    if isinstance(sql := call.arguments.get("sql"), str):
        return bool(tables & set(re.findall(r"\w+", sql[:_LONGEST_SQL].casefold())))
    return str(call.arguments.get("tableName")).casefold() in tables


def _unmet_filters(wanted: Sequence[RequiredFilter], calls: Sequence[ToolCallLog]) -> list[RequiredFilter]:
    """The required filters that no call meets.

    A call counts when it lets through only what the requirements on every field allow; several alternatives of one field
    (two years) may be spread over several calls or stand in one.
    """
    statements = [sql[:_LONGEST_SQL].casefold() for call in calls if isinstance(sql := call.arguments.get("sql"), str)]
    if statements:
        # Raw SQL is not taken apart here: a filter counts when its field and its value both stand in it.
        return [one for one in wanted if not any(_stands_in(one, sql) for sql in statements)]
    needs: dict[str, list[FilterCondition]] = {}
    for one in wanted:
        needs.setdefault(one.field.casefold(), []).append(_required(one))
    let_through = ({field: list(_let_through(field, call, needs[field])) for field in needs} for call in calls)
    fitting = [found for found in let_through if all(_allowed(needs[field], found[field]) for field in needs)]
    return [
        one
        for one in wanted
        if not any(_accepts(_required(one), value) for found in fitting for value in found[one.field.casefold()])
    ]


def _stands_in(one: RequiredFilter, sql: str) -> bool:
    return one.field.casefold() in sql and one.value.strip("'\"").casefold() in sql


# --- conditions


@dataclass(frozen=True, slots=True)
class FilterCondition:
    """A filter with its values read: numbers as numbers, whatever they were written as."""

    field: str
    op: str
    values: tuple[Literal, ...] = ()


def _required(one: RequiredFilter) -> FilterCondition:
    return FilterCondition(one.field.casefold(), one.op, _values(one.op, one.value))


def _conditions(arguments: dict[str, Any]) -> Iterator[FilterCondition]:
    """The filters of a call, as far as they can be read."""
    for entry in _entries(arguments.get("filters")):
        if isinstance(entry, dict):
            op = str(entry.get("op") or "=").strip().upper().replace(" ", "_")
            op = "=" if op == "==" else op
            yield FilterCondition(str(entry.get("field")).casefold(), op, _values(op, entry.get("value")))


def _entries(filters: Any) -> Sequence[Any]:
    if isinstance(filters, str) and len(filters) < _LONGEST_SQL:
        try:
            filters = json.loads(filters)
        except (ValueError, RecursionError):
            return ()
    if isinstance(filters, dict):
        return [filters] if "field" in filters else [{"field": name, "value": value} for name, value in filters.items()]
    return filters[:_MOST] if isinstance(filters, list | tuple) else ()


def _values(op: str, value: Any) -> tuple[Literal, ...]:
    if op in NULL_OPERATORS:
        return ()
    if op == "LIKE":
        return (str(value).strip().strip("'\"")[:80],)
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


# --- what they let through


def _let_through(field: str, call: ToolCallLog, needs: Sequence[FilterCondition]) -> Iterator[Literal | None]:
    """Of the values that are worth a try, those that a call's filters on a field let through."""
    given = [one for one in _conditions(call.arguments) if one.field == field]
    tried = dict.fromkeys((*_ANYWHERE, *(value for one in (*given, *needs) for value in _worth_a_try(one))))
    return (value for value in tried if all(_accepts(one, value) for one in given))


def _worth_a_try(one: FilterCondition) -> Iterator[Literal]:
    """The values that a condition names, and their neighbours on both sides."""
    for value in one.values:
        if isinstance(value, Decimal):
            yield from (value, *(value + step for step in _STEPS))
        elif one.op == "LIKE":
            filled = [value.replace("_", "0").replace("%", inside) for inside in ("", "0", "5", "99")]
            numbers = [number_of(text) for text in filled]
            yield from (text if number is None else number for text, number in zip(filled, numbers, strict=True))
        else:
            yield from (value, f"{value}0", value[:-1])
            yield from (value[:-1] + chr(max(32, ord(value[-1]) + step)) for step in (1, -1) if value)


def _allowed(needs: Sequence[FilterCondition], let_through: Sequence[Literal | None]) -> bool:
    """Whether something is let through, and only what the requirements on one field allow, taken together."""
    united = [one for one in needs if one.op in _UNITED]
    alone = [one for one in needs if one.op not in _UNITED]
    return bool(let_through) and all(
        all(_accepts(one, value) for one in alone) and (not united or any(_accepts(one, value) for one in united))
        for value in let_through
    )


def _accepts(one: FilterCondition, value: Literal | None) -> bool:
    """Whether a value meets a condition; one that cannot be read lets everything through."""
    if value is None or one.op in NULL_OPERATORS:
        return (value is None) == (one.op == "IS_NULL")
    first, last = (one.values[0], one.values[-1]) if one.values else (None, None)
    match one.op:
        case "=" | "IN":
            return value in one.values
        case "!=":
            return value not in one.values
        case "LIKE":
            # A wildcard after = is a plain sign and finds no row: accountNumber = '102%'.
            return "%" not in _text(value) and _like(str(first)).fullmatch(_text(value)) is not None
        case ">=" | ">" | "BETWEEN" if first is not None and not _is_below(first, value, or_equal=one.op != ">"):
            return False
        case "<=" | "<" | "BETWEEN" if last is not None and not _is_below(value, last, or_equal=one.op != "<"):
            return False
    return True


def _is_below(first: Literal, second: Literal, *, or_equal: bool) -> bool:
    if isinstance(first, Decimal) and isinstance(second, Decimal):
        return first <= second if or_equal else first < second
    one, other = _text(first), _text(second)
    return one <= other if or_equal else one < other


def _text(value: Literal) -> str:
    return format(value, "f") if isinstance(value, Decimal) else value


def _like(pattern: str) -> re.Pattern[str]:
    parts = [".*" if char == "%" else "." if char == "_" else re.escape(char) for char in re.sub("%+", "%", pattern)]
    return re.compile("".join(parts), re.DOTALL)
