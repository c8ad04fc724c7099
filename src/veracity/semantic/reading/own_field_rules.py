"""Rules for a noun with a field of its own, said per group, and for what each of several has: invoice amount per month, wie viele Projekte hat jeder Kunde."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.language.units import unit_called
from veracity.semantic.query import Aggregate, Comparison, Dimension, OrderBy, Shown
from veracity.semantic.reading.chart import FAR, MadePhrase
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.compose import AGGREGATES, Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, MeanFigure
from veracity.semantic.reading.joined_phrases import About, AboutEach, JoinedPhrase
from veracity.semantic.reading.phrases import (
    Attribute,
    Attributes,
    FieldsOfEach,
    JoiningWord,
    Lookup,
    RowFilter,
    RowsPhrase,
    merged,
)
from veracity.semantic.reading.said_phrases import UnitWish
from veracity.semantic.reading.word_lists import key_of, names_for

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Lookup, AboutEach, either_way=True)
def _own_field_each(c: Composer, lookup: Lookup, each: AboutEach) -> Iterator[MadePhrase]:
    """Invoice amount per month, the amount of the unpaid invoices per customer: what the field asks for in each group."""
    field, rows = lookup.fields[0], lookup.rows
    if len(lookup.fields) > 1 or not field.plain or field.entity != rows.entity:
        return
    if rows.single or rows.named or rows.order or rows.limit is not None:
        return
    for aggregate in c.figures_per_group(field):
        figure = c.aggregated(replace(field, aggregate=aggregate), rows)
        if figure is not None:
            yield from c.divided(figure, each)


@rule(Attribute, AboutEach, either_way=True)
@rule(Attributes, AboutEach, either_way=True)
def _field_of_each(c: Composer, said: Attribute | Attributes, each: AboutEach) -> Iterator[MadePhrase]:
    """The city of each customer, each customer's city: that field of all of them."""
    fields = said.fields if isinstance(said, Attributes) else (said,)
    plain = each.kind == "each" and each.dimension == Dimension(entity=each.entity) and not each.role and not each.more
    if plain and all(field.plain and field.entity == each.entity for field in fields):
        rows = RowsPhrase(each.entity, where=each.where, plural=True)
        found = (made.phrase for made in c.join(said, About("", "of", rows)))
        yield from (MadePhrase(FieldsOfEach(one)) for one in found if isinstance(one, Lookup))


