"""Readings that pass over a word: the noun that is asked for, all of them, whose city it is, per employee."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise

from veracity.language.folding import listed, words_in
from veracity.language.stem import noun_root
from veracity.semantic.graph import SemanticModel, is_to_one
from veracity.semantic.query import Comparison, Condition, Negation, Related, SemanticQuery, conditions_in, parts_of
from veracity.semantic.reading.joined_phrases import Verb
from veracity.semantic.reading.phrases import Attribute, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase, SaidPeriod
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.semantic.reading.word_senses import Tagged

_TWICE = 2
_WHICH = listed("which what welche welcher welches welchen welchem 哪个 哪些 哪家 哪位")
_ITS = listed("its dessen deren 其")
_WITH_THEIR = re.compile(r"^(?!.*\b(?:whose|who|that|which have)\b).*\bwith .*\b(?:have|has) .*\bin (?:their|its)\b")
_TOLD_WITH = re.compile(
    r"^(?:please )?(?:list|show|give|display|return)\b.*\bwith (?:the )?(?:\w+ of (?:the|their|its) )?\w+[?.! ]*$"
)
_THE = listed("the das der die dem den")
_WITH = listed("with mit")
_COMPARE = listed("compare vergleiche vergleich 比较 对比")


def tells_something_else(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what is asked for is no part of the answer: which supplier delivers the best product is not which product."""
    for place, token in enumerate(tagged.tokens):
        senses = [one for one in tagged.mentions if one.start == place + 1]
        nouns = {one.phrase.entity for one in senses if isinstance(one.phrase, RowsPhrase) and one.phrase.bare}
        if token.text in _WHICH and nouns and all(isinstance(one.phrase, RowsPhrase) for one in senses):
            said = {noun_root(word.text) for one in senses for word in tagged.tokens[one.start : one.end]}
            return nouns.isdisjoint(_told(query)) and not any(said & set(key_of(name)) for name in _names(query, model))
    return False


def tells_all_for_the_best(query: SemanticQuery, tagged: Tagged) -> bool:
    """Whether all rows are listed where one is asked for: the room with the maximum occupancy, which is a field of every room."""
    words = [token.text for token in tagged.tokens]
    ends = in_all_languages("max") | in_all_languages("min")
    best = {
        one.start
        for one in tagged.mentions
        if isinstance(one.phrase, Attribute) and (one.phrase.ranks or key_of(words[one.start]) in ends)
    }
    rows = {one.end for one in tagged.mentions if isinstance(one.phrase, RowsPhrase) and words[one.start - 1] in _THE}
    all_told = query.lists and query.where is None and not query.order and query.limit is None
    return all_told and any(
        place in rows and place + 2 in best and words[place] in _WITH and words[place + 1] in _THE
        for place in range(1, len(words) - 2)
    )


def _told(query: SemanticQuery) -> Iterator[str]:
    """The entities that an answer names."""
    if query.of is not None and (query.lists or not query.by):
        yield query.of
    for one in (*query.by, *query.per):
        yield one.entity or (one.field or "").rpartition(".")[0]
    for shown in query.show:
        yield (shown.field or "").rpartition(".")[0]
        yield from _told(shown.rows) if shown.rows is not None else ()


def _names(query: SemanticQuery, model: SemanticModel) -> Iterator[str]:
    """What the fields of an answer are called: lines tell the account that they are posted to."""
    shown = [path for path in (*(one.field for one in query.show), *(one.field for one in query.by)) if path]
    rows = model.things.get(query.of or "") if query.lists else None
    listed_as = [f"{rows.name}.{name}" for name in rows.display] if rows is not None else []
    for path in (*shown, *listed_as):
        entity, _, field = path.rpartition(".")
        facts = model.things[entity].fields.get(field) if entity in model.things else None
        yield from names_for(field, facts.declared if facts is not None else None)


