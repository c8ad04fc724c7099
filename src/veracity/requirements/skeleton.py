"""A rewrite without a language model: the requirement in a known form, with an open slot wherever it says too little.

findings -> slots     the vague word, the loophole, the placeholder becomes a place to fill in: `[Messgröße für schnell?]`
text     -> form      a user story for qualities and titles; a sentence with a modal verb already has the form of EARS
slot     -> question  what to ask, and answers to choose from
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from veracity.contracts import clip
from veracity.language.number_words import words_in
from veracity.requirements.contracts import Judged, Lang, RequirementFinding
from veracity.requirements.grounded import ROLE, SLOT

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


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of slot in one language; `{word}` is the word that it stands for."""

    label: str
    question: str
    suggested: tuple[str, ...] = ()
    droppable: bool = False


_KINDS: dict[Lang, dict[str, _Kind]] = {
    "de": {
        "role": _Kind("Rolle", "Welche Rolle braucht das?", ("Nutzer", "Administrator")),
        "benefit": _Kind("Nutzen", "Wozu dient das (damit ...)?", ("weglassen",), droppable=True),
        "metric": _Kind("Messgröße für {word}", "Woran wird „{word}“ gemessen, und welcher Grenzwert gilt?"),
        "meaning": _Kind("genauer als {word}", "Was heißt „{word}“ hier genau?"),
        "condition": _Kind("Bedingung statt {word}", "In welchem Fall gilt das, statt „{word}“?", ("immer",)),
        "list": _Kind("Liste statt {word}", "Was gehört noch dazu, statt „{word}“?", ("weglassen",), droppable=True),
        "value": _Kind("Angabe statt {word}", "Was gehört an die Stelle von „{word}“?"),
        "modal": _Kind("Verbindlichkeit statt {word}", "Ist das verbindlich („muss“) oder freigestellt („kann“), statt „{word}“?"),
        "reference": _Kind("als was bei {word}", "Womit wird bei „{word}“ verglichen?", ("als bisher",)),
        "activity": _Kind("Tätigkeit", "Was soll damit geschehen?", ("anzeigen", "erfassen", "ändern", "löschen")),
        "system": _Kind("System", "Welches System oder welcher Teil davon ist gemeint?", ("Das System",)),
        "figure": _Kind("Wert statt {word}", "Welcher Wert gilt statt „{word}“?"),
        "name": _Kind("Name statt {word}", "Was ist statt „{word}“ gemeint?"),
        "rate": _Kind("wie oft statt {word}", "Wie oft, statt „{word}“?"),
        "given": _Kind("Ausgangslage", "Was ist die Ausgangslage?"),
        "trigger": _Kind("Auslöser", "Was löst das aus?"),
    },
    "en": {
        "role": _Kind("role", "Which role needs this?", ("user", "administrator")),
        "benefit": _Kind("benefit", "What is it for (so that ...)?", ("leave it out",), droppable=True),
        "metric": _Kind("metric for {word}", 'How is "{word}" measured, and which limit holds?'),
        "meaning": _Kind("more exact than {word}", 'What exactly does "{word}" mean here?'),
        "condition": _Kind("condition instead of {word}", 'In which case does it hold, instead of "{word}"?', ("always",)),
        "list": _Kind("list instead of {word}", 'What else belongs to it, instead of "{word}"?', ("leave it out",), droppable=True),
        "value": _Kind("value instead of {word}", 'What belongs in the place of "{word}"?'),
        "modal": _Kind("modal instead of {word}", 'Is it binding ("shall") or optional ("may"), instead of "{word}"?', ("shall", "may")),
        "reference": _Kind("than what for {word}", 'What is "{word}" compared with?', ("than today",)),
        "activity": _Kind("activity", "What is to be done with it?", ("show", "enter", "change", "delete")),
        "system": _Kind("system", "Which system or which part of it is meant?", ("The system",)),
        "figure": _Kind("figure instead of {word}", 'Which value holds instead of "{word}"?'),
        "name": _Kind("name instead of {word}", 'What is meant instead of "{word}"?'),
        "rate": _Kind("how often instead of {word}", 'How often, instead of "{word}"?'),
        "given": _Kind("situation", "What is the situation at the start?"),
        "trigger": _Kind("trigger", "What sets it off?"),
    },
}  # fmt: skip
_OTHER: dict[Lang, str] = {
    "de": "Was gehört an die Stelle von „[{word}?]“?",
    "en": 'What belongs in the place of "[{word}?]"?',
}
_SLOT_OF = {
    "VAGUE": "meaning", "ESCAPE": "condition", "OPEN": "list", "TBD": "value", "WEAKMODAL": "modal", "COMP": "reference",
}  # fmt: skip
"""The rules whose findings are places to fill in, and with what."""


