"""Signs that are stored as values: an admission of +, a test that is -, which are read by the words for them; a price of $$$."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.semantic.reading.word_lists import operators

_SIGN = re.compile(r"""(?<!\S)(?:["'“‘]([+-])["'”’]|(\+)|(?<=\bof )(-)|(?<=\bis )(-)|(?<== )(-))(?=[\s?.!,;]|$)""")
_RUN = re.compile(r"""(?<![^\s"'“‘(])[$€£¥*#★☆]{1,5}(?=["'”’)]*(?:[\s?.!,;]|$))(?! \d)""")
_AFTER_NUMBER = re.compile(r"\d\s$")


def sign_runs(text: str) -> Iterator[tuple[int, int]]:
    """Where signs stand for themselves, not beside a number as its currency."""
    for found in _RUN.finditer(text):
        if not _AFTER_NUMBER.search(text[: found.start()]):
            yield found.span()


def is_sign_run(text: str) -> bool:
    """Whether a text is nothing but such signs."""
    return next(sign_runs(text), None) == (0, len(text))


def with_words_for_signs(question: str, lang: str) -> str:
    """The question with a sign that stands alone as its word; a dash between words is none."""
    words = operators(lang).get("signs") or {}
    return _SIGN.sub(lambda found: str(words.get(next(filter(None, found.groups())), [found[0]])[0]), question)
