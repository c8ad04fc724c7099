"""Tool arguments: from whatever JSON a model sent to a typed call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.nearest import nearest
from veracity.ontology.schema import Vocabulary

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "LIKE", "IN", "BETWEEN", "IS_NULL", "IS_NOT_NULL")
AGGREGATES = ("SUM", "AVG", "COUNT", "COUNT_DISTINCT", "MIN", "MAX")
ADDING = frozenset({"SUM", "AVG"})
"""The aggregates that add values up, and so can double-count."""
VOCABULARY = Vocabulary(OPERATORS, AGGREGATES, ADDING)
NULL_OPERATORS = frozenset({"IS_NULL", "IS_NOT_NULL"})

ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "browseTable": ("tableName", "limit"),
    "queryTable": ("tableName", "fields", "filters", "orderBy", "limit"),
    "aggregateTable": ("tableName", "aggregate", "field", "groupBy", "filters", "limit"),
}
TOOLS = tuple(ARGUMENTS)

# Words for the same thing only: a guess at an operator could turn a question into its opposite.
_OPERATOR_SYNONYMS = {
    "==": "=", "===": "=", "EQ": "=", "EQUALS": "=", "IS": "=", "<>": "!=", "!==": "!=", "≠": "!=", "NE": "!=",
    "LT": "<", "LTE": "<=", "≤": "<=", "=<": "<=", "GT": ">", "GTE": ">=", "≥": ">=", "=>": ">=",
    "ILIKE": "LIKE", "CONTAINS": "LIKE", "STARTSWITH": "LIKE", "STARTS_WITH": "LIKE", "ENDSWITH": "LIKE", "ENDS_WITH": "LIKE",
    "IS NULL": "IS_NULL", "ISNULL": "IS_NULL", "IS NOT NULL": "IS_NOT_NULL", "NOT NULL": "IS_NOT_NULL", "NOTNULL": "IS_NOT_NULL",
}  # fmt: skip
_AGGREGATE_SYNONYMS = {
    "AVERAGE": "AVG", "MEAN": "AVG", "TOTAL": "SUM", "MINIMUM": "MIN", "MAXIMUM": "MAX",
    "COUNT DISTINCT": "COUNT_DISTINCT", "DISTINCT": "COUNT_DISTINCT", "COUNTDISTINCT": "COUNT_DISTINCT",
}  # fmt: skip
_FILTER_KEYS = {
    "column": "field",
    "name": "field",
    "operator": "op",
    "operation": "op",
    "values": "value",
    "val": "value",
}
_DIRECTIONS = {"ASC": False, "ASCENDING": False, "DESC": True, "DESCENDING": True}
_MAX_FILTERS = 50
_MAX_NAMES = 500
_SHOWN = 24


@dataclass(frozen=True, slots=True)
class Filter:
    """One condition; the conditions of a call are joined by AND."""

    field: str
    op: str
    value: Any = None


@dataclass(frozen=True, slots=True)
class Order:
    """One sort key."""

    field: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A call as read from its arguments; `problem` is the first thing that could not be read."""

    tool: str
    table: str = ""
    fields: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    order_by: tuple[Order, ...] = ()
    limit: int | None = None
    aggregate: str | None = None
    target: str | None = None
    """The field that is aggregated."""
    group_by: tuple[str, ...] = ()
    problem: QueryValidationError | None = field(default=None, compare=False)

    @property
    def named_fields(self) -> tuple[str, ...]:
        """Every field the call names, in the order a reader meets them."""
        target = (self.target,) if self.target is not None else ()
        filtered = tuple(condition.field for condition in self.filters)
        return (*self.fields, *target, *self.group_by, *filtered, *(order.field for order in self.order_by))


def _problem(code: ValidationErrorCode, name: Any, hint: str, suggestion: str | None = None) -> QueryValidationError:
    return QueryValidationError(code=code, field=_in_short(name), suggestion=suggestion, hint=hint)


class _Unreadable(Exception):  # never leaves this module: it only carries a result past the readers below
    def __init__(self, code: ValidationErrorCode, name: Any, hint: str, suggestion: str | None = None) -> None:
        self.problem = _problem(code, name, hint, suggestion)


def read_call(tool: str, arguments: Any) -> Call:
    """The call these arguments make. Never raises: what cannot be read is the call's `problem`."""
    if tool not in ARGUMENTS:
        hint = f"The tools are {', '.join(TOOLS)}."
        problem = _problem(ValidationErrorCode.FIELD_NOT_FOUND, tool, hint, nearest(tool, TOOLS))
        return Call(tool=tool, problem=problem)
    if not isinstance(arguments, Mapping):
        hint = "The arguments must be one JSON object."
        return Call(tool=tool, problem=_problem(ValidationErrorCode.TYPE_MISMATCH, "arguments", hint))
    table = arguments.get("tableName")
    call = Call(tool=tool, table=table if isinstance(table, str) else "")
    try:
        return _read_rest(call, arguments)
    except _Unreadable as unreadable:
        return replace(call, problem=unreadable.problem)


