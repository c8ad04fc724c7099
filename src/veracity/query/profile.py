"""The value profile: which values a categorical column holds, looked up on demand, bounded and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
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


class Values(Protocol):
    """What the validator asks: the stored values of a field, or None when literals on it are not checked."""

    def of(self, entity: str, name: str) -> frozenset[str] | None:
        """The stored values of a field."""


@dataclass(slots=True)
class ValueProfile:
    """The values seen so far; a field that was looked at and is not categorical is kept as None."""

    known: dict[tuple[str, str], frozenset[str] | None] = field(default_factory=dict)
    seen_at: dict[tuple[str, str], float] = field(default_factory=dict)

    def of(self, entity: str, name: str) -> frozenset[str] | None:
        return self.known.get((entity, name))

    def is_fresh(self, key: tuple[str, str]) -> bool:
        """Whether a field was looked at so lately that its values still hold."""
        return key in self.known and monotonic() - self.seen_at[key] < FRESH_SECONDS

    def keep(self, key: tuple[str, str], values: frozenset[str] | None, *, declared: bool) -> None:
        """Remember the values of a field, unless they show that it is not categorical."""
        if (
            values is not None
            and not declared
            and (len(values) > FEW_VALUES or any(len(v) > LONG_TEXT for v in values))
        ):
            values = None
        # An empty column cannot tell a wrong literal from a right one.
        self.known[key] = values or None
        self.seen_at[key] = monotonic()
