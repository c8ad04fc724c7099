"""A transcript as people read it: who spoke, which tools were called, what came back, which signal was given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from veracity.requirements.case import ToolUse, Turn
from veracity.trace import clip

_LONGEST = 160
_TOLD = {
    "evaluate_requirement": ("score", "verdict"),
    "rewrite_requirement": ("correctedText", "status", "score"),
}
"""What is shown of a tool's result, where it is an object."""


def printed(turns: Sequence[Turn]) -> str:
    """The turns as numbered blocks; with several requirements, each is headed by its id."""
    several = len({turn.requirement_id for turn in turns}) > 1
    lines: list[str] = []
    for number, turn in enumerate(turns, 1):
        lines.append(f"{number}. [{turn.speaker}]{f' {turn.requirement_id}' if several else ''}")
        lines += [f"   {line}" for use in turn.calls for line in _call(use)]
        lines += [f"   → {line}" for line in turn.text.splitlines() if line.strip()]
    return "\n".join(lines)


def _call(use: ToolUse) -> Iterator[str]:
    yield f"→ Tool: {use.tool}({_given(use.arguments)})"
    if not use.ok:
        yield f"→ Error: {clip(str(use.result.get('error', '')), _LONGEST)}"
    elif use.tool != "ask_user":
        yield f"→ Result: {_result(use)}"


def _given(arguments: dict[str, Any]) -> str:
    return ", ".join(
        f"{name}={clip(json.dumps(value, ensure_ascii=False, default=str), 80)}" for name, value in arguments.items()
    )


def _result(use: ToolUse) -> str:
    if isinstance(use.result, dict):
        shown: Any = {name: use.result[name] for name in _TOLD.get(use.tool, ()) if name in use.result}
    elif use.tool == "suggest_improvements" and isinstance(use.result, list):
        shown = [one.get("type") for one in use.result if isinstance(one, dict)]
    else:
        shown = use.result
    return clip(json.dumps(shown, ensure_ascii=False, default=str), 2 * _LONGEST)
