"""Questions that a source can surely answer: made of its own measures, dimensions and values, each asked before it is offered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from veracity.ask.possible_question import PossibleQuestion, Query, ran_query
from veracity.semantic.query import SemanticQuery
from veracity.semantic.wording.answer_text import answer_text

if TYPE_CHECKING:
    from veracity.ask.data_agent import DataAgent
    from veracity.query.values import Key
    from veracity.semantic.graph import Thing
    from veracity.tools.semantic import SemanticTools

MOST = 10
_MOST_THINGS = 12
_MOST_TRIED = 80
_MOST_OF_A_KIND = 2
_FEWEST_VALUES, _MOST_VALUES = 2, 40
_LONGEST_VALUE, _LONGEST_QUESTION = 40, 120
_VALUES_ASKED = 3


async def sure_questions(agent: DataAgent, lang: str, *, most: int = MOST) -> AsyncIterator[str]:
    """Questions in one language, as they are proven.

    Each is worded from a query and then asked like any other. It is offered where it is answered, and with what that query says.
    """
    semantic = agent.semantic
    if semantic is None:
        return
    asked = await _asked(semantic, await agent.tools.stored_values())
    found: dict[str, str] = {}
    later: list[str] = []
    for candidate in _candidates(asked)[:_MOST_TRIED]:
        text = await _proven(agent, semantic, candidate, lang)
        if text is None or text in found:
            continue
        # Ten questions of one kind would show little of the source, and a name without a plural sounds odd: they come last.
        many = sum(kind == candidate.kind for kind in found.values()) >= _MOST_OF_A_KIND
        if many or candidate.sounds_odd(semantic.model, lang):
            later.append(text)
            continue
        found[text] = candidate.kind
        yield text
        if len(found) == most:
            return
    for text in [text for text in dict.fromkeys(later) if text not in found][: most - len(found)]:
        yield text


async def _proven(agent: DataAgent, semantic: SemanticTools, candidate: PossibleQuestion, lang: str) -> str | None:
    """The first wording that is answered with what the query says."""
    expected = await ran_query(semantic, candidate.query)
    if expected is None or not expected.rows or all(cell is None for row in expected.rows for cell in row.values()):
        return None
    told = answer_text(expected, semantic.model, lang).text
    for text in candidate.texts(semantic.model, lang):
        if len(text) > _LONGEST_QUESTION:
            continue
        answer = await agent.ask(text, lang=lang)
        if answer.outcome == "answered" and answer.text == told:
            return text
    return None


# --- what may be asked of each thing


@dataclass(frozen=True, slots=True)
class _AskableThing:
    """What there is to ask of one thing: its figures, what divides its rows, a value of each, and the last year."""

    thing: Thing
    figures: tuple[Query, ...]
    dimensions: tuple[tuple[str, tuple[str, ...]], ...]
    """Fields, each with some of its values."""
    year: int | None = None

    def candidates(self) -> Iterator[PossibleQuestion]:
        """Queries of each kind; those that tell most of the source come first."""
        name = self.thing.name
        for number, figure in enumerate(self.figures):
            yield from self._of_figure(figure, number)
        count: Query = {"aggregate": "count", "of": name}
        yield _candidate("count", {"show": [count]}, thing=name)
        for field, values in self.dimensions:
            given = {"thing": name, "field": field}
            yield _candidate("counts", {"show": [count], "by": [field]}, **given)
            for value in values:
                only = {"field": field, "value": value}
                yield _candidate("counted", {"show": [count], "where": only}, **given, value=value)

    def _of_figure(self, figure: Query, number: int) -> Iterator[PossibleQuestion]:
        name = self.thing.name
        when: Query = {"period": self.year} if self.year else {}
        given: Query = {"thing": name, "figure": figure, "year": self.year}
        yield _candidate("figure", {"show": [figure], **when}, **given)
        if self.year:
            monthly = {"field": f"{name}.{self.thing.default_date}", "grain": "month"}
            yield _candidate("months", {"show": [figure], "by": [monthly], **when}, **given)
        # Another dimension first for each figure.
        at = number % len(self.dimensions) if self.dimensions else 0
        for field, values in self.dimensions[at:] + self.dimensions[:at]:
            more = {**given, "field": field}
            yield _candidate("by", {"show": [figure], "by": [field], **when}, **more)
            for value in values:
                only = {"field": field, "value": value}
                yield _candidate("of", {"show": [figure], "where": only, **when}, **more, value=value)
            ranked = {"order": [{"by": figure, "descending": True}], "limit": 3}
            yield _candidate("top", {"show": [figure], "by": [field], **ranked}, **{**more, "year": None})


def _candidate(kind: str, query: Query, **given: Any) -> PossibleQuestion:
    return PossibleQuestion(kind, SemanticQuery.model_validate(query), **given)


def _candidates(asked: list[_AskableThing]) -> list[PossibleQuestion]:
    """Of each kind in turn, of each thing in turn."""
    kinds: dict[str, list[PossibleQuestion]] = {}
    for turn in zip_longest(*(list(one.candidates()) for one in asked)):
        for candidate in turn:
            if candidate is not None:
                kinds.setdefault(candidate.kind, []).append(candidate)
    return [one for turn in zip_longest(*kinds.values()) for one in turn if one is not None]


async def _asked(semantic: SemanticTools, stored: Mapping[Key, frozenset[str]]) -> list[_AskableThing]:
    """The things of which there is most to ask."""
    found = [
        _AskableThing(thing, tuple(_figures(thing)), tuple(_dimensions(thing, stored)))
        for thing in semantic.model.things.values()
    ]
    best = sorted(found, key=lambda one: (min(3, len(one.figures)), len(one.dimensions)), reverse=True)[:_MOST_THINGS]
    return [replace(one, year=await _last_year(semantic, one.thing) if one.figures else None) for one in best]


def _figures(thing: Thing) -> Iterator[Query]:
    """Measures that are in use, then fields that add up."""
    for name, measure in thing.measures.items():
        if measure.confirmed:
            yield {"measure": name}
    for name, facts in thing.fields.items():
        if facts.can_be_added and (facts.declared is None or facts.declared.confirmed):
            yield {"field": f"{thing.name}.{name}", "aggregate": "sum"}


def _dimensions(thing: Thing, stored: Mapping[Key, frozenset[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Fields that divide the rows into a few groups, the fewest first, each with some of its values."""
    for name in sorted(thing.fields, key=lambda name: len(stored.get((thing.name, name), ()))):
        values = stored.get((thing.name, name), frozenset())
        short = sorted(value for value in values if 1 < len(value) <= _LONGEST_VALUE and value.isprintable())
        if short and _FEWEST_VALUES <= len(values) <= _MOST_VALUES:
            yield f"{thing.name}.{name}", tuple(short[:_VALUES_ASKED])


async def _last_year(semantic: SemanticTools, thing: Thing) -> int | None:
    """The last year of which there are rows."""
    if thing.default_date is None or thing.default_date not in thing.fields:
        return None
    by = {"field": f"{thing.name}.{thing.default_date}", "grain": "year"}
    query = SemanticQuery.model_validate({"show": [{"aggregate": "count", "of": thing.name}], "by": [by]})
    found = await ran_query(semantic, query)
    years = [cell.year for row in (found.rows if found else ()) for cell in row.values() if isinstance(cell, date)]
    return max(years, default=None)
