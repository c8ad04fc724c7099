"""Rules about modal verbs: what binds, what only might, and what is forbidden."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.question.folding import listed
from veracity.requirements.rules.modals import clause_after
from veracity.requirements.rules.reading import Reading
from veracity.requirements.rules.rule import Hit, Rule, weigh

_WITHOUT_MODAL = ("user_story", "gherkin")
_NOT = {
    "de": listed("nicht nie niemals kein keine keinen keinem keiner keines keinesfalls"),
    "en": listed("not never no"),
}
_REACH = {"de": 8, "en": 4}


def weak_modal(reading: Reading) -> Iterator[Hit]:
    """A requirement whose only modal verb does not bind."""
    if reading.kind in _WITHOUT_MODAL or any(reading.is_demand(modal.start) for modal in reading.binding):
        return
    for modal in reading.weak_anywhere:
        if reading.is_demand(modal.start):
            yield Hit(modal.start, modal.end)
            return


def no_modal(reading: Reading) -> Iterator[Hit]:
    """A requirement without a modal verb; a project may write in the present tense."""
    if reading.is_empty or reading.has_modal or reading.kind in _WITHOUT_MODAL:
        return
    if reading.settings.present_tense_ok and reading.kind != "title":
        return
    yield Hit(*reading.trimmed(reading.sentences[0]))


def negation(reading: Reading) -> Iterator[Hit]:
    """A modal verb that is negated; a plain "nicht" or "not" elsewhere is none of its business."""
    for modal in sorted((*reading.binding, *reading.weak_anywhere), key=lambda match: match.start):
        if not reading.is_demand(modal.start):
            continue
        if reading.words[modal.first].text == "cannot":
            yield Hit(modal.start, modal.end)
            continue
        following = clause_after(reading.shadow, reading.words, modal.last)[: _REACH[reading.lang]]
        denied = next((word for word in following if word.text in _NOT[reading.lang]), None)
        if denied is not None:
            yield Hit(modal.start, denied.end)


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
