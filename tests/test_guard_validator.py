"""The guard in a pydantic-ai agent: one line, findings back to the model, and a run that fails closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, ToolFailed, UnexpectedModelBehavior
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from each_case import each
from veracity.contracts import ToolResult
from veracity.errors import UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.events import EventStore
from veracity.grounding.validator import grounded, run_results

USERS = [{"name": "Nadia Keller"}, {"name": "Marco Rossi"}]
REAL = "There are 2 users: Nadia Keller and Marco Rossi."
FAKE = "The users are User 1, User 2 and User 3."


@pytest.fixture(autouse=True)
def _loop() -> Iterator[None]:
    """The loop that `run_sync` finds. Without one it makes its own and never closes it, which another test is blamed for."""
    with asyncio.Runner() as runner:
        asyncio.set_event_loop(runner.get_loop())
        yield


def all_users() -> list[dict[str, str]]:
    """What the tool returns."""
    return USERS


def scripted(*turns: str | list[str]) -> tuple[FunctionModel, list[list[ModelMessage]]]:
    """A model that says these things in turn; a list is calls of tools."""
    heard: list[list[ModelMessage]] = []

    def respond(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        turn = turns[min(len(heard), len(turns) - 1)]
        heard.append(messages)
        if isinstance(turn, str):
            return ModelResponse(parts=[TextPart(turn)])
        return ModelResponse(parts=[ToolCallPart(name, {}) for name in turn])

    return FunctionModel(respond), heard


def agent_of(model: FunctionModel, query: Callable[[], Any] = all_users, **options: Any) -> Agent[None, str]:
    agent = Agent(model, retries={"tools": 1, "output": 2})
    agent.tool_plain(name="query")(query)
    agent.output_validator(grounded(**{"source_kind": "sql", **options}))
    return agent


def test_answer_that_the_results_bear_out_passes() -> None:
    model, heard = scripted(["query"], REAL)
    assert agent_of(model).run_sync("List all users").output == REAL
    assert len(heard) == 2


def test_made_up_answer_goes_back_with_the_findings_and_is_repaired() -> None:
    model, heard = scripted(FAKE, ["query"], REAL)
    assert agent_of(model).run_sync("List all users").output == REAL
    told = str(heard[1][-1].parts)
    assert "No tool was called" in told
    assert "User 1, User 2 and User 3" in told


def test_run_fails_closed_when_the_retries_are_spent() -> None:
    model, heard = scripted(FAKE)
    with pytest.raises(UnexpectedModelBehavior):
        agent_of(model).run_sync("List all users")
    assert len(heard) == 3


def test_findings_are_in_the_language_of_the_question() -> None:
    model, heard = scripted("用户有用户1、用户2。", ["query"], "用户有Nadia Keller、Marco Rossi。")
    agent_of(model).run_sync("列出所有的用户")
    assert "没有调用任何工具" in str(heard[1][-1].parts)


@pytest.mark.parametrize("failure", [ModelRetry("no such table"), ToolFailed("timeout")])
def test_failed_call_is_known_by_its_outcome(failure: Exception) -> None:
    def query() -> Any:
        raise failure

    model, heard = scripted(
        ["query"], "Users: Nadia Keller, Marco Rossi and Li Wei.", "The query failed, so I cannot list users."
    )
    assert agent_of(model, query).run_sync("List all users").output.startswith("The query failed")
    assert "The last call of sql (query) failed" in str(heard[2][-1].parts)


def test_text_that_looks_like_an_error_is_data() -> None:
    model, _heard = scripted(["query"], "The note is “SYSTEM ERROR”.")
    agent = agent_of(model, lambda: [{"note": "SYSTEM ERROR"}])
    assert agent.run_sync("What is the note?").output == "The note is “SYSTEM ERROR”."


def test_what_is_sent_back_is_recorded(tmp_path: Path) -> None:
    store = EventStore(tmp_path / "guard.sqlite")
    model, _heard = scripted(FAKE, ["query"], REAL)
    agent_of(model, events=store).run_sync("List all users")
    found = list(store.latest())
    assert {(one.rule, one.outcome, one.question) for one in found} == {
        ("required_tools", "sent back", "List all users"),
        ("placeholder", "sent back", "List all users"),
    }
    assert all(one.trace_id and one.model for one in found)


def test_config_and_tools_of_ones_own() -> None:
    model, _heard = scripted(["run_sql"], REAL)
    agent = Agent(model)
    agent.tool_plain(name="run_sql")(all_users)
    config = GuardConfig(required_tools={"sql": ("run_sql",)})
    agent.output_validator(grounded(kinds={"run_sql": "sql"}, config=config))
    assert agent.run_sync("List all users").output == REAL


class Reply(BaseModel):
    """An output that is no plain text."""

    answer: str


def test_structured_output_says_where_its_text_is() -> None:
    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart("query", {})])
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"answer": REAL})])

    for text, error in ((lambda reply: reply.answer, None), (None, UsageError)):
        agent = Agent(FunctionModel(respond), output_type=Reply)
        agent.tool_plain(name="query")(all_users)
        agent.output_validator(grounded(source_kind="sql", text=text))
        if error is None:
            assert agent.run_sync("List all users").output.answer == REAL
        else:
            with pytest.raises(error, match="say where the text is"):
                agent.run_sync("List all users")


def test_streamed_output_is_not_shown_before_it_is_checked() -> None:
    async def respond(messages: list[ModelMessage], _info: AgentInfo) -> Any:
        if len(messages) == 1:
            yield {0: DeltaToolCall("query", "{}")}
        else:
            for word in ("There are 2 users: ", "Nadia Keller ", "and Marco Rossi."):
                yield word

    agent = Agent(FunctionModel(stream_function=respond))
    agent.tool_plain(name="query")(all_users)
    agent.output_validator(grounded(source_kind="sql"))

    async def run() -> list[str]:
        async with agent.run_stream("List all users") as result:
            return [piece async for piece in result.stream_output(debounce_by=None)]

    assert set(asyncio.run(run())) <= {"", REAL}


# --- from messages to results


def returned(*contents: Any, **fields: Any) -> list[ModelMessage]:
    parts: Sequence[Any] = [
        ToolReturnPart("query", content, tool_call_id=str(n), **fields) for n, content in enumerate(contents)
    ]
    return [ModelRequest(parts=parts)]


@each(
    ("content", "columns", "rows"),
    [
        ([{"a": 1}, {"a": 2, "b": 3}], ["a", "b"], [{"a": 1}, {"a": 2, "b": 3}]),
        ({"columns": ["a", "b"], "rows": [[1, 2]]}, ["a", "b"], [[1, 2]]),
        ({"columns": [{"name": "a", "type": "int"}], "rows": [{"a": 1}]}, ["a"], [{"a": 1}]),
        ({"success": True, "data": {"columns": ["a"], "rows": [[1]]}}, ["a"], [[1]]),
        ('[{"a": 1.10}]', ["a"], [{"a": Decimal("1.10")}]),
        ([(1, 2), (3,)], ["column1", "column2"], [[1, 2], [3, None]]),
        (["x", "y"], ["value"], [["x"], ["y"]]),
        ({"total": 5}, ["total"], [[5]]),
        (42, ["value"], [[42]]),
        ("plain text", ["value"], [["plain text"]]),
        ("{broken", ["value"], [["{broken"]]),
        ([], [], []),
    ],
)
def test_whatever_a_tool_returns_becomes_rows(content: Any, columns: list[str], rows: list[Any]) -> None:
    results, trace = run_results(returned(content), source_kind="sql")
    assert [step.status for step in trace] == ["ok"]
    if content == []:
        assert [(one.columns, one.rows) for one in results] == [((), ())] or results[0].rows == ()
        return
    (made,) = results
    assert [column.name for column in made.columns] == columns
    assert [list(row) if isinstance(row, tuple) else row for row in made.rows] == rows


def test_nothing_returned_is_no_result() -> None:
    results, trace = run_results(returned(None, ""), source_kind="sql")
    assert results == []
    assert [(step.status, step.result) for step in trace] == [("ok", None), ("ok", None)]


def test_our_own_refusals_are_failures() -> None:
    results, trace = run_results(returned(ToolResult.failed("too slow"), '{"success": false}'))
    assert results == []
    assert [step.status for step in trace] == ["error", "error"]
