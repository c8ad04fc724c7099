"""A question with one word more, wherever it may stand."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from hypothesis import settings

EVERY = 3
"""Of the places for a word a run of all tests tries one in so many, each question its own; `make fuzz` tries them all."""


def with_word(question: str, word: str) -> Iterator[str]:
    """The question with the word at its places."""
    words = question.split()
    step = 1 if settings.get_current_profile_name() == "random" else EVERY
    first = zlib.crc32(f"{question} {word}".encode()) % step
    for place in range(first, len(words) + 1, step):
        yield " ".join([*words[:place], word, *words[place:]])
