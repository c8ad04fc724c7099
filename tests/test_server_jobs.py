"""Jobs over real workers: nothing is lost, nothing that is finished is done twice, and what is cancelled ends."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from command_line import Started, python
from veracity.errors import JobConflict, UsageError
from veracity.server.database import ServerDatabase
from veracity.server.jobs import MOST_ATTEMPTS, Job, JobDesk, JobRun

WORKER = """
import asyncio, os, sys
from threading import Event
from veracity.durable.worker import Worker
from veracity.errors import UsageError
from veracity.server.database import ServerDatabase
from veracity.server.jobs import JobDesk

async def ask(run):
    with open(sys.argv[2], "a") as log:
        log.write(f"{os.getpid()} {run.job_id} {run.tenant}\\n")
    if "fails" in run.body:
        raise UsageError("There is no such question.")
    if "breaks" in run.body:
        raise ZeroDivisionError("secret row 4711")
    for number in range(run.body.get("rounds", 1)):
        await run.report(number, run.body.get("rounds", 1), "working")
        first = open(sys.argv[2]).read().count(run.job_id) == 1
        await asyncio.sleep(run.body.get("seconds", 0) if first else 0)
    return {"said": run.body.get("question")}

database = ServerDatabase.open(sys.argv[1])
desk = JobDesk(database.durable, work={"ask": ask}, tell=database.live.publish)
stop = Event()
import signal
signal.signal(signal.SIGTERM, lambda *_: stop.set())
Worker([desk], patience=1.5).run(stop)
"""
"""A worker whose work takes `seconds` when it is begun for the first time."""


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "serve.sqlite")
    url: str = request.getfixturevalue("new_database")()
    return url


def worker(database: str, folder: Path) -> AbstractContextManager[Started]:
    return python(WORKER, database, str(folder / "log"))


def until(done: Callable[[], Any], seconds: float = 60) -> None:
    limit = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < limit, "it took too long"
        time.sleep(0.05)


def begun(folder: Path) -> Counter[str]:
    """How often the work of each job was begun."""
    log = folder / "log"
    return Counter(line.split()[1] for line in log.read_text().splitlines()) if log.exists() else Counter()


def over(desk: JobDesk, job: Job) -> Job:
    until(lambda: desk.show(job.job_id).state in ("done", "failed", "cancelled"))
    return desk.show(job.job_id)


def test_a_job_is_done_tells_how_far_it_is_and_an_error_is_a_sentence(database: str, tmp_path: Path) -> None:
    with ServerDatabase.open(database) as opened, worker(database, tmp_path):
        desk = JobDesk(opened.durable, "m-jobs", tell=opened.live.publish)
        good = desk.submit("ask", {"question": "how much?", "rounds": 3})
        bad, broken = desk.submit("ask", {"fails": True}), desk.submit("ask", {"breaks": True})
        done, failed, broke = over(desk, good), over(desk, bad), over(desk, broken)
        assert (done.state, done.result, done.progress.done, done.progress.of) == ("done", {"said": "how much?"}, 2, 3)
        assert done.started_at is not None
        assert done.finished_at is not None
        assert done.submitted_at <= done.started_at <= done.finished_at
        assert (failed.state, failed.error, failed.result) == ("failed", "There is no such question.", None)
        assert broke.state == "failed"
        assert "ZeroDivisionError" in (broke.error or "")
        assert "4711" not in (broke.error or "")

        def told() -> list[str]:
            events = opened.live._since(0, "m-jobs")
            return [event.body["state"] for event in events if event.body["jobId"] == good.job_id]

        until(lambda: "done" in told())  # the worker tells it once it is kept
        assert told() == ["queued", "working", "working", "working", "working", "done"]


def test_killed_in_the_middle_another_worker_takes_over_and_finished_jobs_stay_as_they_are(
    new_database: Callable[..., str], tmp_path: Path
) -> None:
    database = new_database()
    with ServerDatabase.open(database) as opened:
        desk = JobDesk(opened.durable, "m-jobs")
        with worker(database, tmp_path) as first:
            quick = desk.submit("ask", {"question": "quick"})
            assert over(desk, quick).state == "done"
            slow = desk.submit("ask", {"question": "slow", "seconds": 60})
            until(lambda: begun(tmp_path)[slow.job_id] == 1)
            os.kill(first.pid, signal.SIGKILL)
            first.wait()
        assert desk.show(slow.job_id).state == "working"
        with worker(database, tmp_path):
            assert over(desk, slow).result == {"said": "slow"}
    assert begun(tmp_path) == {quick.job_id: 1, slow.job_id: 2}


def test_told_to_end_a_worker_ends_at_once_and_the_next_one_does_the_rest(tmp_path: Path) -> None:
    database = str(tmp_path / "serve.sqlite")
    with ServerDatabase.open(database) as opened:
        desk = JobDesk(opened.durable)
        slow = desk.submit("ask", {"question": "slow", "seconds": 60})
        with worker(database, tmp_path) as first:
            until(lambda: begun(tmp_path)[slow.job_id] == 1)
            first.send_signal(signal.SIGTERM)
            assert first.wait(timeout=20) == 0
        assert desk.show(slow.job_id).state == "working"
        with worker(database, tmp_path):
            assert over(desk, slow).result == {"said": "slow"}


def test_a_cancelled_job_ends_whether_it_waits_or_is_worked_on(database: str, tmp_path: Path) -> None:
    with ServerDatabase.open(database) as opened:
        desk = JobDesk(opened.durable, "m-jobs")
        waiting = desk.submit("ask", {"question": "never"})
        assert desk.cancel(waiting.job_id).state == "cancelled"
        with worker(database, tmp_path):
            working = desk.submit("ask", {"question": "long", "seconds": 60})
            until(lambda: begun(tmp_path)[working.job_id] == 1)
            assert desk.cancel(working.job_id).state == "cancelled"
            after = desk.submit("ask", {"question": "after"})
            assert over(desk, after).state == "done"
            assert desk.cancel(after.job_id).state == "done"
        assert desk.show(working.job_id).result is None
        assert begun(tmp_path)[waiting.job_id] == 0


def test_the_same_key_is_the_same_job_also_when_two_come_at_once(database: str) -> None:
    with ServerDatabase.open(database) as opened:
        desk = JobDesk(opened.durable, "m-keys")
        desk.prepare()
        with ThreadPoolExecutor(4) as pool:
            made = list(pool.map(lambda _: desk.submit("ask", {"question": "a", "lang": "de"}, key="k-1"), range(4)))
        assert len({job.job_id for job in made}) == 1
        assert desk.submit("ask", {"lang": "de", "question": "a"}, key="k-1").job_id == made[0].job_id
        with pytest.raises(JobConflict, match="was used for another request"):
            desk.submit("ask", {"question": "b"}, key="k-1")
        with pytest.raises(JobConflict):
            desk.submit("rerank", {"question": "a", "lang": "de"}, key="k-1")
        other = JobDesk(opened.durable, "m-others").submit("ask", {"question": "b"}, key="k-1")
        assert other.job_id != made[0].job_id
        assert desk.submit("ask", {"question": "a"}).job_id != desk.submit("ask", {"question": "a"}).job_id
        with pytest.raises(UsageError, match="An idempotency key has 1 to 200 characters"):
            desk.submit("ask", {}, key="k\n")


def test_work_that_takes_every_worker_with_it_is_given_up(tmp_path: Path) -> None:
    with ServerDatabase.open(str(tmp_path / "serve.sqlite")) as opened:
        desk = JobDesk(opened.durable, work={"ask": never})
        job = desk.submit("ask", {})
        for _ in range(MOST_ATTEMPTS):
            with pytest.raises(TimeoutError):
                asyncio.run(asyncio.wait_for(desk.work(job.job_id), 0.05))
        given_up = asyncio.run(desk.work(job.job_id))
    assert (given_up["state"], given_up["error"][:36]) == ("failed", "The work was broken off 5 times; it ")


async def never(_run: JobRun) -> None:
    await asyncio.sleep(60)


def test_jobs_that_were_over_long_ago_are_forgotten(tmp_path: Path) -> None:
    now = datetime(2026, 11, 15, tzinfo=UTC)
    with ServerDatabase.open(str(tmp_path / "serve.sqlite")) as opened:
        desk = JobDesk(opened.durable, clock=lambda: now)
        old, waiting = desk.submit("ask", {}), desk.submit("ask", {})
        desk.cancel(old.job_id)
        now += timedelta(days=29)
        desk.tidy()
        assert len(desk.list()) == 2
        now += timedelta(days=2)
        desk.tidy()
        assert [one.job_id for one in desk.list()] == [waiting.job_id]
        left = opened.durable.client.list_workflows(load_input=False)
        assert [one.workflow_id for one in left] == [waiting.job_id]


def test_a_tenant_sees_and_cancels_only_its_own_jobs(database: str) -> None:
    with ServerDatabase.open(database) as opened:
        mine, theirs = JobDesk(opened.durable, "m-mine"), JobDesk(opened.durable, "m-theirs")
        job = mine.submit("ask", {"question": "secret"})
        assert [one.job_id for one in mine.list()] == [job.job_id]
        assert theirs.list() == ()
        for look in (theirs.show, theirs.cancel):
            with pytest.raises(UsageError, match="There is no job"):
                look(job.job_id)
        assert mine.show(job.job_id).state == "queued"
        with pytest.raises(UsageError, match="There is no job"):
            mine.show("' OR 1=1")
