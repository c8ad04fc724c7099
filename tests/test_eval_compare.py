"""Two evaluations side by side: what broke, what got better, and files that are none."""

from __future__ import annotations

import json
from importlib.metadata import version
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from each_case import each
from eval_samples import CASES, CODES, FIVE_MODES, NASTY, results, trial
from veracity.errors import UsageError
from veracity.evals.cases import EvalCase
from veracity.evals.compare import (
    RunComparison,
    compare,
    comparison_markdown,
    comparison_text,
    load_results,
    verdict_on,
)
from veracity.evals.records import EvalResults, Mode, TrialVerdict
from veracity.evals.report import write_report
from veracity.evals.summary import Tally, TallyKind, change

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def tally(letters: str) -> Tally:
    return Tally.of([trial("q", Mode.BOUND, run, letter) for run, letter in enumerate(letters, 1)])


def kinds(found: RunComparison) -> dict[tuple[str, Mode], TallyKind]:
    return {(each.case_id, each.mode): each.kind for each in found.changes}


def shown(found: RunComparison) -> str:
    console = Console(width=200, file=StringIO())
    with console.capture() as capture:
        console.print(comparison_text(found))
    return capture.get()


# --- one question


@each(
    ("before", "after", "kind"),
    [
        ("x", "a", TallyKind.BETTER),
        ("x", "r", TallyKind.BETTER),
        ("x", "t", TallyKind.BETTER),
        ("t", "a", TallyKind.BETTER),
        ("e", "r", TallyKind.BETTER),
        ("a", "x", TallyKind.BROKE),
        ("t", "x", TallyKind.BROKE),
        ("r", "a", TallyKind.BROKE),
        ("r", "e", TallyKind.BROKE),
        ("a", "t", TallyKind.WORSE),
        ("a", "e", TallyKind.WORSE),
        ("t", "e", TallyKind.CHANGED),
        ("x", "x", TallyKind.SAME),
    ],
)
def test_what_became_of_a_question(before: str, after: str, kind: TallyKind) -> None:
    assert change(tally(before), tally(after)) is kind


def test_every_pair_of_verdicts_has_one_meaning() -> None:
    for before, after in product(CODES, repeat=2):
        kind = change(tally(before), tally(after))
        broken = before != after and (before == "r" or after == "x")
        assert (kind is TallyKind.BROKE) == broken
        assert (kind is TallyKind.SAME) == (before == after)
        if kind is TallyKind.BETTER:
            assert change(tally(after), tally(before)) in (TallyKind.WORSE, TallyKind.BROKE)


@pytest.mark.parametrize(
    ("letters", "verdict", "said"),
    [
        ("r", TrialVerdict.RIGHT, "right"),
        ("rrr", TrialVerdict.RIGHT, "right 3/3"),
        ("rxr", TrialVerdict.RIGHT, "right 2/3, wrong 1/3"),
        ("rx", TrialVerdict.WRONG, "wrong 1/2, right 1/2"),
        ("rax", TrialVerdict.WRONG, "wrong 1/3, right 1/3, abstained 1/3"),
        ("aatr", TrialVerdict.ABSTAINED, "abstained 2/4, right 1/4, timeout 1/4"),
    ],
)
def test_most_runs_decide_and_the_worst_where_they_are_even(letters: str, verdict: TrialVerdict, said: str) -> None:
    assert tally(letters).verdict is verdict
    assert str(tally(letters)) == said


def test_the_same_verdict_in_fewer_runs_is_a_change_and_does_not_break() -> None:
    assert change(tally("rrr"), tally("rrx")) is TallyKind.CHANGED
    assert change(tally("rrx"), tally("rra")) is TallyKind.CHANGED
    assert change(tally("rx" * 2 + "r" * 2), tally("rxr")) is TallyKind.SAME
    assert change(tally("rrr"), tally("rxx")) is TallyKind.BROKE


# --- two evaluations


def test_an_evaluation_compared_with_itself_is_the_same() -> None:
    found = compare(results(FIVE_MODES), results(FIVE_MODES))
    assert set(kinds(found).values()) == {TallyKind.SAME}
    assert len(found.changes) == 30
    assert not found.broke
    assert found.notes == ()
    assert verdict_on(found) == "Nothing changed: 30 verdicts are the same."
    assert all(each.accuracy == each.wrong == each.p95_seconds == 0 for each in found.modes)


def test_what_was_read_back_compares_like_what_was_run(tmp_path: Path) -> None:
    made = results(FIVE_MODES)
    write_report(made, tmp_path)
    found = compare(made, load_results(tmp_path))
    assert found.notes == ()
    assert set(kinds(found).values()) == {TallyKind.SAME}


