"""Rules for what is missing: the school whose power consumption is not stored."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.semantic.query import Comparison
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.joined_phrases import About
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase

RULES: Rules = {}
rule = rule_book(RULES)


@rule(JoiningWord, Attribute, either_way=True)
def _missing(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """Fehlt der Stromverbrauch; the price is missing."""
    if word.kind == "missing" and attribute.plain:
        yield MadePhrase(RowFilter(attribute.entity, (Comparison(field=attribute.path, op="missing"),)))


@rule(About, RowFilter)
def _for_which(c: Composer, about: About, missing: RowFilter) -> Iterator[MadePhrase]:
    """For which school is it missing: the rows of which it is said."""
    lacks = [one for one in missing.where if isinstance(one, Comparison) and one.op == "missing"]
    rows = about.rows
    plain = about.kind == "in" and not about.negated
    if plain and isinstance(rows, RowsPhrase) and len(lacks) == len(missing.where) == 1 and rows.bare:
        yield from c.join(rows, missing) if rows.entity == missing.entity else ()
