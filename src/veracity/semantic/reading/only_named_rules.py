"""Rules for things that rows only name, as orders name their customer: who ordered most often, which products were returned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.ontology.fields import FieldRole
from veracity.semantic.query import Aggregate, Comparison, Condition, parts_of
from veracity.semantic.reading.by_all_rows import denied_value, denies, without_any
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, TopFigure
from veracity.semantic.reading.happening_rules import OFTEN
from veracity.semantic.reading.joined_phrases import About, CameAbout, CountedRows, Happening, MostRows
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Lookup, RowFilter, RowsPhrase

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Attribute, Happening)
def _named_most_often(c: Composer, attribute: Attribute, happening: Happening) -> Iterator[MadePhrase]:
    """Which customer ordered most often, more than 60 times; the most may also be how much they ordered."""
    entity = happening.rows.entity
    if not attribute.plain or attribute.entity != entity or happening.whose or not c.only_names(attribute):
        return
    if happening.times is not None:
        counted = CountedRows(happening.rows, happening.times.op, happening.times.number)
        yield from c.join(attribute, About("", "with", counted))
    elif happening.direction is not None:
        yield from c.join(attribute, About("", "with", MostRows(happening.rows, happening.direction)))
        fields = c.model.things[entity].fields if happening.amassed else {}
        for field in fields:
            added = Attribute(entity, field, aggregate=Aggregate.SUM)
            figures = c.totalled(added, happening.rows) if c.adds_up(added) else None
            if figures is not None:
                yield from c.join(attribute, TopFigure(replace(figures, direction=happening.direction)))


@rule(Happening, RowFilter)
def _never_such(c: Composer, happening: Happening, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Never ordered a lamp."""
    never = happening.direction is None and happening.times is None and not happening.whose
    if never and filtered.entity == happening.rows.entity and filtered.is_value:
        yield MadePhrase(replace(happening, rows=happening.rows.having(*filtered.where)))


@rule(Attribute, Happening)
def _named_never(c: Composer, attribute: Attribute, happening: Happening) -> Iterator[MadePhrase]:
    """Which customers never ordered a lamp: those of whose orders none is of one."""
    rows, never = happening.rows, happening.direction is None and happening.times is None and not happening.whose
    if not never or attribute.entity != rows.entity or not attribute.plain or not c.only_names(attribute):
        return
    if rows.where and rows.period is None:
        yield _without_any(attribute, rows.where)


def _without_any(attribute: Attribute, such: tuple[Condition, ...]) -> MadePhrase:
    """The groups none of whose rows is such a one."""
    query = without_any(attribute.path, such)
    having = tuple(parts_of(query.having))
    return MadePhrase(FigurePhrase(query.show, attribute.entity, by=query.by, having=having, edge=(attribute.entity,)))


@rule(Lookup, JoiningWord)
def _such_most_often(c: Composer, lookup: Lookup, word: JoiningWord) -> Iterator[MadePhrase]:
    """Which product was returned most often."""
    if word.kind in OFTEN and lookup.distinct and len(lookup.fields) == 1:
        counted = c.count(lookup.rows)
        if counted is not None:
            yield from c.join(lookup.fields[0], TopFigure(replace(counted, direction=OFTEN[word.kind])))


@rule(CameAbout, MostRows)
@rule(CameAbout, CountedRows)
def _brought_about(c: Composer, came: CameAbout, rows: MostRows | CountedRows) -> Iterator[MadePhrase]:
    """Placed the most orders, more than 60 orders."""
    if rows.rows.entity in came.entities:
        yield MadePhrase(About("", "with", rows))


@rule(Attribute, Attribute)
def _named_and_happened(c: Composer, attribute: Attribute, happened: Attribute) -> Iterator[MadePhrase]:
    """Products ordered, of orders: every one of them was."""
    own = attribute.entity == happened.entity and c.own_date(happened.entity) == [happened.field]
    if own and attribute.plain and happened.plain and c.only_names(attribute):
        yield MadePhrase(attribute)


@rule(Attribute, RowFilter, either_way=True)
def _named_by_such(c: Composer, attribute: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Which products were returned; furniture products."""
    own = attribute.entity == filtered.entity and filtered.is_value
    if not own or not attribute.plain or not c.only_names(attribute):
        return
    if any(isinstance(one, Comparison) and one.field == attribute.path for one in filtered.where):
        return  # the product Desk
    if any(map(denies, filtered.where)):
        return
    rows = RowsPhrase(attribute.entity, where=filtered.where, edge=filtered.edge)
    yield MadePhrase(Lookup(rows, (attribute,), distinct=True))


@rule(Attribute, RowFilter)
def _named_without(c: Composer, attribute: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Which products were never returned: those of whose orders none was."""
    such = denied_value(filtered.where[0]) if len(filtered.where) == 1 else None
    own = attribute.entity == filtered.entity and attribute.plain and c.only_names(attribute)
    if own and such is not None and such.field != attribute.path:
        yield _without_any(attribute, (such,))


@rule(Attribute, RowFilter, either_way=True)
def _price_of_named(c: Composer, price: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    """The unit price of a desk, where each order says its product and its price: each price of desks once."""
    only = filtered.where[0] if len(filtered.where) == 1 else None
    if not isinstance(only, Comparison) or price.entity != filtered.entity or not filtered.is_value or not price.plain:
        return
    owner = Attribute(filtered.entity, only.field.rpartition(".")[2])
    if c.model.things[price.entity].fields[price.field].role is FieldRole.RATE and c.only_names(owner):
        rows = RowsPhrase(price.entity, where=filtered.where, edge=filtered.edge)
        yield MadePhrase(Lookup(rows, (price,), distinct=True))
