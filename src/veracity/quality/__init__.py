"""The quality gate: what a skill's output has to be before anyone gets it."""

from veracity.quality.gate import CHECKS, QualityGate
from veracity.quality.rules import (
    Keywords,
    QualityFinding,
    QualityResult,
    QualityRules,
    SkillContext,
    ValidatorRule,
)
from veracity.quality.schema import schema_problems
from veracity.quality.validators import validator_problem

__all__ = [
    "CHECKS",
    "Keywords",
    "QualityFinding",
    "QualityGate",
    "QualityResult",
    "QualityRules",
    "SkillContext",
    "ValidatorRule",
    "schema_problems",
    "validator_problem",
]
