"""A checked semantic query -> one SELECT over the rows in scope. Names come from the model, literals are bind parameters.

Each figure is aggregated over the rows of its own entity in a query of its own (`groups.py`), so that no join can multiply
it. What is looked up stands over to-one relations; a condition beyond a to-many relation is about a row that exists there
(`predicates.py`). Queries within queries stand in the WITH, each once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from veracity.contracts import Cell, ValidationErrorCode
from veracity.query.compile import Parameters
from veracity.semantic.checking.names import Refused, split_field
from veracity.semantic.checking.plan import (
    Figure,
    PlainFigure,
    RatioFigure,
    RowsFigure,
    adds_up,
    figure_of,
    figures_in,
    is_against_other,
)
from veracity.semantic.graph import SemanticModel, Way, names_of
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    FigureComparison,
    Negation,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
    parts_of,
)
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.result import ColumnPart, SemanticColumn
from veracity.semantic.sql.columns import PERCENT, AnswerColumn, Naming, RowFigure, compared_columns, figure_name
from veracity.semantic.sql.divisions import Division, divisions
from veracity.semantic.sql.figures import FigureTerm, change_between, leaves
from veracity.semantic.sql.group_select import GROUPS, GroupSelect, names_in, over_all
from veracity.semantic.sql.groups import FigureUse, Grouped, Groups, term_of
from veracity.semantic.sql.lists import Lists, QueryBody
from veracity.semantic.sql.predicates import Predicates
from veracity.semantic.sql.row_sets import named, window
from veracity.semantic.sql.rows import EntityKey, RowSelect, Writer, both, column_of, with_table
from veracity.sources.source import Column, ColumnType, Source, Statement

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class CompiledQuery:
    """A statement, and how its cells become the columns of the answer."""

    statement: Statement
    outputs: tuple[AnswerColumn, ...]
    limit: int
    overlapping: bool
    relies_on: tuple[EntityKey, ...] = ()
    """Fields of which no two rows of an entity may share the values."""


def compile_query(query: SemanticQuery, model: SemanticModel, source: Source, *, row_limit: int) -> CompiledQuery:
    """The statement of a query that `check` accepted."""
    return new_compiler(model, source).statement(query, row_limit)


def new_compiler(model: SemanticModel, source: Source) -> QueryCompiler:
    """A compiler for one statement."""
    return QueryCompiler(Writer(model, source, Parameters(source.dialect)))


class QueryCompiler:
    """Compiles one statement; also what conditions and groups ask for queries within."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._predicates = Predicates(writer, self)
        self._groups = Groups(writer, self._predicates, self)
        self._lists = Lists(writer, self._predicates, self._groups, self)
        self._rows_of: dict[SemanticQuery, tuple[str, tuple[str, ...]]] = {}
        self._one_value: dict[SemanticQuery, str] = {}
        self._by_row: dict[SemanticQuery, Grouped] = {}

    @property
    def _model(self) -> SemanticModel:
        return self.writer.model

    # --- the whole statement

    def statement(self, query: SemanticQuery, row_limit: int) -> CompiledQuery:
        from sqlglot import exp

        overlapping = False
        if query.lists:
            body, outputs = self._lists.body(query)
        else:
            body, outputs, overlapping = self._grouped(query)
        shown = [(name, value) for output in outputs for name, value in zip(output.names, output.values, strict=True)]
        select = self._arranged(query, body, shown)
        sql = self.writer.statement(select.limit(row_limit + 1, copy=False))
        columns = tuple(column for output in outputs for column in output.fetched)
        statement = Statement(sql, self.writer.parameters.values, columns, row_limit + 1)
        assert isinstance(select, exp.Select)
        return CompiledQuery(statement, tuple(outputs), row_limit, overlapping, tuple(self.writer.relies_on))

    def _arranged(self, query: SemanticQuery, body: QueryBody, shown: Sequence[tuple[str, exp.Expr]]) -> exp.Select:
        """The rows in their order; ties follow the keys, and what is missing comes last."""
        from sqlglot import exp

        order = [*body.order, *((key, False) for key in body.keys)]
        if query.limit is None:
            select = body.select([exp.alias_(value, name, quoted=True, copy=False) for name, value in shown])
            keys = [_ordered(value.copy(), descending=down) for value, down in order]
            return select.order_by(*keys, copy=False) if keys else select
        own = _free_prefix(name for name, _ in shown)
        hidden = [(f"{own}o{n}", value.copy()) for n, (value, _) in enumerate(order)]
        select, source = self._limited(query, body, [*shown, *hidden], [name for name, _ in shown])
        keys = [_ordered(column_of(source, f"{own}o{n}"), descending=down) for n, (_, down) in enumerate(order)]
        return select.order_by(*keys, copy=False)

    def _limited(
        self, query: SemanticQuery, body: QueryBody, shown: Sequence[tuple[str, exp.Expr]], names: Sequence[str]
    ) -> tuple[exp.Select, str]:
        """Only the first rows in the given order, with all that tie with the last one; and what they are selected from.

        What they are called is looked up for these alone.
        """
        from sqlglot import exp

        assert query.limit is not None
        order = [_ordered(value.copy(), descending=down) for value, down in body.order]
        rank = window("RANK", [one.copy() for one in body.per], order)
        late = {name: value for name, value in shown if names_in([value], body.named)}
        picked = [exp.alias_(value, name, quoted=True, copy=False) for name, value in shown if name not in late]
        own = _free_prefix(name for name, _ in shown)
        picked.append(exp.alias_(rank, f"{own}rank", quoted=True, copy=False))
        picked.append(exp.alias_(body.order[0][0].copy(), f"{own}first", quoted=True, copy=False))
        fields = names_in(list(late.values()), body.named)
        keys = {one: f"{own}x{n}" for n, one in enumerate(o for alias in fields for o in body.named[alias].names)}
        picked += [exp.alias_(column_of(GROUPS, one), key, quoted=True, copy=False) for one, key in keys.items()]
        source = self.writer.cte(body.select(picked), "w")
        rows = RowSelect.of_with(self.writer, source, source)
        for alias, wanted in fields.items():
            dim = body.named[alias]
            held = [(column_of(source, keys[n]), f) for n, f in zip(dim.names, dim.fields, strict=True)]
            rows.look_up(dim.thing, held, alias=alias, fields=wanted)
        rank, value = column_of(source, f"{own}rank"), column_of(source, f"{own}first")
        first, last = exp.Literal.number(query.skip), exp.Literal.number(query.skip + query.limit)
        kept = [exp.GT(this=rank, expression=first), exp.LTE(this=rank.copy(), expression=last)]
        rows.where(both([*kept, _is_there(value)]))
        shown_again = [
            exp.alias_(late.get(name, column_of(source, name)), name, quoted=True, copy=False) for name in names
        ]
        return rows.select(shown_again), source

    # --- figures by dimensions

    def _uses(self, query: SemanticQuery, *, other: bool = False) -> Callable[[Figure], list[FigureUse]]:
        """A figure in its role: with the query's own period and conditions, or with those that it is compared with."""
        period, where, compare = query.period, query.where, query.compare
        if compare is not None and compare.period is not None and other:
            period = compare.period
        if compare is not None and compare.field is not None:
            member = Comparison(field=compare.field, value=compare.members[0 if other else 1])
            thing = split_field(self._model, compare.field)[0]
            ways = self._model.ways(query.of or "", thing.name)
            member = member.model_copy(update={"via": tuple(step.name for step in ways[0]) if ways else ()})
            where = all_of((where, member))
        return lambda figure: [FigureUse(leaf, period, where) for leaf in leaves(figure)]

    def _grouped(self, query: SemanticQuery) -> tuple[QueryBody, list[AnswerColumn], bool]:
        of = query.of or ""
        plain = [one for one in query.show if not one.is_field]
        shown: list[FigureUse] = []
        for one in plain:
            figure = figure_of(one, of, self._model)
            shown += self._uses(query)(figure)
            if query.compare is not None:
                shown += self._uses(query, other=True)(figure)
        hidden: list[FigureUse] = []
        extra = [o.by for o in query.order if not o.by.is_field] + list(figures_in(query.having))
        for one in extra:
            hidden += self._uses(query)(figure_of(one, of, self._model))
            if is_against_other(one, query):
                hidden += self._uses(query, other=True)(figure_of(one, of, self._model))
        for one in (*plain, *extra):
            if one.transform is Transform.SHARE:
                hidden += self._overall(query, one)
        grouped = self._groups.build(query, shown, hidden, spine=not plain)
        return self._from_groups(query, plain, grouped)

    def _overall(self, query: SemanticQuery, one: Shown) -> list[FigureUse]:
        """What a share is a share of: all groups, or the same figure without its own condition."""
        whole = one if query.by else one.model_copy(update={"where": None})
        figure = figure_of(whole, query.of or "", self._model)
        return [replace(use, overall=True) for use in self._uses(query)(figure)]

    def _from_groups(
        self, query: SemanticQuery, plain: Sequence[Shown], grouped: Grouped
    ) -> tuple[QueryBody, list[AnswerColumn], bool]:
        dims = divisions(query.by, self._model)
        joins = GroupSelect(self.writer, grouped)
        naming = Naming()
        outputs = [out for dim in dims for out in self._dimension_columns(dim, naming, joins)]
        for one in plain:
            outputs += self._figure_columns(query, one, grouped, joins, naming=naming, dims=dims)
        keys = [column_of(GROUPS, name) for dim in dims for name in dim.names]
        order = [(self._group_value(query, one.by, grouped, joins, dims), one.descending) for one in query.order]
        per = [column_of(GROUPS, name) for dim in dims if dim.dimension in query.per for name in dim.names]
        if query.having is not None:
            joins.where.append(self._having(query.having, query, grouped, joins, dims))
        if query.limit is not None or query.having is not None:
            # Orders without a store are no store: they cannot be the one with the highest revenue, or above a bound.
            joins.where += [_is_there(column_of(GROUPS, dim.names[0])) for dim in dims if not dim.dimension.apart]
        return QueryBody(joins.select, order, keys, per, joins.named), outputs, grouped.overlapping

    def _dimension_columns(self, dim: Division, naming: Naming, joins: GroupSelect) -> list[AnswerColumn]:
        found, dimension, thing = [], dim.dimension, dim.thing
        for name, field, column in zip(dim.names, dim.fields, dim.columns, strict=True):
            part = ColumnPart.FIELD if dimension.entity is None else ColumnPart.KEY
            part = ColumnPart.PERIOD if dimension.is_dated else part
            named = naming.column(column, field, thing.name)
            shown = SemanticColumn(named, part, dimension=dimension, entity=thing.name, field=field)
            found.append(AnswerColumn.plain(shown, column_of(GROUPS, name)))
        if names := dim.names_beside:
            alias = joins.names_of(dim)
            for field in names:
                named = naming.column(thing.fields[field].column, field, thing.name)
                shown = SemanticColumn(named, ColumnPart.NAME, dimension=dimension, entity=thing.name, field=field)
                found.append(AnswerColumn.plain(shown, column_of(alias, field)))
        return found

    def _term(self, query: SemanticQuery, one: Shown, grouped: Grouped, *, other: bool = False) -> FigureTerm:
        uses = self._uses(query, other=other)
        return term_of(figure_of(one, query.of or "", self._model), lambda leaf: grouped.terms[uses(leaf)[0]])

    def _whole(self, query: SemanticQuery, one: Shown, grouped: Grouped, joins: GroupSelect) -> FigureTerm:
        """The figure over all rows."""
        uses = self._overall(query, one)
        for use in uses:
            joins.overall(grouped.overall[use][0])
        whole = one if query.by else one.model_copy(update={"where": None})
        terms = {use.figure: grouped.overall[use][1] for use in uses}
        return term_of(figure_of(whole, query.of or "", self._model), terms.__getitem__)

    def _figure_columns(
        self,
        query: SemanticQuery,
        one: Shown,
        grouped: Grouped,
        joins: GroupSelect,
        *,
        naming: Naming,
        dims: Sequence[Division],
    ) -> list[AnswerColumn]:
        term = self._term(query, one, grouped)
        column = naming.column(term.column, figure_name(one), "figure")
        unit, beside = self._unit(query, figure_of(one, query.of or "", self._model), dims)
        if one.ratio is not None and one.unit == PERCENT:
            self._same_units(query, one.ratio, dims)
        shown = SemanticColumn(column, ColumnPart.FIGURE, shown=one, unit=unit, unit_column=beside)
        fetched = [(name, kind, column_of(GROUPS, name)) for name, kind in term.columns]
        if query.compare is not None:
            other = self._term(query, one, grouped, other=True)
            fetched += [(name, kind, column_of(GROUPS, name)) for name, kind in other.columns]
            return compared_columns(shown, term, other, fetched, naming)
        if one.transform is Transform.SHARE:
            whole = self._whole(query, one, grouped, joins)
            fetched += [(f"{name}_all", kind, joins.of_overall(name)) for name, kind in whole.columns]
            return [AnswerColumn.share(shown, term, whole, fetched)]
        if one.transform is Transform.RANK:
            rank = window("RANK", [], [_ordered(term.value(GROUPS, self.writer.dialect), descending=True)])
            return [AnswerColumn.rank(shown, column.name, rank)]
        if one.transform is not None:
            return [self._against_before(one, shown, term, dims)]
        return [AnswerColumn.figure(shown, term, fetched, wanted_unit=one.unit)]

    def _against_before(
        self, one: Shown, shown: SemanticColumn, term: FigureTerm, dims: Sequence[Division]
    ) -> AnswerColumn:
        """A running total, or the figure of the group before: along the dates, apart for each of the other dimensions."""
        from sqlglot import exp

        dated = [dim for dim in dims if dim.dimension.is_dated] or list(dims)
        apart = [column_of(GROUPS, name) for dim in dims if dim not in dated for name in dim.names]
        order = [_ordered(column_of(GROUPS, name), descending=False) for dim in dated for name in dim.names]
        columns = term.columns
        fetched = [(name, kind, column_of(GROUPS, name)) for name, kind in columns]
        if one.transform is Transform.RUNNING_TOTAL:
            name, kind = columns[0]
            function = "EXACT_SUM" if term.exact_text else "SUM"
            value = column_of(GROUPS, name)
            running = window(function, apart, order, value)
            return AnswerColumn.figure(shown, replace(term, names=(f"{name}_run",)), [(f"{name}_run", kind, running)])
        before = []
        for name, kind, value in fetched:
            # A group before that has nothing to count had zero; only without such a group there is nothing.
            known = value.copy()
            if name in term.counted:
                known = exp.Coalesce(this=known, expressions=[exp.Literal.number(0)])
            lag = window("LAG", [a.copy() for a in apart], [o.copy() for o in order], known)
            before.append((f"{name}_before", kind, lag))
        percent = one.transform is Transform.CHANGE_PERCENT
        if len(dated) != 1 or not dated[0].dimension.is_dated:
            return AnswerColumn.change(shown, term, [*fetched, *before], percent=percent)
        name, start = dated[0].names[0], column_of(GROUPS, dated[0].names[0])
        lag = window("LAG", [a.copy() for a in apart], [o.copy() for o in order], start.copy())
        starts = [(f"{name}_start", dated[0].columns[0], start), (f"{name}_start_before", dated[0].columns[0], lag)]
        return AnswerColumn.change(
            shown, term, [*fetched, *before, *starts], percent=percent, grain=dated[0].dimension.grain
        )

    def _unit(self, query: SemanticQuery, figure: Figure, dims: Sequence[Division]) -> tuple[str | None, str | None]:
        """The unit of a figure: its own, the one that its rows are pinned to, or the column that says it for each group."""
        if isinstance(figure, RatioFigure) and isinstance(figure.second, PlainFigure) and figure.second.is_count:
            return self._unit(query, figure.first, dims)  # francs per order are francs
        found = leaves(figure)
        leaf = found[0] if len(found) == 1 else None
        if isinstance(leaf, RowsFigure) and not leaf.counts and leaf.rows.show and not leaf.rows.show[0].is_field:
            inner = leaf.rows
            return self._unit(inner, figure_of(inner.show[0], inner.of or "", self._model), dims)
        if not isinstance(leaf, PlainFigure) or leaf.is_count:
            return None, None
        units = {field.declared.unit_field for field in leaf.fields if field.declared and field.declared.unit_field}
        if leaf.unit or len(units) != 1:
            return leaf.unit, None
        name, via = f"{leaf.thing.name}.{units.pop()}", names_of(leaf.way)
        said = [(parts_of(query.where), via), (parts_of(leaf.where), ())]
        for part in (part for parts, way in said for part in parts if getattr(part, "via", None) == way):
            if isinstance(part, Comparison) and part.field == name and part.op == "=" and isinstance(part.value, str):
                return part.value, None
        beside = (dim for dim in dims if (dim.dimension.field, dim.dimension.via) == (name, via))
        return None, next((dim.fields[0] for dim in beside), None)

    def _same_units(self, query: SemanticQuery, ratio: tuple[Shown, Shown], dims: Sequence[Division]) -> None:
        """Percent are of two figures in one unit."""
        units = [self._unit(query, figure_of(part, query.of or "", self._model), dims) for part in ratio]
        if units[0] != units[1]:
            hint = f"{units[0][0] or 'A figure without a unit'} is no part of {units[1][0] or 'one without a unit'}."
            raise Refused(ValidationErrorCode.MIXED_UNITS, "ratio", hint[:120])

    def _group_value(
        self, query: SemanticQuery, one: Shown, grouped: Grouped, joins: GroupSelect, dims: Sequence[Division]
    ) -> exp.Expr:
        from sqlglot import exp

        if one.is_field:
            wanted = Dimension(field=one.field, via=one.via, grain=one.grain)
            dim = next(dim for dim in dims if dim.dimension == wanted)
            return column_of(GROUPS, dim.names[0])
        dialect = self.writer.dialect
        value = self._term(query, one, grouped).value(GROUPS, dialect)
        if is_against_other(one, query):
            before = self._term(query, one, grouped, other=True).value(GROUPS, dialect)
            from_zero = adds_up(figure_of(one, query.of or "", self._model))
            percent = one.transform is Transform.CHANGE_PERCENT
            return change_between(value, before, percent=percent, from_zero=from_zero)
        if one.transform is not Transform.SHARE:
            return value
        whole = self._whole(query, one, grouped, joins)
        total = over_all(whole.value(GROUPS, dialect), joins)
        nothing = exp.Nullif(this=total, expression=exp.Literal.number(0))
        return exp.Div(this=exp.cast(value, "DOUBLE"), expression=nothing, typed=True)

    def _having(
        self, condition: Condition, query: SemanticQuery, grouped: Grouped, joins: GroupSelect, dims: Sequence[Division]
    ) -> exp.Expr:
        from sqlglot import exp

        match condition:
            case AllOf() | AnyOf():
                parts = [self._having(part, query, grouped, joins, dims) for part in condition.conditions]
                together = exp.and_ if isinstance(condition, AllOf) else exp.or_
                return exp.Paren(this=together(*parts, copy=False))
            case Negation():
                return exp.Not(this=exp.Paren(this=self._having(condition.condition, query, grouped, joins, dims)))
        assert isinstance(condition, FigureComparison)
        value = self._group_value(query, condition.show, grouped, joins, dims)
        than = self._group_value(query, condition.than, grouped, joins, dims) if condition.than else None
        return self._predicates.figure_compared(value, condition, than)

    # --- queries within

    def rows_of(self, query: SemanticQuery) -> tuple[str, tuple[str, ...]]:
        """The keys of the rows that a query lists: a name of the WITH and its columns."""
        if query not in self._rows_of:
            body = self._lists.body(query)[0] if query.lists else self._grouped(query)[0]
            shown = [(f"k{n}", key.copy()) for n, key in enumerate(body.keys)]
            self._rows_of[query] = (self._within(query, body, shown), tuple(name for name, _ in shown))
        return self._rows_of[query]

    def _within(self, query: SemanticQuery, body: QueryBody, shown: Sequence[tuple[str, exp.Expr]]) -> str:
        from sqlglot import exp

        if query.limit is None:
            select = body.select([exp.alias_(value, name, quoted=True, copy=False) for name, value in shown])
        else:
            select = self._limited(query, body, shown, [name for name, _ in shown])[0]
        return self.writer.cte(select, "q")

    def one_value(self, query: SemanticQuery) -> exp.Expr:
        """The one value of a query; NULL where there is none or several."""
        from sqlglot import exp

        if query not in self._one_value:
            name, _ = self.values_of(query, ())
            value = named("v")
            one = exp.EQ(this=exp.Count(this=exp.Distinct(expressions=[value])), expression=exp.Literal.number(1))
            only = exp.Case(ifs=[exp.If(this=one, true=exp.Max(this=value.copy()))])
            table = with_table(name)
            select = exp.select(exp.alias_(only, "v", quoted=True, copy=False)).from_(table)
            self._one_value[query] = self.writer.cte(select, "o")
        table = with_table(self._one_value[query])
        return exp.Subquery(this=exp.select(named("v")).from_(table))

    def values_of(self, query: SemanticQuery, divided_by: Sequence[Dimension]) -> tuple[str, Column]:
        """A query as a name of the WITH with the columns of dimensions and a value `v`, and the type of that."""
        from sqlglot import exp

        counted = (Column("v", ColumnType.INTEGER), exp.Literal.number(1))
        if query.lists:
            body, outputs = self._list_with(query, divided_by)
            shown = next((o for o in outputs if o.shown.shown in query.show), None)
            column, value = (shown.shown.column, shown.values[0]) if shown else counted
            names = [name for dim in divisions(divided_by, self._model) for name in dim.names]
            keys = (key.copy() for key in body.keys[len(body.keys) - len(names) :])
            picked = [*zip(names, keys, strict=True), ("v", value.copy())]
            return self._within(query, body, picked), column
        outer = (one.model_copy(update={"complete": False}) for one in divided_by)
        by = tuple(dict.fromkeys((*outer, *query.by)))
        inner = query.model_copy(update={"by": by})
        body, outputs, _ = self._grouped(inner)
        dims = [(name, column_of(GROUPS, name)) for dim in divisions(divided_by, self._model) for name in dim.names]
        figure = next((one for one in outputs if one.term is not None), None)
        column, value = counted
        if figure is not None and figure.term is not None:
            value = figure.term.value(GROUPS, self.writer.dialect)
            exact = figure.term.exact_text or not figure.term.parts
            column = figure.term.column if exact else replace(figure.term.column, type=ColumnType.FLOAT, scale=None)
        return self._within(inner, body, [*dims, ("v", value)]), column

    def _list_with(self, query: SemanticQuery, divided_by: Sequence[Dimension]) -> tuple[QueryBody, list[AnswerColumn]]:
        """A list with the values of dimensions at the end of its keys."""
        listed = query.model_copy(update={"per": (*query.per, *divided_by)})
        body, outputs = self._lists.body(listed)
        extra = sum(len(dim.names) for dim in divisions(divided_by, self._model))
        kept = body.per[: len(body.per) - extra]
        return replace(body, keys=[*body.keys, *body.per[len(kept) :]], per=kept), outputs

    def in_period(self, query: SemanticQuery, rows: RowSelect, place: Callable[[Way], Way]) -> list[exp.Expr]:
        """What holds of the rows of a list that lie in its period."""
        return self._lists.in_period(query, rows, place)

    # --- what stands behind a result

    def list_body(self, query: SemanticQuery) -> QueryBody:
        """The rows of a list, to select other things from."""
        return self._lists.body(query)[0]

    def counts(self, query: SemanticQuery, figures: Sequence[PlainFigure]) -> exp.Select:
        """Numbers of rows under the conditions of a query, not divided."""
        whole = query.model_copy(update={"by": (), "having": None, "order": (), "limit": None, "skip": 0, "per": ()})
        uses = [self._uses(query)(figure)[0] for figure in figures]
        grouped = self._groups.build(whole, uses, [], spine=False)
        joins = GroupSelect(self.writer, grouped)
        return joins.select([grouped.terms[use].value(GROUPS, self.writer.dialect) for use in uses])

    def rows_behind(
        self, query: SemanticQuery, figure: PlainFigure, group: Mapping[str, Cell]
    ) -> tuple[exp.Select, tuple[Column, ...]]:
        """The rows that went into a figure of one group, each once, with what the figure takes of it last."""
        naming, cells = Naming(), []
        for dim in divisions(query.by, self._model):
            for column, field in zip(dim.columns, dim.fields, strict=True):
                cells.append(group.get(naming.column(column, field, dim.thing.name).name))
            for field in dim.names_beside:
                naming.column(dim.thing.fields[field].column, field, dim.thing.name)
        return self._groups.rows_of_group(query, self._uses(query)(figure)[0], figure, cells)

    def figure_of_row(self, shown: Shown, of: str, rows: RowSelect, way: Way, period: QueryPeriod | None) -> RowFigure:
        """A figure over what is related to the row at the end of a way."""
        shared = self._to_group(shown, of)
        if shared and period is None:  # all tracks of a genre have the same average: it is computed once for each
            rest = shown.via[len(shared) :]
            return self.figure_of_row(
                shown.model_copy(update={"via": rest}), shared[-1].end, rows, (*way, *shared), period
            )
        thing = self._model.things[of]
        query = SemanticQuery(show=(shown,), of=of, by=(Dimension(entity=of),), period=period)
        figure = figure_of(shown, of, self._model)
        uses = self._uses(query)
        if query not in self._by_row:
            self._by_row[query] = self._groups.build(query, uses(figure), [], spine=False)
        grouped = self._by_row[query]
        names = divisions(query.by, self._model)[0].names
        alias = rows.attach(grouped.name, way, list(zip(thing.key, names, strict=True)))
        term = term_of(figure, lambda leaf: grouped.terms[uses(leaf)[0]])
        return RowFigure(shown, term, alias, self._unit(query, figure, ())[0], self.writer.dialect)

    def _to_group(self, shown: Shown, of: str) -> Way:
        """The first relations of an average that lead to one row each, where others follow."""
        steps = (self._model.way(of, shown.via) or ()) if shown.aggregate is Aggregate.AVG and shown.field else ()
        shared = tuple(takewhile(lambda step: step.to_one, steps))
        return shared if len(shared) < len(steps) else ()


def _free_prefix(names: Iterable[str]) -> str:
    """What no name begins with, for columns that nobody sees."""
    taken, prefix = [name.casefold() for name in names], "h_"
    while any(name.startswith(prefix) for name in taken):
        prefix += "_"
    return prefix


def _is_there(value: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    return exp.Not(this=exp.Is(this=value, expression=exp.Null()))


def _ordered(value: exp.Expr, *, descending: bool) -> exp.Expr:
    from sqlglot import exp

    return exp.Ordered(this=value, desc=descending, nulls_first=False)
