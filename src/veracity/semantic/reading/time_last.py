"""Times in the middle of a German sentence, put where the rules expect them: Kunden haben 2023 bestellt, aber 2024 nicht mehr."""

from __future__ import annotations

import re
from collections.abc import Iterator

from veracity.semantic.reading.phrases import JoiningWord
from veracity.semantic.reading.said_phrases import SaidPeriod
from veracity.semantic.reading.word_senses import Tagged

_FINITE = frozenset(
    [
        "hat",
        "haben",
        "hatte",
        "hatten",
        "wurde",
        "wurden",
        "ist",
        "sind",
        "war",
        "waren",
        "gab",
        "gibt",
        "konnte",
        "konnten",
        "lief",
        "liefen",
        "ging",
        "gingen",
    ]
)
"""Verbs that the time of what was done stands right behind."""
_RELATIVE = frozenset(["die", "der", "das", "den", "dem", "welche", "welcher", "welches"])
_BEFORE_TIMES = frozenset(["im", "in", "am", "waehrend"])
_JOINS_TIMES = frozenset({"und", "bis"})
_ENDS_CLAUSE = frozenset({",", "aber", "jedoch", "doch", "sondern", "?"})
_BUT = frozenset({"aber", "jedoch", "doch"})
_NO_LONGER = re.compile(r"\b(nicht|keine?) mehr\b(?! als)", re.IGNORECASE)


def time_last(tagged: Tagged) -> str | None:
    """The question with each time behind what was done then; nothing where all of them stand there already."""
    texts = [token.text for token in tagged.tokens]
    moved = {run: place for run in _times(tagged, texts) if (place := _place(tagged, texts, run)) is not None}
    if not moved:
        return None
    order, taken = list[int](), {place for run in moved for place in range(*run)}
    for place in range(len(texts) + 1):
        order += [inner for run, end in moved.items() if end == place for inner in range(*run)]
        if place < len(texts) and place not in taken:
            order.append(place)
    said = " ".join(tagged.said(place, place + 1) for place in order)
    return _NO_LONGER.sub(r"\1", said.replace(" ,", ","))


def _times(tagged: Tagged, texts: list[str]) -> Iterator[tuple[int, int]]:
    """Where times stand, each with the words before it that belong to it: im Juli und August 2024."""
    dated = {p for one in tagged.mentions if isinstance(one.phrase, SaidPeriod) for p in range(one.start, one.end)}
    place = 0
    while place < len(texts):
        start = place
        while place < len(texts) and (
            place in dated or (texts[place] in _JOINS_TIMES and place > start and place + 1 in dated)
        ):
            place += 1
        if place > start:
            yield (start - 1 if start and texts[start - 1] in _BEFORE_TIMES else start), place
        else:
            place += 1


def _place(tagged: Tagged, texts: list[str], run: tuple[int, int]) -> int | None:
    """Where a time is to stand: at the end of its clause, or behind the word that denies it; nothing where it stands well."""
    start, end = run
    if start == 0 or end >= len(texts):
        return None
    before = texts[start - 1]
    if before in _BUT:
        denied = texts[end] == "nicht"
        return end + 1 + (texts[end + 1 : end + 2] == ["mehr"]) if denied else None
    relative = before in _RELATIVE and start > 1 and texts[start - 2] == ","
    if not (relative or before in _FINITE or _is_light(tagged, start - 1)):
        return None
    last = next((place for place in range(end, len(texts)) if texts[place] in _ENDS_CLAUSE), len(texts))
    return last if last > end else None


def _is_light(tagged: Tagged, place: int) -> bool:
    """Whether a verb stands there that ties a figure or a thing to its time: brachten, hatten."""
    said = (one.phrase for one in tagged.mentions if (one.start, one.end) == (place, place + 1))
    return any(isinstance(one, JoiningWord) and one.kind in ("light", "light_amounts") for one in said)
