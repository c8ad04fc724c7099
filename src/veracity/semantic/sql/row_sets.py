"""Rows of the WITH, narrowed before they are aggregated: the last snapshot, the middle values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from veracity.semantic.sql.rows import Writer, both, with_table

if TYPE_CHECKING:
    from sqlglot import exp


def named(name: str) -> exp.Expr:
    """A column of the only table."""
    from sqlglot import exp

    return exp.column(name, quoted=True)


def window(function: str, partition: list[exp.Expr], order: Sequence[exp.Expr], *arguments: exp.Expr) -> exp.Expr:
    """A window function."""
    from sqlglot import exp

    return exp.Window(
        this=exp.Anonymous(this=function, expressions=list(arguments)),
        partition_by=partition,
        order=exp.Order(expressions=list(order)) if order else None,
    )


def last_snapshot(writer: Writer, name: str, columns: Sequence[str], dims: Sequence[str], parts: int) -> str:
    """Only the rows of the last snapshot of each group; they may be figures by snapshot already."""
    from sqlglot import exp

    order = [exp.Ordered(this=named(f"s{n}"), desc=True, nulls_first=False) for n in range(parts)]
    rank = window("RANK", [named(dim) for dim in dims], order)
    ranked = exp.select(*map(named, columns), exp.alias_(rank, "last", quoted=True), copy=False)
    ranked = ranked.from_(with_table(name), copy=False)
    source = writer.cte(ranked, "r")
    kept = exp.select(*map(named, columns), copy=False)
    kept = kept.from_(with_table(source), copy=False)
    kept = kept.where(exp.EQ(this=named("last"), expression=exp.Literal.number(1)), copy=False)
    return writer.cte(kept, "r")


def middle_values(writer: Writer, name: str, dims: Sequence[str]) -> str:
    """Only the one or two middle values of each group; every group keeps a row."""
    from sqlglot import exp

    order = [exp.Ordered(this=named("v0"), desc=False, nulls_first=False)]
    place = window("ROW_NUMBER", [named(dim) for dim in dims], order)
    number = window("COUNT", [named(dim) for dim in dims], [], named("v0"))
    placed = exp.select(*map(named, [*dims, "v0"]), copy=False)
    placed = placed.select(exp.alias_(place, "place", quoted=True), copy=False)
    placed = placed.select(exp.alias_(number, "number", quoted=True), copy=False)
    placed = placed.from_(with_table(name), copy=False)
    source = writer.cte(placed, "r")
    twice = exp.Mul(this=named("place"), expression=exp.Literal.number(2))
    ends = exp.Add(this=named("number"), expression=exp.Literal.number(2))
    inside = both([exp.GTE(this=twice, expression=named("number")), exp.LTE(this=twice.copy(), expression=ends)])
    value = exp.Case(ifs=[exp.If(this=inside, true=named("v0"))])
    kept = exp.select(*map(named, dims), exp.alias_(value, "v0", quoted=True), copy=False)
    kept = kept.from_(with_table(source), copy=False)
    return writer.cte(kept, "r")
