"""Teaching over HTTP: keys, roles and tenants hold; right and wrong are kept for each tenant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from served import bearer, client_of
from teaching_shop import make_shop
from veracity.server.app import create_app
from veracity.server.config import ServerSettings
from veracity.settings import Settings


class Tenants:
    """A server with two tenants, and what each of their keys may do."""

    def __init__(self, client: TestClient, keys: dict[str, str]) -> None:
        self.client, self.keys = client, keys

    def post(self, who: str, path: str, body: dict[str, Any]) -> Any:
        return self.client.post(path, json=body, headers=bearer(self.keys[who]))

    def get(self, who: str, path: str) -> Any:
        return self.client.get(path, headers=bearer(self.keys[who])).json()

    def ask(self, who: str, question: str, **more: Any) -> Any:
        return self.post(who, "/v1/ask", {"question": question, **more}).json()


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    folder = tmp_path_factory.mktemp("served-shop")
    source, ontology = make_shop(folder)
    settings = ServerSettings(
        source=str(source),
        ontology=str(ontology),
        scope={"tenant": "t-1"},
        database=str(folder / "serve.sqlite"),
        keys="required",
    )
    app = create_app(settings, home=Settings.from_env().model_copy(update={"home": folder}))
    store = app.state.database.keys
    keys = {
        name: store.create(tenant, role, name=name)[0]
        for name, tenant, role in (
            ("anna", "t-1", "reviewer"),
            ("ben", "t-1", "analyst"),
            ("tom", "t-2", "admin"),
        )
    }
    with client_of(app) as client:
        yield Tenants(client, keys)


def test_yes_and_remember_teaches_the_tenant_of_the_key_and_nobody_else(tenants: Tenants) -> None:
    asked = tenants.ask("ben", "earnings per country")
    assert asked["outcome"] == "clarify"
    assert asked["readings"][0]["teaches"] == {"word": "earnings", "means": "revenue"}
    body = {"follows": asked["traceId"], "reading": 0}
    assert tenants.post("ben", "/v1/teach", body).status_code == 403
    assert tenants.post("tom", "/v1/teach", body).status_code == 404
    taught = tenants.post("anna", "/v1/teach", body)
    assert taught.status_code == 201
    assert (taught.json()["who"], taught.json()["question"]) == ("anna", "earnings per country")
    answer = tenants.ask("ben", "earnings in 2024")
    assert answer["outcome"] == "answered"
    assert [(note["word"], note["who"]) for note in answer["taught"]] == [("earnings", "anna")]
    follow_up = tenants.ask("ben", "and 2023?", follows=answer["traceId"])
    assert [note["word"] for note in follow_up["taught"]] == ["earnings"]
    assert tenants.ask("tom", "earnings in 2024")["outcome"] == "clarify"
    assert [one["word"] for one in tenants.get("ben", "/v1/taught")] == ["earnings"]
    assert tenants.get("tom", "/v1/taught") == []
    path = f"/v1/taught/{taught.json()['taughtId']}"
    assert [tenants.client.delete(path, headers=bearer(tenants.keys[who])).status_code for who in ("ben", "tom")] == [
        403,
        404,
    ]
    assert tenants.client.delete(path, headers=bearer(tenants.keys["anna"])).status_code == 200
    assert tenants.ask("ben", "earnings in 2024")["outcome"] == "clarify"
    assert tenants.client.delete(path, headers=bearer(tenants.keys["anna"])).status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"word": "not", "means": "revenue"}, 400, "has a meaning in every question"),
        ({"word": "revenue", "means": "amount"}, 400, "already means"),
        ({"word": "a: [b]", "means": "revenue"}, 400, "not a word"),
        ({"word": "folks", "means": "nothing"}, 400, "Nothing here is called"),
        ({"word": "folks"}, 400, "word and means"),
        ({}, 400, "word and means"),
        ({"follows": "20200101-000000-abc"}, 404, "no trace"),
        ({"word": "x" * 10_000, "means": "revenue"}, 422, ""),
        ({"word": "folks", "means": "revenue", "who": "somebody else"}, 422, ""),
    ],
)
def test_what_cannot_be_taught_is_a_problem_with_one_sentence(
    tenants: Tenants, body: dict[str, Any], status: int, says: str
) -> None:
    response = tenants.post("anna", "/v1/teach", body)
    assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")
    assert says in response.json()["detail"]
    assert tenants.get("anna", "/v1/taught") == []


def test_a_reading_that_teaches_nothing_is_told(tenants: Tenants) -> None:
    answer = tenants.ask("anna", "revenue in 2024")
    response = tenants.post("anna", "/v1/teach", {"follows": answer["traceId"]})
    assert (response.status_code, "no reading 0" in response.json()["detail"]) == (400, True)


def test_a_verdict_is_kept_for_the_tenant_of_the_key(tenants: Tenants) -> None:
    answer = tenants.ask("ben", "revenue in 2024")
    path = f"/v1/traces/{answer['traceId']}/verdict"
    assert tenants.post("tom", path, {"verdict": "right"}).status_code == 404
    kept = tenants.post("ben", path, {"verdict": "right", "why": "as in the books"})
    assert (kept.status_code, kept.json()["who"], kept.json()["question"]) == (200, "ben", "revenue in 2024")
    assert [one["why"] for one in tenants.get("anna", "/v1/verdicts?verdict=right")] == ["as in the books"]
    assert tenants.get("tom", "/v1/verdicts") == []
    assert tenants.post("ben", path, {"verdict": "maybe"}).status_code == 422
    assert tenants.client.post(path, json={"verdict": "right"}).status_code == 401
