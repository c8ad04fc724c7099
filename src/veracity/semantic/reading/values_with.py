"""Which values of a field some rows have, each told once: which cities have employees under 30; and rows with those that belong to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from veracity.language.folding import folded_text, words_in
from veracity.semantic.graph import SemanticModel, Thing, names_of
from veracity.semantic.query import Aggregate, Dimension, SemanticQuery, Shown
from veracity.semantic.reading.asked_forms import Knows, Read, without_end_sign
from veracity.semantic.reading.word_lists import key_of, names_for, operators
from veracity.sources.source import NUMERIC
from veracity.yaml_file import packaged


def values_of_rows(question: str, model: SemanticModel, lang: str, read: Read) -> tuple[SemanticQuery, ...]:
    """What such a question means; nothing where what it asks for is no field of these rows, or more is said of them than which they are."""
    plain = without_end_sign(question)
    for pattern in _patterns(lang, "values"):
        said = pattern.match(plain)
        if said and (found := tuple(_told(said, model, read))):
            return found
    return ()


def rows_together(
    question: str, model: SemanticModel, lang: str, read: Read, knows: Knows
) -> tuple[SemanticQuery, ...]:
    """Rows with those that belong to them: teachers and the courses they teach. Nothing where they may belong together in several ways."""
    plain = without_end_sign(question)
    for pattern in _patterns(lang, "together"):
        said = pattern.match(plain)
        if said is None or any(knows(word) for word in (said.groupdict().get("verb") or "").split()):
            continue
        ones, others = (tuple(filter(_is_plain, read(said[name]))) for name in ("one", "other"))
        found = (_pair(one, other, model) for one in ones for other in others if other.where is None)
        if pairs := tuple(filter(None, found)):
            return pairs
    return ()


def _pair(one: SemanticQuery, other: SemanticQuery, model: SemanticModel) -> SemanticQuery | None:
    start, end = one.of or "", other.of or ""
    ways = model.ways(start, end)
    apart = {tuple((hop.entity, hop.keys) for step in way for hop in step.hops) for way in ways}
    named = model.things.get(end)
    if start == end or len(apart) != 1 or named is None or (len(named.key) > 1 and named.display == named.key):
        return None  # rows that are called by several numbers tell nobody anything
    told = Dimension(entity=end, via=names_of(ways[0]) if len(ways) > 1 else ())
    return one.model_copy(update={"by": (Dimension(entity=start), told)}).normalized()


def _is_plain(query: SemanticQuery) -> bool:
    """Whether a query lists rows, and says nothing more than which they are."""
    return query.lists and not (query.show or query.by or query.order or query.limit or query.having)


def each_once(query: SemanticQuery, question: str, lang: str) -> SemanticQuery:
    """The different values of a field, where rows are listed with it and different ones are asked for: the distinct countries of singers."""
    wanted = any(word in words_in(folded_text(question)) for word in operators(lang).get("distinct") or ())
    field = query.show[0].field if query.lists and len(query.show) == 1 else None
    if not wanted or not field or query.order or query.limit or field.rpartition(".")[0] != query.of:
        return query
    return query.model_copy(update={"show": (), "by": (Dimension(field=field),)}).normalized()


def _told(said: re.Match[str], model: SemanticModel, read: Read) -> Iterator[SemanticQuery]:
    for query in read(said["rows"]):
        thing = model.things.get(query.of or "")
        for name in _called(said["field"], thing) if thing is not None and _is_plain(query) else ():
            many = bool(said.groupdict().get("many"))
            if many and thing is not None and thing.fields[name].column.type in NUMERIC:
                continue  # how many spectators matches had is a sum, not how many different numbers
            path = f"{query.of}.{name}"
            counted = {"show": (Shown(aggregate=Aggregate.COUNT_DISTINCT, field=path),)}
            told = query.model_copy(update=counted if many else {"by": (Dimension(field=path),)})
            yield told.normalized()


def _called(text: str, thing: Thing) -> Iterator[str]:
    """The fields of rows that are called so."""
    wanted = key_of(text)
    for name, facts in thing.fields.items():
        if facts.declared is not None and any(key_of(one) == wanted for one in names_for(name, facts.declared)):
            yield name


@cache
def _patterns(lang: str, way: str) -> tuple[re.Pattern[str], ...]:
    lists: Mapping[str, Mapping[str, list[str]]] = packaged(Path(__file__).with_suffix(".yaml"))
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in lists[lang][way])
