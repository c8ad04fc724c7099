"""A model that says what a script says: the same interface as a real one, no network."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from veracity.ask.data_agent import DataAgent
from veracity.ask.other_words import TOOL

Turn = Sequence[ToolCallPart] | str | Callable[[list[dict[str, Any]]], "Sequence[ToolCallPart] | str"]
"""What the model says in one turn: calls, or text, or either made from what the tools returned so far."""


def call(tool: str, **arguments: Any) -> ToolCallPart:
    return ToolCallPart(tool, arguments)


def answer(text: str) -> ToolCallPart:
    return ToolCallPart("answer", {"text": text})


def where(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def returned(messages: list[ModelMessage]) -> list[dict[str, Any]]:
    """What the tools have returned so far."""
    return [
        json.loads(str(part.content))
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]


def asks_for_words(info: AgentInfo) -> bool:
    """Whether a model is asked for words that mean the same as those that nobody here knows."""
    form = info.model_request_parameters.output_object
    return TOOL in {form.name if form else "", *(tool.name for tool in info.function_tools)}


class Script:
    """Says its turns one after the other, and the last one for ever; keeps what it was told."""

    def __init__(self, *turns: Turn) -> None:
        self.turns, self.said = turns, 0
        self.messages: list[ModelMessage] = []
        self.info: AgentInfo | None = None
        self.other_words: Any = {}
        """What it says where it is asked for words that mean the same as unknown ones; this is no turn."""

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if asks_for_words(info):
            return ModelResponse(parts=[TextPart(json.dumps(self.other_words, ensure_ascii=False))])
        self.messages, self.info = messages, info
        turn = self.turns[min(self.said, len(self.turns) - 1)]
        self.said += 1
        if callable(turn):
            turn = turn(returned(messages))
        return ModelResponse(parts=[TextPart(turn)] if isinstance(turn, str) else list(turn))

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self, model_name="scripted")

    @property
    def told(self) -> list[dict[str, Any]]:
        """What the tools returned, as the model saw it."""
        return returned(self.messages)


def left_to_the_model(agent: DataAgent) -> DataAgent:
    """The agent with every question left to its model, also those that can be read from their words."""
    assert agent.meaning is not None
    agent.meaning.answers_first = False
    return agent
