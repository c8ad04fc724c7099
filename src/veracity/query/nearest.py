"""Did you mean: the known name nearest to what was written."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 200
_CUTOFF = 60.0
_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


def _words(name: str) -> str:
    """A name as its words, so that `amountTotal` is near `totalAmount`."""
    return _WORD_STARTS.sub(" ", name).casefold()


def nearest_all(written: str, known: Iterable[str], *, count: int = 3, cutoff: float = _CUTOFF) -> list[str]:
    """The known names that are most like what was written, best first; none below the cutoff."""
    from rapidfuzz import fuzz, process

    if not written.strip():
        return []
    known = list(known)
    found = process.extract(
        written[:_LONGEST], known, scorer=fuzz.WRatio, processor=_words, limit=count, score_cutoff=cutoff
    )
    return [name for name, _score, _index in found]


def nearest(written: str, known: Iterable[str]) -> str | None:
    """The one known name that is most like what was written."""
    return next(iter(nearest_all(written, known, count=1)), None)
