"""By what means: withdrawals by card, orders by phone. Where there is a table of cards, too, each card may be meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.query import Comparison, Dimension, SemanticQuery, all_of
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.phrases import JoiningWord, RowFilter, RowsPhrase, Stored
from veracity.semantic.reading.word_lists import key_of, names_for
from veracity.semantic.reading.word_senses import Tagged

RULES: Rules = {}
rule = rule_book(RULES)


@rule(JoiningWord, RowFilter)
def _by_means(c: Composer, word: JoiningWord, filtered: RowFilter) -> Iterator[MadePhrase]:
    """By cash, where that is a kind of them, and no thing of its own."""
    if word.kind == "by" and filtered.is_value and filtered.before and not filtered.noun and not _is_thing(c, filtered):
        yield MadePhrase(replace(filtered, before=False))


def _is_thing(c: Composer, filtered: RowFilter) -> bool:
    """Whether a stored value is also what the rows of some table are called."""
    said = {key_of(str(one.value)) for one in filtered.where if isinstance(one, Comparison)}
    things = c.model.things.values()
    return any(key_of(name) in said for thing in things for name in names_for(thing.name, thing.declared))


def either_means(query: SemanticQuery, tagged: Tagged) -> Iterator[SemanticQuery]:
    """The query; and where it is divided by a thing that is also a kind of the rows, also those of that kind: by card."""
    yield query
    if len(query.by) != 1 or query.by[0].entity is None:
        return
    behind = {m.end for m in tagged.mentions if isinstance(m.phrase, JoiningWord) and m.phrase.kind == "by"}
    nouns = {
        (m.start, m.end)
        for m in tagged.mentions
        if m.start in behind and isinstance(m.phrase, RowsPhrase) and Dimension(entity=m.phrase.entity) == query.by[0]
    }
    for stored in (m for m in tagged.mentions if isinstance(m.phrase, Stored) and (m.start, m.end) in nouns):
        assert isinstance(stored.phrase, Stored)
        for entity, field, value in stored.phrase.homes:
            if entity == query.of:
                kind = Comparison(field=f"{entity}.{field}", value=value)
                where = all_of((query.where, kind))
                yield query.model_copy(update={"where": where, "by": (), "having": None}).normalized()
