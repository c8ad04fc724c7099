"""How far a condition reaches: longer than the average of their genre, albums with tracks of more than one genre."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.semantic.graph import SemanticModel, Way, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    AllOf,
    AnyOf,
    Comparison,
    Condition,
    FigureComparison,
    Negation,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)


def average_of_their_own(query: SemanticQuery, model: SemanticModel, *, said: bool) -> Iterator[SemanticQuery]:
    """Above the average of their client is above that of the rows of the same client, not above that of all.

    Without a word such as `their` it may also be that they have a client and are above the average of all.
    """
    of, parts = query.of or "", parts_of(query.where)
    above = [one for one in parts if isinstance(one, Comparison) and _is_average(one, of)]
    having = [(one, way) for one in parts if isinstance(one, Related) and (way := _own_way(one, of, model))]
    if len(above) != 1 or len(having) != 1:
        yield query
        return
    if not said:
        yield query
    (mean,), ((group, way),) = above, having
    shown = Shown(aggregate=Aggregate.MAX, field=mean.field)
    among = Shown(aggregate=Aggregate.AVG, field=mean.field, via=(*names_of(way), *names_of(model.back(way))))
    compared = FigureComparison(show=shown, op=mean.op, than=among)
    rest = (one for one in parts if one is not mean and one is not group)
    yield query.model_copy(update={"where": all_of((*rest, compared))}).normalized()


def _is_average(condition: Comparison, of: str) -> bool:
    """Whether a field is compared with its average over the rows of the same kind."""
    mean = condition.value
    if not isinstance(mean, SemanticQuery) or condition.via or mean.of != of or len(mean.show) != 1:
        return False
    shown = mean.show[0]
    bare = all(
        isinstance(one, Related) and one.related == SemanticQuery(of=one.related.of) for one in parts_of(mean.where)
    )
    return shown.aggregate is Aggregate.AVG and shown.field == condition.field and not shown.rows and bare


def _own_way(condition: Related, of: str, model: SemanticModel) -> Way | None:
    """The way to the one row that each row belongs to, where nothing is said of that row."""
    if condition.count is not None or condition.related != SemanticQuery(of=condition.related.of):
        return None
    way = _way(of, condition, model)
    return way if way and is_to_one(way) else None


def _way(of: str, condition: Related, model: SemanticModel) -> Way | None:
    if condition.via:
        return model.way(of, condition.via)
    ways = model.ways(of, condition.related.of or "") if condition.related.of in model.things else ()
    return ways[0] if len(ways) == 1 else None


def by_their_role(query: SemanticQuery, model: SemanticModel) -> SemanticQuery:
    """Wards without a head doctor have nobody in that role; whether a doctor of theirs heads some ward is not asked."""
    where = _in_role(query.where, query.of or "", model)
    return query if where == query.where else query.model_copy(update={"where": where}).normalized()


def _in_role(condition: Condition | None, of: str, model: SemanticModel) -> Condition | None:
    match condition:
        case AllOf() | AnyOf():
            parts = tuple(_in_role(part, of, model) for part in condition.conditions)
            return condition.model_copy(update={"conditions": parts})
        case Negation():
            return condition.model_copy(update={"condition": _in_role(condition.condition, of, model)})
        case Related(count=None, related=SemanticQuery(where=Related(count=None) as inner) as rows):
            back = model.way(rows.of or "", inner.via) if inner.via else None
            plain = rows == SemanticQuery(of=rows.of, where=rows.where)
            bare = inner.related == SemanticQuery(of=of)
            if back and len(back) == 1 and back[0].inverse and back[0].has_role and bare and plain:
                return Related(via=names_of(model.back(back)), related=SemanticQuery(of=rows.of))
    return condition


def counted_from_above(query: SemanticQuery, model: SemanticModel) -> SemanticQuery:
    """Albums with tracks of more than one genre: a track has one genre, so those of the album are counted."""
    where = _lifted(query.where, query.of or "", model)
    return query if where == query.where else query.model_copy(update={"where": where}).normalized()


def _lifted(condition: Condition | None, of: str, model: SemanticModel) -> Condition | None:
    match condition:
        case AllOf() | AnyOf():
            parts = tuple(_lifted(part, of, model) for part in condition.conditions)
            return condition.model_copy(update={"conditions": parts})
        case Negation():
            return condition.model_copy(update={"condition": _lifted(condition.condition, of, model)})
        case Related(count=None, related=SemanticQuery(where=Related() as inner) as rows):
            outer, further = _way(of, condition, model), _way(rows.of or "", inner, model)
            plain = rows == SemanticQuery(of=rows.of, where=rows.where)
            if plain and inner.count is not None and outer and further and is_to_one(further):
                return inner.model_copy(update={"via": (*names_of(outer), *names_of(further))})
    return condition


def by_what_is_named(query: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """How many students enrolled in sections of each course: by the course of the section, not by a shorter way past it.

    Where the shorter way leads to one row, too, it may be meant as well.
    """
    of = query.of or ""
    named = [way for one in parts_of(query.where) if isinstance(one, Related) and (way := _whole_way(of, one, model))]
    for place, dimension in enumerate(query.by):
        end = dimension.entity or (dimension.field or "").rpartition(".")[0]
        ways = model.ways(of, end) if end != of and not dimension.via else ()
        for way in named if len(ways) == 1 else ():
            further = model.ways(way[-1].end, end)
            past = len(further) == 1 and is_to_one(further[0]) and not set(way) & set(ways[0]) and way[-1].end != end
            if not past:
                continue
            over = dimension.model_copy(update={"via": (*names_of(way), *names_of(further[0]))})
            by = tuple(over if number == place else one for number, one in enumerate(query.by))
            if is_to_one(ways[0]):
                yield query
            yield query.model_copy(update={"by": by}).normalized()
            return
    yield query


def _whole_way(of: str, condition: Related, model: SemanticModel) -> Way | None:
    """The way to the last thing that a condition names; nothing where it branches or is to itself."""
    way = _way(of, condition, model)
    inner = [one for one in parts_of(condition.related.where) if isinstance(one, Related)]
    if not way or len(inner) != 1:
        return way
    further = _whole_way(condition.related.of or "", inner[0], model)
    return (*way, *further) if further else way


def of_its_own(query: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The average grade per course for sections in 2025: the grades of these sections, or all of courses that have such a section."""
    parts = parts_of(query.where)
    for place, one in enumerate(parts if query.by else ()):
        own = _without_going_back(query.of or "", one, model) if isinstance(one, Related) else None
        if own is not None:
            where = all_of((*parts[:place], *own, *parts[place + 1 :]))
            yield query.model_copy(update={"where": where}).normalized()
    yield query


def _without_going_back(of: str, condition: Related, model: SemanticModel) -> tuple[Condition, ...] | None:
    """The conditions on what lies on the way itself, of those that lead back there from its end; nothing where none does."""
    way, rows = _way(of, condition, model), condition.related
    if not way or not is_to_one(way) or condition.count or rows != SemanticQuery(of=rows.of, where=rows.where):
        return None
    back = names_of(model.back(way[-1:]))
    returning = [
        one for one in parts_of(rows.where) if isinstance(one, Related) and one.via == back and one.count is None
    ]
    if not returning or any(one.related.order or one.related.limit or one.related.period for one in returning):
        return None
    before = names_of(way[:-1])
    own: list[Condition] = []
    for one in returning:
        own += [Related(related=one.related, via=before)] if before else parts_of(one.related.where)
    others = [one for one in parts_of(rows.where) if one not in returning]
    rest = Related(related=SemanticQuery(of=rows.of, where=all_of(others)), via=names_of(way))
    return (*own, *((rest,) if others else ()))
