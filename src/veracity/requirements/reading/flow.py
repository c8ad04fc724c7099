"""Which lines of a paragraph are one text that was only wrapped, and which are a text each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from veracity.requirements.reading.document import Span
from veracity.requirements.reading.marks import find_id, find_label, states

_NARROWEST = 55
"""Nobody wraps lines that are shorter."""
_MOSTLY = 0.8
_ENDS = (".", "!", "?", ";", ":", ".)", '."', ".“", "?)", "!)")


def texts_of(text: str, spans: Sequence[Span]) -> list[list[Span]]:
    """The lines of a paragraph, put together where one goes on in the next.

    A line goes on when the next is indented deeper or begins in lower case, when it has an id and no end, or when all
    lines are about as long as they may get and were broken because the next word did not fit. A line with an id or a
    label is a text of its own.
    """
    if len(spans) == 1:
        return [list(spans)]
    lines = [text[start:end] for start, end in spans]
    grouped, named = [[spans[0]]], find_id(lines[0]) is not None
    for number, wrapped in enumerate(_wrapped(lines), 1):
        span, above = spans[number], lines[number - 1]
        anew, own = _begins_anew(lines[number])
        deeper = _column(text, span[0]) > _column(text, grouped[-1][0][0])
        if not anew and (wrapped or deeper or (named and not above.endswith(_ENDS))):
            grouped[-1].append(span)
        else:
            grouped.append([span])
            named = own
    return grouped


def _wrapped(lines: Sequence[str]) -> list[bool]:
    """Of every line but the first: whether it looks like the rest of the one before."""
    pairs = list(pairwise(lines))
    width = max(map(len, lines))
    forced = [len(above) + 1 + len(below.split(maxsplit=1)[0]) > width for above, below in pairs]
    full = width >= _NARROWEST and sum(forced) >= _MOSTLY * len(forced) and not all(map(states, lines))
    # Texts of a line each either all end in a full stop or none does.
    open_ended = any(not above.endswith(_ENDS) for above, _ in pairs)
    prose = full and open_ended and (lines[-1].endswith(_ENDS) or len(pairs) > 1)
    # Where the first line begins in lower case, case tells nothing.
    cased = not lines[0][0].islower()
    return [(cased and below[0].islower()) or (prose and cut) for (_, below), cut in zip(pairs, forced, strict=True)]


def _column(text: str, offset: int) -> int:
    return offset - max(text.rfind("\n", 0, offset), text.rfind("\r", max(0, offset - 500), offset))


def _begins_anew(line: str) -> tuple[bool, bool]:
    """Whether a line begins a text, and whether it does so with an id."""
    named = find_id(line) is not None
    return named or find_label(line) is not None, named
