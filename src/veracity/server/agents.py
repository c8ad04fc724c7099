"""The agents of a server: one for each tenant, opened when it is first needed, over that tenant's rows only."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING

# Agents are opened in threads. Two of them that import the same things for the first time may find them half made, so
# that all is imported here: whoever imports this opens agents.
import pydantic_ai.messages  # noqa: F401

from veracity.agent.loop import Limits
from veracity.agent.taught_store import Mark, TaughtStore
from veracity.ask.conversation import Conversation, conversation_after
from veracity.errors import SourceError, UsageError, VeracityError
from veracity.open import open_agent
from veracity.server.draft import ServedDraft
from veracity.server.keys import LOCAL
from veracity.server.problems import LOG, NotThere
from veracity.server.sources import OWN, SourceAddress, TenantSources
from veracity.settings import Settings
from veracity.telemetry import Telemetry
from veracity.tools.open import chosen_feature

if TYPE_CHECKING:
    from datetime import datetime

    from veracity.agent.trace_store import TraceRecord, Traces, TraceSummary
    from veracity.ask.data_agent import DataAgent
    from veracity.features.records import Progress
    from veracity.grounding.events import Events, GuardEvent
    from veracity.server.config import ServerSettings
    from veracity.server.database import ServerDatabase
    from veracity.server.keys import Caller

Rows = tuple[str, tuple[tuple[str, str], ...], str]
"""A tenant, the scope of its keys, and the source that it uses."""
MOST = 32
"""Tenants whose agents are kept open; of more, the one that was used longest ago is closed."""
_DRAFT_SECONDS = 60
"""So long a draft stands at least that was made again because rows changed."""


class Agents:
    """Opens agents, keeps them, and closes them again."""

    def __init__(
        self,
        settings: ServerSettings,
        database: ServerDatabase,
        *,
        most: int = MOST,
        home: Settings | None = None,
        telemetry: Telemetry | None = None,
        progress: Progress | None = None,
        clock: Callable[[], float] = monotonic,
        sources: TenantSources | None = None,
    ) -> None:
        self._settings, self._database, self._most = settings, database, most
        self._home = home or Settings.from_env()
        self.sources = sources or TenantSources(settings, database.durable, self._home)
        self._telemetry = telemetry or Telemetry.from_env()
        self._progress, self._clock = progress, clock
        self._opened: OrderedDict[Rows, Future[DataAgent]] = OrderedDict()
        self._retired: list[tuple[float, DataAgent]] = []
        self._lock = Lock()
        self._drafts = {OWN: ServedDraft.of_server(settings, self._home)}
        self._drafted_at: dict[str, tuple[int, ...]] = {}
        self._put_aside_at: dict[str, float] = {}

    def of(self, caller: Caller) -> DataAgent:
        """The agent over the rows of the caller's tenant; from any thread. Opening one may take seconds."""
        source_id = self.sources.in_use(caller.tenant).source_id
        with self._lock:
            self._close_retired()
            self._retire_unused(caller.tenant, source_id)
            self._retire_outdated(self._draft(caller.tenant, source_id), source_id)
            rows = (caller.tenant, caller.scope, source_id)
            known = self._opened.get(rows)
            mine = known is None
            waited = known or Future()
            self._opened[rows] = waited
            self._opened.move_to_end(rows)
            self._retire()
        if mine:
            self._open(rows, waited)
        agent = waited.result()
        agent.refresh()
        return agent

    def draft_of(self, tenant: str, source_id: str | None = None) -> ServedDraft:
        """The draft of a source of a tenant, or of the one in use; raises `NotThere` where a tenant sees some rows of it only."""
        used = source_id or self.sources.in_use(tenant).source_id
        if used == OWN and tenant != LOCAL:
            raise NotThere("A tenant sees some rows of the source only; it has no draft of its own.")
        with self._lock:
            return self._draft(tenant, used)

    def _draft(self, tenant: str, source_id: str) -> ServedDraft:
        """One for all who ask a source, so that two answers do not overwrite each other."""
        if source_id not in self._drafts:
            address = self.sources.address(tenant, source_id)
            self._drafts[source_id] = ServedDraft(address.named, address.home)
        return self._drafts[source_id]

    async def follow_up(self, caller: Caller, trace_id: str) -> Conversation:
        """The conversation that an earlier question began: its text and its answer, read again; nothing is kept between."""
        record = await asyncio.to_thread(self.trace, caller, trace_id)
        agent = await asyncio.to_thread(self.of, caller)
        return await conversation_after(record, agent.understand)

    def trace(self, caller: Caller, trace_id: str) -> TraceRecord:
        """A trace of the caller's tenant; raises `NotThere`."""
        try:
            return self._database.traces(caller.tenant).get(trace_id)
        except UsageError:
            raise NotThere(f"There is no trace {trace_id[:60]!r}.") from None

    def scope(self, tenant: str, own: Mapping[str, str] | None = None) -> dict[str, str] | None:
        """The rows of a tenant: those of the server, with the tenant's name in the tenant column, and what its keys say."""
        settings, own = self._settings, own or {}
        feature = chosen_feature(settings.source, settings.feature, settings.ontology)
        base = settings.scope or (dict(feature.default_scope) if feature else {})
        if tenant == LOCAL:
            return {**base, **own} or None
        column = settings.tenant_column or next(iter(base), None)
        if column is None:
            raise UsageError("The tables have no column for the tenant; start the server with --tenant-column.")
        if column.casefold() in {name.casefold() for name in own}:
            raise UsageError(f"The key's scope names {column}, which holds the tenant itself; make a key without it.")
        return {**base, **own, column: tenant}

    def close(self) -> None:
        """Release every source."""
        with self._lock:
            open_ones = [one.result() for one in self._opened.values() if one.done() and one.exception() is None]
            left = [agent for _, agent in self._retired] + open_ones
            self._opened.clear()
            self._retired.clear()
        for agent in left:
            agent.tools.close()
        self._telemetry.shutdown()

    def _open(self, rows: Rows, waited: Future[DataAgent]) -> None:
        try:
            waited.set_result(self._new_agent(*rows))
        except BaseException as error:
            # Whoever waits for it gets the error; the next one tries again.
            with self._lock:
                self._opened.pop(rows, None)
            waited.set_exception(error)
            raise

    def _new_agent(self, tenant: str, own: tuple[tuple[str, str], ...], source_id: str) -> DataAgent:
        settings, database = self._settings, self._database
        if source_id == OWN:
            address = SourceAddress(
                OWN, settings.source, self._home, settings.feature, self.scope(tenant, dict(own)), settings.ontology
            )
        else:
            address = self.sources.address(tenant, source_id)
            address = replace(address, scope={**(address.scope or {}), **dict(own)} or None)
        return open_agent(
            address.named,
            feature=address.feature,
            ontology=address.ontology,
            scope=address.scope,
            model=settings.model,
            tools=settings.tools,
            limits=Limits(seconds=settings.request_seconds),
            traces=LoggedTraces(database.traces(tenant)),
            events=LoggedEvents(database.events(tenant)),
            taught=SteadyTaught(database.durable, tenant),
            telemetry=self._telemetry,
            settings=address.home,
            progress=self._progress,
        )

    def _retire(self) -> None:
        """Put the agents aside that are one too many; a question may still be running on them."""
        while len(self._opened) > self._most:
            tenant = next((name for name, one in self._opened.items() if one.done()), None)
            if tenant is None:
                return
            self._retired.append((self._clock(), self._opened.pop(tenant).result()))

    def _retire_unused(self, tenant: str, source_id: str) -> None:
        """Put the agents of a tenant aside whose source it does not use any more."""
        self._put_aside(lambda rows: rows[0] == tenant and rows[2] != source_id)

    def _retire_outdated(self, draft: ServedDraft, source_id: str) -> None:
        """Put the agents aside that were opened before somebody answered a question of the draft, or before rows changed.

        A source that is written all the time is drafted again once a minute; an answer counts at once.
        """
        changed, before = draft.changed_at(), self._drafted_at.get(source_id, ())
        answered = changed[:1] != before[:1]
        since = self._clock() - self._put_aside_at.get(source_id, float("-inf"))
        if changed == before or not (answered or since > _DRAFT_SECONDS):
            return
        if before and not answered:
            self._put_aside_at[source_id] = self._clock()
        self._put_aside(lambda rows: rows[2] == source_id)
        self._drafted_at[source_id] = changed

    def _put_aside(self, chosen: Callable[[Rows], bool]) -> None:
        for rows in [rows for rows, one in self._opened.items() if chosen(rows) and one.done()]:
            self._retired.append((self._clock(), self._opened.pop(rows).result()))

    def _close_retired(self) -> None:
        """Close what was put aside so long ago that no request can still be using it."""
        longest = 2 * self._settings.request_seconds
        while self._retired and self._clock() - self._retired[0][0] > longest:
            self._retired.pop(0)[1].tools.close()


