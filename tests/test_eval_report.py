"""Reports and plots: what people read after an evaluation, whatever the model said."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console
from rich.table import Table

from each_case import each
from eval_samples import CASES, FIVE_MODES, NASTY, results, summary, trial
from veracity.errors import UsageError
from veracity.evals.cases import EvalCase
from veracity.evals.compare import load_results
from veracity.evals.plots import plots
from veracity.evals.records import EvalResults, Mode
from veracity.evals.report import expected, failed_cases, failures_text, report_markdown, summary_table, write_report
from veracity.evals.writing import block, escaped, seconds, short

# Raw HTML is let through, so that a test sees what gets past the escaping.
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
SVG = "{http://www.w3.org/2000/svg}"
FILES = {"report.md", "results.json", "verdicts.svg", "rates.svg", "latency.svg"}
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(NASTY)


def tokens(page: str) -> list[Token]:
    """Every token, those inside of lines, too."""
    return [inner for token in READER.parse(page) for inner in (token, *(token.children or ()))]


def headings(page: str) -> list[str]:
    parsed = READER.parse(page)
    return [parsed[place + 1].content for place, token in enumerate(parsed) if token.type == "heading_open"]


def widths(page: str) -> list[set[int]]:
    """Of each table, how many cells its rows have."""
    found: list[set[int]] = []
    cells = 0
    for token in READER.parse(page):
        if token.type == "table_open":
            found.append(set())
        elif token.type in ("th_open", "td_open"):
            cells += 1
        elif token.type == "tr_close":
            found[-1].add(cells)
            cells = 0
    return found


def section(page: str, heading: str) -> str:
    return page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def nasty_results(text: str) -> EvalResults:
    """An evaluation in which everything that somebody else writes is this text."""
    case = EvalCase.model_validate(
        {"id": text.strip()[:80] or "q", "question": text[:2_000] or "?", "expectedAnswerContains": [text or "x"]}
    )
    trials = [trial(case.id, mode, 1, "x", text=text, reasons=(text, text)) for mode in (Mode.HINTS, Mode.BOUND)]
    told = dict.fromkeys(("model", "source", "questions", "command", "machine", "veracity", "currency"), text)
    return results({}, cases=(case,), trials=trials, summaries=(summary(Mode.HINTS, trials, cost=0.1),), **told)


def assert_inert(page: str, *, images: int) -> None:
    """Nothing but the report's own structure is in the page."""
    kinds = [token.type for token in tokens(page)]
    assert kinds.count("image") == images
    assert not {
        "html_block",
        "link_open",
        "s_open",
        "em_open",
        "code_inline",
        "code_block",
        "hr",
        "blockquote_open",
    } & set(kinds)
    assert {token.content for token in tokens(page) if token.type == "html_inline"} <= {"<span>", "</span>"}
    assert [rows for rows in widths(page) if len(rows) != 1] == []


def test_a_report_is_a_page_a_machine_file_and_three_plots(tmp_path: Path) -> None:
    made = results(FIVE_MODES)
    assert write_report(made, tmp_path / "deep" / "out") == tmp_path / "deep" / "out" / "report.md"
    assert {path.name for path in (tmp_path / "deep" / "out").iterdir()} == FILES
    read = load_results(tmp_path / "deep" / "out")
    assert read.model_dump_json() == made.model_dump_json()
    for name in re.findall(r"\]\((.*?)\)", (tmp_path / "deep" / "out" / "report.md").read_text()):
        assert name in FILES


