"""`veracity requirements check | suggest | duplicates`: as a person, an editor and a pipeline meet them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest
from openpyxl import Workbook
from pydantic_ai.messages import ToolCallPart
from typer.testing import CliRunner, Result

from command_line import veracity
from scripted import Script, call
from veracity.cli import app
from veracity.errors import ModelError, SourceError, UsageError, VeracityError
from veracity.llm.provider import RemoteModel
from veracity.requirements.reports.report import CheckReport

SHOP = """\
# Shop

- R-1: Die Plattform muss schnell sein.
- R-2: Das System muss Suchanfragen innerhalb von 2 Sekunden beantworten.
- R-3: Das System sollte ggf. Berichte drucken.
"""
FINE = "- R-1: Das System muss Suchanfragen innerhalb von 2 Sekunden beantworten.\n"


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all of them: what was embedded once is not embedded again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERACITY_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with one document."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reqs.md").write_text(SHOP, encoding="utf-8")
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["requirements", *arguments])


def refused(*arguments: str) -> str:
    """What a person is told; the program ends with exit code 2 then."""
    done = run(*arguments)
    assert isinstance(done.exception, VeracityError), done.output
    return str(done.exception)


def report(*arguments: str) -> CheckReport:
    done = run("check", *arguments, "--format", "json")
    assert done.exit_code in (0, 1), done.output
    return CheckReport.model_validate_json(done.stdout)


# --- check


def test_check_tells_id_score_verdict_place_words_and_what_to_do(folder: Path) -> None:
    done = run("check", "reqs.md")
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "R-1  0.41 fail  clarity 0.30, testability 0.49, measurability 0.45"
    assert "  reqs.md:3:27: warning VAGUE: Schwammige Formulierung: 'schnell' ist nicht messbar" in lines
    assert "      -> 'schnell' durch eine Angabe ersetzen, die sich prüfen lässt, oder im Glossar festlegen." in lines
    assert lines[-2].startswith("3 requirements: 1 pass, 2 below 0.70")


def test_fine_document_ends_with_0(folder: Path) -> None:
    (folder / "fine.md").write_text(FINE, encoding="utf-8")
    done = run("check", "fine.md")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].startswith("1 requirement: 1 pass, 0 below 0.70; mean 1.00")


def test_mark_decides_what_fails(folder: Path) -> None:
    assert [one.verdict for one in report("reqs.md").requirements] == ["fail", "pass", "fail"]
    assert [one.verdict for one in report("reqs.md", "--fail-under", "0.4").requirements] == ["pass", "pass", "pass"]
    assert run("check", "reqs.md", "--fail-under", "0.4").exit_code == 0
    assert run("check", "reqs.md", "--fail-under", "1").exit_code == 1
    assert [run("check", "reqs.md", "--fail-under", wrong).exit_code for wrong in ("nan", "70", "-1")] == [2, 2, 2]


def test_files_and_folders_go_together_and_a_file_counts_once(folder: Path) -> None:
    (folder / "more").mkdir()
    (folder / "more" / "other.txt").write_text("R-1: The app shall print.\n", encoding="utf-8")
    found = report("reqs.md", "more", "./reqs.md")
    assert found.files == ("reqs.md", "more/other.txt")
    assert {one.requirement.id for one in found.requirements} == {"reqs.md:R-1", "more/other.txt:R-1", "R-2", "R-3"}


def test_column_and_form_can_be_given(folder: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("Key", "Notes", "Wish"), ("A-1", "nothing", "The app must be fast."), ("A-2", "-", "The app shall print.")):  # fmt: skip
        sheet.append(row)
    book.save(folder / "book.xlsx")
    found = report("book.xlsx", "--column", "Wish")
    assert [one.requirement.text for one in found.requirements] == ["The app must be fast.", "The app shall print."]
    assert "book.xlsx:C2: warning VAGUE" in run("check", "book.xlsx", "--column", "Wish").stdout
    (folder / "reqs.dat").write_text(SHOP, encoding="utf-8")
    assert len(report("reqs.dat", "--as", "markdown").requirements) == 3


def test_language_and_rules_can_be_set(folder: Path) -> None:
    (folder / "rules.yaml").write_text("rules: {VAGUE: off}\nglossary: [schnell]\n", encoding="utf-8")
    assert report("reqs.md", "--config", "rules.yaml").requirements[0].findings == ()
    assert {one.requirement.lang for one in report("reqs.md", "--lang", "en").requirements} == {"en"}


def test_baseline_lets_through_what_was_there_and_not_what_is_new(folder: Path) -> None:
    written = run("check", "reqs.md", "--write-baseline", "known.json")
    assert written.exit_code == 0
    assert "findings written to known.json" in written.stdout
    again = run("check", "reqs.md", "--baseline", "known.json")
    assert again.exit_code == 0
    assert "2 below it and known" in again.stdout
    (folder / "reqs.md").write_text(f"Ein Satz davor.\n\n{SHOP}- R-4: Die App muss modern sein.\n", encoding="utf-8")
    new = run("check", "reqs.md", "--baseline", "known.json")
    assert new.exit_code == 1
    assert "'modern'" in new.stdout
    assert "'schnell'" not in new.stdout


def test_sarif_and_html_are_written_to_a_file_and_summed_up(folder: Path) -> None:
    done = run("check", "reqs.md", "--format", "sarif", "--out", "found.sarif")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, "written to found.sarif")
    log = json.loads((folder / "found.sarif").read_text(encoding="utf-8"))
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "reqs.md"
    run("check", "reqs.md", "--format", "html", "--out", "found.html", "--no-duplicates")
    page = (folder / "found.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "[Rolle?]" in page


def test_json_has_rewrites_and_duplicates_when_they_are_wanted(folder: Path) -> None:
    bare = report("reqs.md")
    assert bare.duplicates is None
    assert bare.requirements[0].rewrite is None
    full = report("reqs.md", "--rewrites", "--duplicates")
    assert full.duplicates == ()
    assert [one.rewrite is not None for one in full.requirements] == [True, False, True]


def test_page_of_very_many_requirements_looks_for_no_duplicates_unasked(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veracity.cli.requirements.check._MOST_COMPARED", 2)
    page = run("check", "reqs.md", "--format", "html").stdout
    assert "Duplicates were not looked for among more than 2; --duplicates does." in page


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        (("missing.md",), SourceError, "missing.md cannot be read: no such file or directory"),
        (("empty.md",), SourceError, "empty.md"),
        (("torn.md",), SourceError, "torn.md"),
        (("reqs.md", "--format", "pdf"), UsageError, "--format is text, json, sarif or html, not 'pdf'."),
        (("reqs.md", "--rewrites"), UsageError, "--rewrites needs --format json or html"),
        (("no\0such",), SourceError, "cannot be read"),
        (("reqs.md", "--out", "no\0such"), UsageError, "cannot be written: there can be no such file"),
        (("reqs.md", "--as", "word"), UsageError, "--as is text, markdown"),
        (("reqs.md", "--lang", "fr"), UsageError, "--lang is de or en, not 'fr'."),
        (("reqs.md", "--config", "bad.yaml"), UsageError, "VAGEU"),
        (("reqs.md", "--baseline", "reqs.md"), UsageError, "is not a baseline file"),
        (("reqs.md", "--baseline", "gone.json"), UsageError, "write a baseline first"),
        (("reqs.md", "--out", "no/such/folder/x"), UsageError, "cannot be written: no such file or directory"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    folder: Path, arguments: tuple[str, ...], kind: type[VeracityError], said: str
) -> None:
    (folder / "empty.md").write_text("", encoding="utf-8")
    (folder / "torn.md").write_bytes(b"\xff\xfe- R-1: \x00\xd8")
    (folder / "bad.yaml").write_text("rules: {VAGEU: off}\n", encoding="utf-8")
    done = run("check", *arguments)
    assert isinstance(done.exception, kind), done.output
    assert said in str(done.exception)


def test_program_ends_with_2_and_without_a_traceback_when_a_file_cannot_be_read(folder: Path) -> None:
    for arguments in (("check", "missing.md"), ("duplicates",)):
        done = veracity("requirements", *arguments)
        assert done.returncode == 2
        assert "Traceback" not in done.stderr
        assert done.stderr


def test_long_document_is_checked_quickly(folder: Path) -> None:
    lines = [f"- R-{number}: Das System muss Suchanfrage {number} schnell beantworten." for number in range(2_000)]
    (folder / "long.md").write_text("\n".join(lines), encoding="utf-8")
    started = process_time()
    assert report("long.md").scorecard.requirements == 2_000
    assert process_time() - started < 6


def test_encoding_that_is_not_utf_8_is_read_and_noted(folder: Path) -> None:
    (folder / "old.txt").write_bytes("R-1: Die Prüfung muss schnell sein.\n".encode("cp1252"))
    done = run("check", "old.txt")
    assert "Die Prüfung muss schnell sein." in done.stdout
    assert done.stderr.startswith("note: old.txt: ")


@pytest.mark.parametrize("form", ["text", "json", "sarif", "html"])
def test_half_characters_in_texts_and_file_names_break_no_report(folder: Path, form: str) -> None:
    (folder / "tree").mkdir()
    (folder / "tree" / ".doorstop.yml").write_text("settings: {digits: 3, prefix: REQ, sep: ''}\n", encoding="utf-8")
    (folder / "tree" / "REQ001.yml").write_text('text: "The app must be \\uD800 fast."\n', encoding="utf-8")
    with Path(os.fsdecode(b"tree/odd-\xff.md")).open("w", encoding="utf-8") as file:
        file.write("- REQ001: The app must be fast.\n")
    done = run("check", "tree", "--format", form, "--no-duplicates")
    assert done.exit_code == 1, done.output
    assert "The app must be \N{REPLACEMENT CHARACTER}" in done.stdout or form == "sarif"
    assert "odd-\N{REPLACEMENT CHARACTER}.md" in done.stdout


@pytest.mark.parametrize("option", ["--out", "--write-baseline"])
@pytest.mark.parametrize("target", ["reqs.md", "./reqs.md", "link.md"])
def test_report_is_never_written_over_what_is_read(folder: Path, option: str, target: str) -> None:
    (folder / "link.md").symlink_to("reqs.md")
    assert refused("check", "reqs.md", option, target) == f"{target} is what is read here; name another file to write."
    assert (folder / "reqs.md").read_text(encoding="utf-8") == SHOP


@pytest.mark.parametrize(("target", "why"), [("nope/x.html", "no such file"), (".", "it is a folder")])
def test_report_that_cannot_be_written_is_told_before_a_model_reads(folder: Path, target: str, why: str) -> None:
    assert why in refused("check", "reqs.md", "--out", target, "--model", "http://127.0.0.1:9/v1#none")


def test_document_can_come_from_standard_input(folder: Path) -> None:
    done = CliRunner().invoke(app, ["requirements", "check", "-", "--format", "json"], input=SHOP)
    read = CheckReport.model_validate_json(done.stdout)
    assert (read.files, [one.score for one in read.requirements]) == (
        ("stdin",),
        [one.score for one in report("reqs.md").requirements],
    )
    assert read.requirements[0].findings[0].place.model_dump() == {
        "path": "stdin",
        "line": 3,
        "column": 27,
        "cell": None,
    }
    table = CliRunner().invoke(
        app, ["requirements", "suggest", "-", "--as", "csv"], input="ID,Text\nA-1,The app must be fast\n"
    )
    assert table.stdout.startswith("A-1  stdin:2:5")
    empty = CliRunner().invoke(app, ["requirements", "check", "-"], input="")
    assert str(empty.exception).startswith("stdin is empty")


def test_text_that_shows_no_language_is_read_in_that_of_its_document(folder: Path) -> None:
    (folder / "reqs.md").write_text(f"{SHOP}- R-4: TBD\n- R-5: The app must be fast.\n", encoding="utf-8")
    assert [one.requirement.lang for one in report("reqs.md").requirements] == ["de", "de", "de", "de", "en"]
    assert {one.requirement.lang for one in report("reqs.md", "--lang", "en").requirements} == {"en"}
    (folder / "alone.md").write_text("- R-4: TBD\n", encoding="utf-8")
    assert [one.requirement.lang for one in report("alone.md").requirements] == ["en"]


# --- check with a language model


def test_model_reads_along_and_what_it_quotes_lowers_a_score(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script([call("answer", confirmed="2", disputed="1", added="Das System => Welches System ist gemeint")])
    monkeypatch.setattr("veracity.llm.model_specs.chosen_model", lambda _spec: RemoteModel.of(script.model))
    plain, read = report("reqs.md"), report("reqs.md", "--model", "test:scripted")
    quoted = [any(one.source == "model" for one in requirement.findings) for requirement in read.requirements]
    assert quoted == [False, True, True]
    for before, after, lower in zip(plain.requirements, read.requirements, quoted, strict=True):
        assert (after.score < before.score) is lower
    assert script.said == 3
    assert [finding.disputed for finding in read.requirements[0].findings] == [True, False, False]
    assert [finding.confirmed for finding in read.requirements[0].findings] == [False, True, False]
    added = [finding for finding in read.requirements[1].findings if finding.source == "model"]
    assert [(finding.text, finding.place.column) for finding in added] == [("Das System", 8)]


def test_model_that_cannot_be_reached_is_one_sentence(folder: Path) -> None:
    said = refused("check", "reqs.md", "--model", "http://127.0.0.1:9/v1#none")
    assert "127.0.0.1:9" in said


def test_what_a_model_did_not_read_is_said_and_the_rest_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def away(_told: object) -> list[ToolCallPart]:
        nonlocal asked
        asked += 1
        if asked == 2:
            raise ModelError("The model took too long.")
        return [call("answer", confirmed="1", disputed="", added="")]

    monkeypatch.setattr("veracity.llm.model_specs.chosen_model", lambda _spec: RemoteModel.of(Script(away).model))
    read = report("reqs.md", "--model", "test:scripted")
    assert sorted(one.model or "" for one in read.requirements) == ["not_read", "read", "read"]
    (missed,) = [one.requirement.id for one in read.requirements if one.model == "not_read"]
    assert read.notes == (
        f"The model did not read 1 of 3 requirements ({missed}): The model took too long. There, only the rules have spoken.",
    )


def test_what_a_model_said_unreadably_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veracity.llm.model_specs.chosen_model", lambda _spec: RemoteModel.of(Script("Fine!").model))
    read = report("reqs.md", "--model", "test:scripted")
    assert read.notes == (
        "What the model said to 3 of 3 requirements (R-1, R-2, R-3) could not be understood. There, only the rules have spoken.",
    )
    assert [one.score for one in read.requirements] == [one.score for one in report("reqs.md").requirements]


def test_model_that_is_away_is_not_asked_about_every_requirement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "many.md").write_text("".join(f"- R-{n}: The app must be fast.\n" for n in range(40)), encoding="utf-8")
    asked = 0

    def away(_told: object) -> list[ToolCallPart]:
        nonlocal asked
        asked += 1
        if asked > 5:
            raise ModelError("The model took too long.")
        return [call("answer", confirmed="1", disputed="", added="")]

    monkeypatch.setattr("veracity.llm.model_specs.chosen_model", lambda _spec: RemoteModel.of(Script(away).model))
    read = report("many.md", "--model", "test:scripted")
    assert asked < 20
    assert [one.model for one in read.requirements].count("read") == 5
    assert "35 of 40 requirements (" in read.notes[0]


# --- suggest


def test_suggestions_are_atomic_with_type_and_priority(folder: Path) -> None:
    done = run("suggest", "reqs.md")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "R-1  reqs.md:3:8"
    assert lines[1].startswith("  high    add_actor: ")
    assert "  high    remove_escape: Streiche „ggf“ oder nenne die Bedingung, unter der es gilt." in lines
    assert lines[-1] == "5 suggestions for 2 requirements; nothing for 1"


def test_suggestions_as_json_have_the_form_of_the_seed(folder: Path) -> None:
    (folder / "one.txt").write_text("Die Plattform muss schnell sein\n", encoding="utf-8")
    made = json.loads(run("suggest", "one.txt", "--json").stdout)
    assert list(made) == ["items"]
    suggestions = made["items"]["REQ_1"]["suggestions"]
    assert [(one["type"], one["priority"]) for one in suggestions] == [
        ("add_actor", "high"),
        ("add_metric", "high"),
        ("add_criteria", "medium"),
    ]
    assert all(one.keys() == {"type", "suggestion", "priority"} for one in suggestions)


# --- duplicates

TWICE = """\
- D-1: The system shall answer every search within 2 seconds.
- D-2: The system shall answer every search within 20 seconds.
- D-3: The system shall answer each search within 2 seconds.
- D-4: The clerk shall print the invoice.
"""


def test_pairs_come_in_bands_with_places_reasons_and_vetoes(folder: Path) -> None:
    (folder / "twice.md").write_text(TWICE, encoding="utf-8")
    done = run("duplicates", "twice.md")
    assert done.exit_code == 1
    same, vetoed = done.stdout.split("alike, but something speaks against it")
    assert "twice.md:1:8: D-1: " in same
    assert "twice.md:3:8: D-3: " in same
    assert "But the figures differ: 2 seconds / 20 seconds." in vetoed
    assert "D-4" not in done.stdout
    assert vetoed.splitlines()[-1] == "3 pairs: 1 the same, 0 to look at, 2 with a veto"


def test_no_pair_that_is_surely_the_same_ends_with_0(folder: Path) -> None:
    (folder / "two.md").write_text("\n".join(TWICE.splitlines()[:2]), encoding="utf-8")
    assert run("duplicates", "two.md").exit_code == 0
    assert run("duplicates", "reqs.md").stdout == "0 pairs: 0 the same, 0 to look at, 0 with a veto\n"


def test_pairs_as_json_name_requirements_by_their_place_in_the_list(folder: Path) -> None:
    (folder / "twice.md").write_text(TWICE, encoding="utf-8")
    made = json.loads(run("duplicates", "twice.md", "--json").stdout)
    first = made["pairs"][0]
    assert {made["requirements"][first[key]]["id"] for key in ("req1_idx", "req2_idx")} == {"D-1", "D-3"}
    assert first["band"] == "same"
    assert first["similarity"] >= 0.9
    assert made["known"] == []


def test_index_keeps_requirements_and_new_ones_are_compared_with_them(folder: Path) -> None:
    (folder / "old.md").write_text("\n".join(TWICE.splitlines()[:1]), encoding="utf-8")
    (folder / "new.md").write_text("- N-1: The system shall answer each search within 2 seconds.\n", encoding="utf-8")
    kept = run("duplicates", "old.md", "--index", "known.sqlite", "--keep")
    assert (kept.exit_code, kept.stderr) == (0, "1 requirement is kept in known.sqlite\n")
    for _ in range(2):
        done = run("duplicates", "new.md", "--index", "known.sqlite", "--keep")
        assert done.exit_code == 1
        assert "old.md:1:8: D-1 (known): The system shall answer every search within 2 seconds." in done.stdout
        assert done.stdout.count("N-1") == 1
        assert done.stderr == "2 requirements are kept in known.sqlite\n"
    known = json.loads(run("duplicates", "new.md", "--index", "known.sqlite", "--json").stdout)["known"]
    assert [(pair["requirement"]["id"], pair["known"]["id"], pair["band"]) for pair in known] == [
        ("N-1", "D-1", "same")
    ]


def test_keeping_needs_a_place(folder: Path) -> None:
    assert refused("duplicates", "reqs.md", "--keep") == "--keep needs --index: where to keep them."
