"""Who may do what: keys, roles, tenants, rates, and other sites."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from served import CANDIDATES, QUESTION, bearer, client_of, server_app, two_tenants
from veracity.server.access import TokenBuckets
from veracity.server.keys import Role

SECRETS = ("Streng Geheim AG", "geheime-frage", "secret-doc", "m-other")
"""What only the other tenant says; none of it may reach the first one."""


@dataclass(frozen=True)
class Two:
    """A server that needs keys, and two tenants on it."""

    client: TestClient
    keys: Mapping[tuple[str, Role], str]

    def call(self, tenant: str, role: Role, method: str, path: str, **options: Any) -> Any:
        headers = {**bearer(self.keys[tenant, role]), **options.pop("headers", {})}
        return self.client.request(method, path, headers=headers, **options)


@pytest.fixture(scope="module")
def two(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    folder = tmp_path_factory.mktemp("access")
    app = server_app(two_tenants(ledger, folder), folder, keys="required")
    roles: tuple[Role, ...] = ("analyst", "reviewer", "admin")
    keys = {
        (t, r): app.state.database.keys.create(t, r, name=f"{t} {r}")[0] for t in ("m-demo", "m-other") for r in roles
    }
    with client_of(app) as client:
        yield Two(client, keys)


# --- keys


def test_without_a_key_nothing_but_health_is_told(two: Two) -> None:
    for path in ("/v1/traces", "/v1/jobs", "/v1/reviews", "/v1/keys", "/v1/events", "/v1/clarifications"):
        refused = two.client.get(path)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
    assert two.client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "header", ["Bearer vk_x_y", "Bearer ", "Basic dTpw", "vk_x", f"Bearer vk_{'0' * 12}_{'0' * 64}"]
)
def test_a_key_that_is_not_known_is_refused(two: Two, header: str) -> None:
    assert two.client.get("/v1/traces", headers={"Authorization": header}).status_code == 401


def test_a_revoked_key_opens_nothing(two: Two) -> None:
    made = two.call(
        "m-demo", "admin", "POST", "/v1/keys", json={"role": "analyst", "name": "for a day", "days": 1}
    ).json()
    assert two.client.get("/v1/traces", headers=bearer(made["key"])).status_code == 200
    assert made["key"] not in two.call("m-demo", "admin", "GET", "/v1/keys").text
    assert two.call("m-demo", "admin", "DELETE", f"/v1/keys/{made['keyId']}").json()["revokedAt"]
    assert two.client.get("/v1/traces", headers=bearer(made["key"])).status_code == 401


@pytest.mark.parametrize(
    ("role", "method", "path", "status"),
    [
        ("analyst", "POST", "/v1/reviews/20200101-000000-abcdef/decision", 403),
        ("reviewer", "POST", "/v1/reviews/20200101-000000-abcdef/decision", 404),
        ("analyst", "POST", "/v1/clarifications/20200101/answer", 403),
        ("reviewer", "POST", "/v1/clarifications/20200101/answer", 404),
        ("analyst", "GET", "/v1/keys", 403),
        ("reviewer", "GET", "/v1/keys", 403),
        ("admin", "GET", "/v1/keys", 200),
    ],
)
def test_a_role_may_do_its_own_and_no_more(two: Two, role: Role, method: str, path: str, status: int) -> None:
    body = (
        {"decision": "approve"} if path.endswith("decision") else {"text": "2 s"} if path.endswith("answer") else None
    )
    assert two.call("m-demo", role, method, path, json=body).status_code == status


def test_metrics_need_an_admin_from_elsewhere(two: Two) -> None:
    proxied = {"X-Forwarded-For": "203.0.113.9"}
    assert two.client.get("/metrics", headers=proxied).status_code == 401
    assert two.call("m-demo", "analyst", "GET", "/metrics", headers=proxied).status_code == 403
    assert two.call("m-demo", "admin", "GET", "/metrics", headers=proxied).status_code == 200
    assert two.client.get("/metrics", headers={"Host": "evil.example"}).status_code == 401


# --- tenants


def count(two: Two, tenant: str) -> Any:
    sql = {"sql": 'SELECT count(*) AS n FROM "TrusteeDataContact"'}
    return two.call(tenant, "analyst", "POST", "/v1/tools/execute_sql_safe", json=sql).json()["data"]["rows"][0]["n"]


def test_each_key_reads_the_rows_of_its_tenant(two: Two) -> None:
    assert (count(two, "m-demo"), count(two, "m-other")) == (49, 6)
    named = {"sql": "SELECT count(*) AS n FROM \"TrusteeDataContact\" WHERE mandateId = 'm-other'"}
    answer = two.call("m-demo", "analyst", "POST", "/v1/tools/execute_sql_safe", json=named).json()
    assert not answer["success"] or answer["data"]["rows"][0]["n"] == 0


def test_a_key_brings_its_whole_scope_and_no_request_can_change_it(ledger: Path, tmp_path: Path) -> None:
    app = server_app(ledger, tmp_path, keys="required")
    keys = app.state.database.keys
    admin, _ = keys.create("m-other", "admin", scope={"featureInstanceId": "fi-other"})
    wrong, _ = keys.create("m-wrong", "admin", scope={"MANDATEID": "m-demo"})
    sql = {"sql": 'SELECT count(*) AS n FROM "TrusteeDataContact"'}
    with client_of(app) as client:
        made = client.post("/v1/keys", json={"role": "analyst"}, headers=bearer(admin)).json()
        assert made["scope"] == {"featureInstanceId": "fi-other"}
        for key in (admin, made["key"]):
            counted = client.post("/v1/tools/execute_sql_safe", json=sql, headers=bearer(key)).json()
            assert counted["data"]["rows"] == [{"n": 6}]
        named = {"role": "analyst", "scope": {"featureInstanceId": "fi-demo"}}
        assert client.post("/v1/keys", json=named, headers=bearer(admin)).status_code == 422
        refused = client.post("/v1/tools/execute_sql_safe", json=sql, headers=bearer(wrong))
        assert (refused.status_code, "holds the tenant itself" in refused.json()["detail"]) == (400, True)


def left_by_the_other(two: Two) -> dict[str, str]:
    """The second tenant uses everything once; returns the addresses of what it left."""

    def call(method: str, path: str, role: Role = "admin", **options: Any) -> Any:
        response = two.call("m-other", role, method, path, **options)
        assert response.status_code < 300, response.text
        return response

    answer = call("POST", "/v1/ask", json={"question": f"{QUESTION} geheime-frage"}).json()
    ranked = {**CANDIDATES, "scoring_context": {"question": "Streng Geheim AG?"}}
    ranked["candidates"] = [{"id": "secret-doc", "title": "Streng Geheim AG", "snippet": "geheime-frage", "url": ""}]
    review = call("POST", "/v1/rerank", json=ranked, params={"submit": True}).headers["location"]
    later = {"Prefer": "respond-async", "Idempotency-Key": "the-same-key"}
    job = call("POST", "/v1/ask", json={"question": "geheime-frage"}, headers=later).headers["location"]
    validation = call("POST", "/v1/validations", json={"items": ["Streng Geheim AG muss schnell sein"]}).headers[
        "location"
    ]
    call("POST", "/v1/ground", json={"question": "geheime-frage", "answer": "Streng Geheim AG has 7.", "results": []})
    call(
        "PUT",
        "/v1/known-requirements/geheim.md",
        json={"items": [{"id": "1", "text": "Streng Geheim AG muss Videos zeigen."}]},
    )
    key = call("POST", "/v1/keys", json={"role": "analyst", "name": "geheime-frage"}).json()["keyId"]
    return {
        "trace": f"/v1/traces/{answer['traceId']}",
        "review": review,
        "job": job,
        "validation": validation,
        "key": f"/v1/keys/{key}",
    }


def test_nothing_of_the_other_tenant_is_in_any_answer_error_or_log(two: Two, caplog: pytest.LogCaptureFixture) -> None:
    left = left_by_the_other(two)
    caplog.clear()
    told: list[str] = []

    def call(method: str, path: str, status: int, **options: Any) -> Any:
        response = two.call("m-demo", "admin", method, path, **options)
        assert response.status_code == status, (method, path, response.text)
        told.append(response.text + json.dumps(dict(response.headers)))
        return response

    with caplog.at_level(logging.INFO, "veracity.server"):
        for path in left.values():
            if "/keys/" not in path:
                call("GET", path, 404)
        for path in ("/v1/traces", "/v1/reviews", "/v1/jobs", "/v1/validations", "/v1/clarifications", "/v1/keys"):
            call("GET", path, 200)
        call("DELETE", left["job"], 404)
        call("DELETE", left["key"], 404)
        call("POST", f"{left['review']}/decision", 404, json={"decision": "approve"})
        trace = left["trace"].rpartition("/")[2]
        call("POST", "/v1/ask", 404, json={"question": "und 2024?", "follows": trace})
        call("GET", f"/v1/clarifications?validation={left['validation'].rpartition('/')[2]}", 404)
        call("GET", f"/v1/traces?before={trace}", 200)
        call("POST", "/v1/ask", 200, json={"question": QUESTION})
        call("POST", "/v1/rerank", 200, json=CANDIDATES)
        call("POST", "/api/kg/search/nodes", 200, json={"query": "Streng Videos zeigen"})
        call("POST", "/api/kg/search/nodes", 200, json={"requirements": ["Das System muss Videos zeigen."] * 2})
        call("POST", "/v1/route", 200, json={"text": QUESTION})
        call("POST", "/v1/ground", 200, json={"answer": "Nord sold 13.", "results": []})
        call("POST", "/api/v2/evaluate/single", 200, json={"text": "Das System muss Videos zeigen."})
        for path in ("/api/v1/validate/batch", "/api/v1/validate/suggest"):
            call("POST", path, 200, json={"items": ["Das System muss Videos zeigen."]})
        call("PUT", "/v1/known-requirements/geheim.md", 200, json={"items": []})
        call("POST", "/v1/validations", 201, json={"items": ["Das System muss Videos zeigen."]})
        call("POST", "/v1/jobs", 202, json={"kind": "ask", "body": {"question": QUESTION}})
        for path in ("/readyz", "/healthz", "/metrics", "/openapi.json"):
            call("GET", path, 200)
        later = {"Prefer": "respond-async", "Idempotency-Key": "the-same-key"}
        own = call("POST", "/v1/ask", 202, json={"question": QUESTION}, headers=later)
        assert own.headers["location"] != left["job"]
        for tool in ("browseTable", "queryTable"):
            call("POST", f"/v1/tools/{tool}", 200, json={"tableName": "TrusteeDataContact", "limit": 200})
    everything = "\n".join(told) + "\n".join(str(record.__dict__) for record in caplog.records)
    identifiers = [path.rpartition("/")[2] for path in left.values()]
    without_own_words = everything.replace("Streng Videos zeigen", "")
    for secret in SECRETS:
        assert secret not in without_own_words
    answers = "\n".join(told)
    assert not [one for one in identifiers if f'"{one}"' in answers]
    found = two.call("m-other", "admin", "POST", "/api/kg/search/nodes", json={"query": "Videos zeigen"})
    assert "Streng Geheim AG" in found.text


def test_the_second_tenant_still_has_all_of_its_own(two: Two) -> None:
    left = left_by_the_other(two) if not two.call("m-other", "analyst", "GET", "/v1/reviews").json() else {}
    for path in ("/v1/traces", "/v1/reviews", "/v1/jobs", "/v1/validations"):
        assert two.call("m-other", "analyst", "GET", path).json(), (path, left)


# --- without keys


@pytest.fixture(scope="module")
def keyless(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client_of(server_app(ledger, tmp_path_factory.mktemp("keyless"))) as client:
        yield client


def test_loopback_needs_no_key_until_there_is_one(ledger: Path, tmp_path: Path) -> None:
    app = server_app(ledger, tmp_path)
    with client_of(app) as client:
        assert client.get("/v1/traces").status_code == 200
        made = client.post("/v1/keys", json={"role": "admin"}).json()
        assert client.get("/v1/traces").status_code == 401
        assert client.get("/v1/traces", headers=bearer(made["key"])).status_code == 200
        app.state.database.keys.revoke(made["keyId"])
        app.state.access.forget()
        assert client.get("/v1/traces").status_code == 401


def test_another_name_for_this_machine_is_refused_without_a_key(keyless: TestClient) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8600", "[::ffff:1.2.3.4]", "[", ""):
        assert keyless.get("/v1/traces", headers={"Host": host}).status_code == 421, host
    for host in ("localhost:8600", "127.0.0.1", "[::1]:8600"):
        assert keyless.get("/v1/traces", headers={"Host": host}).status_code == 200, host


def test_nobody_behind_a_proxy_is_taken_for_this_machine(keyless: TestClient) -> None:
    for name in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        assert keyless.get("/v1/traces", headers={name: "203.0.113.9"}).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://127.0.0.1:8600"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({}, 200),
    ],
)
def test_another_site_changes_nothing(keyless: TestClient, headers: dict[str, str], status: int) -> None:
    assert keyless.post("/v1/route", json={"text": "Hallo"}, headers=headers).status_code == status


# --- rates


def test_a_key_that_asks_too_often_is_told_when_to_go_on(ledger: Path, tmp_path: Path) -> None:
    app = server_app(ledger, tmp_path, keys="required", rate_per_minute=5)
    one, other = (app.state.database.keys.create("m-demo", "analyst")[0] for _ in range(2))
    with client_of(app) as client:
        statuses = [client.get("/v1/jobs", headers=bearer(one)).status_code for _ in range(6)]
        refused = client.get("/v1/jobs", headers=bearer(one))
        assert statuses == [200] * 5 + [429]
        assert 1 <= int(refused.headers["retry-after"]) <= 12
        assert client.get("/v1/jobs", headers=bearer(other)).status_code == 200


def test_a_bucket_fills_again_at_its_rate() -> None:
    now = [0.0]
    buckets = TokenBuckets(60, clock=lambda: now[0])
    assert [buckets.wait("a") for _ in range(60)] == [0.0] * 60
    assert buckets.wait("a") == pytest.approx(1.0)
    now[0] = 1.0
    assert buckets.wait("a") == 0.0
    assert buckets.wait("a") > 0
    assert TokenBuckets(0).wait("a") == 0.0
