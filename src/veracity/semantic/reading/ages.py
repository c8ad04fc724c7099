"""How old people are on average, from their dates of birth: at today, which the answer says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import YEARS, Aggregate, Dimension, OrderBy, Related, SemanticQuery, Shown
from veracity.semantic.query_values import EarlierDate
from veracity.semantic.reading.asked_forms import Read
from veracity.semantic.reading.phrases import RowsPhrase
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for, rows_called
from veracity.semantic.reading.word_senses import Tagged
from veracity.sources.source import NUMERIC
from veracity.yaml_file import packaged


def ages_said(
    question: str, model: SemanticModel, lang: str, read: Read, *, born: Collection[tuple[str, str]], today: date
) -> tuple[SemanticQuery, ...]:
    """The average age of the people that a question names; nothing where it asks for something else."""
    if not born:
        return ()
    for pattern in _patterns(lang):
        said = pattern.match(question.strip())
        if said is None:
            continue
        told = {name: text or "" for name, text in said.groupdict().items()}
        who = told.get("who") or _all_people(model, lang, born, told.get("by", ""))
        counted = read(_table(lang)["count"].format(who=who)) if who else ()
        how = told.get("how", "").casefold()
        aggregate = Aggregate.MEDIAN if how in _table(lang)["median"] else Aggregate.AVG
        found = [one for query in counted for one in _aged(query, model, born, (aggregate, today))]
        if found:
            return tuple(dict.fromkeys(found)) if len(found) == len(counted) else ()
    return ()


def with_ages(question: str, lang: str) -> str:
    """The question with ages in place of bare bounds: employees younger than 30, of employees under 30."""
    for pattern, told in _table(lang)["bounds"]:
        question = re.sub(pattern, told, question, flags=re.IGNORECASE)
    return question


def _all_people(model: SemanticModel, lang: str, born: Collection[tuple[str, str]], by: str) -> str:
    """All people, and what they are divided by; nothing where several kinds of them have dates of birth."""
    entities = {entity for entity, _ in born}
    people = rows_called(model.things[entities.pop()], lang) if len(entities) == 1 else ""
    return str(_table(lang)["of_all"].format(people=people, by=by)) if people else ""


def or_by_age(
    queries: Sequence[SemanticQuery], tagged: Tagged, *, born: Collection[tuple[str, str]], today: date
) -> tuple[SemanticQuery, ...]:
    """The queries; which department has the oldest employees may be the one of the oldest, or the one where they are oldest on average."""
    said = {one.phrase.entity for one in tagged.mentions if isinstance(one.phrase, RowsPhrase) and one.phrase.plural}
    found = list(queries)
    for query in queries:
        best = query.where.related if isinstance(query.where, Related) and query.lists else None
        order = best.order[0] if best is not None and len(best.order) == 1 and best.limit == 1 else None
        if best is None or order is None or best.of not in said or best.where or query.order or query.period:
            continue
        entity, _, field = (order.by.field or "").rpartition(".")
        if (entity, field) in born and entity == best.of:
            shown = _age(f"{entity}.{field}", Aggregate.AVG, today)
            first = OrderBy(by=shown, descending=not order.descending)
            by = (Dimension(entity=query.of),)
            found.append(SemanticQuery(show=(shown,), of=entity, by=by, order=(first,), limit=1).normalized())
    return tuple(dict.fromkeys(found))


def _age(path: str, aggregate: Aggregate, today: date) -> Shown:
    return Shown(aggregate=aggregate, field=path, since=EarlierDate(field=path, until=today), unit=YEARS)


def _aged(
    query: SemanticQuery, model: SemanticModel, born: Collection[tuple[str, str]], asked: tuple[Aggregate, date]
) -> Iterator[SemanticQuery]:
    """The average age of the rows that a query counts."""
    said_more = (query.having, query.order, query.limit, query.compare, query.period)
    dates = [field for entity, field in born if entity == query.of]
    if not query.counts_rows or any(said_more) or len(dates) != 1 or _has_age(model, query.of or ""):
        return
    path, (aggregate, today) = f"{query.of}.{dates[0]}", asked
    yield query.model_copy(update={"show": (_age(path, aggregate, today),)}).normalized()


def _has_age(model: SemanticModel, entity: str) -> bool:
    """Whether an age is stored, which is then that of another day."""
    known = in_all_languages("age_fields")
    fields = model.things[entity].fields.items()
    numbers = ((name, facts) for name, facts in fields if facts.column.type in NUMERIC)
    return any(key_of(said) in known for name, facts in numbers for said in names_for(name, facts.declared))


@cache
def _patterns(lang: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in _table(lang)["average"])


def _table(lang: str) -> Mapping[str, Any]:
    told: Mapping[str, Mapping[str, Any]] = packaged(Path(__file__).with_name("ages.yaml"))
    return told.get(lang) or told["en"]
