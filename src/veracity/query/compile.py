"""A valid call -> one scoped statement. Names come from the catalog, literals are bind parameters, on every engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from typing import TYPE_CHECKING, Any

from veracity.contracts import Cell
from veracity.errors import UsageError
from veracity.query.as_sql import result_name
from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts
from veracity.query.model import Call, Filter
from veracity.query.validator import bound_values
from veracity.query.values import Misfit, bind
from veracity.query.views import View, base_tables, parse_select, qualify_tables
from veracity.sources.source import NUMERIC, Column, ColumnType, Dialect, Row, Scope, Source, Statement, TableSchema

if TYPE_CHECKING:
    from sqlglot import exp

_COMPARISONS = {"=": "EQ", "!=": "NEQ", "<": "LT", "<=": "LTE", ">": "GT", ">=": "GTE"}
_SIGNIFICANT = 40
_AVERAGE_DIGITS = 6
"""An average is rounded to so many decimals more than its column has."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A statement, and the columns a reader sees of it."""

    statement: Statement
    columns: tuple[Column, ...]
    limit: int
    average: bool = False
    """The last two columns are a sum and a count, whose quotient is what was asked for."""

    def finish(self, rows: Sequence[Row]) -> tuple[list[Row], bool]:
        """The rows a reader sees, and whether more matched."""
        shown = list(rows[: self.limit])
        if self.average:
            shown = [(*row[:-2], quotient(row[-2], row[-1], self.columns[-1].scale)) for row in shown]
        return shown, len(rows) > self.limit


def quotient(total: Cell, count: Cell, scale: int | None) -> Decimal | None:
    if total is None or not count:
        return None
    amount = Decimal(str(total))
    if not amount.is_finite():
        return amount
    # Enough digits for the whole amount; a column without a scale keeps that many significant ones.
    with localcontext(prec=max(_SIGNIFICANT, amount.adjusted() + _SIGNIFICANT)):
        mean = amount / Decimal(str(count))
        return mean if scale is None else mean.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_EVEN)


@dataclass(slots=True)
class Parameters:
    """The bound values of a statement, numbered as they are met."""

    dialect: Dialect
    values: list[Any] = field(default_factory=list)

    def add(self, value: Any) -> exp.Expr:
        from sqlglot import exp

        self.values.append(value)
        number = len(self.values)
        if self.dialect == "sqlite":
            return exp.Placeholder(this=f"p{number}")
        return exp.Parameter(this=exp.Literal.number(number))


_CUT, _CUT_END = "\0", "\1"


class _CutParameters(Parameters):
    """Marks the places of bound values in a text, which get their numbers later."""

    def add(self, value: Any) -> exp.Expr:
        from sqlglot import exp

        self.values.append(value)
        return exp.Var(this=f"{_CUT}{len(self.values) - 1}{_CUT_END}")


def compile_call(
    call: Call, catalog: Catalog, source: Source, *, row_limit: int, unless: exp.Expr | None = None
) -> Compiled:
    """The statement for a call that the validator accepted; `unless` leaves out the rows that meet a condition."""
    from sqlglot import exp

    entity = catalog.entities[call.table]
    parameters = Parameters(source.dialect)
    query = _from(entity, catalog.scope, source, parameters)
    for condition in call.filters:
        query = query.where(_condition(entity.fields[condition.field], condition, parameters), copy=False)
    if unless is not None:
        true = exp.Is(this=exp.Paren(this=unless.copy()), expression=exp.Boolean(this=True))
        query = query.where(exp.Not(this=true), copy=False)
    limit = min(call.limit or row_limit, row_limit)
    if call.aggregate is not None:
        return _compile_aggregate(call, entity, query, parameters, limit)
    facts = [entity.fields[name] for name in call.fields] or list(entity.fields.values())
    query = query.select(*(_selected(f.column) for f in facts), copy=False)
    for order in call.order_by:
        query = query.order_by(
            _ordered(_value(entity.fields[order.field].column), descending=order.descending), copy=False
        )
    columns = tuple(f.column for f in facts)
    return Compiled(_statement(query, parameters, columns, limit), columns, limit)


def compile_distinct(entity: CatalogEntity, name: str, catalog: Catalog, source: Source, *, most: int) -> Statement:
    """The statement for the different values of a field, NULL among them, one more than `most` at the most."""
    parameters = Parameters(source.dialect)
    column = entity.fields[name].column
    query = _from(entity, catalog.scope, source, parameters).select(_selected(column), copy=False).distinct(copy=False)
    return _statement(query, parameters, (column,), most)


