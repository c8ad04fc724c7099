"""The pieces that verbs, prepositions and joining words make of others: the most rivers, running through Texas, but not Boxing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from veracity.semantic.query import Condition, Dimension, SemanticQuery
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import Direction, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase, SaidTimes


@dataclass(frozen=True, slots=True)
class CountedRows(Phrase):
    """more than 2 papers: rows with a condition on how many."""

    rows: RowsPhrase
    op: str
    number: int
    most: int | None = None
    """Between `number` and so many of them."""


@dataclass(frozen=True, slots=True)
class MostRows(Phrase):
    """the most rivers: rows whose number decides."""

    rows: RowsPhrase
    direction: Direction
    count: int | None = None
    skip: int = 0
    last: bool = False
    """Whether the superlative stands behind the noun, as some languages put it."""


@dataclass(frozen=True, slots=True)
class QuantifiedRows(Phrase):
    """only Texas, both Texas and Ohio: rows that are related with these and no others, or with each of them."""

    rows: RowsPhrase
    only: bool
    """Whether others are excluded; else each of the names is meant."""


@dataclass(frozen=True, slots=True)
class CameAbout(Phrase):
    """A word for how rows came about, true of every row of these entities: published, placed."""

    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verb(Phrase):
    """A verb and the relations that it may mean, each with the preposition it takes."""

    steps: tuple[tuple[str, str, str], ...]
    """The entity that does it, the name of the relation from there, the preposition or nothing."""
    only: bool = False
    """Only runs through: with no others than those that are named."""
    transitive: tuple[tuple[str, str], ...] = ()
    """Of the relations those that need their object: who created a review was not created himself."""

    @property
    def alone(self) -> tuple[tuple[str, str, str], ...]:
        """The relations that it may mean without an object."""
        return tuple(step for step in self.steps if step[:2] not in self.transitive)


@dataclass(frozen=True, slots=True)
class Clause(Phrase):
    """Rows with a verb behind them, whose object stands elsewhere: `the Mississippi runs`."""

    rows: RowsPhrase
    verb: Verb


@dataclass(frozen=True, slots=True)
class VerbIt(Phrase):
    """`running through it`: a verb about what was named before."""

    verb: Verb


@dataclass(frozen=True, slots=True)
class StrandedRows(Phrase):
    """Rows with a preposition left behind: `Boston ... in`."""

    rows: RowsPhrase
    word: str


@dataclass(frozen=True, slots=True)
class Happening(Phrase):
    """never ridden, admitted most often: what happened, to whom is not said yet."""

    rows: RowsPhrase
    """What happened; with its link where a verb said it."""
    whose: str = ""
    """Whom it happened to, where a verb said it."""
    direction: Direction | None = None
    """most often, least often; nothing: never."""
    times: SaidTimes | None = None
    """At least twice: how often it happened."""
    amassed: bool = False
    """The most, not most often: where rows say how many of something, that may be meant."""


@dataclass(frozen=True, slots=True)
class RowState(Phrase):
    """late, on time: what two dates of a row say."""

    kind: str
    today: date = date.min
    behind_verb: bool = False
    """Whether a verb stands right before it, so that it is said of that one: placed late."""


@dataclass(frozen=True, slots=True)
class About(Phrase):
    """A preposition with rows: `in Texas`, `of the customers`."""

    word: str
    kind: str
    rows: RowsPhrase | CountedRows | MostRows | QuantifiedRows
    negated: bool = False
    first: bool = False
    """Whether it begins the question."""


@dataclass(frozen=True, slots=True)
class AboutEach(Phrase):
    """`in each state`, `per country`: what an answer is divided by."""

    dimension: Dimension
    entity: str
    kind: str = "per"
    where: tuple[Condition, ...] = ()
    """Conditions on the rows that it is divided by."""
    role: tuple[str, str] | None = None
    """The relation that leads to them, where it was said: the entity that it starts at, and its name."""
    more: tuple[AboutEach, ...] = ()
    """What it is divided by, too: per customer *and year*."""


@dataclass(frozen=True, slots=True)
class HalfPhrase(Phrase):
    """`neither Texas`, `nor Ohio`: one half of a pair that means nothing alone."""

    kind: str
    phrase: RowsPhrase | RowFilter | About


@dataclass(frozen=True, slots=True)
class JoinedPhrase(Phrase):
    """`and Texas`, `or more`: the second half of a pair."""

    kind: str
    phrase: Phrase
    period: QueryPeriod | None = None
    """The time that is said of it, where it has none of its own."""


@dataclass(frozen=True, slots=True)
class Beside(Phrase):
    """`compared to Zurich`: what stands beside what was said before, each with its own figure."""

    phrase: RowsPhrase | RowFilter | FigurePhrase
    differs: bool = False
    """Whether the difference of the two is asked for: how many more in Bern than in Zurich."""


@dataclass(frozen=True, slots=True)
class ButPhrase(Phrase):
    """`but without a booking`, `but not Boxing`: what else holds of the same rows, or does not."""

    phrase: Phrase
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Edited(Phrase):
    """The last query of a conversation, with what the words of a follow-up change in it so far."""

    query: SemanticQuery
    lead: bool = False
    """Whether the follow-up begins with `and`: it goes on with the same question."""
    how: str = ""
    """How the next words are meant: only, instead."""
    changed: bool = False
    """Whether words before have changed it already."""
    own: tuple[Condition, ...] = ()
    """The conditions that are part of what its figure is called: sales are the income of some accounts."""


@dataclass(frozen=True, slots=True)
class TheseRows(Phrase):
    """`them`, `their`: what the last query of a conversation found."""

    query: SemanticQuery


@dataclass(frozen=True, slots=True)
class Wanted(Phrase):
    """`only in Germany`, `without Germany`, `per month instead`: words, and how they change the last query."""

    how: str
    phrase: Phrase
