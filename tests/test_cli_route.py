"""`veracity route`: the line for people, the JSON, the words of a source, and what is said of bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from veracity.cli import app
from veracity.errors import SkillError, UsageError


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("VERACITY_HOME", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def run(*arguments: str, given: str | bytes = "") -> Result:
    return CliRunner().invoke(app, ["route", *arguments], input=given)


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        ("什么是机器学习", "DIRECT_CHAT  rule factual  (什么是)"),
        ("什么是当前服务器的IP地址", "REACT  rule live  (当前)"),
        ("计算 1+2+3", "DIRECT_CHAT  rule arithmetic  (1+2+3)  = 6"),
        ("7 / 3 =", "DIRECT_CHAT  rule arithmetic  (7 / 3)  = 2.3333333333  (rounded to 10 places)"),
        ("Was bedeutet Abschreibung?", "REACT  rule data  (Abschreibung)"),
        ("/sql how many?", "SKILL  sql_analyst  rule prefix  (/sql)"),
        ("", "REACT  rule default"),
    ],
)
def test_the_line_for_people(request_: str, line: str) -> None:
    done = run(request_)
    assert (done.exit_code, done.stdout) == (0, line + "\n")


def test_json_has_the_whole_decision() -> None:
    said = json.loads(run("Was ist 17 mal 4?", "--json").stdout)
    assert said == {
        "route": "DIRECT_CHAT", "rule": "arithmetic", "words": ["17 mal 4"], "skill": None, "text": "Was ist 17 mal 4?", "expression": "17 * 4",
    }  # fmt: skip


def test_no_data_is_made_or_opened_for_the_words_of_the_shipped_feature(home: Path) -> None:
    assert run("Hallo").exit_code == 0
    assert not list(home.glob("*.duckdb"))


def test_the_tables_of_a_source_are_the_data(tmp_path: Path) -> None:
    (tmp_path / "quasars.csv").write_text("redshift\n1\n", encoding="utf-8")
    assert run("What is a quasar?").stdout.startswith("DIRECT_CHAT  rule factual")
    assert run("What is a quasar?", "--source", "quasars.csv").stdout == "REACT  rule data  (quasar)\n"
    assert run("Was bedeutet Abschreibung?", "--source", "quasars.csv").stdout.startswith("DIRECT_CHAT")


def test_an_ontology_of_ones_own_needs_no_source(tmp_path: Path) -> None:
    text = "featureCode: stars\nentities:\n  - {name: Star, label: {de: Fixstern, en: Star}}\n"
    (tmp_path / "stars.yaml").write_text(text, encoding="utf-8")
    assert run("Was ist ein Fixstern?", "--ontology", "stars.yaml").stdout == "REACT  rule data  (Fixstern)\n"


def test_an_unknown_prefix_is_told_with_the_nearest_skills() -> None:
    done = run("/sqk how many orders?")
    assert isinstance(done.exception, SkillError)
    assert str(done.exception) == "There is no skill '/sqk'; did you mean sql_analyst?"


def test_a_dash_reads_standard_input() -> None:
    assert run("-", given="Hallo!").stdout == "DIRECT_CHAT  rule greeting  (Hallo)\n"


@pytest.mark.parametrize(
    "given", [b"", b"a" * 1_000_000, "你".encode() * 300_000, b"\xff\xfe\x00" * 1000, b"hi \xed\xa0\x80"]
)
def test_empty_huge_and_broken_input_gets_a_decision(given: bytes) -> None:
    for options in ((), ("--json",)):
        done = run("-", *options, given=given)
        assert done.exit_code == 0
        assert "REACT" in done.stdout


def test_a_feature_that_does_not_exist_is_one_sentence() -> None:
    done = run("Hallo", "--feature", "nope")
    assert isinstance(done.exception, UsageError)