def takes_one_for_all(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether one of them is taken for all: products that were sold in all stores are not those that were sold in some."""
    said = in_all_languages("all_of_them")
    ends = {place + 1 for place, token in enumerate(tagged.tokens) if (token.text,) in said}
    meant = {one.phrase.entity for one in tagged.mentions if one.start in ends and isinstance(one.phrase, RowsPhrase)}
    if not meant or query.of not in model.things:
        return False
    return any(
        part.related.of in meant and part.related == SemanticQuery(of=part.related.of) and part.count is None
        for part in _related(query)
        if not all(map(is_to_one, model.ways(query.of, part.related.of or "")))
    )


def _related(query: SemanticQuery) -> Iterator[Related]:
    for part in conditions_in(query.where):
        if isinstance(part, Related):
            yield part
            yield from _related(part.related)


def reaches_too_far(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether a field is told of things that nobody named and that have to do with many others: the city of a customer is not that of stores."""
    named = {one.phrase.entity for one in tagged.mentions if isinstance(one.phrase, RowsPhrase)}
    if not query.lists or not query.show or query.of is None or query.of in named:
        return False
    others = (part.related.of or "" for part in parts_of(query.where) if isinstance(part, Related))
    return any(
        other in named and not any(map(is_to_one, (*model.ways(other, query.of), *model.ways(query.of, other))))
        for other in others
    )


def is_dated_far_away(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether a time right behind rows is taken for that of others: accounts with tickets in March are not accounts of March."""
    if query.period is None:
        return False
    done = (part for one in _related(query) for part in conditions_in(one.related.where))
    if any(
        isinstance(part, Comparison) and part.op in ("missing", "notMissing") and _is_date(part.field, model)
        for part in done
    ):
        return True  # not lent in 2024: not lent, of books of 2024
    near = {one.related.of for one in _related(query) if one.related.period is None}
    dated = {name for name in near if name and any(facts.is_date for facts in model.things[name].fields.values())}
    rows = {one.end: one.phrase.entity for one in tagged.mentions if isinstance(one.phrase, RowsPhrase)}
    times = [one for one in tagged.mentions if isinstance(one.phrase, SaidPeriod)]
    return any(
        rows.get(one.start - 1) in dated or (rows.get(one.start) in dated and one.end == len(tagged.tokens))
        for one in times
    )


def _is_date(path: str, model: SemanticModel) -> bool:
    entity, _, field = path.partition(".")
    return model.things[entity].fields[field].is_date


def compares_one_by_one(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether each of them is compared where their total is meant: visitors with tickets of more than 200 CHF in total."""
    said = {words[0] for words in in_all_languages("in_total") if len(words) == 1}
    texts = [token.text for token in tagged.tokens]
    total = any(text in said for text in texts) or any(pair in in_all_languages("in_total") for pair in pairwise(texts))
    return total and any(
        isinstance(part, Comparison) and part.op in ("<", "<=", ">", ">=") and isinstance(part.value, int | Decimal)
        for related in _related(query)
        for part in parts_of(related.related.where)
    )


def lists_what_is_compared(query: SemanticQuery, question: str) -> bool:
    """Whether rows are listed where they are to be compared: the tickets of two cinemas, of which the number is meant."""
    return query.lists and not query.by and any(word in _COMPARE for word in words_in(question)[:1])


def is_best_of_one(query: SemanticQuery, _tagged: Tagged, model: SemanticModel) -> bool:
    """Whether the best is looked for among one: each employee works in one store, so revenue per employee is a ratio."""
    groups = [one.entity for one in query.by if one.entity and one not in query.per]
    return query.limit is not None and any(
        any(step.end == group and is_to_one((step,)) and not step.has_role for step in model.steps.get(each, ()))
        for each in (one.entity for one in query.per if one.entity)
        for group in groups
    )


def looks_in_another_name(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether a text is looked for in the wrong name: of a singer with a song that has it in its name, that of the singer."""
    fields = [one for one in conditions_in(query.where) if isinstance(one, Comparison)]
    there = {one.field for one in fields if one.op == "notMissing"}
    others = [one.related.where for one in conditions_in(query.where) if isinstance(one, Related)]
    farther = [one for where in others for one in conditions_in(where) if isinstance(one, Comparison)]
    liked = [one.field or "" for one in (*fields, *farther) if one.op == "like"]
    words = {token.text for token in tagged.tokens}
    if liked and _WITH_THEIR.search(tagged.folded.text):  # stadiums with a concert have it in their name
        return any(one.rpartition(".")[0] != query.of for one in liked)
    return bool(words & _ITS and there) and any(one not in there for one in liked)


def contradicts_itself(query: SemanticQuery, _tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether rows must have others and must not: bands without gigs that play gigs, users without cars who booked some."""
    parts = parts_of(query.where)
    denied = [one.condition for one in parts if isinstance(one, Negation)]
    without = [one for one in denied if isinstance(one, Related) and one.count is None]
    plain = [one for one in without if one.related == SemanticQuery(of=one.related.of)]
    tied = [one for one in parts if isinstance(one, Related)]
    return any(
        one.related in [other.related for other in without]
        or any(one.via and other.via[: len(one.via)] == one.via != other.via for other in plain if other.via)
        for one in tied
    )


def goes_back_and_forth(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether one deed is read as two: who booked no car in 2025 is not who has no car that anybody booked in 2025."""
    said = Counter(name for _, name in {(one.start, name) for one in tagged.mentions for name in _deeds(one.phrase)})
    ties = [one for one in conditions_in(query.where) if isinstance(one, Related)]
    for tied in ties:
        way = model.way(query.of or "", tied.via or ())
        back = model.back(way[-1:])[0] if way else None
        if not way or back is None:
            continue
        if back.to_one:  # what belongs to one comes back to the same one, which says nothing of a second deed
            once = sum(other.via == tied.via for other in ties) < _TWICE
        else:
            once = len(way) == 1 or said[way[-1].start] >= _TWICE
        inner = (one for one in conditions_in(tied.related.where) if isinstance(one, Related))
        if not once and any((one.via or ())[:1] == (back.name,) for one in inner):
            return True
    return False


def _deeds(phrase: Phrase) -> set[str]:
    """The rows that a word is about, or whose coming about it says."""
    match phrase:
        case RowsPhrase(entity=entity):
            return {entity}
        case Verb(steps=steps):
            return {entity for start, end, _ in steps for entity in (start, end)}
        case Attribute(entity=entity):
            return {entity}
        case _:
            return set()


def keeps_what_is_told(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what is to be told with rows is taken for which rows are meant: gigs with the name of the venue are not those that have a venue."""
    if not query.lists or not _TOLD_WITH.search(tagged.folded.text):
        return False
    tied = [one for one in parts_of(query.where) if isinstance(one, Related) and one.count is None]
    there = [one for one in tied if all(_is_there(inner) for inner in parts_of(one.related.where))]
    ways = (model.way(query.of or "", one.via) for one in there)
    return any(way is not None and is_to_one(way) for way in ways)


def _is_there(condition: Condition) -> bool:
    return isinstance(condition, Comparison) and condition.op == "notMissing"
