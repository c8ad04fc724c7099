"""The part of a model that a question may be about, where the whole is too large to show to a language model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from veracity.language.folding import words_in
from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.language.stem import noun_root
from veracity.semantic.graph import SemanticModel, Thing
from veracity.semantic.reading.figure_phrases import FigurePhrase
from veracity.semantic.reading.joined_phrases import Verb
from veracity.semantic.reading.phrases import Attribute, Role, RowsPhrase, SegmentWord, Stored
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.word_senses import Tagged
from veracity.semantic.short_form import NamedPart, spoken_fields

if TYPE_CHECKING:
    from veracity.language.embed import Embedder

MOST_LETTERS = 2_600
"""A model whose names have at most so many letters together is shown whole, so that its prompt can be cached."""
_MOST_ENTITIES = 8
_MOST_FIELDS = 14
_MOST_MEASURES = 16
_MOST_SEGMENTS = 10
"""Of one entity, where a part is shown."""
_READ, _WORD, _ALIKE = 6.0, 2.0, 3.0
"""How much it counts that the reader found an entity, that a word of the question stands in its names, and that one means alike."""
_LIKE_ENOUGH = 0.45
_MOST_CENTRES = 3
_MOST_HOPS = 3


def relevant_part(
    model: SemanticModel, tagged: Tagged, lang: str, unknown: Sequence[str], embedder: Embedder | None
) -> NamedPart:
    """What the reader found, what is called alike or means alike, and what lies between; all of it where that is little."""
    whole = NamedPart.whole(model)
    if sum(map(len, whole.names)) <= MOST_LETTERS:
        return whole
    chosen = _likeliest(model, tagged, lang, unknown, embedder)[:_MOST_ENTITIES]
    near = [*chosen, *_between(model, chosen), *_around(model, chosen[:_MOST_CENTRES])]
    entities = list(dict.fromkeys(near))[: 2 * _MOST_ENTITIES]
    read = {f"{entity}.{field}" for sense in tagged.mentions for entity, field in _fields_of(sense.phrase)}
    roots = _roots(tagged, unknown)
    fields = tuple(
        f"{entity}.{field}"
        for entity in entities
        for field in _fields(model.things[entity], list(spoken_fields(model.things[entity], model)), read, roots, lang)
    )
    measures = [name for name, (home, _) in model.measures.items() if home in entities]
    segments = _said_segments(model, entities, tagged, roots, lang)
    return NamedPart(tuple(entities), fields, tuple(measures[:_MOST_MEASURES]), tuple(segments[:_MOST_SEGMENTS]))


def _said_segments(
    model: SemanticModel, entities: Sequence[str], tagged: Tagged, roots: set[str], lang: str
) -> list[str]:
    """The segments that were read, then those with a word of the question, then the others."""
    read = {sense.phrase.name for sense in tagged.mentions if isinstance(sense.phrase, SegmentWord)}

    def rank(name: str) -> int:
        label = pick(model.segments[name][1].label, lang) or words_of(name)
        said = bool(roots & {noun_root(word) for word in words_in(label)})
        return 0 if name in read else 1 if said else 2

    return sorted((name for name, (home, _) in model.segments.items() if home in entities), key=rank)


def _likeliest(
    model: SemanticModel, tagged: Tagged, lang: str, unknown: Sequence[str], embedder: Embedder | None
) -> list[str]:
    """Entities, the likeliest first."""
    scores: dict[str, float] = defaultdict(float)
    spans: dict[tuple[int, int], set[str]] = {}
    for sense in tagged.mentions:
        spans.setdefault((sense.start, sense.end), set()).update(_entities_of(sense.phrase))
    for entities in spans.values():
        for entity in entities & model.things.keys():
            scores[entity] += _READ / len(entities)  # a word that means one thing tells more than one that means twenty
    roots = _roots(tagged, unknown)
    named = {entity: _name_roots(thing, lang) for entity, thing in model.things.items()}
    common = Counter(root for own in named.values() for root in own)
    for entity, own in named.items():
        scores[entity] += sum(_WORD / common[root] for root in roots & own)
    if unknown and embedder is not None:
        for entity, likeness in _alike(model, lang, unknown, embedder):
            scores[entity] += _ALIKE * likeness
    found = [name for name, score in scores.items() if score > 0]
    return sorted(found, key=lambda name: -scores[name])


def _alike(model: SemanticModel, lang: str, unknown: Sequence[str], embedder: Embedder) -> Iterator[tuple[str, float]]:
    """Entities with a name that means almost what an unknown word means."""
    names: dict[str, set[str]] = {}
    for entity, thing in model.things.items():
        for text in _names(thing, lang):
            names.setdefault(text.lower(), set()).add(entity)
    texts = list(names)
    vectors = embedder.embed([*(word.lower() for word in unknown), *texts])
    likeness = (vectors[len(unknown) :] @ vectors[: len(unknown)].T).max(axis=1).tolist()
    best: dict[str, float] = defaultdict(float)
    for text, like in zip(texts, likeness, strict=True):
        for entity in names[text] if like >= _LIKE_ENOUGH else ():
            best[entity] = max(best[entity], like)
    yield from best.items()


def _entities_of(phrase: Phrase) -> Iterator[str]:
    match phrase:
        case RowsPhrase() | Attribute() | SegmentWord():
            yield phrase.entity
        case FigurePhrase():
            yield phrase.home
        case Stored():
            yield from (home[0] for home in phrase.homes)
        case Role():
            yield from (phrase.start, phrase.end)
        case Verb():
            yield from (step[0] for step in phrase.steps)


def _fields_of(phrase: Phrase) -> Iterator[tuple[str, str]]:
    match phrase:
        case Attribute():
            yield phrase.entity, phrase.field
        case Stored():
            yield from (home[:2] for home in phrase.homes)


def _between(model: SemanticModel, chosen: Sequence[str]) -> Iterator[str]:
    """What lies on the shortest ways between entities that were chosen."""
    for number, start in enumerate(chosen):
        for end in chosen[number + 1 :]:
            for way in model.ways(start, end)[:2]:
                yield from (step.end for step in way[:-1])


def _around(model: SemanticModel, centres: Sequence[str]) -> Iterator[str]:
    """What is related to the likeliest entities, the nearest first: figures are often kept a few tables away."""
    seen, edge = set(centres), list(centres)
    for _ in range(_MOST_HOPS):
        edge = list(dict.fromkeys(step.end for one in edge for step in model.steps[one] if step.end not in seen))
        seen.update(edge)
        yield from edge


def _roots(tagged: Tagged, unknown: Sequence[str]) -> set[str]:
    said = [token.text for place, token in enumerate(tagged.tokens) if place not in tagged.skipped]
    return {noun_root(word) for text in (*said, *unknown) for word in words_in(text)}


def _names(thing: Thing, lang: str) -> Iterator[str]:
    """What an entity, its fields and its measures are called."""
    yield words_of(thing.name)
    if thing.declared is not None:
        yield from filter(None, (pick(thing.declared.label, lang), *thing.declared.synonyms.get(lang, ())))
    for name, facts in thing.fields.items():
        yield (pick(facts.declared.label, lang) if facts.declared else "") or words_of(name)
    for measure in thing.measures.values():
        yield pick(measure.label, lang) or words_of(measure.name)


def _name_roots(thing: Thing, lang: str) -> set[str]:
    return {noun_root(word) for text in _names(thing, lang) for word in words_in(text)}


def _fields(thing: Thing, spoken: Sequence[str], read: set[str], roots: set[str], lang: str) -> list[str]:
    """The fields that a question may name: those that were read, then those with a word of it, then what rows are known by."""

    def rank(name: str) -> tuple[int, int]:
        facts = thing.fields[name]
        label = (pick(facts.declared.label, lang) if facts.declared else "") or words_of(name)
        said = bool(roots & {noun_root(word) for word in words_in(label)})
        level = 0 if f"{thing.name}.{name}" in read else 1 if said else 2 if name in thing.display else 3
        return level, spoken.index(name)

    return sorted(spoken, key=rank)[:_MOST_FIELDS]
