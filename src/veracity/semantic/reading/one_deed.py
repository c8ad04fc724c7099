"""What was done once is one row: who ordered online in 2024 has an order that is both, not one of each.

What was done in 2024 and 2025 may have been done in one of them, or in each.
"""

from __future__ import annotations

from collections.abc import Iterator

from veracity.language.folding import is_unspaced
from veracity.semantic.graph import SemanticModel, Step, Thing
from veracity.semantic.query import (
    Comparison,
    Condition,
    FigureComparison,
    Negation,
    Related,
    SemanticQuery,
    all_of,
    parts_of,
)
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import Verb
from veracity.semantic.reading.phrases import Attribute, JoiningWord, RowsPhrase
from veracity.semantic.reading.said_phrases import SaidPeriod
from veracity.semantic.reading.word_lists import is_person
from veracity.semantic.reading.word_senses import Tagged, WordSense


def each_deed(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query as one deed; where another deed is denied without a time, never, or not at that time: in 2024 online, but not in a shop."""
    told = as_one_deed(query, tagged, model)
    yield told
    parts = parts_of(told.where)
    for timed in (one for one in parts if isinstance(one, Related) and one.count is None):
        times = tuple(part for part in parts_of(timed.related.where) if _is_time(part, timed.related.of or "", model))
        denied = [one for one in parts if _denies_same(one, timed, model)]
        if not times or not denied or _times_said(timed.related.of or "", tagged, model) > 1:
            continue
        where = tuple(_denied_then(one, times) if one in denied else one for one in parts)
        yield told.model_copy(update={"where": all_of(where)})


def in_each_time(query: SemanticQuery, tagged: Tagged) -> Iterator[SemanticQuery]:
    """The query; and, where rows did something in 2024 and 2025, the one about those that did it in each of these."""
    yield query
    times, parts = _times_listed(tagged), parts_of(query.where)
    for one in (one for one in parts if times and isinstance(one, Related) and one.count is None):
        each = tuple(_then(one, time) for time in times if _spans(one, times))
        if each:
            where = tuple(part for part in parts if part is not one)
            yield query.model_copy(update={"where": all_of((*where, *each))})


def _times_listed(tagged: Tagged) -> tuple[QueryPeriod, ...]:
    """The periods that a question lists with an and: 2023, 2024 and 2025; nothing where it does not."""
    said = {sense.start: sense for sense in tagged.mentions if isinstance(sense.phrase, SaidPeriod)}
    words = {sense.start: sense.phrase.kind for sense in tagged.mentions if isinstance(sense.phrase, JoiningWord)}
    listed, joined = list[WordSense](), False
    for sense in (said[start] for start in sorted(said)):
        places = range(listed[-1].end, sense.start) if listed else ()
        between = [words.get(place) for place in places if tagged.tokens[place].text not in ",、"]
        if any(kind not in ("and", "in", "of") for kind in between):
            return ()
        joined = joined or "and" in between
        listed.append(sense)
    periods = tuple(one.phrase.period for one in listed if isinstance(one.phrase, SaidPeriod))
    return periods if joined and all(one.first and one.last for one in periods) else ()


def _spans(one: Related, times: tuple[QueryPeriod, ...]) -> bool:
    return any(_is_span(part, times) for part in parts_of(one.related.where))


def _is_span(part: Condition, times: tuple[QueryPeriod, ...]) -> bool:
    """Whether a condition is about all of the time from the first to the last of some periods."""
    if not isinstance(part, Comparison) or part.op != "between" or not isinstance(part.value, tuple):
        return False
    return tuple(map(str, part.value)) == (str(times[0].first), str(times[-1].last))


def _then(one: Related, time: QueryPeriod) -> Related:
    """The same at one of the times."""
    value = (str(time.first), str(time.last))
    where = tuple(
        part.model_copy(update={"value": value}) if isinstance(part, Comparison) and part.op == "between" else part
        for part in parts_of(one.related.where)
    )
    return one.model_copy(update={"related": one.related.model_copy(update={"where": all_of(where)})})


def _denies_same(one: Condition, timed: Related, model: SemanticModel) -> bool:
    """Whether the same deed is denied, with something else and for all times."""
    if not isinstance(one, Negation) or not isinstance(one.condition, Related) or one.condition.via != timed.via:
        return False
    rows, entity = one.condition.related, timed.related.of or ""
    untimed = not any(_is_time(part, entity, model) for part in parts_of(rows.where))
    return rows.where is not None and untimed and not rows.period and one.condition.count is None


def _denied_then(one: Condition, times: tuple[Condition, ...]) -> Condition:
    assert isinstance(one, Negation)
    assert isinstance(one.condition, Related)
    rows = one.condition.related
    then = rows.model_copy(update={"where": all_of((*parts_of(rows.where), *times))})
    return Negation(condition=one.condition.model_copy(update={"related": then}))


def as_one_deed(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> SemanticQuery:
    """The query with the time of what was done and what else is said of it as conditions on the same row, where a single word says it."""
    parts = list(parts_of(query.where))
    for timed in [one for one in parts if isinstance(one, Related) and _only_timed(one, model)]:
        others = [one for one in parts if one is not timed and _goes_through(one, timed, model)]
        if not others or _times_said(timed.related.of or "", tagged, model) > 1:
            continue
        inner = [_behind(one, timed) for one in others if isinstance(one, Related)]
        where = all_of((*parts_of(timed.related.where), *(part for part in inner if part is not None)))
        merged = timed.model_copy(update={"related": timed.related.model_copy(update={"where": where})})
        parts = [merged if one is timed else one for one in parts if one not in others]
    return query.model_copy(update={"where": all_of(tuple(parts))}) if parts else query


def _only_timed(one: Related, model: SemanticModel) -> bool:
    """Whether nothing but the time of some rows is said."""
    rows, entity = one.related, one.related.of or ""
    if entity not in model.things or one.count is not None or rows.order or rows.limit or rows.period:
        return False
    met = parts_of(rows.where)
    return bool(met) and all(_is_time(part, entity, model) for part in met)


def _is_time(part: Condition, entity: str, model: SemanticModel) -> bool:
    """Whether a condition is about a date of an entity."""
    owner, _, name = part.field.rpartition(".") if isinstance(part, Comparison) else ("", "", "")
    return owner == entity and model.things[entity].fields[name].is_date


def _goes_through(one: Condition, timed: Related, model: SemanticModel) -> bool:
    """Whether a condition is about the same rows, or about what these belong to, and says no time of theirs."""
    if not isinstance(one, Related) or one.count is not None or one.via[: len(timed.via)] != timed.via:
        return False
    rows = one.related
    return not (rows.order or rows.limit or rows.period) and bool(rows.where) and not _only_timed(one, model)


def _behind(one: Related, timed: Related) -> Condition | None:
    """A condition as one on the rows of the deed."""
    rest = one.via[len(timed.via) :]
    return one.model_copy(update={"via": rest}) if rest else one.related.where


def _times_said(entity: str, tagged: Tagged, model: SemanticModel) -> int:
    """How many words of the question stand for rows of an entity: its noun, or a verb that ties others to them."""
    ends = {(step.start, step.name): step.end for steps in model.steps.values() for step in steps}
    spans = set[int]()
    for one in tagged.mentions:
        verb = isinstance(one.phrase, Verb) and any(ends.get(step[:2]) == entity for step in one.phrase.steps)
        if verb or (isinstance(one.phrase, RowsPhrase) and one.phrase.entity == entity):
            spans.add(one.start)
    return len(spans)


def is_dated_by_itself(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether the time of what was done is read as a date of who did it: customers who ordered online in 2024, by when they registered.

    Right behind the noun a time is one of its own: courses in 2024 that somebody booked.
    """
    thing = model.things.get(query.of or "")
    if thing is None:
        return False
    deeds = {step.name: step.end for step in model.steps[thing.name] if not step.to_one}
    done = [one for one in tagged.mentions if isinstance(one.phrase, Verb) and _does(one.phrase, thing.name, deeds)]
    done = done or _verbs_on_the_way(query, tagged, model)
    named = {one.phrase.path for one in tagged.mentions if isinstance(one.phrase, Attribute)}
    dates = {f"{thing.name}.{name}" for name, facts in thing.fields.items() if facts.is_date} - named
    own = query.period is not None and query.period.field is None and f"{thing.name}.{thing.default_date}" in dates
    own = own or any(isinstance(one, Comparison) and one.field in dates for one in parts_of(query.where))
    met = {one.via[0] for one in parts_of(query.where) if isinstance(one, Related) and one.via}
    people = is_person(thing)  # who returned something in 2024, whatever says so
    dated = any(_is_dated(model.things[deeds[name]]) for name in met if name in deeds)
    far = people and any(_has_dates(one, model) for one in parts_of(query.where))
    said = any(isinstance(one.phrase, SaidPeriod) for one in tagged.mentions)
    return said and (bool(done) or people) and own and (dated or far) and not _beside_noun(thing.name, tagged)


def is_dated_by_its_goods(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether the time of a deed is read as a date of what it was done with: stores that sold tents in 2024, by when tents came out.

    Of 2024, or from 2024, may be said of the tents.
    """
    named = {one.phrase.path for one in tagged.mentions if isinstance(one.phrase, Attribute)}
    goods = _ends_of_deeds(query.of or "", query.where, model)
    dates = {
        f"{thing}.{name}" for thing in goods for name, facts in model.things[thing].fields.items() if facts.is_date
    }
    dated = any(
        (rows.period is not None and rows.of in goods)
        or any(isinstance(part, Comparison) and part.field in dates - named for part in parts_of(rows.where))
        for rows in _rows_beyond(query.where)
    )
    return dated and bool(_verbs_on_the_way(query, tagged, model)) and not _says_times_of(tagged)


def is_dated_beside_its_figure(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether the time of a figure that rows are compared by is read as a date of theirs: stores with more revenue than Bern in 2024."""
    thing = model.things.get(query.of or "")
    compared = [one.show for one in parts_of(query.where) if isinstance(one, FigureComparison)]
    if thing is None or not query.lists or not any(one.measure or one.via for one in compared):
        return False
    named = {one.phrase.path for one in tagged.mentions if isinstance(one.phrase, Attribute)}
    dates = {f"{thing.name}.{name}" for name, facts in thing.fields.items() if facts.is_date} - named
    own = query.period is not None and query.period.field is None
    own = own or any(isinstance(one, Comparison) and one.field in dates for one in parts_of(query.where))
    said = any(isinstance(one.phrase, SaidPeriod) for one in tagged.mentions)
    return own and said and not _beside_noun(thing.name, tagged)


def _verbs_on_the_way(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> list[WordSense]:
    """The verbs that tie something to rows which a condition of the query leads over: sold, of order lines."""
    reached = {step.end for step in _steps_over(query.of or "", query.where, model)}
    ends = {(step.start, step.name): step.end for steps in model.steps.values() for step in steps if not step.to_one}
    return [
        one
        for one in tagged.mentions
        if isinstance(one.phrase, Verb) and any(ends.get(step[:2]) in reached for step in one.phrase.steps)
    ]


def _steps_over(start: str, where: Condition | None, model: SemanticModel) -> Iterator[Step]:
    """The steps from row to row that conditions lead over, the inner ones, too."""
    for one in parts_of(where):
        inner = one.condition if isinstance(one, Negation) else one
        if isinstance(inner, Related) and inner.via:
            yield from model.way(start, inner.via) or ()
            yield from _steps_over(inner.related.of or "", inner.related.where, model)


def _ends_of_deeds(start: str, where: Condition | None, model: SemanticModel) -> set[str]:
    """What rows of deeds belong to: the product of an order line, but not the store that the question begins with."""
    steps = list(_steps_over(start, where, model))
    done = {step.end for step in steps if not step.to_one}
    ends = {step.end for step in steps if step.to_one and step.start in done} - done - {start}
    return {name for name in ends if not _is_deed(name, model)}


def _is_deed(name: str, model: SemanticModel) -> bool:
    """Whether rows tell that somebody did something: an order, whose lines are of its day."""
    thing = model.things[name]
    of_people = any(step.to_one and is_person(model.things[step.end]) for step in model.steps[name])
    measured = any((measure.date or "").startswith(f"{name}.") for _, measure in model.measures.values())
    return measured or (of_people and _is_dated(thing))


def _rows_beyond(where: Condition | None) -> Iterator[SemanticQuery]:
    """The related rows that conditions are about, the inner ones, too."""
    for one in parts_of(where):
        inner = one.condition if isinstance(one, Negation) else one
        if isinstance(inner, Related):
            yield inner.related
            yield from _rows_beyond(inner.related.where)


def _says_times_of(tagged: Tagged) -> bool:
    """Whether a time stands behind of or from: tents of 2024."""
    joins = {
        one.end
        for one in tagged.mentions
        if isinstance(one.phrase, JoiningWord) and one.phrase.kind in ("of", "from", "genitive")
    }
    return any(one.start in joins for one in tagged.mentions if isinstance(one.phrase, SaidPeriod))


def _has_dates(one: Condition, model: SemanticModel) -> bool:
    """Whether a condition is about rows further on that have a time of their own."""
    if not isinstance(one, Related):
        return False
    thing = model.things.get(one.related.of or "")
    inner = any(_has_dates(part, model) for part in parts_of(one.related.where))
    return inner or (thing is not None and _is_dated(thing))


def _is_dated(thing: Thing) -> bool:
    """Whether rows have a time: one that is declared so, or their only date."""
    return thing.default_date is not None or sum(facts.is_date for facts in thing.fields.values()) == 1


def is_of_new_people(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether the time of a figure is read as when people came: revenue from Swiss customers in 2024, of those who registered then."""
    if any(one.rows is not None and is_of_new_people(one.rows, tagged, model) for one in query.show):
        return True
    of = model.things.get(query.of or "")
    measured = [one.measure for one in query.show if one.measure]
    timed = (of is not None and of.default_date) or any(model.measures[one][1].date for one in measured)
    said = any(isinstance(one.phrase, SaidPeriod) for one in tagged.mentions)
    if query.lists or query.period is not None or not timed or not said:
        return False
    named = {one.phrase.path for one in tagged.mentions if isinstance(one.phrase, Attribute)}
    return any(isinstance(one, Related) and _came_then(one, named, model) for one in parts_of(query.where))


def _came_then(one: Related, named: set[str], model: SemanticModel) -> bool:
    thing = model.things.get(one.related.of or "")
    if thing is None or not is_person(thing) or thing.default_date is None:
        return False
    date = f"{thing.name}.{thing.default_date}"
    met = (part.field for part in parts_of(one.related.where) if isinstance(part, Comparison))
    return date not in named and (one.related.period is not None or date in met)


def _does(verb: Verb, entity: str, deeds: dict[str, str]) -> bool:
    return any(start == entity and name in deeds for start, name, _ in verb.steps)


def _beside_noun(entity: str, tagged: Tagged) -> bool:
    """Whether a time stands right behind the noun, or before it."""
    ends = {one.end for one in tagged.mentions if isinstance(one.phrase, RowsPhrase) and one.phrase.entity == entity}
    starts = {
        one.start for one in tagged.mentions if isinstance(one.phrase, RowsPhrase) and one.phrase.entity == entity
    }
    joins = {
        one.end: one.start
        for one in tagged.mentions
        if isinstance(one.phrase, JoiningWord) and one.phrase.kind in ("in", "of")
    }
    times = [one for one in tagged.mentions if isinstance(one.phrase, SaidPeriod)]
    # 门店在2025年售出: a language without spaces says when right before the verb.
    # 门店2025年的销售额: and right before the figure.
    said = {one.start for one in tagged.mentions if isinstance(one.phrase, Verb | FigurePhrase)}
    said |= {place - 1 for place in said if place and tagged.tokens[place - 1].text == "的"}
    times = [one for one in times if one.end not in said or not is_unspaced(tagged.tokens[one.end].text)]
    return any({one.start, joins.get(one.start, -1)} & ends or one.end in starts for one in times)
