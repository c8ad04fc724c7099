"""The validator: is this call valid? Pure functions over (call, catalog, profile); the first problem is the answer.

The order of `CHECKS` is the order in which problems are reported: table, arguments, field, operator, value,
purpose, aggregate, and last the filters that an entity requires.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.language.locale import DEFAULT_LANGUAGE, pick
from veracity.language.nearest import nearest, nearest_values
from veracity.ontology.descriptor import Constraint
from veracity.ontology.entities import Entity, NumberRange
from veracity.ontology.fields import Additivity, FieldRole
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts
from veracity.query.model import ADDING, NULL_OPERATORS, TOOLS, Call, Filter, read_call
from veracity.query.values import Edge, Misfit, Values, bind
from veracity.sources.source import NUMERIC, ColumnType

Check = Callable[[Call, Catalog, Values], QueryValidationError | None]

_MAX_IN = 1000
_EDGES: dict[str, Edge] = {">=": "start", "<": "start", "<=": "end", ">": "end"}
_FEW = 5


def validate(tool: str, arguments: Any, catalog: Catalog, profile: Values) -> Call | QueryValidationError:
    """The call, if it is valid, else the first problem. Never raises, whatever the arguments are."""
    call = read_call(tool, arguments)
    return first_problem(call, catalog, profile) or call


def first_problem(call: Call, catalog: Catalog, profile: Values) -> QueryValidationError | None:
    """The first problem of a call that was already read."""
    for check in CHECKS if call.aggregate else _ROW_CHECKS:
        if problem := check(call, catalog, profile):
            return problem
    return None


def _problem(
    code: ValidationErrorCode, name: str | None, hint: str, suggestion: str | None = None
) -> QueryValidationError:
    return QueryValidationError(code=code, field=name, suggestion=suggestion, hint=hint)


# --- table


def table_exists(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """The table is one the tools can read."""
    if call.table in catalog.entities:
        return None
    if call.problem is not None and not call.table and _is_about_the_whole(call):
        return call.problem
    if not call.table:
        return _problem(ValidationErrorCode.TABLE_NOT_FOUND, "tableName", "tableName must name one of the tables.")
    if concept := _concept(call.table, catalog):
        return _concept_is_no_table(call.table, concept, catalog)
    if kind := _kind_of_rows(call.table, catalog):
        return kind
    meant = catalog.synonyms.get(call.table.casefold())
    suggestion = meant if meant in catalog.entities else nearest(call.table, catalog.entities)
    shown = clip(call.table, 24)
    hint = (
        f"There is no table {shown}." if suggestion else f"No table {shown}; there are {', '.join(catalog.entities)}."
    )
    return _problem(ValidationErrorCode.TABLE_NOT_FOUND, call.table, hint, suggestion)


def _is_about_the_whole(call: Call) -> bool:
    """Whether the tool is unknown, the arguments are none, or the table stands under another name."""
    assert call.problem is not None
    return call.tool not in TOOLS or call.problem.field == "arguments" or call.problem.suggestion == "tableName"


def _kind_of_rows(word: str, catalog: Catalog) -> QueryValidationError | None:
    """Customers are no table: they are rows with a certain value."""
    for entity in catalog.entities.values():
        for name, facts in entity.fields.items():
            value = facts.declared.value_called(word) if facts.declared else None
            if value is not None:
                hint = f"No table: filter {name} = '{clip(value, 20)}' in a table."
                return _problem(ValidationErrorCode.TABLE_NOT_FOUND, word, hint, entity.name)
    return None


def _concept(name: str, catalog: Catalog) -> Entity | None:
    if catalog.ontology is None:
        return None
    entity = catalog.ontology.entity(name) or catalog.ontology.entity(catalog.synonyms.get(name.casefold(), ""))
    return None if entity is None or entity.queryable or entity.hidden else entity


def _concept_is_no_table(written: str, concept: Entity, catalog: Catalog) -> QueryValidationError:
    code, span = ValidationErrorCode.TABLE_NOT_FOUND, concept.number_range
    if span is None:
        return _problem(
            code, written, f"{clip(written, 30)} is a concept, not a table.", nearest(written, catalog.entities)
        )
    home = next((e.name for e in catalog.entities.values() if e.required_filters and span.field in e.fields), None)
    home = home or next((e.name for e in catalog.entities.values() if span.field in e.fields), None)
    how = f"LIKE '{span.like[0]}'" if len(span.like) == 1 else f"BETWEEN {span.start} and {span.end}"
    return _problem(code, written, f"No table: filter {span.field} {how} in a table.", home)


# --- arguments


def arguments_fit(call: Call, _catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """The arguments have the shape the tool takes."""
    return call.problem


# --- fields


def fields_exist(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """Every field named anywhere in the call is one of the table's visible fields."""
    entity = catalog.entities[call.table]
    for name in call.named_fields:
        if name not in entity.fields:
            return _unknown_field(name, call, entity, catalog)
    return None


