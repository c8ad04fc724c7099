"""The adapters against the real packages, each with a true answer and a made-up one.

    python -m venv /tmp/adapters && /tmp/adapters/bin/pip install pytest pydantic pyyaml langchain-core llama-index-core openai-agents
    PYTHONPATH=src /tmp/adapters/bin/python -m pytest -q benchmarks/adapters

They need nothing else of Veracity's dependencies: the guard itself runs on pydantic and PyYAML. They are not in the default tests
because their packages take 400 MB.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    ModelResponse,
    OutputGuardrailTripwireTriggered,
    Runner,
    Usage,
    function_tool,
    set_tracing_disabled,
)
from agents.models.interface import Model
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from llama_index.core.base.response.schema import Response
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.core.tools import ToolOutput
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from veracity.adapters.langchain import held_back_unless_grounded
from veracity.adapters.llamaindex import GroundedEvaluator, verdict_of
from veracity.adapters.openai_agents import guarded

QUESTION = "How much revenue did North make?"
ROWS = [{"region": "North", "revenue": 152000}, {"region": "South", "revenue": 98000}]
TRUE, MADE_UP = "North made revenue of 152,000.", "North made revenue of 98,000."


# --- LangChain


def langchain_agent(answer: str, status: str = "success") -> Any:
    """An agent as LangGraph's are: a state with messages comes in, one with more of them goes out."""

    def run(state: dict[str, Any]) -> dict[str, Any]:
        call = AIMessage(content="", tool_calls=[{"name": "query", "args": {}, "id": "1"}])
        told = ToolMessage(content=json.dumps(ROWS), tool_call_id="1", name="query", status=status)
        return {"messages": [*state["messages"], call, told, AIMessage(content=answer)]}

    return RunnableLambda(run) | held_back_unless_grounded()


def asked(agent: Any) -> AIMessage:
    return agent.invoke({"messages": [HumanMessage(content=QUESTION)]})["messages"][-1]


def test_langchain_releases_what_the_tools_bear_out() -> None:
    last = asked(langchain_agent(TRUE))
    assert last.content == TRUE
    assert last.response_metadata["veracity"]["support"] == "supported"


def test_langchain_holds_back_a_figure_of_another_row() -> None:
    last = asked(langchain_agent(MADE_UP))
    assert "98,000" not in last.content
    assert last.response_metadata["veracity"]["findings"][0]["rule"] == "unbound_figure"


def test_langchain_holds_back_an_answer_after_a_failed_call() -> None:
    last = asked(langchain_agent(TRUE, status="error"))
    assert last.response_metadata["veracity"]["findings"][0]["rule"] == "failed_tool"


# --- LlamaIndex


def test_llamaindex_evaluates_a_response_by_its_source_nodes() -> None:
    nodes = [NodeWithScore(node=TextNode(text="region;revenue\nNorth;152000\nSouth;98000"), score=1.0)]
    evaluator = GroundedEvaluator()
    right = evaluator.evaluate_response(query=QUESTION, response=Response(response=TRUE, source_nodes=nodes))
    wrong = evaluator.evaluate_response(query=QUESTION, response=Response(response=MADE_UP, source_nodes=nodes))
    assert (right.passing, right.score) == (True, 1.0)
    assert (wrong.passing, wrong.score) == (False, 0.0)
    assert "152,000" in (wrong.feedback or "")


def test_llamaindex_judges_an_agent_by_the_outputs_of_its_tools() -> None:
    output = ToolOutput(tool_name="query", content=json.dumps(ROWS), raw_input={}, raw_output=ROWS, is_error=False)

    class AgentReply(Response):
        sources: Any = (output,)

        def __str__(self) -> str:
            return str(self.response)

    assert verdict_of(AgentReply(response=TRUE), question=QUESTION).verdict == "pass"
    assert verdict_of(AgentReply(response=MADE_UP), question=QUESTION).verdict == "block"


# --- OpenAI Agents SDK


class ScriptedModel(Model):
    """Calls the tool first, then says what it was told to."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    async def get_response(self, _instructions: Any, input: Any, *_args: Any, **_kwargs: Any) -> ModelResponse:  # noqa: A002
        called = not isinstance(input, str) and any(item.get("type") == "function_call_output" for item in input)
        if not called:
            item: Any = ResponseFunctionToolCall(arguments="{}", call_id="1", name="query", type="function_call")
        else:
            text = ResponseOutputText(annotations=[], text=self.answer, type="output_text")
            item = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *_args: Any, **_kwargs: Any) -> Any:
        raise NotImplementedError


@function_tool
def query() -> str:
    """Rows by region."""
    return json.dumps(ROWS)


def sdk_agent(answer: str) -> Agent[Any]:
    set_tracing_disabled(True)
    return guarded(Agent(name="data", model=ScriptedModel(answer), tools=[query]), source_kind="sql")


def test_openai_agents_release_what_the_tools_bear_out() -> None:
    assert asyncio.run(Runner.run(sdk_agent(TRUE), QUESTION)).final_output == TRUE


def test_openai_agents_trip_over_a_figure_of_another_row() -> None:
    with pytest.raises(OutputGuardrailTripwireTriggered) as caught:
        asyncio.run(Runner.run(sdk_agent(MADE_UP), QUESTION))
    assert caught.value.guardrail_result.output.output_info.findings[0].rule == "unbound_figure"


def test_two_runs_of_one_agent_at_a_time_do_not_mix_their_tools() -> None:
    async def both() -> list[str]:
        agent = sdk_agent(TRUE)
        done = await asyncio.gather(*(Runner.run(agent, QUESTION) for _ in range(2)))
        return [one.final_output for one in done]

    assert asyncio.run(both()) == [TRUE, TRUE]


# --- the documentation


@pytest.mark.parametrize("number", range(3))
def test_the_examples_of_the_documentation_print_what_they_say(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
    example = re.findall(r"```py\n(.*?)```", page, re.DOTALL)[number]
    exec(compile(example, "adapters.md", "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# -> (.*)$", example, re.MULTILINE)
