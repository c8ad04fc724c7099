"""Sources that a tenant connects: files, PostgreSQL, the ledger; drafted, answered from, switched and forgotten; and what is refused."""

from __future__ import annotations

import io
import re
import shutil
import socket
import sqlite3
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest
from fastapi.testclient import TestClient

from served import bearer, client_of, state_of
from veracity.features import get_feature
from veracity.server import sources_connect
from veracity.server.app import create_app
from veracity.server.config import ServerSettings, folder_of_tenant
from veracity.server.keys import LOCAL, Caller
from veracity.server.sources_secret import SourceRefused, check_address
from veracity.server.web.texts import say
from veracity.settings import Settings
from veracity.sources import excel_file

HERE = {"Origin": "http://127.0.0.1:8600", "Accept-Language": "en"}
TOTAL = "Total amount of the sales in 2024?"
ACME, OTHER = "acme", "other"


def sales(rows: int = 40, unit: int = 10) -> bytes:
    """A CSV file whose amounts of 2024 are `unit` each."""
    lines = ["sale_id,sold_on,city,amount"]
    lines += [f"{i},2024-{1 + i % 12:02}-15,{('Bern', 'Basel', 'Chur')[i % 3]},{unit}.00" for i in range(1, rows + 1)]
    return "\n".join(lines).encode()


def home_with(ledger: Path, folder: Path) -> Settings:
    """A data folder in which the shipped ledger is built already."""
    home = Settings.from_env().model_copy(update={"home": folder})
    feature = get_feature("trustee")
    assert feature.shipped is not None
    shutil.copy(ledger, folder / f"trustee-v{feature.shipped.version}.duckdb")
    return home


