"""The SELECT over groups: with the names of entities and the figures over all rows beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from veracity.semantic.sql.divisions import Division
from veracity.semantic.sql.groups import Grouped
from veracity.semantic.sql.rows import RowSelect, Writer, column_of

if TYPE_CHECKING:
    from sqlglot import exp

GROUPS = "g"
"""What the groups are called in it."""


class GroupSelect:
    """The SELECT over the groups: with the names of entities and the figures over all rows beside them."""

    def __init__(self, writer: Writer, grouped: Grouped) -> None:
        self._rows = RowSelect.of_with(writer, grouped.name, GROUPS)
        self.where: list[exp.Expr] = []
        self._overall: dict[str, str] = {}
        self._grouped = grouped
        self._writer = writer
        self.named: dict[str, Division] = {}
        """Dimensions whose rows are known by a name, by the alias of these rows; joined where a name is selected."""

    def names_of(self, dim: Division) -> str:
        """Announce the rows of a dimension's entity, to be joined by their keys; their alias."""
        alias = self._writer.name("t")
        self.named[alias] = dim
        return alias

    def overall(self, name: str) -> None:
        """Join the one row of a figure over all rows."""
        if name not in self._overall:
            self._overall[name] = self._rows.beside(name)

    def of_overall(self, column: str) -> exp.Expr:
        """A column of a figure over all rows."""
        for name, term in self._grouped.overall.values():
            if column in dict(term.columns):
                return column_of(self._overall[name], column)
        raise KeyError(column)

    def select(self, shown: Sequence[exp.Expr]) -> exp.Select:
        """The SELECT of these expressions."""
        rows = self._rows.again()
        for alias, fields in names_in(shown, self.named).items():
            dim = self.named[alias]
            keys = [(column_of(GROUPS, n), f) for n, f in zip(dim.names, dim.fields, strict=True)]
            rows.look_up(dim.thing, keys, alias=alias, fields=fields)
        query = rows.select(shown)
        for condition in self.where:
            query = query.where(condition.copy(), copy=False)
        return query


def names_in(shown: Sequence[exp.Expr], named: Mapping[str, Division]) -> dict[str, list[str]]:
    """Which fields of the rows of dimensions are selected, by the alias of these rows."""
    from sqlglot import exp

    found: dict[str, list[str]] = {}
    for value in shown:
        for column in value.find_all(exp.Column):
            if column.table in named:
                found.setdefault(column.table, []).append(column.name)
    return found


def over_all(value: exp.Expr, joins: GroupSelect) -> exp.Expr:
    """The same expression over the figures of all rows."""
    from sqlglot import exp

    return value.transform(lambda node: joins.of_overall(node.name) if isinstance(node, exp.Column) else node)
