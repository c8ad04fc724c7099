"""Rules for days of the week: paid on weekends, orders on a Monday."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.graph import names_of
from veracity.semantic.query import Comparison, Condition, Related, SemanticQuery
from veracity.semantic.query_values import Grain
from veracity.semantic.reading.chart import COMPUTED, STEP, UNNAMED_DATE, MadePhrase
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import JoinedPhrase, Verb
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import DaysOfWeek
from veracity.semantic.reading.verb_rules import done_with, said_of
from veracity.semantic.reading.word_lists import is_person

RULES: Rules = {}
rule = rule_book(RULES)


@rule(JoiningWord, DaysOfWeek)
def _on_day(c: Composer, word: JoiningWord, when: DaysOfWeek) -> Iterator[MadePhrase]:
    """On Mondays; made on Mondays, where the verb says nothing more."""
    if word.kind == "in" and not when.placed:
        yield MadePhrase(replace(when, placed=True))
    elif word.kind in ("light", "light_amounts") and when.placed:
        yield MadePhrase(when)


@rule(DaysOfWeek, JoinedPhrase)
def _or_day(c: Composer, when: DaysOfWeek, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """On Saturdays and Sundays: on one of these days."""
    if isinstance(joined.phrase, DaysOfWeek) and joined.kind in ("and", "or"):
        yield MadePhrase(replace(when, days=tuple(sorted({*when.days, *joined.phrase.days}))))


@rule(JoiningWord, DaysOfWeek)
def _and_day(c: Composer, word: JoiningWord, when: DaysOfWeek) -> Iterator[MadePhrase]:
    if word.kind in ("and", "or"):
        yield MadePhrase(JoinedPhrase(word.kind, when))


@rule(Attribute, DaysOfWeek)
def _dated_on(c: Composer, attribute: Attribute, when: DaysOfWeek) -> Iterator[MadePhrase]:
    """Reported on a Monday."""
    if attribute.plain and c.is_date(attribute):
        on_days = _on(attribute.path, when)
        yield MadePhrase(RowFilter(attribute.entity, (on_days,), verb=True, may_be=attribute.may_be))


@rule(RowsPhrase, DaysOfWeek)
def _rows_on(c: Composer, rows: RowsPhrase, when: DaysOfWeek) -> Iterator[MadePhrase]:
    """Hires on Saturdays: those whose own date is one. Revenue per store on Saturdays is not that of stores that were opened on one."""
    if when.placed and not rows.happened and not rows.limit:
        for told, marks in _own(c, rows.entity, when):
            yield MadePhrase(rows.having(told), (*marks, UNNAMED_DATE))


@rule(FigurePhrase, DaysOfWeek)
def _figures_on(c: Composer, figures: FigurePhrase, when: DaysOfWeek) -> Iterator[MadePhrase]:
    """Revenue on weekends: by the date that its periods are of."""
    if not when.placed or figures.limit or figures.compare or any(one.grain is Grain.WEEKDAY for one in figures.by):
        return
    usual = c.default_date(figures.home, figures.shown[0].measure)
    if usual is not None and (entity := usual.rpartition(".")[0]) != figures.home:
        yield from c.narrowed(figures, entity, (_on(usual, when),))
        return
    for told, marks in _own(c, figures.home, when):
        yield MadePhrase(replace(figures, where=(*figures.where, told)), marks)


@rule(Attribute, DaysOfWeek)
def _total_on(c: Composer, attribute: Attribute, when: DaysOfWeek) -> Iterator[MadePhrase]:
    """How many visitors on weekends, where each row says how many."""
    figure = c.totalled(attribute, RowsPhrase(attribute.entity))
    if figure is not None and not c.is_date(attribute):
        yield from c.join(figure, when)


@rule(Verb, DaysOfWeek)
def _done_on(c: Composer, verb: Verb, when: DaysOfWeek) -> Iterator[MadePhrase]:
    """Courses booked on Mondays."""
    whose = said_of(c, verb)
    for start, name, wanted in verb.alone if when.placed and not verb.only else ():
        step = c.step(start, name)
        for told, marks in _own(c, step.end, when) if step is not None and not wanted else ():
            then = SemanticQuery(of=step.end if step else None, where=told)
            done = (STEP, *marks)
            own = RowFilter(start, (Related(related=then, via=(name,)),), beyond=True, said_of=whose)
            yield MadePhrase(own, done)
            for thing in done_with(c, verb, start, then.of or ""):
                for way in c.ways(thing, then.of or ""):
                    with_it = Related(related=then, via=names_of(way))
                    yield MadePhrase(RowFilter(thing, (with_it,), beyond=True, said_of=whose), done)


def _own(c: Composer, entity: str, when: DaysOfWeek) -> Iterator[tuple[Condition, tuple[str, ...]]]:
    """The condition on the date that goes without saying; where none does, on each date that there is.

    People happen on no day: clients on Mondays are not those who signed up on one.
    """
    if is_person(c.model.things[entity]):
        return
    fields = c.model.things[entity].fields
    own = c.own_date(entity)
    dates = [name for name in own or fields if fields[name].is_date]
    for name in dates:
        yield _on(f"{entity}.{name}", when), (COMPUTED,) if len(dates) == 1 else (COMPUTED, UNNAMED_DATE)


def _on(path: str, when: DaysOfWeek) -> Comparison:
    if len(when.days) == 1:
        return Comparison(field=path, grain=Grain.WEEKDAY, value=when.days[0])
    return Comparison(field=path, grain=Grain.WEEKDAY, op="in", value=when.days)
