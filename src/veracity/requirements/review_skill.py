"""The rules as the engine of the skill `requirements_reviewer`: what they find in the requirements of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from veracity.language.detect import language_of
from veracity.quality import SkillContext
from veracity.requirements.contracts import Judged, Lang, Rewrite
from veracity.requirements.evaluate import DEFAULT_SETTINGS, judge_text
from veracity.requirements.improve import rewrite_with_answers
from veracity.requirements.skeleton import skeleton_of

_ASKED = re.compile(
    r"\A[^:\n]{0,80}\b(?:requirements?|anforderung(?:en)?|user ?stor(?:y|ies)|sentences?|sätze|satz)\b[^:\n]{0,40}:\s*",
    re.IGNORECASE,
)
_MARKED = re.compile(r"\A\s*(?:[-*•]|\d{1,3}[.)])\s+")
_MOST_ISSUES = 20
_MOST_QUESTIONS = 5


def review(text: str, lang: str) -> dict[str, Any] | None:
    """The issues, questions and approval of the requirements in a text; None where the rules do not know its language."""
    _ = lang
    found = [(one, code) for one in requirements_in(text) if (code := _rule_language(one)) is not None]
    if not found:
        return None
    issues: list[dict[str, str]] = []
    questions: list[str] = []
    for requirement, code in found:
        judged, spoken = judge_text(requirement, DEFAULT_SETTINGS, code)
        own = list(_issues(judged))
        issues += own
        if own:
            questions += _questions(requirement, judged, spoken)
    questions = list(dict.fromkeys(questions))[:_MOST_QUESTIONS]
    return {"approved": not issues, "issues": issues[:_MOST_ISSUES], "questions": questions}


def rules_agree(output: object, context: SkillContext) -> list[str]:
    """Nothing is approved in which the rules find something that fails it."""
    if not isinstance(output, Mapping) or output.get("approved") is not True:
        return []
    found = review(context.input, "")
    if found is None or found["approved"]:
        return []
    return [f"It is approved although {issue['problem']}; name it as an issue." for issue in found["issues"][:3]]


def requirements_in(text: str) -> list[str]:
    """The requirements of a text: one per line, without what asks for the review."""
    lines = _ASKED.sub("", text.strip()).splitlines()
    return [line for one in lines if (line := _MARKED.sub("", one).strip())]


def _rule_language(requirement: str) -> Lang | None:
    match language_of(requirement):
        case "de":
            return "de"
        case "en":
            return "en"
    return None


def _issues(judged: Judged) -> Iterator[dict[str, str]]:
    """What fails the requirement: warnings and errors, and of one that fails for less, that."""
    grave = [one for one in judged.findings if one.severity != "info"]
    failed = judged.evaluation.verdict == "fail"
    whole = judged.requirement.text
    for one in grave or (judged.findings if failed else ()):
        yield {
            "quote": one.text.strip() or whole,
            "problem": one.message,
            "suggestion": one.suggestion or one.message,
        }
    if failed and not judged.findings:
        worst = min(judged.evaluation.evaluation, key=lambda score: score.score)
        yield {"quote": whole, "problem": worst.feedback, "suggestion": worst.feedback}


def _questions(requirement: str, judged: Judged, lang: Lang) -> list[str]:
    rewritten: Rewrite = rewrite_with_answers(requirement, skeleton_of(judged, lang), {}, lang=lang)
    return [one.question for one in rewritten.assumptions]
