"""Rules for rows that are told apart by a field that is named: whose nationality is not USA, schools in Bern that were closed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from veracity.semantic.graph import is_to_one
from veracity.semantic.query import Comparison, Dimension, Negation
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.chart import OTHER_ENTITY, MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.initials import matching
from veracity.semantic.reading.joined_phrases import About, JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, Attributes, JoiningWord, Lookup, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidPeriod, TextMatch
from veracity.sources.source import ColumnType

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Attribute, RowFilter)
def _is_not(c: Composer, attribute: Attribute, filtered: RowFilter) -> Iterator[MadePhrase]:
    """Whose nationality is not USA: the field only says again what the value is of."""
    only = filtered.where[0] if len(filtered.where) == 1 else None
    value = only.condition if isinstance(only, Negation) else only
    denied = isinstance(only, Negation) or (isinstance(only, Comparison) and only.op == "!=")
    if denied and attribute.plain and isinstance(value, Comparison) and value.field == attribute.path and not value.via:
        yield MadePhrase(filtered)


@rule(Lookup, About)
def _names_with(c: Composer, named: Lookup, about: About) -> Iterator[MadePhrase]:
    """Stadium names without any concert: of the stadiums without one."""
    names = tuple(one.field for one in named.fields)
    if named.asked or not named.rows.bare or names != c.model.things[named.rows.entity].display:
        return
    for made in c.join(named.rows, about) if about.kind in ("with", "without") else ():
        if isinstance(made.phrase, RowsPhrase) and made.phrase.entity == named.rows.entity:
            yield MadePhrase(replace(named, rows=made.phrase), made.marks)


@rule(Attributes, About)
def _fields_beyond(c: Composer, fields: Attributes, about: About) -> Iterator[MadePhrase]:
    """The first and last name of the members of the Chess Club: of the students that they are."""
    rows, owner = about.rows, fields.fields[0].entity
    plain = all(one.plain and one.entity == owner for one in fields.fields) and about.kind == "of" and not about.negated
    if not plain or not isinstance(rows, RowsPhrase) or rows.entity == owner or rows.named or rows.awaits or rows.also:
        return
    ways = c.ways(rows.entity, owner)
    if len(ways) == 1 and is_to_one(ways[0]) and not rows.figure_word and not rows.other:
        yield MadePhrase(Lookup(rows, fields.fields), (OTHER_ENTITY,))


@rule(RowsPhrase, Attribute)
def _that_were(c: Composer, rows: RowsPhrase, happened: Attribute) -> Iterator[MadePhrase]:
    """Schools in Bern that were closed: those with such a date, which stands beside them."""
    plain = happened.plain and c.is_date(happened) and rows.entity == happened.entity and len(happened.may_be) < 2
    said = rows.named or rows.order or rows.limit or rows.period or rows.awaits or rows.also or rows.happened
    if plain and rows.where and not said and not rows.figure_word and not rows.link:
        known = Comparison(field=happened.path, op="notMissing")
        yield MadePhrase(replace(rows.having(known), happened=True, also=(happened,)))


@rule(Attribute, JoinedPhrase)
def _and_in_each(c: Composer, attribute: Attribute, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """All countries and the number of singers in each country."""
    figures = joined.phrase
    if joined.kind != "and" or not isinstance(figures, FigurePhrase) or figures.order or not attribute.plain:
        return
    if figures.by == (Dimension(field=attribute.path),):
        yield MadePhrase(figures)


@rule(JoiningWord, SaidPeriod)
def _or_when(c: Composer, word: JoiningWord, when: SaidPeriod) -> Iterator[MadePhrase]:
    if word.kind == "or":
        yield MadePhrase(JoinedPhrase("or", when))


@rule(SaidPeriod, JoinedPhrase)
def _either_when(c: Composer, when: SaidPeriod, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """In 2014 or 2015: in both of them together; with a gap between them it would be more than that."""
    other = joined.phrase
    if joined.kind != "or" or not isinstance(other, SaidPeriod) or when.ends or other.ends:
        return
    if when.moment or other.moment or when.between or other.between or when.compared or other.compared:
        return
    first, last = sorted((when.period, other.period), key=lambda one: str(one.first))
    if first.first is None or last.last is None or first.last is None or last.first is None:
        return
    if last.first == first.last + timedelta(days=1) and first.field == last.field:
        whole = QueryPeriod.model_validate({"from": first.first, "to": last.last})
        yield MadePhrase(replace(when, period=whole, bare=False, number=None))


@rule(JoiningWord, JoiningWord)
def _list_names(c: Composer, word: JoiningWord, names: JoiningWord) -> Iterator[MadePhrase]:
    """List the names of: of rows whose name is no field of that name."""
    if word.kind == names.kind == "show" and word.first and not names.first:
        yield MadePhrase(replace(names, first=True))


@rule(Attribute, TextMatch)
def _text_like(c: Composer, attribute: Attribute, said: TextMatch) -> Iterator[MadePhrase]:
    """Whose email ends with gmail.com."""
    if attribute.plain and c.model.things[attribute.entity].fields[attribute.field].column.type is ColumnType.TEXT:
        where = (matching(attribute.path, said),)
        yield MadePhrase(RowFilter(attribute.entity, where, may_be=attribute.may_be))
