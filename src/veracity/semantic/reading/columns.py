"""The columns that a question names behind what it asks: return the name and the total; ..., showing the city."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from veracity.language.folding import fold, folded_text, words_in
from veracity.language.stem import noun_root
from veracity.semantic.graph import SemanticModel, is_to_one, names_of
from veracity.semantic.query import Dimension, SemanticQuery, Shown
from veracity.semantic.reading.chart import ChartCell, parse
from veracity.semantic.reading.clauses import clause_words
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.figure_phrases import FigurePhrase, PeriodNoun
from veracity.semantic.reading.figures_beside import same_groups, with_figures
from veracity.semantic.reading.phrases import Attribute, Attributes, Lookup, Role, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.word_lists import names_for
from veracity.semantic.reading.words import WordBook

_ITEMS = re.compile(r"\s*,\s*(?:and\s+|und\s+)?|\s+(?:and|und)\s+|、|和|以及")


@dataclass(frozen=True, slots=True)
class _ColumnItem:
    """One of the columns that are wanted."""

    read: ChartCell
    words: tuple[str, ...]
    distinct: bool
    own: tuple[str, str | None] | None
    """Whether it is the name or the key of rows, and of which ones."""


class ColumnReader:
    """Reads which columns are wanted, and puts them into the query that they are wanted of."""

    def __init__(self, words: WordBook, composer: Composer) -> None:
        self._words, self._composer = words, composer
        said = clause_words(words.lang)
        self._passed_over = frozenset(map(folded_text, said.get("passed_over", ())))
        self._own = {kind: tuple(map(folded_text, said.get(kind, ()))) for kind in ("key", "name")}

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
        items = [self._item(texts, number, today, locale) for number in range(len(texts))]
        divided = [self._divided_anew(query, [item.read for item in items]) for query in queries]
        return [wider for query in divided for wider in self._with_items(query, items)] if items else []

    def _item(self, texts: Sequence[str], place: int, today: date, locale: str) -> _ColumnItem:
        """One of the columns; where it says nothing by itself, with the noun that ends the next one: first and last name."""
        text, distinct = texts[place], self._is_distinct(texts[place])
        words = tuple(words_in(fold(text).text))
        read = self._read(text, today, locale)
        content = [word for word in words if word not in self._passed_over]
        alone = len(content) == 1 or (len(content) == 2 and self._names_rows(content[0], today, locale))
        noun = words_in(fold(texts[place + 1]).text)[-1:] if place + 1 < len(texts) else []
        if not read and alone and noun:
            read = self._read(f"{text} {noun[0]}", today, locale)
            read = {phrase: marks for phrase, marks in read.items() if fields_of(phrase)}
        own = self._own_key_or_name(words, today, locale)
        return _ColumnItem(read, words, distinct, own)

    def _own_key_or_name(self, words: tuple[str, ...], today: date, locale: str) -> tuple[str, str | None] | None:
        """Whether a column is the name or the id of what is told, or of what its noun names: the customer id."""
        left = [word for word in words if word not in self._passed_over]
        kind = left[-1] if left else ""
        called = next((name for name, told in self._own.items() if kind in told), None)
        if called is None or len(left) > 2:
            return None
        things = self._names_rows(left[0], today, locale) if len(left) == 2 else set()
        if len(left) == 2 and len(things) != 1:
            return None
        return called, (things.pop() if things else None)

    def _names_rows(self, word: str, today: date, locale: str) -> set[str]:
        """The entities that a word is the noun of."""
        return {one.entity for one in self._read(word, today, locale) if isinstance(one, RowsPhrase) and one.bare}

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

    def _with_items(self, query: SemanticQuery, items: Sequence[_ColumnItem]) -> Iterator[SemanticQuery]:
        """The query with each of the columns; nothing where one of them is not understood or none of its own."""
        if not items:
            yield query
            return
        item, *rest = items
        if (key := self._key_to_tell(query, item)) is not None:
            yield from self._with_items(self._wider(query, (key,)), rest)
            return
        told_already = any(self._is_shown(query, phrase) for phrase in item.read) or self._is_its_own(query, item)
        if told_already:
            yield from self._with_items(query, rest)
            return
        fields = [field for phrase in item.read for field in fields_of(phrase) if self._may_show(query, field)]
        if fields:
            yield from self._with_items(self._wider(query, fields[:1]), rest)
            return
        if self.said_again(query, item.words) is not None:
            yield from self._with_items(query, rest)
            return
        parents = self._of_parents(query, item)
        if parents is not None:
            yield from self._with_items(parents, rest)
            return
        for phrase in item.read:
            if (told := self._with_role(query, phrase) or self._with_parent(query, phrase)) is not None:
                yield from self._with_items(told, rest)
                return
            figures = self._figures(phrase)
            found = list(with_figures(self._composer, query, figures, distinct=item.distinct)) if figures else []
            if found:
                for wider in found:
                    yield from self._with_items(wider, rest)
                return

    def _is_its_own(self, query: SemanticQuery, item: _ColumnItem) -> bool:
        """Whether a column is the name or the key of the one thing that the query tells: both stand beside it anyway."""
        things = self._things(query)
        if item.own is None or len(things) != 1:
            return False
        thing = self._model.things[next(iter(things)) or ""]
        called, noun = item.own
        if noun not in (None, thing.name):
            return False
        return bool(thing.key) if called == "key" else bool(thing.display) and not set(thing.display) & set(thing.key)

    def _key_to_tell(self, query: SemanticQuery, item: _ColumnItem) -> Attribute | None:
        """The id of listed rows, where it is wanted and they are called otherwise."""
        thing = self._model.things.get(query.of or "")
        wanted = item.own is not None and item.own[0] == "key" and self._is_its_own(query, item)
        if thing is None or not wanted or not query.lists or len(thing.key) != 1 or thing.key[0] in thing.display:
            return None
        key = Attribute(thing.name, thing.key[0])
        return None if self._is_shown(query, key) or thing.key[0] not in thing.fields else key

    def said_again(self, query: SemanticQuery, words: Iterable[str]) -> Shown | None:
        """The figure of the query that is named once more with fewer words: the average score, of the average score on day 30."""
        said = {word for word in words if word not in self._passed_over}
        found = [one for one in query.show if not one.is_field and self._is_called(one, said)]
        return found[0] if len(found) == 1 else None

    def _is_called(self, shown: Shown, said: set[str]) -> bool:
        """Whether all of these words are words for a figure: what is computed, and of what."""
        if shown.aggregate is None or shown.where or shown.rows or shown.since or shown.transform:
            return False
        computed = set(map(folded_text, self._words.operators.get(shown.aggregate.value) or ()))
        if shown.of is not None:
            return bool(said) and said <= {folded_text(word) for word in self._words.operators.get("counted") or ()}
        entity, _, field = (shown.field or "").rpartition(".")
        names = names_for(field, self._model.things[entity].fields[field].declared)
        roots = {noun_root(word) for name in names for word in words_in(folded_text(name))}
        named = {word for word in said if noun_root(word) in roots}
        return bool(said & computed) and bool(named) and said <= named | computed

    def _of_parents(self, query: SemanticQuery, item: _ColumnItem) -> SemanticQuery | None:
        """The query with a field of what each of its rows belongs to, where just one such field is called so: the ticker symbol."""
        fields = {
            field
            for phrase in item.read
            for field in fields_of(phrase)
            if field.plain and self._parents_way(query, field.entity) is not None
        }
        if len(fields) != 1:
            return None
        (field,) = fields
        via = self._parents_way(query, field.entity) or ()
        if query.lists:
            shown = (*query.show, Shown(field=field.path, via=via))
            told = any(one.field == field.path and one.via in ((), via) for one in query.show)
            return query if told else query.model_copy(update={"show": shown})
        told = any(one.field == field.path for one in query.by)
        more = Dimension(field=field.path, via=via)
        return query if told else query.model_copy(update={"by": (*query.by, more)})

    def _parents_way(self, query: SemanticQuery, entity: str) -> tuple[str, ...] | None:
        """The only relations that lead from what the query tells to the one thing that each of its rows belongs to."""
        found: list[tuple[str, ...]] = []
        for thing in self._things(query):
            ways = self._model.ways(thing or "", entity) if thing != entity else ()
            before = self._way_to(query, thing or "")
            if len(ways) == 1 and is_to_one(ways[0]) and before is not None:
                found.append((*before, *names_of(ways[0])))
        complete = not query.lists and any(one.complete for one in query.by)
        return found[0] if len(found) == 1 and not complete else None

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

    def _with_role(self, query: SemanticQuery, phrase: Phrase) -> SemanticQuery | None:
        """The listed rows with the name of the one that is something to each of them: their manager, their support rep."""
        if not isinstance(phrase, Role) or not query.lists or phrase.start != query.of:
            return None
        step = self._composer.step(phrase.start, phrase.step)
        named = self._model.things[phrase.end].display
        if step is None or not step.to_one or not named:
            return None
        shown = (Shown(field=f"{phrase.end}.{name}", via=(phrase.step,)) for name in named)
        return query.model_copy(update={"show": tuple(dict.fromkeys((*query.show, *shown)))})

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
        if isinstance(phrase, PeriodNoun):
            return phrase.within is None and any(one.grain is phrase.grain for one in query.by)
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