def _unknown_field(name: str, call: Call, entity: CatalogEntity, catalog: Catalog) -> QueryValidationError:
    code = ValidationErrorCode.FIELD_NOT_FOUND
    shown = clip(name, 24)
    if name in catalog.scope:
        return _problem(code, name, f"{shown} is set by the caller; leave it out.")
    meant = entity.synonyms.get(name.casefold())
    if meant in entity.fields:
        return _problem(code, name, f"{shown} is called {meant} here.", meant)
    if elsewhere := _home_of(name, call, entity, catalog):
        return _problem(code, name, f"{shown} is a field of {elsewhere}.", nearest(name, entity.fields) or elsewhere)
    hint = f"No field {shown} here; browseTable shows the fields."
    return _problem(code, name, hint, nearest(name, entity.fields))


def _home_of(name: str, call: Call, entity: CatalogEntity, catalog: Catalog) -> str | None:
    """The table that has the field, and as much as possible of what else the call and its table name."""
    homes = [other for other in catalog.entities.values() if name in other.fields]
    wanted = set(call.named_fields)
    best = max(
        homes, key=lambda o: (len(wanted & set(o.fields)), len(set(entity.fields) & set(o.fields))), default=None
    )
    return best.name if best else None


def shown_fields_comparable(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """Sorting and grouping need a type that can be compared."""
    fields = catalog.entities[call.table].fields
    for name in (*call.group_by, *(order.field for order in call.order_by)):
        if fields[name].column.type is ColumnType.OTHER:
            return _problem(
                ValidationErrorCode.TYPE_MISMATCH, name, f"{clip(name, 30)} cannot be sorted or grouped by."
            )
    return None


# --- operators


def operators_fit(call: Call, catalog: Catalog, profile: Values) -> QueryValidationError | None:
    """The operator goes with the field's type and with the shape of the value."""
    fields = catalog.entities[call.table].fields
    for condition in call.filters:
        if problem := _operator_problem(call, condition, fields[condition.field], profile):
            return problem
    return None


def _operator_problem(call: Call, condition: Filter, facts: FieldFacts, profile: Values) -> QueryValidationError | None:
    code, kind, op, value = ValidationErrorCode.OPERATOR_INCOMPATIBLE, facts.column.type, condition.op, condition.value
    name = clip(condition.field, 30)
    if op in NULL_OPERATORS:
        return None if value is None else _problem(code, condition.field, f"{op} takes no value.")
    if kind is ColumnType.OTHER:
        return _problem(code, condition.field, f"{name} can only be tested with IS_NULL or IS_NOT_NULL.", "IS_NOT_NULL")
    if value is None:
        instead = "IS_NOT_NULL" if op == "!=" else "IS_NULL"
        return _problem(code, condition.field, f"{op} needs a value; use {instead} for missing ones.", instead)
    if op == "LIKE" and kind is not ColumnType.TEXT:
        return _problem(code, condition.field, f"LIKE works on text only; {name} is {kind}.", "=")
    if kind is ColumnType.BOOLEAN and op not in ("=", "!=", "IN"):
        return _problem(code, condition.field, f"{name} is true or false: use = or !=.", "=")
    if isinstance(value, list | tuple) and op not in ("IN", "BETWEEN"):
        return _problem(code, condition.field, f"{op} takes one value; use IN for a list.", "IN")
    if kind is ColumnType.TEXT:
        return _pattern_problem(call, condition, profile)
    return None


def _pattern_problem(call: Call, condition: Filter, profile: Values) -> QueryValidationError | None:
    """A pattern needs LIKE, and LIKE needs a pattern it knows."""
    code, op = ValidationErrorCode.OPERATOR_INCOMPATIBLE, condition.op
    stored = profile.of(call.table, condition.field) or frozenset()
    for literal in condition.value if isinstance(condition.value, list | tuple) else (condition.value,):
        if not isinstance(literal, str) or literal in stored:
            continue
        shown = clip(literal, 20)
        if op == "LIKE" and literal.endswith("*") and "%" not in literal:
            return _problem(code, condition.field, f"LIKE knows % for any text, not *: {shown}.", literal[:-1] + "%")
        if op == "!=" and "%" in literal:
            return _problem(code, condition.field, f"There is no NOT LIKE for {shown}; list the wanted values with IN.")
        if op not in ("LIKE", "!=") and ("%" in literal or literal.endswith("*")):
            return _problem(
                code, condition.field, f"{op} compares literally; use LIKE for the pattern {shown}.", "LIKE"
            )
    return None


# --- values


def values_fit(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """Every literal is of its field's type."""
    fields = catalog.entities[call.table].fields
    lists = [c for c in call.filters if c.op == "IN" and isinstance(c.value, list | tuple)]
    if sum(len(c.value) for c in lists) > _MAX_IN:
        hint = f"A call takes at most {_MAX_IN} values in all its lists."
        return _problem(ValidationErrorCode.TYPE_MISMATCH, lists[0].field, hint)
    for condition in call.filters:
        try:
            bound = bound_values(fields[condition.field], condition)
        except Misfit as misfit:
            return misfit.problem(condition.field)
        if condition.op == "BETWEEN" and bound[0] > bound[1]:
            hint = "BETWEEN takes [low, high]; these are the wrong way round."
            return _problem(ValidationErrorCode.TYPE_MISMATCH, condition.field, hint)
    return None


def bound_values(facts: FieldFacts, condition: Filter) -> list[Any]:
    """The literals of a condition as they are bound; raises `Misfit`."""
    op, value = condition.op, condition.value
    if op in NULL_OPERATORS:
        return []
    if op == "IN":
        if not isinstance(value, list | tuple) or not 1 <= len(value) <= _MAX_IN:
            raise Misfit(f"IN takes a list of 1 to {_MAX_IN} values.")
        return [bind(facts, item, edge="exact") for item in value]
    if op == "BETWEEN":
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise Misfit("BETWEEN takes a list of two values: [low, high].")
        return [bind(facts, value[0], edge="start"), bind(facts, value[1], edge="end")]
    return [bind(facts, value, edge=_EDGES.get(op, "exact"))]


def values_exist(call: Call, catalog: Catalog, profile: Values) -> QueryValidationError | None:
    """An equality literal on a categorical column is one of its stored values."""
    for condition in looked_up(call, catalog):
        stored = profile.of(call.table, condition.field)
        if not stored:
            continue
        for literal in condition.value if condition.op == "IN" else (condition.value,):
            if literal not in stored:
                suggestion = _meant_value(literal, condition.field, call, catalog, stored)
                otherwise = "" if suggestion else " LIKE '%..%' finds parts."
                hint = f"No row has {clip(condition.field, 20)} = {clip(literal, 20)!r}.{otherwise}"
                return _problem(ValidationErrorCode.VALUE_NOT_FOUND, condition.field, hint, suggestion)
    return None


def _meant_value(literal: str, name: str, call: Call, catalog: Catalog, stored: frozenset[str]) -> str | None:
    """What was probably meant: what people call so, the group of that name, a beginning, or what is spelt alike."""
    declared = catalog.entities[call.table].fields[name].declared
    called = declared.value_called(literal) if declared else None
    if called in stored:
        return called
    concept = _concept(literal, catalog)
    if concept and concept.number_range and concept.number_range.field == name:
        return " or ".join(f"LIKE '{pattern}'" for pattern in concept.number_range.like)
    if declared and declared.role is FieldRole.CODE and any(value.startswith(literal) for value in stored):
        return f"LIKE '{literal}%'"
    few = len(stored) <= _FEW
    near = (
        nearest_values(literal, sorted(stored), count=_FEW, cutoff=0)
        if few
        else nearest_values(literal, sorted(stored))
    )
    return ", ".join(near) or None


def looked_up(call: Call, catalog: Catalog) -> Iterator[Filter]:
    """The conditions whose literals must exist, as far as the ontology and the types say."""
    fields = catalog.entities[call.table].fields
    for condition in call.filters:
        facts = fields[condition.field]
        if (
            condition.op in ("=", "!=", "IN")
            and facts.column.type is ColumnType.TEXT
            and facts.categorical is not False
        ):
            yield condition


# --- purpose


def table_fits_purpose(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """What is added up is not better asked of another table."""
    facts = _added(call, catalog)
    if facts is None:
        return None
    used = {condition.field for condition in call.filters} | set(call.group_by)
    for rule in facts.wrong_table:
        if (not rule.when or used & set(rule.when)) and not used & set(rule.unless):
            return _problem(ValidationErrorCode.WRONG_TABLE_FOR_PURPOSE, call.target, message_of(rule), rule.use)
    return None


def _added(call: Call, catalog: Catalog) -> FieldFacts | None:
    """The field that the call adds up, if it does."""
    if call.aggregate not in ADDING or call.target is None:
        return None
    return catalog.entities[call.table].fields[call.target]


def message_of(constraint: Constraint) -> str:
    """What a refusal says for a constraint."""
    return pick(constraint.message, DEFAULT_LANGUAGE)


# --- aggregate


def aggregate_target_fits(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """The aggregate makes sense for the field's type."""
    if call.target is None or call.aggregate is None or call.aggregate == "COUNT":
        return None
    facts = catalog.entities[call.table].fields[call.target]
    kind, name = facts.column.type, clip(call.target, 30)
    if call.aggregate in ADDING and facts.identifier:
        hint = f"{name} identifies rows and cannot be added up; use COUNT."
        return _problem(ValidationErrorCode.INVALID_AGGREGATE_TARGET, call.target, hint, "COUNT")
    if call.aggregate in ADDING and kind not in NUMERIC:
        hint = f"{name} is {kind}, not a number; COUNT works on it."
        return _problem(ValidationErrorCode.TYPE_MISMATCH, call.target, hint, _numbers(call, catalog))
    if kind is ColumnType.OTHER or (kind is ColumnType.BOOLEAN and call.aggregate in ("MIN", "MAX")):
        return _problem(
            ValidationErrorCode.TYPE_MISMATCH,
            call.target,
            f"{call.aggregate} does not work on {name}; use COUNT.",
            "COUNT",
        )
    return None


def _numbers(call: Call, catalog: Catalog) -> str | None:
    fields = catalog.entities[call.table].fields.values()
    return next(
        (f.column.name for f in fields if f.additivity is Additivity.ADDITIVE and f.column.type in NUMERIC), None
    )


def aggregate_is_declared(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """SUM and AVG only on what is declared additive, or on one snapshot of what is semi-additive."""
    facts = _added(call, catalog)
    if facts is None or call.target is None:
        return None
    code, name = ValidationErrorCode.INVALID_AGGREGATE_TARGET, clip(call.target, 24)
    if facts.never_aggregate is not None:
        return _problem(code, call.target, message_of(facts.never_aggregate), "queryTable")
    if facts.convention is not None:
        return _problem(code, call.target, facts.convention, "queryTable")
    if facts.additivity is Additivity.ADDITIVE:
        return None
    if facts.additivity is Additivity.NON_ADDITIVE:
        return _problem(
            code, call.target, f"{name} is not declared additive; MIN, MAX and COUNT work.", _numbers(call, catalog)
        )
    loose = [name for name in facts.over if name not in _fixed(call)]
    if loose or not facts.over:
        hint = f"{name} adds up within one {' and '.join(facts.over)} only; filter with =."
        return _problem(code, call.target, hint, f"{loose[0]} =" if loose else None)
    return None


def _fixed(call: Call) -> set[str]:
    """The fields that have one value in every group: pinned by an equality, or grouped by."""
    pinned = {c.field for c in call.filters if c.op == "=" or (c.op == "IN" and len(set(map(str, c.value))) == 1)}
    return pinned | set(call.group_by)


def grain_is_clear(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """A value that may stand in several rows is not added up once per row."""
    facts, entity = _added(call, catalog), catalog.entities[call.table]
    if facts is None or call.target is None or not entity.repeats(facts):
        return None
    name = clip(call.target, 24)
    grain = facts.declared.grain if facts.declared else ()
    if grain:
        hint = f"{name} repeats per {', '.join(grain)}; sum it where it is one row each."
    else:
        hint = f"{name} may stand in several rows here; sum it where it is one row each."
    return _problem(ValidationErrorCode.AMBIGUOUS_GRAIN, call.target, hint, _owner(call.target, grain, entity, catalog))


def _owner(name: str, grain: tuple[str, ...], entity: CatalogEntity, catalog: Catalog) -> str | None:
    """The entity in which a value is one row each: where its key leads to, or the table it is taken from."""
    relations = catalog.ontology.relations if catalog.ontology else ()
    led = next((r.to_entity for r in relations if (r.via,) == grain and r.to_entity in catalog.entities), None)
    origin = entity.view.origins.get(name) if entity.view else None
    tables = {e.table.name: e.name for e in catalog.entities.values() if e.table}
    return led or (tables.get(origin.table) if origin else None)


def units_agree(call: Call, catalog: Catalog, profile: Values) -> QueryValidationError | None:
    """What is added up is all of one unit or currency."""
    facts = _added(call, catalog)
    if facts is None or not facts.unit_fixed_by or set(facts.unit_fixed_by) & _fixed(call):
        return None
    unit = facts.unit_field
    if unit and profile.is_one_value(call.table, unit):
        return None
    first = facts.unit_fixed_by[0]
    general = f"{clip(call.target or '', 24)} is in several units; filter {first} with = or group by it."
    hint = message_of(facts.unit_rule) if facts.unit_rule else general
    return _problem(ValidationErrorCode.MIXED_UNITS, call.target, hint, first)


def sides_are_said(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """Debits and credits are added up on accounts that are said: an invoice and its payment are one sum otherwise."""
    facts = _added(call, catalog)
    used = {condition.field for condition in call.filters} | set(call.group_by)
    said = {c.field for c in call.filters if says_side(c, catalog)} | set(call.group_by)
    for rule in facts.sides if facts else ():
        if (not rule.when or used & set(rule.when)) and not said & set(rule.fields):
            return _problem(ValidationErrorCode.MISSING_REQUIRED_FILTER, call.target, message_of(rule), rule.fields[0])
    return None


def says_side(condition: Filter, catalog: Catalog) -> bool:
    """Whether a condition keeps to one side of the books: to one value, or to one class of a numbered chart."""
    values = condition.value if isinstance(condition.value, list | tuple) else (condition.value,)
    if condition.op == "=" or (condition.op == "IN" and len(set(map(str, values))) == 1):
        return True
    if condition.op not in ("IN", "LIKE", "BETWEEN") or not all(isinstance(value, str) for value in values):
        return False
    classes = [
        entity.number_range
        for entity in (catalog.ontology.entities if catalog.ontology else ())
        if entity.number_range and entity.number_range.field == condition.field and entity.parent_entity is None
    ]
    return any(all(_lies_in(value, one, like=condition.op == "LIKE") for value in values) for one in classes)


def _lies_in(value: str, numbers: NumberRange, *, like: bool) -> bool:
    beginning, digits = value.rstrip("%_") if like else value, len(numbers.start)
    if not beginning.isdigit() or (like and beginning == value and len(value) != digits):
        return False
    low, high = beginning.ljust(digits, "0" if like else " "), beginning.ljust(digits, "9" if like else " ")
    return numbers.start <= low and high[:digits] <= numbers.end


# --- required filters


def required_filters_present(call: Call, catalog: Catalog, _profile: Values) -> QueryValidationError | None:
    """An entity that mixes periods is only read with its periods said: filtered, grouped by, sorted by or asked for."""
    if call.tool == "browseTable":
        return None
    said = {condition.field for condition in call.filters if condition.op not in NULL_OPERATORS}
    said |= set(call.group_by) | {order.field for order in call.order_by}
    said |= {call.target} if call.target and call.aggregate in ("MIN", "MAX", "COUNT_DISTINCT") else set()
    for rule in catalog.entities[call.table].required_filters:
        missing = [name for name in rule.fields if name not in said]
        missing = missing or [name for name, value in rule.apart.items() if _mixes(call, name, value)]
        if missing:
            suggestion = " and ".join(missing)
            return _problem(ValidationErrorCode.MISSING_REQUIRED_FILTER, missing[0], message_of(rule), suggestion)
    return None


def _mixes(call: Call, name: str, apart: int | str) -> bool:
    """Whether an aggregate takes in the rows with this value together with others."""
    if call.aggregate is None or name in call.group_by or name == call.target:
        return False
    conditions = [condition for condition in call.filters if condition.field == name]
    pinned = any(c.op == "=" or (c.op == "IN" and len(set(c.value)) == 1) for c in conditions)
    return not pinned and all(accepts(condition, apart) for condition in conditions)


def accepts(condition: Filter, value: Any) -> bool:
    """Whether a value meets a condition whose literals were already found to fit."""
    match condition.op:
        case "=":
            return bool(value == condition.value)
        case "!=":
            return bool(value != condition.value)
        case "<":
            return bool(value < condition.value)
        case "<=":
            return bool(value <= condition.value)
        case ">":
            return bool(value > condition.value)
        case ">=":
            return bool(value >= condition.value)
        case "IN":
            return value in condition.value
        case "BETWEEN":
            return bool(condition.value[0] <= value <= condition.value[1])
        case _:
            return True


CHECKS: tuple[Check, ...] = (
    table_exists,
    arguments_fit,
    fields_exist,
    shown_fields_comparable,
    operators_fit,
    values_fit,
    values_exist,
    table_fits_purpose,
    aggregate_target_fits,
    aggregate_is_declared,
    grain_is_clear,
    units_agree,
    sides_are_said,
    required_filters_present,
)
_AGGREGATE_CHECKS = (
    table_fits_purpose,
    aggregate_target_fits,
    aggregate_is_declared,
    grain_is_clear,
    units_agree,
    sides_are_said,
)
_ROW_CHECKS = tuple(check for check in CHECKS if check not in _AGGREGATE_CHECKS)
"""A call for rows adds nothing up."""


def profiled_fields(call: Call, catalog: Catalog) -> Iterator[tuple[str, bool]]:
    """The text fields whose stored values the checks may ask for, and whether they are declared categorical."""
    entity = catalog.entities.get(call.table)
    if entity is None or call.problem is not None or any(name not in entity.fields for name in call.named_fields):
        return
    for condition in call.filters:
        facts = entity.fields[condition.field]
        if facts.column.type is ColumnType.TEXT and condition.op not in NULL_OPERATORS:
            yield condition.field, bool(facts.categorical)
    added = _added(call, catalog) if call.aggregate else None
    unit = added.unit_field if added else None
    if unit and unit in entity.fields:
        yield unit, True
