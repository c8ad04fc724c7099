"""Files as people have them: every dialect, encoding and layout is read right, or refused, or kept as text and said."""

from __future__ import annotations

import csv
import io
import json
import random
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from openpyxl.worksheet.worksheet import Worksheet

from veracity.errors import QueryFailed, SourceError
from veracity.language.number_format import FORMATS, looks_like_number
from veracity.settings import Settings
from veracity.sources import encoding as encodings
from veracity.sources import excel_file
from veracity.sources.cells import decode_rows
from veracity.sources.csv_file import add_csv
from veracity.sources.duck import column_of
from veracity.sources.encoding import detect, transcoded
from veracity.sources.excel_file import add_excel
from veracity.sources.files import open_files
from veracity.sources.json_file import add_json
from veracity.sources.layout import is_label
from veracity.sources.source import Column, ColumnType, FileFacts, Statement

quick = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True)
class Seen:
    """A file as the engine sees it, below the lock and the tools."""

    facts: FileFacts
    connection: duckdb.DuckDBPyConnection

    def columns(self, table: str) -> tuple[Column, ...]:
        described = self.connection.execute(f'DESCRIBE "{table}"').fetchall()
        return tuple(column_of(row[0], row[1]) for row in described)


Open = Callable[..., Seen]
Read = Callable[..., tuple[list[Any], FileFacts]]
Workbook = Callable[[Callable[[openpyxl.Workbook, Worksheet], None]], Seen]


@pytest.fixture(scope="module")
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """One engine serves many files: a new one for each takes most of the time."""
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture
def opened(engine: duckdb.DuckDBPyConnection, tmp_path: Path) -> Open:
    """Writes a text file and makes a table of it."""

    def open_(name: str, content: str | bytes, codec: str = "utf-8") -> Seen:
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode(codec))
        engine.execute(f'DROP VIEW IF EXISTS "{file.stem}"')
        add = add_csv if file.suffix == ".csv" else add_json
        return Seen(add(engine, file, file.stem, tmp_path), engine)

    return open_


@pytest.fixture
def workbook(engine: duckdb.DuckDBPyConnection, tmp_path: Path) -> Workbook:
    """Builds a workbook and makes tables of it."""

    def open_(build: Callable[[openpyxl.Workbook, Worksheet], None]) -> Seen:
        book = openpyxl.Workbook()
        sheet = book.active
        assert isinstance(sheet, Worksheet)
        sheet.title = "Eins"
        build(book, sheet)
        book.save(tmp_path / "book.xlsx")
        for name in ("book", "Eins", "Zwei"):
            engine.execute(f'DROP TABLE IF EXISTS "{name}"')
        return Seen(add_excel(engine, tmp_path / "book.xlsx", set(), tmp_path, alone=True), engine)

    return open_


def put(sheet: Worksheet, *rows: Sequence[Any]) -> None:
    for row in rows:
        sheet.append(list(row))


def cells(seen: Seen, table: str) -> list[tuple[Any, ...]]:
    rows = seen.connection.execute(f'SELECT * FROM "{table}"').fetchall()
    return decode_rows(rows, seen.columns(table))


def types(seen: Seen, table: str) -> dict[str, str]:
    return {column.name: column.type.value for column in seen.columns(table)}


def said(seen: Seen) -> list[tuple[str | None, int | None, str]]:
    return [(problem.column, problem.row, problem.what) for problem in seen.facts.problems]


def refusal(opened: Open, name: str, content: str | bytes) -> str:
    with pytest.raises(SourceError) as refused:
        opened(name, content)
    assert name in str(refused.value)
    assert "\n" not in str(refused.value)
    return str(refused.value)


# --- encodings

WORDS = {
    "cp1252": [
        "Zürich",
        "Genève",
        "Müller & Söhne",
        "Größe",
        "Straße 5",
        "à la carte",
        "L’été",
        "«Öl»",
        "10 €",
        "señor",
    ],
    "gb18030": ["北京", "上海市", "张伟", "人民币", "合同编号", "第一季度，销售", "中国"],
    "cp932": ["東京", "株式会社", "さくら", "スズキ", "売上高", "佐藤さん"],
    "euc_kr": ["서울특별시", "부산광역시", "대한민국", "주식회사"],
}
SAID = {"cp1252": "Windows-1252", "gb18030": "GB18030", "cp932": "Shift-JIS", "euc_kr": "EUC-KR"}


@pytest.mark.parametrize("codec", WORDS)
@quick
@given(data=st.data())
def test_words_of_an_undeclared_encoding_come_back_as_they_were_and_the_guess_is_said(
    tmp_path: Path, codec: str, data: st.DataObject
) -> None:
    words = data.draw(
        st.permutations(WORDS[codec]) if codec == "euc_kr" else st.lists(st.sampled_from(WORDS[codec]), min_size=1)
    )
    text = "id;name\n" + "".join(f"{number};{word}\n" for number, word in enumerate(words))
    file = tmp_path / "x.csv"
    file.write_bytes(text.encode(codec))
    found = detect(file)
    assert found.name == SAID[codec]
    assert found.note is not None
    assert SAID[codec] in found.note
    assert transcoded(file, found, tmp_path / "copy.csv").read_bytes().decode("utf-8") == text


