"""Rules for periods: joined, compared, and a figure from one to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

from veracity.semantic.editing import inner_bests
from veracity.semantic.query_values import Comparing, Grain, QueryPeriod
from veracity.semantic.reading.changed_figures import changed
from veracity.semantic.reading.chart import COMPUTED, MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.figures_of_rows import DEFAULT_DATE
from veracity.semantic.reading.joined_phrases import AboutEach, JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Lookup, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidPeriod
from veracity.semantic.reading.series_rules import period_before

_DEVELOPING = ("entwick", "develop", "verlauf", "trend", "走势", "趋势")
"""What words for a change hold that may be one along time."""
RULES: Rules = {}
rule = rule_book(RULES)


@rule(JoiningWord, SaidPeriod)
def _word_when(c: Composer, word: JoiningWord, when: SaidPeriod) -> Iterator[MadePhrase]:
    if word.kind in ("in", "of", "calendar", "comma"):
        yield MadePhrase(when)
    if word.kind == "compare" and when.ends is not None:
        yield MadePhrase(replace(when, compared=True))
    if word.kind in ("to", "and", "with", "compared"):
        yield MadePhrase(JoinedPhrase(word.kind, when))
    if word.kind == "set_against":
        yield MadePhrase(JoinedPhrase("compared", when))
    elif word.kind == "between" and when.ends is not None:
        yield MadePhrase(replace(when, between=False))


@rule(SaidPeriod, JoinedPhrase)
def _when_joined(c: Composer, when: SaidPeriod, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """From 2022 to 2024; 2023 and 2024. Of 2022 and 2024 only the two ends are meant."""
    last = joined.phrase
    if not isinstance(last, SaidPeriod) or when.ends or last.ends or last.moment not in ("", when.moment):
        return
    first, end, until = when.period.first, last.period.last, when.period.last
    if first is None or end is None or until is None or last.period.first is None or first > end:
        return
    apart = joined.kind != "to" and last.period.first != until + timedelta(days=1)
    whole = QueryPeriod.model_validate({"from": first, "to": end})
    compared = joined.kind == "compared"
    if joined.kind != "with":
        ends, listed = (when.period, last.period), joined.kind == "and"
        told = SaidPeriod(whole, ends=ends, between=apart, listed=listed, compared=compared, moment=when.moment)
        yield MadePhrase(told)


@rule(SaidPeriod, SaidPeriod)
def _one_more_listed(c: Composer, when: SaidPeriod, rest: SaidPeriod) -> Iterator[MadePhrase]:
    """2023, 2024 and 2025."""
    if not rest.listed or rest.ends is None or rest.between or when.ends or when.moment or rest.moment:
        return
    first, until, then = when.period.first, when.period.last, rest.period.first
    if first is not None and until is not None and then == until + timedelta(days=1):
        whole = QueryPeriod.model_validate({"from": first, "to": rest.period.last})
        yield MadePhrase(SaidPeriod(whole, ends=(when.period, rest.ends[1]), listed=True))


@rule(SaidPeriod, JoinedPhrase)
def _later_first(c: Composer, when: SaidPeriod, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """2024 compared with 2023; 2024 and 2023."""
    other = joined.phrase
    if joined.kind not in ("compared", "and") or not isinstance(other, SaidPeriod) or when.ends or other.ends:
        return
    if when.moment or other.moment:
        return
    if when.period.first and other.period.first and when.period.first > other.period.first:
        compared = joined.kind == "compared"
        ends = (other.period, when.period)
        yield MadePhrase(SaidPeriod(when.period, ends=ends, between=True, compared=compared, listed=not compared))


@rule(FigurePhrase, JoinedPhrase)
def _figures_versus(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Revenue in 2024 compared with 2025; compare revenue in 2024 with 2025."""
    other = joined.phrase
    if not isinstance(other, SaidPeriod) or figures.period is None or other.ends or figures.ends or figures.compare:
        return
    if joined.kind not in ("with", "compared", "to") or (said := c.at_moment(figures, other)) is None:
        return
    if figures.period.first is None or said.period.first is None:
        return
    ends = sorted((figures.period, said.period), key=lambda one: one.first or date.min)
    versus = replace(figures, ends=(ends[0], ends[1]), changes=True)
    if joined.kind == "compared":
        yield from changed(versus)
    else:
        yield MadePhrase(versus)


@rule(SaidPeriod, JoiningWord)
def _when_word(c: Composer, when: SaidPeriod, word: JoiningWord) -> Iterator[MadePhrase]:
    """2022 and 2023 compared; as of 31 May, ..."""
    if word.kind == "comma":
        yield MadePhrase(when)
    if word.kind in ("compare", "change", "growth") and when.ends is not None:
        yield MadePhrase(replace(when, compared=True))


