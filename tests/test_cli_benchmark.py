"""`veracity benchmark` as a person or a CI meets it: the real program against a real server that says what a script says."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic_ai import models

from conftest import SHOP, load
from model_server import BROKEN, SLOW, Behaviour, ModelServer, model_server
from veracity.cli import run_command

NORTH, SOUTH = "How many pieces were sold in Nord?", "How many pieces were sold in Süd?"
DATA = ("--questions", "questions.yaml", "--source", "shop.duckdb", "--scope", "tenant=t-1")
DAY = ("2025-01-31", "2025-01-31 10:00:00", True)
SALES = (
    (1, "t-1", "Nord", "", 10, 1.5, *DAY, 3),
    (2, "t-1", "Süd", "", 20, 2.5, *DAY, 5),
    (3, "t-1", "Süd", "", 5, 2.5, *DAY, 2),
)
QUESTIONS: list[dict[str, Any]] = [
    {"id": "north", "question": NORTH, "difficulty": "easy", "expectedAnswerNumeric": {"pieces": 3}, "timeout": 20},
    {"id": "south", "question": SOUTH, "difficulty": "hard", "expectedAnswerNumeric": {"pieces": 7}, "timeout": 20},
]


def pieces(region: str, answer: str = "{{ sum(r1.pieces) }} pieces.") -> Behaviour:
    where = [{"field": "region", "op": "=", "value": region}]
    call = ("queryTable", {"tableName": "Sale", "fields": ["id", "pieces", "amount"], "filters": where})
    return [call, ("answer", {"text": answer})]


def wrong(region: str) -> Behaviour:
    return pieces(region, "{{ sum(r1.amount) }} pieces.")


ABSTAINS: Behaviour = [("abstain", {"reason": "The data does not hold it."})]
RIGHT = {NORTH: [pieces("Nord")], SOUTH: [pieces("Süd")]}


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def benchmark(folder: Path, *arguments: str) -> Done:
    """Run `veracity benchmark` in a folder."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, chdir(folder), redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["veracity", "benchmark", *arguments])
        patch.setattr(models, "ALLOW_MODEL_REQUESTS", True)
        patch.setenv("COLUMNS", "200")
        try:
            run_command()
        except SystemExit as end:
            code = int(end.code or 0)
    return Done(code, out.getvalue(), err.getvalue())


@dataclass(frozen=True)
class Bench:
    """The benchmark on a small shop, with a model that does as it is told."""

    server: ModelServer
    folder: Path

    def __call__(self, *more: str) -> Done:
        return self.run("--mode", "llm", "--model", self.server.model, "--tools", "table", *DATA, "--out", "out", *more)

    def run(self, *arguments: str) -> Done:
        return benchmark(self.folder, *arguments)

    def read(self, name: str) -> Any:
        text = (self.folder / "out" / name).read_text(encoding="utf-8")
        return json.loads(text) if name.endswith(".json") else text

    def ask(self, *cases: dict[str, Any]) -> None:
        text = yaml.safe_dump(list(cases), allow_unicode=True)
        (self.folder / "questions.yaml").write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, Done]]:
    """A folder in which a baseline was made of three runs that were all right, and what was said."""
    folder = tmp_path_factory.mktemp("made")
    load("duckdb", str(folder / "shop.duckdb"), SHOP, "Sale", SALES)
    with model_server() as server:
        bench = Bench(server, folder)
        bench.ask(*QUESTIONS)
        server.says(RIGHT)
        yield bench, bench("--update-baseline")


@pytest.fixture
def measured(made: tuple[Bench, Done], tmp_path: Path) -> Bench:
    """A copy of that folder."""
    bench, _ = made
    shutil.copytree(bench.folder, tmp_path / "copy")
    bench.server.says(RIGHT)
    return Bench(bench.server, tmp_path / "copy")


@pytest.fixture
def bench(measured: Bench) -> Bench:
    """The same without a baseline and without an earlier run."""
    shutil.rmtree(measured.folder / "out")
    return measured


def sentence(done: Done) -> str:
    """The one line that a problem is said in."""
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("veracity: ")
    assert done.err.count("\n") == 1
    return done.err


# --- measuring


