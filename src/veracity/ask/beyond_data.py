"""Questions that no stored row answers: why something happened, what will be, what to do. They are declined with that reason."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from veracity.language.folding import fold
from veracity.language.texts import say
from veracity.yaml_file import packaged


@cache
def _marks(lang: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    kinds: dict[str, dict[str, list[str]]] = packaged(Path(__file__).with_name("beyond_data.yaml"))
    return tuple((kind, re.compile("|".join(by_lang[lang]))) for kind, by_lang in kinds.items() if lang in by_lang)


def beyond_data(question: str, lang: str) -> str:
    """Why a question asks for more than the data can tell; empty where it does not."""
    folded = fold(question).text.strip()
    kind = next((kind for kind, marks in _marks(lang) if marks.search(folded)), "")
    return say(f"beyond_{kind}", lang) if kind else ""
