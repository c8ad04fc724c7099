"""A model that says what a script says: the same interface as a real one, no network."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from veracity.ask.data_agent import DataAgent

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


class Script:
    """Says its turns one after the other, and the last one for ever; keeps what it was told."""

    def __init__(self, *turns: Turn) -> None:
        self.turns, self.said = turns, 0
        self.messages: list[ModelMessage] = []
        self.info: AgentInfo | None = None

    async def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
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
