"""Why a source cannot be read, in English and German: the same gaps in both, and no reader without a German sentence."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from string import Formatter
from threading import Thread

import pytest

from each_case import each
from veracity.settings import Settings
from veracity.sources import sentences
from veracity.sources.open import open_source
from veracity.sources.sentences import SentencePart, Unreadable
from veracity.yaml_file import packaged

FOLDER = Path(sentences.__file__).parent
TEXTS = packaged(FOLDER / "sentences.yaml")

BAD = {
    "empty.csv": (b"", "ist leer"),
    "page.csv": (b"<!doctype html><html>", "enthält eine HTML-Seite, auch wenn"),
    "old.csv": (b"\xd0\xcf\x11\xe0", "enthält eine alte Arbeitsmappe"),
    "mixed.csv": ("stück\nfür\n".encode() * 40 + b"f\xfcr\n", "Zeile 81 ist beschädigt"),
    "lines.jsonl": (b'{"a": 1}\nnothing\n', "Zeile 2 ist kein JSON-Objekt"),
    "list.json": (b'[{"a": 1}, 2', "keine vollständige Liste"),
    "latin.json": (b'[{"a": "f\xfcr"}]', "nicht in UTF-8 kodiert, wie es JSON sein muss"),
    "book.xlsx": (b"PK\x03\x04 not a workbook", "nicht als Excel-Datei lesen"),
    "cut.parquet": (b"PAR1 and then nothing", "nicht als PARQUET lesen"),
    "cut.duckdb": (b"\0" * 8 + b"DUCK" + b"\0" * 4_000, "nicht als DuckDB-Datei öffnen"),
    "cut.sqlite": (b"SQLite format 3\0" + b"x" * 200, "nicht als SQLite-Datei lesen"),
    "no.sqlite": (b"this is no database at all", "keine Datei, die Veracity kennt"),
}


@each("key", TEXTS)
def test_every_sentence_is_there_in_both_languages_with_the_same_gaps(key: str) -> None:
    gaps = {lang: {name for _, name, _, _ in Formatter().parse(text) if name} for lang, text in TEXTS[key].items()}
    assert gaps.keys() == {"en", "de"}
    assert gaps["en"] == gaps["de"]
    assert "ß" not in TEXTS[key]["de"]


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_read_is_told_in_german_and_in_english(name: str, tmp_path: Path) -> None:
    data, german = BAD[name]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(Unreadable) as refused:
        open_source(str(tmp_path / name), settings=Settings.from_env())
    said = refused.value.told_in("de")
    assert german in said
    assert said.startswith(str(tmp_path / name))
    assert refused.value.told_in("en") == str(refused.value) != said


def test_every_sentence_is_said_by_a_reader_and_every_reader_has_its_sentence() -> None:
    code = "".join(file.read_text(encoding="utf-8") for file in FOLDER.glob("*.py"))
    whole = {key for key in TEXTS if "." not in key}
    said = set(re.findall(r"Unreadable\(\s*\"(\w+)\"", code))
    assert said <= whole
    assert {key for key in whole if f'"{key}"' not in code} == set()
    late = Unreadable("unreachable", server="db", reason=SentencePart("unreachable.late"))
    assert late.told_in("de").startswith("db ist nicht erreichbar: dort antwortet kein Server rechtzeitig;")


def test_what_answers_but_is_no_postgresql_is_called_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            with listener.accept()[0] as connection:
                connection.recv(8)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        answering = Thread(target=answer)
        answering.start()
        with pytest.raises(Unreadable) as refused:
            open_source(f"postgresql://me:secret@127.0.0.1:{listener.getsockname()[1]}/db")
        answering.join()
    assert "was dort antwortet, ist kein PostgreSQL-Server" in refused.value.told_in("de")
    assert "secret" not in str(refused.value)
