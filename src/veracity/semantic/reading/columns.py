"""The columns that a question names behind what it asks: return the name and the total; ..., showing the city."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Dimension, SemanticQuery, Shown
from veracity.semantic.reading.chart import ChartCell, parse
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.phrases import Attribute, Attributes, FigurePhrase, Lookup, Phrase, RowsPhrase
from veracity.semantic.reading.words import WordBook

_ITEMS = re.compile(r"\s*,\s*(?:and\s+|und\s+)?|\s+(?:and|und)\s+|、|和|以及")


class ColumnReader:
    """Reads which columns are wanted, and puts them into the query that they are wanted of."""

    def __init__(self, words: WordBook, composer: Composer) -> None:
        self._words, self._composer = words, composer

    @property
    def _model(self) -> SemanticModel:
        return self._words.model

    def widened(
        self, queries: Sequence[SemanticQuery], whole: ChartCell, text: str, *, today: date, locale: str
    ) -> list[SemanticQuery]:
        """The queries with these columns; none where a column is not one of theirs. Names are read whole first, then one by one."""
        fields = next((fields for phrase in whole if (fields := _fields(phrase))), ())
        found = [self._wider(query, fields) for query in queries if fields and self._may_show_all(query, fields)]
        if found:
            return found
        items = [self._read(item, today, locale) for item in _ITEMS.split(text) if item.strip(" .?!。？！")]
        return [wider for query in queries if (wider := self._with_items(query, items)) is not None]

    def _read(self, item: str, today: date, locale: str) -> ChartCell:
        return parse(self._words.tag(item, today=today, locale=locale), self._composer).whole

    def _with_items(self, query: SemanticQuery, items: Iterable[ChartCell]) -> SemanticQuery | None:
        """The query with each of the columns; nothing where one of them is not understood or none of its own."""
        for item in items:
            named = [phrase for phrase in item if self._is_shown(query, phrase)]
            fields = [field for phrase in item for field in _fields(phrase) if self._may_show(query, field)]
            if not named and not fields:
                return None
            if not named:
                query = self._wider(query, fields[:1])
        return query

    def _is_shown(self, query: SemanticQuery, phrase: Phrase) -> bool:
        """Whether a query tells it already: the thing that it lists or is divided by, or the figure that it computes."""
        if isinstance(phrase, RowsPhrase):
            return phrase.bare and phrase.entity in self._things(query)
        if isinstance(phrase, FigurePhrase):
            return not (phrase.where or phrase.by or phrase.period) and all(one in query.show for one in phrase.shown)
        if not isinstance(phrase, Attribute) or (phrase.plain and query.lists):
            return False
        # The total cost, of which the sum is told.
        asked = replace(phrase, asked=True) if phrase.plain else phrase
        figure = self._composer.totalled(asked, RowsPhrase(phrase.entity))
        return figure is not None and all(one in query.show for one in figure.shown)

    @staticmethod
    def _things(query: SemanticQuery) -> set[str | None]:
        return {*((query.of,) if query.lists else ()), *(one.entity for one in query.by)} - {None}

    def _may_show_all(self, query: SemanticQuery, fields: Iterable[Attribute]) -> bool:
        return all(self._may_show(query, field) for field in fields)

    def _may_show(self, query: SemanticQuery, field: Attribute) -> bool:
        """Whether a field is told already, or may stand beside: one more thing to divide by would be another question."""
        if self._is_shown(query, field):
            return True
        return field.plain and (field.entity in self._things(query) or any(one.field == field.path for one in query.by))

    def _wider(self, query: SemanticQuery, fields: Iterable[Attribute]) -> SemanticQuery:
        plain = [field for field in fields if not self._is_shown(query, field)]
        if query.lists:
            shown = (*query.show, *(Shown(field=field.path) for field in plain))
            return query.model_copy(update={"show": tuple(dict.fromkeys(shown))})
        known = {
            f"{one.entity}.{name}"
            for one in query.by
            if one.entity
            for name in (*self._model.things[one.entity].display, *self._model.things[one.entity].key)
        } | {one.field for one in query.by}
        more = tuple(Dimension(field=field.path) for field in plain if field.path not in known)
        return query.model_copy(update={"by": (*query.by, *more)})


def _fields(phrase: Phrase) -> tuple[Attribute, ...]:
    """The fields that a phrase is, and no more."""
    match phrase:
        case Attributes():
            return phrase.fields
        case Attribute():
            return (phrase,)
        case Lookup() if phrase.rows.bare and not phrase.asked:  # the department name
            own = all(field.entity == phrase.rows.entity for field in phrase.fields)
            return phrase.fields if own else ()
    return ()


def parts_of_question(question: str, showing: Iterable[str], sentences: re.Pattern[str]) -> Iterator[str]:
    """The sentences of a question, each cut before the columns that it says behind a comma."""
    words = "|".join(re.escape(word) for word in showing)
    cut = re.compile(rf",\s*(?:{words})\s+", re.IGNORECASE) if words else None
    for sentence in sentences.split(question):
        yield from cut.split(sentence) if cut is not None else (sentence,)