SAVED: ContextVar[list[str] | None] = ContextVar("saved", default=None)
"""The ids of the traces that the current task has kept, for whoever set a list: a question that is cut off has no answer that tells it."""


# --- traces and events whose keeping may fail without failing the answer


def without_address(model: str) -> str:
    """The name of a model as everybody may see it: `tiny` of `http://10.0.0.7/v1#tiny`."""
    return model.rpartition("#")[2] if "://" in model else model


@dataclass(slots=True)
class LoggedTraces:
    """The traces of a tenant; one that cannot be kept is logged, and the answer goes out without an id."""

    kept: Traces
    keep_rows: bool = field(init=False)
    keep_prompts: bool = field(init=False)

    def __post_init__(self) -> None:
        self.keep_rows, self.keep_prompts = self.kept.keep_rows, self.kept.keep_prompts

    def save(self, record: TraceRecord) -> None:
        """Keep a trace; it names the model, not where it runs."""
        try:
            self.kept.save(record.model_copy(update={"model": without_address(record.model)}))
            if (saved := SAVED.get()) is not None:
                saved.append(record.trace_id)
        except VeracityError as error:
            _log_unkept("a trace was not kept", error, trace_id=record.trace_id)
            raise

    def get(self, trace_id: str) -> TraceRecord:
        """The trace of an identifier."""
        return self.kept.get(trace_id)

    def latest(self, count: int = 20) -> list[TraceSummary]:
        """The newest traces."""
        return self.kept.latest(count)


