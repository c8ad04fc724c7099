"""Signs that are stored as values: an admission of +, a test that is -. They are read by the words for them."""

from __future__ import annotations

import re

from veracity.semantic.reading.word_lists import operators

_SIGN = re.compile(r"""(?<!\S)(?:["'“‘]([+-])["'”’]|(\+)|(?<=\bof )(-)|(?<=\bis )(-)|(?<== )(-))(?=[\s?.!,;]|$)""")


def with_words_for_signs(question: str, lang: str) -> str:
    """The question with a sign that stands alone as its word; a dash between words is none."""
    words = operators(lang).get("signs") or {}
    return _SIGN.sub(lambda found: str(words.get(next(filter(None, found.groups())), [found[0]])[0]), question)
