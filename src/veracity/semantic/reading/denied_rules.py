"""Rules for what is denied or done so often: but not Boxing, nobody booked it, booked nothing, twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from veracity.semantic.graph import is_to_one, names_of
from veracity.semantic.query import (
    Comparison,
    Condition,
    CountRange,
    Negation,
    Related,
    SemanticQuery,
    all_of,
    conditions_in,
    parts_of,
)
from veracity.semantic.reading.chart import STEP, MadePhrase
from veracity.semantic.reading.comparison_phrases import Comparative
from veracity.semantic.reading.compose import Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import ShareOf
from veracity.semantic.reading.grounds import dated_within
from veracity.semantic.reading.joined_phrases import About, ButPhrase, CountedRows, Happening, JoinedPhrase, Verb
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidPeriod, SaidTimes
from veracity.semantic.reading.verb_rules import done_with

RULES: Rules = {}
rule = rule_book(RULES)
_NOBODY = JoiningWord("not")


# --- nobody, nothing


@rule(JoiningWord, Verb)
def _nobody_did(c: Composer, word: JoiningWord, verb: Verb) -> Iterator[MadePhrase]:
    """Courses that nobody booked, in which nothing was booked."""
    if word.kind in ("nobody", "nothing"):
        yield from c.join(_NOBODY, verb)


@rule(Verb, JoiningWord)
def _did_nothing(c: Composer, verb: Verb, word: JoiningWord) -> Iterator[MadePhrase]:
    """Members who booked nothing; courses booked by nobody."""
    if word.kind in ("nothing", "by_nobody"):
        yield from c.join(_NOBODY, verb)


@rule(Happening, JoiningWord)
def _never_anything(c: Composer, never: Happening, word: JoiningWord) -> Iterator[MadePhrase]:
    """Have never booked anything."""
    if word.kind == "anything" and never.direction is None and never.times is None:
        yield MadePhrase(never)


@rule(JoiningWord, Happening)
def _has_nobody(c: Composer, word: JoiningWord, never: Happening) -> Iterator[MadePhrase]:
    """Which courses did nobody book."""
    if word.kind == "aux" and never.direction is None:
        yield MadePhrase(never)


@rule(ShareOf, Attribute)
def _share_done(c: Composer, share: ShareOf, attribute: Attribute) -> Iterator[MadePhrase]:
    """What share of the repairs are finished: of those with such a date."""
    if attribute.plain and c.is_date(attribute) and share.figures.home == attribute.entity:
        done = Comparison(field=attribute.path, op="notMissing")
        yield from c.join(share, RowFilter(attribute.entity, (done,)))


# --- so often


@rule(RowsPhrase, Verb)
def _name_done(c: Composer, rows: RowsPhrase, verb: Verb) -> Iterator[MadePhrase]:
    """How often was Yoga booked: Yoga, where it was."""
    for start, name, wanted in verb.alone if rows.named and not verb.only else ():
        step = c.step(start, name)
        if step is not None and not wanted and rows.entity in done_with(c, verb, start, step.end):
            for way in c.ways(rows.entity, step.end):
                done = Related(related=SemanticQuery(of=step.end), via=names_of(way))
                yield MadePhrase(replace(rows.having(done), happened=True), (STEP,))


@rule(Comparative, SaidTimes)
def _at_least_twice(c: Composer, bound: Comparative, times: SaidTimes) -> Iterator[MadePhrase]:
    """At least twice, more than once."""
    if not bound.fields and times.op in ("", "="):
        yield MadePhrase(SaidTimes(bound.op, times.number))


@rule(RowFilter, SaidTimes, either_way=True)
def _did_so_often(c: Composer, done: RowFilter, times: SaidTimes) -> Iterator[MadePhrase]:
    """Booked Yoga at least twice: has so many bookings of it."""
    only = done.where[0] if len(done.where) == 1 else None
    if not times.op or not isinstance(only, Related) or only.count is not None or not (done.beyond or done.verb):
        return
    way = c.model.way(done.entity, only.via)
    if way is not None and len(way) == 1 and not way[0].to_one:
        counted = only.model_copy(update={"count": CountRange(op=times.op, value=times.number)})
        yield MadePhrase(replace(done, where=(counted,)))


@rule(RowFilter, SaidPeriod)
def _did_when(c: Composer, done: RowFilter, when: SaidPeriod) -> Iterator[MadePhrase]:
    """Booked Yoga in 2024, booked Yoga at least twice in 2024: the time is that of the bookings."""
    if when.between or when.moment or when.compared:
        return
    timed = [_timed(c, one, when) for one in done.where if _is_deed(done, one)]
    if timed and len(timed) == len(done.where) and all(one is not None for one in timed):
        yield MadePhrase(replace(done, where=tuple(one for one in timed if one is not None)))


def _is_deed(done: RowFilter, part: Condition) -> bool:
    """Whether a condition is about rows of what somebody did."""
    return isinstance(part, Related) and (part.count is not None or (done.beyond and bool(done.said_of)))


def _timed(c: Composer, part: Condition, when: SaidPeriod) -> Condition | None:
    if not isinstance(part, Related) or part.related.period is not None:
        return None
    during = c.in_time(part.related.of or "", when.period)
    if during is None:
        return None
    conditions = (*parts_of(part.related.where), during)
    timed = part.related.model_copy(update={"where": all_of(conditions)})
    return part.model_copy(update={"related": timed})


# --- but not


@rule(JoiningWord, RowFilter)
@rule(JoiningWord, About)
@rule(JoiningWord, Happening)
def _but(c: Composer, word: JoiningWord, told: RowFilter | About | Happening) -> Iterator[MadePhrase]:
    """But without a booking, but never booked."""
    if word.kind == "but":
        yield MadePhrase(ButPhrase(told))


@rule(JoiningWord, CountedRows)
def _but_none(c: Composer, word: JoiningWord, none: CountedRows) -> Iterator[MadePhrase]:
    """But no booking."""
    if word.kind == "but" and (none.op, none.number) == ("=", 0):
        yield MadePhrase(ButPhrase(About("", "with", none)))


@rule(JoiningWord, RowsPhrase)
@rule(JoiningWord, SaidPeriod)
def _but_not(c: Composer, word: JoiningWord, other: RowsPhrase | SaidPeriod) -> Iterator[MadePhrase]:
    """But not Boxing, but not in 2024: what else it is about stands before it."""
    if word.kind == "but_not" and (isinstance(other, SaidPeriod) or other.named):
        yield MadePhrase(ButPhrase(other, denied=True))


@rule(JoiningWord, JoiningWord)
def _but_not_in(c: Composer, word: JoiningWord, joining: JoiningWord) -> Iterator[MadePhrase]:
    """But not in 2024; a comma before it."""
    if word.kind == "but_not" and joining.kind in ("in", "of", "with"):
        yield MadePhrase(word)
    if word.kind == "comma" and joining.kind in ("but", "but_not"):
        yield MadePhrase(joining)


@rule(RowsPhrase, ButPhrase)
def _rows_but(c: Composer, rows: RowsPhrase, but: ButPhrase) -> Iterator[MadePhrase]:
    """Members with a payment but no booking: both hold of them."""
    if not but.denied and rows.where and rows.limit is None and not rows.named:
        for made in c.join(rows, but.phrase):
            if isinstance(made.phrase, RowsPhrase) and made.phrase.entity == rows.entity:
                yield MadePhrase(replace(made.phrase, happened=True), made.marks)


@rule(RowFilter, ButPhrase)
def _did_but_not(c: Composer, done: RowFilter, but: ButPhrase) -> Iterator[MadePhrase]:
    """Booked Yoga but not Boxing; booked in 2023 but not in 2024: the same was not done with the other."""
    only = done.where[0] if len(done.where) == 1 else None
    if not but.denied or not isinstance(only, Related) or only.count is not None:
        return
    way = c.model.way(done.entity, only.via)
    if way is None or is_to_one(way):
        return  # what belongs to one row cannot belong to two
    for instead in _instead(c, only, but.phrase):
        yield MadePhrase(replace(done, where=(only, Negation(condition=instead)), beyond=True))


def _instead(c: Composer, done: Related, other: object) -> Iterator[Condition]:
    """The same deed with another name or time in the place of its only one."""
    said = list(_comparisons(done))
    if isinstance(other, SaidPeriod):
        places = [one for one in said if c.is_time((one,)) and one.op in ("between", ">=", "<=")]
        if len(said) == len(places) == 1 and not (other.between or other.moment or other.compared):
            yield _replaced(done, places[0], dated_within(places[0].field, other.period))
    elif isinstance(other, RowsPhrase) and len(other.where) == 1 and isinstance(other.where[0], Comparison):
        places = [one for one in said if one.field == other.where[0].field and one.op == "="]
        if len(said) == len(places) == 1 and places[0].value != other.where[0].value:
            yield _replaced(done, places[0], other.where[0])


def _comparisons(condition: Condition) -> Iterator[Comparison]:
    """All comparisons of a condition, those about related rows included."""
    for part in conditions_in(condition):
        if isinstance(part, Comparison):
            yield part
        elif isinstance(part, Related):
            for inner in parts_of(part.related.where):
                yield from _comparisons(inner)


def _replaced(condition: Condition, old: Comparison, new: Comparison) -> Condition:
    """A condition on related rows with one comparison in the place of another."""
    if condition == old:
        return new.model_copy(update={"via": old.via})
    if isinstance(condition, Related):
        parts = tuple(_replaced(part, old, new) for part in parts_of(condition.related.where))
        return condition.model_copy(update={"related": condition.related.model_copy(update={"where": all_of(parts)})})
    return condition


# --- and not


@rule(JoiningWord, About)
def _and_not(c: Composer, word: JoiningWord, about: About) -> Iterator[MadePhrase]:
    """... and are not in Footwear, and have no orders; in Bern and in Zurich would be either."""
    rows = about.rows
    none = isinstance(rows, CountedRows) and (rows.op, rows.number) == ("=", 0) and about.kind == "with"
    if word.kind == "and" and (about.negated or none or about.kind == "without"):
        yield MadePhrase(JoinedPhrase("and_not", about))


@rule(RowsPhrase, JoinedPhrase)
def _rows_and_not(c: Composer, rows: RowsPhrase, joined: JoinedPhrase) -> Iterator[MadePhrase]:
    if joined.kind == "and_not" and isinstance(joined.phrase, About) and rows.where and not rows.named:
        yield from c.join(rows, joined.phrase)
