"""Rules for two things side by side: orders in Bern compared to Zurich, payments compared to refunds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Dimension,
    InSegment,
    Related,
    SemanticQuery,
    Shown,
)
from veracity.semantic.query_values import Comparing
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import About, Beside, JoinedPhrase
from veracity.semantic.reading.money import own_money
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Lookup, RowFilter, RowsPhrase

RULES: Rules = {}
rule = rule_book(RULES)


@rule(JoiningWord, RowsPhrase)
@rule(JoiningWord, RowFilter)
@rule(JoiningWord, FigurePhrase)
@rule(JoiningWord, About)
def _beside(
    c: Composer, word: JoiningWord, other: RowsPhrase | RowFilter | FigurePhrase | About
) -> Iterator[MadePhrase]:
    """Compared to Zurich, compared to refunds."""
    told = other.rows if isinstance(other, About) and other.kind == "in" and not other.negated else other
    if word.kind in ("side_by_side", "set_against") and isinstance(told, RowsPhrase | RowFilter | FigurePhrase):
        yield MadePhrase(Beside(told, differs=word.kind == "set_against"))


@rule(FigurePhrase, Beside)
def _values_beside(c: Composer, figures: FigurePhrase, beside: Beside) -> Iterator[MadePhrase]:
    """Orders in Bern compared to Zurich: the same figure for each of the two."""
    other = beside.phrase
    if not isinstance(other, RowsPhrase | RowFilter) or _is_laid_out(figures):
        return
    value = other.where[0] if len(other.where) == 1 else None
    if not isinstance(value, Comparison) or value.op != "=" or len(c.model.ways(figures.home, other.entity)) > 1:
        return
    named = isinstance(other, RowsPhrase) and other.named
    for place, part in enumerate(figures.where):
        both = _with_other(part, value)
        if both is not None:
            via = part.via if isinstance(part, Related) else ()
            if beside.differs:
                yield from _difference(figures, place, value)
                continue
            each = Dimension(entity=other.entity, via=via) if named else Dimension(field=value.field, via=via)
            where = (*figures.where[:place], both, *figures.where[place + 1 :])
            yield MadePhrase(replace(figures, where=where, by=(each,)))


@rule(FigurePhrase, Beside)
@rule(FigurePhrase, JoinedPhrase)
def _kinds_beside(c: Composer, figures: FigurePhrase, beside: Beside | JoinedPhrase) -> Iterator[MadePhrase]:
    """Revenue of company customers compared to private customers, and of private customers: the figure of each kind."""
    other = beside.phrase
    if isinstance(beside, JoinedPhrase) and beside.kind != "and":
        return
    if not isinstance(other, RowsPhrase) or not other.is_segment or _is_laid_out(figures) or figures.shown[0].where:
        return
    kinds = [one for one in figures.where if (known := _kind_in(one)) is not None and _is_kind_of(c, known, other)]
    own, first = other.where[0], _kind_in(kinds[0]) if len(kinds) == 1 else None
    if first is not None and isinstance(own, InSegment) and own.segment != first.segment:
        second = _with_kind(kinds[0], own.segment)
        shown = tuple(figures.shown[0].model_copy(update={"where": one}) for one in (kinds[0], second))
        where = tuple(one for one in figures.where if one != kinds[0])
        yield MadePhrase(replace(figures, shown=shown, where=where))


def _kind_in(part: Condition) -> InSegment | None:
    """The segment that a condition is about, of its own rows or of what these belong to."""
    alone = isinstance(part, Related) and part.related == SemanticQuery(of=part.related.of, where=part.related.where)
    inner = part.related.where if isinstance(part, Related) and alone and part.count is None else part
    return inner if isinstance(inner, InSegment) else None


def _with_kind(part: Condition, segment: str) -> Condition:
    if isinstance(part, Related):
        kind = InSegment(segment=segment)
        return part.model_copy(update={"related": part.related.model_copy(update={"where": kind})})
    assert isinstance(part, InSegment)
    return part.model_copy(update={"segment": segment})


def _is_kind_of(c: Composer, one: InSegment, rows: RowsPhrase) -> bool:
    """Whether a segment is one of the entity that rows are of."""
    return c.model.segments[one.segment][0] == rows.entity


@rule(JoiningWord, FigurePhrase)
def _compare_kinds(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Compare the revenue of company customers and private customers."""
    apart = len(figures.shown) > 1 and all(one.where and _kind_in(one.where) for one in figures.shown)
    if word.kind == "compare" and apart:
        yield MadePhrase(figures)


