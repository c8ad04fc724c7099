"""How much or how many of what a table is called, where its figures say that and not its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from veracity.language.dictionary import dictionary, german_forms
from veracity.language.folding import folded_text
from veracity.language.people import means_people
from veracity.ontology.fields import FieldRole
from veracity.query.catalog import FieldFacts
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import Aggregate, Comparison, SemanticQuery, Shown, parts_of
from veracity.semantic.reading.phrases import JoiningWord, RowsPhrase
from veracity.semantic.reading.ways import TIMES
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.semantic.reading.word_senses import Tagged

_HOW_MUCH = (("how", "much"), ("wie", "viel"))


def amounts_of(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query; where it counts rows and was asked how much, one for each figure of these that adds up: how much waste."""
    if _counts_goods(query, tagged, model):
        yield query
        yield from _units(query, model.things[query.of or ""])
        return
    if not _counts_rows(query) or not _asks_how_much(tagged, query.of or ""):
        yield query
        if _counts_rows(query):
            yield from _how_many_of_each(query, model.things[query.of or ""])
            yield from _pieces(query, tagged, model.things[query.of or ""])
        return
    thing = model.things[query.of or ""]
    for name, facts in thing.fields.items():
        if facts.can_be_added:
            shown = Shown(aggregate=Aggregate.SUM, field=f"{thing.name}.{name}")
            yield query.model_copy(update={"show": (shown,)}).normalized()


def _how_many_of_each(query: SemanticQuery, thing: Thing) -> Iterator[SemanticQuery]:
    """How many there are together, where each row is a kind of thing with a name and says how many of it there are."""
    roles = [thing.fields[name].role for name in thing.display if name in thing.fields]
    for name, facts in thing.fields.items() if FieldRole.NAME in roles else ():
        called = {key_of(one) for one in names_for(name, facts.declared)}
        if facts.can_be_added and called & in_all_languages("how_many_of_each"):
            shown = Shown(aggregate=Aggregate.SUM, field=f"{thing.name}.{name}")
            yield query.model_copy(update={"show": (shown,)}).normalized()


def _pieces(query: SemanticQuery, tagged: Tagged, thing: Thing) -> Iterator[SemanticQuery]:
    """How many chairs were ordered, where each order says how many of its product: nobody asks for orders who does not name them."""
    named = any(isinstance(one.phrase, RowsPhrase) and one.phrase.entity == thing.name for one in tagged.mentions)
    of_kind = any(
        isinstance(one, Comparison)
        and (facts := thing.fields.get(one.field.rpartition(".")[2])) is not None
        and facts.categorical
        and one.field.rpartition(".")[2] not in thing.display
        for one in parts_of(query.where)
    )
    if named or not of_kind or thing.default_date is None:
        return
    yield from _units(query, thing)


def _units(query: SemanticQuery, thing: Thing) -> Iterator[SemanticQuery]:
    """The query over how many of each its rows say."""
    for name, facts in thing.fields.items():
        if facts.can_be_added and facts.role is FieldRole.QUANTITY and _may_be_pieces(name, facts):
            shown = Shown(aggregate=Aggregate.SUM, field=f"{thing.name}.{name}")
            yield query.model_copy(update={"show": (shown,)}).normalized()


def _may_be_pieces(name: str, facts: FieldFacts) -> bool:
    """Whether a number may say how many there are of what a row is about: not how long it took, nor how many people came."""
    timed = facts.declared is not None and facts.declared.unit in TIMES
    return not timed and not any(means_people(one) for one in names_for(name, facts.declared))


def _counts_goods(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether different products of some rows are counted without saying different: how many products did Acme order."""
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is None or shown.aggregate is not Aggregate.COUNT_DISTINCT or not shown.field or query.by:
        return False
    thing, name = model.things[shown.field.rpartition(".")[0]], shown.field.rpartition(".")[2]
    called = {key_of(one) for one in names_for(name, thing.fields[name].declared)}
    different = any(isinstance(one.phrase, JoiningWord) and one.phrase.kind == "distinct" for one in tagged.mentions)
    ordered = query.where is not None or query.period is not None
    return ordered and not different and bool(called & in_all_languages("goods")) and thing.default_date is not None


def _counts_rows(query: SemanticQuery) -> bool:
    shown = query.show[0] if len(query.show) == 1 else None
    counts = shown is not None and shown.aggregate is Aggregate.COUNT and shown.of == query.of and not shown.field
    return counts and not query.by and query.compare is None


def _asks_how_much(tagged: Tagged, entity: str) -> bool:
    """Whether the question has how much before the singular of what the rows are called; in German, how many may be written so."""
    said = [folded_text(token.text) for token in tagged.tokens]
    for place in range(len(said) - 2):
        if tuple(said[place : place + 2]) in _HOW_MUCH and _is_singular(said[place : place + 3]):
            behind = (one.phrase for one in tagged.mentions if one.start == place + 2)
            return any(isinstance(one, RowsPhrase) and one.entity == entity for one in behind)
    return False


def _is_singular(said: Sequence[str]) -> bool:
    return said[0] == "how" or said[2] in _german_singulars()


@cache
def _german_singulars() -> frozenset[str]:
    """German nouns in the singular whose plural is another word."""
    pairs = [pair for entry in dictionary().values() for pair in german_forms(entry)]
    several = {folded_text(many) for _, many in pairs}
    return frozenset(folded_text(one) for one, _ in pairs) - several
