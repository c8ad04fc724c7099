"""The parts of one server, which its routes, its pages and its worker share, and the work that they do with them.

`Parts` holds all of them: it answers questions; `Ranking` ranks search results; `RequirementWork` works on requirements.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, Field

from veracity.errors import SourceError, UsageError
from veracity.language.embed import Embedder, UniversalEmbedder
from veracity.open import OFFLINE
from veracity.requirements.duplicates import default_embedder, detect_duplicates
from veracity.requirements.improve import rewrite_requirement
from veracity.requirements.requirement_index import open_requirement_index
from veracity.requirements.suggestions import suggest_improvements
from veracity.retrieval.contracts import RerankSettings
from veracity.retrieval.custom_facets import read_facets
from veracity.retrieval.rerank import rerank
from veracity.server.agents import Agents, without_address
from veracity.server.config import ServerSettings, corpus_of, facets_of_tenant, known_requirements_of
from veracity.server.counting import counted_question
from veracity.server.database import ServerDatabase
from veracity.server.keys import LOCAL
from veracity.server.metrics import Metrics
from veracity.server.own_questions import OwnQuestions
from veracity.server.problems import LOG
from veracity.server.running import RunningQuestions
from veracity.server.sources import OWN
from veracity.server.sources_connect import SourceConnections
from veracity.settings import Settings

if TYPE_CHECKING:
    from veracity.agent.loop import Model, Watch
    from veracity.answer.answer import Answer
    from veracity.requirements.contracts import DuplicatePair, Rewrite, Suggestion
    from veracity.requirements.requirement_index import RequirementIndex
    from veracity.retrieval.contracts import HybridResult, RerankRequest, Scorer
    from veracity.retrieval.search import SearchCorpus
    from veracity.semantic.query import SemanticQuery
    from veracity.server.keys import Caller
    from veracity.server.sources import TenantSources


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
        facets = read_facets(facets_of_tenant(self._home, tenant))
        place = corpus_of(self._settings, self._home, tenant)
        async with self._tenant_corpus(place) as corpus:
            # A folder that is not there yet is no corpus; whatever else cannot be opened is one that is unavailable.
            there = corpus is not None or "://" in place or Path(place).exists()
            named = request.model_copy(update={"corpus": place if there else None})
            work = rerank(
                named,
                settings=self._rerank,
                corpus=corpus,
                scorer=scorer,
                cache=self._database.cache(),
                embedder=self._embedder,
                facets=facets,
            )
            # A model's connections belong to this event loop; without a model it is all computing, done in a thread.
            return await (work if scorer else asyncio.to_thread(asyncio.run, work))

    @asynccontextmanager
    async def _tenant_corpus(self, place: str) -> AsyncIterator[SearchCorpus | None]:
        """The tenant's corpus, brought up to date; None where it cannot be opened."""
        try:
            found = await asyncio.to_thread(self._opened_corpus, place)
        except SourceError:
            found = None
        try:
            yield found
        finally:
            if found is not None:
                await asyncio.to_thread(found.close)

    def _opened_corpus(self, place: str) -> SearchCorpus:
        from veracity.retrieval.search import open_corpus

        found = open_corpus(place, settings=self._home, rerank=self._rerank)
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
        from veracity.llm.model_specs import chosen_model
        from veracity.llm.provider import ProviderConfig
        from veracity.retrieval.llm_scoring import ModelScorer

        config = ProviderConfig(temperature=self._rerank.temperature, timeout=self._rerank.llm_seconds)
        return ModelScorer(chosen_model(self._settings.model, config), self._rerank, self._database.cache())


# --- requirements: rewritten, compared, and looked up among those that a tenant knows


_AT_ONCE = 4

Report = Callable[[int, int | None, str], Awaitable[None]]


class RequirementWork:
    """Works on requirements for any tenant, with the server's model or, without one, by rules alone."""

    def __init__(self, settings: ServerSettings, home: Settings) -> None:
        self._settings, self._home = settings, home

    async def rewritten(self, items: Sequence[str], report: Report | None = None) -> list[Rewrite]:
        """A rewrite of each requirement, in their order."""
        gate, telling, done = asyncio.Semaphore(_AT_ONCE), asyncio.Lock(), 0

        async def one(number: int, text: str) -> Rewrite:
            nonlocal done
            async with gate:
                made = await self._rewrite_one(number, text)
            # One report after the other: an earlier one that is written later would take the count back.
            async with telling:
                done += 1
                if report is not None:
                    await report(done, len(items), "")
            return made

        return list(await asyncio.gather(*(one(number, text) for number, text in enumerate(items, 1))))

    async def _rewrite_one(self, number: int, text: str) -> Rewrite:
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
        from veracity.llm.model_specs import chosen_model

        return chosen_model(self._settings.model)

    @cached_property
    def _embedder(self) -> Embedder:
        return default_embedder(self._home)


# --- questions, and all parts together


