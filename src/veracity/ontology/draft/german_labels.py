"""German names of columns as people write them: Auftragssumme, fällig am, Re-Nr."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from veracity.language.folding import folded_text
from veracity.ontology.draft.names import GERMAN_DATE, lists

_ADJECTIVE = re.compile(r"\w+(?:t|en|ig|iv|bar|los|lich|isch)")
"""What participles and adjectives end in; before `am` and `bis` they stay small."""


def german_label(name: str) -> str:
    """A name that nobody described, as a label: nouns with a capital, umlauts where the word is known to have them."""
    words = [_with_umlauts(word) if word.islower() else word for word in name.split()]
    words = ["ID" if word == "id" else word for word in words]
    if len(words) > 1 and words[-1] == "ID":
        return "-".join((*map(_capital, words[:-1]), "ID"))
    if len(words) > 1 and words[-1] in ("nr", "no"):
        return "-".join((*map(_capital, words[:-1]), "Nr."))
    small = lists()["joins"]
    if len(words) > 1 and words[-1] in lists()["small_behind"] and _ADJECTIVE.fullmatch(words[0]):
        return " ".join(words)
    return " ".join(word if word in small else _capital(word) for word in words)


def nouns_of_date(words: Sequence[str]) -> tuple[str, ...]:
    """What happened on a date, as a noun: the Eingang of an eingangsdatum, the Bewilligung of bewilligt_am."""
    if len(words) == 1 and (bare := GERMAN_DATE.sub("", words[0])) != words[0]:
        return (_capital(_with_umlauts(bare)),)
    if len(words) == 2 and words[1] == "am" and words[0].endswith("igt") and not words[0].startswith("ge"):
        return (_capital(_with_umlauts(f"{words[0][:-1]}ung")),)
    return ()


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _with_umlauts(word: str) -> str:
    """faellig, gebuehr: with the umlauts of the words that these names are made of."""
    for plain, real in _umlauts().items():
        word = word.replace(plain, real)
    return word


@cache
def _umlauts() -> Mapping[str, str]:
    return {folded_text(word): str(word) for word in lists()["umlauts"]}
