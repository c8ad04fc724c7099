"""Readings that cannot be meant: rows without a date in the time of that date, and amounts of two currencies taken together."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.ontology.descriptor import FieldRole
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, Condition, Related, SemanticQuery, parts_of


def lacks_its_date(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether rows are meant that have no date, and the time of that date is said: unpaid fees of 2026, by the day of payment."""
    thing = model.things.get(query.of or "")
    if query.period is None or thing is None:
        return False
    date = query.period.field or thing.default_date or ""
    path = date if "." in date else f"{thing.name}.{date}"
    return any(
        isinstance(one, Comparison) and one.op == "missing" and one.field == path for one in parts_of(query.where)
    )


def names_currencies(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether several currencies are named: their amounts are told apart, and cannot be had together."""
    return any(
        isinstance(one.value, tuple) and len(one.value) > 1 and _holds_currency(one.field, model)
        for one in _compared(query.where)
    )


def _compared(where: Condition | None) -> Iterator[Comparison]:
    for one in parts_of(where):
        if isinstance(one, Related):
            yield from _compared(one.related.where)
        elif isinstance(one, Comparison):
            yield one


def _holds_currency(path: str, model: SemanticModel) -> bool:
    entity, _, field = path.partition(".")
    return model.things[entity].fields[field].role is FieldRole.CURRENCY
