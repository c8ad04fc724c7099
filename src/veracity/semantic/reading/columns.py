"""The columns that a question names behind what it asks: return the name and the total; ..., showing the city."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from veracity.language.folding import fold, words_in
from veracity.semantic.graph import SemanticModel, is_to_one, names_of
from veracity.semantic.query import Dimension, SemanticQuery, Shown
from veracity.semantic.reading.chart import ChartCell, parse
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.figures_beside import same_groups, with_figures
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

    def widened(self, queries: Sequence[SemanticQuery], text: str, *, today: date, locale: str) -> list[SemanticQuery]:
        """The queries with these columns; none where a column is not one of theirs. Names are read whole first, then one by one."""
        whole = self._read(text, today, locale)
        fields = next((fields for phrase in whole if (fields := fields_of(phrase))), ())
        found = [self._wider(query, fields) for query in queries if fields and self._may_show_all(query, fields)]
        if found:
            return found
        texts = [item for item in _ITEMS.split(text) if item.strip(" .?!。？！")]
        items = [(self._read(item, today, locale), self._is_distinct(item)) for item in texts]
        divided = [self._divided_anew(query, [item for item, _ in items]) for query in queries]
        return [wider for query in divided for wider in self._with_items(query, items)] if items else []

    def _divided_anew(self, query: SemanticQuery, items: Sequence[ChartCell]) -> SemanticQuery:
        """Return the make, the model and the number of sales, where it was asked per model: the whole row is said, so it is per both."""
        divided = [one.field for one in query.by if one.field and not one.grain]
        named = [[field for phrase in item for field in fields_of(phrase) if field.plain] for item in items]
        said = {field.path for fields in named for field in fields}
        figure = any(self._is_shown(query, phrase) for item in items for phrase in item)
        if query.lists or query.limit or query.having or len(divided) < len(query.by) or not figure:
            return query
        if not divided or not set(divided) <= said:
            return query
        owners = {field.rpartition(".")[0] for field in divided}
        more = [
            next(
                (one for one in fields if one.entity in owners and not self._composer.numeric(one.entity, one.field)),
                None,
            )
            for fields in named
            if not {one.path for one in fields} & set(divided)
        ]
        new = tuple(Dimension(field=one.path) for one in more if one is not None)
        return query.model_copy(update={"by": (*query.by, *new)})

    def _read(self, item: str, today: date, locale: str) -> ChartCell:
        tagged = self._words.tag(item, today=today, locale=locale)
        known = {place for one in tagged.mentions for place in range(one.start, one.end)} | tagged.skipped
        return parse(tagged, self._composer).whole if len(known) == len(tagged.tokens) else {}

    def _is_distinct(self, item: str) -> bool:
        return not set(words_in(fold(item).text)).isdisjoint(self._words.operators.get("distinct") or ())

    def _with_items(self, query: SemanticQuery, items: Sequence[tuple[ChartCell, bool]]) -> Iterator[SemanticQuery]:
        """The query with each of the columns; nothing where one of them is not understood or none of its own."""
        if not items:
            yield query
            return
        (item, distinct), *rest = items
        if any(self._is_shown(query, phrase) for phrase in item):
            yield from self._with_items(query, rest)
            return
        fields = [field for phrase in item for field in fields_of(phrase) if self._may_show(query, field)]
        if fields:
            yield from self._with_items(self._wider(query, fields[:1]), rest)
            return
        for phrase in item:
            if (told := self._with_parent(query, phrase)) is not None:
                yield from self._with_items(told, rest)
                return
            figures = self._figures(phrase)
            found = list(with_figures(self._composer, query, figures, distinct=distinct)) if figures else []
            if found:
                for wider in found:
                    yield from self._with_items(wider, rest)
                return

    def _with_parent(self, query: SemanticQuery, phrase: Phrase) -> SemanticQuery | None:
        """The query with the name or a field of what each of its rows belongs to, where that was named: the clinic, its city."""
        rows = phrase.rows if isinstance(phrase, Lookup) else phrase
        if not isinstance(rows, RowsPhrase) or not rows.bare:
            return None
        own = fields_of(phrase) or tuple(
            Attribute(rows.entity, name) for name in self._model.things[rows.entity].display
        )
        for thing in self._things(query):
            ways = self._model.ways(thing or "", rows.entity) if thing != rows.entity else ()
            if len(ways) != 1 or not is_to_one(ways[0]) or not own:
                continue
            before = self._way_to(query, thing or "")
            if before is None:
                continue
            via = (*before, *names_of(ways[0]))
            if query.lists:
                shown = (*query.show, *(Shown(field=one.path, via=via) for one in own))
                return query.model_copy(update={"show": tuple(dict.fromkeys(shown))})
            if any(one.complete for one in query.by):
                return None
            return query.model_copy(update={"by": (*query.by, *(Dimension(field=one.path, via=via) for one in own))})
        return None

    def _way_to(self, query: SemanticQuery, thing: str) -> tuple[str, ...] | None:
        """The relations from the rows of a query to what it is divided by; nothing where there are several ways."""
        said = next((one.via for one in query.by if one.entity == thing), ())
        ways = self._model.ways(query.of or "", thing)
        if said or thing == query.of:
            return said
        return names_of(ways[0]) if len(ways) == 1 else None

    def _figures(self, phrase: Phrase) -> FigurePhrase | None:
        """The figure that a column asks for."""
        if isinstance(phrase, FigurePhrase):
            return phrase
        if isinstance(phrase, Attribute) and not phrase.plain:
            return self._composer.totalled(phrase, RowsPhrase(phrase.entity))
        return None

    def _is_shown(self, query: SemanticQuery, phrase: Phrase) -> bool:
        """Whether a query tells it already: the thing that it lists or is divided by, or the figure that it computes."""
        if isinstance(phrase, RowsPhrase):
            return phrase.bare and phrase.entity in self._things(query)
        if isinstance(phrase, FigurePhrase):
            plain = not (phrase.where or phrase.period) and same_groups(query, phrase)
            return plain and all(one in query.show for one in phrase.shown)
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
        if not field.plain:
            return False
        told = {one.field for one in query.show} if query.lists else {one.field for one in query.by}
        return field.entity in self._things(query) or field.path in told

    def _wider(self, query: SemanticQuery, fields: Iterable[Attribute]) -> SemanticQuery:
        plain = [field for field in fields if not self._is_shown(query, field)]
        if query.lists:
            new = (field for field in plain if all(one.field != field.path for one in query.show))
            shown = (*query.show, *(Shown(field=field.path) for field in new))
            return query.model_copy(update={"show": tuple(dict.fromkeys(shown))})
        known = {
            f"{one.entity}.{name}"
            for one in query.by
            if one.entity
            for name in (*self._model.things[one.entity].display, *self._model.things[one.entity].key)
        } | {one.field for one in query.by}
        more = tuple(Dimension(field=field.path) for field in plain if field.path not in known)
        return query.model_copy(update={"by": (*query.by, *more)})


def fields_of(phrase: Phrase) -> tuple[Attribute, ...]:
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
