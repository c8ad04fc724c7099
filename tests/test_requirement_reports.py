"""Reports on a check: what each of them says, that SARIF is SARIF, and that no text of a document becomes markup."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openpyxl import Workbook

from veracity.requirements.baseline import load_baseline, write_baseline
from veracity.requirements.contracts import RULE_IDS, DuplicatePair, Judged, RequirementFinding, RuleSettings
from veracity.requirements.evaluate import judge
from veracity.requirements.improve import rewrite_requirement
from veracity.requirements.reading import RequirementDocument, open_documents
from veracity.requirements.reports import sarif
from veracity.requirements.reports.html import html_page, labels_in
from veracity.requirements.reports.report import CheckReport, build_report
from veracity.requirements.reports.sarif import sarif_log
from veracity.requirements.reports.text import check_lines, hundredths
from veracity.requirements.rules.rule import OF_A_MODEL, rule_infos

# The schema of the standard, as Microsoft's sarif-multitool 5.7.0 (MIT) ships it; its validator was run once, with GitHub's rules.
SCHEMA = Path(__file__).parent / "data" / "sarif-schema-2.1.0.json"
SETTINGS = RuleSettings()
TWO = "# Shop\n\n- R-1: Die Plattform muss schnell sein.\n- R-2: Das System muss die Rechnung drucken.\n"


def documents_of(folder: Path, text: str, name: str = "reqs.md") -> tuple[RequirementDocument, ...]:
    (folder / name).write_text(text, encoding="utf-8")
    return open_documents(folder / name)


def judged_of(documents: tuple[RequirementDocument, ...]) -> list[Judged]:
    return [judge(one, SETTINGS) for document in documents for one in document.requirements]


def report_of(documents: tuple[RequirementDocument, ...], **more: Any) -> CheckReport:
    return build_report(documents, judged_of(documents), SETTINGS, **more)


# --- the report itself


def test_stories_without_criteria_are_told_once_per_document(tmp_path: Path) -> None:
    stories = "".join(f"- US-{number}: As a clerk, I want to print list {number}.\n" for number in range(1, 5))
    documents = documents_of(tmp_path, f"# Stories\n\n{stories}")
    report = report_of(documents)
    assert report.scorecard.findings["NOAC"] == 1
    told = [one for one in report.requirements[0].findings if one.rule == "NOAC"]
    assert told[0].message == "No acceptance criteria (the same holds for 3 more here)"
    assert {one.score for one in report.requirements} == {0.92}
    assert write_baseline(tmp_path / "known.json", judged_of(documents)) >= 4


def test_every_finding_has_the_place_of_its_words(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, TWO)
    [first, second] = report_of(documents).requirements
    lines = (tmp_path / "reqs.md").read_text(encoding="utf-8").splitlines()
    assert second.findings == ()
    for finding in first.findings:
        assert finding.end is not None
        assert (finding.place.line, finding.end.line) == (3, 3)
        start, end = (finding.place.column or 0) - 1, (finding.end.column or 0) - 1
        assert lines[2][start:end] == finding.text == "schnell"


def test_finding_over_a_line_break_ends_in_the_second_line(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, "- R-1: The list shall be printed in a timely\n  manner.\n")
    [one] = report_of(documents).requirements
    [vague] = [finding for finding in one.findings if finding.rule == "VAGUE"]
    assert vague.end is not None
    assert (vague.place.line, vague.end.line, vague.end.column) == (1, 2, 9)


def test_scorecard_counts_and_averages(tmp_path: Path) -> None:
    card = report_of(documents_of(tmp_path, TWO)).scorecard
    assert (card.requirements, card.passed, card.failed, card.fail_under) == (2, 1, 1, 0.7)
    assert card.score == pytest.approx((0.41 + 1.0) / 2, abs=0.01)
    assert card.criteria["clarity"] == 0.65
    assert card.findings == {"NOMETRIC": 1, "QUALPRED": 1, "VAGUE": 1}


def test_baseline_excuses_what_it_knows_and_nothing_else(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, TWO + "- R-3: The app should be modern.\n")
    known = tmp_path / "known.json"
    write_baseline(known, judged_of(documents)[:1])
    report = report_of(documents, baseline=load_baseline(known))
    assert [one.excused for one in report.requirements] == [True, False, False]
    assert report.scorecard.known == 3
    assert report.scorecard.failed == 1
    assert "VAGUE" in report.scorecard.findings


def test_what_a_model_adds_does_not_lift_the_excuse_of_a_baseline(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, TWO)
    judged = judged_of(documents)
    write_baseline(tmp_path / "known.json", judged)
    read = judged[0].model_copy(update={"findings": (*judged[0].findings, _models(judged[0], "Plattform"))})
    report = build_report(documents, [read, judged[1]], SETTINGS, baseline=load_baseline(tmp_path / "known.json"))
    assert report.scorecard.failed == 0
    assert [finding.rule for finding in report.requirements[0].fresh] == ["MODEL"]


def _models(judged: Judged, words: str) -> RequirementFinding:
    start = judged.requirement.text.index(words)
    return RequirementFinding(
        rule="MODEL",
        severity="info",
        span=(start, start + len(words)),
        text=words,
        message="Welche Plattform?",
        source="model",
    )


def test_json_of_a_report_reads_back(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, TWO)
    rewrite = asyncio.run(rewrite_requirement(documents[0].requirements[0].text, name="R-1"))
    report = report_of(documents, rewrites={"R-1": rewrite}, duplicates=[])
    written = json.loads(report.model_dump_json())
    assert written["requirements"][0]["evaluation"][0].keys() == {"criterion", "score", "passed", "feedback"}
    assert written["requirements"][0]["rewrite"]["correctedText"] == rewrite.corrected_text
    assert CheckReport.model_validate_json(report.model_dump_json()) == report


# --- text


def test_text_has_places_that_editors_open_and_a_summary_at_the_end(tmp_path: Path) -> None:
    lines = list(check_lines(report_of(documents_of(tmp_path, TWO))))
    assert lines[0] == "R-1  0.41 fail  clarity 0.30, testability 0.49, measurability 0.45"
    assert lines[1] == "  Die Plattform muss schnell sein."
    assert f"  {tmp_path}/reqs.md:3:27: warning VAGUE: Schwammige Formulierung: 'schnell' ist nicht messbar" in lines
    assert not any(line.startswith("R-2") for line in lines)
    assert lines[-2].startswith("2 requirements: 1 pass, 1 below 0.70; mean 0.7")
    assert lines[-1] == "3 findings: NOMETRIC 1, QUALPRED 1, VAGUE 1"


def test_hints_in_what_passes_are_counted_and_shown_with_everything(tmp_path: Path) -> None:
    report = report_of(documents_of(tmp_path, "- R-1: The system shall print all invoices as PDF files.\n"))
    assert any("1 hint in requirements that pass not shown; --all" in line for line in check_lines(report))
    everything = list(check_lines(report, everything=True))
    assert any("info    ABS" in line for line in everything)
    assert not any("--all" in line for line in everything)


def test_words_in_question_get_the_tone_of_their_severity(tmp_path: Path) -> None:
    report = report_of(documents_of(tmp_path, "- R-1: The session shall end after TBD minutes.\n"))
    lines = list(check_lines(report, paint=lambda text, tone: f"<{tone}:{text}>"))
    assert lines[1] == "  The session shall end after <error:TBD> minutes."


def test_similarity_is_cut_so_that_a_band_is_never_crossed() -> None:
    assert [hundredths(share) for share in (0.899, 0.9, 0.57, 0.29, 1.0)] == ["0.89", "0.90", "0.57", "0.29", "1.00"]


def test_text_of_a_document_cannot_steer_a_terminal(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, "- R-1: The \x1b[2J app must be \x07 fast.\n")
    assert not any("\x1b" in line or "\x07" in line for line in check_lines(report_of(documents)))


def test_models_words_and_doubts_are_marked_as_such(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, TWO)
    report = build_report(documents, [_read_along(judged_of(documents)[0]), judged_of(documents)[1]], SETTINGS)
    told = "\n".join(check_lines(report))
    assert "MODEL (model): Welche Plattform?" in told
    assert "VAGUE (the model disagrees): " in told
    assert "NOMETRIC (the model agrees): " in told
    page = html_page(report)
    for label in (labels_in("de")["model"], labels_in("de")["disputed"], labels_in("de")["confirmed"]):
        assert page.count(f">{label}<") == 1


def _read_along(judged: Judged) -> Judged:
    """With a model that adds one finding, disputes one and confirms one."""
    said = {"VAGUE": {"disputed": True}, "NOMETRIC": {"confirmed": True}}
    told = [one.model_copy(update=said.get(one.rule, {})) for one in judged.findings]
    return judged.model_copy(update={"findings": (*told, _models(judged, "Plattform"))})


# --- SARIF


def valid(log: dict[str, Any]) -> dict[str, Any]:
    """The run of a log that keeps to the schema of the standard and to what GitHub wants beyond it."""
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(log)
    [run] = log["runs"]
    for rule in run["tool"]["driver"]["rules"]:
        assert rule.keys() >= {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration"}
        assert rule["help"]["text"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["partialFingerprints"]["primaryLocationLineHash"]
        [location] = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1
    return dict(run)


def test_sarif_keeps_to_the_standard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = TWO + "- R-3: Passwords are TBD.\n- R-4: The system shall print all invoices.\n"
    (tmp_path / "reqs.md").write_text(text, encoding="utf-8")
    documents = open_documents("reqs.md")
    run = valid(sarif_log(report_of(documents), documents))
    levels = {result["ruleId"]: result["level"] for result in run["results"]}
    assert (levels["TBD"], levels["VAGUE"], levels["ABS"]) == ("error", "warning", "note")
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "reqs.md", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 3, "startColumn": 27, "endLine": 3, "endColumn": 34}


def test_schema_is_not_satisfied_by_anything() -> None:
    validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert not validator.is_valid({"version": "2.1.0", "runs": [{}]})
    assert not validator.is_valid({"version": "2.0.0", "runs": []})


def test_every_rule_has_help_in_both_languages() -> None:
    assert set(rule_infos()) == {*RULE_IDS, OF_A_MODEL}
    assert all(known.title["de"] and known.title["en"] and known.why for known in rule_infos().values())


def test_columns_are_counted_in_code_units(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, "- R-1: 😀😀 The app must be fast.\n")
    run = valid(sarif_log(report_of(documents), documents))
    [region] = {json.dumps(one["locations"][0]["physicalLocation"]["region"]) for one in run["results"]}
    line = (tmp_path / "reqs.md").read_text(encoding="utf-8").splitlines()[0].encode("utf-16-le")
    start, end = (json.loads(region)[key] - 1 for key in ("startColumn", "endColumn"))
    assert line[2 * start : 2 * end].decode("utf-16-le") == "fast"


def test_fingerprints_stay_when_lines_move_and_differ_for_the_same_words_twice(tmp_path: Path) -> None:
    text = "- R-1: The app must be fast and the page must be fast.\n"
    one, other = (documents_of(tmp_path, above + text) for above in ("", "# Title\n\nSome words.\n\n"))
    first, moved = (
        [result["partialFingerprints"] for result in sarif_log(report_of(each), each)["runs"][0]["results"]]
        for each in (one, other)
    )
    assert first == moved
    assert len({mark["primaryLocationLineHash"] for mark in first}) == len(first)


def test_known_findings_are_suppressed_and_others_are_not(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, TWO + "- R-3: The app should be modern.\n")
    write_baseline(tmp_path / "known.json", judged_of(documents)[:1])
    report = report_of(documents, baseline=load_baseline(tmp_path / "known.json"))
    results = valid(sarif_log(report, documents, baseline="known.json"))["results"]
    suppressed = {one["properties"]["requirement"] for one in results if "suppressions" in one}
    assert suppressed == {"R-1"}
    assert {one["properties"]["requirement"] for one in results if "suppressions" not in one} == {"R-3"}


def test_finding_in_a_workbook_points_to_its_row(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ("ID", "Requirement"),
        ("R-1", "The system shall print the invoice."),
        ("R-2", "The app must be fast."),
    ):
        sheet.append(row)
    book.save(tmp_path / "reqs.xlsx")
    documents = open_documents(tmp_path / "reqs.xlsx")
    result = valid(sarif_log(report_of(documents), documents))["results"][0]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "B3"


def test_file_elsewhere_has_a_uri_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    documents = documents_of(tmp_path, TWO, "mit Umlaut ä.md")
    monkeypatch.chdir(tmp_path / "here")
    run = valid(sarif_log(report_of(documents), documents))
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": f"file://{tmp_path}/mit%20Umlaut%20%C3%A4.md"}


def test_texts_are_neither_placeholders_nor_links(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, "- R-1: The session shall end after [TBD](1) {0} minutes.\n")
    texts = [result["message"]["text"] for result in valid(sarif_log(report_of(documents), documents))["results"]]
    assert not any("[TBD](" in text.replace("\\[TBD](", "") for text in texts)
    assert not any("{0}" in text.replace("{{0}}", "") for text in texts)


def test_more_than_github_takes_keeps_the_errors_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 2)
    documents = documents_of(tmp_path, TWO + "- R-3: The session shall end after TBD minutes.\n")
    run = valid(sarif_log(report_of(documents), documents))
    assert [result["ruleId"] for result in run["results"]][-1] == "TBD"
    assert len(run["results"]) == 2
    [note] = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"] == "2 findings were left out: a file may hold 2."


def test_models_finding_has_a_rule_of_its_own(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, TWO)
    judged = judged_of(documents)
    run = valid(sarif_log(build_report(documents, [_read_along(judged[0]), judged[1]], SETTINGS), documents))
    by_rule = {result["ruleId"]: result for result in run["results"]}
    assert by_rule["MODEL"]["properties"]["source"] == "model"
    assert by_rule["VAGUE"]["properties"]["disputed"] is True
    assert "disputed" not in by_rule["QUALPRED"]["properties"]


# --- HTML


class Page(HTMLParser):
    """What a browser would see: tags, what they load, and the marked words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.marked: list[str] = []
        self.shown: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.shown.append(data)
        if self._open and self._open[-1] == "mark":
            self.marked.append(data)


