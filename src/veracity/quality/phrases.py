"""Words and phrases in a text: whole words in Latin scripts, any place in Chinese."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from veracity.language.folding import IDEOGRAPHS, folded_text

IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
UNSPACED = f"{IDEOGRAPHS}\u3040-\u30ff"
_LETTER = r"[0-9A-Za-zªµºÀ-ÖØ-öø-\u1fff]"
"""A letter or digit that makes a word longer. Ideographs do not: Chinese sets other scripts without spaces.

Said by what it is, and not by what it is not: there are hundreds of phrases, and `re` takes so much longer to compile a class of ideographs.
"""
_COMBINED = tuple((f"{letter}\u0308", precomposed) for letter, precomposed in zip("aouAOU", "äöüÄÖÜ", strict=True))
_SPACES = re.compile(" {2,}")
_MOST_FOLDS = 50_000


class _Folds(dict[int, str]):
    """Character -> what it is folded to; filled as characters are met."""

    def __missing__(self, code: int) -> str:
        plain = folded_text(chr(code))
        if len(self) < _MOST_FOLDS:
            self[code] = plain
        return plain


_FOLDS = _Folds()


def folded(text: str) -> str:
    """`folded_text` for long texts, without the way back."""
    for combined, precomposed in _COMBINED:
        text = text.replace(combined, precomposed)
    return _SPACES.sub(" ", text.translate(_FOLDS))


_PIECE = re.compile(rf"[{UNSPACED}]+|{_LETTER}+|[ -]+|.", re.DOTALL)
_SHORTEST_BENT = 3


@lru_cache(maxsize=8192)
def pattern_of(phrase: str, lang: str | None = None) -> re.Pattern[str]:
    """A phrase in a folded text: whole words in Latin scripts, any place in Chinese.

    With a language, its last word may have an ending of that language: "reviews" is "review", "reviewer" is not.
    Space and hyphen are the same. The first piece comes first in the pattern, because `re` searches quickly for a fixed beginning.
    """
    pieces = _PIECE.findall(folded(phrase).strip())
    written: list[str] = []
    for place, piece in enumerate(pieces):
        before, after = pieces[place - 1 : place], pieces[place + 1 : place + 2]
        if place and after and not piece.strip(" -") and len(piece) <= 3:
            loose = _is_unspaced(before[0]) or _is_unspaced(after[0])
            written.append("[ -]{0,3}" if loose else "[ -]{1,3}")
            continue
        if before and _is_unspaced(before[0]) != _is_unspaced(piece) and before[0].isalnum() and piece.isalnum():
            written.append(" ?")
        is_word = piece.isalnum() and not _is_unspaced(piece)
        stem, endings = _bent(piece, lang) if is_word and not after else (piece, "")
        written.append(re.escape(stem))
        if is_word and not place:
            written.append(rf"(?<!{_LETTER}{re.escape(stem)})(?<!{_LETTER}_{re.escape(stem)})")
        written.append(endings)
        if is_word and not after:
            written.append(rf"(?!{_LETTER})(?!_{_LETTER})")
    return re.compile("".join(written))


def _is_unspaced(piece: str) -> bool:
    return re.match(f"[{UNSPACED}]", piece) is not None


def _bent(word: str, lang: str | None) -> tuple[str, str]:
    """A word without what changes in its plurals and cases, and a pattern of what may follow."""
    if lang not in ("de", "en") or len(word) < _SHORTEST_BENT or not word.isalpha():
        return word, ""
    if lang == "en":
        return (word[:-1], "(?:y|ies)") if re.search("[^aeiou]y$", word) else (word, "(?:e?s)?")
    return word, "(?:se[ns]?)?" if word.endswith("nis") else "(?:e?n?s?)"


def occurs_by_itself(word: str, own: Sequence[str], text: str, lang: str) -> bool:
    """Whether a word occurs, and not only as a part of phrases that are the skill's own."""
    found = pattern_of(word, lang)
    if not found.search(text):
        return False
    alone = folded(word).strip()
    for phrase in own:
        if alone in folded(phrase) or pattern_of(phrase, lang).fullmatch(alone):
            text = pattern_of(phrase, lang).sub(" . ", text)
    return found.search(text) is not None