def test_a_crash_while_writing_leaves_the_old_files_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_report(results({Mode.BOUND: "rrrrrr"}), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(_self: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UsageError, match="no space left on device; name another folder"):
        write_report(results({Mode.BOUND: "xxxxxx"}), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "out", tmp_path / "a\x00b"):
        with pytest.raises(UsageError, match="The report cannot be written to"):
            write_report(results({Mode.BOUND: "r"}), folder)


def test_results_that_json_cannot_hold_are_one_sentence(tmp_path: Path) -> None:
    broken = trial("q01", Mode.BOUND, 1, "r", text="half \ud800")
    with pytest.raises(UsageError, match="half a character"):
        write_report(results({}, trials=[broken]), tmp_path / "out")


def test_the_head_says_what_was_run_and_how_to_run_it_again() -> None:
    page = report_markdown(results(FIVE_MODES))
    assert page.startswith("# Evaluation of qwen2.5-coder-1.5b, 2026-11-15\n")
    for said in (
        "Linux x86_64, 2 cores",
        "trustee-v1.duckdb",
        "6 of trustee.yaml",
        "3 per question",
        "2026-11-15 11:50 UTC",
    ):
        assert said in page
    assert "```text\nveracity eval --model http://127.0.0.1:8181/v1 --runs 3\n```" in page
    assert "Incomplete" not in page


def test_trials_of_several_programs_are_told_apart() -> None:
    mixed = results({Mode.BOUND: ["r", "r"]})
    other = mixed.trials[0].model_copy(update={"program": "abc"})
    page = report_markdown(mixed.model_copy(update={"trials": (other, *mixed.trials[1:])}))
    assert "several versions of the program" in page
    assert "several versions of the program" not in report_markdown(mixed)


def test_an_incomplete_evaluation_says_so_before_anything_else() -> None:
    page = report_markdown(results({Mode.BASELINE: "rrx", Mode.BOUND: "r"}))
    assert page.splitlines()[2].startswith("> **Incomplete:** 4 of 12 trials are finished.")


def test_the_summary_has_a_row_per_mode() -> None:
    page = section(report_markdown(results(FIVE_MODES)), "Summary")
    assert "| baseline | 1 | 1 | **14** | 2 | 0 | 18 | 5.6 % ± 7.9 | 50.0 % | 1 |" in page
    assert "| bound | 15 | 3 | 0 | 0 | 0 | 18 | 83.3 % ± 0.0 | 100.0 % | 3 |" in page
    assert "| hints | 27.8 % | 0 | - | - | 36 | 36,000 / 900 | 12.0 / 13.0 |" in page
    assert "| bound | 83.3 % | 18 | 100.0 % (18 of 18) | 18 (15 mended) | 36 | 36,000 / 900 | 12.0 / 13.0 |" in page
    assert "cost" not in page


def test_deviation_and_consistency_are_told_of_several_runs_only_and_cost_where_it_is_known() -> None:
    once = [trial(case.id, Mode.ONTOLOGY, 1, "r") for case in CASES]
    paid = summary(Mode.ONTOLOGY, once, cost=0.0975, pattern_compliance=None)
    page = section(report_markdown(results({}, trials=once, summaries=(paid,), currency="CHF")), "Summary")
    assert "| ontology | 6 | 0 | 0 | 0 | 0 | 6 | 100.0 % | 0 |" in page
    assert "| ontology | - | 6 | 100.0 % (6 of 6) | 12 | 12,000 / 300 | 0.0975 | 11.0 / 11.0 |" in page
    assert "cost CHF" in page


def test_steps_say_what_each_mode_made_right_and_what_it_broke() -> None:
    page = section(report_markdown(results(FIVE_MODES)), "From mode to mode")
    assert "| baseline → hints | +22.2 | q01, q04 | - | - | q03 (timeout → wrong) |" in page
    assert "| hints → validator | +16.7 | - | q03, q06 | - | - |" in page
    assert "| ontology → bound | +0.0 | q06 | - | - | q04 (right → abstained) |" in page
    assert "| baseline → bound | +77.8 | q01, q02, q03, q05, q06 | q04 | - | - |" in page


def test_a_single_mode_has_no_steps() -> None:
    assert "From mode to mode" not in report_markdown(results({Mode.BOUND: "rrrrrr"}))


def test_failures_of_the_last_mode_come_first_and_wrong_before_abstained() -> None:
    made = results({Mode.BASELINE: "xxxxrr", Mode.BOUND: "raxerr"})
    assert [case.id for case in failed_cases(made)] == ["q03", "q04", "q02", "q01"]
    page = section(report_markdown(made), "Failures")
    assert [line[4:7] for line in page.splitlines() if line.startswith("### ")] == ["q03", "q04", "q02", "q01"]


def test_a_failure_says_what_was_asked_expected_said_and_wrong() -> None:
    page = section(report_markdown(results({Mode.BASELINE: "x", Mode.HINTS: "r", Mode.BOUND: "e"})), "Failures")
    assert "### q01: Was ist der Banksaldo per 31.12.2025?" in page
    assert (
        "Expected: 1020.closingBalance = 152400.0, 1021.closingBalance = 28100.0, “1020”, “CHF”; by queryTable on "
        "TrusteeDataAccountBalance with periodYear = 2025 and periodMonth = 0 and accountNumber LIKE 102%; never by aggregateTable"
    ) in page
    assert (
        "| baseline | **wrong** | “Der Saldo beträgt 152'400.00 CHF (x).” | The answer says 12, expected is 152400 |"
        in page
    )
    assert "| bound | error | - | The answer says 12, expected is 152400; The model cannot be reached. |" in page
    assert "Right in hints." in page


def test_modes_that_fail_in_the_same_way_share_a_row() -> None:
    page = section(report_markdown(results({Mode.BASELINE: "x", Mode.HINTS: "a", Mode.ONTOLOGY: "x"})), "Failures")
    assert "| baseline, ontology | **wrong** |" in page
    assert "| hints | abstained (false refusal) |" in page


def test_several_runs_show_the_worst_of_them_and_how_many_there_were() -> None:
    page = section(report_markdown(results({Mode.BOUND: ["rxr", "aar"]})), "Failures")
    assert "| bound | **right 2/3, wrong 1/3** | “Der Saldo beträgt 152'400.00 CHF (x).” |" in page
    assert "| bound | abstained 2/3, right 1/3 (false refusal) | - |" in page


def test_an_error_that_the_judge_tells_already_is_told_once() -> None:
    reason = "It was stopped after 60 s."
    page = report_markdown(results({}, trials=[trial("q01", Mode.BOUND, 1, "t", reasons=(reason,))]))
    assert page.count(reason) == 1


def test_nothing_failed_and_nothing_finished_are_said() -> None:
    assert "None: every question that was finished was right" in report_markdown(results({Mode.BOUND: "rrrrrr"}))
    empty = report_markdown(results({Mode.BOUND: ""}))
    assert "Nothing is finished." in empty
    assert "0 of 6 trials" in empty
    assert widths(empty)[-1] == {3}


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (CASES[1], "the row (5000, 1200.5)"),
        (CASES[2], "the rows of SELECT count(*) FROM c"),
        (CASES[4], "to say that the data do not hold it"),
        (CASES[5], "a question back"),
        (
            EvalCase(id="a", question="b", expected_rows=((1, None), (2, "x"), (3, True), (4, "y"), (5, "z"))),
            "the rows (1, NULL), (2, x), (3, True) and 2 more",
        ),
        (
            EvalCase.model_validate(
                {"id": "a", "question": "b", "expectedAnswerNumeric": {"n": {"value": "12.50", "unit": "CHF"}}}
            ),
            "n = 12.50 CHF",
        ),
        (
            EvalCase.model_validate(
                {"id": "a", "question": "b", "expectedAnswerNumeric": {"n": Decimal("1e99999999")}}
            ),
            "n = 1E+99999999",
        ),
    ],
)
def test_what_is_expected_is_one_line(case: EvalCase, said: str) -> None:
    assert expected(case) == said


