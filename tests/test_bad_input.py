"""Bad input: people get one clear sentence and exit code 2; hostile arguments are data or are refused, never SQL."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import psycopg
import pytest

from command_line import run
from conftest import SALES
from veracity.contracts import ToolResult
from veracity.sources.open import open_source
from veracity.sources.source import Scope
from veracity.tools.tables import TableTools

# --- the command line


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good source, to be copied."""
    return make_duckdb(tmp_path_factory.mktemp("good") / "good.duckdb")


@pytest.fixture
def folder(tmp_path: Path, good: Path) -> Path:
    """Where a command runs: its working folder, its home and its data; with one good source in it."""
    folder = tmp_path / "place"
    folder.mkdir()
    shutil.copy(good, folder / "good.duckdb")
    return folder


def make_duckdb(path: Path, *statements: str) -> Path:
    with duckdb.connect(str(path)) as connection:
        for statement in statements or ("CREATE TABLE k AS SELECT range AS id, 'x' || range AS t FROM range(100000)",):
            connection.execute(statement)
    return path


def make_sqlite(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE k (id INTEGER, t TEXT, u)")
        connection.executemany("INSERT INTO k VALUES (?, ?, ?)", [(n, "x" * 50, n) for n in range(2000)])
        connection.commit()
    return path


def make_parquet(path: Path) -> Path:
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT range AS id, 'x' || range AS t FROM range(5000)) TO '{path}' (FORMAT parquet)"
        )
    return path


def make_excel(path: Path, rows: int = 200) -> Path:
    book = openpyxl.Workbook()
    assert book.active is not None
    for number in range(rows):
        book.active.append([number, f"x{number}"])
    book.save(path)
    return path


