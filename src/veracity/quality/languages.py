"""The language that an output shows."""

from __future__ import annotations

import re

from veracity.quality.phrases import IDEOGRAPH, UNSPACED
from veracity.question.language import language_by_letters, language_by_words

NAMES = {"de": "German", "en": "English", "zh": "Chinese"}
"""What a model knows the languages as."""
_NO_PROSE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`|https?://\S+", re.DOTALL)
_LATIN_WORD = re.compile(rf"[^\W\d_{UNSPACED}]+")
_SAMPLED = 650
_FEWEST_WORDS = 3
_MANY_IDEOGRAPHS = 20


def language_shown(text: str) -> str | None:
    """The language that a text surely is in; None for what is short, code-like or mixed."""
    sample = _sample(_NO_PROSE.sub(" ", text))
    ideographs = len(IDEOGRAPH.findall(sample))
    rest = IDEOGRAPH.sub(" ", sample)
    words = len(_LATIN_WORD.findall(rest))
    if ideographs > 2 * words:
        return "zh" if ideographs > 1 else None
    by_words = language_by_words(rest) if words >= _FEWEST_WORDS else None
    if by_words is None:
        return "zh" if 2 * ideographs >= words > 0 else None
    return by_words if language_by_letters(rest) in (by_words, None) else None


def _sample(text: str) -> str:
    """Something of the beginning, the middle and the end: models change their language on the way."""
    if len(text) <= 3 * _SAMPLED:
        return text
    middle = len(text) // 2
    return f"{text[:_SAMPLED]} {text[middle : middle + _SAMPLED]} {text[-_SAMPLED:]}"


def has_drifted(text: str, given: str) -> bool:
    """Whether much of a text is Chinese that the input does not have."""
    return len({*IDEOGRAPH.findall(text)} - {*IDEOGRAPH.findall(given)}) >= _MANY_IDEOGRAPHS
