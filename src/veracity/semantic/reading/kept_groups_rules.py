"""Rules for the periods and values that a figure keeps: which months had expenses above average, in how many months revenue was below 100."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from veracity.semantic.query import Aggregate, Dimension, FigureComparison, SemanticQuery, Shown
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import FigureBound
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, PeriodNoun
from veracity.semantic.reading.figures_of_rows import DEFAULT_DATE
from veracity.semantic.reading.joined_phrases import About, AboutEach, CountedRows
from veracity.semantic.reading.phrases import Attribute, InField, JoiningWord, RowsPhrase

RULES: Rules = {}
rule = rule_book(RULES)


@rule(PeriodNoun, FigureBound)
def _periods_kept(c: Composer, noun: PeriodNoun, bound: FigureBound) -> Iterator[MadePhrase]:
    """Which months of 2024 had expenses above average: those of all months of 2024."""
    if not noun.plural or noun.awaits is not None or noun.of_each is not None:
        return
    dated = c.join(bound.figures, noun.within) if noun.within is not None else (MadePhrase(bound.figures),)
    each = AboutEach(Dimension(field=DEFAULT_DATE, grain=noun.grain), "")
    for made in dated:
        if isinstance(made.phrase, FigurePhrase):
            for kept in _kept(c, replace(bound, figures=made.phrase), each):
                told = _number_of(kept.phrase) if noun.counted else kept.phrase
                yield MadePhrase(told, (*made.marks, *kept.marks))


@rule(PeriodNoun, CountedRows)
@rule(PeriodNoun, About)
def _periods_with_rows(c: Composer, noun: PeriodNoun, right: CountedRows | About) -> Iterator[MadePhrase]:
    """Which months of 2024 had more than 60 orders."""
    if (bound := _counted(c, right)) is not None:
        yield from _periods_kept(c, noun, bound)


@rule(Attribute, CountedRows)
@rule(Attribute, About)
@rule(InField, CountedRows)
@rule(InField, About)
def _values_with_rows(c: Composer, left: Attribute | InField, right: CountedRows | About) -> Iterator[MadePhrase]:
    """Which channels had more than 60 orders; which captains have at least 10 trips."""
    if (bound := _counted(c, right)) is not None:
        yield from _values_kept(c, left, bound)


def _counted(c: Composer, right: CountedRows | About) -> FigureBound | None:
    """So many rows, as what a number of rows is held against; none at all makes no group."""
    if isinstance(right, About) and (right.kind != "with" or right.negated):
        return None
    rows = right.rows if isinstance(right, About) else right
    if not isinstance(rows, CountedRows) or rows.most is not None or rows.op in ("<", "<=") or rows.number == 0:
        return None
    figures = c.count(rows.rows)
    return FigureBound(figures, rows.op, Decimal(rows.number)) if figures is not None and rows.op != "=" else None


@rule(Attribute, FigureBound)
@rule(InField, FigureBound)
def _values_kept(c: Composer, left: Attribute | InField, bound: FigureBound) -> Iterator[MadePhrase]:
    """Which cost centres had expenses above 1000."""
    attribute = left.field if isinstance(left, InField) else left
    if attribute.plain and not c.numeric(attribute.entity, attribute.field):
        yield from _kept(c, bound, AboutEach(Dimension(field=attribute.path), attribute.entity))


@rule(RowsPhrase, FigureBound)
def _rows_kept(c: Composer, rows: RowsPhrase, bound: FigureBound) -> Iterator[MadePhrase]:
    """Customers with revenue over 1000, where amounts are in several currencies: the groups of one currency each."""
    if not c.mixes_units(bound.figures) or bound.value is None or not (rows.bare or rows.is_segment) or rows.named:
        return
    figures = [bound.figures]
    if rows.where:
        made = c.narrowed(bound.figures, rows.entity, rows.where)
        figures = [one.phrase for one in made if isinstance(one.phrase, FigurePhrase)]
    for one in figures:
        each = AboutEach(Dimension(entity=rows.entity), rows.entity)
        yield from _kept(c, replace(bound, figures=one), each)


def _kept(c: Composer, bound: FigureBound, each: AboutEach) -> Iterator[MadePhrase]:
    """A figure of each group, where it is above a number or above the average of the groups."""
    for made in c.divided(bound.figures, each):
        groups = made.phrase
        if not isinstance(groups, FigurePhrase) or len(groups.by) != 1 or groups.limit is not None:
            continue
        value = bound.value
        if value is None:
            mean = Shown(aggregate=Aggregate.AVG, rows=groups.query())
            than: object = SemanticQuery(show=(mean,), of=groups.home)
        else:
            than = value
        kept = FigureComparison.model_validate({"show": groups.shown[0], "op": bound.op, "value": than})
        yield MadePhrase(replace(groups, having=(kept,)), made.marks)


def _number_of(groups: object) -> FigurePhrase:
    assert isinstance(groups, FigurePhrase)
    return FigurePhrase((Shown(aggregate=Aggregate.COUNT, rows=groups.query()),), groups.home)


@rule(PeriodNoun, JoiningWord)
def _periods_word(c: Composer, noun: PeriodNoun, word: JoiningWord) -> Iterator[MadePhrase]:
    """In which months was, did."""
    if noun.plural and word.kind in ("light", "aux"):
        yield MadePhrase(noun)
