"""Rules for figures along time: running totals, and the change from each period to the next."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from veracity.semantic.query import Aggregate, Comparison, Shown, Transform
from veracity.semantic.query_values import Comparing, Grain, QueryPeriod
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.figures_of_rows import DEFAULT_DATE
from veracity.semantic.reading.joined_phrases import About, AboutEach
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Lookup, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase

RULES: Rules = {}
rule = rule_book(RULES)
_CHANGES = {f"change_{grain}": grain for grain in Grain if not grain.repeats}
"""Words for the change from each period to the next: month over month."""
_YEARS = range(1900, 2101)
_MONTHS = {Grain.YEAR: 12, Grain.QUARTER: 3, Grain.MONTH: 1}
_NUMBERS = {f"how_many_{grain}": grain for grain in Grain if not grain.repeats}
"""Words that ask in how many periods something happened."""


@rule(JoiningWord, JoiningWord)
def _joined_change(c: Composer, joining: JoiningWord, change: JoiningWord) -> Iterator[MadePhrase]:
    """And the month over month change; the change from month to month."""
    if change.kind in _CHANGES and joining.kind in ("and", "with", "comma", "change", "growth", "of", "in"):
        yield MadePhrase(change)


@rule(JoiningWord, JoiningWord)
def _change_behind(c: Composer, change: JoiningWord, word: JoiningWord) -> Iterator[MadePhrase]:
    """Month over month growth; month over month change of."""
    if change.kind in _CHANGES and word.kind in ("change", "growth", "of"):
        yield MadePhrase(change)


@rule(JoiningWord, AboutEach)
def _change_of_each(c: Composer, change: JoiningWord, each: AboutEach) -> Iterator[MadePhrase]:
    """The month over month change for each month."""
    grain = _CHANGES.get(change.kind)
    if grain is not None and each.dimension.grain is grain and each.dimension.field == DEFAULT_DATE and not each.more:
        yield MadePhrase(change)


@rule(FigurePhrase, JoiningWord)
def _figures_changing(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Revenue per month with the change from month to month; revenue month over month."""
    if word.kind in _CHANGES:
        yield from _changing(c, figures, _CHANGES[word.kind])


