"""`veracity rerank`: a ranking for people, JSON for machines, one sentence for what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from scripted import Script, call
from veracity.cli import app
from veracity.errors import UsageError
from veracity.llm.provider import RemoteModel
from veracity.retrieval.contracts import HybridResult

EXAMPLE = Path(__file__).parents[1] / "examples" / "rerank" / "request.json"
AS_OF = ("--as-of", "2026-11-15")


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all of them: what was embedded once is not embedded again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERACITY_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("COLUMNS", "200")
        yield


def run(*arguments: str, given: str | bytes = "") -> Result:
    return CliRunner().invoke(app, ["rerank", *arguments], input=given)


def request(**fields: Any) -> str:
    asked: dict[str, Any] = {
        "scoring_context": {"question": "Which policies govern employee data residency?"},
        "candidates": [{"id": "a", "title": "Legal policy", "url": "https://a.com/1"}],
    }
    return json.dumps({**asked, **fields})


def ranking(*arguments: str, given: str | bytes = "") -> HybridResult:
    done = run(*arguments, "--json", given=given)
    assert done.exit_code == 0, done.output
    return HybridResult.model_validate_json(done.stdout)


def test_ranking_for_people_says_what_and_why() -> None:
    done = run(str(EXAMPLE), *AS_OF)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    first = lines.index("best:") + 1
    assert lines[first].startswith("  1  0.01")
    assert lines[first].endswith("Policy: residency of employee data in Germany  [intranet]")
    assert "doc-417: Has 5 of 5 words of the question; fills the gap LEGAL" in lines[first + 1]
    assert lines[first + 2].strip() == "facets: LEGAL 0.67 (gap), DATA_CATEGORIES 0.33"
    for line in (
        "also ranked:",
        "coverage: Covers LEGAL; there was no corpus to compare with.",
        "take up: doc-530: Fills the gap LEGAL.",
        "dropped, duplicate: doc-813 (of doc-812)",
        "dropped, stale: doc-077 (2570 days old)",
        "dropped, disallowed: doc-901 (wiki://drafts)",
    ):
        assert line in lines


def test_json_is_the_whole_result() -> None:
    result = ranking(str(EXAMPLE), *AS_OF)
    assert len(result.ranked) == 9
    assert result.top_k[0].candidate_id == "doc-417"
    assert result.flags.debug["fusion"]["rrf_k"] == 90


def test_command_line_overrules_the_request() -> None:
    assert len(ranking(str(EXAMPLE), *AS_OF, "--top-k", "2").top_k) == 2
    seed, bounded = (ranking(str(EXAMPLE), *AS_OF, "--fusion", mode) for mode in ("seed", "bounded"))
    bonus = [one.flags.debug["fusion"]["rrf_components"]["doc-417"]["domain_bonus"] for one in (seed, bounded)]
    assert bonus[0] > 10 * bonus[1]


def test_age_is_judged_as_of_a_date() -> None:
    assert len(ranking(str(EXAMPLE), "--as-of", "2036-01-01").ranked) == 1


def test_request_comes_from_standard_input_in_every_form() -> None:
    assert len(ranking("-", given=request()).ranked) == 1
    asked = json.loads(request())
    for older in (
        {"meta": {"scoring_context": asked["scoring_context"]}, "candidates": asked["candidates"]},
        {"query": asked["scoring_context"]["question"], "results": [{"id": "a", "title": "Legal policy"}], "k": 1},
    ):
        assert len(ranking("-", given=json.dumps(older)).ranked) == 1


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERACITY_RERANK_RRF_K", "60")
    assert ranking("-", given=request()).flags.debug["fusion"]["rrf_k"] == 60


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"{", "not valid JSON: expecting property name enclosed in double quotes (line 1, column 2)"),
        (b"\xff", "not encoded in UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" + b"1" * 5_000 + b"]", "a number in it is too long"),
        (b"[]", "not an object"),
        (request(candidates=[{"id": "a", "title": "x", "url": "", "detected_date": "2024-06-01"}]), "candidates.0.detected_date: detected_date ohne Zeitzone"),
    ],
)  # fmt: skip
def test_wrong_request_is_one_sentence(given: str | bytes, said: str) -> None:
    done = run("-", given=given)
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("missing.json",), "missing.json cannot be read: no such file or directory"),
        ((str(EXAMPLE), "--fusion", "hot"), "--fusion is seed or bounded, not 'hot'"),
        ((str(EXAMPLE), "--as-of", "yesterday"), "--as-of is a date"),
    ],
)
def test_wrong_usage_is_one_sentence(arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert isinstance(done.exception, UsageError)
    assert said in str(done.exception)


def test_texts_of_candidates_cannot_steer_a_terminal() -> None:
    evil = {"id": "a\x1b[2J", "title": "x\x1b]0;owned\x07\nbest:", "url": "https://a\x1b.com"}
    done = run("-", given=request(candidates=[evil]))
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout
    assert done.stdout.count("best:\n") == 1


def test_nothing_left_is_said() -> None:
    done = run("-", given=request(candidates=[]))
    assert done.stdout.strip() == "coverage: No candidate was left."


def test_missing_corpus_is_a_note_and_a_flag(tmp_path: Path) -> None:
    done = run("-", "--corpus", str(tmp_path / "gone"), given=request())
    assert done.exit_code == 0
    assert "note: ranked without a corpus:" in done.stderr
    assert "note: the corpus is unavailable" in done.stdout
    assert ranking("-", "--corpus", str(tmp_path / "gone"), given=request()).flags.rag_unavailable


def test_corpus_is_compared_with_and_remembered(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for at, text in enumerate(("Our legal policy on employee data.", "GDPR compliance of employee data residency.", "Law and regulation of data residency.")):  # fmt: skip
        (docs / f"{at}.md").write_text(f"# Note {at}\n\n{text}\n", encoding="utf-8")
    first, second = (ranking("-", "--corpus", str(docs), given=request()) for _ in range(2))
    assert first.flags.debug["coverage"]["gaps"] == []
    assert first.coverage_delta == "Adds nothing that the corpus lacks."
    assert (first.flags.rag_cache_hit, second.flags.rag_cache_hit) == (False, True)


def test_submitted_result_waits_for_a_person() -> None:
    from veracity.retrieval.review import ReviewDesk

    done = run("-", "--submit", given=request())
    assert done.exit_code == 0, done.output
    with ReviewDesk.open() as desk:
        waiting = desk.list()
    assert [one.review_id for one in waiting] == [done.stdout.rsplit("approve ", 1)[1].strip()]


# --- with a language model


def test_model_scores_and_is_not_asked_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    scored = {"candidate_id": "a", "score": 77, "reason": "On topic", "facet_coverage": {"LEGAL": 0.9}}
    script = Script([call("score_candidates", items=[scored])])
    monkeypatch.setattr(
        "veracity.llm.model_specs.chosen_model", lambda _spec, config: RemoteModel.of(script.model, config)
    )
    first, second = (ranking("-", "--model", "test:scripted", given=request()) for _ in range(2))
    assert (first.ranked[0].score, first.ranked[0].reason) == (77, "On topic")
    assert first.flags.debug["llm"] == {"fallback": None, "cache_hit": False, "llm_items": 1}
    assert second.flags.debug["llm"] == {"fallback": None, "cache_hit": True, "llm_items": 1}


def test_model_that_does_not_answer_leaves_the_heuristic_and_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERACITY_RERANK_LLM_SECONDS", "2")
    asked = request(candidates=[{"id": "z", "title": "Legal policy", "url": "https://a.com/1"}])
    done = run("-", "--model", "http://127.0.0.1:9/v1#none", given=asked)
    assert done.exit_code == 0, done.output
    assert "note: the " in done.stdout
    assert "z: Has 1 of 5 words of the question" in done.stdout


def test_submitted_result_goes_to_the_database_that_is_named(tmp_path: Path) -> None:
    from veracity.retrieval.review import ReviewDesk

    done = run("-", "--submit", "--database", str(tmp_path / "mine.sqlite"), given=request())
    assert done.exit_code == 0, done.output
    with ReviewDesk.open(str(tmp_path / "mine.sqlite")) as desk:
        assert [review.review_id in done.stdout for review in desk.list()] == [True]
