"""Where there is no answer: queries near the words of the question that do have one. Each is run before it is offered."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from veracity.contracts import QueryValidationError
from veracity.errors import QueryFailed
from veracity.language.folding import words_in
from veracity.language.function_words import function_words
from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.language.stem import stem_of
from veracity.semantic.editing import as_asked, divided, divisions, time_divisions
from veracity.semantic.query import Aggregate, SemanticQuery, Shown, all_of, parts_of, to_json
from veracity.semantic.query_values import Grain, QueryPeriod
from veracity.semantic.result import ColumnPart, SemanticResult
from veracity.semantic.wording.cells import as_day
from veracity.semantic.wording.read_back import read_back, sentence

if TYPE_CHECKING:
    from veracity.tools.semantic import SemanticTools

_MOST_OFFERS, _MOST_FIGURES, _MOST_GROUPS = 4, 6, 60
_SECONDS = 3.0
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SHORTEST = 4
"""Words as short as the and of tell nothing."""


@dataclass(frozen=True, slots=True)
class OfferedQuery:
    """A query with an answer, to be asked instead."""

    said: str
    query: str


@dataclass(frozen=True, slots=True)
class _Near:
    """A figure, and how much the question sounds like it."""

    shown: Shown
    home: str
    weight: int


class InsteadOffers:
    """Offers queries over one source in one language."""

    def __init__(self, tools: SemanticTools, lang: str) -> None:
        self._tools, self._model, self._lang = tools, tools.model, lang

    async def near(self, question: str, before: SemanticQuery | None = None) -> tuple[OfferedQuery, ...]:
        """What has an answer: the query that found nothing with one condition less, then figures that the words come near to."""
        started, offers = perf_counter(), dict[str, OfferedQuery]()
        async for query in self._candidates(question, before):
            found = await self._ran(query)
            if found is not None and _has_figure(found) and len(found.rows) <= _MOST_GROUPS:
                said = sentence(read_back(query, self._model, self._lang))
                offers.setdefault(said, OfferedQuery(said, json.dumps(to_json(query), ensure_ascii=False)))
            if len(offers) == _MOST_OFFERS or perf_counter() - started > _SECONDS:
                break
        return tuple(offers.values())

    async def _candidates(self, question: str, before: SemanticQuery | None) -> AsyncIterator[SemanticQuery]:
        for query in _with_one_less(as_asked(before)) if before is not None else ():
            yield query
        asked, years = self._stems(question), _YEAR.findall(question)
        figures = sorted(self._figures(asked), key=lambda one: -one.weight)[:_MOST_FIGURES]
        for one in figures:
            for query in await self._queries(one, years[0] if years else "", asked):
                yield query

    def _figures(self, asked: frozenset[str]) -> Iterator[_Near]:
        """Measures, and how many there are of each thing."""
        for name, (home, measure) in self._model.measures.items():
            words = (name, pick(measure.label, self._lang), *measure.synonyms.get(self._lang, ()))
            yield _Near(Shown(measure=name), home, 2 * len(asked & self._stems(*words)))
        for name, thing in self._model.things.items():
            declared = thing.declared
            words = (
                name,
                *((pick(declared.label, self._lang), *declared.synonyms.get(self._lang, ())) if declared else ()),
            )
            weight = 2 * len(asked & self._stems(*words))
            yield _Near(Shown(aggregate=Aggregate.COUNT, of=name), name, weight - 1)

    async def _queries(self, near: _Near, year: str, asked: frozenset[str]) -> list[SemanticQuery]:
        """A figure by itself, and divided by what the question names, too."""
        whole = await self._of_a_year(SemanticQuery(show=(near.shown,), of=near.home), year)
        named = ((one, (one.field or one.entity or "").rpartition(".")[2]) for one in divisions(whole, self._model))
        by = [one for one, name in named if asked & self._stems(name)]
        return [whole, *(divided(whole, (one,)) for one in by[:1])]

    async def _of_a_year(self, query: SemanticQuery, year: str) -> SemanticQuery:
        """A figure of the year that was named, or of the last one that has rows; without dates, of everything."""
        timed = (by for by in time_divisions(query, self._model) if len(by) == 1)
        by_year = next((by for by in timed if by[0].grain in (Grain.YEAR, None)), None)
        if by_year is None:
            return query
        if not year:
            found = await self._ran(divided(query, by_year))
            year = _last_year(found) if found is not None else ""
        return query.model_copy(update={"period": QueryPeriod.model_validate(year)}) if year else query

    async def _ran(self, query: SemanticQuery) -> SemanticResult | None:
        try:
            found = await self._tools.run(query)
        except QueryFailed:
            return None
        return None if isinstance(found, QueryValidationError) else found

    def _stems(self, *texts: str) -> frozenset[str]:
        words = (word for text in texts for word in (*words_in(text), *words_in(words_of(text))))
        return frozenset(
            stem_of(word, self._lang) for word in words if len(word) >= _SHORTEST and word not in function_words()
        )


def _with_one_less(query: SemanticQuery) -> Iterator[SemanticQuery]:
    """The query without one of its conditions."""
    parts = parts_of(query.where)
    for place in range(len(parts)):
        yield query.model_copy(update={"where": all_of((*parts[:place], *parts[place + 1 :]))})
    if query.period is not None and query.compare is None:
        yield query.model_copy(update={"period": None})


def _last_year(found: SemanticResult) -> str:
    column = next(
        (c for c in found.columns if c.part is ColumnPart.PERIOD or (c.dimension and not c.dimension.apart)), None
    )
    if column is None:
        return ""
    cells = [row[column.column.name] for row in found.rows]
    years = [day.year if (day := as_day(cell)) else cell for cell in cells]
    return str(max((year for year in years if isinstance(year, int)), default=""))


def _has_figure(found: SemanticResult) -> bool:
    names = [c.column.name for c in found.columns if c.part is ColumnPart.FIGURE]
    return any(row[name] not in (None, 0) for row in found.rows for name in names) if names else bool(found.rows)
