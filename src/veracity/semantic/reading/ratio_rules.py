"""Rules for a figure per unit of another one: electricity per pupil, waste per head; and of one kind to another: read to unread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.language.units import unit_called
from veracity.semantic.graph import Way, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)
from veracity.semantic.reading.chart import OTHER_ENTITY, MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, PerQuantity, RatioOf
from veracity.semantic.reading.joined_phrases import JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Lookup, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import UnitWish
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for

RULES: Rules = {}
rule = rule_book(RULES)


@rule(JoiningWord, Attribute)
def _per_quantity(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    if divides(c, word, attribute):
        yield MadePhrase(PerQuantity((attribute,)))


def divides(c: Composer, word: JoiningWord, attribute: Attribute) -> bool:
    """Whether a field behind `per` is what a figure is divided by, because its values are amounts, which nobody groups by."""
    per = word.kind == "per" and key_of(word.text) in in_all_languages("ratio_words")
    return per and attribute.plain and (c.adds_up(attribute) or c.may_add_up(attribute))


@rule(JoiningWord, UnitWish)
def _per_unit(c: Composer, word: JoiningWord, wish: UnitWish) -> Iterator[MadePhrase]:
    """Per hectare, where one field of the rows is in hectares."""
    if word.kind == "per" and not wish.said and (fields := tuple(_in_unit(c, wish))):
        yield MadePhrase(PerQuantity(fields))


def _in_unit(c: Composer, wish: UnitWish) -> Iterator[Attribute]:
    wanted = unit_called(wish.unit)
    for thing in c.model.things.values():
        for name, facts in thing.fields.items():
            unit = unit_called(facts.declared.unit) if facts.declared is not None and facts.declared.unit else None
            if facts.can_be_added and wanted is not None and unit == wanted:
                yield Attribute(thing.name, name)


@rule(PerQuantity, Attribute)
def _per_unit_of(c: Composer, per: PerQuantity, attribute: Attribute) -> Iterator[MadePhrase]:
    """Per square metre of floor area: the field that is in that unit is said once more."""
    same = [one for one in per.quantities if one.path == attribute.path]
    if same and attribute.plain:
        yield MadePhrase(PerQuantity((same[0],)))


@rule(PerQuantity, JoiningWord)
def _per_unit_word(c: Composer, per: PerQuantity, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "of":
        yield MadePhrase(per)


@rule(Attribute, JoiningWord)
@rule(FigurePhrase, JoiningWord)
@rule(Lookup, JoiningWord)
def _per_head(c: Composer, left: Attribute | FigurePhrase | Lookup, word: JoiningWord) -> Iterator[MadePhrase]:
    """Waste per head, where a field says how many people there are."""
    if word.kind == "per_head" and (people := tuple(_people(c))):
        yield from c.join(left, PerQuantity(people))


def _people(c: Composer) -> Iterator[Attribute]:
    for thing in c.model.things.values():
        for name, facts in thing.fields.items():
            called = (key_of(one) for one in names_for(name, facts.declared))
            if facts.can_be_added and any(one in in_all_languages("inhabitants") for one in called):
                yield Attribute(thing.name, name)


@rule(Attribute, PerQuantity)
def _attribute_per(c: Composer, attribute: Attribute, per: PerQuantity) -> Iterator[MadePhrase]:
    if attribute.aggregate in (None, Aggregate.SUM) and attribute.direction is None and c.adds_up(attribute):
        summed = replace(attribute, aggregate=Aggregate.SUM, asked=False)
        figures = c.aggregated(summed, RowsPhrase(attribute.entity))
        yield from _figures_per(c, figures, per) if figures is not None else ()


@rule(RowsPhrase, PerQuantity)
def _rows_per(c: Composer, rows: RowsPhrase, per: PerQuantity) -> Iterator[MadePhrase]:
    """Accidents per inhabitant: their number."""
    if not (rows.named or rows.single or rows.order or rows.limit) and (counted := c.count(rows)) is not None:
        yield from _figures_per(c, counted, per)
        if amount := c.only_amount(rows.entity):  # sales per m²: their number, or what they come to
            summed = c.figure_of(Shown(aggregate=Aggregate.SUM, field=f"{rows.entity}.{amount}"), rows)
            yield from _figures_per(c, summed, per) if summed is not None else ()


@rule(Lookup, PerQuantity)
def _lookup_per(c: Composer, lookup: Lookup, per: PerQuantity) -> Iterator[MadePhrase]:
    field = lookup.fields[0]
    if len(lookup.fields) == 1 and field.plain and c.adds_up(field) and not lookup.rows.order:
        figures = c.aggregated(replace(field, aggregate=Aggregate.SUM), lookup.rows)
        yield from _figures_per(c, figures, per) if figures is not None else ()


@rule(FigurePhrase, PerQuantity)
def _figures_per(c: Composer, figures: FigurePhrase, per: PerQuantity) -> Iterator[MadePhrase]:
    """A sum or a number of rows, divided by the sum of a field of the same rows, or of the one row that each belongs to."""
    shown = figures.shown[0]
    measured = shown.measure is not None and c.model.measures[shown.measure][1].aggregate in ("SUM", "COUNT")
    adds = measured or shown.aggregate in (Aggregate.SUM, Aggregate.COUNT)
    plain = len(figures.shown) == 1 and adds and not shown.transform
    if not plain or figures.by or figures.order or figures.direction or figures.compare or figures.changes:
        return
    for quantity in per.quantities:
        if shown.field == quantity.path:
            continue
        divisor = Shown(aggregate=Aggregate.SUM, field=quantity.path)
        if quantity.entity == figures.home:
            yield MadePhrase(replace(figures, shown=(Shown(ratio=_both_stored(shown, divisor)),)))
        elif _belongs_to_one(c, figures.home, quantity.entity):
            yield MadePhrase(replace(figures, shown=(Shown(ratio=(shown, divisor)),)), (OTHER_ENTITY,))


def _both_stored(one: Shown, divisor: Shown) -> tuple[Shown, Shown]:
    """Both figures of the rows of which both are stored."""
    fields = [field for field in (one.field, divisor.field) if field]
    if len(fields) < 2:
        return one, divisor
    stored = [Negation(condition=Comparison(field=field, op="missing")) for field in fields]
    return (
        one.model_copy(update={"where": all_of((one.where, stored[1]))}),
        divisor.model_copy(update={"where": stored[0]}),
    )


def _belongs_to_one(c: Composer, home: str, entity: str) -> bool:
    ways = c.model.ways(home, entity)
    return len(ways) == 1 and is_to_one(ways[0])


def of_the_whole(query: SemanticQuery, c: Composer) -> SemanticQuery | None:
    """A query whose figure is divided by one of the rows that its own belong to, as one of these rows: accidents per inhabitant of districts.

    Conditions on the district hold for both figures, all others for the accidents alone. Nothing where it is divided by something else.
    """
    ratio = query.show[0].ratio if len(query.show) == 1 else None
    whole = (ratio[1].field or "").rpartition(".")[0] if ratio is not None else ""
    timed = query.period is not None and bool(whole) and c.model.things[whole].default_date is not None
    if ratio is None or not whole or whole == query.of or query.compare is not None or timed:
        return query
    if any((one.entity or (one.field or "").rpartition(".")[0]) != whole for one in query.by):
        return None
    way = c.model.ways(query.of or "", whole)[0]
    sides = [_whose(one, way) for one in parts_of(query.where)]
    if any(side is None for side in sides):
        return None
    theirs = [side[0] for side in sides if side is not None]
    own = [side[1] for side in sides if side is not None]
    during = c.during(query.of or "", query.period, ratio[0].measure) if query.period is not None else None
    if query.period is not None and during is None:
        return None
    if ratio[0].measure is not None and not query.by:  # what was sold on the internet is of no square metre
        own.append(Related(related=SemanticQuery(of=whole), via=names_of(way)))
    part = ratio[0].model_copy(update={"where": all_of((ratio[0].where, *own, during))})
    divided = Shown(ratio=(part, ratio[1]))
    order = tuple(one.model_copy(update={"by": divided}) if one.by == query.show[0] else one for one in query.order)
    changed = {"of": whole, "show": (divided,), "where": all_of(theirs), "period": None, "order": order}
    return query.model_copy(update=changed).normalized()


def _whose(one: Condition, way: Way) -> tuple[Condition | None, Condition | None] | None:
    """A condition as one of the rows that others belong to, or of these others; nothing where it cannot be told."""
    via = names_of(way)
    if isinstance(one, Related) and one.via[: len(via)] == via:
        plain = one.count is None and not one.related.order and one.related.limit is None
        if len(one.via) > len(via):
            return one.model_copy(update={"via": one.via[len(via) :]}), None
        return (one.related.where, None) if plain else None
    keys = {f"{way[0].start}.{own}": f"{way[0].end}.{other}" for hop in way[0].hops for own, other in hop.keys}
    if isinstance(one, Comparison) and one.field in keys:
        return (one.model_copy(update={"field": keys[one.field]}), None) if len(way) == 1 else None
    return None, one


# --- the ratio of one kind to another


@rule(JoiningWord, RowFilter)
def _ratio_of_kind(c: Composer, word: JoiningWord, kind: RowFilter) -> Iterator[MadePhrase]:
    """The ratio of read: of which rows is said behind the other kind."""
    if word.kind == "ratio" and kind.is_value and len(kind.where) == 1:
        yield MadePhrase(JoinedPhrase("ratio", kind))


@rule(JoinedPhrase, JoinedPhrase)
def _ratio_of_kinds(c: Composer, left: JoinedPhrase, right: JoinedPhrase) -> Iterator[MadePhrase]:
    """The ratio of read to unread notifications: both are values of one field."""
    kind, rows = left.phrase, right.phrase
    if left.kind != "ratio" or right.kind != "to" or not isinstance(kind, RowFilter):
        return
    if (
        not isinstance(rows, RowsPhrase)
        or rows.entity != kind.entity
        or not isinstance(own := kind.where[0], Comparison)
    ):
        return
    places = [
        place
        for place, part in enumerate(rows.where)
        if isinstance(part, Comparison) and (part.field, part.op) == (own.field, own.op) and part.value != own.value
    ]
    if len(places) == 1:
        where = tuple(own if place == places[0] else part for place, part in enumerate(rows.where))
        if (figures := c.count(replace(rows, where=where))) is not None:
            yield from c.join(RatioOf(figures), right)
