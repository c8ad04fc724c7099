"""The rules of structured calls, on raw SQL: same codes, same words. One check = one function; the first problem is the answer.

Where a rule needs no more than a call would say, the call is made up and the validator's own check is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.nearest import nearest_values
from veracity.ontology.descriptor import Additivity, Constraint, FieldRole
from veracity.query import validator
from veracity.query.catalog import Catalog
from veracity.query.model import Call, Filter, Order
from veracity.query.sqlcheck import corrections
from veracity.query.sqlcheck.conditions import UNKNOWN
from veracity.query.sqlcheck.fan_out import group_before_join
from veracity.query.sqlcheck.figures import (
    averages_are_of_rows,
    counts_say_what_they_count,
    figures_are_data,
    is_weighed,
    names_are_their_own,
    snapshots_are_kept,
    tables_are_read,
    texts_stay_short,
    units_are_kept,
)
from veracity.query.sqlcheck.model import (
    ADDING,
    Aggregation,
    Facts,
    Findings,
    Joined,
    Leaf,
    Probe,
    SqlComparison,
    SqlRelation,
    TableUse,
    Term,
    branch_thing,
    closed,
    is_in,
)
from veracity.query.sqlcheck.refusal import SqlRefused, problem, unsafe
from veracity.query.values import Values
from veracity.sources.source import ColumnType

_DATE_BEGINNING = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")
_PICKING = ("MIN", "MAX", "COUNT_DISTINCT")
"""Aggregates that come to the same however often a row stands there."""
_IN_SQL = (("IS_NOT_NULL", "IS NOT NULL"), ("IS_NULL", "IS NULL"))


Check = Callable[[Findings], SqlRefused | None]


def _in_sql(found: QueryValidationError) -> QueryValidationError:
    """The validator's words, where SQL has other ones."""
    hint, suggestion = found.hint, found.suggestion
    for tool, sql in _IN_SQL:
        hint = hint.replace(tool, sql)
        suggestion = suggestion.replace(tool, sql) if suggestion else suggestion
    return found.model_copy(update={"hint": hint, "suggestion": suggestion})


def _call(reading: TableUse, **parts: Any) -> Call:
    """A structured call on the entity of a reading."""
    return Call(parts.pop("tool", "queryTable"), reading.entity.name, **parts)


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
        call = _call(reading, order_by=(Order(name),))
        if refusal := validator.shown_fields_comparable(call, found.catalog, found.profile):
            return SqlRefused(refusal)
    return None


# --- conditions


def operators_fit(found: Findings) -> SqlRefused | None:
    """The operator goes with the field's type and with the shape of the value."""
    for comparison in found.facts.comparisons:
        if (comparison.wrapped and comparison.condition.op != "LIKE") or _is_date_text(comparison):
            continue
        refusal = validator.operators_fit(_compared(comparison), found.catalog, found.profile)
        if refusal is None:
            continue
        refusal = _in_sql(refusal)
        if refusal.hint.startswith("There is no NOT LIKE"):
            hint = f"!= compares literally; use NOT LIKE for {clip(str(comparison.condition.value), 20)}."
            refusal = refusal.model_copy(update={"hint": hint, "suggestion": "NOT LIKE"})
        return SqlRefused(refusal, corrections.other_operator(comparison, refusal.suggestion))
    return None


def _is_date_text(comparison: SqlComparison) -> bool:
    """Dates are texts in SQLite: LIKE '2024-%' finds a year, and so does a comparison with the beginning of one."""
    column, condition = comparison.reading.entity.fields[comparison.condition.field].column, comparison.condition
    if not column.reader or column.type not in (ColumnType.DATE, ColumnType.TIMESTAMP):
        return False
    if condition.op == "LIKE":
        return True
    ends = condition.value if condition.op == "BETWEEN" else [condition.value]
    ordered = condition.op in ("<", "<=", ">", ">=", "BETWEEN")
    return ordered and all(isinstance(end, str) and _DATE_BEGINNING.fullmatch(end) for end in ends)


def _compared(comparison: SqlComparison) -> Call:
    return _call(comparison.reading, filters=(comparison.condition,))


def values_fit(found: Findings) -> SqlRefused | None:
    """Every literal is of its field's type."""
    for comparison in found.facts.comparisons:
        if comparison.wrapped or _is_date_text(comparison):
            continue
        refusal = validator.values_fit(_compared(comparison), found.catalog, found.profile)
        if refusal is not None:
            refusal = _in_sql(refusal)
            return SqlRefused(refusal, corrections.other_literal(comparison, refusal.suggestion))
    return None


