"""Several rankings -> one. Three ways, all exact and with every part visible.

    zscore   sum of weight * (score - lowest) / standard deviation of each list: a passage that stands out counts for more
    minmax   sum of weight * (score - lowest) / (highest - lowest) of each list
    rrf      sum of 1 / (k + rank), ranks from 1

What a list does not hold gets nothing from it. BM25 leaves out what has no word in common with the query; that is a score of 0
and counts as such in its lowest score and its deviation. Equal scores, which are frequent in `rrf`, stand in the order of the first
list, BM25's, and then in that of the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Literal

from veracity.retrieval.search.passages import Scored

FusionMethod = Literal["zscore", "minmax", "rrf"]
WEIGHTS = {"bm25": 0.6, "vector": 0.4}
"""Of the lists in `zscore` and `minmax`, where a corpus is too small to tell (`self_test.py`)."""


@dataclass(slots=True)
class FusedRanking:
    """One passage in the joint ranking: its score, and what each list gave to it."""

    id: str
    score: float = 0.0
    components: dict[str, float] = field(default_factory=dict)
    """Of each list by its name: the `score` and `rank` there, and the `part` of the joint score."""

    def add(self, name: str, scored: float, rank: int, part: float) -> None:
        """What one list gives."""
        self.score += part
        self.components |= {f"{name}_score": scored, f"{name}_rank": rank, f"{name}_part": part}


def fuse(
    lists: Mapping[str, Sequence[Scored]], *, method: FusionMethod, k: int, weights: Mapping[str, float] = WEIGHTS
) -> list[FusedRanking]:
    """The joint ranking; each list is best first and holds an id once."""
    found: dict[str, FusedRanking] = {}
    size = max((len(ranking) for ranking in lists.values()), default=0)
    for name, ranking in lists.items():
        scores = [score for _, score in ranking]
        unmatched = size - len(scores) if name == "bm25" else 0
        parts = _parts_of_scores(scores, unmatched, method, k, weights.get(name, 1.0))
        for rank, ((identifier, score), part) in enumerate(zip(ranking, parts, strict=True), 1):
            found.setdefault(identifier, FusedRanking(identifier)).add(name, score, rank, part)
    # Sorting keeps the order of equal ones, and they were found list by list.
    return sorted(found.values(), key=lambda one: -one.score)


def weights_of(vector: float | None) -> Mapping[str, float]:
    """The weights of both lists, from that of the vectors."""
    return WEIGHTS if vector is None else {"bm25": 1 - vector, "vector": vector}


def alone(name: str, ranking: Sequence[Scored]) -> list[FusedRanking]:
    """One list by itself, with its own scores."""
    found = []
    for rank, (identifier, score) in enumerate(ranking, 1):
        found.append(FusedRanking(identifier))
        found[-1].add(name, score, rank, score)
    return found


def _parts_of_scores(
    scores: Sequence[float], unmatched: int, method: FusionMethod, k: int, weight: float
) -> list[float]:
    if method == "rrf":
        return [1 / (k + rank) for rank in range(1, len(scores) + 1)]
    scale = z_scores if method == "zscore" else min_max
    return [weight * share for share in scale(scores, unmatched)]


def min_max(scores: Sequence[float], unmatched: int = 0) -> list[float]:
    """Scores from 0 to 1, as if there were so many more of 0; when all are equal, all are 1, as none is worse."""
    if not scores:
        return []
    low, high = min([*scores, 0.0] if unmatched else scores), max(scores)
    return [1.0 if high == low else (score - low) / (high - low) for score in scores]


def z_scores(scores: Sequence[float], unmatched: int = 0) -> list[float]:
    """How many standard deviations each score is above the lowest, as if there were so many more of 0; 1 if all are equal."""
    if not scores:
        return []
    count = len(scores) + unmatched
    mean = sum(scores) / count
    deviation = sqrt((sum((score - mean) ** 2 for score in scores) + unmatched * mean**2) / count)
    low = min([*scores, 0.0] if unmatched else scores)
    return [(score - low) / deviation if deviation > 0 else 1.0 for score in scores]
