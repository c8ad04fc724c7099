"""Pages that are sent again as they were: never to somebody else, and never after something was written."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from served import bearer, client_of, http, running, server_app, two_tenants
from veracity.durable.database import DurableDatabase
from veracity.server.draft import ServedDraft
from veracity.server.keys import Caller
from veracity.server.web import kept_pages
from veracity.server.web.kept_pages import KEPT, KeptPage
from veracity.server.web.visit import Visit

HERE = {"Origin": "http://127.0.0.1:8600"}


@pytest.fixture(scope="module")
def source(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return two_tenants(ledger, tmp_path_factory.mktemp("kept"))


@pytest.fixture
def client(source: Path, tmp_path: Path) -> Iterator[TestClient]:
    with client_of(server_app(source, tmp_path)) as client:
        client.get("/boards")  # which gives it the cookie of its forms
        yield client


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates that were rendered."""
    found: list[str] = []
    real = Visit.html

    def counted(visit: Visit, template: str, **values: Any) -> str:
        found.append(template)
        return real(visit, template, **values)

    monkeypatch.setattr(Visit, "html", counted)
    return found


def token(page: str) -> str:
    found = re.search(r'name="csrf" value="(\w+)"', page)
    assert found is not None
    return found[1]


def boards_of(client: TestClient, name: str) -> None:
    client.app.state.database.boards(Caller("local", "admin")).make(name)  # type: ignore[attr-defined]


def test_a_page_is_made_once_as_long_as_nothing_is_written(client: TestClient, made: list[str]) -> None:
    for path in sorted(KEPT):
        made.clear()
        first, second = client.get(path), client.get(path)
        assert (first.status_code, second.status_code, len(made)) == (200, 200, 1), path
        assert first.text == second.text
        differ = {name for name in first.headers if first.headers[name] != second.headers[name]}
        assert differ == {"x-request-id"}
        assert first.headers.keys() == second.headers.keys()


def test_whoever_writes_the_next_page_shows_it(client: TestClient, made: list[str], tmp_path: Path) -> None:
    assert "Budget" not in client.get("/boards").text
    boards_of(client, "Budget")
    assert "Budget" in client.get("/boards").text
    # another process
    file = cast("Path", client.app.state.database.durable.path)  # type: ignore[attr-defined]
    with sqlite3.connect(file) as other:
        other.execute("UPDATE veracity_board SET name = 'Plan'")
    other.close()
    shown = client.get("/boards").text
    assert "Plan" in shown
    assert "Budget" not in shown


def test_each_visitor_has_a_token_of_their_own(client: TestClient, made: list[str]) -> None:
    mine = client.get("/boards").text
    client.cookies.clear()
    client.get("/boards")
    made.clear()
    theirs = client.get("/boards").text
    assert made == []
    assert token(mine) != token(theirs)
    assert token(mine) not in theirs
    posted = client.post("/boards", data={"csrf": token(theirs), "name": "Taken"}, headers=HERE)
    assert posted.status_code == 200
    assert client.post("/boards", data={"csrf": token(mine), "name": "Not"}, headers=HERE).status_code == 403


def test_languages_themes_and_filters_are_kept_apart(client: TestClient) -> None:
    german = client.get("/traces", headers={"Accept-Language": "de"}).text
    english = client.get("/traces", headers={"Accept-Language": "en"}).text
    client.cookies.set("veracity_theme", "dark")
    dark = client.get("/traces", headers={"Accept-Language": "de"}).text
    narrowed = client.get("/traces?search=nothing", headers={"Accept-Language": "de"}).text
    assert len({german, english, dark, narrowed}) == 4
    assert client.get("/traces", headers={"Accept-Language": "en", "HX-Request": "true"}).text != ""


def test_tenants_roles_and_keys_are_kept_apart(source: Path, tmp_path: Path) -> None:
    with client_of(server_app(source, tmp_path, keys="required")) as client:
        keys = client.app.state.database.keys  # type: ignore[attr-defined]
        client.cookies.set("veracity_visit", "x" * 32)
        plain = {
            who: keys.create(*who)[0] for who in (("m-demo", "admin"), ("m-demo", "analyst"), ("m-other", "admin"))
        }
        client.app.state.database.boards(Caller("m-demo", "admin")).make("Budget of m-demo")  # type: ignore[attr-defined]
        shown = {who: [client.get("/boards", headers=bearer(one)).text for _ in range(2)] for who, one in plain.items()}
        assert all(first == second for first, second in shown.values())
        assert ["Budget of m-demo" in pages[1] for pages in shown.values()] == [True, True, False]
        assert client.get("/boards", follow_redirects=False).status_code == 303  # to sign in


def test_a_key_that_asks_too_often_is_told_so_on_a_kept_page_too(source: Path, tmp_path: Path) -> None:
    with client_of(server_app(source, tmp_path, keys="required", rate_per_minute=2)) as client:
        plain, _ = client.app.state.database.keys.create("m-demo", "admin")  # type: ignore[attr-defined]
        client.cookies.set("veracity_visit", "x" * 32)
        seen = [client.get("/boards", headers=bearer(plain)).status_code for _ in range(4)]
        assert seen == [200, 200, 429, 429]


def test_a_page_grows_old(client: TestClient, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_pages, "SECONDS", 0.0)
    client.get("/reviews")
    client.get("/reviews")
    assert len(made) == 2


def test_an_answer_to_a_question_of_the_draft_makes_pages_anew() -> None:
    at = 1
    draft = SimpleNamespace(answered_at=lambda: at)
    page = KeptPage((1, 1), cast("ServedDraft", draft), 1, float("inf"), None, b"", (), b"")
    assert page.is_current((1, 1))
    assert not page.is_current((1, 2))
    at = 2
    assert not page.is_current((1, 1))


def test_a_database_tells_that_it_was_written(tmp_path: Path) -> None:
    durable = DurableDatabase.of(str(tmp_path / "one.sqlite"), holds="data")
    assert durable.changes() is None  # there is no file yet
    import sqlalchemy as sa

    table = durable.table("note", sa.Column("text", sa.Text))
    durable.prepare(table)
    before = durable.changes()
    assert before is not None
    assert durable.changes() == before
    with durable.session() as connection:
        connection.execute(table.insert().values(text="written"))
    assert durable.changes() != before
    durable.close()
    # a file in its place: the numbers of the new one must not look like those of the old one
    for end in ("", "-wal", "-shm"):
        (tmp_path / f"one.sqlite{end}").unlink(missing_ok=True)
    other = DurableDatabase.of(str(tmp_path / "one.sqlite"), holds="data")
    other.prepare(table)
    assert durable.changes() not in (before, None)
    for one in (durable, other):
        one.close()
    assert DurableDatabase.of("postgresql://127.0.0.1:1/none", holds="data").changes() is None


def test_many_who_open_a_page_at_once_wait_for_one(made: list[str], source: Path, tmp_path: Path) -> None:
    with running(server_app(source, tmp_path)) as address, http(address) as visitor, ThreadPoolExecutor(10) as people:
        visitor.get("/boards")
        made.clear()
        pages = list(people.map(lambda _: visitor.get("/ontology").text, range(10)))
        assert (len(set(pages)), len(made)) == (1, 1)
