"""Rules for stored kinds that stand for the rows of that kind: the most expensive tablet, high severity incidents."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.ontology.fields import FieldRole
from veracity.semantic.query import Comparison
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.phrases import Attribute, RowFilter, RowsPhrase, Stored

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Superlative, Stored)
@rule(Stored, Superlative)
def _best_of_kind(c: Composer, left: Superlative | Stored, right: Superlative | Stored) -> Iterator[MadePhrase]:
    """The most expensive tablet, which tablet is the most expensive: of the drugs that are tablets."""
    best, kind = (left, right) if isinstance(left, Superlative) else (right, left)
    if not isinstance(best, Superlative) or not isinstance(kind, Stored) or not best.adjective or len(kind.homes) != 1:
        return
    entity, field, value = kind.homes[0]
    graded = any(owner == entity for owner, _ in best.fields)
    if graded and c.model.things[entity].fields[field].role is FieldRole.CATEGORY:
        rows = RowsPhrase(entity, where=(Comparison(field=f"{entity}.{field}", value=value),))
        yield from c.join(left if left is best else rows, rows if left is best else right)


@rule(Stored, Attribute)
def _value_of_field(c: Composer, stored: Stored, attribute: Attribute) -> Iterator[MadePhrase]:
    """High severity incidents: the value before the name of the field that holds it."""
    for entity, field, value in stored.homes:
        if (entity, field) == (attribute.entity, attribute.field) and attribute.plain:
            where = (Comparison(field=attribute.path, value=value),)
            yield MadePhrase(RowFilter(entity, where, before=True, is_value=True))
