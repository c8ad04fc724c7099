"""Facets of one's own: declared with their keywords by a request or in a tenant's file, and found in texts by them.

CUSTOM_CODETERMINATION: [works council, Betriebsrat, 工会]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from veracity.errors import UsageError
from veracity.retrieval.contracts import FacetWords
from veracity.yaml_file import read_document

FILE = "facets.yaml"
"""The name of the file in the data folder that declares them."""
_FULL_HITS = 3
_SHORT = 4
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_READ = TypeAdapter(FacetWords)


def read_facets(path: Path) -> dict[str, tuple[str, ...]]:
    """The facets that a file declares; none where there is no file. What is wrong in it is a `UsageError` with its line."""
    if not path.is_file():
        return {}
    document = read_document(path, UsageError, "a list of facets")
    try:
        return _READ.validate_python(document.data or {})
    except ValidationError as error:
        raise document.invalid(error) from None


def custom_shares(text: str, declared: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """What a text is about, by the keywords of these facets: three of a facet are full coverage."""
    lowered = text.casefold()
    found = {name: len(starts_of_words(tuple(words)).findall(lowered)) for name, words in declared.items()}
    return {name: round(min(1.0, hits / _FULL_HITS), 3) for name, hits in found.items() if hits}


@lru_cache(maxsize=1_000)
def starts_of_words(words: tuple[str, ...]) -> re.Pattern[str]:
    """Words of up to four letters as whole ones, longer ones at the start of a word, Chinese ones anywhere."""
    parts = []
    for word in sorted({" ".join(word.casefold().split()) for word in words}, key=lambda one: (-len(one), one)):
        before = "" if _SPACELESS.search(word) else r"(?<!\w)"
        after = r"(?!\w)" if before and len(word) <= _SHORT and word[-1].isalnum() else ""
        parts.append(f"{before}{re.escape(word)}{after}")
    return re.compile("|".join(parts) or r"(?!)")
