"""Where somebody works is not where he lives: readings whose place is of another kind than the verb says are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from veracity.language.folding import folded_text
from veracity.semantic.query import Comparison, Condition, Related, SemanticQuery, conditions_in
from veracity.semantic.reading.words import Tagged
from veracity.yaml_file import packaged


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
