"""Grouping: what of an expression is aggregated, and what a SELECT is grouped and sorted by, as every engine takes it.

Who groups by the key of a table groups by its other columns, too; what is constant is neither grouped nor sorted by.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from veracity.query.sqlcheck.conditions import conjuncts
from veracity.query.sqlcheck.name_places import NamePlace

if TYPE_CHECKING:
    from sqlglot import exp


def own_nodes(node: exp.Expr, skip: exp.Expr | None = None) -> Iterator[exp.Expr]:
    """The nodes below one, subqueries included but not entered."""
    from sqlglot import exp

    for child in node.iter_expressions():
        if child is skip:
            continue
        yield child
        if not isinstance(child, exp.Select | exp.SetOperation | exp.Column):
            yield from own_nodes(child)


def _aggregates(node: exp.Expr) -> Iterator[exp.Expr]:
    """The aggregates of an expression that are taken over groups, not over windows."""
    from sqlglot import exp

    if isinstance(node, exp.AggFunc):
        over = node.find_ancestor(exp.Window, exp.Select)
        inner = over.this if isinstance(over, exp.Window) else None
        if not (isinstance(over, exp.Window) and inner is not None and unwrapped(inner) is node):
            yield node
    for child in own_nodes(node):
        if isinstance(child, exp.AggFunc):
            yield from _aggregates(child)


def unwrapped(node: exp.Expr) -> exp.Expr:
    """A function without FILTER and IGNORE NULLS around it."""
    from sqlglot import exp

    while isinstance(node, exp.Filter | exp.IgnoreNulls):
        node = node.this
    return node


def is_aggregated(node: exp.Expr) -> bool:
    """Whether an expression holds an aggregate over groups."""
    return any(True for _ in _aggregates(node))


def group_by_whole_rows(select: exp.Select, here: NamePlace) -> None:
    """Where the key of a table is grouped by, so are its other columns: they say the same, and every engine takes it."""
    from sqlglot import exp

    group = select.args.get("group")
    if group is None:
        return
    grouped = {(c.table, c.name) for c in group.expressions if isinstance(c, exp.Column)}
    whole = _whole_rows(select, here, grouped)
    parts = [*select.expressions, *(select.args[clause] for clause in ("having", "order") if select.args.get(clause))]
    for column in (c for part in parts for c in (part, *own_nodes(part)) if isinstance(c, exp.Column)):
        if column.table in whole and (column.table, column.name) not in grouped:
            grouped.add((column.table, column.name))
            group.append("expressions", column.copy())


def _whole_rows(select: exp.Select, here: NamePlace, grouped: set[tuple[str, str]]) -> set[str]:
    """The aliases of tables of which a group holds one row: their key is grouped by, or equals a column of such a table."""
    equal, known, whole = list(_equal_columns(select)), set(grouped), set[str]()
    while True:
        keyed = {
            named.alias
            for named in here.sources.values()
            if named.entity is not None and any({(named.alias, n) for n in key} <= known for key in named.entity.keys)
        }
        reached = {added for one, added in equal if one in known or one[0] in keyed} - known
        if keyed <= whole and not reached:
            return whole
        whole |= keyed
        known |= reached


def _equal_columns(select: exp.Select) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """A column, and one of the table that is joined on it; that one is NULL where a LEFT JOIN finds nothing."""
    from sqlglot import exp

    joins = select.args.get("joins") or ()
    if any(str(join.args.get("side") or "").upper() in ("RIGHT", "FULL") for join in joins):
        return
    for join in joins:
        conditions = list(conjuncts(join.args["on"])) if join.args.get("on") is not None else []
        if join.args.get("side") and len(conditions) > 1:
            continue  # whether there is a match may depend on more than the column
        for equal in conditions:
            if isinstance(equal, exp.EQ) and all(
                isinstance(side, exp.Column) for side in (equal.this, equal.expression)
            ):
                left, right = ((side.args["table"].name, side.name) for side in (equal.this, equal.expression))
                yield from ((a, b) for a, b in ((left, right), (right, left)) if b[0] == join.this.alias_or_name)


def without_constants(select: exp.Select) -> None:
    """Sorting or grouping by what is written in the SELECT itself does nothing, and engines disagree about it."""
    from sqlglot import exp

    for clause in ("group", "order"):
        part = select.args.get(clause)
        if part is None:
            continue
        kept = [term for term in part.expressions if term.find(exp.Column, exp.AggFunc, exp.Select, exp.Window)]
        if len(kept) < len(part.expressions):
            part.set("expressions", kept)
            if not kept:
                select.set(clause, None)
