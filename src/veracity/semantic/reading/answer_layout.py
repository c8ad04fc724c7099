"""How an answer is to be laid out: its columns, its order, its decimals; put into the query, or the whole is not answered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from veracity.language.folding import folded_text, words_in
from veracity.language.numbers import number_in
from veracity.language.stem import noun_root
from veracity.semantic.query import Aggregate, Dimension, OrderBy, SemanticQuery, Shown, Transform
from veracity.semantic.reading.answer_remarks import RemarkReader
from veracity.semantic.reading.chart import ChartCell, parse
from veracity.semantic.reading.clauses import AnswerClause, any_of, clause_words
from veracity.semantic.reading.columns import ColumnReader, fields_of
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.figure_phrases import FigurePhrase, PeriodNoun
from veracity.semantic.reading.figures_beside import same_groups, with_figures
from veracity.semantic.reading.figures_of_groups import stands
from veracity.semantic.reading.phrases import Attribute, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.word_lists import names_for
from veracity.semantic.reading.words import WordBook

_SHOWN_DECIMALS, _PERCENT_DECIMALS = 2, 1
"""The decimals that answers have anyway."""


@dataclass(frozen=True, slots=True)
class _Key:
    """One thing that an answer is ordered by, and which way."""

    text: str
    descending: bool | None = None
    named: bool = False
    """By its name."""
    dated: bool = False
    """By a word for time, so that it is a date."""


class AnswerLayout:
    """Reads what a question says of its answer, in one language."""

    def __init__(self, words: WordBook, composer: Composer) -> None:
        self._book, self._composer = words, composer
        self._columns, self._remarks = ColumnReader(words, composer), RemarkReader(words, composer)
        self._words = clause_words(words.lang)
        high, low = (any_of(self._words.get(kind, ())) for kind in ("high", "low"))
        late, early = (any_of(self._words.get(kind, ())) for kind in ("late", "early"))
        first = self._words.get("first") or {}
        begin, to = (any_of(words) for words in zip(*[first["between"]], strict=True)) if first else ("(?!)", "(?!)")
        last, starts, has = (any_of(first.get(kind, ())) for kind in ("last", "starts", "has"))
        self._ways: list[tuple[re.Pattern[str], bool, bool]] = []
        for down, one, two, dated in (
            (True, late, early, True),  # the most recent first, before most
            (False, early, late, True),
            (True, high, low, False),
            (False, low, high, False),
        ):
            for pattern in (
                rf"(?:\b(?:{begin})\s+)?(?:the\s+)?\b(?:{one})\s+(?:{to})\s+(?:the\s+)?(?:{two})\b",
                rf"\b(?:the\s+)?(?:{one})\b(?P<noun>(?:\s+[^\s,]+){{0,5}}?)\s+(?:{last})\b",
                rf"\b(?:{starts})\s+(?:the\s+)?(?:[^\s,]+\s+){{1,3}}(?:{has})\s+(?:the\s+)?(?:{one})\b",
                rf"\b(?:{starts})\s+(?:the\s+)?(?:{one})\b",
            ):
                self._ways.append((re.compile(pattern), down, dated))
        for kind, down in (("descending", True), ("ascending", False)):
            self._ways.append((re.compile(rf"\b(?:{any_of(self._words.get(kind, ()))})\b"), down, False))
        self._named = re.compile(rf"\b(?:{any_of(self._words.get('named_order', ()))})\b")
        self._dated = re.compile(rf"\b(?:{any_of(self._words.get('dated_order', ()))})\b")
        self._opening = re.compile(
            rf"^[\s,]*(?:{any_of((*self._words.get('order', ()), *self._words.get('results', ())))})\b[\s,]*"
        )
        self._then = re.compile(rf",?\s*(?:and\s+)?\b(?:{any_of(self._words.get('and', ())[1:])})\b\s*(?:by\s+)?")

    def laid_out(
        self, queries: Sequence[SemanticQuery], clause: AnswerClause, *, today: date, locale: str
    ) -> list[SemanticQuery]:
        """The queries as a clause wants them; none where that cannot be had."""

        def read(text: str) -> ChartCell:
            return self._read(text, today, locale)

        match clause.kind:
            case "columns" if (complete := self._remarks.with_those_without(queries, clause.text)) is not None:
                return complete
            case "columns":
                return self._columns.widened(queries, clause.text, today=today, locale=locale)
            case "order":
                return [made for query in queries for made in self._ordered(query, clause.said, read)]
            case "besides":
                return [made for query in queries for made in self._besides(query, clause.text, today, locale)]
            case "rounded":
                return [query for query in queries if self._is_rounded_so(query, clause.text)]
            case "basis":
                fields = {one.path for phrase in read(clause.text) for one in fields_of(phrase)}
                return [query for query in queries if any(self._comes_from(one, fields) for one in query.show)]
            case "share":
                return [made for query in queries if not clause.text for made in _as_share(query)]
            case _:
                return self._remarks.met(queries, clause, today=today, locale=locale)

    def _read(self, text: str, today: date, locale: str) -> ChartCell:
        tagged = self._book.tag(text, today=today, locale=locale)
        known = {place for one in tagged.mentions for place in range(one.start, one.end)} | tagged.skipped
        return parse(tagged, self._composer).whole if len(known) == len(tagged.tokens) else {}

    # --- its order

    def _ordered(self, query: SemanticQuery, said: str, read: Callable[[str], ChartCell]) -> Iterator[SemanticQuery]:
        """The query in the order that is said."""
        keys = [self._key(part) for part in self._then.split(folded_text(said)) if part.strip(" ,")]
        query = self._as_rows(query) or query
        if query.per or query.compare or not keys or not (query.lists or query.by):
            return
        plain = query.model_copy(update={"order": ()})
        for wider, order in self._orders(plain, keys, read):
            if query.order and query.limit is not None:
                yield from _in_same_order(query, wider, order)
            elif stands(made := wider.model_copy(update={"order": order}), self._composer.model):
                yield made

    def _as_rows(self, query: SemanticQuery) -> SemanticQuery | None:
        """The total points in descending order: those of the rows, where their field is called total itself."""
        one = query.show[0] if len(query.show) == 1 else None
        if query.by or query.lists or one is None or one.aggregate is not Aggregate.SUM or not one.field:
            return None
        entity, _, name = one.field.rpartition(".")
        facts = self._composer.model.things[entity].fields[name]
        called = (phrase for label in names_for(name, facts.declared) for phrase in self._book.phrases_of(label))
        if query.of != entity or not any(isinstance(phrase, Attribute) and phrase.totals for phrase in called):
            return None
        return query.model_copy(update={"show": (Shown(field=one.field),)})

    def _key(self, text: str) -> _Key:
        """What one part of the order says, without the words that open it."""
        key = _Key(text)
        for pattern, down, dated in self._ways:
            match = pattern.search(key.text)
            if match is not None and key.descending is None:
                noun = match.groupdict().get("noun") or ""
                text = f"{key.text[: match.start()]} {noun} {key.text[match.end() :]}"
                key = _Key(text, down, dated=dated)
        if (timed := self._dated.search(key.text)) is not None:
            key = _Key(key.text[: timed.start()] + key.text[timed.end() :], bool(key.descending), dated=True)
        if (named := self._named.search(key.text)) is not None:
            key = _Key(key.text[: named.start()] + key.text[named.end() :], False, named=True)
        text, before = key.text, ""
        while text != before:
            before, text = text, self._opening.sub("", text).strip(" ,.;")
        return replace(key, text=text)

    def _orders(
        self, query: SemanticQuery, keys: Sequence[_Key], read: Callable[[str], ChartCell]
    ) -> Iterator[tuple[SemanticQuery, tuple[OrderBy, ...]]]:
        if not keys:
            yield query, ()
            return
        for wider, fields in self._target(query, keys[0], read):
            figure = not fields[0].is_field
            down = keys[0].descending if keys[0].descending is not None else figure
            order = tuple(OrderBy(by=one, descending=down) for one in fields)
            for widest, more in self._orders(wider, keys[1:], read):
                yield widest, (*order, *more)
            return

    def _target(
        self, query: SemanticQuery, key: _Key, read: Callable[[str], ChartCell]
    ) -> Iterator[tuple[SemanticQuery, tuple[Shown, ...]]]:
        """What the answer is to be ordered by, with the query that shows it."""
        if key.named and not key.text:
            yield from self._by_name(query)
        elif not key.text:
            yield from self._by_what_it_tells(query, dated=key.dated)
        else:
            for phrase in (*read(key.text), *(read(noun_root(key.text)) if " " not in key.text else ())):
                found = [one for one in self._by_phrase(query, phrase) if not key.dated or self._are_dates(one[1])]
                if found:
                    yield from found
                    return
            if (again := self._columns.said_again(query, words_in(key.text))) is not None:
                yield query, (again,)

    def _by_name(self, query: SemanticQuery) -> Iterator[tuple[SemanticQuery, tuple[Shown, ...]]]:
        """By the names of the rows that it lists or is divided by, else by the texts that it is divided by."""
        if query.lists:
            yield from self._by_rows(query, query.of or "")
        elif query.by and query.by[0].entity:
            yield from self._by_rows(query, query.by[0].entity)
        elif query.by and not query.by[0].grain:
            fields = (one for one in query.by if one.field and not one.grain)
            yield query, tuple(Shown(field=one.field) for one in fields)

    def _by_rows(self, query: SemanticQuery, entity: str) -> Iterator[tuple[SemanticQuery, tuple[Shown, ...]]]:
        names = self._composer.model.things[entity].display
        for name in names[:1]:
            yield from self._by_field(query, Attribute(entity, name))

    def _by_what_it_tells(
        self, query: SemanticQuery, *, dated: bool
    ) -> Iterator[tuple[SemanticQuery, tuple[Shown, ...]]]:
        """Highest first, and no more: by the one figure, or the one number of the rows; newest first by their date."""
        fields = tuple(one for one in query.show if one.is_field == query.lists)
        if dated and query.by:
            periods = [one for one in query.by if one.is_dated]
            if len(periods) == 1:
                yield query, (Shown(field=periods[0].field, via=periods[0].via, grain=periods[0].grain),)
            return
        if dated:
            fields = tuple(one for one in fields if self._are_dates((one,)))
            place = self._composer.default_date(query.of or "") if query.lists and not fields else None
            fields = (Shown(field=place),) if place else fields
        elif query.lists:
            fields = tuple(one for one in fields if self._composer.numeric(*(one.field or ".").rsplit(".", 1)))
        if len(fields) == 1:
            yield query, fields

    def _are_dates(self, fields: Sequence[Shown]) -> bool:
        def is_date(one: Shown) -> bool:
            entity, _, field = (one.field or "").rpartition(".")
            return one.aggregate is None and bool(entity) and self._composer.is_date(Attribute(entity, field))

        return all(map(is_date, fields))

    def _by_phrase(self, query: SemanticQuery, phrase: Phrase) -> Iterator[tuple[SemanticQuery, tuple[Shown, ...]]]:
        grain = phrase.grain if isinstance(phrase, PeriodNoun) else None
        if grain is not None:
            dates = [one for one in query.by if one.grain is grain]
            if len(dates) == 1:
                yield query, (Shown(field=dates[0].field, via=dates[0].via, grain=grain),)
            return
        if isinstance(phrase, RowsPhrase) and phrase.bare:
            if (phrase.entity == query.of and query.lists) or any(one.entity == phrase.entity for one in query.by):
                yield from self._by_rows(query, phrase.entity)
                return
            names = [f"{phrase.entity}.{name}" for name in self._composer.model.things[phrase.entity].display]
            told = {*(one.field for one in query.show), *(one.field for one in query.by)}
            if told.intersection(names[:1]):
                yield from self._by_rows(query, phrase.entity)
                return
            counted = self._composer.count(phrase)
            if counted is not None and counted.shown[0] in query.show:  # from most to fewest visits
                yield query, counted.shown
            return
        fields = fields_of(phrase)
        if len(fields) == 1 and fields[0].plain:
            yield from self._by_field(query, fields[0])
            return
        figures = phrase if isinstance(phrase, FigurePhrase) else None
        if isinstance(phrase, Attribute):
            figures = self._composer.totalled(phrase, RowsPhrase(phrase.entity))
        if figures is None or len(figures.shown) != 1 or not same_groups(query, figures):
            return
        for wider in with_figures(self._composer, query, figures):
            yield wider, (wider.show[-1] if figures.shown[0] not in wider.show else figures.shown[0],)

    def _by_field(self, query: SemanticQuery, field: Attribute) -> Iterator[tuple[SemanticQuery, tuple[Shown, ...]]]:
        """By a field of its rows, one that it is divided by, or the only figure of that field."""
        if query.lists:
            shown = [one for one in query.show if one.field == field.path]
            if shown:
                yield query, tuple(shown[:1])
            elif field.entity == query.of:  # what it is ordered by is told
                told = field.field in self._composer.model.things[field.entity].display
                by = Shown(field=field.path)
                yield query.model_copy(update={"show": query.show if told else (*query.show, by)}), (by,)
            return
        own = [one for one in query.by if one.field == field.path]
        if own:
            yield query, (Shown(field=own[0].field, via=own[0].via, grain=own[0].grain),)
        elif figures := [one for one in query.show if one.field == field.path]:
            if len(figures) == 1:
                yield query, (figures[0],)
        elif any(one.entity == field.entity for one in query.by):
            via = next(one.via for one in query.by if one.entity == field.entity)
            more = Dimension(field=field.path, via=via)
            wider = query.model_copy(update={"by": (*query.by, more)})
            yield wider, (Shown(field=field.path, via=via),)

    # --- what else is asked of the same rows

    def _besides(self, query: SemanticQuery, text: str, today: date, locale: str) -> Iterator[SemanticQuery]:
        """And how many there are in each; and what is their age: told beside what was asked first."""
        text = re.sub(rf"^(?:{any_of(self._words.get('and', ())[:1])})\s+", "", folded_text(text))
        light = any_of(self._book.operators.get("light") or ())
        expletive = "".join(rf"(?<!\b{word})" for word in self._words.get("expletive", ()))
        there = rf"{expletive}(?:\s+(?:{light}))?{expletive}\s+(?:{any_of(self._words.get('there', ()))})"
        back = re.compile(rf"(?:[\s,]+(?:{any_of(self._words.get('back', ()))})|{there})$")
        each = re.sub(rf"\b(?:{any_of(self._words.get('back_to', ()))})\s+", f"{self._words.get('each')} ", text)
        for said, tied in ((back.sub("", each), back.search(each) is not None), (each, False)):
            for phrase in self._read(said, today, locale):
                figures = phrase if isinstance(phrase, FigurePhrase) else None
                if isinstance(phrase, Attribute) and not phrase.plain:
                    figures = self._composer.totalled(phrase, RowsPhrase(phrase.entity))
                if figures is None:
                    continue
                if not tied and not figures.by:  # of all, or of these: the words do not say
                    yield from _of_same_rows(query, figures)
                    continue
                # How many there are in each: of all of them, the first one first.
                whole = _ranking(query) if figures.by and not tied else query
                found = list(with_figures(self._composer, whole, figures, distinct=tied, tied=tied))
                if found:
                    yield from found
                    return

    # --- its decimals, and where it comes from

    def _is_rounded_so(self, query: SemanticQuery, text: str) -> bool:
        """Whether its figures are told with so many decimals anyway."""
        folded = folded_text(text)
        behind = re.search(rf"^(.*?)\s*\b(?:{any_of(self._words.get('decimals', ()))})$", folded)
        percent = any(one.transform is Transform.SHARE or one.unit == "%" for one in query.show)
        wanted = Decimal(_PERCENT_DECIMALS if percent else _SHOWN_DECIMALS)
        computed = bool(query.show) and not query.lists
        return computed and behind is not None and number_in(behind[1], self._book.lang) == wanted

    def _comes_from(self, shown: Shown, fields: set[str]) -> bool:
        """Whether a figure is computed from one of these fields."""
        if shown.measure is None:
            return shown.field in fields
        home, measure = self._composer.model.measures[shown.measure]
        return f"{home}.{(measure.expression or '').strip(chr(34))}" in fields


def _of_same_rows(query: SemanticQuery, figures: FigurePhrase) -> Iterator[SemanticQuery]:
    """How many there were in 2024, and what was their total weight: of the rows that were just counted."""
    said = (figures.where, figures.period, figures.order, figures.direction, query.by, query.compare, query.order)
    new = [one for one in figures.shown if one.field is not None and one.aggregate is not None]
    counted = len(query.show) == 1 and query.show[0].aggregate is Aggregate.COUNT and query.show[0].of == query.of
    if counted and not any(said) and figures.home == query.of and len(new) == len(figures.shown):
        yield query.model_copy(update={"show": (*query.show, *new)})


def _as_share(query: SemanticQuery) -> Iterator[SemanticQuery]:
    """What each group is of all of them, or a ratio, in percent; other figures have no share."""
    if len(query.show) != 1 or query.compare is not None:
        return
    shown = query.show[0]
    if shown.transform is Transform.SHARE:
        yield query
    elif shown.ratio is not None:
        yield query.model_copy(update={"show": (shown.model_copy(update={"unit": "%"}),)})
    elif query.by and shown.transform is None and shown.aggregate in (Aggregate.COUNT, Aggregate.SUM):
        yield query.model_copy(update={"show": (shown.model_copy(update={"transform": Transform.SHARE}),)})


def _ranking(query: SemanticQuery) -> SemanticQuery:
    """All of them in the order in which only the first was asked for."""
    return query.model_copy(update={"limit": None, "skip": 0}) if query.limit == 1 and not query.skip else query


def _in_same_order(query: SemanticQuery, wider: SemanticQuery, order: Sequence[OrderBy]) -> Iterator[SemanticQuery]:
    """The first ones are ordered by what they are the first by; the first one alone, ordered, is all of them."""
    own = query.order[0]
    same = len(order) == 1 and _figure(order[0].by) == _figure(own.by) and order[0].descending is own.descending
    if same:
        yield _ranking(wider.model_copy(update={"order": tuple(order)}))


def _figure(shown: Shown) -> tuple[str | None, Aggregate | None, str | None, str | None]:
    return shown.measure, shown.aggregate, shown.field, shown.of
