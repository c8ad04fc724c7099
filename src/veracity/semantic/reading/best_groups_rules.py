"""Rules for the best groups of a figure: the 3 cities with the most sales, which 3 months, the city with the highest amount."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Aggregate, Dimension, OrderBy
from veracity.semantic.query_values import Grain
from veracity.semantic.reading.best_by_figure_rules import as_many, best_figure, first_groups
from veracity.semantic.reading.bounds_rules import may_be_year
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import Superlative, TopFilter
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FewGroups, FigurePhrase, PeriodNoun, Sorting, TopFigure
from veracity.semantic.reading.joined_phrases import About, AboutEach, MostRows
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Lookup, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase, SaidNumber, SaidPeriod

RULES: Rules = {}
rule = rule_book(RULES)
_MOST = 1_000
_PERIODS = {
    ("time", 86_400): Grain.DAY,
    ("time", 604_800): Grain.WEEK,
    ("months", 1): Grain.MONTH,
    ("months", 3): Grain.QUARTER,
    ("months", 12): Grain.YEAR,
}
"""Dimension and size of the units that are periods, too."""


_Group = Attribute | PeriodNoun | FewGroups


@rule(SaidNumber, Attribute)
def _few_groups(c: Composer, number: SaidNumber, attribute: Attribute) -> Iterator[MadePhrase]:
    groups = _divides(c, attribute)
    if groups and number.dimension is None and (count := _how_many(number)):
        yield MadePhrase(FewGroups(attribute, count))


def _divides(c: Composer, attribute: Attribute) -> bool:
    """Whether rows fall into groups by a field."""
    said = attribute.plain and not attribute.ranks
    return said and not c.numeric(attribute.entity, attribute.field) and not c.is_date(attribute)


@rule(Superlative, Lookup)
@rule(Superlative, Attribute)
def _top_groups(c: Composer, best: Superlative, attribute: Attribute | Lookup) -> Iterator[MadePhrase]:
    """The top 3 payment methods, the top 5 customer cities; the most important countries."""
    if isinstance(attribute, Lookup):
        own = len(attribute.fields) == 1 and attribute.fields[0].entity == attribute.rows.entity
        if not own or not attribute.rows.bare or attribute.asked:
            return
        attribute = attribute.fields[0]
    if _divides(c, attribute) and not (best.adjective or best.counts or best.skip):
        yield MadePhrase(FewGroups(attribute, best.count, best.direction))


@rule(FewGroups, SaidPeriod)
@rule(FewGroups, RowFilter)
def _narrowed_groups(c: Composer, few: FewGroups, right: SaidPeriod | RowFilter) -> Iterator[MadePhrase]:
    """The top 3 products in 2025."""
    yield MadePhrase(replace(few, narrowed=(*few.narrowed, right)))


@rule(FewGroups, Sorting)
def _groups_sorting(c: Composer, few: FewGroups, sorting: Sorting) -> Iterator[MadePhrase]:
    """The top 3 payment methods by revenue."""
    by = sorting.by
    if few.best is None or by is None or not isinstance(few.of, Attribute):
        return
    figures = by if isinstance(by, FigurePhrase) else c.totalled(replace(by, asked=True), RowsPhrase(by.entity))
    if figures is not None and figures.direction is None:
        yield from _best_few(c, few, replace(figures, direction=few.best, count=few.count))


def _best_few(c: Composer, few: FewGroups, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """The groups first by a figure, of the rows that were said."""
    made = list(c.join(few.of, TopFigure(figures)))
    for more in few.narrowed:
        made = [MadePhrase(m.phrase, (*one.marks, *m.marks)) for one in made for m in c.join(one.phrase, more)]
    yield from made


def _how_many(number: SaidNumber) -> int | None:
    whole = number.value == number.value.to_integral_value() and 1 < number.value <= _MOST
    return int(number.value) if whole and not may_be_year(number) else None


@rule(SaidNumber, TopFigure)
@rule(SaidNumber, TopFilter)
@rule(SaidNumber, About)
@rule(SaidNumber, FigurePhrase)
@rule(SaidNumber, Attribute)
def _few_periods(c: Composer, number: SaidNumber, right: Phrase) -> Iterator[MadePhrase]:
    """Which 3 months had the highest revenue."""
    if (few := _periods(number)) is not None:
        yield from c.join(few, right)


def _periods(number: SaidNumber) -> FewGroups | None:
    grain = _PERIODS.get((number.dimension or "", int(number.factor)))
    count = _how_many(number)
    return FewGroups(PeriodNoun(grain), count) if grain is not None and count else None


@rule(JoiningWord, FewGroups)
def _asked_values(c: Composer, word: JoiningWord, few: FewGroups) -> Iterator[MadePhrase]:
    """Which 3 cities."""
    if word.kind == "show" and word.first:
        yield MadePhrase(few)


@rule(JoiningWord, SaidNumber)
def _in_few_periods(c: Composer, word: JoiningWord, number: SaidNumber) -> Iterator[MadePhrase]:
    """In which 3 months."""
    if word.kind == "in" and (few := _periods(number)) is not None:
        yield MadePhrase(few)


@rule(FewGroups, TopFigure)
@rule(FewGroups, About)
def _best_values(c: Composer, few: FewGroups, right: TopFigure | About) -> Iterator[MadePhrase]:
    """The 3 cities with the highest revenue, with the most sales."""
    figures = best_figure(c, right)
    figures = as_many(figures, (few.count, few.best or figures.direction or 1)) if figures is not None else None
    if figures is not None:
        yield from _best_few(c, few, figures)


@rule(FewGroups, MostRows, either_way=True)
def _few_have_most(c: Composer, few: FewGroups, most: MostRows) -> Iterator[MadePhrase]:
    """The 3 authors whose books are the most, in languages that put it so."""
    if most.last:
        yield from _best_values(c, few, About("", "with", most))


@rule(FewGroups, FigurePhrase)
def _best_periods(c: Composer, few: FewGroups, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """In which 3 months was revenue highest."""
    if isinstance(few.of, PeriodNoun) and figures.direction is not None and figures.count is None and not figures.skip:
        yield from c.join(few.of, replace(figures, count=few.count))


# --- the group with the highest amount: in total, or of a single row


@rule(Attribute, TopFilter)
@rule(PeriodNoun, TopFilter)
@rule(FewGroups, TopFilter)
def _group_of_top(c: Composer, group: _Group, top: TopFilter) -> Iterator[MadePhrase]:
    """The city with the highest amount: both readings are there, and the question is asked back."""
    by = top.order[0].by.field
    if by is None or len(top.order) > 1 or top.limit > 1 or top.skip or top.order[0].by.via:
        return
    entity, _, field = by.rpartition(".")
    yield from _group_of_best(
        c, group, Attribute(entity, field, direction=1 if top.order[0].descending else -1, amassed=top.amassed)
    )


@rule(PeriodNoun, Attribute)
@rule(FewGroups, Attribute)
def _period_of_best(c: Composer, group: PeriodNoun | FewGroups, best: Attribute) -> Iterator[MadePhrase]:
    """In which month was the amount highest."""
    noun = group.of if isinstance(group, FewGroups) else group
    day = isinstance(noun, PeriodNoun) and noun.grain is Grain.DAY and not isinstance(group, FewGroups)
    if isinstance(noun, PeriodNoun) and best.behind and not (day and not c.adds_up(best)):
        yield from _group_of_best(c, group, best)


@rule(Attribute, Attribute)
@rule(Attribute, FewGroups)
def _best_before_group(c: Composer, best: Attribute, group: Attribute | FewGroups) -> Iterator[MadePhrase]:
    """The city with the highest amount, in languages that put it before the noun."""
    if c.order.get("modifiers_before"):
        yield from _group_of_best(c, group, best)


def _group_of_best(c: Composer, group: _Group, best: Attribute) -> Iterator[MadePhrase]:
    few = group if isinstance(group, FewGroups) else FewGroups(group, 1)
    if isinstance(few.of, Attribute) and (not _divides(c, few.of) or not c.only_names(few.of)):
        return
    number = best.aggregate is None and c.numeric(best.entity, best.field) and not c.is_date(best)
    if (
        best.direction is None
        or not number
        or c.model.things[best.entity].has_measure_called_as(best.field)
        or few.best == -best.direction == -1
    ):
        return
    computed = [Attribute(best.entity, best.field, aggregate=one) for one in _meant(c, best)]
    figures = [made for one in computed if (made := c.totalled(one, RowsPhrase(best.entity))) is not None]
    if len(figures) == len(computed):  # what is left of two readings is no answer
        for one in figures:
            yield from _best_few(c, few, replace(one, direction=best.direction, count=few.count))


@rule(Superlative, Attribute)
@rule(Superlative, FewGroups)
def _dearest_group(c: Composer, best: Superlative, group: Attribute | FewGroups) -> Iterator[MadePhrase]:
    """The most expensive product, where each row has a product and its price: the one with the highest price of all."""
    few = group if isinstance(group, FewGroups) else FewGroups(group, best.count or 1)
    if not isinstance(few.of, Attribute) or not _divides(c, few.of) or best.skip or few.best or best.general:
        return
    if not c.only_names(few.of):
        return  # rows themselves, or what each of them has of its own: the capital of a state
    for entity, field in best.fields:
        price = Attribute(entity, field, aggregate=Aggregate.MAX if best.direction == 1 else Aggregate.MIN)
        own = entity == few.of.entity and c.numeric(entity, field) and not c.adds_up(price)
        figures = c.totalled(price, RowsPhrase(entity)) if own else None
        if figures is not None:
            yield from _best_few(c, few, replace(figures, direction=best.direction, count=few.count))


def _meant(c: Composer, best: Attribute) -> tuple[Aggregate, ...]:
    """What the highest value of several rows may be: of one of them, or of all together."""
    if best.amassed:
        return (Aggregate.SUM,)
    single = Aggregate.MAX if best.direction == 1 else Aggregate.MIN
    return (Aggregate.SUM if c.adds_up(best) else Aggregate.AVG, single)


@rule(Attribute, Superlative)
@rule(FewGroups, Superlative)
def _group_is_dearest(c: Composer, group: Attribute | FewGroups, best: Superlative) -> Iterator[MadePhrase]:
    """Which product is the most expensive."""
    if best.adjective and best.count is None:
        yield from _dearest_group(c, best, group)


# --- figures by group, and the first of them


@rule(FigurePhrase, AboutEach)
def _best_few_of_each(c: Composer, figures: FigurePhrase, each: AboutEach) -> Iterator[MadePhrase]:
    """The 3 highest revenues by city."""
    if figures.direction is not None and figures.count is not None and not (figures.by or figures.skip or each.more):
        yield from first_groups(c, figures, each)


@rule(FigurePhrase, Superlative)
def _figures_top(c: Composer, figures: FigurePhrase, best: Superlative) -> Iterator[MadePhrase]:
    """Revenue by city, top 3."""
    plain = (
        len(figures.shown) == 1 and len(figures.by) == 1 and not (figures.order or figures.changes or figures.compare)
    )
    if plain and best.count is not None and not (best.adjective or best.counts or best.skip):
        order = OrderBy(by=figures.shown[0], descending=best.direction > 0)
        yield MadePhrase(replace(figures, order=(order,), limit=best.count))


@rule(Attribute, Sorting)
def _values_in_order(c: Composer, attribute: Attribute, sorting: Sorting) -> Iterator[MadePhrase]:
    """Cities ranked by revenue."""
    by = sorting.by
    said = sorting.ordered or sorting.descending is not None
    if by is None or not said or not _divides(c, attribute):
        return
    figures = by if isinstance(by, FigurePhrase) else c.totalled(replace(by, asked=True), RowsPhrase(by.entity))
    if figures is None or figures.by:
        return
    for divided, marks in c.divided(figures, AboutEach(Dimension(field=attribute.path), attribute.entity)):
        assert isinstance(divided, FigurePhrase)
        order = OrderBy(by=divided.shown[0], descending=sorting.descending is not False)
        yield MadePhrase(replace(divided, order=(order,)), marks)


@rule(Superlative, JoiningWord, either_way=True)
def _best_on_average(c: Composer, best: Superlative, word: JoiningWord) -> Iterator[MadePhrase]:
    """Which workshop is the most expensive on average: by the average of what the adjective is about."""
    if word.kind != "avg" or " " not in word.text or best.skip or best.counts:
        return
    for entity, field in best.fields:
        mean = c.aggregated(Attribute(entity, field, aggregate=Aggregate.AVG), RowsPhrase(entity))
        if mean is not None:
            yield MadePhrase(TopFigure(replace(mean, direction=best.direction, count=best.count)))
