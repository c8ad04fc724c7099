"""Rules about what a requirement lacks: an action, something to act on, somebody who acts, a whole sentence."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.requirements.rules.kinds import needs
from veracity.requirements.rules.parts import parts
from veracity.requirements.rules.requirement_text import RequirementText
from veracity.requirements.rules.rule import RuleHit

_PARTLY = 1 / 3
"""What a finding counts where a condition, a limit or the actor says part of what is missing."""


def fragment(reading: RequirementText) -> Iterator[RuleHit]:
    """No sentence: a title, only a condition, or words without a verb."""
    if needs(reading, "sentence"):
        yield RuleHit(*reading.trimmed((0, len(reading.text))))


def no_action(reading: RequirementText) -> Iterator[RuleHit]:
    """Nothing in the demand belongs to this requirement: "shall work", "muss alles können", "shall meet expectations"."""
    has = reading.once(parts)
    if not needs(reading, "action", "named rule", "goal") or has.predicate is None or has.says_something:
        return
    named, bounded = has.about_actor and has.telling_actor, has.is_bounded
    if not (named and bounded):
        goes_on = reading.text.rstrip().endswith(":")
        yield RuleHit(*reading.trimmed(has.predicate), _PARTLY if named or bounded or goes_on else 1.0)


def no_object(reading: RequirementText) -> Iterator[RuleHit]:
    """An action alone: "shall print" says neither what nor when."""
    has = reading.once(parts)
    if not needs(reading, "object") or has.predicate is None or not has.is_bare or not has.says_something:
        return
    about_something = has.telling_actor or (has.about_actor and has.named_actor)
    if not (has.describes or has.is_bounded or about_something):
        yield RuleHit(*reading.trimmed(has.predicate))


def no_actor(reading: RequirementText) -> Iterator[RuleHit]:
    """A sentence that begins with its modal verb: nobody is obliged."""
    if not reading.has_modal or not reading.words or not needs(reading, "actor"):
        return
    first = reading.words[0]
    if first.start not in reading.modal_starts:
        return
    # "Muss das System ..." is a question or a condition, "Muss PDF drucken" is a demand.
    named = len(reading.words) > 1 and reading.words[1].text in ("der", "die", "das", "ein", "eine", "jeder", "jede")
    if not (reading.lang == "de" and named):
        yield RuleHit(first.start, first.end)