def compile_duplicates(entity: CatalogEntity, catalog: Catalog, source: Source) -> tuple[Statement, Statement]:
    """How many values of an entity's grain stand in several rows, and one of them with its number of rows."""
    from sqlglot import exp

    count, example = Parameters(source.dialect), Parameters(source.dialect)
    columns = [entity.fields[name].column for name in entity.grain]
    number = Column("rows", ColumnType.INTEGER)

    def repeated(parameters: Parameters) -> exp.Select:
        query = _from(entity, catalog.scope, source, parameters).select(*map(_selected, columns), copy=False)
        query = query.select(exp.alias_(exp.Count(this=exp.Star()), "rows", quoted=True), copy=False)
        query = query.group_by(*map(_value, columns), copy=False)
        return query.having(exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(1)), copy=False)

    groups = exp.select(exp.Count(this=exp.Star())).from_(_subquery(repeated(count)), copy=False)
    return _statement(groups, count, (number,), 1), _statement(repeated(example), example, (*columns, number), 1)


def compile_profile(
    entity: CatalogEntity, names: Sequence[str], catalog: Catalog, source: Source, *, rows: int, exact: bool
) -> Statement:
    """The number of the first `rows` rows, and of each field there how many are filled and how many differ."""
    from sqlglot import exp

    parameters = Parameters(source.dialect)
    columns = [entity.fields[name].column for name in names]
    values = [exp.alias_(_value(column), f"c{number}", quoted=True) for number, column in enumerate(columns)]
    first = _from(entity, catalog.scope, source, parameters).select(*values, copy=False).limit(rows, copy=False)
    figures: list[exp.Expr] = [exp.Count(this=exp.Star())]
    for number in range(len(columns)):
        value = exp.column(f"c{number}", quoted=True)
        figures.append(exp.Count(this=value.copy()))
        figures.append(exp.Count(this=exp.Distinct(expressions=[value])) if exact else exp.ApproxDistinct(this=value))
    query = exp.select(*(exp.alias_(figure, f"n{number}", quoted=True) for number, figure in enumerate(figures)))
    shown = tuple(Column(f"n{number}", ColumnType.INTEGER) for number in range(len(figures)))
    return _statement(query.from_(_subquery(first), copy=False), parameters, shown, 1)


def _statement(query: exp.Select, parameters: Parameters, columns: tuple[Column, ...], limit: int) -> Statement:
    sql = query.limit(limit + 1, copy=False).sql(dialect=parameters.dialect, copy=False)
    return Statement(sql, parameters.values, columns, limit + 1)


# --- from, with the scope


def _from(entity: CatalogEntity, scope: Scope, source: Source, parameters: Parameters) -> exp.Select:
    from sqlglot import exp

    if entity.view is not None:
        return exp.select().from_(_subquery(_scoped_view(entity.view, scope, source, parameters)), copy=False)
    assert entity.table is not None
    query = exp.select().from_(_table(entity.table), copy=False)
    for predicate in _scope_predicates(entity.table, scope, parameters):
        query = query.where(predicate, copy=False)
    return query


def compile_scoped(sql: str, catalog: Catalog, source: Source, *, limit: int) -> Statement:
    """A SELECT of somebody who may write one, over the rows in scope only; raises `OntologyError` if it is none."""
    if not catalog.scope.values:
        return Statement(sql, (), source.describe(sql), limit)
    select = parse_select("the query", sql)
    qualify_tables("the query", select, source, catalog.scope)
    parameters = Parameters(source.dialect)
    scoped = _scoped(select, catalog.scope, source, parameters).sql(dialect=source.dialect)
    # A scope only leaves rows out: the columns are those of the SELECT as it stands.
    return Statement(scoped, parameters.values, source.describe(select.sql(dialect=source.dialect)), limit)


def scoped_rows(
    entity: CatalogEntity,
    names: Sequence[str],
    catalog: Catalog,
    source: Source,
    parameters: Parameters,
    *,
    as_stored: bool = False,
) -> exp.Select:
    """A SELECT of some fields of an entity, of its rows in scope: each read as a value of its type, or as it is stored."""
    from sqlglot import exp

    query = _from(entity, catalog.scope, source, parameters)
    for name in names:
        column = entity.fields[name].column
        shown = exp.column(column.name, quoted=True) if as_stored else _value(column)
        query = query.select(exp.alias_(shown, name, quoted=True), copy=False)
    return query


