"""Rules about measures: qualities without a figure, comparisons without a reference, superlatives without a bound."""

from __future__ import annotations

from collections.abc import Iterator

from veracity.requirements.rules.reading import Reading
from veracity.requirements.rules.rule import Hit, Rule, weigh
from veracity.requirements.rules.vagueness import comparatives, has_reference, is_quality, superlatives, vague_words


def quality_predicate(reading: Reading) -> Iterator[Hit]:
    """A sentence that demands nothing but a vague quality: "muss schnell sein"; no number, no standard."""
    told: set[tuple[int, int]] = set()
    places = [
        (word.match.start, word.match.end) for word in vague_words(reading) if word.predicate and not word.benefit
    ]
    for start, end in places:
        sentence = reading.sentence_at(start)
        if sentence not in told and not reading.has_quantity(sentence):
            told.add(sentence)
            yield Hit(start, end)


def no_metric(reading: Reading) -> Iterator[Hit]:
    """A sentence with a quality or a comparison and without a figure."""
    told: set[tuple[int, int]] = set()
    places = [(word.match.start, word.match.end) for word in vague_words(reading) if is_quality(reading, word)]
    places.extend((match.start, match.end) for match in comparatives(reading))
    for start, end in sorted(places):
        sentence = reading.sentence_at(start)
        if sentence not in told and not reading.has_quantity(sentence):
            told.add(sentence)
            yield Hit(start, end)


def comparative(reading: Reading) -> Iterator[Hit]:
    """A comparison that does not say with what."""
    for match in comparatives(reading):
        if not has_reference(reading, match):
            yield Hit(match.start, match.end)


def superlative(reading: Reading) -> Iterator[Hit]:
    """A superlative without a bound."""
    for match in superlatives(reading):
        if not reading.has_quantity(reading.sentence_at(match.start)):
            yield Hit(match.start, match.end)


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
