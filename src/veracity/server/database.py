"""What the processes of a server share: one SQLite file, or a PostgreSQL. Nothing that matters lives in a process only."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from veracity.agent.judged_answers import JudgedAnswers
from veracity.agent.taught_store import TaughtStore
from veracity.agent.trace_store import TraceRecord, TraceStore
from veracity.durable.database import LOCAL, DurableDatabase
from veracity.errors import SourceError
from veracity.grounding.events import EventStore
from veracity.server.keys import Caller, KeyStore
from veracity.server.live import LiveEvents
from veracity.settings import Settings

if TYPE_CHECKING:
    import sqlalchemy as sa

    from veracity.requirements.ask_user import ValidationDesk
    from veracity.retrieval.review import ReviewDesk
    from veracity.server.boards import Boards
    from veracity.server.conversations import Conversations
    from veracity.server.jobs import JobDesk


_LONGEST_VALUE = 1_000_000
_TIDY_EVERY = 50


class SharedCache:
    """Values that JSON can hold, each with a time limit; the oldest go when there are too many.

    A database that is away costs time, never a result.
    """

    def __init__(self, durable: DurableDatabase, *, most: int = 10_000, clock: Callable[[], float] = time.time) -> None:
        self._durable, self._most, self._clock = durable, most, clock
        self._puts = 0

    def get(self, key: str) -> Any | None:
        """The value, unless its time is up."""
        table = self._table.c
        wanted = self._table.select().where(table.key == key, table.expires > self._clock())
        try:
            found = self._durable.rows(wanted, self._table)
        except SourceError:
            return None
        return json.loads(found[0]["value"]) if found else None

    def put(self, key: str, value: Any, *, seconds: float) -> None:
        """Keep a value for so long; one that is far too large is not kept."""
        text, now = json.dumps(value), self._clock()
        if seconds <= 0 or len(text) > _LONGEST_VALUE:
            return
        new = self._durable.insert(self._table).values(key=key, value=text, stored=now, expires=now + seconds)
        changed = {name: new.excluded[name] for name in ("value", "stored", "expires")}
        try:
            self._durable.prepare(self._table)
            with self._durable.session(quick=True) as connection:
                connection.execute(new.on_conflict_do_update(index_elements=["key"], set_=changed))
                if self._puts % _TIDY_EVERY == 0:
                    self._tidy(connection, now)
        except SourceError:
            return
        self._puts += 1

    def _tidy(self, connection: sa.Connection, now: float) -> None:
        """Delete what has expired, and the oldest of what is too much; done seldom, since it costs more than a value."""
        import sqlalchemy as sa

        table = self._table.c
        connection.execute(self._table.delete().where(table.expires <= now))
        kept = sa.select(table.key).order_by(table.stored.desc(), table.key).limit(self._most)
        connection.execute(self._table.delete().where(table.key.not_in(kept)))

    @cached_property
    def _table(self) -> sa.Table:
        import sqlalchemy as sa

        return self._durable.table(
            "veracity_cache",
            sa.Column("key", sa.Text, primary_key=True),
            sa.Column("value", sa.Text, nullable=False),
            sa.Column("stored", sa.Double, nullable=False, index=True),
            sa.Column("expires", sa.Double, nullable=False, index=True),
        )


# --- all of it


_HOLDS = "server's data"
_JOB, _REVIEW, _RUN = ("queued", "working"), ("waiting",), ("working", "waiting")
"""The states of jobs, reviews and validations that are not over."""


class ServerDatabase:
    """Keys, traces, conversations, guard events, taught words, verdicts, live events, cached values, and the durable work of all tenants."""

    def __init__(self, durable: DurableDatabase, *, keep_rows: bool = False, keep_prompts: bool = True) -> None:
        self.durable = durable
        self._keep_rows, self._keep_prompts = keep_rows, keep_prompts

    @classmethod
    def open(cls, database: str | None = None, settings: Settings | None = None) -> ServerDatabase:
        """The database of `postgresql://...`, of a file, or the store of this user."""
        settings = settings or Settings.from_env()
        durable = DurableDatabase.of(database, holds=_HOLDS, settings=settings)
        return cls(durable, keep_rows=settings.trace_rows, keep_prompts=settings.trace_prompts)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the database; using it again opens it again."""
        self.durable.close()

    def check(self) -> None:
        """Raise `SourceError` unless the database can be used right now."""
        self.durable.prepare(self.durable.worker)
        self.durable.beats()

    @cached_property
    def keys(self) -> KeyStore:
        """The keys of all tenants."""
        return KeyStore(self.durable)

    @cached_property
    def live(self) -> LiveEvents:
        """The live events of all tenants."""
        return LiveEvents(self.durable)

    def traces(self, tenant: str) -> TraceStore:
        """What a tenant asked."""

        def tell(record: TraceRecord) -> None:
            self.live.publish(tenant, "trace", {"traceId": record.trace_id, "outcome": record.outcome})

        return TraceStore(self.durable, tenant, keep_rows=self._keep_rows, keep_prompts=self._keep_prompts, tell=tell)

    def events(self, tenant: str) -> EventStore:
        """What the guard stepped in for."""
        return EventStore(self.durable, tenant)

    def taught(self, tenant: str) -> TaughtStore:
        """The words that a tenant taught."""
        return TaughtStore(self.durable, tenant)

    def judged(self, tenant: str) -> JudgedAnswers:
        """The answers that a tenant called right or wrong."""
        return JudgedAnswers(self.durable, tenant)

    def cache(self) -> SharedCache:
        """Values that were costly to get."""
        return SharedCache(self.durable)

    def queue_depths(self) -> dict[tuple[str, str], int]:
        """How much durable work of all tenants is not over, by kind and by what it waits for."""
        import sqlalchemy as sa

        counted: dict[tuple[str, str], int] = {}
        for desk, states in ((self.jobs(LOCAL), _JOB), (self.reviews(LOCAL), _REVIEW), (self.validations(LOCAL), _RUN)):
            state = desk.table.c.state
            wanted = sa.select(state, sa.func.count().label("count")).where(state.in_(states)).group_by(state)
            found = {row["state"]: int(row["count"]) for row in self.durable.rows(wanted, desk.table)}
            counted.update({(desk.queue.removeprefix("veracity-"), one): found.get(one, 0) for one in states})
        return counted

    # --- imported where it is used, because `veracity key` needs none of it: conversations, and a tenant's durable work

    def conversations(self, caller: Caller) -> Conversations:
        """Which answers belong together, as far as a caller may see them."""
        from veracity.server.conversations import Conversations

        return Conversations(self.durable, caller)

    def boards(self, caller: Caller) -> Boards:
        """The boards of a caller's tenant."""
        from veracity.server.boards import Boards

        return Boards(self.durable, caller)

    def jobs(self, tenant: str) -> JobDesk:
        """Where a tenant's long work is."""
        from veracity.server.jobs import JobDesk

        return JobDesk(self.durable, tenant, tell=self.live.publish)

    def reviews(self, tenant: str) -> ReviewDesk:
        """Where a tenant's reviews are submitted and decided; a worker takes up what was approved."""
        from veracity.retrieval.contracts import RerankSettings
        from veracity.retrieval.review import ReviewDesk

        return ReviewDesk(self.durable, tenant, settings=RerankSettings.from_env(), tell=self.live.publish)

    def validations(self, tenant: str) -> ValidationDesk:
        """Where a tenant's validations are submitted, and their questions answered; a worker does the work."""
        from veracity.requirements.ask_user import ValidationDesk

        return ValidationDesk(self.durable, tenant, tell=self.live.publish)
