"""`veracity requirements improve`, as somebody uses it: with a file of answers, at a terminal, and with a model."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import openpyxl
import pytest

from model_server import BROKEN, ModelServer
from requirement_commands import (
    ANSWERS,
    BAD,
    BENEFIT,
    GOOD,
    METRIC,
    NEW,
    PAGE,
    ROLE,
    problem,
    read_until,
    run,
    terminal,
)
from veracity.requirements.answer_file import load_answers


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a document and answers for it."""
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    Path("app.md").write_bytes(PAGE.encode())
    Path("answers.yaml").write_text(ANSWERS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


# --- improve


def test_without_a_terminal_the_questions_are_printed_and_nothing_is_changed() -> None:
    done = run("improve", "app.md", "--out", "new.md")
    assert done.exit_code == 3
    assert "REQ-1  app.md:3  0.41  open" in done.stdout
    assert f"  ? {ROLE}  (Nutzer | Administrator)" in done.stdout
    assert "2 requirements, 1 below 0.70: 1 open." in done.stdout
    assert "Written to new.md: 0 new texts." in done.stdout
    assert Path("new.md").read_bytes() == PAGE.encode()


def test_answers_from_a_file_make_a_rewrite_that_is_written_and_nothing_else_is_touched() -> None:
    done = run("improve", "app.md", "--out", "new.md", "--answers", "answers.yaml")
    assert done.exit_code == 0
    assert "REQ-1  app.md:3  0.41 -> 0.92  rewritten" in done.stdout
    assert Path("new.md").read_bytes() == PAGE.replace(BAD, NEW).encode()
    assert Path("app.md").read_bytes() == PAGE.encode()


def test_csv_and_text_are_written_back() -> None:
    Path("reqs.csv").write_text(f"id,text,note\n7,{BAD},keep\n8,{GOOD},this\n", encoding="utf-8")
    assert run("improve", "reqs.csv", "--out", "new.csv", "--answers", "answers.yaml").exit_code == 0
    assert Path("new.csv").read_text(encoding="utf-8") == f'id,text,note\n7,"{NEW}",keep\n8,{GOOD},this\n'
    Path("reqs.txt").write_text(f"{BAD}\n{GOOD}\n", encoding="utf-8")
    assert run("improve", "reqs.txt", "--out", "reqs.txt", "--answers", "answers.yaml").exit_code == 0
    assert Path("reqs.txt").read_text(encoding="utf-8") == f"{NEW}\n{GOOD}\n"


def test_a_workbook_is_written_back_into_the_column_that_was_named() -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["Nr", "Anforderung", "Kommentar"])
    book.active.append([1, BAD, BAD])
    book.save("reqs.xlsx")
    done = run("improve", "reqs.xlsx", "--column", "Anforderung", "--out", "new.xlsx", "--answers", "answers.yaml")
    assert done.exit_code == 0, done.output
    sheet = openpyxl.load_workbook("new.xlsx").active
    assert sheet is not None
    assert [cell.value for cell in sheet[2]] == [1, NEW, BAD]


def test_a_text_with_open_slots_is_written_only_when_that_is_wanted() -> None:
    run("improve", "app.md", "--out", "new.md", "--with-slots")
    assert (
        "REQ-1: Als [Rolle?] möchte ich, dass die App [Messgrösse für schnell?] einhält" in Path("new.md").read_text()
    )


def test_a_list_of_criteria_below_a_requirement_stays_and_is_not_written_twice() -> None:
    text = f"- REQ-1: {BAD}\n  - Auch schnell im Urlaub\n- REQ-2: {GOOD}\n"
    Path("list.md").write_text(text, encoding="utf-8")
    run("improve", "list.md", "--out", "new.md", "--answers", "answers.yaml", "--with-slots")
    assert Path("new.md").read_text(encoding="utf-8").count("Auch schnell im Urlaub") == 1


def test_what_passes_is_left_alone() -> None:
    Path("good.md").write_text(f"- {GOOD}\n", encoding="utf-8")
    done = run("improve", "good.md", "--out", "new.md")
    assert (done.exit_code, done.stdout) == (
        0,
        "1 requirement, 0 below 0.70: nothing to do.\nWritten to new.md: 0 new texts.\n",
    )
    assert Path("new.md").read_text(encoding="utf-8") == f"- {GOOD}\n"


def test_a_rewrite_that_still_fails_is_told_and_not_written() -> None:
    vague = ANSWERS.replace("Seitenladezeiten < 2 s (P95)", "gute, schnelle, stabile und einfache Werte usw.")
    Path("answers.yaml").write_text(vague, encoding="utf-8")
    done = run("improve", "app.md", "--out", "new.md", "--answers", "answers.yaml")
    assert done.exit_code == 1
    assert "still failing" in done.stdout
    assert Path("new.md").read_bytes() == PAGE.encode()


def test_json_has_every_rewrite_with_its_assumptions() -> None:
    told = json.loads(run("improve", "app.md", "--json").stdout)
    assert (told["requirements"], told["below"], told["fail_under"]) == (2, 1, 0.7)
    (one,) = told["improved"]
    assert (one["id"], one["text"], one["rewrite"]["status"]) == ("REQ-1", None, "needs_confirmation")
    assert [asked["question"] for asked in one["rewrite"]["assumptions"]] == [ROLE, METRIC, BENEFIT]


