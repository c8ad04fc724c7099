"""What the checks look at: readings of entities, values with their origins, and which things fix which.

A *thing* is a field of one reading, or a whole row of one (`ROW`). "Customer and day fix the row" is a `Fixes`; what a set
of things fixes in the end is `closed`. Whether a sum counts a row twice, whether a period is the same in all rows of a
group, whether a join multiplies rows: each is a question to `closed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any

from veracity.query.catalog import Catalog, CatalogEntity, FieldFacts
from veracity.query.model import Call, Filter
from veracity.query.values import Values
from veracity.sources.source import Column, Dialect

if TYPE_CHECKING:
    from sqlglot import exp


ADDING = ("SUM", "AVG", "SUM_DISTINCT", "AVG_DISTINCT")
"""Aggregates that add values up."""
ROW = "*"
_BRANCH = "branch"
Thing = tuple[int, str]
"""A field of a reading, by the reading's number; with `ROW` its row."""
Things = frozenset[Thing]
NOTHING: Things = frozenset()


@dataclass(frozen=True, slots=True)
class Fixes:
    """Rows that agree on all of `by` agree on `thing`. With an empty `by`, it is the same in all rows."""

    by: Things
    thing: Thing
    present: frozenset[int] | None = None
    """After an outer join it may hold only where a row of one of these is really there."""
    equal: bool = False
    """They are the same, not only decided by each other as a week and the one after it."""


def closed(start: Iterable[Thing], fixes: Iterable[Fixes], *, present: int | None = None) -> Things:
    """Everything that is fixed once `start` is; `present` is a reading of which a row is there."""
    known = set(start)
    pending = [fix for fix in fixes if fix.present is None or present in fix.present]
    while True:
        fired = [fix for fix in pending if all(is_in(thing, known) for thing in fix.by)]
        if not fired:
            return frozenset(known)
        known |= {fix.thing for fix in fired}
        pending = [fix for fix in pending if fix not in fired and not is_in(fix.thing, known)]


def same_as(thing: Thing, fixes: Iterable[Fixes]) -> Things:
    """Everything that is said to equal a thing, and itself."""
    pairs = [(next(iter(fix.by)), fix.thing) for fix in fixes if fix.equal and len(fix.by) == 1]
    known, grown = {thing}, True
    while grown:
        more = {b for a, b in pairs if a in known} | {a for a, b in pairs if b in known}
        grown = not more <= known
        known |= more
    return frozenset(known)


def is_in(thing: Thing, known: Iterable[Thing]) -> bool:
    """Whether a thing is among the known ones, by itself or with its whole row."""
    return thing in known or (thing[0], ROW) in known


def branch_thing(number: int) -> Thing:
    """Which branch of a UNION a row comes from."""
    return number, _BRANCH


@dataclass(eq=False, slots=True)
class TableUse:
    """One place where rows of an entity come in."""

    number: int
    entity: CatalogEntity
    at: int
    """The node of the SQL that names it."""
    said: set[str] = field(default_factory=set)
    """Fields that are filtered, grouped, sorted or joined by anywhere."""
    filters: list[Filter] = field(default_factory=list)
    """What holds for every row of it that has a part in the result."""
    browsed: bool = False
    """All its fields are shown and nothing else is done with it."""

    def thing(self, name: str) -> Thing:
        """One of its fields."""
        return self.number, name

    @property
    def row(self) -> Thing:
        """Its row."""
        return self.number, ROW

    def call(self, *, tool: str = "queryTable", **parts: Any) -> Call:
        """A structured call on its entity."""
        return Call(tool, self.entity.name, **parts)