def _subquery(select: exp.Expr) -> exp.Subquery:
    from sqlglot import exp

    return exp.Subquery(this=select, alias=exp.TableAlias(this=exp.to_identifier("v", quoted=True)))


def _scoped_view(view: View, scope: Scope, source: Source, parameters: Parameters) -> exp.Expr:
    """The rows of a view in scope as the engine's text, which is written once and not anew for every statement."""
    from sqlglot import exp

    key = tuple(scope.values.items())
    if key not in view.texts:
        cut = _CutParameters(source.dialect)
        text = _scoped(view.select, scope, source, cut).sql(dialect=source.dialect)
        first, *rest = text.split(_CUT)
        pairs = [one.split(_CUT_END, 1) for one in rest]
        values = tuple(cut.values[int(number)] for number, _ in pairs)
        view.texts[key] = ((first, *(text for _, text in pairs)), values)
    (first, *rest), values = view.texts[key]
    bound = (parameters.add(value).sql(dialect=source.dialect) for value in values)
    return exp.Var(this=first + "".join(one + text for one, text in zip(bound, rest, strict=True)))


def _scoped(select: exp.Query, scope: Scope, source: Source, parameters: Parameters) -> exp.Query:
    """A copy of the SELECT in which every base table is replaced by its rows in scope."""
    from sqlglot import exp

    copy = select.copy()
    for table, schema in base_tables(copy, source):
        inner = exp.select("*").from_(_table(schema), copy=False)
        for predicate in _scope_predicates(schema, scope, parameters):
            inner = inner.where(predicate, copy=False)
        alias = exp.TableAlias(this=exp.to_identifier(table.alias_or_name, quoted=True))
        table.replace(exp.Subquery(this=inner, alias=alias))
    return copy


def _table(schema: TableSchema) -> exp.Table:
    from sqlglot import exp

    *path, name = schema.path or (schema.name,)
    return exp.table_(name, db=path[0] if path else None, quoted=True)


def _scope_predicates(schema: TableSchema, scope: Scope, parameters: Parameters) -> list[exp.Expr]:
    from sqlglot import exp

    return [
        exp.EQ(this=_value(schema.columns[name]), expression=parameters.add(_scope_value(schema.columns[name], value)))
        for name, value in scope.values.items()
    ]


def check_scope_values(source: Source, scope: Scope) -> None:
    """Refuse a scope value that does not fit its column, before anything is asked."""
    for table in source.tables.values():
        for name, value in scope.values.items():
            if name in table.columns:
                _scope_value(table.columns[name], value)


def _scope_value(column: Column, text: str) -> Any:
    """A scope value, which is always written as text, in its column's type."""
    value: Any = text
    if column.type in (ColumnType.INTEGER, ColumnType.DECIMAL) and re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        value = int(text)
    try:
        return bind(FieldFacts(column), value)
    except Misfit as misfit:
        raise UsageError(f"The scope {column.name}={text} does not fit its column: {misfit.hint}") from None


# --- columns and conditions


def _value(column: Column) -> exp.Expr:
    """The column as a value of its type, to compare, sort and compute with."""
    from sqlglot import exp

    plain = exp.column(column.name, quoted=True)
    if column.reader:
        return exp.Anonymous(this=column.reader, expressions=[plain])
    return exp.cast(plain, column.cast) if column.cast else plain


def _stored(column: Column) -> exp.Expr:
    """The column as it is stored: what cannot be read as its type is still there to be seen."""
    from sqlglot import exp

    return exp.column(column.name, quoted=True) if column.reader else _value(column)


def _selected(column: Column) -> exp.Expr:
    from sqlglot import exp

    return exp.alias_(_stored(column), column.name, quoted=True) if column.cast else _stored(column)


def _ordered(value: exp.Expr, *, descending: bool) -> exp.Expr:
    from sqlglot import exp

    return exp.Ordered(this=value, desc=descending, nulls_first=False)


def _condition(facts: FieldFacts, condition: Filter, parameters: Parameters) -> exp.Expr:
    from sqlglot import exp

    value = _value(facts.column)
    if condition.op in ("IS_NULL", "IS_NOT_NULL"):
        missing = exp.Is(this=_stored(facts.column), expression=exp.Null())
        return missing if condition.op == "IS_NULL" else exp.Not(this=missing)
    bound = [parameters.add(literal) for literal in bound_values(facts, condition)]
    return compared(value, facts.column, condition.op, bound, parameters.dialect)


