"""English nouns of business data with their German and Chinese ones: for drafts, and for questions in another language than the names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from veracity.language.folding import words_in
from veracity.language.stem import noun_root
from veracity.yaml_file import packaged


@cache
def dictionary() -> Mapping[str, Mapping[str, Any]]:
    """English nouns -> their German and Chinese ones."""
    found: Mapping[str, Mapping[str, Any]] = packaged(Path(__file__).with_name("dictionary.yaml"))
    return found


@cache
def words_for_kinds() -> Sequence[Mapping[str, Sequence[str]]]:
    """What kinds, reasons and accounts are called in each language, which are no nouns of the dictionary."""
    found: Sequence[Mapping[str, Sequence[str]]] = packaged(Path(__file__).with_name("kinds.yaml"))
    return found


@cache
def words_of_kind() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """A kind or a state in words without their endings -> what it is called in every language: active, aktiv, 活跃."""
    entries = [tuple(word for words in entry.values() for word in words) for entry in words_for_kinds()]
    return {tuple(map(noun_root, words_in(word))): entry for entry in entries for word in entry}


def german_forms(entry: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The German nouns of an entry, each in singular and plural."""
    words = entry["de"]
    return tuple(zip(words[::2], words[1::2], strict=True))


def chinese_words(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The Chinese words of an entry."""
    said = entry["zh"]
    return (said,) if isinstance(said, str) else tuple(said)
