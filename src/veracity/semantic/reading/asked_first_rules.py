"""Rules for questions that begin with what is asked for, and end with a verb that says no more: from which city do most patients come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from veracity.language.folding import listed
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Aggregate, Related, SemanticQuery, Shown, parts_of
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import HowAdjective
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, PeriodNoun
from veracity.semantic.reading.joined_phrases import About, JoinedPhrase, MostRows, Verb
from veracity.semantic.reading.phrases import Attribute, InField, JoiningWord, Lookup, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import UnitWish
from veracity.semantic.reading.word_senses import Tagged

RULES: Rules = {}
rule = rule_book(RULES)
_SAYS_NO_MORE = ("light", "comes_from", "aux")
_BEFORE_NUMBERS = listed("in at with from by for on to through among bei mit von aus an auf für unter zu nach")
_WHICH = listed("which what welche welcher welches welchen welchem")
_WHICH_ONE = re.compile("(?:哪(?:一?[个家位种款名间类所台辆座])?|什么|何)$")


# --- from which city, in which month, at which station


@rule(InField, JoiningWord)
@rule(PeriodNoun, JoiningWord)
@rule(About, JoiningWord)
def _asked_word(c: Composer, asked: InField | PeriodNoun | About, word: JoiningWord) -> Iterator[MadePhrase]:
    """From which city do ..., aus welcher Stadt kommen ..."""
    if word.kind in _SAYS_NO_MORE and (not isinstance(asked, About) or asked.first):
        yield MadePhrase(asked)


@rule(InField, MostRows)
def _most_by_field(c: Composer, place: InField, most: MostRows) -> Iterator[MadePhrase]:
    """From which city do most patients come."""
    if place.field.plain and not most.last:
        yield from c.join(place.field, About("", "with", most))


@rule(PeriodNoun, MostRows)
def _most_by_period(c: Composer, noun: PeriodNoun, most: MostRows) -> Iterator[MadePhrase]:
    """In which month were there the most absences."""
    if not most.last:
        yield from c.join(noun, About("", "with", most))


@rule(About, MostRows)
def _most_by_rows(c: Composer, about: About, most: MostRows) -> Iterator[MadePhrase]:
    """At which station do most trips start."""
    asked = about.rows
    if about.first and about.kind == "in" and isinstance(asked, RowsPhrase) and asked.bare and not about.negated:
        yield from c.join(asked, About("", "with", most))


@rule(MostRows, Verb)
def _most_do(c: Composer, most: MostRows, verb: Verb) -> Iterator[MadePhrase]:
    """... most trips start: of the relations between them that one."""
    if most.rows.link is None and not verb.only:
        for name in dict.fromkeys(name for start, name, _ in verb.steps if start == most.rows.entity):
            yield MadePhrase(replace(most, rows=replace(most.rows, link=(most.rows.entity, name))))


@rule(MostRows, JoiningWord)
def _most_live(c: Composer, most: MostRows, word: JoiningWord) -> Iterator[MadePhrase]:
    """... most patients live."""
    if word.kind == "in" and word.last:
        yield MadePhrase(most)


# --- values that stand for the rows that have them


@rule(JoiningWord, RowFilter)
def _asked_kind(c: Composer, word: JoiningWord, kind: RowFilter) -> Iterator[MadePhrase]:
    """How many girls, list all e-bikes: the rows of that kind."""
    if kind.is_value and kind.before and (word.kind == "how_many" or (word.kind == "show" and word.first)):
        yield from c.join(word, RowsPhrase(kind.entity, where=kind.where, plural=True))


@rule(HowAdjective, RowFilter)
def _how_kind(c: Composer, adjective: HowAdjective, kind: RowFilter) -> Iterator[MadePhrase]:
    """How long is an operation."""
    if kind.is_value and adjective.asked and kind.before:
        yield from c.join(adjective, RowsPhrase(kind.entity, where=kind.where))


# --- when


@rule(JoiningWord, Lookup, either_way=True)
def _when_looked_up(c: Composer, word: JoiningWord, lookup: Lookup) -> Iterator[MadePhrase]:
    """When was Anna Frei hired."""
    if word.kind == "when" and all(c.model.things[f.entity].fields[f.field].is_date for f in lookup.fields):
        yield MadePhrase(lookup)


@rule(JoiningWord, RowsPhrase, either_way=True)
def _when_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """When was the last exam of class 8c."""
    if word.kind == "when" and rows.single and (dates := c.own_date(rows.entity)):
        yield MadePhrase(Lookup(rows, (Attribute(rows.entity, dates[0]),)))


@rule(RowsPhrase, Attribute)
def _first_happened(c: Composer, rows: RowsPhrase, attribute: Attribute) -> Iterator[MadePhrase]:
    """... was the newest bike acquired."""
    facts = c.model.things[attribute.entity].fields[attribute.field]
    if rows.limit == 1 and rows.entity == attribute.entity and attribute.plain and facts.is_date and not rows.per:
        yield from c.look_up(attribute, rows)


# --- amounts


@rule(About, Attribute)
def _has_cost(c: Composer, about: About, attribute: Attribute) -> Iterator[MadePhrase]:
    """Was haben die Reparaturen gekostet: the auxiliary stands before, the verb behind."""
    owned = about.kind == "with" and isinstance(about.rows, RowsPhrase) and c.order.get("verb_last")
    if owned and attribute.verb and attribute.plain and c.adds_up(attribute):
        assert isinstance(about.rows, RowsPhrase)
        if about.rows.entity == attribute.entity and not about.rows.single:
            yield from c.look_up(replace(attribute, asked=True), about.rows)


@rule(Lookup, JoiningWord)
def _cost_how_much(c: Composer, lookup: Lookup, word: JoiningWord) -> Iterator[MadePhrase]:
    """Repairs cost how much, in languages that put it so."""
    field = lookup.fields[0]
    if word.kind == "how_much" and c.order.get("modifiers_before") and field.verb and c.adds_up(field):
        yield MadePhrase(replace(lookup, asked=True))


@rule(RowsPhrase, UnitWish)
def _first_in_unit(c: Composer, rows: RowsPhrase, wish: UnitWish) -> Iterator[MadePhrase]:
    """The longest trip in km."""
    path = rows.order[0].by.field if rows.limit and len(rows.order) == 1 else None
    if wish.said and path is not None and c.converts(Shown(field=path), wish):
        entity, _, field = path.rpartition(".")
        if entity == rows.entity:
            yield MadePhrase(Lookup(rows, (Attribute(entity, field),), unit=wish.unit))


# --- spread over


@rule(JoiningWord, RowsPhrase)
def _spread_rows(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """How are the students spread over the districts."""
    figure = c.count(rows) if word.kind == "spread" and not rows.named else None
    if figure is not None:
        yield MadePhrase(JoinedPhrase("spread", figure))


@rule(FigurePhrase, JoiningWord)
def _figure_lived(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """... with the most patients live."""
    if word.kind == "in" and word.last and figures.limit and figures.shown[0].aggregate is Aggregate.COUNT:
        yield MadePhrase(figures)


# --- readings that leave out what the question begins with


def counts_something_else(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether in how many stores is read as a figure of the stores: what is asked for is their number."""
    words = {one.end: (one.start, one.phrase.kind) for one in tagged.mentions if isinstance(one.phrase, JoiningWord)}
    counted = set[str]()
    for noun in tagged.mentions:
        start = noun.start
        while start in words and words[start][1] not in ("how_many", "how_much"):
            start = words[start][0]
        first = words[start][0] if start in words else 0
        before = tagged.tokens[first - 1].text if first else ""
        if before in _BEFORE_NUMBERS and isinstance(noun.phrase, RowsPhrase) and noun.phrase.bare:
            counted.add(noun.phrase.entity)
    return bool(counted) and not any(one.of in counted or one.rows is not None for one in query.show)


def leaves_open_which(query: SemanticQuery, tagged: Tagged, _model: SemanticModel) -> bool:
    """Whether which supplier is read as any supplier: the cheapest product that has one, without telling which."""
    asked = {
        one.phrase.entity
        for one in tagged.mentions
        if isinstance(one.phrase, RowsPhrase) and one.phrase.bare and _asks_which(tagged, one.start)
    }
    told = {query.of, *(path.partition(".")[0] for one in query.by for path in (one.entity, one.field) if path)}
    told |= {shown.field.partition(".")[0] for shown in query.show if shown.field}
    tied = {one.related.of for one in parts_of(query.where) if isinstance(one, Related) and one.related.where is None}
    return bool(asked & tied - told)


def _asks_which(tagged: Tagged, place: int) -> bool:
    """Whether a word for which stands right before."""
    texts = [token.text for token in tagged.tokens[:place]]
    return bool(texts) and (texts[-1] in _WHICH or _WHICH_ONE.search("".join(texts)) is not None)