def test_questions_can_be_asked_in_the_language_of_the_user() -> None:
    assert "? Which role needs this?" in run("improve", "app.md", "--ask-in", "en").stdout
    assert "--lang is de or en" in problem("improve", "app.md", "--ask-in", "fr")


def test_several_files_are_written_into_a_folder() -> None:
    Path("other.md").write_text(f"- APP-9: {BAD}\n", encoding="utf-8")
    done = run("improve", "app.md", "other.md", "--out", "new", "--answers", "answers.yaml")
    assert done.exit_code == 0
    assert NEW in Path("new/app.md").read_text(encoding="utf-8")
    assert NEW in Path("new/other.md").read_text(encoding="utf-8")
    assert "name one as --out" in problem("improve", "app.md", "other.md", "--out", "new.md")


def test_a_place_that_cannot_be_written_is_told_before_anything_is_asked() -> None:
    assert (
        problem("improve", "app.md", "--out", "new.csv") == "new.csv does not end like app.md; give it the same ending."
    )
    Path("a.feature").write_text("Feature: A\n  Scenario: It must be fast\n    Given a user\n", encoding="utf-8")
    assert "cannot be written back" in problem("improve", "a.feature", "--out", "b.feature")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.md", None, "cannot be read"),
        ("empty.md", b"", "is empty; write a requirement"),
        ("half.md", b"\xff\xfe\x00", "half.md"),
        ("app.unknown", b"x", "give its format"),
    ],
)
def test_what_cannot_be_read_ends_with_a_sentence(name: str, content: bytes | None, said: str) -> None:
    if content is not None:
        Path(name).write_bytes(content)
    for command in ("improve", "validate"):
        assert said in problem(command, name)


# --- improve with a model

INVENTED = "Als Nutzer möchte ich Seitenladezeiten < 2 s (P95), damit ich effizient arbeiten kann."


def says(server: ModelServer, text: str, criteria: str = "") -> str:
    server.says({"schnell": [[("answer", {"corrected_text": text, "acceptance_criteria": criteria})]]})
    return server.model


def test_a_figure_that_a_model_made_up_never_reaches_the_document(server: ModelServer) -> None:
    model = says(server, INVENTED)
    done = run("improve", "app.md", "--out", "new.md", "--model", model)
    assert done.exit_code == 3
    assert "  ? Die Anforderung nennt „2 s“ nicht. Soll dieser Wert gelten?  (ja | nein)" in done.stdout
    assert Path("new.md").read_bytes() == PAGE.encode()


def test_with_slots_what_a_model_made_up_is_an_open_slot_that_does_not_repeat_it(server: ModelServer) -> None:
    done = run("improve", "app.md", "--out", "new.md", "--with-slots", "--model", says(server, INVENTED))
    assert done.exit_code == 3
    written = Path("new.md").read_text(encoding="utf-8").splitlines()[2]
    assert written == "- REQ-1: Als [Rolle?] möchte ich Seitenladezeiten < [Wert?] ([Wert?])."


def test_a_model_that_turns_the_meaning_round_is_not_written_even_with_slots(server: ModelServer) -> None:
    model = says(server, "Die App muss die Suche nicht anzeigen, wenn das Netz fehlt.")
    run("improve", "app.md", "--out", "new.md", "--with-slots", "--model", model)
    assert Path("new.md").read_bytes() == PAGE.encode()


def test_what_the_user_confirms_of_a_models_rewrite_is_written(server: ModelServer) -> None:
    model = says(server, INVENTED)
    run("improve", "app.md", "--model", model, "--write-questions", "open.yaml")
    asked = Path("open.yaml").read_text(encoding="utf-8")
    Path("open.yaml").write_text(
        "\n".join(f"{line} ja" if line.endswith('":') and line[0] == " " else line for line in asked.splitlines())
    )
    done = run("improve", "app.md", "--model", model, "--answers", "open.yaml", "--out", "new.md")
    assert done.exit_code == 0, done.output
    assert Path("new.md").read_text(encoding="utf-8").splitlines()[2] == f"- REQ-1: {INVENTED}"


@pytest.mark.parametrize("command", [("improve", "--out", "new.md"), ("validate",)])
def test_a_model_that_is_away_is_said_to_be_away_and_nothing_is_written(command: Sequence[str]) -> None:
    assert "cannot be reached" in problem(command[0], "app.md", *command[1:], "--model", "http://127.0.0.1:9/v1#none")
    assert not Path("new.md").exists()
    assert not Path("home/questions.sqlite").exists()