@rule(Attribute, RowFilter)
def _asked_in(c: Composer, attribute: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    """How many people live in Bern, where households say how many they are."""
    own = attribute.asked and attribute.entity == filtered.entity and not filtered.before and not filtered.lacks
    if own and replace(attribute, asked=False).plain and c.adds_up(attribute):
        figures = c.totalled(attribute, RowsPhrase(attribute.entity))
        yield from c.narrowed(figures, filtered.entity, filtered.where) if figures is not None else ()


@rule(JoiningWord, Attribute)
def _by_number_of(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """How many houses by number of rooms: one group for each number."""
    plain = replace(attribute, asked=False)
    if word.kind in ("by", "per", "each") and attribute.asked and plain.plain:
        yield MadePhrase(AboutEach(Dimension(field=attribute.path), attribute.entity, word.kind))


@rule(RowsPhrase, JoiningWord)
def _rows_sum(c: Composer, rows: RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Rechnungssumme, Rechnungen insgesamt: what the rows come to, or how many they are where both may be meant."""
    behind = c.order.get("compounds") or c.order.get("modifiers_before")
    if word.kind == "sum" and not (rows.named or rows.order or rows.awaits) and behind:
        yield from c.join(word, rows)


@rule(JoiningWord, RowsPhrase)
def _average_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The average donation: of what donations come to, where they have one amount."""
    if word.kind != "avg" or rows.named or rows.order or rows.awaits or c.measurable(rows.entity):
        return
    if (amount := c.said_amount(rows.entity) or c.only_rating(rows.entity)) is not None:
        figure = c.aggregated(Attribute(rows.entity, amount, aggregate=Aggregate.AVG), rows)
        yield from (MadePhrase(figure),) if figure is not None else ()


@rule(RowsPhrase, JoiningWord)
def _worth(c: Composer, rows: RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """Order value: what the lines of an order come to, where orders have no amount of their own and their lines one measure of money."""
    if word.kind != "value" or not rows.bare or rows.named or c.measurable(rows.entity) or c.said_amount(rows.entity):
        return
    for figures in dict.fromkeys(_money_below(c, rows.entity)):
        yield MadePhrase(JoinedPhrase(f"worth:{rows.entity}", figures))


def _money_below(c: Composer, entity: str) -> Iterator[FigurePhrase]:
    """The measures of money of rows that belong to one row of an entity, one step away; nothing where there are several."""
    below = [step.start for steps in c.model.steps.values() for step in steps if step.end == entity and step.to_one]
    found = [
        FigurePhrase((Shown(measure=measure.name),), name)
        for name in dict.fromkeys(below)
        for measure in c.model.things[name].measures.values()
        if measure.confirmed and measure.aggregate == "SUM" and measure.unit
        if (unit := unit_called(measure.unit)) is not None and unit.is_currency
    ]
    yield from found if len(found) == 1 else ()


@rule(RowsPhrase, UnitWish)
def _time_of_rows(c: Composer, rows: RowsPhrase, wish: UnitWish) -> Iterator[MadePhrase]:
    """Lesson hours: the one duration of lessons, in hours."""
    if wish.said or wish.dimension != "time" or not rows.bare or rows.named:
        return
    fields = c.model.things[rows.entity].fields
    units = {name: facts.declared.unit for name, facts in fields.items() if facts.declared and facts.declared.unit}
    lasting = [name for name, unit in units.items() if (known := unit_called(unit)) and known.dimension == "time"]
    if len(lasting) == 1 and fields[lasting[0]].can_be_added:
        yield MadePhrase(Attribute(rows.entity, lasting[0], unit=wish.unit, asked=True))


@rule(JoiningWord, JoinedPhrase)
def _average_worth(c: Composer, word: JoiningWord, worth: JoinedPhrase) -> Iterator[MadePhrase]:
    """The average order value: what an order comes to on average."""
    figures = worth.phrase
    if word.kind in ("avg", "median") and worth.kind.startswith("worth:") and isinstance(figures, FigurePhrase):
        over = Dimension(entity=worth.kind.partition(":")[2])
        yield MadePhrase(MeanFigure(figures, over, aggregate=AGGREGATES[word.kind]))


@rule(MeanFigure, AboutEach)
def _average_of_each(c: Composer, mean: MeanFigure, each: AboutEach) -> Iterator[MadePhrase]:
    """The average order value by channel: what all orders of a channel come to, over how many they are."""
    if (figures := _over_number(c, mean)) is not None:
        yield from c.divided(figures, each)


@rule(Superlative, MeanFigure)
def _highest_average(c: Composer, best: Superlative, mean: MeanFigure) -> Iterator[MadePhrase]:
    """The store with the highest average order value."""
    if best.general and not best.skip and (figures := _over_number(c, mean)) is not None:
        yield MadePhrase(replace(figures, direction=best.direction, count=best.count))


def _over_number(c: Composer, mean: MeanFigure) -> FigurePhrase | None:
    """An average over rows as a ratio, which can be told of groups; nothing where one key does not tell these rows apart."""
    shown, entity = mean.figures.shown[0], mean.over.entity
    averaged = mean.aggregate is Aggregate.AVG and not mean.everyone
    ways = c.model.ways(mean.figures.home, entity) if entity and averaged else ()
    keys = [own for way in ways if len(way) == 1 and way[0].to_one for hop in way[0].hops for own, _ in hop.keys]
    if len(ways) != 1 or len(keys) != 1 or mean.figures.by or shown.measure is None or shown.transform is not None:
        return None
    number = Shown(aggregate=Aggregate.COUNT_DISTINCT, field=f"{mean.figures.home}.{keys[0]}")
    return replace(mean.figures, shown=(Shown(ratio=(shown, number)),))


@rule(Superlative, RowsPhrase)
@rule(Superlative, FigurePhrase)
def _best_rated(c: Composer, best: Superlative, rated: RowsPhrase | FigurePhrase) -> Iterator[MadePhrase]:
    """The room with the best ratings: by their average; the best average rating is the highest."""
    entity = rated.entity if isinstance(rated, RowsPhrase) else rated.home
    vague = not (best.adjective or best.counts or best.fields) and not best.skip
    rating = c.only_rating(entity) if vague else None
    if rating is None:
        return
    if isinstance(rated, FigurePhrase):
        shown = rated.shown[0]
        average = len(rated.shown) == 1 and shown.aggregate is Aggregate.AVG and shown.field == f"{entity}.{rating}"
        if average and not best.general and rated.direction is None and not rated.by:
            yield MadePhrase(replace(rated, direction=best.direction, count=best.count))
    elif not (rated.named or rated.order or rated.awaits):
        figure = c.aggregated(Attribute(entity, rating, aggregate=Aggregate.AVG), rated)
        if figure is not None:
            yield MadePhrase(replace(figure, direction=best.direction, count=best.count))


@rule(JoiningWord, AboutEach)
def _has_each(c: Composer, word: JoiningWord, each: AboutEach) -> Iterator[MadePhrase]:
    """hat jeder Kunde, where the verb stands before who has it."""
    if word.kind == "with" and word.owns and each.kind == "each" and c.order.get("verb_last"):
        yield MadePhrase(JoinedPhrase("owned", each))


@rule(FigurePhrase, JoinedPhrase)
def _each_has(c: Composer, figures: FigurePhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """Wie viele Projekte hat jeder Kunde."""
    if joined.kind == "owned" and isinstance(joined.phrase, AboutEach) and figures.limit is None and not figures.by:
        yield from c.divided(figures, joined.phrase)


@rule(Superlative, FigurePhrase)
def _largest_entry(c: Composer, best: Superlative, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """The 5 largest expenses, of a table that is called what it adds up to: its entries."""
    if best.general and not best.counts and (amount := _amount_of_entries(c, figures)):
        order = OrderBy(by=Shown(field=amount), descending=best.direction > 0)
        rows = RowsPhrase(figures.home, figures.where, (order,), best.count or 1, best.skip, period=figures.period)
        yield MadePhrase(rows, (FAR,))  # which building had the highest consumption: by what it comes to


@rule(FigurePhrase, RowFilter)
def _entries_over(c: Composer, figures: FigurePhrase, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Expenses over 1000: these entries, or what they come to."""
    amount = _amount_of_entries(c, figures)
    bounds = all(isinstance(one, Comparison) and one.field == amount and one.op != "=" for one in filtered.where)
    if amount and bounds and filtered.entity == figures.home:
        yield MadePhrase(RowsPhrase(figures.home, merged(figures.where, filtered.where), period=figures.period))


def _amount_of_entries(c: Composer, figures: FigurePhrase) -> str:
    """The field that a figure adds up, where the table is called like the figure; else empty."""
    shown, plain = figures.shown[0], not (figures.by or figures.direction or figures.order or figures.compare)
    if shown.measure is None or not plain or len(figures.shown) > 1:
        return ""
    thing, measure = c.model.things[figures.home], c.model.measures[shown.measure][1]
    field = measure.expression.strip('"') if measure.expression else ""
    titled = key_of(thing.name) in {key_of(name) for name in names_for(measure.name, measure)}
    return f"{thing.name}.{field}" if titled and field in thing.fields and measure.where is None else ""


@rule(Superlative, Attribute)
def _latest_field(c: Composer, best: Superlative, field: Attribute) -> Iterator[MadePhrase]:
    """The most recent closing price: that of the row with the last date."""
    date = c.default_date(field.entity)
    plain = best.dated and field.plain and not field.verb and best.count is None and not best.skip
    if plain and date is not None and not c.is_date(field) and field.entity not in best.never_of:
        order = OrderBy(by=Shown(field=date), descending=best.direction > 0)
        yield MadePhrase(Lookup(RowsPhrase(field.entity, order=(order,), limit=1), (field,)))


@rule(Lookup, AboutEach)
def _first_ones_field(c: Composer, lookup: Lookup, each: AboutEach) -> Iterator[MadePhrase]:
    """The most recent closing price of each ticker."""
    if lookup.rows.limit != 1 or lookup.asked or lookup.distinct:
        return
    for made in c.join(lookup.rows, each):
        if isinstance(made.phrase, RowsPhrase) and made.phrase.per:
            owner = c.model.things[each.entity]
            beside = tuple(Attribute(each.entity, name) for name in owner.display) if each.dimension.entity else ()
            fields = (*beside, *lookup.fields)
            yield MadePhrase(replace(lookup, rows=made.phrase, fields=fields), made.marks)


@rule(JoiningWord, About)
def _date_of_first(c: Composer, word: JoiningWord, about: About) -> Iterator[MadePhrase]:
    """The date of the first order: the earliest date of them."""
    rows = about.rows
    if word.kind != "the_day" or about.kind != "of" or about.negated or not isinstance(rows, RowsPhrase):
        return
    by = rows.order[0].by if len(rows.order) == 1 and rows.limit == 1 and not rows.per and not rows.skip else None
    if by is None or not by.field or by.via or by.aggregate or rows.period or rows.also or rows.link:
        return
    entity, _, name = by.field.rpartition(".")
    if c.is_date(Attribute(entity, name)):
        shown = Shown(field=by.field, aggregate=Aggregate.MAX if rows.order[0].descending else Aggregate.MIN)
        yield MadePhrase(FigurePhrase((shown,), rows.entity, rows.where))
