"""The rules of requirements: one rule is one function and one case file; `RULES` is the order in which findings are told."""

from __future__ import annotations

from veracity.requirements.rules.modality import ABS, NEG, NOMODAL, PRON, WEAKMODAL, WEAKVERB
from veracity.requirements.rules.rule import Rule
from veracity.requirements.rules.structure import EMPTY, FRAGMENT, LONG, MULTI, NOAC, PASSIVE
from veracity.requirements.rules.wording import BENEFITVAGUE, COMP, ESCAPE, NOMETRIC, OPEN, QUALPRED, SUP, TBD, VAGUE

RULES: tuple[Rule, ...] = (
    EMPTY,
    VAGUE,
    BENEFITVAGUE,
    ESCAPE,
    OPEN,
    TBD,
    QUALPRED,
    NOMETRIC,
    WEAKMODAL,
    NOMODAL,
    MULTI,
    PASSIVE,
    COMP,
    SUP,
    NOAC,
    FRAGMENT,
    LONG,
    NEG,
    ABS,
    PRON,
    WEAKVERB,
)
