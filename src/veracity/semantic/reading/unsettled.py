"""What is still open or still goes on: unpaid invoices, overdue where the day it was due has passed, active members."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from veracity.semantic.editing import inner_bests, with_inner
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import Aggregate, AnyOf, Comparison, Condition, Related, SemanticQuery, all_of, parts_of
from veracity.semantic.query_values import QueryPeriod
from veracity.semantic.reading.phrases import RowFilter
from veracity.semantic.reading.truths import Truths
from veracity.semantic.reading.word_lists import in_all_languages, is_person, key_of, names_for

KINDS = ("unsettled", "unpaid", "overdue", "active", "former")
"""The lists of words for it."""
_OPEN = KINDS[:3]
_STANDS = ("status_fields", "voided_fields", "active", "former", "end_fields", "settled_fields", "returned_fields")
"""What fields are called that tell whether rows have ended."""
_PATH = re.compile(r'"field":"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Settling:
    """How the rows of an entity tell that they are settled."""

    entity: str
    not_settled: tuple[tuple[Condition, ...], ...]
    """Several ways: rows without any value may count as no, too; rows that were voided may be left out."""
    paid: bool
    due: str | None
    """The date until when they should be."""

    def filters(self, kind: str, today: date) -> Iterator[RowFilter]:
        """What one of the words says of the rows."""
        if kind not in _OPEN or (kind == "unpaid" and not self.paid) or (kind == "overdue" and self.due is None):
            return
        late = (Comparison(field=self.due, op="<", value=today),) if kind == "overdue" and self.due else ()
        for conditions in self.not_settled:
            yield RowFilter(self.entity, (*conditions, *late), before=True)


@dataclass(frozen=True, slots=True)
class Lasting:
    """How the rows of an entity tell that they go on: a first day, and a last one where they ended."""

    entity: str
    first: str
    last: str

    def filters(self, kind: str, today: date) -> Iterator[RowFilter]:
        """Active members, former employees."""
        if kind == "active":
            begun = Comparison(field=self.first, op="<=", value=today)
            ahead = Comparison(field=self.last, op=">=", value=today)
            goes_on = AnyOf(conditions=(Comparison(field=self.last, op="missing"), ahead))
            yield RowFilter(self.entity, (begun, goes_on), before=True)
        elif kind == "former":
            yield RowFilter(self.entity, (Comparison(field=self.last, op="<", value=today),), before=True)

    def within(self, start: object, end: object) -> tuple[Condition, ...]:
        """What holds of those who were there at some time between two days."""
        begun = Comparison.model_validate({"field": self.first, "op": "<=", "value": end})
        ahead = Comparison.model_validate({"field": self.last, "op": ">=", "value": start})
        return (begun, AnyOf(conditions=(Comparison(field=self.last, op="missing"), ahead)))


def settlings(model: SemanticModel, truths: Truths) -> tuple[Settling | Lasting, ...]:
    """The entities whose rows are settled on a day or by a yes, and by nothing else: where there is a status, that tells it."""
    things = model.things.values()
    return (
        *(found for thing in things for found in _settling(thing, truths)),
        *(found for thing in things for found in _lasting(thing)),
    )


def still_there(
    queries: Sequence[SemanticQuery], known: Sequence[Settling | Lasting], today: date
) -> tuple[SemanticQuery, ...]:
    """The queries, and beside those about all rows that ever were the same about those that have not ended."""
    lasting = {one.entity: one for one in known if isinstance(one, Lasting)}
    found = list(queries)
    for query in queries:
        one = lasting.get(query.of or "")
        if one is None or query.period is not None or one.last in query.canonical_json():
            continue
        for now in one.filters("active", today):
            found.append(query.model_copy(update={"where": all_of((query.where, *now.where))}).normalized())
    return tuple(dict.fromkeys(found))


def holding_now(
    queries: Sequence[SemanticQuery], known: Sequence[Settling | Lasting], model: SemanticModel, today: date
) -> tuple[SemanticQuery, ...]:
    """The queries; and beside the average or the highest of all salaries that ever held, those of the salaries that hold today."""
    holding = [one for one in known if isinstance(one, Lasting) and _holds(one, model)]
    found = list(queries)
    for query in queries:
        for asked in (query, *inner_bests(query)):
            one = next((one for one in holding if one.entity == asked.of and _tells_values(asked)), None)
            if one is None or asked.period is not None or {one.first, one.last} & set(_paths(asked)):
                continue
            for now in one.filters("active", today):
                held = asked.model_copy(update={"where": all_of((asked.where, *now.where))})
                found.append((held if asked is query else with_inner(query, asked, held)).normalized())
    return tuple(dict.fromkeys(found))


def _holds(one: Lasting, model: SemanticModel) -> bool:
    return one.first.rpartition(".")[2] in _called(model.things[one.entity], "holds_from")


def _tells_values(query: SemanticQuery) -> bool:
    """Whether one value of several rows, or their average, is told: not how many they are."""
    spread = (Aggregate.AVG, Aggregate.MEDIAN, Aggregate.MIN, Aggregate.MAX)
    ordered = bool(query.limit and query.order and query.order[0].by.is_field)
    return ordered or any(one.aggregate in spread and one.field for one in query.show)


def _paths(query: SemanticQuery) -> Iterator[str]:
    """The fields that a query names."""
    yield from _PATH.findall(query.canonical_json())


def going_on(
    queries: Sequence[SemanticQuery], known: Sequence[Settling | Lasting], model: SemanticModel, today: date
) -> tuple[SemanticQuery, ...]:
    """The queries of what is still so: what is still installed has not been removed since. Where no last day tells it, it is not known."""
    lasting = {one.entity: one for one in known if isinstance(one, Lasting)}
    found = []
    for query in queries:
        begun = [part for part in parts_of(query.where) if _is_day_stored(part, model)]
        one = lasting.get(query.of or "")
        if begun and one is not None:
            others = (part for part in parts_of(query.where) if part not in begun)
            (now,) = one.filters("active", today)
            found.append(query.model_copy(update={"where": all_of((*others, *now.where))}).normalized())
        elif not begun:
            found.append(query)
    return tuple(found)


def as_things_stand(
    queries: Sequence[SemanticQuery], known: Sequence[Settling | Lasting], model: SemanticModel, today: date
) -> tuple[SemanticQuery, ...]:
    """The queries about rows that have not ended. Where something else may tell it, such as a status that is not said, it is not known."""
    lasting = {one.entity: one for one in known if isinstance(one, Lasting)}
    found = []
    for query in queries:
        one, thing = lasting.get(query.of or ""), model.things.get(query.of or "")
        if one is not None and one.last not in query.canonical_json():
            (now,) = one.filters("active", today)
            found.append(query.model_copy(update={"where": all_of((query.where, *now.where))}).normalized())
        elif one is not None or thing is None or _says_how_it_stands(query, thing):
            found.append(query)
    return tuple(found)


def _says_how_it_stands(query: SemanticQuery, thing: Thing) -> bool:
    """Whether a status, a date or a yes of rows is said; or none of them tells whether they have ended."""
    said = {path.rpartition(".")[2] for path in _paths(query) if path.startswith(f"{thing.name}.")}
    stands = {name for which in _STANDS for name in _called(thing, which)}
    return not stands or not stands.isdisjoint(said)


def _is_day_stored(part: Condition, model: SemanticModel) -> bool:
    if not isinstance(part, Comparison) or part.op != "notMissing":
        return False
    entity, _, field = part.field.rpartition(".")
    thing = model.things.get(entity)
    return thing is not None and field in thing.fields and thing.fields[field].is_date


def seen_within(model: SemanticModel, entity: str, period: QueryPeriod) -> Iterator[Related]:
    """Customers of 2024: those with orders in it, by what belongs to them and has a time."""
    for step in model.steps[entity]:
        other = model.things[step.end]
        plain = not step.to_one and not step.has_role and other.default_date is not None
        if plain and other.declared is not None and other.declared.label and len(model.ways(entity, step.end)) == 1:
            yield Related(related=SemanticQuery(of=step.end, period=period))


def held_then(
    query: SemanticQuery, known: Sequence[Settling | Lasting], model: SemanticModel
) -> tuple[SemanticQuery, ...]:
    """The query; and where rows hold from one day to another and a time is said, those that held then: the salary in 2018."""
    thing = model.things.get(query.of or "")
    one = next((one for one in known if isinstance(one, Lasting) and thing and one.entity == thing.name), None)
    if thing is None or one is None or query.by or one.first.rpartition(".")[2] not in _called(thing, "holds_from"):
        return (query,)
    began = next((part for part in parts_of(query.where) if _is_time_of(part, one.first)), None)
    span: tuple[object, object] | None = None
    if isinstance(began, Comparison) and isinstance(began.value, tuple):
        span = (began.value[0], began.value[-1])
    elif query.period is not None and query.period.field is None and f"{thing.name}.{thing.default_date}" == one.first:
        span = (query.period.first, query.period.last)
    if span is None or None in span:
        return (query,)
    others = (part for part in parts_of(query.where) if part is not began)
    held = query.model_copy(update={"where": all_of((*others, *one.within(*span))), "period": None}).normalized()
    return (query, held)


def those_then(
    joined: Sequence[SemanticQuery], known: Sequence[Settling | Lasting], model: SemanticModel
) -> tuple[SemanticQuery, ...]:
    """People of a time: those who were there then, where their first and last days are stored, and those who joined then.

    Where one date goes without saying (customer since), also those of whom there are rows of that time, such as orders.
    """
    lasting = {one.entity: one for one in known if isinstance(one, Lasting)}
    found = dict[SemanticQuery, None]()
    for query in joined:
        one = lasting.get(query.of or "")
        began = next((part for part in parts_of(query.where) if _is_time_of(part, one.first)), None) if one else None
        if one is not None and isinstance(began, Comparison) and isinstance(began.value, tuple):
            others = (part for part in parts_of(query.where) if part is not began)
            where = all_of((*others, *one.within(*began.value)))
            found[query.model_copy(update={"where": where}).normalized()] = None
        if query.period is not None:
            for seen in seen_within(model, query.of or "", query.period):
                where = all_of((query.where, seen))
                found[query.model_copy(update={"where": where, "period": None}).normalized()] = None
        if one is None or began is not None or query.period is not None:
            found[_by_its_date(query, model)] = None
    return tuple(found)


def _by_its_date(query: SemanticQuery, model: SemanticModel) -> SemanticQuery:
    """The query with the date named by which a period is meant, so that the words tell it."""
    thing = model.things[query.of or ""]
    if query.period is None or thing.default_date not in thing.fields:
        return query
    return query.model_copy(
        update={"period": query.period.model_copy(update={"field": f"{thing.name}.{thing.default_date}"})}
    )


def _is_time_of(part: Condition, field: str) -> bool:
    return isinstance(part, Comparison) and part.field == field and part.op == "between"


def begins(thing: Thing) -> list[str]:
    """The dates with which rows of a thing begin: hired on, Eintritt."""
    return [name for name in _called(thing, "begin_fields") if thing.fields[name].is_date]


def _lasting(thing: Thing) -> Iterator[Lasting]:
    if any(_called(thing, which) for which in ("status_fields", "active", "former")):
        return
    voided = _called(thing, "voided_fields")
    ended = _called(thing, "end_fields") or (voided if is_person(thing) else [])  # who cancelled has left
    if not set(voided) <= set(ended):
        return
    first, last = (
        [name for name in names if thing.fields[name].is_date] for names in (_called(thing, "begin_fields"), ended)
    )
    if len(first) == len(last) == 1 and first != last:
        yield Lasting(thing.name, f"{thing.name}.{first[0]}", f"{thing.name}.{last[0]}")


def _settling(thing: Thing, truths: Truths) -> Iterator[Settling]:
    if _called(thing, "status_fields"):
        return
    due = [name for name in _called(thing, "due_fields") if thing.fields[name].is_date]
    settled = [*_called(thing, "settled_fields"), *(_called(thing, "returned_fields") if due else ())]
    if len(settled) != 1:
        return
    field, path = settled[0], f"{thing.name}.{settled[0]}"
    truth = truths.get((thing.name, field))
    if truth is None and not thing.fields[field].is_date:
        return
    paid = bool(set(_called(thing, "paid_fields")) & {field})
    unsettled = truth.no if truth else (Comparison(field=path, op="missing"),)
    ways: tuple[tuple[Condition, ...], ...] = tuple((one,) for one in unsettled)
    if (voided := _called(thing, "voided_fields")) and field not in voided:
        valid = tuple(_not_voided(thing, name, truths) for name in voided)
        if not all(valid):
            return
        ways += tuple((*way, *(one[0] for one in valid)) for way in ways)
    yield Settling(thing.name, ways, paid, f"{thing.name}.{due[0]}" if len(due) == 1 and due != settled else None)


def _not_voided(thing: Thing, name: str, truths: Truths) -> tuple[Condition, ...]:
    """What holds of rows that are still valid; nothing where that cannot be told."""
    if (truth := truths.get((thing.name, name))) is not None:
        return truth.no[-1:]
    return (Comparison(field=f"{thing.name}.{name}", op="missing"),) if thing.fields[name].is_date else ()


def _called(thing: Thing, which: str) -> list[str]:
    """The fields that are called by one of the words of a list, by themselves or with a word for a date."""
    known = in_all_languages(which)
    return [
        name
        for name, facts in thing.fields.items()
        if any(_says(told, known) for told in names_for(name, facts.declared))
    ]


def _says(name: str, known: Collection[tuple[str, ...]]) -> bool:
    plain = in_all_languages("date_words")
    key = key_of(name)
    rest = tuple(word for word in key if (word,) not in plain)
    return key in known or rest in known
