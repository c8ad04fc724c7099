"""Rules for rows that are called by the number that identifies them: article 7, paper ID 2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Comparison
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.phrases import Attribute, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidNumber
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.sources.source import ColumnType

RULES: Rules = {}
rule = rule_book(RULES)
_YEARS = range(1900, 2101)


@rule(Attribute, SaidNumber)
def _key_number(c: Composer, attribute: Attribute, number: SaidNumber) -> Iterator[MadePhrase]:
    """Paper ID 2."""
    if attribute.plain and _key(c, attribute.entity) == attribute.field:
        yield from _called(RowsPhrase(attribute.entity), attribute.path, number)


@rule(RowsPhrase, SaidNumber)
def _rows_number(c: Composer, rows: RowsPhrase, number: SaidNumber) -> Iterator[MadePhrase]:
    """Article 7; not room 7, where rooms have a number beside their key. A number that may be a year is none."""
    key = _key(c, rows.entity)
    one = rows.bare and not (rows.plural or rows.named or rows.figure_word or rows.also)
    if key and one and not _is_numbered(c, rows.entity, key) and int(number.value) not in _YEARS:
        yield from _called(rows, f"{rows.entity}.{key}", number)


def _called(rows: RowsPhrase, path: str, number: SaidNumber) -> Iterator[MadePhrase]:
    if number.dimension is None and number.value == number.value.to_integral_value():
        only = Comparison(field=path, value=int(number.value))
        yield MadePhrase(replace(rows, where=(only,), named=True, called=True))


def _key(c: Composer, entity: str) -> str:
    """The whole number that identifies the rows of an entity, where one does."""
    thing = c.model.things[entity]
    only = thing.key[0] if len(thing.key) == 1 else ""
    return only if only and thing.fields[only].column.type is ColumnType.INTEGER else ""


def _is_numbered(c: Composer, entity: str, key: str) -> bool:
    """Whether rows have another number that people may call them by."""
    known = in_all_languages("number_fields")
    fields = ((name, facts) for name, facts in c.model.things[entity].fields.items() if name != key)
    return any(key_of(said)[-1:] in known for name, facts in fields for said in names_for(name, facts.declared))
