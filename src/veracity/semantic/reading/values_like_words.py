"""Stored values that look like words of a question: status A, customers in OR. Their writing or the field before them tells."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from veracity.language.folding import Folded, Token, folded_text
from veracity.semantic.reading.phrases import Stored
from veracity.semantic.reading.word_lists import Key
from veracity.yaml_file import packaged

_SHORTEST = 3
_BRACKETS = re.compile(r"\([^()]{1,40}\)")

Home = tuple[str, str, str | int]
"""Entity, field and value."""


def values_like_words(
    stored: Mapping[Key, Sequence[Home]],
    written: Sequence[str],
    texts: Sequence[str],
    *,
    fields: Collection[tuple[int, str, str]],
    begun: Collection[tuple[int, str, str]],
    after: Collection[str],
    nouns: Collection[int],
) -> Iterator[tuple[int, tuple[Home, ...]]]:
    """Where a word is a stored value: in capitals among small letters, or right behind the field that holds it.

    `fields`: where the name of a field ends, with its entity and its own name, `begun`: where it begins; `nouns`: where nouns begin. Whole words are written in capitals to
    stress them, too: with NO orders, ALL customers. They are values only behind one of the words `after` and before no noun: in OR.
    """
    small = sum(word[:1].islower() for word in written)
    mixed = small * 2 >= len(written)
    for place, text in enumerate(texts):
        homes = stored.get((text,), ())
        if not homes or not place:
            continue
        behind = tuple(home for home in homes if (place, *home[:2]) in fields)
        if before := tuple(home for home in homes if (place + 1, *home[:2]) in begun):
            yield place, before  # high severity
            continue
        last = place + 1 == len(texts)
        if behind and (last or written[place].isupper()):
            yield place, behind
        alone = len(text) == 1 or (texts[place - 1] in after and place + 1 not in nouns)
        if not behind and alone and mixed and written[place].isupper() and written[place].isalpha():
            yield place, tuple(homes)


def as_written(question: str, folded: Folded, tokens: Sequence[Token]) -> tuple[str, ...]:
    """The words of a question as they were typed."""
    places = (folded.origin(token.start, token.end) for token in tokens)
    return tuple(question[start:end] for start, end in places)


def said_in_brackets(
    text: str, tokens: Sequence[Token], stored: Sequence[tuple[int, int, Stored]]
) -> Iterator[tuple[int, int, Stored]]:
    """California (CA): where a value and its code in brackets are one value: where both begin and end, and what they are."""
    for found in _BRACKETS.finditer(text):
        inside = [n for n, one in enumerate(tokens) if one.start >= found.start() and one.end <= found.end()]
        if not inside:
            continue
        start, end = inside[0], inside[-1] + 1
        for first, last, value in stored:
            codes = [code for begin, stop, code in stored if (begin, stop) == (start, end)] if last == start else []
            same = tuple(home for home in value.homes if any(home in code.homes for code in codes))
            if same:
                yield first, end, Stored(same)


def value_forms(value: str, lang: str) -> Iterator[str]:
    """What a stored kind is called in a sentence: bought of buy, refunded of refund, successful of success."""
    own: Mapping[str, Any] = packaged(Path(__file__).with_name("value_forms.yaml")).get(lang) or {}
    word = folded_text(value)
    if not own or not word.isalpha() or len(word) < _SHORTEST:
        return
    yield from (f"{word}{ending}" for ending in own["adjective"])
    if word in own["past"]:
        yield own["past"][word]
    elif word.endswith("e"):
        yield f"{word}d"
    elif not word.endswith(("ed", "s", "y")):
        yield from (f"{word}ed", f"{word}{word[-1]}ed")
