"""People called by one part of their name: figures of all who are called so are told for each of them."""

from __future__ import annotations

from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison, Dimension, Related, SemanticQuery, parts_of
from veracity.semantic.reading.word_lists import is_person


def for_each_called_so(query: SemanticQuery, model: SemanticModel) -> SemanticQuery:
    """The query; where it comes to one figure for whoever has a last name, one for each of them: several may have it."""
    if query.lists or query.by or query.compare is not None or query.limit is not None:
        return query
    for one in parts_of(query.where):
        thing = model.things.get(one.related.of or "") if isinstance(one, Related) and one.count is None else None
        if thing is None or not isinstance(one, Related) or len(thing.display) < 2 or not is_person(thing):
            continue
        compared = [part for part in parts_of(one.related.where) if isinstance(part, Comparison) and part.op == "="]
        named = {part.field.rpartition(".")[2] for part in compared} & set(thing.display)
        if named and len(named) < len(thing.display):
            return query.model_copy(update={"by": (Dimension(entity=thing.name, via=one.via),)}).normalized()
    return query
