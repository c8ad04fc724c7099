"""Did you mean: the known name nearest to what was written."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 200
_CUTOFF = 60.0


def nearest_all(written: str, known: Iterable[str], *, count: int = 3, cutoff: float = _CUTOFF) -> list[str]:
    """The known names that are most like what was written, best first; none below the cutoff."""
    from rapidfuzz import fuzz, process

    if not written.strip():
        return []
    text = written[:_LONGEST].casefold()
    found = process.extract(
        text, list(known), scorer=fuzz.WRatio, processor=str.casefold, limit=count, score_cutoff=cutoff
    )
    return [name for name, _score, _index in found]


def nearest(written: str, known: Iterable[str]) -> str | None:
    """The one known name that is most like what was written."""
    return next(iter(nearest_all(written, known, count=1)), None)