def page_of(documents: tuple[RequirementDocument, ...], **more: Any) -> Page:
    return Page(html_page(report_of(documents, **more), made_on=date(2026, 11, 15)))


def test_page_shows_scores_marked_words_rewrites_duplicates_and_questions(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, TWO)
    rewrite = asyncio.run(rewrite_requirement(documents[0].requirements[0].text, name="R-1"))
    pair = DuplicatePair(req1_idx=0, req2_idx=1, similarity=0.9, reason="Beide drucken.", band="same")
    page = page_of(documents, rewrites={"R-1": rewrite}, duplicates=[pair])
    shown = "".join(page.shown)
    assert "0.41 nicht bestanden" in shown
    assert page.marked[0] == "schnell"
    assert "[Rolle?]" in page.marked
    assert rewrite.assumptions[0].question in shown
    assert "Beide drucken." in shown
    assert "2026-11-15" in shown


def test_page_says_what_there_is_not(tmp_path: Path) -> None:
    documents = documents_of(tmp_path, "- R-1: The system shall print the invoice.\n")
    shown = "".join(page_of(documents, duplicates=[]).shown)
    for said in (labels_in("en")["nothing"], labels_in("en")["no_duplicates"], labels_in("en")["no_questions"]):
        assert said in shown
    assert labels_in("en")["not_compared"] in "".join(page_of(documents).shown)


