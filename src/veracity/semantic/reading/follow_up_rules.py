"""Rules for follow-ups: what words change in the last query, and what they ask of the rows that it found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from veracity.semantic.graph import is_to_one
from veracity.semantic.query import (
    Aggregate,
    Dimension,
    FigureComparison,
    OrderBy,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
    parts_of,
)
from veracity.semantic.reading import edits
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import AGGREGATES, Composer, Rules, rule_book
from veracity.semantic.reading.phrases import (
    About,
    AboutEach,
    Attribute,
    Attributes,
    Edited,
    FigurePhrase,
    JoiningWord,
    Lookup,
    OpenBound,
    RowFilter,
    RowsPhrase,
    SaidPeriod,
    SegmentWord,
    Sorting,
    Superlative,
    TheseRows,
    TopFilter,
    UnitWish,
    Wanted,
)

RULES: Rules = {}
rule = rule_book(RULES)
_HOW = ("only", "instead")


def _made(earlier: Edited, changes: Iterable[edits.Change]) -> Iterator[MadePhrase]:
    for query, marks in changes:
        if query != earlier.query:
            yield MadePhrase(replace(earlier, query=query, changed=True), marks)


# --- how the next words are meant


@rule(JoiningWord, RowFilter)
@rule(JoiningWord, RowsPhrase)
@rule(JoiningWord, About)
@rule(JoiningWord, SegmentWord)
@rule(JoiningWord, AboutEach)
@rule(JoiningWord, Superlative)
@rule(JoiningWord, OpenBound)
@rule(JoiningWord, SaidPeriod)
@rule(JoiningWord, TopFilter)
@rule(JoiningWord, Sorting)
def _meant(c: Composer, word: JoiningWord, phrase: RowFilter) -> Iterator[MadePhrase]:
    if word.kind in _HOW:
        yield MadePhrase(Wanted(word.kind, phrase))


@rule(AboutEach, JoiningWord)
@rule(RowFilter, JoiningWord)
@rule(RowsPhrase, JoiningWord)
@rule(SaidPeriod, JoiningWord)
@rule(About, JoiningWord)
def _meant_before(c: Composer, phrase: AboutEach, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "instead":
        yield MadePhrase(Wanted(word.kind, phrase))


@rule(JoiningWord, RowFilter)
@rule(JoiningWord, RowsPhrase)
def _except(c: Composer, word: JoiningWord, phrase: RowFilter | RowsPhrase) -> Iterator[MadePhrase]:
    """Without Germany."""
    names = phrase.named if isinstance(phrase, RowsPhrase) else phrase.is_value
    if word.kind in ("without", "not") and names:
        yield MadePhrase(Wanted("except", phrase))


@rule(Edited, Wanted)
def _edited_wanted(c: Composer, earlier: Edited, wanted: Wanted) -> Iterator[MadePhrase]:
    if wanted.how == "except":
        if isinstance(wanted.phrase, RowFilter | RowsPhrase):
            for new, marks in edits.conditions_on(c, edits.home_of(earlier.query), wanted.phrase):
                for query, more in edits.excluded(c, earlier.query, new):
                    yield from _made(earlier, [(query, (*marks, *more))])
        return
    for made in c.join(replace(earlier, how=wanted.how), wanted.phrase):
        if isinstance(made.phrase, Edited):
            yield MadePhrase(replace(made.phrase, how=earlier.how), made.marks)


# --- conditions and periods


@rule(Edited, RowFilter)
@rule(Edited, About)
@rule(Edited, RowsPhrase)
@rule(Edited, SegmentWord)
def _narrowed(c: Composer, earlier: Edited, phrase: RowFilter | About | RowsPhrase | SegmentWord) -> Iterator[MadePhrase]:
    if isinstance(phrase, RowFilter) and phrase.free:
        return  # an exception is one, whatever stands before it
    if isinstance(phrase, RowsPhrase) and not (phrase.named or earlier.how == "only"):
        return
    if isinstance(phrase, About) and phrase.kind == "without" and getattr(phrase.rows, "named", False):
        return
    query, replaces = earlier.query, earlier.lead or earlier.how == "instead"
    changes = [
        (changed, (*marks, *more))
        for new, marks in edits.conditions_on(c, edits.home_of(query), phrase)
        for changed, more in edits.conditioned(c, query, new, replaces=replaces)
        if edits.ADDED not in more or earlier.how != "instead"
    ]
    if earlier.how != "only" and all(edits.ADDED in marks for _, marks in changes):
        changes += edits.renamed(c, query, phrase)
    yield from _made(earlier, changes)


@rule(Edited, SaidPeriod)
def _redated(c: Composer, earlier: Edited, when: SaidPeriod) -> Iterator[MadePhrase]:
    yield from _made(earlier, edits.redated(c, earlier.query, when))


@rule(Edited, OpenBound)
def _bounded(c: Composer, earlier: Edited, bound: OpenBound) -> Iterator[MadePhrase]:
    """And over 50: of the field that was compared before, of the figure of each group, of the number that is shown."""
    query, home = earlier.query, edits.home_of(earlier.query)
    if bound.fields or query.compare is not None or query.limit is not None:
        return
    for part in parts_of(query.where):
        place = edits.place_of(c, part)
        if place and place[0] == "field" and place[-1] in ("below", "above", "between"):
            entity, _, name = str(place[1]).partition(".")
            condition = c.compared(entity, name, bound)
            if condition is not None:
                yield from _made(earlier, edits.conditioned(c, query, (condition,), replaces=True))
                return
    shown = query.show[0] if len(query.show) == 1 else None
    if query.by and shown is not None and bound.upper is None and shown.transform is None and not shown.unit:
        if bound.number.dimension is None:
            kept = FigureComparison(show=shown, op=bound.op, value=bound.number.value)
            yield from _made(earlier, [(query.model_copy(update={"having": kept}), (edits.ADDED,))])
    elif query.lists and bound.number.dimension is None:
        number = edits.shown_number(c, query)
        for field in [number.field] if number else c.measurable(home):
            if condition := c.compared(home, field, bound):
                yield from _made(earlier, edits.conditioned(c, query, (condition,), replaces=earlier.lead))


# --- what it is divided by


@rule(Edited, AboutEach)
def _divided(c: Composer, earlier: Edited, each: AboutEach) -> Iterator[MadePhrase]:
    query = earlier.query
    if query.lists:
        yield from _made(earlier, _rows_divided(c, query, each))
        return
    figures = edits.figures_of(query)
    if figures is None or any(one.rows or (one.transform and not query.by) for one in query.show):
        return
    if query.by:
        alone = query.model_copy(update={"by": (), "order": (), "limit": None, "skip": 0, "having": None})
        replaced = list(_by(c, alone, each))
        ranked = query.limit is not None or query.having is not None or query.order
        if not ranked:
            yield from _made(earlier, replaced)
        if earlier.how == "instead" or any(_is_other_grain(query, other) for other, _ in replaced):
            return
        wider = edits.among_found(query) if query.limit is not None else query
        if wider is None:
            return
        query = wider
    yield from _made(earlier, _by(c, query, each))


def _is_other_grain(query: SemanticQuery, other: SemanticQuery) -> bool:
    """Per month after per year: nobody wants both."""
    dates = {(one.field, one.via) for one in query.by if one.grain}
    return any(one.grain and (one.field, one.via) in dates for one in other.by)


def _by(c: Composer, query: SemanticQuery, each: AboutEach) -> Iterator[edits.Change]:
    figures = edits.figures_of(query)
    if figures is None:
        return
    for made in c.divided(figures, each):
        divided = made.phrase
        if isinstance(divided, FigurePhrase):
            yield query.model_copy(update={"by": divided.by, "where": all_of(divided.where)}), made.marks


def _rows_divided(c: Composer, query: SemanticQuery, each: AboutEach) -> Iterator[edits.Change]:
    """Customers per country: how many, or which."""
    rows = edits.rows_of(c, query)
    if rows is None or query.limit is not None or query.show or edits.is_named(c, query):
        return
    counted = c.count(rows)
    if counted is None:
        return
    for made in c.divided(counted, each):
        if isinstance(made.phrase, FigurePhrase):
            yield made.phrase.query(), made.marks
    dimension = each.dimension
    if dimension.field is not None and dimension.grain is None and each.entity in c.model.things and not each.where:
        if all(is_to_one(way) for way in c.model.ways(rows.entity, each.entity)):
            shown = Shown(field=dimension.field)
            yield query.model_copy(update={"show": (shown,), "order": (OrderBy(by=shown),)}), ()


@rule(Edited, JoiningWord)
def _word(c: Composer, earlier: Edited, word: JoiningWord) -> Iterator[MadePhrase]:
    query = earlier.query
    match word.kind:
        case "as_share" | "share":
            yield from _made(earlier, _as_share(query))
        case "every" if query.limit is not None:
            yield from _made(earlier, [(query.model_copy(update={"limit": None, "skip": 0, "per": ()}), ())])
        case "whole":
            yield from _made(earlier, _undivided(query))
        case "how_many":
            yield from _made(earlier, _counted(c, query))
        case "ordinal" if query.limit == 1 and query.order:
            yield from _made(earlier, [(query.model_copy(update={"skip": int(word.text) - 1}), ())])
        case "alphabetically":
            yield from _made(earlier, _by_name(c, query))
        case "ascending" | "descending":
            yield from _made(earlier, _turned(c, query, descending=word.kind == "descending"))
        case kind if kind in AGGREGATES:
            yield from _made(earlier, _computed(c, query, AGGREGATES[kind]))


def _undivided(query: SemanticQuery) -> Iterator[edits.Change]:
    """In total: all groups together. Of the first three it may be those three, or all."""
    if query.lists or not query.by or not query.show:
        return
    loose = {"by": (), "order": (), "limit": None, "skip": 0, "per": (), "having": None}
    figures = tuple(
        one.model_copy(update={"transform": None}) if one.where is None else one for one in query.show
    )
    yield query.model_copy(update={**loose, "show": figures}), ()
    if query.limit is not None or query.having is not None:
        if (total := edits.over_rows(query, Aggregate.SUM)) is not None:
            yield total, ()


def _counted(c: Composer, query: SemanticQuery) -> Iterator[edits.Change]:
    if query.lists:
        yield from _number_of(c, query)
    elif query.by and len(query.show) == 1 and query.show[0].aggregate is Aggregate.COUNT:
        yield from _undivided(query)


def _computed(c: Composer, query: SemanticQuery, aggregate: Aggregate) -> Iterator[edits.Change]:
    """And the average: of the same values in the place of their sum, or of the groups."""
    if query.lists:
        yield from _over_list(c, query, aggregate)
        return
    yield from edits.other_aggregate(c, query, aggregate)
    if aggregate is Aggregate.SUM:
        yield from _undivided(query)
    elif (over := edits.over_rows(query, aggregate)) is not None:
        yield over, ()


def _over_list(c: Composer, query: SemanticQuery, aggregate: Aggregate) -> Iterator[edits.Change]:
    number, rows = edits.shown_number(c, query), edits.rows_of(c, query)
    if number is not None and rows is not None:
        figure = c.aggregated(replace(number, aggregate=aggregate), rows)
        if figure is not None:
            yield figure.query(), ()


def _number_of(c: Composer, query: SemanticQuery) -> Iterator[edits.Change]:
    rows = edits.rows_of(c, query)
    if rows is not None and (figure := c.count(rows)):
        yield figure.query(), ()
    elif (over := edits.over_rows(query, Aggregate.COUNT)) is not None:
        yield over, ()


def _as_share(query: SemanticQuery) -> Iterator[edits.Change]:
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is None or query.lists or query.compare or query.having:
        return
    if shown.transform or shown.unit or shown.rows or shown.where:
        return
    if query.by:
        share = shown.model_copy(update={"transform": Transform.SHARE})
        order = tuple(edits.replace_order(query, share))
        yield query.model_copy(update={"show": (share,), "order": order}), ()
        return
    parts = parts_of(query.where)
    for moved in dict.fromkeys((parts, *((part,) for part in parts))) if parts else ():
        share = shown.model_copy(update={"transform": Transform.SHARE, "where": all_of(moved)})
        rest = [part for part in parts if part not in moved]
        yield edits.with_where(query.model_copy(update={"show": (share,)}), rest), ()


# --- order and limit


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
    adjective = best.adjective and not best.general
    if len(query.order) == 1 and (not adjective or query.order[0].by.field in _paths(best)):
        order = (query.order[0].model_copy(update={"descending": down}),)
        yield from _made(earlier, [(query.model_copy(update={"order": order, **ends}), ())])
    elif query.by and query.show and not query.order and not adjective:
        order = (OrderBy(by=query.show[0].model_copy(update={"unit": None}), descending=down),)
        yield from _made(earlier, [(query.model_copy(update={"order": order, **ends}), ())])
    elif query.lists and not query.order:
        home = edits.home_of(query)
        number = edits.shown_number(c, query)
        fields = [field for entity, field in best.fields if entity == home]
        if number is not None and not adjective:
            fields = [number.field]
        for field in fields or (c.measurable(home) if best.general else ()):
            shown = Shown(field=f"{home}.{field}")
            show = query.show or (shown,)
            update = {"order": (OrderBy(by=shown, descending=down),), "show": show, **ends}
            yield from _made(earlier, [(query.model_copy(update=update), ())])


def _paths(best: Superlative) -> set[str]:
    return {f"{entity}.{field}" for entity, field in best.fields}


@rule(Edited, TopFilter)
def _first_with(c: Composer, earlier: Edited, top: TopFilter) -> Iterator[MadePhrase]:
    """With the largest population."""
    query = earlier.query
    if query.lists and not query.order and top.entity == edits.home_of(query):
        show = query.show or tuple(order.by for order in top.order if order.by.is_field)
        update = {"order": top.order, "limit": top.limit, "skip": top.skip, "show": show}
        yield from _made(earlier, [(query.model_copy(update=update), ())])


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
            marks = () if not isinstance(by, Attribute) or by.entity == home else (edits.OTHER_ENTITY,)
            yield from _made(earlier, [(plain.model_copy(update={"order": keys}), marks)])
    elif (figures := edits.figures_of(plain)) is not None:
        for made in c.join(figures, sorting):
            if isinstance(made.phrase, FigurePhrase):
                update = {"by": made.phrase.by, "order": made.phrase.order}
                yield from _made(earlier, [(plain.model_copy(update=update), made.marks)])


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
            yield from _made(earlier, [(query.model_copy(update=update), ())])
    elif isinstance(by, FigurePhrase) and not query.lists and not by.where:
        for changed, marks in edits.refigured(c, query, by):
            if len(changed.show) == 1:
                yield from _made(earlier, [(changed, marks)])


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


# --- another figure, field or thing


@rule(Edited, FigurePhrase)
def _other_figure(c: Composer, earlier: Edited, figures: FigurePhrase) -> Iterator[MadePhrase]:
    if earlier.lead and not earlier.changed and not (figures.order or figures.compare or figures.changes):
        yield from _made(earlier, edits.refigured(c, earlier.query, figures))


@rule(Edited, RowsPhrase)
def _other_rows(c: Composer, earlier: Edited, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """And the cities: counted where the others were counted, listed where they were listed."""
    query = earlier.query
    if not earlier.lead or earlier.changed or rows.entity == edits.home_of(query):
        return
    if rows.named or rows.limit or rows.awaits or rows.other:
        return
    counted = c.count(rows)
    figure = query.show[0] if len(query.show) == 1 and not query.lists else None
    if counted is not None and figure is not None:
        yield from _made(earlier, edits.refigured(c, query, counted))
    if (figure is None or figure.aggregate is not Aggregate.COUNT) and not query.by and query.limit is None:
        where = edits.carried(c, query, rows.entity)
        period = rows.period or query.period
        if where is not None and query.compare is None and (period is None or c.dated(rows.entity)):
            listed = SemanticQuery(of=rows.entity, where=all_of((*where, *rows.where)), period=period)
            yield from _made(earlier, [(listed, ())])


@rule(Edited, Attribute)
def _other_field(c: Composer, earlier: Edited, attribute: Attribute) -> Iterator[MadePhrase]:
    query, home = earlier.query, edits.home_of(earlier.query)
    if earlier.changed:
        return  # longer than 5 minutes, where minutes are a field, too
    if not attribute.plain:
        figure = c.totalled(attribute, RowsPhrase(attribute.entity))
        if figure is not None and earlier.lead:
            yield from _made(earlier, edits.refigured(c, query, figure))
        return
    if query.lists:
        if attribute.entity == home:
            show = (Shown(field=attribute.path, unit=attribute.unit),)
            yield from _made(earlier, [(query.model_copy(update={"show": show}), ())])
        return
    if any(one.entity == attribute.entity for one in query.by) and query.limit is None:
        wider = (*query.by, Dimension(field=attribute.path))  # revenue per customer; and their country
        yield from _made(earlier, [(query.model_copy(update={"by": wider}), ())])
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is not None and shown.field and shown.aggregate and attribute.entity == home and not query.order:
        numeric = c.numeric(home, attribute.field)
        if numeric and query.compare is None and query.having is None:
            changed = shown.model_copy(update={"field": attribute.path, "unit": attribute.unit})
            yield from _made(earlier, [(query.model_copy(update={"show": (changed,)}), ())])


@rule(Edited, UnitWish)
def _in_unit(c: Composer, earlier: Edited, wish: UnitWish) -> Iterator[MadePhrase]:
    query = earlier.query
    shown = query.show[0] if len(query.show) == 1 else None
    if wish.said and shown is not None and not shown.transform and c.converts(shown, wish):
        changed = shown.model_copy(update={"unit": wish.unit})
        yield from _made(earlier, [(query.model_copy(update={"show": (changed,)}), ())])


# --- what is asked of the rows that were found


@rule(JoiningWord, TheseRows)
@rule(TheseRows, JoiningWord)
def _these_computed(c: Composer, left: TheseRows | JoiningWord, right: TheseRows | JoiningWord) -> Iterator[MadePhrase]:
    """How many of them, their total, the average of these."""
    these, word = (left, right) if isinstance(left, TheseRows) else (right, left)
    assert isinstance(these, TheseRows)
    assert isinstance(word, JoiningWord)
    query, changes = these.query, list[edits.Change]()
    if word.kind == "how_many":
        changes = list(_number_of(c, query))
    elif word.kind in AGGREGATES and query.lists:
        changes = list(_over_list(c, query, AGGREGATES[word.kind]))
    elif word.kind in AGGREGATES and query.by:
        over = edits.over_rows(query, AGGREGATES[word.kind])
        changes = [(over, ())] if over is not None else []
        if word.kind == "sum" and query.limit is None and query.having is None:
            changes = [*_undivided(query), *changes]  # where a row counts in several groups, these are two things
    for changed, marks in changes:
        yield MadePhrase(Edited(changed), marks)


@rule(TheseRows, Attribute)
@rule(TheseRows, Attributes)
def _their_field(c: Composer, these: TheseRows, right: Attribute | Attributes) -> Iterator[MadePhrase]:
    rows = edits.rows_of(c, these.query)
    if rows is None:
        return
    if isinstance(right, Attribute):
        yield from c.look_up(right, rows)
    else:
        yield from c.join(right, About("", "of", rows))


@rule(Attribute, TheseRows)
def _field_of_these(c: Composer, attribute: Attribute, these: TheseRows) -> Iterator[MadePhrase]:
    yield from _their_field(c, these, attribute)


@rule(JoiningWord, Lookup)
def _how_much_of_these(c: Composer, word: JoiningWord, lookup: Lookup) -> Iterator[MadePhrase]:
    """How large is their population: of each, or of all together."""
    if word.kind == "how_much" and len(lookup.fields) == 1 and not lookup.asked:
        yield MadePhrase(lookup)
        yield MadePhrase(replace(lookup, asked=True))


@rule(TheseRows, FigurePhrase)
def _their_figure(c: Composer, these: TheseRows, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Their revenue: of all of them together, or of each."""
    rows = edits.rows_of(c, these.query)
    if rows is None or figures.where or figures.order or figures.compare:
        return
    for made in c.join(figures, About("", "of", rows)):
        yield made
        if isinstance(made.phrase, FigurePhrase) and rows.plural and not figures.by and rows.entity != figures.home:
            yield MadePhrase(replace(made.phrase, by=(Dimension(entity=rows.entity),)), made.marks)


