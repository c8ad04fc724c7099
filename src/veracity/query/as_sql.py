"""A structured call as the SQL that a person would write for it: the same rows under the same names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from veracity.language.numbers import written
from veracity.query.model import Call, Filter
from veracity.sources.source import Dialect

if TYPE_CHECKING:
    from sqlglot import exp

_COMPARISONS = {"=": "EQ", "!=": "NEQ", "<": "LT", "<=": "LTE", ">": "GT", ">=": "GTE", "LIKE": "Like"}


def as_sql(call: Call, dialect: Dialect) -> str:
    """One SELECT in the engine's dialect, literals in place; it is checked like any other before it runs."""
    from sqlglot import exp

    query = select_of(call, exp.to_identifier(call.table, quoted=True), call.fields or ("*",), _literal)
    if call.group_by:
        # With a limit the largest groups are wanted; without one, all of them, in their own order.
        by = [(result_name(call), True)] if call.limit else [(name, False) for name in call.group_by]
        keys = [exp.Ordered(this=_name(name), desc=down, nulls_first=False) for name, down in by]
        query = query.order_by(*keys, copy=False)
    if call.limit:
        query = query.limit(call.limit, copy=False)
    return query.sql(dialect=dialect)


def select_of(call: Call, table: exp.Expr, fields: Sequence[str], literal: Callable[[Any], exp.Expr]) -> exp.Select:
    """What a call selects from a table, its fields or its groups; `literal` writes the values of its filters."""
    from sqlglot import exp

    names = call.group_by if call.aggregate is not None else fields
    query = exp.select(*map(_name, names))
    if call.aggregate is not None:
        query = query.select(exp.alias_(_figure(call), result_name(call), quoted=True), copy=False)
    query = query.from_(table, copy=False)
    for condition in call.filters:
        query = query.where(_condition(condition, literal), copy=False)
    if call.aggregate is not None and call.group_by:
        query = query.group_by(*map(_name, call.group_by), copy=False)
    for order in call.order_by:
        query = query.order_by(exp.Ordered(this=_name(order.field), desc=order.descending), copy=False)
    return query


def result_name(call: Call) -> str:
    """How the column of an aggregate is called."""
    name = f"{(call.aggregate or '').lower()}_{call.target}" if call.target else "count"
    while name in call.group_by:
        name += "_"
    return name


def _name(field: str) -> exp.Expr:
    from sqlglot import exp

    return exp.Star() if field == "*" else exp.column(field, quoted=True)


def _figure(call: Call) -> exp.Expr:
    from sqlglot import exp

    if call.target is None:
        return exp.Count(this=exp.Star())
    target = _name(call.target)
    if call.aggregate == "COUNT_DISTINCT":
        return exp.Count(this=exp.Distinct(expressions=[target]))
    kind: type[exp.Func] = getattr(exp, (call.aggregate or "").capitalize())
    return kind(this=target)


def _condition(condition: Filter, literal: Callable[[Any], exp.Expr]) -> exp.Expr:
    from sqlglot import exp

    field = _name(condition.field)
    if condition.op in ("IS_NULL", "IS_NOT_NULL"):
        missing = exp.Is(this=field, expression=exp.Null())
        return missing if condition.op == "IS_NULL" else exp.Not(this=missing)
    values = list(condition.value) if isinstance(condition.value, list | tuple) else [condition.value]
    literals = [literal(value) for value in values or [None]]
    if condition.op == "IN":
        return exp.In(this=field, expressions=literals)
    if condition.op == "BETWEEN":
        return exp.Between(this=field, low=literals[0], high=literals[-1])
    comparison: type[exp.Binary] = getattr(exp, _COMPARISONS[condition.op])
    return comparison(this=field, expression=literals[0])


def _literal(value: Any) -> exp.Expr:
    from sqlglot import exp

    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, Decimal):
        return exp.Literal.number(written(value))
    return exp.Literal.number(value) if isinstance(value, int | float) else exp.Literal.string(str(value))
