"""Rules about modal verbs: what binds, what only might, and what is forbidden."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.language.folding import listed
from veracity.requirements.rules.reading import RequirementText
from veracity.requirements.rules.rule import Rule, RuleHit, weigh
from veracity.requirements.rules.verbs import clause_after

_WITHOUT_MODAL = ("user_story", "gherkin")
_NOT = {
    "de": listed("nicht nie niemals kein keine keinen keinem keiner keines keinesfalls"),
    "en": listed("not never no"),
}
_REACH = {"de": 8, "en": 4}


def weak_modal(reading: RequirementText) -> Iterator[RuleHit]:
    """A requirement whose only modal verb does not bind."""
    if reading.kind in _WITHOUT_MODAL or any(reading.is_demand(modal.start) for modal in reading.binding):
        return
    for modal in reading.weak_anywhere:
        if reading.is_demand(modal.start):
            yield RuleHit(modal.start, modal.end)
            return


def no_modal(reading: RequirementText) -> Iterator[RuleHit]:
    """A requirement without a modal verb; a project may write in the present tense."""
    if reading.is_empty or reading.has_modal or reading.kind in _WITHOUT_MODAL:
        return
    if reading.settings.present_tense_ok and reading.kind != "title":
        return
    yield RuleHit(*reading.trimmed(reading.sentences[0]))


def negation(reading: RequirementText) -> Iterator[RuleHit]:
    """A modal verb that is negated; a plain "nicht" or "not" elsewhere is none of its business."""
    for modal in sorted((*reading.binding, *reading.weak_anywhere), key=lambda match: match.start):
        if not reading.is_demand(modal.start):
            continue
        if reading.words[modal.first].text == "cannot":
            yield RuleHit(modal.start, modal.end)
            continue
        following = clause_after(reading.shadow, reading.words, modal.last)[: _REACH[reading.lang]]
        denied = next((word for word in following if word.text in _NOT[reading.lang]), None)
        if denied is not None:
            yield RuleHit(modal.start, denied.end)


WEAKMODAL = Rule(
    "WEAKMODAL",
    weak_modal,
    weigh(0.2, 0.15, 0.0),
    "warning",
    {"de": "Unverbindlich: '{word}' verpflichtet nicht", "en": "Not binding: '{word}' obliges nobody"},
    {
        "de": "'muss' schreiben oder als Wunsch kennzeichnen.",
        "en": "Write 'shall', or mark it as a wish.",
    },
)
NOMODAL = Rule(
    "NOMODAL",
    no_modal,
    weigh(0.2, 0.15, 0.0),
    "warning",
    {
        "de": "Kein Modalverb: ob das gefordert ist, bleibt offen",
        "en": "No modal verb: whether this is demanded stays open",
    },
    {
        "de": "Mit 'muss' formulieren: wer muss was tun?",
        "en": "Write it with 'shall': who shall do what?",
    },
)
NEG = Rule(
    "NEG",
    negation,
    weigh(),
    "info",
    {"de": "Verneinte Forderung: '{word}'", "en": "Negated demand: '{word}'"},
    {
        "de": "Wenn möglich sagen, was stattdessen geschieht; das lässt sich leichter prüfen.",
        "en": "If you can, say what happens instead; that is easier to check.",
    },
)


# --- rules that only inform: right too seldom to move a score


_HUNDRED = re.compile(r"(?<![\d.,])100\s?%")
_DEMONSTRATIVE = listed("this these those")
_VERBS = listed("is are was were shall must should will can may has have does do")
_ARTICLES = listed("the a an")
_FEWEST_CANDIDATES = 2


def absolute(reading: RequirementText) -> Iterator[RuleHit]:
    """An absolute: all, always, never."""
    words = reading.words
    for match in reading.find("absolute"):
        after = words[match.last + 1].text if match.last + 1 < len(words) else ""
        before = words[match.first - 1].text if match.first else ""
        # "alle 5 Minuten" is an interval, "vor allem" is none.
        if reading.is_demand(match.start) and not after[:1].isdigit() and before != "vor":
            yield RuleHit(match.start, match.end)
    for found in _HUNDRED.finditer(reading.shadow):
        if reading.is_demand(found.start()):
            yield RuleHit(found.start(), found.end())


def pronoun(reading: RequirementText) -> Iterator[RuleHit]:
    """A pronoun that may stand for two things or more."""
    words = reading.words
    for match in reading.find("pronoun"):
        after = words[match.last + 1].text if match.last + 1 < len(words) else ""
        if words[match.first].text in _DEMONSTRATIVE and after not in _VERBS:
            continue
        if _candidates(reading, match.first) >= _FEWEST_CANDIDATES:
            yield RuleHit(match.start, match.end)


def _candidates(reading: RequirementText, at: int) -> int:
    """How many things were named before a pronoun: nouns in German, what has an article in English."""
    before = reading.words[max(0, at - 30) : at]
    if reading.lang == "de":
        return len({word.text for word in before[1:] if word.capital})
    return sum(word.text in _ARTICLES for word in before)


def weak_verb(reading: RequirementText) -> Iterator[RuleHit]:
    """A verb that names no action that one could watch."""
    for match in reading.find("weak_verb"):
        if reading.is_demand(match.start):
            yield RuleHit(match.start, match.end)


ABS = Rule(
    "ABS",
    absolute,
    weigh(),
    "info",
    {
        "de": "Absolutheit: '{word}' lässt sich kaum vollständig prüfen",
        "en": "Absolute: '{word}' can hardly be checked in full",
    },
    {"de": "Prüfen, ob es Ausnahmen gibt, und sie nennen.", "en": "See whether there are exceptions, and name them."},
)
PRON = Rule(
    "PRON",
    pronoun,
    weigh(),
    "info",
    {"de": "Unklarer Bezug: wofür steht '{word}'?", "en": "Unclear reference: what does '{word}' stand for?"},
    {"de": "Das Gemeinte beim Namen nennen.", "en": "Name what is meant."},
)
WEAKVERB = Rule(
    "WEAKVERB",
    weak_verb,
    weigh(),
    "info",
    {"de": "Blasses Verb: '{word}' sagt nicht, was geschieht", "en": "Weak verb: '{word}' does not say what happens"},
    {"de": "Sagen, was das System tut.", "en": "Say what the system does."},
)
