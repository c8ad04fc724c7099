"""The guard in the OpenAI Agents SDK: `agent = guarded(Agent(...))`.

Hooks note what the tools of each run return; an output guardrail holds the final answer against it. What is not borne out ends the
run with `OutputGuardrailTripwireTriggered`, whose `output_info` is the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from veracity.errors import UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.guard import ground
from veracity.grounding.tool_returns import ToolReturn, results_of

if TYPE_CHECKING:
    from agents import Agent

_MOST_RUNS = 1_000
_FAILED = "An error occurred while running the tool"
"""What the SDK returns in place of a tool's result when it raises."""


def guarded(
    agent: Agent[Any],
    *,
    source_kind: str | None = None,
    kinds: Mapping[str, str] | None = None,
    locale: str | None = None,
    config: GuardConfig | None = None,
    strict: bool = False,
) -> Agent[Any]:
    """A copy of an agent whose answers are released only if the tools of the run bear them out."""
    from agents import AgentHooks, GuardrailFunctionOutput, OutputGuardrail

    if agent.hooks is not None:
        raise UsageError(
            "The agent has hooks already: call `guarded` before you set them, and note what tools return there."
        )
    # A run is told by the usage that all its contexts share.
    returned: dict[int, list[ToolReturn]] = {}

    class ToolNotes(AgentHooks[Any]):
        async def on_start(self, context: Any, _agent: Any) -> None:
            while len(returned) >= _MOST_RUNS:  # Runs that broke off before their answer.
                returned.pop(next(iter(returned)))
            returned[id(context.usage)] = []

        async def on_tool_end(self, context: Any, _agent: Any, tool: Any, result: object) -> None:
            ok = not (isinstance(result, str) and result.startswith(_FAILED))
            returned.setdefault(id(context.usage), []).append(ToolReturn(tool.name, result, ok=ok))

    def judge(context: Any, _agent: Any, output: Any) -> GuardrailFunctionOutput:
        results, trace = results_of(returned.pop(id(context.usage), ()), source_kind=source_kind, kinds=kinds)
        verdict = ground(
            str(output),
            results,
            question=_question(context.turn_input),
            locale=locale,
            trace=trace,
            config=config,
            strict=strict,
        )
        return GuardrailFunctionOutput(output_info=verdict, tripwire_triggered=verdict.verdict == "block")

    guardrails = [*agent.output_guardrails, OutputGuardrail(judge, name="grounded")]
    return agent.clone(hooks=ToolNotes(), output_guardrails=guardrails)


def _question(items: Any) -> str:
    """What the person asked last."""
    if isinstance(items, str):
        return items
    for item in reversed(items or ()):
        content = item.get("content") if isinstance(item, Mapping) and item.get("role") == "user" else None
        if isinstance(content, str):
            return content
        if content:
            return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return ""