def fields_can_be_compared(found: Findings) -> SqlRefused | None:
    """A text is not held against a number."""
    for mismatch in found.facts.mismatches:
        (left, name), (right, other) = mismatch.left, mismatch.right
        kinds = left.entity.fields[name].column.type, right.entity.fields[other].column.type
        hint = f"{clip(name, 20)} is {kinds[0]}, {clip(other, 20)} is {kinds[1]}; they are never equal."
        return SqlRefused(problem(ValidationErrorCode.TYPE_MISMATCH, name, hint))
    return None


def numbers_are_computed_with(found: Findings) -> SqlRefused | None:
    """Nothing is added to a text: SQLite would take it for zero."""
    for _, name in found.facts.computed:
        hint = f"{clip(name, 30)} is text and cannot be computed with; || joins texts."
        return SqlRefused(problem(ValidationErrorCode.TYPE_MISMATCH, name, hint))
    return None


def values_exist(found: Findings) -> SqlRefused | None:
    """An equality literal on a categorical column is one of its stored values."""
    for comparison in found.facts.comparisons:
        if comparison.wrapped:
            refusal = _no_such_spelling(comparison, found)
        else:
            refusal = validator.values_exist(_compared(comparison), found.catalog, found.profile)
        if refusal is not None:
            return SqlRefused(_in_sql(refusal), corrections.stored_value(comparison, refusal, found.profile))
    for probe in found.facts.probes:
        if found.profile.finds(probe.sql) is False:
            return SqlRefused(_met_by_nothing(probe, found.profile))
    return None


def _met_by_nothing(probe: Probe, profile: Values) -> QueryValidationError:
    """No row meets a condition on a text: TRIM(city) = 'Atlantis', city LIKE 'Atl%'."""
    from sqlglot import exp

    shown = probe.condition.copy()
    for column in list(shown.find_all(exp.Column)):
        column.replace(exp.column(column.name))
    known = sorted(profile.of(probe.reading.entity.name, probe.fields[0]) or ())
    sought = [literal.name.strip("%_ ") for literal in shown.find_all(exp.Literal) if literal.is_string]
    near = [value for text in sought if text for value in nearest_values(text, known)]
    hint = f"No row has {clip(shown.sql(), 50)}."
    return problem(ValidationErrorCode.VALUE_NOT_FOUND, probe.fields[0], hint, ", ".join(dict.fromkeys(near)) or None)


def _no_such_spelling(comparison: SqlComparison, found: Findings) -> QueryValidationError | None:
    """The same for LOWER(field) = 'text': some stored value must look like that."""
    condition, reading = comparison.condition, comparison.reading
    stored = found.profile.of(reading.entity.name, condition.field)
    if (
        not stored
        or condition.op not in ("=", "!=", "IN")
        or reading.entity.fields[condition.field].categorical is False
    ):
        return None
    turn = str.lower if comparison.wrapped == "LOWER" else str.upper
    known = {turn(stored_value): stored_value for stored_value in sorted(stored)}
    for literal in condition.value if condition.op == "IN" else (condition.value,):
        if isinstance(literal, str) and literal not in known:
            hint = f"No row has {comparison.wrapped}({clip(condition.field, 20)}) = {clip(literal, 20)!r}."
            near = ", ".join(nearest_values(literal, known)) or None
            return problem(ValidationErrorCode.VALUE_NOT_FOUND, condition.field, hint, near)
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
    for aggregation, leaf in _added_fields(found):
        reading = leaf.reading
        assert reading is not None
        grouped = {name for number, name in aggregation.group if number == reading.number}
        call = _call(
            reading,
            tool="aggregateTable",
            aggregate="SUM",
            target=leaf.name,
            group_by=tuple(sorted(reading.said | grouped)),
        )
        if refusal := validator.table_fits_purpose(call, found.catalog, found.profile):
            return SqlRefused(refusal)
    return None


def _added_fields(found: Findings) -> Iterator[tuple[Aggregation, Leaf]]:
    """Every base field that has a part in something that is added up."""
    for aggregation in found.adding:
        for term in aggregation.value.terms if aggregation.value else ():
            yield from ((aggregation, leaf) for leaf in term.factors if leaf.reading is not None)


