"""One database for reviews, validations and jobs of several tenants: nobody sees the others, and any worker takes over."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from command_line import Started, python
from veracity.durable.database import DurableDatabase
from veracity.durable.worker import Worker
from veracity.errors import QuestionClosed, UsageError
from veracity.requirements.ask_user import ValidationDesk
from veracity.requirements.society import Society
from veracity.retrieval.contracts import HybridResult, RankedItem, RerankRequest, ScoringContext, SearchCandidate
from veracity.retrieval.ingest import MarkdownFolder
from veracity.retrieval.review import ReviewDesk
from veracity.server.jobs import JobDesk

BAD = "Die Plattform muss schnell sein"
ITEM = RankedItem(candidate_id="doc-1", score=80, reason="fits", fused_score=0.01)
RESULT = HybridResult(ranked=(ITEM,), top_k=(ITEM,))
REQUEST = RerankRequest(
    scoring_context=ScoringContext(question="Which rules hold?"),
    candidates=(SearchCandidate(id="doc-1", title="Rules", snippet="Text.", url="https://x.de/1"),),
)


@pytest.fixture(params=["sqlite", "postgres"])
def durable(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DurableDatabase]:
    place = str(tmp_path / "one.sqlite") if request.param == "sqlite" else request.getfixturevalue("postgres")
    opened = DurableDatabase.of(place, holds="data")
    yield opened
    opened.close()


@pytest.fixture
def shared(postgres: str) -> Iterator[DurableDatabase]:
    opened = DurableDatabase.of(postgres, holds="data")
    yield opened
    opened.close()


def reviews(durable: DurableDatabase, tenant: str, corpus: Path | None = None, **more: Any) -> ReviewDesk:
    return ReviewDesk(durable, tenant, ingest=MarkdownFolder(corpus) if corpus else None, **more)


def validations(durable: DurableDatabase, tenant: str, **more: Any) -> ValidationDesk:
    society = Society(find_duplicates=lambda _texts: [])
    return ValidationDesk(durable, tenant, society=society, **more)


# --- tenants


def test_a_review_of_another_tenant_is_not_there(durable: DurableDatabase) -> None:
    mine, theirs = reviews(durable, "m-mine"), reviews(durable, "m-theirs")
    name = mine.submit(RESULT, REQUEST)
    assert [one.review_id for one in mine.list()] == [name]
    assert theirs.list() == ()
    for look in (theirs.show, theirs.approve, lambda review_id: theirs.reject(review_id, "no")):
        with pytest.raises(UsageError, match="There is no review"):
            look(name)
    assert mine.show(name).hitl.state == "waiting"


def test_the_worker_takes_up_what_any_tenant_approved_for_that_tenant(durable: DurableDatabase, tmp_path: Path) -> None:
    told: list[tuple[str, str, Any]] = []
    mine = reviews(durable, "m-mine", tell=lambda tenant, kind, body: told.append((tenant, kind, body["state"])))
    name = mine.submit(RESULT, REQUEST)
    mine.approve(name, None, "anna")
    desk = reviews(
        durable, "local", tmp_path, tell=lambda tenant, kind, body: told.append((tenant, kind, body["finished"]))
    )
    assert desk.settle(name) == ("doc-1",)
    assert desk._source(name, "doc-1").tenant == "m-mine"
    desk.verify(name, [desk.take(name, "doc-1")])
    assert mine.show(name).summary.success_ratio == 1.0
    assert told == [("m-mine", "review", "waiting"), ("m-mine", "review", "approved"), ("m-mine", "review", True)]


def test_a_review_that_is_submitted_twice_under_one_id_is_one(durable: DurableDatabase) -> None:
    desk = reviews(durable, "m-twice")
    assert desk.submit(RESULT, REQUEST, review_id="20261115-x") == desk.submit(RESULT, REQUEST, review_id="20261115-x")
    assert len(desk.list()) == 1


def test_a_review_that_an_earlier_version_left_in_a_file_is_there_and_goes_on(tmp_path: Path) -> None:
    place = tmp_path / "reviews.sqlite"
    before = reviews(DurableDatabase.of(str(place), holds="reviews"), "local")
    name = before.submit(RESULT, REQUEST)
    before.durable.close()
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("ALTER TABLE veracity_review DROP COLUMN tenant")
        connection.execute(
            "UPDATE workflow_status SET application_version = 'review-1', application_name = 'veracity-reviews'"
        )
    later = reviews(DurableDatabase.of(str(place), holds="reviews"), "local", tmp_path / "corpus")
    assert [one.review_id for one in later.list()] == [name]
    later.approve(name, None, "anna")
    Worker([later], drain=True).run(Event())
    assert later.show(name).finished_at is not None
    assert len(list((tmp_path / "corpus").iterdir())) == 1
    later.durable.close()


def test_a_validation_and_its_questions_are_not_there_for_another_tenant(durable: DurableDatabase) -> None:
    mine, theirs = validations(durable, "m-mine"), validations(durable, "m-theirs")
    run_id = mine.submit([BAD])
    validations(durable, "local").work(run_id)
    (question,) = mine.questions()
    assert (theirs.list(), theirs.questions(), theirs.questions(run_id)) == ((), (), ())
    with pytest.raises(UsageError, match="There is no validation"):
        theirs.show(run_id)
    with pytest.raises(UsageError, match="There is no question"):
        theirs.answer(question.question_id, "Nutzer")
    mine.answer(question.question_id, "Nutzer", "anna")
    with pytest.raises(QuestionClosed, match="already answered by anna"):
        mine.answer(question.question_id, "Kunde", "bert")


def test_whoever_looks_on_hears_each_turn_and_each_question_of_the_team(durable: DurableDatabase) -> None:
    told: list[tuple[str, str, Any]] = []

    def tell(tenant: str, kind: str, body: Any) -> None:
        told.append((tenant, kind, body.get("state") or body["turn"]["speaker"]))

    run_id = validations(durable, "m-team", tell=tell).submit([BAD])
    validations(durable, "local", tell=tell).work(run_id)
    assert {tenant for tenant, _, _ in told} == {"m-team"}
    assert told[0][1:] == ("validation", "working")
    assert ("validation", "RequirementsOperator") in [one[1:] for one in told]
    assert ("question", "waiting") in [one[1:] for one in told]
    assert told[-1][1:] == ("validation", "waiting")


# --- workers

WORKER = """
import sys
from pathlib import Path
from threading import Event
from veracity.durable.database import DurableDatabase
from veracity.durable.worker import Worker
from veracity.requirements.ask_user import ValidationDesk
from veracity.requirements.society import Society
from veracity.retrieval.ingest import MarkdownFolder
from veracity.retrieval.review import ReviewDesk
from veracity.server.jobs import JobDesk

