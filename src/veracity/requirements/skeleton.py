"""A rewrite without a language model: the requirement in a known form, with an open slot wherever it says too little.

findings -> slots     the vague word, the loophole, the placeholder becomes a place to fill in: `[Messgrösse für schnell?]`
text     -> form      a user story for qualities and titles; a sentence with a modal verb already has the form of EARS
slot     -> question  what to ask, and answers to choose from
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from veracity.contracts import clip
from veracity.language.number_words import words_in
from veracity.language.stem import stem_of
from veracity.requirements.contracts import Judged, Lang, RequirementFinding
from veracity.requirements.grounded import ROLE, SLOT
from veracity.requirements.rules.parts import hollow_stems
from veracity.requirements.rules.phrases import words_in as text_words
from veracity.requirements.rules.verbs import is_english_participle, is_english_verb, is_infinitive
from veracity.requirements.slot_places import joined_phrases, slot_places
from veracity.yaml_file import packaged

_TEXTS = Path(__file__).with_name("rewriting.yaml")
_LONGEST_WORD = 55


@dataclass(frozen=True, slots=True)
class Wording:
    """The text of a rewrite and its acceptance criteria."""

    text: str
    criteria: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """A place to fill in."""

    label: str
    question: str
    suggested: tuple[str, ...] = ()
    droppable: bool = False
    """Whether the requirement also stands without it."""
    kind: str = ""
    """Its name in `rewriting.yaml`; empty where somebody else wrote it."""

    @property
    def written(self) -> str:
        """As it stands in a text."""
        return f"[{self.label}?]"


def rewriting_texts(section: str) -> Any:
    """A section of `rewriting.yaml`."""
    return packaged(_TEXTS)[section]


def slot_of(kind: str, lang: Lang, word: str = "", *, asked_in: Lang | None = None) -> OpenSlot:
    """The slot of a kind, for a word: written in the language of the text, asked about in the user's."""
    by_language, word = rewriting_texts("slots")[kind], _for_a_slot(word)
    known = by_language[lang]
    suggested = tuple(known.get("suggested", ()))
    if kind == "metric":
        suggested = metric_of(word, lang).suggested
    elif kind == "modal" and lang == "de":
        suggested = ("müssen", "können") if word.casefold().endswith("en") else ("muss", "kann")
    question = by_language[asked_in or lang]["question"].format(word=word)
    return OpenSlot(known["label"].format(word=word), question, suggested, kind in rewriting_texts("droppable"), kind)


def slot_at(written: str, lang: Lang, *, asked_in: Lang | None = None) -> OpenSlot:
    """The slot that stands in a text, whoever wrote it."""
    label = written.removeprefix("[").removesuffix("?]").strip()
    for kind, by_language in rewriting_texts("slots").items():
        known = by_language[lang]["label"]
        head, _, tail = known.partition("{word}")
        if label == known:
            return slot_of(kind, lang, asked_in=asked_in)
        if head != known and label.startswith(head) and label.endswith(tail) and len(label) > len(head):
            return slot_of(kind, lang, label[len(head) :], asked_in=asked_in)
    return OpenSlot(label, rewriting_texts("other_slot")[asked_in or lang].format(word=label))


def _for_a_slot(word: str) -> str:
    """A word that can stand in a slot."""
    return clip(" ".join(re.sub(r"[\[\]?{}]", " ", word).split()), _LONGEST_WORD) or "…"


# --- how qualities are measured


@dataclass(frozen=True, slots=True)
class Metric:
    """How a kind of quality is measured: an example with open figures, and answers to choose from."""

    example: str
    suggested: tuple[str, ...] = ()


def metric_of(word: str, lang: Lang) -> Metric:
    """How the quality that a word names is usually measured."""
    folded = word.casefold()
    known = next(one[lang] for one in rewriting_texts("metrics") if re.search(one["words"], folded))
    return Metric(known["example"], tuple(known.get("suggested", ())))


# --- the requirement in a form


def skeleton_of(judged: Judged, lang: Lang) -> Wording:
    """The requirement with slots for what it does not say, in a form that can be completed."""
    text = judged.requirement.text
    rules = {finding.rule for finding in judged.findings if finding.severity != "info"}
    parts = None if ROLE.search(text) else _quality_sentence(text, lang)
    if parts is not None and "WEAKMODAL" not in rules and _is_about(judged.findings, text.rfind(parts[2])):
        return _quality_wording(text, judged.findings, parts, lang)
    if "FRAGMENT" in rules:
        return _fragment_wording(text, judged.findings, lang)
    slotted = _slotted(text, judged.findings, lang)
    if "NOACTOR" in rules:
        slotted = f"{slot_of('system', lang).written} {slotted[:1].lower()}{slotted[1:]}"
    if any(finding.rule == "NOMODAL" for finding in judged.findings) and not ROLE.search(text):
        slotted = f"{slot_of('system', lang).written} {_SHALL[lang]} {slotted}"
    return Wording(slotted, _criteria_of(slotted, lang))


