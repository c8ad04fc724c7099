"""Closed in 2024: those that are closed now and began in 2024, or those whose day of closing lies in it. Where both are stored, both are meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import takewhile

from veracity.language.folding import folded_text, words_in
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, Condition, SemanticQuery, all_of, parts_of
from veracity.semantic.reading.grounds import dated_within
from veracity.semantic.reading.word_lists import names_for

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SHORTEST_STEM = 4
_LONGEST_ENDING = 3


def either_date(query: SemanticQuery, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query; and where it asks for rows of a state within a time, and a date says when they came into it, also that one."""
    yield query
    if not query.of or query.of not in model.things or query.compare is not None:
        return
    thing = model.things[query.of]
    usual = thing.default_date
    timed = f"{query.of}.{usual}"
    if usual not in thing.fields or not (query.period or any(one.field == timed for one in query.by)):
        return
    if any(one.measure for one in query.show):
        return
    parts = parts_of(query.where)
    yield from _on_day_of(query, parts, timed, model)
    for state in parts:
        if not (isinstance(state, Comparison) and state.op == "=" and isinstance(state.value, str)):
            continue
        if state.field.rpartition(".")[0] != query.of:
            continue
        for name in _dates_of(thing.name, state.value, model):
            if name != usual:
                day = f"{query.of}.{name}"
                within = dated_within(day, query.period) if query.period else Comparison(field=day, op="notMissing")
                by = tuple(one.model_copy(update={"field": day}) if one.field == timed else one for one in query.by)
                where = all_of((*(part for part in parts if part is not state), within))
                yield query.model_copy(update={"where": where, "by": by, "period": None}).normalized()


def in_one_time(queries: Sequence[SemanticQuery]) -> tuple[SemanticQuery, ...]:
    """The queries without those that divide by one date and keep a time of another, where the same is read of one date for both."""
    dated = [(query, _divided_by(query), _within(query)) for query in queries]
    same = {by for _, by, within in dated if by and by in within}
    return tuple(query for query, by, within in dated if not (by in same and within and by not in within))


def on_its_weekday(query: SemanticQuery, model: SemanticModel) -> SemanticQuery:
    """Reported on a weekend in 2025: the year is that of the day which the weekday is of."""
    days = {one.field for one in parts_of(query.where) if isinstance(one, Comparison) and one.grain and not one.via}
    period, thing = query.period, model.things.get(query.of or "")
    field = next(iter(days)) if len(days) == 1 else ""
    own = thing is not None and field.rpartition(".")[0] == thing.name
    if period is None or period.field or not own or thing is None or field.endswith(f".{thing.default_date}"):
        return query
    where = all_of((query.where, dated_within(field, period)))
    return query.model_copy(update={"where": where, "period": None}).normalized()


def _divided_by(query: SemanticQuery) -> str:
    fields = [one.field for one in query.by if one.grain and one.field]
    return fields[0] if len(fields) == 1 and not query.period else ""


def _within(query: SemanticQuery) -> set[str]:
    parts = (one for one in parts_of(query.where) if isinstance(one, Comparison) and one.op == "between")
    return {one.field for one in parts if not one.via and isinstance(one.value, tuple) and _is_day(one.value[0])}


def _is_day(value: object) -> bool:
    return isinstance(value, date) or (isinstance(value, str) and _DAY.fullmatch(value) is not None)


def _on_day_of(
    query: SemanticQuery, parts: Sequence[Condition], usual: str, model: SemanticModel
) -> Iterator[SemanticQuery]:
    """What was paid, in 2024: of what began then, or paid on a day of that year."""
    for done in parts:
        if not isinstance(done, Comparison) or done.op != "notMissing" or done.via or done.field == usual:
            continue
        entity, _, name = done.field.rpartition(".")
        if entity == query.of and query.period and not query.period.field and model.things[entity].fields[name].is_date:
            where = all_of((*(part for part in parts if part is not done), dated_within(done.field, query.period)))
            yield query.model_copy(update={"where": where, "period": None}).normalized()


def _dates_of(entity: str, state: str, model: SemanticModel) -> Iterator[str]:
    """The dates whose names say the same as a state: closed, close date."""
    said = words_in(state)
    for name, facts in model.things[entity].fields.items():
        if facts.is_date and len(said) == 1:
            names = (word for text in names_for(name, facts.declared) for word in words_in(text))
            if any(_is_alike(said[0], word) for word in names):
                yield name


def _is_alike(state: str, word: str) -> bool:
    """Whether two words have the same stem: cancelled, cancellation."""
    one, two = folded_text(state), folded_text(word)
    stem = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
    return stem >= _SHORTEST_STEM and len(one) - stem <= _LONGEST_ENDING