def slot_of(kind: str, lang: Lang, word: str = "", *, asked_in: Lang | None = None) -> OpenSlot:
    """The slot of a kind, for a word: written in the language of the text, asked about in the user's."""
    known, word = _KINDS[lang][kind], _plain(word)
    suggested = known.suggested
    if kind == "metric":
        suggested = metric_of(word, lang).suggested
    elif kind == "modal" and lang == "de":
        suggested = ("müssen", "können") if word.casefold().endswith("n") else ("muss", "kann")
    question = _KINDS[asked_in or lang][kind].question.format(word=word)
    return OpenSlot(known.label.format(word=word), question, suggested, known.droppable)


def slot_at(written: str, lang: Lang, *, asked_in: Lang | None = None) -> OpenSlot:
    """The slot that stands in a text, whoever wrote it."""
    label = written.removeprefix("[").removesuffix("?]").strip()
    for kind, known in _KINDS[lang].items():
        head, _, tail = known.label.partition("{word}")
        if label == known.label:
            return slot_of(kind, lang, asked_in=asked_in)
        if head != known.label and label.startswith(head) and label.endswith(tail) and len(label) > len(head):
            return slot_of(kind, lang, label[len(head) :], asked_in=asked_in)
    return OpenSlot(label, _OTHER[asked_in or lang].format(word=label))


def _plain(word: str) -> str:
    """A word that can stand in a slot."""
    return clip(" ".join(re.sub(r"[\[\]?{}]", " ", word).split()), _LONGEST_WORD) or "…"


# --- how qualities are measured


@dataclass(frozen=True, slots=True)
class Metric:
    """How a kind of quality is measured: an example with open figures, and answers to choose from."""

    example: str
    suggested: tuple[str, ...] = ()


_FAMILIES: tuple[tuple[re.Pattern[str], dict[Lang, Metric]], ...] = (
    (
        re.compile(
            r"schnell|rasch|zügig|langsam|performan|flüssig|echtzeit|zeitnah|sofort|umgehend|unverzüglich|"
            r"fast|quick|rapid|slow|responsive|prompt|instant|timely|real.?time|immediate"
        ),
        {
            "de": Metric("Latenz < [Wert?] ms (P95)", ("Antwortzeit < 2 s (P95)", "Seitenladezeit < 3 s (P95)")),
            "en": Metric("latency < [value?] ms (P95)", ("response time < 2 s (P95)", "page load time < 3 s (P95)")),
        },
    ),
    (
        re.compile(r"skalier|scalab|leistungsfähig"),
        {
            "de": Metric("[Wert?] gleichzeitige Nutzer bei gleicher Antwortzeit", ("eine Last von 1.000 gleichzeitigen Nutzern",)),
            "en": Metric("[value?] concurrent users at the same response time", ("a load of 1,000 concurrent users",)),
        },
    ),
    (
        re.compile(r"zuverlässig|verlässlich|stabil|robust|verfügbar|reliab|stable|availab"),
        {
            "de": Metric("Verfügbarkeit ≥ [Wert?] % pro Monat", ("Verfügbarkeit ≥ 99,5 % pro Monat",)),
            "en": Metric("availability ≥ [value?] % per month", ("availability ≥ 99.5 % per month",)),
        },
    ),
    (
        re.compile(r"einfach|leicht|intuitiv|freundlich|bedienbar|verständlich|übersichtlich|easy|easily|simpl|friendly|usab|clear"),
        {
            "de": Metric("[Wert?] % der Testpersonen lösen die Aufgabe ohne Hilfe", ("90 % der Testpersonen lösen die Aufgabe ohne Hilfe",)),
            "en": Metric("[value?] % of the test users do the task without help", ("90 % of the test users do the task without help",)),
        },
    ),
    (
        re.compile(r"sicher|secur|safe"),
        {
            "de": Metric("[Norm oder Schutzziel?]", ("Schutzbedarf nach der Norm des Unternehmens",)),
            "en": Metric("[standard or protection goal?]", ("the company's security standard",)),
        },
    ),
)  # fmt: skip
_ANY: dict[Lang, Metric] = {
    "de": Metric("[Kennzahl?] höchstens [Wert?] [Einheit?]"),
    "en": Metric("[metric?] at most [value?] [unit?]"),
}


def metric_of(word: str, lang: Lang) -> Metric:
    """How the quality that a word names is usually measured."""
    folded = word.casefold()
    return next((known[lang] for pattern, known in _FAMILIES if pattern.search(folded)), _ANY[lang])


# --- the requirement in a form