@rule(JoiningWord, FigurePhrase)
def _changing_figures(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Month over month change of revenue."""
    if word.kind in _CHANGES:
        yield from _changing(c, figures, _CHANGES[word.kind])
    elif word.kind == "running":
        yield from _running(figures)


@rule(JoiningWord, Attribute)
@rule(JoiningWord, Lookup)
@rule(JoiningWord, RowsPhrase)
def _along_total(c: Composer, word: JoiningWord, told: Attribute | Lookup | RowsPhrase) -> Iterator[MadePhrase]:
    """Running total of the amount; month over month change of the payments: of what a total of them is."""
    if word.kind in _CHANGES or word.kind == "running":
        for made in c.join(JoiningWord("sum"), told):
            total: Phrase | None = made.phrase
            if isinstance(total, Attribute | Lookup):
                rows = total.rows if isinstance(total, Lookup) else RowsPhrase(total.entity)
                field = total.fields[0] if isinstance(total, Lookup) else total
                total = c.aggregated(field, rows) if field.aggregate and field.entity == rows.entity else None
            if isinstance(total, FigurePhrase):
                yield from (MadePhrase(one.phrase, (*made.marks, *one.marks)) for one in c.join(word, total))


@rule(RowsPhrase, JoiningWord)
def _rows_changing(c: Composer, rows: RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """How did the payments change, did the payments grow: their number, or what they come to."""
    if any(isinstance(one, Comparison) and one.value in _YEARS for one in rows.where):
        return  # amount 2025, compared with the year before: no amount of 2025
    if word.kind in _CHANGES or (word.kind in ("change", "growth") and rows.bare):
        for made in c.join(JoiningWord("sum"), rows):
            if isinstance(made.phrase, FigurePhrase):
                joined = c.join(made.phrase, word)
                yield from (MadePhrase(one.phrase, (*made.marks, *one.marks)) for one in joined)


@rule(Lookup, JoiningWord)
def _field_changing(c: Composer, lookup: Lookup, word: JoiningWord) -> Iterator[MadePhrase]:
    """The invoice amount of 2025 compared with the year before: what the amounts come to."""
    field = lookup.fields[0]
    own = len(lookup.fields) == 1 and field.plain and field.entity == lookup.rows.entity and not lookup.rows.single
    if word.kind not in _CHANGES or not own:
        return
    for aggregate in c.figures_per_group(field):
        figure = c.aggregated(replace(field, aggregate=aggregate), lookup.rows)
        yield from c.join(figure, word) if figure is not None else ()


@rule(JoiningWord, About)
@rule(JoiningWord, RowsPhrase)
def _months_with(c: Composer, word: JoiningWord, told: About | RowsPhrase) -> Iterator[MadePhrase]:
    """How many months had bookings: the months in which there is one."""
    grain = _NUMBERS.get(word.kind)
    rows = told.rows if isinstance(told, About) else told
    if grain is None or not isinstance(rows, RowsPhrase) or (isinstance(told, About) and told.kind != "with"):
        return
    counted = c.count(rows) if not rows.limit and not (isinstance(told, About) and told.negated) else None
    for made in c.per(counted, grain) if counted is not None else ():
        if isinstance(made.phrase, FigurePhrase) and len(made.phrase.by) == 1 and made.phrase.by[0].is_dated:
            number = Shown(aggregate=Aggregate.COUNT, rows=made.phrase.query())
            yield MadePhrase(FigurePhrase((number,), rows.entity), made.marks)


def _changing(c: Composer, figures: FigurePhrase, grain: Grain) -> Iterator[MadePhrase]:
    """The figure of each period, with its change against the one before, as a difference and in percent."""
    if figures.period is not None and not figures.by and (before := period_before(figures.period, grain)) is not None:
        apart = figures.ends is not None and figures.changes
        said = (*figures.order, *figures.having, figures.direction, figures.compare, figures.limit, apart)
        if len(figures.shown) == 1 and not any(said) and figures.shown[0].transform is None:
            compared = Comparing(period=before)
            yield MadePhrase(replace(figures, compare=compared, changes=False, grows=False, ends=None))
        return
    plain = replace(figures, changes=False, grows=True)
    dated = [one.grain for one in figures.by if one.is_dated]
    if dated:
        yield from map(_with_difference, c.series(plain) if dated == [grain] else ())
        return
    for made in c.per(replace(plain, grows=False), grain) if figures.ends is None else ():
        if isinstance(made.phrase, FigurePhrase):
            for one in map(_with_difference, c.series(replace(made.phrase, grows=True))):
                yield MadePhrase(one.phrase, (*made.marks, *one.marks))


def period_before(period: QueryPeriod, grain: Grain) -> QueryPeriod | None:
    """The same period a year, a quarter or a month earlier; nothing where it is longer than that, or open."""
    months = _MONTHS.get(grain)
    if months is None or period.first is None or period.last is None:
        return None
    if (period.last.year - period.first.year) * 12 + period.last.month - period.first.month >= months:
        return None
    days = {"from": _earlier(period.first, months), "to": _earlier(period.last, months), "field": period.field}
    return QueryPeriod.model_validate(days)


def _earlier(day: date, months: int) -> date:
    """The same day so many months before; the last day of a month stays the last one."""
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    last = monthrange(year, month + 1)[1]
    ends = day.day == monthrange(day.year, day.month)[1]
    return date(year, month + 1, last if ends else min(day.day, last))


def changes_nowhere(figures: FigurePhrase) -> bool:
    """Whether a change from period to period is asked for within one of them, which has none before it."""
    changes = any(one.transform in (Transform.CHANGE, Transform.CHANGE_PERCENT) for one in figures.shown)
    grains = [one.grain for one in figures.by if one.is_dated and one.grain]
    period = figures.period
    return changes and period is not None and any(period_before(period, grain) is not None for grain in grains)


def _with_difference(made: MadePhrase) -> MadePhrase:
    """The same with the change as a difference before the one in percent: month over month may be meant either way."""
    if not isinstance(made.phrase, FigurePhrase):
        return made
    figure, percent = made.phrase.shown
    difference = figure.model_copy(update={"transform": Transform.CHANGE})
    return MadePhrase(replace(made.phrase, shown=(figure, difference, percent)), made.marks)


def _running(figures: FigurePhrase) -> Iterator[MadePhrase]:
    """The figure of each period, with what it comes to up to then; of what periods is said behind it."""
    shown = figures.shown[0]
    said = (figures.order, figures.limit, figures.compare, figures.direction, figures.having, shown.transform)
    if len(figures.shown) == 1 and not any(said):
        running = shown.model_copy(update={"transform": Transform.RUNNING_TOTAL})
        yield MadePhrase(replace(figures, shown=(shown, running)))
