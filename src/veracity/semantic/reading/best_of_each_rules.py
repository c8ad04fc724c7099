"""Rules for the best period, of all time or of each longer one, and for a figure of the best period or group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Dimension, Shown, all_of
from veracity.semantic.query_values import Grain
from veracity.semantic.reading.best_by_figure_rules import best_figure
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, PeriodNoun, Sorting, TopFigure
from veracity.semantic.reading.figures_of_groups import stands
from veracity.semantic.reading.figures_of_rows import DEFAULT_DATE
from veracity.semantic.reading.joined_phrases import About, AboutEach, JoinedPhrase, MostRows
from veracity.semantic.reading.phrases import Attribute, InField, JoiningWord, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidNumber

RULES: Rules = {}
rule = rule_book(RULES)
_LENGTHS = (Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.YEAR)
"""The shorter before the longer."""
_MOST = 100
_EACH = "in_each"
_STRONG = "strong_in"
_BEST = "in_best"
"""In the year with the highest revenue."""


# --- the best month, of each year


@rule(Superlative, PeriodNoun, either_way=True)
def _best_period(c: Composer, best: Superlative, noun: PeriodNoun) -> Iterator[MadePhrase]:
    """The best month; which month was the best: by what is said behind it."""
    vague = not (best.adjective or best.counts or best.dated or best.fields or best.skip)
    if vague and noun.awaits is None:
        yield MadePhrase(replace(noun, awaits=(best.count or 1, best.direction)))


@rule(PeriodNoun, Sorting)
def _best_period_by(c: Composer, noun: PeriodNoun, sorting: Sorting) -> Iterator[MadePhrase]:
    """The best month by revenue."""
    by = sorting.by
    if noun.awaits is None or by is None or sorting.descending is not None:
        return
    figures = by if isinstance(by, FigurePhrase) else c.totalled(replace(by, asked=True), RowsPhrase(by.entity))
    if figures is not None and figures.direction is None:
        count, direction = noun.awaits
        best = TopFigure(replace(figures, direction=direction, count=count))
        yield from c.join(replace(noun, awaits=None), best)


@rule(PeriodNoun, AboutEach, either_way=True)
def _period_of_each(c: Composer, noun: PeriodNoun, each: AboutEach) -> Iterator[MadePhrase]:
    """The month of each year."""
    longer = each.dimension.grain
    timed = each.dimension.field == DEFAULT_DATE and not each.more and noun.of_each is None
    if longer is not None and timed and noun.grain in _LENGTHS and longer in _LENGTHS[_LENGTHS.index(noun.grain) + 1 :]:
        yield MadePhrase(replace(noun, of_each=longer))


@rule(PeriodNoun, TopFigure)
@rule(PeriodNoun, FigurePhrase)
def _best_of_each(c: Composer, noun: PeriodNoun, right: TopFigure | FigurePhrase) -> Iterator[MadePhrase]:
    """In which month of each year was revenue highest."""
    if noun.of_each is None:
        return
    each = AboutEach(Dimension(field=DEFAULT_DATE, grain=noun.of_each), "", "each")
    for made in c.join(replace(noun, of_each=None), right):
        if isinstance(made.phrase, FigurePhrase) and made.phrase.limit is not None:
            yield from (MadePhrase(one.phrase, (*made.marks, *one.marks)) for one in c.join(made.phrase, each))


@rule(JoiningWord, PeriodNoun)
def _first_each_period(c: Composer, word: JoiningWord, noun: PeriodNoun) -> Iterator[MadePhrase]:
    """In each year, at the beginning: of what is highest behind it."""
    plain = noun == PeriodNoun(noun.grain) and " " in word.text
    if word.kind == "each" and word.first and plain:
        yield MadePhrase(JoinedPhrase(_EACH, noun))


@rule(JoinedPhrase, FigurePhrase)
def _in_each_the_best(c: Composer, joined: JoinedPhrase, best: FigurePhrase) -> Iterator[MadePhrase]:
    """In each year the month with the highest revenue."""
    noun = joined.phrase
    if joined.kind == _EACH and isinstance(noun, PeriodNoun) and best.limit is not None:
        yield from c.join(best, AboutEach(Dimension(field=DEFAULT_DATE, grain=noun.grain), "", "each"))


@rule(About, AboutEach)
def _most_in_each(c: Composer, about: About, each: AboutEach) -> Iterator[MadePhrase]:
    """With the most orders in each year: of whom it is said, the first ones of each year."""
    figures = best_figure(c, about)
    if figures is None or figures.skip or each.kind == "by":
        return
    for made in c.divided(replace(figures, direction=None, count=None), each):
        if isinstance(made.phrase, FigurePhrase):
            best = replace(made.phrase, direction=figures.direction, count=figures.count)
            yield MadePhrase(TopFigure(best), made.marks)


@rule(AboutEach, MostRows)
def _in_each_most(c: Composer, each: AboutEach, most: MostRows) -> Iterator[MadePhrase]:
    """In jedem Jahr die meisten Bestellungen."""
    if not most.last:
        yield from _most_in_each(c, About("", "with", most), each)


@rule(JoiningWord, TopFigure)
def _has_in_each(c: Composer, word: JoiningWord, top: TopFigure) -> Iterator[MadePhrase]:
    """... hatte."""
    if word.kind == "with" and word.owns and top.figures.by:
        yield MadePhrase(top)


# --- where a figure is highest


@rule(InField, FigurePhrase)
@rule(About, FigurePhrase)
def _where_highest(c: Composer, place: InField | About, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """In which store was revenue highest; in which cost centre did expenses grow most."""
    if figures.direction is None or figures.by:
        return
    if isinstance(place, InField):
        yield from c.join(place.field, TopFigure(figures))
        return
    rows = place.rows
    if place.kind == "in" and place.first and not place.negated and isinstance(rows, RowsPhrase) and rows.bare:
        yield from c.join(rows, TopFigure(figures))


@rule(RowsPhrase, FigurePhrase)
@rule(Attribute, FigurePhrase)
def _whose_changed_most(c: Composer, left: RowsPhrase | Attribute, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Which category's revenue grew the most."""
    named = isinstance(left, RowsPhrase) and left.named
    if figures.direction is not None and figures.shown[0].transform is not None and not named:
        yield from c.join(left, TopFigure(figures))


