"""What is looked up for every question about one source: a reader for each language, and the stored values.

To build a reader takes longer than to read a question. Agents over the same tables, ontology and values share theirs: those of a server
that were closed and opened again, and those of one program over one file.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from veracity.answer.coverage import Stored
from veracity.ask.unknown_words import FoldedValue, folded_values
from veracity.query.catalog import Catalog
from veracity.semantic.graph import SemanticModel
from veracity.semantic.reading.read import QuestionReader
from veracity.semantic.reading.words import WordBook

_MOST_SHARED = 12
"""So many readers are kept for the next agent."""


class WordTables:
    """The readers of one agent; made anew when stored values changed."""

    def __init__(self) -> None:
        self._mark = 0
        self._readers: dict[str, QuestionReader] = {}
        self._names: list[FoldedValue] = []

    def reader(self, model: SemanticModel, stored: Stored, lang: str) -> QuestionReader:
        """The reader of a language."""
        self._keep_up_with(stored)
        if lang not in self._readers:
            self._readers[lang] = _shared_reader(model, stored, lang)
        return self._readers[lang]

    def stored_names(self, stored: Stored) -> Sequence[FoldedValue]:
        """Every stored value, folded."""
        self._keep_up_with(stored)
        if not self._names:
            self._names = folded_values(stored)
        return self._names

    def _keep_up_with(self, stored: Stored) -> None:
        mark = hash(frozenset((key, frozenset(values)) for key, values in stored.items()))
        if self._mark != mark:
            self._mark, self._readers, self._names = mark, {}, []


# --- readers that several agents share


@dataclass(frozen=True, slots=True)
class _SharedReader:
    lang: str
    stored: Stored
    catalog: Catalog
    reader: QuestionReader


class _SharedReaders(threading.local):
    """The latest readers of a thread: one that reads is never used by another thread meanwhile."""

    def __init__(self) -> None:
        self.latest: list[_SharedReader] = []


_shared = _SharedReaders()


def _shared_reader(model: SemanticModel, stored: Stored, lang: str) -> QuestionReader:
    """A reader over the same content; a new one where there is none."""
    for known in _shared.latest:
        if known.lang == lang and known.stored == stored and _are_alike(known.catalog, model.catalog):
            return known.reader
    made = _SharedReader(lang, dict(stored), model.catalog, QuestionReader(WordBook(model, stored, lang)))
    _shared.latest = [made, *_shared.latest[: _MOST_SHARED - 1]]
    return made.reader


def _are_alike(one: Catalog, other: Catalog) -> bool:
    """Whether two catalogs say the same of the same tables, in the same scope."""
    if one is other:
        return True
    if one.scope != other.scope or one.entities.keys() != other.entities.keys() or one.ontology != other.ontology:
        return False
    pairs = ((entity, other.entities[name]) for name, entity in one.entities.items())
    return all(
        a.table == b.table
        and (a.view and a.view.columns) == (b.view and b.view.columns)
        and a.fields == b.fields
        and (a.grain, a.declared, a.required_filters) == (b.grain, b.declared, b.required_filters)
        for a, b in pairs
    )
