"""The draft of the ontology of a source, where nobody has described it: what it asks, and what was answered."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from veracity.ontology.draft import OntologyDraft
from veracity.ontology.draft.keeping import keep_draft, place_of
from veracity.server.problems import NotThere
from veracity.sources.open import open_source
from veracity.tools.drafted import current_draft, state_of

if TYPE_CHECKING:
    from pathlib import Path

    from veracity.server.config import ServerSettings
    from veracity.settings import Settings


class ServedDraft:
    """One draft for all who ask the source whole; every answer is kept at once."""

    def __init__(self, named: str | None, home: Settings) -> None:
        self._named, self._home = named, home
        self._lock = Lock()

    @classmethod
    def of_server(cls, settings: ServerSettings, home: Settings) -> ServedDraft:
        """The draft of the source that a server was started with; one that is described or read in a scope has none."""
        described = settings.ontology or settings.feature or settings.scope
        return cls(None if described else settings.source, home)

    def current(self) -> OntologyDraft:
        """The draft as it was answered so far; made where there is none. Blocks while it counts."""
        with self._lock:
            return self._current()

    def answered(self, question: str, option: str) -> OntologyDraft:
        """The draft with one more answer, which questions use from now on."""
        with self._lock:
            found = self._current().answered(question, option)
            keep_draft(found, self._place())
            return found

    def changed_at(self) -> tuple[int, ...]:
        """When somebody answered last and when the source was written last, to tell whether an open agent still knows all."""
        return (self.answered_at(), *state_of(self._named)) if self._named else ()

    def answered_at(self) -> int:
        """When somebody answered last, or the draft was made again; 0 where there is none."""
        place = self._place() if self._named else None
        return place.stat().st_mtime_ns if place is not None and place.exists() else 0

    def _current(self) -> OntologyDraft:
        self._place()  # there may be none
        named = self._named or ""
        source = open_source(named, settings=self._home)
        try:
            return current_draft(named, source, self._home).draft
        finally:
            source.close()

    def _place(self) -> Path:
        if not self._named:
            raise NotThere("This source is described by an ontology or read in a scope: it has no draft.")
        return place_of(self._home.home, self._named)
