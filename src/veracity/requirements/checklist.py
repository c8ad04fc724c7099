"""The validator's checklist, held against the trace: CHECKS, pure functions over a case, each an issue or nothing."""

from __future__ import annotations

from collections.abc import Callable

from veracity.requirements.case import Case
from veracity.requirements.grounded import SLOT


def was_evaluated(case: Case) -> str | None:
    """evaluate_requirement called?"""
    done = case.before is not None and case.used("evaluate_requirement")
    return None if done else "evaluate_requirement was not called"


def scores_are_documented(case: Case) -> str | None:
    """Quality scores documented, for every criterion that was asked for?"""
    scored = {one.criterion for one in case.before.evaluation} if case.before else set()
    missing = [name for name in case.criteria or () if name not in scored]
    if case.criteria is None:
        return "the criteria were not chosen"
    return f"no score for {', '.join(missing)}" if missing and case.before else None


def was_improved(case: Case) -> str | None:
    """Below the limit: were improvements suggested and applied?"""
    if case.before is None or case.is_good:
        return None
    missing = [tool for tool in ("suggest_improvements", "rewrite_requirement") if not case.used(tool)]
    return f"score {case.before.score:.2f}, but {' and '.join(missing)} not called" if missing else None


def answers_are_taken_up(case: Case) -> str | None:
    """Is everything that the user said in the rewrite?"""
    return None if case.taken_up else "the user's answer is not in the rewrite yet: call rewrite_requirement again"


def nothing_is_assumed(case: Case) -> str | None:
    """Does the rewrite say only what was stated or confirmed, and does it pass?"""
    if case.rewrite is None or case.is_good or case.rewrite.status == "accepted":
        return None
    if case.rewrite.assumptions:
        return f"not confirmed by the user: {', '.join(one.what for one in case.rewrite.assumptions[:4])}"
    return f"the rewrite still scores {case.rewrite.score:.2f}"


def duplicates_are_checked(case: Case) -> str | None:
    """Duplicates checked, where there are several requirements?"""
    done = not case.several or (case.duplicates is not None and case.used("detect_duplicates"))
    return None if done else "detect_duplicates was not called"


def output_is_clear(case: Case) -> str | None:
    """Is the result a text that somebody can act on?"""
    if not case.text.strip():
        return "there is no text"
    return "a slot of the text is still open" if SLOT.search(case.text) else None


CHECKS: tuple[Callable[[Case], str | None], ...] = (
    was_evaluated,
    scores_are_documented,
    was_improved,
    answers_are_taken_up,
    nothing_is_assumed,
    duplicates_are_checked,
    output_is_clear,
)


def issues(case: Case) -> tuple[str, ...]:
    """What the trace does not show, and an approval would need."""
    return tuple(issue for check in CHECKS if (issue := check(case)) is not None)
