"""Figures among the pieces of a question, and what is asked of them: averages, shares, the best few, the days between two dates."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from veracity.semantic.query import Aggregate, Comparison, Condition, Dimension, OrderBy, SemanticQuery, Shown, all_of
from veracity.semantic.query_values import Comparing, Grain, QueryPeriod
from veracity.semantic.reading.phrases import Attribute, Direction, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase, SaidPeriod


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
class PerQuantity(Phrase):
    """`per pupil`, where a field says how many pupils there are: what a figure is divided by, as a number."""

    quantities: tuple[Attribute, ...]
    """The fields that it may be, of one entity or of several."""


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
class TopFigure(Phrase):
    """`has the highest sales`: of what it is said, those first by a figure."""

    figures: FigurePhrase


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
class Sorting(Phrase):
    """ordered by population descending."""

    by: Attribute | FigurePhrase | None
    descending: bool | None = None
    ordered: bool = False
    """Whether a word for ordering says it: ordered by, not just by."""
    named: bool = False
    """Alphabetically: by names, not by a figure."""


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
class DateEnd(Phrase):
    """from being reported, and the payment date: one of two dates that time is counted between."""

    kind: str
    date: Attribute


@dataclass(frozen=True, slots=True)
class DaysFrom(Phrase):
    """more than 30 days after the invoice: what happened then is not said yet."""

    op: str
    number: Decimal
    date: Attribute
