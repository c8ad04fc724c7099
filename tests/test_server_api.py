"""The API over HTTP: every noun, and what goes wrong as a problem with one sentence."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy
from fastapi.testclient import TestClient

from served import CANDIDATES, QUESTION, client_of, http, running, server_app, state_of, two_tenants
from veracity.answer.answer import Answer
from veracity.errors import UsageError
from veracity.requirements.ask_user import ValidationDesk
from veracity.requirements.society import Society
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.server.processes import LogLines
from veracity.server.slow_headers import HeadersInTime
from veracity.settings import Settings

PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def client(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("api")
    with client_of(server_app(two_tenants(ledger, folder), folder)) as client:
        yield client


def asked(client: TestClient, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    response = client.post("/v1/ask", json={"question": question, **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_an_answer_comes_with_its_figure_and_proof(client: TestClient) -> None:
    answer = Answer.model_validate(asked(client))
    assert answer.outcome == "answered"
    assert answer.provenance
    assert answer.trace.calls


def test_a_follow_up_is_understood_from_the_trace_it_follows(client: TestClient) -> None:
    first = asked(client)
    later = asked(client, "und 2024?", follows=first["traceId"])
    assert later["outcome"] == "answered"
    assert "2024" in str(later["sources"])
    assert later["text"] != first["text"]
    alone = asked(client, "und 2024?")
    assert alone["text"] != later["text"]


def test_a_follow_up_goes_on_past_one_that_was_not_understood(client: TestClient) -> None:
    first = asked(client, "Wie hoch war der Umsatz 2025?")
    declined = asked(client, "und pro Wetterlage?", follows=first["traceId"])
    assert declined["outcome"] != "answered"
    later = asked(client, "und 2024?", follows=declined["traceId"])
    assert (later["outcome"], later["readBack"]) == ("answered", first["readBack"].replace("2025", "2024"))


def test_a_follow_up_of_a_trace_that_is_not_there_is_a_404(client: TestClient) -> None:
    response = client.post("/v1/ask", json={"question": "und 2024?", "follows": "20200101-000000-abcdef"})
    assert (response.status_code, response.headers["content-type"]) == (404, PROBLEM)


def test_every_problem_says_what_is_wrong_and_carries_the_request_id(client: TestClient) -> None:
    for response in (
        client.post("/v1/ask", json={"question": "   "}),
        client.post("/v1/ask", json={"question": "a", "scope": {"mandateId": "m-other"}}),
        client.post("/v1/ask", content=b"{", headers={"content-type": "application/json"}),
        client.post("/v1/ask", json={"question": "a", "skill": "no-such-skill"}),
        client.get("/v1/nothing"),
        client.put("/v1/ask"),
    ):
        problem = response.json()
        assert response.headers["content-type"] == PROBLEM
        assert 400 <= response.status_code < 500
        assert problem["status"] == response.status_code
        assert problem["detail"].endswith((".", "?"))
        assert problem["request_id"] == response.headers["x-request-id"]


def test_a_field_that_does_not_fit_is_named(client: TestClient) -> None:
    problem = client.post("/v1/ask", json={"question": "a", "lang": "klingon"}).json()
    assert problem["status"] == 422
    assert [one["where"] for one in problem["errors"]] == ["body.lang"]


def test_a_body_that_is_no_json_is_told_so(client: TestClient) -> None:
    broken = client.post("/v1/ask", content=b'{"question": }', headers={"content-type": "application/json"})
    assert (broken.status_code, broken.json()["detail"]) == (
        422,
        "The body is not JSON: Expecting value at character 13.",
    )
    for path in ("/v1/ask", "/v1/tools/queryTable", "/v1/jobs", "/api/kg/search/nodes"):
        unsaid = client.post(
            path, content=b'{"question": "a"}', headers={"content-type": "application/x-www-form-urlencoded"}
        )
        assert (unsaid.status_code, "Content-Type: application/json" in unsaid.json()["detail"]) == (422, True), path


def test_half_characters_and_nul_are_taken_and_sent_back_as_marks(client: TestClient) -> None:
    response = client.post(
        "/v1/ask", content=b'{"question": "a\\ud800b\\u0000c?"}', headers={"content-type": "application/json"}
    )
    assert response.status_code == 200
    assert response.json()["question"].count("\N{REPLACEMENT CHARACTER}") == 2


def test_a_valid_call_returns_rows_and_an_invalid_one_says_what_to_do(client: TestClient) -> None:
    rows = client.post("/v1/tools/browseTable", json={"tableName": "TrusteeDataAccount", "limit": 3}).json()
    assert rows["success"]
    assert rows["data"]["rowCount"] == 3
    refused = client.post("/v1/tools/queryTable", json={"tableName": "TrusteeDataAcount"})
    assert refused.status_code == 200
    assert not refused.json()["success"]
    assert refused.json()["errorDetails"]["suggestion"]


def test_raw_sql_is_checked_and_stays_in_its_scope(client: TestClient) -> None:
    sql = 'SELECT count(*) AS n FROM "TrusteeDataContact"'
    found = client.post("/v1/tools/execute_sql_safe", json={"sql": sql}).json()
    assert found["data"]["rows"] == [{"n": 49}]
    refused = client.post("/v1/tools/execute_sql_safe", json={"sql": "DROP TABLE x"}).json()
    assert not refused["success"]
    assert client.post("/v1/tools/dropTable", json={}).status_code == 422


def test_traces_are_listed_the_newest_first_page_by_page(client: TestClient) -> None:
    wanted = [asked(client)["traceId"] for _ in range(3)]
    first = client.get("/v1/traces", params={"limit": 2}).json()
    second = client.get("/v1/traces", params={"limit": 1, "before": first[-1]["traceId"]}).json()
    assert {one["traceId"] for one in (*first, *second)} == set(wanted)
    shown = client.get(f"/v1/traces/{wanted[0]}").json()
    assert shown["question"] == QUESTION
    assert shown["body"]["provenance"]


def test_a_route_is_told_with_the_words_that_decided(client: TestClient) -> None:
    assert client.post("/v1/route", json={"text": "Guten Morgen!"}).json()["route"] == "DIRECT_CHAT"
    assert client.post("/v1/route", json={"text": QUESTION}).json()["route"] == "REACT"


def test_an_answer_of_another_agent_is_held_against_its_results(client: TestClient) -> None:
    results = [{"id": "r1", "columns": ["region", "amount"], "rows": [["Nord", 30.30]]}]
    good = client.post("/v1/ground", json={"answer": "Nord has 30.30.", "results": results}).json()
    bad = client.post("/v1/ground", json={"answer": "Nord has 31.70.", "results": results}).json()
    assert (good["verdict"], bad["verdict"]) == ("pass", "block")


def test_decimals_of_a_body_stay_exact(client: TestClient) -> None:
    exact = "1234567890123456.78"
    assert Decimal(str(float(exact))) != Decimal(exact)
    body = f'{{"answer": "It is {exact}.", "results": [{{"id": "r1", "columns": ["a"], "rows": [[{exact}]]}}]}}'
    found = client.post("/v1/ground", content=body.encode(), headers={"content-type": "application/json"}).json()
    assert found["verdict"] == "pass"


def test_ground_reads_what_tools_return_and_says_its_limits(client: TestClient) -> None:
    table = "store;manager\nZurich;Nadia Keller\nBasel;Marco Rossi"
    found = client.post("/v1/ground", json={"answer": "Zurich is run by Marco Rossi.", "results": [table]}).json()
    assert (found["verdict"], found["support"]) == ("block", "contradicted")
    much = client.post("/v1/ground", json={"answer": "It is 5.", "results": ["a,b\n" + "1,2\n" * 120_000]})
    assert 400 <= much.status_code < 500
    assert "200,000 cells" in much.text


def test_search_results_are_ranked_and_a_review_is_decided_once(client: TestClient) -> None:
    ranked = client.post("/v1/rerank", json=CANDIDATES, params={"submit": True})
    assert ranked.status_code == 200, ranked.text
    assert len(ranked.json()["ranked"]) == 3
    address = ranked.headers["location"]
    assert client.get(address).json()["hitl"]["state"] == "waiting"
    assert [one["review_id"] for one in client.get("/v1/reviews").json()] == [address.rpartition("/")[2]]
    assert client.post(f"{address}/decision", json={"decision": "reject"}).status_code == 400
    decided = client.post(f"{address}/decision", json={"decision": "approve", "only": ["doc-1"]}).json()
    assert decided["hitl"]["candidate_ids"] == ["doc-1"]
    again = client.post(f"{address}/decision", json={"decision": "reject", "why": "no"})
    assert (again.status_code, again.headers["content-type"]) == (409, PROBLEM)
    assert client.get("/v1/reviews/20200101-000000-abcdef").status_code == 404


def test_a_request_cannot_name_a_corpus(client: TestClient) -> None:
    response = client.post("/v1/rerank", json={**CANDIDATES, "corpus": "/etc"})
    assert response.status_code == 400
    assert "corpus" in response.json()["detail"]


def test_the_same_idempotency_key_is_the_same_job(client: TestClient) -> None:
    headers = {"Prefer": "respond-async", "Idempotency-Key": "once"}
    first = client.post("/v1/ask", json={"question": QUESTION}, headers=headers)
    second = client.post("/v1/ask", json={"question": QUESTION}, headers=headers)
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["jobId"] == second.json()["jobId"]
    assert client.get(first.headers["location"]).json()["state"] == "queued"
    other = client.post("/v1/ask", json={"question": "Guten Tag"}, headers=headers)
    assert other.status_code == 409
    cancelled = client.delete(first.headers["location"]).json()
    assert cancelled["state"] == "cancelled"
    assert client.get("/v1/jobs/20200101-000000-abcdef").status_code == 404


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/rerank", CANDIDATES),
        ("/api/v1/validate/batch", {"items": ["Die Plattform muss schnell sein"]}),
        ("/v1/jobs", {"kind": "ask", "body": {"question": QUESTION}}),
    ],
)
def test_long_work_becomes_a_job(client: TestClient, path: str, body: dict[str, Any]) -> None:
    response = client.post(path, json=body, headers={"Prefer": "respond-async"})
    assert response.status_code == 202
    job = client.get(response.headers["location"]).json()
    assert job["state"] == "queued"
    assert job["jobId"] in [one["jobId"] for one in client.get("/v1/jobs").json()]


def test_a_validation_is_kept_and_its_questions_are_listed(client: TestClient) -> None:
    response = client.post("/v1/validations", json={"items": ["Die Plattform muss schnell sein"]})
    assert response.status_code == 201
    shown = client.get(response.headers["location"]).json()
    assert shown["state"] == "working"
    assert shown["run_id"] in [one["run_id"] for one in client.get("/v1/validations").json()]
    assert client.get("/v1/clarifications").json() == []
    assert client.get("/v1/clarifications", params={"validation": "20200101-000000-abcdef"}).status_code == 404
    assert client.post("/v1/clarifications/nothing/answer", json={"text": "2 s"}).status_code == 404


def test_a_question_is_answered_however_many_were_asked_before(client: TestClient) -> None:
    desk = state_of(client).database.validations("local")
    work = ValidationDesk(desk.durable, society=Society(find_duplicates=lambda _texts: []))
    run_id = desk.submit(["Die Plattform muss schnell sein"])
    work.work(run_id)
    (asked_now,) = desk.questions(run_id)
    row = desk.find(asked_now.question_id, desk.store.questions)
    earlier = [{**row, "question_id": f"2020-{number}", "asked_at": "2020"} for number in range(1_000)]
    with desk.durable.session() as connection:
        connection.execute(desk.store.questions.insert(), earlier)
    path = f"/v1/clarifications/{asked_now.question_id}/answer"
    assert client.post(path, json={"text": "2 s"}).json()["state"] == "answered"
    assert client.post(path, json={"text": "3 s"}).status_code == 409


def test_a_body_that_is_too_large_is_refused(ledger: Path, tmp_path: Path) -> None:
    with client_of(server_app(ledger, tmp_path, body_limit=2_000)) as client:
        announced = client.post("/v1/ask", json={"question": "x" * 3_000})
        streamed = client.post(
            "/v1/ask",
            content=iter([b'{"question": "', b"x" * 3_000, b'"}']),
            headers={"content-type": "application/json"},
        )
        assert (announced.status_code, streamed.status_code) == (413, 413)
        assert announced.headers["content-type"] == PROBLEM


def test_who_sends_far_too_much_still_reads_the_answer(ledger: Path, tmp_path: Path) -> None:
    with running(server_app(ledger, tmp_path)) as address, http(address) as client:
        body = b'{"question": "' + b"x" * 3_000_000 + b'"}'
        assert client.post("/v1/ask", content=body).status_code == 413


class _Impatient(HeadersInTime):
    seconds = 0.3


def test_headers_that_never_end_are_cut_off_and_others_are_served(ledger: Path, tmp_path: Path) -> None:
    with running(server_app(ledger, tmp_path), http=_Impatient) as address, http(address) as client:
        host, port = address.removeprefix("http://").split(":")
        begun, silent = (socket.create_connection((host, int(port)), timeout=30) for _ in range(2))
        begun.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow:")
        assert client.get("/healthz").status_code == 200
        assert begun.recv(100).startswith(b"HTTP/1.1 408 ")
        assert silent.recv(100).startswith(b"HTTP/1.1 408 ")
        assert begun.recv(100) == b""
        # Over one connection: an answer, then headers that do not end.
        begun.close()
        begun = socket.create_connection((host, int(port)), timeout=30)
        begun.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\n")
        told = b""
        while part := begun.recv(4_096):
            told += part
        assert told.startswith(b"HTTP/1.1 200 OK")
        assert b"HTTP/1.1 408 " in told
        for other in (begun, silent):
            other.close()


def test_what_takes_too_long_is_cut_off(ledger: Path, tmp_path: Path) -> None:
    with client_of(server_app(ledger, tmp_path, request_seconds=0.001)) as client:
        response = client.post("/v1/ask", json={"question": QUESTION})
        assert (response.status_code, response.headers["content-type"]) == (504, PROBLEM)


def test_health_and_metrics_tell_no_tenant(client: TestClient) -> None:
    asked(client)
    assert client.get("/healthz").json()["status"] == "ok"
    assert client.get("/readyz").json()["status"] == "ok"
    text = client.get("/metrics").text
    assert 'veracity_answers_total{outcome="answered"}' in text
    assert 'route="/v1/ask"' in text
    assert "m-demo" not in text
    assert "local" not in text


def test_a_server_whose_data_is_away_is_alive_but_not_ready(tmp_path: Path) -> None:
    with client_of(server_app(tmp_path / "nowhere.duckdb", tmp_path)) as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 503
        refused = client.post("/v1/ask", json={"question": QUESTION})
        assert refused.status_code == 503
        assert str(tmp_path) not in refused.text  # where the data are stands in the log


def test_a_full_disk_is_told_by_readyz_and_costs_no_answer(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_arguments: Any, **_named: Any) -> Any:
        raise sqlalchemy.exc.OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))

    assert client.post("/v1/ask", json={"question": QUESTION}).status_code == 200  # it runs when the disk gets full
    with monkeypatch.context() as patch:
        patch.setattr("veracity.server.routes.health.disk_usage", lambda _: SimpleNamespace(free=4_096))
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["detail"]) == (503, "The disk is full or cannot be written; make room.")
        # Whether there is a key is remembered for two seconds, and a busy machine may take longer.
        patch.setattr("veracity.server.access.monotonic", lambda: 0.0)
        patch.setattr("veracity.durable.database.DurableDatabase._engine", full)
        answered = client.post("/v1/ask", json={"question": QUESTION})
        assert (answered.status_code, answered.json()["outcome"], answered.json()["traceId"]) == (200, "answered", "")
    assert "a trace was not kept" in caplog.messages
    assert client.get("/readyz").status_code == 200


def test_every_response_has_security_headers_and_its_request_id(client: TestClient) -> None:
    response = client.get("/healthz", headers={"X-Request-ID": "my-own-id-1"})
    assert response.headers["x-request-id"] == "my-own-id-1"
    assert "default-src 'self'" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert client.get("/healthz", headers={"X-Request-ID": "a\tb"}).headers["x-request-id"] != "a\tb"


def test_the_log_has_no_question_no_key_and_no_rows(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "veracity.server"):
        asked(client, "Wie hoch war der Gewinn 2025 streng geheim?")
    (line,) = [record for record in caplog.records if record.getMessage() == "request"]
    fields = line.__dict__["fields"]
    assert fields["route"] == "/v1/ask"
    assert fields["tenant"] == "local"
    assert "geheim" not in str(fields)


def test_settings_come_from_the_command_line_before_the_environment() -> None:
    environ = {"VERACITY_SERVE_PORT": "9000", "VERACITY_SERVE_SCOPE": "mandateId=m-1,featureInstanceId=f-1"}
    made = ServerSettings.read({"port": 8700, "host": None}, environ)
    assert (made.port, made.host) == (8700, "127.0.0.1")
    assert made.scope == {"mandateId": "m-1", "featureInstanceId": "f-1"}


@pytest.mark.parametrize(
    ("given", "environ", "named"),
    [
        ({"port": 70_000}, {}, "--port"),
        ({}, {"VERACITY_SERVE_WORKERS": "none"}, "VERACITY_SERVE_WORKERS"),
        ({}, {"VERACITY_SERVE_SCOPE": "mandate"}, "VERACITY_SERVE_SCOPE"),
        ({"keys": "off", "host": "0.0.0.0"}, {}, "keys"),
    ],
)
def test_settings_that_do_not_fit_are_named(given: dict[str, Any], environ: dict[str, str], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        ServerSettings.read(given, environ)


def test_two_servers_on_one_postgresql_share_what_they_keep(ledger: Path, new_database: Callable[..., str]) -> None:
    given = {"source": str(ledger), "feature": "trustee", "database": new_database(), "keys": "off"}
    one, other = (create_app(ServerSettings(**given)) for _ in range(2))
    odd = {"content-type": "application/json", "Idempotency-Key": "shared-on-postgres"}
    with client_of(one) as first, client_of(other) as second:
        trace = first.post(
            "/v1/ask", content=b'{"question": "Wie hoch war der Gewinn 2025\\u0000\\ud800?"}', headers=odd
        )
        assert trace.status_code == 200
        assert second.get(f"/v1/traces/{trace.json()['traceId']}").json()["question"] == trace.json()["question"]
        review = first.post("/v1/rerank", json=CANDIDATES, params={"submit": True}).headers["location"]
        assert second.post(f"{review}/decision", json={"decision": "approve"}).status_code == 200
        assert first.post(f"{review}/decision", json={"decision": "approve"}).status_code == 409
        later = {"Prefer": "respond-async", "Idempotency-Key": "shared-on-postgres"}
        jobs = {c.post("/v1/ask", json={"question": QUESTION}, headers=later).json()["jobId"] for c in (first, second)}
        assert len(jobs) == 1
        key = first.post("/v1/keys", json={"role": "analyst"}).json()["key"]
        assert second.get("/v1/traces", headers={"Authorization": f"Bearer {key}"}).status_code == 200


def test_a_failure_is_a_problem_for_the_caller_and_a_place_in_the_log(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("row data: 4711")

    monkeypatch.setattr("veracity.server.agents.Agents.of", broken)
    response = client.post("/v1/ask", json={"question": QUESTION})
    assert (response.status_code, response.headers["content-type"]) == (500, PROBLEM)
    assert "4711" not in response.text
    (record,) = [one for one in caplog.records if one.getMessage() == "failed"]
    line = json.loads(LogLines().format(record))
    assert line["error"] == "RuntimeError"
    assert line["request_id"] == response.json()["request_id"]
    assert any("broken" in place for place in line["where"])
    assert "4711" not in str(line)


def test_an_option_of_a_question_back_is_answered_by_the_trace_that_offered_it(tmp_path: Path) -> None:
    source = tmp_path / "shop.sqlite"
    with sqlite3.connect(source) as connection:
        connection.executescript(
            "CREATE TABLE sale (id INTEGER PRIMARY KEY, region TEXT, amount DECIMAL(10,2));"
            "INSERT INTO sale VALUES (1, 'Nord', 10), (2, 'Nord', 20), (3, 'Süd', 5);"
        )
    settings = ServerSettings(source=str(source), database=str(tmp_path / "serve.sqlite"))
    with client_of(
        create_app(settings, home=Settings.from_env().model_copy(update={"home": tmp_path, "disable_ontology": True}))
    ) as client:
        first = asked(client, "amount per region")
        assert [reading["text"] for reading in first["readings"]] == first["clarification"]["options"]
        chosen = asked(client, first["clarification"]["options"][0], follows=first["traceId"])
        assert (chosen["outcome"], chosen["semanticQuery"]) == ("answered", first["readings"][0]["query"])
        assert chosen["text"] == "Total amount by region:\n- Nord: 30.00\n- Süd: 5.00"
        assert asked(client, "the foo per region")["outcome"] == "abstained"
