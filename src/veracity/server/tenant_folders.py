"""The folders into which approved sources are written: one for each tenant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from veracity.retrieval.ingest import ApprovedSource, IngestOutcome, MarkdownFolder
from veracity.server.config import ServerSettings, corpus_of

if TYPE_CHECKING:
    from veracity.settings import Settings


class TenantFolders:
    """Writes approved sources into the corpus of their tenant."""

    def __init__(self, settings: ServerSettings, home: Settings) -> None:
        # A collection is filled by whoever looks after it; what was approved is written to the default folder then.
        here = settings.corpus is None or "://" not in settings.corpus
        self._settings = settings if here else settings.model_copy(update={"corpus": None})
        self._home = home

    def take(self, source: ApprovedSource) -> str:
        """Write the file, whole or not at all."""
        return self._folder_of_tenant(source.tenant).take(source)

    def look(self, source: ApprovedSource) -> IngestOutcome:
        """Whether the file is there and holds this source as it was approved."""
        return self._folder_of_tenant(source.tenant).look(source)

    def _folder_of_tenant(self, tenant: str) -> MarkdownFolder:
        return MarkdownFolder(Path(corpus_of(self._settings, self._home, tenant)))
