"""Changes of a semantic query: another condition, period or figure in the place of one that it has, or added to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import TypeGuard

from veracity.semantic.graph import is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    InSegment,
    Negation,
    OrderBy,
    QueryPeriod,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    last_day,
    parts_of,
)
from veracity.semantic.reading.compose import OTHER_ENTITY, STEP, Composer, dated_within, steps_of
from veracity.semantic.reading.phrases import (
    About,
    Attribute,
    CountedRows,
    FigurePhrase,
    RowFilter,
    RowsPhrase,
    SaidPeriod,
    SegmentWord,
    merged,
)
from veracity.sources.source import NUMERIC

ADDED = "what replaces something of its kind before what is added"
Change = tuple[SemanticQuery, tuple[str, ...]]
"""A changed query, and the preferences that it passes over."""
Conditions = tuple[tuple[Condition, ...], tuple[str, ...]]
_KINDS = {"=": "is", "in": "is", "<": "below", "<=": "below", ">": "above", ">=": "above", "notMissing": "missing"}
_RANGES = frozenset({"below", "above", "between"})
_YEARS = range(1000, 2200)


def home_of(query: SemanticQuery) -> str:
    """The entity that a query is about."""
    if query.of is not None:
        return query.of
    first = query.by[0] if query.by else None
    return (first.entity or (first.field or "").split(".", 1)[0]) if first else ""


def figures_of(query: SemanticQuery) -> FigurePhrase | None:
    """The figures of a query as the words of a question say them; nothing where it computes none."""
    if not query.show or query.lists or query.per:
        return None
    return FigurePhrase(
        query.show,
        home_of(query),
        parts_of(query.where),
        query.by,
        query.period,
        query.order,
        query.limit,
        query.skip,
        parts_of(query.having),
        query.compare,
    )


def rows_of(c: Composer, query: SemanticQuery) -> RowsPhrase | None:
    """The rows that a query lists, counts or divides by; nothing where it is not said which rows they are."""
    of = home_of(query)
    if query.lists:
        plain = query.model_copy(update={"show": (), "order": query.order if query.limit else ()})
        if query.limit is not None:
            return RowsPhrase(of, where=(Related(related=plain),), plural=query.limit > 1 or bool(query.per))
        return RowsPhrase(of, where=parts_of(query.where), period=query.period, plural=not is_named(c, query))
    if len(query.by) == 1 and query.by[0].entity is not None and query.compare is None and query.show:
        return RowsPhrase(query.by[0].entity, where=(Related(related=query),), plural=True)
    counted = len(query.show) == 1 and query.show[0].aggregate is Aggregate.COUNT and query.show[0].of == of
    if counted and not query.by and query.compare is None and query.show[0].transform is None:
        where = merged(parts_of(query.where), parts_of(query.show[0].where))
        return RowsPhrase(of, where=where, period=query.period, plural=True)
    return None


def is_named(c: Composer, query: SemanticQuery) -> bool:
    """Whether a query is about what is called by one name."""
    home = home_of(query)
    names = {f"{home}.{name}" for name in c.model.things[home].display}
    return any(
        isinstance(one, Comparison) and one.op == "=" and not one.via and one.field in names
        for one in parts_of(query.where)
    )


# --- conditions


def conditions_on(c: Composer, home: str, phrase: RowFilter | RowsPhrase | About | SegmentWord) -> Iterator[Conditions]:
    """What some words say of rows of an entity, one for each way that they may be related."""
    match phrase:
        case SegmentWord():
            yield from conditions_on(c, home, RowFilter(phrase.entity, (phrase.condition,)))
        case RowFilter(entity=entity) if entity == home:
            yield phrase.where, ()
        case RowFilter():
            for way in c.ways(home, phrase.entity):
                if not phrase.is_value or is_to_one(way):
                    related = SemanticQuery(of=phrase.entity, where=all_of(phrase.where))
                    yield (Related(related=related, via=names_of(way)),), (OTHER_ENTITY, *[STEP] * len(way))
        case About(rows=CountedRows() as rows) if phrase.kind == "with" and not phrase.negated:
            for condition in c.relate(home, rows):
                yield (condition,), steps_of(condition)
        case About(rows=RowsPhrase() as rows):
            negated = phrase.negated != (phrase.kind == "without")
            for where, marks in conditions_on(c, home, rows):
                whole = all_of(where)
                yield ((Negation(condition=whole),) if negated and whole else where), marks
        case RowsPhrase(entity=entity) if entity == home and phrase.where and phrase.limit is None:
            yield phrase.where, ()
        case RowsPhrase(entity=entity) if entity != home:
            for condition in c.relate(home, phrase):
                yield (condition,), steps_of(condition)
        case _:
            return


def renamed(c: Composer, query: SemanticQuery, phrase: RowFilter | RowsPhrase | About | SegmentWord) -> Iterator[Change]:
    """The query with other rows where it speaks of rows of the same entity by the same field: states that border Bree, and Arda."""
    rows = phrase.rows if isinstance(phrase, About) and not phrase.negated and phrase.kind != "without" else phrase
    if not isinstance(rows, RowsPhrase | RowFilter) or not rows.where:
        return
    if isinstance(rows, RowsPhrase) and (rows.limit or rows.period):
        return
    for where in _renamed(c, parts_of(query.where), rows.entity, rows.where):
        yield with_where(query, where), ()


def _renamed(
    c: Composer, old: tuple[Condition, ...], entity: str, new: tuple[Condition, ...]
) -> Iterator[tuple[Condition, ...]]:
    for number, part in enumerate(old):
        inner = part.condition if isinstance(part, Negation) else part
        if not isinstance(inner, Related) or inner.related.limit is not None or inner.related.by:
            continue
        within = parts_of(inner.related.where)
        taken = {place for one in new if (place := place_of(c, one))}
        left = tuple(one for one in within if place_of(c, one) not in taken)
        changes = list(_renamed(c, within, entity, new))
        if inner.related.of == entity and len(left) < len(within):
            changes.append((*left, *new))
        for changed in changes:
            other: Condition = inner.model_copy(update={"related": with_where(inner.related, changed)})
            other = Negation(condition=other) if isinstance(part, Negation) else other
            yield (*old[:number], other, *old[number + 1 :])


def place_of(c: Composer, condition: Condition) -> tuple[object, ...] | None:
    """What a condition is about, whatever the value; nothing where that cannot be told."""
    match condition:
        case Comparison(field=field, op=op):
            entity, _, name = field.partition(".")
            facts = c.model.things[entity].fields.get(name) if entity in c.model.things else None
            kind = "when" if facts is not None and facts.is_date and op != "=" else _KINDS.get(op, op)
            return ("field", field, condition.via, condition.grain, kind)
        case Related(related=related) if related.limit is None and not related.by and condition.count is None:
            inner = tuple(place_of(c, part) for part in parts_of(related.where))
            return ("related", related.of, condition.via, *inner) if all(inner) else None
        case Negation():
            return place_of(c, condition.condition)
        case InSegment():
            return ("segment", condition.via)
        case AnyOf():
            places = {place_of(c, part) for part in condition.conditions}
            return places.pop() if len(places) == 1 else None
        case _:
            return None


def conditioned(c: Composer, query: SemanticQuery, new: tuple[Condition, ...], *, replaces: bool) -> Iterator[Change]:
    """The query under other conditions: in the place of those of the same kind, else added."""
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is not None and shown.rows is not None:
        for inner, marks in conditioned(c, shown.rows, new, replaces=replaces):
            yield query.model_copy(update={"show": (shown.model_copy(update={"rows": inner}),)}), marks
        return
    if shown is not None and shown.where is not None:
        yield from _in_figure(c, query, shown, new)
        return
    old = parts_of(query.where)
    left, may_add = _without_places(c, query, old, new)
    if len(left) < len(old):
        yield with_where(query, (*left, *new)), ()
        if may_add and not replaces:
            yield with_where(query, (*old, *new)), ()
    elif query.limit is None or replaces:
        yield with_where(query, (*old, *new)), (ADDED,)
    else:
        yield from _among_first(query, new)


def _in_figure(c: Composer, query: SemanticQuery, shown: Shown, new: tuple[Condition, ...]) -> Iterator[Change]:
    """What share comes from Germany: a condition of the figure itself; what is added may be about the whole, too."""
    own = parts_of(shown.where)
    left, _ = _without_places(c, query, own, new)
    narrowed = shown.model_copy(update={"where": all_of(merged(left, new))})
    yield query.model_copy(update={"show": (narrowed,)}), () if len(left) < len(own) else (ADDED,)
    if len(left) == len(own):
        yield with_where(query, (*parts_of(query.where), *new)), (ADDED,)


def _without_places(
    c: Composer, query: SemanticQuery, old: tuple[Condition, ...], new: tuple[Condition, ...]
) -> tuple[tuple[Condition, ...], bool]:
    """The conditions that are not about the same as new ones; and whether both together make sense, too."""
    taken = [place for one in new if (place := place_of(c, one))]
    left, may_add = list[Condition](), False
    for part in old:
        place, met = place_of(c, part), part.condition if isinstance(part, Negation) else part
        if place in taken:
            several = isinstance(met, Related) and not _leads_to_one(c, query, met.via)
            may_add = may_add or (several and met not in new and Negation(condition=met) not in new)
        elif place and any(_is_other_range(place, other) for other in taken):
            may_add = True
        else:
            left.append(part)
    return tuple(left), may_add


def _leads_to_one(c: Composer, query: SemanticQuery, via: tuple[str, ...]) -> bool:
    way = c.model.way(home_of(query), via)
    return way is not None and is_to_one(way)


def _is_other_range(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return one[:-1] == other[:-1] and one[-1] in _RANGES and other[-1] in _RANGES


def _among_first(query: SemanticQuery, new: tuple[Condition, ...]) -> Iterator[Change]:
    """A condition on the first ones in an order may be about all rows before, or about those that were first."""
    if (among := among_found(query)) is not None:
        yield with_where(query, (*parts_of(query.where), *new)), (ADDED,)
        yield with_where(among, (*parts_of(among.where), *new)), (ADDED,)


def among_found(query: SemanticQuery) -> SemanticQuery | None:
    """The same rows as those that a query with a limit found, without the limit."""
    loose = {"limit": None, "skip": 0, "per": ()}
    if query.lists:
        plain = query.model_copy(update={"show": ()})
        return query.model_copy(update={**loose, "where": Related(related=plain), "period": None})
    if len(query.by) == 1 and query.by[0].entity is not None and query.compare is None:
        found = Related(related=query, via=query.by[0].via)
        return query.model_copy(update={**loose, "where": all_of((query.where, found))})
    return None


def with_where(query: SemanticQuery, where: Iterable[Condition]) -> SemanticQuery:
    """The query under these conditions, each once."""
    return query.model_copy(update={"where": all_of(dict.fromkeys(where))})


def excluded(c: Composer, query: SemanticQuery, new: tuple[Condition, ...]) -> Iterator[Change]:
    """The query without some rows. Whether rows without a value stay is two readings; where there are none, both are one."""
    whole = all_of(new)
    old = parts_of(query.where)
    if whole is None or query.compare is not None or any(one.where or one.rows for one in query.show):
        return
    if all(part in old for part in new):  # without Germany, of Germany: all of them, or all others
        rest = tuple(part for part in old if part not in new)
        yield with_where(query, rest), ()
        old = rest
    for condition in dict.fromkeys(_exceptions(whole)):
        changed = with_where(query, (*old, condition))
        if query.limit is None:
            yield changed, ()
        elif (among := among_found(query)) is not None:
            yield changed, ()
            yield with_where(among, (*parts_of(among.where), condition)), ()


def _exceptions(whole: Condition) -> Iterator[Condition]:
    match whole:
        case Comparison():
            yield Negation(condition=whole)
            yield AnyOf(conditions=(Negation(condition=whole), whole.model_copy(update={"op": "missing", "value": None})))
        case Related(related=related) if related.where is not None and whole.count is None and related.limit is None:
            others = with_where(related, (Negation(condition=related.where),))
            yield whole.model_copy(update={"related": others})
            yield Negation(condition=whole)
        case _:
            yield Negation(condition=whole)


# --- periods


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
    if when.between:
        return
    if when.number is not None and (years := list(_other_year(c, query, when.number))):
        yield from years
        return
    dated = [part for part in parts_of(query.where) if _is_when(c, part)]
    period = _in_year_of(period_of(c, query), when)
    for part in dated:
        other = dated_within(part.field, period).model_copy(update={"via": part.via})
        yield with_where(query, [other if one == part else one for one in parts_of(query.where)]), ()
    if dated and query.period is None:
        return
    home, measure = home_of(query), query.show[0].measure if query.show else None
    if query.period is not None:
        ends = {"first": period.first, "last": period.last}
        yield query.model_copy(update={"period": query.period.model_copy(update=ends)}), ()
    elif c.dated(home) or c.default_date(home, measure):
        yield query.model_copy(update={"period": period}), ()
    else:
        for condition in c.within(home, period):
            yield from conditioned(c, query, (condition,), replaces=True)


def _is_when(c: Composer, part: Condition) -> TypeGuard[Comparison]:
    """Whether a condition says when, of a date that was named."""
    place = place_of(c, part)
    return isinstance(part, Comparison) and place is not None and place[-1] == "when" and part.op != "!="


def period_of(c: Composer, query: SemanticQuery) -> QueryPeriod | None:
    """The time that a query is about."""
    if query.period is not None:
        return query.period
    for part in parts_of(query.where):
        if _is_when(c, part) and isinstance(part.value, tuple) and part.op == "between":
            first, last = (str(end)[:10] for end in part.value)
            return QueryPeriod.model_validate({"from": first, "to": last})
    return None


def year_before(period: QueryPeriod | None) -> SaidPeriod | None:
    """The same period a year earlier."""
    if period is None or period.first is None or period.last is None:
        return None
    first, last = (_same_day(day, day.year - 1) for day in (period.first, period.last))
    return SaidPeriod(QueryPeriod.model_validate({"from": first, "to": last}))


def _other_year(c: Composer, query: SemanticQuery, year: int) -> Iterator[Change]:
    """States founded in 1800, and 1820: a year that is stored as a number."""
    old = parts_of(query.where)
    for place, part in enumerate(old):
        if isinstance(part, Comparison) and part.op == "=" and isinstance(part.value, int) and part.value in _YEARS:
            changed = part.model_copy(update={"value": year})
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
    last = last_day(day.year, day.month) == day
    return last_day(year, day.month) if last else day.replace(year=year)


# --- another figure, other rows


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
        far = [
            Related(related=SemanticQuery(of=own, where=part), via=names_of(way))
            for way in c.ways(home, own)
        ]
        ways = near or far
        if len(ways) != 1:
            return None
        carried_over.append(ways[0])
    return tuple(carried_over)


def refigured(c: Composer, query: SemanticQuery, figures: FigurePhrase) -> Iterator[Change]:
    """Another figure of the same rows, at the same time, divided by the same."""
    where = carried(c, query, figures.home)
    if where is None or query.compare is not None or query.having is not None or figures.direction is not None:
        return
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
    yield made, ()
    if query.limit is not None and figures.home == home_of(query) and not figures.where:
        yield query.model_copy(update={"show": (*query.show, *figures.shown)}), ()


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
