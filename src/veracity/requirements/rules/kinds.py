"""What kind of requirement a text is, and which parts that kind needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from veracity.language.folding import listed
from veracity.requirements.contracts import RuleId
from veracity.requirements.rules.parts import has_verb, parts
from veracity.requirements.rules.requirement_text import RequirementText
from veracity.requirements.rules.word_rules import is_quality, vague_words

RequirementSort = Literal["functional", "quality", "constraint", "user story", "title", "scenario"]
NeededPart = Literal["actor", "action", "object", "limit", "named rule", "goal", "criteria", "sentence"]

NEEDS: Mapping[RequirementSort, tuple[NeededPart, ...]] = {
    "functional": ("actor", "action", "object"),
    "quality": ("actor", "limit"),
    "constraint": ("actor", "named rule"),
    "user story": ("goal", "object", "criteria"),
    "title": ("sentence",),
    "scenario": (),
}
"""The parts that each kind needs. A condition may stand for the object; a scenario is a test already."""
TOLD_BY: Mapping[NeededPart, tuple[RuleId, ...]] = {
    "actor": ("NOACTOR",),
    "action": ("NOACTION",),
    "object": ("NOOBJECT",),
    "limit": ("NOMETRIC", "QUALPRED"),
    "named rule": ("NOACTION",),
    "goal": ("NOACTION",),
    "criteria": ("NOAC",),
    "sentence": ("FRAGMENT",),
}
"""The rules that tell what is missing."""
_COMPLIES = listed(
    "comply complies conform conforms adhere adheres compliant conformant einhalten entsprechen genuegen befolgen erfuellen"
)


def sort_of(reading: RequirementText) -> RequirementSort:
    """The kind of a requirement, as far as its words show it."""
    if reading.kind == "gherkin":
        return "scenario"
    if reading.kind == "title" or _lacks_main_clause(reading):
        return "title"
    if reading.is_story:
        return "user story"
    if any(is_quality(reading, word) for word in reading.once(vague_words)):
        return "quality"
    if any(word.text in _COMPLIES and reading.is_demand(word.start) for word in reading.words):
        return "constraint"
    return "functional"


def _lacks_main_clause(reading: RequirementText) -> bool:
    if reading.once(parts).predicate is None:
        return True
    return not (reading.has_modal or reading.is_story or has_verb(reading))


def needs(reading: RequirementText, *wanted: NeededPart) -> bool:
    """Whether a text is of a kind that needs one of these parts; nothing is needed where there is no text."""
    return not reading.is_empty and any(part in NEEDS[reading.once(sort_of)] for part in wanted)
