"""What happens right now, for whoever looks on: one table of events that every process writes and reads.

Each process reads it for all of its followers at once. An event has a number that only grows, so that a follower who was away
goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from veracity.durable.database import DurableDatabase
from veracity.durable.desk import Happening
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import SourceError
from veracity.wire import Wire

if TYPE_CHECKING:
    import sqlalchemy as sa

_POLLING = 0.3
_MOST, _TIDY_EVERY = 10_000, 100
_BATCH, _LONGEST_QUEUE = 1_000, 1_000
_LOCK = 0x7665726163697479
"""The lock under which events are numbered on PostgreSQL."""


class LiveEvent(Wire):
    """Something that happened."""

    id: int
    at: Timestamp
    tenant: str
    kind: Happening
    body: dict[str, Any]

    @cached_property
    def told(self) -> str:
        """What followers read of it, as JSON; written once for all of them. They know their tenant."""
        return self.model_dump_json(exclude={"tenant"})


@dataclass(eq=False, slots=True)
class _Follower:
    """One client who follows the events of a tenant."""

    tenant: str
    queue: asyncio.Queue[LiveEvent] = field(default_factory=lambda: asyncio.Queue(_LONGEST_QUEUE))
    behind: bool = True
    """It reads on from the table: at first, and when more happened than it took."""

    def tell(self, event: LiveEvent) -> None:
        """Hand an event over, unless there are too many already."""
        if self.queue.full():
            self.behind = True
        if not self.behind:
            self.queue.put_nowait(event)


class LiveEvents:
    """The events of a database."""

    def __init__(self, durable: DurableDatabase, *, most: int = _MOST) -> None:
        self._durable, self._most = durable, most
        self._followers: set[_Follower] = set()
        self._reader: asyncio.Task[None] | None = None
        self._begun: asyncio.Future[None] | None = None

    def publish(self, tenant: str, kind: Happening, body: Mapping[str, Any]) -> None:
        """Tell everybody of a tenant, in every process."""
        self._durable.prepare(self._table)
        row = {"at": moment_written(datetime.now(UTC)), "tenant": tenant, "kind": kind, "body": json.dumps(dict(body))}
        with self._durable.session(quick=True) as connection:
            if self._durable.path is None:
                import sqlalchemy as sa

                # One after the other: a number that became visible later than a larger one would be overlooked.
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            made = connection.execute(self._table.insert().values(**row)).inserted_primary_key
            number = int(made[0]) if made else 0
            if number % _TIDY_EVERY == 0:
                connection.execute(self._table.delete().where(self._table.c.id <= number - self._most))

    async def follow(self, tenant: str, after: int | None = None) -> AsyncIterator[LiveEvent]:
        """What happens from now on, or since the event with this number; it never ends by itself."""
        follower = _Follower(tenant)
        self._followers.add(follower)
        try:
            await self._start_reading()
            newest = await asyncio.to_thread(self._newest)
            # A number that was never given is of another database: then it is from now on, too.
            last = newest if after is None else min(after, newest)
            while True:
                # Whatever comes from here on is handed over, so that nothing lies between the table and the queue.
                follower.behind = False
                while missed := await asyncio.to_thread(self._since, last, tenant):
                    for event in missed:
                        last = event.id
                        yield event
                while not (follower.behind and follower.queue.empty()):
                    event = await follower.queue.get()
                    if event.id > last:
                        last = event.id
                        yield event
        finally:
            self._followers.discard(follower)

    # --- one reader for all followers of this process

    async def _start_reading(self) -> None:
        """Start the reader of this process unless it runs, and wait until it knows where it starts."""
        if self._reader is None or self._begun is None or self._reader.done():
            self._begun = asyncio.get_running_loop().create_future()
            self._reader = asyncio.create_task(self._read_for_followers(self._begun))
        await asyncio.shield(self._begun)

    async def _read_for_followers(self, begun: asyncio.Future[None]) -> None:
        try:
            last = await asyncio.to_thread(self._newest)
        except SourceError as error:
            begun.set_exception(error)
            return
        begun.set_result(None)
        while self._followers:
            try:
                for event in await asyncio.to_thread(self._since, last):
                    last = event.id
                    for follower in self._followers:
                        if follower.tenant == event.tenant:
                            follower.tell(event)
            except SourceError:
                # The database is away for a while; what happens meanwhile is read afterwards.
                pass
            await asyncio.sleep(_POLLING)

    # --- the table

    def _newest(self) -> int:
        import sqlalchemy as sa

        found = self._durable.rows(sa.select(sa.func.max(self._table.c.id).label("id")), self._table)
        return int(found[0]["id"] or 0) if found else 0

    def _since(self, after: int, tenant: str | None = None, count: int = _BATCH) -> list[LiveEvent]:
        table = self._table.c
        wanted = self._table.select().where(table.id > after).order_by(table.id).limit(count)
        rows = self._durable.rows(wanted if tenant is None else wanted.where(table.tenant == tenant), self._table)
        return [LiveEvent.model_validate({**row, "body": json.loads(row["body"])}) for row in rows]

    @cached_property
    def _table(self) -> sa.Table:
        import sqlalchemy as sa

        return self._durable.table(
            "veracity_live",
            sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
            *(sa.Column(name, sa.Text, nullable=False) for name in ("at", "tenant", "kind", "body")),
        )
