"""Re-ranking in a server: one embedder and one model for all requests, a corpus for each tenant."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from veracity.embed import UniversalEmbedder
from veracity.errors import SourceError, UsageError
from veracity.open import OFFLINE
from veracity.retrieval.contracts import RerankSettings
from veracity.retrieval.rerank import rerank
from veracity.server.tenants import corpus_of

if TYPE_CHECKING:
    from veracity.retrieval.contracts import HybridResult, RerankRequest, Scorer
    from veracity.retrieval.search import SearchCorpus
    from veracity.server.config import ServerSettings
    from veracity.server.database import ServerDatabase
    from veracity.settings import Settings


class Ranking:
    """Ranks search results for any tenant."""

    def __init__(self, settings: ServerSettings, database: ServerDatabase, home: Settings) -> None:
        self._settings, self._database, self._home = settings, database, home
        self._rerank = RerankSettings.from_env()

    async def rank(self, request: RerankRequest, tenant: str) -> HybridResult:
        """The candidates of a request, against what the tenant's own corpus says."""
        if request.corpus is not None:
            raise UsageError("A request cannot name a corpus here: the server compares with that of your tenant.")
        scorer = self._scorer if request.control.llm == "on" else None
        async with self._corpus(tenant) as corpus:
            named = request.model_copy(update={"corpus": corpus.name if corpus else None})
            work = rerank(
                named,
                settings=self._rerank,
                corpus=corpus,
                scorer=scorer,
                cache=self._database.cache(),
                embedder=self._embedder,
            )
            # A model's connections belong to this event loop; without a model it is all computing, done in a thread.
            return await (work if scorer else asyncio.to_thread(asyncio.run, work))

    @asynccontextmanager
    async def _corpus(self, tenant: str) -> AsyncIterator[SearchCorpus | None]:
        """The tenant's corpus, brought up to date; a folder that is not there yet is one that holds nothing."""
        try:
            found = await asyncio.to_thread(self._opened, tenant)
        except SourceError:
            found = None
        try:
            yield found
        finally:
            if found is not None:
                await asyncio.to_thread(found.close)

    def _opened(self, tenant: str) -> SearchCorpus:
        from veracity.retrieval.search import open_corpus

        place = corpus_of(self._settings, self._home, tenant)
        found = open_corpus(place, settings=self._home, embedder=self._embedder, rerank=self._rerank)
        if found.folder is not None:
            found.index()
        return found

    @cached_property
    def _embedder(self) -> UniversalEmbedder:
        return UniversalEmbedder(self._home.home / "embeddings.sqlite")

    @cached_property
    def _scorer(self) -> Scorer | None:
        if self._settings.model == OFFLINE:
            return None
        from veracity.llm.provider import ProviderConfig, chosen_model
        from veracity.retrieval.llm_scoring import ModelScorer

        config = ProviderConfig(temperature=self._rerank.temperature, timeout=self._rerank.llm_seconds)
        return ModelScorer(chosen_model(self._settings.model, config), self._rerank, self._database.cache())
