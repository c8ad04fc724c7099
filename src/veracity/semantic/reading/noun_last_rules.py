"""Rules for languages that put what narrows a noun before it: students whose absences are more than 3."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Aggregate, OrderBy, Shown
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import OpenBound, TopFilter
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, SharePart, TopFigure
from veracity.semantic.reading.joined_phrases import About, CountedRows, MostRows
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase

RULES: Rules = {}
rule = rule_book(RULES)


@rule(MostRows, RowsPhrase)
@rule(Attribute, RowsPhrase)
@rule(FigurePhrase, RowsPhrase)
def _top_before_rows(c: Composer, best: MostRows | Attribute | FigurePhrase, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The top 5 doctors whose admissions are the most."""
    count, direction = rows.awaits or (None, 1)
    if not c.order.get("modifiers_before") or count is None or best.direction != direction:
        return
    plain = replace(rows, awaits=None)
    if isinstance(best, MostRows):
        if best.last and best.count is None:
            yield from c.join(plain, About("", "with", replace(best, count=count)))
    elif isinstance(best, FigurePhrase):
        yield from c.join(plain, TopFigure(replace(best, count=count)))
    elif best.entity == rows.entity:
        order = OrderBy(by=Shown(field=best.path), descending=direction > 0)
        yield from c.join(plain, TopFilter(best.entity, (order,), count, may_be=best.may_be))


@rule(Attribute, JoiningWord)
def _aggregate_behind(c: Composer, attribute: Attribute, word: JoiningWord) -> Iterator[MadePhrase]:
    """The sum of the amounts, with the word for it behind them."""
    plain = attribute.plain and c.numeric(attribute.entity, attribute.field)
    if word.kind in ("sum", "avg", "median") and c.order.get("modifiers_before") and plain:
        yield from c.join(word, attribute)


@rule(RowsPhrase, Attribute)
def _figure_of_rows(c: Composer, rows: RowsPhrase, attribute: Attribute) -> Iterator[MadePhrase]:
    """What the members from Shanghai paid together: the figure stands in rows that point to them."""
    said = attribute.aggregate in (Aggregate.SUM, Aggregate.AVG, Aggregate.MEDIAN) and attribute.entity != rows.entity
    if said and c.order.get("modifiers_before") and rows.where and not rows.order and rows.awaits is None:
        yield from c.join(attribute, About("", "of", rows))


@rule(RowFilter, Attribute)
def _asked_behind_value(c: Composer, filtered: RowFilter, attribute: Attribute) -> Iterator[MadePhrase]:
    """The east gate has how many visitors: what was counted there comes together."""
    own = filtered.is_value and filtered.before and filtered.entity == attribute.entity and len(filtered.where) == 1
    summed = attribute.asked or attribute.aggregate is Aggregate.SUM
    if own and summed and c.order.get("modifiers_before") and c.default_date(attribute.entity) is not None:
        rows = RowsPhrase(filtered.entity, where=filtered.where, edge=filtered.edge)
        if (figure := c.totalled(attribute, rows)) is not None:
            yield MadePhrase(figure)


@rule(RowsPhrase, FigurePhrase)
def _figure_behind_rows(c: Composer, rows: RowsPhrase, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """The revenue of the orders on the internet, with these before it."""
    said = rows.order or rows.awaits or rows.limit or rows.other or rows.figure_word
    plain = not said and rows.entity != figures.home
    measured = figures.shown[0].measure is not None and figures.direction is None and not figures.where
    if c.order.get("modifiers_before") and rows.where and plain and measured and not rows.named:
        yield from c.join(figures, About("", "of", rows))


@rule(FigurePhrase, OpenBound)
def _number_bound(c: Composer, figures: FigurePhrase, bound: OpenBound) -> Iterator[MadePhrase]:
    """The number of absences over 3."""
    said = (figures.by, figures.order, figures.compare, figures.direction, figures.having, figures.changes)
    shown = figures.shown[0]
    counts = len(figures.shown) == 1 and shown.aggregate is Aggregate.COUNT and shown.where is None and not any(said)
    if counts and shown.of == figures.home and c.order.get("modifiers_before"):
        rows = RowsPhrase(figures.home, where=figures.where, period=figures.period)
        for made in c.join(bound, rows):
            if isinstance(made.phrase, CountedRows):
                yield made


@rule(RowsPhrase, OpenBound)
def _rows_over(c: Composer, rows: RowsPhrase, bound: OpenBound) -> Iterator[MadePhrase]:
    """Students whose absences are over 3."""
    if c.order.get("modifiers_before") and not rows.order and rows.awaits is None:
        for made in c.join(bound, rows):
            if isinstance(made.phrase, CountedRows):
                yield made


@rule(CountedRows, RowsPhrase)
def _counted_before_rows(c: Composer, counted: CountedRows, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Students whose number of absences is over 3."""
    if c.order.get("modifiers_before") and counted.op != "=" and counted.rows.entity != rows.entity and not rows.named:
        yield from c.join(rows, About("", "with", counted))


@rule(JoiningWord, RowFilter)
def _light_before_value(c: Composer, word: JoiningWord, value: RowFilter) -> Iterator[MadePhrase]:
    """Students living in the old town."""
    if word.kind == "light" and c.order.get("modifiers_before") and value.is_value:
        yield MadePhrase(replace(value, before=False))


@rule(RowFilter, JoiningWord)
def _value_share(c: Composer, value: RowFilter, word: JoiningWord) -> Iterator[MadePhrase]:
    """The girls' share: among all students."""
    if word.kind == "share" and c.order.get("modifiers_before") and value.is_value and value.before:
        yield from c.join(SharePart(RowsPhrase(value.entity, where=value.where)), word)
