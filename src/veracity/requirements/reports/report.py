"""What a check found, ready to be told: every finding with its place in the file, and a scorecard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from veracity.requirements.baseline import Baseline
from veracity.requirements.contracts import (
    CRITERIA,
    Criterion,
    CriterionScore,
    DuplicatePair,
    Judged,
    Lang,
    ModelReading,
    Place,
    Record,
    Requirement,
    RequirementFinding,
    Rewrite,
    RuleSettings,
)
from veracity.requirements.reading import RequirementDocument
from veracity.requirements.reading.document import whole


class LocatedFinding(RequirementFinding):
    """A finding with its place in the file."""

    place: Place
    end: Place | None = None
    """The place behind its last character; None in a file without lines."""
    known: bool = False
    """Whether the baseline holds it."""


class CheckedRequirement(Record):
    """A requirement, its scores in the seed's form, and what was found in it."""

    requirement: Requirement
    score: float
    verdict: Literal["pass", "fail"]
    evaluation: tuple[CriterionScore, ...]
    findings: tuple[LocatedFinding, ...]
    excused: bool = False
    """Whether it may fail, because the baseline holds all that was found in it."""
    rewrite: Rewrite | None = None
    model: ModelReading | None = None
    """What became of a model's second reading; None: there was none to be."""

    @property
    def fails(self) -> bool:
        """Whether it is found wanting."""
        return self.verdict == "fail" and not self.excused

    @property
    def fresh(self) -> tuple[LocatedFinding, ...]:
        """The findings that the baseline does not hold."""
        return tuple(finding for finding in self.findings if not finding.known)


class Scorecard(Record):
    """How the requirements do, all together."""

    requirements: int
    passed: int
    failed: int
    excused: int = 0
    """Below the mark, but known by the baseline."""
    fail_under: float
    score: float
    """The mean of the scores."""
    criteria: dict[Criterion, float]
    findings: dict[str, int]
    """Rule -> how many findings are new; the most frequent first."""
    known: int = 0
    """Findings that the baseline holds."""


class CheckReport(Record):
    """A whole check."""

    files: tuple[str, ...]
    scorecard: Scorecard
    requirements: tuple[CheckedRequirement, ...]
    duplicates: tuple[DuplicatePair, ...] | None = None
    """Pairs by the places of `requirements`; None when they were not looked for."""
    notes: tuple[str, ...] = ()
    """What the reader of the report has to know."""


def build_report(
    documents: Sequence[RequirementDocument],
    judged: Sequence[Judged],
    settings: RuleSettings,
    *,
    baseline: Baseline | None = None,
    rewrites: Mapping[str, Rewrite] | None = None,
    duplicates: Iterable[DuplicatePair] | None = None,
    notes: Iterable[str] = (),
) -> CheckReport:
    """The report on these documents; `judged` has their requirements in their order, `rewrites` goes by id."""
    owners = [document for document in documents for _ in document.requirements]
    checked = tuple(
        _checked(document, one, baseline, (rewrites or {}).get(one.requirement.id))
        for document, one in zip(owners, told_once(judged), strict=True)
    )
    return CheckReport(
        files=tuple(whole(str(document.path)) for document in documents),
        scorecard=_scorecard(checked, settings.fail_under),
        requirements=checked,
        duplicates=None if duplicates is None else tuple(duplicates),
        notes=tuple(notes),
    )


_ONCE = "NOAC"
_ALSO: dict[Lang, str] = {"de": " (so auch {count} weitere hier)", "en": " (the same holds for {count} more here)"}


def told_once(judged: Sequence[Judged]) -> list[Judged]:
    """The same with one finding per document that its stories have no acceptance criteria; the scores stay."""
    lacking = Counter(
        one.requirement.place.path for one in judged if any(finding.rule == _ONCE for finding in one.findings)
    )
    told: set[str] = set()
    made: list[Judged] = []
    for one in judged:
        path = one.requirement.place.path
        if not any(finding.rule == _ONCE for finding in one.findings):
            made.append(one)
            continue
        also = _ALSO[one.requirement.lang or "en"].format(count=lacking[path] - 1) if lacking[path] > 1 else ""
        findings = tuple(
            finding.model_copy(update={"message": finding.message + also}) if finding.rule == _ONCE else finding
            for finding in one.findings
            if finding.rule != _ONCE or path not in told
        )
        told.add(path)
        made.append(one.model_copy(update={"findings": findings}))
    return made


def _checked(
    document: RequirementDocument, judged: Judged, baseline: Baseline | None, rewrite: Rewrite | None
) -> CheckedRequirement:
    # By identity: what the baseline lets through is these very findings.
    fresh = {id(finding) for finding in (baseline.fresh(judged) if baseline is not None else judged.findings)}
    return CheckedRequirement(
        requirement=judged.requirement,
        score=judged.evaluation.score,
        verdict=judged.evaluation.verdict,
        evaluation=judged.evaluation.evaluation,
        findings=tuple(
            _located(document, judged.requirement, finding, known=id(finding) not in fresh)
            for finding in judged.findings
        ),
        excused=judged.evaluation.verdict == "fail" and baseline is not None and baseline.excuses(judged),
        rewrite=rewrite,
        model=judged.model,
    )


def _located(
    document: RequirementDocument, requirement: Requirement, finding: RequirementFinding, *, known: bool
) -> LocatedFinding:
    start, end = finding.span
    place = document.locate(requirement, start)
    return LocatedFinding(
        **dict(finding), place=place, end=_place_behind(document, requirement, place, end), known=known
    )


def _place_behind(document: RequirementDocument, requirement: Requirement, start: Place, end: int) -> Place | None:
    # The last character, and not the one behind it: that one may stand in another line.
    last = document.locate(requirement, max(end - 1, 0))
    if start.line is None or last.line is None or last.column is None:
        return None
    return last.model_copy(update={"column": last.column + 1})


def _scorecard(checked: Sequence[CheckedRequirement], fail_under: float) -> Scorecard:
    rules = Counter(finding.rule for one in checked for finding in one.findings if not finding.known)
    return Scorecard(
        requirements=len(checked),
        passed=sum(one.verdict == "pass" for one in checked),
        failed=sum(one.fails for one in checked),
        excused=sum(one.excused for one in checked),
        fail_under=fail_under,
        score=_mean([one.score for one in checked]),
        criteria={
            criterion: _mean([one.evaluation[at].score for one in checked]) for at, criterion in enumerate(CRITERIA)
        },
        findings=dict(sorted(rules.items(), key=lambda rule: (-rule[1], rule[0]))),
        known=sum(finding.known for one in checked for finding in one.findings),
    )


def _mean(scores: Sequence[float]) -> float:
    return round(sum(scores) / len(scores), 2) if scores else 0.0
