"""Dimensions as columns: the value of a field, the start of a period, or the key of an entity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from veracity.semantic.checking.names import split_field
from veracity.semantic.graph import SemanticModel, Thing, Way
from veracity.semantic.query import Dimension
from veracity.semantic.sql.dialects import grained, period_start
from veracity.semantic.sql.rows import RowSelect
from veracity.sources.source import Column, Dialect

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Division:
    """A dimension in the columns of a SELECT."""

    dimension: Dimension
    thing: Thing
    names: tuple[str, ...]
    fields: tuple[str, ...]
    """The fields behind the columns: the one of the dimension, or the key of the entity."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The types of its columns."""
        if self.dimension.grain is not None:
            return (grained(self.names[0], self.dimension.grain),)
        return tuple(self.thing.fields[field].column for field in self.fields)

    @property
    def names_beside(self) -> list[str]:
        """The fields that people know the rows of the dimension's entity by, beside its key."""
        if self.dimension.entity is None:
            return []
        return [field for field in self.thing.display if field not in self.thing.key]

    def values(self, rows: RowSelect, way: Way, dialect: Dialect) -> list[tuple[str, exp.Expr]]:
        """Its values for the row at the end of a way, with the names of their columns."""
        values = [rows.column(way, field) for field in self.fields]
        if self.dimension.grain is not None:
            values = [period_start(values[0], self.thing.fields[self.fields[0]], self.dimension.grain, dialect)]
        return list(zip(self.names, values, strict=True))


def divisions(dimensions: Sequence[Dimension], model: SemanticModel) -> list[Division]:
    """The columns of dimensions, in order."""
    found = []
    for number, dimension in enumerate(dimensions):
        if dimension.entity is not None:
            thing = model.things[dimension.entity]
            names = tuple(f"d{number}_{place}" for place in range(len(thing.key)))
            found.append(Division(dimension, thing, names, thing.key))
        else:
            thing, field = split_field(model, dimension.field or "")
            found.append(Division(dimension, thing, (f"d{number}",), (field,)))
    return found
