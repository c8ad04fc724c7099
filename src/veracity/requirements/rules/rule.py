"""What a rule is: one function that finds places, what a finding weighs, and what it says in either language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from veracity.requirements.contracts import Lang, RuleId, Severity, Weights
from veracity.requirements.rules.reading import RequirementText


@dataclass(frozen=True, slots=True)
class RuleHit:
    """A place that a rule objects to."""

    start: int
    end: int
    share: float = 1.0
    """How much of the rule's weights it takes; a word that context may excuse takes a third."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `{word}` in its texts is what stands at the place found."""

    id: RuleId
    find: Callable[[RequirementText], Iterator[RuleHit]]
    weights: Weights
    severity: Severity
    message: dict[Lang, str]
    suggestion: dict[Lang, str]


def weigh(clarity: float = 0.0, testability: float = 0.0, measurability: float = 0.0) -> Weights:
    """The weights of a rule, in the order of the criteria."""
    return Weights(clarity=clarity, testability=testability, measurability=measurability)