def test_each_question_is_compared_in_each_mode() -> None:
    before = results({Mode.HINTS: "xxar", Mode.BOUND: "rrrr"})
    after = results({Mode.HINTS: "raxr", Mode.BOUND: "rare"})
    found = compare(before, after)
    assert kinds(found) == {
        ("q01", Mode.HINTS): TallyKind.BETTER,
        ("q02", Mode.HINTS): TallyKind.BETTER,
        ("q03", Mode.HINTS): TallyKind.BROKE,
        ("q04", Mode.HINTS): TallyKind.SAME,
        ("q01", Mode.BOUND): TallyKind.SAME,
        ("q02", Mode.BOUND): TallyKind.BROKE,
        ("q03", Mode.BOUND): TallyKind.SAME,
        ("q04", Mode.BOUND): TallyKind.BROKE,
    }
    assert found.broke
    hints, bound = found.modes
    assert (hints.right, hints.wrong, hints.abstained) == (1, -1, 0)
    assert (bound.right, bound.abstained, bound.errors, bound.accuracy) == (-2, 1, 1, -0.5)


def test_better_alone_does_not_break() -> None:
    assert not compare(results({Mode.BOUND: "xat"}), results({Mode.BOUND: "arr"})).broke


def test_differences_of_rates_are_told_only_where_both_have_them() -> None:
    before, after = results({Mode.BASELINE: "r"}), results({Mode.BASELINE: "x"})
    (difference,) = compare(before, after).modes
    assert difference.repair_conversion_rate is None
    assert difference.pattern_compliance == -1.0


def test_other_models_sources_and_modes_are_told() -> None:
    before = results({Mode.HINTS: "rrrrrr", Mode.BOUND: "rrrrrr"}, model="small", source="a.duckdb")
    found = compare(before, results({Mode.BOUND: "rrrrrr"}, model="large", source="b.duckdb"))
    assert found.models_differ
    assert found.sources_differ
    assert found.notes == (
        "The models differ: small before, large now.",
        "The sources differ: a.duckdb before, b.duckdb now.",
        "Only run before, and not compared: mode hints.",
    )
    assert {mode for _case, mode in kinds(found)} == {Mode.BOUND}


def test_questions_that_only_one_has_or_that_say_something_else_are_told() -> None:
    other = EvalCase(id="q02", question="Wie hoch ist der Aufwand?", expected_answer_contains=("x",))
    new = EvalCase(id="q99", question="?", expected_answer_contains=("x",))
    before = results({Mode.BOUND: "rrr"}, cases=CASES[:3])
    found = compare(before, results({Mode.BOUND: "rrr"}, cases=(CASES[0], other, new)))
    assert found.questions_differ == ("q02",)
    assert found.only_before == ("q03",)
    assert found.only_after == ("q99",)
    assert [name for name, _mode in kinds(found)] == ["q01", "q02"]
    assert len(found.notes) == 3


def test_when_a_question_may_take_longer_it_is_still_the_same_question() -> None:
    slower = CASES[0].model_copy(update={"timeout": 90.0})
    assert (
        compare(results({Mode.BOUND: "r"}), results({Mode.BOUND: "r"}, cases=(slower, *CASES[1:]))).questions_differ
        == ()
    )


def test_what_was_not_finished_is_not_compared_and_that_is_told() -> None:
    found = compare(results({Mode.BOUND: "rrrrrr"}), results({Mode.BOUND: "rr"}))
    assert len(found.changes) == 2
    assert not found.broke
    assert found.notes == ("The evaluation now is incomplete: what it did not finish is not compared.",)


def test_nothing_in_common_is_told() -> None:
    found = compare(results({Mode.HINTS: "r"}), results({Mode.BOUND: "r"}))
    assert verdict_on(found) == "Nothing could be compared."
    assert "Nothing could be compared." in comparison_markdown(found)


def test_a_comparison_is_json_and_back() -> None:
    found = compare(results(FIVE_MODES), results({Mode.BOUND: ["xxx", "rrr"]}))
    data = json.loads(found.model_dump_json())
    assert data["broke"] is True
    assert data["changes"][0]["after"] == {"verdict": "wrong", "verdicts": {"wrong": 3}}
    assert RunComparison.model_validate_json(found.model_dump_json()) == found


