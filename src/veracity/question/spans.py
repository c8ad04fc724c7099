"""Places in a question: what may stand there, and which of the overlapping ones are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from veracity.question.lexicon import Hits
from veracity.question.mentions import Meaning, MentionKind

_NAMES = frozenset({MentionKind.ENTITY, MentionKind.FIELD})


@dataclass(frozen=True, slots=True)
class KnownTokens:
    """Tokens that the lexicon knows, from `first` up to but without `end`."""

    first: int
    end: int
    hits: Hits


@dataclass(frozen=True, slots=True)
class SpanCandidate:
    """A place in the folded text and what may stand there; without meanings it only keeps others away."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]
    sure: bool
    bare: bool = False
    """A period that is only a number."""
    worded: bool = False
    """A code after a word that says it is one."""
    digits: bool = False

    def overlaps(self, other: SpanCandidate) -> bool:
        """Whether both have a character in common."""
        return self.start < other.end and other.start < self.end

    @property
    def is_period(self) -> bool:
        """Whether it is one, even an impossible one."""
        return not self.meanings or any(meaning.period for meaning in self.meanings)

    @property
    def is_name(self) -> bool:
        """Whether it only names an entity or a field."""
        return bool(self.meanings) and all(meaning.kind in _NAMES for meaning in self.meanings)


def select(candidates: list[SpanCandidate], size: int) -> list[SpanCandidate]:
    """The candidates to keep: the longest first, those of the same place together."""
    taken = bytearray(size)
    chosen: list[SpanCandidate] = []
    for candidate in sorted(_merged(_without_rivals(candidates)), key=lambda c: (c.start - c.end, c.start)):
        if not any(taken[candidate.start : candidate.end]):
            taken[candidate.start : candidate.end] = b"\1" * (candidate.end - candidate.start)
            chosen.append(candidate)
    return chosen


def _without_rivals(candidates: list[SpanCandidate]) -> list[SpanCandidate]:
    """Decide between years and codes, and let the name of a field give way to a period."""
    periods = [c for c in candidates if c.is_period]
    worded = [c for c in candidates if c.worded]
    firm = [p for p in periods if not p.bare]

    def beaten(candidate: SpanCandidate) -> bool:
        if candidate.is_period:
            return candidate.bare and any(candidate.overlaps(code) for code in worded)
        if candidate.is_name:
            return any(candidate.overlaps(period) for period in periods)
        return candidate.digits and any(p.start <= candidate.start and candidate.end <= p.end for p in firm)

    return [candidate for candidate in candidates if not beaten(candidate)]


def _merged(candidates: Iterable[SpanCandidate]) -> list[SpanCandidate]:
    places: dict[tuple[int, int], SpanCandidate] = {}
    for candidate in candidates:
        place = (candidate.start, candidate.end)
        other = places.get(place)
        if other is None:
            places[place] = candidate
        elif candidate.meanings and other.meanings:
            meanings = tuple(dict.fromkeys((*other.meanings, *candidate.meanings)))
            same = len(meanings) == 1
            places[place] = SpanCandidate(*place, meanings, same and (candidate.sure or other.sure))
        else:
            # An impossible date stays unread.
            places[place] = SpanCandidate(*place, (), sure=False)
    return list(places.values())
