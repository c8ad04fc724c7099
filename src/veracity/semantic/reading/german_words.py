"""What small letters and endings tell in German: schwere accidents are of the value schwer, not a field called Schwere; noch is not always nor."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from veracity.language.folding import folded_text
from veracity.semantic.graph import SemanticModel, is_to_one
from veracity.semantic.reading.phrases import Attribute, RowsPhrase
from veracity.semantic.reading.said_phrases import Phrase
from veracity.semantic.reading.word_lists import Key, operators

Home = tuple[str, str, str | int]
"""Entity, field and value."""
_ENDINGS = ("em", "er", "es", "en", "e")
_SHORTEST = 3


def inflected_values(
    stored: Mapping[Key, Sequence[Home]], texts: Sequence[str], written: Sequence[str]
) -> Iterator[tuple[int, Sequence[Home]]]:
    """Where adjectives stand in small letters whose plain form is stored, with the values: in schlechtem Zustand."""
    for place, word in enumerate(texts):
        if not written[place][:1].islower():
            continue
        stems = (word.removesuffix(ending) for ending in _ENDINGS if word.endswith(ending))
        homes = next((stored[(stem,)] for stem in stems if len(stem) >= _SHORTEST and (stem,) in stored), ())
        if homes:
            yield place, homes


def rows_told_of(named: Sequence[Phrase], model: SemanticModel) -> set[str]:
    """The entities whose values may stand before a word in a compound: its own rows, and those that what it adds up belongs to."""
    rows = {one.entity for one in named if isinstance(one, RowsPhrase)}
    for one in named:
        if isinstance(one, Attribute) and model.things[one.entity].fields[one.field].can_be_added:
            rows |= {name for name in model.things if any(map(is_to_one, model.ways(one.entity, name)))}
    return rows


def value_before(first: str, entities: Collection[str], stored: Mapping[Key, Sequence[Home]]) -> str:
    """The stored value that the first part of a compound is, of the rows that its second part names, or that what it adds up belongs to: Einzel|zimmer, Strom|verbrauch."""
    stems = (first, f"{first}e", *(first.removesuffix(joint) for joint in ("s", "n", "en") if first.endswith(joint)))
    for stem in stems:
        if len(stem) >= _SHORTEST and any(home[0] in entities for home in stored.get((stem,), ())):
            return stem
    return ""


def without_meaning(texts: Sequence[str]) -> frozenset[int]:
    """Words that say nothing here: noch without weder (noch hängig), and fallen of anfallen."""
    lists = operators("de")
    lone = set(lists["nor"]) if not set(texts) & set(lists["neither"]) else set()
    falling = set(map(folded_text, lists["accrues"])) if texts[-1:] and texts[-1] in lists["accrues_with"] else set()
    return frozenset(place for place, text in enumerate(texts) if text in lone | falling)
