"""The result of raw SQL as an answer sees it: each column with the field it comes from, each table as a call of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from veracity.answer.results import ColumnFacts, Result, aggregate_facts, field_facts
from veracity.query.catalog import Catalog
from veracity.query.model import Call, Order
from veracity.query.sqlcheck import CheckedSql, OutputColumn
from veracity.sources.source import NUMERIC
from veracity.trace import TableData

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
    pinned = {
        by_home[one.entity, one.filter.field]: one.filter.value
        for one in checked.conditions
        if one.filter.op == "=" and (one.entity, one.filter.field) in by_home
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
        facts = field_facts(entity, entity.fields[column.field])
    else:
        call = Call(tool="", table=column.entity, aggregate=column.aggregate, target=column.field)
        facts = aggregate_facts(call, entity)
    # After a join the figure of one row may stand in several.
    return replace(facts, repeats=facts.repeats or column.repeats)