# --- aggregates


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
            call = _call(leaf.reading, tool="aggregateTable", aggregate=function, target=leaf.name)
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
    for aggregation, leaf in _added_fields(found):
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
    call = _call(leaf.reading, tool="aggregateTable", aggregate="SUM", target=leaf.name, group_by=fixed)
    refusal = validator.aggregate_is_declared(call, found.catalog, found.profile)
    assert refusal is not None
    return refusal.model_copy(update={"suggestion": None if refusal.suggestion == "queryTable" else refusal.suggestion})


def _nothing_additive(_aggregation: Aggregation, term: Term, found: Findings) -> SqlRefused | None:
    """A product adds up if one of its factors does: price times quantity."""
    if found.catalog.ontology is None or not term.factors or any(_adds(leaf, found) for leaf in term.factors):
        return None
    first = term.factors[0]
    if first.facts is not None and first.facts.column.type is ColumnType.BOOLEAN:
        return None  # a count of what is true
    return SqlRefused(_declared(first, (), found))


def _adds(leaf: Leaf, found: Findings) -> bool:
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
        declared = found.catalog.ontology is not None and leaf.facts is not None and _adds(leaf, found)
        if declared or leaf.aggregated in ("SUM", "COUNT"):
            hint = f"A sum of quotients is no total; divide the sums: SUM(..) / SUM({clip(leaf.name, 16)})."
            return SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, leaf.name, hint))
    return None


def _several_snapshots(aggregation: Aggregation) -> SqlRefused | None:
    """`CASE WHEN month = 1 THEN x WHEN month = 2 THEN x END` adds two periods up; with opposite signs it is a difference."""
    leaves = [leaf for term in aggregation.value.terms for leaf in term.factors] if aggregation.value else []
    semi = [leaf for leaf in leaves if leaf.facts and leaf.facts.additivity is Additivity.SEMI_ADDITIVE]
    for one, other in combinations(semi, 2):
        if one.name != other.name or one.negative is not other.negative or _are_apart(one, other, aggregation):
            continue
        same = all(
            _constant(one, mine, aggregation) == _constant(other, theirs, aggregation)
            for mine, theirs in zip(one.over, other.over, strict=False)
        )
        if not same:
            hint = f"{clip(one.name, 24)} of several periods is added up here; take one period each."
            return SqlRefused(problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, one.name, hint))
    return None


def _constant(leaf: Leaf, thing: Any, aggregation: Aggregation) -> Any:
    """What a thing is known to be where a leaf counts; itself, where only that it is fixed is known."""
    known = {**aggregation.constants, **aggregation.given.constants, **leaf.given.constants}
    literal = known.get(thing, UNKNOWN)
    return thing if literal is UNKNOWN else str(literal)


def _are_apart(one: Leaf, other: Leaf, aggregation: Aggregation) -> bool:
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
            adders = [leaf for leaf in term.factors if _adds(leaf, found)]
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
        call = _call(reading, tool="aggregateTable", aggregate="SUM", target=leaf.name)
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
        if same and not _are_apart(one, other, aggregation) and not _are_disjoint(one.reading, other.reading):
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
    for aggregation, leaf in _added_fields(found):
        if leaf.facts is None or leaf.reading is None or not leaf.facts.unit_fixed_by:
            continue
        known = aggregation.fixed(given=leaf.given)
        if any(is_in(thing, known) for thing in leaf.units) or _joined_unit(aggregation, leaf):
            continue
        call = _call(leaf.reading, tool="aggregateTable", aggregate="SUM", target=leaf.name)
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
            if _are_apart(one, other, aggregation):
                continue
            pairs = zip(one.units, other.units, strict=False)
            if not any(_constant(one, a, aggregation) == _constant(other, b, aggregation) for a, b in pairs):
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
        call = _call(reading, filters=tuple(reading.filters), order_by=tuple(map(Order, sorted(reading.said))))
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
    call = _call(
        reading,
        tool="aggregateTable",
        aggregate="COUNT" if aggregation.function not in ("MIN", "MAX", "COUNT_DISTINCT") else "MAX",
        target=target,
        filters=(*reading.filters, *given),
        group_by=tuple(sorted(fixed)),
        order_by=tuple(map(Order, sorted(reading.said))),
    )
    refusal = validator.required_filters_present(call, found.catalog, found.profile)
    return SqlRefused(refusal, corrections.keep_apart(reading, rules)) if refusal else None


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
