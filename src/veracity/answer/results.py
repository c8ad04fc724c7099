"""A result as an answer sees it: the rows, the call that made them, and what each column may be used for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from veracity.contracts import Cell, TableData
from veracity.language.nearest import words_of
from veracity.language.numbers import written
from veracity.ontology.fields import Additivity, Encoding, FieldRole
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts
from veracity.query.model import Call, Order
from veracity.sources.source import NUMERIC, ColumnType

if TYPE_CHECKING:
    from veracity.query.sqlcheck import CheckedSql, OutputColumn

_PERIOD_WORDS = frozenset({"year", "month", "jahr", "monat"})
_PERIOD_SIGNS = ("年", "月", "年份", "月份", "年度")

Home = tuple[str, str]
"""An entity and one of its fields."""


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is known of one column of a result."""

    role: FieldRole | None = None
    additivity: Additivity = Additivity.NON_ADDITIVE
    over: tuple[str, ...] = ()
    """For a semi-additive column: the fields that must be the same in all rows that are added up."""
    unit: str | None = None
    unit_field: str | None = None
    unit_fixed_by: tuple[str, ...] = ()
    """Rows that agree on one of these fields are of one unit; empty when there is no unit, or always the same."""
    encoding: Encoding | None = None
    scale: int | None = None
    repeats: bool = False
    """The same value may stand in several rows, so that adding it up would count it twice."""
    can_be_added: bool = False
    numeric: bool = False
    aggregate: str | None = None
    """SUM, COUNT, ... where the column is one of a group of rows."""
    words: tuple[str, ...] = ()
    """What people call it: its labels and synonyms, in every language."""
    multiple: Decimal = Decimal(1)
    """1000000 for a column in millions."""


@dataclass(frozen=True)
class Result:
    """Rows that an answer may use."""

    data: TableData
    call: Call
    key: tuple[str, ...]
    """The fields among the columns that tell the rows apart: of the entity's grain, or what an aggregate groups by."""
    columns: Mapping[str, ColumnFacts]
    pinned: Mapping[str, Any]
    """Field -> value, for every field that has one value in all rows because the call says so."""
    grain: tuple[str, ...] = ()
    """The entity's whole grain; empty for aggregates and where none is declared."""
    others: tuple[Call, ...] = ()
    """What raw SQL reads of further tables, as calls on each of them."""
    origins: Mapping[str, Home] = field(default_factory=dict)
    """Where the columns of raw SQL come from; a structured call keeps the names."""
    brings: tuple[str, ...] = ()
    """The literals of raw SQL that no plain condition has."""
    turns: frozenset[str] = frozenset()
    """`either` where raw SQL joins conditions by OR, `not` where it negates one."""
    given: Mapping[str, Any] | None = None
    """The arguments as they were given, where they are not those of a structured call."""
    lacking: tuple[tuple[int, int], ...] = ()
    """How many of how many rows lack a value that the answer rests on: counted in the source, and told beside it."""
    described: bool = True
    """Whether anybody says what its columns mean, rather than what only their names and values tell."""

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The call, and those on further tables."""
        return (self.call, *self.others)

    @property
    def arguments(self) -> dict[str, Any]:
        """The call's arguments as a tool takes them."""
        if self.given is not None:
            return dict(self.given)
        call = self.call
        filters = [{"field": c.field, "op": c.op, "value": _argument(c.value)} for c in call.filters]
        given = {
            "tableName": call.table,
            "fields": list(call.fields),
            "aggregate": call.aggregate,
            "field": call.target,
            "groupBy": list(call.group_by),
            "filters": [{key: value for key, value in f.items() if value is not None} for f in filters],
            "orderBy": [{"field": o.field, "direction": "DESC" if o.descending else "ASC"} for o in call.order_by],
            "limit": call.limit,
        }
        return {name: value for name, value in given.items() if value not in (None, [])}

    @cached_property
    def identifies(self) -> bool:
        """Whether the key, together with what is pinned, tells every row apart."""
        if self.call.aggregate is not None:
            return bool(self.key)
        return bool(self.grain) and all(name in self.columns or name in self.pinned for name in self.grain)


