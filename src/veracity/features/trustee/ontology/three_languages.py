"""Texts and word lists of the trustee ontology, written in the order German, English, Chinese."""

from __future__ import annotations

from veracity.language.locale import LANGUAGES

Three = tuple[str, str, str]
"""The same thing in German, English and Chinese."""


def text(de: str, en: str, zh: str) -> dict[str, str]:
    """One text in the three languages."""
    return dict(zip(LANGUAGES, (de, en, zh), strict=True))


def word_lists(de: str, en: str, zh: str) -> dict[str, tuple[str, ...]]:
    """The words of the three languages, each list written as one string with commas."""
    return {lang: tuple(listed.split(", ")) for lang, listed in text(de, en, zh).items()}
