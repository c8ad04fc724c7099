"""Folding: a text as it is compared, with a way back to the places in the original.

Width, case, accents and kinds of dashes, quotes and spaces do not count; ä, ö, ü and ß are ae, oe, ue and ss.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from unicodedata import category, combining, normalize

IDEOGRAPHS = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED = IDEOGRAPHS + "\u3040-\u30ff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_UMLAUTS = {"ä": "ae", "ö": "oe", "ü": "ue", "æ": "ae", "ø": "oe", "œ": "oe"}
_MARKS = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\uff0d", "-") | dict.fromkeys(
    "\u2018\u2019\u201b\u02bc\u00b4`", "'"
)
_LAST_ACCENTED = 0x24F
_LONGEST_NAME = 80
_PLAIN_RUN = re.compile(r"(?:[!-_a-~]| (?! ))+")
"""Letters and signs that fold to themselves but for their case."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, or one character of a script without spaces; the places are those of the folded text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and, for each of its characters, where the original ones start and end."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original of a place in the folded text that is not empty."""
        return self.starts[start], self.ends[end - 1]


def fold(text: str) -> Folded:
    """The folded text with its way back."""
    if _is_plain(text):
        return Folded(text.lower(), range(len(text)), range(1, len(text) + 1))
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start, size = 0, len(text)
    while start < size:
        run = _PLAIN_RUN.match(text, start)
        if run is not None and not (out and out[-1] == " " == text[start]):
            end = run.end()
            # An accent that follows belongs to the last letter.
            end -= end < size and combining(text[end]) > 0
            out.extend(text[start:end].lower())
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
            if end > start:
                start = end
                continue
        end = start + 1
        while end < size and combining(text[end]):
            end += 1
        folded = _fold_character(text[start:end])
        if folded == " " and out and out[-1] == " ":
            folded = ""
        out.extend(folded)
        starts.extend([start] * len(folded))
        ends.extend([end] * len(folded))
        start = end
    return Folded("".join(out), starts, ends)


def folded_text(text: str) -> str:
    """The folded text alone."""
    if _is_plain(text):
        return text.lower()
    return _folded_name(text) if len(text) <= _LONGEST_NAME else fold(text).text


@lru_cache(maxsize=32_768)
def _folded_name(text: str) -> str:
    """Names and stored values are folded again by every question."""
    return fold(text).text


def tokens_of(folded: str) -> list[Token]:
    """The words of a folded text."""
    return [Token(match[0], *match.span()) for match in _TOKEN.finditer(folded)]


def words_in(text: str) -> list[str]:
    """The folded words of a text."""
    return _TOKEN.findall(folded_text(text))


def listed(words: str) -> frozenset[str]:
    """A set of words, written as one string with spaces."""
    return frozenset(words.split())


def is_unspaced(word: str) -> bool:
    """Whether a word is of a script that is written without spaces."""
    return _IS_UNSPACED.match(word) is not None


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and "  " not in text and "`" not in text


@lru_cache(maxsize=4096)
def _fold_character(written: str) -> str:
    # Marks stacked on one character cost more than they tell.
    whole = normalize("NFKC", written[:8]).casefold()
    return "".join(map(_plain_letter, whole))


def _plain_letter(letter: str) -> str:
    if letter.isspace():
        return " "
    if letter in _UMLAUTS:
        return _UMLAUTS[letter]
    if letter in _MARKS:
        return _MARKS[letter]
    if category(letter) in {"Cf", "Cc", "Mn"}:
        return ""
    return normalize("NFD", letter)[0] if ord(letter) <= _LAST_ACCENTED else letter
