"""What a rule found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that takes in a request, and where the words stand that decided."""

    rule: str
    spans: tuple[tuple[int, int], ...]
    expression: str | None = None
