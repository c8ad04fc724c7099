"""A server over a source that nobody described offers questions that it surely answers."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from time import monotonic, sleep

import pytest
from fastapi import FastAPI

from served import client_of
from veracity.server import own_questions
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.settings import Settings

GERMAN = {"Accept-Language": "de", "Accept": "text/html"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    file = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, sold_on TEXT, city TEXT, amount NUMERIC)")
    rows = [(n, f"2024-{1 + n % 12:02}-15", ("Bern", "Chur")[n % 2], 10 + n % 7) for n in range(1, 61)]
    connection.executemany("INSERT INTO sale VALUES (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return file


def app_over(shop: Path, folder: Path) -> FastAPI:
    settings = ServerSettings(source=str(shop), database=str(folder / "serve.sqlite"))
    return create_app(settings, home=Settings.from_env().model_copy(update={"home": folder}))


def test_questions_are_offered_answered_and_proven_once(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with client_of(app_over(shop, tmp_path)) as client:
        until, offered = monotonic() + 60, list[str]()
        while not offered and monotonic() < until:
            sleep(0.3)
            offered = re.findall(
                r'name="question" value="([^"]+)" class="example"', client.get("/", headers=GERMAN).text
            )
        assert offered
        answer = client.post("/v1/ask", json={"question": offered[0], "lang": "de"}).json()
        assert answer["outcome"] == "answered"
        assert 'href="/connect/server"' in client.get("/connect", headers=GERMAN).text
        questions = client.app.state.parts.own_questions  # type: ignore[attr-defined]
        while len(questions.of("en")) < len(questions.of("de")) and monotonic() < until:
            sleep(0.3)
        sleep(0.5)  # then they are kept
    monkeypatch.setattr(own_questions, "open_agent", lambda *_args, **_more: pytest.fail("proven a second time"))
    with client_of(app_over(shop, tmp_path)) as client:
        questions = client.app.state.parts.own_questions  # type: ignore[attr-defined]
        while not questions.of("de") and monotonic() < until:
            sleep(0.1)
        assert questions.of("de")[0] == offered[0]
    monkeypatch.undo()
    with client_of(app_over(shop, tmp_path)) as client:
        questions = client.app.state.parts.own_questions  # type: ignore[attr-defined]
        before = client.get("/v1/draft").json()
        one = before["questions"][0]
        told = client.post("/v1/draft/answers", json={"question": one["id"], "option": one["options"][0]["id"]})
        assert told.status_code == 200, told.text
        assert questions.of("de") == (), "they are proven anew"
        while not questions.of("de") and monotonic() < until:
            sleep(0.1)
        assert questions.of("de")
