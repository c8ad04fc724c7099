"""Sentences and lines of a text, and which of them tell what another one is about: the line above a list, a table's headings."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from veracity.answer.figures import Figure
from veracity.grounding.binding.tokens import Tokens
from veracity.grounding.sentences import sentence_ends

_BULLET = re.compile(r"[ \t]*(?:[-*+•–]|[0-9]{1,3}[.)])[ \t]+")


class Line(NamedTuple):
    """A sentence or a line; `first` and `last` are its words, `last` excluded."""

    start: int
    end: int
    first: int
    last: int
    above: int
    """The number of the line that its subject may be taken from: above a list, or the sentence before; -1 for none."""
    listed: bool = False
    """Whether it is an entry of a list."""
    heading: int = -1
    """The number of the line with the headings, for a line of a table."""


def lines_of(tokens: Tokens, figures: Sequence[Figure]) -> list[Line]:
    """The sentences and lines of a text; a full stop inside a figure ends none."""
    text = tokens.text
    edges = [0, *(end for end in sentence_ends(text) if not _is_inside(end, figures)), len(text)]
    found: list[Line] = []
    intro = -1
    for start, end in pairwise(edges):
        line = text[start:end]
        if not line.strip():
            continue
        starts = start == 0 or text[start - 1] == "\n"
        listed, row = starts and _BULLET.match(line) is not None, starts and line.count("|") > 1
        above = found[-1].heading if found else -1
        heading = (above if above >= 0 else len(found)) if row else -1
        subject = intro if listed or row else len(found) - 1
        if not listed and not row:
            intro = len(found)
        found.append(Line(start, end, tokens.at(start), tokens.at(end), subject, listed, heading))
    return found


def _is_inside(place: int, figures: Sequence[Figure]) -> bool:
    """Whether a place is inside a figure, as behind the full stop of `31. Dezember`."""
    at = bisect_left(figures, place, key=lambda figure: figure.start) - 1
    return at >= 0 and place < figures[at].end
