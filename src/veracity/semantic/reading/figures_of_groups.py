"""Figures of several kinds of rows side by side: the employees of a store beside its revenue, whoever of them sold something, and whenever they came."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.contracts import QueryValidationError
from veracity.semantic.checking.check import check
from veracity.semantic.graph import SemanticModel, Way, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    AnyOf,
    Comparison,
    Dimension,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)
from veracity.semantic.reading.compose import Composer


def stands(query: SemanticQuery, model: SemanticModel) -> bool:
    """Whether a query keeps the rules; what is left open between two ways is asked later."""
    return not isinstance(found := check(query, model), QueryValidationError) or "way" in (found.hint or "")


def each_in_its_time(c: Composer, query: SemanticQuery) -> Iterator[SemanticQuery]:
    """The query, with its figures told of the rows and of the time that each is about; nothing where that cannot be said."""
    if (apart := _ratio_of_two(query, c.model)) is not None:
        yield from _ratio_in_time(c, query, apart)
        return
    homes = {_home(one, c.model) or query.of or "" for one in query.show if not one.is_field}
    if query.lists or query.compare is not None or len(homes) < 2 or any(one.rows or one.ratio for one in query.show):
        yield query
    elif any(owns(c.model, query, home) for home in homes):
        told = from_group(c, query)
        if told is not None and stands(told, c.model):
            yield told
    elif query.period is None or all(_is_timed(c, query, one) for one in query.show):
        yield query
    else:
        yield from _timed_apart(c, query)


def _ratio_of_two(query: SemanticQuery, model: SemanticModel) -> tuple[Shown, Shown] | None:
    """The two figures of a ratio, where they are of different tables that have times of their own."""
    ratio = query.show[0].ratio if len(query.show) == 1 else None
    if ratio is None or any(one.rows or one.ratio or not _home(one, model) for one in ratio):
        return None
    homes = [_home(one, model) or "" for one in ratio]
    dated = all(
        model.things[home].default_date or (one.measure and model.measures[one.measure][1].date)
        for home, one in zip(homes, ratio, strict=True)
    )
    return ratio if homes[0] != homes[1] and dated and query.of == homes[1] else None


def _ratio_in_time(c: Composer, query: SemanticQuery, ratio: tuple[Shown, Shown]) -> Iterator[SemanticQuery]:
    """Refunds of 2024 in percent of the revenue of 2024: each by its own date; by months they have no common one."""
    if any(one.is_dated for one in query.by) or query.compare is not None:
        return
    if query.period is None:
        yield query
        return
    sides = []
    for one in ratio:
        during = c.during(_home(one, c.model) or "", query.period, one.measure)
        if during is None:
            return
        sides.append(one.model_copy(update={"where": all_of((one.where, during))}))
    timed = query.show[0].model_copy(update={"ratio": (sides[0], sides[1])})
    order = tuple(one.model_copy(update={"by": timed}) if one.by == query.show[0] else one for one in query.order)
    yield query.model_copy(update={"show": (timed,), "order": order, "period": None})


def owns(model: SemanticModel, query: SemanticQuery, home: str) -> bool:
    """Whether each group is a row that has rows of its own to count: a store its employees, whoever of them sold something."""
    group = query.by[0].entity if not query.lists and len(query.by) == 1 else None
    if not group or home in (group, query.of) or group == query.of:
        return False
    ways = model.ways(group, home)
    way = model.way(query.of or "", query.by[0].via) if query.by[0].via else _only(model.ways(query.of or "", group))
    passes = way is not None and any(step.end == home for step in way)
    return len(ways) == 1 and len(ways[0]) == 1 and not ways[0][0].to_one and not passes


def from_group(c: Composer, query: SemanticQuery) -> SemanticQuery | None:
    """The query from where its groups are: what holds for its rows is said of their figures, not of those beside them."""
    group, of = query.by[0].entity or "", query.of or ""
    way = c.model.way(of, query.by[0].via) if query.by[0].via else _only(c.model.ways(of, group))
    if way is None or query.having or query.per or (query.where is not None and query.limit is None):
        return None
    show = [_seen_from(c, query, one, group, way) for one in query.show]
    order = [_seen_from(c, query, one.by, group, way) for one in query.order]
    if any(one is None for one in (*show, *order)):
        return None
    ordered = (one.model_copy(update={"by": by}) for by, one in zip(order, query.order, strict=True))
    changed = {"show": tuple(show), "of": group, "by": (Dimension(entity=group),), "order": tuple(ordered)}
    return query.model_copy(update={**changed, "where": None, "period": None})


def _seen_from(c: Composer, query: SemanticQuery, shown: Shown, group: str, way: Way) -> Shown | None:
    """One of its figures from where the groups are."""
    home, of = _home(shown, c.model), query.of or ""
    if shown.is_field or shown.via or shown.transform or not home:
        return None
    own = home == of
    ways = (c.model.back(way),) if own else c.model.ways(group, home)
    timed = query.period is not None and _is_timed(c, query, shown)
    during = c.during(home, query.period, shown.measure) if timed and query.period is not None else None
    if len(ways) != 1 or (timed and during is None):
        return None
    where = all_of((shown.where, query.where if own else None, during))
    return shown.model_copy(update={"via": names_of(ways[0]), "where": where})


def _timed_apart(c: Composer, query: SemanticQuery) -> Iterator[SemanticQuery]:
    """The time said of the figures that are about it only; also of all, where the others have a date that goes without saying."""
    show, dated = [], False
    for one in query.show:
        home = _home(one, c.model) or query.of or ""
        if not _is_timed(c, query, one):
            show.append(one)
            dated = dated or c.model.things[home].default_date is not None
            continue
        during = c.during(home, query.period, one.measure) if query.period is not None else None
        if during is None:
            return
        show.append(one.model_copy(update={"where": all_of((one.where, during))}))
    order = [show[query.show.index(one.by)] if one.by in query.show else None for one in query.order]
    if all(order):
        ordered = (one.model_copy(update={"by": by}) for one, by in zip(query.order, order, strict=True))
        told = query.model_copy(update={"show": tuple(show), "order": tuple(ordered), "period": None})
        if stands(told, c.model):
            yield told
    if dated:
        yield query


def _is_timed(c: Composer, query: SemanticQuery, shown: Shown) -> bool:
    """Whether the time of the query is about a figure: not about the products that are sold, each of which has a date of its own."""
    of, home = query.of or "", _home(shown, c.model)
    if home is None or home == of or shown.is_field:
        return True
    ways = c.model.ways(of, home)
    above = bool(ways) and all(map(is_to_one, ways))
    first = next((one.measure for one in query.show if _home(one, c.model) == of), None)
    return not above or c.default_date(of, first) == c.default_date(home, shown.measure)


def _home(shown: Shown, model: SemanticModel) -> str | None:
    if shown.measure is not None:
        return model.measures[shown.measure][0]
    return shown.of or (shown.field or "").rpartition(".")[0] or None


def _only(ways: tuple[Way, ...]) -> Way | None:
    return ways[0] if len(ways) == 1 else None


def added_together(query: SemanticQuery) -> SemanticQuery:
    """Rent and wages together: one figure of the rows of both, where these are figures of one measure."""
    first, *others = query.show
    same = all(one.model_copy(update={"where": None}) == first.model_copy(update={"where": None}) for one in others)
    wheres = tuple(one.where for one in query.show if one.where is not None)
    if not others or not same or first.measure is None or len(wheres) < len(query.show) or query.order:
        return query
    return query.model_copy(update={"show": (first.model_copy(update={"where": AnyOf(conditions=wheres)}),)})


def either_mean(query: SemanticQuery, words: tuple[str, ...]) -> Iterator[SemanticQuery]:
    """The query; and where an average is asked of two values joined by and, also the average of each of them."""
    yield query
    means = (Aggregate.AVG, Aggregate.MEDIAN)
    if query.by or len(query.show) != 1 or query.show[0].aggregate not in means or query.compare is not None:
        return
    for part in parts_of(query.where):
        inner = part.related.where if isinstance(part, Related) and part.count is None else part
        if isinstance(inner, Comparison) and inner.op == "in" and isinstance(inner.value, tuple):
            via = part.via if isinstance(part, Related) else inner.via
            if not any(word in ("or", "oder", "或", "或者") for word in words):
                yield query.model_copy(update={"by": (Dimension(field=inner.field, via=via),)})
