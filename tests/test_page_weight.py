"""What a page makes a browser load: at most 60 kB of JavaScript, packed on the way; and no page fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from served import client_of, server_app
from veracity.server.web.kept_pages import KEPT

MOST, MOST_PACKED = 60_000, 21_000


@pytest.fixture(scope="module")
def client(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client_of(server_app(ledger, tmp_path_factory.mktemp("weight"))) as client:
        yield client


def test_no_page_loads_more_than_60_kb_of_javascript(client: TestClient) -> None:
    board = client.post("/v1/boards", json={"name": "Kosten"}).json()["boardId"]
    for path in (*KEPT, f"/boards/{board}", "/taught", "/docs", "/nowhere"):
        page = client.get(path, headers={"Accept": "text/html"}).text
        scripts = re.findall(r'<script src="(/static/[\w.]+)" defer>', page)
        assert len(scripts) == page.count("<script"), path
        plain = [client.get(one, headers={"Accept-Encoding": "identity"}) for one in scripts]
        assert sum(len(one.content) for one in plain) <= MOST, path
        packed = [client.get(one) for one in scripts]
        assert sum(int(one.headers["content-length"]) for one in packed) <= MOST_PACKED, path
        assert [one.content for one in packed] == [one.content for one in plain]


def test_scripts_are_packed_for_those_who_unpack_them_and_asked_for_once(client: TestClient) -> None:
    packed = client.get("/static/veracity.css")
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == "Accept-Encoding"
    assert packed.headers["content-type"].startswith("text/css")
    assert packed.headers["cache-control"] == "public, max-age=3600"
    plain = client.get("/static/veracity.css", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == packed.text
    assert packed.headers["etag"] == f"W/{plain.headers['etag']}"
    again = client.get("/static/veracity.css", headers={"If-None-Match": packed.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/static/nothing.js").status_code == 404


def test_the_source_of_the_server_has_a_page_where_nobody_has_connected_any(client: TestClient) -> None:
    assert client.get("/connect/server").status_code == 200
    assert client.get("/v1/sources/server").status_code == 200
