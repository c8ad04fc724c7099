"""Rules for words that say how rows came about: articles published in 2019, orders placed per month. Every row did, so they say nothing more."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.coming_about import doer_of
from veracity.semantic.reading.compose import STEP, Composer, Rules, rule_book
from veracity.semantic.reading.phrases import (
    About,
    CameAbout,
    CountedRows,
    FigurePhrase,
    MostRows,
    RowsPhrase,
    ShareOf,
)

RULES: Rules = {}
rule = rule_book(RULES)


@rule(RowsPhrase, CameAbout)
def _rows_came(c: Composer, rows: RowsPhrase, came: CameAbout) -> Iterator[MadePhrase]:
    """Reviews written in 2022; how many articles were published."""
    if rows.entity in came.entities and not rows.named and rows.awaits is None:
        # Who wrote the most reviews: who did it is read before that it was done.
        yield MadePhrase(rows, (STEP,) if doer_of(c.model, rows.entity) else ())


@rule(RowsPhrase, About)
def _rows_by(c: Composer, rows: RowsPhrase, about: About) -> Iterator[MadePhrase]:
    """Articles by Ada Winter: who wrote them."""
    if about.kind == "prep" and about.word in c.order.get("doers", ()) and not rows.named:
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
    if figures.home in came.entities and figures.shown[0].of in came.entities:
        yield MadePhrase(figure)
