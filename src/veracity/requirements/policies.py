"""The three roles without a language model: deterministic policies that speak through the same loop, tools and checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from veracity.requirements.case import CLARIFIER, OPERATOR, Case, Speaker
from veracity.requirements.checklist import issues

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import ModelRequestParameters

_Call = tuple[str, dict[str, Any]]
_SHOWN = 3
"""Requirements that may be the same, of which a report speaks; all of them stand in the case."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A role as a model: what it does next follows from the case alone."""

    speaker: Speaker
    case: Case

    async def __call__(self, messages: list[ModelMessage], parameters: ModelRequestParameters) -> ModelResponse:
        """The next call."""
        from pydantic_ai.messages import ModelResponse, ToolCallPart

        _ = messages, parameters
        decide: Callable[[Case], _Call] = {OPERATOR: operate, CLARIFIER: clarify}.get(self.speaker, judge_work)
        return ModelResponse(parts=[ToolCallPart(*decide(self.case))], model_name="offline")


def operate(case: Case) -> _Call:
    """Evaluate; below the limit suggest and rewrite; compare with the others; ask for what is missing; then report."""
    text = {"requirement_text": case.requirement.text}
    asked = case.open_question()
    if case.criteria is None and asked is not None:
        return "clarify", {"question": "Which criteria should be checked?"}
    if case.before is None:
        return "evaluate_requirement", {**text, "criteria_keys": list(case.criteria or ())}
    if not case.is_good and case.suggestions is None:
        return "suggest_improvements", text
    if not case.is_good and (case.rewrite is None or not case.taken_up):
        return "rewrite_requirement", text
    if case.several and case.duplicates is None:
        return "detect_duplicates", {}
    if asked is not None:
        return "clarify", {"question": asked.question}
    return "answer", {"text": report(case)}


def report(case: Case) -> str:
    """What the operator says when it is ready."""
    before, after = case.before, case.rewrite
    assert before is not None
    said = [f"score {before.score:.2f} ({before.verdict})"]
    if after is not None and not case.is_good:
        said.append(f"rewritten: {after.corrected_text} (score {after.score:.2f}, {after.status})")
    if case.duplicates:
        others = [one.req2_idx if one.req1_idx == case.number else one.req1_idx for one in case.duplicates[:_SHOWN]]
        said.append(f"may be the same as requirement {', '.join(str(number + 1) for number in others)}")
    return "; ".join(said)


def clarify(case: Case) -> _Call:
    """Ask what is missing, with the answers to choose from."""
    asked = case.open_question() or case.free_question(case.unclear)
    return "ask_user", {"question": asked.question, "suggested_answers": list(asked.suggested_answers)}


def judge_work(case: Case) -> _Call:
    """Approve exactly what the trace bears out."""
    missing = issues(case)
    return "answer", {"approved": not missing, "issues": " | ".join(missing), "summary": summary(case)}


def summary(case: Case) -> str:
    """What an approval says."""
    before, after = case.before, case.rewrite
    if before is None:
        return "nothing was evaluated"
    if after is None or case.is_good:
        return f"Requirement validated (score: {before.score:.2f})"
    return f"Requirement validated (score: {before.score:.2f}→{after.score:.2f} after rewrite)"