def _read_rest(call: Call, arguments: Mapping[Any, Any]) -> Call:
    known = ARGUMENTS[call.tool]
    for key in arguments:
        if key not in known:
            hint, suggestion = (
                f"{call.tool} takes {', '.join(known)}.",
                nearest(key, known) if isinstance(key, str) else None,
            )
            raise _Unreadable(ValidationErrorCode.FIELD_NOT_FOUND, key, hint, suggestion)
    given = {key: value for key, value in arguments.items() if value is not None}
    call = replace(call, limit=_limit(given.get("limit")))
    if call.tool == "browseTable":
        return call
    call = replace(call, filters=_filters(given.get("filters", [])))
    if call.tool == "queryTable":
        fields = _names("fields", given.get("fields", []))
        return replace(call, fields=() if fields == ("*",) else fields, order_by=_orders(given.get("orderBy", [])))
    aggregate = _aggregate(given.get("aggregate"))
    target = given.get("field")
    if target == "*" and aggregate == "COUNT":
        target = None
    if target is not None and not isinstance(target, str):
        raise _Unreadable(ValidationErrorCode.TYPE_MISMATCH, "field", "field is the name of one column.")
    if target is None and aggregate != "COUNT":
        raise _Unreadable(
            ValidationErrorCode.FIELD_NOT_FOUND, "field", f"{aggregate} needs a field; only COUNT works without one."
        )
    return replace(call, aggregate=aggregate, target=target, group_by=_names("groupBy", given.get("groupBy", [])))


def _in_short(value: Any) -> str:
    """A short form of any JSON value; never walks into a large or deep one."""
    if isinstance(value, str):
        return clip(value, _SHOWN)
    small = isinstance(value, float | None) or (isinstance(value, int) and abs(value) < 2**63)
    return clip(str(value), _SHOWN) if small else type(value).__name__


def _limit(value: Any) -> int | None:
    if value is None:
        return None
    number = _whole(value)
    if number is None or number < 1:
        suggestion = (
            str(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10 else None
        )
        raise _Unreadable(
            ValidationErrorCode.TYPE_MISMATCH, "limit", "limit is a whole number of 1 or more.", suggestion
        )
    return number


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal) and value.is_finite() and value.adjusted() < _SHOWN:
        return int(value) if value == int(value) else None
    return int(value) if isinstance(value, float) and value.is_integer() else None


def _names(argument: str, value: Any) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise _Unreadable(ValidationErrorCode.TYPE_MISMATCH, argument, f"{argument} is a list of field names.")
    if len(names) > _MAX_NAMES:
        raise _Unreadable(ValidationErrorCode.TYPE_MISMATCH, argument, f"{argument} takes at most {_MAX_NAMES} names.")
    return tuple(dict.fromkeys(names))


def _orders(value: Any) -> tuple[Order, ...]:
    entries = [value] if isinstance(value, str | Mapping) else value
    if not isinstance(entries, list | tuple) or len(entries) > _MAX_FILTERS:
        raise _Unreadable(ValidationErrorCode.TYPE_MISMATCH, "orderBy", "orderBy is a list of {field, direction}.")
    return tuple(_order(entry) for entry in entries)


def _order(entry: Any) -> Order:
    hint = 'orderBy entries are {"field": name, "direction": "ASC" or "DESC"}.'
    if isinstance(entry, str):
        name, _, direction = entry.strip().rpartition(" ")
        if name and direction.upper() in _DIRECTIONS:
            return Order(name.strip(), descending=_DIRECTIONS[direction.upper()])
        return Order(entry.strip())
    if (
        not isinstance(entry, Mapping)
        or not isinstance(entry.get("field"), str)
        or not set(entry) <= {"field", "direction"}
    ):
        raise _Unreadable(ValidationErrorCode.TYPE_MISMATCH, "orderBy", hint)
    direction = entry.get("direction") or "ASC"
    if not isinstance(direction, str) or direction.upper() not in _DIRECTIONS:
        raise _Unreadable(ValidationErrorCode.TYPE_MISMATCH, "direction", hint)
    return Order(entry["field"], descending=_DIRECTIONS[direction.upper()])


def _aggregate(value: Any) -> str:
    name = value.strip().upper() if isinstance(value, str) else ""
    if name in AGGREGATES:
        return name
    suggestion = _AGGREGATE_SYNONYMS.get(name)
    raise _Unreadable(
        ValidationErrorCode.OPERATOR_INCOMPATIBLE,
        "aggregate",
        f"aggregate is one of {', '.join(AGGREGATES)}.",
        suggestion,
    )


def _filters(value: Any) -> tuple[Filter, ...]:
    entries = [value] if isinstance(value, Mapping) else value
    if not isinstance(entries, list | tuple):
        raise _Unreadable(ValidationErrorCode.TYPE_MISMATCH, "filters", "filters is a list of {field, op, value}.")
    if len(entries) > _MAX_FILTERS:
        raise _Unreadable(ValidationErrorCode.TYPE_MISMATCH, "filters", f"A call takes at most {_MAX_FILTERS} filters.")
    return tuple(_filter(entry) for entry in entries)


def _filter(entry: Any) -> Filter:
    hint = "A filter is {field, op, value}."
    if not isinstance(entry, Mapping) or not isinstance(entry.get("field"), str):
        raise _Unreadable(ValidationErrorCode.TYPE_MISMATCH, "filters", hint)
    for key in entry:
        if key not in ("field", "op", "value"):
            suggestion = _FILTER_KEYS.get(key.casefold()) if isinstance(key, str) else None
            raise _Unreadable(ValidationErrorCode.FIELD_NOT_FOUND, key, hint, suggestion)
    op = entry.get("op")
    name = op.strip().upper() if isinstance(op, str) else ""
    if name not in OPERATORS:
        suggestion = _OPERATOR_SYNONYMS.get(name)
        negated = "There is no negated list or pattern; use != for each value."
        hint = negated if name.startswith("NOT") and not suggestion else f"op is one of {' '.join(OPERATORS)}."
        raise _Unreadable(ValidationErrorCode.OPERATOR_INCOMPATIBLE, entry["field"], hint, suggestion)
    return Filter(entry["field"], name, entry.get("value"))
