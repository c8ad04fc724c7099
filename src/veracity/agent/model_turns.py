"""What a model was sent and what it replied, turn by turn, as a trace keeps it; rows of results only where rows are kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from veracity.wire import Wire

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse

LONGEST = 20_000
"""Characters of one message."""
_NOT_KEPT = "(the rows are not kept; VERACITY_TRACE_ROWS=1 keeps them)"

Role = Literal["instructions", "question", "result", "refusal", "earlier reply", "text", "call"]


class Said(Wire):
    """One message between the program and a model."""

    role: Role
    text: str


class ModelTurn(Wire):
    """One turn: how long the model took, what it was sent since its last turn, and what it replied."""

    round: int
    seconds: float
    input_tokens: int = 0
    output_tokens: int = 0
    sent: tuple[Said, ...] = ()
    replied: tuple[Said, ...] = ()


def turn_told(
    messages: Sequence[ModelMessage],
    before: Sequence[ModelMessage],
    response: ModelResponse,
    *,
    round_: int,
    seconds: float,
) -> ModelTurn:
    """A turn as a trace keeps it; what was sent with an earlier turn is not told again."""
    goes_on = len(before) <= len(messages) and all(new is old for new, old in zip(messages, before, strict=False))
    fresh = messages[len(before) :] if goes_on else messages
    return ModelTurn(
        round=round_,
        seconds=round(seconds, 3),
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        sent=tuple(one for message in fresh for one in _said(message)),
        replied=tuple(_replied(response)),
    )


def without_texts(turn: ModelTurn) -> ModelTurn:
    """The same turn, with times and tokens only."""
    return turn.model_copy(update={"sent": (), "replied": ()})


def without_rows(turn: ModelTurn) -> ModelTurn:
    """The same turn, without the rows of results that the model was sent; why a call was refused is kept."""
    sent = [
        one.model_copy(update={"text": _without_rows(one.text)}) if one.role == "result" else one for one in turn.sent
    ]
    return turn.model_copy(update={"sent": tuple(sent)})


def _without_rows(text: str) -> str:
    try:
        told = json.loads(text)
    except ValueError:
        return _NOT_KEPT
    failed = isinstance(told, dict) and (told.get("success") is False or "error" in told)
    return text if failed else _NOT_KEPT


def _said(message: ModelMessage) -> Iterator[Said]:
    if message.kind == "response":
        for one in _replied(message):
            yield one.model_copy(update={"role": "earlier reply"})
        return
    if message.instructions:
        yield Said(role="instructions", text=_cut(message.instructions))
    for part in message.parts:
        yield Said(role=_role(part), text=_cut(_text(getattr(part, "content", ""))))


def _role(part: ModelRequestPart) -> Role:
    match part.part_kind:
        case "system-prompt":
            return "instructions"
        case "tool-return":
            return "result"
        case "retry-prompt":
            return "refusal"
        case _:
            return "question"


def _replied(response: ModelResponse) -> Iterator[Said]:
    for part in response.parts:
        if part.part_kind == "text":
            yield Said(role="text", text=_cut(part.content))
        elif part.part_kind == "tool-call":
            yield Said(role="call", text=_cut(f"{part.tool_name} {_text(part.args)}"))


def _cut(text: str) -> str:
    """A text with its lines as they are, and without what no database holds."""
    kept = text.replace("\x00", "").encode("utf-8", "replace").decode()
    return kept if len(kept) <= LONGEST else f"{kept[:LONGEST]}…"


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, default=str)
