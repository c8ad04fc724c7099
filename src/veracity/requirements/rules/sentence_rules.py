"""Rules about sentences: several requirements in one, hidden actors, lengths, stories without criteria, modal verbs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from veracity.language.folding import listed
from veracity.requirements.rules.kinds import needs
from veracity.requirements.rules.phrases import TextWord
from veracity.requirements.rules.requirement_text import RequirementText
from veracity.requirements.rules.rule import RuleHit
from veracity.requirements.rules.verbs import (
    clause_after,
    is_english_participle,
    is_english_verb,
    is_infinitive,
    is_participle,
)

_MOST_WORDS = 45
_AND = listed("und oder sowie and or")
_BEFORE_NOUNS = listed(
    "der die das den dem des ein eine einen einem einer eines kein keine keinen alle allen mit von aus bei zu fuer ihre ihren "
    "seine seinen diese diesen dieser zwei drei vier sehr in im am an auf zwischen nach ueber unter je jede jeden beiden"
)
_CARRIERS = listed("werden sein koennen lassen duerfen")
_TO_BE = listed("is are was were be been being")
_ADVERBS = listed("not also only always never then automatically already")
_PAUSE = re.compile(r"[.,;:!?]")
_NO_ACTOR = listed("default means hand mistake")


def empty(reading: RequirementText) -> Iterator[RuleHit]:
    """Nothing that could be read."""
    if reading.is_empty:
        yield RuleHit(0, 0)


def too_long(reading: RequirementText) -> Iterator[RuleHit]:
    """More than 45 words, without acceptance criteria."""
    if reading.size > _MOST_WORDS and reading.kind != "gherkin":
        yield RuleHit(*reading.trimmed((0, reading.criteria)))


def no_criteria(reading: RequirementText) -> Iterator[RuleHit]:
    """A user story that does not say when it is done."""
    if needs(reading, "criteria") and reading.criteria == len(reading.text):
        yield RuleHit(*reading.trimmed((0, len(reading.text))))


def several(reading: RequirementText) -> Iterator[RuleHit]:
    """Several requirements in one: a second binding verb, or two things to do joined by "und" or "and"."""
    if reading.kind == "gherkin":
        return
    binding = [modal for modal in reading.binding if _is_asked(reading, modal.start)]
    for modal in binding[1:]:
        yield RuleHit(*modal.span)
    if binding[1:] or not (reading.has_modal or reading.is_story):
        return
    joins = _german_joins if reading.lang == "de" else _english_joins
    for at in joins(reading.words):
        if _is_asked(reading, reading.words[at].start):
            yield RuleHit(reading.words[at - 1].start, reading.words[at + 1].end)


def _is_asked(reading: RequirementText, place: int) -> bool:
    return reading.is_demand(place) and place < reading.criteria


def _german_joins(words: tuple[TextWord, ...]) -> Iterator[int]:
    """Where "speichern und ... anzeigen" or "geprüft und freigegeben werden" joins two verbs."""
    for at in range(2, len(words) - 1):
        if words[at].text in _AND and not words[at - 1].capital:
            following = words[at + 1 : at + 12]
            passive_verbs = is_participle(words[at - 1].text) and _has_form(following, is_participle)
            if passive_verbs or (_is_verb_before(words, at) and _has_form(following, is_infinitive)):
                yield at


def _is_verb_before(words: tuple[TextWord, ...], at: int) -> bool:
    """Whether an infinitive stands before "und"; in "die neuen und alten Daten" an adjective does."""
    one, other = words[at - 1], words[at + 1]
    if not is_infinitive(one.text) or words[at - 2].text in _BEFORE_NOUNS:
        return False
    described = at + 2 < len(words) and words[at + 2].capital
    return not (described and is_infinitive(other.text) and not other.capital)


def _has_form(following: tuple[TextWord, ...], is_form: Callable[[str], bool]) -> bool:
    return any(not word.capital and is_form(word.text) and word.text not in _CARRIERS for word in following)


def _english_joins(words: tuple[TextWord, ...]) -> Iterator[int]:
    """Where "and" or "or" goes on with a verb after a verb: "validate and store the data"."""
    for at in range(2, len(words) - 1):
        after = words[at + 2].text if at + 2 < len(words) else ""
        if words[at].text in _AND and is_english_verb(words[at + 1].text, after):
            yield at


def passive(reading: RequirementText) -> Iterator[RuleHit]:
    """A passive that does not say who acts."""
    if reading.kind == "gherkin":
        return
    places = _german_passives(reading) if reading.lang == "de" else _english_passives(reading)
    for start, end in places:
        if _is_asked(reading, start):
            yield RuleHit(start, end)


def _german_passives(reading: RequirementText) -> Iterator[tuple[int, int]]:
    """Where "muss gespeichert werden" or "wird gespeichert" stands; "Daten, die gespeichert werden" is another clause."""
    words = reading.words
    for at, word in enumerate(words):
        if word.text == "werden" and at and _closes(words[at - 1]):
            clause = _clause_before(reading, at)
            if any(other.start in reading.modal_starts for other in clause) and not _names_actor(clause):
                yield words[at - 1].start, word.end
        elif word.text in ("wird", "werden"):
            clause = clause_after(reading.shadow, words, at)
            if clause and not clause[-1].capital and is_participle(clause[-1].text) and not _names_actor(clause):
                yield clause[-1].start, clause[-1].end


def _closes(word: TextWord) -> bool:
    """Whether a word before "werden" is a participle; there, also one that looks like an infinitive is one."""
    looks_so = word.text.startswith(("be", "er", "ver", "zer", "ent")) and word.text.endswith("en")
    return not word.capital and (is_participle(word.text) or looks_so)


def _clause_before(reading: RequirementText, at: int) -> list[TextWord]:
    """The words before one, back to the last pause."""
    found: list[TextWord] = []
    for place in range(at - 1, max(-1, at - 25), -1):
        word = reading.words[place]
        if _PAUSE.search(reading.shadow, word.end, reading.words[place + 1].start):
            break
        found.append(word)
    return found


def _names_actor(clause: Sequence[TextWord]) -> bool:
    return any(word.text in ("von", "vom", "durch") for word in clause)


def _english_passives(reading: RequirementText) -> Iterator[tuple[int, int]]:
    """Where "shall be stored" stands, or "is stored" in a sentence without a modal verb; beside one, it is another clause."""
    words = reading.words
    for at, word in enumerate(words):
        if word.text not in _TO_BE or (word.text != "be" and _has_modal(reading, word.start)):
            continue
        form = at + 1
        while form < len(words) and (words[form].text in _ADVERBS or words[form].text.endswith("ly")):
            form += 1
        if form < len(words) and is_english_participle(words[form].text) and not _has_english_actor(reading, form):
            yield word.start, words[form].end


def _has_modal(reading: RequirementText, place: int) -> bool:
    start, end = reading.sentence_at(place)
    return any(start <= modal < end for modal in reading.modal_starts)


def _has_english_actor(reading: RequirementText, at: int) -> bool:
    clause = clause_after(reading.shadow, reading.words, at)
    return any(
        one.text == "by" and other.text not in _NO_ACTOR and not other.text.endswith("ing")
        for one, other in pairwise(clause)
    )


# --- modal verbs: what binds, what only might, and what is forbidden

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
            yield RuleHit(*modal.span)
            return


def no_modal(reading: RequirementText) -> Iterator[RuleHit]:
    """A requirement without a modal verb; a project may write in the present tense."""
    if reading.is_empty or reading.has_modal or reading.kind in (*_WITHOUT_MODAL, "title"):
        return
    if reading.settings.present_tense_ok:
        return
    yield RuleHit(*reading.trimmed(reading.sentences[0]))


def negation(reading: RequirementText) -> Iterator[RuleHit]:
    """A modal verb that is negated; a "nicht" or "not" elsewhere does not count."""
    for modal in sorted((*reading.binding, *reading.weak_anywhere), key=lambda match: match.start):
        if not reading.is_demand(modal.start):
            continue
        if reading.words[modal.first].text == "cannot":
            yield RuleHit(*modal.span)
            continue
        following = clause_after(reading.shadow, reading.words, modal.last)[: _REACH[reading.lang]]
        denied = next((word for word in following if word.text in _NOT[reading.lang]), None)
        if denied is not None:
            yield RuleHit(modal.start, denied.end)