def test_what_a_model_worded_is_kept_when_it_fails_later(server: ModelServer) -> None:
    Path("app.md").write_text(f"- REQ-1: {BAD}\n- REQ-2: Das Portal muss modern sein\n", encoding="utf-8")
    text = "Die App muss [Messgrösse für schnell?] einhalten."
    server.says({"schnell": [[("answer", {"corrected_text": text, "acceptance_criteria": ""})]], "modern": [[BROKEN]]})
    done = run("improve", "app.md", "--model", server.model)
    assert done.exit_code == 3, done.output
    assert f"  + {text}" in done.stdout
    assert "  + Als [Rolle?] möchte ich, dass das Portal [Messgrösse für modern?] einhält" in done.stdout
    assert done.stdout.count("  ! not the model's wording: ") == 1
    assert "out of order" in done.stdout


def test_a_place_that_cannot_be_written_is_told_before_anybody_is_asked() -> None:
    assert "nope/new.md cannot be written" in problem("improve", "app.md", "--out", "nope/new.md")


def test_a_placeholder_is_asked_about_in_the_language_of_its_document() -> None:
    Path("app.md").write_text(f"{PAGE}- REQ-3: TBD\n", encoding="utf-8")
    assert "? Was gehört an die Stelle von „TBD“?" in run("improve", "app.md", "--no-input").stdout


# --- the file of answers


def test_open_questions_are_written_to_a_file_filled_in_and_taken_up() -> None:
    run("improve", "app.md", "--write-questions", "open.yaml")
    asked = Path("open.yaml").read_text(encoding="utf-8")
    assert f'# {BAD}\n"REQ-1":\n  # Nutzer | Administrator\n  "{ROLE}":\n' in asked
    Path("open.yaml").write_text(asked.replace(f'"{ROLE}":', f'"{ROLE}": Nutzer'), encoding="utf-8")
    run("improve", "app.md", "--answers", "open.yaml", "--write-questions", "open.yaml")
    again = Path("open.yaml").read_text(encoding="utf-8")
    assert f'"{ROLE}": "Nutzer"' in again
    assert f'  "{METRIC}":\n' in again


def test_a_file_that_somebody_may_have_filled_in_is_not_written_over() -> None:
    assert "is there already" in problem("improve", "app.md", "--write-questions", "answers.yaml")
    assert Path("answers.yaml").read_text(encoding="utf-8") == ANSWERS


def test_answers_are_taken_as_they_are_written() -> None:
    Path("a.yaml").write_text("R1:\n  A?: yes\n  B?: 99.50\n  C?:\n  D?: 2026-01-01\nR2:\n", encoding="utf-8")
    assert load_answers("a.yaml").answers == {"R1": {"A?": "yes", "B?": "99.50", "D?": "2026-01-01"}}


def test_what_is_said_of_one_requirement_comes_before_what_is_said_of_all() -> None:
    Path("a.yaml").write_text("'*':\n  A?: all\n  B?: all\nR1:\n  A?: one\n", encoding="utf-8")
    assert load_answers("a.yaml").of("R1") == {"A?": "one", "B?": "all"}
    assert load_answers("a.yaml").of("R2") == {"A?": "all", "B?": "all"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("- a\n- b\n", "is not a file of answers"),
        ("R1: Nutzer\n", "line 1: R1: questions with answers are needed"),
        ("R1:\n  A?: [a, b]\n", "line 2: R1 > A?: one text is needed"),
        ("R1:\n  A?: 'x\n", "not valid YAML"),
    ],
)
def test_a_broken_file_of_answers_is_told_with_its_line(content: str, said: str) -> None:
    Path("a.yaml").write_text(content, encoding="utf-8")
    assert said in problem("improve", "app.md", "--answers", "a.yaml")


def test_an_answer_to_a_requirement_that_is_not_there_is_told() -> None:
    Path("a.yaml").write_text(f"REQ-9:\n  {ROLE}: Nutzer\n", encoding="utf-8")
    assert "note: a.yaml: there is no requirement REQ-9." in run("improve", "app.md", "--answers", "a.yaml").stderr


# --- at a terminal


def test_at_a_terminal_one_question_is_asked_at_a_time_and_a_letter_chooses() -> None:
    with terminal("improve", "app.md", "--out", "new.md") as (started, master):
        first = read_until(master, "> ")
        assert f"REQ-1  {BAD}" in first
        assert f"? {ROLE}" in first
        assert "a) Nutzer   b) Administrator" in first
        assert METRIC not in first
        os.write(master, b"a\n")
        assert METRIC in read_until(master, "> ")
        os.write(master, b"Seitenladezeiten < 2 s (P95)\n")
        read_until(master, "> ")
        os.write(master, b"a\n")
        assert "1 rewritten." in read_until(master, "Written to new.md: 1 new text.")
        assert started.wait(timeout=20) == 0
    assert NEW in Path("new.md").read_text(encoding="utf-8")


def test_an_empty_answer_leaves_a_requirement_open_and_the_next_one_is_asked() -> None:
    Path("two.md").write_text(f"- A-1: {BAD}\n- A-2: The page must be fast\n", encoding="utf-8")
    with terminal("improve", "two.md") as (started, master):
        read_until(master, "> ")
        os.write(master, b"\n")
        assert "A-2  The page must be fast" in read_until(master, "> ")
        os.write(master, b"\x04")  # Ctrl-D: no more questions
        assert "2 open." in read_until(master, "2 open.")
        assert started.wait(timeout=20) == 3
