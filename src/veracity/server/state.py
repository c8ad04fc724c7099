"""What the routes and the worker share: the parts of one server, among them re-ranking and requirements."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from veracity.errors import SourceError, UsageError
from veracity.language.embed import UniversalEmbedder
from veracity.open import OFFLINE
from veracity.requirements.duplicates import detect_duplicates
from veracity.requirements.improve import rewrite_requirement
from veracity.requirements.requirement_index import open_requirement_index
from veracity.requirements.suggestions import suggest_improvements
from veracity.retrieval.contracts import RerankSettings
from veracity.retrieval.rerank import rerank
from veracity.server.agents import Agents
from veracity.server.config import ServerSettings
from veracity.server.database import ServerDatabase
from veracity.server.metrics import Metrics
from veracity.server.tenants import corpus_of, known_requirements_of
from veracity.settings import Settings

if TYPE_CHECKING:
    from veracity.agent.loop import Model
    from veracity.requirements.contracts import DuplicatePair, Rewrite, Suggestion
    from veracity.requirements.requirement_index import RequirementIndex
    from veracity.retrieval.contracts import HybridResult, RerankRequest, Scorer
    from veracity.retrieval.search import SearchCorpus


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


# --- requirements in a server: evaluated, improved, compared, and looked up among those that a tenant knows


_AT_ONCE = 4

Report = Callable[[int, int | None, str], Awaitable[None]]


class RequirementWork:
    """Works on requirements for any tenant, with the server's model or, without one, by rules alone."""

    def __init__(self, settings: ServerSettings, home: Settings) -> None:
        self._settings, self._home = settings, home

    async def rewritten(self, items: Sequence[str], report: Report | None = None) -> list[Rewrite]:
        """Each requirement written anew, in their order."""
        gate, done = asyncio.Semaphore(_AT_ONCE), 0

        async def one(number: int, text: str) -> Rewrite:
            nonlocal done
            async with gate:
                made = await self._rewritten(number, text)
            done += 1
            if report is not None:
                await report(done, len(items), "")
            return made

        return list(await asyncio.gather(*(one(number, text) for number, text in enumerate(items, 1))))

    async def _rewritten(self, number: int, text: str) -> Rewrite:
        work = rewrite_requirement(text, model=self.model, name=number)
        # A model's connections belong to this event loop; by rules alone it is all computing, done in a thread.
        return await (work if self.model else asyncio.to_thread(asyncio.run, work))

    async def suggestions(self, items: Sequence[str]) -> list[tuple[Suggestion, ...]]:
        """What to do about each requirement."""
        return await asyncio.to_thread(lambda: [suggest_improvements(text) for text in items])

    async def duplicates(self, items: Sequence[str]) -> list[DuplicatePair]:
        """The pairs of a list that may say the same."""
        return await asyncio.to_thread(detect_duplicates, items, embedder=self._embedder)

    @contextmanager
    def known(self, tenant: str) -> Iterator[RequirementIndex]:
        """The requirements that a tenant knows."""
        place = known_requirements_of(self._settings, self._home, tenant)
        index = open_requirement_index(place, settings=self._home, embedder=self._embedder)
        try:
            yield index
        finally:
            index.close()

    @cached_property
    def model(self) -> Model | None:
        """The server's model; None where it is the offline one."""
        if self._settings.model == OFFLINE:
            return None
        from veracity.llm.provider import chosen_model

        return chosen_model(self._settings.model)

    @cached_property
    def _embedder(self) -> UniversalEmbedder:
        return UniversalEmbedder(self._home.home / "embeddings.sqlite")


# --- what the routes and the worker share: the parts of one server, typed


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one server."""

    settings: ServerSettings
    home: Settings
    database: ServerDatabase
    agents: Agents
    metrics: Metrics
    ranking: Ranking
    requirements: RequirementWork

    @classmethod
    def of(
        cls,
        settings: ServerSettings,
        home: Settings,
        *,
        database: ServerDatabase | None = None,
        agents: Agents | None = None,
    ) -> Parts:
        """All of them; a database or agents that are given are used."""
        kept = database or ServerDatabase.open(settings.database, home)
        return cls(
            settings=settings,
            home=home,
            database=kept,
            agents=agents or Agents(settings, kept, home=home),
            metrics=Metrics(),
            ranking=Ranking(settings, kept, home),
            requirements=RequirementWork(settings, home),
        )


def parts(request: Request) -> Parts:
    """The parts of the server that a request is for; a dependency."""
    found: Parts = request.app.state.parts
    return found


State = Annotated[Parts, Depends(parts)]
