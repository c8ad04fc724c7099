"""A process that looks after durable work: reviews, validations and jobs, and what dead workers have left of them.

DBOS is one per process, so one worker looks after all desks of a process; each desk has a queue and a workflow of its own. A
worker takes only what its desks know: several workers may share a database, also with different desks.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from threading import Event
from time import monotonic
from typing import Any, Literal, Protocol

from veracity.durable.database import APP, SCHEMA, VERSION, Durable, quiet
from veracity.errors import SourceError

PATIENCE = 10.0
"""Seconds without a sign after which a worker counts as dead, and its work is taken over."""
_POLLING = 0.25
_ENDED = -1
_CHORES_EVERY = 3_600.0


Happening = Literal["job", "review", "question", "validation", "trace"]
Tell = Callable[[str, Happening, Mapping[str, Any]], None]
"""Told, with the tenant and the kind of thing, when something has happened."""


class Desk(Protocol):
    """One kind of durable work."""

    @property
    def durable(self) -> Durable:
        """Where it is kept."""

    @property
    def queue(self) -> str:
        """The name of its queue in DBOS."""

    @property
    def at_once(self) -> int | None:
        """How much of it one worker does at the same time; None where almost all of it is waiting."""

    @property
    def is_idle(self) -> bool:
        """Whether all that can be done now is done."""

    def prepare(self) -> None:
        """Make its tables where there are none."""

    def register(self) -> None:
        """Make its workflow known to DBOS."""


async def step(work: Callable[..., Any], *arguments: Any) -> Any:
    """One step, of data that JSON can hold. The one in flight at a crash runs twice: each is safe to repeat.

    A database that is away for a while must not end a workflow: a step is tried again for about a day.
    """
    from dbos import DBOS, StepOptions

    async def run() -> Any:
        # The database is asked in a thread: hundreds of workflows wait on this event loop.
        return await asyncio.to_thread(work, *arguments)

    options = StepOptions(name=work.__name__, retries_allowed=True, interval_seconds=0.5, max_attempts=40)
    return await DBOS.run_step_async(options, run)


@dataclass(slots=True)
class Worker:
    """One process that looks after the work of some desks, all of one database."""

    desks: Sequence[Desk]
    patience: float = PATIENCE
    drain: bool = False
    """End when all that can be done now is done."""
    chores: Sequence[Callable[[], bool]] = ()
    """What is done once an hour, each a little at a time: they say whether there is more of it."""
    name: str = field(default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}")
    _count: int = 0
    _signs: dict[str, tuple[int, float]] = field(default_factory=dict)
    """How far each worker had counted when it last moved, and when that was by our own clock."""
    _chores_at: float = 0.0

    @property
    def durable(self) -> Durable:
        """The database of the desks."""
        return self.desks[0].durable

    def run(self, stop: Event) -> None:
        """Work until stopped. What is waiting then goes on with the next worker, or in another one at once."""
        from dbos import DBOS

        for desk in self.desks:
            desk.prepare()
        self.durable.beat(self.name, self._count)
        self._launch()
        try:
            while not stop.wait(min(1.0, self.patience / 4)):
                self._tick()
                if self.drain and all(desk.is_idle for desk in self.desks):
                    break
        finally:
            DBOS.destroy(destroy_registry=True)
            self.durable.beat(self.name, _ENDED)

    def _launch(self) -> None:
        from dbos import DBOS, DBOSPortableJSONSerializer

        quiet()
        DBOS(
            config={
                "name": APP,
                "system_database_url": self.durable.url,
                "dbos_system_schema": SCHEMA,
                "application_version": VERSION,
                "executor_id": self.name,
                "serializer": DBOSPortableJSONSerializer(),
                "log_level": "CRITICAL",
                "enable_otlp": False,
                "notification_listener_polling_interval_sec": _POLLING,
            }
        )
        for desk in self.desks:
            desk.register()
        # A queue that another worker looks after holds workflows that this one does not know.
        DBOS.listen_queues([desk.queue for desk in self.desks])
        DBOS.launch()
        for desk in self.desks:
            DBOS.register_queue(desk.queue, polling_interval_sec=_POLLING, worker_concurrency=desk.at_once)

    def _tick(self) -> None:
        """Give a sign of life, and take over what dead workers have left."""
        self._count += 1
        try:
            self.durable.beat(self.name, self._count)
            beats = self.durable.beats()
            dead = self._dead(beats)
            # One of the living is enough; were it two for a moment, every step could be repeated.
            if self.name == min(beats.keys() - dead):
                for worker in dead:
                    self._inherit(worker)
                self._do_chores()
        except SourceError:
            # The database is away for a while: DBOS waits for it, and so do we.
            return

    def _do_chores(self) -> None:
        if monotonic() >= self._chores_at:
            more = [chore() for chore in self.chores]
            self._chores_at = monotonic() + (0.0 if any(more) else _CHORES_EVERY)

    def _dead(self, beats: Mapping[str, int]) -> set[str]:
        """The workers that have ended, or given no sign lately. Counters, not times: clocks of different machines differ."""
        now = monotonic()
        for worker, beat in beats.items():
            if worker not in self._signs or self._signs[worker][0] != beat:
                self._signs[worker] = (beat, now)
        silent = {worker for worker in beats if now - self._signs[worker][1] > self.patience}
        return (silent | {worker for worker, beat in beats.items() if beat == _ENDED}) - {self.name}

    def _inherit(self, worker: str) -> None:
        """Put the work of a dead worker back into its queues; it is forgotten only when none is left with it."""
        from dbos import DBOS

        left = DBOS.list_workflows(status="PENDING", executor_id=worker, load_input=False, load_output=False)
        by_queue = sorted(left, key=lambda one: one.queue_name or "")
        for queue, found in groupby(by_queue, key=lambda one: one.queue_name):
            DBOS.resume_workflows([one.workflow_id for one in found], queue_name=queue)
        self.durable.forget(worker)
        self._signs.pop(worker, None)
