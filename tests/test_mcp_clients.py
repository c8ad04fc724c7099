"""What clients send, frame by frame, written after their public code and logs (tests/cases/mcp), and what they get back.

Also their schemas, as OpenAI's clients convert them to strict mode.
"""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openai.lib._pydantic import _ensure_strict_json_schema
from starlette.testclient import TestClient

from veracity.agent.trace_store import TraceStore
from veracity.mcp.http import http_app
from veracity.mcp.server import always, serve_stdio
from veracity.mcp.toolbox import Toolbox
from veracity.open import open_agent
from veracity.tools.tables import TableTools

RECORDED = sorted((Path(__file__).parent / "cases" / "mcp").glob("*.json"))
STRICT = ["ask", "list_tables", "browseTable", "queryTable", "aggregateTable", "execute_sql_safe", "check_requirements"]
NOT_STRICT = ["semanticQuery", "ground_answer"]
"""They take values of any type, which no strict schema holds; docs/mcp.md says so."""
KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$defs", "$ref", "title", "description",
    "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
}  # fmt: skip
"""What OpenAI's strict mode takes of JSON Schema."""
Frame = dict[str, Any]


@pytest.fixture(scope="module")
def toolbox(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toolbox]:
    traces = TraceStore(tmp_path_factory.mktemp("traces") / "traces.sqlite")
    agent = open_agent(ledger, feature="trustee", traces=traces)
    assert isinstance(agent.tools, TableTools)
    yield Toolbox(agent.tools, agent=agent)
    agent.close()


class Wire:
    """Both ends of a connection over lines, in one process."""

    def __init__(self) -> None:
        self.sent: asyncio.Queue[str | None] = asyncio.Queue()
        self.received: asyncio.Queue[Frame] = asyncio.Queue()
        self._last: str | None = None

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> str:
        line = await self.sent.get()
        if line is None:
            raise StopAsyncIteration
        return line

    async def write(self, line: str) -> None:
        self.received.put_nowait(json.loads(line))

    async def next_different(self) -> Frame:
        """What is received next, without progress that is told again because it takes long."""
        while True:
            got = await asyncio.wait_for(self.received.get(), 60)
            message = got.get("params", {}).get("message")
            if message is None or message != self._last:
                self._last = message
                return got

    async def flush(self) -> None:
        """Nothing is held back."""


def line_of(send: Any, trace_id: str) -> str:
    if isinstance(send, dict) and "repeat" in send:
        return str(send["repeat"]) * int(send["times"])
    return send if isinstance(send, str) else json.dumps(send).replace("$traceId", trace_id)


def fits(got: Any, expected: Any) -> bool:
    """Whether all that is expected is there; more may be."""
    if expected == "$any":
        return bool(got)
    if isinstance(expected, dict):
        return isinstance(got, dict) and all(key in got and fits(got[key], one) for key, one in expected.items())
    if isinstance(expected, list):
        return isinstance(got, list) and len(got) == len(expected) and all(map(fits, got, expected))
    return bool(got == expected)


def check(got: Frame, expected: Frame, toolbox: Toolbox, tool: str | None) -> str:
    """The trace id of an answer; every result fits the schema that the client was told."""
    assert fits(got, expected), f"{got} is not {expected}"
    content = got.get("result", {}).get("structuredContent")
    if content is None:
        return ""
    assert json.loads(got["result"]["content"][0]["text"]) == content
    if not got["result"]["isError"]:
        jsonschema.validate(content, next(offer.gives for offer in toolbox.offers if offer.name == tool))
    return str(content.get("traceId", ""))


async def over_lines(toolbox: Toolbox, frames: list[Frame]) -> None:
    wire, trace = Wire(), ""
    serving = asyncio.create_task(serve_stdio(toolbox, wire, wire))  # type: ignore[arg-type]
    for frame in frames:
        wire.sent.put_nowait(line_of(frame["send"], trace) + "\n")
        for expected in frame["receive"]:
            got = await wire.next_different()
            trace = check(got, expected, toolbox, tool_of(frame["send"])) or trace
    wire.sent.put_nowait(None)
    await asyncio.wait_for(serving, 60)
    assert wire.received.empty()


