"""The guard in LangChain and LangGraph: `agent | held_back_unless_grounded()`.

The messages of a run tell everything: what was asked, what the tools returned and whether they failed, and the answer. Where the
tools do not bear it out, the plain message of the guard takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from veracity.errors import UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import Verdict
from veracity.grounding.guard import ground
from veracity.grounding.tool_returns import ToolReturn, results_of

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable


def verdict_of(
    messages: Sequence[BaseMessage],
    *,
    source_kind: str | None = None,
    kinds: Mapping[str, str] | None = None,
    locale: str | None = None,
    config: GuardConfig | None = None,
    strict: bool = False,
) -> Verdict:
    """Whether the last message of a run is borne out by what its tools returned."""
    if not messages or messages[-1].type != "ai":
        raise UsageError("There is no answer to judge: the last message must be the agent's.")
    results, trace = results_of(_returns(messages), source_kind=source_kind, kinds=kinds)
    asked = next((_text(one) for one in reversed(messages) if one.type == "human"), "")
    answer = _text(messages[-1])
    return ground(answer, results, question=asked, locale=locale, trace=trace, config=config, strict=strict)


def held_back_unless_grounded(**options: Any) -> Runnable[Any, Any]:
    """A Runnable for behind an agent: what comes in goes out, its last message held back unless it is grounded.

    It takes a list of messages, or a state with `messages` as LangGraph agents return it, and the options of `verdict_of`. The
    verdict stands in the `response_metadata` of the last message, as `veracity`.
    """
    from langchain_core.runnables import RunnableLambda

    def judge(state: Any) -> Any:
        messages = list(state["messages"] if isinstance(state, Mapping) else state)
        verdict = verdict_of(messages, **options)
        last = messages[-1]
        metadata = {**last.response_metadata, "veracity": verdict.model_dump(mode="json", by_alias=True)}
        update: dict[str, Any] = {"response_metadata": metadata}
        if verdict.verdict == "block":
            update["content"] = verdict.message
        messages[-1] = last.model_copy(update=update)
        return {**state, "messages": messages} if isinstance(state, Mapping) else messages

    return RunnableLambda(judge, name="held_back_unless_grounded")


def _returns(messages: Sequence[BaseMessage]) -> Iterator[ToolReturn]:
    for one in messages:
        if one.type == "tool":
            content = getattr(one, "artifact", None)
            ok = getattr(one, "status", "success") == "success"
            yield ToolReturn(one.name or "tool", _text(one) if content is None else content, ok=ok)


def _text(message: BaseMessage) -> str:
    """The text of a message, whose content may come in blocks."""
    content = message.content
    if isinstance(content, str):
        return content
    blocks = (block if isinstance(block, str) else str(block.get("text", "")) for block in content)
    return "\n".join(block for block in blocks if block)
