"""Rules for fields of rows and for figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import (
    Negation,
    OrderBy,
    Shown,
)
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import (
    FAR,
    Composer,
    Rules,
    changed,
    is_far,
    right_edge,
    rule_book,
    steps_of,
)
from veracity.semantic.reading.phrases import (
    About,
    AboutEach,
    Attribute,
    Attributes,
    FigurePhrase,
    HowAdjective,
    JoinedPhrase,
    JoiningWord,
    Lookup,
    RowFilter,
    RowsPhrase,
    SaidPeriod,
    Sorting,
    UnitWish,
    merged,
)

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Attribute, About)
def _attribute_about(c: Composer, attribute: Attribute, about: About) -> Iterator[MadePhrase]:
    if (about.kind in ("of", "in") and not about.negated and isinstance(about.rows, RowsPhrase)) or (
        about.kind == "with" and attribute.asked and isinstance(about.rows, RowsPhrase) and about.rows.single
    ):
        yield from c.look_up(attribute, about.rows)


@rule(RowsPhrase, Attribute)
def _rows_attribute(c: Composer, rows: RowsPhrase, attribute: Attribute) -> Iterator[MadePhrase]:
    if rows.entity != attribute.entity or not (rows.bare or rows.single):
        return
    if not attribute.asked:
        yield from c.look_up(attribute, rows)
    elif rows.bare:  # invoice total
        yield MadePhrase(attribute)


@rule(Attribute, RowsPhrase)
def _attribute_rows(c: Composer, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """How many inhabitants does Texas have, with the verb left out."""
    if attribute.asked and rows.single:
        yield from c.look_up(attribute, rows)


@rule(Attribute, RowFilter)
def _attribute_filter(c: Composer, attribute: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    if attribute.entity == filtered.entity and not filtered.before:
        yield from c.look_up(attribute, RowsPhrase(filtered.entity, where=filtered.where, edge=filtered.edge))


@rule(Attribute, JoinedPhrase)
def _attribute_joined(c: Composer, left: Attribute, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    if isinstance(joined.phrase, Attribute):
        yield MadePhrase(Attributes((left, joined.phrase)))


@rule(Attributes, JoinedPhrase)
def _attributes_joined(c: Composer, left: Attributes, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    if isinstance(joined.phrase, Attribute):
        yield MadePhrase(Attributes((*left.fields, joined.phrase)))


@rule(Attributes, About)
def _attributes_about(c: Composer, attributes: Attributes, about: About) -> Iterator[MadePhrase]:
    if about.kind in ("of", "in") and isinstance(about.rows, RowsPhrase) and about.rows.awaits is None:
        rows = about.rows
        own = all(field.entity == rows.entity for field in attributes.fields)
        if own:
            yield MadePhrase(Lookup(rows, attributes.fields))


@rule(JoiningWord, Attributes)
def _word_attributes(c: Composer, word: JoiningWord, attributes: Attributes) -> Iterator[MadePhrase]:
    if word.kind == "show" and word.first:
        yield MadePhrase(attributes)


@rule(HowAdjective, RowsPhrase)
def _adjective_rows(c: Composer, adjective: HowAdjective, rows: RowsPhrase) -> Iterator[MadePhrase]:
    for entity, field in adjective.fields if adjective.asked else ():
        if entity == rows.entity and rows.awaits is None:
            yield MadePhrase(Lookup(rows, (Attribute(entity, field),)))


@rule(FigurePhrase, About)
def _figures_about(c: Composer, figures: FigurePhrase, about: About) -> Iterator[MadePhrase]:
    if about.kind in ("of", "in") and isinstance(about.rows, RowsPhrase) and about.rows.awaits is None:
        rows = about.rows
        if rows.entity == figures.home and not figures.where and figures.shown[0].of is None:
            yield MadePhrase(
                replace(c.figure_of(figures.shown[0], rows), by=figures.by, period=figures.period or rows.period)
            )
            return
        far = (FAR,) if c.is_nearer(figures.edge[1:], rows) else ()
        for condition in c.relate(figures.home, rows):
            met = Negation(condition=condition) if about.negated else condition
            edge = (figures.home, *right_edge(rows))
            yield MadePhrase(replace(figures, where=merged(figures.where, (met,)), edge=edge), (*far, *steps_of(met)))


@rule(FigurePhrase, RowFilter)
@rule(RowFilter, FigurePhrase)
def _figures_filter(
    c: Composer, left: FigurePhrase | RowFilter, right: FigurePhrase | RowFilter
) -> Iterator[MadePhrase]:
    figures, filtered = (left, right) if isinstance(left, FigurePhrase) else (right, left)
    assert isinstance(figures, FigurePhrase)
    assert isinstance(filtered, RowFilter)
    nearer = is_far(figures.edge, filtered.may_be or (filtered.entity,))
    far = (FAR,) if nearer and not filtered.free else ()
    for narrowed, marks in c.narrowed(figures, filtered.entity, filtered.where):
        assert isinstance(narrowed, FigurePhrase)
        yield MadePhrase(replace(narrowed, edge=(figures.home, *filtered.edge)), (*far, *marks))


@rule(FigurePhrase, SaidPeriod)
@rule(SaidPeriod, FigurePhrase)
def _figures_when(
    c: Composer, left: FigurePhrase | SaidPeriod, right: FigurePhrase | SaidPeriod
) -> Iterator[MadePhrase]:
    figures, when = (left, right) if isinstance(left, FigurePhrase) else (right, left)
    assert isinstance(figures, FigurePhrase)
    assert isinstance(when, SaidPeriod)
    if figures.period is None and (c.dated(figures.home) or c.default_date(figures.home, figures.shown[0].measure)):
        dated = replace(figures, period=when.period, ends=when.ends)
        if figures.changes:
            yield from changed(replace(dated, changes=False))
        elif not when.between or not when.period.first:
            yield MadePhrase(dated)


@rule(FigurePhrase, AboutEach)
@rule(AboutEach, FigurePhrase)
def _figures_each(c: Composer, left: FigurePhrase | AboutEach, right: FigurePhrase | AboutEach) -> Iterator[MadePhrase]:
    figures, each = (left, right) if isinstance(left, FigurePhrase) else (right, left)
    assert isinstance(figures, FigurePhrase)
    assert isinstance(each, AboutEach)
    yield from c.divided(figures, each)


@rule(Attribute, AboutEach)
@rule(AboutEach, Attribute)
def _attribute_each(c: Composer, left: Attribute | AboutEach, right: Attribute | AboutEach) -> Iterator[MadePhrase]:
    attribute, each = (left, right) if isinstance(left, Attribute) else (right, left)
    assert isinstance(attribute, Attribute)
    assert isinstance(each, AboutEach)
    figure = c.totalled(attribute, RowsPhrase(attribute.entity))
    if figure is not None:
        yield from c.divided(figure, each)


@rule(RowsPhrase, FigurePhrase)
def _rows_figures(c: Composer, rows: RowsPhrase, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Leonie Köhler's spending; of a bare noun only where it is the figure's own ("invoice total")."""
    if rows.named:
        for condition in c.relate(figures.home, rows):
            yield MadePhrase(replace(figures, where=merged(figures.where, (condition,))), steps_of(condition))
    elif rows.bare and rows.entity == figures.home and figures.shown[0].measure:
        yield MadePhrase(figures)


