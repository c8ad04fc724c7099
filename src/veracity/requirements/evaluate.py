"""Evaluation: what the rules find in a requirement, and the scores that follow from it.

A criterion's score is the product of (1 - weight) over its findings; a rule that finds more than one place counts half as much
with each further one, the heaviest first. The score of the requirement is the mean of the criteria asked for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, cast

from veracity.errors import UsageError
from veracity.requirements.contracts import (
    CRITERIA,
    Criterion,
    CriterionScore,
    Evaluation,
    Judged,
    Lang,
    Requirement,
    RuleSettings,
)
from veracity.requirements.rules.reading import read
from veracity.requirements.rules.rulebook import Found, rulebook_of

DEFAULT_SETTINGS = RuleSettings()
_MOST_REASONS = 3
_FINE: dict[Lang, str] = {"de": "Keine Beanstandung", "en": "Nothing to object to"}
_MORE: dict[Lang, str] = {"de": "und {count} weitere", "en": "and {count} more"}


def evaluate(
    requirement_text: str,
    criteria_keys: Sequence[str] | None = None,
    *,
    settings: RuleSettings = DEFAULT_SETTINGS,
    lang: Lang | None = None,
) -> Evaluation:
    """The scores of a requirement on the criteria asked for (none: all), in the seed's format."""
    criteria = _criteria(criteria_keys)
    book = rulebook_of(settings)
    reading = read(requirement_text, book.lexicons, settings, lang=lang)
    return _evaluation(book.findings(reading), criteria, reading.lang, settings.fail_under)


def judge(requirement: Requirement, settings: RuleSettings = DEFAULT_SETTINGS) -> Judged:
    """A requirement with its scores and every finding; its language and kind are filled in."""
    book = rulebook_of(settings)
    reading = read(
        requirement.text, book.lexicons, settings, lang=requirement.lang, scenario=requirement.kind == "gherkin"
    )
    found = book.findings(reading, requirement.id)
    known = requirement.model_copy(update={"lang": reading.lang, "kind": requirement.kind or reading.kind})
    return Judged(
        requirement=known,
        evaluation=_evaluation(found, CRITERIA, reading.lang, settings.fail_under),
        findings=tuple(sorted((one.finding for one in found), key=lambda finding: finding.span)),
    )


def _criteria(keys: Sequence[str] | None) -> tuple[Criterion, ...]:
    unknown = [key for key in keys or () if key not in CRITERIA]
    if unknown:
        raise UsageError(f"There is no criterion {unknown[0][:40]!r}; there are {', '.join(CRITERIA)}.")
    return cast(tuple[Criterion, ...], tuple(dict.fromkeys(keys))) if keys else CRITERIA


def _evaluation(found: Sequence[Found], criteria: Iterable[Criterion], lang: Lang, fail_under: float) -> Evaluation:
    scores = tuple(_criterion_score(found, criterion, lang, fail_under) for criterion in criteria)
    overall = round(sum(one.score for one in scores) / len(scores), 2)
    verdict: Literal["pass", "fail"] = "pass" if overall >= fail_under else "fail"
    return Evaluation(score=overall, verdict=verdict, evaluation=scores)


def _criterion_score(found: Sequence[Found], criterion: Criterion, lang: Lang, fail_under: float) -> CriterionScore:
    by_rule: dict[str, list[float]] = defaultdict(list)
    reasons: dict[str, tuple[float, float]] = {}
    for one in found:
        weight: float = getattr(one.weights, criterion) * one.share
        if weight:
            by_rule[one.finding.rule].append(weight)
            # Of two that weigh the same, the one that is about this criterion before all comes first.
            rank = (weight, weight / max(one.weights.clarity, one.weights.testability, one.weights.measurability))
            reasons[one.finding.message] = max(rank, reasons.get(one.finding.message, rank))
    score = 1.0
    for weights in by_rule.values():
        for place, weight in enumerate(sorted(weights, reverse=True)):
            score *= 1 - weight * 0.5**place
    score = round(score, 2)
    return CriterionScore(
        criterion=criterion, score=score, passed=score >= fail_under, feedback=_feedback(reasons, lang)
    )


def _feedback(reasons: dict[str, tuple[float, float]], lang: Lang) -> str:
    """The reasons, the heaviest first."""
    ranked = sorted(reasons, key=lambda message: reasons[message], reverse=True)
    if not ranked:
        return _FINE[lang]
    told = "; ".join(ranked[:_MOST_REASONS])
    left = len(ranked) - _MOST_REASONS
    return f"{told}; {_MORE[lang].format(count=left)}" if left > 0 else told