def test_every_question_has_its_marks() -> None:
    by_chance = trial("q05", Mode.BOUND, 1, "r", pattern=False)
    made = results({Mode.BASELINE: ["x", "a", "t", "e"], Mode.BOUND: ["r"]}, trials=[by_chance])
    page = section(report_markdown(made), "All questions")
    assert "| q01 | Was ist der Banksaldo per 31.12.2025? | **✗** | ✓ |" in page
    assert "| q02 | Wie hoch ist der Aufwand für Löhne? | ○ | - |" in page
    assert "| q03 | How many customers are there? | T | - |" in page
    assert "| q04 | 2025年的咨询收入是多少？ | E | - |" in page
    assert "| q05 | Wie wird das Wetter in Zürich? | - | ≈ |" in page


def test_marks_of_runs_stand_side_by_side_until_they_are_too_many() -> None:
    page = section(report_markdown(results({Mode.BOUND: ["rxa", "rrrrxrr", "rrrrrrr"]})), "All questions")
    assert "| **✓✗○** |" in page
    assert "| ✓ 6/7 **✗ 1** |" in page
    assert "| ✓ 7/7 |" in page


def test_refusals_are_counted_by_code_and_mode() -> None:
    page = report_markdown(results(FIVE_MODES))
    assert "| INVALID_AGGREGATE_TARGET | - | - | 18 | 18 | 18 |" in section(page, "Why calls were refused")
    assert "| QUESTION_NOT_COVERED | - | - | - | - | 18 |" in section(page, "Why answers were sent back")
    assert "Why" not in report_markdown(results({Mode.BASELINE: "rrr"}))


