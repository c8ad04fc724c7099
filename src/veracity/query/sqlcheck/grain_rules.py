"""Rules on the rows that an aggregate adds up: each once, of one unit, and with the filters that their table requires."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from veracity.contracts import ValidationErrorCode, clip
from veracity.ontology.fields import FieldRole
from veracity.query import validator
from veracity.query.model import Filter, Order
from veracity.query.sqlcheck import corrections
from veracity.query.sqlcheck.aggregate_rules import added_fields, adds, are_apart, constant_of
from veracity.query.sqlcheck.fan_out import group_before_join
from veracity.query.sqlcheck.model import (
    ADDING,
    Aggregation,
    Facts,
    Findings,
    Leaf,
    TableUse,
    closed,
    is_in,
)
from veracity.query.sqlcheck.refusal import SqlRefused, problem

# --- grain


def grain_is_clear(found: Findings) -> SqlRefused | None:
    """A value that stands in several rows after a join is not added up once per row."""
    for aggregation in found.facts.aggregations:
        refusal = _counted_twice(aggregation, found) or _united_twice(aggregation)
        if refusal is not None:
            return refusal
    return None


def _counted_twice(aggregation: Aggregation, found: Findings) -> SqlRefused | None:
    if aggregation.function in ("SUM_DISTINCT", "AVG_DISTINCT"):
        hint = f"{aggregation.function[:3]}(DISTINCT ..) drops equal values; add them where they are one row each."
        return SqlRefused(problem(ValidationErrorCode.AMBIGUOUS_GRAIN, _target(aggregation), hint))
    if aggregation.function in ADDING:
        for term in aggregation.value.terms if aggregation.value else ():
            adders = [leaf for leaf in term.factors if adds(leaf, found)]
            if adders and not any(aggregation.counts_once(leaf) for leaf in adders):
                return _repeats(aggregation, adders[0], found)
    if aggregation.function == "COUNT":
        return _miscounted(aggregation)
    return None


def _target(aggregation: Aggregation) -> str | None:
    return aggregation.value.leaves[0].name if aggregation.value and aggregation.value.leaves else None


def _repeats(aggregation: Aggregation, leaf: Leaf, found: Findings) -> SqlRefused:
    reading = leaf.reading
    if reading is not None and leaf.row[1].startswith("#"):
        call = reading.call(tool="aggregateTable", aggregate="SUM", target=leaf.name)
        if refusal := validator.grain_is_clear(call, found.catalog, found.profile):
            return SqlRefused(refusal)
    if not is_in(leaf.row, aggregation.fixed(*aggregation.rows, given=leaf.given)):
        hint = f"Equal values of {clip(leaf.name, 24)} became one; add up the rows themselves."
        return SqlRefused(problem(ValidationErrorCode.AMBIGUOUS_GRAIN, leaf.name, hint))
    hint = f"{clip(leaf.name, 24)} stands in several rows after the join; sum it before joining."
    home = reading.entity.name if reading else None
    refusal = problem(ValidationErrorCode.AMBIGUOUS_GRAIN, leaf.name, hint, home)
    return SqlRefused(refusal, group_before_join(aggregation, leaf, found.catalog))


def _miscounted(aggregation: Aggregation) -> SqlRefused | None:
    """COUNT(*) counts the rows of the many side; with two many sides it counts pairs that mean nothing."""
    taken = aggregation.value
    if taken is None or taken.field_of is None:
        single = any(aggregation.counts_once(Leaf(row)) for row in aggregation.rows)
        if taken is not None or single or not aggregation.rows:
            return None
        hint = "The joins multiply each other's rows; count each table in a subquery of its own."
        return SqlRefused(problem(ValidationErrorCode.AMBIGUOUS_GRAIN, None, hint))
    reading, name = taken.field_of
    if reading.row not in aggregation.rows or aggregation.counts_once(Leaf(reading.row)):
        return None
    hint = f"{clip(name, 24)} stands in several rows after the join; use COUNT(DISTINCT ..)."
    return SqlRefused(
        problem(ValidationErrorCode.AMBIGUOUS_GRAIN, name, hint, f"COUNT(DISTINCT {name})"),
        corrections.count_distinct(aggregation),
    )


def _united_twice(aggregation: Aggregation) -> SqlRefused | None:
    """The same entity in two branches of a UNION ALL: its rows may be in both."""
    if aggregation.function not in ADDING or aggregation.value is None:
        return None
    leaves = [leaf for term in aggregation.value.terms for leaf in term.factors if leaf.reading and leaf.branch]
    for one, other in combinations(leaves, 2):
        if one.reading is None or other.reading is None or one.branch == other.branch or one.name != other.name:
            continue
        same = one.reading.entity.name == other.reading.entity.name
        if same and not are_apart(one, other, aggregation) and not _are_disjoint(one.reading, other.reading):
            hint = f"The parts of the UNION may hold the same rows of {clip(one.reading.entity.name, 24)}."
            return SqlRefused(problem(ValidationErrorCode.AMBIGUOUS_GRAIN, one.name, hint))
    return None


def _are_disjoint(one: TableUse, other: TableUse) -> bool:
    """Whether no row can meet the conditions of both readings."""
    for this, that in ((one, other), (other, one)):
        for pin in this.filters:
            values = [pin.value] if pin.op == "=" else pin.value if pin.op == "IN" else []
            others = [condition for condition in that.filters if condition.field == pin.field]
            if values and all(any(not _accepts(condition, v) for condition in others) for v in values):
                return True
            if any(_ends_before(pin, condition) for condition in others):
                return True
    return False


def _accepts(condition: Filter, literal: Any) -> bool:
    try:
        return validator.accepts(condition, literal)
    except TypeError:
        return True


def _ends_before(one: Filter, other: Filter) -> bool:
    """Whether the highest value of one condition lies below the lowest of another."""
    high = one.value[1] if one.op == "BETWEEN" else one.value if one.op in ("<", "<=") else None
    low = other.value[0] if other.op == "BETWEEN" else other.value if other.op in (">", ">=") else None
    if high is None or low is None:
        return False
    try:
        return bool(high < low or (high == low and (one.op == "<" or other.op == ">")))
    except TypeError:
        return False


# --- units


def units_agree(found: Findings) -> SqlRefused | None:
    """What is added up is all of one unit or currency."""
    for aggregation, leaf in added_fields(found):
        if leaf.facts is None or leaf.reading is None or not leaf.facts.unit_fixed_by:
            continue
        known = aggregation.fixed(given=leaf.given)
        if any(is_in(thing, known) for thing in leaf.units) or _joined_unit(aggregation, leaf):
            continue
        call = leaf.reading.call(tool="aggregateTable", aggregate="SUM", target=leaf.name)
        if refusal := validator.units_agree(call, found.catalog, found.profile):
            return SqlRefused(refusal, corrections.group_by_unit(aggregation, leaf))
    return _several_units(found)


def _joined_unit(aggregation: Aggregation, leaf: Leaf) -> bool:
    """Whether the currency stands in a table that what fixes the unit leads to, and is fixed there."""
    if leaf.facts is None or (leaf.facts.declared is not None and leaf.facts.declared.unit_field):
        return False
    known, constant = aggregation.fixed(given=leaf.given), closed((), aggregation.fixes)
    for reading in aggregation.readings:
        leads = not is_in(reading.row, constant) and any(
            is_in(reading.row, closed({thing}, aggregation.fixes)) for thing in leaf.units
        )
        for name, facts in reading.entity.fields.items():
            role = facts.declared.role if facts.declared else None
            if leads and role is FieldRole.CURRENCY and is_in(reading.thing(name), known):
                return True
    return False


def _several_units(found: Findings) -> SqlRefused | None:
    """Branches of a UNION or of a CASE that are each of one unit, but not of the same."""
    for aggregation in found.adding:
        leaves = [leaf for term in aggregation.value.terms for leaf in term.factors] if aggregation.value else []
        for one, other in combinations([leaf for leaf in leaves if leaf.units], 2):
            if are_apart(one, other, aggregation):
                continue
            pairs = zip(one.units, other.units, strict=False)
            if not any(constant_of(one, a, aggregation) == constant_of(other, b, aggregation) for a, b in pairs):
                parts = "UNION" if one.branch != other.branch else "sum"
                hint = f"{clip(one.name, 24)} is in several units in the parts of the {parts}; add up one."
                return SqlRefused(problem(ValidationErrorCode.MIXED_UNITS, one.name, hint))
    return None


# --- required filters


def required_filters_present(found: Findings) -> SqlRefused | None:
    """An entity that mixes periods is only read with its periods said, and its yearly rows are kept from the monthly ones."""
    for reading in found.facts.readings:
        if reading.browsed or not reading.entity.required_filters or _only_looks_for_periods(reading, found.facts):
            continue
        call = reading.call(filters=tuple(reading.filters), order_by=tuple(map(Order, sorted(reading.said))))
        if refusal := validator.required_filters_present(call, found.catalog, found.profile):
            return SqlRefused(refusal, corrections.required_filter(reading))
    for aggregation in found.facts.aggregations:
        for reading, given, fixed in _mixable(aggregation):
            if _only_looks_for_periods(reading, found.facts):
                continue
            if refused := _mixed(aggregation, reading, given, fixed, found):
                return refused
    return None


def _only_looks_for_periods(reading: TableUse, facts: Facts) -> bool:
    """Whether nothing is asked of it but the first or last of its periods."""
    taken = [found for found in facts.aggregations if reading.row in found.rows]
    periods = {(reading, name) for rule in reading.entity.required_filters for name in rule.fields}
    return bool(taken) and all(
        found.function in ("MIN", "MAX") and found.value is not None and found.value.field_of in periods
        for found in taken
    )


def _mixable(aggregation: Aggregation) -> Iterator[tuple[TableUse, tuple[Filter, ...], set[str]]]:
    """The readings whose rows an aggregate takes in, what is given of them, and which fields are fixed."""
    other = aggregation.function in ("MIN", "MAX", "COUNT_DISTINCT")
    for reading in aggregation.readings:
        if reading.row in aggregation.rows and not (other and not _takes(aggregation, reading)):
            leaves = [leaf for leaf in aggregation.value.leaves if leaf.reading is reading] if aggregation.value else []
            if not leaves:
                known = aggregation.fixed()
                yield (
                    reading,
                    aggregation.given.filters_of(reading),
                    {n for number, n in known if number == reading.number},
                )
    for leaf in aggregation.value.leaves if aggregation.value else ():
        if leaf.reading is not None and leaf.apart and (not other or leaf.aggregated is None):
            known = aggregation.fixed(given=leaf.given)
            fixed = {name for thing, name, _ in leaf.apart if thing is not None and is_in(thing, known)}
            yield leaf.reading, (leaf.given + aggregation.given).filters_of(leaf.reading), fixed


def _takes(aggregation: Aggregation, reading: TableUse) -> bool:
    return aggregation.value is not None and any(leaf.reading is reading for leaf in aggregation.value.leaves)


def _mixed(
    aggregation: Aggregation, reading: TableUse, given: tuple[Filter, ...], fixed: set[str], found: Findings
) -> SqlRefused | None:
    rules = tuple(rule for rule in reading.entity.required_filters if rule.apart)
    if not rules:
        return None
    target = aggregation.value.field_of[1] if aggregation.value and aggregation.value.field_of else None
    call = reading.call(
        tool="aggregateTable",
        aggregate="COUNT" if aggregation.function not in ("MIN", "MAX", "COUNT_DISTINCT") else "MAX",
        target=target,
        filters=(*reading.filters, *given),
        group_by=tuple(sorted(fixed)),
        order_by=tuple(map(Order, sorted(reading.said))),
    )
    refusal = validator.required_filters_present(call, found.catalog, found.profile)
    return SqlRefused(refusal, corrections.keep_apart(reading, rules)) if refusal else None
