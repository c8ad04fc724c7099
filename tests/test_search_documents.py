"""Files as documents, and documents as passages: what is read, what is refused, and that no text is lost."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from each_case import each
from veracity.errors import SourceError
from veracity.retrieval.search.documents import READERS, Document, Section, read_document
from veracity.retrieval.search.index import pack, sentences, split_document


def read(name: str, text: str | bytes, folder: Path | None = None) -> Document:
    raw = text.encode() if isinstance(text, str) else text
    path = (folder or Path("/nowhere")) / name
    if folder is not None:
        path.write_bytes(raw)
    return read_document(path, raw)


def pdf(*pages: str, title: str | None = None, password: str | None = None) -> bytes:
    """A PDF with one line of text per page."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    fonts = DictionaryObject({NameObject(key): NameObject(value) for key, value in font.items()})
    for text in pages:
        page = writer.add_blank_page(200, 200)
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): fonts})}
        )
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    held = io.BytesIO()
    writer.write(held)
    return held.getvalue()


# --- Markdown


def test_markdown_is_cut_at_its_headings_and_titled_by_the_first() -> None:
    document = read(
        "a.md",
        "# Handbook\n\nIntro.\n\n## Residency\n\nIn Germany.\n\n### Backups\n\nIn Frankfurt.\n\n## Pay\n\nMonthly.\n",
    )
    assert document.title == "Handbook"
    assert [(section.place, section.text.strip()) for section in document.sections] == [
        ("", "Intro."),
        ("Residency", "In Germany."),
        ("Residency > Backups", "In Frankfurt."),
        ("Pay", "Monthly."),
    ]


def test_front_matter_gives_the_title_and_is_not_text() -> None:
    document = read("a.md", '---\ntitle: "Data rules"\ndraft: true\n---\nText here.\n')
    assert document.title == "Data rules"
    assert "draft" not in document.sections[0].text


def test_number_sign_inside_a_code_block_is_no_heading() -> None:
    document = read("a.md", "# T\n\n```sh\n# not a heading\nls\n```\n\nAfter.\n")
    assert len(document.sections) == 1
    assert "# not a heading" in document.sections[0].text


def test_underlined_headings_are_headings() -> None:
    document = read("a.md", "Title\n=====\n\nOne.\n\nPart\n----\n\nTwo.\n")
    assert document.title == "Title"
    assert [(section.place, section.text.strip()) for section in document.sections] == [("", "One."), ("Part", "Two.")]


def test_links_and_marks_are_reduced_to_their_words() -> None:
    assert read("a.md", 'See [the **list**](http://x/y "t") and `code`.').sections[0].text == "See the list and code."


# --- text


def test_text_without_a_mark_is_read_by_its_encoding(tmp_path: Path) -> None:
    document = read("mueller.txt", "Müller und Söhne sind grün.".encode("latin-1"), tmp_path)
    assert document.title == "mueller"
    assert document.sections[0].text == "Müller und Söhne sind grün."


def test_utf16_with_a_mark_is_read(tmp_path: Path) -> None:
    assert read("a.txt", "Größe".encode("utf-16"), tmp_path).sections[0].text == "Größe"


