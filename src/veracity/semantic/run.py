"""A semantic query, asked: checked, compiled, fetched, and finished as the columns and rows that a reader sees."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

from veracity.contracts import QueryValidationError
from veracity.query.values import Values
from veracity.semantic.checking.check import check
from veracity.semantic.checking.names import Refused
from veracity.semantic.graph import SemanticModel
from veracity.semantic.namesakes import named_rows, namesakes_asked
from veracity.semantic.partners import partner_counts
from veracity.semantic.query import SemanticQuery
from veracity.semantic.result import MissingPartners, MissingValues, SemanticResult, SharedName
from veracity.semantic.sql.behind import compile_missing, read_missing
from veracity.semantic.sql.columns import read_rows
from veracity.semantic.sql.compile import CompiledQuery, compile_query
from veracity.semantic.sql.unique_keys import first_repeated
from veracity.sources.source import Source, fetch

_Written = TypeVar("_Written")
_MOST_COMPILED = 256
_MOST_NAMESAKES = 1_000
"""Different names of which one word is the same."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """A query that was checked and compiled, and not run."""

    query: SemanticQuery
    compiled: CompiledQuery

    @property
    def sql(self) -> str:
        """The statement."""
        return self.compiled.statement.sql


def compile_only(
    query: SemanticQuery, model: SemanticModel, source: Source, *, row_limit: int, values: Values | None = None
) -> DryRun | QueryValidationError:
    """What would be run."""
    checked = check(query, model, values)
    if isinstance(checked, QueryValidationError):
        return checked
    try:
        compiled = _known(
            model, (checked, source, row_limit), lambda: compile_query(checked, model, source, row_limit=row_limit)
        )
    except Refused as refused:
        return refused.problem
    return DryRun(checked, compiled)


def _known(model: SemanticModel, key: Hashable, write: Callable[[], _Written]) -> _Written:
    """What was written for the model already, or is now: people ask the same again, and boards do."""
    known: tuple[_Written] | None = model.compiled.get(key)
    if known is None:
        if len(model.compiled) >= _MOST_COMPILED:
            model.compiled.clear()
        known = model.compiled[key] = (write(),)
    return known[0]


async def run_query(
    query: SemanticQuery, model: SemanticModel, source: Source, *, row_limit: int, values: Values | None = None
) -> SemanticResult | QueryValidationError:
    """The rows of a query, or the first problem of it; raises `QueryFailed` where the engine cannot answer."""
    dry = compile_only(query, model, source, row_limit=row_limit, values=values)
    if isinstance(dry, QueryValidationError):
        return dry
    compiled = dry.compiled
    if (repeated := await first_repeated(compiled.relies_on, model, source)) is not None:
        return repeated
    rows = await fetch(source, compiled.statement)
    shown = read_rows(compiled.outputs, rows[:row_limit])
    missing: tuple[MissingValues, ...] = ()
    counting = _known(model, (dry.query, source), lambda: compile_missing(dry.query, model, source))
    if counting is not None:
        counts = await fetch(source, counting[0])
        missing = read_missing(counting[1], counts[0])
    partners = await _missing_partners(dry.query, model, source)
    columns = tuple(output.shown for output in compiled.outputs)
    wanted = dry.query.limit if not dry.query.per else None
    return SemanticResult(
        query=dry.query,
        columns=columns,
        rows=tuple(shown),
        sql=dry.sql,
        truncated=len(rows) > row_limit,
        tied=wanted is not None and len(rows) > wanted,
        missing=missing,
        partners=partners,
        shared=await _shared_names(dry.query, model, source),
        namesakes=await _namesakes(namesakes_asked(dry.query, columns, shown, model), model, source),
        overlapping=compiled.overlapping,
    )


async def _missing_partners(query: SemanticQuery, model: SemanticModel, source: Source) -> tuple[MissingPartners, ...]:
    """The roles that the query speaks of, with how many rows name somebody who is not stored."""
    found = []
    for counting in partner_counts(query, model):
        if count := await _count(counting.query, model, source):
            found.append(MissingPartners(counting.step, count))
    return tuple(found)


async def _shared_names(query: SemanticQuery, model: SemanticModel, source: Source) -> tuple[SharedName, ...]:
    """The names in a query that several rows have."""
    counted = [(one, await _count(one.query, model, source)) for one in named_rows(query, model)]
    return tuple(SharedName(one.entity, one.name, count) for one, count in counted if count > 1)


async def _count(query: SemanticQuery, model: SemanticModel, source: Source) -> int:
    """How many rows a query counts; none where it cannot be run."""
    dry = compile_only(query, model, source, row_limit=1)
    if not isinstance(dry, DryRun):
        return 0
    rows = read_rows(dry.compiled.outputs, await fetch(source, dry.compiled.statement))
    return int(str(next(iter(rows[0].values()))))


async def _namesakes(query: SemanticQuery | None, model: SemanticModel, source: Source) -> frozenset[tuple[str, ...]]:
    """The names that several rows share."""
    dry = compile_only(query, model, source, row_limit=_MOST_NAMESAKES) if query is not None else None
    if not isinstance(dry, DryRun):
        return frozenset()
    outputs = dry.compiled.outputs
    fields = [output.shown.column.name for output in outputs if output.shown.dimension is not None]
    rows = read_rows(outputs, await fetch(source, dry.compiled.statement))
    return frozenset(tuple(str(row.get(field)) for field in fields) for row in rows)
