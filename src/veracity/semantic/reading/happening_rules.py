"""Rules for what happened to somebody, how often, or never: have never been admitted, was admitted most often."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.ontology.fields import FieldRole
from veracity.semantic.graph import names_of
from veracity.semantic.query import OrderBy, Related, SemanticQuery, Shown
from veracity.semantic.reading.chart import STEP, MadePhrase
from veracity.semantic.reading.comparison_phrases import OpenBound, Superlative, TopFilter
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.joined_phrases import About, CountedRows, Happening, JoinedPhrase, MostRows, Verb
from veracity.semantic.reading.phrases import (
    Attribute,
    Direction,
    JoiningWord,
    Lookup,
    RowFilter,
    RowsPhrase,
    WhoPhrase,
)
from veracity.semantic.reading.said_phrases import SaidNumber, SaidPeriod, SaidTimes
from veracity.semantic.reading.verb_rules import done_with, said_of

RULES: Rules = {}
rule = rule_book(RULES)


@rule(Attribute, JoiningWord)
def _done_most_often(c: Composer, done: Attribute, word: JoiningWord) -> Iterator[MadePhrase]:
    """Which room is booked most often: the one with the most bookings."""
    if word.kind in ("commonest", "rarest") and done.plain and c.is_date(done):
        most = MostRows(RowsPhrase(done.entity), 1 if word.kind == "commonest" else -1)
        yield MadePhrase(About("", "with", most))


OFTEN: dict[str, Direction] = {"commonest": 1, "rarest": -1}


@rule(JoiningWord, Verb)
def _never_done(c: Composer, word: JoiningWord, verb: Verb) -> Iterator[MadePhrase]:
    """Have never ridden, did not order."""
    if word.kind in ("without", "not") and not verb.only:
        yield from _done(c, verb, None)


@rule(JoiningWord, Happening)
@rule(JoiningWord, Verb)
def _has_done(c: Composer, word: JoiningWord, done: Happening | Verb) -> Iterator[MadePhrase]:
    """Have never booked, have booked: the auxiliary says nothing more."""
    if word.kind == "with" and word.owns:
        yield MadePhrase(done)


@rule(JoiningWord, Verb, either_way=True)
def _often_done(c: Composer, word: JoiningWord, verb: Verb) -> Iterator[MadePhrase]:
    """Rode most often."""
    if word.kind in OFTEN and not verb.only:
        yield from _done(c, verb, OFTEN[word.kind])


@rule(Verb, Superlative, either_way=True)
def _done_most(c: Composer, verb: Verb, best: Superlative) -> Iterator[MadePhrase]:
    """Which film was rented the most."""
    if best.counts and not best.adjective and best.count is None and not best.skip and not verb.only:
        for made in _done(c, verb, best.direction):
            if isinstance(made.phrase, Happening):
                yield MadePhrase(replace(made.phrase, amassed=True), made.marks)


def _done(c: Composer, verb: Verb, direction: Direction | None) -> Iterator[MadePhrase]:
    for start, name, wanted in verb.alone:
        step, back = c.step(start, name), c.back(start, name)
        if step is not None and back is not None and not wanted:
            rows = RowsPhrase(step.end, link=(step.end, back.name))
            yield MadePhrase(Happening(rows, start, direction), (STEP,))
            for thing in done_with(c, verb, start, step.end):
                yield MadePhrase(Happening(RowsPhrase(step.end), thing, direction), (STEP,))


@rule(Verb, SaidPeriod)
def _done_when(c: Composer, verb: Verb, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Courses taught in 2024."""
    if verb.only or when.between or when.moment or when.compared:
        return
    whose = said_of(c, verb)
    for start, name, wanted in verb.alone:
        step = c.step(start, name)
        during = c.in_time(step.end, when.period) if step is not None and not wanted else None
        if step is None or during is None:
            continue
        then = SemanticQuery(of=step.end, where=during)
        done = RowFilter(start, (Related(related=then, via=(name,)),), beyond=True, said_of=whose)
        yield MadePhrase(done, (STEP,))
        for thing in done_with(c, verb, start, step.end):
            for way in c.ways(thing, step.end) or c.bridges(thing, step.end):
                done = RowFilter(thing, (Related(related=then, via=names_of(way)),), beyond=True, said_of=whose)
                yield MadePhrase(done, (STEP,))


