"""The rules of structured calls, on raw SQL: same codes, same words. One check = one function; the first problem is the answer.

Where a rule needs no more than a call would say, the call is made up and the validator's own check is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from veracity.contracts import ValidationErrorCode, clip
from veracity.query import validator
from veracity.query.catalog import Catalog
from veracity.query.model import Filter, Order
from veracity.query.sqlcheck import corrections
from veracity.query.sqlcheck.aggregate_rules import (
    added_fields,
    aggregates_are_declared,
    aggregates_fit_types,
    results_are_whole,
    sides_are_said,
)
from veracity.query.sqlcheck.comparison_rules import (
    fields_can_be_compared,
    numbers_are_computed_with,
    operators_fit,
    values_exist,
    values_fit,
)
from veracity.query.sqlcheck.figures import (
    averages_are_of_rows,
    counts_say_what_they_count,
    figures_are_data,
    names_are_their_own,
    snapshots_are_kept,
    tables_are_read,
    texts_stay_short,
    units_are_kept,
)
from veracity.query.sqlcheck.grain_rules import grain_is_clear, required_filters_present, units_agree
from veracity.query.sqlcheck.model import (
    Facts,
    Findings,
    Joined,
    SqlRelation,
    TableUse,
)
from veracity.query.sqlcheck.refusal import SqlRefused, problem, unsafe
from veracity.sources.source import ColumnType

_PICKING = ("MIN", "MAX", "COUNT_DISTINCT")
"""Aggregates that come to the same however often a row stands there."""

Check = Callable[[Findings], SqlRefused | None]


# --- tables and columns


def columns_are_grouped(found: Findings) -> SqlRefused | None:
    """Beside an aggregate stands only what is grouped by."""
    for loose in found.facts.loose:
        hint = f"{clip(loose.name, 24)} is neither grouped by nor aggregated; add it to GROUP BY."
        refusal = problem(ValidationErrorCode.AMBIGUOUS_GRAIN, loose.name, hint, f"GROUP BY {loose.name}")
        return SqlRefused(refusal, corrections.group_by_column(loose))
    return None


def columns_can_be_sorted(found: Findings) -> SqlRefused | None:
    """Sorting and grouping need a type that can be compared."""
    for reading, name in found.facts.incomparable:
        call = reading.call(order_by=(Order(name),))
        if refusal := validator.shown_fields_comparable(call, found.catalog, found.profile):
            return SqlRefused(refusal)
    return None


# --- joins and subqueries


def joins_are_declared(found: Findings) -> SqlRefused | None:
    """What is added up or counted is joined along declared relations, and not many rows with many.

    Rows that are only shown may be joined on whatever was asked, so long as not every row meets every other.
    """
    for join in found.facts.joins:
        left, right = (clip(name, 20) for name in join.names)
        if not join.met and not join.related:
            hint = f"Every row of {left} would meet every row of {right}; join them ON their keys."
            return unsafe(hint, name=join.names[1], correction=corrections.declared_join(join, found.catalog))
        if not _is_counted(join, found):
            continue
        if not join.related:
            hint = f"No relation says that these columns of {left} and {right} belong together."
            refusal = problem(ValidationErrorCode.AMBIGUOUS_GRAIN, join.names[1], hint, _way(join, found.catalog))
            return SqlRefused(refusal, corrections.declared_join(join, found.catalog))
        if not join.to_one:
            hint = f"Several rows of {left} meet several of {right}; group one of them first."
            refusal = problem(ValidationErrorCode.AMBIGUOUS_GRAIN, join.names[1], hint, _way(join, found.catalog))
            return SqlRefused(refusal, corrections.declared_join(join, found.catalog))
    return None


def _is_counted(join: Joined, found: Findings) -> bool:
    """Whether an aggregate takes in the rows that a join makes, other than by picking one of them."""
    readings = {id(reading) for reading in (*join.left, *join.right)}
    return any(
        aggregation.function not in _PICKING and readings <= {id(reading) for reading in aggregation.readings}
        for aggregation in found.facts.aggregations
    )


def _way(join: Joined, catalog: Catalog) -> str | None:
    """How the entities are related: directly, or over a third one that both lead to."""
    if pair := corrections.declared_pair(join, catalog):
        return f"{join.names[0]}.{pair[0][1]} = {join.names[1]}.{pair[1][1]}"
    relations = catalog.ontology.relations if catalog.ontology else ()

    def leads_to(readings: tuple[TableUse, ...]) -> set[str]:
        names = {reading.entity.name for reading in readings}
        return {relation.to_entity for relation in relations if relation.from_entity in names}

    shared = leads_to(join.left) & leads_to(join.right) & set(catalog.entities)
    return f"join both to {min(shared)}" if shared else None


def subqueries_are_one_value(found: Findings) -> SqlRefused | None:
    """A SELECT that stands for a value returns one row."""
    for at in found.facts.several:
        hint = "The subquery may return several rows; aggregate it, or compare with IN."
        return SqlRefused(problem(ValidationErrorCode.AMBIGUOUS_GRAIN, None, hint), corrections.compare_with_in(at))
    return None


# --- purpose


def tables_fit_purpose(found: Findings) -> SqlRefused | None:
    """What is added up is not better asked of another table."""
    for aggregation, leaf in added_fields(found):
        reading = leaf.reading
        assert reading is not None
        grouped = {name for number, name in aggregation.group if number == reading.number}
        call = reading.call(
            tool="aggregateTable",
            aggregate="SUM",
            target=leaf.name,
            group_by=tuple(sorted(reading.said | grouped)),
        )
        if refusal := validator.table_fits_purpose(call, found.catalog, found.profile):
            return SqlRefused(refusal)
    return None


CHECKS: tuple[Check, ...] = (
    texts_stay_short,
    tables_are_read,
    columns_are_grouped,
    columns_can_be_sorted,
    operators_fit,
    values_fit,
    fields_can_be_compared,
    numbers_are_computed_with,
    values_exist,
    joins_are_declared,
    subqueries_are_one_value,
    tables_fit_purpose,
    aggregates_fit_types,
    aggregates_are_declared,
    results_are_whole,
    grain_is_clear,
    units_agree,
    sides_are_said,
    required_filters_present,
    averages_are_of_rows,
    snapshots_are_kept,
    units_are_kept,
    figures_are_data,
    counts_say_what_they_count,
    names_are_their_own,
)


def looked_up(facts: Facts) -> Iterator[tuple[str, str, bool]]:
    """Entity, field and whether it is declared categorical, for every field whose stored values the checks may ask for."""
    for comparison in facts.comparisons:
        entity = comparison.reading.entity
        declared = entity.fields[comparison.condition.field]
        if declared.column.type is ColumnType.TEXT:
            yield entity.name, comparison.condition.field, bool(declared.categorical)
    for probe in facts.probes:
        entity = probe.reading.entity
        yield from ((entity.name, name, bool(entity.fields[name].categorical)) for name in probe.fields)
    for aggregation in facts.aggregations:
        for leaf in aggregation.value.leaves if aggregation.value else ():
            unit = leaf.facts.unit_field if leaf.facts else None
            if leaf.reading is not None and unit and unit in leaf.reading.entity.fields:
                yield leaf.reading.entity.name, unit, True


def conditions_of(relation: SqlRelation, facts: Facts) -> list[tuple[str, Filter]]:
    """The conditions that hold for every row of the result: of each entity, those that all its readings share."""
    flowing = [*relation.readings, *facts.shown, *facts.narrowing]
    found: list[tuple[str, Filter]] = []
    for reading in flowing:
        others = [r for r in (*relation.readings, *facts.shown) if r.entity.name == reading.entity.name]
        for condition in reading.filters:
            entry = (reading.entity.name, replace(condition, value=_hashable(condition.value)))
            if entry not in found and all(condition in other.filters for other in others):
                found.append(entry)
    return found


def _hashable(literal: Any) -> Any:
    return tuple(literal) if isinstance(literal, list) else literal