def test_a_report_of_many_failures_stays_readable() -> None:
    cases = [EvalCase(id=f"q{number}", question="?", expected_answer_contains=("x",)) for number in range(250)]
    page = report_markdown(results({Mode.BOUND: "x" * 250}, cases=cases))
    assert page.count("\n### ") == 200
    assert "50 more questions failed; results.json has them." in page
    assert page.count("| **✗** |") == 250


@each("text", NASTY)
def test_nothing_that_a_model_or_a_file_says_can_break_out(text: str) -> None:
    page = report_markdown(nasty_results(text))
    assert_inert(page, images=3)
    expected_headings = ["Summary", "Failures", "All questions", "Why calls were refused", "Why answers were sent back"]
    assert [each for each in headings(page) if each in expected_headings] == expected_headings
    assert len(headings(page)) == len(expected_headings) + 2
    assert len(page) < 30_000


@settings(max_examples=30, deadline=None)
@given(ANY_TEXT)
def test_any_text_leaves_the_tables_of_a_report_whole(text: str) -> None:
    assert_inert(report_markdown(nasty_results(text)), images=3)


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT | st.text("|\\`*_[]()<>&#!~$^@:/.w a1\n", max_size=30))
def test_a_reader_sees_exactly_the_text(text: str) -> None:
    written = escaped(text)
    assert not re.search(r"[|\\\n]", written)
    shown = "".join(token.content for token in tokens(f"| x |\n|---|\n| “{written}” |") if token.type == "text")
    assert shown == f"x“{short(text, 300)}”"
    assert "://" not in written
    assert "www." not in written.lower()


def test_addresses_and_names_do_not_become_links_on_github() -> None:
    # GitHub looks for them after entities are read, so that only a tag in between keeps them apart.
    assert escaped("me@evil.example @all") == "me<span>&#64;</span>evil.example <span>&#64;</span>all"
    assert escaped("http://x www.x WWW.x") == "http&#58;//x www&#46;x WWW&#46;x"


def test_ordinary_texts_stay_readable_in_the_file() -> None:
    for text in ("Bankguthaben per 31.12.2025: 180'500.00 CHF.", "咨询收入：98'000", "Wie hoch? (x86_64, 50 %) – so!"):
        assert escaped(text) == text


def test_long_texts_are_cut_and_show_it() -> None:
    assert short("x" * 50, 10) == "x" * 9 + "…"
    assert short("x" + " " * 1_000 + "y", 10) == "x …"
    assert short("a\n\tb", 10) == "a b"
    assert len(escaped("y" * 10_000_000)) == 300


