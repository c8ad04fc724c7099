"""Evaluation: the rules of one project, what they find in a requirement, and the scores that follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from typing import Literal, cast

from veracity.errors import UsageError
from veracity.requirements.contracts import (
    CRITERIA,
    Criterion,
    CriterionScore,
    Evaluation,
    Judged,
    Lang,
    Place,
    Requirement,
    RequirementFinding,
    RuleSettings,
    Severity,
    Suppression,
    Weights,
)
from veracity.requirements.rules import RULES
from veracity.requirements.rules.phrases import RuleWords, folded, lexicon_of
from veracity.requirements.rules.requirement_text import RequirementText, read
from veracity.requirements.rules.rule import OF_A_MODEL, Rule, RuleInfo, info_on

_MOST_HITS = 50
"""How many places one rule tells at most; the score has long stopped moving by then."""
_LONGEST_WORD = 80


@dataclass(frozen=True, slots=True)
class RuleFound:
    """A finding with what it weighs."""

    finding: RequirementFinding
    weights: Weights
    share: float


@dataclass(frozen=True, slots=True)
class _Active:
    rule: Rule
    info: RuleInfo
    weights: Weights
    severity: Severity
    chosen: bool = False
    """Whether the project set the severity."""

    def severity_of(self, share: float) -> Severity:
        """How severe a finding is; one that context may excuse is a hint, unless the project says otherwise."""
        return self.severity if share == 1 or self.chosen else "info"


class Rulebook:
    """The rules of a project."""

    def __init__(self, settings: RuleSettings) -> None:
        self.settings = settings
        self.lexicons: dict[Lang, RuleWords] = {"de": lexicon_of(settings, "de"), "en": lexicon_of(settings, "en")}
        self._active = tuple(_active_rules(settings))
        self._suppressions: dict[str, list[Suppression]] = {}
        for suppression in settings.suppressions:
            self._suppressions.setdefault(suppression.rule, []).append(suppression)

    def findings(
        self, reading: RequirementText, requirement_id: str = "", *, told_in: Lang | None = None
    ) -> tuple[RuleFound, ...]:
        """Everything that the rules find in a requirement and nobody has accepted, told in its language or another one."""
        return tuple(
            found
            for active in self._active
            if active.rule.id not in reading.ignored
            for found in _findings_of(active, reading, told_in or reading.lang)
            if not self._is_accepted(found.finding, requirement_id)
        )

    def _is_accepted(self, finding: RequirementFinding, requirement_id: str) -> bool:
        return any(
            (not one.ids or any(fnmatchcase(requirement_id, pattern) for pattern in one.ids))
            and (not one.words or any(folded(word) == folded(finding.text) for word in one.words))
            for one in self._suppressions.get(finding.rule, ())
        )


def _active_rules(settings: RuleSettings) -> Iterator[_Active]:
    for rule in RULES:
        info, change = rule.info, settings.rules.get(rule.id)
        if change is None:
            yield _Active(rule, info, info.weights, info.severity)
        elif change.enabled:
            yield _Active(
                rule,
                info,
                change.weights or info.weights,
                change.severity or info.severity,
                change.severity is not None,
            )


def _findings_of(active: _Active, reading: RequirementText, lang: Lang) -> Iterator[RuleFound]:
    for hit in islice(active.rule.find(reading), _MOST_HITS):
        text = reading.text[hit.start : hit.end]
        word = text if len(text) <= _LONGEST_WORD else f"{text[:_LONGEST_WORD]}…"
        finding = RequirementFinding(
            rule=active.rule.id,
            severity=active.severity_of(hit.share),
            span=(hit.start, hit.end),
            text=text,
            message=active.info.message[lang].replace("{word}", word),
            suggestion=active.info.suggestion[lang].replace("{word}", word),
        )
        yield RuleFound(finding, active.weights, hit.share)


_recent: list[Rulebook] = []
_MOST_RECENT = 8


def rulebook_of(settings: RuleSettings) -> Rulebook:
    """The rulebook of these settings; built once while they are in use."""
    for known in _recent:
        if known.settings is settings:
            return known
    book = Rulebook(settings)
    _recent.insert(0, book)
    del _recent[_MOST_RECENT:]
    return book


# --- evaluation: what the rules find in a requirement, and the scores that follow from it


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
    told_in: Lang | None = None,
) -> Evaluation:
    """The scores of a requirement on the criteria asked for (none: all), in the seed's format.

    The reasons are told in the language of the requirement, or in `told_in`.
    """
    criteria = _criteria(criteria_keys)
    book = rulebook_of(settings)
    reading = read(requirement_text, book.lexicons, settings, lang=lang)
    told = told_in or reading.lang
    return _evaluation(book.findings(reading, told_in=told), criteria, told, settings.fail_under)


def retold(evaluation: Evaluation, text: str, lang: Lang, told_in: Lang) -> Evaluation:
    """The same scores with their reasons in another language; what a model added stays as it was written."""
    if told_in == lang:
        return evaluation
    names = [one.criterion for one in evaluation.evaluation]
    own, other = evaluate(text, names, lang=lang), evaluate(text, names, lang=lang, told_in=told_in)
    scores = tuple(
        one.model_copy(update={"feedback": one.feedback.replace(known.feedback, new.feedback, 1)})
        for one, known, new in zip(evaluation.evaluation, own.evaluation, other.evaluation, strict=True)
    )
    return evaluation.model_copy(update={"evaluation": scores})


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


def judge_text(text: str, settings: RuleSettings, lang: Lang | None) -> tuple[Judged, Lang]:
    """A text as a requirement with its findings, and its language."""
    wanted = lang or settings.lang
    judged = judge(Requirement(id="1", text=text.strip(), place=Place(path=""), lang=wanted), settings)
    return judged, wanted or judged.requirement.lang or "en"


def lowered_by(evaluation: Evaluation, added: Sequence[RequirementFinding], fail_under: float) -> Evaluation:
    """The scores with what a model added; each of its findings quotes the requirement, and none raises a score."""
    if not added:
        return evaluation
    weights = info_on(OF_A_MODEL).weights
    told = "; ".join(f"'{one.text}': {one.message}" for one in added)
    scores = tuple(
        one.model_copy(update={"score": score, "passed": score >= fail_under, "feedback": f"{one.feedback}; {told}"})
        if (score := _lowered(one.score, getattr(weights, one.criterion), len(added))) < one.score
        else one
        for one in evaluation.evaluation
    )
    overall = round(sum(one.score for one in scores) / len(scores), 2)
    return Evaluation(score=overall, verdict="pass" if overall >= fail_under else "fail", evaluation=scores)


def _lowered(score: float, weight: float, count: int) -> float:
    for place in range(count):
        score *= 1 - weight * 0.5**place
    return round(score, 2)


def _criteria(keys: Sequence[str] | None) -> tuple[Criterion, ...]:
    unknown = [key for key in keys or () if key not in CRITERIA]
    if unknown:
        raise UsageError(f"There is no criterion {unknown[0][:40]!r}; there are {', '.join(CRITERIA)}.")
    return cast(tuple[Criterion, ...], tuple(dict.fromkeys(keys))) if keys else CRITERIA


def _evaluation(found: Sequence[RuleFound], criteria: Iterable[Criterion], lang: Lang, fail_under: float) -> Evaluation:
    scores = tuple(_criterion_score(found, criterion, lang, fail_under) for criterion in criteria)
    overall = round(sum(one.score for one in scores) / len(scores), 2)
    verdict: Literal["pass", "fail"] = "pass" if overall >= fail_under else "fail"
    return Evaluation(score=overall, verdict=verdict, evaluation=scores)


def _criterion_score(found: Sequence[RuleFound], criterion: Criterion, lang: Lang, fail_under: float) -> CriterionScore:
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
