"""Rules on conditions: operators and values fit their fields, and the values exist."""

from __future__ import annotations

import re

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.nearest import nearest_values
from veracity.query import validator
from veracity.query.model import Call
from veracity.query.sqlcheck import corrections
from veracity.query.sqlcheck.model import (
    Findings,
    Probe,
    SqlComparison,
)
from veracity.query.sqlcheck.refusal import SqlRefused, problem
from veracity.query.values import Values
from veracity.sources.source import ColumnType

_DATE_BEGINNING = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")
_IN_SQL = (("IS_NOT_NULL", "IS NOT NULL"), ("IS_NULL", "IS NULL"))


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
    return comparison.reading.call(filters=(comparison.condition,))


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


def _in_sql(found: QueryValidationError) -> QueryValidationError:
    """The validator's words, where SQL has other ones."""
    hint, suggestion = found.hint, found.suggestion
    for tool, sql in _IN_SQL:
        hint = hint.replace(tool, sql)
        suggestion = suggestion.replace(tool, sql) if suggestion else suggestion
    return found.model_copy(update={"hint": hint, "suggestion": suggestion})
