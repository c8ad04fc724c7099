"""What a semantic query returned: columns that know what they show, rows, and what a reader must be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from veracity.contracts import Cell
from veracity.semantic.graph import Step
from veracity.semantic.query import Dimension, SemanticQuery, Shown
from veracity.sources.source import Column


class ColumnPart(StrEnum):
    """What a column of a result is."""

    KEY = "key"
    """Identifies a row or a group of an entity; shown with its name, never as a figure."""
    NAME = "name"
    """What people know a row or a group by."""
    FIELD = "field"
    """A stored value."""
    PERIOD = "period"
    """The first day of the period that a date lies in."""
    FIGURE = "figure"
    COMPARED = "compared"
    """The same figure for the other period or member."""
    DIFFERENCE = "difference"
    CHANGE = "change"
    """In percent."""


@dataclass(frozen=True, slots=True)
class SemanticColumn:
    """A column of a result, and what it shows."""

    column: Column
    """Its name in the rows, its type and scale."""
    part: ColumnPart
    shown: Shown | None = None
    """For what `show` names, and what is compared with it."""
    dimension: Dimension | None = None
    """For what `by` names."""
    entity: str | None = None
    """For keys, names and fields: whose they are."""
    field: str | None = None
    unit: str | None = None
    """The one unit of all its values, where there is one."""
    unit_column: str | None = None
    """The column that holds the unit of each row, where they differ."""


@dataclass(frozen=True, slots=True)
class MissingValues:
    """Rows that met the conditions but lack the value that a figure, an order or a condition needs."""

    field: str
    """`Entity.field`"""
    rows: int
    of: int
    """How many rows were looked at."""


@dataclass(frozen=True, slots=True)
class MissingPartners:
    """Rows that name a partner by its role where no such row is stored: it cannot be in the answer."""

    step: Step
    """From the rows that name a partner to the partners."""
    rows: int


@dataclass(frozen=True, slots=True)
class SharedName:
    """A name in the question that several rows have: the figures are of all of them."""

    entity: str
    name: str
    rows: int


@dataclass(frozen=True, slots=True)
class SemanticResult:
    """The rows of a semantic query."""

    query: SemanticQuery
    """In canonical form, every relation named."""
    columns: tuple[SemanticColumn, ...]
    rows: tuple[Mapping[str, Cell], ...]
    sql: str
    truncated: bool = False
    """More rows matched than are here."""
    tied: bool = False
    """There are more rows than the limit, because the last ones tie."""
    missing: tuple[MissingValues, ...] = ()
    overlapping: bool = False
    """A row may count in several groups, so that the groups add up to more than there is."""
    partners: tuple[MissingPartners, ...] = ()
    shared: tuple[SharedName, ...] = ()
    namesakes: frozenset[tuple[str, ...]] = frozenset()
    """Names that several rows share, so that they alone do not tell which one is meant."""
