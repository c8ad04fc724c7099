"""Changes of what a semantic query computes: another time, another figure, or a figure over what it found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal

from veracity.semantic.graph import names_of
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Dimension,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    all_of,
    parts_of,
)
from veracity.semantic.query_values import QueryPeriod, last_day
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.edits import (
    Change,
    conditioned,
    figures_of,
    home_of,
    is_named,
    place_of,
    rows_of,
    with_where,
)
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.grounds import dated_within
from veracity.semantic.reading.phrases import Attribute, merged
from veracity.semantic.reading.said_phrases import SaidPeriod
from veracity.sources.source import NUMERIC

_YEARS = range(1000, 2200)
_NUMBERED = ("=", "<", "<=", ">", ">=")


def redated(c: Composer, query: SemanticQuery, when: SaidPeriod) -> Iterator[Change]:
    """The query at another time."""
    if query.show and query.show[0].rows is not None and len(query.show) == 1:
        for inner, marks in redated(c, query.show[0].rows, when):
            yield query.model_copy(update={"show": (query.show[0].model_copy(update={"rows": inner}),)}), marks
        return
    if query.compare is not None and query.compare.period is not None:
        if when.ends is not None:
            compare = query.compare.model_copy(update={"period": when.ends[0]})
            yield query.model_copy(update={"period": when.ends[1], "compare": compare}), ()
        return
    figures = figures_of(query)
    said = c.at_moment(figures, when) if figures is not None else when
    if said is None or when.between or (figures is None and when.moment and when.period.first != when.period.last):
        return
    if said.number is not None and query.period is None:
        yield from renumbered(query, Decimal(said.number))
    dated = [part for part in parts_of(query.where) if isinstance(part, Comparison) and _is_when(c, part)]
    period = _in_year_of(period_of(c, query), said)
    for part in dated:
        other = dated_within(part.field, period).model_copy(update={"via": part.via})
        yield with_where(query, [other if one == part else one for one in parts_of(query.where)]), ()
    if query.period is not None:
        for other_period in (period, *_same_part(query.period, said)):
            ends = {"first": other_period.first, "last": other_period.last}
            yield query.model_copy(update={"period": query.period.model_copy(update=ends)}), ()
    elif not dated:
        yield from _dated(c, query, period)


def _dated(c: Composer, query: SemanticQuery, period: QueryPeriod) -> Iterator[Change]:
    """A query that said no time, at this time."""
    home, measure = home_of(query), query.show[0].measure if query.show else None
    if c.dated(home) or c.default_date(home, measure):
        yield query.model_copy(update={"period": period}), ()
        return
    for condition in c.within(home, period):
        yield from conditioned(c, query, (condition,), replaces=True)


def _same_part(before: QueryPeriod, when: SaidPeriod) -> Iterator[QueryPeriod]:
    """And 2024, after a question about March 2025: that year, or March of it."""
    year, first, last = when.number, before.first, before.last
    if year is None or first is None or last is None or first.year != last.year or year == first.year:
        return
    if (first.month, first.day, last.month, last.day) != (1, 1, 12, 31):
        ends = (_same_day(first, year), _same_day(last, year))
        yield QueryPeriod.model_validate({"from": ends[0], "to": ends[1]})


def _is_when(c: Composer, part: Comparison) -> bool:
    """Whether a condition says when, of a date that was named."""
    place = place_of(c, part)
    return place is not None and place[-1] == "when" and part.op != "!="


def period_of(c: Composer, query: SemanticQuery) -> QueryPeriod | None:
    """The time that a query is about."""
    if query.period is not None:
        return query.period
    for part in parts_of(query.where):
        between = isinstance(part, Comparison) and part.op == "between" and _is_when(c, part)
        if between and isinstance(part, Comparison) and isinstance(part.value, tuple):
            first, last = (str(end)[:10] for end in part.value)
            return QueryPeriod.model_validate({"from": first, "to": last})
    return None


def year_before(period: QueryPeriod | None) -> SaidPeriod | None:
    """The same period a year earlier."""
    if period is None or period.first is None or period.last is None:
        return None
    first, last = (_same_day(day, day.year - 1) for day in (period.first, period.last))
    return SaidPeriod(QueryPeriod.model_validate({"from": first, "to": last}))


def may_be_year(number: int | Decimal) -> bool:
    """Whether a number may say a year."""
    return number == int(number) and int(number) in _YEARS


def renumbered(query: SemanticQuery, number: Decimal) -> Iterator[Change]:
    """The query with another number in the place of one that a field is compared with; a year only in that of a year."""
    old = parts_of(query.where)
    for place, part in enumerate(old):
        told = part.value if isinstance(part, Comparison) and part.op in _NUMBERED else None
        if not isinstance(told, int | Decimal) or isinstance(told, bool):
            continue
        if may_be_year(number) == may_be_year(told):
            value = int(number) if number == number.to_integral_value() else number
            changed = part.model_copy(update={"value": value})
            yield with_where(query, (*old[:place], changed, *old[place + 1 :])), ()


def _in_year_of(before: QueryPeriod | None, when: SaidPeriod) -> QueryPeriod:
    """In March, after a question about 2024: of that year."""
    period = when.period
    if not when.year_guessed or before is None or before.first is None or before.last is None:
        return period
    year = before.last.year
    if before.first.year != year or period.first is None or period.last is None:
        return period
    ends = (_same_day(period.first, year), _same_day(period.last, year))
    return QueryPeriod.model_validate({"from": ends[0], "to": ends[1]})


def _same_day(day: date, year: int) -> date:
    """The same day of another year; the last of a month stays the last."""
    last = last_day(year, day.month)
    return last if last_day(day.year, day.month) == day else day.replace(year=year)


def carried(c: Composer, query: SemanticQuery, home: str) -> tuple[Condition, ...] | None:
    """The conditions of a query as conditions on rows of another entity; nothing where they cannot be."""
    own, carried_over = home_of(query), list[Condition]()
    for part in parts_of(query.where):
        if home == own:
            carried_over.append(part)
            continue
        target = part.related if isinstance(part, Related) and part.count is None else None
        entity = home_of(target) if target is not None and not target.by else None
        if target is not None and entity == home:
            carried_over += [Related(related=target)] if target.limit else parts_of(target.where)
            continue
        near = [Related(related=target, via=names_of(way)) for way in c.ways(home, entity)] if entity else []
        far = [Related(related=SemanticQuery(of=own, where=part), via=names_of(way)) for way in c.ways(home, own)]
        ways = near or far
        if len(ways) != 1:
            return None
        carried_over.append(ways[0])
    return tuple(carried_over)


def refigured(
    c: Composer, query: SemanticQuery, figures: FigurePhrase, own: tuple[Condition, ...] = ()
) -> Iterator[Change]:
    """Another figure of the same rows, at the same time, divided by the same; `own` are conditions of the old figure only."""
    rest = [part for part in parts_of(query.where) if part not in own]
    where = carried(c, with_where(query, rest), figures.home)
    if where is None or query.compare is not None or query.having is not None or figures.direction is not None:
        return
    if any(one.where or one.rows for one in query.show):
        return  # what its own figure says would be lost
    if transform := query.show[0].transform if query.show else None:
        figures = replace(
            figures, shown=tuple(one.model_copy(update={"transform": transform}) for one in figures.shown)
        )
    taken = [place for one in figures.where if (place := place_of(c, one))]
    kept = tuple(part for part in where if place_of(c, part) not in taken)
    period = figures.period or query.period
    if period is not None and not (c.dated(figures.home) or c.default_date(figures.home, figures.shown[0].measure)):
        return
    base = replace(figures, where=merged(kept, figures.where), period=period)
    if query.lists:
        yield from _figures_of_rows(c, query, base)
        return
    dimensions = figures.by or tuple(
        one if figures.home == home_of(query) else one.model_copy(update={"via": ()}) for one in query.by
    )
    order = tuple(replace_order(query, figures.shown[0]))
    if query.order and not order:
        return
    made = replace(base, by=dimensions, order=order, limit=query.limit, skip=query.skip).query()
    if query.limit is None:
        yield made, ()
        return
    same = list(_of_first_ones(c, query, base))
    yield from [(made, ()), *same] if same else []


def _of_first_ones(c: Composer, query: SemanticQuery, base: FigurePhrase) -> Iterator[Change]:
    """Another figure of the same first ones: the number of invoices of the top 3 customers by revenue."""
    rows = rows_of(c, query)
    if rows is None or base.by:
        return
    for found in c.relate(base.home, rows):
        divided = replace(base, where=merged(base.where, (found,)), by=(Dimension(entity=rows.entity),))
        yield divided.query(), ()


def _figures_of_rows(c: Composer, query: SemanticQuery, base: FigurePhrase) -> Iterator[Change]:
    """A figure of listed rows: of all together, or of each."""
    if query.limit is not None:
        return
    yield base.query(), ()
    own = home_of(query)
    if not is_named(c, query) and own != base.home:
        yield replace(base, by=(Dimension(entity=own),)).query(), ()


def replace_order(query: SemanticQuery, shown: Shown) -> Iterator[OrderBy]:
    """The order of a query with another figure in the place of the one that it shows."""
    for order in query.order:
        if order.by == query.show[0]:
            yield order.model_copy(update={"by": shown})


def other_aggregate(c: Composer, query: SemanticQuery, aggregate: Aggregate) -> Iterator[Change]:
    """The average in the place of the sum, of the same values."""
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is None or query.compare is not None or shown.transform is not None or shown.rows is not None:
        return
    path = shown.field if shown.aggregate is not None else None
    if shown.measure is not None:
        entity, measure = c.model.measures[shown.measure]
        plain = measure.where is None and measure.expression in c.model.things[entity].fields
        path = f"{entity}.{measure.expression}" if plain else None
    if path is None:
        return
    changed = Shown(aggregate=aggregate, field=path, where=shown.where, via=shown.via)
    if changed == shown:
        return
    order = tuple(replace_order(query, changed))
    if len(order) == len(query.order) and query.having is None:
        yield query.model_copy(update={"show": (changed,), "order": order}), ()


def undivided(query: SemanticQuery) -> Iterator[Change]:
    """In total: all groups together. Of the first three it may be those three, or all."""
    if query.lists or not query.by or not query.show:
        return
    loose = {"by": (), "order": (), "limit": None, "skip": 0, "per": (), "having": None}
    figures = tuple(one.model_copy(update={"transform": None}) if one.where is None else one for one in query.show)
    yield query.model_copy(update={**loose, "show": figures}), ()
    some = query.limit is not None or query.having is not None
    if some and (total := over_rows(query, Aggregate.SUM)) is not None:
        yield total, ()


def over_list(c: Composer, query: SemanticQuery, aggregate: Aggregate) -> Iterator[Change]:
    """The sum, average or the like of the one number that a list shows."""
    number, rows = shown_number(c, query), rows_of(c, query)
    if number is not None and rows is not None:
        figure = c.aggregated(replace(number, aggregate=aggregate), rows)
        if figure is not None:
            yield figure.query(), ()


def number_of(c: Composer, query: SemanticQuery) -> Iterator[Change]:
    """How many rows or groups a query found."""
    rows = rows_of(c, query)
    if rows is not None and (figure := c.count(rows)):
        yield figure.query(), ()
    elif (over := over_rows(query, Aggregate.COUNT)) is not None:
        yield over, ()


def as_share(query: SemanticQuery) -> Iterator[Change]:
    """A figure as its part of the whole: of all groups, or of what its conditions leave out."""
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is None or query.lists or query.compare or query.having:
        return
    if shown.transform or shown.unit or shown.rows or shown.where:
        return
    if query.by:
        share = shown.model_copy(update={"transform": Transform.SHARE})
        order = tuple(replace_order(query, share))
        yield query.model_copy(update={"show": (share,), "order": order}), ()
        return
    parts = parts_of(query.where)
    for moved in dict.fromkeys((parts, *((part,) for part in parts))) if parts else ():
        share = shown.model_copy(update={"transform": Transform.SHARE, "where": all_of(moved)})
        rest = [part for part in parts if part not in moved]
        yield with_where(query.model_copy(update={"show": (share,)}), rest), ()


def over_rows(query: SemanticQuery, aggregate: Aggregate) -> SemanticQuery | None:
    """A figure of all rows of a query that is divided by something: their sum, average or number."""
    shown = query.show[0] if len(query.show) == 1 else None
    counts = aggregate is Aggregate.COUNT
    if query.lists or not query.by or query.compare is not None or (not counts and shown is None):
        return None
    if any(one.transform or one.unit for one in query.show):
        return None
    inner = query if query.limit is not None else query.model_copy(update={"order": ()})
    return SemanticQuery(show=(Shown(aggregate=aggregate, rows=inner),), of=home_of(query))


def shown_number(c: Composer, query: SemanticQuery) -> Attribute | None:
    """The one number that a list shows of its rows."""
    paths = [one.field for one in query.show if one.field] if query.lists else []
    paths = paths or [one.by.field for one in query.order if one.by.is_field and one.by.field]
    numbers = []
    for path in dict.fromkeys(paths):
        entity, _, name = path.partition(".")
        if c.model.things[entity].fields[name].column.type in NUMERIC and entity == home_of(query):
            numbers.append(Attribute(entity, name))
    return numbers[0] if len(numbers) == 1 else None
