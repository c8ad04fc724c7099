"""What a Python program or a notebook does with an agent and its answers."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from command_line import veracity
from veracity import Answer, open_agent
from veracity.agent.progress import ProgressEvent
from veracity.ask.data_agent import DataAgent
from veracity.errors import UsageError
from veracity.settings import Settings

STORES = "revenue per store in 2024"


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DataAgent]:
    with open_agent(feature="shop", settings=Settings(home=tmp_path_factory.mktemp("home"))) as opened:
        yield opened


def test_an_answer_has_its_rows(agent: DataAgent) -> None:
    rows = agent.ask_sync(STORES).rows
    assert rows[0] == {"storeId": 1, "name": "Hauptbahnhof", "revenue": Decimal("69414.31")}
    assert agent.ask_sync("how many giraffes are there?").rows == []


def test_rows_are_no_part_of_the_json(agent: DataAgent) -> None:
    answer = agent.ask_sync(STORES)
    again = Answer.model_validate_json(answer.model_dump_json())
    assert (again.text, again.rows) == (answer.text, [])


def test_rows_become_a_frame_of_the_library_that_is_there(agent: DataAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    def frame(rows: Any, **_: Any) -> Any:
        return rows

    answer = agent.ask_sync(STORES)
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=frame))
    assert answer.to_frame()[0]["revenue"] == pytest.approx(69414.31)
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", SimpleNamespace(DataFrame=frame))
    assert answer.to_frame()[0]["revenue"] == Decimal("69414.31")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(UsageError, match="to_frame needs pandas or polars; run: pip install pandas"):
        answer.to_frame()


def test_a_notebook_shows_text_and_rows_and_nothing_of_them_is_markup(agent: DataAgent) -> None:
    shown = agent.ask_sync(STORES)._repr_html_()
    assert "<td>Hauptbahnhof</td>" in shown
    assert shown.count("69414.31") == 1
    evil = agent.ask_sync(STORES).model_copy(update={"text": "<script>"})
    assert "<script>" not in evil._repr_html_()


def test_a_question_is_a_stream_that_ends_with_its_answer(agent: DataAgent) -> None:
    async def told() -> list[Any]:
        return [item async for item in agent.stream(STORES)]

    *steps, answer = asyncio.run(told())
    assert isinstance(answer, Answer)
    assert [one.step for one in steps if isinstance(one, ProgressEvent)] == ["reading", "running", "wording", "done"]


def test_who_stops_listening_stops_the_question(agent: DataAgent) -> None:
    async def first() -> Any:
        return await anext(aiter(agent.stream(STORES)))

    assert isinstance(asyncio.run(first()), ProgressEvent)


def test_a_closed_agent_says_so(tmp_path: Path) -> None:
    with open_agent(feature="shop", settings=Settings(home=tmp_path)) as agent:
        pass
    agent.close()
    for use in (lambda: agent.ask_sync("revenue"), lambda: agent.query_sync({}), agent.__enter__):
        with pytest.raises(UsageError, match="This agent is closed"):
            use()


def test_help_is_there_by_its_short_name_and_in_a_chat() -> None:
    assert veracity("ask", "-h").stdout.startswith("Usage: veracity ask")
    assert "/why               the proof of the last answer" in veracity("chat", stdin="/help\n").stdout


def test_a_shell_can_complete_commands_and_options() -> None:
    def completed(words: str, place: str) -> list[str]:
        done = veracity(_VERACITY_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=place)
        return done.stdout.split()

    assert completed("veracity on", "1") == ["ontology"]
    assert completed("veracity ask --fea", "2") == ["--feature"]