def test_without_a_baseline_it_measures_and_says_how_to_make_one(bench: Bench) -> None:
    done = bench()
    assert done.code == 0
    assert "100.0 % ± 0.0 % right, 2/2 passed." in done.out
    assert (
        "baseline: none yet; --update-baseline makes one, or copy out/benchmark.json to out/baseline.json" in done.out
    )
    assert done.out.endswith("report: out/benchmark_report.md\n")
    assert not (bench.folder / "out" / "baseline.json").exists()
    assert len(bench.read("trials.jsonl").splitlines()) == 6
    assert bench.read("results.json")["complete"]
    assert "| hard | 90 s or its own | 1/1 | 100.0 % |" in bench.read("benchmark_report.md")


def test_a_finished_run_is_measured_anew_and_kept_beside(measured: Bench) -> None:
    measured.server.says({**RIGHT, SOUTH: [ABSTAINS]})
    done = measured()
    assert "50.0 % ± 0.0 % right, 1/2 passed." in done.out
    assert {question for question, _ in measured.server.asked} == {NORTH, SOUTH}
    assert len(measured.read("trials.jsonl").splitlines()) == 6
    assert {each["score"]["verdict"] for each in measured.read("results.before.json")["trials"]} == {"right"}


def test_a_run_that_lost_its_model_is_no_baseline_and_goes_on_later(measured: Bench) -> None:
    before = measured.read("baseline.json")
    measured.ask(*QUESTIONS, *({**QUESTIONS[1], "id": f"south{number}"} for number in range(3)))
    measured.server.says({**RIGHT, SOUTH: [[BROKEN]]})
    done = measured("--update-baseline", "--runs", "1")
    assert "3 questions in a row failed" in done.err
    assert done.code == 2
    assert measured.read("baseline.json") == before
    assert not measured.read("results.json")["complete"]
    measured.server.says(RIGHT)
    assert measured("--update-baseline", "--runs", "1").code == 0
    # The question that was answered before the model was lost is not asked again.
    assert {question for question, _ in measured.server.asked} == {SOUTH}
    assert [case["verdicts"] for case in measured.read("baseline.json")["cases"]] == [["right"]] * 5


def test_a_run_that_was_killed_goes_on_later(measured: Bench) -> None:
    # What a killed process leaves: some trials, and no results.
    (measured.folder / "out" / "results.json").unlink()
    trials = measured.folder / "out" / "trials.jsonl"
    trials.write_text("".join(trials.read_text().splitlines(keepends=True)[:5]))
    assert "2/2 passed" in measured().out
    assert [question for question, _ in measured.server.asked] == [SOUTH, SOUTH]


def test_fresh_starts_over_instead_of_going_on(bench: Bench) -> None:
    (bench.folder / "out").mkdir()
    (bench.folder / "out" / "trials.jsonl").write_text("what was there\n")
    bench("--fast", "--fresh")
    assert bench.read("trials.before.jsonl") == "what was there\n"


