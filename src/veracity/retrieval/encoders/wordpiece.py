"""Texts -> the numbers of their word pieces, as BERT's models were trained with."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache

_LONGEST_WORD = 100
_CHINESE = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))


class WordPieces:
    """A vocabulary, and how texts are cut into its pieces: at spaces and marks, then the longest piece first."""

    def __init__(self, vocabulary: Mapping[str, int], *, lowercase: bool) -> None:
        self._vocabulary, self._lowercase = vocabulary, lowercase
        self._unknown, self._first, self._last = (vocabulary[mark] for mark in ("[UNK]", "[CLS]", "[SEP]"))
        self._pieces = lru_cache(maxsize=50_000)(self._pieces_of)

    def numbers(self, text: str, most: int) -> list[int]:
        """The pieces of a text, with BERT's marks around them, and never more than `most` in all."""
        found: list[int] = []
        for word in self._words(text):
            found += self._pieces(word)
            if len(found) >= most - 2:
                break
        return [self._first, *found[: most - 2], self._last]

    def _words(self, text: str) -> Iterator[str]:
        if self._lowercase:
            apart = unicodedata.normalize("NFD", text.lower())
            text = "".join(char for char in apart if unicodedata.category(char) != "Mn")
        held: list[str] = []
        for char in text:
            alone = _stands_alone(char)
            if alone or char.isspace():
                if held:
                    yield "".join(held)
                    held = []
                if alone:
                    yield char
            elif char != "\ufffd" and not unicodedata.category(char).startswith("C"):
                held.append(char)
        if held:
            yield "".join(held)

    def _pieces_of(self, word: str) -> tuple[int, ...]:
        if len(word) > _LONGEST_WORD:
            return (self._unknown,)
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((at for at in ends if f"{mark}{word[start:at]}" in self._vocabulary), None)
            if end is None:
                return (self._unknown,)
            found.append(self._vocabulary[f"{mark}{word[start:end]}"])
            start = end
        return tuple(found)


def _stands_alone(char: str) -> bool:
    """Marks and Chinese characters are words by themselves."""
    code = ord(char)
    if code < 128:
        return not char.isalnum() and not char.isspace() and code > 32 and code != 127
    return unicodedata.category(char).startswith("P") or any(low <= code <= high for low, high in _CHINESE)