@pytest.fixture(scope="module")
def home(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return home_with(ledger, tmp_path_factory.mktemp("connect"))


@pytest.fixture(scope="module")
def client(home: Settings) -> Iterator[TestClient]:
    """A server that was started without a source, and wants keys."""
    settings = ServerSettings(
        database=str(home.home / "serve.sqlite"), keys="required", source_limit=1_000_000, tenant_column="mandateId"
    )
    with client_of(create_app(settings, home=home)) as opened:
        yield opened


@pytest.fixture(scope="module")
def keys(client: TestClient) -> dict[str, dict[str, str]]:
    """The header of a key for each tenant and role that the tests need."""
    made = state_of(client).database.keys.create
    wanted = [(ACME, "admin"), (ACME, "reviewer"), (ACME, "analyst"), (OTHER, "admin"), (LOCAL, "admin")]
    return {f"{tenant} {role}": bearer(made(tenant, role, name=role)[0]) for tenant, role in wanted}


def connect(client: TestClient, key: dict[str, str], name: str, data: bytes, *, use: bool = True) -> dict[str, Any]:
    """Connect a file, and wait until it is ready or failed."""
    sent = client.post(f"/v1/sources?use={str(use).lower()}", files={"file": (name, data)}, headers=key)
    assert sent.status_code == 202, sent.text
    return settled(client, key, sent.json()["sourceId"])


def settled(client: TestClient, key: dict[str, str], source_id: str) -> dict[str, Any]:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found: dict[str, Any] = client.get(f"/v1/sources/{source_id}", headers=key).json()
        if found["state"] == "failed" or (found["state"] == "ready" and not found["doing"]):
            return found
        time.sleep(0.1)
    raise AssertionError(f"not settled: {found}")


def answer(client: TestClient, key: dict[str, str], question: str = TOTAL) -> str:
    return str(client.post("/v1/ask", json={"question": question, "lang": "en"}, headers=key).json()["text"])


def test_a_file_is_connected_asked_switched_and_forgotten(
    client: TestClient, keys: dict[str, dict[str, str]], home: Settings
) -> None:
    admin = keys["acme admin"]
    first = connect(client, admin, "sales.csv", sales(unit=10))
    assert (first["found"]["tables"], first["found"]["rows"], first["found"]["columns"]) == (1, 40, 4)
    assert answer(client, admin) == "Total amount, 2024: 400.00."
    # Every question that is offered is answered, for whoever clicks it.
    assert len(first["questions"]["en"]) == 10
    assert {
        client.post("/v1/ask", json={"question": one}, headers=admin).json()["outcome"]
        for one in first["questions"]["en"]
    } == {"answered"}
    second = connect(client, admin, "sales.csv", sales(unit=20), use=False)
    assert answer(client, admin) == "Total amount, 2024: 400.00."
    assert client.post(f"/v1/sources/{second['sourceId']}/use", headers=admin).json()["inUse"] is True
    assert answer(client, admin) == "Total amount, 2024: 800.00."
    assert client.delete(f"/v1/sources/{second['sourceId']}", headers=admin).status_code == 200
    folder = folder_of_tenant(home, ACME)
    assert [one.name for one in folder.iterdir()] == [first["sourceId"]]
    listed = client.get("/v1/sources", headers=admin).json()
    assert [one["sourceId"] for one in listed if one["inUse"]] == ["server"]
    client.post(f"/v1/sources/{first['sourceId']}/use", headers=admin)
    # The draft is the tenant's own, and an answer to it counts at once.
    draft = client.get("/v1/draft", headers=admin).json()
    assert draft["tables"] == 1


def test_a_tenant_neither_sees_nor_uses_what_another_has_connected(
    client: TestClient, keys: dict[str, dict[str, str]]
) -> None:
    mine = connect(client, keys["acme admin"], "secret.csv", sales(), use=False)["sourceId"]
    theirs = keys["other admin"]
    assert [one["sourceId"] for one in client.get("/v1/sources", headers=theirs).json()] == ["server"]
    for method, path in (("GET", ""), ("POST", "/use"), ("DELETE", "")):
        assert client.request(method, f"/v1/sources/{mine}{path}", headers=theirs).status_code == 404
    assert client.get(f"/v1/sources/{mine}", headers=keys["acme analyst"]).status_code == 200
    client.delete(f"/v1/sources/{mine}", headers=keys["acme admin"])


def test_roles_hold(client: TestClient, keys: dict[str, dict[str, str]]) -> None:
    analyst, reviewer = keys["acme analyst"], keys["acme reviewer"]
    sent = client.post("/v1/sources", files={"file": ("a.csv", sales())}, headers=analyst)
    assert sent.status_code == client.post("/v1/sources/server/use", headers=analyst).status_code == 403
    assert client.post("/v1/sources/server/use", headers=reviewer).status_code == 200
    assert client.delete("/v1/sources/server", headers=reviewer).status_code == 403
    assert "cannot be forgotten" in client.delete("/v1/sources/server", headers=keys["acme admin"]).json()["detail"]


def workbook(*, macros: bool = False) -> bytes:
    book = openpyxl.Workbook()
    assert book.active is not None
    book.active.append(["name", "amount"])
    for number in range(1, 31):
        book.active.append(["x", number])
    made = io.BytesIO()
    book.save(made)
    if macros:
        with zipfile.ZipFile(made, "a") as archive:
            archive.writestr("xl/vbaProject.bin", b"Sub AutoOpen()")
    return made.getvalue()


def zip_bomb() -> bytes:
    """A workbook of a few kB whose sheet unpacks to a thousand times as much."""
    made = io.BytesIO()
    block = b"<row><c><v>1</v></c></row>" * 40_000
    with zipfile.ZipFile(io.BytesIO(workbook())) as book, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as bomb:
        for item in book.infolist():
            if not item.filename.endswith("sheet1.xml"):
                bomb.writestr(item, book.read(item))
        with bomb.open("xl/worksheets/sheet1.xml", "w") as sheet:
            for _ in range(20):
                sheet.write(block)
    return made.getvalue()


def broken_sqlite(folder: Path) -> bytes:
    place = folder / "broken.sqlite"
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE t (a TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 500,)] * 200)
    return place.read_bytes()[:9_000]


