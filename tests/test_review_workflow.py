"""Reviews wait for a person or the clock, through every crash; each is decided once, and what was approved is counted."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from command_line import Started, python
from veracity.durable.worker import Worker
from veracity.errors import ReviewClosed, SourceError, UsageError
from veracity.retrieval.contracts import (
    HybridResult,
    RankedItem,
    RecommendedIngest,
    RerankRequest,
    RerankSettings,
    ScoringContext,
    SearchCandidate,
)
from veracity.retrieval.ingest import ApprovedSource, IngestOutcome, MarkdownFolder, summarise
from veracity.retrieval.review import CLOCK, ReviewDesk
from veracity.settings import Settings

START = datetime(2026, 11, 15, 8, 0, tzinfo=UTC)
NAMES = ("doc-1", "doc-2", "doc-3", "doc-4")


def ranked(name: str, *flags: str) -> RankedItem:
    return RankedItem(candidate_id=name, score=80, reason="fits", risk_flags=flags, fused_score=0.01)


def request_of(question: str = "Which rules hold?") -> RerankRequest:
    found = [
        SearchCandidate(id=name, title=f"Title {name}", snippet="Text.", url=f"https://x.de/{name}") for name in NAMES
    ]
    return RerankRequest(scoring_context=ScoringContext(question=question), candidates=tuple(found))


def result_of() -> HybridResult:
    items = (ranked("doc-1"), ranked("doc-2", "undated"), ranked("doc-3"))
    gap = RecommendedIngest(candidate_id="doc-4", reason="fills a gap")
    return HybridResult(ranked=items, top_k=items[:2], coverage_delta="Adds LEGAL", recommended_ingest=(gap,))


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(tmp_path: Path, clock: Clock) -> Iterator[ReviewDesk]:
    database = ReviewDesk.database(str(tmp_path / "deep" / "reviews.sqlite"))
    with ReviewDesk(database, ingest=MarkdownFolder(tmp_path / "corpus"), clock=clock) as opened:
        yield opened


def work_through(desk: ReviewDesk, review_id: str) -> None:
    """What the workflow does once its wait is over."""
    outcomes: list[dict[str, Any]] = []
    for name in desk.settle(review_id):
        outcomes.append(desk.take(review_id, name))
        desk.progress(review_id, outcomes)
    desk.verify(review_id, outcomes)


# --- submit and look


def test_a_submitted_review_waits_for_24_hours(desk: ReviewDesk) -> None:
    review = desk.show(desk.submit(result_of(), request_of()))
    assert (review.hitl.state, review.hitl.auto_approved, review.hitl.who) == ("waiting", False, None)
    assert review.deadline - review.submitted_at == timedelta(hours=24)
    assert review.result == result_of()
    assert desk.seconds_left(review.review_id) == 24 * 3600


def test_only_candidates_that_can_be_approved_are_kept(desk: ReviewDesk) -> None:
    only = HybridResult(ranked=(ranked("doc-3"),), top_k=(ranked("doc-3"),))
    assert desk.show(desk.submit(only, request_of())).choosable == ("doc-3",)


def test_of_candidates_with_the_same_id_the_first_is_kept(desk: ReviewDesk) -> None:
    request = request_of()
    again = request.candidates[0].model_copy(update={"title": "Another"})
    review = desk.show(
        desk.submit(result_of(), request.model_copy(update={"candidates": (*request.candidates, again)}))
    )
    assert [one.title for one in review.request.candidates] == [f"Title {name}" for name in NAMES]


def test_reviews_are_listed_newest_first_and_by_state(desk: ReviewDesk, clock: Clock) -> None:
    ids = []
    for number in range(3):
        clock.now += timedelta(minutes=1)
        ids.append(desk.submit(result_of(), request_of(f"Question {number}?")))
    desk.reject(ids[1], "old", "anna")
    assert [one.question for one in desk.list()] == ["Question 2?", "Question 1?", "Question 0?"]
    assert [one.question for one in desk.list(1)] == ["Question 2?"]
    assert [one.review_id for one in desk.list(state="waiting")] == [ids[2], ids[0]]


def test_looking_makes_no_file(tmp_path: Path) -> None:
    desk = ReviewDesk(ReviewDesk.database(str(tmp_path / "none.sqlite")))
    assert desk.list() == ()
    with pytest.raises(UsageError, match="There is no review '20261115'"):
        desk.show("20261115")
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_the_owners_and_in_wal_mode(desk: ReviewDesk, tmp_path: Path) -> None:
    desk.submit(result_of(), request_of())
    path = tmp_path / "deep" / "reviews.sqlite"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    connection.close()


def test_what_is_stored_is_json_and_never_pickled(desk: ReviewDesk, tmp_path: Path) -> None:
    desk.submit(result_of(), request_of())
    connection = sqlite3.connect(tmp_path / "deep" / "reviews.sqlite")
    kinds = connection.execute("SELECT serialization FROM workflow_status").fetchall()
    connection.close()
    assert kinds == [("portable_json",)]


def test_a_review_is_found_by_the_beginning_of_its_id(desk: ReviewDesk, clock: Clock) -> None:
    first = desk.submit(result_of(), request_of())
    assert desk.show(first[:12]).review_id == first
    clock.now += timedelta(seconds=1)
    desk.submit(result_of(), request_of())
    with pytest.raises(UsageError, match="Several reviews start with 20261115"):
        desk.show("20261115")


@pytest.mark.parametrize("name", ["", "abc", "' OR 1=1 --", "%%%%%", "ü" * 9])
def test_what_is_no_id_is_said_to_be_none(desk: ReviewDesk, name: str) -> None:
    desk.submit(result_of(), request_of())
    with pytest.raises(UsageError, match="A review is named by at least 4 characters"):
        desk.show(name)


# --- decide


def test_approving_takes_the_top_and_records_who_and_when(desk: ReviewDesk, clock: Clock) -> None:
    review_id = desk.submit(result_of(), request_of())
    clock.now += timedelta(hours=1)
    hitl = desk.approve(review_id, who="anna").hitl
    assert (hitl.state, hitl.auto_approved, hitl.who, hitl.at) == ("approved", False, "anna", clock.now)
    assert hitl.candidate_ids == ("doc-1", "doc-2")


def test_approving_only_some_may_name_any_that_were_ranked_or_recommended(desk: ReviewDesk) -> None:
    review_id = desk.submit(result_of(), request_of())
    assert desk.approve(review_id, ["doc-4", " doc-3 ", "doc-4"], "anna").hitl.candidate_ids == ("doc-4", "doc-3")


@pytest.mark.parametrize(
    ("only", "said"), [(["doc-9"], "'doc-9' is none of the candidates"), ([" ", ""], "at least one")]
)
def test_approving_what_is_not_there_changes_nothing(desk: ReviewDesk, only: list[str], said: str) -> None:
    review_id = desk.submit(result_of(), request_of())
    with pytest.raises(UsageError, match=said):
        desk.approve(review_id, only, "anna")
    assert desk.show(review_id).hitl.state == "waiting"


def test_rejecting_records_why_and_ingests_nothing(desk: ReviewDesk, tmp_path: Path) -> None:
    review_id = desk.submit(result_of(), request_of())
    with pytest.raises(UsageError, match="Say why"):
        desk.reject(review_id, "  ", "anna")
    desk.reject(review_id, "all outdated", "anna")
    work_through(desk, review_id)
    review = desk.show(review_id)
    assert (review.hitl.state, review.hitl.why, review.outcomes) == ("rejected", "all outdated", ())
    assert review.finished_at is not None
    assert not (tmp_path / "corpus").exists()


def test_deciding_twice_says_so_and_changes_nothing(desk: ReviewDesk, clock: Clock) -> None:
    review_id = desk.submit(result_of(), request_of())
    first = desk.approve(review_id, ["doc-3"], "anna")
    clock.now += timedelta(minutes=5)
    again: list[Callable[[], object]] = [
        lambda: desk.reject(review_id, "no", "bert"),
        lambda: desk.approve(review_id, None, "anna"),
    ]
    for decide in again:
        with pytest.raises(ReviewClosed, match=r"already approved by anna at 2026-11-15 08:00:00 UTC\. Nothing"):
            decide()
    assert desk.show(review_id).hitl == first.hitl


def test_a_late_decision_says_so_even_while_no_worker_runs(desk: ReviewDesk, clock: Clock) -> None:
    review_id = desk.submit(result_of(), request_of())
    clock.now += timedelta(hours=24)
    with pytest.raises(ReviewClosed, match=r"deadline of review .* passed at 2026-11-16 08:00:00 UTC"):
        desk.approve(review_id, None, "anna")
    assert desk.show(review_id).hitl.state == "waiting"
    assert desk.seconds_left(review_id) == 0


def test_the_clock_approves_the_top_without_what_has_risk_flags(desk: ReviewDesk, clock: Clock) -> None:
    review_id = desk.submit(result_of(), request_of())
    clock.now += timedelta(hours=25)
    assert desk.settle(review_id) == ("doc-1",)
    hitl = desk.show(review_id).hitl
    assert (hitl.state, hitl.auto_approved, hitl.who, hitl.at) == ("auto_approved", True, CLOCK, clock.now)
    clock.now += timedelta(hours=1)
    assert desk.settle(review_id) == ("doc-1",)
    assert desk.show(review_id).hitl == hitl
    with pytest.raises(ReviewClosed, match="already auto-approved by clock"):
        desk.reject(review_id, "too late", "anna")


def test_of_many_who_decide_at_once_exactly_one_does(desk: ReviewDesk) -> None:
    review_id = desk.submit(result_of(), request_of())

    def attempt(number: int) -> bool:
        try:
            desk.approve(review_id, None, f"user-{number}") if number % 2 else desk.reject(review_id, "no", "x")
        except ReviewClosed:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(attempt, range(12))) == 1


# --- ingest and verify


def test_approved_sources_become_files_that_say_where_they_come_from(desk: ReviewDesk, tmp_path: Path) -> None:
    review_id = desk.submit(result_of(), request_of())
    desk.approve(review_id, ["doc-1"], "anna")
    work_through(desk, review_id)
    (path,) = (tmp_path / "corpus").iterdir()
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    told = yaml.safe_load(head)
    assert (told["id"], told["url"], told["decision"], told["decided_by"]) == (
        "doc-1",
        "https://x.de/doc-1",
        "approved",
        "anna",
    )
    assert (told["review"], told["decided_at"]) == (review_id, "2026-11-15T08:00:00.000000Z")
    assert body == "\n# Title doc-1\n\nText.\n"
    review = desk.show(review_id)
    assert review.summary.model_dump() == {
        "ingested_count": 1,
        "failed_count": 0,
        "pending_count": 0,
        "success_ratio": 1.0,
    }
    assert review.outcomes == (IngestOutcome(candidate_id="doc-1", state="ingested", place=str(path)),)


def test_a_step_that_runs_twice_leaves_what_it_left_once(desk: ReviewDesk, tmp_path: Path) -> None:
    review_id = desk.submit(result_of(), request_of())
    desk.approve(review_id, None, "anna")
    work_through(desk, review_id)
    files = {path: path.read_bytes() for path in (tmp_path / "corpus").iterdir()}
    work_through(desk, review_id)
    assert {path: path.read_bytes() for path in (tmp_path / "corpus").iterdir()} == files
    assert len(files) == 2


def test_a_source_that_two_reviews_approve_is_there_for_both_and_a_spoilt_file_for_neither(
    desk: ReviewDesk, tmp_path: Path
) -> None:
    ids = [desk.submit(result_of(), request_of()) for _ in range(2)]
    for review_id in ids:
        desk.approve(review_id, ["doc-1"], "anna")
    outcomes = [[desk.take(review_id, "doc-1")] for review_id in ids]
    (path,) = (tmp_path / "corpus").iterdir()
    for review_id, one in zip(ids, outcomes, strict=True):
        assert desk.verify(review_id, one)["ingested_count"] == 1
    path.write_bytes(path.read_bytes() + b"spoilt")
    assert desk.verify(ids[1], outcomes[1])["failed_count"] == 1
    path.write_bytes(b"---\nid: another\n---\n")
    assert desk.verify(ids[0], outcomes[0])["failed_count"] == 1


class Shaky(MarkdownFolder):
    """Fails for one source, and loses another."""

    def take(self, source: ApprovedSource) -> str:
        if source.candidate.id == "doc-2":
            raise SourceError("The server of doc-2 is away; try again.")
        place = super().take(source)
        if source.candidate.id == "doc-3":
            Path(place).unlink()
        return place


def test_a_partial_success_is_visible_and_the_verifier_believes_nobody(tmp_path: Path) -> None:
    desk = ReviewDesk(ReviewDesk.database(str(tmp_path / "r.sqlite")), ingest=Shaky(tmp_path / "corpus"))
    review_id = desk.submit(result_of(), request_of())
    desk.approve(review_id, ["doc-1", "doc-2", "doc-3", "doc-4"], "anna")
    desk.progress(review_id, [desk.take(review_id, name) for name in ("doc-1", "doc-2")])
    halfway = desk.show(review_id)
    assert (halfway.summary.ingested_count, halfway.summary.failed_count, halfway.summary.pending_count) == (1, 1, 2)
    assert halfway.line == "approved, being worked on"
    work_through(desk, review_id)
    done = desk.show(review_id)
    assert [one.state for one in done.outcomes] == ["ingested", "failed", "failed", "ingested"]
    assert (done.outcomes[1].why, done.summary.success_ratio) == ("The server of doc-2 is away; try again.", 0.5)
    assert "is not there" in str(done.outcomes[2].why)
    desk.close()


def test_what_cannot_be_verified_is_pending(tmp_path: Path) -> None:
    class Elsewhere(MarkdownFolder):
        def look(self, source: ApprovedSource) -> IngestOutcome:
            raise SourceError(f"The index of {source.candidate.id} is away; try again.")

    with ReviewDesk(ReviewDesk.database(str(tmp_path / "r.sqlite")), ingest=Elsewhere(tmp_path / "corpus")) as desk:
        review_id = desk.submit(result_of(), request_of())
        desk.approve(review_id, ["doc-1"], "anna")
        work_through(desk, review_id)
        review = desk.show(review_id)
    assert (review.summary.pending_count, review.outcomes[0].why) == (1, "The index of doc-1 is away; try again.")


def test_a_folder_that_cannot_be_written_is_a_failed_source(desk: ReviewDesk, tmp_path: Path) -> None:
    (tmp_path / "corpus").write_text("a file")
    review_id = desk.submit(result_of(), request_of())
    desk.approve(review_id, ["doc-1"], "anna")
    work_through(desk, review_id)
    assert desk.show(review_id).summary.failed_count == 1


@given(name=st.text(min_size=1, max_size=200), title=st.text(max_size=50), snippet=st.text(max_size=50))
def test_no_id_or_title_leaves_its_folder_or_its_line(
    tmp_path_factory: pytest.TempPathFactory, name: str, title: str, snippet: str
) -> None:
    candidate = SearchCandidate.model_construct(
        id=name,
        title=title,
        snippet=snippet,
        url="x",
        detected_date=None,
        domain_type=None,
        trust="low",
        normative=False,
    )
    source = ApprovedSource.model_construct(
        candidate=candidate, item=None, review_id="r", question=title, decision="approved", who=snippet, at=START
    )
    folder = tmp_path_factory.mktemp("corpus", numbered=True)
    path = Path(MarkdownFolder(folder).take(source))
    assert path.parent == folder
    assert MarkdownFolder(folder).look(source).state == "ingested"
    told = [line for line in path.read_text(encoding="utf-8").split("\n") if line.startswith("id: ")]
    assert json.loads(told[0].removeprefix("id: ")) == name


@given(st.lists(st.sampled_from(["ingested", "failed", "pending"]), max_size=30))
def test_the_ratio_is_ingested_of_all_and_zero_of_nothing(states: list[Any]) -> None:
    counted, found = Counter(states), summarise([IngestOutcome(candidate_id="x", state=state) for state in states])
    assert (found.ingested_count, found.failed_count, found.pending_count) == tuple(
        counted[state] for state in ("ingested", "failed", "pending")
    )
    assert found.success_ratio == (counted["ingested"] / len(states) if states else 0.0)


# --- databases


def test_the_default_lies_in_the_data_folder(tmp_path: Path) -> None:
    assert ReviewDesk.database(None, Settings(home=tmp_path)).shown == str(tmp_path / "veracity.sqlite")


def test_other_databases_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"not in mysql://"):
        ReviewDesk.database("mysql://root@x/y")
    with pytest.raises(UsageError, match="is a folder"):
        ReviewDesk.database(str(tmp_path))
    with pytest.raises(UsageError, match="cannot hold reviews"):
        ReviewDesk.database(str(tmp_path / "a?b.sqlite"))
    assert ReviewDesk.database(f"sqlite:///{tmp_path / 'a b#ü%20.sqlite'}").shown == str(tmp_path / "a b#ü%20.sqlite")


def test_a_server_that_is_away_is_one_sentence_without_its_password() -> None:
    desk = ReviewDesk(ReviewDesk.database("postgresql://anna:secret@127.0.0.1:1/reviews"))
    with pytest.raises(SourceError, match=r"The reviews in 127.0.0.1:1/reviews cannot be read or written") as caught:
        desk.list()
    assert "secret" not in str(caught.value)


def test_a_broken_file_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(SourceError, match=r"r.sqlite cannot be read or written; check the file"):
        ReviewDesk(ReviewDesk.database(str(path))).list()


# --- live: workers that are killed

WORKER = """
import os, sys
from pathlib import Path
from threading import Event
from veracity.durable.worker import Worker
from veracity.errors import SourceError
from veracity.retrieval.ingest import MarkdownFolder
from veracity.retrieval.review import ReviewDesk

