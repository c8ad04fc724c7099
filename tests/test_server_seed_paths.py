"""The paths that requirements tools use already: their own bodies in, their own shapes out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from served import client_of, server_app

TEXT = "Die Plattform muss schnell sein"


@pytest.fixture(scope="module")
def client(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with client_of(server_app(ledger, tmp_path_factory.mktemp("seed"))) as client:
        yield client


def test_a_single_evaluation_has_the_seeds_shape(client: TestClient) -> None:
    body = {"text": TEXT, "criteria_keys": ["clarity", "testability", "measurability"]}
    found = client.post("/api/v2/evaluate/single", json=body).json()
    assert set(found) == {"score", "verdict", "evaluation"}
    assert found["verdict"] == "fail"
    assert 0 <= found["score"] < 0.7
    assert [one["criterion"] for one in found["evaluation"]] == body["criteria_keys"]
    for one in found["evaluation"]:
        assert set(one) == {"criterion", "score", "passed", "feedback"}
        assert not one["passed"]
        assert one["feedback"]


def test_criteria_can_be_left_out_and_unknown_ones_are_refused(client: TestClient) -> None:
    assert len(client.post("/api/v2/evaluate/single", json={"text": TEXT}).json()["evaluation"]) == 3
    unknown = client.post("/api/v2/evaluate/single", json={"text": TEXT, "criteria_keys": ["beauty"]})
    assert unknown.status_code == 422


def test_a_batch_returns_a_list_of_rewrites(client: TestClient) -> None:
    found = client.post("/api/v1/validate/batch", json={"items": [TEXT, "Das System soll skalierbar sein"]}).json()
    assert [one["id"] for one in found] == [1, 2]
    first = found[0]
    assert set(first) >= {"id", "originalText", "correctedText", "status", "score", "verdict", "evaluation"}
    assert first["originalText"] == TEXT
    assert first["correctedText"] != TEXT
    # Nobody said how fast: the rewrite may not count as accepted.
    assert first["status"] == "needs_confirmation"
    assert first["assumptions"]


def test_suggestions_are_named_by_the_place_of_their_requirement(client: TestClient) -> None:
    found = client.post("/api/v1/validate/suggest", json={"items": [TEXT]}).json()
    assert list(found) == ["items"]
    suggestions = found["items"]["REQ_1"]["suggestions"]
    assert {"add_actor", "add_metric"} <= {one["type"] for one in suggestions}
    assert all(set(one) == {"type", "suggestion", "priority"} for one in suggestions)


def test_duplicates_are_pairs_with_a_reason(client: TestClient) -> None:
    same = [
        "Das System muss Videos mit einem Wasserzeichen versehen.",
        "Das System muss Videos mit Wasserzeichen versehen.",
    ]
    found = client.post("/api/kg/search/nodes", json={"requirements": [*same, "Der Export dauert 2 s."]}).json()
    assert [(one["req1_idx"], one["req2_idx"]) for one in found] == [(0, 1)]
    assert set(found[0]) >= {"req1_idx", "req2_idx", "similarity", "reason"}
    assert found[0]["similarity"] > 0.8
    assert found[0]["reason"]


def test_known_requirements_are_kept_searched_and_forgotten(client: TestClient) -> None:
    items = [{"id": "R-1", "text": "Das System muss Videos mit einem Wasserzeichen versehen."}]
    assert client.put("/v1/known-requirements/video.md", json={"items": items}).json() == {"known": 1}
    (found,) = client.post("/api/kg/search/nodes", json={"query": "Wasserzeichen in Videos"}).json()
    assert found["requirement"]["id"] == "R-1"
    assert client.put("/v1/known-requirements/video.md", json={"items": []}).json() == {"known": 0}
    assert client.post("/api/kg/search/nodes", json={"query": "Wasserzeichen"}).json() == []


@pytest.mark.parametrize("path", ["/api/v1/validate/batch", "/api/v1/validate/suggest"])
def test_an_empty_requirement_is_refused_with_its_place(client: TestClient, path: str) -> None:
    problem = client.post(path, json={"items": [TEXT, "  "]}).json()
    assert problem["status"] == 422
    assert problem["errors"][0]["where"] == "body.items.1"
