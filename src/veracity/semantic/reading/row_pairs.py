"""Fields of one row that people compare: the stock with its reorder level, the hours with their estimate, a delivery with its due date."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from itertools import product

from veracity.semantic.checking.names import facts_of
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import AllOf, AnyOf, Comparison, Condition, SemanticQuery, Shown
from veracity.semantic.query_values import EarlierDate
from veracity.semantic.reading.word_lists import names_for, words_of_list, words_of_name
from veracity.sources.source import NUMERIC

_LIMITS = (("floor_fields", "stock_fields"), ("plan_fields", "actual_fields"))
"""What a limit is called, and what is held against it."""


def compared_fields(model: SemanticModel, entity: str, field: str, op: str, other: str) -> Comparison:
    """A condition on two fields of one row; of a day and a moment only the days count."""
    fields, path = model.things[entity].fields, f"{entity}.{field}"
    if fields[field].is_date and fields[field].column.type is not fields[other].column.type:
        return Comparison(field=path, since=EarlierDate(field=f"{entity}.{other}"), op=op, value=0)
    return Comparison(field=path, op=op, value=SemanticQuery(of=entity, show=(Shown(field=f"{entity}.{other}"),)))


def held_against(model: SemanticModel, entity: str, limit: str) -> tuple[str, ...]:
    """The fields that a limit is one for: stock for a reorder level, actual hours for estimated hours."""
    own = words_for(model, entity, limit)
    for limits, kinds in _LIMITS:
        if not own & words_of_list(limits):
            continue
        names = [
            name
            for name, facts in model.things[entity].fields.items()
            if facts.column.type in NUMERIC and not facts.identifier and name != limit
            if (said := words_for(model, entity, name)) & words_of_list(kinds) and not said & words_of_list(limits)
        ]
        rest = own - words_of_list(limits)
        alike = [name for name in names if words_for(model, entity, name) & rest]
        return tuple(alike or (names if limits == "floor_fields" or not rest else ()))
    return ()


def limits_called(model: SemanticModel, words: Collection[str]) -> Iterator[tuple[str, str]]:
    """The limits of all entities whose names have one of these words in them."""
    for thing in model.things.values():
        for name, facts in thing.fields.items():
            if facts.column.type in NUMERIC and words_for(model, thing.name, name) & set(words):
                yield thing.name, name


def lateness(model: SemanticModel, entity: str, done: str = "") -> Iterator[tuple[str, str]]:
    """The dates on which something was done, each with the date on which it was due."""
    dates = [name for name, facts in model.things[entity].fields.items() if facts.is_date]
    due = [name for name in dates if words_for(model, entity, name) & words_of_list("due_dates")]
    yield from product([name for name in done_dates(model, entity) if done in ("", name)], due)


def done_dates(model: SemanticModel, entity: str) -> tuple[str, ...]:
    """The dates that say that something was done: delivered, paid, returned."""
    return tuple(
        name
        for name, facts in model.things[entity].fields.items()
        if facts.is_date
        if (said := words_for(model, entity, name)) & words_of_list("done_dates")
        and not said & words_of_list("due_dates")
    )


def may_be_undone(model: SemanticModel, entity: str) -> tuple[str, ...]:
    """The dates without which something is not done yet. A payment whose only date is that of paying is always paid; what has a status says it there."""
    dates = [name for name, facts in model.things[entity].fields.items() if facts.is_date]
    return done_dates(model, entity) if len(dates) > 1 and not has_status(model, entity) else ()


def has_status(model: SemanticModel, entity: str) -> bool:
    """Whether a field says how a row stands: what is cancelled is not open, though it was never delivered."""
    telling = words_of_list("status_fields") | words_of_list("voided_fields")
    return any(words_for(model, entity, name) & telling for name in model.things[entity].fields)


def states_of(model: SemanticModel, entity: str, kind: str, today: date, done: str = "") -> Iterator[Condition]:
    """What late and on time say of rows; several where they may say different things."""
    for name, due in lateness(model, entity, done):
        was_late = compared_fields(model, entity, name, ">" if kind == "late" else "<=", due)
        yield was_late
        if kind == "late" and not done:  # what is not done yet, and should be, may be meant, too
            passed = (
                Comparison(field=f"{entity}.{name}", op="missing"),
                Comparison(field=f"{entity}.{due}", op="<", value=today),
            )
            yield AnyOf(conditions=(was_late, AllOf(conditions=passed)))


def compares_dates(model: SemanticModel, where: tuple[Condition, ...]) -> bool:
    """Whether two dates of a row are compared: which of them a time is about, or what is denied, is not said by that."""
    first = where[0] if where else None
    if not isinstance(first, Comparison) or not (first.since or isinstance(first.value, SemanticQuery)):
        return False
    return facts_of(model, first.field).is_date


def words_for(model: SemanticModel, entity: str, field: str) -> set[str]:
    """The words of all names of a field."""
    declared = model.things[entity].fields[field].declared
    return {word for name in names_for(field, declared) for word in words_of_name(name)}
