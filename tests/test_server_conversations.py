"""Conversations over HTTP: kept for each key, gone on with, found, renamed and deleted; none of another's is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from fastapi.testclient import TestClient

from served import bearer, client_of, server_app, two_tenants
from veracity.server.conversations import Conversations, RenamedMeanwhile
from veracity.server.database import ServerDatabase
from veracity.server.keys import Caller
from veracity.server.problems import NotThere
from veracity.server.work import forget_old

REVENUE = "Wie hoch war der Umsatz 2025?"
KEYS = (("anna", "m-demo", "analyst"), ("ben", "m-demo", "reviewer"), ("ada", "m-demo", "admin"), ("tom", "m-other", "admin"))  # fmt: skip


class People:
    """A server that wants keys, and people with one each."""

    def __init__(self, client: TestClient, keys: dict[str, str]) -> None:
        self.client, self.keys = client, keys

    def send(self, who: str, method: str, path: str, body: Any = None) -> Any:
        return self.client.request(method, path, json=body, headers=bearer(self.keys[who]))

    def ask(self, who: str, question: str, conversation: str, **more: Any) -> dict[str, Any]:
        response = self.send(who, "POST", "/v1/ask", {"question": question, "conversation": conversation, **more})
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def begin(self, who: str, **body: str) -> str:
        response = self.send(who, "POST", "/v1/conversations", body)
        assert response.status_code == 201, response.text
        return str(response.json()["conversationId"])

    def listed(self, who: str, query: str = "") -> list[str]:
        return [one["conversationId"] for one in self.send(who, "GET", f"/v1/conversations{query}").json()]


@pytest.fixture(scope="module")
def people(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    folder = tmp_path_factory.mktemp("talks")
    app = server_app(two_tenants(ledger, folder), folder, keys="required")
    store = app.state.database.keys
    with client_of(app) as client:
        yield People(client, {name: store.create(tenant, role, name=name)[0] for name, tenant, role in KEYS})


def test_the_next_question_of_a_conversation_follows_its_last_answer(people: People) -> None:
    talk = people.begin("anna")
    first = people.ask("anna", REVENUE, talk)
    later = people.ask("anna", "und 2024?", talk)
    assert (later["outcome"], later["readBack"]) == ("answered", first["readBack"].replace("2025", "2024"))
    other_branch = people.ask("anna", "und 2023?", talk, follows=first["traceId"])
    shown = people.send("anna", "GET", f"/v1/conversations/{talk}").json()
    assert (shown["title"], shown["who"], shown["turns"]) == (REVENUE, "anna", 3)
    assert [one["traceId"] for one in shown["answers"]] == [one["traceId"] for one in (first, later, other_branch)]
    assert [one["text"] for one in shown["answers"]][:2] == [first["text"], later["text"]]
    earlier = people.send("anna", "GET", f"/v1/conversations/{talk}?limit=1&before={later['traceId']}").json()
    assert [one["traceId"] for one in earlier["answers"]] == [first["traceId"]]


def test_a_conversation_is_there_for_its_own_key_and_for_an_admin_of_its_tenant_only(people: People) -> None:
    talk = people.begin("anna", title="Nur für Anna")
    assert talk in people.listed("anna")
    assert talk not in people.listed("ada")
    assert talk in people.listed("ada", "?everyone=true")
    assert people.send("ada", "GET", f"/v1/conversations/{talk}").json()["title"] == "Nur für Anna"
    for who in ("ben", "tom"):
        assert talk not in people.listed(who)
        for method, body in (("GET", None), ("PATCH", {"title": "x", "was": "Nur für Anna"}), ("DELETE", None)):
            assert people.send(who, method, f"/v1/conversations/{talk}", body).status_code == 404
        asked = people.send(who, "POST", "/v1/ask", {"question": REVENUE, "conversation": talk})
        assert (asked.status_code, "Anna" in asked.text) == (404, False)
        assert people.send(who, "GET", f"/conversations/{talk}").status_code == 404
    for path in ("/v1/conversations", "/conversations"):
        assert people.send("ben", "GET", f"{path}?everyone=true").status_code == 403
        assert "Nur für Anna" in people.send("ada", "GET", f"{path}?everyone=true").text
    assert people.send("tom", "GET", "/v1/conversations?everyone=true").json() == []
    assert people.send("anna", "GET", f"/v1/conversations/{talk}").json()["turns"] == 0


def test_of_two_who_rename_a_conversation_the_second_is_told_and_nothing_is_lost(people: People) -> None:
    talk = people.begin("anna", title="Umsatz")
    path = f"/v1/conversations/{talk}"
    assert people.send("anna", "PATCH", path, {"title": "  Umsatz\n der Jahre ", "was": "Umsatz"}).json()["title"] == "Umsatz der Jahre"  # fmt: skip
    late = people.send("ada", "PATCH", path, {"title": "Erlös", "was": "Umsatz"})
    assert late.status_code == 409
    assert "'Umsatz der Jahre'" in late.json()["detail"]
    assert people.send("anna", "GET", path).json()["title"] == "Umsatz der Jahre"
    # The same title twice is what both wanted.
    assert people.send("ada", "PATCH", path, {"title": "Umsatz der Jahre", "was": "Umsatz"}).status_code == 200


def test_bad_input_is_one_sentence_and_changes_nothing(people: People) -> None:
    talk = people.begin("anna", title="Bleibt")
    path = f"/v1/conversations/{talk}"
    for body in ({"title": "x"}, {"title": "  ", "was": "Bleibt"}, {"title": "x" * 121, "was": "Bleibt"}, {"title": 1}):
        refused = people.send("anna", "PATCH", path, body)
        assert (refused.status_code, refused.json()["detail"].count("\n")) == (422, 0)
    # A sign that nobody can see is no title.
    assert people.send("anna", "PATCH", path, {"title": "\u200b", "was": "Bleibt"}).status_code == 400
    assert people.send("anna", "GET", path).json()["title"] == "Bleibt"
    assert people.send("anna", "GET", "/v1/conversations/../x").status_code == 404
    assert people.send("anna", "GET", "/v1/conversations?search=%00%25_'").json() == []
    job = {"kind": "ask", "body": {"question": REVENUE, "conversation": talk}}
    assert people.send("anna", "POST", "/v1/jobs", job).status_code == 400
    gone = people.send("anna", "POST", "/v1/ask", {"question": REVENUE, "conversation": "20200101-nothing"})
    assert (gone.status_code, gone.json()["detail"]) == (404, "There is no conversation '20200101-nothing'.")


def test_a_deleted_conversation_is_gone_and_the_traces_of_its_answers_stay(people: People) -> None:
    talk = people.begin("anna")
    trace = people.ask("anna", REVENUE, talk)["traceId"]
    assert people.send("anna", "DELETE", f"/v1/conversations/{talk}").json()["title"] == REVENUE
    assert people.send("anna", "DELETE", f"/v1/conversations/{talk}").status_code == 404
    assert talk not in people.listed("anna")
    assert people.send("anna", "GET", f"/v1/traces/{trace}").status_code == 200


# --- the store, on both databases


NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgres"])
def database(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ServerDatabase]:
    place = request.getfixturevalue("postgres") if request.param == "postgres" else str(tmp_path / "serve.sqlite")
    with ServerDatabase.open(place) as opened:
        yield opened


Kept = Callable[[float], Conversations]


@pytest.fixture
def kept(database: ServerDatabase, eva: Caller) -> Kept:
    """Eva's conversations, so many days after the first."""
    return lambda days: Conversations(database.durable, eva, clock=lambda: NOW + timedelta(days=days))


