"""Rules for follow-ups: what words change in the last query, and what they ask of the rows that it found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.graph import is_to_one
from veracity.semantic.query import (
    Aggregate,
    Dimension,
    FigureComparison,
    OrderBy,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)
from veracity.semantic.reading import edited_figures, edits
from veracity.semantic.reading.chart import OTHER_ENTITY, MadePhrase
from veracity.semantic.reading.comparison_phrases import OpenBound, Superlative, TopFilter
from veracity.semantic.reading.compose import AGGREGATES, Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, Sorting
from veracity.semantic.reading.joined_phrases import About, AboutEach, Edited, Wanted
from veracity.semantic.reading.phrases import JoiningWord, RowFilter, RowsPhrase, SegmentWord
from veracity.semantic.reading.said_phrases import SaidNumber, SaidPeriod

RULES: Rules = {}
rule = rule_book(RULES)
_HOW = ("only", "instead")


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
            aside = edits.unnamed(earlier.query, wanted.phrase)
            for new, marks in edits.conditions_on(c, edits.home_of(earlier.query), wanted.phrase):
                for query, more in edits.excluded(c, earlier.query, new):
                    yield from edits.made(earlier, [(query, (*marks, *more, *aside))])
        return
    for made in c.join(replace(earlier, how=wanted.how), wanted.phrase):
        if isinstance(made.phrase, Edited):
            yield MadePhrase(replace(made.phrase, how=earlier.how), made.marks)


@rule(Edited, RowFilter)
@rule(Edited, About)
@rule(Edited, RowsPhrase)
@rule(Edited, SegmentWord)
def _narrowed(
    c: Composer, earlier: Edited, phrase: RowFilter | About | RowsPhrase | SegmentWord
) -> Iterator[MadePhrase]:
    if isinstance(phrase, RowFilter) and phrase.free:
        return  # an exception is one, whatever stands before it
    if isinstance(phrase, RowsPhrase) and not (phrase.named or earlier.how == "only"):
        again = earlier.lead and not earlier.changed and phrase.entity == edits.home_of(earlier.query)
        if not again or phrase.period is not None:  # and customers in France?
            return
    if isinstance(phrase, About) and phrase.kind == "without" and getattr(phrase.rows, "named", False):
        return
    query, replaces = earlier.query, earlier.lead or earlier.how == "instead"
    changes = [
        (changed, (*marks, *more, *edits.unnamed(query, phrase)))
        for new, marks in edits.conditions_on(c, edits.home_of(query), phrase)
        for changed, more in edits.conditioned(c, query, new, replaces=replaces)
        if edits.ADDED not in more or earlier.how != "instead"
    ]
    if earlier.how != "only" and all(edits.ADDED in marks for _, marks in changes):
        changes += edits.renamed(c, query, phrase)
    yield from edits.made(earlier, changes)


@rule(Edited, SaidPeriod)
def _redated(c: Composer, earlier: Edited, when: SaidPeriod) -> Iterator[MadePhrase]:
    yield from edits.made(earlier, edited_figures.redated(c, earlier.query, when))


@rule(Edited, SaidNumber)
def _other_number(c: Composer, earlier: Edited, number: SaidNumber) -> Iterator[MadePhrase]:
    """And 50: in the place of a number that was said before."""
    query, value = earlier.query, number.value
    if number.dimension is not None or earlier.changed:
        return
    yield from edits.made(earlier, edited_figures.renumbered(query, value))
    whole = value == value.to_integral_value() and value > 0 and not edited_figures.may_be_year(value)
    if query.limit is not None and whole and query.skip == 0:
        yield from edits.made(earlier, [(query.model_copy(update={"limit": int(value)}), ())])


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
                yield from edits.made(earlier, edits.conditioned(c, query, (condition,), replaces=True))
                return
    shown = query.show[0] if len(query.show) == 1 else None
    if query.by and shown is not None and bound.upper is None and shown.transform is None and not shown.unit:
        if bound.number.dimension is None:
            kept = FigureComparison(show=shown, op=bound.op, value=bound.number.value)
            yield from edits.made(earlier, [(query.model_copy(update={"having": kept}), (edits.ADDED,))])
    elif query.lists and bound.number.dimension is None:
        number = edited_figures.shown_number(c, query)
        for field in [number.field] if number else c.measurable(home):
            if condition := c.compared(home, field, bound):
                yield from edits.made(earlier, edits.conditioned(c, query, (condition,), replaces=earlier.lead))


@rule(Edited, AboutEach)
def _divided(c: Composer, earlier: Edited, each: AboutEach) -> Iterator[MadePhrase]:
    query = earlier.query
    if query.lists:
        yield from edits.made(earlier, _rows_divided(c, query, each))
        return
    figures = edits.figures_of(query)
    if figures is None or any(one.rows or (one.transform and not query.by) for one in query.show):
        return
    if query.by:
        alone = query.model_copy(update={"by": (), "order": (), "limit": None, "skip": 0, "having": None})
        replaced = list(_by(c, alone, each))
        ranked = query.limit is not None or query.having is not None or query.order
        if not ranked:
            yield from edits.made(earlier, replaced)
        if earlier.how == "instead" or any(_is_other_grain(query, other) for other, _ in replaced):
            return
        wider = edits.among_found(query) if query.limit is not None else query
        if wider is None:
            return
        query = wider
    yield from edits.made(earlier, _by(c, query, each))


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
    field = each.dimension.field
    plain = field is not None and each.dimension.grain is None and not each.where
    if plain and all(is_to_one(way) for way in c.model.ways(rows.entity, each.entity)):
        shown, marks = Shown(field=field), () if each.entity == rows.entity else (OTHER_ENTITY,)
        yield query.model_copy(update={"show": (shown,), "order": (OrderBy(by=shown),)}), marks


@rule(Edited, JoiningWord)
def _word(c: Composer, earlier: Edited, word: JoiningWord) -> Iterator[MadePhrase]:
    query = earlier.query
    match word.kind:
        case "as_share" | "share":
            yield from edits.made(earlier, edited_figures.as_share(query))


@rule(Edited, JoiningWord)
def _other_computation(c: Composer, earlier: Edited, word: JoiningWord) -> Iterator[MadePhrase]:
    """In total, all of them, how many, the average: by themselves, and once."""
    query = earlier.query
    if earlier.changed:
        return
    match word.kind:
        case "every" if query.limit is not None:
            yield from edits.made(earlier, [(query.model_copy(update={"limit": None, "skip": 0, "per": ()}), ())])
        case "whole":
            yield from edits.made(earlier, edited_figures.undivided(query))
        case "how_many":
            yield from edits.made(earlier, _counted(c, query))
        case kind if kind in AGGREGATES:
            yield from edits.made(earlier, _computed(c, query, AGGREGATES[kind]))


def _counted(c: Composer, query: SemanticQuery) -> Iterator[edits.Change]:
    """How many: rows that are listed; what the one with the most has."""
    if query.lists and query.limit == 1 and not query.per:
        most = query.order[0].by
        if most.aggregate is Aggregate.COUNT:
            by = (Dimension(entity=edits.home_of(query)),)
            yield query.model_copy(update={"show": (most,), "by": by}), ()
    elif query.lists:
        yield from edited_figures.number_of(c, query)
    elif query.by and len(query.show) == 1 and query.show[0].aggregate is Aggregate.COUNT:
        yield from edited_figures.undivided(query)
        yield from edited_figures.number_of(c, query)


def _computed(c: Composer, query: SemanticQuery, aggregate: Aggregate) -> Iterator[edits.Change]:
    """And the average: of the same values in the place of their sum, or of the groups."""
    if query.lists:
        yield from edited_figures.over_list(c, query, aggregate)
        return
    yield from edited_figures.other_aggregate(c, query, aggregate)
    if aggregate is Aggregate.SUM:
        yield from edited_figures.undivided(query)
    elif (over := edited_figures.over_rows(query, aggregate)) is not None:
        yield over, ()