def _is_about(findings: Sequence[RequirementFinding], demanded: int) -> bool:
    """Whether what is demanded is vague or has no limit, and not only a word before it: "eine gute Dokumentation"."""
    return any(one.rule in ("QUALPRED", "NOMETRIC", "VAGUE") and one.span[0] >= demanded for one in findings)


def _quality_wording(
    text: str, findings: Sequence[RequirementFinding], parts: tuple[str, str, str], lang: Lang
) -> Wording:
    """A quality as something that can be measured: a user story, or the sentence itself where its subject has no article that is known."""
    subject, modal, rest = parts
    framed = _quality_sentence(_slotted(text, findings, lang, metric=True), lang)
    whole = slot_of("metric", lang, rest).written
    quality = framed[2] if framed is not None and _ONLY_SLOTS.fullmatch(framed[2]) else whole
    plural = modal.casefold().endswith("en") or (lang == "en" and _is_plural(subject))
    named = _with_article(subject, lang)
    if named is not None:
        return _quality_story(named, quality, lang, plural=plural)
    said = f"{subject} {modal} {quality} einhalten." if lang == "de" else f"{subject} {modal} meet {quality}."
    return Wording(said, _criteria_of(said, lang))


def _with_article(subject: str, lang: Lang) -> str | None:
    """A subject inside a sentence, with its article; None where it has none and nobody knows which."""
    if subject.split(" ", 1)[0] in _LEADING[lang]:
        return _lowered(subject, lang)
    for article, nouns in rewriting_texts("articles")[lang].items():
        if subject in nouns.split():
            return f"{article} {subject if lang == 'de' or subject.isupper() else subject.lower()}"
    return None


_ONLY_SLOTS = re.compile(rf"{SLOT.pattern}(?:(?:, | und | and | sowie | oder | or ){SLOT.pattern})*")


def _is_plural(subject: str) -> bool:
    """Whether an English subject takes a verb without "s": "the results"; "the process" does not."""
    head = re.split(r" (?:of|for|in|on|from|to|with|at|by) ", subject)[0].rsplit(" ", 1)[-1]
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


_SHALL: dict[Lang, str] = {"de": "muss Folgendes leisten:", "en": "shall do the following:"}
_QUALITY: dict[Lang, re.Pattern[str]] = {
    "de": re.compile(
        r"(?P<subject>[^.;:!?,\n]{2,160}?)\s(?P<modal>muss|müssen|soll|sollen|sollte|sollten|kann|können)\s"
        r"(?P<rest>[^.;:!,\n]{1,300}?)\s(?:sein|bleiben)\s?[.!]?",
        re.IGNORECASE,
    ),
    "en": re.compile(
        r"(?P<subject>[^.;:!?,\n]{2,160}?)\s(?P<modal>must|shall|should|has to|have to|needs to|need to|will|can|may)\s"
        r"(?:be|remain|stay)\s(?P<rest>[^.;:!,\n]{1,300}?)\s?[.!]?",
        re.IGNORECASE,
    ),
}
_MODAL = re.compile(r"\b(?:muss|müssen|soll|sollen|must|shall|should)\b", re.IGNORECASE)
_LEADING: dict[Lang, frozenset[str]] = {
    "de": frozenset(
        words_in("Der Die Das Den Ein Eine Jede Jeder Jedes Alle Unser Unsere Diese Dieser Dieses Sämtliche Beide")
    ),
    "en": frozenset(words_in("The A An Our All Each Every Any This These Both")),
}


def _quality_sentence(text: str, lang: Lang) -> tuple[str, str, str] | None:
    """Subject, modal verb and quality of a sentence that says only how something has to be."""
    match = _QUALITY[lang].fullmatch(text)
    if match is None or _MODAL.search(match["rest"]):
        return None
    # "must be completed in a reasonable time" says what is done, not how something is.
    if lang == "en" and any(is_english_participle(word.text) for word in text_words(match["rest"])[:2]):
        return None
    return match["subject"], match["modal"], match["rest"]


def _lowered(subject: str, lang: Lang) -> str:
    """A subject inside a sentence: articles lose their capital, names keep it."""
    first = subject.split(" ", 1)[0]
    return subject[:1].lower() + subject[1:] if first in _LEADING[lang] else subject


