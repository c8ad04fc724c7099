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
import secrets
import traceback
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from veracity.agent.trace_store import new_trace_id
from veracity.contracts import clip
from veracity.durable.database import LOCAL, DurableDatabase
from veracity.durable.desk import Desk, Tell, is_id, step
from veracity.durable.sqlite_file import Timestamp, moment_written
from veracity.errors import JobConflict, SourceError, UsageError, VeracityError, told_to_others
from veracity.wire import Wire

if TYPE_CHECKING:
    import sqlalchemy as sa

JobKind = Literal["ask", "rerank", "evaluate_batch"]
JobState = Literal["queued", "working", "done", "failed", "cancelled"]
OVER: tuple[JobState, ...] = ("done", "failed", "cancelled")
"""The states after which nothing changes any more."""
AT_ONCE = 4
"""How many jobs one worker does at the same time."""
MOST_ATTEMPTS = 5
"""Work that has taken so many workers with it is not given to another."""
_KEPT, _TIDY_EVERY = timedelta(days=30), 256
_LOOK_SECONDS = 0.5
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
    """What the function that does a job is given."""

    job_id: str
    tenant: str
    scope: tuple[tuple[str, str], ...]
    """Of the key that it was submitted with."""
    body: Mapping[str, Any]
    report: Callable[[int, int | None, str], Awaitable[None]]
    """Tells how far the work is: how much is done, of how much, and in words."""


Work = Callable[[JobRun], Awaitable[Any]]
"""Does a job; returns data that JSON can hold. A `VeracityError` is how it fails."""


