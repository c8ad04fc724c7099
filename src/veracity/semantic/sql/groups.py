"""Figures divided by dimensions: each aggregated over the rows of its own entity in a query of its own, then put together.

A row counts once in each group, however many of the dimension's rows lead to it. A row that a to-one relation leads nowhere
from is in the group without a value; a row without any row over a to-many relation is in no group.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from veracity.contracts import Cell
from veracity.semantic.checking.plan import (
    DatePlace,
    Figure,
    PlainFigure,
    RatioFigure,
    RowsFigure,
    date_of,
    with_named_period,
    with_period,
)
from veracity.semantic.graph import SemanticModel, Thing, Way, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    InSegment,
    Negation,
    SemanticQuery,
    Shown,
    conditions_in,
)
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.sql.dialects import month_number, typed_null
from veracity.semantic.sql.divisions import Division, divisions
from veracity.semantic.sql.figures import (
    FigureTerm,
    aggregated,
    plain_term,
    ratio_term,
    row_value,
    total,
    value_type,
)
from veracity.semantic.sql.group_sums import adds_up, key_in_row, one_row, over_all_groups, own_key, with_keys
from veracity.semantic.sql.periods import in_parts
from veracity.semantic.sql.predicates import Predicates, Seat, joined
from veracity.semantic.sql.row_sets import last_snapshot, middle_values, named
from veracity.semantic.sql.rows import RowSelect, Writer, is_missing, with_table
from veracity.sources.source import Column, ColumnType

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True)
class FigureUse:
    """A figure of a query in one of its roles."""

    figure: PlainFigure | RowsFigure
    period: QueryPeriod | None
    where: Condition | None
    """What holds of the rows of the query's entity."""
    overall: bool = False
    """Over all rows, not divided."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """Groups with their figures: a name of the WITH, and where each figure stands in it."""

    name: str
    terms: dict[FigureUse, FigureTerm]
    overall: dict[FigureUse, tuple[str, FigureTerm]]
    """Figures that are not divided, each in a query of one row."""
    overlapping: bool


class InnerQueries(Protocol):
    """What groups need of whole queries."""

    def values_of(self, query: SemanticQuery, divided_by: Sequence[Dimension]) -> tuple[str, Column]:
        """A query as a name of the WITH with the columns of dimensions and a value `v`, and the type of that."""


class Groups:
    """Builds the groups of a query into the WITH."""

    def __init__(self, writer: Writer, predicates: Predicates, queries: InnerQueries) -> None:
        self._writer, self._predicates, self._queries = writer, predicates, queries

    @property
    def _model(self) -> SemanticModel:
        return self._writer.model

    def build(
        self, query: SemanticQuery, shown: Sequence[FigureUse], hidden: Sequence[FigureUse], *, spine: bool
    ) -> Grouped:
        """The groups of all that is shown, with the hidden figures beside; `spine`: of all values of the dimensions."""
        dims = divisions(query.by, self._model)
        for dim in dims:
            if dim.dimension.entity is not None:
                self._writer.rely_on(dim.thing, dim.fields)
        terms: dict[FigureUse, FigureTerm] = {}
        overall: dict[FigureUse, tuple[str, FigureTerm]] = {}
        branches: list[tuple[str, list[tuple[str, Column]], bool]] = []
        visible = set(shown)
        # What is divided comes first: the figure over all rows may follow from it.
        for batch in sorted(_batches([*shown, *hidden]), key=lambda batch: batch[0].overall):
            if batch[0].overall:
                name, found = self._over_all(query, batch, dims, branches, terms)
                overall |= {use: (name, term) for use, term in found.items()}
                continue
            name, found = self._batch(query, batch, dims)
            terms |= found
            columns = [one for term in found.values() for one in term.columns]
            branches.append((name, list(dict(columns).items()), any(use in visible for use in batch)))
        if spine:
            branches.append((self._values(query, dims), [], True))
        complete = next((one for one in dims if one.dimension.complete), None)
        if complete is not None:
            branches.append((self._all_rows(query, complete, dims), [], True))
        overlapping = any(self._overlaps(query, use) for use in (*shown, *hidden) if not use.overall)
        name = branches[0][0] if len(branches) == 1 and branches[0][2] else self._union(dims, branches)
        return Grouped(name, terms, overall, overlapping)

    def _over_all(
        self,
        query: SemanticQuery,
        uses: Sequence[FigureUse],
        dims: Sequence[Division],
        branches: Sequence[tuple[str, list[tuple[str, Column]], bool]],
        terms: dict[FigureUse, FigureTerm],
    ) -> tuple[str, dict[FigureUse, FigureTerm]]:
        """Figures over all rows: added up from the groups where each row is in one of them, else from the rows."""
        divided = [replace(use, overall=False) for use in uses]
        exact = all(adds_up(use.figure) and not self._overlaps(query, use) for use in divided)
        if not dims or not exact or any(use not in terms for use in divided):
            return self._batch(query, uses, ())
        own = terms[divided[0]].columns[0][0]
        source = next(name for name, columns, _ in branches if own in dict(columns))
        name, found = over_all_groups(self._writer, source, _plain({use: terms[use] for use in divided}))
        return name, dict(zip(uses, found, strict=True))

    def _overlaps(self, query: SemanticQuery, use: FigureUse) -> bool:
        if not isinstance(use.figure, PlainFigure):
            return False
        ways = (self._model.way(query.of or "", one.via) or () for one in query.by)
        return any(not is_to_one(self._model.place(use.figure.way, way)) for way in ways)

    # --- one SELECT over the rows of one entity

    def _batch(
        self, query: SemanticQuery, uses: Sequence[FigureUse], dims: Sequence[Division]
    ) -> tuple[str, dict[FigureUse, FigureTerm]]:
        from sqlglot import exp

        first = uses[0].figure
        if isinstance(first, RowsFigure):
            return self._over_rows(uses[0], first, dims)
        rows = RowSelect(self._writer, first.thing)
        ways = [self._model.place(first.way, self._model.way(query.of or "", dim.dimension.via) or ()) for dim in dims]
        several = not all(is_to_one(way) for way in ways)
        exact = not several and all(adds_up(use.figure) for use in uses)
        looked_up = [dim for dim, way in zip(dims, ways, strict=True) if exact and key_in_row(dim, way)]
        divided = [
            one
            for dim, way in zip(dims, ways, strict=True)
            for one in (own_key(dim, way, rows) if dim in looked_up else self._divided(dim, rows, way))
        ]
        self._conditions(query, uses[0], first, rows)
        if several or first.aggregate is Aggregate.MEDIAN:
            divided, values, select = self._rows_first(first, uses, rows, divided, several=several)
        else:
            values, select = self._values_of(uses, rows), rows.select
        aggregates, terms = self._aggregates(uses, values)
        parts = [(f"s{n}", self._snapshot_part(first, f, rows)) for n, f in enumerate(first.snapshot)]
        by_snapshot = parts if first.snapshot and not (several or first.aggregate is Aggregate.MEDIAN) else []
        if by_snapshot:
            divided = [*divided, *by_snapshot]
        query_sql = select([*(exp.alias_(v, n, quoted=True, copy=False) for n, v in divided), *aggregates])
        if divided:
            query_sql = query_sql.group_by(*(value.copy() for _, value in divided), copy=False)
        name = self._writer.cte(query_sql, "g")
        if by_snapshot:
            figures = [one for term in terms.values() for one, _ in term.columns]
            names = [one for dim in dims for one in dim.names]
            name = last_snapshot(self._writer, name, [*names, *figures], names, len(by_snapshot))
            name = name if names else one_row(self._writer, name, figures)
        if looked_up:
            name = with_keys(self._writer, name, _plain(terms), dims, looked_up)
        return name, terms

    def _values_of(self, uses: Sequence[FigureUse], rows: RowSelect) -> list[exp.Expr | None]:
        found: list[exp.Expr | None] = []
        for use in uses:
            figure = use.figure
            assert isinstance(figure, PlainFigure)
            value = figure.value
            found.append(row_value(value, figure.thing, rows, self._writer.dialect) if value else None)
        return found

    def _aggregates(
        self, uses: Sequence[FigureUse], values: Sequence[exp.Expr | None]
    ) -> tuple[list[exp.Expr], dict[FigureUse, FigureTerm]]:
        from sqlglot import exp

        found, terms = [], {}
        for use, value in zip(uses, values, strict=True):
            assert isinstance(use.figure, PlainFigure)
            made = aggregated(use.figure, value, self._writer.dialect)
            name = self._writer.name("f")
            names = (name, f"{name}_n")[: len(made)]
            found += [exp.alias_(one, alias, quoted=True, copy=False) for one, alias in zip(made, names, strict=True)]
            terms[use] = plain_term(use.figure, names, self._writer.dialect)
        return found, terms

    def _divided(self, dim: Division, rows: RowSelect, way: Way) -> list[tuple[str, exp.Expr]]:
        rows.pin(way)
        return dim.values(rows, way, self._writer.dialect)

    def _rows_first(
        self,
        figure: PlainFigure,
        uses: Sequence[FigureUse],
        rows: RowSelect,
        divided: list[tuple[str, exp.Expr]],
        *,
        several: bool,
    ) -> tuple[list[tuple[str, exp.Expr]], list[exp.Expr | None], Callable[[list[exp.Expr]], exp.Select]]:
        """Each row once in each group, of the last snapshot, in the order of its value: then the aggregate over these."""
        from sqlglot import exp

        values = self._values_of(uses, rows)
        columns: list[tuple[str, exp.Expr]] = [*divided]
        columns += [(f"v{n}", value) for n, value in enumerate(values) if value is not None]
        keys = figure.thing.key if several else ()
        if several:
            self._writer.rely_on(figure.thing, keys)
        columns += [(f"k{n}", rows.column((), field)) for n, field in enumerate(keys)]
        columns += [(f"s{n}", self._snapshot_part(figure, field, rows)) for n, field in enumerate(figure.snapshot)]
        inner = rows.select([exp.alias_(value, name, quoted=True, copy=False) for name, value in columns])
        name = self._writer.cte(inner.distinct(copy=False) if several else inner, "r")
        names = [name for name, _ in columns]
        dims = [name for name, _ in divided]
        if figure.snapshot:
            name = last_snapshot(self._writer, name, names, dims, len(figure.snapshot))
        if figure.aggregate is Aggregate.MEDIAN:
            name = middle_values(self._writer, name, dims)
        table = with_table(name)
        found: list[exp.Expr | None] = [
            exp.column(f"v{n}", quoted=True) if value is not None else None for n, value in enumerate(values)
        ]
        return (
            [(dim, exp.column(dim, quoted=True)) for dim in dims],
            found,
            lambda shown: exp.select(*shown, copy=False).from_(table, copy=False),
        )

    def _snapshot_part(self, figure: PlainFigure, field: str, rows: RowSelect) -> exp.Expr:
        value, parts = rows.column((), field), figure.thing.date_parts
        is_month = parts is not None and parts.month == field
        return month_number(value, figure.thing.fields[field].column) if is_month else value

    def _over_rows(
        self, use: FigureUse, figure: RowsFigure, dims: Sequence[Division]
    ) -> tuple[str, dict[FigureUse, FigureTerm]]:
        """An aggregate over the figures of another query."""
        from sqlglot import exp

        name, column = self._queries.values_of(figure.rows, [dim.dimension for dim in dims])
        names = [one for dim in dims for one in dim.names]
        value = named("v")
        if figure.aggregate is Aggregate.MEDIAN:
            shown = [exp.alias_(value, "v0", quoted=True, copy=False), *map(named, names)]
            renamed = exp.select(*shown, copy=False).from_(with_table(name))
            name, value = middle_values(self._writer, self._writer.cte(renamed, "r"), names), named("v0")
        alias = self._writer.name("f")
        counts = figure.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
        made, term = self._over_value(figure.aggregate, value, column, alias)
        if counts:
            counted = exp.Star() if figure.aggregate is Aggregate.COUNT else exp.Distinct(expressions=[value])
            made = [exp.Count(this=counted)]
            term = FigureTerm(Column("n", ColumnType.INTEGER), (alias,), counts=True)
        aliases = (alias, f"{alias}_n")[: len(made)]
        query = exp.select(*map(named, names), copy=False)
        query = query.select(
            *(exp.alias_(m, a, quoted=True, copy=False) for m, a in zip(made, aliases, strict=True)), copy=False
        )
        query = query.from_(with_table(name), copy=False)
        if names:
            query = query.group_by(*map(named, names), copy=False)
        return self._writer.cte(query, "g"), {use: term}

    def _over_value(
        self, aggregate: Aggregate, value: exp.Expr, column: Column, alias: str
    ) -> tuple[list[exp.Expr], FigureTerm]:
        from sqlglot import exp

        dialect = self._writer.dialect
        text = dialect == "sqlite" and column.type is not ColumnType.FLOAT
        if aggregate in (Aggregate.MIN, Aggregate.MAX):
            made = exp.Min(this=value) if aggregate is Aggregate.MIN else exp.Max(this=value)
            return [made], FigureTerm(column, (alias,))
        # What is fetched of a text of digits is compared as a float; whole numbers are whole again before they are added.
        value = exp.cast(value, "INT") if text and column.type is ColumnType.INTEGER else value
        first = FigureTerm(column, (alias,), exact_text=text)
        if aggregate is Aggregate.SUM:
            return [total(value, column.type, dialect)], first
        number = FigureTerm(Column("n", ColumnType.INTEGER), (f"{alias}_n",))
        return [total(value, column.type, dialect), exp.Count(this=value.copy())], ratio_term(first, number)

    def rows_of_group(
        self, query: SemanticQuery, use: FigureUse, figure: PlainFigure, group: Sequence[Cell]
    ) -> tuple[exp.Select, tuple[Column, ...]]:
        """The rows that went into a figure of one group: keys, names, and last what the figure takes of each."""
        from sqlglot import exp

        dims = divisions(query.by, self._model)
        rows = RowSelect(self._writer, figure.thing)
        ways = [self._model.place(figure.way, self._model.way(query.of or "", one.via) or ()) for one in query.by]
        divided = [value for dim, way in zip(dims, ways, strict=True) for _, value in self._divided(dim, rows, way)]
        self._conditions(query, use, figure, rows)
        for value, cell in zip(divided, group, strict=True):
            rows.where(is_missing(value) if cell is None else exp.EQ(this=value, expression=self._writer.bind(cell)))
        thing = figure.thing
        names = list(dict.fromkeys((*thing.key, *thing.display))) or list(thing.fields)
        columns = [(f"c{n}", rows.column((), name)) for n, name in enumerate(names)]
        columns += [(f"s{n}", self._snapshot_part(figure, field, rows)) for n, field in enumerate(figure.snapshot)]
        columns.append(("v0", self._values_of([use], rows)[0] or exp.Literal.number(1)))
        inner = rows.select([exp.alias_(value, name, quoted=True, copy=False) for name, value in columns])
        several = not all(is_to_one(way) for way in ways)
        source = self._writer.cte(inner.distinct(copy=False) if several else inner, "r")
        if figure.snapshot:
            source = last_snapshot(self._writer, source, [name for name, _ in columns], (), len(figure.snapshot))
        shown = [*(f"c{n}" for n in range(len(names))), "v0"]
        select = exp.select(*map(named, shown), copy=False).from_(with_table(source), copy=False)
        keys = [exp.Ordered(this=named(f"c{n}"), nulls_first=False) for n in range(len(names))]
        kind, scale = value_type(figure.value, thing) if figure.value else (ColumnType.INTEGER, None)
        taken = Column("value", kind, scale=scale if kind is ColumnType.DECIMAL else None)
        found = [replace(thing.fields[name].column, cast=None, reader=None) for name in names]
        return select.order_by(*keys, copy=False), (*found, taken)

    # --- conditions and periods

    def _conditions(self, query: SemanticQuery, use: FigureUse, figure: PlainFigure, rows: RowSelect) -> None:
        of, model = query.of or "", self._model
        seat = Seat(of, lambda way: model.place(figure.way, way), use.period)
        plain: list[Condition] = []
        far: list[Condition] = []
        back = seat.place(())
        root = rows.breaks_at(back)
        where = with_period(of, figure, (use.period, use.where), model)
        for condition in joined((where,)):
            goes = root is not None and any(way[: len(root)] == root for way in self._ways(condition, seat))
            (far if goes else plain).append(condition)
        if plain:
            rows.where(self._predicates.told(AllOf(conditions=tuple(plain)), rows, seat))
        if far:
            rows.where(self._predicates.beyond(back, tuple(far), rows, seat))
        if figure.where is not None:
            rows.where(self._predicates.told(figure.where, rows, Seat(figure.thing.name, lambda way: way)))
        if use.period is not None and (told := self._period(query, use.period, figure, rows)) is not None:
            rows.where(told)

    def _ways(self, condition: Condition, seat: Seat) -> list[Way]:
        """Where the parts of a condition look."""
        found = []
        for part in conditions_in(condition):
            if isinstance(part, Comparison | InSegment):
                found += [seat.place(way) for way in self._predicates.ways_of(part, seat.of)]
            elif not isinstance(part, AllOf | AnyOf | Negation):
                found.append(seat.place(()))
        return found

    def _period(
        self, query: SemanticQuery, period: QueryPeriod, figure: PlainFigure, rows: RowSelect
    ) -> exp.Expr | None:
        if period.field is not None:
            return None
        if (place := date_of(figure.thing, figure.date, self._model)) is not None:
            return self.dated(place, period, rows)
        if figure.thing.date_parts is not None:
            via = names_of(figure.way)
            told = _says_months(figure.thing, via, query.where, query.by) or _says_months(
                figure.thing, (), figure.where, ()
            )
            return in_parts(figure.thing, period, rows, (), by_month=told)
        return None

    def dated(self, place: DatePlace, period: QueryPeriod, rows: RowSelect) -> exp.Expr:
        """Whether the date at the end of a way over to-one relations lies in a period."""
        value, facts = rows.column(place.way, place.field), place.thing.fields[place.field]
        return self._predicates.in_days(value, facts, period.first, period.last)

    # --- groups together

    def _values(self, query: SemanticQuery, dims: Sequence[Division]) -> str:
        """All different values of the dimensions."""
        from sqlglot import exp

        thing = self._model.things[query.of or ""]
        rows = RowSelect(self._writer, thing)
        ways = [self._model.way(query.of or "", dim.dimension.via) or () for dim in dims]
        divided = [one for dim, way in zip(dims, ways, strict=True) for one in self._divided(dim, rows, way)]
        if (where := with_named_period(query.where, query.period, self._model)) is not None:
            rows.where(self._predicates.told(where, rows, Seat(thing.name, lambda way: way, query.period)))
        for part in self.list_period(query, rows, lambda way: way):
            rows.where(part)
        select = rows.select([exp.alias_(value, name, quoted=True, copy=False) for name, value in divided])
        return self._writer.cte(select.distinct(copy=False), "g")

    def list_period(self, query: SemanticQuery, rows: RowSelect, place: Callable[[Way], Way]) -> list[exp.Expr]:
        """What holds of the rows of a list that lie in its period, on their default date."""
        model, of, period = self._model, query.of or "", query.period
        if period is None or period.field is not None:
            return []
        thing = model.things[of]
        if (found := date_of(thing, None, model)) is not None:
            return [self.dated(DatePlace(place(found.way), found.thing, found.field), period, rows)]
        if thing.date_parts is not None:
            shown: list[Dimension | Shown] = [*query.by, *query.per, *query.show, *(one.by for one in query.order)]
            return [in_parts(thing, period, rows, place(()), by_month=_says_months(thing, (), query.where, shown))]
        return []

    def _all_rows(self, query: SemanticQuery, dim: Division, dims: Sequence[Division]) -> str:
        """All rows of a dimension's entity that meet the conditions which lie on its way; the others are by fields of them."""
        from sqlglot import exp

        rows = RowSelect(self._writer, dim.thing)
        length = len(dim.dimension.via)
        way = self._model.way(query.of or "", dim.dimension.via) or ()
        seat = Seat(query.of or "", lambda more: more[length:], query.period)
        for condition in joined((query.where,)):
            ways = self._ways(condition, Seat(query.of or "", lambda more: more))
            if all(one[:length] == way for one in ways):
                rows.where(self._predicates.told(condition, rows, seat))
        shown = [value for one in dims for value in one.values(rows, (), self._writer.dialect)]
        return self._writer.cte(rows.select([exp.alias_(v, n, quoted=True, copy=False) for n, v in shown]), "g")

    def _union(self, dims: Sequence[Division], branches: list[tuple[str, list[tuple[str, Column]], bool]]) -> str:
        """The groups of all branches, each once, with the figures of every branch that has it."""
        from sqlglot import exp

        names = [name for dim in dims for name in dim.names]
        columns = [one for _, found, _ in branches for one in found]
        parts = []
        for source, own, shown in branches:
            mine = dict(own)
            picked: list[exp.Expr] = [named(name) for name in names]
            for name, column in columns:
                value = named(name) if name in mine else typed_null(column, self._writer.dialect)
                picked.append(exp.alias_(value, name, quoted=True, copy=False))
            picked.append(exp.alias_(exp.Literal.number(1 if shown else 0), "shown", quoted=True, copy=False))
            table = with_table(source)
            parts.append(exp.select(*picked, copy=False).from_(table, copy=False))
        united: exp.Query = parts[0]
        for part in parts[1:]:
            united = exp.Union(this=united, expression=part, distinct=False)
        name = self._writer.cte(united, "u")
        figures = [exp.alias_(exp.Max(this=named(name)), name, quoted=True, copy=False) for name, _ in columns]
        together = exp.select(*map(named, names), *figures, copy=False)
        together = together.from_(with_table(name), copy=False)
        if names:
            together = together.group_by(*map(named, names), copy=False)
        visible = exp.EQ(this=exp.Max(this=named("shown")), expression=exp.Literal.number(1))
        return self._writer.cte(together.having(visible, copy=False), "g")


