"""How long something takes: which two dates are meant, by the words of a question, where it does not name them.

The rest of the question is read as one about how many rows there are; their number then becomes the average of the time between the two dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

from veracity.language.folding import folded_text, words_in
from veracity.semantic.graph import SemanticModel, Thing, is_to_one
from veracity.semantic.query import Aggregate, OrderBy, SemanticQuery, Shown
from veracity.semantic.query_values import EarlierDate
from veracity.semantic.reading.word_lists import names_for, rows_called
from veracity.yaml_file import packaged

_LIMIT = re.compile(r"\d\s*(?:days?|weeks?|hours?|minutes?|tagen?|wochen?|stunden?|minuten?)\b", re.IGNORECASE)
"""More than 3 days: that is asked of rows, not how long they take."""
Count = Callable[[str], Sequence[SemanticQuery]]
"""Reads a question."""


@dataclass(frozen=True, slots=True)
class _TwoDates:
    """Two dates of one row."""

    thing: Thing
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class _TimeAsked:
    """What is asked of the time: in which unit, and of which group it is the shortest or the longest."""

    unit: str | None
    first: int
    """1: of the group with the longest, -1: with the shortest; 0: of all."""


def times_taken(question: str, model: SemanticModel, lang: str, read: Count) -> tuple[SemanticQuery, ...]:
    """What a question about how long something takes may mean; nothing where it is none, or no two dates of a row say it."""
    own = _lists()[lang]
    if "joined" in own:
        return _between_named(question, model, lang, read)
    if not re.search(own["asks"], question, re.IGNORECASE) or _LIMIT.search(question):
        return ()
    told = _plain(question)
    for kind, words in _said_kinds(told, lang):
        rest, asked = _rest(told, words, own)
        ways = _TimeReader(model, lang, asked, read).ways(tuple(_spans(model, kind)), rest)
        if found := next(filter(None, ways), None):
            return tuple(dict.fromkeys(found))
    return ()


def _between_named(question: str, model: SemanticModel, lang: str, read: Count) -> tuple[SemanticQuery, ...]:
    """The days on average between two dates that are named, in a language that says them before what is asked: 下单日期和发货日期平均相隔多少天."""
    own, told = _lists()[lang], re.sub(r"[?？!！.。,，\s]+", "", question)
    if not re.search(own["asks"], told):
        return ()
    named = list[tuple[int, _TwoDates, str]]()
    for thing in model.things.values():
        dates = [(name, facts) for name, facts in thing.fields.items() if facts.is_date]
        called = [(name, one) for name, facts in dates for one in names_for(name, facts.declared)]
        for (start, first), (end, last) in permutations(called, 2):
            pair = re.search(f"{re.escape(first)}{own['joined']}{re.escape(last)}", told)
            if pair and start != end:
                rest = re.sub(own["fillers"], "", told[: pair.start()] + told[pair.end() :])
                rest = re.sub(own["fillers"], "", rest)  # what ends it only now
                named.append((len(pair[0]), _TwoDates(thing, start, end), rest))
    longest = max((length for length, _, _ in named), default=0)
    found = list[SemanticQuery]()
    for length, span, rest in named:
        ways = _TimeReader(model, lang, _TimeAsked(None, 0), read).ways((span,), rest) if length == longest else ()
        found += next(filter(None, ways), [])
    return tuple(dict.fromkeys(found))


def _plain(question: str) -> str:
    return re.sub(r"[?!.,;:]+(?=\s|$)", " ", question).strip()


def _said_kinds(question: str, lang: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The kinds of doing that the words name, with these words; the general one last."""
    found = []
    for name, kind in _lists()["kinds"].items():
        for word in kind.get(lang, ()):
            ending = r"s?-?(?:zeit|dauer)\b" if lang == "de" and " " not in word else r"(?!)"
            match = re.search(rf"\b{re.escape(word)}(?:\b|{ending})", question, re.IGNORECASE)
            if match:
                found.append((name == "lasting", -len(match[0]), kind, match[0]))
    yield from ((kind, said) for *_, kind, said in sorted(found, key=lambda one: one[:2]))
    if not found:  # how long are shifts
        yield _lists()["kinds"]["lasting"], ""


def _rest(question: str, words: str, own: Mapping[str, Any]) -> tuple[str, _TimeAsked]:
    """What is left of a question without the words for how long, and what these say of unit and order."""
    unit = next((name for name in ("hours", "minutes") if _has(question, own[name])), None)
    first = -1 if _has(question, own["shortest"]) else 1 if _has(question, own["longest"]) else 0
    rest = _without(question, [words]) if words else question
    for which in (*(("shortest", "longest") if first else ()), "fillers"):
        rest = _without(rest, own[which])
    until = "|".join(own["until"])  # until it is paid; until March says when
    rest = re.sub(rf"(?<!\w)(?:{until})(?!\w)(?!\s+(?:{own['moments']}))", " ", rest, flags=re.IGNORECASE)
    rest = re.sub(rf"^(?:(?:{'|'.join(own['leading'])})\s+)+", "", rest.strip(), flags=re.IGNORECASE)
    rest = re.sub(rf"(?:\s+(?:{'|'.join(own['leading'])}))+$", "", rest, flags=re.IGNORECASE)
    return rest, _TimeAsked({"hours": "h", "minutes": "min"}.get(unit or ""), first)


def _has(text: str, words: Sequence[str]) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for word in words)


