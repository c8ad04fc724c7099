"""The right query for a fan-out: the table that multiplies rows is grouped by its key before it is joined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veracity.query.catalog import Catalog
from veracity.query.sqlcheck.conditions import conjuncts
from veracity.query.sqlcheck.model import Aggregation, Leaf, TableUse, closed, is_in
from veracity.query.sqlcheck.names import ENTITY, bind_names
from veracity.query.sqlcheck.refusal import Correction, find

if TYPE_CHECKING:
    from sqlglot import exp


def group_before_join(aggregation: Aggregation, leaf: Leaf, catalog: Catalog) -> Correction:
    """Every source that a row of the leaf meets several rows of becomes one row per key, its sums worked out inside."""
    known = closed({leaf.row}, (*aggregation.fixes, *aggregation.given.fixes), present=leaf.row[0])
    many = [r for r in aggregation.readings if r.row in aggregation.rows and not is_in(r.row, known)]

    def correct(query: exp.Query) -> None:
        from sqlglot import exp

        bind_names(query, catalog)
        select = find(query, aggregation.select)
        if not isinstance(select, exp.Select):
            return
        for reading in many:
            table = find(query, reading.at)
            if isinstance(table, exp.Table) and ENTITY in table.meta and table.find_ancestor(exp.Select) is select:
                _summed_first(table, select, reading)

    return correct


def _summed_first(table: exp.Table, select: exp.Select, reading: TableUse) -> None:
    """Put the table's own conditions and sums into a subquery, if nothing else of it is used."""
    from sqlglot import exp

    alias = table.alias_or_name
    own = [column for column in select.find_all(exp.Column) if column.table == alias]
    moved = _own_conditions(select, alias)
    inside = {id(column) for condition in moved for column in condition.find_all(exp.Column)}
    keys: dict[str, None] = {}
    sums: dict[str, None] = {}
    for column in own:
        if id(column) in inside:
            continue
        if isinstance(column.parent, exp.Sum):
            sums[column.name] = None
        elif isinstance(column.parent, exp.EQ) and column.find_ancestor(exp.Join, exp.Where) is not None:
            keys[column.name] = None
        else:
            return
    if not keys or set(keys) & set(sums):
        return
    table.replace(_subquery(table, reading, list(keys), list(sums), [condition.copy() for condition in moved]))
    for condition in moved:
        _drop(condition)


def _own_conditions(select: exp.Select, alias: str) -> list[exp.Expr]:
    """The conditions of WHERE that are about this table alone."""
    from sqlglot import exp

    where = select.args.get("where")
    found = []
    for condition in conjuncts(where) if where is not None else ():
        tables = {column.table for column in condition.find_all(exp.Column)}
        if tables == {alias} and not condition.find(exp.Select):
            found.append(condition)
    return found


def _subquery(
    table: exp.Table, reading: TableUse, keys: Sequence[str], sums: Sequence[str], conditions: Sequence[exp.Expr]
) -> exp.Subquery:
    from sqlglot import exp

    alias = table.alias_or_name
    inner = exp.select(*(exp.column(key, table=alias, quoted=True) for key in keys))
    for name in sums:
        total = exp.Sum(this=exp.column(name, table=alias, quoted=True))
        inner = inner.select(exp.alias_(total, name, quoted=True), copy=False)
    source = (
        exp.to_table(reading.entity.name)
        if "." in reading.entity.name
        else exp.Table(this=exp.to_identifier(reading.entity.name, quoted=True))
    )
    source.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    inner = inner.from_(source, copy=False)
    for condition in conditions:
        inner = inner.where(condition, copy=False)
    inner = inner.group_by(*(exp.column(key, table=alias, quoted=True) for key in keys), copy=False)
    return exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))


def _drop(condition: exp.Expr) -> None:
    """Take a condition out of its WHERE."""
    from sqlglot import exp

    parent = condition.parent
    while isinstance(parent, exp.Paren):
        condition, parent = parent, parent.parent
    if isinstance(parent, exp.And):
        other = parent.expression if parent.this is condition else parent.this
        parent.replace(other.copy())
    elif isinstance(parent, exp.Where) and parent.parent is not None:
        parent.parent.set("where", None)
