"""What a check of an ontology works on, and what it finds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from veracity.contracts import Cell
from veracity.language.locale import DEFAULT_LANGUAGE
from veracity.ontology.descriptor import OntologyDescriptor
from veracity.ontology.entities import Entity
from veracity.query.catalog import Catalog, CatalogEntity
from veracity.query.compile import Parameters, scoped_rows
from veracity.sources.source import Column, ColumnType, Source, Statement, fetch
from veracity.wire import Wire

if TYPE_CHECKING:
    from sqlglot import exp

Place = tuple[str | int, ...]
"""A part of an ontology: `("entities", 2, "measures", 0)`."""
Level = Literal["error", "warning", "note"]


class OntologyFinding(Wire):
    """Something in the ontology that the source does not bear out. The message holds no data; the example does."""

    where: str
    """`Entity`, `Entity.field`, `invariant name` or `pattern INTENT`."""
    message: str
    count: int | None = None
    """How many rows are affected."""
    example: dict[str, Cell] | None = None
    """One of the rows, or what they have in common."""
    check: str = ""
    """The check that found it, such as `keys-are-unique`."""
    level: Level = "error"
    """error: it cannot work, or would be wrong. warning: rows or words that nobody meant so. note: good to know."""
    place: Place = ()
    """The part of the ontology that it is about; empty where it is about the whole."""
    file: str | None = None
    """The file that `place` is a part of, where that is not the ontology."""


@dataclass(frozen=True, slots=True)
class EntityCounts:
    """How many rows an entity has in scope, and in how many of them a field holds something."""

    rows: int
    filled: dict[str, int]


@dataclass(frozen=True, eq=False)
class CheckedOntology:
    """An ontology, the source it is held against, and what was found so far."""

    ontology: OntologyDescriptor
    catalog: Catalog
    source: Source
    lang: str = DEFAULT_LANGUAGE
    found: list[OntologyFinding] = field(default_factory=list)
    _counts: dict[str, EntityCounts] = field(default_factory=dict)

    def entities(self) -> Iterable[tuple[int, Entity, CatalogEntity]]:
        """The entities that the source has, with their place in the ontology."""
        for number, declared in enumerate(self.ontology.entities):
            if (entity := self.catalog.entities.get(declared.name)) is not None:
                yield number, declared, entity

    def is_broken(self, *place: str | int) -> bool:
        """Whether an error was found in this part of the ontology, or in a part of it."""
        return any(one.level == "error" and one.place[: len(place)] == place for one in self.found)

    async def counts(self, entity: CatalogEntity) -> EntityCounts:
        """Rows, and filled fields: of a view all of them, of a table its key. One statement; raises `QueryFailed`."""
        if entity.name not in self._counts:
            self._counts[entity.name] = await self.count_filled(entity, counted_fields(entity))
        return self._counts[entity.name]

    async def count_filled(self, entity: CatalogEntity, names: Iterable[str]) -> EntityCounts:
        """How many rows hold something in these fields, read whole; raises `QueryFailed`."""
        names = tuple(names)
        (row,) = await fetch(self.source, _count_statement(entity, names, self.catalog, self.source))
        return EntityCounts(int(str(row[0])), {name: int(str(n)) for name, n in zip(names, row[1:], strict=True)})


Check = Callable[[CheckedOntology], AsyncIterator[OntologyFinding]]
"""One check: what it finds, in the order of the ontology."""


async def run_checks(checks: Iterable[Check], checked: CheckedOntology) -> list[OntologyFinding]:
    """What all checks find; each sees what those before it found."""
    for check in checks:
        name = check.__name__.replace("_", "-")
        async for finding in check(checked):
            checked.found.append(finding.model_copy(update={"check": name}))
    return checked.found


def sentence(text: str) -> str:
    """The text as a sentence of its own."""
    return text[:1].upper() + text[1:].rstrip(".") + ("" if text.endswith("?") else ".")


def counted_fields(entity: CatalogEntity) -> tuple[str, ...]:
    """The fields that are looked at when rows are counted."""
    if entity.view is not None:
        return tuple(entity.fields)
    nullable = [name for name in entity.grain if name in entity.fields and _may_be_empty(entity.fields[name].column)]
    return tuple(nullable)


def _may_be_empty(column: Column) -> bool:
    return column.nullable or column.type is ColumnType.TEXT


def _count_statement(entity: CatalogEntity, names: tuple[str, ...], catalog: Catalog, source: Source) -> Statement:
    from sqlglot import exp

    parameters = Parameters(source.dialect)
    rows = scoped_rows(entity, names, catalog, source, parameters, as_stored=True)
    rows = rows if names else rows.select(exp.alias_(exp.Literal.number(1), "one", quoted=True), copy=False)
    alias = exp.TableAlias(this=exp.to_identifier("v", quoted=True))
    figures = [exp.Count(this=exp.Star()), *(exp.Count(this=_held(entity.fields[name].column)) for name in names)]
    named = [exp.alias_(figure, f"n{number}", quoted=True) for number, figure in enumerate(figures)]
    query = exp.select(*named).from_(exp.Subquery(this=rows, alias=alias), copy=False)
    columns = tuple(Column(f"n{number}", ColumnType.INTEGER) for number in range(len(figures)))
    return Statement(query.sql(dialect=source.dialect, copy=False), parameters.values, columns, 1)


def _held(column: Column) -> exp.Expr:
    """The value of a column, NULL for an empty text."""
    from sqlglot import exp

    value = exp.column(column.name, table="v", quoted=True)
    if column.type is not ColumnType.TEXT or column.cast:
        return value
    return exp.Nullif(this=value, expression=exp.Literal.string(""))
