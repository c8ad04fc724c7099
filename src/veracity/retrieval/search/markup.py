"""HTML -> tags and text, in time that grows with its length only.

The parser of the standard library takes minutes for a few thousand characters such as `<a <a <a`, which anyone may put into a
file. This one looks at every character once; of broken markup it makes text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Literal

Piece = tuple[Literal["start", "end", "text"], str]

_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9:-]{0,40})")
_STOPS = re.compile("[>\"']")
_RAW = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style", "textarea")}


def pieces_of(text: str) -> Iterator[Piece]:
    """Tags by their lower-case names, and the text between them; comments, declarations and scripts are left out."""
    at = 0
    while (start := text.find("<", at)) >= 0:
        if start > at:
            yield "text", html.unescape(text[at:start])
        after, piece = _markup(text, start)
        if piece is not None:
            yield piece
        if piece is not None and piece[0] == "start" and piece[1] in _RAW:
            end = _RAW[piece[1]].search(text, after)
            after = end.start() if end else len(text)
        at = after
    if at < len(text):
        yield "text", html.unescape(text[at:])


def _markup(text: str, start: int) -> tuple[int, Piece | None]:
    """Where the markup at this `<` ends, and what it is; a `<` that opens nothing is text."""
    if text.startswith("<!--", start):
        end = text.find("-->", start + 4)
        return (end + 3 if end >= 0 else len(text)), None
    if text.startswith(("<!", "<?"), start):
        end = text.find(">", start)
        return (end + 1 if end >= 0 else len(text)), None
    name = _TAG.match(text, start)
    if name is None:
        return start + 1, ("text", "<")
    end = _end_of_tag(text, name.end())
    if end < 0:
        # No tag can end any more: all that is left is text.
        return len(text), ("text", html.unescape(text[start:]))
    return end, ("end" if text[start + 1] == "/" else "start", name[1].lower())


def _end_of_tag(text: str, at: int) -> int:
    """The place after the `>` of a tag, one in a quoted value left aside; -1 when there is none."""
    while (stop := _STOPS.search(text, at)) is not None:
        if stop[0] == ">":
            return stop.end()
        closing = text.find(stop[0], stop.end())
        if closing < 0:
            # A quote that is never closed is no quote.
            end = text.find(">", stop.end())
            return end + 1 if end >= 0 else -1
        at = closing + 1
    return -1
