"""Requirements in a server: evaluated, improved, compared, and looked up among those that a tenant knows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from veracity.embed import UniversalEmbedder
from veracity.open import OFFLINE
from veracity.requirements.duplicates import detect_duplicates
from veracity.requirements.improve import rewrite_requirement, suggest_improvements
from veracity.requirements.requirement_index import open_requirement_index
from veracity.server.tenants import known_requirements_of

if TYPE_CHECKING:
    from veracity.agent import Model
    from veracity.requirements.contracts import DuplicatePair, Rewrite, Suggestion
    from veracity.requirements.requirement_index import RequirementIndex
    from veracity.server.config import ServerSettings
    from veracity.settings import Settings

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
