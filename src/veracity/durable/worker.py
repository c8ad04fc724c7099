"""A process that looks after durable work: reviews, validations and jobs, and what dead workers have left of them.

DBOS is one per process, so one worker looks after all desks of a process; each desk has a queue and a workflow of its own. A
worker takes only what its desks know: several workers may share a database, also with different desks.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from threading import Event
from time import monotonic

from veracity.durable.database import APP, SCHEMA, VERSION, DurableDatabase, silence_dbos
from veracity.durable.desk import Desk
from veracity.errors import SourceError

PATIENCE = 10.0
"""Seconds without a sign after which a worker counts as dead, and its work is taken over."""
_POLLING = 0.25
_ENDED = -1
_CHORES_EVERY = 3_600.0


def stopped_by_signals() -> Event:
    """An event that Ctrl-C and SIGTERM set from now on, for a worker to stop at."""
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop


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
    def durable(self) -> DurableDatabase:
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

        silence_dbos()
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
                    self._take_over(worker)
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

    def _take_over(self, worker: str) -> None:
        """Put the work of a dead worker back into its queues; it is forgotten only when none is left with it."""
        from dbos import DBOS

        left = DBOS.list_workflows(status="PENDING", executor_id=worker, load_input=False, load_output=False)
        by_queue = sorted(left, key=lambda one: one.queue_name or "")
        for queue, found in groupby(by_queue, key=lambda one: one.queue_name):
            DBOS.resume_workflows([one.workflow_id for one in found], queue_name=queue)
        self.durable.forget_worker(worker)
        self._signs.pop(worker, None)