@pytest.mark.parametrize(
    ("name", "raw", "said"),
    [
        ("a.md", b"", "empty"),
        ("a.md", b" \n\t ", "empty"),
        ("a.txt", b"abc\0def", "binary"),
        ("a.txt", b"\x81\x8d\x8f\x90\x9d" * 20, "encoding"),
        ("a.html", b"<html><script>x</script></html>", "no text"),
        ("a.md", b"# \n", "no text"),
        ("a.pdf", b"not a pdf at all", "no PDF"),
        ("a.pdf", b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\ntrailer\n<< /Root 1 0 R >>\n%%EOF", "no "),
    ],
)
def test_file_that_cannot_be_read_says_why(tmp_path: Path, name: str, raw: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        read(name, raw, tmp_path)


# --- HTML


def test_html_is_what_can_be_seen_under_its_headings() -> None:
    page = (
        "<html><head><title>Pay &amp; leave</title><style>p{}</style></head><body><nav>Home</nav><h1>Pay</h1>"
        "<p>On the 25th.<p>In francs.<script>alert(1)</script><h2>Leave</h2><ul><li>Five<li>weeks</ul></body></html>"
    )
    document = read("a.html", page)
    assert document.title == "Pay & leave"
    assert [(section.place, section.text) for section in document.sections] == [
        ("", "Home"),
        ("Pay", "On the 25th.\n\nIn francs."),
        ("Pay > Leave", "Five\n\nweeks"),
    ]


def test_declared_charset_of_html_is_used() -> None:
    page = '<meta charset="windows-1252"><p>Größe</p>'.encode("cp1252")
    assert read("a.html", page).sections[0].text == "Größe"


def test_page_whose_head_is_never_closed_is_still_read() -> None:
    assert read("a.html", "<head><title>T</title><body><p>Seen.").sections[0].text == "Seen."


@each(
    "piece",
    ["<a ", "<!--", "<![", "<!", "&#", "</", '<a b="', "<a b='>", "<h1>", "<script>", "<p", "<div>", "[", "**a"],
)
@each("suffix", [".html", ".md"])
def test_time_grows_with_the_length_only(piece: str, suffix: str) -> None:
    text = piece * (200_000 // len(piece))
    started = time.process_time()
    assert read(f"a{suffix}", f"word {text}").sections[0].text.startswith("word")
    assert time.process_time() - started < 20


# --- PDF


def test_pdf_has_a_section_per_page(tmp_path: Path) -> None:
    document = read("a.pdf", pdf("Residency in Germany", "Backups", title="Rules"), tmp_path)
    assert document.title == "Rules"
    assert [(section.place, section.text) for section in document.sections] == [
        ("page 1", "Residency in Germany"),
        ("page 2", "Backups"),
    ]


def test_pdf_without_text_says_that_it_is_pictures(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="pictures"):
        read("a.pdf", pdf(""), tmp_path)


def test_pdf_with_a_password_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="password"):
        read("a.pdf", pdf("secret", password="x"), tmp_path)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_broken_pdf_never_raises_anything_else(data: st.DataObject) -> None:
    whole = bytearray(pdf("Some text"))
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(1, len(whole)))])
    try:
        read("a.pdf", cut)
    except SourceError:
        return


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([name for name in READERS if name != ".pdf"]),
    st.lists(st.sampled_from(["<", ">", "<!", "<![", "[", "]", "--", "<h1>", "</h1>", "# ", "```", "---\n", "&#x", "\n", "a b", "ä"]) | st.text(max_size=9)),
)  # fmt: skip
def test_any_text_is_a_document_or_a_source_error(suffix: str, pieces: list[str]) -> None:
    try:
        document = read(f"a{suffix}", "".join(pieces).encode("utf-8", "replace"))
    except SourceError:
        return
    assert document.title
    assert all(section.text.strip() for section in document.sections)


# --- passages


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="ab. \n!?。", max_size=200) | st.text(max_size=80), max_size=12), st.integers(5, 60))
def test_packing_keeps_every_word_in_order_and_every_size(pieces: list[str], most: int) -> None:
    text = "\n\n".join(pieces)
    packed = list(pack(text, most))
    assert all(0 < len(piece) <= most for piece in packed)
    assert "".join("".join(packed).split()) == "".join(text.split())


def test_long_paragraph_is_cut_between_sentences() -> None:
    text = "The first sentence is here. The second one follows. A third one ends it."
    assert list(pack(text, 52)) == ["The first sentence is here. The second one follows.", "A third one ends it."]


def test_abbreviations_numbers_and_initials_do_not_end_a_sentence() -> None:
    text = "Backups, e.g. on tape, are kept by Dr. A. Meier since the 3. May. They stay. 保存在德国。备份在这里。"
    assert sentences(text) == [
        "Backups, e.g. on tape, are kept by Dr. A. Meier since the 3. May.",
        "They stay.",
        "保存在德国。",
        "备份在这里。",
    ]


def test_passages_are_numbered_and_know_their_place_and_language() -> None:
    document = Document(
        "T", (Section("A", "Das ist der Ort, an dem die Daten sind."), Section("B", "数据必须保存在德国。"))
    )
    found = split_document(document, "x/a.md", "file:///x/a.md")
    assert [(one.id, one.place, one.lang) for one in found] == [("x/a.md#1", "A", "de"), ("x/a.md#2", "B", "zh")]


def test_endless_line_is_cut_in_time() -> None:
    started = time.process_time()
    assert sum(len(piece) for piece in pack("a. " * 300_000 + "b" * 2_000_000)) > 2_000_000
    assert time.process_time() - started < 20
