"""How texts and figures are written in reports: what a model said cannot become a link, a picture, HTML or a heading."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from veracity.contracts import clip

# Entities, not backslashes: readers disagree on a backslash before a pipe, and none lets an entity structure anything.
_MARKS = re.compile(r"[\\`*\[\]{}<>&#|~$^@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?<=[Ww]{3})\.")
_FENCE = re.compile(r"`{3,}")


def short(text: str, length: int) -> str:
    """The text on one line, cut to a length; what cannot be printed is shown as a mark."""
    # Cut before it is looked at: a model may say megabytes.
    start = text[: 4 * length]
    line = clip(" ".join(start.split()), length)
    return line if len(start) == len(text) or line.endswith("…") else f"{line} …"


def plain(text: str, length: int = 300) -> str:
    """The text for a table cell, a heading or a sentence of a report."""
    return _MARKS.sub(_entity, short(text, length))


def _entity(mark: re.Match[str]) -> str:
    entity = f"&#{ord(mark[0])};"
    # GitHub looks for addresses and names after it has read entities, but not across tags.
    return f"<span>{entity}</span>" if mark[0] == "@" else entity


def percent(share: float | None) -> str:
    """A share as people read it; a dash where there is none."""
    return "-" if share is None else f"{share * 100:.1f} %"


def seconds(value: float) -> str:
    """Seconds with the digits that matter."""
    digits = next((digits for least, digits in ((100, 0), (1, 1), (0.1, 2)) if value >= least), 3)
    return f"{value:.{digits}f}"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> list[str]:
    """The lines of a table, with an empty one behind it; cells are Markdown already, `right` are columns of figures."""
    figures = set(right)
    rule = ["---:" if number in figures else "---" for number in range(len(headings))]
    return [f"| {' | '.join(cells)} |" for cells in (headings, rule, *rows)] + [""]


def block(text: str) -> list[str]:
    """The lines of a block to copy, such as a command."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", short(text, 10_000), fence, ""]
