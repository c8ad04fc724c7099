"""A question of a caller, answered: the same for a request that waits, a stream, a page and a job."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from veracity.agent.loop import Watch
    from veracity.answer.answer import Answer
    from veracity.contracts import ToolCallLog
    from veracity.server.keys import Caller
    from veracity.server.state import Parts


class QuestionRequest(BaseModel):
    """A question, or the input of a skill."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"question": "Wie hoch war der Gewinn 2025?"}]},
    )

    question: Annotated[str, Field(min_length=1, max_length=100_000, pattern=r"\S")]
    """In German, English or Chinese; a skill is named by its prefix: `/sql ...`."""
    lang: Annotated[str, Field(pattern=r"^(de|en|zh)([-_][A-Za-z]{2,8})?$")] | None = None
    """The language of the answer, such as de-CH; without it, that of the question."""
    skill: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """A skill by its name; it beats every rule of the router."""
    follows: Annotated[str, Field(min_length=4, max_length=100)] | None = None
    """The trace id of an earlier answer that this question goes on from."""


async def answered(body: QuestionRequest, caller: Caller, parts: Parts, watch: Watch | None = None) -> Answer:
    """The answer, from the rows of the caller's tenant."""
    agent = await asyncio.to_thread(parts.agents.of, caller)
    talk = await parts.agents.follow_up(caller, body.follows) if body.follows else None
    answer = await agent.ask(body.question, lang=body.lang, skill=body.skill, conversation=talk, watch=watch)
    parts.metrics.answer(answer.outcome)
    for call in answer.trace.calls:
        parts.metrics.call(*_counted(call, agent.tools.names))
    return answer


def _counted(call: ToolCallLog, known: tuple[str, ...]) -> tuple[str, str]:
    """A tool and how its call ended; names that a model made up are counted together."""
    code = "ok" if call.success else call.validation_failure_code or "failed"
    return call.tool if call.tool in known else "other", str(code)
