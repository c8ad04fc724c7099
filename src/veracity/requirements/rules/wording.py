"""Rules about words: vague ones, loopholes, open lists, placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.question.folding import listed
from veracity.requirements.rules.quantities import within
from veracity.requirements.rules.reading import Reading
from veracity.requirements.rules.rule import Hit, Rule, weigh
from veracity.requirements.rules.vagueness import vague_words

_ELLIPSIS = re.compile(r"\.{3,}|…")
_SLOT = re.compile(
    r"<[^\W\d_][^<>\n\x00/=\"]{0,60}>|(?<![\w\[!])\[(?:[^\W\d_][^\[\]\n\x00]{1,60}|[.…?]{1,6})\](?![\[(:])|\?{2,}|(?<!\w)_{3,}(?!\w)"
)
_TAGS = listed(
    "a b br code dd dl dt em h1 h2 h3 hr i img kbd li ol p pre s small span strong sub sup table td th tr u ul"
)
_REFERENCE = re.compile(r"\[[^\[\]\s]*\d[^\[\]\s]*\]")


def vague(reading: Reading) -> Iterator[Hit]:
    """A vague or subjective word that no quantity explains; what context may excuse counts a third."""
    for word in vague_words(reading):
        if not word.benefit:
            yield Hit(word.match.start, word.match.end, word.share)


def benefit_vague(reading: Reading) -> Iterator[Hit]:
    """A vague word in the clause that only says what the requirement is good for."""
    for word in vague_words(reading):
        if word.benefit:
            yield Hit(word.match.start, word.match.end, word.share)


def escape(reading: Reading) -> Iterator[Hit]:
    """A loophole: a word that lets the system off."""
    for match in reading.find("escape"):
        yield Hit(match.start, match.end)


def open_list(reading: Reading) -> Iterator[Hit]:
    """A list or an alternative that does not end."""
    for match in reading.find("open"):
        yield Hit(match.start, match.end)
    slots = tuple(found.span() for found in _SLOT.finditer(reading.shadow))
    for found in _ELLIPSIS.finditer(reading.shadow):
        if not within(found.start(), slots):
            yield Hit(found.start(), found.end())


def placeholder(reading: Reading) -> Iterator[Hit]:
    """Something that is yet to be filled in."""
    slots = tuple(found.span() for found in _SLOT.finditer(reading.shadow) if _is_slot(found[0]))
    for match in reading.find("placeholder"):
        capitals = reading.text[match.start : match.end].isupper()
        if (capitals or not within(match.start, reading.conditions)) and not within(match.start, slots):
            yield Hit(match.start, match.end)
    for start, end in slots:
        yield Hit(start, end)


def _is_slot(written: str) -> bool:
    """Whether something in brackets is to be filled in: no tag of HTML, no id."""
    inside = written.strip("<>[]").split(" ")[0].lower()
    return not (written[0] == "<" and inside in _TAGS) and not _REFERENCE.fullmatch(written)


VAGUE = Rule(
    "VAGUE",
    vague,
    weigh(0.6, 0.3, 0.0),
    "warning",
    {"de": "Schwammige Formulierung: '{word}' ist nicht messbar", "en": "Vague wording: '{word}' cannot be measured"},
    {
        "de": "'{word}' durch eine Angabe ersetzen, die sich prüfen lässt, oder im Glossar festlegen.",
        "en": "Replace '{word}' by something that can be checked, or define it in the glossary.",
    },
)
BENEFITVAGUE = Rule(
    "BENEFITVAGUE",
    benefit_vague,
    weigh(0.1, 0.0, 0.0),
    "info",
    {"de": "Der Nutzen bleibt vage: '{word}'", "en": "The benefit stays vague: '{word}'"},
    {"de": "Sagen, woran der Nutzen zu erkennen ist.", "en": "Say how the benefit would show."},
)
ESCAPE = Rule(
    "ESCAPE",
    escape,
    weigh(0.4, 0.4, 0.1),
    "warning",
    {
        "de": "Hintertür: '{word}' lässt offen, ob die Anforderung gilt",
        "en": "Loophole: '{word}' leaves open whether the requirement holds",
    },
    {
        "de": "'{word}' streichen oder die Bedingung nennen, unter der die Anforderung gilt.",
        "en": "Remove '{word}' or name the condition under which the requirement holds.",
    },
)
OPEN = Rule(
    "OPEN",
    open_list,
    weigh(0.35, 0.4, 0.1),
    "warning",
    {
        "de": "Offene Aufzählung: '{word}' sagt nicht, was alles dazugehört",
        "en": "Open-ended: '{word}' does not say what belongs to it",
    },
    {"de": "Alle Fälle aufzählen oder die Liste begrenzen.", "en": "List every case, or say where the list ends."},
)
TBD = Rule(
    "TBD",
    placeholder,
    weigh(0.6, 0.7, 0.7),
    "error",
    {"de": "Platzhalter: '{word}' ist noch nicht festgelegt", "en": "Placeholder: '{word}' is not decided yet"},
    {"de": "Die fehlende Angabe klären und eintragen.", "en": "Find out what is missing and fill it in."},
)
