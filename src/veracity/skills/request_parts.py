"""A request taken apart by its words: its pieces, the words around them that only ask, and the bounds that goals set."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from veracity.language.folding import IDEOGRAPHS
from veracity.yaml_file import packaged

_MOST_PIECES = 8
_EDGES = " \t\n,.;:?!，。；：？！、"


@dataclass(frozen=True, slots=True)
class GoalBound:
    """A goal: something that is to be more or less than something else."""

    what: str
    operator: str
    than: str
    """A figure, or something else that can be asked for."""


def pieces_of(request: str) -> list[tuple[int, int]]:
    """Where the pieces of a request stand that may be parts of it; one, where it has no or too many joints."""
    spans, start = [], 0
    for joint in _joints().finditer(request):
        spans.append((start, joint.start()))
        start = joint.end()
    spans.append((start, len(request)))
    spans = [(first, last) for first, last in spans if request[first:last].strip(_EDGES)]
    return spans if 0 < len(spans) <= _MOST_PIECES else [(0, len(request))]


def ways_to_read(part: str) -> Iterator[str]:
    """A part as it is written, and without the words that only ask for something."""
    part = part.strip(_EDGES)
    yield part
    bare = _without(_without(part, "openings"), "closings", at_end=True)
    if bare and bare != part:
        yield bare


def bound_of(part: str) -> GoalBound | None:
    """The goal that a part sets: `ob der Umsatz 2025 über 1'000'000 liegt`."""
    said = _without(_without(part.strip(_EDGES), "openings"), "whether")
    found = _bounds().search(said)
    if found is None:
        return None
    what, than = said[: found.start()].strip(_EDGES), said[found.end() :].strip(_EDGES)
    what = _without(what, "behind", at_end=True)
    than = _without(than, "behind", at_end=True)
    operator = next(sign for sign, words in _table()["bounds"].items() if found.group().strip().lower() in words)
    return GoalBound(what, operator, than) if what and than else None


def is_qualifying(piece: str) -> bool:
    """Whether a piece says something of the piece before it: `ohne Mai`."""
    return _without(piece.strip(_EDGES), "qualifies") != piece.strip(_EDGES)


def _without(text: str, kind: str, *, at_end: bool = False) -> str:
    """A text without the words of a kind at its beginning or end; again and again, as long as something is left."""
    before = None
    while before != text:
        before = text
        for words in sorted(_table()[kind], key=len, reverse=True):
            lowered, size = text.lower(), len(words)
            spaced = not _is_unspaced(words)
            if at_end and lowered.endswith(words) and (not spaced or not text[: -size or None][-1:].isalnum()):
                text = text[:-size].strip(_EDGES)
            elif not at_end and lowered.startswith(words) and (not spaced or not text[size : size + 1].isalnum()):
                text = text[size:].strip(_EDGES)
    return text


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    table = packaged(Path(__file__).with_name("request_parts.yaml"))
    assert isinstance(table, dict)
    return table


def _is_unspaced(word: str) -> bool:
    return re.match(f"[{IDEOGRAPHS}]", word) is not None


def _either(words: Sequence[str]) -> str:
    """Words with spaces around them, or, of a script without spaces, anywhere."""
    spaced = [word for word in words if not _is_unspaced(word)]
    unspaced = [word for word in words if _is_unspaced(word)]
    found = [rf"\s+(?:{'|'.join(map(re.escape, sorted(spaced, key=len, reverse=True)))})\s+"] if spaced else []
    return "|".join([*found, *map(re.escape, sorted(unspaced, key=len, reverse=True))])


@lru_cache(maxsize=1)
def _joints() -> re.Pattern[str]:
    return re.compile(
        rf"[?？!！。；;\n]+\s*|\.\s+(?=[^\W\d_a-zäöü])|,\s+|[，、]|{_either(_table()['between'])}", re.IGNORECASE
    )


@lru_cache(maxsize=1)
def _bounds() -> re.Pattern[str]:
    return re.compile(_either([word for words in _table()["bounds"].values() for word in words]), re.IGNORECASE)
