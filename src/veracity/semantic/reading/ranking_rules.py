"""Rules for superlatives: the largest orders, the newest book, the highest amount, and large orders, of which nobody says from what on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.ontology.fields import FieldRole
from veracity.semantic.query import Aggregate, OrderBy, Shown
from veracity.semantic.reading.changed_figures import best_of_periods
from veracity.semantic.reading.chart import DEFAULT_FIGURE, MadePhrase
from veracity.semantic.reading.comparison_phrases import HowAdjective, Superlative, TopFilter, VagueRows
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import About, CountedRows, MostRows
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidNumber, SaidPeriod
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Superlative, RowsPhrase)
def _superlative_rows(c: Composer, best: Superlative, rows: RowsPhrase) -> Iterator[MadePhrase]:
    if rows.named or rows.limit is not None or rows.awaits is not None or rows.other:
        return
    if best.counts and not best.adjective:
        if not rows.figure_word:
            yield MadePhrase(MostRows(rows, best.direction, best.count, best.skip))
        return
    if not best.adjective and best.count is not None:
        if not best.skip:
            yield MadePhrase(replace(rows, awaits=(best.count, best.direction)))
            if (amount := c.only_amount(rows.entity)) and c.is_best_by(rows.entity, amount):  # the top 5 orders
                order = OrderBy(by=Shown(field=f"{rows.entity}.{amount}"), descending=best.direction > 0)
                yield MadePhrase(replace(rows, order=(order,), limit=best.count), (DEFAULT_FIGURE,))
        return
    if not (best.adjective or best.counts or best.skip):  # the best customer, the best customers
        yield MadePhrase(replace(rows, awaits=(None if rows.plural else 1, best.direction)))
        return
    fields = [field for entity, field in best.fields if entity == rows.entity]
    if not fields and best.dated:  # the oldest people are those who were born first
        born = sorted(field for entity, field in c.born if entity == rows.entity)
        fields = born if rows.entity in best.never_of else c.dates_of(rows.entity) or _aged_by(c, rows.entity)
    if best.general and not fields:  # the five largest projects by budget; of invoices the amount goes without saying
        if best.count is not None and not best.skip:
            yield MadePhrase(replace(rows, awaits=(best.count, best.direction)))
        amount = c.said_amount(rows.entity)
        fields = [amount] if amount and not c.measurable(rows.entity) else _large_by(c, rows.entity)
        if not (fields or best.count or best.skip):  # the biggest store: by what?
            awaits = (None if rows.plural else 1, best.direction)
            yield MadePhrase(replace(rows, awaits=awaits, by_adjective=best.adjective))
    for field in fields or (c.measurable(rows.entity) if best.general and (best.count or best.skip) else ()):
        order = OrderBy(by=Shown(field=f"{rows.entity}.{field}"), descending=best.direction > 0)
        yield MadePhrase(
            replace(rows, order=(order,), limit=best.count or 1, skip=best.skip, by_adjective=best.adjective)
        )


def _aged_by(c: Composer, entity: str) -> list[str]:
    """The dates and years by which something may be old."""
    own = c.model.things[entity].fields
    return [*c.dates_of(entity), *(name for name, facts in own.items() if facts.role is FieldRole.PERIOD)]


def _large_by(c: Composer, entity: str) -> list[str]:
    """By what something may be the largest, where that are several fields of its own."""
    found = [name for name in c.measurable(entity) if name in c.sizes(entity)]
    return found if len(found) > 1 else []


@rule(RowsPhrase, Superlative)
def _rows_superlative(c: Composer, rows: RowsPhrase, best: Superlative) -> Iterator[MadePhrase]:
    """What state is the largest; which store is the best."""
    if best.adjective or not (best.counts or best.count or best.skip):
        yield from _superlative_rows(c, best, rows)


@rule(Superlative, Attribute)
def _superlative_attribute(c: Composer, best: Superlative, attribute: Attribute) -> Iterator[MadePhrase]:
    own = (attribute.entity, attribute.field) in best.fields
    # Ordered the most is not ordered last.
    general = best.general or (best.counts and not c.is_date(attribute)) or own
    if (
        general
        and attribute.direction is None
        and not attribute.aggregate
        and c.ordered(attribute.entity, attribute.field)
        and not best.skip
        and best.count is None
    ):
        amassed = best.counts and not best.adjective
        yield MadePhrase(replace(attribute, direction=best.direction, totals=best.counts, amassed=amassed))


@rule(Superlative, Attribute)
def _superlative_computed(c: Composer, best: Superlative, attribute: Attribute) -> Iterator[MadePhrase]:
    """The station with the highest average temperature, the customer with the highest total amount."""
    computed = attribute.aggregate in (Aggregate.AVG, Aggregate.MEDIAN, Aggregate.SUM)
    if computed and attribute.direction is None:
        figures = c.totalled(attribute, RowsPhrase(attribute.entity))
        own = (attribute.entity, attribute.field) in best.fields  # the longest average distance
        if figures is not None:
            yield from _superlative_figures(c, replace(best, general=best.general or own), figures)


@rule(Superlative, Attribute)
def _best_rating(c: Composer, best: Superlative, attribute: Attribute) -> Iterator[MadePhrase]:
    """The best average rating is the highest one; of grades that differs from country to country."""
    rated = attribute.plain and c.only_rating(attribute.entity) == attribute.field
    vague = not (best.counts or best.fields) and (rated or not (best.adjective or best.general))
    facts = c.model.things[attribute.entity].fields[attribute.field]
    names = (key_of(said) for said in names_for(attribute.field, facts.declared))
    if not vague or not any((part,) in in_all_languages("ratings") for name in names for part in name):
        return
    if rated:  # of several reviews their average
        attribute = replace(attribute, aggregate=Aggregate.AVG)
    yield from c.join(replace(best, general=True), attribute)


@rule(Superlative, FigurePhrase)
def _superlative_figures(c: Composer, best: Superlative, figures: FigurePhrase) -> Iterator[MadePhrase]:
    if figures.direction is not None or not (best.general or best.counts):
        return
    if figures.changes or figures.grows or figures.compare is not None:
        return  # what grew most is decided by its change
    if figures.by:
        if not (best.counts and figures.shown[0].of):  # the most orders in each year are not those of the best year
            yield from best_of_periods(replace(figures, skip=best.skip), best.direction, best.count)
    else:
        yield MadePhrase(replace(figures, direction=best.direction, count=best.count, skip=best.skip))


@rule(Superlative, SaidNumber, either_way=True)
def _top_number(c: Composer, best: Superlative, number: SaidNumber) -> Iterator[MadePhrase]:
    whole = number.value == number.value.to_integral_value() and 1 <= number.value <= 10_000
    year = 1900 <= number.value <= 2100  # who sold in 2024 most
    if best.count is None and whole and not year and number.dimension is None:
        yield MadePhrase(replace(best, count=int(number.value)))


@rule(HowAdjective, RowsPhrase)
def _vague_rows(c: Composer, adjective: HowAdjective, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Large customers: from what on is not said."""
    if not adjective.asked and not (rows.named or rows.order or rows.awaits or rows.period or rows.other or rows.link):
        fields = tuple(field for entity, field in adjective.fields if entity == rows.entity)
        if not fields and adjective.fields and all(c.is_date(Attribute(*one)) for one in adjective.fields):
            fields = tuple(_aged_by(c, rows.entity))  # old books: by a date of theirs, and by nothing else
            if not fields:
                return
        yield MadePhrase(VagueRows(rows, adjective.direction, fields or tuple(_large_by(c, rows.entity))))