class Logged(MarkdownFolder):
    def take(self, source):
        with open(sys.argv[3], "a") as log:
            log.write(f"{os.getpid()} {source.review_id} {source.candidate.id}\\n")
        return super().take(source)

class Shaky(ReviewDesk):
    failed = set()

    def settle(self, review_id):
        if review_id not in self.failed:
            self.failed.add(review_id)
            raise SourceError("The database is away for a moment.")
        return super().settle(review_id)

Worker([Shaky.open(sys.argv[1], ingest=Logged(Path(sys.argv[2])))], patience=4).run(Event())
"""
"""A worker whose first try to settle a review fails, as it does while a database restarts."""


LONG_ENOUGH = 20
"""Seconds until a deadline, so that a busy machine takes all reviews on before it."""


def worker(database: str, folder: Path) -> AbstractContextManager[Started]:
    return python(WORKER, database, str(folder / "corpus"), str(folder / "log"))


def until(done: Callable[[], bool], seconds: float = 60) -> None:
    limit = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < limit, "it took too long"
        time.sleep(0.05)


def running(desk: ReviewDesk) -> dict[str, str]:
    """The reviews that a worker has taken on, and which worker."""
    found = desk.durable.client.list_workflows(status="PENDING", load_input=False)
    return {one.workflow_id: str(one.executor_id) for one in found}


def submit(database: str, seconds: float) -> str:
    with ReviewDesk.open(database, settings=RerankSettings(review_hours=seconds / 3600)) as desk:
        return desk.submit(result_of(), request_of())


def taken(folder: Path) -> Counter[str]:
    return Counter(line.split(" ", 1)[1] for line in (folder / "log").read_text().splitlines())


@pytest.mark.long
def test_killed_while_reviews_wait_the_deadline_and_the_decision_still_hold(tmp_path: Path) -> None:
    database = str(tmp_path / "reviews.sqlite")
    with ReviewDesk.open(database) as desk:
        desk.prepare()
        with worker(database, tmp_path) as first:
            until(lambda: len(desk.durable.beats()) == 1)
            decided, timed = submit(database, 3600), submit(database, LONG_ENOUGH)
            until(lambda: set(running(desk)) == {decided, timed})
            os.kill(first.pid, signal.SIGKILL)
            first.wait()
        desk.approve(decided, ["doc-3"], "anna")
        assert [one.finished_at for one in desk.list()] == [None, None]
        with worker(database, tmp_path):
            until(lambda: all(one.finished_at is not None for one in desk.list()))
        by_person, by_clock = desk.show(decided), desk.show(timed)
    assert (by_person.hitl.state, by_person.hitl.who, by_person.hitl.candidate_ids) == ("approved", "anna", ("doc-3",))
    assert (by_clock.hitl.state, by_clock.hitl.candidate_ids) == ("auto_approved", ("doc-1",))
    assert by_clock.hitl.at is not None
    assert by_clock.hitl.at >= by_clock.deadline
    assert (by_person.summary.success_ratio, by_clock.summary.success_ratio) == (1.0, 1.0)
    assert taken(tmp_path) == {f"{decided} doc-3": 1, f"{timed} doc-1": 1}


def decide_at_once(desk: ReviewDesk, name: str) -> list[BaseException | None]:
    """Two people decide the same review in the same moment; returns what each was told."""
    with ThreadPoolExecutor(2) as pool:
        both = pool.submit(desk.approve, name, None, "anna"), pool.submit(desk.reject, name, "no", "bert")
        return [one.exception() for one in both]


@pytest.mark.long
def test_two_workers_on_one_postgresql_decide_each_review_once_even_when_one_is_killed(
    postgres: str, tmp_path: Path
) -> None:
    with ReviewDesk.open(postgres) as desk:
        desk.prepare()
        with worker(postgres, tmp_path) as first, worker(postgres, tmp_path) as second:
            until(lambda: len(desk.durable.beats()) == 2)
            names = [submit(postgres, 3600 if number % 2 else LONG_ENOUGH) for number in range(6)]
            # Only the long ones are waited for: on a busy machine a short one may be over before the last is taken on.
            until(lambda: set(names[1::2]) <= set(running(desk)))
            holder = running(desk)[names[1]]
            killed = next(one for one in (first, second) if f"-{one.pid}-" in holder)
            for name in reversed(names[1::2]):
                if name == names[1]:
                    os.kill(killed.pid, signal.SIGKILL)
                assert [type(one) for one in decide_at_once(desk, name) if one] == [ReviewClosed]
            until(lambda: all(desk.show(name).finished_at is not None for name in names), seconds=120)
            found = [desk.show(name) for name in names]
    assert {one.hitl.state for one in found[::2]} == {"auto_approved"}
    assert {one.hitl.state for one in found[1::2]} <= {"approved", "rejected"}
    wanted = {f"{one.review_id} {name}" for one in found for name in one.hitl.candidate_ids}
    reviews = {one.review_id for one in found}  # the database may hold those of other tests
    assert {line for line in taken(tmp_path) if line.split(" ")[0] in reviews} == wanted
    assert all(one.summary.success_ratio == (1.0 if one.hitl.candidate_ids else 0.0) for one in found)


def test_a_worker_counts_as_dead_when_it_has_ended_or_gives_no_sign(
    desk: ReviewDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("veracity.durable.worker.monotonic", lambda: now)
    one = Worker([desk], patience=10, name="me")
    assert one._dead({"me": 1, "silent": 7, "busy": 1, "ended": -1}) == {"ended"}
    now += 9
    assert one._dead({"me": 1, "silent": 7, "busy": 2, "new": 1}) == set()
    now += 2
    assert one._dead({"me": 1, "silent": 7, "busy": 2, "new": 1}) == {"silent"}
