"""The guard for pydantic-ai agents, in one line: `agent.output_validator(grounded(source_kind="sql"))`.

What the tools of the run returned becomes results and a typed trace; an answer that they do not bear out goes back to the
model with the findings. When the retries are spent, pydantic-ai ends the run with an error: nothing gets out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from veracity.contracts import clip
from veracity.errors import UsageError
from veracity.grounding.config import GuardConfig
from veracity.grounding.contracts import GroundedResult, Severity, TraceStep, Verdict
from veracity.grounding.events import Events, record
from veracity.grounding.evidence import tables_of
from veracity.grounding.guard import ground

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.messages import ModelMessage, ToolReturnPart

_MOST_FINDINGS = 8
_LONGEST_TEXT = 20_000_000
_ROWS = ("rows", "data", "results", "records", "items")

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
    results: list[GroundedResult] = []
    trace: list[TraceStep] = []
    for part in _returns(messages):
        kind = (kinds or {}).get(part.tool_name, source_kind)
        ok = part.outcome == "success" and not _says_no_success(part.content)
        name = f"r{len(trace) + 1}"
        made = _results(name, part.content) if ok else []
        results += made
        status = "ok" if ok else "error"
        trace.append(TraceStep(tool=part.tool_name, source_kind=kind, status=status, result=name if made else None))
    return results, trace


def _returns(messages: Sequence[ModelMessage]) -> Iterator[ToolReturnPart[Any]]:
    from pydantic_ai.messages import ModelRequest, ToolReturnPart

    for message in messages:
        if isinstance(message, ModelRequest):
            yield from (part for part in message.parts if isinstance(part, ToolReturnPart))


def _says_no_success(content: Any) -> bool:
    """Whether a structured return says of itself that it failed, as our own tools do."""
    value = _as_data(content)
    return isinstance(value, Mapping) and value.get("success") is False


def _results(name: str, content: Any) -> list[GroundedResult]:
    """What a tool returned as rows and columns; nothing where it returned nothing that could be one."""
    data = _as_data(content)
    if isinstance(data, str) or (isinstance(data, Mapping) and not any(key in data for key in _ROWS)):
        return [
            GroundedResult.model_validate({"id": one.name, "columns": one.columns, "rows": one.rows})
            for one in tables_of(data, name)
        ]
    found = _table(data)
    if found is None:
        return []
    columns, rows, truncated = found
    return [GroundedResult.model_validate({"id": name, "columns": columns, "rows": rows, "truncated": truncated})]


def _table(value: Any) -> tuple[list[str], list[Any], bool] | None:
    if isinstance(value, Mapping):
        for key in _ROWS:
            inner = value.get(key)
            if isinstance(inner, Mapping) and key == "data":
                return _table(inner)
            if isinstance(inner, list | tuple):
                return _with_columns(value.get("columns"), list(inner), bool(value.get("truncated")))
        return None
    if isinstance(value, list | tuple):
        return _with_columns(None, list(value), truncated=False)
    if value is None or value == "":
        return None
    return ["value"], [[value]], False


def _with_columns(columns: Any, rows: list[Any], truncated: bool) -> tuple[list[str], list[Any], bool]:
    """Rows as objects or lists, with their columns."""
    names = (
        [str(c.get("name")) if isinstance(c, Mapping) else str(c) for c in columns]
        if isinstance(columns, list | tuple)
        else []
    )
    if rows and all(isinstance(row, Mapping) for row in rows):
        return list(dict.fromkeys(str(name) for row in rows for name in row)), rows, truncated
    if rows and all(isinstance(row, list | tuple) for row in rows):
        width = max(len(row) for row in rows)
        if len(names) != width:
            names = [f"column{number}" for number in range(1, width + 1)]
        return names, [[*row, *[None] * (width - len(row))] for row in rows], truncated
    return (names if len(names) == 1 else ["value"]) if rows or not names else names, [[row] for row in rows], truncated


def _as_data(content: Any) -> Any:
    """Models and dataclasses as objects, and a text that is JSON as what it says."""
    if isinstance(content, BaseModel):
        return content.model_dump()
    if is_dataclass(content) and not isinstance(content, type):
        return asdict(content)
    if isinstance(content, str) and content.lstrip()[:1] in ("{", "[") and len(content) <= _LONGEST_TEXT:
        try:
            return json.loads(content, parse_float=Decimal)
        except (ValueError, RecursionError):
            return clip(content, _LONGEST_TEXT)
    if isinstance(content, list | tuple):
        return [_as_data(item) if isinstance(item, BaseModel) else item for item in content]
    return content
