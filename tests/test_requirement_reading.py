"""Requirements are found in the files people keep them in, with their ids, and each of their characters with its place."""

from __future__ import annotations

import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from case_files import read_yaml
from each_case import each
from veracity.errors import SourceError, UsageError, VeracityError
from veracity.requirements.reading import (
    FORMATS,
    Format,
    RequirementDocument,
    TextPassage,
    format_of,
    open_document,
    open_documents,
    read_requirements,
)
from veracity.requirements.reading.marks import find_id, find_label, is_code

FILES = Path(__file__).parent / "cases" / "requirements_files"
CASES = {
    name: [(str(key), line, text) for key, line, text in found]
    for name, found in read_yaml(FILES / "cases.yaml").items()
}
MARKDOWN_PARTS = st.sampled_from(
    ["- ", "# ", "## REQ-1", "REQ-2: ", "| ID | Requirement |", "|---|---|", "```", "<!--", "-->", "---", "===", "> ", "  ",
     "\t", "\n", "\n\n", "\r\n", "muss", "shall", "**", ":", "Akzeptanzkriterien:", "Given x", "Rationale:", "Ä", "1.2 ", ";",
     '"', ",", "Feature:", "Scenario: a", "[REQUIREMENT]", "STATEMENT: >>>", "<<<", "text: a", "\x00", "\u2003", "\ufeff"]
)  # fmt: skip


@each("name", CASES)
def test_a_file_gives_the_requirements_that_a_person_would_find(name: str) -> None:
    found = read_requirements(FILES / name)
    assert [(one.id, one.place.line, one.text) for one in found] == CASES[name]


@each("name", [name for name in CASES if name not in ("doorstop", "pump.reqif")])
def test_every_character_of_a_requirement_is_found_in_the_file(name: str) -> None:
    document = open_document(FILES / name)
    lines = (FILES / name).read_text("utf-8").split("\n")
    for requirement in document.requirements:
        passage = document.passages[requirement.id]
        assert isinstance(passage, TextPassage)
        for piece in passage.pieces:
            for offset in range(piece.at, piece.at + piece.length):
                place = document.locate(requirement, offset)
                assert place.line is not None
                assert place.column is not None
                if requirement.text[offset] != "\n":
                    assert lines[place.line - 1][place.column - 1] == requirement.text[offset]


# --- ids and labels


@each(
    ("text", "id", "rest"),
    [
        ("REQ-1: Die App muss", "REQ-1", "Die App muss"),
        ("[SYS_12] The pump", "SYS_12", "The pump"),
        ("**FR1** The pump", "FR1", "The pump"),
        ("**FR1:** The pump", "FR1", "The pump"),
        ("**FR1: Login** The pump", "FR1", "The pump"),
        ("/LF10/ Die Kasse", "LF10", "Die Kasse"),
        ("`US-3` – As a user", "US-3", "As a user"),
        ("[REQ-7](#req-7) The pump", "REQ-7", "The pump"),
        ("PERF-001 The pump", "PERF-001", "The pump"),
        ("1.2.3 Das System", "1.2.3", "Das System"),
        ("NFR-2 – Antwortzeit", "NFR-2", "Antwortzeit"),
        ("H-1: The pump shall stop.", "H-1", "The pump shall stop."),
        ("**X-2**: The pump shall stop.", "X-2", "The pump shall stop."),
    ],
)
def test_an_id_is_taken_from_the_front_of_a_text(text: str, id: str, rest: str) -> None:
    mark = find_id(text)
    assert mark is not None
    assert (mark.id, text[mark.end :]) == (id, rest)


@pytest.mark.parametrize(
    "text",
    [
        "SHA-256 muss für alle Prüfsummen benutzt werden",
        "ISO-27001: die Norm gilt",
        "H.264: das Format gilt",
        "A4 Seiten müssen druckbar sein",
        "2.5 Sekunden darf die Antwort dauern",
        "R2 muss nach dem Start laufen",
        "Die App muss schnell sein",
        "100 Nutzer müssen gleichzeitig arbeiten können",
        "",
    ],
)
def test_what_a_sentence_is_about_is_no_id(text: str) -> None:
    assert find_id(text) is None


def test_a_label_is_known_in_both_languages_and_with_or_without_bold() -> None:
    assert find_label("**Akzeptanzkriterien**") == ("criteria", 22)
    assert find_label("Rationale: because") == ("about", 11)
    assert find_label("**Beschreibung:** Die App") == ("statement", 18)
    assert find_label("Die App: schnell") is None