@rule(FigurePhrase, Sorting)
def _figures_sorting(c: Composer, figures: FigurePhrase, sorting: Sorting) -> Iterator[MadePhrase]:
    if not figures.by or figures.order:
        return
    by = sorting.by
    if isinstance(by, FigurePhrase) and by.shown == figures.shown and not by.where:
        order = OrderBy(by=figures.shown[0], descending=sorting.descending is not False)
        yield MadePhrase(replace(figures, order=(order,)))
    elif isinstance(by, Attribute) and any(d.field == by.path or d.entity == by.entity for d in figures.by):
        yield MadePhrase(
            replace(figures, order=(OrderBy(by=Shown(field=by.path), descending=bool(sorting.descending)),))
        )


@rule(Attribute, UnitWish)
def _attribute_in_unit(c: Composer, attribute: Attribute, wish: UnitWish) -> Iterator[MadePhrase]:
    if wish.said and attribute.unit is None and c.converts(Shown(field=attribute.path), wish):
        yield MadePhrase(replace(attribute, unit=wish.unit))


@rule(Lookup, UnitWish)
@rule(FigurePhrase, UnitWish)
def _in_unit(c: Composer, left: Lookup | FigurePhrase, wish: UnitWish) -> Iterator[MadePhrase]:
    if not wish.said:
        return
    if isinstance(left, FigurePhrase):
        shown = left.shown[0]
        if c.converts(shown, wish):
            yield MadePhrase(replace(left, shown=(shown.model_copy(update={"unit": wish.unit}),)))
    elif len(left.fields) == 1 and not left.unit and c.converts(Shown(field=left.fields[0].path), wish):
        yield MadePhrase(replace(left, unit=wish.unit))
