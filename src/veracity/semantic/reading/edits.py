"""Changes of a semantic query: another condition, period or figure in the place of one that it has, or added to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from veracity.semantic.graph import is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    InSegment,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)
from veracity.semantic.reading.chart import OTHER_ENTITY, STEP, MadePhrase
from veracity.semantic.reading.compose import Composer
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import About, CountedRows, Edited
from veracity.semantic.reading.phrases import RowFilter, RowsPhrase, SegmentWord, merged
from veracity.semantic.reading.related_rows import steps_of

ADDED = "what replaces something of its kind before what is added"
UNNAMED = "a name of what the answer lists or is divided by before another"
Change = tuple[SemanticQuery, tuple[str, ...]]
"""A changed query, and the preferences that it passes over."""
Conditions = tuple[tuple[Condition, ...], tuple[str, ...]]
_KINDS = {"=": "is", "in": "is", "<": "below", "<=": "below", ">": "above", ">=": "above", "notMissing": "missing"}
_RANGES = frozenset({"below", "above", "between"})


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


def unnamed(query: SemanticQuery, phrase: object) -> tuple[str, ...]:
    """The mark of words that are about something else than what an answer shows a row of."""
    rows = phrase.rows if isinstance(phrase, About) else phrase
    if not isinstance(rows, RowsPhrase | RowFilter):
        return ()
    fields = {part.field for part in rows.where if isinstance(part, Comparison)}
    if query.by:
        named = any(one.entity == rows.entity or one.field in fields for one in query.by)
    else:
        named = rows.entity == home_of(query)
    return () if named else (UNNAMED,)


def names_one(c: Composer, condition: Condition, entity: str) -> bool:
    """Whether a condition is about the rows of an entity that are called by one name."""
    if not isinstance(condition, Related) or condition.count is not None:
        return False
    return home_of(condition.related) == entity and not condition.related.by and is_named(c, condition.related)


def conditions_on(c: Composer, home: str, phrase: RowFilter | RowsPhrase | About | SegmentWord) -> Iterator[Conditions]:
    """What some words say of rows of an entity, one for each way that they may be related."""
    match phrase:
        case SegmentWord():
            yield from conditions_on(c, home, RowFilter(phrase.entity, (phrase.condition,)))
        case RowFilter(entity=entity) if entity == home:
            yield phrase.where, ()
        case RowFilter():
            yield from _on_related(c, home, phrase)
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


def _on_related(c: Composer, home: str, filtered: RowFilter) -> Iterator[Conditions]:
    """A condition on what rows are related with; a bare value only where there is one such row."""
    related = SemanticQuery(of=filtered.entity, where=all_of(filtered.where))
    for way in c.ways(home, filtered.entity):
        if not filtered.is_value or is_to_one(way):
            yield (Related(related=related, via=names_of(way)),), (OTHER_ENTITY, *[STEP] * len(way))


def renamed(
    c: Composer, query: SemanticQuery, phrase: RowFilter | RowsPhrase | About | SegmentWord
) -> Iterator[Change]:
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
        if not isinstance(inner, Related):
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
    left, may_add = _without_places(c, query, old, new, replaces=replaces)
    if len(left) < len(old):
        yield with_where(query, (*left, *new)), ()
        if may_add:
            yield with_where(query, (*old, *new)), ()
    elif query.limit is None or replaces:
        yield with_where(query, (*old, *new)), (ADDED,)
        for where in _about_the_same(c, query, new):
            yield with_where(query, where), (ADDED,)
    else:
        yield from _among_first(query, new)


def _about_the_same(c: Composer, query: SemanticQuery, new: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
    """Employees of customers in France, with a company: it may be another customer, or the same one."""
    old, only = parts_of(query.where), new[0] if len(new) == 1 else None
    if not isinstance(only, Related) or only.count is not None or _leads_to_one(c, query, only.via):
        return
    for number, part in enumerate(old):
        if isinstance(part, Related) and part.via == only.via and part.count is None and part.related.limit is None:
            both = with_where(part.related, (*parts_of(part.related.where), *parts_of(only.related.where)))
            if not part.related.by and only.related.limit is None:
                yield (*old[:number], part.model_copy(update={"related": both}), *old[number + 1 :])


def _in_figure(c: Composer, query: SemanticQuery, shown: Shown, new: tuple[Condition, ...]) -> Iterator[Change]:
    """What share comes from Germany: a condition of the figure itself; what is added may be about the whole, too."""
    own = parts_of(shown.where)
    left, _ = _without_places(c, query, own, new, replaces=True)
    narrowed = shown.model_copy(update={"where": all_of(merged(left, new))})
    yield query.model_copy(update={"show": (narrowed,)}), () if len(left) < len(own) else (ADDED,)
    if len(left) == len(own):
        yield with_where(query, (*parts_of(query.where), *new)), (ADDED,)


def _without_places(
    c: Composer, query: SemanticQuery, old: tuple[Condition, ...], new: tuple[Condition, ...], *, replaces: bool
) -> tuple[tuple[Condition, ...], bool]:
    """The conditions that are not about the same as new ones; and whether both together may be meant, too."""
    taken = [place for one in new if (place := place_of(c, one))]
    left, may_add = list[Condition](), False
    for part in old:
        place, met = place_of(c, part), part.condition if isinstance(part, Negation) else part
        if place in taken:
            several = isinstance(met, Related) and not _leads_to_one(c, query, met.via)
            turned = met in new or Negation(condition=met) in new
            may_add = may_add or (several and not turned and not replaces)
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


def _are_apart(one: Comparison, other: Comparison) -> bool:
    """Whether two spans of one field have nothing in common: in 2023, and from 2024 to 2025."""
    if one.field != other.field or (one.op, other.op) != ("between", "between"):
        return False
    (start, end), (first, last) = (
        map(str, span.value) if isinstance(span.value, tuple) else ("", "") for span in (one, other)
    )
    return (
        bool(start and first)
        and (len(start), len(end)) == (len(first), len(last)) == (10, 10)
        and (end < first or last < start)
    )


def contradicts(query: SemanticQuery) -> bool:
    """Whether no row can meet the conditions: one row has one country, and not one and none."""
    left: dict[tuple[str, object], set[object]] = {}
    for part in parts_of(query.where):
        if isinstance(part, Related) and contradicts(part.related):
            return True
        either = part.conditions if isinstance(part, AnyOf) else (part,)
        if any(isinstance(one, AllOf) and contradicts(SemanticQuery(of=query.of, where=one)) for one in either):
            return True
        same = [one for one in either if isinstance(one, Comparison) and one.op in ("=", "in") and not one.via]
        fields = {(one.field, one.grain) for one in same}
        if len(same) < len(either) or len(fields) != 1:
            continue
        values: set[object] = set()
        for one in same:
            values |= set(one.value) if isinstance(one.value, tuple) else {one.value}
        if not any(isinstance(value, SemanticQuery) for value in values):
            field = fields.pop()
            left[field] = left.get(field, values) & values
    compared = [part for part in parts_of(query.where) if isinstance(part, Comparison) and not part.via]
    empty = {part.field for part in compared if part.op == "missing"}
    if any(part.field in empty for part in compared if part.op != "missing"):
        return True
    if any(_are_apart(one, other) for at, one in enumerate(compared) for other in compared[:at]):
        return True
    nested = [shown.rows for shown in query.show if shown.rows is not None]
    return not all(left.values()) or any(contradicts(inner) for inner in nested)


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
    for condition in dict.fromkeys(_exceptions(c, query, whole)):
        changed = with_where(query, (*old, condition))
        if query.limit is None:
            yield changed, ()
        elif (among := among_found(query)) is not None:
            yield changed, ()
            yield with_where(among, (*parts_of(among.where), condition)), ()


def _exceptions(c: Composer, query: SemanticQuery, whole: Condition) -> Iterator[Condition]:
    match whole:
        case Comparison():
            yield Negation(condition=whole)
            yield AnyOf(
                conditions=(Negation(condition=whole), whole.model_copy(update={"op": "missing", "value": None}))
            )
        case Related(related=related) if related.where is not None and related.limit is None:
            others = with_where(related, (Negation(condition=related.where),))
            if whole.count is None and _leads_to_one(c, query, whole.via):
                yield whole.model_copy(update={"related": others})
            yield Negation(condition=whole)
        case _:
            yield Negation(condition=whole)


def made(earlier: Edited, changes: Iterable[Change]) -> Iterator[MadePhrase]:
    """What words make of the last query; nothing where they change nothing."""
    for query, marks in changes:
        if query != earlier.query:
            yield MadePhrase(replace(earlier, query=query, changed=True), marks)
