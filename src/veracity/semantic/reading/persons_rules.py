"""Rules for people: who, and how old they are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from veracity.language.units import unit_called
from veracity.semantic.query import Comparison, Negation, Related
from veracity.semantic.reading.chart import STEP, MadePhrase
from veracity.semantic.reading.comparison_phrases import AgeBound, AgeFilter, TopFilter
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase, ShareOf, TopFigure
from veracity.semantic.reading.joined_phrases import About
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase, WhoPhrase
from veracity.semantic.reading.said_phrases import Phrase, SaidNumber

RULES: Rules = {}
rule = rule_book(RULES)
_OLDEST = 150


@rule(WhoPhrase, About)
@rule(WhoPhrase, AgeFilter)
@rule(WhoPhrase, RowFilter)
@rule(WhoPhrase, TopFigure)
@rule(WhoPhrase, TopFilter)
def _who(c: Composer, who: WhoPhrase, said: Phrase) -> Iterator[MadePhrase]:
    """Who works in Bern, who has the highest wage: the people that this can be said of."""
    if isinstance(said, About) and said.kind == "of":
        return  # who is the teacher: nobody that belongs to one
    for entity in who.persons:
        for made in c.join(RowsPhrase(entity, plural=True), said):
            marks = tuple(mark for mark in made.marks if mark != STEP)
            yield MadePhrase(made.phrase, marks if _belongs(c, entity, made.phrase) else (*marks, STEP))


def _belongs(c: Composer, entity: str, phrase: Phrase) -> bool:
    """Whether people belong to what is said of them, as employees to a store. Of others none are likelier, however near."""
    last = phrase.where[-1] if isinstance(phrase, RowsPhrase) and phrase.where else None
    last = last.condition if isinstance(last, Negation) else last
    way = c.model.way(entity, last.via) if isinstance(last, Related) else ()
    return all(step.to_one for step in way or ())


@rule(WhoPhrase, JoiningWord)
def _who_word(c: Composer, who: WhoPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind in ("light", "aux", "comes_from"):
        yield MadePhrase(who)


@rule(WhoPhrase, FigurePhrase)
def _who_most(c: Composer, who: WhoPhrase, figures: FigurePhrase) -> Iterator[MadePhrase]:
    """Who made the most revenue."""
    if figures.direction is not None:
        yield from _who(c, who, TopFigure(figures))


@rule(AgeBound, SaidNumber)
def _age(c: Composer, age: AgeBound, number: SaidNumber) -> Iterator[MadePhrase]:
    """Older than 40: more than 40 years, or 41 at least; it is asked back where that makes a difference."""
    years = _years(number)
    if years is None:
        return
    for entity, field in age.born:
        path = f"{entity}.{field}"
        if age.op == "<":
            bounds = [(">", _years_before(age.today, years))]
        else:
            bounds = [("<", _years_before(age.today, years)), ("<=", _years_before(age.today, years + 1))]
        for op, day in bounds:
            yield MadePhrase(AgeFilter(entity, (Comparison(field=path, op=op, value=day.isoformat()),)))


@rule(RowsPhrase, AgeFilter)
@rule(ShareOf, AgeFilter)
def _of_age(c: Composer, people: RowsPhrase | ShareOf, age: AgeFilter) -> Iterator[MadePhrase]:
    """Employees older than 40; what share of them is."""
    entity = people.entity if isinstance(people, RowsPhrase) else people.figures.home
    if entity == age.entity and not (isinstance(people, RowsPhrase) and people.also):
        yield from c.join(people, RowFilter(entity, age.where))


def _years(number: SaidNumber) -> int | None:
    """A number of whole years."""
    year = unit_called("year")
    if number.dimension is not None and (
        year is None or (number.dimension, number.factor) != (year.dimension, year.factor)
    ):
        return None
    whole = number.value == number.value.to_integral_value() and Decimal(0) < number.value < _OLDEST
    return int(number.value) if whole else None


def _years_before(day: date, years: int) -> date:
    """The same day so many years ago; the first of March for a day that year does not have."""
    try:
        return day.replace(year=day.year - years)
    except ValueError:
        return date(day.year - years, 3, 1)


@rule(WhoPhrase, Attribute)
def _who_happened(c: Composer, who: WhoPhrase, attribute: Attribute) -> Iterator[MadePhrase]:
    """Who has left: those who have such a date, which stands beside them."""
    if attribute.entity in who.persons and attribute.plain and c.is_date(attribute):
        for made in c.join(RowsPhrase(attribute.entity, plural=True), attribute):
            if isinstance(made.phrase, RowsPhrase) and made.phrase.also:
                yield made