@rule(JoiningWord, Attribute, either_way=True)
def _happened_often(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """... was admitted most often."""
    if word.kind in OFTEN and attribute.plain and c.own_date(attribute.entity) == [attribute.field]:
        yield MadePhrase(Happening(RowsPhrase(attribute.entity), direction=OFTEN[word.kind]))


@rule(Attribute, Superlative, either_way=True)
def _happened_most(c: Composer, attribute: Attribute, best: Superlative) -> Iterator[MadePhrase]:
    """Which room is booked the most; ordered last is another matter."""
    counts = best.counts and not best.adjective and best.count is None and not best.skip
    if counts and attribute.plain and c.own_date(attribute.entity) == [attribute.field]:
        yield MadePhrase(Happening(RowsPhrase(attribute.entity), direction=best.direction, amassed=True))


@rule(JoiningWord, Attribute)
def _never_happened(c: Composer, word: JoiningWord, attribute: Attribute) -> Iterator[MadePhrase]:
    """Products that have never been ordered: those without an order."""
    if word.never and attribute.plain and c.own_date(attribute.entity) == [attribute.field]:
        yield MadePhrase(Happening(RowsPhrase(attribute.entity)))


@rule(OpenBound, JoiningWord)
@rule(SaidNumber, JoiningWord)
def _so_often(c: Composer, said: OpenBound | SaidNumber, word: JoiningWord) -> Iterator[MadePhrase]:
    """More than 5 times."""
    bound = said if isinstance(said, OpenBound) else OpenBound("=", said)
    plain = not bound.fields and bound.upper is None and bound.number.dimension is None
    if word.kind == "often" and plain and bound.number.value == bound.number.value.to_integral_value():
        yield MadePhrase(SaidTimes(bound.op, int(bound.number.value)))


@rule(Attribute, SaidTimes, either_way=True)
@rule(Verb, SaidTimes, either_way=True)
def _happened_so_often(c: Composer, what: Attribute | Verb, times: SaidTimes) -> Iterator[MadePhrase]:
    """Was admitted more than 5 times, ordered at least twice: has so many admissions, orders."""
    if not times.op:
        return
    if isinstance(what, Attribute):
        if what.plain and c.own_date(what.entity) == [what.field]:
            yield MadePhrase(Happening(RowsPhrase(what.entity), times=times))
        return
    for start, name, wanted in what.alone if not what.only else ():
        step, back = c.step(start, name), c.back(start, name)
        if step is not None and back is not None and not wanted:
            rows = RowsPhrase(step.end, link=(step.end, back.name))
            yield MadePhrase(Happening(rows, start, times=times))
            for thing in done_with(c, what, start, step.end):  # rooms that were booked more than 5 times
                yield MadePhrase(Happening(RowsPhrase(step.end), thing, times=times), (STEP,))


@rule(Happening, SaidPeriod, either_way=True)
def _happened_when(c: Composer, happening: Happening, when: SaidPeriod) -> Iterator[MadePhrase]:
    """... most often in 2024."""
    for made in c.join(happening.rows, when) if c.dated(happening.rows.entity) else ():
        if isinstance(made.phrase, RowsPhrase) and made.phrase.period is not None:
            yield MadePhrase(replace(happening, rows=made.phrase), made.marks)


@rule(RowsPhrase, Happening)
def _happened_to(c: Composer, rows: RowsPhrase, happening: Happening) -> Iterator[MadePhrase]:
    """Which patient was admitted most often: the one with the most admissions; which users have never ridden."""
    if rows.named or rows.period is not None or rows.entity == happening.rows.entity:
        return
    if happening.whose not in ("", rows.entity) or (happening.amassed and not _only_counts(c, rows, happening)):
        return
    if happening.times is not None:
        about = About("", "with", CountedRows(happening.rows, happening.times.op, happening.times.number))
    elif happening.direction is None:
        about = About("", "without", happening.rows)
    else:
        about = About("", "with", MostRows(happening.rows, happening.direction))
    for made in c.join(rows, about):
        if isinstance(made.phrase, RowsPhrase):
            yield MadePhrase(replace(made.phrase, happened=True), made.marks)


def _only_counts(c: Composer, rows: RowsPhrase, happening: Happening) -> bool:
    """Whether the most of what happened can only be its number: its rows belong to these, and hold no amount."""
    entity = happening.rows.entity
    own = any(step.end == entity and not step.to_one and len(step.hops) == 1 for step in c.model.steps[rows.entity])
    amounts = (FieldRole.QUANTITY, FieldRole.AMOUNT)
    return own and all(facts.role not in amounts for facts in c.model.things[entity].fields.values())


@rule(WhoPhrase, Happening)
def _happened_to_whom(c: Composer, who: WhoPhrase, happening: Happening) -> Iterator[MadePhrase]:
    """Who rode most often."""
    for entity in who.persons:
        yield from c.join(RowsPhrase(entity, plural=True), happening)


@rule(Superlative, Attribute)
def _first_date(c: Composer, best: Superlative, attribute: Attribute) -> Iterator[MadePhrase]:
    """The earliest hire date; who was hired last."""
    dated = best.dated and not best.fields and not best.skip and best.count is None
    if dated and attribute.plain and (c.is_date(attribute) or c.holds_years(attribute)):
        yield MadePhrase(replace(attribute, direction=best.direction, behind=not c.order.get("modifiers_before")))


@rule(Attribute, Superlative)
def _date_first(c: Composer, attribute: Attribute, best: Superlative) -> Iterator[MadePhrase]:
    """Hired most recently."""
    yield from _first_date(c, best, attribute)


@rule(Attribute, About)
def _happened_at(c: Composer, attribute: Attribute, about: About) -> Iterator[MadePhrase]:
    """Patients admitted to Cardiology: each admission is to one ward."""
    rows = about.rows
    if not attribute.plain or c.own_date(attribute.entity) != [attribute.field] or about.negated:
        return
    if about.kind == "in" and isinstance(rows, RowsPhrase) and rows.named and not rows.each:
        if not c.belongs(attribute.entity, rows.entity):
            return
        for condition in c.relate(attribute.entity, rows):
            yield MadePhrase(RowFilter(attribute.entity, (condition,), beyond=True), (STEP,))


@rule(Attribute, JoiningWord)
def _happened_first(c: Composer, attribute: Attribute, word: JoiningWord) -> Iterator[MadePhrase]:
    """Which club was founded first."""
    if word.kind == "ordinal" and word.text == "1" and word.last:
        yield from _first_date(c, Superlative(-1, adjective="first", dated=True), attribute)


@rule(WhoPhrase, Attribute)
def _who_first(c: Composer, who: WhoPhrase, attribute: Attribute) -> Iterator[MadePhrase]:
    """Who was hired last."""
    if attribute.direction is not None and attribute.aggregate is None and c.is_date(attribute):
        order = OrderBy(by=Shown(field=attribute.path), descending=attribute.direction > 0)
        if attribute.entity in who.persons:
            yield from c.join(RowsPhrase(attribute.entity, plural=True), TopFilter(attribute.entity, (order,)))


@rule(Verb, RowFilter)
def _does_value(c: Composer, verb: Verb, value: RowFilter) -> Iterator[MadePhrase]:
    """Who teaches physics, where that is a field of the teachers themselves; who ordered in Bern: of there, and ordered."""
    if not value.is_value or verb.only:
        return
    for start, name, _ in verb.steps:
        step = c.step(start, name)
        if start != value.entity or step is None or (step.end in value.may_be and not value.before):
            continue  # where the orders say a place, that is meant
        done = () if value.before else (Related(via=(name,), related=SemanticQuery(of=step.end)),)
        yield MadePhrase(RowFilter(value.entity, (*value.where, *done), verb=True))


@rule(Lookup, JoinedPhrase)
def _one_field_more(c: Composer, lookup: Lookup, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    """The doctors' names and specialties."""
    field = joined.phrase
    if joined.kind != "and" or not isinstance(field, Attribute) or not field.plain or lookup.asked or lookup.unit:
        return
    if field.entity == lookup.rows.entity == lookup.fields[0].entity:
        yield MadePhrase(Lookup(lookup.rows, (*lookup.fields, field)))
