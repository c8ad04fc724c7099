"""Long work, done by a worker: a job has an id, progress and a result, can be cancelled, and survives every restart.

    submit
      -> queued      a row and its workflow, written in one transaction
      -> working     a worker has taken it; another one takes over when that dies
      -> done        with a result; or failed, with a sentence; or cancelled

`JobDesk` is what requests use. The work itself is a mapping of kind -> async function that the worker is given.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
import secrets
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from veracity.agent.trace_store import new_trace_id
from veracity.contracts import clip
from veracity.durable.database import LOCAL, Durable
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.durable.worker import step
from veracity.errors import JobConflict, SourceError, UsageError, VeracityError
from veracity.server.live import LiveEvents
from veracity.wire import Wire

if TYPE_CHECKING:
    import sqlalchemy as sa

JobKind = Literal["ask", "rerank", "evaluate_batch"]
JobState = Literal["queued", "working", "done", "failed", "cancelled"]
OVER: tuple[JobState, ...] = ("done", "failed", "cancelled")
"""The states after which nothing changes any more."""
QUEUE, WORKFLOW = "veracity-jobs", "veracity_job"
AT_ONCE = 4
"""How many jobs one worker does at the same time."""
MOST_ATTEMPTS = 5
"""Work that has taken so many workers with it is not given to another."""
_KEPT, _TIDY_EVERY = timedelta(days=30), 256
_LOOK = 0.5
_LONGEST_KEY, _LONGEST_TEXT = 200, 500
_COLUMNS = "tenant scope kind key digest state submitted_at started_at finished_at progress body result error".split()  # noqa: SIM905


class JobProgress(Wire):
    """How far a job is."""

    done: int = 0
    of: int | None = None
    says: str = ""


class Job(Wire):
    """A job as it is now."""

    job_id: str
    kind: JobKind
    state: JobState
    submitted_at: Timestamp
    started_at: Timestamp | None = None
    finished_at: Timestamp | None = None
    progress: JobProgress = JobProgress()
    result: Any = None
    error: str | None = None
    """Why it failed, in one sentence."""


@dataclass(frozen=True, slots=True)
class JobRun:
    """What the work of a job is given."""

    job_id: str
    tenant: str
    scope: tuple[tuple[str, str], ...]
    """Of the key that it was submitted with."""
    body: Mapping[str, Any]
    report: Callable[[int, int | None, str], Awaitable[None]]
    """Tells how far the work is: how much is done, of how much, and in words."""


Work = Callable[[JobRun], Awaitable[Any]]
"""Does a job; returns data that JSON can hold. A `VeracityError` is how it fails."""


class JobDesk:
    """Submits, shows and cancels the jobs of a tenant; for a worker, does those of all tenants."""

    queue = QUEUE
    at_once: int | None = AT_ONCE

    def __init__(
        self,
        durable: Durable,
        tenant: str = LOCAL,
        *,
        live: LiveEvents | None = None,
        work: Mapping[JobKind, Work] | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.durable, self.tenant = durable, tenant
        self._live, self._clock = live, clock
        self._work: Mapping[JobKind, Work] = work or {}

    # --- submit and look

    def submit(
        self,
        kind: JobKind,
        body: Mapping[str, Any],
        *,
        key: str | None = None,
        scope: tuple[tuple[str, str], ...] = (),
    ) -> Job:
        """Put work up; once this returns, it cannot be lost. The same key gives the same job again."""
        if key is not None and not (0 < len(key) <= _LONGEST_KEY and key.isprintable()):
            raise UsageError(f"An idempotency key has 1 to {_LONGEST_KEY} characters that can be shown.")
        written = json.dumps(dict(body), sort_keys=True)
        digest = hashlib.sha256(f"{kind}\n{written}".encode()).hexdigest()
        now = self._clock()
        job_id = new_trace_id(now)
        row = {
            "job_id": job_id,
            "tenant": self.tenant,
            "scope": json.dumps(scope),
            "kind": kind,
            "key": key,
            "digest": digest,
            "state": "queued",
            "submitted_at": moment_written(now),
            "body": written,
            "attempts": 0,
        }
        self.prepare()
        with self.durable.session() as connection:
            new = self.durable.insert(self._table).values(**row)
            if key is not None:
                new = new.on_conflict_do_nothing(index_elements=["tenant", "key"])
            is_new = connection.execute(new.returning(self._table.c.job_id)).first() is not None
            if is_new:
                self.durable.start(connection, WORKFLOW, QUEUE, job_id)
        if is_new:
            self._tell(row)
            return _job(row)
        return self._earlier(str(key), digest)

    def _earlier(self, key: str, digest: str) -> Job:
        """The job that was submitted with this key before."""
        found = self._rows(self._table.c.key == key)
        if found[0]["digest"] != digest:
            raise JobConflict(f"The idempotency key {clip(key, 40)!r} was used for another request; take a new one.")
        return _job(found[0])

    def show(self, job_id: str) -> Job:
        """The job of an id; one of another tenant is not there."""
        return _job(self._one(job_id))

    def list(self, count: int = 20, *, state: JobState | None = None) -> tuple[Job, ...]:
        """The newest jobs, the newest first."""
        conditions = () if state is None else (self._table.c.state == state,)
        return tuple(_job(row) for row in self._rows(*conditions, most=count))

    def cancel(self, job_id: str) -> Job:
        """End a job that is queued or being worked on; one that is over stays what it is."""
        row = self._one(job_id)
        changes = {"state": "cancelled", "finished_at": moment_written(self._clock())}
        if self._change(row["job_id"], changes):
            # The worker looks at the row; the workflow itself is ended so that nobody takes it over.
            self.durable.cancel(row["job_id"])
            row = self._one(job_id)
            self._tell(row)
        return _job(row)

    # --- the steps of the workflow

    def take(self, job_id: str) -> bool:
        """Say that the work has begun; False for a job that was cancelled meanwhile."""
        changed = self._change(job_id, {"state": "working", "started_at": moment_written(self._clock())})
        if changed:
            self._tell(self._row(job_id))
        return changed

    async def work(self, job_id: str) -> dict[str, Any]:
        """Do the work; what came of it, or why it failed. Cancelling the job cancels it."""
        row = await asyncio.to_thread(self._begun, job_id)
        if row["attempts"] > MOST_ATTEMPTS:
            return {
                "state": "failed",
                "error": f"The work was broken off {MOST_ATTEMPTS} times; it is not tried again.",
            }

        async def report(done: int, of: int | None = None, says: str = "") -> None:
            progress = JobProgress(done=done, of=of, says=clip(says, _LONGEST_TEXT))
            await asyncio.to_thread(self._report, job_id, progress)

        scope = tuple((column, value) for column, value in json.loads(row["scope"] or "[]"))
        run = JobRun(job_id, row["tenant"], scope, json.loads(row["body"]), report)
        doing = asyncio.create_task(self._done(row["kind"], run))
        looking = asyncio.create_task(self._until_cancelled(job_id))
        try:
            await asyncio.wait({doing, looking}, return_when=asyncio.FIRST_COMPLETED)
            return _outcome(doing, job_id) if doing.done() else {"state": "cancelled"}
        finally:
            doing.cancel()
            looking.cancel()
            # Work that is being cancelled may still have something to close.
            await asyncio.wait({doing, looking})

    def _begun(self, job_id: str) -> dict[str, Any]:
        """The row of a job, one attempt later."""
        table = self._table
        with self.durable.session() as connection:
            own = table.update().where(table.c.job_id == job_id)
            connection.execute(own.values(attempts=table.c.attempts + 1))
        return self._row(job_id)

    async def _done(self, kind: JobKind, run: JobRun) -> str:
        """The result of the work, written."""
        return json.dumps(await self._work[kind](run))

    def finish(self, job_id: str, changes: dict[str, Any]) -> None:
        """Keep what came of a job, unless it was cancelled meanwhile."""
        if self._change(job_id, {**changes, "finished_at": moment_written(self._clock())}):
            self._tell(self._row(job_id))
        if secrets.randbelow(_TIDY_EVERY) == 0:
            self.tidy()

    async def _until_cancelled(self, job_id: str) -> None:
        while True:
            await asyncio.sleep(_LOOK)
            with suppress(SourceError):
                if (await asyncio.to_thread(self._row, job_id))["state"] == "cancelled":
                    return

    def _report(self, job_id: str, progress: JobProgress) -> None:
        if self._change(job_id, {"progress": progress.model_dump_json()}):
            self._tell(self._row(job_id))

    # --- work

    @property
    def is_idle(self) -> bool:
        """Whether no job is left to do."""
        import sqlalchemy as sa

        left = sa.select(sa.func.count().label("left")).where(self._table.c.state.not_in(OVER))
        found = self.durable.rows(left, self._table)
        return not found or found[0]["left"] == 0

    def prepare(self) -> None:
        """Make the table of jobs where there is none."""
        self.durable.prepare_workflows(self._table)

    def register(self) -> None:
        """Make the workflow of a job known to DBOS, and let go of jobs that were over long ago."""
        from dbos import DBOS

        async def job(job_id: str) -> None:
            if await step(self.take, job_id):
                changes = await DBOS.run_step_async({"name": "work"}, self.work, job_id)
                await step(self.finish, job_id, changes)

        self.tidy()
        DBOS.workflow(name=WORKFLOW)(job)

    def tidy(self) -> None:
        """Forget the jobs that have been over for a month."""
        table, limit = self._table.c, moment_written(self._clock() - _KEPT)
        old = self.durable.rows(self._table.select().where(table.finished_at < limit).limit(1_000), self._table)
        ids = [row["job_id"] for row in old]
        if ids:
            with self.durable.session() as connection:
                connection.execute(self._table.delete().where(table.job_id.in_(ids)))
            self.durable.drop(ids)

    # --- the table

    def _change(self, job_id: str, values: Mapping[str, Any]) -> bool:
        """Write into a job that is not over; whether it was so."""
        table = self._table.c
        own = self._table.update().where(table.job_id == job_id, table.state.not_in(OVER))
        with self.durable.session() as connection:
            return connection.execute(own.values(**values)).rowcount == 1

    def _one(self, job_id: str) -> dict[str, Any]:
        name = job_id.strip()
        found = self._rows(self._table.c.job_id == name) if re.fullmatch(r"[\w-]+", name, re.ASCII) else ()
        if not found:
            raise UsageError(f"There is no job {clip(name, 40)!r}.")
        return found[0]

    def _row(self, job_id: str) -> dict[str, Any]:
        """The row of a job of any tenant, for the worker."""
        wanted = self._table.select().where(self._table.c.job_id == job_id)
        found: dict[str, Any] = self.durable.rows(wanted, self._table)[0]
        return found

    def _rows(self, *conditions: sa.ColumnElement[bool], most: int = 1) -> Sequence[dict[str, Any]]:
        wanted = self._table.select().where(self._table.c.tenant == self.tenant, *conditions)
        return self.durable.rows(wanted.order_by(self._table.c.job_id.desc()).limit(most), self._table)

    def _tell(self, row: Mapping[str, Any]) -> None:
        if self._live is not None:
            told = _job(row).model_dump(mode="json", exclude={"result"})
            self._live.publish(row["tenant"], "job", told)

    @cached_property
    def _table(self) -> sa.Table:
        import sqlalchemy as sa

        return self.durable.table(
            "veracity_job",
            sa.Column("job_id", sa.Text, primary_key=True),
            *(sa.Column(name, sa.Text) for name in _COLUMNS),
            sa.Column("attempts", sa.Integer, nullable=False),
            sa.Index("veracity_job_key", "tenant", "key", unique=True),
            sa.Index("veracity_job_state", "state"),
        )


def _outcome(doing: asyncio.Task[str], job_id: str) -> dict[str, Any]:
    """What came of the work. An error that nobody foresaw ends its job, not the worker; its message may hold data."""
    error = doing.exception()
    if error is None:
        return {"state": "done", "result": doing.result()}
    if isinstance(error, VeracityError):
        return {"state": "failed", "error": clip(str(error), _LONGEST_TEXT)}
    kind, where = type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
    logging.getLogger(__name__).error("job %s ended with %s\n%s", job_id, kind, where)
    return {
        "state": "failed",
        "error": f"The work broke off with an error of Veracity's own ({kind}); please report it.",
    }


def _job(row: Mapping[str, Any]) -> Job:
    plain = ("job_id", "kind", "state", "submitted_at", "started_at", "finished_at", "error")
    progress, result = row.get("progress"), row.get("result")
    return Job(
        **{name: row.get(name) for name in plain},
        progress=JobProgress.model_validate_json(progress) if progress else JobProgress(),
        result=json.loads(result) if result else None,
    )
