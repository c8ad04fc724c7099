"""Rules for follow-ups about order and limit, and about another figure, field or thing."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.semantic.graph import is_to_one
from veracity.semantic.query import (
    Aggregate,
    Dimension,
    OrderBy,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)
from veracity.semantic.reading import edited_figures, edits
from veracity.semantic.reading.chart import OTHER_ENTITY, MadePhrase
from veracity.semantic.reading.comparison_phrases import Superlative, TopFilter
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, Sorting
from veracity.semantic.reading.joined_phrases import AboutEach, Edited
from veracity.semantic.reading.phrases import Attribute, Attributes, JoiningWord, RowsPhrase
from veracity.semantic.reading.said_phrases import UnitWish

RULES: Rules = {}
rule = rule_book(RULES)
_HOW = ("only", "instead")


@rule(Edited, JoiningWord)
def _order_word(c: Composer, earlier: Edited, word: JoiningWord) -> Iterator[MadePhrase]:
    """The third, alphabetically, descending."""
    query = earlier.query
    match word.kind:
        case "ordinal" if query.limit == 1 and query.order:
            yield from edits.made(earlier, [(query.model_copy(update={"skip": int(word.text) - 1}), ())])
        case "alphabetically":
            yield from edits.made(earlier, _by_name(c, query))
        case "ascending" | "descending":
            yield from edits.made(earlier, _turned(c, query, descending=word.kind == "descending"))


@rule(Edited, Superlative)
def _first_ones(c: Composer, earlier: Edited, best: Superlative) -> Iterator[MadePhrase]:
    query, limit = earlier.query, best.count or 1
    counted = edits.rows_of(c, query) if not query.lists and not query.by else None
    if counted is not None and best.adjective:  # how many rivers; and the longest
        query = counted.query()
    if query.compare is not None or query.per:
        return
    ends = {"limit": limit, "skip": best.skip}
    down = best.direction > 0
    about = query.show[0].field if query.by and len(query.show) == 1 else None
    adjective = best.adjective and not best.general and about not in _paths(best)
    if len(query.order) == 1 and (not adjective or query.order[0].by.field in _paths(best)):
        order = (query.order[0].model_copy(update={"descending": down}),)
        yield from edits.made(earlier, [(query.model_copy(update={"order": order, **ends}), ())])
    elif query.by and query.show and not query.order and not adjective:
        order = (OrderBy(by=query.show[0].model_copy(update={"unit": None}), descending=down),)
        yield from edits.made(earlier, [(query.model_copy(update={"order": order, **ends}), ())])
    elif query.lists and not query.order:
        home = edits.home_of(query)
        number = edited_figures.shown_number(c, query)
        fields = [field for entity, field in best.fields if entity == home]
        if number is not None and not adjective:
            fields = [number.field]
        for field in fields or (c.measurable(home) if best.general else ()):
            shown = Shown(field=f"{home}.{field}")
            show = query.show or (shown,)
            update = {"order": (OrderBy(by=shown, descending=down),), "show": show, **ends}
            yield from edits.made(earlier, [(query.model_copy(update=update), ())])


def _paths(best: Superlative) -> set[str]:
    return {f"{entity}.{field}" for entity, field in best.fields}


@rule(Edited, TopFilter)
def _first_with(c: Composer, earlier: Edited, top: TopFilter) -> Iterator[MadePhrase]:
    """With the largest population."""
    query = earlier.query
    if query.lists and not query.order and top.entity == edits.home_of(query):
        show = query.show or tuple(order.by for order in top.order if order.by.is_field)
        update = {"order": top.order, "limit": top.limit, "skip": top.skip, "show": show}
        yield from edits.made(earlier, [(query.model_copy(update=update), ())])


@rule(Edited, Sorting)
def _sorted(c: Composer, earlier: Edited, sorting: Sorting) -> Iterator[MadePhrase]:
    query, by = earlier.query, sorting.by
    if query.limit is not None:
        yield from _ranked_anew(c, earlier, sorting)
        return
    plain = query.model_copy(update={"order": ()})
    if query.lists:
        home = edits.home_of(query)
        names = [f"{home}.{name}" for name in c.model.things[home].display] if by is None else []
        if isinstance(by, Attribute) and by.plain and (by.entity == home or _is_up(c, home, by.entity)):
            names = [by.path]
        keys = tuple(OrderBy(by=Shown(field=name), descending=bool(sorting.descending)) for name in names)
        if keys:
            marks = () if not isinstance(by, Attribute) or by.entity == home else (OTHER_ENTITY,)
            yield from edits.made(earlier, [(plain.model_copy(update={"order": keys}), marks)])
    elif (figures := edits.figures_of(plain)) is not None:
        for made in c.join(figures, sorting):
            if isinstance(made.phrase, FigurePhrase):
                update = {"by": made.phrase.by, "order": made.phrase.order}
                yield from edits.made(earlier, [(plain.model_copy(update=update), made.marks)])


def _ranked_anew(c: Composer, earlier: Edited, sorting: Sorting) -> Iterator[MadePhrase]:
    """The top 3 by another field or figure."""
    query, by = earlier.query, sorting.by
    if len(query.order) != 1 or sorting.descending is not None:
        return
    old = query.order[0]
    if isinstance(by, Attribute) and by.plain and query.lists and by.entity == edits.home_of(query):
        if c.ordered(by.entity, by.field):
            shown = Shown(field=by.path)
            show = tuple(shown if one == old.by else one for one in query.show)
            update = {"order": (old.model_copy(update={"by": shown}),), "show": show}
            yield from edits.made(earlier, [(query.model_copy(update=update), ())])
    elif isinstance(by, FigurePhrase) and not query.lists and not by.where:
        for changed, marks in edited_figures.refigured(c, query, by, earlier.own):
            if len(changed.show) == 1:
                yield from edits.made(earlier, [(changed, marks)])


def _is_up(c: Composer, start: str, end: str) -> bool:
    ways = c.ways(start, end)
    return len(ways) == 1 and is_to_one(ways[0])


def _by_name(c: Composer, query: SemanticQuery) -> Iterator[edits.Change]:
    home = edits.home_of(query)
    fields = [f"{home}.{name}" for name in c.model.things[home].display] if query.lists else []
    fields = fields or [one.field for one in query.by if one.field and not one.grain]
    if fields and query.limit is None:
        yield query.model_copy(update={"order": tuple(OrderBy(by=Shown(field=field)) for field in fields)}), ()


def _turned(c: Composer, query: SemanticQuery, *, descending: bool) -> Iterator[edits.Change]:
    if query.limit is not None:
        return
    keys = [order.by for order in query.order]
    home = edits.home_of(query)
    if not keys:
        names = [Shown(field=f"{home}.{name}") for name in c.model.things[home].display]
        keys = names if query.lists else list(query.show[:1]) if query.by else []
    if keys:
        yield query.model_copy(update={"order": tuple(OrderBy(by=key, descending=descending) for key in keys)}), ()


@rule(Edited, FigurePhrase)
def _other_figure(c: Composer, earlier: Edited, figures: FigurePhrase) -> Iterator[MadePhrase]:
    if earlier.lead and not earlier.changed and not (figures.order or figures.compare or figures.changes):
        yield from edits.made(earlier, edited_figures.refigured(c, earlier.query, figures, earlier.own))


@rule(Edited, RowsPhrase)
def _other_rows(c: Composer, earlier: Edited, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """And the cities: counted where the others were counted, listed where they were listed."""
    query = earlier.query
    if not earlier.lead or earlier.changed or rows.entity == edits.home_of(query):
        return
    if rows.named or rows.limit or rows.awaits or rows.other:
        return
    named = [part for part in parts_of(query.where) if edits.names_one(c, part, rows.entity)]
    if named:  # the revenue of Anna; and of all customers
        left = [part for part in parts_of(query.where) if part not in named]
        yield from edits.made(earlier, [(edits.with_where(query, left), ())] if rows.bare else [])
        return
    yield from edits.made(earlier, _divided_by_others(c, query, rows))
    counted = c.count(rows)
    figure = query.show[0] if len(query.show) == 1 and not query.lists else None
    if counted is not None and figure is not None and query.limit is None:
        yield from edits.made(earlier, edited_figures.refigured(c, query, counted, earlier.own))
    if (figure is None or figure.aggregate is not Aggregate.COUNT) and not query.by and query.limit is None:
        where = edited_figures.carried(c, query, rows.entity)
        period = rows.period or query.period
        if where is not None and query.compare is None and (period is None or c.dated(rows.entity)):
            listed = SemanticQuery(of=rows.entity, where=all_of((*where, *rows.where)), period=period)
            yield from edits.made(earlier, [(listed, ())])


def _divided_by_others(c: Composer, query: SemanticQuery, rows: RowsPhrase) -> Iterator[edits.Change]:
    """The top 5 artists by revenue; and the genres."""
    figures = edits.figures_of(query.model_copy(update={"by": ()})) if len(query.by) == 1 and rows.bare else None
    if figures is None or query.by[0].grain is not None or query.show[0].of == rows.entity:
        return
    if any(order.by.is_field for order in query.order):
        return
    for made in c.divided(figures, AboutEach(Dimension(entity=rows.entity), rows.entity)):
        if isinstance(made.phrase, FigurePhrase):
            yield query.model_copy(update={"by": made.phrase.by}), ()


@rule(Edited, Attribute)
def _other_field(c: Composer, earlier: Edited, attribute: Attribute) -> Iterator[MadePhrase]:
    query, home = earlier.query, edits.home_of(earlier.query)
    if earlier.changed:
        return  # longer than 5 minutes, where minutes are a field, too
    if not attribute.plain:
        figure = c.totalled(attribute, RowsPhrase(attribute.entity))
        if figure is not None and earlier.lead:
            yield from edits.made(earlier, edited_figures.refigured(c, query, figure, earlier.own))
        return
    if query.lists:
        if attribute.entity == home:
            show = (Shown(field=attribute.path, unit=attribute.unit),)
            yield from edits.made(earlier, [(query.model_copy(update={"show": show}), ())])
        return
    if any(one.entity == attribute.entity for one in query.by) and query.limit is None:
        wider = (*query.by, Dimension(field=attribute.path))  # revenue per customer; and their country
        yield from edits.made(earlier, [(query.model_copy(update={"by": wider}), ())])
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is not None and shown.field and shown.aggregate and attribute.entity == home and not query.order:
        numeric = c.numeric(home, attribute.field)
        if numeric and query.compare is None and query.having is None:
            changed = shown.model_copy(update={"field": attribute.path, "unit": attribute.unit})
            yield from edits.made(earlier, [(query.model_copy(update={"show": (changed,)}), ())])


@rule(Edited, Attributes)
def _other_fields(c: Composer, earlier: Edited, attributes: Attributes) -> Iterator[MadePhrase]:
    """Name and country."""
    query, home = earlier.query, edits.home_of(earlier.query)
    if query.lists and not earlier.changed and all(one.plain and one.entity == home for one in attributes.fields):
        show = tuple(Shown(field=one.path) for one in attributes.fields)
        yield from edits.made(earlier, [(query.model_copy(update={"show": show}), ())])


@rule(Edited, UnitWish)
def _in_unit(c: Composer, earlier: Edited, wish: UnitWish) -> Iterator[MadePhrase]:
    query = earlier.query
    shown = query.show[0] if len(query.show) == 1 else None
    if wish.said and shown is not None and not shown.transform and c.converts(shown, wish):
        changed = shown.model_copy(update={"unit": wish.unit})
        yield from edits.made(earlier, [(query.model_copy(update={"show": (changed,)}), ())])