def _plain(terms: dict[FigureUse, FigureTerm]) -> list[tuple[PlainFigure, FigureTerm]]:
    return [(use.figure, term) for use, term in terms.items() if isinstance(use.figure, PlainFigure)]


def _says_months(
    thing: Thing, via: tuple[str, ...], where: Condition | None, shown: Sequence[Dimension | Shown]
) -> bool:
    """Whether something is said of the months of the rows at the end of a way, so that rows of whole years are not meant."""
    name = f"{thing.name}.{thing.date_parts.month}" if thing.date_parts else ""
    compared = [one for one in conditions_in(where) if isinstance(one, Comparison)]
    return any((one.field, one.via) == (name, via) for one in (*compared, *shown))


def _batches(uses: Sequence[FigureUse]) -> list[list[FigureUse]]:
    """Figures over the same rows are aggregated together."""
    found: dict[object, list[FigureUse]] = {}
    for use in dict.fromkeys(uses):
        figure = use.figure
        key: object = use
        if isinstance(figure, PlainFigure) and figure.aggregate is not Aggregate.MEDIAN:
            rows = (figure.thing, figure.way, figure.where, figure.date, figure.snapshot)
            key = (rows, use.period, use.where, use.overall)
        found.setdefault(key, []).append(use)
    return list(found.values())


def term_of(figure: Figure, terms: Callable[[PlainFigure | RowsFigure], FigureTerm]) -> FigureTerm:
    """The term of a figure, made of those of its aggregates."""
    if isinstance(figure, RatioFigure):
        return ratio_term(term_of(figure.first, terms), term_of(figure.second, terms))
    return terms(figure)
