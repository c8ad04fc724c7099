"""A query that may become a question: the ways people ask it, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from veracity.contracts import QueryValidationError
from veracity.errors import QueryFailed
from veracity.semantic.query import SemanticQuery
from veracity.semantic.wording.labels import Context, Labels, labels_of
from veracity.semantic.wording.read_back import read_back, sentence
from veracity.yaml_file import packaged

if TYPE_CHECKING:
    from veracity.semantic.graph import SemanticModel
    from veracity.semantic.result import SemanticResult
    from veracity.tools.semantic import SemanticTools

Query = dict[str, Any]
"""A semantic query as it is written."""


@cache
def _wordings() -> dict[str, dict[str, list[str]]]:
    read: dict[str, dict[str, list[str]]] = packaged(Path(__file__).with_name("sure_questions.yaml"))
    return read


@dataclass(frozen=True, slots=True)
class PossibleQuestion:
    """A query that may become a question."""

    kind: str
    query: SemanticQuery
    thing: str
    figure: Query | None = None
    field: str = ""
    value: str = ""
    year: int | None = None
    other: str = ""
    """Another thing that it is about."""

    def sounds_odd(self, model: SemanticModel, lang: str) -> bool:
        """Whether it asks how many there are of something that is called the same whether it is one or many."""
        labels = labels_of(model, lang)
        return self.figure is None and labels.entity(self.thing, several=True) == labels.entity(self.thing)

    def texts(self, model: SemanticModel, lang: str) -> Iterator[str]:
        """The ways to ask it, the most usual first; the last is how it is read back."""
        labels = labels_of(model, lang)
        figure = _said({"show": [self.figure]}, model, lang) if self.figure else ""
        words = {
            "figure": figure,
            "small": figure[:1].lower() + figure[1:],
            "dimension": _dimension(labels, self.thing, self.field),
            "thing": labels.entity(self.thing),
            "things": labels.entity(self.thing, several=True),
            "value": self.value,
            "year": self.year or "",
            "other": labels.entity(self.other) if self.other else "",
            "others": labels.entity(self.other, several=True) if self.other else "",
        }
        for wording in _wordings().get(lang, {}).get(self.kind, ()):
            if self.year is not None or "{year}" not in wording:
                text = wording.format(**words)
                yield text[:1].upper() + text[1:]
        yield sentence(read_back(self.query, model, lang))


def _dimension(labels: Labels, thing: str, field: str) -> str:
    return labels.field(field, Context(thing)) if field else ""


def _said(query: Query, model: SemanticModel, lang: str) -> str:
    return sentence(read_back(SemanticQuery.model_validate(query), model, lang))


async def ran_query(semantic: SemanticTools, query: SemanticQuery) -> SemanticResult | None:
    """What a query comes to; nothing where it is refused or the engine cannot answer it."""
    try:
        found = await semantic.run(query)
    except QueryFailed:
        return None
    return None if isinstance(found, QueryValidationError) else found
