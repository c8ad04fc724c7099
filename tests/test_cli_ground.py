"""`veracity ground` and `veracity guard`: verdicts as JSON, line by line, and what was intercepted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import command_line
from command_line import program
from veracity.cli import app
from veracity.errors import UsageError

ACCOUNTS = [
    {
        "id": "r1",
        "columns": ["accountNumber", {"name": "balance", "label": "Saldo", "unit": "CHF"}],
        "key": "accountNumber",
        "rows": [["1020", 152400.00], ["1100", 64820.15]],
    }
]
GOOD = {"question": "Saldo?", "answer": "Der Saldo von Konto 1020 beträgt 152'400.00 CHF.", "results": ACCOUNTS}
BAD = {"question": "列出所有的用户", "answer": "- 用户1\n- 用户2", "trace": []}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("VERACITY_HOME", str(folder))
    return folder


def run(*arguments: str, given: str | bytes = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=given)


def veracity(*arguments: str, given: str | bytes = b"") -> subprocess.CompletedProcess[bytes]:
    raw = given.encode() if isinstance(given, str) else given
    return command_line.run(*arguments, stdin=raw)


# --- one answer


def test_answer_that_passes(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(GOOD), encoding="utf-8")
    done = run("ground", "--input", str(path))
    assert done.exit_code == 0
    said = json.loads(done.stdout)
    assert said["verdict"] == "pass"
    assert [one["text"] for one in said["provenance"]] == ["1020", "152'400.00"]
    assert done.stdout.count("\n") == 1


def test_answer_that_is_blocked_from_standard_input() -> None:
    done = run("ground", "--input", "-", given=json.dumps(BAD))
    assert done.exit_code == 1
    said = json.loads(done.stdout)
    assert said["verdict"] == "block"
    assert {one["rule"] for one in said["findings"]} == {"required_tools", "placeholder"}


def test_numbers_of_the_input_stay_exact() -> None:
    given = '{"answer": "The total is 0.1000000000000000055.", "results": [{"id": "r1", "columns": ["total"], "rows": [[0.1]]}]}'
    assert run("ground", "--input", "-", given=given).exit_code == 1
    exact = given.replace("[[0.1]]", "[[0.1000000000000000055]]")
    assert run("ground", "--input", "-", given=exact).exit_code == 0


def test_template_comes_back_as_text() -> None:
    given = {**GOOD, "answer": "Saldo: {{ r1[accountNumber='1020'].balance }} CHF", "locale": "de-CH"}
    said = json.loads(run("ground", "--input", "-", given=json.dumps(given)).stdout)
    assert said["answer"] == "Saldo: 152'400.00 CHF"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "not valid JSON"),
        ("[]", "not one JSON object"),
        ('{"results": []}', "answer: this key is needed"),
        ('{"answer": "x", "resluts": []}', "resluts: there is no such key"),
        ('{"answer": 5}', "answer: input should be a valid string"),
        ('{"answer": "x", "results": [{"id": "r1", "columns": ["a"], "rows": [5]}]}', "Row 0 of result r1"),
        (
            '{"answer": "x", "results": [{"id": "r1", "columns": [], "rows": []}, {"id": "r1", "columns": [], "rows": []}]}',
            "r1",
        ),
        ('{"answer": NaN}', "NaN is not a number"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff\xfe", "not encoded in UTF-8"),
    ],
)
def test_bad_input_is_one_sentence(given: str | bytes, said: str) -> None:
    done = run("ground", "--input", "-", given=given)
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)
    assert str(done.exception).endswith(".")
    assert done.stdout == ""


def test_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with_folder = run("ground", "--input", str(tmp_path))
    assert isinstance(with_folder.exception, UsageError)
    done = veracity("ground", "--input", str(tmp_path / "none.json"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"veracity: ")
    assert done.stderr.endswith(b"none.json cannot be read: no such file or directory.\n")


@pytest.mark.parametrize(
    "given",
    [
        '{"answer": "\\ud800 is 5.", "question": "\\udfff", "results": [{"id": "r1", "columns": ["a"], "rows": [["\\ud800 5"]]}]}',
        '{"answer": "The \\uD800 is 5.", "results": [{"id": "r\\ud800", "columns": ["\\ud800"], "rows": [[5]]}]}',
        '{"answer": "Users:\\n- Xaver Y", "question": "List all users", "results": [{"id": "r1", "columns": ["name"], "rows": [["\\ud800Xaver Z"]]}]}',
    ],
)
def test_half_a_character_breaks_nothing(given: str) -> None:
    done = run("ground", "--input", "-", given=given)
    assert json.loads(done.stdout)["verdict"] in ("pass", "block")
    assert done.exit_code in (0, 1)


def test_lenient_and_guard_file(tmp_path: Path, home: Path) -> None:
    results = [{"id": "r1", "columns": ["name", "x", "y"], "rows": [["a", 5, 7], ["b", 5, 9]]}]
    given = json.dumps({"answer": "The value is 5.", "results": results})
    assert run("ground", "--input", "-", given=given).exit_code == 1
    assert run("ground", "--input", "-", "--lenient", given=given).exit_code == 0
    guard = tmp_path / "own.yaml"
    guard.write_text("mode: lenient", encoding="utf-8")
    assert run("ground", "--input", "-", "--guard", str(guard), given=given).exit_code == 0
    home.mkdir(exist_ok=True)
    (home / "guard.yaml").write_text("mode: lenient", encoding="utf-8")
    assert run("ground", "--input", "-", given=given).exit_code == 0
    guard.write_text("mdoe: lenient", encoding="utf-8")
    assert "did you mean mode" in str(run("ground", "--input", "-", "--guard", str(guard), given=given).exception)


# --- many answers


def lines(*requests: Any) -> str:
    return "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in requests)


def test_lines_keep_their_order_and_bad_ones_are_reported() -> None:
    done = run("ground", "--input", "-", "--jsonl", given=lines(GOOD, "{broken", BAD, "", '{"answer": 1}', GOOD))
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one.get("verdict") or one["line"] for one in said] == ["pass", 2, "block", 5, "pass"]
    assert said[1]["error"].startswith("The input is not valid JSON")
    assert set(said[1]) == {"line", "error"}
    assert done.exit_code == 2


def test_exit_code_of_lines() -> None:
    assert run("ground", "--input", "-", "--jsonl", given=lines(GOOD, GOOD)).exit_code == 0
    assert run("ground", "--input", "-", "--jsonl", given=lines(GOOD, BAD)).exit_code == 1
    assert run("ground", "--input", "-", "--jsonl", given="").exit_code == 0


def test_each_line_is_answered_before_the_next_is_sent() -> None:
    command = [str(program()), "ground", "--input", "-", "--jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for request, expected in ((GOOD, "pass"), (BAD, "block")):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["verdict"] == expected
        process.stdin.close()
        assert process.wait(timeout=30) == 1


def test_reader_that_goes_away_ends_it_quietly() -> None:
    command = f"yes '{json.dumps(BAD)}' | head -n 5000 | {program()} ground --input - --jsonl | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60)
    assert json.loads(done.stdout)["verdict"] == "block"
    assert "Traceback" not in done.stderr


def test_memory_does_not_grow_with_the_lines(tmp_path: Path) -> None:
    def most(count: int) -> int:
        path = tmp_path / f"{count}.jsonl"
        path.write_text(lines(GOOD, BAD) * (count // 2), encoding="utf-8")
        code = (
            "import sys, resource\nfrom veracity.cli import app\n"
            f"sys.argv = ['veracity', 'ground', '--input', {str(path)!r}, '--jsonl']\n"
            "try: app()\nexcept SystemExit: pass\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.count("\n") == count
        return int(done.stderr.split()[-1])

    small, large = most(100), most(700)
    assert large < small + 12_000  # kilobytes


# --- what was intercepted


@pytest.fixture
def intercepted() -> list[dict[str, Any]]:
    run("ground", "--input", "-", "--jsonl", given=lines(BAD, GOOD, {"question": "Who?", "answer": "It is John Doe."}))
    found: list[dict[str, Any]] = json.loads(run("guard", "events", "--json").stdout)
    return found


def test_interceptions_are_listed(intercepted: list[dict[str, Any]]) -> None:
    assert sorted(one["rule"] for one in intercepted) == ["placeholder", "placeholder", "required_tools"]
    assert set(intercepted[0]) == set(
        "eventId at question rule span text model outcome traceId falseAlarm".split()  # noqa: SIM905
    )
    shown = run("guard", "events").stdout
    assert "John Doe" in shown
    assert "blocked" in shown
    assert len(run("guard", "events", "-n", "1").stdout.splitlines()) == 1
    assert len(run("guard", "events", "--jsonl", "--rule", "required_tools").stdout.splitlines()) == 1
    assert run("guard", "events", "--since", "2099-01-01").stdout == "Nothing was intercepted.\n"


def test_interceptions_are_exported(intercepted: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    done = run("guard", "events", "--export", str(path))
    assert done.stdout == f"{len(intercepted)} events written to {path}\n"
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == intercepted


def test_false_alarm_is_marked_and_the_entry_lets_it_pass(intercepted: list[dict[str, Any]], home: Path) -> None:
    event = next(one for one in intercepted if one["text"] == "John Doe")
    done = run("guard", "false-alarm", event["eventId"])
    assert done.stdout == "whitelist:\n- John Doe\n"
    assert str(home / "guard.yaml") in done.stderr
    assert "(false alarm)" in run("guard", "events").stdout
    (home / "guard.yaml").write_text(done.stdout, encoding="utf-8")
    assert (
        run("ground", "--input", "-", given=json.dumps({"question": "Who?", "answer": "It is John Doe."})).exit_code
        == 0
    )
    run("guard", "false-alarm", event["eventId"], "--undo")
    assert "(false alarm)" not in run("guard", "events").stdout


def test_nothing_is_recorded_unless_wanted(home: Path) -> None:
    run("ground", "--input", "-", "--no-events", given=json.dumps(BAD))
    assert not (home / "veracity.sqlite").exists()


def test_events_that_cannot_be_kept_do_not_change_a_verdict(home: Path) -> None:
    home.mkdir()
    (home / "veracity.sqlite").write_bytes(b"something else entirely, and no database")
    done = run("ground", "--input", "-", given=json.dumps(BAD))
    assert done.exit_code == 1
    assert json.loads(done.stdout)["verdict"] == "block"
    assert done.stderr.startswith("note: events are not recorded: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["guard", "events", "--since", "soon"], "--since is a date such as 2026-11-01"),
        (["guard", "events", "--rule", "placeholders"], "did you mean placeholder?"),
        (["guard", "events", "--export", "/nowhere/at/all"], "cannot be written"),
        (["guard", "false-alarm", "2099"], "There is no event '2099'"),
    ],
)
def test_wrong_use_is_one_sentence(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)


def test_no_model_library_is_loaded() -> None:
    code = (
        "import sys, io\nfrom veracity.cli import app\n"
        "sys.argv = ['veracity', 'ground', '--input', sys.argv[1]]\ntry: app()\nexcept SystemExit: pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'pydantic_ai', 'duckdb', 'sqlglot', 'numpy', 'opentelemetry', 'rich'}))"
    )
    path = Path(os.environ["VERACITY_HOME"]) / "good.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(GOOD), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