def compared(value: exp.Expr, column: Column, op: str, bound: Sequence[exp.Expr], dialect: Dialect) -> exp.Expr:
    """A value of a column, compared with bound values by an operator that takes some."""
    from sqlglot import exp

    if op == "IN":
        return exp.In(this=value, expressions=list(bound))
    if op == "BETWEEN":
        return exp.Between(this=value, low=bound[0], high=bound[1])
    if op == "LIKE":
        like = exp.Like(this=value, expression=bound[0])
        # PostgreSQL alone reads a backslash as an escape; without one a pattern means the same everywhere.
        return exp.Escape(this=like, expression=exp.Literal.string("")) if dialect == "postgres" else like
    comparison: type[exp.Binary] = getattr(exp, _COMPARISONS[op])
    told = comparison(this=value, expression=bound[0])
    if dialect == "sqlite" and column.type in NUMERIC and op in (">", ">=", "!="):
        # SQLite keeps texts in number columns, and there every text is greater than every number. What is no number is
        # neither true nor false, so that a negation does not bring it back.
        kind = exp.Anonymous(this="TYPEOF", expressions=[value.copy()])
        is_number = exp.In(this=kind, expressions=[exp.Literal.string("integer"), exp.Literal.string("real")])
        return exp.and_(told, exp.or_(is_number, exp.Null()))
    return told


# --- aggregates


def _compile_aggregate(
    call: Call, entity: CatalogEntity, query: exp.Select, parameters: Parameters, limit: int
) -> Compiled:
    from sqlglot import exp

    target = entity.fields[call.target].column if call.target else None
    group = [entity.fields[name].column for name in call.group_by]
    result = _result_column(call, target)
    average = call.aggregate == "AVG" and result.type is ColumnType.DECIMAL
    figure = _figure(call.aggregate or "", target, parameters.dialect)
    figures = [_sum(target, parameters.dialect), exp.Count(this=_value(target))] if average and target else [figure]
    query = query.select(*(_selected(column) for column in group), copy=False)
    names = [result.name] if len(figures) == 1 else [result.name, f"{result.name}_n"]
    query = query.select(*(exp.alias_(f, n, quoted=True) for f, n in zip(figures, names, strict=True)), copy=False)
    if group:
        query = query.group_by(*(_stored(column) for column in group), copy=False)
        keys = [_ordered(_value(column), descending=False) for column in group]
        # With a limit the largest groups are wanted; without one, all of them, in their own order.
        order = [_ordered(_sortable(figure, parameters.dialect), descending=True), *keys] if call.limit else keys
        query = query.order_by(*order, copy=False)
    raw = replace(result, scale=target.scale if target else None) if average else result
    fetched = (*group, raw, Column("n", ColumnType.INTEGER)) if average else (*group, result)
    return Compiled(_statement(query, parameters, fetched, limit), (*group, result), limit, average)


def _figure(aggregate: str, target: Column | None, dialect: Dialect) -> exp.Expr:
    from sqlglot import exp

    if target is None:
        return exp.Count(this=exp.Star())
    value = _value(target)
    match aggregate:
        case "SUM":
            return _sum(target, dialect)
        case "AVG":
            return exp.Avg(this=value)
        case "MIN":
            return exp.Min(this=value)
        case "MAX":
            return exp.Max(this=value)
        case "COUNT_DISTINCT":
            return exp.Count(this=exp.Distinct(expressions=[value]))
        case _:
            return exp.Count(this=value)


def _sum(target: Column, dialect: Dialect) -> exp.Expr:
    from sqlglot import exp

    if dialect == "sqlite" and target.type is not ColumnType.FLOAT:
        return exp.Anonymous(this="EXACT_SUM", expressions=[_value(target)])
    return exp.Sum(this=_value(target))


def _sortable(figure: exp.Expr, dialect: Dialect) -> exp.Expr:
    from sqlglot import exp

    # SQLite's exact sums are texts, and texts would be sorted letter by letter.
    exact = dialect == "sqlite" and isinstance(figure, exp.Anonymous)
    return exp.cast(figure.copy(), "REAL") if exact else figure.copy()


def _result_column(call: Call, target: Column | None) -> Column:
    name = result_name(call)
    if target is None or call.aggregate in ("COUNT", "COUNT_DISTINCT"):
        return Column(name, ColumnType.INTEGER)
    if call.aggregate == "AVG" and target.type is not ColumnType.FLOAT:
        unscaled = target.type is ColumnType.DECIMAL and target.scale is None
        return Column(name, ColumnType.DECIMAL, scale=None if unscaled else (target.scale or 0) + _AVERAGE_DIGITS)
    return Column(name, target.type, scale=target.scale)