def result_of(data: TableData, call: Call, catalog: Catalog) -> Result:
    """The result of a valid call."""
    entity = catalog.entities[call.table]
    names = [column.name for column in data.columns]
    fixed = [c for c in call.filters if c.op == "=" or (c.op == "IN" and _is_one(c.value))]
    pinned = {c.field: c.value[0] if isinstance(c.value, list | tuple) else c.value for c in fixed}
    if call.aggregate is None:
        facts = {name: field_facts(entity, name) for name in names}
        return Result(data, call, tuple(n for n in entity.grain if n in facts), facts, pinned, entity.grain)
    facts = {name: field_facts(entity, name) for name in names[:-1]}
    facts[names[-1]] = aggregate_facts(call, entity)
    return Result(data, call, call.group_by, facts, pinned)


def _argument(value: Any) -> Any:
    """A literal as JSON holds it."""
    if isinstance(value, list | tuple):
        return [_argument(item) for item in value]
    return written(value) if isinstance(value, Decimal) else value


def _is_one(value: Any) -> bool:
    return isinstance(value, list | tuple) and len({comparable(item) for item in value}) == 1


@lru_cache(maxsize=4096)
def field_facts(entity: CatalogEntity, name: str) -> ColumnFacts:
    """What is known of a column that is a field of an entity."""
    facts = entity.fields[name]
    column, declared = facts.column, facts.declared
    numeric = column.type in NUMERIC
    refused = facts.convention is not None or facts.identifier or facts.additivity is Additivity.NON_ADDITIVE
    role = _role(facts)
    return ColumnFacts(
        role=role,
        additivity=facts.additivity,
        over=facts.over,
        unit=declared.unit if declared else None,
        unit_field=declared.unit_field if declared else None,
        unit_fixed_by=facts.unit_fixed_by,
        encoding=facts.guard,
        scale=0 if column.type is ColumnType.INTEGER else column.scale,
        repeats=entity.repeats(facts),
        # NEVER_AGGREGATE is about queries; in an answer the reader sees which rows were added up.
        can_be_added=numeric and not refused and role is not FieldRole.PERIOD,
        numeric=numeric,
        words=_labels_and_synonyms(facts),
    )


def _labels_and_synonyms(facts: FieldFacts) -> tuple[str, ...]:
    """The declared labels and synonyms of a field."""
    if facts.declared is None:
        return ()
    synonyms = (synonym for group in facts.declared.synonyms.values() for synonym in group)
    return (*facts.declared.label.values(), *synonyms)


def _role(facts: FieldFacts) -> FieldRole | None:
    if facts.role is not None:
        return facts.role
    if facts.identifier:
        return FieldRole.IDENTIFIER
    name = facts.column.name
    if facts.column.type is ColumnType.INTEGER and (
        _PERIOD_WORDS & set(words_of(name).split()[-1:]) or name.endswith(_PERIOD_SIGNS)
    ):
        # Nobody writes the year 2'024.
        return FieldRole.PERIOD
    return None


def aggregate_facts(call: Call, entity: CatalogEntity) -> ColumnFacts:
    """The facts of an aggregate's own column."""
    if call.aggregate in ("COUNT", "COUNT_DISTINCT") or call.target is None:
        adds = call.aggregate == "COUNT"
        return ColumnFacts(
            role=FieldRole.QUANTITY,
            additivity=Additivity.ADDITIVE if adds else Additivity.NON_ADDITIVE,
            scale=0,
            can_be_added=adds,
            numeric=True,
            aggregate=call.aggregate,
        )
    facts = field_facts(entity, call.target)
    adds = call.aggregate == "SUM" and facts.additivity is not Additivity.NON_ADDITIVE
    mean = call.aggregate == "AVG"
    return ColumnFacts(
        role=facts.role,
        additivity=facts.additivity if adds else Additivity.NON_ADDITIVE,
        over=facts.over if adds else (),
        unit=facts.unit,
        unit_field=facts.unit_field,
        unit_fixed_by=facts.unit_fixed_by,
        encoding=facts.encoding,
        # The mean of whole numbers is none.
        scale=None if mean and facts.scale == 0 else facts.scale,
        can_be_added=adds,
        numeric=facts.numeric,
        aggregate=call.aggregate,
        words=(call.target, *facts.words),
    )


