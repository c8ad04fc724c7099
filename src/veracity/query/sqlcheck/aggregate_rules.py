"""Rules on aggregates: of which fields they may be taken, over which rows, and whether their result is whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.ontology.descriptor import Constraint
from veracity.ontology.fields import Additivity
from veracity.query import validator
from veracity.query.sqlcheck import corrections
from veracity.query.sqlcheck.conditions import UNKNOWN
from veracity.query.sqlcheck.figures import (
    is_weighed,
)
from veracity.query.sqlcheck.model import (
    ADDING,
    Aggregation,
    Findings,
    Leaf,
    Term,
    branch_thing,
    is_in,
)
from veracity.query.sqlcheck.refusal import SqlRefused, problem
from veracity.sources.source import ColumnType


def added_fields(found: Findings) -> Iterator[tuple[Aggregation, Leaf]]:
    """Every base field that has a part in something that is added up."""
    for aggregation in found.adding:
        for term in aggregation.value.terms if aggregation.value else ():
            yield from ((aggregation, leaf) for leaf in term.factors if leaf.reading is not None)


def aggregates_fit_types(found: Findings) -> SqlRefused | None:
    """The aggregate makes sense for the field's type."""
    for aggregation in found.facts.aggregations:
        taken = aggregation.value
        leaves = [leaf for term in taken.terms for leaf in term.factors if leaf.reading] if taken else []
        for leaf in leaves:
            bare = taken is not None and taken.field_of is not None
            function = (
                aggregation.function.removesuffix("_DISTINCT")
                if aggregation.function in ADDING
                else aggregation.function
            )
            if leaf.reading is None or leaf.aggregated or not _has_to_fit(leaf, function, bare=bare):
                continue
            call = leaf.reading.call(tool="aggregateTable", aggregate=function, target=leaf.name)
            if refusal := validator.aggregate_target_fits(call, found.catalog, found.profile):
                return SqlRefused(refusal, corrections.count_instead(aggregation, refusal))
    return None


def _has_to_fit(leaf: Leaf, function: str, *, bare: bool) -> bool:
    """A bare field always; within an expression only an identifier that is added up all the same."""
    return bare or (function in ("SUM", "AVG") and leaf.facts is not None and leaf.facts.identifier)


def aggregates_are_declared(found: Findings) -> SqlRefused | None:
    """SUM and AVG only on what is declared additive, or on one snapshot of what is semi-additive."""
    for aggregation in found.adding:
        for term in aggregation.value.terms if aggregation.value else ():
            refusal = (
                _untouchable(aggregation, term, found)
                or _nothing_additive(aggregation, term, found)
                or _loose_snapshot(aggregation, term, found)
                or _ratio(aggregation, term, found)
            )
            if refusal is not None:
                return refusal
        if refusal := _several_snapshots(aggregation):
            return refusal
    return None


def _untouchable(aggregation: Aggregation, term: Term, found: Findings) -> SqlRefused | None:
    """Fields that are never added up, whatever is done with them; averages and distinct counts."""
    for leaf in (*term.factors, *term.divisors):
        if leaf.facts is None or _is_pinned(aggregation, leaf, found):
            continue
        if leaf.facts.never_aggregate or leaf.facts.convention:
            return SqlRefused(_declared(leaf, (), found), corrections.rows_instead(aggregation, leaf))
    for leaf in term.factors:
        if aggregation.function != "SUM" or leaf.aggregated not in ("AVG", "COUNT_DISTINCT") or is_weighed(leaf, term):
            continue
        what = "Averages" if leaf.aggregated == "AVG" else "Distinct counts"
        hint = f"{what} of groups do not add up; aggregate the rows themselves."
        return SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, leaf.name, hint))
    return None


def _is_pinned(aggregation: Aggregation, leaf: Leaf, found: Findings) -> bool:
    """Whether a balance is added up of one period, one currency and accounts of one side: that is a sum all the same."""
    if leaf.facts is None or leaf.facts.additivity is not Additivity.SEMI_ADDITIVE or aggregation.function != "SUM":
        return False
    known = aggregation.fixed(given=leaf.given)
    periods = bool(leaf.over) and all(thing is not None and is_in(thing, known) for thing in leaf.over)
    unit = not leaf.units or any(is_in(thing, known) for thing in leaf.units)
    return (
        periods
        and unit
        and bool(leaf.facts.sides)
        and all(_says(rule, aggregation, found) for rule in leaf.facts.sides)
    )


def sides_are_said(found: Findings) -> SqlRefused | None:
    """Debits and credits are added up on accounts that are said: an invoice and its payment are one sum otherwise."""
    for aggregation, leaf in added_fields(found):
        for rule in leaf.facts.sides if leaf.facts else ():
            if _is_about(rule, aggregation) and not _says(rule, aggregation, found):
                hint = validator.message_of(rule)
                return SqlRefused(problem(ValidationErrorCode.MISSING_REQUIRED_FILTER, leaf.name, hint, rule.fields[0]))
    return None


def _is_about(rule: Constraint, aggregation: Aggregation) -> bool:
    """Whether the rows are of contacts, or whatever else the rule is for."""
    grouped = set(aggregation.group)
    for reading in aggregation.readings:
        named = {name for name in reading.entity.fields if is_in(reading.thing(name), grouped)} | reading.said
        if reading.entity.name in rule.when or named & set(rule.when):
            return True
    return not rule.when