@rule(JoiningWord, FigurePhrase)
def _compare_figures(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Compare revenue in 2023 and 2024; the change of revenue; the development of revenue per month."""
    if figures.direction is not None or figures.order:
        return
    if word.kind == "compare" and figures.compare is not None:
        yield MadePhrase(figures)
    elif word.kind == "compare":
        yield from _from_end_to_end(c, figures)
    elif word.kind in ("change", "growth"):
        yield from _developed(c, replace(figures, grows=word.kind == "growth"))
        yield from _in_its_time(c, figures, word)
    elif word.kind in ("rises", "falls"):
        yield from _against_before(figures)


@rule(Attribute, AboutEach)
def _per_period_of(c: Composer, attribute: Attribute, each: AboutEach) -> Iterator[MadePhrase]:
    """Reported per month: the periods of that date."""
    periods = each.dimension.field == DEFAULT_DATE and each.dimension.grain is not None and not each.more
    if periods and attribute.plain and attribute.aggregate is None and c.is_date(attribute):
        dated = each.dimension.model_copy(update={"field": attribute.path})
        yield MadePhrase(AboutEach(dated, attribute.entity, each.kind))


@rule(JoiningWord, Lookup)
def _changed_field(c: Composer, word: JoiningWord, lookup: Lookup) -> Iterator[MadePhrase]:
    """How did the costs of the deliveries change: their total."""
    field = lookup.fields[0]
    own = len(lookup.fields) == 1 and field.entity == lookup.rows.entity and not lookup.rows.single and field.plain
    figure = (
        c.totalled(replace(field, asked=True), lookup.rows)
        if own and word.kind in ("how_did", "change", "growth")
        else None
    )
    if figure is not None:
        yield from c.join(word, figure)


@rule(FigurePhrase, JoiningWord)
def _figures_compared(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Revenue grew; revenue in 2023 and 2024 compared."""
    if figures.direction is not None or figures.order or any(inner_bests(figures.query())):
        return  # the largest revenue growth is not the growth of the largest revenue
    if word.kind in ("change", "growth", "compare") and figures.compare is not None:
        yield MadePhrase(figures)
    elif word.kind in ("change", "growth"):
        yield from _developed(c, replace(figures, grows=word.kind == "growth"))
        yield from _in_its_time(c, figures, word)
    elif word.kind == "compare" and figures.changes:
        yield from _from_end_to_end(c, figures)


@rule(Attribute, JoiningWord)
def _attribute_grows(c: Composer, attribute: Attribute, word: JoiningWord) -> Iterator[MadePhrase]:
    """Revenue growth, where revenue is a field that nobody made a measure of."""
    grown = word.kind in ("change", "growth") and attribute.direction is None
    for aggregate in c.figures_per_group(attribute) if grown else ():
        figure = c.aggregated(replace(attribute, aggregate=aggregate, direction=None), RowsPhrase(attribute.entity))
        if figure is not None:
            yield from c.join(figure, word)


def _developed(c: Composer, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """How a figure developed: a series over time itself, from one period to another, or between what is still to be said."""
    if c.over_time(figures):
        if figures.ends is None:
            yield from c.series(figures)
        return
    yield from _from_end_to_end(c, figures)
    if figures.period is None:
        yield MadePhrase(replace(figures, changes=True))


@rule(FigurePhrase, SaidPeriod)
def _grew_in(c: Composer, figures: FigurePhrase, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Revenue growth in 2024: against the year before."""
    plain = figures.changes and figures.period is None and figures.ends is None and not figures.by
    if plain and not (when.ends or when.between or when.moment or when.compared or figures.order or figures.direction):
        for made in c.join(replace(figures, changes=False, grows=False), when):
            if isinstance(made.phrase, FigurePhrase):
                told = _against_before(made.phrase)
                yield from (MadePhrase(one.phrase, (*made.marks, COMPUTED)) for one in told)


def _in_its_time(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """How revenue changed in 2024, against the year before; how it developed in 2024, along its months."""
    if figures.period is None or figures.ends is not None or figures.by:
        return
    if not any(part in word.text for part in _DEVELOPING):
        yield from _against_before(figures)
    elif figures.period.length is Grain.YEAR:
        yield from c.per(replace(figures, changes=False, grows=False), Grain.MONTH)


def _against_before(figures: FigurePhrase) -> Iterator[MadePhrase]:
    """A figure of one year against that of the year before; of a quarter or a month also against the one before it."""
    period, shown = figures.period, figures.shown[0]
    length = period.length if period is not None else None
    said = (figures.order, figures.having, figures.compare, figures.limit, figures.by, shown.transform)
    if period is None or length not in (Grain.YEAR, Grain.QUARTER, Grain.MONTH) or any(said) or len(figures.shown) > 1:
        return
    for grain in dict.fromkeys((length, Grain.YEAR)):
        if (before := period_before(period, grain)) is not None:
            yield MadePhrase(replace(figures, compare=Comparing(period=before), changes=False, grows=False))


def _from_end_to_end(c: Composer, figures: FigurePhrase) -> Iterator[MadePhrase]:
    if figures.ends and not c.over_time(figures):
        yield from changed(figures)
