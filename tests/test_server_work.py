"""The worker of a server, as `veracity serve` starts it: jobs, reviews and validations of every tenant."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import python
from veracity.server.config import ServerSettings, corpus_of
from veracity.server.database import ServerDatabase
from veracity.server.jobs import Job, JobDesk
from veracity.settings import Settings

WORKER = """
import sys
from threading import Event
from veracity.server.config import ServerSettings
from veracity.server.work import run_workers
run_workers(ServerSettings.model_validate_json(sys.argv[1]), Event())
"""
CANDIDATE = {"id": "doc-1", "title": "Retention", "snippet": "Invoices are kept ten years.", "url": "https://x.org/1"}
RANKING = {"scoring_context": {"question": "Which retention periods hold?"}, "candidates": [CANDIDATE]}


@pytest.fixture(scope="module")
def settings(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> ServerSettings:
    folder = tmp_path_factory.mktemp("server")
    return ServerSettings(
        database=str(folder / "serve.sqlite"), source=str(ledger), feature="trustee", corpus=str(folder / "corpus")
    )


@pytest.fixture(scope="module")
def database(settings: ServerSettings) -> Iterator[ServerDatabase]:
    with python(WORKER, settings.model_dump_json()), ServerDatabase.open(settings.database) as opened:
        yield opened


def until(done: Callable[[], Any], seconds: float = 90) -> None:
    limit = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < limit, "it took too long"
        time.sleep(0.05)


def over(desk: JobDesk, job: Job) -> Job:
    until(lambda: desk.show(job.job_id).state in ("done", "failed", "cancelled"))
    return desk.show(job.job_id)


def test_a_question_is_answered_from_the_rows_of_its_tenant_only(database: ServerDatabase) -> None:
    body = {"question": "Was ist der Banksaldo per 31.12.2025?"}
    own, stranger = database.jobs("m-demo"), database.jobs("m-stranger")
    asked, asked_elsewhere = own.submit("ask", body), stranger.submit("ask", body)
    answer, nothing = over(own, asked).result, over(stranger, asked_elsewhere).result
    assert answer["outcome"] == "answered"
    assert "180'500.00" in answer["text"]
    assert "180" not in str(nothing["text"])
    assert database.traces("m-demo").get(answer["traceId"]).text == answer["text"]
    assert [one.trace_id for one in database.traces("m-stranger").latest()] == [nothing["traceId"]]


def test_a_job_reads_the_rows_of_the_key_that_it_was_submitted_with(database: ServerDatabase) -> None:
    desk = database.jobs("m-other")
    scope = (("featureInstanceId", "fi-other"),)
    done = over(desk, desk.submit("ask", {"question": "Was ist der Banksaldo per 31.12.2025?"}, scope=scope))
    assert "123'498.76" in done.result["text"]


def test_requirements_are_rewritten_and_the_job_tells_how_far_it_is(database: ServerDatabase) -> None:
    desk = database.jobs("m-demo")
    done = over(
        desk, desk.submit("evaluate_batch", {"items": ["Die Plattform muss schnell sein", "Sie muss gut sein"]})
    )
    assert [one["originalText"] for one in done.result] == ["Die Plattform muss schnell sein", "Sie muss gut sein"]
    assert (done.progress.done, done.progress.of) == (2, 2)


def test_what_cannot_be_asked_fails_with_a_sentence(database: ServerDatabase) -> None:
    desk = database.jobs("m-demo")
    failed = over(desk, desk.submit("ask", {"question": "Und 2024?", "follows": "20200101-000000-0000000000"}))
    assert (failed.state, failed.error) == ("failed", "There is no trace '20200101-000000-0000000000'.")


def test_a_ranking_is_handed_to_a_person_and_what_is_approved_enters_the_tenants_own_corpus(
    database: ServerDatabase, settings: ServerSettings
) -> None:
    desk, reviews = database.jobs("m-demo"), database.reviews("m-demo")
    done = over(desk, desk.submit("rerank", {"request": RANKING, "submit": True}))
    assert done.result["result"]["ranked"][0]["candidate_id"] == "doc-1"
    review = reviews.approve(done.result["reviewId"], None, "anna")
    until(lambda: reviews.show(review.review_id).finished_at is not None)
    folder = Path(corpus_of(settings, Settings.from_env(), "m-demo"))
    assert [outcome.place for outcome in reviews.show(review.review_id).outcomes] == [str(next(folder.iterdir()))]
    assert not Path(settings.corpus or "").exists()


def test_the_team_works_and_asks_and_goes_on_with_the_answer(database: ServerDatabase) -> None:
    desk = database.validations("m-demo")
    run_id = desk.submit(["Die Plattform muss schnell sein"])
    until(lambda: desk.questions(run_id))
    desk.answer(desk.questions(run_id)[0].question_id, "Nutzer", "anna")
    until(lambda: len(desk.questions(run_id, state=None)) == 2)
    told = [
        (one.kind, one.body.get("state"))
        for one in database.live._since(0, "m-demo")
        if one.body.get("runId") == run_id
    ]
    assert told[0] == ("validation", "working")
    assert ("question", "waiting") in told
    assert ("question", "answered") in told