def test_fast_asks_the_easy_questions_once_in_a_folder_of_its_own(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERACITY_MODEL", bench.server.model)
    done = bench.run("--mode", "llm", "--tools", "table", *DATA, "--fast")
    assert done.code == 0
    assert "100.0 % right, 1/1 passed." in done.out
    assert [question for question, _ in bench.server.asked] == [NORTH, NORTH]
    assert (bench.folder / "test-results/benchmark/fast/benchmark_report.md").exists()


def test_a_slow_model_is_a_timeout_that_names_its_seconds(bench: Bench) -> None:
    bench.ask({**QUESTIONS[0], "timeout": 0.3}, QUESTIONS[1])
    bench.server.says({**RIGHT, NORTH: [[SLOW]]})
    done = bench("--runs", "1")
    assert done.code == 0
    assert "timeout after 0.3s" in done.out
    assert "| timeouts | 1 |" in bench.read("benchmark_report.md")


def test_the_embedded_model_needs_no_key_and_no_option(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    done = bench.run(*DATA, "--json", "--fast")
    found = json.loads(done.out)["now"]
    assert done.code == 0
    assert (found["conditions"]["mode"], found["conditions"]["model"]) == ("offline", "offline")
    assert found["figures"]["wrong"] == 0
    # Neither does it with a model in the environment.
    monkeypatch.setenv("VERACITY_MODEL", bench.server.model)
    assert bench.run("--mode", "offline", *DATA, "--fast").code == 0
    assert bench.server.asked == []


# --- against a baseline


def test_the_same_again_is_no_regression(made: tuple[Bench, Done], measured: Bench) -> None:
    assert "baseline: out/baseline.json is this run now" in made[1].out
    done = measured()
    assert done.code == 0
    assert "100.0 % ± 0.0 % right, 2/2 passed. No regression." in done.out
    assert "| accuracy | 100.0 % ± 0.0 % | 100.0 % ± 0.0 % | 0 |" in measured.read("benchmark_report.md")


def test_a_lost_question_is_a_regression_until_it_is_accepted(measured: Bench) -> None:
    kept = measured.read("baseline.json")
    measured.server.says({**RIGHT, SOUTH: [ABSTAINS]})
    done = measured()
    assert done.code == 1
    assert "It got worse: Right in every run before, and in none now: south." in done.out
    assert measured.read("baseline.json") == kept
    done = measured("--update-baseline", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert (found["before"]["figures"]["accuracy"], found["now"]["figures"]["accuracy"]) == (1.0, 0.5)
    assert len(found["regressions"]) == 2
    assert measured.read("baseline.json")["figures"]["accuracy"] == 0.5


def test_a_loss_in_one_run_is_noise(measured: Bench) -> None:
    measured.server.says({**RIGHT, SOUTH: [pieces("Süd"), ABSTAINS, pieces("Süd")]})
    done = measured()
    assert "83.3 % ± 23.6 % right, 2/2 passed. No regression." in done.out
    assert done.code == 0


def test_a_wrong_figure_in_one_run_is_a_regression(measured: Bench) -> None:
    measured.server.says({**RIGHT, SOUTH: [pieces("Süd"), wrong("Süd"), pieces("Süd")]})
    done = measured()
    assert done.code == 1
    assert "It got worse: Wrong now, and never before: south." in done.out


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--fast",), "it is of a full benchmark, and this is a fast one"),
        (("--scope", "region=Nord"), "it is of other data"),
        (("--mode", "offline", "--model", "offline"), "it is of the model http"),
    ],
)
def test_a_baseline_of_another_benchmark_stops_before_anything_is_asked(
    measured: Bench, more: tuple[str, ...], said: str
) -> None:
    kept = measured.read("baseline.json")
    assert said in sentence(measured(*more))
    assert measured.server.asked == []
    assert measured.read("baseline.json") == kept


def test_other_questions_are_not_compared_until_the_baseline_is_updated(measured: Bench) -> None:
    measured.ask(QUESTIONS[0])
    assert "it is of other questions" in sentence(measured("--runs", "1"))
    assert measured("--runs", "1", "--update-baseline").code == 0
    assert [case["id"] for case in measured.read("baseline.json")["cases"]] == ["north"]


def test_a_broken_baseline_is_kept_until_it_is_updated(measured: Bench) -> None:
    path = measured.folder / "out" / "baseline.json"
    path.write_text('{"format": 1, "cas')
    assert "out/baseline.json is damaged: it is not valid JSON." in sentence(measured("--runs", "1"))
    assert path.read_text() == '{"format": 1, "cas'
    assert measured.server.asked == []
    assert measured("--runs", "1", "--update-baseline").code == 0
    assert measured.read("baseline.json")["figures"]["accuracy"] == 1.0


# --- wrong usage


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--mode", "llm"], "--mode llm needs a language model: give --model openai:NAME"),
        (["--mode", "both"], "--mode is llm or offline, not 'both'."),
        (["--mode", "offline", "--model", "openai:gpt-5"], "leave out --mode or --model"),
        (["--questions", "none.yaml"], "none.yaml cannot be read: no such file or directory."),
    ],
)
def test_wrong_usage_is_one_sentence(tmp_path: Path, arguments: list[str], said: str) -> None:
    assert said in sentence(benchmark(tmp_path, *arguments))


def test_what_cannot_be_kept_is_said_before_anything_is_asked(bench: Bench) -> None:
    (bench.folder / "out" / "baseline.json").mkdir(parents=True)
    assert "out/baseline.json is not a file" in sentence(bench("--update-baseline"))
    shutil.rmtree(bench.folder / "out")
    (bench.folder / "out").write_text("a file")
    assert "name another folder with --out" in sentence(bench())
    assert bench.server.asked == []
