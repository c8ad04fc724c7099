"""A noun that several fields end with: the price, where there are a list price and a purchase price. Which one is meant is asked back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from veracity.language.folding import folded_text
from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.reading.phrases import Attribute, RowsPhrase, Stored
from veracity.semantic.reading.same_words import english_for
from veracity.semantic.reading.word_senses import Tagged
from veracity.sources.source import NUMERIC

_SHORTEST = 4
_FEWEST, _MOST = 2, 4
_MOST_THINGS = 40


def with_whole_names(tagged: Tagged, model: SemanticModel, lang: str) -> Iterator[str]:
    """The question once with each whole name of a field in the place of the noun that these end with; nothing where one is called just so."""
    if lang == "zh" or len(model.things) > _MOST_THINGS:
        return
    for place, token in enumerate(tagged.tokens):
        if len(token.text) < _SHORTEST or token.text.isdigit():
            continue
        said = [one for one in tagged.mentions if one.start <= place < one.end]
        whole = any(one.end - one.start > 1 for one in said)  # closing balances
        if whole or not all(isinstance(one.phrase, Attribute) and not one.phrase.verb for one in said):
            continue
        named = {one.phrase.entity for one in tagged.mentions if isinstance(one.phrase, RowsPhrase)}
        stored = (one.phrase for one in tagged.mentions if isinstance(one.phrase, Stored))
        named |= {entity for value in stored for entity, *_ in value.homes}
        names = _short_for(model, token.text, lang, named)
        if not names:
            continue
        start, end = tagged.folded.origin(token.start, token.end)
        yield from (f"{tagged.question[:start]}{name}{tagged.question[end:]}" for name in names)
        return


def _short_for(model: SemanticModel, word: str, lang: str, named: Collection[str]) -> list[str]:
    """The names that a word may be short for: those of what is named, where these have several; else those of all."""
    said = {noun_root(word), *(noun_root(folded_text(one)) for one in english_for(word, lang))}
    own = list(_ending([model.things[name] for name in named], said, lang))
    if len(own) == 1:
        return []  # the price of the bracket is its own
    found = own if own and not any(exact for _, exact in own) else []
    if not found:
        found = list(_ending(model.things.values(), said, lang, numbers=True))
    names = dict.fromkeys(name for name, exact in found if not exact)
    return list(names) if not any(exact for _, exact in found) and _FEWEST <= len(names) <= _MOST else []


def _ending(
    things: Iterable[Thing], words: Collection[str], lang: str, *, numbers: bool = False
) -> Iterator[tuple[str, bool]]:
    """The names of fields that end with one of some words, and whether one is nothing but that word."""
    for thing in things:
        for name, facts in thing.fields.items():
            told = facts.column.type in NUMERIC or not (numbers or facts.is_date)
            if told and name not in thing.key and not facts.identifier:
                label = _label(name, facts, lang)
                whole = folded_text(label)
                if noun_root(whole) in words:
                    yield label, True
                elif " " in whole and noun_root(whole.rpartition(" ")[2]) in words:
                    yield label, False
                elif lang == "de" and any(whole.endswith(word) for word in words):
                    yield label, False  # Stückpreis


def _label(name: str, facts: FieldFacts, lang: str) -> str:
    return pick(facts.declared.label, lang) if facts.declared and facts.declared.label else words_of(name)
