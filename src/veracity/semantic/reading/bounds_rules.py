"""Rules for numbers, values and times beside nouns and fields: more than 5 orders, invoices over 20, hotels with 5 stars, the capital Austin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Comparison, SemanticQuery, Shown
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import Comparative, OpenBound
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.grounds import dated_within
from veracity.semantic.reading.joined_phrases import CountedRows
from veracity.semantic.reading.phrases import Attribute, RowFilter, RowsPhrase, Stored, merged
from veracity.semantic.reading.related_rows import right_edge
from veracity.semantic.reading.said_phrases import SaidNumber, SaidPeriod
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.sources.source import ColumnType

_OLDEST = 150
_OLDEST_YEAR, _LAST_YEAR = 1900, 2100
"""Nobody is older."""

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Comparative, SaidNumber)
def _comparative_number(c: Composer, more: Comparative, number: SaidNumber) -> Iterator[MadePhrase]:
    yield MadePhrase(OpenBound(more.op, number, fields=more.fields))


@rule(Comparative, RowsPhrase)
def _comparative_rows(c: Composer, more: Comparative, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Longer than the Rhine; more than the average is another rule."""
    for entity, field in more.fields:
        if entity == rows.entity and rows.single:
            other = SemanticQuery(**(dict(rows.query()) | {"show": (Shown(field=f"{entity}.{field}"),)}))
            condition = Comparison(field=f"{entity}.{field}", op=more.op, value=other)
            yield MadePhrase(RowFilter(entity, (condition,), right_edge(rows)))


@rule(Attribute, OpenBound, either_way=True)
def _attribute_bound(c: Composer, attribute: Attribute, bound: OpenBound) -> Iterator[MadePhrase]:
    if bound.fields and (attribute.entity, attribute.field) not in bound.fields:
        return
    if attribute.direction is not None or attribute.aggregate is not None:
        return
    if condition := c.compared(attribute.entity, attribute.field, bound):
        yield MadePhrase(RowFilter(attribute.entity, (condition,), may_be=attribute.may_be))


@rule(OpenBound, RowsPhrase)
def _bound_rows(c: Composer, bound: OpenBound, rows: RowsPhrase) -> Iterator[MadePhrase]:
    number = bound.number.value
    upper = bound.upper.value if bound.upper is not None else None
    whole = all(one == one.to_integral_value() for one in (number, upper) if one is not None)
    if whole and not bound.fields and bound.number.dimension is None and not (rows.named or rows.figure_word):
        most = int(upper) if upper is not None else None
        yield MadePhrase(CountedRows(rows, ">=" if upper is not None else bound.op, int(number), most))


@rule(RowsPhrase, OpenBound)
def _rows_bound(c: Composer, rows: RowsPhrase, bound: OpenBound) -> Iterator[MadePhrase]:
    """Invoices over 20: of what is asked back."""
    if bound.fields or bound.number.dimension is not None or rows.named or rows.also:
        return
    if bound.upper is not None and bound.upper.value < _OLDEST and c.has_birth_date(rows.entity):
        return  # employees between 30 and 40: their age, or an amount of theirs
    if bound.upper is not None and _are_years(bound) and c.has_time(rows.entity):
        return  # articles between 2016 and 2019: when, not how much
    only = c.only_amount(rows.entity)
    for field in c.measurable(rows.entity) or ([only] if only else []):
        condition = c.compared(rows.entity, field, bound) if (rows.entity, field) not in c.truths else None
        if condition is not None and not _is_part(c, rows.entity, field):
            yield MadePhrase(replace(rows, where=merged(rows.where, (condition,)), bounded=True))


def _is_part(c: Composer, entity: str, field: str) -> bool:
    """Whether a field is only a part of what a row comes to: the freight of an order."""
    names = names_for(field, c.model.things[entity].fields[field].declared)
    return any(key_of(name)[-1:] in in_all_languages("parts_of_amounts") for name in names)


