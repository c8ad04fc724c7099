"""Where somebody works is not where he lives: readings whose place is of another kind than the verb says are none. Where somebody bought may be either."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from veracity.language.folding import folded_text
from veracity.semantic.graph import SemanticModel, is_to_one, names_of
from veracity.semantic.query import Comparison, Condition, Related, SemanticQuery, all_of, conditions_in, parts_of
from veracity.semantic.reading.joined_phrases import Verb
from veracity.semantic.reading.phrases import Stored
from veracity.semantic.reading.related_rows import aims_at, starts_at
from veracity.semantic.reading.word_lists import in_all_languages, is_person
from veracity.semantic.reading.word_senses import Tagged
from veracity.yaml_file import packaged


def either_place(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> Iterator[SemanticQuery]:
    """The query; and where a place behind what was done may be that of the rows or of the deed, also that: who bought in Bern."""
    yield query
    parts = parts_of(query.where)
    verbs = [one.start for one in tagged.mentions if isinstance(one.phrase, Verb)]
    deeds = [
        one for one in parts if isinstance(one, Related) and one.count is None and not _is_to_one(query, one, model)
    ]
    if not verbs or len(deeds) != 1 or query.of not in model.things or not is_person(model.things[query.of]):
        return
    for mention in tagged.mentions:
        if not isinstance(mention.phrase, Stored) or mention.start < min(verbs):
            continue
        homes = mention.phrase.homes
        own = next((part for part in parts if _is_value(part, query.of, homes)), None)
        for entity, field, value in homes if own is not None else ():
            ways = model.ways(deeds[0].related.of or "", entity) if entity != query.of else ()
            if len(ways) == 1 and is_to_one(ways[0]) and not is_person(model.things[entity]):
                there = SemanticQuery(of=entity, where=Comparison(field=f"{entity}.{field}", value=value))
                done = deeds[0].related
                where = all_of((done.where, Related(via=names_of(ways[0]), related=there)))
                deed = deeds[0].model_copy(update={"related": done.model_copy(update={"where": where})})
                rest = (part for part in parts if part is not own and part is not deeds[0])
                yield query.model_copy(update={"where": all_of((*rest, deed))}).normalized()


def _is_to_one(query: SemanticQuery, related: Related, model: SemanticModel) -> bool:
    way = model.way(query.of or "", related.via)
    return way is None or is_to_one(way)


def _is_value(part: Condition, entity: str, homes: Sequence[tuple[str, str, object]]) -> bool:
    """Whether a condition is one of the meanings of a stored value, of an entity itself."""
    if not isinstance(part, Comparison) or part.via or part.op != "=":
        return False
    return any(
        home == entity and part.field == f"{home}.{field}" and part.value == value for home, field, value in homes
    )


@cache
def _kinds() -> tuple[tuple[frozenset[str], tuple[str, ...]], ...]:
    """The verbs of each kind of place, and the parts of names that are elsewhere."""
    told: Sequence[dict[str, list[str]]] = packaged(Path(__file__).with_name("place_verbs.yaml"))
    return tuple((frozenset(map(folded_text, one["verbs"])), tuple(map(folded_text, one["elsewhere"]))) for one in told)


def said_place(tagged: Tagged) -> Callable[[SemanticQuery], bool]:
    """Whether a query may be what the verb of place in a question says; without such a verb every query may."""
    said = {folded_text(token.text) for token in tagged.tokens}
    found = [elsewhere for verbs, elsewhere in _kinds() if not verbs.isdisjoint(said)]
    if len(found) != 1:  # who works in Bern and lives in Thun: which place is which is not told here
        return lambda _: True
    return lambda query: not any(part in name for name in _places(query) for part in found[0])


def _places(query: SemanticQuery) -> Iterator[str]:
    """The fields that texts are looked for in, with the entity where it is another one than the rows'."""
    shown = [*query.show, *(order.by for order in query.order)]
    for condition in (query.where, *(one.where for one in shown)):
        yield from _named(condition, query.of or "")


def _named(condition: Condition | None, of: str) -> Iterator[str]:
    for part in conditions_in(condition):
        if isinstance(part, Related):
            yield from _named(part.related.where, of)
        elif isinstance(part, Comparison) and isinstance(part.value, str) and part.field:
            entity, _, field = part.field.rpartition(".")
            yield folded_text(field if entity == of else part.field)


def goes_the_wrong_way(query: SemanticQuery, tagged: Tagged, model: SemanticModel) -> bool:
    """Whether what goes from a place is read as going there, or what goes to it as starting there, where rows tell both."""
    wheres = (query.where, *(one.where for one in query.show))
    ties = [one for where in wheres for one in conditions_in(where) if isinstance(one, Related)]
    if any(goes_the_wrong_way(one.related, tagged, model) for one in ties):
        return True
    both = [step for step in model.steps.get(query.of or "", ()) if aims_at(step) != starts_at(step)]
    if not any(map(aims_at, both)) or not any(map(starts_at, both)):
        return False
    texts = [token.text for token in tagged.tokens]
    for tied in ties:
        step = next((one for one in both if tied.via and one.name == tied.via[0]), None)
        met = {(one.field, one.value) for one in conditions_in(tied.related.where) if isinstance(one, Comparison)}
        for mention in tagged.mentions if step is not None else ():
            stored = mention.phrase.homes if isinstance(mention.phrase, Stored) and mention.start else ()
            if step is not None and any((f"{entity}.{field}", value) in met for entity, field, value in stored):
                before = (texts[mention.start - 1],)
                if before in in_all_languages("come_from" if aims_at(step) else "aimed"):
                    return True
    return False
