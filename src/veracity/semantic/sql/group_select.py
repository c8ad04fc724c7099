"""The SELECT over groups: with the names of entities and the figures over all rows beside them."""

from __future__ import annotations

from collections.abc import Sequence
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

    def names_of(self, dim: Division) -> str:
        """Join the rows of a dimension's entity by their keys; their alias."""
        return self._rows.look_up(
            dim.thing, [(column_of(GROUPS, n), f) for n, f in zip(dim.names, dim.fields, strict=True)]
        )

    def field(self, alias: str, name: str) -> exp.Expr:
        """A field of rows that were joined."""
        return self._rows.field(alias, name)

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
        query = self._rows.select(shown)
        for condition in self.where:
            query = query.where(condition.copy(), copy=False)
        return query


def over_all(value: exp.Expr, joins: GroupSelect) -> exp.Expr:
    """The same expression over the figures of all rows."""
    from sqlglot import exp

    return value.transform(lambda node: joins.of_overall(node.name) if isinstance(node, exp.Column) else node)
