"""Words for people: customers, doctors, authors."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from veracity.language.folding import words_in
from veracity.language.stem import noun_root
from veracity.yaml_file import packaged


def means_people(name: str) -> bool:
    """Whether what something is called ends in a word for people, in any language."""
    return tuple(map(noun_root, words_in(name)))[-1:] in _people()


@cache
def _people() -> frozenset[tuple[str, ...]]:
    table = packaged(Path(__file__).with_name("people.yaml"))
    return frozenset(tuple(map(noun_root, words_in(str(word)))) for words in table.values() for word in words)
