"""A period that is not said, or a month without its year: the years that the rows have are offered, and the only one is taken."""

from __future__ import annotations

import re
from datetime import date

from veracity.answer.answer import Clarification, Outcome
from veracity.ask.settled import SettledMeaning
from veracity.ask.understood import UnderstoodQuestion
from veracity.contracts import QueryValidationError
from veracity.language.texts import say
from veracity.semantic.checking.plan import date_of
from veracity.semantic.query import Aggregate, QueryPeriod, SemanticQuery, Shown
from veracity.tools.semantic import SemanticTools

_OFFERED = 3
_YEAR = re.compile(r"(\d{4})-\d{2}-\d{2}")


async def stored_years(tools: SemanticTools, query: SemanticQuery) -> tuple[int, ...]:
    """The years of the rows that a query is about, the latest first; none where they have no date of their own."""
    model = tools.model
    measure = next((shown.measure for shown in query.show if shown.measure), None)
    home, declared = model.measures.get(measure or "", (query.of or "", None))
    thing = model.things.get(home)
    named = (query.period.field if query.period else None) or (declared.date if declared else None)
    place = date_of(thing, named, model) if thing is not None else None
    if place is None:
        return ()
    path = f"{place.thing.name}.{place.field}"
    ends = tuple(Shown(aggregate=one, field=path) for one in (Aggregate.MIN, Aggregate.MAX))
    found = await tools.run(SemanticQuery(show=ends))
    if isinstance(found, QueryValidationError) or len(found.rows) != 1:
        return ()
    years = [int(day[1]) for end in found.rows[0].values() if (day := _YEAR.match(str(end)))]
    return tuple(range(max(years), min(years) - 1, -1)) if len(years) == len(ends) else ()


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


def end_of(year: int) -> date:
    """The last day of a year: what is said without a year was said on it."""
    return date(year, 12, 31)


def _of_year(query: SemanticQuery, year: str) -> SemanticQuery:
    return query.model_copy(update={"period": QueryPeriod.model_validate(year)})
