"""Declared views: parsed once, every base table scoped, translated for the engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from veracity.errors import OntologyError
from veracity.language.nearest import did_you_mean
from veracity.sources.source import Column, ColumnType, Dialect, Scope, Source, TableSchema

if TYPE_CHECKING:
    from sqlglot import exp

_CASTS = {
    "INT": ColumnType.INTEGER,
    "BIGINT": ColumnType.INTEGER,
    "SMALLINT": ColumnType.INTEGER,
    "DOUBLE": ColumnType.FLOAT,
    "FLOAT": ColumnType.FLOAT,
    "VARCHAR": ColumnType.TEXT,
    "TEXT": ColumnType.TEXT,
    "BOOLEAN": ColumnType.BOOLEAN,
    "DATE": ColumnType.DATE,
    "TIMESTAMP": ColumnType.TIMESTAMP,
}

_NOT_CARRIED = ("joins", "pivots", "sample", "laterals", "version", "when", "only", "ordinality", "rows_from")
"""What would be lost when a table is replaced by its rows in scope."""
_BASE = "base"
"""Where a table of a parsed SELECT keeps its name in the source."""


@dataclass(frozen=True, slots=True)
class View:
    """A declared SELECT over tables of the source."""

    select: exp.Query
    columns: tuple[Column, ...]
    origins: Mapping[str, Origin]
    """Where its plain columns come from; computed ones have no origin."""
    joins: bool
    """Whether it reads more than one table, so that rows may repeat."""
    texts: dict[tuple[tuple[str, str], ...], tuple[tuple[str, ...], tuple[Any, ...]]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """Its text within a scope, cut where values are bound, and these values: the same for every statement that reads it."""

    def may_repeat(self, name: str, grain: Collection[str]) -> bool:
        """Whether a column's values may stand in several rows: its table is not the one the view's grain is taken from."""
        origin = self.origins.get(name)
        if not self.joins or origin is None:
            return False
        keys = [self.origins.get(key) for key in grain]
        return not keys or any(key is None or key.alias != origin.alias for key in keys)


@dataclass(frozen=True, slots=True)
class Origin:
    """The base table and column of a view's column."""

    alias: str
    table: str
    column: Column


def parse_view(name: str, sql: str, source: Source, scope: Scope) -> View:
    """The view over this source; raises `OntologyError` when it is not one SELECT over known, scopable tables.

    The latest are remembered, because agents are opened again and again over the same tables.
    """
    key = (source.name, source.dialect, tuple(scope.values.items()), name, sql)
    tables, view = _latest.get(key, (None, None))
    if view is None or tables != source.tables:
        view = _parsed_view(name, sql, source, scope)
        if len(_latest) >= _MOST_LATEST:
            _latest.clear()
        _latest[key] = (source.tables, view)
    return view


_MOST_LATEST = 64
_latest: dict[tuple[str, Dialect, tuple[tuple[str, str], ...], str, str], tuple[Mapping[str, TableSchema], View]] = {}
"""Views, with all tables of the source that they were parsed for."""


def _parsed_view(name: str, sql: str, source: Source, scope: Scope) -> View:
    select = parse_select(name, sql)
    qualify_tables(name, select, source, scope)
    _check_columns(name, select, source)
    described = source.describe(_described_sql(select, source))
    origins = {c.name: origin for c in described if (origin := _origin(select, c.name, source))}
    columns = tuple(_typed(select, column, origins.get(column.name)) for column in described)
    return View(select, columns, origins, joins=len(base_tables(select, source)) > 1)


def parse_select(name: str, sql: str) -> exp.Query:
    """One SELECT in DuckDB's SQL."""
    import sqlglot
    from sqlglot import exp

    try:
        statements = sqlglot.parse(sql, read="duckdb")
    except sqlglot.errors.SqlglotError:
        raise OntologyError(f"the SQL of {name} cannot be parsed; write one SELECT in DuckDB's SQL") from None
    except RecursionError:
        raise OntologyError(f"the SQL of {name} is nested too deeply") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise OntologyError(f"the SQL of {name} is not one SELECT")
    return statements[0]


def parse_condition(name: str, sql: str, fields: Collection[str]) -> exp.Expr:
    """A condition over the fields of one entity."""
    import sqlglot
    from sqlglot import exp

    try:
        condition = sqlglot.parse_one(sql, read="duckdb")
    except (sqlglot.errors.SqlglotError, RecursionError):
        raise OntologyError(f"{name} cannot be parsed; write one SQL condition.") from None
    if condition.find(exp.Query, exp.Table):
        raise OntologyError(f"{name} reads other tables; write it as a SELECT under `violations`.")
    for column in condition.find_all(exp.Column):
        if column.name not in fields:
            near = did_you_mean(column.name, fields)
            raise OntologyError(f"{name} names the field {column.name}, which is not there{near}")
    for identifier in condition.find_all(exp.Identifier):
        identifier.set("quoted", True)
    return condition


