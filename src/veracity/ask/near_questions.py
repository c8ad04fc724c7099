"""Questions near one that is not understood: they share what it names, and each is read and run before it is offered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from veracity.ask.possible_question import PossibleQuestion, Query, ran_query
from veracity.language.folding import folded_text
from veracity.ontology.fields import FieldRole
from veracity.semantic.checking.check import check
from veracity.semantic.graph import SemanticModel, is_to_one
from veracity.semantic.query import SemanticQuery
from veracity.semantic.query_values import Grain, QueryPeriod
from veracity.semantic.reading.comparison_phrases import Superlative
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.phrases import Attribute, JoiningWord, Role, RowsPhrase, Stored
from veracity.semantic.reading.said_phrases import SaidPeriod
from veracity.semantic.reading.series_rules import period_before
from veracity.sources.source import NUMERIC

if TYPE_CHECKING:
    from veracity.semantic.reading.read import QuestionReader
    from veracity.semantic.reading.word_senses import Tagged
    from veracity.tools.semantic import SemanticTools

MOST = 3
_MOST_TRIED = 16
_MOST_AMOUNTS = 3
_LONGEST_VALUE, _LONGEST_QUESTION = 40, 120
_DENYING = frozenset({"without", "none", "not", "no", "never"})


@dataclass(slots=True)
class NamedParts:
    """What the words of a question name, whatever they say of it."""

    things: dict[str, None] = field(default_factory=dict)
    fields: dict[tuple[str, str], None] = field(default_factory=dict)
    figures: list[tuple[str, Query]] = field(default_factory=list)
    values: list[tuple[str, str, str]] = field(default_factory=list)
    denies: bool = False
    """Whether something is said not to be."""
    ranks: bool = False
    """Whether the highest or lowest is asked for."""
    changes: bool = False
    """Whether something rose, fell or changed."""
    computes: bool = False
    """Whether an average or a sum is asked for."""
    timed: bool = False
    """Whether a time is said."""
    period: QueryPeriod | None = None
    """The whole year, quarter or month that is said."""


def named_parts(tagged: Tagged) -> NamedParts:
    """The things, fields, figures and values that a question names; fields and values of named things come first."""
    parts, said = NamedParts(), tagged.folded.text
    fields, values = list[tuple[str, str]](), list[tuple[str, str, str]]()
    for mention in tagged.mentions:
        match mention.phrase:
            case RowsPhrase(entity=entity):
                parts.things[entity] = None
            case Role(start=start, end=end):
                parts.things |= {start: None, end: None}
            case Attribute(entity=entity, field=name):
                fields.append((entity, name))
            case FigurePhrase(shown=(one,), home=home) if one.measure:
                parts.figures.append((home, {"measure": one.measure}))
            case Stored(homes=homes):
                spoken = (home for home in homes if isinstance(home[2], str) and folded_text(home[2]) in said)
                values += [(entity, name, str(value)) for entity, name, value in spoken]
            case JoiningWord(kind=kind) if kind in _DENYING:
                parts.denies = True
            case JoiningWord(kind="avg" | "sum" | "median"):
                parts.computes = True
            case JoiningWord(kind="change" | "growth" | "rises" | "falls"):
                parts.changes = True
            case Superlative() | JoiningWord(kind="ordinal" | "most" | "fewest" | "top"):
                parts.ranks = True
            case SaidPeriod():
                parts.timed = True
                whole = mention.phrase.period if mention.phrase.period.length and not mention.phrase.moment else None
                parts.period = parts.period or whole
    parts.fields = dict.fromkeys(sorted(fields, key=lambda one: one[0] not in parts.things))
    parts.values = sorted(values, key=lambda one: one[0] not in parts.things)
    return parts


def says_sum(tagged: Tagged) -> bool:
    """Whether a word asks for a sum: total, insgesamt."""
    return any(isinstance(one.phrase, JoiningWord) and one.phrase.kind == "sum" for one in tagged.mentions)


async def near_questions(tools: SemanticTools, reader: QuestionReader, tagged: Tagged, today: date) -> tuple[str, ...]:
    """At most three, those that share most first."""
    parts, lang, model = named_parts(tagged), reader.words.lang, tools.model
    weighed = {one.query: (weight, one) for weight, one in reversed(list(_candidates(parts, model)))}
    best = sorted(weighed.values(), key=lambda one: -one[0])[:_MOST_TRIED]
    found: dict[str, int] = {}
    for weight, candidate in best:
        if len(found) == MOST or (found and weight < max(found.values()) - 1):
            break
        texts = list(candidate.texts(model, lang))
        # A name without a plural is told as the answer tells it: how many staff, Anzahl Personal.
        for text in texts[-1:] if lang == "de" and candidate.sounds_odd(model, lang) else texts:
            read = reader.read(text, today=today, locale=lang) if len(text) <= _LONGEST_QUESTION else None
            if read is None or len(read.queries) != 1 or read.guessed or read.open:
                continue
            if check(read.queries[0], model) != check(candidate.query, model):
                continue
            result = await ran_query(tools, candidate.query)
            if result is not None and any(cell is not None for row in result.rows for cell in row.values()):
                found[text] = weight
            break
    return tuple(found)


def _candidates(parts: NamedParts, model: SemanticModel) -> Iterator[tuple[int, PossibleQuestion]]:
    """Queries over what is named, each with how much of it they share."""
    yield from _of_figures(parts, model)
    for thing in parts.things:
        count: Query = {"aggregate": "count", "of": thing}
        for name, facts in model.things[thing].fields.items():
            own_name = name in model.things[thing].display
            if (
                (facts.role is FieldRole.CATEGORY or facts.categorical)
                and not own_name
                and _divides(thing, name, model)
            ):
                yield 1, _by_field(count, thing, f"{thing}.{name}", kind="counts")
        for step in model.steps[thing]:
            if step.to_one and not step.has_role and step.end != thing and len(model.ways(thing, step.end)) == 1:
                yield from ((1, one) for _, one in _of_two(thing, step.end, to_one=True, denies=False))
        yield 1, _asked("count", {"show": [count]}, thing)
        for entity, name, value in parts.values:
            if entity == thing and 1 < len(value) <= _LONGEST_VALUE:
                only = {"field": f"{entity}.{name}", "value": value}
                yield (
                    3,
                    _asked("counted", {"show": [count], "of": thing, "where": only}, thing, f"{entity}.{name}", value),
                )
        yield from _of_fields(thing, parts, model)
        date_name = model.things[thing].default_date
        if date_name:
            yearly = {"field": f"{thing}.{date_name}", "grain": "year"}
            yield 2 if parts.timed else 1, _asked("years", {"show": [count], "by": [yearly]}, thing)
        for other in parts.things:
            ways = model.ways(thing, other) if other != thing else ()
            if len(ways) == 1 and ways[0]:
                yield from _of_two(thing, other, to_one=is_to_one(ways[0]), denies=parts.denies)
    for entity in dict.fromkeys(entity for entity, *_ in (*parts.fields, *parts.values)):
        if entity not in parts.things:
            yield from _of_implied(entity, parts, model)


def _of_figures(parts: NamedParts, model: SemanticModel) -> Iterator[tuple[int, PossibleQuestion]]:
    """The figures that are named: of the time that is said, against the year before where a change is, by the fields."""
    for home, figure in parts.figures:
        yield 2, _asked("figure", {"show": [figure]}, home, figure=figure)
        if parts.period is not None:
            yield 3, _asked("figure", {"show": [figure], "period": parts.period}, home, figure=figure)
            if parts.changes and (before := period_before(parts.period, Grain.YEAR)) is not None:
                compared = {"show": [figure], "period": parts.period, "compare": {"period": before}}
                yield 4, _asked("compared", compared, home, figure=figure)
        for entity, name in parts.fields:
            if entity in model.things and _divides(entity, name, model):
                yield 4, _by_field(figure, home, f"{entity}.{name}")


def _of_implied(thing: str, parts: NamedParts, model: SemanticModel) -> Iterator[tuple[int, PossibleQuestion]]:
    """What is asked of a thing that only its fields or values name."""
    yield from ((weight - 1, one) for weight, one in _of_fields(thing, parts, model))
    count: Query = {"aggregate": "count", "of": thing}
    for entity, name, value in parts.values:
        if entity == thing and 1 < len(value) <= _LONGEST_VALUE:
            only = {"field": f"{entity}.{name}", "value": value}
            query = {"show": [count], "of": thing, "where": only}
            yield 2, _asked("counted", query, thing, f"{entity}.{name}", value)
            for whose in parts.things:
                having = {"of": whose, "where": {"related": {"of": thing, "where": only}}}
                if len(model.ways(whose, thing)) == 1:
                    yield 4, _asked("having", having, whose, f"{entity}.{name}", value, other=thing)


def _of_fields(thing: str, parts: NamedParts, model: SemanticModel) -> Iterator[tuple[int, PossibleQuestion]]:
    """Counts by the fields that are named, averages of them, and the row with the highest."""
    count: Query = {"aggregate": "count", "of": thing}
    named = [name for entity, name in parts.fields if entity == thing]
    own = model.things[thing].fields
    pointing = {key for step in model.steps[thing] for hop in step.hops[:1] for key, _ in hop.keys}
    amounts = [
        name
        for name, facts in own.items()
        if facts.column.type in NUMERIC and facts.role is not FieldRole.FLAG and name not in pointing
    ][:_MOST_AMOUNTS]
    for name in dict.fromkeys((*named, *(amounts if parts.computes else ()))):
        path, facts = f"{thing}.{name}", own[name]
        if _divides(thing, name, model):
            yield 3, _by_field(count, thing, path, kind="counts")
        elif facts.column.type in NUMERIC and not facts.identifier and not facts.tells_time:
            mean = {"field": path, "aggregate": "avg"}
            yield 3 if name in named else 2, _asked("figure", {"show": [mean]}, thing, figure=mean)
            if parts.ranks:
                best = {"of": thing, "show": [{"field": path}], "order": [{"by": {"field": path}, "descending": True}]}
                yield 4, _asked("highest", {**best, "limit": 1}, thing, path)


def _of_two(thing: str, other: str, *, to_one: bool, denies: bool) -> Iterator[tuple[int, PossibleQuestion]]:
    """How many of one there are for each of the other; which have none."""
    if to_one:
        count: Query = {"aggregate": "count", "of": thing}
        yield 3, _asked("per", {"show": [count], "of": thing, "by": [{"entity": other}]}, thing, other=other)
    elif denies:
        none = {"not": {"related": {"of": other}}}
        yield 4, _asked("lacking", {"of": thing, "where": none}, thing, other=other)


def _divides(entity: str, name: str, model: SemanticModel) -> bool:
    """Whether a field divides rows into groups that people ask for."""
    facts = model.things[entity].fields[name]
    return not (facts.is_date or facts.tells_time or facts.identifier or facts.column.type in NUMERIC)


def _by_field(figure: Mapping[str, Any], thing: str, path: str, kind: str = "by") -> PossibleQuestion:
    own = dict(figure) if kind == "by" else None
    return _asked(kind, {"show": [dict(figure)], "by": [path]}, thing, path, figure=own)


def _asked(
    kind: str,
    query: Query,
    thing: str,
    path: str = "",
    value: str = "",
    *,
    figure: Query | None = None,
    other: str = "",
) -> PossibleQuestion:
    made = SemanticQuery.model_validate(query)
    return PossibleQuestion(kind, made, thing, figure=figure, field=path, value=value, other=other)
