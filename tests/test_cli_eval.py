"""`veracity eval` and `veracity eval compare`, as people type them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import command_line
from command_line import program
from model_server import model_server

QUESTIONS = """\
- id: north
  question: "sum of amount for region Nord in sale?"
  expectedAnswerNumeric: {total: 30.30}
- id: weather
  question: "How is the weather?"
  expectedOutcome: abstained
"""

Eval = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def veracity(tmp_path: Path) -> Eval:
    """Runs a command in a folder that holds a small shop and two questions about it."""
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE sale (region VARCHAR, amount DECIMAL(18,2))")
        connection.execute("INSERT INTO sale VALUES ('Nord', 10.10), ('Nord', 20.20), ('Süd', 0.30)")
    (tmp_path / "q.yaml").write_text(QUESTIONS, encoding="utf-8")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return command_line.veracity(*arguments, cwd=tmp_path)

    return run


OWN = ("eval", "--questions", "q.yaml", "--source", "shop.duckdb")


def test_own_questions_on_an_own_source_in_two_modes(veracity: Eval, tmp_path: Path) -> None:
    nord = [{"field": "region", "op": "=", "value": "Nord"}]
    summed = ("aggregateTable", {"tableName": "sale", "aggregate": "SUM", "field": "amount", "filters": nord})
    declines = ("abstain", {"reason": "There is nothing about that."})
    with model_server() as server:
        server.says({"region Nord": [[summed, ("answer", {"text": "30.30"})]], "weather": [[declines]]})
        done = veracity(*OWN, "--modes", "baseline,bound", "--model", server.model, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "baseline" in done.stdout
    assert "report: out/report.md" in done.stdout
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert [(one["mode"], one["right"], one["wrong"]) for one in results["summaries"]] == [
        ("baseline", 2, 0),
        ("bound", 2, 0),
    ]
    report = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "sum of amount for region Nord in sale?" in report
    assert "veracity eval --questions q.yaml" in report


def test_without_a_model_only_what_is_read_from_words_is_measured(veracity: Eval) -> None:
    (summary,) = json.loads(veracity(*OWN, "--json").stdout)["summaries"]
    assert (summary["mode"], summary["right"]) == ("bound", 2)
    refused = veracity(*OWN, "--modes", "baseline,bound")
    assert (refused.returncode, refused.stderr) == (
        2,
        "veracity: The mode baseline measures a model; name one with --model, or take --modes bound.\n",
    )


def test_the_shipped_questions_are_all_right_offline(veracity: Eval) -> None:
    done = veracity("eval", "--modes", "bound", "--json", "--out", "out")
    assert done.returncode == 0, done.stderr
    (summary,) = json.loads(done.stdout)["summaries"]
    assert (summary["right"], summary["wrong"], summary["trials"]) == (19, 0, 19)


def test_only_every_fourth_question_is_asked_and_the_report_says_so(veracity: Eval, tmp_path: Path) -> None:
    done = veracity("eval", "--modes", "bound", "--every", "4", "--json", "--out", "out")
    results = json.loads(done.stdout)
    assert [case["id"] for case in results["cases"]] == ["q01", "q05", "q09", "q13", "q17"]
    assert "5 of trustee.yaml, 1 in 4" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_json_questions_with_a_feature_and_a_scope(veracity: Eval, tmp_path: Path) -> None:
    gold = "SELECT COUNT(*) FROM \"TrusteeDataAccount\" WHERE mandateId = 'm-other' AND featureInstanceId = 'fi-other'"
    asked = [{"id": "a", "question": "Wie viele Konten gibt es?", "gold_sql": gold}]
    (tmp_path / "q.json").write_text(json.dumps(asked), encoding="utf-8")
    scope = ("--scope", "mandateId=m-other", "--scope", "featureInstanceId=fi-other")
    done = veracity("eval", "--questions", "q.json", "--feature", "trustee", *scope, "--modes", "bound", "--json")
    assert done.returncode == 0, done.stderr
    (trial,) = json.loads(done.stdout)["trials"]
    assert trial["attempt"]["ended"] in ("answered", "abstained", "clarify")
    assert trial["score"]["verdict"] != "wrong"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--questions", "none.yaml"), "none.yaml cannot be read"),
        (("--questions", "shop.duckdb"), "shop.duckdb"),
        (("--modes", "best"), "There is no mode 'best'; the modes are baseline, hints"),
        (("--modes", ""), "There is no mode ''"),
        (("--prices", "cheap"), "--prices 'cheap' is not IN,OUT"),
        (("--hints", "none.txt"), "none.txt cannot be read"),
        (("--schema", "odd"), "--schema is strict or plain"),
        (("--scope", "x"), "is not key=value"),
        (("--source", "none.duckdb"), "none.duckdb"),
        (("--model", "nonsense"), "nonsense"),
        (("--modes", "baseline", "--model", "http://127.0.0.1:9/v1#m"), "cannot be reached"),
        (("--out", "q.yaml"), "cannot be used for results"),
        (("--questions", "three-sources"), "These questions name their sources; leave out --source"),
    ],
)
def test_bad_input_is_one_sentence(veracity: Eval, arguments: tuple[str, ...], said: str) -> None:
    done = veracity(*OWN, "--modes", "bound", *arguments)
    assert done.returncode == 2, done.stdout
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("veracity: ")


def test_ctrl_c_keeps_what_is_finished_and_the_same_command_goes_on(veracity: Eval, tmp_path: Path) -> None:
    slow = [{"id": f"q{n}", "question": f"sum of amount for region Nord in sale {n}?", "expectedAnswerNumeric": {"x": 30.3}} for n in range(400)]  # fmt: skip
    (tmp_path / "many.json").write_text(json.dumps(slow), encoding="utf-8")
    command = [str(program()), "eval", "--questions", "many.json", "--source", "shop.duckdb", "--modes", "bound", "--out", "out"]  # fmt: skip
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    journal = tmp_path / "out" / "trials.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (journal.exists() and journal.stat().st_size):
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGINT)
    _said, told = running.communicate(timeout=60)
    assert running.returncode == 130, told
    assert "the same command goes on from there" in told
    assert "Traceback" not in told
    kept = len(journal.read_text(encoding="utf-8").splitlines())
    assert 0 < kept < 400
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["complete"] is False
    again = veracity(*command[1:])
    assert again.returncode == 0, again.stderr
    assert len(journal.read_text(encoding="utf-8").splitlines()) == 400


def test_compare_says_what_broke_and_exits_with_1(veracity: Eval, tmp_path: Path) -> None:
    veracity(*OWN, "--modes", "bound", "--out", "before")
    (tmp_path / "q.yaml").write_text(QUESTIONS.replace("30.30", "31.30"), encoding="utf-8")
    veracity(*OWN, "--modes", "bound", "--out", "after")
    broke = veracity("eval", "compare", "before", "after")
    assert broke.returncode == 1, broke.stderr
    assert "north" in broke.stdout
    better = veracity("eval", "compare", "after/results.json", "before")
    assert better.returncode == 0, better.stdout
    assert json.loads(veracity("eval", "compare", "before", "before", "--json").stdout)["broke"] is False


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("none", "none"), "none"), (("q.yaml", "q.yaml"), "q.yaml"), ((".", "."), "results.json")],
)
def test_compare_with_what_is_no_result_is_one_sentence(veracity: Eval, arguments: tuple[str, ...], said: str) -> None:
    done = veracity("eval", "compare", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_what_costs_nothing_is_asked_anew_each_time(veracity: Eval, tmp_path: Path) -> None:
    veracity(*OWN, "--modes", "bound", "--out", "out")
    veracity(*OWN, "--modes", "bound", "--out", "out")
    assert (tmp_path / "out" / "trials.before.jsonl").exists()
