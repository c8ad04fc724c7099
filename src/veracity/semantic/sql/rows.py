"""One SELECT over the rows of an entity: what is looked up over to-one relations, and rows that must exist beyond others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from veracity.query.compile import Parameters, scoped_rows
from veracity.semantic.graph import SemanticModel, Step, Thing, Way
from veracity.sources.source import Dialect, Source

if TYPE_CHECKING:
    from sqlglot import exp


EntityKey = tuple[str, tuple[str, ...]]
"""An entity and fields that identify its rows."""


@dataclass(slots=True)
class Writer:
    """What the parts of one statement share: its parameters, its WITH, and the names that are taken."""

    model: SemanticModel
    source: Source
    parameters: Parameters
    ctes: list[tuple[str, exp.Query]] = field(default_factory=list)
    relies_on: dict[EntityKey, None] = field(default_factory=dict)
    """Fields of which no two rows of an entity may share the values, or a figure would be wrong."""
    _taken: dict[str, int] = field(default_factory=dict)

    @property
    def dialect(self) -> Dialect:
        """The engine's SQL."""
        return self.source.dialect

    def name(self, prefix: str) -> str:
        """A name that nothing else in the statement has."""
        self._taken[prefix] = self._taken.get(prefix, 0) + 1
        return f"{prefix}{self._taken[prefix]}"

    def cte(self, query: exp.Query, prefix: str) -> str:
        """Put a query into the WITH and return its name."""
        name = self.name(prefix)
        self.ctes.append((name, query))
        return name

    def rely_on(self, thing: Thing, fields: Iterable[str]) -> None:
        """Note that these fields identify a row of an entity."""
        self.relies_on[thing.name, tuple(sorted(fields))] = None

    def bind(self, value: Any) -> exp.Expr:
        """A bind parameter."""
        return self.parameters.add(value)

    def statement(self, query: exp.Select) -> str:
        """The text of the whole statement."""
        from sqlglot import exp

        if self.ctes:
            parts = [
                exp.CTE(this=body, alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
                for name, body in self.ctes
            ]
            query.set("with_", exp.With(expressions=parts))
        return query.sql(dialect=self.dialect, copy=False)


def column_of(table: str, name: str) -> exp.Expr:
    """A column of a table by its alias."""
    from sqlglot import exp

    return exp.column(name, table=table, quoted=True)


def with_table(name: str) -> exp.Expr:
    """A query of the WITH, to select from."""
    from sqlglot import exp

    return exp.Table(this=exp.to_identifier(name, quoted=True))


def both(conditions: Sequence[exp.Expr]) -> exp.Expr:
    """All of these; true where there are none."""
    from sqlglot import exp

    if not conditions:
        return exp.Boolean(this=True)
    found = conditions[0]
    for condition in conditions[1:]:
        found = exp.And(this=_enclosed(found), expression=_enclosed(condition))
    return found


def _enclosed(condition: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return exp.Paren(this=condition) if isinstance(condition, exp.Or) else condition


@dataclass(slots=True)
class _JoinedTable:
    alias: str
    thing: Thing | None
    """None: a query of the WITH."""
    name: str
    kind: str
    on: list[exp.Expr]
    fields: dict[str, None] = field(default_factory=dict)


class RowSelect:
    """The rows of an entity in one SELECT. Ways are those from the entity at the root of the statement's part."""

    def __init__(self, writer: Writer, thing: Thing | None, *, parent: RowSelect | None = None, root: Way = ()) -> None:
        self._writer, self._parent, self._root = writer, parent, root
        self._tables: list[_JoinedTable] = []
        self._nodes: dict[Way, _JoinedTable] = {}
        self._links: list[tuple[exp.Expr, exp.Expr]] = []
        self._where: list[exp.Expr] = []
        self._leans_out = False
        """Whether something in it is about rows outside, beyond the link."""
        if thing is not None:
            self._nodes[root] = self._add(thing, "from", [])

    def _add(self, thing: Thing, kind: str, on: list[exp.Expr]) -> _JoinedTable:
        table = _JoinedTable(self._writer.name("t"), thing, thing.name, kind, on)
        self._tables.append(table)
        return table

    @classmethod
    def of_with(cls, writer: Writer, name: str, alias: str) -> RowSelect:
        """The rows of a query of the WITH."""
        rows = cls(writer, None)
        rows._tables.append(_JoinedTable(alias, None, name, "from", []))
        return rows

    def again(self) -> RowSelect:
        """The same rows, to join more to them."""
        other = RowSelect(self._writer, None)
        other._tables = list(self._tables)
        return other

    def look_up(
        self,
        thing: Thing,
        keys: Sequence[tuple[exp.Expr, str]],
        *,
        alias: str | None = None,
        fields: Iterable[str] = (),
    ) -> str:
        """Look up a row of an entity by its key, and some of its fields; its alias."""
        from sqlglot import exp

        self._writer.rely_on(thing, (name for _, name in keys))
        table = self._add(thing, "left", [])
        table.alias = alias or table.alias
        table.fields |= dict.fromkeys(fields)
        table.on.extend(exp.EQ(this=value, expression=self._column(table, name)) for value, name in keys)
        return table.alias

    def field(self, alias: str, name: str) -> exp.Expr:
        """A field of a row that was looked up."""
        return self._column(next(table for table in self._tables if table.alias == alias), name)

    def beside(self, name: str) -> str:
        """Put the one row of a query of the WITH beside every row; its alias."""
        table = _JoinedTable(self._writer.name("t"), None, name, "cross", [])
        self._tables.append(table)
        return table.alias

    # --- where a way leads

    def _scope(self, way: Way) -> RowSelect:
        if self._parent is None or way[: len(self._root)] == self._root:
            return self
        self._leans_out = True
        return self._parent._scope(way)

    def _known(self, way: Way) -> int:
        """How much of a way is joined already."""
        length = len(way)
        while length > len(self._root) and way[:length] not in self._nodes:
            length -= 1
        return length

    def breaks_at(self, way: Way) -> Way | None:
        """The part of a way up to the first relation with several rows that nothing joins; None: one row is at its end."""
        scope = self
        while scope._parent is not None and way[: len(scope._root)] != scope._root:
            scope = scope._parent
        for place in range(scope._known(way), len(way)):
            if not way[place].to_one:
                return way[: place + 1]
        return None

    @property
    def multiplied(self) -> bool:
        """Whether a row may stand in it several times, with different rows beyond it."""
        return any(not step.to_one for way in self._nodes for step in way[len(self._root) :])

    def pin(self, way: Way) -> None:
        """Join all rows at the end of a way, each one a row of this SELECT."""
        for length in range(len(self._root) + 1, len(way) + 1):
            if way[:length] not in self._nodes:
                step = way[length - 1]
                self._join(way[:length], step, "left" if step.to_one else "inner")

    def _join(self, way: Way, step: Step, kind: str) -> None:
        here = self._nodes[way[:-1]]
        for hop in step.hops:
            thing = self._writer.model.things[hop.entity]
            if step.to_one:
                self._writer.rely_on(thing, (other for _, other in hop.keys))
            table = self._add(thing, kind, [])
            table.on.extend(self._equal(here, table, hop.keys))
            here = table
        self._nodes[way] = here

    def _equal(self, one: _JoinedTable, other: _JoinedTable, keys: tuple[tuple[str, str], ...]) -> list[exp.Expr]:
        from sqlglot import exp

        return [exp.EQ(this=self._column(one, a), expression=self._column(other, b)) for a, b in keys]

    def _column(self, table: _JoinedTable, name: str) -> exp.Expr:
        table.fields[name] = None
        return column_of(table.alias, name)

    def column(self, way: Way, name: str) -> exp.Expr:
        """A field of the one row at the end of a way."""
        scope = self._scope(way)
        for length in range(scope._known(way) + 1, len(way) + 1):
            assert way[length - 1].to_one, "several rows are never looked up"
            scope._join(way[:length], way[length - 1], "left")
        return scope._column(scope._nodes[way], name)

    def attach(self, name: str, way: Way, keys: Sequence[tuple[str, str]]) -> str:
        """Look up a row of the WITH by fields of the row at the end of a way; its alias."""
        from sqlglot import exp

        scope = self._scope(way)
        table = _JoinedTable(self._writer.name("t"), None, name, "left", [])
        for field_name, column in keys:
            table.on.append(exp.EQ(this=scope.column(way, field_name), expression=column_of(table.alias, column)))
        scope._tables.append(table)
        return table.alias

    # --- rows that must exist

    def beyond(self, way: Way, steps: Way, *, apart: bool) -> RowSelect:
        """The rows beyond a row over more relations: of the same part of the statement, or apart with ways of their own."""
        root: Way = () if apart else (*way, steps[0])
        inner = RowSelect(self._writer, None, parent=None if apart else self, root=root)
        things = self._writer.model.things
        hops = [hop for step in (steps if apart else steps[:1]) for hop in step.hops]
        here: _JoinedTable | None = None
        for hop in hops:
            table = inner._add(things[hop.entity], "from" if here is None else "inner", [])
            if here is None:
                inner._links = [(self.column(way, a), inner._column(table, b)) for a, b in hop.keys]
            else:
                table.on.extend(inner._equal(here, table, hop.keys))
            here = table
        assert here
        inner._nodes[root] = here
        return inner

    def exist(self) -> exp.Expr:
        """Whether there is such a row beyond the outer one: true or false, never unknown."""
        from sqlglot import exp

        outer, own = [one for one, _ in self._links], [other for _, other in self._links]
        if self._leans_out:
            linked = [exp.EQ(this=one, expression=other) for one, other in self._links]
            self._where = [*linked, *self._where]
            return exp.Exists(this=self.select([exp.Literal.number(1)]))
        # Not correlated, so that every engine reads the other rows once.
        self._where = [*(present_value(one) for one in own), *self._where]
        query = self.select([one.copy() for one in own])
        told = outer[0].copy() if len(outer) == 1 else exp.Tuple(expressions=[one.copy() for one in outer])
        return exp.Paren(
            this=both([*(present_value(one) for one in outer), exp.In(this=told, query=exp.Subquery(this=query))])
        )

    @property
    def links(self) -> tuple[exp.Expr, ...]:
        """What the rows are found by, on their own side."""
        return tuple(own for _, own in self._links)

    # --- the SELECT

    def where(self, condition: exp.Expr) -> None:
        """Keep only the rows that meet a condition."""
        self._where.append(condition)

    def select(self, shown: Sequence[exp.Expr]) -> exp.Select:
        """The SELECT of these expressions, which were made from its columns."""
        from sqlglot import exp

        query = exp.select(*shown, copy=False)
        for table in self._tables:
            relation = self._relation(table)
            if table.kind == "from":
                query.set("from_", exp.From(this=relation))
            elif table.kind == "cross":
                query.append("joins", exp.Join(this=relation, kind="CROSS"))
            else:
                side = {"side": "LEFT"} if table.kind == "left" else {"kind": "INNER"}
                query.append("joins", exp.Join(this=relation, on=both(table.on), **side))
        if self._where:
            query.set("where", exp.Where(this=both(self._where)))
        return query

    def _relation(self, table: _JoinedTable) -> exp.Expr:
        from sqlglot import exp

        alias = exp.TableAlias(this=exp.to_identifier(table.alias, quoted=True))
        if table.thing is None:
            return exp.Table(this=exp.to_identifier(table.name, quoted=True), alias=alias)
        writer, entity = self._writer, table.thing.catalog
        names = list(table.fields) or list(entity.fields)[:1]
        rows = scoped_rows(entity, names, writer.model.catalog, writer.source, writer.parameters)
        return exp.Subquery(this=rows, alias=alias)


def present_value(value: exp.Expr) -> exp.Expr:
    """Whether a value is there."""
    from sqlglot import exp

    return exp.Not(this=is_missing(value))


def is_missing(value: exp.Expr) -> exp.Expr:
    """Whether a value is not there."""
    from sqlglot import exp

    return exp.Is(this=value.copy(), expression=exp.Null())
