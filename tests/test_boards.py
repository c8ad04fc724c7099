"""Boards over HTTP and as pages: answers that are proven again, shared within the tenant; of two changes none is lost."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from fastapi.testclient import TestClient

from served import bearer, client_of, server_app, state_of, two_tenants
from veracity.server.boards import MOST_PINS

KEYS = (("anna", "m-demo", "analyst"), ("ben", "m-demo", "analyst"), ("ada", "m-demo", "admin"), ("tom", "m-other", "admin"))  # fmt: skip
COST = {"show": ["cost"], "by": ["TrusteeLedgerLine.costCenter"], "period": 2025}


class BoardUsers:
    """A server that wants keys, and people with one each."""

    def __init__(self, client: TestClient, keys: dict[str, str], source: Path) -> None:
        self.client, self.keys, self.source = client, keys, source

    def send(self, who: str, method: str, path: str, body: Any = None) -> Any:
        return self.client.request(method, f"/v1/boards{path}", json=body, headers=bearer(self.keys[who]))

    def make(self, who: str, name: str) -> dict[str, Any]:
        made = self.send(who, "POST", "", {"name": name})
        assert made.status_code == 201, made.text
        board: dict[str, Any] = made.json()
        return board


@pytest.fixture(scope="module")
def users(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardUsers]:
    folder = tmp_path_factory.mktemp("boards")
    source = two_tenants(ledger, folder)
    app = server_app(source, folder, keys="required")
    store = app.state.database.keys
    with client_of(app) as client:
        yield BoardUsers(client, {n: store.create(t, r, name=n)[0] for n, t, r in KEYS}, source)


def test_a_board_is_shared_within_the_tenant_and_proves_its_answers_again(users: BoardUsers) -> None:
    board = users.make("anna", "Costs")
    path = f"/{board['boardId']}"
    question = {"question": "How much did we spend on rent in 2024?"}
    answer = users.client.post("/v1/ask", json=question, headers=bearer(users.keys["anna"])).json()
    assert users.send("anna", "POST", f"{path}/pins", {"traceId": answer["traceId"]}).status_code == 201
    pinned = users.send("ben", "POST", f"{path}/pins", {"query": COST, "lang": "de", "title": "Kostenstellen"})
    assert (pinned.json()["pins"], pinned.json()["version"]) == (2, 3)
    shown = users.send("ben", "GET", path).json()
    assert [(one["title"], one["who"], one["proof"]["state"]) for one in shown["answers"]] == [
        (question["question"], "anna", "same"),
        ("Kostenstellen", "ben", "same"),
    ]
    assert shown["answers"][0]["proof"]["text"] == answer["text"] == "Rent, 2024: 73,531.80 CHF."
    for method, more in (
        ("GET", ""),
        ("DELETE", "?version=3"),
        ("DELETE", f"/pins/{shown['answers'][0]['pinId']}?version=3"),
    ):
        assert users.send("tom", method, path + more).status_code == 404
    assert [one["name"] for one in users.send("tom", "GET", "").json()] == []


def test_what_changed_since_an_answer_was_pinned_is_told(users: BoardUsers) -> None:
    board = users.make("anna", "Changes")
    path = f"/{board['boardId']}"
    rent = {"show": ["cost"], "where": {"segment": "GroupRent", "via": ["TrusteeDataAccount"]}, "period": 2024}
    for query in (rent, COST):
        assert users.send("anna", "POST", f"{path}/pins", {"query": query}).status_code == 201
    state_of(users.client).agents.close()
    with duckdb.connect(str(users.source)) as connection:
        line = connection.execute(
            "SELECT l.id FROM TrusteeDataJournalLine l JOIN TrusteeDataJournalEntry e ON e.id = l.journalEntryId"
            " WHERE l.accountNumber = '6000' AND e.mandateId = 'm-demo'"
            " AND to_timestamp(e.bookingDate) BETWEEN '2024-02-01' AND '2024-11-30' LIMIT 1"
        ).fetchone()
        assert line is not None
        connection.execute("UPDATE TrusteeDataJournalLine SET debitAmount = debitAmount + 100 WHERE id = ?", list(line))
    changed, same = (one["proof"] for one in users.send("anna", "GET", path).json()["answers"])
    assert changed["state"] == "changed"
    assert changed["before"] == ["Rent, 2024: 73,531.80 CHF."]
    assert changed["now"] == ["Rent, 2024: 73,631.80 CHF."]
    assert same["state"] == "same"


def test_of_two_who_change_a_board_at_once_one_is_told_and_nothing_is_lost(users: BoardUsers) -> None:
    board = users.make("anna", "Shared")
    path, seen = f"/{board['boardId']}", board["version"]
    users.send("ben", "POST", f"{path}/pins", {"query": COST})
    late = users.send("anna", "PATCH", path, {"name": "Mine", "version": seen})
    assert late.status_code == 409
    assert late.json()["detail"].count(".") == 1
    assert users.send("anna", "DELETE", f"{path}?version={seen}").status_code == 409
    now = users.send("anna", "GET", path).json()
    assert (now["name"], now["pins"]) == ("Shared", 1)
    assert users.send("anna", "PATCH", path, {"name": "Mine", "version": now["version"]}).json()["name"] == "Mine"
    assert users.send("ben", "DELETE", f"{path}?version={now['version'] + 1}").status_code == 403
    pin = now["answers"][0]["pinId"]
    assert users.send("ben", "DELETE", f"{path}/pins/{pin}?version={now['version'] + 1}").json()["pins"] == 0
    assert users.send("ada", "DELETE", f"{path}?version={now['version'] + 2}").status_code == 200
    assert users.send("anna", "GET", path).status_code == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"query": {"show": ["no such measure"]}}, 400),
        ({"query": {"show": [{"aggregate": "sum", "field": "TrusteeBalanceByAccount.closingBalance"}]}}, 400),
        ({"traceId": "20200101-000000-0000000000"}, 404),
        ({"traceId": "20200101-000000-0000000000", "query": COST}, 422),
        ({}, 422),
    ],
)
def test_what_cannot_be_proven_again_is_not_pinned(users: BoardUsers, body: Any, status: int) -> None:
    boards = users.send("ada", "GET", "").json()
    board = next((one for one in boards if one["name"] == "Empty"), None) or users.make("ada", "Empty")
    refused = users.send("ada", "POST", f"/{board['boardId']}/pins", body)
    assert refused.status_code == status, refused.text
    assert users.send("ada", "GET", f"/{board['boardId']}").json()["pins"] == 0


def test_an_abstention_is_not_pinned_and_a_full_board_says_so(users: BoardUsers) -> None:
    board = users.make("anna", "Full")
    asked = {"question": "How many employees have a company bike?"}
    answer = users.client.post("/v1/ask", json=asked, headers=bearer(users.keys["anna"])).json()
    path = f"/{board['boardId']}/pins"
    assert users.send("anna", "POST", path, {"traceId": answer["traceId"]}).status_code == 400
    count = {"show": [{"aggregate": "count", "of": "TrusteeDataAccount"}]}
    sent = [users.send("anna", "POST", path, {"query": count}).status_code for _ in range(MOST_PINS + 1)]
    assert sent == [201] * MOST_PINS + [400]


def test_answers_change_places_and_stay_there(users: BoardUsers) -> None:
    board = users.make("anna", "Order")
    path = f"/{board['boardId']}"
    for title in ("A", "B", "C"):
        users.send("anna", "POST", f"{path}/pins", {"query": COST, "title": title})
    shown = users.send("ben", "GET", path).json()
    pins, version = {one["title"]: one["pinId"] for one in shown["answers"]}, shown["version"]

    def move(who: str, title: str, place: int, version: int) -> Any:
        return users.send(who, "PATCH", f"{path}/pins/{pins[title]}", {"place": place, "version": version})

    def order() -> str:
        return "".join(one["title"] for one in users.send("anna", "GET", path).json()["answers"])

    assert move("ben", "C", 1, version).json()["version"] == version + 1
    assert order() == "CAB"
    late = move("anna", "A", 1, version)
    assert (late.status_code, late.json()["detail"].count(".")) == (409, 1)
    assert move("anna", "C", 3, version + 1).status_code == 200
    assert [move("anna", "A", place, version + 2).status_code for place in (0, 4)] == [422, 400]
    assert move("tom", "A", 2, version + 2).status_code == 404
    unknown = users.send("anna", "PATCH", f"{path}/pins/20200101-000000-0", {"place": 1, "version": version + 2})
    assert unknown.status_code == 404
    users.send("anna", "POST", f"{path}/pins", {"query": COST, "title": "D"})
    assert order() == "ABCD"


def test_a_board_of_an_earlier_version_keeps_its_order(ledger: Path, tmp_path: Path) -> None:
    with client_of(server_app(ledger, tmp_path)) as client:
        board = client.post("/v1/boards", json={"name": "Old"}).json()["boardId"]
        for title in ("A", "B"):
            assert client.post(f"/v1/boards/{board}/pins", json={"query": COST, "title": title}).status_code == 201
    with sqlite3.connect(tmp_path / "serve.sqlite") as store:
        store.execute("ALTER TABLE veracity_pin DROP COLUMN place")
    with client_of(server_app(ledger, tmp_path)) as client:
        assert client.post(f"/v1/boards/{board}/pins", json={"query": COST, "title": "C"}).status_code == 201
        assert [one["title"] for one in client.get(f"/v1/boards/{board}").json()["answers"]] == ["A", "B", "C"]


def test_on_the_pages_a_name_that_is_a_script_is_only_a_name_and_a_late_change_keeps_what_was_typed(
    ledger: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with client_of(server_app(ledger, tmp_path_factory.mktemp("board-pages"))) as local:
        token = re.search(r'name="csrf" value="(\w+)"', local.get("/").text)
        assert token is not None
        origin = {"Origin": "http://127.0.0.1:8600", "Accept-Language": "en"}

        def post(path: str, **fields: Any) -> Any:
            return local.post(path, data={"csrf": token[1], **fields}, headers=origin, follow_redirects=False)

        made = post("/boards", name="<script>alert(1)</script>").headers["location"]
        page = local.get(made, headers=origin).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert post(f"{made}/name", name="Second", version="1").status_code == 303
        late = post(f"{made}/name", name="Third", version="1")
        assert late.status_code == 409
        assert 'value="Third"' in late.text
        assert "Somebody changed this board meanwhile" in late.text
        assert post("/boards", name=" ").status_code == 400
        assert local.get("/boards/20200101-000000-0000000000", headers=origin).status_code == 404
        assert post(f"{made}/delete", version="2").headers["location"] == "/boards"
