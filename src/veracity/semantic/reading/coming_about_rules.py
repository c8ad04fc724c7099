"""Rules for words that say how rows came about: articles published in 2019, orders placed per month. Every row did, so they say nothing more."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.semantic.query import AllOf, AnyOf, Condition, Negation, Related
from veracity.semantic.reading.chart import STEP, MadePhrase
from veracity.semantic.reading.coming_about import doer_of
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, ShareOf
from veracity.semantic.reading.joined_phrases import About, CameAbout, CountedRows, MostRows, Verb
from veracity.semantic.reading.phrases import Attribute, RowsPhrase
from veracity.semantic.reading.word_lists import in_all_languages, is_person, key_of

RULES: Rules = {}
rule = rule_book(RULES)


@rule(RowsPhrase, CameAbout)
def _rows_came(c: Composer, rows: RowsPhrase, came: CameAbout) -> Iterator[MadePhrase]:
    """Reviews written in 2022; how many articles were published."""
    if rows.entity in came.entities and not rows.named and rows.awaits is None and not _of_others(c, rows):
        # Who wrote the most reviews: who did it is read before that it was done.
        yield MadePhrase(rows, (STEP,) if doer_of(c.model, rows.entity) else ())


@rule(RowsPhrase, About)
def _rows_by(c: Composer, rows: RowsPhrase, about: About) -> Iterator[MadePhrase]:
    """Articles by Ada Winter: who wrote them."""
    if about.kind == "prep" and key_of(about.word) in in_all_languages("passive") and not rows.named:
        who = about.rows
        if isinstance(who, RowsPhrase) and who.named and who.entity == doer_of(c.model, rows.entity):
            yield from c.join(rows, About(about.word, "of", who))


@rule(MostRows, CameAbout)
@rule(CountedRows, CameAbout)
def _counted_came(c: Composer, counted: MostRows | CountedRows, came: CameAbout) -> Iterator[MadePhrase]:
    """Which year has the most articles published; who wrote the most is a matter of who did it, where that is known."""
    if counted.rows.entity in came.entities and doer_of(c.model, counted.rows.entity) is None:
        yield MadePhrase(counted)


@rule(FigurePhrase, CameAbout)
@rule(ShareOf, CameAbout)
def _figure_came(c: Composer, figure: FigurePhrase | ShareOf, came: CameAbout) -> Iterator[MadePhrase]:
    """The number of claims filed; what share of the orders was placed in May."""
    figures = figure if isinstance(figure, FigurePhrase) else figure.figures
    own = figures.home in came.entities and figures.shown[0].of in came.entities
    if own and not _of_others(c, RowsPhrase(figures.home, where=figures.where)):
        yield MadePhrase(figure)


@rule(FigurePhrase, Verb)
def _figure_done(c: Composer, figure: FigurePhrase, verb: Verb) -> Iterator[MadePhrase]:
    """The total quantity prescribed: a figure of the prescriptions themselves."""
    ends = {step.end for start, name, _ in verb.alone if (step := c.step(start, name)) is not None}
    own = all(one.field is not None and one.field.partition(".")[0] in ends for one in figure.shown)
    if own and figure.home in ends and not verb.only:
        yield MadePhrase(figure)


@rule(Attribute, Verb)
def _total_done(c: Composer, total: Attribute, verb: Verb) -> Iterator[MadePhrase]:
    """The total quantity prescribed, before it is said per what."""
    ends = {step.end for start, name, _ in verb.alone if (step := c.step(start, name)) is not None}
    adds = c.adds_up(total) or c.may_add_up(total)
    if total.entity in ends and total.aggregate is not None and adds and not verb.only:
        yield MadePhrase(total)


def _of_others(c: Composer, rows: RowsPhrase) -> bool:
    """Whether the rows are those of people who did not do it: reviews that a trainer has written are not those of his courses."""
    doer = doer_of(c.model, rows.entity)
    return any(is_person(c.model.things[one]) and one != doer for part in rows.where for one in _named_in(part))


def _named_in(condition: Condition) -> Iterator[str]:
    """The entities that a condition is about."""
    if isinstance(condition, Related):
        yield condition.related.of or ""
        yield from _named_in(condition.related.where) if condition.related.where is not None else ()
    elif isinstance(condition, AllOf | AnyOf):
        yield from (one for part in condition.conditions for one in _named_in(part))
    elif isinstance(condition, Negation):
        yield from _named_in(condition.condition)