@dataclass(frozen=True, slots=True)
class Held:
    """What a condition says of the rows that meet it."""

    fixes: tuple[Fixes, ...] = ()
    constants: Mapping[Thing, Any] = field(default_factory=dict)
    """Things that have one known value."""
    filters: tuple[tuple[TableUse, Filter], ...] = ()

    def __add__(self, other: Held) -> Held:
        return Held((*self.fixes, *other.fixes), {**self.constants, **other.constants}, (*self.filters, *other.filters))

    def filters_of(self, reading: TableUse) -> tuple[Filter, ...]:
        """The conditions on the fields of one reading."""
        return tuple(condition for of, condition in self.filters if of is reading)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A base field, or a count, as a part of a value that may be added up."""

    row: Thing
    """What the value belongs to: it may be added once for each of these."""
    reading: TableUse | None = None
    facts: FieldFacts | None = None
    """None for a count."""
    over: tuple[Thing | None, ...] = ()
    """What must be the same in all rows that are added up; None is out of reach."""
    key: Things = NOTHING
    """What identifies it within one of the above."""
    units: tuple[Thing, ...] = ()
    """One of these fixes the unit."""
    apart: tuple[tuple[Thing | None, str, int | str], ...] = ()
    """A field and the value of it that sums up the others, never added up together with them."""
    aggregated: str | None = None
    """The aggregate that it has been through."""
    negative: bool = False
    given: Held = field(default_factory=Held)
    """What holds where this leaf counts: the condition of a CASE or a FILTER."""
    branch: tuple[tuple[int, int], ...] = ()
    """Which part of which UNION it comes from."""

    @property
    def name(self) -> str:
        """The field's name."""
        return self.facts.column.name if self.facts else "count"


@dataclass(frozen=True, slots=True)
class Term:
    """A product: factors over divisors. Numbers that were written are left out."""

    factors: tuple[Leaf, ...]
    divisors: tuple[Leaf, ...] = ()
    divided_by: Things = NOTHING
    """What the divisor depends on."""

    def each(self, **changes: Any) -> Term:
        """The same with every factor changed."""
        return replace(self, factors=tuple(replace(leaf, **changes) for leaf in self.factors))


@dataclass(frozen=True, slots=True)
class Rank:
    """A value is the number of its row within a part of the rows: filtered to 1, the part fixes the row."""

    by: Things
    first: Things
    """What is fixed in the rows with rank 1."""


@dataclass(frozen=True, slots=True)
class SqlValue:
    """What an expression is made of."""

    column: Column
    thing: Thing | None = None
    """What it is called among the things; None where it is made of others."""
    by: Things = NOTHING
    """The things that decide it."""
    terms: tuple[Term, ...] = ()
    field_of: tuple[TableUse, str] | None = None
    """The field it is a plain copy of."""
    constant: bool = False
    literal: Any = None
    """The value of a constant, as JSON would have it."""
    aggregate: str | None = None
    origin: frozenset[tuple[str, str]] = frozenset()
    """Entity and field of every base field it is taken from."""
    rank: Rank | None = None
    parts: tuple[SqlValue, ...] = ()
    """The column of each part of a UNION."""
    wrapped: str | None = None
    """LOWER or UPPER around a plain field."""
    shifted: Thing | None = None
    """It is this thing, plus or minus a constant: each fixes the other."""
    counted: Aggregation | None = None
    """The COUNT(*) that it is."""
    size: int = 0
    """How many characters its text may have, roughly."""
    written: exp.Expr | None = None
    """The expression it is, in fields of table uses, where it is made of nothing else."""

    @property
    def determined_by(self) -> Things:
        """The smallest set of things known to decide it."""
        return frozenset({self.thing}) if self.thing else self.by

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """Every leaf of it, divisors included."""
        return tuple(leaf for term in self.terms for leaf in (*term.factors, *term.divisors))


def counts_once(leaf: Leaf, rows: Things, fixes: Iterable[Fixes]) -> bool:
    """Whether rows and what a leaf belongs to go one to one."""
    held = list(fixes)
    ahead = closed({leaf.row}, held, present=leaf.row[0])
    return all(is_in(row, ahead) for row in rows) and is_in(leaf.row, closed(rows, held))


@dataclass(slots=True)
class SqlRelation:
    """Rows on their way through the SQL."""

    columns: dict[str, SqlValue] = field(default_factory=dict)
    rows: Things = NOTHING
    """Together they identify a row."""
    fixes: list[Fixes] = field(default_factory=list)
    constants: dict[Thing, Any] = field(default_factory=dict)
    readings: tuple[TableUse, ...] = ()
    groups: tuple[tuple[str, str], ...] = ()
    """Entity and field of what the rows were grouped by last."""
    cut: int | None = None
    """The node of a LIMIT without ORDER BY that left out rows."""
    outer: Things = NOTHING
    """What it depends on in the SELECTs around it."""
    sorted_by: tuple[tuple[str, str, bool], ...] = ()
    """Entity, field and whether downwards, of the plain fields it is sorted by."""

    def closed(self, start: Iterable[Thing]) -> Things:
        """Everything that is fixed within these rows once `start` is."""
        return closed(start, self.fixes)

    def counts_once(self, leaf: Leaf) -> bool:
        """Whether no row that a leaf belongs to stands in two of these rows, or shares one with another."""
        return counts_once(leaf, self.rows, self.fixes)

    @property
    def is_one_row(self) -> bool:
        """Whether there can be no second row."""
        known = self.closed(())
        return all(is_in(row, known) for row in self.rows)