@pytest.fixture
def eva() -> Caller:
    return Caller(f"m-{token_hex(4)}", "analyst", key_id="eva", name="Eva")


def test_conversations_are_found_by_words_of_titles_questions_and_answers_whatever_their_case(kept: Kept) -> None:
    assert kept(0).latest() == []
    names = [kept(day).begin(title).conversation_id for day, title in enumerate(("Ärzte", "100 % Bio", ""))]
    kept(5).add(names[0], "20261116-120000-0000000001", "Wie viele ÄRZTE?", "Es sind 12 in Zürich.")
    newest_first = [names[0], names[2], names[1]]
    assert [one.conversation_id for one in kept(6).latest()] == newest_first
    assert [one.conversation_id for one in kept(6).latest(before=names[0])] == newest_first[1:]
    for search, found in (
        ("ärzte zürich", names[:1]),
        ("ZUERICH", names[:1]),
        ("ärzte bern", []),
        ("100 %", names[1:2]),
        ("%", names[1:2]),
        ("_", []),
    ):
        assert [one.conversation_id for one in kept(6).latest(search=search)] == found, search


def test_old_conversations_are_forgotten_and_old_answers_of_younger_ones(database: ServerDatabase, kept: Kept) -> None:
    old, young = (kept(day).begin("x").conversation_id for day in (0, 1))
    for number, (name, day) in enumerate(((old, 2), (young, 3), (young, 40))):
        trace = f"20261116-120000-{number:010}"
        kept(day).add(name, trace, "q", "a")
    while forget_old(database.durable, 30, at_once=1, clock=lambda: NOW + timedelta(days=41)):
        pass
    with pytest.raises(NotThere):
        kept(41).get(old)
    assert kept(41).trace_ids(young, 9) == ["20261116-120000-0000000002"]
    # What is added to one that was deleted meanwhile does not bring it back.
    kept(41).add(old, "20261116-120000-0000000009", "q", "a")
    assert [one.conversation_id for one in kept(41).latest()] == [young]


def test_a_title_that_changed_meanwhile_is_told(kept: Kept) -> None:
    name = kept(0).begin("a").conversation_id
    kept(0).rename(name, "b", was="a")
    with pytest.raises(RenamedMeanwhile) as refused:
        kept(0).rename(name, "c", was="a")
    assert (refused.value.status, refused.value.title) == (409, "b")
