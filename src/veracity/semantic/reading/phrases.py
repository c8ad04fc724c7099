"""Rows, fields and stored values among the pieces that a question is composed of, and the words that join them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from veracity.semantic.query import (
    Aggregate,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    InSegment,
    OrderBy,
    SemanticQuery,
    all_of,
)
from veracity.semantic.query_values import Grain, QueryPeriod
from veracity.semantic.reading.said_phrases import (
    Phrase,
)

Direction = Literal[1, -1]
"""1: the largest values, -1: the smallest."""


@dataclass(frozen=True, slots=True)
class JoiningWord(Phrase):
    """A word that joins others: of, in, with, not, per, each, ..."""

    kind: str
    text: str = ""
    first: bool = False
    """Whether it begins the question."""
    last: bool = False
    """Whether it ends the question."""
    owns: bool = False
    """Whether it is a verb for owning something: has, not with."""
    never: bool = False
    """Whether it denies it for all times: never, not just without."""


@dataclass(frozen=True, slots=True)
class RowsPhrase(Phrase):
    """Rows of an entity: all of them, or those that meet conditions, or the first ones in an order."""

    entity: str
    where: tuple[Condition, ...] = ()
    order: tuple[OrderBy, ...] = ()
    limit: int | None = None
    skip: int = 0
    per: tuple[Dimension, ...] = ()
    period: QueryPeriod | None = None
    named: bool = False
    """One row, called by its name."""
    called: bool = False
    """Whether the noun stands beside its name: the club Chess."""
    each: tuple[tuple[Condition, ...], ...] = ()
    """Of names joined by `and`: the conditions of each one; `where` is about any of them."""
    other: bool = False
    """Others than the row that they are related to; only a relation of an entity to itself gives that a meaning."""
    may_be: tuple[str, ...] = ()
    """For a name: the entities that have something of that name."""
    plural: bool = False
    """Whether the noun stands in the plural, as far as that can be seen."""
    within: str = ""
    """The entity of several rows that each of these belongs to: the largest cities *in the states*."""
    by_adjective: str = ""
    """The adjective that the order comes from; `by population` may still say what it is about."""
    awaits: tuple[int | None, Direction] | None = None
    """Top 5, or the best, but by what is not said yet."""
    edge: tuple[str, ...] = ()
    """The entities of the rows that stand at the right end of the words, the outermost first."""
    link: tuple[str, str] | None = None
    """The relation that ties them to what was named before: the entity that it starts at, and its name."""
    figure_word: bool = False
    """Said by a word that is one for a figure: the bank balance is no list of accounts."""
    also: tuple[Attribute, ...] = ()
    """Fields to show beside their names: entries with their amount."""
    after_top: bool = False
    """Its order was said behind it, so that a further condition may be about the rows before or after it."""
    aim: bool = False
    """Whether `to` stands before them: nothing starts there."""
    happened: bool = False
    """What happened to them was said: a time behind it is about that, not about them."""
    bounded: bool = False
    """Whether a number without a field was said of them: a noun behind it is what that number counts."""
    different: bool = False
    """Whether it was said that each of them counts once: different courses."""

    @property
    def bare(self) -> bool:
        """Just the noun."""
        return not (self.where or self.order or self.period or self.awaits or self.other)

    @property
    def is_segment(self) -> bool:
        """A noun for some rows of an entity, such as customers, and no more."""
        only = len(self.where) == 1 and isinstance(self.where[0], InSegment)
        return only and not (self.order or self.period or self.awaits or self.named)

    @property
    def single(self) -> bool:
        """Whether the words speak of one row."""
        return (self.named and not self.several) or (self.limit == 1 and not self.per)

    @property
    def several(self) -> bool:
        """Whether several rows are called by their names."""
        only = self.where[0] if len(self.where) == 1 else None
        return isinstance(only, AnyOf) or (isinstance(only, Comparison) and only.op == "in")

    def query(self) -> SemanticQuery:
        """The query that lists these rows."""
        return SemanticQuery(
            of=self.entity,
            where=all_of(self.where),
            order=self.order,
            limit=self.limit,
            skip=self.skip,
            per=self.per,
            period=self.period,
        )

    def having(self, *conditions: Condition) -> RowsPhrase:
        """These rows, under further conditions."""
        return replace(self, where=merged(self.where, conditions), named=self.named)


def merged(first: tuple[Condition, ...], second: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Both lists of conditions, each condition once."""
    return tuple(dict.fromkeys((*first, *second)))


