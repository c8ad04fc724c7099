"""Where an expression stands: the sources around it, the rows it is worked out over, and what was found so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from veracity.query.catalog import Catalog
from veracity.query.sqlcheck.model import NOTHING, Facts, Fixes, Held, Relation, Things, Value
from veracity.sources.source import Dialect

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(slots=True)
class World:
    """What all SELECTs of one statement share."""

    catalog: Catalog
    dialect: Dialect
    query: Callable[[exp.Expr, Scope | None], Relation]
    """Works out a subquery."""
    facts: Facts = field(default_factory=Facts)
    ctes: dict[int, tuple[exp.Expr, Scope | None]] = field(default_factory=dict)
    """The parts of WITH by their number, and where they were written."""
    used: set[int] = field(default_factory=set)
    """Those that something has read."""
    numbers: Iterator[int] = field(default_factory=lambda: count(1))


@dataclass(slots=True)
class Scope:
    """One SELECT while it is worked out."""

    world: World
    parent: Scope | None
    select: int
    """Its node."""
    relation: Relation = field(default_factory=Relation)
    """The rows as they are now: joined, then filtered, then grouped."""
    sources: dict[str, dict[str, Value]] = field(default_factory=dict)
    rows: Relation | None = None
    """Once grouped: the rows that went into the groups."""
    keys: dict[str, Value] | None = None
    """Once grouped: what is grouped by, under its SQL."""
    group: Things = NOTHING
    number: int = 0
    """Once grouped: the number of the groups."""
    inside: bool = False
    """Whether the expression stands inside an aggregate, where the single rows are seen."""
    clause: str = "select"
    given: Held = field(default_factory=Held)
    """The condition of the CASE around the expression."""
    seen: dict[tuple[int, bool], Value] = field(default_factory=dict)
    queries: dict[int, Relation] = field(default_factory=dict)
    outer: set[tuple[int, str]] = field(default_factory=set)

    @property
    def facts(self) -> Facts:
        """What was found so far."""
        return self.world.facts

    def query(self, node: exp.Expr) -> Relation:
        """The rows of a subquery, worked out once."""
        if id(node) not in self.queries:
            self.queries[id(node)] = self.world.query(node, self)
        return self.queries[id(node)]

    def hold(self, held: Held) -> None:
        """A condition that every row meets from here on."""
        self.relation.fixes += held.fixes
        self.relation.constants |= held.constants
        for reading, condition in held.filters:
            reading.filters.append(condition)

    def depend_on(self, things: Things) -> None:
        """The rows depend on those around them, which are fixed while these are worked out."""
        self.outer |= things
        for relation in (self.relation, self.rows):
            if relation is not None:
                relation.fixes += [Fixes(NOTHING, thing) for thing in things]

    @contextmanager
    def under(self, held: Held) -> Iterator[None]:
        """While a condition holds."""
        before = self.given
        self.given = before + held
        try:
            yield
        finally:
            self.given = before

    @contextmanager
    def within_aggregate(self) -> Iterator[None]:
        """While single rows are seen."""
        before = self.inside
        self.inside = True
        try:
            yield
        finally:
            self.inside = before