@given(st.text(max_size=300))
def test_looking_for_marks_never_fails(text: str) -> None:
    mark = find_id(text)
    assert mark is None or 0 < mark.end <= len(text)
    label = find_label(text)
    assert label is None or 0 < label[1] <= len(text)
    is_code(text)


# --- tables


def test_a_column_can_be_chosen_by_name_letter_or_number(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("ID,Requirement,Customer wish\nR-1,The pump shall stop.,It has to stop fast\n", "utf-8")
    for column in ("customer WISH", "C", "3"):
        assert [one.text for one in read_requirements(file, column=column)] == ["It has to stop fast"]
    assert [(one.id, one.text) for one in read_requirements(file)] == [("R-1", "The pump shall stop.")]


def test_a_column_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("ID,Requirement\nR-1,The pump shall stop.\n", "utf-8")
    with pytest.raises(UsageError, match="has no column 'Wish'; its first row holds ID, Requirement"):
        read_requirements(file, column="Wish")


def test_a_table_without_texts_asks_for_the_column(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a,b\n1,2\n3,4\n", "utf-8")
    with pytest.raises(SourceError, match="no column looks like requirements; name it with --column"):
        read_requirements(file)


def test_a_record_with_a_stray_delimiter_is_named_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("ID,Requirement\n" + "R-1,The pump shall stop.\n" * 9000 + "R-2,It shall stop, fast.\n", "utf-8")
    with pytest.raises(SourceError, match="line 9002 has 3 fields where others have 2"):
        read_requirements(file)


def test_a_quote_that_never_closes_is_named_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("ID,Requirement\n" + 'R-1,"The pump shall stop."\n' * 9000 + 'R-2,"It shall', "utf-8")
    with pytest.raises(SourceError, match="line 9002 cannot be read; check its quotes"):
        read_requirements(file)


def workbook(path: Path, sheets: dict[str, list[list[object]]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_is_read_below_its_titles_with_cells_and_ids(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["Lastenheft"], [], [None, "Nr", "Anforderung", "Prio"],
        [None, 1, "Die App muss schnell sein", "hoch"], [None, 2, None, "hoch"], [None, 3, "Login per SSO", 2],
    ]  # fmt: skip
    found = read_requirements(workbook(tmp_path / "a.xlsx", {"Tabelle1": rows}))
    assert [(one.id, one.text, one.place.cell) for one in found] == [
        ("1", "Die App muss schnell sein", "C4"),
        ("3", "Login per SSO", "C6"),
    ]


def test_of_several_sheets_those_that_name_requirements_are_read(tmp_path: Path) -> None:
    file = workbook(
        tmp_path / "a.xlsx",
        {
            "Notes": [["What we must not forget"], ["We must buy cake for all of us."]],
            "Reqs": [["ID", "Requirement"], ["R-1", "The pump shall stop."]],
        },
    )
    assert [(one.id, one.place.cell) for one in read_requirements(file)] == [("R-1", "Reqs!B2")]


def test_a_hidden_sheet_is_not_read(tmp_path: Path) -> None:
    file = workbook(
        tmp_path / "a.xlsx", {"A": [["Requirement"], ["The pump shall stop."]], "B": [["Requirement"], ["x y"]]}
    )
    book = openpyxl.load_workbook(file)
    book["B"].sheet_state = "hidden"
    book.save(file)
    assert [one.text for one in read_requirements(file)] == ["The pump shall stop."]


# --- other formats


def test_a_reqif_attribute_can_be_chosen_by_its_name() -> None:
    found = read_requirements(FILES / "pump.reqif", column="supplier text")
    assert [(one.id, one.text) for one in found] == [("PUMP-1", "We agree: it shall stop.")]


def test_zipped_reqif_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.reqifz", "w") as archive:
        archive.write(FILES / "pump.reqif", "inner/pump.reqif")
        archive.writestr("picture.png", b"\x89PNG")
    assert [one.id for one in read_requirements(tmp_path / "a.reqifz")] == ["PUMP-1", "_o2"]


@pytest.mark.parametrize(
    "text",
    [
        "<REQ-IF>",
        "no xml at all",
        "<A/>",
        "<REQ-IF><CORE-CONTENT><REQ-IF-CONTENT><SPEC-OBJECTS><SPEC-OBJECT/></SPEC-OBJECTS></REQ-IF-CONTENT></CORE-CONTENT></REQ-IF>",
        '<!DOCTYPE x [<!ENTITY a "b">]><REQ-IF>&a;</REQ-IF>',
        "<REQ-IF></REQ-IF>",
    ],
)
def test_broken_reqif_is_one_sentence(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.reqif"
    file.write_text(text, "utf-8")
    with pytest.raises(SourceError) as raised:
        read_requirements(file)
    assert_one_sentence(str(raised.value))


def test_reqif_in_another_encoding_keeps_its_letters(tmp_path: Path) -> None:
    text = (
        (FILES / "pump.reqif")
        .read_text("utf-8")
        .replace("UTF-8", "ISO-8859-1", 1)
        .replace("The pump shall", "Bläst für")
    )
    file = tmp_path / "a.reqif"
    file.write_bytes(text.encode("cp1252"))
    assert [one.text.split(" ")[0] for one in read_requirements(file)] == ["Bläst", "Bläst"]


def test_a_strictdoc_field_that_never_closes_is_named_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.sdoc"
    file.write_text("[DOCUMENT]\nTITLE: A\n\n[REQUIREMENT]\nSTATEMENT: >>>\nThe pump shall\n", "utf-8")
    with pytest.raises(SourceError, match="line 5: what begins here is never closed"):
        read_requirements(file)


def test_a_german_feature_tells_its_language() -> None:
    assert [(one.lang, one.kind) for one in read_requirements(FILES / "suche.feature")] == [("de", "gherkin")]


# --- ids and folders


def test_an_id_that_comes_twice_stays_tellable(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("- REQ_2: It must run.\n- It must walk.\n- REQ_2: It must fly.\n", "utf-8")
    assert [one.id for one in read_requirements(file)] == ["REQ_2", "REQ_2#2", "REQ_2#3"]


def test_a_folder_gives_every_file_with_requirements_and_tells_their_ids_apart(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.md").write_text("- R-1: It must run.\n- R-2: It must walk.\n", "utf-8")
    (tmp_path / "b" / "c.txt").write_text("R-1: It must fly.\n", "utf-8")
    (tmp_path / "README.md").write_text("# Hello\n\nA nice project.\n", "utf-8")
    (tmp_path / "data.csv").write_text("a,b\n1,2\n", "utf-8")
    (tmp_path / "ci.yml").write_text("text: {broken", "utf-8")
    (tmp_path / ".git" / "x.md").write_text("- It must not be read.\n", "utf-8")
    found = open_documents(tmp_path)
    assert [[one.id for one in document.requirements] for document in found] == [
        [f"{tmp_path / 'a.md'}:R-1", "R-2"],
        [f"{tmp_path / 'b' / 'c.txt'}:R-1"],
    ]
    assert found[0].locate(found[0].requirements[0], 3).column == 11


def test_a_folder_without_requirements_says_so(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Hello\n\nA nice project.\n", "utf-8")
    with pytest.raises(SourceError, match="holds no file with requirements"):
        read_requirements(tmp_path)


# --- encodings


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_a_file_is_read_in_its_encoding(tmp_path: Path, codec: str) -> None:
    text = "- REQ-1: Die Prüfung muss für alle Größen möglich sein.\r\n- REQ-2: Die Tür muss schließen.\r\n"
    mark = b"\xfe\xff" if codec == "utf-16-be" else b""
    (tmp_path / "a.md").write_bytes(mark + text.encode(codec))
    document = open_document(tmp_path / "a.md")
    assert [one.text for one in document.requirements] == [
        "Die Prüfung muss für alle Größen möglich sein.",
        "Die Tür muss schließen.",
    ]
    assert [(one.place.line, one.place.column) for one in document.requirements] == [(1, 10), (2, 10)]
    assert bool(document.notes) == (codec == "cp1252")


# --- what goes wrong


def assert_one_sentence(said: str) -> None:
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 500


BROKEN = (b"", b"\n \n", b"\xff\xfe\x00", b"\x00\x01\x02", b"a\xc3(b\xc3\xa4\xc3\xa4\xc3\xa4")
ZIPPED = (b"PK\x03\x04junk", b"PK\x05\x06" + b"\0" * 18)
ENDINGS = ("txt", "md", "csv", "xlsx", "sdoc", "yml", "feature", "reqif", "reqifz")


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        *((f"a.{ending}", raw) for ending in ENDINGS for raw in BROKEN),
        *((f"a.{ending}", raw) for ending in ("xlsx", "reqif", "reqifz") for raw in ZIPPED),
    ],
)
def test_an_empty_or_broken_file_is_one_sentence_with_its_name(tmp_path: Path, name: str, raw: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(raw)
    with pytest.raises(SourceError, match=name) as raised:
        read_requirements(file)
    assert_one_sentence(str(raised.value))


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read: no such file"):
        read_requirements(tmp_path / "none.md")
    with pytest.raises(SourceError, match="cannot be read: file name too long"):
        read_requirements(tmp_path / f"{'a' * 300}.md")
    (tmp_path / "a.docx").write_bytes(b"x")
    with pytest.raises(UsageError, match="give its format: text, markdown"):
        read_requirements(tmp_path / "a.docx")
    (tmp_path / "a.txt").write_text("Die App muss laufen", "utf-8")
    with pytest.raises(UsageError, match="no columns to choose from"):
        read_requirements(tmp_path / "a.txt", column="B")
    with pytest.raises(UsageError, match="There is no format 'word'"):
        read_requirements(tmp_path / "a.txt", format="word")  # type: ignore[arg-type]


def test_a_format_can_be_given_whatever_the_ending(tmp_path: Path) -> None:
    (tmp_path / "a.spec").write_text("- R-1: It must run.\n", "utf-8")
    assert [one.id for one in read_requirements(tmp_path / "a.spec", format="markdown")] == ["R-1"]


def test_fifty_thousand_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("".join(f"- REQ-{n}: The pump shall stop within {n} ms.\n" for n in range(50_000)), "utf-8")
    found = read_requirements(file)
    assert len(found) == 50_000
    assert (found[-1].id, found[-1].place.line) == ("REQ-49999", 50_000)


def test_a_requirement_without_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("It must run. " * 5_000, "utf-8")
    with pytest.raises(SourceError, match="line 1: a requirement has more than 20,000 characters; divide it"):
        read_requirements(file)


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.csv", "a.sdoc", "a.feature"])
@pytest.mark.parametrize(
    "line", ["#" * 9, " " * 9, "- ", "[x](", "**a", "a-1", "<!-- veracity:", "|", '"', "1.1.", "`", "_x", "@a "]
)
def test_lines_without_end_are_read_in_linear_time(tmp_path: Path, name: str, line: str) -> None:
    file = tmp_path / name
    file.write_text(line * (200_000 // len(line)) + "x\nIt must run.\n", "utf-8")
    try:
        read_requirements(file)
    except VeracityError as error:
        assert_one_sentence(str(error))


def checked(file: Path, format: Format) -> RequirementDocument | None:
    try:
        document = open_document(file, format=format)
    except VeracityError as error:
        assert_one_sentence(str(error).replace("\n", " "))
        return None
    names = [one.id for one in document.requirements]
    assert len(set(names)) == len(names) > 0
    assert all(one.text.strip() for one in document.requirements)
    return document


@settings(max_examples=60, deadline=None)
@given(format=st.sampled_from(FORMATS), raw=st.binary(max_size=300))
def test_no_bytes_make_a_reader_fail(tmp_path_factory: pytest.TempPathFactory, format: Format, raw: bytes) -> None:
    file = tmp_path_factory.mktemp("bytes") / "a"
    file.write_bytes(raw)
    checked(file, format)


@settings(max_examples=150, deadline=None)
@given(
    format=st.sampled_from(["text", "markdown", "csv", "sdoc", "gherkin", "doorstop"]),
    parts=st.lists(MARKDOWN_PARTS | st.text(max_size=8), max_size=40),
)
def test_no_text_makes_a_reader_fail(
    tmp_path_factory: pytest.TempPathFactory,
    format: Format,
    parts: list[str],
) -> None:
    text = "".join(parts)
    file = tmp_path_factory.mktemp("texts") / "a"
    file.write_bytes(text.encode("utf-8", "replace"))
    document = checked(file, format)
    if document is not None and document.source is not None:
        for requirement in document.requirements:
            place = document.locate(requirement, len(requirement.text) - 1)
            assert place.line is None or 1 <= place.line <= len(document.source.starts)


def test_every_ending_has_a_reader() -> None:
    known = {
        format_of(Path(f"a{ending}"))
        for ending in (".txt", ".md", ".csv", ".xlsx", ".sdoc", ".yml", ".feature", ".reqif")
    }
    assert known == set(FORMATS)
