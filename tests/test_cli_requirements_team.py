"""`veracity requirements validate | questions | answer | work | show`, as somebody uses them."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_line import veracity
from model_server import ModelServer
from requirement_commands import (
    ANSWERS,
    BAD,
    BENEFIT,
    GOOD,
    METRIC,
    NEW,
    PAGE,
    ROLE,
    problem,
    read_until,
    run,
    terminal,
)
from veracity.cli.requirements.dialogue import typed_line
from veracity.requirements.ask_user import ValidationDesk
from veracity.requirements.contracts import RuleSettings
from veracity.requirements.society import Society


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a document and answers for it."""
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    Path("app.md").write_bytes(PAGE.encode())
    Path("answers.yaml").write_text(ANSWERS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


def test_scenario_1_ends_with_an_approval_and_the_users_words() -> None:
    Path("one.md").write_text(f"- REQ-1: {BAD}\n", encoding="utf-8")
    Path("answers.yaml").write_text(ANSWERS.replace("weglassen", "ich effizient arbeite"), encoding="utf-8")
    done = run("validate", "one.md", "--answers", "answers.yaml")
    assert done.exit_code == 0, done.output
    assert "   → APPROVE: Requirement validated (score: 0.41→0.88 after rewrite)" in done.stdout
    assert done.stdout.endswith("approved: 1 of 1 requirements approved\n")


def test_scenario_2_asks_for_the_criteria_before_anything_is_evaluated() -> None:
    Path("one.md").write_text("- REQ-1: System soll skalierbar sein\n", encoding="utf-8")
    done = run("validate", "one.md", "--criteria", "ask")
    assert done.exit_code == 3
    assert done.stdout.startswith(
        "1. [RequirementsOperator]\n   → NEED_USER_CLARIFICATION: Which criteria should be checked?\n"
    )
    assert "evaluate_requirement" not in done.stdout
    assert (
        "? Welche Qualitätskriterien sollen geprüft werden?  (clarity | testability | measurability | all)"
        in done.stdout
    )


def test_the_transcript_can_be_left_out() -> None:
    Path("one.md").write_text(f"- REQ-1: {GOOD}\n", encoding="utf-8")
    done = run("validate", "one.md", "--no-transcript")
    assert done.stdout == f"REQ-1  approved  1.00  {GOOD}\napproved: 1 of 1 requirements approved\n"


def test_an_open_question_leaves_its_requirement_open_and_the_rest_finished() -> None:
    done = run("validate", "app.md", "--json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["stop"]) == (3, "needs_user")
    assert [case["stop"] for case in told["results"]] == ["needs_user", "approved"]
    assert told["run_id"]


def test_a_validation_without_questions_keeps_nothing() -> None:
    Path("good.md").write_text(f"- {GOOD}\n", encoding="utf-8")
    assert run("validate", "good.md").exit_code == 0
    assert not Path("home/questions.sqlite").exists()


def test_questions_survive_are_answered_and_a_worker_goes_on_to_the_verdict() -> None:
    Path("one.md").write_text(f"- REQ-1: {BAD}\n", encoding="utf-8")
    Path("a.yaml").write_text(f"'*':\n  {ROLE}: Nutzer\n  {METRIC}: Seitenladezeiten < 2 s (P95)\n", encoding="utf-8")
    run_id = json.loads(run("validate", "one.md", "--answers", "a.yaml", "--json").stdout)["run_id"]
    (open_,) = json.loads(run("questions", run_id, "--json").stdout)
    assert open_["question"] == BENEFIT
    assert run("show", run_id).exit_code == 3
    assert run("answer", open_["question_id"], "weglassen", "--who", "anna").exit_code == 0
    assert "was already answered by anna" in problem("answer", open_["question_id"], "nein")
    worked = veracity("requirements", "work", "--drain")
    assert worked.returncode == 0, worked.stderr
    assert "QAValidator: APPROVE: Requirement validated (score: 0.41→0.92 after rewrite)" in worked.stdout
    shown = run("show", run_id)
    assert (shown.exit_code, f"REQ-1  approved  0.41 -> 0.92  {NEW}" in shown.stdout) == (0, True)
    assert run("questions").stdout == "There is no open question.\n"
    assert "  > weglassen  (anna)" in run("questions", run_id, "--all").stdout


def test_a_detached_validation_is_only_submitted() -> None:
    done = run("validate", "app.md", "--detach")
    assert (done.exit_code, "is submitted: 2 requirements." in done.stdout) == (0, True)
    shown = run("show", done.stdout.split()[0])
    assert (shown.exit_code, "still working" in shown.stdout) == (3, True)


def test_a_worker_judges_by_the_rules_that_a_validation_was_submitted_with() -> None:
    lenient = Society(settings=RuleSettings(fail_under=0.2), find_duplicates=lambda _: ())
    with ValidationDesk.open("q.sqlite", society=lenient) as desk:
        run_id = desk.submit([BAD])
    with ValidationDesk.open("q.sqlite", society=Society(find_duplicates=lambda _: ())) as other:
        assert other.work(run_id) is None
        assert [case.stop for case in other.show(run_id).cases] == ["approved"]


def test_questions_are_listed_in_the_order_in_which_they_were_asked() -> None:
    with ValidationDesk.open("q.sqlite", society=Society(find_duplicates=lambda _: ())) as desk:
        run_id = desk.submit([BAD])
        desk.work(run_id)
        for said in ("Nutzer", "Seitenladezeiten < 2 s (P95)"):
            desk.answer(desk.questions(run_id)[0].question_id, said)
            desk.work(run_id)
        assert [one.question for one in desk.questions(run_id, state=None)] == [ROLE, METRIC, BENEFIT]


def test_a_goal_is_read_by_a_model_and_says_so_where_there_is_none(server: ModelServer) -> None:
    Path("one.md").write_text(f"- {GOOD}\n", encoding="utf-8")
    assert "without --model it changes nothing" in run("validate", "one.md", "--goal", "schneller sein").stderr
    server.says({"halve the wait": [[("answer", {"text": "done"})]]})
    run("validate", "one.md", "--goal", "halve the wait", "--model", server.model)
    assert {question for question, _ in server.asked} == {"halve the wait"}


def test_a_model_that_never_does_the_work_meets_the_limit_and_is_not_approved(server: ModelServer) -> None:
    Path("good.md").write_text(f"- {GOOD}\n", encoding="utf-8")
    server.says({"Server": [[("answer", {"text": "APPROVE", "approved": True, "issues": "", "summary": "APPROVE"})]]})
    done = run("validate", "good.md", "--model", server.model)
    assert done.exit_code == 1
    assert "max_turns" in done.stdout
    assert "evaluate_requirement was not called" in done.stdout


def test_wrong_words_on_the_command_line_are_told_in_a_sentence() -> None:
    assert "there is no 'speed'" in problem("validate", "app.md", "--criteria", "speed")
    assert problem("show", "19990101") == "There is no validation '19990101'."
    assert problem("answer", "19990101-1", "x") == "There is no question '19990101-1'."
    assert "at least 4 characters" in problem("show", "x")


def test_what_a_document_holds_cannot_steer_the_terminal() -> None:
    Path("evil.md").write_text("- R-1: Die App \x1b[2Jmuss schnell \u202esein\n", encoding="utf-8")
    for command in (("improve", "evil.md"), ("validate", "evil.md"), ("questions",)):
        said = run(*command).output
        assert "\x1b" not in said
        assert "\u202e" not in said


def test_ctrl_c_is_noticed_at_a_question_whenever_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Right before a read begins it does not end the read; nor where another thread gets it, as here."""
    waiting, typing = os.pipe()
    stdin = os.fdopen(waiting)
    monkeypatch.setattr("sys.stdin", stdin)
    press = threading.Timer(0.05, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
    give_up = threading.Timer(10, lambda: os.write(typing, b"nothing came\n"))
    give_up.start()
    press.start()
    with pytest.raises(KeyboardInterrupt):
        typed_line()
    give_up.cancel()
    stdin.close()
    os.close(typing)


def test_ctrl_c_at_a_question_stops_at_once() -> None:
    Path("one.md").write_text(f"- REQ-1: {BAD}\n", encoding="utf-8")
    with terminal("validate", "one.md") as (started, master):
        read_until(master, "\n> ")
        started.send_signal(signal.SIGINT)
        assert "stopped." in read_until(master, "stopped.")
        assert started.wait(timeout=20) == 130
