"""The value profile: which values a categorical column holds, looked up on demand, bounded and kept for a while."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Protocol

FEW_VALUES = 100
"""Up to so many different values, a text column that nobody declared counts as categorical."""
MANY_VALUES = 10_000
"""Beyond so many, not even a declared one is checked."""
FRESH_SECONDS = 60.0
"""A value that was stored since then is found after so many seconds."""
LONG_TEXT = 80
"""A column that holds a longer text is free text."""

Key = tuple[str, str]
"""An entity and one of its fields."""


class Values(Protocol):
    """What the validator asks of the data."""

    def of(self, entity: str, name: str) -> frozenset[str] | None:
        """The stored values of a field, or None when literals on it are not checked."""

    def is_one_value(self, entity: str, name: str) -> bool:
        """Whether every row holds the same value, and none of them nothing."""


@dataclass(frozen=True, slots=True)
class _Seen:
    values: frozenset[str] | None
    has_null: bool
    at: float


@dataclass(slots=True)
class ValueProfile:
    """The values seen so far; a field that was looked at and is not categorical is kept without values."""

    known: dict[Key, _Seen] = field(default_factory=dict)

    def of(self, entity: str, name: str) -> frozenset[str] | None:
        seen = self.known.get((entity, name))
        return seen.values if seen else None

    def is_one_value(self, entity: str, name: str) -> bool:
        seen = self.known.get((entity, name))
        return seen is not None and len(seen.values or ()) == 1 and not seen.has_null

    def is_fresh(self, key: Key) -> bool:
        """Whether a field was looked at so lately that its values still hold."""
        return key in self.known and monotonic() - self.known[key].at < FRESH_SECONDS

    def hold(self, key: Key) -> None:
        """Go on with what was seen before, if anything, for as long as a fresh look: the source cannot be looked at now."""
        self.known[key] = replace(self.known.get(key, _Seen(None, False, 0.0)), at=monotonic())

    def keep(self, key: Key, found: Iterable[object] | None, *, declared: bool) -> None:
        """Remember the different values of a field, unless there are too many or they show that it is free text."""
        cells = list(found or ())
        values = frozenset(str(cell) for cell in cells if cell is not None)
        if len(cells) > most_values(declared=declared) or (not declared and any(len(v) > LONG_TEXT for v in values)):
            values = frozenset()
        # An empty column cannot tell a wrong literal from a right one.
        self.known[key] = _Seen(values or None, None in cells, monotonic())


def most_values(*, declared: bool) -> int:
    """How many different values a column may hold and still be checked."""
    return MANY_VALUES if declared else FEW_VALUES