@dataclass(frozen=True, slots=True)
class SqlComparison:
    """A field held against literals somewhere in the SQL."""

    reading: TableUse
    condition: Filter
    at: int
    """The node that compares."""
    literals: tuple[int, ...] = ()
    """The nodes of its literals."""
    wrapped: str | None = None


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Two fields that cannot be compared with each other."""

    left: tuple[TableUse, str]
    right: tuple[TableUse, str]


@dataclass(frozen=True, slots=True)
class Aggregation:
    """An aggregate somewhere in the SQL: what it takes in and what is fixed in each of its groups."""

    function: str
    """SUM, AVG, COUNT, COUNT_DISTINCT, MIN, MAX or another adding one."""
    at: int
    select: int
    """The node of the SELECT it stands in."""
    value: SqlValue | None
    """What it is taken of; None for COUNT(*)."""
    group: Things
    rows: Things
    fixes: tuple[Fixes, ...]
    constants: Mapping[Thing, Any]
    readings: tuple[TableUse, ...]
    given: Held
    window: bool = False
    cut: int | None = None

    def fixed(self, *more: Thing, given: Held | None = None) -> Things:
        """What is the same in all rows of a group, once some things more are."""
        held = given.fixes if given else ()
        return closed((*self.group, *more), (*self.fixes, *self.given.fixes, *held))

    def counts_once(self, leaf: Leaf) -> bool:
        """Whether no row that the leaf belongs to is taken in twice."""
        return counts_once(leaf, self.rows, (*self.fixes, *self.given.fixes, *leaf.given.fixes))


@dataclass(frozen=True, slots=True)
class Reckoning:
    """Two values that are added, subtracted, multiplied or divided somewhere in the SQL."""

    operator: str
    """`Add`, `Sub`, `Mul`, `Div` and the like."""
    left: SqlValue
    right: SqlValue
    same: bool
    """Both sides are the same expression."""
    divided: bool
    """What comes out is divided by a number that was written: a mean of the two."""
    fixes: tuple[Fixes, ...]
    constants: Mapping[Thing, Any]

    def constant(self, thing: Thing, leaf: Leaf) -> Any:
        """What a thing is known to be where a leaf counts; None where it is not known."""
        return {**self.constants, **leaf.given.constants}.get(thing)


@dataclass(frozen=True, slots=True)
class WrittenChoice:
    """A number that was written and may come out of a CASE, a COALESCE or a GREATEST as a figure."""

    literal: Any
    of: str
    """`Case`, `Coalesce` and the like."""
    clause: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A condition on what is made of stored texts: some row has to meet it."""

    reading: TableUse
    condition: exp.Expr
    """It as a condition on the fields of the table use, never negated."""
    fields: tuple[str, ...]

    @property
    def sql(self) -> str:
        """It in SQL, which is also what it is known by."""
        return f"{self.reading.entity.name}: {self.condition.sql()}"


@dataclass(frozen=True, slots=True)
class Joined:
    """One join: two sources, and how many rows of one may meet a row of the other."""

    at: int
    left: tuple[TableUse, ...]
    right: tuple[TableUse, ...]
    related: bool
    """A pair of their columns is declared, or named, to belong together."""
    to_one: bool
    """At least on one side there is one row at the most."""
    met: bool
    """Some column of one equals some column of the other."""
    names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Loose:
    """A column beside aggregates that is not grouped by."""

    name: str
    at: int
    select: int


