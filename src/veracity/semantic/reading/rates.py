"""Rates and shares whose whole is not said: the cancellation rate is the share of rows that were cancelled, the share of women that of all who have a sex.

Which rows are the part is read from the question for that share, the rest of the question from one about how many rows there are. Where rows of
several entities can be said to be so, it is asked back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.query import (
    Aggregate,
    Comparison,
    Condition,
    Negation,
    OrderBy,
    Related,
    SemanticQuery,
    Shown,
    Transform,
    parts_of,
)
from veracity.semantic.reading.asked_forms import Read
from veracity.semantic.reading.word_lists import names_for, rows_called
from veracity.yaml_file import packaged

_MOST_THINGS = 40
_SHORTEST_NAME = 3
_DAY = re.compile(r'"\d{4}-\d\d-\d\d"')


def rates_said(question: str, model: SemanticModel, lang: str, read: Read) -> tuple[SemanticQuery, ...]:
    """What a question about a rate or a share may mean; nothing where it is none, or no rows can be said to be so."""
    if lang not in ("en", "de") or len(model.things) > _MOST_THINGS:
        return ()
    reader = _RateReader(model, lang, read)
    for place, parts in reader.places(re.sub(r"[?!.\s]+$", "", question)):
        found = [query for thing, part in parts for query in reader.asked(place, thing, part)]
        if found:
            return tuple(dict.fromkeys(found))
    return ()


@dataclass(frozen=True, slots=True)
class _RateReader:
    """Reads questions about rates in one language."""

    model: SemanticModel
    lang: str
    read: Read

    @property
    def own(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = _lists()[self.lang]
        return found

    def places(self, question: str) -> Iterator[tuple[re.Match[str], list[tuple[Thing, Condition]]]]:
        """Where a rate or a share is said, and which rows of which entities may be the part."""
        for state in _lists()["states"]:
            nouns = "|".join(map(re.escape, sorted(state.get(self.lang, ()), key=len, reverse=True)))
            place = re.search(self.own["rate"].format(nouns), question, re.IGNORECASE) if nouns else None
            if place:
                yield place, list(self._in_state(state))
        for thing in self.model.things.values():  # the claim rate: the share of what has claims
            names = "|".join(re.escape(name) for name in names_for("", thing.declared) if len(name) > _SHORTEST_NAME)
            place = re.search(self.own["rate"].format(names), question, re.IGNORECASE) if names else None
            if place:
                yield place, list(self._with_rows(rows_called(thing, self.lang), [thing.name]))
        for which in ("part", "compound"):
            place = re.search(self.own[which], question, re.IGNORECASE) if which in self.own else None
            if place:
                yield place, list(self._said("parts", (place[1].strip(),), self.model.things.values()))

    def _in_state(self, state: Mapping[str, Any]) -> Iterator[tuple[Thing, Condition]]:
        things = self.model.things
        yield from self._said("ways", state.get("said", {}).get(self.lang, ()), things.values())
        yield from self._said("denied", state.get("denied", {}).get(self.lang, ()), things.values())
        for noun in state.get("rows", {}).get(self.lang, ()):
            yield from self._with_rows(noun, [thing.name for thing in things.values() if _is_called(thing, noun)])

    def _with_rows(self, noun: str, named: Sequence[str]) -> Iterator[tuple[Thing, Condition]]:
        """What has rows that are called so: orders that have returns."""
        wholes = {step.end for name in named for step in self.model.steps[name] if step.to_one} - set(named)
        yield from self._said("with_rows", (noun,), [self.model.things[name] for name in sorted(wholes)])

    def _said(self, which: str, said: Iterable[str], things: Iterable[Thing]) -> Iterator[tuple[Thing, Condition]]:
        """The rows of each thing of which the words can be said, by what is stored in them or what belongs to them."""
        words = tuple(said)
        for thing in things:
            rows = rows_called(thing, self.lang)
            texts = (way.format(rows=rows, said=word) for word in words for way in self.own[which])
            parts = ({part for query in self.read(text) for part in _part_of(query, thing)} for text in texts)
            yield from ((thing, part) for part in next(filter(None, parts), ()))

    def asked(self, place: re.Match[str], thing: Thing, part: Condition) -> Iterator[SemanticQuery]:
        """The share of a part, of the rows and groups that the rest of the question says."""
        rows = rows_called(thing, self.lang)
        lead, tail = place.string[: place.start()].strip(), self._tail(place.string[place.end() :], thing)
        which = re.match(self.own["which"], lead, re.IGNORECASE)
        if which and not tail and which[2].lower() not in self.own["vague"]:
            lowest = which[2].lower() in self.own["lowest"]
            for query in self._counting(self.own["each"].format(rows=rows, group=which[1]), thing.name):
                share = _share(query, part)
                order = (OrderBy(by=share.show[0], descending=not lowest),)
                yield share.model_copy(update={"order": order, "limit": 1}).normalized()
        elif re.match(self.own["lead"], lead, re.IGNORECASE):
            counting = self._counting(self.own["count"].format(rows=rows, rest=tail).strip(), thing.name)
            # Who has left by now is no part of those of one year: such a rate is one of a time, and of whom is not said.
            yield from (_share(query, part) for query in counting if not (self._is_day(part) and _is_timed(query)))

    def _is_day(self, part: Condition) -> bool:
        """Whether a part are the rows that have some date."""
        if not isinstance(part, Comparison) or part.op != "notMissing":
            return False
        entity, _, name = part.field.rpartition(".")
        return self.model.things[entity].fields[name].is_date

    def _counting(self, text: str, entity: str) -> Iterator[SemanticQuery]:
        for query in self.read(text):
            shown = query.show[0] if len(query.show) == 1 else None
            rows = shown is not None and shown.aggregate is Aggregate.COUNT and shown.of == entity and not shown.where
            if rows and query.of == entity and not (query.order or query.compare or query.having):
                yield query

    def _tail(self, behind: str, thing: Thing) -> str:
        """What stands behind a rate, without the rows that it is a rate of."""
        names = {rows_called(thing, self.lang), *names_for(thing.name, thing.declared)}
        pattern = self.own["of_them"].format("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
        return re.sub(pattern, "", behind, flags=re.IGNORECASE).strip()


def _is_called(thing: Thing, noun: str) -> bool:
    names = {name.casefold() for name in names_for(thing.name, thing.declared)}
    return bool({noun.casefold(), noun.casefold().removesuffix("s"), noun.casefold().removesuffix("n")} & names)


def _part_of(query: SemanticQuery, thing: Thing) -> Iterator[Condition]:
    """The part that a share of all rows of an entity is taken of; not that they have their own date, which says nothing."""
    shown = query.show[0] if len(query.show) == 1 and not query.by and query.where is None else None
    if shown is None or shown.transform is not Transform.SHARE or shown.of != thing.name or shown.where is None:
        return
    parts = parts_of(shown.where)
    usual = any(isinstance(one, Comparison) and one.field == f"{thing.name}.{thing.default_date}" for one in parts)
    if all(map(_is_own, parts)) and not usual:
        yield shown.where


def _is_timed(query: SemanticQuery) -> bool:
    """Whether a query is about rows of some time."""
    return (
        query.period is not None or any(one.is_dated for one in query.by) or bool(_DAY.search(query.canonical_json()))
    )


def _is_own(condition: Condition) -> bool:
    inner = condition.condition if isinstance(condition, Negation) else condition
    if isinstance(inner, Related):
        return len(inner.via) == 1 and inner.related.where is None
    return not isinstance(inner, Comparison) or not inner.via


def _share(query: SemanticQuery, part: Condition) -> SemanticQuery:
    """What share of the rows that a query counts are such ones: of all of them, or of each group."""
    count = query.show[0]
    some = count.model_copy(update={"where": part})
    whole = some.model_copy(update={"transform": Transform.SHARE})
    shown = Shown(ratio=(some, count), unit="%") if query.by else whole
    return query.model_copy(update={"show": (shown,)}).normalized()


@cache
def _lists() -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return found