@pytest.mark.parametrize(
    ("codec", "name"),
    [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8 with a byte order mark"), ("utf-16", "UTF-16"), ("utf-16-be", "UTF-16")],
)
def test_unicode_is_recognised_without_a_guess(opened: Open, codec: str, name: str) -> None:
    mark = "\ufeff" if codec == "utf-16-be" else ""
    source = opened("x.csv", f"{mark}ort;n\nZürich 北京;1\n", codec)
    assert source.facts.encoding == name
    assert cells(source, "x") == [("Zürich 北京", 1)]
    assert said(source) == []


@pytest.mark.parametrize("codec", ["cp850", "mac_roman", "cp1250", "cp1251", "koi8-r", "euc_jp", "utf-16-le", "utf-32"])
def test_an_encoding_that_cannot_be_told_is_refused_and_never_garbled(opened: Open, codec: str) -> None:
    text = {"cp1250": "Łódź,Gdańsk", "cp1251": "Москва,x", "koi8-r": "Москва,x", "euc_jp": "さくら,スズキ"}
    line = text.get(codec, "Müller,Größe")
    assert "not encoded in UTF-8" in refusal(opened, "x.csv", f"a,b\n{line}\n".encode(codec))


def test_a_utf8_file_with_a_broken_line_is_refused_with_its_line(opened: Open) -> None:
    content = "a,b\nMüller,1\nGrüezi,2\n".encode() + b"K\xfcng,3\n"
    assert "line 4 is broken" in refusal(opened, "x.csv", content)


def test_an_encoding_is_found_far_down_a_file_whose_beginning_is_ascii(opened: Open) -> None:
    source = opened("x.csv", b"id,t\n" + b"1,x\n" * 100_000 + "2,Zürich\n".encode("cp1252"))
    assert source.facts.encoding == "Windows-1252"
    assert cells(source, "x")[-1] == (2, "Zürich")


def test_a_file_is_transcoded_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory that a copy takes does not grow with the file."""
    monkeypatch.setattr(encodings, "_CHUNK", 1 << 14)
    monkeypatch.setattr(encodings, "_SAMPLE", 1 << 14)
    file = tmp_path / "x.csv"
    with file.open("w", encoding="cp1252") as stream:
        stream.writelines(f"{number};Zürich\n" for number in range(400_000))
    tracemalloc.start()
    found = detect(file)
    transcoded(file, found, tmp_path / "copy.csv")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert file.stat().st_size > 5_000_000
    assert peak < 1_000_000


def test_the_engine_reaches_the_copy_and_no_other_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("ort\nZürich\nBasel\n".encode("cp1252"))
    source = open_files(tmp_path / "x.csv", Settings())
    (copy,) = source.files[0].reads
    other = copy.with_name("other.csv")
    other.write_text("secret\n1\n", encoding="utf-8")
    text = (Column("ort", ColumnType.TEXT),)
    assert source.begin(Statement("SELECT ort FROM x", (), text, 10)).rows() == [("Zürich",), ("Basel",)]
    with pytest.raises(QueryFailed):
        source.begin(Statement(f"SELECT secret FROM read_csv_auto('{other}')", (), text, 10)).rows()
    source.close()
    assert not copy.exists()


# --- dialects


@pytest.fixture(scope="module")
def read(engine: duckdb.DuckDBPyConnection, tmp_path_factory: pytest.TempPathFactory) -> Read:
    """The rows that some bytes give."""
    folder = tmp_path_factory.mktemp("read")

    def read_(content: bytes, add: Callable[..., FileFacts] = add_csv) -> tuple[list[Any], FileFacts]:
        for copy in folder.iterdir():
            copy.unlink()
        file = folder / "x.csv"
        file.write_bytes(content)
        engine.execute("DROP VIEW IF EXISTS t")
        facts = add(engine, file, "t", folder)
        return engine.execute("SELECT * FROM t").fetchall(), facts

    return read_


# Texts that are no numbers, and that do not themselves look like something in quotes.
texts = st.text(alphabet="abcÜé ,;|\t\"'\n#.:-/5%", max_size=8).map(lambda text: f"x{text}")
empties = st.just("")


@st.composite
def written_tables(draw: st.DrawFn) -> tuple[list[list[str]], dict[str, Any]]:
    width = draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(texts | empties, min_size=width, max_size=width), min_size=1, max_size=6))
    dialect = {
        "delimiter": draw(st.sampled_from(",;\t|")),
        "quotechar": draw(st.sampled_from("\"'")),
        "quoting": draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])),
        "lineterminator": draw(st.sampled_from(["\n", "\r\n"])),
    }
    return rows, dialect


@settings(quick, max_examples=60)
@given(written_tables(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
@example(
    (
        [["x", ""], ["", "xb"]],
        {"delimiter": ";", "quotechar": "'", "quoting": csv.QUOTE_MINIMAL, "lineterminator": "\n"},
    ),
    "utf-8",
)
@example(
    ([["x's", "x"]], {"delimiter": ",", "quotechar": "'", "quoting": csv.QUOTE_MINIMAL, "lineterminator": "\r\n"}),
    "utf-8",
)
def test_what_pythons_csv_writes_reads_back_to_the_same_cells(
    read: Read, written: tuple[list[list[str]], dict[str, Any]], codec: str
) -> None:
    rows, dialect = written
    rows = [row for row in rows if any(row)]  # a row of nothing but delimiters is no row
    out = io.StringIO(newline="")
    writer = csv.writer(out, **dialect)
    writer.writerow([f"name {number}" for number in range(len(rows[0]) if rows else 2)])
    writer.writerows(rows)
    found, facts = read(out.getvalue().encode(codec))
    assert [[cell or "" for cell in row] for row in found] == rows
    assert facts.delimiter == dialect["delimiter"]


@quick
@given(st.lists(st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=5))
def test_backslashes_before_quotes_are_understood(read: Read, rows: list[list[str]]) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, doublequote=False, escapechar="\\", lineterminator="\n")
    writer.writerows([["name 1", "name 2"], ['x"y"', "x"], *rows])
    found, _ = read(out.getvalue().encode())
    assert [list(row) for row in found] == [['x"y"', "x"], *rows]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"a,b\r\n1,2\n3,4\r\n", [(1, 2), (3, 4)], id="mixed-line-ends"),
        pytest.param(b"a,b\r1,2\r3,4\r", [(1, 2), (3, 4)], id="old-mac-line-ends"),
        pytest.param(b'a,b\n1,"x\r\ny"\n', [(1, "x\r\ny")], id="another-line-end-in-quotes"),
        pytest.param(b'a, b\n1, "x, y"\n2, "z"\n', [(1, "x, y"), (2, "z")], id="spaces-before-quotes"),
        pytest.param(b'a\tb\n5" pipe\t1\n', [('5" pipe', 1)], id="a-quote-inside-a-field"),
        pytest.param(b"Name, Vorname;n\nMuster, Hans;5\n", [("Muster, Hans", 5)], id="commas-between-semicolons"),
        pytest.param(b"a;b\n1,5;2,5\n3,5;4,5\n", [(Decimal("1.5"), Decimal("2.5")), (Decimal("3.5"), Decimal("4.5"))], id="decimal-commas"),
        pytest.param(b"note\nhello, you\nfoo, bar\n", [("hello, you",), ("foo, bar",)], id="sentences-in-one-column"),
        pytest.param(b"a,b\n1,2,\n3,4,\n", [(1, 2), (3, 4)], id="rows-end-in-a-comma"),
        pytest.param(b"a,b,,\n1,2,,\n", [(1, 2)], id="empty-columns-at-the-end"),
        pytest.param(b"a,b,\n1,2\n3,4\n", [(1, 2), (3, 4)], id="only-the-names-end-in-a-comma"),
    ],
)  # fmt: skip
def test_unusual_dialects_are_read(opened: Open, content: bytes, expected: list[tuple[Any, ...]]) -> None:
    assert cells(opened("x.csv", content), "x") == expected


def test_line_ends_that_change_far_down_are_read_and_lose_no_row(opened: Open) -> None:
    content = "id,t\n" + "".join(f"{number},x\n" for number in range(30_000)) + "7,y\r\n8,z\r\n"
    source = opened("x.csv", content)
    assert list(source.facts.tables.values()) == [30_002]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,b\n1,2\n3\n4,5,6\n", "line 3 has 1 field where others have 2"),
        ("# made by hand\nid,t\n1,a\n# half way\n2,b\n", "line 4 has 1 field where others have 2"),
        ("id,t\n" + "1,x\n" * 30_000 + "2,y,z\n" + "3,w\n" * 9, "line 30002 has 3 fields where others have 2"),
        ("id,t\n" + "1,x\n" * 40_000 + '2,"y\n' + "3,z\n" * 9, "cannot be read; check its quotes"),
    ],
    ids=["ragged", "comment-half-way", "ragged-far-down", "open-quote-far-down"],
)
def test_lines_that_do_not_fit_are_refused_with_their_number(opened: Open, content: str, says: str) -> None:
    assert says in refusal(opened, "x.csv", content)


def test_a_quote_that_never_closes_is_a_character_and_is_said(opened: Open) -> None:
    source = opened("x.csv", 'id,t\n1,x\n2,"y\n3,z\n')
    assert cells(source, "x") == [(1, "x"), (2, '"y'), (3, "z")]
    assert said(source) == [(None, None, "Quotes in the file do not close; they are read as characters.")]


def test_two_possible_delimiters_are_said(opened: Open) -> None:
    source = opened("x.csv", "Name, Vorname;n\nMuster, Hans;a\nFoo, Bar;b\n")
    assert source.facts.delimiter == ";"
    assert any("commas would fit as well" in what for _, _, what in said(source))


@settings(quick, max_examples=40)
@given(st.binary(max_size=200) | st.text(alphabet="ab,;|\t\"'\\\r\n#1.2/0 Totalü", max_size=120).map(str.encode))
@example(b"\xff\xfea")
@example(b'"')
@example(b"a\n\n\n")
@example(b",")
@example(b"\t\t\r\t\r\t")
@example(b"\xef\xbb\xbf")
def test_any_bytes_are_a_table_or_a_sentence(read: Read, content: bytes) -> None:
    with suppress(SourceError):
        rows, facts = read(content or b" ")
        assert facts.tables == {"t": len(rows)}


# --- numbers


def write_number(number: Decimal, decimal: str, group: str) -> str:
    return f"{number:,}".replace(",", "\0").replace(".", decimal).replace("\0", group)


LOCALES = {
    "de-DE": (",", "."),
    "de-CH": (".", "'"),
    "de-CH ’": (".", "’"),
    "en": (".", ","),
    "fr": (",", "\u202f"),
    "C": (".", ""),
}


@settings(quick, max_examples=60)
@given(
    locale=st.sampled_from(list(LOCALES)),
    numbers=st.lists(st.tuples(st.integers(-(10**9), 10**9), st.integers(0, 4)), min_size=1, max_size=6),
    beside=st.none() | st.lists(st.decimals(-1000, 1000, places=2), min_size=6, max_size=6),
    delimiter=st.sampled_from(",;\t"),
)
@example(locale="de-DE", numbers=[(1234, 0)], beside=None, delimiter=";")
@example(locale="en", numbers=[(1234, 3)], beside=None, delimiter=",")
@example(locale="en", numbers=[(1234, 0), (12345, 0)], beside=None, delimiter=";")
@example(locale="de-DE", numbers=[(1234567, 3), (5, 0)], beside=None, delimiter=",")
def test_numbers_of_any_country_come_back_exactly_or_as_the_text_they_were(
    read: Read,
    locale: str,
    numbers: list[tuple[int, int]],
    beside: list[Decimal] | None,
    delimiter: str,
) -> None:
    """Never another number: this is the property that everything else here serves."""
    values = [Decimal(digits).scaleb(-places) for digits, places in numbers]
    columns = [values] if beside is None else [values, beside[: len(values)]]
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["name", *(f"n{number}" for number in range(len(columns)))])
    written = [["x", *(write_number(value, *LOCALES[locale]) for value in row)] for row in zip(*columns, strict=True)]
    writer.writerows(written)
    found, _ = read(out.getvalue().encode())
    for row, real, texts_ in zip(found, zip(*columns, strict=True), written, strict=True):
        for cell, value, text in zip(row[1:], real, texts_[1:], strict=True):
            assert cell == text if isinstance(cell, str) else Decimal(cell) == value


@pytest.mark.parametrize(
    ("content", "kinds", "column", "what"),
    [
        ("a;w\nx;1.234\ny;2.345\n", "text", "w", "1.234 can be two different numbers; the column is kept as text."),
        ("a;w\nx;1,234\ny;2,345\n", "text", "w", "1,234 can be two different numbers; the column is kept as text."),
        ("a;w;v\nx;1.234;0,5\ny;2.345;1,25\n", "integer", "w", "Numbers such as 1.234 are read as 1234."),
        ("a;w;v\nx;1.234;0.5\ny;2.345;1.25\n", "decimal", "w", None),
        ("a;w\nx;1,5\ny;2.5\n", "text", "w", "Numbers are written in several ways, such as 1,5 and 2.5: kept as text."),
        ("a;w\nx;1'234.50\ny;2.05\n", "decimal", "w", "Numbers such as 1'234.50 are read as 1234.50."),
        ("a;w\nx;1 234,50\ny;7\n", "decimal", "w", "Numbers such as 1 234,50 are read as 1234.50."),
        ("a;w\nx;−5\ny;7\n", "integer", "w", None),
        ("a,w\nx,1.5\ny,n/a\nz,3\n", "text", "w", "1 of 3 values cannot be read as numbers, such as 'n/a': kept as text."),
        ("a,w\nx,12 %\ny,13 %\n", "text", "w", "Numbers such as 12 % carry a sign or a unit: kept as text."),
        ("a,w\nx,0123\ny,8000\n", "text", "w", None),
        ("a,w\nx,1e5\ny,2.5E-3\n", "float", "w", None),
        ("a,w\nx,12345678901234567890123456789012345\n", "text", "w", None),
        ("a,w\nx,1e400\ny,1e5\n", "text", "w", None),
        ("a,w\nx,-\ny,5\nz,6\n", "text", "w", "1 of 3 values cannot be read as numbers, such as '-': kept as text."),
    ],
)  # fmt: skip
def test_a_column_is_numbers_only_when_that_is_sure(
    opened: Open, content: str, kinds: str, column: str, what: str | None
) -> None:
    source = opened("x.csv", content)
    assert types(source, "x")[column] == kinds
    assert [text for name, _, text in said(source) if name == column] == ([what] if what else [])


def test_a_value_far_down_that_is_no_number_makes_the_column_text_and_its_row_is_said(opened: Open) -> None:
    source = opened("x.csv", "id,n\n" + "".join(f"{number},{number}.5\n" for number in range(50_000)) + "1,none\n")
    assert types(source, "x") == {"id": "integer", "n": "text"}
    (problem,) = [(row, what) for name, row, what in said(source) if name == "n"]
    assert problem == (50_002, "1 of 50001 values cannot be read as numbers, such as 'none': kept as text.")


@quick
@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12))
def test_no_two_ways_to_write_numbers_agree_on_a_text_unless_they_agree_on_its_value(number: Decimal) -> None:
    for style in FORMATS:
        text = write_number(number, style.decimal, style.group[:1])
        assert Decimal(style.plain(text)) == number
        assert looks_like_number(text)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("31.01.2025\n1.2.2025\n", "date"),
        ("2025/1/31\n2025/2/1\n", "date"),
        ("2025年1月31日\n2025年2月1日\n", "date"),
        ("31/01/2025\n01/02/2025\n", "date"),
        ("01/31/2025\n02/01/2025\n", "date"),
        ("01/02/2025\n03/04/2025\n", "text"),
        ("31.01.25\n01.02.25\n", "text"),
        ("2025-02-30\n2025-01-01\n", "text"),
        ("31.01.2025 10:05\n01.02.2025 11:00\n", "timestamp"),
        ("2025-01-31\n2025-01-31 10:00\n", "timestamp"),
        ("1/31/2025 3:04 PM\n2/1/2025 11:00 AM\n", "timestamp"),
        ("true\nFALSE\n", "boolean"),
    ],
)
def test_dates_are_read_when_day_and_month_are_sure(opened: Open, column: str, kind: str) -> None:
    assert types(opened("x.csv", "d\n" + column), "x") == {"d": kind}


def test_missing_dates_and_numbers_do_not_make_a_column_text(opened: Open) -> None:
    source = opened("x.csv", "id,d,n,b\n1,2025-01-31,1.5,true\n2,,,\n3,2025-02-01,2.5,false\n")
    assert types(source, "x") == {"id": "integer", "d": "date", "n": "decimal", "b": "boolean"}
    assert cells(source, "x")[1] == (2, None, None, None)


def test_another_column_tells_whether_the_day_or_the_month_comes_first(opened: Open) -> None:
    source = opened("x.csv", "a,b\n13/02/2025,01/02/2025\n03/04/2025,03/04/2025\n")
    assert cells(source, "x")[0] == (date(2025, 2, 13), date(2025, 2, 1))
    alone = opened("y.csv", "b\n01/02/2025\n03/04/2025\n")
    assert said(alone) == [("b", None, "01/02/2025 can be a day of two months; the column is kept as text.")]


# --- what stands above, below and between


@pytest.mark.parametrize(
    ("content", "skipped"),
    [
        ("Umsatz 2024\n\nRegion;Betrag\nNord;1,5\nSüd;2,5\n", ["Umsatz 2024"]),
        ("Umsatz 2024;\n;\nRegion;Betrag\nNord;1,5\nSüd;2,5\n", ["Umsatz 2024"]),
        ("Umsatz\nStand: 31.12.2024\nRegion;Betrag\nNord;1,5\nSüd;2,5\n", ["Umsatz", "Stand: 31.12.2024"]),
        ("# made by hand; v2\nRegion;Betrag\nNord;1,5\nSüd;2,5\n", ["# made by hand v2"]),
        ("Region;Betrag\n;CHF\nNord;1,5\nSüd;2,5\n", ["Betrag in CHF"]),
    ],
    ids=["title", "title-with-delimiters", "two-titles", "comment", "units"],
)
def test_rows_above_a_table_and_units_are_left_out_and_said(opened: Open, content: str, skipped: list[str]) -> None:
    source = opened("x.csv", content)
    assert cells(source, "x") == [("Nord", Decimal("1.5")), ("Süd", Decimal("2.5"))]
    whats = [what for _, row, what in said(source) if row is not None]
    assert len(whats) == len(skipped)
    assert all(text in what for text, what in zip(skipped, whats, strict=True))


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("Region,2023,2024\nNord,100,200\n", ["Region", "2023", "2024"]),
        ("Konto,1,2,3\nA,10,20,30\nB,11,21,31\n", ["Konto", "1", "2", "3"]),
        ("Konto,2024-01-31,2024-02-29\nA,10,20\n", ["Konto", "2024-01-31", "2024-02-29"]),
        ("1,Nord,5.5\n2,Süd,6.5\n", ["column_1", "column_2", "column_3"]),
        (";2023;;2024;\nRegion;Umsatz;Menge;Umsatz;Menge\nN;1;2;3;4\n", ["Region", "2023 / Umsatz", "2023 / Menge", "2024 / Umsatz", "2024 / Menge"]),
        ("a,a,,b\n1,2,3,4\n", ["a", "a_2", "column_3", "b"]),
        ("name,city\nBob,Bern\nEve,Basel\n", ["name", "city"]),
        ('"a\nb", c \n1,2\n', ["a b", "c"]),
    ],
    ids=["years", "months", "days", "none", "groups", "repeated-and-missing", "all-text", "line-break-in-a-name"],
)  # fmt: skip
def test_columns_get_the_names_that_people_see(opened: Open, content: str, names: list[str]) -> None:
    source = opened("x.csv", content)
    assert list(types(source, "x")) == names


@settings(quick, max_examples=60)
@given(data=st.data(), width=st.integers(2, 4), delimiter=st.sampled_from(",;"))
def test_no_row_below_a_row_of_names_is_ever_lost(read: Read, data: st.DataObject, width: int, delimiter: str) -> None:
    """Titles, units and totals are left out; a row of data never is, however sparse."""
    cell = st.sampled_from(["", "", "Nord", "x y", "5", "1.5", "2,5", "2024", "31.01.2025", "true", "n/a", "A1"])
    rows = data.draw(st.lists(st.lists(cell, min_size=width, max_size=width).filter(any), min_size=1, max_size=6))
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerows([[f"name {number}" for number in range(width)], *rows])
    found, facts = read(out.getvalue().encode())
    assert len(found) == len(rows)
    assert not any("row" in problem.what.lower() for problem in facts.problems)


def test_a_file_without_names_loses_no_row_and_says_so(opened: Open) -> None:
    source = opened("x.csv", "1,Nord,5.5\n2,Süd,6.5\n")
    assert len(cells(source, "x")) == 2
    assert any("no row of column names" in what for _, _, what in said(source))


@pytest.mark.parametrize(
    ("content", "rows", "what"),
    [
        ("Region;Betrag\nNord;1,5\nSüd;2,5\nTotal;4,0\n", 2, "it is left out"),
        ("Jahr;Betrag\n2023;1,5\n2024;2,5\nGesamt:;4,0\n", 2, "it is left out"),
        ("地区,金额\n北,1.5\n南,2.5\n合计,4.0\n", 2, "it is left out"),
        ("Region;Betrag\nNord;1,5\nSüd;2,5\nTotal;9,9\n", 3, "counts it twice: filter it out"),
        ("Region;Betrag\nNord;1,5\nSumme Nord;1,5\nSüd;2,5\n", 3, "counts it twice: filter it out"),
        ("Region;Betrag\nNord;4,0\nTotal;4,0\n", 2, "counts it twice: filter it out"),
        ("Region;Betrag\nNord;1,5\nSüd;2,5\n;4,0\n", 3, None),
        ("Firma;Betrag\nShell;1,5\nTotalenergies;2,5\n", 2, None),
        ("Text;Mehr\na;b\nTotal;c\n", 2, None),
    ],
    ids=["total", "over-years", "chinese", "not-the-sum", "subtotal", "of-one-row", "without-a-label", "a-name", "no-numbers"],
)  # fmt: skip
def test_a_total_is_left_out_when_it_is_certain_and_said_when_it_is_not(
    opened: Open, content: str, rows: int, what: str | None
) -> None:
    source = opened("x.csv", content)
    assert len(cells(source, "x")) == rows == source.facts.tables["x"]
    about = [text for _, _, text in said(source) if "sum" in text or "total" in text]
    assert len(about) == (what is not None)
    assert all((what or "") in text for text in about)


@pytest.mark.parametrize("text", ["Total", "TOTALS", "Gesamtsumme", "Summe:", "Grand total", "Zwischensumme Nord", "Total 2024", "合计", "总计（元）"])  # fmt: skip
def test_totals_have_many_names(text: str) -> None:
    assert is_label(text)


@pytest.mark.parametrize("text", ["Totalenergies", "Summer", "Gesamtschule", "Sumatra", "subtle", "", "Nord"])
def test_other_words_are_no_totals(text: str) -> None:
    assert not is_label(text)


# --- JSON

plain_values = st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text(max_size=8)


def test_json_is_read_without_an_extension_to_download() -> None:
    """What `read_json_objects` needs is part of the engine itself."""
    config = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    with duckdb.connect(config=config) as connection:  # type: ignore[arg-type]
        found = connection.execute(
            "SELECT loaded, install_mode FROM duckdb_extensions() WHERE extension_name = 'json'"
        ).fetchone()
    assert found == (True, "STATICALLY_LINKED")


def test_json_lines_become_typed_columns(opened: Open) -> None:
    source = opened(
        "x.jsonl",
        '{"id": 1, "a": 1.10, "s": "x", "d": "2025-01-31", "n": {"k": [1]}, "t": true, "code": "007"}\n'
        "\n"
        '{"id": 2, "a": 22.25, "l": [1, 2], "t": false, "d": null, "m": 5}\n'
        '{"id": 3, "a": 3, "m": "x"}\n',
    )
    assert types(source, "x") == {
        "id": "integer",
        "a": "decimal",
        "s": "text",
        "d": "date",
        "n": "text",
        "t": "boolean",
        "code": "text",
        "l": "text",
        "m": "text",
    }
    assert cells(source, "x") == [
        (1, Decimal("1.10"), "x", date(2025, 1, 31), '{"k":[1]}', True, "007", None, None),
        (2, Decimal("22.25"), None, None, None, False, None, "[1,2]", "5"),
        (3, Decimal("3.00"), None, None, None, None, None, None, "x"),
    ]
    whats = {name: what for name, _, what in said(source)}
    assert whats == {
        "n": "Holds lists or objects; they are shown as JSON text.",
        "l": "Holds lists or objects; they are shown as JSON text.",
        "m": "Holds values of different types; they are kept as text.",
    }


@quick
@given(st.lists(st.dictionaries(st.sampled_from(["a", "B", "c d", "e/f~g", 'h"i', "ü"]), plain_values, min_size=1), min_size=1, max_size=6))  # fmt: skip
def test_json_lines_read_back_to_the_same_values(read: Read, objects: list[dict[str, Any]]) -> None:
    keys = list(dict.fromkeys(key for one in objects for key in one))
    text = "".join(json.dumps(one) + "\n" for one in objects)
    found, facts = read(text.encode(), add_json)
    assert facts.tables == {"t": len(objects)}
    for row, one in zip(found, objects, strict=True):
        for cell, key in zip(row, keys, strict=True):
            kinds = {type(other[key]) for other in objects if other.get(key) is not None}
            value = one.get(key)
            if value is None or kinds in ({int}, {bool}, {str}):
                assert cell == value
            else:  # mixed types are shown as text
                assert cell == (value if isinstance(value, str) else json.dumps(value))


def test_a_list_of_objects_is_a_table_too(opened: Open) -> None:
    source = opened("x.json", '[{"a": 0.1, "b": "x"},\n {"a": 0.2}]')
    assert source.facts.format == "json"
    assert cells(source, "x") == [(Decimal("0.1"), "x"), (Decimal("0.2"), None)]


def test_json_numbers_with_more_digits_than_a_float_has_stay_floats(opened: Open) -> None:
    assert types(opened("x.jsonl", '{"a": 1234567890123456.789}\n{"a": 1}\n'), "x") == {"a": "float"}


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_json_with_a_byte_order_mark_is_read(opened: Open, codec: str) -> None:
    assert cells(opened("x.jsonl", '{"ort": "Zürich"}\n', codec), "x") == [("Zürich",)]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.jsonl", '{"a": 1}\n{"a": 2\n{"a": 3}\n', "line 2 is no JSON object"),
        ("x.jsonl", '{"a": 1}\n[2]\n', "line 2 is no JSON object"),
        ("x.jsonl", "{}\n{}\n", "holds no JSON object with a key"),
        ("x.json", '{\n  "a": 1\n}\n', "no complete list"),
        ("x.json", '[{"a": 1}, {"a": 2}', "no complete list"),
        ("x.json", "[1, 2]", "no complete list"),
        ("x.json", "[]", "no complete list"),
        ("x.jsonl", '{"a": "Zürich"}\n'.encode("cp1252"), "not encoded in UTF-8"),
        ("x.jsonl", "".join(json.dumps({f"k{number}": 1}) + "\n" for number in range(2100)), "different keys"),
    ],
    ids=["cut", "no-object", "no-keys", "one-object", "cut-list", "no-objects", "empty", "latin", "too-many-keys"],
)
def test_json_that_is_no_table_is_one_sentence(opened: Open, name: str, content: str | bytes, says: str) -> None:
    assert says in refusal(opened, name, content)


def test_a_key_that_stands_twice_in_an_object_is_said(opened: Open) -> None:
    source = opened("x.jsonl", '{"a": 1, "a": 2}\n{"a": 3, "A": 4}\n')
    assert cells(source, "x") == [(1, None), (3, 4)]
    assert list(types(source, "x")) == ["a", "A_2"]
    assert any("name a key twice (1)" in what for _, _, what in said(source))


def test_json_nested_deeper_than_any_person_would_is_no_crash(opened: Open) -> None:
    deep = "[" * 50_000 + "]" * 50_000
    source = opened("x.jsonl", f'{{"a": {deep}, "b": 1}}\n')
    assert types(source, "x") == {"a": "text", "b": "integer"}


def test_settings_in_a_folder_of_data_are_not_taken_for_data(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "x",\n "version": 1}', encoding="utf-8")
    (tmp_path / "a.json").write_text('[{"n": 1}]', encoding="utf-8")
    (tmp_path / "b.ndjson").write_text('{"n": 2}\n', encoding="utf-8")
    source = open_files(tmp_path, Settings())
    assert {name: list(table.columns) for name, table in source.tables.items()} == {"a": ["n"], "b": ["n"]}
    source.close()


# --- Excel


def test_merged_headers_titles_and_totals_of_a_sheet(workbook: Workbook) -> None:
    def build(_book: openpyxl.Workbook, sheet: Worksheet) -> None:
        put(
            sheet,
            ["Umsatzbericht 2024"],
            [],
            ["Region", 2023, None, 2024],
            [None, "Umsatz", "Menge", "Umsatz", "Menge"],
            ["Nord", 1.5, 2, 3.5, 4],
            ["Süd", 2.5, 3, 4.5, 5],
            ["Total", 4, 5, 8, 9],
        )
        for area in ("A1:E1", "B3:C3", "D3:E3", "A3:A4"):
            sheet.merge_cells(area)

    source = workbook(build)
    assert list(types(source, "book")) == ["Region", "2023 / Umsatz", "2023 / Menge", "2024 / Umsatz", "2024 / Menge"]  # fmt: skip
    assert cells(source, "book") == [
        ("Nord", Decimal("1.5"), 2, Decimal("3.5"), 4),
        ("Süd", Decimal("2.5"), 3, Decimal("4.5"), 5),
    ]
    assert [(row, what.split(":")[0]) for _, row, what in said(source)] == [
        (1, "Stands above the table and is not read"),
        (3, "Two rows of column names were joined"),
        (7, "'Total' is the sum of the rows above; it is left out, so that nothing is counted twice."),
    ]


def test_a_row_of_texts_below_merged_names_is_data_unless_figures_show_otherwise(workbook: Workbook) -> None:
    def build(_book: openpyxl.Workbook, sheet: Worksheet) -> None:
        put(sheet, ["Name", None, "Ort"], ["Anna", "Muster", "Bern"], ["Eve", "Beispiel", "Basel"])
        sheet.merge_cells("A1:B1")

    source = workbook(build)
    assert list(types(source, "book")) == ["Name", "Name_2", "Ort"]
    assert len(cells(source, "book")) == 2


def test_hidden_empty_and_chart_sheets_are_listed_and_not_read(workbook: Workbook) -> None:
    def build(book: openpyxl.Workbook, sheet: Worksheet) -> None:
        put(sheet, ["a"], [1])
        hidden = book.create_sheet("Alt")
        hidden.sheet_state = "hidden"
        put(hidden, ["secret"], [9])
        book.create_sheet("Leer")
        put(book.create_sheet("Zwei"), ["b"], ["x"])
        book.create_chartsheet("Bild")

    source = workbook(build)
    assert source.facts.tables == {"Eins": 1, "Zwei": 1}
    assert [(sheet.name, sheet.hidden, sheet.used) for sheet in source.facts.sheets] == [
        ("Eins", False, True),
        ("Alt", True, False),
        ("Leer", False, False),
        ("Zwei", False, True),
        ("Bild", False, False),
    ]
    assert said(source) == [(None, None, "The sheet 'Alt' is hidden and is not read.")]


def test_errors_and_formulas_without_results_are_missing_and_said(workbook: Workbook) -> None:
    def build(_book: openpyxl.Workbook, sheet: Worksheet) -> None:
        put(sheet, ["Region", "Betrag"], ["Nord", 1.5], ["Süd", "#DIV/0!"], ["West", "=1+2"], ["Ost", 5])
        sheet["B3"].data_type = "e"

    source = workbook(build)
    assert cells(source, "book") == [("Nord", Decimal("1.5")), ("Süd", None), ("West", None), ("Ost", Decimal("5.0"))]
    assert [what for _, _, what in said(source)] == [
        "Cells with errors are read as missing (1): B3 #DIV/0!.",
        "Formulas without a stored result are read as missing (1): B4; open the file in Excel and save it.",
    ]


def test_numbers_stored_as_text_and_mixed_columns_are_said(workbook: Workbook) -> None:
    def build(_book: openpyxl.Workbook, sheet: Worksheet) -> None:
        put(sheet, ["n", "m", "code"], ["1'234.50", 1, "007"], ["2.05", "n/a", "008"], ["3", 5, "110"])

    source = workbook(build)
    assert types(source, "book") == {"n": "text", "m": "text", "code": "text"}
    assert said(source) == [
        (
            "n",
            2,
            "Numbers such as 1'234.50 are stored as text and cannot be added up; turn them into numbers in Excel.",
        ),
        ("m", 3, "1 of 3 values are text, such as 'n/a': the column is kept as text."),
    ]


def test_a_text_merged_over_rows_belongs_to_each_and_a_figure_counts_once(workbook: Workbook) -> None:
    def build(_book: openpyxl.Workbook, sheet: Worksheet) -> None:
        put(sheet, ["Region", "Ort", "Betrag"], ["Nord", "A", 5], [None, "B", None], ["Süd", "C", 7])
        sheet.merge_cells("A2:A3")
        sheet.merge_cells("C2:C3")

    source = workbook(build)
    assert cells(source, "book") == [("Nord", "A", 5), ("Nord", "B", None), ("Süd", "C", 7)]
    assert [what for _, _, what in said(source)] == [
        "Merged texts that span several rows (1) were put into each of them.",
        "Other merged cells (1) count once, in their first row and column.",
    ]


def test_a_table_may_begin_anywhere_on_a_sheet_and_rows_are_counted_as_people_see_them(
    workbook: Workbook,
) -> None:
    def build(_book: openpyxl.Workbook, sheet: Worksheet) -> None:
        for place, value in {"C5": "Region", "D5": "n", "C6": "Nord", "D6": 5, "C7": "Süd", "D7": "x", "D8": 6, "D9": 7}.items():  # fmt: skip
            sheet[place].value = value

    source = workbook(build)
    assert cells(source, "book") == [("Nord", "5"), ("Süd", "x"), (None, "6"), (None, "7")]
    assert [(name, row) for name, row, _ in said(source)] == [("n", 7)]


@pytest.mark.parametrize(
    ("total", "rows"), [(3.75, 2), (3.7500001, 3), (4, 3)], ids=["the-sum", "nearly-the-sum", "another-figure"]
)
def test_a_total_on_a_sheet_is_left_out_only_when_it_is_the_sum(workbook: Workbook, total: float, rows: int) -> None:
    def build(_book: openpyxl.Workbook, sheet: Worksheet) -> None:
        put(sheet, ["Jahr", "Betrag"], [2023, 1.5], [2024, 2.25], ["Gesamt", total])

    source = workbook(build)
    assert len(cells(source, "book")) == rows
    assert types(source, "book")["Jahr"] == ("integer" if rows == 2 else "text")


def test_units_below_the_names_of_a_sheet_are_no_data(workbook: Workbook) -> None:
    def build(_book: openpyxl.Workbook, sheet: Worksheet) -> None:
        put(sheet, ["Region", "Betrag", "am"], [None, "CHF", None], ["Nord", 1.5, datetime(2025, 1, 31)])

    source = workbook(build)
    assert cells(source, "book") == [("Nord", Decimal("1.5"), date(2025, 1, 31))]


def test_a_workbook_that_unpacks_to_more_than_it_may_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = openpyxl.Workbook()
    assert isinstance(book.active, Worksheet)
    put(book.active, ["a"], [1])
    book.save(tmp_path / "x.xlsx")
    monkeypatch.setattr(excel_file, "MOST_UNPACKED", 1000)
    with pytest.raises(SourceError, match=r"x\.xlsx is too large once unpacked"):
        open_files(tmp_path / "x.xlsx", Settings())


def test_a_sheet_with_one_cell_far_away_is_refused_before_it_takes_all_memory(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert isinstance(book.active, Worksheet)
    book.active["A1"].value = "a"
    book.active["XFD1048576"].value = 5
    book.save(tmp_path / "x.xlsx")
    with pytest.raises(SourceError, match="spans 1048576 rows and 16384 columns"):
        open_files(tmp_path / "x.xlsx", Settings())


@settings(quick, max_examples=8)
@given(
    st.lists(
        st.tuples(st.integers(-(2**53) + 1, 2**53 - 1), st.decimals(-(10**6), 10**6, places=2), st.text(alphabet='ab" ,;\nü', max_size=6)),
        min_size=1,
        max_size=6,
    )
)  # fmt: skip
def test_what_is_typed_into_a_sheet_reads_back_exactly(
    engine: duckdb.DuckDBPyConnection, tmp_path: Path, rows: list[tuple[int, Decimal, str]]
) -> None:
    book = openpyxl.Workbook()
    assert isinstance(book.active, Worksheet)
    put(book.active, ["whole", "amount", "note"], *((n, float(a), f"x{t}") for n, a, t in rows))
    book.save(tmp_path / "typed.xlsx")
    engine.execute("DROP TABLE IF EXISTS typed")
    found = cells(Seen(add_excel(engine, tmp_path / "typed.xlsx", set(), tmp_path, alone=True), engine), "typed")
    assert [(int(n), Decimal(str(a)), t) for n, a, t in found] == [(n, a.normalize() + 0, f"x{t}") for n, a, t in rows]


def test_rows_of_a_sheet_pass_by_one_at_a_time(engine: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    """The memory that Python takes does not grow with the sheet."""
    rows = random.Random(1)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("S")
    sheet.append(["id", "text"])
    for number in range(10_000):
        sheet.append([number, f"text {rows.random()} {number}"])
    book.save(tmp_path / "long.xlsx")
    tracemalloc.start()
    facts = add_excel(engine, tmp_path / "long.xlsx", set(), tmp_path, alone=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert facts.tables == {"long": 10_000}
    assert peak < 2_000_000
