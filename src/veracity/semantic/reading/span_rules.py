"""Rules for the time between two dates: days from being reported to being finished, paid more than 30 days after the invoice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from veracity.language.units import unit_called
from veracity.semantic.graph import is_to_one, names_of
from veracity.semantic.query import Aggregate, Comparison, Dimension, OrderBy, SemanticQuery, Shown
from veracity.semantic.query_values import EarlierDate
from veracity.semantic.reading.chart import MadePhrase
from veracity.semantic.reading.comparison_phrases import OpenBound, TopFilter
from veracity.semantic.reading.compose import AGGREGATES, Composer, Rules, rule_book
from veracity.semantic.reading.figure_phrases import DateEnd, DaysFrom, DaysPhrase, FigurePhrase
from veracity.semantic.reading.joined_phrases import About, AboutEach, JoinedPhrase
from veracity.semantic.reading.phrases import Attribute, Direction, JoiningWord, Lookup, RowFilter, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidNumber, WithinDays
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for

RULES: Rules = {}
rule = rule_book(RULES)
_STARTS = {"span_from": "to", "between": "and"}
"""Words before the first date, and what must stand before the second one."""
_ENDS = {"span_to": "to", "and": "and", "span_after": "after"}
_BRIEF: dict[str, Direction] = {"span_shortest": -1, "span_longest": 1, "min": -1, "max": 1}


# --- one of the two dates


@rule(JoiningWord, Attribute)
@rule(JoiningWord, RowsPhrase)
@rule(JoiningWord, Lookup)
def _end(c: Composer, word: JoiningWord, told: Attribute | RowsPhrase | Lookup) -> Iterator[MadePhrase]:
    """From being reported, between the sale date, to the payment: the date of what is named."""
    kind = word.kind
    if (kind in _STARTS or kind in _ENDS) and (date := _date_of(c, told)) is not None:
        yield MadePhrase(DateEnd(kind, date))


def _date_of(c: Composer, told: Attribute | RowsPhrase | Lookup) -> Attribute | None:
    match told:
        case Attribute() if told.plain and c.is_date(told):
            return told
        case Lookup(rows=rows, fields=(field,)) if rows.bare and field.entity == rows.entity and not told.asked:
            return field if field.plain and c.is_date(field) else None
        case RowsPhrase() if told.bare and not told.named and not told.also:
            own = c.own_date(told.entity)
            date = Attribute(told.entity, own[0]) if own else None
            return date if date is not None and c.is_date(date) else None
        case _:
            return None


@rule(Attribute, JoiningWord)
@rule(RowsPhrase, JoiningWord)
def _with_date(c: Composer, told: Attribute | RowsPhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """The reported date, the payment date: when it was reported, when the payment was."""
    if word.kind == "span_date" and (date := _date_of(c, told)) is not None:
        yield MadePhrase(date)


@rule(DateEnd, DateEnd)
def _both_ends(c: Composer, first: DateEnd, last: DateEnd) -> Iterator[MadePhrase]:
    """Between the sale date and the payment date."""
    if _STARTS.get(first.kind) == _ENDS.get(last.kind):
        yield from (MadePhrase(DaysPhrase(days.field or "", days)) for days in _days(c, first.date, last.date))


def _days(c: Composer, first: Attribute, last: Attribute) -> Iterator[Shown]:
    """The days from one date to another; both are of one row, or the one belongs to the row of the other."""
    if first.path == last.path:
        return
    if first.entity == last.entity:
        yield Shown(field=last.path, since=EarlierDate(field=first.path))
        return
    for way in c.model.ways(last.entity, first.entity):
        if is_to_one(way):
            yield Shown(field=last.path, since=EarlierDate(field=first.path, via=names_of(way)))


# --- what is asked of the time between them


@rule(JoiningWord, DaysPhrase)
def _word_days(c: Composer, word: JoiningWord, days: DaysPhrase) -> Iterator[MadePhrase]:
    """The number of days between ...; the average of it, the shortest."""
    if word.kind == "span_noun":
        yield MadePhrase(replace(days, said=True))
    elif word.kind in ("span_avg", "span_median"):
        yield from _figures(c, days, AGGREGATES[word.kind.removeprefix("span_")])
    elif word.kind == "light_amounts" and days.bound is not None:
        yield MadePhrase(days)
    elif days.said and word.kind in AGGREGATES and word.kind not in _BRIEF:
        yield from _figures(c, days, AGGREGATES[word.kind])
    elif days.said and word.kind in _BRIEF:
        most = _BRIEF[word.kind] > 0
        yield MadePhrase(_figure(days, Aggregate.MAX if most else Aggregate.MIN))
        if word.kind not in AGGREGATES:
            yield MadePhrase(TopFilter(days.home, (OrderBy(by=days.shown, descending=most),)))


@rule(JoiningWord, FigurePhrase)
def _word_figure(c: Composer, word: JoiningWord, figure: FigurePhrase) -> Iterator[MadePhrase]:
    """How many days on average between ..."""
    if word.kind == "span_noun" and len(figure.shown) == 1 and figure.shown[0].since is not None:
        yield MadePhrase(figure)


def _figure(days: DaysPhrase, aggregate: Aggregate) -> FigurePhrase:
    rows = days.rows or RowsPhrase(days.home)  # of the rows that were said of it, not of all
    return FigurePhrase(
        (days.shown.model_copy(update={"aggregate": aggregate}),),
        days.home,
        rows.where,
        period=rows.period,
        edge=(days.home,),
    )


def _figures(c: Composer, days: DaysPhrase, aggregate: Aggregate) -> Iterator[MadePhrase]:
    """The figure over all rows; where several may belong to the earlier date, also over these, each up to its last one.

    A sale that is paid in two parts: the days up to each payment, or up to the last one.
    """
    yield MadePhrase(_figure(days, aggregate))
    since = days.shown.since
    if since is None or not since.via or aggregate not in (Aggregate.AVG, Aggregate.MEDIAN) or days.rows is not None:
        return
    whole = Dimension(entity=since.field.partition(".")[0], via=since.via)
    up_to_last = days.shown.model_copy(update={"aggregate": Aggregate.MAX})
    each = SemanticQuery(show=(up_to_last,), of=days.home, by=(whole,))
    yield MadePhrase(FigurePhrase((Shown(aggregate=aggregate, rows=each),), days.home, edge=(days.home,)))


@rule(JoiningWord, JoiningWord)
def _average_number(c: Composer, first: JoiningWord, second: JoiningWord) -> Iterator[MadePhrase]:
    """How many days on average, average number of days: the noun and the figure in either order."""
    if first.kind == "span_noun" and second.kind in ("avg", "median"):
        yield MadePhrase(JoiningWord(f"span_{second.kind}"))


@rule(DaysPhrase, About)
def _days_of(c: Composer, days: DaysPhrase, about: About) -> Iterator[MadePhrase]:
    """The time from being reported to being finished of the repairs in 2024: of each of them."""
    rows = about.rows
    if not days.said or about.kind != "of" or about.negated or not isinstance(rows, RowsPhrase):
        return
    if rows.entity == days.home and not rows.limit and rows.link is None:
        yield MadePhrase(replace(days, rows=rows))


@rule(DaysPhrase, AboutEach)
def _days_of_each(c: Composer, days: DaysPhrase, each: AboutEach) -> Iterator[MadePhrase]:
    """For each repair: its own days."""
    own = each.dimension.entity == days.home and not each.where and not each.more and each.role is None
    if days.said and own and days.rows is None:
        yield MadePhrase(replace(days, rows=RowsPhrase(days.home)))


@rule(RowsPhrase, DaysPhrase)
def _rows_days(c: Composer, rows: RowsPhrase, days: DaysPhrase) -> Iterator[MadePhrase]:
    """Repairs with the days from ... to ...: nothing else is meant by the two side by side."""
    if days.bound is not None and rows.entity == days.home and not rows.limit:
        yield from c.join(rows, RowFilter(days.home, (days.bound,)))


# --- so many days after


@rule(OpenBound, DaysPhrase, either_way=True)
@rule(OpenBound, DateEnd)
@rule(SaidNumber, DateEnd)
def _so_long(c: Composer, said: OpenBound | SaidNumber, after: DaysPhrase | DateEnd) -> Iterator[MadePhrase]:
    """More than 30 days from the sale to the payment; more than 30 days after the sale."""
    bound = said if isinstance(said, OpenBound) else OpenBound("=", said)
    number = _in_days(bound.number)
    if number is None or bound.upper is not None or bound.fields:
        return
    if isinstance(after, DateEnd):
        if after.kind == "span_after":
            yield MadePhrase(DaysFrom(bound.op, number, after.date))
    elif after.bound is None and after.rows is None:
        yield MadePhrase(replace(after, bound=_compared(after.shown, bound.op, number)))


@rule(JoiningWord, SaidNumber)
def _within(c: Composer, word: JoiningWord, number: SaidNumber) -> Iterator[MadePhrase]:
    """Within 14 days."""
    if word.kind == "span_within" and (days := _in_days(number)) is not None:
        yield MadePhrase(WithinDays(days))


@rule(JoiningWord, OpenBound)
def _after_more_than(c: Composer, word: JoiningWord, bound: OpenBound) -> Iterator[MadePhrase]:
    """Shipped after more than 5 days."""
    plain = word.kind == "span_after" and bound.upper is None and not bound.fields
    if plain and (days := _in_days(bound.number)) is not None:
        yield MadePhrase(WithinDays(days, bound.op))


@rule(WithinDays, DateEnd)
@rule(WithinDays, DaysPhrase, either_way=True)
def _within_from(c: Composer, within: WithinDays, after: DateEnd | DaysPhrase) -> Iterator[MadePhrase]:
    """Within 14 days after the sale, from the sale to the payment."""
    if isinstance(after, DaysPhrase):
        if after.bound is None and after.rows is None:
            yield MadePhrase(replace(after, bound=_compared(after.shown, within.op, within.number)))
    elif after.kind == "span_after":
        yield MadePhrase(DaysFrom(within.op, within.number, after.date))


@rule(Attribute, JoiningWord)
def _same_day(c: Composer, last: Attribute, word: JoiningWord) -> Iterator[MadePhrase]:
    """Returned on the same day: as the only other date of the row."""
    dates = [name for name, facts in c.model.things[last.entity].fields.items() if facts.is_date]
    if word.kind != "span_same" or last.field not in dates or len(dates) != 2 or not last.plain:
        return
    if last.field in c.own_date(last.entity):
        return  # who joined on the same day did so as others
    other = Attribute(last.entity, next(name for name in dates if name != last.field))
    for days in _days(c, other, last):
        yield MadePhrase(RowFilter(last.entity, (_compared(days, "=", Decimal(0)),), verb=True))


@rule(Attribute, WithinDays, either_way=True)
def _within_days(c: Composer, last: Attribute, within: WithinDays) -> Iterator[MadePhrase]:
    """Paid within 14 days: of the only other date of the row, where this is the later one by what it is called."""
    fields = c.model.things[last.entity].fields
    others = [Attribute(last.entity, name) for name, facts in fields.items() if facts.is_date and name != last.field]
    others = [one for one in others if not _is_called(c, one, "due_fields")]  # when it is due says nothing of it
    if last.plain and len(others) == 1 and _ends_something(c, last) and not _ends_something(c, others[0]):
        yield from c.join(last, DaysFrom(within.op, within.number, others[0]))


def _ends_something(c: Composer, date: Attribute) -> bool:
    """Whether a date is called the one on which something was done with: paid, returned, fixed, shipped."""
    ends = ("settled_fields", "returned_fields", "end_fields", "done_dates")
    return any(_is_called(c, date, which) for which in ends)


# --- how long rows take


@rule(JoiningWord, JoinedPhrase)
def _how_long_they_take(c: Composer, word: JoiningWord, takes: JoinedPhrase) -> Iterator[MadePhrase]:
    """How long do repairs take: the days from the one date of theirs to the other."""
    rows = takes.phrase
    if word.kind == "span_noun" and takes.kind == "takes_time" and isinstance(rows, RowsPhrase) and not rows.single:
        yield from _taken(c, rows)


@rule(JoiningWord, RowsPhrase)
def _time_of(c: Composer, word: JoiningWord, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """Wie lange dauern Reparaturen, with the verb before them."""
    if word.kind == "span_takes" and not rows.single:
        yield from _taken(c, rows)


@rule(JoiningWord, JoiningWord)
def _how_long_take(c: Composer, word: JoiningWord, takes: JoiningWord) -> Iterator[MadePhrase]:
    if word.kind == "span_noun" and takes.kind == "takes_time" and c.order.get("verb_last"):
        yield MadePhrase(JoiningWord("span_takes"))


def _taken(c: Composer, rows: RowsPhrase) -> Iterator[MadePhrase]:
    """The average of their days, where they have one date of beginning and one of being done with, and no more."""
    fields = c.model.things[rows.entity].fields
    dates = [Attribute(rows.entity, name) for name, facts in fields.items() if facts.is_date]
    ends = [one for one in dates if _ends_something(c, one)]
    if len(dates) != 2 or len(ends) != 1 or rows.awaits is not None or rows.limit is not None:
        return
    start = next(one for one in dates if one not in ends)
    for days in _days(c, start, ends[0]):
        yield MadePhrase(c.figure_of(days.model_copy(update={"aggregate": Aggregate.AVG}), rows))


@rule(FigurePhrase, JoiningWord)
def _taken_on_average(c: Composer, figures: FigurePhrase, word: JoiningWord) -> Iterator[MadePhrase]:
    """... on average: it is told so anyway."""
    shown = figures.shown[0]
    if word.kind == "avg" and len(figures.shown) == 1 and shown.since and shown.aggregate is Aggregate.AVG:
        yield MadePhrase(figures)


def _is_called(c: Composer, date: Attribute, which: str) -> bool:
    facts, known = c.model.things[date.entity].fields[date.field], in_all_languages(which)
    said = (part for name in names_for(date.field, facts.declared) for part in key_of(name))
    return facts.is_date and any((part,) in known for part in said)


@rule(Attribute, DaysFrom)
def _so_long_after(c: Composer, last: Attribute, after: DaysFrom) -> Iterator[MadePhrase]:
    """Paid more than 30 days after the invoice."""
    if last.plain and c.is_date(last):
        for days in _days(c, after.date, last):
            yield MadePhrase(RowFilter(last.entity, (_compared(days, after.op, after.number),), verb=True))


def _compared(days: Shown, op: str, number: Decimal) -> Comparison:
    return Comparison(field=days.field or "", since=days.since, op=op, value=number)


def _in_days(said: SaidNumber) -> Decimal | None:
    """A number of days or weeks; months and years are not all of one length."""
    unit = unit_called(said.unit) if said.unit else None
    if unit is None or unit.dimension != "time" or said.unit is None:
        return None
    days = said.value * unit.factor / 86400
    exact = unit.factor % 86400 == 0 and unit.factor <= 7 * 86400
    return days if exact and days == days.to_integral_value() else None