def test_what_broke_is_read_first() -> None:
    found = compare(results({Mode.BOUND: "rxaert"}), results({Mode.BOUND: "xrterr"}))
    for text in (comparison_markdown(found), shown(found)):
        places = [text.index(heading) for heading in ("What broke", "What got worse", "What got better")]
        assert places == sorted(places)
        assert "right → wrong" in text or "| right | wrong |" in text
        assert "The answer says 12, expected is 152400" in text
        assert "Of 6 verdicts: 1 broke, 1 worse, 2 better, 0 changed otherwise, 2 same." in text
    assert "| bound | 33.3 % → 50.0 % (+16.7) | 2 → 3 | 1 → 0 | 1 | 1 | 1 | 6 |" in comparison_markdown(found)


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(NASTY))
def test_any_text_can_be_shown(text: str) -> None:
    case = EvalCase(id=text.strip()[:80] or "q", question=text[:2_000] or "?", expected_answer_contains=("x",))
    told: dict[str, Any] = dict.fromkeys(("model", "source", "questions", "veracity"), text)
    before = results({Mode.BOUND: "r"}, cases=(case,))
    found = compare(
        before, results({}, cases=(case,), trials=[trial(case.id, Mode.BOUND, 1, "x", reasons=(text,))], **told)
    )
    parsed = READER.parse(comparison_markdown(found))
    types = [inner.type for token in parsed for inner in (token, *(token.children or ()))]
    assert not {"html_block", "link_open", "image", "em_open", "code_inline", "fence", "hr"} & set(types)
    assert types.count("heading_open") == 3
    assert [types.count(kind) for kind in ("table_open", "tr_open")] == [3, 6 + 2 + 2]
    assert types.count("td_open") == 5 * 3 + 5 + 12
    assert all(line.isprintable() for line in shown(found).split("\n"))


# --- files


def test_results_are_read_by_file_or_folder(tmp_path: Path) -> None:
    write_report(results({Mode.BOUND: "rx"}), tmp_path)
    assert load_results(tmp_path) == load_results(tmp_path / "results.json")


def sentence(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        load_results(path)
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith(".")
    return said


def test_a_missing_file_is_one_sentence(tmp_path: Path) -> None:
    assert "cannot be read: no such file or directory; name a results.json" in sentence(tmp_path / "nowhere")
    assert "results.json cannot be read" in sentence(tmp_path)
    assert "there can be no such file" in sentence(Path("a\x00b"))


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe\x00", b'{"veracity": "0.1.0"', b"[" * 100_000])
def test_a_broken_file_is_one_sentence(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "results.json").write_bytes(raw)
    assert "is damaged: it is not valid JSON" in sentence(tmp_path)


@pytest.mark.parametrize("data", [None, 3, [], {}, {"veracity": "9.9.9"}, {"cases": [], "trials": []}])
def test_a_foreign_file_is_one_sentence(tmp_path: Path, data: object) -> None:
    (tmp_path / "baseline.json").write_text(json.dumps(data))
    assert "is not a result of veracity eval" in sentence(tmp_path / "baseline.json")


def stored(made: EvalResults, path: Path, **changes: Any) -> Path:
    path.write_text(json.dumps({**json.loads(made.model_dump_json()), **changes}))
    return path


def test_a_newer_file_says_to_update(tmp_path: Path) -> None:
    path = stored(results({Mode.BOUND: "r"}), tmp_path / "r.json", veracity="99.0.0", somethingNew=1)
    assert f"was written by Veracity 99.0.0, and this is {version('veracity')}: update Veracity" in sentence(path)


def test_a_newer_file_that_can_be_read_is_read(tmp_path: Path) -> None:
    assert load_results(stored(results({Mode.BOUND: "r"}), tmp_path / "r.json", veracity="99.0.0")).veracity == "99.0.0"


@pytest.mark.parametrize(
    "changes", [{"runs": "many"}, {"summaries": [{}]}, {"veracity": ["x"]}, {"extra": 1}, {"trials": {}}]
)
def test_a_damaged_file_says_where(tmp_path: Path, changes: dict[str, Any]) -> None:
    said = sentence(stored(results({Mode.BOUND: "r"}), tmp_path / "r.json", **changes))
    assert "is damaged, or of another version of Veracity" in said
    assert next(iter(changes)) in said


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(
    st.binary(max_size=200)
    | st.dictionaries(st.sampled_from(sorted(EvalResults.model_json_schema()["properties"])), JSON).map(
        lambda d: json.dumps(d).encode()
    )
)
def test_no_file_raises_anything_else(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_bytes(raw)
    with pytest.raises(UsageError):
        load_results(path)
