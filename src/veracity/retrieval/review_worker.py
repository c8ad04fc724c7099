"""The durable wait: one DBOS workflow for each review, and a worker that looks after them, and after dead workers' ones."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from veracity.errors import SourceError
from veracity.retrieval.review_store import APP, SCHEMA, TOPIC, VERSION, WORKFLOW, quiet

if TYPE_CHECKING:
    from veracity.retrieval.review import ReviewDesk

PATIENCE = 10.0
"""Seconds without a sign after which a worker counts as dead, and its reviews are taken over."""
_POLLING = 0.25
_ENDED = -1


def register(desk: ReviewDesk) -> None:
    """Make the workflow of a review known to DBOS."""
    from dbos import DBOS

    async def review(review_id: str) -> dict[str, Any]:
        left = await _step(desk.seconds_left, review_id)
        # A message comes only with a decision, and nothing only after the deadline: either way, it can be settled.
        await DBOS.recv_async(TOPIC, timeout_seconds=left)
        chosen = await _step(desk.settle, review_id)
        outcomes: list[dict[str, Any]] = []
        for candidate_id in chosen:
            outcomes.append(await _step(desk.take, review_id, candidate_id))
            await _step(desk.progress, review_id, outcomes)
        summary: dict[str, Any] = await _step(desk.verify, review_id, outcomes)
        return summary

    DBOS.workflow(name=WORKFLOW)(review)


async def _step(work: Callable[..., Any], *arguments: Any) -> Any:
    """One step, of data that JSON can hold. The one in flight at a crash runs twice: each is safe to repeat.

    A database that is away for a while must not end a review: a step is tried again for about a day.
    """
    from dbos import DBOS, StepOptions

    async def run() -> Any:
        # The database is asked in a thread: hundreds of reviews wait on this event loop.
        return await asyncio.to_thread(work, *arguments)

    options = StepOptions(name=work.__name__, retries_allowed=True, interval_seconds=0.5, max_attempts=40)
    return await DBOS.run_step_async(options, run)


@dataclass(slots=True)
class Worker:
    """One process that looks after reviews."""

    desk: ReviewDesk
    patience: float = PATIENCE
    drain: bool = False
    """End when all that is decided or due is done."""
    name: str = field(default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}")
    _count: int = 0
    _signs: dict[str, tuple[int, float]] = field(default_factory=dict)
    """How far each worker had counted when it last moved, and when that was by our own clock."""

    def run(self, stop: Event) -> None:
        """Work until stopped. What is waiting then goes on with the next worker, or in another one at once."""
        from dbos import DBOS

        store = self.desk.store
        store.prepare()
        store.beat(self.name, self._count)
        self._launch()
        try:
            while not stop.wait(min(1.0, self.patience / 4)):
                self._tick()
                if self.drain and self.desk.is_idle:
                    break
        finally:
            DBOS.destroy(destroy_registry=True)
            store.beat(self.name, _ENDED)

    def _launch(self) -> None:
        from dbos import DBOS, DBOSPortableJSONSerializer

        quiet()
        DBOS(
            config={
                "name": APP,
                "system_database_url": self.desk.store.url,
                "dbos_system_schema": SCHEMA,
                "application_version": VERSION,
                "executor_id": self.name,
                "serializer": DBOSPortableJSONSerializer(),
                "log_level": "CRITICAL",
                "enable_otlp": False,
                "notification_listener_polling_interval_sec": _POLLING,
            }
        )
        register(self.desk)
        DBOS.launch()
        DBOS.register_queue(APP, polling_interval_sec=_POLLING)

    def _tick(self) -> None:
        """Give a sign of life, and take over what dead workers have left."""
        self._count += 1
        try:
            self.desk.store.beat(self.name, self._count)
            beats = self.desk.store.beats()
            dead = self._dead(beats)
            # One of the living is enough; were it two for a moment, every step could be repeated.
            if self.name == min(beats.keys() - dead):
                for worker in dead:
                    self._inherit(worker)
        except SourceError:
            # The database is away for a while: DBOS waits for it, and so do we.
            return

    def _dead(self, beats: Mapping[str, int]) -> set[str]:
        """The workers that have ended, or given no sign lately. Counters, not times: clocks of different machines differ."""
        now = monotonic()
        for worker, beat in beats.items():
            if worker not in self._signs or self._signs[worker][0] != beat:
                self._signs[worker] = (beat, now)
        silent = {worker for worker in beats if now - self._signs[worker][1] > self.patience}
        return (silent | {worker for worker, beat in beats.items() if beat == _ENDED}) - {self.name}

    def _inherit(self, worker: str) -> None:
        """Put the reviews of a dead worker back into the queue; it is forgotten only when none is left with it."""
        from dbos import DBOS

        left = DBOS.list_workflows(status="PENDING", executor_id=worker, load_input=False, load_output=False)
        if left:
            DBOS.resume_workflows([one.workflow_id for one in left], queue_name=APP)
        self.desk.store.forget(worker)
        self._signs.pop(worker, None)