def test_page_loads_nothing(tmp_path: Path) -> None:
    page = page_of(documents_of(tmp_path, TWO + "- R-3: See <https://example.com/x.js> which must be fast.\n"))
    assert not {"script", "link", "img", "iframe", "object", "form"} & set(page.tags)
    assert not any(name in ("src", "srcset", "action") or name.startswith("on") for name, _ in page.attributes)
    assert all(value is not None and value.startswith("#") for name, value in page.attributes if name == "href")
    css = (Path(sarif.__file__).parent / "report.css").read_text(encoding="utf-8")
    assert "url(" not in css
    assert "@import" not in css


def test_no_text_of_a_document_becomes_markup(tmp_path: Path) -> None:
    evil = '<script>alert(1)</script> <img src=x onerror="alert(1)"> must be fast & "modern"'
    documents = documents_of(
        tmp_path, f'ID,Requirement\n"<b>R-1</b>","{evil.replace(chr(34), chr(34) * 2)}"\n', "r.csv"
    )
    rewrite = asyncio.run(rewrite_requirement(evil, name="<b>R-1</b>"))
    page = page_of(documents, rewrites={"<b>R-1</b>": rewrite})
    assert not {"script", "img"} & set(page.tags)
    assert "<script>alert(1)</script>" in "".join(page.shown)
    assert "<b>R-1</b>" in "".join(page.shown)


def test_page_of_a_long_document_says_what_it_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veracity.requirements.reports.html.MOST_CARDS", 1)
    documents = documents_of(
        tmp_path, TWO + "- R-3: Die App muss modern sein.\n- R-4: Das System muss die Rechnung drucken.\n"
    )
    shown = "".join(page_of(documents).shown)
    assert shown.count("1 weitere stehen nicht hier") == 2