def _quality_story(subject: str, quality: str, lang: Lang, *, plural: bool) -> Wording:
    role, why = slot_of("role", lang).written, slot_of("benefit", lang).written
    if lang == "de":
        text = f"Als {role} möchte ich, dass {subject} {quality} {'einhalten' if plural else 'einhält'}, damit {why}."
        outcome = f"{'halten' if plural else 'hält'} {subject} {quality} ein"
    else:
        text = f"As a {role}, I want {subject} to meet {quality}, so that {why}."
        outcome = f"{subject} {'meet' if plural else 'meets'} {quality}"
    return Wording(text, (_criterion(None, outcome, lang),))


def _fragment_wording(text: str, findings: Sequence[RequirementFinding], lang: Lang) -> Wording:
    """A title as a user story; a condition or a sentence that breaks off with what is missing."""
    plain = text.strip().rstrip(" .!:,")
    system, what = slot_of("system", lang).written, slot_of("activity", lang).written
    if _BREAKS_OFF.search(plain):
        return Wording(f"{plain} {what}.")
    if _BEGINS_CONDITION.match(plain):
        shall = f"muss {system}" if lang == "de" else f"{system} shall"
        return Wording(f"{plain[:1].upper()}{plain[1:]}, {shall} {what}.")
    slotted = _slotted(text, findings, lang).strip().rstrip(" .!:,")
    return _title_story(_as_part(slotted, lang), lang)


_BREAKS_OFF = re.compile(r"\b(?:muss|müssen|soll|sollen|must|shall|should|will|can)$", re.IGNORECASE)
_BEGINS_CONDITION = re.compile(r"(?:wenn|falls|sobald|solange|während|when|if|while|once|whenever)\b", re.IGNORECASE)
_NAMED = re.compile(r"\w*(?:s|tion|ment|ing|ance|ence|ity|ness|ship|in|ord|er)", re.ASCII)


def _as_part(title: str, lang: Lang) -> str:
    """A title inside a sentence: what is surely no name loses its capital."""
    first = title.split(" ", 1)[0]
    known = _NAMED.fullmatch(first.lower()) or stem_of(first.lower(), "en") in hollow_stems("en")
    common = lang == "en" and first[1:].islower() and (known or _is_task(title, lang))
    return title[:1].lower() + title[1:] if common else _lowered(title, lang)


def _is_task(title: str, lang: Lang) -> bool:
    """Whether a title says what is done: "Export lists", "Listen exportieren"."""
    words = text_words(title)
    if not words:
        return False
    if lang == "de":
        return len(words) > 1 and any(not word.capital and is_infinitive(word.text) for word in words[1:])
    return len(words) > 1 and is_english_verb(words[0].text, words[1].text)


def _title_story(text: str, lang: Lang) -> Wording:
    role, why, what = (slot_of(kind, lang).written for kind in ("role", "benefit", "activity"))
    task = _is_task(text, lang)
    if lang == "de":
        return Wording(f"Als {role} möchte ich {text if task else f'{text} {what}'}, damit {why}.")
    return Wording(f"As a {role}, I want to {text if task else f'{what} {text}'}, so that {why}.")


_CONDITION = re.compile(
    r"(?:Wenn|Falls|Sobald|Während|Solange|When|If|While|Once)\s(?P<when>[^,\n]{3,300}),\s?(?:dann |then )?(?P<then>[^\n]{3,2000})",
    re.IGNORECASE,
)


def _criteria_of(text: str, lang: Lang) -> tuple[str, ...]:
    """A criterion in the words of the requirement; what it does not say stays open."""
    if "\n" in text or len(text) > 600:
        return ()
    match = _CONDITION.fullmatch(text)
    plain = (match["then"] if match else text).rstrip(" .")
    outcome = plain if match else f"gilt: {plain}" if lang == "de" else f"this holds: {plain}"
    return (_criterion(match["when"] if match else None, outcome, lang),)


def _criterion(when: str | None, then: str, lang: Lang) -> str:
    given, trigger = slot_of("given", lang).written, when or slot_of("trigger", lang).written
    if lang == "de":
        return f"Angenommen {given}, wenn {trigger}, dann {then}."
    return f"Given {given}, when {trigger}, then {then}."


# --- findings as slots


def _slotted(text: str, findings: Sequence[RequirementFinding], lang: Lang, *, metric: bool = False) -> str:
    """The text with a slot in the place of each finding that says too little."""
    places = slot_places(text, findings, lang)
    for place in reversed(places if metric else joined_phrases(text, places)):
        kind = "metric" if metric and place.kind == "meaning" else place.kind
        slot = slot_of(kind, lang, place.word).written
        space = " " if place.start == place.end else ""
        text = f"{text[: place.start]}{space}{slot}{text[place.end :]}"
    return text
