"""What is not so: inactive of active, closed of open, unpaid of paid."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from veracity.language.folding import folded_text
from veracity.yaml_file import packaged

_PARTICIPLES = {
    "en": re.compile(r"\w+ed|paid|sold|read|sent|known|written"),
    "de": re.compile(r"(ge|be|ver|er|ent|zer)\w+t"),
}
"""Words that take un- before them: verified, bezahlt."""
_SHORTEST = 4


def opposites_of(word: str, lang: str) -> tuple[str, ...]:
    """The words for the other side of one word, as far as they are certain."""
    folded = folded_text(word)
    known = _listed(lang).get(folded, ())
    if known or " " in folded or len(folded) < _SHORTEST or folded.startswith("un"):
        return known
    return (f"un{folded}",) if lang in _PARTICIPLES and _PARTICIPLES[lang].fullmatch(folded) else ()


@cache
def _listed(lang: str) -> Mapping[str, tuple[str, ...]]:
    table = packaged(Path(__file__).with_name("opposites.yaml")).get(lang) or {}
    return {folded_text(str(word)): tuple(map(str, words)) for word, words in table.items()}