# --- umsatzstärkste: what has the highest revenue


@rule(FigurePhrase, JoiningWord)
def _strongest_in(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """The umsatzstärkste month: a compound, so that the figure stands right before it."""
    if word.kind in ("strongest", "weakest") and " " not in word.text and _is_plain(figures) and not figures.period:
        yield MadePhrase(JoinedPhrase(_STRONG, replace(figures, direction=1 if word.kind == "strongest" else -1)))


@rule(SaidNumber, JoinedPhrase)
def _so_many_strongest(c: Composer, number: SaidNumber, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The two umsatzstärksten."""
    figures = joined.phrase
    whole = number.dimension is None and number.value == number.value.to_integral_value() and 1 <= number.value <= _MOST
    if joined.kind == _STRONG and isinstance(figures, FigurePhrase) and figures.count is None and whole:
        yield MadePhrase(replace(joined, phrase=replace(figures, count=int(number.value))))


@rule(JoinedPhrase, RowsPhrase)
@rule(JoinedPhrase, PeriodNoun)
@rule(JoinedPhrase, Attribute)
def _strongest_rows(
    c: Composer, joined: JoinedPhrase, what: RowsPhrase | PeriodNoun | Attribute
) -> Iterator[MadePhrase]:
    """Of several without a number it is not said how many."""
    figures = joined.phrase
    if joined.kind != _STRONG or not isinstance(figures, FigurePhrase):
        return
    several = isinstance(what, RowsPhrase | PeriodNoun) and what.plural
    named = isinstance(what, RowsPhrase) and what.named
    if not named and (figures.count is not None or not several):
        yield from c.join(what, TopFigure(figures))


# --- a figure of the best of them


@rule(JoiningWord, FigurePhrase)
def _in_best(c: Composer, word: JoiningWord, best: FigurePhrase) -> Iterator[MadePhrase]:
    """In the year with the highest revenue; of the cost centre with the highest revenue."""
    told = len(best.by) == 1 and best.by[0].field is not None and len(best.shown) == 1 and not best.per
    if word.kind in ("in", "of", "genitive") and told and best.limit == 1 and not best.skip and best.compare is None:
        yield MadePhrase(JoinedPhrase(_BEST, best))


@rule(FigurePhrase, JoinedPhrase)
def _figure_in_best(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The rent in the year with the highest revenue: both figures of that year."""
    best = joined.phrase
    if joined.kind != _BEST or not isinstance(best, FigurePhrase) or not _is_plain(figures):
        return
    if figures.period is not None and best.period is not None:
        return
    other = figures.home != best.home
    if other and not (c.belongs(best.home, figures.home) and _is_of(best.by[0], figures.home)):
        return
    own, decides = _with_conditions(figures), _with_conditions(best)
    if own == decides:
        return
    order = tuple(one.model_copy(update={"by": decides}) for one in best.order)
    both = replace(
        best, shown=(own, decides), where=(), order=order, period=best.period or figures.period, edge=(best.home,)
    )
    if not other or stands(both.query(), c.model):
        yield MadePhrase(both)


@rule(Attribute, JoinedPhrase)
def _field_in_best(c: Composer, attribute: Attribute, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The refunds in the month with the most returns: what they come to."""
    figures = c.totalled(replace(attribute, asked=True), RowsPhrase(attribute.entity)) if attribute.plain else None
    if joined.kind == _BEST and figures is not None:
        yield from _figure_in_best(c, figures, joined)


def _is_of(dimension: Dimension, entity: str) -> bool:
    return (dimension.field or "").rpartition(".")[0] == entity


def _is_plain(figures: FigurePhrase) -> bool:
    """Whether it is one figure, maybe of some rows and of some time."""
    said = (figures.by, figures.order, figures.having, figures.compare, figures.direction, figures.ends)
    return len(figures.shown) == 1 and figures.shown[0].transform is None and not any(said) and not figures.changes


def _with_conditions(figures: FigurePhrase) -> Shown:
    shown = figures.shown[0]
    return shown.model_copy(update={"where": all_of((shown.where, *figures.where))})
