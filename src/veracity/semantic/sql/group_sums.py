"""Figures of groups put together: groups by keys as other rows hold them, figures over all rows, the last snapshot alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from veracity.semantic.checking.plan import Figure, PlainFigure
from veracity.semantic.graph import Way
from veracity.semantic.query import Aggregate
from veracity.semantic.sql.divisions import Division
from veracity.semantic.sql.figures import FigureTerm, total
from veracity.semantic.sql.row_sets import named
from veracity.semantic.sql.rows import RowSelect, Writer, column_of, with_table
from veracity.sources.source import Dialect

if TYPE_CHECKING:
    from sqlglot import exp

_GROUPS = "p"


def adds_up(figure: Figure) -> bool:
    """Whether the figure of several groups together follows from their figures."""
    if not isinstance(figure, PlainFigure) or figure.snapshot:
        return False
    return figure.aggregate not in (Aggregate.MEDIAN, Aggregate.COUNT_DISTINCT)


def key_in_row(dim: Division, way: Way) -> bool:
    """Whether the key of a dimension's entity stands in the rows before it, so that the entity itself is not needed.

    Then rows are grouped by it as it stands there, and only the groups are looked up.
    """
    if dim.dimension.entity is None or not way or len(way[-1].hops) != 1:
        return False
    return {other for _, other in way[-1].hops[0].keys} == set(dim.fields)


def own_key(dim: Division, way: Way, rows: RowSelect) -> list[tuple[str, exp.Expr]]:
    """The key of a dimension's entity as the rows before it hold it."""
    own = {other: one for one, other in way[-1].hops[0].keys}
    return [(name, rows.column(way[:-1], own[field])) for name, field in zip(dim.names, dim.fields, strict=True)]


def with_keys(
    writer: Writer,
    name: str,
    terms: Sequence[tuple[PlainFigure, FigureTerm]],
    dims: Sequence[Division],
    looked_up: Sequence[Division],
) -> str:
    """Groups by keys as other rows hold them, put together by the rows that these keys lead to."""
    from sqlglot import exp

    table = RowSelect.of_with(writer, name, _GROUPS)
    shown: list[tuple[str, exp.Expr]] = []
    for dim in dims:
        held = [(column_of(_GROUPS, one), field) for one, field in zip(dim.names, dim.fields, strict=True)]
        if dim in looked_up:
            alias = table.look_up(dim.thing, held)
            shown += [(one, table.field(alias, f)) for one, f in zip(dim.names, dim.fields, strict=True)]
        else:
            shown += [(one, value) for one, (value, _) in zip(dim.names, held, strict=True)]
    figures = [one for figure, term in terms for one in added_up(figure, term, _GROUPS, writer.dialect)]
    select = table.select([exp.alias_(value, one, quoted=True, copy=False) for one, value in (*shown, *figures)])
    select = select.group_by(*(value.copy() for _, value in shown), copy=False)
    return writer.cte(select, "g")


def over_all_groups(
    writer: Writer, source: str, terms: Sequence[tuple[PlainFigure, FigureTerm]]
) -> tuple[str, list[FigureTerm]]:
    """The figures of all groups together, in one row; each row is in one group."""
    from sqlglot import exp

    found: list[FigureTerm] = []
    shown: list[exp.Expr] = []
    for figure, term in terms:
        names: Mapping[str, str] = {name: writer.name("f") for name, _ in term.columns}
        found.append(term.renamed(names))
        for one, value in added_up(figure, term, source, writer.dialect):
            shown.append(exp.alias_(value, names[one], quoted=True, copy=False))
    return writer.cte(exp.select(*shown, copy=False).from_(with_table(source), copy=False), "g"), found


def added_up(figure: PlainFigure, term: FigureTerm, alias: str, dialect: Dialect) -> list[tuple[str, exp.Expr]]:
    """The columns of a figure of groups, each added up over several groups."""
    from sqlglot import exp

    found: list[tuple[str, exp.Expr]] = []
    for name, column in term.columns:
        value = column_of(alias, name)
        together: exp.Expr
        if figure.aggregate in (Aggregate.MIN, Aggregate.MAX):
            together = exp.Min(this=value) if figure.aggregate is Aggregate.MIN else exp.Max(this=value)
        elif name in term.counted or name.endswith("_n"):
            together = exp.cast(exp.Sum(this=value), "BIGINT")
        else:
            together = total(value, column.type, dialect)
        found.append((name, together))
    return found


def one_row(writer: Writer, name: str, figures: Sequence[str]) -> str:
    """A row of figures, also where there is none."""
    from sqlglot import exp

    only = [exp.alias_(exp.Max(this=named(one)), one, quoted=True, copy=False) for one in figures]
    return writer.cte(exp.select(*only, copy=False).from_(with_table(name), copy=False), "g")