def _are_years(bound: OpenBound) -> bool:
    numbers = (bound.number, bound.upper)
    return all(one is None or (one.dimension is None and _OLDEST_YEAR <= one.value <= _LAST_YEAR) for one in numbers)


@rule(SaidNumber, RowsPhrase)
def _number_rows(c: Composer, number: SaidNumber, rows: RowsPhrase) -> Iterator[MadePhrase]:
    if may_be_year(number) and number.value % 100 and c.default_date(rows.entity):
        return  # who had 2023 entries: in 2023
    if (
        number.dimension is None
        and number.value == number.value.to_integral_value()
        and not (rows.named or rows.figure_word)
    ):
        yield MadePhrase(CountedRows(rows, "=", int(number.value)))


@rule(Attribute, Stored, either_way=True)
def _attribute_stored(c: Composer, attribute: Attribute, stored: Stored) -> Iterator[MadePhrase]:
    """With the capital Austin; Austin is the capital of."""
    for entity, field, value in stored.homes:
        if (entity, field) == (attribute.entity, attribute.field) and attribute.plain:
            yield MadePhrase(RowFilter(entity, (Comparison(field=attribute.path, value=value),)))


def may_be_year(number: SaidNumber) -> bool:
    """Whether a number without a unit may be a year of our time."""
    return number.unit is None and number.dimension is None and 1900 <= number.value <= 2100


@rule(Attribute, SaidNumber)
def _attribute_number(c: Composer, attribute: Attribute, number: SaidNumber) -> Iterator[MadePhrase]:
    value = c.in_unit(attribute.entity, attribute.field, number)
    if may_be_year(number) and c.is_measured(attribute.entity, attribute.field):
        return  # absence days 2024: those of that year; 2024 days would be called so
    says_yes = (attribute.entity, attribute.field) in c.truths and number.value not in (0, 1)  # cancelled in 2023
    if value is not None and attribute.plain and c.numeric(attribute.entity, attribute.field) and not says_yes:
        yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, value=value),)))


@rule(SaidNumber, Attribute)
def _number_attribute(c: Composer, number: SaidNumber, attribute: Attribute) -> Iterator[MadePhrase]:
    """Hotels with 5 stars, courses of 3 credits; 2024 revenue is no revenue of 2024."""
    if number.value == number.value.to_integral_value() and number.dimension is None and not may_be_year(number):
        yield from _attribute_number(c, attribute, number)


@rule(Attribute, SaidPeriod, either_way=True)
def _attribute_when(c: Composer, attribute: Attribute, when: SaidPeriod) -> Iterator[MadePhrase]:
    if not attribute.plain or when.between or when.moment or when.compared:
        return
    facts = c.model.things[attribute.entity].fields[attribute.field]
    if facts.column.type in (ColumnType.DATE, ColumnType.TIMESTAMP) or facts.is_date:
        yield MadePhrase(RowFilter(attribute.entity, (dated_within(attribute.path, when.period),)))
    elif c.holds_years(attribute) and (whole := _whole_years(when.period)) is not None and whole[0] != "=":
        yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, op=whole[0], value=whole[1]),)))
    elif (attribute.entity, attribute.field) in c.truths:
        return  # not cancelled in 2023
    elif when.number is not None and facts.column.type is ColumnType.INTEGER and not facts.can_be_added:
        yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, value=when.number),)))


def _whole_years(period: QueryPeriod) -> tuple[str, int | tuple[int, int]] | None:
    """Before 2015, since 2015, from 2015 to 2018, as a comparison of years; nothing where it is not about whole years."""
    first, last = period.first, period.last
    if (first is not None and (first.month, first.day) != (1, 1)) or (
        last is not None and (last.month, last.day) != (12, 31)
    ):
        return None
    if first is None:
        return ("<=", last.year) if last is not None else None
    if last is None:
        return ">=", first.year
    return ("=", first.year) if first.year == last.year else ("between", (first.year, last.year))
