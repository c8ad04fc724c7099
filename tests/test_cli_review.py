"""`veracity review`: what waits, what was decided, and one clear sentence for what cannot be."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from command_line import program, veracity
from test_review_workflow import request_of, result_of
from veracity.cli import app
from veracity.errors import UsageError
from veracity.retrieval.contracts import HybridResult, RerankSettings
from veracity.retrieval.review import ReviewDesk


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "160")
    return tmp_path / "home"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["review", *arguments])


def submit(hours: float = 24.0, result: HybridResult | None = None) -> str:
    with ReviewDesk.open(settings=RerankSettings(review_hours=hours)) as desk:
        return desk.submit(result or result_of(), request_of())


def test_nothing_to_review_is_said_and_makes_no_file(home: Path) -> None:
    done = run("list")
    assert (done.exit_code, done.stdout) == (0, "There is no review.\n")
    assert run("list", "--json").stdout == "[]\n"
    assert not home.exists()


def test_list_shows_what_waits_and_until_when() -> None:
    first = submit()
    run("reject", first, "--why", "old")
    second = submit()
    said = run("list").stdout
    assert f"{second}  waiting  until 20" in said
    assert f"{first}  rejected" in said
    assert [one["review_id"] for one in json.loads(run("list", "--waiting", "--json").stdout)] == [second]


def test_show_has_the_ranking_with_reasons_risks_and_gaps() -> None:
    said = run("show", submit()).stdout
    for part in (
        "? Which rules hold?",
        "Adds LEGAL",
        "1. doc-1  80  Title doc-1",
        "risk: undated",
        "+ doc-4  fills a gap",
    ):
        assert part in said
    assert "waits for a decision until" in said


def test_show_as_json_has_the_decision_and_the_summary() -> None:
    review = submit()
    run("approve", review, "--only", "doc-3,doc-1", "--who", "anna")
    told = json.loads(run("show", review, "--json").stdout)
    assert told["hitl"]["auto_approved"] is False
    assert (told["hitl"]["state"], told["hitl"]["candidate_ids"]) == ("approved", ["doc-3", "doc-1"])
    assert told["summary"] == {"ingested_count": 0, "failed_count": 0, "pending_count": 2, "success_ratio": 0.0}
    assert "2 pending (0%)" in run("show", review).stdout


def test_what_data_writes_cannot_steer_the_terminal() -> None:
    item = result_of().top_k[0].model_copy(update={"reason": "\x1b[31mred\x1b[0m"})
    said = run("show", submit(result=HybridResult(ranked=(item,), top_k=(item,), coverage_delta="a\x1b[2Jb"))).stdout
    assert "\x1b" not in said


def test_approving_twice_or_rejecting_afterwards_is_refused_with_a_sentence() -> None:
    review = submit()
    done = run("approve", review, "--who", "anna")
    assert (done.exit_code, "is approved: doc-1, doc-2." in done.stdout) == (0, True)
    for arguments in (("approve", review), ("reject", review, "--why", "no")):
        refused = run(*arguments)
        assert refused.exit_code == 1
        assert "was already approved by anna at" in refused.stderr
        assert refused.stdout == ""


def test_a_late_decision_is_refused_with_a_sentence() -> None:
    review = submit(hours=0.00001)
    time.sleep(0.1)
    refused = run("approve", review)
    assert refused.exit_code == 1
    assert "The deadline of review" in refused.stderr
    assert "Nothing was changed" in refused.stderr


@pytest.mark.parametrize(
    "arguments", [("show", "20991231"), ("approve", "20991231"), ("reject", "20991231", "--why", "x")]
)
def test_an_unknown_id_is_wrong_usage(arguments: tuple[str, ...]) -> None:
    submit()
    failed = run(*arguments)
    assert isinstance(failed.exception, UsageError)
    assert "There is no review '20991231'; see: veracity review list" in str(failed.exception)


def test_an_unknown_id_ends_with_exit_code_2_and_one_line() -> None:
    done = veracity("review", "approve", "20991231")
    assert (done.returncode, done.stderr) == (2, "veracity: There is no review '20991231'; see: veracity review list\n")


def test_a_database_of_ones_own(tmp_path: Path) -> None:
    path = str(tmp_path / "other.sqlite")
    with ReviewDesk.open(path) as desk:
        review = desk.submit(result_of(), request_of())
    assert run("list").stdout == "There is no review.\n"
    assert review in run("list", "--database", path).stdout
    assert isinstance(run("list", "--database", "mysql://x").exception, UsageError)


def test_a_worker_takes_up_what_the_clock_approves_and_stops_when_told_to(home: Path, tmp_path: Path) -> None:
    review = submit(hours=1 / 3600)
    command = [str(program()), "review", "work", "--corpus", str(tmp_path / "sources")]
    worker = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    try:
        with ReviewDesk.open() as desk:
            until = time.monotonic() + 60
            while desk.show(review).finished_at is None and time.monotonic() < until:
                time.sleep(0.1)
            found = desk.show(review)
    finally:
        worker.send_signal(signal.SIGINT)
        said, told = worker.communicate(timeout=30)
    assert (found.hitl.auto_approved, found.summary.success_ratio) == (True, 1.0)
    assert len(list((tmp_path / "sources").glob("doc-1-*.md"))) == 1
    assert (worker.returncode, said) == (0, "")
    assert told.startswith(f"Looking after the reviews in {home / 'veracity.sqlite'}")
    assert told.count("\n") == 1
    shown = run("show", review).stdout
    assert "auto-approved by clock at" in shown
    assert "1 ingested, 0 failed, 0 pending (100%)" in shown