@rule(VagueRows, SaidPeriod)
@rule(VagueRows, About)
@rule(VagueRows, RowFilter)
def _vague_narrowed(c: Composer, vague: VagueRows, more: SaidPeriod | About | RowFilter) -> Iterator[MadePhrase]:
    """Large orders in 2024, of customers in Bern."""
    for made in c.join(vague.rows, more):
        if isinstance(made.phrase, RowsPhrase) and made.phrase.entity == vague.rows.entity:
            yield MadePhrase(replace(vague, rows=made.phrase), made.marks)


@rule(JoiningWord, VagueRows)
def _asked_vague(c: Composer, word: JoiningWord, vague: VagueRows) -> Iterator[MadePhrase]:
    if word.kind == "show" and word.first:
        yield MadePhrase(vague)
    elif word.kind == "how_many":
        yield MadePhrase(replace(vague, counted=True))


@rule(VagueRows, JoiningWord)
def _vague_how_many(c: Composer, vague: VagueRows, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "how_many" and c.order.get("modifiers_before"):
        yield MadePhrase(replace(vague, counted=True))


@rule(JoiningWord, Superlative)
def _at_best(c: Composer, word: JoiningWord, best: Superlative) -> Iterator[MadePhrase]:
    """`am höchsten`: behind a verb."""
    if word.kind == "in" and (best.general or best.adjective) and best.count is None:
        yield MadePhrase(best)


@rule(FigurePhrase, Superlative)
def _figures_superlative(c: Composer, figures: FigurePhrase, best: Superlative) -> Iterator[MadePhrase]:
    """Revenue highest, in languages that put it so; in which year was revenue highest."""
    if c.order.get("modifiers_before") or best.general:
        yield from _superlative_figures(c, best, figures)


@rule(RowsPhrase, Superlative)
def _rows_are_most(c: Composer, rows: RowsPhrase, best: Superlative) -> Iterator[MadePhrase]:
    """Whose invoices are the most, in languages that put it so."""
    if c.order.get("modifiers_before") and best.counts and not best.adjective:
        for made in _superlative_rows(c, best, rows):
            if isinstance(made.phrase, MostRows):
                yield MadePhrase(replace(made.phrase, last=True), made.marks)


@rule(Attribute, Superlative)
def _attribute_highest(c: Composer, attribute: Attribute, best: Superlative) -> Iterator[MadePhrase]:
    """On which day was the temperature highest: only what is asked before it makes that a question."""
    if not c.order.get("modifiers_before") and best.general and best.adjective:
        for made in _superlative_attribute(c, best, attribute):
            if isinstance(made.phrase, Attribute):
                yield MadePhrase(replace(made.phrase, behind=True), made.marks)
        yield from _superlative_computed(c, best, attribute)  # in which month was the total amount highest


@rule(SaidPeriod, MostRows)
@rule(SaidPeriod, CountedRows)
def _when_most(c: Composer, when: SaidPeriod, most: MostRows | CountedRows) -> Iterator[MadePhrase]:
    """Who had in 2024 the most invoices, more than 3 invoices."""
    for made in c.join(most.rows, when):
        if isinstance(made.phrase, RowsPhrase):
            yield MadePhrase(replace(most, rows=made.phrase), made.marks)


@rule(Attribute, Superlative)
def _attribute_superlative(c: Composer, attribute: Attribute, best: Superlative) -> Iterator[MadePhrase]:
    """Population largest, in languages that put it so."""
    if c.order.get("modifiers_before"):
        for made in _superlative_attribute(c, best, attribute):
            if isinstance(made.phrase, Attribute):
                yield MadePhrase(replace(made.phrase, behind=True), made.marks)
        yield from _superlative_computed(c, best, attribute)


@rule(Attribute, CountedRows)
def _best_before_counted(c: Composer, attribute: Attribute, counted: CountedRows) -> Iterator[MadePhrase]:
    """The 5 entries with the largest amount, in languages that put it before the noun."""
    own = attribute.entity == counted.rows.entity  # the 3 classes are not those of 3 schools
    if c.order.get("modifiers_before") and attribute.direction and own and counted.op == "=" and counted.number:
        order = OrderBy(by=Shown(field=attribute.path), descending=attribute.direction > 0)
        top = TopFilter(attribute.entity, (order,), counted.number, may_be=attribute.may_be)
        yield from c.join(counted.rows, top)


@rule(Attribute, RowsPhrase)
def _best_before_rows(c: Composer, attribute: Attribute, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The state with the largest population, in languages that put it before the noun."""
    if c.order.get("modifiers_before") and attribute.direction is not None and attribute.aggregate is None:
        order = OrderBy(by=Shown(field=attribute.path), descending=attribute.direction > 0)
        yield from c.join(rows, TopFilter(attribute.entity, (order,), may_be=attribute.may_be))