def sketch(judged: Judged, lang: Lang) -> Wording:
    """The requirement with slots for what it does not say, in a form that can be completed."""
    text = judged.requirement.text
    rules = {finding.rule for finding in judged.findings}
    parts = None if ROLE.search(text) else _quality(text, lang)
    if parts is not None and rules & {"QUALPRED", "NOMETRIC", "VAGUE"}:
        subject, modal, _ = parts
        rest = _slotted(text, judged.findings, lang, metric=True)
        framed = _quality(rest, lang)
        if framed is not None and SLOT.search(framed[2]):
            quality = _whole(parts[2], framed[2], lang)
            return _story(_lowered(subject, lang), quality, lang, plural=modal.casefold().endswith("n"))
    slotted = _slotted(text, judged.findings, lang)
    if judged.requirement.kind == "title" or "FRAGMENT" in rules:
        return _title(_lowered(slotted.rstrip(" .!:"), lang), lang)
    if "NOMODAL" in rules and not ROLE.search(text):
        slotted = f"{slot_of('system', lang).written} {_SHALL[lang]} {slotted}"
    return Wording(slotted, _criteria(slotted, lang))


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


def _quality(text: str, lang: Lang) -> tuple[str, str, str] | None:
    """Subject, modal verb and quality of a sentence that says only how something has to be."""
    match = _QUALITY[lang].fullmatch(text)
    if match is None or _MODAL.search(match["rest"]):
        return None
    return match["subject"], match["modal"], match["rest"]


def _whole(said: str, slotted: str, lang: Lang) -> str:
    """In "easy to upgrade", it is not the ease alone that is measured."""
    slot = SLOT.match(slotted)
    goes_on = slot is not None and slotted[slot.end() :].startswith((" to ", " zu "))
    return slot_of("metric", lang, said).written if goes_on else slotted


def _lowered(subject: str, lang: Lang) -> str:
    """A subject inside a sentence: articles lose their capital, names keep it."""
    first = subject.split(" ", 1)[0]
    return subject[:1].lower() + subject[1:] if first in _LEADING[lang] else subject


def _story(subject: str, quality: str, lang: Lang, *, plural: bool) -> Wording:
    role, why = slot_of("role", lang).written, slot_of("benefit", lang).written
    if lang == "de":
        text = f"Als {role} möchte ich, dass {subject} {quality} {'einhalten' if plural else 'einhält'}, damit {why}."
        outcome = f"{'halten' if plural else 'hält'} {subject} {quality} ein"
    else:
        text = f"As a {role}, I want {subject} to meet {quality}, so that {why}."
        outcome = f"{subject} {'meet' if plural else 'meets'} {quality}"
    return Wording(text, (_given(None, outcome, lang),))


def _title(text: str, lang: Lang) -> Wording:
    role, why, what = (slot_of(kind, lang).written for kind in ("role", "benefit", "activity"))
    if lang == "de":
        return Wording(f"Als {role} möchte ich {text} {what}, damit {why}.")
    return Wording(f"As a {role}, I want to {what} {text}, so that {why}.")


_CONDITION = re.compile(
    r"(?:Wenn|Falls|Sobald|Während|Solange|When|If|While|Once)\s(?P<when>[^,\n]{3,300}),\s?(?:dann |then )?(?P<then>[^\n]{3,2000})",
    re.IGNORECASE,
)


def _criteria(text: str, lang: Lang) -> tuple[str, ...]:
    """A criterion in the words of the requirement; what it does not say stays open."""
    if "\n" in text or len(text) > 600:
        return ()
    match = _CONDITION.fullmatch(text)
    plain = (match["then"] if match else text).rstrip(" .")
    outcome = plain if match else f"gilt: {plain}" if lang == "de" else f"this holds: {plain}"
    return (_given(match["when"] if match else None, outcome, lang),)


def _given(when: str | None, then: str, lang: Lang) -> str:
    given, trigger = slot_of("given", lang).written, when or slot_of("trigger", lang).written
    if lang == "de":
        return f"Angenommen {given}, wenn {trigger}, dann {then}."
    return f"Given {given}, when {trigger}, then {then}."


# --- findings as slots


def _slotted(text: str, findings: Sequence[RequirementFinding], lang: Lang, *, metric: bool = False) -> str:
    """The text with a slot in the place of each finding that says too little."""
    for start, end, kind in reversed(_places(text, findings)):
        word = text[start:end]
        slot = slot_of("metric" if metric and kind == "meaning" else kind, lang, word).written
        put = f"{word} {slot}" if kind == "reference" else slot
        text = f"{text[:start]}{put}{text[end:]}"
    return text


def _places(text: str, findings: Sequence[RequirementFinding]) -> list[tuple[int, int, str]]:
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
