"""What a rule is: one function that finds places. What a finding weighs and what is said about it stands in `rules.yaml`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from veracity.requirements.contracts import Lang, Record, RuleId, Severity, Weights
from veracity.requirements.rules.requirement_text import RequirementText
from veracity.yaml_file import packaged

_FILE = Path(__file__).with_name("rules.yaml")
OF_A_MODEL = "MODEL"
"""Stands for whatever a model found."""


@dataclass(frozen=True, slots=True)
class RuleHit:
    """A place that a rule objects to."""

    start: int
    end: int
    share: float = 1.0
    """How much of the rule's weights it takes; a word that context may excuse takes a third."""


class RuleInfo(Record):
    """What one rule weighs and says. `{word}` in its message and suggestion is what stands at the place found."""

    weights: Weights = Weights()
    severity: Severity
    message: dict[Lang, str] = {}
    suggestion: dict[Lang, str] = {}
    title: dict[Lang, str]
    why: str
    """For whoever meets a finding for the first time: why it matters."""
    before: str = ""
    after: str = ""
    """An example, and how it would be better."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule."""

    id: RuleId
    find: Callable[[RequirementText], Iterator[RuleHit]]

    @property
    def info(self) -> RuleInfo:
        """What it weighs and says."""
        return info_on(self.id)


def info_on(rule: str) -> RuleInfo:
    """What a rule weighs and says; whatever is no rule of ours is a model's finding."""
    return rule_infos().get(rule) or rule_infos()[OF_A_MODEL]


@cache
def rule_infos() -> Mapping[str, RuleInfo]:
    """What all rules weigh and say, and what is said of a model's findings."""
    return {rule: RuleInfo.model_validate(info) for rule, info in packaged(_FILE).items()}