@rule(FigurePhrase, TheseRows)
def _figure_of_these(c: Composer, figures: FigurePhrase, these: TheseRows) -> Iterator[MadePhrase]:
    """The revenue of these."""
    yield from _their_figure(c, these, figures)


@rule(JoiningWord, TheseRows)
@rule(TheseRows, JoiningWord)
def _these_have(c: Composer, left: TheseRows | JoiningWord, right: TheseRows | JoiningWord) -> Iterator[MadePhrase]:
    """Have they, they have: the end of a question whose object stands before it."""
    these, word = (left, right) if isinstance(left, TheseRows) else (right, left)
    assert isinstance(word, JoiningWord)
    if word.kind == "with":
        yield MadePhrase(Wanted("have", these))
    elif word.kind in ("aux", "of", "in") and isinstance(right, TheseRows):
        yield MadePhrase(these)


@rule(JoiningWord, Wanted)
def _do_these_have(c: Composer, word: JoiningWord, wanted: Wanted) -> Iterator[MadePhrase]:
    if word.kind == "aux" and wanted.how == "have":
        yield MadePhrase(wanted)


@rule(FigurePhrase, Wanted)
@rule(Attribute, Wanted)
def _these_have_it(c: Composer, left: FigurePhrase | Attribute, wanted: Wanted) -> Iterator[MadePhrase]:
    """How many invoices do they have."""
    if wanted.how == "have" and isinstance(wanted.phrase, TheseRows):
        if isinstance(left, FigurePhrase):
            yield from _their_figure(c, wanted.phrase, left)
        elif left.asked:
            yield from _their_field(c, wanted.phrase, left)


@rule(TheseRows, RowsPhrase)
def _these_called(c: Composer, these: TheseRows, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """These customers."""
    found = edits.rows_of(c, these.query)
    if found is not None and found.entity == rows.entity and rows.bare:
        yield MadePhrase(found)
