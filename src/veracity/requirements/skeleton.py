"""A rewrite without a language model: the requirement in a known form, with an open slot wherever it says too little.

findings -> slots     the vague word, the loophole, the placeholder becomes a place to fill in: `[Messgröße für schnell?]`
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
from veracity.requirements.contracts import Judged, Lang, RequirementFinding
from veracity.requirements.grounded import ROLE, SLOT
from veracity.yaml_file import packaged

_TEXTS = Path(__file__).with_name("rewriting.yaml")
_LONGEST_WORD = 40


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

    @property
    def written(self) -> str:
        """As it stands in a text."""
        return f"[{self.label}?]"


def rewriting_texts(section: str) -> Any:
    """A section of `rewriting.yaml`."""
    return packaged(_TEXTS)[section]


_SLOT_OF = {
    "VAGUE": "meaning", "ESCAPE": "condition", "OPEN": "list", "TBD": "value", "WEAKMODAL": "modal", "COMP": "reference",
}  # fmt: skip
"""The rules whose findings are places to fill in, and with what."""


def slot_of(kind: str, lang: Lang, word: str = "", *, asked_in: Lang | None = None) -> OpenSlot:
    """The slot of a kind, for a word: written in the language of the text, asked about in the user's."""
    by_language, word = rewriting_texts("slots")[kind], _for_a_slot(word)
    known = by_language[lang]
    suggested = tuple(known.get("suggested", ()))
    if kind == "metric":
        suggested = metric_of(word, lang).suggested
    elif kind == "modal" and lang == "de":
        suggested = ("müssen", "können") if word.casefold().endswith("n") else ("muss", "kann")
    question = by_language[asked_in or lang]["question"].format(word=word)
    return OpenSlot(known["label"].format(word=word), question, suggested, kind in rewriting_texts("droppable"))


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
    rules = {finding.rule for finding in judged.findings}
    parts = None if ROLE.search(text) else _quality_sentence(text, lang)
    if parts is not None and rules & {"QUALPRED", "NOMETRIC", "VAGUE"}:
        subject, modal, _ = parts
        rest = _slotted(text, judged.findings, lang, metric=True)
        framed = _quality_sentence(rest, lang)
        if framed is not None and SLOT.search(framed[2]):
            quality = _measured_whole(parts[2], framed[2], lang)
            return _quality_story(_lowered(subject, lang), quality, lang, plural=modal.casefold().endswith("n"))
    slotted = _slotted(text, judged.findings, lang)
    if judged.requirement.kind == "title" or "FRAGMENT" in rules:
        return _title_story(_lowered(slotted.rstrip(" .!:"), lang), lang)
    if "NOMODAL" in rules and not ROLE.search(text):
        slotted = f"{slot_of('system', lang).written} {_SHALL[lang]} {slotted}"
    return Wording(slotted, _criteria_of(slotted, lang))


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
    return match["subject"], match["modal"], match["rest"]


def _measured_whole(said: str, slotted: str, lang: Lang) -> str:
    """The slot for the whole quality where it goes on: of "easy to upgrade" not only "easy" is measured."""
    slot = SLOT.match(slotted)
    goes_on = slot is not None and slotted[slot.end() :].startswith((" to ", " zu "))
    return slot_of("metric", lang, said).written if goes_on else slotted


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


def _title_story(text: str, lang: Lang) -> Wording:
    role, why, what = (slot_of(kind, lang).written for kind in ("role", "benefit", "activity"))
    if lang == "de":
        return Wording(f"Als {role} möchte ich {text} {what}, damit {why}.")
    return Wording(f"As a {role}, I want to {what} {text}, so that {why}.")


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
    for start, end, kind in reversed(_slot_places(text, findings)):
        word = text[start:end]
        slot = slot_of("metric" if metric and kind == "meaning" else kind, lang, word).written
        put = f"{word} {slot}" if kind == "reference" else slot
        text = f"{text[:start]}{put}{text[end:]}"
    return text


def _slot_places(text: str, findings: Sequence[RequirementFinding]) -> list[tuple[int, int, str]]:
    """Where slots go, in order; neighbours become one, and of two at the same place the first stays. "Cannot" says what holds."""
    wanted = sorted(
        (*finding.span, _SLOT_OF[finding.rule])
        for finding in findings
        if finding.rule in _SLOT_OF and finding.severity != "info" and not finding.text.casefold().endswith("not")
    )
    places: list[tuple[int, int, str]] = []
    for start, end, kind in wanted:
        if not 0 <= start < end <= len(text):
            continue
        if places and start < places[-1][1]:
            continue
        # The point of an abbreviation goes with it, unless it also ends the sentence.
        point = re.match(r"\.(?=\s{0,2}[a-zäöüß,])", text[end : end + 4])
        to = end + 1 if point else end
        if places and kind == places[-1][2] and not text[places[-1][1] : start].strip():
            places[-1] = (places[-1][0], to, kind)
        else:
            places.append((start, to, kind))
    return places