class SteadyTaught(TaughtStore):
    """The taught words of a tenant; a database that is away for a moment does not cost an answer."""

    _known: Mark = (0, 0)

    def mark(self) -> Mark:
        """How much was taught so far, as far as that is known."""
        try:
            self._known = super().mark()
        except SourceError as error:
            _log_unkept("taught words were not looked up", error)
        return self._known


@dataclass(slots=True)
class LoggedEvents:
    """The guard events of a tenant; those that cannot be kept are logged, and raise nothing."""

    kept: Events

    def save(self, events: Iterable[GuardEvent]) -> int:
        """Keep events; returns how many."""
        try:
            return self.kept.save(events)
        except VeracityError as error:
            _log_unkept("a guard event was not kept", error)
            return 0

    def latest(
        self, count: int | None = 20, *, since: datetime | None = None, rule: str | None = None
    ) -> Iterator[GuardEvent]:
        """The newest events."""
        return self.kept.latest(count, since=since, rule=rule)

    def counts(self, *, since: datetime | None = None) -> dict[str, int]:
        """How often each rule stepped in."""
        return self.kept.counts(since=since)


def _log_unkept(what: str, error: VeracityError, **fields: str) -> None:
    LOG.warning(what, extra={"fields": {**fields, "error": type(error).__name__}})
