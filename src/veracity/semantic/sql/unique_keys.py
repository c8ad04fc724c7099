"""Whether keys that a statement relies on identify rows in the data, too: looked at once for each key, then known for a while.

A relation to one row is joined as it is declared. Where two rows share the key, each figure over it would count twice; the
question is refused instead. What the database itself declares unique is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic

from veracity.contracts import QueryValidationError, ValidationErrorCode, clip
from veracity.query.compile import Parameters, scoped_rows
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.sql.row_sets import named
from veracity.semantic.sql.rows import EntityKey, both, present_value
from veracity.sources.source import Row, Source, Statement, fetch

FRESH_SECONDS = 600.0
"""So long it is known that a key identifies rows."""


async def first_repeated(
    keys: Iterable[EntityKey], model: SemanticModel, source: Source
) -> QueryValidationError | None:
    """The problem of the first key that several rows share; raises `QueryFailed` where the engine cannot tell."""
    for entity, fields in keys:
        thing = model.things[entity]
        if any(set(key) <= set(fields) for key in thing.catalog.keys):
            continue
        seen = model.seen_keys.get((entity, fields))
        if seen is None or monotonic() - seen[0] > FRESH_SECONDS:
            rows = await fetch(source, repeated_key(thing, fields, model, source))
            seen = model.seen_keys[entity, fields] = (monotonic(), tuple(rows[0]) if rows else None)
        if seen[1] is not None:
            return _problem(thing, fields, seen[1])
    return None


def _problem(thing: Thing, fields: tuple[str, ...], cells: Row) -> QueryValidationError:
    shared = clip(", ".join(str(cell) for cell in cells), 16)
    name = clip(", ".join(fields), 20)
    hint = f"Several rows of {clip(thing.name, 20)} share {name} {shared}: they would count twice."
    return QueryValidationError(code=ValidationErrorCode.AMBIGUOUS_GRAIN, field=f"{thing.name}.{fields[0]}", hint=hint)


def repeated_key(thing: Thing, fields: tuple[str, ...], model: SemanticModel, source: Source) -> Statement:
    """The values of some fields that several rows of an entity share, one example of them."""
    from sqlglot import exp

    parameters = Parameters(source.dialect)
    rows = scoped_rows(thing.catalog, fields, model.catalog, source, parameters)
    alias = exp.TableAlias(this=exp.to_identifier("v", quoted=True))
    several = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(1))
    query = exp.select(*map(named, fields), copy=False).from_(exp.Subquery(this=rows, alias=alias), copy=False)
    query = query.where(both([present_value(named(field)) for field in fields]), copy=False)
    query = query.group_by(*map(named, fields), copy=False).having(several, copy=False).limit(1, copy=False)
    columns = tuple(thing.fields[field].column for field in fields)
    return Statement(query.sql(dialect=source.dialect, copy=False), parameters.values, columns, 1)