class QuestionRequest(BaseModel):
    """A question, or the input of a skill."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"question": "Wie hoch war der Gewinn 2025?"}]},
    )

    question: Annotated[str, Field(min_length=1, max_length=100_000, pattern=r"\S")]
    """In German, English or Chinese; a skill is named by its prefix: `/sql ...`."""
    lang: Annotated[str, Field(pattern=r"^(de|en|zh)([-_][A-Za-z]{2,8})?$")] | None = None
    """The language of the answer, such as de-CH; without it, that of the question."""
    skill: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """A skill by its name; it beats every rule of the router."""
    follows: Annotated[str, Field(min_length=4, max_length=100)] | None = None
    """The trace id of an earlier answer that this question goes on from."""
    conversation: Annotated[str, Field(min_length=4, max_length=100)] | None = None
    """The id of a conversation that keeps the answer; without `follows`, the question goes on from its last answer."""
    assume: bool | None = None
    """Where a model reads the question: use what it takes unknown words to mean, where that is likely, instead of asking back."""
    prose: bool | None = None
    """Let the model word the answer; what it writes is checked, and otherwise the program's text stays."""


_LOOKED_BACK = 5
"""Turns of a conversation among which the one is looked for that a question goes on from: some were cut off."""


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
    connections: SourceConnections
    running: RunningQuestions
    own_questions: OwnQuestions

    @property
    def sources(self) -> TenantSources:
        """The sources that tenants have connected."""
        return self.agents.sources

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
        asked = agents or Agents(settings, kept, home=home)
        return cls(
            settings=settings,
            home=home,
            database=kept,
            agents=asked,
            metrics=Metrics(),
            ranking=Ranking(settings, kept, home),
            requirements=RequirementWork(settings, home),
            connections=SourceConnections(settings, asked.sources, home),
            running=RunningQuestions(kept.cache(), 2 * settings.request_seconds),
            own_questions=OwnQuestions(settings, home, asked.draft_of(LOCAL, OWN), kept.cache()),
        )

    async def answer(self, body: QuestionRequest, caller: Caller, watch: Watch | None = None) -> Answer:
        """A question answered from the rows of the caller's tenant: for a request, a stream, a page or a job."""
        agent = await asyncio.to_thread(self.agents.of, caller)
        follows = await self._followed(body, caller)
        talk = await self.agents.follow_up(caller, follows) if follows else None
        with counted_question(self.metrics, without_address(agent.model_name), self.home, watch) as counting:
            answer = await agent.ask(
                body.question,
                lang=body.lang,
                skill=body.skill,
                conversation=talk,
                watch=counting,
                assume=body.assume,
                prose=body.prose,
            )
            counting.answered(answer, agent.tools.names)
        return await self._kept(answer, body.conversation, caller)

    async def answer_query(
        self,
        query: SemanticQuery,
        caller: Caller,
        *,
        lang: str,
        conversation: str | None = None,
        watch: Watch | None = None,
    ) -> Answer:
        """A query that somebody put together, answered as a question is and kept in a conversation."""
        agent = await asyncio.to_thread(self.agents.of, caller)
        with counted_question(self.metrics, without_address(agent.model_name), self.home, watch) as counting:
            answer = await agent.ask_query(query, lang=lang, watch=counting)
            counting.answered(answer, agent.tools.names)
        return await self._kept(answer, conversation, caller)

    async def _kept(self, answer: Answer, conversation: str | None, caller: Caller) -> Answer:
        """An answer that is kept in its conversation."""
        if conversation is not None:
            await self.keep_turn(conversation, answer, caller)
        # Whoever asks learns which model it was, not where it runs.
        trace = answer.trace.model_copy(update={"model": without_address(answer.trace.model)})
        return answer.model_copy(update={"trace": trace})

    async def _followed(self, body: QuestionRequest, caller: Caller) -> str | None:
        """The trace that a question goes on from: the one it names, or the last of its conversation that is still there."""
        if body.conversation is None:
            return body.follows
        kept = self.database.conversations(caller)
        last = await asyncio.to_thread(kept.trace_ids, body.conversation, _LOOKED_BACK)
        there = await asyncio.to_thread(self.database.traces(caller.tenant).several, last)
        finished = [one.trace_id for one in there if one.finished]
        return body.follows or (finished[-1] if finished else None)

    async def keep_turn(self, conversation: str | None, answer: Answer, caller: Caller) -> str:
        """Keep an answer in a conversation, or begin one with it; its id, or nothing where it could not be kept."""
        if not answer.trace_id:
            return ""
        kept = self.database.conversations(caller)
        try:
            name = conversation or (await asyncio.to_thread(kept.begin, answer.question)).conversation_id
            await asyncio.to_thread(kept.add, name, answer.trace_id, answer.question, answer.text)
        except SourceError as error:
            # That does not cost the answer, and its trace is kept.
            LOG.warning("a turn was not kept", extra={"fields": {"error": type(error).__name__}})
            return ""
        return name


def parts_of(request: Request) -> Parts:
    """The parts of the server that a request is for; a dependency."""
    found: Parts = request.app.state.parts
    return found


ServerParts = Annotated[Parts, Depends(parts_of)]