BAD_FILES = {
    "empty.csv": (b"", "is empty"),
    "page.csv": (b"<!DOCTYPE html><html><body>Log in</body></html>", "holds an HTML page"),
    "book.csv": (workbook(), "holds a workbook or an archive"),
    "broken.xlsx": (b"PK\x03\x04 not a workbook", "cannot be read"),
    "broken.parquet": (b"PAR1 and then nothing", "cannot be read"),
    "broken.duckdb": (b"\0" * 8 + b"DUCK" + b"\0" * 4_000, "cannot be opened as a DuckDB file"),
    "no.sqlite": (b"this is no database at all", "no data file Veracity knows"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_cannot_be_read_is_told_in_one_sentence_and_leaves_nothing_in_use(
    client: TestClient, keys: dict[str, dict[str, str]], home: Settings, name: str
) -> None:
    data, said = BAD_FILES[name]
    found = connect(client, keys["other admin"], name, data)
    assert (found["state"], said in found["error"]) == ("failed", True), found["error"]
    assert str(home.home) not in found["error"]
    assert found["error"].count("\n") == 0
    assert found["errorIn"]["en"] == found["error"]
    assert found["errorIn"]["de"].startswith(f"{name} ")
    assert found["errorIn"]["de"] != found["error"]
    assert client.get("/v1/sources", headers=keys["other admin"]).json()[0]["inUse"] is True
    client.delete(f"/v1/sources/{found['sourceId']}", headers=keys["other admin"])


def test_a_zip_bomb_a_broken_database_and_macros(
    client: TestClient, keys: dict[str, dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = keys["other admin"]
    monkeypatch.setattr(excel_file, "MOST_UNPACKED", 10_000_000)
    bomb = connect(client, key, "bomb.xlsx", zip_bomb())
    assert (bomb["state"], "unpack" in bomb["error"]) == ("failed", True), bomb["error"]
    broken = connect(client, key, "broken.sqlite", broken_sqlite(tmp_path))
    assert (broken["state"], "SQLite" in broken["error"]) == ("failed", True), broken
    macros = connect(client, key, "macros.xlsm", workbook(macros=True))
    assert (macros["state"], macros["found"]["rows"]) == ("ready", 30)
    assert "not run" in macros["found"]["notes"][0]
    for one in client.get("/v1/sources", headers=key).json()[1:]:
        client.delete(f"/v1/sources/{one['sourceId']}", headers=key)


def test_a_file_that_is_too_big_is_refused_early_and_while_it_comes(
    client: TestClient, keys: dict[str, dict[str, str]], home: Settings
) -> None:
    key, big = keys["other admin"], b"a,b\n" * 400_000
    announced = client.post("/v1/sources", files={"file": ("big.csv", big)}, headers=key)
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="big.csv"\r\n\r\n'

    def unannounced() -> Iterator[bytes]:
        yield head
        for _ in range(40):
            yield big[:40_000]
        yield b"\r\n--x--\r\n"

    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    streamed = client.post("/v1/sources", content=unannounced(), headers={**key, **kind})
    for response in (announced, streamed):
        assert (response.status_code, "more than 1 MB" in response.json()["detail"]) == (413, True), response.text
    folder = folder_of_tenant(home, OTHER)
    assert not folder.exists() or not any(folder.iterdir())


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"files": {"file": ("a.exe", b"MZ")}}, 400),
        ({"files": {"file": ("", b"")}}, 400),
        ({"content": b"--x\r\nbroken", "headers": {"Content-Type": "multipart/form-data; boundary=x"}}, 400),
        ({"content": b"{", "headers": {"Content-Type": "application/json"}}, 400),
        ({"json": {}}, 422),
        ({"json": {"postgres": "mysql://u:topsecret@h/d"}}, 400),
        ({"json": {"postgres": "postgresql://u:topsecret@unlisted.example/d"}}, 400),
        ({"json": {"postgres": "env:HOME"}}, 400),
    ],
)
def test_what_cannot_be_connected_is_one_sentence_without_a_secret(
    client: TestClient, keys: dict[str, dict[str, str]], given: dict[str, Any], status: int
) -> None:
    headers = {**keys["other admin"], **given.pop("headers", {})}
    response = client.post("/v1/sources", headers=headers, **given)
    assert response.status_code == status, response.text
    assert response.json()["detail"].endswith(".")
    assert "topsecret" not in response.text


