"""What the tools of an agent returned, of whichever framework, as results and a typed trace."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from veracity.contracts import clip
from veracity.grounding.contracts import GroundedResult, TraceStep
from veracity.grounding.evidence import tables_of

_LONGEST_TEXT = 20_000_000
_ROWS = ("rows", "data", "results", "records", "items")


class ToolReturn(NamedTuple):
    """One call of a tool: its name, what it returned, and whether it succeeded, as its framework says."""

    tool: str
    content: Any
    ok: bool = True


def results_of(
    returns: Iterable[ToolReturn], *, source_kind: str | None = None, kinds: Mapping[str, str] | None = None
) -> tuple[list[GroundedResult], list[TraceStep]]:
    """The results of all calls that succeeded, and the trace of all calls; `kinds` names the source of single tools."""
    results: list[GroundedResult] = []
    trace: list[TraceStep] = []
    for one in returns:
        ok = one.ok and not _says_no_success(one.content)
        name = f"r{len(trace) + 1}"
        made = _results(name, one.content) if ok else []
        results += made
        kind = (kinds or {}).get(one.tool, source_kind)
        status: Literal["ok", "error"] = "ok" if ok else "error"
        trace.append(TraceStep(tool=one.tool, source_kind=kind, status=status, result=name if made else None))
    return results, trace


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
