"""Fields of rows and the figures over them: sums and averages, under conditions, and for each of some groups. No language is in here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from veracity.semantic.graph import names_of
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Dimension,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
)
from veracity.semantic.query_values import Grain
from veracity.semantic.reading.chart import OTHER_ENTITY, STEP, UNNAMED_DATE, MadePhrase
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import AboutEach
from veracity.semantic.reading.phrases import Attribute, Lookup, RowFilter, RowsPhrase, merged
from veracity.semantic.reading.related_rows import RelatedRows, right_edge, steps_of
from veracity.semantic.reading.said_phrases import Phrase

DEFAULT_DATE = "@.@"
"""A dimension's field until it is known whose date is meant."""


@dataclass(frozen=True)
class FiguresOfRows(RelatedRows):
    """Finds fields and figures of rows, narrows figures and divides them, in the order of one language."""

    order: Mapping[str, bool]

    def look_up(self, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
        """A field of rows: their own, one of what they belong to, or one of what belongs to them."""
        if rows.awaits is not None or rows.figure_word or rows.other or rows.also:
            return
        if attribute.ranks and rows.plural and attribute.plain:
            return  # the lowest point of all these states, or that of each of them: the words do not say
        if attribute.entity == rows.entity:
            yield from self._of(attribute, rows, ())
            return
        for way in self.ways(rows.entity, attribute.entity):
            if all(step.to_one for step in way) and not attribute.aggregate and not attribute.direction:
                yield MadePhrase(Lookup(rows, (attribute,), attribute.asked), (OTHER_ENTITY,))
        yield from self._mean_of_means(attribute, rows)
        for condition in self.relate(attribute.entity, rows):
            near = RowsPhrase(attribute.entity, where=(condition,), edge=(attribute.entity, *right_edge(rows)))
            yield from self._of(attribute, near, (OTHER_ENTITY, *self.steps(attribute.entity, condition, rows)))

    def _mean_of_means(self, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
        """The average rating of businesses may also be the average of each business's average."""
        if attribute.aggregate not in (Aggregate.AVG, Aggregate.MEDIAN) or rows.single:
            return
        for condition in self.relate(attribute.entity, rows):
            inner = SemanticQuery(
                show=(Shown(aggregate=attribute.aggregate, field=attribute.path),),
                of=attribute.entity,
                where=condition,
                by=(Dimension(entity=rows.entity),),
            )
            shown = Shown(aggregate=attribute.aggregate, rows=inner, unit=attribute.unit)
            yield MadePhrase(FigurePhrase((shown,), attribute.entity), (OTHER_ENTITY, *steps_of(condition)))

    def _of(self, attribute: Attribute, rows: RowsPhrase, marks: tuple[str, ...]) -> Iterator[MadePhrase]:
        if attribute.aggregate is not None or attribute.direction is not None:
            if figure := self.aggregated(attribute, rows):
                yield MadePhrase(figure, marks)
            return
        yield MadePhrase(Lookup(rows, (replace(attribute, asked=False),), attribute.asked, attribute.unit), marks)

    def aggregated(self, attribute: Attribute, rows: RowsPhrase) -> FigurePhrase | None:
        """The sum, average or largest value of a field over rows."""
        aggregate = attribute.aggregate or (Aggregate.MAX if attribute.direction == 1 else Aggregate.MIN)
        of_any = (Aggregate.MIN, Aggregate.MAX, Aggregate.COUNT_DISTINCT)
        if not self.numeric(attribute.entity, attribute.field) and aggregate not in of_any:
            return None
        if aggregate is Aggregate.SUM and self.model.things[attribute.entity].has_measure_called_as(attribute.field):
            return None
        if aggregate in (Aggregate.AVG, Aggregate.MEDIAN) and rows.single and rows.entity == attribute.entity:
            return None  # one row has no average: the average price of a product is that of its sales
        if attribute.behind and not self.order.get("modifiers_before"):
            return None  # of what it is highest is asked for
        shown = Shown(aggregate=aggregate, field=attribute.path, unit=attribute.unit)
        return self.figure_of(shown, rows)

    def totalled(self, attribute: Attribute, rows: RowsPhrase) -> FigurePhrase | None:
        """The figure that a field asks for where it is not asked row by row; nothing where it has none."""
        if attribute.aggregate is None and attribute.direction is None:
            if not attribute.asked or not self.adds_up(attribute):
                return None
            attribute = replace(attribute, aggregate=Aggregate.SUM)
        return self.aggregated(attribute, rows)

    def figures_per_group(self, attribute: Attribute) -> tuple[Aggregate, ...]:
        """What a field asks for per group: what is said of it, else its sum; where nobody described it, sum or average."""
        if attribute.aggregate is not None:
            return (attribute.aggregate,)
        if attribute.direction is not None:
            return (Aggregate.MAX if attribute.direction == 1 else Aggregate.MIN,)
        if self.may_add_up(attribute):
            return (Aggregate.SUM,)  # refused with the question that is open
        if not self.adds_up(attribute) or self.model.things[attribute.entity].has_measure_called_as(attribute.field):
            return ()
        described = self.model.things[attribute.entity].fields[attribute.field].declared is not None
        return (Aggregate.SUM,) if described or attribute.asked else (Aggregate.SUM, Aggregate.AVG)

    def figure_of(self, shown: Shown, rows: RowsPhrase) -> FigurePhrase:
        """A figure over rows; those first in an order are a condition of their own."""
        if rows.limit is None:
            return FigurePhrase(
                (shown,), rows.entity, rows.where, period=rows.period, edge=(rows.entity, *right_edge(rows)[1:])
            )
        among = Related(related=rows.query())
        return FigurePhrase((shown,), rows.entity, (among,), edge=(rows.entity, *right_edge(rows)[1:]))

    def count(self, rows: RowsPhrase) -> FigurePhrase | None:
        """How many rows there are."""
        if rows.awaits is not None or rows.figure_word or rows.other or rows.link is not None or rows.also:
            return None
        if rows.order and rows.limit is None:
            return None  # a number has no order
        return self.figure_of(Shown(aggregate=Aggregate.COUNT, of=rows.entity), rows)

    def summed_noun(self, rows: RowsPhrase) -> FigurePhrase | None:
        """What rows come to that are called by a word for an amount, such as costs."""
        amount = self.only_amount(rows.entity)
        counted = self.count(rows)
        if amount is None or counted is None:
            return None
        return self.figure_of(Shown(aggregate=Aggregate.SUM, field=f"{rows.entity}.{amount}"), rows)

    def narrowed(
        self, figures: FigurePhrase, entity: str, where: tuple[Condition, ...], *, lacks: Literal["", "it", "ever"] = ""
    ) -> Iterator[MadePhrase]:
        """A figure under conditions on rows of an entity that it is related to."""
        if entity == figures.home:
            yield MadePhrase(replace(figures, where=merged(figures.where, where)))
            return
        if linked := self._over_its_own_rows(figures.home, entity, where):
            yield MadePhrase(replace(figures, where=merged(figures.where, linked)), (OTHER_ENTITY, STEP))
            return
        for way in self.ways(figures.home, entity):
            for condition in self.said_of_related(RowFilter(entity, where, lacks=lacks), way):
                yield MadePhrase(
                    replace(figures, where=merged(figures.where, (condition,))), (OTHER_ENTITY, *[STEP] * len(way))
                )

    def _over_its_own_rows(self, home: str, entity: str, where: tuple[Condition, ...]) -> tuple[Condition, ...]:
        """Debits posted to account 2000: a relation over the very rows that are added up is about these, not about others."""
        found: list[Condition] = []
        for one in where:
            step = self.step(entity, one.via[0]) if isinstance(one, Related) and len(one.via) == 1 else None
            link = step.relation.through if step and step.relation else None
            ways = self.model.ways(home, step.end) if step and link and link.entity == home else ()
            if not isinstance(one, Related) or one.count is not None or len(ways) != 1:
                return ()
            found.append(Related(related=one.related, via=names_of(ways[0])))
        return tuple(found)

    def per(self, figures: FigurePhrase, grain: Grain) -> Iterator[MadePhrase]:
        """A figure per day, week, month, quarter or year."""
        yield from self.divided(figures, AboutEach(Dimension(field=DEFAULT_DATE, grain=grain), ""))

    def series(self, figures: FigurePhrase) -> Iterator[MadePhrase]:
        """A figure over periods; where its growth is asked for, with its change from one period to the next beside it."""
        if not figures.grows:
            yield MadePhrase(figures)
        elif self._follow_each_other(figures):
            beside = figures.shown[0].model_copy(update={"transform": Transform.CHANGE_PERCENT})
            yield MadePhrase(replace(figures, shown=(figures.shown[0], beside), grows=False))

    def _follow_each_other(self, figures: FigurePhrase) -> bool:
        """Whether groups of a figure have one before them in time: it is plain, whole, and divided by one row of periods."""
        shown = figures.shown[0]
        said = (
            figures.order,
            figures.having,
            figures.direction,
            figures.compare,
            figures.limit,
            shown.transform,
            shown.unit,
        )
        if len(figures.shown) != 1 or any(said):
            return False
        grains = [one for one in figures.by if one.is_dated]
        parts = self.model.things[figures.home].date_parts
        years = tuple(f"{figures.home}.{parts.year}" for parts in (parts,) if parts)
        return len(grains) == 1 or (not grains and tuple(one.field for one in figures.by) == years)

    def divided(self, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
        """A figure per value of a field, row of an entity or period; or per several of them."""
        timed = any(one.dimension.field == DEFAULT_DATE for one in (each, *each.more))
        if timed and self.has_other_times(figures):
            return
        figures = _share_in_each(figures)
        made = list(self._divided(figures, each))
        for other in each.more:
            made = [
                MadePhrase(further.phrase, (*one.marks, *further.marks))
                for one in made
                if isinstance(one.phrase, FigurePhrase)
                for further in self._divided(one.phrase, other)
            ]
        yield from (one for one in made if not _has_two_grains(one.phrase))

    def _divided(self, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
        dimension, marks = each.dimension, list[str]()
        if each.role is not None:
            yield from self._per_role(figures, each, *each.role)
            return
        if dimension.field == DEFAULT_DATE:
            place = self._said_date(figures) or self.default_date(figures.home, figures.shown[0].measure)
            if place is None:
                yield from self._divided_by_parts(figures, dimension.grain)
                yield from self._divided_by_dates(figures, dimension)
                return
            dimension = dimension.model_copy(update={"field": place})
        elif each.entity != figures.home:
            ways = self.model.ways(figures.home, each.entity)
            if not ways or self.is_far_year(figures.home, each.entity, dimension.field):
                return
            marks = [OTHER_ENTITY] * (dimension.field is not None) + [STEP] * len(ways[0])
        elif dimension.entity == figures.home and figures.shown[0].aggregate is Aggregate.AVG:
            if each.kind != "each":
                yield MadePhrase(figures)  # the average per state, of states
            return
        elif dimension.entity == figures.home and figures.shown[0].of == figures.home:
            return
        if dimension in figures.by:
            if dimension.grain is not None:
                yield MadePhrase(figures)  # the monthly revenue by month
            return
        divided = replace(figures, by=(*figures.by, dimension))
        if not each.where:
            yield MadePhrase(divided, tuple(marks))
            return
        for way in self.model.ways(figures.home, each.entity):
            related = Related(related=SemanticQuery(of=each.entity, where=all_of(each.where)), via=names_of(way))
            conditions = (related,) if way else each.where
            yield MadePhrase(replace(divided, where=merged(divided.where, conditions)), tuple(marks))

    def _said_date(self, figures: FigurePhrase) -> str | None:
        """The date that was named for a time before: finished in 2025 per month is by the month of finishing."""
        compared = [one for one in figures.where if isinstance(one, Comparison) and not (one.via or one.since)]
        named = {one.field for one in compared if one.grain is None and self.is_time((one,)) and one.value is not None}
        return named.pop() if len(named) == 1 and not figures.shown[0].measure else None

    def _divided_by_parts(self, figures: FigurePhrase, grain: Grain | None) -> Iterator[MadePhrase]:
        """Per year or month, where years and months stand in columns of their own."""
        parts = self.model.things[figures.home].date_parts
        wanted = {Grain.YEAR: (parts.year,), Grain.MONTH: (parts.year, parts.month)} if parts else {}
        names = wanted.get(grain or Grain.DAY, (None,))
        more = tuple(Dimension(field=f"{figures.home}.{name}") for name in names if name)
        if len(more) == len(names):
            yield MadePhrase(replace(figures, by=tuple(dict.fromkeys((*figures.by, *more)))))

    def _divided_by_dates(self, figures: FigurePhrase, each: Dimension) -> Iterator[MadePhrase]:
        """Per year of each date of the rows, where nobody says which one is meant."""
        thing = self.model.things[figures.home]
        for name, facts in thing.fields.items() if thing.date_parts is None else ():
            if facts.is_date and (figures.home, name) not in self.born:  # guests per year are not those born then
                dimension = each.model_copy(update={"field": f"{figures.home}.{name}"})
                yield MadePhrase(replace(figures, by=(*figures.by, dimension)), (UNNAMED_DATE,))

    def _per_role(self, figures: FigurePhrase, each: AboutEach, start: str, step: str) -> Iterator[MadePhrase]:
        """Per treating doctor: the relation is said."""
        for way in self.model.ways(figures.home, start) if not each.where else ():
            dimension = each.dimension.model_copy(update={"via": (*names_of(way), step)})
            if dimension not in figures.by:
                marks = (STEP,) * (len(way) + 1)
                yield MadePhrase(replace(figures, by=(*figures.by, dimension)), marks)


def _share_in_each(figures: FigurePhrase) -> FigurePhrase:
    """The share of some rows, to be told for each group by itself: a share among groups is something else."""
    shown = figures.shown[0]
    if shown.transform is not Transform.SHARE or shown.where is None or figures.by:
        return figures
    part = shown.model_copy(update={"transform": None})
    ratio = Shown(ratio=(part, part.model_copy(update={"where": None})), unit="%")
    return replace(figures, shown=(ratio, *figures.shown[1:]))


def _has_two_grains(phrase: Phrase) -> bool:
    """Whether a figure is divided by months and by years of the same date at once; only the best month of each year is asked for so."""
    if not isinstance(phrase, FigurePhrase) or phrase.limit is not None:
        return False
    dated = [one.field for one in phrase.by if one.grain]
    return len(dated) > len(set(dated))