def snapshot(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Everything below a folder: kinds, sizes, times, and what the smaller files hold."""
    found = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        small = path.is_file() and state.st_size < 10_000_000
        held = hashlib.sha256(path.read_bytes()).hexdigest() if small else ""
        found[str(path.relative_to(folder))] = (state.st_mode, state.st_size, state.st_mtime_ns, held)
    return found


def environment(folder: Path, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("VERACITY_", "PG"))}
    return {**clean, "VERACITY_HOME": str(folder / "home"), "HOME": str(folder), **(environ or {})}


def command(
    folder: Path, *arguments: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command with `folder` as its working folder and home."""
    return run(*arguments, stdin=stdin, cwd=folder, environ=environment(folder, environ))


def refused(
    folder: Path, *arguments: str, says: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None
) -> str:
    """Run a command that cannot work; check all that holds for every one of them, and give back its sentence."""
    before = snapshot(folder)
    done = command(folder, *arguments, stdin=stdin, environ=environ)
    said = done.stderr.decode("utf-8")
    assert "Traceback" not in said, said
    assert done.returncode == 2, said
    assert done.stdout == b""
    assert said.endswith("\n")
    assert said.count("\n") == 1, said
    assert said.startswith("veracity: "), said
    assert said.rstrip("\n")[-1] in ".?", said
    assert said.rstrip("\n").isprintable(), repr(said)
    assert len(said) < 600
    assert says in said
    assert snapshot(folder) == before
    return said


def truncated(path: Path, share: float) -> Path:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


def written(path: Path, data: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def linked(path: Path, target: str) -> Path:
    path.symlink_to(target)
    return path


def special(path: Path) -> Path:
    os.mkfifo(path)
    return path


def removed(path: Path) -> Path:
    path.unlink()
    return path


def made(path: Path) -> Path:
    path.mkdir()
    return path


def sparse(path: Path, size: int) -> Path:
    with path.open("wb") as stream:
        stream.write(b"id,t\n1,x\n")
        stream.truncate(size)
    return path


def scrambled(path: Path) -> Path:
    """A file whose head is right and whose blocks are not."""
    data = bytearray(path.read_bytes())
    data[20_000 : len(data) - 1000] = b"\x5a" * (len(data) - 21_000)
    return written(path, bytes(data))


LATIN = "id,name\n1,Müller\n2,Grüezi\n"
SOURCES: dict[str, tuple[Callable[[Path], str | Path], str]] = {
    "no-such-file": (lambda f: f / "nothing.csv", "no file or folder"),
    "no-such-folder": (lambda f: f / "nowhere" / "x.duckdb", "no file or folder"),
    "empty-name": (lambda _: "", "no file or folder"),
    "blank-name": (lambda _: "  ", "no file or folder"),
    "name-with-a-line-break": (lambda f: f / "no\nsuch", "no file or folder"),
    "name-of-5000-characters": (lambda _: "x" * 5000, "no file or folder"),
    "name-that-is-not-utf8": (lambda f: os.fsdecode(bytes(f) + b"/\xff.csv"), "no file or folder"),
    "home-of-nobody": (lambda _: "~no-such-user-at-all/x.csv", "no file or folder"),
    "removed": (lambda f: removed(make_sqlite(f / "x.sqlite")), "no file or folder"),
    "broken-link": (lambda f: linked(f / "x.csv", "gone.csv"), "no file or folder"),
    "link-to-itself": (lambda f: linked(f / "x.csv", "x.csv"), "no file or folder"),
    "folder-called-like-a-file": (lambda f: made(f / "x.csv"), "holds no CSV"),
    "folder-called-like-a-database": (lambda f: made(f / "x.duckdb"), "holds no CSV"),
    "fifo": (lambda f: special(f / "x.csv"), "neither a file nor a folder"),
    "device": (lambda _: "/dev/null", "neither a file nor a folder"),
    "unknown-kind": (lambda f: written(f / "notes.txt", "hello"), "no data file"),
    "unknown-kind-with-a-line-break": (lambda f: written(f / "no\ntes.txt", "hello"), "no data file"),
    "unknown-kind-with-terminal-codes": (lambda f: written(f / "\x1b[31mred\x07.txt", "hello"), "no data file"),
    "empty-folder": (lambda f: made(f / "empty"), "holds no CSV"),
    "folder-of-other-files": (lambda f: written(f / "other" / "a.txt", "x").parent, "holds no CSV"),
    "folder-of-hidden-files": (lambda f: written(f / "other" / ".a.csv", "a\n1\n").parent, "holds no CSV"),
    "folder-of-broken-links": (lambda f: linked(made(f / "other") / "a.csv", "gone").parent, "holds no CSV"),
    "folder-with-one-bad-file": (
        lambda f: [written(f / "d" / "a.csv", "a\n1\n"), written(f / "d" / "b.csv", LATIN.encode("cp850"))][0].parent,
        "b.csv is not encoded in UTF-8",
    ),
    "empty-csv": (lambda f: written(f / "x.csv", ""), "is empty"),
    "empty-parquet": (lambda f: written(f / "x.parquet", ""), "is empty"),
    "empty-excel": (lambda f: written(f / "x.xlsx", ""), "is empty"),
    "empty-duckdb": (lambda f: written(f / "x.duckdb", ""), "cannot be opened as a DuckDB file"),
    "text-called-duckdb": (lambda f: written(f / "x.duckdb", "a,b\n1,2\n" * 900), "cannot be opened as a DuckDB file"),
    "text-called-parquet": (lambda f: written(f / "x.parquet", "a,b\n1,2\n"), "cannot be read as PARQUET"),
    "text-called-excel": (lambda f: written(f / "x.xlsx", "a,b\n1,2\n"), "cannot be read as an Excel file"),
    "text-called-sqlite": (lambda f: written(f / "x.sqlite", "a,b\n1,2\n"), "no data file"),
    "duckdb-without-tables": (lambda f: make_duckdb(f / "x.duckdb", "SELECT 1"), "no table"),
    "excel-without-rows": (
        lambda f: make_excel(f / "x.xlsx", rows=0),
        "no sheet with data",
    ),
    "dos-code-page": (lambda f: written(f / "x.csv", LATIN.encode("cp850")), "not encoded in UTF-8"),
    "latin-1-far-down": (
        lambda f: written(f / "x.csv", b"id,t\n" + b"1,x\n" * 500_000 + b"2,\xfc\n"),
        "not encoded in UTF-8",
    ),
    "cut-utf-16": (lambda f: written(f / "x.csv", LATIN.encode("utf-16")[:-1]), "not encoded in UTF-8"),
    "utf-16-without-a-mark": (
        lambda f: written(f / "x.csv", "id,name\n1,x\n".encode("utf-16-le")),
        "not encoded in UTF-8",
    ),
    "utf-32": (lambda f: written(f / "x.csv", LATIN.encode("utf-32")), "not encoded in UTF-8"),
    "binary-called-csv": (lambda f: written(f / "x.csv", bytes(range(256)) * 20), "not encoded in UTF-8"),
    "cut-utf-8": (lambda f: written(f / "x.csv", "id,t\n1,ü".encode()[:-1]), "not encoded in UTF-8"),
    "json-of-one-object": (lambda f: written(f / "x.json", '{\n"a": 1\n}'), "no complete list of plain JSON objects"),
    "half-a-json-line": (lambda f: written(f / "x.jsonl", '{"a": 1}\n{"a"'), "line 2 is no JSON object"),
    "json-of-5-gb": (lambda f: sparse(f / "x.jsonl", 5_000_000_000), "5.0 GB"),
    "csv-of-5-gb": (lambda f: sparse(f / "x.csv", 5_000_000_000), "5.0 GB"),
    "excel-of-5-gb": (lambda f: sparse(f / "x.xlsx", 5_000_000_000), "5000 MB"),
    "head-of-a-duckdb": (lambda f: truncated(make_duckdb(f / "x.duckdb"), 0.01), "cannot be opened as a DuckDB file"),
    "scrambled-duckdb": (lambda f: scrambled(make_duckdb(f / "x.duckdb")), "cannot be opened as a DuckDB file"),
    "half-a-sqlite": (lambda f: truncated(make_sqlite(f / "x.sqlite"), 0.5), "cannot be read as a SQLite file"),
    "head-of-a-sqlite": (lambda f: truncated(make_sqlite(f / "x.sqlite"), 0.001), "cannot be read as a SQLite file"),
    "half-a-parquet": (lambda f: truncated(make_parquet(f / "x.parquet"), 0.5), "cannot be read as PARQUET"),
    "head-of-a-parquet": (lambda f: truncated(make_parquet(f / "x.parquet"), 0.01), "cannot be read as PARQUET"),
    "half-an-excel": (lambda f: truncated(make_excel(f / "x.xlsx"), 0.5), "cannot be read as an Excel file"),
    "head-of-an-excel": (lambda f: truncated(make_excel(f / "x.xlsx"), 0.01), "cannot be read as an Excel file"),
    "pattern-in-the-name": (lambda f: written(f / "x[1-9]*.csv", "a\n1\n"), "rename it"),
    "mysql": (lambda _: "mysql://user:hunter2@host/db", "mysql:// is not a source"),
    "http": (lambda _: "https://example.org/x.csv", "https:// is not a source"),
    "s3": (lambda _: "s3://bucket/x.parquet", "s3:// is not a source"),
    "file-url": (lambda f: f"file://{f}/good.duckdb", "file:// is not a source"),
    "sqlite-url": (lambda f: f"sqlite:///{f}/x.sqlite", "sqlite:// is not a source"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_cannot_be_read_is_one_sentence(folder: Path, name: str) -> None:
    make, says = SOURCES[name]
    refused(folder, "tables", "--source", str(make(folder)), says=says)


@pytest.mark.parametrize(
    "name",
    [
        "no-such-file",
        "dos-code-page",
        "csv-of-5-gb",
        "half-a-parquet",
        "half-an-excel",
        "half-a-sqlite",
        "scrambled-duckdb",
    ],
)
def test_the_installed_command_says_the_same(folder: Path, name: str) -> None:
    """A new process from start to end: what an engine prints as it goes down counts, too."""
    make, says = SOURCES[name]
    script = Path(sys.executable).with_name("veracity")
    done = subprocess.run(
        [script, "tables", "--source", str(make(folder))],
        capture_output=True,
        cwd=folder,
        env=environment(folder),
        timeout=60,
        check=False,
    )
    said = done.stderr.decode()
    assert (done.returncode, done.stdout, said.count("\n")) == (2, b"", 1), said
    assert said.startswith("veracity: ")
    assert says in said


def test_a_call_on_an_unreadable_source_is_one_sentence_too(folder: Path) -> None:
    refused(folder, "call", "browseTable", '{"tableName": "k"}', "--json", "--source", "gone", says="no file or folder")
    refused(folder, "ontology", "prompt", "--source", "gone.duckdb", says="no file or folder")
    refused(folder, "ontology", "check", "--feature", "trustee", "--source", "gone.duckdb", says="no file or folder")


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_a_file_whose_rows_are_cut_off_is_one_sentence_when_they_are_read(folder: Path, kind: str) -> None:
    """The list of tables may still be whole; the rows are not."""
    if kind == "duckdb":
        rows = "CREATE TABLE k AS SELECT range AS id, md5(range::VARCHAR) || md5((range + 1)::VARCHAR) AS t FROM range(100000)"
        file = truncated(make_duckdb(folder / "x.duckdb", rows), 0.5)
    else:
        file = make_sqlite(folder / "x.sqlite")
        data = file.read_bytes()
        written(file, data[: 3 * 4096] + b"\x00" * (len(data) - 3 * 4096))
    before = snapshot(folder)
    call = '{"tableName": "k", "aggregate": "MAX", "field": "t"}'
    done = command(folder, "call", "aggregateTable", call, "--source", str(file))
    said = done.stderr.decode()
    assert (done.returncode, done.stdout, said.count("\n")) == (2, b"", 1), said
    assert said.startswith(("veracity: ", "The call failed: "))
    assert snapshot(folder) == before


@pytest.fixture
def tools_of() -> Iterator[Callable[..., TableTools]]:
    """Table tools on a source; all of them are closed again."""
    opened: list[TableTools] = []

    def open_(spec: str | Path, scope: Scope | None = None) -> TableTools:
        opened.append(TableTools(open_source(spec), scope=scope))
        return opened[-1]

    yield open_
    for tools in opened:
        tools.close()


# --- locks


@contextmanager
def holding(script: str, *arguments: str) -> Iterator[None]:
    """Another program that holds on to a file until we are done."""
    code = f"{script}\nprint('ready', flush=True)\nsys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        yield
        assert other.stdin is not None
        other.stdin.close()


def test_a_duckdb_file_that_another_program_writes_to(folder: Path) -> None:
    file = make_duckdb(folder / "x.duckdb")
    with holding("import sys, duckdb; c = duckdb.connect(sys.argv[1]); c.execute('SELECT 1')", str(file)):
        refused(folder, "tables", "--source", str(file), says="in use by another program")


def test_a_sqlite_file_that_another_program_has_locked(folder: Path) -> None:
    file = make_sqlite(folder / "x.sqlite")
    lock = "import sys, sqlite3; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN EXCLUSIVE')"
    with holding(lock, str(file)):
        refused(folder, "tables", "--source", str(file), says="locked by another program")


def test_a_sqlite_file_that_is_locked_after_it_was_opened(tools_of: Callable[..., TableTools], tmp_path: Path) -> None:
    file = make_sqlite(tmp_path / "x.sqlite")
    tools = tools_of(file)
    lock = "import sys, sqlite3; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN EXCLUSIVE')"
    with holding(lock, str(file)):
        result = tools.call_sync("aggregateTable", {"tableName": "k", "aggregate": "COUNT"})
    assert not result.success
    assert "locked by another program" in (result.error or "")
    assert tools.call_sync("aggregateTable", {"tableName": "k", "aggregate": "COUNT"}).success


# --- PostgreSQL


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


SECRET = "hunter2"
POSTGRES: dict[str, tuple[Callable[[], str], str]] = {
    "refused": (lambda: f"postgresql://user:{SECRET}@127.0.0.1:{free_port()}/db", "cannot be reached"),
    "unknown-host": (lambda: f"postgresql://user:{SECRET}@no-such-host.invalid/db", "cannot be reached"),
    "short-scheme": (lambda: f"postgres://user:{SECRET}@127.0.0.1:{free_port()}/db", "cannot be reached"),
    "loud-scheme": (lambda: f"POSTGRESQL://user:{SECRET}@127.0.0.1:{free_port()}/db", "cannot be reached"),
    "password-in-the-query": (
        lambda: f"postgresql://127.0.0.1:{free_port()}/db?password={SECRET}",
        "cannot be reached",
    ),
    "password-with-a-percent-sign": (lambda: f"postgresql://user:{SECRET}%zz@127.0.0.1:1/db", "cannot be reached"),
    "password-with-a-slash": (lambda: f"postgresql://user:5432/{SECRET}@127.0.0.1:1/db", "cannot be reached"),
    "password-with-a-hash": (lambda: f"postgresql://user:5432#{SECRET}@127.0.0.1:1/db", "cannot be reached"),
    "password-with-a-question-mark": (lambda: f"postgresql://user:5432?{SECRET}@127.0.0.1:1/db", "cannot be reached"),
    "password-with-an-at-sign": (lambda: f"postgresql://user:a@{SECRET}@127.0.0.1:1/db", "cannot be reached"),
    "port-that-is-a-word": (lambda: f"postgresql://user:{SECRET}@127.0.0.1:port/db", "cannot be reached"),
    "port-out-of-range": (lambda: f"postgresql://user:{SECRET}@127.0.0.1:99999/db", "cannot be reached"),
    "unknown-parameter": (lambda: f"postgresql://user:{SECRET}@127.0.0.1:1/db?frobnicate=1", "cannot be reached"),
    "broken-address": (lambda: f"postgresql://user:{SECRET}@[::1/db", "cannot be reached"),
    "one-slash-only": (lambda: f"postgresql:/user:{SECRET}@127.0.0.1:1/db", "check"),
    "no-slash": (lambda: f"postgresql:user:{SECRET}@127.0.0.1:1/db", "check"),
    "leading-blank": (lambda: f" postgresql://user:{SECRET}@127.0.0.1:1/db", "check"),
    "scheme-forgotten": (lambda: f"user:{SECRET}@127.0.0.1:1/db", "check"),
    "key-and-value": (lambda: f"host=127.0.0.1 port=1 password={SECRET}", "check"),
}


@pytest.mark.parametrize("name", POSTGRES)
def test_a_server_that_cannot_be_reached_is_one_sentence_without_the_password(folder: Path, name: str) -> None:
    make, says = POSTGRES[name]
    said = refused(folder, "tables", "--source", make(), says=says)
    assert SECRET not in said


def test_a_server_that_speaks_something_else_is_one_sentence(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                with peer:
                    peer.recv(1000)
                    peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        port = listener.getsockname()[1]
        url = f"postgresql://user:{SECRET}@127.0.0.1:{port}/db"
        assert SECRET not in refused(folder, "tables", "--source", url, says="cannot be reached")
        listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def guarded(postgres: str) -> Iterator[str]:
    """The URL of a user who needs a password, without it."""
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute("CREATE ROLE guarded LOGIN PASSWORD 'right'")
        row = admin.execute("SHOW hba_file").fetchone()
        assert row is not None
        rules = Path(row[0])
        original = rules.read_text()
        rules.write_text("host all guarded all scram-sha-256\n" + original)
        admin.execute("SELECT pg_reload_conf()")
        url = postgres.replace("tester@", "guarded@")
        for _ in range(100):
            try:
                psycopg.connect(url, password="wrong").close()
            except psycopg.OperationalError:
                break
            time.sleep(0.05)
        yield url
        rules.write_text(original)
        admin.execute("SELECT pg_reload_conf()")
        admin.execute("DROP ROLE guarded")


def test_a_wrong_password_is_one_sentence_and_never_shown(folder: Path, guarded: str) -> None:
    url = guarded.replace("guarded@", f"guarded:{SECRET}@")
    assert SECRET not in refused(folder, "tables", "--source", url, says="refuses this user or password")
    refused(folder, "tables", "--source", guarded, says="wants a password")


def test_a_database_or_user_that_does_not_exist_is_one_sentence(folder: Path, postgres: str) -> None:
    missing = postgres.rpartition("/")[0] + "/no_such_db"
    refused(folder, "tables", "--source", missing, says="no such database or user")
    refused(folder, "tables", "--source", postgres.replace("tester@", "nobody@"), says="no such database or user")


def test_a_database_without_tables_is_one_sentence(folder: Path, postgres: str) -> None:
    refused(folder, "tables", "--source", postgres.rpartition("/")[0] + "/template1", says="no table")


# --- ontologies

ONTOLOGIES: dict[str, tuple[bytes | str, str]] = {
    "broken-yaml": ("featureCode: x\nentities: [\n", "line"),
    "wrong-indent": ("featureCode: x\n entities: []\n", "line"),
    "tab": ("featureCode: x\n\tentities: []\n", "line 2"),
    "two-documents": ("featureCode: x\n---\nfeatureCode: y\n", "x.yaml"),
    "list": ("- a\n- b\n", "not an ontology"),
    "text": ("just words", "not an ontology"),
    "number": ("42", "not an ontology"),
    "empty": ("", "not an ontology"),
    "only-a-comment": ("# nothing\n", "not an ontology"),
    "binary": (bytes(range(256)), "UTF-8"),
    "nul-bytes": ("featureCode: \0\n", "not valid YAML"),
    "latin-1": ("featureCode: Bücher\n".encode("latin-1"), "UTF-8"),
    "unknown-key": ("featureCode: x\nentities: []\nfrobnicate: 1\n", "line"),
    "missing-key": ("entities: []\n", "line"),
    "wrong-type": ("featureCode: x\nentities: 5\n", "line 2"),
    "unknown-key-deep-down": (
        "featureCode: x\nentities:\n  - name: K\n    table: k\n    semanticType: REFERENCE\n    colour: red\n",
        "line",
    ),
    "code": ("featureCode: !!python/object/apply:os.system ['touch pwned']\n", "line 1"),
    "not-a-date": ("featureCode: 2025-13-45\n", "x.yaml"),
    "number-of-5000-digits": (f"featureCode: {'9' * 5000}\n", "x.yaml"),
    "deep-nesting": ("featureCode: " + "[" * 5000 + "]" * 5000, "nested too deeply"),
    "alias-of-itself": ("&a\nfeatureCode: x\nentities: [*a]\n", "x.yaml"),
    "11-mb": ("# " + "x" * 11_000_000, "more than 10 MB"),
}


@pytest.mark.parametrize("name", ONTOLOGIES)
def test_an_ontology_that_cannot_be_loaded_is_one_sentence(folder: Path, name: str) -> None:
    data, says = ONTOLOGIES[name]
    file = written(folder / "x.yaml", data)
    refused(folder, "tables", "--source", "good.duckdb", "--ontology", str(file), says=says)


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("gone.yaml", "gone.yaml cannot be read"),
        (".", "cannot be read"),
        ("x" * 300, "cannot be read"),
        ("a\nb", "cannot be read"),
    ],
    ids=["missing", "folder", "long-name", "line-break"],
)
def test_an_ontology_file_that_cannot_be_read_is_one_sentence(folder: Path, file: str, says: str) -> None:
    refused(folder, "tables", "--source", "good.duckdb", "--ontology", file, says=says)
    refused(folder, "ontology", "show", "--ontology", file, says=says)


def test_an_ontology_of_other_tables_is_one_sentence(folder: Path) -> None:
    file = written(
        folder / "x.yaml",
        "featureCode: x\nentities:\n  - {name: Other, table: other, semanticType: REFERENCE, label: Other}\n",
    )
    refused(folder, "tables", "--source", "good.duckdb", "--ontology", str(file), says="Other")
    refused(folder, "tables", "--ontology", str(file), says="needs a source")


# --- arguments of a call

ARGUMENTS: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "not valid JSON"),
    "word": ("hello", "not valid JSON"),
    "single-quotes": ("{'tableName': 'k'}", "not valid JSON"),
    "unfinished": ('{"tableName": "k"', "not valid JSON"),
    "trailing-comma": ('{"tableName": "k",}', "not valid JSON"),
    "two-objects": ('{"tableName": "k"} {"limit": 1}', "not valid JSON"),
    "comment": ('{"tableName": "k"} // all', "not valid JSON"),
    "line-break-in-a-text": ('{"tableName": "k\n"}', "not valid JSON"),
    "byte-order-mark": ('\ufeff{"tableName": "k"}', "not valid JSON"),
    "nan": ('{"tableName": "k", "limit": NaN}', "NaN"),
    "infinity": ('{"tableName": "k", "limit": -Infinity}', "Infinity"),
    "list": ('["tableName", "k"]', "one JSON object"),
    "text": ('"k"', "one JSON object"),
    "number": ("5", "one JSON object"),
    "null": ("null", "one JSON object"),
    "number-of-5000-digits": (f'{{"tableName": "k", "limit": {"9" * 5000}}}', "not valid JSON"),
    "exponent-beyond-all-bounds": ('{"tableName": "k", "limit": 1e99999999999999999999}', "not valid JSON"),
    "deep-nesting": ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
    "deep-nesting-of-objects": ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
    "not-utf8": (b'{"tableName": "M\xfcller"}', "UTF-8"),
    "utf-16": ('{"tableName": "k"}'.encode("utf-16"), "UTF-8"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_that_are_not_one_json_object_are_one_sentence(folder: Path, name: str) -> None:
    text, says = ARGUMENTS[name]
    data = text if isinstance(text, bytes) else text.encode()
    refused(folder, "call", "queryTable", "-", "--source", "good.duckdb", stdin=data, says=says)
    if isinstance(text, str) and len(text) < 1000:
        refused(folder, "call", "queryTable", text, "--source", "good.duckdb", says=says)


def test_a_tool_that_does_not_exist_is_one_sentence(folder: Path) -> None:
    refused(folder, "call", "querryTable", "{}", "--source", "good.duckdb", says="did you mean queryTable?")
    refused(folder, "call", "x\n" * 100, "{}", "--source", "good.duckdb", says="no tool")


def test_a_huge_number_in_the_arguments_is_refused_at_once(folder: Path) -> None:
    """Decimal reads 1e999999999 in no time; whole numbers of that size would take hours and gigabytes."""
    began = time.monotonic()
    for position in ('"limit": %s', '"filters": [{"field": "id", "op": "=", "value": %s}]'):
        call = '{"tableName": "k", ' + position % "1e999999999" + "}"
        done = command(folder, "call", "queryTable", call, "--source", "good.duckdb")
        assert (done.returncode, done.stdout) == (1, b""), done.stderr
    assert time.monotonic() - began < 20


# --- scopes, features, options

TABLE = '{"tableName": "k"}'
USAGE: dict[str, tuple[tuple[str, ...], str]] = {
    "scope-without-a-value": (("tables", "--source", "good.duckdb", "--scope", "id"), "not key=value"),
    "scope-without-a-key": (("tables", "--source", "good.duckdb", "--scope", "=1"), "not key=value"),
    "scope-with-a-blank-key": (("tables", "--source", "good.duckdb", "--scope", "  =1"), "not key=value"),
    "empty-scope": (("tables", "--source", "good.duckdb", "--scope", ""), "not key=value"),
    "scope-with-a-line-break": (
        ("tables", "--source", "good.duckdb", "--scope", "a\nb=1", "--scope", "a\nb=1"),
        "twice",
    ),
    "scope-given-twice": (("tables", "--source", "good.duckdb", "--scope", "id=1", "--scope", "id=2"), "twice"),
    "unknown-scope": (("tables", "--source", "good.duckdb", "--scope", "tenant=1"), "scope column"),
    "unknown-scope-near-a-column": (("tables", "--source", "good.duckdb", "--scope", "ID=1"), "did you mean 'id'?"),
    "unknown-scope-of-a-feature": (("tables", "--scope", "tenant=1"), "no scope column 'tenant'"),
    "half-a-scope": (("tables", "--scope", "mandateId=m-1"), "featureInstanceId"),
    "scope-of-another-type": (
        ("call", "browseTable", TABLE, "--source", "good.duckdb", "--scope", "id=abc"),
        "does not fit its column",
    ),
    "scope-of-a-strange-digit": (
        ("call", "browseTable", TABLE, "--source", "good.duckdb", "--scope", "id=²"),
        "does not fit its column",
    ),
    "scope-with-two-signs": (
        ("call", "browseTable", TABLE, "--source", "good.duckdb", "--scope", "id=--5"),
        "does not fit its column",
    ),
    "scope-of-a-huge-number": (
        ("call", "browseTable", TABLE, "--source", "good.duckdb", "--scope", "id=" + "9" * 400),
        "does not fit its column",
    ),
    "feature-without-its-tables": (("tables", "--feature", "trustee", "--source", "good.duckdb"), "lacks the tables"),
    "call-without-the-tables": (
        ("call", "browseTable", TABLE, "--feature", "realestate", "--source", "good.duckdb"),
        "lacks the tables",
    ),
    "unknown-feature": (("tables", "--feature", "trusty"), "no feature 'trusty'"),
    "feature-and-ontology": (("tables", "--feature", "trustee", "--ontology", "x.yaml"), "not both"),
    "feature-without-an-ontology": (("ontology", "check", "--feature", "realestate"), "no ontology to check"),
}


@pytest.mark.parametrize("name", USAGE)
def test_wrong_usage_is_one_sentence(folder: Path, name: str) -> None:
    arguments, says = USAGE[name]
    refused(folder, *arguments, says=says)


def test_tables_without_the_columns_of_the_scope_are_one_sentence(folder: Path) -> None:
    with duckdb.connect(str(folder / "bare.duckdb")) as connection:
        for table in ("RealEstateProperty", "RealEstateUnit", "RealEstateLease"):
            connection.execute(f'CREATE TABLE "{table}" (id VARCHAR)')
    refused(folder, "tables", "--feature", "realestate", "--source", "bare.duckdb", says="scope column mandateId")
    with duckdb.connect(str(folder / "split.duckdb")) as connection:
        connection.execute("CREATE TABLE a (x INT)")
        connection.execute("CREATE TABLE b (y INT)")
    refused(
        folder,
        "tables",
        "--source",
        "split.duckdb",
        "--scope",
        "x=1",
        "--scope",
        "y=1",
        says="No table of split.duckdb",
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("VERACITY_ROW_LIMIT", "many"),
        ("VERACITY_ROW_LIMIT", "0"),
        ("VERACITY_STATEMENT_TIMEOUT", "-1"),
        ("VERACITY_STATEMENT_TIMEOUT", "nan"),
        ("VERACITY_MEMORY_LIMIT", "lots"),
        ("VERACITY_MEMORY_LIMIT", "99999999999999TB"),
        ("VERACITY_MEMORY_LIMIT", "1KB"),
        ("VERACITY_MAX_TEXT_FILE", "4\nGB"),
    ],
)
def test_a_setting_that_cannot_be_is_one_sentence_that_names_it(folder: Path, variable: str, value: str) -> None:
    written(folder / "x.csv", "a\n1\n")
    for source in ("good.duckdb", "x.csv"):
        refused(folder, "tables", "--source", source, says=variable, environ={variable: value})


def test_a_home_that_cannot_be_written_to_is_one_sentence(folder: Path) -> None:
    written(folder / "file", "x")
    refused(
        folder,
        "tables",
        "--feature",
        "realestate",
        says="VERACITY_HOME",
        environ={"VERACITY_HOME": str(folder / "file" / "home")},
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("tables", "--frobnicate"),
        ("tables", "--source"),
        ("tables", "extra"),
        ("frobnicate",),
        ("call",),
        ("call", "queryTable"),
        ("call", "queryTable", "{}", "more"),
        ("ontology", "frobnicate"),
        ("ontology", "check", "--limit", "5"),
        ("--frobnicate",),
    ],
    ids=" ".join,
)
def test_an_unknown_option_command_or_argument_shows_the_usage(folder: Path, arguments: tuple[str, ...]) -> None:
    before = snapshot(folder)
    done = command(folder, *arguments)
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b"")
    assert said.startswith(("Usage: ", "Error: "))
    assert said.count("Error: ") == 1
    assert "Traceback" not in said
    assert snapshot(folder) == before


