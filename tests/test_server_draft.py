"""A source that nobody described, over HTTP: its draft is asked for, answered, and used from the next question on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from served import bearer, client_of
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.server.keys import LOCAL
from veracity.settings import Settings

ROWS = "rows:orders.amount"
APART = (
    "Told apart by status, as nobody has said yet which rows count. "
    "The page of the source asks for it, and so does “veracity ontology draft” with --confirm."
)


def shop(folder: Path) -> Path:
    with sqlite3.connect(folder / "shop.sqlite") as connection:
        connection.execute("CREATE TABLE orders (order_id INTEGER, order_date DATE, status TEXT, amount NUMERIC(10,2))")
        rows = [(i, f"2025-{1 + i % 12:02}-15", ("open", "paid")[i % 2], 10 * (1 + i % 5)) for i in range(1, 61)]
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)
    return folder / "shop.sqlite"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    settings = ServerSettings(source=str(shop(tmp_path)), database=str(tmp_path / "serve.sqlite"))
    app = create_app(settings, home=Settings.from_env().model_copy(update={"home": tmp_path}))
    with client_of(app) as opened:
        yield opened


def total(client: TestClient) -> Any:
    return client.post("/v1/ask", json={"question": "total amount of the orders", "lang": "en"}).json()["text"]


def test_an_answer_counts_from_the_next_question_on(client: TestClient) -> None:
    assert total(client) == f"Total amount:\n- open: 900.00\n- paid: 900.00\n{APART}"
    draft = client.get("/v1/draft").json()
    assert (draft["tables"], draft["answers"], draft["questions"][0]["id"]) == (1, {}, ROWS)
    assert "confirmed: false" in draft["ontology"] or "question:" in draft["ontology"]
    answered = client.post("/v1/draft/answers", json={"question": ROWS, "option": "= paid"}).json()
    assert answered["answers"] == {ROWS: "= paid"}
    assert ROWS not in [question["id"] for question in answered["questions"]]
    assert total(client) == "Amount: 900.00."
    assert client.get("/v1/draft").json()["answers"] == {ROWS: "= paid"}


def test_a_status_that_comes_while_the_server_runs_keeps_sums_apart(client: TestClient, tmp_path: Path) -> None:
    assert total(client) == f"Total amount:\n- open: 900.00\n- paid: 900.00\n{APART}"
    client.post("/v1/draft/answers", json={"question": ROWS, "option": "apart"})
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("INSERT INTO orders VALUES (61, '2025-03-15', 'void', 7)")
    assert total(client) == "Total amount:\n- open: 900.00\n- paid: 900.00\n- void: 7.00"
    asked = client.get("/v1/draft").json()
    assert asked["answers"] == {ROWS: "apart"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"question": "rows:orders.amout", "option": "all"}, "did you mean"),
        ({"question": ROWS, "option": "= cancelled"}, "is answered with"),
    ],
)
def test_an_answer_that_the_draft_does_not_ask_for_is_one_sentence(
    client: TestClient, body: dict[str, str], said: str
) -> None:
    response = client.post("/v1/draft/answers", json=body)
    assert 400 <= response.status_code < 500
    assert said in response.json()["detail"]
    assert client.get("/v1/draft").json()["answers"] == {}


def test_it_takes_a_reviewer_to_answer(tmp_path: Path) -> None:
    settings = ServerSettings(source=str(shop(tmp_path)), database=str(tmp_path / "serve.sqlite"), keys="required")
    app = create_app(settings, home=Settings.from_env().model_copy(update={"home": tmp_path}))
    key = app.state.database.keys.create(LOCAL, "analyst", name="ben")[0]
    with client_of(app) as client:
        assert client.get("/v1/draft", headers=bearer(key)).status_code == 200
        refused = client.post("/v1/draft/answers", json={"question": ROWS, "option": "all"}, headers=bearer(key))
        assert refused.status_code == 403


def test_a_source_that_is_described_has_no_draft(tmp_path: Path) -> None:
    app = create_app(
        ServerSettings(database=str(tmp_path / "serve.sqlite")),
        home=Settings.from_env().model_copy(update={"home": tmp_path}),
    )
    with client_of(app) as client:
        response = client.get("/v1/draft")
    assert (response.status_code, "it has no draft" in response.json()["detail"]) == (404, True)
