"""Lists of rows: what is shown of each, over to-one relations, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from veracity.semantic.checking.names import split_field
from veracity.semantic.checking.plan import DAYS, days_of, figures_in, with_named_period
from veracity.semantic.graph import SemanticModel, Thing, Way
from veracity.semantic.query import SemanticQuery, Shown
from veracity.semantic.result import ColumnPart, SemanticColumn
from veracity.semantic.sql.columns import AnswerColumn, Naming
from veracity.semantic.sql.dialects import grained, period_start
from veracity.semantic.sql.divisions import Division, divisions
from veracity.semantic.sql.figures import days_between, value_type
from veracity.semantic.sql.groups import Groups
from veracity.semantic.sql.predicates import Predicates, Queries, Seat
from veracity.semantic.sql.rows import RowSelect, Writer
from veracity.sources.source import Column

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(slots=True)
class QueryBody:
    """A query that can be selected from: its FROM and WHERE, its order, and what tells its rows apart."""

    select: Callable[[Sequence[exp.Expr]], exp.Select]
    order: list[tuple[exp.Expr, bool]]
    keys: list[exp.Expr]
    per: list[exp.Expr]
    """The limit holds within each value of these."""
    named: Mapping[str, Division]
    """Dimensions whose rows are known by a name, by the alias of these rows."""


class Lists:
    """Builds the rows of lists."""

    def __init__(self, writer: Writer, predicates: Predicates, groups: Groups, queries: Queries) -> None:
        self._writer, self._predicates, self._groups, self._queries = writer, predicates, groups, queries

    @property
    def _model(self) -> SemanticModel:
        return self._writer.model

    def body(self, query: SemanticQuery) -> tuple[QueryBody, list[AnswerColumn]]:
        """The rows; where only the first of them are wanted and nothing else is shown, with the figure that decides."""
        decisive = query.limit is not None and not query.show
        thing = self._model.things[query.of or ""]
        rows = RowSelect(self._writer, thing)
        seat = Seat(thing.name, lambda way: way, query.period)
        outputs, naming = self._list_columns(query, thing, rows)
        order = []
        for one in query.order:
            value, column = self._sorted_by(query, one.by, thing, rows, naming)
            order.append((value, one.descending))
            if decisive and column is not None:
                outputs.append(column)
        keys = [rows.column((), field) for field in thing.key] or [o.values[0].copy() for o in outputs]
        per = [
            value
            for dim in divisions(query.per, self._model)
            for _, value in dim.values(rows, self._model.way(thing.name, dim.dimension.via) or (), self._writer.dialect)
        ]
        if (where := with_named_period(query.where, query.period, self._model)) is not None:
            rows.where(self._predicates.told(where, rows, seat))
        for part in self.in_period(query, rows, lambda way: way):
            rows.where(part)
        return QueryBody(rows.select, order, keys, per, {}), outputs

    def _sorted_by(
        self, query: SemanticQuery, shown: Shown, thing: Thing, rows: RowSelect, naming: Naming
    ) -> tuple[exp.Expr, AnswerColumn | None]:
        """What rows are sorted by; and the column that tells it, where it is a figure."""
        if shown.is_field:
            return self._field(shown, thing, rows)[1], None
        figure = self._queries.figure_of_row(shown, thing.name, rows, (), query.period)
        return figure.value, figure.column(naming)

    def _field(self, shown: Shown, thing: Thing, rows: RowSelect) -> tuple[Column, exp.Expr]:
        other, field = split_field(self._model, shown.field or "")
        value = rows.column(self._model.way(thing.name, shown.via) or (), field)
        facts = other.fields[field]
        if (days := days_of(shown, self._model)) is not None:
            kind, _ = value_type(days, other)
            way = self._model.way(thing.name, shown.via) or ()
            return Column(f"days_to_{field}", kind), days_between(days, other, rows, way, self._writer.dialect)
        if shown.grain is None:
            return facts.column, value
        return grained(field, shown.grain), period_start(value, facts, shown.grain, self._writer.dialect)

    def _list_columns(self, query: SemanticQuery, thing: Thing, rows: RowSelect) -> tuple[list[AnswerColumn], Naming]:
        own = {split_field(self._model, one.field or "")[1] for one in _own_values(query)}
        naming, found = Naming(), []
        for part, fields in ((ColumnPart.KEY, thing.key), (ColumnPart.NAME, thing.display)):
            for field in fields:
                if field not in own and (part is ColumnPart.KEY or field not in thing.key):
                    column = naming.column(thing.fields[field].column, field, thing.name)
                    shown = SemanticColumn(column, part, entity=thing.name, field=field)
                    found.append(AnswerColumn.plain(shown, rows.column((), field)))
        found += [self._shown_field(one, naming, thing, rows) for one in query.show]
        for one in query.show:
            found += self._unit_columns(one, naming, thing, rows, found)
        if not found:
            for field, facts in thing.fields.items():
                shown = SemanticColumn(facts.column, ColumnPart.FIELD, entity=thing.name, field=field)
                found.append(AnswerColumn.plain(shown, rows.column((), field)))
        return found, naming

    def _shown_field(self, one: Shown, naming: Naming, thing: Thing, rows: RowSelect) -> AnswerColumn:
        other, field = split_field(self._model, one.field or "")
        column, value = self._field(one, thing, rows)
        part = ColumnPart.FIELD if one.grain is None or one.grain.repeats else ColumnPart.PERIOD
        declared = other.fields[field].declared
        unit = DAYS if one.since is not None else declared.unit if declared else None
        named = naming.column(column, column.name if one.since is not None else field, other.name)
        shown = SemanticColumn(named, part, shown=one, entity=other.name, field=field, unit=unit)
        return AnswerColumn.plain(shown, value, wanted_unit=one.unit)

    def _unit_columns(
        self, one: Shown, naming: Naming, thing: Thing, rows: RowSelect, found: list[AnswerColumn]
    ) -> list[AnswerColumn]:
        """The column that says the unit of each row, beside a field that has one."""
        other, field = split_field(self._model, one.field or "")
        declared = other.fields[field].declared
        unit = declared.unit_field if declared else None
        if unit is None or unit not in other.fields:
            return []
        way = self._model.way(thing.name, one.via) or ()
        place = next(n for n, output in enumerate(found) if output.shown.shown is one)
        beside = next((o for o in found if o.shown.entity == other.name and o.shown.field == unit), None)
        column = beside.shown.column if beside else naming.column(other.fields[unit].column, unit, other.name)
        found[place] = replace(found[place], shown=replace(found[place].shown, unit_column=column.name))
        shown = SemanticColumn(column, ColumnPart.FIELD, entity=other.name, field=unit)
        return [] if beside else [AnswerColumn.plain(shown, rows.column(way, unit))]

    def in_period(self, query: SemanticQuery, rows: RowSelect, place: Callable[[Way], Way]) -> list[exp.Expr]:
        """What holds of the rows of a list that lie in its period; where it has figures, the period is about these."""
        figures = any(not one.by.is_field for one in query.order) or any(figures_in(query.where))
        if figures:
            return []
        return self._groups.list_period(query, rows, place)


def _own_values(query: SemanticQuery) -> list[Shown]:
    """What is shown of the rows' own fields as it is stored."""
    return [one for one in query.show if not one.via and one.grain is None and one.since is None]