# --- hostile arguments, on every engine

TOO_LONG = 10_001
HOSTILE = {
    "quote": "'",
    "two-quotes": "''",
    "double-quote": '"',
    "backtick": "`",
    "semicolon": ";",
    "backslash": "\\",
    "backslash-quote": "\\'",
    "drop-table": '\'; DROP TABLE "Sale"; --',
    "drop-table-by-name": 'Sale"; DROP TABLE "Sale"; --',
    "always-true": "' OR '1'='1",
    "union": '\' UNION SELECT tenant FROM "Sale" --',
    "subquery": "(SELECT max(tenant) FROM Sale)",
    "line-comment": "x -- y",
    "block-comment": "/* x */",
    "hash-comment": "# x",
    "numbered-parameter": "$1",
    "dollar-quote": "$$x$$",
    "named-parameter": ":p1",
    "question-mark": "?",
    "percent-s": "%s %(x)s",
    "format": "{0} {tenant}",
    "path": "../../etc/passwd",
    "url": "file:///etc/passwd",
    "function": "read_csv('/etc/passwd')",
    "star": "*",
    "empty": "",
    "blank": " ",
    "line-break": "a\nb\r\nc",
    "tab": "a\tb",
    "terminal-codes": "\x1b[31mred\x07",
    "nul": "a\0b",
    "lone-surrogate": "a\ud800b",
    "escaped-byte": "a\udcffb",
    "right-to-left": "\u202eabc\u202c",
    "emoji": "👩\u200d👩\u200d👧",
    "zero-width": "\u200bNord\u200b",
    "byte-order-mark": "\ufeffNord",
    "combining": "Su\u0308d",
    "full-width-quote": "＇ OR 1＝1",
    "markup": "[red]x[/red]",
    "template": "${jndi:ldap://x}",
    "10001-characters": "x" * TOO_LONG,
    "1-mb": "'" * 1_000_000,
}
STORABLE = {
    name: text for name, text in HOSTILE.items() if len(text) < TOO_LONG and not re.search(r"[\0\ud800-\udfff]", text)
}


