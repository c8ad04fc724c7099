"""The OpenAPI document: complete, readable, and true for whatever is sent."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import one_of
from schemathesis import GenerationMode, checks

from served import http, running, server_app
from veracity.server import app as app_module
from veracity.server import field_docs
from veracity.server.boards import BoardSummary, PinnedAnswer, PinProof

METHODS = {"get", "post", "put", "patch", "delete"}
STREAM = "GET /v1/events"
"""It has no end, and tests of its own."""
OPERATIONS = (
    "POST /v1/ask",
    "GET /v1/boards",
    "POST /v1/boards",
    "GET /v1/boards/{board_id}",
    "PATCH /v1/boards/{board_id}",
    "DELETE /v1/boards/{board_id}",
    "POST /v1/boards/{board_id}/pins",
    "PATCH /v1/boards/{board_id}/pins/{pin_id}",
    "DELETE /v1/boards/{board_id}/pins/{pin_id}",
    "GET /v1/conversations",
    "POST /v1/conversations",
    "GET /v1/conversations/{conversation_id}",
    "PATCH /v1/conversations/{conversation_id}",
    "DELETE /v1/conversations/{conversation_id}",
    "POST /v1/route",
    "POST /v1/tools/{tool}",
    "POST /v1/query",
    "GET /v1/traces",
    "GET /v1/traces/{trace_id}",
    "POST /v1/teach",
    "GET /v1/sources",
    "POST /v1/sources",
    "GET /v1/sources/{source_id}",
    "GET /v1/sources/{source_id}/tables",
    "PUT /v1/sources/{source_id}/tables",
    "POST /v1/sources/{source_id}/use",
    "DELETE /v1/sources/{source_id}",
    "GET /v1/draft",
    "POST /v1/draft/answers",
    "GET /v1/taught",
    "DELETE /v1/taught/{taught_id}",
    "POST /v1/traces/{trace_id}/verdict",
    "GET /v1/verdicts",
    "POST /v1/ground",
    "POST /v1/rerank",
    "GET /v1/reviews",
    "GET /v1/reviews/{review_id}",
    "POST /v1/reviews/{review_id}/decision",
    "POST /api/v2/evaluate/single",
    "POST /api/v1/validate/batch",
    "POST /api/v1/validate/suggest",
    "POST /api/kg/search/nodes",
    "PUT /v1/known-requirements/{document}",
    "GET /v1/validations",
    "POST /v1/validations",
    "GET /v1/validations/{run_id}",
    "GET /v1/clarifications",
    "POST /v1/clarifications/{question_id}/answer",
    "GET /v1/jobs",
    "POST /v1/jobs",
    "GET /v1/jobs/{job_id}",
    "DELETE /v1/jobs/{job_id}",
    "GET /v1/keys",
    "POST /v1/keys",
    "DELETE /v1/keys/{key_id}",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
)


@pytest.fixture(scope="module")
def app(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    return server_app(ledger, tmp_path_factory.mktemp("openapi"), keys="off")


@pytest.fixture(scope="module")
def address(app: FastAPI) -> Iterator[str]:
    with running(app) as address:
        yield address


@pytest.fixture(scope="module")
def document(app: FastAPI) -> dict[str, Any]:
    return app.openapi()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                yield path, method, operation


def test_every_path_of_the_api_is_told_and_no_page_is(document: dict[str, Any]) -> None:
    told = {f"{method.upper()} {path}" for path, method, _ in operations(document)}
    assert told == {*OPERATIONS, STREAM}


def test_every_operation_reads_well(document: dict[str, Any]) -> None:
    tags = {tag["name"] for tag in document["tags"]}
    for path, method, operation in operations(document):
        assert operation["summary"], (method, path)
        assert operation["description"], (method, path)
        assert set(operation["tags"]) <= tags, (method, path)
        for parameter in operation.get("parameters", ()):
            assert parameter.get("description"), (method, path, parameter["name"])


def test_every_error_is_a_problem(document: dict[str, Any]) -> None:
    for path, method, operation in operations(document):
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                assert set(response["content"]) == {"application/problem+json"}, (method, path, status)
                assert response["description"]
    assert "HTTPValidationError" not in document["components"]["schemas"]


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]

    def references(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                yield node["$ref"]
            for inner in node.values():
                yield from references(inner)
        elif isinstance(node, list):
            for inner in node:
                yield from references(inner)

    assert [one for one in references(document) if one.removeprefix("#/components/schemas/") not in schemas] == []


def test_the_document_is_served_and_nothing_from_other_hosts(address: str) -> None:
    with http(address) as client:
        assert client.get("/openapi.json").json()["info"]["title"] == "Veracity"
        page = client.get("/docs")
    assert page.status_code == 200
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page.text)


@pytest.fixture(scope="module")
def api(app: FastAPI, address: str) -> Any:
    made = schemathesis.openapi.from_dict(app.openapi())
    made.config.update(base_url=address)
    return made


@pytest.mark.parametrize("label", OPERATIONS)
def test_whatever_is_sent_no_answer_is_undocumented_and_none_is_a_failure(api: Any, label: str) -> None:
    method, _, path = label.partition(" ")
    operation = api[path][method]

    @settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)
    @given(case=one_of(operation.as_strategy(), operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)))
    def holds(case: Any) -> None:
        case.call_and_validate(
            checks=[
                checks.not_a_server_error,
                checks.status_code_conformance,
                checks.content_type_conformance,
                checks.response_schema_conformance,
            ]
        )

    holds()


def test_the_document_is_made_once_and_others_are_answered_meanwhile(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, begun, go_on = [0], Event(), Event()
    real = app_module._document

    def slow(app: FastAPI) -> dict[str, Any]:
        made[0] += 1
        begun.set()
        assert go_on.wait(60)
        return real(app)

    monkeypatch.setattr(app_module, "_document", slow)
    with running(server_app(ledger, tmp_path)) as address, http(address) as client, ThreadPoolExecutor(3) as threads:
        first = [threads.submit(client.get, path, timeout=120) for path in ("/openapi.json", "/docs", "/openapi.json")]
        assert begun.wait(60)
        assert client.get("/healthz").status_code == 200
        go_on.set()
        assert [one.result().status_code for one in first] == [200] * 3
        assert client.get("/openapi.json").headers["content-type"] == "application/json"
    assert made == [1]


def test_every_module_is_read_once_for_what_its_fields_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = inspect.getsource

    def counted(module: Any) -> str:
        read.append(module.__name__)
        return real(module)

    field_docs._classes_of.cache_clear()
    monkeypatch.setattr(inspect, "getsource", counted)
    told = {kind: field_docs._field_docs(kind) for kind in (BoardSummary, PinnedAnswer, PinProof)}
    assert told[BoardSummary]["pins"] == "How many answers it has."
    assert "proven_at" not in told[PinProof]
    assert read.count("veracity.server.boards") == 1
