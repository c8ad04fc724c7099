"""Validators of shipped skills: whether the fields of an output fit each other and the input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from veracity.contracts import clip
from veracity.language.folding import words_in
from veracity.quality import SkillContext

_SHOWN = 60


def code_review(output: object, context: SkillContext) -> list[str]:
    """The verdict follows from the findings, and their lines are in the input."""
    if not isinstance(output, Mapping):
        return []
    findings, verdict = _entries(output, "findings"), output.get("verdict")
    grave = [one for one in findings if one.get("severity") in ("high", "medium")]
    found = []
    if verdict == "change" and not findings:
        found.append("The verdict is change and no finding says what; name it, or approve.")
    if verdict == "approve" and grave:
        found.append("The verdict is approve although a finding is high or medium; write change, or lower the finding.")
    lines = len(context.input.splitlines())
    for one in findings:
        line = one.get("line")
        if isinstance(line, int) and context.input and line > lines:
            found.append(f"Line {line} is not in the input, which has {lines}; name a line of it, or null.")
    return found


def requirements_review(output: object, context: SkillContext) -> list[str]:
    """The approval follows from the issues, and every quote is of the input."""
    if not isinstance(output, Mapping):
        return []
    issues, approved = _entries(output, "issues"), output.get("approved")
    found = list(_not_quoted(issues, "quote", context.input))
    if approved is True and issues:
        found.append("It is approved although there are issues; write false, or leave the issues out.")
    if approved is False and not issues:
        found.append("It is not approved and no issue says why; name it, or approve.")
    return found


def source_ranking(output: object, context: SkillContext) -> list[str]:
    """Every source is one of the input, and none is ranked twice."""
    if not isinstance(output, Mapping):
        return []
    ranking = _entries(output, "ranking")
    found = list(_not_quoted(ranking, "source", context.input))
    names = [str(one.get("source")) for one in ranking]
    found += [f"“{clip(name, _SHOWN)}” is ranked twice; keep one." for name in {*names} if names.count(name) > 1]
    return found


def _entries(output: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = output.get(name)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def _not_quoted(entries: list[Mapping[str, Any]], name: str, given: str) -> Iterator[str]:
    """What should be words of the input and is not; signs and spaces between them do not count."""
    if not given:
        return
    said = f" {' '.join(words_in(given))} "
    for one in entries:
        quote = one.get(name)
        if isinstance(quote, str) and quote not in given and f" {' '.join(words_in(quote))} " not in said:
            yield f"“{clip(quote, _SHOWN)}” does not stand in the input; take its words as they are."