def test_a_tenant_may_only_name_hosts_that_the_server_allows() -> None:
    tenant = Caller(ACME, "admin")
    allowed = "postgresql://u:p@db.example/d?sslmode=require"
    assert check_address(allowed, tenant, ["db.example"]) == allowed
    for address in (
        "postgresql://u:p@db.example,evil.example/d",
        "postgresql://u:p@db.example/d?host=evil.example",
        "postgresql://u:p@evil.example@db.example/d",
        "postgresql://u:p@db.example/d?sslkey=/etc/passwd",
        "postgresql://u@db.example/d",
        "postgresql:///d?host=/var/run/postgresql",
        "env:PGPASSWORD",
    ):
        with pytest.raises(SourceRefused):
            check_address(address, tenant, ["db.example"])


def test_a_server_that_hangs_or_refuses_is_told_within_a_deadline(
    client: TestClient,
    keys: dict[str, dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(sources_connect, "_REACH_SECONDS", 1.0)
    silent = socket.create_server(("127.0.0.1", 0))
    with silent:
        port = silent.getsockname()[1]
        began = time.monotonic()
        hung = client.post(
            "/v1/sources",
            json={"postgres": f"postgresql://u:topsecret@127.0.0.1:{port}/d"},
            headers=keys["local admin"],
        )
        assert time.monotonic() - began < 10
    monkeypatch.setenv("CONNECT_TEST", f"postgresql://u:topsecret@127.0.0.1:{port}/d")
    gone = client.post("/v1/sources", json={"postgres": "env:CONNECT_TEST"}, headers=keys["local admin"])
    assert (hung.status_code, gone.status_code) == (400, 400)
    assert "did not answer within 1 seconds" in hung.json()["detail"]
    assert "no server answers there" in gone.json()["detail"]
    assert "topsecret" not in hung.text + gone.text + caplog.text
    assert len(client.get("/v1/sources", headers=keys["local admin"]).json()) == 1


def test_an_address_is_kept_encrypted_and_answered_from(
    client: TestClient, keys: dict[str, dict[str, str]], home: Settings, postgres: str
) -> None:
    import psycopg

    key = keys["local admin"]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS connected CASCADE")
        connection.execute("CREATE SCHEMA connected")
        connection.execute(
            "CREATE TABLE connected.sales (sale_id int primary key, sold_on date, city text, amount numeric(10,2))"
        )
        connection.execute(
            "INSERT INTO connected.sales SELECT i, date '2024-01-15', 'Bern', 10 FROM generate_series(1, 40) i"
        )
    address = (
        postgres + ("&" if "?" in postgres else "?") + "options=-csearch_path%3Dconnected&application_name=topsecret"
    )
    sent = client.post("/v1/sources?use=true", json={"postgres": address, "name": "shop"}, headers=key)
    assert sent.status_code == 202, sent.text
    found = settled(client, key, sent.json()["sourceId"])
    assert (found["state"], found["name"], found["found"]["rows"]) == ("ready", "shop", 40), found
    assert answer(client, key) == "Total amount, 2024: 400.00."
    kept = b"".join(one.read_bytes() for one in home.home.rglob("*") if one.is_file())
    assert b"topsecret" not in kept
    assert (home.home / "source.key").stat().st_mode & 0o777 == 0o600
    client.delete(f"/v1/sources/{found['sourceId']}", headers=key)
    assert client.get("/v1/sources", headers=key).json()[0]["inUse"] is True


def test_a_schema_of_two_thousand_tables_is_connected_and_said_to_be_large(
    client: TestClient, keys: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    place = tmp_path / "many.sqlite"
    with sqlite3.connect(place) as connection:
        connection.execute("BEGIN")
        for number in range(2_000):
            connection.execute(f"CREATE TABLE t{number} (a INTEGER)")
    parts = state_of(client).parts
    assert place.stat().st_size > 1_000_000
    sources, caller = parts.sources, Caller(OTHER, "admin")
    folder = sources.folder(OTHER, "many")
    folder.mkdir(parents=True)
    place.rename(folder / "many.sqlite")
    sources.begin(caller, "file", "many.sqlite", place="many/many.sqlite")
    began = time.monotonic()
    parts.connections._preparation.start(OTHER, "many")
    found = settled(client, keys["other admin"], "many")
    assert (found["state"], found["found"]["tables"]) == ("ready", 2_000), found["error"]
    assert "too many to look at them all" in found["found"]["notes"][0]
    assert found["found"]["ofTables"] == 2_000
    assert time.monotonic() - began < 60
    key = keys["other admin"]
    with_one = client.get("/v1/sources/many/tables", params={"search": "T199"}, headers=key).json()
    assert with_one == ["t199", *(f"t199{n}" for n in range(10))]
    refused = {
        "none": client.put("/v1/sources/many/tables", json={"tables": []}, headers=key),
        "unknown": client.put("/v1/sources/many/tables", json={"tables": ["t1", "nothing"]}, headers=key),
        "too many": client.put("/v1/sources/many/tables", json={"tables": [f"t{n}" for n in range(501)]}, headers=key),
    }
    assert {name: one.status_code for name, one in refused.items()} == {"none": 422, "unknown": 400, "too many": 422}
    assert client.put("/v1/sources/many/tables", json={"tables": ["t1"]}, headers=keys["acme admin"]).status_code == 404
    assert client.put("/v1/sources/many/tables", json={"tables": ["t1", "t2"]}, headers=key).status_code == 202
    found = settled(client, key, "many")
    assert (found["found"]["tables"], found["found"]["ofTables"], found["found"]["rows"]) == (2, 2_000, 0)
    client.delete("/v1/sources/many", headers=keys["other admin"])


def test_a_database_that_is_locked_later_is_one_sentence_and_comes_back(
    client: TestClient, keys: dict[str, dict[str, str]], home: Settings, tmp_path: Path
) -> None:
    key, place = keys["other admin"], tmp_path / "sales.sqlite"
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, sold_on DATE, amount NUMERIC(10,2))")
        connection.executemany("INSERT INTO sales VALUES (?, '2024-05-01', 10)", [(i,) for i in range(1, 41)])
    found = connect(client, key, "sales.sqlite", place.read_bytes())
    stored = folder_of_tenant(home, OTHER) / found["sourceId"] / "sales.sqlite"
    with sqlite3.connect(stored) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        refused = client.post("/v1/ask", json={"question": TOTAL}, headers=key)
        writer.rollback()
    assert refused.status_code in (200, 503)
    assert str(home.home) not in refused.text
    assert "400.00" in answer(client, key)
    client.delete(f"/v1/sources/{found['sourceId']}", headers=key)


def test_a_source_that_a_process_left_half_prepared_is_gone_on_with(
    client: TestClient, keys: dict[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = state_of(client).parts
    monkeypatch.setattr(parts.connections._preparation, "start", lambda *_: None)
    sent = client.post("/v1/sources", files={"file": ("sales.csv", sales())}, headers=keys["acme admin"]).json()
    monkeypatch.undo()
    assert client.get(f"/v1/sources/{sent['sourceId']}", headers=keys["acme admin"]).json()["state"] == "preparing"
    with parts.database.durable.session() as connection:
        table = parts.sources._sources
        connection.execute(table.update().where(table.c.source_id == sent["sourceId"]).values(beat_at="2020-01-01"))
    assert settled(client, keys["acme admin"], sent["sourceId"])["state"] == "ready"
    client.delete(f"/v1/sources/{sent['sourceId']}", headers=keys["acme admin"])


# --- the pages, without a script


@pytest.fixture(scope="module")
def local(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("pages")
    settings = ServerSettings(database=str(folder / "serve.sqlite"))
    with client_of(create_app(settings, home=home_with(ledger, folder))) as opened:
        yield opened


def token(client: TestClient) -> str:
    found = re.search(r'name="csrf" value="(\w+)"', client.get("/connect").text)
    assert found is not None
    return found[1]


def test_a_form_without_a_script_goes_from_the_first_visit_to_a_proven_answer(local: TestClient) -> None:
    first = local.get("/", headers=HERE, follow_redirects=False)
    assert (first.status_code, first.headers["location"]) == (303, "/connect")
    name = "<script>alert(1)</script>.csv"
    form = {"csrf": token(local)}
    sent = local.post("/connect/file", data=form, files={"file": (name, sales())}, headers=HERE, follow_redirects=False)
    assert sent.status_code == 303, sent.text
    address = sent.headers["location"]
    settled(local, {}, address.rpartition("/")[2])
    page = local.get(address, headers=HERE).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;.csv" in page
    asked = re.findall(r'name="question" value="([^"]+)" class="example"', page)
    assert len(asked) == 10
    answered = local.post("/ask", data={**form, "question": asked[0]}, headers=HERE)
    assert 'class="badge answered"' in answered.text
    # The one in use stands on every page, and the first page is the question again.
    for path in ("/", "/ontology", "/traces", "/quality", "/connect"):
        assert re.search(r'class="in-use"[^>]*>.*?&lt;script&gt;', local.get(path, headers=HERE).text, re.DOTALL), path
    local.post("/connect/ledger", data=form, headers=HERE)
    assert say("en", "connect.ledger") in local.get("/", headers=HERE, follow_redirects=False).text


def test_a_question_of_the_draft_is_answered_with_one_click_and_changes_what_is_proven(local: TestClient) -> None:
    rows = ["order_id,ordered_on,status,amount"]
    rows += [f"{i},2024-{1 + i % 12:02}-15,{('open', 'paid')[i % 2]},10.00" for i in range(1, 81)]
    form = {"csrf": token(local)}
    sent = local.post(
        "/connect/file",
        data=form,
        files={"file": ("orders.csv", "\n".join(rows).encode())},
        headers=HERE,
        follow_redirects=False,
    )
    address = sent.headers["location"]
    settled(local, {}, address.rpartition("/")[2])
    page = local.get(address, headers=HERE).text
    question = re.search(r'name="question" value="(rows:orders.amount)"', page)
    assert question is not None
    said = local.post(f"{address}/answer", data={**form, "question": question[1], "option": "= paid"}, headers=HERE)
    assert 'value="rows:orders.amount"' not in said.text
    settled(local, {}, address.rpartition("/")[2])
    asked = local.post("/v1/ask", json={"question": "total amount of the orders in 2024", "lang": "en"})
    assert "400.00" in asked.json()["text"]


def test_a_form_from_elsewhere_leaves_no_file(local: TestClient) -> None:
    refused = local.post("/connect/file", data={"csrf": "x"}, files={"file": ("a.csv", sales())}, headers=HERE)
    assert refused.status_code == 403
    late = local.post(
        "/connect/file",
        content=b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na\r\n--x\r\n'
        b'Content-Disposition: form-data; name="csrf"\r\n\r\n' + token(local).encode() + b"\r\n--x--\r\n",
        headers={**HERE, "Content-Type": "multipart/form-data; boundary=x"},
    )
    assert late.status_code == 403
    assert not list((state_of(local).parts.home.home / "sources").rglob("*.csv"))


def test_a_wrong_address_is_told_on_the_page_and_not_shown_again(local: TestClient) -> None:
    fields = {"csrf": token(local), "address": "postgresql//u:topsecret@h/d", "name": "my shop"}
    said = local.post("/connect/postgres", data=fields, headers={**HERE, "Accept-Language": "de"})
    assert (said.status_code, "Das ist keine PostgreSQL-Adresse" in said.text) == (400, True)
    assert 'value="my shop"' in said.text
    assert "topsecret" not in said.text
    variable = local.post(
        "/connect/postgres", data={**fields, "address": "env:NOT_THERE"}, headers={**HERE, "Accept-Language": "de"}
    )
    assert "Der Server hat keine Umgebungsvariable NOT_THERE" in variable.text


def test_excel_json_parquet_and_duckdb_are_read(
    client: TestClient, keys: dict[str, dict[str, str]], tmp_path: Path
) -> None:
    parquet, database = tmp_path / "data.parquet", tmp_path / "data.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE data AS SELECT i AS id, i * 2 AS amount FROM range(30) AS r(i)")
        connection.execute(f"COPY data TO '{parquet}' (FORMAT parquet)")
    files = {
        "data.parquet": parquet.read_bytes(),
        "data.duckdb": database.read_bytes(),
        "data.xlsx": workbook(),
        "data.json": b"[" + b",".join(b'{"id": %d, "amount": %d}' % (i, i) for i in range(30)) + b"]",
    }
    for name, data in files.items():
        found = connect(client, keys["acme admin"], name, data, use=False)
        assert (found["state"], found["found"]["rows"]) == ("ready", 30), (name, found["error"])
        client.delete(f"/v1/sources/{found['sourceId']}", headers=keys["acme admin"])