def _without(text: str, words: Sequence[str]) -> str:
    for word in words:
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", text, flags=re.IGNORECASE)
    return re.sub(r"\s+", " ", text).strip()


@dataclass(frozen=True, slots=True)
class _TimeReader:
    """Reads what is left of a question as one about the rows of a pair of dates."""

    model: SemanticModel
    lang: str
    asked: _TimeAsked
    read: Count

    @property
    def own(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = _lists()[self.lang]
        return found

    def ways(self, spans: Sequence[_TwoDates], rest: str) -> Iterator[list[SemanticQuery]]:
        """The queries of all pairs; each is a further way to understand the rest, for where those before say nothing."""
        nouns = {span.thing.name: rows_called(span.thing, self.lang) for span in spans}
        if self.asked.first:
            grouped = re.match(self.own["which"], rest, re.IGNORECASE)
            texts = {name: self.own["each"].format(noun, grouped[1]) for name, noun in nouns.items() if grouped}
            yield self._all(spans, texts)
            return
        yield self._all(spans, dict.fromkeys(nouns, rest) if rest else nouns)
        yield self._all(spans, {name: f"{noun} {rest}" for name, noun in nouns.items()})
        who = {query.of or "" for query in self.read(rest) if query.lists and not query.where}
        who |= {name for query in self.read(rest) for name in nouns if _lists_values(query, name)}
        yield self._all(spans, {name: noun for name, noun in nouns.items() if name in who or self._belongs(name, who)})
        yield self._all(spans, {name: self.own["belongs"].format(noun, rest) for name, noun in nouns.items()})

    def _all(self, spans: Sequence[_TwoDates], texts: Mapping[str, str]) -> list[SemanticQuery]:
        """The queries that count the rows of each pair, with the time between its dates instead."""
        return [
            _timed(query, span, self.asked)
            for span in spans
            if span.thing.name in texts
            for query in self.read(self.own["count"].format(texts[span.thing.name]))
            if _counts(query, span.thing.name)
        ]

    def _belongs(self, entity: str, who: Collection[str]) -> bool:
        """Whether rows belong to those that do it: bookings to the guests that stay."""
        return any(way and is_to_one(way) for one in who for way in self.model.ways(entity, one))


def _lists_values(query: SemanticQuery, entity: str) -> bool:
    """Whether a query lists what rows name, as loans name their books, and no more."""
    values = query.by and not query.show and all((one.field or "").rpartition(".")[0] == entity for one in query.by)
    return bool(values) and query.where is None


def _counts(query: SemanticQuery, entity: str) -> bool:
    shown = query.show[0] if len(query.show) == 1 else None
    rows = shown is not None and shown.aggregate is Aggregate.COUNT and shown.of == entity and not shown.via
    return rows and query.of == entity and not (query.order or query.compare or query.having)


def _timed(query: SemanticQuery, span: _TwoDates, asked: _TimeAsked) -> SemanticQuery:
    entity = span.thing.name
    unit = asked.unit or ("min" if _within_a_day(span) else None)
    since = EarlierDate(field=f"{entity}.{span.start}")
    time = Shown(aggregate=Aggregate.AVG, field=f"{entity}.{span.end}", since=since, where=query.show[0].where)
    order = (OrderBy(by=time, descending=asked.first > 0),) if asked.first else ()
    shown = time.model_copy(update={"unit": unit}) if unit and not order else time
    return query.model_copy(update={"show": (shown,), "order": order, "limit": 1 if order else None}).normalized()


# --- which two dates


def _spans(model: SemanticModel, kind: Mapping[str, Any]) -> Iterator[_TwoDates]:
    for thing in model.things.values():
        dates = [name for name, facts in thing.fields.items() if facts.is_date and not _is_called(thing, name, "never")]
        for end in (name for name in dates if _says(thing, name, kind["ends"])):
            others = [name for name in dates if name != end]
            starts = [name for name in others if _says(thing, name, kind["starts"])] if "starts" in kind else others
            yield from (_TwoDates(thing, start, end) for start in starts if _comes_before(thing, start, end))


def _comes_before(thing: Thing, start: str, end: str) -> bool:
    first, last = _stage(thing, start), _stage(thing, end)
    return first is None or last is None or first < last


def _stage(thing: Thing, name: str) -> int | None:
    found = (number for number, words in enumerate(_lists()["stages"]) if _says(thing, name, words))
    return next(found, None)


def _is_called(thing: Thing, name: str, which: str) -> bool:
    return _says(thing, name, _lists()[which])


def _says(thing: Thing, name: str, words: Sequence[str]) -> bool:
    """Whether a field is called by one of some words, by itself or among others."""
    names = [" ".join(words_in(folded_text(text))) for text in names_for(name, thing.fields[name].declared)]
    return any(re.search(rf"\b{re.escape(folded_text(word))}\b", text) for word in words for text in names)


def _within_a_day(span: _TwoDates) -> bool:
    words = _lists()["within_a_day"]
    called = {word for name in names_for(span.thing.name, span.thing.declared) for word in words_in(folded_text(name))}
    timed = all(_says(span.thing, name, ("time", "zeit", "uhr")) for name in (span.start, span.end))
    return timed or not called.isdisjoint(map(folded_text, words))


@cache
def _lists() -> Mapping[str, Any]:
    found: Mapping[str, Any] = packaged(Path(__file__).with_suffix(".yaml"))
    return found
