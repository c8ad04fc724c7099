"""The guard for pydantic-ai agents, in one line: `agent.output_validator(grounded(source_kind="sql"))`.

What the tools of the run returned becomes results and a typed trace; an answer that they do not bear out goes back to the
model with the findings. When the retries are spent, pydantic-ai ends the run with an error: nothing gets out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from veracity.errors import UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import GroundedResult, Severity, TraceStep, Verdict
from veracity.grounding.events import Events, record
from veracity.grounding.guard import ground
from veracity.grounding.tool_returns import ToolReturn, results_of

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelMessage, ToolReturnPart

_MOST_FINDINGS = 8

Output = TypeVar("Output")


def grounded(
    *,
    source_kind: str | None = None,
    kinds: Mapping[str, str] | None = None,
    text: Callable[[Any], str] | None = None,
    locale: str | None = None,
    config: GuardConfig | None = None,
    events: Events | None = None,
) -> Callable[[RunContext[Any], Output], Output]:
    """An output validator that lets an answer pass only if the run's tool results bear it out.

    `source_kind` is that of every tool; `kinds` names it for single tools. `text` takes the answer out of an output that is
    not a plain string. With `events`, what is sent back is recorded.
    """
    answer_of = text or _plain_text

    def validate(ctx: RunContext[Any], output: Output) -> Output:
        from pydantic_ai import ModelRetry

        if ctx.partial_output:
            # A part of an answer cannot be judged as a whole, and must not be shown before it is: use `released` to stream.
            raise ModelRetry("The answer is not complete.")
        results, trace = run_results(ctx.messages, source_kind=source_kind, kinds=kinds)
        question = _question(ctx)
        verdict = ground(
            answer_of(output), results, question=question, locale=locale, trace=trace, claims=(), config=config
        )
        if verdict.verdict == "pass":
            return output
        if events is not None:
            model, run = str(getattr(ctx.model, "model_name", "")), ctx.run_id or ""
            record(verdict, events, question=question, outcome="sent back", model=model, trace_id=run)
        raise ModelRetry(retry_message(verdict))

    return validate


def retry_message(verdict: Verdict) -> str:
    """What is wrong with an answer, for the model that wrote it."""
    blocking = [one for one in verdict.findings if one.severity is Severity.BLOCK]
    lines = (f"- {one.message} {one.suggestion or ''}".rstrip() for one in blocking[:_MOST_FINDINGS])
    return "\n".join(["The answer was held back. Correct this and answer again:", *lines])


def _plain_text(output: object) -> str:
    if isinstance(output, str):
        return output
    raise UsageError(
        "grounded() reads answers that are plain texts; for other outputs say where the text is: grounded(text=lambda output: output.answer)."
    )


def _question(ctx: RunContext[Any]) -> str:
    prompt = ctx.prompt
    if isinstance(prompt, str):
        return prompt
    return "\n".join(part for part in prompt or () if isinstance(part, str))


# --- from messages to results and a trace


def run_results(
    messages: Sequence[ModelMessage], *, source_kind: str | None = None, kinds: Mapping[str, str] | None = None
) -> tuple[list[GroundedResult], list[TraceStep]]:
    """What the tools of a run returned, and which of them succeeded: by the outcome of each call, never by its text."""
    returns = (ToolReturn(part.tool_name, part.content, ok=part.outcome == "success") for part in _returns(messages))
    return results_of(returns, source_kind=source_kind, kinds=kinds)


def _returns(messages: Sequence[ModelMessage]) -> Iterator[ToolReturnPart[Any]]:
    from pydantic_ai.messages import ModelRequest, ToolReturnPart

    for message in messages:
        if isinstance(message, ModelRequest):
            yield from (part for part in message.parts if isinstance(part, ToolReturnPart))
