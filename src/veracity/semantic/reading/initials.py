"""Names that begin with some letters: shops that start with M."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veracity.ontology.descriptor import FieldRole
from veracity.semantic.graph import SemanticModel
from veracity.semantic.query import Comparison
from veracity.semantic.reading.phrases import RowFilter
from veracity.semantic.reading.word_lists import operators
from veracity.sources.source import ColumnType

_LONGEST = 3


def initials_said(texts: Sequence[str], lang: str) -> Iterator[tuple[int, int, str]]:
    """Where a question says letters that names begin with: the words for that, and the letters behind them."""
    ways = [tuple(str(way).split()) for way in operators(lang).get("begins_with") or ()]
    for place in range(len(texts)):
        for way in sorted(ways, key=len, reverse=True):
            end = place + len(way)
            if tuple(texts[place:end]) == way and len(texts) > end and len(texts[end]) <= _LONGEST:
                yield place, end + 1, texts[end]
                break


def beginning_with(letters: str, model: SemanticModel) -> Iterator[RowFilter]:
    """The rows of each entity whose name begins with these letters, where one text is their name."""
    for thing in model.things.values():
        names = [name for name in thing.display if name in thing.fields]
        named = len(names) == 1 and thing.fields[names[0]].role is FieldRole.NAME
        if named and letters.isalpha() and thing.fields[names[0]].column.type is ColumnType.TEXT:
            like = Comparison(field=f"{thing.name}.{names[0]}", op="like", value=f"{letters}%")
            yield RowFilter(thing.name, (like,))