@pytest.mark.parametrize("command", ["a ``` b", "```````", "a\n```\n# b", ""])
def test_a_command_cannot_leave_its_block(command: str) -> None:
    page = "\n".join([*block(command), "after"])
    assert [token.type for token in READER.parse(page)] == ["fence", "paragraph_open", "inline", "paragraph_close"]


@pytest.mark.parametrize(
    ("value", "said"), [(0.0214, "0.021"), (0.5, "0.50"), (12.34, "12.3"), (612.4, "612"), (0, "0.000")]
)
def test_seconds_have_the_digits_that_matter(value: float, said: str) -> None:
    assert seconds(value) == said


def drawn(made: EvalResults) -> dict[str, ET.Element]:
    return {name: ET.fromstring(text) for name, text in plots(made).items()}


def test_plots_fit_a_page_and_are_labelled() -> None:
    for name, picture in drawn(results(FIVE_MODES)).items():
        assert int(picture.attrib["width"]) <= 830
        title = picture.find(f"{SVG}title")
        assert title is not None
        assert "qwen2.5-coder-1.5b" in (title.text or "")
        labels = {element.text for element in picture.iter(f"{SVG}text")}
        assert set(FIVE_MODES) <= labels, name


def test_a_bar_is_as_long_as_what_it_counts() -> None:
    picture = drawn(results({Mode.BOUND: "rrrxat"}))["verdicts.svg"]
    bars = [rect for rect in picture.iter(f"{SVG}rect") if rect.attrib.get("class") == "edge"]
    lengths = {(rect.findtext(f"{SVG}title") or "").split()[-1]: float(rect.attrib["width"]) for rect in bars}
    assert lengths["right"] == pytest.approx(3 * lengths["wrong"], abs=0.2)
    assert lengths["abstained"] == pytest.approx(lengths["timeout"], abs=0.2)
    assert sum(lengths.values()) == pytest.approx(626, abs=0.5)
    assert "3 of 6 right" in (bars[0].findtext(f"{SVG}title") or "")
    assert "error" not in lengths


def test_rates_have_whiskers_where_runs_differ_and_no_mark_where_nothing_was_repaired() -> None:
    picture = drawn(results({Mode.BASELINE: ["rr"], Mode.BOUND: ["rx"]}))["rates.svg"]
    assert len([line for line in picture.iter(f"{SVG}line") if line.attrib["class"] == "whisker"]) == 3
    tips = [group.findtext(f"{SVG}title") for group in picture.iter(f"{SVG}g")]
    assert "bound: accuracy 50.0 % ± 50.0" in tips
    assert "bound: repair conversion 100.0 %" in tips
    assert "baseline: repair conversion 0.0 %" not in tips


def test_nothing_finished_is_a_picture_that_says_so() -> None:
    for picture in drawn(results({Mode.BOUND: ""})).values():
        assert "Nothing is finished yet." in {element.text for element in picture.iter(f"{SVG}text")}


NUMBER = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, 1e-9, 0.3, 59.99, 1e300])


@settings(max_examples=80, deadline=None)
@given(ANY_TEXT, NUMBER, NUMBER, NUMBER, st.tuples(st.integers(0, 10_000), st.integers(0, 10_000)))
def test_any_text_and_number_draws_a_well_formed_picture_within_its_frame(
    text: str, rate: float, deviation: float, slow: float, counts: tuple[int, int]
) -> None:
    trials = [trial("q01", Mode.BOUND, 1, "r")]
    told = summary(
        Mode.BOUND, trials, accuracy=rate, accuracy_deviation=deviation, pattern_compliance=rate, p50_seconds=slow / 2,
        p95_seconds=slow, right=counts[0], wrong=counts[1],
    )  # fmt: skip
    for picture in drawn(results({}, trials=trials, model=text, summaries=(told,), runs=3)).values():
        for element in picture.iter(f"{SVG}rect"):
            start, width = float(element.attrib.get("x", 0)), float(element.attrib["width"])
            assert -20 <= start <= start + width <= 760
        for element in picture.iter(f"{SVG}text"):
            assert 0 <= float(element.attrib["x"]) <= 760


