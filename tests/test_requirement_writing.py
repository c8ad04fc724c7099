"""New texts are written back into the document, and nothing else in it changes."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.styles import Font

from veracity.errors import UsageError
from veracity.requirements.reading import open_document, read_requirements
from veracity.requirements.writing import write_back

FILES = Path(__file__).parent / "cases" / "requirements_files"
NEW = "Als Kunde möchte ich [Ziel?], damit [Nutzen?]"


def rewritten(file: Path, texts: dict[str, str], out: Path) -> bytes:
    write_back(open_document(file), texts, out)
    return out.read_bytes()


@pytest.mark.parametrize(
    ("name", "id", "old", "new"),
    [
        ("one_per_line.txt", "REQ_1", "Die Plattform muss schnell sein", NEW),
        ("lastenheft.txt", "LF10", "Die Kasse muss jeden Verkauf\n       innerhalb von 3 Sekunden buchen.", NEW),
        ("lists.md", "REQ-2", "The shop shall send an order\n  by mail within 5 minutes.", NEW),
        ("lists.md", "NFR-1", "The shop must answer within 200 ms.", NEW),
        ("headings.md", "ANF-2", "Das System muss eine Bestellung\ninnerhalb von 14 Tagen stornieren können.", NEW),
        ("headings.md", "ANF-3", "Rechnung als PDF", NEW),
        ("table.md", "SYS-1", "The pump shall stop within 100 ms.", NEW),
        ("quotes.md", "REQ-CORE-1", "The tool shall read quotations.", NEW),
        ("semicolons.csv", "A-1", "Die App muss schnell sein", NEW),
        ("semicolons.csv", "A-2", '"Die App muss ""sofort"" starten; auch ohne Netz"', f'"{NEW}"'),
    ],
)
def test_only_the_statement_changes(tmp_path: Path, name: str, id: str, old: str, new: str) -> None:
    before = (FILES / name).read_bytes()
    assert before.count(old.encode()) == 1
    out = tmp_path / name
    assert rewritten(FILES / name, {id: NEW}, out) == before.replace(old.encode(), new.encode())
    assert {one.id: one.text for one in read_requirements(out)}[id].startswith(NEW)


def test_several_texts_are_written_at_once_and_the_same_text_changes_nothing(tmp_path: Path) -> None:
    before = (FILES / "groups.md").read_bytes()
    document = open_document(FILES / "groups.md")
    same = {one.id: one.text for one in document.requirements}
    write_back(document, same, tmp_path / "same.md")
    assert (tmp_path / "same.md").read_bytes() == before
    write_back(document, {**same, "REQ_1": "Er muss A.", "REQ_6": "Er muss B."}, tmp_path / "new.md")
    after = before.replace("Der Nutzer muss sich mit E-Mail anmelden können.".encode(), b"Er muss A.")
    assert (tmp_path / "new.md").read_bytes() == after.replace(
        "Es müssen 500 Nutzer gleichzeitig arbeiten können.".encode(), b"Er muss B."
    )


def test_criteria_below_a_statement_stay(tmp_path: Path) -> None:
    out = tmp_path / "a.md"
    rewritten(FILES / "headings.md", {"ANF-1": "Das System muss X."}, out)
    assert read_requirements(out)[0].text == (
        "Das System muss X.\n- Der Warenkorb zeigt die Summe.\n- Die Bestellung ist nach drei Klicks abgeschickt."
    )


def test_a_suppression_behind_a_statement_stays(tmp_path: Path) -> None:
    after = rewritten(FILES / "lists.md", {"REQ-3": "The shop shall wrap gifts."}, tmp_path / "a.md")
    assert b"* [REQ-3] The shop shall wrap gifts. <!-- veracity: ignore WEAKMODAL -->\n" in after


def test_a_text_of_several_lines_stays_in_its_item(tmp_path: Path) -> None:
    after = rewritten(
        FILES / "lists.md", {"REQ-1": "Given a shop\nWhen it opens\nThen it lists all"}, tmp_path / "a.md"
    )
    assert b"- REQ-1: Given a shop\n  When it opens\n  Then it lists all\n- **REQ-2**" in after
    assert read_requirements(tmp_path / "a.md")[0].text == "Given a shop\nWhen it opens\nThen it lists all"


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16-le", "utf-16-be", "cp1252"])
def test_encoding_byte_order_mark_and_line_ends_stay(tmp_path: Path, codec: str) -> None:
    text = "Kopf für alle\r\n\r\n- R-1: Die Tür muss schließen.\r\n- R-2: Die Größe muss passen.\r\n"
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(codec, b"")
    file = tmp_path / "a.md"
    file.write_bytes(mark + text.encode(codec))
    new = "Die Tür\nmuss öffnen."
    after = text.replace("Die Tür muss schließen.", "Die Tür\r\n  muss öffnen.")
    assert rewritten(file, {"R-1": new}, tmp_path / "b.md") == mark + after.encode(codec)


def test_a_character_that_the_encoding_lacks_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes("- R-1: Die Tür muss schließen.\n".encode("cp1252"))
    with pytest.raises(UsageError, match=r"is in Windows-1252, which has no character \\u2264; save the file as UTF-8"):
        rewritten(file, {"R-1": "Die Tür muss in ≤ 2 s schließen."}, tmp_path / "b.md")
    assert not (tmp_path / "b.md").exists()


def test_a_document_can_be_written_in_place_and_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("Die App muss laufen.\n", "utf-8")
    file.chmod(0o640)
    rewritten(file, {"REQ_1": "Die App muss gehen."}, file)
    assert file.read_text("utf-8") == "Die App muss gehen.\n"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_a_document_with_an_ending_of_its_own_is_written_in_its_format(tmp_path: Path) -> None:
    file = tmp_path / "a.spec"
    file.write_text("- R-1: It must run.\n", "utf-8")
    write_back(open_document(file, format="markdown"), {"R-1": "It must walk."}, tmp_path / "b.spec")
    assert (tmp_path / "b.spec").read_text("utf-8") == "- R-1: It must walk.\n"


# --- what is refused


def test_what_cannot_be_written_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("- R-1: It must run.\n- R-2: It must walk.\n", "utf-8")
    document = open_document(file)
    out = tmp_path / "b.md"
    for texts, target, said in (
        ({"R-9": "x"}, out, "has no requirement R-9"),
        ({"R-1": " \n "}, out, "The new text of R-1 is empty"),
        ({"R-1": "x" * 20_001}, out, "The new text of R-1 is too long"),
        ({"R-1": "half \ud800"}, out, "half a character"),
        ({"R-1": "It must <!-- run"}, tmp_path / "b.csv", "does not end like a.md"),
        ({"R-1": "It must run"}, tmp_path / "none" / "b.md", "cannot be written: no such file or directory"),
        ({"R-1": "It must run\n```\nnow"}, out, "R-2 could not be told from them any more"),
    ):
        with pytest.raises(UsageError, match=said):
            write_back(document, texts, target)
    assert [one.name for one in tmp_path.iterdir()] == ["a.md"]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("- R-1: It must run.\n", "utf-8")
    document = open_document(file)
    file.write_text("- R-1: It must walk.\n", "utf-8")
    with pytest.raises(UsageError, match="has changed since it was read"):
        write_back(document, {"R-1": "It must fly."}, file)
    assert file.read_text("utf-8") == "- R-1: It must walk.\n"


@pytest.mark.parametrize("name", ["pump.sdoc", "login.feature", "pump.reqif", "doorstop/REQ001.yml"])
def test_other_formats_are_not_written(tmp_path: Path, name: str) -> None:
    document = open_document(FILES / name)
    with pytest.raises(UsageError, match="cannot be written back; that works for text, markdown, csv, xlsx only"):
        write_back(document, {document.requirements[0].id: NEW}, tmp_path / Path(name).name)


def test_a_csv_text_may_not_become_a_formula(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="begins like a formula"):
        rewritten(FILES / "semicolons.csv", {"A-1": '=HYPERLINK("x")'}, tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()


# --- round trips

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\x85\u2028\u2029"), min_size=1, max_size=60)


@settings(max_examples=80, deadline=None)
@given(new=WORDS)
def test_any_text_comes_back_from_a_csv_field_and_the_others_stay(
    tmp_path_factory: pytest.TempPathFactory, new: str
) -> None:
    folder = tmp_path_factory.mktemp("csv")
    before = read_requirements(FILES / "semicolons.csv")
    try:
        rewritten(FILES / "semicolons.csv", {"A-2": new}, folder / "a.csv")
    except UsageError:
        assert not (folder / "a.csv").exists()
        return
    after = read_requirements(folder / "a.csv", column="Anforderung")
    assert [one.id for one in after] == ["A-1", "A-2", "A-3"]
    assert (after[0].text, after[2].text) == (before[0].text, before[2].text)
    assert after[1].text.split() == "".join(" " if ord(char) < 32 or char == "\x7f" else char for char in new).split()


@settings(max_examples=120, deadline=None)
@given(
    name=st.sampled_from(
        ["lists.md", "headings.md", "stories.md", "groups.md", "table.md", "one_per_line.txt", "lastenheft.txt"]
    ),
    place=st.integers(0, 3),
    parts=st.lists(
        st.sampled_from(["# ", "- ", "```", "<!--", "|", "\n", "muss ", "REQ-1: ", ": ", "Wort ", "---"]),
        min_size=1,
        max_size=8,
    ),
)
def test_a_new_text_never_changes_another_requirement(
    tmp_path_factory: pytest.TempPathFactory, name: str, place: int, parts: list[str]
) -> None:
    document = open_document(FILES / name)
    out = tmp_path_factory.mktemp("rest") / name
    chosen = document.requirements[place % len(document.requirements)]
    try:
        write_back(document, {chosen.id: "".join(parts)}, out)
    except UsageError:
        assert not out.exists()
        return
    after = [one.text for one in read_requirements(out)]
    assert all(one.text in after for one in document.requirements if one.id != chosen.id)


# --- workbooks


def book(path: Path) -> Path:
    made = openpyxl.Workbook()
    sheet = made.worksheets[0]
    sheet.title = "Anforderungen & mehr"
    for row in (
        ["Nr", "Anforderung", "Länge"],
        ["A-1", "Die App muss schnell sein", None],
        ["A-2", "Login per SSO", 3],
    ):
        sheet.append(row)
    sheet["B2"].font = Font(bold=True)
    sheet["C2"] = "=LEN(B2)"
    sheet["B4"] = '=CONCATENATE("Die App ","muss laufen")'
    sheet.column_dimensions["B"].width = 60
    sheet.merge_cells("A6:C6")
    made.create_sheet("Notizen")["A1"] = "bleibt"
    made.save(path)
    return path


def test_a_cell_changes_and_everything_else_in_the_workbook_stays(tmp_path: Path) -> None:
    file, out = book(tmp_path / "a.xlsx"), tmp_path / "b.xlsx"
    new = 'Als Nutzer möchte ich <2 s & "mehr",\ndamit _x0041_ bleibt'
    rewritten(file, {"A-1": new}, out)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(out) as now:
        assert old.namelist() == now.namelist()
        changed = [name for name in old.namelist() if old.read(name) != now.read(name)]
        assert changed == ["xl/worksheets/sheet1.xml"]
        before, after = old.read(changed[0]), now.read(changed[0])
    start, end = before.index(b'<c r="B2"'), before.index(b'<c r="C2"')
    assert after[:start] == before[:start]
    assert after.endswith(before[end:])
    sheet = openpyxl.load_workbook(out)["Anforderungen & mehr"]
    assert (sheet["B2"].font.bold, sheet["C2"].value, sheet["B3"].value) == (True, "=LEN(B2)", "Login per SSO")
    assert sheet.column_dimensions["B"].width == 60
    assert [one.text for one in read_requirements(out)] == [new, "Login per SSO"]


def test_a_formula_is_not_overwritten(tmp_path: Path) -> None:
    file = book(tmp_path / "a.xlsx")
    data = file.read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as now:
        for name in old.namelist():
            part = old.read(name)
            # What Excel stores beside a formula, so that a reader sees its result.
            now.writestr(
                name,
                part.replace(b"</f><v></v>", b"</f><v>Die App muss laufen</v>").replace(b"</f><v />", b"</f><v>x</v>"),
            )
    document = open_document(file)
    formula = next((one for one in document.requirements if one.place.cell == "Anforderungen & mehr!B4"), None)
    assert formula is not None
    with pytest.raises(UsageError, match="the cell B4 holds a formula"):
        write_back(document, {formula.id: NEW}, tmp_path / "b.xlsx")
    assert not (tmp_path / "b.xlsx").exists()


def test_a_workbook_that_hides_its_cells_is_said(tmp_path: Path) -> None:
    file = book(tmp_path / "a.xlsx")
    data = file.read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as now:
        for name in old.namelist():
            now.writestr(name, old.read(name).replace(b'<c r="B2"', b"<c"))
    document = open_document(file)
    assert document.requirements[0].place.cell == "Anforderungen & mehr!B2"
    with pytest.raises(UsageError, match="the cell B2 cannot be found; save the file in Excel"):
        write_back(document, {document.requirements[0].id: NEW}, tmp_path / "b.xlsx")