class JobDesk(Desk):
    """Submits, shows and cancels the jobs of a tenant; for a worker, does those of all tenants."""

    noun, holds = "job", "jobs"
    queue, workflow = "veracity-jobs", "veracity_job"
    at_once = AT_ONCE

    def __init__(
        self,
        durable: DurableDatabase,
        tenant: str = LOCAL,
        *,
        work: Mapping[JobKind, Work] | None = None,
        tell: Tell | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(durable, tenant, tell=tell, clock=clock)
        self._work: Mapping[JobKind, Work] = work or {}

    @cached_property
    def table(self) -> sa.Table:
        """The table of jobs."""
        import sqlalchemy as sa

        return self.durable.table(
            "veracity_job",
            sa.Column("job_id", sa.Text, primary_key=True),
            *(sa.Column(name, sa.Text) for name in _COLUMNS),
            sa.Column("attempts", sa.Integer, nullable=False),
            sa.Index("veracity_job_key", "tenant", "key", unique=True),
            sa.Index("veracity_job_state", "state"),
        )

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
            is_new = self.add(connection, row)
        if is_new:
            self._tell_job(row)
            return _job(row)
        return self._earlier(str(key), digest)

    def _earlier(self, key: str, digest: str) -> Job:
        """The job that was submitted with this key before."""
        (found,) = self.newest(1, self.table.c.key == key)
        if found["digest"] != digest:
            raise JobConflict(f"The idempotency key {clip(key, 40)!r} was used for another request; take a new one.")
        return _job(found)

    def show(self, job_id: str) -> Job:
        """The job of an id; one of another tenant is not there."""
        return _job(self._row_of_tenant(job_id))

    def list(self, count: int = 20, *, state: JobState | None = None) -> tuple[Job, ...]:
        """The newest jobs, the newest first."""
        conditions = () if state is None else (self.table.c.state == state,)
        return tuple(_job(row) for row in self.newest(count, *conditions))

    def cancel(self, job_id: str) -> Job:
        """End a job that is queued or being worked on; one that is over stays what it is."""
        row = self._row_of_tenant(job_id)
        changes = {"state": "cancelled", "finished_at": self.now()}
        if self.change(row["job_id"], changes, self.can_go_on()):
            # The worker looks at the row; the workflow itself is ended so that nobody takes it over.
            self.durable.cancel_workflow(row["job_id"])
            row = self._row_of_tenant(job_id)
            self._tell_job(row)
        return _job(row)

    def _row_of_tenant(self, job_id: str) -> dict[str, Any]:
        """The row of an id, written in full; one of another tenant is not there."""
        name = job_id.strip()
        found = self.newest(1, self.table.c.job_id == name) if is_id(name) else []
        if not found:
            raise UsageError(f"There is no job {clip(name, 40)!r}.")
        return found[0]

    # --- the workflow and its steps

    async def run(self, name: str) -> None:
        """Do the work of a job, unless it was cancelled before."""
        from dbos import DBOS

        if await step(self.take, name):
            changes = await DBOS.run_step_async({"name": "work"}, self.work, name)
            await step(self.finish, name, changes)

    def can_go_on(self) -> sa.ColumnElement[bool]:
        """Which jobs are not over."""
        return self.table.c.state.not_in(OVER)

    def take(self, job_id: str) -> bool:
        """Say that the work has begun; False for a job that was cancelled meanwhile."""
        return self._change_and_tell(job_id, {"state": "working", "started_at": self.now()})

    async def work(self, job_id: str) -> dict[str, Any]:
        """Do the work; what came of it, or why it failed. Cancelling the job cancels it."""
        row = await asyncio.to_thread(self._count_attempt, job_id)
        if row["attempts"] > MOST_ATTEMPTS:
            return {
                "state": "failed",
                "error": f"The work was broken off {MOST_ATTEMPTS} times; it is not tried again.",
            }

        async def report(done: int, of: int | None = None, says: str = "") -> None:
            progress = JobProgress(done=done, of=of, says=clip(says, _LONGEST_TEXT))
            await asyncio.to_thread(self._change_and_tell, job_id, {"progress": progress.model_dump_json()})

        scope = tuple((column, value) for column, value in json.loads(row["scope"] or "[]"))
        run = JobRun(job_id, row["tenant"], scope, json.loads(row["body"]), report)
        doing = asyncio.create_task(self._result(row["kind"], run))
        looking = asyncio.create_task(self._until_cancelled(job_id))
        try:
            await asyncio.wait({doing, looking}, return_when=asyncio.FIRST_COMPLETED)
            return _outcome(doing, job_id) if doing.done() else {"state": "cancelled"}
        finally:
            doing.cancel()
            looking.cancel()
            # Work that is being cancelled may still have something to close.
            await asyncio.wait({doing, looking})

    def _count_attempt(self, job_id: str) -> dict[str, Any]:
        """Count one more attempt at a job; returns its row."""
        self.change(job_id, {"attempts": self.table.c.attempts + 1})
        return self.row(job_id)

    async def _result(self, kind: JobKind, run: JobRun) -> str:
        """The result of the work, written."""
        return json.dumps(await self._work[kind](run))

    def finish(self, job_id: str, changes: dict[str, Any]) -> None:
        """Keep what came of a job, unless it was cancelled meanwhile."""
        self._change_and_tell(job_id, {**changes, "finished_at": self.now()})
        if secrets.randbelow(_TIDY_EVERY) == 0:
            self.tidy()

    async def _until_cancelled(self, job_id: str) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            with suppress(SourceError):
                if (await asyncio.to_thread(self.row, job_id))["state"] == "cancelled":
                    return

    def _change_and_tell(self, job_id: str, values: Mapping[str, Any]) -> bool:
        """Write into a job that is not over, and tell whoever looks on; whether it was so."""
        changed = self.change(job_id, values, self.can_go_on())
        if changed:
            self._tell_job(self.row(job_id))
        return changed

    def _tell_job(self, row: Mapping[str, Any]) -> None:
        self.tell(row["tenant"], "job", _job(row).model_dump(mode="json", exclude={"result"}))

    # --- jobs that are over

    def register(self) -> None:
        """Make the workflow of a job known to DBOS, and let go of jobs that were over long ago."""
        self.tidy()
        super().register()

    def tidy(self) -> None:
        """Forget the jobs that have been over for a month."""
        table, limit = self.table.c, moment_written(self._clock() - _KEPT)
        old = self.durable.rows(self.table.select().where(table.finished_at < limit).limit(1_000), self.table)
        ids = [row["job_id"] for row in old]
        if ids:
            with self.durable.session() as connection:
                connection.execute(self.table.delete().where(table.job_id.in_(ids)))
            self.durable.forget_workflows(ids)


def _outcome(doing: asyncio.Task[str], job_id: str) -> dict[str, Any]:
    """What came of the work. An error that nobody foresaw ends its job, not the worker; its message may hold data."""
    error = doing.exception()
    if error is None:
        return {"state": "done", "result": doing.result()}
    if isinstance(error, VeracityError):
        return {"state": "failed", "error": clip(told_to_others(error), _LONGEST_TEXT)}
    kind, where = type(error).__name__, "".join(traceback.format_tb(error.__traceback__))
    logging.getLogger(__name__).error("job %s ended with %s\n%s", job_id, kind, where)
    return {
        "state": "failed",
        "error": f"The work broke off with an error of Veracity's own ({kind}); please report it.",
    }


def _job(row: Mapping[str, Any]) -> Job:
    names = ("job_id", "kind", "state", "submitted_at", "started_at", "finished_at", "error")
    progress, result = row.get("progress"), row.get("result")
    return Job(
        **{name: row.get(name) for name in names},
        progress=JobProgress.model_validate_json(progress) if progress else JobProgress(),
        result=json.loads(result) if result else None,
    )