@settings(max_examples=100, deadline=None)
@given(st.floats(1e-6, 1e9))
def test_a_scale_reaches_the_slowest_and_has_few_values(slow: float) -> None:
    from veracity.evals.plots import _ticks

    ticks = _ticks(slow)
    assert ticks[0] == 0
    assert ticks[-1] >= slow * (1 - 1e-6)
    assert 2 <= len(ticks) <= 8


def shown(view: Table, width: int) -> str:
    console = Console(width=width, file=StringIO())
    with console.capture() as capture:
        console.print(view)
    return capture.get()


def test_the_terminal_table_fits_eighty_columns_and_leaves_out_zeros() -> None:
    text = shown(summary_table(results({Mode.BASELINE: "rrxxaa", Mode.ONTOLOGY: "rrrrrr"})), 80)
    assert re.search(r"^baseline +2 +2 +2 +6 +33\.3 % +33\.3 % +- +11\.0/11\.0", text, re.MULTILINE)
    assert re.search(r"^ontology +6 +0 +0 +6 +100\.0 % +100\.0 % +6 of 6 +11\.0/11\.0", text, re.MULTILINE)
    assert "timeout" not in text


def test_the_terminal_table_shows_timeouts_where_there_are_some() -> None:
    text = shown(summary_table(results({Mode.BOUND: "rrrtte"})), 120)
    assert re.search(r"bound +3 +0 +0 +2 +1 +6", text)


def test_the_last_lines_of_a_run_are_the_failures_of_the_last_mode_the_worst_first() -> None:
    assert failures_text(results({Mode.BASELINE: "xxxxxx", Mode.BOUND: "raxrrr"})).splitlines() == [
        "bound  q03  wrong  How many customers are there?",
        "    The answer says 12, expected is 152400",
        "    said: Der Saldo beträgt 152'400.00 CHF (x).",
        "bound  q02  abstained  Wie hoch ist der Aufwand für Löhne?",
        "    The answer says 12, expected is 152400",
        "baseline: 6 failed; the report has them",
    ]
    assert failures_text(results({Mode.BASELINE: "xr", Mode.BOUND: "rr"})).splitlines() == [
        "bound: nothing failed",
        "baseline: 1 failed; the report has them",
    ]
    assert failures_text(results({Mode.BOUND: ""})) == "Nothing is finished."


def test_what_a_reason_quotes_is_not_said_again() -> None:
    asked = trial(
        "q01",
        Mode.BOUND,
        1,
        "a",
        text="Um welche Tabelle geht es?",
        reasons=("asked back: Um welche Tabelle geht es?",),
    )
    assert failures_text(results({}, trials=[asked])).splitlines()[1:] == ["    asked back: Um welche Tabelle geht es?"]


def test_many_failures_are_counted() -> None:
    cases = [EvalCase(id=f"q{number}", question="?", expected_answer_contains=("x",)) for number in range(20)]
    lines = failures_text(results({Mode.BOUND: "x" * 20}, cases=cases)).splitlines()
    assert len(lines) == 8 * 3 + 1
    assert lines[-1] == "bound: 12 more"


@settings(max_examples=60, deadline=None)
@given(ANY_TEXT)
def test_nothing_that_a_model_says_steers_the_terminal(text: str) -> None:
    said = failures_text(nasty_results(text))
    assert all(line.isprintable() and len(line) < 300 for line in said.split("\n"))


def test_a_report_can_be_made_of_what_was_read_back(tmp_path: Path) -> None:
    write_report(results(FIVE_MODES, started_at=datetime(2026, 1, 2, tzinfo=UTC)), tmp_path / "a")
    write_report(load_results(tmp_path / "a"), tmp_path / "b")
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
