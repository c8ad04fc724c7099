"""The three table tools without a validator, for evaluation only: what a developer would write first.

The call becomes a query as it stands, and what the engine says of it goes to the model as it is. Read-only, the scope and
the row limit stay: an evaluation may be wrong, but it must not leak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from veracity.answer.results import Result
from veracity.errors import QueryFailed
from veracity.ontology.descriptor import ToolCall
from veracity.ontology.schema import Schema
from veracity.query.as_sql import result_name
from veracity.query.catalog import Catalog, CatalogEntity
from veracity.query.compile import Parameters, scoped_rows
from veracity.query.model import TOOLS, Call, Filter, read_call
from veracity.query.profile import Key
from veracity.sources.source import Column, ColumnType, Source, Statement, fetch
from veracity.tools.tables import TableTools
from veracity.tools.toolset import Kind
from veracity.trace import Cell, TableData, ToolResult, clip

if TYPE_CHECKING:
    from sqlglot import exp

_LONGEST_ERROR = 400
_COMPARED = {"=": "EQ", "!=": "NEQ", "<": "LT", "<=": "LTE", ">": "GT", ">=": "GTE", "LIKE": "Like"}


class UncheckedTables:
    """`TableTools` whose calls are not looked at before they run."""

    kind: Kind = "table"
    names = TOOLS
    opening: tuple[ToolCall, ...] = ()

    def __init__(self, tables: TableTools) -> None:
        self._tables = tables

    @property
    def source(self) -> Source:
        """Where the rows are."""
        return self._tables.source

    @property
    def catalog(self) -> Catalog:
        """What can be seen of the source."""
        return self._tables.catalog

    def schemas(self) -> list[Schema]:
        """The same tools as with a validator."""
        return self._tables.schemas()

    def spoken(self, call: ToolCall) -> ToolCall:
        """These tools take structured calls as they are."""
        return call

    def result(self, data: TableData, tool: str, arguments: Any) -> Result:
        """The rows of a successful call."""
        return self._tables.result(data, tool, arguments)

    async def stored_values(self) -> Mapping[Key, frozenset[str]]:
        """What people may name in a question."""
        return await self._tables.stored_values()

    def close(self) -> None:
        """Release the source."""
        self._tables.close()

    async def call(self, tool: str, arguments: Any) -> ToolResult:
        """Run one call as it stands."""
        call = read_call(tool, arguments)
        if call.problem is not None:
            return ToolResult.failed(call.problem.hint)
        entity = self.catalog.entities.get(call.table)
        if entity is None:
            return ToolResult.failed(f"Catalog Error: Table with name {clip(call.table, 80)} does not exist!")
        limit = min(call.limit or self._tables.row_limit, self._tables.row_limit)
        statement = _statement(call, entity, self.catalog, self.source, limit)
        try:
            rows = await fetch(self.source, statement)
        except QueryFailed as failure:
            return ToolResult.failed(clip(" ".join(str(failure.__cause__ or failure).split()), _LONGEST_ERROR))
        shown, more = rows[:limit], len(rows) > limit
        return ToolResult(
            success=True, data=self._tables.numbered(call.table, statement.columns, shown, truncated=more)
        )


def _statement(call: Call, entity: CatalogEntity, catalog: Catalog, source: Source, limit: int) -> Statement:
    from sqlglot import exp

    parameters = Parameters(source.dialect)
    inner = scoped_rows(entity, list(entity.fields), catalog, source, parameters)
    query = exp.select().from_(exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("t"))), copy=False)
    for condition in call.filters:
        query = query.where(_condition(condition, parameters), copy=False)
    columns = list(_columns(call, entity))
    for column in columns[: len(columns) - (call.aggregate is not None)]:
        query = query.select(_name(column.name), copy=False)
    if call.aggregate is not None:
        query = query.select(exp.alias_(_aggregate(call), columns[-1].name, quoted=True), copy=False)
        query = query.group_by(*map(_name, call.group_by), copy=False) if call.group_by else query
    for order in call.order_by:
        query = query.order_by(exp.Ordered(this=_name(order.field), desc=order.descending), copy=False)
    sql = query.limit(limit + 1, copy=False).sql(dialect=source.dialect, copy=False)
    return Statement(sql, parameters.values, tuple(columns), limit + 1)


def _columns(call: Call, entity: CatalogEntity) -> Iterator[Column]:
    """The columns of the result; a name that there is not is left for the engine to complain about."""
    names: Sequence[str] = call.group_by if call.aggregate is not None else call.fields or tuple(entity.fields)
    for name in names:
        known = entity.fields.get(name)
        yield known.column if known else Column(name, ColumnType.OTHER)
    if call.aggregate is not None:
        target = entity.fields.get(call.target or "")
        yield Column(result_name(call), _kind(call, target.column if target else None))


def _kind(call: Call, target: Column | None) -> ColumnType:
    if call.aggregate in ("COUNT", "COUNT_DISTINCT"):
        return ColumnType.INTEGER
    return ColumnType.FLOAT if call.aggregate == "AVG" else target.type if target else ColumnType.OTHER


def _name(name: str) -> exp.Expr:
    from sqlglot import exp

    return exp.column(name, quoted=True)


def _aggregate(call: Call) -> exp.Expr:
    from sqlglot import exp

    of = _name(call.target) if call.target else exp.Star()
    if call.aggregate == "COUNT_DISTINCT":
        return exp.Count(this=exp.Distinct(expressions=[of]))
    kind: type[exp.Func] = getattr(exp, (call.aggregate or "COUNT").capitalize())
    return kind(this=of)


def _condition(condition: Filter, parameters: Parameters) -> exp.Expr:
    from sqlglot import exp

    value, column = condition.value, _name(condition.field)
    several = (list(value) if isinstance(value, list | tuple) else [value]) or [None]
    if condition.op in ("IS_NULL", "IS_NOT_NULL"):
        missing = exp.Is(this=column, expression=exp.Null())
        return missing if condition.op == "IS_NULL" else exp.Not(this=missing)
    if condition.op == "IN":
        return exp.In(this=column, expressions=[parameters.add(_plain(one)) for one in several])
    if condition.op == "BETWEEN":
        low, high = several[0], several[-1]
        return exp.Between(this=column, low=parameters.add(_plain(low)), high=parameters.add(_plain(high)))
    kind: type[exp.Binary] = getattr(exp, _COMPARED[condition.op])
    return kind(this=column, expression=parameters.add(_plain(value)))


def _plain(value: Any) -> Cell:
    """A literal as the engine's driver takes it."""
    return value if isinstance(value, Cell) else str(value)
