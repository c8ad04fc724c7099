"""The words of a text as they are compared, and where they stand in it."""

from __future__ import annotations

import re
from bisect import bisect_left

from veracity.grounding.binding.index import root
from veracity.question.folding import IDEOGRAPHS, fold

_UNSPACED = IDEOGRAPHS + "\u3040-\u30ff"
TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
"""A word, a number, or one sign of a script without spaces."""


class Tokens:
    """A text as folded words; a word is known by its number."""

    def __init__(self, text: str) -> None:
        folded = fold(text)
        self.text, self._folded = text, folded.text
        spans = [match.span() for match in TOKEN.finditer(folded.text)]
        self.words = [folded.text[start:end] for start, end in spans]
        self.roots = [root(word) for word in self.words]
        self.starts = [folded.starts[start] for start, _end in spans]
        """Where each word starts in the text."""
        self.ends = [folded.ends[end - 1] for _start, end in spans]
        self._places = [start for start, _end in spans]

    def at(self, place: int) -> int:
        """The first word that starts at or behind a place of the text."""
        return bisect_left(self.starts, place)

    def before(self, word: int, size: int = 48) -> str:
        """The folded text right before a word."""
        end = self._places[word] if word < len(self._places) else len(self._folded)
        return self._folded[max(0, end - size) : end].rstrip("-+–(")

    def after(self, place: int, size: int = 24) -> str:
        """The text right behind a place, in small letters."""
        return self.text[place : place + size].lower()

    def said(self, first: int, last: int) -> str:
        """Words as they are written."""
        return self.text[self.starts[first] : self.ends[last]]