def _difference(figures: FigurePhrase, place: int, other: Comparison) -> Iterator[MadePhrase]:
    """How many more orders in Bern than in Zurich: both, and by how much they differ."""
    part = figures.where[place]
    own = part.related.where if isinstance(part, Related) else part
    if isinstance(own, Comparison):
        where = (*figures.where[:place], *figures.where[place + 1 :])
        compared = Comparing.model_validate({"field": own.field, "members": (other.value, own.value)})
        yield MadePhrase(replace(figures, where=where, compare=compared))


def _with_other(part: Condition, other: Comparison) -> Condition | None:
    """A condition on a value as one on that or another value of the same field."""
    if isinstance(part, Related) and part.count is None and part.related.where is not None:
        inner = _with_other(part.related.where, other)
        alone = part.related == SemanticQuery(of=part.related.of, where=part.related.where)
        return (
            part.model_copy(update={"related": SemanticQuery(of=part.related.of, where=inner)})
            if inner and alone
            else None
        )
    if not isinstance(part, Comparison) or part.field != other.field or part.op != "=" or part.value == other.value:
        return None
    return part.model_copy(update={"op": "in", "value": (part.value, other.value)})


@rule(RowsPhrase, Beside)
def _rows_beside(c: Composer, rows: RowsPhrase, beside: Beside) -> Iterator[MadePhrase]:
    """Payments compared to refunds: how many, or how much where both are amounts."""
    other = beside.phrase
    if rows.named or not isinstance(other, RowsPhrase | RowFilter):
        return
    kinds = bool(rows.where and other.where) and rows.entity == other.entity  # open orders compared to closed orders
    if isinstance(other, RowFilter) or other.named or kinds:
        if (counted := c.count(rows)) is not None:
            yield from _values_beside(c, counted, beside)
    elif rows.bare and other.bare and rows.entity != other.entity:
        pairs = [(c.count(rows), c.count(other))]
        money = list(own_money(c.model, rows.entity)), list(own_money(c.model, other.entity))
        pairs += [(one, two) for one in money[0] for two in money[1]]
        for one, two in pairs:
            if one is not None and two is not None:
                yield MadePhrase(replace(one, shown=(*one.shown, *two.shown)))


@rule(Lookup, Beside)
def _total_beside(c: Composer, lookup: Lookup, beside: Beside) -> Iterator[MadePhrase]:
    """The total amount of invoices in Germany compared to France, where a field is called so."""
    field = lookup.fields[0]
    if len(lookup.fields) == 1 and field.totals and field.plain and field.entity == lookup.rows.entity:
        total = Shown(aggregate=Aggregate.SUM, field=field.path)
        yield from _values_beside(c, c.figure_of(total, lookup.rows), beside)


@rule(FigurePhrase, Beside)
def _figures_beside(c: Composer, figures: FigurePhrase, beside: Beside) -> Iterator[MadePhrase]:
    """The number of orders compared to the number of refunds."""
    if isinstance(beside.phrase, FigurePhrase) and not _is_laid_out(beside.phrase):
        yield from c.join(figures, JoinedPhrase("and", beside.phrase))


@rule(JoiningWord, FigurePhrase)
def _compare_each(c: Composer, word: JoiningWord, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Compare the number of orders in Bern and Zurich."""
    if word.kind != "compare" or _is_laid_out(figures):
        return
    for part in figures.where:
        inner = part.related.where if isinstance(part, Related) else part
        if isinstance(inner, Comparison) and inner.op == "in":
            via = part.via if isinstance(part, Related) else ()
            entity, _, field = inner.field.rpartition(".")
            if c.numeric(entity, field) or c.is_date(Attribute(entity, field)):
                continue
            named = c.model.things[entity].display == (field,)
            each = Dimension(entity=entity, via=via) if named else Dimension(field=inner.field, via=via)
            yield MadePhrase(replace(figures, by=(each,)))


def _is_laid_out(figures: FigurePhrase) -> bool:
    """Whether more is said of a figure than its rows and its time."""
    said = (figures.by, figures.order, figures.limit, figures.compare, figures.having)
    return any(said) or figures.direction is not None or figures.changes or figures.grows or len(figures.shown) > 1