def qualify_tables(name: str, select: exp.Query, source: Source, scope: Scope) -> None:
    """Mark every base table of the SELECT with its name in the source; refuse one that is unknown or cannot be scoped."""
    from sqlglot import exp
    from sqlglot.optimizer.scope import traverse_scope

    own = {
        id(table)
        for part in traverse_scope(select)
        for table in part.tables
        if table.name in part.cte_sources and not table.db and not table.catalog
    }
    for table in list(select.find_all(exp.Table)):
        if id(table) not in own:
            _mark(name, table, source, scope)
    for identifier in select.find_all(exp.Identifier):
        identifier.set("quoted", True)


def _mark(name: str, table: exp.Table, source: Source, scope: Scope) -> None:
    from sqlglot import exp

    written = ".".join(part for part in (table.catalog, table.db, table.name) if part)
    path = tuple(written.split("."))
    known = source.tables.get(written) or next(
        (t for t in source.tables.values() if len(path) > 1 and t.path == path), None
    )
    if known is None or not isinstance(table.this, exp.Identifier):
        near = did_you_mean(written, source.tables)
        raise OntologyError(f"{name} reads the table {written or '?'}, which the source does not have{near}")
    if lacking := [key for key in scope.values if key not in known.columns]:
        raise OntologyError(f"{name} reads the table {written}, which has no scope column {lacking[0]}")
    alias = table.args.get("alias")
    if any(table.args.get(part) for part in _NOT_CARRIED) or (alias and alias.columns):
        raise OntologyError(
            f"{name} reads {written} in a form that cannot be scoped; write it as a plain table or join"
        )
    table.meta[_BASE] = known.name
    if not table.alias:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))


def base_tables(select: exp.Query, source: Source) -> list[tuple[exp.Table, TableSchema]]:
    """The base tables of a SELECT that was qualified, wherever they stand in it; its own WITH names are none."""
    from sqlglot import exp

    return [(table, source.tables[table.meta[_BASE]]) for table in select.find_all(exp.Table) if _BASE in table.meta]


def _check_columns(name: str, select: exp.Query, source: Source) -> None:
    """Refuse a column that no table of the SELECT has. SQLite would not: it takes the quoted name for a text."""
    from sqlglot import exp

    if source.dialect != "sqlite":
        return
    known = {column for _, table in base_tables(select, source) for column in table.columns}
    known |= {one.alias for one in select.find_all(exp.Alias)} | {"rowid", "oid", "_rowid_"}
    known |= {column.name for one in select.find_all(exp.TableAlias) for column in one.columns}
    folded = {one.casefold() for one in known}
    for column in select.find_all(exp.Column):
        if isinstance(column.this, exp.Identifier) and not column.table and column.name.casefold() not in folded:
            near = did_you_mean(column.name, known)
            raise OntologyError(f"{name} reads the column {column.name}, which none of its tables has{near}")


def _described_sql(select: exp.Query, source: Source) -> str:
    from sqlglot import ErrorLevel, UnsupportedError, exp

    copy = select.copy()
    for table, schema in base_tables(copy, source):
        if len(schema.path) > 1:
            table.set("db", exp.to_identifier(schema.path[0], quoted=True))
    try:
        return copy.sql(dialect=source.dialect, unsupported_level=ErrorLevel.RAISE)
    except UnsupportedError:
        raise OntologyError(f"its SQL cannot be translated for {source.dialect}; write it more simply") from None


def _projection(select: exp.Query, name: str) -> exp.Expr | None:
    """The expression behind a column of the SELECT; None where its parts may differ (UNION) or it has none."""
    from sqlglot import exp

    if isinstance(select, exp.SetOperation):
        return None
    found = next((p for p in select.selects if p.alias_or_name == name), None)
    if found is None and any(p.is_star for p in select.selects):
        return exp.column(name)
    return found.unalias() if found is not None else None


def _origin(select: exp.Query, name: str, source: Source) -> Origin | None:
    """The base table that a plain column is taken from, directly and not through a subquery."""
    from sqlglot import exp

    inner = _projection(select, name)
    if not isinstance(inner, exp.Column):
        return None
    for table, schema in base_tables(select, source):
        direct = table.find_ancestor(exp.Query) is select
        if direct and inner.table in ("", table.alias_or_name) and inner.name in schema.columns:
            return Origin(table.alias_or_name, schema.name, schema.columns[inner.name])
    return None


def _typed(select: exp.Query, described: Column, origin: Origin | None) -> Column:
    """A plain column of a base table keeps that table's type: engines forget decimals and text casts in a SELECT."""
    from sqlglot import exp

    if origin is not None:
        return replace(origin.column, name=described.name, nullable=True)
    inner = _projection(select, described.name)
    if isinstance(inner, exp.Cast) and inner.to.this.name in _CASTS:
        return Column(described.name, _CASTS[inner.to.this.name])
    return described
