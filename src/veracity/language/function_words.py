"""Function words: one list for each language (`function_words.yaml`), by kind where a part needs only some of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from veracity.language.folding import folded_text
from veracity.yaml_file import packaged

Kind = Literal["articles", "pronouns", "questions", "prepositions", "conjunctions", "auxiliaries", "negations"]


@cache
def _table() -> Mapping[str, Mapping[str, frozenset[str]]]:
    raw = packaged(Path(__file__).with_name("function_words.yaml"))
    return {
        lang: {
            kind: frozenset(form for word in words.split() for form in (word, folded_text(word)))
            for kind, words in kinds.items()
        }
        for lang, kinds in raw.items()
    }


@cache
def function_words(*langs: str, kinds: tuple[Kind, ...] = ()) -> frozenset[str]:
    """The function words of these languages in small letters, with umlauts and folded; without a language those of all."""
    table = _table()
    return frozenset(
        word
        for lang in langs or tuple(table)
        for kind, words in table[lang].items()
        if not kinds or kind in kinds
        for word in words
    )
