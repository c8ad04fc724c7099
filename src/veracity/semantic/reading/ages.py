"""How old people are on average, from their dates of birth: at today, which the answer says."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import YEARS, Aggregate, EarlierDate, SemanticQuery, Shown
from veracity.semantic.reading.word_lists import in_all_languages, key_of, names_for
from veracity.sources.source import NUMERIC
from veracity.yaml_file import packaged

Read = Callable[[str], Sequence[SemanticQuery]]
"""Reads a question."""


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
        counted = read(_table(lang)["count"].format(who=said["who"]))
        how = (said.groupdict().get("how") or "").casefold()
        aggregate = Aggregate.MEDIAN if how in _table(lang)["median"] else Aggregate.AVG
        found = [one for query in counted for one in _aged(query, model, born, (aggregate, today))]
        if found:
            return tuple(dict.fromkeys(found)) if len(found) == len(counted) else ()
    return ()


def _aged(
    query: SemanticQuery, model: SemanticModel, born: Collection[tuple[str, str]], asked: tuple[Aggregate, date]
) -> Iterator[SemanticQuery]:
    """The average age of the rows that a query counts."""
    said_more = (query.having, query.order, query.limit, query.compare, query.period)
    counted = query.show[0] if len(query.show) == 1 else None
    dates = [field for entity, field in born if entity == query.of]
    plain = counted is not None and counted == Shown(aggregate=Aggregate.COUNT, of=query.of)
    if not plain or any(said_more) or len(dates) != 1 or _has_age(model, query.of or ""):
        return
    path, (aggregate, today) = f"{query.of}.{dates[0]}", asked
    shown = Shown(aggregate=aggregate, field=path, since=EarlierDate(field=path, until=today), unit=YEARS)
    yield query.model_copy(update={"show": (shown,)}).normalized()


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
