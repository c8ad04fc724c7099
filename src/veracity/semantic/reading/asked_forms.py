"""What readers of ways of asking share: how they read a question again, patterns with their lists written out, and what the data calls things."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from veracity.language.locale import pick
from veracity.language.nearest import words_of
from veracity.semantic.query import SemanticQuery

Read = Callable[[str], Sequence[SemanticQuery]]
"""Reads a question."""
Knows = Callable[[str], bool]
"""Whether the data has a word."""
_LIST = re.compile(r"<(\w+)>")


def written_out(pattern: str, lists: Mapping[str, str]) -> re.Pattern[str]:
    """A pattern in which <name> stands for what the list of this name holds."""
    while _LIST.search(pattern):
        pattern = _LIST.sub(lambda place: f"(?:{lists[place[1]]})", pattern)
    return re.compile(pattern, re.IGNORECASE)


def called(label: Mapping[str, str], name: str, lang: str) -> str:
    """What something is called in a language: its label, else its name cut into words."""
    return pick(label, lang) or words_of(name)
