"""How many schools does each district have: a district without any has none, and is told."""

from __future__ import annotations

from veracity.semantic.graph import SemanticModel, is_to_one, names_of
from veracity.semantic.query import (
    Aggregate,
    Condition,
    Dimension,
    Related,
    SemanticQuery,
    Shown,
    all_of,
    parts_of,
)
from veracity.semantic.reading.grounds import dated_within
from veracity.semantic.reading.phrases import JoiningWord
from veracity.semantic.reading.word_senses import Tagged


def with_those_without(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> SemanticQuery:
    """The query; where it is asked what each of some rows has, as a list of these, also of those that have none."""
    words = [one.phrase for one in tagged.mentions if isinstance(one.phrase, JoiningWord)]
    if not any(one.kind == "each" for one in words):
        return query
    counted = query.show[0] if len(query.show) == 1 else None
    group = query.by[0] if len(query.by) == 1 else None
    if group is not None and group.via and group.entity == query.of:
        return _of_those_below(query, group)
    if not any(one.owns for one in words):
        return query
    date = model.things[query.of].default_date if query.of in model.things else None
    timed = query.period is not None and (query.period.via or not (query.period.field or date))
    said_more = (timed, query.having, query.order, query.limit, query.compare, query.per)
    if counted is None or group is None or group.entity is None or any(said_more) or query.of is None:
        return query
    plain = Shown(aggregate=Aggregate.COUNT, of=query.of, where=counted.where)
    way = model.way(query.of, group.via) if group.via else next(iter(model.ways(query.of, group.entity)), None)
    alone = group.via or len(model.ways(query.of, group.entity)) == 1
    if counted != plain or not way or not alone or not is_to_one(way) or (query.where and counted.where):
        return query
    theirs, own = _of_the_group(query, names_of(way))
    if query.period is not None:
        field = query.period.field or date or ""
        then = dated_within(field if "." in field else f"{query.of}.{field}", query.period)
        own = all_of((own or counted.where, then))
    each = Shown(aggregate=Aggregate.COUNT, of=query.of, via=names_of(model.back(way)), where=own or counted.where)
    all_of_them = Dimension(entity=group.entity, complete=True)
    return SemanticQuery(of=group.entity, show=(each,), by=(all_of_them,), where=theirs).normalized()


def _of_those_below(query: SemanticQuery, group: Dimension) -> SemanticQuery:
    """How many employees report to each manager: who reports to nobody is in no group, and who has nobody below is no manager."""
    below = Related(related=SemanticQuery(of=query.of), via=group.via)
    return query.model_copy(update={"where": all_of((query.where, below))}).normalized()


def _of_the_group(query: SemanticQuery, via: tuple[str, ...]) -> tuple[Condition | None, Condition | None]:
    """What is said of the rows that are asked about each, and of what they have: each owner in Thun, how many dogs."""
    said = [
        one
        for one in parts_of(query.where)
        if isinstance(one, Related) and one.count is None and one.via == via and _is_plain(one.related)
    ]
    own = (one for one in parts_of(query.where) if one not in said)
    return all_of(one.related.where for one in said), all_of(own)


def _is_plain(rows: SemanticQuery) -> bool:
    """Whether rows are told by conditions alone."""
    return rows.where is not None and rows == SemanticQuery(of=rows.of, where=rows.where)
