"""`veracity search`: what it prints for people and for machines, and its one sentence when something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from veracity.cli import app
from veracity.errors import SourceError, UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "residency.md").write_text(
        "# Data residency\n\nEmployee data is kept in Germany.\n\n## Backups\n\nThey stay in Frankfurt.\n",
        encoding="utf-8",
    )
    (docs / "urlaub.txt").write_text("Die Mitarbeitenden haben fünf Wochen Urlaub im Jahr.", encoding="utf-8")
    (docs / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    return docs


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["search", *arguments])


def test_hit_shows_its_place_and_where_its_score_comes_from(folder: Path) -> None:
    done = run("where is data kept", "--corpus", str(folder), "--limit", "1")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == " 1. Data residency"
    assert "residency.md#1" in lines[1]
    assert "bm25" in lines[1]
    assert "vector" in lines[1]
    assert lines[2].strip() == "Employee data is kept in Germany."
    assert done.stderr.startswith("not read: broken.pdf: it is no PDF that can be read")


def test_meaning_is_found_across_languages(folder: Path) -> None:
    said = json.loads(run("paid holidays", "--corpus", str(folder), "--mode", "vector", "--json").stdout)
    assert said["hits"][0]["id"] == "urlaub.txt#1"


def test_json_is_one_object_with_index_and_hits(folder: Path) -> None:
    done = run("Frankfurt", "--corpus", str(folder), "--mode", "bm25", "--json")
    said = json.loads(done.stdout)
    assert (said["index"]["files"], said["index"]["passages"], said["index"]["embedded"]) == (2, 3, 0)
    assert [problem["path"] for problem in said["index"]["problems"]] == ["broken.pdf"]
    (hit,) = said["hits"]
    assert hit["id"] == "residency.md#2"
    assert hit["place"] == "Backups"
    assert hit["components"] == {"bm25_score": hit["score"], "bm25_rank": 1.0, "bm25_part": hit["score"]}


def test_index_only_says_what_was_done_and_does_it_once(folder: Path) -> None:
    first = run("--index-only", "--mode", "bm25", "--corpus", str(folder))
    assert first.stdout == "2 files, 3 passages: 3 read, 0 unchanged, 0 removed, 0 embedded\n"
    again = run("--index-only", "--mode", "bm25", "--corpus", str(folder))
    assert again.stdout == "2 files, 3 passages: 0 read, 3 unchanged, 0 removed, 0 embedded\n"


def test_nothing_found_is_said(folder: Path) -> None:
    assert run("helicopter", "--mode", "bm25", "--corpus", str(folder)).stdout == "Nothing was found.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--index-only"),
        (("x", "--mode", "magic"), "--mode is hybrid, bm25 or vector"),
        (("x", "--fusion", "magic"), "--fusion is zscore, minmax or rrf"),
        (("x", "--folder", "."), "--folder goes with a Qdrant URL"),
        (("  ", "--mode", "bm25"), "nothing to search for"),
        (("x", "--corpus", "http://localhost:6333"), "name of a collection"),
    ],
)
def test_wrong_usage_is_one_sentence(folder: Path, arguments: tuple[str, ...], said: str) -> None:
    corpus = () if "--corpus" in arguments else ("--corpus", str(folder))
    done = run(*arguments, *corpus)
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)


def test_folder_that_is_not_there_is_one_sentence(folder: Path) -> None:
    done = run("x", "--corpus", str(folder / "nowhere"))
    assert isinstance(done.exception, SourceError)
    assert "cannot be searched: no such file or directory" in str(done.exception)


def test_folder_without_documents_says_so(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("residency", "--corpus", str(tmp_path / "empty"))
    assert done.stdout == "Nothing was found. The folder has no Markdown, text, HTML or PDF that can be read.\n"
