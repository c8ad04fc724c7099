"""Rules about words: vague ones, loopholes, open lists, placeholders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.language.folding import listed
from veracity.requirements.rules.quantities import within
from veracity.requirements.rules.reading import RequirementText
from veracity.requirements.rules.rule import Rule, RuleHit, weigh
from veracity.requirements.rules.vagueness import comparatives, has_reference, is_quality, superlatives, vague_words

_ELLIPSIS = re.compile(r"\.{3,}|…")
_SLOT = re.compile(
    r"<[^\W\d_][^<>\n\x00/=\"]{0,60}>|(?<![\w\[!])\[(?:[^\W\d_][^\[\]\n\x00]{1,60}|[.…?]{1,6})\](?![\[(:])|\?{2,}|(?<!\w)_{3,}(?!\w)"
)
_TAGS = listed(
    "a b br code dd dl dt em h1 h2 h3 hr i img kbd li ol p pre s small span strong sub sup table td th tr u ul"
)
_REFERENCE = re.compile(r"\[[^\[\]\s]*\d[^\[\]\s]*\]")


def vague(reading: RequirementText) -> Iterator[RuleHit]:
    """A vague or subjective word that no quantity explains; what context may excuse counts a third."""
    for word in vague_words(reading):
        if not word.benefit:
            yield RuleHit(word.match.start, word.match.end, word.share)


def benefit_vague(reading: RequirementText) -> Iterator[RuleHit]:
    """A vague word in the clause that only says what the requirement is good for."""
    for word in vague_words(reading):
        if word.benefit:
            yield RuleHit(word.match.start, word.match.end, word.share)


def escape(reading: RequirementText) -> Iterator[RuleHit]:
    """A loophole: a word that lets the system off."""
    for match in reading.find("escape"):
        yield RuleHit(match.start, match.end)


def open_list(reading: RequirementText) -> Iterator[RuleHit]:
    """A list or an alternative that does not end."""
    for match in reading.find("open"):
        yield RuleHit(match.start, match.end)
    slots = tuple(found.span() for found in _SLOT.finditer(reading.shadow))
    for found in _ELLIPSIS.finditer(reading.shadow):
        if not within(found.start(), slots):
            yield RuleHit(found.start(), found.end())


def placeholder(reading: RequirementText) -> Iterator[RuleHit]:
    """Something that is yet to be filled in."""
    slots = tuple(found.span() for found in _SLOT.finditer(reading.shadow) if _is_slot(found[0]))
    for match in reading.find("placeholder"):
        capitals = reading.text[match.start : match.end].isupper()
        if (capitals or not within(match.start, reading.conditions)) and not within(match.start, slots):
            yield RuleHit(match.start, match.end)
    for start, end in slots:
        yield RuleHit(start, end)


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


# --- rules about measures: qualities without a figure, comparisons without a reference, superlatives without a bound


def quality_predicate(reading: RequirementText) -> Iterator[RuleHit]:
    """A sentence that demands nothing but a vague quality: "muss schnell sein"; no number, no standard."""
    told: set[tuple[int, int]] = set()
    places = [
        (word.match.start, word.match.end) for word in vague_words(reading) if word.predicate and not word.benefit
    ]
    for start, end in places:
        sentence = reading.sentence_at(start)
        if sentence not in told and not reading.has_quantity(sentence):
            told.add(sentence)
            yield RuleHit(start, end)


def no_metric(reading: RequirementText) -> Iterator[RuleHit]:
    """A sentence with a quality or a comparison and without a figure."""
    told: set[tuple[int, int]] = set()
    places = [(word.match.start, word.match.end) for word in vague_words(reading) if is_quality(reading, word)]
    places.extend((match.start, match.end) for match in comparatives(reading))
    for start, end in sorted(places):
        sentence = reading.sentence_at(start)
        if sentence not in told and not reading.has_quantity(sentence):
            told.add(sentence)
            yield RuleHit(start, end)


def comparative(reading: RequirementText) -> Iterator[RuleHit]:
    """A comparison that does not say with what."""
    for match in comparatives(reading):
        if not has_reference(reading, match):
            yield RuleHit(match.start, match.end)


def superlative(reading: RequirementText) -> Iterator[RuleHit]:
    """A superlative without a bound."""
    for match in superlatives(reading):
        if not reading.has_quantity(reading.sentence_at(match.start)):
            yield RuleHit(match.start, match.end)


QUALPRED = Rule(
    "QUALPRED",
    quality_predicate,
    weigh(0.25, 0.3, 0.0),
    "warning",
    {
        "de": "Keine Akzeptanzkriterien: nichts sagt, wann '{word}' erfüllt ist",
        "en": "No acceptance criteria: nothing says when '{word}' is met",
    },
    {
        "de": "Beschreiben, was das System wann tut, statt nur, wie es sein soll.",
        "en": "Say what the system does and when, not only what it is like.",
    },
)
NOMETRIC = Rule(
    "NOMETRIC",
    no_metric,
    weigh(0.0, 0.0, 0.55),
    "warning",
    {
        "de": "Fehlende Metriken: keine Zahl mit Einheit zu '{word}'",
        "en": "Missing metrics: no figure with a unit for '{word}'",
    },
    {
        "de": "Messgröße, Grenzwert und Einheit ergänzen (etwa eine Latenz in Sekunden).",
        "en": "Add what is measured, its limit and its unit (such as a latency in seconds).",
    },
)
COMP = Rule(
    "COMP",
    comparative,
    weigh(0.25, 0.25, 0.3),
    "warning",
    {"de": "Vergleich ohne Bezug: '{word}' als was?", "en": "Comparison without a reference: '{word}' than what?"},
    {
        "de": "Nennen, womit verglichen wird, am besten mit einem Wert.",
        "en": "Name what it is compared with, best with a value.",
    },
)
SUP = Rule(
    "SUP",
    superlative,
    weigh(0.15, 0.2, 0.2),
    "warning",
    {"de": "Superlativ ohne Grenze: '{word}'", "en": "Superlative without a bound: '{word}'"},
    {"de": "Durch einen Grenzwert ersetzen.", "en": "Replace it by a limit."},
)