@dataclass(slots=True)
class Facts:
    """Everything the checks need, in the order it was met."""

    comparisons: list[SqlComparison] = field(default_factory=list)
    mismatches: list[Mismatch] = field(default_factory=list)
    computed: list[tuple[TableUse, str]] = field(default_factory=list)
    """Texts that something is computed with."""
    aggregations: list[Aggregation] = field(default_factory=list)
    joins: list[Joined] = field(default_factory=list)
    loose: list[Loose] = field(default_factory=list)
    readings: list[TableUse] = field(default_factory=list)
    several: list[int] = field(default_factory=list)
    """Subqueries that stand for one value and may return several rows."""
    shown: list[TableUse] = field(default_factory=list)
    """The readings of subqueries that stand among the columns."""
    narrowing: list[TableUse] = field(default_factory=list)
    """The readings of subqueries that every row of the result has a match in."""
    incomparable: list[tuple[TableUse, str]] = field(default_factory=list)
    """Fields sorted or grouped by whose type cannot be compared."""
    reckonings: list[Reckoning] = field(default_factory=list)
    choices: list[WrittenChoice] = field(default_factory=list)
    probes: list[Probe] = field(default_factory=list)
    longest: int = 0
    """How many characters the longest text that is put together may have, roughly."""
    optional: dict[int, int] = field(default_factory=dict)
    """The numbers of table uses that an outer join may leave without a row, and the node of that join."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the checks look at."""

    relation: SqlRelation
    facts: Facts
    catalog: Catalog
    profile: Values

    @property
    def adding(self) -> Iterator[Aggregation]:
        """The aggregates that add values up."""
        return (found for found in self.facts.aggregations if found.function in ADDING)


# --- where an expression stands: the sources around it, the rows it is worked out over, and what was found so far


@dataclass(slots=True)
class World:
    """What all SELECTs of one statement share."""

    catalog: Catalog
    dialect: Dialect
    query: Callable[[exp.Expr, SqlScope | None], SqlRelation]
    """Works out a subquery."""
    handler: Callable[[exp.Expr], Callable[[exp.Expr, SqlScope], SqlValue]]
    """Says who works out an expression."""
    native: bool = False
    """The statement is in the source's own SQL."""
    facts: Facts = field(default_factory=Facts)
    ctes: dict[int, tuple[exp.Expr, SqlScope | None]] = field(default_factory=dict)
    """The parts of WITH by their number, and where they were written."""
    used: set[int] = field(default_factory=set)
    """Those that something has read."""
    numbers: Iterator[int] = field(default_factory=lambda: count(1))


@dataclass(slots=True)
class SqlScope:
    """One SELECT while it is worked out."""

    world: World
    parent: SqlScope | None
    select: int
    """Its node."""
    relation: SqlRelation = field(default_factory=SqlRelation)
    """The rows as they are now: joined, then filtered, then grouped."""
    sources: dict[str, dict[str, SqlValue]] = field(default_factory=dict)
    rows: SqlRelation | None = None
    """Once grouped: the rows that went into the groups."""
    keys: dict[str, SqlValue] | None = None
    """Once grouped: what is grouped by, under its SQL."""
    group: Things = NOTHING
    number: int = 0
    """Once grouped: the number of the groups."""
    inside: bool = False
    """Whether the expression stands inside an aggregate, where the single rows are seen."""
    clause: str = "select"
    given: Held = field(default_factory=Held)
    """The condition of the CASE around the expression."""
    seen: dict[tuple[int, bool], SqlValue] = field(default_factory=dict)
    queries: dict[int, SqlRelation] = field(default_factory=dict)
    outer: set[tuple[int, str]] = field(default_factory=set)

    @property
    def facts(self) -> Facts:
        """What was found so far."""
        return self.world.facts

    def value(self, node: exp.Expr) -> SqlValue:
        """What an expression is made of; worked out once per place."""
        key = (id(node), self.inside)
        known = self.seen.get(key)
        if known is None:
            known = self.seen[key] = self._grouped_by(node) or self.world.handler(node)(node, self)
        return known

    def _grouped_by(self, node: exp.Expr) -> SqlValue | None:
        """The value of something that is grouped by."""
        if self.keys is None or self.inside:
            return None
        return self.keys.get(node.sql())

    def owner(self, alias: str) -> tuple[SqlScope, list[SqlScope]]:
        """The SELECT that a table belongs to, and those that stand between."""
        owner: SqlScope | None = self
        passed: list[SqlScope] = []
        while owner is not None and alias not in owner.sources:
            passed.append(owner)
            owner = owner.parent
        assert owner is not None
        return owner, passed

    def query(self, node: exp.Expr) -> SqlRelation:
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
