"""The agents of a server: one per tenant, opened once, closed when there are too many, never over somebody else's rows."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from served import QUESTION, two_tenants
from veracity.agent.trace_store import TraceRecord
from veracity.errors import SourceError, UsageError
from veracity.server.agents import Agents
from veracity.server.config import ServerSettings
from veracity.server.database import ServerDatabase
from veracity.server.keys import Caller
from veracity.server.problems import NotThere

DEMO, OTHER = Caller("m-demo", "analyst"), Caller("m-other", "analyst")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[ServerDatabase]:
    with ServerDatabase.open(str(tmp_path / "serve.sqlite")) as opened:
        yield opened


@pytest.fixture(scope="module")
def settings(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> ServerSettings:
    source = two_tenants(ledger, tmp_path_factory.mktemp("agents"))
    return ServerSettings(source=str(source), feature="trustee", request_seconds=10)


def test_every_thread_gets_the_same_agent_of_a_tenant(settings: ServerSettings, database: ServerDatabase) -> None:
    agents = Agents(settings, database)
    with ThreadPoolExecutor(8) as threads:
        opened = list(threads.map(agents.of, [DEMO] * 8))
    assert len({id(agent) for agent in opened}) == 1
    assert agents.of(OTHER) is not opened[0]
    agents.close()


def test_what_opening_takes_is_imported_before_there_are_threads() -> None:
    code = "import sys, veracity.server.work, veracity.server.app; print('pydantic_ai.messages' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "True\n"


def test_tenants_that_come_first_at_the_same_moment_are_all_served(
    settings: ServerSettings, database: ServerDatabase
) -> None:
    for _ in range(2):
        agents = Agents(settings, database)
        together = Barrier(6)

        def opened(number: int, agents: Agents = agents, together: Barrier = together) -> object:
            together.wait()
            return agents.of(Caller(f"m-{number}", "analyst"))

        with ThreadPoolExecutor(6) as pool:
            assert len(set(map(id, pool.map(opened, range(6))))) == 6
        agents.close()


def test_an_agent_sees_the_scope_of_its_tenant_only(settings: ServerSettings, database: ServerDatabase) -> None:
    agents = Agents(settings, database)
    assert agents.of(DEMO).tools.catalog.scope.values == {"mandateId": "m-demo", "featureInstanceId": "fi-demo"}
    assert agents.of(OTHER).tools.catalog.scope.values == {"mandateId": "m-other", "featureInstanceId": "fi-demo"}
    agents.close()


def test_the_agent_used_longest_ago_is_closed_when_nobody_can_still_be_using_it(
    settings: ServerSettings, database: ServerDatabase
) -> None:
    now = [0.0]
    agents = Agents(settings, database, most=1, clock=lambda: now[0])
    first = agents.of(DEMO)
    agents.of(OTHER)
    # A question may still be running on it.
    assert asyncio.run(first.ask(QUESTION)).outcome == "answered"
    now[0] = 30.0
    assert agents.of(DEMO) is not first
    assert asyncio.run(first.ask(QUESTION)).outcome != "answered"
    agents.close()


def test_a_source_that_was_away_is_tried_again(
    settings: ServerSettings, database: ServerDatabase, tmp_path: Path
) -> None:
    place = tmp_path / "later.duckdb"
    agents = Agents(settings.model_copy(update={"source": str(place)}), database)
    with pytest.raises((SourceError, UsageError)):
        agents.of(DEMO)
    place.write_bytes(Path(settings.source or "").read_bytes())
    assert agents.of(DEMO)
    agents.close()


def test_a_tenant_needs_a_column(settings: ServerSettings, database: ServerDatabase) -> None:
    bare = Agents(settings.model_copy(update={"feature": None}), database)
    assert bare.scope("local") is None
    with pytest.raises(UsageError, match="--tenant-column"):
        bare.scope("m-demo")
    named = Agents(settings.model_copy(update={"feature": None, "tenant_column": "mandateId"}), database)
    assert named.scope("m-demo") == {"mandateId": "m-demo"}


def test_a_trace_that_cannot_be_kept_does_not_cost_the_answer(
    settings: ServerSettings,
    database: ServerDatabase,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def away(_self: object, _record: TraceRecord) -> None:
        raise SourceError("The database is away.")

    agents = Agents(settings, database)
    agent = agents.of(DEMO)
    with monkeypatch.context() as patch:
        patch.setattr("veracity.agent.trace_store.TraceStore.save", away)
        given = asyncio.run(agent.ask(QUESTION))
    assert (given.outcome, given.trace_id) == ("answered", "")
    assert "a trace was not kept" in caplog.messages
    # And the next is kept again.
    trace = asyncio.run(agent.ask(QUESTION)).trace_id
    assert agents.trace(DEMO, trace).trace_id == trace
    with pytest.raises(NotThere):
        agents.trace(OTHER, trace)
    agents.close()
