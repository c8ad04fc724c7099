"""The rules of one project, ready to be used: what is switched off is left out, lists and weights are the project's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice

from veracity.requirements.contracts import Lang, RequirementFinding, RuleSettings, Severity, Suppression, Weights
from veracity.requirements.rules import RULES
from veracity.requirements.rules.lexicon import Lexicon, lexicon_of
from veracity.requirements.rules.phrases import folded
from veracity.requirements.rules.reading import Reading
from veracity.requirements.rules.rule import Hit, Rule

_MOST_HITS = 50
"""How many places one rule tells at most; the score has long stopped moving by then."""
_LONGEST_WORD = 80


@dataclass(frozen=True, slots=True)
class Found:
    """A finding with what it weighs."""

    finding: RequirementFinding
    weights: Weights
    share: float


@dataclass(frozen=True, slots=True)
class _Active:
    rule: Rule
    weights: Weights
    severity: Severity


class Rulebook:
    """The rules of a project."""

    def __init__(self, settings: RuleSettings) -> None:
        self.settings = settings
        self.lexicons: dict[Lang, Lexicon] = {"de": lexicon_of(settings, "de"), "en": lexicon_of(settings, "en")}
        self._active = tuple(_active_rules(settings))
        self._suppressions: dict[str, list[Suppression]] = {}
        for suppression in settings.suppressions:
            self._suppressions.setdefault(suppression.rule, []).append(suppression)

    def findings(self, reading: Reading, requirement_id: str = "") -> tuple[Found, ...]:
        """Everything that the rules find in a requirement and nobody has accepted."""
        return tuple(
            found
            for active in self._active
            if active.rule.id not in reading.ignored
            for found in _tell(active, reading)
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
        change = settings.rules.get(rule.id)
        if change is None:
            yield _Active(rule, rule.weights, rule.severity)
        elif change.enabled:
            yield _Active(rule, change.weights or rule.weights, change.severity or rule.severity)


def _tell(active: _Active, reading: Reading) -> Iterator[Found]:
    rule = active.rule
    hit: Hit
    for hit in islice(rule.find(reading), _MOST_HITS):
        text = reading.text[hit.start : hit.end]
        word = text if len(text) <= _LONGEST_WORD else f"{text[:_LONGEST_WORD]}…"
        finding = RequirementFinding(
            rule=rule.id,
            severity=active.severity,
            span=(hit.start, hit.end),
            text=text,
            message=rule.message[reading.lang].replace("{word}", word),
            suggestion=rule.suggestion[reading.lang].replace("{word}", word),
        )
        yield Found(finding, active.weights, hit.share)


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
