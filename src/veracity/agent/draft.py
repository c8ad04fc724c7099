"""What a model sent: the arguments of a call, and the draft that it wants to end with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from veracity.contracts import QueryValidationError, ValidationErrorCode
from veracity.wire import Wire

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart

_LONGEST_ARGUMENTS = 20_000
_MOST_OPTIONS = 6
_DEEPEST = 12
_ESCAPED_BREAK = re.compile(r"\\n(?=[\s{-]|$)")
"""Small models escape a line break twice."""


class DraftKind(StrEnum):
    """What a model ends a run with."""

    ANSWER = "answer"
    CLARIFY = "clarify"
    ABSTAIN = "abstain"


@dataclass(frozen=True, slots=True)
class Draft:
    """What the model wants to say, before anything was checked."""

    kind: DraftKind
    text: str
    options: tuple[str, ...] = ()
    fields: Mapping[str, Any] | None = None
    """The parts of an output that has a schema."""


ENDS = frozenset(DraftKind)
"""The tools that end a run."""
LONGEST_FORM = 200_000
_LONGEST_KEPT = 4_000


class RefusedDraft(Wire):
    """A draft that was sent back or held back, as traces keep it."""

    round: int
    kind: str
    text: str
    """What the model wrote; cut where it is very long."""
    code: ValidationErrorCode
    field: str | None = None
    hint: str
    """Why it was refused."""

    @classmethod
    def of(
        cls,
        draft: Draft | QueryValidationError,
        problem: QueryValidationError,
        sent: ToolCallPart | ModelResponse,
        round_: int,
    ) -> RefusedDraft:
        """A draft and what is wrong with it; one that could not even be read is kept as it was sent."""
        kind, text = "unreadable", _as_sent(sent)
        if isinstance(draft, Draft):
            kind, text = str(draft.kind), " | ".join((draft.text, *draft.options))
        text = _sayable(text[:_LONGEST_KEPT]) + ("…" if len(text) > _LONGEST_KEPT else "")
        return cls(round=round_, kind=kind, text=text, code=problem.code, field=problem.field, hint=problem.hint)


def _as_sent(sent: ToolCallPart | ModelResponse) -> str:
    arguments = getattr(sent, "args", None)
    if arguments is None:
        return getattr(sent, "text", None) or ""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, default=str, ensure_ascii=False)


def arguments_of(part: ToolCallPart, longest: int = _LONGEST_ARGUMENTS) -> Any:
    """The arguments that the model sent; where they are no object, the text itself or what is wrong with it."""
    if not isinstance(part.args, str):
        return {str(key): value for key, value in (part.args or {}).items()}
    if len(part.args) > longest:
        return "too long"
    try:
        found = json.loads(part.args or "{}", parse_float=Decimal)
    except (ValueError, RecursionError):
        return part.args
    return found if _depth(found) <= _DEEPEST else "nested too deeply"


def _depth(value: Any, level: int = 0) -> int:
    """How deep lists and objects are nested; it stops counting where nothing is accepted any more."""
    if level > _DEEPEST or not isinstance(value, dict | list):
        return level
    inner = value.values() if isinstance(value, dict) else value
    return max((_depth(item, level + 1) for item in inner), default=level)


def read_end(part: ToolCallPart, *, structured: bool = False) -> Draft | QueryValidationError:
    """The draft of a call that ends a run; a structured one is whatever its schema asked for."""
    kind = DraftKind(part.tool_name)
    if structured and kind is DraftKind.ANSWER:
        return read_form(arguments_of(part, LONGEST_FORM))
    arguments = arguments_of(part)
    key = {"answer": "text", "clarify": "question", "abstain": "reason"}[kind]
    text = arguments.get(key) if isinstance(arguments, dict) else None
    options = arguments.get("options") or () if isinstance(arguments, dict) else ()
    if not isinstance(text, str) or not text.strip():
        return malformed(key, f"{kind} takes {{{key}: text}}.")
    listed = options.split("|") if isinstance(options, str) else options
    if not isinstance(listed, list | tuple) or not all(isinstance(option, str) for option in listed):
        return malformed("options", "options are short texts, separated by |.")
    options = tuple(_sayable(option) for option in listed if option.strip())[:_MOST_OPTIONS]
    return Draft(kind, _ESCAPED_BREAK.sub("\n", _sayable(text)), options)


def read_text(response: ModelResponse, *, structured: bool = False) -> Draft | QueryValidationError:
    """The draft of a reply without a tool call; refused where it was cut off, or where fields are wanted and it has none."""
    if response.finish_reason == "length":
        return malformed("answer", "The reply was cut because it is too long; send one short tool call.")
    text = _sayable(response.text or "")
    return read_form(object_in(text)) if structured else Draft(DraftKind.ANSWER, text)


def read_form(fields: Any) -> Draft | QueryValidationError:
    """A structured draft; its text is all that its fields say."""
    if not isinstance(fields, dict) or not fields:
        return malformed("answer", "Call answer with the fields of its schema.")
    clean = json.loads(json.dumps(fields, default=str, ensure_ascii=False).encode("utf-8", "replace"))
    return Draft(DraftKind.ANSWER, "\n".join(_said_in(clean)), fields=clean)


def _said_in(value: Any) -> list[str]:
    """Every text and every number in some data, in its order."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return [str(value)]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _said_in(item)]


def object_in(text: str) -> Any:
    """The JSON object that a model wrote as text, perhaps in a fence."""
    start, end = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[start : end + 1]) if 0 <= start < end <= LONGEST_FORM else None
    except (ValueError, RecursionError):
        return None
    return found if _depth(found) <= _DEEPEST else None


def _sayable(text: str) -> str:
    """A text without the half characters that cannot be sent or stored."""
    return text.strip().encode("utf-8", "replace").decode()


def malformed(name: str, hint: str) -> QueryValidationError:
    """What is wrong with a draft, for the model."""
    return QueryValidationError(code=ValidationErrorCode.TYPE_MISMATCH, field=name, hint=hint)
