"""Command line and server keep everything in one store: what one writes, the other shows."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner, Result

from served import CANDIDATES, client_of, state_of
from teaching_shop import make_shop
from veracity.cli import app
from veracity.grounding.events import EventStore, GuardEvent
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.settings import Settings

BAD = {
    "question": "Who?",
    "answer": "It is John Doe.",
    "results": [{"id": "a", "columns": ["n"], "rows": [["Keller"]]}],
}


@dataclass
class Both:
    """A server and the commands of the same user."""

    client: TestClient
    data: list[str]

    def command(self, *arguments: str, typed: str = "") -> Result:
        done = CliRunner().invoke(app, list(arguments), input=typed)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.output
        return done

    def told(self, *arguments: str) -> Any:
        return json.loads(self.command(*arguments, "--json").stdout)

    def page(self, path: str) -> str:
        return self.client.get(path, headers={"Accept": "text/html", "Accept-Language": "en"}).text


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("one-store")
    source, ontology = make_shop(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VERACITY_HOME", str(folder / "home"))
        if request.param == "postgres":
            patch.setenv("VERACITY_DATABASE", request.getfixturevalue("new_database")())
        settings = ServerSettings.read({"source": str(source), "ontology": str(ontology), "scope": {"tenant": "t-1"}})
        with client_of(create_app(settings, home=Settings.from_env())) as client:
            yield Both(client, ["--source", str(source), "--ontology", str(ontology), "--scope", "tenant=t-1"])
        kept = {path.name for path in (folder / "home").glob("*.sqlite")}
        assert ("veracity.sqlite" in kept) == (request.param == "sqlite")
        assert not kept & {"serve.sqlite", "traces.sqlite", "reviews.sqlite", "guard.sqlite", "taught.sqlite"}


def test_questions_of_the_one_are_traces_of_the_other(both: Both) -> None:
    asked = json.loads(both.command("ask", "revenue in 2024", *both.data, "--json").stdout)
    assert "revenue in 2024" in both.page("/traces")
    assert both.client.get(f"/v1/traces/{asked['traceId']}").json()["text"] == asked["text"]
    served = both.client.post("/v1/ask", json={"question": "revenue in 2023"}).json()
    assert both.told("trace", "show", served["traceId"])["question"] == "revenue in 2023"
    assert both.told("trace", "list")[0]["traceId"] == served["traceId"]


def test_words_that_the_one_is_taught_the_other_knows_and_can_undo(both: Both) -> None:
    both.command("ontology", "teach", "turnover", "--means", "revenue", *both.data)
    answer = both.client.post("/v1/ask", json={"question": "turnover in 2024"}).json()
    assert (answer["outcome"], answer["taught"][0]["word"]) == ("answered", "turnover")
    taught = both.client.post("/v1/teach", json={"word": "proceeds", "means": "revenue"}).json()
    assert both.command("ask", "proceeds in 2024", *both.data).exit_code == 0
    both.command("ontology", "taught", "undo", taught["taughtId"])
    assert both.client.post("/v1/ask", json={"question": "proceeds in 2024"}).json()["outcome"] != "answered"
    (left,) = both.client.get("/v1/taught").json()
    assert both.client.delete(f"/v1/taught/{left['taughtId']}").status_code == 200
    assert both.told("ontology", "taught", "list") == []


def test_verdicts_of_the_one_are_listed_by_the_other(both: Both) -> None:
    asked = json.loads(both.command("ask", "revenue per country", *both.data, "--json").stdout)
    served = both.client.post("/v1/ask", json={"question": "customers in France"}).json()
    both.client.post(f"/v1/traces/{asked['traceId']}/verdict", json={"verdict": "right"})
    both.command("answer", "wrong", served["traceId"], "--why", "Bob left us")
    for verdicts in (both.told("answer", "list"), both.client.get("/v1/verdicts").json()):
        assert [(one["verdict"], one["question"]) for one in verdicts] == [
            ("wrong", "customers in France"),
            ("right", "revenue per country"),
        ]


def test_what_the_guard_stops_here_is_counted_there(both: Both) -> None:
    both.command("ground", "--input", "-", typed=json.dumps(BAD))
    both.client.post("/v1/ground", json={**BAD, "question": "Who is it?"})
    assert {one["question"] for one in both.told("guard", "events")} == {"Who?", "Who is it?"}
    assert "Who is it?" in (shown := both.page("/quality"))
    assert "· Who?<" in shown


def test_reviews_are_submitted_and_decided_by_either(both: Both, tmp_path: Path) -> None:
    given = tmp_path / "found.json"
    given.write_text(json.dumps(CANDIDATES), encoding="utf-8")
    both.command("rerank", str(given), "--submit")
    first = both.told("review", "list")[0]["review_id"]
    assert first in both.page("/reviews")
    done = both.client.post(f"/v1/reviews/{first}/decision", json={"decision": "reject", "why": "too old"})
    assert done.status_code == 200
    assert both.told("review", "show", first)["hitl"]["state"] == "rejected"
    ranked = both.client.post("/v1/rerank", json=CANDIDATES, params={"submit": "true"})
    second = ranked.headers["Location"].rpartition("/")[2]
    assert [one["review_id"] for one in both.told("review", "list", "--waiting")] == [second]
    both.command("review", "approve", second, "--who", "anna")
    assert both.client.get(f"/v1/reviews/{second}").json()["hitl"]["who"] == "anna"


def test_validations_and_their_questions_are_seen_by_either(both: Both, tmp_path: Path) -> None:
    text = tmp_path / "app.md"
    text.write_text("- Die App muss schnell sein.\n", encoding="utf-8")
    run = both.told("requirements", "validate", str(text))["run_id"]
    questions = both.client.get("/v1/clarifications").json()
    assert [one["run_id"] for one in questions] == [run]
    both.client.post(f"/v1/clarifications/{questions[0]['question_id']}/answer", json={"text": "Nutzer"})
    answered = both.told("requirements", "questions", "--all")
    assert answered[0]["answer"] == "Nutzer"


def test_writers_of_both_kinds_do_not_lose_each_others_rows(both: Both) -> None:
    """A command writes with `sqlite3`, the server through SQLAlchemy, into one file at the same moment."""

    def write(store: EventStore, name: str) -> None:
        for number in range(60):
            event = {"event_id": f"20300101-000000-{name}-{number:03}", "at": "2030-01-01T00:00:00Z", "question": "?"}
            store.save([GuardEvent.model_validate({**event, "rule": f"rule-{name}", "outcome": "blocked"})])

    database = state_of(both.client).database
    writers = [(EventStore.default(), "a"), (database.events("local"), "b"), (EventStore.default(), "c")]
    threads = [threading.Thread(target=write, args=one) for one in writers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = EventStore.default().counts()
    assert {name: counts[f"rule-{name}"] for name in "abc"} == {"a": 60, "b": 60, "c": 60}