def _says(rule: Constraint, aggregation: Aggregation, found: Findings) -> bool:
    known = aggregation.fixed()
    for reading in aggregation.readings:
        conditions = (*reading.filters, *aggregation.given.filters_of(reading))
        for name in set(rule.fields) & set(reading.entity.fields):
            held = [condition for condition in conditions if condition.field == name]
            if is_in(reading.thing(name), known) or any(validator.says_side(c, found.catalog) for c in held):
                return True
    return False


def _declared(leaf: Leaf, fixed: tuple[str, ...], found: Findings) -> QueryValidationError:
    """What the validator says of adding up a field."""
    assert leaf.reading is not None
    call = leaf.reading.call(tool="aggregateTable", aggregate="SUM", target=leaf.name, group_by=fixed)
    refusal = validator.aggregate_is_declared(call, found.catalog, found.profile)
    assert refusal is not None
    return refusal.model_copy(update={"suggestion": None if refusal.suggestion == "queryTable" else refusal.suggestion})


def _nothing_additive(_aggregation: Aggregation, term: Term, found: Findings) -> SqlRefused | None:
    """A product adds up if one of its factors does: price times quantity."""
    if found.catalog.ontology is None or not term.factors or any(adds(leaf, found) for leaf in term.factors):
        return None
    first = term.factors[0]
    if first.facts is not None and first.facts.column.type is ColumnType.BOOLEAN:
        return None  # a count of what is true
    return SqlRefused(_declared(first, (), found))


def adds(leaf: Leaf, found: Findings) -> bool:
    if leaf.facts is None or found.catalog.ontology is None:
        return True
    return leaf.facts.additivity is not Additivity.NON_ADDITIVE


def _loose_snapshot(aggregation: Aggregation, term: Term, found: Findings) -> SqlRefused | None:
    """What is semi-additive is added up within one period only, in this SELECT and in each around it."""
    for leaf in term.factors:
        if leaf.facts is None or leaf.facts.additivity is not Additivity.SEMI_ADDITIVE:
            continue
        known = aggregation.fixed(*leaf.key, given=leaf.given)
        fixed = tuple(
            name for name, thing in zip(leaf.facts.over, leaf.over, strict=True) if thing and is_in(thing, known)
        )
        if len(fixed) < len(leaf.facts.over):
            return SqlRefused(_declared(leaf, fixed, found), corrections.one_snapshot(aggregation, leaf, fixed))
    return None


def _ratio(aggregation: Aggregation, term: Term, found: Findings) -> SqlRefused | None:
    """A sum of quotients is no total, unless all are divided by the same."""
    if aggregation.function != "SUM" or not term.divisors:
        return None
    known = aggregation.fixed()
    if all(is_in(thing, known) for thing in term.divided_by):
        return None
    for leaf in term.divisors:
        declared = found.catalog.ontology is not None and leaf.facts is not None and adds(leaf, found)
        if declared or leaf.aggregated in ("SUM", "COUNT"):
            hint = f"A sum of quotients is no total; divide the sums: SUM(..) / SUM({clip(leaf.name, 16)})."
            return SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, leaf.name, hint))
    return None


def _several_snapshots(aggregation: Aggregation) -> SqlRefused | None:
    """`CASE WHEN month = 1 THEN x WHEN month = 2 THEN x END` adds two periods up; with opposite signs it is a difference."""
    leaves = [leaf for term in aggregation.value.terms for leaf in term.factors] if aggregation.value else []
    semi = [leaf for leaf in leaves if leaf.facts and leaf.facts.additivity is Additivity.SEMI_ADDITIVE]
    for one, other in combinations(semi, 2):
        if one.name != other.name or one.negative is not other.negative or are_apart(one, other, aggregation):
            continue
        same = all(
            constant_of(one, mine, aggregation) == constant_of(other, theirs, aggregation)
            for mine, theirs in zip(one.over, other.over, strict=False)
        )
        if not same:
            hint = f"{clip(one.name, 24)} of several periods is added up here; take one period each."
            return SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, one.name, hint))
    return None


def constant_of(leaf: Leaf, thing: Any, aggregation: Aggregation) -> Any:
    """What a thing is known to be where a leaf counts; itself, where only that it is fixed is known."""
    known = {**aggregation.constants, **aggregation.given.constants, **leaf.given.constants}
    literal = known.get(thing, UNKNOWN)
    return thing if literal is UNKNOWN else str(literal)


def are_apart(one: Leaf, other: Leaf, aggregation: Aggregation) -> bool:
    """Whether two leaves come from branches of a UNION that the groups keep apart."""
    known = aggregation.fixed()
    numbers = {number for number, index in one.branch if dict(other.branch).get(number, index) != index}
    return any(is_in(branch_thing(number), known) for number in numbers)


def results_are_whole(found: Findings) -> SqlRefused | None:
    """What a LIMIT has cut is not totalled."""
    for aggregation in found.facts.aggregations:
        if aggregation.cut is not None:
            hint = "LIMIT leaves out rows before they are aggregated; remove it, or add ORDER BY."
            return SqlRefused(
                problem(ValidationErrorCode.RESULT_TRUNCATED, None, hint), corrections.without_limit(aggregation.cut)
            )
    return None
