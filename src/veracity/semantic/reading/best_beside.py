"""The school with the highest score, where scores stand in a table of their own, one row for each school: the score is told beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from veracity.semantic.graph import SemanticModel, is_to_one
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Dimension,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)
from veracity.semantic.query_values import Grain
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import Attribute, RowsPhrase
from veracity.semantic.reading.word_senses import Tagged


def with_its_figure(query: SemanticQuery, model: SemanticModel) -> SemanticQuery:
    """The query, or the same in the order of the figure, so that it is told; only where each row has one such figure and no other."""
    best = query.where
    if not isinstance(best, Related) or query.order or query.by or query.period or not query.lists or best.count:
        return query
    inner = best.related
    plain = SemanticQuery(of=inner.of, order=inner.order, limit=inner.limit, skip=inner.skip)
    way = model.way(query.of or "", best.via)
    if inner != plain or not inner.limit or len(inner.order) != 1 or way is None:
        return query
    by = inner.order[0].by
    if not by.field or by.via or by.aggregate or not is_to_one(way) or not is_to_one(model.back(way)):
        return query
    told = by.model_copy(update={"via": tuple(best.via or ())})
    order = (OrderBy(by=told, descending=inner.order[0].descending),)
    show = tuple(dict.fromkeys((*query.show, told)))
    changed = {"where": None, "order": order, "limit": inner.limit, "skip": inner.skip, "show": show}
    return query.model_copy(update=changed).normalized()


def with_its_text(query: SemanticQuery, model: SemanticModel) -> SemanticQuery:
    """Rows that were found by a part of a text, with that text beside them."""
    thing = model.things.get(query.of or "") if query.lists else None
    if thing is None:
        return query
    told = {*(f"{thing.name}.{name}" for name in thing.display), *(one.field for one in query.show if not one.via)}
    alike = [one for one in parts_of(query.where) if isinstance(one, Comparison) and one.op == "like" and not one.via]
    more = dict.fromkeys(Shown(field=one.field) for one in alike if one.field not in told)
    return query.model_copy(update={"show": (*query.show, *more)}).normalized() if more else query


def tells_its_figure(query: SemanticQuery) -> bool:
    """Whether what is asked for is the first by a figure that stands beside it."""
    return bool(query.limit and query.order)


def by_each_measure(query: SemanticQuery, tagged: Tagged) -> Iterator[SemanticQuery]:
    """The query; where a word stands for two measures, gross and net revenue, and one of them decides, also with the other in its place."""
    yield query
    said = (one.phrase.shown for one in tagged.mentions if isinstance(one.phrase, FigurePhrase))
    together = next((shown for shown in said if len(shown) > 1 and set(shown) <= set(query.show)), ())
    if together and query.order and query.order[0].by == together[0]:
        for other in together[1:]:
            order = (query.order[0].model_copy(update={"by": other}), *query.order[1:])
            yield query.model_copy(update={"order": order})


def or_by_number(query: SemanticQuery, tagged: Tagged) -> Iterator[SemanticQuery]:
    """The query; and where the most of what is a figure and the name of rows is asked for, also by how many rows: the most claim amounts."""
    yield query
    shown = query.show[0] if len(query.show) == 1 else None
    if shown is None or shown.aggregate is not Aggregate.SUM or not query.order or query.order[0].by != shown:
        return
    most = {one.end for one in tagged.mentions if isinstance(one.phrase, Superlative) and one.phrase.counts}
    rows = {
        (one.start, one.end)
        for one in tagged.mentions
        if isinstance(one.phrase, RowsPhrase) and one.phrase.entity == query.of
        if one.phrase.plural or tagged.tokens[one.start - 1].text == "meisten"
    }
    for one in tagged.mentions:
        named = isinstance(one.phrase, Attribute) and one.phrase.path == shown.field
        if named and one.start in most and (one.start, one.end) in rows:
            number = Shown(aggregate=Aggregate.COUNT, of=query.of)
            order = (query.order[0].model_copy(update={"by": number}), *query.order[1:])
            yield query.model_copy(update={"show": (number,), "order": order}).normalized()
            return


def told_once(queries: Sequence[SemanticQuery]) -> tuple[SemanticQuery, ...]:
    """The queries without those that another one tells, too, with the figure beside it that it is ordered by or compares."""
    once_each = (one.model_copy(update={"show": tuple(dict.fromkeys(one.show))}) for one in queries)
    queries = tuple(dict.fromkeys(map(_without_implied, once_each)))
    left = [one for one in queries if not any(_tells_more(o, one) or _tells_best_of(o, one) for o in queries)]
    once: dict[tuple[frozenset[Shown], str], SemanticQuery] = {}
    for one in left:  # the same columns in another order are the same answer
        rest = one.model_copy(update={"show": ()}) if one.lists else one
        once.setdefault((frozenset(one.show) if one.lists else frozenset(), rest.canonical_json()), one)
    return tuple(once.values())


def of_one_row(queries: Sequence[SemanticQuery], model: SemanticModel) -> tuple[SemanticQuery, ...]:
    """The queries without those that tell the values of fields which another one tells of the one row that is named."""
    return tuple(one for one in queries if not any(_lists_same(other, one, model) for other in queries))


def _lists_same(rows: SemanticQuery, values: SemanticQuery, model: SemanticModel) -> bool:
    """Whether what one row is called by is listed with the fields whose values are to be told of it: of JetBlue the abbreviation."""
    where, fields = rows.where, [one.field for one in values.by if one.field]
    if rows.of not in model.things or not fields or not isinstance(where, Comparison) or where.op != "=":
        return False
    if [where.field] != [f"{rows.of}.{name}" for name in model.things[rows.of].display]:
        return False
    shown = tuple(Shown(field=field) for field in fields)
    told = SemanticQuery(by=tuple(Dimension(field=field) for field in fields), where=where)
    return rows == SemanticQuery(of=rows.of, show=shown, where=where) and values == told


def _without_implied(query: SemanticQuery) -> SemanticQuery:
    """The query without conditions that another one implies: who leads the class 1b leads a class."""
    parts = parts_of(query.where)
    related = [one for one in parts if isinstance(one, Related) and one.count is None and not _is_any(one)]
    narrowed = {(one.related.of, one.via) for one in related}
    kept = [one for one in parts if not (_is_any(one) and (one.related.of, one.via) in narrowed)]
    if len(kept) == len(parts):
        return query
    return query.model_copy(update={"where": all_of(kept)}).normalized()


def _is_any(part: Condition) -> TypeGuard[Related]:
    """Whether a condition is only that there is such a row."""
    return isinstance(part, Related) and part.count is None and part.related == SemanticQuery(of=part.related.of)


def _tells_more(wider: SemanticQuery, one: SemanticQuery) -> bool:
    more = [shown for shown in wider.show if shown not in one.show]
    by = {order.by for order in one.order} | {
        Shown(field=part.field) for part in parts_of(one.where) if isinstance(part, Comparison) and part.op in "<=>="
    }
    same = wider.model_copy(update={"show": one.show}) == one and set(one.show) <= set(wider.show)
    return bool(more) and same and one.lists and all(shown in by for shown in more)


def _tells_best_of(best: SemanticQuery, one: SemanticQuery) -> bool:
    """Whether a query tells the best row of some, where the other asks whether the best of all rows is one of these.

    The city with the most people in France is the largest of France; the cost of the dearest treatment is what that one cost.
    """
    if best.of is None or best.limit is None or best.by or best.per or one.of != best.of or one.order or one.by:
        return False
    asked = SemanticQuery(of=best.of, order=best.order, limit=best.limit, skip=best.skip)
    parts = [part for part in parts_of(one.where) if part != Related(related=asked)]
    narrowed = len(parts) < len(parts_of(one.where))
    return narrowed and best.period == one.period and set(parts) == set(parts_of(best.where))


def by_stored_year(queries: Sequence[SemanticQuery], model: SemanticModel) -> tuple[SemanticQuery, ...]:
    """The queries without those that compute the year from a date, where another one has it as it is stored."""
    years = {
        f"{thing.name}.{name}": thing.name
        for thing in model.things.values()
        for name, facts in thing.fields.items()
        if facts.part == "year" and facts.column.name.casefold() == "year"
    }
    stored = [one for one in queries if len(one.by) == 1 and one.by[0].field in years]

    def is_same(one: SemanticQuery) -> bool:
        by = one.by[0] if len(one.by) == 1 else None
        if by is None or by.grain is not Grain.YEAR or by.via:
            return False
        home = (by.field or "").rpartition(".")[0]
        own = (other for other in stored if years[other.by[0].field or ""] == home)
        return any(other.model_copy(update={"by": one.by}) == one for other in own)

    return tuple(one for one in queries if not is_same(one))


def by_its_grain(queries: Sequence[SemanticQuery]) -> tuple[SemanticQuery, ...]:
    """The queries without those that divide by the days of a date which is called month, where another one divides by its months."""
    grained = {one.model_copy(update={"by": tuple(_whole(by) for by in one.by)}) for one in queries if _grains(one)}
    return tuple(one for one in queries if _grains(one) or one not in grained)


def _grains(query: SemanticQuery) -> bool:
    return any(one.grain is not None for one in query.by)


def _whole(by: Dimension) -> Dimension:
    return by.model_copy(update={"grain": None})