async def ask(run):
    return run.body

durable = DurableDatabase.of(sys.argv[1], holds="data")
desks = {
    "jobs": JobDesk(durable, work={"ask": ask}),
    "reviews": ReviewDesk(durable, ingest=MarkdownFolder(Path(sys.argv[2]))),
    "validations": ValidationDesk(durable, society=Society(find_duplicates=lambda texts: [])),
}
Worker([desks[name] for name in sys.argv[3:]], patience=1.5).run(Event())
"""


def worker(durable: DurableDatabase, folder: Path, *kinds: str) -> AbstractContextManager[Started]:
    return python(WORKER, durable.url, str(folder / "corpus"), *kinds)


def until(done: Callable[[], Any], seconds: float = 60) -> None:
    limit = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < limit, "it took too long"
        time.sleep(0.05)


@pytest.mark.long
def test_killed_with_all_kinds_of_work_others_go_on_each_with_the_kind_they_know(
    shared: DurableDatabase, tmp_path: Path
) -> None:
    review, validation, job = reviews(shared, "m-all"), validations(shared, "m-all"), JobDesk(shared, "m-all")
    with worker(shared, tmp_path, "jobs", "reviews", "validations") as first:
        review_id, run_id = review.submit(RESULT, REQUEST), validation.submit([BAD])
        done = job.submit("ask", {"number": 1})
        until(lambda: job.show(done.job_id).state == "done" and validation.questions(run_id))
        waiting = shared.client.list_workflows(status="PENDING", load_input=False)
        assert {one.workflow_id for one in waiting} >= {review_id, run_id}
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    review.approve(review_id, None, "anna")
    validation.answer(validation.questions(run_id)[0].question_id, "Nutzer", "anna")
    later = job.submit("ask", {"number": 2})
    with worker(shared, tmp_path, "reviews"):
        until(lambda: review.show(review_id).finished_at is not None)
        assert job.show(later.job_id).state == "queued"
        assert [one.state for one in validation.questions(run_id, state=None)] == ["answered"]
        with worker(shared, tmp_path, "jobs", "validations"):
            until(lambda: job.show(later.job_id).state == "done")
            until(lambda: [one.state for one in validation.questions(run_id, state=None)] == ["applied", "waiting"])
    assert review.show(review_id).summary.success_ratio == 1.0
    assert job.show(later.job_id).result == {"number": 2}
