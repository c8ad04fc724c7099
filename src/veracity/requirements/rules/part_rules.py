"""Rules about what a requirement lacks: an action, something to act on, somebody who acts, a whole sentence."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.requirements.rules.parts import has_verb, parts
from veracity.requirements.rules.requirement_text import RequirementText
from veracity.requirements.rules.rule import RuleHit
from veracity.requirements.rules.word_rules import is_quality, vague_words

_PARTLY = 1 / 3
"""What a finding counts where a condition, a limit or the actor says part of what is missing."""


def fragment(reading: RequirementText) -> Iterator[RuleHit]:
    """No sentence: a title, only a condition, or words without a verb."""
    if reading.is_empty or reading.kind == "gherkin":
        return
    if reading.kind == "title" or _lacks_main_clause(reading):
        yield RuleHit(*reading.trimmed((0, len(reading.text))))


def _lacks_main_clause(reading: RequirementText) -> bool:
    if reading.once(parts).predicate is None:
        return True
    return not (reading.has_modal or reading.is_story or has_verb(reading))


def no_action(reading: RequirementText) -> Iterator[RuleHit]:
    """Nothing in the demand belongs to this requirement: "shall work", "muss alles können", "shall meet expectations"."""
    has = reading.once(parts)
    if has.predicate is None or has.says_something or not _is_sentence(reading) or _is_quality(reading):
        return
    named, bounded = has.about_actor and has.telling_actor, has.is_bounded
    if not (named and bounded):
        goes_on = reading.text.rstrip().endswith(":")
        yield RuleHit(*reading.trimmed(has.predicate), _PARTLY if named or bounded or goes_on else 1.0)


def _is_quality(reading: RequirementText) -> bool:
    """Whether the demand is a quality, which has rules of its own: "must be fast"."""
    return any(is_quality(reading, word) for word in reading.once(vague_words))


def no_object(reading: RequirementText) -> Iterator[RuleHit]:
    """An action alone: "shall print" says neither what nor when."""
    has = reading.once(parts)
    if has.predicate is None or not has.is_bare or not has.says_something or not _is_sentence(reading):
        return
    about_something = has.telling_actor or (has.about_actor and has.named_actor)
    if not (has.describes or has.is_bounded or about_something):
        yield RuleHit(*reading.trimmed(has.predicate))


def no_actor(reading: RequirementText) -> Iterator[RuleHit]:
    """A sentence that begins with its modal verb: nobody is obliged."""
    if not reading.has_modal or reading.is_story or reading.kind == "gherkin" or not reading.words:
        return
    first = reading.words[0]
    if first.start not in reading.modal_starts:
        return
    # "Muss das System ..." is a question or a condition, "Muss PDF drucken" is a demand.
    named = len(reading.words) > 1 and reading.words[1].text in ("der", "die", "das", "ein", "eine", "jeder", "jede")
    if not (reading.lang == "de" and named):
        yield RuleHit(first.start, first.end)


def _is_sentence(reading: RequirementText) -> bool:
    return not reading.is_empty and reading.kind not in ("gherkin", "title") and not any(fragment(reading))
