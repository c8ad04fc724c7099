"""What is told while a question is answered, and what is kept of one that is cut off or refused."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel
from typer.testing import CliRunner

from model_server import BROKEN, SLOW, ModelServer, model_server
from scripted import Script, answer, call, left_to_the_model, where
from served import client_of, events_in, http, running, server_app
from veracity.agent.loop import Run
from veracity.agent.progress import Doing, ProgressEvent, Teller
from veracity.agent.recorder import KeptTrace
from veracity.agent.trace_store import TraceRecord, TraceStore
from veracity.ask.data_agent import DataAgent
from veracity.cli import app as command_line_app
from veracity.contracts import ToolCallLog
from veracity.errors import ModelError, VeracityError
from veracity.mcp.server import serve_stdio
from veracity.mcp.toolbox import Toolbox
from veracity.open import open_agent
from veracity.server.database import ServerDatabase
from veracity.tools.semantic import SemanticTools
from veracity.tools.tables import TableTools

QUESTION = "Wie hoch war der Gewinn 2025?"
FREE = "Wo standen wir mit dem Banksaldo per 31.12.2025?"
"""A question that is left to a model."""
BANK = call(
    "queryTable",
    tableName="TrusteeDataAccountBalance",
    filters=[
        where("periodYear", "=", 2025),
        where("periodMonth", "=", 0),
        where("accountNumber", "LIKE", "102%"),
    ],
)
ADDRESS = re.compile(r"https?:|localhost|\d+\.\d+\.\d+\.\d+|:\d{2,5}\b")


class Onlooker:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[ProgressEvent] = []

    def calling(self, tool: str, arguments: Any) -> None: ...

    def called(self, log: ToolCallLog) -> None: ...

    def round_done(self, run: Run) -> None: ...

    def progress(self, event: ProgressEvent) -> None:
        self.events.append(event)

    @property
    def different(self) -> list[ProgressEvent]:
        """The events without those that were told again because it took long."""
        pairs = zip([None, *self.events], self.events, strict=False)
        return [one for before, one in pairs if before is None or before.step is not one.step]

    @property
    def steps(self) -> list[str]:
        return [event.step.value for event in self.different]


@pytest.fixture
def traces(tmp_path: Path) -> Iterator[TraceStore]:
    store = TraceStore(tmp_path / "veracity.sqlite")
    yield store
    store.close()


@pytest.fixture
def agent_of(ledger: Path, traces: TraceStore) -> Iterator[Callable[..., DataAgent]]:
    opened: list[DataAgent] = []

    def make(model: Any = "offline") -> DataAgent:
        opened.append(open_agent(ledger, feature="trustee", model=model, traces=traces))
        return left_to_the_model(opened[-1]) if model != "offline" else opened[-1]

    yield make
    for agent in opened:
        agent.close()


def only_trace(traces: TraceStore) -> KeptTrace:
    (summary,) = traces.latest()
    kept = KeptTrace.of(traces.get(summary.trace_id))
    assert kept is not None
    return kept


# --- what is told


def test_a_question_that_is_read_from_its_words_is_read_run_and_worded(agent_of: Callable[..., DataAgent]) -> None:
    seen = Onlooker()
    asyncio.run(agent_of().ask(QUESTION, watch=seen))
    assert seen.steps == ["reading", "running", "wording", "done"]
    assert [event.seconds for event in seen.events] == sorted(event.seconds for event in seen.events)
    assert {event.tokens for event in seen.events} == {0}


def test_a_question_to_a_model_tells_turns_tokens_calls_and_checks(agent_of: Callable[..., DataAgent]) -> None:
    seen, script = Onlooker(), Script([BANK], [answer("{{ sum(r1.closingBalance) }} CHF")])
    asyncio.run(agent_of(script.model).ask(FREE, watch=seen))
    assert seen.steps == [
        "reading", "asking", "replied", "running", "asking", "replied", "checking", "done",
    ]  # fmt: skip
    tokens = [event.tokens for event in seen.different]
    assert tokens == sorted(tokens)
    assert tokens[2] > 0
    assert tokens[5] > tokens[2]
    assert seen.different[3].detail == "queryTable TrusteeDataAccountBalance"
    assert seen.different[3].words == f"running queryTable TrusteeDataAccountBalance, {tokens[3]} tokens"


def test_what_needs_no_data_is_told_too(agent_of: Callable[..., DataAgent]) -> None:
    seen = Onlooker()
    asyncio.run(agent_of(Script("Guten Tag!").model).ask("Hallo!", watch=seen))
    assert seen.steps == ["reading", "asking", "replied", "checking", "done"]


def test_the_seconds_go_on_while_one_waits() -> None:
    seen, now = Onlooker(), iter(range(100))

    async def wait() -> None:
        tell = Teller([seen], clock=lambda: float(next(now)))
        tell(Doing.ASKING, "x", tokens=7)
        async with tell.ticking(every=0.001):
            while len(seen.events) < 3:
                await asyncio.sleep(0.001)
        told = len(seen.events)
        await asyncio.sleep(0.01)
        assert len(seen.events) == told

    asyncio.run(wait())
    assert {(event.step, event.detail, event.tokens) for event in seen.events} == {(Doing.ASKING, "x", 7)}
    assert [event.seconds for event in seen.events][:3] == [1, 2, 3]


# --- what is cut off


class Endless:
    """Says its turns, then never answers; tells when that begins."""

    def __init__(self, *turns: Any) -> None:
        self._script, self._left, self.waits = Script(*turns), len(turns), asyncio.Event()

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if self._left:
            self._left -= 1
            return await self._script(messages, info)
        self.waits.set()
        await asyncio.sleep(60)
        raise AssertionError

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self, model_name="endless")


async def cancelled_when(waits: asyncio.Event, agent: DataAgent, question: str) -> None:
    asking = asyncio.create_task(agent.ask(question))
    await asyncio.wait_for(waits.wait(), 30)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


def test_a_question_that_is_cancelled_leaves_what_happened_until_then(
    agent_of: Callable[..., DataAgent], traces: TraceStore
) -> None:
    async def run() -> None:
        model = Endless([BANK], [answer("Es sind 7 CHF.")])
        await cancelled_when(model.waits, agent_of(model.model), FREE)

    asyncio.run(run())
    kept = only_trace(traces)
    assert (kept.record.outcome, kept.record.finished, kept.because) == ("unfinished", False, "cancelled")
    assert [one.tool for one in kept.run.calls] == ["queryTable"]
    assert [one.text for one in kept.refused] == ["Es sind 7 CHF."]
    assert kept.run.tokens.input > 0


def test_the_first_turn_of_a_model_need_not_come_back(agent_of: Callable[..., DataAgent], traces: TraceStore) -> None:
    async def run() -> None:
        model = Endless()
        await cancelled_when(model.waits, agent_of(model.model), FREE)

    asyncio.run(run())
    assert (only_trace(traces).record.outcome, only_trace(traces).record.question) == ("unfinished", FREE)


def test_a_text_that_is_cancelled_leaves_a_trace_too(agent_of: Callable[..., DataAgent], traces: TraceStore) -> None:
    async def run() -> None:
        model = Endless()
        await cancelled_when(model.waits, agent_of(model.model), "Hallo!")

    asyncio.run(run())
    assert only_trace(traces).record.outcome == "unfinished"


@pytest.mark.parametrize("place", [(SemanticTools, "run"), (TableTools, "stored_values")])
def test_a_question_is_kept_wherever_it_is_cancelled(
    agent_of: Callable[..., DataAgent], traces: TraceStore, monkeypatch: pytest.MonkeyPatch, place: tuple[type, str]
) -> None:
    async def run() -> None:
        waits = asyncio.Event()

        async def endless(*_args: Any) -> Any:
            waits.set()
            await asyncio.sleep(60)

        agent = agent_of()
        monkeypatch.setattr(*place, endless)
        await cancelled_when(waits, agent, QUESTION)

    asyncio.run(run())
    assert (only_trace(traces).record.outcome, only_trace(traces).because) == ("unfinished", "cancelled")


def test_a_model_that_fails_leaves_a_trace_that_says_why_without_an_address(
    agent_of: Callable[..., DataAgent], traces: TraceStore
) -> None:
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:9"):
        asyncio.run(agent_of("http://127.0.0.1:9/v1#tiny").ask(FREE))
    kept = only_trace(traces)
    assert kept.record.outcome == "unfinished"
    assert kept.because.startswith("The language model cannot be reached")
    assert not ADDRESS.search(kept.because)


def test_a_bug_of_ours_is_named_by_its_kind_alone(
    agent_of: Callable[..., DataAgent], traces: TraceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_args: Any) -> Any:
        raise RuntimeError("a row: 4711")

    agent = agent_of()
    monkeypatch.setattr(SemanticTools, "run", broken)
    with pytest.raises(RuntimeError):
        asyncio.run(agent.ask(QUESTION))
    assert only_trace(traces).because == "an error of Veracity's own (RuntimeError)"


def test_a_client_of_mcp_that_goes_away_or_cancels_leaves_a_trace(
    agent_of: Callable[..., DataAgent], traces: TraceStore
) -> None:
    from test_mcp_clients import Wire

    def frame(**parts: Any) -> str:
        return json.dumps({"jsonrpc": "2.0", **parts}) + "\n"

    async def run(*, says_so: bool) -> None:
        model, wire = Endless(), Wire()
        agent = agent_of(model.model)
        assert isinstance(agent.tools, TableTools)
        toolbox = Toolbox(agent.tools, agent=agent)
        serving = asyncio.create_task(serve_stdio(toolbox, wire, wire))  # type: ignore[arg-type]
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        wire.sent.put_nowait(frame(id=0, method="initialize", params=hello))
        wire.sent.put_nowait(frame(method="notifications/initialized"))
        asked = {"name": "ask", "arguments": {"question": FREE}}
        wire.sent.put_nowait(frame(id=1, method="tools/call", params=asked))
        await asyncio.wait_for(model.waits.wait(), 30)
        if says_so:
            wire.sent.put_nowait(frame(method="notifications/cancelled", params={"requestId": 1}))
        wire.sent.put_nowait(None)
        await asyncio.wait_for(serving, 30)

    asyncio.run(run(says_so=True))
    asyncio.run(run(says_so=False))
    assert [one.outcome for one in traces.latest()] == ["unfinished", "unfinished"]


# --- what is refused


def refused_run(agent_of: Callable[..., DataAgent]) -> None:
    script = Script([BANK], [answer("Es sind 7 CHF.")], [answer("{{ sum(r1.closingBalance) }} CHF")])
    given = asyncio.run(agent_of(script.model).ask(FREE))
    assert given.outcome == "answered"
    assert "7 CHF" not in given.model_dump_json()


def test_refused_drafts_are_in_the_trace_with_the_reason_and_nowhere_else(
    agent_of: Callable[..., DataAgent], traces: TraceStore
) -> None:
    refused_run(agent_of)
    kept = only_trace(traces)
    (draft,) = kept.refused
    assert (draft.round, draft.kind, draft.text) == (2, "answer", "Es sind 7 CHF.")
    assert draft.hint == kept.run.refusals[0].hint


def test_a_draft_that_cannot_be_read_is_kept_as_it_was_sent(
    agent_of: Callable[..., DataAgent], traces: TraceStore
) -> None:
    script = Script([BANK], [call("answer", wrong="x" * 10_000)], [answer("{{ sum(r1.closingBalance) }} CHF")])
    asyncio.run(agent_of(script.model).ask(FREE))
    (draft,) = only_trace(traces).refused
    assert (draft.kind, draft.text[:12]) == ("unreadable", '{"wrong": "x')
    assert len(draft.text) < 5_000


def test_trace_show_prints_refused_drafts_and_why_a_run_was_cut_off(
    agent_of: Callable[..., DataAgent], traces: TraceStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refused_run(agent_of)
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path))
    (summary,) = traces.latest()
    shown = CliRunner().invoke(command_line_app, ["trace", "show", summary.trace_id]).output
    assert "round 2: answer refused: Es sind 7 CHF." in shown
    assert "answer sent back: " in shown
    with pytest.raises(VeracityError):
        asyncio.run(agent_of("http://127.0.0.1:9/v1#tiny").ask(FREE))
    cut_off = traces.latest()[0]
    listed = CliRunner().invoke(command_line_app, ["trace", "list"]).output
    assert f"{cut_off.trace_id}  unfinished" in listed
    shown = CliRunner().invoke(command_line_app, ["trace", "show", cut_off.trace_id]).output
    assert "not finished: the run was cut off here (The language model cannot be reached" in " ".join(shown.split())


def test_traces_of_earlier_versions_are_still_read(
    traces: TraceStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    refusal = {"code": "VALUE_NOT_FOUND", "field": "7", "suggestion": None, "hint": "No result holds it."}
    trace = {"model": "tiny", "rounds": 2, "refusals": [refusal]}
    old = TraceRecord(
        trace_id="20261101-000000-abcdef",
        started_at=now,
        updated_at=now,
        finished=False,
        question=QUESTION,
        lang="de",
        model="tiny",
        source="x",
        outcome=None,
        body={"trace": trace, "understoodAs": QUESTION},
    )
    traces.save(old)
    traces.save(old.model_copy(update={"trace_id": "20261101-000001-abcdef", "body": {}}))
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path))
    listed = CliRunner().invoke(command_line_app, ["trace", "list"]).output
    assert listed.count("unfinished") == 2
    shown = CliRunner().invoke(command_line_app, ["trace", "show", old.trace_id]).output
    assert "answer sent back: VALUE_NOT_FOUND 7: No result holds it." in shown
    assert "not finished: the run was cut off here\n" in shown


def test_a_follow_up_that_failed_can_be_shown(
    agent_of: Callable[..., DataAgent], traces: TraceStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from veracity.ask.conversation import Conversation

    agent, talk = agent_of(), Conversation()
    agent.ask_sync(QUESTION, conversation=talk)
    failed = agent.ask_sync("und pro Blumentopf?", conversation=talk)
    assert "goesOnFrom" in traces.get(failed.trace_id).body
    monkeypatch.setenv("VERACITY_HOME", str(tmp_path))
    assert CliRunner().invoke(command_line_app, ["trace", "show", failed.trace_id]).exit_code == 0


# --- over HTTP


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture(scope="module")
def served(ledger: Path, tmp_path_factory: pytest.TempPathFactory, model: ModelServer) -> FastAPI:
    return server_app(ledger, tmp_path_factory.mktemp("progress"), model=model.model, request_seconds=60)


def test_a_failure_of_the_model_holds_no_address_in_problems_streams_and_pages(
    served: FastAPI, model: ModelServer
) -> None:
    question = "Wohin fliesst eigentlich das ganze Geld?"
    model.says({question: [[BROKEN]]})
    with client_of(served) as client:
        plain = client.post("/v1/ask", json={"question": question})
        stream = client.post("/v1/ask", json={"question": question}, headers={"Accept": "text/event-stream"})
        latest = client.get("/v1/traces").json()
    assert plain.status_code == 502
    told = list(events_in(iter(stream.text.splitlines())))
    assert told[-1][0] == "error"
    for detail in (plain.json()["detail"], told[-1][1]["detail"]):
        assert detail.startswith("The language model refused the request (status 400)")
        assert not ADDRESS.search(detail)
    items = latest["traces"] if isinstance(latest, dict) else latest
    assert [one["outcome"] for one in items][:2] == ["unfinished", "unfinished"]


def asks_and_waits(address: str, question: str, *, stays: threading.Event | None = None) -> None:
    """A client that follows a question until the model is asked, and then goes; or stays until it is let go."""
    asked, headers = {"question": question}, {"Accept": "text/event-stream"}
    with http(address) as client, client.stream("POST", "/v1/ask", json=asked, headers=headers) as got:
        for name, data in events_in(got.iter_lines()):
            if (name, data.get("step")) == ("progress", "asking"):
                if stays is None:
                    return
                stays.set()


def test_a_client_that_hangs_up_leaves_an_unfinished_trace(ledger: Path, tmp_path: Path, model: ModelServer) -> None:
    question = "Wohin fliesst eigentlich das ganze Geld?"
    model.says({question: [[SLOW]]})
    app = server_app(ledger, tmp_path, model=model.model, request_seconds=60)
    traces = app.state.database.traces("local")
    with running(app) as address:
        asks_and_waits(address, question)
        until = time.monotonic() + 20
        while not traces.latest() and time.monotonic() < until:
            time.sleep(0.02)
        assert [one.outcome for one in traces.latest()] == ["unfinished"]


def test_a_server_that_ends_leaves_unfinished_traces(ledger: Path, tmp_path: Path, model: ModelServer) -> None:
    question = "Wohin fliesst eigentlich das ganze Geld?"
    model.says({question: [[SLOW]]})
    waits = threading.Event()

    def follow() -> None:
        with suppress(httpx2.HTTPError):
            asks_and_waits(address, question, stays=waits)

    app = server_app(ledger, tmp_path, model=model.model, request_seconds=60)
    with running(app, timeout_graceful_shutdown=1) as address:
        following = threading.Thread(target=follow)
        following.start()
        assert waits.wait(30)
    following.join(20)
    with ServerDatabase.open(str(tmp_path / "serve.sqlite")) as database:
        assert [one.outcome for one in database.traces("local").latest()] == ["unfinished"]


def test_the_page_of_a_trace_shows_refused_drafts(ledger: Path, tmp_path: Path) -> None:
    app = server_app(ledger, tmp_path)
    script = Script([BANK], [answer("Es sind 7 CHF.")], [answer("{{ sum(r1.closingBalance) }} CHF")])
    traces = app.state.database.traces("local")
    agent = left_to_the_model(open_agent(ledger, feature="trustee", model=script.model, traces=traces))
    given = agent.ask_sync(FREE)
    with client_of(app) as client:
        page = client.get(f"/traces/{given.trace_id}").text
    agent.close()
    assert "<q>Es sind 7 CHF.</q>" in page
