"""The nouns of names in the dictionary: in other languages, as parts of compounds, and which language a name is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from veracity.language.dictionary import chinese_words, dictionary, german_forms
from veracity.language.folding import folded_text
from veracity.language.people import means_people
from veracity.ontology.draft.names import singular, words_for

_MOST_PARTS = 3
_SHORTEST_PART = 4
Words = dict[str, tuple[str, ...]]


@cache
def english_nouns() -> Mapping[str, str]:
    """German nouns, folded -> the English entry; where two share one, the first, and before it one whose label it is."""
    found: dict[str, str] = {}
    for labels in (True, False):
        for english, entry in dictionary().items():
            pairs = german_forms(entry)
            for form in (form for pair in (pairs[:1] if labels else pairs[1:]) for form in pair):
                found.setdefault(folded_text(form).replace(" ", ""), english)
    return found


@cache
def further_english() -> Mapping[str, str]:
    """Further English words -> their entry, where one entry only has them and none is called so."""
    found: dict[str, list[str]] = {}
    for english, entry in dictionary().items():
        for word in entry.get("en", ()):
            found.setdefault(str(word), []).append(english)
    return {word: homes[0] for word, homes in found.items() if len(homes) == 1 and word not in dictionary()}


@cache
def english_of_chinese() -> Mapping[str, str]:
    """Chinese nouns -> the English entry, where one only has them; before others one whose label it is."""
    found: dict[str, list[str]] = {}
    for english, entry in dictionary().items():
        for place, word in enumerate(chinese_words(entry)):
            found.setdefault(word, []).insert(0 if not place else len(found[word]), english)
    return {word: homes[0] for word, homes in found.items() if len(homes) == 1}


@cache
def _called_the_same() -> Mapping[str, tuple[str, ...]]:
    """English nouns -> the others that the dictionary calls the same in the other languages, or that have it among their words."""
    labels: dict[tuple[Any, ...], list[str]] = {}
    found: dict[str, dict[str, None]] = {}
    for english, entry in dictionary().items():
        labels.setdefault((german_forms(entry)[0], chinese_words(entry)[0]), []).append(english)
        for word in entry.get("en", ()):
            found.setdefault(str(word), {})[english] = None
    for alike in labels.values():
        for english in alike:
            found.setdefault(english, {}).update(dict.fromkeys(alike))
    order = {english: place for place, english in enumerate(dictionary())}
    return {
        english: tuple(sorted((other for other in others if other != english), key=order.__getitem__))
        for english, others in found.items()
    }


def translated(english: str, said_as: str) -> tuple[dict[str, str], Words]:
    """The label and the other words of an entry; in German the word of the name itself comes first."""
    entry = dictionary()[english]
    pairs, chinese = german_forms(entry), chinese_words(entry)
    said = said_as.replace(" ", "")
    own = next((pair for pair in pairs if said in map(folded_text, pair)), pairs[0])
    label = own[1] if said == folded_text(own[1]) else own[0]  # a column called seiten
    labels = {"en": english, "de": label, "zh": chinese[0]}
    several = label != own[0] or (own[0] == own[1] and means_people(label, "de"))
    counted = (f"{label}zahl",) if several else ()  # Seitenzahl, Zuschauerzahl
    others = tuple(word for pair in (own, counted, *pairs) for word in pair if word != label)
    synonyms = {"de": others, "zh": chinese[1:], "en": (*entry.get("en", ()), *_called_the_same()[english])}
    return labels, {lang: tuple(dict.fromkeys(words)) for lang, words in synonyms.items() if words}


def known_parts(words: str) -> tuple[str, ...]:
    """The words of an English name, where there are several and the dictionary has them all."""
    parts = tuple(word if word in dictionary() else singular(word) for word in words.split())
    return parts if 1 < len(parts) <= _MOST_PARTS and all(part in dictionary() for part in parts) else ()


def rate_parts(words: str) -> Words:
    """Preis pro Nacht, price per night: two nouns of the dictionary with a word for `per` between them."""
    first, _, rest = words.partition(" ")
    word, _, last = rest.partition(" ")
    nouns = [one if one in dictionary() else english_nouns().get(one, singular(one)) for one in (first, last)]
    if word not in ("per", "pro", "je") or any(one not in dictionary() for one in nouns):
        return {}
    (one, _), (other, _) = (german_forms(dictionary()[noun])[0] for noun in nouns)
    chinese = [chinese_words(dictionary()[noun])[0] for noun in nouns]
    return {
        "en": (f"{nouns[0]} per {nouns[1]}",),
        "de": (f"{one} pro {other}",),
        "zh": (f"每{chinese[1]}{chinese[0]}",),
    }


@cache
def compound_parts(word: str) -> tuple[str, ...]:
    """The English words of a German compound of two nouns that the dictionary has; nothing where it may be cut in two ways."""
    known, found = english_nouns(), set[tuple[str, str]]()
    for place in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
        first, last = word[:place].rstrip(" "), word[place:].lstrip(" ")
        stems = (first, *(first.removesuffix(joint) for joint in ("s", "n", "en", "es") if first.endswith(joint)))
        noun = next((known[stem] for stem in stems if stem in known), None)
        if noun is not None and last in known:
            found.add((noun, known[last]))
    return found.pop() if len(found) == 1 else ()


def german_compounds(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What German may call something that English calls by two nouns: Stationsname, Probendatum."""
    if len(entries) != 2:
        return
    (one, several), (head, heads) = (german_forms(entry)[0] for entry in entries)
    for first in dict.fromkeys((one, f"{one}s", several)):
        yield from (f"{first}{last.lower()}" for last in dict.fromkeys((head, heads)))


def is_unmistakably_german(words: Sequence[str]) -> bool:
    """Whether a name has a word that is German and not English."""
    return any(_is_german(word) and len(word) > 4 and not _is_english(word) for word in words)


def _is_english(word: str) -> bool:
    return word in dictionary() or (
        singular(word) in dictionary() and (word.endswith("s") or word not in english_nouns())
    )


@cache
def _is_german(words: str) -> bool:
    """Whether a name ends in a German word of ours."""
    last = words.rpartition(" ")[2]
    if last in dictionary() or last in words_for("both_languages"):
        return False
    return last.endswith(_german_endings())


@cache
def _german_endings() -> tuple[str, ...]:
    german = {word for word in english_nouns() if len(word) > 4 and word not in dictionary()}
    return (*german, "betrag", "menge", "anzahl", "nummer", "datum", "preis", "nr")
