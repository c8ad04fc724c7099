"""The pieces that a question is composed of: rows, attributes, figures, conditions and the words that join them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
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
    Shown,
    all_of,
)
from veracity.semantic.query_values import Comparing, Grain, QueryPeriod
from veracity.semantic.reading.said_phrases import (
    Phrase,
    SaidNumber,
    SaidPeriod,
    SaidTimes,
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
class CameAbout(Phrase):
    """A word for how rows came about, true of every row of these entities: published, placed."""

    entities: tuple[str, ...]


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
class TopFilter(Phrase):
    """`with the largest population`: of rows of an entity those first in an order."""

    entity: str
    order: tuple[OrderBy, ...]
    limit: int = 1
    skip: int = 0
    edge: tuple[str, ...] = ()
    may_be: tuple[str, ...] = ()
    added: bool = False
    """Whether what belongs to a row is added up: the most hours, not the longest shift."""
    amassed: bool = False
    """Whether the most of a field is said: of who has several of them it is none of them by itself."""


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
class PerQuantity(Phrase):
    """`per pupil`, where a field says how many pupils there are: what a figure is divided by, as a number."""

    quantities: tuple[Attribute, ...]
    """The fields that it may be, of one entity or of several."""


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
class Superlative(Phrase):
    """largest, longest, second largest, top 5, most."""

    direction: Direction
    adjective: str = ""
    """Empty for top, most and the like."""
    count: int | None = None
    skip: int = 0
    fields: tuple[tuple[str, str], ...] = ()
    """The fields that the adjective belongs to: (entity, field)."""
    general: bool = False
    """Goes with every field: highest, largest, lowest."""
    counts: bool = False
    """most, fewest: with rows, their number is meant."""
    dated: bool = False
    """newest, oldest: where no field has the adjective, the date of the rows is meant."""
    never_of: tuple[str, ...] = ()
    """The entities of people: the oldest of them are not those who came first."""


@dataclass(frozen=True, slots=True)
class Comparative(Phrase):
    """longer than, more than, at least."""

    op: str
    fields: tuple[tuple[str, str], ...] = ()
    """The fields that the adjective belongs to; empty where any may be meant."""
    general: bool = False
    """Goes with every figure, too: higher, lower."""


@dataclass(frozen=True, slots=True)
class AgeBound(Phrase):
    """older than: how many years is not said yet."""

    op: str
    born: tuple[tuple[str, str], ...]
    """The dates of birth: (entity, field)."""
    today: date = date.min


@dataclass(frozen=True, slots=True)
class AgeFilter(Phrase):
    """older than 40: a condition on people themselves, never on what belongs to them."""

    entity: str
    where: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class WhoPhrase(Phrase):
    """Who: some people, of which entity is not said yet."""

    persons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenBound(Phrase):
    """more than 5 million: a comparison whose field is not said yet."""

    op: str
    number: SaidNumber
    upper: SaidNumber | None = None
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HowAdjective(Phrase):
    """An adjective in its plain form, for `how long is`."""

    fields: tuple[tuple[str, str], ...]
    asked: bool = False
    direction: Direction = 1


@dataclass(frozen=True, slots=True)
class VagueRows(Phrase):
    """large customers: from what on they are large is not said."""

    rows: RowsPhrase
    direction: Direction
    fields: tuple[str, ...]
    """The fields that it may be about."""
    counted: bool = False
    """Whether their number is asked for."""


@dataclass(frozen=True, slots=True)
class TwoNumbers(Phrase):
    """10 and 20, of which `between` makes a comparison."""

    low: SaidNumber
    high: SaidNumber


@dataclass(frozen=True, slots=True)
class AverageBound(Phrase):
    """above average: a comparison with the average of a field that is not said yet."""

    op: str
    fields: tuple[tuple[str, str], ...] = ()
    over: str = ""
    """The entity of whose rows it is the average, where it is said: than the average customer."""


@dataclass(frozen=True, slots=True)
class FigureBound(Phrase):
    """revenue over 100: a comparison of a figure of each row; without a number with the average over the rows."""

    figures: FigurePhrase
    op: str
    value: Decimal | None = None
    over: str = ""
    """The entity that it is compared within, where it is said."""
    only_those: bool = False
    """Whether the average is of those that have any: of what is vague, each way of counting would be one more."""


@dataclass(frozen=True, slots=True)
class WithoutFigure(Phrase):
    """without revenue in 2024: of whom is not said yet."""

    figures: FigurePhrase


@dataclass(frozen=True, slots=True)
class MoreOf(Phrase):
    """more invoices, more people: than whom is not said yet."""

    op: str
    what: Attribute | RowsPhrase | FigurePhrase
    times: Decimal = Decimal(1)
    """Twice as many: so many times what it is compared with."""


@dataclass(frozen=True, slots=True)
class ThanRows(Phrase):
    """than Frank Harris: what is compared is not said yet, or stands before it."""

    rows: RowsPhrase
    op: str = ""


@dataclass(frozen=True, slots=True)
class ThanPeriod(Phrase):
    """higher than in 2023, more loans in 2024 than in 2023: of what, or of when, may stand before it."""

    op: str
    than: SaidPeriod
    first: SaidPeriod | None = None
    what: FigurePhrase | None = None


@dataclass(frozen=True, slots=True)
class ThanNamed(Phrase):
    """more books than Glauser: who has them stands before it."""

    op: str
    what: FigurePhrase
    than: RowsPhrase


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
class CountedRows(Phrase):
    """more than 2 papers: rows with a condition on how many."""

    rows: RowsPhrase
    op: str
    number: int
    most: int | None = None
    """Between `number` and so many of them."""


@dataclass(frozen=True, slots=True)
class QuantifiedRows(Phrase):
    """only Texas, both Texas and Ohio: rows that are related with these and no others, or with each of them."""

    rows: RowsPhrase
    only: bool
    """Whether others are excluded; else each of the names is meant."""


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
class Commonest(Phrase):
    """the most common kind: the value or the row that most rows have."""

    what: Attribute | RowsPhrase
    direction: Direction
    count: int = 1


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
class FigurePhrase(Phrase):
    """A figure: what is computed, of which rows, divided by what."""

    shown: tuple[Shown, ...]
    home: str
    where: tuple[Condition, ...] = ()
    by: tuple[Dimension, ...] = ()
    period: QueryPeriod | None = None
    order: tuple[OrderBy, ...] = ()
    limit: int | None = None
    skip: int = 0
    having: tuple[Condition, ...] = ()
    compare: Comparing | None = None
    direction: Direction | None = None
    """largest, in front of it; by what it is divided decides what that means."""
    count: int | None = None
    edge: tuple[str, ...] = ()
    ends: tuple[QueryPeriod, QueryPeriod] | None = None
    """The first and the last of its period, where both were said."""
    changes: bool = False
    """Its change is asked for, but not yet from when to when."""
    grows: bool = False
    """Its growth is asked for: over periods the change from one to the next stands beside it."""
    per: tuple[Dimension, ...] = ()
    """The first ones within each of these: the highest monthly revenue of each genre."""

    def query(self) -> SemanticQuery:
        """The query that computes it."""
        return SemanticQuery(
            show=self.shown,
            of=self.home,
            where=all_of(self.where),
            by=self.by,
            period=self.period,
            order=self.order,
            limit=self.limit,
            skip=self.skip,
            per=self.per,
            having=all_of(self.having),
            compare=self.compare,
        )


@dataclass(frozen=True, slots=True)
class MeanOf(Phrase):
    """average revenue: per what is not said yet."""

    figures: FigurePhrase
    aggregate: Aggregate = Aggregate.AVG


@dataclass(frozen=True, slots=True)
class MeanFigure(Phrase):
    """average revenue per customer: the average over groups of their figures."""

    figures: FigurePhrase
    over: Dimension
    everyone: bool = False
    """Whether rows of the entity that have none count, too, with 0."""
    aggregate: Aggregate = Aggregate.AVG

    def query(self) -> SemanticQuery:
        """The query that computes it."""
        inner = self.figures.query()
        if self.everyone:
            count = Shown(aggregate=Aggregate.COUNT, of=self.over.entity, via=self.over.via)
            return inner.model_copy(update={"show": (Shown(ratio=(inner.show[0], count)),)})
        groups = inner.model_copy(update={"by": (self.over,)})
        return SemanticQuery(show=(Shown(aggregate=self.aggregate, rows=groups),), of=self.figures.home)


@dataclass(frozen=True, slots=True)
class PeriodNoun(Phrase):
    """`which month of 2024`: one of the periods of a length."""

    grain: Grain
    within: SaidPeriod | None = None
    placed: bool = False
    """Whether `in` stands before it: in which month."""
    awaits: tuple[int, Direction] | None = None
    """The best one, or so many: by what is still to be said."""
    of_each: Grain | None = None
    """The one of each longer period: the month of each year."""
    plural: bool = False
    counted: bool = False
    """How many of them: in how many months."""


@dataclass(frozen=True, slots=True)
class FewGroups(Phrase):
    """`3 cities`, `3 months`, `the top 3 cities`: so many of the groups, but by what is not said yet."""

    of: Attribute | PeriodNoun
    count: int | None
    best: Direction | None = None
    """Whether top or bottom was said."""
    narrowed: tuple[SaidPeriod | RowFilter, ...] = ()
    """What was said of their rows before that: the top 3 products in 2025, by revenue."""


@dataclass(frozen=True, slots=True)
class TopFigure(Phrase):
    """`has the highest sales`: of what it is said, those first by a figure."""

    figures: FigurePhrase


@dataclass(frozen=True, slots=True)
class FirstRows(Phrase):
    """`the store with the highest revenue`, as what something else is asked of: its employees."""

    rows: RowsPhrase


@dataclass(frozen=True, slots=True)
class ShareOf(Phrase):
    """`what share of revenue`: the part is not said yet."""

    figures: FigurePhrase


@dataclass(frozen=True, slots=True)
class SharePart(Phrase):
    """the share of emergencies, of wages: in what is not said yet."""

    part: RowFilter | RowsPhrase | FigurePhrase
    of: bool = False
    """Whether it stands behind `share of`: then it may be the whole, too (what share of expenses were wages)."""


@dataclass(frozen=True, slots=True)
class RatioOf(Phrase):
    """`the ratio of A`: to what is not said yet."""

    figures: FigurePhrase


@dataclass(frozen=True, slots=True)
class WithField(Phrase):
    """`with their amount`: a field to show beside."""

    field: Attribute


@dataclass(frozen=True, slots=True)
class InField(Phrase):
    """`in its name`: where a text is looked for."""

    field: Attribute


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
class HalfPhrase(Phrase):
    """`neither Texas`, `nor Ohio`: one half of a pair that means nothing alone."""

    kind: str
    phrase: RowsPhrase | RowFilter | About


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
class DateEnd(Phrase):
    """from being reported, and the payment date: one of two dates that time is counted between."""

    kind: str
    date: Attribute


@dataclass(frozen=True, slots=True)
class DaysPhrase(Phrase):
    """The days from one date to another."""

    path: str
    shown: Shown
    said: bool = False
    """Whether a word for time stands before it: days, time, how long."""
    rows: RowsPhrase | None = None
    """Of which rows, where each of them is meant."""
    bound: Comparison | None = None
    """more than 30 days: what they are compared with."""

    @property
    def home(self) -> str:
        """The entity whose rows have these days."""
        return self.path.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class DaysFrom(Phrase):
    """more than 30 days after the invoice: what happened then is not said yet."""

    op: str
    number: Decimal
    date: Attribute


@dataclass(frozen=True, slots=True)
class FieldBound(Phrase):
    """below the reorder level, after the due date: what another field of the same row is compared with."""

    op: str
    limit: Attribute


@dataclass(frozen=True, slots=True)
class RowState(Phrase):
    """late, on time: what two dates of a row say."""

    kind: str
    today: date = date.min
    behind_verb: bool = False
    """Whether a verb stands right before it, so that it is said of that one: placed late."""


@dataclass(frozen=True, slots=True)
class Sorting(Phrase):
    """ordered by population descending."""

    by: Attribute | FigurePhrase | None
    descending: bool | None = None
    ordered: bool = False
    """Whether a word for ordering says it: ordered by, not just by."""
    named: bool = False
    """Alphabetically: by names, not by a figure."""


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