def state(engine: str, spec: str) -> str:
    """A digest of all the data an engine holds."""
    if engine != "postgres":
        return hashlib.sha256(Path(spec).read_bytes()).hexdigest()
    with psycopg.connect(spec, autocommit=True) as connection:
        rows = connection.execute('SELECT s::text FROM "Sale" AS s ORDER BY "id"').fetchall()
        names = connection.execute("SELECT relname FROM pg_class ORDER BY 1").fetchall()
    return hashlib.sha256(repr((rows, names)).encode()).hexdigest()


@pytest.fixture
def unharmed(engine: str, shop_spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever a test does, the data is the same afterwards, and no file has appeared where it runs."""
    monkeypatch.chdir(tmp_path)
    before = state(engine, shop_spec)
    yield
    assert state(engine, shop_spec) == before
    assert list(tmp_path.iterdir()) == []


def where(name: str, op: str, value: Any) -> dict[str, Any]:
    return {"tableName": "Sale", "filters": [{"field": name, "op": op, "value": value}]}


def assert_refused(result: ToolResult, at: str) -> None:
    assert not result.success, at
    assert result.error_details is not None, at
    assert len(result.error_details.hint) <= 80, at
    assert len(result.model_dump_json()) < 1000, at


def names_in_every_position(name: Any) -> dict[str, tuple[str, dict[str, Any]]]:
    """A name wherever a call takes the name of a field."""
    total = {"tableName": "Sale", "aggregate": "SUM", "field": "amount"}
    return {
        "fields": ("queryTable", {"tableName": "Sale", "fields": [name]}),
        "fields, among others": ("queryTable", {"tableName": "Sale", "fields": ["id", name]}),
        "fields, as one text": ("queryTable", {"tableName": "Sale", "fields": name}),
        "filter": ("queryTable", where(name, "=", "t-2")),
        "filter for null": ("queryTable", where(name, "IS_NOT_NULL", None)),
        "filter with a list": ("queryTable", where(name, "IN", ["t-1", "t-2"])),
        "filter of an aggregate": ("aggregateTable", {**total, "filters": where(name, "=", "t-2")["filters"]}),
        "one filter": ("queryTable", {"tableName": "Sale", "filters": {"field": name, "op": "=", "value": "t-2"}}),
        "orderBy": ("queryTable", {"tableName": "Sale", "orderBy": name}),
        "orderBy, in a list": ("queryTable", {"tableName": "Sale", "orderBy": ["id", name]}),
        "orderBy, as an object": ("queryTable", {"tableName": "Sale", "orderBy": {"field": name, "direction": "DESC"}}),
        "orderBy, with a direction": ("queryTable", {"tableName": "Sale", "orderBy": f"{name} desc"}),
        "groupBy": ("aggregateTable", {**total, "groupBy": [name]}),
        "groupBy, as one text": ("aggregateTable", {**total, "groupBy": name}),
        "field of COUNT_DISTINCT": ("aggregateTable", {**total, "aggregate": "COUNT_DISTINCT", "field": name}),
        "field of MAX": ("aggregateTable", {**total, "aggregate": "MAX", "field": name}),
        "field of SUM": ("aggregateTable", {**total, "field": name}),
    }


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_literal_is_data_or_is_refused(shop: TableTools, name: str) -> None:
    text = HOSTILE[name]
    stored = {
        "region": {row[2] for row in SALES if row[1] == "t-1"},
        "note": {row[3] for row in SALES if row[1] == "t-1"},
    }
    for op, value in (
        ("=", text),
        ("!=", text),
        ("<", text),
        ("LIKE", text),
        ("IN", [text]),
        ("BETWEEN", [text, text]),
    ):
        for field in ("note", "region"):
            result = shop.call_sync("queryTable", where(field, op, value))
            at = f"{field} {op}"
            if not result.success:
                assert_refused(result, at)
                continue
            assert result.table is not None
            assert {row["id"] for row in result.table.rows} <= {1, 2, 3, 4, 5}, at
            if op in ("=", "IN", "BETWEEN"):
                assert all(row[field] == text for row in result.table.rows), at
                assert result.table.rows or text not in stored[field], at
    for field in ("id", "amount", "weight", "soldOn", "soldAt", "paid", "pieces"):
        assert_refused(shop.call_sync("queryTable", where(field, "=", text)), field)


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_refused_wherever_a_call_takes_one(shop: TableTools, name: str) -> None:
    text = HOSTILE[name]
    for at, (tool, call) in names_in_every_position(text).items():
        if name != "star" or at not in ("fields", "fields, as one text"):  # there it means all fields
            assert_refused(shop.call_sync(tool, call), at)
    total = {"tableName": "Sale", "aggregate": "SUM", "field": "amount"}
    order = {"field": "id", "direction": text or "x"}
    others: dict[str, tuple[str, Any]] = {
        "tool": (text, {"tableName": "Sale"}),
        "table": ("browseTable", {"tableName": text}),
        "table of an aggregate": ("aggregateTable", {**total, "tableName": text}),
        "argument": ("browseTable", {"tableName": "Sale", text: 1}),
        "operator": ("queryTable", where("id", text, 1)),
        "key of a filter": (
            "queryTable",
            {"tableName": "Sale", "filters": [{"field": "id", "op": "=", "value": 1, text: 1}]},
        ),
        "aggregate": ("aggregateTable", {**total, "aggregate": text}),
        "direction": ("queryTable", {"tableName": "Sale", "orderBy": [order]}),
        "limit": ("queryTable", {"tableName": "Sale", "limit": text}),
        "filters": ("queryTable", {"tableName": "Sale", "filters": text}),
        "arguments": ("queryTable", text),
    }
    for at, (tool, arguments) in others.items():
        assert_refused(shop.call_sync(tool, arguments), at)


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize(
    "name",
    [name for name in HOSTILE if name not in ("nul", "lone-surrogate", "escaped-byte", "1-mb", "10001-characters")],
)
def test_a_hostile_scope_sees_no_rows(tools_of: Callable[..., TableTools], shop_spec: str, name: str) -> None:
    tools = tools_of(shop_spec, scope=Scope({"tenant": HOSTILE[name]}))
    result = tools.call_sync("aggregateTable", {"tableName": "Sale", "aggregate": "COUNT"})
    assert result.table is not None, result.error
    assert result.table.rows == ({"count": 0},)


def test_hostile_texts_that_are_stored_are_found_and_shown_as_they_are(
    tools_of: Callable[..., TableTools], engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    texts = list(STORABLE.values())
    rows = list(enumerate(texts))
    if engine == "duckdb":
        spec = str(tmp_path / "x.duckdb")
        with duckdb.connect(spec) as duck:
            duck.execute("CREATE TABLE note (id INTEGER, t VARCHAR)")
            duck.executemany("INSERT INTO note VALUES (?, ?)", [list(row) for row in rows])
    elif engine == "sqlite":
        spec = str(tmp_path / "x.sqlite")
        with closing(sqlite3.connect(spec)) as lite:
            lite.execute("CREATE TABLE note (id INTEGER, t TEXT)")
            lite.executemany("INSERT INTO note VALUES (?, ?)", rows)
            lite.commit()
    else:
        spec = request.getfixturevalue("postgres")
        with psycopg.connect(spec, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS note")
            connection.execute("CREATE TABLE note (id integer, t text)")
            connection.cursor().executemany("INSERT INTO note VALUES (%s, %s)", rows)
    tools = tools_of(spec)
    for number, text in rows:
        call = {"tableName": "note", "filters": [{"field": "t", "op": "=", "value": text}]}
        result = tools.call_sync("queryTable", call)
        assert result.table is not None, (text, result.error)
        assert result.table.rows == ({"id": number, "t": text},)
        assert text in {row["t"] for row in ToolResult.model_validate_json(result.model_dump_json()).data.rows}  # type: ignore[union-attr]
    groups = tools.call_sync("aggregateTable", {"tableName": "note", "aggregate": "COUNT", "groupBy": "t"})
    assert groups.table is not None
    assert {row["t"] for row in groups.table.rows} == set(texts)


def test_tables_and_fields_with_hostile_names_can_be_read(
    tools_of: Callable[..., TableTools], engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    # A star in place of a field's name means all fields.
    names = [text for text in STORABLE.values() if text.strip() and text != "*" and len(text.encode()) < 60]
    statements = []
    for number, name in enumerate(names):
        quoted = '"' + name.replace('"', '""') + '"'
        statements += [
            f'CREATE TABLE {quoted} ({quoted} INTEGER, "n" INTEGER)',
            f"INSERT INTO {quoted} VALUES ({number}, 1)",
        ]
    postgres = request.getfixturevalue("postgres") if engine == "postgres" else ""
    spec = {"duckdb": str(tmp_path / "x.duckdb"), "sqlite": str(tmp_path / "x.sqlite")}.get(
        engine, postgres.rpartition("/")[0] + "/hostile"
    )
    if engine == "duckdb":
        make_duckdb(Path(spec), *statements)
    elif engine == "sqlite":
        with closing(sqlite3.connect(spec)) as lite:
            for statement in statements:
                lite.execute(statement)
            lite.commit()
    else:
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute("CREATE DATABASE hostile")
        with psycopg.connect(spec, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())
    tools = tools_of(spec)
    assert set(tools.catalog.entities) == set(names)
    for number, name in enumerate(names):
        found = tools.call_sync(
            "queryTable",
            {
                "tableName": name,
                "fields": [name],
                "filters": [{"field": name, "op": "=", "value": number}],
                "orderBy": [{"field": name, "direction": "DESC"}],
            },
        )
        assert found.table is not None, (name, found.error)
        assert found.table.rows == ({name: number},)
        total = {"tableName": name, "aggregate": "MAX", "field": name, "groupBy": [name, "n"]}
        summed = tools.call_sync("aggregateTable", total)
        assert summed.table is not None, (name, summed.error)
        assert [list(row.values()) for row in summed.table.rows] == [[number, 1, number]]


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "xlsx"])
def test_files_with_hostile_names_are_tables_or_are_refused_by_name(
    tools_of: Callable[..., TableTools], tmp_path: Path, kind: str
) -> None:
    names = [
        text for text in STORABLE.values() if text.strip() and not re.search(r"[/*?\[\]{}]", text) and text[0] != "."
    ]
    folder = tmp_path / 'it\'s; a "folder" -- $1 %s 👩'
    folder.mkdir()
    for name in names:
        file = folder / f"{name}.{kind}"
        if kind == "parquet":
            make_parquet(tmp_path / "p.parquet").rename(file)
        elif kind == "xlsx":
            make_excel(file)
        else:
            written(file, "id,t\n1,x\n" if kind == "csv" else "id\tt\n1\tx\n")
    tools = tools_of(folder)
    assert set(tools.catalog.entities) == set(names)
    for name in names:
        result = tools.call_sync("aggregateTable", {"tableName": name, "aggregate": "COUNT"})
        assert result.table is not None, (name, result.error)


def test_a_path_that_climbs_out_names_just_that_file(folder: Path) -> None:
    written(folder / "deep" / "x.csv", "a\n1\n")
    done = command(folder, "tables", "--json", "--source", "deep/../deep/../good.duckdb")
    assert (done.returncode, b'"tableName": "k"' in done.stdout) == (0, True)
    refused(folder, "tables", "--source", "deep/../../../../../../../../etc/passwd", says="no data file")


def nested(depth: int, kind: type = list) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value] if kind is list else {"field": value}
    return value


NUMBERS: dict[str, Any] = {
    "int64+1": 2**63,
    "-int64-1": -(2**63) - 1,
    "1e30": 10**30,
    "1e400": 10**400,
    "-1e400": -(10**400),
    "1e5000": 10**5000,
    "infinity": float("inf"),
    "-infinity": float("-inf"),
    "nan": float("nan"),
    "float-max": sys.float_info.max,
    "decimal-infinity": Decimal("Infinity"),
    "decimal-nan": Decimal("NaN"),
    "decimal-signalling-nan": Decimal("sNaN"),
    "decimal-1e400": Decimal("1e400"),
    "decimal-1e300000": Decimal("1e300000"),
    "decimal-of-5000-digits": Decimal("9" * 5000),
}
TINY: dict[str, Any] = {
    "float-min": sys.float_info.min,
    "denormal": 5e-324,
    "decimal-1e-400": Decimal("1e-400"),
    "decimal-of-5000-places": Decimal("0." + "0" * 5000 + "1"),
}


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_beyond_all_bounds_is_refused(shop: TableTools, name: str) -> None:
    number = NUMBERS[name]
    for field in ("id", "pieces", "amount", "weight", "soldOn", "soldAt", "paid", "note"):
        for op, value in (("=", number), ("<", number), ("IN", [number]), ("BETWEEN", [number, number])):
            assert_refused(shop.call_sync("queryTable", where(field, op, value)), f"{field} {op}")


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", [*NUMBERS, *TINY])
def test_a_limit_that_is_no_ordinary_number_is_refused_or_is_the_largest(shop: TableTools, name: str) -> None:
    limit = {**NUMBERS, **TINY}[name]
    began = time.monotonic()
    result = shop.call_sync("queryTable", {"tableName": "Sale", "limit": limit})
    assert time.monotonic() - began < 10
    if result.success:
        assert result.table is not None
        assert limit > 200
        assert result.table.row_count == 5
    else:
        assert_refused(result, "limit")


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", TINY)
def test_a_number_near_nothing_is_compared_or_refused(shop: TableTools, name: str) -> None:
    for field in ("id", "pieces", "amount", "weight", "soldOn"):
        result = shop.call_sync("queryTable", where(field, "=", TINY[name]))
        assert result.error_details is not None or (result.table is not None and result.table.rows == ()), field


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("kind", [list, dict])
def test_a_value_nested_10000_deep_is_refused_wherever_it_stands(shop: TableTools, kind: type) -> None:
    deep = nested(10_000, kind)
    total = {"tableName": "Sale", "aggregate": "SUM", "field": "amount"}
    calls: dict[str, tuple[str, Any]] = {
        "arguments": ("queryTable", deep),
        "table": ("queryTable", {"tableName": deep}),
        "fields": ("queryTable", {"tableName": "Sale", "fields": deep}),
        "filters": ("queryTable", {"tableName": "Sale", "filters": deep}),
        "filters, in a list": ("queryTable", {"tableName": "Sale", "filters": [deep]}),
        "field of a filter": (
            "queryTable",
            where("id", "=", 1) | {"filters": [{"field": deep, "op": "=", "value": 1}]},
        ),
        "operator": ("queryTable", {"tableName": "Sale", "filters": [{"field": "id", "op": deep, "value": 1}]}),
        "value": ("queryTable", where("note", "=", deep)),
        "value in a list": ("queryTable", where("note", "IN", [deep])),
        "range": ("queryTable", where("amount", "BETWEEN", [deep, deep])),
        "orderBy": ("queryTable", {"tableName": "Sale", "orderBy": deep}),
        "direction": ("queryTable", {"tableName": "Sale", "orderBy": [{"field": "id", "direction": deep}]}),
        "limit": ("queryTable", {"tableName": "Sale", "limit": deep}),
        "aggregate": ("aggregateTable", {**total, "aggregate": deep}),
        "field": ("aggregateTable", {**total, "field": deep}),
        "groupBy": ("aggregateTable", {**total, "groupBy": deep}),
        "unknown argument": ("queryTable", {"tableName": "Sale", "x": deep}),
    }
    for at, (tool, call) in calls.items():
        assert_refused(shop.call_sync(tool, call), at)


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("count", [50, 51, 100_000])
def test_a_call_with_very_many_parts_is_refused_or_answered_quickly(shop: TableTools, count: int) -> None:
    many = {
        "filters": [{"field": "id", "op": ">", "value": 0}] * count,
        "fields": ["id", "note"] * count,
        "orderBy": ["id"] * count,
    }
    for argument, value in many.items():
        began = time.monotonic()
        result = shop.call_sync("queryTable", {"tableName": "Sale", argument: value})
        assert time.monotonic() - began < 15, argument
        if not result.success:
            assert_refused(result, argument)


@pytest.mark.usefixtures("unharmed")
def test_the_largest_lists_a_call_may_hold_are_refused_or_answered_quickly(shop: TableTools) -> None:
    filters = [{"field": "id", "op": "IN", "value": list(range(1000))}] * 50
    began = time.monotonic()
    result = shop.call_sync("queryTable", {"tableName": "Sale", "filters": filters})
    assert time.monotonic() - began < 20
    assert result.error_details is not None or (result.table is not None and result.table.row_count == 5)


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize(
    "written",
    ["0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-10:00", "0001-01-01", "9999-12-31", "0000-01-01", "2025-02-30"],
)
def test_a_date_at_the_edge_of_the_calendar_is_compared_or_refused(shop: TableTools, written: str) -> None:
    for field in ("soldOn", "soldAt", "id", "note"):
        for op in ("=", "<"):
            result = shop.call_sync("queryTable", where(field, op, written))
            assert result.success or result.error_details is not None, field


def test_an_unknown_tool_is_called_unknown_however_long_its_name_is(shop: TableTools) -> None:
    for tool in ("frobnicate", "aggregateTableByRegionAndMonth", "x" * 100, "que\u200bryTable"):
        result = shop.call_sync(tool, {"tableName": "Sale"})
        assert result.error_details is not None
        assert "queryTable" in result.error_details.hint, tool


# --- the scope


SPELLINGS = [
    "tenant",
    "Tenant",
    "TENANT",
    " tenant",
    "tenant ",
    "\ttenant\n",
    '"tenant"',
    "`tenant`",
    "[tenant]",
    "'tenant'",
]
SPELLINGS += [
    "Sale.tenant",
    '"Sale"."tenant"',
    "tenant\0",
    "tenant\u200b",
    "ｔｅｎａｎｔ",
    "tenant--",
    "tenant/**/",
    "(tenant)",
]


@pytest.mark.usefixtures("unharmed")
@pytest.mark.parametrize("name", SPELLINGS, ids=ascii)
def test_a_scope_column_is_refused_in_every_position_however_it_is_written(shop: TableTools, name: str) -> None:
    for at, (tool, call) in names_in_every_position(name).items():
        result = shop.call_sync(tool, call)
        assert_refused(result, at)
        assert result.error_details is not None
        assert result.error_details.code == "FIELD_NOT_FOUND", at
        assert result.error_details.suggestion != "tenant", at


def test_a_scope_column_is_nowhere_to_be_seen(shop: TableTools) -> None:
    for tool, call in (
        ("browseTable", {"tableName": "Sale"}),
        ("queryTable", {"tableName": "Sale"}),
        ("queryTable", {"tableName": "Sale", "fields": []}),
        ("queryTable", {"tableName": "Sale", "fields": ["*"]}),
    ):
        data = shop.call_sync(tool, call).table
        assert data is not None
        assert "tenant" not in {column.name for column in data.columns}
        assert all("tenant" not in row for row in data.rows)
        assert data.row_count == 5


def test_a_table_that_cannot_be_scoped_is_not_there_at_all(tools_of: Callable[..., TableTools], tmp_path: Path) -> None:
    file = make_duckdb(
        tmp_path / "x.duckdb",
        "CREATE TABLE a AS SELECT 't-1' AS tenant, 1 AS n",
        "CREATE TABLE b AS SELECT 'secret' AS s",
        "CREATE TABLE c AS SELECT 't-1' AS \"Tenant\", 'secret' AS s",
    )
    tools = tools_of(file, scope=Scope({"tenant": "t-1"}))
    assert list(tools.catalog.entities) == ["a"]
    for table in ("b", "c", "main.b", "a, b"):
        assert_refused(tools.call_sync("browseTable", {"tableName": table}), table)


def test_what_a_refusal_says_never_comes_from_another_tenant(shop: TableTools) -> None:
    for value in ("Geheim", "geheim", "Gehei", "other tenant", "other"):
        for field in ("region", "note"):
            result = shop.call_sync("queryTable", where(field, "=", value))
            assert_refused(result, field)
            assert result.error_details is not None
            assert "Geheim" not in (result.error_details.suggestion or "")
            assert "tenant" not in (result.error_details.suggestion or "")


def test_an_engine_failure_shows_neither_sql_nor_credentials(
    tools_of: Callable[..., TableTools], postgres: str
) -> None:
    """The table goes away between the opening and the call."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS vanishing")
        connection.execute("CREATE TABLE vanishing AS SELECT 1 AS a, DATE '2025-01-31' AS d")
        tools = tools_of(postgres.replace("tester@", f"tester:{SECRET}@"))
        connection.execute("DROP TABLE vanishing")
    result = tools.call_sync(
        "queryTable",
        {"tableName": "vanishing", "filters": [{"field": "d", "op": "=", "value": str(date(2025, 1, 31))}]},
    )
    assert (result.success, result.error_details) == (False, None)
    assert result.error is not None
    assert not re.search(rf"SELECT|vanishing|tester|{SECRET}", result.error)