def comparable(value: Any) -> str:
    """A text that is the same for values that mean the same: 2025, 2025.0 and '2025' are one year."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal) and value.is_finite():
        number = written(value)
        number = number.rstrip("0").rstrip(".") if "." in number else number
        return "0" if number == "-0" else number
    return str(value)


def digest(data: TableData) -> str:
    """SHA-256 over the columns and rows, the same before and after the result was written as JSON."""
    columns = [[column.name, column.type] for column in data.columns]
    rows = [[raw(row.get(column.name)) for column in data.columns] for row in data.rows]
    text = json.dumps([columns, rows], ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def raw(cell: Cell) -> str | int | float | bool | None:
    """A cell as it stands in JSON: decimals as text with all their digits, dates in ISO form."""
    if isinstance(cell, Decimal):
        return written(cell)
    return cell.isoformat() if isinstance(cell, date) else cell


# --- the result of raw SQL as an answer sees it: each column with the field it comes from, each table as a call of its own


_COUNTS = frozenset({"COUNT", "COUNT_DISTINCT"})
EXPRESSION = "EXPRESSION"
"""The aggregate of a column that is computed from others."""


def result_of_sql(
    data: TableData, checked: CheckedSql, catalog: Catalog, tool: str, given: Mapping[str, Any]
) -> Result:
    """The rows of a query that was checked."""
    columns = {column.name: _facts(column, catalog) for column in checked.columns}
    calls = [_call(table, checked, tool, given) for table in _main_first(checked)]
    main = calls[0]
    origins = {c.name: (c.entity, c.field) for c in checked.columns if c.entity and c.field and c.aggregate is None}
    by_home = {home: name for name, home in origins.items()}
    if main.aggregate is not None or checked.group_by:
        key = tuple(by_home[home] for home in checked.group_by if home in by_home)
    else:
        key = tuple(by_home[main.table, n] for n in catalog.entities[main.table].grain if (main.table, n) in by_home)
    # A field of the main table that the query pins counts also where it is not shown.
    pinned = {
        by_home.get((one.entity, one.filter.field), one.filter.field): one.filter.value
        for one in checked.conditions
        if one.filter.op == "=" and ((one.entity, one.filter.field) in by_home or one.entity == main.table)
    }
    return Result(
        data=data,
        call=main,
        key=key,
        columns=columns,
        pinned=pinned,
        others=tuple(calls[1:]),
        origins=origins,
        brings=_brought_in(checked),
        turns=checked.turns,
        given=dict(given),
    )


def _brought_in(checked: CheckedSql) -> tuple[str, ...]:
    values = (one.filter.value for one in checked.conditions)
    plain = {str(item) for value in values for item in (value if isinstance(value, list | tuple) else [value])}
    return tuple(literal for literal in checked.spoken if literal not in plain)


def _main_first(checked: CheckedSql) -> list[str]:
    """The tables, first the one whose figures are shown."""
    told = [c.entity for c in checked.columns if c.entity and c.aggregate not in (None, *_COUNTS)]
    shown = [c.entity for c in checked.columns if c.entity]
    return list(dict.fromkeys([*told, *shown, *checked.entities]))


def _call(table: str, checked: CheckedSql, tool: str, given: Mapping[str, Any]) -> Call:
    """What the query does with one table."""
    own = [column for column in checked.columns if column.entity == table]
    aggregates = [c for c in checked.columns if c.aggregate not in (None, EXPRESSION) and c.entity in (table, None)]
    # A sum beside a count is asked about as a sum.
    first = next((c for c in aggregates if c.aggregate not in _COUNTS), next(iter(aggregates), None))
    limit = given.get("limit")
    return Call(
        tool=tool,
        table=table,
        fields=tuple(column.field for column in own if column.field and column.aggregate is None),
        filters=tuple(one.filter for one in checked.conditions if one.entity == table),
        order_by=tuple(Order(name, descending) for entity, name, descending in checked.order_by if entity == table),
        limit=checked.limit if checked.has_limit else limit if isinstance(limit, int) else None,
        aggregate=first.aggregate if first else None,
        target=first.field if first else None,
        group_by=tuple(name for entity, name in checked.group_by if entity == table),
    )


def _facts(column: OutputColumn, catalog: Catalog) -> ColumnFacts:
    if column.entity is None or column.field is None:
        if column.aggregate in _COUNTS:
            return ColumnFacts(
                scale=0, can_be_added=column.aggregate == "COUNT", numeric=True, aggregate=column.aggregate
            )
        numeric = column.column.type in NUMERIC
        return ColumnFacts(scale=column.column.scale, numeric=numeric, aggregate=column.aggregate)
    entity = catalog.entities[column.entity]
    if column.aggregate is None:
        facts = field_facts(entity, column.field)
    else:
        call = Call(tool="", table=column.entity, aggregate=column.aggregate, target=column.field)
        facts = aggregate_facts(call, entity)
    # After a join the figure of one row may stand in several.
    return replace(facts, repeats=facts.repeats or column.repeats)
