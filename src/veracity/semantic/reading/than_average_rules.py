"""Rules for more than the average one has: stores with more orders than the average store, customers who spent more than average."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Aggregate, Comparison, Dimension, SemanticQuery, Shown, all_of
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import AverageBound, FigureBound, MoreOf
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, MeanFigure
from veracity.semantic.reading.joined_phrases import JoinedPhrase
from veracity.semantic.reading.money import spent_by
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase
from veracity.semantic.reading.word_lists import is_person

RULES: Rules = {}
rule = rule_book(RULES)
_AVERAGE_ONE = "average_one"
_MORE = {"more": ">", "fewer": "<"}
_VERBS = {"verb_spend": "spend", "verb_pay": "pay", "spent_last": "spend", "paid_last": "pay"}


@rule(JoiningWord, RowsPhrase)
def _average_one(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The average customer: whoever has as much as customers have on average."""
    if word.kind == "avg" and rows.bare and not (rows.named or rows.plural or rows.edge):
        yield MadePhrase(JoinedPhrase(_AVERAGE_ONE, rows))


@rule(MoreOf, JoinedPhrase)
def _than_average_one(c: Composer, more: MoreOf, average: JoinedPhrase) -> Iterator[MadePhrase]:
    """More orders than the average store; a higher salary than the average employee."""
    rows = average.phrase
    if average.kind != _AVERAGE_ONE or not isinstance(rows, RowsPhrase) or more.times != 1:
        return
    if isinstance(more.what, Attribute):
        if more.what.entity == rows.entity:
            path = more.what.path
            mean = SemanticQuery(show=(Shown(aggregate=Aggregate.AVG, field=path),), of=rows.entity)
            yield MadePhrase(RowFilter(rows.entity, (Comparison(field=path, op=more.op, value=mean),)))
    elif (figures := _figures_of(c, more.what)) is not None:
        yield MadePhrase(FigureBound(figures, more.op, over=rows.entity))


@rule(MoreOf, JoiningWord)
def _than_average(c: Composer, more: MoreOf, word: JoiningWord) -> Iterator[MadePhrase]:
    """More orders than average."""
    if word.kind != "avg" or more.times != 1 or isinstance(more.what, Attribute):
        return
    if (figures := _figures_of(c, more.what)) is not None:
        yield MadePhrase(FigureBound(figures, more.op))


def _figures_of(c: Composer, what: RowsPhrase | FigurePhrase) -> FigurePhrase | None:
    """How many rows, or a figure, with its time among its conditions."""
    figures = c.count(what) if isinstance(what, RowsPhrase) else what
    if figures is None or figures.period is None:
        return figures
    during = c.during(figures.home, figures.period, figures.shown[0].measure)
    return replace(figures, where=(*figures.where, during), period=None) if during is not None else None


@rule(AverageBound, RowsPhrase)
def _bound_by_average_one(c: Composer, bound: AverageBound, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """... more than the average customer: of what was said before it."""
    if not (bound.fields or bound.over) and rows.bare and not (rows.named or rows.plural or rows.edge):
        yield MadePhrase(replace(bound, over=rows.entity))


@rule(JoiningWord, AverageBound)
def _spent_over_average(c: Composer, verb: JoiningWord, bound: AverageBound) -> Iterator[MadePhrase]:
    """Customers who spent more than average: each figure that somebody's spending may be is a reading."""
    if verb.kind in _VERBS and not bound.fields:
        yield from (MadePhrase(FigureBound(one, bound.op, over=bound.over)) for one in _spent(c, verb, bound.over))


@rule(JoiningWord, JoiningWord)
def _more_spent(c: Composer, more: JoiningWord, verb: JoiningWord) -> Iterator[MadePhrase]:
    """... have spent more, in languages that put the verb last."""
    if more.kind in _MORE and verb.kind in _VERBS and c.order.get("verb_last"):
        yield MadePhrase(JoinedPhrase(more.kind, verb))


@rule(JoinedPhrase, JoinedPhrase)
@rule(JoinedPhrase, JoiningWord)
def _more_spent_than(c: Composer, spent: JoinedPhrase, average: JoinedPhrase | JoiningWord) -> Iterator[MadePhrase]:
    """mehr ausgegeben als der durchschnittliche Kunde, als der Durchschnitt."""
    verb, over = spent.phrase, ""
    if isinstance(average, JoinedPhrase) and average.kind == _AVERAGE_ONE and isinstance(average.phrase, RowsPhrase):
        over = average.phrase.entity
    elif isinstance(average, JoinedPhrase) or average.kind != "avg":
        return
    if spent.kind in _MORE and isinstance(verb, JoiningWord):
        yield from (MadePhrase(FigureBound(one, _MORE[spent.kind], over=over)) for one in _spent(c, verb, over))


def _spent(c: Composer, verb: JoiningWord, entity: str) -> Iterator[FigurePhrase]:
    people = [entity] if entity else [name for name, thing in c.model.things.items() if is_person(thing)]
    yield from dict.fromkeys(one for name in people for one in spent_by(c.model, name, _VERBS[verb.kind]))


def averages_over(figures: FigurePhrase, entity: str, *, everyone: bool) -> Iterator[SemanticQuery]:
    """What rows of an entity have on average: those that have any, and all of them."""
    yield MeanFigure(figures, Dimension(entity=entity)).query()
    if not everyone:
        return
    shown = figures.shown[0]
    part = shown.model_copy(update={"where": all_of((shown.where, *figures.where))})
    count = Shown(aggregate=Aggregate.COUNT, of=entity)
    yield SemanticQuery(show=(Shown(ratio=(part, count)),), of=figures.home)