def over_http(toolbox: Toolbox, frames: list[Frame], headers: dict[str, str]) -> None:
    trace, app = "", http_app(always(toolbox))
    with TestClient(app, base_url="http://127.0.0.1:8601", client=("127.0.0.1", 50_000)) as client:
        for frame in frames:
            line = line_of(frame["send"], trace)
            got = client.post("/mcp", content=line, headers={"Content-Type": "application/json", **headers})
            answers = answers_in(got.headers.get("content-type", ""), got.text)
            assert len(answers) == len(frame["receive"]), got.text
            for one, expected in zip(answers, frame["receive"], strict=True):
                trace = check(one, expected, toolbox, tool_of(frame["send"])) or trace


def answers_in(kind: str, text: str) -> list[Frame]:
    if kind.startswith("text/event-stream"):
        lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
        return [json.loads(line) for line in lines if line]
    return [json.loads(text)] if text else []


def tool_of(send: Any) -> str | None:
    return send.get("params", {}).get("name") if isinstance(send, dict) else None


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_clients_get_what_they_need(toolbox: Toolbox, path: Path) -> None:
    recorded = json.loads(path.read_text(encoding="utf-8"))
    if recorded["transport"] == "stdio":
        asyncio.run(over_lines(toolbox, recorded["frames"]))
    else:
        over_http(toolbox, recorded["frames"], recorded["headers"])


def test_over_http_a_body_that_is_no_json_is_a_parse_error(toolbox: Toolbox) -> None:
    app, headers = http_app(always(toolbox)), {"Accept": "application/json, text/event-stream"}
    with TestClient(app, base_url="http://127.0.0.1:8601", client=("127.0.0.1", 50_000)) as client:
        got = client.post("/mcp", content="not json", headers={"Content-Type": "application/json", **headers})
    assert got.status_code == 400
    assert got.json()["error"]["code"] == -32700


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@given(st.lists(st.text().filter(lambda text: not is_json(text)), max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_sent_that_is_no_json_is_answered_and_the_connection_goes_on(
    toolbox: Toolbox, lines: list[str]
) -> None:
    refused = [{"id": None, "error": {"code": -32700}}]
    hello = json.loads(RECORDED[0].read_text(encoding="utf-8"))["frames"][:2]
    frames = [{"send": line.encode("utf-8", "replace").decode(), "receive": refused} for line in lines]
    listed = {"send": {"jsonrpc": "2.0", "id": 9, "method": "tools/list"}, "receive": [{"id": 9, "result": "$any"}]}
    asyncio.run(over_lines(toolbox, [*hello, *frames, listed]))


# --- OpenAI's strict mode


def converted(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as OpenAI's SDK makes it strict; its Agents SDK, which shares this code, gives up at an open object."""
    made = copy.deepcopy(schema)
    return _ensure_strict_json_schema(made, path=(), root=made)


def objections(node: Any, place: str = "$") -> Iterator[str]:
    """What strict mode would refuse."""
    if unknown := set(node) - KEYWORDS:
        yield f"{place}: {sorted(unknown)}"
    if not node.keys() & {"type", "anyOf", "$ref", "enum", "const"}:
        yield f"{place}: no type"
    if node.get("type") == "object":
        if node.get("additionalProperties") is not False:
            yield f"{place}: open"
        if set(node.get("required", ())) != set(node.get("properties", {})):
            yield f"{place}: not all required"
    inner = [*node.get("properties", {}).items(), *node.get("$defs", {}).items(), *enumerate(node.get("anyOf", ()))]
    for name, one in [*inner, *([("items", node["items"])] if "items" in node else [])]:
        yield from objections(one, f"{place}.{name}")


@pytest.mark.parametrize("name", STRICT)
def test_schemas_survive_the_conversion_to_strict_mode_and_what_is_optional_may_be_null(
    toolbox: Toolbox, name: str
) -> None:
    takes = next(offer.takes for offer in toolbox.offers if offer.name == name)
    made = converted(takes)
    assert list(objections(made)) == []
    optional = [key for key in takes["properties"] if key not in takes["required"]]
    for key in optional:
        jsonschema.Draft202012Validator({**made["properties"][key], "$defs": made.get("$defs", {})}).validate(None)


@pytest.mark.parametrize("name", NOT_STRICT)
def test_schemas_that_cannot_be_strict_say_so_by_an_open_object(toolbox: Toolbox, name: str) -> None:
    takes = next(offer.takes for offer in toolbox.offers if offer.name == name)
    assert any(one.endswith(": open") for one in objections(converted(takes)))


def test_every_tool_is_one_or_the_other(toolbox: Toolbox) -> None:
    assert sorted(offer.name for offer in toolbox.offers) == sorted([*STRICT, *NOT_STRICT])
