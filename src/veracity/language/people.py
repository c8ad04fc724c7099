"""Words for people: customers, doctors, authors."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from veracity.language.folding import words_in
from veracity.language.stem import noun_root
from veracity.yaml_file import packaged


def means_people(name: str, lang: str | None = None) -> bool:
    """Whether what something is called in a language, or in any, ends in a word for people: a Kind is a child, a kind is none."""
    return tuple(map(noun_root, words_in(name)))[-1:] in _people(lang)


@cache
def _people(lang: str | None) -> frozenset[tuple[str, ...]]:
    table = packaged(Path(__file__).with_name("people.yaml"))
    lists = table.values() if lang is None else [table.get(lang, ())]
    return frozenset(tuple(map(noun_root, words_in(str(word)))) for words in lists for word in words)