@dataclass(frozen=True, slots=True)
class Attribute(Phrase):
    """A field by its name, of rows that are not said yet; maybe its average, or its largest value."""

    entity: str
    field: str
    aggregate: Aggregate | None = None
    direction: Direction | None = None
    grain: Grain | None = None
    asked: bool = False
    """How many of it: a quantity is asked for."""
    may_be: tuple[str, ...] = ()
    """The entities that have a field of that name."""
    unit: str | None = None
    """The unit that it is wanted in."""
    verb: bool = False
    """Whether a verb says it: costs, of a price."""
    behind: bool = False
    """Whether its superlative stands behind it: `whose altitude is highest` asks for rows, not for the altitude."""
    totals: bool = False
    """Whether its own name begins with a word for a sum: the total cost of several admissions is one figure."""
    ranks: bool = False
    """Whether its own name has a superlative: `the state with the highest point` asks for one state, not for all that have such a field."""
    amassed: bool = False
    """Whether the most of it is said, not the highest: of several rows that is what they come to."""

    @property
    def plain(self) -> bool:
        """Whether nothing is said of it yet."""
        return self.aggregate is None and self.direction is None and not self.asked

    @property
    def path(self) -> str:
        """`Entity.field`"""
        return f"{self.entity}.{self.field}"


@dataclass(frozen=True, slots=True)
class Attributes(Phrase):
    """Several fields side by side."""

    fields: tuple[Attribute, ...]


@dataclass(frozen=True, slots=True)
class Lookup(Phrase):
    """Fields of rows."""

    rows: RowsPhrase
    fields: tuple[Attribute, ...]
    asked: bool = False
    """How many of it: a quantity is asked for, to be added up where there are several rows."""
    unit: str | None = None
    distinct: bool = False
    """Which customers ordered: each of them once, where rows only name them."""


@dataclass(frozen=True, slots=True)
class FieldsOfEach(Phrase):
    """The city of each customer: a whole question. An average of each is none of them all."""

    lookup: Lookup


@dataclass(frozen=True, slots=True)
class Stored(Phrase):
    """A stored value, and the fields that hold it."""

    homes: tuple[tuple[str, str, str | int], ...]
    """Entity, field, the value as it is stored."""
    noun: bool = False
    """Whether it stands in the plural: emergencies are rows of that kind."""
    holders: tuple[str, ...] = ()
    """The entities with this value that a noun of the question names."""


@dataclass(frozen=True, slots=True)
class RowFilter(Phrase):
    """A condition on rows of an entity that are not said yet."""

    entity: str
    where: tuple[Condition, ...]
    edge: tuple[str, ...] = ()
    before: bool = False
    """May stand before the noun ("Texas city")."""
    is_value: bool = False
    """Just a stored value: it says which rows, but is not what a row is called."""
    noun: bool = False
    """A stored value in the plural, which stands for the rows that have it."""
    verb: bool = False
    """What a verb with its object says: who does it may be left out."""
    beyond: bool = False
    """What a verb says of something beyond its object, as students take courses: who does it must be said."""
    said_of: tuple[str, ...] = ()
    """For what a verb says: the entities that may do it, or that it may be done to. It is said of their own rows, not of rows that others of them belong to."""
    free: bool = False
    """An exception, which may be about any of the things before it."""
    lacks: Literal["", "it", "ever"] = ""
    """Whether it says that a field is not filled: not now, or never."""
    may_be: tuple[str, ...] = ()
    """The entities that the same words may be about."""


@dataclass(frozen=True, slots=True)
class WhoPhrase(Phrase):
    """Who: some people, of which entity is not said yet."""

    persons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SegmentWord(Phrase):
    """A word for some rows of an entity: major, active."""

    entity: str
    name: str

    @property
    def condition(self) -> Condition:
        """Being in it."""
        return InSegment(segment=self.name)


@dataclass(frozen=True, slots=True)
class Role(Phrase):
    """What one entity is to another: the capital of a state, the support rep of a customer."""

    start: str
    step: str
    end: str
    whose: bool = False
    """Whether `whose` stands before it: it is about rows that have such a one, not about these themselves."""


@dataclass(frozen=True, slots=True)
class WhoseRows(Phrase):
    """`whose studio`: the one that each row has; what is said of it follows."""

    entity: str
    rows: RowsPhrase | None = None
    """Those of which it is true."""


@dataclass(frozen=True, slots=True)
class FirstRows(Phrase):
    """`the store with the highest revenue`, as what something else is asked of: its employees."""

    rows: RowsPhrase


@dataclass(frozen=True, slots=True)
class WithField(Phrase):
    """`with their amount`: a field to show beside."""

    field: Attribute


@dataclass(frozen=True, slots=True)
class InField(Phrase):
    """`in its name`: where a text is looked for."""

    field: Attribute
