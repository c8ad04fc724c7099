"""A period that is not said, or a month without its year: the years that the rows have are offered, and the only one is taken."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime

from veracity.answer.answer import Clarification, Outcome, ReadingOption
from veracity.ask.overview import figures_to_ask, most_to_say_of
from veracity.ask.settled import SettledMeaning
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import Cell, QueryValidationError
from veracity.language.locale import pick
from veracity.language.numbers import format_date
from veracity.language.texts import say
from veracity.ontology.fields import Encoding
from veracity.semantic.checking.plan import date_of
from veracity.semantic.query import Aggregate, SemanticQuery, Shown, to_json
from veracity.semantic.query_values import Grain, QueryPeriod
from veracity.semantic.reading.readings import Readings
from veracity.semantic.result import SemanticResult
from veracity.semantic.wording.labels import labels_of
from veracity.semantic.wording.read_back import Sentences, read_back, sentence
from veracity.tools.semantic import SemanticTools

_OFFERED = 3
_YEAR = re.compile(r"(\d{4})-\d{2}-\d{2}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_SAID_YEAR = re.compile(r"(?<!\d)(19|20)\d{2}(?!\d)")


async def stored_years(tools: SemanticTools, query: SemanticQuery) -> tuple[int, ...]:
    """The years of the rows that a query is about, the latest first; none where they have no date of their own."""
    ends = await stored_days(tools, query)
    return tuple(range(ends[1].year, ends[0].year - 1, -1)) if ends else ()


async def stored_days(tools: SemanticTools, query: SemanticQuery) -> tuple[date, date] | None:
    """The first and the last day of the rows that a query is about; nothing where they have no date of their own."""
    model = tools.model
    measure = next((shown.measure for shown in query.show if shown.measure), None)
    home, declared = model.measures.get(measure or "", (query.of or "", None))
    thing = model.things.get(home)
    named = (query.period.field if query.period else None) or (declared.date if declared else None)
    place = date_of(thing, named, model) if thing is not None else None
    if place is None:
        return None
    path = f"{place.thing.name}.{place.field}"
    ends = tuple(Shown(aggregate=one, field=path) for one in (Aggregate.MIN, Aggregate.MAX))
    found = await tools.run(SemanticQuery(show=ends))
    if isinstance(found, QueryValidationError) or len(found.rows) != 1:
        return None
    encoding = place.thing.fields[place.field].guard
    days = [day for end in found.rows[0].values() if (day := _day(end, encoding)) is not None]
    return (days[0], days[1]) if len(days) == len(ends) else None


async def latest_figures(tools: SemanticTools, lang: str) -> str:
    """The first measures and the latest year that is stored for them; without measures, what the thing with most to say is called."""
    measures = figures_to_ask(tools.model)
    if not measures:
        return most_to_say_of(tools.model, lang)
    home, first = measures[0]
    years = await stored_years(tools, SemanticQuery(of=home, show=(Shown(measure=first.name),)))
    return ", ".join([*(pick(one.label, lang) or one.name for _, one in measures), *map(str, years[:1])])


def _day(cell: Cell, encoding: Encoding | None) -> date | None:
    """The day of a stored date, also of one that is stored as a number of seconds."""
    if isinstance(cell, int) and encoding is not None:
        seconds = cell // 1000 if encoding is Encoding.UNIX_MILLISECONDS else cell
        return datetime.fromtimestamp(seconds, UTC).date()
    day = _DAY.match(str(cell))
    return date.fromisoformat(day[0]) if day else None


def are_of(query: SemanticQuery, years: tuple[int, ...]) -> bool:
    """Whether all days that a query names are of the only year that there is."""
    named = _YEAR.findall(query.canonical_json())
    return len(years) == 1 and bool(named) and set(named) == {str(years[0])}


def asked_when(
    query: SemanticQuery, question: UnderstoodQuestion, stored: tuple[int, ...], *, guessed: bool = False
) -> SettledMeaning:
    """Which period is meant; the latest years of the data are offered, or the last whole years where that is not known."""
    asked = say("which_period", question.lang)
    latest = stored or tuple(question.today.year - back for back in range(1, _OFFERED + 1))
    years = tuple(str(year) for year in latest[:_OFFERED])
    offers = {} if guessed else {year: _of_year(query, year) for year in years}
    return SettledMeaning(
        Outcome.CLARIFY, asked, Clarification(question=asked, options=years), query=query, offers=offers
    )


async def asked_latest(
    tools: SemanticTools, result: SemanticResult, question: UnderstoodQuestion
) -> SettledMeaning | None:
    """Which period is meant by last month or this year, where the data ends before it: the latest one, or a year, is offered."""
    query, lang = result.query, question.lang
    period, says_year = query.period, _SAID_YEAR.search(question.question)
    if period is None or period.first is None or query.compare is not None or says_year or period.field is not None:
        return None
    days = await stored_days(tools, query)
    if days is None or days[1] >= period.first:
        return None
    offered = {_latest(days[1], period.length), QueryPeriod.model_validate(str(days[1].year))}
    offers = {}
    for one in sorted(offered, key=lambda one: str(one.first), reverse=True):
        told = query.model_copy(update={"period": one})
        offers[sentence(read_back(told, tools.model, lang))] = told
    named = Sentences(labels_of(tools.model, lang))
    asked = say("nothing_then", lang, period=named.days(period), last=format_date(days[1], named.labels.locale))
    readings = tuple(ReadingOption(text=text, query=to_json(one)) for text, one in offers.items())
    clarify = Clarification(question=asked, options=tuple(offers))
    return SettledMeaning(Outcome.CLARIFY, asked, clarify, query=query, readings=readings, offers=offers)


def _latest(last: date, length: Grain | None) -> QueryPeriod:
    """The latest period of a length that the data reaches; a month, where the length is none of these."""
    if length is Grain.YEAR:
        return QueryPeriod.model_validate(str(last.year))
    if length is Grain.QUARTER:
        return QueryPeriod.model_validate(f"{last.year}-Q{(last.month + 2) // 3}")
    return QueryPeriod.model_validate(f"{last.year}-{last.month:02}")


def end_of(year: int) -> date:
    """The last day of a year: what is said without a year was said on it."""
    return date(year, 12, 31)


def of_year(found: Readings, year: int) -> Readings:
    """Readings of no time as those of one year."""
    timed = (one if one.period is not None else _of_year(one, str(year)) for one in found.queries)
    return replace(found, queries=tuple(timed))


def _of_year(query: SemanticQuery, year: str) -> SemanticQuery:
    return query.model_copy(update={"period": QueryPeriod.model_validate(year)})
