"""What a question remarks on how it is to be answered: tables, dates, spellings, which rows count. It changes nothing where the query does so; else it is not met."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal

from veracity.language.folding import folded_text, words_in
from veracity.semantic.graph import is_to_one, names_of
from veracity.semantic.query import (
    Comparison,
    Condition,
    FigureComparison,
    Negation,
    Related,
    SemanticQuery,
    all_of,
    to_json,
)
from veracity.semantic.query_values import Grain
from veracity.semantic.reading.chart import ChartCell, parse
from veracity.semantic.reading.clauses import AnswerClause, any_of, clause_words
from veracity.semantic.reading.columns import fields_of
from veracity.semantic.reading.comparison_phrases import Comparative
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.figures_of_groups import stands
from veracity.semantic.reading.phrases import Attribute, Lookup, RowsPhrase
from veracity.semantic.reading.related_rows import not_even_stored
from veracity.semantic.reading.said_phrases import Phrase, SaidNumber
from veracity.semantic.reading.word_lists import rows_called
from veracity.semantic.reading.words import WordBook


class RemarkReader:
    """Holds queries against what is remarked on them, in one language."""

    def __init__(self, words: WordBook, composer: Composer) -> None:
        self._book, self._composer = words, composer
        self._words = clause_words(words.lang)

    def met(
        self, queries: Sequence[SemanticQuery], clause: AnswerClause, *, today: date, locale: str
    ) -> list[SemanticQuery]:
        """The queries that do as is remarked; `only` and `except` narrow them."""
        match clause.kind:
            case "tables":
                return [made for query in queries for made in self._from_tables(query, clause, today, locale)]
            case "caseless":
                return [query for query in queries if not clause.text and '"like"' in query.canonical_json()]
            case "format":
                return [query for query in queries if self._tells_periods(query, clause.text)]
            case _:
                denied = clause.kind == "except"
                bound = self._bound(clause.text, today, locale)
                if bound is not None and not denied:
                    return [made for query in queries for made in _only_groups(query, bound)]
                told = ((query, self._read(self._of_ones(clause.text, query), today, locale)) for query in queries)
                return [made for query, read in told for made in self._narrowed(query, read, denied=denied)]

    def _of_ones(self, text: str, query: SemanticQuery) -> str:
        """The text with what its ones are: cancelled ones, of orders."""
        thing = self._composer.model.things.get(query.of or "")
        called = rows_called(thing, self._book.lang) if thing is not None else ""
        return re.sub(rf"\b(?:{any_of(self._words.get('ones', ()))})$", called, text.strip(" ,.;?!"))

    def _bound(self, text: str, today: date, locale: str) -> tuple[str, Decimal] | None:
        """More than two, where nothing else is said."""
        tagged = self._book.tag(text, today=today, locale=locale)
        said = [one for one in tagged.mentions if isinstance(one.phrase, Comparative | SaidNumber)]
        places = {place for one in said for place in range(one.start, one.end)} | tagged.skipped
        comparatives = {one.phrase.op for one in said if isinstance(one.phrase, Comparative)}
        numbers = {one.phrase.value for one in said if isinstance(one.phrase, SaidNumber) and not one.phrase.unit}
        if len(places) < len(tagged.tokens) or len(comparatives) != 1 or len(numbers) != 1:
            return None
        return comparatives.pop(), numbers.pop()

    def _read(self, text: str, today: date, locale: str) -> ChartCell:
        tagged = self._book.tag(text, today=today, locale=locale)
        known = {place for one in tagged.mentions for place in range(one.start, one.end)} | tagged.skipped
        return parse(tagged, self._composer).whole if len(known) == len(tagged.tokens) else {}

    # --- tables and dates

    def _from_tables(
        self, query: SemanticQuery, clause: AnswerClause, today: date, locale: str
    ) -> Iterator[SemanticQuery]:
        """Which tables to join changes nothing where the query is about just these; a left join keeps rows without any."""
        tagged = self._book.tag(clause.said, today=today, locale=locale)
        named = {
            place: one.phrase.entity
            for one in tagged.mentions
            if isinstance(one.phrase, RowsPhrase) and one.phrase.bare
            for place in range(one.start, one.end)
        }
        plain = set(map(folded_text, self._words.get("table_words", ())))
        others = [token.text for place, token in enumerate(tagged.tokens) if place not in named and token.text != ","]
        if not named or not set(others) <= plain:
            yield from self._by_date(query, clause, today, locale)
            return
        if not set(named.values()) <= self._on_its_ways(query):
            return
        said = " ".join(words_in(folded_text(clause.said)))
        if query.lists or not any(words in said for words in self._words.get("keeps_all", ())):
            yield query
        else:
            yield from self._complete(query)

    def with_those_without(self, queries: Sequence[SemanticQuery], text: str) -> list[SemanticQuery] | None:
        """The queries with the groups that have none, where a clause wants these: including rooms without any."""
        wanted = re.compile("|".join(map(folded_text, self._words.get("those_without", ()))) or "(?!)")
        if wanted.fullmatch(folded_text(text).strip(" ,.;?!")) is None:
            return None
        return [made for query in queries for made in self._complete(query)]

    def _complete(self, query: SemanticQuery) -> Iterator[SemanticQuery]:
        """The query about all groups, also those without any rows."""
        group = query.by[0] if len(query.by) == 1 else None
        if group is None or group.entity is None or query.limit is not None:
            return
        made = query.model_copy(update={"by": (group.model_copy(update={"complete": True}),)})
        if group.complete:
            yield query
        elif stands(made, self._composer.model):
            yield made

    def _on_its_ways(self, query: SemanticQuery) -> set[str]:
        """The entities that a query speaks of, and those that lie between them where there is one way."""
        said = _things_in(to_json(query)) & set(self._composer.model.things)
        ways = [self._composer.model.ways(query.of or "", thing) for thing in said - {query.of}]
        return said | {step.end for found in ways if len(found) == 1 for step in found[0]}

    def _by_date(self, query: SemanticQuery, clause: AnswerClause, today: date, locale: str) -> Iterator[SemanticQuery]:
        """Use the payment date: nothing changes where all times of the query are of that date."""
        opener = any_of(self._words.get("tables", ()))
        text = re.sub(rf"^(?:{opener})\s+", "", folded_text(clause.said))
        fields = [one for phrase in self._read(text, today, locale) for one in fields_of(phrase)]
        dates = {one.path for one in fields if self._composer.is_date(one)}
        used = set(self._dates_of(query))
        if len(used) == 1 and used <= dates:
            yield query

    def _dates_of(self, query: SemanticQuery) -> Iterator[str]:
        """The dates that a query takes a time or periods of."""
        if query.period is not None:
            measure = query.show[0].measure if query.show and not query.lists else None
            yield query.period.field or self._composer.default_date(query.of or "", measure) or ""
        yield from (one.field for one in query.by if one.field and one.grain)
        yield from _dates_in(to_json(query).get("where"), self._composer)

    def _tells_periods(self, query: SemanticQuery, text: str) -> bool:
        """Whether what is to be written in some form are the periods that the query is divided by: represent each quarter as its first day."""
        grains = {one.grain.value for one in query.by if one.grain}
        named = {Grain(kind).value for kind in _GRAINS if self._names(kind, text)}
        head = re.split(rf"\b(?:{any_of(self._words.get('as', ()))})\b", folded_text(text))[0]
        return bool(named & grains) and any(self._names(grain, head) for grain in grains)

    def _names(self, grain: str, text: str) -> bool:
        names = {folded_text(str(word)) for word in self._book.operators.get(f"the_{grain}") or ()}
        return not names.isdisjoint(words_in(folded_text(text)))

    # --- which rows count

    def _narrowed(self, query: SemanticQuery, read: ChartCell, *, denied: bool) -> Iterator[SemanticQuery]:
        """The query with only some of its rows or groups: only include states with more than one patient."""
        made: dict[str, SemanticQuery] = {}
        for phrase in read:
            for one in self._narrowed_by(query, phrase, denied=denied):
                made.setdefault(one.canonical_json(), one)
        if len(made) == 1:  # several: the words do not say which rows are meant
            yield from made.values()

    def _narrowed_by(self, query: SemanticQuery, phrase: Phrase, *, denied: bool) -> Iterator[SemanticQuery]:
        if query.limit is not None or query.compare is not None or query.per:
            return
        if isinstance(phrase, FigurePhrase):
            yield from self._with_groups(query, phrase, denied=denied)
            return
        rows = phrase.rows if isinstance(phrase, Lookup) else phrase
        if not isinstance(rows, RowsPhrase) or not (rows.where or rows.period) or isinstance(phrase, Lookup):
            return
        if rows.order or rows.awaits or rows.other or rows.also or rows.link or rows.limit:
            return
        if any(one.rows is not None or one.ratio is not None or one.transform for one in query.show):
            return
        homes = {one.of or (one.field or "").rpartition(".")[0] for one in query.show if not one.is_field}
        if not query.lists and homes != {query.of}:
            return
        counted = any(isinstance(one, Related) and one.count is not None for one in rows.where)
        if counted and (query.where is not None or query.period is not None):
            return  # so many of all rows, or of those that are told: the words do not say
        condition = self._condition(query, rows)
        more = _without(condition) if denied else condition
        if more is None:
            return
        told = query.model_copy(update={"where": all_of((query.where, more))}).normalized()
        if stands(told, self._composer.model):
            yield told

    def _condition(self, query: SemanticQuery, rows: RowsPhrase) -> Condition | None:
        """That a row is one of these, or belongs to one of them."""
        if rows.entity == query.of:
            during = self._composer.during(rows.entity, rows.period) if rows.period else None
            return None if rows.period and during is None else all_of((*rows.where, during))
        ways = self._composer.model.ways(query.of or "", rows.entity)
        if len(ways) != 1 or not is_to_one(ways[0]):
            return None
        return Related(related=rows.query(), via=names_of(ways[0]))

    def _with_groups(self, query: SemanticQuery, figures: FigurePhrase, *, denied: bool) -> Iterator[SemanticQuery]:
        """The groups that a figure keeps, where the query has the same ones: states with more than one patient."""
        kept = all_of(figures.having)
        same = figures.by == query.by and figures.home == query.of and not figures.limit
        if kept is None or not same or query.having is not None or figures.where or figures.period or not query.by:
            return
        if query.where is not None or query.period is not None:
            return  # of all rows, or of those that are told: the words do not say
        more = Negation(condition=kept) if denied else kept
        yield query.model_copy(update={"having": more})


def _only_groups(query: SemanticQuery, bound: tuple[str, Decimal]) -> Iterator[SemanticQuery]:
    """The query with only the groups whose one figure is within a bound."""
    if len(query.show) != 1 or not query.by or query.having is not None or query.limit is not None or query.compare:
        return
    op, value = bound
    within = FigureComparison.model_validate({"show": to_json(query)["show"][0], "op": op, "value": value})
    yield query.model_copy(update={"having": within}).normalized()


def _without(condition: Condition | None) -> Condition | None:
    """That this is not so, or not known; of several conditions it is not said which one is denied."""
    match condition:
        case Comparison(op="missing"):
            return condition.model_copy(update={"op": "notMissing"})
        case Comparison(op="notMissing"):
            return condition.model_copy(update={"op": "missing"})
        case Comparison():
            return not_even_stored((condition,))
        case Related():
            return Negation(condition=condition)
    return None


_GRAINS = ("day", "week", "month", "quarter", "year")


def _dates_in(value: object, composer: Composer) -> Iterator[str]:
    """The dates that conditions compare, by their JSON."""
    if isinstance(value, list):
        for one in value:
            yield from _dates_in(one, composer)
    elif isinstance(value, dict):
        entity, _, field = str(value.get("field", "")).rpartition(".")
        compared = "value" in value and entity in composer.model.things
        if compared and composer.is_date(Attribute(entity, field)):
            yield f"{entity}.{field}"
        for one in value.values():
            yield from _dates_in(one, composer)


def _things_in(value: object) -> set[str]:
    """The entities that a query speaks of, by its JSON."""
    if isinstance(value, list):
        return {name for item in value for name in _things_in(item)}
    if not isinstance(value, dict):
        return set()
    named = {value[key] for key in ("of", "entity") if isinstance(value.get(key), str)}
    fields = {str(value["field"]).rpartition(".")[0]} if isinstance(value.get("field"), str) else set()
    return named | fields | {name for item in value.values() for name in _things_in(item)}
