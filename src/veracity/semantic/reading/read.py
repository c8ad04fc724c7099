"""The reader: a question -> its meanings. One: it can be answered. Several: it is asked back. None: which word is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from veracity.semantic.query import Aggregate, Dimension, SemanticQuery, Shown
from veracity.semantic.reading import figures_rules, joining_words_rules, ranking_rules, rows_rules
from veracity.semantic.reading.chart import ChartCell, Marks, parse
from veracity.semantic.reading.compose import PREFERENCES, Composer, Rules
from veracity.semantic.reading.phrases import Attribute, Attributes, FigurePhrase, Lookup, Phrase, RowFilter, RowsPhrase
from veracity.semantic.reading.words import Tagged, WordBook


@dataclass(frozen=True, slots=True)
class Readings:
    """What a question may mean."""

    queries: tuple[SemanticQuery, ...]
    """The different meanings; one where the question is clear."""
    unknown: tuple[str, ...] = ()
    """Words that stand for nothing here."""


class QuestionReader:
    """Reads questions with the words of one language."""

    def __init__(self, words: WordBook) -> None:
        self.words = words
        self.composer = Composer(words.model, words.operators.get("order") or {}, _all_rules())

    def read(self, question: str, *, today: date, locale: str = "en") -> Readings:
        """The meanings of a question."""
        tagged = self.words.tag(question, today=today, locale=locale)
        unknown = unknown_words(tagged)
        if unknown:
            return Readings((), unknown)
        found = parse(tagged, self.composer.join, self.composer.expand)
        return Readings(tuple(self._agree(found)))

    def _agree(self, found: ChartCell) -> Iterable[SemanticQuery]:
        """The different queries that are left when the stated preferences have spoken."""
        finished: dict[str, tuple[SemanticQuery, Marks]] = {}
        for phrase, marks in found.items():
            for scope in _scopes(phrase):
                query = self._finish(scope)
                if query is None:
                    continue
                key = query.canonical_json()
                if key not in finished or _passed(marks) < _passed(finished[key][1]):
                    finished[key] = (query, marks)
        left = list(finished.values())
        for rule in PREFERENCES:
            fewest = min((dict(marks).get(rule, 0) for _, marks in left), default=0)
            left = [(query, marks) for query, marks in left if dict(marks).get(rule, 0) == fewest]
        return [query for query, _ in left]

    def _finish(self, phrase: Phrase) -> SemanticQuery | None:
        """The query that a phrase over the whole question asks."""
        match phrase:
            case RowsPhrase(awaits=None, link=None):
                # Beside the largest stands how large it is.
                by = tuple(order.by for order in phrase.order if order.by.is_field and phrase.limit)
                return phrase.query().model_copy(update={"show": by}).normalized()
            case Lookup():
                return self._finish_lookup(phrase)
            case FigurePhrase(direction=None, changes=False):
                return phrase.query().normalized()
            case RowFilter(before=True):
                return RowsPhrase(phrase.entity, where=phrase.where).query().normalized()
            case Attribute():
                return self._finish_attribute(phrase)
            case Attributes():
                return SemanticQuery(by=tuple(Dimension(field=field.path) for field in phrase.fields)).normalized()
            case _:
                return None

    def _finish_lookup(self, lookup: Lookup) -> SemanticQuery | None:
        if lookup.asked and not lookup.rows.single:
            attribute = lookup.fields[0]
            if attribute.entity != lookup.rows.entity or not self.composer.adds_up(attribute):
                return None
            shown = Shown(aggregate=Aggregate.SUM, field=attribute.path)
            return self.composer.figure_of(shown, lookup.rows).query().normalized()
        names = tuple(field.field for field in lookup.fields)
        if names == self.words.model.things[lookup.rows.entity].display:
            return lookup.rows.query().normalized()
        shown_fields = tuple(Shown(field=field.path, unit=lookup.unit) for field in lookup.fields)
        return lookup.rows.query().model_copy(update={"show": shown_fields}).normalized()

    def _finish_attribute(self, attribute: Attribute) -> SemanticQuery | None:
        if attribute.aggregate is None and attribute.direction is None and not attribute.asked:
            return SemanticQuery(by=(Dimension(field=attribute.path),)).normalized()
        figure = self.composer.totalled(attribute, RowsPhrase(attribute.entity))
        return figure.query().normalized() if figure else None


def _scopes(phrase: Phrase) -> Iterator[Phrase]:
    """The largest cities in the states: of all of them, or of each."""
    yield phrase
    rows = phrase.rows if isinstance(phrase, Lookup) else phrase
    if isinstance(rows, RowsPhrase) and rows.within and rows.plural and rows.limit == 1 and not rows.per:
        each = replace(rows, per=(Dimension(entity=rows.within),))
        yield replace(phrase, rows=each) if isinstance(phrase, Lookup) else each


@cache
def _all_rules() -> Rules:
    rules: Rules = {}
    for book in (joining_words_rules, rows_rules, ranking_rules, figures_rules):
        for kinds, functions in book.RULES.items():
            rules.setdefault(kinds, []).extend(functions)
    return rules


def _passed(marks: Marks) -> int:
    return sum(count for _, count in marks)


def unknown_words(tagged: Tagged) -> tuple[str, ...]:
    """The words that nothing stands for."""
    known = {place for mention in tagged.mentions for place in range(mention.start, mention.end)} | tagged.skipped
    return tuple(token.text for place, token in enumerate(tagged.tokens) if place not in known)
