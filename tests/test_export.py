"""Answers as files: labels, real dates and plain numbers; nothing that a spreadsheet or a page would run; the proof beside them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from served import client_of, server_app
from veracity.server.web.export import ExportedAnswer, ExportedTable, as_csv, as_markdown, as_workbook

ENGLISH = {"Accept-Language": "en"}
BOOKINGS = "Zeige die letzten 3 Buchungen"


@pytest.fixture(scope="module")
def local(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client_of(server_app(ledger, tmp_path_factory.mktemp("export"))) as client:
        yield client


@pytest.fixture(scope="module")
def answer(local: TestClient) -> dict[str, str]:
    asked = local.post("/v1/ask", json={"question": BOOKINGS}).json()
    (source,) = asked["sources"]
    return {"trace": asked["traceId"], "digest": source["digest"], "understood": asked["readBack"]}


def test_a_csv_file_has_labels_iso_dates_and_the_proof_below(local: TestClient, answer: dict[str, str]) -> None:
    response = local.get(f"/traces/{answer['trace']}/results/r1.csv", headers=ENGLISH)
    assert response.headers["content-disposition"] == f'attachment; filename="{answer["trace"]}-r1.csv"'
    rows = list(csv.reader(io.StringIO(response.text)))
    assert "Booking date" in rows[0]
    assert rows[1][rows[0].index("Booking date")] == "2025-12-31"
    told = {line[0]: line[1] for line in rows[rows.index([]) + 1 :] if line[0]}
    assert told["Question"] == BOOKINGS
    assert told["Understood as"] == answer["understood"]
    assert told["SHA-256"] == answer["digest"]
    assert "bookingDate" in told["Query r1"]
    assert ["", "The rows are those that the answer was made from."] in rows


def test_a_workbook_has_real_dates_and_a_sheet_with_the_proof(local: TestClient, answer: dict[str, str]) -> None:
    response = local.get(f"/traces/{answer['trace']}/answer.xlsx", headers=ENGLISH)
    book = load_workbook(io.BytesIO(response.content))
    assert book.sheetnames == ["r1", "Proof"]
    head, first, *_ = book["r1"].iter_rows(values_only=True)
    assert first[head.index("Booking date")] == datetime(2025, 12, 31)
    proof = {row[0]: row[1] for row in book["Proof"].iter_rows(values_only=True)}
    assert (proof["Question"], proof["SHA-256"]) == (BOOKINGS, answer["digest"])


def test_a_markdown_file_has_the_table_and_the_proof(local: TestClient, answer: dict[str, str]) -> None:
    text = local.get(f"/traces/{answer['trace']}/answer.md", headers=ENGLISH).text
    assert text.startswith(f"# {BOOKINGS}\n")
    assert "| 2025-12-31 |" in text
    assert f"- SHA-256: {answer['digest']}" in text


def test_rows_on_the_page_have_dates_and_not_seconds(local: TestClient, answer: dict[str, str]) -> None:
    page = local.get(f"/traces/{answer['trace']}/results/r1").text
    assert "31.12.2025" in page
    assert "17671392" not in page


def test_what_is_not_there_is_told(local: TestClient, answer: dict[str, str]) -> None:
    for path in (f"/traces/{answer['trace']}/results/r9.csv", "/traces/20990101-no/answer.xlsx", "/traces/x/answer.md"):
        assert local.get(path).status_code == 404


def test_numbers_stay_what_they_are_in_every_format() -> None:
    cells = (Decimal("-1E+2"), Decimal("0.10"), 12, None, True, date(2025, 1, 31), Decimal("12345678901234567.89"))
    table = ExportedTable("r1", tuple("abcdefg"), (cells,))
    assert as_csv(table).splitlines()[1] == "-100,0.10,12,,True,2025-01-31,12345678901234567.89"
    book = load_workbook(io.BytesIO(as_workbook(ExportedAnswer("t", "q", "a", (table,), ()), "Proof")))
    (_, row) = book["r1"].iter_rows()
    # A number with more digits than a spreadsheet keeps is a text.
    assert [cell.value for cell in row] == [-100, 0.1, 12, None, True, datetime(2025, 1, 31), "12345678901234567.89"]
    assert row[1].number_format == "0.00"


TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            "=HYPERLINK(1)",
            " =1+1",
            "@SUM(A1)",
            "+1",
            "-1",
            "\t=1",
            "＝1",
            "#N/A",
            "x\x00y",
            "a|b",
            "![x](http://e.example/)",
        ]
    ),
)


@given(label=TEXTS, cell=TEXTS, said=TEXTS)
def test_no_text_is_a_formula_and_no_text_breaks_its_file(label: str, cell: str, said: str) -> None:
    table = ExportedTable("r1", (label, "b"), ((cell, 1),))
    answer = ExportedAnswer("t", said, said, (table,), ((said, said),))
    for line in csv.reader(io.StringIO(as_csv(table, answer.proof), newline="")):
        for written in line:
            assert not re.match(r"\s*[=+\-@＝＋－＠]", written)
    book = load_workbook(io.BytesIO(as_workbook(answer, "Proof")))
    for sheet in book.worksheets:
        assert all(one.data_type in "sn" for row in sheet.iter_rows() for one in row)
    table_lines = [line for line in as_markdown(answer, "Proof").split("\n") if line.startswith("| ")]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in table_lines] == [3, 3, 3]
